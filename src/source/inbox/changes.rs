//! The changes in the history of a repository, which [`Changes`] reads from the trees of its commits.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use data_encoding::HEXLOWER;

use super::git::{self, Output, Process, TimeLeft, damaged};
use crate::error::Error;

/// The name of an object, in hexadecimal digits.
pub(super) type Id = String;

/// A repository of an inbox.
#[derive(Clone)]
pub(super) struct Epoch {
    pub(super) path: PathBuf,
    pub(super) version: Version,
    /// The size of all files of the repository in bytes.
    pub(super) size: u64,
    /// The time that git may still take for the repository.
    pub(super) time: TimeLeft,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// The effect of a commit on a message. Each variant has a key, which identifies the message. In version 1, the key is
/// the path of the message in the tree. In version 2, the key is the name of the message's object.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Adds a message, given its key and its object.
    Add(Vec<u8>, Id),
    /// Removes a message, given its key.
    Remove(Vec<u8>),
    /// Replaces a message, given its key and the new object.
    Replace(Vec<u8>, Id),
}

/// The changes that were found, and the directories that must be compared to find more of them.
enum Task {
    Found(Change),
    Compare {
        /// The path of the directory, with a slash at its end. Empty for the top directory.
        path: Vec<u8>,
        /// The tree before the commit. Empty if there was none.
        old: Id,
        /// The tree after the commit. Empty if the commit has removed the directory.
        new: Id,
    },
}

/// Maximum number of trees that git is asked for at a time. The requests fit into any pipe, so writing them does not
/// wait for git.
const REQUESTS: usize = 60;

/// Number of changes that are read ahead.
const AHEAD: usize = 512;

/// Number of bytes of trees that are read in a repository, before the number of its commits counts.
const TREES: u64 = 16 << 20;
/// Number of bytes of trees that are read for each commit, on average. In a large inbox of version 1, a commit changes a
/// directory of 300 KB.
const TREES_OF_COMMIT: u64 = 1 << 20;
/// Number of bytes as which a tree counts, in addition to its size. Few small objects can expand to millions of trees.
const TREE: u64 = 4 << 10;

/// Maximum number of changes and directories that wait in memory. In version 1, a commit with 270,000 messages reaches
/// [`TREES`] before.
const TASKS: usize = 300_000;

/// A tree: a directory as git stores it. The default is an empty tree.
#[derive(Clone, Default)]
struct Tree {
    id: Id,
    bytes: Arc<[u8]>,
    /// Length in bytes of the names of objects in the tree.
    width: usize,
}

/// Reads trees with `git cat-file --batch`.
struct Trees {
    _git: Process,
    input: ChildStdin,
    output: BufReader<Output>,
    /// The trees that were compared last. Most of them are compared again with the next commit.
    last: [Tree; 2],
    /// Number of bytes that may still be read.
    left: u64,
}

impl Trees {
    fn start(path: &Path, time: &TimeLeft) -> io::Result<Trees> {
        let mut git = Process::start(path, &["cat-file", "--batch"], true)?;
        let input = git.input().ok_or_else(damaged)?;
        let output = BufReader::with_capacity(64 << 10, git.output(time));
        Ok(Trees { _git: git, input, output, last: Default::default(), left: TREES })
    }

    /// Requests `pairs` of trees, except those trees that [`pair`](Self::pair) will still have.
    fn request<'i>(&'i mut self, pairs: impl IntoIterator<Item = [&'i Id; 2]>) -> io::Result<()> {
        let mut held = self.last.each_ref().map(|tree| &tree.id);
        let mut lines = String::new();
        for pair in pairs {
            for id in pair.into_iter().filter(|id| !id.is_empty() && !held.contains(id)) {
                lines.extend([id, "\n"]);
            }
            held = pair;
        }
        self.input.write_all(lines.as_bytes())
    }

