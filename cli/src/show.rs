//! `--show`: prints one message unchanged, as it is in the file.

use std::path::PathBuf;

use urlspool::Extractor;

use crate::escaped::Escaped;
use crate::list::with_hint::ErrorWithHint;
use crate::status::{Status, print_message};

/// The message to print: the value of `--show`.
pub(crate) struct Show {
    /// The path of the file or archive member that contains the message.
    pub(crate) file: PathBuf,
    /// The number of the message in the file, from 1.
    pub(crate) number: u64,
    pub(crate) extractor: Extractor,
}

pub(crate) fn show(show: &Show) -> Status {
    let mut status = Status::Nothing;
    let mut messages = 0;
    for message in show.extractor.paths([&show.file]).messages() {
        match message {
            Ok(message) if message.number() == Some(show.number) => {
                return Status::Found.with_message(message.stored());
            }
            Ok(_) => messages += 1,
            Err(error) => {
                print_message(Escaped(ErrorWithHint(&error).to_string().as_bytes()));
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
        print_message(format_args!(
            "{}: message {} does not exist; the file has {messages}",
            Escaped::path(&show.file),
            show.number
        ));
    }
    status
}
