//! Detects misleading hosts. The host of a link is misleading if the visible text of the link names another host, as in
//! `corpus/mail/html_shown.eml`. A host is also misleading if it has letters of other scripts that look like Latin
//! letters (RFC 5890, section 4.4).

use alloc::vec::Vec;

#[cfg(feature = "mime")]
use super::{Url, host};

/// The generic top-level domains of RFC 1591. A name in one of these domains counts as a host even without a scheme or
/// `www.`. Other top-level domains are not in this list, because `notes.py` and `readme.md` would then count as hosts.
#[cfg(feature = "mime")]
const GENERIC: [&[u8]; 7] = [b"com", b"edu", b"gov", b"int", b"mil", b"net", b"org"];

#[cfg(feature = "mime")]
impl Url<'_> {
    /// Returns whether `text`, the visible text of a link to this URL, names a host in another domain. An example is
    /// `<a href="http://evil.example/">http://www.bank.com/</a>`.
    ///
    /// The text must be a URL or a host name. A name without a scheme counts if it begins with `www.`, or ends in one
    /// of the seven top-level domains of RFC 1591 (`com`, `edu`, `gov`, `int`, `mil`, `net`, `org`). The domain of a
    /// host is its last two labels. If the last label has two letters and the label before it has at most three
    /// letters, as in `co.uk`, the domain is the last three labels.
    ///
    /// A mail gateway rewrites the link but not the text. So the method returns `false` if the text names the domain of
    /// the last [target](Self::targets) of this URL. Takes time linear in the length of the URL and the text.
    pub(crate) fn is_shown_as_other_host(&self, text: &[u8]) -> bool {
        let Some(shown) = shown_host(text) else { return false };
        let is_other =
            |url: &Url<'_>| url.host_bytes().is_some_and(|host| !domain(shown).eq_ignore_ascii_case(domain(host)));
        let leads_there = || self.targets().last().is_some_and(|target| !is_other(target));
        is_other(self) && !leads_there()
    }
}

/// Returns the host in `text`, if `text` contains only a URL or a host name.
#[cfg(feature = "mime")]
fn shown_host(text: &[u8]) -> Option<&[u8]> {
    // Fast path: the text of most links has no dot, so it has no host.
    memchr::memchr(b'.', text)?;
    let begin = text.iter().position(|b| !matches!(b, b'(' | b'<' | b'[' | b'"'))?;
    let end = text.iter().rposition(|b| b.is_ascii_alphanumeric() || *b == b'/')? + 1;
    let text = text.get(begin..end)?;
    let slashes = memchr::memmem::find(text, b"://");
    let name = &text[slashes.map_or(0, |at| at + 3)..];
    let name = &name[..name.iter().position(|b| b"/?#:".contains(b)).unwrap_or(name.len())];
    let top = name.rsplit(|b| *b == b'.').next().unwrap_or_default();
    let begins_with_www = name.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"www."));
    let generic = || GENERIC.iter().any(|domain| top.eq_ignore_ascii_case(domain));
    let is_name = host::is_hostname(name) && top.len() < name.len();
    (is_name && (slashes.is_some() || begins_with_www || generic())).then_some(name)
}

/// Returns the part of `host` that probably belongs to one organisation, such as `bank.com` in `www.bank.com`. Returns
/// an address unchanged.
#[cfg(feature = "mime")]
fn domain(host: &[u8]) -> &[u8] {
    let host = host.strip_suffix(b".").unwrap_or(host);
    let mut dots = host.iter().enumerate().rev().filter(|(_, b)| **b == b'.').map(|(at, _)| at);
    let (Some(top), Some(second)) = (dots.next(), dots.next()) else { return host };
    if host[top + 1..].iter().all(u8::is_ascii_digit) {
        return host;
    }
    let under_country = host.len() - top - 1 == 2 && top - second - 1 <= 3;
    match under_country {
        true => dots.next().map_or(host, |third| &host[third + 1..]),
        false => &host[second + 1..],
    }
}

