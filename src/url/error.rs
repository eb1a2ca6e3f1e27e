//! The error of the parser: why a text is not a URL.

use core::fmt;

/// The maximum number of bytes of a bare URL after its scheme: 64 KiB. A longer run of URL characters is usually
/// encoded data, not a URL.
pub const MAX_BARE: usize = 64 << 10;

named! {
    /// The reason why a text is not a URL. [`ParseError`] adds the offset.
    ///
    /// [`Url::parse`](super::Url::parse) returns only the kinds from [`NoScheme`](Self::NoScheme) to
    /// [`TooLong`](Self::TooLong). The kinds after `TooLong` are violations of RFC 1738 that a wider
    /// [`Tier`](super::Tier) allows. [`Url::departure`](super::Url::departure) returns such violations.
    ///
    /// ```
    /// use urlspool::{ParseErrorKind, Url};
    /// let kind = Url::parse("http://www.example.org:99999/").unwrap_err().kind();
    /// assert_eq!((kind, kind.as_str(), kind.clause()), (ParseErrorKind::PortRange, "port-range", "RFC 793 3.1"));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ParseErrorKind: (&'static str, &'static str) {
        /// The text does not begin with a scheme and a colon.
        NoScheme = "no-scheme" => ("no scheme", "RFC 1738 2.1"),
        /// The text before the first colon has a byte that is not allowed in the name of a scheme.
        SchemeCharacter = "scheme-character" => ("character not allowed in a scheme", "RFC 1738 2.1"),
        /// Nothing follows the scheme's colon.
        Empty = "empty" => ("nothing after the scheme", "RFC 1738 2.1"),
        /// The scheme requires a host, but no `//` follows its colon.
        MissingSlashes = "missing-slashes" => ("no // after the scheme", "RFC 1738 3.1"),
        /// The host is empty, or has no letter and no digit, as in `http://.../`.
        EmptyHost = "empty-host" => ("empty host", "RFC 1738 3.1"),
        /// A byte that cannot be in a host, or a malformed IP literal.
        HostCharacter = "host-character" => ("character not allowed in a host", "RFC 3986 3.2.2"),
        /// The port is not a number.
        Port = "port" => ("port is not a number", "RFC 1738 3.1"),
        /// The port is above 65535.
        PortRange = "port-range" => ("port above 65535", "RFC 793 3.1"),
        /// A byte that must be encoded in every URL. [`Url::departure`](super::Url::departure) also returns
        /// this kind for unsafe characters such as `~`.
        Character = "character" => ("character must be encoded", "RFC 1738 2.2"),
        /// The text is longer than `u32::MAX` bytes, or a [candidate](crate::Candidate::parse) is longer than
        /// [`MAX_BARE`].
        TooLong = "too-long" => ("too long", "limit"),
        /// A host label is empty, starts or ends with a hyphen, or has a character that RFC 1738 does not allow, such
        /// as `_`.
        HostLabel = "host-label" => ("malformed host label", "RFC 1738 3.1"),
        /// The rightmost host label starts with a digit, as in `www.3com`.
        TopLabel = "top-label" => ("last host label starts with a digit", "RFC 1738 3.1"),
        /// A host that has only digits and dots, but not four groups of digits. An example is `1.2.3`.
        HostNumber = "host-number" => ("numeric host without exactly four numbers", "RFC 1738 3.1"),
        /// A user name or password that the scheme does not allow, or that has an unencoded reserved character such as
        /// `@`.
        UserInfo = "user-info" => ("user name or password not allowed here", "RFC 1738 3.1"),
        /// A `%` that does not begin an escape.
        Escape = "escape" => ("% without two hexadecimal digits", "RFC 1738 2.2"),
        /// A reserved character or an escape in a component that does not allow it.
        Reserved = "reserved" => ("reserved character", "RFC 1738 5"),
        /// The grammar of the scheme requires a path here, or forbids one.
        Path = "path" => ("path is missing or not allowed", "RFC 1738 5"),
        /// A typecode other than `;type=a`, `;type=i` and `;type=d`.
        TypeCode = "type-code" => ("typecode is not `a`, `i` or `d`", "RFC 1738 3.2.2"),
        /// A newsgroup name that is missing or malformed.
        Newsgroup = "newsgroup" => ("not a newsgroup name", "RFC 1738 3.6"),
        /// An article number that is missing, or that has a character other than a digit.
        Article = "article" => ("not an article number", "RFC 1738 3.7"),
        /// A malformed message-id, for example with nothing before the `@`, or with no host after the `@`.
        Address = "address" => ("not a message-id", "RFC 1738 3.6"),
        /// A WAIS path that is not `database` or `database/type/document`.
        Document = "document" => ("not a WAIS document", "RFC 1738 3.9"),
        /// A Prospero field without `=`.
        Field = "field" => ("field without =", "RFC 1738 3.11"),
    }
}

impl ParseErrorKind {
    /// Returns a description of the error, such as "empty host".
    pub const fn about(self) -> &'static str {
        self.row().0
    }

    /// Returns the section of the RFC that the text violates, such as `RFC 1738 3.1`. For [`TooLong`](Self::TooLong),
    /// which violates no RFC, returns `limit`.
    pub const fn clause(self) -> &'static str {
        self.row().1
    }
}

/// The error for a text that is not a URL: what is wrong, and at which offset.
///
/// ```
/// use urlspool::{ParseErrorKind, Url};
/// let error = Url::parse("http://www.example.org:http/").unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ParseErrorKind::Port, 23));
/// assert_eq!(error.to_string(), "port is not a number at offset 23 (RFC 1738 3.1)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseError {
    kind: ParseErrorKind,
    offset: u32,
}

impl ParseError {
    /// A placeholder for the `departure` of a URL that does not violate RFC 1738. All fields are zero, because zeros
    /// are fast to write.
    pub(super) const NONE: Self = Self { kind: ParseErrorKind::NoScheme, offset: 0 };

    pub(crate) fn new(kind: ParseErrorKind, offset: usize) -> Self {
        Self { kind, offset: u32::try_from(offset).unwrap_or(u32::MAX) }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// Returns the offset of the first wrong byte in the parsed text. If something is missing at the end, the offset is
    /// the length of the text.
    pub fn offset(&self) -> usize {
        self.offset as usize
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, clause) = self.kind.row();
        if self.kind == ParseErrorKind::TooLong {
            return f.write_str(if self.offset() == MAX_BARE { "longer than 64 KiB" } else { "longer than 4 GiB" });
        }
        write!(f, "{words} at offset {} ({clause})", self.offset)
    }
}

impl core::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_messages_have_their_exact_words() {
        let error = ParseError::new(ParseErrorKind::EmptyHost, 7);
        assert_eq!(error.to_string(), "empty host at offset 7 (RFC 1738 3.1)");
        let error = ParseError::new(ParseErrorKind::PortRange, 12);
        assert_eq!(error.to_string(), "port above 65535 at offset 12 (RFC 793 3.1)");
    }
}
