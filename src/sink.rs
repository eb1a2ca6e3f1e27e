//! Who takes what was found: a [`Sink`] in one thread, a [`Collect`] from several.

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::hit::{Hit, Reject};
use crate::mail::Section;
use crate::source::{Input, SkipReason};

/// Takes hits, in the order of the input. Every call says whether to go on; after the first
/// [`ControlFlow::Break`] nothing more comes. For who wants the hits alone there is [`from_fn`].
pub trait Sink {
    /// A URL.
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()>;

    /// A candidate that is no URL. Ignored unless overridden.
    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()> {
        let _ = reject;
        ControlFlow::Continue(())
    }

    /// Something is damaged, and the rest was done. Ignored unless overridden.
    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) -> ControlFlow<()> {
        let _ = (file, diagnostic);
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
    fn segment(&mut self, file: Option<&Input>, segment: &Segment) -> ControlFlow<()> {
        let _ = (file, segment);
        ControlFlow::Continue(())
    }

    /// A file could not be read, or not to its end. Members of an archive that are encrypted, or compressed in a way that is
    /// not undone, are told when it ends: once for each reason, by the path of the first, with their
    /// [number](Error::count). Ignored unless overridden.
    fn problem(&mut self, error: &Error) -> ControlFlow<()> {
        let _ = error;
        ControlFlow::Continue(())
    }

    /// Something in a directory or an archive is not read, by a rule. Ignored unless overridden.
    fn skipped(&mut self, path: &Path, why: SkipReason) -> ControlFlow<()> {
        let _ = (path, why);
        ControlFlow::Continue(())
    }

    /// All of a file was given; of an archive each member before itself, and what stands before it in the same file, as the
    /// program does that unpacks it, before those, under the same name. Ignored unless overridden.
    fn end(&mut self, file: &Input) -> ControlFlow<()> {
        let _ = file;
        ControlFlow::Continue(())
    }
}

/// The methods of a [`Sink`] that passes each event on to another one, `$to`, and then does `$then`.
macro_rules! pass_on {
    ($self:ident, $to:expr, $then:expr) => {
        $crate::sink::pass_on! { @ $self, $to, $then;
            hit(hit: &$crate::hit::Hit<'_>);
            reject(reject: &$crate::hit::Reject<'_>);
            diagnostic(file: Option<&$crate::source::Input>, diagnostic: &$crate::diagnostic::Diagnostic);
            part(part: &$crate::mail::Section);
            segment(file: Option<&$crate::source::Input>, segment: &$crate::sink::Segment);
            problem(error: &$crate::error::Error);
            skipped(path: &std::path::Path, why: $crate::source::SkipReason);
            end(file: &$crate::source::Input);
        }
    };
    (@ $self:ident, $to:expr, $then:expr; $($event:ident($($name:ident: $type:ty),*);)*) => {
        $(fn $event(&mut $self, $($name: $type),*) -> std::ops::ControlFlow<()> {
            $to.$event($($name),*)?;
            $then
        })*
    };
}
pub(crate) use pass_on;

impl<S: Sink + ?Sized> Sink for &mut S {
    pass_on!(self, (**self), ControlFlow::Continue(()));
}

/// A sink that calls `hit` with each hit, and ignores all else: also what could not be read, so that with
/// [`Extractor::paths`](crate::Extractor::paths) a sink that overrides [`Sink::problem`] is better.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Extractor, sink};
///
/// let message = b"Subject: x\n\nhttp://www.example.org/ and ftp://ftp.example.org/pub\n";
/// let mut hosts = Vec::new();
/// let mut sink = sink::from_fn(|hit| {
///     hosts.extend(hit.url().host().map(str::to_owned));
///     ControlFlow::Continue(())
/// });
/// let _ = Extractor::builder().build().message(message, &mut sink);
/// assert_eq!(hosts, ["www.example.org", "ftp.example.org"]);
/// ```
#[must_use]
pub fn from_fn<F>(hit: F) -> FromFn<F>
where
    F: FnMut(&Hit<'_>) -> ControlFlow<()>,
{
    FromFn(hit)
}

/// What [`from_fn`] gives.
#[derive(Clone, Copy)]
pub struct FromFn<F>(F);

impl<F> Sink for FromFn<F>
where
    F: FnMut(&Hit<'_>) -> ControlFlow<()>,
{
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
        (self.0)(hit)
    }
}

/// Closures have no text of their own.
impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}

/// A piece of the input that was dealt with as a whole. Those of a file tile what was read of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub(crate) length: u64,
    pub(crate) is_message: bool,
    pub(crate) outcome: Outcome,
}

/// What became of a [`Segment`].
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

impl Segment {
    /// Its length as stored (or decompressed), with the envelope line.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether it is a message, and not a window of text that belongs to none, or of a message over the size limit.
    pub fn is_message(&self) -> bool {
        self.is_message
    }

    /// What became of it.
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
    type Local: Sink + Send;

    /// A new, empty part. Called a few times per worker, before the work begins.
    fn new_local(&self) -> Self::Local;

    /// Whether `part` has grown so large that it should be collected before its work is done. Asked after each
    /// hit, so it should be quick; bounds the memory that a part can take.
    fn is_full(part: &Self::Local) -> bool {
        let _ = part;
        false
    }

    /// Takes what is in `part` and empties it.
    ///
    /// # Errors
    ///
    /// What went wrong in writing it down; ends the run.
    fn collect(&mut self, part: &mut Self::Local) -> io::Result<ControlFlow<()>>;
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::{Sink, from_fn};
    use crate::extract::Extractor;

    const MESSAGE: &[u8] = b"Subject: http://a/\n\nhttp://b/ http://b:99999/ <URL:http://c/>\nhttp://d/\n";

    /// What a closure is told that says to go on before it has heard of `most`.
    fn told(most: usize, find: impl FnOnce(&Extractor, &mut dyn Sink)) -> Vec<Vec<u8>> {
        let mut urls = Vec::new();
        let mut sink = from_fn(|hit| {
            urls.push(hit.url().as_bytes().to_vec());
            if urls.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert_eq!(format!("{sink:?}"), "FromFn { .. }");
        find(&Extractor::builder().build(), &mut sink);
        urls
    }

    #[test]
    fn a_closure_is_told_the_hits_until_it_breaks() {
        let all: [&[u8]; 4] = [b"http://a/", b"http://b/", b"http://c/", b"http://d/"];
        for most in 1..=5 {
            let want = &all[..most.min(4)];
            let message = |extractor: &Extractor, mut sink: &mut dyn Sink| {
                assert_eq!(extractor.message(MESSAGE, &mut sink).is_break(), most < 5);
            };
            assert_eq!(told(most, message), want, "{most} of a message");
            let stream = |extractor: &Extractor, mut sink: &mut dyn Sink| {
                extractor.read(MESSAGE, "x.eml", &mut sink).expect("memory");
            };
            assert_eq!(told(most, stream), want, "{most} of a stream");
        }
    }
}
