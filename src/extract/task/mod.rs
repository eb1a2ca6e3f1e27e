//! Divides a search into tasks, which several processes or machines can run in any order.

mod files;
mod json;
mod manifest;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub use self::files::ListedFile;
use super::work::Work;
use super::{Extractor, FromPaths, Hits};
use crate::error::{Error, ErrorKind};
use crate::options::Options;
use crate::source::Paths;

/// A part of a search: some files, a range of a mailbox, some members of an archive, or a repository of a public-inbox.
/// [`Hits::manifest`] divides a search into tasks.
///
/// The `Display` of a task is a line of JSON, and `FromStr` parses this line. The line has everything that a process
/// needs to run the task: the files, and the options of the search. A relative path is stored as a relative path. Run a
/// task with relative paths in the directory in which the manifest was made.
///
/// The hits of all tasks together are the hits of the search, with two exceptions:
///
/// - If a task is a [range](Self::message_range) of a mailbox, [`Hit::message`](crate::Location::message) and
///   [`Hit::line`](crate::Location::line) count from the first message of the task. To get a number in the whole file, first
///   count the [messages](crate::Segment::is_message) or [lines](crate::Segment::lines) in all segments of the earlier
///   tasks of the same file. Then add this count.
/// - If an archive is damaged, a search of the whole archive may not find the members after the damage. But a task
///   whose range begins after the damage finds these members.
///
/// ```
/// use urlspool::{Error, Extractor, Task};
///
/// let tasks = Extractor::new().paths(["corpus/mbox"]).manifest(1000, |_, _| {}).collect::<Result<Vec<Task>, Error>>()?;
/// let lines: Vec<String> = tasks.iter().map(Task::to_string).collect();
/// let mut hits = 0;
/// for line in &lines {
///     let task: Task = line.parse().unwrap();
///     hits += task.hits(1).collect::<Result<Vec<_>, Error>>()?.len();
/// }
/// assert_eq!(hits, Extractor::new().paths(["corpus/mbox"]).count());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Task {
    id: String,
    work: Arc<Work>,
    options: Options,
    arguments: Arc<[String]>,
}

impl Task {
    /// `options` has only options that a task [stores](json::stored).
    fn new(work: Work, options: Options, arguments: Arc<[String]>) -> Task {
        let id = json::id(&json::content(&work, &options, &arguments));
        Task { id, work: Arc::new(work), options, arguments }
    }

    /// Returns the identifier: 16 hexadecimal digits. The identifier is a hash of the whole task: the paths, sizes and
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

    /// Returns the task with these arguments, such as options of the program that runs the tasks. The library does not
    /// use the arguments. Two tasks with different arguments have different identifiers.
    #[must_use]
    pub fn with_arguments(self, arguments: &[String]) -> Task {
        let id = json::id(&json::content(&self.work, &self.options, arguments));
        Task { id, arguments: arguments.into(), ..self }
    }

