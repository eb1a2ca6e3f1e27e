//! Decodes character references.
//!
//! Checks the most frequent character references first. A table has the names of about two thousand other references.

use std::cmp::Ordering;

use memchr::memchr;

use super::super::map::Run;

/// Length in bytes of the longest named reference, with `&` and `;`.
const LONGEST: usize = 34;

/// The named references of the HTML standard, section 13.5, sorted bytewise. Each line has a name without its `;`,
/// followed by one or two code points in hexadecimal.
const NAMED: &str = include_str!("references.txt");

/// The names that need no `;` in an attribute (HTML standard, section 13.5), sorted bytewise. If the `;` is missing,
/// the byte after the name must not be `=`, a letter or a digit.
const WITHOUT_SEMICOLON: [&str; 106] = [
    "AElig", "AMP", "Aacute", "Acirc", "Agrave", "Aring", "Atilde", "Auml", "COPY", "Ccedil", "ETH", "Eacute", "Ecirc",
    "Egrave", "Euml", "GT", "Iacute", "Icirc", "Igrave", "Iuml", "LT", "Ntilde", "Oacute", "Ocirc", "Ograve", "Oslash",
    "Otilde", "Ouml", "QUOT", "REG", "THORN", "Uacute", "Ucirc", "Ugrave", "Uuml", "Yacute", "aacute", "acirc",
    "acute", "aelig", "agrave", "amp", "aring", "atilde", "auml", "brvbar", "ccedil", "cedil", "cent", "copy",
    "curren", "deg", "divide", "eacute", "ecirc", "egrave", "eth", "euml", "frac12", "frac14", "frac34", "gt",
    "iacute", "icirc", "iexcl", "igrave", "iquest", "iuml", "laquo", "lt", "macr", "micro", "middot", "nbsp", "not",
    "ntilde", "oacute", "ocirc", "ograve", "ordf", "ordm", "oslash", "otilde", "ouml", "para", "plusmn", "pound",
    "quot", "raquo", "reg", "sect", "shy", "sup1", "sup2", "sup3", "szlig", "thorn", "times", "uacute", "ucirc",
    "ugrave", "uml", "uuml", "yacute", "yen", "yuml",
];

/// The characters for the numbers 128 to 159. The HTML standard, section 13.2.5.80, maps these numbers to windows-1252
/// characters instead of control characters.
const FROM_128: [u16; 32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
    0x17E, 0x178,
];

/// Decodes the character reference at the start of `html`, and appends the result to `decoded` as UTF-8. Returns the
/// length of the reference, or `None` if the reference is invalid. `html` must start with `&`. `attribute` says whether
/// `html` is from an attribute value. For example, `&lt=1` is a reference in text, but not in an attribute value.
///
/// In text, a name without a `;` is decoded only if it is `amp`, `AMP`, `lt`, `gt`, `quot`, `QUOT` or `nbsp`. HTML also
/// allows other names without a `;`, such as `copy`. But in text, `&copy` is more often a part of a URL such as
/// `?a=1&copy=2`. Besides, none of these other names except `LT` and `GT` means an ASCII character.
pub(super) fn at_start(html: &[u8], attribute: bool, decoded: &mut Vec<u8>) -> Option<usize> {
    let rest = html.get(1..)?;
    if let [b'#', number @ ..] = rest {
        return numeric(number, decoded).map(|len| len + 2);
    }
    let len =
        rest.iter().take(LONGEST).position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len().min(LONGEST));
    let name = &rest[..len];
    let closed = rest.get(len) == Some(&b';');
    let known: Option<(usize, &[u8])> = match name {
        [b'a', b'm', b'p', ..] | [b'A', b'M', b'P', ..] => Some((3, b"&")),
        [b'l', b't', ..] => Some((2, b"<")),
        [b'g', b't', ..] => Some((2, b">")),
        [b'q', b'u', b'o', b't', ..] | [b'Q', b'U', b'O', b'T', ..] => Some((4, b"\"")),
        [b'n', b'b', b's', b'p', ..] => Some((4, b"\xC2\xA0")),
        _ => None,
    };
    if let Some((length, meaning)) = known
        && !(closed && len > length)
    {
        let next = rest.get(length);
        if attribute && next.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'=') {
            return None;
        }
        decoded.extend_from_slice(meaning);
        return Some(1 + length + usize::from(next == Some(&b';')));
    }
    let is_whole = closed
        || attribute
            && rest.get(len) != Some(&b'=')
            && WITHOUT_SEMICOLON.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok();
    if !is_whole || len < 2 {
        return None;
    }
    decoded.extend_from_slice(named(name)?.as_bytes());
    Some(1 + len + usize::from(closed))
}

