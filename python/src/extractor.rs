//! The options of a search, and the methods that start a search.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString, PyTuple};
use urlspool::{Event, OPTIONS, OptionKind, OptionRow};

use crate::hit::Hit;
use crate::hits::Hits;
use crate::link::{self, Link};
use crate::listing::Listing;
use crate::messages::Messages;

/// Finds URLs with the given options. An Extractor does not change, so several threads can use it. An Extractor can be
/// pickled.
#[pyclass(skip_from_py_object, frozen, eq, subclass, module = "urlspool")]
#[derive(Clone, PartialEq)]
pub(crate) struct Extractor(urlspool::Extractor);

/// Returns the name of a keyword argument for an option: `max_message` for `max-message`, and `in_` for `in`. `in` and
/// `from` are words of the language.
fn keyword(row: &OptionRow) -> String {
    if matches!(row.name, "in" | "from") { format!("{}_", row.name) } else { row.name.replace('-', "_") }
}

/// Returns the type of an option in the class `Options` of `__init__.py`, and the values to give, for error messages.
fn expected(kind: OptionKind) -> (&'static str, &'static str) {
    match kind {
        OptionKind::Flag(_) => ("bool", "True or False"),
        OptionKind::Names | OptionKind::Patterns => ("_Names", "a str or a list of str"),
        OptionKind::Date => ("_Date", "a str, a date, a datetime or a number of seconds since 1970"),
        OptionKind::Number | OptionKind::Size => ("_Number", "a str or an int"),
        OptionKind::Range => ("_Range", "a str or (start, end); end can be None"),
        OptionKind::Share => ("_Share", "a str or (number, count)"),
        _ => ("str", "a str"),
    }
}

/// Returns the options: the name of the keyword argument, the type, and the documentation of each.
#[pyfunction]
pub(crate) fn options() -> Vec<(String, &'static str, String)> {
    OPTIONS
        .iter()
        .map(|row| (keyword(row), expected(row.kind).0, format!("{}. {}", row.summary, row.documentation)))
        .collect()
}

/// Converts the value of an option to text. Returns `None` if the type of the value is wrong.
fn text(kind: OptionKind, value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let joined = |separator: &str| -> PyResult<String> {
        let item = |item: Bound<'_, PyAny>| Ok(if item.is_none() { String::new() } else { item.str()?.to_string() });
        Ok(value.try_iter()?.map(|each| item(each?)).collect::<PyResult<Vec<_>>>()?.join(separator))
    };
    let is_int = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
    Ok(match kind {
        OptionKind::Flag(_) => value.extract::<bool>().ok().map(|flag| flag.to_string()),
        _ if value.is_instance_of::<PyString>() => Some(value.str()?.to_string()),
        OptionKind::Date if is_int => Some(format!("@{value}")),
        OptionKind::Number | OptionKind::Size if is_int => Some(value.to_string()),
        OptionKind::Names | OptionKind::Patterns if value.try_iter().is_ok() => Some(joined(",")?),
        OptionKind::Range if value.len().is_ok_and(|length| length == 2) => Some(joined("-")?),
        OptionKind::Share if value.len().is_ok_and(|length| length == 2) => Some(joined("/")?),
        _ => None,
    })
}

pub(crate) fn thread_count(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract().map_err(|_| PyValueError::new_err(format!("threads={value:?}: give a number of threads")))
}

fn task_size(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let size = value.extract().ok().filter(|size| *size > 0);
    size.ok_or_else(|| PyValueError::new_err(format!("size={value:?}: give the size of a task in bytes")))
}

