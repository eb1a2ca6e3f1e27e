//! [`Url`]: a parsed URL, as spans over the text.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Range;
use core::str::FromStr;

use super::component::{Component, Part, Spans};
use super::parsed::Parsed;
use super::scheme::{Grammar, Scheme};
use super::{ParseError, Tier, parse};

/// A URL, taken apart. It borrows the text or owns it, and keeps only spans over it.
///
/// Every value is as written, escapes and all; [`percent`](super::percent) decodes them. A component
/// that is absent is `None`, one that is empty is `Some("")`: RFC 1738 section 3.1 tells
/// `ftp://@host.com/` (an empty user name) from `ftp://host.com/` (no user name).
///
/// Two `Url`s are equal if their texts are, and ordered by their texts; [`is_equivalent`](Self::is_equivalent) compares what
/// they mean.
#[derive(Clone)]
pub struct Url<'a> {
    text: Cow<'a, [u8]>,
    parsed: Parsed,
}

/// The text of a component. The parser refuses bytes that are not UTF-8 and cuts only at ASCII characters.
fn utf8(text: &[u8]) -> &str {
    str::from_utf8(text).expect("the parser refuses what is not UTF-8")
}

impl<'a> Url<'a> {
    /// A text of which nothing is known yet.
    #[inline]
    pub(crate) fn unparsed(text: impl Into<Cow<'a, [u8]>>) -> Self {
        Url { text: text.into(), parsed: Parsed::NOTHING }
    }

    /// Parses a whole text as one URL with or without a fragment, by the grammar of its scheme.
    ///
    /// Takes a `str`, a `String`, a slice, an array or a `Vec` of bytes, and borrows it. Accepts every [`Tier`] and says which
    /// it was. Schemes that are not in [`SCHEMES`](super::SCHEMES) are parsed as `genericurl` (RFC 1738 section 5). Nothing is
    /// trimmed: white space anywhere is an error.
    ///
    /// ```
    /// use urlspool::Url;
    /// let url = Url::parse("http://www.example.org:8080/")?;
    /// assert_eq!((url.host(), url.port()), (Some("www.example.org"), Some(8080)));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Whatever the tier: no scheme, or a byte that no scheme has; nothing after the colon; no
    /// `//` where the scheme names a host; a host that is empty, or not a host by RFC 3986; a port
    /// that is no number or above 65535; a control character, white space, `<`, `>`, `"`, or bytes
    /// from 80 hexadecimal on that are not UTF-8 of RFC 3987's `ucschar`. Of several, the error names
    /// the one in the leftmost component.
    ///
    /// # Cost
    ///
    /// One pass over the text, two if it has escapes or anything else but the plain characters of
    /// its productions. No allocation.
    #[inline]
    pub fn parse<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Result<Self, ParseError> {
        let mut url = Url::unparsed(text.as_ref());
        url.fill(None)?;
        Ok(url)
    }

    /// Parses a URL of [`Tier::Rfc1738`] and refuses every other.
    ///
    /// The fragment is no part of such a URL, but its characters are held to the same standard.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse); else the leftmost departure from RFC 1738.
    ///
    /// ```
    /// use urlspool::url::{ParseErrorKind, Url};
    /// let error = Url::parse_strict("http://host/~user").unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ParseErrorKind::Character, 12));
    /// ```
    pub fn parse_strict<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Result<Self, ParseError> {
        let url = Url::parse(text)?;
        url.departure().map_or(Ok(url), Err)
    }

    /// [`parse`](Self::parse) of what is [`unparsed`](Self::unparsed), in place. The scheme's row may be known: a colon
    /// follows its name in the text.
    #[inline]
    pub(crate) fn fill(&mut self, row: Option<&'static Scheme>) -> Result<(), ParseError> {
        match row {
            Some(row) => parse::parse_known(&self.text, &mut self.parsed, row),
            None => parse::parse(&self.text, &mut self.parsed),
        }
    }

