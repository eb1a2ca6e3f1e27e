//! An iterator over hits, and the sources that it can read.

use std::collections::VecDeque;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::message::Buffers;
use super::search::Search;
use super::{Extractor, run};
use crate::error::Error;
use crate::hit::{Hit, HitRef};
use crate::sink::{Collect, Flow, Sink, Stoppable};
use crate::source::{self, Batch, Decide, FileFilter, Resume, Stream, StreamEvent, Walk};

/// An iterator over the URLs of a stream, or of files and directories. Returned by [`Extractor::read`],
/// [`Extractor::open`] and [`Extractor::paths`].
///
/// Reading begins with the first call of `next`:
///
/// ```
/// use urlspool::Extractor;
///
/// let hits = Extractor::new().threads(2).paths(["corpus/mbox"]);
/// for hit in hits {
///     match hit {
///         Ok(hit) => println!("{}:{} {}", hit.file().display(), hit.line(), hit.url()),
///         Err(error) => eprintln!("{error}"), // The search continues with the next file.
///     }
/// }
/// ```
///
/// If a file cannot be opened or read to its end, the iterator returns an error. A truncated gzip file is an example.
/// Malformed messages and skipped files are not errors. Use [`each`](Self::each) to receive reports about malformed
/// messages and skipped files, or to avoid copying hits.
#[must_use = "an iterator does nothing unless it is used"]
pub struct Hits<S> {
    pub(super) search: Search,
    pub(super) from: S,
    pub(super) buffers: Buffers,
    pub(super) batch: Batch,
    found: Queue,
}

/// Options for every source.
impl<S> Hits<S> {
    pub(super) fn new(extractor: Extractor, from: S) -> Hits<S> {
        let search = Search::new(extractor);
        Hits { search, from, buffers: Buffers::default(), batch: Batch::default(), found: Queue::default() }
    }

    /// Sets approximately how many bytes to read at a time. Default: 256 KiB. The value affects the speed, but never
    /// the result.
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.search.source.chunk = bytes;
        self
    }
}

/// A stream as the source of [`Hits`]. Created by [`Extractor::read`].
pub struct FromReader<R: Read> {
    name: PathBuf,
    /// `None` once reading has begun.
    reader: Option<R>,
    stream: Option<Box<Stream<R>>>,
}

impl<R: Read> FromReader<R> {
    pub(super) fn new(reader: R) -> Self {
        FromReader { name: "-".into(), reader: Some(reader), stream: None }
    }
}

/// Files and directories as the source of [`Hits`]. Created by [`Extractor::paths`].
pub struct FromPaths {
    /// `None` once reading has begun.
    paths: Option<Box<dyn Iterator<Item = PathBuf> + Send>>,
    /// Finds the files one after another. Not used with several threads.
    walk: Option<Walk>,
    stream: Option<Stream>,
    #[cfg(feature = "parallel")]
    ahead: Option<ahead::Ahead>,
}

impl FromPaths {
    pub(super) fn new(paths: impl Iterator<Item = PathBuf> + Send + 'static) -> Self {
        FromPaths {
            paths: Some(Box::new(paths)),
            walk: None,
            stream: None,
            #[cfg(feature = "parallel")]
            ahead: None,
        }
    }

    pub(super) fn take(&mut self) -> Box<dyn Iterator<Item = PathBuf> + Send> {
        self.paths.take().unwrap_or_else(|| Box::new(std::iter::empty()))
    }
}

/// A source of input that [`Hits`] searches batch by batch.
pub(super) trait Feed {
    /// Returns the next event, or `None` at the end of the input. The event [`StreamEvent::Batch`] means that `batch`
    /// has new content.
    fn next_event(&mut self, search: &Search, batch: &mut Batch) -> Option<StreamEvent>;
}

impl<R: Read> Feed for FromReader<R> {
    fn next_event(&mut self, search: &Search, batch: &mut Batch) -> Option<StreamEvent> {
        if let Some(reader) = self.reader.take() {
            self.stream = Some(Box::new(Stream::from_reader(reader, &self.name, &search.source)));
        }
        self.stream.as_mut()?.next(batch)
    }
}

impl Feed for FromPaths {
    fn next_event(&mut self, search: &Search, batch: &mut Batch) -> Option<StreamEvent> {
        if let Some(paths) = self.paths.take() {
            self.walk = Some(search.walk(paths));
        }
        loop {
            if let Some(stream) = &mut self.stream {
                match stream.next(batch) {
                    None => self.stream = None,
                    event => return event,
                }
            }
            match Stream::open(self.walk.as_mut()?.next()?, &search.source) {
                Ok(stream) => self.stream = Some(stream),
                Err(event) => return Some(event),
            }
        }
    }
}

