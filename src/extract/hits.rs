//! An iterator over hits, and the sources that it can read.

use std::collections::VecDeque;
use std::fmt;
use std::io::Read;
use std::mem::take;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Extractor;
use super::message::Buffers;
use super::search::Search;
use crate::error::Error;
use crate::event::{Event, Sink};
use crate::hit::Hit;
use crate::source::{self, Batch, Decide, FileFilter, Paths, Resume, Stream, StreamEvent, Walk};

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
/// messages and skipped files, or to avoid copying hits. [`parallel`](Self::parallel) does the same with several
/// threads.
#[must_use = "an iterator does nothing unless it is used"]
#[expect(private_bounds, reason = "the trait is sealed")]
pub struct Hits<S: Feed> {
    pub(super) search: Search,
    pub(super) from: S::State,
    pub(super) buffers: Buffers,
    pub(super) batch: Batch,
    found: Queue,
}

/// Options for every source.
#[expect(private_bounds, reason = "the trait is sealed")]
impl<S: Feed> Hits<S> {
    pub(super) fn new(extractor: Extractor, from: S::State) -> Hits<S> {
        Hits::of(Search::new(extractor), from)
    }

    fn of(search: Search, from: S::State) -> Hits<S> {
        Hits { search, from, buffers: Buffers::default(), batch: Batch::default(), found: Queue::default() }
    }

    /// Sets approximately how many bytes to read at a time. Default: 256 KiB. The value affects the speed, but never
    /// the result.
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.search.source.chunk = bytes;
        self
    }
}

/// A stream as the source of [`Hits`].
pub(super) struct FromReader<R: Read> {
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
    /// Empty once reading has begun.
    pub(super) paths: Paths,
    /// Finds the files one after another. Not used with several threads.
    walk: Option<Walk>,
    stream: Option<Stream>,
    #[cfg(feature = "parallel")]
    ahead: Option<Ahead>,
}

impl FromPaths {
    pub(super) fn new(paths: Paths) -> Self {
        FromPaths {
            paths,
            walk: None,
            stream: None,
            #[cfg(feature = "parallel")]
            ahead: None,
        }
    }
}

/// A source of input that [`Hits`] searches batch by batch: a reader or [`FromPaths`]. The trait is private, so that
/// there are no others.
pub(super) trait Feed {
    type State;

    /// Returns the next event, or `None` at the end of the input. The event [`StreamEvent::Batch`] means that `batch`
    /// has new content.
    fn next_event(from: &mut Self::State, search: &Search, batch: &mut Batch) -> Option<StreamEvent>;
}

impl<R: Read> Feed for R {
    type State = FromReader<R>;

    fn next_event(from: &mut FromReader<R>, search: &Search, batch: &mut Batch) -> Option<StreamEvent> {
        if let Some(reader) = from.reader.take() {
            from.stream = Some(Box::new(Stream::from_reader(reader, &from.name, &search.source)));
        }
        from.stream.as_mut()?.next(batch)
    }
}

impl Feed for FromPaths {
    type State = FromPaths;

    fn next_event(from: &mut FromPaths, search: &Search, batch: &mut Batch) -> Option<StreamEvent> {
        let walk = from.walk.get_or_insert_with(|| search.walk(take(&mut from.paths)));
        loop {
            if let Some(stream) = &mut from.stream {
                match stream.next(batch) {
                    None => from.stream = None,
                    event => return event,
                }
            }
            match Stream::open(walk.next()?, &search.source) {
                Ok(stream) => from.stream = Some(stream),
                Err(event) => return Some(event),
            }
        }
    }
}

