//! Reads the Content-Type of a part, and decides how to read the part.
//!
//! Parsing parameters is slow, so parameters are parsed only for media types that need them. The most frequent values
//! of Content-Type are recognized without any parsing.

use std::borrow::Cow;
use std::ops::Range;

use super::{charset, words};
use crate::url::percent;

/// How to read a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Text(Reading),
    Html(Reading),
    Multipart {
        boundary: Option<Vec<u8>>,
        digest: bool,
        alternative: bool,
    },
    Message,
    /// A part that is read by its name and its first bytes.
    Attachment,
    /// An archive, a compressed file or a mailbox.
    Packed,
    /// A message in S/MIME that is signed but not encrypted.
    Signed,
    /// Outlook's TNEF, which contains a message.
    #[cfg(feature = "outlook")]
    Tnef,
    /// A message in an Outlook file (`.msg`).
    #[cfg(feature = "outlook")]
    Outlook,
    /// RTF, which is converted to HTML.
    #[cfg(feature = "outlook")]
    Rtf,
    /// A part that is not searched. The text says what it is.
    Skipped(&'static str),
}

/// What a part is that is not searched.
pub(super) const BINARY: &str = "a binary file";
pub(super) const ENCRYPTED: &str = "an encrypted part";
pub(super) const SIGNATURE: &str = "a signature";
pub(super) const KEY: &str = "a key";

impl Role {
    /// A multipart that is not declared as one.
    pub(super) const UNDECLARED: Role = Role::Multipart { boundary: None, digest: false, alternative: false };

    /// Whether the part is an attachment because of its type.
    pub(super) fn is_attachment(&self) -> bool {
        !matches!(self, Role::Text(_) | Role::Html(_) | Role::Multipart { .. } | Role::Message)
    }
}

/// How to decode the text of a part, after its transfer encoding was decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// The charset. Set only for charsets such as UTF-16, in which an ASCII byte does not always mean an ASCII
    /// character.
    pub(super) charset: Option<String>,
    pub(super) delsp: bool,
    /// Whether lines can be folded between any two bytes (RFC 5545, section 3.1).
    pub(super) folded: bool,
    /// Whether the text has the escapes of JSON strings (RFC 8259, section 7).
    pub(super) json: bool,
    /// Whether the declared charset is unknown.
    pub(super) is_unknown: bool,
}

/// Media types of messages. Two of the types contain only the headers of a message (RFC 6522, section 4; RFC 6533,
/// section 6). A part of one of these two types is read as a message without a body.
const MESSAGES: &[&str] =
    &["message/rfc822", "message/global", "message/news", "text/rfc822-headers", "message/global-headers"];

/// Media types of HTML. Newsletters add parts of the last two types for some mail programs.
const HTML: &[&str] = &["text/html", "application/xhtml+xml", "text/x-amp-html", "text/watch-html"];

/// Media types of calendars (RFC 5545) and vCards (RFC 6350, RFC 2425). Calendars and vCards have folded lines, and
/// escapes in their text.
const CARDS: &[&str] = &["text/calendar", "text/x-vcalendar", "text/vcard", "text/x-vcard", "text/directory"];

/// Media types of signatures and keys (RFC 3156; RFC 8551, section 3.5.3).
const SIGNATURES: &[(&str, &str)] = &[
    ("application/pgp-signature", SIGNATURE),
    ("application/pgp-keys", KEY),
    ("application/pkcs7-signature", SIGNATURE),
    ("application/x-pkcs7-signature", SIGNATURE),
    ("application/pkix-cert", KEY),
];

/// Media types whose parts are not decoded, by the first part of the type. SVG pictures are text.
const SENSES: &[(&str, &str)] =
    &[("image/", "a picture"), ("audio/", "a sound"), ("video/", "a video"), ("font/", "a font")];

