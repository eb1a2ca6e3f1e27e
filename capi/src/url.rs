//! The C interface of the URL parser.

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use rust::Url;

use crate::{URLSPOOL_NULL, URLSPOOL_PANIC, bytes, pointer, tier, warnings};

/// A component of a URL. Later versions do not change this struct.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// The name of the component, such as `host` or `addr_spec`. `urlspool check` prints the same names. Not NULL.
    pub name: *const u8,
    /// The number of bytes of `name`.
    pub name_length: usize,
    /// The text of the component as written. Escapes such as `%20` are not decoded. Not NULL.
    pub text: *const u8,
    /// The number of bytes of `text`.
    pub text_length: usize,
}

/// A parsed URL. The struct owns everything that it points to. Free it with urlspool_url_free. No function changes the
/// struct, so several threads can read it. Later versions may add fields at the end of the struct: see URLSPOOL_HAS.
/// Components are as written: escapes such as `%20` are not decoded. If the URL does not have a component, the pointer
/// to the component is NULL. If a component is empty, the pointer is not NULL and the length is 0.
#[repr(C)]
#[derive(Debug)]
pub struct ParsedUrl {
    /// The size of this struct in bytes in the loaded library, which can be older or newer than this header.
    pub size: usize,
    /// The URL as written, in UTF-8. Not NULL.
    pub url: *const u8,
    /// The number of bytes of `url`.
    pub url_length: usize,
    /// The scheme. Not NULL.
    pub scheme: *const u8,
    /// The number of bytes of `scheme`.
    pub scheme_length: usize,
    /// The user name.
    pub user: *const u8,
    /// The number of bytes of `user`.
    pub user_length: usize,
    /// The password.
    pub password: *const u8,
    /// The number of bytes of `password`.
    pub password_length: usize,
    /// The host name, the address, or the IP literal with its brackets.
    pub host: *const u8,
    /// The number of bytes of `host`.
    pub host_length: usize,
    /// The port in the URL; -1 if the URL has no port.
    pub port: c_int,
    /// The port in the URL, or the default port of the scheme if the URL has no port; -1 if there is no default.
    pub port_or_default: c_int,
    /// The path: the text after the first slash that follows the host, up to the query or the fragment. NULL if no
    /// slash follows the host. Also NULL if the scheme has other components instead of a path, as `mailto` has: see the
    /// field `components`.
    pub path: *const u8,
    /// The number of bytes of `path`.
    pub path_length: usize,
    /// The query, without the `?`.
    pub query: *const u8,
    /// The number of bytes of `query`.
    pub query_length: usize,
    /// The fragment, without the `#`.
    pub fragment: *const u8,
    /// The number of bytes of `fragment`.
    pub fragment_length: usize,
    /// The narrowest grammar that the URL satisfies: one of URLSPOOL_TIER_...
    pub tier: c_int,
    /// A sum of URLSPOOL_WARNING_...; 0 if there is no warning.
    pub warnings: u32,
    /// The normal form (RFC 3986, section 6.2). Equivalent URLs have the same normal form. Not NULL.
    pub normal: *const u8,
    /// The number of bytes of `normal`.
    pub normal_length: usize,
    /// The original URL, if a service such as SafeLinks has rewritten the link; otherwise NULL.
    pub target: *const u8,
    /// The number of bytes of `target`.
    pub target_length: usize,
    /// All components of the URL in order, except the scheme and the fragment. Can be NULL only if `components_length`
    /// is 0.
    pub components: *const Component,
    /// The number of components.
    pub components_length: usize,
}

/// An error: the reason why a text is not a URL. Later versions do not change this struct.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ParseError {
    /// The offset of the first wrong byte. If something is missing at the end of the text, the offset is the length of
    /// the text.
    pub offset: usize,
    /// The name of the error, such as `port-range`, with a NUL at its end. Later versions do not change the names of
    /// errors.
    pub name: [c_char; 32],
    /// A description in English, such as `port above 65535 at offset 12 (RFC 793 3.1)`, with a NUL at its end.
    pub text: [c_char; 128],
}

