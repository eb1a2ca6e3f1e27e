//! Finds URLs that occur in more than one alternative of a `multipart/alternative`.

use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::mail::{Alternative, Region};
use crate::url::Url;

/// Remembers the URLs in the alternatives of a message. If a later alternative has the same URL, the URL is marked as a
/// repetition.
///
/// Only hashes of the URLs are kept. The key of the hash is random, so that a sender cannot choose URLs that collide.
/// If two hashes collide, a URL is wrongly marked as a repetition. This error is harmless, so a fast hash is enough.
/// With SipHash, hashing took 2 % of the run time for newsletters.
#[derive(Debug, Default)]
pub(super) struct Seen {
    hasher: RandomState,
    urls: HashSet<u64, RandomState>,
    /// Hashes of the URLs in the current region. [`part`](Self::part) moves these hashes to `urls`.
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

    /// Begins a new region, which may belong to another part than the previous region. Must be called before the URLs
    /// of `region` are added.
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
