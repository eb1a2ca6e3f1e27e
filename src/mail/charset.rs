//! Decodes charsets such as UTF-16, in which ASCII bytes do not always mean ASCII characters.
//!
//! Most charsets store the characters of a URL as ASCII bytes. Text in such a charset is scanned undecoded. Text in any
//! other charset is decoded first. For a URL in decoded text, the reported range is the range of the whole part.

use std::borrow::Cow;

use ::charset::Charset;
use encoding_rs::Encoding;

/// The way in which a charset encodes ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Two bytes per character: UTF-16, UCS-2.
    Two,
    /// Four bytes per character: UTF-32, UCS-4.
    Four,
    /// UTF-7 (RFC 2152).
    Utf7,
    /// Escape sequences that switch charsets (ISO 2022).
    Escaped,
    /// HZ (RFC 1843).
    Hz,
    /// EBCDIC, the charset of mainframes.
    Ebcdic,
}

/// For each form, the lower-case prefixes of the names of its charsets. The first entry with a matching prefix is used.
///
/// Single-byte charsets, UTF-8, EUC, GBK, Big5 and Shift_JIS are not listed. Text in these charsets is not decoded. In
/// some of these charsets, such as Shift_JIS, the second byte of a non-ASCII character can be an ASCII byte. But such
/// a non-ASCII character cannot be part of a URL. Any other ASCII byte means an ASCII character.
const FORMS: [(Form, &[&[u8]]); 6] = [
    (Form::Ebcdic, &[b"ibm037", b"cp037", b"ibm500", b"cp500", b"ibm1047", b"cp1047", b"ebcdic"]),
    (Form::Four, &[b"utf-32", b"utf32", b"ucs-4"]),
    (Form::Utf7, &[b"utf-7", b"utf7", b"x-utf-7", b"unicode-1-1-utf-7", b"unicode-2-0-utf-7"]),
    (Form::Two, &[b"utf-16", b"utf16", b"ucs-", b"iso-10646", b"unicode"]),
    (Form::Escaped, &[b"iso-2022", b"csiso2022"]),
    (Form::Hz, &[b"hz"]),
];

/// Returns the form of the charset named `label`. Returns `None` if the charset needs no decoding. `label` must be
/// trimmed.
fn form(label: &[u8]) -> Option<Form> {
    // A fast path: nearly all parts have one of these charsets, which need no decoding.
    if let Some(five) = label.first_chunk()
        && matches!(&five.map(|byte| byte | 0x20), b"us-as" | b"iso-8" | b"utf-8")
    {
        return None;
    }
    let begins = |name: &&[u8]| label.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    FORMS.iter().find(|(_, names)| names.iter().any(begins)).map(|(form, _)| *form)
}

/// The most frequent names of charsets in mail.
const USUAL: [&[u8]; 4] = [b"utf-8", b"us-ascii", b"iso-8859-1", b"windows-1252"];

/// Whether no charset has the name `label`.
pub(super) fn is_unknown(label: &[u8]) -> bool {
    let label = label.trim_ascii();
    // A fast path for the usual charsets.
    let is_usual = USUAL.iter().any(|usual| label.eq_ignore_ascii_case(usual));
    !is_usual && !label.is_empty() && form(label).is_none() && Encoding::for_label(standard(label)).is_none()
}

/// Whether text in the charset named `label` must be decoded to find URLs.
pub(super) fn is_opaque(label: &[u8]) -> bool {
    form(label.trim_ascii()).is_some()
}

/// Whether `text` is UTF-16 or UTF-32, judged by its first bytes.
pub(super) fn is_wide(text: &[u8]) -> bool {
    has_wide_mark(text) || has_wide_letters(text)
}

/// Whether `text` starts with a byte order mark of UTF-16 or UTF-32.
fn has_wide_mark(text: &[u8]) -> bool {
    text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") || text.starts_with(b"\0\0\xFE\xFF")
}

/// Whether `text` starts with four ASCII characters in UTF-16, although another charset can be declared.
fn has_wide_letters(text: &[u8]) -> bool {
    let is_ascii = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    /// The bits of every other byte.
    const ODD: u64 = 0xFF00_FF00_FF00_FF00;
    let Some(first) = text.first_chunk::<8>() else { return false };
    let word = u64::from_le_bytes(*first);
    if word & ODD != 0 && word & !ODD != 0 {
        return false;
    }
    first.iter().enumerate().all(|(at, &byte)| if at % 2 == 0 { is_ascii(byte) } else { byte == 0 })
        || first.iter().enumerate().all(|(at, &byte)| if at % 2 == 1 { is_ascii(byte) } else { byte == 0 })
}

