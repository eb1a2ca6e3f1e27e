//! Receivers of results: [`Sink`] for one thread, [`Collect`] for several.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::hit::{HitRef, Reject};
use crate::mail::{self, Section};
use crate::source::{Input, Position, SkipReason};

/// The return type of the methods of a [`Sink`]. Each value either continues or stops the run. If a value stops the
/// run, the run returns this value.
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
    /// Returns a value that continues the run.
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

/// Receives results in the order of the input. Only [`hit`](Self::hit) is required. The other methods do nothing by
/// default. If you need only hits, pass a closure to [`from_fn`].
///
/// If a method returns a value that [stops](Flow::stops) the run, no method is called again. The run returns that
/// value.
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
    /// The return type of the methods. Use `()` if the sink never stops the run.
    type Flow: Flow;

    /// Receives a URL. In HTML, the sink can receive the URL of an attribute before a URL in the text that precedes the
    /// attribute.
    fn hit(&mut self, hit: &HitRef<'_>) -> Self::Flow;

    /// Receives text that looks like a URL but is not a URL.
    fn reject(&mut self, reject: &Reject<'_>) -> Self::Flow {
        let _ = reject;
        Self::Flow::go_on()
    }

    /// Receives a report of malformed input. The input before and after the malformed bytes is still searched. `file`
    /// is `None` for a message in memory.
    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) -> Self::Flow {
        let _ = (file, diagnostic);
        Self::Flow::go_on()
    }

    /// Called at the start of each text part or attachment of a message, before the hits in the part. This method can
    /// be called several times in a row for the same part.
    fn part(&mut self, part: &Section) -> Self::Flow {
        let _ = part;
        Self::Flow::go_on()
    }

    /// Called after all hits of a message. Text outside messages, such as a plain text file, is read in blocks. For
    /// such text, this method is called after all hits of each block.
    fn segment(&mut self, file: Option<&Input>, segment: &Segment<'_>) -> Self::Flow {
        let _ = (file, segment);
        Self::Flow::go_on()
    }

    /// Receives an error about a file that could not be opened, or could not be read to its end. No other method
    /// receives the error.
    ///
    /// Encrypted members of an archive, and members with an unsupported compression method, are reported at the end of
    /// the archive. The sink receives one error for each reason, such as encryption. The error has the path of the
    /// first member with this reason, and the [number](Error::count) of such members.
    fn problem(&mut self, error: &Error) -> Self::Flow {
        let _ = error;
        Self::Flow::go_on()
    }

    /// Called when a file, a directory or a member of an archive is skipped. The path of a member consists of the path
    /// of the archive, a `!`, and the name of the member.
    fn skipped(&mut self, path: &Path, why: SkipReason) -> Self::Flow {
        let _ = (path, why);
        Self::Flow::go_on()
    }

    /// Called at the end of each file. For an archive, this method is called at the end of each member, and then at the
    /// end of the archive. An archive can have data before the first member, such as the program of a self-extracting
    /// archive. This data counts as a file of its own, with the name of the archive.
    fn end(&mut self, file: &Input) -> Self::Flow {
        let _ = file;
        Self::Flow::go_on()
    }

    /// Called from time to time while a mailbox is read. A later run can resume at `position`, because everything
    /// before `position` was reported. Called only if the search uses [`Hits::resume`](crate::Hits::resume).
    ///
    /// `before` contains the bytes directly before the [end](Position::end) of `position`. A later run can compare
    /// these bytes with the file, to check that the file is still the same. `before` can be short or empty, because it
    /// contains only bytes that are still in memory.
    fn reached(&mut self, file: &Input, position: &Position, before: &[u8]) -> Self::Flow {
        let _ = (file, position, before);
        Self::Flow::go_on()
    }

    /// Called after all other methods for a file, even if the content of the file was skipped or could not be read to
    /// its end. Not called for a file that was not opened. For an archive, this method is called once, after all
    /// members. For a public-inbox, this method is called after each message. Called only if the search uses
    /// [`Hits::resume`](crate::Hits::resume).
    fn finished(&mut self, path: &Path) -> Self::Flow {
        let _ = path;
        Self::Flow::go_on()
    }

    /// Called at least once every 64 KiB of input, even if nothing is found. Override this method to stop the run after
    /// a time limit, or when a user cancels the run.
    ///
    /// There is one exception: this method is not called inside a long text in which nothing looks like a URL. The
    /// search of 4 MiB of such text takes about a millisecond.
    fn check(&mut self) -> Self::Flow {
        Self::Flow::go_on()
    }
}

