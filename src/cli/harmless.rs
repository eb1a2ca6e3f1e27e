//! Names and URLs as they may be shown to a person: no octet of theirs reaches the terminal as a command.

use std::fmt::{self, Write as _};

/// Octets for a person's eyes: control characters are written as Rust escapes them, octets that are not UTF-8 are
/// replaced.
pub(crate) struct Harmless<'a>(pub(crate) &'a [u8]);

impl Harmless<'_> {
    /// How many columns it takes, if every character takes one.
    pub(crate) fn columns(&self) -> usize {
        self.to_string().chars().count()
    }
}

impl fmt::Display for Harmless<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(self.0).chars().try_for_each(|c| match c {
            c if c.is_control() || is_bidi(c) => write!(f, "{}", c.escape_unicode()),
            c => f.write_char(c),
        })
    }
}

/// Whether `c` changes the direction of what follows: a way to show another URL than the one that is there.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::Harmless;

    #[test]
    fn controls_are_spelt_out() {
        let table: [(&[u8], &str); 4] = [
            (b"plain", "plain"),
            (b"a\x1b[2Jb\n", "a\\u{1b}[2Jb\\u{a}"),
            ("m\u{fc}ll \u{202e}gpj".as_bytes(), "m\u{fc}ll \\u{202e}gpj"),
            (b"\xff", "\u{fffd}"),
        ];
        for (octets, shown) in table {
            assert_eq!(Harmless(octets).to_string(), shown);
            assert_eq!(Harmless(octets).columns(), shown.chars().count());
        }
    }
}
