//! [`OptionError`]: an unknown option, or an invalid value.

use std::borrow::Cow;
use std::fmt;

/// Why a value is invalid, and what to write instead.
pub(super) type Why = Cow<'static, str>;

/// The error for an unknown option, or for an invalid value of an option. The message says what is wrong and what to
/// do.
///
/// ```
/// use urlspool::Options;
///
/// let error = Options::new().set("host", "http://a.example/").unwrap_err();
/// assert_eq!((error.option(), error.value()), ("host", "http://a.example/"));
/// assert_eq!(error.why(), "give only the name of a host, without scheme, port and path, such as example.org");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    pub(super) option: Box<str>,
    /// `None` if no option has this name.
    pub(super) value: Option<Box<str>>,
    pub(super) why: Why,
}

impl OptionError {
    /// Returns the name of the option.
    #[must_use]
    pub fn option(&self) -> &str {
        &self.option
    }

    /// Returns the invalid value. Empty if the option is unknown.
    #[must_use]
    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }

    /// Returns why the option or the value is invalid, and what to write instead.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OptionError { option, value, why } = self;
        match value {
            Some(value) => write!(f, "invalid value {value:?} for the option {option}: {why}"),
            None => write!(f, "unknown option {option}; {why}"),
        }
    }
}

impl std::error::Error for OptionError {}
