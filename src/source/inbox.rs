//! Reads a public-inbox by running git(1). A public-inbox is a mail archive in git repositories, with one git object
//! for each message.
//!
//! - In version 1, the tree of a commit has one file for each message. The path of this file consists of 40 or 64
//!   hexadecimal digits, and at least one slash between them.
//! - In version 2, the tree of each commit has one file. A file named `m` is a new message. A file named `d` is a
//!   message that was removed. Large inboxes are divided into epochs. Each epoch is a repository: `git/0.git`,
//!   `git/1.git` and so on.
//!
//! The history is read twice. The first pass counts the messages that were removed or replaced. The second pass reads
//! the messages from the oldest commit to the newest, and skips messages that are removed or replaced later. Memory
//! holds only the counts of the first pass, and the names of at most twice [`REQUESTS`] messages. git itself keeps a
//! list of the commits.
//!
//! A repository can be hostile. This module uses only git commands that read objects. These commands ignore all
//! configuration except that of the repository. None of these commands runs a hook, a filter, a pager or a helper. None
//! of them uses the network, not even to fetch missing objects.

mod changes;
mod git;

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::{thread, vec};

use self::changes::{Change, Changes, Epoch, Id, Version, failed, version};
use self::git::{Output, Process, TimeLeft, damaged};

use super::layout::is_number;
use super::member::{Carrier, Next};
use super::natural_sort;
use crate::error::Error;
use crate::shared;
use crate::shared::{EXPANSION_FROM, EXPANSION_MAX};

/// Returns the git repositories of the public-inbox in `directory`, in the order of their epochs. Returns `None` if
/// `directory` does not look like a public-inbox.
///
/// `directory` can be a repository without a working tree, or a clone whose working tree has only mail. `directory` can
/// also be the top directory of an inbox, which has the epochs in `git/0.git` and so on.
pub(super) fn repositories(directory: &Path) -> Option<Vec<PathBuf>> {
    if is_repository(directory) {
        return Some(vec![directory.into()]);
    }
    let hidden = directory.join(".git");
    if is_repository(&hidden) {
        let mut names = fs::read_dir(directory).ok()?.flatten().map(|entry| entry.file_name());
        return names.all(|name| name == ".git" || name == "m" || name == "d").then(|| vec![hidden]);
    }
    let mut epochs: Vec<_> = fs::read_dir(directory.join("git"))
        .ok()?
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().strip_suffix(b".git").is_some_and(is_number))
        .map(|entry| entry.path())
        .filter(|path| is_repository(path))
        .collect();
    epochs.sort_by(|a, b| natural_sort::compare(a.as_os_str().as_encoded_bytes(), b.as_os_str().as_encoded_bytes()));
    (!epochs.is_empty()).then_some(epochs)
}

/// Splits `REPOSITORY:ID`, the name that urlspool prints for a git object. Returns `None` for any other path.
pub(super) fn object(path: &Path) -> Option<(PathBuf, String)> {
    let name = shared::bytes(path);
    let (repository, id) = name.split_at(memchr::memrchr(b':', name)?);
    let id = str::from_utf8(&id[1..]).ok()?;
    let repository = shared::path(repository);
    let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_id && is_repository(&repository)).then(|| (repository.into(), id.to_owned()))
}

