//! What the layers that decode a compression or read an archive have in common.

use std::io::{self, Read};
#[cfg(feature = "tasks")]
use std::ops::Range;

use super::Layer;
use super::decoder::Decoder;
use super::peek_reader::PeekReader;
use crate::diagnostic::DiagnosticKind;
use crate::shared::{EXPANSION_FROM, EXPANSION_MAX};
use crate::source::member::Next;

/// The fields that codec, tar and zip layers have in common.
pub(super) struct Base<R: Read> {
    /// The decoder of this layer, which reads from the layer below.
    pub(super) input: Decoder<Layer<R>>,
    /// Number of bytes decoded by this layer and by the layers that were removed earlier.
    pub(super) decoded: u64,
    /// A problem with the data, such as truncation. The problem is reported when the layer ends.
    pub(super) note: Option<DiagnosticKind>,
    /// Reading ends before the member at this offset. If this is `None`, all members of an archive are read.
    pub(super) end: Option<u64>,
}

impl<R: Read> Base<R> {
    /// Makes the base of a layer that reads `head`, and then the bytes of the layer `below`.
    pub(super) fn new(head: Vec<u8>, below: Layer<R>, decoded: u64) -> Base<R> {
        Base { input: Decoder::Idle(PeekReader::new(head, below)), decoded, note: None, end: None }
    }

    pub(super) fn below(&mut self) -> &mut Layer<R> {
        &mut self.input().reader
    }

    pub(super) fn into_below(self) -> Layer<R> {
        self.input.into_input().reader
    }

    /// Makes the layer read only the members that begin in this range. See [`Layer::limit`].
    #[cfg(feature = "tasks")]
    pub(super) fn limit(&mut self, members: Range<u64>) {
        self.input().offset = members.start;
        self.end = Some(members.end);
    }

    /// Whether the next member begins at `self.end`, where reading must end. Must be called between two members.
    ///
    /// # Errors
    ///
    /// Returns an error if the last member ends after `self.end`, which is possible if the directory of the archive
    /// states wrong offsets.
    pub(super) fn is_at_end(&mut self) -> io::Result<bool> {
        let at = self.input().offset;
        match self.end {
            Some(end) if at > end => Err(io::ErrorKind::InvalidData.into()),
            end => Ok(end == Some(at)),
        }
    }

    pub(super) fn input(&mut self) -> &mut PeekReader<Layer<R>> {
        self.input.input()
    }

    /// Whether a read of the lowest layer failed.
    pub(super) fn failed(&mut self) -> bool {
        self.below().bottom().is_some_and(|bottom| bottom.failed)
    }

    /// Adds `n` to the number of decoded bytes. Returns whether the input has expanded beyond the limits.
    pub(super) fn expands_too_much(&mut self, n: usize) -> bool {
        self.decoded += n as u64;
        let unread = self.input().buffer().len() as u64;
        let read = self.below().bottom().map_or(0, |bottom| bottom.count);
        self.decoded > EXPANSION_FROM && self.decoded / EXPANSION_MAX > read.saturating_sub(unread)
    }

    /// Ends the archive if `next` is an error because of malformed data. Returns other errors unchanged.
    pub(super) fn end_if_malformed(&mut self, next: io::Result<Option<Next>>) -> io::Result<Option<Next>> {
        match next {
            Err(e) if !self.failed() => {
                let is_cut = e.kind() == io::ErrorKind::UnexpectedEof;
                self.note = Some(if is_cut { DiagnosticKind::TruncatedArchive } else { DiagnosticKind::BadArchive });
                Ok(None)
            }
            next => next,
        }
    }

    /// Returns the problem with the data of this layer. See [`Carrier::note`](crate::source::member::Carrier::note).
    pub(super) fn take_note(&mut self) -> Option<DiagnosticKind> {
        let own = self.note.take()?;
        let below = self.below();
        if matches!(own, DiagnosticKind::TruncatedArchive | DiagnosticKind::TruncatedCompression) {
            return Some(below.carrier().note().unwrap_or(own));
        }
        below.drop_notes();
        Some(own)
    }

    pub(super) fn drop_notes(&mut self) {
        self.note = None;
        self.below().drop_notes();
    }
}
