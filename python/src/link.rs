//! A URL in a text.

use std::ops::Range;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::hit::text;
use crate::url::Url;

/// A URL in a text. Positions count characters, as indices of `str` do.
#[pyclass(skip_from_py_object, frozen, eq, hash, module = "urlspool")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    url: urlspool::Url<'static>,
    form: urlspool::Form,
    pieces: Vec<(usize, usize)>,
    quote_depth: usize,
    confidence: Option<u8>,
    rejoined: bool,
    defanged: bool,
    alternatives: Vec<(Vec<u8>, &'static str)>,
}

/// The values of a link, for pickle and copy. In order: the URL, the form, the pieces, the quote depth, the confidence,
/// whether the URL was rejoined, whether it was defanged, and the alternatives.
type Values = (String, String, Vec<(usize, usize)>, usize, Option<u8>, bool, bool, Vec<(Vec<u8>, String)>);

/// Returns the links in a text.
pub(crate) fn links(scanner: &urlspool::Scanner, text: &str) -> Vec<Link> {
    let mut positions = Positions { text, byte: 0, character: 0 };
    let links = scanner.find_iter(text).filter_map(|candidate| {
        let url = candidate.parse().ok()?.into_owned();
        Some(Link {
            url,
            form: candidate.form(),
            pieces: candidate.pieces().map(|piece| positions.characters(piece)).collect(),
            quote_depth: candidate.quote_depth(),
            confidence: candidate.confidence(),
            rejoined: candidate.pieces().count() > 1,
            defanged: false,
            alternatives: alternatives(candidate.alternatives()),
        })
    });
    links.collect()
}

/// Returns the links in a text, including defanged URLs. Only an extractor can find a defanged URL, such as
/// `hxxp://evil[.]example/`. A scanner cannot.
pub(crate) fn links_and_defanged(extractor: &urlspool::Extractor, text: &str) -> Vec<Link> {
    let mut positions = Positions { text, byte: 0, character: 0 };
    // Reading from memory does not fail, so no error is lost here.
    let hits = extractor.clone().set("format", "text").expect("a format");
    let hits = hits.read(text.as_bytes()).filter_map(Result::ok);
    let links = hits.map(|hit| Link {
        url: hit.url().clone().into_owned(),
        form: hit.form(),
        pieces: hit
            .pieces()
            .into_iter()
            .map(|piece| positions.characters(piece.start as usize..piece.end as usize))
            .collect(),
        quote_depth: hit.quote_depth(),
        confidence: hit.confidence(),
        rejoined: hit.rejoined(),
        defanged: hit.defanged(),
        alternatives: alternatives(hit.alternatives()),
    });
    links.collect()
}

fn alternatives(others: &[urlspool::Alternative]) -> Vec<(Vec<u8>, &'static str)> {
    others.iter().map(|other| (other.url.clone(), other.reason.as_str())).collect()
}

/// Converts offsets in bytes to positions in characters. If the offsets are in ascending order, the text is read only
/// once.
struct Positions<'t> {
    text: &'t str,
    byte: usize,
    character: usize,
}

impl Positions<'_> {
    fn characters(&mut self, bytes: Range<usize>) -> (usize, usize) {
        (self.character(bytes.start), self.character(bytes.end))
    }

    fn character(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.character) = (0, 0);
        }
        self.character += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.character
    }
}

impl Link {
    fn from_values(values: Values) -> Option<Link> {
        let (url, form, pieces, quote_depth, confidence, rejoined, defanged, others) = values;
        let other = |(url, reason): (Vec<u8>, String)| Some((url, reason.parse::<urlspool::Reason>().ok()?.as_str()));
        Some(Link {
            url: url.try_into().ok()?,
            form: form.parse().ok()?,
            pieces,
            quote_depth,
            confidence,
            rejoined,
            defanged,
            alternatives: others.into_iter().map(other).collect::<Option<_>>()?,
        })
    }
}

#[pymethods]
impl Link {
    /// Makes a link from the values of another link, for pickle and copy.
    #[new]
    fn new(values: Values) -> PyResult<Link> {
        let wrong = || PyValueError::new_err("these values are not from a Link of this version of urlspool");
        Link::from_values(values).ok_or_else(wrong)
    }

    fn __getnewargs__(&self) -> (Values,) {
        let others = self.alternatives.iter().map(|(url, reason)| (url.clone(), (*reason).to_owned())).collect();
        let (url, form) = (self.url.as_str().to_owned(), self.form.as_str().to_owned());
        let (depth, confidence) = (self.quote_depth, self.confidence);
        ((url, form, self.pieces.clone(), depth, confidence, self.rejoined, self.defanged, others),)
    }

    #[getter]
    fn url(&self) -> &str {
        self.url.as_str()
    }
    #[getter]
    fn form(&self) -> &'static str {
        self.form.as_str()
    }
    #[getter]
    fn tier(&self) -> &'static str {
        self.url.tier().as_str()
    }
    /// The position of the URL's first character, and the position after its last character. Line breaks inside the URL
    /// are included.
    #[getter]
    fn span(&self) -> (usize, usize) {
        let (first, last) = (self.pieces.first(), self.pieces.last());
        (first.map_or(0, |piece| piece.0), last.map_or(0, |piece| piece.1))
    }
    /// The span of each piece. A URL that was broken over lines has several pieces.
    #[getter]
    fn pieces(&self) -> Vec<(usize, usize)> {
        self.pieces.clone()
    }
    #[getter]
    fn quote_depth(&self) -> usize {
        self.quote_depth
    }
    #[getter]
    fn confidence(&self) -> Option<u8> {
        self.confidence
    }
    #[getter]
    fn rejoined(&self) -> bool {
        self.rejoined
    }
    /// Whether the text has the URL in a form such as `hxxp://evil[.]example/`.
    #[getter]
    fn defanged(&self) -> bool {
        self.defanged
    }
    #[getter]
    fn alternatives<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyAny>, &'static str)>> {
        self.alternatives.iter().map(|(url, reason)| Ok((text(py, url)?, *reason))).collect()
    }

    /// Returns all attributes as a dict.
    fn asdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("url", self.url())?;
        dict.set_item("form", self.form())?;
        dict.set_item("tier", self.tier())?;
        dict.set_item("span", self.span())?;
        dict.set_item("pieces", self.pieces())?;
        dict.set_item("quote_depth", self.quote_depth)?;
        dict.set_item("confidence", self.confidence)?;
        dict.set_item("rejoined", self.rejoined)?;
        dict.set_item("defanged", self.defanged)?;
        dict.set_item("alternatives", self.alternatives(py)?)?;
        Ok(dict)
    }

    /// Returns the URL, parsed into its components.
    fn parse(&self) -> Url {
        Url(self.url.clone())
    }

    fn __str__(&self) -> &str {
        self.url.as_str()
    }

    fn __repr__(&self) -> String {
        let (start, end) = self.span();
        format!("<urlspool.Link {:?} at {start}..{end}>", self.url.as_str())
    }
}
