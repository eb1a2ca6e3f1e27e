//! Protects the mail in a filter from panics, file size limits and a closed standard output.

use std::fs::File;
use std::io;
use std::panic::{self, AssertUnwindSafe};

/// Returns what `work` returns, or `None` if it panics.
pub(crate) fn unless_panic<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    // After a panic, only the mail is used again. A panic cannot leave the mail in an inconsistent state.
    panic::catch_unwind(AssertUnwindSafe(work)).ok().flatten()
}

/// Ignores the signal SIGXFSZ, so that a write beyond the file size limit fails instead of ending the program. Mail
/// systems set such limits, and the file of `--hits` can exceed them.
#[cfg(unix)]
pub(crate) fn outlive_limits() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    // If this fails, exceeding the limit ends the program with a status other than 0, and the mail system keeps the
    // mail.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(not(unix))]
pub(crate) fn outlive_limits() {}

/// Returns standard output as a file. If the descriptor is closed or read-only, writes to the file fail. Writes to
/// `io::stdout()` would succeed, because the standard library ignores this error.
pub(crate) fn output() -> io::Result<File> {
    #[cfg(not(windows))]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    Ok(owned?.into())
}

/// Returns whether standard input was closed when the program started. In this case, the Rust runtime opens `/dev/null`
/// for reading and writing instead, and an empty mail would be passed on. A shell's `< /dev/null` opens it only for
/// reading, so the two cases differ.
#[cfg(unix)]
pub(crate) fn is_closed_input() -> bool {
    use std::io::Write;
    let is_closed = || {
        let mut input = File::from(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?);
        Ok::<_, io::Error>(is_null(&input)? && input.write(&[0]).is_ok())
    };
    is_closed().unwrap_or(false)
}

#[cfg(not(unix))]
pub(crate) fn is_closed_input() -> bool {
    false
}

#[cfg(unix)]
fn is_null(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.rdev() == std::fs::metadata("/dev/null")?.rdev())
}

/// Returns whether standard output was closed when the program started. In this case, the Rust runtime opens
/// `/dev/null` for reading and writing instead, and the mail would be lost without an error. A shell's `> /dev/null`
/// opens it only for writing, so the two cases differ. Without `--tee`, the command must not call this function: Python
/// and Node also open `/dev/null` for reading and writing when they ignore the output of a program.
#[cfg(unix)]
pub(crate) fn is_closed_output() -> bool {
    use std::io::Read;
    let is_closed = || {
        let mut output = output()?;
        Ok::<_, io::Error>(is_null(&output)? && output.read(&mut [0]).is_ok())
    };
    is_closed().unwrap_or(false)
}

#[cfg(not(unix))]
pub(crate) fn is_closed_output() -> bool {
    false
}
