//! Decodes the escapes in the strings of JSON (RFC 8259, section 7).

use std::ops::Range;

use memchr::{memchr3, memchr3_iter, memmem};

use super::map::Joined;
use super::transfer::Encoding;

/// The characters that HTML escapes. HTML in a mail of Yahoo Groups is escaped twice.
const HTML: &[(&[u8], char)] =
    &[(b"amp;amp;", '&'), (b"lt;", '<'), (b"gt;", '>'), (b"amp;", '&'), (b"quot;", '"'), (b"#39;", '\'')];

/// The beginnings of end tags of HTML in JSON.
const TAGS: [&[u8]; 4] = [b"</", b"<\\/", b"\\u003c/", b"\\u003C/"];

/// Writes `text` to `joined`, with the escapes decoded, also those of HTML if it has HTML. Yahoo Groups escapes the
/// characters of HTML in all mail. In other messages with encoded parts, HTML keeps its escapes: `strings` is the result
/// of [`encoded`]. A line end outside strings is replaced with a blank line, because a URL cannot continue after it. Takes
/// linear time.
pub(super) fn unescape(text: &[u8], strings: &[(Range<usize>, Encoding)], joined: &mut Joined) {
    joined.clear(text.len());
    let mut from = 0;
    let has = |part: &[u8]| memmem::find(text, part).is_some();
    let is_yahoo = has(b"\"rawEmail\"");
    let is_html = is_yahoo || TAGS.iter().any(|tag| has(tag));
    let escapes = if is_yahoo && has(b"&lt;/") { HTML } else { &HTML[1..] };
    let mut messages = if is_yahoo { &[] } else { strings };
    // Without HTML, only two different bytes are searched.
    let third = if is_html { b'&' } else { b'\\' };
    while let Some(at) = memchr3(b'\n', b'\\', third, &text[from..]).map(|i| from + i) {
        from = at + 1;
        if text[at] == b'\n' {
            joined.replace(text, at..from, b"\n\n");
            continue;
        }
        while let Some(((message, _), rest)) = messages.split_first()
            && message.end <= at
        {
            messages = rest;
        }
        let is_kept = || messages.first().is_some_and(|(message, _)| message.start <= at);
        let is_escape = |name: &[u8]| text[at] == b'&' && text[from..].starts_with(name) && !is_kept();
        let html = escapes.iter().find(|(name, _)| is_escape(name));
        let (length, becomes) = match text.get(from) {
            _ if text[at] == b'&' => match html {
                Some((name, becomes)) => (name.len(), *becomes),
                None => continue,
            },
            Some(b'n') => (1, '\n'),
            Some(b'r') => (1, '\r'),
            Some(b't') => (1, '\t'),
            Some(b'b' | b'f') => (1, ' '),
            Some(&byte @ (b'"' | b'\\' | b'/')) => (1, char::from(byte)),
            Some(b'u') => match character(&text[from..]) {
                Some(found) => found,
                None => continue,
            },
            _ => continue,
        };
        let mut utf8 = [0; 4];
        joined.replace(text, at..from + length, becomes.encode_utf8(&mut utf8).as_bytes());
        from += length;
    }
    joined.finish(text);
}

/// Returns the strings in the JSON `text` that are messages with encoded parts, and the strings that begin with base64,
/// such as `raw` in the messages of Gmail. The encoding is that of the whole string.
pub(super) fn encoded(text: &[u8]) -> Vec<(Range<usize>, Encoding)> {
    const ENCODING: &[u8] = b"content-transfer-encoding:";
    // Programs write the name of the field in several ways, all with these letters.
    let field = |at: usize| {
        let start = at.checked_sub(b"content-t".len())?;
        text.get(start..start + ENCODING.len())?.eq_ignore_ascii_case(ENCODING).then_some(start)
    };
    let mut fields = memmem::find_iter(text, b"ransfer-").filter_map(field).peekable();
    let (mut open, mut escaped, mut found) = (None, 0, Vec::new());
    // A string has no line end, so a line end and the end of the text close an open string.
    for at in memchr3_iter(b'"', b'\\', b'\n', text).chain([text.len()]) {
        if at < escaped {
            continue;
        }
        let byte = text.get(at).copied().unwrap_or(b'\n');
        if byte == b'\\' {
            escaped = at + 2;
            continue;
        }
        let Some(start) = open.take() else {
            open = (byte == b'"').then_some(at + 1);
            continue;
        };
        while fields.next_if(|&field| field < start).is_some() {}
        let string = &text[start..at];
        if fields.peek().is_some_and(|&field| field < at) && begins_message(string) {
            found.push((start..at, Encoding::Identity));
        } else if begins_base64(string) {
            found.push((start..at, Encoding::Base64));
        }
    }
    found
}