/// Hits and errors that the iterator has not returned yet.
#[derive(Debug, Default)]
pub(super) struct Queue(pub(super) VecDeque<Result<Hit<'static>, Error>>);

impl Sink for Queue {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) => self.0.push_back(Ok(hit.to_owned())),
            Event::Error(error) => self.0.push_back(Err(error.clone())),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[expect(private_bounds, reason = "the trait is sealed")]
impl<S: Feed> Hits<S> {
    /// Returns the next hit or error, in the caller's thread.
    fn pull(&mut self) -> Option<Result<Hit<'static>, Error>> {
        loop {
            if let Some(found) = self.found.0.pop_front() {
                return Some(found);
            }
            let event = S::next_event(&mut self.from, &self.search, &mut self.batch)?;
            let _ = self.search.worker(&mut self.buffers).event(&self.batch, &event, &mut self.found);
        }
    }

    /// Searches the whole input in the caller's thread, and passes all [events](Event) to `sink` without copying them.
    /// Use this method instead of `next`.
    ///
    /// Returns [`ControlFlow::Break`] if the sink stopped the search. Nothing more is read after that.
    ///
    /// If a file cannot be opened or read to its end, the sink receives an [error](Event::Error), and the search
    /// continues with the next file.
    ///
    /// The search needs memory for about one [`chunk`](Self::chunk) of input, and for one message of at most
    /// `max-message` bytes.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use urlspool::{Event, Extractor};
    ///
    /// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nSee http://www.example.org/\n";
    /// let mut count = 0;
    /// let mut failure = None;
    /// let _ = Extractor::new().read(&mbox[..]).each(&mut |event: Event<'_>| {
    ///     match event {
    ///         Event::Hit(_) => count += 1,
    ///         Event::Error(error) => failure = Some(error.clone()),
    ///         _ => {}
    ///     }
    ///     ControlFlow::Continue(())
    /// });
    /// assert!(count == 1 && failure.is_none());
    /// ```
    pub fn each<K: Sink>(mut self, sink: &mut K) -> ControlFlow<()> {
        while let Some(event) = S::next_event(&mut self.from, &self.search, &mut self.batch) {
            self.search.worker(&mut self.buffers).event(&self.batch, &event, sink)?;
        }
        ControlFlow::Continue(())
    }
}

impl<R: Read> Hits<R> {
    /// Sets the name of the stream, which hits and errors report as the file name. Default: `-`.
    pub fn name(mut self, name: impl AsRef<Path>) -> Self {
        self.from.name = name.as_ref().into();
        self
    }
}

impl<R: Read> Iterator for Hits<R> {
    type Item = Result<Hit<'static>, Error>;

    fn next(&mut self) -> Option<Result<Hit<'static>, Error>> {
        self.pull()
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

    /// Excludes `file` from the search. Call this method with each file to which you write results. Otherwise, the
    /// search could read its own output. The method has no effect if `file` is not a regular file, or if the operating
    /// system is not Unix.
    ///
    /// If the search finds `file` in a directory, even under another name, the file is skipped with the reason
    /// [`Output`](crate::SkipReason::Output). If you passed the path of `file` to [`Extractor::paths`], an error is
    /// reported.
    pub fn output(mut self, file: &std::fs::File) -> Self {
        let data = file.metadata().ok().filter(std::fs::Metadata::is_file);
        self.search.source.outputs.extend(data.and_then(|data| source::id(&data)));
        self
    }

