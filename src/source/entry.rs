//! The result of a walk: something to read, or the reason why it is skipped.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::layout::SkipReason;
use crate::error::Error;

/// One thing to read, or the reason why it is not read.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A file.
    File(FileEntry),
    /// The git repositories of an inbox, or of something else.
    Inbox(Vec<PathBuf>),
    /// Standard input, named `-`.
    Stdin,
    /// Something that is skipped, and why.
    Skipped(PathBuf, SkipReason),
    /// Something that cannot be read.
    Problem(Error),
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileEntry {
    /// Its path.
    pub(crate) path: PathBuf,
    /// Its size in bytes when it was found. A guess if it is in a place where each file is one message. `None` for a
    /// pipe or device that was named.
    pub(crate) size: Option<u64>,
    /// Whether it is in a place where each file is one message: in a Maildir, or under a name of digits only, as in an
    /// MH folder or a news spool. Then it is read as a message where its content alone would make it text.
    pub(crate) message: bool,
    /// Whether the path was named, not found in a directory.
    pub(crate) named: bool,
    /// The only member to read of it, if it is an archive: its name, with those of the archives that it is in before it.
    pub(crate) member: Option<Vec<u8>>,
    /// Whether a walk found it in a directory and does not follow links.
    pub(crate) listed: bool,
}

impl FileEntry {
    /// Opens it. Returns the reason if it is skipped: since it was found, another process may have put a link or a pipe
    /// in its place.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub(super) fn open(&self) -> io::Result<Result<File, SkipReason>> {
        if self.size.is_none() {
            return File::open(&self.path).map(Ok);
        }
        match open_file(&self.path, self.listed) {
            Ok(file) if file.metadata()?.is_file() => Ok(Ok(file)),
            Ok(_) => Ok(Err(SkipReason::Special)),
            Err(_) if self.listed && fs::symlink_metadata(&self.path).is_ok_and(|data| data.is_symlink()) => {
                Ok(Err(SkipReason::Link))
            }
            // A socket.
            Err(_) if fs::symlink_metadata(&self.path).is_ok_and(|data| !data.is_file() && !data.is_symlink()) => {
                Ok(Err(SkipReason::Special))
            }
            Err(error) => Err(error),
        }
    }
}

/// Opens what should be a regular file, without waiting for a writer if it is a pipe. `listed`: fails if it is a symbolic
/// link.
#[cfg(unix)]
pub(super) fn open_file(path: &Path, listed: bool) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = libc::O_NONBLOCK | if listed { libc::O_NOFOLLOW } else { 0 };
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Opens what should be a regular file.
#[cfg(not(unix))]
pub(super) fn open_file(path: &Path, _: bool) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

impl Entry {
    /// Returns its size if it goes into a group: a small file, or an entry with nothing to read.
    pub(crate) fn small_size(&self) -> Option<u64> {
        match self {
            Entry::File(input) => input.size.filter(|&size| size <= SMALL_FILE),
            Entry::Inbox(_) | Entry::Stdin => None,
            Entry::Skipped(..) | Entry::Problem(_) => Some(0),
        }
    }
}

/// The largest file that goes into a group.
pub(super) const SMALL_FILE: u64 = 64 << 10;

/// Splits a path that names a member of an archive, as `archive.zip!mh/inbox/2`: the path of the archive, and the member.
/// `None` if nothing before a `!` is a file.
pub(crate) fn member_of(path: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let name = path.as_os_str().as_encoded_bytes();
    memchr::memchr_iter(b'!', name).find_map(|at| {
        let archive = prefix(path, at)?;
        archive.is_file().then(|| (archive.into(), name[at + 1..].to_vec()))
    })
}

/// Returns the first `length` bytes of a path. `None` if they are not a path on this system.
#[cfg(unix)]
pub(super) fn prefix(path: &Path, length: usize) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    Some(Path::new(std::ffi::OsStr::from_bytes(&path.as_os_str().as_bytes()[..length])))
}

#[cfg(not(unix))]
pub(super) fn prefix(path: &Path, length: usize) -> Option<&Path> {
    Some(Path::new(&path.to_str()?[..length]))
}

/// Makes the error for a path that could not be opened.
pub(crate) fn unopened(path: &Path, reason: io::Error) -> Error {
    match fs::read_link(path) {
        Ok(target) if reason.kind() == io::ErrorKind::NotFound => Error::dangling(path, target, reason),
        _ => Error::open(path, reason),
    }
}
