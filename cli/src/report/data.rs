//! The data of the report, as JSON for the script in the page.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::{Value, json};
use urlspool::{DiagnosticKind, Form, ParseErrorKind, Tier};

use super::About;
use super::axis::{self, Axis};
use crate::tally::{Host, Name, Place, Sight, THIS_YEAR, Tally, now};

/// The maximum number of rows in the tables of hosts, senders, lists, files and members. The rows with the highest counts
/// are shown.
const ROWS: usize = 2000;
/// The maximum number of rows in the table of URLs.
const TOP: usize = 500;
/// The maximum number of URLs that the table of hosts lists for each host.
const OF_HOST: usize = 5;
/// How many schemes have a colour of their own in the chart of URLs by time.
const SERIES: usize = 6;

/// Returns how many occurrences of a URL count.
type Of = fn(&Sight) -> u64;

pub(super) fn json(tally: &Tally, about: &About) -> Value {
    let schemes = most(tally.by(|kind| &*kind.scheme).into_iter().map(|(name, (count, _))| (name, count)));
    let mut files = Files::default();
    let (all, own): (Of, Of) = (|sight| sight.count, |sight| sight.own);
    let urls = || tally.hosts.values().flat_map(|host| &host.urls);
    let [top, own_top] = [all, own].map(|of| files.urls(urls(), TOP, of));
    let [hosts, own_hosts] = [all, own].map(|of| hosts(tally, &mut files, of));
    let rejected = tally.rejected.iter().map(|reject| {
        let (file, message, line) = files.place(&reject.place);
        json!([text(&reject.text), reject.why, file, message, line])
    });
    let rejected: Vec<Value> = rejected.collect();
    let mut trouble: Vec<_> = tally.trouble.iter().collect();
    trouble.sort_by_key(|(_, (rejects, notes))| std::cmp::Reverse(rejects + notes));
    let troubled = trouble.len();
    let trouble = trouble.into_iter().take(ROWS);
    let trouble: Vec<_> = trouble.map(|(name, (rejects, notes))| json!([files.number(name), rejects, notes])).collect();
    let unread: Vec<_> = tally.unread.iter().map(|(name, why)| json!([files.number(name), why])).collect();
    let meant = |counts: &BTreeMap<&'static str, u64>, about: fn(&str) -> &'static str| -> Vec<_> {
        most(counts.iter().map(|(name, count)| (*name, *count)))
            .iter()
            .map(|row| json!([row.0, about(row.0), row.1]))
            .collect()
    };
    let forms = tally.by(|kind| kind.form).into_iter();
    let tiers = tally.by(|kind| kind.tier).into_iter().map(|(index, counts)| (Tier::ALL[index], counts));
    json!({
        "title": about.title,
        "inputs": about.inputs,
        "options": about.options,
        "made": now().get(..16).map(|now| now.replace('T', " ") + " UTC"),
        "version": env!("CARGO_PKG_VERSION"),
        "urls": tally.hits,
        "distinct": urls().count(),
        "files": tally.files.values().sum::<u64>(),
        "messages": tally.messages(),
        "bytes": tally.bytes,
        "time": time(tally, &schemes),
        "schemes": schemes,
        "forms": forms.map(|(form, (all, broken))| json!([form.as_str(), form.about(), all, broken])).collect::<Vec<_>>(),
        "tiers": tiers.map(|(tier, (count, _))| json!([tier.as_str(), tier.about(), count])).collect::<Vec<_>>(),
        "top": top,
        "own_top": own_top,
        "hosts": hosts,
        "own_hosts": own_hosts,
        "senders": names(&tally.senders),
        "lists": names(&tally.lists),
        "rejects": meant(&tally.rejects, |name| name.parse::<ParseErrorKind>().map_or("", ParseErrorKind::about)),
        "rejected": rejected,
        "notes": meant(&tally.notes, |name| name.parse::<DiagnosticKind>().map_or("", DiagnosticKind::about)),
        "trouble": {"count": troubled, "rows": trouble},
        "unsearched": most(tally.unsearched.iter().map(|(what, count)| (&**what, *count))),
        "unread": {"count": tally.not_read + tally.losses, "rows": unread},
        "paths": files.paths,
    })
}

