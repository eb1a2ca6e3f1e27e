//! Decodes and normalizes escapes: `%` and two hexadecimal digits (RFC 1738, section 2.2).
//!
//! The reserved characters depend on the component and on the scheme's grammar. In the name of an ftp file, for
//! example, `/` and `%2F` have different meanings. In a gopher selector, they have the same meaning. For this reason,
//! decode single components, and never a whole URL.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use memchr::memchr;

use super::class::{ALPHADIGIT, Class, DOT, HYPHEN, MARK, PLUS, RESERVED, TILDE, UNDERSCORE, class, classes};
use super::component::Component;
use super::scheme::Grammar;

/// Decodes the escape at the start of `text`. `None` if `text` does not start with an escape.
pub(super) fn escape(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    Some(hex(*high)? << 4 | hex(*low)?)
}

pub(crate) fn hex(digit: u8) -> Option<u8> {
    // The cast is lossless, because the value is below 16.
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// A decoded byte: an item of the iterator that [`bytes`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Byte {
    /// The value of the byte.
    pub(crate) value: u8,
    /// Whether the byte was written as an escape: `%` and two hexadecimal digits.
    pub(crate) escaped: bool,
}

/// Returns an iterator over the decoded bytes of `text`. A `%` that does not begin an escape is returned unchanged.
/// Does not allocate.
pub(crate) fn bytes(text: &[u8]) -> impl Iterator<Item = Byte> + Clone + '_ {
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

/// Returns whether `byte` is reserved in `component` of a URL with this grammar. A reserved byte and its escape have
/// different meanings.
///
/// | component | reserved |
/// |---|---|
/// | host | `:` `@` `/` `?` |
/// | user, password | `:` `@` `/` (RFC 1738, section 3.1), and `?` if the grammar in section 5 has no user name |
/// | names of ftp | `/` `;` (3.2.2) |
/// | path of http | `/` `;` `?` (3.3) |
/// | search of http and WAIS | `/` `;` `?` (3.3), and `&` `=` `+`, to which HTML forms and draft-www-uri-00 ("query strings") give a meaning |
/// | gopher (3.4.1) | none |
/// | path of file | `/` `;` |
/// | mailto (3.5) | `?` in the address; `?` `&` `=` in the headers |
/// | newsgroup, article, message-id | `@` `/` |
/// | names of WAIS | `/` `?` (3.9) |
/// | prospero | `;`, in fields also `=`, but not `/` (3.11) |
/// | fragment | `#` |
///
/// In the path and search of all other schemes, `;` `/` `?` `:` `@` `&` `=` are reserved, and in the search also `+`.
/// The percent sign is reserved everywhere.
#[must_use]
pub(crate) fn is_reserved(grammar: Grammar, component: Component, byte: u8) -> bool {
    let reserved: &[u8] = match component {
        Component::User | Component::Password => match grammar {
            Grammar::Ftp | Grammar::Telnet | Grammar::News | Grammar::Internet => b":@/",
            // With the grammars not named above, a `?` ends the authority, so a user name cannot contain a `?`.
            _ => b":@/?",
        },
        Component::Host => b":@/?",
        Component::Port
        | Component::GopherType
        | Component::Selector
        | Component::GopherSearch
        | Component::GopherPlus => b"",
        Component::Cwd | Component::Name | Component::TypeCode => b"/;",
        Component::Path => match grammar {
            Grammar::Http => b"/;?",
            Grammar::File => b"/;",
            _ => b";/?:@&=",
        },
        Component::Search => match grammar {
            Grammar::Http | Grammar::Wais => b"/;?&=+",
            Grammar::Mailto => b"?&=",
            _ => b";/?:@&=+",
        },
        Component::AddrSpec => b"?",
        // An `@` in the name of a newsgroup would turn the name into a message-id. A `/` at the beginning of an article
        // would turn the article into a host.
        Component::Newsgroup | Component::Article | Component::MessageId => b"@/",
        Component::Database | Component::Wtype | Component::Wpath => b"/?",
        Component::Hsoname | Component::Version => b";",
        Component::FieldName | Component::FieldValue => b";=",
        Component::Fragment => b"#",
    };
    byte == b'%' || reserved.contains(&byte)
}

