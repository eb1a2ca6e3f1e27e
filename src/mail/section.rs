//! Where in a message a region lies, the way IMAP counts.

use std::fmt;
use std::num::{NonZero, ParseIntError};
use std::str::FromStr;

/// The number of a part within its message: `1`, `1.2`, `2.1.3` (RFC 3501, section 6.4.5).
///
/// Empty for the message's own headers and for a top-level multipart's preamble and epilogue. A part that
/// is itself a message hands its number on to that message's headers; that message's only body is `.1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Section {
    pub(super) path: Vec<u32>,
}

impl Section {
    /// The numbers, outermost first.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// Whether this is the message itself rather than one of its parts.
    pub fn is_empty(&self) -> bool {
        self.path.is_empty()
    }
}

/// Parses what `Display` prints; an empty text is the message itself. No number is 0.
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
