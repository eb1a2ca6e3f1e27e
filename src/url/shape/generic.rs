//! `genericurl`, RFC 1738 section 5: what is known of the schemes without a production of their own.

use crate::url::ParseError;
use crate::url::authority::LOGIN;
use crate::url::class::XCHAR;
use crate::url::parser::Parser;

/// `ip-schemepart = "//" login [ "/" urlpath ]`, for the registered schemes that name a host. The
/// urlpath is cut into path and search by RFC 3986.
pub(super) fn internet(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let from = parser.slashes(from)?;
    let at = parser.authority(from, &LOGIN)?;
    match parser.after_login(at)? {
        Some(path) => parser.path_and_search(path),
        None => Ok(()),
    }
}

/// `schemepart = *xchar | ip-schemepart`, which is `*xchar`. What begins with `//` is cut as an
/// authority of RFC 3986, and its port must be one.
pub(super) fn generic(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    if !parser.has_slashes(from) {
        return parser.path_and_search(from);
    }
    let at = parser.loose_authority(from + 2)?;
    match parser.octet(at) {
        Some(b'/') => parser.path_and_search(at + 1),
        _ => parser.search(at, XCHAR),
    }
}
