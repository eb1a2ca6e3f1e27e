//! Parses the dates of messages, including obsolete and malformed dates that occur in old mail.

use crate::calendar::{self, LAST};

/// Offsets from UTC in hours, with the names of the time zones. The names come from RFC 5322, section 4.3, and from mail
/// and news of other parts of the world, in their usual meaning. A name that is not in this table, such as the
/// military time zone `A`, means UTC.
const ZONES: &[(i64, &[&str])] = &[
    (-10, &["HST"]),
    (-9, &["AKST"]),
    (-8, &["PST", "AKDT"]),
    (-7, &["MST", "PDT"]),
    (-6, &["CST", "MDT"]),
    (-5, &["EST", "CDT"]),
    (-4, &["EDT", "AST"]),
    (-3, &["ADT", "BRT"]),
    (1, &["BST", "MET", "MEZ", "CET"]),
    (2, &["MEST", "MESZ", "CEST", "EET", "SAST"]),
    (3, &["EEST", "MSK", "IDT"]),
    (4, &["MSD"]),
    (7, &["WIB", "ICT"]),
    (8, &["HKT", "SGT", "PHT", "AWST"]),
    (9, &["JST", "KST"]),
    (10, &["AEST"]),
    (11, &["AEDT"]),
    (12, &["NZST"]),
    (13, &["NZDT"]),
];

const MONTHS: &[u8; 36] = b"janfebmaraprmayjunjulaugsepoctnovdec";

/// Parses the value of a Date field. Returns seconds since 1970-01-01 UTC, or `None` if `field` has no valid date.
///
/// Accepts dates in these forms:
///
/// - RFC 5322, section 3.3, with the obsolete forms of section 4.3 (two-digit years, named zones, comments);
/// - RFC 850: `Friday, 19-Nov-82 16:14:55 EST`;
/// - the C function `asctime`: `Fri Nov 19 16:14:55 1982`;
/// - RFC 3339, and dates in numbers, such as `1999/01/31 12:00` and `31.1.1999`.
///
/// Also accepts `AM` and `PM`, dots in the time, the time 24:00:00, zones such as `GMT+2`, `MET DST` and `EST5EDT`, and
/// names of months in some other languages.
///
/// The day of the week is not checked. Times up to 1970-01-01T00:00:00Z are rejected, because they come from unset
/// clocks.
pub(crate) fn seconds(field: &[u8]) -> Option<i64> {
    if let Some(seconds) = fast_path(field) {
        return (seconds > 0).then_some(seconds);
    }
    let mut text = String::from_utf8_lossy(field);
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
    let month = english(&[*j, *a, *n])?;
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

/// Parses a date whose day, month and year are in any unambiguous order. The month must be a name, or the date is
/// [`numeric`]. The name of a day before it can look like a month: the Spanish date `Mar, 5 Feb 2002` is a Tuesday
/// (`martes`). So can a name after it: a place in `4 Feb 2002 Decatur`.
fn words(text: &str) -> Option<i64> {
    let (mut day, mut month, mut year, mut time, mut zone) = (None, None, None, None, None);
    let (mut summer, mut half) = (0, "");
    let mut words = text.split([' ', '\t', '\r', '\n', ',', '"']).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let next = words.peek().copied().filter(|_| year.is_some()).unwrap_or_default();
        if let (None, None, None, Some(date)) = (day, month, year, numeric(word)) {
            (year, month, day) = (Some(date.0), Some(date.1), Some(date.2));
        } else if let (None, Some((clock, rest))) = (time, clock(word, next)) {
            let clock = clock?;
            time = half_of_day(clock, rest).or(half_of_day(clock, half)).or(Some(clock));
            zone = offset(rest);
        } else if let Some(clock) = time.and_then(|clock| half_of_day(clock, word)) {
            time = Some(clock);
        } else if time.is_none() && half_of_day(0, word).is_some() {
            // Some Japanese programs write AM or PM before the time.
            half = word;
        } else if word.eq_ignore_ascii_case("DST") {
            summer = 3600;
        } else if let Some((winter, summer)) = posix_zone(word) {
            // Where these zones are used, summer time lasts from April to October.
            zone = zone.or(Some(if matches!(month, Some(4..=10)) { summer } else { winter }));
        } else if time.is_some() && zone.is_none() && (word.starts_with(['+', '-']) || year.is_some()) {
            // Some programs omit the sign of the time zone.
            zone = offset(word);
        } else if let Some(east) = named_zone(word) {
            zone = zone.or(Some(east));
        } else {
            // A date such as `19-Nov-82` is split into its day, month and year.
            for word in word.trim_end_matches('.').split('-').filter(|word| !word.is_empty()) {
                match word.parse::<i16>() {
                    Ok(n) if day.is_none() && word.len() <= 2 => day = Some(i8::try_from(n).ok()?),
                    Ok(n) if year.is_none() => year = Some(full_year(n, word.len())?),
                    Err(_) if month.is_none() || time.is_none() && year.is_none() => {
                        month = self::month(word).or(month);
                    }
                    _ => {}
                }
            }
        }
    }
    let utc = utc(year?, month?, day?, time.unwrap_or(0))?;
    Some(utc - zone.unwrap_or(0) - summer)
}

