//! Which paths are read: those of the command line, then those of a list, as they come.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec;

use super::harmless::Harmless;

/// The name of standard input.
pub(crate) const STDIN: &str = "-";

/// The paths to read, in their order.
pub(crate) struct Paths {
    named: vec::IntoIter<PathBuf>,
    list: Option<List>,
    failure: Failure,
}

/// So many paths of a list that are not read are told by their names.
const MOST_TOLD: usize = 100;

/// Why the list was not read to its end, and what of it is not read. Outlives the list, which is read in the midst of the
/// work.
#[derive(Clone, Default)]
pub(crate) struct Failure(Arc<Mutex<Wrong>>);

#[derive(Default)]
struct Wrong {
    /// For people, a line each.
    lines: Vec<String>,
    /// How many more were left out.
    others: u64,
}

struct List {
    name: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    /// What stands behind each path.
    end: u8,
    /// The next path, or why there is none, if that could be told without waiting.
    ahead: Option<io::Result<PathBuf>>,
    failure: Failure,
}

impl Paths {
    /// These, as the command line has them.
    pub(crate) fn new(named: Vec<PathBuf>) -> Paths {
        Paths { named: named.into_iter(), list: None, failure: Failure::default() }
    }

    /// And behind them those that stand in `file`, each with `end` behind it.
    pub(crate) fn and_list(self, file: &Path, end: u8) -> io::Result<Paths> {
        let reader: Box<dyn Read + Send> = match file {
            file if file == Path::new(STDIN) => Box::new(io::stdin()),
            file => Box::new(File::open(file)?),
        };
        let (name, reader, failure) = (file.into(), BufReader::new(reader), self.failure());
        Ok(Paths { list: Some(List { name, reader, end, ahead: None, failure }), ..self })
    }

    /// Where to look for what went wrong with the list, afterwards.
    pub(crate) fn failure(&self) -> Failure {
        self.failure.clone()
    }
}

impl Failure {
    /// What went wrong, for people, a line each.
    pub(crate) fn take(&self) -> Vec<String> {
        let Wrong { mut lines, others } = std::mem::take(&mut *self.wrong());
        if others > 0 {
            lines.push(format!("{others} more paths of the list are no files and no directories, and were left out"));
        }
        lines
    }

    /// Adds what went wrong with `path`.
    fn add(&self, path: &Path, why: impl Display) {
        self.wrong().add(path, why);
    }

    /// Adds that `path` is left out.
    fn leave_out(&self, path: &Path) {
        let mut wrong = self.wrong();
        if wrong.lines.len() < MOST_TOLD {
            wrong.add(path, "left out: it is no file and no directory; name it as a PATH to have it read");
        } else {
            wrong.others += 1;
        }
    }

    fn wrong(&self) -> MutexGuard<'_, Wrong> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wrong {
    fn add(&mut self, path: &Path, why: impl Display) {
        let name = Harmless::path(path);
        self.lines.push(format!("{name}: {why}"));
    }
}

impl Iterator for Paths {
    type Item = PathBuf;

    /// What is surely left is what is there already: so what a pipe has brought is worked on at once, and nobody waits
    /// for the rest.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let at_hand = self.list.as_ref().is_some_and(|list| matches!(list.ahead, Some(Ok(_))));
        (self.named.len() + usize::from(at_hand), None)
    }

    fn next(&mut self) -> Option<PathBuf> {
        if let Some(path) = self.named.next() {
            return Some(path);
        }
        match self.list.as_mut()?.next()? {
            Ok(path) => Some(path),
            Err(error) => {
                let list = self.list.take()?;
                self.failure.add(&list.name, format_args!("the list of files cannot be read: {error}"));
                None
            }
        }
    }
}

impl List {
    /// The next path, and then looks at what is at hand behind it.
    fn next(&mut self) -> Option<io::Result<PathBuf>> {
        self.look_ahead(|_| true);
        let next = self.ahead.take();
        self.look_ahead(List::is_at_hand);
        next
    }

    /// Goes on to the next path that is to be read, as far as it `may`.
    ///
    /// A pipe would be waited for, and a device may have no end: in a list, which `find` has written most likely, nobody
    /// means them.
    fn look_ahead(&mut self, may: impl Fn(&List) -> bool) {
        while self.ahead.is_none() && may(self) {
            match self.name() {
                Ok(None) => return,
                Ok(Some(path)) if is_special(&path) => self.failure.leave_out(&path),
                other => self.ahead = other.transpose(),
            }
        }
    }

    /// Whether the next name was read already.
    fn is_at_hand(&self) -> bool {
        let is_empty_line = |octet: u8| octet == self.end || self.end == b'\n' && octet == b'\r';
        self.reader.buffer().iter().skip_while(|&&octet| is_empty_line(octet)).any(|&octet| octet == self.end)
    }

    /// The next name; empty ones are passed over.
    fn name(&mut self) -> io::Result<Option<PathBuf>> {
        let mut name = Vec::new();
        loop {
            name.clear();
            if self.reader.read_until(self.end, &mut name)? == 0 {
                return Ok(None);
            }
            let is_ended = name.pop_if(|last| *last == self.end).is_some();
            if self.end == 0 && !is_ended && name.contains(&b'\n') {
                return Err(io::Error::other(
                    "a NUL should stand behind each name, but line breaks do: say --files-from",
                ));
            }
            if self.end != 0 && name.contains(&0) {
                return Err(io::Error::other("NULs stand in it, and no name has one: say --files0-from"));
            }
            if self.end == b'\n' {
                // A list from a system that ends its lines in CRLF.
                name.pop_if(|last| *last == b'\r');
            }
            match name.as_slice() {
                b"" => {}
                // What the list came from cannot be read again: here it can only be a file of that name.
                b"-" if self.name == Path::new(STDIN) => return Ok(Some(Path::new(".").join(STDIN))),
                _ => return Ok(Some(path(name))),
            }
        }
    }
}

/// Whether it is there, and is no file and no directory. Standard input is what it is.
fn is_special(path: &Path) -> bool {
    path != Path::new(STDIN) && path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir())
}

#[cfg(unix)]
fn path(name: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(name).into()
}

#[cfg(not(unix))]
fn path(name: Vec<u8>) -> PathBuf {
    // A name that is not UTF-8 names no file that could be opened, and the error will show it.
    String::from_utf8_lossy(&name).into_owned().into()
}
