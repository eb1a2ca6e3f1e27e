//! Reads compressed files and archives through layers. A layer decodes one compression or one archive, and reads its
//! input from the layer below it. For example, a compressed file in a zip archive needs two layers.
//!
//! Nothing is unpacked to disk. Memory holds only the state of the decoders, such as their dictionaries. A layer that
//! decodes a member never reads beyond the end of this member. So the archive layer below can continue with the next
//! member.

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
use std::ops::Range;

use self::codec_layer::CodecLayer;
use self::decoder::Decoder;
use self::peek_reader::PeekReader;
use self::tar::Tar;
#[cfg(feature = "tasks")]
pub(super) use self::tar::{pax_size, stated_size};
use self::zip::Zip;
use super::magic::Kind;
use super::member::Member;
#[cfg(feature = "pst")]
use crate::{container::PST, source::folders::Folders};

const BUFFER: usize = 64 << 10;

/// The fields that codec, tar and zip layers have in common.
pub(super) struct Base<R: Read> {
    /// The decoder of this layer, which reads from the layer below.
    input: Decoder<Layer<R>>,
    /// Number of bytes decoded by this layer and by the layers that were removed earlier.
    decoded: u64,
    /// A problem with the data, such as truncation. The problem is reported when the layer ends.
    note: Option<DiagnosticKind>,
    /// Reading ends before the member at this offset. If this is `None`, all members of an archive are read.
    end: Option<u64>,
}

impl<R: Read> Base<R> {
    /// Whether the next member begins at `self.end`, where reading must end. Must be called between two members.
    ///
    /// # Errors
    ///
    /// Returns an error if the last member ends after `self.end`, which is possible if the directory of the archive
    /// states wrong offsets.
    fn is_at_end(&mut self) -> io::Result<bool> {
        let at = self.input().offset;
        match self.end {
            Some(end) if at > end => Err(io::ErrorKind::InvalidData.into()),
            end => Ok(end == Some(at)),
        }
    }

    fn input(&mut self) -> &mut PeekReader<Layer<R>> {
        self.input.input()
    }

    /// Whether a read of the lowest layer failed.
    fn failed(&mut self) -> bool {
        self.input().reader.bottom().is_some_and(|bottom| bottom.failed)
    }

    /// Adds `n` to the number of decoded bytes. Returns whether the input has expanded beyond the limits.
    fn expands_too_much(&mut self, n: usize) -> bool {
        self.decoded += n as u64;
        let unread = self.input().buffer().len() as u64;
        let read = self.input().reader.bottom().map_or(0, |bottom| bottom.count);
        self.decoded > EXPANSION_FROM && self.decoded / EXPANSION_MAX > read.saturating_sub(unread)
    }
}

/// Limits on the expansion of a file. Decoding stops when the number of decoded bytes is greater than
/// [`EXPANSION_FROM`], and greater than [`EXPANSION_MAX`] times the number of bytes read. The maximum compression ratio
/// of deflate is 1032, so a deflated file over the limit contains little but one repeated byte.
const EXPANSION_FROM: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
const EXPANSION_MAX: u64 = 1000;

/// The input itself, or a decoder that reads from the layer below it.
pub(super) enum Layer<R: Read> {
    Bottom(Bottom<R>),
    Codec(Box<CodecLayer<R>>),
    Tar(Box<Tar<R>>),
    Zip(Box<Zip<R>>),
    #[cfg(feature = "pst")]
    Outlook(Box<Outlook<R>>),
    /// A placeholder while the layer is replaced.
    Gone,
}

/// Outlook folders, and the layer below them. `folders` reads the file itself, so the bytes of the layer below are not
/// used.
#[cfg(feature = "pst")]
pub(super) struct Outlook<R: Read> {
    folders: Folders,
    below: Layer<R>,
    /// Number of bytes that were returned. These bytes are converted messages.
    given: u64,
}

/// The lowest layer, which reads the input.
pub(super) struct Bottom<R> {
    reader: R,
    /// Number of bytes read from the input.
    count: u64,
    failed: bool,
}

impl<R: Read> Layer<R> {
    pub(super) fn new(reader: R) -> Layer<R> {
        Layer::Bottom(Bottom { reader, count: 0, failed: false })
    }

    /// Adds a layer on top that decodes `kind`. `head` has the bytes that the caller already read from the current top
    /// layer. `decoded` is the number of bytes decoded by the layers that were removed earlier.
    pub(super) fn put(&mut self, kind: Kind, head: Vec<u8>, decoded: u64) {
        let below = std::mem::replace(self, Layer::Gone);
        let base = Base { input: Decoder::Idle(PeekReader::new(head, below)), decoded, note: None, end: None };
        *self = match kind {
            Kind::Packed(codec) => Layer::Codec(Box::new(CodecLayer::new(codec, base))),
            Kind::Tar => Layer::Tar(Box::new(Tar::new(base))),
            Kind::Zip(stub) => Layer::Zip(Box::new(Zip::new(base, stub as u64))),
        };
    }

