//! Repairs invalid URLs in HTML attributes as browsers do (WHATWG URL standard, section 4.4).
//!
//! Browsers accept blanks, backslashes, any number of slashes and any bytes in an attribute. [`mend`] returns the URL
//! that browsers request for such an attribute. [`mend`] repairs slashes, encodes characters, and trims mail addresses,
//! but does not normalize the URL further. A blank in a host is not repaired, because browsers also reject such a host.

use alloc::borrow::Cow;

use charset::Charset;
use memchr::memrchr;

use super::class::{FORBIDDEN, HIGH, class};
use super::iri;
use super::lint::{Warning, Warnings};
use super::percent;
use super::scheme::{Grammar, Scheme};

/// The longest text to repair, in bytes, as in Chromium. The repaired URL can be nine times as long as the text.
const LONGEST: usize = 2 << 20;
/// The longest `data:` URL to repair, in bytes. Such a URL is not a link, and often long.
const LONGEST_DATA: usize = 64 << 10;

/// Decodes `text` as windows-1252. Browsers use this charset also for HTML that is labelled as ISO 8859-1 or ASCII
/// (WHATWG Encoding standard, section 4.2).
fn windows_1252(text: &[u8]) -> Cow<'_, str> {
    let charset = Charset::for_label(b"windows-1252");
    charset.map_or_else(|| String::from_utf8_lossy(text), |charset| charset.decode_without_bom_handling(text).0)
}

/// Returns the URL that a browser requests for `value`, and a warning for each kind of repair. `value` must begin with
/// the name of the scheme `row` and a colon. `None` if `value` needs no repair or cannot be repaired.
///
/// Takes linear time. Allocates at most nine times the length of `value`, and rejects values over 2 MiB.
pub(crate) fn mend(value: &[u8], row: &'static Scheme) -> Option<(Vec<u8>, Warnings)> {
    let is_special = row.is_special();
    // Text that is not UTF-8 is repaired only for special schemes such as http, because browsers do not request URLs of
    // other schemes.
    let longest = if row.name == "data" { LONGEST_DATA } else { LONGEST };
    if value.len() > longest || (!is_special && str::from_utf8(value).is_err()) {
        return None;
    }
    let (scheme, rest) = value.split_at(row.name.len() + 1);
    let slashes = rest.iter().take_while(|byte| is_slash(**byte)).count();
    let mut mender = Mender { text: scheme.to_vec(), is_special, encoded: false, slashes: false };
    let mut trimmed = false;
    match row.grammar {
        Grammar::Mailto => {
            let (address, headers) = address(rest);
            trimmed = address.len() + headers.len() < rest.len();
            mender.tail(address);
            mender.tail(headers);
        }
        Grammar::File => {
            if slashes == 0 {
                mender.text.extend(b"///");
                mender.slashes = true;
            }
            mender.tail(rest);
        }
        _ if is_special => {
            mender.slashes = rest[..slashes] != *b"//";
            mender.text.extend(b"//");
            mender.after_slashes(&rest[slashes..]);
        }
        _ => match rest.strip_prefix(b"//") {
            Some(rest) => {
                mender.text.extend(b"//");
                mender.after_slashes(rest);
            }
            // Prose such as `news: the` has a blank after the colon, and is not repaired.
            None if rest.first().is_some_and(|byte| class(*byte) == FORBIDDEN) => return None,
            None => mender.tail(rest),
        },
    }
    let mut warnings = Warnings::default();
    warnings.add(Warning::CharactersEncoded, mender.encoded);
    warnings.add(Warning::SlashesMended, mender.slashes);
    warnings.add(Warning::AddressTrimmed, trimmed);
    (warnings != Warnings::default()).then_some((mender.text, warnings))
}

/// Whether `text` has a backslash before the query and fragment. Browsers read such a backslash as a slash.
pub(crate) fn has_backslash(text: &[u8]) -> bool {
    text.iter().take_while(|byte| !matches!(byte, b'?' | b'#')).any(|byte| *byte == b'\\')
}

fn is_odd_in_host(byte: u8) -> bool {
    matches!(byte, b'"' | b'`' | b'{' | b'}')
}

fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// Splits the rest of a `mailto` URL into the address and the headers. Removes blanks and the angle brackets of RFC
/// 5322, section 3.4, around the address.
fn address(rest: &[u8]) -> (&[u8], &[u8]) {
    let (address, headers) = rest.split_at(rest.iter().position(|byte| *byte == b'?').unwrap_or(rest.len()));
    let address = address.trim_ascii();
    match address {
        [b'<', address @ .., b'>'] if !address.contains(&b'>') => (address.trim_ascii(), headers),
        _ => (address, headers),
    }
}

