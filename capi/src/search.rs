//! Searches that return one URL for each call. They are for languages in which a callback is difficult to write.

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crate::mailbox::all_paths;
use crate::{
    Derived, Found, Hit, Problem, SearchEvent, URLSPOOL_DONE, URLSPOOL_INCOMPLETE, URLSPOOL_NULL, URLSPOOL_PANIC,
    Urlspool, searcher_and_bytes,
};

/// A result of urlspool_search_next: `*event` is set, and the search can continue.
pub const URLSPOOL_FOUND: c_int = 3;

/// A search in progress. Programs use it only through a pointer.
pub struct Search {
    items: Box<dyn Iterator<Item = Result<Found, rust::Error>>>,
    /// The result that urlspool_search_next returns at the end of the search.
    result: c_int,
    /// The data of the URL or the problem that was returned last. The struct `hit` points into `found` and `derived`,
    /// the struct `problem` points into `error` and `text`, and `event` points to `hit` or `problem`.
    found: Option<Found>,
    derived: Derived,
    hit: Option<Hit>,
    error: Option<rust::Error>,
    text: String,
    problem: Option<Problem>,
    event: Option<SearchEvent>,
}

/// Starts a search for the URLs of one message in memory. You may change or free the message after the call. `message`
/// may be NULL if `length` is 0. Call urlspool_search_next to get the URLs: they are the same as those of
/// urlspool_message, in the same order. Never returns NULL: errors are returned by urlspool_search_next. Free the
/// search with urlspool_search_free. You may free the searcher before you free the search.
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
    // SAFETY: the caller promised the same for these arguments.
    let given = unsafe { searcher_and_bytes(searcher, message, length) };
    Search::started(given, |(searcher, message)| {
        searcher.extractor.message(message).into_iter().map(|hit| Ok(Found::InMail(hit)))
    })
}

/// Starts a search for the URLs of decoded text. The URLs are the same as those of urlspool_text, in the same order.
/// Otherwise, the function works like urlspool_search_message.
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
    // SAFETY: the caller promised the same for these arguments.
    let given = unsafe { searcher_and_bytes(searcher, text, length) };
    Search::started(given, |(searcher, text)| searcher.in_text(text).map(Ok).collect::<Vec<_>>().into_iter())
}

/// Starts a search of files, directories and standard input (`-`). `paths` has the same meaning as for
/// urlspool_paths, and may change after the call. The URLs are the same as those of urlspool_paths, in the same order.
/// Otherwise, the function works like urlspool_search_message. Files are read while urlspool_search_next runs, and only
/// as far as needed for the next URL. If the option `threads` is above 1, other threads read ahead.
///
/// # Safety
///
/// `searcher` and `paths` must satisfy the same conditions as those of urlspool_paths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_search_paths(
    searcher: *const Urlspool,
    paths: *const *const c_char,
    length: usize,
) -> *mut Search {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() };
    // SAFETY: the caller promised that `paths` is NULL or points to `length` strings.
    let paths = unsafe { all_paths(paths, length) };
    let given = searcher.ok_or(URLSPOOL_NULL).and_then(|searcher| Ok((searcher, paths?)));
    Search::started(given, |(searcher, paths)| searcher.extractor.paths(paths).map(|item| item.map(Found::InMail)))
}

/// Continues a search up to the next URL or problem, sets `*event`, and returns URLSPOOL_FOUND. The event is valid
/// until the next call with the same search. At the end of the search, sets `*event` to NULL, and returns
/// URLSPOOL_DONE, URLSPOOL_INCOMPLETE or a negative result. Every later call returns the same result. `event` may be
/// NULL. Only one thread at a time may use a search.
///
/// # Safety
///
/// `search` is NULL, or was returned by a function of this interface and is not freed yet. No other thread uses the
/// search during the call. `event` is NULL or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_search_next(search: *mut Search, event: *mut *const SearchEvent) -> c_int {
    // SAFETY: the caller promised that `search` is NULL, or points to a search that no other thread uses.
    let search = unsafe { search.as_mut() };
    let (result, next) = match search {
        Some(search) => (search.next(), search.event.as_ref().map_or(ptr::null(), ptr::from_ref)),
        None => (URLSPOOL_NULL, ptr::null()),
    };
    if !event.is_null() {
        // SAFETY: `event` is not NULL, so the caller promised that it points to a pointer.
        unsafe { event.write(next) };
    }
    result
}

/// Frees a search. You may free a search before its end. Threads that read ahead for the search stop after their
/// current batch of files. Call this function once for each search. Does nothing if `search` is NULL.
///
/// # Safety
///
/// `search` is NULL, or was returned by a function of this interface and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_search_free(search: *mut Search) {
    if !search.is_null() {
        // SAFETY: `Search::new` made the pointer from a `Box`, and the caller promised to free it once.
        let search = unsafe { Box::from_raw(search) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(search)));
    }
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
            event: None,
        }))
    }

    /// Starts a search with the arguments of a call.
    fn started<A, I>(given: Result<A, c_int>, start: impl FnOnce(A) -> I) -> *mut Search
    where
        I: Iterator<Item = Result<Found, rust::Error>> + 'static,
    {
        let start = |given| catch_unwind(AssertUnwindSafe(|| start(given))).map_err(|_| URLSPOOL_PANIC);
        match given.and_then(start) {
            Ok(items) => Search::new(Box::new(items), URLSPOOL_DONE),
            Err(result) => Search::new(Box::new(std::iter::empty()), result),
        }
    }

    fn next(&mut self) -> c_int {
        // `event`, `hit` and `problem` have pointers into other fields. So remove them before these fields change.
        (self.event, self.hit, self.problem) = (None, None, None);
        let next = catch_unwind(AssertUnwindSafe(|| self.items.next()));
        match next {
            Ok(Some(Ok(found))) => {
                // First move the data to its final address, and only then make pointers to it.
                let found = self.found.insert(found);
                self.derived = Derived::new(found);
                let hit = self.hit.insert(Hit::new(found, &self.derived));
                self.event = Some(SearchEvent::hit(hit));
                URLSPOOL_FOUND
            }
            Ok(Some(Err(error))) => {
                self.result = URLSPOOL_INCOMPLETE;
                self.text = error.to_string();
                let problem = self.problem.insert(Problem::new(self.error.insert(error), &self.text));
                self.event = Some(SearchEvent::problem(problem));
                URLSPOOL_FOUND
            }
            Ok(None) => {
                self.items = Box::new(std::iter::empty());
                self.result
            }
            Err(_) => {
                // After a panic, the iterator can be in an inconsistent state. Therefore, this function does not use
                // the iterator again, and does not even drop it.
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
            let result = unsafe { urlspool_search_next(search, ptr::null_mut()) };
            assert_eq!(result, URLSPOOL_PANIC);
        }
        // SAFETY: the search is freed once.
        unsafe { urlspool_search_free(search) };
    }
}
