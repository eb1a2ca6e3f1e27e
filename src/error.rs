//! What can stop an input from being read. Damaged mail is not an error: it is a [`Diagnostic`](crate::Diagnostic).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An input that could not be read, or not to its end.
///
/// It names the file, the reason, and what to do about it; one such error never ends a run over several inputs.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    path: PathBuf,
    reason: Option<io::Error>,
    count: u64,
}

#[derive(Debug)]
enum Kind {
    Open,
    Dangling { target: PathBuf },
    Read,
    List,
    Unsupported { what: &'static str, hint: Hint },
}

/// How the bytes of a file that is not read here can be had in a form that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// A command that writes the plain bytes of the file named after it, or of its standard input, to its standard
    /// output.
    Pipe(&'static str),
    /// The same, for a file whose first line has to be taken off.
    PipeAfterFirstLine(&'static str),
    /// The same as the first, but reads no standard input.
    PipeFile(&'static str),
    /// The same as the first, for what has to be taken out of an archive or decompressed before.
    PipeUnpacked(&'static str),
    /// A converter that writes files which are read here.
    Convert(&'static str),
    /// A command that writes the articles whose storage tokens it reads to its standard output.
    Tokens(&'static str),
    /// The feature that reads it. The command always has it: this is for who builds a program of their own.
    Feature(&'static str),
}

impl Hint {
    /// The hint on what is packed: no command can be given its name.
    pub(crate) fn on_packed(self) -> Hint {
        match self {
            Hint::Pipe(tool) | Hint::PipeFile(tool) => Hint::PipeUnpacked(tool),
            other => other,
        }
    }

    /// What to do about the file, in words.
    fn tell(self, path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_stdin = path == Path::new("-");
        let file = Word(path);
        match self {
            // In brackets it works before `<FILE` and behind a pipe.
            Hint::Pipe(tool) if is_stdin => write!(f, "try `({tool} | urlspool -)` in place of `urlspool`"),
            Hint::PipeAfterFirstLine(tool) if is_stdin => {
                write!(f, "try `(tail -n +2 | {tool} | urlspool -)` in place of `urlspool`")
            }
            Hint::PipeFile(tool) if is_stdin => write!(f, "save it to a file, and try `{tool} FILE | urlspool -`"),
            Hint::Pipe(tool) | Hint::PipeFile(tool) => write!(f, "try `{tool} {file} | urlspool -`"),
            Hint::PipeAfterFirstLine(tool) => write!(f, "try `tail -n +2 {file} | {tool} | urlspool -`"),
            Hint::PipeUnpacked(tool) => write!(f, "unpack it first, and then try `{tool}` on it"),
            Hint::Convert(tool) => write!(f, "convert it with `{tool}` first"),
            Hint::Tokens(tool) => {
                write!(f, "try `{tool} <tokens | urlspool -`, with its articles' tokens from INN's history")
            }
            Hint::Feature(name) => write!(f, "build urlspool with its feature `{name}`"),
        }
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

impl Error {
    /// About one file, directory or member.
    fn new(kind: Kind, path: &Path, reason: Option<io::Error>) -> Error {
        Error { kind, path: path.into(), reason, count: 1 }
    }

    /// The file, directory, stream or member of an archive could not be opened.
    pub(crate) fn open(path: &Path, reason: io::Error) -> Error {
        Error::new(Kind::Open, path, Some(reason))
    }

    /// The symbolic link leads to a `target` that is not there.
    pub(crate) fn dangling(path: &Path, target: PathBuf, reason: io::Error) -> Error {
        Error::new(Kind::Dangling { target }, path, Some(reason))
    }

    /// Reading stopped before the end of the file; what was read before counts.
    pub(crate) fn read(path: &Path, reason: io::Error) -> Error {
        Error::new(Kind::Read, path, Some(reason))
    }

    /// A directory could not be listed.
    pub(crate) fn list(path: &Path, reason: io::Error) -> Error {
        Error::new(Kind::List, path, Some(reason))
    }

    /// The file is of a kind that is known and not read.
    pub(crate) fn unsupported(path: &Path, what: &'static str, hint: Hint) -> Error {
        Error::new(Kind::Unsupported { what, hint }, path, None)
    }

    /// The same of so many members of an archive; its path is that of the first.
    pub(crate) fn of(self, count: u64) -> Error {
        Error { count, ..self }
    }

    /// How many files, directories or members of archives it is about: one, but of an archive all members that cannot be
    /// read for the same reason.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The file or directory it is about, or the first of the members; `-` for standard input.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file was readable, but of a kind that has to be unpacked by another program first.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.kind, Kind::Unsupported { .. })
    }

    /// Whether it could not even be opened, and is no directory that was found.
    pub(crate) fn is_of_opening(&self) -> bool {
        matches!(self.kind, Kind::Open | Kind::Dangling { .. })
    }

    /// The operating system's reason, if there is one.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.reason.as_ref()
    }
}

/// It has no [`source`](std::error::Error::source): the sentence ends with the operating system's reason, which whoever
/// prints a chain of errors would print twice. The reason itself is [`Error::io_error`].
impl std::error::Error for Error {}

/// A sentence for people, with the path as it is: a hostile name may hold what a terminal obeys, so it is to be escaped
/// before one shows it.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let did = match &self.kind {
            Kind::Open => "cannot be opened",
            Kind::Read => "cannot be read to its end",
            Kind::List => "cannot be listed",
            Kind::Unsupported { what, hint } => {
                write!(f, "{path}: {what}, which is not read: ")?;
                return hint.tell(&self.path, f);
            }
            Kind::Dangling { target } => {
                let target = target.display();
                return write!(
                    f,
                    "{path}: cannot be opened: it is a symbolic link to {target}, which is missing; mend the link, or leave \
                     it out"
                );
            }
        };
        write!(f, "{path}: {did}")?;
        let Some(reason) = &self.reason else { return Ok(()) };
        write!(f, ": {reason}")?;
        match reason.kind() {
            io::ErrorKind::NotFound => f.write_str("; check the name"),
            io::ErrorKind::PermissionDenied => f.write_str("; run it as a user who may read it, or leave it out"),
            _ if matches!(self.kind, Kind::Read) => f.write_str("; what was read before counts"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_file_reason_and_next_step() {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        let table = [
            (Error::open(Path::new("a"), missing()), "a: cannot be opened: no such file; check the name"),
            (
                Error::dangling(Path::new("d/link"), "../gone".into(), missing()),
                "d/link: cannot be opened: it is a symbolic link to ../gone, which is missing; mend the link, or leave it out",
            ),
            (
                Error::list(Path::new("d"), io::Error::new(io::ErrorKind::PermissionDenied, "denied")),
                "d: cannot be listed: denied; run it as a user who may read it, or leave it out",
            ),
            (
                Error::read(Path::new("a"), io::Error::other("bad disk")),
                "a: cannot be read to its end: bad disk; what was read before counts",
            ),
            (
                Error::unsupported(Path::new("l.Z"), "a file of compress(1)", Hint::Pipe("zcat")),
                "l.Z: a file of compress(1), which is not read: try `zcat l.Z | urlspool -`",
            ),
            (
                Error::unsupported(Path::new("b"), "a cunbatch", Hint::PipeAfterFirstLine("zcat")),
                "b: a cunbatch, which is not read: try `tail -n +2 b | zcat | urlspool -`",
            ),
            (
                Error::unsupported(Path::new("it's one"), "a 7z archive", Hint::PipeFile("7z x -so")),
                r"it's one: a 7z archive, which is not read: try `7z x -so 'it'\''s one' | urlspool -`",
            ),
            (
                Error::unsupported(Path::new("-x"), "a file of lz4(1)", Hint::Pipe("lz4 -dc")),
                "-x: a file of lz4(1), which is not read: try `lz4 -dc ./-x | urlspool -`",
            ),
            (
                Error::unsupported(Path::new("-"), "a file of lz4(1)", Hint::Pipe("lz4 -dc")),
                "-: a file of lz4(1), which is not read: try `(lz4 -dc | urlspool -)` in place of `urlspool`",
            ),
            (
                Error::unsupported(Path::new("-"), "a cunbatch", Hint::PipeAfterFirstLine("zcat")),
                "-: a cunbatch, which is not read: try `(tail -n +2 | zcat | urlspool -)` in place of `urlspool`",
            ),
            (
                Error::unsupported(Path::new("-"), "a 7z archive", Hint::PipeFile("7z x -so")),
                "-: a 7z archive, which is not read: save it to a file, and try `7z x -so FILE | urlspool -`",
            ),
            (
                Error::unsupported(Path::new("a.zip!l.Z"), "a file of compress(1)", Hint::Pipe("zcat").on_packed()),
                "a.zip!l.Z: a file of compress(1), which is not read: unpack it first, and then try `zcat` on it",
            ),
            (
                Error::unsupported(Path::new("o.pst"), "an Outlook folder", Hint::Convert("readpst")),
                "o.pst: an Outlook folder, which is not read: convert it with `readpst` first",
            ),
            (
                Error::unsupported(Path::new("1.CF"), "a timecaf file", Hint::Tokens("sm -S")),
                "1.CF: a timecaf file, which is not read: try `sm -S <tokens | urlspool -`, with its articles' tokens from \
                 INN's history",
            ),
            #[cfg(not(feature = "compression"))]
            (
                Error::unsupported(Path::new("a.gz"), "a file of gzip(1)", Hint::Feature("compression")),
                "a.gz: a file of gzip(1), which is not read: build urlspool with its feature `compression`",
            ),
        ];
        for (error, text) in table {
            assert_eq!(error.to_string(), text);
            assert_eq!(error.io_error().is_some(), !error.is_unsupported());
            assert!(std::error::Error::source(&error).is_none());
        }
    }
}
