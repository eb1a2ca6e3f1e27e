//! What parsing begins with: the scheme and the fragment, for every [`Shape`](super::Shape).

use memchr::memchr;

use super::class::{HASH, SCHEME, XCHAR, class, classes};
use super::component::Component;
use super::parser::Parser;
use super::scheme::{self, Scheme};
use super::{ParseError, ParseErrorKind, Url, shape};

impl<'a> Url<'a> {
    /// Parses a whole text as one URL with or without a fragment, by the grammar of its scheme.
    ///
    /// Accepts every [`Tier`](super::Tier) and tells which it was. Schemes that are not in
    /// [`SCHEMES`](super::SCHEMES) are parsed as `genericurl` (RFC 1738 section 5). Nothing is
    /// trimmed: white space anywhere is an error.
    ///
    /// # Errors
    ///
    /// Whatever the tier: no scheme, or an octet that no scheme has; nothing after the colon; no
    /// `//` where the scheme names a host; a host that is empty, or not a host by RFC 3986; a port
    /// that is no number or above 65535; a control character, white space, `<`, `>`, `"`, or octets
    /// from 80 hexadecimal on that are not UTF-8 of RFC 3987's `ucschar`. Of several, the error names
    /// the one in the leftmost component.
    ///
    /// # Cost
    ///
    /// One pass over the text, two if it has escapes or anything else but the plain characters of
    /// its productions. No allocation.
    #[inline]
    pub fn parse(text: &'a [u8]) -> Result<Self, ParseError> {
        let mut url = Url::unparsed(text);
        url.fill(None)?;
        Ok(url)
    }

    /// [`parse`](Self::parse) of what is [`unparsed`](Self::unparsed), in place. The scheme's row may be known: a colon
    /// follows its name in the text.
    #[inline]
    pub(crate) fn fill(&mut self, row: Option<&'static Scheme>) -> Result<(), ParseError> {
        match row {
            Some(row) => parse_known(self, row),
            None => parse(self),
        }
    }

    /// Parses a URL of [`Tier::Rfc1738`](super::Tier::Rfc1738) and refuses every other.
    ///
    /// The fragment is no part of such a URL, but its characters are held to the same standard.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse); else the leftmost departure from RFC 1738.
    ///
    /// ```
    /// use urlspool::url::{ParseErrorKind, Url};
    /// let error = Url::parse_strict(b"http://host/~user").unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ParseErrorKind::Character, 12));
    /// ```
    pub fn parse_strict(text: &'a [u8]) -> Result<Self, ParseError> {
        let url = Url::parse(text)?;
        url.departure.map_or(Ok(url), Err)
    }
}

/// Parses the text of `url`, of which nothing else is known.
pub(super) fn parse(url: &mut Url<'_>) -> Result<(), ParseError> {
    let text = url.text;
    let fail = |kind, offset| Err(ParseError::new(kind, offset));
    let Some(colon) = text.iter().position(|&octet| class(octet) & SCHEME == 0) else {
        return match u32::try_from(text.len()) {
            Ok(_) => fail(ParseErrorKind::NoScheme, text.len()),
            Err(_) => fail(ParseErrorKind::TooLong, u32::MAX as usize),
        };
    };
    match text[colon] {
        b':' if colon > 0 => {}
        b':' | b'/' | b'?' | b'#' => return fail(ParseErrorKind::NoScheme, colon),
        _ => return fail(ParseErrorKind::SchemeCharacter, colon),
    }
    known(url, colon, scheme::find(&text[..colon]))
}

/// Parses the text of `url`, which begins with the scheme of `row` and its colon; nothing else is known of it.
pub(super) fn parse_known(url: &mut Url<'_>, row: &'static Scheme) -> Result<(), ParseError> {
    let (text, colon) = (url.text, row.name.len());
    debug_assert!(scheme::find(&text[..colon]) == Some(row) && text[colon] == b':', "{}", text.escape_ascii());
    known(url, colon, Some(row))
}

/// Parses the text of `url`, which has the scheme of `row` before its `colon`.
#[inline(always)]
fn known(url: &mut Url<'_>, colon: usize, row: Option<&'static Scheme>) -> Result<(), ParseError> {
    let text = url.text;
    let fail = |kind, offset| Err(ParseError::new(kind, offset));
    if u32::try_from(text.len()).is_err() {
        return fail(ParseErrorKind::TooLong, u32::MAX as usize);
    }
    let from = colon + 1;
    let seen = classes(&text[from..]);
    // The fragment goes first: it is no part of the URL (RFC 1738 2.2).
    let end = match seen & HASH {
        0 => text.len(),
        _ => memchr(b'#', &text[from..]).map_or(text.len(), |length| from + length),
    };
    if end == from {
        return fail(ParseErrorKind::Empty, from);
    }
    (url.row, url.seen, url.scheme_end, url.fragment) = (row, seen, colon as u32, end as u32);
    let mut parser = Parser { text, end, url };
    shape::parse(&mut parser, from)?;
    if end < text.len() {
        // `fragmentid` of draft-www-uri-00 is `xalphas`; here every xchar.
        parser.end = text.len();
        parser.check(Component::Fragment, end + 1, text.len(), XCHAR, ParseErrorKind::Character)?;
    }
    Ok(())
}
