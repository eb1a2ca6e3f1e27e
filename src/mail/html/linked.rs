//! Reads values that are not absolute URLs of documents elsewhere: references without a scheme, and `data:` URLs.

use memchr::memchr;

use super::super::transfer::{Points, decode_base64};
use crate::url::mend::mend;
use crate::url::relative::has_scheme;
use crate::url::{Url, percent, scheme};

/// The longest base URL in a message, in bytes. Each reference is resolved to a URL that can be as long as the base.
pub(in crate::mail) const LONGEST_BASE: usize = 512;

/// A URL that was made from a reference.
pub(super) struct Absolute {
    pub(super) url: Vec<u8>,
    /// Whether there is no base, so that the scheme is unknown.
    pub(super) is_guess: bool,
}

fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// Whether `value` begins with a scheme as browsers read it, whose first character is a letter.
fn is_absolute(value: &[u8]) -> bool {
    has_scheme(value) && value[0].is_ascii_alphabetic()
}

/// Returns the base URL in the `href` of a `base` element. `None` if relative references cannot be resolved with it.
pub(super) fn base(value: &[u8]) -> Option<Vec<u8>> {
    let value = if begins_with_host(value) { [b"https:", value].concat() } else { value.to_vec() };
    let scheme = scheme::find(&value[..memchr(b':', &value)?]).filter(|scheme| scheme.is_special())?;
    let base = mend(&value, scheme).map_or(value, |mended| mended.0);
    Url::parse(&base).is_ok().then_some(base)
}

/// Whether `value` begins with two slashes, which are before a host. Browsers read a backslash as a slash.
pub(super) fn begins_with_host(value: &[u8]) -> bool {
    matches!(value, [first, second, ..] if is_slash(*first) && is_slash(*second))
}

/// Replaces the backslashes before the query and fragment with slashes.
fn with_slashes(value: &[u8]) -> Vec<u8> {
    let end = value.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(value.len());
    let slashed = value[..end].iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte });
    slashed.chain(value[end..].iter().copied()).collect()
}

/// Resolves `value` (WHATWG URL standard, section 4.4). Returns `None` if it is absolute, or if there is no base and no
/// host in it. `base` is empty if there is no base. Without a base, the scheme is `https`, as in web mail.
pub(super) fn absolute(value: &[u8], base: &[u8]) -> Option<Absolute> {
    let rest = after_same_scheme(value, base);
    let value = rest.unwrap_or(value);
    if value.is_empty() || value.starts_with(b"#") || rest.is_none() && is_absolute(value) {
        return None;
    }
    if !base.is_empty() {
        let mut reference = with_slashes(value);
        // After the scheme of the base, another scheme belongs to the path, and so does a scheme such as `1x`.
        if has_scheme(value) {
            reference.splice(..0, *b"./");
        }
        // Any number of slashes can be before a host.
        let slashes = reference.iter().take_while(|byte| **byte == b'/').count();
        let url = Url::parse(base).ok()?.resolve(&reference[slashes.saturating_sub(2)..]);
        return Some(Absolute { url, is_guess: false });
    }
    begins_with_host(value).then(|| Absolute { url: [b"https:", value].concat(), is_guess: true })
}

/// Returns the rest of `value` after the scheme of `base`, unless `//` follows the scheme. The rest is a reference: with
/// the base `http://h/`, the value `http:p` means `http://h/p`.
fn after_same_scheme<'v>(value: &'v [u8], base: &[u8]) -> Option<&'v [u8]> {
    let (scheme, rest) = value.split_at_checked(base.iter().position(|byte| *byte == b':')? + 1)?;
    (scheme.eq_ignore_ascii_case(&base[..scheme.len()]) && !rest.starts_with(b"//")).then_some(rest)
}

/// The content of a `data:` URL.
pub(super) enum Data {
    /// HTML or SVG.
    Markup(Vec<u8>),
    Css(Vec<u8>),
}

/// Whether `url` is a `data:` URL.
pub(super) fn is_data(url: &[u8]) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"data:"))
}

/// Decodes a `data:` URL that contains a document with links (Fetch standard, section 6).
pub(super) fn data(url: &[u8]) -> Option<Data> {
    let rest = url.split(|byte| *byte == b'#').next().and_then(|url| url.get(5..))?;
    let comma = rest.iter().position(|byte| *byte == b',')?;
    let media = rest[..comma].trim_ascii();
    let essence = media.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
    let mut body = percent::decode(&rest[comma + 1..]).into_owned();
    let encoding = media.rsplit(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    if media.contains(&b';') && encoding.eq_ignore_ascii_case(b"base64") {
        let mut decoded = Vec::new();
        let made = decode_base64(&body, &mut decoded, &mut Points::default()).1;
        decoded.truncate(made);
        body = decoded;
    }
    match &essence[..] {
        b"text/html" | b"application/xhtml+xml" | b"image/svg+xml" | b"text/xml" | b"application/xml" => {
            Some(Data::Markup(body))
        }
        b"text/css" => Some(Data::Css(body)),
        _ => None,
    }
}