/// Returns how to read a part with the Content-Type `value`. If `value` has more than `cap` bytes, its parameters are
/// not parsed.
pub(super) fn role(value: &[u8], cap: usize) -> Role {
    let value = &*without_comments(value);
    let media = media(value);
    let is = |name: &str| media.eq_ignore_ascii_case(name.as_bytes());
    let is_in = |tree: &[u8]| media.len() >= tree.len() && media[..tree.len()].eq_ignore_ascii_case(tree);
    if is_in(b"multipart/") || !is_in(b"text/") && is_misspelt_multipart(value, media) {
        let boundary = match plain_parameter(value, b"boundary") {
            Some(boundary) if value.len() <= cap => Some(boundary.to_vec()),
            _ => ContentType::parse(value, cap).boundary,
        };
        return Role::Multipart { boundary, digest: is("multipart/digest"), alternative: is("multipart/alternative") };
    }
    if is("message/partial") {
        // Only the first fragment of a message starts with headers (RFC 2046, section 5.2.2).
        let first = ContentType::parse(value, cap).number.is_none_or(|number| number == 1);
        return if first { Role::Message } else { Role::Text(Reading::default()) };
    }
    if MESSAGES.iter().any(|name| is(name)) {
        return Role::Message;
    }
    let is_sense = |tree: &str| is_in(tree.as_bytes()) && !is("image/svg+xml");
    let signature = SIGNATURES.iter().find(|(name, _)| is(name));
    if let Some((_, what)) = signature.or_else(|| SENSES.iter().find(|(tree, _)| is_sense(tree))) {
        return Role::Skipped(what);
    }
    let html = HTML.iter().any(|name| is(name));
    // A part that is declared as RTF can be plain text, so its first bytes decide.
    if !html
        && (is("text/rtf")
            || is("text/x-rtf")
            || !is_in(b"text/") && !is_in(b"message/") && !is("application/pgp") && media.contains(&b'/'))
    {
        return Role::Attachment;
    }
    let folded = CARDS.iter().any(|name| is(name));
    let charset = rough_parameter(value, b"charset");
    let is_plain = value.len() <= cap && !value.contains(&b'*') && rough_parameter(value, b"delsp").is_none();
    let is_unknown = charset.is_some_and(charset::is_unknown);
    let reading = if is_plain && !charset.is_some_and(charset::is_opaque) {
        Reading { folded, is_unknown, ..Reading::default() }
    } else {
        let parsed = ContentType::parse(value, cap);
        let charset = parsed.charset.filter(|label| charset::is_opaque(label.as_bytes()));
        Reading { charset, delsp: parsed.delsp, folded, is_unknown, json: false }
    };
    if html { Role::Html(reading) } else { Role::Text(reading) }
}

/// Returns how to read a document of the type `media`, which a container format names, or of plain text.
pub(super) fn document(media: &str) -> Role {
    match media {
        "text/html" => Role::Html(Reading::default()),
        "text/plain" => Role::Text(Reading::default()),
        #[cfg(feature = "outlook")]
        "application/rtf" => Role::Rtf,
        #[cfg(not(feature = "outlook"))]
        "application/rtf" => Role::Skipped("an RTF document"),
        "application/json" => Role::Text(Reading { json: true, ..Reading::default() }),
        _ => Role::Text(Reading { folded: true, ..Reading::default() }),
    }
}

/// Whether a media type is probably a misspelt `multipart`, such as `mulitpart/mixed`: it ends in `part`, or has a
/// boundary although it is not a known type.
fn is_misspelt_multipart(value: &[u8], media: &[u8]) -> bool {
    const TREES: [&str; 10] =
        ["application", "audio", "example", "font", "haptics", "image", "message", "model", "text", "video"];
    let tree = media.split(|&byte| byte == b'/').next().unwrap_or_default();
    tree.last_chunk::<4>().is_some_and(|end| end.eq_ignore_ascii_case(b"part"))
        || !TREES.iter().any(|known| tree.eq_ignore_ascii_case(known.as_bytes()))
            && rough_parameter(value, b"boundary").is_some()
}

