//! The normal form: RFC 3986 sections 6.2.2 and 6.2.3; draft-www-uri-00, "Reduced or increased safe character sets"; RFC 1738
//! sections 2.1 and 2.2.

use alloc::string::String;

use super::component::Component;
use super::relative::remove_dots;
use super::scheme::Grammar;
use super::{Url, percent};

impl Url<'_> {
    /// Whether the two URLs mean the same by their syntax alone: whether their [normal forms](Self::normalized) are equal.
    ///
    /// ```
    /// # use urlspool::url::Url;
    /// let left = Url::parse("http://info.cern.ch/albert/marie-claude")?;
    /// let right = Url::parse("HTTP://INFO.cern.ch:80/albert/bertram/../marie%2Dclaude")?;
    /// assert!(left.is_equivalent(&right));
    /// # Ok::<(), urlspool::url::ParseError>(())
    /// ```
    #[must_use]
    pub fn is_equivalent(&self, other: &Url<'_>) -> bool {
        self == other || self.normalized() == other.normalized()
    }

    /// The normal form: a URL that means the same, in ASCII. All URLs that mean the same by their syntax have the same one.
    ///
    /// - The scheme and the host are in lower case, and so is the domain of a mailto address (RFC 822 6.2.4) and an ftp
    ///   typecode (section 5).
    /// - Escapes are decoded unless the character is reserved in its component ([`percent::is_reserved`]) or cannot stand in a
    ///   URL: `%2D` is `-`, but `%2F` in a path stays. Characters that cannot stand in a URL are escaped, those outside ASCII
    ///   too. The digits of escapes are in upper case.
    /// - The scheme's default port and an empty port are left out. An empty path is `/` (RFC 3986 6.2.3).
    /// - Dot segments are removed where the path has segments (RFC 3986 5.2.4).
    /// - A gopher URL without a type has type `1` (3.4.1); a file URL's host `localhost` is left out (3.10), and `file:/path` is
    ///   `file:///path` (RFC 8089 2).
    /// - An empty fragment is left out (draft-www-uri-00, "Fragment-id").
    ///
    /// A user name that is absent differs from an empty one, and so does a query.
    ///
    /// ```
    /// # use urlspool::url::Url;
    /// let url = Url::parse("HTTP://Example.org:80/%7Eann/x/../caf\u{e9}?q=%2f#")?;
    /// assert_eq!(url.normalized(), "http://example.org/~ann/caf%C3%A9?q=%2F");
    /// # Ok::<(), urlspool::url::ParseError>(())
    /// ```
    #[must_use]
    pub fn normalized(&self) -> String {
        let shape = self.grammar();
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
                if self.port().is_some_and(|port| self.known_scheme().and_then(|row| row.port) != Some(port)) {
                    out.push(b':');
                    out.extend_from_slice(part);
                }
                continue;
            }
            let is_authority = matches!(component, Component::User | Component::Password | Component::Host);
            has_authority |= is_authority;
            // The colon of an empty port.
            let gap = if has_authority && !is_authority { gap.strip_prefix(b":").unwrap_or(gap) } else { gap };
            if has_authority && !is_authority && !has_path {
                has_path = true;
                if !gap.starts_with(b"/") {
                    out.push(b'/');
                }
            }
            // `file:/path` (RFC 8089 2).
            out.extend_from_slice(if shape == Grammar::File && gap == b":/" { b":///" } else { gap });
            match component {
                Component::Host if shape == Grammar::File && part.eq_ignore_ascii_case(b"localhost") => {}
                Component::Host if part.starts_with(b"[") => out.extend(part.to_ascii_lowercase()),
                Component::GopherType if at == text.len() && matches!(part, b"1" | b"%31") => {}
                _ => {
                    let from = out.len();
                    out.extend_from_slice(&percent::normalize(shape, component, part));
                    match component {
                        Component::Host | Component::TypeCode => lower(&mut out[from..]),
                        Component::AddrSpec => {
                            let domain = out[from..].iter().rposition(|byte| *byte == b'@').unwrap_or(out.len() - from);
                            lower(&mut out[from + domain..]);
                        }
                        _ => {}
                    }
                }
            }
        }
        let rest = &text[at..];
        out.extend_from_slice(if has_authority { rest.strip_prefix(b":").unwrap_or(rest) } else { rest });
        if has_authority && !has_path && !out.ends_with(b"/") {
            out.push(b'/');
        }
        if matches!(shape, Grammar::Http | Grammar::Ftp | Grammar::File | Grammar::Internet) {
            remove_dots(&mut out, self.scheme_bytes().len() + 1);
        }
        if let Some(fragment) = self.fragment().filter(|fragment| !fragment.is_empty()) {
            out.push(b'#');
            out.extend_from_slice(&percent::normalize(shape, Component::Fragment, fragment.as_bytes()));
        }
        String::from_utf8(out).expect("what is not ASCII is escaped")
    }
}

/// Turns letters to lower case, but for the digits of escapes.
fn lower(text: &mut [u8]) {
    let mut at = 0;
    while at < text.len() {
        let is_escape = percent::escape(&text[at..]).is_some();
        text[at].make_ascii_lowercase();
        at += if is_escape { 3 } else { 1 };
    }
}
