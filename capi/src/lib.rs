//! The C interface of `urlspool`. No other part of the project has unsafe code.
//!
//! Each function checks its arguments for NULL and for invalid values, calls the library, and catches panics. cbindgen
//! generates `include/urlspool.h` from these files. `README.md` is the reference of the interface.
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(test)]
mod call_tests;
mod event;
mod hit;
mod linkify;
mod mailbox;
mod search;
mod url;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use rust::{Extractor, InvalidValue};

pub use self::event::*;
pub use self::hit::*;
pub use self::linkify::*;
pub use self::mailbox::*;
pub use self::search::*;
pub use self::url::*;

/// A result: all input was read and all URLs were reported.
pub const URLSPOOL_DONE: c_int = 0;
/// A result: a callback stopped the search.
pub const URLSPOOL_STOPPED: c_int = 1;
/// A result: some input could not be opened, or could not be read to its end. All other input was read.
pub const URLSPOOL_INCOMPLETE: c_int = 2;
/// A result: a required pointer is NULL. Nothing was read.
pub const URLSPOOL_NULL: c_int = -1;
/// A result: a bug in urlspool ended the search. The URLs that were already reported are valid. Please report the bug.
pub const URLSPOOL_PANIC: c_int = -2;
/// A result: an option is invalid. Nothing was read.
pub const URLSPOOL_INVALID: c_int = -3;

/// A searcher with its options. Programs use it only through a pointer.
pub struct Urlspool {
    extractor: Extractor,
    /// The value of the option `threads`.
    threads: usize,
    /// The message of the last error of urlspool_option_set.
    wrong: Option<CString>,
}

// The comment at the top of `urlspool.h` promises that several threads can use one searcher. The compiler checks this
// promise here.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Urlspool>();
};

/// Returns the version, such as `0.1.0`. The string ends with a NUL. Do not free the string.
#[unsafe(no_mangle)]
pub extern "C" fn urlspool_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version holds no NUL"),
    };
    VERSION.as_ptr()
}

/// Returns a searcher with default options. It starts no threads. Free the searcher with urlspool_free. Returns NULL
/// only after a bug in urlspool.
#[unsafe(no_mangle)]
pub extern "C" fn urlspool_new() -> *mut Urlspool {
    let new = || Urlspool { extractor: Extractor::new().threads(1), threads: 1, wrong: None };
    catch_unwind(new).map_or(ptr::null_mut(), |searcher| Box::into_raw(Box::new(searcher)))
}

/// Sets an option: urlspool_option_set(searcher, "host", "example.org"). Both strings end with a NUL. README.md lists
/// the names and the values. A flag has the value "true" or "false". Returns URLSPOOL_DONE, or URLSPOOL_INVALID if the
/// name or the value is wrong. Set the options before a search begins, not in a callback of one.
///
/// # Safety
///
/// `searcher` was returned by urlspool_new, and nothing else uses it during the call: no other thread, and no search that
/// waits for a callback. `name` and `value` are NULL or point to strings that end with a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_option_set(
    searcher: *mut Urlspool,
    name: *const c_char,
    value: *const c_char,
) -> c_int {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher that no other thread uses.
    let searcher = unsafe { searcher.as_mut() };
    let Some(searcher) = searcher.filter(|_| !name.is_null() && !value.is_null()) else { return URLSPOOL_NULL };
    // SAFETY: the caller promised that `name` and `value` point to strings, and they are not NULL.
    let [name, value] = [name, value].map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy());
    guarded(|| match searcher.extractor.clone().set(&name, &value) {
        Ok(extractor) => {
            (searcher.extractor, searcher.wrong) = (extractor, None);
            if name == "threads" {
                searcher.threads = value.parse().unwrap_or(0);
            }
            URLSPOOL_DONE
        }
        Err(why) => {
            searcher.wrong = Some(message(&why));
            URLSPOOL_INVALID
        }
    })
}

/// Converts an error to a string of C. A value of C has no NUL, so neither has the message.
fn message(why: &InvalidValue) -> CString {
    CString::new(why.to_string()).unwrap_or_default()
}

/// Returns what is wrong with the last name or value that urlspool_option_set refused, and what to write instead. The
/// string ends with a NUL, and is valid until the next call of urlspool_option_set or urlspool_free. Returns NULL if
/// the last call succeeded.
///
/// # Safety
///
/// `searcher` is NULL, or was returned by urlspool_new and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_option_error(searcher: *const Urlspool) -> *const c_char {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() };
    searcher.and_then(|searcher| searcher.wrong.as_deref()).map_or(ptr::null(), CStr::as_ptr)
}

/// Frees a searcher. Call this function once for each searcher, after all threads have finished using it, and not in a
/// callback. Does nothing if `searcher` is NULL.
///
/// # Safety
///
/// `searcher` is NULL, or was returned by urlspool_new and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_free(searcher: *mut Urlspool) {
    if !searcher.is_null() {
        // SAFETY: `urlspool_new` made the pointer from a `Box`, and the caller promised to free it once.
        drop(unsafe { Box::from_raw(searcher) });
    }
}

