//! Receivers of results: [`Sink`] for one thread, [`Collect`] for several.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::hit::{HitRef, Reject};
use crate::mail::Section;
use crate::source::{Input, SkipReason};

/// The return type of the methods of a [`Sink`]: whether to continue, and if not, the value that the run returns.
///
/// | type | continues | stops |
/// |---|---|---|
/// | `()` | always | never |
/// | [`ControlFlow<B>`] | `Continue(())` | `Break(value)` |
/// | `Result<(), E>` | `Ok(())` | `Err(error)` |
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Extractor, sink};
///
/// let message = "Subject: x\n\nhttp://a.example/ http://b.example/\n";
/// let mut count = 0;
/// let flow = Extractor::new().message_into(message, &mut sink::from_fn(|_| {
///     count += 1;
///     if count == 1 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
/// }));
/// assert_eq!((flow, count), (ControlFlow::Break("enough"), 1));
/// ```
pub trait Flow {
    /// Returns the value that continues the run.
    fn go_on() -> Self;

    /// Returns whether this value stops the run.
    fn stops(&self) -> bool;
}

impl Flow for () {
    fn go_on() {}

    fn stops(&self) -> bool {
        false
    }
}

impl<B> Flow for ControlFlow<B> {
    fn go_on() -> Self {
        ControlFlow::Continue(())
    }

    fn stops(&self) -> bool {
        self.is_break()
    }
}

impl<E> Flow for Result<(), E> {
    fn go_on() -> Self {
        Ok(())
    }

    fn stops(&self) -> bool {
        self.is_err()
    }
}

/// Receives results in the order of the input. Only [`hit`](Self::hit) is required; the other methods ignore their
/// arguments by default. For a closure that takes hits, use [`from_fn`].
///
/// After the first value that [stops](Flow::stops), no method is called again, and the run returns that value.
///
/// ```
/// use std::io::{self, Write};
/// use urlspool::{Extractor, HitRef, Sink};
///
/// struct Lines<W>(W);
///
/// impl<W: Write> Sink for Lines<W> {
///     type Flow = io::Result<()>; // A failed write ends the run and is returned.
///
///     fn hit(&mut self, hit: &HitRef<'_>) -> io::Result<()> {
///         writeln!(self.0, "{}", hit.url())
///     }
/// }
///
/// let mut lines = Lines(Vec::new());
/// Extractor::new().message_into(b"Subject: x\n\nhttp://www.example.org/\n", &mut lines)?;
/// assert_eq!(lines.0, b"http://www.example.org/\n");
/// # Ok::<(), io::Error>(())
/// ```
pub trait Sink {
    /// The return type of the methods: `()` for a sink that never stops the run.
    type Flow: Flow;

    /// Receives a URL.
    fn hit(&mut self, hit: &HitRef<'_>) -> Self::Flow;

    /// Receives a text that looks like a URL but is not one.
    fn reject(&mut self, reject: &Reject<'_>) -> Self::Flow {
        let _ = reject;
        Self::Flow::go_on()
    }

    /// Receives a report of malformed input. Everything else was read.
    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) -> Self::Flow {
        let _ = (file, diagnostic);
        Self::Flow::go_on()
    }

    /// Called when a text part or an attachment of a message begins or continues. A part may come several times in a
    /// row. Its hits follow.
    fn part(&mut self, part: &Section) -> Self::Flow {
        let _ = part;
        Self::Flow::go_on()
    }

    /// Called when a message, or a window of text outside messages, ends. Its hits came before.
    fn segment(&mut self, file: Option<&Input>, segment: &Segment) -> Self::Flow {
        let _ = (file, segment);
        Self::Flow::go_on()
    }

    /// Receives the error of a file that could not be read, or not to its end. No other method reports that.
    ///
    /// Members of an archive that are encrypted, or compressed with an unsupported method, are reported when the
    /// archive ends: once for each reason, with the path of the first and their [number](Error::count).
    fn problem(&mut self, error: &Error) -> Self::Flow {
        let _ = error;
        Self::Flow::go_on()
    }

    /// Called when something in a directory or an archive is skipped.
    fn skipped(&mut self, path: &Path, why: SkipReason) -> Self::Flow {
        let _ = (path, why);
        Self::Flow::go_on()
    }

