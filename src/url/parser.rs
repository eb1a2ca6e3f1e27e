//! The parser's state, and the two passes over a component.
//!
//! A shape's grammar cuts the text with [`Parser::run`], which is the one pass over the octet
//! table, and has each component judged by [`Parser::check`], which looks again only if the first
//! pass met something that the production does not have.

use memchr::memchr;

use super::class::{Class, FORBIDDEN, HASH, HIGH, NATIONAL, PERCENT, QUESTION, SCHEME, TILDE, XCHAR, class};
use super::component::{Component, Part};
use super::{ParseError, ParseErrorKind, Tier, Url, iri, percent, scheme, shape};

/// More than any shape has: user, password, host, port, and three of the path.
pub(super) const PARTS: usize = 8;

/// The answer in the making.
pub(super) struct Parser<'a> {
    pub(super) text: &'a [u8],
    /// Where the fragment's `#` stands, or the text ends.
    pub(super) end: usize,
    pub(super) tier: Tier,
    pub(super) needs_encoding: bool,
    pub(super) bad_escape: bool,
    pub(super) port: Option<u16>,
    /// Where the url-path begins, behind its slash.
    pub(super) path: Option<u32>,
    parts: [Part; PARTS],
    count: u8,
    /// The leftmost departure from RFC 1738, for the strict parse.
    departure: Option<ParseError>,
}

/// Parses `text`; the second value is the leftmost departure from RFC 1738.
pub(super) fn parse(text: &[u8]) -> Result<(Url<'_>, Option<ParseError>), ParseError> {
    let fail = |kind, offset| Err(ParseError::new(kind, offset));
    if u32::try_from(text.len()).is_err() {
        return fail(ParseErrorKind::TooLong, u32::MAX as usize);
    }
    let Some(colon) = text.iter().position(|&octet| class(octet) & SCHEME == 0) else {
        return fail(ParseErrorKind::NoScheme, text.len());
    };
    match text[colon] {
        b':' if colon > 0 => {}
        b':' | b'/' | b'?' | b'#' => return fail(ParseErrorKind::NoScheme, colon),
        _ => return fail(ParseErrorKind::SchemeCharacter, colon),
    }
    let from = colon + 1;
    // The fragment goes first: it is no part of the URL (RFC 1738 2.2).
    let end = memchr(b'#', &text[from..]).map_or(text.len(), |length| from + length);
    if end == from {
        return fail(ParseErrorKind::Empty, from);
    }
    let row = scheme::find(&text[..colon]);
    let mut parser = Parser {
        text,
        end,
        tier: Tier::Rfc1738,
        needs_encoding: false,
        bad_escape: false,
        port: None,
        path: None,
        parts: [Part::NONE; PARTS],
        count: 0,
        departure: None,
    };
    shape::parse(&mut parser, row.map_or(scheme::Shape::Generic, |row| row.shape), from)?;
    if end < text.len() {
        // `fragmentid` of draft-www-uri-00 is `xalphas`; here every xchar.
        parser.end = text.len();
        let (stop, seen) = parser.run(end + 1, 0);
        parser.check(Component::Fragment, end + 1, stop, seen, XCHAR, ParseErrorKind::Character)?;
    }
    let url = Url {
        text,
        row,
        parts: parser.parts,
        count: parser.count,
        tier: parser.tier,
        needs_encoding: parser.needs_encoding,
        bad_escape: parser.bad_escape,
        port: parser.port,
        scheme_end: colon as u32,
        path: parser.path,
        fragment: end as u32,
    };
    Ok((url, parser.departure))
}

impl<'a> Parser<'a> {
    /// The octet at `at`; none at the end of the URL.
    #[inline]
    pub(super) fn octet(&self, at: usize) -> Option<u8> {
        (at < self.end).then(|| self.text[at])
    }

    /// Goes on from `from` to the first octet of the classes `stop`, or the end; gives that place
    /// and all classes seen before it.
    #[inline]
    pub(super) fn run(&self, from: usize, stop: Class) -> (usize, Class) {
        let mut seen = 0;
        for (index, &octet) in self.text[from..self.end].iter().enumerate() {
            let class = class(octet);
            if class & stop != 0 {
                return (from + index, seen);
            }
            seen |= class;
        }
        (self.end, seen)
    }

    /// Judges the octets `start..end`, of which the classes are among `seen`, by a production that
    /// has the classes `allowed`. `kind` is what a strict parse says of a reserved character there.
    #[inline]
    pub(super) fn check(
        &mut self,
        component: Component,
        start: usize,
        end: usize,
        seen: Class,
        allowed: Class,
        kind: ParseErrorKind,
    ) -> Result<(), ParseError> {
        // An escape must be looked at even where it is allowed.
        if seen & (!allowed | PERCENT) == 0 { Ok(()) } else { self.inspect(component, start, end, allowed, kind) }
    }

