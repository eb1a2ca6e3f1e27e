//! `newsurl = "news:" ( "*" | group | article )`, RFC 1738 section 3.6.

use memchr::memrchr;

use crate::url::authority::LOGIN;
use crate::url::class::{ALPHA, ARTICLE, GROUP, XCHAR, class};
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, Tier, host};

pub(super) fn parse(parser: &mut Parser<'_, '_>, mut from: usize) -> Result<(), ParseError> {
    if parser.has_slashes(from) {
        // RFC 5538 section 3 puts a server in front; RFC 1738 has none ("location-independent"). Its
        // `article` would take `//host/a@b` as one message-id; nobody who writes that means it.
        parser.depart(Tier::Rfc3986, ParseErrorKind::Newsgroup, from);
        let at = parser.authority(from + 2, &LOGIN)?;
        match parser.after_login(at)? {
            Some(path) if path < parser.end => from = path,
            _ => return Ok(()),
        }
    }
    match (&parser.text[from..parser.end], memrchr(b'@', &parser.text[from..parser.end])) {
        (b"*", _) => {
            parser.push(Component::Newsgroup, from, parser.end);
            Ok(())
        }
        (_, Some(length)) => article(parser, from, from + length),
        (_, None) => group(parser, from, parser.end),
    }
}

/// `group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]`. RFC 5538 has wildcards and escapes too.
pub(super) fn group(parser: &mut Parser<'_, '_>, from: usize, end: usize) -> Result<(), ParseError> {
    if from == end || class(parser.text[from]) != ALPHA {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Newsgroup, from);
    }
    parser.check(Component::Newsgroup, from, end, GROUP, ParseErrorKind::Newsgroup)?;
    parser.push(Component::Newsgroup, from, end);
    Ok(())
}

/// `article = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host`, the `@` at `at`.
fn article(parser: &mut Parser<'_, '_>, from: usize, at: usize) -> Result<(), ParseError> {
    let end = parser.end;
    if from == at {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Address, from);
    }
    parser.check(Component::MessageId, from, at, ARTICLE, ParseErrorKind::Address)?;
    match host::judge(&parser.text[at + 1..end]) {
        Ok(None) => {}
        Ok(Some((tier, _, offset))) => parser.depart(tier, ParseErrorKind::Address, at + 1 + offset),
        // No host at all, as in many message-ids. It names nothing to connect to, so that any
        // character of a path will do.
        Err((_, offset)) => {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Address, at + 1 + offset);
            parser.check(Component::MessageId, at + 1, end, XCHAR, ParseErrorKind::Address)?;
        }
    }
    parser.push(Component::MessageId, from, end);
    Ok(())
}
