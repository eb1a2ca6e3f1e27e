//! Collects one line per URL, such as a line of JSON or CSV, and prints the lines in the order of the input or sorted.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

use super::Rows;
use super::groups::{Group, Groups};
use super::sorted::Sorted;
use super::{Json, Plain, Table};

/// The layout of a line. Each layout has a method `line`, which appends a line to a buffer and returns the range of its
/// key. The key is the part of the line that `--sort` and `-u` compare: the printed URL, or the whole line if the URL
/// is not printed.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    Plain(Plain),
    Json(Json),
    Table(Table),
    Group(Group),
    Rows(Rows),
}

/// The lines of one worker thread.
pub(crate) struct Lines {
    pub(super) layout: Layout,
    pub(super) out: Vec<u8>,
    /// For each line, the range of the key in `out`, and the offset in `out` at which the line ends. `None` if none of
    /// the options `--sort`, `-u` and `-m` is given.
    pub(super) places: Option<Vec<(Range<usize>, usize)>>,
    /// How many lines `-m` still allows. `usize::MAX` without `-m`. Also `usize::MAX` with `--sort` or `-u`, because
    /// these options need all lines.
    pub(super) enough: usize,
}

impl Lines {
    /// Returns a new `Lines` with the same layout, but without lines.
    pub(super) fn another(&self) -> Lines {
        let places = self.places.as_ref().map(|_| Vec::new());
        Lines { layout: self.layout.clone(), out: Vec::new(), places, ..*self }
    }

    pub(super) fn clear(&mut self) {
        self.out.clear();
        self.places.iter_mut().for_each(Vec::clear);
    }

    /// Tells the layout that the following hits are in another message.
    pub(super) fn segment(&mut self) {
        match &mut self.layout {
            Layout::Json(json) => json.segment(),
            Layout::Table(table) | Layout::Group(Group { table, .. }) => table.segment(),
            _ => {}
        }
    }
}

pub(crate) enum Order {
    Input,
    /// Sorted by the bytes of the keys.
    Url(Sorted),
    /// Counted: prints a line for each group. See [`Groups`].
    Count(Groups),
}

/// Receives the lines of all worker threads and prints them.
pub(crate) struct Sheet {
    layout: Layout,
    order: Order,
    /// Whether only the first of several lines with the same key is printed (`-u`).
    unique: bool,
    /// How many more lines `-m` allows.
    left: u64,
    /// The keys so far. Used only for [`Order::Input`] with `unique`.
    seen: HashSet<Box<[u8]>>,
    /// Whether the line with the names of the columns was printed.
    pub(super) begun: bool,
}

impl Sheet {
    /// Creates a printer of at most `most` lines or groups.
    pub(crate) fn new(layout: Layout, order: Order, unique: bool, most: Option<u64>) -> Self {
        let left = most.unwrap_or(u64::MAX);
        Sheet { layout, order, unique, left, seen: HashSet::new(), begun: false }
    }

    /// Returns an empty collection of lines for a worker thread.
    pub(super) fn lines(&self) -> Lines {
        let has_places = self.is_sorted() || self.unique || self.left < u64::MAX;
        let enough = match self.order {
            Order::Input if !self.unique => usize::try_from(self.left).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        Lines { layout: self.layout.clone(), out: Vec::new(), places: has_places.then(Vec::new), enough }
    }

    /// Returns whether the limit of lines is reached.
    pub(super) fn is_full(&self) -> bool {
        !self.is_sorted() && self.left == 0
    }

    /// Returns whether the lines are sorted. If so, no line is printed before the end of the run.
    pub(super) fn is_sorted(&self) -> bool {
        !matches!(self.order, Order::Input)
    }

    /// Prints the line with the names of the columns, once.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match &self.layout {
            Layout::Table(table) if !std::mem::replace(&mut self.begun, true) => {
                let mut header = Vec::new();
                table.header(&mut header);
                out.write_all(&header)
            }
            _ => Ok(()),
        }
    }

    /// Writes `lines` to `out`, or keeps them for [`finish`](Self::finish) if the output is sorted. Clears `lines`.
    pub(super) fn print(&mut self, lines: &mut Lines, out: &mut dyn Write) -> io::Result<()> {
        if lines.out.is_empty() {
            return Ok(());
        }
        self.begin(out)?;
        if let Some(places) = &mut lines.places {
            match &mut self.order {
                Order::Input => retain(places, &mut lines.out, |key| {
                    let is_new = !self.unique || !self.seen.contains(key);
                    if is_new && self.left > 0 {
                        self.left -= 1;
                        if self.unique {
                            self.seen.insert(key.into());
                        }
                        return true;
                    }
                    false
                }),
                Order::Url(sorted) => drain(places, &mut lines.out, |line, key| sorted.add(line, &line[key]))?,
                Order::Count(groups) => drain(places, &mut lines.out, |line, key| {
                    groups.add(line, key);
                    Ok(())
                })?,
            }
        }
        out.write_all(&lines.out)?;
        lines.out.clear();
        Ok(())
    }

    pub(super) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        match &mut self.order {
            Order::Input => Ok(()),
            Order::Url(sorted) => sorted.write(most, out),
            Order::Count(groups) => groups.write(most, out),
        }
    }
}

/// Calls `each` with each line and the range of its key in the line. Clears `places` and `text`.
fn drain(
    places: &mut Vec<(Range<usize>, usize)>,
    text: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], Range<usize>) -> io::Result<()>,
) -> io::Result<()> {
    let mut start = 0;
    for (key, end) in places.drain(..) {
        each(&text[start..end], key.start - start..key.end - start)?;
        start = end;
    }
    text.clear();
    Ok(())
}

/// Calls `stay` with the key of each line in `text`, and removes the line if `stay` returns `false`. Clears `places`.
fn retain(places: &mut Vec<(Range<usize>, usize)>, text: &mut Vec<u8>, mut stay: impl FnMut(&[u8]) -> bool) {
    let (mut kept, mut start) = (0, 0);
    for (key, end) in places.drain(..) {
        if stay(&text[key]) {
            text.copy_within(start..end, kept);
            kept += end - start;
        }
        start = end;
    }
    text.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_each_key_stays() {
        let mut seen = HashSet::new();
        let mut page = |lines: &[(&str, &str)]| {
            let (mut text, mut places) = (Vec::new(), Vec::new());
            for (before, key) in lines {
                text.extend_from_slice(before.as_bytes());
                let start = text.len();
                text.extend_from_slice(key.as_bytes());
                places.push((start..text.len(), text.len() + 1));
                text.push(b'\n');
            }
            retain(&mut places, &mut text, |key| seen.insert(Box::<[u8]>::from(key)));
            assert!(places.is_empty());
            String::from_utf8(text).unwrap()
        };
        assert_eq!(page(&[("1 ", "a"), ("2 ", "a"), ("3 ", "b"), ("4 ", "a"), ("5 ", "c")]), "1 a\n3 b\n5 c\n");
        assert_eq!(page(&[("6 ", "c"), ("7 ", "d")]), "7 d\n");
        assert_eq!(page(&[]), "");
    }
}