/// Returns the one or two characters that the named reference `&name;` represents.
fn named(name: &[u8]) -> Option<String> {
    let mut rest = NAMED;
    while !rest.is_empty() {
        let middle = rest.len() / 2;
        let start = rest[..middle].rfind('\n').map_or(0, |before| before + 1);
        let (line, after) = rest[start..].split_once('\n')?;
        let (known, codes) = line.split_once(' ')?;
        match name.cmp(known.as_bytes()) {
            Ordering::Less => rest = &rest[..start],
            Ordering::Greater => rest = after,
            Ordering::Equal => {
                let character = |code| char::from_u32(u32::from_str_radix(code, 16).ok()?);
                return codes.split(' ').map(character).collect();
            }
        }
    }
    None
}

/// Decodes a numeric reference such as `&#58;` or `&#x3a;`. `number` is the text after `&#`. Returns the length of the
/// reference without the `&#`, but with the `;` if there is one. Returns `None` if there are no digits.
fn numeric(number: &[u8], decoded: &mut Vec<u8>) -> Option<usize> {
    let (prefix, radix) = match number {
        [b'x' | b'X', ..] => (1, 16),
        _ => (0, 10),
    };
    let digits = number[prefix..].iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    if digits == 0 {
        return None;
    }
    let code = number[prefix..prefix + digits]
        .iter()
        .try_fold(0u32, |code, &byte| code.checked_mul(radix)?.checked_add(char::from(byte).to_digit(radix)?));
    let code = code.map(|code| match code {
        0x80..=0x9F => u32::from(FROM_128[code as usize - 0x80]),
        _ => code,
    });
    let c = match code {
        Some(code) => char::from_u32(code).filter(|&c| c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER),
        None => char::REPLACEMENT_CHARACTER,
    };
    let mut utf8 = [0; 4];
    decoded.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
    let end = prefix + digits;
    Some(end + usize::from(number.get(end) == Some(&b';')))
}

/// Decodes all references in the attribute value `raw`. Writes the result to `decoded`. Writes to `runs` how offsets in
/// `decoded` map to offsets in `raw`.
pub(super) fn decode(raw: &[u8], decoded: &mut Vec<u8>, runs: &mut Vec<Run>) {
    decoded.clear();
    runs.clear();
    let mut at = 0;
    while at < raw.len() {
        let run = |text: usize, len: usize| Run { text: text as u32, raw: at as u32, len: len as u32 };
        let before = decoded.len();
        if raw[at] == b'&'
            && let Some(len) = at_start(&raw[at..], true, decoded)
        {
            runs.push(run(before, len));
            at += len;
            continue;
        }
        let len = 1 + memchr(b'&', &raw[at + 1..]).unwrap_or(raw.len() - at - 1);
        decoded.extend_from_slice(&raw[at..at + len]);
        runs.push(run(before, len));
        at += len;
    }
}

#[cfg(test)]
mod tests {
    use html5gum::{Token, Tokenizer};
    use proptest::prelude::*;

    use super::*;

