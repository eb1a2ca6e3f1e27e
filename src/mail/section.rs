//! The section number of a part, as in IMAP.

use std::fmt;
#[cfg(feature = "serde")]
use std::num::{NonZero, ParseIntError};

/// The IMAP section number of a part in its message, such as `1`, `1.2` or `2.1.3` (RFC 3501, section 6.4.5).
///
/// The section number is empty for the headers of the message itself, and for the preamble and epilogue of a top-level
/// multipart. If part `2` is an attached message, the headers of the attached message have the number `2`. The body of
/// the attached message has the number `2.1`. If this body is a multipart, its parts have the numbers `2.1`, `2.2` and
/// so on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Section {
    pub(super) path: Vec<u32>,
    /// The name of the attachment that contains the part. `None` outside attachments.
    pub(super) attachment: Option<Box<[u8]>>,
    /// Whether the part is in a forwarded or returned message.
    pub(crate) is_forwarded: bool,
    /// The URL in the header of an HTML part with which its relative references are resolved (RFC 2557, section 5).
    pub(super) base: Option<Box<[u8]>>,
}

impl Section {
    /// Returns the section number as a list, outermost part first: `[1, 2]` for the part `1.2`.
    pub(crate) fn path(&self) -> &[u32] {
        &self.path
    }

    /// Returns the name of the attachment that contains the part. Inside an archive, the names of the archive and the
    /// member are joined by `!`. An attachment without a name has its media type as the name.
    pub(crate) fn attachment(&self) -> Option<&[u8]> {
        self.attachment.as_deref()
    }

    pub(crate) fn base(&self) -> Option<&[u8]> {
        self.base.as_deref()
    }

    /// Returns the part of this section that has the name `attachment`.
    #[cfg(feature = "serde")]
    pub(crate) fn within(self, attachment: Option<Box<[u8]>>) -> Section {
        Section { attachment, ..self }
    }
}

/// Parses a section number such as `1.2`. The empty string means the message itself. The number 0 is an error.
#[cfg(feature = "serde")]
impl std::str::FromStr for Section {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Section, ParseIntError> {
        let numbers = text.split('.').filter(|_| !text.is_empty());
        let path = numbers.map(|number| number.parse().map(NonZero::<u32>::get)).collect::<Result<_, _>>()?;
        Ok(Section { path, ..Section::default() })
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, number) in self.path.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            write!(f, "{number}")?;
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::Section;

    #[test]
    fn numbers_of_parts() {
        for text in ["", "1", "1.2", "2.1.3", "4294967295"] {
            assert_eq!(text.parse::<Section>().unwrap().to_string(), text);
        }
        for text in ["0", "1.", ".1", "1..2", "a", "1.-1", " 1", "4294967296"] {
            assert!(text.parse::<Section>().is_err(), "{text:?}");
        }
    }
}
