//! `--state`: records which messages and files a run has read, so that the next run prints only new URLs.
//!
//! - A message in a Maildir is identified by its name without the flags, because this part never changes.
//! - Any other file is identified by its device, inode, size and modification time. If one of these four values has
//!   changed, urlspool compares two hashes with the hashes of the last run: a hash of the first bytes of the file, and
//!   a hash of the last bytes that were read. If both hashes are unchanged, urlspool continues a mailbox where the last
//!   run ended, and skips any other file of the same size.
//! - All other changed files are read again from the beginning.
//!
//! [`State::decide`] returns the function that decides which part of a file to read. Each thread calls this function
//! before it reads a file. [`State::commit`] records what was read, in the order of the output. A run ignores its own
//! records: a path that is twice on the command line is read twice.
//!
//! In a public-inbox repository, each message is a git object. A git object never changes, so it is identified by its
//! name. In the state file, a git object has a `message` record, like a message in a Maildir. The `dir` record before
//! the `message` record has the path of the repository.

mod fingerprint;
mod journal;
mod known;
mod record;

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use urlspool::{Position, Resume};

use self::fingerprint::{Fingerprint, MOST};
use self::journal::Journal;
use self::known::{Earlier, Known};
use self::record::{Content, Record, Stat};
use crate::escaped::Escaped;
use crate::file_id::id;
use crate::last_byte::last_byte;

/// A file that has not changed for a minute counts as complete: no program is still writing a message to it.
const SETTLED: Duration = Duration::from_secs(60);

/// How often the position in a large mailbox is recorded.
const PROGRESS: Duration = Duration::from_secs(1);

/// An event that [`State::commit`] records. The events have the order of the output.
pub(crate) enum Mark {
    /// A mailbox was read up to this position. The fingerprint covers the bytes directly before `Position::end`.
    Reached(PathBuf, Position, Fingerprint),
    /// A file, or a member of an archive, could not be read.
    Failed(PathBuf),
    /// The last event of a file, even of a file that could not be read to its end.
    Finished(PathBuf),
}

impl Mark {
    /// `before` has the bytes directly before `Position::end`.
    pub(crate) fn reached(path: &Path, position: &Position, before: &[u8]) -> Mark {
        Mark::Reached(path.into(), *position, Fingerprint::of_end(before))
    }
}

pub(crate) struct State {
    shared: Arc<Shared>,
    journal: Journal,
    /// Whether URLs are printed while the input is read. Otherwise both the URLs and the state file are written at the
    /// end of the run.
    is_streamed: bool,
    /// Whether the output continues that of an earlier run: this is not the first run, and standard output is a file
    /// that is not empty.
    pub(crate) is_continued: bool,
    /// Standard output, if it is a regular file.
    output: Option<File>,
    /// The files and archive members of all [`Mark::Failed`] events since the last [`Mark::Finished`].
    failed: Vec<PathBuf>,
    /// The time at which [`State::reached`] last recorded a position.
    progress: Instant,
}

/// The data that the reading threads share.
struct Shared {
    memory: Mutex<Memory>,
    /// The device and inode of the state file itself, which is never searched.
    own: Option<(u64, u64)>,
    now: SystemTime,
}

#[derive(Default)]
struct Memory {
    known: Known,
    reading: HashMap<PathBuf, Reading>,
    /// Files that this run skips because their content is unchanged, although their path, inode or time has changed.
    /// They get new records.
    met: Vec<Reading>,
    /// Files that cannot be recorded, each with the error in reading its directory or its metadata.
    unknown: HashMap<PathBuf, io::Error>,
    /// The last result of [`Shared::folder`], cached because most files are in the same directory as the previous file.
    folder: Option<Arc<Folder>>,
    /// The git repository that [`Shared::object`] returned last, cached because most objects are in the same repository
    /// as the previous object.
    repository: Option<Arc<Folder>>,
}

struct Folder {
    /// The path of the directory, absolute or relative, as in the paths of its files.
    path: PathBuf,
    /// The canonical path of the directory, or of the Maildir if the directory is `cur` or `new` in a Maildir.
    real: Vec<u8>,
    is_maildir: bool,
}

