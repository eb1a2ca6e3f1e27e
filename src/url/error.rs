//! Why a string is no URL.

use core::fmt;

named! {
    /// What is wrong, without the place: see [`ParseError`].
    ///
    /// The kinds up to [`TooLong`](Self::TooLong) refuse a URL whatever its tier. The others are reasons
    /// against [`Tier::Rfc1738`](super::Tier::Rfc1738) alone: only
    /// [`Url::parse_strict`](super::Url::parse_strict) gives them (host kinds too, where RFC 3986 is wider).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ParseErrorKind: (&'static str, &'static str) {
        /// There is no `scheme:` in front.
        NoScheme = "no-scheme" => ("no scheme", "RFC 1738 2.1"),
        /// A byte that no scheme name has, before the first colon.
        SchemeCharacter = "scheme-character" => ("not a scheme character", "RFC 1738 2.1"),
        /// Nothing follows the scheme's colon.
        Empty = "empty" => ("nothing after the scheme", "RFC 1738 2.1"),
        /// The scheme names a host, and no `//` follows its colon.
        MissingSlashes = "missing-slashes" => ("no // after the scheme", "RFC 1738 3.1"),
        /// The host is empty, or holds no letter and no digit.
        EmptyHost = "empty-host" => ("empty host", "RFC 1738 3.1"),
        /// A byte that no host has, or a malformed IP literal.
        HostCharacter = "host-character" => ("not a host character", "RFC 3986 3.2.2"),
        /// The port is no number.
        Port = "port" => ("port is not a number", "RFC 1738 3.1"),
        /// The port is above 65535.
        PortRange = "port-range" => ("port above 65535", "RFC 793 3.1"),
        /// A byte that no URL has unencoded; or, in a strict parse, an unsafe one.
        Character = "character" => ("character must be encoded", "RFC 1738 2.2"),
        /// The text is longer than `u32::MAX` bytes; of a [candidate](crate::Candidate::parse), than
        /// [`MAX_BARE`](crate::scan::MAX_BARE).
        TooLong = "too-long" => ("too long", "limit"),
        /// A host label that is empty, or does not start and end with a letter or digit.
        HostLabel = "host-label" => ("not a host label", "RFC 1738 3.1"),
        /// The rightmost host label starts with a digit, and the host is no number.
        TopLabel = "top-label" => ("last host label starts with a digit", "RFC 1738 3.1"),
        /// A host of digits and dots that is not four groups of digits.
        HostNumber = "host-number" => ("not four groups of digits", "RFC 1738 3.1"),
        /// A user name or password where the scheme has none, or an `@` in one.
        UserInfo = "user-info" => ("no user name or password here", "RFC 1738 3.1"),
        /// A `%` that begins no escape.
        Escape = "escape" => ("% without two hexadecimal digits", "RFC 1738 2.2"),
        /// A reserved character, or an escape, where the component has no room for it.
        Reserved = "reserved" => ("reserved character", "RFC 1738 5"),
        /// The scheme's production demands a path here, or forbids one.
        Path = "path" => ("not the scheme's path", "RFC 1738 5"),
        /// A typecode other than `;type=` and one of `a`, `i`, `d`.
        TypeCode = "type-code" => ("typecode is not a, i or d", "RFC 1738 3.2.2"),
        /// No newsgroup name.
        Newsgroup = "newsgroup" => ("not a newsgroup name", "RFC 1738 3.6"),
        /// No article number.
        Article = "article" => ("not an article number", "RFC 1738 3.7"),
        /// No message-id: nothing before the `@`, or no host after it.
        Address = "address" => ("not a message-id", "RFC 1738 3.6"),
        /// A WAIS path that is neither a database nor a database, a type and a document.
        Document = "document" => ("not a WAIS document", "RFC 1738 3.9"),
        /// A Prospero field without `=`.
        Field = "field" => ("field without =", "RFC 1738 3.11"),
    }
}

impl ParseErrorKind {
    /// The clause that the string offends against.
    pub const fn clause(self) -> &'static str {
        self.row().1
    }
}

/// A string that is no URL: what is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseError {
    kind: ParseErrorKind,
    offset: u32,
}

impl ParseError {
    /// Nothing but zeros, where there is no error.
    pub(super) const NONE: Self = Self { kind: ParseErrorKind::NoScheme, offset: 0 };

    pub(crate) fn new(kind: ParseErrorKind, offset: usize) -> Self {
        Self { kind, offset: u32::try_from(offset).unwrap_or(u32::MAX) }
    }

    /// What is wrong.
    pub fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// The offset of the first offending byte in the text given to the parser. It is the text's
    /// length if something is missing at the end.
    pub fn offset(&self) -> usize {
        self.offset as usize
    }

    /// The kind's stable name: `self.kind().as_str()`.
    pub fn as_str(&self) -> &'static str {
        self.kind.as_str()
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, clause) = self.kind.row();
        write!(f, "{words} at offset {} ({clause})", self.offset)
    }
}

impl core::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_words() {
        let error = ParseError::new(ParseErrorKind::EmptyHost, 7);
        assert_eq!(error.to_string(), "empty host at offset 7 (RFC 1738 3.1)");
        assert_eq!(error.as_str(), "empty-host");
        let error = ParseError::new(ParseErrorKind::PortRange, 12);
        assert_eq!(error.to_string(), "port above 65535 at offset 12 (RFC 793 3.1)");
    }
}
