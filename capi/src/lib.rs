//! The C interface of `urlspool`, and the only unsafe code of the project.
//!
//! Each function checks what it is given as far as it can be checked, hands slices on to the library, and lets no panic
//! through. `include/urlspool.h` is written from this file by cbindgen.
#![deny(unsafe_op_in_unsafe_fn)]

use std::ffi::{c_char, c_int, c_void};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use rust::{Extractor, Form, HeaderScan, Hyphen, Rejoin, Scanner, Tier, Url, sink};

/// Of urlspool_new: header fields are not looked at.
pub const URLSPOOL_NO_HEADERS: u32 = 1;
/// Of urlspool_new: nothing but header fields is looked at.
pub const URLSPOOL_ONLY_HEADERS: u32 = 2;
/// Of urlspool_new: HTML parts are not looked at.
pub const URLSPOOL_NO_HTML: u32 = 4;
/// Of urlspool_new: a URL without brackets ends with its line.
pub const URLSPOOL_NO_REJOIN: u32 = 8;
/// Of urlspool_new: a hyphen at a line's end inside a URL is a typesetter's.
pub const URLSPOOL_DROP_HYPHEN: u32 = 16;

/// What urlspool_message and urlspool_text give: all was told.
pub const URLSPOOL_DONE: c_int = 0;
/// The callback ended it.
pub const URLSPOOL_STOPPED: c_int = 1;
/// A pointer was NULL that must not be.
pub const URLSPOOL_NULL: c_int = -1;
/// An error in urlspool itself; what was told before counts. Please report it.
pub const URLSPOOL_PANIC: c_int = -2;

/// In urlspool_hit: `<URL:...>`.
pub const URLSPOOL_FORM_WRAPPED: c_int = 0;
/// In urlspool_hit: `<scheme:...>`.
pub const URLSPOOL_FORM_ANGLE: c_int = 1;
/// In urlspool_hit: with nothing around it.
pub const URLSPOOL_FORM_BARE: c_int = 2;
/// In urlspool_hit: `URL:...` without brackets.
pub const URLSPOOL_FORM_PREFIXED: c_int = 3;
/// In urlspool_hit: in an HTML attribute.
pub const URLSPOOL_FORM_HREF: c_int = 4;
/// In urlspool_hit: a form that was added after this header was written.
pub const URLSPOOL_FORM_OTHER: c_int = -1;

/// In urlspool_hit: the URL is one by RFC 1738, section 5.
pub const URLSPOOL_TIER_RFC1738: c_int = 0;
/// In urlspool_hit: it would be, were its unsafe characters encoded.
pub const URLSPOOL_TIER_RELAXED: c_int = 1;
/// In urlspool_hit: it is one by RFC 3986.
pub const URLSPOOL_TIER_RFC3986: c_int = 2;
/// In urlspool_hit: it is one by RFC 3987.
pub const URLSPOOL_TIER_IRI: c_int = 3;

/// A searcher; only pointers to it are handed out.
pub struct Urlspool {
    extractor: Extractor,
    scanner: Scanner,
}

// The header promises that several threads may use one searcher.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Urlspool>();
};

/// Some bytes of the input.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The offset of the first one, from 0.
    pub offset: u64,
    /// How many there are.
    pub length: u64,
}

/// A URL. It and all that it points to is gone when the callback returns. Later versions may add fields at its end.
#[repr(C)]
#[derive(Debug)]
pub struct Hit {
    /// The URL as written, put together if it was broken; with its fragment. Not NULL.
    pub url: *const u8,
    /// How many bytes that is.
    pub url_length: usize,
    /// Its scheme, as written. Not NULL. Links are best made of known ones only: `javascript:` is one, too.
    pub scheme: *const u8,
    /// How many bytes that is.
    pub scheme_length: usize,
    /// Its host; NULL if it has none.
    pub host: *const u8,
    /// How many bytes that is.
    pub host_length: usize,
    /// From its first to its last byte in the input, with line breaks and encodings between; if it is not exact, the
    /// part of the message that it stands in.
    pub offset: u64,
    /// How many bytes of the input that is.
    pub length: u64,
    /// Whether offset and length are those of the URL itself.
    pub exact: bool,
    /// The pieces of the input that make up the URL, in order: for urlspool_text. For urlspool_message the one piece is
    /// that of offset and length. Not NULL.
    pub pieces: *const Span,
    /// How many there are: 1 or more.
    pub pieces_length: usize,
    /// The name of the header field that it stands in; NULL if in none.
    pub header: *const u8,
    /// How many bytes that is.
    pub header_length: usize,
    /// One of URLSPOOL_FORM_...
    pub form: c_int,
    /// One of URLSPOOL_TIER_...
    pub tier: c_int,
    /// How many quote marks its line begins with.
    pub quote_depth: usize,
    /// How likely a URL that was rejoined without brackets around it is the one that was meant, in percent; 0 for every other
    /// URL.
    pub confidence: c_int,
}

