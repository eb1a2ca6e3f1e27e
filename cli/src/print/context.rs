//! The lines around a URL, as they can be read: `-A`, `-B` and `-C`.

use std::ops::Range;

use super::plain::{Plain, RESET, WRONG};
use crate::event::Found;

/// A line as [`Plain`] lays it out, the text around the URL below it, indented, and a blank line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub(crate) plain: Plain,
    /// How many lines before those of the URL.
    pub(crate) before: usize,
    /// How many lines after them.
    pub(crate) after: usize,
}

/// A URL's own lines have this mark, the others blanks.
const MARK: &[u8] = b"  > ";
const NO_MARK: &[u8] = b"    ";

/// Of a long line so many bytes are shown on each side of the URL: HTML has lines as long as a message, and every URL in
/// one would show it again.
const WIDE: usize = 400;

/// A line's ends are looked for so far away.
const REACH: usize = 64 << 10;

impl Context {
    /// Appends a line, and what is around it; gives the place of the URL.
    #[inline(never)]
    pub(super) fn line(self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        let key = self.plain.line(out, found);
        // A reading is where its hit is.
        if !matches!(found, Found::Reading(..)) {
            let (text, span) = found.origin().text();
            self.around(out, text, span);
        }
        key
    }

    fn around(self, out: &mut Vec<u8>, text: &[u8], span: Range<usize>) {
        let (own, all) = (lines(text, span.clone(), 0, 0), lines(text, span.clone(), self.before, self.after));
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
            // Nothing is separated by tabs here, and they are common in text.
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

/// `line[shown]`, or a little more: no character of UTF-8 is cut.
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

/// The lines of `text` that `span` is in, with `before` lines before and `after` lines after them, within [`REACH`].
fn lines(text: &[u8], span: Range<usize>, before: usize, after: usize) -> Range<usize> {
    let from = span.start.saturating_sub(REACH);
    let start = memchr::memrchr_iter(b'\n', &text[from..span.start]).nth(before).map_or(from, |end| from + end + 1);
    // A span that ends with its line has that line's end in it.
    let last = span.end.saturating_sub(1).max(span.start);
    let upto = text.len().min(last + REACH);
    let end = memchr::memchr_iter(b'\n', &text[last..upto]).nth(after).map_or(upto, |end| last + end + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_around_a_span() {
        let text = b"one\ntwo\nthree\nfour";
        let table = [
            (4..7, 0, 0, 4..8),
            (5..6, 1, 1, 0..14),
            (5..6, 1, 0, 0..8),
            (5..6, 0, 1, 4..14),
            (5..6, 9, 0, 0..8),
            (0..1, 0, 0, 0..4),
            (14..18, 1, 1, 8..18),
            (6..10, 0, 0, 4..14),
            (4..8, 0, 0, 4..8),
        ];
        for (span, before, after, want) in table {
            assert_eq!(lines(text, span.clone(), before, after), want, "{span:?} {before} {after}");
        }
        assert_eq!(lines(b"", 0..0, 3, 3), 0..0);
    }
}
