//! The events of a search, and the callback that receives them.

use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;
use std::ptr;

use crate::{Derived, Found, Hit, Problem};

/// A kind of event: a URL was found.
pub const URLSPOOL_EVENT_HIT: c_int = 1;
/// A kind of event: some input could not be opened, or could not be read to its end. The search continues with the next
/// file.
pub const URLSPOOL_EVENT_PROBLEM: c_int = 2;

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
}

/// A function in your program that urlspool calls for each event. Return 0 to continue the search, and any other value
/// to stop. Do not throw an exception, and do not call longjmp.
pub type Callback = Option<unsafe extern "C" fn(event: *const SearchEvent, context: *mut c_void) -> c_int>;

impl SearchEvent {
    pub(crate) fn hit(hit: &Hit) -> SearchEvent {
        SearchEvent { size: size_of::<SearchEvent>(), kind: URLSPOOL_EVENT_HIT, hit, problem: ptr::null() }
    }

    pub(crate) fn problem(problem: &Problem) -> SearchEvent {
        SearchEvent { size: size_of::<SearchEvent>(), kind: URLSPOOL_EVENT_PROBLEM, hit: ptr::null(), problem }
    }
}

/// The callback that the caller passed to a function, and the context that it gets.
pub(crate) struct Receiver {
    pub(crate) callback: unsafe extern "C" fn(*const SearchEvent, *mut c_void) -> c_int,
    pub(crate) context: *mut c_void,
}

impl Receiver {
    pub(crate) fn hit(&self, found: &Found) -> ControlFlow<()> {
        self.event(&SearchEvent::hit(&Hit::new(found, &Derived::new(found))))
    }

    pub(crate) fn problem(&self, error: &rust::Error) -> ControlFlow<()> {
        self.event(&SearchEvent::problem(&Problem::new(error, &error.to_string())))
    }

    /// Passes an event to the callback. The result 0 continues the search, and any other number stops it.
    fn event(&self, event: &SearchEvent) -> ControlFlow<()> {
        // SAFETY: the caller of the C function promised that `callback` can be called with `context`. `event` is a
        // reference, and what it points to lives until the end of the statement that calls this function.
        let returned = unsafe { (self.callback)(event, self.context) };
        if returned == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
