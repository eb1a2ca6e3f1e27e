//! The paths to read. The paths in the list of `--files-from` are read as they arrive.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

use urlspool::shared;

use super::output::precious;
use crate::escaped::Escaped;
use crate::patient::Patient;
use crate::standard_streams;

/// The argument that means standard input.
pub(crate) const STDIN: &str = "-";

/// The maximum number of warnings about skipped paths in a list.
const MAX_MESSAGES: u64 = 100;

/// Returns whether a path means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new(STDIN)
}

/// Opens a list that is a file or standard input.
pub(crate) fn open(list: &Path) -> io::Result<Reader> {
    Ok(BufReader::new(match is_stdin(list) {
        true => Box::new(Patient(standard_streams::input()?)),
        false => Box::new(File::open(list)?),
    }))
}

type Reader = BufReader<Box<dyn Read + Send>>;

/// The paths in the list of `--files-from`, as they arrive.
pub(crate) struct List {
    name: PathBuf,
    reader: Reader,
    /// The byte that ends each path. `None` until the first path is read.
    end: Option<u8>,
    /// The format of the list, if it looks like mail, or is compressed or binary. `None` also after the first path.
    format: Option<String>,
    /// How many paths of the list were skipped because they are pipes or devices.
    skipped: u64,
    /// The channel for messages about the list and its skipped paths. Each message is one line.
    failures: Sender<String>,
}

impl Iterator for List {
    type Item = PathBuf;

    /// Returns the next path that is not a pipe or a device.
    ///
    /// The list can come from `find`, which also prints the names of pipes and devices. urlspool could wait forever for
    /// data in a pipe, and a device such as `/dev/zero` has no end.
    fn next(&mut self) -> Option<PathBuf> {
        loop {
            match self.path() {
                Ok(Some(path)) if is_special(&path) => self.skip(&path),
                Ok(Some(path)) => match self.format.take().filter(|_| path.symlink_metadata().is_err()) {
                    None => return Some(path),
                    Some(format) => {
                        let next = "to search it, give it as a PATH";
                        self.fail(&self.name, format_args!("this is not a list of files, but {format} data; {next}"));
                        return None;
                    }
                },
                Ok(path) => return path,
                Err(error) => {
                    self.fail(&self.name, format_args!("cannot read the list of files: {error}"));
                    return None;
                }
            }
        }
    }
}

impl List {
    /// Opens the list `file`. Messages about the list go to `failures`.
    pub(crate) fn open(file: &Path, failures: Sender<String>) -> io::Result<List> {
        Ok(List { name: file.into(), reader: open(file)?, end: None, format: None, skipped: 0, failures })
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

    /// Returns the byte that ends each path: NUL or a line end. The first block of the list that has one of them
    /// decides. If it has both, NUL ends each path. Appends the bytes before this block to `name`.
    fn end(&mut self, name: &mut Vec<u8>) -> io::Result<u8> {
        loop {
            if let Some(end) = self.end {
                return Ok(end);
            }
            let block = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                block => block?,
            };
            let length = block.len();
            if name.is_empty() {
                let is_binary = block.iter().any(|byte| !b"\0\t\n\r".contains(byte) && *byte < b' ');
                self.format = precious(block).or_else(|| is_binary.then(|| "binary".into()));
            }
            if block.contains(&0) {
                self.end = Some(0);
            } else if length == 0 || block.contains(&b'\n') {
                self.end = Some(b'\n');
            } else {
                name.extend_from_slice(block);
                self.reader.consume(length);
            }
        }
    }

    /// Reads the next path that is not empty. Returns `None` at the end of the list.
    fn path(&mut self) -> io::Result<Option<PathBuf>> {
        let mut name = Vec::new();
        let end = self.end(&mut name)?;
        loop {
            if self.reader.read_until(end, &mut name)? == 0 && name.is_empty() {
                return Ok(None);
            }
            name.pop_if(|last| *last == end);
            if name.contains(&0) {
                return Err(io::Error::other(
                    "the list has line ends at its beginning, and NULs later; use only one of them",
                ));
            }
            if end == b'\n' {
                // In a list that was made on Windows, lines end with CR LF.
                name.pop_if(|last| *last == b'\r');
            }
            match name.as_slice() {
                b"" => {}
                // Standard input is the list itself, so `-` in the list can only be a file with that name.
                b"-" if is_stdin(&self.name) => return Ok(Some(Path::new(".").join(STDIN))),
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
    !is_stdin(path) && path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir())
}
