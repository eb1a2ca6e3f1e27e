//! Finds the starts and ends of lines, and quote prefixes such as `> ` (rule 1.4). Also finds soft breaks of
//! quoted-printable in text that is not declared as quoted-printable (rule 1.8).

use alloc::vec::Vec;
use core::ops::Range;

/// The maximum number of bytes that are searched for the start of a line. Lines that a mail program has wrapped are
/// much shorter. Without this limit, a text without line breaks would take quadratic time, because each URL would
/// search back to the start of the text.
const MAX_LINE: usize = 1024;

/// The quote prefix of a line, such as `> `, `>>`, `| ` or `Joe> `.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// The number of bytes before the quoted text: the marks, the blanks between them, and at most one blank after
    /// them.
    pub(super) len: usize,
    pub(super) depth: usize,
}

/// Returns the quote prefix of `line`: the marks `> | : } % #`, with or without blanks between them. Up to four
/// letters, such as initials, can precede a `>`. A blank or the end of the line must follow each mark except `>`.
///
/// Reads the prefix and a few bytes after it.
pub(super) fn prefix(line: &[u8]) -> Prefix {
    prefix_of(line, usize::MAX)
}

/// Like [`prefix`], but stops after `marks` quote marks.
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
            // `>From ` is not a quote prefix: programs that write an mbox put a `>` before each line that begins with
            // `From `.
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

/// Whether `line` may have a quote prefix. Most lines have none, and are not read further.
#[cfg(feature = "mime")]
#[inline]
pub(crate) fn may_have_prefix(line: &[u8]) -> bool {
    let blanks = line.iter().take(3).take_while(|byte| **byte == b' ').count();
    match &line[blanks..] {
        [first, rest @ ..] if first.is_ascii_alphabetic() => rest.iter().take(4).any(|byte| *byte == b'>'),
        [b'|' | b':' | b'}' | b'%' | b'#', next, ..] => next.is_ascii_whitespace(),
        [b'>' | b'|' | b':' | b'}' | b'%' | b'#', ..] => true,
        _ => false,
    }
}

/// Returns the number of quote marks of the line that starts at `line`. If the first mark is not `>`, at least two
/// lines in a row must begin with it, because tables and lists of settings have such lines, too; for `#`, which
/// commands begin with, three. A line before them that says who wrote them is enough. If the lines around the line are
/// not all known (`has_lines` is `false`), only `>` counts. A line such as `>> visit us <<` is no quotation.
pub(crate) fn depth(text: &[u8], line: usize, has_lines: bool) -> usize {
    let depth = prefix(&text[line..]).depth;
    if depth == 0 {
        return 0;
    }
    let end = line_end(text, line, MAX_LINE);
    let own = text[line..end].trim_ascii();
    let Some(mark) = own.first().filter(|byte| b"|:}%#".contains(byte)) else {
        return if own.starts_with(b">>") && own.ends_with(b"<<") { 0 } else { depth };
    };
    if !has_lines || *mark == b'|' && own.len() > 1 && own.ends_with(b"|") {
        return 0;
    }
    let few = if *mark == b'#' { 3 } else { 2 };
    let is_alike = |line: &[u8]| prefix_of(line, 1).depth > 0 && line.trim_ascii().first() == Some(mark);
    let (mut alike, mut at) = (1, line);
    while alike < few && at > 0 {
        let Some(above) = line_start(text, at - 1) else { break };
        let line = &text[above..at];
        match () {
            () if is_alike(line) => (alike, at) = (alike + 1, above),
            () if is_attribution(line.trim_ascii()) => return depth,
            () => break,
        }
    }
    at = end;
    while alike < few && at + 1 < text.len() {
        let below = line_end(text, at + 1, MAX_LINE);
        if !is_alike(&text[at + 1..below]) {
            break;
        }
        (alike, at) = (alike + 1, below);
    }
    if alike < few { 0 } else { depth }
}

/// Whether a line says who wrote the next lines.
fn is_attribution(line: &[u8]) -> bool {
    line.ends_with(b"wrote:") || line.ends_with(b"writes:") || line.ends_with(b":") && line.contains(&b'@')
}

/// Whether the quote prefixes `a` and `b` have the same marks. Blanks are ignored, so `> > ` and `>> ` are the same.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    fn marks(prefix: &[u8]) -> impl Iterator<Item = &u8> {
        prefix.iter().filter(|b| **b != b' ')
    }
    a == b || marks(a).eq(marks(b))
}

/// Whether the quote prefix `more` begins with the marks of `less` and has further marks. For example, `> ` is less
/// than `> > `. Blanks are ignored.
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

/// Returns the end of the line that contains the offset `at`: the offset of its line feed, or the end of the text. If
/// more than `limit` bytes follow `at` on the line, returns `at + limit`.
pub(super) fn line_end(text: &[u8], at: usize, limit: usize) -> usize {
    let to = text.len().min(at.saturating_add(limit));
    memchr::memchr(b'\n', &text[at..to]).map_or(to, |i| at + i)
}

