//! Lists the inputs in a fixed order. Paths are in the order in which the user named them, and the files of a directory
//! are sorted by name.

use std::path::{Path, PathBuf};
use std::vec;

use super::Shard;
use super::entry::{Entry, FileEntry, member_of, unopened};
use super::filter::FileFilter;
use super::inbox;
use super::layout::is_number;
use super::tree::Tree;

/// Maximum number of bytes in a group of small files.
const GROUP_SIZE: u64 = 512 << 10;
/// Maximum number of files in a group.
const GROUP_MAX: usize = 64;

/// Lists the given paths, and the files in directories among them.
///
/// A path that the user named is always read. The path can be `FILE!MEMBER`, which names a member of an archive, or
/// `REPOSITORY:ID`, which names an object in a git repository. In directories, the walk skips:
///
/// - hidden files, special files and symbolic links;
/// - everything in a Maildir except `cur`, `new` and its `.Sub` folders;
/// - messages that MH marked as removed (`,12`, `#12`);
/// - if a file has several hard links, as for crossposts in news spools, all links except the first;
/// - compressed files beside an uncompressed copy;
/// - files that the filter excludes.
///
/// The git repositories of a public-inbox are one entry. Any other git repository without a working tree is also one
/// entry.
///
/// If the walk follows symbolic links, it skips loops, and returns each file only once.
pub(crate) struct Walk {
    paths: Box<dyn Iterator<Item = PathBuf> + Send>,
    /// The entries of a task, which are returned before anything else.
    entries: vec::IntoIter<Entry>,
    /// The directories that are being walked.
    tree: Tree,
    /// An entry that did not fit into the last group.
    held: Option<Entry>,
    /// The share of the files to return, or `None` for all files. Even with a share, the whole tree must be walked,
    /// because a file with several names is returned under its first name.
    pub(crate) shard: Option<Shard>,
}

impl Walk {
    /// Makes a walk over `paths`. Each path is requested only when it is needed. `follow` is whether to follow symbolic
    /// links.
    pub(crate) fn new<I>(paths: I, follow: bool) -> Walk
    where
        I: IntoIterator<Item = PathBuf>,
        I::IntoIter: Send + 'static,
    {
        let paths = Box::new(paths.into_iter());
        Walk { paths, entries: Vec::new().into_iter(), tree: Tree::new(follow), held: None, shard: None }
    }

    /// Makes a walk that returns `entries`. An earlier walk chose these entries, so they are not checked again.
    #[cfg(feature = "tasks")]
    pub(crate) fn over(entries: Vec<Entry>) -> Walk {
        Walk { entries: entries.into_iter(), ..Walk::new(Vec::new(), false) }
    }

    /// Sets the filter for the content of directories.
    pub(crate) fn filter(mut self, filter: Option<FileFilter>) -> Walk {
        self.tree.rules.filter = filter;
        self
    }

    /// Whether the entry belongs to another share. If a directory cannot be listed, the error belongs to every share,
    /// because every share may miss files.
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
    /// Each worker processes one group at a time. Returns `false` at the end. Once the group has an entry, does not
    /// wait for another path to arrive.
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

    /// Whether another entry is certain to follow. Never waits for a path to arrive.
    pub(crate) fn has_more(&mut self) -> bool {
        self.held = self.held.take().or_else(|| self.at_hand());
        self.held.is_some()
    }

    /// Returns the next entry if that is possible without waiting for a path to arrive.
    fn at_hand(&mut self) -> Option<Entry> {
        self.entry(|paths| paths.size_hint().0 > 0)
    }

    /// Returns the next entry. Requests another path only if `may` returns true.
    fn entry(&mut self, may: impl Fn(&dyn Iterator<Item = PathBuf>) -> bool) -> Option<Entry> {
        if let Some(entry) = self.entries.next() {
            return Some(entry);
        }
        loop {
            while let Some(entry) = self.tree.next() {
                if !self.is_elsewhere(&entry) {
                    return Some(entry);
                }
            }
            let path = if may(&self.paths) { self.paths.next()? } else { return None };
            if let Some(entry) = self.named(path) {
                return Some(entry);
            }
        }
    }

    /// Returns the entry for a path that the user named. Returns `None` if the path belongs to another share, or is a
    /// directory. A directory is walked next.
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
                    Entry::File(FileEntry {
                        path,
                        size,
                        message,
                        named: true,
                        member: None,
                        listed: false,
                        stamp: None,
                    })
                }
                Err(_) if inbox::object(&path).is_some() => Entry::Inbox(vec![path]),
                Err(e) => match member_of(&path) {
                    Some((path, member)) => {
                        let size = path.metadata().ok().map(|data| data.len());
                        Entry::File(FileEntry {
                            path,
                            size,
                            message: false,
                            named: true,
                            member: Some(member),
                            listed: false,
                            stamp: None,
                        })
                    }
                    // Every share reports a missing path, because it could be the name of a directory.
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
        self.entry(|_| true)
    }
}
