//! Lines and the quote prefixes that mail programs put before them (rule 1.4).

use alloc::vec::Vec;
use core::ops::Range;

/// How far back the start of a line is looked for. Longer lines are not wrapped
/// text; the bound keeps a text without line breaks linear.
const MAX_LINE: usize = 1024;

/// A line's quote prefix: `> `, `>>`, `| `, `Joe> ` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// Bytes from the line's start to the text behind the prefix and one blank.
    pub(super) len: usize,
    /// How many marks it has.
    pub(super) depth: usize,
}

/// The quote prefix of `line`: marks of `> | : } % #`, `>` perhaps after up to four initials, all but `>`
/// only if a blank or the line's end follows, blanks between them.
///
/// Cost: the prefix's length and five bytes.
pub(super) fn prefix(line: &[u8]) -> Prefix {
    prefix_of(line, usize::MAX)
}

/// Like [`prefix`], but of no more than `marks` marks.
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
            // `>From ` is how an mbox writes `From ` at a line's start, and no quotation.
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

/// Whether the prefixes `a` and `b`, of lines that begin with them, have the same marks, blanks aside.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    fn marks(prefix: &[u8]) -> impl Iterator<Item = &u8> {
        prefix.iter().filter(|b| **b != b' ')
    }
    a == b || marks(a).eq(marks(b))
}

/// Whether the prefix `less` has fewer marks than `more`, and those that `more` begins with.
pub(super) fn is_less(less: &[u8], more: &[u8]) -> bool {
    let marks = |prefix: &[u8]| prefix.iter().copied().filter(|b| *b != b' ').collect::<Vec<_>>();
    let (less, more) = (marks(less), marks(more));
    less.len() < more.len() && more.starts_with(&less)
}

/// Where the line that holds `at` begins; `None` if that is more than [`MAX_LINE`] bytes back.
pub(super) fn line_start(text: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_LINE);
    match memchr::memrchr(b'\n', &text[from..at]) {
        Some(i) => Some(from + i + 1),
        None => (from == 0).then_some(0),
    }
}

/// Where the line that holds `at` ends: the offset of its line feed, or the text's end;
/// no further on than `limit` bytes.
pub(super) fn line_end(text: &[u8], at: usize, limit: usize) -> usize {
    let to = text.len().min(at.saturating_add(limit));
    memchr::memchr(b'\n', &text[at..to]).map_or(to, |i| at + i)
}

/// Encoders break lines of quoted-printable at this length, the `=` included (RFC 2045, section 6.7, rule 5).
const ENCODED_LINE: usize = 76;

/// Encoders that keep an escape or a character together break their lines up to so many bytes earlier.
const SHORT_ENCODED_LINE: usize = ENCODED_LINE - 3;

/// How far evidence of quoted-printable is looked for on either side (rule 1.8).
const NEAR: usize = 2 << 10;

/// Whether the `=` before `end` is a soft break of quoted-printable that no header declares, and not the URL's, which starts at
/// `start`: its line, from `line` on, is exactly as long as encoders make it, the URL has no query that could wait for a value,
/// and Mailman wrote the line or something else near it is quoted-printable.
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

/// Whether the URL that starts at `start` is the address of an attachment that Mailman took out of the message: `URL: http://...`.
fn is_scrubbed(text: &[u8], start: usize) -> bool {
    let before = text[..start].strip_suffix(b"<").unwrap_or(&text[..start]);
    let before = before.strip_suffix(b"URL: ").or_else(|| before.strip_suffix(b"Url : "));
    before.is_some_and(|before| matches!(before.last(), None | Some(b'\n' | b' ')))
}

/// Whether `range` of `text` has what quoted-printable writes: a soft break of a full line, `=3D`, or another escape at a line's
/// end.
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

/// Whether `b` is a blank inside a line: space, tab, or the CR of a line's end.
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
    fn blanks_do_not_matter() {
        assert!(same(b"> > ", b">> "));
        assert!(!same(b"> ", b">> "));
        assert!(!same(b"> ", b"| "));
    }
}
