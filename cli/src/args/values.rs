//! Parsers for the values of options.

use std::error::Error;
use std::path::{Path, PathBuf};

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use urlspool::{Options, Url, Wildmat, shared};

/// Parses the name of a scheme (RFC 1738, section 2.1).
pub(super) fn scheme(name: &str) -> Result<String, &'static str> {
    let is_scheme_byte = |b: u8| b.is_ascii_alphanumeric() || b"+.-".contains(&b);
    if name.is_empty() {
        return Err("the name of a scheme is empty; give names with commas between them, such as http,ftp");
    }
    if !name.bytes().all(is_scheme_byte) {
        return Err("this is not the name of a scheme; give names with commas between them, such as http,ftp");
    }
    Ok(name.to_ascii_lowercase())
}

/// Returns a parser that checks the value of an option of the library, and returns the value unchanged. The library
/// parses the value again when the search begins.
pub(super) fn of_library(option: &'static str) -> impl Fn(&str) -> Result<String, String> + Clone {
    move |value| match Options::new().set(option, value) {
        Ok(()) => Ok(value.to_owned()),
        Err(error) => Err(error.why().to_owned()),
    }
}

/// The error for an invalid list of patterns, or for a list that can match nothing.
type PatternError = Box<dyn Error + Send + Sync>;

/// Parses patterns that are separated by commas. A list in which every pattern begins with `!` is an error, because it
/// matches nothing. `such_as` is an example of a valid list, for the error messages.
fn patterns(text: &str, such_as: &str) -> Result<Wildmat, PatternError> {
    let is_empty = |item: &str| matches!(item.trim(), "" | "!");
    if text.split(',').any(is_empty) {
        return Err(format!("a pattern is empty; give names with commas between them, such as {such_as}").into());
    }
    if text.split(',').all(|item| item.trim_start().starts_with('!')) {
        return Err("every pattern begins with `!`, so nothing matches; put `*,` before the first pattern".into());
    }
    Ok(text.parse()?)
}

/// Parses the patterns of `--host`. The pattern `example.org` also matches sub-domains such as `www.example.org`. The
/// pattern `=example.org` matches only `example.org` itself.
pub(super) fn hosts(text: &str) -> Result<Wildmat, PatternError> {
    // An IPv6 address such as `[2001:db8::1]` is not mistaken for a host with a port: the text after its last colon is
    // `1]`, which is not a number.
    let has_port = |item: &str| item.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    if text.contains('/') || text.split(',').any(has_port) {
        return Err("give only the name of a host, without scheme, port and path, such as example.org".into());
    }
    // Hosts are compared in Punycode. The function `host` converts an international name to Punycode, but cannot
    // convert a name with a wildcard. So the user must write such a pattern in Punycode.
    if text.split(',').any(|item| !item.is_ascii() && item.contains(['*', '?', '['])) {
        return Err("write a pattern for international hosts in Punycode, such as xn--bcher-kva.*".into());
    }
    let items: Vec<_> = text.split(',').map(host).collect();
    patterns(&items.join(","), "example.org,!www.example.org")
}

/// Converts one item of `--host` to patterns that are separated by commas: `example.org` becomes
/// `example.org,*.example.org`.
fn host(item: &str) -> String {
    let item = item.trim();
    let (not, name) = item.strip_prefix('!').map_or(("", item), |name| ("!", name));
    let (is_exact, name) = name.strip_prefix('=').map_or((false, name), |name| (true, name));
    // In a pattern, `[ab]` matches one of the characters `a` and `b`. So the opening bracket of an IPv6 address is
    // escaped.
    if name.starts_with('[') && (name.contains(':') || name.ends_with(']')) {
        return format!("{not}\\{name}");
    }
    let is_name = !name.is_empty() && !name.contains(['*', '?', '[', '\\']);
    // Hosts of URLs are compared in ASCII, so an international name is converted to Punycode.
    let url = is_name.then(|| format!("http://{name}/"));
    let url = url.as_deref().and_then(|url| Url::parse(url).ok());
    let ascii = url.as_ref().and_then(Url::host_ascii);
    let name = ascii.as_deref().unwrap_or(name);
    if is_name && !is_exact { format!("{not}{name},{not}*.{name}") } else { format!("{not}{name}") }
}

