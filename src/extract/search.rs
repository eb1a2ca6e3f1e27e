//! The options of a search.

use super::Extractor;
use super::message::{Buffers, Worker};
use super::message_filter::MessageFilter;
use crate::container::Limits;
use crate::source::{self, Paths, Walk};

/// Maximum number of workers. Each worker has its own buffers, so the limit bounds the memory.
const MAX_THREADS: usize = 256;

/// The options of a search: what to find, in which files and in which messages.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub(super) extractor: Extractor,
    pub(super) filter: MessageFilter,
    pub(super) source: source::Options,
    /// If a task is set, the search reads the files of the task instead of paths.
    #[cfg(feature = "tasks")]
    pub(super) task: Option<std::sync::Arc<super::work::Work>>,
}

impl Search {
    pub(super) fn new(extractor: Extractor) -> Search {
        let options = &extractor.options;
        let default = source::Options::default();
        let source = source::Options {
            format: options.format,
            follow: options.follow,
            limits: Limits { message: options.max_message, ..default.limits },
            count_lines: options.count_lines.unwrap_or(options.byte_range.is_none()),
            range: options.byte_range.clone(),
            shard: options.shard,
            mail_only: options.mail_only,
            ..default
        };
        Search {
            filter: MessageFilter::of(options),
            extractor,
            source,
            #[cfg(feature = "tasks")]
            task: None,
        }
    }

    /// Returns a walk over `paths`. If a task is set, returns a walk over the files of the task instead.
    pub(super) fn walk(&self, paths: Paths) -> Walk {
        #[cfg(feature = "tasks")]
        if let Some(task) = &self.task {
            return Walk::over(task.entries());
        }
        let mut walk = Walk::new(paths, self.source.follow).filter(self.source.filter.clone());
        walk.shard = self.source.shard;
        walk
    }

    /// Returns the number of workers.
    pub(super) fn threads(&self) -> usize {
        let threads = match self.extractor.options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        threads.min(MAX_THREADS)
    }

    pub(super) fn worker<'s>(&'s self, buffers: &'s mut Buffers) -> Worker<'s> {
        Worker::new(&self.extractor, &self.filter, buffers)
    }
}
