//! Divides a search into tasks, runs the tasks, and joins their outputs.

pub(crate) mod merge;
pub(crate) mod plan;
pub(crate) mod run;
mod totals;

use std::io::{self, Write};
use std::sync::mpsc::Receiver;

use crate::escaped::Escaped;
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
                    print_message(Escaped(ErrorWithHint(&error).to_string().as_bytes()));
                }
            }
        }
        if found || !has_failed {
            output.begin()?;
        }
        out.flush()
    };
    let written = print();
    let mut failures = failures.try_iter().peekable();
    has_failed |= failures.peek().is_some();
    failures.for_each(print_message);
    match written {
        Ok(()) if has_failed => Status::Failed,
        Ok(()) => Status::found(found),
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
