//! Names of container formats.

use std::fmt;

use crate::container;

/// A container format: how the messages of a file are stored.
///
/// ```
/// use urlspool::Format;
///
/// let format: Format = "mbox".parse()?;
/// assert_eq!(format.as_str(), "mbox");
/// # Ok::<(), urlspool::UnknownName>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(pub(super) &'static container::Format);

impl Format {
    /// Returns every format, in the order in which the content of a file is compared with them.
    pub fn all() -> impl Iterator<Item = Format> {
        container::FORMATS.iter().map(Format)
    }

    /// Returns the name, such as `mbox`. It is stable.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0.name
    }

    /// Returns one line that describes it.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.0.about
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

names!(Format, Format::all());
