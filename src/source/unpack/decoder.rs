//! One type for the decoders of all compression formats. The reader of zip archives also uses this type, for compressed
//! members whose length is unknown until they are decoded.

use crate::diagnostic::DiagnosticKind;
use std::io::{self, BufRead, Read};
use std::ops::Range;

use bzip2::bufread::BzDecoder;

use super::gzip::Gzip;
use super::lzw::Lzw;
use super::peek_reader::PeekReader;
use super::xz::Xz;
use super::zstd::Zstd;
use crate::magic::Codec;

/// Returns the diagnostic for malformed data. `error` is the error that the decoder returned. For truncated data, see
/// [`Decoder::is_cut`].
pub(super) fn damage(error: &io::Error) -> DiagnosticKind {
    let is_large = error.kind() == io::ErrorKind::OutOfMemory;
    if is_large { DiagnosticKind::DictionaryLimit } else { DiagnosticKind::BadCompression }
}

/// The decoder of one stream. The decoder never reads beyond the end of the stream.
pub(super) enum Decoder<R> {
    Gzip(Box<Stepwise<Gzip<PeekReader<R>>>>),
    Bzip2(Box<Stepwise<BzDecoder<PeekReader<R>>>>),
    Xz(Box<Stepwise<Xz<R>>>),
    Zstd(Box<Zstd<PeekReader<R>>>),
    Compress(Box<Lzw<PeekReader<R>>>),
    /// No stream is being decoded.
    Idle(PeekReader<R>),
    /// A placeholder while the decoder is replaced.
    Gone,
}

impl<R: Read> Decoder<R> {
    pub(super) fn new(codec: Codec, input: PeekReader<R>) -> Decoder<R> {
        match codec {
            Codec::Gzip => Decoder::Gzip(Stepwise::new(Gzip::new(input))),
            Codec::Bzip2 => Decoder::Bzip2(Stepwise::new(BzDecoder::new(input))),
            Codec::Xz => Decoder::Xz(Stepwise::new(Xz::new(input))),
            Codec::Zstd => Decoder::Zstd(Box::new(Zstd::new(input))),
            Codec::Compress => Decoder::Compress(Box::new(Lzw::new(input))),
        }
    }

    pub(super) fn begin(&mut self, codec: Codec) {
        *self = Decoder::new(codec, std::mem::replace(self, Decoder::Gone).into_input());
    }

    pub(super) fn end(&mut self) {
        *self = Decoder::Idle(std::mem::replace(self, Decoder::Gone).into_input());
    }

    /// Whether `error` means that the data is truncated, not malformed.
    pub(super) fn is_cut(&mut self, error: &io::Error) -> io::Result<bool> {
        Ok(match error.kind() {
            io::ErrorKind::UnexpectedEof => true,
            io::ErrorKind::Other => self.input().fill_buf()?.is_empty(),
            _ => false,
        })
    }

    pub(super) fn input(&mut self) -> &mut PeekReader<R> {
        match self {
            Decoder::Gzip(stepwise) => stepwise.decoder.input(),
            Decoder::Bzip2(stepwise) => stepwise.decoder.get_mut(),
            Decoder::Xz(stepwise) => &mut stepwise.decoder.input,
            Decoder::Compress(decoder) => &mut decoder.input,
            Decoder::Zstd(decoder) => &mut decoder.input,
            Decoder::Idle(input) => input,
            Decoder::Gone => unreachable!("this value exists only while the decoder is replaced"),
        }
    }

    pub(super) fn into_input(self) -> PeekReader<R> {
        match self {
            Decoder::Gzip(stepwise) => stepwise.decoder.into_input(),
            Decoder::Bzip2(stepwise) => stepwise.decoder.into_inner(),
            Decoder::Xz(stepwise) => stepwise.decoder.input,
            Decoder::Compress(decoder) => decoder.input,
            Decoder::Zstd(decoder) => decoder.input,
            Decoder::Idle(input) => input,
            Decoder::Gone => unreachable!("this value exists only while the decoder is replaced"),
        }
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Gzip(decoder) => decoder.read(buf),
            Decoder::Bzip2(decoder) => decoder.read(buf),
            Decoder::Xz(decoder) => decoder.read(buf),
            Decoder::Zstd(decoder) => decoder.read(buf),
            Decoder::Compress(decoder) => decoder.read(buf),
            Decoder::Idle(_) | Decoder::Gone => Ok(0),
        }
    }
}

/// Reads from a decoder in steps of a fixed size. If an error occurs, first returns the bytes that were decoded before
/// the error. The number of these bytes does not depend on the size of the caller's reads, because the steps have a
/// fixed size.
pub(super) struct Stepwise<D> {
    decoder: D,
    step: Vec<u8>,
    /// Range of the bytes in `step` that were not returned yet.
    rest: Range<usize>,
    /// An error that is returned after the bytes in `step`.
    failed: Option<io::Error>,
}

/// A decoder that loses bytes when a read fails: the bytes that were decoded before the error are not returned.
pub(super) trait Decode: Read {
    /// Size of a step in bytes.
    const STEP: usize;

    /// Returns the number of decoded bytes, if the decoder counts them. After a failed read, this number includes the
    /// bytes that the read wrote to its buffer before the error.
    fn decoded(&self) -> Option<u64>;
}

/// flate2 decodes up to 32 KiB before it copies these bytes to the output. If an error occurs before the copy, the
/// bytes are lost. The steps are nevertheless 64 KiB, because smaller steps take up to 25 % more time.
impl<I: BufRead> Decode for Gzip<I> {
    const STEP: usize = 64 << 10;

    fn decoded(&self) -> Option<u64> {
        Some(self.decoded())
    }
}

impl<I: BufRead> Decode for BzDecoder<I> {
    const STEP: usize = 4 << 10;

    fn decoded(&self) -> Option<u64> {
        Some(self.total_out())
    }
}

impl<R: Read> Decode for Xz<R> {
    const STEP: usize = 4 << 10;

    fn decoded(&self) -> Option<u64> {
        None
    }
}

impl<D: Decode> Stepwise<D> {
    fn new(decoder: D) -> Box<Stepwise<D>> {
        Box::new(Stepwise { decoder, step: Vec::new(), rest: 0..0, failed: None })
    }
}

/// Reads one step into `buf`. Returns the number of bytes, which is 0 at the end. If an error occurs, stores it in
/// `failed`.
fn step<D: Decode>(decoder: &mut D, failed: &mut Option<io::Error>, buf: &mut [u8]) -> usize {
    let before = decoder.decoded();
    decoder.read(buf).unwrap_or_else(|error| {
        *failed = Some(error);
        decoder.decoded().zip(before).map_or(0, |(after, before)| (after - before) as usize)
    })
}

impl<D: Decode> Read for Stepwise<D> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buf.len() {
            let room = &mut buf[filled..];
            if !self.rest.is_empty() {
                let n = self.rest.len().min(room.len());
                room[..n].copy_from_slice(&self.step[self.rest.start..][..n]);
                self.rest.start += n;
                filled += n;
                continue;
            }
            if self.failed.is_some() {
                break;
            }
            let n = if let Some(room) = room.get_mut(..D::STEP) {
                let n = step(&mut self.decoder, &mut self.failed, room);
                filled += n;
                n
            } else {
                self.step.resize(D::STEP, 0);
                self.rest = 0..step(&mut self.decoder, &mut self.failed, &mut self.step);
                self.rest.len()
            };
            if n == 0 {
                break;
            }
        }
        if filled == 0 && !buf.is_empty() { self.failed.take().map_or(Ok(0), Err) } else { Ok(filled) }
    }
}
