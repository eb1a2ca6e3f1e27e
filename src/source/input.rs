//! What is known of an input.

use std::path::{Path, PathBuf};

use super::Codec;
use crate::container::{ARCHIVE, Format};

/// An input file or stream: its name, format and compression.
///
/// ```
/// use urlspool::{DetectedBy, Extractor};
///
/// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nSee http://www.example.org/\n";
/// let hit = Extractor::new().read(&mbox[..]).name("mailbox").next().unwrap()?;
/// let input = hit.input().unwrap();
/// assert_eq!((input.name().to_str(), input.format(), input.codec()), (Some("mailbox"), "mbox", None));
/// assert_eq!(input.detected_by(), DetectedBy::Content);
/// # Ok::<(), urlspool::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    pub(super) path: PathBuf,
    pub(super) member: Option<Box<[u8]>>,
    pub(super) format: &'static Format,
    pub(super) codec: Option<Codec>,
    pub(super) detected_by: DetectedBy,
    pub(super) is_git_object: bool,
}

named! {
    /// How the format of a file was determined.
    ///
    /// ```
    /// use urlspool::{DetectedBy, Extractor};
    ///
    /// let text = b"See http://www.example.org/\n";
    /// let hit = Extractor::new().read(&text[..]).format(Some("text".parse().unwrap())).next().unwrap()?;
    /// assert_eq!(hit.input().unwrap().detected_by(), DetectedBy::Explicit);
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum DetectedBy {
        /// The format was requested.
        Explicit = "explicit",
        /// By the content.
        Content = "content",
        /// By the directory: a Maildir, an MH folder or a news spool. The content does not show it.
        Location = "location",
        /// A format was requested, but at the end nothing in the file was in it. So the file is text.
        Mismatch = "mismatch",
    }
}

impl Input {
    /// Returns the path as given or found; `-` for standard input, and the given name for a stream.
    pub fn name(&self) -> &Path {
        &self.path
    }

    /// Returns the name inside the tar or zip archive that [`name`](Self::name) is, as the archive has it. For an
    /// archive in an archive, the name of the inner archive and a `!` come first.
    pub fn member(&self) -> Option<&[u8]> {
        self.member.as_deref()
    }

    /// Returns its name for errors: its path, and its member's name.
    pub(crate) fn place(&self) -> PathBuf {
        self.member().map_or_else(|| self.path.clone(), |member| Input::join(&self.path, member))
    }

    /// Appends a member's name to its archive's path.
    pub(super) fn join(path: &Path, member: &[u8]) -> PathBuf {
        let mut name = path.as_os_str().to_os_string();
        name.push("!");
        name.push(String::from_utf8_lossy(member).as_ref());
        name.into()
    }

    /// Returns the name of the container format, such as `mbox`, as requested or detected. It is one of the names of
    /// [`Format::all`](crate::Format::all), `archive` for [an archive](Self::is_archive), or `msg` or
    /// `pst` for [what was converted](Self::is_converted).
    ///
    /// If a format was requested and nothing in the file was in it, it is `text` when the file
    /// [ends](crate::Sink::end).
    pub fn format(&self) -> &'static str {
        self.format.name
    }

    /// Returns whether it is a tar or zip archive as a whole. It has no messages and no bytes of its own, but
    /// diagnostics, and an [end](crate::Sink::end) after its members.
    pub fn is_archive(&self) -> bool {
        self.format == ARCHIVE
    }

    /// Returns whether its messages were converted to mail, because they are stored in another way: the format is `msg`
    /// or `pst`, which are Outlook's. Offsets and lines count in what they were converted to.
    pub fn is_converted(&self) -> bool {
        matches!(self.format.name, "msg" | "pst")
    }

    /// Returns whether it is an object in a git repository: a message of a public-inbox. Its [name](Self::name) is the path
    /// of the repository, `:`, and the name of the object.
    pub fn is_git_object(&self) -> bool {
        self.is_git_object
    }

    /// Returns how the format was determined.
    pub fn detected_by(&self) -> DetectedBy {
        self.detected_by
    }

    /// Returns the compression that was decoded. `None` if there was none. Offsets count decoded bytes.
    pub fn codec(&self) -> Option<Codec> {
        self.codec
    }
}
