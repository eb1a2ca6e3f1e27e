//! The events of a search, and the callback that receives them.

use std::ffi::{OsStr, c_int, c_void};
use std::io::Read;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::ptr;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use rust::{Collect, Event, FromPaths, Hits, Input, Sink};

use crate::{Derived, Found, Hit, Problem, URLSPOOL_DONE, URLSPOOL_INCOMPLETE, URLSPOOL_STOPPED, pointer};

/// A kind of event: a URL was found.
pub const URLSPOOL_EVENT_HIT: c_int = 1;
/// A kind of event: some input could not be opened, or could not be read to its end. The search continues with the next
/// file.
pub const URLSPOOL_EVENT_PROBLEM: c_int = 2;
/// A kind of event: a text looks like a URL but is invalid. `detail` has the text, and the name of the error, such as
/// `port-range`.
pub const URLSPOOL_EVENT_REJECT: c_int = 3;
/// A kind of event: an option excludes a URL. `detail` has the URL, and the name of the option, such as `host`.
pub const URLSPOOL_EVENT_EXCLUDED: c_int = 4;
/// A kind of event: a text part or an attachment of a message begins. `detail` has its IMAP section number, such as
/// `1.2`. The event can be reported several times in a row for the same part.
pub const URLSPOOL_EVENT_PART: c_int = 5;
/// A kind of event: a message, or a block of text outside messages, ends. `detail` has its length, and says whether it
/// was searched: `read`, `not-chosen`, `undated` or `no-mail`.
pub const URLSPOOL_EVENT_MESSAGE_END: c_int = 6;
/// A kind of event: a file, or a member of an archive, ends. `detail` has its format, such as `mbox`.
pub const URLSPOOL_EVENT_FILE_END: c_int = 7;
/// A kind of event: a file or a directory is skipped. `detail` has the reason, such as `binary`.
pub const URLSPOOL_EVENT_SKIPPED: c_int = 8;
/// A kind of event: the input is malformed. `detail` has the place, the name of the error and its description. The
/// search continues with the rest of the input.
pub const URLSPOOL_EVENT_DIAGNOSTIC: c_int = 9;

/// What an event reports that is neither a hit nor a problem. If the event has no such value, a pointer is NULL and a
/// number is 0. Later versions may add fields at the end of the struct: see URLSPOOL_HAS.
#[repr(C)]
#[derive(Debug)]
pub struct Detail {
    /// The size of this struct in bytes in the loaded library, which can be older or newer than this header.
    pub size: usize,
    /// The path of the file or directory. NULL for a message in memory.
    pub path: *const u8,
    /// The number of bytes of `path`.
    pub path_length: usize,
    /// The name of the archive member.
    pub member: *const u8,
    /// The number of bytes of `member`.
    pub member_length: usize,
    /// The text, the URL, the section number or the description.
    pub text: *const u8,
    /// The number of bytes of `text`.
    pub text_length: usize,
    /// The reason, or another name. `urlspool --json` and `urlspool -v` print the same names.
    pub reason: *const u8,
    /// The number of bytes of `reason`.
    pub reason_length: usize,
    /// The offset in the input.
    pub offset: u64,
    /// The number of bytes in the input.
    pub length: u64,
    /// The number of the message in its file, counted from 1.
    pub message: u64,
}

/// What a search reports. In a callback, the struct and everything that it points to are valid until the callback
/// returns. After a call of urlspool_search_next, they are valid until the next call with the same search. Later
/// versions may add kinds of events, and fields at the end of the struct: see URLSPOOL_HAS.
#[repr(C)]
#[derive(Debug)]
pub struct SearchEvent {
    /// The size of this struct in bytes in the loaded library, which can be older or newer than this header.
    pub size: usize,
    /// The kind of event: one of URLSPOOL_EVENT_... Ignore events of other kinds.
    pub kind: c_int,
    /// The URL. NULL if `kind` is not URLSPOOL_EVENT_HIT.
    pub hit: *const Hit,
    /// The problem. NULL if `kind` is not URLSPOOL_EVENT_PROBLEM.
    pub problem: *const Problem,
    /// What an event of another kind reports. NULL if `kind` is URLSPOOL_EVENT_HIT or URLSPOOL_EVENT_PROBLEM.
    pub detail: *const Detail,
}

