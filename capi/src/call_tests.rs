//! Calls the functions of the C interface from Rust, so that Miri can check every pointer. The C programs in
//! `capi/tests` check which URLs are found.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::{ptr, slice};

use crate::*;

const MAIL: &[u8] = b"From a@b Mon Jan  1 00:00:00 2001\nMessage-ID: <1@a>\nSubject: http://www.example.org/h\n\
    Date: Thu, 1 Jan 1970 00:01:00 +0000\nContent-Type: text/html\n\n\
    <a href='http://me:secret@evil.example:81/?a=&#98;'>bank.com</a>\n<p>&lt;URL:ftp://ftp.example.org/a\n-b&gt; \
    https://www.google.com/url?q=http://www.example.org/&amp;sa=D\n";

/// What the callback of a test received.
#[derive(Default)]
struct Seen<'i> {
    urls: Vec<String>,
    problems: Vec<String>,
    details: Vec<String>,
    /// The input that the callback `read` has not returned yet.
    input: &'i [u8],
    /// The number of callbacks after which the search stops.
    stop_after: Option<usize>,
}

impl Seen<'_> {
    fn context(&mut self) -> *mut c_void {
        ptr::from_mut(self).cast()
    }

    fn stops(&self) -> c_int {
        (self.stop_after == Some(self.urls.len() + self.problems.len())).into()
    }
}

/// Returns a copy of the bytes at `pointer`, so that Miri checks each of them. If `pointer` is NULL, returns an empty
/// string.
fn copied(pointer: *const u8, length: usize) -> String {
    assert!(!pointer.is_null() || length == 0);
    // SAFETY: the interface promises that `pointer` points to `length` bytes.
    let bytes = unsafe { bytes(pointer, length) };
    String::from_utf8_lossy(bytes.unwrap()).into_owned()
}

unsafe extern "C" fn on_event(event: *const SearchEvent, context: *mut c_void) -> c_int {
    // SAFETY: the pointer `event` is valid until this function returns.
    let event = unsafe { &*event };
    // SAFETY: each test passes a pointer to a `Seen` as `context`.
    let seen = unsafe { &mut *context.cast::<Seen<'_>>() };
    // SAFETY: the pointer is NULL, or valid as long as the event.
    let hit = unsafe { event.hit.as_ref() };
    // SAFETY: the pointer is NULL, or valid as long as the event.
    let problem = unsafe { event.problem.as_ref() };
    // SAFETY: the pointer is NULL, or valid as long as the event.
    let detail = unsafe { event.detail.as_ref() };
    assert_eq!(
        (hit.is_some(), problem.is_some(), detail.is_some()),
        (event.kind == URLSPOOL_EVENT_HIT, event.kind == URLSPOOL_EVENT_PROBLEM, event.kind > URLSPOOL_EVENT_PROBLEM)
    );
    if let Some(detail) = detail {
        let [path, text, reason] = [
            (detail.path, detail.path_length),
            (detail.text, detail.text_length),
            (detail.reason, detail.reason_length),
        ]
        .map(|(pointer, length)| copied(pointer, length));
        let (offset, length) = (detail.offset, detail.length);
        seen.details.push(format!("{} {path} {text} {reason} {offset}+{length}", event.kind));
        return 0;
    }
    hit.into_iter().for_each(|hit| seen.hit(hit));
    if let Some(problem) = problem {
        assert!(!copied(problem.path, problem.path_length).is_empty());
        seen.problems.push(copied(problem.text, problem.text_length));
    }
    seen.stops()
}

impl Seen<'_> {
    fn hit(&mut self, hit: &Hit) {
        // SAFETY: the interface promises that `pieces` points to `pieces_length` elements.
        let pieces = unsafe { slice::from_raw_parts(hit.pieces, hit.pieces_length) };
        assert!(!pieces.is_empty() && pieces.iter().all(|piece| piece.length > 0));
        if !hit.alternatives.is_null() {
            // SAFETY: the interface promises that `alternatives` points to `alternatives_length` elements.
            for other in unsafe { slice::from_raw_parts(hit.alternatives, hit.alternatives_length) } {
                assert!(!copied(other.url, other.url_length).is_empty());
            }
        }
        for (pointer, length) in [
            (hit.scheme, hit.scheme_length),
            (hit.host, hit.host_length),
            (hit.header, hit.header_length),
            (hit.part, hit.part_length),
            (hit.link_text, hit.link_text_length),
            (hit.target, hit.target_length),
            (hit.message_id, hit.message_id_length),
            (hit.file, hit.file_length),
            (hit.member, hit.member_length),
        ] {
            copied(pointer, length);
        }
        self.urls.push(copied(hit.url, hit.url_length));
    }
}

