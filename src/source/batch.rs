//! The unit of work for a worker.

use crate::diagnostic::Diagnostic;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use super::Input;
use crate::container::{ArchiveSegment, Slicer, Window, line_ends};

/// Some whole segments of one file, and the bytes around them.
///
/// Each worker makes one, which allocates nothing yet, and refills it, so that the buffers are reused. After a
/// successful [`Stream::next`](super::Stream::next) it has bytes, segments or notes.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The first `filled` bytes are in use. The others are left from earlier, so that they need not be zeroed.
    buffer: Vec<u8>,
    filled: usize,
    /// Whether lines end in CR alone. If so, LF replaces CR in what is read.
    pub(super) lines_end_in_cr: bool,
    /// How many bytes were in use last time.
    used: usize,
    /// The segments, in the order of the file, with ranges in [`Batch::bytes`].
    pub(crate) segments: Vec<ArchiveSegment>,
    /// What was malformed, by offset in the file. A batch may have notes and no segments.
    pub(crate) notes: Vec<Diagnostic>,
    /// Where `bytes` begin in the (decompressed) file. A few bytes or some context may be before the first segment.
    pub(crate) base: u64,
    /// The number of the line in which `bytes` begin, from 1. 0 unless lines are counted.
    pub(crate) line: u64,
    /// The file. `None` in a batch that was never filled.
    pub(crate) file: Option<Arc<Input>>,
}

/// If one read returns this much, the writer is fast, and reading continues. It is half of what a pipe holds.
const PLENTY: usize = 32 << 10;

impl Batch {
    /// Returns the bytes of all segments and their context.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// See [`Format::cuts`].
    pub(crate) fn cuts(&self, message: &[u8], cuts: &mut Vec<Range<usize>>) {
        if let Some(file) = &self.file {
            file.format.cuts(message, cuts);
        }
    }

    /// Empties it. Keeps its buffers, unless they have been far too large for some time.
    pub(crate) fn clear(&mut self) {
        self.segments.clear();
        self.notes.clear();
        self.filled = 0;
        self.base = 0;
        self.line = 0;
        self.file = None;
    }

    /// Begins a new fill with `carry`, in a buffer for about `chunk` bytes.
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

    /// Makes the buffer at least this long. Doubles it, so that growing step by step stays linear.
    fn room(&mut self, len: usize) {
        if self.buffer.len() < len {
            let len = len.max(self.buffer.len().saturating_mul(2).min(len.saturating_add(1 << 20)));
            self.buffer.reserve_exact(len - self.buffer.len());
            self.buffer.resize(len, 0);
        }
    }

    /// Reads until there are `least` bytes, and on up to `target` while each read returns plenty. Returns `false` if
    /// the input ended before.
    pub(super) fn fill(&mut self, reader: &mut dyn Read, least: usize, target: usize) -> io::Result<bool> {
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
                    if n < PLENTY && self.filled >= least {
                        return Ok(true);
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(true)
    }

    /// Sets what lines end in, from the first byte on.
    pub(super) fn set_lines_end_in_cr(&mut self, in_cr: bool) {
        self.lines_end_in_cr = in_cr;
        if in_cr {
            line_ends::to_lf(&mut self.buffer[..self.filled]);
        }
    }

    /// Cuts what has been read. Returns the offset in the file from which the bytes are needed again.
    pub(super) fn slice(&mut self, slicer: &mut Slicer, eof: bool) -> u64 {
        let window = Window { bytes: &self.buffer[..self.filled], base: self.base, eof };
        slicer.slice(window, &mut self.segments, &mut self.notes)
    }

    /// Removes and returns all bytes, because the file must be decompressed first.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let taken = self.bytes().to_vec();
        self.filled = 0;
        taken
    }
}
