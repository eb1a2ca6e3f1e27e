//! `--hits`: appends the URLs to a file, or writes them to a descriptor that the calling program opened. Several
//! filters can append to the same file.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::atomic_file::private;
use crate::escaped::{Escaped, Terminal};
use crate::file_id::are_same;
use crate::last_byte::last_byte;
use crate::standard_streams;
use crate::status::unwritten;

/// The target that `--hits` names.
///
/// A descriptor is opened by its path, such as `/dev/fd/3`, because using the number 3 directly needs unsafe code. On
/// Linux, opening this path opens the file, pipe or terminal of the descriptor a second time. So urlspool needs the
/// permission to write to that file, pipe or terminal. A socket cannot be opened by its path in `/dev/fd`.
pub(crate) struct Target {
    path: PathBuf,
    is_descriptor: bool,
}

impl Target {
    /// Parses the value of `--hits`: `fd:N` or the name of a file.
    ///
    /// # Errors
    ///
    /// If the descriptor is not a number, or is standard input or output. The error is a message for the user.
    pub(crate) fn new(name: &Path) -> Result<Target, &'static str> {
        let number = match name.to_str().map(|name| (name, name.strip_prefix("fd:"))) {
            Some(("-", _)) => {
                return Err("`--hits -` would mix the URLs with the mail; give a file, or a descriptor such as fd:3");
            }
            Some((_, Some(number))) => number.parse::<u32>(),
            _ => return Ok(Target { path: name.into(), is_descriptor: false }),
        };
        match number {
            Ok(0) => Err("--hits fd:0 is standard input; give another descriptor, such as fd:3"),
            Ok(1) => Err("--hits fd:1 would mix the URLs with the mail; give another descriptor, such as fd:3"),
            Ok(_) if !cfg!(unix) => Err("--hits fd:N works only on Unix; give the name of a file"),
            Ok(number) => Ok(Target { path: format!("/dev/fd/{number}").into(), is_descriptor: true }),
            Err(_) => {
                Err("a descriptor needs a number, as in --hits fd:3; if this is the name of a file, put ./ before it")
            }
        }
    }
}

/// Writes each URL as one record, with one system call, so that records of several filters do not mix. After the first
/// error, ignores all further records, so that the mail is not delayed.
#[derive(Debug)]
pub(crate) struct Hits {
    file: Option<File>,
    is_terminal: bool,
    /// The name of the file, for messages.
    name: String,
    /// How long this filter can still wait for space in a full pipe.
    patience: Duration,
    /// The message about the first error.
    pub(super) problem: Option<String>,
}

/// The maximum time that a full pipe can delay one mail, summed over all waits.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between two attempts to write to a full pipe, or between two checks of an incomplete record.
const PAUSE: Duration = Duration::from_millis(5);
/// The number of checks after which an incomplete record counts as cut off.
const CHECKS: usize = 200;

impl Hits {
    /// Creates a writer that ignores all records.
    pub(crate) fn nowhere() -> Hits {
        Hits { file: None, is_terminal: false, name: String::new(), patience: PATIENCE, problem: None }
    }

    /// Creates a writer that appends to `target`. `end` is the last byte of each record.
    pub(crate) fn open(target: &Target, end: u8) -> Hits {
        let Target { path, is_descriptor } = target;
        let mut hits = Hits { name: Escaped::path(path).to_string(), ..Hits::nowhere() };
        match open(path, !is_descriptor) {
            Ok(file) => {
                // If the last byte of the file cannot be read because of the file's permissions, assume that the last
                // record is complete. After any other error, assume that the record is incomplete, and end its line. An
                // additional empty line is better than two records in one line.
                let is_cut = is_cut(&file, path, end).unwrap_or_else(|why| why.kind() != ErrorKind::PermissionDenied);
                hits.is_terminal = file.is_terminal();
                hits.file = Some(file);
                if is_cut {
                    hits.record(&[end]);
                }
            }
            Err(error) if *is_descriptor && error.kind() == ErrorKind::NotFound => hits.lose("it is not open"),
            Err(error) => hits.lose(&unwritten(&error)),
        }
        hits
    }

    fn record(&mut self, record: &[u8]) {
        let mut escaped = Vec::new();
        if self.is_terminal {
            Terminal(&mut escaped).write_all(record).expect("writing to a Vec cannot fail");
        }
        let mut record = if self.is_terminal { &escaped } else { record };
        while let (Some(file), false) = (&mut self.file, record.is_empty()) {
            match file.write(record) {
                Ok(count @ 1..) => record = &record[count..],
                Ok(0) => self.lose("no bytes were written"),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && !self.patience.is_zero() => {
                    thread::sleep(PAUSE);
                    self.patience = self.patience.saturating_sub(PAUSE);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.lose("no program reads the pipe");
                }
                Err(error) => self.lose(&error.to_string()),
            }
        }
    }

    fn lose(&mut self, why: &str) {
        let action = if self.file.take().is_some() { "write to" } else { "open" };
        self.problem = Some(format!("URLs are lost: cannot {action} {}: {why}", self.name));
    }
}

/// Each call of `write` takes one record, and returns `Ok` even if the record cannot be written.
/// [`problem`](Hits::problem) has the message about the first error.
impl Write for Hits {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        self.record(record);
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(path: &Path, create: bool) -> io::Result<File> {
    let mut options = private();
    options.append(true).create(create);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without `O_NONBLOCK`, opening a named pipe would wait until another program reads the pipe.
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    if is_the_mail(&file)? {
        let why = "this file is also standard input or standard output, so the URLs would become part of the mail";
        return Err(io::Error::other(why));
    }
    Ok(file)
}

/// Returns whether the last byte of a file is not `end`. The last record is then incomplete, for example because the
/// disk was full, and the next record must begin on a new line.
///
/// While another filter writes a record, a part of the record can already be visible. So an incomplete record counts
/// as cut off only if the file does not grow for a second. On a busy system, a single write can take that long.
fn is_cut(file: &File, path: &Path, end: u8) -> io::Result<bool> {
    let about = file.metadata()?;
    if !about.is_file() || about.len() == 0 || last_byte(path)?.is_none_or(|last| last == end) {
        return Ok(false);
    }
    for _ in 0..CHECKS {
        thread::sleep(PAUSE);
        if file.metadata()?.len() != about.len() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether `file` is standard output, or a regular file or pipe that is also standard input. Records in such a
/// file would become part of the mail.
fn is_the_mail(file: &File) -> io::Result<bool> {
    let data = file.metadata()?;
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&data.file_type());
    #[cfg(not(unix))]
    let is_pipe = false;
    Ok(are_same(file, &standard_streams::output()?)?
        || (data.is_file() || is_pipe) && are_same(file, &standard_streams::input()?)?)
}
