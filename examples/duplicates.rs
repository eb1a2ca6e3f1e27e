//! Lists the URLs that occur more than once in mail and news, the most frequent first. For each URL, prints the number
//! of occurrences, and the dates of the first and the last message with the URL.
//!
//!     cargo run --release --features parallel --example duplicates -- PATH...
//!
//! URLs count as equal if their normal forms are equal. If a message has a URL in its plain text and in its HTML, the
//! URL counts once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::{env, mem};

use urlspool::{Collect, Event, Extractor, Sink};

/// A worker adds its counts to the total when it has counted this number of different URLs. The limit keeps the counts
/// of a worker to about 100 KiB.
const FULL: usize = 1000;

fn main() -> io::Result<()> {
    let paths: Vec<_> = env::args_os().skip(1).collect();
    let counts =
        Extractor::new().set("count-lines", "false").expect("an option").paths(paths).parallel(Counts::default());
    let mut posted: Vec<_> = counts.0.into_iter().filter(|(_, posts)| posts.count > 1).collect();
    posted.sort_by(|(url, posts), (other, others)| others.count.cmp(&posts.count).then_with(|| url.cmp(other)));
    let mut out = BufWriter::new(io::stdout().lock());
    for (url, Posts { count, first, last }) in posted {
        let (first, last) = (first.as_deref().unwrap_or("-"), last.as_deref().unwrap_or("-"));
        writeln!(out, "{count}\t{first}\t{last}\t{url}")?;
    }
    out.flush()
}

/// The counts of all URLs. The keys are normal forms.
#[derive(Default)]
struct Counts(HashMap<String, Posts>);

struct Posts {
    count: u64,
    /// The date of the first message with the URL, in UTC and in the format of RFC 3339. Dates in this format sort by
    /// time. The value is `None` if no message with the URL has a date.
    first: Option<String>,
    last: Option<String>,
}

impl Posts {
    fn add(&mut self, other: Posts) {
        self.count += other.count;
        // The `min` of two options would prefer `None` to every date.
        self.first = self.first.take().into_iter().chain(other.first).min();
        self.last = self.last.take().max(other.last);
    }
}

impl Counts {
    fn add(&mut self, url: String, posts: Posts) {
        match self.0.entry(url) {
            Entry::Occupied(mut entry) => entry.get_mut().add(posts),
            Entry::Vacant(entry) => drop(entry.insert(posts)),
        }
    }
}

/// Each worker counts the URLs that it finds.
impl Sink for Counts {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) if !hit.repeat() => {
                let date = hit.date().map(str::to_owned);
                self.add(hit.url().normalized(), Posts { count: 1, first: date.clone(), last: date });
            }
            Event::Error(error) => eprintln!("{error}"), // The run continues.
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Adds up the counts of all workers.
impl Collect for Counts {
    type Local = Counts;

    fn new_local(&self) -> Counts {
        Counts::default()
    }

    fn is_full(local: &Counts) -> bool {
        local.0.len() >= FULL
    }

    fn collect(&mut self, local: &mut Counts) -> ControlFlow<()> {
        for (url, posts) in mem::take(&mut local.0) {
            self.add(url, posts);
        }
        ControlFlow::Continue(())
    }
}
