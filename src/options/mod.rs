//! The options of a search: what is read, what is found, and what is kept.
//!
//! [`OPTIONS`] in `table.rs` has a row for each option. The keyword arguments in Python, the functions of C and Perl, the
//! options of the command, and the JSON of tasks are read off this table. `values.rs` and `time.rs` parse the values.

mod patterns;
mod table;
mod time;
mod values;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use self::patterns::Patterns;
pub use self::table::{OPTIONS, OptionKind, OptionRow};
use crate::container;
use crate::named::InvalidValue;
use crate::scan::{Form, LIKELY};
use crate::source::Shard;
use crate::url::Tier;
use crate::zone::Zone;

/// Why a value is invalid, and what to write instead.
type Why = std::borrow::Cow<'static, str>;

/// The largest value of `max_message`, in bytes. Offsets in decoded text have 32 bits, and the decoded text of a
/// message can be longer than the message. So this limit must be much less than 4 GiB.
pub(crate) const MAX_MESSAGE: usize = 1 << 30;

named! {
    /// A part of a message that the option `in` selects.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum SearchIn: &'static str {
        /// The header fields.
        Headers = "headers" => "the header fields",
        /// The text of bodies, and plain text outside messages.
        Text = "text" => "plain text",
        /// The HTML parts.
        Html = "html" => "HTML parts",
        /// The attributes and style sheets in HTML parts whose URLs browsers request or follow. `html` includes them.
        Links = "links" => "the URLs in HTML parts that browsers request or follow",
        /// Text and HTML in attachments.
        Attachments = "attachments" => "text and HTML in attachments",
    }
}

/// The options of a search. [`OPTIONS`] lists their names.
///
/// ```
/// use urlspool::Options;
///
/// let mut options = Options::default();
/// options.set("host", "example.org")?;
/// options.set("since", "1995-02")?;
/// assert_eq!(options.get("host").as_deref(), Some("example.org"));
/// let error = options.set("hosts", "example.org").unwrap_err();
/// assert_eq!(error.to_string(), "unknown option hosts; did you mean host?");
/// # Ok::<(), urlspool::InvalidValue>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// For each [`SearchIn`], whether it is searched.
    pub(crate) search_in: [bool; SearchIn::ALL.len()],
    /// See [`Scanner::join`](crate::Scanner::join).
    pub(crate) join: Option<u8>,
    pub(crate) drops_hyphens: bool,
    pub(crate) defanged: bool,
    /// The schemes to keep. `None` keeps all.
    pub(crate) schemes: Option<Patterns>,
    /// The names in `schemes`, if one of them is not a known scheme.
    pub(crate) own_schemes: Option<Arc<str>>,
    /// For each [`Form`], whether URLs of this form are found and kept.
    pub(crate) forms: [bool; Form::ALL.len()],
    /// The hosts to keep. `None` keeps all URLs, with or without a host.
    pub(crate) hosts: Option<Patterns>,
    /// The words in the URLs to keep.
    pub(crate) words: Option<Patterns>,
    /// For each [`Tier`], whether URLs of this tier are kept.
    pub(crate) tiers: [bool; Tier::ALL.len()],
    /// For each [`Zone`], whether URLs in it are kept. `None` keeps all, and owned hits have no zone.
    pub(crate) zones: Option<[bool; Zone::ALL.len()]>,
    /// The earliest date of a message, in seconds since 1970-01-01 UTC.
    pub(crate) since: Option<i64>,
    /// The latest date of a message, in seconds since 1970-01-01 UTC. This second is included.
    pub(crate) until: Option<i64>,
    /// At least one of the newsgroups of a message must match.
    pub(crate) newsgroups: Option<Patterns>,
    /// The List-Id of a message must match.
    pub(crate) lists: Option<Patterns>,
    /// The From field of a message must match.
    pub(crate) from: Option<Patterns>,
    /// The Subject field of a message must match.
    pub(crate) subject: Option<Patterns>,
    pub(crate) format: Option<&'static container::Format>,
    /// The base URL of HTML files.
    pub(crate) base: Option<Arc<str>>,
    /// Whether files that are not mail or news are skipped.
    pub(crate) mail_only: bool,
    /// Maximum size in bytes of a message that is decoded as a whole.
    pub(crate) max_message: usize,
    pub(crate) follow: bool,
    /// Number of threads. 0 means one for each core.
    pub(crate) threads: usize,
    pub(crate) byte_range: Option<Range<u64>>,
    pub(crate) shard: Option<Shard>,
    /// Whether to count lines. `None` counts lines unless a byte range is set.
    pub(crate) count_lines: Option<bool>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            search_in: [true; SearchIn::ALL.len()],
            join: Some(LIKELY),
            drops_hyphens: false,
            defanged: false,
            schemes: None,
            own_schemes: None,
            forms: Form::DEFAULT,
            hosts: None,
            words: None,
            tiers: [true; Tier::ALL.len()],
            zones: None,
            since: None,
            until: None,
            newsgroups: None,
            lists: None,
            from: None,
            subject: None,
            format: None,
            base: None,
            mail_only: false,
            max_message: container::Limits::default().message,
            follow: false,
            threads: 0,
            byte_range: None,
            shard: None,
            count_lines: None,
        }
    }
}

impl Options {
    /// Sets an option. Replaces an earlier value. The documentation of the [rows](OPTIONS) describes the values.
    ///
    /// # Errors
    ///
    /// Returns an error if no option has this name, or if the value is invalid.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), InvalidValue> {
        let Some(row) = OptionRow::find(name) else {
            return Err(InvalidValue::new(format!("unknown option {name}; "), did_you_mean(name)));
        };
        let invalid = |why| InvalidValue::new(format!("invalid value {value:?} for the option {name}: "), why);
        (row.set)(self, value).map_err(invalid)
    }

    /// Returns the value of an option, in a form that [`set`](Self::set) accepts. Returns `None` if the option has its
    /// default value, or if no option has this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        (OptionRow::find(name)?.get)(self)
    }

    /// Returns the options that do not have their default value, with their values, in the order of [`OPTIONS`].
    pub fn changed(&self) -> impl Iterator<Item = (&'static OptionRow, String)> {
        OPTIONS.iter().filter_map(|row| Some((row, (row.get)(self)?)))
    }

    pub(crate) fn searches(&self, part: SearchIn) -> bool {
        self.search_in[part as usize]
    }

    /// Whether only attachments are searched, because `in` has no other value.
    pub(crate) fn searches_only_attachments(&self) -> bool {
        self.searches(SearchIn::Attachments) && self.search_in.iter().filter(|is_in| **is_in).count() == 1
    }
}

/// Returns advice for an unknown name. The name can be wrong in the way of another language: `max_message`, or in the
/// plural: `newsgroups`.
fn did_you_mean(name: &str) -> String {
    let plain = |name: &str| name.trim_end_matches('s').replace('_', "-");
    match OPTIONS.iter().find(|row| plain(row.name) == plain(name)) {
        Some(row) => format!("did you mean {}?", row.name),
        None => format!("the options are {}", OPTIONS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests;
