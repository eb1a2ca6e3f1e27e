//! The figures of the report, as JSON for the script of the page.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::{Value, json};
use urlspool::Form;

use crate::tally::{Host, Name, Place, Tally};

/// The longest table of hosts or files. It has those with the most URLs, rejects or diagnostics.
const ROWS: usize = 2000;
/// The number of schemes with their own colour in the chart of years.
const SERIES: usize = 6;

/// All figures.
pub(super) fn json(tally: &Tally, title: &str) -> Value {
    let schemes = most(tally.by(|kind| &*kind.scheme).into_iter().map(|(name, (count, _))| (name, count)));
    let mut files = Files::default();
    // A `file:` URL may have an empty host.
    let mut hosts: Vec<_> = tally.hosts.iter().filter(|(name, _)| !name.is_empty()).collect();
    hosts.sort_unstable_by(|(a, m), (b, n)| n.urls.cmp(&m.urls).then_with(|| a.cmp(b)));
    let urls_of = |hosts: &[(_, &Host)]| -> u64 { hosts.iter().map(|(_, host)| host.urls).sum() };
    let shown = &hosts[..hosts.len().min(ROWS)];
    let mut rows = Vec::new();
    for (name, host) in shown {
        let Some(details) = &host.details else { continue };
        let schemes = most(details.schemes.iter().map(|(name, count)| (&**name, *count)));
        let schemes: Vec<_> = schemes.into_iter().map(|(name, _)| name).collect();
        let places: Vec<_> = details.places.iter().map(|place| files.place(place)).collect();
        rows.push(json!([text(name), host.urls, schemes, details.years, places]));
    }
    let rejected: Vec<Value> = tally.rejected.iter().map(|(place, why)| json!([why, files.place(place)])).collect();
    let mut trouble: Vec<_> = tally.trouble.iter().collect();
    trouble.sort_by_key(|(_, (rejects, notes))| std::cmp::Reverse(rejects + notes));
    let troubled = trouble.len();
    let trouble: Vec<Value> = trouble
        .into_iter()
        .take(ROWS)
        .map(|(name, (rejects, notes))| json!([files.index(name), rejects, notes]))
        .collect();
    let pairs = |counts: &BTreeMap<&'static str, u64>| most(counts.iter().map(|(name, count)| (*name, *count)));
    let forms = tally.by(|kind| kind.form);
    let is_wrapper = |form| matches!(form, Form::Wrapped | Form::Angle);
    let mut wrappers = tally.by(|kind| (is_wrapper(kind.form), kind.year));
    wrappers.retain(|(is_wrapper, _), _| *is_wrapper);
    let tiers = tally.by(|kind| kind.tier);
    json!({
        "title": title,
        "version": env!("CARGO_PKG_VERSION"),
        "urls": tally.hits,
        "files": tally.files.values().sum::<u64>(),
        "messages": tally.messages(),
        "bytes": tally.bytes,
        "years": years(tally, &schemes),
        "schemes": schemes,
        "forms": forms.iter().map(|(form, (all, broken))| json!([form.as_str(), all, broken])).collect::<Vec<_>>(),
        "wrappers": wrappers.iter().map(|((_, year), (all, broken))| json!([year, all, broken])).collect::<Vec<_>>(),
        "tiers": tiers.iter().map(|(tier, (count, _))| json!([tier.as_str(), count])).collect::<Vec<_>>(),
        "hosts": {"count": hosts.len(), "urls": urls_of(&hosts), "shown": urls_of(shown), "rows": rows},
        "rejects": pairs(&tally.rejects),
        "rejected": rejected,
        "notes": pairs(&tally.notes),
        "trouble": {"count": troubled, "rows": trouble},
        "paths": files.paths,
    })
}

/// The linked files, each once: the name, and the path of its `file:` URL.
#[derive(Default)]
struct Files {
    numbers: HashMap<Name, usize>,
    paths: Vec<Value>,
}

impl Files {
    fn index(&mut self, name: &Name) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.numbers.insert(name.clone(), self.paths.len());
        let path = text(&name.path);
        let shown = name.member.as_ref().map_or(path.clone(), |member| format!("{path}!{}", text(member)));
        self.paths.push(json!([shown, link(&name.path)]));
        self.paths.len() - 1
    }

    fn place(&mut self, place: &Place) -> Value {
        json!([self.index(&place.file), place.message, place.line, text(&place.text)])
    }
}

/// The absolute path of a file, percent-encoded, if the file exists.
fn link(name: &[u8]) -> Option<String> {
    let path = std::fs::canonicalize(Path::new(std::str::from_utf8(name).ok()?)).ok()?;
    let escaped = path.as_os_str().as_encoded_bytes().iter().map(|&byte| match byte {
        _ if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    Some(escaped.collect())
}

/// Bytes as text for people.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Sorts by count, the greatest first, then by name.
fn most<'n>(counts: impl Iterator<Item = (&'n str, u64)>) -> Vec<(&'n str, u64)> {
    let mut counts: Vec<_> = counts.collect();
    counts.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    counts
}

/// The counts by year: a row for each of the most frequent schemes, and one for the others. Dates in the future come from
/// wrong clocks and spam. They are counted separately.
fn years(tally: &Tally, schemes: &[(&str, u64)]) -> Value {
    let counts = tally.by(|kind| (kind.year, &*kind.scheme));
    let now = usize::try_from(jiff::Zoned::now().year()).unwrap_or(usize::MAX);
    let all = || counts.iter().map(|((year, scheme), (count, _))| (year.map(usize::from), *scheme, *count));
    let dated = || all().filter_map(|(year, scheme, count)| Some((year.filter(|year| *year <= now)?, scheme, count)));
    let sum = |is_meant: &dyn Fn(Option<usize>) -> bool| -> u64 {
        all().filter(|(year, ..)| is_meant(*year)).map(|(.., count)| count).sum()
    };
    let (first, last) = (dated().map(|(year, ..)| year).min(), dated().map(|(year, ..)| year).max());
    let labels: Vec<usize> = first.zip(last).map_or(Vec::new(), |(first, last)| (first..=last).collect());
    let named = &schemes[..schemes.len().min(SERIES)];
    let mut series: Vec<(String, Vec<u64>)> =
        named.iter().map(|(name, _)| (name.to_string(), vec![0; labels.len()])).collect();
    series.push(("other".into(), vec![0; labels.len()]));
    for (year, scheme, count) in dated() {
        let row = named.iter().position(|(name, _)| *name == scheme).unwrap_or(named.len());
        series[row].1[year - labels[0]] += count;
    }
    series.retain(|(_, counts)| counts.iter().any(|count| *count > 0));
    let (undated, future) = (sum(&|year| year.is_none()), sum(&|year| year.is_some_and(|year| year > now)));
    json!({"labels": labels, "series": series, "undated": undated, "future": future})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::json;
    use crate::tally::Tally;

    /// With a wrong name, the script would show nothing, and report no error.
    #[test]
    fn the_script_reads_only_existing_fields() {
        let script = include_str!("page.js");
        let name = |rest: &'static str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        let read: BTreeSet<&str> = script.split("data.").skip(1).filter_map(name).collect();
        let data = json(&Tally::default(), "");
        let missing: Vec<_> = read.iter().filter(|name| data.get(name).is_none()).collect();
        assert!(read.len() > 10 && missing.is_empty(), "{missing:?} of {read:?}");
    }
}