    /// Returns two trees that were requested. An empty name means an empty tree.
    fn pair(&mut self, ids: [Id; 2]) -> io::Result<[Tree; 2]> {
        let mut trees = <[Tree; 2]>::default();
        for (tree, id) in trees.iter_mut().zip(ids) {
            *tree = match self.last.iter().find(|held| held.id == id) {
                Some(held) => held.clone(),
                None if id.is_empty() => Tree::default(),
                None => Tree { width: id.len() / 2, bytes: self.read(&id)?, id },
            };
            // A tree counts again if it was held: the directories of a small tree can be that tree.
            let size = if tree.id.is_empty() { 0 } else { tree.bytes.len() as u64 + TREE };
            self.left = self.left.checked_sub(size).ok_or_else(too_many)?;
        }
        self.last.clone_from(&trees);
        Ok(trees)
    }

    /// Reads the next requested tree, which has the name `id`.
    fn read(&mut self, id: &str) -> io::Result<Arc<[u8]>> {
        let header = git::header(&mut self.output, id)?;
        let size = header.filter(|header| header.is_tree).ok_or_else(damaged)?.size;
        if size > self.left.min(TREE_MAX) {
            return Err(too_many());
        }
        let mut tree = Vec::new();
        self.output.by_ref().take(size + 1).read_to_end(&mut tree)?;
        // A line end follows the tree.
        tree.pop();
        if tree.len() as u64 == size { Ok(tree.into()) } else { Err(damaged()) }
    }
}

/// Maximum size of one tree in bytes. The trees of the largest public-inboxes have some 300,000 bytes.
const TREE_MAX: u64 = 4 << 20;

fn too_many() -> io::Error {
    io::Error::other("its directories have far more entries than those of a public-inbox; the rest was not read")
}

/// An entry of a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry<'t> {
    mode: &'t [u8],
    name: &'t [u8],
    id: &'t [u8],
}

/// The entries of a tree that were not read yet, and the length in bytes of the names of objects.
struct Entries<'t>(&'t [u8], usize);

impl<'t> Entries<'t> {
    /// Skips the entries at the beginning that `other` has, too.
    fn skip_same(&mut self, other: &mut Entries<'_>) {
        while let Some(end) = memchr::memchr(0, self.0).map(|end| end + 1 + self.1)
            && self.0.get(..end).is_some_and(|entry| other.0.starts_with(entry))
        {
            (self.0, other.0) = (&self.0[end..], &other.0[end..]);
        }
    }

    fn next(&mut self) -> io::Result<Option<Entry<'t>>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let entry = || {
            let (mode, rest) = self.0.split_at_checked(memchr::memchr(b' ', self.0)?)?;
            let (name, rest) = rest[1..].split_at_checked(memchr::memchr(0, &rest[1..])?)?;
            let (id, rest) = rest[1..].split_at_checked(self.1)?;
            Some((Entry { mode, name, id }, rest))
        };
        let (entry, rest) = entry().filter(|(entry, _)| entry.has_valid_name()).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(Some(entry))
    }
}

impl Entry<'_> {
    /// Whether the name is that of one file. Otherwise, a few digits could be a path of millions of bytes.
    fn has_valid_name(&self) -> bool {
        !matches!(self.name, b"" | b"." | b"..") && !self.name.contains(&b'/')
    }

    fn is_directory(&self) -> bool {
        self.mode == b"40000"
    }

    fn is_file(&self) -> bool {
        self.mode.starts_with(b"100")
    }

    fn id(&self) -> Id {
        HEXLOWER.encode(self.id)
    }

    /// Compares the names of two entries as git sorts them: the name of a directory ends with a slash.
    fn compare(&self, other: &Entry<'_>) -> Ordering {
        let end = |entry: &Entry<'_>| entry.is_directory().then_some(b'/');
        let (mine, others) = (self.name.iter().copied().chain(end(self)), other.name.iter().copied().chain(end(other)));
        mine.cmp(others)
    }
}

/// The changes in the history of one repository.
pub(super) struct Changes {
    epoch: Epoch,
    /// `git rev-list`, and its output: the trees of the commits. `None` after the last commit.
    commits: Option<(Process, BufReader<Output>)>,
    /// Whether the commits come from the oldest to the newest.
    is_forward: bool,
    /// The tree of the previous commit. Empty if there was none.
    previous: Id,
    trees: Trees,
    tasks: VecDeque<Task>,
    /// The error that follows the tasks.
    failed: Option<Error>,
}

