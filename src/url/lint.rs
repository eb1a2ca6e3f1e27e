//! Warnings about suspicious URLs, based on the security considerations of RFC 1738 (section 6) and RFC 3986 (section
//! 7).

use core::{fmt, iter};

use memchr::memchr3;

use super::class::{HIGH, HYPHEN, PERCENT};
use super::scheme::Grammar;
#[cfg(feature = "domain")]
use super::{Tier, suffix_labels};
use super::{Url, host, lookalike, percent};

named! {
    /// A suspicious property of a URL. [`Url::warnings`] returns the warnings of a URL. For a URL in HTML, the
    /// extractor can add further warnings to the hit.
    ///
    /// ```
    /// use urlspool::{Url, Warning};
    /// let url = Url::parse("http://www.bank.com@203.0.113.5:8080/")?;
    /// let warnings: Vec<_> = url.warnings().collect();
    /// assert_eq!(warnings, [Warning::PortNotDefault, Warning::UserinfoLooksLikeHost]);
    /// assert_eq!(warnings[1].as_str(), "userinfo-looks-like-host");
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    #[repr(u8)]
    pub enum Warning: &'static str {
        /// The URL has a password, which may be empty. RFC 1738, section 6, calls this "clearly unwise".
        Password = "password" => "the URL has a password",
        /// The port is not the default port of the scheme (RFC 1738, section 6). If the scheme has no default port, the
        /// URL does not have this warning.
        PortNotDefault = "port-not-default" => "the port is not the default port of the scheme",
        /// The port is not the default port of the scheme and is below 1024, "within the reserved space" (RFC 1738,
        /// section 6).
        PortReserved = "port-reserved" => "the port is not the default port and is below 1024",
        /// The URL of a line-based protocol has an encoded CR, LF or NUL. A client that decodes and sends the URL could
        /// begin another command of the protocol (RFC 1738, section 6). The line-based protocols are ftp, gopher,
        /// telnet, news, nntp, and all other schemes whose URLs are `//`, a host and a path (RFC 1738, section 3.1).
        EncodedControl = "encoded-control" =>
            "the URL has an encoded CR, LF or NUL, which could begin another command of the protocol",
        /// The user name looks like a host name: `bank.com@evil.example` (RFC 3986, section 7.6). The decoded user name
        /// is checked up to its first `/`, `:` or `?`. A user name with a dot and a last label of two or more letters
        /// looks like a host name. The warning can be wrong: it also occurs for the user name `john.smith`.
        UserinfoLooksLikeHost = "userinfo-looks-like-host" =>
            "the user name looks like a host name, as in `bank.com@evil.example`",
        /// The URL has a `%` without two hexadecimal digits after it (RFC 1738, section 2.2). Example 3 of
        /// draft-www-uri-00 calls such a URL "illegal".
        BadEscape = "bad-escape" => "a `%` is not followed by two hexadecimal digits",
        /// A label of the host mixes Latin with Cyrillic or Greek letters, or all its letters only look like Latin
        /// letters: `xn--80ak6aa92e.com`. The label can be in UTF-8 or in Punycode (RFC 3987, section 8; RFC 5890,
        /// section 4.4).
        HostLooksLatin = "host-looks-latin" =>
            "the host mixes writing systems, or has letters of other scripts that look Latin",
        /// The visible text of an HTML link names a host, and the URL of the link has a host in another domain. Only
        /// hits of the extractor have this warning.
        ShownAsOtherHost = "shown-as-other-host" =>
            "the text of the HTML link names a host in another domain than the URL",
        /// An HTML attribute had characters that are not allowed in a URL, such as blanks. The extractor
        /// percent-encoded these characters, as browsers do. Only hits of the extractor have this warning.
        CharactersEncoded = "characters-encoded" =>
            "urlspool encoded blanks or other characters in an HTML attribute, as browsers do",
        /// An HTML attribute had missing slashes, extra slashes or backslashes. The extractor repaired the slashes, as
        /// browsers do. Only hits of the extractor have this warning.
        SlashesMended = "slashes-mended" =>
            "urlspool repaired backslashes, or missing or extra slashes, in an HTML attribute, as browsers do",
        /// An HTML attribute with a mailto URL had blanks or angle brackets around the address. The extractor removed
        /// them. Only hits of the extractor have this warning.
        AddressTrimmed = "address-trimmed" =>
            "urlspool removed blanks or angle brackets around the address of a `mailto` URL in an HTML attribute",
        /// Browsers read the host as an IPv4 address, but the host is not written as four decimal numbers:
        /// `http://3232235521/`, `http://0xC0A80001/`, `http://0300.0250.0.1/` (RFC 3986, section 7.4; URL Standard,
        /// section 3.5).
        HostIsNumber = "host-is-number" => "the host is an IPv4 address that is not written as four decimal numbers",
        /// The URL has an encoded NUL, `%00`. A program that decodes the URL to a C string cuts the URL at the NUL (RFC
        /// 3986, section 7.3). Prospero URLs never have this warning, because such URLs have a `%00` before the
        /// version.
        EncodedNul = "encoded-nul" => "the URL has an encoded NUL (`%00`), and some programs cut the URL there",
        /// The URL has a character that changes the writing direction. A terminal or browser can then display the
        /// characters of the URL in another order (RFC 3987, section 4.1). The character can be encoded or unencoded.
        BidiControl = "bidi-control" => "the URL has a character that changes the direction of writing",
        /// An HTML attribute began with `//` and a host, and the HTML has no `base`. The extractor added `https:`, as web
        /// mail does. Only hits of the extractor have this warning.
        NoScheme = "no-scheme" => "the HTML attribute had no scheme, as in `//host/path`, and urlspool added `https:`",
        /// The message has no valid Date field. The date of the hit is that of the envelope line of its mbox, or of its
        /// oldest Received field. Only hits of the extractor have this warning.
        EnvelopeDate = "envelope-date" => "the date is that of the envelope or of Received, because Date has no valid date",
        /// The host does not end in a known public suffix, as in `http://www.exampleorg/`, or has a character that no host
        /// or label in the DNS has, as in `http://www.example*.com/`. So the URL can be cut, mistyped or changed on purpose,
        /// or the host is in a local network. Addresses, reserved names (RFC 6761, RFC 6762, RFC 7686), names in domains
        /// that have gone such as `yu` and `uucp`, names of one label other than `www`, and the hosts of `file` URLs and of
        /// schemes that are not listed in the [rules](crate::rules) never have this warning. Needs the feature `domain`.
        HostUnknown = "host-unknown" =>
            "the host does not end in a known public suffix, or has characters that no host has",
    }
}