/// Returns the file name in the parameter `name` of a Content-Type or Content-Disposition (RFC 2231, RFC 2047). Returns
/// `None` if there is none, or if `value` has more than `cap` bytes or too many parameters.
pub(super) fn file_name(value: &[u8], name: &str, cap: usize) -> Option<String> {
    // An encoded word has a `?`.
    let plain = plain_parameter(value, name.as_bytes()).filter(|plain| memchr::memchr(b'?', plain).is_none());
    if let Some(plain) = plain.filter(|_| value.len() <= cap) {
        return Some(String::from_utf8_lossy(plain).into_owned());
    }
    let value = parsable(value, cap)?;
    let mut parameters = mailparse::parse_content_disposition(&charset::text(&value, None)).params;
    let file = parameters.remove(name).filter(|file| !file.trim().is_empty())?;
    Some(words::decode_words(file.as_bytes(), cap, None).unwrap_or(file))
}

/// Returns `value` without line ends, if its parameters can be parsed in linear time.
fn parsable(value: &[u8], cap: usize) -> Option<Vec<u8>> {
    let marks = value.iter().filter(|&&byte| byte == b';' || byte == b'*').count();
    let is_short = value.len() <= cap && (1..=PARAMETERS).contains(&marks);
    is_short.then(|| value.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect())
}

/// Those parameters of a Content-Type that decide how to read a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ContentType {
    boundary: Option<Vec<u8>>,
    charset: Option<String>,
    /// Whether the text is `format=flowed` with `delsp=yes` (RFC 3676).
    delsp: bool,
    /// The fragment number of a `message/partial`.
    number: Option<u32>,
}

/// If a Content-Type has more than this number of `;` and `*` characters in total, its parameters are not parsed. The
/// limit prevents quadratic time: a parameter can be split into pieces such as `name*0` and `name*1`, and all
/// parameters are searched for each piece.
const PARAMETERS: usize = 128;

impl ContentType {
    /// Parses the value of a Content-Type field. Returns no parameters if `value` has more than `cap` bytes or too many
    /// parameters.
    fn parse(value: &[u8], cap: usize) -> Self {
        let Some(value) = parsable(value, cap) else { return Self::default() };
        let parameters = parameters(&value);
        let get = |name| parameter(&parameters, name);
        let text = |name| String::from_utf8(get(name)?).ok();
        let is = |name, wanted| text(name).is_some_and(|value| value.trim().eq_ignore_ascii_case(wanted));
        Self {
            boundary: get("boundary").map(|b| b.trim_ascii_end().to_vec()).filter(|b| !b.is_empty()),
            charset: text("charset"),
            delsp: is("delsp", "yes") && is("format", "flowed"),
            number: text("number").and_then(|number| number.trim().parse().ok()),
        }
    }
}

/// Returns the name and value of each parameter in `value` (RFC 2045, section 5.1). `value` must not have line ends.
/// Names are unchanged. Quotation marks around values are removed.
fn parameters(value: &[u8]) -> Vec<(&[u8], Vec<u8>)> {
    let (mut quoted, mut escaped) = (false, false);
    let pieces = value.split(|&byte| {
        let plain = !std::mem::replace(&mut escaped, false);
        escaped = plain && quoted && byte == b'\\';
        quoted ^= plain && byte == b'"';
        plain && !quoted && byte == b';'
    });
    let named = pieces.skip(1).filter_map(|piece| {
        let equals = memchr::memchr(b'=', piece)?;
        Some((piece[..equals].trim_ascii(), unquoted(piece[equals + 1..].trim_ascii())))
    });
    named.collect()
}

/// Removes quotation marks around `value`, and the backslashes that escape characters between the quotation marks.
fn unquoted(value: &[u8]) -> Vec<u8> {
    let [b'"', text @ .., b'"'] = value else { return value.to_vec() };
    let mut escapes = false;
    let is_kept = |byte: &u8| {
        escapes = !escapes && *byte == b'\\';
        !escapes
    };
    text.iter().copied().filter(is_kept).collect()
}

