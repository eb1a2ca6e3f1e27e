//! An output file that appears under its final name only when it is complete.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::escaped::Escaped;

/// A file that is replaced as a whole. The new content is first written to a hidden file in the same directory, the
/// draft.
pub(crate) struct AtomicFile {
    /// The path as the user wrote it, for messages.
    pub(crate) name: String,
    /// The final path. Symbolic links are resolved.
    pub(crate) path: PathBuf,
    /// The permissions of the existing file, if there is one. The new file gets the same permissions.
    permissions: Option<Permissions>,
    /// The first bytes of every file in the output format, such as `PAR1` for Parquet. An existing file is replaced
    /// only if it is empty or begins with these bytes.
    mark: Box<[u8]>,
}

impl AtomicFile {
    /// Checks that `path` can be written. An existing file is replaced only if it is empty or begins with `mark`.
    ///
    /// # Errors
    ///
    /// If `path` is a file that must not be replaced, such as a mailbox or a device, or if no file can be created in
    /// its directory.
    pub(crate) fn new(path: &Path, mark: &[u8]) -> io::Result<AtomicFile> {
        let name = Escaped::path(path).to_string();
        let path = match fs::canonicalize(path) {
            Ok(path) => path,
            Err(_) => match fs::read_link(path) {
                Ok(target) => {
                    let target = Escaped::path(&target).to_string();
                    let why = format!("dangling symbolic link (points to {target}); remove the link");
                    return Err(io::Error::other(why));
                }
                Err(_) => path.into(),
            },
        };
        let permissions = replaceable(&path, mark)?.map(|about| about.permissions());
        let file = AtomicFile { name, path, permissions, mark: mark.into() };
        // Find out now, and not only at the end of the run, whether a draft can be created. `drop` deletes this draft.
        drop(file.draft()?);
        Ok(file)
    }

    /// Writes `text` and replaces the file at the path.
    ///
    /// # Errors
    ///
    /// If the file cannot be written or replaced. After an error, the old file is unchanged.
    pub(crate) fn finish(&self, text: &[u8]) -> io::Result<()> {
        let mut draft = self.draft()?;
        draft.write_all(text)?;
        draft.finish()
    }

    /// Creates the draft, for output that is written in several steps. Its name begins with a dot, so that a search of
    /// the directory skips it. The name also contains the process id. If a file with this name exists, `draft` tries
    /// another name. Such a file can be the draft of a killed run: in a container, two runs can have the same process
    /// id.
    ///
    /// # Errors
    ///
    /// If the draft cannot be created.
    pub(crate) fn draft(&self) -> io::Result<Draft> {
        let name = self.path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut number = 0;
        let (beside, file) = loop {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}", std::process::id()));
            if number > 0 {
                hidden.push(format!("-{number}"));
            }
            hidden.push(".part");
            let beside = self.path.with_file_name(hidden);
            number += 1;
            match private().create_new(true).open(&beside) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < NAMES => {}
                created => break (beside, created?),
            }
        };
        let draft = Draft { path: self.path.clone(), beside, mark: self.mark.clone(), file };
        if let Some(permissions) = &self.permissions {
            draft.file.set_permissions(permissions.clone())?;
        }
        Ok(draft)
    }
}

/// Returns options that open a file for writing. A new file can be read only by its owner, because URLs in mail can
/// contain secrets. A file that exists keeps its permissions.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// How many names are tried for a draft before the run fails.
const NAMES: usize = 100;

/// The hidden file, before it is renamed to the final path.
pub(crate) struct Draft {
    path: PathBuf,
    beside: PathBuf,
    mark: Box<[u8]>,
    file: File,
}

impl Draft {
    /// Renames the draft to the final path, replacing any old file.
    ///
    /// # Errors
    ///
    /// If the draft cannot be synced or renamed, or if the final path now has a file that must not be replaced. After
    /// an error, the file at the final path is unchanged.
    pub(crate) fn finish(&self) -> io::Result<()> {
        replaceable(&self.path, &self.mark)?;
        // Sync the content before renaming. Otherwise a crash of the system could leave an incomplete file under the
        // final name.
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
    /// Removes the draft if it was not renamed.
    fn drop(&mut self) {
        // If `finish` has renamed the draft, there is no file to remove, and the error of this call is ignored.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Returns the metadata of the file at `path`, which the new file would replace. Returns `None` if `path` does not
/// exist.
///
/// # Errors
///
/// If `path` is a file that must not be replaced, such as a mailbox or a device.
fn replaceable(path: &Path, mark: &[u8]) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() && begins_with(path, mark)? => Ok(Some(about)),
        Ok(_) => Err(io::Error::other("the file exists, and urlspool did not write it; give another name")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether the file is empty or begins with `mark`.
fn begins_with(path: &Path, mark: &[u8]) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(mark.len() as u64).read_to_end(&mut head)?;
    Ok(head == mark || head.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a container, a run can have the same process id as an earlier run that was killed.
    #[test]
    fn a_draft_of_a_killed_run_is_not_in_the_way() {
        let dir = std::env::temp_dir().join(format!("urlspool-draft-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let file = AtomicFile::new(&dir.join("page"), b"<").unwrap();
        // `forget` leaves the draft on disk, as a killed run does.
        std::mem::forget(file.draft().unwrap());
        file.finish(b"<p>").unwrap();
        assert_eq!(fs::read(dir.join("page")).unwrap(), b"<p>");
        fs::remove_dir_all(&dir).unwrap();
    }
}
