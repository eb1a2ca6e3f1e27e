//! The exit status, and messages on standard error.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::io::{self, IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::{LazyLock, Once};

use crate::escaped::Terminal;
use crate::patient::{self, Patient};
use crate::standard_streams::{self, CLOSED_OUTPUT};

/// The exit status. 0, 1 and 2 mean the same as in grep: found, not found and error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// 0: something was found; for `check`, every URL is valid; for `tee`, the mail was passed on.
    Found = 0,
    /// 1: nothing was found; for `check`, at least one URL is invalid.
    Nothing = 1,
    /// 2: some input could not be read, but all other input was processed. Also 2 if the options are wrong, or if the
    /// output could not be written.
    Failed = 2,
    /// 75, `EX_TEMPFAIL` of sysexits.h: the mail was not passed on. The mail system keeps the mail and tries again.
    Deferred = 75,
}

/// Returns why a file cannot be written, and what to do.
pub(crate) fn unwritten(why: &io::Error) -> String {
    let next = match why.kind() {
        io::ErrorKind::NotFound => "; create its directory first",
        io::ErrorKind::IsADirectory => "; name a file in it",
        io::ErrorKind::PermissionDenied => "; change the permissions of it or its directory, or name another file",
        // ENXIO: the file is a socket, or a named pipe that no program reads.
        _ if cfg!(unix) && why.raw_os_error() == Some(6) => "; if it is a named pipe, start its reader first",
        _ => "",
    };
    format!("{why}{next}")
}

impl Status {
    pub(crate) fn found(found: bool) -> Status {
        if found { Status::Found } else { Status::Nothing }
    }

    /// Writes `text` to standard output and returns the exit status. A closed pipe is not an error. Any other error is
    /// printed, and the status is `Failed`.
    pub(crate) fn with_output(self, text: &[u8]) -> Status {
        self.with(written(text), STDOUT)
    }

    /// Writes `text` to standard output. Escapes control characters if standard output is a terminal. Otherwise the
    /// text is written unchanged. If writing fails, returns `Break` with the exit status. The exit status is `self`
    /// after a closed pipe, and `Failed` after any other error.
    pub(crate) fn after_output(self, text: &[u8]) -> ControlFlow<Status> {
        self.after(written(&shown(text)), STDOUT)
    }

    /// Returns this status, or `Failed` after an error in writing to `target`.
    pub(crate) fn with(self, written: io::Result<()>, target: &str) -> Status {
        self.after(written, target).break_value().unwrap_or(self)
    }

    /// Returns `Continue` if writing to `target` succeeded. After an error, returns `Break` with the exit status, as
    /// [`after_output`](Self::after_output) does.
    fn after(self, written: io::Result<()>, target: &str) -> ControlFlow<Status> {
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ControlFlow::Break(self),
            Err(error) => {
                match error.downcast::<Elsewhere>() {
                    Ok(why) => print_message(why),
                    Err(error) => print_message(format_args!("cannot write {target}: {error}")),
                }
                ControlFlow::Break(Status::Failed)
            }
        }
    }
}

/// An error that occurred while the output was written, but in another file. The text names this file.
#[derive(Debug)]
pub(crate) struct Elsewhere(pub(crate) String);

impl Display for Elsewhere {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Elsewhere {}

/// The name of standard output in messages.
pub(crate) const STDOUT: &str = "standard output";

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Returns standard output. If standard output was probably closed when the program started, the first write prints a
/// warning.
pub(crate) fn stdout() -> Box<dyn Write> {
    static IS_CLOSED: LazyLock<bool> = LazyLock::new(standard_streams::is_closed_output);
    let stdout = Patient(io::stdout().lock());
    if *IS_CLOSED { Box::new(Lost(stdout)) } else { Box::new(stdout) }
}

/// Standard output whose bytes are lost. Prints a warning before the first write. The exit status does not change,
/// because a program that needs only the exit status can discard the output in this way.
struct Lost<W>(W);

impl<W: Write> Write for Lost<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        static WARNING: Once = Once::new();
        WARNING.call_once(|| {
            print_message(format_args!("the output is lost: {CLOSED_OUTPUT}; to discard the output, use > /dev/null"));
        });
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Escapes the control characters in `text` if standard output is a terminal.
fn shown(text: &[u8]) -> Cow<'_, [u8]> {
    if !io::stdout().is_terminal() {
        return text.into();
    }
    let mut shown = Vec::new();
    // Writing to a vector cannot fail.
    let _ = Terminal(&mut shown).write_all(text);
    shown.into()
}

/// Writes and flushes `text`, because standard output keeps an incomplete last line in memory.
fn written(text: &[u8]) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(text)?;
    out.flush()
}

/// Prints a message on standard error. If the message cannot be printed, only the exit status reports the error.
pub(crate) fn print_message(what: impl Display) {
    let mut message = Vec::new();
    // The text can quote an argument or a file name.
    let _ = writeln!(Terminal(&mut message), "urlspool: {what}");
    let _ = patient::stderr().write_all(&message);
}
