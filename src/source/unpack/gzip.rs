//! Decodes one gzip member (RFC 1952).

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

/// A decoder for gzip that counts the decoded bytes, so that the bytes before an error are not lost. flate2 also has a
/// gzip decoder. But that decoder does not report how many bytes a read decoded before it failed.
pub(super) struct Gzip<I> {
    /// Does not read beyond the end of the compressed data.
    data: DeflateDecoder<I>,
    sum: Crc,
    state: State,
}

enum State {
    Header,
    Data,
    Ended,
}

const MAGIC: [u8; 3] = [0x1F, 0x8B, 8];
const HEADER_SUM: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;

impl<I: BufRead> Gzip<I> {
    pub(super) fn new(input: I) -> Gzip<I> {
        Gzip { data: DeflateDecoder::new(input), sum: Crc::new(), state: State::Header }
    }

    pub(super) fn input(&mut self) -> &mut I {
        self.data.get_mut()
    }

    pub(super) fn into_input(self) -> I {
        self.data.into_inner()
    }

    pub(super) fn decoded(&self) -> u64 {
        self.data.total_out()
    }

    fn header(&mut self) -> io::Result<()> {
        let input = self.input();
        let [magic @ .., flags, _, _, _, _, _, _] = array::<10>(input)?;
        if magic != MAGIC {
            return Err(ErrorKind::InvalidData.into());
        }
        if flags & EXTRA != 0 {
            let length = u64::from(u16::from_le_bytes(array(input)?));
            if io::copy(&mut input.take(length), &mut io::sink())? < length {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        for _ in [NAME, COMMENT].iter().filter(|flag| flags & **flag != 0) {
            while array::<1>(input)? != [0] {}
        }
        if flags & HEADER_SUM != 0 {
            array::<2>(input)?;
        }
        Ok(())
    }

    /// Verifies the checksum and the length, which follow the data.
    fn trailer(&mut self) -> io::Result<()> {
        let input = self.input();
        let (sum, length) = (u32::from_le_bytes(array(input)?), u32::from_le_bytes(array(input)?));
        let is_right = sum == self.sum.sum() && length == self.sum.amount();
        if is_right { Ok(()) } else { Err(ErrorKind::InvalidData.into()) }
    }
}

fn array<const N: usize>(input: &mut impl BufRead) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

impl<I: BufRead> Read for Gzip<I> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if matches!(self.state, State::Header) {
            self.header()?;
            self.state = State::Data;
        }
        if buf.is_empty() || matches!(self.state, State::Ended) {
            return Ok(0);
        }
        let n = self.data.read(buf)?;
        self.sum.update(&buf[..n]);
        if n == 0 {
            self.state = State::Ended;
            self.trailer()?;
        }
        Ok(n)
    }
}