/// Returns the name of the newest commit of a repository. Returns an empty string if the repository has no commits.
/// Also returns an empty string if `path` names an object in a repository, because an object never changes.
///
/// # Errors
///
/// Returns an error if git(1) cannot be run.
pub(crate) fn head(path: &Path) -> Result<String, Error> {
    if object(path).is_some() {
        return Ok(String::new());
    }
    git::check(path)?;
    let (commit, _) = Process::all(path, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
    Ok(commit.trim_end().to_owned())
}

/// Whether a directory is a repository, also one that is damaged. A copy of a repository can lack its empty `refs`, and git
/// then reports an error.
fn is_repository(directory: &Path) -> bool {
    directory.join("HEAD").is_file() && directory.join("objects").is_dir()
}

/// An open inbox. [`advance`](Carrier::advance) moves to the next message, and [`Read`] reads the bytes of that
/// message.
pub(super) struct Inbox {
    epochs: vec::IntoIter<Epoch>,
    /// The messages of the repository that is being read.
    history: Option<History>,
    /// For each message, the number of commits that remove or replace the message, and that the second pass has not
    /// read yet.
    removed: HashMap<Vec<u8>, u64>,
    /// Errors of the first pass, which are returned before any message.
    errors: vec::IntoIter<Error>,
}

impl Inbox {
    /// Opens the repositories of an inbox. Returns `None` if at least one repository has commits, but none has mail.
    ///
    /// `heads` contains the newest commit of each repository. If `heads` is not `None`, only the first repository is
    /// read. The other repositories are searched only for commits that remove messages of the first repository.
    ///
    /// # Errors
    ///
    /// Returns an error if git(1) cannot be run, or if the newest commit of a repository is not the one in `heads`.
    pub(super) fn open(repositories: Vec<PathBuf>, heads: Option<&[String]>) -> Result<Option<Inbox>, Error> {
        for (path, then) in repositories.iter().zip(heads.unwrap_or_default()) {
            if head(path)? != *then {
                return Err(Error::changed(path, "it has new commits"));
            }
        }
        let first = repositories.first().filter(|_| heads.is_some()).cloned();
        if let [path] = repositories.as_slice()
            && let Some((repository, id)) = object(path)
        {
            return Inbox::of_object(repository, id).map(Some);
        }
        let (mut epochs, mut errors, mut removed) = (Vec::new(), Vec::new(), HashMap::new());
        let mut has_others = false;
        for path in repositories {
            match Content::of(&path) {
                Ok(Content::Nothing) => {}
                Ok(Content::Other) => has_others = true,
                Ok(Content::Mail(epoch)) => {
                    errors.extend(count_removed(&epoch, &mut removed).err());
                    let is_read = first.as_ref().is_none_or(|first| path == *first);
                    if is_read && epoch.version == Version::Two && is_shallow(&path) {
                        errors.push(Error::read(&path, shallow()));
                    }
                    epochs.push(epoch);
                }
                Err(error) if error.io_error().is_some_and(|reason| reason.kind() == io::ErrorKind::NotFound) => {
                    let why = io::Error::other("git is not installed; install it to read git repositories");
                    return Err(Error::open(&path, why));
                }
                Err(error) => errors.push(error),
            }
        }
        if epochs.is_empty() && errors.is_empty() && has_others {
            return Ok(None);
        }
        epochs.retain(|epoch| first.as_ref().is_none_or(|first| epoch.path == *first));
        Ok(Some(Inbox { epochs: epochs.into_iter(), history: None, removed, errors: errors.into_iter() }))
    }

    /// Opens a repository to read a single object.
    fn of_object(repository: PathBuf, id: Id) -> Result<Inbox, Error> {
        let size = git::check(&repository)?;
        let objects = Objects { requested: VecDeque::from([id]), ..Objects::new(repository, size) };
        let history = Some(History { changes: None, ahead: VecDeque::new(), objects, failed: None });
        let (epochs, errors) = (Vec::new().into_iter(), Vec::new().into_iter());
        Ok(Inbox { epochs, history, removed: HashMap::new(), errors })
    }

    /// Moves to the next message. Returns its name in the form `REPOSITORY:ID`. Returns `None` at the end.
    fn next(&mut self) -> Option<Result<PathBuf, Error>> {
        loop {
            if let Some(error) = self.errors.next() {
                return Some(Err(error));
            }
            let Some(history) = &mut self.history else {
                match History::new(self.epochs.next()?) {
                    Ok(history) => self.history = Some(history),
                    Err(error) => return Some(Err(error)),
                }
                continue;
            };
            match history.next(&mut self.removed) {
                None => self.history = None,
                next => return next,
            }
        }
    }
}

impl Carrier for Inbox {
    fn advance(&mut self) -> io::Result<Option<Next>> {
        Ok(self.next().map(|next| next.map_or_else(Next::Problem, Next::Object)))
    }
}

/// Reads the current message.
impl Read for Inbox {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.history.as_mut().map_or(Ok(0), |history| history.objects.read(buffer))
    }
}

