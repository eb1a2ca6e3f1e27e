//! The reasons why a file cannot be converted at all.

use std::{fmt, io};

/// The reason why a file or its bytes were not converted. Damage inside a message is not an error: see
/// [`Message::is_damaged`](crate::Message::is_damaged).
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The bytes have another format.
    Format,
    /// The bytes are a compound file, but not a message: they are a document of Word, Excel, PowerPoint or another
    /// program.
    Document,
    /// The file has the right format, but is so damaged that nothing can be read.
    Damaged,
    /// Reading the file failed.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Format => f.write_str("the file has another format"),
            Error::Document => f.write_str("a document of another program, not a message"),
            Error::Damaged => f.write_str("the Outlook file is damaged; nothing of it can be read"),
            Error::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}