/// The length, in bytes, at which encoders of quoted-printable break lines. This length includes the `=` at the end of
/// the line (RFC 2045, section 6.7, rule 5).
const ENCODED_LINE: usize = 76;

/// The lengths, in bytes, of lines that can end in a soft break. Some programs do not break lines at [`ENCODED_LINE`].
const ENCODED_LINES: Range<usize> = 40..100;

/// The number of bytes on each side of a URL that are searched for signs of quoted-printable, such as `=3D` (rule 1.8).
const NEAR: usize = 2 << 10;

/// Whether the byte before `end` is a soft break of quoted-printable: an `=` that does not belong to the URL (rule
/// 1.8). The URL starts at `start`. The text is not declared as quoted-printable, so the result is a guess. It is true
/// if all of these are true:
///
/// - The URL has no query, because a query may end in `=`, and the line is neither short nor long.
/// - The text near the URL has a sign of quoted-printable, such as `=3D`. No sign is needed if the mailing list manager
///   Mailman wrote the URL.
pub(super) fn is_soft_break(text: &[u8], start: usize, end: usize) -> bool {
    let near = &text[end.saturating_sub(ENCODED_LINES.end)..end];
    may_be_soft_break(&text[start..end])
        && matches!(text[end..], [b'\n', ..] | [b'\r', b'\n', ..])
        && ENCODED_LINES.contains(&memchr::memrchr(b'\n', near).map_or(end, |at| near.len() - at - 1))
        && (is_scrubbed(text, start)
            || is_next_soft(text, end)
            || is_encoded(text, start.saturating_sub(NEAR)..start)
            || is_encoded(text, end..text.len().min(end + NEAR)))
}

/// Whether `url`, which ends at a line break, ends in one `=` and has no query, so that the `=` may be a soft break.
pub(super) fn may_be_soft_break(url: &[u8]) -> bool {
    url.ends_with(b"=") && !url.ends_with(b"==") && memchr::memchr(b'?', url).is_none()
}

/// Returns `url`, which had a soft break, with each `=3D` decoded. Returns `None` if it has no `=3D`.
pub(super) fn without_escapes(url: &[u8]) -> Option<Vec<u8>> {
    let mut places = memchr::memmem::find_iter(url, b"=3D").peekable();
    places.peek()?;
    let (mut decoded, mut from) = (Vec::new(), 0);
    for at in places {
        decoded.extend_from_slice(&url[from..=at]);
        from = at + 3;
    }
    decoded.extend_from_slice(&url[from..]);
    Some(decoded)
}

/// Returns the URL that has the `pieces`, without a `=` at the ends of its lines, and with each `=3D` decoded. Returns
/// `None` if no line ends in `=`, or if the URL has no `=3D`.
pub(super) fn without_soft_breaks(text: &[u8], pieces: &[Range<usize>]) -> Option<Vec<u8>> {
    let (last, lines) = pieces.split_last()?;
    let (mut url, mut has_breaks) = (Vec::new(), false);
    for line in lines.iter().map(|line| &text[line.clone()]) {
        has_breaks |= line.ends_with(b"=");
        url.extend_from_slice(line.strip_suffix(b"=").unwrap_or(line));
    }
    url.extend_from_slice(&text[last.clone()]);
    if has_breaks { without_escapes(&url) } else { None }
}

/// Whether the line after the line that ends at `end` ends in a soft break, too.
fn is_next_soft(text: &[u8], end: usize) -> bool {
    let next = line_end(text, end, 2) + 1;
    let to = line_end(text, next.min(text.len()), ENCODED_LINE + 4);
    text.get(next..to).is_some_and(|line| line.trim_ascii_end().ends_with(b"="))
}

/// Whether Mailman wrote the URL that starts at `start`. Mailman removes attachments from messages, and writes a line
/// with `URL:` and a URL in place of each attachment.
fn is_scrubbed(text: &[u8], start: usize) -> bool {
    let before = text[..start].strip_suffix(b"<").unwrap_or(&text[..start]);
    let before = before.strip_suffix(b"URL: ").or_else(|| before.strip_suffix(b"Url : "));
    before.is_some_and(|before| matches!(before.last(), None | Some(b'\n' | b' ')))
}

/// Whether `range` of `text` has a sign of quoted-printable. There are three signs: an `=3D`, any escape at the end of
/// a line, and a soft break at the end of a line of [`ENCODED_LINE`] bytes.
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

pub(super) fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::{Prefix, is_less, prefix, same};

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
            (b"   > text", 5, 1),
            (b"    > text", 0, 0),
            (b">   > text", 2, 1),
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

    #[test]
    fn a_prefix_is_less_if_it_lacks_the_last_marks() {
        assert!(is_less(b"> ", b"> > "));
        assert!(is_less(b">", b">>"));
        assert!(is_less(b"", b"> "));
        assert!(!is_less(b"> ", b">"));
        assert!(!is_less(b">>", b"> > "));
        assert!(!is_less(b">> ", b"> "));
        assert!(!is_less(b"| ", b"> > "));
    }
}
