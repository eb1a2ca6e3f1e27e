//! `show`: prints messages unchanged, as they are in the file.

use std::path::Path;

use urlspool::Extractor;

use crate::args::{Given, Wrong, values};
use crate::escaped::Escaped;
use crate::find::with_hint::ErrorWithHint;
use crate::status::{Status, print_message};

/// The maximum size of a message that can be printed.
const LARGEST: &str = "1G";

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    // Only the boundaries of messages are needed, so parse as little as possible.
    let mut options = given.options()?;
    for (name, value) in [("in", "headers"), ("max-message", LARGEST)] {
        options.set(name, value).expect("a valid value");
    }
    let extractor = Extractor::with(options);
    let mut status = Status::Found;
    for operand in given.operands() {
        let (file, number) = values::message(Path::new(operand), "message")?;
        if file.is_dir() {
            return Err(format!("{} is a directory; name one of the files in it", Escaped::path(&file)).into());
        }
        status = match (show(&extractor, &file, number), status) {
            (Status::Found, before) | (before, Status::Found) => before,
            (Status::Nothing, Status::Nothing) => Status::Nothing,
            _ => Status::Failed,
        };
    }
    Ok(status)
}

/// Prints the message with this number, counted from 1.
fn show(extractor: &Extractor, file: &Path, number: u64) -> Status {
    let mut status = Status::Nothing;
    let mut messages = 0;
    for message in extractor.paths([file]).messages() {
        match message {
            Ok(message) if message.number() == Some(number) => return Status::Found.with_message(message.stored()),
            Ok(_) => messages += 1,
            Err(error) => {
                print_message(ErrorWithHint(&error));
                status = Status::Failed;
            }
        }
    }
    if status == Status::Nothing {
        let messages = match messages {
            0 => "no messages".to_owned(),
            1 => "1 message".to_owned(),
            many => format!("{many} messages"),
        };
        let file = Escaped::path(file);
        print_message(format_args!("{file}: message {number} does not exist; the file has {messages}"));
    }
    status
}
