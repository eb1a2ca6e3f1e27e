//! The native part of the Python package: classes that wrap the types of the library. `urlspool/__init__.py` adds the
//! parts that are easier to write in Python.

mod arrow;
mod extractor;
mod fork;
mod hit;
mod hits;
mod link;
mod listing;
mod messages;
mod stream;
mod url;

#[pyo3::pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::extractor::{Extractor, options};
    #[pymodule_export]
    use super::fork::after_fork;
    #[pymodule_export]
    use super::hit::Hit;
    #[pymodule_export]
    use super::hits::Hits;
    #[pymodule_export]
    use super::link::Link;
    #[pymodule_export]
    use super::listing::{Listing, identified, task};
    #[pymodule_export]
    use super::messages::{Message, Messages};
    #[pymodule_export]
    use super::url::{InvalidUrl, Url, parse};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    const LINKED: &[&str] = urlspool::LINKED;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::hit::add_fields(&module.py().get_type::<Hit>())
    }
}