    /// Called when a file ends. The members of an archive end before the archive. If the file has something else before
    /// the archive, such as the program that unpacks it, that ends first, under the same name.
    fn end(&mut self, file: &Input) -> Self::Flow {
        let _ = file;
        Self::Flow::go_on()
    }

    /// Called at least once every 64 KiB of input, also where nothing is found. So a sink can stop the run after a time
    /// limit, or because a user cancelled it.
    ///
    /// A single part or header block without candidates is not interrupted: 4 MiB of it take about a millisecond.
    fn check(&mut self) -> Self::Flow {
        Self::Flow::go_on()
    }
}

/// A [`Sink`] whose type the workers need not know.
pub(crate) trait DynSink {
    fn hit(&mut self, hit: &HitRef<'_>) -> ControlFlow<()>;
    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()>;
    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) -> ControlFlow<()>;
    fn part(&mut self, part: &Section) -> ControlFlow<()>;
    fn segment(&mut self, file: Option<&Input>, segment: &Segment) -> ControlFlow<()>;
    fn problem(&mut self, error: &Error) -> ControlFlow<()>;
    fn skipped(&mut self, path: &Path, why: SkipReason) -> ControlFlow<()>;
    fn end(&mut self, file: &Input) -> ControlFlow<()>;
    fn check(&mut self) -> ControlFlow<()>;
}