/// Number of seconds from midnight to noon.
const NOON: i64 = 12 * 3600;

/// Converts the time `clock` on a twelve-hour clock. Returns `None` if `half` is neither `AM` nor `PM`, or if the time is
/// after 12:59.
fn half_of_day(clock: i64, half: &str) -> Option<i64> {
    let is = |name| half.eq_ignore_ascii_case(name);
    let start = if is("PM") { NOON } else { 0 };
    (clock < NOON + 3600 && (is("AM") || is("PM"))).then_some(clock % NOON + start)
}

/// Returns the UTC offsets of winter time and of summer time, in seconds, of a zone such as `EST5EDT`.
fn posix_zone(word: &str) -> Option<(i64, i64)> {
    let (winter, rest) = word.split_at_checked(word.find(|c: char| c.is_ascii_digit())?)?;
    Some((named_zone(winter)?, named_zone(rest.trim_start_matches(|c: char| c.is_ascii_digit()))?))
}

/// Parses a date such as `1999/01/31`, `1999-01-31` or `31.1.1999`. Returns the year, month and day. With slashes or
/// hyphens, the year must be first, because the month is before the day in America.
fn numeric(word: &str) -> Option<(i16, i8, i8)> {
    // A quick check that rejects most words: the first number has at most four digits.
    if !word.bytes().take(5).any(|byte| matches!(byte, b'/' | b'-' | b'.')) {
        return None;
    }
    let mut numbers = word.split(['/', '-', '.']);
    let (first, month, last) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let (year, day) = if first.len() < 4 && word.contains('.') { (last, first) } else { (first, last) };
    let date = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    (year.len() == 4 && numbers.next().is_none()).then_some(date)
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

/// The first letters of the names of months in other languages: those of western Europe, Polish and Russian.
const OTHER_MONTHS: &[(i8, &[&str])] = &[
    (1, &["ene", "gen", "sty", "янв"]),
    (2, &["fev", "fév", "lut", "фев"]),
    (3, &["mrz", "mrt", "mär", "мар"]),
    (4, &["avr", "abr", "kwi", "апр"]),
    (5, &["mai", "mei", "mag", "maj", "май", "мая"]),
    (6, &["giu", "cze", "июн"]),
    (7, &["lug", "lip", "июл"]),
    (8, &["ago", "aoû", "aou", "sie", "авг"]),
    (9, &["set", "wrz", "сен"]),
    (10, &["okt", "out", "ott", "paź", "окт"]),
    (11, &["lis", "ноя"]),
    (12, &["dez", "dic", "déc", "gru", "дек"]),
];

/// Returns the number of the month whose name begins with the first three letters of `word`. Ignores case. In text that
/// is not UTF-8, U+FFFD stands for any letter that is not ASCII, except the first letter.
fn month(word: &str) -> Option<i8> {
    if let Some(month) = english(word.as_bytes().first_chunk()?) {
        return Some(month);
    }
    let mut letters = word.chars().flat_map(char::to_lowercase);
    let word = [letters.next()?, letters.next()?, letters.next()?];
    let is_same = |(a, b): (char, char)| a == b || a == '\u{fffd}' && !b.is_ascii();
    let begins = |name: &&str| word[0] != '\u{fffd}' && word.into_iter().zip(name.chars()).all(is_same);
    OTHER_MONTHS.iter().find(|(_, names)| names.iter().any(begins)).map(|(month, _)| *month)
}

/// Returns the number of the month with this English abbreviation. Ignores case.
fn english(name: &[u8; 3]) -> Option<i8> {
    let name = name.map(|byte| byte | 0x20);
    let index = MONTHS.as_chunks().0.iter().position(|month| *month == name)?;
    i8::try_from(index + 1).ok()
}

/// Parses the time of day at the start of `word`, in which dots can replace the colons. Before a zone, the time can have
/// no colon, as in `0330-PDT` (RFC 733). `next` is the next word, if it can be that zone. Returns the time and the rest of
/// `word`, which can be a time zone. The time is `None` if it does not exist. Returns `None` if `word` is not a time.
fn clock<'w>(word: &'w str, next: &str) -> Option<(Option<i64>, &'w str)> {
    let dots = matches!(word.bytes().filter(|&byte| byte == b'.').count(), 1 | 2) && !word.ends_with('.');
    let is_mark = |c: char| c == ':' || dots && c == '.';
    let end = word.find(|c: char| !c.is_ascii_digit() && !is_mark(c)).unwrap_or(word.len());
    if !word[..end].contains(is_mark) {
        let is_zone = |zone: &str| (1..=4).contains(&zone.len()) && zone.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_before_zone = word[end..].strip_prefix('-').map_or(end == word.len() && is_zone(next), is_zone);
        let (hour, minute) =
            word[..end].split_at_checked(2).filter(|(_, minute)| is_before_zone && minute.len() == 2)?;
        return Some((Some(calendar::time(hour.parse().ok()?, minute.parse().ok()?, 0)?), &word[end..]));
    }
    let mut numbers = word[..end].split(is_mark).map(str::parse::<i8>);
    let mut number = || numbers.next().map_or(Some(0), Result::ok);
    let (hour, minute, second) = (number(), number(), number());
    let time = || match (hour?, minute?, second?) {
        // The end of a day.
        (24, 0, 0) => Some(2 * NOON),
        // A leap second is replaced with the previous second.
        (hour, minute, second) => calendar::time(hour, minute, second.min(59)),
    };
    Some((time(), &word[end..]))
}

