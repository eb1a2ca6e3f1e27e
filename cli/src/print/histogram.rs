//! How many URLs there are of each kind: `--histogram`.

use std::borrow::Cow;
use std::io::{self, Write};

use clap::ValueEnum;

use super::Style;
use crate::tally::{self, Tally, Wants};

/// What the URLs are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Their hosts, each of which is kept in memory: some 100 bytes
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

/// Prints the most frequent first; years in their order.
pub(crate) struct Histogram {
    pub(crate) kind: Kind,
    pub(crate) style: Style,
}

/// What stands for a name where there is none.
const NONE: &[u8] = b"(none)";

impl Histogram {
    pub(super) fn wants(&self) -> Wants {
        match self.kind {
            Kind::Hosts => Wants { hosts: true, ..Wants::default() },
            Kind::Schemes | Kind::Years => Wants { kinds: true, months: true, ..Wants::default() },
            Kind::Tiers | Kind::Forms => Wants { kinds: true, ..Wants::default() },
        }
    }

    fn bins<'t>(&self, tally: &'t Tally) -> Vec<(Cow<'t, [u8]>, u64)> {
        let by = |name: fn(&'t tally::Kind) -> Cow<'t, [u8]>| -> Vec<_> {
            tally.by(name).into_iter().map(|(name, (count, _))| (name, count)).collect()
        };
        match self.kind {
            Kind::Hosts => {
                let with_host: u64 = tally.hosts.values().map(|host| host.urls).sum();
                let without = Some(tally.hits - with_host).filter(|count| *count > 0);
                let bins = tally.hosts.iter().map(|(name, host)| (Cow::from(&**name), host.urls));
                bins.chain(without.map(|count| (NONE.into(), count))).collect()
            }
            Kind::Schemes => by(|kind| kind.scheme.as_bytes().into()),
            Kind::Years => {
                by(|kind| kind.month.map_or(NONE.into(), |month| format!("{:04}", month / 12).into_bytes().into()))
            }
            Kind::Tiers => by(|kind| kind.tier.as_str().as_bytes().into()),
            Kind::Forms => by(|kind| kind.form.as_str().as_bytes().into()),
        }
    }

    pub(super) fn write(&self, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
        let mut bins = self.bins(tally);
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
            self.style.text(&mut text, name);
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
