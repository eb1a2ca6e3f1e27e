//! [`Url`]: a parsed URL.

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

/// A parsed URL. It borrows or owns its text, and stores its components as ranges of the text.
///
/// Components are returned as written, with their escapes; decode them with [`percent_decode`](crate::percent_decode).
/// An absent component is `None`, and an empty component is `Some("")`. RFC 1738, section 3.1, distinguishes
/// `ftp://@host.com/` (an empty user name) from `ftp://host.com/` (no user name).
///
/// The operators `==` and `<` compare the texts of two `Url`s as written. [`is_equivalent`](Self::is_equivalent)
/// compares their normal forms.
///
/// ```
/// use urlspool::Url;
/// let url = Url::parse("http://ann@www.example.org:8080/a/b?c#d")?;
/// assert_eq!((url.scheme(), url.user()), ("http", Some("ann")));
/// assert_eq!((url.host(), url.port()), (Some("www.example.org"), Some(8080)));
/// assert_eq!((url.path(), url.query(), url.fragment()), (Some("a/b"), Some("c"), Some("d")));
/// assert_eq!(url.password(), None);
/// # Ok::<(), urlspool::ParseError>(())
/// ```
#[derive(Clone)]
pub struct Url<'a> {
    text: Cow<'a, [u8]>,
    parsed: Parsed,
}

/// Converts the text of a component to `str`. The conversion cannot fail, because the parser rejects bytes that are not
/// UTF-8 and splits only at ASCII characters.
fn utf8(text: &[u8]) -> &str {
    str::from_utf8(text).expect("the parser rejects text that is not UTF-8")
}

impl<'a> Url<'a> {
    /// Makes a URL from a text without parsing it. Call [`fill`](Self::fill) to parse it.
    #[inline]
    pub(crate) fn unparsed(text: impl Into<Cow<'a, [u8]>>) -> Self {
        Url { text: text.into(), parsed: Parsed::NOTHING }
    }

    /// Parses all of `text` as one URL, with or without a fragment, by the grammar of its scheme.
    ///
    /// Borrows `text`, which can be a `str`, a `String`, or a slice, array or `Vec` of bytes. Accepts URLs of every
    /// [`Tier`]. A URL whose scheme is not in [`schemes`](crate::schemes) is parsed as `genericurl` (RFC 1738, section
    /// 5). White space anywhere in `text` is an error, even at the start or the end.
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
    /// `text` is not a URL of any [`Tier`] in these cases:
    ///
    /// - There is no scheme, or its name has a byte that is not allowed in a scheme name.
    /// - Nothing follows the colon, or the scheme requires a host and no `//` follows the colon.
    /// - The host is a malformed IP literal, has a byte that no tier allows in a host, or is empty. (In `file:///path`,
    ///   it may be empty.)
    /// - The port is not a number, or is above 65535.
    /// - There is a control character, white space, `<`, `>` or `"`.
    /// - There are bytes above 127 that are not UTF-8, or characters outside ASCII that RFC 3987 does not allow.
    /// - The text is longer than `u32::MAX` bytes.
    ///
    /// If there are several errors, the error in the leftmost component is returned.
    ///
    /// # Cost
    ///
    /// Takes one pass over the text. Takes a second pass if the text has escapes, or has characters that are not
    /// allowed in their component. Never allocates.
    #[inline]
    pub fn parse<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Result<Self, ParseError> {
        let mut url = Url::unparsed(text.as_ref());
        url.fill(None)?;
        Ok(url)
    }

    /// Parses an [`unparsed`](Self::unparsed) URL in place. If the caller passes the `row` of a scheme, the text must
    /// begin with the name of that scheme and a colon.
    #[inline]
    pub(crate) fn fill(&mut self, row: Option<&'static Scheme>) -> Result<(), ParseError> {
        match row {
            Some(row) => parse::parse_known(&self.text, &mut self.parsed, row),
            None => parse::parse(&self.text, &mut self.parsed),
        }
    }

