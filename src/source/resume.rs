//! Which part of a file is read, if an earlier run has read some of it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// How far a mailbox was read. A [`Sink`](crate::Sink::reached) receives it, and a later run
/// [resumes](crate::Hits::resume) there.
///
/// It counts from the beginning of the file, so that a run that resumes gives the same numbers as a run over the whole
/// file.
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
    /// Returns the position with these numbers, as [`offset`](Self::offset), [`end`](Self::end),
    /// [`messages`](Self::messages) and [`lines`](Self::lines) returned them. `None` if `end` is before `offset`.
    #[must_use]
    pub fn new(offset: u64, end: u64, messages: u64, lines: u64) -> Option<Position> {
        (offset <= end).then_some(Position { offset, end, messages, lines })
    }

    /// Returns where the last message begins, in bytes from the beginning of the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns up to where that message was read. It is `offset` if nothing of it was. Everything before was read.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the number of messages before `offset`.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns the number of line breaks before `offset`.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }
}

/// What to read of a file. The function that [`Hits::resume`](crate::Hits::resume) takes returns it.
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
    /// Nothing: an earlier run has read it.
    Skip,
    /// The file, or the rest of it.
    Read {
        /// Where an earlier run ended. `None` reads the whole file. Ignored unless the file is an uncompressed mailbox:
        /// other files are read as a whole.
        from: Option<Position>,
        /// Whether nobody is writing the file. If this is false, the last message of a mailbox is left for a later run,
        /// unless it ends like a complete one. See [`DiagnosticKind::HeldBack`](crate::DiagnosticKind::HeldBack).
        is_settled: bool,
    },
}

/// The function that decides.
#[derive(Clone)]
pub(crate) struct Decide(pub(crate) Arc<dyn Fn(&Path) -> Resume + Send + Sync>);

/// Prints the name only: a closure cannot be printed.
impl fmt::Debug for Decide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decide")
    }
}
