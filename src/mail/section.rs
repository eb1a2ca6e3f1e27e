//! The section number of a part, as in IMAP.

use std::fmt;
use std::num::{NonZero, ParseIntError};
use std::str::FromStr;

/// The IMAP section number of a part in its message, such as `1`, `1.2` or `2.1.3` (RFC 3501, section 6.4.5).
///
/// The section number is empty for the headers of the message itself, and for the preamble and epilogue of a top-level
/// multipart. If part `2` is an attached message, the headers of the attached message have the number `2`. The body of
/// the attached message has the number `2.1`. If this body is a multipart, its parts have the numbers `2.1`, `2.2` and
/// so on.
///
/// ```
/// use urlspool::Section;
///
/// let section: Section = "1.2".parse()?;
/// assert_eq!((section.path(), section.to_string()), (&[1, 2][..], "1.2".to_string()));
/// assert!("".parse::<Section>()?.is_empty());
/// # Ok::<(), std::num::ParseIntError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Section {
    pub(super) path: Vec<u32>,
}

impl Section {
    /// Returns the section number as a list, outermost part first: `[1, 2]` for the part `1.2`.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// Returns whether the section is the message itself and not one of its parts.
    pub fn is_empty(&self) -> bool {
        self.path.is_empty()
    }
}

/// Parses a section number such as `1.2`. The empty string means the message itself. The number 0 is an error.
impl FromStr for Section {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Section, ParseIntError> {
        let numbers = text.split('.').filter(|_| !text.is_empty());
        let path = numbers.map(|number| number.parse().map(NonZero::<u32>::get)).collect::<Result<_, _>>()?;
        Ok(Section { path })
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

#[cfg(test)]
mod tests {
    use super::Section;

    #[test]
    fn only_the_message_itself_has_an_empty_number() {
        for (text, want) in [("", true), ("1", false), ("2.1", false)] {
            assert_eq!(text.parse().map(|section: Section| section.is_empty()), Ok(want), "{text}");
        }
    }
}
