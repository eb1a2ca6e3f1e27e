//! Lists the inputs in a fixed order: paths as they were named, directories by name.

use std::path::{Path, PathBuf};

use super::Shard;
use super::entry::{Entry, FileEntry, member_of, unopened};
use super::filter::FileFilter;
use super::inbox;
use super::layout::is_number;
use super::tree::Tree;

/// The most bytes in a group of small files.
const GROUP_SIZE: u64 = 512 << 10;
/// The most files in a group.
const GROUP_MAX: usize = 64;

/// Walks over paths and the directories among them.
///
/// A path that was named is always read; it can be that of a member of an archive, `FILE!MEMBER`, or of an
/// object in a git repository, `REPOSITORY:ID`. In a directory it skips:
///
/// - hidden files, special files and symbolic links;
/// - everything in a Maildir but `cur`, `new` and its `.Sub` folders;
/// - messages that MH marked as removed (`,12`, `#12`);
/// - all but the first of several hard links to one file, as news spools have for crossposts;
/// - a compressed file beside the same file that is not compressed;
/// - what the filter excludes.
///
/// The git repositories of an inbox are one entry, and so is any other repository without a working tree.
///
/// If it follows symbolic links, it skips loops and reads no file twice.
pub(crate) struct Walk {
    paths: Box<dyn Iterator<Item = PathBuf> + Send>,
    /// The directories among them.
    tree: Tree,
    /// An entry that did not fit into the last group.
    held: Option<Entry>,
    /// The share of the files to read, if there is one. All workers must walk the whole tree, because that decides
    /// under which of its names a file is read.
    pub(crate) shard: Option<Shard>,
}

impl Walk {
    /// Makes a walk over the paths. It takes each path only when it gets there, and goes through symbolic links if
    /// `follow` is true.
    pub(crate) fn new<I>(paths: I, follow: bool) -> Walk
    where
        I: IntoIterator<Item = PathBuf>,
        I::IntoIter: Send + 'static,
    {
        let paths = Box::new(paths.into_iter());
        Walk { paths, tree: Tree::new(follow), held: None, shard: None }
    }

    /// Asks `filter` about each file and directory in a directory.
    pub(crate) fn filter(mut self, filter: Option<FileFilter>) -> Walk {
        self.tree.rules.filter = filter;
        self
    }

    /// Whether the entry is for another share. An error in listing a directory is for every share, because each may
    /// miss files.
    fn is_elsewhere(&self, entry: &Entry) -> bool {
        self.shard.is_some_and(|shard| match entry {
            Entry::File(input) => !shard.contains(&input.path),
            Entry::Inbox(repositories) => !repositories.first().is_some_and(|path| shard.contains(path)),
            Entry::Skipped(path, _) => !shard.contains(path),
            Entry::Stdin => !shard.contains(Path::new("-")),
            Entry::Problem(error) => error.kind() != crate::error::ErrorKind::List && !shard.contains(error.path()),
        })
    }

    /// Replaces `group` by the next entries: one large file, or up to 64 small ones of up to 512 KiB in all, so that
    /// workers can share them out. Returns `false` at the end. Does not wait for a path to arrive while the group has
    /// entries.
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

    /// Whether there certainly is another entry. Does not wait for a path to arrive.
    pub(crate) fn has_more(&mut self) -> bool {
        self.held = self.held.take().or_else(|| self.at_hand());
        self.held.is_some()
    }

    /// Returns the next entry, unless that takes a path that may not have arrived.
    fn at_hand(&mut self) -> Option<Entry> {
        self.entry(|paths| paths.size_hint().0 > 0)
    }

    /// Returns the next entry. Takes the next path only if `may` returns true.
    fn entry(&mut self, may: impl Fn(&dyn Iterator<Item = PathBuf>) -> bool) -> Option<Entry> {
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

    /// Returns the entry for a path that was named. `None` if it is for another share, or a directory, which is walked
    /// next.
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
                    Entry::File(FileEntry { path, size, message, named: true, member: None, listed: false })
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
                        })
                    }
                    // Every share reports a wrong name, because it could be that of a directory.
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