/// Returns the UTC offset, in seconds, of the time zone named `word`.
fn named_zone(word: &str) -> Option<i64> {
    // A quick check that rejects most words: all names of time zones in `ZONES` end in one of these letters.
    if !word.ends_with(['T', 't', 'Z', 'z', 'K', 'k', 'B', 'b', 'D', 'd']) {
        return None;
    }
    let listed = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
    ZONES.iter().find(|(_, names)| listed(names)).map(|(hours, _)| hours * 3600)
}

/// Returns the UTC offset, in seconds, of a time zone such as `+0100`, `+1:00`, `GMT+2`, `-PST` or `PST`.
fn offset(word: &str) -> Option<i64> {
    let name = word.trim_start_matches(['+', '-']);
    if let Some(east) = named_zone(name) {
        return Some(east);
    }
    let (sign, digits) = match ["GMT", "UTC", "UT"].iter().find_map(|name| strip(word, name)) {
        Some(rest) if rest.starts_with(['+', '-']) => (rest, rest.trim_start_matches(['+', '-'])),
        _ => (word, name),
    };
    if digits.len() > "00:00".len() {
        return None;
    }
    let is_short = digits.len() < 3 && (sign.len() < word.len() || sign.starts_with(['+', '-']));
    let number: i64 = match digits.split_once(':') {
        Some((hours, minutes)) => hours.parse::<i64>().ok()? * 100 + minutes.parse::<i64>().ok()?,
        None if is_short => digits.parse::<i64>().ok()? * 100,
        // Some programs omit the first digit of the offset, and write `-600` instead of `-0600`.
        None if matches!(digits.len(), 3 | 4) => digits.parse().ok()?,
        None => return None,
    };
    let seconds = (number / 100) * 3600 + (number % 100) * 60;
    (0..=24 * 3600).contains(&seconds).then_some(if sign.starts_with('-') { -seconds } else { seconds })
}

