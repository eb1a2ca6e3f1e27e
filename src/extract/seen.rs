//! Finds URLs that occur in more than one alternative of a `multipart/alternative`.

use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::mail::{Alternative, Region};
use crate::url::Url;

/// Remembers the URLs in the alternatives of a message, so that repeated URLs can be marked.
///
/// Only hashes of the URLs are kept. The key of the hash is random, so that a sender cannot choose URLs that collide. A
/// collision only causes a wrong mark, so a fast hash is enough: SipHash took 2 % of the time for newsletters.
#[derive(Debug, Default)]
pub(super) struct Seen {
    hasher: RandomState,
    urls: HashSet<u64, RandomState>,
    /// Hashes of the URLs in the current part. [`part`](Self::part) moves these hashes to `urls`.
    current: Vec<u64>,
    alternative: Alternative,
    /// Section path of the `multipart/alternative` that contains the current part.
    container: Vec<u32>,
}

impl Seen {
    /// Forgets the previous message.
    pub(super) fn clear(&mut self) {
        self.urls.clear();
        self.current.clear();
        self.alternative = Alternative::No;
    }

    /// Begins the region `region`, which may belong to another part.
    pub(super) fn part(&mut self, region: &Region<'_>) {
        if !self.current.is_empty() {
            self.urls.extend(self.current.drain(..));
        }
        self.alternative = region.alternative;
        self.container.clear();
        self.container.extend_from_slice(region.alternative.container(region.part).unwrap_or_default());
    }

    /// Adds `url`, and returns whether an earlier alternative has the same URL.
    pub(super) fn dup(&mut self, url: &Url<'_>) -> bool {
        if self.alternative == Alternative::No {
            return false;
        }
        let hash = self.hasher.hash_one((&self.container, url.as_bytes()));
        self.current.push(hash);
        self.alternative.is_later() && self.urls.contains(&hash)
    }
}
