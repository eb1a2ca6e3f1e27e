//! Parsers of option values.

use std::error::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};

use jiff::civil::{Date, DateTime};
use jiff::{Span, Timestamp};
use urlspool::{Shard, Wildmat};

use crate::list::input;

/// Parses the name of a scheme (RFC 1738, section 2.1).
pub(super) fn scheme(name: &str) -> Result<String, &'static str> {
    let is_scheme_byte = |b: u8| b.is_ascii_alphanumeric() || b"+.-".contains(&b);
    if name.is_empty() {
        return Err("a name is missing; give names with commas between them: http,ftp");
    }
    if !name.bytes().all(is_scheme_byte) {
        return Err("give only names, with commas between them: http,ftp");
    }
    Ok(name.to_ascii_lowercase())
}

/// Why a list of patterns is invalid or matches nothing.
type PatternError = Box<dyn Error + Send + Sync>;

/// Parses patterns of newsgroups.
pub(super) fn groups(text: &str) -> Result<Wildmat, PatternError> {
    patterns(text, "comp.*,!comp.lang.*")
}

/// Parses patterns of names. At least one has to be without `!`, or nothing would match.
fn patterns(text: &str, such_as: &str) -> Result<Wildmat, PatternError> {
    let is_empty = |item: &str| matches!(item.trim(), "" | "!");
    if text.split(',').any(is_empty) {
        return Err(format!("a pattern is empty; give names with commas between them, such as {such_as}").into());
    }
    if text.split(',').all(|item| item.trim_start().starts_with('!')) {
        return Err("every pattern begins with `!`, so nothing matches; put `*,` before the first".into());
    }
    Ok(text.parse()?)
}

/// Parses patterns of hosts.
pub(super) fn hosts(text: &str) -> Result<Wildmat, PatternError> {
    // The colons of an IPv6 address are in brackets.
    let has_port = |item: &str| item.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    if text.contains('/') || text.split(',').any(has_port) {
        return Err("give only the name of a host, without scheme, port and path: *.example.org".into());
    }
    // The brackets of an address are not a set of characters.
    let is_address = |item: &str| {
        let name = item.trim().trim_start_matches('!');
        name.starts_with('[') && (name.contains(':') || name.ends_with(']'))
    };
    let literal = |item: &str| if is_address(item) { item.replacen('[', r"\[", 1) } else { item.to_owned() };
    let items: Vec<_> = text.split(',').map(literal).collect();
    patterns(&items.join(","), "*.example.org,!www.*")
}

/// Parses a size in bytes, such as `64M`.
fn size(text: &str) -> Result<u64, &'static str> {
    const HINT: &str = "give a number of bytes, also with K, M or G after it: 64M";
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

/// Parses a number of threads.
pub(super) fn threads(text: &str) -> Result<u16, &'static str> {
    let number = text.parse().ok().filter(|number| *number <= 1024);
    number.ok_or("give a number of threads from 1 to 1024, or 0 for one per core")
}

/// Parses a number of lines of context.
pub(super) fn lines(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "give a number of lines, such as 2")
}

/// Parses the size of the largest message.
pub(super) fn message_size(text: &str) -> Result<usize, &'static str> {
    match size(text)? {
        size @ 1..=0x4000_0000 => Ok(size as usize),
        _ => Err("give a size from 1 to 1G"),
    }
}

/// Parses `A-B`, or `A-` for everything from A on.
pub(super) fn range(text: &str) -> Result<Range<u64>, &'static str> {
    const HINT: &str = "give the beginning and the end, such as 0-1G, or 1G- for everything from 1G on";
    let (start, end) = text.split_once('-').ok_or(HINT)?;
    let start = size(start).map_err(|_| HINT)?;
    let end = if end.is_empty() { u64::MAX } else { size(end).map_err(|_| HINT)? };
    if start < end { Ok(start..end) } else { Err("the range is empty; the second number has to be larger") }
}

/// Parses `I/N`.
pub(super) fn shard(text: &str) -> Result<Shard, &'static str> {
    const HINT: &str = "give the number of the share, from 1, and the number of shares: 1/4";
    let (number, count) = text.split_once('/').ok_or(HINT)?;
    match (number.parse(), count.parse()) {
        (Ok(number), Ok(count)) => Shard::new(number, count).ok_or(HINT),
        _ => Err(HINT),
    }
}

/// Parses patterns of List-Ids. A name without a dot matches the first word of a List-Id.
pub(super) fn lists(text: &str) -> Result<Wildmat, PatternError> {
    let is_word = |item: &str| !item.trim().is_empty() && !item.contains(['.', '*', '?']);
    let items: Vec<_> =
        text.split(',').map(|item| if is_word(item) { format!("{item},{item}.*") } else { item.into() }).collect();
    patterns(&items.join(","), "announce,*.example.org")
}

