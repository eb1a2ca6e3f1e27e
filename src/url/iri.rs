//! The characters outside ASCII that RFC 3987 section 2.2 allows in an IRI: `ucschar` and `iprivate`.

/// Returns the length in bytes of the character at the start of `text`, if it is valid UTF-8 and in `ucschar`. If
/// `private` is true, characters in `iprivate` are also accepted.
pub(super) fn ucschar(text: &[u8], private: bool) -> Option<usize> {
    let length = match text.first()? {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let character = str::from_utf8(text.get(..length)?).ok()?.chars().next()?;
    let valid = match character as u32 {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF => true,
        0xE000..=0xF8FF => private,
        // The last two code points of every plane are noncharacters. RFC 3987 also excludes the tag characters of plane
        // 14.
        high @ 0x1_0000..=0xE_FFFF => high & 0xFFFF <= 0xFFFD && !(0xE_0000..0xE_1000).contains(&high),
        high @ 0xF_0000.. => private && high & 0xFFFF <= 0xFFFD,
        _ => false,
    };
    valid.then_some(length)
}

#[cfg(test)]
mod tests {
    use super::ucschar;

    #[test]
    fn the_edges_of_the_iri_ranges_are_exact() {
        for (character, open, private) in [
            ('\u{9F}', false, false),
            ('\u{A0}', true, true),
            ('\u{D7FF}', true, true),
            ('\u{E000}', false, true),
            ('\u{F8FF}', false, true),
            ('\u{FDCF}', true, true),
            ('\u{FDD0}', false, false),
            ('\u{FFEF}', true, true),
            ('\u{FFF0}', false, false),
            ('\u{10000}', true, true),
            ('\u{1FFFE}', false, false),
            ('\u{E0001}', false, false),
            ('\u{E1000}', true, true),
            ('\u{F0000}', false, true),
            ('\u{10FFFD}', false, true),
            ('\u{10FFFF}', false, false),
        ] {
            let text = character.to_string();
            assert_eq!(ucschar(text.as_bytes(), false).is_some(), open, "{character:?}");
            assert_eq!(ucschar(text.as_bytes(), true).is_some(), private, "{character:?} private");
        }
    }

    #[test]
    fn malformed_utf8_is_rejected() {
        for text in [&b"\xE9"[..], b"\xE9t", b"\xC0\xAF", b"\xED\xA0\x80", b"\x80", b"\xF5\x80\x80\x80", b""] {
            assert_eq!(ucschar(text, true), None, "{text:?}");
        }
    }
}
