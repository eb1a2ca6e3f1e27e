//! Which paths are read: those of the command line, then those of a list, as they come.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::vec;

use crate::escaped::Escaped;

/// The name of standard input.
pub(crate) const STDIN: &str = "-";

/// The paths to read, in their order.
pub(crate) struct Paths {
    named: vec::IntoIter<PathBuf>,
    list: Option<List>,
}

/// So many paths of a list that are not read are told by their names.
const MOST_TOLD: u64 = 100;

struct List {
    name: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    /// What stands behind each path.
    end: u8,
    /// The next path, or why there is none, if that could be told without waiting.
    ahead: Option<io::Result<PathBuf>>,
    /// How many paths were skipped.
    skipped: u64,
    /// Takes why the list was not read to its end, and what of it is not read: for people, a line each.
    failures: Sender<String>,
}

impl Paths {
    /// These, as the command line has them.
    pub(crate) fn new(named: Vec<PathBuf>) -> Paths {
        Paths { named: named.into_iter(), list: None }
    }

    /// And behind them those that stand in `file`, each with `end` behind it; what goes wrong with them goes to `failures`.
    pub(crate) fn and_list(self, file: &Path, end: u8, failures: Sender<String>) -> io::Result<Paths> {
        let reader: Box<dyn Read + Send> = match file {
            file if file == Path::new(STDIN) => Box::new(io::stdin()),
            file => Box::new(File::open(file)?),
        };
        let (name, reader) = (file.into(), BufReader::new(reader));
        Ok(Paths { list: Some(List { name, reader, end, ahead: None, skipped: 0, failures }), ..self })
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
                list.fail(&list.name, format_args!("the list of files cannot be read: {error}"));
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
                Ok(Some(path)) if is_special(&path) => self.leave_out(&path),
                other => self.ahead = other.transpose(),
            }
        }
    }

    fn leave_out(&mut self, path: &Path) {
        self.skipped += 1;
        if self.skipped <= MOST_TOLD {
            self.fail(path, "skipped: it is not a file or a directory; name it as a PATH to have it read");
        }
    }

    fn fail(&self, path: &Path, why: impl Display) {
        // If nobody is left to tell them, the run has ended.
        let _ = self.failures.send(format!("{}: {why}", Escaped::path(path)));
    }

    /// Whether the next name was read already.
    fn is_at_hand(&self) -> bool {
        let is_empty_line = |byte: u8| byte == self.end || self.end == b'\n' && byte == b'\r';
        self.reader.buffer().iter().skip_while(|&&byte| is_empty_line(byte)).any(|&byte| byte == self.end)
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

impl Drop for List {
    fn drop(&mut self) {
        if self.skipped > MOST_TOLD {
            let others = self.skipped - MOST_TOLD;
            let why = format!("{others} more paths of the list are neither files nor directories, and were skipped");
            let _ = self.failures.send(why);
        }
    }
}

/// Whether it is there, and is no file and no directory. Standard input is what it is.
fn is_special(path: &Path) -> bool {
    path != Path::new(STDIN) && path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// The path of this name.
#[cfg(unix)]
pub(crate) fn path(name: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(name).into()
}

#[cfg(not(unix))]
pub(crate) fn path(name: Vec<u8>) -> PathBuf {
    // A name that is not UTF-8 names no file that could be opened, and the error will show it.
    String::from_utf8_lossy(&name).into_owned().into()
}
