//! The parser's result.

use super::class::Class;
use super::component::Part;
use super::scheme::{Grammar, Scheme};
use super::{ParseError, Tier};

/// The largest number of components that a grammar stores: user, password, host, port, and four in the path.
const PARTS: usize = 8;

/// The components and properties of a parsed URL, as offsets in its text.
#[derive(Clone)]
pub(super) struct Parsed {
    pub(super) row: Option<&'static Scheme>,
    pub(super) parts: [Part; PARTS],
    pub(super) count: u8,
    /// The union of the classes of all bytes after the scheme's colon, including the fragment.
    pub(super) seen: Class,
    pub(super) tier: Tier,
    pub(super) needs_encoding: bool,
    /// Whether the URL has a `%` that does not begin an escape.
    pub(super) bad_escape: bool,
    pub(super) has_user: bool,
    /// Whether the host needs the more expensive checks of [`Url::warnings`](super::Url::warnings). `false` if the
    /// authority is only a plain host name without `--`.
    pub(super) has_odd_host: bool,
    pub(super) port: Option<u16>,
    pub(super) scheme_end: u32,
    pub(super) path: Option<u32>,
    /// The offset of the fragment's `#`, or the length of the text.
    pub(super) fragment: u32,
    /// The leftmost violation of RFC 1738. The value is valid only if `tier` is wider than [`Tier::Rfc1738`].
    pub(super) departure: ParseError,
}

impl Parsed {
    /// The value before parsing. All fields are zero, which is fast to write: the scanner writes this value for every
    /// hit.
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

    /// Returns the leftmost violation of RFC 1738, which a strict parse reports.
    pub(super) fn departure(&self) -> Option<ParseError> {
        (self.tier != Tier::Rfc1738).then_some(self.departure)
    }

    /// Returns the grammar of the scheme, or [`Grammar::Generic`] for an unknown scheme.
    #[inline]
    pub(super) fn grammar(&self) -> Grammar {
        self.row.map_or(Grammar::Generic, |row| row.grammar)
    }
}
