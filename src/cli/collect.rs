//! From what the workers find to one output in the order of the input.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use urlspool::{Collect, Error, Evidence, File, Format, Hit, LeftOut, Note, Reject, Section, Sink, Unit};

use super::harmless::Harmless;
use super::print::{Page, Printer};
use super::progress::{Done, Progress};
use super::select::{Refused, Select, Verdict};
use super::status::Status;
use super::told::Told;
use super::unchosen::Unchosen;
use super::unmet::Unmet;

/// A page is printed when it and what is told with it have grown to this, however much is left of its batch.
const FULL: usize = 512 << 10;

/// Has the pages of all workers printed in their order.
pub(crate) struct Collector<'s, P> {
    select: &'s Select,
    printer: P,
    progress: Progress,
    found: bool,
    failed: bool,
    unchosen: Unchosen,
    unmet: Unmet<'s>,
}

impl<'s, P: Printer> Collector<'s, P> {
    pub(crate) fn new(select: &'s Select, printer: P, progress: Progress) -> Self {
        let unmet = Unmet::of(&select.schemes);
        Collector { select, printer, progress, found: false, failed: false, unchosen: Unchosen::default(), unmet }
    }

    /// Has the printer print what is left, and tells what has to be told of the whole.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.progress.end();
        let mut out = io::stdout().lock();
        self.printer.finish(&mut out)?;
        out.flush()?;
        let mut told = Vec::new();
        for note in self.unchosen.notes(&self.select.messages).into_iter().chain(self.unmet.notes()) {
            message(&mut told, format_args!("{note}"));
        }
        tell(&told);
        Ok(())
    }

    /// What its printer writes to, for people.
    pub(crate) fn target(&self) -> String {
        self.printer.target()
    }

    /// How it went.
    pub(crate) fn status(&self) -> Status {
        if self.failed { Status::Trouble } else { Status::found(self.found) }
    }
}

impl<'s, P: Printer> Collect for Collector<'s, P> {
    type Part = Part<'s, P::Page>;

    fn part(&self) -> Self::Part {
        Part::new(self.select, self.printer.page())
    }

    fn is_full(part: &Self::Part) -> bool {
        part.page.size() + part.messages.len() >= FULL
    }

    fn collect(&mut self, part: &mut Self::Part) -> io::Result<ControlFlow<()>> {
        self.found |= std::mem::take(&mut part.found);
        self.failed |= std::mem::take(&mut part.failed);
        self.unchosen.take(&mut part.unchosen);
        self.unmet.and(&part.unmet);
        self.progress.add(&mut part.done);
        let printer = &mut self.printer;
        self.progress.print(|out| part.print(printer, out))?;
        if !part.messages.is_empty() {
            self.progress.around(|| part.tell());
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// What one worker has found and not handed over yet.
pub(crate) struct Part<'s, P> {
    select: &'s Select,
    /// Whether every hit is asked for.
    all: bool,
    page: P,
    /// For standard error.
    messages: Vec<u8>,
    done: Done,
    found: bool,
    failed: bool,
    unchosen: Unchosen,
    unmet: Unmet<'s>,
}

impl<'s, P: Page> Part<'s, P> {
    pub(crate) fn new(select: &'s Select, page: P) -> Self {
        Part {
            select,
            all: select.is_all(),
            page,
            messages: Vec::new(),
            done: Done::default(),
            found: false,
            failed: false,
            unchosen: Unchosen::default(),
            unmet: Unmet::of(&select.schemes),
        }
    }

    /// Prints what it has found, and has it no more.
    pub(crate) fn print(&mut self, printer: &mut impl Printer<Page = P>, out: &mut dyn Write) -> io::Result<()> {
        printer.print(&mut self.page, out)
    }

    fn refused(&mut self, refused: &Refused<'_>) {
        self.found = true;
        self.page.refused(refused);
    }

    /// Tells on standard error what there is to tell, once.
    pub(crate) fn tell(&mut self) {
        tell(&self.messages);
        self.messages.clear();
    }
}

impl<P: Page> Sink for Part<'_, P> {
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
        let verdict = if self.all {
            Verdict::Hit
        } else {
            // Whether or not it is of such a host, or in such a form, its scheme is no slip.
            self.unmet.meet(hit.url().scheme());
            self.select.hit(hit)
        };
        match verdict {
            Verdict::Hit => {
                self.found = true;
                self.done.hits += 1;
                self.page.hit(hit);
                for alternative in hit.alternatives().iter().filter(|other| self.select.reading(other)) {
                    self.page.reading(hit, &alternative.url);
                }
            }
            Verdict::Refused(refused) => self.refused(&refused),
            Verdict::Other => {}
        }
        ControlFlow::Continue(())
    }

    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()> {
        if self.select.is_meant(reject) {
            self.page.reject(reject);
        }
        if let Some(refused) = self.select.reject(reject) {
            self.unmet.meet(refused.scheme());
            self.refused(&refused);
        }
        ControlFlow::Continue(())
    }

