//! Divides a search into tasks, which several processes or machines can run in any order.

mod files;
mod json;
mod manifest;
mod parse;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub use self::files::{Files, ListedFile, Splits};
pub use self::manifest::Manifest;
pub use self::parse::TaskError;
use super::message_filter::MessageFilter;
use super::work::Work;
use super::{Extractor, FromPaths, Hits};
use crate::container;
use crate::error::{Error, ErrorKind};

/// A part of a search: some files, a range of a mailbox, some members of an archive, or a repository of a public-inbox.
/// [`Hits::manifest`] divides a search into tasks.
///
/// The `Display` of a task is a line of JSON, and `FromStr` parses this line. The line has everything that a process
/// needs to run the task: the files, and the options of the search. A relative path is stored as a relative path. Run a
/// task with relative paths in the directory in which the manifest was made.
///
/// The hits of all tasks together are the hits of the search, with two exceptions:
///
/// - If a task is a [range](Self::message_range) of a mailbox, [`Hit::message`](crate::Hit::message) and
///   [`Hit::line`](crate::Hit::line) count from the first message of the task. To get a number in the whole file, first
///   count the [messages](crate::Segment::is_message) or [lines](crate::Segment::lines) in all segments of the earlier
///   tasks of the same file. Then add this count.
/// - If an archive is damaged, a search of the whole archive may not find the members after the damage. But a task
///   whose range begins after the damage finds these members.
///
/// ```
/// use urlspool::{Error, Extractor, Task};
///
/// let tasks = Extractor::new().paths(["corpus/mbox"]).manifest(1000).collect::<Result<Vec<Task>, Error>>()?;
/// let lines: Vec<String> = tasks.iter().map(Task::to_string).collect();
/// let mut hits = 0;
/// for line in &lines {
///     let task: Task = line.parse().unwrap();
///     hits += task.hits().collect::<Result<Vec<_>, Error>>()?.len();
/// }
/// assert_eq!(hits, Extractor::new().paths(["corpus/mbox"]).count());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Task {
    id: String,
    work: Arc<Work>,
    settings: Arc<Settings>,
    arguments: Arc<[String]>,
}

/// The options that all tasks of a search share.
#[derive(Clone, Debug)]
struct Settings {
    extractor: Extractor,
    filter: MessageFilter,
    format: Option<&'static container::Format>,
    mail_only: bool,
    /// Maximum size in bytes of a message that is decoded as a whole.
    max_message: usize,
}

impl Task {
    fn new(work: Work, settings: Arc<Settings>, arguments: Arc<[String]>) -> Task {
        let id = json::id(&json::content(&work, &settings, &arguments));
        Task { id, work: Arc::new(work), settings, arguments }
    }

    /// Returns the identifier: 32 hexadecimal digits. The identifier is a hash of the whole task: the paths, sizes and
    /// times of the files, the range, the options and the arguments. The identifier is the same on every machine.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the paths of the files. For a public-inbox, returns only the path of the repository that the task reads.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let (files, other) = match &*self.work {
            Work::Files(files) => (&files[..], None),
            Work::Messages(file, _) | Work::Members(file, ..) => (std::slice::from_ref(file), None),
            Work::Inbox(repositories) => (&[][..], repositories.first()),
        };
        files.iter().map(|file| &*file.path).chain(other.map(|(path, _)| &**path))
    }

    /// If the task is a part of a mailbox, returns the byte range of this part. The task searches the messages that
    /// begin in this range. Returns `None` for any other task.
    #[must_use]
    pub fn message_range(&self) -> Option<Range<u64>> {
        match &*self.work {
            Work::Messages(_, range) => Some(range.clone()),
            _ => None,
        }
    }

    /// Returns the arguments that [`Manifest::arguments`] has set.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Returns an iterator over the URLs of the task. The iterator has the same options as the search that was divided
    /// into tasks. You can set the number of [threads](Hits::threads). Lines are always counted.
    ///
    /// The size or the modification time of a file can change after the manifest was made. The iterator then returns an
    /// error of the kind [`Changed`](ErrorKind::Changed), and continues with the next file. The iterator returns the
    /// same error if a repository has new commits.
    pub fn hits(&self) -> Hits<FromPaths> {
        let Settings { extractor, filter, format, mail_only, max_message } = &*self.settings;
        let mut hits = Hits::new(*extractor, FromPaths::new(std::iter::empty()));
        hits.search.filter = filter.clone();
        let source = &mut hits.search.source;
        (source.format, source.mail_only, source.limits.message) = (*format, *mail_only, *max_message);
        source.count_lines = true;
        match &*self.work {
            Work::Files(_) => {}
            Work::Messages(_, range) => (source.range, source.is_relative) = (Some(range.clone()), true),
            Work::Members(_, archive, range) => source.members = Some((archive.kind(), range.clone())),
            Work::Inbox(repositories) => {
                source.heads = Some(repositories.iter().map(|(_, head)| head.clone()).collect());
            }
        }
        hits.search.task = Some(Arc::clone(&self.work));
        hits
    }

    /// Returns whether `error` means that the task has failed, because a file was changed or could not be read. If a
    /// file was changed, the kind of the error is [`Changed`](ErrorKind::Changed): make a new manifest. If a file could
    /// not be read, run the task again.
    ///
    /// If this method returns `false`, the error is about the content of a file, such as a truncated gzip file. The
    /// same error would occur again in every run, so it does not help to run the task again.
    #[must_use]
    pub fn is_failed_by(&self, error: &Error) -> bool {
        error.kind() == ErrorKind::Changed
            || error.io_error().is_some_and(|reason| reason.raw_os_error().is_some())
            // An error about a whole repository has the path of the repository. In an error about a single git object,
            // the path of the repository is followed by the name of the object.
            || matches!(&*self.work, Work::Inbox(repositories) if repositories.iter().any(|(path, _)| path == error.path()))
    }
}

/// Two tasks are equal if their identifiers are equal.
impl PartialEq for Task {
    fn eq(&self, other: &Task) -> bool {
        self.id == other.id
    }
}

impl Eq for Task {}