    /// Returns the arguments that [`with_arguments`](Self::with_arguments) has set.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Returns the options of the search that was divided into tasks, except the options of the walk and of the run.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns an iterator over the URLs of the task. The search has the [options](Self::options) of the task. It uses
    /// this number of [threads](Extractor::threads), and always counts lines.
    ///
    /// The size or the modification time of a file can change after the manifest was made. The iterator then returns an
    /// error of the kind [`Changed`](ErrorKind::Changed), and continues with the next file. The iterator returns the
    /// same error if a repository has new commits.
    pub fn hits(&self, threads: usize) -> Hits<FromPaths> {
        let extractor = Extractor::with(Options { threads, count_lines: Some(true), ..self.options.clone() });
        let mut hits = Hits::new(extractor, FromPaths::new(Paths::default()));
        let source = &mut hits.search.source;
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

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::diagnostic::{Diagnostic, DiagnosticKind};
    use crate::extract::work::TaskFile;
    use crate::source::{Archive, Stamp};

    fn file(path: &str, size: u64, mtime: i64) -> TaskFile {
        let stamp = Stamp { size, mtime: Some(mtime) };
        TaskFile { path: path.into(), stamp, message: false, named: false, member: None }
    }

    /// Every option that a task stores differs from its default.
    fn other_options() -> Options {
        let mut options = Options::default();
        for (name, value) in [
            ("in", "text"),
            ("join", "30"),
            ("hyphen", "drop"),
            ("defanged", "true"),
            ("scheme", "http"),
            ("form", "bare"),
            ("host", "example.org"),
            ("url", "a,/b/"),
            ("tier", "iri"),
            ("zone", "body"),
            ("since", "1995"),
            ("until", "1995"),
            ("newsgroup", "comp.*"),
            ("list", "us.*"),
            ("from", "ann"),
            ("subject", "tapes"),
            ("format", "mbox"),
            ("max-message", "1000"),
        ] {
            options.set(name, value).expect("an option");
        }
        options
    }

    fn inbox() -> Work {
        Work::Inbox([("git/0.git", "0a"), ("git/1.git", "1b")].map(|(path, head)| (path.into(), head.into())).into())
    }

    /// The identifiers were computed with another implementation of FNV-1a.
    #[test]
    fn a_task_is_written_and_parsed() {
        let message = TaskFile { message: true, ..file("a \"b\".mbox", 10, -5) };
        let member = |member: &[u8]| Some(member.to_vec());
        let named = TaskFile { named: true, member: member(b"d"), ..file("c", 0, 7) };
        let bytes = TaskFile { member: member(b"\xFF"), ..file("a.zip", 10, 7) };
        let table = [
            (
                Task::new(Work::Files(vec![message, named]), Options::default(), [].into()),
                concat!(
                    r#"{"id":"fb7ead6a15abf702","files":[{"file":"a \"b\".mbox","message":true,"#,
                    r#""mtime":-5,"size":10},{"file":"c","member":"d","mtime":7,"named":true,"size":0}]}"#,
                ),
                &["a \"b\".mbox", "c"][..],
                None,
            ),
            (
                Task::new(
                    Work::Messages(file("box", 10, 7), 3..10),
                    other_options(),
                    ["--scheme", "a\nb"].map(str::to_owned).into(),
                ),
                concat!(
                    r#"{"id":"3514a66cc31faf9b","arguments":["--scheme","a\nb"],"#,
                    r#""files":[{"file":"box","mtime":7,"size":10}],"message_range":[3,10],"#,
                    r#""options":{"defanged":"true","form":"bare","format":"mbox","from":"ann","host":"example.org","#,
                    r#""hyphen":"drop","in":"text","join":"30","list":"us.*","#,
                    r#""max-message":"1000","newsgroup":"comp.*","scheme":"http","since":"1995-01-01T00:00:00Z","subject":"tapes","#,
                    r#""tier":"iri","until":"1995-12-31T23:59:59Z","url":"a,/b/","zone":"body"}}"#,
                ),
                &["box"],
                Some(3..10),
            ),
            (
                Task::new(Work::Members(bytes, Archive::Zip, Range::default()), Options::default(), [].into()),
                concat!(
                    r#"{"id":"c7cc4fc9bcd77686","archive":"zip","files":[{"file":"a.zip","#,
                    r#""member_bytes":"/w==","mtime":7,"size":10}],"member_range":[0,0]}"#,
                ),
                &["a.zip"],
                None,
            ),
            (
                Task::new(inbox(), Options::default(), [].into()),
                concat!(
                    r#"{"id":"e6f6c54113f7d50e","repositories":[{"file":"git/0.git","head":"0a"},"#,
                    r#"{"file":"git/1.git","head":"1b"}]}"#,
                ),
                &["git/0.git"],
                None,
            ),
        ];
        for (task, json, paths, range) in &table {
            assert_eq!(task.to_string(), *json);
            let parsed: Task = json.parse().expect(json);
            assert_eq!((parsed.to_string().as_str(), parsed.id()), (*json, task.id()));
            assert_eq!(parsed.paths().collect::<Vec<_>>(), paths.iter().map(Path::new).collect::<Vec<_>>());
            assert_eq!((parsed.message_range(), parsed.arguments()), (range.clone(), task.arguments()));
            assert!(parsed == *task);
        }
        assert_eq!(table[1].0.arguments(), ["--scheme", "a\nb"]);
        assert!(table[0].0 != table[1].0);
    }

    #[test]
    fn a_range_does_not_end_before_it_begins() {
        let json = r#"{"id":"","files":[{"file":"box","size":10,"mtime":7}],"message_range":[10,3]}"#;
        let error = json.parse::<Task>().expect_err(json);
        assert_eq!(error.to_string(), "not a task: the field `message_range` is missing or wrong");
    }

    #[test]
    fn a_task_is_failed_by_a_changed_or_unreadable_file_but_not_by_its_content() {
        let task = Task::new(inbox(), Options::default(), [].into());
        let malformed = Diagnostic::new(DiagnosticKind::TruncatedCompression, 0);
        let table = [
            (Error::changed(Path::new("a"), "its size"), true),
            (Error::open(Path::new("a"), io::Error::from_raw_os_error(2)), true),
            (Error::open(Path::new("a"), io::Error::other("it has no such member")), false),
            (Error::incomplete(Path::new("a.gz"), malformed, true), false),
            (Error::read(Path::new("git/1.git"), io::Error::other("git failed")), true),
            (Error::open(Path::new("git/1.git:1234"), io::Error::other("the object is missing")), false),
        ];
        for (error, want) in table {
            assert_eq!(task.is_failed_by(&error), want, "{error}");
        }
    }
}
