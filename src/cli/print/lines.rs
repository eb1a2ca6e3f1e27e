//! Output with a line per URL, whatever is on the line.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

use urlspool::{File, Hit, Unit};

use super::{Page, Printer};
use crate::cli::select::Refused;

/// How a line is laid out. Each function appends one line to `out` and gives the place of its key: the URL as the line
/// has it.
pub(crate) trait Layout: Clone + Send + 'static {
    /// What comes before all lines.
    fn header(&self, out: &mut Vec<u8>) {
        let _ = out;
    }

    fn hit(&mut self, out: &mut Vec<u8>, hit: &Hit<'_>) -> Range<usize>;
    fn reading(&mut self, out: &mut Vec<u8>, hit: &Hit<'_>, url: &[u8]) -> Range<usize>;
    fn refused(&mut self, out: &mut Vec<u8>, refused: &Refused<'_>) -> Range<usize>;

    /// What comes now is of another message.
    fn unit(&mut self) {}
}

/// The lines of one worker.
pub(crate) struct Lines<L> {
    layout: L,
    out: Vec<u8>,
    /// The key of each line and the line's end; `None` unless lines are told apart.
    places: Option<Vec<(Range<usize>, usize)>>,
}

impl<L: Layout> Lines<L> {
    #[inline]
    fn add(&mut self, line: impl FnOnce(&mut L, &mut Vec<u8>) -> Range<usize>) {
        let start = self.out.len();
        let key = line(&mut self.layout, &mut self.out);
        if let Some(places) = self.places.as_mut().filter(|_| self.out.len() > start) {
            places.push((key, self.out.len()));
        }
    }
}

impl<L: Layout> Page for Lines<L> {
    fn hit(&mut self, hit: &Hit<'_>) {
        self.add(|layout, out| layout.hit(out, hit));
    }

    fn reading(&mut self, hit: &Hit<'_>, url: &[u8]) {
        self.add(|layout, out| layout.reading(out, hit, url));
    }

    fn refused(&mut self, refused: &Refused<'_>) {
        self.add(|layout, out| layout.refused(out, refused));
    }

    fn unit(&mut self, _: Option<&File>, _: &Unit) {
        self.layout.unit();
    }

    fn size(&self) -> usize {
        self.out.len()
    }
}

/// In which order lines are printed, and which of those with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// All, as they come.
    Input,
    /// The first of each key, as they come. Keeps every key in memory.
    Once,
    /// By their keys, octet by octet, in the end. Keeps every line in memory.
    Sorted,
    /// The same, and the first of each key.
    SortedOnce,
}

/// Prints lines in an order.
pub(crate) struct Sheet<L> {
    layout: L,
    order: Order,
    /// The keys so far, where each is printed once.
    seen: HashSet<Box<[u8]>>,
    /// The lines so far, where they are sorted, each with the length of its key before it.
    kept: Vec<(usize, Box<[u8]>)>,
    begun: bool,
}

impl<L: Layout> Sheet<L> {
    pub(crate) fn new(layout: L, order: Order) -> Self {
        Sheet { layout, order, seen: HashSet::new(), kept: Vec::new(), begun: false }
    }

    /// Prints what comes before all lines, once.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let mut header = Vec::new();
        self.layout.header(&mut header);
        out.write_all(&header)
    }
}

impl<L: Layout> Printer for Sheet<L> {
    type Page = Lines<L>;

    fn page(&self) -> Lines<L> {
        Lines { layout: self.layout.clone(), out: Vec::new(), places: (self.order != Order::Input).then(Vec::new) }
    }

    fn print(&mut self, page: &mut Lines<L>, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        if let Some(places) = &mut page.places {
            match self.order {
                Order::Input => {}
                Order::Once => retain(&mut self.seen, places, &mut page.out),
                Order::Sorted | Order::SortedOnce => keep(&mut self.kept, places, &mut page.out),
            }
        }
        if !page.out.is_empty() {
            out.write_all(&page.out)?;
            page.out.clear();
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        // Lines with the same key stay in the order of the input.
        self.kept.sort_by(|(m, a), (n, b)| a[..*m].cmp(&b[..*n]));
        if self.order == Order::SortedOnce {
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
