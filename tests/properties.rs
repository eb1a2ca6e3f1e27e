//! Runs the fuzz targets of `tests/fuzz/src` on their seeds, and on randomly changed seeds. The seeds are the files of
//! the corpus, and archives of every kind that contain messages of the corpus.

#[path = "fuzz/src/archive.rs"]
mod archive;
#[path = "fuzz/src/browser.rs"]
mod browser;
#[path = "fuzz/src/html.rs"]
mod html;
#[path = "fuzz/src/listener.rs"]
mod listener;
#[path = "fuzz/src/message.rs"]
mod message;
#[path = "fuzz/src/mime.rs"]
mod mime;
#[path = "fuzz/src/scan.rs"]
mod scan;
#[cfg(feature = "tasks")]
#[path = "fuzz/src/tasks.rs"]
mod tasks;
#[path = "fuzz/src/tee.rs"]
mod tee;
#[path = "fuzz/src/url.rs"]
mod url;

use std::path::Path;
use std::{env, fs};

use crate::support::{Random, corpus, store};

/// Adds the contents of all files below `directory` to `into`, except files of 30,000 bytes or more.
fn files(directory: &Path, into: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, into);
        } else {
            into.extend(fs::read(path).ok().filter(|bytes| bytes.len() < 30_000));
        }
    }
}

/// Returns the contents of all files of the corpus, except files of 30,000 bytes or more.
fn texts() -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    files(&corpus(""), &mut inputs);
    assert!(inputs.len() > 150, "{}", inputs.len());
    inputs.sort();
    inputs
}

/// Returns all words of the corpus that contain a colon.
fn words() -> Vec<Vec<u8>> {
    let texts = texts();
    let words = texts.iter().flat_map(|text| text.split(|byte| b"\n\"<> ".contains(byte)));
    let mut words: Vec<_> = words.filter(|word| word.contains(&b':')).map(<[u8]>::to_vec).collect();
    words.sort();
    words.dedup();
    assert!(words.len() > 2000, "{}", words.len());
    words
}

/// Returns inputs of the target `browser`: each piece of markup before a link, with a piece between them.
fn markup() -> Vec<Vec<u8>> {
    (0..255).map(|piece| vec![piece, 255, piece ^ 7, 255]).collect()
}

/// Returns inputs of the target `message`: messages in the notation of `mime`, and the files of the corpus. Each input
/// consists of two messages, which the target searches one after the other. If the input is in the notation, its first
/// message is empty.
fn messages() -> Vec<Vec<u8>> {
    let part = b"\xB8\x87\x94\n\xD0\x28<a href=\"http://a.example/\">b</a> http://c/\xB8\n\xA6d: \x9A\xC0";
    let mut seeds = vec![
        [&b"\x82x\n\xB0"[..], part].concat(),
        [&b"\xB1"[..], part, part].concat(),
        [&b"\xB2\xC8\x83\n\x9B"[..], part].concat(),
        [&b"\xB0\xB8\xB1"[..], part, b"\xC0"].concat(),
        b"\x82\x98\n\x99\x95\n\xE0\x14See http://a.example/, as it is.".to_vec(),
    ];
    // Add a message for each string of `mime::BITS`.
    seeds.extend((128..180).map(|bit| vec![b'\n', bit, b':', bit, b'\n', bit]));
    let mut seeds: Vec<_> = seeds.into_iter().map(|seed| [&[255, 0], &seed[..]].concat()).collect();
    seeds.extend(texts());
    // A stream in the format of compress(1), which contains the letter `l`.
    seeds.push(b"\x1F\x9D\x6C\x2C\x6C".to_vec());
    seeds
}

/// Returns archives of every format and compression. Except in Outlook's formats, the messages are from the corpus.
fn archives() -> Vec<Vec<u8>> {
    let messages: Vec<Vec<u8>> = store::stored().into_iter().map(|(_, message)| message).collect();
    let mut all = Vec::new();
    for some in messages.chunks(3).step_by(4) {
        let mut mbox = Vec::new();
        some.iter().for_each(|message| store::append(&mut mbox, message));
        let files: Vec<_> = some.iter().enumerate().map(|(i, message)| (format!("{i}.eml"), message.clone())).collect();
        let tar = store::tar(&files);
        all.extend([store::mmdf(some), store::babyl(some), store::listserv(some), store::git_batch(some)]);
        all.extend([store::rnews(some), store::digest(some), store::emlx(&some[0]), store::wire(&some[0])]);
        all.extend([store::zip(&files, false), store::zip(&files, true), store::xz(&tar), store::compress(&tar, 16)]);
        all.extend([8, 12, 93, 95].map(|method| store::streamed_zip(&files, method)));
        all.extend([store::bzip2(&mbox), store::xz(&mbox), store::zstd(&mbox), store::compress(&mbox, 12)]);
        all.push(store::zip(&["a", "b"].map(|name| (name.to_owned(), mbox.clone())), false));
        all.extend([tar, archive::gzip(&mbox, mbox.len() / 2), lz4(&mbox), mbox]);
    }
    // A damaged header between two members.
    let [a, b] = ["a", "b"].map(|name| store::tar_member(b'0', name, Some(b"")));
    all.push([&a[..], &[b'x'; 512], &b].concat());
    all.extend(outlook());
    all
}

