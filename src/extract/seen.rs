//! Finds URLs that occur in more than one alternative of a `multipart/alternative`.

use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::mail::{Alternative, Region};
use crate::url::Url;

/// Remembers the URLs in the alternatives of a message. A URL that also occurs in an earlier alternative is marked as a
/// repetition.
///
/// Only hashes of the URLs are kept. The key of the hash is random, so that a sender cannot choose URLs that collide.
/// If two hashes collide, a URL is wrongly marked as a repetition. This error is harmless, so a fast hash is enough.
/// With SipHash, hashing took 2 % of the run time for newsletters.
#[derive(Debug, Default)]
pub(super) struct Seen {
    hasher: RandomState,
    urls: HashSet<u64, RandomState>,
    /// Hashes of the URLs in the current alternative. At the end of the alternative, [`part`](Self::part) moves these
    /// hashes to `urls`.
    current: Vec<u64>,
    alternative: Alternative,
    /// Section path of the current alternative.
    path: Vec<u32>,
    /// The first `container` numbers of `path` are the section path of the `multipart/alternative` that contains it.
    container: usize,
}

impl Seen {
    /// Forgets the previous message.
    pub(super) fn clear(&mut self) {
        self.urls.clear();
        self.current.clear();
        self.path.clear();
        self.alternative = Alternative::No;
    }

    /// Begins a new region. Must be called before the URLs of `region` are added. An alternative can have several
    /// regions, such as its header fields and its text.
    pub(super) fn part(&mut self, region: &Region<'_>) {
        let path = region.part.path();
        self.alternative = region.alternative;
        self.container = region.alternative.container(region.part).map_or(0, <[u32]>::len);
        let path = &path[..path.len().min(self.container + 1)];
        if self.path != path {
            self.urls.extend(self.current.drain(..));
            self.path.clear();
            self.path.extend_from_slice(path);
        }
    }

    /// Adds `url`, and returns whether an earlier alternative has the same URL.
    pub(super) fn dup(&mut self, url: &Url<'_>) -> bool {
        if self.alternative == Alternative::No {
            return false;
        }
        let hash = self.hasher.hash_one((&self.path[..self.container], url.as_bytes()));
        self.current.push(hash);
        self.alternative.is_later() && self.urls.contains(&hash)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Extractor, Hit};

    /// The second message repeats a URL of the first message, but no URL of its own.
    #[test]
    fn a_repetition_is_in_the_same_message() {
        let message = |urls: [&str; 2]| {
            let [first, second] = urls;
            format!(
                "From a@b Mon Jan  1 00:00:00 2001\nContent-Type: multipart/alternative; boundary=b\n\n\
                 --b\n\n{first}\n--b\n\n{second}\n--b--\n\n"
            )
        };
        let (a, b) = ("http://a.example/", "http://b.example/");
        let mbox = [message([a, a]), message([b, a]), message([a, b])].concat();
        let hits = Extractor::new().read(mbox.as_bytes()).collect::<Result<Vec<Hit>, _>>().expect("memory");
        let repeated: Vec<bool> = hits.iter().map(Hit::repeat).collect();
        assert_eq!(repeated, [false, true, false, false, false, false]);
    }
}
