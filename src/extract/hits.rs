//! Hits as an iterator, and the sources that it reads.

use std::collections::VecDeque;
use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::message::Buffers;
use super::search::Search;
use super::{Extractor, Format, run};
use crate::error::Error;
use crate::hit::{Hit, HitRef};
use crate::sink::{Collect, Flow, Sink, Stoppable};
use crate::source::{self, Batch, Shard, Stream, StreamEvent, Walk};
use crate::wildmat::Wildmat;

/// The largest message. Offsets in decoded text are 32-bit numbers, and that text can be longer than the message.
const MAX_MESSAGE: usize = 1 << 30;

/// An iterator over the URLs of a stream, or of files and directories. [`Extractor::read`], [`Extractor::open`] and
/// [`Extractor::paths`] return it.
///
/// Reading begins with the first call of `next`. Set options before it:
///
/// ```
/// use urlspool::Extractor;
///
/// let hits = Extractor::new().paths(["corpus/mbox"]).threads(2).since(Some(0));
/// for hit in hits {
///     match hit {
///         Ok(hit) => println!("{}:{} {}", hit.file().display(), hit.line(), hit.url()),
///         Err(error) => eprintln!("{error}"), // The rest goes on.
///     }
/// }
/// ```
///
/// An item is an error if a file cannot be read, or not to its end: a truncated gzip file, for example. Malformed
/// messages are not errors. [`each`](Self::each) reports them, and skipped files. It also passes on hits without
/// copying them.
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

    /// Sets the format of every input. Default: `None`. Then it is detected from the content of each input.
    pub fn format(mut self, format: Option<Format>) -> Self {
        self.search.source.format = format.map(|format| format.0);
        self
    }

    /// Sets how many bytes are read at a time, approximately. Default: 256 KiB. Changes the speed, but never the
    /// result.
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.search.source.chunk = bytes;
        self
    }

    /// Sets the size in bytes of the largest message that is decoded. Default: 4 MiB. The rest of a larger message is
    /// read as plain text, with a [diagnostic](crate::DiagnosticKind::OversizeMessage). Values below 1 byte or above 1
    /// GiB are replaced by these limits.
    ///
    /// A larger value takes more memory: the whole message, and several times its size while it is decoded.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.search.source.limits.message = bytes.clamp(1, MAX_MESSAGE);
        self
    }

    /// Restricts the search to messages dated at or after this time, in seconds since 1970-01-01, UTC. Default: `None`.
    ///
    /// The date is that of the Date field. A message without a date that can be parsed is skipped, as
    /// [`Outcome::Undated`](crate::Outcome::Undated). Text outside messages is skipped with this option, and with
    /// [`before`](Self::before), [`newsgroups`](Self::newsgroups) and [`list_id`](Self::list_id).
    pub fn since(mut self, seconds: Option<i64>) -> Self {
        self.search.filter.since = seconds;
        self
    }

    /// Restricts the search to messages dated before this time; see [`since`](Self::since).
    pub fn before(mut self, seconds: Option<i64>) -> Self {
        self.search.filter.before = seconds;
        self
    }

    /// Restricts the search to messages whose Newsgroups field has a newsgroup that matches. Default: `None`.
    pub fn newsgroups(mut self, names: Option<Wildmat>) -> Self {
        self.search.filter.newsgroups = names;
        self
    }

    /// Restricts the search to messages with a [List-Id](Hit::list_id) (RFC 2919) that matches. Default: `None`.
    pub fn list_id(mut self, ids: Option<Wildmat>) -> Self {
        self.search.filter.list = ids;
        self
    }

    /// Restricts the search to messages that begin in this range of their file, in bytes as stored (or decompressed).
    /// Default: `None`.
    ///
    /// A file that is one text begins at 0. So if ranges divide a file, each message belongs to exactly one range, and
    /// together they find what a search of the whole file finds.
    ///
    /// An uncompressed mbox is read from the beginning of the range on. Its messages have no [number](Hit::message),
    /// because those before the range were not counted. If lines are [counted](Extractor::count_lines), and in every
    /// other format, the bytes before the range are read but not searched. In a tar or zip archive the range applies to
    /// each member.
    pub fn byte_range(mut self, range: Option<Range<u64>>) -> Self {
        self.search.source.count_lines = self.search.extractor.count_lines.unwrap_or(range.is_none());
        self.search.source.range = range;
        self
    }
}

