//! Escapes control characters in file names and URLs, because a terminal would run them as commands.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::path::Path;

use data_encoding::HEXLOWER_PERMISSIVE;

/// Formats bytes for a terminal. Writes Rust's escapes, such as `\u{1b}`, for control characters, for characters that
/// change the direction of writing, and for bytes that are not UTF-8.
pub(crate) struct Escaped<'a>(pub(crate) &'a [u8]);

impl<'a> Escaped<'a> {
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

/// The bytes that a row of `--fields` and a state file cannot contain, each with the letter of its escape. `\t` means a
/// tab.
const LETTERS: [(u8, u8); 4] = [(b'\t', b't'), (b'\n', b'n'), (b'\r', b'r'), (b'\\', b'\\')];

/// Appends bytes for a row of `--fields` or a state file: without tabs, line ends and single backslashes.
pub(crate) fn push_escaped(out: &mut Vec<u8>, bytes: impl IntoIterator<Item = u8>) {
    for byte in bytes {
        match LETTERS.iter().find(|(escaped, _)| *escaped == byte) {
            Some((_, letter)) => out.extend_from_slice(&[b'\\', *letter]),
            None => out.push(byte),
        }
    }
}

const NO_ESCAPE: &str = "a backslash in a name does not begin an escape such as \\t";

/// Returns the bytes that [`push_escaped`] escaped. `\xff` is a byte that is not UTF-8 in a state file.
pub(crate) fn unescape(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let (byte, after) = match rest {
            [b'x', a, b, after @ ..] => {
                let byte = HEXLOWER_PERMISSIVE.decode(&[*a, *b]).map_err(|_| NO_ESCAPE)?;
                (byte[0], after)
            }
            [letter, after @ ..] => {
                let known = LETTERS.iter().find(|(_, escape)| escape == letter);
                (known.ok_or(NO_ESCAPE)?.0, after)
            }
            [] => return Err(NO_ESCAPE),
        };
        out.push(byte);
        rest = after;
    }
    Ok(out)
}

/// Returns whether `c` changes the direction of writing. With such characters, a URL can look like a different URL.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes JSON, CSV or a mail message to a terminal. Escapes characters that change the direction of writing, and
/// all control characters except tabs and line ends. The escapes have the form `\u001b`, which is valid in JSON.
///
/// A UTF-8 character must not be split between two calls of `write`. Bytes that are not UTF-8 are written in the form
/// `\x9b`.
pub(crate) struct Terminal<W>(pub(crate) W);

impl<W: Write> Write for Terminal<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        for chunk in text.utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some((at, c)) = rest.char_indices().find(|&(at, c)| is_harmful(c, &rest[at..])) {
                self.0.write_all(&rest.as_bytes()[..at])?;
                write!(self.0, "\\u{:04x}", u32::from(c))?;
                rest = &rest[at + c.len_utf8()..];
            }
            self.0.write_all(rest.as_bytes())?;
            chunk.invalid().iter().try_for_each(|byte| write!(self.0, "\\x{byte:02x}"))?;
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns whether `c`, the first character of `text`, must be escaped for a terminal. A carriage return is harmless
/// only before a line feed.
fn is_harmful(c: char, text: &str) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t') && !text.starts_with("\r\n")) || is_bidi(c)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{Escaped, Terminal};

    #[test]
    fn a_terminal_gets_no_control_characters() {
        let table: [(&[u8], &str); 5] = [
            (b"a\tb\r\nc\n", "a\tb\r\nc\n"),
            (b"a\x1b]0;x\x07b\rc", "a\\u001b]0;x\\u0007b\\u000dc"),
            ("\u{9b}2J m\u{fc}ll \u{202e}x\u{2066}".as_bytes(), "\\u009b2J m\u{fc}ll \\u202ex\\u2066"),
            (b"m\xfcll\x9b2J\x7f", "m\\xfcll\\x9b2J\\u007f"),
            (b"", ""),
        ];
        for (bytes, shown) in table {
            let mut out = Vec::new();
            Terminal(&mut out).write_all(bytes).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), shown);
        }
    }

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