    /// Returns the text of the reference `name`, as decoded by html5gum. Returns `None` if html5gum decodes only a part
    /// of `name`.
    fn by_standard(name: &str) -> Option<String> {
        let text = format!("&{name};");
        let tokens = Tokenizer::new(&text).filter_map(|token| match token {
            Ok(Token::String(string)) => Some(String::from_utf8(string.value.0).expect("no byte is made up")),
            Ok(Token::Error(_)) => None,
            other => panic!("{text}: {other:?}"),
        });
        let meaning: String = tokens.collect();
        // If html5gum decodes only the beginning of `name`, it copies the rest of `text`, so the result ends with `;`.
        // The reference `&semi;` is an exception: its complete result is `;`.
        (meaning == ";" || !meaning.ends_with(';')).then_some(meaning)
    }

    #[test]
    fn every_name_means_what_the_standard_says() {
        let names: Vec<&str> =
            NAMED.lines().map(|line| line.split_once(' ').expect("a name and its meaning").0).collect();
        assert_eq!(names.len(), 2125, "the standard has that many");
        assert!(names.is_sorted_by(|one, next| one < next));
        for name in names {
            let meaning = named(name.as_bytes());
            assert!(meaning.is_some() && meaning == by_standard(name), "{name}: {meaning:?}");
            assert!(name.len() + 2 <= LONGEST, "{name}");
        }
        assert_eq!(named(b"NotEqualTilde").as_deref(), Some("\u{2242}\u{338}"));
    }

    #[test]
    fn numbers_mean_what_the_standard_says() {
        for number in (0..0x180).chain([0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10FFFF, 0x110000]) {
            let (mut meaning, text) = (Vec::new(), format!("&#{number};"));
            assert_eq!(at_start(text.as_bytes(), true, &mut meaning), Some(text.len()));
            assert_eq!(String::from_utf8(meaning).ok(), by_standard(&text[1..text.len() - 1]), "{text}");
        }
    }

    /// Each row has HTML that begins with a reference, and the length and meaning of the reference in text and in an
    /// attribute value.
    #[test]
    fn a_semicolon_is_optional_after_some_names() {
        let table = [
            ("&quot b", Some((5, "\"")), Some((5, "\""))),
            ("&QUOT b", Some((5, "\"")), Some((5, "\""))),
            ("&nbsp b", Some((5, "\u{a0}")), Some((5, "\u{a0}"))),
            ("&lt=1", Some((3, "<")), None),
            ("&ltb", Some((3, "<")), None),
            ("&gtb", Some((3, ">")), None),
            ("&copy b", None, Some((5, "\u{a9}"))),
            ("&copy=1", None, None),
            ("&lthree;", Some((8, "\u{22cb}")), Some((8, "\u{22cb}"))),
            ("&pi;", Some((4, "\u{3c0}")), Some((4, "\u{3c0}"))),
            ("&pi b", None, None),
        ];
        for (html, in_text, in_attribute) in table {
            for (attribute, want) in [(false, in_text), (true, in_attribute)] {
                let mut meaning = Vec::new();
                let len = at_start(html.as_bytes(), attribute, &mut meaning);
                let (want_len, want) = want.unzip();
                assert_eq!((len, meaning), (want_len, want.unwrap_or("").into()), "{html} {attribute}");
            }
        }
    }

    #[test]
    fn unknown_reference_names_are_rejected() {
        for name in ["", "A", "Aacut", "Aacutee", "aacut e", "zzz", "~", "copyfoo", "notit", "AElig c6"] {
            assert_eq!(named(name.as_bytes()), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn names_are_those_of_the_standard(
            at in 0..NAMED.lines().count(), cut in 0usize..8, more in "[a-zA-Z0-9]{0,3}"
        ) {
            let name = NAMED.lines().nth(at).and_then(|line| line.split_once(' ')).map(|(name, _)| name).unwrap();
            let name = format!("{}{more}", &name[..name.len().saturating_sub(cut).max(1)]);
            prop_assert_eq!(named(name.as_bytes()), by_standard(&name));
        }
    }
}
