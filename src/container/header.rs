//! Recognizes the beginning of a message.

use memchr::{memchr, memchr_iter};

use super::Unknown;
use crate::header::Line;

/// The byte order mark, which some programs write at the beginning of a file.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The most white space before the first line of a mailbox or a message, in bytes. It is enough for anything that
/// editors leave, and little to wait for.
const LEAD_MAX: usize = 1024;

/// Returns how many bytes are before the first line of a mailbox or a message that begins with `text`: the byte order
/// mark, blank lines, indentation.
///
/// Unknown while `text` has nothing else and is not `all` there is.
pub(super) fn lead(text: &[u8], all: bool) -> Result<usize, Unknown> {
    let mark = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let most = text.len().min(mark + LEAD_MAX);
    let blanks = text[mark..most].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let cut_off = text.len() < BOM.len() || mark + blanks == text.len() && most == text.len();
    if cut_off && !all && blanks < LEAD_MAX { Err(Unknown) } else { Ok(mark + blanks) }
}

/// The beginning of a line that a relay put before a header.
const RELAYED: &[u8] = b">From ";

/// How much of a line is enough to see whether it begins a message. No known name is longer, with its blanks and colon.
const LINE_MAX: usize = 76;

/// Whether `text` begins with a known header field, or with a `>From ` line, which relays put before one.
///
/// Unknown while `text` has neither a whole line nor [`LINE_MAX`] bytes, and is not `all` there is.
pub(super) fn begins(text: &[u8], all: bool) -> Result<bool, Unknown> {
    let line = &text[..text.len().min(LINE_MAX)];
    if !all && line.len() < LINE_MAX && memchr(b'\n', line).is_none() {
        return Err(Unknown);
    }
    Ok(line.starts_with(RELAYED) || Line::of(line).is_known_field())
}

/// Whether a file that begins with `head` is one message.
///
/// Blank lines aside, its first line must be a header field. One of its first three lines must be a field of a known
/// name. The second line must be another field, a continuation, blank, or absent. So a note (`Diagnostic: see …`) or a
/// log is not taken for a message.
pub(super) fn is_message(head: &[u8]) -> bool {
    let mut lines = lines(after_lead(head)).skip_while(|line| line.starts_with(RELAYED)).map(Line::of);
    let Some(first @ Line::Field { .. }) = lines.next() else { return false };
    match lines.next().unwrap_or(Line::Blank) {
        Line::Blank => first.is_known_field(),
        second @ (Line::Field { .. } | Line::Folded) => {
            [Some(first), Some(second), lines.next()].into_iter().flatten().any(Line::is_known_field)
        }
        Line::Envelope | Line::Other => false,
    }
}

/// Whether a file that begins with `head` is one news article: a message with a `Newsgroups` field.
pub(super) fn is_article(head: &[u8]) -> bool {
    let is_newsgroups =
        |line: Line<'_>| matches!(line, Line::Field { name, .. } if name.eq_ignore_ascii_case(b"newsgroups"));
    // The cheap check is first. If it fails, the next format runs `is_message` anyway.
    lines(after_lead(head)).map(Line::of).take_while(|line| *line != Line::Blank).take(100).any(is_newsgroups)
        && is_message(head)
}

/// Returns the file's beginning `head` without its [`lead`].
pub(super) fn after_lead(head: &[u8]) -> &[u8] {
    &head[lead(head, true).unwrap_or_default()..]
}

/// Iterates over lines with their ends. With `split_inclusive`, small messages take 4 % more instructions.
fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (line, rest) = text.split_at(memchr(b'\n', text).map_or(text.len(), |end| end + 1));
        text = rest;
        (!line.is_empty()).then_some(line)
    })
}

/// Returns the first index from `from` up to `to`, both included, that follows a blank line.
pub(super) fn after_blank_line(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let first = from.saturating_sub(1);
    memchr_iter(b'\n', text.get(first..to)?).map(|i| first + i).find(|&end| ends_blank(text, end)).map(|end| end + 1)
}

/// Whether the line break at `end` ends a blank line that follows another line.
pub(super) fn ends_blank(text: &[u8], end: usize) -> bool {
    matches!(text[..end], [.., b'\n'] | [.., b'\n', b'\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_block_begins_with_a_field() {
        let table: &[(&[u8], bool)] = &[
            (b"Subject: x", true),
            (b"SUBJECT:", true),
            (b"X-Google-Language: ENGLISH", true),
            (b">From a b", true),
            (b"", false),
            (b">Fro", false),
            (b"Subj", false),
            (b"Subject", false),
            (b"Subject : x", true),
            (b"Subject\t :", true),
            (b"Subject  ", false),
            (b"Subject://", false),
            (b"X-", false),
            (b"X-:", false),
            (b"Subject matter", false),
            (b"Nothing: x", false),
            (b" Subject: x", false),
            (b": x", false),
        ];
        for (line, want) in table {
            let shown = line.escape_ascii();
            assert_eq!(begins(line, true), Ok(*want), "{shown}");
            assert_eq!(begins(line, false), Err(Unknown), "{shown}");
            assert_eq!(begins(&[line, &b"\nSubject: x"[..]].concat(), false), Ok(*want), "{shown}");
            assert_eq!(begins(&[b"\n", *line].concat(), false), Ok(false), "{shown}");
        }
        let long = |line: &str| begins(format!("{line}{}", "a".repeat(LINE_MAX)).as_bytes(), false);
        assert_eq!([long("Subject: "), long(">From "), long("")], [Ok(true), Ok(true), Ok(false)]);
    }
}
