//! The field `context`: the lines of text around a URL.

use std::ops::Range;

use super::Location;
use crate::shared;

/// How many bytes before and after the URL the context can have. In HTML, a whole message can be a single line with
/// many URLs. Without a limit, that line would be printed again for each URL.
const WIDE: usize = 400;

/// How many bytes of text the context can have for each byte of the URL: as many as a character reference such as
/// `&#x002F;`. The place of each URL of a document in an attribute, such as `srcdoc`, is that of the attribute, which
/// would be printed again for each of them.
const CODED: usize = 8;

/// Returns the lines that contain the URL, and `around` lines before and after them. `None` for an owned hit.
pub(super) fn context<'v>(at: &'v Location<'v>, around: usize) -> Option<&'v [u8]> {
    let most = (CODED * at.url_length()).max(2 * WIDE);
    at.context().map(|(text, span)| text[lines(text, span, around, most)].trim_ascii())
}

/// At most `most` bytes of `span` are in the result.
fn lines(text: &[u8], span: Range<usize>, around: usize, most: usize) -> Range<usize> {
    let continues = |at: &usize| text.get(*at).is_some_and(|byte| (0x80..0xC0).contains(byte));
    let length = shared::cut(&text[span.clone()], most).len();
    let after = if length < span.len() { 0 } else { WIDE };
    let span = span.start..span.start + length;
    // A character of UTF-8 has at most four bytes.
    let from = span.start.saturating_sub(WIDE);
    let from = (from..from + 4).find(|at| !continues(at)).unwrap_or(from).min(span.start);
    let start = memchr::memrchr_iter(b'\n', &text[from..span.start]).nth(around).map_or(from, |end| from + end + 1);
    // If `span` ends with a line break, the last line of the URL is the line before the break, not the line after it.
    let last = span.end.saturating_sub(1).max(span.start);
    let upto = text.len().min(span.end + after);
    let upto = (span.end.max(upto.saturating_sub(3))..=upto).rev().find(|at| !continues(at)).unwrap_or(upto);
    let end = memchr::memchr_iter(b'\n', &text[last..upto]).nth(around).map_or(upto, |end| last + end);
    start..end
}

#[cfg(test)]
mod tests {
    use super::{WIDE, lines};

    #[test]
    fn lines_around_a_span() {
        let text = b"one\ntwo\nthree\nfour";
        let table = [
            (4..7, 0, "two"),
            (5..6, 1, "one\ntwo\nthree"),
            (5..6, 9, "one\ntwo\nthree\nfour"),
            (0..1, 0, "one"),
            (14..18, 1, "three\nfour"),
            (6..10, 0, "two\nthree"),
            (4..8, 0, "two"),
        ];
        for (span, around, want) in table {
            assert_eq!(&text[lines(text, span.clone(), around, 800)], want.as_bytes(), "{span:?} {around}");
        }
        assert_eq!(lines(b"", 0..0, 3, 800), 0..0);
        let text = "\u{20ac}".repeat(9_000);
        assert_eq!(lines(text.as_bytes(), 3_000..24_000, 9, 800), 2_601..3_798);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let url = "http://a.example/";
        for before in 0..4 {
            let text = format!("{}{}{url}{}", "x".repeat(before), "\u{20ac}".repeat(WIDE), "\u{20ac}".repeat(WIDE));
            let start = text.find(url).expect("the URL");
            let range = lines(text.as_bytes(), start..start + url.len(), 9, 800);
            let context = text.get(range).expect("whole characters");
            assert!(
                context.contains(url) && (2 * WIDE - 6..2 * WIDE + 20).contains(&context.len()),
                "{}",
                context.len()
            );
        }
    }
}
