//! The events of a search, and their receivers: [`Sink`] for one thread, [`Collect`] for several.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::hit::fields::Value;
use crate::hit::json::Object;
use crate::hit::{Hit, Reject};
use crate::mail;
use crate::shared;
use crate::source::{Input, Position, SkipReason};

/// What a search reports to a [`Sink`]. Events are in the order of the input.
///
/// Later versions can add events. A `match` therefore needs an arm `_`, which returns [`ControlFlow::Continue`].
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor};
///
/// let flow = Extractor::new().paths(["corpus/maildir", "missing"]).each(&mut |event: Event<'_>| {
///     match event {
///         Event::Hit(hit) => println!("{}", hit.url()),
///         Event::Error(error) => eprintln!("{error}"),
///         Event::End(file) => println!("{}: {}", file.name().display(), file.format()),
///         _ => {}
///     }
///     ControlFlow::Continue(())
/// });
/// assert!(flow.is_continue());
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A URL. In HTML, the URL of an attribute can be reported before a URL in the text that precedes the attribute.
    Hit(&'e Hit<'e>),
    /// A URL that an option of the search excludes.
    Excluded {
        /// The URL and its location.
        hit: &'e Hit<'e>,
        /// The name of the option: `form`, `scheme`, `host` or `tier`. If several options exclude the URL, the first of
        /// them.
        option: &'static str,
    },
    /// Text that looks like a URL but is not a URL. Only the options `form` and `scheme` exclude such text, because it
    /// has no host and no tier.
    Reject(&'e Reject<'e>),
    /// Malformed input. The input before and after the malformed bytes is still searched.
    Diagnostic {
        /// The file. `None` for a message in memory.
        file: Option<&'e Input>,
        /// What is malformed, and where.
        diagnostic: &'e Diagnostic,
    },
    /// An attachment that is not searched, such as a picture, or a member of an attached archive.
    Unsearched {
        /// The file. `None` for a message in memory.
        file: Option<&'e Input>,
        /// The facts about the attachment, each with its name: `what` it is, in words, its name (`attachment`), its
        /// `type`, the number of the `message`, the `part`, the `offset` and `length` of the part in the file, and the
        /// `size` of the decoded attachment. If the size of a member of an archive is unknown, that of the archive.
        facts: &'e [(&'static str, Value<'e>)],
    },
    /// The start of a text part or attachment of a message, before the hits in the part. The value is the section number
    /// of the part: `[1, 2]` for `1.2`. This event can be reported several times in a row for the same part.
    Part(&'e [u32]),
    /// The end of a message, after all its hits. Text outside messages, such as a plain text file, is read in blocks,
    /// and this event is also reported at the end of each block.
    Segment {
        /// The file. `None` for a message in memory.
        file: Option<&'e Input>,
        /// The message or the block of text.
        segment: &'e Segment<'e>,
    },
    /// A file could not be opened, or could not be read to its end. No other event reports the error.
    ///
    /// Encrypted members of an archive, and members with an unsupported compression method, are reported at the end of
    /// the archive. There is one error for each reason, such as encryption. The error has the path of the first member
    /// with this reason, and the [number](Error::count) of such members.
    Error(&'e Error),
    /// A file, a directory or a member of an archive is skipped.
    Skipped {
        /// The path. The path of a member consists of the path of the archive, a `!`, and the name of the member.
        path: &'e Path,
        /// The reason.
        why: SkipReason,
    },
    /// The end of a file. For an archive, this event is reported at the end of each member, and then at the end of the
    /// archive. An archive can have data before the first member, such as the program of a self-extracting archive.
    /// This data counts as a file of its own, with the name of the archive.
    End(&'e Input),
    /// A mailbox was read up to this position, and everything before the position was reported. A later run can resume
    /// there. Reported from time to time, and only if the search uses [`Hits::resume`](crate::Hits::resume).
    Reached {
        /// The mailbox.
        file: &'e Input,
        /// Where a later run can resume.
        position: &'e Position,
        /// The bytes directly before the `end` of `position`. A later run can compare these bytes with
        /// the file, to check that the file is still the same. Can be short or empty, because it contains only bytes
        /// that are still in memory.
        before: &'e [u8],
    },
    /// No more events of the file with this path follow. Reported even if the content of the file was skipped or could
    /// not be read to its end, but not for a file that was not opened. For an archive, this event is reported once,
    /// after all members. For a public-inbox, it is reported after each message. Reported only if the search uses
    /// [`Hits::resume`](crate::Hits::resume).
    Finished(&'e Path),
    /// A chance to stop the run, for example after a time limit. Reported at least once every 64 KiB of input, even if
    /// nothing is found.
    ///
    /// There is one exception: this event is not reported inside a long text in which nothing looks like a URL. The
    /// search of 4 MiB of such text takes about a millisecond.
    Check,
}

/// The values of the first field, `kind`, of a [`problem`].
pub const PROBLEM_KINDS: [&str; 5] = ["unsearched", "skipped", "error", "diagnostic", "message"];

/// Appends a JSON object if the event reports input that was not searched, or a problem with the input. Returns whether an
/// object was appended. The field `kind` is one of the [`PROBLEM_KINDS`].
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor, problem};
///
/// let message = "Content-Type: image/png; name=a.png\n\nx\n";
/// let mut json = Vec::new();
/// let _ = Extractor::new().message_into(message, &mut |event: Event<'_>| {
///     problem(event, &mut json);
///     ControlFlow::Continue(())
/// });
/// assert!(json.starts_with(b"{\"kind\":\"unsearched\",\"file\":null,\"what\":\"a picture\",\"attachment\":\"a.png\""));
/// ```
pub fn problem(event: Event<'_>, out: &mut Vec<u8>) -> bool {
    let [unsearched, skipped, error, diagnostic, message] = PROBLEM_KINDS;
    let (kind, file) = match event {
        Event::Unsearched { file, .. } => (unsearched, file),
        Event::Skipped { .. } => (skipped, None),
        Event::Error(_) => (error, None),
        Event::Diagnostic { file, .. } => (diagnostic, file),
        Event::Segment { file, segment } if matches!(segment.outcome, Outcome::Undated | Outcome::NoMail) => {
            (message, file)
        }
        _ => return false,
    };
    let path = match event {
        Event::Skipped { path, .. } => Some(path),
        Event::Error(error) => Some(error.path()),
        _ => file.map(Input::name),
    };
    let mut object = Object::open(out);
    object.field("kind", kind);
    object.field("file", path.map(shared::bytes));
    if let Some(member) = file.and_then(Input::member) {
        object.field("member", member);
    }
    match event {
        Event::Unsearched { facts, .. } => {
            for (name, value) in facts {
                object.field(name, value.clone());
            }
        }
        Event::Skipped { why, .. } => {
            object.field("reason", why.as_str());
            object.field("about", Value::Text(why.about().into()));
        }
        Event::Error(error) => {
            object.field("reason", error.kind().as_str());
            object.field("about", error.to_string());
            object.field("count", error.count());
        }
        Event::Diagnostic { diagnostic, .. } => {
            object.field("reason", diagnostic.kind().as_str());
            object.field("about", diagnostic.to_string());
            object.field("offset", diagnostic.offset());
        }
        Event::Segment { segment, .. } => {
            object.field("reason", segment.outcome());
            object.field("message_id", segment.message_id().as_deref());
            object.field("length", segment.length());
        }
        _ => {}
    }
    object.close();
    out.push(b'\n');
    true
}

/// Receives the [events](Event) of a search.
///
/// The result [`ControlFlow::Break`] stops the run, and the sink receives no further event. If the caller needs the
/// reason for the stop, the sink stores it.
///
/// A closure is a sink. Give the type of its argument, as in this example:
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor};
///
/// let message = "Subject: x\n\nhttp://a.example/ ftp://b.example/ http://c.example/\n";
/// let mut hosts = Vec::new();
/// let flow = Extractor::new().message_into(message, &mut |event: Event<'_>| {
///     if let Event::Hit(hit) = event {
///         hosts.extend(hit.url().host().map(str::to_owned));
///         if hit.url().scheme() == "ftp" {
///             return ControlFlow::Break(());
///         }
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!((flow, hosts), (ControlFlow::Break(()), vec!["a.example".into(), "b.example".into()]));
/// ```
///
/// A sink that is more than a closure, and that keeps the error that stopped the run:
///
/// ```
/// use std::io::{self, Write};
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor, Sink};
///
/// struct Lines<W> { out: W, written: io::Result<()> }
///
/// impl<W: Write> Sink for Lines<W> {
///     fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
///         if let Event::Hit(hit) = event {
///             self.written = writeln!(self.out, "{}", hit.url());
///         }
///         if self.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
///     }
/// }
///
/// let mut lines = Lines { out: Vec::new(), written: Ok(()) };
/// let _ = Extractor::new().message_into("Subject: x\n\nhttp://www.example.org/\n", &mut lines);
/// lines.written?;
/// assert_eq!(lines.out, b"http://www.example.org/\n");
/// # Ok::<(), io::Error>(())
/// ```
pub trait Sink {
    /// Receives an event. Returns whether the run continues.
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()>;
}

