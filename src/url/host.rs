//! Checks host names and addresses by RFC 1738 section 3.1 and RFC 3986 section 3.2.2.

use core::net::{Ipv4Addr, Ipv6Addr};

#[cfg(feature = "perf")]
use fearless_simd::prelude::*;
#[cfg(feature = "perf")]
use fearless_simd::{Level, dispatch, u8x32};

use super::class::{
    ALPHA, ALPHADIGIT, AMPERSAND, Class, DIGIT, DOT, EQUALS, HIGH, HYPHEN, MARK, PERCENT, PLUS, SEMICOLON, TILDE,
    UNDERSCORE, class,
};
use super::{ParseErrorKind, Tier, iri, percent};

/// A violation of the `host` grammar of RFC 1738: the tier that allows the host, the kind of error, and the offset in
/// the host.
pub(super) type Departure = (Tier, ParseErrorKind, usize);

/// A host name that [`hostname`] found.
#[derive(Clone, Copy)]
pub(super) struct Hostname {
    pub(super) length: usize,
    /// Whether the name contains `--`, as every Punycode label does (RFC 5890 2.3.1).
    pub(super) has_double_hyphen: bool,
}

/// The number of bytes that [`hostname`] checks at once. About 0.3 % of the hosts in real URLs are longer.
const WINDOW: usize = 32;

/// Returns the host name at the start of `text`. The name must be a `hostname` of RFC 1738, and must have at most 32
/// bytes. The name must end at a `:`, `/` or `?`, or at the end of `text`. This function is the fast path for ordinary
/// hosts. [`judge`] checks all other hosts.
///
/// This function runs for nearly every URL, so it uses bit masks. A loop over the bytes would be slower, because the
/// CPU would mispredict the branch at the end of each label.
#[inline]
pub(super) fn hostname(text: &[u8]) -> Option<Hostname> {
    let mut padded = [0; WINDOW];
    let window = text.first_chunk().unwrap_or_else(|| {
        padded[..text.len()].copy_from_slice(text);
        &padded
    });
    let Kinds { letters, digits, hyphens, dots } = kinds(window);
    let words = letters | digits;
    let length = (words | hyphens | dots).trailing_ones() as usize;
    let inside = (1 << length) - 1;
    // Labels must begin and end with a letter or a digit.
    let ends = dots & inside | 1 << length;
    let begins = (ends << 1 | 1) & inside;
    let odd = (begins | ends >> 1) & !words;
    // The last label must begin with a letter. If the name is empty, it has no last label, and the function returns
    // `None` here.
    let last = 1 << begins.checked_ilog2()?;
    let is_name = odd == 0 && letters & last != 0 && matches!(text.get(length), None | Some(b':' | b'/' | b'?'));
    let double = hyphens & hyphens << 1 & inside;
    is_name.then_some(Hostname { length, has_double_hyphen: double != 0 })
}

/// Whether all of `text` is a `hostname`.
pub(super) fn is_hostname(text: &[u8]) -> bool {
    match hostname(text) {
        Some(name) => name.length == text.len(),
        None => text.len() > WINDOW && judge(text) == Ok(None) && !is_number(text),
    }
}

/// Bit masks for [`WINDOW`] bytes of text: one mask for each kind of byte in host names. Bit `n` of a mask is set if
/// the byte at index `n` is of that kind.
struct Kinds {
    letters: u64,
    digits: u64,
    hyphens: u64,
    dots: u64,
}

#[cfg(feature = "perf")]
fn kinds(window: &[u8; WINDOW]) -> Kinds {
    dispatch!(Level::new(), simd => kinds_by(simd, window))
}

