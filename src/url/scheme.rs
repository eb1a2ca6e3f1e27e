//! The scheme table: the one place that names a scheme.
//!
//! The parser takes the shape and the default port from a row, the scanner the
//! rule by which a bare URL may start (rules.md 2.1), the command its list of schemes.

/// How the part after the colon is built: which of `shape/`'s grammars reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// `ftpurl`, RFC 1738 section 3.2.
    Ftp,
    /// `httpurl`, RFC 1738 section 3.3.
    Http,
    /// `gopherurl`, RFC 1738 section 3.4, with the Gopher+ string.
    Gopher,
    /// `mailtourl`, RFC 1738 section 3.5.
    Mailto,
    /// `newsurl`, RFC 1738 section 3.6.
    News,
    /// `nntpurl`, RFC 1738 section 3.7.
    Nntp,
    /// `telneturl`, RFC 1738 section 3.8: a login and nothing else.
    Telnet,
    /// `waisurl`, RFC 1738 section 3.9.
    Wais,
    /// `fileurl`, RFC 1738 section 3.10.
    File,
    /// `prosperourl`, RFC 1738 section 3.11.
    Prospero,
    /// `midaddress`, `cidaddress`: an addr-spec (draft-www-uri-00).
    MessageId,
    /// `//login[/urlpath]`, RFC 1738 section 3.1.
    Internet,
    /// `genericurl`: any `*xchar` after the colon.
    Generic,
}

/// What a bare URL of a scheme must show before the scanner looks at it (rules.md 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// `scheme://`.
    Slashes,
    /// An `@` in what follows (`mailto:`, `mid:`, `cid:`).
    Address,
    /// A dot, an `@` or `*` in what follows (`news:`).
    Newsgroup,
    /// A namespace and a colon in what follows (`urn:`).
    Namespace,
    /// Never bare: only inside a wrapper or an attribute.
    Wrapped,
}

/// One row of [`SCHEMES`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Scheme {
    /// The name, in lower case.
    pub name: &'static str,
    /// The grammar of what follows the colon.
    pub shape: Shape,
    /// The port that the scheme's protocol has when the URL names none.
    pub port: Option<u16>,
    /// What a bare URL must show.
    pub start: Start,
}

const fn row(name: &'static str, shape: Shape, port: Option<u16>, start: Start) -> Scheme {
    Scheme { name, shape, port, start }
}

/// Every scheme known by name, in alphabetical order.
pub static SCHEMES: &[Scheme] = &[
    row("cid", Shape::MessageId, None, Start::Address),
    row("file", Shape::File, None, Start::Slashes),
    row("ftp", Shape::Ftp, Some(21), Start::Slashes),
    row("gopher", Shape::Gopher, Some(70), Start::Slashes),
    row("http", Shape::Http, Some(80), Start::Slashes),
    row("https", Shape::Http, Some(443), Start::Slashes),
    row("mailto", Shape::Mailto, None, Start::Address),
    row("mid", Shape::MessageId, None, Start::Address),
    row("news", Shape::News, None, Start::Newsgroup),
    row("nntp", Shape::Nntp, Some(119), Start::Slashes),
    row("prospero", Shape::Prospero, Some(1525), Start::Slashes),
    row("telnet", Shape::Telnet, Some(23), Start::Slashes),
    row("urn", Shape::Generic, None, Start::Namespace),
    row("wais", Shape::Wais, Some(210), Start::Slashes),
];

/// The row of the scheme `name`, in any mix of case.
#[must_use]
pub fn find(name: &[u8]) -> Option<&'static Scheme> {
    SCHEMES.iter().find(|row| row.name.as_bytes().eq_ignore_ascii_case(name))
}
