//! A URL, parsed into its components.

use std::hash::{Hash, Hasher};

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

create_exception!(urlspool, InvalidUrl, PyValueError, "The text is not a URL.");

/// A URL, parsed into its components. Immutable and hashable.
#[pyclass(skip_from_py_object, frozen, eq, hash, ord, module = "urlspool")]
#[derive(Clone, PartialEq, PartialOrd)]
pub(crate) struct Url(pub(crate) urlspool::Url<'static>);

impl Hash for Url {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// Parses a URL. With `strict=True`, the URL must satisfy the grammar of RFC 1738.
///
/// Raises InvalidUrl, a subclass of ValueError, if the text is not a URL. Its message has the reason, and the offset of
/// the error in the text.
#[pyfunction]
#[pyo3(signature = (url, *, strict = false))]
pub(crate) fn parse(url: &str, strict: bool) -> PyResult<Url> {
    let parsed = urlspool::Url::parse(url).and_then(|parsed| match parsed.departure() {
        Some(departure) if strict => Err(departure),
        _ => Ok(parsed),
    });
    parsed.map(|url| Url(url.into_owned())).map_err(|why| InvalidUrl::new_err(format!("{url:?}: {why}")))
}

#[pymethods]
impl Url {
    /// Does the same as `parse`. Pickle needs this constructor.
    #[new]
    fn new(url: &str) -> PyResult<Url> {
        parse(url, false)
    }

    fn __getnewargs__(&self) -> (&str,) {
        (self.0.as_str(),)
    }

    #[getter]
    fn url(&self) -> &str {
        self.0.as_str()
    }
    #[getter]
    fn scheme(&self) -> String {
        self.0.scheme().to_ascii_lowercase()
    }
    #[getter]
    fn user(&self) -> Option<&str> {
        self.0.user()
    }
    #[getter]
    fn password(&self) -> Option<&str> {
        self.0.password()
    }
    #[getter]
    fn host(&self) -> Option<&str> {
        self.0.host()
    }
    #[getter]
    fn host_ascii(&self) -> Option<String> {
        self.0.host_ascii().map(Into::into)
    }
    #[getter]
    fn domain(&self) -> Option<String> {
        self.0.registrable_domain().map(Into::into)
    }
    #[getter]
    fn port(&self) -> Option<u16> {
        self.0.port()
    }
    #[getter]
    fn path(&self) -> Option<&str> {
        self.0.path()
    }
    #[getter]
    fn query(&self) -> Option<&str> {
        self.0.query()
    }
    #[getter]
    fn fragment(&self) -> Option<&str> {
        self.0.fragment()
    }
    #[getter]
    fn tier(&self) -> &'static str {
        self.0.tier().as_str()
    }
    #[getter]
    fn normalized(&self) -> String {
        self.0.normalized()
    }
    #[getter]
    fn targets(&self) -> Vec<String> {
        self.0.targets().into_iter().map(String::from).collect()
    }
    #[getter]
    fn warnings(&self) -> Vec<&'static str> {
        self.0.warnings().map(urlspool::Warning::as_str).collect()
    }

    /// Returns the components of the URL in order, as a dict. The keys are the names in RFC 1738. An absent component
    /// has no key.
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let components = PyDict::new(py);
        for (component, value) in self.0.components() {
            components.set_item(component.as_str(), value)?;
        }
        Ok(components)
    }

    /// Resolves a relative reference against this URL. Raises InvalidUrl if the result is not a URL.
    fn join(&self, reference: &str) -> PyResult<Url> {
        self.0.join(reference).map(Url).map_err(|why| InvalidUrl::new_err(format!("{reference:?}: {why}")))
    }

    fn __str__(&self) -> &str {
        self.0.as_str()
    }

    fn __repr__(&self) -> String {
        format!("urlspool.parse({:?})", self.0.as_str())
    }
}
