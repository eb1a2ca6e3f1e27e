//! `--histogram`: counts URLs by host, domain, scheme, year, tier or form.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use clap::ValueEnum;
use urlspool::HitRef;
use urlspool::fields::push_number;

use super::{Separator, Style, table};

/// The property that URLs are counted by: the value of `--histogram`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Hosts; needs about 100 bytes of memory per host
    Hosts,
    /// Registered domains, by the public suffix list; an IP address counts as a domain
    Domains,
    /// Schemes
    Schemes,
    /// Years of the messages
    Years,
    /// Tiers: the grammars that allow the URLs
    Tiers,
    /// Forms: how the text marks the URLs
    Forms,
}

impl Kind {
    /// Returns the header of the column with the names, such as `host`.
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

    /// Returns the name under which a URL is counted, such as its host. The name is empty if the URL has no host, or if
    /// its message has no year.
    fn name<'h>(self, hit: &'h HitRef<'_>) -> Cow<'h, [u8]> {
        let url = hit.url();
        let host = || url.host().map(|host| lower(host)).unwrap_or_default();
        match self {
            Kind::Hosts => host(),
            Kind::Domains => match url.registrable_domain() {
                Some(Cow::Borrowed(domain)) => domain.as_bytes().into(),
                Some(Cow::Owned(domain)) => domain.into_bytes().into(),
                None => host(),
            },
            Kind::Schemes => url.known_scheme().map_or_else(|| lower(url.scheme()), |known| known.as_bytes().into()),
            Kind::Years => hit.origin().date().and_then(|date| date.get(..4)).unwrap_or_default().as_bytes().into(),
            Kind::Tiers => hit.tier().as_str().as_bytes().into(),
            Kind::Forms => hit.form().as_str().as_bytes().into(),
        }
    }
}

fn lower(name: &str) -> Cow<'_, [u8]> {
    let is_lower = name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lower { name.as_bytes().into() } else { name.to_lowercase().into_bytes().into() }
}

type UrlAndName = (Box<[u8]>, Box<[u8]>);

/// The counts of one worker thread.
pub(crate) struct Bins {
    kind: Kind,
    counts: HashMap<Box<[u8]>, u64>,
    /// The URLs in the order of the input, each with the name under which it is counted. Used only with `-u`:
    /// [`Histogram::take`] then counts these URLs.
    urls: Option<Vec<UrlAndName>>,
    size: usize,
}

impl Bins {
    /// Returns empty counts of the same kind.
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

    /// Returns the memory use of the counts in bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }
}

/// Adds `more` to the count of `name`. Returns whether `name` already had a count.
fn add(counts: &mut HashMap<Box<[u8]>, u64>, name: &[u8], more: u64) -> bool {
    if let Some(count) = counts.get_mut(name) {
        *count += more;
        return true;
    }
    counts.insert(name.into(), more);
    false
}

/// The counts of a run. Years are printed in ascending order, and all other names by descending count.
pub(crate) struct Histogram {
    pub(crate) kind: Kind,
    pub(crate) style: Style,
    /// The separator of the table. Used only with `--csv` or `--tsv`.
    pub(crate) table: Option<Separator>,
    /// The maximum number of names to print.
    pub(crate) most: Option<u64>,
    counts: HashMap<Box<[u8]>, u64>,
    /// The URLs that are already counted. Used only with `-u`.
    seen: Option<HashSet<Box<[u8]>>>,
}

/// Printed in place of an empty name, such as the host of a `mailto` URL. With `--csv` or `--tsv`, the cell is empty
/// instead.
const NONE: &[u8] = b"(none)";

impl Histogram {
    /// Creates an empty histogram. If `unique` is true, only the first occurrence of each URL is counted.
    pub(crate) fn new(kind: Kind, style: Style, table: Option<Separator>, unique: bool, most: Option<u64>) -> Self {
        Histogram { kind, style, table, most, counts: HashMap::new(), seen: unique.then(HashSet::new) }
    }

    /// Returns empty counts for a worker thread.
    pub(super) fn bins(&self) -> Bins {
        Bins { kind: self.kind, counts: HashMap::new(), urls: self.seen.is_some().then(Vec::new), size: 0 }
    }

    /// Adds the counts of a worker thread, and clears `bins`.
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
                push_number(&mut text, *count);
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

/// The length of the longest bar, in columns of the terminal.
const BAR: usize = 30;

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