/// A file that is being read.
struct Reading {
    folder: Arc<Folder>,
    name: Vec<u8>,
    /// `None` for a message in a Maildir and for a git object.
    stat: Option<Stat>,
    content: Option<Content>,
}

impl State {
    /// Opens the state file at `path` for a run with these `options`. `is_streamed` says whether the output is written
    /// while the input is read. `output` is standard output.
    ///
    /// # Errors
    ///
    /// Returns an error if the state file cannot be used. The error is a one-line message for the user.
    pub(crate) fn open(path: &Path, options: &[u8], is_streamed: bool, output: Option<File>) -> Result<State, String> {
        let output = output.filter(|output| output.metadata().is_ok_and(|data| data.is_file()));
        let is_later = fs::metadata(path).is_ok_and(|data| data.len() > 0);
        let has_lines = output.as_ref().is_some_and(|output| output.metadata().is_ok_and(|data| data.len() > 0));
        let mut known = Known::default();
        let journal = Journal::open(path, options, &mut known)?;
        let shared = Shared {
            memory: Memory { known, ..Memory::default() }.into(),
            own: fs::metadata(path).ok().and_then(|data| id(&data)),
            now: SystemTime::now(),
        };
        if let Some(output) = &output {
            // An error is ignored here: writing the output will fail too, and that error is reported.
            let _ = end_last_line(output);
        }
        Ok(State {
            shared: shared.into(),
            journal,
            is_streamed,
            is_continued: is_later && has_lines,
            output,
            failed: Vec::new(),
            progress: Instant::now(),
        })
    }

    /// Returns the function that decides which part of a file to read.
    pub(crate) fn decide(&self) -> impl Fn(&Path) -> Resume + Send + Sync + 'static {
        let shared = Arc::clone(&self.shared);
        move |path| shared.decide(path)
    }

    /// Returns the warnings for the user that were added since the last call.
    pub(crate) fn notes(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.memory().known.notes)
    }

    /// Records which input was read. Call this function only after the URLs of this input were printed.
    ///
    /// # Errors
    ///
    /// Returns an error if the state file cannot be written. In this case, the next run prints the URLs of the
    /// unrecorded input again.
    pub(crate) fn commit(&mut self, marks: Vec<Mark>) -> io::Result<()> {
        for mark in marks {
            match mark {
                Mark::Failed(path) => self.failed.push(path),
                Mark::Reached(path, position, before) => self.reached(&path, position, before),
                Mark::Finished(path) => self.finished(&path),
            }
        }
        for file in self.shared.memory().met.drain(..) {
            self.journal.add(&file.folder.real, &file.record());
        }
        if !self.is_streamed {
            return Ok(());
        }
        self.journal.append()?;
        self.journal.sync(self.output.as_ref(), false)
    }

    /// Writes the remaining records, and removes outdated records. Call this function after all output was printed.
    ///
    /// # Errors
    ///
    /// Returns an error if the remaining records cannot be written. If outdated records cannot be removed, adds a
    /// warning for the user instead.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.commit(Vec::new())?;
        self.journal.append()?;
        self.journal.sync(self.output.as_ref(), true)?;
        let mut memory = self.shared.memory();
        let known = &mut memory.known;
        if let Some(Err(error)) = known.is_stale().then(|| self.journal.tidy(known)) {
            let name = Escaped::path(&self.journal.path);
            known.notes.push(format!("{name}: cannot remove outdated records: {error}; the state file is still valid"));
        }
        Ok(())
    }

    pub(crate) fn failure(&self, error: &io::Error) -> String {
        let name = Escaped::path(&self.journal.path);
        format!("{name}: cannot write the state file: {error}; the next run will repeat the last part of the output")
    }

    fn reached(&mut self, path: &Path, position: Position, before: Fingerprint) {
        let mut memory = self.shared.memory();
        let Some(file) = memory.reading.get_mut(path) else { return };
        // If the name of a file is a number, `decide` takes the file for a single message. It can then leave `content`
        // at `None` instead of hashing the file. If the file turns out to be a mailbox, create `content` here.
        let content =
            file.content.get_or_insert(Content { head: Fingerprint::of_end(b""), tail: before, position: None });
        if content.position.is_none_or(|earlier| earlier.end != position.end) {
            content.tail = before;
        }
        content.position = Some(position);
        if self.is_streamed && self.progress.elapsed() >= PROGRESS {
            self.progress = Instant::now();
            self.journal.add(&file.folder.real, &file.record());
        }
    }

    fn finished(&mut self, path: &Path) {
        let failed = std::mem::take(&mut self.failed);
        let Some(mut file) = self.shared.memory().reading.remove(path) else {
            let unknown = self.shared.memory().unknown.remove(path);
            if let Some(why) = unknown.filter(|_| !failed.iter().any(|failed| is_of(failed, path))) {
                let name = Escaped::path(path);
                let note =
                    format!("{name}: cannot be recorded in the state file: {why}; the next run reads the file again");
                self.shared.memory().known.notes.push(note);
            }
            return;
        };
        if failed.iter().any(|failed| is_of(failed, path)) {
            // Record 0 as the modification time, so that the next run compares the fingerprints instead of skipping the
            // file.
            let Some(stat) = &mut file.stat else { return };
            stat.modified = 0;
            if file.content.is_none_or(|content| content.position.is_none()) {
                return;
            }
        }
        self.journal.add(&file.folder.real, &file.record());
    }
}

