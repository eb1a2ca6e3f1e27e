//! Parses the values of `since` and `until`: dates, times, and times before now.

use std::ops::RangeInclusive;
use std::sync::LazyLock;
use std::time::SystemTime;

use super::Why;
use crate::calendar::{self, DAY};

/// The values that do not depend on the time at which they are read, and `today` and `yesterday`.
const DATES: [(&str, &str); 7] = [
    ("1995", "a year"),
    ("1995-02", "a month"),
    ("1995-02-17", "a day"),
    ("1995-02-17T10:00:00Z", "a time, with its time zone"),
    ("today", "this day in UTC"),
    ("yesterday", "the day before"),
    ("@793015200", "a number of seconds after the beginning of 1970"),
];

/// A unit of a time before now.
struct Unit {
    /// An example, and the names of the unit.
    form: (&'static str, &'static str),
    names: &'static [&'static str],
    months: i64,
    seconds: i64,
}

macro_rules! unit {
    ($example:literal, $name:literal $($other:literal)*, $months:expr, $seconds:expr) => {
        Unit {
            form: ($example, concat!("a time before now, in `", $name, $("`, `", $other,)* "`")),
            names: &[$name, $($other),*],
            months: $months,
            seconds: $seconds,
        }
    };
}

const UNITS: [Unit; 7] = [
    unit!("1y", "y" "yr" "yrs" "year" "years", 12, 0),
    unit!("3mo", "mo" "mos" "month" "months", 1, 0),
    unit!("2w", "w" "wk" "wks" "week" "weeks", 0, 7 * DAY),
    unit!("7d", "d" "day" "days", 0, DAY),
    unit!("12h", "h" "hr" "hrs" "hour" "hours", 0, 3600),
    unit!("30m", "m" "min" "mins" "minute" "minutes", 0, 60),
    unit!("45s", "s" "sec" "secs" "second" "seconds", 0, 1),
];

/// Returns an example of each form of the values, with a description.
pub(super) fn forms() -> Vec<(&'static str, &'static str)> {
    DATES.into_iter().chain(UNITS.map(|unit| unit.form)).collect()
}

const NO_SIGN: &str = "write a time before now as 7d, without a minus sign";
const NO_DAY: &str = "that day does not exist; check the month and the day";
const NO_MONTH: &str = "that month does not exist; months are 01 to 12";
const TOO_EARLY: &str = "that time is too long ago; give a later time";

/// Returns what to write in place of an invalid value.
fn hint() -> &'static str {
    static HINT: LazyLock<String> = LazyLock::new(|| {
        let names = |forms: &[(&str, &str)]| forms.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let (dates, units) = (names(&DATES), names(&UNITS.map(|unit| unit.form)));
        format!("give a year, month, day or time: {dates}; or a time before now: {units}")
    });
    &HINT
}

/// Returns the first and the last second that a date or a time means, in seconds since 1970-01-01 UTC.
pub(super) fn parse(text: &str) -> Result<RangeInclusive<i64>, Why> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    span(text, now.as_secs() as i64).map_err(Why::from)
}

/// Writes a time so that [`parse`] accepts it.
pub(super) fn text(seconds: i64) -> String {
    calendar::rfc3339(seconds).unwrap_or_else(|| format!("@{seconds}"))
}

/// Parses a date such as `1995`, `1995-02` or `today`, a time such as `1995-02-17T10:00:00Z` or `@793015200`, or a time
/// before `now` such as `30m`. The result is a whole year, month or day, or one second.
pub(super) fn span(text: &str, now: i64) -> Result<RangeInclusive<i64>, &'static str> {
    let midnight = now - now.rem_euclid(DAY);
    let first = |second: char| text.starts_with(second);
    match text {
        "today" => return Ok(midnight..=midnight + DAY - 1),
        "yesterday" => return Ok(midnight - DAY..=midnight - 1),
        _ if first('-') => return Err(NO_SIGN),
        _ => {}
    }
    // A space can separate the date from the time, as in RFC 3339.
    let moment = match text.strip_prefix('@') {
        Some(seconds) => seconds.parse().ok(),
        None => calendar::stamp(text.replacen(' ', "T", 1).as_bytes()),
    };
    if let Some(moment) = moment {
        return Ok(moment..=moment);
    }
    if text.ends_with(|last: char| last.is_ascii_lowercase()) && first_is_digit(text) {
        let moment = before(text, now)?;
        return Ok(moment..=moment);
    }
    date(text)
}

fn first_is_digit(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
}

/// Parses a year, a month or a day.
fn date(text: &str) -> Result<RangeInclusive<i64>, &'static str> {
    let (date, is_time) = text.split_once('T').map_or((text, false), |(date, _)| (date, true));
    let number = |part: &str, length| {
        let is_number = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| part.parse::<i16>().ok()).flatten()
    };
    let parts: Vec<_> =
        date.split('-').enumerate().map(|(at, part)| number(part, if at == 0 { 4 } else { 2 })).collect();
    let start = |year, month, day| calendar::midnight(year, month as i8, day as i8);
    let (first, next, no_such) = match *parts.as_slice() {
        [Some(year)] => (start(year, 1, 1), start(year + 1, 1, 1), hint()),
        [Some(year), Some(month)] => {
            let next = if month == 12 { start(year + 1, 1, 1) } else { start(year, month + 1, 1) };
            (start(year, month, 1), next, NO_MONTH)
        }
        [Some(year), Some(month), Some(day)] => {
            let first = start(year, month, day);
            (first, first.map(|first| first + DAY), NO_DAY)
        }
        _ => return Err(hint()),
    };
    let first = first.ok_or(no_such)?;
    // The year 9999 is the last year of the calendar.
    if is_time { Err(hint()) } else { Ok(first..=next.map_or(i64::MAX, |next| next - 1)) }
}

/// Parses a time before `now`, such as `7d`, `1w 2d` or `3 months ago`.
fn before(text: &str, now: i64) -> Result<i64, &'static str> {
    let mut rest = text.strip_suffix("ago").map_or(text, str::trim_end);
    let (mut months, mut seconds) = (0_i64, 0_i64);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(hint)?;
        let number: i64 = rest[..digits].parse().map_err(|_| hint())?;
        let unit = rest[digits..].trim_start();
        let end = unit.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(unit.len());
        let row = UNITS.iter().find(|row| row.names.contains(&&unit[..end])).ok_or_else(hint)?;
        let add = |sum: i64, length: i64| number.checked_mul(length).and_then(|more| sum.checked_add(more));
        months = add(months, row.months).ok_or(TOO_EARLY)?;
        seconds = add(seconds, row.seconds).ok_or(TOO_EARLY)?;
        rest = unit[end..].trim_start_matches([' ', ',']);
    }
    // A month earlier is the same day of that month, or its last day if that day does not exist.
    let (year, month, day) = calendar::date(now.max(0));
    let month = (year * 12 + month - 1).checked_sub(months).filter(|month| *month >= 0).ok_or(TOO_EARLY)?;
    let midnight = |day: i64| calendar::midnight((month / 12) as i16, (month % 12) as i8 + 1, day as i8);
    let start = (1..=day).rev().find_map(midnight).ok_or(TOO_EARLY)?;
    (start + now.rem_euclid(DAY)).checked_sub(seconds).filter(|then| *then >= -62_167_219_200).ok_or(TOO_EARLY)
}
