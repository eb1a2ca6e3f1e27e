//! Damage in the command's words: what the library says of it, and the option that has a say in it.

use std::fmt;
use std::io;
use std::path::Path;

use urlspool::{Diagnostic, DiagnosticKind, Error, ErrorKind, Remedy};

/// A note as it is told on standard error.
pub(crate) struct WithHint<'n>(pub(crate) &'n Diagnostic);

impl fmt::Display for WithHint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.0.to_string();
        match self.0.kind() {
            DiagnosticKind::OversizeMessage => write!(f, "{said}; --max-message sets the limit"),
            DiagnosticKind::MailboxNotAtStart => write!(f, "{said}; --format mbox reads its messages"),
            DiagnosticKind::OtherFormat => write!(f, "{said}; leave out --format"),
            _ => f.write_str(&said),
        }
    }
}

/// An error, and what to do about it.
pub(crate) struct ErrorWithHint<'e>(pub(crate) &'e Error);

impl fmt::Display for ErrorWithHint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorWithHint(error) = *self;
        error.fmt(f)?;
        if let Some(remedy) = error.remedy() {
            f.write_str(": ")?;
            return tell(remedy, error.path(), f);
        }
        match error.io_error().map(io::Error::kind) {
            _ if error.kind() == ErrorKind::DanglingLink => Ok(()),
            Some(io::ErrorKind::NotFound) => f.write_str("; check the name"),
            Some(io::ErrorKind::Unsupported) => f.write_str("; unpack the archive with 7z first"),
            Some(io::ErrorKind::PermissionDenied) => f.write_str("; run it as a user who may read it, or leave it out"),
            Some(_) if error.kind() == ErrorKind::Read => f.write_str("; what was read before counts"),
            _ => Ok(()),
        }
    }
}

/// What to do about the file, in words.
fn tell(remedy: Remedy, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let is_stdin = path == Path::new("-");
    let file = Word(path);
    match remedy {
        // In brackets it works before `<FILE` and behind a pipe.
        Remedy::Pipe(tool) if is_stdin => write!(f, "try `({tool} | urlspool -)` in place of `urlspool`"),
        Remedy::PipeAfterFirstLine(tool) if is_stdin => {
            write!(f, "try `(tail -n +2 | {tool} | urlspool -)` in place of `urlspool`")
        }
        Remedy::PipeFile(tool) if is_stdin => write!(f, "save it to a file, and try `{tool} FILE | urlspool -`"),
        Remedy::Pipe(tool) | Remedy::PipeFile(tool) => write!(f, "try `{tool} {file} | urlspool -`"),
        Remedy::PipeAfterFirstLine(tool) => write!(f, "try `tail -n +2 {file} | {tool} | urlspool -`"),
        Remedy::PipeUnpacked(tool) => write!(f, "unpack it first, and then try `{tool}` on it"),
        Remedy::Convert(tool) => write!(f, "convert it with `{tool}` first"),
        Remedy::Tokens(tool) => {
            write!(f, "try `{tool} <tokens | urlspool -`, with its articles' tokens from INN's history")
        }
        Remedy::Format(name) => write!(f, "--format {name} reads it anyway"),
        Remedy::Feature(name) => write!(f, "build urlspool with its feature `{name}`"),
        _ => Ok(()),
    }
}

/// A path as a word of a shell's command.
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
