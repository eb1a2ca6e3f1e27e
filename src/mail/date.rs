//! Parses the dates of messages, including obsolete and malformed dates that occur in old mail.

use std::borrow::Cow;

use crate::calendar::{self, LAST};

/// Offsets from UTC in hours, with the names of the time zones. The names come from RFC 5322, section 4.3, and from
/// European and Japanese news. A name that is not in this table, such as the military time zone `A`, means UTC.
const ZONES: &[(i64, &[&str])] = &[
    (-10, &["HST"]),
    (-8, &["PST"]),
    (-7, &["MST", "PDT"]),
    (-6, &["CST", "MDT"]),
    (-5, &["EST", "CDT"]),
    (-4, &["EDT", "AST"]),
    (-3, &["ADT"]),
    (1, &["BST", "MET", "MEZ", "CET"]),
    (2, &["MEST", "MESZ", "CEST", "EET"]),
    (3, &["EEST"]),
    (9, &["JST"]),
];

const MONTHS: &[u8; 36] = b"janfebmaraprmayjunjulaugsepoctnovdec";

/// Parses the value of a Date field. Returns seconds since 1970-01-01 UTC, or `None` if `field` has no valid date.
///
/// Accepts dates in these forms:
///
/// - RFC 5322, section 3.3, with the obsolete forms of section 4.3 (two-digit years, named zones, comments);
/// - RFC 850: `Friday, 19-Nov-82 16:14:55 EST`;
/// - the C function `asctime`: `Fri Nov 19 16:14:55 1982`;
/// - RFC 3339.
///
/// The day of the week is not checked. Times up to 1970-01-01T00:00:00Z are rejected, because they come from unset
/// clocks.
pub(crate) fn seconds(field: &[u8]) -> Option<i64> {
    if let Some(seconds) = fast_path(field) {
        return (seconds > 0).then_some(seconds);
    }
    // Replace non-ASCII bytes, which can occur in the name of a time zone such as `Mitteleuropäische Zeit`.
    let mut text: Cow<'_, str> = match std::str::from_utf8(field) {
        Ok(text) if field.is_ascii() => text.into(),
        _ => field.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect(),
    };
    if text.contains('(') {
        text = without_comments(&text).into();
    }
    // In RFC 3339, a `T` follows the date.
    let is_stamp = text.as_bytes().get(10).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'T'));
    let stamp = is_stamp.then(|| calendar::stamp(text.trim().as_bytes())).flatten();
    let seconds = stamp.or_else(|| words(&text))?;
    (seconds > 0).then_some(seconds)
}

/// Parses the most frequent form, such as `Fri, 19 Nov 1982 16:14:55 -0500`. A comment can follow.
fn fast_path(field: &[u8]) -> Option<i64> {
    let field = field.trim_ascii();
    let field = match field {
        [_, _, _, b',', b' ', rest @ ..] => rest,
        _ => field,
    };
    let (day, rest) = match field {
        [a, b' ', rest @ ..] => ([b'0', *a], rest),
        [a, b, b' ', rest @ ..] => ([*a, *b], rest),
        _ => return None,
    };
    let [j, a, n, b' ', c, y, e, r, b' ', h, o, b':', m, i, b':', s, t, b' ', sign, z0, z1, z2, z3, rest @ ..] = rest
    else {
        return None;
    };
    let number = calendar::number;
    let month = month(&[*j, *a, *n])?;
    let year = i16::from(number([*c, *y])?) * 100 + i16::from(number([*e, *r])?);
    let time = calendar::time(number([*h, *o])?, number([*m, *i])?, number([*s, *t])?.min(59))?;
    let (hours, minutes) = (number([*z0, *z1])?, number([*z2, *z3])?);
    let zone = i64::from(hours) * 3600 + i64::from(minutes) * 60;
    if !matches!(rest, [] | [b' ', b'(', ..]) || !matches!(sign, b'+' | b'-') || zone > 24 * 3600 {
        return None;
    }
    let utc = utc(year, month, number(day)?, time)?;
    Some(if *sign == b'-' { utc + zone } else { utc - zone })
}

fn utc(year: i16, month: i8, day: i8, time: i64) -> Option<i64> {
    let seconds = calendar::midnight(year, month, day)? + time;
    (seconds <= LAST).then_some(seconds)
}

fn without_comments(text: &str) -> String {
    let mut depth = 0;
    text.chars()
        .filter(|c| {
            depth += usize::from(*c == '(');
            let outside = depth == 0;
            depth = depth.saturating_sub(usize::from(*c == ')'));
            outside
        })
        .collect()
}

/// Parses a date whose day, month and year are in any unambiguous order. The month must be a name. The date can begin
/// with a day of the week and a comma. First tries to parse `text` without the day of the week, because the name of the
/// day can look like a month. For example, the Spanish date `Mar, 5 Feb 2002` is a Tuesday (`martes`).
fn words(text: &str) -> Option<i64> {
    let after_day = text.split_once(',').filter(|(day, _)| day.trim().bytes().all(|byte| byte.is_ascii_alphabetic()));
    after_day.and_then(|(_, rest)| date_of(rest)).or_else(|| date_of(text))
}

