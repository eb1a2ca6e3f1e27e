//! Prevents the loss of mail in a filter that panics or exceeds a file size limit.

use std::panic::{self, AssertUnwindSafe};

/// Returns what `work` returns, or `None` if `work` panics.
pub(crate) fn unless_panic<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    // `AssertUnwindSafe` is right: after a panic, the caller uses only the bytes of the mail, and a panic does not
    // change them.
    panic::catch_unwind(AssertUnwindSafe(work)).ok().flatten()
}

/// Ignores the signal SIGXFSZ, so that a write beyond the file size limit fails instead of ending the program. Mail
/// systems set such limits, and the file of `--hits` can exceed them.
#[cfg(unix)]
pub(crate) fn outlive_limits() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    // If this call fails, SIGXFSZ can end urlspool. The exit status is then not 0, so the mail system keeps the mail.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(not(unix))]
pub(crate) fn outlive_limits() {}
