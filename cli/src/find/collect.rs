//! Prints the output of all worker threads in the order of the input, and chooses the exit status.

use std::fmt;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use urlspool::{
    Collect, Diagnostic, DiagnosticKind, Error, Event, Hit, Input, Reject, Segment, Sink, SkipReason, problem,
};

use super::filter_report;
use super::once::{Once, Pages};
use super::output::Output;
use super::problems::Problems;
use super::progress::Progress;
use super::select::{self, Removed, Select};
use super::skip_report;
use super::unseen_schemes::UnseenSchemes;
use super::with_hint::{ErrorWithHint, hint};
use crate::args::jobs;
use crate::escaped::Escaped;
use crate::patient;
use crate::print::{Found, Page, Printer};
use crate::state::{Mark, State};
use crate::status::{Elsewhere, Status, print_message};

/// When the unprinted output of a worker thread reaches this size in bytes, the output is printed, even if the worker
/// has not finished its batch of input.
pub(crate) const FULL: usize = 512 << 10;

/// Receives the output of all worker threads as [`Part`]s, in the order of the input, and prints it.
pub(crate) struct Collector {
    select: Arc<Select>,
    printer: Printer,
    progress: Progress,
    output: Output,
    /// Receives warnings and errors about the list of `--files-from`, each as one line.
    failures: Receiver<String>,
    unseen: UnseenSchemes,
    removed: Removed,
    /// Whether the text has a name such as `www.example.org`.
    has_names: bool,
    /// The number of messages over the limit of `--max-message`. Not counted with `-v`, which reports all of them.
    oversize: usize,
    /// The messages found so far. Used only with `--once`.
    once: Option<Once>,
    state: Option<State>,
    pub(super) problems: Problems,
    /// The error in writing the output or the state file, if there was one. It ends the run.
    written: io::Result<()>,
}

impl Collector {
    pub(crate) fn new(
        select: Select,
        once: bool,
        printer: Printer,
        progress: Progress,
        output: Output,
        failures: Receiver<String>,
        state: Option<State>,
    ) -> Self {
        Collector {
            unseen: select.unseen.clone(),
            select: Arc::new(select),
            printer,
            progress,
            output,
            failures,
            removed: Removed::default(),
            has_names: false,
            oversize: 0,
            once: once.then(Once::new),
            state,
            problems: Problems::default(),
            written: Ok(()),
        }
    }

    /// Prints a page. Then records in the state file which files and messages the page covers, so that the next run
    /// skips them.
    fn print(&mut self, page: &mut Page, marks: Vec<Mark>) -> io::Result<()> {
        self.progress.print(&mut self.output.lock(), |out| self.printer.print(page, out))?;
        self.record(|state| state.commit(marks))
    }

    fn record(&mut self, write: impl FnOnce(&mut State) -> io::Result<()>) -> io::Result<()> {
        let Some(state) = &mut self.state else { return Ok(()) };
        let written = write(state);
        let notes = state.notes();
        if !notes.is_empty() {
            self.progress.around(|| notes.into_iter().for_each(print_message));
        }
        written.map_err(|error| io::Error::other(Elsewhere(state.failure(&error))))
    }

    /// Prints the rest of the output, and the warnings about the whole run. Returns the exit status.
    pub(crate) fn finish(mut self) -> Status {
        let end = std::mem::replace(&mut self.written, Ok(())).and_then(|()| {
            self.progress.end();
            self.problems.record(Some(&mut Vec::new()));
            let tally = &mut self.printer.tally;
            tally.once = self.once.as_ref().map(Once::memory);
            // If no input could be read, an existing file keeps its old content.
            let is_kept = tally.files.is_empty() && tally.not_read > 0;
            if !is_kept || self.printer.file().is_none() && self.output.file().is_none() {
                self.output.begin()?;
                self.printer.finish(&mut self.output.lock())?;
            } else if self.printer.file().is_none() {
                self.printer.finish(&mut io::sink())?;
            }
            self.record(State::finish)
        });
        if end.is_ok() && !self.printer.is_full() {
            let tally = &self.printer.tally;
            let warnings = filter_report::warnings(tally, &self.select.messages, self.select.has_in, &self.removed);
            let is_empty = tally.hits + tally.refused == 0 && self.removed.is_empty();
            let is_all = !self.select.rejects && !self.select.has_form && !self.select.has_in;
            if is_empty && self.has_names && is_all {
                print_message(
                    "no URL was found, but names such as www.example.org; to find them, use --form +www,path",
                );
            }
            let skipped = skip_report::warnings(tally, "-v or --problems");
            for warning in warnings.into_iter().chain(self.unseen.warnings()).chain(skipped) {
                print_message(warning);
            }
            match self.oversize {
                0 | 1 => {}
                2 => print_message("1 more message is larger than the limit; -v reports it"),
                all => {
                    print_message(format_args!("{} more messages are larger than the limit; -v reports them", all - 1));
                }
            }
        }
        let tally = &self.printer.tally;
        let status = match end {
            Ok(()) if tally.not_read + tally.losses > 0 || self.problems.is_lost => Status::Failed,
            Ok(()) => Status::found(tally.hits + tally.refused > 0),
            Err(_) => Status::Found.with(end, self.printer.file().map_or(self.output.name(), |file| &file.name)),
        };
        if self.failures.try_iter().map(print_message).count() > 0 { Status::Failed } else { status }
    }
}