/// Whether the string `text` begins with base64, in either alphabet. Its lines can end in escapes.
fn begins_base64(text: &[u8]) -> bool {
    /// The number of bytes in which `http://a.b` has base64, and the number of bytes that are checked.
    const LENGTH: (usize, usize) = (16, 64);
    text.len() >= LENGTH.0
        && text[..text.len().min(LENGTH.1)]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=' | b'\\'))
}

/// Whether the string `text`, with its escapes, begins with the line of an mbox before a message, or with a field.
fn begins_message(text: &[u8]) -> bool {
    let name = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-').unwrap_or(0);
    text.starts_with(b"From ") || name > 0 && text[name] == b':'
}

/// Returns the character of an escape such as `u00e9`, and the length of the escape. A character outside the Basic
/// Multilingual Plane is two escapes.
fn character(text: &[u8]) -> Option<(usize, char)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = unit(1)?;
    let second = if text.get(5..7) == Some(b"\\u") { unit(7) } else { None };
    let units = [first, second.unwrap_or_default()];
    let character = char::decode_utf16(units).next()?.unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((if character.len_utf16() == 2 { 11 } else { 5 }, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_are_encoded() {
        let field = "Content-Transfer-Encoding: base64";
        let table = [
            (format!(r#"{{"a":"x: \"y\"\n{field}\n\nz","b":"c"}}"#), Some(format!(r#"x: \"y\"\n{field}\n\nz"#))),
            (format!(r#"{{"a":"From x\n{field}"}}"#), Some(format!(r"From x\n{field}"))),
            (format!(r#"{{"a":"In {field}"}}"#), None),
            (r#"{"a":"x: y\n\nz"}"#.to_owned(), None),
            (format!(r#"{{"a":"x: {field}"#), Some(format!("x: {field}"))),
            (r#"{"a":"RnJvbTogeA0K\nRnJv\/","b":"c"}"#.to_owned(), Some(r"RnJvbTogeA0K\nRnJv\/".to_owned())),
            (r#"{"a":"RnJvbTogeA0K_-"}"#.to_owned(), None),
            (r#"{"a":"one two three four"}"#.to_owned(), None),
        ];
        for (text, want) in table {
            let found: Vec<_> = encoded(text.as_bytes()).into_iter().map(|(range, _)| text[range].to_owned()).collect();
            assert_eq!(found, want.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn escapes_are_decoded() {
        let table = [
            (r#"{"a":"http:\/\/b\/c\n\t\"\\"}"#, "{\"a\":\"http://b/c\n\t\"\\\"}"),
            (r"\u0026\u003c \uD83D\uDE00 \uD83D \u00e9\u12", "&< \u{1f600} \u{fffd} \u{e9}\\u12"),
            (
                r#"{"rawEmail":"&lt;http://b/?c&amp;d&gt;&quot;&#39;&x;&amp;lt;"}"#,
                "{\"rawEmail\":\"<http://b/?c&d>\"'&x;&lt;\"}",
            ),
            (r#"{"raw":"&lt;"}"#, r#"{"raw":"&lt;"}"#),
            (r#"{"a":"<a href='?b&amp;c'>d<\/a>"}"#, r#"{"a":"<a href='?b&c'>d</a>"}"#),
            (
                r#"{"rawEmail":"&lt;a href=&quot;?b&amp;amp;c&quot;&gt;d&lt;/a&gt;"}"#,
                r#"{"rawEmail":"<a href="?b&c">d</a>"}"#,
            ),
            (
                r#"{"raw":"Content-Transfer-Encoding: 8bit\n\n<b>&lt;&amp;amp;</b>","a":"&amp;"}"#,
                "{\"raw\":\"Content-Transfer-Encoding: 8bit\n\n<b>&lt;&amp;amp;</b>\",\"a\":\"&\"}",
            ),
            ("a\nb", "a\n\nb"),
            ("\\", "\\"),
        ];
        for (text, want) in table {
            let mut joined = Joined::default();
            unescape(text.as_bytes(), &encoded(text.as_bytes()), &mut joined);
            assert_eq!(String::from_utf8_lossy(&joined.text), want, "{text}");
        }
    }
}