impl<F: FnMut(Event<'_>) -> ControlFlow<()>> Sink for F {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        self(event)
    }
}

/// A receiver of events from several worker threads; see [`Hits::parallel`](crate::Hits::parallel). Each worker fills
/// [`Local`](Self::Local) sinks of its own. The run passes these sinks to [`collect`](Self::collect) one at a time, in
/// the order of the input. Only one thread uses a sink at a time, so a sink needs no lock.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Collect, Event, Extractor, Sink};
///
/// #[derive(Default)]
/// struct Found(Vec<String>);
///
/// impl Sink for Found {
///     fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
///         if let Event::Hit(hit) = event {
///             self.0.push(hit.url().to_string());
///         }
///         ControlFlow::Continue(())
///     }
/// }
///
/// impl Collect for Found {
///     type Local = Found;
///     fn new_local(&self) -> Found {
///         Found::default()
///     }
///     fn collect(&mut self, local: &mut Found) -> ControlFlow<()> {
///         self.0.append(&mut local.0);
///         ControlFlow::Continue(())
///     }
/// }
///
/// let all = Extractor::new().paths(["corpus/maildir"]).parallel(Found::default());
/// assert!(all.0.len() > 1);
/// ```
pub trait Collect: Send + 'static {
    /// The sink of one worker. If a sink stops the run, the run still passes the sink to [`collect`](Self::collect)
    /// once.
    type Local: Sink + Send + 'static;

    /// Returns a new, empty local sink. Called a few times for each worker, before the search begins.
    fn new_local(&self) -> Self::Local;

    /// Returns whether `local` takes too much memory. If this method returns `true`, the run passes `local` to
    /// [`collect`](Self::collect) before the worker continues, even in the middle of a message. This method is called
    /// after each event, so it should be fast.
    fn is_full(local: &Self::Local) -> bool {
        let _ = local;
        false
    }

    /// Receives the local sinks in the order of the input. Must leave `local` empty, because workers reuse it. Returns
    /// whether the run continues.
    fn collect(&mut self, local: &mut Self::Local) -> ControlFlow<()>;
}