impl Collector {
    /// Prints the output of one worker thread.
    fn take(&mut self, part: &mut Part) -> io::Result<()> {
        self.unseen.intersect(&part.unseen);
        self.has_names |= part.has_names == Some(true);
        self.problems.record(part.problems.as_mut());
        for (option, more) in std::mem::take(&mut part.removed) {
            *self.removed.entry(option).or_default() += more;
        }
        // Print and record one file at a time. If this run is killed, the next run repeats the output of at most one
        // file.
        part.whole_size = 0;
        for (mut page, marks) in part.whole.drain(..) {
            self.print(&mut page, marks)?;
        }
        match (&mut self.once, &mut part.pages) {
            (Some(once), Some(pages)) => self.progress.print(&mut self.output.lock(), |out| {
                pages.print(|content, page| {
                    if once.counts(content) {
                        return self.printer.print(page, out);
                    }
                    self.printer.skip(page);
                    Ok(())
                })
            })?,
            _ => {
                let marks = part.marks.as_mut().map(std::mem::take).unwrap_or_default();
                self.print(&mut part.page, marks)?;
            }
        }
        self.progress.show(&self.printer.tally, self.printer.begun.elapsed());
        if let Some((count, first)) = part.oversize.as_mut().map(std::mem::take) {
            if self.oversize > 0 {
                part.messages.drain(first);
            }
            self.oversize += count;
        }
        if !part.messages.is_empty() {
            self.progress.around(|| part.print_messages());
        }
        Ok(())
    }
}

impl Collect for Collector {
    type Local = Part;

    fn new_local(&self) -> Part {
        let part = Part::new(Arc::clone(&self.select), self.printer.page());
        let (pages, marks) = (self.once.as_ref().map(Once::pages), self.state.is_some().then(Vec::new));
        // With `-v`, all messages over the limit are reported.
        let oversize = (!self.select.damage).then(Default::default);
        let problems = self.problems.lines();
        Part { pages, marks, oversize, problems, ..part }
    }

    fn is_full(part: &Part) -> bool {
        // With `--once`, only the output of complete messages counts towards `FULL`, because the output of an
        // incomplete message cannot be printed yet. With `--once`, a worker also cannot stop at the limit of `-m`: the
        // worker does not know which messages are repeated, and the URLs of repeated messages do not count.
        let (lines, is_enough) = match &part.pages {
            Some(pages) => (pages.size, false),
            None => (part.page.size() + part.whole_size, part.page.is_enough()),
        };
        lines + part.messages.len() + part.problems.as_ref().map_or(0, Vec::len) >= FULL || is_enough
    }

