//! Converts dates and times of the Gregorian calendar to seconds since 1970-01-01 UTC, and back.

/// Number of seconds in a day.
pub(crate) const DAY: i64 = 24 * 3600;

/// Number of days from 1 March of the year 0 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Number of days in four centuries.
const FOUR_CENTURIES: i64 = 146_097;

/// The largest supported time, in seconds since 1970: 9999-12-30T22:00:00Z. [`stamp`] accepts UTC offsets up to
/// 25:59:59. With this offset, the local date of any later time would be in the year 10000.
pub(crate) const LAST: i64 = 253_402_207_200;

/// Returns midnight UTC at the start of a day, in seconds since 1970-01-01. Returns `None` if the day does not exist,
/// or if the year is not from 0 to 9999.
pub(crate) fn midnight(year: i16, month: i8, day: i8) -> Option<i64> {
    let (year, month, day) = (i64::from(year), i64::from(month), i64::from(day));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !(0..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=last).contains(&day) {
        return None;
    }
    // The calculation uses years that begin in March, so that the leap day is the last day of the year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // Starting in March, each group of five months has 153 days.
    let in_year = (153 * month + 2) / 5 + day - 1;
    Some((365 * year + leap_days + in_year - EPOCH) * DAY)
}

/// Returns the year, month and day of a time, in UTC. `seconds` counts from 1970-01-01, and is not negative.
pub(crate) fn date(seconds: i64) -> (i64, i64, i64) {
    let days = seconds / DAY + EPOCH;
    let (centuries, day) = (days / FOUR_CENTURIES * 4, days % FOUR_CENTURIES);
    // Subtract the leap days, so that each year has 365 days.
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (next, month) = if month < 10 { (0, month + 3) } else { (1, month - 9) };
    (centuries * 100 + year + next, month, day)
}

/// Returns the number of seconds since midnight. Returns `None` for an invalid time, and for a leap second.
pub(crate) fn time(hour: i8, minute: i8, second: i8) -> Option<i64> {
    let exists = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
    exists.then(|| i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second))
}

/// Formats a time as in RFC 3339. `seconds` counts from 1970-01-01 UTC. Returns `None` for times before 1970 or after
/// 9999-12-30.
///
/// ```
/// assert_eq!(urlspool::rfc3339(1_078_131_660).as_deref(), Some("2004-03-01T09:01:00Z"));
/// ```
#[must_use]
pub fn rfc3339(seconds: i64) -> Option<String> {
    if !(0..=LAST).contains(&seconds) {
        return None;
    }
    let (year, month, day) = date(seconds);
    let numbers = [year / 100, year % 100, month, day, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60];
    let mut text = *b"1982-11-19T21:14:55Z";
    for (at, number) in [0, 2, 5, 8, 11, 14, 17].into_iter().zip(numbers) {
        text[at..at + 2].copy_from_slice(&[b'0' + number as u8 / 10, b'0' + number as u8 % 10]);
    }
    Some(String::from_utf8(text.into()).expect("digits and signs are ASCII"))
}

/// Parses a time stamp of RFC 3339, or a shorter form of ISO 8601 such as `19821119T1614-05`. Annotations such as
/// `[America/New_York]` can follow (RFC 9557).
///
/// Fractions of a second are truncated. A leap second is replaced with the previous second.
pub(crate) fn stamp(text: &[u8]) -> Option<i64> {
    let mut rest = Rest(text);
    let (century, year) = (rest.two(99)?, rest.two(99)?);
    let hyphens = rest.eat(b'-');
    let month = rest.two(12)?;
    if rest.eat(b'-') != hyphens {
        return None;
    }
    let midnight = midnight(i16::from(century) * 100 + i16::from(year), month, rest.two(31)?)?;
    if !rest.eat(b'T') && !rest.eat(b't') {
        return None;
    }
    let clock = rest.clock(23, 60)?;
    let time = time(clock.hour, clock.minute, clock.second.min(59))?;
    let east = if rest.eat(b'Z') || rest.eat(b'z') { 0 } else { rest.offset()? };
    while rest.eat(b'[') {
        let end = memchr::memchr(b']', rest.0)?;
        rest = Rest(&rest.0[end + 1..]);
    }
    let seconds = midnight + time - east;
    (rest.0.is_empty() && seconds <= LAST).then_some(seconds)
}

/// The part of a time stamp that has not been parsed yet.
struct Rest<'t>(&'t [u8]);

/// A time of day. `rounded` is the fraction of a second, rounded to 0 or 1.
#[derive(Default)]
struct Clock {
    hour: i8,
    minute: i8,
    second: i8,
    rounded: i8,
}

