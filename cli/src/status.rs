//! The exit status, and messages on standard error.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use crate::escaped::Terminal;
use crate::patient;

/// The exit status. 0, 1 and 2 have the same meaning as in grep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// 0: something was found. With `--check`, every URL is valid. With `--tee`, the mail was passed on.
    Found = 0,
    /// 1: nothing was found. With `--check`, at least one URL is invalid.
    Nothing = 1,
    /// 2: some input could not be read, or the options are wrong. All other input was processed.
    Failed = 2,
    /// 75, `EX_TEMPFAIL` of sysexits.h: the mail was not passed on. The mail system keeps the mail and tries again.
    Deferred = 75,
}

impl Status {
    /// Returns `Found` if `found` is set, and `Nothing` otherwise.
    pub(crate) fn found(found: bool) -> Status {
        if found { Status::Found } else { Status::Nothing }
    }

    /// Writes `text` to standard output and returns the exit status. A closed pipe is not an error. Any other error is
    /// printed, and the status is `Failed`.
    pub(crate) fn with_output(self, text: &[u8]) -> Status {
        self.after_output(text).break_value().unwrap_or(self)
    }

    /// Writes `text` to standard output. If writing fails, returns `Break` with the exit status: this status for a
    /// closed pipe, and `Failed` for any other error.
    pub(crate) fn after_output(self, text: &[u8]) -> ControlFlow<Status> {
        self.after(io::stdout().lock().write_all(text))
    }

    /// Writes a message to standard output as it is stored. If standard output is a terminal, escapes control
    /// characters. Returns this status, or `Failed` if writing fails.
    pub(crate) fn with_message(self, message: &[u8]) -> Status {
        let stdout = io::stdout().lock();
        let is_terminal = stdout.is_terminal();
        let mut out: Box<dyn Write> = if is_terminal { Box::new(Terminal(stdout)) } else { Box::new(stdout) };
        let written = out.write_all(message);
        self.after(written).break_value().unwrap_or(self)
    }

    /// Converts the result of writing to standard output. For an error, returns `Break` with the exit status: this
    /// status for a closed pipe, and `Failed` for any other error.
    fn after(self, written: io::Result<()>) -> ControlFlow<Status> {
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ControlFlow::Break(self),
            Err(error) => {
                print_message(format_args!("cannot write standard output: {error}"));
                ControlFlow::Break(Status::Failed)
            }
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Prints a message on standard error. Ignores errors, because the exit status shows the failure, too.
pub(crate) fn print_message(what: impl Display) {
    let _ = patient::stderr().write_all(format!("urlspool: {what}\n").as_bytes());
}