/// Appends a line break to the output file if the last line is incomplete, for example because a run was killed.
/// Without this line break, the first URL of this run would be on that line, too.
///
/// # Errors
///
/// Returns an error if the file cannot be read or written, or if the system has no `/dev/fd/1`.
fn end_last_line(mut output: &File) -> io::Result<()> {
    match last_byte(Path::new("/dev/fd/1"))? {
        None | Some(b'\n' | 0) => Ok(()),
        Some(_) => output.write_all(b"\n"),
    }
}

/// Returns whether the path `failed` is the file `path` or a member of it.
fn is_of(failed: &Path, path: &Path) -> bool {
    let rest = failed.as_os_str().as_encoded_bytes().strip_prefix(path.as_os_str().as_encoded_bytes());
    rest.is_some_and(|rest| matches!(rest, [] | [b'!', ..]))
}

impl Reading {
    fn record(&self) -> Record {
        match self.stat {
            None => Record::Message(self.name.clone()),
            Some(stat) => Record::File(self.name.clone(), stat, self.content),
        }
    }
}

impl Shared {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides which part of a file to read. Adds the file to `reading` if the file will be read and can be recorded.
    fn decide(&self, path: &Path) -> Resume {
        let whole = Resume::Read { from: None, is_settled: true };
        if let Some((folder, name)) = self.object(path) {
            return self.message(path, folder, name, whole);
        }
        let Some(name) = path.file_name() else { return whole };
        let folder = match self.folder(path) {
            Ok(folder) => folder,
            Err(why) => return self.unknown(path, why),
        };
        let name = name.as_encoded_bytes();
        if folder.is_maildir {
            return self.message(path, folder, urlspool::shared::unique_name(name).into(), whole);
        }
        let data = match fs::metadata(path) {
            Ok(data) => data,
            Err(why) => return self.unknown(path, why),
        };
        if !data.is_file() {
            return whole;
        }
        if id(&data).is_some_and(|id| Some(id) == self.own) {
            return Resume::Skip;
        }
        self.file(path, folder, name, &data)
    }