struct Mender {
    text: Vec<u8>,
    is_special: bool,
    encoded: bool,
    slashes: bool,
}

impl Mender {
    /// Writes the part of the URL after the slashes: user name, password, host, port, path, query and fragment.
    fn after_slashes(&mut self, rest: &[u8]) {
        let ends = |byte: &u8| matches!(byte, b'/' | b'?' | b'#') || (self.is_special && *byte == b'\\');
        let (authority, tail) = rest.split_at(rest.iter().position(ends).unwrap_or(rest.len()));
        let host = memrchr(b'@', authority).map_or(0, |at| at + 1);
        self.component(&authority[..host], false);
        match str::from_utf8(&authority[host..]) {
            // Browsers accept some characters in a host that a URL cannot have unencoded.
            Ok(host) if host.bytes().any(is_odd_in_host) => {
                for byte in host.bytes() {
                    if is_odd_in_host(byte) { self.escape(byte) } else { self.text.push(byte) }
                }
            }
            Ok(host) => self.text.extend(host.as_bytes()),
            Err(_) => {
                self.text.extend(windows_1252(&authority[host..]).as_bytes());
                self.encoded = true;
            }
        }
        self.tail(tail);
    }

    /// Writes path, query and fragment.
    fn tail(&mut self, tail: &[u8]) {
        let fragment = tail.iter().position(|byte| *byte == b'#').unwrap_or(tail.len());
        let (rest, fragment) = tail.split_at(fragment);
        let query = rest.iter().position(|byte| *byte == b'?').unwrap_or(rest.len());
        let (path, query) = rest.split_at(query);
        let from = self.text.len();
        self.component(path, false);
        if self.is_special {
            for byte in self.text[from..].iter_mut().filter(|byte| **byte == b'\\') {
                *byte = b'/';
                self.slashes = true;
            }
        }
        self.component(query, true);
        self.component(fragment, false);
    }

    /// Writes a component, and percent-encodes the characters that are not allowed in a URL. Text that is not UTF-8 is
    /// decoded as windows-1252, because browsers use this charset for a document that does not declare one. If a query
    /// is not UTF-8, its bytes are percent-encoded without decoding, because browsers encode a query in the document's
    /// charset.
    fn component(&mut self, component: &[u8], is_query: bool) {
        let (text, is_utf8) = match str::from_utf8(component) {
            Ok(text) => (text.into(), true),
            Err(_) if is_query => {
                for &byte in component {
                    if class(byte) & (FORBIDDEN | HIGH) != 0 { self.escape(byte) } else { self.text.push(byte) }
                }
                return;
            }
            Err(_) => (windows_1252(component), false),
        };
        for character in text.chars() {
            let mut utf8 = [0; 4];
            let bytes = character.encode_utf8(&mut utf8).as_bytes();
            let is_kept = match class(bytes[0]) {
                FORBIDDEN => false,
                HIGH => is_utf8 && iri::ucschar(bytes, false).is_some(),
                _ => true,
            };
            if is_kept {
                self.text.extend(bytes);
            } else {
                bytes.iter().for_each(|byte| self.escape(*byte));
            }
        }
    }

    fn escape(&mut self, byte: u8) {
        self.encoded = true;
        self.text.extend(percent::encode(byte));
    }
}

#[cfg(test)]
mod tests {
    use super::super::scheme;
    use super::*;

    #[track_caller]
    fn check(value: &[u8], expected: Option<(&str, &[Warning])>) {
        let colon = value.iter().position(|byte| *byte == b':').expect("a scheme");
        let mended = mend(value, scheme::find(&value[..colon]).expect("a scheme that is known"));
        let mended = mended.map(|(text, warnings)| (String::from_utf8(text).unwrap(), warnings.iter().collect()));
        let expected = expected.map(|(text, warnings)| (text.to_owned(), warnings.to_vec()));
        assert_eq!(mended, expected, "{}", value.escape_ascii());
    }