/// Hits and errors that the iterator has not returned yet.
#[derive(Debug, Default)]
pub(super) struct Queue(pub(super) VecDeque<Result<Hit, Error>>);

impl Sink for Queue {
    type Flow = ();

    fn hit(&mut self, hit: &HitRef<'_>) {
        self.0.push_back(Ok(hit.to_owned()));
    }

    fn problem(&mut self, error: &Error) {
        self.0.push_back(Err(error.clone()));
    }
}

fn pull<S: Feed>(hits: &mut Hits<S>) -> Option<Result<Hit, Error>> {
    loop {
        if let Some(found) = hits.found.0.pop_front() {
            return Some(found);
        }
        let event = hits.from.next_event(&hits.search, &mut hits.batch)?;
        let _ = hits.search.worker(&mut hits.buffers).event(&hits.batch, &event, &mut Stoppable::new(&mut hits.found));
    }
}

impl<R: Read> Hits<FromReader<R>> {
    /// Sets the name of the stream, which hits and errors report as the file name. Default: `-`.
    pub fn name(mut self, name: impl AsRef<Path>) -> Self {
        self.from.name = name.as_ref().into();
        self
    }

    /// Searches the whole stream, and passes all results (hits, rejects, diagnostics and segments) to `sink` without
    /// copying them. Use this method instead of `next`.
    ///
    /// Returns the value with which the sink stopped the search. If the sink did not stop the search, returns
    /// [`Flow::go_on`](crate::Flow::go_on). After the sink has stopped the search, nothing more is read.
    ///
    /// The search needs memory for about one [`chunk`](Self::chunk) of input, and for one message of at most
    /// [`max_message`](Extractor::max_message) bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if reading fails, if the format of the stream is not supported, or if the stream cannot be read
    /// to its end. The sink also receives the results before the error, and each error as a [problem](Sink::problem).
    /// If there are several errors, the last one is returned. If the sink stopped the search, no error is returned.
    ///
    /// ```
    /// use urlspool::{Extractor, sink};
    ///
    /// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nSee http://www.example.org/\n";
    /// let mut count = 0;
    /// Extractor::new().read(&mbox[..]).each(&mut sink::from_fn(|_| count += 1))?;
    /// assert_eq!(count, 1);
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    pub fn each<K: Sink>(mut self, sink: &mut K) -> Result<K::Flow, Error> {
        let mut sink = Stoppable::new(sink);
        let mut failure = None;
        while let Some(event) = self.from.next_event(&self.search, &mut self.batch) {
            failure = event.errors(&self.batch).last().or(failure);
            if self.search.worker(&mut self.buffers).event(&self.batch, &event, &mut sink).is_break() {
                return Ok(sink.flow());
            }
        }
        failure.map_or(Ok(sink.flow()), Err)
    }
}

impl<R: Read> Iterator for Hits<FromReader<R>> {
    type Item = Result<Hit, Error>;

    fn next(&mut self) -> Option<Result<Hit, Error>> {
        pull(self)
    }
}

impl Hits<FromPaths> {
    /// Sets a filter for the files and directories that the search finds inside directories. Default: none.
    ///
    /// The arguments of `choose` are a path, and a `bool` that is `true` if the path is a directory. The path begins
    /// with one of the paths that you passed to [`Extractor::paths`]. The result of `choose` is one of these values:
    ///
    /// - `Some(false)` skips the file, or the directory with everything in it.
    /// - `Some(true)` reads the file or directory even if it is hidden.
    /// - `None` keeps the default, which skips hidden files and directories.
    ///
    /// `choose` is not called for the paths that you passed to [`Extractor::paths`], and not for members of archives.
    /// The search calls `choose` under a lock, so `choose` should be fast.
    ///
    /// ```
    /// use urlspool::{Error, Extractor, Hit};
    ///
    /// let found = Extractor::new().paths(["corpus"]).filter_files(|path, is_directory| {
    ///     Some(is_directory || path.extension().is_some_and(|ending| ending == "mbox"))
    /// });
    /// let hits = found.collect::<Result<Vec<Hit>, Error>>()?;
    /// assert!(!hits.is_empty() && hits.iter().all(|hit| hit.file().extension().unwrap() == "mbox"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn filter_files<F>(mut self, choose: F) -> Self
    where
        F: Fn(&Path, bool) -> Option<bool> + Send + Sync + 'static,
    {
        self.search.source.filter = Some(FileFilter::new(choose));
        self
    }

