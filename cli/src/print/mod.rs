//! The forms of output, one per file.
//!
//! A worker fills a [`Page`]; the [`Printer`] prints the pages one by one, in the order of the input. Lines go into buffers
//! that are used again: a hit costs no allocation and no lock.

mod context;
mod count;
pub(crate) mod fields;
mod histogram;
mod json;
mod lines;
mod object;
#[cfg(feature = "parquet")]
mod parquet;
mod plain;
#[cfg(feature = "parquet")]
mod row;
mod stats;
mod table;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::event::Event;
use crate::report::Report;
use crate::tally::{Tally, Wants};

pub(crate) use context::Context;
pub(crate) use count::Counts;
pub(crate) use fields::{Value, base64, several_targets};
pub(crate) use histogram::{Histogram, Kind};
pub(crate) use json::Json;
pub(crate) use lines::{Layout, Sheet};
pub(crate) use object::{Object, bytes};
#[cfg(feature = "parquet")]
pub(crate) use parquet::Parquet;
pub(crate) use plain::{Plain, Style};
#[cfg(feature = "parquet")]
pub(crate) use row::Row;
pub(crate) use table::{Separator, Table};

use lines::Lines;

/// A form of output.
pub(crate) enum Output {
    /// A line per URL.
    Lines(Sheet),
    /// A row per URL.
    #[cfg(feature = "parquet")]
    Parquet(Sheet, Box<Parquet>),
    /// A line per file.
    Counts(Counts),
    Histogram(Histogram),
    Report(Report),
}

/// What one worker has laid out and counted.
pub(crate) struct Page {
    lines: Option<Lines>,
    tally: Tally,
}

impl Page {
    #[inline(always)]
    pub(crate) fn event(&mut self, event: Event<'_>) {
        self.tally.event(event);
        match (&mut self.lines, event) {
            (Some(lines), Event::Found(found)) => lines.found(found),
            (Some(lines), Event::Segment(..)) => lines.segment(),
            _ => {}
        }
    }

    /// How many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        self.lines.as_ref().map_or(0, |lines| lines.out.len()) + self.tally.size()
    }
}

/// Makes one output of all pages.
pub(crate) struct Printer {
    output: Output,
    /// Whether the table of `--stats` comes last.
    stats: bool,
    begun: Instant,
    tally: Tally,
}

impl Printer {
    pub(crate) fn new(output: Output, stats: bool) -> Printer {
        let mut wants = match &output {
            Output::Lines(_) => Wants::default(),
            #[cfg(feature = "parquet")]
            Output::Parquet(..) => Wants::default(),
            Output::Counts(_) => Wants { files: true, ..Wants::default() },
            Output::Histogram(histogram) => histogram.wants(),
            Output::Report(_) => Wants { kinds: true, months: true, hosts: true, places: true, files: false },
        };
        wants.kinds |= stats;
        Printer { output, stats, begun: Instant::now(), tally: Tally::new(wants) }
    }

    /// What was counted so far, and in which time.
    pub(crate) fn tally(&self) -> (&Tally, Duration) {
        (&self.tally, self.begun.elapsed())
    }

    /// What it writes to, for people.
    pub(crate) fn target(&self) -> String {
        match &self.output {
            Output::Report(report) => report.target(),
            #[cfg(feature = "parquet")]
            Output::Parquet(_, file) => file.target(),
            _ => "standard output".into(),
        }
    }

    /// An empty page.
    pub(crate) fn page(&self) -> Page {
        let lines = match &self.output {
            Output::Lines(sheet) => Some(sheet.lines()),
            #[cfg(feature = "parquet")]
            Output::Parquet(sheet, _) => Some(sheet.lines()),
            _ => None,
        };
        Page { lines, tally: Tally::new(self.tally.wants) }
    }

    /// Writes what is on `page` to `out` and empties the page.
    pub(crate) fn print(&mut self, page: &mut Page, out: &mut dyn Write) -> io::Result<()> {
        self.tally.take(&mut page.tally);
        match (&mut self.output, &mut page.lines) {
            (Output::Lines(sheet), Some(lines)) => sheet.print(lines, out),
            #[cfg(feature = "parquet")]
            (Output::Parquet(sheet, file), Some(lines)) => sheet.print(lines, &mut **file),
            (Output::Counts(counts), _) => counts.print(&mut self.tally, out),
            _ => Ok(()),
        }
    }

    /// Writes what is left when all pages were printed.
    pub(crate) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match &mut self.output {
            Output::Lines(sheet) => sheet.finish(out)?,
            #[cfg(feature = "parquet")]
            Output::Parquet(sheet, file) => {
                sheet.finish(&mut **file)?;
                file.finish()?;
            }
            Output::Counts(_) => {}
            Output::Histogram(histogram) => histogram.write(&self.tally, out)?,
            Output::Report(report) => report.write(&self.tally)?,
        }
        out.flush()?;
        if self.stats {
            // If standard error is closed, nobody wants the table.
            let _ = stats::write(&self.tally, self.begun.elapsed(), &mut io::stderr().lock());
        }
        Ok(())
    }
}
