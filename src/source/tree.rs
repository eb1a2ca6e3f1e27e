//! Lists directory trees, entry by entry.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::entry::{Entry, FileEntry, SMALL_FILE, unopened};
use super::filter::FileFilter;
use super::inbox;
use super::layout::{DirectoryKind, SkipReason, is_number, skipped, unpacked};
use super::listing::{Kind, Listing, Name, os};
use crate::error::Error;

/// Trees that are walked one after the other. A file with several names is returned once.
///
/// The names in a directory are in memory while it is walked, and about one bit for each file, to recognize its other
/// names. Most files that are one message by convention are not checked before they are read, because that would cost
/// as much as opening them. Their size is guessed, and their inode is read from the directory.
pub(super) struct Tree {
    /// The directories that lead to the next entry, beginning with the root.
    levels: Vec<Level>,
    pub(super) rules: Rules,
    seen: SeenFiles,
}

/// What a caller wants of a tree.
pub(super) struct Rules {
    /// Whether symbolic links are followed.
    follow: bool,
    pub(super) filter: Option<FileFilter>,
}

impl Rules {
    /// Returns what the filter says of a path. `None` if it says nothing.
    fn choose(&self, path: &Path, is_directory: bool) -> Option<bool> {
        self.filter.as_ref().and_then(|filter| filter.choose(path, is_directory))
    }

    /// Returns the entry for the inbox at `path`, without the repositories that the filter excludes.
    pub(super) fn inbox(&self, path: PathBuf, mut repositories: Vec<PathBuf>) -> Entry {
        repositories.retain(|repository| self.choose(repository, true) != Some(false));
        if repositories.is_empty() { Entry::Skipped(path, SkipReason::Excluded) } else { Entry::Inbox(repositories) }
    }

    /// Whether the path is the name of a compressed file, and the same file is beside it, is not compressed and is read
    /// itself. An empty file is what a failed decompression leaves.
    fn has_twin(&self, path: &Path, name: &[u8]) -> bool {
        let Some(unpacked) = unpacked(name) else { return false };
        let twin = path.with_file_name(os(unpacked));
        let data = if self.follow { fs::metadata(&twin) } else { fs::symlink_metadata(&twin) };
        data.is_ok_and(|data| data.is_file() && data.len() > 0) && self.choose(&twin, false) != Some(false)
    }
}

/// A directory that is being walked.
struct Level {
    path: PathBuf,
    place: DirectoryKind,
    id: Option<Id>,
    listing: Listing,
    /// The error that ended the listing early.
    failed: Option<io::Error>,
    /// How many files in a row were checked and small.
    small: usize,
    /// How many files were returned without a check since then.
    unseen: usize,
    /// Whether the inodes in the listing are not those of the files: some file systems make up numbers.
    makes_up: bool,
}

/// Device and inode.
pub(crate) type Id = (u64, u64);

/// The set of (device, inode) pairs already visited: one bit for each, in words of 64 neighbours, because most files of
/// a tree are neighbours.
///
/// A million files take some hundred kilobytes if their inodes are close together, and 40 MB if no two are.
#[derive(Debug, Default)]
struct SeenFiles(HashMap<Id, u64>);

impl SeenFiles {
    /// Adds the file, and returns whether it is new.
    fn is_first(&mut self, (device, inode): Id) -> bool {
        let word = self.0.entry((device, inode / 64)).or_default();
        let bit = 1 << (inode % 64);
        let first = *word & bit == 0;
        *word |= bit;
        first
    }
}

/// What a name refers to.
enum Found {
    Directory(DirectoryKind),
    Inbox(Vec<PathBuf>),
    File { size: u64, message: bool },
    Skipped(SkipReason),
}

/// The assumed size of a message that is not checked, in bytes.
const MESSAGE_SIZE: u64 = 4 << 10;

/// After this many small files in a row, one file is not checked, and then one more after each check. A mailbox can
/// have a number for a name, too.
const SURELY_SMALL: usize = 8;

impl Tree {
    /// Makes a tree without directories. It goes through symbolic links if `follow` is true.
    pub(super) fn new(follow: bool) -> Tree {
        Tree { levels: Vec::new(), rules: Rules { follow, filter: None }, seen: SeenFiles::default() }
    }