/// The source of a stream, for [`Hits`]. [`Extractor::read`] makes it.
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

/// The source of files and directories, for [`Hits`]. [`Extractor::paths`] makes it.
pub struct FromPaths {
    /// `None` once reading has begun.
    paths: Option<Box<dyn Iterator<Item = PathBuf> + Send>>,
    /// The files, read one after the other in the caller's thread.
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

    fn take(&mut self) -> Box<dyn Iterator<Item = PathBuf> + Send> {
        self.paths.take().unwrap_or_else(|| Box::new(std::iter::empty()))
    }
}

/// A source of batches.
pub(super) trait Feed {
    /// Returns what comes next; `None` at the end.
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

/// Hits and errors that were found and not returned yet.
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
    /// Sets the name of the stream in hits and errors. Default: `-`.
    pub fn name(mut self, name: impl AsRef<Path>) -> Self {
        self.from.name = name.as_ref().into();
        self
    }

    /// Passes everything to `sink` instead, without copies: hits, rejects, diagnostics, segments. Call it before
    /// `next`.
    ///
    /// Returns the value with which the sink stopped the run, else the value that continues. After the sink has
    /// stopped, nothing more is read.
    ///
    /// Memory: one batch, and one message of at most [`max_message`](Self::max_message).
    ///
    /// # Errors
    ///
    /// If reading fails, if the format of the stream is not supported, or if the stream was not read to its end. All
    /// that was found before was passed on. The sink gets each error as a [problem](Sink::problem). This returns the
    /// last one, unless the sink stopped the run.
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
    /// Sets the number of threads. Default: 0, which means one for each core, at most 256. With 1, or without the
    /// feature `parallel`, the caller's thread does the work. The result is the same with any number.
    ///
    /// Memory: below 64 MiB with two threads, for any input, unless [`max_message`](Self::max_message) was raised. Each
    /// further thread takes up to about 10 MiB.
    pub fn threads(mut self, threads: usize) -> Self {
        self.search.threads = threads;
        self
    }

    /// Sets whether symbolic links in directories are followed. Default: no. If they are, no file is read twice; this
    /// takes a few bits of memory for each file. A link in the given paths is always followed.
    pub fn follow_links(mut self, follow: bool) -> Self {
        self.search.source.follow = follow;
        self
    }

    /// Restricts the search to this share of the files. Default: `None`. Each share walks all directories, and reports
    /// those that cannot be listed.
    pub fn shard(mut self, shard: Option<Shard>) -> Self {
        self.search.source.shard = shard;
        self
    }

    /// Excludes a file under all its names, with an error. Use it for the file that you write the results to: it would
    /// grow while it is read. Costs a check of each file.
    pub fn output(mut self, file: &std::fs::File) -> Self {
        self.search.source.output =
            file.metadata().ok().filter(std::fs::Metadata::is_file).and_then(|data| source::id(&data));
        self
    }

    /// Passes everything to `collect` instead, without copies and with several threads: hits, rejects, diagnostics,
    /// segments, skipped files. Call it before `next`.
    ///
    /// Returns the value with which `collect` stopped the run, else the value that continues.
    ///
    /// A file that cannot be read is a [problem](Sink::problem), and the run continues with the next file. A panic in a
    /// sink or in `collect` ends the run and continues in the caller's thread.
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

/// Prints the options, not the source.
impl<S> fmt::Debug for Hits<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hits").field("search", &self.search).finish_non_exhaustive()
    }
}

#[cfg(feature = "parallel")]
mod ahead {
    //! Threads that work ahead of the iterator.

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

    /// A thread hands over its local queue when it has this many hits.
    const FULL: usize = 1024;
    /// How many of these queues may wait: some MiB in all.
    const WAITING: usize = 8;

    type Found = VecDeque<Result<Hit, Error>>;

    /// The hits of a run in other threads. After it is dropped, the threads end soon. Drop does not wait for them,
    /// because the next path may take long to arrive.
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
            // The channel is closed if the iterator was dropped.
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

        /// Waits for the threads, which have ended or are about to end. Propagates a panic of one of them.
        fn end(&mut self) {
            if let Some((_, thread)) = self.run.take()
                && let Err(panic) = thread.join()
            {
                std::panic::resume_unwind(panic);
            }
        }
    }
}