/// Decodes `text` in the charset named `label` to UTF-8. Returns `None` if `text` can be scanned without decoding.
///
/// Takes linear time. Invalid bytes become U+FFFD or stay unchanged, depending on the charset.
pub(super) fn decode(label: &[u8], text: &[u8]) -> Option<String> {
    let label = label.trim_ascii().to_ascii_lowercase();
    let form = if has_wide_letters(text) { Some(Form::Two) } else { form(&label) };
    // In UTF-16 and UTF-32, each ASCII character contains a NUL byte, and so does each URL. Text without NUL bytes is
    // not decoded: either the text has no URL, or the charset label is wrong.
    let may_be_wide = has_wide_mark(text) || matches!(form, Some(Form::Two | Form::Four));
    if may_be_wide && memchr::memchr(0, text).is_none() {
        return None;
    }
    if text.starts_with(b"\xFF\xFE\0\0") || text.starts_with(b"\0\0\xFE\xFF") || form == Some(Form::Four) {
        return Some(utf32(text, label.ends_with(b"le")));
    }
    if has_wide_mark(text) {
        return Charset::for_bom(text)
            .map(|(charset, length)| charset.decode_without_bom_handling(&text[length..]).0.into_owned());
    }
    match form? {
        Form::Two | Form::Four => utf16(&label, text),
        Form::Utf7 => {
            // A `+` begins an encoded sequence. Text without `+` is plain ASCII.
            memchr::memchr(b'+', text)?;
            Some(utf7(text))
        }
        Form::Escaped => {
            // Text without escape or shift bytes is plain ASCII.
            memchr::memchr3(0x1B, 0x0E, 0x0F, text)?;
            let is_japanese = label.starts_with(b"iso-2022-jp") || label.starts_with(b"csiso2022jp");
            if is_japanese && has_only_japanese_escapes(text) { japanese(text) } else { seven_bit(&label, text) }
        }
        Form::Ebcdic => Some(text.iter().map(|&byte| ebcdic(byte)).collect()),
        Form::Hz => {
            memchr::memmem::find(text, b"~{")?;
            hz(text)
        }
    }
}

/// Returns the charset named `label`. Returns `None` if it is UTF-8 or unknown, or if its ASCII bytes do not always mean
/// ASCII characters.
pub(super) fn legacy(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label_no_replacement(standard(label.trim_ascii()))?;
    (encoding != encoding_rs::UTF_8 && encoding.is_ascii_compatible()).then_some(encoding)
}

/// Decodes a byte of EBCDIC. Bytes that are not the same in all code pages, and cannot be part of a URL, become U+FFFD.
fn ebcdic(byte: u8) -> char {
    /// The characters of the bytes from 0x40. `^` is any other character.
    const CHARACTERS: &[u8; 192] = b" ^^^^^^^^^^.<(+|&^^^^^^^^^!$*);^-/^^^^^^^^^,%_>?^^^^^^^^^`:#@'=\"\
        ^abcdefghi^^^^^^^jklmnopqr^^^^^^^~stuvwxyz^^^^^^^^^^^^^^^^[]^^^^\
        {ABCDEFGHI^^^^^^}JKLMNOPQR^^^^^^\\^STUVWXYZ^^^^^^0123456789^^^^^^";
    match byte {
        0x15 | 0x25 => '\n',
        0..0x40 => ' ',
        _ => match CHARACTERS[usize::from(byte - 0x40)] {
            b'^' => char::REPLACEMENT_CHARACTER,
            character => char::from(character),
        },
    }
}

/// Decodes UTF-16. If `label` does not state the byte order, the positions of the NUL bytes decide. For text without a
/// stated byte order, RFC 2781 prescribes big-endian, but nearly every sender writes little-endian.
fn utf16(label: &[u8], text: &[u8]) -> Option<String> {
    let little = match label {
        b"utf-16be" => false,
        b"utf-16le" => true,
        _ => text.iter().step_by(2).filter(|&&byte| byte == 0).count() <= text.len() / 8,
    };
    let name: &[u8] = if little { b"utf-16le" } else { b"utf-16be" };
    Charset::for_label(name).map(|charset| charset.decode_without_bom_handling(text).0.into_owned())
}

