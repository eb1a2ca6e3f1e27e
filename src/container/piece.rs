//! The unit of work: a message, or a window of text.

use std::ops::Range;
use std::sync::Arc;

/// What a [`Piece`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PieceKind {
    /// A whole message or news article: envelope line if any, headers, body.
    Message,
    /// A window of plain text.
    Text,
    /// What a program keeps beside the messages, such as labels or a table of contents: not looked at.
    Meta,
    /// A window of bytes that belong to no message, or to a message beyond the size limit; read as plain text.
    Rest,
}

/// A part of an archive that can be worked on by itself.
///
/// The `starts` of all pieces, in order, tile the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// What it is.
    pub(crate) kind: PieceKind,
    /// Bytes of the `From ` or `#! rnews` line at the beginning of `range`, its line end included, or of a byte order mark:
    /// not part of the message. 0 if there is none.
    pub(crate) envelope: u32,
    /// The bytes to look at, in the window that was cut.
    pub(crate) range: Range<usize>,
    /// Where a finding must begin to count for this piece. The rest of `range` is context that the neighbouring window
    /// counts. The same as `range` for messages.
    pub(crate) starts: Range<usize>,
    /// Which message of the file it is, from 1, or is the rest of; 0 for what belongs to no message.
    pub(crate) number: u64,
    /// For the rest of a message over the size limit: how the message begins, headers first.
    pub(crate) head: Option<Arc<[u8]>>,
}
