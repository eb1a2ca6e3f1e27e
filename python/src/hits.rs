//! A search of many files in other threads.

use std::ffi::CString;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::vec;

use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyCapsule, PyDict};
use urlspool::{Collect, DiagnosticKind, Event, FromPaths, Sink, Task, problem};

use crate::arrow;
use crate::fork::{FORKED, Origin};
use crate::hit::Hit;
use crate::stream::{Answer, Files, Request, Stream};

/// The URLs of a search: an iterator of Hit, and a stream of Arrow record batches. Other threads search while Python
/// reads. You can read the URLs only once. The end of a `with` block ends the search.
#[pyclass(frozen, module = "urlspool")]
pub(crate) struct Hits {
    state: Mutex<State>,
    /// The [`thread`] that holds the lock of `state` while it reads a file object, or 0.
    reader: AtomicUsize,
    shared: Arc<Shared>,
    origin: Origin,
}

struct State {
    /// `None` after the last batch, after `close`, and after an Arrow stream has taken over the batches.
    batches: Option<Batches>,
    batch: vec::IntoIter<urlspool::Hit<'static>>,
}

/// The counts and problems that the searching threads report to Python.
#[derive(Default)]
struct Shared {
    stops: AtomicBool,
    files: AtomicU64,
    messages: AtomicU64,
    bytes: AtomicU64,
    lines: AtomicU64,
    hits: AtomicU64,
    /// The number of files and members that could not be read to their end.
    not_read: AtomicU64,
    problems: Mutex<Vec<String>>,
    /// The task that this search runs. `None` for a search that is not a task.
    task: Option<Task>,
    /// Whether the task failed because a file has changed or could not be read.
    has_failed: AtomicBool,
    /// Whether all hits were received.
    is_ended: AtomicBool,
}

/// How many hits are sent to Python together.
const BATCH: usize = 1024;
/// How many batches of hits can wait for Python. If Python is slow, the search waits, so that memory does not fill up
/// with hits.
const WAITING: usize = 4;
/// How often Ctrl-C is checked while Python waits for hits.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// What the thread of a search sends to Python.
pub(crate) enum Sent {
    Hits(Vec<urlspool::Hit<'static>>),
    /// The search waits for the answer to this request.
    Request(Request),
}

/// Receives the hits in batches. The search ends when this value is dropped.
pub(crate) struct Batches {
    /// This is an `Option` only because `drop` must move the receiver out of the struct.
    receiver: Option<Receiver<Sent>>,
    search: Option<JoinHandle<()>>,
    /// The file objects of the search. `None` for a search of paths.
    files: Option<Files>,
    shared: Arc<Shared>,
    origin: Origin,
}

impl Batches {
    /// Returns the next batch, or `None` at the end. If the search needs more input from a file object, reads this
    /// object, in the thread of the caller.
    ///
    /// # Errors
    ///
    /// If no batch arrives within `patience`, if the search panicked, if this process is a forked child, or if a file
    /// object raised an exception. The hits before the exception are returned first.
    pub(crate) fn next(&mut self, patience: Duration) -> Result<Option<Vec<urlspool::Hit<'static>>>, Failure> {
        if !self.origin.is_here() {
            return Err(Failure::Fork);
        }
        let Some(receiver) = &self.receiver else { return Ok(None) };
        loop {
            match receiver.recv_timeout(patience) {
                Ok(Sent::Hits(batch)) => return Ok(Some(batch)),
                Ok(Sent::Request(request)) => {
                    if let Some(files) = &mut self.files {
                        files.answer(request).map_err(Failure::Raised)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return Err(Failure::Timeout),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        if let Some(Err(_)) = self.search.take().map(JoinHandle::join) {
            return Err(Failure::Panic);
        }
        if let Some(raised) = self.files.as_mut().and_then(|files| files.raised.take()) {
            return Err(Failure::Raised(raised));
        }
        self.shared.is_ended.store(true, Ordering::Relaxed);
        Ok(None)
    }
}

pub(crate) enum Failure {
    Timeout,
    Panic,
    Fork,
    /// A file object raised this exception.
    Raised(PyErr),
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Raised(raised) => raised,
            Failure::Fork => PyRuntimeError::new_err(FORKED),
            Failure::Panic | Failure::Timeout => {
                PyRuntimeError::new_err("an error in urlspool itself; please report it")
            }
        }
    }
}

impl Batches {
    /// Warns if files could not be read. Returns the warning if warnings are errors.
    pub(crate) fn warn(&self) -> PyResult<()> {
        Python::attach(|py| warn(py, self.shared.not_read.load(Ordering::Relaxed)))
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.shared.stops.store(true, Ordering::Relaxed);
        if !self.origin.is_here() {
            // This process is a forked child. If a thread of the parent held a lock of the channel during the fork, the
            // child's copy of the lock is never released. Dropping the channel could then wait forever, so the channel
            // is leaked.
            std::mem::forget((self.receiver.take(), self.search.take(), self.files.take()));
        }
    }
}

/// Sends the hits of all worker threads to Python, in the order of the input.
pub(crate) struct Sender {
    sender: SyncSender<Sent>,
    shared: Arc<Shared>,
}

/// The hits and problems of one worker thread.
pub(crate) struct Found {
    hits: Vec<urlspool::Hit<'static>>,
    problems: Vec<String>,
    shared: Arc<Shared>,
    /// The channel to Python, if [`Hits::start_files`] started the search. In other searches, [`Sender`] sends the
    /// hits.
    sender: Option<SyncSender<Sent>>,
}

impl Found {
    fn new(shared: &Arc<Shared>) -> Found {
        Found { hits: Vec::new(), problems: Vec::new(), shared: Arc::clone(shared), sender: None }
    }

