//! Who takes what was found.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use crate::error::Error;
use crate::hit::{Hit, Reject};
use crate::mail::Section;
use crate::note::Note;
use crate::source::{File, LeftOut};

/// Takes hits, in the order of the input. Every call says whether to go on; after the first
/// [`ControlFlow::Break`] nothing more comes.
pub trait Sink {
    /// A URL.
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()>;

    /// A candidate that is no URL. Ignored unless overridden.
    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()> {
        let _ = reject;
        ControlFlow::Continue(())
    }

    /// Something is damaged, and the rest was done. Ignored unless overridden.
    fn note(&mut self, file: Option<&File>, note: &Note) -> ControlFlow<()> {
        let _ = (file, note);
        ControlFlow::Continue(())
    }

    /// A text part or an attachment of a message begins, or a stretch of it: a part may come several times in a row. What
    /// is in it is told afterwards. For those who count; ignored unless overridden, and costs nothing then.
    fn part(&mut self, part: &Section) -> ControlFlow<()> {
        let _ = part;
        ControlFlow::Continue(())
    }

    /// A message, or a window of what is no message, was dealt with: what is in it was told before. Ignored unless
    /// overridden.
    fn unit(&mut self, file: Option<&File>, unit: &Unit) -> ControlFlow<()> {
        let _ = (file, unit);
        ControlFlow::Continue(())
    }

    /// A file could not be read, or not to its end. Ignored unless overridden.
    fn problem(&mut self, error: &Error) -> ControlFlow<()> {
        let _ = error;
        ControlFlow::Continue(())
    }

    /// Something in a directory or an archive is not read, by a rule. Ignored unless overridden.
    fn left_out(&mut self, path: &Path, why: LeftOut) -> ControlFlow<()> {
        let _ = (path, why);
        ControlFlow::Continue(())
    }

    /// All of a file was given; of an archive each member before itself. Ignored unless overridden.
    fn end(&mut self, file: &File) -> ControlFlow<()> {
        let _ = file;
        ControlFlow::Continue(())
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
        (**self).hit(hit)
    }

    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()> {
        (**self).reject(reject)
    }

    fn note(&mut self, file: Option<&File>, note: &Note) -> ControlFlow<()> {
        (**self).note(file, note)
    }

    fn part(&mut self, part: &Section) -> ControlFlow<()> {
        (**self).part(part)
    }

    fn unit(&mut self, file: Option<&File>, unit: &Unit) -> ControlFlow<()> {
        (**self).unit(file, unit)
    }

    fn problem(&mut self, error: &Error) -> ControlFlow<()> {
        (**self).problem(error)
    }

    fn left_out(&mut self, path: &Path, why: LeftOut) -> ControlFlow<()> {
        (**self).left_out(path, why)
    }

    fn end(&mut self, file: &File) -> ControlFlow<()> {
        (**self).end(file)
    }
}

/// A piece of the input that was dealt with as a whole. Those of a file tile what was read of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    pub(crate) octets: u64,
    pub(crate) is_message: bool,
    pub(crate) outcome: Outcome,
}

/// What became of a [`Unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It was searched.
    Read,
    /// It is not one of the messages that were asked for.
    NotChosen,
    /// A time was asked for, and it has no date that can be read.
    Undated,
    /// It is not searched: what a program keeps beside the messages, such as labels or a table of contents.
    NoMail,
}

impl Unit {
    /// Its length as stored (or decompressed), with the envelope line.
    #[must_use]
    pub fn octets(&self) -> u64 {
        self.octets
    }

    /// Whether it is a message, and not a window of text that belongs to none, or of a message over the size limit.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.is_message
    }

    /// What became of it.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
}

/// A sink that several workers fill at once: each fills a part of its own, and the parts are collected one by
/// one, in the order of the input.
///
/// A part is used again when it was collected: [`collect`](Self::collect) has to leave it empty.
pub trait Collect: Send {
    /// What one worker fills.
    type Part: Sink + Send;

    /// A new, empty part. Called a few times per worker, before the work begins.
    fn part(&self) -> Self::Part;

    /// Whether `part` has grown so large that it should be collected before its work is done. Asked after each
    /// hit, so it should be quick; bounds the memory that a part can take.
    fn is_full(part: &Self::Part) -> bool {
        let _ = part;
        false
    }

    /// Takes what is in `part` and empties it.
    ///
    /// # Errors
    ///
    /// What went wrong in writing it down; ends the run.
    fn collect(&mut self, part: &mut Self::Part) -> io::Result<ControlFlow<()>>;
}
