//! A file that takes the place of another only once it is whole.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// What is to become the file at a path, and is written beside it first.
pub(crate) struct AtomicFile {
    /// Where a link leads, if it is one.
    path: PathBuf,
    /// Its name begins with a dot: while a directory is walked, hidden files are skipped.
    beside: PathBuf,
    /// Those of the file whose place it takes.
    permissions: Option<Permissions>,
}

impl AtomicFile {
    /// Of the file at `path`, in which there may be nothing but `what`, which begins with `mark`: an earlier one.
    ///
    /// # Errors
    ///
    /// If something else is there, a mailbox or a device perhaps; if nothing can be made beside it.
    pub(crate) fn new(path: &Path, mark: &[u8], what: &str) -> io::Result<AtomicFile> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let permissions = match fs::metadata(&path) {
            Ok(about) if about.is_file() && begins_with(&path, mark)? => Some(about.permissions()),
            Ok(_) => {
                let why = format!("there is something of that name, and it is no {what}: give another name");
                return Err(io::Error::other(why));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let file = AtomicFile { beside: path.with_file_name(hidden), path, permissions };
        // It goes at once: what is broken off before anything is written leaves nothing.
        drop(file.draft()?);
        Ok(file)
    }

    /// Writes `text` and puts it in its place.
    ///
    /// # Errors
    ///
    /// If either fails; what was there before is there still.
    pub(crate) fn finish(&self, text: &[u8]) -> io::Result<()> {
        let mut draft = self.draft()?;
        draft.write_all(text)?;
        draft.finish()
    }

    /// Begins to write it.
    ///
    /// # Errors
    ///
    /// If the file beside it cannot be made.
    pub(crate) fn draft(&self) -> io::Result<Draft> {
        let file = File::create_new(&self.beside)?;
        let draft = Draft { path: self.path.clone(), beside: self.beside.clone(), file };
        if let Some(permissions) = &self.permissions {
            draft.file.set_permissions(permissions.clone())?;
        }
        Ok(draft)
    }
}

/// The file until it is in its place.
pub(crate) struct Draft {
    path: PathBuf,
    beside: PathBuf,
    file: File,
}

impl Draft {
    /// Puts it in its place.
    ///
    /// # Errors
    ///
    /// If that fails; what was there before is there still.
    pub(crate) fn finish(&self) -> io::Result<()> {
        fs::rename(&self.beside, &self.path)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    /// What was not finished goes.
    fn drop(&mut self) {
        // After a rename there is none.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Whether the file begins with `mark`, or is empty.
fn begins_with(path: &Path, mark: &[u8]) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(mark.len() as u64).read_to_end(&mut head)?;
    Ok(head == mark || head.is_empty())
}
