//! `gopherurl = "gopher://" hostport [ / [ gtype [ selector [ "%09" search [ "%09" gopher+_string ] ] ] ] ]`,
//! RFC 1738 section 3.4.

use memchr::memmem;

use crate::url::authority::HOSTPORT;
use crate::url::class::XCHAR;
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind, iri, percent};

pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let from = parser.slashes(from)?;
    let at = parser.authority(from, &HOSTPORT)?;
    let Some(path) = parser.after_login(at)? else { return Ok(()) };
    // Within the gopher-path no characters are reserved (3.4.1): the selector takes every xchar.
    let end = parser.end;
    parser.check(Component::Selector, path, end, XCHAR, ParseErrorKind::Character)?;
    if path == end {
        return Ok(());
    }
    let text = &parser.text[..end];
    let selector = path + first_character(&text[path..]);
    let tab = |from: usize| memmem::find(&text[from..], b"%09").map(|length| from + length);
    let first = tab(selector);
    let second = first.and_then(|first| tab(first + 3));
    parser.push(Component::GopherType, path, selector);
    parser.push(Component::Selector, selector, first.unwrap_or(end));
    if let Some(first) = first {
        parser.push(Component::GopherSearch, first + 3, second.unwrap_or(end));
    }
    if let Some(second) = second {
        parser.push(Component::GopherPlus, second + 3, end);
    }
    Ok(())
}

/// The length of the first character: `gtype` is an xchar, so it may be an escape.
fn first_character(text: &[u8]) -> usize {
    if percent::escape(text).is_some() { 3 } else { iri::ucschar(text, false).unwrap_or(1) }
}
