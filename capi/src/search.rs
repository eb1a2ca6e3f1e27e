//! Searches that return one result for each call, for languages whose functions must not be callbacks.

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crate::mailbox::{Settings, all_paths};
use crate::{
    Derived, Found, Hit, Options, Problem, URLSPOOL_DONE, URLSPOOL_INCOMPLETE, URLSPOOL_INVALID, URLSPOOL_NULL,
    URLSPOOL_PANIC, Urlspool, bytes,
};

/// A result of urlspool_search_next: there is a URL or a problem, and the search can continue.
pub const URLSPOOL_FOUND: c_int = 3;

/// A search in progress. A program only gets a pointer to a search.
pub struct Search {
    items: Box<dyn Iterator<Item = Result<Found, rust::Error>>>,
    /// The result at the end of the search.
    result: c_int,
    /// The last item. `hit` points into `found` and `derived`, and `problem` points into `error` and `text`.
    found: Option<Found>,
    derived: Derived,
    hit: Option<Hit>,
    error: Option<rust::Error>,
    text: String,
    problem: Option<Problem>,
}

/// Starts a search for the URLs of one message in memory. The message may change after the call. `message` may be NULL
/// if `length` is 0. urlspool_search_next returns the same URLs as urlspool_message, in the same order. Never returns
/// NULL: urlspool_search_next returns the errors. Free the search with urlspool_search_free. The searcher may be freed
/// before the search.
///
/// # Safety
///
/// `searcher` was returned by urlspool_new. `message` points to `length` bytes, which do not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_search_message(
    searcher: *const Urlspool,
    message: *const u8,
    length: usize,
) -> *mut Search {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() };
    // SAFETY: the caller guarantees the conditions that the called function requires.
    let message = unsafe { bytes(message, length) };
    let (Some(searcher), Some(message)) = (searcher, message) else { return Search::failed(URLSPOOL_NULL) };
    Search::started(|| {
        let hits = searcher.extractor.message(message);
        hits.into_iter().map(|hit| Ok(Found::InMail(Box::new(hit))))
    })
}

/// Starts a search for the URLs of decoded text. urlspool_search_next returns the same URLs as urlspool_text, in the
/// same order. In all other respects, this function is the same as urlspool_search_message.
///
/// # Safety
///
/// The arguments must satisfy the same conditions as those of urlspool_search_message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_search_text(
    searcher: *const Urlspool,
    text: *const u8,
    length: usize,
) -> *mut Search {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() };
    // SAFETY: the caller guarantees the conditions that the called function requires.
    let text = unsafe { bytes(text, length) };
    let (Some(searcher), Some(text)) = (searcher, text) else { return Search::failed(URLSPOOL_NULL) };
    Search::started(|| searcher.in_text(text).map(Ok).collect::<Vec<_>>().into_iter())
}

/// Starts a search of files, directories and standard input (`-`). The arguments are the same as for urlspool_paths,
/// and may change after the call. urlspool_search_next returns the same URLs as urlspool_paths, in the same order. In
/// all other respects, this function is the same as urlspool_search_message. Files are read only as far as
/// urlspool_search_next needs. With the option `threads`, other threads read ahead.
///
/// # Safety
///
/// `searcher`, `paths` and `options` must satisfy the same conditions as those of urlspool_paths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_search_paths(
    searcher: *const Urlspool,
    paths: *const *const c_char,
    length: usize,
    options: *const Options,
) -> *mut Search {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() };
    // SAFETY: the caller guarantees the conditions that the called function requires.
    let paths = unsafe { all_paths(paths, length) };
    let (Some(searcher), Some(paths)) = (searcher, paths) else { return Search::failed(URLSPOOL_NULL) };
    // SAFETY: the caller guarantees the conditions that the called function requires.
    let settings = unsafe { Settings::new(options) };
    let (Some(settings), Some(paths)) = (settings, paths) else { return Search::failed(URLSPOOL_INVALID) };
    Search::started(|| settings.paths(searcher, paths).map(|item| item.map(|hit| Found::InMail(Box::new(hit)))))
}

