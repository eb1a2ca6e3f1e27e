//! Counts for `-l`, `--stats`, `report`, the progress line and the warnings at the end. Each
//! worker thread has its own counts. They are added to the counts of the run in the order of the input.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::num::{NonZeroI64, NonZeroU64};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::UNIX_EPOCH;

use urlspool::fields::Value;
use urlspool::{Diagnostic, Error, Event, Form, Hit, Input, Location, Reject, Segment, SkipReason};

use crate::escaped::Escaped;
use crate::find::with_hint::ErrorWithHint;
use crate::print::Found;

/// The maximum number of rejects that the report lists.
pub(crate) const REJECTS: usize = 200;
/// The maximum number of hidden files and directories that [`Tally::hidden`] lists.
const HIDDEN: usize = 50;
/// The maximum number of unread files that the report lists.
pub(crate) const UNREAD: usize = 1000;

/// The current year, in UTC. Dates after this year come from wrong clocks and from spam.
pub(crate) static THIS_YEAR: LazyLock<u32> =
    LazyLock::new(|| now().get(..4).and_then(|year| year.parse().ok()).unwrap_or(u32::MAX));

/// Returns the current time as in RFC 3339. The text is empty if the clock is before 1970 or after 9999.
pub(crate) fn now() -> String {
    let seconds = UNIX_EPOCH.elapsed().ok().and_then(|elapsed| i64::try_from(elapsed.as_secs()).ok());
    seconds.and_then(urlspool::rfc3339).unwrap_or_default()
}

/// Which counts the output needs, in addition to the totals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wants {
    /// Counts the MIME parts. Also counts the URLs by form and tier, the rejects by reason, and the diagnostics by
    /// kind.
    pub(crate) kinds: bool,
    /// Also counts URLs by scheme and month. Stores every distinct URL by its host, with the place of its first
    /// occurrence. Also stores the names of files that could not be read. Needs `kinds`. Needs about 500 bytes of
    /// memory per URL.
    pub(crate) report: bool,
    /// Counts the URLs of each file. With `--rejects`, counts the rejects of each file instead. When a file has been
    /// read, its count stays in [`Tally::ended`] until the printer prints the count.
    pub(crate) files: bool,
}

/// The counts. A count that [`Wants`] does not select stays empty.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) wants: Wants,
    pub(crate) hits: u64,
    /// The number of rejects that `--rejects` prints.
    pub(crate) refused: u64,
    /// The number of bytes that were read. In compressed files, decompressed bytes are counted.
    pub(crate) bytes: u64,
    /// Whether any input was compressed, in an archive, converted from an Outlook format, or in a git object. The
    /// progress line cannot show the total size of such input.
    pub(crate) is_expanded: bool,
    /// The number of messages that were searched.
    pub(crate) read: u64,
    /// The number of messages that options such as `--since` exclude.
    pub(crate) not_chosen: u64,
    /// The number of messages that `--since` or `--until` skips because they have no valid date.
    pub(crate) undated: u64,
    /// The number of repeated messages that `--once` skips.
    pub(crate) repeated: u64,
    /// The memory use of `--once` in bytes.
    pub(crate) once: Option<usize>,
    /// For each reason, the number of files and archive members that were skipped, and the path of the first of them.
    pub(crate) skipped: BTreeMap<&'static str, (u64, PathBuf)>,
    /// The number of attachments that were not searched, by what they are.
    pub(crate) unsearched: BTreeMap<String, u64>,
    /// The first hidden files and directories that were skipped.
    pub(crate) hidden: Vec<PathBuf>,
    /// Whether any message or text matched the options that select by a field. A message without a date can match, too.
    pub(crate) is_met: bool,
    /// Whether plain text that is not in a message was skipped.
    pub(crate) has_text: bool,
    /// How many files were read, by format and compression.
    pub(crate) files: BTreeMap<(&'static str, Option<&'static str>), u64>,
    /// The number of files that could not be read.
    pub(crate) not_read: u64,
    /// The number of diagnostics about lost input.
    pub(crate) losses: u64,

    pub(crate) parts: u64,
    /// The number of the current MIME part, such as 1.2.
    pub(crate) part: Option<Vec<u32>>,
    pub(crate) urls: BTreeMap<Kind, u64>,
    pub(crate) rejects: BTreeMap<&'static str, u64>,
    /// The number of rejects in HTML attributes.
    pub(crate) refused_links: u64,
    pub(crate) notes: BTreeMap<&'static str, u64>,

    /// The hosts in lower case, each with its URLs. URLs without a host are stored under the empty host name.
    pub(crate) hosts: HashMap<Box<[u8]>, Host>,
    /// The number of URLs in the messages of each sender, and of each mailing list.
    pub(crate) senders: BTreeMap<Box<str>, u64>,
    pub(crate) lists: BTreeMap<Box<str>, u64>,

    pub(crate) rejected: Vec<Rejected>,
    /// For each file, the number of its rejects and the number of its diagnostics.
    pub(crate) trouble: BTreeMap<Name, (u64, u64)>,
    /// The files that could not be read completely, each with the reason.
    pub(crate) unread: Vec<(Name, String)>,
    /// The file of the last [`Place`]. The next place in the same file shares this name.
    pub(crate) file: Option<Arc<Name>>,

    /// The files that were read to the end, each with its number of URLs or rejects.
    pub(crate) ended: Vec<(Name, u64)>,
    /// The number of URLs or rejects in the current file.
    pub(crate) open: u64,
}

