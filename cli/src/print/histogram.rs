//! How many URLs there are of each kind: `--histogram`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use clap::ValueEnum;
use urlspool::HitRef;

use super::{Separator, Style, object, table};

/// What the URLs are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Their hosts, each of which is kept in memory: some 100 bytes
    Hosts,
    /// The domains that were registered for their hosts, by the public suffix list; an address is one of its own
    Domains,
    /// Their schemes
    Schemes,
    /// The years of their messages
    Years,
    /// The grammars that allow them
    Tiers,
    /// How they stood in the text
    Forms,
}

impl Kind {
    /// What the column of names is called in a table.
    fn column(self) -> &'static str {
        match self {
            Kind::Hosts => "host",
            Kind::Domains => "domain",
            Kind::Schemes => "scheme",
            Kind::Years => "year",
            Kind::Tiers => "tier",
            Kind::Forms => "form",
        }
    }

    /// The name that a URL is counted under; empty if it has none.
    fn name<'h>(self, hit: &'h HitRef<'_>) -> Cow<'h, [u8]> {
        let url = hit.url();
        let host = || url.host().map(|host| lower(host.as_bytes())).unwrap_or_default();
        match self {
            Kind::Hosts => host(),
            Kind::Domains => match url.registrable_domain() {
                Some(Cow::Borrowed(domain)) => domain.as_bytes().into(),
                Some(Cow::Owned(domain)) => domain.into_bytes().into(),
                None => host(),
            },
            Kind::Schemes => {
                url.known_scheme().map_or_else(|| lower(url.scheme().as_bytes()), |row| row.name.as_bytes().into())
            }
            Kind::Years => hit.origin().date().and_then(|date| date.get(..4)).unwrap_or_default().as_bytes().into(),
            Kind::Tiers => hit.tier().as_str().as_bytes().into(),
            Kind::Forms => hit.form().as_str().as_bytes().into(),
        }
    }
}

fn lower(name: &[u8]) -> Cow<'_, [u8]> {
    if name.iter().any(u8::is_ascii_uppercase) { name.to_ascii_lowercase().into() } else { name.into() }
}

type UrlAndName = (Box<[u8]>, Box<[u8]>);

/// What one worker has counted.
pub(crate) struct Bins {
    kind: Kind,
    counts: HashMap<Box<[u8]>, u64>,
    /// The URLs in their order, each with its name, if each counts once.
    urls: Option<Vec<UrlAndName>>,
    size: usize,
}

impl Bins {
    /// Nothing counted yet, of the same kind.
    pub(super) fn another(&self) -> Bins {
        Bins { counts: HashMap::new(), urls: self.urls.as_ref().map(|_| Vec::new()), size: 0, ..*self }
    }

    pub(super) fn hit(&mut self, hit: &HitRef<'_>) {
        let name = self.kind.name(hit);
        match &mut self.urls {
            Some(urls) => {
                let url = hit.url().as_bytes();
                self.size += url.len() + name.len() + 2 * size_of::<Box<[u8]>>();
                urls.push((url.into(), name.into()));
            }
            None if !add(&mut self.counts, &name, 1) => self.size += name.len() + size_of::<(Box<[u8]>, u64)>(),
            None => {}
        }
    }

    /// How many bytes it takes.
    pub(super) fn size(&self) -> usize {
        self.size
    }
}

/// Adds to the count of that name. Returns whether there was one before.
fn add(counts: &mut HashMap<Box<[u8]>, u64>, name: &[u8], more: u64) -> bool {
    if let Some(count) = counts.get_mut(name) {
        *count += more;
        return true;
    }
    counts.insert(name.into(), more);
    false
}

/// Prints the most frequent first; years in their order.
pub(crate) struct Histogram {
    pub(crate) kind: Kind,
    pub(crate) style: Style,
    /// Prints a table for programs instead of lines for people.
    pub(crate) table: Option<Separator>,
    /// The most names that are printed.
    pub(crate) most: Option<u64>,
    counts: HashMap<Box<[u8]>, u64>,
    /// The URLs that were counted, if each counts once.
    seen: Option<HashSet<Box<[u8]>>>,
}

/// Printed if there is no name. A table has an empty cell.
const NONE: &[u8] = b"(none)";

impl Histogram {
    /// With `unique`, a URL counts once, under the name that it has where it is first.
    pub(crate) fn new(kind: Kind, style: Style, table: Option<Separator>, unique: bool, most: Option<u64>) -> Self {
        Histogram { kind, style, table, most, counts: HashMap::new(), seen: unique.then(HashSet::new) }
    }

    /// Nothing counted yet.
    pub(super) fn bins(&self) -> Bins {
        Bins { kind: self.kind, counts: HashMap::new(), urls: self.seen.is_some().then(Vec::new), size: 0 }
    }

    /// Adds what was counted, and empties it.
    pub(super) fn take(&mut self, bins: &mut Bins) {
        for (name, count) in bins.counts.drain() {
            add(&mut self.counts, &name, count);
        }
        for (url, name) in bins.urls.iter_mut().flat_map(|urls| urls.drain(..)) {
            if self.seen.as_mut().is_none_or(|seen| seen.insert(url)) {
                add(&mut self.counts, &name, 1);
            }
        }
        bins.size = 0;
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut bins: Vec<_> = self.counts.iter().map(|(name, count)| (&**name, *count)).collect();
        match self.kind {
            Kind::Years => bins.sort_unstable(),
            _ => bins.sort_unstable_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b))),
        }
        bins.truncate(self.most.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX));
        let most = bins.iter().map(|(_, count)| *count).max().unwrap_or(1);
        let mut text = Vec::new();
        if let Some(separator) = self.table {
            text.extend_from_slice(b"count");
            text.push(separator.byte());
            text.extend_from_slice(self.kind.column().as_bytes());
            text.push(b'\n');
        }
        for (name, count) in &bins {
            if let Some(separator) = self.table {
                object::number(&mut text, *count);
                text.push(separator.byte());
                table::text(&mut text, separator, String::from_utf8_lossy(name).as_bytes());
            } else {
                if self.style == Style::Raw {
                    write!(text, "{count}\t")?;
                } else {
                    write!(text, "{count:>10}  {:<BAR$}  ", bar(*count, most))?;
                }
                self.style.text(&mut text, if name.is_empty() { NONE } else { name });
            }
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
