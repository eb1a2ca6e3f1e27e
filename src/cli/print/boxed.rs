//! One type for all forms of output that need not be as fast as can be: the search is compiled but once for them.

use std::any::Any;
use std::io::{self, Write};

use urlspool::{Error, File, Hit, Note, Reject, Section, Unit};

use super::{Page, Printer};
use crate::cli::select::Refused;

/// Any [`Printer`].
pub(crate) trait AnyPrinter: Send {
    fn page(&self) -> Box<dyn Page>;
    fn print(&mut self, page: &mut dyn Page, out: &mut dyn Write) -> io::Result<()>;
    fn target(&self) -> String;
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

impl<P: Printer> AnyPrinter for P {
    fn page(&self) -> Box<dyn Page> {
        Box::new(Printer::page(self))
    }

    fn print(&mut self, page: &mut dyn Page, out: &mut dyn Write) -> io::Result<()> {
        let page: &mut dyn Any = page;
        Printer::print(self, page.downcast_mut().expect("a page of this printer"), out)
    }

    fn target(&self) -> String {
        Printer::target(self)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        Printer::finish(self, out)
    }
}

/// Of an [`AnyPrinter`].
pub(crate) struct Boxed(pub(crate) Box<dyn AnyPrinter>);

/// A page of a [`Boxed`] printer.
pub(crate) struct BoxedPage(Box<dyn Page>);

impl Printer for Boxed {
    type Page = BoxedPage;

    fn page(&self) -> BoxedPage {
        BoxedPage(self.0.page())
    }

    fn print(&mut self, page: &mut BoxedPage, out: &mut dyn Write) -> io::Result<()> {
        self.0.print(&mut *page.0, out)
    }

    fn target(&self) -> String {
        self.0.target()
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.0.finish(out)
    }
}

impl Page for BoxedPage {
    fn hit(&mut self, hit: &Hit<'_>) {
        self.0.hit(hit);
    }

    fn reading(&mut self, hit: &Hit<'_>, url: &[u8]) {
        self.0.reading(hit, url);
    }

    fn refused(&mut self, refused: &Refused<'_>) {
        self.0.refused(refused);
    }

    fn reject(&mut self, reject: &Reject<'_>) {
        self.0.reject(reject);
    }

    fn note(&mut self, file: Option<&File>, note: &Note) {
        self.0.note(file, note);
    }

    fn problem(&mut self, error: &Error) {
        self.0.problem(error);
    }

    fn part(&mut self, part: &Section) {
        self.0.part(part);
    }

    fn unit(&mut self, file: Option<&File>, unit: &Unit) {
        self.0.unit(file, unit);
    }

    fn end(&mut self, file: &File) {
        self.0.end(file);
    }

    fn size(&self) -> usize {
        self.0.size()
    }
}
