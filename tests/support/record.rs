//! A sink that records all events with all fields.

use std::fmt::Write;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;

use urlspool::{Collect, Error, ErrorKind, Extractor, Hit, Hits, Location, Reject, Sink};

/// An event that [`Record`] received.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    Found(Box<Found>),
    Diagnostic { file: Option<PathBuf>, offset: u64, name: &'static str },
    Problem(String),
    End(PathBuf),
}

/// A hit or a reject.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) file: Option<PathBuf>,
    pub(crate) member: Option<Vec<u8>>,
    pub(crate) message: Message,
    pub(crate) is_hit: bool,
    pub(crate) line: Option<u64>,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) exact: bool,
    pub(crate) part: String,
    pub(crate) header: String,
    pub(crate) form: &'static str,
    /// The names and values of all other fields that differ from their defaults.
    pub(crate) flags: String,
    pub(crate) url: Vec<u8>,
}

/// The message that contains a hit or a reject.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Message {
    pub(crate) number: Option<u64>,
    pub(crate) id: Option<Vec<u8>>,
    pub(crate) date: Option<String>,
    pub(crate) newsgroups: Option<Vec<u8>>,
    pub(crate) list_id: Option<Vec<u8>>,
}

impl Found {
    fn new(origin: &Location<'_>, form: &'static str, url: &[u8]) -> Found {
        Found {
            file: origin.input().map(|file| file.name().to_path_buf()),
            member: origin.member().map(<[u8]>::to_vec),
            message: Message {
                number: origin.message(),
                id: origin.message_id().map(<[u8]>::to_vec),
                date: origin.date().map(str::to_owned),
                newsgroups: origin.newsgroups().map(<[u8]>::to_vec),
                list_id: origin.list_id().map(<[u8]>::to_vec),
            },
            is_hit: false,
            line: Some(origin.line()).filter(|line| *line > 0),
            offset: origin.offset(),
            length: origin.length(),
            exact: origin.exact(),
            part: origin.part(),
            header: origin.header().map_or_else(String::new, text),
            form,
            flags: String::new(),
            url: url.to_vec(),
        }
    }

    fn flag(&mut self, set: bool, flag: impl AsRef<str>) {
        if set {
            let space = if self.flags.is_empty() { "" } else { " " };
            let _ = write!(self.flags, "{space}{}", flag.as_ref());
        }
    }

    fn hit(hit: &Hit<'_>) -> Found {
        let mut found = Found::new(hit, hit.form().as_str(), hit.url().as_bytes());
        found.is_hit = true;
        let tier = hit.url().tier().as_str();
        found.flag(tier != "rfc1738", tier);
        found.flag(hit.rejoined(), "rejoined");
        found.place(hit);
        found.flag(hit.repeat(), "dup");
        found.flag(hit.quote_depth() > 0, format!("quote={}", hit.quote_depth()));
        if let Some(reason) = hit.doubt() {
            found.flag(true, format!("doubtful={}", reason.as_str()));
        }
        found.flag(!hit.trimmed().is_empty(), format!("trimmed={}", text(hit.trimmed())));
        for warning in hit.warnings() {
            found.flag(true, format!("warning={}", warning.as_str()));
        }
        for other in hit.alternatives() {
            found.flag(true, format!("or={}:{}", other.reason.as_str(), text(&other.url)));
        }
        found
    }

    fn reject(reject: &Reject<'_>) -> Found {
        let mut found = Found::new(reject, reject.form().as_str(), reject.text());
        found.flag(true, format!("why={}@{}", reject.reason().kind().as_str(), reject.reason().offset()));
        found.place(reject);
        found
    }

    fn place(&mut self, origin: &Location<'_>) {
        self.flag(origin.recovered(), "recovered");
        self.flag(!origin.exact(), "precision=part");
        if let Some(place) = origin.html_place() {
            self.flag(true, format!("place={place}"));
        }
    }
}

/// Returns the bytes as text, or with escapes if they are not UTF-8 or have control characters.
pub(crate) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => text.to_owned(),
        _ => bytes.escape_ascii().to_string(),
    }
}

#[derive(Default)]
pub(crate) struct Record(pub(crate) Vec<Event>);

