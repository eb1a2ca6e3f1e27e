//! The bytes of an input that stay in memory from one batch to the next, and their place in the input.

use std::io::{self, Read};
use std::ops::Range;

use memchr::memchr_iter;

use crate::source::{Batch, Options};

/// The bytes that were read but are in no segment yet. The invariants hold between two fills. During a fill, the batch
/// has the bytes of `carry`, and the bytes that were read after them.
pub(super) struct Window {
    /// The bytes of the input from `base` up to the next byte that [`read`](Self::read) returns.
    pub(super) carry: Vec<u8>,
    /// Offset of `carry` in the input. All bytes before this offset are in segments that were returned, or in no wanted
    /// segment. Only [`restart`](Self::restart) makes the offset smaller.
    pub(super) base: u64,
    /// Number of the line in which `carry` begins: 1 plus the number of line breaks before `base`. If lines are counted
    /// from the wanted range, only the line breaks after the beginning of the range count. Not kept up to date if lines
    /// are not counted.
    pub(super) line: u64,
    /// Whether no byte follows `carry`: the input has ended, reading has failed, or the rest is not wanted.
    pub(super) eof: bool,
    /// The error that set `eof`. Only a layer that was added after the error resets `eof` and keeps the error: the
    /// layer decodes the bytes that were read before the error.
    pub(super) failed: Option<io::Error>,
    /// Whether the bytes before `base` are only white space.
    is_blank: bool,
    /// Whether the lines of the input end in CR alone. If so, `carry` has LF in place of each CR.
    pub(super) lines_end_in_cr: bool,
    /// Whether the first segment of the wanted range is still to be returned, and its first line gets the number 1.
    is_before_range: bool,
}

impl Window {
    pub(super) fn new(options: &Options) -> Window {
        Window {
            carry: Vec::new(),
            base: 0,
            line: 1,
            eof: false,
            failed: None,
            is_blank: true,
            lines_end_in_cr: false,
            is_before_range: options.is_relative && options.range.as_ref().is_some_and(|range| range.start > 0),
        }
    }

    /// Moves to the first byte of another input.
    pub(super) fn restart(&mut self) {
        self.carry.clear();
        self.base = 0;
        self.line = 1;
        self.eof = false;
        self.is_blank = true;
        self.lines_end_in_cr = false;
    }

    /// Reads no more bytes of the input. A read error of an input that is skipped, or that has another error, must not
    /// be reported for the next input.
    pub(super) fn stop(&mut self) {
        self.eof = true;
        self.failed = None;
    }

    /// Begins a fill: moves the carried bytes to `batch`. Returns the number of bytes that the batch should have before
    /// it is sliced.
    pub(super) fn open(&mut self, batch: &mut Batch, options: &Options) -> usize {
        batch.begin(&self.carry, options.chunk.max(1));
        batch.set_lines_end_in_cr(self.lines_end_in_cr);
        batch.base = self.base;
        batch.line = if options.count_lines { self.line } else { 0 };
        self.carry.clear();
        options.chunk.max(batch.bytes().len().saturating_add(step(options)))
    }

    /// Reads until `batch` has a number of bytes in `sizes`. See [`Batch::fill`].
    pub(super) fn read(&mut self, batch: &mut Batch, from: &mut dyn Read, sizes: Range<usize>, is_quiet: fn() -> bool) {
        match batch.fill(from, sizes.start, sizes.end, is_quiet) {
            Ok(more) => self.eof = !more,
            Err(error) => {
                self.eof = true;
                self.failed = Some(error);
            }
        }
    }

    /// If `batch` has the first segment of the wanted range, removes the bytes before this segment, and counts lines
    /// from there. `keep` is the offset from which bytes are kept for the next batch. Returns the new offset.
    pub(super) fn begin_range(&mut self, batch: &mut Batch, keep: u64) -> u64 {
        if !self.is_before_range || batch.segments.is_empty() {
            return keep;
        }
        batch.begin_at_first_segment();
        batch.line = batch.line.min(1);
        self.is_before_range = false;
        self.line = 1;
        keep.max(batch.base)
    }

    /// Returns the number of line breaks before `offset`, which is in `batch`.
    pub(super) fn lines_before(&self, batch: &[u8], base: u64, offset: u64) -> u64 {
        self.line - 1 + memchr_iter(b'\n', &batch[..(offset - base) as usize]).count() as u64
    }

    /// Ends a fill: keeps the bytes of `batch` from the offset `keep`.
    pub(super) fn keep(&mut self, batch: &Batch, keep: u64, count_lines: bool) {
        let (before, carry) = batch.bytes().split_at((keep - batch.base) as usize);
        self.is_blank = self.is_blank && before.trim_ascii().is_empty();
        self.carry.extend_from_slice(carry);
        self.base = keep;
        if count_lines {
            self.line += memchr_iter(b'\n', before).count() as u64;
        }
    }

    /// Whether the whole input is white space. `batch` has the last bytes of the input.
    pub(super) fn is_all_blank(&self, batch: &Batch) -> bool {
        self.is_blank && batch.bytes().trim_ascii().is_empty()
    }
}

/// Number of bytes by which a batch grows if its bytes are not enough for a segment.
pub(super) fn step(options: &Options) -> usize {
    (options.chunk.max(1) / 8).max(1)
}