    /// Decides which part of the file `name` in `folder` to read.
    fn file(&self, path: &Path, folder: Arc<Folder>, name: &[u8], data: &Metadata) -> Resume {
        let whole = Resume::Read { from: None, is_settled: true };
        let stat = Stat::of(data);
        let modified = data.modified().unwrap_or(self.now);
        let age = self.now.duration_since(modified).or_else(|_| modified.duration_since(self.now));
        let is_settled = age.is_ok_and(|age| age >= SETTLED);
        let earlier = self.memory().known.meet_file(&folder.real, name, &stat);
        let reading = |content| Reading { folder: Arc::clone(&folder), name: name.into(), stat: Some(stat), content };
        if let Some(earlier) = earlier.iter().flatten().find(|earlier| earlier.is_unchanged(&stat)) {
            if !earlier.is_same_path {
                // The file was renamed, so record its new path. If another file now has the old path, the record of
                // that file will replace the old record.
                self.memory().known.replaced += 1;
                self.memory().met.push(reading(earlier.content));
            }
            return Resume::Skip;
        }
        for earlier in earlier.iter().flatten() {
            let Some(content) = earlier.content.filter(|_| earlier.is_continued_by(path, &stat)) else { continue };
            self.memory().known.replaced += 1;
            let reading = reading(Some(content));
            if earlier.is_read(&stat) {
                self.memory().met.push(reading);
                return Resume::Skip;
            }
            return self.read(path, reading, Resume::Read { from: content.position, is_settled });
        }
        if let Some(earlier) = earlier[0].filter(|earlier| earlier.stat.size > 0) {
            self.note(path, &earlier.stat, &stat);
        }
        // A file whose name is a number is most likely a single message in a news spool or an MH folder. If such a file
        // has not changed for a minute, it is not hashed, because opening each message a second time would be slow.
        let is_message = name.iter().all(u8::is_ascii_digit);
        if is_message && is_settled {
            return self.read(path, reading(None), whole);
        }
        let Ok((content, ends_with_line)) = content(path, &stat) else {
            // The file cannot be read now, so it is not hashed. If the search can read the file later, the state file
            // records only the metadata of the file.
            return self.read(path, reading(None), Resume::Read { from: None, is_settled });
        };
        if is_message && !is_settled && !ends_with_line {
            self.memory().known.notes.push(format!(
                "{}: skipped, because its last line may be incomplete; the next run will read this file",
                Escaped::path(path)
            ));
            return Resume::Skip;
        }
        self.read(path, reading(Some(content)), Resume::Read { from: None, is_settled })
    }

    /// Skips a message in a Maildir or a git object that an earlier run has read.
    fn message(&self, path: &Path, folder: Arc<Folder>, name: Vec<u8>, resume: Resume) -> Resume {
        if self.memory().known.meet_message(&folder.real, &name) {
            return Resume::Skip;
        }
        self.read(path, Reading { folder, name, stat: None, content: None }, resume)
    }

    fn read(&self, path: &Path, reading: Reading, resume: Resume) -> Resume {
        self.memory().reading.insert(path.into(), reading);
        resume
    }

    /// Decides to read a file that cannot be recorded. Most likely, the search cannot open the file either, and reports
    /// an error.
    fn unknown(&self, path: &Path, why: io::Error) -> Resume {
        self.memory().unknown.insert(path.into(), why);
        Resume::Read { from: None, is_settled: true }
    }

    fn note(&self, path: &Path, before: &Stat, now: &Stat) {
        let mut memory = self.memory();
        let known = &mut memory.known;
        known.replaced += 1;
        let why = match () {
            () if (before.device, before.inode) != (now.device, now.inode) => {
                "the file was replaced since the last run"
            }
            () if now.size < before.size => "the file has become shorter since the last run",
            () => "the file has changed since the last run",
        };
        known.notes.push(format!("{}: {why}; reading it from the beginning", Escaped::path(path)));
    }

    /// Returns the repository and the name of a git object, if the path has the form `REPOSITORY:NAME` and is no file.
    fn object(&self, path: &Path) -> Option<(Arc<Folder>, Vec<u8>)> {
        let (repository, name) = path.to_str()?.rsplit_once(':')?;
        if ![40, 64].contains(&name.len()) || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        if path.symlink_metadata().is_ok() {
            return None;
        }
        let mut memory = self.memory();
        let last = &mut memory.repository;
        if last.as_ref().is_none_or(|last| last.path != Path::new(repository)) {
            let real = fs::canonicalize(repository).ok().filter(|real| real.is_dir())?;
            let real = real.as_os_str().as_encoded_bytes().to_vec();
            *last = Some(Arc::new(Folder { path: repository.into(), real, is_maildir: false }));
        }
        Some((last.clone()?, name.into()))
    }

