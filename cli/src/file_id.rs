//! Identifies files, to detect that two names or descriptors mean the same file.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the numbers that identify a file under all its names, if the system has such numbers.
pub(crate) fn id(data: &Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    return Some((std::os::unix::fs::MetadataExt::dev(data), std::os::unix::fs::MetadataExt::ino(data)));
    #[cfg(not(unix))]
    {
        let _ = data;
        None
    }
}

/// Returns whether two open files are the same file.
pub(crate) fn are_same(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (id(&one.metadata()?), id(&other.metadata()?));
    Ok(one.is_some() && one == other)
}

/// Returns whether two paths lead to the same file, which need not exist yet. On Windows, a file with several hard links
/// counts as several files.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let number = |path: &Path| fs::metadata(path).ok().and_then(|data| id(&data));
    let name = |path: &Path| fs::canonicalize(path).ok().or_else(|| new_file(path));
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => name(one).is_some_and(|one| name(other) == Some(one)),
    }
}

/// Returns the place at which a program would create the file `path`, which may be a dangling link.
fn new_file(path: &Path) -> Option<PathBuf> {
    let target = fs::read_link(path).unwrap_or_default();
    let path = if target.as_os_str().is_empty() { path.into() } else { path.with_file_name("").join(target) };
    let parent = path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?;
    Some(fs::canonicalize(parent).ok()?.join(path.file_name()?))
}
