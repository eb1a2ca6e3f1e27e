//! Prints one message as it is stored: `--show`.

use std::path::PathBuf;

use urlspool::{Extractor, Format, HeaderScan};

use crate::escaped::Escaped;
use crate::status::{Status, print_message};

/// The message to print.
pub(crate) struct Show {
    /// The file, or the member of an archive.
    pub(crate) file: PathBuf,
    /// Its number there, from 1.
    pub(crate) number: u64,
    pub(crate) format: Option<Format>,
}

/// A larger message is not read as one.
const LARGEST: usize = 1 << 30;

/// Prints it.
pub(crate) fn show(show: &Show) -> Status {
    // It is only cut, as far as that goes.
    let hits = Extractor::new().headers(HeaderScan::Only).html(false).paths([&show.file]);
    let mut status = Status::Nothing;
    let mut messages = 0;
    for message in hits.format(show.format).max_message(LARGEST).messages() {
        match message {
            Ok(message) if message.number() == Some(show.number) => {
                return Status::Found.with_message(message.stored());
            }
            Ok(_) => messages += 1,
            Err(error) => {
                print_message(Escaped(error.to_string().as_bytes()));
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
            "{}: there is no message {}: it has {messages}",
            Escaped::path(&show.file),
            show.number
        ));
    }
    status
}
