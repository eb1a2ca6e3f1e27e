//! [`OptionError`]: an unknown option, or an invalid value.

use std::borrow::Cow;
use std::fmt;

use super::table::{OPTIONS, OptionRow};

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
    option: Box<str>,
    value: Box<str>,
    /// `None` if no option has this name.
    why: Option<Why>,
}

impl OptionError {
    pub(super) fn unknown(name: &str) -> OptionError {
        OptionError { option: name.into(), value: Box::default(), why: None }
    }

    pub(super) fn invalid(row: &OptionRow, value: &str, why: Why) -> OptionError {
        OptionError { option: row.name.into(), value: value.into(), why: Some(why) }
    }

    /// Returns the name of the option.
    #[must_use]
    pub fn option(&self) -> &str {
        &self.option
    }

    /// Returns the invalid value. Empty if the option is unknown.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns why the value is invalid, and what to write instead.
    #[must_use]
    pub fn why(&self) -> &str {
        self.why.as_deref().unwrap_or("no option has this name")
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OptionError { option, value, why } = self;
        if let Some(why) = why {
            return write!(f, "invalid value {value:?} for the option {option}: {why}");
        }
        write!(f, "unknown option {option}; ")?;
        // A name can also be wrong in the way of another language: `mail_only`, or `newsgroups`.
        let plain = |name: &str| name.trim_end_matches('s').replace('_', "-");
        match OPTIONS.iter().find(|row| plain(row.name) == plain(option)) {
            Some(row) => write!(f, "did you mean {}?", row.name),
            None => {
                let names: Vec<_> = OPTIONS.iter().map(|row| row.name).collect();
                write!(f, "the options are {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for OptionError {}
