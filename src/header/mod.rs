//! Reads header lines. This file classifies a line, and contains the table of known field names. `fields.rs` splits a
//! header block into fields.
//!
//! The module `container` classifies lines to find the start of a message. The module `mail` reads the fields of a
//! message. Both must read a line in the same way, so both use this module.

mod fields;

use std::sync::LazyLock;

pub use fields::header_fields;
pub(crate) use fields::{Field, Fields, around, begins_part, each_field, end_after, values, without_ending};

/// Names of the header fields that mail and news programs write, in lower case. An entry that ends with a hyphen, such
/// as `x-`, matches all longer names that begin with this entry.
const NAMES: &str = "
    also-control approved archive archived-at article-i.d. article-names article-updates authentication-results
    auto-submitted bcc cancel-lock cc comments content- control date date-received deferred-delivery delivered-to
    delivery-date disposition-notification-to distribution dkim- domainkey-signature envelope-to errors-to expires
    followup-to from importance in-reply-to injection-date injection-info keywords lines list- mail-followup-to
    mailing-list message-id mime-version newsgroups nntp- old-content-length organisation organization
    original-recipient originator path posted posted-date posting-version precedence priority received received-spf
    references relay-version reply-to resent- return-path return-receipt-to sender sensitivity status subject
    summary supersedes thread-index thread-topic to user-agent via x- xref
";

/// [`NAMES`] grouped by first letter, so that the lookup of a field name is fast. Speed matters, because the name of
/// the first field of every message is looked up.
static KNOWN: LazyLock<[Vec<&str>; 26]> = LazyLock::new(|| {
    let mut known = [const { Vec::new() }; 26];
    for name in NAMES.split_ascii_whitespace() {
        known[usize::from(name.as_bytes()[0] - b'a')].push(name);
    }
    known
});

/// For each byte, whether a field name can contain the byte (RFC 5322, section 3.6.8). The table is faster than
/// comparisons with ranges of characters. Speed matters, because the first lines of every message are classified.
const IS_NAME: [bool; 256] = {
    let mut is_name = [false; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        is_name[byte as usize] = byte != b':';
        byte += 1;
    }
    is_name
};

/// The kind of a line in a header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'t> {
    /// An empty line, which ends the header block.
    Blank,
    /// A line that starts with a blank or tab. Such a line continues the previous field.
    Folded,
    /// The first line of a field, with the field name and the offset of the colon in the line.
    Field { name: &'t [u8], colon: usize },
    /// A line that starts with `From ` or `>From `. An mbox has such a line before each message, and some mail relays
    /// add one.
    Envelope,
    /// A line that does not belong to a header, such as a line of the body.
    Other,
}

impl<'t> Line<'t> {
    /// Classifies the first line of `text`.
    pub(crate) fn of(text: &'t [u8]) -> Self {
        match text {
            [] | [b'\n', ..] | [b'\r', b'\n', ..] | [b'\r'] => return Line::Blank,
            [b' ' | b'\t', ..] => return Line::Folded,
            _ => {}
        }
        let length = text.iter().take_while(|byte| IS_NAME[usize::from(**byte)]).count();
        let (name, rest) = text.split_at(length);
        let blanks = blanks(rest);
        match &rest[blanks..] {
            // A line of the body such as `http://example.com` is not a field.
            [b':', b'/', b'/', ..] => Line::Other,
            [b':', ..] if length > 0 => Line::Field { name, colon: length + blanks },
            _ if text.starts_with(b"From ") || text.starts_with(b">From ") => Line::Envelope,
            _ => Line::Other,
        }
    }

    pub(crate) fn is_known_field(self) -> bool {
        matches!(self, Line::Field { name, .. } if is_known(name))
    }
}

/// Returns the number of blanks and tabs at the start of `text`. RFC 5322, section 4.5, allows blanks and tabs between
/// a field name and its colon.
fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns the offset of the colon in the first line of `text`, if the line is a field called `name`. The lookup is fast
/// if `name` has the usual capitals.
#[inline]
pub(crate) fn colon<const N: usize>(text: &[u8], name: &[u8; N]) -> Option<usize> {
    let (begin, rest) = text.split_first_chunk::<N>()?;
    let blanks = blanks(rest);
    let is = (begin == name || begin.eq_ignore_ascii_case(name))
        && rest.get(blanks) == Some(&b':')
        && !rest[blanks..].starts_with(b"://");
    is.then_some(name.len() + blanks)
}

fn is_known(name: &[u8]) -> bool {
    let letter = name.first().map_or(0, u8::to_ascii_lowercase).wrapping_sub(b'a');
    let is = |known: &&str| match name.split_at_checked(known.len()) {
        Some((begin, rest)) => rest.is_empty() != known.ends_with('-') && begin.eq_ignore_ascii_case(known.as_bytes()),
        None => false,
    };
    KNOWN.get(usize::from(letter)).is_some_and(|names| names.iter().any(is))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in
            ["subject", "SUBJECT", "Followup-To", "User-Agent", "Resent-From", "X-Y", "x--", "List-Unsubscribe-Post"]
        {
            assert!(is_known(name.as_bytes()), "{name}");
        }
        for name in
            ["", "-", "X", "X-", "Content-", "content", "Nothing", "Subject-", "Subject-x", "To-Do", &"a".repeat(100)]
        {
            assert!(!is_known(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn lines() {
        let field = |name: &'static str, colon| Line::Field { name: name.as_bytes(), colon };
        let table = [
            ("", Line::Blank),
            ("\n", Line::Blank),
            ("\r", Line::Blank),
            ("\r\nx", Line::Blank),
            ("\rx", Line::Other),
            (" ", Line::Folded),
            ("\t\n", Line::Folded),
            (" Subject: x", Line::Folded),
            ("Subject: x", field("Subject", 7)),
            ("Subject:", field("Subject", 7)),
            ("Subject : x\n", field("Subject", 8)),
            ("Subject\t :", field("Subject", 9)),
            ("Nothing:/x", field("Nothing", 7)),
            ("From: x", field("From", 4)),
            ("From  : x", field("From", 6)),
            ("From a: b", Line::Envelope),
            ("From ", Line::Envelope),
            ("From", Line::Other),
            (">From a@b", Line::Envelope),
            (">>From a@b", Line::Other),
            ("Subject matter: x", Line::Other),
            ("Subject", Line::Other),
            ("Subject\n: x", Line::Other),
            ("M\u{fc}: x", Line::Other),
            (": x", Line::Other),
            ("http://a.example/", Line::Other),
            ("X-Y : //z", field("X-Y", 4)),
            ("X-Y ://z", Line::Other),
        ];
        for (text, want) in table {
            assert_eq!(Line::of(text.as_bytes()), want, "{text:?}");
            let wants = |field: &str| match want {
                Line::Field { name, colon } if name.eq_ignore_ascii_case(field.as_bytes()) => Some(colon),
                _ => None,
            };
            let text = text.as_bytes();
            assert_eq!(colon(text, b"SUBJECT"), wants("subject"), "{text:?}");
            assert_eq!(colon(text, b"From"), wants("from"), "{text:?}");
            assert_eq!(colon(text, b"X-Y"), wants("x-y"), "{text:?}");
        }
    }
}