/// The properties by which URLs are counted.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) form: Form,
    /// The index of the tier in [`Tier::ALL`].
    pub(crate) tier: usize,
    pub(crate) is_rejoined: bool,
    /// The scheme in lower case.
    pub(crate) scheme: Cow<'static, str>,
    /// The month of the message, if it has a date: the year times 12, plus 0 to 11.
    pub(crate) month: Option<u32>,
}

/// What the report says about a host.
#[derive(Default)]
pub(crate) struct Host {
    /// The months of the first and the last message with a URL of the host. Messages with a date after the current year
    /// are ignored.
    pub(crate) months: Option<(u32, u32)>,
    /// The distinct URLs of the host.
    pub(crate) urls: HashMap<Box<[u8]>, Sight>,
}

/// The number of occurrences of a URL, and the place of the first occurrence.
pub(crate) struct Sight {
    pub(crate) count: u64,
    /// The number of occurrences that are neither pictures nor in a footer.
    pub(crate) own: u64,
    pub(crate) place: Place,
}

/// The path of a file and, for a member of an archive, the name of the member.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name {
    pub(crate) path: Box<[u8]>,
    pub(crate) member: Option<Box<[u8]>>,
}

/// The place of a URL or a reject. The struct is small, because the report keeps one for each URL.
pub(crate) struct Place {
    pub(crate) file: Arc<Name>,
    pub(crate) message: Option<NonZeroU64>,
    pub(crate) line: Option<NonZeroU64>,
    /// The date of the message, in seconds since 1970.
    pub(crate) timestamp: Option<NonZeroI64>,
}

/// A text that looks like a URL but is invalid.
pub(crate) struct Rejected {
    pub(crate) text: Box<[u8]>,
    pub(crate) why: &'static str,
    pub(crate) place: Place,
}

impl Tally {
    pub(crate) fn new(wants: Wants) -> Tally {
        Tally { wants, ..Tally::default() }
    }

    #[inline(always)]
    pub(crate) fn found(&mut self, found: Found<'_>) {
        match found {
            // Another possible URL of a hit. The hit is already counted.
            Found::Reading(..) => {}
            Found::Reject(_) => {
                self.open += 1;
                self.refused += 1;
            }
            Found::Hit(hit) => {
                self.open += 1;
                self.hits += 1;
                if self.wants.kinds {
                    self.hit(hit);
                }
            }
        }
    }

