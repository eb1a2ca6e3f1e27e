//! The caller's filter for files and directories.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

type Choose = dyn Fn(&Path, bool) -> Option<bool> + Send + Sync;

/// A function that decides which paths in directories are read. The arguments are a path, and `true` if the path is a
/// directory. The function returns `Some(false)` to skip the path, `Some(true)` to read even a hidden path, or `None`
/// for the default. See [`Hits::filter_files`](crate::Hits::filter_files).
#[derive(Clone)]
pub(crate) struct FileFilter(Arc<Choose>);

impl FileFilter {
    pub(crate) fn new(choose: impl Fn(&Path, bool) -> Option<bool> + Send + Sync + 'static) -> FileFilter {
        FileFilter(Arc::new(choose))
    }

    pub(super) fn choose(&self, path: &Path, is_directory: bool) -> Option<bool> {
        (self.0)(path, is_directory)
    }
}

/// Prints `FileFilter { .. }`, because a closure cannot be printed.
impl fmt::Debug for FileFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileFilter").finish_non_exhaustive()
    }
}