    /// The same URL with a text of its own, which outlives the text that it was parsed from.
    pub fn into_owned(self) -> Url<'static> {
        Url { text: Cow::Owned(self.text.into_owned()), parsed: self.parsed }
    }

    /// The whole text, with the fragment. Costs a look at each byte.
    pub fn as_str(&self) -> &str {
        utf8(&self.text)
    }

    /// The whole text, with the fragment, as bytes. They are UTF-8.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// The URL in RFC 1738's sense: the text up to the first `#`.
    #[inline]
    pub fn without_fragment(&self) -> &str {
        utf8(&self.text[..self.parsed.fragment as usize])
    }

    /// The scheme as written, in any mix of case. To compare it, use the name of the [known scheme](Self::known_scheme).
    #[inline]
    pub fn scheme(&self) -> &str {
        utf8(self.scheme_bytes())
    }

    /// What [`SCHEMES`](super::SCHEMES) has about the scheme: its name in lower case, its default port. `None` if it has no
    /// such scheme. Costs nothing, for the parser has looked it up.
    ///
    /// ```
    /// use urlspool::Url;
    /// let url = Url::parse("HTTP://www.example.org/")?;
    /// assert!(url.known_scheme().is_some_and(|row| ["http", "https"].contains(&row.name)));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    pub fn known_scheme(&self) -> Option<&'static Scheme> {
        self.parsed.row
    }

    /// The grammar that parsed this URL: the row's, or [`Grammar::Generic`].
    pub fn grammar(&self) -> Grammar {
        self.parsed.grammar()
    }

    /// The widest grammar that the URL needed.
    pub fn tier(&self) -> Tier {
        self.parsed.tier
    }

    /// Why it is not of [`Tier::Rfc1738`]: what [`parse_strict`](Self::parse_strict) reports, or of a URL that was mended, as
    /// browsers mend attributes of HTML, what is wrong with the text as written.
    pub fn departure(&self) -> Option<ParseError> {
        self.parsed.departure()
    }

    /// Notes that the text that this was made of needs `tier`, and why.
    #[cfg(feature = "html")]
    pub(crate) fn widen(&mut self, tier: Tier, why: ParseError) {
        self.parsed.tier = self.parsed.tier.max(tier);
        self.parsed.departure = why;
    }

    /// Does the URL hold characters that RFC 1738 and RFC 3986 alike want encoded: `{ } | \ ^ [ ]` or
    /// a backtick outside an IP literal, a `%` that begins no escape, a second `#` or `@`? Without
    /// any, a URL is a URI of RFC 3986 or an IRI of RFC 3987 as it stands.
    pub fn needs_encoding(&self) -> bool {
        self.parsed.needs_encoding
    }

    /// The user name (RFC 1738 3.1).
    pub fn user(&self) -> Option<&str> {
        self.get(Component::User)
    }

    /// The password (RFC 1738 3.1).
    pub fn password(&self) -> Option<&str> {
        self.get(Component::Password)
    }

    /// The host name, address, or IP literal with its brackets (RFC 1738 3.1, RFC 3986 3.2.2).
    /// `Some(b"")` in `file:///path`; `None` where there is no `//`.
    pub fn host(&self) -> Option<&str> {
        self.get(Component::Host)
    }

    /// The port that the URL names. `None` also if its digits were left out (`http://host:/`).
    pub fn port(&self) -> Option<u16> {
        self.parsed.port
    }

    /// The port that the URL names, else the scheme's default.
    pub fn port_or_default(&self) -> Option<u16> {
        self.parsed.port.or_else(|| self.parsed.row?.port)
    }

    /// The component `path` (RFC 1738 3.3, 3.10), without the slash before it. `None` for schemes
    /// that cut their path into other components: see [`url_path`](Self::url_path).
    pub fn path(&self) -> Option<&str> {
        self.get(Component::Path)
    }

    /// The `url-path` of RFC 1738 3.1 in one piece, search and all, whatever the scheme makes of it:
    /// what follows the slash after the host. The slash is no part of it.
    pub fn url_path(&self) -> Option<&str> {
        self.parsed.path.map(|path| utf8(&self.text[path as usize..self.parsed.fragment as usize]))
    }

    /// The query (RFC 1738 calls it the search), or the headers of a mailto URL, without the `?`.
    pub fn query(&self) -> Option<&str> {
        self.get(Component::Search)
    }

    /// The fragment identifier, without the `#`.
    pub fn fragment(&self) -> Option<&str> {
        self.text.get(self.parsed.fragment as usize + 1..).map(utf8)
    }

    /// The gopher type, `1` if the URL leaves it out (RFC 1738 3.4.1). `None` unless the URL is a
    /// gopher URL; an escaped type as written.
    pub fn gopher_type(&self) -> Option<&str> {
        (self.grammar() == Grammar::Gopher).then(|| self.get(Component::GopherType).unwrap_or("1"))
    }

    /// The first component of that name.
    pub fn get(&self, component: Component) -> Option<&str> {
        match component {
            Component::Fragment => self.fragment(),
            // A part that is a list is cut up by the walk.
            Component::Cwd | Component::FieldName | Component::FieldValue => {
                self.components().find(|&(name, _)| name == component).map(|(_, text)| text)
            }
            _ => self.part(component).map(utf8),
        }
    }

    /// The components in the order of the text, as written. `cwd` comes once per directory, and
    /// each Prospero field as a `FieldName` and, if it has a `=`, a `FieldValue`. Scheme and fragment
    /// are not among them.
    pub fn components(&self) -> impl Iterator<Item = (Component, &str)> {
        self.spans().map(|(component, span)| (component, utf8(&self.text[span])))
    }

    /// The components as [`components`](Self::components) gives them, by their spans in
    /// [`as_bytes`](Self::as_bytes): ascending, and never overlapping.
    pub fn spans(&self) -> Spans<'_> {
        Spans::new(&self.text, self.parts())
    }

    /// The fragment's span in [`as_bytes`](Self::as_bytes).
    pub fn fragment_span(&self) -> Option<Range<usize>> {
        self.fragment().map(|fragment| self.text.len() - fragment.len()..self.text.len())
    }

    /// The first component of that name that is no list, as bytes.
    pub(super) fn part(&self, component: Component) -> Option<&[u8]> {
        self.parts().iter().find(|part| part.component == component).map(|part| &self.text[part.range()])
    }

    /// The scheme as written, as bytes.
    #[inline]
    pub(crate) fn scheme_bytes(&self) -> &[u8] {
        &self.text[..self.parsed.scheme_end as usize]
    }

    /// The host as bytes.
    #[inline]
    pub(crate) fn host_bytes(&self) -> Option<&[u8]> {
        self.part(Component::Host)
    }

    #[inline]
    pub(super) fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    #[inline]
    fn parts(&self) -> &[Part] {
        &self.parsed.parts[..usize::from(self.parsed.count)]
    }
}

