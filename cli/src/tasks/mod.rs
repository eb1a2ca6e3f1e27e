//! Divides a search into tasks, runs the tasks, and joins their outputs.

mod files;
mod manifest;
mod merge;
mod run;
mod totals;

use std::io;
use std::sync::mpsc::Receiver;

pub(crate) use self::files::Files;
pub(crate) use self::manifest::Manifest;
pub(crate) use self::merge::Merge;
pub(crate) use self::run::Run;
use crate::escaped::Escaped;
use crate::list::output::Output;
use crate::list::with_hint::ErrorWithHint;
use crate::status::{Status, print_message};

/// A step of a search that is divided into tasks. Each step has an option of its own, such as `--manifest`.
pub(crate) enum Tasks {
    Files(Box<Files>),
    Manifest(Box<Manifest>),
    Run(Run),
    Merge(Merge),
}

/// Runs one step and returns the exit status.
pub(crate) fn tasks(step: Tasks) -> Status {
    match step {
        Tasks::Files(job) => files::files(*job),
        Tasks::Manifest(job) => manifest::manifest(*job),
        Tasks::Run(job) => run::run(&job),
        Tasks::Merge(job) => merge::merge(&job),
    }
}

/// Prints an error about a file.
fn print_error(error: &urlspool::Error) {
    print_message(Escaped(ErrorWithHint(error).to_string().as_bytes()));
}

/// Prints the messages about the list of `--files-from`, and an error in writing to `output`. Returns the exit status,
/// which is `status` if there was no error.
fn status(written: io::Result<()>, output: &Output, failures: &Receiver<String>, status: Status) -> Status {
    let mut failures = failures.try_iter().peekable();
    let has_failed = failures.peek().is_some();
    failures.for_each(print_message);
    match written {
        Ok(()) if has_failed => Status::Failed,
        Ok(()) => status,
        written => not_written(written, output),
    }
}

/// Reports a failed write, and returns the exit status. A closed pipe is not an error.
fn not_written(written: io::Result<()>, output: &Output) -> Status {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            print_message(format_args!("cannot write {}: {error}", output.name()));
            Status::Failed
        }
        _ => Status::Found,
    }
}