fn date_of(text: &str) -> Option<i64> {
    let (mut day, mut month, mut year, mut time, mut zone) = (None, None, None, None, None);
    for word in text.split([' ', '\t', '\r', '\n', ',']).filter(|word| !word.is_empty()) {
        if word.contains(':') && time.is_none() {
            let (clock, rest) = clock(word)?;
            (time, zone) = (Some(clock), offset(rest));
        } else if time.is_some() && zone.is_none() && (word.starts_with(['+', '-']) || year.is_some()) {
            // Some programs omit the sign of the time zone.
            zone = offset(word);
        } else if let Some(east) = named_zone(word) {
            zone = zone.or(Some(east));
        } else {
            // A date such as `19-Nov-82` is split into its day, month and year.
            for word in word.split('-').filter(|word| !word.is_empty()) {
                match word.parse::<i16>() {
                    Ok(n) if day.is_none() && word.len() <= 2 => day = Some(i8::try_from(n).ok()?),
                    Ok(n) if year.is_none() => year = Some(full_year(n, word.len())?),
                    Err(_) if month.is_none() => month = self::month(word.as_bytes()),
                    _ => {}
                }
            }
        }
    }
    let utc = utc(year?, month?, day?, time.unwrap_or(0))?;
    Some(utc - zone.unwrap_or(0))
}

/// Converts a year of two or three digits to four digits (RFC 5322, section 4.3).
fn full_year(year: i16, digits: usize) -> Option<i16> {
    match digits {
        2 if year < 50 => Some(2000 + year),
        2 | 3 => Some(1900 + year),
        4 => Some(year),
        _ => None,
    }
}

/// Returns the number of the month whose name begins with the first three letters of `word`. Ignores case.
fn month(word: &[u8]) -> Option<i8> {
    let name = word.first_chunk::<3>()?.map(|byte| byte | 0x20);
    let index = MONTHS.as_chunks().0.iter().position(|month| *month == name)?;
    i8::try_from(index + 1).ok()
}

/// Parses the time of day at the start of `word`. Returns the time and the rest of `word`, which can be a time zone.
fn clock(word: &str) -> Option<(i64, &str)> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(word.len());
    let mut numbers = word[..end].split(':').map(str::parse::<i8>);
    let (hour, minute) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let second = numbers.next().map_or(Ok(0), |second| second).ok()?;
    // A leap second is replaced with the previous second.
    Some((calendar::time(hour, minute, second.min(59))?, &word[end..]))
}

/// Returns the UTC offset, in seconds, of the time zone named `word`.
fn named_zone(word: &str) -> Option<i64> {
    // A quick check that rejects most words: all names of time zones in `ZONES` end in `T` or `Z`.
    if !word.ends_with(['T', 't', 'Z', 'z']) {
        return None;
    }
    let listed = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
    ZONES.iter().find(|(_, names)| listed(names)).map(|(hours, _)| hours * 3600)
}

/// Returns the UTC offset, in seconds, of a time zone such as `+0100`, `-PST` or `PST`.
fn offset(word: &str) -> Option<i64> {
    let name = word.trim_start_matches(['+', '-']);
    if let Some(east) = named_zone(name) {
        return Some(east);
    }
    // Some programs omit the first digit of the offset, and write `-600` instead of `-0600`.
    if !matches!(name.len(), 3 | 4) {
        return None;
    }
    let number: i64 = name.parse().ok()?;
    let seconds = (number / 100) * 3600 + (number % 100) * 60;
    (seconds <= 24 * 3600).then_some(if word.starts_with('-') { -seconds } else { seconds })
}

#[cfg(test)]
mod tests {
    use super::{ZONES, fast_path, named_zone, seconds, without_comments, words};
    use crate::calendar::rfc3339;

    #[test]
    fn every_zone_is_found() {
        for (hours, names) in ZONES {
            for name in *names {
                assert_eq!(named_zone(&name.to_lowercase()), Some(hours * 3600), "{name}");
            }
        }
    }

    #[test]
    fn the_fast_path_agrees_with_the_full_parser() {
        let days = ["", "Fri, ", "Mar, ", "Xxx, ", "(y), ", "9, 1"];
        let dates =
            ["9 Nov 1995", "09 nov 2001", "31 Feb 2001", "0 Jan 2001", "1 Jan 0000", "29 Feb 2000", "1 Jan 1969"];
        let times = ["13:04:06", "23:59:60", "24:00:00", "00:60:00", "1:02:03"];
        let zones = ["+0000", "-0130", "+2400", "-2401", "+9959", "GMT", "-PST", "+100"];
        let ends = ["", " (PST)", " (x", " x", "(x)", " 1999", " -0100", "0", "x"];
        let texts = days
            .iter()
            .flat_map(|day| dates.map(|date| format!("{day}{date}")))
            .flat_map(|day| times.map(|time| format!("{day} {time}")))
            .flat_map(|time| zones.map(|zone| format!("{time} {zone}")))
            .flat_map(|zone| ends.map(|end| format!(" {zone}{end} ")));
        for text in texts {
            if let Some(seconds) = fast_path(text.as_bytes()) {
                assert_eq!(words(&without_comments(&text)), Some(seconds), "{text}");
            }
        }
        assert_eq!(fast_path(b" Fri, 19 Nov 1982 16:14:55 -0500 (EST)"), Some(406_588_495));
    }

