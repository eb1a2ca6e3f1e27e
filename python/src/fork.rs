//! Detects that the process was made by a fork. The child does not have the threads of its parent, and the two
//! processes share the offsets of open files. So a search that began before the fork cannot continue in the child.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The error of a search that a forked process has inherited.
pub(crate) const FORKED: &str =
    "this search began before a fork, and only the parent can continue it; in the child, call paths() again";

/// The number of forks between the process that loaded the module and this process.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Python calls this function in the new process after each fork.
#[pyfunction]
pub(crate) fn after_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The process in which a search began, identified by its value of [`FORKS`].
#[derive(Clone, Copy)]
pub(crate) struct Origin(u64);

impl Origin {
    pub(crate) fn here() -> Origin {
        Origin(FORKS.load(Ordering::Relaxed))
    }

    pub(crate) fn is_here(self) -> bool {
        self.0 == FORKS.load(Ordering::Relaxed)
    }

    /// Returns an error if the search began in another process.
    pub(crate) fn check(self) -> PyResult<()> {
        if self.is_here() {
            return Ok(());
        }
        Err(PyRuntimeError::new_err(FORKED))
    }
}