    /// Adds a layer on top that reads the members that begin in the range `members` of the archive. The first byte that
    /// the layer below returns must be the first byte of this range.
    pub(super) fn put_members(&mut self, kind: Kind, members: Range<u64>) {
        self.put(kind, Vec::new(), 0);
        if let Some(base) = self.base() {
            base.input().offset = members.start;
            base.end = Some(members.end);
        }
    }

    #[cfg(feature = "pst")]
    pub(super) fn put_folders(&mut self, folders: Folders) {
        let below = std::mem::replace(self, Layer::Gone);
        *self = Layer::Outlook(Box::new(Outlook { folders, below, given: 0 }));
    }

    /// Removes the top layer, unless it is the input. Returns whether a layer was removed. Sets `decoded` to the number
    /// of bytes decoded by all layers that were removed so far.
    pub(super) fn take_off(&mut self, decoded: &mut u64) -> bool {
        let base = match std::mem::replace(self, Layer::Gone) {
            Layer::Codec(codec) => codec.base,
            // A tar layer decodes nothing, so `decoded` is left unchanged.
            Layer::Tar(tar) => Base { decoded: *decoded, ..tar.base },
            Layer::Zip(zip) => zip.base,
            #[cfg(feature = "pst")]
            Layer::Outlook(outlook) => {
                *self = outlook.below;
                return true;
            }
            bottom => {
                *self = bottom;
                return false;
            }
        };
        (*self, *decoded) = (base.input.into_input().reader, base.decoded);
        true
    }

    pub(super) fn is_archive(&self) -> bool {
        match self {
            Layer::Tar(_) | Layer::Zip(_) => true,
            #[cfg(feature = "pst")]
            Layer::Outlook(_) => true,
            _ => false,
        }
    }

    /// Moves to the next member of the archive that the top layer reads. Skips the rest of the current member, and
    /// skips directories and links. Returns `None` after the last member, or if the top layer is not an archive.
    ///
    /// # Errors
    ///
    /// Returns an error if reading fails. Malformed data is not an error: malformed data ends the archive, and
    /// [`note`](Self::note) returns the reason.
    pub(super) fn next_member(&mut self) -> io::Result<Option<Member>> {
        let (member, base) = match self {
            Layer::Tar(tar) => (tar.next_member(), &mut tar.base),
            Layer::Zip(zip) => (zip.next_member(), &mut zip.base),
            #[cfg(feature = "pst")]
            Layer::Outlook(outlook) => {
                let name = outlook.folders.next_folder().map(String::into_bytes);
                return Ok(name.map(|name| Member { name, format: Some(PST), ..Member::default() }));
            }
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

    /// Returns how far the top layer has come:
    ///
    /// - for a tar or zip archive, the number of bytes read from the archive;
    /// - for a malformed zip member of unknown length, the offset at which the data of the member begins;
    /// - for a compression, the number of decoded bytes that were returned;
    /// - for Outlook folders, the number of bytes of converted messages that were returned.
    pub(super) fn offset(&mut self) -> u64 {
        match self {
            Layer::Codec(codec) => codec.returned,
            Layer::Zip(zip) => zip.offset(),
            #[cfg(feature = "pst")]
            Layer::Outlook(outlook) => outlook.given,
            other => other.base().map_or(0, |base| base.input().offset),
        }
    }

    /// Returns the problem with the data of the top layer, after the layer has ended. If the data is truncated because
    /// a layer below ended too early, returns the problem of the layer below, which is the cause.
    pub(super) fn note(&mut self) -> Option<DiagnosticKind> {
        #[cfg(feature = "pst")]
        if let Layer::Outlook(outlook) = self {
            return outlook.folders.take_damage().then_some(DiagnosticKind::BadOutlook);
        }
        let base = self.base()?;
        let own = base.note.take()?;
        let below = &mut base.input().reader;
        if matches!(own, DiagnosticKind::TruncatedArchive | DiagnosticKind::TruncatedCompression) {
            return Some(below.note().unwrap_or(own));
        }
        below.drop_notes();
        Some(own)
    }

    /// If this layer decodes a compression, removes its note, and the notes of the compressions directly below it.
    /// Called when the layer above has failed. The compressions below were then not read to their ends, so their notes
    /// depend on how many bytes were read ahead. An archive keeps its note, because reading continues with its next
    /// member.
    pub(super) fn drop_notes(&mut self) {
        if let Layer::Codec(codec) = self {
            codec.base.note = None;
            codec.base.input().reader.drop_notes();
        }
    }

    fn base(&mut self) -> Option<&mut Base<R>> {
        match self {
            Layer::Codec(codec) => Some(&mut codec.base),
            Layer::Tar(tar) => Some(&mut tar.base),
            Layer::Zip(zip) => Some(&mut zip.base),
            Layer::Bottom(_) | Layer::Gone => None,
            #[cfg(feature = "pst")]
            Layer::Outlook(_) => None,
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
            #[cfg(feature = "pst")]
            Layer::Outlook(outlook) => {
                let n = outlook.folders.read(buf)?;
                outlook.given += n as u64;
                Ok(n)
            }
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
                // Some decoders do not repeat an interrupted read, so the read is repeated here.
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = true;
                    return Err(e);
                }
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