/// Sends the results of `next` up to the end or an error. If `next` panics, the end of the history must not seem to be
/// reached, so a panic is sent as an error.
fn send(
    path: &Path,
    mut next: impl FnMut() -> Result<Option<Change>, Error>,
    sender: &SyncSender<Result<Change, Error>>,
) {
    let panic = |_| Err(Error::read(path, io::Error::other("an error in urlspool itself; please report it")));
    while let Some(next) = catch_unwind(AssertUnwindSafe(&mut next)).unwrap_or_else(panic).transpose() {
        let is_error = next.is_err();
        if sender.send(next).is_err() || is_error {
            break;
        }
    }
}

impl Changes {
    /// Reads the history of `epoch`. If `is_forward` is false, the newest commit is the first.
    fn new(epoch: &Epoch, is_forward: bool) -> Result<Changes, Error> {
        let epoch = epoch.clone();
        let mut arguments = vec!["rev-list", "--first-parent", "--format=%T"];
        arguments.extend(is_forward.then_some("--reverse"));
        arguments.extend(["HEAD", "--"]);
        let started = Process::start(&epoch.path, &arguments, false).and_then(|mut commits| {
            let output = BufReader::with_capacity(64 << 10, commits.output(&epoch.time));
            Ok((commits, output, Trees::start(&epoch.path, &epoch.time)?))
        });
        let (commits, output, trees) = started.map_err(|e| Error::open(&epoch.path, e))?;
        let (tasks, failed) = (VecDeque::new(), None);
        Ok(Changes { epoch, commits: Some((commits, output)), is_forward, previous: Id::new(), trees, tasks, failed })
    }

    /// Reads the history of `epoch` in another thread, so that git also works while messages are searched. If the
    /// receiver is dropped, reading ends at the next change.
    pub(super) fn start(epoch: &Epoch, is_forward: bool) -> Result<Receiver<Result<Change, Error>>, Error> {
        let mut changes = Changes::new(epoch, is_forward)?;
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        let path = epoch.path.clone();
        let read = move || send(&path, || changes.next(), &sender);
        thread::Builder::new().spawn(read).map_err(|e| Error::open(&epoch.path, e))?;
        Ok(receiver)
    }

    /// Returns the next change to a message. Returns `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if git fails or its output cannot be read.
    fn next(&mut self) -> Result<Option<Change>, Error> {
        loop {
            match self.tasks.pop_front() {
                Some(Task::Found(change)) => return Ok(Some(change)),
                Some(task) => self.tasks.push_front(task),
                None => {}
            }
            let mut tasks = Vec::new();
            // A task needs two trees.
            while tasks.len() < REQUESTS / 2 && !matches!(self.tasks.front(), Some(Task::Found(_))) {
                let Some(task) = self.tasks.pop_front().or_else(|| self.commit()) else { break };
                tasks.push(task);
            }
            if tasks.is_empty() {
                return self.failed.take().map_or(Ok(None), Err);
            }
            self.compare(tasks);
        }
    }

    /// Compares the directories in `tasks`, which are before all other tasks.
    fn compare(&mut self, tasks: Vec<Task>) {
        let mut found = Vec::new();
        let most = TASKS.saturating_sub(self.tasks.len());
        let mut result = self.trees.request(tasks.iter().filter_map(|task| match task {
            Task::Compare { old, new, .. } => Some([old, new]),
            Task::Found(_) => None,
        }));
        for task in tasks {
            match task {
                _ if result.is_err() => break,
                Task::Compare { path, old, new } => {
                    let version = self.epoch.version;
                    let trees = self.trees.pair([old, new]);
                    result = trees.and_then(|trees| version.compare(&path, trees, &mut found, most));
                }
                change => found.push(change),
            }
        }
        if let Err(error) = result {
            self.commits = None;
            self.previous.clear();
            self.tasks.clear();
            // git may still write the other trees. It is started again for the directories before the damage.
            match Trees::start(&self.epoch.path, &self.epoch.time) {
                Ok(trees) if error.kind() != io::ErrorKind::TimedOut => {
                    self.trees = Trees { left: self.trees.left, ..trees };
                }
                _ => found.retain(|task| matches!(task, Task::Found(_))),
            }
            self.failed = Some(Error::read(&self.epoch.path, error));
        }
        found.into_iter().rev().for_each(|task| self.tasks.push_front(task));
    }

