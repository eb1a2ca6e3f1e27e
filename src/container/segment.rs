//! Segments, the parts of an archive that are searched independently. A segment is a message or a window of text.

use std::ops::Range;
use std::sync::Arc;

/// The kind of an [`ArchiveSegment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SegmentKind {
    /// A whole message or news article: the envelope line if there is one, the headers, and the body.
    Message,
    /// A window of plain text.
    Text,
    /// Data that a mail program stores besides the messages, such as labels or a table of contents. It is not searched.
    Meta,
    /// A window of bytes that belong to no message, or of a message over the size limit. It is searched as plain text.
    Rest,
}

/// A part of an archive that can be processed on its own.
///
/// The `starts` ranges of all segments cover the archive without gaps or overlaps, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveSegment {
    pub(crate) kind: SegmentKind,
    /// Length in bytes of the envelope at the beginning of `range`. It is a `From ` or `#! rnews` line with its line
    /// end, or a byte order mark. The envelope is not part of the message. 0 if there is no envelope.
    pub(crate) envelope: u32,
    /// Range in the window of the bytes to search.
    pub(crate) range: Range<usize>,
    /// Range in the window in which a URL must begin to count for this segment. The rest of `range` is context, which
    /// belongs to the neighbouring segments. For a message, `starts` is equal to `range`.
    pub(crate) starts: Range<usize>,
    /// Number of the message in the file, starting at 1. 0 if the segment belongs to no message, or if messages are not
    /// numbered.
    pub(crate) number: u64,
    /// The beginning of the message, with its headers, if the segment is the rest of a message over the size limit.
    pub(crate) head: Option<Arc<[u8]>>,
}