impl Warning {
    /// Returns a description of the warning, for people.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row()
    }
}

/// A set of [`Warning`]s.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Warnings(u32);

impl Warnings {
    /// Returns the warnings in the order in which [`Warning`] declares them.
    pub(crate) fn iter(self) -> impl Iterator<Item = Warning> + Clone {
        let mut bits = self.0;
        iter::from_fn(move || {
            let warning = *Warning::ALL.get(bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(warning)
        })
    }

    /// Returns the union of both sets.
    #[cfg(feature = "mime")]
    pub(crate) fn and(self, other: Warnings) -> Warnings {
        Warnings(self.0 | other.0)
    }

    pub(crate) fn add(&mut self, warning: Warning, holds: bool) {
        self.0 |= u32::from(holds) << warning as u8;
    }
}

impl fmt::Debug for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Url<'_> {
    /// Returns the warnings about the URL. Each call computes the warnings again. For most URLs, this method only makes
    /// a few comparisons. It reads the whole text only if the URL has escapes or characters outside ASCII.
    ///
    /// ```
    /// use urlspool::{Url, Warning};
    /// assert!(Url::parse("ftp://ann:secret@ftp.example.org/")?.warnings().eq([Warning::Password]));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    pub fn warnings(&self) -> impl Iterator<Item = Warning> + Clone + use<> {
        self.lint().iter()
    }

    pub(crate) fn lint(&self) -> Warnings {
        let mut warnings = Warnings::default();
        let parsed = self.parsed();
        let has = |classes| parsed.seen & classes != 0;
        if parsed.has_user {
            warnings.add(Warning::Password, self.password().is_some());
            warnings
                .add(Warning::UserinfoLooksLikeHost, self.user().is_some_and(|user| looks_like_host(user.as_bytes())));
        }
        if let Some(port) = self.port()
            && let Some(default) = self.parsed().row.and_then(|row| row.port)
        {
            warnings.add(Warning::PortNotDefault, port != default);
            warnings.add(Warning::PortReserved, port != default && port < 1024);
        }
        #[cfg(feature = "domain")]
        warnings.add(Warning::HostUnknown, self.has_unknown_host());
        if parsed.has_odd_host || has(PERCENT | HIGH) { self.unusual(warnings) } else { warnings }
    }

    /// Whether the URL has the warning [`Warning::HostUnknown`].
    #[cfg(feature = "domain")]
    #[inline]
    fn has_unknown_host(&self) -> bool {
        let host = self.host_bytes().unwrap_or_default();
        // Most hosts are of this kind, and need no search.
        let is_usual = self.tier() == Tier::Rfc1738
            && matches!(
                host,
                [.., b'.', b'c', b'o', b'm'] | [.., b'.', b'o', b'r', b'g'] | [.., b'.', b'n', b'e', b't']
            );
        !is_usual && !host.is_empty() && is_unknown(host, self.grammar())
    }

    /// Adds the warnings that only a URL with an unusual host, an escape or a character outside ASCII can have.
    #[inline(never)]
    fn unusual(&self, mut warnings: Warnings) -> Warnings {
        let parsed = self.parsed();
        let has = |classes| parsed.seen & classes != 0;
        if parsed.has_odd_host {
            let host = self.host_bytes().unwrap_or_default();
            warnings.add(Warning::HostLooksLatin, has(HIGH | HYPHEN) && lookalike::looks_latin(host));
            let is_odd = || host::address(host).is_some_and(|(_, is_usual)| !is_usual);
            warnings.add(Warning::HostIsNumber, self.grammar() != Grammar::Generic && is_odd());
        }
        if has(PERCENT) {
            let lines = matches!(
                self.grammar(),
                Grammar::Ftp | Grammar::Gopher | Grammar::Telnet | Grammar::News | Grammar::Nntp | Grammar::Internet
            );
            warnings.add(Warning::EncodedControl, lines && has_encoded_control(self.without_fragment().as_bytes()));
            warnings.add(Warning::BadEscape, parsed.bad_escape);
        }
        if has(PERCENT | HIGH) {
            let (nul, bidi) = nul_and_bidi(self.as_bytes());
            warnings.add(Warning::EncodedNul, nul && self.grammar() != Grammar::Prospero);
            warnings.add(Warning::BidiControl, bidi);
        }
        warnings
    }
}

