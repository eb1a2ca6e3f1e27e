//! Computes the normal form of a URL. The rules are in RFC 3986 (sections 6.2.2 and 6.2.3), RFC 1738 (sections 2.1 and
//! 2.2) and draft-www-uri-00 ("Reduced or increased safe character sets").

use alloc::string::String;
use alloc::vec::Vec;

use super::component::Component;
use super::relative::remove_dots;
use super::scheme::Grammar;
use super::{Url, percent};

impl Url<'_> {
    /// Returns whether both URLs have the same [normal form](Self::normalized). The check uses only the text of the
    /// URLs and the rules of their scheme, never the network.
    ///
    /// ```
    /// # use urlspool::Url;
    /// let left = Url::parse("http://info.cern.ch/albert/marie-claude")?;
    /// let right = Url::parse("HTTP://INFO.cern.ch:80/albert/bertram/../marie%2Dclaude")?;
    /// assert!(left.is_equivalent(&right));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    #[must_use]
    pub fn is_equivalent(&self, other: &Url<'_>) -> bool {
        self == other || self.normalized() == other.normalized()
    }

    /// Returns the normal form of the URL, which is an equivalent URL in ASCII. URLs that differ only in spelling, such
    /// as `http://host/%7Eann` and `HTTP://host:80/~ann`, have the same normal form.
    ///
    /// - The scheme, the host, the domain of a mailto address (RFC 822, section 6.2.4) and an ftp typecode (RFC 1738,
    ///   section 5) are converted to lower case.
    /// - An escape is kept if the escaped character is not allowed in a URL. It is also kept if the character is
    ///   reserved in its component, such as `%2F` in a path. All other escapes are decoded:
    ///   `%2D` becomes `-`. Characters that are not allowed in a URL and characters outside ASCII are escaped. The
    ///   hexadecimal digits of escapes are converted to upper case.
    /// - The scheme's default port and an empty port are removed. An empty path becomes `/` (RFC 3986, section 6.2.3).
    /// - The dot segments `.` and `..` are removed from the paths of http, ftp, file, and other schemes
    ///   whose URLs are `//`, a host and a path (RFC 3986, section 5.2.4).
    /// - The gopher type `1` is removed if no selector follows, because `1` is the default type (RFC 1738, section
    ///   3.4.1). The host `localhost` of a file URL is removed (RFC 1738, section 3.10). `file:/path` becomes
    ///   `file:///path` (RFC 8089, section 2).
    /// - An empty fragment is removed (draft-www-uri-00, "Fragment-id").
    ///
    /// An empty user name or query is kept: `http://host/?` and `http://host/` are not equivalent.
    ///
    /// ```
    /// # use urlspool::Url;
    /// let url = Url::parse("HTTP://Example.org:80/%7Eann/x/../caf\u{e9}?q=%2f#")?;
    /// assert_eq!(url.normalized(), "http://example.org/~ann/caf%C3%A9?q=%2F");
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    #[must_use]
    pub fn normalized(&self) -> String {
        if self.is_normal() { self.as_str().into() } else { self.normalize() }
    }

    /// Returns `true` if a quick check shows that the URL is already in normal form. Most URLs pass the check, which
    /// takes a tenth of the time of [`normalize`](Self::normalize).
    fn is_normal(&self) -> bool {
        let (scheme, rest) = self.as_bytes().split_at(self.scheme_bytes().len());
        if self.grammar() != Grammar::Http || scheme.iter().any(u8::is_ascii_uppercase) {
            return false;
        }
        let Some(rest) = rest.strip_prefix(b"://") else { return false };
        let Some(path) = memchr::memchr(b'/', rest) else { return false };
        let (host, path) = rest.split_at(path);
        let is = |bytes: &[u8], class: u8| bytes.iter().all(|byte| CLASSES[usize::from(*byte)] & class != 0);
        is(host, HOST) && is(path, PATH) && memchr::memmem::find(path, b"/.").is_none()
    }

    fn normalize(&self) -> String {
        let grammar = self.grammar();
        let text = self.without_fragment().as_bytes();
        let mut out = self.scheme_bytes().to_ascii_lowercase();
        let mut at = out.len();
        let mut has_authority = false;
        let mut has_path = false;
        for (component, span) in self.spans() {
            let gap = &text[at..span.start];
            let part = &text[span.clone()];
            at = span.end;
            if component == Component::Port {
                if self.port().is_some_and(|port| self.parsed().row.and_then(|row| row.port) != Some(port)) {
                    out.push(b':');
                    out.extend_from_slice(part);
                }
                continue;
            }
            let is_authority = matches!(component, Component::User | Component::Password | Component::Host);
            has_authority |= is_authority;
            // Remove the colon of an empty or default port.
            let gap = if has_authority && !is_authority { gap.strip_prefix(b":").unwrap_or(gap) } else { gap };
            if has_authority && !is_authority && !has_path {
                has_path = true;
                let is_early_search = component == Component::Search && has_question_in_path(grammar);
                if !gap.starts_with(b"/") && !is_early_search {
                    out.push(b'/');
                }
            }
            // `file:/path` becomes `file:///path` (RFC 8089, section 2).
            out.extend_from_slice(if grammar == Grammar::File && gap == b":/" { b":///" } else { gap });
            match component {
                Component::Host if grammar == Grammar::File && is_localhost(&out, part, &text[at..]) => {}
                Component::Host if part.starts_with(b"[") => out.extend(part.to_ascii_lowercase()),
                Component::GopherType if at == text.len() && matches!(part, b"1" | b"%31") => {}
                _ => append(&mut out, grammar, component, part),
            }
        }
        let rest = &text[at..];
        out.extend_from_slice(if has_authority { rest.strip_prefix(b":").unwrap_or(rest) } else { rest });
        if has_authority && !has_path && (!out.ends_with(b"/") || out.ends_with(b"://")) {
            out.push(b'/');
        }
        if matches!(grammar, Grammar::Http | Grammar::Ftp | Grammar::File | Grammar::Internet) {
            remove_dots(&mut out, self.scheme_bytes().len() + 1);
        }
        if let Some(fragment) = self.fragment().filter(|fragment| !fragment.is_empty()) {
            out.push(b'#');
            percent::append_normal(&mut out, grammar, Component::Fragment, fragment.as_bytes());
        }
        String::from_utf8(out).expect("all bytes outside ASCII were escaped")
    }
}

