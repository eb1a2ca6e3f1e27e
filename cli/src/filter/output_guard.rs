//! Guards a filter against panics, file size limits, and a standard output that loses the mail.

use std::fs::File;
use std::io;
use std::panic::{self, AssertUnwindSafe};

/// Returns what `work` returns, or `None` if it panics.
pub(crate) fn unless_panic<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    // After a panic, only the mail is used again, and each of its bytes is whole.
    panic::catch_unwind(AssertUnwindSafe(work)).ok().flatten()
}

/// Ignores the signal for a file that exceeds its size limit, so that the write fails instead. Mail systems set such limits,
/// and the file of `--hits` grows.
#[cfg(unix)]
pub(crate) fn outlive_limits() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    // If this fails, the limit ends the program with a status that is not 0.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(not(unix))]
pub(crate) fn outlive_limits() {}

/// Standard output as a file. The standard library's own writer reports success for a descriptor that cannot be written to,
/// because it assumes that it was closed on purpose.
pub(crate) fn output() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    Ok(owned?.into())
}

/// Whether standard input was closed at the start. Then the runtime opens `/dev/null` for reading and writing in its place,
/// and an empty mail would be passed on. `< /dev/null` opens it only for reading.
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

/// Whether standard output was closed at the start. Then the runtime opens `/dev/null` for reading and writing in its place,
/// and the mail would be lost without an error. `> /dev/null` opens it only for writing. Only a filter may check this,
/// because Python and Node also open `/dev/null` both ways for programs whose output is ignored.
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
