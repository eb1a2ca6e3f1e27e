//! Which URLs of a message are the same in several of its alternatives.

use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::mail::{Alternative, Region};
use crate::url::Url;

/// The URLs of the alternatives of a message so far, by their hash: to mark the second sight of one. The hash is keyed at
/// random, so that who writes a message does not know which URLs have the same one; that they have is worth no more than
/// a mark, and so no stronger hash is paid for: SipHash took a fiftieth of what newsletters cost.
#[derive(Debug, Default)]
pub(super) struct Seen {
    hasher: RandomState,
    urls: HashSet<u64, RandomState>,
    /// Those of the part at hand.
    current: Vec<u64>,
    alternative: Alternative,
}

impl Seen {
    /// Another message begins.
    pub(super) fn clear(&mut self) {
        self.urls.clear();
        self.current.clear();
        self.alternative = Alternative::No;
    }

    /// A region begins.
    pub(super) fn part(&mut self, region: &Region<'_>) {
        if !self.current.is_empty() {
            self.urls.extend(self.current.drain(..));
        }
        self.alternative = region.alternative;
    }

    /// Remembers `url`, and says whether an earlier alternative had it.
    pub(super) fn dup(&mut self, url: &Url<'_>) -> bool {
        if self.alternative == Alternative::No {
            return false;
        }
        let hash = self.hasher.hash_one(url.as_bytes());
        self.current.push(hash);
        self.alternative == Alternative::Later && self.urls.contains(&hash)
    }
}
