//! The few charsets in which ASCII is not ASCII.
//!
//! A URL is ASCII, and in nearly every charset so are its octets: those parts are scanned as they lie. What
//! is left is decoded, after which no octet can be told where it came from.

use ::charset::Charset;

/// Whether text in the charset of this name has to be decoded before a URL in it can be seen.
///
/// Single-byte sets, UTF-8, EUC, GBK, Big5, Shift_JIS are not among them: their ASCII octets are ASCII,
/// or the second half of a character that no URL contains.
pub(super) fn is_opaque(label: &[u8]) -> bool {
    let label = label.trim_ascii();
    let starts = |prefix: &[u8]| label.len() >= prefix.len() && label[..prefix.len()].eq_ignore_ascii_case(prefix);
    starts(b"utf-16")
        || starts(b"utf16")
        || starts(b"utf-32")
        || starts(b"utf32")
        || starts(b"ucs-")
        || starts(b"iso-10646")
        || starts(b"unicode")
        || starts(b"utf-7")
        || starts(b"utf7")
        || starts(b"x-utf-7")
        || starts(b"iso-2022")
        || starts(b"csiso2022")
        || starts(b"hz")
}

/// Whether text that declares nothing of the kind starts like UTF-16 or UTF-32.
pub(super) fn has_wide_mark(text: &[u8]) -> bool {
    text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") || text.starts_with(b"\0\0\xFE\xFF")
}

/// Decodes `text` to UTF-8; `None` if its octets are ASCII as they stand, whatever they declare.
///
/// Linear. What cannot be decoded becomes U+FFFD or stays as it is.
pub(super) fn decode(label: &[u8], text: &[u8]) -> Option<String> {
    let label = label.trim_ascii().to_ascii_lowercase();
    let starts = |prefixes: &[&[u8]]| prefixes.iter().any(|prefix| label.starts_with(prefix));
    // ASCII in two or four octets has NULs; text without any was labelled in error and stays readable.
    let wide = memchr::memchr(0, text).is_some();
    if !wide && (has_wide_mark(text) || starts(&[b"utf-16", b"utf16", b"utf-32", b"utf32", b"ucs-", b"iso-10646"])) {
        return None;
    }
    if text.starts_with(b"\xFF\xFE\0\0")
        || text.starts_with(b"\0\0\xFE\xFF")
        || starts(&[b"utf-32", b"utf32", b"ucs-4"])
    {
        return Some(utf32(text, label.ends_with(b"le")));
    }
    if has_wide_mark(text) {
        return Charset::for_bom(text)
            .map(|(charset, length)| charset.decode_without_bom_handling(&text[length..]).0.into_owned());
    }
    if starts(&[b"utf-7", b"utf7", b"unicode-1-1-utf-7", b"unicode-2-0-utf-7", b"x-utf-7"]) {
        // A `+` opens a shifted stretch; without one nothing is shifted.
        memchr::memchr(b'+', text)?;
        return Some(utf7(text));
    }
    if starts(&[b"iso-2022", b"csiso2022"]) {
        // Outside of its escapes it is ASCII; so it is throughout if there are none.
        memchr::memchr3(0x1B, 0x0E, 0x0F, text)?;
        return Some(match label.as_slice() {
            b"iso-2022-jp" | b"csiso2022jp" => japanese(&label, text),
            _ if starts(&[b"iso-2022-jp"]) => japanese(b"iso-2022-jp", text),
            _ => seven_bit(text),
        });
    }
    if starts(&[b"hz"]) {
        memchr::memmem::find(text, b"~{")?;
        return Some(hz(text));
    }
    if !is_opaque(&label) {
        return None;
    }
    // UTF-16 without a mark is big-endian by RFC 2781, little-endian by nearly every sender.
    let little = match label.as_slice() {
        b"utf-16be" => false,
        b"utf-16le" => true,
        _ => text.iter().step_by(2).filter(|&&octet| octet == 0).count() <= text.len() / 8,
    };
    if !wide {
        return None;
    }
    let name: &[u8] = if little { b"utf-16le" } else { b"utf-16be" };
    Charset::for_label(name).map(|charset| charset.decode_without_bom_handling(text).0.into_owned())
}

