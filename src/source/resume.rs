//! Resumes a file that an earlier run has read in part.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// How far a mailbox was read. [`Event::Reached`](crate::Event::Reached) has this position, and a later run can
/// [resume](crate::Hits::resume) from it.
///
/// All numbers count from the start of the file. A run that resumes a file therefore reports the same numbers as a run
/// that reads the whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// The offset of the last message that the run found, in bytes from the beginning of the file.
    pub offset: u64,
    /// The offset of the first byte of the file that the run did not read. This byte is in the message at `offset`, or
    /// directly after this message. If the run did not read any part of this message, `end` is equal to `offset`.
    pub end: u64,
    /// The number of messages before the message at `offset`.
    pub messages: u64,
    /// The number of line breaks before the message at `offset`.
    pub lines: u64,
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
