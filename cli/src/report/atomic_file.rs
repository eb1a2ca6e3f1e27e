//! A file that takes the place of another only once it is whole.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// What is to become the file at a path, and is written beside it first.
pub(crate) struct AtomicFile {
    /// Where a link leads, if it is one.
    path: PathBuf,
    beside: PathBuf,
    /// Those of the file whose place it takes.
    permissions: Option<Permissions>,
}

impl AtomicFile {
    /// Of the file at `path`, in which there may be nothing but what begins with `mark`: an earlier one.
    ///
    /// # Errors
    ///
    /// If something else is there, a mailbox or a device perhaps; if nothing can be made beside it.
    pub(crate) fn new(path: &Path, mark: &[u8]) -> io::Result<AtomicFile> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let permissions = match fs::metadata(&path) {
            Ok(about) if about.is_file() && begins_with(&path, mark)? => Some(about.permissions()),
            Ok(_) => {
                return Err(io::Error::other(
                    "there is something of that name, and it is no report: give another name",
                ));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let draft = AtomicFile { beside: path.with_file_name(name), path, permissions };
        // It goes at once: during the work it would be among the files of a directory that is walked, and what is broken off
        // would leave it there.
        drop(draft.begin()?);
        Ok(draft)
    }

    /// Writes `text` and puts it in its place.
    ///
    /// # Errors
    ///
    /// If either fails; what was there before is there still.
    pub(crate) fn finish(&self, text: &[u8]) -> io::Result<()> {
        self.write(|file| file.write_all(text))
    }

    /// The same with what `write` writes.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    pub(crate) fn write(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let mut beside = self.begin()?;
        write(&mut beside.file)?;
        // After a crash of the system, the name must not lead to a file that is not on the disk.
        beside.file.sync_all()?;
        fs::rename(beside.path, &self.path)
    }

    fn begin(&self) -> io::Result<Beside<'_>> {
        let beside = Beside { path: &self.beside, file: File::create_new(&self.beside)? };
        if let Some(permissions) = &self.permissions {
            beside.file.set_permissions(permissions.clone())?;
        }
        Ok(beside)
    }
}

/// The file until it is in its place.
struct Beside<'a> {
    path: &'a Path,
    file: File,
}

impl Drop for Beside<'_> {
    /// What was not finished goes.
    fn drop(&mut self) {
        // After a rename there is none.
        let _ = fs::remove_file(self.path);
    }
}

/// Whether the file begins with `mark`, or is empty.
fn begins_with(path: &Path, mark: &[u8]) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(mark.len() as u64).read_to_end(&mut head)?;
    Ok(head == mark || head.is_empty())
}
