//! The time axis of the charts, in years or months.
//!
//! A message with a wrong date, such as 1980 in an archive of 1998 to 2004, would stretch the axis. So the axis omits
//! some groups of years at either end of the archive: groups with few URLs ([`RARE`]) that are far from the other years
//! ([`GAP`]).

use std::collections::BTreeMap;

/// The maximum number of months on a monthly axis. An archive that covers more months has an axis in years.
const MONTHS: u32 = 60;
/// Two successive years with URLs belong to the same group if they are at most `GAP` years apart.
const GAP: u32 = 5;
/// A group of years is rare if it has at most a tenth of the URLs (one in `RARE`). The axis begins with the first group
/// that is not rare, and ends with the last group that is not rare. If all groups are rare, the axis has all of them.
const RARE: u64 = 10;

/// The months or years on the axis, and how many URLs are not on the axis. A month is a number: the year times 12, plus
/// 0 for January to 11 for December.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Axis {
    is_monthly: bool,
    /// The first and the last month on the axis, or the first and the last year.
    ends: Option<(u32, u32)>,
    /// The number of URLs in messages without a date.
    pub(super) undated: u64,
    /// The number of URLs in messages with a date after the current year.
    pub(super) future: u64,
    /// The years that are not on the axis, each with its number of URLs.
    pub(super) outside: BTreeMap<u32, u64>,
}

impl Axis {
    /// Creates the axis. `urls` has the number of URLs of each month. Dates after `this_year` are not on the axis,
    /// because they come from wrong clocks and from spam.
    pub(super) fn new(urls: &BTreeMap<Option<u32>, u64>, this_year: u32) -> Axis {
        let mut axis = Axis::default();
        let mut years = BTreeMap::<u32, u64>::new();
        for (month, count) in urls {
            match month.map(|month| month / 12) {
                None => axis.undated += count,
                Some(year) if year > this_year => axis.future += count,
                Some(year) => *years.entry(year).or_default() += count,
            }
        }
        let (first, last) = usual(&years);
        axis.outside = years.into_iter().filter(|(year, _)| !(first..=last).contains(year)).collect();
        let mut months = urls.keys().flatten().copied().filter(|month| (first..=last).contains(&(month / 12)));
        if let Some(begin) = months.next() {
            let end = months.next_back().unwrap_or(begin);
            axis.is_monthly = end - begin < MONTHS;
            axis.ends = Some(if axis.is_monthly { (begin, end) } else { (first, last) });
        }
        axis
    }

    pub(super) fn unit(&self) -> &'static str {
        if self.is_monthly { "month" } else { "year" }
    }

    /// Returns the labels of all months or years on the axis, in order.
    pub(super) fn labels(&self) -> Vec<String> {
        let periods = self.ends.into_iter().flat_map(|(first, last)| first..=last);
        periods.map(|period| if self.is_monthly { label(period) } else { period.to_string() }).collect()
    }

    /// Returns the index of the label for a month. Returns `None` if the month is not on the axis.
    pub(super) fn position(&self, month: Option<u32>) -> Option<usize> {
        let ((first, last), month) = (self.ends?, month?);
        let period = if self.is_monthly { month } else { month / 12 };
        (first..=last).contains(&period).then(|| (period - first) as usize)
    }
}

/// Returns the label of a month, such as `2004-03`.
pub(super) fn label(month: u32) -> String {
    format!("{:04}-{:02}", month / 12, month % 12 + 1)
}

/// Returns the first and the last year on the axis.
fn usual(years: &BTreeMap<u32, u64>) -> (u32, u32) {
    let mut groups: Vec<(u32, u32, u64)> = Vec::new();
    for (&year, &count) in years {
        match groups.last_mut() {
            Some((_, last, sum)) if year - *last <= GAP => (*last, *sum) = (year, *sum + count),
            _ => groups.push((year, year, count)),
        }
    }
    let all: u64 = years.values().sum();
    let is_usual = |group: &&(u32, u32, u64)| group.2 > all / RARE;
    let first = groups.iter().find(is_usual).or(groups.first());
    let last = groups.iter().rfind(is_usual).or(groups.last());
    first.zip(last).map_or((0, 0), |(first, last)| (first.0, last.1))
}

#[cfg(test)]
mod tests {
    use super::Axis;

    /// The number of URLs of each year, and the expected axis: its unit, its first and last label, and the years that
    /// are not on the axis.
    type Row<'t> = (&'t [(u32, u64)], &'t str, Option<(&'t str, &'t str)>, &'t [(u32, u64)]);

    #[test]
    fn rare_dates_far_away_do_not_stretch_the_axis() {
        let table: &[Row<'_>] = &[
            (&[], "year", None, &[]),
            (&[(2004, 7)], "month", Some(("2004-01", "2004-01")), &[]),
            (&[(1998, 7), (2000, 9)], "month", Some(("1998-01", "2000-01")), &[]),
            (&[(1998, 7), (2003, 9)], "year", Some(("1998", "2003")), &[]),
            // In the next three rows, the wrong dates are before the other dates, after them, and on both sides.
            (&[(1980, 1), (1998, 20), (1999, 9)], "month", Some(("1998-01", "1999-01")), &[(1980, 1)]),
            (&[(1998, 20), (2019, 2)], "month", Some(("1998-01", "1998-01")), &[(2019, 2)]),
            (&[(1980, 1), (1998, 30), (2003, 9), (2019, 1)], "year", Some(("1998", "2003")), &[(1980, 1), (2019, 1)]),
            // Years with many URLs stay on the axis, even if they are far from the other years.
            (&[(1985, 9), (1998, 20), (2019, 9)], "year", Some(("1985", "2019")), &[]),
            // Years with few URLs stay on the axis if they are near other years.
            (&[(1994, 1), (1998, 50), (2003, 1)], "year", Some(("1994", "2003")), &[]),
            // If no group of years has more than a tenth of the URLs, the axis has all years.
            (
                &[1900, 1910, 1920, 1930, 1940, 1950, 1960, 1970, 1980, 1990].map(|y| (y, 1)),
                "year",
                Some(("1900", "1990")),
                &[],
            ),
        ];
        for (years, unit, ends, outside) in table {
            let months = years.iter().map(|(year, count)| (Some(year * 12), *count)).collect();
            let axis = Axis::new(&months, 2026);
            let labels = axis.labels();
            let got = labels.first().zip(labels.last()).map(|(first, last)| (&**first, &**last));
            assert_eq!((axis.unit(), got), (*unit, *ends), "{years:?}");
            assert_eq!(axis.outside.into_iter().collect::<Vec<_>>(), *outside, "{years:?}");
        }
    }

    #[test]
    fn every_url_is_on_the_axis_or_counted_beside_it() {
        let month = |year: u32, month: u32| Some(year * 12 + month - 1);
        let urls =
            [(None, 3), (month(1970, 2), 1), (month(2004, 3), 40), (month(2004, 6), 9), (month(2027, 1), 5)].into();
        let axis = Axis::new(&urls, 2026);
        assert_eq!(axis.labels(), ["2004-03", "2004-04", "2004-05", "2004-06"]);
        assert_eq!((axis.undated, axis.future, &axis.outside), (3, 5, &[(1970, 1)].into()));
        let positions = [None, month(1970, 2), month(2004, 2), month(2004, 3), month(2004, 6), month(2004, 7)];
        assert_eq!(positions.map(|month| axis.position(month)), [None, None, None, Some(0), Some(3), None]);
    }
}
