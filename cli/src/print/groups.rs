//! `count`: the number of URLs in each group. A group is a line with the fields that URLs are counted by.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::ops::Range;

use urlspool::fields::{Field, Value, push_number};

use super::{Found, Style, Table, json};

/// The layout of the lines to count.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The fields that URLs are counted by, as columns.
    pub(crate) table: Table,
    /// Whether a line is a JSON object, and not a line of the table.
    pub(crate) is_json: bool,
}

impl Group {
    /// Appends the line of a hit. Returns the range of the URL in `out`, or of the whole line if it has no URL.
    pub(super) fn line(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        let value = |field: &Field| folded(found, field);
        if !self.is_json {
            return self.table.row(out, value);
        }
        let key = json::row(out, &self.table.columns, |_| true, value);
        out.push(b'\n');
        key
    }
}

/// Returns the value of a field. Case does not matter in a host, so a host is in lower case.
fn folded<'f>(found: Found<'f>, field: &Field) -> Value<'f> {
    match found.value(field) {
        Value::Bytes(host) | Value::Plain(host) if field.name() == "host" => {
            String::from_utf8_lossy(host).to_lowercase().into()
        }
        value => value,
    }
}

/// The counts of a run.
pub(crate) struct Groups {
    counts: HashMap<Box<[u8]>, u64>,
    /// The URLs that are already counted. Used only with `-u`.
    seen: Option<HashSet<Box<[u8]>>>,
    /// Whether the groups are in ascending order of their first field. Groups with the same first field, or all groups,
    /// are in descending order of their counts.
    is_ascending: bool,
    layout: GroupLayout,
}

/// How the groups are printed.
#[derive(Clone, Copy)]
pub(crate) enum GroupLayout {
    /// The count, a tab, and the fields with tabs between them.
    Raw,
    /// A JSON object, with the count as its first field.
    Json,
    /// For a terminal, with a bar for each count.
    Bars,
}

/// Printed in place of an empty group on a terminal, such as the host of a `mailto` URL.
const NONE: &[u8] = b"(none)";

/// The length of the longest bar, in columns of the terminal.
const BAR: usize = 30;

impl Groups {
    /// Creates empty counts. If `unique` is true, the first field of each line must be the URL. It is not part of the
    /// group, and only the first line of each URL is counted.
    pub(crate) fn new(layout: GroupLayout, is_ascending: bool, unique: bool) -> Groups {
        Groups { counts: HashMap::new(), seen: unique.then(HashSet::new), is_ascending, layout }
    }

    /// Counts a line. `key` is the range of its URL. With `-u`, a line is `URL`, a separator, and the group.
    pub(super) fn add(&mut self, line: &[u8], key: Range<usize>) {
        let start = match &mut self.seen {
            Some(seen) => {
                if seen.contains(&line[key.clone()]) {
                    return;
                }
                seen.insert(line[key.clone()].into());
                key.end + 1
            }
            // The brace that begins a JSON object is written together with the count.
            None => usize::from(matches!(self.layout, GroupLayout::Json)),
        };
        match self.counts.get_mut(&line[start..]) {
            Some(count) => *count += 1,
            None => drop(self.counts.insert(line[start..].into(), 1)),
        }
    }

    /// Writes the first `most` groups.
    pub(super) fn write(&mut self, most: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut groups: Vec<_> = self.counts.drain().collect();
        match self.is_ascending {
            true => groups.sort_unstable_by(|(a, m), (b, n)| {
                (first(a).is_empty(), first(a), n, a).cmp(&(first(b).is_empty(), first(b), m, b))
            }),
            false => groups.sort_unstable_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b))),
        }
        groups.truncate(most);
        let highest = groups.iter().map(|(_, count)| *count).max().unwrap_or(1);
        let mut out = io::BufWriter::new(out);
        let mut text = Vec::new();
        for (group, count) in &groups {
            text.clear();
            match self.layout {
                GroupLayout::Raw | GroupLayout::Json => {
                    let is_json = matches!(self.layout, GroupLayout::Json);
                    text.extend_from_slice(if is_json { b"{\"count\":" } else { b"" });
                    push_number(&mut text, *count);
                    text.push(if is_json { b',' } else { b'\t' });
                    text.extend_from_slice(group);
                }
                GroupLayout::Bars => {
                    write!(text, "{count:>10}  {:<BAR$}  ", bar(*count, highest))?;
                    let group = group.trim_ascii_end();
                    Style::Shown.text(&mut text, if group.is_empty() { NONE } else { group });
                    text.push(b'\n');
                }
            }
            out.write_all(&text)?;
        }
        out.flush()
    }
}

/// Returns the first field of a group, such as the year. It contains no tab and no comma.
fn first(group: &[u8]) -> &[u8] {
    group.split(|byte| matches!(byte, b'\t' | b',' | b'\n')).next().unwrap_or_default()
}

/// Returns the bar for `count`, rounded up to an eighth of a column. `most` is the highest count, whose bar has [`BAR`]
/// columns.
fn bar(count: u64, most: u64) -> String {
    const PARTS: [&str; 8] = ["", "\u{258f}", "\u{258e}", "\u{258d}", "\u{258c}", "\u{258b}", "\u{258a}", "\u{2589}"];
    let eighths = (u128::from(count) * (BAR as u128 * 8)).div_ceil(u128::from(most.max(1))) as usize;
    "\u{2588}".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_counts() {
        let table = [(0, ""), (1, "\u{258f}"), (30, "\u{2588}"), (45, "\u{2588}\u{258c}")];
        for (count, want) in table {
            assert_eq!(bar(count, 900), want, "{count}");
        }
        assert_eq!(bar(u64::MAX, u64::MAX).chars().count(), BAR);
    }
}