/// Passes events to the local sink of a worker. A full sink passes its results on, even in the middle of a message.
/// Otherwise a single message could fill the memory, because a message of 4 MiB can contain several hundred thousand
/// URLs.
pub(crate) struct PassOn<'r, C: Collect> {
    pub(crate) local: &'r mut C::Local,
    /// Waits until the results of all earlier inputs were passed to [`Collect::collect`], then passes on `local`.
    pub(crate) pass_on: &'r mut dyn FnMut(&mut C::Local) -> ControlFlow<()>,
}

impl<C: Collect> Sink for PassOn<'_, C> {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        self.local.event(event)?;
        if C::is_full(self.local) { (self.pass_on)(self.local) } else { ControlFlow::Continue(()) }
    }
}

/// A message, or a block of text outside messages. The segments of a file do not overlap. Together they cover
/// everything that was read from the file.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor};
///
/// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nSee http://www.example.org/\n";
/// let (mut messages, mut bytes) = (0, 0);
/// let _ = Extractor::new().read(&mbox[..]).each(&mut |event: Event<'_>| {
///     if let Event::Segment { segment, .. } = event {
///         assert_eq!(segment.outcome(), "read");
///         messages += usize::from(segment.is_message());
///         bytes += segment.length();
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!((messages, bytes), (1, mbox.len() as u64));
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
    /// How a [`Segment`] was handled; see [`Segment::outcome`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum Outcome {
        Read = "read",
        NotChosen = "not-chosen",
        Undated = "undated",
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

    /// Returns how the segment was handled:
    ///
    /// - `read`: the segment was searched.
    /// - `not-chosen`: the segment is not one of the requested messages, so the segment was not searched.
    /// - `undated`: the message has no date, or its date cannot be parsed. The message was not searched, because the
    ///   search is limited to a range of dates.
    /// - `no-mail`: the segment is data that a mail program stores beside the messages, such as labels or a table of
    ///   contents. It was not searched.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use urlspool::{Event, Extractor};
    ///
    /// let mbox = b"From -\nSubject: no date\n\nSee http://www.example.org/\n";
    /// let mut undated = 0;
    /// let _ = Extractor::new().set("since", "1970")?.read(&mbox[..]).each(&mut |event: Event<'_>| {
    ///     if let Event::Segment { segment, .. } = event {
    ///         undated += usize::from(segment.outcome() == "undated");
    ///     }
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(undated, 1);
    /// # Ok::<(), urlspool::InvalidValue>(())
    /// ```
    #[must_use]
    pub fn outcome(&self) -> &'static str {
        self.outcome.as_str()
    }

    /// Returns the bytes of the message as stored, without its envelope line. If the segment is only the rest of a
    /// message above the size limit, returns the beginning of that message, which came in an earlier segment. For text
    /// outside messages, returns an empty slice.
    ///
    /// ```
    /// use std::collections::HashSet;
    /// use std::ops::ControlFlow;
    /// use urlspool::{Event, Extractor};
    ///
    /// let message = "From a@b Mon Jan  1 00:00:00 2001\nMessage-ID: <1@b>\n\nSee http://www.example.org/\n\n";
    /// let mut different = HashSet::new();
    /// let _ = Extractor::new().read(message.repeat(2).as_bytes()).each(&mut |event: Event<'_>| {
    ///     if let Event::Segment { segment, .. } = event {
    ///         different.insert(segment.message_id().unwrap_or(segment.bytes().into()).into_owned());
    ///     }
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(different, HashSet::from([b"1@b".to_vec()]));
    /// ```
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.message
    }

    /// Returns all bytes of the segment as stored, with the envelope line, also of text outside messages. Only for the
    /// command, so it is hidden.
    #[doc(hidden)]
    #[must_use]
    pub fn stored(&self) -> &'a [u8] {
        self.stored
    }

    /// Returns the Message-ID without its brackets. Returns `None` if the Message-ID is missing or empty. Each call
    /// reads the headers again.
    #[must_use]
    pub fn message_id(&self) -> Option<Cow<'a, [u8]>> {
        mail::HeaderIndex::of(self.message).message_id(self.message)
    }

    /// Returns the List-Id, as [`Hit`] has it. Only for the command, so it is hidden.
    #[doc(hidden)]
    #[must_use]
    pub fn list_id(&self) -> Option<Cow<'a, [u8]>> {
        mail::HeaderIndex::of(self.message).list_id(self.message)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::Event;
    use crate::diagnostic::DiagnosticKind;
    use crate::error::ErrorKind;
    use crate::extract::Extractor;
    use crate::source::SkipReason;

    /// `docs/output.md` must have a row for each reason of a problem, in the order of the enums.
    #[test]
    fn the_reference_has_all_reasons() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/output.md");
        let page = std::fs::read_to_string(path).unwrap();
        let of = |kind| page.lines().filter(move |line| line.starts_with(&format!("| `{kind}` | `")));
        let row = |kind, reason, about| format!("| `{kind}` | `{reason}` | {about} |");
        let diagnostics = DiagnosticKind::ALL.iter().map(|kind| row("diagnostic", kind.as_str(), kind.about()));
        assert_eq!(of("diagnostic").collect::<Vec<_>>(), diagnostics.collect::<Vec<_>>());
        let skipped = SkipReason::ALL.iter().map(|why| row("skipped", why.as_str(), why.about()));
        assert_eq!(of("skipped").collect::<Vec<_>>(), skipped.collect::<Vec<_>>());
        let errors = of("error").filter_map(|row| row.split('`').nth(3));
        assert_eq!(errors.collect::<Vec<_>>(), ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>());
    }

    const MESSAGE: &[u8] = b"Subject: http://a/\n\nhttp://b/ http://b:99999/ <URL:http://c/>\nhttp://d/\n";
    const ALL: [&str; 4] = ["http://a/", "http://b/", "http://c/", "http://d/"];

    #[test]
    fn nothing_is_reported_after_a_break() {
        for most in 1..=5 {
            for is_stream in [false, true] {
                let mut urls = Vec::new();
                let mut sink = |event: Event<'_>| {
                    assert!(urls.len() < most, "{event:?}");
                    if let Event::Hit(hit) = event {
                        urls.push(hit.url().to_string());
                    }
                    if urls.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                };
                let extractor = Extractor::new();
                let flow = match is_stream {
                    true => extractor.read(MESSAGE).each(&mut sink),
                    false => extractor.message_into(MESSAGE, &mut sink),
                };
                assert_eq!((flow.is_break(), &urls[..]), (most < 5, &ALL.map(str::to_owned)[..most.min(4)]), "{most}");
            }
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
        for text in [&message, &fields, &urls, &mbox] {
            let mut checks = 0;
            let flow = Extractor::new().read(text.as_bytes()).each(&mut |event: Event<'_>| {
                checks += usize::from(matches!(event, Event::Check));
                if checks < text.len() / (64 << 10) - 1 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            assert!(flow.is_break(), "{}: {checks}", &text[..30]);
        }
    }
}
