//! A URL and its place.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyList, PyString, PyTuple, PyType};
use urlspool::fields::{FIELDS, Field, Value};

use crate::url::Url;

/// A URL and its place in a message or a file. Immutable and hashable.
///
/// The attributes have the names of the fields of `urlspool --json`: see `add_fields`.
#[pyclass(skip_from_py_object, frozen, eq, hash, module = "urlspool")]
#[derive(Clone, PartialEq, Hash)]
pub(crate) struct Hit(pub(crate) urlspool::Hit<'static>);

/// Returns bytes as a `str`. Bytes that are not UTF-8 become lone surrogates, as with Python's `surrogateescape`.
pub(crate) fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text).into_any()),
        Err(_) => PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogateescape")),
    }
}

/// Returns the object that `--json` prints, as a dict.
pub(crate) fn asdict<'py>(py: Python<'py>, hit: &urlspool::Hit<'_>) -> PyResult<Bound<'py, PyDict>> {
    Ok(pythonize::pythonize(py, hit)?.cast_into()?)
}

impl Hit {
    fn file_name(&self) -> Option<&[u8]> {
        self.0.input().map(|file| file.name().as_os_str().as_encoded_bytes())
    }
}

#[pymethods]
impl Hit {
    /// Makes a hit from the values of another hit, for pickle and copy.
    #[new]
    fn new(state: urlspool::HitParts) -> PyResult<Hit> {
        let wrong = || PyValueError::new_err("these values are not from a Hit of this version of urlspool");
        urlspool::Hit::from_parts(state).map(Hit).ok_or_else(wrong)
    }

    fn __getnewargs__(&self) -> (urlspool::HitParts,) {
        (self.0.to_parts(),)
    }

    /// The date of the message as Unix time.
    #[getter]
    fn timestamp(&self) -> Option<i64> {
        self.0.timestamp()
    }
    /// The ranges of the file that contain the URL.
    #[getter]
    fn pieces(&self) -> Vec<(u64, u64)> {
        self.0.pieces().into_iter().map(|piece| (piece.start, piece.end)).collect()
    }

    /// Returns the URL, parsed into its components.
    fn parse(&self) -> Url {
        Url(self.0.url().clone().into_owned())
    }

    /// Returns the object that `urlspool --json` prints for this URL, as a dict.
    fn asdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        asdict(py, &self.0)
    }

    fn __str__(&self) -> &str {
        self.0.url().as_str()
    }

    fn __repr__(&self) -> String {
        let place = self.file_name().map(String::from_utf8_lossy).unwrap_or_default();
        format!("<urlspool.Hit {:?} at {}:{}>", self.0.url().as_str(), place.escape_debug(), self.0.offset())
    }
}

/// Adds the output fields to the class `Hit` as properties.
pub(crate) fn add_fields(class: &Bound<'_, PyType>) -> PyResult<()> {
    let property = class.py().import("builtins")?.getattr("property")?;
    // A hit that owns its data has no context, and the library does not count messages.
    for field in FIELDS.iter().filter(|field| field.name() != "context" && !field.needs_count()) {
        let get = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            let hit = arguments.get_item(0)?.cast_into::<Hit>()?;
            value(arguments.py(), field, &hit.get().0).map(Bound::unbind)
        };
        let get = PyCFunction::new_closure(class.py(), None, None, get)?;
        // `from` is a keyword in Python.
        let name = if field.name() == "from" { "from_" } else { field.name() };
        class.setattr(name, property.call1((get, None::<()>, None::<()>, field.about()))?)?;
    }
    Ok(())
}

/// Returns the value of a field for Python. The fields with bytes, such as `file_bytes`, are always set if the field
/// without the suffix is set.
fn value<'py>(py: Python<'py>, field: &Field, hit: &urlspool::Hit<'_>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(field) = field.name().strip_suffix("_bytes").and_then(Field::find) {
        return match field.of(hit) {
            Value::Bytes(bytes) | Value::Plain(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
            _ => Ok(py.None().into_bound(py)),
        };
    }
    match field.of(hit) {
        Value::Absent if field.kind().starts_with("array") => Ok(PyList::empty(py).into_any()),
        Value::Absent if field.name() == "trimmed" => Ok(PyString::new(py, "").into_any()),
        Value::Absent => Ok(py.None().into_bound(py)),
        Value::Bytes(bytes) | Value::Plain(bytes) => text(py, bytes),
        Value::Number(number) => number.into_bound_py_any(py),
        Value::Boolean(boolean) => boolean.into_bound_py_any(py),
        Value::Time(_, seconds) => utc(py, seconds),
        Value::Texts(texts) => texts.into_bound_py_any(py),
        Value::Alternatives(others) => {
            let other = |other: &urlspool::Alternative| Ok((text(py, &other.url)?, other.reason.as_str()));
            others.iter().map(other).collect::<PyResult<Vec<_>>>()?.into_bound_py_any(py)
        }
        value => {
            let mut out = Vec::new();
            value.push_text(&mut out);
            text(py, &out)
        }
    }
}

/// Returns a `datetime` in UTC.
pub(crate) fn utc(py: Python<'_>, seconds: i64) -> PyResult<Bound<'_, PyAny>> {
    let datetime = py.import("datetime")?;
    let zone = datetime.getattr("timezone")?.getattr("utc")?;
    datetime.getattr("datetime")?.call_method1("fromtimestamp", (seconds, zone))
}