    /// Returns the task that compares the next commit with the commit before it in the history.
    fn commit(&mut self) -> Option<Task> {
        let path = Vec::new();
        while let Some((_, output)) = &mut self.commits {
            let mut line = String::new();
            match output.read_line(&mut line) {
                // The lines between the trees are `commit <name>`.
                Ok(1..) if line.starts_with("commit ") => {}
                Ok(1..) => {
                    self.trees.left = self.trees.left.saturating_add(TREES_OF_COMMIT);
                    let previous = std::mem::replace(&mut self.previous, line.trim_end().to_owned());
                    if self.is_forward {
                        return Some(Task::Compare { path, old: previous, new: self.previous.clone() });
                    } else if !previous.is_empty() {
                        return Some(Task::Compare { path, old: self.previous.clone(), new: previous });
                    }
                }
                end => self.end(end.err()),
            }
        }
        let first = Some(std::mem::take(&mut self.previous)).filter(|first| !first.is_empty());
        let first = first.filter(|_| !self.is_forward && self.failed.is_none())?;
        Some(Task::Compare { path, old: Id::new(), new: first })
    }

    /// Waits for the end of `git rev-list`, unless its output could not be read because of `error`.
    fn end(&mut self, error: Option<io::Error>) {
        let Some((mut commits, _)) = self.commits.take() else { return };
        let path = &self.epoch.path;
        self.failed = match error.map_or_else(|| commits.end(), Err) {
            Ok(status) if status.success() => return,
            Ok(_) => Some(failed(path, "rev-list")),
            Err(error) => Some(Error::read(path, error)),
        };
    }
}

impl Version {
    /// Compares two trees of the directory `path`. Adds the changes and the directories that must be compared to
    /// `tasks`, which can have at most `most` of them.
    fn compare(self, path: &[u8], trees: [Tree; 2], tasks: &mut Vec<Task>, most: usize) -> io::Result<()> {
        let [mut old, mut new] = trees.each_ref().map(|tree| Entries(&tree.bytes, tree.width));
        let (mut before, mut after, mut order) = (None, None, Ordering::Equal);
        loop {
            if order.is_eq() {
                old.skip_same(&mut new);
            }
            if order.is_le() {
                before = old.next()?;
            }
            if order.is_ge() {
                after = new.next()?;
            }
            order = match (&before, &after) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(before), Some(after)) => before.compare(after),
            };
            let (old, new) = (before.filter(|_| order.is_le()), after.filter(|_| order.is_ge()));
            tasks.extend(self.task(path, old, new).filter(|_| old != new));
            if tasks.len() > most {
                return Err(too_many());
            }
        }
    }

    /// Returns what a changed entry of the directory `path` means.
    fn task(self, path: &[u8], old: Option<Entry<'_>>, new: Option<Entry<'_>>) -> Option<Task> {
        let name = old.or(new)?.name;
        let is_directory = old.or(new)?.is_directory();
        let path = [path, name].concat();
        let [old, new] = [old, new].map(|entry| entry.filter(|entry| is_directory || entry.is_file()));
        Some(Task::Found(match (self, old, new) {
            (Version::One, ..) if is_directory => {
                may_have_messages(&path).then_some(())?;
                let [old, new] = [old, new].map(|entry| entry.map_or_else(Id::new, |entry| entry.id()));
                return Some(Task::Compare { path: [&path[..], b"/"].concat(), old, new });
            }
            (Version::Two, _, Some(new)) if path == b"m" => Change::Add(new.id().into(), new.id()),
            (Version::Two, _, Some(new)) if path == b"d" => Change::Remove(new.id().into()),
            (Version::One, None, Some(new)) if is_message_path(&path) => Change::Add(path, new.id()),
            (Version::One, Some(_), Some(new)) if is_message_path(&path) => Change::Replace(path, new.id()),
            (Version::One, Some(_), None) if is_message_path(&path) => Change::Remove(path),
            _ => return None,
        }))
    }
}

