//! A sink that keeps everything it is told, every field of it.

use std::fmt::Write;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use urlspool::{Collect, Diagnostic, Error, Extractor, Hit, Input, Origin, Reject, Sink};

/// One call of a sink.
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
    /// All else that is not as it usually is.
    pub(crate) flags: String,
    pub(crate) url: Vec<u8>,
}

/// The message it stood in.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Message {
    pub(crate) number: Option<u64>,
    pub(crate) id: Option<Vec<u8>>,
    pub(crate) date: Option<String>,
    pub(crate) newsgroups: Option<Vec<u8>>,
    pub(crate) list_id: Option<Vec<u8>>,
}

impl Found {
    fn new(origin: &Origin<'_>, form: &'static str, url: &[u8]) -> Found {
        Found {
            file: origin.file().map(Path::to_path_buf),
            member: origin.member().map(<[u8]>::to_vec),
            message: Message {
                number: origin.message(),
                id: origin.message_id().map(<[u8]>::to_vec),
                date: origin.date().map(str::to_owned),
                newsgroups: origin.newsgroups().map(<[u8]>::to_vec),
                list_id: origin.list_id().map(<[u8]>::to_vec),
            },
            is_hit: false,
            line: origin.line(),
            offset: origin.offset(),
            length: origin.length(),
            exact: origin.is_exact(),
            part: origin.part().to_string(),
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
        let origin = hit.origin();
        let mut found = Found::new(origin, hit.form().as_str(), hit.url().as_bytes());
        found.is_hit = true;
        let tier = hit.tier().as_str();
        found.flag(tier != "rfc1738", tier);
        found.flag(hit.is_rejoined(), "rejoined");
        found.place(origin);
        found.flag(hit.is_repeated_in_alternative(), "dup");
        found.flag(hit.quote_depth() > 0, format!("quote={}", hit.quote_depth()));
        if let Some(reason) = hit.ambiguity() {
            found.flag(true, format!("doubtful={}", reason.as_str()));
        }
        found.flag(!hit.trimmed().is_empty(), format!("trimmed={}", text(hit.trimmed())));
        for warning in hit.warnings().iter() {
            found.flag(true, format!("warning={}", warning.as_str()));
        }
        for other in hit.alternatives() {
            found.flag(true, format!("or={}:{}", other.reason.as_str(), text(&other.url)));
        }
        found
    }

    fn reject(reject: &Reject<'_>) -> Found {
        let mut found = Found::new(reject.origin(), reject.form().as_str(), reject.text());
        found.flag(true, format!("why={}@{}", reject.why().as_str(), reject.why().offset()));
        found.place(reject.origin());
        found
    }

    fn place(&mut self, origin: &Origin<'_>) {
        self.flag(origin.is_recovered(), "recovered");
        self.flag(!origin.is_exact(), "precision=part");
        if let Some(place) = origin.html_place() {
            self.flag(true, format!("place={}", place.as_str()));
        }
    }
}

/// Bytes as they are if they can be read, else escaped.
pub(crate) fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => text.to_owned(),
        _ => bytes.escape_ascii().to_string(),
    }
}

/// Everything, in the order in which it was told.
#[derive(Default)]
pub(crate) struct Record(pub(crate) Vec<Event>);

impl Sink for Record {
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
        self.0.push(Event::Found(Box::new(Found::hit(hit))));
        ControlFlow::Continue(())
    }

    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()> {
        self.0.push(Event::Found(Box::new(Found::reject(reject))));
        ControlFlow::Continue(())
    }

    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) -> ControlFlow<()> {
        let file = file.map(|file| file.name().to_path_buf());
        self.0.push(Event::Diagnostic { file, offset: diagnostic.offset(), name: diagnostic.kind().as_str() });
        ControlFlow::Continue(())
    }

    fn problem(&mut self, error: &Error) -> ControlFlow<()> {
        self.0.push(Event::Problem(error.to_string()));
        ControlFlow::Continue(())
    }

    fn end(&mut self, file: &Input) -> ControlFlow<()> {
        self.0.push(Event::End(file.name().to_path_buf()));
        ControlFlow::Continue(())
    }
}

impl Collect for Record {
    type Local = Record;

    fn new_local(&self) -> Record {
        Record::default()
    }

    /// Small, so that parts are collected in the midst of a batch too.
    fn is_full(part: &Record) -> bool {
        part.0.len() > 100
    }

    fn collect(&mut self, part: &mut Record) -> io::Result<ControlFlow<()>> {
        self.0.append(&mut part.0);
        Ok(ControlFlow::Continue(()))
    }
}

/// What the extractor finds under the paths.
pub(crate) fn paths(extractor: &Extractor, paths: Vec<PathBuf>) -> Vec<Event> {
    let mut record = Record::default();
    extractor.paths(paths, &mut record).expect("memory takes what is written to it");
    record.0
}

/// What the extractor finds in a stream called `name`.
pub(crate) fn read(extractor: &Extractor, stream: impl Read + Send + 'static, name: &str) -> Vec<Event> {
    let mut record = Record::default();
    extractor.read(stream, name, &mut record).expect("a stream that does not fail");
    record.0
}

/// What the extractor finds in one message.
pub(crate) fn message(extractor: &Extractor, bytes: &[u8]) -> Vec<Event> {
    let mut record = Record::default();
    let _ = extractor.message(bytes, &mut record);
    record.0
}

/// The hits among the events.
pub(crate) fn hits(events: &[Event]) -> impl Iterator<Item = &Found> {
    events.iter().filter_map(|event| match event {
        Event::Found(found) if found.is_hit => Some(&**found),
        _ => None,
    })
}
