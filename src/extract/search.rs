//! The options of a search.

use std::path::PathBuf;

use super::Extractor;
use super::message::{Buffers, Worker};
use super::message_filter::MessageFilter;
use crate::source::{self, Walk};

/// The options of a search: what to find, in which files and in which messages.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub(super) extractor: Extractor,
    pub(super) filter: MessageFilter,
    pub(super) source: source::Options,
    pub(super) threads: usize,
}

impl Search {
    pub(super) fn new(extractor: Extractor) -> Search {
        let count_lines = extractor.count_lines.unwrap_or(true);
        let source = source::Options { count_lines, ..source::Options::default() };
        Search { extractor, filter: MessageFilter::default(), source, threads: 0 }
    }

    /// Returns a walk over `paths` that uses the source options.
    pub(super) fn walk(&self, paths: impl Iterator<Item = PathBuf> + Send + 'static) -> Walk {
        let mut walk = Walk::new(paths, self.source.follow).filter(self.source.filter.clone());
        walk.shard = self.source.shard;
        walk
    }

    pub(super) fn worker<'s>(&'s self, buffers: &'s mut Buffers) -> Worker<'s> {
        Worker::new(&self.extractor, &self.filter, buffers)
    }
}
