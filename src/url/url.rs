//! [`Url`]: a parsed URL, as spans over the text.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::class::Class;
use super::component::{Component, Part, Spans};
use super::scheme::{Scheme, Shape};
use super::{ParseError, Tier};

/// As many parts as any shape has: user, password, host, port, and four of the path.
const PARTS: usize = 8;

/// A URL, taken apart. It borrows the text, holds only spans over it, and is cheap to move.
///
/// Every value is as written, escapes and all; [`percent`](super::percent) undoes them. A component
/// that is absent is `None`, one that is empty is `Some(b"")`: RFC 1738 section 3.1 tells
/// `ftp://@host.com/` (an empty user name) from `ftp://host.com/` (no user name).
///
/// Two `Url`s are equal if their texts are; [`same`](Self::same) compares what they mean.
#[derive(Clone)]
pub struct Url<'a> {
    pub(super) text: &'a [u8],
    pub(super) row: Option<&'static Scheme>,
    pub(super) parts: [Part; PARTS],
    pub(super) count: u8,
    /// The classes of all octets behind the scheme's colon, the fragment's too.
    pub(super) seen: Class,
    pub(super) tier: Tier,
    pub(super) needs_encoding: bool,
    /// A `%` begins no escape.
    pub(super) bad_escape: bool,
    pub(super) has_user: bool,
    /// There is a host, and it may be of more than letters, digits, dots and hyphens, or have `--` in it.
    pub(super) has_odd_host: bool,
    pub(super) port: Option<u16>,
    pub(super) scheme_end: u32,
    pub(super) path: Option<u32>,
    /// Where the `#` stands, or the text's end.
    pub(super) fragment: u32,
    /// The leftmost departure from RFC 1738, for the strict parse.
    pub(super) departure: Option<ParseError>,
}

impl<'a> Url<'a> {
    /// A text of which nothing is known yet.
    pub(crate) fn unparsed(text: &'a [u8]) -> Self {
        Url {
            text,
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
            departure: None,
        }
    }

