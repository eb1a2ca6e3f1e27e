//! Counts each message once: `--once`.
//!
//! Workers do not know what others met before them. So each puts what it finds in a message on a page of its own, and the
//! pages of messages that were met before are skipped when all are printed in the order of the input.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use urlspool::{Outcome, Segment};

use crate::print::Page;

/// What a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A message, by the hash of its Message-ID, or of its bytes if it has none.
    Message(u128),
    /// More of the message before it, which is over the size limit.
    Rest,
    /// Anything else. It always counts.
    Other,
}

/// Makes the hashes. Its keys are random, so that nobody can choose ids that collide.
#[derive(Clone)]
pub(super) struct Hasher([RandomState; 2]);

impl Hasher {
    fn hash(&self, is_id: bool, bytes: &[u8]) -> u128 {
        let [high, low] = &self.0;
        u128::from(high.hash_one((is_id, bytes))) << 64 | u128::from(low.hash_one((is_id, bytes)))
    }

    fn content(&self, segment: &Segment<'_>) -> Content {
        match segment.bytes() {
            _ if segment.outcome() != Outcome::Read => Content::Other,
            [] => Content::Other,
            _ if !segment.is_message() => Content::Rest,
            bytes => Content::Message(match segment.message_id() {
                Some(id) => self.hash(true, &id),
                None => self.hash(false, bytes),
            }),
        }
    }
}

/// The messages so far.
pub(super) struct Once {
    hasher: Hasher,
    met: HashSet<u128>,
    /// Whether the last message was met before.
    is_again: bool,
}

impl Once {
    pub(super) fn new() -> Once {
        Once { hasher: Hasher([RandomState::new(), RandomState::new()]), met: HashSet::new(), is_again: false }
    }

    pub(super) fn pages(&self) -> Pages {
        Pages { hasher: self.hasher.clone(), done: Vec::new(), spare: Vec::new(), size: 0 }
    }

    /// Whether this counts.
    pub(super) fn counts(&mut self, content: Content) -> bool {
        match content {
            Content::Message(hash) => self.is_again = !self.met.insert(hash),
            Content::Rest => {}
            Content::Other => return true,
        }
        !self.is_again
    }

    /// How many bytes of memory it takes. The table has a byte more for each hash.
    pub(super) fn memory(&self) -> usize {
        self.met.capacity() * (size_of::<u128>() + 1)
    }
}

/// The pages of one worker.
pub(super) struct Pages {
    hasher: Hasher,
    done: Vec<(Content, Page)>,
    /// Empty pages.
    spare: Vec<Page>,
    size: usize,
}

impl Pages {
    /// Puts `page` away at the end of a message, or after other text if there is no segment. An empty page replaces it.
    pub(super) fn put(&mut self, page: &mut Page, segment: Option<&Segment<'_>>) {
        let content = segment.map_or(Content::Other, |segment| self.hasher.content(segment));
        let empty = self.spare.pop().unwrap_or_else(|| page.another());
        self.size += page.size() + size_of::<Page>();
        self.done.push((content, std::mem::replace(page, empty)));
    }

    /// How many bytes of memory they take.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Gives each page to `print`, which empties it.
    pub(super) fn print<E>(&mut self, mut print: impl FnMut(Content, &mut Page) -> Result<(), E>) -> Result<(), E> {
        self.size = 0;
        self.done.drain(..).try_for_each(|(content, mut page)| {
            let end = print(content, &mut page);
            self.spare.push(page);
            end
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_counts() {
        let mut once = Once::new();
        let hash = |is_id, bytes: &[u8]| Content::Message(Once::new().hasher.hash(is_id, bytes));
        assert_ne!(hash(true, b"a"), hash(true, b"a"), "the keys are random");
        let hasher = once.hasher.clone();
        let message = |is_id, bytes: &[u8]| Content::Message(hasher.hash(is_id, bytes));
        let table = [
            (message(true, b"a"), true),
            (Content::Rest, true),
            (message(true, b"b"), true),
            (message(true, b"a"), false),
            (Content::Other, true),
            (Content::Rest, false),
            (message(false, b"a"), true),
            (message(false, b"a"), false),
        ];
        for (number, (content, want)) in table.into_iter().enumerate() {
            assert_eq!(once.counts(content), want, "{number}");
        }
        assert!((3 * 17..1000).contains(&once.memory()), "{}", once.memory());
    }
}
