//! Finds the URLs of a plain text part that also occur in its HTML alternative.

use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::mail::{Kind, Region};
use crate::url::Url;

/// The URLs in the HTML alternatives of a message, each with the section path of its `multipart/alternative`. Only
/// hashes of the URLs are kept. The key of the hash is random, so that a sender cannot choose URLs that collide.
#[derive(Default)]
pub(super) struct Twins {
    hasher: RandomState,
    hashes: HashSet<u64, RandomState>,
    /// Whether the URLs are being collected.
    is_collecting: bool,
}

impl Twins {
    /// Returns an empty set, to which [`has`](Self::has) adds URLs.
    pub(super) fn collecting() -> Twins {
        Twins { is_collecting: true, ..Twins::default() }
    }

    /// Ends the collection.
    pub(super) fn collected(self) -> Twins {
        Twins { is_collecting: false, ..self }
    }

    /// Returns the section path of the `multipart/alternative` that contains `region`. Returns `None` if
    /// [`has`](Self::has) need not be called for the URLs in `region`.
    pub(super) fn container<'r>(&self, region: &'r Region<'_>) -> Option<&'r [u32]> {
        let is_compared = self.is_collecting || matches!(region.kind, Kind::Text);
        if is_compared { region.alternative.container(region.part) } else { None }
    }

    /// Whether an HTML part has a URL that is equivalent to `url` and has the same fragment. Checks only the HTML parts
    /// of the `multipart/alternative` at the section path `container`. While URLs are being collected, adds `url` and returns `true`.
    pub(super) fn has(&mut self, container: &[u32], url: &Url<'_>) -> bool {
        let hash = self.hasher.hash_one((container, url.normalized(), url.fragment()));
        if self.is_collecting {
            self.hashes.insert(hash);
        }
        self.hashes.contains(&hash)
    }
}
