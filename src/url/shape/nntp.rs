//! `nntpurl = "nntp://" hostport "/" group [ "/" digits ]`, RFC 1738 section 3.7.

use crate::url::authority::HOSTPORT;
use crate::url::class::{DIGIT, SLASH};
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, Tier};

pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    if !parser.has_slashes(from) {
        // `nntp:group/digits` is the form of draft-ietf-uri-url-03.
        parser.depart(Tier::Rfc3986, ParseErrorKind::MissingSlashes, from);
        return group_and_article(parser, from);
    }
    let at = parser.authority(from + 2, &HOSTPORT)?;
    match parser.after_login(at)? {
        Some(path) if path < parser.end => group_and_article(parser, path),
        _ => {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Newsgroup, parser.end);
            Ok(())
        }
    }
}

fn group_and_article(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let slash = parser.find(from, SLASH);
    super::news::group(parser, from, slash)?;
    if slash < parser.end {
        let end = parser.take(Component::Article, slash + 1, 0, DIGIT, ParseErrorKind::Article)?;
        if slash + 1 == end {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Article, end);
        }
    }
    Ok(())
}
