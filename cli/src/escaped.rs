//! Escapes names and URLs for terminals, because a terminal would run control characters in them.

use std::fmt::{self, Write as _};
use std::path::Path;

/// Formats bytes with Rust's escapes in place of control characters, characters that change the direction of writing,
/// and bytes that are not UTF-8.
pub(crate) struct Escaped<'a>(pub(crate) &'a [u8]);

impl<'a> Escaped<'a> {
    /// Escapes the name of a file.
    pub(crate) fn path(path: &'a Path) -> Self {
        Escaped(path.as_os_str().as_encoded_bytes())
    }

    /// Returns the width of the text in columns, assuming one column per character.
    pub(crate) fn columns(&self) -> usize {
        self.to_string().chars().count()
    }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            chunk.valid().chars().try_for_each(|c| match c {
                c if c.is_control() || is_bidi(c) => write!(f, "{}", c.escape_unicode()),
                c => f.write_char(c),
            })?;
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        Ok(())
    }
}

/// Returns whether `c` changes the direction of writing. With such characters, a URL can look like a different URL.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::Escaped;

    #[test]
    fn control_characters_are_escaped() {
        let table: [(&[u8], &str); 6] = [
            (b"plain", "plain"),
            (b"a\x1b[2Jb\n", "a\\u{1b}[2Jb\\u{a}"),
            ("m\u{fc}ll \u{202e}gpj".as_bytes(), "m\u{fc}ll \\u{202e}gpj"),
            ("\u{61c}\u{9b}x".as_bytes(), "\\u{61c}\\u{9b}x"),
            (b"m\xfcll", "m\\xfcll"),
            (b"\xff\xc3", "\\xff\\xc3"),
        ];
        for (bytes, shown) in table {
            assert_eq!(Escaped(bytes).to_string(), shown);
            assert_eq!(Escaped(bytes).columns(), shown.chars().count());
        }
    }
}
