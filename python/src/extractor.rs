//! The options of a search, and the methods that start a search.

use std::io::Cursor;
use std::ops::Range;
use std::path::PathBuf;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use urlspool::{HeaderScan, Hyphen, Rejoin, Shard, Wildmat, sink};

use crate::hit::Hit;
use crate::hits::Hits;
use crate::link::{self, Link};
use crate::listing::Listing;
use crate::messages::Messages;

/// Finds URLs with the given options. An Extractor does not change, so several threads can use it. An Extractor can be
/// pickled.
#[pyclass(skip_from_py_object, frozen, eq, subclass, module = "urlspool")]
#[derive(Clone, PartialEq)]
pub(crate) struct Extractor {
    headers: String,
    html: bool,
    rejoin: bool,
    hyphen: String,
    min_confidence: u8,
    defanged: bool,
    twins: bool,
}

/// The names of the options of an Extractor.
const OPTIONS: [&str; 7] = ["headers", "html", "rejoin", "hyphen", "min_confidence", "defanged", "twins"];

/// The names of the options of a search.
const SEARCH_OPTIONS: [&str; 11] = [
    "format",
    "threads",
    "follow_links",
    "since",
    "until",
    "newsgroups",
    "list_id",
    "mail_only",
    "max_message",
    "byte_range",
    "shard",
];

/// Converts the text of an option, such as "only", to the type of the option.
fn named<T: std::str::FromStr<Err: std::fmt::Display>>(option: &str, name: &str) -> PyResult<T> {
    name.parse().map_err(|why| PyValueError::new_err(format!("{option}={name:?}: {why}")))
}

fn text(option: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    converted(option, value, "give a str")
}

fn flag(option: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    converted(option, value, "give True or False")
}

/// Converts the value of an option. If the value is wrong, the error message ends with `wanted`, such as "give True or
/// False".
///
/// If a number is out of range, raises ValueError, although PyO3 itself raises OverflowError.
fn converted<'py, T: FromPyObjectOwned<'py>>(option: &str, value: &Bound<'py, PyAny>, wanted: &str) -> PyResult<T> {
    value.extract().map_err(Into::into).map_err(|why: PyErr| {
        let py = value.py();
        if why.is_instance_of::<PyTypeError>(py) {
            PyTypeError::new_err(format!("{option}={value:?}: {wanted}"))
        } else if why.is_instance_of::<PyOverflowError>(py) || why.is_instance_of::<PyValueError>(py) {
            wrong(option, value, wanted)
        } else {
            why
        }
    })
}

fn wrong(option: &str, value: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    PyValueError::new_err(format!("{option}={value:?}: {wanted}"))
}

fn unknown(option: &str, of: &str, known: &[&str]) -> PyErr {
    PyTypeError::new_err(format!("unknown option {option:?}{of}; known options are: {}", known.join(", ")))
}

fn message_size(option: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    const WANTED: &str = "give a number of bytes from 1 to 1 GiB";
    match converted(option, value, WANTED)? {
        size @ 1..=0x4000_0000 => Ok(size),
        _ => Err(wrong(option, value, WANTED)),
    }
}

fn percentage(option: &str, value: &Bound<'_, PyAny>) -> PyResult<u8> {
    const WANTED: &str = "give a number from 0 to 100, in percent";
    let percent = converted(option, value, WANTED)?;
    if percent > 100 { Err(wrong(option, value, WANTED)) } else { Ok(percent) }
}

fn task_size(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    const WANTED: &str = "give the size of a task in bytes";
    let size = converted("size", value, WANTED)?;
    if size == 0 { Err(wrong("size", value, WANTED)) } else { Ok(size) }
}

pub(crate) fn thread_count(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    converted("threads", value, "give a number of threads, or 0 for one per core")
}

fn byte_range(value: &Bound<'_, PyAny>) -> PyResult<Range<u64>> {
    const WANTED: &str = "give (start, end) in bytes, with start before end; end can be None";
    let (start, end): (u64, Option<u64>) = converted("byte_range", value, WANTED)?;
    let range = start..end.unwrap_or(u64::MAX);
    if range.is_empty() { Err(wrong("byte_range", value, WANTED)) } else { Ok(range) }
}

