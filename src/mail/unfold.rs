//! Rejoins lines that were folded at a fixed width. Such a fold can be in the middle of a word or a URL.
//!
//! Folded lines occur in calendars (RFC 5545, section 3.1), in vCards (RFC 6350, section 3.2), and in header fields
//! whose value is a single URI (RFC 2557, section 4.4.2).

use std::ops::Range;

use memchr::memchr3;

use super::map::Joined;
use super::transfer::{self, Encoding};

/// Unfolds a calendar or a vCard, and writes the result to `joined`. Takes linear time.
///
/// A fold is a line end followed by one blank. Every other line end is replaced with a blank line, because a URL cannot
/// continue after a blank line. The escape `\n`, which means a line end (RFC 5545, section 3.3.11), is also replaced
/// with a blank line. In the escapes `\,`, `\;`, `\:` and `\\`, only the first backslash is removed. A backslash before
/// any other byte is unchanged.
///
/// Decodes quoted-printable values of a vCard 2.1 (section 2.1.3) or a vCalendar 1.0. An encoded line end is also
/// replaced with a blank line.
pub(super) fn unfold_text(text: &[u8], joined: &mut Joined) {
    unfold(text, 1, true, joined);
}

/// Unfolds the value of a header field, and writes the result to `joined`. A fold is a line end followed by any number
/// of blanks. Escapes are not decoded.
pub(super) fn unfold_field(value: &[u8], joined: &mut Joined) {
    unfold(value, usize::MAX, false, joined);
}

/// Whether a value in `text`, a calendar or a vCard, is in quoted-printable.
pub(super) fn has_quoted(text: &[u8]) -> bool {
    text.split_inclusive(|&byte| byte == b'\n').any(|line| encoded_value(line, 0, QUOTED).is_some())
}

/// Returns the values of `text`, an unfolded calendar or vCard, that are in base64, such as attachments (RFC 5545, section
/// 3.8.1.1) and pictures.
pub(super) fn in_base64(text: &[u8]) -> Vec<(Range<usize>, Encoding)> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        if let Some(colon) = encoded_value(line, 0, BASE64) {
            found.push((at + colon + 1..at + line.len(), Encoding::Base64));
        }
        at += line.len() + 1;
    }
    found
}

/// The names of an encoding in a parameter.
const QUOTED: &[&[u8]] = &[b"QUOTED-PRINTABLE"];
const BASE64: &[&[u8]] = &[b"BASE64", b"B"];

/// Returns the offset of the colon before the value of the property at `at`, if the value is in an encoding with one of
/// the `names`: the property has a parameter such as `ENCODING=QUOTED-PRINTABLE`, or only the value of it.
fn encoded_value(text: &[u8], at: usize, names: &[&[u8]]) -> Option<usize> {
    let mut in_quotes = false;
    let is_end = |&byte: &u8| {
        in_quotes ^= byte == b'"';
        byte == b'\n' || byte == b':' && !in_quotes
    };
    let colon = at + text[at..].iter().position(is_end)?;
    let mut parameters = text[at..colon].split(|&byte| byte == b';').skip(1);
    let key = b"ENCODING=";
    let is_encoded = |parameter: &[u8]| {
        let parameter = parameter.trim_ascii();
        let value = parameter.split_at_checked(key.len()).filter(|(start, _)| start.eq_ignore_ascii_case(key));
        let value = value.map_or(parameter, |(_, value)| value.trim_ascii());
        let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
        names.iter().any(|name| value.eq_ignore_ascii_case(name))
    };
    parameters.any(is_encoded).then_some(colon)
}

/// The replacement for a line end that is not a fold. The scanner does not continue a URL after a blank line.
const BLANK_LINE: &[u8] = b"\n\n";

