//! A part of the output that is handed over whenever it is full, within a message too.

use std::ops::ControlFlow;
use std::path::Path;

use crate::error::Error;
use crate::hit::{Hit, Reject};
use crate::mail::Section;
use crate::note::Note;
use crate::sink::{Collect, Sink, Unit};
use crate::source::{File, LeftOut};

/// Fills `part`, and calls `flush` when it is full: a message of 4 MiB may hold some hundred thousand URLs, and a line
/// about each.
pub(super) struct Relief<'r, C: Collect> {
    pub(super) part: &'r mut C::Part,
    pub(super) flush: &'r mut dyn FnMut(&mut C::Part) -> ControlFlow<()>,
}

impl<C: Collect> Relief<'_, C> {
    #[inline]
    fn relieve(&mut self) -> ControlFlow<()> {
        if C::is_full(self.part) { (self.flush)(self.part) } else { ControlFlow::Continue(()) }
    }
}

impl<C: Collect> Sink for Relief<'_, C> {
    #[inline]
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
        self.part.hit(hit)?;
        self.relieve()
    }

    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()> {
        self.part.reject(reject)?;
        self.relieve()
    }

    fn note(&mut self, file: Option<&File>, note: &Note) -> ControlFlow<()> {
        self.part.note(file, note)?;
        self.relieve()
    }

    fn part(&mut self, part: &Section) -> ControlFlow<()> {
        self.part.part(part)
    }

    fn unit(&mut self, file: Option<&File>, unit: &Unit) -> ControlFlow<()> {
        self.part.unit(file, unit)?;
        self.relieve()
    }

    fn problem(&mut self, error: &Error) -> ControlFlow<()> {
        self.part.problem(error)
    }

    fn left_out(&mut self, path: &Path, why: LeftOut) -> ControlFlow<()> {
        self.part.left_out(path, why)
    }

    fn end(&mut self, file: &File) -> ControlFlow<()> {
        self.part.end(file)
    }
}