/// Returns the value of the parameter `name`. Decodes and joins extended and split parameters (RFC 2231). If the
/// parameter occurs several times, the first value is used, as in Python and in the MIME Sniffing Standard.
fn parameter(parameters: &[(&[u8], Vec<u8>)], name: &str) -> Option<Vec<u8>> {
    let find = |name: &str| {
        let (_, value) = parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()))?;
        Some(value)
    };
    // An extended value such as `utf-8''text` names a charset. This charset is ignored: a boundary is compared
    // bytewise, and the other parameters are ASCII.
    let extended = |value: &[u8]| {
        let encoded = value.splitn(3, |&byte| byte == b'\'').last().unwrap_or_default();
        percent::decode(encoded).to_vec()
    };
    let whole = find(name).cloned().or_else(|| find(&format!("{name}*")).map(|value| extended(value)));
    if whole.is_some() {
        return whole;
    }
    let mut joined: Option<Vec<u8>> = None;
    for number in 0.. {
        let name = format!("{name}*{number}");
        let piece = match (find(&name), find(&format!("{name}*"))) {
            (Some(piece), _) => piece.clone(),
            (None, Some(piece)) if number == 0 => extended(piece),
            (None, Some(piece)) => percent::decode(piece).to_vec(),
            (None, None) => break,
        };
        joined.get_or_insert_default().extend(piece);
    }
    joined
}

/// Replaces each comment in `value` with a blank (RFC 822, section 3.1.4). A comment is enclosed in parentheses outside
/// quotation marks. An unclosed parenthesis is kept.
fn without_comments(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'(', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut kept = Vec::with_capacity(value.len());
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    // Offset of the outermost open comment.
    let mut open = 0;
    for (at, &byte) in value.iter().enumerate() {
        let plain = !std::mem::replace(&mut escaped, false);
        match byte {
            b'\\' if plain && (quoted || depth > 0) => escaped = true,
            b'"' if plain && depth == 0 => quoted = !quoted,
            b'(' if plain && !quoted => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            b')' if plain && depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    kept.push(b' ');
                }
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            kept.push(byte);
        }
    }
    if depth > 0 {
        kept.extend_from_slice(&value[open..]);
    }
    Cow::Owned(kept)
}

/// Returns the media type at the start of a Content-Type, as written.
pub(super) fn media(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii_start();
    let end = value.iter().position(|byte| b";( \t\r\n,".contains(byte)).unwrap_or(value.len());
    value[..end].trim_ascii()
}

/// Converts the text of a part with the Content-Type `content_type` to UTF-8. Invalid bytes are replaced.
pub(crate) fn to_str<'t>(content_type: &[u8], text: &'t [u8]) -> Cow<'t, str> {
    let other = || legacy_charset(content_type).map(|charset| charset.decode_without_bom_handling(text).0);
    str::from_utf8(text).map_or_else(|_| other().unwrap_or_else(|| String::from_utf8_lossy(text)), Cow::from)
}

/// Returns the charset in the Content-Type `content_type`.
pub(super) fn charset_label(content_type: &[u8]) -> Option<&[u8]> {
    rough_parameter(content_type, b"charset")
}

/// Returns the charset that the Content-Type declares. Returns `None` if there is none, or if its text is UTF-8 or was
/// decoded before.
pub(crate) fn legacy_charset(content_type: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    charset::legacy(charset_label(content_type)?)
}

/// Returns the place of the first name of a charset in `message`.
pub(super) fn first_charset(message: &[u8]) -> Option<Range<usize>> {
    rough_range(message, b"charset")
}

/// Returns the value of the parameter `name`. The search is fast but approximate, because comments and quoted strings
/// are treated like other text.
pub(super) fn rough_parameter<'v>(value: &'v [u8], name: &[u8]) -> Option<&'v [u8]> {
    Some(&value[rough_range(value, name)?])
}