    fn note(&mut self, file: Option<&File>, note: &Note) -> ControlFlow<()> {
        self.failed |= note.is_loss();
        self.page.note(file, note);
        if self.select.note(note) {
            let name = file.map_or("-".into(), name);
            // Its offset is in what comes out.
            let place = if file.is_some_and(|file| file.codec().is_some()) { "decompressed " } else { "" };
            message(&mut self.messages, format_args!("{name}: {place}{}", Told(note)));
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, error: &Error) -> ControlFlow<()> {
        self.failed = true;
        self.page.problem(error);
        // A member of an archive may be called so, too.
        let is_missing = error.io_error().is_some_and(|reason| reason.kind() == io::ErrorKind::NotFound);
        let is_url = error.path().to_str().is_some_and(|path| path.contains("://"));
        let hint = if is_missing && is_url { "; a URL is not fetched, but --check looks at one" } else { "" };
        message(&mut self.messages, format_args!("{}{hint}", Harmless(error.to_string().as_bytes())));
        ControlFlow::Continue(())
    }

    fn part(&mut self, part: &Section) -> ControlFlow<()> {
        self.page.part(part);
        ControlFlow::Continue(())
    }

    fn unit(&mut self, file: Option<&File>, unit: &Unit) -> ControlFlow<()> {
        self.done.octets += unit.octets();
        self.done.messages += u64::from(unit.is_message());
        self.done.is_expanded |= file.is_some_and(|file| file.codec().is_some() || file.member().is_some());
        self.unchosen.meet(unit);
        self.page.unit(file, unit);
        ControlFlow::Continue(())
    }

    fn left_out(&mut self, path: &Path, why: LeftOut) -> ControlFlow<()> {
        if self.select.damage {
            let name = Harmless::path(path);
            message(&mut self.messages, format_args!("{name}: left out: {why}"));
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, file: &File) -> ControlFlow<()> {
        // Of what is not in the format that was asked for, a note has told already.
        if self.select.damage && file.evidence() != Evidence::NotMet {
            message(&mut self.messages, format_args!("{}: {}", name(file), kind(file)));
        }
        self.unchosen.end(file);
        self.page.end(file);
        ControlFlow::Continue(())
    }
}

/// What a file is called, for people: a member has its archive's name before its own.
fn name(file: &File) -> String {
    let path = Harmless::path(file.name());
    file.member().map_or(path.to_string(), |member| format!("{path}!{}", Harmless(member)))
}

/// As what a file was read, and why.
fn kind(file: &File) -> String {
    let codec = file.codec().map(|codec| format!("{} undone, ", codec.as_str())).unwrap_or_default();
    let about = match Format::from_name(file.format()) {
        _ if file.is_archive() => "its members are files",
        format => format.map_or("", Format::about),
    };
    let why = match file.evidence() {
        Evidence::Asked => "as was asked for",
        Evidence::Place => "for its place: its content would be text",
        _ => "for its content",
    };
    format!("{codec}read as {} {why} ({about})", file.format())
}

/// Writes it on standard error. If that is closed, the exit status still tells.
fn tell(messages: &[u8]) {
    let _ = io::stderr().lock().write_all(messages);
}

/// Adds a line as it is told on standard error.
fn message(messages: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    writeln!(messages, "urlspool: {text}").expect("memory takes what is written to it");
}
