//! Lists directories in a fixed order.

use std::collections::HashSet;
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::natural_sort;
use crate::shared;

/// Returns the time at which a directory was last changed, if it is known.
pub(super) fn changed(directory: &Path) -> Option<SystemTime> {
    fs::metadata(directory).and_then(|data| data.modified()).ok()
}

/// Whether a later change than that at `time` has another time in the metadata.
pub(super) fn is_old(time: &SystemTime) -> bool {
    /// Two changes within this time can have the same time in the metadata.
    const TICK: Duration = Duration::from_millis(20);
    time.elapsed().is_ok_and(|age| age > TICK)
}

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Directory,
    Link,
    Special,
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Kind {
        match kind {
            kind if kind.is_file() => Kind::File,
            kind if kind.is_dir() => Kind::Directory,
            kind if kind.is_symlink() => Kind::Link,
            _ => Kind::Special,
        }
    }
}

/// The names in a directory and the kind of each, in the order of [`natural_sort::compare`]. Most file systems store
/// the kind of a file in the directory. If the kind is not stored there, the file itself is checked.
///
/// All names are in memory. A name takes 24 bytes plus its length.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// All names, joined.
    bytes: Vec<u8>,
    /// The names in reverse order, so that `pop` returns the next name.
    names: Vec<Name>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub(super) kind: Kind,
    /// Inode number of the file. 0 if it is unknown.
    pub(super) inode: u64,
    key: u64,
    start: u32,
    len: u16,
}

impl Listing {
    /// Lists a directory. If an error occurs, returns the error and the names that were listed before the error.
    pub(super) fn of(directory: &Path) -> (Listing, Option<io::Error>) {
        let mut listing = Listing::default();
        let read = fs::read_dir(directory).and_then(|mut entries| entries.try_for_each(|entry| listing.add(&entry?)));
        listing.sort();
        (listing, read.err())
    }

    /// Lists the messages in `cur` or `new` of a Maildir. If a mail program renames a message meanwhile, the list of a
    /// directory can lack the message or have it twice. Such a directory is therefore listed again, at most four times.
    /// `earlier` are messages that can have moved to another directory since they were listed.
    pub(super) fn of_messages(directory: &Path, earlier: &Listing) -> (Listing, Option<io::Error>) {
        let mut before = changed(directory);
        let (mut listing, mut failed) = Listing::of(directory);
        for _ in 0..4 {
            let after = changed(directory);
            if failed.is_some() || before == after && after.as_ref().is_none_or(is_old) {
                break;
            }
            before = after;
            let (again, why) = Listing::of(directory);
            failed = why;
            listing.add_missing(&again);
        }
        listing.add_missing(earlier);
        let unique = |name: &Name| shared::unique_name(name.of(&listing.bytes));
        listing.names.dedup_by(|a, b| a.inode == b.inode && unique(a) == unique(b));
        (listing, failed)
    }

    /// Adds the files of `other` that are not in this listing under any name.
    fn add_missing(&mut self, other: &Listing) {
        if other.names.is_empty() {
            return;
        }
        let known: HashSet<u64> = self.names.iter().map(|name| name.inode).collect();
        for &name in other.names.iter().filter(|name| !known.contains(&name.inode)) {
            if let Ok(start) = u32::try_from(self.bytes.len()) {
                self.bytes.extend_from_slice(other.bytes(name));
                self.names.push(Name { start, ..name });
            }
        }
        self.sort();
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let names = &mut self.names;
        names.sort_unstable_by(|a, b| b.key.cmp(&a.key).then_with(|| natural_sort::compare(b.of(bytes), a.of(bytes))));
    }

    fn add(&mut self, entry: &DirEntry) -> io::Result<()> {
        let kind = match entry.file_type() {
            Ok(kind) => kind.into(),
            // An entry of unknown kind counts as a file. If opening this file also fails, the error is reported.
            Err(_) => Kind::File,
        };
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let start = u32::try_from(self.bytes.len())
            .map_err(|_| io::Error::other("its file names have at least 4 GiB in total"))?;
        let len = u16::try_from(name.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidFilename))?;
        self.bytes.extend_from_slice(name);
        self.names.push(Name { kind, inode: inode(entry), key: natural_sort::key(name), start, len });
        Ok(())
    }

    /// Removes and returns the next name.
    pub(super) fn next(&mut self) -> Option<Name> {
        self.names.pop()
    }

    /// Returns the bytes of a name in this listing.
    pub(super) fn bytes(&self, name: Name) -> &[u8] {
        name.of(&self.bytes)
    }

    /// Returns the path of the entry `name` in `directory`.
    pub(super) fn path(&self, directory: &Path, name: Name) -> PathBuf {
        let mut path = PathBuf::with_capacity(directory.as_os_str().len() + 1 + usize::from(name.len));
        path.push(directory);
        path.push(shared::path(self.bytes(name)));
        path
    }
}

impl Name {
    fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..][..usize::from(self.len)]
    }
}

#[cfg(unix)]
fn inode(entry: &DirEntry) -> u64 {
    std::os::unix::fs::DirEntryExt::ino(entry)
}

#[cfg(not(unix))]
fn inode(_: &DirEntry) -> u64 {
    0
}
