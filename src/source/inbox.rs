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

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::{thread, vec};

use super::layout::is_number;
use super::member::{Carrier, Next};
use super::natural_sort;
use crate::error::Error;
use crate::shared;

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
    let (commit, _) = Process::all(path, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
    Ok(commit.trim_end().to_owned())
}

fn is_repository(directory: &Path) -> bool {
    directory.join("HEAD").is_file() && directory.join("objects").is_dir() && directory.join("refs").is_dir()
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

/// A repository of an inbox.
struct Epoch {
    path: PathBuf,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The name of an object, in hexadecimal digits.
type Id = String;

/// The effect of a commit on a message. Each variant has a key, which identifies the message. In version 1, the key is
/// the path of the message in the tree. In version 2, the key is the name of the message's object.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    /// Adds a message, given its key and its object.
    Add(Vec<u8>, Id),
    /// Removes a message, given its key.
    Remove(Vec<u8>),
    /// Replaces a message, given its key and the new object.
    Replace(Vec<u8>, Id),
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
                return Err(Error::new_commits(path));
            }
        }
        let first = repositories.first().filter(|_| heads.is_some()).cloned();
        if let [path] = repositories.as_slice()
            && let Some((repository, id)) = object(path)
        {
            return Ok(Some(Inbox::of_object(repository, id)));
        }
        let (mut epochs, mut errors, mut removed) = (Vec::new(), Vec::new(), HashMap::new());
        let mut has_others = false;
        for path in repositories {
            match Content::of(&path) {
                Ok(Content::Nothing) => {}
                Ok(Content::Other) => has_others = true,
                Ok(Content::Mail(version)) => {
                    let epoch = Epoch { path, version };
                    if let Err(error) = epoch.count_removed(&mut removed) {
                        errors.push(error);
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
    fn of_object(repository: PathBuf, id: Id) -> Inbox {
        let objects = Objects { requested: VecDeque::from([id]), ..Objects::new(repository) };
        let history = Some(History { changes: None, ahead: VecDeque::new(), objects, failed: None });
        Inbox { epochs: Vec::new().into_iter(), history, removed: HashMap::new(), errors: Vec::new().into_iter() }
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
    Mail(Version),
    Other,
    /// The repository has no commits.
    Nothing,
}

impl Content {
    /// Determines the content of a repository from the first [`FILES`] files in the tree of the newest commit.
    fn of(path: &Path) -> Result<Content, Error> {
        let mut tree = Process::run(path, git(path).args(["ls-tree", "-r", "-z", "HEAD"]))?;
        let mut paths = BufReader::new(tree.output()).split(0).take(FILES);
        let mut version = None;
        let (mut files, mut are_alike) = (0, true);
        while let Some(entry) = paths.next().transpose().map_err(|e| Error::read(path, e))? {
            let name = entry.split(|&byte| byte == b'\t').nth(1).unwrap_or_default();
            let this = match name {
                b"m" | b"d" => Some(Version::Two),
                name => is_message_path(name).then_some(Version::One),
            };
            are_alike &= files == 0 || this == version;
            version = this;
            files += 1;
        }
        let is_whole = files < FILES;
        drop(paths);
        if is_whole && !tree.end()?.success() {
            return if has_branch(path)? { Err(tree.failed("ls-tree")) } else { Ok(Content::Nothing) };
        }
        Ok(version.filter(|_| are_alike).map_or(Content::Other, Content::Mail))
    }
}

/// Maximum number of files in a tree that are checked to distinguish an inbox from another repository.
const FILES: usize = 100;

/// Whether a repository has a branch. A new inbox has no branch.
fn has_branch(path: &Path) -> Result<bool, Error> {
    let (name, is_success) =
        Process::all(path, &["for-each-ref", "--count=1", "--format=%(objectname)", "refs/heads"])?;
    Ok(!name.is_empty() || !is_success)
}

/// Whether a path in a tree consists of 40 or 64 hexadecimal digits and at least one slash.
fn is_message_path(path: &[u8]) -> bool {
    let is_hex = path.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'/'));
    is_hex && path.contains(&b'/') && matches!(path.iter().filter(|&&byte| byte != b'/').count(), 40 | 64)
}

impl Epoch {
    /// For each message, counts the commits that remove or replace the message, and adds the counts to `removed`.
    fn count_removed(&self, removed: &mut HashMap<Vec<u8>, u64>) -> Result<(), Error> {
        let only = match self.version {
            Version::One => "--diff-filter=DM",
            Version::Two => "--diff-filter=AM",
        };
        let file = (self.version == Version::Two).then_some("d");
        let mut changes = Changes::new(self, &[], &[&[only, "--"][..], file.as_slice()].concat())?;
        while let Some(change) = changes.next()? {
            if let Change::Remove(key) | Change::Replace(key, _) = change {
                *removed.entry(key).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Converts a row of the output of `git diff-tree` to a change. `mode` and `id` describe the new object. Returns
    /// `None` if the change does not concern a message.
    fn change(&self, status: u8, mode: &[u8], id: &[u8], path: &[u8]) -> Option<Change> {
        let id = str::from_utf8(id).ok()?.to_owned();
        let is_file = mode.starts_with(b"100");
        match (self.version, path, status) {
            (Version::Two, b"m", b'A' | b'M') if is_file => Some(Change::Add(id.clone().into(), id)),
            (Version::Two, b"d", b'A' | b'M') => Some(Change::Remove(id.into())),
            (Version::One, path, b'A') if is_file && is_message_path(path) => Some(Change::Add(path.into(), id)),
            (Version::One, path, b'M') if is_file && is_message_path(path) => Some(Change::Replace(path.into(), id)),
            (Version::One, path, b'D' | b'M') => Some(Change::Remove(path.into())),
            _ => None,
        }
    }
}

/// The changes in the history of one repository.
struct Changes {
    commits: Process,
    trees: Process,
    output: BufReader<ChildStdout>,
    epoch: Epoch,
}

impl Changes {
    /// Starts `git rev-list` with `commit_options`, and passes its output to `git diff-tree` with `tree_options`.
    fn new(epoch: &Epoch, commit_options: &[&str], tree_options: &[&str]) -> Result<Changes, Error> {
        let path = &epoch.path;
        let mut list = git(path);
        list.args(["rev-list", "--first-parent"]).args(commit_options).args(["HEAD", "--"]);
        let mut commits = Process::run(path, &mut list)?;
        let mut diff = git(path);
        diff.args(["diff-tree", "--stdin", "-r", "-z", "--root", "--raw", "--no-renames", "--no-abbrev"]);
        diff.args(["--no-commit-id", "--diff-merges=first-parent"]).args(tree_options).stdin(commits.output());
        let mut trees = Process::run(path, &mut diff)?;
        let output = BufReader::new(trees.output());
        Ok(Changes { commits, trees, output, epoch: Epoch { path: path.clone(), ..*epoch } })
    }

    /// Returns the next change to a message. Returns `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if git fails or its output cannot be read.
    fn next(&mut self) -> Result<Option<Change>, Error> {
        loop {
            let (row, path) = (self.field()?, self.field()?);
            let Some((row, path)) = row.zip(path) else { break };
            // A row of `git diff-tree` has the format `:100644 100644 <old> <new> M`.
            let fields: Vec<_> = row.split(|&byte| byte == b' ').collect();
            let [_, mode, _, id, [status, ..]] = fields[..] else { continue };
            if let Some(change) = self.epoch.change(*status, mode, id, &path) {
                return Ok(Some(change));
            }
        }
        // If `diff-tree` fails, `rev-list` can fail too, because nothing reads its output. So `diff-tree` is checked
        // first.
        for (process, name) in [(&mut self.trees, "diff-tree"), (&mut self.commits, "rev-list")] {
            if !process.end()?.success() {
                return Err(process.failed(name));
            }
        }
        Ok(None)
    }

    /// Returns the next field of the output without the NUL at its end. Returns `None` after the last field.
    fn field(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let mut field = Vec::new();
        self.output.read_until(0, &mut field).map_err(|e| Error::read(&self.epoch.path, e))?;
        Ok(field.pop_if(|last| *last == 0).map(|_| field))
    }
}

/// The messages of one repository, from the oldest to the newest.
struct History {
    /// The changes that were not read yet. `None` after the last change.
    changes: Option<Changes>,
    /// The names of the objects to request next.
    ahead: VecDeque<Id>,
    objects: Objects,
    /// The error that stopped the reading of changes, if there was one.
    failed: Option<Error>,
}

impl History {
    fn new(epoch: Epoch) -> Result<History, Error> {
        let changes = Changes::new(&epoch, &["--reverse"], &[])?;
        let objects = Objects::new(epoch.path);
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
            let (key, id) = match changes.next() {
                Ok(Some(Change::Add(key, id))) => (key, Some(id)),
                Ok(Some(Change::Remove(key))) => (count_down(key, removed), None),
                Ok(Some(Change::Replace(key, id))) => (count_down(key, removed), Some(id)),
                end => {
                    (self.changes, self.failed) = (None, end.err());
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
    /// Whether the header of an object of this request stated a wrong size. Such an object can take all the rest of
    /// git's output, so git is then started for [`FIRST`] objects at a time. Otherwise, many such objects would take
    /// quadratic time.
    is_damaged: bool,
}

/// A running `git cat-file --batch`.
struct CatFile {
    _process: Process,
    output: BufReader<ChildStdout>,
    /// Whether no object was read yet.
    is_new: bool,
}

impl Objects {
    fn new(path: PathBuf) -> Objects {
        Objects { path, git: None, requested: VecDeque::new(), left: 0, failures: 0, is_damaged: false }
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
            match CatFile::start(&self.path, self.requested.iter().take(count)) {
                Ok(git) => self.git = Some(git),
                Err(e) => return Some(Err(self.give_up(e))),
            }
        }
        let id = self.requested.pop_front()?;
        let name = self.name(&id);
        let git = self.git.as_mut()?;
        let is_new = std::mem::take(&mut git.is_new);
        match git.header(&id) {
            Ok(size) => {
                // The object is followed by a line end of one byte.
                self.left = size + 1;
                self.failures = 0;
                Some(Ok(name))
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Some(Err(Error::open(&name, io::Error::other(e.to_string()))))
            }
            Err(e) if !is_new => {
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
                if self.failures == FAILURES { Some(Err(self.give_up(e))) } else { Some(Err(Error::open(&name, e))) }
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
                Ok(n)
            }
            Err(e) => Err(e),
        }
    }

    fn skip(&mut self) {
        let left = std::mem::take(&mut self.left);
        if let Some(git) = &mut self.git
            && !io::copy(&mut git.output.by_ref().take(left), &mut io::sink()).is_ok_and(|skipped| skipped == left)
        {
            (self.git, self.is_damaged) = (None, true);
        }
    }
}

fn damaged() -> io::Error {
    io::Error::other("git cannot read the object; run `git fsck` in the repository to find the damage")
}

impl CatFile {
    /// Starts git, and requests objects. git ends after the last object, so it does not wait for ever if this object is
    /// shorter than its header says.
    fn start<'i>(path: &Path, ids: impl Iterator<Item = &'i Id>) -> io::Result<CatFile> {
        let mut process = Process::start(path, git(path).args(["cat-file", "--batch"]).stdin(Stdio::piped()))?;
        let mut input = process.child.stdin.take().ok_or_else(damaged)?;
        let lines: String = ids.flat_map(|id| [id, "\n"]).collect();
        // A thread writes the requests: git reads no request while it waits until an object is read. If git ends early,
        // writing fails, and `header` reports it.
        thread::Builder::new().spawn(move || input.write_all(lines.as_bytes()))?;
        let output = BufReader::new(process.output());
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
        let mut line = Vec::new();
        if self.output.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, damaged()));
        }
        let line = str::from_utf8(&line).ok().and_then(|line| line.strip_suffix('\n')?.strip_prefix(id));
        let mut fields = line.ok_or_else(damaged)?.split(' ').skip(1);
        match (fields.next(), fields.next()) {
            (Some("missing"), _) => {
                let why = "the object is missing; run `git fsck` in the repository to find all missing objects";
                Err(io::Error::new(io::ErrorKind::NotFound, why))
            }
            (_, size) => size.and_then(|size| size.parse().ok()).ok_or_else(damaged),
        }
    }
}

/// Maximum length in bytes of the line before an object. The line has a name of at most 64 digits, a type, and at most
/// 20 digits.
const LINE_MAX: u64 = 96;

/// A git process. The process is killed when this value is dropped.
struct Process {
    child: Child,
    path: PathBuf,
}

impl Process {
    /// Starts git for the repository `path`.
    fn start(path: &Path, command: &mut Command) -> io::Result<Process> {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        Ok(Process { child, path: path.into() })
    }

    fn run(path: &Path, command: &mut Command) -> Result<Process, Error> {
        Process::start(path, command).map_err(|e| Error::open(path, e))
    }

    /// Runs git. Returns its standard output, and whether git succeeded.
    fn all(path: &Path, arguments: &[&str]) -> Result<(String, bool), Error> {
        let mut process = Process::run(path, git(path).args(arguments))?;
        let mut output = String::new();
        process.output().read_to_string(&mut output).map_err(|e| Error::read(path, e))?;
        Ok((output, process.end()?.success()))
    }

    /// Returns the standard output of git. Panics if called twice.
    fn output(&mut self) -> ChildStdout {
        self.child.stdout.take().expect("standard output of git is a pipe")
    }

    /// Waits for git to exit.
    fn end(&mut self) -> Result<ExitStatus, Error> {
        self.child.wait().map_err(|e| Error::read(&self.path, e))
    }

    /// Returns the error for a failed command `git name`. The error does not quote the messages of git, because a
    /// damaged repository can cause any number of messages.
    fn failed(&self, name: &str) -> Error {
        let why = format!("git {name} failed; run `git fsck` in the repository to find the damage");
        Error::read(&self.path, io::Error::other(why))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error is ignored, because `drop` cannot return it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a command that runs git for one repository. The command ignores the environment variables of git, and the
/// configuration of the user and of the system. The command does not use the network.
fn git(path: &Path) -> Command {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
        git.env_remove(name);
    }
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let environment = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", nothing),
        ("GIT_ATTR_NOSYSTEM", "1"),
        // The next two variables stop git from fetching the missing objects of a partial clone. Old versions of git
        // know only the second one.
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_ALLOW_PROTOCOL", ""),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ];
    git.envs(environment).args(["--no-pager", "--no-replace-objects", "--literal-pathspecs"]);
    for setting in ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never"] {
        git.args(["-c", setting]);
    }
    // Without `--git-dir`, git refuses a repository that belongs to another user.
    let mut directory = OsString::from("--git-dir=");
    directory.push(path);
    git.arg(directory).stdin(Stdio::null());
    git
}

#[cfg(test)]
#[cfg(all(unix, feature = "git"))]
mod tests;
