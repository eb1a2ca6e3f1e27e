//! What is known of an input.

use std::path::{Path, PathBuf};

use super::Codec;
use crate::container::{ARCHIVE, Format};

/// An input that is being read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    pub(super) path: PathBuf,
    pub(super) member: Option<Box<[u8]>>,
    pub(super) format: &'static Format,
    pub(super) codec: Option<Codec>,
    pub(super) detected_by: DetectedBy,
}

named! {
    /// Why a file is taken for what it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum DetectedBy {
        /// The format was asked for.
        Explicit = "explicit",
        /// Its content.
        Content = "content",
        /// Its place: in a Maildir, an MH folder or a news spool, for its content says nothing.
        Location = "location",
        /// A format was asked for that nothing in it is of, as turned out at its end: so it is text.
        Mismatch = "mismatch",
    }
}

impl Input {
    /// Its path as it was given or found; `-` for standard input, and the given name for a reader.
    pub fn name(&self) -> &Path {
        &self.path
    }

    /// Its name in the archive that [`name`](Self::name) is, if that is a tar or zip archive: as the archive has it. If
    /// it is in an archive in an archive, that one's name comes before it, with a `!` between.
    pub fn member(&self) -> Option<&[u8]> {
        self.member.as_deref()
    }

    /// What it is called in errors: its path, and its member's name.
    pub(crate) fn place(&self) -> PathBuf {
        self.member().map_or_else(|| self.path.clone(), |member| Input::join(&self.path, member))
    }

    /// A member's name behind its archive's.
    pub(super) fn join(path: &Path, member: &[u8]) -> PathBuf {
        let mut name = path.as_os_str().to_os_string();
        name.push("!");
        name.push(String::from_utf8_lossy(member).as_ref());
        name.into()
    }

    /// The name of its container format, such as `mbox`: the one that was asked for, or found from its content. When it has
    /// [ended](crate::Sink::end) it is `text` if nothing in it is of the one that was asked for. It is one of the names of
    /// [`Format::all`](crate::Format::all), or `archive` if it [is one](Self::is_archive).
    pub fn format(&self) -> &'static str {
        self.format.name
    }

    /// Whether it is a tar or zip archive as a whole, of which something is told beside its members: that it is damaged, or
    /// has [ended](crate::Sink::end). It has no messages and no bytes of its own.
    pub fn is_archive(&self) -> bool {
        self.format == ARCHIVE
    }

    /// Why it is taken for that.
    pub fn detected_by(&self) -> DetectedBy {
        self.detected_by
    }

    /// The compression that was undone, if any: offsets count bytes behind it.
    pub fn codec(&self) -> Option<Codec> {
        self.codec
    }
}
