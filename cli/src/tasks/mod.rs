//! Divides a search into tasks, runs the tasks, and joins their outputs.

pub(crate) mod merge;
pub(crate) mod plan;
pub(crate) mod run;
mod totals;

use std::io::{self, Write};
use std::sync::mpsc::Receiver;

use crate::find::output::Output;
use crate::find::with_hint::ErrorWithHint;
use crate::status::{Status, print_message};

/// Prints a line for each item, and the errors. Then prints the messages about the list of `--files-from`. Returns the
/// exit status.
pub(crate) fn print<T>(
    items: impl Iterator<Item = Result<T, urlspool::Error>>,
    output: &Output,
    failures: &Receiver<String>,
    write: impl Fn(&mut Vec<u8>, T),
) -> Status {
    let (mut found, mut has_failed) = (false, false);
    let print = || -> io::Result<()> {
        let mut out = io::BufWriter::new(output.lock());
        let mut line = Vec::new();
        for item in items {
            match item {
                Ok(item) => {
                    found = true;
                    line.clear();
                    write(&mut line, item);
                    out.write_all(&line)?;
                }
                Err(error) => {
                    has_failed = true;
                    print_message(ErrorWithHint(&error));
                }
            }
        }
        if found || !has_failed {
            output.begin()?;
        }
        out.flush()
    };
    let written = print();
    has_failed |= failures.try_iter().map(print_message).count() > 0;
    match written {
        Ok(()) if has_failed => Status::Failed,
        Ok(()) => Status::found(found),
        written => Status::Found.with(written, output.name()),
    }
}
