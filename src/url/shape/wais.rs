//! `waisurl = waisdatabase | waisindex | waisdoc`, RFC 1738 section 3.9.

use crate::url::authority::HOSTPORT;
use crate::url::class::{QUESTION, SEARCH, SLASH, UCHAR};
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, Tier};

/// `wais://hostport/database`, then nothing, `?search`, or `/wtype/wpath`. RFC 3986 also lets the
/// database or the wpath be missing, and a search follow a document.
pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let from = parser.slashes(from)?;
    let at = parser.authority(from, &HOSTPORT)?;
    let Some(path) = parser.after_login(at)? else {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Document, at);
        return Ok(());
    };
    let part = SLASH | QUESTION;
    let at = parser.take(Component::Database, path, part, UCHAR, ParseErrorKind::Document)?;
    if parser.octet(at) != Some(b'/') {
        return parser.search(at, SEARCH);
    }
    let at = parser.take(Component::Wtype, at + 1, part, UCHAR, ParseErrorKind::Document)?;
    if parser.octet(at) != Some(b'/') {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Document, at);
        return parser.search(at, SEARCH);
    }
    let at = parser.take(Component::Wpath, at + 1, QUESTION, UCHAR, ParseErrorKind::Document)?;
    if at < parser.end {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Document, at);
    }
    parser.search(at, SEARCH)
}
