//! Guesses whether text is UTF-8. A guess is needed because mail in an East Asian charset often does not declare the
//! charset.

/// Number of bytes that are checked on each side of a range of text. The actual number can differ by up to three bytes,
/// so that no character is cut.
const AROUND: usize = 64;

/// Text counts as UTF-8 if it has at least this number of valid characters outside ASCII for each invalid byte
/// sequence.
const CHARACTERS: usize = 3;

/// Whether the [`AROUND`] bytes before `start` and after `end` are probably UTF-8. Two bytes of GB 2312 or Big5, such
/// as `\xD5\xBE`, can be valid UTF-8 by chance. Several words in these charsets are hardly ever valid UTF-8, so this
/// function checks 64 bytes on each side.
///
/// Reads at most about 128 bytes, however long `text` is.
pub(crate) fn is_utf8_around(text: &[u8], start: usize, end: usize) -> bool {
    let from = boundary(text, start.saturating_sub(AROUND)).min(start);
    let to = boundary(text, text.len().min(end + AROUND));
    let (mut characters, mut others) = (0, 0);
    for chunk in text[from..start].utf8_chunks().chain(text[end..to].utf8_chunks()) {
        characters += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        others += usize::from(!chunk.invalid().is_empty());
    }
    others * CHARACTERS <= characters
}

/// Returns the offset of the first character that starts at or after `at`.
fn boundary(text: &[u8], at: usize) -> usize {
    // No character is cut at the beginning of the text.
    if at == 0 { 0 } else { at + text[at..].iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count() }
}

#[cfg(test)]
mod tests {
    use super::is_utf8_around;

    #[test]
    fn characters_on_either_side_are_read() {
        let table: &[(&[u8], bool)] = &[
            (b"a|b", true),
            (b"|", true),
            ("\u{e9}|\u{e9}".as_bytes(), true),
            (b"\xE9 |b", false),
            (b"a| \xE9", false),
            (b"a| \xE9 ", false),
            (b"\xD5\xBE|", true),
            (b"\xD5\xBE\xB5\xE3|", false),
            (b"\xD5\xBE\xB5\xE3\xA1\xA3|", false),
            (b"\xA9 |", false),
            (b"\xE9 \xC3\xA9\xC3\xA9|\xC3\xA9", true),
            (b"\xC3\xA9|\xE9 \xC3\xA9", false),
        ];
        for (text, want) in table {
            let bar = text.iter().position(|byte| *byte == b'|').expect("a bar");
            assert_eq!(is_utf8_around(text, bar, bar + 1), *want, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn a_character_may_be_cut() {
        for blanks in 58..68 {
            let blanks = " ".repeat(blanks);
            let text = format!("\u{6f22}{blanks}|{blanks}\u{6f22}");
            assert!(is_utf8_around(text.as_bytes(), 3 + blanks.len(), 4 + blanks.len()), "{}", blanks.len());
        }
    }
}