/// Decodes UTF-7 (RFC 2152) in small pieces. After each encoded sequence, the decoder of the crate `charset` clears the
/// rest of its output buffer. If the whole text were decoded at once, this buffer would be large, and clearing it again
/// and again would take quadratic time.
fn utf7(text: &[u8]) -> String {
    const PIECE: usize = 256;
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let least = rest.len().min(PIECE);
        // Each piece ends after a byte that is not base64, so that no encoded sequence is split.
        let ends = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'+' | b'/');
        let end = rest[least..].iter().position(ends).map_or(rest.len(), |i| least + i + 1);
        let (piece, tail) = rest.split_at(end);
        decoded.push_str(&::charset::UTF_7.decode_without_bom_handling(piece).0);
        rest = tail;
    }
    decoded
}

/// Decodes ISO-2022-JP, and replaces each overline with a tilde. After kanji, many senders switch to JIS-Roman instead
/// of ASCII. In JIS-Roman, the byte 0x7E means an overline, but a URL has a tilde there.
///
/// An escape sequence directly before another one is removed: encoding_rs decodes it to U+FFFD, because a program could
/// hide text with it, but it occurs where two encoded words are joined.
fn japanese(text: &[u8]) -> Option<String> {
    let mut joined = Vec::with_capacity(text.len());
    let mut from = 0;
    for at in memchr::memchr_iter(0x1B, text).filter(|at| text.get(at + 3) == Some(&0x1B)) {
        joined.extend_from_slice(&text[from..at]);
        from = at + 3;
    }
    joined.extend_from_slice(&text[from..]);
    let decoded = Charset::for_label(b"iso-2022-jp")?.decode_without_bom_handling(&joined).0;
    Some(if decoded.contains(OVERLINE) { decoded.replace(OVERLINE, "~") } else { decoded.into_owned() })
}

const OVERLINE: char = '\u{203E}';

/// Whether encoding_rs decodes each escape sequence in `text`. It decodes those of ISO-2022-JP, but not those that
/// ISO-2022-JP-2 adds (RFC 1554), for example for Chinese. The bytes after another escape sequence would become letters.
fn has_only_japanese_escapes(text: &[u8]) -> bool {
    memchr::memchr_iter(0x1B, text)
        .all(|at| matches!(text.get(at + 1..at + 3), Some(b"(B" | b"(J" | b"(I" | b"$@" | b"$B")))
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

/// Decodes ISO-2022-KR and ISO-2022-CN, which the crate charset does not decode. In them, the bytes between a shift-out
/// and a shift-in byte are those of EUC-KR and of GB 2312 without the eighth bit. All other bytes outside ASCII become
/// U+FFFD, which cannot be part of a URL.
fn seven_bit(label: &[u8], text: &[u8]) -> Option<String> {
    let charset: Option<&[u8]> = match label.strip_prefix(b"cs").unwrap_or(label) {
        b"iso-2022-kr" | b"iso2022kr" => Some(b"euc-kr"),
        b"iso-2022-cn" | b"iso-2022-cn-ext" | b"iso2022cn" => Some(b"gbk"),
        _ => None,
    };
    let mut eight_bit = Vec::with_capacity(text.len());
    let (mut shifted, mut wide) = (false, false);
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            0x0E => shifted = true,
            0x0F => shifted = false,
            b'\n' => {
                // Every line starts in ASCII mode (RFC 1557, RFC 1922).
                shifted = false;
                eight_bit.push(b'\n');
            }
            0x1B => {
                // An escape sequence is ESC, some intermediate bytes, and one final byte. `ESC $ B` and `ESC $ ( C`
                // switch to a two-byte charset. `ESC $ ) C` only declares the charset that a later shift-out byte
                // switches to.
                let intermediates = rest.iter().take_while(|byte| (0x20..=0x2F).contains(*byte)).count();
                match &rest[..intermediates] {
                    b"$" | b"$(" => wide = true,
                    b"(" => wide = false,
                    _ => {}
                }
                rest = rest.get(intermediates + 1..).unwrap_or_default();
            }
            _ if shifted && charset.is_some() => eight_bit.push(byte | 0x80),
            _ if shifted || wide || byte >= 0x80 => eight_bit.push(INVALID),
            _ => eight_bit.push(byte),
        }
    }
    Some(Charset::for_label(charset.unwrap_or(b"gbk"))?.decode_without_bom_handling(&eight_bit).0.into_owned())
}

/// A byte that is invalid in EUC-KR and GBK.
const INVALID: u8 = 0xFF;