    /// Sets a function, `decide`, that the search calls before it opens a file. The result of `decide` says whether to
    /// skip the file, and where in the file to begin. Use this method if your program searches the same growing mailbox
    /// in each run, and each run must search only the new messages.
    ///
    /// In a public-inbox (a mail archive in git repositories), the search calls `decide` for each message, with the
    /// path `REPOSITORY:ID`. The search does not call `decide` for standard input.
    ///
    /// With this option, there are two more events. [`Event::Reached`] has the position up to which a mailbox was read.
    /// [`Event::Finished`] is the last event of a file. This option also turns on line counting. Even in a resumed file,
    /// message numbers, line numbers and offsets count from the beginning of the file. For a resumed file, the search
    /// ignores a byte range.
    ///
    /// Several worker threads can call `decide` at the same time. `decide` must check that the file is still the same
    /// as in the previous run.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use urlspool::{Event, Extractor, Resume};
    ///
    /// let run = |from| {
    ///     let (mut urls, mut reached) = (Vec::new(), None);
    ///     let hits = Extractor::new().paths(["corpus/mbox/small.mbox"]);
    ///     let hits = hits.resume(move |_| Resume::Read { from, is_settled: true });
    ///     let _ = hits.each(&mut |event: Event<'_>| {
    ///         match event {
    ///             Event::Hit(hit) => urls.push(hit.url().to_string()),
    ///             Event::Reached { position, .. } => reached = Some(*position),
    ///             _ => {}
    ///         }
    ///         ControlFlow::Continue(())
    ///     });
    ///     (urls, reached)
    /// };
    /// let (urls, reached) = run(None);
    /// assert!(!urls.is_empty() && reached.is_some());
    /// assert!(run(reached).0.is_empty());
    /// ```
    pub fn resume(mut self, decide: impl Fn(&Path) -> Resume + Send + Sync + 'static) -> Self {
        self.search.source.resume = Some(Decide(Arc::new(decide)));
        self.search.source.count_lines = true;
        self
    }
}

impl Iterator for Hits<FromPaths> {
    type Item = Result<Hit<'static>, Error>;

    #[cfg(feature = "parallel")]
    fn next(&mut self) -> Option<Result<Hit<'static>, Error>> {
        let FromPaths { paths, walk, ahead, .. } = &mut self.from;
        if ahead.is_none() && walk.is_none() && self.search.threads() > 1 {
            let hits: Hits<FromPaths> = Hits::of(self.search.clone(), FromPaths::new(take(paths)));
            *ahead = Some(Ahead::new(move |sender| drop(hits.parallel(sender))));
        }
        match ahead {
            Some(ahead) => ahead.next(),
            None => self.pull(),
        }
    }

    #[cfg(not(feature = "parallel"))]
    fn next(&mut self) -> Option<Result<Hit<'static>, Error>> {
        self.pull()
    }
}

/// Prints the options, but not the input.
impl<S: Feed> fmt::Debug for Hits<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hits").field("search", &self.search).finish_non_exhaustive()
    }
}

#[cfg(feature = "parallel")]
use ahead::Ahead;

#[cfg(feature = "parallel")]
mod ahead {
    //! Runs the search in other threads, ahead of the iterator.

    use std::collections::VecDeque;
    use std::ops::ControlFlow;
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::thread::JoinHandle;

    use super::Queue;
    use crate::error::Error;
    use crate::event::Collect;
    use crate::hit::Hit;

    /// The number of hits at which a thread sends its queue of hits to the iterator.
    const FULL: usize = 1024;
    /// The maximum number of queues that wait for the iterator. All queues together take a few MiB.
    const WAITING: usize = 8;

    type Found = VecDeque<Result<Hit<'static>, Error>>;

    /// Receives the hits from the threads that search. When this value is dropped, the threads end soon. The drop does
    /// not wait for the threads, because a thread may have to wait long for the next path.
    pub(super) struct Ahead {
        found: Found,
        /// `None` after the last result.
        run: Option<(Receiver<Found>, JoinHandle<()>)>,
    }

    pub(super) struct Sender(SyncSender<Found>);

    impl Collect for Sender {
        type Local = Queue;

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
        /// `search` passes its hits to the sender.
        pub(super) fn new(search: impl FnOnce(Sender) + Send + 'static) -> Ahead {
            let (sender, receiver) = sync_channel(WAITING);
            let thread = std::thread::spawn(move || search(Sender(sender)));
            Ahead { found: VecDeque::new(), run: Some((receiver, thread)) }
        }

        pub(super) fn next(&mut self) -> Option<Result<Hit<'static>, Error>> {
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