    /// Excludes `file` from the search. Call this method with the file to which you write the results. Otherwise, the
    /// search could read its own output. The method has no effect if `file` is not a regular file, or if the operating
    /// system is not Unix.
    ///
    /// If the search finds `file` in a directory, even under another name, the file is skipped with the reason
    /// [`Output`](crate::SkipReason::Output). If you passed the path of `file` to [`Extractor::paths`], an error is
    /// reported.
    pub fn output(mut self, file: &std::fs::File) -> Self {
        self.search.source.output =
            file.metadata().ok().filter(std::fs::Metadata::is_file).and_then(|data| source::id(&data));
        self
    }

    /// Sets a function, `decide`, that the search calls before it opens a file. The result of `decide` says whether to
    /// skip the file, and where in the file to begin. Use this method if your program searches the same growing mailbox
    /// in each run, and each run must search only the new messages.
    ///
    /// In a public-inbox (a mail archive in git repositories), the search calls `decide` for each message, with the
    /// path `REPOSITORY:ID`. The search does not call `decide` for standard input.
    ///
    /// With this option, the search calls two more methods of the sink. [`Sink::reached`] receives the position up to
    /// which a mailbox was read. [`Sink::finished`] is called after all other calls for a file. This option also turns
    /// on line counting. Even in a resumed file, message numbers, line numbers and offsets count from the beginning of
    /// the file. For a resumed file, the search ignores a [byte range](Extractor::byte_range).
    ///
    /// Several worker threads can call `decide` at the same time. `decide` must check that the file is still the same
    /// as in the previous run.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use urlspool::{Collect, Extractor, HitRef, Input, Position, Resume, Sink};
    ///
    /// #[derive(Default)]
    /// struct Run { urls: Vec<String>, reached: Option<Position> }
    ///
    /// impl Sink for Run {
    ///     type Flow = ();
    ///     fn hit(&mut self, hit: &HitRef<'_>) {
    ///         self.urls.push(hit.url().to_string());
    ///     }
    ///     fn reached(&mut self, _: &Input, position: &Position, _: &[u8]) {
    ///         self.reached = Some(*position);
    ///     }
    /// }
    ///
    /// impl Collect for Run {
    ///     type Local = Run;
    ///     type Flow = ();
    ///     fn new_local(&self) -> Run {
    ///         Run::default()
    ///     }
    ///     fn collect(&mut self, local: &mut Run) {
    ///         self.urls.append(&mut local.urls);
    ///         self.reached = local.reached.take().or(self.reached);
    ///     }
    /// }
    ///
    /// let run = |from| {
    ///     let mut run = Run::default();
    ///     let hits = Extractor::new().paths(["corpus/mbox/small.mbox"]);
    ///     hits.resume(move |_| Resume::Read { from, is_settled: true }).each(&mut run);
    ///     run
    /// };
    /// let first = run(None);
    /// assert!(!first.urls.is_empty());
    /// let second = run(first.reached);
    /// assert!(first.reached.is_some() && second.urls.is_empty());
    /// ```
    pub fn resume(mut self, decide: impl Fn(&Path) -> Resume + Send + Sync + 'static) -> Self {
        self.search.source.resume = Some(Decide(Arc::new(decide)));
        self.search.source.count_lines = true;
        self
    }

    /// Searches all files, and passes all results (hits, rejects, diagnostics, segments and skipped files) to `collect`
    /// without copying them. Use this method instead of `next`. [`Extractor::threads`] sets the number of threads.
    ///
    /// Returns the value with which `collect` stopped the search. If `collect` did not stop the search, returns
    /// [`Flow::go_on`](crate::Flow::go_on).
    ///
    /// If a file cannot be read, the sink receives a [problem](Sink::problem), and the search continues with the next
    /// file. A panic in a sink or in `collect` ends the search and is propagated to the caller.
    pub fn each<C: Collect>(mut self, collect: &mut C) -> C::Flow {
        let paths = self.from.take();
        run::paths(&self.search, paths, collect).unwrap_or_else(C::Flow::go_on)
    }
}

impl Iterator for Hits<FromPaths> {
    type Item = Result<Hit, Error>;

    #[cfg(feature = "parallel")]
    fn next(&mut self) -> Option<Result<Hit, Error>> {
        if self.from.paths.is_some() && run::threads(&self.search) > 1 {
            let (search, paths) = (self.search.clone(), self.from.take());
            self.from.ahead = Some(ahead::Ahead::new(search, paths));
        }
        match &mut self.from.ahead {
            Some(ahead) => ahead.next(),
            None => pull(self),
        }
    }

