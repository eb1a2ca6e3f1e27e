//! Lists the inputs in a fixed order. Paths are in the order in which the user named them, and the files of a directory
//! are sorted by name.

use std::path::{Path, PathBuf};
use std::vec;

use super::Shard;
use super::entry::{Entry, FileEntry, member_of, unopened};
use super::filter::FileFilter;
use super::inbox;
use super::layout::is_number;
use super::paths::Paths;
use super::tree::Tree;

/// Maximum number of bytes in a group of small files.
const GROUP_SIZE: u64 = 512 << 10;
const GROUP_MAX: usize = 64;

/// Lists the given paths. If a path is a directory, lists the files in it.
///
/// A path that the user named is always read. The path can be `FILE!MEMBER`, which names a member of an archive, or
/// `REPOSITORY:ID`, which names an object in a git repository. In directories, a `Walk` skips:
///
/// - hidden files, symbolic links, and special files such as sockets;
/// - everything in a Maildir except `cur`, `new` and its `.Sub` folders;
/// - messages that MH marked as removed (`,12`, `#12`);
/// - all hard links of a file except the first (in news spools, the copies of a crosspost are hard links);
/// - compressed files that have an uncompressed copy in the same directory;
/// - files that the filter excludes.
///
/// All git repositories of a public-inbox together are one [`Entry`]. Any other git repository without a working tree
/// is also one entry.
///
/// If a `Walk` follows symbolic links, it skips links that form loops, and returns each file only once.
pub(crate) struct Walk {
    paths: Paths,
    /// The entries from `Walk::over`, which are returned before all others.
    entries: vec::IntoIter<Entry>,
    /// The directories whose files are being listed.
    tree: Tree,
    /// An entry that did not fit into the last group.
    held: Option<Entry>,
    /// The share of the files to return, or `None` for all files. Even for one share, all directories must be listed: a
    /// file can have several names, and the first of these names decides to which share the file belongs.
    pub(crate) shard: Option<Shard>,
}

impl Walk {
    /// Makes a `Walk` that lists `paths`. The `Walk` takes the next path from the iterator only after it has returned
    /// all entries of the previous path. If `follow` is true, symbolic links are followed.
    pub(crate) fn new(paths: Paths, follow: bool) -> Walk {
        Walk { paths, entries: Vec::new().into_iter(), tree: Tree::new(follow), held: None, shard: None }
    }

    /// Makes a `Walk` that returns `entries`. An earlier `Walk` returned these entries, so they are not checked again.
    #[cfg(feature = "tasks")]
    pub(crate) fn over(entries: Vec<Entry>) -> Walk {
        Walk { entries: entries.into_iter(), ..Walk::new(Paths::default(), false) }
    }

    /// Sets the filter for the files and subdirectories that are found in directories.
    pub(crate) fn filter(mut self, filter: Option<FileFilter>) -> Walk {
        self.tree.rules.filter = filter;
        self
    }

    /// Whether the entry belongs to another share. An error about a directory that cannot be listed belongs to every
    /// share, because the directory can contain files of every share.
    fn is_elsewhere(&self, entry: &Entry) -> bool {
        self.shard.is_some_and(|shard| match entry {
            Entry::File(input) => !shard.contains(&input.path),
            Entry::Inbox(repositories) => !repositories.first().is_some_and(|path| shard.contains(path)),
            Entry::Skipped(path, _) => !shard.contains(path),
            Entry::Stdin => !shard.contains(Path::new("-")),
            Entry::Problem(error) => error.kind() != crate::error::ErrorKind::List && !shard.contains(error.path()),
        })
    }

    /// Replaces `group` by the next entries: one large file, or up to 64 small files with a total of up to 512 KiB.
    /// Each worker processes one group at a time. Returns `false` if no entries are left. Waits for a path to
    /// arrive only while `group` is empty.
    pub(crate) fn next_group(&mut self, group: &mut Vec<Entry>) -> bool {
        group.clear();
        let mut total = 0;
        loop {
            let entry = self.held.take().or_else(|| if group.is_empty() { self.next() } else { self.at_hand() });
            let Some(entry) = entry else { break };
            let size = entry.small_size();
            let fits = size.is_some_and(|size| total + size <= GROUP_SIZE);
            if !group.is_empty() && !fits {
                self.held = Some(entry);
                break;
            }
            group.push(entry);
            total += size.unwrap_or(0);
            if !fits || group.len() == GROUP_MAX {
                break;
            }
        }
        !group.is_empty()
    }

    /// Whether another entry is certain to follow. If the answer depends on a path that has not arrived yet, returns
    /// `false` without waiting for the path.
    pub(crate) fn has_more(&mut self) -> bool {
        self.held = self.held.take().or_else(|| self.at_hand());
        self.held.is_some()
    }

    /// Returns the next entry if that is possible without waiting for a path to arrive.
    fn at_hand(&mut self) -> Option<Entry> {
        self.entry(Paths::at_hand)
    }

    /// Returns the next entry. Calls `path` for another path if all entries of earlier paths were returned.
    fn entry(&mut self, path: impl Fn(&mut Paths) -> Option<PathBuf>) -> Option<Entry> {
        if let Some(entry) = self.entries.next() {
            return Some(entry);
        }
        loop {
            while let Some(entry) = self.tree.next() {
                if !self.is_elsewhere(&entry) {
                    return Some(entry);
                }
            }
            let path = path(&mut self.paths)?;
            if let Some(entry) = self.named(path) {
                return Some(entry);
            }
        }
    }

    /// Returns the entry for a path that the user named. Returns `None` if the path belongs to another share. Also
    /// returns `None` for a directory, whose files `self.tree` then returns.
    fn named(&mut self, path: PathBuf) -> Option<Entry> {
        let entry = if path.as_os_str() == "-" {
            Entry::Stdin
        } else {
            match path.metadata() {
                Ok(data) if data.is_dir() => match inbox::repositories(&path) {
                    Some(repositories) => self.tree.rules.inbox(path, repositories),
                    None => {
                        self.tree.enter(path);
                        return None;
                    }
                },
                Ok(data) => {
                    let message = is_number(path.file_name().unwrap_or_default().as_encoded_bytes());
                    let size = data.is_file().then_some(data.len());
                    Entry::File(FileEntry { path, size, message, named: true, ..FileEntry::default() })
                }
                Err(_) if inbox::object(&path).is_some() => Entry::Inbox(vec![path]),
                Err(e) => match member_of(&path) {
                    Some((path, member)) => {
                        let size = path.metadata().ok().map(|data| data.len());
                        let member = Some(member);
                        Entry::File(FileEntry { path, size, named: true, member, ..FileEntry::default() })
                    }
                    // If the files are divided into shares, every share reports a path that cannot be opened. The path
                    // could be a directory with files of every share.
                    None => return Some(Entry::Problem(unopened(&path, e))),
                },
            }
        };
        (!self.is_elsewhere(&entry)).then_some(entry)
    }
}

impl Iterator for Walk {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        self.entry(Paths::next)
    }
}
