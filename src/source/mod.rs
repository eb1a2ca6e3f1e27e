//! The only module that reads files: it walks directories, opens and decompresses files, and fills batches.
//!
//! A [`Walk`] lists the inputs in a fixed order. A [`Stream`] reads one input. A [`Batch`] is the unit of work for a
//! worker, and its buffers are reused. Batches are filled under a lock. So filling does as little as possible: it reads
//! into the batch's own buffer and searches it once for the beginnings of messages.

mod batch;
mod binary;
mod entry;
mod filter;
mod inbox;
mod input;
#[cfg(not(feature = "compression"))]
mod layer;
mod layout;
mod listing;
mod magic;
mod member;
mod natural_sort;
mod resume;
mod seek;
mod sfx_prefix;
mod shard;
mod stream;
#[cfg(test)]
mod stream_tests;
mod tree;
#[cfg(feature = "compression")]
mod unpack;
mod utf16;
mod walk;
#[cfg(test)]
mod walk_tests;

pub(crate) use batch::Batch;
pub(crate) use entry::{Entry, member_of, unopened};
pub(crate) use filter::FileFilter;
pub use input::{DetectedBy, Input};
pub use layout::SkipReason;
pub use magic::Codec;
pub(crate) use resume::Decide;
pub use resume::{Position, Resume};
pub use shard::Shard;
pub(crate) use stream::{Stream, StreamEvent};
pub(crate) use tree::{Id, id};
pub(crate) use walk::Walk;

use std::ops::Range;

use crate::container::{Format, Limits};

/// How inputs are found and read.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The container format of every file. Detected for each file from its content if `None`.
    pub(crate) format: Option<&'static Format>,
    /// Whether symbolic links in directories are followed.
    pub(crate) follow: bool,
    /// Where a file is cut. `limits.message` is the largest message that is one piece.
    pub(crate) limits: Limits,
    /// About how many bytes to read for a batch. Affects speed only, not the results.
    pub(crate) chunk: usize,
    /// Whether to count lines, for [`Batch::line`].
    pub(crate) count_lines: bool,
    /// Only messages that begin in this range of their file are read. `None` means all.
    pub(crate) range: Option<Range<u64>>,
    /// The share of the files to read. `None` means all.
    pub(crate) shard: Option<Shard>,
    /// The file that results are written to. It is not read.
    pub(crate) output: Option<Id>,
    /// Which files in directories are read. `None` means all.
    pub(crate) filter: Option<FileFilter>,
    /// Whether plain text is skipped.
    pub(crate) mail_only: bool,
    /// Decides which part of each file is read. `None` means all.
    pub(crate) resume: Option<Decide>,
}

impl Default for Options {
    /// Detected formats, links not followed, 256 KiB for a batch, lines not counted, all of every file.
    fn default() -> Options {
        Options {
            format: None,
            follow: false,
            limits: Limits::default(),
            chunk: 256 << 10,
            count_lines: false,
            range: None,
            shard: None,
            output: None,
            filter: None,
            mail_only: false,
            resume: None,
        }
    }
}