fn shard(value: &Bound<'_, PyAny>) -> PyResult<Shard> {
    const WANTED: &str = "give (number, count), with number from 1 to count";
    let (number, count) = converted("shard", value, WANTED)?;
    Shard::new(number, count).ok_or_else(|| wrong("shard", value, WANTED))
}

impl Extractor {
    fn rejoin(&self) -> Rejoin {
        if self.rejoin { Rejoin::Likely } else { Rejoin::Never }
    }

    fn scanner(&self) -> PyResult<urlspool::Scanner> {
        let hyphen: Hyphen = named("hyphen", &self.hyphen)?;
        Ok(urlspool::Scanner::new().rejoin(self.rejoin()).hyphen(hyphen).min_confidence(self.min_confidence))
    }

    fn extractor(&self) -> PyResult<urlspool::Extractor> {
        let headers: HeaderScan = named("headers", &self.headers)?;
        let extractor = urlspool::Extractor::new().headers(headers).html(self.html).rejoin(self.rejoin());
        let extractor = extractor.hyphen(named("hyphen", &self.hyphen)?).min_confidence(self.min_confidence);
        Ok(extractor.defanged(self.defanged).twins(self.twins))
    }

    /// Returns a search for `files()` and `manifest()`, which do not have the options `byte_range` and `threads`.
    fn divisible(
        &self,
        paths: Vec<PathBuf>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<urlspool::Hits<urlspool::FromPaths>> {
        let options = Options::new(options)?;
        if options.byte_range.is_some() || options.threads > 0 {
            return Err(PyValueError::new_err(
                "manifest() and files() do not have the options byte_range and threads; give threads to task()",
            ));
        }
        let hits = options.apply(self.extractor()?.paths(paths));
        Ok(hits.follow_links(options.follow_links).shard(options.shard))
    }
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(
        signature = (**options),
        text_signature = "(*, headers='include', html=True, rejoin=True, hyphen='keep', min_confidence=0, defanged=False, twins=True)",
    )]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Extractor> {
        let mut new = Extractor {
            headers: "include".into(),
            html: true,
            rejoin: true,
            hyphen: "keep".into(),
            min_confidence: 0,
            defanged: false,
            twins: true,
        };
        for (name, value) in options.into_iter().flatten() {
            let name: &str = name.extract()?;
            match name {
                "headers" => new.headers = text(name, &value)?,
                "html" => new.html = flag(name, &value)?,
                "rejoin" => new.rejoin = flag(name, &value)?,
                "hyphen" => new.hyphen = text(name, &value)?,
                "min_confidence" => new.min_confidence = percentage(name, &value)?,
                "defanged" => new.defanged = flag(name, &value)?,
                "twins" => new.twins = flag(name, &value)?,
                _ => return Err(unknown(name, " of Extractor", &OPTIONS)),
            }
        }
        new.extractor().map(|_| new)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        options.set_item("headers", &self.headers)?;
        options.set_item("html", self.html)?;
        options.set_item("rejoin", self.rejoin)?;
        options.set_item("hyphen", &self.hyphen)?;
        options.set_item("min_confidence", self.min_confidence)?;
        options.set_item("defanged", self.defanged)?;
        options.set_item("twins", self.twins)?;
        Ok((PyTuple::empty(py), options))
    }

    fn __repr__(&self) -> String {
        let flag = |flag| if flag { "True" } else { "False" };
        format!(
            "urlspool.Extractor(headers={:?}, html={}, rejoin={}, hyphen={:?}, min_confidence={}, defanged={}, twins={})",
            self.headers,
            flag(self.html),
            flag(self.rejoin),
            self.hyphen,
            self.min_confidence,
            flag(self.defanged),
            flag(self.twins),
        )
    }

    /// Returns the URLs of one message.
    fn message_bytes(&self, py: Python<'_>, message: &[u8]) -> PyResult<Vec<Hit>> {
        let extractor = self.extractor()?;
        Ok(py.detach(|| extractor.message(message).into_iter().map(Hit).collect()))
    }

    /// Returns the URLs of one message as strings. This is faster than `message_bytes`, which makes a Hit for each URL.
    fn message_urls(&self, py: Python<'_>, message: &[u8]) -> PyResult<Vec<String>> {
        let extractor = self.extractor()?;
        Ok(py.detach(|| {
            let mut urls = Vec::new();
            extractor.message_into(message, &mut sink::from_fn(|hit| urls.push(hit.url().as_str().to_owned())));
            urls
        }))
    }

