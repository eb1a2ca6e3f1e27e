//! `httpurl = "http://" hostport [ "/" hpath [ "?" search ]]`, RFC 1738 section 3.3.

use crate::url::authority::Rules;
use crate::url::class::{HPATH, QUESTION, SEARCH};
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, Tier};

/// Section 3.3 allows no user name; archives have them.
const RULES: Rules = Rules { login: Tier::Unsafe, hostless: false, port: true };

pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let from = parser.slashes(from)?;
    let at = parser.authority(from, &RULES)?;
    match parser.octet(at) {
        None => Ok(()),
        Some(b'/') => {
            parser.path_begins(at + 1);
            let at = parser.take(Component::Path, at + 1, QUESTION, HPATH, ParseErrorKind::Reserved)?;
            parser.search(at, SEARCH)
        }
        Some(_) => {
            // `http://host?search`, the path left out with its slash, is common enough.
            parser.depart(Tier::Unsafe, ParseErrorKind::Path, at);
            parser.search(at, SEARCH)
        }
    }
}
