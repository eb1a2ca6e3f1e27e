//! The interface of a container format: where does the next message begin?

use crate::diagnostic::DiagnosticKind;
use std::ops::Range;

use super::SegmentKind;

/// The part of an archive that is in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'a> {
    /// The bytes in memory.
    pub(crate) bytes: &'a [u8],
    /// Their offset in the file.
    pub(crate) base: u64,
    /// Whether the file ends after these bytes.
    pub(crate) eof: bool,
}

impl<'a> Window<'a> {
    /// The index of the byte at `offset` of the file.
    pub(super) fn index(self, offset: u64) -> usize {
        (offset - self.base) as usize
    }

    /// The bytes at `offsets` of the file.
    pub(super) fn between(self, offsets: Range<u64>) -> &'a [u8] {
        &self.bytes[self.index(offsets.start)..self.index(offsets.end)]
    }
}

/// The beginning of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Boundary {
    /// The first byte, as an index into the window.
    pub(crate) at: usize,
    /// The kind of the unit.
    pub(crate) kind: SegmentKind,
    /// The length of its envelope line, in bytes.
    pub(crate) envelope: u32,
    /// What was malformed about the unit before it.
    pub(crate) note: Option<DiagnosticKind>,
}

/// What a [`Splitter`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The next unit begins here.
    Cut(Boundary),
    /// No unit begins before this index. The splitter needs more bytes to say more.
    More {
        /// At least the index that was passed in. The window's length if the file ends there.
        decided: usize,
        /// What is malformed about the unit that ends with the file.
        note: Option<DiagnosticKind>,
    },
}

/// The window has too few bytes to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unknown;

/// Finds where the units of one archive begin, from its first byte to its last.
pub(crate) trait Splitter: Send {
    /// Returns the first unit that begins at the index `from` or later.
    ///
    /// - Calls go forward through the file: `from` is where an earlier call stopped, one past a [`Boundary`] or at
    ///   `decided`.
    /// - The window begins at or before the open unit, or at least four bytes before `from`, or at the beginning of the
    ///   file.
    /// - The result must not depend on how much the window holds beyond it, except that it may be [`Step::More`].
    /// - A splitter must be able to decide with a few thousand bytes beyond the size limit it was made with.
    fn next(&mut self, window: Window<'_>, from: usize) -> Step;
}

/// How many bytes before `from` a splitter can count on.
pub(crate) const LOOKBACK: u64 = 4;
