//! Describes an input: its name, format and compression.

use std::path::{Path, PathBuf};

use crate::container::Format;
use crate::magic::Codec;

/// An input file or stream: its name, format and compression.
///
/// ```
/// use urlspool::Extractor;
///
/// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nSee http://www.example.org/\n";
/// let hit = Extractor::new().read(&mbox[..]).name("mailbox").next().unwrap()?;
/// let input = hit.input().unwrap();
/// assert_eq!((input.name().to_str(), input.format(), input.codec()), (Some("mailbox"), "mbox", None));
/// assert_eq!(input.detected_by(), "content");
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
    /// How the format of a file was determined; see [`Input::detected_by`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum DetectedBy {
        Explicit = "explicit",
        Content = "content",
        Location = "location",
        Mismatch = "mismatch",
    }
}

impl Input {
    /// Makes the description of an input from deserialized values. Returns `None` if no format has the name `format`.
    #[cfg(feature = "serde")]
    pub(crate) fn new(
        path: PathBuf,
        member: Option<Box<[u8]>>,
        format: &str,
        codec: Option<Codec>,
        detected_by: DetectedBy,
        is_git_object: bool,
    ) -> Option<Input> {
        let format = Format::of_any_input(format)?;
        Some(Input { path, member, format, codec, detected_by, is_git_object })
    }

    /// Returns the path that the caller passed, or the path of a file that was found in a directory. Returns `-` for
    /// standard input. For a reader, returns the name that the caller passed.
    pub fn name(&self) -> &Path {
        &self.path
    }

    /// Returns the name of the member, if the input is a member of a tar or zip archive. For an Outlook mailbox
    /// (`.pst`, `.ost`), returns the name of the folder. In both cases, [`name`](Self::name) returns the path of the
    /// archive or mailbox. Returns `None` if the input is not in an archive. If the archive contains another archive,
    /// such as `inner.zip`, a member of the inner archive has a name such as `inner.zip!a.txt`.
    pub fn member(&self) -> Option<&[u8]> {
        self.member.as_deref()
    }

    /// Returns the name for error messages: the path, and the name of the member if there is one.
    pub(crate) fn place(&self) -> PathBuf {
        self.member().map_or_else(|| self.path.clone(), |member| Input::join(&self.path, member))
    }

    /// Joins the path of an archive and the name of a member.
    pub(super) fn join(path: &Path, member: &[u8]) -> PathBuf {
        let mut name = path.as_os_str().to_os_string();
        name.push("!");
        name.push(String::from_utf8_lossy(member).as_ref());
        name.into()
    }

    /// Returns the name of the container format that was requested or detected, such as `mbox`: a value of the option
    /// `format`, or one of these:
    ///
    /// - `archive`: a tar archive, a zip archive or an Outlook mailbox. Messages belong to the members, not to the
    ///   archive. Diagnostics can belong to the archive. The [end](crate::Event::End) of the archive is reported after
    ///   its members. The format of a member is `archive` only if the member is itself an archive.
    /// - `msg`, `pst` or `smime`: the messages were converted to mail from Outlook's formats or from S/MIME. Offsets and
    ///   line numbers of such messages refer to the converted mail.
    ///
    /// If the caller requested a format and nothing in the file has that format, the name becomes `text` at the
    /// [end](crate::Event::End) of the file.
    pub fn format(&self) -> &'static str {
        self.format.name
    }

    /// Returns the media type of the input, if it is a document and not mail or plain text. Otherwise returns nothing.
    pub(crate) fn media(&self) -> &'static str {
        self.format.media
    }

    /// Returns whether the input is a message of a public-inbox. Each such message is an object in a git repository.
    /// The [name](Self::name) of such an input has the form `REPOSITORY:ID`. `REPOSITORY` is the path of the
    /// repository, and `ID` is the name of the object.
    #[doc(hidden)]
    pub fn is_git_object(&self) -> bool {
        self.is_git_object
    }

    /// Returns how the format was determined:
    ///
    /// - `explicit`: the caller requested the format.
    /// - `content`: the content shows the format.
    /// - `location`: the content does not show the format. The file is in a Maildir, or its name is a number, as in an
    ///   MH folder or a news spool.
    /// - `mismatch`: the caller requested a format, but nothing in the file has that format. The file was read as text.
    pub fn detected_by(&self) -> &'static str {
        self.detected_by.as_str()
    }

    /// Returns the compression of the input: `gzip`, `bzip2`, `xz`, `zstd` or `compress`. Returns `None` if the input
    /// is not compressed. A compressed input is decoded, and offsets refer to the decoded bytes.
    pub fn codec(&self) -> Option<&'static str> {
        self.codec.map(Codec::as_str)
    }
}