    #[cfg(not(feature = "parallel"))]
    fn next(&mut self) -> Option<Result<Hit, Error>> {
        pull(self)
    }
}

/// Prints the options, but not the input.
impl<S> fmt::Debug for Hits<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hits").field("search", &self.search).finish_non_exhaustive()
    }
}

#[cfg(feature = "parallel")]
mod ahead {
    //! Runs the search in other threads, ahead of the iterator.

    use std::collections::VecDeque;
    use std::ops::ControlFlow;
    use std::path::PathBuf;
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::thread::JoinHandle;

    use super::super::run;
    use super::super::search::Search;
    use super::Queue;
    use crate::error::Error;
    use crate::hit::Hit;
    use crate::sink::Collect;

    /// The number of hits at which a thread sends its queue of hits to the iterator.
    const FULL: usize = 1024;
    /// The maximum number of queues that wait for the iterator. All queues together take a few MiB.
    const WAITING: usize = 8;

    type Found = VecDeque<Result<Hit, Error>>;

    /// Receives the hits from the threads that search. When this value is dropped, the threads end soon. The drop does
    /// not wait for the threads, because a thread may have to wait long for the next path.
    pub(super) struct Ahead {
        found: Found,
        /// `None` after the last result.
        run: Option<(Receiver<Found>, JoinHandle<()>)>,
    }

    struct Sender(SyncSender<Found>);

    impl Collect for Sender {
        type Local = Queue;
        type Flow = ControlFlow<()>;

        fn new_local(&self) -> Queue {
            Queue::default()
        }

        fn is_full(local: &Queue) -> bool {
            local.0.len() >= FULL
        }

        fn collect(&mut self, local: &mut Queue) -> ControlFlow<()> {
            if local.0.is_empty() {
                return ControlFlow::Continue(());
            }
            // Sending fails only if the iterator was dropped. The search then stops.
            self.0.send(std::mem::take(&mut local.0)).map_or(ControlFlow::Break(()), ControlFlow::Continue)
        }
    }

    impl Ahead {
        pub(super) fn new(search: Search, paths: Box<dyn Iterator<Item = PathBuf> + Send>) -> Ahead {
            let (sender, receiver) = sync_channel(WAITING);
            let thread = std::thread::spawn(move || {
                let _ = run::paths(&search, paths, &mut Sender(sender));
            });
            Ahead { found: VecDeque::new(), run: Some((receiver, thread)) }
        }

        pub(super) fn next(&mut self) -> Option<Result<Hit, Error>> {
            loop {
                if let Some(found) = self.found.pop_front() {
                    return Some(found);
                }
                match self.run.as_ref()?.0.recv() {
                    Ok(found) => self.found = found,
                    Err(_) => self.end(),
                }
            }
        }

        /// Waits for the search to end, and propagates a panic from its threads. The search has already closed the
        /// channel and is about to end, so the wait is short.
        fn end(&mut self) {
            if let Some((_, thread)) = self.run.take()
                && let Err(panic) = thread.join()
            {
                std::panic::resume_unwind(panic);
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use std::path::Path;
        use std::sync::mpsc::channel;
        use std::{io, iter, thread};

        use super::*;
        use crate::extract::Extractor;
        use crate::source::Temp;

        #[test]
        fn with_one_thread_the_search_runs_in_the_thread_of_the_caller() {
            let temp = Temp::new("caller");
            let path = temp.write("text", b"http://a.example/ http://b.example/\n");
            for (threads, want) in [(1, true), (2, false)] {
                let (path, (sender, receiver)) = (path.clone(), channel());
                let paths = iter::once_with(move || {
                    sender.send(thread::current().id()).expect("a receiver");
                    path
                });
                let hits = Extractor::new().threads(threads).lazy_paths(paths).collect::<Result<Vec<Hit>, Error>>();
                assert_eq!(hits.expect("a file").len(), 2);
                let is_caller = receiver.recv() == Ok(thread::current().id());
                assert_eq!(is_caller, want, "{threads} threads");
            }
        }

        #[test]
        fn only_a_full_queue_is_sent_before_the_end_of_a_batch() {
            for (length, want) in [(0, false), (FULL - 1, false), (FULL, true)] {
                let error = Error::open(Path::new("x"), io::Error::other("x"));
                let queue = Queue(vec![Err(error); length].into());
                assert_eq!(Sender::is_full(&queue), want, "{length} results");
            }
        }
    }
}