// This function must be inlined, because only inlined code is compiled for the instruction set of `simd`.
#[cfg(feature = "perf")]
#[inline(always)]
fn kinds_by<S: Simd>(simd: S, window: &[u8; WINDOW]) -> Kinds {
    let bytes = u8x32::from_slice(simd, window);
    let splat = |byte| u8x32::splat(simd, byte);
    Kinds {
        letters: ((bytes | splat(0x20)) - splat(b'a')).simd_lt(splat(26)).to_bitmask(),
        digits: (bytes - splat(b'0')).simd_lt(splat(10)).to_bitmask(),
        hyphens: bytes.simd_eq(splat(b'-')).to_bitmask(),
        dots: bytes.simd_eq(splat(b'.')).to_bitmask(),
    }
}

#[cfg(not(feature = "perf"))]
fn kinds(window: &[u8; WINDOW]) -> Kinds {
    let of = |kind| (0..WINDOW).map(|at| u64::from(class(window[at]) == kind) << at).sum();
    Kinds { letters: of(ALPHA), digits: of(DIGIT), hyphens: of(HYPHEN), dots: of(DOT) }
}

/// The punctuation that a host can contain. A host that has only such characters, as in `http://.../`, is rejected.
const NAMELESS: Class = DOT | HYPHEN | UNDERSCORE | TILDE | PLUS | MARK | SEMICOLON | AMPERSAND | EQUALS;

/// Checks a host that is not in brackets. Returns `Ok(None)` for a `host` of RFC 1738, and the [`Departure`] for a
/// `reg-name` of RFC 3986 or an `ireg-name` of RFC 3987. An error has the reason, and the offset in `host`.
///
/// Real hosts can have underscores, so a host with an underscore is still accepted at [`Tier::Relaxed`]. `reg-name`
/// also allows a host without a letter or digit, such as `...`, but this function rejects such a host.
pub(super) fn judge(host: &[u8]) -> Result<Option<Departure>, (ParseErrorKind, usize)> {
    if is_number(host) {
        return Ok(None);
    }
    let mut worst: Option<Departure> = None;
    let mut depart = |tier, kind, at| {
        // Keep the departure with the widest tier. If several departures have that tier, keep the leftmost of them.
        if worst.is_none_or(|(known, ..)| known.or(tier) != known) {
            worst = Some((tier, kind, at));
        }
    };
    let mut named = false;
    let mut previous = DOT;
    let mut label = 0;
    let mut at = 0;
    while at < host.len() {
        let mut length = 1;
        let byte = class(host[at]);
        match byte {
            ALPHA | DIGIT => named = true,
            UNDERSCORE => depart(Tier::Relaxed, ParseErrorKind::HostLabel, at),
            DOT if previous & (DOT | HYPHEN) == 0 => {}
            HYPHEN if previous != DOT => {}
            DOT if previous == HYPHEN => depart(Tier::Rfc3986, ParseErrorKind::HostLabel, at - 1),
            DOT | HYPHEN | TILDE | PLUS | MARK | SEMICOLON | AMPERSAND | EQUALS => {
                depart(Tier::Rfc3986, ParseErrorKind::HostLabel, at);
            }
            PERCENT if percent::escape(&host[at..]).is_some() => {
                depart(Tier::Rfc3986, ParseErrorKind::HostLabel, at);
                // A host such as `%2E%2E` is rejected like the host `..`, because the normal form of the URL decodes
                // the escapes.
                named |= percent::escape(&host[at..]).is_some_and(|value| class(value) & NAMELESS == 0);
                length = 3;
            }
            HIGH => {
                length = iri::ucschar(&host[at..], false).ok_or((ParseErrorKind::Character, at))?;
                depart(Tier::Iri, ParseErrorKind::HostLabel, at);
                named = true;
            }
            _ => return Err((ParseErrorKind::HostCharacter, at)),
        }
        if byte == DOT {
            label = at + 1;
        }
        previous = byte;
        at += length;
    }
    if !named {
        return Err((ParseErrorKind::EmptyHost, 0));
    }
    if previous & (DOT | HYPHEN) != 0 {
        depart(Tier::Rfc3986, ParseErrorKind::HostLabel, host.len() - 1);
    } else if class(host[label]) == DIGIT {
        let digits = host.iter().all(|&byte| class(byte) & (DIGIT | DOT) != 0);
        let (kind, at) = if digits { (ParseErrorKind::HostNumber, 0) } else { (ParseErrorKind::TopLabel, label) };
        depart(Tier::Rfc3986, kind, at);
    }
    Ok(worst)
}

