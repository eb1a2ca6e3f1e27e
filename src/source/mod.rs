//! The only room that reads: it walks directories, opens files, undoes compression, and fills batches.
//!
//! A [`Walk`] says what there is to read, in a fixed order; a [`Stream`] reads one input; a [`Batch`] is what a worker
//! gets of it, and lends its buffers again and again. Filling a batch is meant to be done under a lock: it reads into the
//! batch's own buffer and searches it once for the beginnings of messages, nothing else.

mod batch;
mod convention;
mod entry;
mod input;
#[cfg(not(feature = "compression"))]
mod layer;
mod listing;
mod magic;
mod member;
mod order;
mod seek;
mod shard;
mod stream;
#[cfg(test)]
mod stream_tests;
mod stub;
mod tree;
#[cfg(feature = "compression")]
mod unpack;
mod walk;
#[cfg(test)]
mod walk_tests;
mod wide;

pub(crate) use batch::Batch;
pub use convention::SkipReason;
pub(crate) use entry::{Entry, unopened};
pub use input::{DetectedBy, Input};
pub use magic::Codec;
pub use shard::Shard;
pub(crate) use stream::{Given, Stream};
pub(crate) use tree::{Id, id};
pub(crate) use walk::Walk;

use std::ops::Range;

use crate::container::{Format, Limits};

/// How inputs are found and read.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The container format of every file; found out for each from its content if `None`.
    pub(crate) format: Option<&'static Format>,
    /// Whether symbolic links in directories are followed.
    pub(crate) follow: bool,
    /// Where a file is cut; `limits.message` is the largest message taken as one.
    pub(crate) limits: Limits,
    /// About how many bytes to read for a batch. Chooses speed, never what is found.
    pub(crate) chunk: usize,
    /// Whether to count lines, for [`Batch::line`].
    pub(crate) count_lines: bool,
    /// Where a message has to begin to be read, in bytes of its file; anywhere if `None`.
    pub(crate) range: Option<Range<u64>>,
    /// Which files of all; every one if `None`.
    pub(crate) shard: Option<Shard>,
    /// A file that is not read: what is found is written to it.
    pub(crate) output: Option<Id>,
}

impl Default for Options {
    /// Detected formats, links not followed, 256 KiB at a time, lines not counted, all of every file.
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
        }
    }
}