/// Decodes HZ (RFC 1843). `~{` begins GB 2312 text without the eighth bit. `~}` or a line end ends it. `~~` means a
/// tilde. A tilde and the line end after it are removed. At the end of a part, the line end belongs to the boundary line
/// that follows.
fn hz(text: &[u8]) -> Option<String> {
    let mut eight_bit = Vec::with_capacity(text.len());
    let mut wide = false;
    let mut at = 0;
    while at < text.len() {
        let pair = &text[at..text.len().min(at + 2)];
        at += 2;
        match pair {
            b"~{" => wide = true,
            b"~}" => wide = false,
            b"~~" if !wide => eight_bit.push(b'~'),
            b"~" | b"~\n" if !wide => {}
            b"~\r" if !wide && text.get(at) == Some(&b'\n') => at += 1,
            [byte, ..] => {
                at -= 1;
                wide &= *byte != b'\n';
                eight_bit.push(match byte {
                    0x80.. => INVALID,
                    0x21.. if wide => byte | 0x80,
                    _ => *byte,
                });
            }
            [] => {}
        }
    }
    Some(Charset::for_label(b"gbk")?.decode_without_bom_handling(&eight_bit).0.into_owned())
}

/// Decodes text of a header field for people to read. Returns `None` if the charset named `label` is unknown and `bytes`
/// are not UTF-8. Invalid bytes become U+FFFD. Takes linear time.
pub(super) fn read(label: &[u8], bytes: &[u8]) -> Option<String> {
    let label = label.trim_ascii().to_ascii_lowercase();
    let utf8 = || std::str::from_utf8(bytes).ok().map(str::to_owned);
    if label.is_empty() || UNNAMED.contains(&label.as_slice()) {
        return utf8().or_else(|| read(b"windows-1252", bytes));
    }
    if form(&label).is_some() && (bytes.is_ascii() || utf8().is_none()) {
        return decode(&label, bytes).or_else(|| Some(String::from_utf8_lossy(bytes).into_owned()));
    }
    if let Some(page) = oem(&label) {
        let page: Vec<char> = page.chars().collect();
        let high = |at: u8| page.get(usize::from(at)).copied().unwrap_or(char::REPLACEMENT_CHARACTER);
        let decode = |&byte: &u8| byte.checked_sub(0x80).map_or(char::from(byte), high);
        return Some(bytes.iter().map(decode).collect());
    }
    let Some(charset) = Charset::for_label_no_replacement(standard(&label)) else { return utf8() };
    let (text, is_damaged) = charset.decode_without_bom_handling(bytes);
    // Some programs write a name of a charset that is not the charset of the text.
    if is_damaged { utf8().or(Some(text.into_owned())) } else { Some(text.into_owned()) }
}

/// Labels that name no charset, or ASCII, which many programs write before text in another charset.
const UNNAMED: &[&[u8]] =
    &[b"us-ascii", b"ascii", b"unknown-8bit", b"x-unknown", b"unknown", b"8bit", b"default", b"none"];

/// Beginnings of other names of charsets, in lower case, and their names in the Encoding Standard.
const ALIASES: &[(&[u8], &[u8])] = &[
    (b"cp932", b"shift_jis"),
    (b"cp936", b"gbk"),
    (b"cp949", b"euc-kr"),
    (b"cp950", b"big5"),
    (b"eucgb", b"gbk"),
    (b"gb2312", b"gbk"),
    (b"gb_2312", b"gbk"),
    (b"utf8", b"utf-8"),
    (b"win-1250", b"windows-1250"),
    (b"win-1251", b"windows-1251"),
    (b"win-1252", b"windows-1252"),
    (b"x-big5", b"big5"),
];

/// Returns the name in the Encoding Standard of the charset named `label`, or `label` if it has no other name.
fn standard(label: &[u8]) -> &[u8] {
    let begins = |start: &[u8]| label.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    ALIASES.iter().find(|(start, _)| begins(start)).map_or(label, |(_, name)| name)
}

/// The DOS code pages: in each line, the number of a page, and its characters from 0x80 on. A byte without a character
/// or with a control has U+FFFD. The crate oem_cp has such tables, but needs three more crates.
const OEM: &str = include_str!("oem.txt");

/// Returns the characters from 0x80 on of the DOS code page named `label`, such as `ibm850` or `cp437`.
fn oem(label: &[u8]) -> Option<&'static str> {
    let number = [&b"ibm"[..], b"cp-", b"cp", b"oem", b"dos-"].iter().find_map(|start| label.strip_prefix(*start))?;
    let mut pages = OEM.lines().filter_map(|line| line.split_once(' '));
    pages.find(|(page, _)| page.as_bytes() == number).map(|(_, characters)| characters)
}

