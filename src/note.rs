//! What was damaged, and where.

use std::fmt;

use crate::container;
use crate::mail;

/// Something in the input that is not as it should be, or was not read. Nothing else was lost, and the work went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    pub(crate) damage: Damage,
    pub(crate) offset: u64,
}

/// What a [`Note`] is about: which room noticed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    Container(container::NoteKind),
    Mail(mail::NoteKind),
    /// So many links in the HTML of a message are not URLs.
    RefusedLinks(u32),
}

impl Note {
    /// Where it was noticed, in bytes from the beginning of the file or of what it decompresses to.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// A stable name, such as `truncated-compression`.
    pub fn as_str(&self) -> &'static str {
        match self.damage {
            Damage::Container(kind) => kind.as_str(),
            Damage::Mail(kind) => kind.as_str(),
            Damage::RefusedLinks(_) => "refused-links",
        }
    }

    /// Whether a user should see it unasked: an archive is not what it says it is. Damage inside a message is
    /// routine in old mail; what could be read of it was read.
    pub fn is_warning(&self) -> bool {
        matches!(self.damage, Damage::Container(_))
    }

    /// Whether part of the input could not be read at all.
    pub fn is_loss(&self) -> bool {
        matches!(self.damage, Damage::Container(kind) if kind.is_loss())
    }
}

/// The reason, for people, without the file's name.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {}: ", self.offset)?;
        match self.damage {
            Damage::Container(kind) => kind.fmt(f),
            Damage::Mail(kind) => kind.fmt(f),
            Damage::RefusedLinks(1) => f.write_str("1 link in HTML is not a URL"),
            Damage::RefusedLinks(count) => write!(f, "{count} links in HTML are not URLs"),
        }
    }
}
