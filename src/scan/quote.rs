//! Finds the ends of lines, quote prefixes such as `> ` (rule 1.4), and undeclared soft breaks (rule 1.8).

use alloc::vec::Vec;
use core::ops::Range;

/// The maximum number of bytes before an offset that are searched for the start of its line. A longer line was not
/// wrapped by a mail program. Because of this limit, the search is linear even in a text without line breaks.
const MAX_LINE: usize = 1024;

/// The quote prefix of a line, such as `> `, `>>`, `| ` or `Joe> `.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// The number of bytes before the quoted text: the marks, the blanks between them, and at most one blank after
    /// them.
    pub(super) len: usize,
    /// The number of marks.
    pub(super) depth: usize,
}

/// Returns the quote prefix of `line`: the marks `> | : } % #`, with or without blanks between them. Up to four
/// letters, such as initials, can precede a `>`. Every other mark must have a blank or the end of the line after it.
///
/// Reads the prefix and five more bytes.
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
            // `>From ` is not a quotation. In an mbox, `>From ` is the stored form of a line that begins with `From `.
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

/// Whether the prefixes `a` and `b` have the same marks. Blanks are ignored.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    fn marks(prefix: &[u8]) -> impl Iterator<Item = &u8> {
        prefix.iter().filter(|b| **b != b' ')
    }
    a == b || marks(a).eq(marks(b))
}

/// Whether the prefix `more` consists of the marks of `less` and further marks. Blanks are ignored.
pub(super) fn is_less(less: &[u8], more: &[u8]) -> bool {
    let marks = |prefix: &[u8]| prefix.iter().copied().filter(|b| *b != b' ').collect::<Vec<_>>();
    let (less, more) = (marks(less), marks(more));
    less.len() < more.len() && more.starts_with(&less)
}

/// Returns the start of the line that contains the offset `at`. Returns `None` if the start is more than [`MAX_LINE`]
/// bytes before `at`.
pub(super) fn line_start(text: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_LINE);
    match memchr::memrchr(b'\n', &text[from..at]) {
        Some(i) => Some(from + i + 1),
        None => (from == 0).then_some(0),
    }
}

/// Returns the end of the line that contains the offset `at`: the offset of its line feed, or the end of the text.
/// Searches at most `limit` bytes. If the line is longer, returns the end of these bytes.
pub(super) fn line_end(text: &[u8], at: usize, limit: usize) -> usize {
    let to = text.len().min(at.saturating_add(limit));
    memchr::memchr(b'\n', &text[at..to]).map_or(to, |i| at + i)
}

/// The length at which encoders break lines of quoted-printable, including the `=` (RFC 2045, section 6.7, rule 5).
const ENCODED_LINE: usize = 76;

/// The length of the shortest full line. An encoder breaks a line earlier to keep an escape or a character in one
/// piece.
const SHORT_ENCODED_LINE: usize = ENCODED_LINE - 3;

/// The number of bytes before and after a URL that are searched for signs of quoted-printable (rule 1.8).
const NEAR: usize = 2 << 10;

/// Whether the byte before `end` is an `=` that belongs to an undeclared soft break of quoted-printable (rule 1.8).
/// Such an `=` is not part of the URL that starts at `start`. All of these must be true:
///
/// - The line, which starts at `line`, is as long as encoders make lines.
/// - The URL has no query, because a query may end in `=`.
/// - Mailman wrote the line, or the text near it has other signs of quoted-printable.
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

/// Whether Mailman wrote the URL that starts at `start`. Mailman writes `URL: http://...` in place of an attachment
/// that it has removed.
fn is_scrubbed(text: &[u8], start: usize) -> bool {
    let before = text[..start].strip_suffix(b"<").unwrap_or(&text[..start]);
    let before = before.strip_suffix(b"URL: ").or_else(|| before.strip_suffix(b"Url : "));
    before.is_some_and(|before| matches!(before.last(), None | Some(b'\n' | b' ')))
}

/// Whether `range` of `text` has signs of quoted-printable: a soft break at the end of a full line, `=3D`, or another
/// escape at the end of a line.
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

/// Whether `b` is a space, a tab or a CR.
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
