//! Cuts archives: mailboxes of every kind, news batches, single messages, plain text.
//!
//! This module does no I/O and does not look inside messages. A [`Slicer`] takes a window of the archive and returns
//! the complete [`ArchiveSegment`]s in it. A [`Splitter`] tells it where messages begin. The segments depend on the bytes of the
//! archive alone, never on how they arrived. A new container is one file and one row in [`FORMATS`].

mod babyl;
mod digest;
mod emlx;
mod format;
mod from_line;
mod git;
mod header;
pub(crate) mod line_ends;
mod lines;
mod listserv;
mod mbox;
mod message;
mod mmdf;
mod splitter;

mod dot_stuffing;
mod rnews;
mod segment;
mod slice;

pub(crate) use format::{ARCHIVE, FORMATS, Format, HEAD, MESSAGE, TEXT};
pub(crate) use mbox::first_message;
pub(crate) use message::start as message_start;
use splitter::{Boundary, Splitter, Step, Unknown};
pub(crate) use splitter::{LOOKBACK, Window};

pub(crate) use segment::{ArchiveSegment, SegmentKind};
pub(crate) use slice::{Limits, Slicer};
