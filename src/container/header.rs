//! Recognizes the beginning of a message.

use memchr::{memchr, memchr_iter};

use super::Unknown;
use crate::header::{Line, begins_part};

/// The byte order mark. Some programs write this mark at the beginning of a file.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Maximum number of white space bytes that are skipped before the first line of a mailbox or a message. Real files
/// begin with less white space. With a larger limit, urlspool would detect the format later if a slow input begins with
/// blanks.
const LEAD_MAX: usize = 1024;

/// Returns the number of bytes to skip at the beginning of `text`: a byte order mark, blank lines, and the indentation
/// of the first line that is not blank. `text` is the beginning of a mailbox or a message.
///
/// `all` says whether `text` is complete. If `text` consists only of bytes to skip and is not complete, returns
/// [`Unknown`].
pub(super) fn lead(text: &[u8], all: bool) -> Result<usize, Unknown> {
    let mark = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let most = text.len().min(mark + LEAD_MAX);
    let blanks = text[mark..most].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let cut_off = text.len() < BOM.len() || mark + blanks == text.len() && most == text.len();
    if cut_off && !all && blanks < LEAD_MAX { Err(Unknown) } else { Ok(mark + blanks) }
}

/// The beginning of an envelope line that a mail relay put before the headers.
const RELAYED: &[u8] = b">From ";

/// Number of bytes at the beginning of a line that are enough to recognize a known header field. Every known name is
/// shorter, even with the blanks and the colon after the name.
const LINE_MAX: usize = 76;

/// Whether `text` begins with a known header field, or with a `>From ` line, which mail relays put before the headers.
///
/// `all` says whether `text` is complete. If `text` is not complete, has no line break, and has fewer than [`LINE_MAX`]
/// bytes, returns [`Unknown`].
pub(super) fn begins(text: &[u8], all: bool) -> Result<bool, Unknown> {
    let line = &text[..text.len().min(LINE_MAX)];
    if !all && line.len() < LINE_MAX && memchr(b'\n', line).is_none() {
        return Err(Unknown);
    }
    Ok(line.starts_with(RELAYED) || Line::of(line).is_known_field())
}

/// Whether a file that begins with `head` is one message.
///
/// The first line that is not blank must be a header field. The next line must be another field, a continuation line,
/// blank, or absent. At least one of the first three lines must be a field with a known name. Because of these rules,
/// notes (`Diagnostic: see …`) and logs are not mistaken for messages.
pub(super) fn is_message(head: &[u8]) -> bool {
    let head = after_lead(head);
    if begins_parts(head) {
        return true;
    }
    let mut lines = lines(head).skip_while(|line| line.starts_with(RELAYED)).map(Line::of);
    let Some(first @ Line::Field { .. }) = lines.next() else { return false };
    match lines.next().unwrap_or(Line::Blank) {
        Line::Blank => first.is_known_field(),
        second @ (Line::Field { .. } | Line::Folded) => {
            [Some(first), Some(second), lines.next()].into_iter().flatten().any(Line::is_known_field)
        }
        Line::Envelope | Line::Other => false,
    }
}

/// Whether `head` begins with a boundary line and a part, as in a saved body of a message.
fn begins_parts(head: &[u8]) -> bool {
    head.starts_with(b"--") && lines(head).nth(1).is_some_and(begins_part)
}

/// Whether a file that begins with `head` is one news article. An article is a message with a `Newsgroups` field.
pub(super) fn is_article(head: &[u8]) -> bool {
    let is_newsgroups =
        |line: Line<'_>| matches!(line, Line::Field { name, .. } if name.eq_ignore_ascii_case(b"newsgroups"));
    lines(after_lead(head)).map(Line::of).take_while(|line| *line != Line::Blank).take(MOST_LINES).any(is_newsgroups)
        && is_message(head)
}

/// Whether [`is_message`] and [`is_article`] return the same for `head` and for the whole file. `head` consists of
/// whole lines. `head` can begin with the line that has the byte count of an `.emlx` file.
pub(super) fn is_settled(head: &[u8]) -> bool {
    let mut lines = lines(head);
    let Some(first) = lines.next() else { return false };
    match Line::of(first) {
        // A line that begins with a digit may be the byte count of an `.emlx` file, and then a message can follow.
        // A part can follow a line that begins with `--`.
        Line::Other => !first[0].is_ascii_digit() && (!first.starts_with(b"--") || lines.next().is_some()),
        Line::Field { .. } => {
            let mut more = 0;
            let has_ended = lines.take(MOST_LINES).inspect(|_| more += 1).map(Line::of).any(|line| line == Line::Blank);
            // If `head` ends inside the header, a `Newsgroups` field can still follow. Such a field makes the message
            // an article.
            has_ended || more == MOST_LINES || more >= 2 && !is_message(head)
        }
        Line::Blank | Line::Folded | Line::Envelope => false,
    }
}

/// Number of lines in which [`is_article`] searches for a `Newsgroups` field.
const MOST_LINES: usize = 100;

/// Returns `head` without its [`lead`].
pub(super) fn after_lead(head: &[u8]) -> &[u8] {
    &head[lead(head, true).unwrap_or_default()..]
}

/// Iterates over lines, including their line ends. For small messages, `split_inclusive` of the standard library costs
/// 4 % more instructions than this function.
fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (line, rest) = text.split_at(memchr(b'\n', text).map_or(text.len(), |end| end + 1));
        text = rest;
        (!line.is_empty()).then_some(line)
    })
}

/// Returns the first index from `from` to `to` (inclusive) that directly follows a blank line.
pub(super) fn after_blank_line(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let first = from.saturating_sub(1);
    memchr_iter(b'\n', text.get(first..to)?).map(|i| first + i).find(|&end| ends_blank(text, end)).map(|end| end + 1)
}

/// Whether the line break at `end` ends a blank line. A blank line at the beginning of `text` does not count.
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

    #[test]
    fn a_boundary_line_and_a_part_begin_a_message() {
        for (head, is_one, is_known) in [
            ("--a\nContent-Type: text/html\n", true, true),
            ("-- \nContents: x\n", false, true),
            ("--a\n", false, false),
        ] {
            assert_eq!(is_message(head.as_bytes()), is_one, "{head}");
            assert_eq!(is_settled(head.as_bytes()), is_known, "{head}");
        }
    }

    #[test]
    fn blanks_before_the_first_line_are_skipped() {
        // The text, the number of bytes to skip, and whether this number is known before the text is complete.
        let table: &[(&[u8], usize, bool)] = &[
            (b"", 0, false),
            (b"\xEF\xBB", 0, false),
            (b"\xEF\xBB\xBF", 3, false),
            (b"\xEF\xBB\xBF\n", 4, false),
            (b"\xEF\xBB\xBF\nFrom", 4, true),
            (b"From", 0, true),
            (b"Fro", 0, true),
            (b"\n \tFrom", 3, true),
            (b"\n\n\n\n", 4, false),
            (&[b' '; LEAD_MAX - 1], LEAD_MAX - 1, false),
            (&[b' '; LEAD_MAX], LEAD_MAX, true),
            (&[b' '; LEAD_MAX + 1], LEAD_MAX, true),
        ];
        for (text, want, is_known) in table {
            let shown = text.escape_ascii();
            assert_eq!(lead(text, true), Ok(*want), "{shown}");
            assert_eq!(lead(text, false), if *is_known { Ok(*want) } else { Err(Unknown) }, "{shown}");
        }
    }
}