impl Sink for Record {
    fn event(&mut self, event: urlspool::Event<'_>) -> ControlFlow<()> {
        let event = match event {
            urlspool::Event::Hit(hit) => Event::Found(Box::new(Found::hit(hit))),
            urlspool::Event::Reject(reject) => Event::Found(Box::new(Found::reject(reject))),
            urlspool::Event::Diagnostic { file, diagnostic } => {
                let file = file.map(|file| file.name().to_path_buf());
                Event::Diagnostic { file, offset: diagnostic.offset(), name: diagnostic.kind().as_str() }
            }
            urlspool::Event::Error(error) => match error.diagnostic() {
                Some(diagnostic) => {
                    let file = Some(error.path().to_path_buf());
                    Event::Diagnostic { file, offset: diagnostic.offset(), name: diagnostic.kind().as_str() }
                }
                None => Event::Problem(error.to_string()),
            },
            urlspool::Event::End(file) => Event::End(file.name().to_path_buf()),
            _ => return ControlFlow::Continue(()),
        };
        self.0.push(event);
        ControlFlow::Continue(())
    }
}

impl Collect for Record {
    type Local = Record;

    fn new_local(&self) -> Record {
        Record::default()
    }

    /// Each worker passes its events to `collect` when it has more than 100 events. The limit is low, so that the tests
    /// also cover calls of `collect` in the middle of a worker's work.
    fn is_full(part: &Record) -> bool {
        part.0.len() > 100
    }

    fn collect(&mut self, part: &mut Record) -> ControlFlow<()> {
        self.0.append(&mut part.0);
        ControlFlow::Continue(())
    }
}

/// The options of a search in a test. The search always counts lines. By default, it uses one thread.
#[derive(Clone)]
pub(crate) struct Search {
    extractor: Extractor,
    chunk: usize,
}

impl Search {
    pub(crate) fn new() -> Search {
        Search { extractor: Extractor::new().set("count-lines", "true").unwrap().threads(1), chunk: 256 << 10 }
    }

    /// Returns a search with another option.
    pub(crate) fn with(&self, set: impl FnOnce(Extractor) -> Extractor) -> Search {
        Search { extractor: set(self.extractor.clone()), chunk: self.chunk }
    }

    pub(crate) fn format(&self, format: &str) -> Search {
        self.with(|extractor| extractor.set("format", format).unwrap())
    }

    pub(crate) fn chunk(&self, chunk: usize) -> Search {
        Search { extractor: self.extractor.clone(), chunk }
    }

    pub(crate) fn threads(&self, threads: usize) -> Search {
        self.with(|extractor| extractor.threads(threads))
    }

    pub(crate) fn max_message(&self, max_message: usize) -> Search {
        self.with(|extractor| extractor.set("max-message", &max_message.to_string()).unwrap())
    }

    pub(crate) fn defanged(&self, defanged: bool) -> Search {
        self.with(|extractor| extractor.set("defanged", &defanged.to_string()).unwrap())
    }

    pub(crate) fn stream<R: Read>(&self, stream: R) -> Hits<R> {
        self.extractor.read(stream).chunk(self.chunk)
    }
}

pub(crate) fn paths(search: &Search, paths: Vec<PathBuf>) -> Vec<Event> {
    search.extractor.paths(paths).chunk(search.chunk).parallel(Record::default()).0
}

/// Passes all events of a stream to `sink`. Returns the last error.
pub(crate) fn stream<R: Read>(hits: Hits<R>, sink: &mut impl Sink) -> Option<Error> {
    let mut failure = None;
    let _ = hits.each(&mut |event: urlspool::Event<'_>| {
        if let urlspool::Event::Error(error) = event {
            failure = Some(error.clone());
        }
        sink.event(event)
    });
    failure
}

pub(crate) fn read(search: &Search, reader: impl Read, name: &str) -> Vec<Event> {
    let mut record = Record::default();
    if let Some(error) = stream(search.stream(reader).name(name), &mut record) {
        let is_expected = matches!(error.kind(), ErrorKind::Incomplete | ErrorKind::Unsupported);
        assert!(is_expected, "a stream that does not fail: {error}");
    }
    record.0
}

pub(crate) fn message(search: &Search, bytes: &[u8]) -> Vec<Event> {
    let mut record = Record::default();
    let _ = search.extractor.message_into(bytes, &mut record);
    record.0
}

pub(crate) fn hits(events: &[Event]) -> impl Iterator<Item = &Found> {
    events.iter().filter_map(|event| match event {
        Event::Found(found) if found.is_hit => Some(&**found),
        _ => None,
    })
}