/// A [`ParsedUrl`], and the data that it points to. C code gets a pointer to the first field, which is also a pointer
/// to the whole struct.
#[repr(C)]
struct Owner {
    seen: ParsedUrl,
    url: Url<'static>,
    normal: String,
    target: Option<Url<'static>>,
    components: Vec<Component>,
}

// The comment on `urlspool_url` promises that several threads can read one URL. The compiler checks this promise here.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<(Url<'static>, String)>();
};

/// Parses a text as one URL. The result has a copy of the text. White space at the start or end of the text is an
/// error. Free the URL with urlspool_url_free. If the text is not a URL, returns NULL and writes the reason to `error`,
/// which may be NULL. If `text` is NULL and `length` is not 0, the name of the error is `null`. If `length` is above
/// PTRDIFF_MAX, the name is `length`. If the name is `panic`, the error is a bug in urlspool. The time is proportional
/// to the length.
///
/// # Safety
///
/// `text` points to `length` bytes, which do not change during the call. `error` is NULL or points to a
/// urlspool_url_error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_url_parse(text: *const u8, length: usize, error: *mut ParseError) -> *mut ParsedUrl {
    // SAFETY: the caller promised that `text` is NULL or points to `length` bytes.
    let text = unsafe { bytes(text, length) };
    let parsed = made(|| Ok(Url::parse(text?)?.into_owned()));
    // SAFETY: the caller promised that `error` is NULL or valid for writing.
    unsafe { given(parsed, error) }
}

/// Resolves `reference` relative to the URL `base` (RFC 3986, section 5.2). You may free `base` before you free the
/// result. Free the result with urlspool_url_free. The errors are the same as those of urlspool_url_parse. The offset
/// in an error counts from the start of the resolved URL. If `base` is NULL, the name of the error is `null`.
///
/// # Safety
///
/// `base` is NULL, or was returned by urlspool_url_parse or urlspool_url_join and is not freed yet. The other arguments
/// must satisfy the same conditions as those of urlspool_url_parse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_url_join(
    base: *const ParsedUrl,
    reference: *const u8,
    length: usize,
    error: *mut ParseError,
) -> *mut ParsedUrl {
    // SAFETY: the caller promised that `base` is NULL or came from `given`. `given` returns a pointer to the first
    // field of an `Owner`.
    let base = unsafe { base.cast::<Owner>().as_ref() };
    // SAFETY: the caller promised that `reference` is NULL or points to `length` bytes.
    let reference = unsafe { bytes(reference, length) };
    let joined = made(|| Ok(base.ok_or(URLSPOOL_NULL)?.url.join(reference?)?));
    // SAFETY: the caller promised that `error` is NULL or valid for writing.
    unsafe { given(joined, error) }
}

/// Frees a URL. Call this function once for each URL. Does nothing if `url` is NULL.
///
/// # Safety
///
/// `url` is NULL, or was returned by urlspool_url_parse or urlspool_url_join and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_url_free(url: *mut ParsedUrl) {
    if !url.is_null() {
        // SAFETY: `given` made the pointer from a `Box`, and the caller promised to free it once.
        drop(unsafe { Box::from_raw(url.cast::<Owner>()) });
    }
}

/// The reason why a function returns no URL.
enum Failure {
    /// A result such as [`URLSPOOL_NULL`].
    Result(c_int),
    Parse(rust::ParseError),
}

impl From<c_int> for Failure {
    fn from(result: c_int) -> Failure {
        Failure::Result(result)
    }
}

impl From<rust::ParseError> for Failure {
    fn from(error: rust::ParseError) -> Failure {
        Failure::Parse(error)
    }
}

/// Runs `work`, and prepares the resulting URL for C. Catches panics.
fn made(work: impl FnOnce() -> Result<Url<'static>, Failure>) -> Result<Box<Owner>, Failure> {
    catch_unwind(AssertUnwindSafe(|| work().map(Owner::new))).unwrap_or(Err(URLSPOOL_PANIC.into()))
}