/// Returns an lz4 frame with one stored block. urlspool recognizes lz4 and reports that it cannot be read.
fn lz4(bytes: &[u8]) -> Vec<u8> {
    let size = (bytes.len() as u32 | 1 << 31).to_le_bytes();
    [&b"\x04\x22\x4D\x18\x60\x70\x73"[..], &size, bytes, &[0; 4]].concat()
}

#[cfg(not(feature = "outlook"))]
fn outlook() -> Vec<Vec<u8>> {
    Vec::new()
}

#[cfg(feature = "outlook")]
fn outlook() -> Vec<Vec<u8>> {
    use crate::e2e_outlook::outlook::{Folders, Mail, msg, pst, tnef};
    let text = "See http://a.example/.".to_owned();
    let html = "<a href=http://b.example/>b</a>".to_owned();
    let mail = Mail { subject: "x", text, html, rtf: "{\\rtf1 http://c.example/}".to_owned(), ..Mail::default() };
    let folders = [Folders::Ansi, Folders::Unicode, Folders::Large].map(|kind| pst(kind, std::slice::from_ref(&mail)));
    [msg(&mail), tnef(&mail)].into_iter().chain(folders).collect()
}

/// Joins parts of two inputs, and makes up to seven random changes.
fn damaged(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut part = || {
        let input = &inputs[random.below(inputs.len())];
        let (from, to) = (random.below(input.len() + 1), random.below(input.len() + 1));
        input[from.min(to)..from.max(to)].to_vec()
    };
    let mut bytes = [part(), part()].concat();
    for _ in 0..random.below(8) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let len = random.below(40).min(bytes.len() - at);
        match random.below(4) {
            0 => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..at + len)),
            2 => bytes.extend_from_within(at..at + len),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// Calls `property` with all seeds, and then with inputs that [`damaged`] makes from the seeds. `damages` is the number
/// of these inputs. Puts `options` random bytes before each input. These bytes choose the options of the fuzz target.
fn hold(property: fn(&[u8]), seeds: &[Vec<u8>], options: usize, damages: usize) {
    let mut random = Random(options as u64);
    for i in 0..seeds.len() + damages {
        let input = seeds.get(i).cloned().unwrap_or_else(|| damaged(seeds, &mut random));
        let options = (0..options).map(|_| random.below(256) as u8);
        property(&options.chain(input).collect::<Vec<_>>());
    }
}

#[test]
fn any_bytes_as_a_url() {
    hold(url::url, &words(), 0, 1000);
}

#[test]
fn any_bytes_as_text() {
    hold(scan::scan, &texts(), 1, 1000);
}

#[test]
fn any_bytes_as_a_message() {
    hold(message::message, &messages(), 0, 1000);
}

#[test]
fn any_bytes_as_html() {
    hold(html::html, &texts(), 1, 500);
}

#[test]
fn any_bytes_as_odd_markup() {
    hold(browser::browser, &markup(), 0, 500);
}

#[test]
fn any_bytes_as_an_archive() {
    hold(archive::archive, &texts(), 3, 300);
    hold(archive::archive, &archives(), 3, 300);
}

#[cfg(feature = "tasks")]
#[test]
fn any_bytes_in_tasks() {
    hold(tasks::tasks, &texts(), 3, 100);
    hold(tasks::tasks, &archives(), 3, 100);
}

#[test]
fn any_bytes_through_the_filter() {
    hold(tee::tee, &texts(), 1, 500);
}

/// Writes the seeds of each fuzz target into a directory for `tests/fuzz/run`. These directories are inside the
/// directory that `URLSPOOL_SEEDS` names.
#[test]
fn seeds() {
    let Some(directory) = env::var_os("URLSPOOL_SEEDS") else { return };
    // Each seed begins with the bytes that choose the options of the target. For the target `archive`, the first byte
    // is the index of a format. No format has the index 255, so urlspool detects the format.
    assert!(archive::formats().count() < 255);
    let all = [
        ("archive", &[255, 6, 255][..], [texts(), archives()].concat()),
        ("browser", &[], markup()),
        ("capi", &[0, 2, 9], texts()),
        ("html", &[0], texts()),
        ("message", &[], messages()),
        ("scan", &[0, 6], texts()),
        ("tasks", &[0, 9, 99], [texts(), archives()].concat()),
        ("tee", &[3], texts()),
        ("transfer", &[], texts()),
        ("url", &[], words()),
    ];
    for (target, options, seeds) in all {
        let directory = Path::new(&directory).join(target);
        fs::create_dir_all(&directory).expect("a directory");
        for (i, seed) in seeds.iter().enumerate() {
            fs::write(directory.join(format!("{i:05}")), [options, seed].concat()).expect("a file");
        }
    }
}