/// Takes a URL, and gives 0 to go on, anything else to stop. It must neither throw nor jump out.
pub type Callback = Option<unsafe extern "C" fn(hit: *const Hit, context: *mut c_void) -> c_int>;

/// The version, as `0.1.0`. Ends with a NUL, and is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn urlspool_version() -> *const c_char {
    const VERSION: &std::ffi::CStr =
        match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version holds no NUL"),
        };
    VERSION.as_ptr()
}

/// A searcher; `flags` is 0, or some of URLSPOOL_NO_HEADERS and so on, added. NULL if there is no such flag, or two of
/// them contradict each other. To be freed with urlspool_free.
#[unsafe(no_mangle)]
pub extern "C" fn urlspool_new(flags: u32) -> *mut Urlspool {
    const ALL: u32 =
        URLSPOOL_NO_HEADERS | URLSPOOL_ONLY_HEADERS | URLSPOOL_NO_HTML | URLSPOOL_NO_REJOIN | URLSPOOL_DROP_HYPHEN;
    let has = |flag| flags & flag != 0;
    let headers = match (has(URLSPOOL_NO_HEADERS), has(URLSPOOL_ONLY_HEADERS)) {
        (false, false) => HeaderScan::Include,
        (true, false) => HeaderScan::Exclude,
        (false, true) => HeaderScan::Only,
        (true, true) => return ptr::null_mut(),
    };
    if flags & !ALL != 0 {
        return ptr::null_mut();
    }
    let rejoin = if has(URLSPOOL_NO_REJOIN) { Rejoin::Never } else { Rejoin::Likely };
    let hyphen = if has(URLSPOOL_DROP_HYPHEN) { Hyphen::Drop } else { Hyphen::Keep };
    let html = !has(URLSPOOL_NO_HTML);
    let new = || Urlspool {
        extractor: Extractor::new().headers(headers).html(html).rejoin(rejoin).hyphen(hyphen),
        scanner: Scanner::new().rejoin(rejoin).hyphen(hyphen),
    };
    catch_unwind(new).map_or(ptr::null_mut(), |searcher| Box::into_raw(Box::new(searcher)))
}

/// Frees a searcher, once, when no thread uses it any more; NULL is nothing to free.
///
/// # Safety
///
/// `searcher` is NULL, or was given by urlspool_new and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_free(searcher: *mut Urlspool) {
    if !searcher.is_null() {
        // SAFETY: it came out of a box in `urlspool_new`, and the caller frees it once.
        drop(unsafe { Box::from_raw(searcher) });
    }
}

/// Tells of the URLs of one message: headers, a blank line, the body, with all encodings undone. In the order of their
/// place, but those in the attributes of an HTML text come before those between its tags. `message` may be NULL if
/// `length` is 0; above 4 GiB it is read as text. Gives URLSPOOL_DONE and so on. Takes time and memory in
/// proportion to the message.
///
/// # Safety
///
/// `searcher` came from urlspool_new, `message` points to `length` bytes that nobody changes meanwhile, and
/// `callback` can be called with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_message(
    searcher: *const Urlspool,
    message: *const u8,
    length: usize,
    callback: Callback,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise is that of this function.
    let given = unsafe { Given::new(searcher, message, length, callback, context) };
    given.map_or(URLSPOOL_NULL, |given| guarded(|| message_of(given)))
}

/// Tells of the URLs of a text that is decoded already: no headers, no MIME, no HTML; in the order of their place. The rest
/// is as with urlspool_message.
///
/// # Safety
///
/// As with urlspool_message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_text(
    searcher: *const Urlspool,
    text: *const u8,
    length: usize,
    callback: Callback,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise is that of this function.
    let given = unsafe { Given::new(searcher, text, length, callback, context) };
    given.map_or(URLSPOOL_NULL, |given| guarded(|| text_of(given)))
}

/// What one call was given, as far as it can be checked.
#[derive(Clone, Copy)]
struct Given<'g> {
    searcher: &'g Urlspool,
    bytes: &'g [u8],
    callback: unsafe extern "C" fn(*const Hit, *mut c_void) -> c_int,
    context: *mut c_void,
}

