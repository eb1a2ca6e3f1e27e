//! Resumes a file that an earlier run has read in part.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// How far a mailbox was read. [`Event::Reached`](crate::Event::Reached) has this position, and a later run can
/// [resume](crate::Hits::resume) from it.
///
/// All numbers count from the start of the file. A run that resumes a file therefore reports the same numbers as a run
/// that reads the whole file.
///
/// ```
/// use urlspool::Position;
///
/// let position = Position::new(70, 140, 1, 5).unwrap();
/// assert_eq!((position.offset(), position.messages()), (70, 1));
/// assert_eq!(Position::new(140, 70, 1, 5), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) messages: u64,
    pub(crate) lines: u64,
}

impl Position {
    /// Makes a position from the values that [`offset`](Self::offset), [`end`](Self::end), [`messages`](Self::messages)
    /// and [`lines`](Self::lines) returned. Returns `None` if `end` is less than `offset`.
    #[must_use]
    pub fn new(offset: u64, end: u64, messages: u64, lines: u64) -> Option<Position> {
        (offset <= end).then_some(Position { offset, end, messages, lines })
    }

    /// Returns the offset of the last message that the run found, in bytes from the beginning of the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the offset of the first byte of the file that the run did not read. This byte is in the message at
    /// [`offset`](Self::offset), or directly after this message. If the run did not read any part of this message, the
    /// result is equal to [`offset`](Self::offset).
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the number of messages before the message at [`offset`](Self::offset).
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns the number of line breaks before the message at [`offset`](Self::offset).
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }
}

/// Which part of a file to read. The function passed to [`Hits::resume`](crate::Hits::resume) returns this value.
///
/// ```
/// use urlspool::{Extractor, Resume};
///
/// let mut hits = Extractor::new().paths(["corpus/maildir"]).resume(|_| Resume::Skip);
/// assert!(hits.next().is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resume {
    /// Skips the file, because an earlier run has read it.
    Skip,
    /// Reads the whole file, or the part that earlier runs have not read.
    Read {
        /// The position at which an earlier run ended. `None` reads the whole file. Only uncompressed mailboxes can be
        /// resumed: other files are always read as a whole.
        from: Option<Position>,
        /// Set this to `true` if no program is writing to the file. If it is `false`, the last message of a mailbox is
        /// left for a later run, unless that message is certainly complete. See
        /// [`DiagnosticKind::HeldBack`](crate::DiagnosticKind::HeldBack).
        is_settled: bool,
    },
}

/// A function that decides which part of a file to read.
#[derive(Clone)]
pub(crate) struct Decide(pub(crate) Arc<dyn Fn(&Path) -> Resume + Send + Sync>);

/// Prints `Decide`, because a closure cannot be printed.
impl fmt::Debug for Decide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decide")
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn a_position_is_made_of_its_numbers() {
        let position = Position::new(70, 140, 3, 5).expect("a position");
        let numbers = [position.offset(), position.end(), position.messages(), position.lines()];
        assert_eq!(numbers, [70, 140, 3, 5]);
        assert_eq!(Position::new(70, 69, 1, 5), None);
    }
}
