//! Lists files and tasks, and runs tasks.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use urlspool::shared::{FNV_BASIS, fnv1a};
use urlspool::{Error, ListedFile, Task};

use crate::extractor::thread_count;
use crate::hit::text;
use crate::hits::{Hits, warn};

/// A file or a task.
pub(crate) enum Item {
    File(ListedFile),
    Task(Box<Task>),
}

type Items = Box<dyn Iterator<Item = Result<Item, Error>> + Send>;

/// The files or the tasks of a search. This is an iterator, not a sequence: you can read the items only once. To get a
/// list, use `list(listing)`.
#[pyclass(frozen, module = "urlspool")]
pub(crate) struct Listing {
    items: Mutex<Items>,
    problems: Mutex<Vec<String>>,
}

impl Listing {
    pub(crate) fn files(files: impl Iterator<Item = Result<ListedFile, Error>> + Send + 'static) -> Listing {
        Listing::new(Box::new(files.map(|file| file.map(Item::File))))
    }

    pub(crate) fn tasks(tasks: impl Iterator<Item = Result<Task, Error>> + Send + 'static) -> Listing {
        Listing::new(Box::new(tasks.map(|task| task.map(|task| Item::Task(Box::new(task))))))
    }

    fn new(items: Items) -> Listing {
        Listing { items: Mutex::new(items), problems: Mutex::default() }
    }

    fn problems(&self) -> MutexGuard<'_, Vec<String>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Listing {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            py.check_signals()?;
            match py.detach(|| self.items.lock().unwrap_or_else(PoisonError::into_inner).next()) {
                None => return warn(py, self.problems().len() as u64).map(|()| None),
                Some(Ok(Item::File(file))) => return asdict(py, &file).map(|file| Some(file.into_any())),
                Some(Ok(Item::Task(task))) => return Ok(Some(task.to_string().into_pyobject(py)?.into_any())),
                Some(Err(error)) => self.problems().push(error.to_string()),
            }
        }
    }

    /// The problems so far: a line for each file or directory that could not be listed.
    #[getter(problems)]
    fn get_problems(&self) -> Vec<String> {
        self.problems().clone()
    }
}

/// Returns the object that `urlspool files --json` prints, as a dict.
fn asdict<'py>(py: Python<'py>, file: &ListedFile) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("file", text(py, file.path.as_os_str().as_encoded_bytes())?)?;
    dict.set_item("size", file.size)?;
    dict.set_item("format", file.format)?;
    dict.set_item("codec", file.codec)?;
    dict.set_item("splits", file.splits)?;
    Ok(dict)
}

/// Runs a task. `files` are the files of the task, as for `Extractor.file_hits`. Without `files`, the library opens the
/// files.
#[pyfunction]
#[pyo3(signature = (task, *, threads = 1, files = None))]
pub(crate) fn task(
    task: &str,
    #[pyo3(from_py_with = thread_count)] threads: usize,
    files: Option<Py<PyAny>>,
) -> PyResult<Hits> {
    let task: Task = task.parse().map_err(wrong)?;
    if !task.arguments().is_empty() {
        let arguments = task.arguments().join(" ");
        let why =
            format!("the task has options that only the command knows ({arguments}); run it with urlspool tasks run");
        return Err(PyValueError::new_err(why));
    }
    let Some(files) = files else { return Ok(Hits::start_task(task, threads)) };
    let mut extractor = urlspool::Extractor::new().set("count-lines", "true").map_err(wrong)?;
    for (row, value) in task.options().changed() {
        extractor = extractor.set(row.name, &value).map_err(wrong)?;
    }
    Ok(Hits::start_files(extractor, files, Some(task)))
}

fn wrong(why: urlspool::InvalidValue) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Adds the id to the JSON of a task.
#[pyfunction]
pub(crate) fn identified(content: &str) -> PyResult<String> {
    let id = content.bytes().fold(FNV_BASIS, fnv1a);
    let task: Task =
        format!("{{\"id\":\"{id:016x}\",{}", content.get(1..).unwrap_or_default()).parse().map_err(wrong)?;
    Ok(task.to_string())
}