/// Returns the table of the senders or lists.
fn names(counts: &BTreeMap<Box<str>, u64>) -> Value {
    let mut rows = most(counts.iter().map(|(name, count)| (&**name, *count)));
    rows.truncate(ROWS);
    json!({"count": counts.len(), "rows": rows})
}

/// Returns the table of hosts.
fn hosts(tally: &Tally, files: &mut Files, of: Of) -> Value {
    let urls = |host: &Host| host.urls.values().map(of).sum::<u64>();
    let hosts = tally.hosts.iter().filter(|(name, _)| !name.is_empty());
    let mut hosts: Vec<_> = hosts.map(|(name, host)| (name, urls(host), host)).filter(|row| row.1 > 0).collect();
    hosts.sort_unstable_by(|(a, m, _), (b, n, _)| n.cmp(m).then_with(|| a.cmp(b)));
    let urls_of = |hosts: &[(_, u64, _)]| -> u64 { hosts.iter().map(|(_, urls, _)| urls).sum() };
    let shown = &hosts[..hosts.len().min(ROWS)];
    let mut rows = Vec::new();
    for (name, urls, host) in shown {
        let (first, last) = host.months.map(|(first, last)| (axis::label(first), axis::label(last))).unzip();
        let distinct = host.urls.values().filter(|sight| of(sight) > 0).count();
        let top = files.urls(&host.urls, OF_HOST, of);
        rows.push(json!([text(name), urls, distinct, schemes_of(&host.urls, of), first, last, top]));
    }
    json!({"count": hosts.len(), "urls": urls_of(&hosts), "shown": urls_of(shown), "rows": rows})
}

/// The files that the report links to. Each file has one row in `paths`: its name, and the path for its `file:` URL.
/// All other data of the report refers to a file by the index of its row in `paths`.
#[derive(Default)]
struct Files {
    numbers: HashMap<Name, usize>,
    paths: Vec<Value>,
}

impl Files {
    fn number(&mut self, name: &Name) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.numbers.insert(name.clone(), self.paths.len());
        let path = text(&name.path);
        let shown = name.member.as_ref().map_or(path.clone(), |member| format!("{path}!{}", text(member)));
        self.paths.push(json!([shown, link(&name.path)]));
        self.paths.len() - 1
    }

    /// Returns the index of the file in `paths`, the number of the message, and the line.
    fn place(&mut self, place: &Place) -> (usize, Option<u64>, Option<u64>) {
        (self.number(&place.file), place.message.map(u64::from), place.line.map(u64::from))
    }

    /// Returns at most `count` URLs, sorted by descending frequency, then by text.
    fn urls<'t>(
        &mut self,
        urls: impl IntoIterator<Item = (&'t Box<[u8]>, &'t Sight)>,
        count: usize,
        of: Of,
    ) -> Vec<Value> {
        let urls = urls.into_iter().map(|(url, sight)| (&**url, sight));
        let mut urls: Vec<_> = urls.filter(|(_, sight)| of(sight) > 0).collect();
        let order = |(a, m): &(&[u8], &Sight), (b, n): &(&[u8], &Sight)| of(n).cmp(&of(m)).then_with(|| a.cmp(b));
        if urls.len() > count {
            urls.select_nth_unstable_by(count, order);
            urls.truncate(count);
        }
        urls.sort_unstable_by(order);
        let row = |(url, sight): (&[u8], &Sight)| {
            let (file, message, line) = self.place(&sight.place);
            // The page puts this date into links such as `https://web.archive.org/web/20040131120000/http://...`.
            let date = sight.place.timestamp.and_then(|seconds| urlspool::rfc3339(seconds.get()));
            let date = date.map(|date| date.replace(|c: char| !c.is_ascii_digit(), ""));
            json!([text(url), of(sight), file, message, line, date])
        };
        urls.into_iter().map(row).collect()
    }
}

