//! The C interface for files, directories and streams.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::io::{self, Read};
use std::path::PathBuf;
use std::slice;

use rust::ErrorKind;

use crate::{Callback, Receiver, URLSPOOL_INVALID, URLSPOOL_NULL, Urlspool, guarded, pointer};

/// A kind of problem: a file could not be opened.
pub const URLSPOOL_PROBLEM_OPEN: c_int = 1;
/// A kind of problem: a symbolic link points to a file that does not exist.
pub const URLSPOOL_PROBLEM_DANGLING_LINK: c_int = 2;
/// A kind of problem: reading failed before the end of the file.
pub const URLSPOOL_PROBLEM_READ: c_int = 3;
/// A kind of problem: a directory could not be listed.
pub const URLSPOOL_PROBLEM_LIST: c_int = 4;
/// A kind of problem: the format of the file is not supported.
pub const URLSPOOL_PROBLEM_UNSUPPORTED: c_int = 5;
/// A kind of problem: a file, such as a truncated gzip file, is malformed and was not read to its end.
pub const URLSPOOL_PROBLEM_INCOMPLETE: c_int = 6;
/// A kind of problem without a constant. A library that is newer than this header can also return values that this
/// header does not list.
pub const URLSPOOL_PROBLEM_OTHER: c_int = -1;

/// Input that could not be opened, or could not be read to its end. In a callback, the struct and everything that it
/// points to are valid until the callback returns. After a call of urlspool_search_next, they are valid until the next
/// call with the same search. Later versions may add fields at the end of the struct: see URLSPOOL_HAS.
#[repr(C)]
#[derive(Debug)]
pub struct Problem {
    /// The size of this struct in bytes in the loaded library, which can be older or newer than this header.
    pub size: usize,
    /// The kind of problem: one of URLSPOOL_PROBLEM_...
    pub kind: c_int,
    /// The `errno` of the operating system; 0 if there is no `errno`.
    pub os_error: c_int,
    /// The path of the file or directory, or the name of the stream. Not NULL.
    pub path: *const u8,
    /// The number of bytes of `path`.
    pub path_length: usize,
    /// The path and a description of the problem, in one line. Not NULL. Escape the text before you show it on a
    /// terminal, because a path can contain control characters.
    pub text: *const u8,
    /// The number of bytes of `text`.
    pub text_length: usize,
    /// The number of files with this problem. In an archive, all members with the same problem are reported together.
    /// Outside archives, `count` is 1.
    pub count: u64,
}

/// A function in your program that reads up to `length` bytes into `buffer`, like read(2). Return the number of bytes,
/// or 0 at the end of the input. After an error, set `errno` and return -1. If `errno` is EINTR, urlspool calls the
/// function again. Do not throw an exception, and do not call longjmp.
pub type Reader = Option<unsafe extern "C" fn(context: *mut c_void, buffer: *mut u8, length: usize) -> isize>;

/// Calls `callback` for each URL in files, directories and standard input (`-`), in the order of `paths`, for each
/// problem with the input, and for each other event. Formats and compression are detected. `paths` points to `length`
/// strings that end with a NUL. The callback runs in the thread that called this function. If there was a problem, the
/// result is URLSPOOL_INCOMPLETE. Returns URLSPOOL_DONE,
/// URLSPOOL_STOPPED, URLSPOOL_INCOMPLETE or a negative result. With at most two threads and the default `max_message`,
/// the function uses less than 64 MiB of memory. Compressed input needs additional memory: up to 80 MiB per thread for
/// xz, and 128 MiB for zstd.
///
/// # Safety
///
/// `searcher` was returned by urlspool_new. `paths` is NULL or points to `length` pointers. Each of these pointers is
/// NULL or points to a string that ends with a NUL. `callback` is NULL or a function that can be called with
/// `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_paths(
    searcher: *const Urlspool,
    paths: *const *const c_char,
    length: usize,
    callback: Callback,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() };
    // SAFETY: the caller promised that `paths` is NULL or points to `length` strings.
    let paths = unsafe { all_paths(paths, length) };
    let (Some(searcher), Some(callback)) = (searcher, callback) else { return URLSPOOL_NULL };
    let paths = match paths {
        Ok(paths) => paths,
        Err(result) => return result,
    };
    guarded(|| Receiver::new(callback, context).paths(searcher.extractor.paths(paths), searcher.threads))
}

/// Calls `callback` for each URL in a stream: a mailbox, an archive, a message or text. The stream can be compressed.
/// Calls `read` to get the bytes of the stream, until `read` returns 0. If `format` is set, the URLs of a message are
/// reported soon after the message is complete. Otherwise, urlspool_read first waits for 64 KiB, to detect the format.
/// Starts no threads. `name` ends with a NUL, and is the file name in urlspool_hit and urlspool_problem. If `name` is
/// NULL, the file name is `-`. If reading fails, there is an event of the kind URLSPOOL_EVENT_PROBLEM. The other
/// arguments and the results are the same as for urlspool_paths.
///
/// # Safety
///
/// The arguments must satisfy the same conditions as those of urlspool_paths. In addition, `read` is NULL or a function
/// that can be called with `context`, and that writes at most `length` bytes to `buffer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlspool_read(
    searcher: *const Urlspool,
    read: Reader,
    name: *const c_char,
    callback: Callback,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the caller promised that `searcher` is NULL or points to a searcher.
    let searcher = unsafe { searcher.as_ref() };
    let (Some(searcher), Some(read), Some(callback)) = (searcher, read, callback) else { return URLSPOOL_NULL };
    // SAFETY: `name` is not NULL, so the caller promised that it points to a string.
    let name = if name.is_null() { Some(PathBuf::from("-")) } else { path(unsafe { CStr::from_ptr(name) }) };
    let Some(name) = name else { return URLSPOOL_INVALID };
    let stream = || searcher.extractor.read(FromCallback { read, context }).name(name);
    guarded(|| Receiver::new(callback, context).stream(stream()))
}