/// Parses a number of bytes, such as `64M`.
fn size(text: &str) -> Result<u64, &'static str> {
    const HINT: &str = "give a number of bytes, with or without K, M or G after it, such as 64M";
    let factor: u64 = match text.as_bytes().last() {
        Some(b'k' | b'K') => 1 << 10,
        Some(b'm' | b'M') => 1 << 20,
        Some(b'g' | b'G') => 1 << 30,
        _ => 1,
    };
    let digits = if factor > 1 { &text[..text.len() - 1] } else { text };
    let number = digits.parse::<u64>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
    number.and_then(|number| number.checked_mul(factor)).ok_or(HINT)
}

/// Parses the value of `--manifest`.
pub(super) fn task_size(text: &str) -> Result<u64, &'static str> {
    size(text).and_then(|size| if size > 0 { Ok(size) } else { Err("give a size of at least 1 byte, such as 64M") })
}

/// Parses the value of `--threads`.
pub(super) fn threads(text: &str) -> Result<u16, &'static str> {
    let number = text.parse().ok().filter(|number| *number <= 1024);
    number.ok_or("give a number of threads from 1 to 1024, or 0 for one per core")
}

/// Parses the value of `--min-confidence`.
pub(super) fn percent(text: &str) -> Result<u8, &'static str> {
    text.parse().ok().filter(|number| *number <= 100).ok_or("give a percentage from 0 to 100, without the sign %")
}

/// Parses the value of `--max-count`.
pub(super) fn most(text: &str) -> Result<u64, &'static str> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or("give a number of URLs, at least 1, such as 10; to print the Message-ID, use -M")
}

/// Parses the value of `-A`, `-B` or `-C`.
pub(super) fn lines(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "give a number of lines, such as 2")
}

/// Parses the value of `--show`: `FILE:N`. Returns the file and the number of the message, from 1. Without `:N`, the
/// number is 1. If a file exists whose whole name is `FILE:N`, returns this file and the number 1.
pub(crate) fn message(path: &Path) -> (PathBuf, u64) {
    let name = shared::bytes(path);
    let number = name.iter().rposition(|&byte| byte == b':').and_then(|colon| {
        let digits = std::str::from_utf8(&name[colon + 1..]).ok()?;
        let number = digits.parse().ok().filter(|number| *number > 0 && !digits.starts_with('+'))?;
        Some((shared::path(&name[..colon]).into(), number))
    });
    number.filter(|_| !path.exists()).unwrap_or_else(|| (path.into(), 1))
}

/// Parses the value of `--since`. Returns the first second of the given date or time, as Unix time.
pub(super) fn since(text: &str) -> Result<i64, &'static str> {
    time(text, Timestamp::now()).map(|(start, _)| start)
}

/// Parses the value of `--until`. Returns the last second of the given date or time, as Unix time.
pub(super) fn until(text: &str) -> Result<i64, &'static str> {
    time(text, Timestamp::now()).map(|(_, end)| end - 1)
}

