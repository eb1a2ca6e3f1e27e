//! Checks that the results for a file do not depend on the sizes of reads and chunks, on the number of threads, on
//! compression, or on byte ranges.

use std::fmt::Debug;
use std::io::Write;
use std::path::PathBuf;
use std::{env, fs, process};

use flate2::Compression;
use flate2::write::GzEncoder;
use urlspool::{Extractor, OPTIONS};

use super::listener::{Listener, same};
use crate::support::record::{self, Event, Found, Search};
use crate::support::short::Short;

/// Returns the names of all formats.
pub fn formats() -> impl Iterator<Item = &'static str> {
    let row = OPTIONS.iter().find(|row| row.name == "format").expect("an option");
    row.values().into_iter().map(|(name, _)| name).filter(|name| !["auto", "maildir", "mh", "spool"].contains(name))
}

/// Input: three bytes, then a file. The three bytes choose the format, the size of reads, and what is compared.
pub fn archive(bytes: &[u8]) {
    let Some((&[format, size, choice], file)) = bytes.split_first_chunk() else { return };
    let format = formats().nth(usize::from(format)).unwrap_or("auto");
    let search = Search::new().format(format).threads(1);
    let (listener, is_whole) = read(&search, file, file.len().max(1));
    let is_plain = is_whole && !listener.packed;
    if is_plain {
        assert_eq!(listener.tiled, file.len() as u64, "the segments do not cover the file");
    }
    let whole = listener.record.0;
    let (listener, _) = read(&search.chunk(1 << 10), file, usize::from(size) + 1);
    same(&format!("in pieces of {}", usize::from(size) + 1), &whole, &listener.record.0);

    if choice & 1 == 1 && is_plain {
        let (listener, _) = read(&search, &gzip(file, usize::from(choice)), file.len().max(1));
        same("compressed", &whole, &listener.record.0);
    }
    if choice & 2 == 2 {
        let at = file.len() as u64 * u64::from(choice >> 2) / 63;
        let mut parts = Vec::new();
        for range in [0..at, at..u64::MAX].into_iter().filter(|range| !range.is_empty()) {
            let mut listener = Listener::new(u64::MAX);
            let hits = search
                .with(|extractor| extractor.set("byte-range", &format!("{}-{}", range.start, range.end)).unwrap())
                .stream(file)
                .name("file");
            let _ = hits.each(&mut listener);
            parts.extend(found(listener.record.0));
        }
        same_in_ranges(at, found(whole.clone()), parts, |hit| hit.member.is_some());
    }
    // Tests with files and threads take a hundred times as long as tests in memory, so only one input in sixteen is
    // tested in this way.
    if choice >> 4 == 0 {
        paths(&search, file, usize::from(size) + 1, &whole);
    }
}

/// Searches `file` as a stream that returns at most `size` bytes at a time. Returns the events, and whether the stream
/// was read to its end.
fn read(search: &Search, file: &[u8], size: usize) -> (Listener, bool) {
    let mut listener = Listener::new(u64::MAX);
    let failure = record::stream(search.stream(Short(file, size)).name("file"), &mut listener);
    (listener, failure.is_none())
}

/// Compresses `file` as two gzip members. The second member has the bytes from `at` on.
pub(crate) fn gzip(file: &[u8], at: usize) -> Vec<u8> {
    let (first, second) = file.split_at(at.min(file.len()));
    let mut out = Vec::new();
    for member in [first, second] {
        let mut encoder = GzEncoder::new(out, Compression::fast());
        encoder.write_all(member).expect("writing to a Vec cannot fail");
        out = encoder.finish().expect("writing to a Vec cannot fail");
    }
    out
}

/// Writes `file` to disk, and searches it there. Tests that this search has the same hits and rejects as the search of
/// a stream, whose events are in `whole`. Also tests that the events do not depend on the number of threads or on the
/// chunk size, and that the searches of two byte ranges together find all hits.
fn paths(search: &Search, file: &[u8], chunk: usize, whole: &[Event]) {
    let path = scratch("archive");
    fs::write(&path, file).expect("a temporary file");
    let one = record::paths(search, vec![path.clone()]);
    same("a file", &found(whole.to_vec()), &found(one.clone()));
    for (threads, chunk) in [(2, 1 << 10), (3, chunk)] {
        let several = record::paths(&search.threads(threads).chunk(chunk), vec![path.clone()]);
        same(&format!("{threads} threads, chunks of {chunk}"), &one, &several);
    }
    let urls = |range: &str| {
        let extractor = Extractor::new().set("count-lines", "false").unwrap().threads(1);
        let hits = extractor.set("byte-range", range).unwrap().paths([&path]);
        let hits = hits.filter_map(Result::ok);
        let urls = hits.map(|hit| (hit.member().map(<[u8]>::to_vec), hit.url().clone().into_owned(), hit.offset()));
        urls.collect::<Vec<_>>()
    };
    let at = (file.len() as u64 / 2).max(1);
    let parts = [urls(&format!("0-{at}")), urls(&format!("{at}-"))].concat();
    same_in_ranges(at, urls("0-"), parts, |(member, ..)| member.is_some());
}

/// Compares the hits of a file with the hits of two ranges of the file, the second from `at`. In an archive, a range
/// applies to each member. So the hits of the second range in the first member come after the hits of the first range in
/// all members, and the order is not compared.
fn same_in_ranges<T: PartialEq + Debug>(at: u64, mut want: Vec<T>, mut got: Vec<T>, is_in_member: fn(&T) -> bool) {
    if want.iter().any(is_in_member) {
        for hits in [&mut want, &mut got] {
            hits.sort_by_cached_key(|hit| format!("{hit:?}"));
        }
    }
    same(&format!("in two ranges, the second from {at}"), &want, &got);
}

/// Returns the hits and rejects, without file names.
fn found(events: Vec<Event>) -> Vec<Found> {
    let found = events.into_iter().filter_map(|event| match event {
        Event::Found(found) => Some(Found { file: None, ..*found }),
        _ => None,
    });
    found.collect()
}

/// Returns the path of a temporary file of this process, for the target `name`. If the system has /dev/shm, the file is
/// in memory.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let directory = if memory.is_dir() { memory } else { env::temp_dir() };
    directory.join(format!("urlspool-fuzz-{name}-{}", process::id()))
}
