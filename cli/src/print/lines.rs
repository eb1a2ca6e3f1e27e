//! Output with a line per URL, whatever is on the line.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

#[cfg(feature = "parquet")]
use super::Row;
use super::{Context, Json, Plain, Table};
use crate::event::Found;

/// How a line is laid out. Each layout appends a line to a buffer and gives the place of its key: the URL as the line has it.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    Plain(Plain),
    Context(Context),
    Json(Json),
    Table(Table),
    #[cfg(feature = "parquet")]
    Row(Row),
}

/// The lines of one worker.
pub(crate) struct Lines {
    layout: Layout,
    pub(super) out: Vec<u8>,
    /// The key of each line and the line's end; `None` unless lines are told apart.
    places: Option<Vec<(Range<usize>, usize)>>,
}

impl Lines {
    /// Adds the line for what was found, unless it has none.
    #[inline(always)]
    pub(super) fn found(&mut self, found: Found<'_>) {
        let key = match &mut self.layout {
            Layout::Plain(plain) => Some(plain.line(&mut self.out, found)),
            Layout::Context(context) => Some(context.line(&mut self.out, found)),
            Layout::Json(json) => json.line(&mut self.out, found),
            Layout::Table(table) => table.line(&mut self.out, found),
            #[cfg(feature = "parquet")]
            Layout::Row(row) => row.line(&mut self.out, found),
        };
        if let (Some(key), Some(places)) = (key, &mut self.places) {
            places.push((key, self.out.len()));
        }
    }

    /// What comes now is of another message.
    pub(super) fn segment(&mut self) {
        if let Layout::Json(json) = &mut self.layout {
            json.segment();
        }
    }
}

/// Prints lines in an order.
pub(crate) struct Sheet {
    layout: Layout,
    /// Whether lines are printed in the order of their keys, byte by byte, when all are there.
    sort: bool,
    /// Whether only the first line of each key is printed.
    unique: bool,
    /// The keys so far, if each is printed once as it comes.
    seen: HashSet<Box<[u8]>>,
    /// All lines so far, if they are sorted, each with the length of its key before it.
    kept: Vec<(usize, Box<[u8]>)>,
    begun: bool,
}

impl Sheet {
    pub(crate) fn new(layout: Layout, sort: bool, unique: bool) -> Self {
        Sheet { layout, sort, unique, seen: HashSet::new(), kept: Vec::new(), begun: false }
    }

    /// No lines yet.
    pub(super) fn lines(&self) -> Lines {
        Lines { layout: self.layout.clone(), out: Vec::new(), places: (self.sort || self.unique).then(Vec::new) }
    }

    /// Prints the names of a table's columns before all lines.
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

    /// Writes `lines` to `out` and empties them, or keeps them for the end.
    pub(super) fn print(&mut self, lines: &mut Lines, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        if let Some(places) = &mut lines.places {
            if self.sort {
                keep(&mut self.kept, places, &mut lines.out);
            } else {
                retain(&mut self.seen, places, &mut lines.out);
            }
        }
        if !lines.out.is_empty() {
            out.write_all(&lines.out)?;
            lines.out.clear();
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        // Lines with the same key stay in the order of the input.
        self.kept.sort_by(|(m, a), (n, b)| a[..*m].cmp(&b[..*n]));
        if self.unique {
            self.kept.dedup_by(|(m, a), (n, b)| a[..*m] == b[..*n]);
        }
        let mut out = io::BufWriter::new(out);
        self.kept.drain(..).try_for_each(|(key, line)| out.write_all(&line[key..]))?;
        out.flush()
    }
}

/// Puts the lines of `text` away, and leaves it and `places` empty.
fn keep(kept: &mut Vec<(usize, Box<[u8]>)>, places: &mut Vec<(Range<usize>, usize)>, text: &mut Vec<u8>) {
    let mut start = 0;
    for (key, end) in places.drain(..) {
        kept.push((key.len(), [&text[key], &text[start..end]].concat().into()));
        start = end;
    }
    text.clear();
}

/// Takes the lines out of `text` whose key was `seen` before. Leaves `places` empty.
fn retain(seen: &mut HashSet<Box<[u8]>>, places: &mut Vec<(Range<usize>, usize)>, text: &mut Vec<u8>) {
    let (mut kept, mut start) = (0, 0);
    for (key, end) in places.drain(..) {
        if !seen.contains(&text[key.clone()]) {
            seen.insert(text[key].into());
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
            retain(&mut seen, &mut places, &mut text);
            assert!(places.is_empty());
            String::from_utf8(text).unwrap()
        };
        assert_eq!(page(&[("1 ", "a"), ("2 ", "a"), ("3 ", "b"), ("4 ", "a"), ("5 ", "c")]), "1 a\n3 b\n5 c\n");
        assert_eq!(page(&[("6 ", "c"), ("7 ", "d")]), "7 d\n");
        assert_eq!(page(&[]), "");
    }
}