    fn send(&mut self, sender: &SyncSender<Sent>) -> ControlFlow<()> {
        self.shared.problems().append(&mut self.problems);
        if self.hits.is_empty() {
            return ControlFlow::Continue(());
        }
        match sender.send(Sent::Hits(std::mem::take(&mut self.hits))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

impl Shared {
    fn problems(&self) -> MutexGuard<'_, Vec<String>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Warns at the end of a search if files or members could not be read to their end. `count` is their number.
pub(crate) fn warn(py: Python<'_>, count: u64) -> PyResult<()> {
    if count == 0 {
        return Ok(());
    }
    let files = if count == 1 { "1 file or member".to_owned() } else { format!("{count} files or members") };
    let text = CString::new(format!("{files} could not be read completely; the attribute `problems` says why"))?;
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)
}

impl Sink for Found {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        let shared = &self.shared;
        match event {
            Event::Hit(hit) => {
                self.hits.push(hit.to_owned());
                shared.hits.fetch_add(1, Ordering::Relaxed);
                if let Some(sender) = self.sender.clone().filter(|_| self.hits.len() >= BATCH) {
                    return self.send(&sender);
                }
            }
            Event::Segment { segment, .. } => {
                shared.messages.fetch_add(segment.is_message().into(), Ordering::Relaxed);
                shared.bytes.fetch_add(segment.length(), Ordering::Relaxed);
                if shared.task.is_some() {
                    shared.lines.fetch_add(segment.lines(), Ordering::Relaxed);
                }
            }
            // If a message is larger than `max_message`, its end is not decoded. Report such a message as a problem, so
            // that the user can raise the limit.
            Event::Diagnostic { file, diagnostic } if diagnostic.kind() == DiagnosticKind::OversizeMessage => {
                let name = file.map(|file| file.name().display().to_string()).unwrap_or_default();
                self.problems.push(format!("{name}: {diagnostic}"));
            }
            // A JSON object says what was not searched. It is the line that the command writes with `--problems`.
            Event::Unsearched { .. } => {
                let mut line = Vec::new();
                problem(event, &mut line);
                self.problems.push(String::from_utf8_lossy(line.trim_ascii_end()).into_owned());
            }
            Event::Error(error) => {
                self.problems.push(error.to_string());
                shared.not_read.fetch_add(error.count(), Ordering::Relaxed);
                if shared.task.as_ref().is_some_and(|task| task.is_failed_by(error)) {
                    shared.has_failed.store(true, Ordering::Relaxed);
                }
            }
            Event::End(_) => drop(shared.files.fetch_add(1, Ordering::Relaxed)),
            Event::Check if shared.stops.load(Ordering::Relaxed) => return ControlFlow::Break(()),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Collect for Sender {
    type Local = Found;

    fn new_local(&self) -> Found {
        Found::new(&self.shared)
    }

    fn is_full(found: &Found) -> bool {
        found.hits.len() >= BATCH
    }

    fn collect(&mut self, found: &mut Found) -> ControlFlow<()> {
        found.send(&self.sender)
    }
}

impl Hits {
    /// Starts a search of paths, which can have several threads.
    pub(crate) fn start(hits: urlspool::Hits<FromPaths>) -> Hits {
        Hits::run(Shared::default(), None, move |sender, shared| drop(hits.parallel(Sender { sender, shared })))
    }

    /// Starts a task.
    pub(crate) fn start_task(task: Task, threads: usize) -> Hits {
        let hits = task.hits(threads);
        let shared = Shared { task: Some(task), ..Shared::default() };
        Hits::run(shared, None, move |sender, shared| drop(hits.parallel(Sender { sender, shared })))
    }

    /// Starts a search of file objects, one after another, with one thread. `files` is an iterator of pairs: a name,
    /// and a function that returns the next bytes.
    pub(crate) fn start_files(extractor: urlspool::Extractor, files: Py<PyAny>, task: Option<Task>) -> Hits {
        let (answers, answer) = sync_channel::<Answer>(1);
        let shared = Shared { task, ..Shared::default() };
        Hits::run(shared, Some(Files::new(files, answers)), move |sender, shared| {
            let mut stream = Stream::new(sender.clone(), answer);
            let mut found = Found { sender: Some(sender.clone()), ..Found::new(&shared) };
            while let Some(name) = stream.open() {
                if extractor.read(&mut stream).name(name).each(&mut found).is_break() {
                    return;
                }
            }
            let _ = found.send(&sender);
        })
    }

    fn run(
        shared: Shared,
        files: Option<Files>,
        search: impl FnOnce(SyncSender<Sent>, Arc<Shared>) + Send + 'static,
    ) -> Hits {
        let (sender, receiver) = sync_channel(WAITING);
        let shared = Arc::new(shared);
        let theirs = Arc::clone(&shared);
        let search = Some(thread::spawn(move || search(sender, theirs)));
        let origin = Origin::here();
        let batches = Batches { receiver: Some(receiver), search, files, shared: Arc::clone(&shared), origin };
        let state = Mutex::new(State { batches: Some(batches), batch: Vec::new().into_iter() });
        Hits { state, reader: AtomicUsize::new(0), shared, origin }
    }

    /// Returns the state, when no other thread uses it.
    ///
    /// # Errors
    ///
    /// Returns an error if this thread already uses it: the method `read` of a file object, or a signal handler, called
    /// the search that waits for it.
    fn state(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        if self.reader.load(Ordering::Relaxed) == thread() {
            return Err(PyRuntimeError::new_err("this search is already running"));
        }
        Ok(self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns a number that no other running thread has. It is not 0.
fn thread() -> usize {
    thread_local!(static PLACE: u8 = const { 0 });
    PLACE.with(|place| std::ptr::from_ref(place).addr())
}

#[pymethods]
impl Hits {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Hit>> {
        self.origin.check()?;
        loop {
            let mut guard = self.state(py)?;
            let state = &mut *guard;
            if let Some(hit) = state.batch.next() {
                return Ok(Some(Hit(hit)));
            }
            let Some(batches) = &mut state.batches else { return Ok(None) };
            self.reader.store(thread(), Ordering::Relaxed);
            let next = py.detach(|| batches.next(PATIENCE));
            self.reader.store(0, Ordering::Relaxed);
            match next {
                Ok(Some(batch)) => state.batch = batch.into_iter(),
                Ok(None) => {
                    state.batches = None;
                    drop(guard);
                    warn(py, self.shared.not_read.load(Ordering::Relaxed))?;
                    return Ok(None);
                }
                Err(Failure::Timeout) => {
                    drop(guard);
                    py.check_signals()?;
                }
                Err(failure) => {
                    state.batches = None;
                    return Err(failure.into());
                }
            }
        }
    }

    /// The problems so far: a line for each file that could not be opened or read to its end, and a line for each
    /// message that is larger than `max_message`.
    #[getter]
    fn problems(&self) -> PyResult<Vec<String>> {
        self.origin.check()?;
        Ok(self.shared.problems().clone())
    }

    /// The numbers of files, messages and bytes (after decompression) that were searched so far. The numbers can
    /// include messages whose URLs you have not read, because the threads search ahead.
    #[getter]
    fn progress(&self) -> (u64, u64, u64) {
        let Shared { files, messages, bytes, .. } = &*self.shared;
        (files.load(Ordering::Relaxed), messages.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed))
    }

    /// The totals of a task: a dict with `task`, `messages`, `lines`, `bytes`, `rows`, `problems` and `complete`, as in
    /// the output of `urlspool tasks run`. The value is None until you have read all URLs of the task. It is also None
    /// for a search that is not a task.
    #[getter]
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.origin.check()?;
        let Some(task) = &self.shared.task else { return Ok(None) };
        if !self.shared.is_ended.load(Ordering::Relaxed) || self.state(py)?.batch.len() > 0 {
            return Ok(None);
        }
        let totals = PyDict::new(py);
        totals.set_item("task", task.id())?;
        let Shared { messages, lines, bytes, hits, not_read, .. } = &*self.shared;
        let counts =
            [("messages", messages), ("lines", lines), ("bytes", bytes), ("rows", hits), ("problems", not_read)];
        for (name, number) in counts {
            totals.set_item(name, number.load(Ordering::Relaxed))?;
        }
        totals.set_item("complete", !self.shared.has_failed.load(Ordering::Relaxed))?;
        Ok(Some(totals))
    }

    /// Ends the search, and discards the URLs that you have not read.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        // A forked child does not have the thread of the search, so it has nothing to stop. Without this check, the
        // child could wait forever for a lock that a thread of the parent held during the fork.
        if !self.origin.is_here() {
            return Ok(());
        }
        let mut state = self.state(py)?;
        (state.batches, state.batch) = (None, Vec::new().into_iter());
        Ok(())
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __exit__(&self, py: Python<'_>, _kind: Py<PyAny>, _value: Py<PyAny>, _trace: Py<PyAny>) -> PyResult<()> {
        self.close(py)
    }

    /// Returns the URLs that you have not read, as a stream of Arrow record batches. pyarrow, polars, duckdb and pandas
    /// call this method.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Arrow's interface allows this method to ignore the requested schema. The calling program must then convert
        // the columns itself.
        drop(requested_schema);
        self.origin.check()?;
        let mut state = self.state(py)?;
        let first: Vec<_> = std::mem::take(&mut state.batch).collect();
        let batches = state.batches.take();
        let batches = batches.ok_or_else(|| {
            PyValueError::new_err("the URLs of this search were already read, or the search was closed")
        })?;
        arrow::stream(py, first, batches)
    }

    /// Returns the schema of the stream. Reads nothing.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py)
    }
}