/// The methods of a [`DynSink`] that passes each event on to the [`Sink`] `$to`, and then does `$then` with the flow; all but
/// [`check`](DynSink::check).
macro_rules! pass_on {
    ($self:ident, $to:expr, $flow:ident => $then:expr) => {
        $crate::sink::pass_on! { @ $self, $to, $flow, $then;
            hit(hit: &$crate::hit::HitRef<'_>);
            reject(reject: &$crate::hit::Reject<'_>);
            diagnostic(file: Option<&$crate::source::Input>, diagnostic: &$crate::diagnostic::Diagnostic);
            part(part: &$crate::mail::Section);
            segment(file: Option<&$crate::source::Input>, segment: &$crate::sink::Segment);
            problem(error: &$crate::error::Error);
            skipped(path: &std::path::Path, why: $crate::source::SkipReason);
            end(file: &$crate::source::Input);
        }
    };
    (@ $self:ident, $to:expr, $flow:ident, $then:expr; $($event:ident($($name:ident: $type:ty),*);)*) => {
        $(fn $event(&mut $self, $($name: $type),*) -> std::ops::ControlFlow<()> {
            let $flow = $to.$event($($name),*);
            $then
        })*
    };
}
pub(crate) use pass_on;

/// Passes all events on to a sink, and keeps the value that stopped it.
pub(crate) struct Stoppable<'s, S: Sink> {
    sink: &'s mut S,
    stopped: Option<S::Flow>,
}

impl<'s, S: Sink> Stoppable<'s, S> {
    pub(crate) fn new(sink: &'s mut S) -> Self {
        Stoppable { sink, stopped: None }
    }

    /// Returns the value that stopped the sink, or one that continues.
    pub(crate) fn flow(self) -> S::Flow {
        self.stopped.unwrap_or_else(S::Flow::go_on)
    }
}

impl<S: Sink> Stoppable<'_, S> {
    fn keep(&mut self, flow: S::Flow) -> ControlFlow<()> {
        if flow.stops() {
            self.stopped = Some(flow);
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl<S: Sink> DynSink for Stoppable<'_, S> {
    pass_on!(self, self.sink, flow => self.keep(flow));

    fn check(&mut self) -> ControlFlow<()> {
        let flow = self.sink.check();
        self.keep(flow)
    }
}

/// Makes a sink of a closure that receives each hit. The sink ignores everything else, also errors.
/// [`Hits::each`](crate::Hits::each) returns the error of a stream. Several threads over
/// [`paths`](crate::Extractor::paths) need a [`Collect`]; with a closure, use the iterator.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Extractor, sink};
///
/// let message = b"Subject: x\n\nhttp://www.example.org/ and ftp://ftp.example.org/pub\n";
/// let mut hosts = Vec::new();
/// Extractor::new().message_into(message, &mut sink::from_fn(|hit| hosts.extend(hit.url().host().map(str::to_owned))));
/// assert_eq!(hosts, ["www.example.org", "ftp.example.org"]);
///
/// // The closure may stop the run with a value.
/// let first_ftp = Extractor::new().message_into(message, &mut sink::from_fn(|hit| match hit.url().scheme() {
///     "ftp" => ControlFlow::Break(hit.url().to_string()),
///     _ => ControlFlow::Continue(()),
/// }));
/// assert_eq!(first_ftp, ControlFlow::Break("ftp://ftp.example.org/pub".to_string()));
/// ```
#[must_use]
pub fn from_fn<F, T>(hit: F) -> FromFn<F>
where
    F: FnMut(&HitRef<'_>) -> T,
    T: Flow,
{
    FromFn(hit)
}

/// The sink that [`from_fn`] returns. See the example there.
#[derive(Clone, Copy)]
pub struct FromFn<F>(F);

impl<F, T> Sink for FromFn<F>
where
    F: FnMut(&HitRef<'_>) -> T,
    T: Flow,
{
    type Flow = T;

    fn hit(&mut self, hit: &HitRef<'_>) -> T {
        (self.0)(hit)
    }
}

/// Prints the name only: a closure cannot be printed.
impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}

/// A piece of the input: a message, or a window of text outside messages. The segments of a file do not overlap, and
/// cover all that was read of it.
///
/// ```
/// use urlspool::{Extractor, HitRef, Input, Outcome, Segment, Sink};
///
/// #[derive(Default)]
/// struct Progress { messages: usize, bytes: u64 }
///
/// impl Sink for Progress {
///     type Flow = ();
///     fn hit(&mut self, _: &HitRef<'_>) {}
///     fn segment(&mut self, _: Option<&Input>, segment: &Segment) {
///         assert_eq!(segment.outcome(), Outcome::Read);
///         self.messages += usize::from(segment.is_message());
///         self.bytes += segment.length();
///     }
/// }
///
/// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nSee http://www.example.org/\n";
/// let mut progress = Progress::default();
/// Extractor::new().read(&mbox[..]).each(&mut progress)?;
/// assert_eq!((progress.messages, progress.bytes), (1, mbox.len() as u64));
/// # Ok::<(), urlspool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    pub(crate) length: u64,
    pub(crate) is_message: bool,
    pub(crate) outcome: Outcome,
}

named! {
    /// What was done with a [`Segment`].
    ///
    /// ```
    /// use urlspool::{Extractor, HitRef, Input, Outcome, Segment, Sink};
    ///
    /// struct Undated(usize);
    ///
    /// impl Sink for Undated {
    ///     type Flow = ();
    ///     fn hit(&mut self, _: &HitRef<'_>) {}
    ///     fn segment(&mut self, _: Option<&Input>, segment: &Segment) {
    ///         self.0 += usize::from(segment.outcome() == Outcome::Undated);
    ///     }
    /// }
    ///
    /// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: no date\n\nSee http://www.example.org/\n";
    /// let mut undated = Undated(0);
    /// Extractor::new().read(&mbox[..]).since(Some(0)).each(&mut undated)?;
    /// assert_eq!(undated.0, 1);
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Outcome {
        /// It was searched.
        Read = "read",
        /// It is not one of the requested messages.
        NotChosen = "not-chosen",
        /// A time was requested, and its date is missing or cannot be parsed.
        Undated = "undated",
        /// It was not searched, because it is not mail: data that a program keeps beside the messages, such as labels
        /// or a table of contents.
        NoMail = "no-mail",
    }
}

impl Segment {
    /// Returns its length in bytes as stored (or decompressed), with the envelope line.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns whether it is a message. If not, it is a window of text outside messages, or of a message over the size
    /// limit.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.is_message
    }

    /// Returns what was done with it.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
}

/// A receiver for several workers. Each worker fills a [`Local`](Self::Local) sink of its own. These are collected one
/// by one, in the order of the input, so none needs a lock.
///
/// A local sink is used again after it was collected: [`collect`](Self::collect) has to empty it.
///
/// ```
/// use urlspool::{Collect, Extractor, HitRef, Sink};
///
/// #[derive(Default)]
/// struct Found(Vec<String>);
///
/// impl Sink for Found {
///     type Flow = ();
///     fn hit(&mut self, hit: &HitRef<'_>) {
///         self.0.push(hit.url().to_string());
///     }
/// }
///
/// impl Collect for Found {
///     type Local = Found;
///     type Flow = ();
///     fn new_local(&self) -> Found {
///         Found::default()
///     }
///     fn collect(&mut self, local: &mut Found) {
///         self.0.append(&mut local.0);
///     }
/// }
///
/// let mut all = Found::default();
/// Extractor::new().paths(["corpus/maildir"]).each(&mut all);
/// assert!(all.0.len() > 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot collect the hits of several threads",
    note = "`each` over paths takes a `Collect`, which has a sink for each thread; a closure can use the iterator"
)]
pub trait Collect: Send {
    /// The sink of one worker. If it [stops](Flow::stops) the run, it is collected one last time, and should keep the
    /// reason.
    type Local: Sink + Send;