/// Decodes text of a header field that is not an encoded word. Bytes that are not UTF-8 are in the charset named
/// `label`, or else in windows-1252.
pub(super) fn text<'t>(bytes: &'t [u8], label: Option<&[u8]>) -> Cow<'t, str> {
    if memchr::memchr(0x1B, bytes).is_some() && has_only_japanese_escapes(bytes) {
        return japanese(bytes).map_or_else(|| String::from_utf8_lossy(bytes), Cow::Owned);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        // A program has cut the text within a character. But a single last byte can be a Latin letter.
        Err(error) if error.error_len().is_none() && is_cut(bytes, error.valid_up_to()) => {
            String::from_utf8_lossy(bytes)
        }
        Err(_) => {
            let label = label.filter(|label| !label.eq_ignore_ascii_case(b"utf-8")).unwrap_or_default();
            let decoded = read(label, bytes).or_else(|| read(b"windows-1252", bytes));
            decoded.map_or_else(|| String::from_utf8_lossy(bytes), Cow::Owned)
        }
    }
}

/// Whether `bytes` are UTF-8 that was cut after the offset `end`, within a character.
fn is_cut(bytes: &[u8], end: usize) -> bool {
    end > 0 && (!bytes[..end].is_ascii() || bytes.len() > end + 1)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::{Form, decode, form, utf16};

    #[test]
    fn ebcdic_is_decoded() {
        let text = b"\xA2\x85\x85@\x88\xA3\xA3\x97zaa\x83K\x85\xA7\x81\x94\x97\x93\x85a\xF1mBo\x25";
        for label in [&b"IBM037"[..], b"cp500", b"ebcdic-cp-us"] {
            assert_eq!(decode(label, text).as_deref(), Some("see http://c.example/1_\u{fffd}?\n"));
        }
    }

    /// If the label does not state the byte order, the number of NULs at even offsets decides. Little-endian text has
    /// few NULs at even offsets.
    #[test]
    fn nuls_show_the_byte_order() {
        let table = [
            "http://a.example/",
            // In little-endian text, U+4E00 has its NUL at an even offset, like an ASCII character in big-endian text.
            "http://a.example/ \u{4E00}.",
            "http://a.example/ \u{4E00} \u{4E00}..",
        ];
        for text in table {
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            for (label, bytes) in [("utf-16", &little), ("utf-16", &big), ("utf-16le", &little), ("utf-16be", &big)] {
                assert_eq!(utf16(label.as_bytes(), bytes).as_deref(), Some(text), "{label}: {text}");
            }
        }
    }

    /// A byte order mark overrules the label.
    #[test]
    fn byte_orders_of_utf32() {
        let text = "http://a.example/";
        for (label, mark, is_little) in [
            ("utf-32", "", false),
            ("utf-32be", "", false),
            ("utf-32le", "", true),
            ("utf-32le", "\u{FEFF}", true),
            ("utf-32le", "\u{FEFF}", false),
            ("utf-32be", "\u{FEFF}", true),
        ] {
            let order = if is_little { u32::to_le_bytes } else { u32::to_be_bytes };
            let bytes: Vec<u8> = format!("{mark}{text}").chars().flat_map(|c| order(u32::from(c))).collect();
            assert_eq!(decode(label.as_bytes(), &bytes).as_deref(), Some(text), "{label}, {mark:?}, {is_little}");
        }
    }

    #[test]
    fn names_of_charsets() {
        let table = [
            ("utf-16le", Some(Form::Two)),
            ("UCS-2", Some(Form::Two)),
            ("unicode", Some(Form::Two)),
            ("ISO-10646-UCS-2", Some(Form::Two)),
            ("ucs-4", Some(Form::Four)),
            ("UTF32", Some(Form::Four)),
            ("unicode-1-1-utf-7", Some(Form::Utf7)),
            ("UTF-7", Some(Form::Utf7)),
            ("ISO-2022-JP", Some(Form::Escaped)),
            ("hz-gb-2312", Some(Form::Hz)),
            ("HZ", Some(Form::Hz)),
            ("UTF-8", None),
            ("ISO-8859-1", None),
            ("us-ascii", None),
            ("koi8-r", None),
            ("utf", None),
            ("", None),
        ];
        for (label, want) in table {
            assert_eq!(form(label.as_bytes()), want, "{label}");
        }
    }

    const PIECES: &[&[u8]] = &[b"+", b"-", b"AGg", b"+AOk-", b"caf", b" ", b"=", b"/", b"\xE9", b"2D3cqQ", b"\n"];

    proptest! {
        #[test]
        fn utf7_in_pieces(pieces in vec(select(PIECES), 0..600)) {
            let text = pieces.concat();
            prop_assert_eq!(super::utf7(&text), charset::UTF_7.decode_without_bom_handling(&text).0.into_owned());
        }
    }
}
