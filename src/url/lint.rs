//! Security considerations: RFC 1738 section 6, RFC 3986 section 7.6.

use std::fmt;

use super::class::{HIGH, HYPHEN, PERCENT};
use super::scheme::Shape;
use super::{Url, host, lookalike, percent};

named! {
    /// Something about a URL that its reader should be told.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    #[repr(u8)]
    pub enum Warning {
        /// A password in the URL, empty or not: "clearly unwise" (RFC 1738 6).
        Password = "password",
        /// A port other than the scheme's default (RFC 1738 6). Schemes without one never have it.
        PortNotDefault = "port-not-default",
        /// A port other than the default, and below 1024: "within the reserved space" (RFC 1738 6).
        PortReserved = "port-reserved",
        /// An encoded CR, LF or NUL in a URL of a line protocol: ftp, gopher, telnet, news, nntp and the
        /// schemes of [`Shape::Internet`]; decoded and sent, it would begin another command
        /// (RFC 1738 6).
        EncodedControl = "encoded-control",
        /// A user name that reads as a host name, `http://bank.com@evil.example/` (RFC 3986 7.6): up to
        /// its first `/`, `:` or `?`, decoded, it has a dot, and its last label is two or more letters.
        /// `john.smith` cannot be told from a host and counts too.
        UserinfoLooksLikeHost = "userinfo-looks-like-host",
        /// A `%` that begins no escape (RFC 1738 2.2; "illegal" in draft-www-uri-00, example 3).
        BadEscape = "bad-escape",
        /// A label of the host has letters of several scripts, or none but such as look like Latin ones, in UTF-8 or in
        /// Punycode: `xn--80ak6aa92e.com` (RFC 3987 8, RFC 5890 4.4).
        HostLooksLatin = "host-looks-latin",
        /// The text of an HTML link is a URL or a host's name, and names a host in another domain than the link does. Only a
        /// hit has it; see [`Url::is_shown_as_other_host`].
        ShownAsOtherHost = "shown-as-other-host",
    }
}

/// A set of [`Warning`]s.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Warnings(u8);

impl Warnings {
    /// Is there none?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Is `warning` among them?
    #[must_use]
    pub fn contains(self, warning: Warning) -> bool {
        self.0 & 1 << warning as u8 != 0
    }

    /// The warnings in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Warning> {
        Warning::VARIANTS.iter().copied().filter(move |&warning| self.contains(warning))
    }

    pub(crate) fn add(&mut self, warning: Warning, holds: bool) {
        self.0 |= u8::from(holds) << warning as u8;
    }
}

impl fmt::Debug for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Url<'_> {
    /// What the URL's reader should be told. Costs next to nothing for most URLs, for others a pass over them; parsing does
    /// not pay for it.
    pub fn warnings(&self) -> Warnings {
        let mut warnings = Warnings::default();
        let has = |classes| self.seen & classes != 0;
        // The first question of each is nearly always answered with no: what follows it costs nothing then.
        if self.has_user {
            warnings.add(Warning::Password, self.password().is_some());
            warnings.add(Warning::UserinfoLooksLikeHost, self.user().is_some_and(looks_like_host));
        }
        if let Some(port) = self.port()
            && let Some(default) = self.row().and_then(|row| row.port)
        {
            warnings.add(Warning::PortNotDefault, port != default);
            warnings.add(Warning::PortReserved, port != default && port < 1024);
        }
        let lines = matches!(
            self.shape(),
            Shape::Ftp | Shape::Gopher | Shape::Telnet | Shape::News | Shape::Nntp | Shape::Internet
        );
        if lines && has(PERCENT) {
            warnings.add(Warning::EncodedControl, has_encoded_control(self.without_fragment()));
        }
        warnings.add(Warning::BadEscape, self.bad_escape);
        if self.has_odd_host && has(HIGH | HYPHEN) {
            warnings.add(Warning::HostLooksLatin, self.host().is_some_and(lookalike::looks_latin));
        }
        warnings
    }
}

fn has_encoded_control(text: &[u8]) -> bool {
    percent::octets(text).any(|octet| octet.escaped && matches!(octet.value, b'\r' | b'\n' | 0))
}

fn looks_like_host(user: &[u8]) -> bool {
    let decoded = percent::decode(user);
    let name = decoded.split(|octet| b"/:?".contains(octet)).next().unwrap_or_default();
    let Some(dot) = name.iter().rposition(|&octet| octet == b'.') else { return false };
    let top = &name[dot + 1..];
    top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic) && host::is_hostname(name)
}
