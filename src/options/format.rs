//! Names of container formats.

use std::fmt;

use crate::container;

/// A container format: the way in which a file stores messages.
///
/// ```
/// use urlspool::Format;
///
/// let format: Format = "mbox".parse()?;
/// assert_eq!(format.as_str(), "mbox");
/// # Ok::<(), urlspool::UnknownName>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(pub(crate) &'static container::Format);

impl Format {
    /// Returns every format, in the order in which format detection tries them.
    pub fn all() -> impl Iterator<Item = Format> {
        container::FORMATS.iter().map(Format)
    }

    /// Returns the name of the format, such as `mbox`. Names do not change between versions.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0.name
    }

    /// Returns a description of the format, on one line.
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
