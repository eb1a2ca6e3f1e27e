//! Batches of messages or text. A worker thread searches one batch at a time.

use crate::diagnostic::Diagnostic;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use super::{Input, Position};
use crate::container::{ArchiveSegment, LineCut, Slicer, Window, line_ends};

/// Segments of one file, and the bytes that contain them. A segment is a message, or a piece of text.
///
/// Each worker makes one batch and refills it, so that the buffers are reused.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Storage for the bytes. Only the first `filled` bytes are in use. The other bytes are left from earlier fills,
    /// because zeroing them would take time.
    buffer: Vec<u8>,
    filled: usize,
    /// Whether lines end in CR alone. If this is `true`, each CR is replaced by LF when the bytes are read.
    pub(super) lines_end_in_cr: bool,
    /// Number of bytes of the buffer that the last fill used. Emptying the batch does not reset this number.
    used: usize,
    /// The segments, in the order in which they occur in the file. Their ranges are indexes into [`Batch::bytes`].
    pub(crate) segments: Vec<ArchiveSegment>,
    /// Diagnostics. Their offsets count from the beginning of the file. A batch can have diagnostics but no segments.
    pub(crate) notes: Vec<Diagnostic>,
    /// Offset in the decompressed file at which [`Batch::bytes`] begin. The first segment can begin at a higher offset.
    pub(crate) base: u64,
    /// Number of the line in which [`Batch::bytes`] begin. The first line of the file has the number 1. The number is 0
    /// if lines are not counted.
    pub(crate) line: u64,
    /// The file from which the bytes were read. `None` if the batch is empty.
    pub(crate) file: Option<Arc<Input>>,
    /// The position after this batch, if a later run can resume there.
    pub(crate) reached: Option<Position>,
    /// Whether the input was not read to its end, and its last bytes that could be read are the last of the batch.
    pub(crate) is_cut: bool,
    /// Whether text can be cut at the end of any line, because the input may be slow.
    pub(crate) is_prompt: bool,
}

/// If a read returns at least this many bytes, more bytes are probably available, and another read follows unless there
/// is a pause. The value is half the capacity of a pipe on Linux.
const PLENTY: usize = 32 << 10;

impl Batch {
    /// Returns all bytes of the batch. The segments are ranges of these bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Finds the bytes that the container format inserted into `message`, and puts their ranges into `cuts`.
    pub(crate) fn cuts(&self, message: &[u8], cuts: &mut Vec<Range<usize>>) {
        if let Some(file) = &self.file {
            file.format.cuts(message, cuts);
        }
    }

    /// Empties the batch, but keeps the buffers.
    pub(crate) fn clear(&mut self) {
        self.segments.clear();
        self.notes.clear();
        self.filled = 0;
        self.base = 0;
        self.line = 0;
        self.file = None;
        self.reached = None;
        self.is_cut = false;
    }

    /// Empties the batch and begins a new fill. The new fill begins with the bytes `carry`, which the last fill read
    /// but did not put into a segment. `chunk` is the approximate number of bytes that the new fill will need. Frees
    /// the buffer if it is much larger than `chunk` and the last fill used at most a quarter of it.
    pub(super) fn begin(&mut self, carry: &[u8], chunk: usize) {
        let small = self.used <= self.buffer.len() / 4 && self.buffer.len() > chunk.saturating_mul(2);
        self.clear();
        if small {
            self.buffer = Vec::new();
        }
        self.room(carry.len());
        self.buffer[..carry.len()].copy_from_slice(carry);
        (self.filled, self.used) = (carry.len(), carry.len());
    }

    /// Makes the buffer at least `len` bytes long. Adds spare bytes, so that growing in small steps needs few
    /// reallocations.
    fn room(&mut self, len: usize) {
        if self.buffer.len() < len {
            let len = len.max(self.buffer.len().saturating_mul(2).min(len.saturating_add(1 << 20)));
            self.buffer.reserve_exact(len - self.buffer.len());
            self.buffer.resize(len, 0);
        }
    }

