//! How a run ended.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

/// The exit status, as grep has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// 0: something was found; of `--check`, every URL is valid; of `--tee`, the mail was passed on.
    Found = 0,
    /// 1: nothing was found; of `--check`, some URL is not valid.
    Nothing = 1,
    /// 2: something went wrong somewhere. The rest was done.
    Trouble = 2,
    /// 75, `EX_TEMPFAIL` of sysexits.h: the mail was not passed on, and who sent it is to keep it and try again.
    Deferred = 75,
}

impl Status {
    /// `Found` if so, else `Nothing`.
    pub(crate) fn found(found: bool) -> Status {
        if found { Status::Found } else { Status::Nothing }
    }

    /// This, once `text` stands on standard output. A closed pipe is a quiet end; any other failure is told.
    pub(crate) fn with_output(self, text: &[u8]) -> Status {
        self.after_output(text).break_value().unwrap_or(self)
    }

    /// Writes `text` to standard output. Breaks off with the status of the run if that fails: this one if the pipe is closed.
    pub(crate) fn after_output(self, text: &[u8]) -> ControlFlow<Status> {
        match io::stdout().lock().write_all(text) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ControlFlow::Break(self),
            Err(error) => {
                tell(format_args!("standard output cannot be written: {error}"));
                ControlFlow::Break(Status::Trouble)
            }
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Prints a line for people on standard error. If that is closed, the exit status still tells.
pub(crate) fn tell(what: impl Display) {
    let _ = writeln!(io::stderr().lock(), "urlspool: {what}");
}
