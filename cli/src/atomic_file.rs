//! A file that replaces another one only when it is complete.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::escaped::Escaped;

/// A file that is written beside its path first.
pub(crate) struct AtomicFile {
    /// The path of the file. If it is a link, the path that it points to.
    path: PathBuf,
    /// The permissions of the file that it replaces.
    permissions: Option<Permissions>,
    /// The first bytes of each file that may be replaced.
    mark: Box<[u8]>,
}

impl AtomicFile {
    /// A file to be written to `path`. An existing file may be replaced only if it begins with `mark`.
    ///
    /// # Errors
    ///
    /// If `path` is something else, such as a mailbox or a device, or if no file can be created beside it.
    pub(crate) fn new(path: &Path, mark: &[u8]) -> io::Result<AtomicFile> {
        let path = match fs::canonicalize(path) {
            Ok(path) => path,
            Err(_) => match fs::read_link(path) {
                Ok(target) => {
                    let target = Escaped::path(&target).to_string();
                    let why = format!("it is a dangling symbolic link (points to {target}); remove it");
                    return Err(io::Error::other(why));
                }
                Err(_) => path.into(),
            },
        };
        let permissions = replaceable(&path, mark)?.map(|about| about.permissions());
        let file = AtomicFile { path, permissions, mark: mark.into() };
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
        let (beside, file) = self.create()?;
        let draft = Draft { path: self.path.clone(), beside, mark: self.mark.clone(), file };
        if let Some(permissions) = &self.permissions {
            draft.file.set_permissions(permissions.clone())?;
        }
        Ok(draft)
    }

    /// Creates a hidden file, because a walk over the directory skips those. A killed run leaves its draft, and in a
    /// container each run may have the same process id. So a name that exists is not an error.
    fn create(&self) -> io::Result<(PathBuf, File)> {
        let name = self.path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut number = 0;
        loop {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}", std::process::id()));
            if number > 0 {
                hidden.push(format!("-{number}"));
            }
            hidden.push(".part");
            let beside = self.path.with_file_name(hidden);
            number += 1;
            match File::create_new(&beside) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < NAMES => {}
                created => return Ok((beside, created?)),
            }
        }
    }
}

/// How many names of drafts are tried.
const NAMES: usize = 100;

/// The file before it is moved to its path.
pub(crate) struct Draft {
    path: PathBuf,
    beside: PathBuf,
    mark: Box<[u8]>,
    file: File,
}

impl Draft {
    /// Replaces the file at the path.
    ///
    /// # Errors
    ///
    /// If that fails, or if another file was created at the path since the start. Then that file is unchanged.
    pub(crate) fn finish(&self) -> io::Result<()> {
        replaceable(&self.path, &self.mark)?;
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

/// Returns the metadata of a file that may be replaced. `None` if there is no file.
///
/// # Errors
///
/// If there is something that must not be replaced, such as a mailbox or a device.
fn replaceable(path: &Path, mark: &[u8]) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() && begins_with(path, mark)? => Ok(Some(about)),
        Ok(_) => Err(io::Error::other("something else has that name; give another name")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the file begins with `mark`, or is empty.
fn begins_with(path: &Path, mark: &[u8]) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(mark.len() as u64).read_to_end(&mut head)?;
    Ok(head == mark || head.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a container, the process id of a killed run may be that of the next one.
    #[test]
    fn a_draft_of_a_killed_run_is_not_in_the_way() {
        let dir = std::env::temp_dir().join(format!("urlspool-draft-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let file = AtomicFile::new(&dir.join("page"), b"<").unwrap();
        // A kill skips the code that removes a draft.
        std::mem::forget(file.draft().unwrap());
        file.finish(b"<p>").unwrap();
        assert_eq!(fs::read(dir.join("page")).unwrap(), b"<p>");
        fs::remove_dir_all(&dir).unwrap();
    }
}