/// Parses a date such as `1995`, `1995-02` or `today`, a time such as `1995-02-17T10:00:00Z`, or a time before `now`
/// such as `30m`. The result is a range: a whole year, month or day, or one second. Returns the first second of the
/// range, and the first second after the range, as Unix time.
fn time(text: &str, now: Timestamp) -> Result<(i64, i64), &'static str> {
    const HINT: &str = "give a year, month, day or time: 1995, 1995-02, 1995-02-17 or 1995-02-17T10:00:00Z; or a time \
                        before now: 30m (minutes), 12h, 7d, 2w, 3mo; or `today` or `yesterday`";
    const NO_SIGN: &str = "write a time before now as 7d, without a minus sign";
    const NO_DAY: &str = "that day does not exist; check the month and the day";
    const NO_MONTH: &str = "that month does not exist; months are 01 to 12";
    let moment = |stamp: Timestamp| (stamp.as_second(), stamp.as_second() + 1);
    let now = now.to_zoned(TimeZone::UTC);
    let today = now.date();
    // The range of the year 9999 should end at the first second of the year 10000, which jiff cannot represent. So this
    // range ends at `i64::MAX`.
    let seconds = |date: Date| {
        let zoned = DateTime::from(date).to_zoned(TimeZone::UTC);
        zoned.map_or(i64::MAX, |zoned| zoned.timestamp().as_second())
    };
    let whole = |start: Date, length: Span| (seconds(start), start.checked_add(length).map_or(i64::MAX, seconds));
    if let Ok(stamp) = text.parse::<Timestamp>() {
        return Ok(moment(stamp));
    }
    let day = Span::new().days(1);
    match text {
        "today" => return Ok(whole(today, day)),
        "yesterday" => return Ok(whole(today.saturating_sub(day), day)),
        _ if text.starts_with('-') => return Err(NO_SIGN),
        _ => {}
    }
    // A duration such as `30m` begins with a digit and ends with a unit. ISO 8601's durations, such as `P7D`, are
    // refused.
    if text.ends_with(|last: char| last.is_ascii_lowercase()) && text.starts_with(|first: char| first.is_ascii_digit())
    {
        let span = text.parse::<Span>().map_err(|_| HINT)?.abs();
        return now
            .checked_sub(span)
            .map(|then| moment(then.timestamp()))
            .map_err(|_| "that time is too long ago; give a later time");
    }
    let (date, is_time) = text.split_once('T').map_or((text, false), |(date, _)| (date, true));
    let parts: Vec<&str> = date.split('-').collect();
    let digits = |part: &&str, len: usize| part.len() == len && part.bytes().all(|b| b.is_ascii_digit());
    let (first, length, no_such) = match parts.as_slice() {
        [year] if digits(year, 4) => (format!("{year}-01-01"), Span::new().years(1), HINT),
        [year, month] if digits(year, 4) && digits(month, 2) => (format!("{date}-01"), Span::new().months(1), NO_MONTH),
        [year, month, day_of] if digits(year, 4) && digits(month, 2) && digits(day_of, 2) => (date.into(), day, NO_DAY),
        _ => return Err(HINT),
    };
    let start: Date = first.parse().map_err(|_| no_such)?;
    if is_time { Err(HINT) } else { Ok(whole(start, length)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        let table =
            [("0", Some(0)), ("12", Some(12)), ("64k", Some(65_536)), ("3M", Some(3 << 20)), ("2G", Some(2 << 30))];
        for (text, want) in table {
            assert_eq!(size(text).ok(), want, "{text}");
        }
        for wrong in ["", "k", "-1", "+1", "1T", "1.5M", "many", "99999999999999G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    /// The current time in these tests, 1996-03-01T10:00:00Z.
    const NOW_SECOND: i64 = 825_674_400;
    const NOW: Timestamp = Timestamp::constant(NOW_SECOND, 0);

    #[test]
    fn dates_are_parsed() {
        let table = [
            ("1995", Some((788_918_400, 820_454_400))),
            ("1995-02", Some((791_596_800, 794_016_000))),
            ("1996-02-29", Some((825_552_000, 825_638_400))),
            ("1995-02-17T10:00:00Z", Some((793_015_200, 793_015_201))),
            ("9999", Some((253_370_764_800, i64::MAX))),
            // A number with a unit is a time before `NOW`. The expected range is the one second at that time.
            ("30m", Some((NOW_SECOND - 1800, NOW_SECOND - 1799))),
            ("12h", Some((NOW_SECOND - 43_200, NOW_SECOND - 43_199))),
            ("7d", Some((NOW_SECOND - 604_800, NOW_SECOND - 604_799))),
            ("2w", Some((NOW_SECOND - 1_209_600, NOW_SECOND - 1_209_599))),
            ("7 days ago", Some((NOW_SECOND - 604_800, NOW_SECOND - 604_799))),
            ("1w 2d", Some((NOW_SECOND - 777_600, NOW_SECOND - 777_599))),
            // `NOW` is on 1 March 1996. One month earlier is 29 days earlier, because February 1996 has 29 days.
            ("1mo", Some((NOW_SECOND - 2_505_600, NOW_SECOND - 2_505_599))),
            // For `today` and `yesterday`, the expected range is a whole day in UTC.
            ("today", Some((825_552_000 + 86_400, 825_552_000 + 172_800))),
            ("yesterday", Some((825_552_000, 825_552_000 + 86_400))),
        ];
        for (text, want) in table {
            assert_eq!(time(text, NOW).ok(), want, "{text}");
        }
        for wrong in [
            "",
            "95",
            "1995-2",
            "1995-02-30",
            "1995-13",
            "tomorrow",
            "d",
            "-7d",
            "P7D",
            "9999999w",
            "1995-02-17-03",
            "+995",
        ] {
            assert!(time(wrong, NOW).is_err(), "{wrong}");
        }
    }

    #[test]
    fn patterns_that_match_nothing_are_refused() {
        for (text, want) in [("!a", false), ("!*, !b", false), ("", false), ("*,!a", true), ("!a,*", true)] {
            assert_eq!(hosts(text).is_ok(), want, "{text}");
        }
    }

    #[test]
    fn hosts_with_ports_are_refused() {
        for (text, want) in
            [("a.example:80", false), ("*:8080,b", false), ("a:", false), ("[::1]", true), ("*:*", true)]
        {
            assert_eq!(hosts(text).is_ok(), want, "{text}");
        }
    }

    #[test]
    fn brackets_of_addresses_are_not_sets() {
        let table = [
            ("[2001:db8::1]", "[2001:DB8::1]", true),
            ("*,![2001:db8:*", "[2001:db8::1]", false),
            ("[*]", "[2001:db8::1]", true),
            ("[*]", "*", false),
            ("[fw]*.example.org", "www.example.org", true),
            ("www[0-9].example.org", "www1.example.org", true),
            ("=[2001:db8::1]", "[2001:db8::1]", true),
        ];
        for (patterns, host, want) in table {
            assert_eq!(hosts(patterns).unwrap().matches(host.as_bytes()), want, "{patterns} {host}");
        }
    }

    #[test]
    fn a_name_has_its_sub_domains() {
        let table = [
            ("example.org", "example.org www.EXAMPLE.org a.b.example.org", "notexample.org example.org.uk org"),
            ("=example.org", "example.org", "www.example.org"),
            ("Example.ORG , example.com", "www.example.org example.com", "example.net"),
            ("example.org,!www.example.org", "example.org ftp.example.org", "www.example.org a.www.example.org"),
            ("example.org,!=example.org", "www.example.org", "example.org"),
            ("*.example.org", "www.example.org", "example.org"),
            ("b\u{fc}cher.example", "xn--bcher-kva.example www.xn--bcher-kva.example", "bucher.example"),
            ("192.0.2.1", "192.0.2.1", "192.0.2.10"),
            ("localhost", "localhost", "local"),
        ];
        for (patterns, all, none) in table {
            let hosts = hosts(patterns).unwrap();
            for (names, want) in [(all, true), (none, false)] {
                for name in names.split(' ') {
                    assert_eq!(hosts.matches(name.as_bytes()), want, "{patterns} {name}");
                }
            }
        }
    }
}
