//! The paths to read: first the paths on the command line, then the paths in the list of `--files-from` as they arrive.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::vec;

use urlspool::shared;

use crate::escaped::Escaped;
use crate::patient::Patient;

/// The argument that means standard input.
pub(crate) const STDIN: &str = "-";

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
    /// The next path or error, if it was already read from the list.
    ahead: Option<io::Result<PathBuf>>,
    /// How many paths of the list were skipped because they are pipes or devices.
    skipped: u64,
    /// The channel for messages about the list and its skipped paths. Each message is one line.
    failures: Sender<String>,
}

impl Paths {
    pub(crate) fn new(named: Vec<PathBuf>) -> Paths {
        Paths { named: named.into_iter(), list: None }
    }

    /// Adds the paths in the list `file`, in which the byte `end` ends each path. Messages about the list go to
    /// `failures`.
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

    /// The lower bound is the number of paths that `next` can return without waiting for a list that comes from a slow
    /// pipe. When the library must not wait, it calls `next` only if this number is not 0.
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
    /// Returns the next path. If the buffer has one more complete path, stores that path in `ahead`.
    fn next(&mut self) -> Option<io::Result<PathBuf>> {
        self.look_ahead(|_| true);
        let next = self.ahead.take();
        self.look_ahead(List::is_buffered);
        next
    }

    /// Fills `ahead` with the next path that is not a pipe or a device. Calls `may` before reading each path from the
    /// list, and stops if `may` returns `false`.
    ///
    /// The list can come from `find`, which also prints the names of pipes and devices. urlspool could wait forever for
    /// data in a pipe, and a device such as `/dev/zero` has no end.
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
        // Sending fails only if the run has already ended. The message is then lost.
        let _ = self.failures.send(format!("{}: {why}", Escaped::path(path)));
    }

    /// Returns whether the buffer has a complete path, so that reading the path does not wait for more input.
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
                return Err(io::Error::other("the list contains NULs; use --files0-from"));
            }
            if self.end == b'\n' {
                // In a list that was made on Windows, lines end with CR LF.
                name.pop_if(|last| *last == b'\r');
            }
            match name.as_slice() {
                b"" => {}
                // Standard input is the list itself, so `-` in the list can only be a file with that name.
                b"-" if self.name == Path::new(STDIN) => return Ok(Some(Path::new(".").join(STDIN))),
                _ => return Ok(Some(shared::path(&name).into())),
            }
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if self.skipped > MAX_MESSAGES {
            let others = self.skipped - MAX_MESSAGES;
            let why =
                format!("{others} more paths of the list were skipped, because they are not files or directories");
            let _ = self.failures.send(why);
        }
    }
}

/// Returns whether the path exists and is neither a file nor a directory. Returns `false` for standard input, `-`.
fn is_special(path: &Path) -> bool {
    path != Path::new(STDIN) && path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir())
}
