//! Finds the URLs of a plain text part that the HTML alternative has too.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::mail::{Kind, Region};
use crate::url::Url;

/// The URLs in the HTML alternatives of a message. They are collected when the first URL of a text alternative is met,
/// because few messages have both.
pub(super) struct Twins<'c> {
    collect: &'c dyn Fn(&mut HtmlUrls),
    found: OnceCell<HtmlUrls>,
}

/// Hashes of URLs, each with the section path of its `multipart/alternative`. The hash has a random key, so that a
/// sender cannot choose URLs that collide.
#[derive(Default)]
pub(super) struct HtmlUrls {
    hasher: RandomState,
    hashes: HashSet<u64, RandomState>,
}

impl HtmlUrls {
    pub(super) fn add(&mut self, container: &[u32], url: &Url<'_>) {
        self.hashes.insert(self.hash(container, url));
    }

    /// Equivalent URLs have the same hash, unless their fragments differ.
    fn hash(&self, container: &[u32], url: &Url<'_>) -> u64 {
        self.hasher.hash_one((container, url.normalized(), url.fragment()))
    }
}

impl<'c> Twins<'c> {
    pub(super) fn new(collect: &'c dyn Fn(&mut HtmlUrls)) -> Twins<'c> {
        Twins { collect, found: OnceCell::new() }
    }

    /// Whether the HTML alternative of the part with this section path has an equivalent URL.
    pub(super) fn has(&self, container: &[u32], url: &Url<'_>) -> bool {
        let urls = self.found.get_or_init(|| {
            let mut urls = HtmlUrls::default();
            (self.collect)(&mut urls);
            urls
        });
        urls.hashes.contains(&urls.hash(container, url))
    }
}

/// Returns the section path of the `multipart/alternative` around a text part. `None` for other regions.
pub(super) fn text_alternative<'r>(region: &'r Region<'_>) -> Option<&'r [u32]> {
    matches!(region.kind, Kind::Text).then(|| region.alternative.container(region.part))?
}
