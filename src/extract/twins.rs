//! Finds the URLs of a plain text part that also occur in its HTML alternative.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::mail::{Kind, Region};
use crate::url::Url;

/// The URLs in the HTML alternatives of a message.
///
/// `collect` finds these URLs in a second search of the message. To save time, `collect` is called only if a plain text
/// alternative has a URL.
pub(super) struct Twins<'c> {
    collect: &'c dyn Fn(&mut HtmlUrls),
    found: OnceCell<HtmlUrls>,
}

/// A set of URLs, each with the section path of its `multipart/alternative`. Only hashes of the URLs are kept. The key
/// of the hash is random, so that a sender cannot choose URLs that collide.
#[derive(Default)]
pub(super) struct HtmlUrls {
    hasher: RandomState,
    hashes: HashSet<u64, RandomState>,
}

impl HtmlUrls {
    pub(super) fn add(&mut self, container: &[u32], url: &Url<'_>) {
        self.hashes.insert(self.hash(container, url));
    }

    /// Returns the hash of a URL. Equivalent URLs with the same fragment have the same hash.
    fn hash(&self, container: &[u32], url: &Url<'_>) -> u64 {
        self.hasher.hash_one((container, url.normalized(), url.fragment()))
    }
}

impl<'c> Twins<'c> {
    pub(super) fn new(collect: &'c dyn Fn(&mut HtmlUrls)) -> Twins<'c> {
        Twins { collect, found: OnceCell::new() }
    }

    /// Whether an HTML part has a URL that is equivalent to `url` and has the same fragment. Checks only the HTML parts
    /// of the `multipart/alternative` at the section path `container`.
    pub(super) fn has(&self, container: &[u32], url: &Url<'_>) -> bool {
        let urls = self.found.get_or_init(|| {
            let mut urls = HtmlUrls::default();
            (self.collect)(&mut urls);
            urls
        });
        urls.hashes.contains(&urls.hash(container, url))
    }
}

/// Returns the section path of the `multipart/alternative` that contains `region`. Returns `None` if `region` is not in
/// a plain text part, or not in a `multipart/alternative`.
pub(super) fn text_alternative<'r>(region: &'r Region<'_>) -> Option<&'r [u32]> {
    matches!(region.kind, Kind::Text).then(|| region.alternative.container(region.part))?
}
