//! `telneturl = "telnet://" login [ "/" ]`, RFC 1738 section 3.8.

use crate::url::authority::LOGIN;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, Tier};

pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let from = parser.slashes(from)?;
    let at = parser.authority(from, &LOGIN)?;
    match parser.after_login(at)? {
        // A session has no path; the final slash says nothing.
        Some(path) if path < parser.end => {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Path, path);
            parser.path_and_search(path)
        }
        _ => Ok(()),
    }
}
