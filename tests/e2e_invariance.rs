//! Checks that results do not depend on the number of threads, the chunk size, the compression, the container or the
//! line ends. Also checks that files and streams have the same results. The tests compare all fields of all hits and
//! rejects, except the file names. They compare line numbers and offsets only where these must be the same.

use std::fs;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use urlspool::Extractor;

use crate::support::placeless::{placeless, same};
use crate::support::record::{self, Event, Search, hits};
use crate::support::store::{append, stored};
use crate::support::{Random, Scratch, corpus, messages, with_crlf, with_lf};

const CHUNKS: &[usize] = &[1 << 10, 4099, 64 << 10, 256 << 10, 1 << 20];
const THREADS: &[usize] = &[1, 2, 3, 8];

fn builder() -> Search {
    Search::new().threads(1)
}

/// Makes an mbox of at least `bytes` bytes by repeating messages of the corpus.
fn mailbox(bytes: usize) -> Vec<u8> {
    let messages = stored();
    let mut random = Random(7);
    let mut mbox = Vec::new();
    while mbox.len() < bytes {
        let (_, message) = &messages[random.below(messages.len())];
        append(&mut mbox, message);
    }
    mbox
}

/// Makes a message of at least `bytes` bytes, with some URLs and only one blank line.
fn large(bytes: usize) -> Vec<u8> {
    let mut message =
        b"From: Marta <marta@archivist.example>\nSubject: all of it\nMessage-ID: <all@x.example>\n\n".to_vec();
    let mut number = 0;
    while message.len() < bytes {
        number += 1;
        let line = match number % 40 {
            0 => format!("> a wrapped one <URL:http://www.archivist.example/large/\n> {number}.html>, quoted\n"),
            20 => format!("and http://www.archivist.example/large/{number}.\n"),
            _ => format!("Line {number} of a long message that tells nothing to anyone who counts its lines.\n"),
        };
        message.extend(line.as_bytes());
    }
    message
}

#[test]
fn threads_and_chunks_do_not_matter() {
    let scratch = Scratch::new("threads");
    let directories = ["mail", "mbox", "spool", "maildir", "mh", "rnews", "text"];
    let mut paths: Vec<_> = directories.iter().map(|name| corpus(name)).collect();
    paths.push(scratch.file("archive.mbox", &mailbox(300_000)));
    paths.push(scratch.path().join("there is no such file"));
    let want = record::paths(&builder(), paths.clone());
    assert!(want.len() > 1500, "{}", want.len());
    for &threads in THREADS {
        for &chunk in CHUNKS {
            let got = record::paths(&builder().threads(threads).chunk(chunk), paths.clone());
            same(&format!("{threads} threads, chunks of {chunk}"), &want, &got);
        }
    }
}

/// Searches an archive of at least 20 MiB. The archive contains a message of 3 MiB, and a message of 9 MiB. The second
/// message is larger than the default limit of 4 MiB for a message.
#[test]
fn a_large_archive_is_the_same_for_all() {
    let scratch = Scratch::new("large");
    let mut archive = mailbox(3 << 20);
    append(&mut archive, &large(3 << 20));
    archive.extend(mailbox(1 << 20));
    append(&mut archive, &large(9 << 20));
    while archive.len() < 20 << 20 {
        archive.extend(mailbox(2 << 20));
    }
    let path = scratch.file("large.mbox", &archive);
    let want = record::paths(&builder(), vec![path.clone()]);
    let is_oversize = |event: &&Event| matches!(event, Event::Diagnostic { name: "oversize-message", .. });
    assert_eq!(want.iter().filter(is_oversize).count(), 1);
    let large = hits(&want).filter(|hit| hit.url.starts_with(b"http://www.archivist.example/large/")).count();
    // The search finds all URLs of both large messages.
    assert_eq!(large, number_of_large(&archive));
    for (threads, chunk) in [(2, 256 << 10), (8, 60_000)] {
        let got = record::paths(&builder().threads(threads).chunk(chunk), vec![path.clone()]);
        same(&format!("{threads} threads, chunks of {chunk}"), &want, &got);
    }
}

