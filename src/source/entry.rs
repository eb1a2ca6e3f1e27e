//! What a walk gives: something to read, or the reason why it is not read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::convention::SkipReason;
use crate::error::Error;

/// One thing to read, or the reason why it cannot be.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A file.
    File(FileEntry),
    /// Standard input, named `-`.
    Stdin,
    /// Something that is not read, and why.
    Skipped(PathBuf, SkipReason),
    /// Something that cannot be read.
    Problem(Error),
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileEntry {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its size in bytes, when it was found, or a guess at that where each file is one message; `None` for a pipe or
    /// device that was named.
    pub(crate) size: Option<u64>,
    /// Whether it lies where each file is one message: in a Maildir, or, as in an MH folder or a news spool, under a name
    /// of digits only. It is then read as a message where it would otherwise have been taken for text.
    pub(crate) message: bool,
}

impl Entry {
    /// Its size, if it is handed out in groups: a small file, or nothing to read at all.
    pub(crate) fn small_size(&self) -> Option<u64> {
        match self {
            Entry::File(input) => input.size.filter(|&size| size <= SMALL_FILE),
            Entry::Stdin => None,
            Entry::Skipped(..) | Entry::Problem(_) => Some(0),
        }
    }
}

/// A larger file is handed out by itself.
pub(super) const SMALL_FILE: u64 = 64 << 10;
/// What is told of a path that leads to nothing that could be opened.
pub(crate) fn unopened(path: &Path, reason: io::Error) -> Error {
    match fs::read_link(path) {
        Ok(target) if reason.kind() == io::ErrorKind::NotFound => Error::dangling(path, target, reason),
        _ => Error::open(path, reason),
    }
}
