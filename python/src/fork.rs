//! Prevents a forked child from continuing a search of its parent. The child does not have the threads of the parent,
//! and the two processes share the positions in open files.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The error message if a forked child tries to continue a search of its parent.
pub(crate) const FORKED: &str =
    "this search began before a fork, and only the parent can continue it; in the child, call paths() again";

/// The number of forks between the process that loaded the module and this process. A child has a higher number than
/// its parent.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Python calls this function in the new process after each fork.
#[pyfunction]
pub(crate) fn after_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Identifies the process in which a search began, by the value of [`FORKS`] in that process.
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
