//! Host names: RFC 1738 section 3.1, and what RFC 3986 section 3.2.2 adds.

use std::net::Ipv6Addr;

use super::class::{
    ALPHA, ALPHADIGIT, AMPERSAND, DIGIT, DOT, EQUALS, HIGH, HYPHEN, MARK, PERCENT, PLUS, SEMICOLON, TILDE, UNDERSCORE,
    class, is_alphadigit,
};
use super::{ParseErrorKind, Tier, iri, percent};

/// Why a host is no `host` of RFC 1738: the tier that it needs, the reason, the offset in the host.
pub(super) type Departure = (Tier, ParseErrorKind, usize);

/// The length of the host name that `text` starts with, if it is a `hostname` of RFC 1738 and ends
/// at a `:`, `/`, `?` or at the end. The quick way, which real hosts go; every other host goes by [`judge`].
#[inline]
pub(super) fn hostname(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let label = at;
        loop {
            at = text[at..].iter().position(|octet| !is_alphadigit(*octet)).map_or(text.len(), |run| at + run);
            match text.get(at) {
                Some(b'-') if at > label => at += 1,
                _ => break,
            }
        }
        if at == label || text[at - 1] == b'-' {
            return None;
        }
        match text.get(at) {
            Some(b'.') => at += 1,
            None | Some(b':' | b'/' | b'?') => return (class(text[label]) == ALPHA).then_some(at),
            Some(_) => return None,
        }
    }
}

/// Judges a host without brackets: `Ok(None)` if it is a `host` of RFC 1738, the departure if it is
/// a `reg-name` of RFC 3986 or an `ireg-name` of RFC 3987, else the reason and the offset.
///
/// An underscore counts as a letter that costs [`Tier::Unsafe`]: such hosts exist. A host without a
/// letter or digit (`...`) names nothing and is refused like an empty one, though `reg-name` has it.
pub(super) fn judge(host: &[u8]) -> Result<Option<Departure>, (ParseErrorKind, usize)> {
    if hostname(host) == Some(host.len()) || is_number(host) {
        return Ok(None);
    }
    let mut worst: Option<Departure> = None;
    let mut depart = |tier, kind, at| {
        // The widest tier; of equals the leftmost.
        if worst.is_none_or(|(known, ..)| tier > known) {
            worst = Some((tier, kind, at));
        }
    };
    let mut named = false;
    let mut previous = DOT;
    let mut label = 0;
    let mut at = 0;
    while at < host.len() {
        let mut length = 1;
        let octet = class(host[at]);
        match octet {
            ALPHA | DIGIT => named = true,
            UNDERSCORE => depart(Tier::Unsafe, ParseErrorKind::HostLabel, at),
            DOT if previous & (DOT | HYPHEN) == 0 => {}
            HYPHEN if previous != DOT => {}
            DOT if previous == HYPHEN => depart(Tier::Rfc3986, ParseErrorKind::HostLabel, at - 1),
            DOT | HYPHEN | TILDE | PLUS | MARK | SEMICOLON | AMPERSAND | EQUALS => {
                depart(Tier::Rfc3986, ParseErrorKind::HostLabel, at);
            }
            PERCENT if percent::escape(&host[at..]).is_some() => {
                depart(Tier::Rfc3986, ParseErrorKind::HostLabel, at);
                named = true;
                length = 3;
            }
            HIGH => {
                length = iri::ucschar(&host[at..], false).ok_or((ParseErrorKind::Character, at))?;
                depart(Tier::Iri, ParseErrorKind::HostLabel, at);
                named = true;
            }
            _ => return Err((ParseErrorKind::HostCharacter, at)),
        }
        if octet == DOT {
            label = at + 1;
        }
        previous = octet;
        at += length;
    }
    if !named {
        return Err((ParseErrorKind::EmptyHost, 0));
    }
    if previous & (DOT | HYPHEN) != 0 {
        depart(Tier::Rfc3986, ParseErrorKind::HostLabel, host.len() - 1);
    } else if class(host[label]) == DIGIT {
        let digits = host.iter().all(|&octet| class(octet) & (DIGIT | DOT) != 0);
        let (kind, at) = if digits { (ParseErrorKind::HostNumber, 0) } else { (ParseErrorKind::TopLabel, label) };
        depart(Tier::Rfc3986, kind, at);
    }
    Ok(worst)
}

/// `hostnumber`: four groups of digits, of any length, as the grammar has it. An address with a
/// group above 255 is no address, but it is a `hostnumber`.
fn is_number(host: &[u8]) -> bool {
    let mut groups = 0;
    host.split(|&octet| octet == b'.').all(|group| {
        groups += 1;
        !group.is_empty() && group.iter().all(u8::is_ascii_digit)
    }) && groups == 4
}

/// Is `inside`, the text between the brackets, an `IPv6address` or `IPvFuture` of RFC 3986?
pub(super) fn is_literal(inside: &[u8]) -> bool {
    if let [b'v' | b'V', rest @ ..] = inside {
        let Some(dot) = rest.iter().position(|&octet| octet == b'.') else { return false };
        let (version, address) = (&rest[..dot], &rest[dot + 1..]);
        let allowed = ALPHADIGIT | HYPHEN | DOT | UNDERSCORE | TILDE | PLUS | MARK | SEMICOLON | AMPERSAND | EQUALS;
        return !version.is_empty()
            && version.iter().all(u8::is_ascii_hexdigit)
            && !address.is_empty()
            && address.iter().all(|&octet| class(octet) & allowed != 0 || octet == b':');
    }
    std::str::from_utf8(inside).is_ok_and(|inside| inside.parse::<Ipv6Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn tier(host: &str) -> Tier {
        judge(host.as_bytes()).unwrap().map_or(Tier::Rfc1738, |(tier, ..)| tier)
    }

    #[test]
    fn tiers() {
        for host in ["a", "localhost", "a-b.c", "1a.b", "a.b1", "xn--a.de", "1.2.3.4", "999.0.0.1"] {
            assert_eq!(tier(host), Tier::Rfc1738, "{host}");
        }
        for host in ["a_b.c", "_dmarc.a.b", "a.b_"] {
            assert_eq!(tier(host), Tier::Unsafe, "{host}");
        }
        for host in ["a.", "-a", "a-", "a.-b", "a..b", "1.2.3", "123456", "a.1b", "a%20b", "a~b", "*.a", "a_b."] {
            assert_eq!(tier(host), Tier::Rfc3986, "{host}");
        }
        assert_eq!(tier("b\u{FC}cher.de"), Tier::Iri);
    }

    #[test]
    fn literals() {
        for literal in ["::1", "::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "v1.a:b", "VF.x"] {
            assert!(is_literal(literal.as_bytes()), "{literal}");
        }
        for literal in ["", "1", ":::", "1:2:3:4:5:6:7:8:9", "fe80::1%25eth0", "v.a", "v1.", "1.2.3.4", "::1 "] {
            assert!(!is_literal(literal.as_bytes()), "{literal}");
        }
    }
}
