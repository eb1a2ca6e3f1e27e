//! The results of the parser.

use super::class::Class;
use super::component::Part;
use super::scheme::{Grammar, Scheme};
use super::{ParseError, Tier};

/// The most parts that any grammar has: user, password, host, port, and four of the path.
const PARTS: usize = 8;

/// The results of the parser for a text.
#[derive(Clone)]
pub(super) struct Parsed {
    pub(super) row: Option<&'static Scheme>,
    pub(super) parts: [Part; PARTS],
    pub(super) count: u8,
    /// The union of the classes of all bytes after the scheme's colon, including the fragment.
    pub(super) seen: Class,
    pub(super) tier: Tier,
    pub(super) needs_encoding: bool,
    /// Whether a `%` does not begin an escape.
    pub(super) bad_escape: bool,
    pub(super) has_user: bool,
    /// Whether there is a host that may have other bytes than letters, digits, dots and hyphens, or `--`.
    pub(super) has_odd_host: bool,
    pub(super) port: Option<u16>,
    pub(super) scheme_end: u32,
    pub(super) path: Option<u32>,
    /// The offset of the `#`, or the text's end.
    pub(super) fragment: u32,
    /// The leftmost departure from RFC 1738, if the tier is a wider one.
    pub(super) departure: ParseError,
}

impl Parsed {
    /// The value before parsing. All zeros, which are fast to write, because every hit begins with it.
    pub(super) const NOTHING: Parsed = Parsed {
        row: None,
        parts: [Part::NONE; PARTS],
        count: 0,
        seen: 0,
        tier: Tier::Rfc1738,
        needs_encoding: false,
        bad_escape: false,
        has_user: false,
        has_odd_host: false,
        port: None,
        scheme_end: 0,
        path: None,
        fragment: 0,
        departure: ParseError::NONE,
    };

    /// Returns the leftmost departure from RFC 1738, for the strict parse.
    pub(super) fn departure(&self) -> Option<ParseError> {
        (self.tier > Tier::Rfc1738).then_some(self.departure)
    }

    /// Returns the grammar of the scheme.
    #[inline]
    pub(super) fn grammar(&self) -> Grammar {
        self.row.map_or(Grammar::Generic, |row| row.grammar)
    }
}
