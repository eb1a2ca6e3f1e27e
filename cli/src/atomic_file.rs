//! A file that replaces another one only when it is complete.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A file that is written beside its path first.
pub(crate) struct AtomicFile {
    /// The path of the file. If it is a link, the path that it points to.
    path: PathBuf,
    /// The path of the draft. It is a hidden file, because a walk over the directory skips those.
    beside: PathBuf,
    /// The permissions of the file that it replaces.
    permissions: Option<Permissions>,
}

impl AtomicFile {
    /// A file to be written to `path`. An existing file may be replaced only if it begins with `mark`.
    ///
    /// # Errors
    ///
    /// If `path` is something else, such as a mailbox or a device, or if no file can be created beside it.
    pub(crate) fn new(path: &Path, mark: &[u8]) -> io::Result<AtomicFile> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let permissions = match fs::metadata(&path) {
            Ok(about) if about.is_file() && begins_with(&path, mark)? => Some(about.permissions()),
            Ok(_) => {
                return Err(io::Error::other("something else has that name; give another name"));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let file = AtomicFile { beside: path.with_file_name(hidden), path, permissions };
        // Only a test: the file is removed at once, so that an interrupted run does not leave it.
        drop(file.draft()?);
        Ok(file)
    }

    /// Writes `text` and replaces the file at the path.
    ///
    /// # Errors
    ///
    /// If either fails. Then the old file is unchanged.
    pub(crate) fn finish(&self, text: &[u8]) -> io::Result<()> {
        let mut draft = self.draft()?;
        draft.write_all(text)?;
        draft.finish()
    }

    /// Creates the draft, to be written step by step.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub(crate) fn draft(&self) -> io::Result<Draft> {
        let file = File::create_new(&self.beside)?;
        let draft = Draft { path: self.path.clone(), beside: self.beside.clone(), file };
        if let Some(permissions) = &self.permissions {
            draft.file.set_permissions(permissions.clone())?;
        }
        Ok(draft)
    }
}

/// The file before it is moved to its path.
pub(crate) struct Draft {
    path: PathBuf,
    beside: PathBuf,
    file: File,
}

impl Draft {
    /// Replaces the file at the path.
    ///
    /// # Errors
    ///
    /// If that fails. Then the old file is unchanged.
    pub(crate) fn finish(&self) -> io::Result<()> {
        // After a crash of the system, the name must not lead to a file that is not on the disk.
        self.file.sync_all()?;
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
    /// Removes the draft if it was not moved.
    fn drop(&mut self) {
        // After a rename, there is nothing to remove.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Whether the file begins with `mark`, or is empty.
fn begins_with(path: &Path, mark: &[u8]) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(mark.len() as u64).read_to_end(&mut head)?;
    Ok(head == mark || head.is_empty())
}
