//! The unit of work: a message, or a window of text.

use std::ops::Range;
use std::sync::Arc;

/// The kind of an [`ArchiveSegment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SegmentKind {
    /// A whole message or news article: envelope line if it has one, headers, body.
    Message,
    /// A window of plain text.
    Text,
    /// What a program stores beside the messages, such as labels or a table of contents. It is skipped.
    Meta,
    /// A window of bytes that belong to no message, or to a message over the size limit. It is read as plain text.
    Rest,
}

/// A part of an archive that can be processed on its own.
///
/// The `starts` of all segments, in order, tile the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveSegment {
    /// Its kind.
    pub(crate) kind: SegmentKind,
    /// The length in bytes of the `From ` or `#! rnews` line at the beginning of `range`, with its line end, or of a
    /// byte order mark. It is not part of the message. 0 if there is none.
    pub(crate) envelope: u32,
    /// The bytes to search, in the window that was cut.
    pub(crate) range: Range<usize>,
    /// A hit counts for this segment only if it begins here. The rest of `range` is context, which counts for the
    /// neighbouring segment. For messages it is the same as `range`.
    pub(crate) starts: Range<usize>,
    /// The number of the message in the file, from 1. 0 if the segment belongs to no message.
    pub(crate) number: u64,
    /// For the rest of a message over the size limit: the beginning of the message, with its headers.
    pub(crate) head: Option<Arc<[u8]>>,
}
