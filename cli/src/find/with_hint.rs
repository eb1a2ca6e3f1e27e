//! Adds hints to the diagnostics and errors of the library. A hint says what the user can do: for example, use another
//! option.

use std::fmt;
use std::io;
use std::path::Path;

use urlspool::{Diagnostic, DiagnosticKind, Error, ErrorKind, Remedy};

pub(crate) struct WithHint<'n>(pub(crate) &'n Diagnostic);

impl fmt::Display for WithHint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.0.to_string();
        match self.0.kind() {
            DiagnosticKind::OversizeMessage => write!(f, "{message}; to raise the limit, use --max-message"),
            DiagnosticKind::MailboxNotAtStart => {
                write!(f, "{message}; to read the messages of the mailbox, use --format mbox")
            }
            DiagnosticKind::OtherFormat => write!(f, "{message}; to detect the format, remove --format"),
            _ => f.write_str(&message),
        }
    }
}

pub(crate) struct ErrorWithHint<'e>(pub(crate) &'e Error);

impl fmt::Display for ErrorWithHint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorWithHint(error) = *self;
        error.fmt(f)?;
        if let Some(remedy) = error.remedy() {
            f.write_str("; ")?;
            return write_remedy(remedy, error.path(), f);
        }
        match error.io_error().map(io::Error::kind) {
            _ if error.kind() == ErrorKind::DanglingLink => Ok(()),
            _ if error.kind() == ErrorKind::Changed => f.write_str("; make a new manifest"),
            Some(io::ErrorKind::NotFound) => f.write_str("; check the name"),
            Some(io::ErrorKind::InvalidFilename) => {
                f.write_str("; run urlspool in a directory closer to the file, and give a shorter path")
            }
            Some(io::ErrorKind::Unsupported) => f.write_str("; unpack the archive with 7z first"),
            Some(io::ErrorKind::PermissionDenied) => {
                f.write_str("; change its permissions, or run urlspool as another user")
            }
            Some(_) if error.kind() == ErrorKind::Read => f.write_str("; the part before the error was read"),
            _ => Ok(()),
        }
    }
}

/// Writes a hint that says how to read the file at `path`.
fn write_remedy(remedy: Remedy, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let is_stdin = path == Path::new("-");
    let file = Word(path);
    match remedy {
        // The user ran `urlspool < FILE`. If the hint had no parentheses, the new command would be
        // `tool | urlspool - < FILE`, and urlspool would read FILE instead of the output of the tool.
        Remedy::Pipe(tool) if is_stdin => write!(f, "try `({tool} | urlspool -)` instead of `urlspool`"),
        Remedy::PipeAfterFirstLine(tool) if is_stdin => {
            write!(f, "try `(tail -n +2 | {tool} | urlspool -)` instead of `urlspool`")
        }
        Remedy::PipeFile(tool) if is_stdin => write!(f, "save it to a file, and try `{tool} FILE | urlspool -`"),
        Remedy::Pipe(tool) | Remedy::PipeFile(tool) => write!(f, "try `{tool} {file} | urlspool -`"),
        Remedy::PipeAfterFirstLine(tool) => write!(f, "try `tail -n +2 {file} | {tool} | urlspool -`"),
        Remedy::PipeUnpacked(tool) => write!(f, "first unpack the file that contains it, and then run `{tool}` on it"),
        Remedy::Convert(tool) => write!(f, "convert it with `{tool}` first"),
        Remedy::Tokens(tool) => {
            write!(
                f,
                "try `{tool} <tokens | urlspool -`; the file `tokens` must list the tokens of the articles; INN keeps \
                 these tokens in its history file"
            )
        }
        Remedy::Format(name) => write!(f, "to read the file as {name}, use --format {name}"),
        Remedy::Feature(name) => write!(f, "build urlspool with the feature `{name}`"),
        _ => Ok(()),
    }
}

/// A path, quoted as a word of a shell command.
struct Word<'a>(&'a Path);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.to_string_lossy();
        let here = if path.starts_with('-') { "./" } else { "" };
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+,:=@%".contains(&b);
        match path.bytes().all(is_plain) {
            true => write!(f, "{here}{path}"),
            false => write!(f, "'{here}{}'", path.replace('\'', r"'\''")),
        }
    }
}
