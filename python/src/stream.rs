//! Reads file objects of Python. The thread of the search asks for bytes, and the thread that receives the hits reads
//! the file object and answers. So a file object is never read after the search was closed, and Ctrl-C ends a read.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender};

use pyo3::exceptions::{PyException, PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::hits::Sent;

/// How many bytes to read from a file object at a time.
const PIECE: usize = 1 << 20;

/// What the search needs.
#[derive(Clone, Copy)]
pub(crate) enum Request {
    /// The name of the next file.
    Open,
    /// The next bytes of the current file.
    Read,
}

/// The answer to a request. `None` after the last file. The error is the text of an exception.
pub(crate) type Answer = Result<Option<PyBackedBytes>, String>;

/// The file objects of a search.
pub(crate) struct Files {
    files: Py<PyAny>,
    /// The function that reads the current file.
    read: Option<Py<PyAny>>,
    answers: SyncSender<Answer>,
    /// The exception that ended the reading.
    pub(crate) raised: Option<PyErr>,
}

impl Files {
    pub(crate) fn new(files: Py<PyAny>, answers: SyncSender<Answer>) -> Files {
        Files { files, read: None, answers, raised: None }
    }

    /// Answers a request of the search.
    ///
    /// # Errors
    ///
    /// Returns the exception if it must be raised at once, such as `KeyboardInterrupt`. Any other exception is stored
    /// in `raised`, and the search reports the URLs before it.
    pub(crate) fn answer(&mut self, request: Request) -> PyResult<()> {
        let answer = match Python::attach(|py| self.bytes(py, request)) {
            Ok(bytes) => Ok(bytes),
            Err(raised) if !Python::attach(|py| raised.is_instance_of::<PyException>(py)) => return Err(raised),
            Err(raised) => Err(self.raised.insert(not_the_end(raised)).to_string()),
        };
        // If the search has ended, `Batches::next` returns the reason.
        let _ = self.answers.send(answer);
        Ok(())
    }

    fn bytes(&mut self, py: Python<'_>, request: Request) -> PyResult<Option<PyBackedBytes>> {
        py.check_signals()?;
        if let (Request::Read, Some(read)) = (request, &self.read) {
            return read.call1(py, (PIECE,))?.extract(py).map(Some).map_err(PyErr::from);
        }
        let Some(file) = self.files.bind(py).try_iter()?.next().transpose()?.filter(|_| self.raised.is_none()) else {
            return Ok(None);
        };
        let (name, read) = file.extract()?;
        self.read = Some(read);
        Ok(Some(name))
    }
}

/// The current file, in the thread of the search.
pub(crate) struct Stream {
    requests: SyncSender<Sent>,
    answers: Receiver<Answer>,
    /// The last piece that was read, and the number of its bytes that were used.
    piece: Option<PyBackedBytes>,
    used: usize,
}

impl Stream {
    pub(crate) fn new(requests: SyncSender<Sent>, answers: Receiver<Answer>) -> Stream {
        Stream { requests, answers, piece: None, used: 0 }
    }

    fn ask(&mut self, request: Request) -> io::Result<Option<PyBackedBytes>> {
        let closed = || io::Error::other("the search was closed");
        self.requests.send(Sent::Request(request)).map_err(|_| closed())?;
        self.answers.recv().map_err(|_| closed())?.map_err(io::Error::other)
    }

    /// Opens the next file, and returns its name. Returns `None` after the last file, and after an exception.
    pub(crate) fn open(&mut self) -> Option<PathBuf> {
        self.piece = None;
        let name = self.ask(Request::Open).ok()??;
        Some(urlspool::shared::path(&name).into_owned())
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.piece.as_ref().is_none_or(|piece| self.used == piece.len()) {
            (self.piece, self.used) = (None, 0);
            self.piece = self.ask(Request::Read)?;
        }
        let count = self.piece.as_ref().map_or(Ok(0), |piece| (&piece[self.used..]).read(buffer))?;
        self.used += count;
        Ok(count)
    }
}

/// Replaces `StopIteration`, which would end the iteration over the hits as if the mail had ended (PEP 479).
fn not_the_end(raised: PyErr) -> PyErr {
    Python::attach(|py| match raised.is_instance_of::<PyStopIteration>(py) {
        true => PyRuntimeError::new_err("the method `read` raised StopIteration"),
        false => raised,
    })
}
