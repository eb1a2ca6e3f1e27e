//! From what the workers find to one output in the order of the input.

use std::fmt;
use std::io::{self, Write};

use urlspool::{Collect, DetectedBy, Diagnostic, Error, Format, HitRef, Input, Reject};

use super::filter_report;
use super::progress::Progress;
use super::select::{self, Select, Verdict};
use super::unseen_schemes::UnseenSchemes;
use super::with_hint::{ErrorWithHint, WithHint};
use crate::escaped::Escaped;
use crate::event::{Event, Events, Found, Receive};
use crate::print::{Page, Printer};
use crate::state::{Mark, State};
use crate::status::{Status, tell};

/// A page is printed when it and what is told with it have grown to this, however much is left of its batch.
const FULL: usize = 512 << 10;

/// Has the pages of all workers printed in their order.
pub(crate) struct Collector<'s> {
    select: &'s Select,
    printer: Printer,
    progress: Progress,
    unmet: UnseenSchemes<'s>,
    state: Option<State>,
    /// Why the state could not be written.
    failure: Option<io::Error>,
}

impl<'s> Collector<'s> {
    pub(crate) fn new(select: &'s Select, printer: Printer, progress: Progress, state: Option<State>) -> Self {
        let unmet = UnseenSchemes::of(&select.schemes);
        Collector { select, printer, progress, unmet, state, failure: None }
    }

    /// Prints a page, and then records what was read for it.
    fn print(&mut self, page: &mut Page, marks: Vec<Mark>) -> io::Result<()> {
        self.progress.print(|out| self.printer.print(page, out))?;
        self.record(|state| state.commit(marks))
    }

    fn record(&mut self, write: impl FnOnce(&mut State) -> io::Result<()>) -> io::Result<()> {
        let Some(state) = &mut self.state else { return Ok(()) };
        let written = write(state);
        let notes = state.notes();
        if !notes.is_empty() {
            self.progress.around(|| notes.into_iter().for_each(tell));
        }
        written.map_err(|error| {
            let kind = error.kind();
            self.failure = Some(error);
            kind.into()
        })
    }

    /// Has the printer print what is left, and tells what has to be told of the whole.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.progress.end();
        self.printer.finish(&mut io::stdout().lock())?;
        self.record(State::finish)?;
        let notes = filter_report::notes(self.printer.tally().0, &self.select.messages);
        for note in notes.into_iter().chain(self.unmet.notes()) {
            tell(note);
        }
        Ok(())
    }

    /// How it went, if it went to its `end`.
    pub(crate) fn status(&self, end: io::Result<()>) -> Status {
        let (tally, _) = self.printer.tally();
        if let Some((state, error)) = self.state.as_ref().zip(self.failure.as_ref()) {
            tell(state.failure(error));
            return Status::Trouble;
        }
        match end {
            Ok(()) if tally.not_read + tally.losses > 0 => Status::Trouble,
            Ok(()) => Status::found(tally.hits + tally.refused > 0),
            // Who reads our output has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Found,
            Err(error) => {
                tell(format_args!("{} cannot be written: {error}", self.printer.target()));
                Status::Trouble
            }
        }
    }
}

impl<'s> Collect for Collector<'s> {
    type Local = Events<Part<'s>>;
    /// A failed write ends the run.
    type Flow = io::Result<()>;

    fn new_local(&self) -> Self::Local {
        let part = Part::new(self.select, self.printer.page());
        Events(Part { marks: self.state.is_some().then(Vec::new), ..part })
    }

    fn is_full(part: &Self::Local) -> bool {
        part.0.page.size() + part.0.whole_size + part.0.messages.len() >= FULL
    }

    fn collect(&mut self, Events(part): &mut Self::Local) -> io::Result<()> {
        self.unmet.and(&part.unmet);
        // A run that is killed repeats at most the last file.
        part.whole_size = 0;
        for (mut page, marks) in part.whole.drain(..) {
            self.print(&mut page, marks)?;
        }
        let marks = part.marks.as_mut().map(std::mem::take).unwrap_or_default();
        self.print(&mut part.page, marks)?;
        self.progress.show(self.printer.tally());
        if !part.messages.is_empty() {
            self.progress.around(|| part.tell());
        }
        Ok(())
    }
}

/// What one worker has found and not handed over yet.
pub(crate) struct Part<'s> {
    select: &'s Select,
    /// Whether every hit is asked for.
    all: bool,
    pub(crate) page: Page,
    /// What was read for the page, if that is recorded.
    marks: Option<Vec<Mark>>,
    /// Pages before that one, each with a file that is finished, if that is recorded.
    whole: Vec<(Page, Vec<Mark>)>,
    /// How many bytes these take.
    whole_size: usize,
    /// For standard error.
    messages: Vec<u8>,
    unmet: UnseenSchemes<'s>,
}

impl<'s> Part<'s> {
    pub(crate) fn new(select: &'s Select, page: Page) -> Self {
        let (all, unmet) = (select.is_all(), UnseenSchemes::of(&select.schemes));
        Part { select, all, page, marks: None, whole: Vec::new(), whole_size: 0, messages: Vec::new(), unmet }
    }