    /// The second pass: which octet it was, and what tier it costs.
    #[cold]
    fn inspect(
        &mut self,
        component: Component,
        start: usize,
        end: usize,
        allowed: Class,
        kind: ParseErrorKind,
    ) -> Result<(), ParseError> {
        let mut at = start;
        while at < end {
            let class = class(self.text[at]);
            match class {
                FORBIDDEN => return Err(ParseError::new(ParseErrorKind::Character, at)),
                HIGH => {
                    let Some(length) = iri::ucschar(&self.text[at..end], component == Component::Search) else {
                        return Err(ParseError::new(ParseErrorKind::Character, at));
                    };
                    self.depart(Tier::Iri, ParseErrorKind::Character, at);
                    at += length;
                    continue;
                }
                PERCENT if percent::escape(&self.text[at..end]).is_some() => {
                    if allowed & PERCENT == 0 {
                        self.depart(Tier::Rfc3986, kind, at);
                    }
                    at += 3;
                    continue;
                }
                PERCENT | NATIONAL | HASH | TILDE => {
                    let kind = if class == PERCENT { ParseErrorKind::Escape } else { ParseErrorKind::Character };
                    self.bad_escape |= class == PERCENT;
                    self.needs_encoding |= class != TILDE;
                    // Encoding would not bring it into a production that has no escapes.
                    let tier = if allowed & PERCENT == 0 { Tier::Rfc3986 } else { Tier::Unsafe };
                    self.depart(tier, kind, at);
                }
                _ if class & allowed == 0 => self.depart(Tier::Rfc3986, kind, at),
                _ => {}
            }
            at += 1;
        }
        Ok(())
    }

    /// Notes that the URL needs `tier` because of the octet at `at`.
    #[cold]
    pub(super) fn depart(&mut self, tier: Tier, kind: ParseErrorKind, at: usize) {
        self.tier = self.tier.max(tier);
        if self.departure.is_none_or(|first| at < first.offset()) {
            self.departure = Some(ParseError::new(kind, at));
        }
    }

    /// Keeps `start..end` as `component`.
    #[inline]
    pub(super) fn push(&mut self, component: Component, start: usize, end: usize) {
        debug_assert!(start <= end && end <= self.text.len());
        if let Some(part) = self.parts.get_mut(self.count as usize) {
            *part = Part { component, start: start as u32, end: end as u32 };
            self.count += 1;
        }
    }

    /// Cuts, judges and keeps the component from `from` to the first of `stop`; gives its end.
    #[inline]
    pub(super) fn take(
        &mut self,
        component: Component,
        from: usize,
        stop: Class,
        allowed: Class,
        kind: ParseErrorKind,
    ) -> Result<usize, ParseError> {
        let (end, seen) = self.run(from, stop);
        self.check(component, from, end, seen, allowed, kind)?;
        self.push(component, from, end);
        Ok(end)
    }

    /// Steps over the `//` that a scheme with a host demands (RFC 1738 3.1).
    #[inline]
    pub(super) fn slashes(&self, from: usize) -> Result<usize, ParseError> {
        if self.has_slashes(from) {
            Ok(from + 2)
        } else {
            // Of `http:/x` the second slash is missing, of `http:x` the first.
            let offset = from + usize::from(self.octet(from) == Some(b'/'));
            Err(ParseError::new(ParseErrorKind::MissingSlashes, offset))
        }
    }

    /// Does a `//` stand at `from`?
    #[inline]
    pub(super) fn has_slashes(&self, from: usize) -> bool {
        self.text[from..self.end].starts_with(b"//")
    }

    /// Notes that the url-path begins at `from`.
    #[inline]
    pub(super) fn path_begins(&mut self, from: usize) {
        self.path = Some(from as u32);
    }

    /// Path and search as RFC 3986 cuts them, with every `xchar` allowed, behind the slash at
    /// `from - 1`: for the schemes of which RFC 1738 says no more.
    pub(super) fn path_and_search(&mut self, from: usize) -> Result<(), ParseError> {
        self.path_begins(from);
        let at = self.take(Component::Path, from, QUESTION, XCHAR, ParseErrorKind::Character)?;
        self.search(at, XCHAR)
    }

    /// The search behind the `?` at `at`, if there is one.
    #[inline]
    pub(super) fn search(&mut self, at: usize, allowed: Class) -> Result<(), ParseError> {
        if at < self.end {
            self.take(Component::Search, at + 1, 0, allowed, ParseErrorKind::Reserved)?;
        }
        Ok(())
    }

    /// What may follow a login: nothing; a `?`, which only RFC 3986 has there; or the slash, in
    /// which case the place behind it is given.
    #[inline]
    pub(super) fn after_login(&mut self, at: usize, tier: Tier) -> Result<Option<usize>, ParseError> {
        match self.octet(at) {
            None => Ok(None),
            Some(b'?') => {
                self.depart(tier, ParseErrorKind::Path, at);
                self.search(at, XCHAR)?;
                Ok(None)
            }
            Some(_) => {
                self.path_begins(at + 1);
                Ok(Some(at + 1))
            }
        }
    }
}