    /// Enters a directory that was named.
    pub(super) fn enter(&mut self, path: PathBuf) {
        let place = match path.file_name().unwrap_or_default().as_encoded_bytes() {
            _ if is_maildir(&path) => DirectoryKind::Maildir,
            // The directory may be a part of a Maildir.
            b"cur" | b"new" => DirectoryKind::Messages,
            _ => DirectoryKind::Plain,
        };
        let level = Level::new(path, place);
        if let Some(id) = level.id.filter(|_| self.rules.follow) {
            // The result does not matter: a directory that was named is always walked.
            self.seen.is_first(id);
        }
        self.levels.push(level);
    }

    /// Returns the next file, or what is skipped.
    pub(super) fn next(&mut self) -> Option<Entry> {
        loop {
            let [above @ .., level] = self.levels.as_mut_slice() else { return None };
            if let Some(error) = level.failed.take() {
                return Some(Entry::Problem(Error::list(&level.path, error)));
            }
            let Some(name) = level.listing.next() else {
                self.levels.pop();
                continue;
            };
            let path = level.listing.path(&level.path, name);
            match level.find(name, &path, above, &self.rules, &mut self.seen) {
                Ok(Found::Directory(place)) => self.levels.push(Level::new(path, place)),
                Ok(Found::Inbox(repositories)) => return Some(self.rules.inbox(path, repositories)),
                Ok(Found::File { size, message }) => {
                    let listed = !self.rules.follow;
                    return Some(Entry::File(FileEntry {
                        path,
                        size: Some(size),
                        message,
                        named: false,
                        member: None,
                        listed,
                    }));
                }
                Ok(Found::Skipped(why)) => return Some(Entry::Skipped(path, why)),
                // The file was removed after the listing. Mail programs rename files all the time.
                Err(error) if error.kind() == io::ErrorKind::NotFound && name.kind != Kind::Link => {}
                Err(error) => return Some(Entry::Problem(unopened(&path, error))),
            }
        }
    }
}

impl Level {
    fn new(path: PathBuf, place: DirectoryKind) -> Level {
        let id = fs::metadata(&path).ok().and_then(|data| id(&data));
        let (listing, failed) = Listing::of(&path);
        Level { path, place, id, listing, failed, small: 0, unseen: 0, makes_up: false }
    }

