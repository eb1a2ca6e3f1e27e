//! Divides the files of a walk into tasks.

use std::fs::{self, File};
use std::io;
use std::iter::Peekable;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use super::{Task, json};
use crate::error::Error;
use crate::extract::search::Search;
use crate::extract::work::{TaskFile, Work};
use crate::extract::{FromPaths, Hits};
use crate::options::Options;
use crate::source::{self, Archive, Division, Entry, FileEntry, SkipReason, Stamp, Walk};

/// Maximum number of files in a task. With paths of up to 150 bytes, the JSON of a task is smaller than 1 MB.
const FILES_MAX: usize = 4096;

/// A function that gets each path that is skipped.
type Report = Box<dyn FnMut(&Path, SkipReason) + Send>;

impl Hits<FromPaths> {
    /// Divides the search into tasks of about `size` bytes each. Returns an iterator over the tasks, in the order of
    /// the search.
    ///
    /// - Files of at most `size` bytes are grouped. A task has up to 4096 of these files, with a total of at most
    ///   `size` bytes.
    /// - An uncompressed mbox of more than `size` bytes becomes several tasks.
    /// - A zip archive or an uncompressed tar archive of more than `size` bytes becomes several tasks. Each task has
    ///   some of the members. A member is never divided.
    /// - Each repository of a public-inbox is a task.
    /// - Any other file of more than `size` bytes is one task, because it cannot be divided. A compressed file can only
    ///   be decoded from its beginning. Plain text and mailboxes other than mbox must also be read from the beginning,
    ///   to find out where a message or a block of text begins.
    ///
    /// The iterator does not open files of at most `size` bytes. It reads only the first 64 KiB of a larger file. In a
    /// larger tar archive, it also reads the header of each member. In a larger zip archive, it also reads the
    /// directory of the archive, and checks the beginning of each member.
    ///
    /// The iterator keeps these data in memory:
    ///
    /// - one task;
    /// - the offsets of the members of the current archive;
    /// - the names in the current directory and its parent directories;
    /// - about one bit per file, to recognize files with several names.
    ///
    /// `skipped` is called for each file and directory that is in no task, with the reason. The search of a task reports
    /// what it skips inside the files of the task.
    ///
    /// An item is an error if a file or a directory cannot be read, or if standard input or a pipe is among the paths.
    /// After an error, the iterator continues with the next file.
    ///
    /// The options `byte-range`, `follow`, `shard` and `threads`, and the settings [`resume`](Self::resume) and
    /// [`chunk`](Self::chunk), are not stored in the tasks.
    ///
    /// ```
    /// use urlspool::Extractor;
    ///
    /// let tasks = Extractor::new().paths(["corpus/mbox/small.mbox"]).manifest(1000, |_, _| {});
    /// assert_eq!(tasks.count(), 3);
    /// ```
    pub fn manifest(
        self,
        size: u64,
        skipped: impl FnMut(&Path, SkipReason) + Send + 'static,
    ) -> impl Iterator<Item = Result<Task, Error>> + Send {
        self.divided(size, Box::new(skipped))
    }

    fn divided(mut self, size: u64, skipped: Report) -> Manifest {
        let paths = std::mem::take(&mut self.from.paths);
        Manifest {
            walk: self.search.walk(paths),
            options: json::stored(&self.search.extractor.options),
            search: self.search,
            size: size.max(1),
            skipped,
            held: None,
            group: Vec::new(),
            group_size: 0,
            pieces: None,
        }
    }
}

/// An iterator over the tasks of a search.
struct Manifest {
    walk: Walk,
    search: Search,
    size: u64,
    skipped: Report,
    /// The options that each task stores.
    options: Options,
    /// The next file to divide, or the next error. The files of `group` precede this file or error in the order of the
    /// search. So the task with the files of `group` is returned first.
    held: Option<Result<Pieces, Error>>,
    /// The files of the next task, and the sum of their sizes in bytes.
    group: Vec<TaskFile>,
    group_size: u64,
    /// The rest of the large file or the public-inbox that is being divided.
    pieces: Option<Pieces>,
}

/// The tasks that are still to be returned for one file or one public-inbox.
enum Pieces {
    Whole(TaskFile),
    /// A mailbox, and the offset at which the next task begins.
    Messages(TaskFile, u64),
    /// An archive, and the offsets at which the next tasks begin.
    Members(TaskFile, Archive, Peekable<vec::IntoIter<u64>>),
    /// The repositories of a public-inbox. Each repository becomes a task. The `String` is the identifier of the newest
    /// commit in the repository.
    Inbox(Vec<(PathBuf, String)>),
}

impl Manifest {
    fn task(&self, work: Work) -> Task {
        Task::new(work, self.options.clone(), Arc::new([]))
    }

    /// Returns a task with the files of the group.
    fn grouped(&mut self) -> Option<Task> {
        self.group_size = 0;
        let files = std::mem::take(&mut self.group);
        (!files.is_empty()).then(|| self.task(Work::Files(files)))
    }