enum Content {
    Mail(Epoch),
    Other,
    /// The repository has no commits.
    Nothing,
}

impl Content {
    /// Determines the content of a repository from the tree of its newest commit.
    fn of(path: &Path) -> Result<Content, Error> {
        let size = git::check(path)?;
        let (root, is_success) = Process::all(path, &["rev-parse", "--verify", "--quiet", "HEAD^{tree}"])?;
        if !is_success {
            return if has_branch(path)? { Err(failed(path, "rev-parse")) } else { Ok(Content::Nothing) };
        }
        let time = TimeLeft::of(size);
        let version = version(path, root.trim_end().to_owned(), &time).map_err(|e| Error::read(path, e))?;
        let epoch = |version| Content::Mail(Epoch { path: path.into(), version, size, time });
        Ok(version.map_or(Content::Other, epoch))
    }
}

/// Whether a repository is a shallow clone, which lacks the older commits. In version 2, it also lacks their messages.
fn is_shallow(path: &Path) -> bool {
    fs::metadata(path.join("shallow")).is_ok_and(|file| file.len() > 0)
}

fn shallow() -> io::Error {
    io::Error::other("it is a shallow clone without the older messages; run `git fetch --unshallow` to get them")
}

/// Whether a repository has a branch. A new inbox has no branch. git does not list a branch whose file is damaged, for
/// example empty after a power failure. A file such as `master.lock`, which a killed git leaves, is not a branch.
fn has_branch(path: &Path) -> Result<bool, Error> {
    let (name, is_success) =
        Process::all(path, &["for-each-ref", "--count=1", "--format=%(objectname)", "refs/heads"])?;
    let mut files = fs::read_dir(path.join("refs/heads")).into_iter().flatten().flatten();
    let is_branch = |path: PathBuf| path.is_file() && path.extension().is_none_or(|end| end != "lock");
    Ok(!name.is_empty() || !is_success || files.any(|entry| is_branch(entry.path())))
}

/// For each message, counts the commits that remove or replace the message, and adds the counts to `removed`.
fn count_removed(epoch: &Epoch, removed: &mut HashMap<Vec<u8>, u64>) -> Result<(), Error> {
    for change in Changes::start(epoch, false)? {
        if let Change::Remove(key) | Change::Replace(key, _) = change? {
            if removed.len() == REMOVED {
                let why = format!(
                    "more than {REMOVED} messages were removed or replaced; later removals are ignored, so removed messages can be found"
                );
                return Err(Error::read(&epoch.path, io::Error::other(why)));
            }
            *removed.entry(key).or_default() += 1;
        }
    }
    Ok(())
}

/// Maximum number of removed or replaced messages in memory.
const REMOVED: usize = 1_000_000;

/// The messages of one repository, from the oldest to the newest.
struct History {
    /// The changes that were not read yet. `None` after the last change.
    changes: Option<Receiver<Result<Change, Error>>>,
    /// The names of the objects to request next.
    ahead: VecDeque<Id>,
    objects: Objects,
    /// The error that stopped the reading of changes, if there was one.
    failed: Option<Error>,
}

impl History {
    fn new(epoch: Epoch) -> Result<History, Error> {
        let changes = Changes::start(&epoch, true)?;
        let objects = Objects { time: epoch.time, ..Objects::new(epoch.path, epoch.size) };
        Ok(History { changes: Some(changes), ahead: VecDeque::new(), objects, failed: None })
    }

