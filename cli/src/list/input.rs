//! The paths to read: first the paths on the command line, then the paths in a list as they arrive.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::vec;

use crate::escaped::Escaped;
use crate::patient::Patient;

/// The argument that means standard input.
pub(crate) const STDIN: &str = "-";

/// An iterator over the paths to read.
pub(crate) struct Paths {
    named: vec::IntoIter<PathBuf>,
    list: Option<List>,
}

/// The maximum number of warnings about skipped paths in a list.
const MAX_MESSAGES: u64 = 100;

struct List {
    name: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    /// The byte that ends each path.
    end: u8,
    /// The next path or error, if it was already buffered.
    ahead: Option<io::Result<PathBuf>>,
    /// The number of skipped paths.
    skipped: u64,
    /// The channel for messages about the list and its skipped paths. Each message is one line.
    failures: Sender<String>,
}

impl Paths {
    /// Returns an iterator over the paths on the command line.
    pub(crate) fn new(named: Vec<PathBuf>) -> Paths {
        Paths { named: named.into_iter(), list: None }
    }

    /// Adds the paths in the list `file`. The byte `end` ends each path. Messages about the list go to `failures`.
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

    /// The lower bound counts only paths that can be returned without waiting. From this bound, the library knows that
    /// it can search these paths now, without waiting for the rest of a pipe.
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
    /// Returns the next path. If the path after that is already in the buffer, stores it in `ahead`.
    fn next(&mut self) -> Option<io::Result<PathBuf>> {
        self.look_ahead(|_| true);
        let next = self.ahead.take();
        self.look_ahead(List::is_buffered);
        next
    }

    /// Fills `ahead` with the next path to read. Stops early when `may` returns `false`.
    ///
    /// Skips pipes, because urlspool would wait for data. Skips devices, because a device may have no end. By default,
    /// `find` lists both.
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
        // Sending fails only if the run has ended already.
        let _ = self.failures.send(format!("{}: {why}", Escaped::path(path)));
    }

    /// Returns whether the buffer has a complete name.
    fn is_buffered(&self) -> bool {
        let is_empty_line = |byte: u8| byte == self.end || self.end == b'\n' && byte == b'\r';
        self.reader.buffer().iter().skip_while(|&&byte| is_empty_line(byte)).any(|&byte| byte == self.end)
    }

    /// Reads the next name that is not empty. Returns `None` at the end of the list.
    fn name(&mut self) -> io::Result<Option<PathBuf>> {
        let mut name = Vec::new();
        loop {
            name.clear();
            if self.reader.read_until(self.end, &mut name)? == 0 {
                return Ok(None);
            }
            let is_ended = name.pop_if(|last| *last == self.end).is_some();
            if self.end == 0 && !is_ended && name.contains(&b'\n') {
                return Err(io::Error::other("the names end with line breaks, not with NULs; use --files-from"));
            }
            if self.end != 0 && name.contains(&0) {
                return Err(io::Error::other("it contains NULs; use --files0-from"));
            }
            if self.end == b'\n' {
                // Lists that were made on Windows have CR LF.
                name.pop_if(|last| *last == b'\r');
            }
            match name.as_slice() {
                b"" => {}
                // Standard input is the list itself, so `-` in the list can only be a file with that name.
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

/// Returns whether the path exists and is neither a file nor a directory. Returns `false` for standard input, `-`.
fn is_special(path: &Path) -> bool {
    path != Path::new(STDIN) && path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// Converts the bytes of a name to a path.
#[cfg(unix)]
pub(crate) fn path(name: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(name).into()
}

#[cfg(not(unix))]
pub(crate) fn path(name: Vec<u8>) -> PathBuf {
    // Only names in UTF-8 can be opened on these systems. Opening any other name fails, and the error shows the name.
    String::from_utf8_lossy(&name).into_owned().into()
}
