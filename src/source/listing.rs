//! Lists directories in a fixed order.

use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::natural_sort;
use crate::shared;

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
        let bytes = &listing.bytes;
        listing
            .names
            .sort_unstable_by(|a, b| b.key.cmp(&a.key).then_with(|| natural_sort::compare(b.of(bytes), a.of(bytes))));
        (listing, read.err())
    }

    fn add(&mut self, entry: &DirEntry) -> io::Result<()> {
        let kind = match entry.file_type() {
            Ok(kind) => kind.into(),
            // The file was removed or renamed after the directory was read. Mail programs often rename files.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
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