    pub(crate) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Part(part) => self.part(part),
            Event::Reject(reject) if self.wants.kinds => self.reject(reject),
            Event::Diagnostic { file, diagnostic } => {
                let path = file.map_or(Path::new(""), Input::name);
                self.count(diagnostic, || Name::new(path, file.and_then(Input::member)));
            }
            Event::Segment { file, segment } => self.segment(file, segment),
            Event::Error(error) => self.problem(error),
            Event::Skipped { path, why } => self.skipped(path, why),
            Event::End(file) => self.end(file),
            Event::Unsearched { facts, .. } => *self.unsearched.entry(fact(facts, "what")).or_default() += 1,
            _ => {}
        }
    }

    fn hit(&mut self, hit: &Hit<'_>) {
        let url = hit.url();
        let (mut scheme, mut month) = (Cow::Borrowed(""), None);
        if self.wants.report {
            scheme = url.known_scheme().map_or_else(|| url.scheme().to_ascii_lowercase().into(), Cow::from);
            month = hit.date().and_then(month_of);
            let name = url.host().unwrap_or_default().to_lowercase();
            let host = self.hosts.entry(name.into_bytes().into()).or_default();
            let known = month.filter(|month| month / 12 <= *THIS_YEAR);
            host.months = span(host.months, known.map(|month| (month, month)));
            let is_picture =
                hit.element().is_some_and(|element| element == "img") || hit.attribute() == Some("background");
            let own = u64::from(!is_picture && hit.zone() != Some("footer"));
            match host.urls.get_mut(url.as_bytes()) {
                Some(sight) => (sight.count, sight.own) = (sight.count + 1, sight.own + own),
                None => {
                    let place = Place::new(hit, &mut self.file);
                    host.urls.insert(url.as_bytes().into(), Sight { count: 1, own, place });
                }
            }
            let list = hit.list_id().map(String::from_utf8_lossy);
            let names = [(&mut self.senders, hit.from().map(Cow::from)), (&mut self.lists, list)];
            for (counts, name) in names {
                if let Some(name) = name {
                    *counts.entry(name.into()).or_default() += 1;
                }
            }
        }
        let kind = Kind { form: hit.form(), tier: url.tier() as usize, is_rejoined: hit.rejoined(), scheme, month };
        *self.urls.entry(kind).or_default() += 1;
    }

    fn reject(&mut self, reject: &Reject<'_>) {
        let why = reject.reason().kind().as_str();
        *self.rejects.entry(why).or_default() += 1;
        self.refused_links += u64::from(reject.form() == Form::Href);
        if self.wants.report {
            self.trouble.entry(Name::new(reject.file(), reject.member())).or_default().0 += 1;
            if self.rejected.len() < REJECTS {
                let place = Place::new(reject, &mut self.file);
                self.rejected.push(Rejected { text: reject.text().into(), why, place });
            }
        }
    }

    fn problem(&mut self, error: &Error) {
        if self.wants.report && self.unread.len() < UNREAD {
            let name = Name::new(error.path(), None);
            let why = ErrorWithHint(error).to_string();
            let path = error.path().to_string_lossy();
            let why = why.strip_prefix(&format!("{}: ", Escaped(path.as_bytes()))).unwrap_or(&why);
            self.unread.push((name, why.to_owned()));
        }
        let Some(diagnostic) = error.diagnostic() else { return self.not_read += error.count() };
        self.losses += 1;
        self.count(&diagnostic, || Name::new(error.path(), None));
    }

    fn count(&mut self, diagnostic: &Diagnostic, name: impl FnOnce() -> Name) {
        if self.wants.kinds {
            *self.notes.entry(diagnostic.kind().as_str()).or_default() += 1;
        }
        if self.wants.report {
            self.trouble.entry(name()).or_default().1 += 1;
        }
    }

    /// Counts a MIME part. The library can report the same part several times, but each part is counted once.
    pub(crate) fn part(&mut self, part: &[u32]) {
        if self.wants.kinds && self.part.as_deref() != Some(part) {
            self.parts += 1;
            self.part = Some(part.to_vec());
        }
    }

    pub(crate) fn segment(&mut self, file: Option<&Input>, segment: &Segment<'_>) {
        if self.wants.kinds {
            self.part = None;
        }
        self.bytes += segment.length();
        self.is_expanded |= file.is_some_and(|file| {
            let is_converted = matches!(file.format(), "msg" | "pst" | "smime");
            file.codec().is_some() || file.member().is_some() || is_converted || file.is_git_object()
        });
        let (messages, is_skipped) = match segment.outcome() {
            "not-chosen" => (&mut self.not_chosen, true),
            "undated" => (&mut self.undated, true),
            _ => (&mut self.read, false),
        };
        *messages += u64::from(segment.is_message());
        self.is_met |= matches!(segment.outcome(), "read" | "undated");
        self.has_text |= is_skipped && !segment.is_message() && segment.length() > 0;
    }

    fn skipped(&mut self, path: &Path, why: SkipReason) {
        self.skipped.entry(why.as_str()).or_insert_with(|| (0, path.into())).0 += 1;
        if why == SkipReason::Hidden && self.hidden.len() < HIDDEN {
            self.hidden.push(path.into());
        }
    }

    fn end(&mut self, file: &Input) {
        *self.files.entry((file.format(), file.codec())).or_default() += 1;
        // An archive itself gets no count, because each of its members has one.
        if self.wants.files && file.format() != "archive" {
            self.ended.push((Name::new(file.name(), file.member()), std::mem::take(&mut self.open)));
        }
    }

    /// Adds the counts of `other`, which covers a later part of the input. Clears `other`.
    pub(crate) fn take(&mut self, other: &mut Tally) {
        let part = other.part.take();
        let mut other = std::mem::replace(other, Tally { wants: other.wants, part, ..Tally::default() });
        self.hits += other.hits;
        self.refused += other.refused;
        self.bytes += other.bytes;
        self.is_expanded |= other.is_expanded;
        self.read += other.read;
        self.not_chosen += other.not_chosen;
        self.undated += other.undated;
        self.repeated += other.repeated;
        for (why, (count, first)) in other.skipped {
            self.skipped.entry(why).or_insert((0, first)).0 += count;
        }
        add(&mut self.unsearched, other.unsearched);
        append(&mut self.hidden, other.hidden, HIDDEN);
        self.is_met |= other.is_met;
        self.has_text |= other.has_text;
        add(&mut self.files, other.files);
        self.not_read += other.not_read;
        self.losses += other.losses;
        self.parts += other.parts;
        add(&mut self.urls, other.urls);
        add(&mut self.rejects, other.rejects);
        self.refused_links += other.refused_links;
        add(&mut self.notes, other.notes);
        for (name, host) in other.hosts {
            let sum = self.hosts.entry(name).or_default();
            sum.months = span(sum.months, host.months);
            for (url, sight) in host.urls {
                let first = sum.urls.entry(url).or_insert(Sight { count: 0, own: 0, ..sight });
                (first.count, first.own) = (first.count + sight.count, first.own + sight.own);
            }
        }
        add(&mut self.senders, other.senders);
        add(&mut self.lists, other.lists);
        append(&mut self.rejected, other.rejected, REJECTS);
        append(&mut self.unread, other.unread, UNREAD);
        for (name, (rejects, notes)) in other.trouble {
            let sum = self.trouble.entry(name).or_default();
            *sum = (sum.0 + rejects, sum.1 + notes);
        }
        match other.ended.first_mut() {
            // The first file in `other.ended` may have begun in the input of `self`. In this case, `self.open` is the
            // number of URLs in that first part of the file.
            Some((_, count)) => *count += std::mem::replace(&mut self.open, other.open),
            None => self.open += other.open,
        }
        self.ended.append(&mut other.ended);
    }

    /// Adds the bytes of a repeated message, but not its URLs. `other` has the counts of this message, and is cleared.
    pub(crate) fn take_repeated(&mut self, other: &mut Tally) {
        self.bytes += other.bytes;
        self.is_expanded |= other.is_expanded;
        self.repeated += other.read;
        self.is_met |= other.is_met;
        *other = Tally::new(other.wants);
    }

    /// Returns the number of all messages, searched or not.
    pub(crate) fn messages(&self) -> u64 {
        self.read + self.not_chosen + self.undated + self.repeated
    }

    /// Returns two numbers for each value of `key`: the number of all URLs, and the number of URLs that were broken
    /// over lines.
    pub(crate) fn by<'t, K: Ord>(&'t self, key: impl Fn(&'t Kind) -> K) -> BTreeMap<K, (u64, u64)> {
        let mut sums = BTreeMap::new();
        for (kind, count) in &self.urls {
            let (all, rejoined) = sums.entry(key(kind)).or_default();
            *all += count;
            *rejoined += if kind.is_rejoined { *count } else { 0 };
        }
        sums
    }
}

