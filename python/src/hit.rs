//! A URL and its place.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::url::Url;

/// A URL and its place in a message or a file. Immutable and hashable.
///
/// The attributes have the names of the fields of `urlspool --json`.
#[pyclass(skip_from_py_object, frozen, eq, hash, module = "urlspool")]
#[derive(Clone, PartialEq)]
pub(crate) struct Hit(pub(crate) urlspool::Hit<'static>);

impl Hash for Hit {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

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

type Text<'py> = PyResult<Option<Bound<'py, PyAny>>>;

fn optional<'py>(py: Python<'py>, bytes: Option<&[u8]>) -> Text<'py> {
    bytes.map(|bytes| text(py, bytes)).transpose()
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

    #[getter]
    fn url(&self) -> &str {
        self.0.url().as_str()
    }
    #[getter]
    fn form(&self) -> &'static str {
        self.0.form().as_str()
    }
    #[getter]
    fn tier(&self) -> &'static str {
        self.0.url().tier().as_str()
    }
    #[getter]
    fn scheme(&self) -> String {
        self.0.url().scheme().to_ascii_lowercase()
    }
    #[getter]
    fn host(&self) -> Option<&str> {
        self.0.url().host()
    }
    #[getter]
    fn host_ascii(&self) -> Option<String> {
        self.0.url().host_ascii().map(Into::into)
    }
    #[getter]
    fn domain(&self) -> Option<String> {
        self.0.url().registrable_domain().map(Into::into)
    }
    #[getter]
    fn normalized(&self) -> String {
        self.0.url().normalized()
    }
    #[getter]
    fn fragment(&self) -> Option<&str> {
        self.0.url().fragment()
    }
    #[getter]
    fn target(&self) -> Option<String> {
        self.0.url().targets().pop().map(String::from)
    }
    #[getter]
    fn targets(&self) -> Vec<String> {
        self.0.url().targets().into_iter().map(String::from).collect()
    }
    #[getter]
    fn file<'py>(&self, py: Python<'py>) -> Text<'py> {
        optional(py, self.file_name())
    }
    #[getter]
    fn file_bytes(&self) -> Option<&[u8]> {
        self.file_name()
    }
    #[getter]
    fn member<'py>(&self, py: Python<'py>) -> Text<'py> {
        optional(py, self.0.member())
    }
    #[getter]
    fn member_bytes(&self) -> Option<&[u8]> {
        self.0.member()
    }
    #[getter]
    fn message(&self) -> Option<u64> {
        self.0.message()
    }
    #[getter]
    fn message_offset(&self) -> Option<u64> {
        self.0.message_range().map(|range| range.start)
    }
    #[getter]
    fn message_length(&self) -> Option<u64> {
        self.0.message_range().map(|range| range.end - range.start)
    }
    #[getter]
    fn message_id<'py>(&self, py: Python<'py>) -> Text<'py> {
        optional(py, self.0.message_id())
    }
    #[getter]
    fn message_id_bytes(&self) -> Option<&[u8]> {
        self.0.message_id()
    }
    #[getter]
    fn timestamp(&self) -> Option<i64> {
        self.0.timestamp()
    }
    #[getter]
    fn date<'py>(&self, py: Python<'py>) -> Text<'py> {
        self.0.timestamp().map(|seconds| utc(py, seconds)).transpose()
    }
    #[getter]
    fn from_(&self) -> Option<&str> {
        self.0.from()
    }
    #[getter]
    fn subject(&self) -> Option<&str> {
        self.0.subject()
    }
    #[getter]
    fn newsgroups<'py>(&self, py: Python<'py>) -> Text<'py> {
        optional(py, self.0.newsgroups())
    }
    #[getter]
    fn newsgroups_bytes(&self) -> Option<&[u8]> {
        self.0.newsgroups()
    }
    #[getter]
    fn list_id<'py>(&self, py: Python<'py>) -> Text<'py> {
        optional(py, self.0.list_id())
    }
    #[getter]
    fn list_id_bytes(&self) -> Option<&[u8]> {
        self.0.list_id()
    }
    #[getter]
    fn part(&self) -> Option<String> {
        let part = self.0.part();
        (!part.is_empty()).then(|| format!("[{part}]"))
    }
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> Text<'py> {
        optional(py, self.0.header())
    }
    #[getter]
    fn offset(&self) -> u64 {
        self.0.offset()
    }
    #[getter]
    fn length(&self) -> u64 {
        self.0.length()
    }
    #[getter]
    fn exact(&self) -> bool {
        self.0.exact()
    }
    #[getter]
    fn pieces(&self) -> Vec<(u64, u64)> {
        self.0.pieces().into_iter().map(|piece| (piece.start, piece.end)).collect()
    }
    #[getter]
    fn line(&self) -> Option<u64> {
        Some(self.0.line()).filter(|line| *line > 0)
    }
    #[getter]
    fn quote_depth(&self) -> usize {
        self.0.quote_depth()
    }
    #[getter]
    fn rejoined(&self) -> bool {
        self.0.rejoined()
    }
    #[getter]
    fn confidence(&self) -> Option<u8> {
        self.0.confidence()
    }
    #[getter]
    fn recovered(&self) -> bool {
        self.0.recovered()
    }
    #[getter]
    fn defanged(&self) -> bool {
        self.0.defanged()
    }
    #[getter]
    fn element(&self) -> Option<Cow<'_, str>> {
        self.0.element()
    }
    #[getter]
    fn attribute(&self) -> Option<&'static str> {
        self.0.attribute()
    }
    #[getter]
    fn html_place(&self) -> Option<&'static str> {
        self.0.html_place()
    }
    #[getter]
    fn link_text(&self) -> Option<Cow<'_, str>> {
        self.0.link_text()
    }
    #[getter]
    fn alternatives<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyAny>, &'static str)>> {
        self.0.alternatives().iter().map(|other| Ok((text(py, &other.url)?, other.reason.as_str()))).collect()
    }
    #[getter]
    fn doubt(&self) -> Option<&'static str> {
        self.0.doubt().map(urlspool::Reason::as_str)
    }
    #[getter]
    fn trimmed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        text(py, self.0.trimmed())
    }
    #[getter]
    fn warnings(&self) -> Vec<&'static str> {
        self.0.warnings().map(urlspool::Warning::as_str).collect()
    }
    #[getter]
    fn repeat(&self) -> bool {
        self.0.repeat()
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
        self.url()
    }

    fn __repr__(&self) -> String {
        let place = self.file_name().map(String::from_utf8_lossy).unwrap_or_default();
        format!("<urlspool.Hit {:?} at {place}:{}>", self.url(), self.0.offset())
    }
}

/// Returns a `datetime` in UTC.
pub(crate) fn utc(py: Python<'_>, seconds: i64) -> PyResult<Bound<'_, PyAny>> {
    let datetime = py.import("datetime")?;
    let zone = datetime.getattr("timezone")?.getattr("utc")?;
    datetime.getattr("datetime")?.call_method1("fromtimestamp", (seconds, zone))
}