    #[test]
    fn dates_of_forty_years_are_parsed() {
        let table: &[(&[u8], Option<&str>)] = &[
            (b"Thu, 9 Nov 1995 13:04:06 +0100 (Mitteleurop\xE4ische Zeit)", Some("1995-11-09T12:04:06Z")),
            (b"Thu, 9 Nov 1995 13:04:06 -0800", Some("1995-11-09T21:04:06Z")),
            (b"Thu, 9 Nov 1995 13:04 +0100", Some("1995-11-09T12:04:00Z")),
            (b"Thu, 9 Nov 1995 13:04:06", Some("1995-11-09T13:04:06Z")),
            (b"Thu, 9 Nov 1995 13:04:06 0530", Some("1995-11-09T07:34:06Z")),
            (b"Thu, 9 Nov 1995 13:04:06 -600", Some("1995-11-09T19:04:06Z")),
            (b"9 Nov 95 13:04:06 GMT", Some("1995-11-09T13:04:06Z")),
            (b"9 November 95 13:04 PST", Some("1995-11-09T21:04:00Z")),
            (b"Fri, 1 Jan 100 00:00:00 +0000", Some("2000-01-01T00:00:00Z")),
            (b"Fri, 1 Jan 49 00:00:00 +0000", Some("2049-01-01T00:00:00Z")),
            // The year 50 means 1950, which is before the epoch.
            (b"Fri, 1 Jan 50 00:00:00 +0000", None),
            (b"Fri, 1 Jan 70 00:00:01 +0000", Some("1970-01-01T00:00:01Z")),
            (b"Fri, 1 Jan 99 00:00:00 +0000", Some("1999-01-01T00:00:00Z")),
            // This form is from RFC 850, section 2.1.4.
            (b"Friday, 19-Nov-82 16:14:55 EST", Some("1982-11-19T21:14:55Z")),
            (b"Sat, 2-Jan-82 12:34-PST", Some("1982-01-02T20:34:00Z")),
            // RFC 1036, section 2.1.2, encourages programs to accept the form of `asctime`. In old news, a time zone
            // can follow the time or the year.
            (b"Fri Nov 19 16:14:55 1982", Some("1982-11-19T16:14:55Z")),
            (b"Fri Nov 19 16:14:55 EST 1982", Some("1982-11-19T21:14:55Z")),
            (b"Fri Nov 19 16:14:55 1982 -0500", Some("1982-11-19T21:14:55Z")),
            (b"1995-11-09T13:04:06+01:00", Some("1995-11-09T12:04:06Z")),
            (b"Mon, 5 Jan 1998 12:00:00 +0200 (EET (Helsinki))", Some("1998-01-05T10:00:00Z")),
            (b"Mon, 5 Jan 1998 12:00:00 Q", Some("1998-01-05T12:00:00Z")),
            // A comment can be anywhere.
            (b"(sent Feb 8) Thu, 9 Nov 1995 13:04:06 GMT", Some("1995-11-09T13:04:06Z")),
            // Some programs write both the offset and the name of the time zone.
            (b"Mon, 5 Jan 1998 12:00:00 +0000 GMT", Some("1998-01-05T12:00:00Z")),
            (b"Mon, 5 Jan 1998 12:00:00 MET +0100", Some("1998-01-05T11:00:00Z")),
            (b"Mon, 31 Dec 1990 23:59:60 GMT", Some("1990-12-31T23:59:59Z")),
            (b"Mon, 31 Feb 1990 10:00:00 GMT", None),
            (b"Thu, 1 Jan 1970 00:00:00 +0000", None),
            (b"Thu, 1 Jan 1970 00:00:00 GMT", None),
            (b"Thu, 1 Jan 1903 00:00:00 +0000", None),
            (b"99 Nov 1995 13:04:06", None),
            (b"9 Nov 1995 25:04:06", None),
            (b"9 Nov 199512345 10:04:06", None),
            (b"11/09/95 13:04", None),
            (b"9 Nov 1995 13:04:06 -9223372036854775807", Some("1995-11-09T13:04:06Z")),
            (b"some day", None),
            (b"::::", None),
            (b"", None),
        ];
        for (text, want) in table {
            assert_eq!(seconds(text).and_then(rfc3339).as_deref(), *want, "{}", text.escape_ascii());
        }
    }
}