    /// Adds a small file to the group. If the group has no room for the file, returns a task with the files of the
    /// group, and begins a new group with `file`.
    fn add(&mut self, file: TaskFile) -> Option<Task> {
        let is_full = self.group_size + file.stamp.size > self.size || self.group.len() == FILES_MAX;
        let task = if is_full { self.grouped() } else { None };
        self.group_size += file.stamp.size;
        self.group.push(file);
        task
    }

    /// Decides how an entry is divided. Returns `None` if the entry is skipped.
    fn pieces(&mut self, entry: Entry) -> Option<Result<Pieces, Error>> {
        match entry {
            Entry::File(entry) => self.file(entry).transpose(),
            Entry::Inbox(repositories) if cfg!(feature = "git") => {
                let with_head = |path: PathBuf| source::inbox_head(&path).map(|head| (path, head));
                Some(repositories.into_iter().map(with_head).collect::<Result<_, _>>().map(Pieces::Inbox))
            }
            Entry::Stdin => Some(Err(not_divided(Path::new("-"), "standard input"))),
            Entry::Problem(error) => Some(Err(error)),
            Entry::Skipped(path, why) => {
                (self.skipped)(&path, why);
                None
            }
            Entry::Inbox(_) => None,
        }
    }

    fn file(&mut self, entry: FileEntry) -> Result<Option<Pieces>, Error> {
        let path = &entry.path;
        let data = fs::metadata(path).map_err(|e| source::unopened(path, e))?;
        if !data.is_file() {
            return Err(not_divided(path, "a pipe or a device"));
        }
        if source::id(&data).is_some_and(|own| self.search.source.outputs.contains(&own)) {
            let why = io::Error::other("it is the output of urlspool");
            if entry.named {
                return Err(Error::open(path, why));
            }
            (self.skipped)(path, SkipReason::Output);
            return Ok(None);
        }
        let stamp = Stamp::of(&data);
        let FileEntry { path, message, named, member, .. } = entry;
        let file = TaskFile { path, stamp, message, named, member };
        if stamp.size <= self.size || file.member.is_some() {
            return Ok(Some(Pieces::Whole(file)));
        }
        let divided = File::open(&file.path).and_then(|mut opened| {
            Ok(match source::divide(&mut opened, &self.search.source)?.0 {
                Division::Nowhere => Pieces::Whole(file.clone()),
                Division::Messages => Pieces::Messages(file.clone(), 0),
                Division::Members(archive) => {
                    let cuts = archive.cuts(&mut opened, self.size)?;
                    match cuts.len() {
                        1 => Pieces::Whole(file.clone()),
                        _ => Pieces::Members(file.clone(), archive, cuts.into_iter().peekable()),
                    }
                }
            })
        });
        divided.map(Some).map_err(|e| Error::open(&file.path, e))
    }

    fn next_piece(&mut self) -> Option<Task> {
        let work = match self.pieces.as_mut()? {
            Pieces::Whole(file) => {
                let work = Work::Files(vec![file.clone()]);
                self.pieces = None;
                work
            }
            Pieces::Messages(file, at) if *at < file.stamp.size => {
                let range = *at..at.saturating_add(self.size).min(file.stamp.size);
                *at = range.end;
                Work::Messages(file.clone(), range)
            }
            Pieces::Members(file, archive, cuts) if cuts.len() > 0 => {
                let range: Range<u64> = cuts.next()?..cuts.peek().copied().unwrap_or(file.stamp.size);
                Work::Members(file.clone(), *archive, range)
            }
            Pieces::Inbox(repositories) if !repositories.is_empty() => {
                let work = Work::Inbox(repositories.clone());
                repositories.remove(0);
                work
            }
            _ => {
                self.pieces = None;
                return None;
            }
        };
        Some(self.task(work))
    }
}

fn not_divided(path: &Path, what: &str) -> Error {
    Error::open(path, io::Error::other(format!("{what} cannot be divided into tasks; save its data to a file")))
}

impl Iterator for Manifest {
    type Item = Result<Task, Error>;

