//! Adds hints to the diagnostics and errors of the library. A hint says what the user can do: for example, use another
//! option.

use std::fmt;
use std::io;
use std::path::Path;

use urlspool::{DiagnosticKind, Error, ErrorKind, Remedy};

use crate::escaped::Escaped;

/// Returns the hint for a diagnostic.
pub(super) fn hint(kind: DiagnosticKind) -> &'static str {
    match kind {
        DiagnosticKind::OversizeMessage => "; to raise the limit, use --max-message",
        DiagnosticKind::MailboxNotAtStart => "; to read the messages of the mailbox, use --format mbox",
        DiagnosticKind::EncodedText => {
            "; to decode them, name a file in place of standard input, or save them in files of their own"
        }
        DiagnosticKind::OtherFormat => "; to detect the format, remove --format",
        _ => "",
    }
}

/// An error and its hint, without control characters.
pub(crate) struct ErrorWithHint<'e>(pub(crate) &'e Error);

impl fmt::Display for ErrorWithHint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorWithHint(error) = *self;
        let remedy = error.remedy().map(|remedy| format!("; {}", remedy_for(remedy, error.path())));
        let hint = match (&remedy, error.io_error().map(io::Error::kind)) {
            (Some(remedy), _) => remedy,
            _ if error.kind() == ErrorKind::DanglingLink => "",
            _ if error.kind() == ErrorKind::Changed => "; make a new manifest",
            (_, Some(io::ErrorKind::NotFound)) => "; check the name",
            (_, Some(io::ErrorKind::InvalidFilename)) => {
                "; run urlspool in a directory closer to the file, and give a shorter path"
            }
            (_, Some(io::ErrorKind::Unsupported)) => "; unpack the archive with 7z first",
            (_, Some(io::ErrorKind::PermissionDenied)) => "; change its permissions, or run urlspool as another user",
            // Other errors, such as those of git, can occur before anything is read.
            _ if error.kind() == ErrorKind::Read && error.io_error().and_then(io::Error::raw_os_error).is_some() => {
                "; the part before the error was read"
            }
            _ => "",
        };
        Escaped(format!("{error}{hint}").as_bytes()).fmt(f)
    }
}

/// Returns a hint that says how to read the file at `path`.
fn remedy_for(remedy: Remedy, path: &Path) -> String {
    let is_stdin = path == Path::new("-");
    let file = word(path);
    match remedy {
        // The user ran `urlspool < FILE`. If the hint had no parentheses, the new command would be
        // `tool | urlspool - < FILE`, and urlspool would read FILE instead of the output of the tool.
        Remedy::Pipe(tool) if is_stdin => format!("try `({tool} | urlspool -)` instead of `urlspool`"),
        Remedy::PipeAfterFirstLine(tool) if is_stdin => {
            format!("try `(tail -n +2 | {tool} | urlspool -)` instead of `urlspool`")
        }
        Remedy::PipeFile(tool) if is_stdin => format!("save it to a file, and try `{tool} FILE | urlspool -`"),
        Remedy::Pipe(tool) | Remedy::PipeFile(tool) => format!("try `{tool} {file} | urlspool -`"),
        Remedy::PipeAfterFirstLine(tool) => format!("try `tail -n +2 {file} | {tool} | urlspool -`"),
        Remedy::PipeUnpacked(tool) => format!("first unpack the file that contains it, and then run `{tool}` on it"),
        Remedy::Convert(tool) => format!("convert it with `{tool}` first"),
        Remedy::Tokens(tool) => format!(
            "try `{tool} <tokens | urlspool -`; the file `tokens` must list the tokens of the articles; INN keeps these \
             tokens in its history file"
        ),
        Remedy::Format(name) => format!("to read the file as {name}, use --format {name}"),
        Remedy::Feature(name) => format!("build urlspool with the feature `{name}`"),
        _ => String::new(),
    }
}

/// Returns a path, quoted as a word of a shell command.
fn word(path: &Path) -> String {
    let path = path.to_string_lossy();
    let here = if path.starts_with('-') { "./" } else { "" };
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+,:=@%".contains(&b);
    match path.bytes().all(is_plain) {
        true => format!("{here}{path}"),
        false => format!("'{here}{}'", path.replace('\'', r"'\''")),
    }
}
