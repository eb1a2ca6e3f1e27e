//! `--once`: skips each message whose Message-ID was found before. Messages without a valid Message-ID are compared by
//! their bytes.
//!
//! Worker threads search different parts of the input at the same time. So a worker cannot know whether a message also
//! occurs in an earlier part. Each worker stores the output of each message in a separate [`Page`]. [`Once`] gets these
//! pages in the order of the input, and decides which of them are printed.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use urlspool::Segment;

use crate::print::Page;

/// The part of the input that a page of output belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A message. The value is the hash of its Message-ID, or of its bytes if it has no Message-ID.
    Message(u128),
    /// The rest of a message that is larger than the size limit, or a part of this rest. The output of the beginning of
    /// the message is in an earlier page.
    Rest,
    /// Output that belongs to no message. It is always printed.
    Other,
}

/// Computes the hashes of messages. The keys of the hash functions are random, so that a sender cannot choose
/// Message-IDs with the same hash.
#[derive(Clone)]
pub(super) struct Hasher([RandomState; 2]);

impl Hasher {
    fn hash(&self, is_id: bool, bytes: &[u8]) -> u128 {
        let [high, low] = &self.0;
        u128::from(high.hash_one((is_id, bytes))) << 64 | u128::from(low.hash_one((is_id, bytes)))
    }

    pub(super) fn content(&self, segment: &Segment<'_>) -> Content {
        match segment.bytes() {
            _ if segment.outcome() != "read" => Content::Other,
            [] => Content::Other,
            _ if !segment.is_message() => Content::Rest,
            bytes => Content::Message(match segment.message_id().filter(|id| is_id(id)) {
                // White space is removed: a program that folds a long Message-ID adds a line break, and a program that
                // unfolds the Message-ID can leave a blank.
                Some(id) => self.hash(true, &id.split(u8::is_ascii_whitespace).collect::<Vec<_>>().concat()),
                None => self.hash(false, bytes),
            }),
        }
    }
}

/// Whether `id` has a name on both sides of an `@`. Programs write `none`, `<>` or `<@>` into different messages.
fn is_id(id: &[u8]) -> bool {
    let is_name = |name: &[u8]| name.iter().any(u8::is_ascii_alphanumeric);
    id.iter().position(|byte| *byte == b'@').is_some_and(|at| is_name(&id[..at]) && is_name(&id[at..]))
}

/// The set of messages found so far.
pub(super) struct Once {
    hasher: Hasher,
    met: HashSet<u128>,
    /// Whether the last message was a repetition.
    is_again: bool,
}

impl Once {
    pub(super) fn new() -> Once {
        Once { hasher: Hasher([RandomState::new(), RandomState::new()]), met: HashSet::new(), is_again: false }
    }

    pub(super) fn hasher(&self) -> Hasher {
        self.hasher.clone()
    }

    pub(super) fn pages(&self) -> Pages {
        Pages { hasher: self.hasher(), done: Vec::new(), spare: Vec::new(), size: 0 }
    }

    /// Returns whether a page with this content is printed. If the content is a message, adds it to the set.
    pub(super) fn counts(&mut self, content: Content) -> bool {
        match content {
            Content::Message(hash) => self.is_again = !self.met.insert(hash),
            Content::Rest => {}
            Content::Other => return true,
        }
        !self.is_again
    }

    /// Returns the memory use of the set in bytes. Each entry of the hash table needs one byte in addition to the hash.
    pub(super) fn memory(&self) -> usize {
        self.met.capacity() * (size_of::<u128>() + 1)
    }
}

/// The pages of one worker.
pub(super) struct Pages {
    hasher: Hasher,
    done: Vec<(Content, Page)>,
    /// Empty pages to reuse.
    spare: Vec<Page>,
    /// The memory use of the pages in bytes.
    pub(super) size: usize,
}

impl Pages {
    /// Stores `page` and replaces it with an empty page. `segment` is the message whose output is in `page`. It is
    /// `None` for output that belongs to no message.
    pub(super) fn put(&mut self, page: &mut Page, segment: Option<&Segment<'_>>) {
        let content = segment.map_or(Content::Other, |segment| self.hasher.content(segment));
        let empty = self.spare.pop().unwrap_or_else(|| page.another());
        self.size += page.size() + size_of::<Page>();
        self.done.push((content, std::mem::replace(page, empty)));
    }

    /// Calls `print` with each stored page. `print` must empty the page, because `put` uses it again.
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
        for (id, want) in [("a@b", true), ("none", false), ("@", false), (" ", false), ("@b", false), ("a@", false)] {
            assert_eq!(is_id(id.as_bytes()), want, "{id}");
        }
    }
}
