//! Finds and reads inputs. This module walks directories, opens and decompresses files, and reads them batch by batch.
//!
//! A [`Walk`] lists the inputs in a fixed order. A [`Stream`] reads one input. A [`Batch`] has several messages, or a
//! piece of text. Each worker thread fills a batch and then searches it. A worker needs a lock to fill its batch, so
//! only one worker can fill a batch at any time. All workers can search at the same time. Filling is therefore kept
//! cheap: a worker only reads bytes and finds the beginnings of messages.

mod batch;
mod binary;
#[cfg(feature = "tasks")]
mod divide;
mod entry;
mod filter;
#[cfg(feature = "outlook")]
mod folders;
mod inbox;
mod input;
mod layout;
mod listing;
mod member;
mod natural_sort;
mod paths;
mod resume;
mod seek;
mod shard;
mod stream;
#[cfg(test)]
mod stream_tests;
#[cfg(feature = "tasks")]
mod tar_cuts;
mod tree;
mod unpack;
mod walk;
#[cfg(test)]
mod walk_tests;
#[cfg(feature = "tasks")]
mod zip_cuts;

pub(crate) use batch::Batch;
#[cfg(feature = "tasks")]
pub(crate) use divide::{Archive, Division, divide};
pub(crate) use entry::{Entry, Present, SMALL_FILE, member_of, unopened};
#[cfg(feature = "tasks")]
pub(crate) use entry::{FileEntry, Stamp};
pub(crate) use filter::FileFilter;
#[cfg(feature = "tasks")]
pub(crate) use inbox::head as inbox_head;
pub(crate) use input::DetectedBy;
pub use input::Input;
pub use layout::SkipReason;
pub(crate) use paths::Paths;
pub(crate) use resume::Decide;
pub use resume::{Position, Resume};
pub(crate) use shard::Shard;
pub(crate) use stream::{Part, Parts, Stream, StreamEvent};
pub(crate) use tree::{Id, id};
#[cfg(all(test, feature = "compression"))]
pub(crate) use unpack::tests::tar;
pub(crate) use walk::Walk;
#[cfg(test)]
pub(crate) use walk_tests::Temp;

use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::container::{Format, Limits};
use crate::magic::Kind;

/// Options for finding and reading inputs.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The container format of every file. If this is `None`, the format of each file is detected.
    pub(crate) format: Option<&'static Format>,
    /// Whether symbolic links in directories are followed.
    pub(crate) follow: bool,
    /// Size limits of the segments. A message is cut only if it is larger than `limits.message`.
    pub(crate) limits: Limits,
    /// Approximate number of bytes to read for a batch. The number affects speed, not results.
    pub(crate) chunk: usize,
    /// Whether to count lines. If this is `false`, [`Batch::line`] is 0.
    pub(crate) count_lines: bool,
    /// Only messages that begin in this range of their file are read. `None` reads all messages.
    pub(crate) range: Option<Range<u64>>,
    /// Whether lines and messages are numbered from the first message in `range`, not from the beginning of the file.
    pub(crate) is_relative: bool,
    /// The kind of an archive, and a range of the file. Only members that begin in this range are read. `None` reads
    /// all members.
    pub(crate) members: Option<(Kind, Range<u64>)>,
    /// For a public-inbox, the newest commit of each repository, as recorded in the manifest. If this is not `None`,
    /// only the messages of the first repository are read. The other repositories are searched only for commits that
    /// remove messages of the first repository.
    pub(crate) heads: Option<Vec<String>>,
    /// The share of the files to read. `None` reads all files.
    pub(crate) shard: Option<Shard>,
    /// The files to which the results are written. These files are not read.
    pub(crate) outputs: Vec<Id>,
    /// Decides which files in directories are read. `None` reads all files.
    pub(crate) filter: Option<FileFilter>,
    /// Whether files that are not mail are skipped.
    pub(crate) mail_only: bool,
    /// Decides which part of each file is read. `None` reads the whole file.
    pub(crate) resume: Option<Decide>,
    /// Where a message of a Maildir is looked for that was renamed.
    pub(crate) present: Arc<Mutex<Present>>,
}

impl Default for Options {
    /// By default, formats are detected, symbolic links are not followed, lines are not counted, and every file is read
    /// completely. About 256 KiB are read for a batch.
    fn default() -> Options {
        Options {
            format: None,
            follow: false,
            limits: Limits::default(),
            chunk: 256 << 10,
            count_lines: false,
            range: None,
            is_relative: false,
            members: None,
            heads: None,
            shard: None,
            outputs: Vec::new(),
            filter: None,
            mail_only: false,
            resume: None,
            present: Arc::default(),
        }
    }
}
