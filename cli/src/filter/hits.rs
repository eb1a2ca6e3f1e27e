//! Where a filter's findings go: a file that several filters append to, or a descriptor that was handed down.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::escaped::Escaped;

/// What `--hits` names.
///
/// Descriptors have paths too, which open without any code that is not safe. What opens is the same file, pipe or
/// terminal; on Linux anew, so that its permissions count again, and a socket does not open.
pub(crate) struct Target {
    path: PathBuf,
    is_descriptor: bool,
}

impl Target {
    /// `fd:N`, or else a file.
    ///
    /// # Errors
    ///
    /// What is wrong, and what to do about it.
    pub(crate) fn new(name: &Path) -> Result<Target, &'static str> {
        let number = match name.to_str().map(|name| (name, name.strip_prefix("fd:"))) {
            Some(("-", _)) => return Err("--hits - is where the mail goes: give a file, or a descriptor as in fd:3"),
            Some((_, Some(number))) => number.parse::<u32>(),
            _ => return Ok(Target { path: name.into(), is_descriptor: false }),
        };
        match number {
            Ok(0) => Err("--hits fd:0 is where the mail comes from: give another descriptor, such as fd:3"),
            Ok(1) => Err("--hits fd:1 is where the mail goes: give another descriptor, such as fd:3"),
            Ok(_) if !cfg!(unix) => Err("descriptors have numbers on Unix only: give the name of a file"),
            Ok(number) => Ok(Target { path: format!("/dev/fd/{number}").into(), is_descriptor: true }),
            Err(_) => Err("a descriptor has a number, as in --hits fd:3: for a file of that name put ./ before it"),
        }
    }
}

/// Takes records, each in a write of its own. The first that cannot be written is the last: the mail does not wait.
#[derive(Debug)]
pub(crate) struct Hits {
    file: Option<File>,
    /// How long a reader that is behind is waited for, in all.
    patience: Duration,
    /// Why records are lost.
    pub(super) problem: Option<String>,
}

/// A pipe that nobody empties may hold up the mail for so long.
const PATIENCE: Duration = Duration::from_secs(5);
/// It is looked at again after this time.
const PAUSE: Duration = Duration::from_millis(5);

impl Hits {
    /// Takes nothing, and is content.
    pub(crate) fn nowhere() -> Hits {
        Hits { file: None, patience: PATIENCE, problem: None }
    }

    /// Appends to `target`; each record has `end` behind it.
    pub(crate) fn open(target: &Target, end: u8) -> Hits {
        let mut hits = Hits::nowhere();
        let Target { path, is_descriptor } = target;
        match open(path, !is_descriptor) {
            Ok(file) => {
                // A file that may be written to and not read is taken to be whole.
                let is_cut = is_cut(&file, path, end).unwrap_or(false);
                hits.file = Some(file);
                if is_cut {
                    hits.record(&[end]);
                }
            }
            Err(error) => hits.lose(&format!("{} cannot be opened: {error}", Escaped::path(path))),
        }
        hits
    }

    fn record(&mut self, mut record: &[u8]) {
        while let (Some(file), false) = (&mut self.file, record.is_empty()) {
            match file.write(record) {
                Ok(count @ 1..) => record = &record[count..],
                Ok(0) => self.lose("nothing more can be written to them"),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && !self.patience.is_zero() => {
                    thread::sleep(PAUSE);
                    self.patience = self.patience.saturating_sub(PAUSE);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.lose("nobody reads them"),
                Err(error) => self.lose(&error.to_string()),
            }
        }
    }

    fn lose(&mut self, why: &str) {
        self.file = None;
        self.problem = Some(format!("findings are lost: {why}"));
    }
}

/// Every write is a record, and succeeds: what becomes of it is [`problem`](Hits::problem)'s.
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
    let mut options = OpenOptions::new();
    options.append(true).create(create);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe that nobody reads is not waited for. URLs in mail may hold secrets: nobody else is to read them.
        options.custom_flags(libc::O_NONBLOCK).mode(0o600);
    }
    let file = options.open(path)?;
    if is_the_mail(&file)? {
        return Err(io::Error::other("it is where the mail is"));
    }
    Ok(file)
}

/// Whether the last record of a file was cut short, by a full disk: the next one begins a new line.
fn is_cut(file: &File, path: &Path, end: u8) -> io::Result<bool> {
    let about = file.metadata()?;
    if !about.is_file() || about.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    let mut reader = File::open(path)?;
    reader.seek(SeekFrom::End(-1))?;
    reader.read_exact(&mut last)?;
    Ok(last[0] != end)
}

/// Whether it is where the mail goes, or the file that it is read from: a finding in it would be a part of the mail.
#[cfg(unix)]
fn is_the_mail(file: &File) -> io::Result<bool> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let place = |file: &File| file.metadata().map(|about| (about.dev(), about.ino()));
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let place_of_file = place(file)?;
    Ok(place_of_file == place(&super::output_guard::output()?)?
        || place_of_file == place(&input)? && file.metadata()?.is_file())
}

#[cfg(not(unix))]
fn is_the_mail(_: &File) -> io::Result<bool> {
    Ok(false)
}
