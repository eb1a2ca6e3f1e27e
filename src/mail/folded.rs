//! Lines that are folded wherever they were full, within words too: calendars (RFC 5545, section 3.1), cards (RFC 6350,
//! section 3.2), and the fields of a header whose value is one URI (RFC 2557, section 4.4.1).

use std::ops::Range;

use memchr::memchr2;

use super::map::{Run, copy};

/// Puts the lines of a calendar or a card together in `joined`, and says in `runs` what came from where. A fold is a line end
/// and one blank. Every other line end, and `\n`, which means one (RFC 5545, section 3.3.11), becomes a blank line, for nothing
/// goes on behind it; of other escapes the backslash goes. Linear.
pub(super) fn unfold_text(text: &[u8], joined: &mut Vec<u8>, runs: &mut Vec<Run>) {
    unfold(text, 1, true, joined, runs);
}

/// The same for a field's value, without escapes. A fold is a line end with all blanks behind it.
pub(super) fn unfold_field(value: &[u8], joined: &mut Vec<u8>, runs: &mut Vec<Run>) {
    unfold(value, usize::MAX, false, joined, runs);
}

/// Unfolds; `most` is how many blanks behind a line end are of the fold at most.
fn unfold(text: &[u8], most: usize, escapes: bool, joined: &mut Vec<u8>, runs: &mut Vec<Run>) {
    joined.clear();
    runs.clear();
    joined.reserve(text.len());
    // Where the octets not yet copied begin, and where the next fold or escape may.
    let (mut kept, mut from) = (0, 0);
    while let Some(at) = memchr2(b'\n', b'\\', &text[from..]).map(|i| from + i) {
        from = at + 1;
        if text[at] == b'\n' {
            let start = at - usize::from(text[kept..at].ends_with(b"\r"));
            let end = behind_fold(text, start, most);
            if end > start {
                copy(text, kept..start, joined, runs);
                (kept, from) = (end, end);
            } else if escapes {
                copy(text, kept..start, joined, runs);
                kept = from;
                blank_line(start..kept, joined, runs);
            }
        } else if escapes {
            // A fold may stand between a backslash and what it escapes.
            let escaped = behind_fold(text, from, most);
            match text.get(escaped) {
                Some(b'n' | b'N') => {
                    copy(text, kept..at, joined, runs);
                    (kept, from) = (escaped + 1, escaped + 1);
                    blank_line(at..kept, joined, runs);
                }
                Some(b',' | b';' | b':' | b'\\') => {
                    copy(text, kept..at, joined, runs);
                    (kept, from) = (escaped, escaped + 1);
                }
                _ => {}
            }
        }
    }
    copy(text, kept..text.len(), joined, runs);
}

/// Where the fold at `at` ends, of which `most` blanks are; `at` if there is none.
fn behind_fold(text: &[u8], at: usize, most: usize) -> usize {
    let rest = &text[at..];
    let Some(line) = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n") else { return at };
    match line.iter().take(most).take_while(|octet| matches!(octet, b' ' | b'\t')).count() {
        0 => at,
        blanks => text.len() - line.len() + blanks,
    }
}

/// Puts a blank line, which is what `raw` means, behind what is `joined`.
fn blank_line(raw: Range<usize>, joined: &mut Vec<u8>, runs: &mut Vec<Run>) {
    // They fit: see `copy`.
    runs.push(Run { text: joined.len() as u32, raw: raw.start as u32, len: raw.len() as u32 });
    joined.extend_from_slice(b"\n\n");
}

#[cfg(test)]
mod tests {
    use super::super::map::Map;
    use super::*;

    #[test]
    fn folds_and_escapes() {
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
        let (mut joined, mut runs) = (Vec::new(), Vec::new());
        for (text, want) in table {
            unfold_text(text.as_bytes(), &mut joined, &mut runs);
            assert_eq!(joined, want.as_bytes(), "{text:?}");
        }
        unfold_text(b"a\\n\r\n b\nc", &mut joined, &mut runs);
        let map = Map::Runs(&runs, joined.len());
        let raw: Vec<_> = (0..joined.len()).map(|at| map.raw(at..at + 1)).collect();
        assert_eq!(joined, b"a\n\nb\n\nc");
        assert_eq!(raw, [0..1, 1..2, 2..3, 6..7, 7..8, 7..8, 8..9]);
        unfold_field(b"http://a.example/\r\n \t b\\n", &mut joined, &mut runs);
        assert_eq!(joined, b"http://a.example/b\\n");
    }
}