unsafe extern "C" fn on_read(context: *mut c_void, buffer: *mut u8, length: usize) -> isize {
    // SAFETY: each test passes a pointer to a `Seen` as `context`.
    let seen = unsafe { &mut *context.cast::<Seen<'_>>() };
    // Return only a few bytes at a time, as a pipe can do.
    let (now, rest) = seen.input.split_at(seen.input.len().min(length).min(100));
    // SAFETY: the interface promises that `buffer` has room for `length` bytes.
    unsafe { buffer.copy_from_nonoverlapping(now.as_ptr(), now.len()) };
    seen.input = rest;
    now.len() as isize
}

unsafe extern "C" fn reads_too_much(_context: *mut c_void, _buffer: *mut u8, length: usize) -> isize {
    length as isize + 1
}

/// Calls `test` with a searcher that has these options, and frees the searcher.
fn with_searcher(options: &[(&CStr, &CStr)], test: impl FnOnce(*const Urlspool)) {
    let searcher = urlspool_new();
    assert!(!searcher.is_null());
    for (name, value) in options {
        // SAFETY: all arguments outlive the call.
        assert_eq!(unsafe { urlspool_option_set(searcher, name.as_ptr(), value.as_ptr()) }, URLSPOOL_DONE);
    }
    test(searcher);
    // SAFETY: `urlspool_new` returned `searcher`, and it is freed only here.
    unsafe { urlspool_free(searcher) };
}

#[test]
fn the_version_is_a_string() {
    // SAFETY: the interface promises that the returned string ends with a NUL.
    let version = unsafe { CStr::from_ptr(urlspool_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

#[test]
fn messages_and_texts_are_searched() {
    const ALL: [&str; 4] = [
        "http://www.example.org/h",
        "http://me:secret@evil.example:81/?a=b",
        "ftp://ftp.example.org/a-b",
        "https://www.google.com/url?q=http://www.example.org/&sa=D",
    ];
    let message = &MAIL[MAIL.iter().position(|&byte| byte == b'\n').unwrap() + 1..];
    with_searcher(&[], |searcher| {
        for (stop_after, result) in [(None, URLSPOOL_DONE), (Some(1), URLSPOOL_STOPPED)] {
            let mut seen = Seen { stop_after, ..Seen::default() };
            // SAFETY: the message and the context outlive the call.
            let returned =
                unsafe { urlspool_message(searcher, message.as_ptr(), message.len(), Some(on_event), seen.context()) };
            assert_eq!(returned, result);
            assert_eq!(seen.urls, ALL[..stop_after.unwrap_or(ALL.len())]);
        }
        let mut seen = Seen::default();
        let text = b"> <URL:http://a.example/x\n> y> and http://b.example/-\nz";
        // SAFETY: the text and the context outlive the call.
        let returned = unsafe { urlspool_text(searcher, text.as_ptr(), text.len(), Some(on_event), seen.context()) };
        assert_eq!((returned, seen.urls.len()), (URLSPOOL_DONE, 2), "{:?}", seen.urls);
    });
}

/// Gets all events of a search, and frees the search. If `seen.stop_after` is set, gets at most this number of events.
fn gathered(search: *mut Search, seen: &mut Seen<'_>) -> c_int {
    let mut event = ptr::null();
    let result = loop {
        // SAFETY: `search` is not freed yet, and the variable `event` outlives the call.
        let result = unsafe { urlspool_search_next(search, &mut event) };
        if result != URLSPOOL_FOUND {
            assert!(event.is_null());
            // SAFETY: `search` is not freed yet, and the other pointer may be NULL.
            assert_eq!(result, unsafe { urlspool_search_next(search, ptr::null_mut()) });
            break result;
        }
        // SAFETY: the pointer `event` is valid until the next call of `urlspool_search_next`.
        if unsafe { on_event(event, seen.context()) } != 0 {
            break URLSPOOL_STOPPED;
        }
    };
    // SAFETY: `search` is freed only here.
    unsafe { urlspool_search_free(search) };
    result
}

#[test]
fn searches_return_what_callbacks_get() {
    let message = &MAIL[MAIL.iter().position(|&byte| byte == b'\n').unwrap() + 1..];
    let text = b"> <URL:http://a.example/x\n> y> and http://b.example/-\nz";
    for stop_after in [None, Some(1)] {
        let (mut called, searcher) = (Seen { stop_after, ..Seen::default() }, urlspool_new());
        // SAFETY: the message and the context outlive the call.
        let result =
            unsafe { urlspool_message(searcher, message.as_ptr(), message.len(), Some(on_event), called.context()) };
        let copy = message.to_vec();
        // SAFETY: `copy` outlives the call.
        let search = unsafe { urlspool_search_message(searcher, copy.as_ptr(), copy.len()) };
        // SAFETY: the text outlives the call.
        let of_text = unsafe { urlspool_search_text(searcher, text.as_ptr(), text.len()) };
        // Both searches must still work after the copy of the message and the searcher are freed.
        drop(copy);
        // SAFETY: `urlspool_new` returned `searcher`, and it is freed only here.
        unsafe { urlspool_free(searcher) };
        let mut seen = Seen { stop_after, ..Seen::default() };
        assert_eq!((gathered(search, &mut seen), seen.urls), (result, called.urls));
        let mut seen = Seen::default();
        assert_eq!(gathered(of_text, &mut seen), URLSPOOL_DONE);
        assert_eq!(seen.urls, ["http://a.example/xy", "http://b.example/-z"]);
    }
}

#[test]
fn wrong_searches_return_their_error() {
    let mut seen = Seen::default();
    // SAFETY: NULL is allowed.
    unsafe { urlspool_search_free(ptr::null_mut()) };
    // SAFETY: NULL is allowed.
    let result = unsafe { urlspool_search_next(ptr::null_mut(), ptr::null_mut()) };
    assert_eq!(result, URLSPOOL_NULL);
    with_searcher(&[], |searcher| {
        for (searcher, length, result) in
            [(searcher, 0, URLSPOOL_DONE), (searcher, 1, URLSPOOL_NULL), (ptr::null(), 0, URLSPOOL_NULL)]
        {
            // SAFETY: NULL is allowed.
            let message = unsafe { urlspool_search_message(searcher, ptr::null(), length) };
            assert_eq!(gathered(message, &mut seen), result);
            // SAFETY: NULL is allowed.
            let text = unsafe { urlspool_search_text(searcher, ptr::null(), length) };
            assert_eq!(gathered(text, &mut seen), result);
            // SAFETY: NULL is allowed.
            let paths = unsafe { urlspool_search_paths(searcher, ptr::null(), length) };
            assert_eq!(gathered(paths, &mut seen), result);
        }
    });
}

#[test]
fn a_callback_gets_all_events() {
    let message =
        b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://a.example:99999/ ftp://b.example/\n";
    with_searcher(&[(c"scheme", c"http")], |searcher| {
        let mut seen = Seen::default();
        // SAFETY: the message and the context outlive the call.
        let returned =
            unsafe { urlspool_message(searcher, message.as_ptr(), message.len(), Some(on_event), seen.context()) };
        assert_eq!((returned, seen.urls.len()), (URLSPOOL_DONE, 0));
        let want = [
            "3  http://a.example:99999/ port-range 59+23",
            "4  ftp://b.example/ scheme 83+16",
            "5  1  0+0",
            "9  the closing boundary of the multipart is missing; all parts were read unclosed-multipart 100+0",
        ];
        seen.details.sort();
        assert_eq!(seen.details, want);
    });
}

#[test]
fn options_are_set_and_refused() {
    let mut seen = Seen::default();
    let text = b"http://a.example/x-\ny.html http://b.example/";
    with_searcher(&[(c"join", c"never")], |searcher| {
        // SAFETY: the text and the context outlive the call.
        let returned = unsafe { urlspool_text(searcher, text.as_ptr(), text.len(), Some(on_event), seen.context()) };
        assert_eq!((returned, seen.urls.len()), (URLSPOOL_DONE, 2), "{:?}", seen.urls);
        let set = |name: *const c_char, value: *const c_char| {
            // SAFETY: NULL is allowed, all strings end with a NUL, and no other thread uses the searcher.
            let result = unsafe { urlspool_option_set(searcher.cast_mut(), name, value) };
            // SAFETY: the searcher is not freed yet.
            let why = unsafe { urlspool_option_error(searcher) };
            // SAFETY: the interface promises that the message is NULL or ends with a NUL.
            let why = (!why.is_null()).then(|| unsafe { CStr::from_ptr(why) }.to_str().unwrap().to_owned());
            (result, why.unwrap_or_default())
        };
        for length in [usize::MAX, isize::MAX as usize + 1] {
            // SAFETY: this length is refused before anything is read.
            let result = unsafe { urlspool_text(searcher, b"x".as_ptr(), length, Some(on_event), ptr::null_mut()) };
            assert_eq!(result, URLSPOOL_INVALID);
            // SAFETY: as above.
            let result = unsafe { urlspool_message(searcher, b"x".as_ptr(), length, Some(on_event), ptr::null_mut()) };
            assert_eq!(result, URLSPOOL_INVALID);
            // SAFETY: as above.
            assert!(unsafe { urlspool_linkify(searcher, b"x".as_ptr(), length) }.is_null());
            let paths = [c"x".as_ptr()];
            // SAFETY: as above.
            let result =
                unsafe { urlspool_paths(searcher, paths.as_ptr(), length / 4, Some(on_event), ptr::null_mut()) };
            assert_eq!(result, URLSPOOL_INVALID);
        }
        assert_eq!(set(ptr::null(), c"x".as_ptr()).0, URLSPOOL_NULL);
        assert_eq!(set(c"format".as_ptr(), ptr::null()).0, URLSPOOL_NULL);
        let (result, why) = set(c"threads".as_ptr(), c"many".as_ptr());
        assert_eq!(result, URLSPOOL_INVALID);
        assert!(why.starts_with("invalid value \"many\" for the option threads: give a number"), "{why}");
        assert_eq!(set(c"hosts".as_ptr(), c"\xFF".as_ptr()).1, "unknown option hosts; did you mean host?");
        assert_eq!(set(c"host".as_ptr(), c"a.example".as_ptr()), (URLSPOOL_DONE, String::new()));
    });
    // SAFETY: NULL is allowed.
    assert!(unsafe { urlspool_option_error(ptr::null()) }.is_null());
}

#[test]
fn every_option_is_documented() {
    let readme = include_str!("../README.md");
    for row in rust::OPTIONS {
        assert!(readme.contains(&format!("\n| `{}` |", row.name)), "{} is not in README.md", row.name);
    }
}

#[test]
fn null_is_refused_and_freed() {
    let (mut seen, nothing) = (Seen::default(), ptr::null());
    with_searcher(&[], |searcher| {
        // SAFETY: NULL is allowed.
        unsafe { urlspool_free(ptr::null_mut()) };
        // SAFETY: NULL is allowed.
        unsafe { urlspool_url_free(ptr::null_mut()) };
        let message = |length| {
            // SAFETY: NULL is allowed, and the context outlives the call.
            unsafe { urlspool_message(searcher, nothing, length, Some(on_event), seen.context()) }
        };
        assert_eq!([0, 1].map(message), [URLSPOOL_DONE, URLSPOOL_NULL]);
        for (searcher, callback) in [(ptr::null(), Some(on_event as _)), (searcher, None)] {
            // SAFETY: NULL is allowed, and the context outlives the call.
            let returned = unsafe { urlspool_text(searcher, nothing, 0, callback, seen.context()) };
            assert_eq!(returned, URLSPOOL_NULL);
        }
        // SAFETY: NULL is allowed.
        assert!(unsafe { urlspool_url_parse(nothing, 1, ptr::null_mut()) }.is_null());
        // SAFETY: NULL is allowed.
        assert!(unsafe { urlspool_url_join(ptr::null(), nothing, 0, ptr::null_mut()) }.is_null());
    });
}

#[test]
fn urls_are_parsed_joined_and_freed() {
    let text = b"HTTP://ann:pw@WWW.example.org:8080/a/./b%7e?q=1#top".to_vec();
    let mut error = ParseError { offset: 0, name: [0; 32], text: [0; 128] };
    // SAFETY: the text and the error outlive the call.
    let url = unsafe { urlspool_url_parse(text.as_ptr(), text.len(), &mut error) };
    // `url` does not point into `text`, but into a copy.
    drop(text);
    // SAFETY: `url` is not freed yet, and the other arguments outlive the call.
    let joined = unsafe { urlspool_url_join(url, b"../c?d".as_ptr(), 6, &mut error) };
    for (url, text) in [
        (url, "HTTP://ann:pw@WWW.example.org:8080/a/./b%7e?q=1#top"),
        (joined, "HTTP://ann:pw@WWW.example.org:8080/c?d"),
    ] {
        // SAFETY: `url` is not freed yet.
        let seen = unsafe { &*url };
        assert_eq!(copied(seen.url, seen.url_length), text);
        copied(seen.normal, seen.normal_length);
        copied(seen.query, seen.query_length);
        // SAFETY: the interface promises that `components` points to `components_length` elements.
        let all = unsafe { slice::from_raw_parts(seen.components, seen.components_length) };
        assert_eq!(all.len(), 6);
        for one in all {
            copied(one.name, one.name_length);
            copied(one.text, one.text_length);
        }
        // SAFETY: each URL is freed only here.
        unsafe { urlspool_url_free(url) };
    }
    // SAFETY: the text and the error outlive the call.
    assert!(unsafe { urlspool_url_parse(b"http://a:99999/".as_ptr(), 15, &mut error) }.is_null());
    // SAFETY: the interface promises that `name` ends with a NUL.
    assert_eq!(unsafe { CStr::from_ptr(error.name.as_ptr()) }.to_str(), Ok("port-range"));
    assert_eq!(error.offset, 9);
    for (text, length, name) in [(ptr::null(), 1, "null"), (b"x".as_ptr(), usize::MAX, "length")] {
        // SAFETY: NULL is allowed, nothing is read of a text that is too long, and the error outlives the call.
        assert!(unsafe { urlspool_url_parse(text, length, &mut error) }.is_null());
        // SAFETY: the interface promises that `name` ends with a NUL.
        assert_eq!(unsafe { CStr::from_ptr(error.name.as_ptr()) }.to_str(), Ok(name));
    }
}

#[test]
fn streams_are_read_by_a_callback() {
    with_searcher(&[(c"format", c"mbox"), (c"since", c"@1"), (c"until", c"@99")], |searcher| {
        let mut seen = Seen { input: MAIL, ..Seen::default() };
        let read = |reader: Reader, seen: &mut Seen<'_>| {
            // SAFETY: all arguments outlive the call.
            unsafe { urlspool_read(searcher, reader, c"stream".as_ptr(), Some(on_event), seen.context()) }
        };
        assert_eq!(read(Some(on_read), &mut seen), URLSPOOL_DONE);
        assert_eq!(seen.urls.len(), 4, "{:?}", seen.urls);
        assert_eq!(read(Some(reads_too_much), &mut seen), URLSPOOL_INCOMPLETE);
        assert_eq!(seen.problems.len(), 1, "{:?}", seen.problems);
    });
}

#[test]
#[cfg_attr(miri, ignore = "Miri cannot open files with O_NONBLOCK")]
fn files_are_read_by_threads() {
    let file = std::env::temp_dir().join(format!("urlspool-call-test-{}", std::process::id()));
    std::fs::write(&file, MAIL).unwrap();
    let folder = file.with_extension("folder");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(".hidden"), MAIL).unwrap();
    let names = [file.to_str().unwrap(), "/nothing/is/here", folder.to_str().unwrap()];
    let names = names.map(|name| CString::new(name).unwrap());
    let paths: [*const c_char; 3] = [names[0].as_ptr(), names[1].as_ptr(), names[2].as_ptr()];
    for threads in [c"1", c"2"] {
        with_searcher(&[(c"threads", threads)], |searcher| {
            let mut seen = Seen::default();
            // SAFETY: all arguments outlive the call.
            let returned = unsafe { urlspool_paths(searcher, paths.as_ptr(), 3, Some(on_event), seen.context()) };
            assert_eq!((returned, seen.urls.len(), seen.problems.len()), (URLSPOOL_INCOMPLETE, 4, 1), "{threads:?}");
            let path = file.display();
            let length = MAIL.len();
            let hidden = format!("8 {}/.hidden  hidden 0+0", folder.display());
            let ends = [format!("6 {path}  read 0+{length}"), format!("7 {path}  mbox 0+0"), hidden];
            assert_eq!(seen.details[seen.details.len() - 3..], ends, "{threads:?}");
            for (stop_after, result) in [(None, URLSPOOL_INCOMPLETE), (Some(2), URLSPOOL_STOPPED)] {
                let mut again = Seen { stop_after, ..Seen::default() };
                // SAFETY: all arguments outlive the call.
                let search = unsafe { urlspool_search_paths(searcher, paths.as_ptr(), 3) };
                assert_eq!(gathered(search, &mut again), result);
                assert_eq!(again.urls, seen.urls[..again.urls.len()]);
                assert_eq!(again.problems, seen.problems[..again.problems.len()]);
            }
        });
    }
    std::fs::remove_dir_all(folder).unwrap();
    std::fs::remove_file(file).unwrap();
}

// Each of the following constants has the same text, compressed in another format. The text has eight lines, from
// `see http://www.example.org/0` to `see http://www.example.org/7`.

/// Compressed by `gzip -9`.
const GZIP: &[u8] =
    b"\x1F\x8B\x08\x00\x00\x00\x00\x00\x02\x03+NMU\xC8())\xB0\xD2\xD7///\xD7K\xADH\xCC-\xC8I\xD5\xCB/J\xD77\xE0*\xC6-\
    i\x88O\xD2\x08\x9F\xA41>I\x13|\x92\xA6\xF8$\xCD\xF0I\x9As\x01\x00\xAEx\xC9c\xE8\x00\x00\x00";

/// Compressed by `bzip2 -1`.
const BZIP2: &[u8] =
    b"BZh11AY&SY+Q_7\x00\x00XY\x80\x00\x10@\x01\xFF\x90\x22\xC6\xDC\xC0 \x00pP\x00\x00d\xC8\x0A\xAA\x00\x03@\x0FI\x9D\
    \xB7_\x869g!\x02\x91!\xB8\xD8<\x13\x16\x8E\xC4\x0E\x84\x0E\xC5\xE3\xC1`\x98\x811\x02\xB11\xC0l$?\x17rE8P\x90+Q_7";

/// Compressed by `xz -0`.
const XZ: &[u8] =
    b"\xFD7zXZ\x00\x00\x04\xE6\xD6\xB4F\x02\x00!\x01\x0C\x00\x00\x00\x8F\x98A\x9C\xE0\x00\xE7\x006]\x009\x99H\xD6\x9A\
    {\x9F\xA6)z\x10g=&5\xFE\xCA\x7FC\x87\xFE\xE6\xD8\xEC\xE9\xD9\x01\x94dA\x84P\xD1-\xB28y\xFB\xCE\xE2\xECfF\x98-\x8E\
    \xCB\x09\xA8_faj\xA0\x00\x00\x00\xAEL\xE3\x222\x81\xD8\xCA\x00\x01R\xE8\x01\x00\x00\x00Z\x96\x0B\x22\xB1\xC4g\xFB\
    \x02\x00\x00\x00\x00\x04YZ";

/// Compressed by `zstd -19`.
const ZSTD: &[u8] =
    b"(\xB5/\xFD$\xE8\xC5\x01\x00T\x02see http://www.example.org/0\x0A1234567\x0A\x07 \xC03\x07\x8C0\xC7\xB0\x8C0'\xC3\
    \x02\xE1\xCE\x03\xE6{-\xB9";

/// Reads `stream`, which is compressed: first unchanged, then truncated, and then with a wrong bit.
fn decodes(stream: &[u8]) {
    with_searcher(&[], |searcher| {
        let read = |input: &[u8]| {
            let mut seen = Seen { input, ..Seen::default() };
            // SAFETY: all arguments outlive the call.
            let returned =
                unsafe { urlspool_read(searcher, Some(on_read), ptr::null(), Some(on_event), seen.context()) };
            (returned, seen.urls.len(), seen.problems.len())
        };
        assert_eq!(read(stream), (URLSPOOL_DONE, 8, 0));
        let (returned, urls, problems) = read(&stream[..stream.len() - 20]);
        assert_eq!((returned, problems), (URLSPOOL_INCOMPLETE, 1));
        assert!(urls <= 8);
        for at in [stream.len() / 3, stream.len() / 2] {
            let mut bad = stream.to_vec();
            bad[at] ^= 0x10;
            let (returned, ..) = read(&bad);
            assert_ne!(returned, URLSPOOL_PANIC);
        }
    });
}

#[test]
fn gzip_is_decoded() {
    decodes(GZIP);
}

#[test]
fn bzip2_is_decoded() {
    decodes(BZIP2);
}

#[test]
#[cfg_attr(miri, ignore = "Miri cannot run the assembly of the decoder")]
fn xz_is_decoded() {
    decodes(XZ);
}

#[test]
fn zstd_is_decoded() {
    decodes(ZSTD);
}