    /// Finds what is at `path`, which is `name` in this directory. `above` are the directories around it.
    fn find(
        &mut self,
        name: Name,
        path: &Path,
        above: &[Level],
        rules: &Rules,
        seen: &mut SeenFiles,
    ) -> io::Result<Found> {
        let follow = rules.follow;
        let bytes = self.listing.bytes(name);
        let skipped = skipped(bytes, self.place);
        let target = match ((follow && name.kind == Kind::Link).then(|| fs::metadata(path)).transpose(), skipped) {
            // A dangling link that would be skipped is no error: editors lock files with such links.
            (Err(_), Some(why)) => return Ok(Found::Skipped(why)),
            (target, _) => target?,
        };
        let kind = target.as_ref().map_or(name.kind, |data| data.file_type().into());
        let is_wanted = match rules.choose(path, kind == Kind::Directory) {
            Some(false) => return Ok(Found::Skipped(SkipReason::Excluded)),
            choice => choice.is_some(),
        };
        // As in ripgrep, a hidden file is read if the filter asks for it.
        let skipped = skipped.filter(|why| !is_wanted || *why != SkipReason::Hidden);
        if kind == Kind::Directory {
            let is_link = target.is_some();
            let data = follow.then(|| target.map_or_else(|| fs::metadata(path), Ok)).transpose()?;
            if let Some(id) = data.and_then(|data| id(&data)) {
                // The link leads to a directory around it, which is read in its own place.
                if is_link && (Some(id) == self.id || above.iter().any(|level| Some(id) == level.id)) {
                    return Ok(Found::Skipped(SkipReason::Loop));
                }
                // Directories that link to one another have too many paths through them to walk.
                if !seen.is_first(id) {
                    return Ok(Found::Skipped(SkipReason::Again));
                }
            }
            return Ok(match place(bytes, path, self.place, is_wanted) {
                Ok(DirectoryKind::Plain) => {
                    inbox::repositories(path).map_or(Found::Directory(DirectoryKind::Plain), Found::Inbox)
                }
                place => place.map_or_else(Found::Skipped, Found::Directory),
            });
        }
        if let Some(why) = skipped {
            return Ok(Found::Skipped(why));
        }
        match kind {
            Kind::Link => return Ok(Found::Skipped(SkipReason::Link)),
            Kind::Special => return Ok(Found::Skipped(SkipReason::Special)),
            Kind::File if rules.has_twin(path, bytes) => return Ok(Found::Skipped(SkipReason::Packed)),
            Kind::File | Kind::Directory => {}
        }
        let message = self.place == DirectoryKind::Messages || is_number(bytes);
        let known = self.id.map(|(device, _)| (device, name.inode));
        let is_sure = self.unseen + SURELY_SMALL <= self.small && !self.makes_up;
        let is_unseen = message && !follow && known.is_some() && is_sure;
        let data = if is_unseen { None } else { Some(target.map_or_else(|| path.symlink_metadata(), Ok)?) };
        let size = data.as_ref().map_or(MESSAGE_SIZE, Metadata::len);
        // If there are large files, most files are checked.
        (self.small, self.unseen) = match size {
            _ if is_unseen => (self.small, self.unseen + 1),
            ..=SMALL_FILE => (self.small + 1, 0),
            _ => (0, 0),
        };
        let id = data.as_ref().map_or(known, id);
        self.makes_up |= id != known;
        if id.is_some_and(|id| !seen.is_first(id)) && (follow || has_other_names(path, data, id)?) {
            return Ok(Found::Skipped(SkipReason::Again));
        }
        Ok(Found::File { size, message })
    }
}

/// Whether a file whose inode is in the set is indeed another name of one. Some file systems list inodes that are
/// wrong. And a deleted file's inode is given to another file.
fn has_other_names(path: &Path, data: Option<Metadata>, seen: Option<Id>) -> io::Result<bool> {
    let data = data.map_or_else(|| path.symlink_metadata(), Ok)?;
    Ok(id(&data) == seen && names(&data) > 1)
}

/// Returns the kind of a directory in another, by its name and its content; or why it is skipped. A
/// hidden directory is read if `is_wanted`.
fn place(name: &[u8], path: &Path, above: DirectoryKind, is_wanted: bool) -> Result<DirectoryKind, SkipReason> {
    match above {
        DirectoryKind::Maildir if matches!(name, b"cur" | b"new") => Ok(DirectoryKind::Messages),
        DirectoryKind::Maildir if name == b"tmp" => Err(SkipReason::Undelivered),
        DirectoryKind::Maildir if is_maildir(path) => Ok(DirectoryKind::Maildir),
        _ if name.starts_with(b".") && !is_wanted => Err(SkipReason::Hidden),
        _ if is_maildir(path) => Ok(DirectoryKind::Maildir),
        _ => Ok(DirectoryKind::Plain),
    }
}

fn is_maildir(path: &Path) -> bool {
    path.join("cur").is_dir() && path.join("new").is_dir()
}

/// Returns what identifies a file under all its names.
#[cfg(unix)]
pub(crate) fn id(data: &Metadata) -> Option<Id> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino()))
}

#[cfg(unix)]
fn names(data: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(data)
}

/// This system has no such number. So all names are read, and links to directories are not followed.
#[cfg(not(unix))]
pub(crate) fn id(_: &Metadata) -> Option<Id> {
    None
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

#[cfg(test)]
mod tests {
    use super::SeenFiles;

    #[test]
    fn each_file_is_new_only_once() {
        let mut seen = SeenFiles::default();
        for id in [(1, 0), (1, 63), (1, 64), (2, 0), (1, u64::MAX), (2, 64)] {
            assert_eq!((seen.is_first(id), seen.is_first(id)), (true, false), "{id:?}");
        }
    }
}
