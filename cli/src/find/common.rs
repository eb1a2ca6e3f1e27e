//! `--skip-common` leaves out the URLs that are in many messages of a list, such as those of its footer, and the field
//! `messages_with_url` counts these messages. The input is read twice: the first search counts the messages with each
//! URL.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::ControlFlow;
use std::time::Instant;

use urlspool::fields::Field;
use urlspool::{Collect, Event, Hit, Sink};

use super::once::{Content, Hasher, Once};
use super::progress::Progress;
use crate::args::{Given, Wrong, values};
use crate::print::Found;
use crate::tally::Tally;

/// A URL in fewer messages is not common, whatever share of a small list they are.
const LEAST: u32 = 5;

/// The number of waiting hashes at which a worker passes them on.
const FULL: usize = 1 << 16;

/// For each list, and for each URL of a list, the number of messages. Lists and URLs are stored as hashes, whose keys are
/// random, so that a sender cannot choose two with the same hash. Messages without a List-Id count as one list.
#[derive(Default)]
pub(crate) struct Common {
    keys: RandomState,
    /// The value of `--skip-common`.
    percent: Option<f64>,
    /// Whether `messages_with_url` is printed.
    is_printed: bool,
    counts: HashMap<u64, u32>,
}

impl Common {
    fn count(&self, hit: &Hit<'_>, url: &[u8]) -> u32 {
        self.counts.get(&self.keys.hash_one((hit.list_id(), url))).copied().unwrap_or(0)
    }

    /// Returns whether `--skip-common` leaves the hit out.
    #[cold]
    pub(super) fn skips(&self, hit: &Hit<'_>) -> bool {
        let found = self.count(hit, hit.url().as_bytes());
        let is_common = |percent| f64::from(found) * 100.0 >= percent * f64::from(self.count(hit, b""));
        hit.message().is_some() && found >= LEAST && self.percent.is_some_and(is_common)
    }

    /// Returns `hit` with its `messages_with_url`, if that is printed.
    #[cold]
    pub(super) fn counted<'m>(&self, hit: &Hit<'m>) -> Option<Hit<'m>> {
        let count = || if hit.message().is_some() { self.count(hit, hit.url().as_bytes()) } else { 0 };
        self.is_printed.then(|| hit.with_messages(count()))
    }
}

/// Receives the hits of the first search, and counts them.
pub(super) struct FirstSearch {
    common: Common,
    /// With `--once`, copies of a message do not count.
    once: Option<Once>,
    tally: Tally,
    progress: Progress,
    begun: Instant,
}

impl FirstSearch {
    pub(super) fn new(given: &Given, progress: Progress) -> Result<FirstSearch, Wrong> {
        let percent = given.text("skip-common").and_then(|percent| values::percent(&percent));
        let is_printed = given.fields()?.iter().flatten().any(Field::needs_count);
        let common = Common { percent, is_printed, ..Common::default() };
        let once = given.has("once").then(Once::new);
        Ok(FirstSearch { common, once, tally: Tally::default(), progress, begun: Instant::now() })
    }

    pub(super) fn finish(self) -> Common {
        self.progress.end();
        self.common
    }
}

/// What one worker found.
pub(crate) struct Counts {
    /// For the progress line.
    tally: Tally,
    keys: RandomState,
    /// The list and the URLs of the current message, as hashes, with repeats. A set that has grown for one message would
    /// be slow to empty for each later one.
    urls: Vec<u64>,
    counts: HashMap<u64, u32>,
    /// With `--once`, only the first copy of a message counts, and an earlier part of the input can have it. So messages
    /// wait, each with the number of its hashes in `waiting`.
    hasher: Option<Hasher>,
    messages: Vec<(Content, usize)>,
    waiting: Vec<u64>,
}

impl Sink for Counts {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        self.tally.event(event);
        match event {
            Event::Hit(hit) => {
                self.tally.found(Found::Hit(hit));
                self.urls.push(self.keys.hash_one((hit.list_id(), hit.url().as_bytes())));
            }
            Event::Segment { segment, .. } if segment.is_message() && segment.outcome() == "read" => {
                self.urls.push(self.keys.hash_one((segment.list_id().as_deref(), &b""[..])));
                self.urls.sort_unstable();
                self.urls.dedup();
                if let Some(hasher) = &self.hasher {
                    self.messages.push((hasher.content(segment), self.urls.len()));
                    self.waiting.append(&mut self.urls);
                }
                add(&mut self.counts, self.urls.drain(..));
            }
            Event::Segment { .. } => self.urls.clear(),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Collect for FirstSearch {
    type Local = Counts;

    fn new_local(&self) -> Counts {
        let (keys, hasher) = (self.common.keys.clone(), self.once.as_ref().map(Once::hasher));
        let (urls, waiting) = (Vec::new(), Vec::new());
        Counts { tally: Tally::default(), keys, urls, counts: HashMap::new(), hasher, messages: Vec::new(), waiting }
    }

    fn is_full(part: &Counts) -> bool {
        part.messages.len() + part.waiting.len() >= FULL
    }

    fn collect(&mut self, part: &mut Counts) -> ControlFlow<()> {
        for (key, count) in part.counts.drain() {
            *self.common.counts.entry(key).or_default() += count;
        }
        let mut waiting = part.waiting.drain(..);
        for (content, length) in part.messages.drain(..) {
            let keys = waiting.by_ref().take(length);
            match self.once.as_mut().is_none_or(|once| once.counts(content)) {
                true => add(&mut self.common.counts, keys),
                false => keys.for_each(drop),
            }
        }
        drop(waiting);
        self.tally.take(&mut part.tally);
        self.progress.show(&self.tally, self.begun.elapsed());
        ControlFlow::Continue(())
    }
}

fn add(counts: &mut HashMap<u64, u32>, keys: impl Iterator<Item = u64>) {
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
}
