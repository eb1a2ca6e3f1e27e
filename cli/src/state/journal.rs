//! The state file. A run appends records to the file, and removes outdated records at the end of the run.
//!
//! The record of a file or message is appended only after its URLs were printed. If a run is killed, the records for
//! the last printed URLs can be missing, and the next run prints these URLs again. A kill can also truncate the last
//! line of the state file. The next run removes a last line that has no line break.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memchr::memchr_iter;
use urlspool::shared::path as path_of;

use super::known::Known;
use super::record::{ANY_MARK, MARK, Record};
use crate::atomic_file::{AtomicFile, private};
use crate::escaped::Escaped;
use crate::status::unwritten;

/// How often the output and the state file are synced to the disk.
const SYNC: Duration = Duration::from_secs(5);

pub(super) struct Journal {
    pub(super) path: PathBuf,
    file: File,
    /// The length in bytes of the file up to the end of its last complete record.
    length: u64,
    /// The directory in the last `dir` record that this run wrote.
    dir: Option<Vec<u8>>,
    /// Records that are not yet appended to the file.
    waiting: Vec<u8>,
    /// The time of the last sync to the disk.
    synced: Instant,
    /// Whether records were appended since the last sync.
    is_dirty: bool,
    /// Whether this run has added a record since its last `synced` record.
    has_begun: bool,
}

impl Journal {
    /// Opens or creates the state file at `path`, and locks it. Adds the records of the state file to `known`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be used. The error is a one-line message for the user.
    pub(super) fn open(path: &Path, options: &[u8], known: &mut Known) -> Result<Journal, String> {
        let name = Escaped::path(path);
        let unusable = |why: io::Error| format!("{name}: cannot use the state file: {}", unwritten(&why));
        let file = locked(path).map_err(|why| match why {
            TryLockError::WouldBlock => {
                format!("{name}: another run is using this state file; wait until that run ends")
            }
            TryLockError::Error(why) => unusable(why),
        })?;
        let text = fs::read(path).map_err(unusable)?;
        let mut journal = Journal {
            path: path.into(),
            file,
            length: text.len() as u64,
            dir: None,
            waiting: Vec::new(),
            synced: Instant::now(),
            is_dirty: false,
            has_begun: false,
        };
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if whole == 0 && MARK.as_bytes().starts_with(&text) {
            // The file is empty, or it has only a part of the first line because the first run was killed.
            journal.file.set_len(0).map_err(unusable)?;
            journal.length = 0;
            writeln!(journal.waiting, "{MARK}").expect("writing to a Vec cannot fail");
            Record::Options(options.into()).write(&mut journal.waiting);
            journal.append().map_err(unusable)?;
            return Ok(journal);
        }
        let end = load(&text[..whole], options, known).map_err(|why| format!("{name}:{why}"))?;
        if end < text.len() {
            journal.file.set_len(end as u64).map_err(unusable)?;
            journal.length = end as u64;
        }
        if end < whole {
            known.notes.push(format!(
                "{name}: the system crashed during an earlier run; files that were read just before the crash are read again"
            ));
        }
        Ok(journal)
    }

    /// Adds a record about a file or a message in the directory `dir`. [`append`](Self::append) writes the added
    /// records to the file.
    pub(super) fn add(&mut self, dir: &[u8], record: &Record) {
        if !std::mem::replace(&mut self.has_begun, true) {
            Record::Run(boot_id()).write(&mut self.waiting);
        }
        if self.dir.as_deref() != Some(dir) {
            Record::Dir(dir.into()).write(&mut self.waiting);
            self.dir = Some(dir.into());
        }
        record.write(&mut self.waiting);
    }