impl<'g> Given<'g> {
    /// `None` if something is NULL.
    ///
    /// # Safety
    ///
    /// What is not NULL is what urlspool_message asks for, for as long as `'g`.
    unsafe fn new(
        searcher: *const Urlspool,
        bytes: *const u8,
        length: usize,
        callback: Callback,
        context: *mut c_void,
    ) -> Option<Given<'g>> {
        // SAFETY: it is NULL or a searcher, and nobody changes one.
        let searcher = unsafe { searcher.as_ref() }?;
        let bytes = match (bytes.is_null(), length) {
            (_, 0) => &[],
            (true, _) => return None,
            // SAFETY: there are so many bytes, and nobody changes them.
            (false, _) => unsafe { slice::from_raw_parts(bytes, length) },
        };
        Some(Given { searcher, bytes, callback: callback?, context })
    }

    /// Calls back; what `hit` points to lives so long.
    fn tell(&self, hit: &Hit) -> ControlFlow<()> {
        // SAFETY: the caller's promise; the pointer is to a hit that outlives the call.
        match unsafe { (self.callback)(hit, self.context) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// What comes of `work`; a panic ends here.
fn guarded(work: impl FnOnce() -> ControlFlow<()>) -> c_int {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(ControlFlow::Continue(())) => URLSPOOL_DONE,
        Ok(ControlFlow::Break(())) => URLSPOOL_STOPPED,
        Err(_) => URLSPOOL_PANIC,
    }
}

fn message_of(given: Given<'_>) -> ControlFlow<()> {
    let mut teller = sink::from_fn(|hit| {
        let origin = hit.origin();
        let place = Span { offset: origin.offset(), length: origin.length() };
        let about = About {
            form: hit.form(),
            quote_depth: hit.quote_depth(),
            confidence: hit.confidence(),
            header: origin.header(),
        };
        given.tell(&about.hit(hit.url(), place, origin.is_exact(), &[place]))
    });
    given.searcher.extractor.message_into(given.bytes, &mut teller)
}

fn text_of(given: Given<'_>) -> ControlFlow<()> {
    let mut pieces = Vec::new();
    given.searcher.scanner.find_iter(given.bytes).try_for_each(|candidate| {
        let Ok(url) = candidate.parse() else { return ControlFlow::Continue(()) };
        let span = |range: std::ops::Range<usize>| Span { offset: range.start as u64, length: range.len() as u64 };
        pieces.clear();
        pieces.extend(candidate.pieces().map(span));
        let about = About {
            form: candidate.form(),
            quote_depth: candidate.quote_depth(),
            confidence: candidate.confidence(),
            header: None,
        };
        given.tell(&about.hit(&url, span(candidate.span()), true, &pieces))
    })
}

/// What a hit has besides its URL and its place.
struct About<'a> {
    form: Form,
    quote_depth: usize,
    confidence: Option<u8>,
    header: Option<&'a [u8]>,
}

impl About<'_> {
    /// A hit that points into all of these.
    fn hit(&self, url: &Url<'_>, place: Span, exact: bool, pieces: &[Span]) -> Hit {
        let pointer = |bytes: Option<&[u8]>| bytes.map_or((ptr::null(), 0), |bytes| (bytes.as_ptr(), bytes.len()));
        let (scheme, scheme_length) = pointer(Some(url.scheme().as_bytes()));
        let (host, host_length) = pointer(url.host().map(str::as_bytes));
        let (header, header_length) = pointer(self.header);
        let (url_text, url_length) = pointer(Some(url.as_bytes()));
        Hit {
            url: url_text,
            url_length,
            scheme,
            scheme_length,
            host,
            host_length,
            offset: place.offset,
            length: place.length,
            exact,
            pieces: pieces.as_ptr(),
            pieces_length: pieces.len(),
            header,
            header_length,
            form: match self.form {
                Form::Wrapped => URLSPOOL_FORM_WRAPPED,
                Form::Angle => URLSPOOL_FORM_ANGLE,
                Form::Bare => URLSPOOL_FORM_BARE,
                Form::Prefixed => URLSPOOL_FORM_PREFIXED,
                Form::Href => URLSPOOL_FORM_HREF,
                _ => URLSPOOL_FORM_OTHER,
            },
            tier: match url.tier() {
                Tier::Rfc1738 => URLSPOOL_TIER_RFC1738,
                Tier::Relaxed => URLSPOOL_TIER_RELAXED,
                Tier::Rfc3986 => URLSPOOL_TIER_RFC3986,
                Tier::Iri => URLSPOOL_TIER_IRI,
            },
            quote_depth: self.quote_depth,
            confidence: self.confidence.unwrap_or_default().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_at_the_border() {
        assert_eq!(guarded(|| panic!("for a test")), URLSPOOL_PANIC);
        assert_eq!(guarded(|| ControlFlow::Break(())), URLSPOOL_STOPPED);
    }
}
