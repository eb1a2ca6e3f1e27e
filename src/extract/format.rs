//! The container formats, for who has to name one.

use std::fmt;
use std::str::FromStr;

use crate::container;

/// How an input is stored: a row of the table of container formats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Format(pub(super) &'static container::Format);

impl Format {
    /// Every format, in the order in which a file's content is held against them.
    pub fn all() -> impl Iterator<Item = Format> {
        container::FORMATS.iter().map(Format)
    }

    /// The format of that [`name`](Self::name). To parse a name says what is wrong with one that there is not.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        Format::all().find(|format| format.name() == name)
    }

    /// Its name, such as `mbox`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        self.0.about
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// By its name.
///
/// ```
/// use urlspool::Format;
///
/// assert_eq!("mbox".parse::<Format>()?.name(), "mbox");
/// let error = "mbx".parse::<Format>().unwrap_err();
/// assert!(error.to_string().starts_with("no format is called mbx: give one of "));
/// # Ok::<(), urlspool::UnknownFormat>(())
/// ```
impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        Format::from_name(name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// A name that no [`Format`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no format is called {}: give one of ", self.0)?;
        Format::all().enumerate().try_for_each(|(i, format)| {
            f.write_str(if i == 0 { "" } else { ", " })?;
            f.write_str(format.name())
        })
    }
}

impl std::error::Error for UnknownFormat {}
