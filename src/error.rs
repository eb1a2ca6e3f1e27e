//! Errors about input that could not be read. Malformed mail is not an error but a [`Diagnostic`](crate::Diagnostic).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::Diagnostic;

/// An error about a file or stream that could not be opened, or could not be read to its end. The error contains the
/// path and the reason.
///
/// An error does not end a search of several files. The search continues with the next file.
///
/// ```
/// use urlspool::{ErrorKind, Extractor};
///
/// let error = Extractor::new().open("missing.mbox").unwrap_err();
/// assert_eq!((error.kind(), error.path().to_str()), (ErrorKind::Open, Some("missing.mbox")));
/// assert!(error.to_string().starts_with("missing.mbox: cannot be opened: "));
/// assert_eq!(error.io_error().map(std::io::Error::kind), Some(std::io::ErrorKind::NotFound));
/// ```
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    path: PathBuf,
    reason: Option<Arc<io::Error>>,
    count: u64,
}

/// Why an encrypted member of an archive cannot be read.
pub(crate) const ENCRYPTED: &str = "it is encrypted";

/// What an input is that was not read to its end, in a list of inputs that were not searched.
pub(crate) const PARTLY_DAMAGED: &str = "a partly damaged file";

#[derive(Clone, Debug)]
enum Kind {
    Open,
    /// An encrypted member of an archive cannot be opened.
    Encrypted,
    Dangling {
        target: PathBuf,
    },
    Read,
    List,
    Unsupported {
        what: &'static str,
        remedy: Remedy,
    },
    Incomplete {
        diagnostic: Diagnostic,
        is_decompressed: bool,
    },
    Changed {
        /// How the file or repository was changed, such as `it has new commits`.
        what: String,
    },
}

named! {
    /// The kind of an [`Error`].
    ///
    /// ```
    /// use urlspool::{ErrorKind, Extractor};
    ///
    /// // Skip missing files, and stop at any other error.
    /// let found = Extractor::new().paths(["missing.mbox", "corpus/mbox/small.mbox"]);
    /// for hit in found.filter(|hit| !hit.as_ref().is_err_and(|error| error.kind() == ErrorKind::Open)) {
    ///     println!("{}", hit?.url());
    /// }
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ErrorKind {
        /// A file could not be opened.
        Open = "open",
        /// A symbolic link points to a file that does not exist.
        DanglingLink = "dangling-link",
        /// Reading failed before the end of the file. Everything before the failure was read.
        Read = "read",
        /// A directory could not be listed.
        List = "list",
        /// The file could be opened, but its format is not supported. [`Error::remedy`] says how to make the file
        /// readable.
        Unsupported = "unsupported",
        /// The file was not read to its end because its content is malformed. An example is a truncated gzip file.
        /// Everything before the malformed content was read. [`Error::diagnostic`] says what is wrong.
        Incomplete = "incomplete",
        /// A search was divided into tasks, and then a file or git repository of a task was changed. The file or
        /// repository was not read.
        Changed = "changed",
    }
}

