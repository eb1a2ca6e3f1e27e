//! `--skip-common` leaves out the URLs that are in many messages of a list, such as those of its footer, and the field
//! `messages_with_url` counts these messages. The input is read twice: the first search counts the messages with each
//! URL.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::ControlFlow;
use std::time::Instant;

use urlspool::{Collect, Event, Hit, Sink};

use super::progress::Progress;
use crate::print::Found;
use crate::tally::Tally;

/// A URL in fewer messages is not common, whatever share of a small list they are.
const LEAST: u32 = 5;

/// For each list, and for each URL of a list, the number of messages. Lists and URLs are stored as hashes, whose keys are
/// random, so that a sender cannot choose two with the same hash. Messages without a List-Id count as one list.
#[derive(Default)]
pub(crate) struct Common {
    keys: RandomState,
    /// The value of `--skip-common`.
    percent: Option<f64>,
    counts: HashMap<u64, u32>,
}

impl Common {
    fn key(&self, list: Option<&[u8]>, url: &[u8]) -> u64 {
        self.keys.hash_one((list, url))
    }

    /// Returns `hit` with its `messages_with_url`, or `None` if `--skip-common` leaves it out.
    #[cold]
    pub(super) fn counted<'m>(&self, hit: &Hit<'m>) -> Option<Hit<'m>> {
        if hit.message().is_none() {
            return Some(hit.clone());
        }
        let count = |url| self.counts.get(&self.key(hit.list_id(), url)).copied().unwrap_or(0);
        let found = count(hit.url().as_bytes());
        let is_common = |percent| f64::from(found) * 100.0 >= percent * f64::from(count(b""));
        let is_skipped = found >= LEAST && self.percent.is_some_and(is_common);
        (!is_skipped).then(|| hit.with_messages(found))
    }
}

/// Receives the hits of the first search, and counts them.
pub(super) struct FirstSearch {
    common: Common,
    tally: Tally,
    progress: Progress,
    begun: Instant,
}

impl FirstSearch {
    pub(super) fn new(percent: Option<f64>, progress: Progress) -> FirstSearch {
        let common = Common { percent, ..Common::default() };
        FirstSearch { common, tally: Tally::default(), progress, begun: Instant::now() }
    }

    pub(super) fn finish(self) -> Common {
        self.progress.end();
        self.common
    }
}

/// The counts of one worker, and the URLs of the message that it reads.
pub(crate) struct Counts {
    /// For the progress line.
    tally: Tally,
    common: Common,
    /// With repeats. A set that has grown for one message would be slow to empty for each later one.
    urls: Vec<u64>,
}

impl Sink for Counts {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        self.tally.event(event);
        match event {
            Event::Hit(hit) => {
                self.tally.found(Found::Hit(hit));
                self.urls.push(self.common.key(hit.list_id(), hit.url().as_bytes()));
            }
            Event::Segment { segment, .. } if segment.is_message() && segment.outcome() == "read" => {
                self.urls.push(self.common.key(segment.list_id().as_deref(), b""));
                self.urls.sort_unstable();
                self.urls.dedup();
                for key in self.urls.drain(..) {
                    *self.common.counts.entry(key).or_default() += 1;
                }
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
        let common = Common { keys: self.common.keys.clone(), ..Common::default() };
        Counts { tally: Tally::default(), common, urls: Vec::new() }
    }

    fn collect(&mut self, part: &mut Counts) -> ControlFlow<()> {
        for (key, count) in part.common.counts.drain() {
            *self.common.counts.entry(key).or_default() += count;
        }
        self.tally.take(&mut part.tally);
        self.progress.show(&self.tally, self.begun.elapsed());
        ControlFlow::Continue(())
    }
}
