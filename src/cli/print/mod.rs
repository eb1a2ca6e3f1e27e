//! The forms of output, one per file.
//!
//! A worker fills a [`Page`]; a [`Printer`] prints the pages one by one, in the order of the input. What is laid out
//! goes into buffers that are used again: a hit costs no allocation and no lock.

mod boxed;
mod context;
mod count;
mod histogram;
mod json;
mod lines;
mod object;
mod plain;
mod stats;
mod table;

use std::any::Any;
use std::io::{self, Write};

use urlspool::{Error, File, Hit, Note, Reject, Section, Unit};

use super::select::Refused;

pub(crate) use boxed::{AnyPrinter, Boxed, BoxedPage};
pub(crate) use context::Context;
pub(crate) use count::Counts;
pub(crate) use histogram::{Histogram, Kind};
pub(crate) use json::{Json, scheme};
pub(crate) use lines::{Order, Sheet};
pub(crate) use object::{Object, octets, quoted};
pub(crate) use plain::{Plain, Style};
pub(crate) use stats::Counting;
pub(crate) use table::{Separator, Table};

/// What one worker lays out.
pub(crate) trait Page: Send + Any {
    /// A URL.
    fn hit(&mut self, hit: &Hit<'_>);

    /// Another reading of the hit before.
    fn reading(&mut self, hit: &Hit<'_>, url: &[u8]);

    /// A text that is no URL.
    fn refused(&mut self, refused: &Refused<'_>);

    /// A text that is no URL, one of those that would be listed if rejects were.
    fn reject(&mut self, reject: &Reject<'_>) {
        let _ = reject;
    }

    /// Something is damaged.
    fn note(&mut self, file: Option<&File>, note: &Note) {
        let _ = (file, note);
    }

    /// Something could not be read.
    fn problem(&mut self, error: &Error) {
        let _ = error;
    }

    /// A part of a message begins.
    fn part(&mut self, part: &Section) {
        let _ = part;
    }

    /// A message or a window of text was dealt with.
    fn unit(&mut self, file: Option<&File>, unit: &Unit) {
        let _ = (file, unit);
    }

    /// The file has ended.
    fn end(&mut self, file: &File) {
        let _ = file;
    }

    /// How many octets it takes.
    fn size(&self) -> usize;
}

/// What makes one output of all pages.
pub(crate) trait Printer: Send {
    type Page: Page;

    /// An empty page.
    fn page(&self) -> Self::Page;

    /// Writes what is on `page` to `out`, and empties it.
    fn print(&mut self, page: &mut Self::Page, out: &mut dyn Write) -> io::Result<()>;

    /// What it writes to, for people.
    fn target(&self) -> String {
        "standard output".into()
    }

    /// Writes what is left when all pages were printed.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }
}
