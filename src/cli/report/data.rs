//! What the report tells: counted as it comes, by each worker for itself, and put together in the order of the input.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::{Value, json};
use urlspool::{File, Form, Hit, Note, Origin, Reject, Tier, Unit};

/// A host has links to so many of its places: the first.
const PLACES: usize = 5;
/// So many rejects are shown: the first.
const REJECTS: usize = 200;
/// The table has so many hosts and files: those with the most.
const ROWS: usize = 2000;
/// So many schemes have a colour of their own in the chart of years.
const SERIES: usize = 6;

/// A file's path, and of a file in an archive its name there.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Name {
    path: Box<[u8]>,
    member: Option<Box<[u8]>>,
}

impl Name {
    fn new(path: Option<&Path>, member: Option<&[u8]>) -> Name {
        let path = path.map_or(&b""[..], |path| path.as_os_str().as_encoded_bytes());
        Name { path: path.into(), member: member.map(Into::into) }
    }

    /// For a person's eyes.
    fn text(&self) -> String {
        let path = text(&self.path);
        self.member.as_ref().map_or(path.clone(), |member| format!("{path}!{}", text(member)))
    }
}

/// Where something stood.
struct Place {
    file: Name,
    message: Option<u64>,
    line: Option<u64>,
    text: Box<[u8]>,
}

impl Place {
    fn new(origin: &Origin<'_>, text: &[u8]) -> Place {
        let file = Name::new(origin.file(), origin.member());
        Place { file, message: origin.message(), line: origin.line(), text: text.into() }
    }
}

/// What is known of a host.
#[derive(Default)]
struct Host {
    urls: u64,
    schemes: BTreeMap<Box<[u8]>, u64>,
    years: Option<(u16, u16)>,
    places: Vec<Place>,
}

impl Host {
    fn take(&mut self, other: Host) {
        self.urls += other.urls;
        add(&mut self.schemes, other.schemes);
        self.years = match (self.years, other.years) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (mine, yours) => mine.or(yours),
        };
        let room = PLACES - self.places.len();
        self.places.extend(other.places.into_iter().take(room));
    }
}

/// All that is counted. Takes some 1 KiB for each host, and more where the URLs that are kept of it are long.
#[derive(Default)]
pub(super) struct Data {
    files: u64,
    messages: u64,
    octets: u64,
    /// By the year of the message, if it has a date, and by scheme.
    years: BTreeMap<(Option<u16>, Box<[u8]>), u64>,
    /// All, and those that were broken over lines.
    forms: BTreeMap<Form, (u64, u64)>,
    /// The same of those in brackets, by year.
    wrappers: BTreeMap<Option<u16>, (u64, u64)>,
    tiers: BTreeMap<Tier, u64>,
    hosts: HashMap<Box<[u8]>, Host>,
    rejects: BTreeMap<&'static str, u64>,
    rejected: Vec<(Place, &'static str)>,
    notes: BTreeMap<&'static str, u64>,
    /// Rejects and damage, by file.
    trouble: BTreeMap<Name, (u64, u64)>,
}

fn add<K: Ord>(to: &mut BTreeMap<K, u64>, from: BTreeMap<K, u64>) {
    for (key, count) in from {
        *to.entry(key).or_default() += count;
    }
}

fn add_pairs<K: Ord>(to: &mut BTreeMap<K, (u64, u64)>, from: BTreeMap<K, (u64, u64)>) {
    for (key, (a, b)) in from {
        let sum = to.entry(key).or_default();
        *sum = (sum.0 + a, sum.1 + b);
    }
}

impl Data {
    pub(super) fn hit(&mut self, hit: &Hit<'_>) {
        let (url, origin) = (hit.url(), hit.origin());
        let year = origin.date().and_then(|date| date.get(..4)?.parse().ok());
        let scheme: Box<[u8]> = url.scheme().to_ascii_lowercase().into();
        let broken = u64::from(hit.is_rejoined());
        let form = self.forms.entry(hit.form()).or_default();
        *form = (form.0 + 1, form.1 + broken);
        if matches!(hit.form(), Form::Wrapped | Form::Angle) {
            let wrappers = self.wrappers.entry(year).or_default();
            *wrappers = (wrappers.0 + 1, wrappers.1 + broken);
        }
        *self.tiers.entry(hit.tier()).or_default() += 1;
        if let Some(name) = url.host().filter(|name| !name.is_empty()) {
            let host = self.hosts.entry(name.to_ascii_lowercase().into()).or_default();
            host.urls += 1;
            *host.schemes.entry(scheme.clone()).or_default() += 1;
            host.years =
                year.map(|year| host.years.map_or((year, year), |(a, b)| (a.min(year), b.max(year)))).or(host.years);
            if host.places.len() < PLACES {
                host.places.push(Place::new(origin, url.as_bytes()));
            }
        }
        *self.years.entry((year, scheme)).or_default() += 1;
    }

