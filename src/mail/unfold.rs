//! Rejoins lines that were folded at a fixed width. Such a fold can be in the middle of a word or a URL.
//!
//! Folded lines occur in calendars (RFC 5545, section 3.1), in vCards (RFC 6350, section 3.2), and in header fields
//! whose value is a single URI (RFC 2557, section 4.4.2).

use memchr::memchr2;

use super::map::Joined;

/// Unfolds a calendar or a vCard, and writes the result to `joined`. Takes linear time.
///
/// A fold is a line end followed by one blank. Every other line end is replaced with a blank line, because a URL cannot
/// continue after a blank line. The escape `\n`, which means a line end (RFC 5545, section 3.3.11), is also replaced
/// with a blank line. In the escapes `\,`, `\;`, `\:` and `\\`, only the first backslash is removed. A backslash before
/// any other byte is unchanged.
pub(super) fn unfold_text(text: &[u8], joined: &mut Joined) {
    unfold(text, 1, true, joined);
}

/// Unfolds the value of a header field, and writes the result to `joined`. A fold is a line end followed by any number
/// of blanks. Escapes are not decoded.
pub(super) fn unfold_field(value: &[u8], joined: &mut Joined) {
    unfold(value, usize::MAX, false, joined);
}

/// The replacement for a line end that is not a fold. The scanner does not continue a URL after a blank line.
const BLANK_LINE: &[u8] = b"\n\n";

/// Unfolds lines. At most `most` of the blanks after a line end are removed as part of the fold.
fn unfold(text: &[u8], most: usize, escapes: bool, joined: &mut Joined) {
    joined.clear(text.len());
    // The offset in `text` at which the search for the next fold or escape begins.
    let mut from = 0;
    while let Some(at) = memchr2(b'\n', b'\\', &text[from..]).map(|i| from + i) {
        from = at + 1;
        if text[at] == b'\n' {
            let start = at - usize::from(text[joined.kept..at].ends_with(b"\r"));
            let end = after_fold(text, start, most);
            if end > start {
                joined.replace(text, start..end, b"");
                from = end;
            } else if escapes {
                joined.replace(text, start..from, BLANK_LINE);
            }
        } else if escapes {
            // A fold can be between a backslash and the escaped character.
            let escaped = after_fold(text, from, most);
            let (end, becomes) = match text.get(escaped) {
                Some(b'n' | b'N') => (escaped + 1, BLANK_LINE),
                Some(b',' | b';' | b':' | b'\\') => (escaped, &b""[..]),
                _ => continue,
            };
            joined.replace(text, at..end, becomes);
            from = escaped + 1;
        }
    }
    joined.finish(text);
}

/// Returns the end of the fold at `at`. At most `most` blanks belong to the fold. Returns `at` if there is no fold.
fn after_fold(text: &[u8], at: usize, most: usize) -> usize {
    let rest = &text[at..];
    let Some(line) = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n") else { return at };
    match line.iter().take(most).take_while(|byte| matches!(byte, b' ' | b'\t')).count() {
        0 => at,
        blanks => text.len() - line.len() + blanks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_and_escapes_are_removed() {
        let table = [
            ("", ""),
            ("a\r\n b", "ab"),
            ("a\n\tb", "ab"),
            ("a\n  b", "a b"),
            ("a\nb", "a\n\nb"),
            ("a\r\nb\n", "a\n\nb\n\n"),
            ("a\n \n b", "ab"),
            ("a\\nb", "a\n\nb"),
            ("a\\Nb", "a\n\nb"),
            ("a\\,b\\;c\\:d", "a,b;c:d"),
            ("a\\\\nb", "a\\nb"),
            ("a\\xb\\", "a\\xb\\"),
            ("a\n ", "a"),
            ("a\\\r\n nb\\\n ,c", "a\n\nb,c"),
            ("a\r\r\n b", "a\rb"),
        ];
        let mut joined = Joined::default();
        for (text, want) in table {
            unfold_text(text.as_bytes(), &mut joined);
            assert_eq!(joined.text, want.as_bytes(), "{text:?}");
        }
        unfold_text(b"a\\n\r\n b\nc", &mut joined);
        let raw: Vec<_> = (0..joined.text.len()).map(|at| joined.map().raw(at..at + 1)).collect();
        assert_eq!(joined.text, b"a\n\nb\n\nc");
        assert_eq!(raw, [0..1, 1..2, 2..3, 6..7, 7..8, 7..8, 8..9]);
        unfold_field(b"http://a.example/\r\n \t b\\n", &mut joined);
        assert_eq!(joined.text, b"http://a.example/b\\n");
    }
}
