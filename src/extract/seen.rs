//! Finds the URLs that several alternatives of a message share.

use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::mail::{Alternative, Region};
use crate::url::Url;

/// Hashes of the URLs in a message's alternatives so far, to mark repeated ones. The hash has a random key, so that a
/// sender cannot choose URLs that collide. A collision costs only a wrong mark, so no stronger hash is needed: SipHash
/// took 2 % of the time for newsletters.
#[derive(Debug, Default)]
pub(super) struct Seen {
    hasher: RandomState,
    urls: HashSet<u64, RandomState>,
    /// Hashes of the URLs in the current part.
    current: Vec<u64>,
    alternative: Alternative,
    /// The section path of the `multipart/alternative` that the current part is in.
    container: Vec<u32>,
}

impl Seen {
    /// Begins another message.
    pub(super) fn clear(&mut self) {
        self.urls.clear();
        self.current.clear();
        self.alternative = Alternative::No;
    }

    /// Begins a region.
    pub(super) fn part(&mut self, region: &Region<'_>) {
        if !self.current.is_empty() {
            self.urls.extend(self.current.drain(..));
        }
        self.alternative = region.alternative;
        self.container.clear();
        self.container.extend_from_slice(region.alternative.container(region.part).unwrap_or_default());
    }

    /// Adds `url`, and returns whether an earlier alternative had it.
    pub(super) fn dup(&mut self, url: &Url<'_>) -> bool {
        if self.alternative == Alternative::No {
            return false;
        }
        let hash = self.hasher.hash_one((&self.container, url.as_bytes()));
        self.current.push(hash);
        self.alternative.is_later() && self.urls.contains(&hash)
    }
}