/// Returns the absolute path of a file, percent-encoded. Returns `None` if the file does not exist, or if its name is
/// not UTF-8.
fn link(name: &[u8]) -> Option<String> {
    let path = std::fs::canonicalize(Path::new(std::str::from_utf8(name).ok()?)).ok()?;
    let escaped = path.as_os_str().as_encoded_bytes().iter().map(|&byte| match byte {
        _ if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    Some(escaped.collect())
}

/// Converts bytes to text. Control characters are kept, because the script in the page shows them as escapes.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Sorts by descending count, then by name.
fn most<'n>(counts: impl Iterator<Item = (&'n str, u64)>) -> Vec<(&'n str, u64)> {
    let mut counts: Vec<_> = counts.collect();
    counts.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    counts
}

/// Returns the schemes of these URLs, with the most frequent first.
fn schemes_of(urls: &HashMap<Box<[u8]>, Sight>, of: Of) -> Vec<String> {
    let mut counts = BTreeMap::<String, u64>::new();
    for (url, sight) in urls.iter().filter(|(_, sight)| of(sight) > 0) {
        let scheme = url.split(|byte| *byte == b':').next().unwrap_or_default();
        *counts.entry(text(scheme).to_ascii_lowercase()).or_default() += of(sight);
    }
    most(counts.iter().map(|(name, count)| (&**name, *count))).into_iter().map(|(name, _)| name.into()).collect()
}

/// Returns how many URLs each month or year has, in several series. Each of the most frequent schemes is a series, and
/// all other schemes together are one series. The field `wrappers` has two counts for each month or year: the URLs in
/// angle brackets, and the URLs in angle brackets that were broken over lines.
fn time(tally: &Tally, schemes: &[(&str, u64)]) -> Value {
    let months = tally.by(|kind| kind.month).into_iter().map(|(month, (count, _))| (month, count)).collect();
    let axis = Axis::new(&months, *THIS_YEAR);
    let labels = axis.labels();
    let named = &schemes[..schemes.len().min(SERIES)];
    let names = named.iter().map(|(name, _)| *name).chain(["other"]);
    let mut series: Vec<_> = names.map(|name| (name, vec![0; labels.len()])).collect();
    for ((month, scheme), (count, _)) in tally.by(|kind| (kind.month, &*kind.scheme)) {
        let row = named.iter().position(|(name, _)| *name == scheme).unwrap_or(named.len());
        axis.position(month).into_iter().for_each(|period| series[row].1[period] += count);
    }
    series.retain(|(_, counts)| counts.iter().any(|count| *count > 0));
    let mut wrappers = vec![(0, 0); labels.len()];
    let is_wrapper = |form| matches!(form, Form::Wrapped | Form::Angle);
    for ((_, month), (all, broken)) in tally.by(|kind| (is_wrapper(kind.form), kind.month)).range((true, None)..) {
        let period = axis.position(*month).map(|period| &mut wrappers[period]);
        period.into_iter().for_each(|sums| *sums = (sums.0 + all, sums.1 + broken));
    }
    let outside: Vec<_> = axis.outside.iter().collect();
    json!({
        "unit": axis.unit(), "labels": labels, "series": series, "wrappers": wrappers,
        "undated": axis.undated, "future": axis.future, "outside": outside,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{About, json};
    use crate::tally::Tally;

    /// If the script reads a field that does not exist, the page is empty and shows no error.
    #[test]
    fn the_script_reads_only_existing_fields() {
        let script = include_str!("page.js");
        let name = |rest: &'static str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        let read: BTreeSet<&str> = script.split("data.").skip(1).filter_map(name).collect();
        let data = json(&Tally::default(), &About::default());
        let missing: Vec<_> = read.iter().filter(|name| data.get(name).is_none()).collect();
        assert!(read.len() > 10 && missing.is_empty(), "{missing:?} of {read:?}");
    }
}