    /// Returns the URLs in a text, with their positions in characters.
    fn text_links(&self, py: Python<'_>, text: &str) -> PyResult<Vec<Link>> {
        if self.defanged {
            let extractor = self.extractor()?;
            return Ok(py.detach(|| link::links_and_defanged(&extractor, text)));
        }
        let scanner = self.scanner()?;
        Ok(py.detach(|| link::links(&scanner, text)))
    }

    /// Returns the URLs in files and directories. Other threads search while Python works on the hits.
    #[pyo3(signature = (paths, **options))]
    fn path_hits(&self, paths: Vec<PathBuf>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Hits> {
        let options = Options::new(options)?;
        let hits = options.apply(self.extractor()?.paths(paths));
        let hits = hits.threads(options.threads).follow_links(options.follow_links).shard(options.shard);
        Ok(Hits::start(move |collect| hits.each(collect)))
    }

    /// Returns the URLs in a mailbox or an archive in memory.
    #[pyo3(signature = (data, name, **options))]
    fn read_hits(&self, data: Vec<u8>, name: PathBuf, options: Option<&Bound<'_, PyDict>>) -> PyResult<Hits> {
        let options = Options::new(options)?;
        let hits = options.apply(self.extractor()?.read(Cursor::new(data)).name(name));
        Ok(Hits::start_alone(move |sink| hits.each(sink)))
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
        Ok(Listing::tasks(self.divisible(paths, options)?.manifest(size)))
    }

    /// Returns the messages in files and directories.
    #[pyo3(signature = (paths, **options))]
    fn path_messages(&self, paths: Vec<PathBuf>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Messages> {
        let options = Options::new(options)?;
        let hits = options.apply(self.extractor()?.paths(paths));
        let hits = hits.threads(options.threads).follow_links(options.follow_links).shard(options.shard);
        Ok(Messages::new(hits.messages()))
    }
}

/// The options that select messages, and the options that say how files are read.
#[derive(Default)]
struct Options {
    format: Option<urlspool::Format>,
    threads: usize,
    follow_links: bool,
    since: Option<i64>,
    until: Option<i64>,
    newsgroups: Option<Wildmat>,
    list_id: Option<Wildmat>,
    mail_only: bool,
    max_message: Option<usize>,
    byte_range: Option<Range<u64>>,
    shard: Option<Shard>,
}

const SECONDS: &str = "give a number of seconds since 1970 that fits in 64 bits";

impl Options {
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
        let mut to = Options::default();
        for (name, value) in options.into_iter().flatten() {
            let name: &str = name.extract()?;
            if !SEARCH_OPTIONS.contains(&name) {
                return Err(unknown(name, "", &SEARCH_OPTIONS));
            }
            if value.is_none() {
                continue;
            }
            match name {
                "format" => to.format = Some(named(name, &text(name, &value)?)?),
                "threads" => to.threads = thread_count(&value)?,
                "follow_links" => to.follow_links = flag(name, &value)?,
                "since" => to.since = Some(converted(name, &value, SECONDS)?),
                "until" => to.until = Some(converted(name, &value, SECONDS)?),
                "newsgroups" => to.newsgroups = Some(named(name, &text(name, &value)?)?),
                "list_id" => to.list_id = Some(named(name, &text(name, &value)?)?),
                "mail_only" => to.mail_only = flag(name, &value)?,
                "max_message" => to.max_message = Some(message_size(name, &value)?),
                "byte_range" => to.byte_range = Some(byte_range(&value)?),
                "shard" => to.shard = Some(shard(&value)?),
                _ => unreachable!("{name} is in SEARCH_OPTIONS"),
            }
        }
        Ok(to)
    }

    fn apply<S>(&self, hits: urlspool::Hits<S>) -> urlspool::Hits<S> {
        let hits = hits.format(self.format).since(self.since).before(self.until).mail_only(self.mail_only);
        let hits = hits.newsgroups(self.newsgroups.clone()).list_id(self.list_id.clone());
        let hits = hits.byte_range(self.byte_range.clone());
        match self.max_message {
            Some(bytes) => hits.max_message(bytes),
            None => hits,
        }
    }
}