/// Whether `host` is the `localhost` of a file URL, which the normal form omits. The host of `file://localhost?x` is
/// kept, because a URL with an empty host needs a path.
fn is_localhost(before: &[u8], host: &[u8], after: &[u8]) -> bool {
    let after = after.strip_prefix(b":").unwrap_or(after);
    let host = percent::normalize(Grammar::File, Component::Host, host);
    before.ends_with(b"//") && host.eq_ignore_ascii_case(b"localhost") && matches!(after, [] | [b'/', ..])
}

/// Whether a `?` after a slash belongs to the path in this grammar, as in `ftp://host/?x`. In such a grammar, the
/// normal form of `ftp://host?x` has no slash after the host, because a slash would make `?x` a part of the path.
fn has_question_in_path(grammar: Grammar) -> bool {
    use Grammar::{File, Ftp, Gopher, News, Nntp, Prospero};
    matches!(grammar, Ftp | Gopher | News | Nntp | File | Prospero)
}

/// The class of the bytes that can occur in the host of a normalized http URL.
const HOST: u8 = 1;
/// The class of the bytes that can occur in the path and query of a normalized http URL. The class does not include
/// `%`, because [`Url::is_normal`] accepts no escapes.
const PATH: u8 = 2;
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let (mut byte, plain) = (0, b"/-._~?&=+,;:@!$*'()");
    while byte < 256 {
        let is = byte as u8;
        if is.is_ascii_lowercase() || is.is_ascii_digit() || is == b'-' || is == b'.' {
            classes[byte] = HOST | PATH;
        } else if is.is_ascii_uppercase() {
            classes[byte] = PATH;
        }
        byte += 1;
    }
    byte = 0;
    while byte < plain.len() {
        classes[plain[byte] as usize] |= PATH;
        byte += 1;
    }
    classes
};

/// Appends a component in normal form.
fn append(out: &mut Vec<u8>, grammar: Grammar, component: Component, part: &[u8]) {
    let from = out.len();
    percent::append_normal(out, grammar, component, part);
    match component {
        Component::Host | Component::TypeCode => lower(&mut out[from..]),
        Component::AddrSpec => {
            let domain = out[from..].iter().rposition(|byte| *byte == b'@').unwrap_or(out.len() - from);
            lower(&mut out[from + domain..]);
        }
        _ => {}
    }
}

/// Converts letters to lower case, except the hexadecimal digits of escapes.
fn lower(text: &mut [u8]) {
    let mut at = 0;
    while at < text.len() {
        let is_escape = percent::escape(&text[at..]).is_some();
        text[at].make_ascii_lowercase();
        at += if is_escape { 3 } else { 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::Url;

    #[test]
    fn hosts_are_normalized() {
        for (url, want) in [
            ("http://%77ww.ex%61mple.ORG/", "http://www.example.org/"),
            ("http://b\u{fc}cher.example/", "http://b%C3%BCcher.example/"),
            ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
        ] {
            assert_eq!(Url::parse(url).unwrap().normalized(), want);
        }
    }

    #[test]
    fn the_short_way_gives_the_same() {
        let table = [
            ("http://a.example/", true),
            ("https://a.example/~b/c.d?e=f&g=h+i,j;k:l@m!n$o*p'(q)", true),
            ("https://a.example//b/?c/d?", true),
            ("http://a.example", false),
            ("HTTP://a.example/", false),
            ("http://A.example/", false),
            ("http://a.example:80/", false),
            ("http://u@a.example/", false),
            ("http://a.example/./b", false),
            ("http://a.example/..", false),
            ("http://a.example/%7e", false),
            ("http://a.example/#", false),
            ("http://a.example/\u{fc}", false),
            ("ftp://a.example/", false),
        ];
        for (url, is_normal) in table {
            let url = Url::parse(url).unwrap();
            assert_eq!(url.is_normal(), is_normal, "{url}");
            assert!(!is_normal || url.normalize() == url.as_str(), "{url}");
        }
        for byte in b' '..=b'~' {
            for text in ["http://a#/b", "http://a.example/b#", "http://a.example/?b#"] {
                let text = text.replace('#', &char::from(byte).to_string());
                let Ok(url) = Url::parse(&text) else { continue };
                assert!(!url.is_normal() || url.normalize() == text, "{text}");
            }
        }
    }
}