    fn next(&mut self) -> Option<Result<Task, Error>> {
        loop {
            if let Some(task) = self.next_piece() {
                return Some(Ok(task));
            }
            match self.held.take() {
                None => {}
                Some(Ok(pieces)) => {
                    self.pieces = Some(pieces);
                    continue;
                }
                Some(Err(error)) => return Some(Err(error)),
            }
            let Some(entry) = self.walk.next() else { return self.grouped().map(Ok) };
            match self.pieces(entry) {
                None => {}
                Some(Ok(Pieces::Whole(file))) if file.stamp.size <= self.size && file.member.is_none() => {
                    if let Some(task) = self.add(file) {
                        return Some(Ok(task));
                    }
                }
                Some(other) => {
                    self.held = Some(other);
                    if let Some(task) = self.grouped() {
                        return Some(Ok(task));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extractor;
    use crate::source::{Temp, tar};

    fn tasks(paths: &[PathBuf], size: u64) -> Vec<String> {
        let tasks =
            Extractor::new().paths(paths).divided(size, Box::new(|_, _| {})).collect::<Result<Vec<Task>, Error>>();
        let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
        let show = |task: &Task| match (task.paths().map(name).collect::<Vec<_>>().join(" "), task.message_range()) {
            (files, Some(Range { start, end })) => format!("{files} {start}-{end}"),
            (files, None) => files,
        };
        tasks.expect("files").iter().map(show).collect()
    }

    /// Plain text cannot be divided. A named member is never in a group, because its size is not known.
    #[test]
    fn only_small_files_are_grouped() {
        let temp = Temp::new("manifest");
        let mbox = "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nx\n";
        for (name, content) in [("a", "text\n"), ("b", &"long text\n".repeat(10)), ("c", "text\n"), ("d", mbox)] {
            temp.write(name, content.as_bytes());
        }
        let paths = |names: &[&str]| names.iter().map(|name| temp.0.join(name)).collect::<Vec<_>>();
        assert_eq!(tasks(&paths(&["a", "c", "b", "a", "c"]), 20), ["a c", "b", "a c"]);
        assert_eq!(tasks(&paths(&["b", "b"]), 20), ["b", "b"]);
        assert_eq!(tasks(&paths(&["d"]), 30), ["d 0-30", "d 30-48"]);
        assert_eq!(tasks(&paths(&["d"]), 48), ["d"]);
        assert_eq!(tasks(&paths(&["a", "a!member", "c!member", "c"]), 20), ["a", "a", "c", "c"]);
    }

    #[test]
    fn an_archive_with_one_member_is_read_as_a_whole() {
        let temp = Temp::new("one-member");
        let content = b"text\n".repeat(400);
        for (names, want) in [(&["a"][..], false), (&["a", "b"], true)] {
            let members: Vec<_> = names.iter().map(|&name| (name, &content[..])).collect();
            let path = temp.write("a.tar", &tar(&members));
            let task =
                Extractor::new().paths([path]).manifest(2000, |_, _| {}).next().expect("a task").expect("a file");
            assert_eq!(task.to_string().contains("member_range"), want, "{names:?}");
        }
    }

    #[test]
    fn only_the_output_is_in_no_task() {
        let temp = Temp::new("task-output");
        let [file, output] = ["a", "b"].map(|name| temp.write(name, b"text\n"));
        let output = File::open(output).expect("a file");
        let (sender, skipped) = std::sync::mpsc::channel();
        let report = move |path: &Path, why| sender.send((path.to_owned(), why)).expect("a receiver");
        let tasks = Extractor::new().paths([&temp.0]).output(&output).manifest(20, report);
        let paths: Vec<_> =
            tasks.flat_map(|task| task.expect("files").paths().map(Path::to_owned).collect::<Vec<_>>()).collect();
        assert_eq!(paths, [file]);
        assert_eq!(skipped.iter().collect::<Vec<_>>(), [(temp.0.join("b"), SkipReason::Output)]);
    }

    #[test]
    fn each_task_stores_the_arguments() {
        let temp = Temp::new("arguments");
        let path = temp.write("a", b"text\n");
        let without =
            Extractor::new().paths([&path]).divided(20, Box::new(|_, _| {})).next().expect("a task").expect("a file");
        let with = without.clone().with_arguments(&["--verbose".to_owned()]);
        assert_eq!((without.arguments(), with.arguments()), (&[][..], &["--verbose".to_owned()][..]));
        assert_ne!(without.id(), with.id());
    }

    #[test]
    fn each_repository_is_a_task() {
        let repositories = ["git/0.git", "git/1.git"].map(|path| (path.into(), "0a".into()));
        let mut manifest = Extractor::new().paths(Vec::<PathBuf>::new()).divided(1, Box::new(|_, _| {}));
        manifest.pieces = Some(Pieces::Inbox(repositories.into()));
        let tasks: Vec<Task> = manifest.collect::<Result<_, _>>().expect("repositories");
        let paths: Vec<_> = tasks.iter().flat_map(Task::paths).collect();
        assert_eq!(paths, [Path::new("git/0.git"), Path::new("git/1.git")]);
    }

    #[cfg(feature = "git")]
    #[test]
    fn a_public_inbox_is_not_skipped() {
        let temp = Temp::new("repository");
        let mut manifest = Extractor::new().paths([&temp.0]).divided(1, Box::new(|_, _| {}));
        let repository = temp.0.join("0.git");
        let pieces = manifest.pieces(Entry::Inbox(vec![repository.clone()]));
        let Some(Ok(Pieces::Inbox(repositories))) = pieces else { panic!("it is skipped") };
        assert_eq!(repositories, [(repository, String::new())]);
    }
}
