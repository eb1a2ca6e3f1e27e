//! Who takes what was found.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use crate::error::Error;
use crate::hit::{Hit, Reject};
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
    /// message; bounds the memory that a part can take.
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
