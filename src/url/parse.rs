//! Parses the parts that every [`Grammar`](super::Grammar) shares: the scheme and the fragment.

use memchr::memchr;

use super::class::{HASH, SCHEME, XCHAR, class, classes};
use super::component::Component;
use super::parsed::Parsed;
use super::parser::Parser;
use super::scheme::{self, Scheme};
use super::{ParseError, ParseErrorKind, grammar};

/// Parses `text` and looks up its scheme.
pub(super) fn parse(text: &[u8], url: &mut Parsed) -> Result<(), ParseError> {
    let fail = |kind, offset| Err(ParseError::new(kind, offset));
    let Some(colon) = text.iter().position(|&byte| class(byte) & SCHEME == 0) else {
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
    known(text, url, colon, scheme::find(&text[..colon]))
}

/// Parses `text`, which must begin with the scheme of `row` and a colon.
pub(super) fn parse_known(text: &[u8], url: &mut Parsed, row: &'static Scheme) -> Result<(), ParseError> {
    let colon = row.name.len();
    debug_assert!(scheme::find(&text[..colon]) == Some(row) && text[colon] == b':', "{}", text.escape_ascii());
    known(text, url, colon, Some(row))
}

/// Parses `text` after its scheme, which ends at offset `colon`. `row` is the scheme's row in the table of known
/// schemes, or `None` for an unknown scheme.
#[inline(always)]
fn known(text: &[u8], url: &mut Parsed, colon: usize, row: Option<&'static Scheme>) -> Result<(), ParseError> {
    let fail = |kind, offset| Err(ParseError::new(kind, offset));
    if u32::try_from(text.len()).is_err() {
        return fail(ParseErrorKind::TooLong, u32::MAX as usize);
    }
    let from = colon + 1;
    let seen = classes(&text[from..]);
    // The functions in `grammar` do not see the fragment, because it is not part of the URL (RFC 1738, section 2.2).
    let end = match seen & HASH {
        0 => text.len(),
        _ => memchr(b'#', &text[from..]).map_or(text.len(), |length| from + length),
    };
    if end == from {
        return fail(ParseErrorKind::Empty, from);
    }
    (url.row, url.seen, url.scheme_end, url.fragment) = (row, seen, colon as u32, end as u32);
    let mut parser = Parser { text, end, url };
    grammar::parse(&mut parser, from)?;
    if end < text.len() {
        // draft-www-uri-00 allows only `xalphas` in a fragment. This parser allows every `xchar` of RFC 1738.
        parser.end = text.len();
        parser.check(Component::Fragment, end + 1, text.len(), XCHAR, ParseErrorKind::Character)?;
    }
    Ok(())
}