    /// The return type of [`collect`](Self::collect): `()` if it never stops the run.
    type Flow: Flow + Send;

    /// Returns a new, empty local sink. Called a few times for each worker, before the work begins.
    fn new_local(&self) -> Self::Local;

    /// Returns whether `local` has grown so large that it should be collected before the end of its batch. This limits
    /// the memory that a local sink takes. Called after each event, so it should be quick.
    fn is_full(local: &Self::Local) -> bool {
        let _ = local;
        false
    }

    /// Takes the content of `local` and empties it. A value that [stops](Flow::stops) ends the run, which returns it.
    fn collect(&mut self, local: &mut Self::Local) -> Self::Flow;
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::{Sink, from_fn};
    use crate::extract::Extractor;
    use crate::hit::HitRef;

    const MESSAGE: &[u8] = b"Subject: http://a/\n\nhttp://b/ http://b:99999/ <URL:http://c/>\nhttp://d/\n";
    const ALL: [&str; 4] = ["http://a/", "http://b/", "http://c/", "http://d/"];

    #[test]
    fn a_closure_stops_the_run_with_its_value() {
        for most in 1..=5 {
            let mut urls = Vec::new();
            let mut sink = from_fn(|hit| {
                urls.push(hit.url().to_string());
                if urls.len() < most { Ok(()) } else { Err(most) }
            });
            assert_eq!(format!("{sink:?}"), "FromFn { .. }");
            let want = if most < 5 { Err(most) } else { Ok(()) };
            assert_eq!(Extractor::new().message_into(MESSAGE, &mut sink), want);
            assert_eq!(urls, ALL[..most.min(4)], "{most} of a message");

            let mut count = 0;
            let mut sink = from_fn(|_| {
                count += 1;
                if count < most { ControlFlow::Continue(()) } else { ControlFlow::Break(count) }
            });
            let flow = Extractor::new().read(MESSAGE).each(&mut sink).expect("memory");
            assert_eq!(flow.break_value(), (most < 5).then_some(most), "{most} of a stream");
        }
    }

    #[test]
    fn a_closure_that_returns_nothing_continues() {
        let mut count = 0;
        Extractor::new().message_into(MESSAGE, &mut from_fn(|_| count += 1));
        assert_eq!(count, 4);
    }

    /// A sink that stops after this number of checks.
    struct Checked(usize);

    impl Sink for Checked {
        type Flow = Result<(), &'static str>;

        fn hit(&mut self, _: &HitRef<'_>) -> Self::Flow {
            Ok(())
        }

        fn check(&mut self) -> Self::Flow {
            self.0 -= 1;
            if self.0 > 0 { Ok(()) } else { Err("cancelled") }
        }
    }

    #[test]
    fn a_sink_is_checked_every_64_kib() {
        const MIB: usize = 1 << 20;
        let parts = format!("--b\n\n{}\n", "x\n".repeat(1000)).repeat(MIB / 2000);
        let message = format!("Content-Type: multipart/mixed; boundary=b\n\n{parts}--b--\n");
        let fields = "X: http://a/\n".repeat(MIB / 13);
        let urls = format!("Subject: x\n\n{}", "http://a/\n".repeat(MIB / 10));
        let mbox = "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nx\n\n".repeat(MIB / 49);
        for text in [&message, &fields, &urls] {
            let least = text.len() / (64 << 10) - 1;
            assert_eq!(Extractor::new().message_into(text, &mut Checked(least)), Err("cancelled"), "{}", &text[..30]);
        }
        for text in [&mbox, &message, &urls] {
            let least = text.len() / (64 << 10) - 1;
            let flow = Extractor::new().read(text.as_bytes()).each(&mut Checked(least));
            assert_eq!(flow.expect("memory"), Err("cancelled"), "{}", &text[..30]);
        }
    }
}
