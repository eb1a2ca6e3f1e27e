//! What a task reads: files, or a part of one file.

use std::ops::Range;
use std::path::PathBuf;

use crate::source::{Archive, Entry, FileEntry, Stamp};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Work {
    /// Whole files.
    Files(Vec<TaskFile>),
    /// The messages of a mailbox that begin in this byte range.
    Messages(TaskFile, Range<u64>),
    /// The members of an archive that begin in this byte range.
    Members(TaskFile, Archive, Range<u64>),
    /// A repository of a public-inbox, and the repositories after it, each with its newest commit. The task returns the
    /// messages of the first repository. The later repositories are listed because their commits can remove messages of
    /// the first repository.
    Inbox(Vec<(PathBuf, String)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct TaskFile {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    /// See [`FileEntry::message`].
    pub(super) message: bool,
    /// See [`FileEntry::named`].
    pub(super) named: bool,
    /// See [`FileEntry::member`].
    pub(super) member: Option<Vec<u8>>,
}

impl TaskFile {
    fn entry(&self) -> Entry {
        let TaskFile { path, stamp, message, named, member } = self.clone();
        let (size, stamp) = (Some(stamp.size), Some(stamp));
        Entry::File(FileEntry { path, size, message, named, member, stamp, ..FileEntry::default() })
    }
}

impl Work {
    pub(super) fn entries(&self) -> Vec<Entry> {
        match self {
            Work::Files(files) => files.iter().map(TaskFile::entry).collect(),
            Work::Messages(file, _) | Work::Members(file, ..) => vec![file.entry()],
            Work::Inbox(repositories) => {
                vec![Entry::Inbox(repositories.iter().map(|(path, _)| path.clone()).collect())]
            }
        }
    }
}