    /// Reads until the batch has `least` bytes. After a read of at least [`PLENTY`] bytes, calls `is_quiet`, and
    /// continues up to `target` bytes if that returns `false`. A shorter read ends the fill. Returns `false` if the
    /// input ended.
    pub(super) fn fill(
        &mut self,
        reader: &mut dyn Read,
        least: usize,
        target: usize,
        is_quiet: fn() -> bool,
    ) -> io::Result<bool> {
        self.room(target);
        while self.filled < target {
            match reader.read(&mut self.buffer[self.filled..target]) {
                Ok(0) => return Ok(false),
                Ok(n) => {
                    if self.lines_end_in_cr {
                        line_ends::to_lf(&mut self.buffer[self.filled..self.filled + n]);
                    }
                    self.filled += n;
                    self.used = self.filled;
                    if self.filled >= least && (n < PLENTY || self.filled < target && is_quiet()) {
                        return Ok(true);
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(true)
    }

    /// Sets whether lines end in CR alone. The setting also applies to the bytes that were read already.
    pub(super) fn set_lines_end_in_cr(&mut self, in_cr: bool) {
        self.lines_end_in_cr = in_cr;
        if in_cr {
            line_ends::to_lf(&mut self.buffer[..self.filled]);
        }
    }

    /// Cuts the bytes into segments. Returns the offset in the file at which the next batch must begin.
    pub(super) fn slice(&mut self, slicer: &mut Slicer, eof: bool, cut: LineCut) -> u64 {
        slicer.set_line_cut(cut);
        let window = Window { bytes: &self.buffer[..self.filled], base: self.base, eof };
        slicer.slice(window, &mut self.segments, &mut self.notes)
    }

    /// Removes the bytes before the range of the first segment. This range includes the bytes that the segment needs as
    /// context, so the context is kept.
    pub(super) fn begin_at_first_segment(&mut self) {
        let before = self.segments.first().map_or(0, |segment| segment.range.start);
        self.buffer.copy_within(before..self.filled, 0);
        self.filled -= before;
        self.base += before as u64;
        for segment in &mut self.segments {
            for range in [&mut segment.range, &mut segment.starts] {
                *range = range.start - before..range.end - before;
            }
        }
    }

    /// Appends bytes that were converted from the bytes of the input.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        let end = self.filled + bytes.len();
        self.room(end);
        self.buffer[self.filled..end].copy_from_slice(bytes);
        (self.filled, self.used) = (end, end);
    }

    /// Removes and returns all bytes, so that the caller can decode them.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let taken = self.bytes().to_vec();
        self.filled = 0;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::{ArchiveSegment, Batch, PLENTY};
    use crate::container::SegmentKind;

    /// A buffer that grew for one large message is freed when a fill needs much less.
    #[test]
    fn a_large_buffer_is_freed() {
        let table = [
            // Columns: the number of bytes that the last fill used, the chunk size of the next fill, and whether the
            // next fill frees a buffer of 4000 bytes.
            (1000, 1000, true),
            (1001, 1000, false),
            (1000, 1999, true),
            (1000, 2000, false),
            (0, usize::MAX, false),
        ];
        for (used, chunk, is_freed) in table {
            let mut batch = Batch { buffer: vec![0; 4000], used, ..Batch::default() };
            batch.begin(b"carry", chunk);
            assert_eq!(batch.bytes(), b"carry");
            assert_eq!(batch.buffer.len() < 4000, is_freed, "{used} used, chunks of {chunk}");
        }
    }

    /// A reader that returns this many bytes at a time.
    struct Pieces(usize);

    impl std::io::Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.min(buffer.len());
            buffer[..count].fill(b'x');
            Ok(count)
        }
    }

    /// A short read ends a fill if the batch has enough bytes. After a long read, more bytes are probably available, so
    /// the fill ends only if a pause follows.
    #[test]
    fn a_fill_ends_at_a_short_read_or_at_the_target() {
        let table = [
            // Columns: the number of bytes that each read returns, `least`, `target`, whether there is a pause after each
            // read, and the number of bytes after the fill.
            (1000, 1, 5000, false, 1000),
            (1000, 1500, 5000, true, 2000),
            (1000, 5000, 5000, true, 5000),
            (PLENTY - 1, 1, 3 * PLENTY, false, PLENTY - 1),
            (PLENTY, 1, 3 * PLENTY, false, 3 * PLENTY),
            (PLENTY, 1, 3 * PLENTY, true, PLENTY),
            (PLENTY, PLENTY + 1, 3 * PLENTY, true, 2 * PLENTY),
        ];
        for (piece, least, target, is_quiet, want) in table {
            let mut batch = Batch::default();
            let quiet = if is_quiet { || true } else { || false };
            assert!(batch.fill(&mut Pieces(piece), least, target, quiet).expect("bytes"));
            assert_eq!(batch.bytes().len(), want, "{piece} bytes at a time, from {least} to {target}, {is_quiet}");
        }
    }

    #[test]
    fn line_ends_are_replaced_in_each_read() {
        let mut batch = Batch { lines_end_in_cr: true, ..Batch::default() };
        batch.begin(b"To: a\n", 100);
        assert!(!batch.fill(&mut &b"\rtext\r"[..], 100, 100, || false).expect("bytes"));
        assert_eq!(batch.bytes(), b"To: a\n\ntext\n");
    }

    /// The offset of the batch grows by the number of removed bytes, so the offsets of the segments stay the same.
    #[test]
    fn bytes_before_the_first_segment_are_removed() {
        let (kind, head) = (SegmentKind::Text, None);
        let segment = ArchiveSegment { kind, envelope: 0, range: 4..9, starts: 6..9, number: 0, head };
        let mut batch = Batch { base: 100, segments: vec![segment], ..Batch::default() };
        (batch.buffer, batch.filled) = (b"0123456789".to_vec(), 10);
        batch.begin_at_first_segment();
        assert_eq!((batch.base, batch.bytes()), (104, &b"456789"[..]));
        assert_eq!((&batch.segments[0].range, &batch.segments[0].starts), (&(0..5), &(2..5)));
    }
}