/// Unfolds lines. At most `most` of the blanks after a line end are removed as part of the fold.
fn unfold(text: &[u8], most: usize, escapes: bool, joined: &mut Joined) {
    joined.clear(text.len());
    // The offset in `text` at which the search for the next fold or escape begins.
    let mut from = 0;
    let mut quoted = if escapes { encoded_value(text, 0, QUOTED) } else { None };
    while let Some(at) = memchr3(b'\n', b'\\', b'=', &text[from..]).map(|i| from + i) {
        from = at + 1;
        if text[at] == b'=' {
            if quoted.is_some_and(|colon| colon < at)
                && let Some((end, byte)) = transfer::escape(text, at)
            {
                joined.replace(text, at..end, if byte == Some(b'\n') { BLANK_LINE } else { byte.as_slice() });
                from = end;
            }
        } else if text[at] == b'\n' {
            let start = at - usize::from(text[joined.kept..at].ends_with(b"\r"));
            let end = after_fold(text, start, most);
            if end > start {
                joined.replace(text, start..end, b"");
                from = end;
            } else if escapes {
                joined.replace(text, start..from, BLANK_LINE);
                quoted = encoded_value(text, from, QUOTED);
            }
        } else if escapes {
            // A fold can be between a backslash and the escaped character.
            let escaped = after_fold(text, from, most);
            let (end, becomes) = match text.get(escaped) {
                Some(b'n' | b'N') => (escaped + 1, BLANK_LINE),
                Some(b',' | b';' | b':' | b'\\') => (escaped, &b""[..]),
                _ => continue,
            };
            joined.replace(text, at..end, becomes);
            from = escaped + 1;
        }
    }
    joined.finish(text);
}

/// Returns the end of the fold at `at`. At most `most` blanks belong to the fold. Returns `at` if there is no fold.
fn after_fold(text: &[u8], at: usize, most: usize) -> usize {
    let rest = &text[at..];
    let Some(line) = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n") else { return at };
    match line.iter().take(most).take_while(|byte| matches!(byte, b' ' | b'\t')).count() {
        0 => at,
        blanks => text.len() - line.len() + blanks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_and_escapes_are_removed() {
        let table = [
            ("", ""),
            ("a\r\n b", "ab"),
            ("a\n\tb", "ab"),
            ("a\n  b", "a b"),
            ("a\nb", "a\n\nb"),
            ("a\r\nb\n", "a\n\nb\n\n"),
            ("a\n \n b", "ab"),
            ("a\\nb", "a\n\nb"),
            ("a\\Nb", "a\n\nb"),
            ("a\\,b\\;c\\:d", "a,b;c:d"),
            ("a\\\\nb", "a\\nb"),
            ("a\\xb\\", "a\\xb\\"),
            ("a\n ", "a"),
            ("a\\\r\n nb\\\n ,c", "a\n\nb,c"),
            ("a\r\r\n b", "a\rb"),
            (
                "URL;ENCODING=QUOTED-PRINTABLE:h=2Fp=\r\nq=3D1\r\nb:h=2F",
                "URL;ENCODING=QUOTED-PRINTABLE:h/pq=1\n\nb:h=2F",
            ),
            ("a\nX;LANGUAGE=DE;quoted-printable:a=0D=0Ab=\n", "a\n\nX;LANGUAGE=DE;quoted-printable:a\r\n\nb"),
            ("X;TYPE=QUOTED-PRINTABLE=2F:a=2F", "X;TYPE=QUOTED-PRINTABLE=2F:a=2F"),
        ];
        let mut joined = Joined::default();
        for (text, want) in table {
            unfold_text(text.as_bytes(), &mut joined);
            assert_eq!(joined.text, want.as_bytes(), "{text:?}");
        }
        unfold_text(b"a\\n\r\n b\nc", &mut joined);
        let raw: Vec<_> = (0..joined.text.len()).map(|at| joined.map().raw(at..at + 1)).collect();
        assert_eq!(joined.text, b"a\n\nb\n\nc");
        assert_eq!(raw, [0..1, 1..2, 2..3, 6..7, 7..8, 7..8, 8..9]);
        unfold_field(b"http://a.example/\r\n \t b\\n", &mut joined);
        assert_eq!(joined.text, b"http://a.example/b\\n");
    }
}