impl Extractor {
    /// Returns the extractor of the library, with further options.
    fn with(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<urlspool::Extractor> {
        let mut extractor = self.0.clone();
        for (name, value) in options.into_iter().flatten() {
            let name: String = name.extract()?;
            let Some(row) = OPTIONS.iter().find(|row| keyword(row) == name) else {
                let known: Vec<_> = OPTIONS.iter().map(keyword).collect();
                let why = format!("unknown option {name:?}; known options are: {}", known.join(", "));
                return Err(PyTypeError::new_err(why));
            };
            if value.is_none() {
                continue;
            }
            let Some(text) = text(row.kind, &value)? else {
                return Err(PyTypeError::new_err(format!("{name}={value:?}: give {}", expected(row.kind).1)));
            };
            let wrong = |why: urlspool::InvalidValue| PyValueError::new_err(format!("{name}={value:?}: {}", why.why()));
            extractor = extractor.set(row.name, &text).map_err(wrong)?;
        }
        Ok(extractor)
    }

    /// Returns a search for `files()` and `manifest()`, which do not have the options `byte_range` and `threads`.
    fn divisible(
        &self,
        paths: Vec<PathBuf>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<urlspool::Hits<urlspool::FromPaths>> {
        let extractor = self.with(options)?;
        if ["byte-range", "threads"].iter().any(|name| extractor.options().get(name).is_some()) {
            return Err(PyValueError::new_err(
                "manifest() and files() do not have the options byte_range and threads; give threads to task()",
            ));
        }
        Ok(extractor.paths(paths))
    }

    /// Returns the options that do not have their default value, as keyword arguments.
    fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(py);
        for (row, value) in self.0.options().changed() {
            match row.kind {
                OptionKind::Flag(_) => keywords.set_item(keyword(row), value == "true")?,
                _ => keywords.set_item(keyword(row), value)?,
            }
        }
        Ok(keywords)
    }
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Extractor> {
        Extractor(urlspool::Extractor::new()).with(options).map(Extractor)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.keywords(py)?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let keywords: Vec<_> = self.keywords(py)?.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        Ok(format!("urlspool.Extractor({})", keywords.join(", ")))
    }

    /// Returns the URLs of one message.
    fn message_bytes(&self, py: Python<'_>, message: &[u8]) -> PyResult<Vec<Hit>> {
        let extractor = &self.0;
        Ok(py.detach(|| extractor.message(message).into_iter().map(Hit).collect()))
    }

    /// Returns the URLs of one message as strings. This is faster than `message_bytes`, which makes a Hit for each URL.
    fn message_urls(&self, py: Python<'_>, message: &[u8]) -> PyResult<Vec<String>> {
        let extractor = &self.0;
        Ok(py.detach(|| {
            let mut urls = Vec::new();
            let _ = extractor.message_into(message, &mut |event: Event<'_>| {
                if let Event::Hit(hit) = event {
                    urls.push(hit.url().as_str().to_owned());
                }
                ControlFlow::Continue(())
            });
            urls
        }))
    }

    /// Returns the URLs in a text, with their positions in characters.
    fn text_links(&self, py: Python<'_>, text: &str) -> PyResult<Vec<Link>> {
        if self.0.options().get("defanged").is_some() {
            return Ok(py.detach(|| link::links_and_defanged(&self.0, text)));
        }
        let scanner = self.0.scanner();
        Ok(py.detach(|| link::links(&scanner, text)))
    }

    /// Returns the URLs in files and directories. Other threads search while Python works on the hits.
    #[pyo3(signature = (paths, **options))]
    fn path_hits(&self, paths: Vec<PathBuf>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Hits> {
        Ok(Hits::start(self.with(options)?.paths(paths)))
    }

    /// Returns the URLs in file objects. `files` is an iterator of pairs: a name as bytes, and a function that returns
    /// the next bytes.
    #[pyo3(signature = (files, **options))]
    fn file_hits(&self, files: Py<PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Hits> {
        Ok(Hits::start_files(self.with(options)?, files, None))
    }

    /// Returns the options that a task stores, by their names in the library.
    #[pyo3(signature = (**options))]
    fn stored_options(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<BTreeMap<&'static str, String>> {
        let extractor = self.with(options)?;
        let stored = extractor.options().changed().filter(|(row, _)| ["find", "select", "read"].contains(&row.scope));
        Ok(stored.map(|(row, value)| (row.name, value)).collect())
    }

    /// Returns the files that a search would read.
    #[pyo3(signature = (paths, **options))]
    fn path_files(&self, paths: Vec<PathBuf>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Listing> {
        Ok(Listing::files(self.divisible(paths, options)?.files()))
    }

    /// Returns the tasks of a search.
    #[pyo3(signature = (paths, size, **options))]
    fn path_manifest(
        &self,
        paths: Vec<PathBuf>,
        #[pyo3(from_py_with = task_size)] size: u64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Listing> {
        Ok(Listing::tasks(self.divisible(paths, options)?.manifest(size, |_, _| {})))
    }

    /// Returns the messages in files and directories.
    #[pyo3(signature = (paths, **options))]
    fn path_messages(&self, paths: Vec<PathBuf>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Messages> {
        let hits = self.with(options)?.paths(paths);
        Ok(Messages::new(hits))
    }
}