    pub(super) fn reject(&mut self, reject: &Reject<'_>) {
        let (origin, why) = (reject.origin(), reject.why().as_str());
        *self.rejects.entry(why).or_default() += 1;
        self.trouble.entry(Name::new(origin.file(), origin.member())).or_default().0 += 1;
        if self.rejected.len() < REJECTS {
            self.rejected.push((Place::new(origin, reject.text()), why));
        }
    }

    pub(super) fn note(&mut self, file: Option<&File>, note: &Note) {
        *self.notes.entry(note.as_str()).or_default() += 1;
        let name = Name::new(file.map(File::name), file.and_then(File::member));
        self.trouble.entry(name).or_default().1 += 1;
    }

    pub(super) fn unit(&mut self, unit: &Unit) {
        self.messages += u64::from(unit.is_message());
        self.octets += unit.octets();
    }

    pub(super) fn end(&mut self) {
        self.files += 1;
    }

    /// Adds what was counted behind what is here.
    pub(super) fn take(&mut self, other: Data) {
        self.files += other.files;
        self.messages += other.messages;
        self.octets += other.octets;
        add(&mut self.years, other.years);
        add_pairs(&mut self.forms, other.forms);
        add_pairs(&mut self.wrappers, other.wrappers);
        add(&mut self.tiers, other.tiers);
        for (name, host) in other.hosts {
            self.hosts.entry(name).or_default().take(host);
        }
        add(&mut self.rejects, other.rejects);
        let room = REJECTS - self.rejected.len();
        self.rejected.extend(other.rejected.into_iter().take(room));
        add(&mut self.notes, other.notes);
        add_pairs(&mut self.trouble, other.trouble);
    }

    /// All of it, as the page's script reads it.
    pub(super) fn json(self, title: &str) -> Value {
        let urls: u64 = self.tiers.values().sum();
        let mut schemes = BTreeMap::new();
        for ((_, scheme), count) in &self.years {
            *schemes.entry(&**scheme).or_insert(0) += count;
        }
        let schemes = most(schemes.into_iter().map(|(name, count)| (name.into(), count)));
        let mut files = Files::default();
        let with_host: u64 = self.hosts.values().map(|host| host.urls).sum();
        let count = self.hosts.len();
        let mut hosts: Vec<_> = self.hosts.into_iter().collect();
        hosts.sort_unstable_by(|(a, m), (b, n)| n.urls.cmp(&m.urls).then_with(|| a.cmp(b)));
        let shown: u64 = hosts.iter().take(ROWS).map(|(_, host)| host.urls).sum();
        let rows: Vec<Value> = hosts
            .into_iter()
            .take(ROWS)
            .map(|(name, host)| {
                let schemes: Vec<_> = most(host.schemes).into_iter().map(|(name, _)| text(&name)).collect();
                let places: Vec<_> = host.places.iter().map(|place| files.place(place)).collect();
                json!([text(&name), host.urls, schemes, host.years, places])
            })
            .collect();
        let rejected: Vec<Value> = self.rejected.iter().map(|(place, why)| json!([why, files.place(place)])).collect();
        let mut trouble: Vec<_> = self.trouble.into_iter().collect();
        trouble.sort_by_key(|(_, (rejects, notes))| std::cmp::Reverse(rejects + notes));
        let troubled = trouble.len();
        let trouble: Vec<Value> = trouble
            .into_iter()
            .take(ROWS)
            .map(|(name, (rejects, notes))| json!([files.index(&name), rejects, notes]))
            .collect();
        let pairs = |counts: &BTreeMap<&'static str, u64>| {
            most(counts.iter().map(|(name, count)| (name.as_bytes().into(), *count)))
        };
        json!({
            "title": title,
            "version": env!("CARGO_PKG_VERSION"),
            "urls": urls,
            "files": self.files,
            "messages": self.messages,
            "octets": self.octets,
            "years": years(&self.years, &schemes),
            "schemes": named(&schemes),
            "forms": self.forms.iter().map(|(form, (all, broken))| json!([form.as_str(), all, broken])).collect::<Vec<_>>(),
            "wrappers": self.wrappers.iter().map(|(year, (all, broken))| json!([year, all, broken])).collect::<Vec<_>>(),
            "tiers": self.tiers.iter().map(|(tier, count)| json!([tier.as_str(), count])).collect::<Vec<_>>(),
            "hosts": {"count": count, "urls": with_host, "shown": shown, "rows": rows},
            "rejects": named(&pairs(&self.rejects)),
            "rejected": rejected,
            "notes": named(&pairs(&self.notes)),
            "trouble": {"count": troubled, "rows": trouble},
            "paths": files.paths,
        })
    }
}