/// A [`Sink`] that can be used as `&mut dyn DynSink`. Because the worker threads use this trait, their code is compiled
/// only once, and not once for each type of sink.
pub(crate) trait DynSink {
    fn hit(&mut self, hit: &HitRef<'_>) -> ControlFlow<()>;
    fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()>;
    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) -> ControlFlow<()>;
    fn part(&mut self, part: &Section) -> ControlFlow<()>;
    fn segment(&mut self, file: Option<&Input>, segment: &Segment<'_>) -> ControlFlow<()>;
    fn problem(&mut self, error: &Error) -> ControlFlow<()>;
    fn skipped(&mut self, path: &Path, why: SkipReason) -> ControlFlow<()>;
    fn end(&mut self, file: &Input) -> ControlFlow<()>;
    fn reached(&mut self, file: &Input, position: &Position, before: &[u8]) -> ControlFlow<()>;
    fn finished(&mut self, path: &Path) -> ControlFlow<()>;
    fn check(&mut self) -> ControlFlow<()>;
}

/// Defines the methods of a [`DynSink`], except for [`check`](DynSink::check). Each method passes its event to the
/// [`Sink`] `$to`, and stores the returned value in `$flow`. Then the method evaluates `$then`.
macro_rules! pass_on {
    ($self:ident, $to:expr, $flow:ident => $then:expr) => {
        $crate::sink::pass_on! { @ $self, $to, $flow, $then;
            hit(hit: &$crate::hit::HitRef<'_>);
            reject(reject: &$crate::hit::Reject<'_>);
            diagnostic(file: Option<&$crate::source::Input>, diagnostic: &$crate::diagnostic::Diagnostic);
            part(part: &$crate::mail::Section);
            segment(file: Option<&$crate::source::Input>, segment: &$crate::sink::Segment<'_>);
            problem(error: &$crate::error::Error);
            skipped(path: &std::path::Path, why: $crate::source::SkipReason);
            end(file: &$crate::source::Input);
            reached(file: &$crate::source::Input, position: &$crate::source::Position, before: &[u8]);
            finished(path: &std::path::Path);
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

/// Passes all events to a sink, and stores the value that stopped the run.
pub(crate) struct Stoppable<'s, S: Sink> {
    sink: &'s mut S,
    stopped: Option<S::Flow>,
}

impl<'s, S: Sink> Stoppable<'s, S> {
    pub(crate) fn new(sink: &'s mut S) -> Self {
        Stoppable { sink, stopped: None }
    }

    /// Returns the value that stopped the run. If no value stopped the run, returns a value that continues the run.
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

/// Makes a sink from a closure that receives each hit. The sink ignores everything else, including errors. If reading a
/// stream fails, [`Hits::each`](crate::Hits::each) returns the error. To search [`paths`](crate::Extractor::paths) in
/// several threads, implement [`Collect`] or use the iterator.
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

/// The sink that [`from_fn`] returns. [`from_fn`] has an example.
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

/// Prints only the name, because a closure cannot be printed.
impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}

/// A message, or a block of text outside messages. The segments of a file do not overlap. Together they cover
/// everything that was read from the file.
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
///     fn segment(&mut self, _: Option<&Input>, segment: &Segment<'_>) {
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
pub struct Segment<'a> {
    /// All bytes of the segment, with the envelope line (`From a@b Mon Jan 1 ...`).
    pub(crate) stored: &'a [u8],
    pub(crate) is_message: bool,
    pub(crate) outcome: Outcome,
    /// The message. If the segment is only the rest of a message above the size limit, this field has the beginning of
    /// that message, which came in an earlier segment. Empty for text outside messages.
    pub(crate) message: &'a [u8],
}

named! {
    /// How a [`Segment`] was handled.
    ///
    /// ```
    /// use urlspool::{Extractor, HitRef, Input, Outcome, Segment, Sink};
    ///
    /// struct Undated(usize);
    ///
    /// impl Sink for Undated {
    ///     type Flow = ();
    ///     fn hit(&mut self, _: &HitRef<'_>) {}
    ///     fn segment(&mut self, _: Option<&Input>, segment: &Segment<'_>) {
    ///         self.0 += usize::from(segment.outcome() == Outcome::Undated);
    ///     }
    /// }
    ///
    /// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: no date\n\nSee http://www.example.org/\n";
    /// let mut undated = Undated(0);
    /// Extractor::new().since(Some(0)).read(&mbox[..]).each(&mut undated)?;
    /// assert_eq!(undated.0, 1);
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Outcome {
        /// The segment was searched.
        Read = "read",
        /// The segment is not one of the requested messages, so the segment was not searched.
        NotChosen = "not-chosen",
        /// The message has no date, or its date cannot be parsed. The message was not searched, because the search is
        /// limited to a range of dates.
        Undated = "undated",
        /// The segment is not mail, but data that a mail program stores beside the messages, such as labels or a table
        /// of contents. It was not searched.
        NoMail = "no-mail",
    }
}

impl<'a> Segment<'a> {
    /// Returns the length of the segment in bytes, including the envelope line. For compressed input, the length is the
    /// decompressed length.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.stored.len() as u64
    }

    /// Returns the number of line breaks (LF) in the segment. Each call counts the line breaks again.
    ///
    /// To get the number of the line in which a segment begins, add 1 to the number of line breaks in all earlier
    /// segments of the file.
    #[must_use]
    pub fn lines(&self) -> u64 {
        memchr::memchr_iter(b'\n', self.stored).count() as u64
    }

    /// Returns whether the segment is a message. Other segments are text outside messages, or the rest of a message
    /// above the size limit.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.is_message
    }

    /// Returns how the segment was handled.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Returns the bytes of the message as stored, without its envelope line. If the segment is only the rest of a
    /// message above the size limit, returns the beginning of that message, which came in an earlier segment. For text
    /// outside messages, returns an empty slice.
    ///
    /// ```
    /// use std::collections::HashSet;
    /// use urlspool::{Extractor, HitRef, Input, Segment, Sink};
    ///
    /// /// Counts different messages.
    /// #[derive(Default)]
    /// struct Different(HashSet<Vec<u8>>);
    ///
    /// impl Sink for Different {
    ///     type Flow = ();
    ///     fn hit(&mut self, _: &HitRef<'_>) {}
    ///     fn segment(&mut self, _: Option<&Input>, segment: &Segment<'_>) {
    ///         let id = segment.message_id();
    ///         self.0.insert(id.unwrap_or(segment.bytes().into()).into_owned());
    ///     }
    /// }
    ///
    /// let message = "From a@b Mon Jan  1 00:00:00 2001\nMessage-ID: <1@b>\n\nSee http://www.example.org/\n\n";
    /// let mut different = Different::default();
    /// Extractor::new().read(message.repeat(2).as_bytes()).each(&mut different)?;
    /// assert_eq!(different.0, HashSet::from([b"1@b".to_vec()]));
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.message
    }

    /// Returns the Message-ID without its brackets. Returns `None` if the Message-ID is missing or empty. Each call
    /// reads the headers again.
    #[must_use]
    pub fn message_id(&self) -> Option<Cow<'a, [u8]>> {
        mail::HeaderIndex::of(self.message).message_id(self.message)
    }
}

/// A receiver of results from several worker threads. Each worker fills [`Local`](Self::Local) sinks of its own. The
/// run passes these sinks to [`collect`](Self::collect) one at a time, in the order of the input. Only one thread uses
/// a sink at a time, so a sink needs no lock.
///
/// Local sinks are reused, so [`collect`](Self::collect) must empty them.
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
    note = "`each` over paths needs a `Collect`, which makes a sink for each thread; instead of passing a closure, \
            iterate over the hits"
)]
pub trait Collect: Send {
    /// The sink of one worker. If a sink [stops](Flow::stops) the run, the run still passes the sink to
    /// [`collect`](Self::collect) once. The sink should store the reason for the stop, so that
    /// [`collect`](Self::collect) can return the reason.
    type Local: Sink + Send;

    /// The return type of [`collect`](Self::collect). Use `()` if [`collect`](Self::collect) never stops the run.
    type Flow: Flow + Send;

    /// Returns a new, empty local sink. Called a few times for each worker, before the search begins.
    fn new_local(&self) -> Self::Local;

    /// Returns whether `local` takes too much memory. If this method returns `true`, the run passes `local` to
    /// [`collect`](Self::collect) before the worker continues, even in the middle of a message. This method is called
    /// after each event, so it should be fast.
    fn is_full(local: &Self::Local) -> bool {
        let _ = local;
        false
    }

    /// Takes the content of `local`, and empties it. If the returned value [stops](Flow::stops) the run, the run
    /// returns that value.
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
