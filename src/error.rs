//! What can stop an input from being read. Malformed mail is not an error: it is a [`Diagnostic`](crate::Diagnostic).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::Diagnostic;

/// An input that could not be read, or not to its end.
///
/// It names the file and the reason. One such error never ends a run over several inputs.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    path: PathBuf,
    reason: Option<Arc<io::Error>>,
    count: u64,
}

#[derive(Clone, Debug)]
enum Kind {
    Open,
    Dangling { target: PathBuf },
    Read,
    List,
    Unsupported { what: &'static str, remedy: Remedy },
    Incomplete { diagnostic: Diagnostic, is_decompressed: bool },
}

named! {
    /// What an [`Error`] is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ErrorKind {
        /// A file could not be opened.
        Open = "open",
        /// A symbolic link leads to nothing.
        DanglingLink = "dangling-link",
        /// Reading failed before the end of the file. What was read before counts.
        Read = "read",
        /// A directory could not be listed.
        List = "list",
        /// The file could be opened, but its format is one that is not read. [`Error::remedy`] says how to convert it.
        Unsupported = "unsupported",
        /// The file was not read to its end because its content is malformed: a truncated gzip file, for one.
        /// [`Error::diagnostic`] says what is wrong. What was read before counts.
        Incomplete = "incomplete",
    }
}

/// How to convert a file that is not read into one that is. The commands are those of a Unix shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// This command writes the decoded content of the file named after it, or of its standard input, to its standard
    /// output.
    Pipe(&'static str),
    /// The same, after the first line of the file was removed.
    PipeAfterFirstLine(&'static str),
    /// The same as [`Pipe`](Self::Pipe), but the command does not read standard input.
    PipeFile(&'static str),
    /// The same as [`Pipe`](Self::Pipe), after the file was taken out of its archive or decompressed.
    PipeUnpacked(&'static str),
    /// This converter writes files in a format that is read.
    Convert(&'static str),
    /// This command writes the articles whose storage tokens it reads to its standard output.
    Tokens(&'static str),
    /// The library reads the file if it is built with this feature.
    Feature(&'static str),
}

impl Remedy {
    /// The remedy for a file that is packed: no command can be given its name.
    pub(crate) fn on_packed(self) -> Remedy {
        match self {
            Remedy::Pipe(tool) | Remedy::PipeFile(tool) => Remedy::PipeUnpacked(tool),
            other => other,
        }
    }
}

impl Error {
    /// About one file, directory or member.
    fn new(kind: Kind, path: &Path, reason: Option<io::Error>) -> Error {
        Error { kind, path: path.into(), reason: reason.map(Arc::new), count: 1 }
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
    pub(crate) fn unsupported(path: &Path, what: &'static str, remedy: Remedy) -> Error {
        Error::new(Kind::Unsupported { what, remedy }, path, None)
    }

    /// The content is malformed, and the rest of the file was not read. The diagnostic's offset may be in what it decompresses
    /// to.
    pub(crate) fn incomplete(path: &Path, diagnostic: Diagnostic, is_decompressed: bool) -> Error {
        Error::new(Kind::Incomplete { diagnostic, is_decompressed }, path, None)
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

    /// What it is about.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.kind {
            Kind::Open => ErrorKind::Open,
            Kind::Dangling { .. } => ErrorKind::DanglingLink,
            Kind::Read => ErrorKind::Read,
            Kind::List => ErrorKind::List,
            Kind::Unsupported { .. } => ErrorKind::Unsupported,
            Kind::Incomplete { .. } => ErrorKind::Incomplete,
        }
    }

    /// Of an [unsupported](ErrorKind::Unsupported) file: how to convert it.
    #[must_use]
    pub fn remedy(&self) -> Option<Remedy> {
        match self.kind {
            Kind::Unsupported { remedy, .. } => Some(remedy),
            _ => None,
        }
    }

    /// Of an [incomplete](ErrorKind::Incomplete) file: what is wrong with it, and where.
    #[must_use]
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        match self.kind {
            Kind::Incomplete { diagnostic, .. } => Some(diagnostic),
            _ => None,
        }
    }

    /// The operating system's reason, if there is one.
    #[must_use]
    pub fn io_error(&self) -> Option<&io::Error> {
        self.reason.as_deref()
    }
}

/// The source is the operating system's reason, which the error's own text ends with, too.
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.reason.as_deref().map(|reason| reason as _)
    }
}

/// So that `?` works where a program writes what it finds.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let kind = error.io_error().map_or(io::ErrorKind::InvalidData, io::Error::kind);
        io::Error::new(kind, error)
    }
}

/// One line, without what to do about it. The path is printed as it is: escape it before showing it on a terminal, because a
/// hostile name may hold control sequences.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            Kind::Open => f.write_str("cannot be opened")?,
            Kind::Dangling { target } => write!(f, "dangling symbolic link (points to {})", target.display())?,
            Kind::Read => f.write_str("cannot be read to its end")?,
            Kind::List => f.write_str("cannot be listed")?,
            Kind::Unsupported { what, .. } => write!(f, "{what}, which is not read")?,
            Kind::Incomplete { diagnostic, is_decompressed } => {
                let place = if *is_decompressed { "decompressed " } else { "" };
                write!(f, "{place}{diagnostic}")?;
            }
        }
        match &self.reason {
            Some(reason) if !matches!(self.kind, Kind::Dangling { .. }) => write!(f, ": {reason}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::diagnostic::DiagnosticKind;

    #[test]
    fn errors_name_file_and_reason() {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        let table = [
            (Error::open(Path::new("a"), missing()), ErrorKind::Open, "a: cannot be opened: no such file"),
            (
                Error::dangling(Path::new("d/link"), "../gone".into(), missing()),
                ErrorKind::DanglingLink,
                "d/link: dangling symbolic link (points to ../gone)",
            ),
            (Error::list(Path::new("d"), io::Error::other("denied")), ErrorKind::List, "d: cannot be listed: denied"),
            (
                Error::read(Path::new("a"), io::Error::other("bad disk")),
                ErrorKind::Read,
                "a: cannot be read to its end: bad disk",
            ),
            (
                Error::unsupported(Path::new("l.lz4"), "a file of lz4(1)", Remedy::Pipe("lz4 -dc")),
                ErrorKind::Unsupported,
                "l.lz4: a file of lz4(1), which is not read",
            ),
            (
                Error::incomplete(Path::new("a.gz"), Diagnostic::new(DiagnosticKind::TruncatedCompression, 9), true),
                ErrorKind::Incomplete,
                "a.gz: decompressed offset 9: the compressed data is cut short; what could be decoded was read",
            ),
        ];
        for (error, kind, text) in table {
            assert_eq!((error.kind(), error.to_string().as_str()), (kind, text));
            assert_eq!(error.source().is_some(), error.io_error().is_some());
            assert_eq!(error.remedy().is_some(), kind == ErrorKind::Unsupported);
            assert_eq!(error.diagnostic().is_some(), kind == ErrorKind::Incomplete);
            let kind = error.io_error().map(io::Error::kind);
            assert_eq!(io::Error::from(error).kind(), kind.unwrap_or(io::ErrorKind::InvalidData));
        }
    }
}
