//! Prevents the loss of mail in a filter that panics, exceeds a file size limit, or starts with closed standard
//! streams. Also notices closed standard streams for the other tasks, which print a warning.

use std::fs::File;
use std::io;
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

/// Returns standard output as a file. If standard output is closed or read-only, writes to this file fail. Writes to
/// `io::stdout()` would seem to succeed, because the standard library ignores the error EBADF, and the mail would be
/// lost.
pub(crate) fn output() -> io::Result<File> {
    #[cfg(not(windows))]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    Ok(owned?.into())
}

/// Returns whether standard input was closed when the program started. In this case, the Rust runtime opens `/dev/null`
/// for reading and writing as standard input, and the filter would pass on an empty mail. A shell that redirects
/// standard input from `/dev/null` opens it only for reading. So if standard input is `/dev/null` and can be written
/// to, standard input was closed.
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
/// `/dev/null` for reading and writing as standard output, and the output would be lost without an error
/// (rust-lang/rust#108139). A shell that redirects standard output to `/dev/null` opens it only for writing. So if
/// standard output is `/dev/null` and can be read, standard output was closed.
///
/// Python and Node also open `/dev/null` for reading and writing when they discard the output of a program. If urlspool
/// is started in this way, this function wrongly returns `true`.
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
