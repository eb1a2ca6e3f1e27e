//! The forms of output, one per file.
//!
//! A worker fills a [`Page`]; a [`Printer`] prints the pages one by one, in the order of the input. What is laid out
//! goes into buffers that are used again: a hit costs no allocation and no lock.

mod count;
mod json;
mod lines;
mod object;
mod plain;

use std::io::{self, Write};

use urlspool::{File, Hit};

use super::select::Refused;

pub(crate) use count::Counts;
pub(crate) use json::{Json, scheme};
pub(crate) use lines::Sheet;
pub(crate) use object::{Object, octets, quoted};
pub(crate) use plain::Plain;

/// What one worker lays out.
pub(crate) trait Page: Send {
    /// A URL.
    fn hit(&mut self, hit: &Hit<'_>);

    /// Another reading of the hit before.
    fn reading(&mut self, hit: &Hit<'_>, url: &[u8]);

    /// A text that is no URL.
    fn refused(&mut self, refused: &Refused<'_>);

    /// The file has ended.
    fn end(&mut self, file: &File);

    /// How many octets it takes.
    fn size(&self) -> usize;
}

/// What makes one output of all pages.
pub(crate) trait Printer: Send {
    type Page: Page;

    /// An empty page.
    fn page(&self) -> Self::Page;

    /// Writes what is on `page` to `out`, and empties it.
    fn print(&mut self, page: &mut Self::Page, out: &mut impl Write) -> io::Result<()>;
}