    /// Appends the records in `waiting` to the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written. The next call tries to append the same records again.
    pub(super) fn append(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.file.write_all(&self.waiting) {
            // Some of the records may already be in the file, so remove them. If they cannot be removed, the file can
            // end with an incomplete record, which the next run removes or reports.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += self.waiting.len() as u64;
        self.waiting.clear();
        self.is_dirty = true;
        Ok(())
    }

    /// Syncs the output to the disk, adds a `synced` record, and then syncs the state file. So after a crash of the
    /// system, the output still has the URLs of all records before a `synced` record. Does nothing if no records were
    /// appended since the last sync. Also does nothing if the last sync was less than [`SYNC`] ago, unless `now` is
    /// true.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the files cannot be written or synced.
    pub(super) fn sync(&mut self, output: Option<&File>, now: bool) -> io::Result<()> {
        if !self.is_dirty || !now && self.synced.elapsed() < SYNC {
            return Ok(());
        }
        output.map_or(Ok(()), File::sync_data)?;
        if self.has_begun {
            Record::Synced.write(&mut self.waiting);
            self.append()?;
            // Begin the next records with a new `run` record. Without a `run` record, [`trusted`] would trust these
            // records even after a crash of the system.
            self.has_begun = false;
        }
        self.file.sync_data()?;
        (self.is_dirty, self.synced) = (false, Instant::now());
        Ok(())
    }

    /// Removes outdated records: records that a later record replaces, and records of files that no longer exist. The
    /// records of a directory that this run has not visited are kept.
    ///
    /// # Errors
    ///
    /// Returns an error if the state file cannot be replaced. In this case, the old state file is unchanged.
    pub(super) fn tidy(&self, known: &Known) -> io::Result<()> {
        let hasher = RandomState::new();
        // Maps each file to the number of its last record. Earlier records of the file are outdated.
        let mut last: HashMap<u64, u64> = HashMap::new();
        self.each(|number, dir, record, _| {
            if let Record::File(name, ..) = record {
                last.insert(hasher.hash_one((dir, name)), number);
            }
            Ok(())
        })?;
        let draft = AtomicFile::new(&self.path, MARK.as_bytes())?;
        let mut there = There::default();
        let mut written: HashSet<u64> = HashSet::new();
        let mut current: Vec<u8> = Vec::new();
        let mut out = BufWriter::new(draft.draft()?);
        writeln!(out, "{MARK}")?;
        self.each(|number, dir, record, line| {
            let keeps = match record {
                Record::Options(_) => return out.write_all(line),
                Record::Run(_) | Record::Synced | Record::Dir(_) => false,
                Record::Message(name) => {
                    let is_there = !known.is_gone(dir, name) || there.has_message(dir, name);
                    is_there && written.insert(hasher.hash_one((dir, name)))
                }
                Record::File(name, ..) => {
                    let is_last = last.get(&hasher.hash_one((dir, name))) == Some(&number);
                    is_last && (!known.is_gone(dir, name) || There::has_file(dir, name))
                }
            };
            if !keeps {
                return Ok(());
            }
            if current != dir {
                current = dir.into();
                let mut text = Vec::new();
                Record::Dir(dir.into()).write(&mut text);
                out.write_all(&text)?;
            }
            out.write_all(line)
        })?;
        out.flush()?;
        out.get_ref().finish()
    }

    /// Calls `visit` for each record except `dir` records. The arguments are the number and the directory of the
    /// record, the record itself, and its line.
    fn each(&self, mut visit: impl FnMut(u64, &[u8], &Record, &[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(&self.path)?);
        let (mut line, mut dir) = (Vec::new(), Vec::new());
        reader.read_until(b'\n', &mut line)?;
        for number in 0.. {
            line.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let record = Record::parse(line.strip_suffix(b"\n").unwrap_or(&line)).map_err(io::Error::other)?;
            if let Record::Dir(path) = record {
                dir = path;
            } else {
                visit(number, &dir, &record, &line)?;
            }
        }
        Ok(())
    }
}

/// The messages that are in the Maildirs, as hashes, which need less memory than names. Each Maildir is listed once.
#[derive(Default)]
struct There {
    hasher: RandomState,
    /// Whether each Maildir was listed. If it was not, any message can be in it.
    maildirs: HashMap<u64, bool>,
    messages: HashSet<u64>,
}

impl There {
    /// Returns whether the Maildir `dir` has the message. Also returns `true` if the Maildir cannot be listed.
    fn has_message(&mut self, dir: &[u8], name: &[u8]) -> bool {
        let key = self.hasher.hash_one(dir);
        let is_listed = match self.maildirs.get(&key) {
            Some(&is_listed) => is_listed,
            None => {
                // A message moves from `new` to `cur`.
                let is_listed = ["new", "cur"].iter().all(|part| self.list(dir, part).is_ok());
                self.maildirs.insert(key, is_listed);
                is_listed
            }
        };
        !is_listed || self.messages.contains(&self.hasher.hash_one((dir, name)))
    }

    fn list(&mut self, dir: &[u8], part: &str) -> io::Result<()> {
        for entry in fs::read_dir(path_of(dir).join(part))? {
            let name = entry?.file_name();
            let name = urlspool::shared::unique_name(name.as_encoded_bytes());
            self.messages.insert(self.hasher.hash_one((dir, name)));
        }
        Ok(())
    }

    /// Returns whether a file exists. Also returns `true` if the check fails, for example because a permission is
    /// missing.
    fn has_file(dir: &[u8], name: &[u8]) -> bool {
        let found = path_of(dir).join(path_of(name)).symlink_metadata();
        !found.is_err_and(|error| error.kind() == ErrorKind::NotFound)
    }
}

/// Opens the file for appending, and locks it without waiting for another run.
fn locked(path: &Path) -> Result<File, TryLockError> {
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Err(TryLockError::Error(io::Error::other("it is not a regular file; give another name")));
    }
    loop {
        let file = private().append(true).create(true).open(path).map_err(TryLockError::Error)?;
        let result = loop {
            // A signal can interrupt the call.
            match file.try_lock() {
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        match result {
            Ok(()) => {}
            // Some network file systems have no locks. On such a file system, nothing prevents two simultaneous runs
            // with the same state file.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => return Ok(file),
            Err(error) => return Err(error),
        }
        // Another run may have replaced the file between `open` and `lock`. In this case, the loop opens the new file.
        let is_current = || Ok::<_, io::Error>(super::id(&file.metadata()?) == super::id(&fs::metadata(path)?));
        if is_current().map_err(TryLockError::Error)? {
            return Ok(file);
        }
    }
}

/// Adds the records in `text` to `known`, except the records that [`trusted`] excludes. Returns the offset in `text` at
/// which the added records end.
///
/// # Errors
///
/// The number of a line, from 1, and what is wrong in it, as a message for the user.
fn load(text: &[u8], options: &[u8], known: &mut Known) -> Result<usize, String> {
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if first != MARK.as_bytes() {
        let why = if first.starts_with(ANY_MARK.as_bytes()) {
            "another version of urlspool wrote this state file; use that version, or give another name to read all \
             files again"
        } else {
            "this is not a state file of urlspool; give another name"
        };
        return Err(format!("1: {why}"));
    }
    let end = trusted(text);
    let mut has_options = false;
    for (line, number) in text[..end].split_inclusive(|&byte| byte == b'\n').zip(1..).skip(1) {
        let wrong = |why: String| format!("{number}: {why}");
        let damaged = |why: &str| {
            wrong(format!(
                "the state file is damaged: {why}; correct or delete this line; the next run reads each file \
                 that the state file does not list"
            ))
        };
        match Record::parse(line.strip_suffix(b"\n").unwrap_or(line)).map_err(damaged)? {
            Record::Options(earlier) if earlier == options => has_options = true,
            Record::Options(earlier) => {
                return Err(wrong(format!(
                    "this state file belongs to runs with {}, but this run has {}; use the same options, or another \
                     state file",
                    shown(&earlier),
                    shown(options)
                )));
            }
            Record::Run(_) | Record::Synced => {}
            Record::Dir(path) => known.enter(&path),
            record => known.add(record).map_err(damaged)?,
        }
    }
    if has_options {
        Ok(end)
    } else {
        let why = "the line with the options is missing; insert `options`, a tab and the options after line 1";
        Err(format!("2: the state file is damaged: {why}"))
    }
}

fn shown(options: &[u8]) -> String {
    if options.is_empty() { "no options".to_owned() } else { Escaped(options).to_string() }
}

/// Returns the offset in `text` up to which the records can be trusted. If the system crashed during a run, the output
/// may have lost URLs that were not yet synced to the disk. After a crash, the records after the last `synced` line are
/// not trusted, so that the next run prints the URLs of their files and messages again.
fn trusted(text: &[u8]) -> usize {
    let (mut start, mut sure, mut boot) = (0, text.len(), None);
    for end in memchr_iter(b'\n', text) {
        let line = &text[start..end];
        if let Some(fields) = line.strip_prefix(b"run\t") {
            sure = if boot.is_none() { start } else { sure };
            boot = fields.split(|&byte| byte == b'\t').next();
        } else if line == b"synced" {
            (sure, boot) = (text.len(), None);
        }
        start = end + 1;
    }
    let is_same = boot.is_none_or(|boot| !boot.is_empty() && boot == boot_id());
    if is_same { text.len() } else { sure }
}

/// Returns an id that changes with every boot of the system. On systems without such an id, the result is empty.
fn boot_id() -> Vec<u8> {
    let id = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim_ascii().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run can sync several times. After a crash of the system, only its records before the last sync are trusted.
    #[test]
    fn records_after_a_sync_are_not_trusted_after_a_crash() {
        let path = std::env::temp_dir().join(format!("urlspool-journal-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        let open = || Journal::open(&path, b"", &mut Known::default());
        let mut journal = open().expect("a new state file");
        for (round, name) in [b"a", b"b", b"c"].into_iter().enumerate() {
            journal.add(b"/mail", &Record::Message(name.into()));
            journal.append().expect("a regular file");
            if round < 2 {
                journal.sync(None, true).expect("a regular file");
            }
        }
        drop(journal);
        let text = fs::read_to_string(&path).expect("the state file");
        let boot = String::from_utf8(boot_id()).expect("an id in ASCII");
        let crashed = text.replace(&format!("run\t{boot}\t"), "run\tearlier\t");
        fs::write(&path, &crashed).expect("the state file");
        drop(open().expect("the state file of a crashed run"));
        let trusted = fs::read_to_string(&path).expect("the state file");
        fs::remove_file(&path).expect("the state file");
        assert_eq!(text.matches("\nrun\t").count(), 3, "{text}");
        assert!(trusted.ends_with("synced\n") && crashed.starts_with(&trusted), "{trusted}");
        assert_eq!(trusted.matches("synced\n").count(), 2, "{trusted}");
    }
}