    /// Converts the URL to one that owns its text. Copies a borrowed text.
    pub fn into_owned(self) -> Url<'static> {
        Url { text: Cow::Owned(self.text.into_owned()), parsed: self.parsed }
    }

    /// Returns the whole text, with the fragment. Takes linear time, because each call checks that the text is UTF-8.
    pub fn as_str(&self) -> &str {
        utf8(&self.text)
    }

    /// Returns the whole text as bytes, with the fragment. The bytes are valid UTF-8.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// Returns the text before the first `#`. RFC 1738 calls only this part the URL.
    #[inline]
    pub(crate) fn without_fragment(&self) -> &str {
        utf8(&self.text[..self.parsed.fragment as usize])
    }

    /// Returns the scheme as written, in upper or lower case. To compare schemes, use the [known
    /// scheme](Self::known_scheme), which is in lower case.
    #[inline]
    pub fn scheme(&self) -> &str {
        utf8(self.scheme_bytes())
    }

    /// Returns the scheme in lower case, if it is one of the [known schemes](crate::schemes). Takes constant time,
    /// because the parser has looked up the scheme.
    ///
    /// ```
    /// use urlspool::Url;
    /// assert_eq!(Url::parse("HTTP://www.example.org/")?.known_scheme(), Some("http"));
    /// assert_eq!(Url::parse("x-unknown://www.example.org/")?.known_scheme(), None);
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    pub fn known_scheme(&self) -> Option<&'static str> {
        self.parsed.row.map(|row| row.name)
    }

    /// Returns the grammar of the [known scheme](Self::known_scheme), or [`Grammar::Generic`] for an unknown scheme.
    pub(crate) fn grammar(&self) -> Grammar {
        self.parsed.grammar()
    }

    /// Returns the narrowest grammar that allows the URL.
    pub fn tier(&self) -> Tier {
        self.parsed.tier
    }

    /// Returns the reason why the URL is not of [`Tier::Rfc1738`]: its leftmost violation of RFC 1738. `None` if the
    /// URL is of [`Tier::Rfc1738`].
    ///
    /// In RFC 1738, the fragment is not part of the URL. However, this method also checks that the fragment contains
    /// only characters that RFC 1738 allows in URLs.
    ///
    /// ```
    /// use urlspool::{ParseErrorKind, Url};
    /// let departure = Url::parse("http://host/~user")?.departure().unwrap();
    /// assert_eq!((departure.kind(), departure.offset()), (ParseErrorKind::Character, 12));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    ///
    /// If the URL was repaired in an HTML attribute, the error refers to the text before the repair.
    pub fn departure(&self) -> Option<ParseError> {
        self.parsed.departure()
    }

    /// Raises the tier to at least `tier`, for a URL that was repaired in an HTML attribute.
    /// [`departure`](Self::departure) then returns `why`.
    #[cfg(feature = "mime")]
    pub(crate) fn widen(&mut self, tier: Tier, why: ParseError) {
        self.parsed.tier = self.parsed.tier.or(tier);
        self.parsed.departure = why;
    }

    /// Returns whether the URL has characters that both RFC 1738 and RFC 3986 require to be encoded.
    ///
    /// The characters are `{ } | \ ^ [ ]` and the backtick, a `%` that does not begin an escape, a second `#`, and an
    /// `@` in a user name or password. The brackets of an IP literal do not count. If the result is `false`, the text
    /// is a valid URI (RFC 3986) or IRI (RFC 3987).
    pub fn needs_encoding(&self) -> bool {
        self.parsed.needs_encoding
    }

    /// Returns the user name (RFC 1738, section 3.1).
    pub fn user(&self) -> Option<&str> {
        self.get(Component::User)
    }

    /// Returns the password (RFC 1738, section 3.1).
    pub fn password(&self) -> Option<&str> {
        self.get(Component::Password)
    }

    /// Returns the host: a name, an address, or an IP literal with its brackets (RFC 1738, section 3.1; RFC 3986,
    /// section 3.2.2). `Some("")` for `file:///path`; `None` if the URL has no `//`.
    pub fn host(&self) -> Option<&str> {
        self.get(Component::Host)
    }

    /// Returns the port in the URL. `None` if the URL has no port or an empty port (`http://host:/`).
    pub fn port(&self) -> Option<u16> {
        self.parsed.port
    }

    /// Returns the port in the URL, or the default port of its scheme if the URL has no port.
    pub fn port_or_default(&self) -> Option<u16> {
        self.parsed.port.or_else(|| self.parsed.row?.port)
    }

    /// Returns the component [`Path`](Component::Path) without the slash before it (RFC 1738, sections 3.3 and 3.10).
    /// `None` for schemes that divide their path into other components, such as ftp; see [`url_path`](Self::url_path).
    pub fn path(&self) -> Option<&str> {
        self.get(Component::Path)
    }

    /// Returns the `url-path` of RFC 1738, section 3.1: the text after the slash that follows the host. The result
    /// includes the query, but not the slash or the fragment. Unlike [`path`](Self::path), this method also returns the
    /// path of schemes such as ftp, which divide it into components.
    pub fn url_path(&self) -> Option<&str> {
        self.parsed.path.map(|path| utf8(&self.text[path as usize..self.parsed.fragment as usize]))
    }

    /// Returns the query, which RFC 1738 calls the search, without the `?`. In a mailto URL, the query is the list of
    /// headers, such as `subject=hello`.
    pub fn query(&self) -> Option<&str> {
        self.get(Component::Search)
    }

    /// Returns the fragment identifier without the `#`.
    pub fn fragment(&self) -> Option<&str> {
        self.text.get(self.parsed.fragment as usize + 1..).map(utf8)
    }

    /// Returns the text of the first component of this kind, as written.
    pub fn get(&self, component: Component) -> Option<&str> {
        match component {
            Component::Fragment => self.fragment(),
            // One `Part` contains all `Cwd` components of the URL, or all its field names and values. `components`
            // splits this `Part`.
            Component::Cwd | Component::FieldName | Component::FieldValue => {
                self.components().find(|&(name, _)| name == component).map(|(_, text)| text)
            }
            _ => self.part(component).map(utf8),
        }
    }

    /// Returns all components except the scheme and the fragment, as written and in the order of the text.
    ///
    /// An ftp URL has one `Cwd` for each directory of its path. Each Prospero field is a `FieldName` and, if the field
    /// has a `=`, a `FieldValue`.
    pub fn components(&self) -> impl Iterator<Item = (Component, &str)> {
        self.spans().map(|(component, span)| (component, utf8(&self.text[span])))
    }

    /// Returns the [`components`](Self::components) as spans of [`as_bytes`](Self::as_bytes). The spans are in
    /// ascending order and do not overlap.
    ///
    /// ```
    /// use urlspool::{Component, Url};
    /// let url = Url::parse("http://www.example.org/a?b")?;
    /// let spans: Vec<_> = url.spans().collect();
    /// assert_eq!(spans, [(Component::Host, 7..22), (Component::Path, 23..24), (Component::Search, 25..26)]);
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    pub fn spans(&self) -> impl Iterator<Item = (Component, Range<usize>)> + Clone {
        Spans::new(&self.text, self.parts())
    }

    /// Returns the text of the first `component` as bytes. For [`Component::Cwd`] and [`Component::FieldName`], the
    /// result is the text of all directories or fields.
    pub(super) fn part(&self, component: Component) -> Option<&[u8]> {
        self.parts().iter().find(|part| part.component == component).map(|part| &self.text[part.range()])
    }

    #[inline]
    pub(crate) fn scheme_bytes(&self) -> &[u8] {
        &self.text[..self.parsed.scheme_end as usize]
    }

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
        String::from_utf8(url.text.into_owned()).expect("the parser rejects text that is not UTF-8")
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