/// The files that are linked to, each once: the name, and the path behind the host of a URL.
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
        self.paths.push(json!([name.text(), link(&name.path)]));
        self.paths.len() - 1
    }

    fn place(&mut self, place: &Place) -> Value {
        json!([self.index(&place.file), place.message, place.line, text(&place.text)])
    }
}

/// The absolute path of the file, with escapes, if it is there.
fn link(name: &[u8]) -> Option<String> {
    let path = std::fs::canonicalize(Path::new(std::str::from_utf8(name).ok()?)).ok()?;
    let escaped = path.as_os_str().as_encoded_bytes().iter().map(|&octet| match octet {
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(octet).to_string(),
        octet if octet.is_ascii_alphanumeric() => char::from(octet).to_string(),
        octet => format!("%{octet:02X}"),
    });
    Some(escaped.collect())
}

/// Octets for a person's eyes.
fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

fn named(counts: &[(Box<[u8]>, u64)]) -> Vec<Value> {
    counts.iter().map(|(name, count)| json!([text(name), count])).collect()
}

/// The most frequent first; of as many, in the order of their names.
fn most(counts: impl IntoIterator<Item = (Box<[u8]>, u64)>) -> Vec<(Box<[u8]>, u64)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    counts
}

/// A row of numbers over all years from the first to the last for each of the most frequent schemes, and one for the others.
/// Clocks go wrong, and spam is dated at will: later years than this one have no place in it, and a number of their own.
fn years(counts: &BTreeMap<(Option<u16>, Box<[u8]>), u64>, schemes: &[(Box<[u8]>, u64)]) -> Value {
    let now = usize::try_from(jiff::Zoned::now().year()).unwrap_or(usize::MAX);
    let all = || counts.iter().map(|((year, scheme), count)| (year.map(usize::from), scheme, *count));
    let dated = || all().filter_map(|(year, scheme, count)| Some((year.filter(|year| *year <= now)?, scheme, count)));
    let sum = |is_meant: &dyn Fn(Option<usize>) -> bool| -> u64 {
        all().filter(|(year, ..)| is_meant(*year)).map(|(.., count)| count).sum()
    };
    let (first, last) = (dated().map(|(year, ..)| year).min(), dated().map(|(year, ..)| year).max());
    let labels: Vec<usize> = first.zip(last).map_or(Vec::new(), |(first, last)| (first..=last).collect());
    let named = &schemes[..schemes.len().min(SERIES)];
    let mut series: Vec<(String, Vec<u64>)> =
        named.iter().map(|(name, _)| (text(name), vec![0; labels.len()])).collect();
    series.push(("other".into(), vec![0; labels.len()]));
    for (year, scheme, count) in dated() {
        let row = named.iter().position(|(name, _)| name == scheme).unwrap_or(named.len());
        series[row].1[year - labels[0]] += count;
    }
    series.retain(|(_, counts)| counts.iter().any(|count| *count > 0));
    let (undated, future) = (sum(&|year| year.is_none()), sum(&|year| year.is_some_and(|year| year > now)));
    json!({"labels": labels, "series": series, "undated": undated, "future": future})
}