impl FromStr for Url<'static> {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Url::parse(text).map(Url::into_owned)
    }
}

impl<'a> TryFrom<&'a str> for Url<'a> {
    type Error = ParseError;

    fn try_from(text: &'a str) -> Result<Self, ParseError> {
        Url::parse(text)
    }
}

impl<'a> TryFrom<&'a [u8]> for Url<'a> {
    type Error = ParseError;

    fn try_from(text: &'a [u8]) -> Result<Self, ParseError> {
        Url::parse(text)
    }
}

impl TryFrom<Vec<u8>> for Url<'static> {
    type Error = ParseError;

    fn try_from(text: Vec<u8>) -> Result<Self, ParseError> {
        let mut url = Url::unparsed(text);
        url.fill(None)?;
        Ok(url)
    }
}

impl TryFrom<String> for Url<'static> {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        text.into_bytes().try_into()
    }
}

impl AsRef<str> for Url<'_> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<[u8]> for Url<'_> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<Url<'_>> for String {
    fn from(url: Url<'_>) -> String {
        String::from_utf8(url.text.into_owned()).expect("the parser refuses what is not UTF-8")
    }
}

impl PartialEq for Url<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Url<'_> {}

impl PartialOrd for Url<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By their texts, byte by byte.
impl Ord for Url<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for Url<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// The text as it is, byte for byte: what the command prints, and `url` in its JSON. No URL holds bytes that are not
/// UTF-8, for [`parse`](Url::parse) refuses them, nor control characters; but of an IRI some may turn the direction of
/// writing, so that for a terminal they are better escaped. Costs a look at each byte, and obeys width and precision as a
/// `str` does.
impl fmt::Display for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({}, {})", self.text.escape_ascii(), self.tier())
    }
}