/// Whether `host` is a `hostnumber` of RFC 1738: four groups of digits. A group can be above 255, although the host is
/// then not an address.
fn is_number(host: &[u8]) -> bool {
    let mut groups = 0;
    host.split(|&byte| byte == b'.').all(|group| {
        groups += 1;
        !group.is_empty() && group.iter().all(u8::is_ascii_digit)
    }) && groups == 4
}

/// Returns the IPv4 address that browsers use for `host`, and whether `host` is written as four decimal numbers.
/// Browsers accept one to four numbers, which can be octal (`0` first) or hexadecimal (`0x` first). The last number is
/// the value of all remaining bytes of the address: `127.1` is `127.0.0.1` (URL Standard, section 3.5, "IPv4 parser").
pub(super) fn address(host: &[u8]) -> Option<(Ipv4Addr, bool)> {
    // Fast path: nearly every name ends in a letter that a number cannot end with, such as the `g` of `org`.
    if host.last().is_none_or(|last| !(last.is_ascii_hexdigit() || matches!(last, b'.' | b'x' | b'X'))) {
        return None;
    }
    let host = percent::decode(host);
    let name = str::from_utf8(host.strip_suffix(b".").unwrap_or(&host)).ok()?;
    let mut numbers = [0; 4];
    let mut count = 0;
    for part in name.split('.') {
        *numbers.get_mut(count)? = number(part)?;
        count += 1;
    }
    let (last, others) = numbers[..count].split_last().expect("`split` returns at least one item");
    if others.iter().any(|number| *number > 255) || *last >= 1 << (8 * (5 - count)) {
        return None;
    }
    // The value is below 2^32, because each number was checked against its limit.
    let first = others.iter().zip([24, 16, 8]).map(|(number, place)| number << place).sum::<u64>();
    Some((Ipv4Addr::from_bits((first | last) as u32), name.parse::<Ipv4Addr>().is_ok()))
}

/// Parses one number of an address. `None` if `digits` is not a number that browsers accept.
fn number(digits: &str) -> Option<u64> {
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', _, ..] => (&digits[1..], 8),
        [b'0'..=b'9', ..] => (digits, 10),
        _ => return None,
    };
    // Browsers read `0x` without digits as 0. They reject a leading `+`, but `from_str_radix` would accept it.
    match digits {
        "" => Some(0),
        _ if digits.starts_with('+') => None,
        _ => u64::from_str_radix(digits, radix).ok(),
    }
}