/// `FILE:N`: the file and the number of a message in it. A file alone, which may have colons in its name, is its first.
pub(crate) fn message(path: &Path) -> (PathBuf, u64) {
    let name = path.as_os_str().as_encoded_bytes();
    let number = name.iter().rposition(|&byte| byte == b':').and_then(|colon| {
        let digits = std::str::from_utf8(&name[colon + 1..]).ok()?;
        let number = digits.parse().ok().filter(|number| *number > 0 && !digits.starts_with('+'))?;
        Some((input::path(name[..colon].to_vec()), number))
    });
    number.filter(|_| !path.exists()).unwrap_or_else(|| (path.into(), 1))
}

/// Parses a date, and returns its first second.
pub(super) fn since(text: &str) -> Result<i64, &'static str> {
    time(text).map(|(start, _)| start)
}

/// Parses a date, and returns the first second after it.
pub(super) fn until(text: &str) -> Result<i64, &'static str> {
    time(text).map(|(_, end)| end)
}

/// The first second of a date and the first second after it, as Unix time in UTC.
fn time(text: &str) -> Result<(i64, i64), &'static str> {
    const HINT: &str = "give a year, month, day or time: 1995, 1995-02, 1995-02-17 or 1995-02-17T10:00:00Z";
    const NO_DAY: &str = "that day does not exist; check the month and the day";
    const NO_MONTH: &str = "that month does not exist; months are 01 to 12";
    if let Ok(stamp) = text.parse::<Timestamp>() {
        return Ok((stamp.as_second(), stamp.as_second() + 1));
    }
    let (date, is_time) = text.split_once('T').map_or((text, false), |(date, _)| (date, true));
    let parts: Vec<&str> = date.split('-').collect();
    let digits = |part: &&str, len: usize| part.len() == len && part.bytes().all(|b| b.is_ascii_digit());
    let (day, length, no_such) = match parts.as_slice() {
        [year] if digits(year, 4) => (format!("{year}-01-01"), Span::new().years(1), HINT),
        [year, month] if digits(year, 4) && digits(month, 2) => (format!("{date}-01"), Span::new().months(1), NO_MONTH),
        [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2) => {
            (date.into(), Span::new().days(1), NO_DAY)
        }
        _ => return Err(HINT),
    };
    // The calendar ends with the year 9999.
    let seconds = |date: Date| {
        let zoned = DateTime::from(date).to_zoned(jiff::tz::TimeZone::UTC);
        zoned.map_or(i64::MAX, |zoned| zoned.timestamp().as_second())
    };
    let start: Date = day.parse().map_err(|_| no_such)?;
    if is_time {
        return Err(HINT);
    }
    Ok((seconds(start), start.checked_add(length).map_or(i64::MAX, seconds)))
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

    #[test]
    fn ranges_and_shares_are_parsed() {
        assert_eq!(range("0-1K"), Ok(0..1024));
        assert_eq!(range("7-"), Ok(7..u64::MAX));
        for wrong in ["", "5", "-5", "5-5", "6-5", "a-b", "1-2-3"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
        assert_eq!(shard("2/3"), Ok(Shard::new(2, 3).unwrap()));
        for wrong in ["", "2", "0/3", "4/3", "1/0", "a/b", "-1/3"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn dates_are_parsed() {
        let table = [
            ("1995", Some((788_918_400, 820_454_400))),
            ("1995-02", Some((791_596_800, 794_016_000))),
            ("1996-02-29", Some((825_552_000, 825_638_400))),
            ("1995-02-17T10:00:00Z", Some((793_015_200, 793_015_201))),
            ("9999", Some((253_370_764_800, i64::MAX))),
        ];
        for (text, want) in table {
            assert_eq!(time(text).ok(), want, "{text}");
        }
        for wrong in ["", "95", "1995-2", "1995-02-30", "1995-13", "yesterday", "1995-02-17-03", "+995"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn patterns_that_match_nothing_are_refused() {
        for (text, want) in [("!a", false), ("!*, !b", false), ("", false), ("*,!a", true), ("!a,*", true)] {
            assert_eq!(groups(text).is_ok(), want, "{text}");
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
        ];
        for (patterns, host, want) in table {
            assert_eq!(hosts(patterns).unwrap().matches(host.as_bytes()), want, "{patterns} {host}");
        }
    }

    #[test]
    fn a_word_matches_the_first_word_of_a_list_id() {
        let lists = lists("announce,!*.example.org,talk.example.com").unwrap();
        for (id, want) in [
            ("announce.example.com", true),
            ("announce", true),
            ("announce.example.org", false),
            ("announcements.example.com", false),
            ("talk.example.com", true),
        ] {
            assert_eq!(lists.matches(id.as_bytes()), want, "{id}");
        }
    }
}
