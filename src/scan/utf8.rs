//! Whether text is in UTF-8: what is not ASCII means something else in the charsets of East Asia, which nobody may have
//! declared.

/// So many octets on either side are looked at.
const AROUND: usize = 64;

/// Whether what stands before `start` and what stands at `end` of `text` may be in UTF-8: the next [`AROUND`] octets on either
/// side. Two or three octets of GB 2312 or Big5 may by chance be letters in UTF-8 (`\xD5\xBE`); a few words are not.
///
/// Cost: those octets.
pub(super) fn is_around(text: &[u8], start: usize, end: usize) -> bool {
    let before = &text[start.saturating_sub(AROUND)..start];
    // The first character may be cut.
    let cut = before.iter().take(3).take_while(|octet| **octet & 0xC0 == 0x80).count();
    let behind = &text[end..text.len().min(end + AROUND)];
    is_utf8(&before[cut..]) && is_utf8(behind)
}

/// Whether `octets` are UTF-8; the last character may be cut.
fn is_utf8(octets: &[u8]) -> bool {
    std::str::from_utf8(octets).err().is_none_or(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::is_around;

    #[test]
    fn of_either_side() {
        let table: &[(&[u8], bool)] = &[
            (b"a|b", true),
            (b"|", true),
            ("\u{e9}|\u{e9}".as_bytes(), true),
            (b"\xE9 |b", false),
            (b"a| \xE9", true),
            (b"a| \xE9 ", false),
            (b"\xD5\xBE|", true),
            (b"\xD5\xBE\xB5\xE3|", false),
            (b"\xA9 |", true),
        ];
        for (text, want) in table {
            let bar = text.iter().position(|octet| *octet == b'|').expect("a bar");
            assert_eq!(is_around(text, bar, bar + 1), *want, "{}", text.escape_ascii());
        }
    }
}