    #[test]
    fn attributes_are_mended_as_browsers_do() {
        use Warning::{AddressTrimmed, CharactersEncoded, SlashesMended};
        const ENCODED: &[Warning] = &[CharactersEncoded];
        const SLASHES: &[Warning] = &[SlashesMended];
        type Case<'a> = (&'a [u8], Option<(&'a str, &'a [Warning])>);
        let table: [Case<'_>; 34] = [
            (b"http://{a}`b\"c{/", Some(("http://%7Ba%7D%60b%22c%7B/", ENCODED))),
            (b"http://a/b c?d e#f g", Some(("http://a/b%20c?d%20e#f%20g", ENCODED))),
            (b"http://a/<b>\"\x01\x7f", Some(("http://a/%3Cb%3E%22%01%7F", ENCODED))),
            (b"http://a\\b\\c?d\\e#f\\g", Some(("http://a/b/c?d\\e#f\\g", SLASHES))),
            (b"https:/a/b", Some(("https://a/b", SLASHES))),
            (b"https:a", Some(("https://a", SLASHES))),
            (b"HTTPS:///a//b", Some(("HTTPS://a//b", SLASHES))),
            (b"ws:\\/\\a", Some(("ws://a", SLASHES))),
            (b"ftp:\\\\a\\b c", Some(("ftp://a/b%20c", &[CharactersEncoded, SlashesMended]))),
            (b"http://a/b", None),
            (b"http://a b/c", None),
            (b"http://a b@c/", Some(("http://a%20b@c/", ENCODED))),
            (b"http://a @b c/", Some(("http://a%20@b c/", ENCODED))),
            (b"http://a\\@b/", Some(("http://a/@b/", SLASHES))),
            // In a path or a fragment, text that is not UTF-8 is converted from windows-1252 to UTF-8, and then
            // percent-encoded. In a query, the bytes are percent-encoded without this conversion.
            (b"http://a/\xE9?\xE9#\x80", Some(("http://a/%C3%A9?%E9#%E2%82%AC", ENCODED))),
            (b"http://b\xFCcher.example/", Some(("http://b\u{FC}cher.example/", ENCODED))),
            // If a component has one byte that is not UTF-8, no byte of the component is read as UTF-8.
            (b"http://a/?\xC3\xA9\xE9", Some(("http://a/?%C3%A9%E9", ENCODED))),
            (b"mailto:a@b?subject=\xE9", None),
            ("http://a/\u{E9}?\u{E9}".as_bytes(), None),
            ("http://a/\u{80}\u{E000}?\u{E000}".as_bytes(), Some(("http://a/%C2%80%EE%80%80?%EE%80%80", ENCODED))),
            (b"mailto:<a@b.example>", Some(("mailto:a@b.example", &[AddressTrimmed]))),
            (b"mailto:<a@b>?subject=c d", Some(("mailto:a@b?subject=c%20d", &[CharactersEncoded, AddressTrimmed]))),
            (b"mailto: a@b.example", Some(("mailto:a@b.example", &[AddressTrimmed]))),
            (b"mailto:a@b?subject=c d", Some(("mailto:a@b?subject=c%20d", ENCODED))),
            (b"mailto:A <a@b>", Some(("mailto:A%20%3Ca@b%3E", ENCODED))),
            (b"mailto:<a>,<b>", Some(("mailto:%3Ca%3E,%3Cb%3E", ENCODED))),
            (b"tel:+1 800", Some(("tel:+1%20800", ENCODED))),
            (b"tel:\\1", None),
            (b"news: the", None),
            (b"telnet://a b/c", None),
            (b"gopher://a/1 b\\", Some(("gopher://a/1%20b\\", ENCODED))),
            (b"file:///C:\\a b", Some(("file:///C:/a%20b", &[CharactersEncoded, SlashesMended]))),
            (b"file:\\\\a\\b", Some(("file://a/b", SLASHES))),
            (b"file:C:\\a", Some(("file:///C:/a", SLASHES))),
        ];
        for (value, expected) in table {
            check(value, expected);
        }
    }

    #[test]
    fn a_backslash_counts_before_the_query_and_fragment() {
        for (text, want) in [
            (r"http:\\a/", true),
            (r"http://a\b?c", true),
            ("http://a/b?c#d", false),
            (r"http://a/?b\c", false),
            (r"http://a/#b\c", false),
        ] {
            assert_eq!(has_backslash(text.as_bytes()), want, "{text}");
        }
    }

    #[test]
    fn data_urls_are_not_mended() {
        let value = |length: usize| [b"data:,a b".as_slice(), &b"x".repeat(length - 9)].concat();
        let row = scheme::find(b"data").unwrap();
        assert!(mend(&value(LONGEST_DATA), row).is_some());
        assert!(mend(&value(LONGEST_DATA + 1), row).is_none());
    }
}