/// Returns a URL as a pointer for C code. If `url` is an error, writes the error to `error` and returns NULL.
///
/// # Safety
///
/// `error` is NULL, or it is valid for writing.
unsafe fn given(url: Result<Box<Owner>, Failure>, error: *mut ParseError) -> *mut ParsedUrl {
    match url {
        Ok(owner) => Box::into_raw(owner).cast(),
        Err(failure) => {
            if !error.is_null() {
                // SAFETY: the caller promised that `error` is valid for writing.
                unsafe { error.write(failure.into()) };
            }
            ptr::null_mut()
        }
    }
}

impl Owner {
    fn new(url: Url<'static>) -> Box<Owner> {
        let (normal, target) = (url.normalized(), url.targets().pop());
        let seen = ParsedUrl::new(&url);
        let mut owner = Box::new(Owner { seen, url, normal, target, components: Vec::new() });
        // The pointers in `seen` point to the contents of the other fields. These contents are on the heap, so their
        // addresses stay the same when a field is moved.
        owner.components = owner.url.components().map(|(name, text)| component(name.as_str(), text)).collect();
        (owner.seen.normal, owner.seen.normal_length) = pointer(Some(owner.normal.as_bytes()));
        (owner.seen.target, owner.seen.target_length) = pointer(owner.target.as_ref().map(Url::as_bytes));
        (owner.seen.components, owner.seen.components_length) = pointer(Some(owner.components.as_slice()));
        owner
    }
}

fn component(name: &'static str, text: &str) -> Component {
    Component { name: name.as_ptr(), name_length: name.len(), text: text.as_ptr(), text_length: text.len() }
}

impl ParsedUrl {
    /// Makes the struct for C, with pointers to the text of `url`. This text must not be inside `url` itself, because
    /// `url` is moved later.
    fn new(url: &Url<'static>) -> ParsedUrl {
        let of = |text: Option<&str>| pointer(text.map(str::as_bytes));
        let (scheme, scheme_length) = of(Some(url.scheme()));
        let (user, user_length) = of(url.user());
        let (password, password_length) = of(url.password());
        let (host, host_length) = of(url.host());
        let (path, path_length) = of(path(url));
        let (query, query_length) = of(url.query());
        let (fragment, fragment_length) = of(url.fragment());
        ParsedUrl {
            size: size_of::<ParsedUrl>(),
            url: url.as_bytes().as_ptr(),
            url_length: url.as_bytes().len(),
            scheme,
            scheme_length,
            user,
            user_length,
            password,
            password_length,
            host,
            host_length,
            port: url.port().map_or(-1, c_int::from),
            port_or_default: url.port_or_default().map_or(-1, c_int::from),
            path,
            path_length,
            query,
            query_length,
            fragment,
            fragment_length,
            tier: tier(url.tier()),
            warnings: warnings(url.warnings()),
            normal: ptr::null(),
            normal_length: 0,
            target: ptr::null(),
            target_length: 0,
            components: ptr::null(),
            components_length: 0,
        }
    }
}

/// Returns the path of a URL, without the query. `None` if the URL has no path.
fn path<'u>(url: &'u Url<'static>) -> Option<&'u str> {
    let path = url.url_path()?;
    let Some(query) = url.query() else { return Some(path) };
    path.strip_suffix(query)?.strip_suffix('?')
}

impl From<Failure> for ParseError {
    fn from(failure: Failure) -> ParseError {
        let (offset, name, text) = match failure {
            Failure::Result(URLSPOOL_NULL) => (0, "null", "a pointer is NULL".to_owned()),
            Failure::Result(URLSPOOL_PANIC) => (0, "panic", "an error in urlspool itself".to_owned()),
            Failure::Result(_) => (0, "length", "the length is larger than PTRDIFF_MAX".to_owned()),
            Failure::Parse(error) => (error.offset(), error.kind().as_str(), error.to_string()),
        };
        let mut error = ParseError { offset, name: [0; 32], text: [0; 128] };
        fill(&mut error.name, name);
        fill(&mut error.text, &text);
        error
    }
}

/// Copies `text` to the array `room`, which has only NULs before the call. If `text` is too long, copies only its
/// beginning, so that the last element of `room` stays NUL.
fn fill(room: &mut [c_char], text: &str) {
    let most = room.len() - 1;
    for (byte, from) in room[..most].iter_mut().zip(text.bytes()) {
        *byte = c_char::from_ne_bytes([from]);
    }
}