/// How to make a file in an unsupported format readable. All commands are for a Unix shell.
///
/// ```
/// use urlspool::{Extractor, Remedy};
///
/// let lz4 = b"\x04\x22\x4d\x18\x64\x40\xa7";
/// let error = Extractor::new().read(&lz4[..]).name("mail.lz4").next().unwrap().unwrap_err();
/// match error.remedy() {
///     Some(Remedy::Pipe(command)) => assert_eq!(command, "lz4 -dc"),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// This command decodes a file and writes the result to its standard output. Pass the name of the file as the last
    /// argument of the command, or pass the content of the file on standard input.
    Pipe(&'static str),
    /// Use this command in the same way as [`Pipe`](Self::Pipe), but first remove the first line of the file.
    PipeAfterFirstLine(&'static str),
    /// Use this command in the same way as [`Pipe`](Self::Pipe), but always pass the name of the file. This command
    /// cannot read standard input.
    PipeFile(&'static str),
    /// Use this command in the same way as [`Pipe`](Self::Pipe), but first extract or decompress the file.
    PipeUnpacked(&'static str),
    /// First convert the file with this program. Its output is in a supported format.
    Convert(&'static str),
    /// The file belongs to the news server INN. This command of INN reads the storage tokens of the articles from its
    /// standard input, and writes the articles to its standard output.
    Tokens(&'static str),
    /// The file can be read if you set the option `format` to this name.
    Format(&'static str),
    /// The file can be read if the library is built with this feature.
    Feature(&'static str),
}

impl Remedy {
    /// Adapts the remedy to a file that is compressed or inside an archive. The user must extract or decompress the
    /// file before the command can read it.
    pub(crate) fn on_packed(self) -> Remedy {
        match self {
            Remedy::Pipe(tool) | Remedy::PipeFile(tool) => Remedy::PipeUnpacked(tool),
            other => other,
        }
    }
}

impl Error {
    fn new(kind: Kind, path: &Path, reason: Option<io::Error>) -> Error {
        Error { kind, path: path.into(), reason: reason.map(Arc::new), count: 1 }
    }

    pub(crate) fn open(path: &Path, reason: io::Error) -> Error {
        Error::new(Kind::Open, path, Some(reason))
    }

    /// Makes an error about members of an archive that cannot be read, the first of which is at `path`. `why` is the
    /// reason without the number of members.
    pub(crate) fn unreadable(path: &Path, why: &str, reason: io::Error) -> Error {
        let kind = if why == ENCRYPTED { Kind::Encrypted } else { Kind::Open };
        Error::new(kind, path, Some(reason))
    }

    pub(crate) fn dangling(path: &Path, target: PathBuf, reason: io::Error) -> Error {
        Error::new(Kind::Dangling { target }, path, Some(reason))
    }

    pub(crate) fn read(path: &Path, reason: io::Error) -> Error {
        Error::new(Kind::Read, path, Some(reason))
    }

    pub(crate) fn list(path: &Path, reason: io::Error) -> Error {
        Error::new(Kind::List, path, Some(reason))
    }

    pub(crate) fn unsupported(path: &Path, what: &'static str, remedy: Remedy) -> Error {
        Error::new(Kind::Unsupported { what, remedy }, path, None)
    }

    /// Makes an error about a file whose content is malformed. If `is_decompressed` is `true`, the offset of
    /// `diagnostic` is in the decompressed data.
    pub(crate) fn incomplete(path: &Path, diagnostic: Diagnostic, is_decompressed: bool) -> Error {
        Error::new(Kind::Incomplete { diagnostic, is_decompressed }, path, None)
    }

    /// Makes an error about a file or a repository that has changed since it became part of a task. `what` has changed.
    pub(crate) fn changed(path: &Path, what: impl Into<String>) -> Error {
        Error::new(Kind::Changed { what: what.into() }, path, None)
    }

    /// Converts the error of one archive member to an error for `count` members that failed for the same reason. `self`
    /// is the error of the first member.
    pub(crate) fn of(self, count: u64) -> Error {
        Error { count, ..self }
    }

    /// Returns the number of files, directories or archive members that the error is about. If several members of an
    /// archive cannot be read for the same reason, there is one error for all these members. In every other case, the
    /// number is 1.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the path of the file or directory, the name of the stream, or `-` for standard input. The path of an
    /// archive member consists of the path of the archive, a `!`, and the name of the member. For several archive
    /// members, returns the path of the first member.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.kind {
            Kind::Open | Kind::Encrypted => ErrorKind::Open,
            Kind::Dangling { .. } => ErrorKind::DanglingLink,
            Kind::Read => ErrorKind::Read,
            Kind::List => ErrorKind::List,
            Kind::Unsupported { .. } => ErrorKind::Unsupported,
            Kind::Incomplete { .. } => ErrorKind::Incomplete,
            Kind::Changed { .. } => ErrorKind::Changed,
        }
    }

    /// Returns what the input is, for a list of inputs that were not searched.
    pub(crate) fn what(&self) -> &'static str {
        match self.kind {
            Kind::Unsupported { what, .. } => what,
            Kind::Incomplete { .. } => PARTLY_DAMAGED,
            Kind::Encrypted => "an encrypted file",
            _ => "an unreadable file",
        }
    }

    /// If the kind is [`Unsupported`](ErrorKind::Unsupported), returns how to make the file readable. Returns `None`
    /// for other kinds.
    #[must_use]
    pub fn remedy(&self) -> Option<Remedy> {
        match self.kind {
            Kind::Unsupported { remedy, .. } => Some(remedy),
            _ => None,
        }
    }

    /// If the kind is [`Incomplete`](ErrorKind::Incomplete), returns what is wrong with the content, and at which
    /// offset. Returns `None` for other kinds.
    #[must_use]
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        match self.kind {
            Kind::Incomplete { diagnostic, .. } => Some(diagnostic),
            _ => None,
        }
    }

    /// Returns the I/O error that caused this error, if there is one. Most I/O errors come from the operating system.
    /// The library itself creates a few I/O errors, for example if an archive has no member with the requested name.
    #[must_use]
    pub fn io_error(&self) -> Option<&io::Error> {
        self.reason.as_deref()
    }
}

/// The source of an [`Error`] is its [I/O error](Error::io_error). The message of the [`Error`] already contains the
/// message of the source, so do not also print the source.
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.reason.as_deref().map(|reason| reason as _)
    }
}

/// Wraps the error in an [`io::Error`], so that a function that returns an [`io::Result`] can use `?`.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        let kind = error.io_error().map_or(io::ErrorKind::InvalidData, io::Error::kind);
        io::Error::new(kind, error)
    }
}

/// Prints one line, without the remedy. The path is not escaped. Escape the line before you show it on a terminal,
/// because a hostile name can contain control sequences.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            Kind::Open | Kind::Encrypted => f.write_str("cannot be opened")?,
            Kind::Dangling { target } => write!(f, "dangling symbolic link (points to {})", target.display())?,
            Kind::Read => f.write_str("cannot be read to its end")?,
            Kind::List => f.write_str("cannot be listed")?,
            Kind::Unsupported { what, .. } => write!(f, "{what} is not supported")?,
            Kind::Incomplete { diagnostic, is_decompressed } => {
                let place = if *is_decompressed { "decompressed " } else { "" };
                write!(f, "{place}{diagnostic}")?;
            }
            Kind::Changed { what } => write!(f, "changed since the manifest was made ({what})")?,
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
                Error::unsupported(Path::new("l.lz4"), "a file compressed by lz4", Remedy::Pipe("lz4 -dc")),
                ErrorKind::Unsupported,
                "l.lz4: a file compressed by lz4 is not supported",
            ),
            (
                Error::incomplete(Path::new("a.gz"), Diagnostic::new(DiagnosticKind::TruncatedCompression, 9), true),
                ErrorKind::Incomplete,
                "a.gz: decompressed offset 9: the compressed data is truncated; everything that could be decoded was read",
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
