//! The caller's filter for files and directories.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

type Choose = dyn Fn(&Path, bool) -> Option<bool> + Send + Sync;

/// A function that decides for each path in a directory whether it is read. Its arguments are the path and whether it
/// is a directory. It returns `Some(false)` to skip the path, `Some(true)` to read it even if it is hidden, or `None`
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

/// Prints only the name, because a closure cannot be printed.
impl fmt::Debug for FileFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileFilter").finish_non_exhaustive()
    }
}
