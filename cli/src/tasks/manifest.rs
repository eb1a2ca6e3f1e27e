//! `--manifest`: divides a search into tasks and prints them, one per line.

use std::io::{self, Write};
use std::sync::mpsc::Receiver;

use super::print_error;
use crate::list::output::Output;
use crate::status::Status;

/// The search that is divided into tasks.
pub(crate) struct Manifest {
    pub(crate) tasks: Box<dyn Iterator<Item = Result<urlspool::Task, urlspool::Error>>>,
    /// Receives warnings and errors about the list of `--files-from`, each as one line.
    pub(crate) failures: Receiver<String>,
    pub(crate) output: Output,
}

/// Prints the tasks and returns the exit status.
pub(super) fn manifest(job: Manifest) -> Status {
    let Manifest { tasks, failures, output } = job;
    let (mut found, mut has_failed) = (false, false);
    let print = || -> io::Result<()> {
        let mut out = io::BufWriter::new(output.lock());
        for task in tasks {
            match task {
                Ok(task) => {
                    found = true;
                    writeln!(out, "{task}")?;
                }
                Err(error) => {
                    has_failed = true;
                    print_error(&error);
                }
            }
        }
        out.flush()
    };
    let written = print();
    let status = if has_failed { Status::Failed } else { Status::found(found) };
    super::status(written, &output, &failures, status)
}
