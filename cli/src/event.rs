//! The events that the library reports, as one enum. [`Events`] implements the library's `Sink`, and converts each call
//! of its methods to an event.

use std::path::Path;

use urlspool::{
    Diagnostic, Error, Form, HitRef, Input, Origin, Position, Reject, RejectReason, Section, Segment, Sink, SkipReason,
};

/// An event that the library reports. `Select` can drop or change the event before it is printed or counted.
#[derive(Clone, Copy)]
pub(crate) enum Event<'e> {
    /// A URL or, with `--rejects`, a text that is not a URL.
    Found(Found<'e>),
    /// A text that is not a URL, as the library reports it. With `--rejects`, `Select` converts this event to `Found`,
    /// so that the text is printed.
    Reject(&'e Reject<'e>),
    /// Malformed input.
    Diagnostic(Option<&'e Input>, &'e Diagnostic),
    /// A file could not be read.
    Problem(&'e Error),
    /// A MIME part of a message begins or continues.
    Part(&'e Section),
    /// The end of a message or of a block of text.
    Segment(Option<&'e Input>, &'e Segment<'e>),
    /// A file or a member of an archive was skipped.
    Skipped(&'e Path, SkipReason),
    /// The end of a file.
    End(&'e Input),
    /// A mailbox was read up to this position. The byte string is the text directly before [`Position::end`]. This
    /// event is used only with `--state`.
    Reached(&'e Input, &'e Position, &'e [u8]),
    /// No more events of the file with this path will follow. This event is used only with `--state`.
    Finished(&'e Path),
}

/// A finding that gets a line in the output.
#[derive(Clone, Copy)]
pub(crate) enum Found<'e> {
    Hit(&'e HitRef<'e>),
    /// Another possible URL for the same hit, such as one without the hyphen at a line break.
    Reading(&'e HitRef<'e>, &'e [u8]),
    Refused(&'e Refused<'e>),
}

/// A text that is not a URL. With `--strict`, also a URL that RFC 1738 does not allow.
pub(crate) struct Refused<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) form: Form,
    pub(crate) why: RejectReason,
    pub(crate) origin: &'a Origin<'a>,
}

impl<'e> Found<'e> {
    pub(crate) fn text(&self) -> &'e [u8] {
        match self {
            Found::Hit(hit) => hit.url().as_bytes(),
            Found::Reading(_, url) => url,
            Found::Refused(refused) => refused.text,
        }
    }

    pub(crate) fn form(&self) -> Form {
        match self {
            Found::Hit(hit) | Found::Reading(hit, _) => hit.form(),
            Found::Refused(refused) => refused.form,
        }
    }

    pub(crate) fn origin(&self) -> &'e Origin<'e> {
        match self {
            Found::Hit(hit) | Found::Reading(hit, _) => hit.origin(),
            Found::Refused(refused) => refused.origin,
        }
    }
}

pub(crate) trait Receive {
    fn event(&mut self, event: Event<'_>);
}

pub(crate) struct Events<R>(pub(crate) R);

impl<R: Receive> Events<R> {
    fn pass(&mut self, event: Event<'_>) {
        self.0.event(event);
    }
}

impl<R: Receive> Sink for Events<R> {
    type Flow = ();

    fn hit(&mut self, hit: &HitRef<'_>) {
        self.pass(Event::Found(Found::Hit(hit)));
    }

    fn reject(&mut self, reject: &Reject<'_>) {
        self.pass(Event::Reject(reject));
    }

    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) {
        self.pass(Event::Diagnostic(file, diagnostic));
    }

    fn problem(&mut self, error: &Error) {
        self.pass(Event::Problem(error));
    }

    fn part(&mut self, part: &Section) {
        self.pass(Event::Part(part));
    }

    fn segment(&mut self, file: Option<&Input>, segment: &Segment<'_>) {
        self.pass(Event::Segment(file, segment));
    }

    fn skipped(&mut self, path: &Path, why: SkipReason) {
        self.pass(Event::Skipped(path, why));
    }

    fn end(&mut self, file: &Input) {
        self.pass(Event::End(file));
    }

    fn reached(&mut self, file: &Input, position: &Position, before: &[u8]) {
        self.pass(Event::Reached(file, position, before));
    }

    fn finished(&mut self, path: &Path) {
        self.pass(Event::Finished(path));
    }
}
