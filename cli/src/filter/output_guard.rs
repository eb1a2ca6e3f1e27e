//! What would end a filter, or fool it, and is none of the mail's fault.

use std::fs::File;
use std::io;
use std::panic::{self, AssertUnwindSafe};

/// What `work` gives, if it comes to its end.
pub(crate) fn unless_panic<T>(work: impl FnOnce() -> Option<T>) -> Option<T> {
    // What it leaves half done is looked at no more, but for the mail, which is passed on byte by byte.
    panic::catch_unwind(AssertUnwindSafe(work)).ok().flatten()
}

/// A write that goes beyond a limit on the size of files fails then, instead of ending the program: mail systems set
/// such limits on what they run, and a file of findings grows.
#[cfg(unix)]
pub(crate) fn outlive_limits() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    // Without it the limit still ends the program, with a status that is not 0.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(not(unix))]
pub(crate) fn outlive_limits() {}

/// Standard output as a file. The standard library's own writer reports success when the descriptor cannot be written to,
/// because it takes that for a descriptor which was closed on purpose.
pub(crate) fn output() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    Ok(owned?.into())
}

/// Whether there was no standard output at the start. The runtime opens the null device in its place, to read and to
/// write, and the mail would be lost in it without an error. `> /dev/null` opens it to write alone. Asked by a filter only:
/// the null device that Python and Node give those whose exit status is all they want looks the same.
#[cfg(unix)]
pub(crate) fn is_closed_output() -> bool {
    use std::io::Read;
    use std::os::unix::fs::MetadataExt;
    let is_closed = || {
        let mut output = output()?;
        let is_null = output.metadata()?.rdev() == std::fs::metadata("/dev/null")?.rdev();
        Ok::<_, io::Error>(is_null && output.read(&mut [0]).is_ok())
    };
    is_closed().unwrap_or(false)
}

#[cfg(not(unix))]
pub(crate) fn is_closed_output() -> bool {
    false
}
