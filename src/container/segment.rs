//! Segments, the parts of an archive that are searched independently. A segment is a message or a piece of text.

use std::ops::Range;
use std::sync::Arc;

/// The kind of an [`ArchiveSegment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SegmentKind {
    /// A whole message or news article: the envelope line if there is one, the headers, and the body.
    Message,
    /// A piece of plain text.
    Text,
    /// Data that a mail program stores besides the messages, such as labels or a table of contents. This data is not
    /// searched.
    Meta,
    /// A later part of a message that exceeds the size limit, or bytes that belong to no message. Both are searched as
    /// plain text.
    Rest,
}

/// A part of an archive that can be processed on its own.
///
/// The `starts` ranges of all segments cover the archive without gaps or overlaps, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveSegment {
    pub(crate) kind: SegmentKind,
    /// Length in bytes of the envelope at the beginning of `range`. The envelope is, for example, a `From ` line with
    /// its line end, or a byte order mark. The envelope is not part of the message. The length is 0 if there is no
    /// envelope.
    pub(crate) envelope: u32,
    /// The bytes to search, as a range in the window.
    pub(crate) range: Range<usize>,
    /// The bytes that belong to this segment, as a range in the window. A URL belongs to the segment if it begins in
    /// this range. The other bytes of `range` are context, and belong to the neighbouring segments. For a message,
    /// `starts` is equal to `range`.
    pub(crate) starts: Range<usize>,
    /// Number of the message in the file, starting at 1. The number is 0 if the segment belongs to no message, or if
    /// messages are not numbered.
    pub(crate) number: u64,
    /// The beginning of a message over the size limit, with its headers. Set only if this segment is a later part of
    /// that message.
    pub(crate) head: Option<Arc<[u8]>>,
}
