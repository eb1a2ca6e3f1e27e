//! Detects that the process is a copy made by fork. Threads do not exist in the copy, and the copy shares the offsets of
//! open files with the original. So a search that began before the fork cannot go on in the copy.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How many forks led to this process.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Python calls this in the new process after each fork.
#[pyfunction]
pub(crate) fn after_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The process in which a search began.
#[derive(Clone, Copy)]
pub(crate) struct Origin(u64);

impl Origin {
    pub(crate) fn here() -> Origin {
        Origin(FORKS.load(Ordering::Relaxed))
    }

    pub(crate) fn is_here(self) -> bool {
        self.0 == FORKS.load(Ordering::Relaxed)
    }

    /// Returns an error in any other process.
    pub(crate) fn check(self) -> PyResult<()> {
        if self.is_here() {
            return Ok(());
        }
        let why =
            "this search began before a fork, and only the parent can go on with it; in the child, call paths() again";
        Err(PyRuntimeError::new_err(why))
    }
}