/// UTF-7 (RFC 2152), a piece of it after the other: for each stretch that is shifted the decoder clears what room is left.
fn utf7(text: &[u8]) -> String {
    const PIECE: usize = 256;
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let least = rest.len().min(PIECE);
        // Behind an octet that is none of base64's nothing is shifted.
        let ends = |octet: &u8| !octet.is_ascii_alphanumeric() && !matches!(octet, b'+' | b'/');
        let end = rest[least..].iter().position(ends).map_or(rest.len(), |i| least + i + 1);
        let (piece, tail) = rest.split_at(end);
        decoded.push_str(&::charset::UTF_7.decode_without_bom_handling(piece).0);
        rest = tail;
    }
    decoded
}

fn japanese(label: &[u8], text: &[u8]) -> String {
    Charset::for_label(label)
        .map_or_else(|| seven_bit(text), |charset| charset.decode_without_bom_handling(text).0.into_owned())
}

fn utf32(text: &[u8], little: bool) -> String {
    let little = text.starts_with(b"\xFF\xFE\0\0") || little && !text.starts_with(b"\0\0\xFE\xFF");
    let wide = text.chunks_exact(4).map(|unit| {
        let unit = [unit[0], unit[1], unit[2], unit[3]];
        let code = if little { u32::from_le_bytes(unit) } else { u32::from_be_bytes(unit) };
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    wide.filter(|&c| c != '\u{FEFF}').collect()
}

/// The ASCII of the ISO-2022 family (-KR, -CN), which encoding_rs replaces as a whole: the octets between
/// shift-out and shift-in, or inside a two-octet set, each become a mark that no URL contains.
fn seven_bit(text: &[u8]) -> String {
    let mut ascii = String::with_capacity(text.len());
    let mut shifted = false;
    let mut wide = false;
    let mut rest = text;
    while let Some((&octet, tail)) = rest.split_first() {
        rest = tail;
        match octet {
            0x0E => shifted = true,
            0x0F => shifted = false,
            b'\n' => {
                // Every line starts in ASCII (RFC 1557, RFC 1922).
                shifted = false;
                ascii.push('\n');
            }
            0x1B => {
                // ESC, intermediates, one final octet. `ESC $ B` calls a two-octet set in at once;
                // `ESC $ ) C` only names one for shift-out.
                let intermediates = rest.iter().take_while(|octet| (0x20..=0x2F).contains(*octet)).count();
                match &rest[..intermediates] {
                    b"$" => wide = true,
                    b"(" => wide = false,
                    _ => {}
                }
                rest = rest.get(intermediates + 1..).unwrap_or_default();
            }
            _ if shifted || wide || octet >= 0x80 => ascii.push(char::REPLACEMENT_CHARACTER),
            _ => ascii.push(char::from(octet)),
        }
    }
    ascii
}

/// HZ (RFC 1843): `~{` and `~}` enclose GB2312, `~~` is a tilde, a line ends it.
fn hz(text: &[u8]) -> String {
    let mut ascii = String::with_capacity(text.len());
    let mut wide = false;
    let mut at = 0;
    while at < text.len() {
        let pair = &text[at..text.len().min(at + 2)];
        at += 2;
        match pair {
            b"~{" => wide = true,
            b"~}" => wide = false,
            b"~~" if !wide => ascii.push('~'),
            b"~\n" if !wide => {}
            [octet, ..] => {
                at -= 1;
                if *octet == b'\n' {
                    wide = false;
                }
                let plain = octet.is_ascii() && !wide;
                ascii.push(if plain { char::from(*octet) } else { char::REPLACEMENT_CHARACTER });
            }
            [] => {}
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    const PIECES: &[&[u8]] = &[b"+", b"-", b"AGg", b"+AOk-", b"caf", b" ", b"=", b"/", b"\xE9", b"2D3cqQ", b"\n"];

    proptest! {
        #[test]
        fn utf7_in_pieces(pieces in vec(select(PIECES), 0..600)) {
            let text = pieces.concat();
            prop_assert_eq!(super::utf7(&text), charset::UTF_7.decode_without_bom_handling(&text).0.into_owned());
        }
    }
}