/// Returns the paths.
///
/// # Errors
///
/// Returns [`URLSPOOL_NULL`] if a pointer is NULL, and [`URLSPOOL_INVALID`] if a path or the length is invalid.
///
/// # Safety
///
/// If `paths` is not NULL, it points to `length` pointers. Each of these pointers is NULL or points to a string that
/// ends with a NUL.
pub(crate) unsafe fn all_paths(paths: *const *const c_char, length: usize) -> Result<Vec<PathBuf>, c_int> {
    let pointers: &[*const c_char] = match (paths.is_null(), length) {
        (_, 0) => &[],
        (true, _) => return Err(URLSPOOL_NULL),
        (false, _) if length > isize::MAX as usize / size_of::<*const c_char>() => return Err(URLSPOOL_INVALID),
        // SAFETY: the caller promised that `paths` points to `length` pointers.
        (false, _) => unsafe { slice::from_raw_parts(paths, length) },
    };
    if pointers.iter().any(|pointer| pointer.is_null()) {
        return Err(URLSPOOL_NULL);
    }
    // SAFETY: `pointer` is not NULL, so the caller promised that it points to a string that ends with a NUL.
    let paths = pointers.iter().map(|&pointer| path(unsafe { CStr::from_ptr(pointer) }));
    paths.collect::<Option<_>>().ok_or(URLSPOOL_INVALID)
}

/// Converts a string to a path. On Windows, returns `None` if the string is not UTF-8. On Unix, all bytes are allowed.
fn path(text: &CStr) -> Option<PathBuf> {
    #[cfg(unix)]
    let text: Option<&OsStr> = Some(std::os::unix::ffi::OsStrExt::from_bytes(text.to_bytes()));
    #[cfg(not(unix))]
    let text: Option<&OsStr> = text.to_str().ok().map(OsStr::new);
    text.map(PathBuf::from)
}

/// A reader that gets its bytes from a callback of the caller.
struct FromCallback {
    read: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> isize,
    context: *mut c_void,
}

impl Read for FromCallback {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the caller promised that `read` can be called with `context`. The caller also promised that `read`
        // writes at most as many bytes as its last argument says.
        let read = unsafe { (self.read)(self.context, buffer.as_mut_ptr(), buffer.len()) };
        match usize::try_from(read) {
            Ok(read) if read <= buffer.len() => Ok(read),
            Ok(_) => Err(io::Error::other("the read callback returned more than the length of its buffer")),
            #[cfg(unix)]
            Err(_) => Err(io::Error::last_os_error()),
            #[cfg(not(unix))]
            Err(_) => Err(io::Error::other("the read callback failed")),
        }
    }
}

impl Problem {
    /// Makes the struct for C, with pointers into `error` and `text`. `text` is the description of the error.
    pub(crate) fn new(error: &rust::Error, text: &str) -> Problem {
        let (path, path_length) = pointer(Some(error.path().as_os_str().as_encoded_bytes()));
        let (text, text_length) = pointer(Some(text.as_bytes()));
        Problem {
            size: size_of::<Problem>(),
            kind: kind(error.kind()),
            os_error: error.io_error().and_then(io::Error::raw_os_error).unwrap_or_default(),
            path,
            path_length,
            text,
            text_length,
            count: error.count(),
        }
    }
}

fn kind(kind: ErrorKind) -> c_int {
    match kind {
        ErrorKind::Open => URLSPOOL_PROBLEM_OPEN,
        ErrorKind::DanglingLink => URLSPOOL_PROBLEM_DANGLING_LINK,
        ErrorKind::Read => URLSPOOL_PROBLEM_READ,
        ErrorKind::List => URLSPOOL_PROBLEM_LIST,
        ErrorKind::Unsupported => URLSPOOL_PROBLEM_UNSUPPORTED,
        ErrorKind::Incomplete => URLSPOOL_PROBLEM_INCOMPLETE,
        _ => URLSPOOL_PROBLEM_OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_problem_has_its_own_constant() {
        // `ErrorKind::Changed` has no constant: it occurs only if a search is divided into tasks, and the C interface
        // has no tasks.
        let kinds = ErrorKind::ALL.iter().copied().filter(|kind| *kind != ErrorKind::Changed);
        let kinds: Vec<c_int> = kinds.map(kind).collect();
        assert_eq!(kinds, (1..=kinds.len() as c_int).collect::<Vec<_>>());
    }
}