/// Returns the text after `prefix`, ignoring case.
fn strip<'w>(word: &'w str, prefix: &str) -> Option<&'w str> {
    let (begin, rest) = word.split_at_checked(prefix.len())?;
    begin.eq_ignore_ascii_case(prefix).then_some(rest)
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
            (b"9 Sep 1981 0330-PDT", Some("1981-09-09T10:30:00Z")),
            (b"9-SEP-81 0330 PDT (Wednesday)", Some("1981-09-09T10:30:00Z")),
            (b"9 Sep 1981 2530-PDT", Some("1981-09-09T00:00:00Z")),
            (b"9 Sep 1981 1990", Some("1981-09-09T00:00:00Z")),
            (b"Fri Nov 5 04 2004 10:00:00", Some("2004-11-05T10:00:00Z")),
            (b"2004/03/08 Mon PM 10:00:00 JST", Some("2004-03-08T13:00:00Z")),
            (b"Mon, 8 Mar 2004 10:00:00 KST", Some("2004-03-08T01:00:00Z")),
            (b"Mon, 8 Mar 2004 10:00:00 XYZ", Some("2004-03-08T10:00:00Z")),
            (b"9 November 95 13:04 PST", Some("1995-11-09T21:04:00Z")),
            (b"Fri, 1 Jan 100 00:00:00 +0000", Some("2000-01-01T00:00:00Z")),
            (b"Fri, 1 Jan 49 00:00:00 +0000", Some("2049-01-01T00:00:00Z")),
            // The year 50 means 1950, which is before the epoch.
            (b"Fri, 1 Jan 50 00:00:00 +0000", None),
            (b"Fri, 1 Jan 70 00:00:01 +0000", Some("1970-01-01T00:00:01Z")),
            (b"Fri, 1 Jan 99 00:00:00 +0000", Some("1999-01-01T00:00:00Z")),
            // A Tuesday in French and Spanish.
            ("mar., 5 f\u{e9}vr. 2002 13:04:06 +0100".as_bytes(), Some("2002-02-05T12:04:06Z")),
            ("mardi 5 f\u{e9}vrier 2002 13:04".as_bytes(), Some("2002-02-05T13:04:00Z")),
            (b"Mon, 4 Feb 2002 Decatur", Some("2002-02-04T00:00:00Z")),
            (b"4 Feb 2002 13:04:06 +0100 Version 1.2.2003", Some("2002-02-04T12:04:06Z")),
            (b"Mar 5 Feb 2002 13:04", Some("2002-02-05T13:04:00Z")),
            (b"Dienstag, 5. Februar 2002 13.04 +0100", Some("2002-02-05T12:04:00Z")),
            (b"\"Tue, 5 Feb 2002 13:04:06 +0100\"", Some("2002-02-05T12:04:06Z")),
            (b"Mar 5 13:04:06 2002", Some("2002-03-05T13:04:06Z")),
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
            (b"9 Nov 1995 13:04:06 GMT+0200", Some("1995-11-09T11:04:06Z")),
            (b"9 Nov 1995 13:04:06 UTC-2", Some("1995-11-09T15:04:06Z")),
            (b"9 Nov 1995 13:04:06 UTC-230", Some("1995-11-09T15:34:06Z")),
            (b"9 Nov 1995 13:04:06 UTC-02:30", Some("1995-11-09T15:34:06Z")),
            (b"9 Nov 1995 13:04:06 +2", Some("1995-11-09T11:04:06Z")),
            (b"9 Nov 1995 13:04:06 -10", Some("1995-11-09T23:04:06Z")),
            (b"9 Nov 1995 13:04:06 GMT100", Some("1995-11-09T13:04:06Z")),
            (b"9 Nov 1995 13:04:06 +00100", Some("1995-11-09T13:04:06Z")),
            (b"9 Nov 1995 12:59:59 PM +0000", Some("1995-11-09T12:59:59Z")),
            (b"9 Nov 1995 13:00:00 PM +0000", Some("1995-11-09T13:00:00Z")),
            (b"9 Nov 1995 13:04:06 +02:00", Some("1995-11-09T11:04:06Z")),
            (b"9 Nov 1995 01:04:06 PM +0000", Some("1995-11-09T13:04:06Z")),
            (b"9 Nov 1995 12:04:06AM +0000", Some("1995-11-09T00:04:06Z")),
            (b"9 Nov 1995 13:04:06 PM GMT", Some("1995-11-09T13:04:06Z")),
            (b"9 Nov 1995 13:04:06 AM GMT", Some("1995-11-09T13:04:06Z")),
            (b"9 Nov 1995 13.04.06 +0200", Some("1995-11-09T11:04:06Z")),
            (b"9 Jul 1995 13:04:06 MET DST", Some("1995-07-09T11:04:06Z")),
            (b"Sun Jul 9 13:04:06 MET DST 1995", Some("1995-07-09T11:04:06Z")),
            (b"9 Jul 1995 13:04:06 EST5EDT", Some("1995-07-09T17:04:06Z")),
            (b"Thu Nov 9 13:04:06 EST5EDT 1995", Some("1995-11-09T18:04:06Z")),
            (b"1999/01/31", Some("1999-01-31T00:00:00Z")),
            (b"2004-08-09 12:00:00 +0200", Some("2004-08-09T10:00:00Z")),
            (b"Mo, 9 M\xE4r 2004 12:00:00 +0100", Some("2004-03-09T11:00:00Z")),
            (b"Mo, 9 M\xC3\xA4r 2004 12:00:00 +0100", Some("2004-03-09T11:00:00Z")),
            (b"3.2.2004", Some("2004-02-03T00:00:00Z")),
            (b"Di, 03.02.2004 13.04 +0100", Some("2004-02-03T12:04:00Z")),
            (b"2004.02.03 13:04", Some("2004-02-03T13:04:00Z")),
            (b"3/2/2004", None),
            (b"3.13.2004", None),
            ("pt, 3 wrz 2004".as_bytes(), Some("2004-09-03T00:00:00Z")),
            ("3 pa\u{17a}dziernika 2004 13:04".as_bytes(), Some("2004-10-03T13:04:00Z")),
            (b"3 pa\xBC 2004", Some("2004-10-03T00:00:00Z")),
            ("\u{412}\u{442}, 3 \u{424}\u{435}\u{432} 2004 \u{433}.".as_bytes(), Some("2004-02-03T00:00:00Z")),
            // In KOI8-R, no letter of the month is known.
            (b"3 \xC6\xC5\xD7 2004", None),
            (b"Do, 5 Mai 2005 12:00:00 +0200", Some("2005-05-05T10:00:00Z")),
            (b"9 Nov 1995 24:00:00 +0000", Some("1995-11-10T00:00:00Z")),
            (b"9 Nov 1995 24:00:01 +0000", None),
            (b"9 Nov 1995 13:04:06 +99999999999999999999:00", Some("1995-11-09T13:04:06Z")),
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