/// Cyrillic and Greek letters that look like small Latin letters.
const TWINS: &str = "\u{430}\u{435}\u{43E}\u{440}\u{441}\u{443}\u{445}\u{455}\u{456}\u{458}\u{475}\u{4BB}\u{4CF}\u{501}\
                     \u{51B}\u{51D}\u{3BD}\u{3BF}\u{3C1}\u{3F2}\u{3F3}\u{3B1}\u{3B9}";

/// Whether a label of `host` mixes Latin with Cyrillic or Greek letters, or has only letters that look like Latin
/// letters (UTS 39, sections 4 and 5). Labels can be in UTF-8 or in Punycode (RFC 3492). An ASCII host without `--` has
/// no Punycode, so its labels are not checked.
pub(super) fn looks_latin(host: &[u8]) -> bool {
    let hyphens = || memchr::memchr(b'-', host).is_some_and(|at| host[at..].windows(2).any(|two| two == b"--"));
    if host.is_ascii() && !hyphens() {
        return false;
    }
    host.split(|b| *b == b'.').any(|label| {
        let decoded = match label.get(..4) {
            Some(prefix) if prefix.eq_ignore_ascii_case(b"xn--") => punycode(&label[4..]),
            _ => str::from_utf8(label).ok().map(|label| label.chars().collect()),
        };
        let letters: Vec<char> = decoded.unwrap_or_default().into_iter().filter(|c| c.is_alphabetic()).collect();
        let foreign = letters.iter().any(|c| matches!(c, '\u{370}'..'\u{530}'));
        let latin = letters.iter().any(|c| c.is_ascii() || matches!(c, '\u{C0}'..'\u{250}'));
        foreign && (latin || letters.iter().all(|c| TWINS.contains(*c)))
    })
}

/// Decodes a Punycode label, given without its `xn--` (RFC 3492, section 6.2). `None` if `label` is malformed or longer
/// than 63 bytes, because no label in the DNS is longer.
fn punycode(label: &[u8]) -> Option<Vec<char>> {
    const BASE: u32 = 36;
    if label.len() > 63 || !label.is_ascii() {
        return None;
    }
    let (basic, extended) = match label.iter().rposition(|b| *b == b'-') {
        Some(hyphen) => (&label[..hyphen], &label[hyphen + 1..]),
        None => (&label[..0], label),
    };
    let mut decoded: Vec<char> = basic.iter().map(|b| char::from(b.to_ascii_lowercase())).collect();
    let (mut code, mut at, mut bias) = (0x80_u32, 0_u32, 72_u32);
    let mut digits = extended.iter();
    while !digits.as_slice().is_empty() {
        let (before, mut weight, mut threshold_at) = (at, 1_u32, BASE);
        loop {
            let digit = char::from(*digits.next()?).to_digit(BASE)?;
            // In RFC 3492, the letters are the digits 0 to 25, and `0` to `9` are the digits 26 to 35.
            let digit = if digit < 10 { digit + 26 } else { digit - 10 };
            at = at.checked_add(digit.checked_mul(weight)?)?;
            let threshold = threshold_at.saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            threshold_at += BASE;
        }
        let length = u32::try_from(decoded.len()).ok()? + 1;
        bias = adapted(at - before, length, before == 0);
        code = code.checked_add(at / length)?;
        at %= length;
        decoded.insert(at as usize, char::from_u32(code)?);
        at += 1;
    }
    Some(decoded)
}

/// Adapts the bias after each decoded code point (RFC 3492, section 6.1).
fn adapted(delta: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / length;
    let mut bias = 0;
    while delta > 455 {
        delta /= 35;
        bias += 36;
    }
    bias + 36 * delta / (delta + 38)
}

#[cfg(all(test, feature = "mime"))]
mod tests {
    use super::{Url, adapted, domain, looks_latin, punycode};

