//! `ftpurl = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]`, RFC 1738 section 3.2.

use memchr::{memchr, memrchr};

use crate::url::authority::LOGIN;
use crate::url::class::{FPATH, SEMICOLON, UCHAR};
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, Tier};

const TYPE: &[u8] = b"type=";

pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let from = parser.slashes(from)?;
    let at = parser.authority(from, &LOGIN)?;
    let Some(path) = parser.after_login(at)? else { return Ok(()) };
    // A `?` is one of `fsegment`: ftp has no search.
    let end = parser.end;
    let typed = if parser.url.seen & SEMICOLON == 0 { None } else { typecode(parser.text, path, end) };
    let name_end = typed.unwrap_or(end);
    parser.check(Component::Name, path, name_end, FPATH, ParseErrorKind::Reserved)?;
    match memrchr(b'/', &parser.text[path..name_end]) {
        Some(length) => {
            let slash = path + length;
            parser.push(Component::Cwd, path, slash);
            parser.push(Component::Name, slash + 1, name_end);
        }
        None => parser.push(Component::Name, path, name_end),
    }
    if let Some(semicolon) = typed {
        let value = semicolon + 1 + TYPE.len();
        // Other codes are the older draft's (`A N`, `E`, `L 8`), or nobody's.
        let known = matches!(&parser.text[value..end], [b'a' | b'i' | b'd' | b'A' | b'I' | b'D']);
        if !known || !parser.text[semicolon + 1..].starts_with(TYPE) {
            parser.depart(Tier::Rfc3986, ParseErrorKind::TypeCode, semicolon);
        }
        parser.check(Component::TypeCode, value, end, UCHAR, ParseErrorKind::TypeCode)?;
        parser.push(Component::TypeCode, value, end);
    }
    Ok(())
}

/// The place of the semicolon of `;type=`, in any mix of case, if that ends the path.
fn typecode(text: &[u8], path: usize, end: usize) -> Option<usize> {
    let semicolon = path + memrchr(b';', &text[path..end])?;
    let value = semicolon + 1 + TYPE.len();
    let marked = value <= end && text[semicolon + 1..value].eq_ignore_ascii_case(TYPE);
    (marked && memchr(b'/', &text[value..end]).is_none()).then_some(semicolon)
}
