//! Layers between a file and the text: compressions and archives, on top of one another.
//!
//! Nothing is unpacked to disk. Memory holds only what the format needs (a dictionary, a window). A layer never reads
//! beyond the member below it. So it can be removed, and the archive below can move to the next member.

mod codec_layer;
mod decoder;
mod gzip;
mod lzw;
mod peek_reader;
mod tar;
mod xz;
mod zip;
mod zstd;

use crate::diagnostic::DiagnosticKind;
use std::io::{self, Read};

use self::codec_layer::CodecLayer;
use self::decoder::Decoder;
use self::peek_reader::PeekReader;
use self::tar::Tar;
use self::zip::Zip;
use super::magic::Kind;
use super::member::Member;

const BUFFER: usize = 64 << 10;

/// What every layer has except the lowest.
pub(super) struct Base<R: Read> {
    /// The layer below, and its decoder.
    input: Decoder<Layer<R>>,
    /// How many bytes of the file were decoded so far, by this layer and the removed ones.
    decoded: u64,
    /// What was malformed at the end of the data.
    note: Option<DiagnosticKind>,
}

impl<R: Read> Base<R> {
    fn input(&mut self) -> &mut PeekReader<Layer<R>> {
        self.input.input()
    }

    /// Whether reading the input itself failed.
    fn failed(&mut self) -> bool {
        self.input().reader.bottom().is_some_and(|bottom| bottom.failed)
    }

    /// Adds `n` decoded bytes, and returns whether the total is too much for the bytes of the input.
    fn expands_too_much(&mut self, n: usize) -> bool {
        self.decoded += n as u64;
        let unread = self.input().buffer().len() as u64;
        let read = self.input().reader.bottom().map_or(0, |bottom| bottom.count);
        self.decoded > EXPANSION_FROM && self.decoded / EXPANSION_MAX > read.saturating_sub(unread)
    }
}

/// The ratio is checked after this many bytes of output. Deflate itself cannot exceed 1032, so a file over the ratio is
/// little else than one repeated byte.
const EXPANSION_FROM: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
const EXPANSION_MAX: u64 = 1000;

/// A source of bytes.
pub(super) enum Layer<R: Read> {
    /// The input itself.
    Bottom(Bottom<R>),
    Codec(Box<CodecLayer<R>>),
    Tar(Box<Tar<R>>),
    Zip(Box<Zip<R>>),
    /// A placeholder while one is exchanged for another.
    Gone,
}

/// An input.
pub(super) struct Bottom<R> {
    reader: R,
    /// How many bytes were read.
    count: u64,
    /// Whether reading failed.
    failed: bool,
}

impl<R: Read> Layer<R> {
    pub(super) fn new(reader: R) -> Layer<R> {
        Layer::Bottom(Bottom { reader, count: 0, failed: false })
    }

    /// Adds a layer on top that decodes `kind`. `head` was read already. `decoded` continues from the removed layers.
    pub(super) fn put(&mut self, kind: Kind, head: Vec<u8>, decoded: u64) {
        let below = std::mem::replace(self, Layer::Gone);
        let base = Base { input: Decoder::Idle(PeekReader::new(head, below)), decoded, note: None };
        *self = match kind {
            Kind::Packed(codec) => Layer::Codec(Box::new(CodecLayer::new(codec, base))),
            Kind::Tar => Layer::Tar(Box::new(Tar::new(base))),
            Kind::Zip(stub) => Layer::Zip(Box::new(Zip::new(base, stub as u64))),
        };
    }

    /// Removes the top layer. Returns `false` if it is the input itself. Adds the bytes it decoded to `decoded`.
    pub(super) fn take_off(&mut self, decoded: &mut u64) -> bool {
        let base = match std::mem::replace(self, Layer::Gone) {
            Layer::Codec(codec) => codec.base,
            // Only the members were decoded, not the archive.
            Layer::Tar(tar) => Base { decoded: *decoded, ..tar.base },
            Layer::Zip(zip) => zip.base,
            bottom => {
                *self = bottom;
                return false;
            }
        };
        (*self, *decoded) = (base.input.into_input().reader, base.decoded);
        true
    }

    /// Whether the top layer is an archive.
    pub(super) fn is_archive(&self) -> bool {
        matches!(self, Layer::Tar(_) | Layer::Zip(_))
    }

    /// Skips the rest of the current member, and moves to the next one that is a file, if the top layer is an archive.
    ///
    /// # Errors
    ///
    /// If reading fails. Malformed data is not an error: it ends the archive, see [`note`](Self::note).
    pub(super) fn next_member(&mut self) -> io::Result<Option<Member>> {
        let (member, base) = match self {
            Layer::Tar(tar) => (tar.next_member(), &mut tar.base),
            Layer::Zip(zip) => (zip.next_member(), &mut zip.base),
            _ => return Ok(None),
        };
        match member {
            Err(e) if !base.failed() => {
                let is_cut = e.kind() == io::ErrorKind::UnexpectedEof;
                base.note = Some(if is_cut { DiagnosticKind::TruncatedArchive } else { DiagnosticKind::BadArchive });
                Ok(None)
            }
            member => member,
        }
    }

    /// Returns how many bytes the top layer has read, if it is an archive, or decoded.
    pub(super) fn offset(&mut self) -> u64 {
        match self {
            Layer::Codec(codec) => codec.returned,
            other => other.base().map_or(0, |base| base.input().offset),
        }
    }

    /// Returns what was malformed in the top layer, after it has ended. If a layer below ended too early, returns that
    /// layer's note, because it is the cause.
    pub(super) fn note(&mut self) -> Option<DiagnosticKind> {
        let base = self.base()?;
        let own = base.note.take()?;
        Some(base.input().reader.note().unwrap_or(own))
    }

    fn base(&mut self) -> Option<&mut Base<R>> {
        match self {
            Layer::Codec(codec) => Some(&mut codec.base),
            Layer::Tar(tar) => Some(&mut tar.base),
            Layer::Zip(zip) => Some(&mut zip.base),
            Layer::Bottom(_) | Layer::Gone => None,
        }
    }

    fn bottom(&mut self) -> Option<&Bottom<R>> {
        match self {
            Layer::Bottom(bottom) => Some(bottom),
            upper => upper.base()?.input().reader.bottom(),
        }
    }
}

impl<R: Read> Read for Layer<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Layer::Bottom(bottom) => bottom.read(buf),
            Layer::Codec(codec) => codec.read(buf),
            Layer::Tar(tar) => tar.read(buf),
            Layer::Zip(zip) => zip.read(buf),
            Layer::Gone => Ok(0),
        }
    }
}

impl<R: Read> Read for Bottom<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buf) {
                Ok(n) => {
                    self.count += n as u64;
                    return Ok(n);
                }
                // Not every decoder retries.
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = true;
                    return Err(e);
                }
            }
        }
    }
}