    #[test]
    fn other_hosts() {
        let table = [
            ("http://evil.example/", "http://www.bank.com/login", true),
            ("http://evil.example/", "www.bank.com", true),
            ("http://evil.example/", "bank.com", true),
            ("http://evil.example/", "(bank.com/login).", true),
            ("http://192.0.2.1/", "https://www.bank.com", true),
            ("http://www.bank.com.evil.example/", "www.bank.com", true),
            ("http://bank.com@evil.example/", "http://bank.com", true),
            ("http://shop.co.uk/", "http://other.co.uk/", true),
            ("http://shop.com.au/", "http://other.com.au/", true),
            ("http://www.bank.uk/", "http://login.bank.uk/", false),
            ("http://a.co.info/", "http://b.co.info/", false),
            ("http://www.bank.com/a", "http://www.bank.com/b", false),
            ("http://click.bank.com/", "www.BANK.com", false),
            ("http://www.shop.co.uk/", "http://shop.co.uk/", false),
            ("https://nam01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fbank.com", "www.bank.com", false),
            ("https://nam01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fevil.example", "www.bank.com", true),
            ("https://www.google.com/url?q=http://evil.example/", "www.google.com", false),
            ("http://evil.example/", "notes.py", false),
            ("http://evil.example/", "readme.txt", false),
            ("http://evil.example/", "joe@bank.com", false),
            ("http://evil.example/", "http://localhost/", false),
            ("http://evil.example/", "http://localhost/a.html", false),
            ("http://evil.example/", "Bank", false),
            ("http://evil.example/", "", false),
            ("http://evil.example/", "...", false),
            ("mailto:joe@example.org", "http://www.bank.com/", false),
        ];
        for (url, text, want) in table {
            let parsed = Url::parse(url.as_bytes()).unwrap();
            assert_eq!(parsed.is_shown_as_other_host(text.as_bytes()), want, "{url} shown as {text}");
        }
    }

    #[test]
    fn labels_of_rfc_3492() {
        let table = [
            ("ihqwcrb4cv8a8dqg056pqjye", "\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}"),
            ("bcher-kva", "b\u{FC}cher"),
            ("80ak6aa92e", "\u{430}\u{440}\u{440}\u{4CF}\u{435}"),
        ];
        for (label, want) in table {
            assert_eq!(punycode(label.as_bytes()), Some(want.chars().collect()), "{label}");
        }
        for label in ["99999999", "a-\u{e9}", "!", "b"] {
            assert_ne!(punycode(label.as_bytes()), Some(Vec::new()), "{label}");
        }
    }

    #[test]
    fn domains() {
        for (host, want) in [
            ("localhost", "localhost"),
            ("bank.com", "bank.com"),
            ("www.bank.com.", "bank.com"),
            ("www.shop.co.uk", "shop.co.uk"),
            ("192.0.2.1", "192.0.2.1"),
        ] {
            assert_eq!(domain(host.as_bytes()), want.as_bytes(), "{host}");
        }
    }

    #[test]
    fn labels_over_63_bytes_are_malformed() {
        // A label that ends in a hyphen has only basic characters.
        let label = |length: usize| "a".repeat(length - 1) + "-";
        assert_eq!(punycode(label(63).as_bytes()), Some(vec!['a'; 62]));
        assert_eq!(punycode(label(64).as_bytes()), None);
    }

    /// In RFC 3492, section 6.1, a delta is divided by 35 only while it is above 455.
    #[test]
    fn a_delta_of_455_is_not_divided() {
        // The delta is 455 after the first step: 728 / 2 = 364, and 364 + 364 / 4 = 455.
        assert_eq!(adapted(728, 4, false), 36 * 455 / (455 + 38));
        // 730 / 2 = 365, 365 + 365 / 4 = 456, and 456 / 35 = 13.
        assert_eq!(adapted(730, 4, false), 36 + 36 * 13 / (13 + 38));
    }

    #[test]
    fn scripts() {
        let table = [
            ("xn--80ak6aa92e.com", true),
            ("XN--80AK6AA92E.COM", true),
            ("\u{430}pple.example", true),
            ("p\u{3B1}y.example", true),
            ("www.example.org", false),
            ("a--b.example", false),
            ("xn--bcher-kva.example", false),
            ("b\u{FC}cher.example", false),
            ("\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.example", false),
            ("xn--", false),
            ("xn--!!.example", false),
        ];
        for (host, want) in table {
            assert_eq!(looks_latin(host.as_bytes()), want, "{host}");
        }
    }
}
