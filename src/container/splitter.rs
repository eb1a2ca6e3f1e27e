//! The interface of a container format: a splitter finds the units of an archive.
//!
//! A unit is a message, or other data that the format delimits, such as a table of contents.

use crate::diagnostic::DiagnosticKind;
use std::ops::Range;

use super::SegmentKind;

/// The part of an archive that is in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'a> {
    pub(crate) bytes: &'a [u8],
    /// Offset of `bytes` in the file.
    pub(crate) base: u64,
    /// Whether the file ends after `bytes`.
    pub(crate) eof: bool,
}

impl<'a> Window<'a> {
    /// Converts `offset`, an offset in the file, to an index in `bytes`.
    pub(super) fn index(self, offset: u64) -> usize {
        (offset - self.base) as usize
    }

    /// Returns the bytes in the range `offsets` of the file.
    pub(super) fn between(self, offsets: Range<u64>) -> &'a [u8] {
        &self.bytes[self.index(offsets.start)..self.index(offsets.end)]
    }
}

/// The beginning of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Boundary {
    /// Index of the first byte of the unit in the window.
    pub(crate) at: usize,
    pub(crate) kind: SegmentKind,
    /// Length in bytes of the envelope, such as a `From ` line.
    pub(crate) envelope: u32,
    /// A problem with the previous unit.
    pub(crate) note: Option<DiagnosticKind>,
}

/// The result of [`Splitter::next`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Cut(Boundary),
    /// No unit begins between the index `from` and the index `decided`. To find the next unit, the splitter needs more
    /// bytes.
    More {
        /// This index is at least `from`, the argument of [`Splitter::next`]. If the file ends with the window,
        /// `decided` is the length of the window.
        decided: usize,
        /// A problem with the last unit of the file.
        note: Option<DiagnosticKind>,
    },
}

/// An error: the window has too few bytes to decide whether a unit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unknown;

/// Finds the units of one archive, from its first byte to its last.
pub(crate) trait Splitter: Send {
    /// Returns the first unit that begins at the index `from` or later.
    ///
    /// - After [`Step::Cut`], `from` must be one byte after the beginning of the unit found. After [`Step::More`],
    ///   `from` must refer to the same byte of the file as `decided`.
    /// - The window must begin at least four bytes before `from`, or at the beginning of the file or of the current
    ///   unit.
    /// - The result must not depend on the length of the window. If the window is too short to find the right unit, the
    ///   splitter must return [`Step::More`], not a later unit.
    /// - To find a unit, a splitter must not need more than `limit` bytes plus a few thousand bytes. `limit` is the
    ///   argument of [`Format::splitter`](super::Format::splitter).
    fn next(&mut self, window: Window<'_>, from: usize) -> Step;

    /// Says that a program may still be writing the file, so its last unit can be incomplete.
    fn expect_growth(&mut self) {}
}

/// Maximum number of bytes before the index `from` that [`Splitter::next`] reads.
pub(crate) const LOOKBACK: u64 = 4;