/// Returns the version of an inbox whose newest commit has the tree `root`. Checks the first [`FILES`] files of the
/// tree. Returns `None` if the repository is not an inbox.
pub(super) fn version(path: &Path, root: Id, time: &TimeLeft) -> io::Result<Option<Version>> {
    let mut trees = Trees::start(path, time)?;
    let (mut version, mut files) = (None, 0);
    // The files and the directories to check, the last one first.
    let mut left = vec![(Vec::new(), root)];
    while files < FILES
        && let Some((path, directory)) = left.pop()
    {
        if directory.is_empty() {
            let this = match &path[..] {
                b"m" | b"d" => Version::Two,
                path if is_message_path(path) => Version::One,
                _ => return Ok(None),
            };
            if version.replace(this).is_some_and(|other| other != this) {
                return Ok(None);
            }
            files += 1;
            continue;
        }
        if !may_have_messages(&path) {
            return Ok(None);
        }
        trees.request([[&Id::new(), &directory]])?;
        let [_, tree] = trees.pair([Id::new(), directory])?;
        let mut entries = Entries(&tree.bytes, tree.width);
        let start = left.len();
        while left.len() - start < FILES
            && let Some(entry) = entries.next()?
        {
            let (id, end) = if entry.is_directory() { (entry.id(), &b"/"[..]) } else { (Id::new(), &b""[..]) };
            left.push(([&path, entry.name, end].concat(), id));
        }
        left[start..].reverse();
    }
    Ok(version)
}

/// Maximum number of files in a tree that are checked to distinguish an inbox from another repository.
pub(super) const FILES: usize = 100;

/// Returns the number of hexadecimal digits in `path`, if it has only such digits and slashes.
fn digits(path: &[u8]) -> Option<usize> {
    path.iter().try_fold(0, |count, byte| match byte {
        b'0'..=b'9' | b'a'..=b'f' => Some(count + 1),
        b'/' => Some(count),
        _ => None,
    })
}

/// Whether the directory `path` can have messages.
fn may_have_messages(path: &[u8]) -> bool {
    digits(path).is_some_and(|count| count <= 64)
}

/// Whether a path in a tree consists of 40 or 64 hexadecimal digits and at least one slash.
fn is_message_path(path: &[u8]) -> bool {
    matches!(digits(path), Some(40 | 64)) && path.contains(&b'/')
}

/// Returns the error for a failed command `git name`. The error does not quote the messages of git, because a damaged
/// repository can cause any number of messages.
pub(super) fn failed(path: &Path, name: &str) -> Error {
    let why = format!("git {name} failed; run `git fsck` in the repository to find the damage");
    Error::read(path, io::Error::other(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_not_the_end_of_the_history() {
        let mut changes = vec![Change::Remove(b"a".to_vec())];
        let next = || Ok(Some(changes.pop().expect("one change, then a panic")));
        let (sender, receiver) = mpsc::sync_channel(2);
        send(Path::new("repository"), next, &sender);
        assert_eq!(receiver.recv().unwrap().unwrap(), Change::Remove(b"a".to_vec()));
        assert!(receiver.recv().unwrap().unwrap_err().to_string().contains("repository"));
    }

    #[test]
    fn trees_with_invalid_names_or_too_many_entries_are_refused() {
        let compare = |names: &[&str], most| {
            let entry = |name: &&str| [b"100644 ", name.as_bytes(), b"\0", &[0xaa; 20]].concat();
            let bytes = names.iter().flat_map(entry).collect();
            let trees = [Tree::default(), Tree { id: "a".repeat(40), bytes, width: 20 }];
            let (path, mut tasks) = (format!("{}/", "0".repeat(38)), Vec::new());
            let result = Version::One.compare(path.as_bytes(), trees, &mut tasks, most);
            (tasks.len(), result.map_err(|error| error.to_string()))
        };
        for name in ["", ".", "..", "/", "0/0", "//00"] {
            assert_eq!(compare(&["00", name, "11"], 9), (1, Err(damaged().to_string())), "{name}");
        }
        assert_eq!(compare(&["00", "...", "11", "22"], 3), (3, Ok(())));
        assert_eq!(compare(&["00", "11", "22", "33"], 2), (3, Err(too_many().to_string())));
    }
}