/// Several threads read a mailbox, and each thread reads a different part. Such a part can begin anywhere: in a
/// separator of messages, in a line that only looks like a separator, or in a message that spans several parts.
#[test]
fn parts_of_any_size_are_the_same() {
    let scratch = Scratch::new("parts");
    let mut archive = mailbox(40_000);
    append(&mut archive, &large(9_000));
    for line in ["From nobody\n", "\nFrom here on\n", ">From a@b Mon Jan  1 00:00:00 2001\n", "\n\n\n", "\r\n"] {
        archive.extend(line.as_bytes());
        append(&mut archive, format!("Subject: x\n\n{line}http://www.archivist.example/after\n").as_bytes());
    }
    archive.extend(mailbox(10_000));
    append(&mut archive, &large(20_000));
    let cut = archive.len() - 3;
    let variants = [("lf", archive.clone()), ("crlf", with_crlf(&archive)), ("cut", archive[..cut].to_vec())];
    // The library reads a file in batches, whose size depends on the chunk size. It reports the diagnostics of a batch
    // before the hits. So the order of diagnostics and hits depends on the chunk size.
    let run = |search: Search, path: &PathBuf| {
        let mut events = record::paths(&search, vec![path.clone()]);
        events.sort_by_key(|event| match event {
            Event::Diagnostic { offset, name, .. } => Some((*offset, *name)),
            _ => None,
        });
        events
    };
    let mut random = Random(11);
    for (name, archive) in variants {
        let path = scratch.file(name, &archive);
        for limit in [5_000, 4 << 20] {
            let search = builder().max_message(limit);
            let want = run(search.clone(), &path);
            assert!(hits(&want).count() > 250, "{}", hits(&want).count());
            for _ in 0..25 {
                let chunk = [60, 500, 5_000][random.below(3)] + random.below(2_000);
                let threads = 2 + random.below(4);
                let got = run(search.threads(threads).chunk(chunk), &path);
                same(&format!("{name}: at most {limit} bytes, {threads} threads, chunks of {chunk}"), &want, &got);
            }
        }
    }
}

fn number_of_large(archive: &[u8]) -> usize {
    memchr::memmem::find_iter(archive, b"http://www.archivist.example/large/").count()
}

/// A reader that returns its bytes in chunks. The fields are the bytes, the offset of the next chunk, and a function
/// that returns the size of the next chunk.
struct Drip<F>(Vec<u8>, usize, F);

impl<F: FnMut() -> usize> Read for Drip<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Drip(bytes, at, size) = self;
        let count = size().min(buffer.len()).min(bytes.len() - *at);
        buffer[..count].copy_from_slice(&bytes[*at..*at + count]);
        *at += count;
        Ok(count)
    }
}

fn archives() -> Vec<PathBuf> {
    ["mbox/small.mbox", "rnews/batch", "text/links.txt", "mail/alternative.eml", "spool/news/alt/archive/tapes/3"]
        .iter()
        .map(|name| corpus(name))
        .collect()
}

