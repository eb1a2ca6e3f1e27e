//! `prosperourl = "prospero://" hostport "/" ppath *[ fieldspec ]`, RFC 1738 section 3.11.

use memchr::memmem;

use crate::url::authority::HOSTPORT;
use crate::url::class::{FIELD, FPATH, SEMICOLON};
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, Tier};

/// What the drafts put between object name and version, in place of a field.
const VERSION: &[u8] = b"%00";

pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let from = parser.slashes(from)?;
    let at = parser.authority(from, &HOSTPORT)?;
    let Some(path) = parser.after_login(at)? else {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Path, at);
        return Ok(());
    };
    let end = parser.find(path, SEMICOLON);
    parser.check(Component::Hsoname, path, end, FPATH, ParseErrorKind::Reserved)?;
    match memmem::find(&parser.text[path..end], VERSION) {
        Some(length) => {
            parser.push(Component::Hsoname, path, path + length);
            parser.push(Component::Version, path + length + VERSION.len(), end);
        }
        None => parser.push(Component::Hsoname, path, end),
    }
    if end < parser.end {
        parser.push(Component::FieldName, end + 1, parser.end);
        fields(parser, end)?;
    }
    Ok(())
}

/// `*[ ";" fieldname "=" fieldvalue ]`, the first semicolon at `at`. A field without `=` is a name
/// without a value.
fn fields(parser: &mut Parser<'_, '_>, mut at: usize) -> Result<(), ParseError> {
    while at < parser.end {
        let field_end = parser.find(at + 1, SEMICOLON);
        let equals = parser.text[at + 1..field_end].iter().position(|&octet| octet == b'=');
        let name_end = equals.map_or(field_end, |length| at + 1 + length);
        parser.check(Component::FieldName, at + 1, name_end, FIELD, ParseErrorKind::Field)?;
        if equals.is_some() {
            parser.check(Component::FieldValue, name_end + 1, field_end, FIELD, ParseErrorKind::Field)?;
        } else {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Field, field_end);
        }
        at = field_end;
    }
    Ok(())
}
