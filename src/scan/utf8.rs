//! Whether text is in UTF-8: what is not ASCII means something else in the charsets of East Asia, which nobody may have
//! declared.

/// So many octets on either side are looked at, and the rest of a character that is cut there.
const AROUND: usize = 64;

/// Text is damaged UTF-8, rather than none, if so many characters of it stand there for each place that is none.
const CHARACTERS: usize = 3;

/// The text around a URL. What stands before it is looked at but once.
pub(super) struct Around<'h> {
    text: &'h [u8],
    start: usize,
    before: Option<Counts>,
}

impl<'h> Around<'h> {
    /// Around the URL, or the octet, that begins at `start`.
    pub(super) fn new(text: &'h [u8], start: usize) -> Self {
        Around { text, start, before: None }
    }

    /// Whether what stands before the URL and what stands at `end` may be in UTF-8: [`AROUND`] octets on either side. Two or
    /// three octets of GB 2312 or Big5 may by chance be letters in UTF-8 (`\xD5\xBE`); a few words are not.
    ///
    /// Cost: those octets.
    pub(super) fn is_utf8(&mut self, end: usize) -> bool {
        let (text, start) = (self.text, self.start);
        let before = self.before.get_or_insert_with(|| {
            let from = boundary(text, start.saturating_sub(AROUND)).min(start);
            Counts::of(&text[from..start])
        });
        let behind = Counts::of(&text[end..boundary(text, text.len().min(end + AROUND))]);
        (before.others + behind.others) * CHARACTERS <= before.characters + behind.characters
    }
}

/// Where the next character starts, at `at` or behind it.
fn boundary(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take(3).take_while(|octet| **octet & 0xC0 == 0x80).count()
}

/// What a text consists of, besides ASCII.
struct Counts {
    /// Characters in UTF-8.
    characters: usize,
    /// Octets, or beginnings of characters, that are none.
    others: usize,
}

impl Counts {
    fn of(octets: &[u8]) -> Self {
        let mut counts = Counts { characters: 0, others: 0 };
        for chunk in octets.utf8_chunks() {
            counts.characters += chunk.valid().bytes().filter(|octet| *octet >= 0xC0).count();
            counts.others += usize::from(!chunk.invalid().is_empty());
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::Around;

    #[test]
    fn of_either_side() {
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
            (b"\xA9 |", true),
            (b"\xE9 \xC3\xA9\xC3\xA9|\xC3\xA9", true),
            (b"\xC3\xA9|\xE9 \xC3\xA9", false),
        ];
        for (text, want) in table {
            let bar = text.iter().position(|octet| *octet == b'|').expect("a bar");
            assert_eq!(Around::new(text, bar).is_utf8(bar + 1), *want, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn a_character_may_be_cut() {
        for blanks in 58..68 {
            let blanks = " ".repeat(blanks);
            let text = format!("\u{6f22}{blanks}|{blanks}\u{6f22}");
            assert!(Around::new(text.as_bytes(), 3 + blanks.len()).is_utf8(4 + blanks.len()), "{}", blanks.len());
        }
    }
}