/// Calls `callback` for each URL of a message in memory, and for each other event. The message consists of headers, a
/// blank line and the body.
/// All encodings are decoded. The URLs are reported in the order of their positions in the message. In an HTML part,
/// however, a URL in an attribute can be reported before a URL in earlier text. `message` may be NULL if `length` is 0.
/// A message of 4 GiB or more is searched as plain text. Returns URLSPOOL_DONE, URLSPOOL_STOPPED or a negative result.
/// Time and memory are proportional to the length.
///
/// # Safety
///
/// `searcher` was returned by urlspool_new. `message` points to `length` bytes, which do not change during the call.
/// `callback` is NULL or a function that can be called with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_message(
    searcher: *const Urlspool,
    message: *const u8,
    length: usize,
    callback: Callback,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the caller promised the same for these arguments.
    let given = unsafe { searcher_and_bytes(searcher, message, length) };
    reported(given, callback, context, |searcher, message, receiver| searcher.extractor.message_into(message, receiver))
}

/// Calls `callback` for each URL of a text, in the order of the positions in the text. The text must be decoded,
/// because urlspool_text does not interpret headers, MIME or HTML. Of the options, only
/// `join` and `hyphen` have an effect. Arguments and results are the same as for
/// urlspool_message.
///
/// # Safety
///
/// The arguments must satisfy the same conditions as those of urlspool_message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_text(
    searcher: *const Urlspool,
    text: *const u8,
    length: usize,
    callback: Callback,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the caller promised the same for these arguments.
    let given = unsafe { searcher_and_bytes(searcher, text, length) };
    reported(given, callback, context, |searcher, text, receiver| {
        searcher.in_text(text).try_for_each(|found| receiver.hit(&found))
    })
}

/// Calls `search` with the arguments of a call and a receiver for its callback. Returns the result of the call.
fn reported(
    given: Result<(&Urlspool, &[u8]), c_int>,
    callback: Callback,
    context: *mut c_void,
    search: impl FnOnce(&Urlspool, &[u8], &mut Receiver) -> ControlFlow<()>,
) -> c_int {
    let Some(callback) = callback else { return URLSPOOL_NULL };
    match given {
        Ok((searcher, text)) => guarded(|| {
            let mut receiver = Receiver::new(callback, context);
            let flow = search(searcher, text, &mut receiver);
            receiver.result(flow)
        }),
        Err(result) => result,
    }
}

impl Urlspool {
    /// Returns the URLs of decoded text.
    fn in_text<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = Found> + use<'_, 't> {
        let (mut line, mut counted) = (1, 0);
        self.extractor.scanner().find_iter(text).filter_map(move |candidate| {
            let url = candidate.parse().ok()?;
            let start = candidate.span().start;
            line += text[counted..start].iter().filter(|&&byte| byte == b'\n').count() as u64;
            counted = start;
            Some(Found::InText(Box::new(InText::new(&candidate, url, line))))
        })
    }
}

/// Returns the searcher, and the bytes at `pointer`.
///
/// # Errors
///
/// Returns [`URLSPOOL_NULL`] if `searcher` is NULL, and the errors of [`bytes`].
///
/// # Safety
///
/// `searcher` is NULL or points to a searcher that lives for `'b`. If `pointer` is not NULL, it points to `length` bytes,
/// which do not change during `'b`.
unsafe fn searcher_and_bytes<'b>(
    searcher: *const Urlspool,
    pointer: *const u8,
    length: usize,
) -> Result<(&'b Urlspool, &'b [u8]), c_int> {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() }.ok_or(URLSPOOL_NULL)?;
    // SAFETY: the caller promised that `pointer` is NULL or points to `length` bytes.
    Ok((searcher, unsafe { bytes(pointer, length) }?))
}

/// Returns the bytes at `pointer`.
///
/// # Errors
///
/// Returns [`URLSPOOL_NULL`] if `pointer` is NULL and `length` is not 0. Returns [`URLSPOOL_INVALID`] if `length` is
/// larger than `isize::MAX`, such as the -1 of a failed read.
///
/// # Safety
///
/// If `pointer` is not NULL, it points to `length` bytes, which do not change during `'b`.
unsafe fn bytes<'b>(pointer: *const u8, length: usize) -> Result<&'b [u8], c_int> {
    match (pointer.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(URLSPOOL_NULL),
        (false, _) if isize::try_from(length).is_err() => Err(URLSPOOL_INVALID),
        // SAFETY: the caller promised that `pointer` points to `length` bytes, which do not change.
        (false, _) => Ok(unsafe { slice::from_raw_parts(pointer, length) }),
    }
}

/// Returns the pointer and the length of a slice, for a struct of C. For `None`, returns NULL and 0.
fn pointer<T>(items: Option<&[T]>) -> (*const T, usize) {
    items.map_or((ptr::null(), 0), |items| (items.as_ptr(), items.len()))
}

/// Converts a range to the struct `urlspool_span`.
fn span(range: Range<u64>) -> Span {
    Span { offset: range.start, length: range.end - range.start }
}

/// Returns the result of `work`, or [`URLSPOOL_PANIC`] if `work` panics.
fn guarded(work: impl FnOnce() -> c_int) -> c_int {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(URLSPOOL_PANIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_does_not_cross_the_c_interface() {
        assert_eq!(guarded(|| panic!("for a test")), URLSPOOL_PANIC);
        assert_eq!(guarded(|| URLSPOOL_STOPPED), URLSPOOL_STOPPED);
    }
}
