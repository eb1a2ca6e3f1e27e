//! The classes Messages and Message, which read the messages of archives.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyString;
use urlspool::DiagnosticKind;

use crate::fork::Origin;
use crate::hit::{Hit, text, utc};
use crate::hits::warn;

/// The messages of many files: an iterator of Message. You can read the messages only once. `close()` and the end of a
/// `with` block end the search.
#[pyclass(frozen, module = "urlspool")]
pub(crate) struct Messages {
    state: Mutex<State>,
    origin: Origin,
}

struct State {
    /// `None` after the last message, and after `close`.
    messages: Option<Box<dyn Iterator<Item = Result<urlspool::Message, urlspool::Error>> + Send>>,
    problems: Vec<String>,
    /// The number of files that could not be read to their end.
    not_read: u64,
    /// The file of the last message that was returned.
    file: Option<PathBuf>,
    progress: (u64, u64, u64),
}

impl Messages {
    pub(crate) fn new(hits: urlspool::Hits<urlspool::FromPaths>) -> Messages {
        let messages: Option<Box<dyn Iterator<Item = _> + Send>> = Some(Box::new(hits.messages()));
        let state = State { messages, problems: Vec::new(), not_read: 0, file: None, progress: (0, 0, 0) };
        Messages { state: Mutex::new(state), origin: Origin::here() }
    }

    fn state(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        self.origin.check()?;
        Ok(self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    /// Counts a message. If the message is larger than `max_message`, adds a line to the problems.
    fn count(&mut self, message: &urlspool::Message) {
        let (files, messages, bytes) = &mut self.progress;
        let file = file(message);
        if self.file.as_deref() != Some(file) {
            self.file = Some(file.into());
            *files += 1;
        }
        *messages += 1;
        let range = message.range();
        *bytes += range.end - range.start;
        let oversize =
            message.diagnostics().iter().filter(|diagnostic| diagnostic.kind() == DiagnosticKind::OversizeMessage);
        let name = file.display();
        self.problems.extend(oversize.map(|diagnostic| format!("{name}: {diagnostic}")));
    }
}

#[pymethods]
impl Messages {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Message>> {
        loop {
            let mut guard = self.state(py)?;
            let state = &mut *guard;
            let Some(messages) = &mut state.messages else { return Ok(None) };
            match py.detach(|| messages.next()) {
                Some(Ok(message)) => {
                    state.count(&message);
                    return Ok(Some(Message(message)));
                }
                Some(Err(error)) => {
                    state.problems.push(error.to_string());
                    state.not_read += error.count();
                    // A signal handler can close the search.
                    drop(guard);
                    py.check_signals()?;
                }
                None => {
                    state.messages = None;
                    let not_read = state.not_read;
                    drop(guard);
                    return warn(py, not_read).map(|()| None);
                }
            }
        }
    }

    /// The problems so far: a line for each file that could not be opened or read to its end, and a line for each
    /// message that is larger than `max_message`.
    #[getter]
    fn problems(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.state(py)?.problems.clone())
    }

    /// The numbers of files, messages and bytes (after decompression) that were returned so far. A file is counted when
    /// its first message is returned.
    #[getter]
    fn progress(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        Ok(self.state(py)?.progress)
    }

    /// Ends the search, and closes the file.
    fn close(&self, py: Python<'_>) {
        // In a forked child, `state` returns an error, and there is nothing to close.
        if let Ok(mut state) = self.state(py) {
            state.messages = None;
        }
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __exit__(&self, py: Python<'_>, _kind: Py<PyAny>, _value: Py<PyAny>, _trace: Py<PyAny>) {
        self.close(py);
    }
}

/// A message of an archive.
fn file(message: &urlspool::Message) -> &Path {
    message.input().map_or(Path::new(""), urlspool::Input::name)
}

#[pyclass(frozen, module = "urlspool")]
pub(crate) struct Message(urlspool::Message);

#[pymethods]
impl Message {
    #[getter]
    fn file<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        text(py, file(&self.0).as_os_str().as_encoded_bytes())
    }
    #[getter]
    fn number(&self) -> Option<u64> {
        self.0.number()
    }
    #[getter]
    fn offset(&self) -> u64 {
        self.0.range().start
    }
    #[getter]
    fn length(&self) -> u64 {
        let range = self.0.range();
        range.end - range.start
    }
    #[getter]
    fn subject(&self) -> Option<String> {
        self.0.subject()
    }
    #[getter]
    fn from_(&self) -> Option<String> {
        self.0.from()
    }
    #[getter]
    fn timestamp(&self) -> Option<i64> {
        self.0.timestamp()
    }
    #[getter]
    fn date<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.timestamp().map(|seconds| utc(py, seconds)).transpose()
    }
    #[getter]
    fn message_id(&self) -> Option<String> {
        self.0.message_id()
    }
    #[getter]
    fn list_id(&self) -> Option<String> {
        self.0.list_id()
    }
    /// The message as it is stored, but without the `From ` line of an mbox, or the similar line of another format.
    #[getter]
    fn stored(&self) -> &[u8] {
        self.0.stored()
    }
    /// Returns the message without the bytes that the mailbox format added, such as the dots of dot-stuffing. In an
    /// mbox, the `>` in a line that begins with `>From ` is kept, because the author may have typed it.
    fn __bytes__(&self) -> &[u8] {
        self.0.bytes()
    }
    #[getter]
    fn hits(&self) -> Vec<Hit> {
        self.0.hits().iter().cloned().map(Hit).collect()
    }
    #[getter]
    fn problems(&self) -> Vec<String> {
        self.0.diagnostics().iter().map(ToString::to_string).collect()
    }
    /// Returns a field of the header, decoded, or None if the message does not have the field.
    fn header(&self, name: &str) -> Option<String> {
        self.0.header(name)
    }
    /// All fields of the header, decoded: pairs of a name and a value.
    #[getter]
    fn headers(&self) -> Vec<(String, String)> {
        self.0.headers().map(|(name, value)| (name.into_owned(), value)).collect()
    }
    /// The decoded text of all plain text parts. If these parts have no text, this is the decoded text of the HTML
    /// parts.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        let (mut plain, mut html) = (String::new(), String::new());
        self.0.parts(|part| {
            if !part.section().is_empty() || !part.is_outside() {
                if part.is_html() { &mut html } else { &mut plain }.push_str(&part.to_str());
            }
        });
        PyString::new(py, if plain.is_empty() { &html } else { &plain })
    }

    fn __repr__(&self) -> String {
        format!("<urlspool.Message {} of {:?}>", self.0.number().unwrap_or_default(), file(&self.0))
    }
}
