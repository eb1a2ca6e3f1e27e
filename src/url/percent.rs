//! Escapes: `"%" hex hex`, RFC 1738 section 2.2.
//!
//! Which characters are reserved depends on the component and the scheme's shape: a slash within an
//! ftp name differs from `%2F`, within a gopher selector it does not.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use memchr::memchr;

use super::class::{ALPHADIGIT, Class, DOT, HYPHEN, MARK, PLUS, RESERVED, TILDE, UNDERSCORE, class, classes};
use super::component::Component;
use super::scheme::Grammar;

/// The byte that the escape at the start of `text` stands for.
pub(super) fn escape(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    Some(hex(*high)? << 4 | hex(*low)?)
}

fn hex(digit: u8) -> Option<u8> {
    // Below 16.
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// One byte of a component, and whether it was written as an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Byte {
    /// The byte itself.
    pub value: u8,
    /// Was it `%` and two digits?
    pub escaped: bool,
}

/// Walks over the bytes that `text` stands for. A `%` that begins no escape is itself.
///
/// Allocates nothing.
pub fn bytes(text: &[u8]) -> impl Iterator<Item = Byte> + Clone + '_ {
    let mut rest = text;
    core::iter::from_fn(move || {
        if let Some(value) = escape(rest) {
            rest = &rest[3..];
            return Some(Byte { value, escaped: true });
        }
        let (&value, tail) = rest.split_first()?;
        rest = tail;
        Some(Byte { value, escaped: false })
    })
}

/// Is the byte reserved in `component` of a URL of `shape`: does it mean another thing there than
/// its escape?
///
/// RFC 1738: `:`, `@`, `/` in user and password (3.1); `/`, `;` in the names of ftp (3.2.2); `/`,
/// `;`, `?` in the path and search of http (3.3), to which the search adds `&`, `=` and `+`, which
/// forms and draft-www-uri-00 ("query strings") give a meaning; none in gopher (3.4.1), mailto
/// (3.5) and news (3.6) but what delimits the parts; `;` in prospero, not `/` (3.11). Where RFC 1738
/// says nothing, all of `reserved`. The percent sign is reserved everywhere.
#[must_use]
pub fn is_reserved(shape: Grammar, component: Component, byte: u8) -> bool {
    let reserved: &[u8] = match component {
        Component::User | Component::Password => b":@/",
        Component::Host => b":@/?",
        Component::Port | Component::GopherType | Component::Selector | Component::GopherSearch => b"",
        Component::GopherPlus | Component::Article => b"",
        Component::Cwd | Component::Name | Component::TypeCode => b"/;",
        Component::Path => match shape {
            Grammar::Http => b"/;?",
            Grammar::File => b"/;",
            _ => b";/?:@&=",
        },
        Component::Search => match shape {
            Grammar::Http | Grammar::Wais => b"/;?&=+",
            Grammar::Mailto => b"?&=",
            _ => b";/?:@&=+",
        },
        Component::AddrSpec => b"?",
        // The `@` tells a message-id from a group.
        Component::Newsgroup | Component::MessageId => b"@/",
        Component::Database | Component::Wtype | Component::Wpath => b"/?",
        Component::Hsoname | Component::Version => b";",
        Component::FieldName | Component::FieldValue => b";=",
        Component::Fragment => b"#",
    };
    byte == b'%' || reserved.contains(&byte)
}

/// The bytes that the component's `text` stands for: every escape undone.
///
/// This is what a protocol's client sends (RFC 1738 3.2.2), no longer part of a URL, and may hold
/// any byte. A `%` that begins no escape stays. Allocates only if there is an escape. Decoding
/// twice is wrong: `%252F` is `%2F`.
///
/// ```
/// use urlspool::url::percent;
/// assert_eq!(*percent::decode(b"%2Fetc"), *b"/etc");
/// ```
#[must_use]
pub fn decode(text: &[u8]) -> Cow<'_, [u8]> {
    match memchr(b'%', text) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(bytes(text).map(|byte| byte.value).collect()),
    }
}

/// The component's `text` in normal form: escapes are decoded unless they are needed, and what needs one is escaped.
///
/// Decoded are the escapes of letters, digits, `$-_.~+!*'(),`, and of the characters that are `reserved` somewhere but not
/// in `component`. Escaped are the characters that a URL cannot have, those outside ASCII too. The answer is the same
/// component of an equivalent URL (RFC 1738 2.2: "a URL has the same interpretation when a byte is represented by a
/// character and when it encoded"). The digits of escapes are in upper case; a `%` that begins no escape stays.
///
/// ```
/// use urlspool::url::{Component, percent, scheme::Grammar};
/// let path = percent::normalize(Grammar::Http, Component::Path, b"bertram%2Fmarie%2dclaude");
/// assert_eq!(*path, *b"bertram%2Fmarie-claude");
/// ```
#[must_use]
pub fn normalize(shape: Grammar, component: Component, text: &[u8]) -> Cow<'_, [u8]> {
    const FREE: Class = ALPHADIGIT | HYPHEN | DOT | PLUS | UNDERSCORE | MARK | RESERVED | TILDE;
    if classes(text) & !FREE == 0 {
        return Cow::Borrowed(text);
    }
    let mut answer = Vec::with_capacity(text.len());
    for Byte { value, escaped } in bytes(text) {
        let is_free = class(value) & FREE != 0;
        // A digit decoded after a `%` that begins no escape would make it begin one.
        let completes = value.is_ascii_hexdigit() && matches!(answer[..], [.., b'%'] | [.., b'%', _]);
        let is_reserved = is_reserved(shape, component, value);
        let needs_escape = if escaped { !is_free || is_reserved || completes } else { !is_free && !is_reserved };
        if needs_escape {
            answer.extend(encode(value));
        } else {
            answer.push(value);
        }
    }
    Cow::Owned(answer)
}

/// The escape of `byte`.
pub(super) fn encode(byte: u8) -> [u8; 3] {
    let digit = |nibble: u8| b"0123456789ABCDEF"[usize::from(nibble)];
    [b'%', digit(byte >> 4), digit(byte & 15)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrowed_without_an_escape() {
        assert!(matches!(decode(b"plain"), Cow::Borrowed(_)));
        assert!(matches!(normalize(Grammar::Ftp, Component::Name, b"plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn broken_escapes_stay() {
        for text in ["%", "%2", "%zz", "a%", "%%%"] {
            assert_eq!(*decode(text.as_bytes()), *text.as_bytes());
            assert_eq!(*normalize(Grammar::Http, Component::Path, text.as_bytes()), *text.as_bytes());
        }
        assert_eq!(*decode(b"%%41"), *b"%A");
    }

    #[test]
    fn a_broken_escape_is_never_completed() {
        for text in ["%a%30", "%%30", "%%61b"] {
            assert_eq!(*normalize(Grammar::Ftp, Component::Name, text.as_bytes()), *text.as_bytes());
        }
    }

    #[test]
    fn decoding_is_done_once() {
        assert_eq!(*decode(b"%252F"), *b"%2F");
        assert_eq!(*normalize(Grammar::Http, Component::Path, b"%252F"), *b"%252F");
    }

    #[test]
    fn a_percent_sign_never_becomes_an_escape() {
        assert_eq!(*normalize(Grammar::Gopher, Component::Selector, b"%2541%09"), *b"%2541%09");
    }
}
