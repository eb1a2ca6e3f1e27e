//! `midaddress = "mid:" addr-spec`, `cidaddress = "cid:" content-identifier`, draft-www-uri-00.

use memchr::memchr;

use crate::url::class::XCHAR;
use crate::url::component::Component;
use crate::url::parser::Parser;
use crate::url::{ParseError, ParseErrorKind};

/// RFC 1738 names both schemes (section 4) without a production, so that every xchar will do, and
/// so will a content-id without `@`, as mail readers write them. A slash behind the `@` begins the
/// content-id within the message, RFC 2392 section 2; it is the path.
pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let end = parser.end;
    parser.check(Component::MessageId, from, end, XCHAR, ParseErrorKind::Character)?;
    let text = &parser.text[..end];
    let slash = memchr(b'@', &text[from..]).and_then(|length| {
        let at = from + length;
        memchr(b'/', &text[at..]).map(|length| at + length)
    });
    parser.push(Component::MessageId, from, slash.unwrap_or(end));
    if let Some(slash) = slash {
        parser.push(Component::Path, slash + 1, end);
    }
    Ok(())
}