    /// Tells on standard error what there is to tell, once.
    pub(crate) fn tell(&mut self) {
        // If that is closed, the exit status still tells.
        let _ = io::stderr().lock().write_all(&self.messages);
        self.messages.clear();
    }

    /// Adds a line for standard error.
    fn message(&mut self, text: fmt::Arguments<'_>) {
        writeln!(self.messages, "urlspool: {text}").expect("writing to a Vec cannot fail");
    }

    #[inline(always)]
    fn hit(&mut self, hit: &HitRef<'_>) {
        let verdict = if self.all {
            Verdict::Hit
        } else {
            // Whether or not it is of such a host, or in such a form, its scheme is no slip.
            self.unmet.meet(hit.url().scheme().as_bytes());
            self.select.hit(hit)
        };
        match verdict {
            Verdict::Hit => {
                self.found(Found::Hit(hit));
                if !hit.alternatives().is_empty() {
                    self.readings(hit);
                }
            }
            Verdict::Refused(refused) => self.found(Found::Refused(&refused)),
            Verdict::Other => {}
        }
    }

    #[inline(never)]
    fn readings(&mut self, hit: &HitRef<'_>) {
        for alternative in hit.alternatives().iter().filter(|other| self.select.reading(other)) {
            self.found(Found::Reading(hit, &alternative.url));
        }
    }

    #[inline(always)]
    fn found(&mut self, found: Found<'_>) {
        self.page.event(Event::Found(found));
    }

    fn reject(&mut self, reject: &Reject<'_>) {
        if self.select.is_meant(reject) {
            self.page.event(Event::Reject(reject));
        }
        if let Some(refused) = self.select.reject(reject) {
            self.unmet.meet(select::scheme(refused.text));
            self.found(Found::Refused(&refused));
        }
    }

    /// What need not be selected.
    fn other(&mut self, event: Event<'_>) {
        match event {
            Event::Diagnostic(file, diagnostic) => self.diagnostic(file, diagnostic),
            Event::Problem(error) => self.problem(error),
            Event::Reached(file, position, before) => self.mark(Mark::reached(file.name(), position, before)),
            Event::Finished(path) => self.mark(Mark::Finished(path.into())),
            Event::Skipped(path, why) if self.select.damage => {
                self.message(format_args!("{}: skipped: {}", Escaped::path(path), why.about()));
            }
            // Of what is not in the format that was asked for, a note has told already.
            Event::End(file) if self.select.damage && file.detected_by() != DetectedBy::Mismatch => {
                self.message(format_args!("{}: {}", name(file), kind(file)));
            }
            _ => {}
        }
        self.page.event(event);
    }

    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) {
        if self.select.diagnostic(diagnostic) {
            let name = file.map_or("-".into(), name);
            // Its offset is in what comes out.
            let place = if file.is_some_and(|file| file.codec().is_some()) { "decompressed " } else { "" };
            self.message(format_args!("{name}: {place}{}", WithHint(diagnostic)));
        }
    }

    /// Takes note of what was read.
    fn mark(&mut self, mark: Mark) {
        let Some(marks) = &mut self.marks else { return };
        let is_finished = matches!(mark, Mark::Finished(_));
        marks.push(mark);
        if is_finished && self.page.size() > 0 {
            self.whole_size += self.page.size();
            self.whole.push((self.page.split(), std::mem::take(marks)));
        }
    }

    fn problem(&mut self, error: &Error) {
        self.mark(Mark::Failed(error.path().into()));
        // A member of an archive may be called so, too.
        let is_missing = error.io_error().is_some_and(|reason| reason.kind() == io::ErrorKind::NotFound);
        let is_url = error.path().to_str().is_some_and(|path| path.contains("://"));
        let hint = if is_missing && is_url { "; a URL is not fetched, but --check looks at one" } else { "" };
        self.message(format_args!("{}{hint}", Escaped(ErrorWithHint(error).to_string().as_bytes())));
    }
}

impl Receive for Part<'_> {
    // Each method of the sink has the arm for its event.
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Found(Found::Hit(hit)) => self.hit(hit),
            Event::Reject(reject) => self.reject(reject),
            Event::Part(_) | Event::Segment(..) => self.page.event(event),
            event => self.other(event),
        }
    }
}

/// What a file is called, for people: a member has its archive's name before its own.
fn name(file: &Input) -> String {
    let path = Escaped::path(file.name());
    file.member().map_or(path.to_string(), |member| format!("{path}!{}", Escaped(member)))
}

/// As what a file was read, and why.
fn kind(file: &Input) -> String {
    let codec = file.codec().map(|codec| format!("{} undone, ", codec.as_str())).unwrap_or_default();
    let about = match file.format().parse::<Format>() {
        _ if file.is_archive() => "its members are files",
        format => format.map_or("", Format::about),
    };
    let why = match file.detected_by() {
        DetectedBy::Explicit => "as was asked for",
        DetectedBy::Location => "for its place: its content would be text",
        _ => "for its content",
    };
    format!("{codec}read as {} {why} ({about})", file.format())
}