/// A function in your program that urlspool calls for each event. Return 0 to continue the search, and any other value
/// to stop. Do not throw an exception, and do not call longjmp.
pub type Callback = Option<unsafe extern "C" fn(event: *const SearchEvent, context: *mut c_void) -> c_int>;

impl SearchEvent {
    const NONE: SearchEvent = SearchEvent {
        size: size_of::<SearchEvent>(),
        kind: 0,
        hit: ptr::null(),
        problem: ptr::null(),
        detail: ptr::null(),
    };

    pub(crate) fn hit(hit: &Hit) -> SearchEvent {
        SearchEvent { kind: URLSPOOL_EVENT_HIT, hit, ..SearchEvent::NONE }
    }

    pub(crate) fn problem(problem: &Problem) -> SearchEvent {
        SearchEvent { kind: URLSPOOL_EVENT_PROBLEM, problem, ..SearchEvent::NONE }
    }
}

/// An event that owns its data, so that another thread can pass it to the callback.
enum Owned {
    Found(Found),
    Problem(rust::Error),
    Detail(Facts),
}

/// The data of a [`Detail`].
#[derive(Default)]
struct Facts {
    kind: c_int,
    path: Option<Vec<u8>>,
    member: Option<Vec<u8>>,
    text: Option<Vec<u8>>,
    reason: Option<&'static str>,
    offset: u64,
    length: u64,
    message: u64,
}

impl Facts {
    fn of_file(kind: c_int, input: Option<&Input>, reason: &'static str) -> Facts {
        Facts {
            kind,
            path: input.map(|input| os_bytes(input.name().as_os_str())),
            member: input.and_then(Input::member).map(Into::into),
            reason: Some(reason),
            ..Facts::default()
        }
    }

    fn at(kind: c_int, at: &rust::Location<'_>, text: &[u8], reason: &'static str) -> Facts {
        Facts {
            text: Some(text.into()),
            offset: at.offset(),
            length: at.length(),
            message: at.message().unwrap_or_default(),
            ..Facts::of_file(kind, at.input(), reason)
        }
    }

    fn detail(&self) -> Detail {
        let (path, path_length) = pointer(self.path.as_deref());
        let (member, member_length) = pointer(self.member.as_deref());
        let (text, text_length) = pointer(self.text.as_deref());
        let (reason, reason_length) = pointer(self.reason.map(str::as_bytes));
        let (offset, length, message) = (self.offset, self.length, self.message);
        Detail {
            size: size_of::<Detail>(),
            path,
            path_length,
            member,
            member_length,
            text,
            text_length,
            reason,
            reason_length,
            offset,
            length,
            message,
        }
    }
}

fn os_bytes(name: &OsStr) -> Vec<u8> {
    name.as_encoded_bytes().into()
}

impl Owned {
    /// Copies an event. Returns `None` for an event that the C interface does not have.
    fn new(event: Event<'_>) -> Option<Owned> {
        Some(Owned::Detail(match event {
            Event::Hit(hit) => return Some(Owned::Found(Found::InMail(hit.to_owned()))),
            Event::Error(error) => return Some(Owned::Problem(error.clone())),
            Event::Reject(reject) => {
                Facts::at(URLSPOOL_EVENT_REJECT, reject, reject.text(), reject.reason().kind().as_str())
            }
            Event::Excluded { hit, option } => Facts::at(URLSPOOL_EVENT_EXCLUDED, hit, hit.url().as_bytes(), option),
            Event::Part(path) => {
                let numbers: Vec<_> = path.iter().map(u32::to_string).collect();
                Facts { kind: URLSPOOL_EVENT_PART, text: Some(numbers.join(".").into()), ..Facts::default() }
            }
            Event::Segment { file, segment } => Facts {
                length: segment.length(),
                ..Facts::of_file(URLSPOOL_EVENT_MESSAGE_END, file, segment.outcome())
            },
            Event::End(input) => Facts::of_file(URLSPOOL_EVENT_FILE_END, Some(input), input.format()),
            Event::Skipped { path, why } => Facts {
                path: Some(os_bytes(path.as_os_str())),
                ..Facts::of_file(URLSPOOL_EVENT_SKIPPED, None, why.as_str())
            },
            Event::Diagnostic { file, diagnostic } => Facts {
                text: Some(diagnostic.kind().about().into()),
                offset: diagnostic.offset(),
                ..Facts::of_file(URLSPOOL_EVENT_DIAGNOSTIC, file, diagnostic.kind().as_str())
            },
            _ => return None,
        }))
    }
}

