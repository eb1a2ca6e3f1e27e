//! From what the workers find to one output in the order of the input.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use urlspool::{Collect, Error, File, Hit, LeftOut, Note, Reject, Sink};

use super::harmless::Harmless;
use super::print::{Page, Printer};
use super::select::{Select, Verdict};
use super::status::Status;

/// A page is printed when it and what is told with it have grown to this, however much is left of its batch.
const FULL: usize = 256 << 10;

/// Has the pages of all workers printed in their order.
pub(crate) struct Collector<'s, P> {
    select: &'s Select,
    printer: P,
    found: bool,
    failed: bool,
}

impl<'s, P: Printer> Collector<'s, P> {
    pub(crate) fn new(select: &'s Select, printer: P) -> Self {
        Collector { select, printer, found: false, failed: false }
    }

    /// How it went.
    pub(crate) fn status(&self) -> Status {
        if self.failed { Status::Trouble } else { Status::found(self.found) }
    }
}

impl<'s, P: Printer> Collect for Collector<'s, P> {
    type Part = Part<'s, P::Page>;

    fn part(&self) -> Self::Part {
        Part { select: self.select, page: self.printer.page(), messages: Vec::new(), found: false, failed: false }
    }

    fn is_full(part: &Self::Part) -> bool {
        part.page.size() + part.messages.len() >= FULL
    }

    fn collect(&mut self, part: &mut Self::Part) -> io::Result<ControlFlow<()>> {
        self.found |= std::mem::take(&mut part.found);
        self.failed |= std::mem::take(&mut part.failed);
        let mut out = io::stdout().lock();
        self.printer.print(&mut part.page, &mut out)?;
        out.flush()?;
        if !part.messages.is_empty() {
            // If standard error is closed, the exit status still tells.
            let _ = io::stderr().lock().write_all(&part.messages);
            part.messages.clear();
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// What one worker has found and not handed over yet.
pub(crate) struct Part<'s, P> {
    select: &'s Select,
    page: P,
    /// For standard error.
    messages: Vec<u8>,
    found: bool,
    failed: bool,
}

impl<P: Page> Sink for Part<'_, P> {
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
        match self.select.hit(hit) {
            Verdict::Hit => {
                self.found = true;
                self.page.hit(hit);
                for alternative in hit.alternatives().iter().filter(|other| self.select.reading(other)) {
                    self.page.reading(hit, &alternative.url);
                }
            }
            Verdict::Refused(refused) => {
                self.found = true;
                self.page.refused(&refused);
            }
            Verdict::Other => {}
        }
        ControlFlow::Continue(())
    }

    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()> {
        if let Some(refused) = self.select.reject(reject) {
            self.found = true;
            self.page.refused(&refused);
        }
        ControlFlow::Continue(())
    }

    fn note(&mut self, file: Option<&File>, note: &Note) -> ControlFlow<()> {
        self.failed |= note.is_loss();
        if self.select.note(note) {
            let name = file.map_or(&b"-"[..], |file| file.name().as_os_str().as_encoded_bytes());
            match file.and_then(File::member) {
                Some(member) => {
                    message(&mut self.messages, format_args!("{}!{}: {note}", Harmless(name), Harmless(member)));
                }
                None => message(&mut self.messages, format_args!("{}: {note}", Harmless(name))),
            }
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, error: &Error) -> ControlFlow<()> {
        self.failed = true;
        message(&mut self.messages, format_args!("{}", Harmless(error.to_string().as_bytes())));
        ControlFlow::Continue(())
    }

    fn left_out(&mut self, path: &Path, why: LeftOut) -> ControlFlow<()> {
        if self.select.damage {
            let name = Harmless(path.as_os_str().as_encoded_bytes());
            message(&mut self.messages, format_args!("{name}: left out: {why}"));
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, file: &File) -> ControlFlow<()> {
        self.page.end(file);
        ControlFlow::Continue(())
    }
}

/// Adds a line as it is told on standard error.
fn message(messages: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    writeln!(messages, "urlspool: {text}").expect("memory takes what is written to it");
}