    fn collect(&mut self, part: &mut Part) -> ControlFlow<()> {
        self.written = self.take(part);
        if self.written.is_err() || self.printer.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The output of one worker thread, before [`Collector`] prints it.
pub(crate) struct Part {
    select: Arc<Select>,
    pub(crate) page: Page,
    /// Complete pages, each with the output of one message. The output in `page` comes after these pages. Used only
    /// with `--once`.
    pages: Option<Pages>,
    /// The events to record in the state file after `page` is printed. Used only with `--state`.
    marks: Option<Vec<Mark>>,
    /// Complete pages, each with the events to record in the state file. Each of these pages ends at the end of a file.
    /// The output in `page` comes after these pages. Used only with `--state`.
    whole: Vec<(Page, Vec<Mark>)>,
    /// The size of the pages in `whole`, in bytes.
    whole_size: usize,
    /// The text to print on standard error.
    messages: Vec<u8>,
    /// The number of messages over the limit of `--max-message`, and the range in `messages` that reports the first of
    /// them. The others are not reported. If this is `None`, all are reported.
    oversize: Option<(usize, Range<usize>)>,
    /// The lines for the file of `--problems`, if there is one.
    problems: Option<Vec<u8>>,
    unseen: UnseenSchemes,
    removed: Removed,
    /// Whether the text so far has a name such as `www.example.org`. `None` after a URL was found, because the answer
    /// is then of no use.
    has_names: Option<bool>,
}

impl Part {
    pub(crate) fn new(select: Arc<Select>, page: Page) -> Self {
        Part {
            unseen: select.unseen.clone(),
            select,
            page,
            pages: None,
            marks: None,
            whole: Vec::new(),
            whole_size: 0,
            messages: Vec::new(),
            oversize: None,
            problems: None,
            removed: Removed::default(),
            has_names: Some(false),
        }
    }

    pub(crate) fn print_messages(&mut self) {
        // If standard error is closed, the messages are lost, and only the exit status reports errors.
        let _ = patient::stderr().write_all(&self.messages);
        self.messages.clear();
    }

    fn message(&mut self, text: fmt::Arguments<'_>) {
        writeln!(self.messages, "urlspool: {text}").expect("writing to a Vec cannot fail");
    }

    #[inline(never)]
    fn readings(&mut self, hit: &Hit<'_>) {
        for alternative in hit.alternatives().iter().filter(|other| self.select.reading(other)) {
            self.page.found(Found::Reading(hit, &alternative.url));
        }
    }

    fn reject(&mut self, reject: &Reject<'_>) {
        self.page.event(Event::Reject(reject));
        if self.select.rejects {
            self.unseen.remove(select::scheme(reject.text()));
            self.page.found(Found::Reject(reject));
        }
    }

    /// Handles a URL that an option excludes.
    #[inline(never)]
    fn excluded(&mut self, hit: &Hit<'_>, option: &'static str) {
        // Even if an option excludes this hit, its scheme occurs in the input. So if `--scheme` names this scheme, the
        // name is not misspelt, and no warning is needed.
        self.unseen.remove(hit.url().scheme().as_bytes());
        if !self.select.rejects {
            *self.removed.entry(option).or_default() += 1;
        } else if let Some(reject) = hit.to_reject().filter(|_| option == "tier") {
            // `--rejects` itself excludes every valid URL. So this URL does not count as removed by another option.
            self.page.found(Found::Reject(&reject));
        }
    }

    /// Handles all events except hits, rejects, parts and checks.
    fn other(&mut self, event: Event<'_>) {
        match event {
            Event::Diagnostic { file, diagnostic } => self.diagnostic(file, diagnostic),
            Event::Error(error) => self.problem(error),
            Event::Reached { file, position, before } => self.mark(Mark::reached(file.name(), position, before)),
            Event::Finished(path) => self.mark(Mark::Finished(path.into())),
            Event::Unsearched { file, facts } if self.select.damage => {
                let name = file.map_or("-".into(), name);
                self.message(format_args!("{name}: {}", skip_report::attachment(facts)));
            }
            Event::Skipped { path, why } if self.select.damage || why == SkipReason::Document => {
                self.message(format_args!("{}", skip_report::skipped(path, why)));
            }
            // `Mismatch` means that the file is not in the format of `--format`. A diagnostic has already reported this
            // mismatch.
            Event::End(file) if self.select.damage && file.detected_by() != "mismatch" => {
                self.message(format_args!("{}: {}", name(file), kind(file)));
            }
            // As long as no URL was found, look for names such as `www.example.org`.
            Event::Segment { segment, .. } if self.has_names == Some(false) && segment.outcome() == "read" => {
                self.has_names = (self.page.tally.hits == 0).then(|| has_name(segment.stored()));
            }
            _ => {}
        }
        self.page.event(event);
        // After many runs with `--state`, nearly all lines would be about what an earlier run has read.
        let is_known = matches!(event, Event::Skipped { why: SkipReason::Known, .. });
        if let Some(lines) = self.problems.as_mut().filter(|_| !is_known) {
            problem(event, lines);
        }
        match event {
            Event::Segment { segment, .. } => self.put(Some(segment)),
            Event::Unsearched { .. } => {}
            Event::Diagnostic { diagnostic, .. } if !diagnostic.kind().is_of_container() => {}
            _ => self.put(None),
        }
    }

    /// Completes the page, and begins a new page. Does nothing without `--once`. `segment` is the message that ends
    /// here, or `None` if the output in the page belongs to no message.
    fn put(&mut self, segment: Option<&Segment<'_>>) {
        if let Some(pages) = &mut self.pages {
            pages.put(&mut self.page, segment);
        }
    }

    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) {
        let is_oversize = diagnostic.kind() == DiagnosticKind::OversizeMessage;
        if let Some((count @ 1.., _)) = self.oversize.as_mut().filter(|_| is_oversize) {
            *count += 1;
        } else if self.select.damage || diagnostic.kind().is_of_container() {
            let begin = self.messages.len();
            let name = file.map_or("-".into(), name);
            // In a compressed file, the offset in the diagnostic is an offset in the decompressed data.
            let place = if file.is_some_and(|file| file.codec().is_some()) { "decompressed " } else { "" };
            self.message(format_args!("{name}: {place}{diagnostic}{}", hint(diagnostic.kind())));
            if let Some(oversize) = self.oversize.as_mut().filter(|_| is_oversize) {
                *oversize = (1, begin..self.messages.len());
            }
        }
    }

    /// Adds `mark`, an event for the state file, to the current page. At the end of a file, begins a new page. Does
    /// nothing without `--state`.
    fn mark(&mut self, mark: Mark) {
        let Some(marks) = &mut self.marks else { return };
        let is_finished = matches!(mark, Mark::Finished(_));
        marks.push(mark);
        if is_finished && self.page.size() > 0 {
            self.whole_size += self.page.size();
            let next = self.page.another();
            self.whole.push((std::mem::replace(&mut self.page, next), std::mem::take(marks)));
        }
    }

    fn problem(&mut self, error: &Error) {
        self.mark(Mark::Failed(error.path().into()));
        // A path with `://` is not always a mistake: for example, the name of an archive member can contain a URL. So
        // add the hint only if the path does not exist.
        let is_missing = error.io_error().is_some_and(|reason| reason.kind() == io::ErrorKind::NotFound);
        let is_url = error.path().to_str().is_some_and(|path| path.contains("://"));
        let job = error.path().to_str().and_then(jobs::similar);
        let hint = match job {
            _ if is_missing && is_url => {
                "; urlspool does not fetch URLs; to check the syntax of a URL, use urlspool check".to_owned()
            }
            Some(job) if is_missing => format!("; if you mean the job {job}, make it the first word"),
            _ => String::new(),
        };
        self.message(format_args!("{}{hint}", ErrorWithHint(error)));
    }
}

impl Sink for Part {
    #[inline]
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) => {
                if self.select.common.as_ref().is_some_and(|common| common.skips(hit)) {
                    *self.removed.entry("skip-common").or_default() += 1;
                    return ControlFlow::Continue(());
                }
                let counted = self.select.common.as_ref().and_then(|common| common.counted(hit));
                let hit = counted.as_ref().unwrap_or(hit);
                if !self.unseen.is_empty() {
                    self.unseen.remove(hit.url().scheme().as_bytes());
                }
                if self.select.rejects {
                    return ControlFlow::Continue(());
                }
                self.page.found(Found::Hit(hit));
                if !hit.alternatives().is_empty() {
                    self.readings(hit);
                }
            }
            Event::Excluded { hit, option } => self.excluded(hit, option),
            Event::Reject(reject) => self.reject(reject),
            // Nearly all messages have these two events, so they take the short way.
            Event::Part(part) => self.page.tally.part(part),
            Event::Segment { file, segment } if self.has_names != Some(false) && self.problems.is_none() => {
                self.page.segment(file, segment);
                self.put(Some(segment));
            }
            Event::Check => {}
            _ => self.other(event),
        }
        ControlFlow::Continue(())
    }
}