/// Does the same, and returns the place of the parameter's value.
fn rough_range(value: &[u8], name: &[u8]) -> Option<Range<usize>> {
    let named = |equals: &usize| {
        let before = value[..*equals].trim_ascii_end();
        before.len().checked_sub(name.len()).is_some_and(|from| before[from..].eq_ignore_ascii_case(name))
    };
    let rest = value[memchr::memchr_iter(b'=', value).find(named)? + 1..].trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or(rest.strip_prefix(b"'")).unwrap_or(rest);
    let start = value.len() - rest.len();
    let length = rest.iter().position(|byte| b"\"'>; \t\r\n".contains(byte)).unwrap_or(rest.len());
    Some(start..start + length)
}

/// Returns the value of the parameter `name`, if the value is in quotation marks and has no escapes. Nearly all
/// boundaries and file names have this form.
fn plain_parameter<'v>(value: &'v [u8], name: &[u8]) -> Option<&'v [u8]> {
    let is_named = |quote: &usize| value[..*quote].strip_suffix(b"=").is_some_and(|before| before.ends_with(name));
    let start = memchr::memchr_iter(b'"', value).find(is_named)? + 1;
    let (plain, after) = value[start..].split_at(memchr::memchr(b'"', &value[start..])?);
    let before = value[..start - 2 - name.len()].trim_ascii_end();
    let open = before.iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
    let is_plain = before.ends_with(b";")
        && !open
        && memchr::memchr3(b'*', b'\\', b'%', value).is_none()
        && plain.is_ascii()
        && memchr::memchr2(b'\r', b'\n', plain).is_none()
        && !plain.is_empty()
        && plain.trim_ascii() == plain
        && rough_range(after, name).is_none();
    is_plain.then_some(plain)
}

/// Whether a part of the type `media` is a document of its own, such as a patch or a calendar, and not the text of the
/// message.
pub(crate) fn is_document(media: &[u8]) -> bool {
    let media = media.trim_ascii_start();
    let is = |name: &&[u8]| media.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    const SHOWN: [&[u8]; 6] =
        [b"text/plain", b"text/html", b"text/enriched", b"text/richtext", b"application/xhtml", b"application/pgp"];
    const DOCUMENTS: [&[u8]; 3] = [b"text/", b"application/", b"image/"];
    !SHOWN.iter().any(&is) && DOCUMENTS.iter().any(is)
}

