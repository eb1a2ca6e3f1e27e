//! Collects the output of all workers into one, in the order of the input.

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
use crate::status::{Status, print_message};

/// A worker's page is printed when it and its messages reach this size in bytes, even within a batch.
const FULL: usize = 512 << 10;

/// Prints the pages of all workers in their order.
pub(crate) struct Collector<'s> {
    select: &'s Select,
    printer: Printer,
    progress: Progress,
    unseen: UnseenSchemes<'s>,
}

impl<'s> Collector<'s> {
    pub(crate) fn new(select: &'s Select, printer: Printer, progress: Progress) -> Self {
        let unseen = UnseenSchemes::of(&select.schemes);
        Collector { select, printer, progress, unseen }
    }

    /// Prints the rest of the output, and the warnings about the whole run.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.progress.end();
        self.printer.finish(&mut io::stdout().lock())?;
        let warnings = filter_report::warnings(self.printer.tally().0, &self.select.messages);
        for warning in warnings.into_iter().chain(self.unseen.warnings()) {
            print_message(warning);
        }
        Ok(())
    }

    /// The exit status. `end` is how the run ended.
    pub(crate) fn status(&self, end: io::Result<()>) -> Status {
        let (tally, _) = self.printer.tally();
        match end {
            Ok(()) if tally.not_read + tally.losses > 0 => Status::Failed,
            Ok(()) => Status::found(tally.hits + tally.refused > 0),
            // The reader of the output needs no more.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Found,
            Err(error) => {
                print_message(format_args!("cannot write {}: {error}", self.printer.target()));
                Status::Failed
            }
        }
    }
}

impl<'s> Collect for Collector<'s> {
    type Local = Events<Part<'s>>;
    /// A failed write ends the run.
    type Flow = io::Result<()>;

    fn new_local(&self) -> Self::Local {
        Events(Part::new(self.select, self.printer.page()))
    }

    fn is_full(part: &Self::Local) -> bool {
        part.0.page.size() + part.0.messages.len() >= FULL
    }

    fn collect(&mut self, Events(part): &mut Self::Local) -> io::Result<()> {
        self.unseen.intersect(&part.unseen);
        self.progress.print(|out| self.printer.print(&mut part.page, out))?;
        self.progress.show(self.printer.tally());
        if !part.messages.is_empty() {
            self.progress.around(|| part.print_messages());
        }
        Ok(())
    }
}

/// The output of one worker that was not collected yet.
pub(crate) struct Part<'s> {
    select: &'s Select,
    /// Whether every hit is selected.
    all: bool,
    pub(crate) page: Page,
    /// For standard error.
    messages: Vec<u8>,
    unseen: UnseenSchemes<'s>,
}

impl<'s> Part<'s> {
    pub(crate) fn new(select: &'s Select, page: Page) -> Self {
        let (all, unseen) = (select.is_all(), UnseenSchemes::of(&select.schemes));
        Part { select, all, page, messages: Vec::new(), unseen }
    }

    /// Prints the messages on standard error, and removes them.
    pub(crate) fn print_messages(&mut self) {
        // If standard error is closed, only the exit status remains.
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
            // Even if another option excludes the hit, its scheme is not misspelt.
            self.unseen.remove(hit.url().scheme().as_bytes());
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
            self.unseen.remove(select::scheme(refused.text));
            self.found(Found::Refused(&refused));
        }
    }

    /// Handles events that are not selected.
    fn other(&mut self, event: Event<'_>) {
        match event {
            Event::Diagnostic(file, diagnostic) => self.diagnostic(file, diagnostic),
            Event::Problem(error) => self.problem(error),
            Event::Skipped(path, why) if self.select.damage => {
                self.message(format_args!("{}: skipped: {}", Escaped::path(path), why.about()));
            }
            // A diagnostic has reported the mismatch already.
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
            // The offset counts in the decompressed data.
            let place = if file.is_some_and(|file| file.codec().is_some()) { "decompressed " } else { "" };
            self.message(format_args!("{name}: {place}{}", WithHint(diagnostic)));
        }
    }

    fn problem(&mut self, error: &Error) {
        // Only for missing files: a member of an archive may have such a name, too.
        let is_missing = error.io_error().is_some_and(|reason| reason.kind() == io::ErrorKind::NotFound);
        let is_url = error.path().to_str().is_some_and(|path| path.contains("://"));
        let hint = if is_missing && is_url { "; urlspool does not fetch URLs; to check one, use --check" } else { "" };
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

/// The name of a file for messages. A member has the name of its archive first.
fn name(file: &Input) -> String {
    let path = Escaped::path(file.name());
    file.member().map_or(path.to_string(), |member| format!("{path}!{}", Escaped(member)))
}

/// The format that a file was read as, and how it was detected.
fn kind(file: &Input) -> String {
    let codec = file.codec().map(|codec| format!("decompressed by {}, ", codec.as_str())).unwrap_or_default();
    let about = match file.format().parse::<Format>() {
        _ if file.is_archive() => "each member is a file",
        format => format.map_or("", Format::about),
    };
    let why = match file.detected_by() {
        DetectedBy::Explicit => "by --format",
        DetectedBy::Location => "by its directory, because its content looks like text",
        _ => "by content",
    };
    format!("{codec}read as {} {why} ({about})", file.format())
}
