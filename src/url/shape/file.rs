//! `fileurl = "file://" [ host | "localhost" ] "/" fpath`, RFC 1738 section 3.10.

use crate::url::authority::Rules;
use crate::url::class::FPATH;
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, Tier};

const RULES: Rules = Rules { login: Tier::Rfc3986, hostless: true, port: false };

pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let path = if parser.octet(from) == Some(b'/') && !parser.has_slashes(from) {
        // `file:/path` is the minimal form of RFC 8089 appendix B.
        parser.depart(Tier::Rfc3986, ParseErrorKind::MissingSlashes, from);
        parser.path_begins(from + 1);
        from + 1
    } else {
        let from = parser.slashes(from)?;
        let at = parser.authority(from, &RULES)?;
        match parser.after_login(at)? {
            Some(path) => path,
            None => {
                parser.depart(Tier::Rfc3986, ParseErrorKind::Path, at);
                return Ok(());
            }
        }
    };
    // A `?` is one of `fsegment`: a file has no search.
    parser.take(Component::Path, path, 0, FPATH, ParseErrorKind::Reserved)?;
    Ok(())
}
