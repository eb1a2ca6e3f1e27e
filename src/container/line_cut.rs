//! Finds where plain text from a slow input can be cut. The lines before the cut can then be searched before the next
//! lines arrive.

use memchr::{memchr2, memrchr, memrchr_iter};

use super::header::ends_blank;

/// Where plain text from a slow input can be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineCut {
    /// The text cannot be cut.
    Never,
    /// The text can be cut after a line if no URL in that line can continue on the next line. Such a cut does not
    /// change which URLs are found.
    Complete,
    /// The text can be cut after the last complete line. A URL that continues on the next line is then truncated at the
    /// cut.
    Any,
}

/// Maximum number of lines that are checked, from the end of the text backward.
const MAX_LINES: usize = 16;

/// Maximum length in bytes of a URL in angle brackets. A blank line ends such a URL earlier (RULES.md 1.5).
const MAX_WRAPPER: usize = 8 << 10;

/// Minimum length in bytes of a full line. A URL at the end of a shorter line continues on the next line only if the
/// URL looks unfinished, for example because it ends in `-`.
const SHORT_LINE: usize = 40;

/// Returns an index at which `text` can be cut: the end of one of its last [`MAX_LINES`] complete lines. `text` can end
/// with an incomplete line, which is always after the cut.
pub(super) fn find(text: &[u8], cut: LineCut) -> Option<usize> {
    let mut ends = memrchr_iter(b'\n', text).map(|end| end + 1).take(MAX_LINES);
    match cut {
        LineCut::Never => None,
        LineCut::Complete => ends.find(|&end| is_complete(&text[..end])),
        LineCut::Any => ends.next(),
    }
}

/// Whether no URL in `text` can continue after the end of `text`. `text` must end with a line break.
///
/// To decide whether a URL at the end of a line continues, the scanner reads the next two lines. For each of the last
/// two lines of `text`, at least one of these next lines is after `text`. So a URL at the end of either line may
/// continue, and both lines must be checked.
fn is_complete(text: &[u8]) -> bool {
    if ends_blank(text, text.len() - 1) {
        return true;
    }
    let above = line_start(text, text.len() - 1);
    !is_wrapper_open(text)
        && !continues(text, MAX_LINES)
        && (above == 0 || ends_blank(text, above - 1) || !continues(&text[..above], MAX_LINES))
}

/// Whether `text` may end inside angle brackets.
fn is_wrapper_open(text: &[u8]) -> bool {
    let near = &text[text.len().saturating_sub(MAX_WRAPPER)..];
    memrchr(b'<', near).is_some_and(|open| {
        let inside = &near[open..];
        memrchr(b'>', inside).is_none() && !memrchr_iter(b'\n', inside).any(|end| ends_blank(inside, end))
    })
}

/// Whether the last line of `text` may end in a URL that continues on the next line. `text` must end with a line break.
/// Checks at most `most` lines before the last line. Returns `true` if these lines are not enough to decide.
fn continues(text: &[u8], most: usize) -> bool {
    let start = line_start(text, text.len() - 1);
    let line = text[start..].trim_ascii_end();
    let Some(&last) = line.last() else { return false };
    let token_start = line.iter().rposition(u8::is_ascii_whitespace).map_or(0, |blank| blank + 1);
    let token = &line[token_start..];
    if memchr2(b':', b'[', token).is_some() {
        let is_marked = token.iter().any(|byte| b"([\"'".contains(byte) || !byte.is_ascii());
        let is_closed = b";!|*}".contains(&last);
        let is_open = b"/-.:?=&#%_".contains(&last);
        return !is_closed && (line.len() >= SHORT_LINE || is_open || is_marked);
    }
    // A line of a single word may continue a URL from an earlier line, so the previous line is checked, too.
    let is_word = line[..token_start].iter().all(|byte| !byte.is_ascii_alphanumeric());
    is_word && start > 0 && (most == 0 || continues(&text[..start], most - 1))
}

/// Returns the index at which the line that ends at `end` begins.
fn line_start(text: &[u8], end: usize) -> usize {
    memrchr(b'\n', &text[..end]).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::{LineCut, find};

    #[test]
    fn cuts() {
        let long = "x".repeat(40);
        let table: &[(&str, Option<usize>, Option<usize>)] = &[
            ("", None, None),
            ("http://a.example/x", None, None),
            ("http://a.example/x\n", Some(19), Some(19)),
            ("see http://a.example/ there\nhttp", Some(28), Some(28)),
            // The URL may continue on the next line.
            ("x\nhttp://a.example/\n", Some(2), Some(20)),
            (&format!("{long}\nhttp://a.example/{long}\n"), Some(41), Some(99)),
            (&format!("{long} http://a.example/x\nover it\n"), None, Some(68)),
            (&format!("{long} http://a.example/x\n\rover it\n"), None, Some(69)),
            (&format!("{long} http://a.example/x\nover\nall of\n"), None, Some(72)),
            (&format!("{long} http://a.example/x\nover\nall of\nit\n"), Some(75), Some(75)),
            (&format!("{long} http://a.example/x\n> over\n> all\n"), None, Some(73)),
            ("http://a.example/\n\nx\n", Some(21), Some(21)),
            // Text in angle brackets ends at the closing bracket, or at a blank line.
            ("<URL:http://a.example/x\ny z\nw\n", None, Some(30)),
            ("<URL:http://a.example/x\ny> z\nw\n", Some(31), Some(31)),
            ("<URL:http://a.example/x\n\nw\n", Some(27), Some(27)),
            ("\"http://a.example/x\n", None, Some(20)),
            ("http://a.example/x;\n", Some(20), Some(20)),
            (" http://a.example/x\n", Some(20), Some(20)),
            // A line of a single word may continue a URL from an earlier line. At most 16 earlier lines are checked.
            (&"word\n".repeat(20), Some(85), Some(100)),
        ];
        for (text, complete, any) in table {
            let found = [LineCut::Never, LineCut::Complete, LineCut::Any].map(|cut| find(text.as_bytes(), cut));
            assert_eq!(found, [None, *complete, *any], "{text:?}");
        }
    }
}