    /// The whole text, with the fragment. It is UTF-8, and so is each component: [`std::str::from_utf8`] never refuses one.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.text
    }

    /// The URL in RFC 1738's sense: the text up to the first `#`.
    pub fn without_fragment(&self) -> &'a [u8] {
        &self.text[..self.fragment as usize]
    }

    /// The scheme as written, in any mix of case. To know one, ask its [row](Self::row) for the name.
    pub fn scheme(&self) -> &'a [u8] {
        &self.text[..self.scheme_end as usize]
    }

    /// What [`SCHEMES`](super::SCHEMES) has about the scheme: its name in lower case, its default port. `None` if it has no
    /// such scheme. Costs nothing, for the parser has looked it up.
    ///
    /// ```
    /// use urlspool::Url;
    /// let url = Url::parse(b"HTTP://www.example.org/")?;
    /// assert!(url.row().is_some_and(|row| ["http", "https"].contains(&row.name)));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    pub fn row(&self) -> Option<&'static Scheme> {
        self.row
    }

    /// The grammar that parsed this URL: the row's, or [`Shape::Generic`].
    pub fn shape(&self) -> Shape {
        self.row.map_or(Shape::Generic, |row| row.shape)
    }

    /// The widest grammar that the URL needed.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Does the URL hold characters that RFC 1738 and RFC 3986 alike want encoded: `{ } | \ ^ [ ]` or
    /// a backtick outside an IP literal, a `%` that begins no escape, a second `#` or `@`? Without
    /// any, a URL is a URI of RFC 3986 or an IRI of RFC 3987 as it stands.
    pub fn needs_encoding(&self) -> bool {
        self.needs_encoding
    }

    /// The user name (RFC 1738 3.1).
    pub fn user(&self) -> Option<&'a [u8]> {
        self.get(Component::User)
    }

    /// The password (RFC 1738 3.1).
    pub fn password(&self) -> Option<&'a [u8]> {
        self.get(Component::Password)
    }

    /// The host name, address, or IP literal with its brackets (RFC 1738 3.1, RFC 3986 3.2.2).
    /// `Some(b"")` in `file:///path`; `None` where there is no `//`.
    pub fn host(&self) -> Option<&'a [u8]> {
        self.get(Component::Host)
    }

    /// The port that the URL names. `None` also if its digits were left out (`http://host:/`).
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The port that the URL names, else the scheme's default.
    pub fn port_or_default(&self) -> Option<u16> {
        self.port.or_else(|| self.row?.port)
    }

    /// The component `path` (RFC 1738 3.3, 3.10), without the slash before it. `None` for schemes
    /// that cut their path into other components: see [`url_path`](Self::url_path).
    pub fn path(&self) -> Option<&'a [u8]> {
        self.get(Component::Path)
    }

    /// The `url-path` of RFC 1738 3.1 in one piece, search and all, whatever the scheme makes of it:
    /// what follows the slash after the host. The slash is no part of it.
    pub fn url_path(&self) -> Option<&'a [u8]> {
        self.path.map(|path| &self.text[path as usize..self.fragment as usize])
    }

    /// The search, or the headers of a mailto URL, without the `?`.
    pub fn search(&self) -> Option<&'a [u8]> {
        self.get(Component::Search)
    }

    /// The fragment identifier, without the `#`.
    pub fn fragment(&self) -> Option<&'a [u8]> {
        self.text.get(self.fragment as usize + 1..)
    }

    /// The gopher type, `1` if the URL leaves it out (RFC 1738 3.4.1). `None` unless the URL is a
    /// gopher URL; an escaped type as written.
    pub fn gopher_type(&self) -> Option<&'a [u8]> {
        (self.shape() == Shape::Gopher).then(|| self.get(Component::GopherType).unwrap_or(b"1"))
    }

    /// The first component of that name.
    #[must_use]
    pub fn get(&self, component: Component) -> Option<&'a [u8]> {
        match component {
            Component::Fragment => self.fragment(),
            // A part that is a list is cut up by the walk.
            Component::Cwd | Component::FieldName | Component::FieldValue => {
                self.components().find(|&(name, _)| name == component).map(|(_, text)| text)
            }
            _ => self.parts().iter().find(|part| part.component == component).map(|part| &self.text[part.range()]),
        }
    }

    /// The components in the order of the text, as written. `cwd` comes once per directory, and
    /// each Prospero field as a `FieldName` and, if it has a `=`, a `FieldValue`. Scheme and fragment
    /// are not among them.
    pub fn components(&self) -> impl Iterator<Item = (Component, &'a [u8])> + use<'_, 'a> {
        self.spans().map(|(component, span)| (component, &self.text[span]))
    }

    /// The components as [`components`](Self::components) gives them, by their spans in
    /// [`as_bytes`](Self::as_bytes): ascending, and never overlapping.
    pub fn spans(&self) -> Spans<'_, 'a> {
        Spans::new(self.text, self.parts())
    }

    /// The fragment's span in [`as_bytes`](Self::as_bytes).
    pub fn fragment_span(&self) -> Option<Range<usize>> {
        self.fragment().map(|fragment| self.text.len() - fragment.len()..self.text.len())
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts[..usize::from(self.count)]
    }
}

impl PartialEq for Url<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Url<'_> {}

impl Hash for Url<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// The text as it is, octet for octet: what the command prints, and `url` in its JSON. No URL holds octets that are not
/// UTF-8, for [`parse`](Url::parse) refuses them, nor control characters; but of an IRI some may turn the direction of
/// writing, so that for a terminal they are better escaped. Costs a look at each octet, and obeys width and precision as a
/// `str` does.
impl fmt::Display for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(std::str::from_utf8(self.text).expect("the parser refuses what is not UTF-8"))
    }
}

impl fmt::Debug for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({}, {})", self.text.escape_ascii(), self.tier)
    }
}