/// Whether `value` is `text/plain`, and has no parameter except a charset that needs no decoding. Most mail has a
/// Content-Type of this form.
pub(super) fn is_undecoded_plain(value: &[u8]) -> bool {
    // Nearly all values are in lower case. The first comparison is made in two instructions.
    let begins = |text: &[u8], name: &[u8]| {
        text.get(..name.len()).is_some_and(|start| start == name || start.eq_ignore_ascii_case(name))
    };
    let (media, name) = (b"text/plain", b"charset=");
    let value = value.trim_ascii();
    if !begins(value, media) {
        return false;
    }
    let [b';', rest @ ..] = value[media.len()..].trim_ascii_start() else { return value.len() == media.len() };
    let rest = rest.trim_ascii_start();
    if !begins(rest, name) {
        return false;
    }
    let label = match &rest[name.len()..] {
        [b'"', label @ .., b'"'] => label,
        label => label,
    };
    label.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && !charset::is_opaque(label)
        && !charset::is_unknown(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundary(value: &str, cap: usize) -> Option<String> {
        match role(value.as_bytes(), cap) {
            Role::Multipart { boundary, .. } => boundary.map(|boundary| String::from_utf8(boundary).expect("ASCII")),
            role => panic!("{value} is {role:?}"),
        }
    }

    #[test]
    fn quotation_marks_and_comments_do_not_hide_the_boundary() {
        let table = [
            (r#"; type="text/html"; boundary=abc"#, "abc"),
            (r#"; boundary=abc; x="old; boundary=no""#, "abc"),
            (r#"; x="y; boundary="; boundary="abc""#, "abc"),
            (r#" (a 5" disk); boundary=abc (by hand)"#, "abc"),
            (r#"; x="C:\\"; boundary=abc (by hand)"#, "abc"),
            (r"; boundary=abc (not \); boundary=no)", "abc"),
            (r"; x=(not closed; boundary=abc; y=(z", "abc"),
            ("; boundary=abc(x)def", "abc def"),
            // A backslash is an escape only in quotation marks and in comments.
            (r"; boundary=abc\(by hand)", r"abc\"),
            // Blanks at the end of a boundary do not belong to the boundary (RFC 2046, section 5.1.1).
            (r#"; boundary="abc ""#, "abc"),
            ("; boundary=\"a\n bc\"", "a bc"),
            ("; boundary=\"a\r\n bc\"", "a bc"),
        ];
        for (parameters, want) in table {
            let value = format!("multipart/mixed{parameters}");
            assert_eq!(boundary(&value, 1000).as_deref(), Some(want), "{value}");
        }
    }

    #[test]
    fn limits_of_parameters() {
        let signed = "multipart/signed; micalg=pgp-sha256; protocol=\"application/pgp-signature\"";
        let long = "-".repeat(70);
        for value in [format!("{signed}; boundary={long}"), format!("{signed}; boundary=\"{long}\"")] {
            assert_eq!(boundary(&value, value.len()).as_deref(), Some(&*long), "{value}");
            assert_eq!(boundary(&value, value.len() - 1), None, "{value}");
        }
        // A boundary in quotation marks is found without parsing the parameters.
        let table = [
            (PARAMETERS - 1, "boundary=abc", Some("abc")),
            (PARAMETERS, "boundary=abc", None),
            (PARAMETERS, "boundary=\"abc\"", Some("abc")),
        ];
        for (others, last, want) in table {
            let value = format!("multipart/mixed{}; {last}", "; x=y".repeat(others));
            assert_eq!(boundary(&value, usize::MAX).as_deref(), want, "{others}, {last}");
        }
    }

    #[test]
    fn a_charset_can_be_an_extended_parameter() {
        for parameter in ["charset*=us-ascii''utf-16", "charset*0=utf-; charset*1=16"] {
            let reading = Reading { charset: Some("utf-16".to_owned()), ..Reading::default() };
            assert_eq!(role(format!("text/plain; {parameter}").as_bytes(), 1000), Role::Text(reading), "{parameter}");
        }
    }

    /// The fast path gives the result of the slow one.
    #[test]
    fn plain_text_without_decoding() {
        let table = [
            ("text/plain", true),
            (" Text/Plain ; charset=UTF-8 ", true),
            ("text/plain;charset=\"iso-8859-1\"", true),
            ("text/plain;", false),
            ("text/plain; charset=koi8-r; format=flowed", false),
            ("text/plain; charset=utf-16", false),
            ("text/plain; charset=x-unknown", false),
            ("text/plain; boundary=a", false),
            ("text/plain; charset=a;boundary=b", false),
            ("text/plain (a comment)", false),
            ("text/plainly", false),
            ("text/html", false),
        ];
        for (value, want) in table {
            let is_fast = is_undecoded_plain(value.as_bytes());
            assert_eq!(is_fast, want, "{value}");
            let slow = (role(value.as_bytes(), 1000), rough_parameter(value.as_bytes(), b"boundary"));
            assert!(!is_fast || slow == (Role::Text(Reading::default()), None), "{value}");
        }
    }

    #[test]
    fn only_charsets_that_need_decoding_are_kept() {
        let table = [
            ("us-ascii", None),
            ("\"UTF-8\"", None),
            ("iso-8859-1; format=flowed", None),
            ("koi8-r; name*=us-ascii''a", None),
            ("utf-16", Some("utf-16")),
            ("\"UTF-7\"; format=flowed", Some("UTF-7")),
            // The first of several charsets is used.
            ("utf-16; charset=us-ascii", Some("utf-16")),
            ("us-ascii; charset=utf-16", None),
            ("us-ascii; charset=utf-16; name*=us-ascii''a", None),
        ];
        for (charset, want) in table {
            let reading = Reading { charset: want.map(str::to_owned), ..Reading::default() };
            assert_eq!(
                role(format!("text/plain; charset={charset}").as_bytes(), 1000),
                Role::Text(reading),
                "{charset}"
            );
        }
    }
}
