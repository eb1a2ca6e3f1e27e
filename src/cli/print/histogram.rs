//! How many URLs there are of each kind: `--histogram`.

use std::collections::HashMap;
use std::io::{self, Write};

use clap::ValueEnum;
use urlspool::Hit;

use super::{Page, Printer, Style, plain};
use crate::cli::select::Refused;

/// What the URLs are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Their hosts, each of which is kept in memory: some 100 octets
    Hosts,
    /// Their schemes
    Schemes,
    /// The years of their messages
    Years,
    /// The grammars that allow them
    Tiers,
    /// How they stood in the text
    Forms,
}

/// Counts, and prints when all is counted: the most frequent first; years in their order. Keeps a name and a number for
/// each kind.
pub(crate) struct Histogram {
    kind: Kind,
    style: Style,
    counts: HashMap<Box<[u8]>, u64>,
}

impl Histogram {
    pub(crate) fn new(kind: Kind, style: Style) -> Histogram {
        Histogram { kind, style, counts: HashMap::new() }
    }
}

/// What one worker counted.
pub(crate) struct Bins {
    kind: Kind,
    counts: HashMap<Box<[u8]>, u64>,
}

/// What stands for a name where there is none.
const NONE: &[u8] = b"(none)";

impl Page for Bins {
    fn hit(&mut self, hit: &Hit<'_>) {
        let name = match self.kind {
            Kind::Hosts => &hit.url().host().unwrap_or(NONE).to_ascii_lowercase(),
            Kind::Schemes => &hit.url().scheme().to_ascii_lowercase(),
            Kind::Years => hit.origin().date().and_then(|date| date.get(..4)).map_or(NONE, str::as_bytes),
            Kind::Tiers => hit.tier().as_str().as_bytes(),
            Kind::Forms => hit.form().as_str().as_bytes(),
        };
        match self.counts.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(name.into(), 1);
            }
        }
    }

    /// A place counts once, however it is read.
    fn reading(&mut self, _: &Hit<'_>, _: &[u8]) {}

    /// Only URLs are counted.
    fn refused(&mut self, _: &Refused<'_>) {}

    fn size(&self) -> usize {
        0
    }
}

impl Printer for Histogram {
    type Page = Bins;

    fn page(&self) -> Bins {
        Bins { kind: self.kind, counts: HashMap::new() }
    }

    fn print(&mut self, page: &mut Bins, _: &mut dyn Write) -> io::Result<()> {
        for (name, count) in page.counts.drain() {
            *self.counts.entry(name).or_default() += count;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut bins: Vec<(Box<[u8]>, u64)> = self.counts.drain().collect();
        match self.kind {
            Kind::Years => bins.sort_unstable(),
            _ => bins.sort_unstable_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b))),
        }
        let most = bins.iter().map(|(_, count)| *count).max().unwrap_or(1);
        let mut text = Vec::new();
        for (name, count) in &bins {
            if self.style == Style::Raw {
                write!(text, "{count}\t")?;
            } else {
                write!(text, "{count:>10}  {:<BAR$}  ", bar(*count, most))?;
            }
            plain::octets(&mut text, name, self.style != Style::Raw);
            text.push(b'\n');
        }
        out.write_all(&text)
    }
}

/// How long the longest bar is, in columns.
const BAR: usize = 30;

/// A bar for `count` where the longest is for `most`, to an eighth of a column.
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
