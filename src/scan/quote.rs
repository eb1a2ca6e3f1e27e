//! Lines, and the quote prefixes that mail programs add to them (rule 1.4).

use alloc::vec::Vec;
use core::ops::Range;

/// How far back the start of a line is searched, in bytes. Longer lines are not wrapped text, and the limit keeps a
/// text without line breaks linear.
const MAX_LINE: usize = 1024;

/// A line's quote prefix: `> `, `>>`, `| `, `Joe> ` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// The bytes from the line's start to the text, including the prefix and one blank.
    pub(super) len: usize,
    /// How many marks it has.
    pub(super) depth: usize,
}

/// Returns the quote prefix of `line`: marks of `> | : } % #` with blanks between them. Up to four initials can be
/// before a `>`. After any other mark there must be a blank or the end of the line.
///
/// Costs the prefix's length and five bytes.
pub(super) fn prefix(line: &[u8]) -> Prefix {
    prefix_of(line, usize::MAX)
}

/// Like [`prefix`], but reads at most `marks` marks.
pub(super) fn prefix_of(line: &[u8], marks: usize) -> Prefix {
    let mut found = Prefix { len: 0, depth: 0 };
    let mut at = 0;
    while found.depth < marks {
        let blanks = if found.depth == 0 { 3 } else { 2 };
        let mut mark = at;
        while mark < line.len() && mark - at < blanks && line[mark] == b' ' {
            mark += 1;
        }
        let initials = line[mark..].iter().take(5).take_while(|b| b.is_ascii_alphabetic()).count();
        match line.get(mark + initials) {
            // An mbox writes `>From ` for `From ` at the start of a line. It is not a quotation.
            Some(b'>') if initials == 0 && line[mark..].starts_with(b">From ") => return found,
            Some(b'>') if initials <= 4 => mark += initials + 1,
            Some(b'|' | b':' | b'}' | b'%' | b'#')
                if initials == 0 && line.get(mark + 1).is_none_or(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) =>
            {
                mark += 1;
            }
            _ => return found,
        }
        at = mark;
        found.depth += 1;
        found.len = at + usize::from(line.get(at) == Some(&b' '));
    }
    found
}

/// Whether the prefixes of the lines `a` and `b` have the same marks, blanks aside.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    fn marks(prefix: &[u8]) -> impl Iterator<Item = &u8> {
        prefix.iter().filter(|b| **b != b' ')
    }
    a == b || marks(a).eq(marks(b))
}

/// Whether the prefix `less` has fewer marks than `more`, and `more` begins with them.
pub(super) fn is_less(less: &[u8], more: &[u8]) -> bool {
    let marks = |prefix: &[u8]| prefix.iter().copied().filter(|b| *b != b' ').collect::<Vec<_>>();
    let (less, more) = (marks(less), marks(more));
    less.len() < more.len() && more.starts_with(&less)
}

/// Returns where the line with `at` begins; `None` if that is more than [`MAX_LINE`] bytes back.
pub(super) fn line_start(text: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_LINE);
    match memchr::memrchr(b'\n', &text[from..at]) {
        Some(i) => Some(from + i + 1),
        None => (from == 0).then_some(0),
    }
}

/// Returns where the line with `at` ends: the offset of its line feed, or the text's end; at most `limit` bytes on.
pub(super) fn line_end(text: &[u8], at: usize, limit: usize) -> usize {
    let to = text.len().min(at.saturating_add(limit));
    memchr::memchr(b'\n', &text[at..to]).map_or(to, |i| at + i)
}

/// The length at which encoders break lines of quoted-printable, including the `=` (RFC 2045, section 6.7, rule 5).
const ENCODED_LINE: usize = 76;

/// Encoders that keep an escape or a character together break lines at this length or later.
const SHORT_ENCODED_LINE: usize = ENCODED_LINE - 3;

/// How many bytes on either side are searched for evidence of quoted-printable (rule 1.8).
const NEAR: usize = 2 << 10;

/// Whether the `=` before `end` is an undeclared soft break of quoted-printable, not part of the URL that starts at
/// `start`. All of these must be true:
///
/// - Its line, from `line` on, is exactly as long as encoders make it.
/// - The URL has no query in which a value could be missing.
/// - Mailman wrote the line, or something else near it is quoted-printable.
pub(super) fn is_soft_break(text: &[u8], start: usize, line: usize, end: usize) -> bool {
    let has_escape = || memchr::memmem::find(&text[line..end], b"=3D").is_some();
    let is_full = match end - line {
        ENCODED_LINE => true,
        SHORT_ENCODED_LINE..ENCODED_LINE => has_escape(),
        _ => false,
    };
    is_full
        && text[end - 1] == b'='
        && matches!(text[end..], [b'\n', ..] | [b'\r', b'\n', ..])
        && memchr::memchr(b'?', &text[start..end]).is_none()
        && (is_scrubbed(text, start)
            || is_encoded(text, start.saturating_sub(NEAR)..start)
            || is_encoded(text, end..text.len().min(end + NEAR)))
}

/// Whether the URL that starts at `start` is the address of an attachment that Mailman removed from the message: `URL:
/// http://...`.
fn is_scrubbed(text: &[u8], start: usize) -> bool {
    let before = text[..start].strip_suffix(b"<").unwrap_or(&text[..start]);
    let before = before.strip_suffix(b"URL: ").or_else(|| before.strip_suffix(b"Url : "));
    before.is_some_and(|before| matches!(before.last(), None | Some(b'\n' | b' ')))
}

/// Whether `range` of `text` has signs of quoted-printable: a soft break of a full line, `=3D`, or another escape at
/// the end of a line.
fn is_encoded(text: &[u8], range: Range<usize>) -> bool {
    memchr::memchr_iter(b'=', &text[range.clone()]).map(|i| range.start + i).any(|at| match text[at + 1..range.end] {
        [b'3', b'D', ..] => true,
        [b'\n', ..] | [b'\r', b'\n', ..] => {
            line_start(text, at).is_some_and(|line| line >= range.start && at + 1 - line == ENCODED_LINE)
        }
        [a, b, b'\n' | b'\r', ..] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit(),
        _ => false,
    })
}

/// Whether `b` is a blank inside a line: space, tab, or the CR of a line end.
pub(super) fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::{Prefix, prefix, same};

    #[test]
    fn prefixes() {
        let table: &[(&[u8], usize, usize)] = &[
            (b"text", 0, 0),
            (b"> text", 2, 1),
            (b">text", 1, 1),
            (b">> text", 3, 2),
            (b"> > text", 4, 2),
            (b">  > text", 5, 2),
            (b">", 1, 1),
            (b"JD> text", 4, 1),
            (b"> JD> text", 6, 2),
            (b"Joanna> text", 0, 0),
            (b"| text", 2, 1),
            (b"|text", 0, 0),
            (b": text", 2, 1),
            (b"# text", 2, 1),
            (b"http://a.example/", 0, 0),
            (b"To: text", 0, 0),
            (b"   indented", 0, 0),
            (b" > text", 3, 1),
            (b"    > text", 0, 0),
            (b">From here", 0, 0),
            (b">>From here", 1, 1),
            (b"> From here", 2, 1),
        ];
        for &(line, len, depth) in table {
            assert_eq!(prefix(line), Prefix { len, depth }, "{:?}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn blanks_in_a_prefix_do_not_matter() {
        assert!(same(b"> > ", b">> "));
        assert!(!same(b"> ", b">> "));
        assert!(!same(b"> ", b"| "));
    }
}
