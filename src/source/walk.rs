//! What there is to read, in a fixed order: files as they were named, directories in the order of their names.

use std::path::{Path, PathBuf};

use super::Shard;
use super::convention::is_number;
use super::entry::{Entry, FileEntry, unopened};
use super::tree::Tree;

/// A group of small files is not larger in all,
const GROUP_SIZE: u64 = 512 << 10;
/// and has no more members.
const GROUP_MAX: usize = 64;

/// Walks over paths and the directories among them.
///
/// In a directory, hidden files and special files are left out, and so are symbolic links; of a Maildir only
/// `cur` and `new` are read, and its `.Sub` folders; MH's marked files (`,12`, `#12`) are left out; of hard links to one
/// file, as a news spool has for crossposts, the first is read. A path that was named is read whatever it is.
///
/// Where links are followed, a loop is left out, and no file is read twice, whatever leads to it.
pub(crate) struct Walk {
    paths: Box<dyn Iterator<Item = PathBuf> + Send>,
    /// The directories among them.
    tree: Tree,
    /// An entry that did not fit into the last group.
    held: Option<Entry>,
    /// Which of the files belong to this share, if there is one. All workers have to walk the whole: which name of several
    /// a file is read by depends on it.
    pub(crate) shard: Option<Shard>,
}

impl Walk {
    /// A walk over the paths, which are taken one by one as the walk gets to them; it goes through symbolic links if it
    /// is to `follow` them.
    pub(crate) fn new<I>(paths: I, follow: bool) -> Walk
    where
        I: IntoIterator<Item = PathBuf>,
        I::IntoIter: Send + 'static,
    {
        let paths = Box::new(paths.into_iter());
        Walk { paths, tree: Tree::new(follow), held: None, shard: None }
    }

    /// Whether the entry is for another share. A directory that cannot be listed is everyone's concern: each may miss files
    /// of its share.
    fn is_elsewhere(&self, entry: &Entry) -> bool {
        self.shard.is_some_and(|shard| match entry {
            Entry::File(input) => !shard.contains(&input.path),
            Entry::Skipped(path, _) => !shard.contains(path),
            Entry::Stdin => !shard.contains(Path::new("-")),
            Entry::Problem(error) => error.kind() != crate::error::ErrorKind::List && !shard.contains(error.path()),
        })
    }

    /// Replaces `group` by the next entries: one large file, or up to 64 small ones of up to 512 KiB in all, so that
    /// workers can share them out. `false` at the end. Does not wait for a path to come while there is something to do.
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

    /// Whether there surely is another entry. Does not wait for a path to come.
    pub(crate) fn has_more(&mut self) -> bool {
        self.held = self.held.take().or_else(|| self.at_hand());
        self.held.is_some()
    }

    /// The next entry, unless it takes a path that may still have to come.
    fn at_hand(&mut self) -> Option<Entry> {
        self.entry(|paths| paths.size_hint().0 > 0)
    }

    /// The next entry; the next path is taken only if it `may` be.
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

    /// What a path is that was named: nothing if it is for another share, or a directory, which is walked from here on.
    fn named(&mut self, path: PathBuf) -> Option<Entry> {
        let entry = if path.as_os_str() == "-" {
            Entry::Stdin
        } else {
            match path.metadata() {
                Ok(data) if data.is_dir() => {
                    self.tree.enter(path);
                    return None;
                }
                Ok(data) => {
                    let message = is_number(path.file_name().unwrap_or_default().as_encoded_bytes());
                    Entry::File(FileEntry { path, size: data.is_file().then_some(data.len()), message })
                }
                // Whatever the share, the name is wrong: it may be that of a directory.
                Err(e) => return Some(Entry::Problem(unopened(&path, e))),
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