#[test]
fn files_and_streams_are_the_same() {
    let mut random = Random(3);
    for path in archives() {
        let bytes = fs::read(&path).expect("an archive");
        let name = path.to_str().expect("a path in UTF-8");
        let want = record::paths(&builder(), vec![path.clone()]);
        for &chunk in CHUNKS {
            let extractor = builder().chunk(chunk);
            let by_one = Drip(bytes.clone(), 0, || 1);
            same(&format!("{name}, byte by byte, {chunk}"), &want, &record::read(&extractor, by_one, name));
            let mut random = Random(random.below(1 << 30) as u64);
            let short = Drip(bytes.clone(), 0, move || 1 + random.below(700));
            same(&format!("{name}, short reads, {chunk}"), &want, &record::read(&extractor, short, name));
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("writing to a Vec cannot fail");
    encoder.finish().expect("writing to a Vec cannot fail")
}

#[test]
fn compression_does_not_matter() {
    let scratch = Scratch::new("gzip");
    let mut random = Random(5);
    let large = scratch.file("large.mbox", &mailbox(1 << 20));
    for path in archives().into_iter().chain([large]) {
        let bytes = fs::read(&path).expect("an archive");
        let want = record::paths(&builder(), vec![path.clone()]);
        let mut members = Vec::new();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (member, after) = rest.split_at((1 + random.below(bytes.len() / 3)).min(rest.len()));
            members.extend(gzip(member));
            rest = after;
        }
        // The name of the compressed file does not end in `.gz`, so the library must detect gzip from the content.
        for (how, compressed) in [("one member", gzip(&bytes)), ("several members", members)] {
            let name = scratch.path().join("packed").join(path.file_name().expect("a name"));
            let packed = scratch.file(name.strip_prefix(scratch.path()).unwrap().to_str().unwrap(), &compressed);
            for chunk in [1 << 10, 256 << 10] {
                let got = record::paths(&builder().chunk(chunk), vec![packed.clone()]);
                same(&format!("{}, {how}, {chunk}", path.display()), &want, &renamed(got, &packed, &path));
            }
        }
    }
}

/// Returns the events with the file name `from` replaced by `to`.
fn renamed(events: Vec<Event>, from: &Path, to: &Path) -> Vec<Event> {
    let rename = |path: PathBuf| if path == from { to.to_path_buf() } else { path };
    let event = |event| match event {
        Event::Found(mut found) => {
            found.file = found.file.map(rename);
            Event::Found(found)
        }
        Event::Diagnostic { file, offset, name } => Event::Diagnostic { file: file.map(rename), offset, name },
        Event::End(path) => Event::End(rename(path)),
        problem @ Event::Problem(_) => problem,
    };
    events.into_iter().map(event).collect()
}

/// Checks that a message has the same hits in any container. In a news batch, the offsets of the hits from the start of
/// the message must also be the same.
#[test]
fn containers_do_not_change_the_hits() {
    let scratch = Scratch::new("containers");
    let messages = stored();
    let (mut mbox_file, mut batch, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (name, bytes)) in messages.iter().enumerate() {
        append(&mut mbox_file, bytes);
        batch.extend(format!("#! rnews {}\n", bytes.len()).as_bytes());
        starts.push(batch.len() as u64);
        batch.extend(bytes);
        scratch.file(&format!("maildir/cur/{i:03}.{name}:2,S"), bytes);
        scratch.file(&format!("mh/inbox/{}", i + 1), bytes);
    }
    fs::create_dir_all(scratch.path().join("maildir/new")).expect("a directory");
    let extractor = builder();
    let alone: Vec<_> = messages.iter().map(|(_, bytes)| record::message(&extractor, bytes)).collect();
    let want = placeless(alone.iter().flatten());
    assert!(want.len() > 150);

    let batch = scratch.file("batch", &batch);
    let inputs = [
        ("mbox", scratch.file("mbox", &mbox_file)),
        ("rnews", batch.clone()),
        ("Maildir", scratch.path().join("maildir")),
        ("MH", scratch.path().join("mh")),
    ];
    for (what, path) in inputs {
        let events = record::paths(&extractor, vec![path]);
        same(what, &want, &placeless(&events));
    }

    let places = |events: &[Event], base: u64| -> Vec<(u64, u64)> {
        hits(events).map(|hit| (hit.offset - base, hit.length)).collect()
    };
    let events = record::paths(&extractor, vec![batch]);
    for (i, start) in starts.iter().enumerate() {
        let number = Some(i as u64 + 1);
        let mine = |event: &&Event| matches!(event, Event::Found(found) if found.message.number == number);
        let mine: Vec<_> = events.iter().filter(mine).cloned().collect();
        same(&messages[i].0, &places(&alone[i], 0), &places(&mine, *start));
    }
}

/// Checks that a message has the same hits if its lines end with LF, CRLF or CR. Also checks an mbox with LF and with
/// CRLF.
#[test]
fn line_ends_do_not_matter() {
    let extractor = builder();
    for (name, bytes) in messages() {
        // In wire format, lines always end with CRLF.
        if name == "wire_article_dot.eml" {
            continue;
        }
        let lf = placeless(&record::message(&extractor, &with_lf(&bytes)));
        let crlf = placeless(&record::message(&extractor, &with_crlf(&bytes)));
        same(&name, &lf, &crlf);
        let cr = with_lf(&bytes).iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect::<Vec<_>>();
        same(&name, &lf, &placeless(&record::message(&extractor, &cr)));
    }
    let read = |bytes: Vec<u8>, format| record::read(&builder().format(format), io::Cursor::new(bytes), "archive");
    let archive = mailbox(200_000);
    let (lf, crlf) = (read(with_lf(&archive), "mbox"), read(with_crlf(&archive), "mbox"));
    same("an mbox", &placeless(&lf), &placeless(&crlf));
}

/// Checks that a search of a message in memory finds the same hits as a search of the message as a stream.
#[test]
fn tiers_are_the_same() {
    for (name, bytes) in messages() {
        let extractor = Search::new().format("message");
        let alone = placeless(&record::message(&extractor, &bytes));
        let read = record::read(&extractor, io::Cursor::new(bytes), "message");
        same(&name, &alone, &placeless(&read));
    }
}

/// Hits and errors are returned in the order of the files, for any number of threads.
#[test]
fn a_missing_file_is_an_error_in_its_place() {
    let paths = ["mbox/small.mbox", "missing.mbox", "text/links.txt"].map(corpus);
    for &threads in THREADS {
        let found: Vec<_> = Extractor::new().threads(threads).paths(&paths).collect();
        let errors: Vec<_> = found.iter().enumerate().filter_map(|(at, hit)| Some((at, hit.as_ref().err()?))).collect();
        assert!(matches!(errors[..], [(at, error)] if at > 0 && at + 1 < found.len() && error.path() == paths[1]));
    }
}