/// The last labels of names that are reserved for documentation and local networks (RFC 2606, RFC 6761, RFC 6762, RFC
/// 7686), and `internal`, which ICANN has reserved.
#[cfg(feature = "domain")]
const RESERVED: [&str; 7] = ["example", "test", "invalid", "localhost", "local", "onion", "internal"];

/// The last labels of names that were in use when old mail was written: domains of countries that have gone, and the
/// networks UUCP and BITNET.
#[cfg(feature = "domain")]
const RETIRED: [&str; 8] = ["yu", "cs", "an", "tp", "zr", "dd", "uucp", "bitnet"];

/// Whether `host` is a name that is neither reserved nor in the DNS.
#[cfg(feature = "domain")]
#[inline(never)]
fn is_unknown(host: &[u8], grammar: Grammar) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"-._".contains(byte);
    let is_label = |label: &str| matches!(label.len(), 1..=63) && !label.starts_with('-') && !label.ends_with('-');
    let Ok(name) = str::from_utf8(host.strip_suffix(b".").unwrap_or(host)) else { return false };
    let is_reserved = name
        .rsplit('.')
        .next()
        .is_some_and(|top| RESERVED.iter().chain(&RETIRED).any(|one| one.eq_ignore_ascii_case(top)));
    // An address in brackets and a host with escapes are no names.
    let is_address = || host::address(host).is_some() || host.starts_with(b"[") || host.contains(&b'%');
    !matches!(grammar, Grammar::Generic | Grammar::File)
        && !is_reserved
        && !is_address()
        && (name.contains('.') || name.eq_ignore_ascii_case("www"))
        && (!host.iter().all(is_name) || !name.split('.').all(is_label) || suffix_labels(name) == 0)
}

fn has_encoded_control(text: &[u8]) -> bool {
    percent::bytes(text).any(|byte| byte.escaped && matches!(byte.value, b'\r' | b'\n' | 0))
}

/// Returns two values: whether `text` has an encoded NUL, and whether `text` has a character that changes the writing
/// direction. This character can be encoded or unencoded. The characters that change the writing direction have the
/// Unicode property `Bidi_Control`: U+061C, U+200E, U+200F, U+202A to U+202E, and U+2066 to U+2069.
#[inline(never)]
fn nul_and_bidi(text: &[u8]) -> (bool, bool) {
    let (mut nul, mut bidi) = (false, false);
    let mut rest = text;
    // An encoded character begins with `%`. In UTF-8, each unencoded bidi control begins with the byte 0xE2 or 0xD8.
    while let Some(at) = memchr3(b'%', 0xE2, 0xD8, rest) {
        rest = &rest[at..];
        let mut bytes = percent::bytes(rest).map(|byte| byte.value);
        match bytes.next() {
            Some(0) => nul = true,
            Some(0xE2) => {
                bidi |= matches!(
                    (bytes.next(), bytes.next()),
                    (Some(0x80), Some(0x8E | 0x8F | 0xAA..=0xAE)) | (Some(0x81), Some(0xA6..=0xA9))
                );
            }
            Some(0xD8) => bidi |= bytes.next() == Some(0x9C),
            _ => {}
        }
        rest = &rest[1..];
    }
    (nul, bidi)
}

fn looks_like_host(user: &[u8]) -> bool {
    let decoded = percent::decode(user);
    let name = decoded.split(|byte| b"/:?".contains(byte)).next().unwrap_or_default();
    let Some(dot) = name.iter().rposition(|&byte| byte == b'.') else { return false };
    let top = &name[dot + 1..];
    top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic) && host::is_hostname(name)
}

#[cfg(test)]
#[cfg(feature = "mime")]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_the_warnings_of_both_sets() {
        use Warning::{BadEscape, EncodedNul, Password};
        let set = |warnings: &[Warning]| {
            let mut set = Warnings::default();
            warnings.iter().for_each(|warning| set.add(*warning, true));
            set
        };
        assert_eq!(
            set(&[Password, BadEscape]).and(set(&[BadEscape, EncodedNul])),
            set(&[Password, BadEscape, EncodedNul])
        );
    }
}