impl Name {
    fn new(path: &Path, member: Option<&[u8]>) -> Name {
        Name { path: path.as_os_str().as_encoded_bytes().into(), member: member.map(Into::into) }
    }
}

impl Place {
    /// Creates a place. `last` is the name of the file of the previous place. If this place is in the same file, both
    /// places share one copy of the name.
    fn new(origin: &Location<'_>, last: &mut Option<Arc<Name>>) -> Place {
        let path = origin.file().as_os_str().as_encoded_bytes();
        let is_same = |name: &&Arc<Name>| *name.path == *path && name.member.as_deref() == origin.member();
        let file = match last.as_ref().filter(is_same) {
            Some(file) => file.clone(),
            None => last.insert(Arc::new(Name::new(origin.file(), origin.member()))).clone(),
        };
        Place {
            file,
            message: origin.message().and_then(NonZeroU64::new),
            line: NonZeroU64::new(origin.line()),
            timestamp: origin.timestamp().and_then(NonZeroI64::new),
        }
    }
}

/// Adds the counts in `from` to those in `to`.
pub(crate) fn add<K: Ord>(to: &mut BTreeMap<K, u64>, from: BTreeMap<K, u64>) {
    for (key, count) in from {
        let sum = to.entry(key).or_default();
        *sum = sum.saturating_add(count);
    }
}

/// Appends elements of `from` until `to` has `most` elements.
fn append<T>(to: &mut Vec<T>, from: Vec<T>, most: usize) {
    let free = most - to.len();
    to.extend(from.into_iter().take(free));
}

/// Returns the month of a date in the format of RFC 3339: the year times 12, plus 0 to 11.
fn month_of(date: &str) -> Option<u32> {
    let (year, month): (u32, u32) = (date.get(..4)?.parse().ok()?, date.get(5..7)?.parse().ok()?);
    Some(year * 12 + month.checked_sub(1)?)
}

fn span(one: Option<(u32, u32)>, other: Option<(u32, u32)>) -> Option<(u32, u32)> {
    match (one, other) {
        (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
        (one, other) => one.or(other),
    }
}

/// Returns the fact `name` about an attachment that was not searched. Empty if there is no such fact.
pub(crate) fn fact(facts: &[(&str, Value<'_>)], name: &str) -> String {
    let mut text = Vec::new();
    if let Some((_, value)) = facts.iter().find(|(known, _)| *known == name) {
        value.push_text(&mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}