/// Parses the text between the brackets of an IP literal: `IPv6address` or `IPvFuture` of RFC 3986. The address of
/// `IPvFuture` is `Some(None)`.
pub(super) fn literal(inside: &[u8]) -> Option<Option<Ipv6Addr>> {
    if let [b'v' | b'V', rest @ ..] = inside {
        let dot = rest.iter().position(|&byte| byte == b'.')?;
        let (version, address) = (&rest[..dot], &rest[dot + 1..]);
        let allowed = ALPHADIGIT | HYPHEN | DOT | UNDERSCORE | TILDE | PLUS | MARK | SEMICOLON | AMPERSAND | EQUALS;
        let is_future = !version.is_empty()
            && version.iter().all(u8::is_ascii_hexdigit)
            && !address.is_empty()
            && address.iter().all(|&byte| class(byte) & allowed != 0 || byte == b':');
        return is_future.then_some(None);
    }
    str::from_utf8(inside).ok()?.parse().ok().map(Some)
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
            assert_eq!(tier(host), Tier::Relaxed, "{host}");
        }
        for host in ["a.", "-a", "a-", "a.-b", "a..b", "1.2.3", "123456", "a.1b", "a%20b", "a~b", "*.a", "a_b."] {
            assert_eq!(tier(host), Tier::Rfc3986, "{host}");
        }
        assert_eq!(tier("b\u{FC}cher.de"), Tier::Iri);
    }

    #[test]
    fn host_names_end_at_other_bytes() {
        // A bar marks the expected end of the name, and is removed before the check.
        for text in ["a|", "a|/x", "a.b-c|:1", "1a.b2|?x", "x--y.z|/--", "1--2.a|", "a---b|", "a.b--1.c|:", "a|:/"] {
            let length = text.find('|').unwrap();
            let name = hostname(text.replace('|', "").as_bytes()).unwrap();
            assert_eq!((name.length, name.has_double_hyphen), (length, text[..length].contains("--")), "{text}");
        }
        for text in [
            "", "/", ".", "a.", "a./", "a..b", "-a", "a-", "a-/", "a--", "a-.b", "a.-b", "-.b", "a.-.b", "1", "a.1/",
            "a_b/", "a@", "a#",
        ] {
            assert!(hostname(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn names_of_any_length() {
        for length in 1..80 {
            let name = &"abc.d-e.f".repeat(9)[..length];
            let is_name = !name.ends_with(['.', '-']);
            assert_eq!(is_hostname(name.as_bytes()), is_name, "{name}");
            assert_eq!(hostname(name.as_bytes()).is_some(), is_name && length <= WINDOW, "{name}");
            assert!(
                !is_hostname(format!("{name}.").as_bytes()) && !is_hostname(format!("{name}_").as_bytes()),
                "{name}"
            );
        }
        assert!(!is_hostname(b"1.2.3.4") && !is_hostname(b"0001.00000000002.0000000000000000000003.4"));
    }

    #[test]
    fn addresses() {
        for (host, want) in [
            ("3232235521", "192.168.0.1"),
            ("0xC0A80001", "192.168.0.1"),
            ("0XC0a80001", "192.168.0.1"),
            ("0300.0250.0.1", "192.168.0.1"),
            ("192.168.257", "192.168.1.1"),
            ("192.11010048", "192.168.0.0"),
            ("1", "0.0.0.1"),
            ("0x", "0.0.0.0"),
            ("127.1", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"),
            ("00.00.00.00", "0.0.0.0"),
            ("127.0.0.01", "127.0.0.1"),
            ("010.0.0.1", "8.0.0.1"),
            ("4294967295", "255.255.255.255"),
            ("%31%32%37.1", "127.0.0.1"),
            ("127.1.", "127.0.0.1"),
            // The trailing dot is ignored, so this host is `1.2.3`.
            ("1.2.3.", "1.2.0.3"),
        ] {
            assert_eq!(address(host.as_bytes()), Some((want.parse().unwrap(), false)), "{host}");
        }
        for host in ["127.0.0.1", "255.255.255.255", "127.0.0.1.", "%31.2.3.4"] {
            let want = host.trim_end_matches('.').replace("%31", "1").parse().unwrap();
            assert_eq!(address(host.as_bytes()), Some((want, true)), "{host}");
        }
        for host in [
            "999.0.0.1",
            "1.2.3.4.5",
            "1.256.1",
            "4294967296",
            "08.1.1.1",
            "0xg",
            "0x+1",
            "+1",
            "a.1",
            "a.0x1",
            "1..2",
            "",
            ".",
            "example.org",
            "99999999999999999999",
            // Found by fuzzing: the largest number of 64 bits in the third place.
            "1.0.18446744073709551615.1",
        ] {
            assert_eq!(address(host.as_bytes()), None, "{host}");
        }
    }

    #[test]
    fn literals() {
        for literal in ["::1", "::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "v1.a:b", "VF.x"] {
            assert!(super::literal(literal.as_bytes()).is_some(), "{literal}");
        }
        for literal in ["", "1", ":::", "1:2:3:4:5:6:7:8:9", "fe80::1%25eth0", "v.a", "v1.", "1.2.3.4", "::1 "] {
            assert_eq!(super::literal(literal.as_bytes()), None, "{literal}");
        }
    }
}
