//! The URLs of many files, found by other threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::vec;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyCapsule;
use urlspool::{Collect, Error, HitRef, Input, Segment, Sink};

use crate::arrow;
use crate::hit::Hit;

/// The URLs of many files: an iterator of Hit, and a stream of Arrow record batches. Other threads search ahead.
#[pyclass(frozen, module = "urlspool")]
pub(crate) struct Hits {
    state: Mutex<State>,
    shared: Arc<Shared>,
}

struct State {
    /// `None` after the last batch, after `close`, and if an Arrow stream has taken it.
    batches: Option<Batches>,
    batch: vec::IntoIter<urlspool::Hit>,
}

/// What the searching threads report.
#[derive(Default)]
struct Shared {
    stops: AtomicBool,
    files: AtomicU64,
    messages: AtomicU64,
    bytes: AtomicU64,
    problems: Mutex<Vec<String>>,
}

/// This many hits are sent at a time.
const BATCH: usize = 1024;
/// This many batches wait for Python. With the batches of the workers, that is the memory.
const WAITING: usize = 4;
/// How long Python waits before it looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(100);

/// The hits, batch by batch.
pub(crate) struct Batches {
    receiver: Receiver<Vec<urlspool::Hit>>,
    search: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

impl Batches {
    /// Returns the next batch. `None` at the end.
    ///
    /// # Errors
    ///
    /// If the search panicked.
    pub(crate) fn next(&mut self, patience: Option<Duration>) -> Result<Option<Vec<urlspool::Hit>>, Failure> {
        let received = match patience {
            Some(patience) => self.receiver.recv_timeout(patience),
            None => self.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(batch) => Ok(Some(batch)),
            Err(RecvTimeoutError::Timeout) => Err(Failure::Timeout),
            Err(RecvTimeoutError::Disconnected) => match self.search.take().map(JoinHandle::join) {
                Some(Err(_)) => Err(Failure::Panic),
                _ => Ok(None),
            },
        }
    }
}

pub(crate) enum Failure {
    Timeout,
    Panic,
}

/// Dropping it ends the search.
impl Drop for Batches {
    fn drop(&mut self) {
        self.shared.stops.store(true, Ordering::Relaxed);
    }
}

/// Sends what the workers found, in the order of the input.
pub(crate) struct Sender {
    sender: SyncSender<Vec<urlspool::Hit>>,
    shared: Arc<Shared>,
}

/// What one worker found.
pub(crate) struct Found {
    hits: Vec<urlspool::Hit>,
    problems: Vec<String>,
    shared: Arc<Shared>,
    /// Where a search of one thread sends its hits.
    sender: Option<SyncSender<Vec<urlspool::Hit>>>,
}

impl Found {
    fn new(shared: &Arc<Shared>) -> Found {
        Found { hits: Vec::new(), problems: Vec::new(), shared: Arc::clone(shared), sender: None }
    }

    fn send(&mut self, sender: &SyncSender<Vec<urlspool::Hit>>) -> ControlFlow<()> {
        self.shared.problems().append(&mut self.problems);
        if self.hits.is_empty() {
            return ControlFlow::Continue(());
        }
        match sender.send(std::mem::take(&mut self.hits)) {
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

impl Sink for Found {
    type Flow = ControlFlow<()>;

    fn hit(&mut self, hit: &HitRef<'_>) -> Self::Flow {
        self.hits.push(hit.to_owned());
        match self.sender.clone().filter(|_| self.hits.len() >= BATCH) {
            Some(sender) => self.send(&sender),
            None => ControlFlow::Continue(()),
        }
    }

    fn segment(&mut self, _: Option<&Input>, segment: &Segment<'_>) -> Self::Flow {
        self.shared.messages.fetch_add(segment.is_message().into(), Ordering::Relaxed);
        self.shared.bytes.fetch_add(segment.length(), Ordering::Relaxed);
        ControlFlow::Continue(())
    }

    fn problem(&mut self, error: &Error) -> Self::Flow {
        self.problems.push(error.to_string());
        ControlFlow::Continue(())
    }

    fn end(&mut self, _: &Input) -> Self::Flow {
        self.shared.files.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    }

    fn check(&mut self) -> Self::Flow {
        if self.shared.stops.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Collect for Sender {
    type Local = Found;
    type Flow = ControlFlow<()>;

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
    /// Starts a search of several threads.
    pub(crate) fn start(search: impl FnOnce(&mut Sender) -> ControlFlow<()> + Send + 'static) -> Hits {
        Hits::run(move |sender, shared| {
            let _ = search(&mut Sender { sender, shared });
        })
    }

    /// Starts a search of one thread.
    pub(crate) fn start_alone(
        search: impl FnOnce(&mut Found) -> Result<ControlFlow<()>, Error> + Send + 'static,
    ) -> Hits {
        Hits::run(move |sender, shared| {
            let mut found = Found { sender: Some(sender.clone()), ..Found::new(&shared) };
            if let Err(error) = search(&mut found) {
                found.problems.push(error.to_string());
            }
            let _ = found.send(&sender);
        })
    }

    fn run(search: impl FnOnce(SyncSender<Vec<urlspool::Hit>>, Arc<Shared>) + Send + 'static) -> Hits {
        let (sender, receiver) = sync_channel(WAITING);
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let search = thread::spawn(move || search(sender, theirs));
        let batches = Batches { receiver, search: Some(search), shared: Arc::clone(&shared) };
        Hits { state: Mutex::new(State { batches: Some(batches), batch: Vec::new().into_iter() }), shared }
    }

    fn state(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Hits {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Hit>> {
        loop {
            let mut guard = self.state(py);
            let state = &mut *guard;
            if let Some(hit) = state.batch.next() {
                return Ok(Some(Hit(hit)));
            }
            let Some(batches) = &mut state.batches else { return Ok(None) };
            match py.detach(|| batches.next(Some(PATIENCE))) {
                Ok(Some(batch)) => state.batch = batch.into_iter(),
                Ok(None) => state.batches = None,
                Err(Failure::Timeout) => {
                    drop(guard);
                    py.check_signals()?;
                }
                Err(Failure::Panic) => {
                    state.batches = None;
                    return Err(PyRuntimeError::new_err("an error in urlspool itself; please report it"));
                }
            }
        }
    }

    /// What could not be read, or not to its end, so far. Everything else was read.
    #[getter]
    fn problems(&self) -> Vec<String> {
        self.shared.problems().clone()
    }

    /// How much was searched so far: files, messages and bytes (as decompressed). The threads search ahead of the iterator.
    #[getter]
    fn progress(&self) -> (u64, u64, u64) {
        let Shared { files, messages, bytes, .. } = &*self.shared;
        (files.load(Ordering::Relaxed), messages.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed))
    }

    /// Ends the search.
    fn close(&self, py: Python<'_>) {
        let mut state = self.state(py);
        (state.batches, state.batch) = (None, Vec::new().into_iter());
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __exit__(&self, py: Python<'_>, _kind: Py<PyAny>, _value: Py<PyAny>, _trace: Py<PyAny>) {
        self.close(py);
    }

    /// The rest of the URLs as a stream of Arrow record batches: pyarrow, polars, duckdb and pandas take this object.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // As the interface allows, the schema stays, and the consumer converts.
        drop(requested_schema);
        let mut state = self.state(py);
        let first: Vec<_> = std::mem::take(&mut state.batch).collect();
        let batches = state.batches.take();
        let batches = batches.ok_or_else(|| PyValueError::new_err("the URLs were read already"))?;
        arrow::stream(py, first, batches)
    }

    /// The schema of the stream, without reading anything.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py)
    }
}
