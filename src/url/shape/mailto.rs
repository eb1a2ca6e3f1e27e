//! `mailtourl = "mailto:" 1*xchar`, RFC 1738 section 3.5.

use crate::url::class::{QUESTION, XCHAR};
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind};

/// The address is not judged by RFC 822: the grammar takes every xchar. What follows a `?`, which
/// is one, are the headers of RFC 6068; the address before it may be empty.
pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let at = parser.take(Component::AddrSpec, from, QUESTION, XCHAR, ParseErrorKind::Character)?;
    parser.search(at, XCHAR)
}
