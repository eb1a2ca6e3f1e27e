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
/// needs to run the task: the files, and the options of the search. Paths are stored as the search found them, so a
/// relative path needs the same current directory.
///
/// The hits of all tasks together are the hits of the search, with two exceptions:
///
/// - If a task is a [range](Self::message_range) of a mailbox, [`Hit::message`](crate::Hit::message) and
///   [`Hit::line`](crate::Hit::line) count from the first message of the task. To get the numbers in the file, add the
///   numbers of [messages](crate::Segment::is_message) and [lines](crate::Segment::lines) in all segments of the
///   earlier tasks of the same file.
/// - If an archive is damaged, the search may not find the members after the damage. A task that begins after the
///   damage reads them.
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
    /// Maximum size in bytes of a message that is decoded.
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

    /// Returns the byte range of a mailbox that the task searches. The task has the messages that begin in the range.
    /// Returns `None` if the task is not a range of a mailbox.
    #[must_use]
    pub fn message_range(&self) -> Option<Range<u64>> {
        match &*self.work {
            Work::Messages(_, range) => Some(range.clone()),
            _ => None,
        }
    }

    /// Returns the arguments that [`Manifest::arguments`] has set. Empty if that method was not called.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Returns an iterator over the URLs of the task, with the options of the search that was divided. You can set the
    /// number of [threads](Hits::threads). Lines are always counted.
    ///
    /// If the size or the modification time of a file has changed since the manifest was made, the iterator returns an
    /// error of the kind [`Changed`](ErrorKind::Changed), and continues with the next file. The same error is returned
    /// if a repository has new commits.
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

    /// Returns whether `error` means that the task has failed, because a file was changed or could not be read. Run the
    /// task again, or make a new manifest if the kind of the error is [`Changed`](ErrorKind::Changed).
    ///
    /// Other errors are about the content of a file, so they occur in every run. An example is a truncated gzip file.
    #[must_use]
    pub fn is_failed_by(&self, error: &Error) -> bool {
        error.kind() == ErrorKind::Changed
            || error.io_error().is_some_and(|reason| reason.raw_os_error().is_some())
            // An error with the path of a repository is about the repository itself. If an error is about one object,
            // its path also has the name of the object.
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