impl Rest<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        let rest = self.0.strip_prefix(&[byte]);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Parses a number of two digits. Returns `None` for a number greater than `last`.
    fn two(&mut self, last: i8) -> Option<i8> {
        let (&digits, rest) = self.0.split_first_chunk::<2>()?;
        let number = number(digits).filter(|&number| number <= last)?;
        self.0 = rest;
        Some(number)
    }

    /// Returns whether minutes or seconds follow. If `colons` is set, a colon must come before them, and this function
    /// skips the colon. Otherwise, two digits must come next.
    fn continues(&mut self, colons: bool) -> bool {
        if colons { self.eat(b':') } else { self.0.first_chunk().is_some_and(|&digits| number(digits).is_some()) }
    }

    fn clock(&mut self, last_hour: i8, last_second: i8) -> Option<Clock> {
        let mut clock = Clock { hour: self.two(last_hour)?, ..Clock::default() };
        let colons = self.0.starts_with(b":");
        if !self.continues(colons) {
            return Some(clock);
        }
        clock.minute = self.two(59)?;
        if !self.continues(colons) {
            return Some(clock);
        }
        clock.second = self.two(last_second)?;
        if self.eat(b'.') || self.eat(b',') {
            // Accept at most nine digits, as the crate jiff does. The tests compare this parser with jiff.
            let digits = self.0.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
            clock.rounded = i8::from(*self.0[..digits].first()? >= b'5');
            self.0 = &self.0[digits..];
        }
        Some(clock)
    }

    /// Parses a numeric time zone, and returns the offset from UTC in seconds.
    fn offset(&mut self) -> Option<i64> {
        let west = self.eat(b'-');
        if !west && !self.eat(b'+') {
            return None;
        }
        let Clock { hour, minute, second, rounded } = self.clock(25, 59)?;
        let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second) + i64::from(rounded);
        (seconds < 26 * 3600).then_some(if west { -seconds } else { seconds })
    }
}

