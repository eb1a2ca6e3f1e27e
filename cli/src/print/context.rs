//! `-C`: prints the decoded lines of text around each URL.

use std::ops::Range;

use super::found::Found;
use super::plain::{Plain, RESET, WRONG};

/// The layout of `-C`. For each URL, prints the same line as without `-C`, then the indented
/// lines of text around the URL, and then a blank line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub(crate) plain: Plain,
    /// How many lines to print before and after the lines that contain the URL.
    pub(crate) lines: usize,
}

/// Printed before a line of text that contains the URL or a part of it.
const MARK: &[u8] = b"  > ";
/// Printed before any other line of text.
const NO_MARK: &[u8] = b"    ";

/// How many bytes of a line are printed on each side of the URL. In HTML, a whole message can be a single line with
/// many URLs. Without a limit, that line would be printed again for each URL.
const WIDE: usize = 400;

/// How many bytes before and after the URL are searched for line ends.
const REACH: usize = 64 << 10;

impl Context {
    /// Appends the line with the URL, and the lines of text around the URL. Returns the range of the URL in `out`.
    #[inline(never)]
    pub(super) fn line(self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        let key = self.plain.line(out, found);
        // An alternative URL is printed after its hit, and has the same context as the hit. So the context is not
        // printed again.
        if let (Found::Hit(_) | Found::Reject(_), Some((text, span))) = (found, found.location().context()) {
            self.around(out, text, span);
        }
        key
    }

    fn around(self, out: &mut Vec<u8>, text: &[u8], span: Range<usize>) {
        let (own, all) = (lines(text, span.clone(), 0), lines(text, span.clone(), self.lines));
        let mut at = all.start;
        for line in text[all].split_inclusive(|&byte| byte == b'\n') {
            let is_own = own.contains(&at);
            let within = |offset: usize| offset.saturating_sub(at).min(line.len());
            let shown = match is_own {
                true => within(span.start.saturating_sub(WIDE))..within(span.end + WIDE),
                false => 0..line.len().min(2 * WIDE),
            };
            at += line.len();
            let line = whole_characters(line, shown);
            if is_own {
                self.plain.style.colour(out, WRONG);
            }
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if is_own {
                out.extend_from_slice(MARK);
                self.plain.style.colour(out, RESET);
            } else if !line.is_empty() {
                out.extend_from_slice(NO_MARK);
            }
            // Print tabs unchanged: they are common in text, and these lines have no fields that a tab could separate.
            for (n, text) in line.split(|&byte| byte == b'\t').enumerate() {
                if n > 0 {
                    out.push(b'\t');
                }
                self.plain.style.text(out, text);
            }
            out.push(b'\n');
        }
        out.push(b'\n');
    }
}

/// Returns `line[shown]`, extended so that it does not begin or end inside a UTF-8 character.
fn whole_characters(line: &[u8], mut shown: Range<usize>) -> &[u8] {
    let continues = |at: usize| line.get(at).is_some_and(|byte| (0x80..0xC0).contains(byte));
    while shown.start > 0 && continues(shown.start) {
        shown.start -= 1;
    }
    while continues(shown.end) {
        shown.end += 1;
    }
    &line[shown]
}

/// Returns the range of the lines that contain `span`, with `around` lines above and below them.
/// Searches at most [`REACH`] bytes on each side.
fn lines(text: &[u8], span: Range<usize>, around: usize) -> Range<usize> {
    let from = span.start.saturating_sub(REACH);
    let start = memchr::memrchr_iter(b'\n', &text[from..span.start]).nth(around).map_or(from, |end| from + end + 1);
    // If `span` ends with a line break, the last line of the URL is the line before the break, not the line after it.
    let last = span.end.saturating_sub(1).max(span.start);
    let upto = text.len().min(last + REACH);
    let end = memchr::memchr_iter(b'\n', &text[last..upto]).nth(around).map_or(upto, |end| last + end + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_around_a_span() {
        let text = b"one\ntwo\nthree\nfour";
        let table = [
            (4..7, 0, 4..8),
            (5..6, 1, 0..14),
            (5..6, 9, 0..18),
            (0..1, 0, 0..4),
            (14..18, 1, 8..18),
            (6..10, 0, 4..14),
            (4..8, 0, 4..8),
        ];
        for (span, around, want) in table {
            assert_eq!(lines(text, span.clone(), around), want, "{span:?} {around}");
        }
        assert_eq!(lines(b"", 0..0, 3), 0..0);
    }
}
