//! The paths to read: those of the command line, then those of a list as they arrive.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::vec;

use crate::escaped::Escaped;
use crate::patient::Patient;

/// The name of standard input.
pub(crate) const STDIN: &str = "-";

/// The paths to read, in their order.
pub(crate) struct Paths {
    named: vec::IntoIter<PathBuf>,
    list: Option<List>,
}

/// At most this many skipped paths of a list get a message each.
const MAX_MESSAGES: u64 = 100;

struct List {
    name: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    /// The byte that ends each path.
    end: u8,
    /// The next path, or an error, if it could be read without waiting.
    ahead: Option<io::Result<PathBuf>>,
    /// The number of skipped paths.
    skipped: u64,
    /// Receives messages about the list and its skipped paths, a line each.
    failures: Sender<String>,
}

impl Paths {
    /// The paths of the command line.
    pub(crate) fn new(named: Vec<PathBuf>) -> Paths {
        Paths { named: named.into_iter(), list: None }
    }

    /// Adds the paths in `file`, each with the byte `end` after it. Messages about them go to `failures`.
    pub(crate) fn and_list(self, file: &Path, end: u8, failures: Sender<String>) -> io::Result<Paths> {
        let reader: Box<dyn Read + Send> = match file {
            file if file == Path::new(STDIN) => Box::new(Patient(io::stdin())),
            file => Box::new(File::open(file)?),
        };
        let (name, reader) = (file.into(), BufReader::new(reader));
        Ok(Paths { list: Some(List { name, reader, end, ahead: None, skipped: 0, failures }), ..self })
    }
}

impl Iterator for Paths {
    type Item = PathBuf;

    /// The lower bound counts only paths that were read already. So the library works on them at once and does not wait
    /// for the rest of a pipe.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let buffered = self.list.as_ref().is_some_and(|list| matches!(list.ahead, Some(Ok(_))));
        (self.named.len() + usize::from(buffered), None)
    }

    fn next(&mut self) -> Option<PathBuf> {
        if let Some(path) = self.named.next() {
            return Some(path);
        }
        match self.list.as_mut()?.next()? {
            Ok(path) => Some(path),
            Err(error) => {
                let list = self.list.take()?;
                list.fail(&list.name, format_args!("cannot read the list of files: {error}"));
                None
            }
        }
    }
}

impl List {
    /// Returns the next path, and reads ahead as far as the buffer goes.
    fn next(&mut self) -> Option<io::Result<PathBuf>> {
        self.look_ahead(|_| true);
        let next = self.ahead.take();
        self.look_ahead(List::is_buffered);
        next
    }

    /// Advances to the next path to read, while `may` allows it.
    ///
    /// Skips pipes, because urlspool would wait for them, and devices, because they may have no end. A list by `find` has
    /// them by accident.
    fn look_ahead(&mut self, may: impl Fn(&List) -> bool) {
        while self.ahead.is_none() && may(self) {
            match self.name() {
                Ok(None) => return,
                Ok(Some(path)) if is_special(&path) => self.skip(&path),
                other => self.ahead = other.transpose(),
            }
        }
    }

    fn skip(&mut self, path: &Path) {
        self.skipped += 1;
        if self.skipped <= MAX_MESSAGES {
            self.fail(path, "skipped: not a file or a directory; to read it, give it as a PATH");
        }
    }

    fn fail(&self, path: &Path, why: impl Display) {
        // If the receiver is gone, the run has ended.
        let _ = self.failures.send(format!("{}: {why}", Escaped::path(path)));
    }

    /// Whether the buffer has a whole name.
    fn is_buffered(&self) -> bool {
        let is_empty_line = |byte: u8| byte == self.end || self.end == b'\n' && byte == b'\r';
        self.reader.buffer().iter().skip_while(|&&byte| is_empty_line(byte)).any(|&byte| byte == self.end)
    }

    /// The next name that is not empty.
    fn name(&mut self) -> io::Result<Option<PathBuf>> {
        let mut name = Vec::new();
        loop {
            name.clear();
            if self.reader.read_until(self.end, &mut name)? == 0 {
                return Ok(None);
            }
            let is_ended = name.pop_if(|last| *last == self.end).is_some();
            if self.end == 0 && !is_ended && name.contains(&b'\n') {
                return Err(io::Error::other("a line break ends each name, not a NUL; use --files-from"));
            }
            if self.end != 0 && name.contains(&0) {
                return Err(io::Error::other("it has NULs; use --files0-from"));
            }
            if self.end == b'\n' {
                // Some systems end lines in CR LF.
                name.pop_if(|last| *last == b'\r');
            }
            match name.as_slice() {
                b"" => {}
                // Standard input is the list itself, so this is a file of that name.
                b"-" if self.name == Path::new(STDIN) => return Ok(Some(Path::new(".").join(STDIN))),
                _ => return Ok(Some(path(name))),
            }
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if self.skipped > MAX_MESSAGES {
            let others = self.skipped - MAX_MESSAGES;
            let why = format!("{others} more paths of the list were skipped: not files or directories");
            let _ = self.failures.send(why);
        }
    }
}

/// Whether the path exists and is neither a file nor a directory. `-`, standard input, is not special.
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
    // A name that is not UTF-8 cannot be opened here. The error shows the name.
    String::from_utf8_lossy(&name).into_owned().into()
}
