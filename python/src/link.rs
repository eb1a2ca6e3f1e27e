//! A URL in a text.

use std::ops::Range;

use pyo3::prelude::*;

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
    alternatives: Vec<(Vec<u8>, &'static str)>,
}

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
            rejoined: candidate.is_rejoined(),
            alternatives: candidate
                .alternatives()
                .iter()
                .map(|other| (other.url.clone(), other.reason.as_str()))
                .collect(),
        })
    });
    links.collect()
}

/// Converts offsets in bytes to positions in characters. The text is read only once.
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

#[pymethods]
impl Link {
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
    /// From the first character of the URL to its last, with line breaks in between.
    #[getter]
    fn span(&self) -> (usize, usize) {
        let (first, last) = (self.pieces.first(), self.pieces.last());
        (first.map_or(0, |piece| piece.0), last.map_or(0, |piece| piece.1))
    }
    /// A span for each piece: a URL that was broken over lines has several.
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
    #[getter]
    fn alternatives<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyAny>, &'static str)>> {
        self.alternatives.iter().map(|(url, reason)| Ok((text(py, url)?, *reason))).collect()
    }

    /// The URL, parsed into its components.
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