    fn next(&mut self, removed: &mut HashMap<Vec<u8>, u64>) -> Option<Result<PathBuf, Error>> {
        loop {
            // For each object, two changes are read. So the processes that read the changes also work while objects are
            // read, and each request is twice as long as the one before.
            self.read_ahead(self.ahead.len() + 2, removed);
            if let Some(next) = self.objects.next() {
                return Some(next);
            }
            if self.objects.failures >= FAILURES {
                self.changes = None;
                self.ahead.clear();
            }
            self.read_ahead(FIRST, removed);
            if self.ahead.is_empty() {
                return self.failed.take().map(Err);
            }
            self.objects.request(std::mem::take(&mut self.ahead));
        }
    }

    /// Reads changes until `ahead` has `most` names, but at most [`REQUESTS`] names. Skips messages that are removed or
    /// replaced later.
    fn read_ahead(&mut self, most: usize, removed: &mut HashMap<Vec<u8>, u64>) {
        while self.ahead.len() < most.min(REQUESTS)
            && let Some(changes) = &mut self.changes
        {
            let (key, id) = match changes.recv() {
                Ok(Ok(Change::Add(key, id))) => (key, Some(id)),
                Ok(Ok(Change::Remove(key))) => (count_down(key, removed), None),
                Ok(Ok(Change::Replace(key, id))) => (count_down(key, removed), Some(id)),
                end => {
                    (self.changes, self.failed) = (None, end.ok().and_then(Result::err));
                    break;
                }
            };
            self.ahead.extend(id.filter(|_| !removed.contains_key(&key)));
        }
    }
}

/// Subtracts 1 from the number of commits that remove or replace the message `key`. Returns `key`.
fn count_down(key: Vec<u8>, removed: &mut HashMap<Vec<u8>, u64>) -> Vec<u8> {
    if let Some(count) = removed.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            removed.remove(&key);
        }
    }
    key
}

/// Number of objects in the first request. It is low, so that the first messages are found soon.
const FIRST: usize = 60;

/// Maximum number of objects that one git process is asked for. Starting git takes some 4 ms, so requests of 1,000
/// objects would make the search of an inbox a fifth slower.
const REQUESTS: usize = 30_000;

/// Number of consecutive failures after which git is not started again.
const FAILURES: u32 = 20;

/// Reads the objects of a repository with `git cat-file --batch`.
struct Objects {
    path: PathBuf,
    /// The git process, if it is running.
    git: Option<CatFile>,
    /// Objects that were requested but not received.
    requested: VecDeque<Id>,
    /// Number of remaining bytes of the current object, including the line end after it.
    left: u64,
    failures: u32,
    /// Number of bytes of objects that may still be read.
    limit: u64,
    time: TimeLeft,
    /// Whether the header of an object of this request stated a wrong size. Such an object can take all the rest of
    /// git's output, so git is then started for [`FIRST`] objects at a time. Otherwise, many such objects would take
    /// quadratic time.
    is_damaged: bool,
}

/// A running `git cat-file --batch`.
struct CatFile {
    _process: Process,
    output: BufReader<Output>,
    /// Whether no object was read yet.
    is_new: bool,
}

impl Objects {
    /// Makes a reader for the repository `path`, whose files have `size` bytes.
    fn new(path: PathBuf, size: u64) -> Objects {
        let limit = size.saturating_mul(EXPANSION_MAX).max(EXPANSION_FROM);
        let time = TimeLeft::of(size);
        Objects { path, git: None, requested: VecDeque::new(), left: 0, failures: 0, limit, time, is_damaged: false }
    }

    fn request(&mut self, ids: VecDeque<Id>) {
        self.requested = ids;
        self.git = None;
        self.is_damaged = false;
    }