/// Continues a search up to the next URL or problem. Sets either `*hit` or `*problem`, sets the other to NULL, and
/// returns URLSPOOL_FOUND. The URL or problem is valid until the next call with the same search. At the end, sets both
/// pointers to NULL, and returns URLSPOOL_DONE, URLSPOOL_INCOMPLETE or a negative result. Every later call returns the
/// same result. `hit` and `problem` may be NULL. Only one thread at a time may use a search.
///
/// # Safety
///
/// `search` was returned by a function of this interface and is not freed yet. No other thread uses the search. `hit`
/// and `problem` are NULL or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_search_next(
    search: *mut Search,
    hit: *mut *const Hit,
    problem: *mut *const Problem,
) -> c_int {
    // SAFETY: the caller promised that `search` is NULL, or points to a search that nothing else uses.
    let search = unsafe { search.as_mut() };
    let (result, found, failed) = match search {
        Some(search) => (search.next(), pointer_to(search.hit.as_ref()), pointer_to(search.problem.as_ref())),
        None => (URLSPOOL_NULL, ptr::null(), ptr::null()),
    };
    if !hit.is_null() {
        // SAFETY: `hit` is not NULL, so the caller promised that it points to a pointer.
        unsafe { hit.write(found) };
    }
    if !problem.is_null() {
        // SAFETY: `problem` is not NULL, so the caller promised that it points to a pointer.
        unsafe { problem.write(failed) };
    }
    result
}

/// Frees a search. The search may be unfinished: threads that read ahead then end after their current batches. Call
/// this function once for each search. Does nothing with NULL.
///
/// # Safety
///
/// `search` is NULL, or was returned by a function of this interface and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_search_free(search: *mut Search) {
    if !search.is_null() {
        // SAFETY: `Search::new` made the pointer from a box, and the caller frees it once.
        let search = unsafe { Box::from_raw(search) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(search)));
    }
}

fn pointer_to<T>(item: Option<&T>) -> *const T {
    item.map_or(ptr::null(), ptr::from_ref)
}

impl Search {
    fn new(items: Box<dyn Iterator<Item = Result<Found, rust::Error>>>, result: c_int) -> *mut Search {
        Box::into_raw(Box::new(Search {
            items,
            result,
            found: None,
            derived: Derived::default(),
            hit: None,
            error: None,
            text: String::new(),
            problem: None,
        }))
    }

    fn failed(result: c_int) -> *mut Search {
        Search::new(Box::new(std::iter::empty()), result)
    }

    fn started<I>(start: impl FnOnce() -> I) -> *mut Search
    where
        I: Iterator<Item = Result<Found, rust::Error>> + 'static,
    {
        match catch_unwind(AssertUnwindSafe(start)) {
            Ok(items) => Search::new(Box::new(items), URLSPOOL_DONE),
            Err(_) => Search::failed(URLSPOOL_PANIC),
        }
    }

    fn next(&mut self) -> c_int {
        // The structs point into the data, so they are removed before the data.
        (self.hit, self.problem) = (None, None);
        let next = catch_unwind(AssertUnwindSafe(|| self.items.next()));
        match next {
            Ok(Some(Ok(found))) => {
                // A pointer into the data is made only after the data is at its final address.
                let found = self.found.insert(found);
                self.derived = Derived::new(found);
                self.hit = Some(Hit::new(found, &self.derived));
                URLSPOOL_FOUND
            }
            Ok(Some(Err(error))) => {
                self.result = URLSPOOL_INCOMPLETE;
                self.text = error.to_string();
                self.problem = Some(Problem::new(self.error.insert(error), &self.text));
                URLSPOOL_FOUND
            }
            Ok(None) => {
                self.items = Box::new(std::iter::empty());
                self.result
            }
            Err(_) => {
                // The iterator may be in any state, so it is not used again and not dropped.
                std::mem::forget(std::mem::replace(&mut self.items, Box::new(std::iter::empty())));
                self.result = URLSPOOL_PANIC;
                URLSPOOL_PANIC
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_search() {
        let search = Search::new(Box::new(std::iter::from_fn(|| panic!("for a test"))), URLSPOOL_DONE);
        for _ in 0..2 {
            // SAFETY: the search is not freed yet, and NULL is allowed.
            let result = unsafe { urlspool_search_next(search, ptr::null_mut(), ptr::null_mut()) };
            assert_eq!(result, URLSPOOL_PANIC);
        }
        // SAFETY: the search is freed once.
        unsafe { urlspool_search_free(search) };
    }
}
