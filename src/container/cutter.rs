//! What a container format has to know: where the next message begins.

use crate::diagnostic::DiagnosticKind;
use std::ops::Range;

use super::PieceKind;

/// The part of an archive that is in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window<'a> {
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
    /// Where they begin, in bytes from the beginning of the file.
    pub(crate) base: u64,
    /// Whether the file ends where they end.
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

/// A place where something begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The first byte, as an index into the window.
    pub(crate) at: usize,
    /// What begins there.
    pub(crate) kind: PieceKind,
    /// Bytes of the envelope line that begins there.
    pub(crate) envelope: u32,
    /// What was odd about the unit that ends there.
    pub(crate) note: Option<DiagnosticKind>,
}

/// What a [`Cutter`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The next unit begins here.
    Cut(Mark),
    /// Nothing begins before this index; to say more takes more bytes, if there are any.
    More {
        /// At least the index that was asked about, and the window's length if the file ends there.
        decided: usize,
        /// What is odd about the unit that ends with the file.
        note: Option<DiagnosticKind>,
    },
}

/// There are too few bytes to tell; there may be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unknown;

/// Finds where the units of one archive begin, from its first byte to its last.
pub(crate) trait Cutter: Send {
    /// The first unit that begins at the index `from` or later.
    ///
    /// Calls go forward through the file: `from` is where an earlier answer left off (one past a [`Mark`], or what was
    /// `decided`). The window goes back to the beginning of the unit that is open, or at least four bytes
    /// before `from`, or to the beginning of the file. The answer must not depend on how much of the file beyond it is
    /// in the window, except that it may be [`Step::More`]; and a cutter must be able to decide with a few thousand
    /// bytes beyond the size limit it was made with.
    fn next(&mut self, window: Window<'_>, from: usize) -> Step;
}

/// How many bytes before the place in question a cutter can count on.
pub(crate) const LOOKBACK: u64 = 4;
