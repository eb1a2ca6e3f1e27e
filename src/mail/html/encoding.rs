//! Decodes attribute values in the charset of the document (HTML standard, section 13.2.3.2).

use encoding_rs::Encoding;

use super::super::charset::legacy;
use super::super::content::charset_label;
use super::tag::{Attributes, Name};
use super::{Exhausted, reference};

/// The charset is declared in the first bytes of HTML.
const PRESCANNED: usize = 1024;

/// Returns the charset of HTML. `label` is the charset in the Content-Type. Returns `None` for UTF-8, for an unknown
/// charset, and for text that was decoded from a charset such as UTF-16.
pub(super) fn of(label: Option<&[u8]>, html: &[u8]) -> Option<&'static Encoding> {
    match label {
        Some(label) => legacy(label),
        None => prescan(&html[..html.len().min(PRESCANNED)]).as_deref().and_then(legacy),
    }
}

/// Returns the name of the charset that HTML with escape sequences declares. `media` is the Content-Type, which must not
/// have a charset.
pub(in crate::mail) fn escaped(media: &[u8], html: &[u8]) -> Option<Vec<u8>> {
    if charset_label(media).is_some() || memchr::memchr(0x1B, html).is_none() {
        return None;
    }
    prescan(&html[..html.len().min(PRESCANNED)])
}

/// Returns the charset that a `meta` element in `html` declares.
fn prescan(html: &[u8]) -> Option<Vec<u8>> {
    const CHARSET: Name = Name::new(b"charset");
    const CONTENT: Name = Name::new(b"content");
    memchr::memchr_iter(b'<', html).find_map(|open| {
        let (name, end) = Name::at(html, open + 1);
        if name != Name::META {
            return None;
        }
        let (mut attributes, mut exhausted) = (Attributes::new(html, end), Exhausted::default());
        std::iter::from_fn(|| attributes.next(&mut exhausted)).find_map(|attribute| {
            let (mut value, mut runs) = (Vec::new(), Vec::new());
            reference::decode(&html[attribute.value.clone()], &mut value, &mut runs);
            match attribute.key(html) {
                CHARSET => Some(value.trim_ascii().to_vec()),
                CONTENT => in_content(&value.to_ascii_lowercase()),
                _ => None,
            }
        })
    })
}

/// Returns the charset in the value of `content`, such as `text/html; charset=koi8-r`.
fn in_content(value: &[u8]) -> Option<Vec<u8>> {
    const NAME: &[u8] = b"charset";
    let after = &value[memchr::memmem::find(value, NAME)? + NAME.len()..];
    let label = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let label = label.strip_prefix(b"\"").or_else(|| label.strip_prefix(b"'")).unwrap_or(label);
    label.split(|byte| b"\"'; \t\r\n".contains(byte)).next().map(<[u8]>::to_vec)
}

/// Decodes `value`. The query of a URL with a special scheme, or without a scheme, stays as it is, because browsers encode
/// it in the charset of the document (WHATWG URL, section 4.4).
fn decode(charset: &'static Encoding, value: &[u8]) -> Vec<u8> {
    const SPECIAL: [&[u8]; 4] = [b"http", b"https", b"ftp", b"file"];
    let scheme = value.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let is_special =
        value.get(scheme) != Some(&b':') || SPECIAL.iter().any(|known| value[..scheme].eq_ignore_ascii_case(known));
    let query = value.iter().position(|byte| is_special && *byte == b'?').unwrap_or(value.len());
    let length = value[query..].iter().position(|byte| *byte == b'#').unwrap_or(value.len() - query);
    let text = |part: &[u8]| charset.decode_without_bom_handling(part).0.into_owned().into_bytes();
    [text(&value[..query]), value[query..query + length].to_vec(), text(&value[query + length..])].concat()
}

/// Decodes `value` in `charset`, and replaces each NUL, as the tokenizer does (HTML standard, section 13.2.5.36). Returns
/// `None` if nothing changes.
pub(super) fn recoded(charset: Option<&'static Encoding>, value: &[u8]) -> Option<Vec<u8>> {
    let decoded = charset.map(|charset| decode(charset, value));
    let text = decoded.as_deref().unwrap_or(value);
    if memchr::memchr(0, text).is_none() {
        return decoded;
    }
    Some(text.split(|byte| *byte == 0).collect::<Vec<_>>().join("\u{FFFD}".as_bytes()))
}