    /// Moves to the next requested object. Returns `None` after the last object.
    fn next(&mut self) -> Option<Result<PathBuf, Error>> {
        self.skip();
        if self.git.is_none() && !self.requested.is_empty() {
            let count = if self.is_damaged { FIRST } else { REQUESTS };
            match CatFile::start(&self.path, self.requested.iter().take(count), &self.time) {
                Ok(git) => self.git = Some(git),
                Err(e) => return Some(Err(self.give_up(e))),
            }
        }
        let id = self.requested.pop_front()?;
        let name = self.name(&id);
        let git = self.git.as_mut()?;
        let is_new = std::mem::take(&mut git.is_new);
        let within = |size| if size <= self.limit { Ok(size) } else { Err(too_large()) };
        match git.header(&id).and_then(within) {
            Ok(size) => {
                // The object is followed by a line end of one byte.
                self.left = size + 1;
                self.failures = 0;
                Some(Ok(name))
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Some(Err(Error::open(&name, io::Error::other(e.to_string()))))
            }
            Err(e) if e.kind() == io::ErrorKind::TimedOut => {
                (self.git, self.failures) = (None, FAILURES);
                Some(Err(self.give_up(e)))
            }
            Err(e) if !is_new && e.kind() != io::ErrorKind::FileTooLarge => {
                // git has ended, or the header of the last object states a wrong size. git is started again for this
                // object.
                self.git = None;
                self.requested.push_front(id);
                if e.kind() == io::ErrorKind::UnexpectedEof {
                    return self.next();
                }
                self.is_damaged = true;
                Some(Err(Error::read(&self.path, e)))
            }
            Err(e) => {
                // git exits when it cannot read an object. `next` starts git again for the next object.
                self.git = None;
                self.failures += 1;
                if self.failures >= FAILURES { Some(Err(self.give_up(e))) } else { Some(Err(Error::open(&name, e))) }
            }
        }
    }

    fn name(&self, id: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(":");
        name.push(id);
        name.into()
    }

    fn give_up(&mut self, why: io::Error) -> Error {
        self.requested.clear();
        Error::read(&self.path, why)
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.left.saturating_sub(1).min(buffer.len() as u64) as usize;
        let Some(git) = self.git.as_mut().filter(|_| most > 0) else { return Ok(0) };
        match git.output.read(&mut buffer[..most]) {
            Ok(0) => {
                (self.git, self.left, self.is_damaged) = (None, 0, true);
                Err(damaged())
            }
            Ok(n) => {
                self.left -= n as u64;
                // The stated size of a damaged object can be far larger.
                self.limit -= n as u64;
                Ok(n)
            }
            Err(e) => Err(e),
        }
    }

    fn skip(&mut self) {
        let left = std::mem::take(&mut self.left);
        let Some(git) = &mut self.git else { return };
        let skipped = io::copy(&mut git.output.by_ref().take(left), &mut io::sink()).unwrap_or(0);
        self.limit = self.limit.saturating_sub(skipped);
        if skipped < left {
            (self.git, self.is_damaged) = (None, true);
        }
    }
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "the objects expand to more than 1000 times the size of the repository")
}

impl CatFile {
    /// Starts git, and requests objects. git ends after the last object, so it does not wait without end if this object is
    /// shorter than its header says.
    fn start<'i>(path: &Path, ids: impl Iterator<Item = &'i Id>, time: &TimeLeft) -> io::Result<CatFile> {
        let mut process = Process::start(path, &["cat-file", "--batch"], true)?;
        let mut input = process.input().ok_or_else(damaged)?;
        let lines: String = ids.flat_map(|id| [id, "\n"]).collect();
        // A thread writes the requests: git reads no request while it waits until an object is read. If git ends early,
        // writing fails, and `header` reports it.
        thread::Builder::new().spawn(move || input.write_all(lines.as_bytes()))?;
        let output = BufReader::new(process.output(time));
        Ok(CatFile { _process: process, output, is_new: true })
    }

    /// Reads the line before an object, such as `<name> blob <size>`. Returns the size of the object in bytes.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`NotFound`](io::ErrorKind::NotFound) if the object is missing, and of the kind
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if git has ended. Returns another error if the line is not that
    /// of the object `id`.
    fn header(&mut self, id: &str) -> io::Result<u64> {
        let missing = || {
            let why = "the object is missing; run `git fsck` in the repository to find all missing objects";
            io::Error::new(io::ErrorKind::NotFound, why)
        };
        git::header(&mut self.output, id)?.map(|header| header.size).ok_or_else(missing)
    }
}

#[cfg(test)]
#[cfg(all(unix, feature = "git"))]
mod tests;