/// Decodes every escape in the `text` of a component.
///
/// The result is the value that a client sends to the server (RFC 1738, section 3.2.2). The result can contain any
/// byte, so do not put it back into a URL. A `%` that does not begin an escape is kept. Never decode twice: `%252F`
/// means `%2F`. Allocates only if there is a `%`.
///
/// ```
/// assert_eq!(*urlspool::percent_decode(b"%2Fetc"), *b"/etc");
/// ```
#[must_use]
pub fn decode(text: &[u8]) -> Cow<'_, [u8]> {
    match memchr(b'%', text) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(bytes(text).map(|byte| byte.value).collect()),
    }
}

/// Returns the `text` of a component in normal form. If the result replaces `text` in a URL, the URL stays equivalent.
///
/// - Escapes of letters, digits, and `$-_.~+!*'(),` are decoded. Escapes of characters that are reserved only in other
///   components are also decoded.
/// - Characters that are not allowed in a URL and characters outside ASCII are escaped.
/// - The hexadecimal digits of escapes are converted to upper case. A `%` that does not begin an escape is kept.
///
/// The URL keeps its meaning: by RFC 1738, section 2.2, a character and its escape differ in meaning only if the
/// character is reserved. Allocates only if `text` has an escape or a character that needs one.
#[must_use]
pub(crate) fn normalize(grammar: Grammar, component: Component, text: &[u8]) -> Cow<'_, [u8]> {
    if is_free(text) {
        return Cow::Borrowed(text);
    }
    let mut answer = Vec::with_capacity(text.len());
    append_normal(&mut answer, grammar, component, text);
    Cow::Owned(answer)
}

/// The characters that need no escape, unless they are reserved.
const FREE: Class = ALPHADIGIT | HYPHEN | DOT | PLUS | UNDERSCORE | MARK | RESERVED | TILDE;

fn is_free(text: &[u8]) -> bool {
    classes(text) & !FREE == 0
}

/// Appends the normal form of `text` to `out`, which has the normal form of the URL before `text`.
pub(super) fn append_normal(out: &mut Vec<u8>, grammar: Grammar, component: Component, text: &[u8]) {
    if is_free(text) {
        out.extend_from_slice(text);
        return;
    }
    for Byte { value, escaped } in bytes(text) {
        let is_free = class(value) & FREE != 0;
        // After a `%` that does not begin an escape, a decoded hexadecimal digit could complete an escape: `%4%31` must
        // not become `%41`. The `%` can be in the component before: in gopher://h/%%41b, `%` is the type.
        let completes = value.is_ascii_hexdigit()
            && match out[..] {
                [.., b'%'] => true,
                [.., b'%', digit] => digit.is_ascii_hexdigit(),
                _ => false,
            };
        let is_reserved = is_reserved(grammar, component, value);
        let needs_escape = if escaped { !is_free || is_reserved || completes } else { !is_free && !is_reserved };
        if needs_escape {
            out.extend(encode(value));
        } else {
            out.push(value);
        }
    }
}

pub(crate) fn encode(byte: u8) -> [u8; 3] {
    let digit = |nibble: u8| b"0123456789ABCDEF"[usize::from(nibble)];
    [b'%', digit(byte >> 4), digit(byte & 15)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_an_escape_is_borrowed() {
        assert!(matches!(decode(b"plain"), Cow::Borrowed(_)));
        assert!(matches!(normalize(Grammar::Ftp, Component::Name, b"plain"), Cow::Borrowed(_)));
    }

    /// Some schemes use only a few of the characters that are reserved in RFC 1738.
    #[test]
    fn reserved_characters_of_paths_and_searches() {
        for (grammar, component, reserved) in [
            (Grammar::File, Component::Path, b";/".as_slice()),
            (Grammar::Mailto, Component::Search, b"?&="),
            (Grammar::Ftp, Component::Search, b";/?:@&=+"),
        ] {
            let is_right = |byte: &u8| is_reserved(grammar, component, *byte) == reserved.contains(byte);
            assert!(b";/?:@&=+".iter().all(is_right), "{grammar:?} {component:?}");
        }
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

    #[test]
    fn escapes() {
        let table: toml::Table = include_str!("../../corpus/url/percent.toml").parse().expect("a table");
        for case in table["case"].as_array().expect("cases") {
            let [name, scheme, component, text, normalized, decoded] =
                ["name", "scheme", "component", "text", "normalized", "decoded"].map(|key| case[key].as_str().unwrap());
            let grammar = crate::url::scheme::find(scheme.as_bytes()).expect("a scheme").grammar;
            let component: Component = component.parse().expect("a component");
            let text = text.as_bytes();
            assert_eq!(normalize(grammar, component, text), normalized.as_bytes(), "{name}");
            assert_eq!(decode(text), decoded.as_bytes(), "{name}");
        }
    }
}