/// Returns the value of two decimal digits.
pub(crate) fn number(digits: [u8; 2]) -> Option<i8> {
    digits.iter().all(u8::is_ascii_digit).then(|| (digits[0] - b'0') as i8 * 10 + (digits[1] - b'0') as i8)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::{Date, Time};
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_days_have_their_numbers() {
        let table = [
            ((1970, 1, 1), Some(0)),
            ((1969, 12, 31), Some(-1)),
            ((1970, 2, 29), None),
            ((1972, 2, 29), Some(789)),
            ((1972, 3, 1), Some(790)),
            ((1900, 2, 28), Some(-25_509)),
            ((1900, 2, 29), None),
            ((1900, 3, 1), Some(-25_508)),
            ((2000, 2, 29), Some(11_016)),
            ((2000, 12, 31), Some(11_322)),
            ((2001, 1, 1), Some(11_323)),
            ((2038, 1, 19), Some(24_855)),
            ((2100, 2, 29), None),
            ((0, 1, 1), Some(-719_528)),
            ((0, 2, 29), Some(-719_469)),
            ((0, 3, 1), Some(-719_468)),
            ((1, 1, 1), Some(-719_162)),
            ((9999, 12, 31), Some(2_932_896)),
            ((10_000, 1, 1), None),
            ((-1, 12, 31), None),
            ((2001, 0, 1), None),
            ((2001, 13, 1), None),
            ((2001, 1, 0), None),
            ((2001, 1, 32), None),
            ((2001, 4, 31), None),
            ((2001, 1, -1), None),
        ];
        for ((year, month, day), days) in table {
            assert_eq!(midnight(year, month, day), days.map(|days: i64| days * DAY), "{year}-{month}-{day}");
        }
    }

    #[test]
    fn known_times_have_their_seconds() {
        let table = [
            (0, Some("1970-01-01T00:00:00Z")),
            (-1, None),
            (68_169_600, Some("1972-02-29T00:00:00Z")),
            (951_868_799, Some("2000-02-29T23:59:59Z")),
            (951_868_800, Some("2000-03-01T00:00:00Z")),
            (978_307_199, Some("2000-12-31T23:59:59Z")),
            (i32::MAX.into(), Some("2038-01-19T03:14:07Z")),
            (4_107_542_399, Some("2100-02-28T23:59:59Z")),
            (4_107_542_400, Some("2100-03-01T00:00:00Z")),
            (LAST, Some("9999-12-30T22:00:00Z")),
            (LAST + 1, None),
            (i64::MAX, None),
            (i64::MIN, None),
        ];
        for (seconds, want) in table {
            assert_eq!(rfc3339(seconds).as_deref(), want, "{seconds}");
        }
    }

    #[test]
    fn stamps() {
        let table = [
            ("1995-11-09T13:04:06Z", true),
            ("1995-11-09t13:04:06z", true),
            ("1995-11-09T13:04:60Z", true),
            ("1995-11-09T13:04:61Z", false),
            ("1995-11-09T13:04:06.5Z", true),
            ("1995-11-09T13:04:06,123456789-01:00", true),
            ("1995-11-09T13:04:06.1234567890Z", false),
            ("1995-11-09T13:04:06.Z", false),
            ("1995-11-09T13:04.5Z", false),
            ("1995-11-09T13:04-01", true),
            ("1995-11-09T13+0100", true),
            ("1995-11-09T13:Z", false),
            ("1995-11-09T1304Z", true),
            ("1995-11-09T13:0406Z", false),
            ("19951109T130406-0100", true),
            ("1995-1109T130406Z", false),
            ("199511-09T130406Z", false),
            ("1995-11-09T24:00:00Z", false),
            ("1995-11-09T23:60:00Z", false),
            ("1995-02-29T00:00:00Z", false),
            ("1995-11-09T13:04:06", false),
            ("1995-11-09T13:04:06+25:59:59", true),
            ("1995-11-09T13:04:06+25:59:59.4", true),
            ("1995-11-09T13:04:06+25:59:59.5", false),
            ("1995-11-09T13:04:06-26:00", false),
            ("1995-11-09T13:04:06-00:00:30.5", true),
            ("1995-11-09T13:04:06Z ", false),
            ("1995-11-09 13:04:06Z", true),
            ("1995-11-09T13:04:06-05[America/New_York]", true),
            ("1995-11-09T13:04:06-05[America/New_York][u-ca=gregory]", true),
            ("1995-11-09T13:04:06-05[America/New_York", false),
            ("0000-01-01T00:00:00Z", true),
            ("9999-12-30T22:00:00Z", true),
            ("9999-12-30T22:00:01Z", false),
            ("9999-12-31T22:00:00+24", true),
            ("", false),
        ];
        for (text, reads) in table {
            let jiff = text.parse::<Timestamp>().ok();
            assert_eq!(jiff.is_some(), reads, "{text}");
            // Unlike jiff, `stamp` requires the `T`.
            if !text.contains("09 13") {
                let floor = jiff.map(|stamp| stamp.as_nanosecond().div_euclid(1_000_000_000) as i64);
                assert_eq!(stamp(text.as_bytes()), floor, "{text}");
            }
        }
    }

    #[test]
    fn each_day_is_one_after_the_day_before() {
        let mut expected = midnight(1599, 1, 1);
        for year in 1599..=2401 {
            for month in 1..=12 {
                for day in (1..=31).filter(|&day| Date::new(year, month, day).is_ok()) {
                    assert_eq!(midnight(year, month, day), expected, "{year}-{month}-{day}");
                    if let Some(seconds) = expected.filter(|seconds| (0..=LAST).contains(seconds)) {
                        let want = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
                        assert_eq!(rfc3339(seconds), Some(want));
                    }
                    expected = expected.map(|seconds| seconds + DAY);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn days_are_those_of_a_calendar(year in -9999i16..=9999, month in -1i8..=14, day in -1i8..=33) {
            let date = Date::new(year, month, day).ok().filter(|_| year >= 0);
            let midnight = midnight(year, month, day).filter(|&seconds| seconds <= LAST);
            let expected = date.and_then(|date| TimeZone::UTC.to_timestamp(date.to_datetime(Time::midnight())).ok());
            prop_assert_eq!(midnight, expected.map(Timestamp::as_second));
        }

        #[test]
        fn times_are_those_of_a_clock(hour: i8, minute: i8, second: i8) {
            let expected = Time::new(hour, minute, second, 0).ok();
            prop_assert_eq!(time(hour, minute, second).is_some(), expected.is_some());
        }

        #[test]
        fn seconds_are_written_alike(seconds in 0..=LAST) {
            let expected = Timestamp::from_second(seconds).unwrap().to_string();
            prop_assert_eq!(rfc3339(seconds), Some(expected));
        }

        #[test]
        fn stamps_are_read_alike(
            text in "[0-9]{4}(-?[01][0-9]){2}T[0-2][0-9](:?[0-6][0-9]){0,2}([.,][0-9]{0,10})?([Zz]|[+-][0-2][0-9](:?[0-6][0-9]){0,3})?"
        ) {
            let expected = text.parse::<Timestamp>().ok();
            let floor = expected.map(|stamp| stamp.as_nanosecond().div_euclid(1_000_000_000) as i64);
            prop_assert_eq!(stamp(text.as_bytes()), floor);
        }
    }
}
