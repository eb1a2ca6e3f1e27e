//! Splits archives into messages. Archives are mailboxes of every kind, news batches, single messages, and plain text.
//!
//! This module does no I/O and does not parse messages. A [`Slicer`] takes a window of the archive and returns the
//! complete [`ArchiveSegment`]s in it. A [`Splitter`] finds the beginnings of messages. The segments depend only on the
//! bytes of the archive, not on the size of the windows. To add a container format, add a module for its splitter, and
//! an entry in [`FORMATS`].

mod babyl;
mod digest;
mod emlx;
mod format;
mod from_line;
mod git;
mod header;
mod line_cut;
pub(crate) mod line_ends;
mod lines;
mod listserv;
mod mbox;
mod mbx;
mod message;
mod mmdf;
mod page;
mod splitter;

mod dot_stuffing;
mod rnews;
mod segment;
mod slice;
#[cfg(test)]
mod slice_tests;

#[cfg(feature = "outlook")]
pub(crate) use format::MSG;
#[cfg(feature = "outlook")]
pub(crate) use format::PST;
pub(crate) use format::{ARCHIVE, FORMATS, Format, HEAD, MESSAGE, SMIME, TEXT};
pub(crate) use line_cut::LineCut;
pub(crate) use mbox::{counted_begins_at, first_message};
pub(crate) use message::start as message_start;
pub(crate) use page::{begins_card, begins_html};
use splitter::{Boundary, Splitter, Step, Unknown};
pub(crate) use splitter::{LOOKBACK, Window};

pub(crate) use segment::{ArchiveSegment, SegmentKind};
pub(crate) use slice::{Limits, Slicer};