    /// Returns the directory of a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory does not exist, or if the function cannot find out whether the directory
    /// belongs to a Maildir.
    fn folder(&self, path: &Path) -> io::Result<Arc<Folder>> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let last = self.memory().folder.clone();
        if let Some(folder) = last.filter(|folder| folder.path == parent) {
            return Ok(folder);
        }
        let real = fs::canonicalize(parent)?;
        let is_in = |above: &Path, this: &str, other: &str| {
            Ok::<_, io::Error>(real.ends_with(this) && is_dir(&above.join(other))?)
        };
        let maildir = match real.parent() {
            Some(above) if is_in(above, "cur", "new")? || is_in(above, "new", "cur")? => Some(above),
            _ => None,
        };
        let is_maildir = maildir.is_some();
        let real = maildir.unwrap_or(&real).as_os_str().as_encoded_bytes().to_vec();
        let folder = Arc::new(Folder { path: parent.into(), real, is_maildir });
        self.memory().folder = Some(Arc::clone(&folder));
        Ok(folder)
    }
}

fn is_dir(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(data) => Ok(data.is_dir()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a file that is searched. Does not wait for a writer if the file has become a pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.open(path)
}

/// Returns the fingerprints of a file that is read from the beginning, and whether it is empty or ends with a line
/// break.
fn content(path: &Path, stat: &Stat) -> io::Result<(Content, bool)> {
    let mut file = open(path)?;
    let head = Fingerprint::at(&mut file, 0, stat.size.min(MOST))?;
    let start = stat.size.saturating_sub(MOST);
    let tail = Fingerprint::at(&mut file, start, stat.size - start)?;
    let ends_with_line = stat.size == 0 || {
        let mut last = [0];
        file.seek(SeekFrom::Start(stat.size - 1))?;
        match file.read_exact(&mut last) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => true,
            read => read.map(|()| last == *b"\n")?,
        }
    };
    Ok((Content { head, tail, position: None }, ends_with_line))
}

impl Earlier {
    /// Returns whether the earlier run has read the file up to its current size.
    fn is_read(&self, now: &Stat) -> bool {
        self.content.and_then(|content| content.position).is_none_or(|position| position.end >= now.size)
    }

    /// Returns whether the earlier run has read the file to its end, and the metadata shows no change since then.
    fn is_unchanged(&self, now: &Stat) -> bool {
        let Stat { device, inode, size, modified } = self.stat;
        let is_same_inode = (device, inode) == (now.device, now.inode);
        let is_same = (size, modified) == (now.size, now.modified);
        // If the inode differs, the file may be a copy or a different file. If the record has fingerprints,
        // `is_continued_by` compares them with the content. If the record has no fingerprints, a file with the same
        // path, size and time counts as the same file.
        is_same && self.is_read(now) && (is_same_inode || self.is_same_path && self.content.is_none())
    }

    /// Compares fingerprints to find out whether the file at `path` still begins with the bytes that the earlier run
    /// has read. If the record has no position, the file was read as a whole, and must still have the same size. A file
    /// that cannot be read counts as changed; the search opens the file later, and reports the error.
    fn is_continued_by(&self, path: &Path, now: &Stat) -> bool {
        let Some(Content { head, tail, position }) = &self.content else { return false };
        let end = position.map_or(self.stat.size, |position| position.end);
        if end > now.size || position.is_none() && end != now.size {
            return false;
        }
        let is_same = || {
            let mut file = open(path)?;
            let start = end.saturating_sub(tail.length);
            let is_same_head = Fingerprint::at(&mut file, 0, head.length)? == *head;
            Ok::<_, io::Error>(is_same_head && Fingerprint::at(&mut file, start, tail.length)? == *tail)
        };
        is_same().unwrap_or(false)
    }
}

impl Stat {
    fn of(data: &Metadata) -> Stat {
        let (device, inode) = id(data).unwrap_or_default();
        let nanos =
            |time: Result<Duration, _>| time.ok().and_then(|time: Duration| i64::try_from(time.as_nanos()).ok());
        let modified = data.modified().ok();
        let since = modified.and_then(|time| nanos(time.duration_since(SystemTime::UNIX_EPOCH)));
        let before = || modified.and_then(|time| nanos(SystemTime::UNIX_EPOCH.duration_since(time))).map(|time| -time);
        Stat { device, inode, size: data.len(), modified: since.or_else(before).unwrap_or(0) }
    }
}
