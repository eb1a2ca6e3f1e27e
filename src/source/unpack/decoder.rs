//! The decoders of all compressions as one type. Archives use it for members that a layer on top cannot decode.

use std::io::{self, BufRead, Read};

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;

use super::lzw::Lzw;
use super::zstd::Zstd;
use crate::source::Codec;

/// The largest dictionary of `xz -9` is 64 MiB. A file that needs much more is not from xz(1).
const XZ_MEMORY_KIB: u32 = 80 << 10;

/// The decoder of one stream. It reads no byte after the stream.
pub(super) enum Decoder<I: Read> {
    Gzip(Box<GzDecoder<I>>),
    Bzip2(Box<BzDecoder<I>>),
    Xz(Box<XzReader<I>>),
    Zstd(Box<Zstd<I>>),
    Compress(Box<Lzw<I>>),
    /// Not decoding: before a stream or after it.
    Idle(I),
    /// A placeholder while one is exchanged for the next.
    Gone,
}

impl<I: BufRead> Decoder<I> {
    /// Decodes `codec`, beginning with `input`.
    pub(super) fn new(codec: Codec, input: I) -> Decoder<I> {
        match codec {
            Codec::Gzip => Decoder::Gzip(Box::new(GzDecoder::new(input))),
            Codec::Bzip2 => Decoder::Bzip2(Box::new(BzDecoder::new(input))),
            Codec::Xz => Decoder::Xz(Box::new(XzReader::new_mem_limit(input, false, XZ_MEMORY_KIB))),
            Codec::Zstd => Decoder::Zstd(Box::new(Zstd::new(input))),
            Codec::Compress => Decoder::Compress(Box::new(Lzw::new(input))),
        }
    }

    /// Begins another stream.
    pub(super) fn begin(&mut self, codec: Codec) {
        *self = Decoder::new(codec, std::mem::replace(self, Decoder::Gone).into_input());
    }

    /// Stops decoding.
    pub(super) fn end(&mut self) {
        *self = Decoder::Idle(std::mem::replace(self, Decoder::Gone).into_input());
    }

    /// Whether the data is truncated, not malformed.
    pub(super) fn is_cut(&mut self, error: &io::Error) -> io::Result<bool> {
        Ok(match error.kind() {
            io::ErrorKind::UnexpectedEof => true,
            io::ErrorKind::Other => self.input().fill_buf()?.is_empty(),
            _ => false,
        })
    }

    pub(super) fn input(&mut self) -> &mut I {
        match self {
            Decoder::Gzip(decoder) => decoder.get_mut(),
            Decoder::Bzip2(decoder) => decoder.get_mut(),
            Decoder::Xz(decoder) => decoder.inner_mut(),
            Decoder::Compress(decoder) => &mut decoder.input,
            Decoder::Zstd(decoder) => &mut decoder.input,
            Decoder::Idle(input) => input,
            Decoder::Gone => unreachable!("it is put back at once"),
        }
    }

    pub(super) fn into_input(self) -> I {
        match self {
            Decoder::Gzip(decoder) => decoder.into_inner(),
            Decoder::Bzip2(decoder) => decoder.into_inner(),
            Decoder::Xz(decoder) => decoder.into_inner(),
            Decoder::Compress(decoder) => decoder.input,
            Decoder::Zstd(decoder) => decoder.input,
            Decoder::Idle(input) => input,
            Decoder::Gone => unreachable!("it is put back at once"),
        }
    }
}

/// A decoder that finds malformed data returns an error, and discards what it decoded in the same step. So the steps
/// are small.
const STEP: usize = 4 << 10;
/// gzip has larger steps: small ones would take a fourth more time.
const GZIP_STEP: usize = 64 << 10;

impl<I: BufRead> Read for Decoder<I> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let step = if matches!(self, Decoder::Gzip(_)) { GZIP_STEP } else { STEP };
        let most = buf.len().min(step);
        let buf = &mut buf[..most];
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
