//! The output formats. Most of them have a module of their own.
//!
//! Each worker thread writes its output to a [`Page`]. The [`Printer`] prints the pages in the order of the input. A
//! page belongs to one worker and its buffers are reused, so adding a hit needs no lock and usually no allocation.

mod arrow;
mod found;
mod groups;
mod hyperlink;
mod json;
mod lines;
mod names;
mod parquet;
mod plain;
mod rows;
mod sorted;
mod stats;
mod table;

use std::io::{self, Write};
use std::time::Instant;

use crate::atomic_file::AtomicFile;
use crate::patient;
use crate::report::Report;
use crate::tally::{Name, Tally, Wants};
use urlspool::{Event, Input, Segment};

pub(crate) use arrow::Arrow;
pub(crate) use found::Found;
pub(crate) use groups::{Group, GroupLayout, Groups};
pub(crate) use json::Json;
pub(crate) use lines::{Layout, Order, Sheet};
pub(crate) use names::Names;
pub(crate) use parquet::Parquet;
pub(crate) use plain::{Plain, Style};
pub(crate) use rows::{Batches, Rows};
pub(crate) use sorted::Sorted;
pub(crate) use table::{Separator, Table};

use lines::Lines;
use rows::Writer;

/// The name of the field that `--sort` and `-u` compare.
pub(crate) const URL: &str = "url";

pub(crate) enum Output {
    /// A line per URL.
    Lines(Sheet),
    /// A row per URL, in a stream or a file.
    Rows(Sheet, Batches),
    /// A line per file.
    Names(Names),
    Report(Report),
}

/// The output and the counts of one worker thread, before they are printed.
pub(crate) struct Page {
    lines: Option<Lines>,
    pub(crate) tally: Tally,
}

impl Page {
    /// Adds a line, and counts it.
    #[inline(always)]
    pub(crate) fn found(&mut self, found: Found<'_>) {
        self.tally.found(found);
        let Some(lines) = &mut self.lines else { return };
        let key = match (&mut lines.layout, found) {
            (Layout::Plain(plain), _) => plain.line(&mut lines.out, found),
            // In the other layouts, an alternative URL of a hit has no line of its own, because they can list it in the
            // field `alternatives` of the hit.
            (_, Found::Reading(..)) | (Layout::Group(_), Found::Reject(_)) => return,
            (Layout::Json(json), _) => json.line(&mut lines.out, found),
            (Layout::Table(table), _) => table.line(&mut lines.out, found),
            (Layout::Group(group), _) => group.line(&mut lines.out, found),
            (Layout::Rows(rows), _) => rows.line(&mut lines.out, found),
        };
        if let Some(places) = &mut lines.places {
            places.push((key, lines.out.len()));
        }
    }

    /// Counts an event that gets no line.
    pub(crate) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Segment { file, segment } => self.segment(file, segment),
            _ => self.tally.event(event),
        }
    }

    pub(crate) fn segment(&mut self, file: Option<&Input>, segment: &Segment<'_>) {
        self.tally.segment(file, segment);
        if let Some(lines) = &mut self.lines {
            lines.segment();
        }
    }

    /// Returns an empty page of the same kind.
    pub(crate) fn another(&self) -> Page {
        Page { lines: self.lines.as_ref().map(Lines::another), tally: Tally::new(self.tally.wants) }
    }

    /// Returns whether the page alone has as many lines as `-m` allows for the whole output.
    pub(crate) fn is_enough(&self) -> bool {
        let lines = self.lines.as_ref();
        lines.is_some_and(|lines| lines.places.as_ref().is_some_and(|places| places.len() >= lines.enough))
    }

    /// Returns the memory use of the page in bytes.
    pub(crate) fn size(&self) -> usize {
        self.lines.as_ref().map_or(0, |lines| lines.out.len()) + self.tally.ended.len() * size_of::<(Name, u64)>()
    }
}

/// Prints the pages of all worker threads as one output.
pub(crate) struct Printer {
    output: Output,
    /// Whether the table of `--stats` is printed at the end.
    stats: bool,
    pub(crate) begun: Instant,
    pub(crate) tally: Tally,
}

impl Printer {
    pub(crate) fn new(output: Output, stats: bool) -> Printer {
        let mut wants = match &output {
            Output::Names(_) => Wants { files: true, ..Wants::default() },
            Output::Report(_) => Wants { kinds: true, report: true, files: false },
            _ => Wants::default(),
        };
        wants.kinds |= stats;
        Printer { output, stats, begun: Instant::now(), tally: Tally::new(wants) }
    }

    /// Prints no line with the names of the columns.
    pub(crate) fn omit_header(&mut self) {
        if let Output::Lines(sheet) = &mut self.output {
            sheet.begun = true;
        }
    }

    fn sheet(&self) -> Option<&Sheet> {
        match &self.output {
            Output::Lines(sheet) | Output::Rows(sheet, _) => Some(sheet),
            Output::Names(_) | Output::Report(_) => None,
        }
    }

    /// Returns whether output is printed while the input is read. If not, everything is printed at the end.
    pub(crate) fn is_streamed(&self) -> bool {
        match &self.output {
            Output::Lines(sheet) => !sheet.is_sorted(),
            Output::Names(_) => true,
            Output::Rows(..) | Output::Report(_) => false,
        }
    }

    /// Returns the file of `report` or `--parquet`.
    pub(crate) fn file(&self) -> Option<&AtomicFile> {
        match &self.output {
            Output::Report(report) => Some(&report.file),
            Output::Rows(_, batches) => batches.target.file(),
            _ => None,
        }
    }

    /// Returns an empty page for a worker thread.
    pub(crate) fn page(&self) -> Page {
        Page { lines: self.sheet().map(Sheet::lines), tally: Tally::new(self.tally.wants) }
    }

    /// Writes `page` to `out`, or keeps its content for [`finish`](Self::finish). Clears the page.
    pub(crate) fn print(&mut self, page: &mut Page, out: &mut dyn Write) -> io::Result<()> {
        self.tally.take(&mut page.tally);
        match (&mut self.output, &mut page.lines) {
            (Output::Lines(sheet), Some(lines)) => sheet.print(lines, out),
            (Output::Rows(sheet, batches), Some(lines)) => sheet.print(lines, &mut Writer(batches, out)),
            (Output::Names(names), _) => names.print(&mut self.tally, out),
            _ => Ok(()),
        }
    }

    /// Clears `page` without printing it. `--once` calls this for the output of a repeated message.
    pub(crate) fn skip(&mut self, page: &mut Page) {
        self.tally.take_repeated(&mut page.tally);
        if let Some(lines) = &mut page.lines {
            lines.clear();
        }
    }

    /// Returns whether the output has reached the limit of `-m`.
    pub(crate) fn is_full(&self) -> bool {
        match &self.output {
            Output::Names(names) => names.left == 0,
            _ => self.sheet().is_some_and(Sheet::is_full),
        }
    }

    /// Writes the rest of the output after the last page.
    pub(crate) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match &mut self.output {
            Output::Lines(sheet) => sheet.finish(out)?,
            Output::Rows(sheet, batches) => {
                sheet.finish(&mut Writer(batches, out))?;
                batches.finish(out)?;
            }
            Output::Names(_) => {}
            Output::Report(report) => report.write(&self.tally)?,
        }
        out.flush()?;
        if self.stats {
            let mut table = Vec::new();
            stats::write(&self.tally, self.begun.elapsed(), &mut table)?;
            // It is not an error if standard error is closed and the table cannot be shown.
            let _ = patient::stderr().write_all(&table);
        }
        Ok(())
    }
}