/// Returns whether a text has a name such as `www.example.org`.
fn has_name(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"www.").any(|at| {
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        !is_letter(at.checked_sub(1).and_then(|before| text.get(before))) && is_letter(text.get(at + 4))
    })
}

/// Returns the name of a file for messages. A member of an archive is `ARCHIVE!MEMBER`.
pub(crate) fn name(file: &Input) -> String {
    let path = Escaped::path(file.name());
    file.member().map_or(path.to_string(), |member| format!("{path}!{}", Escaped(member)))
}

/// Returns text that says which format a file has, and how the format was detected.
fn kind(file: &Input) -> String {
    let codec = file.codec().map(|codec| format!("decompressed by {codec}, ")).unwrap_or_default();
    let formats = || urlspool::OPTIONS.iter().filter(|row| row.name == "format").flat_map(urlspool::OptionRow::values);
    let about = match file.format() {
        "archive" => "each member is read as a file",
        "msg" | "pst" | "smime" => "its messages are converted to mail",
        format => formats().find(|(name, _)| *name == format).map_or("", |(_, about)| about),
    };
    let why = match file.detected_by() {
        "explicit" => "because of --format",
        "location" => "because of its directory, although its content looks like text",
        _ => "detected by content",
    };
    format!("{codec}read as {}, {why} ({about})", file.format())
}
