//! Text as HTML with links.

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, sync::LazyLock};

use crate::{Urlspool, bytes};

/// Converts a text to HTML, with a link around each URL whose scheme is one of urlspool_linked. If a URL was broken over
/// lines, each piece is a link to the whole URL. The text must be decoded. Bytes that are not UTF-8, and bytes of value
/// 0, become U+FFFD. The result ends with a NUL. Free it with urlspool_linkify_free. Returns NULL if `searcher` is NULL,
/// or `text` is NULL and `length` is not 0, or after a bug in urlspool. To find the URLs of HTML, set the option `format`
/// to `html`, and use urlspool_message.
///
/// # Safety
///
/// `searcher` was returned by urlspool_new. `text` points to `length` bytes, which do not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_linkify(searcher: *const Urlspool, text: *const u8, length: usize) -> *mut c_char {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() };
    // SAFETY: the caller promised that `text` is NULL or points to `length` bytes.
    let text = unsafe { bytes(text, length) };
    let (Some(searcher), Ok(text)) = (searcher, text) else { return ptr::null_mut() };
    let linkify = || {
        let text = String::from_utf8_lossy(text).replace('\0', "\u{FFFD}");
        CString::new(rust::linkify(&searcher.extractor, &text)).map_or(ptr::null_mut(), CString::into_raw)
    };
    catch_unwind(AssertUnwindSafe(linkify)).unwrap_or(ptr::null_mut())
}

/// Frees a result of urlspool_linkify. Does nothing if `html` is NULL.
///
/// # Safety
///
/// `html` is NULL, or was returned by urlspool_linkify and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_linkify_free(html: *mut c_char) {
    if !html.is_null() {
        // SAFETY: `CString::into_raw` made the pointer, and the caller promised to free it once.
        drop(unsafe { CString::from_raw(html) });
    }
}

/// Returns the schemes whose URLs urlspool_linkify makes links from, with blanks between them. A click on a URL of
/// another scheme, such as `javascript:`, could run a program. The string ends with a NUL. Do not free the string.
#[unsafe(no_mangle)]
pub extern "C" fn urlspool_linked() -> *const c_char {
    static SCHEMES: LazyLock<CString> = LazyLock::new(|| CString::new(rust::LINKED.join(" ")).unwrap_or_default());
    let schemes: &'static CStr = &SCHEMES;
    schemes.as_ptr()
}