/// The callback that the caller passed to a function, and the context that it gets.
pub(crate) struct Receiver {
    pub(crate) callback: unsafe extern "C" fn(*const SearchEvent, *mut c_void) -> c_int,
    pub(crate) context: *mut c_void,
    /// The result of the search, if the callback does not stop it.
    result: c_int,
}

impl Sink for Receiver {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        Owned::new(event).map_or(ControlFlow::Continue(()), |event| self.owned(&event))
    }
}

impl Receiver {
    pub(crate) fn new(
        callback: unsafe extern "C" fn(*const SearchEvent, *mut c_void) -> c_int,
        context: *mut c_void,
    ) -> Receiver {
        Receiver { callback, context, result: URLSPOOL_DONE }
    }

    pub(crate) fn hit(&self, found: &Found) -> ControlFlow<()> {
        self.call(&SearchEvent::hit(&Hit::new(found, &Derived::new(found))))
    }

    fn owned(&mut self, event: &Owned) -> ControlFlow<()> {
        match event {
            Owned::Found(found) => self.hit(found),
            Owned::Problem(error) => {
                self.result = URLSPOOL_INCOMPLETE;
                self.call(&SearchEvent::problem(&Problem::new(error, &error.to_string())))
            }
            Owned::Detail(facts) => {
                self.call(&SearchEvent { kind: facts.kind, detail: &facts.detail(), ..SearchEvent::NONE })
            }
        }
    }

    /// Passes an event to the callback. The result 0 continues the search, and any other number stops it.
    fn call(&self, event: &SearchEvent) -> ControlFlow<()> {
        // SAFETY: the caller of the C function promised that `callback` can be called with `context`. `event` is a
        // reference, and what it points to lives until the end of the statement that calls this function.
        let returned = unsafe { (self.callback)(event, self.context) };
        if returned == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Returns the result of a search that ended with `flow`.
    pub(crate) fn result(&self, flow: ControlFlow<()>) -> c_int {
        if flow.is_break() { URLSPOOL_STOPPED } else { self.result }
    }

    /// Searches a stream, and passes all events to the callback.
    pub(crate) fn stream(mut self, hits: Hits<impl Read>) -> c_int {
        let flow = hits.each(&mut self);
        self.result(flow)
    }

    /// Searches files in one thread or in several threads, and passes all events to the callback in this thread.
    pub(crate) fn paths(mut self, hits: Hits<FromPaths>, threads: usize) -> c_int {
        if threads == 1 {
            let flow = hits.each(&mut self);
            return self.result(flow);
        }
        let (send, receive) = sync_channel(1);
        // `drop` closes the channel, and so ends the loop below.
        let search = thread::spawn(|| drop(hits.parallel(Send(send))));
        let flow = receive.iter().flatten().try_for_each(|event| self.owned(&event));
        // A search that the callback stopped ends when it sends its next events.
        drop(receive);
        if flow.is_continue() {
            search.join().unwrap_or_else(|why| resume_unwind(why));
        }
        self.result(flow)
    }
}

/// Sends the events of worker threads to the thread of the caller.
struct Send(SyncSender<Vec<Owned>>);

#[derive(Default)]
struct Batch(Vec<Owned>);

impl Sink for Batch {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        self.0.extend(Owned::new(event));
        ControlFlow::Continue(())
    }
}

impl Collect for Send {
    type Local = Batch;

    fn new_local(&self) -> Batch {
        Batch::default()
    }

    fn is_full(local: &Batch) -> bool {
        local.0.len() >= 256
    }

    fn collect(&mut self, local: &mut Batch) -> ControlFlow<()> {
        match self.0.send(std::mem::take(&mut local.0)) {
            Ok(()) => ControlFlow::Continue(()),
            // The callback stopped the search.
            Err(_) => ControlFlow::Break(()),
        }
    }
}
