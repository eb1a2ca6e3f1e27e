//! The options of a search.

use super::Extractor;
use super::message_filter::MessageFilter;
use crate::source;

/// What is searched for, and in which messages.
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
}
