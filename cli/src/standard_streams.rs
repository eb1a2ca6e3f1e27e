//! Opens standard output as a file, and detects standard streams that were closed when the program started.

use std::fs::File;
use std::io::{self, Read, Write};

/// The beginning of a message, if [`is_closed_input`] returns `true`.
pub(crate) const CLOSED_INPUT: &str = "standard input is closed, or is /dev/null and open for both reading and writing";

/// The beginning of a message, if [`is_closed_output`] returns `true`.
pub(crate) const CLOSED_OUTPUT: &str =
    "standard output is closed, or is /dev/null and open for both reading and writing";

/// Returns standard output as a file. If standard output is closed or read-only, writes to this file fail. Writes to
/// `io::stdout()` would seem to succeed, because the standard library ignores the error EBADF, and the mail would be
/// lost.
pub(crate) fn output() -> io::Result<File> {
    file(&io::stdout())
}

/// Returns standard error as a file.
pub(crate) fn errors() -> io::Result<File> {
    file(&io::stderr())
}

/// Returns standard input as a file.
pub(crate) fn input() -> io::Result<File> {
    file(&io::stdin())
}

#[cfg(not(windows))]
fn file(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn file(stream: &impl std::os::windows::io::AsHandle) -> io::Result<File> {
    Ok(stream.as_handle().try_clone_to_owned()?.into())
}

/// Returns whether standard input was closed when the program started. In this case, the Rust runtime opens `/dev/null`
/// for reading and writing as standard input, and the filter would pass on an empty mail. A shell that redirects
/// standard input from `/dev/null` opens it only for reading. So if standard input is `/dev/null` and can be written
/// to, standard input was closed. With `stdin=DEVNULL`, Python also opens it for reading and writing, and this function
/// wrongly returns `true`.
pub(crate) fn is_closed_input() -> bool {
    input().is_ok_and(|mut input| is_null(&input) && input.write(&[0]).is_ok())
}

#[cfg(unix)]
fn is_null(file: &File) -> bool {
    let number =
        |data: io::Result<std::fs::Metadata>| data.map(|data| std::os::unix::fs::MetadataExt::rdev(&data)).ok();
    number(file.metadata()).is_some_and(|own| number(std::fs::metadata("/dev/null")) == Some(own))
}

#[cfg(not(unix))]
fn is_null(_: &File) -> bool {
    false
}

/// Returns whether standard output was closed when the program started. In this case, the Rust runtime opens
/// `/dev/null` for reading and writing as standard output, and the output would be lost without an error
/// (rust-lang/rust#108139). A shell that redirects standard output to `/dev/null` opens it only for writing. So if
/// standard output is `/dev/null` and can be read, standard output was closed.
///
/// Python and Node also open `/dev/null` for reading and writing when they discard the output of a program. If urlspool
/// is started in this way, this function wrongly returns `true`.
pub(crate) fn is_closed_output() -> bool {
    output().is_ok_and(|mut output| is_null(&output) && output.read(&mut [0]).is_ok())
}
