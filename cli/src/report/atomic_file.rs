//! A file that replaces another one only when it is complete.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A file that is written beside its path first.
pub(crate) struct AtomicFile {
    /// The path of the file. If it is a link, the path that it points to.
    path: PathBuf,
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
        let mut name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let file = AtomicFile { beside: path.with_file_name(name), path, permissions };
        // Only a test: the file is removed at once. Otherwise a walk could read it, and an interrupted run would leave it.
        drop(file.begin()?);
        Ok(file)
    }

    /// Writes `text` and replaces the file at the path.
    ///
    /// # Errors
    ///
    /// If either fails. Then the old file is unchanged.
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

/// The file before it is moved to its path.
struct Beside<'a> {
    path: &'a Path,
    file: File,
}

impl Drop for Beside<'_> {
    /// Removes the file if it was not moved.
    fn drop(&mut self) {
        // After a rename, there is nothing to remove.
        let _ = fs::remove_file(self.path);
    }
}

/// Whether the file begins with `mark`, or is empty.
fn begins_with(path: &Path, mark: &[u8]) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(mark.len() as u64).read_to_end(&mut head)?;
    Ok(head == mark || head.is_empty())
}