/// Compares the texts byte by byte.
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

/// Prints the text unchanged. Width and precision work as for a `str`.
///
/// The text has no control characters. An IRI can have characters that change the writing direction: escape them before
/// you print the URL to a terminal. Takes linear time, because each call checks that the text is UTF-8.
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

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

    use super::*;

    #[test]
    fn parts_of_a_url_are_returned_as_written() {
        let http = Url::parse("http://a.example/b/c%20d?e#f").unwrap();
        assert_eq!((http.path(), http.url_path()), (Some("b/c%20d"), Some("b/c%20d?e")));
        assert_eq!((http.get(Component::Fragment), http.get(Component::Search)), (Some("f"), Some("e")));
        let ftp = Url::parse("ftp://a.example/b/d/c;type=i").unwrap();
        assert_eq!((ftp.path(), ftp.url_path()), (None, Some("b/d/c;type=i")));
        assert_eq!(Url::parse("file:/a/b").unwrap().url_path(), Some("a/b"));
        assert_eq!((ftp.get(Component::Fragment), ftp.get(Component::Cwd)), (None, Some("b")));
    }

    #[test]
    fn urls_are_compared_and_hashed_by_their_text() {
        let parse = |text: &'static str| Url::parse(text).unwrap();
        let hash = |url: Url<'_>| BuildHasherDefault::<DefaultHasher>::default().hash_one(url);
        let (a, b) = (parse("http://a.example/"), parse("http://b.example/"));
        assert_eq!(AsRef::<str>::as_ref(&a), "http://a.example/");
        assert_eq!((a.partial_cmp(&b), b.partial_cmp(&a)), (Some(Ordering::Less), Some(Ordering::Greater)));
        assert_eq!(hash(a.clone()), hash(a.clone().into_owned()));
        assert_ne!(hash(a), hash(b));
    }
}
