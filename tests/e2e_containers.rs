//! Puts the same messages into every container, compression and archive format. Checks that the hits are the same for
//! each format, for files and streams, and for any chunk size.

use std::collections::BTreeSet;
use std::io::{self, Cursor, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use urlspool::{Extractor, Reason};

use crate::support::placeless::{Placeless, placeless, same};
use crate::support::record::{self, Event, Search};
use crate::support::short::Short;
use crate::support::store::{self, append, bzip2, stored, xz, zstd};
use crate::support::{Random, Scratch, with_lf};

fn builder() -> Search {
    Search::new().threads(1)
}

/// Returns the messages of the corpus in which all lines end with LF, because most containers need such line ends. Each
/// message begins with a well-known header field.
fn mail() -> Vec<Vec<u8>> {
    let mail: Vec<_> = stored().into_iter().map(|(_, bytes)| bytes).filter(|bytes| with_lf(bytes) == *bytes).collect();
    assert!(mail.len() >= 30);
    mail
}

fn mbox(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut mbox = Vec::new();
    messages.iter().for_each(|message| append(&mut mbox, message));
    mbox
}

fn alone(messages: &[Vec<u8>]) -> Vec<Placeless> {
    let extractor = builder();
    let events: Vec<_> = messages.iter().map(|bytes| record::message(&extractor, bytes)).collect();
    placeless(events.iter().flatten())
}

/// Returns one mailbox of each kind. Each mailbox contains all `messages`.
fn mailboxes(messages: &[Vec<u8>]) -> [(&'static str, Vec<u8>); 7] {
    [
        ("mbox", mbox(messages)),
        ("mmdf", store::mmdf(messages)),
        ("babyl", store::babyl(messages)),
        ("listserv", store::listserv(messages)),
        ("mbx", store::mbx(messages)),
        ("git-batch", store::git_batch(messages)),
        ("rnews", store::rnews(messages)),
    ]
}

#[test]
fn mailboxes_of_every_kind() {
    let scratch = Scratch::new("mailboxes");
    let messages = mail();
    let want = alone(&messages);
    assert!(want.len() > 100);
    let table = mailboxes(&messages);
    for (format, bytes) in &table {
        let file = scratch.file(format, bytes);
        let events = record::paths(&builder(), vec![file.clone()]);
        same(format, &want, &placeless(&events));
        let numbers = events.iter().filter_map(|event| match event {
            Event::Found(found) => found.message.number,
            _ => None,
        });
        assert!(numbers.max() <= Some(messages.len() as u64), "{format}");
        assert!(
            !events
                .iter()
                .any(|event| matches!(event, Event::Diagnostic { name: "wrong-count" | "short-article", .. }))
        );
        // The result does not depend on the number of threads, on the chunk size, or on whether the caller sets the
        // format.
        let asked = builder().format(format);
        for extractor in [builder().threads(3).chunk(1000), builder().chunk(1), asked] {
            same(format, &events, &record::paths(&extractor, vec![file.clone()]));
        }
        for short in [1, 100] {
            let extractor = builder().chunk(5000);
            let got = record::read(&extractor, Short(Cursor::new(bytes.clone()), short), file.to_str().unwrap());
            same(format, &events, &got);
        }
        // If a mailbox is truncated, the hits before the truncation are found.
        for end in (0..bytes.len()).step_by(bytes.len() / 40) {
            let cut = record::read(&builder(), Cursor::new(bytes[..end].to_vec()), format);
            let found = placeless(&cut);
            let agreed = found.iter().zip(&want).take_while(|(a, b)| a == b).count();
            // Only the hits of the truncated message may differ.
            assert!(found.len() - agreed < 20, "{format}, {end} bytes: {} of {}", agreed, found.len());
        }
    }
    // The format MTX has nothing before the first message.
    let file = scratch.file("mtx", &store::mbx(&messages)[2048..]);
    same("mtx", &want, &placeless(&record::paths(&builder(), vec![file])));
}

/// Checks that the hits are the same if blank lines or white space are before the first line. Also checks that the
/// offsets are the same if each line ends with a CR alone.
#[test]
fn blank_lines_and_old_line_ends() {
    let scratch = Scratch::new("blank");
    let messages = mail();
    let mut files = mailboxes(&messages).to_vec();
    // An mbx begins at the first byte of its file.
    files.retain(|(name, _)| *name != "mbx");
    files.extend(messages.iter().map(|bytes| ("message", bytes.clone())));
    for (name, bytes) in files {
        let file = scratch.file(name, &bytes);
        let want = record::paths(&builder(), vec![file.clone()]);
        for blank in ["\n", "\r\n \t\n\n", "  ", "\u{feff}\n "] {
            let file = scratch.file("blank", &[blank.as_bytes(), &bytes].concat());
            let got = record::paths(&builder(), vec![file.clone()]);
            same(name, &placeless(&want), &placeless(&got));
            for short in [1, 100] {
                let reader = Short(Cursor::new([blank.as_bytes(), &bytes].concat()), short);
                same(name, &got, &record::read(&builder().chunk(1), reader, file.to_str().unwrap()));
            }
        }
        let cr: Vec<u8> = bytes.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
        scratch.file(name, &cr);
        let asked = builder().format(name);
        for extractor in [builder(), builder().threads(3).chunk(1000), builder().chunk(1), asked] {
            same(name, &want, &record::paths(&extractor, vec![file.clone()]));
        }
        if name == "message" {
            let want = record::message(&builder(), &bytes);
            same(name, &want, &record::message(&builder(), &cr));
        }
    }
}

#[test]
fn one_file_per_message_gives_the_same_hits() {
    let scratch = Scratch::new("each");
    let messages = mail();
    let want = alone(&messages);
    let crlf: Vec<_> = messages.iter().map(|bytes| crate::support::with_crlf(bytes)).collect();
    for (i, bytes) in messages.iter().enumerate() {
        let n = i + 1;
        scratch.file(&format!("apple/{n}.emlx"), &store::emlx(bytes));
        scratch.file(&format!("spool/news/alt/tapes/{n}"), &store::wire(bytes));
        scratch.file(&format!("timehash/time-00/{:02}/{:02}/{n:04}-0001", n / 16, n % 16), &store::wire(bytes));
        scratch.file(&format!("maildir/.Sub/cur/{n}.M1P1.mail.example:2,S"), bytes);
        scratch.file(&format!("mh/inbox/{n}"), bytes);
    }
    for name in ["cur/.keep", "new/.keep", "tmp/1078599999.M4P1.h", ".Sub/new/dovecot.index", "dovecot-uidlist"] {
        scratch.file(&format!("maildir/{name}"), b"http://no.mail.example/");
    }
    for name in ["apple", "spool", "maildir", "mh"] {
        let root = scratch.path().join(name);
        let got = placeless(&record::paths(&builder(), vec![root]));
        same(name, if name == "spool" { alone_wire(&crlf, &want) } else { &want }, &got);
    }
    let got = placeless(&record::paths(&builder().format("article"), vec![scratch.path().join("timehash")]));
    same("timehash", &want, &got);
}

/// Checks that the messages in `crlf` have the hits in `want`, and returns `want`. The lines of these messages end with
/// CRLF, as in wire format.
fn alone_wire<'w>(crlf: &[Vec<u8>], want: &'w [Placeless]) -> &'w [Placeless] {
    same("CRLF", want, &alone(crlf));
    want
}

#[test]
fn digests_are_cut_on_request() {
    let no_ruler = |bytes: &Vec<u8>| !bytes.windows(9).any(|window| window == b"\n--------");
    let messages: Vec<_> = mail().into_iter().filter(no_ruler).collect();
    let digest = store::digest(&messages);
    let extractor = builder().format("digest");
    let events = record::read(&extractor, Cursor::new(digest.clone()), "digest");
    same("digest", &alone(&messages), &placeless(&events));
    let whole = record::read(&builder(), Cursor::new(digest), "digest");
    let numbers = whole.iter().filter_map(|event| match event {
        Event::Found(found) => found.message.number,
        _ => None,
    });
    assert_eq!(numbers.max(), Some(1), "without being asked it is one message");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("writing to a Vec cannot fail");
    encoder.finish().expect("writing to a Vec cannot fail")
}

type Encode = fn(&[u8]) -> Vec<u8>;

/// For each compression format: the name, the encoder, and the line that C News and INN write before data in this
/// format.
const CODECS: &[(&str, Encode, &str)] = &[
    ("gzip", gzip, "#! gunbatch\n"),
    ("bzip2", bzip2, "#! bunbatch\n"),
    ("xz", xz, "#! xunbatch\n"),
    ("zstd", zstd, ""),
    ("compress", |bytes| store::compress(bytes, 16), "#! cunbatch\n"),
    ("compress -b 10", |bytes| store::compress(bytes, 10), "#! cunbatch\n"),
];

fn without_file(events: Vec<Event>) -> Vec<Event> {
    let event = |event| match event {
        Event::Found(mut found) => {
            (found.file, found.member) = (None, None);
            Event::Found(found)
        }
        Event::Diagnostic { offset, name, .. } => Event::Diagnostic { file: None, offset, name },
        other => other,
    };
    events.into_iter().filter(|event| !matches!(event, Event::End(_))).map(event).collect()
}

#[test]
fn every_compression() {
    let scratch = Scratch::new("compression");
    let messages = mail();
    for (what, bytes) in [("mbox", mbox(&messages)), ("rnews", store::rnews(&messages))] {
        let want = without_file(record::read(&builder(), Cursor::new(bytes.clone()), "plain"));
        for (name, encode, line) in CODECS {
            let whole = encode(&bytes);
            let (one, other) = bytes.split_at(bytes.len() / 3);
            let mut inputs = vec![(format!("{what}, {name}"), whole.clone())];
            if !name.starts_with("compress") {
                inputs.push((format!("{what}, {name}, twice"), gzip(&whole)));
                inputs.push((format!("{what}, {name}, two streams"), [encode(one), encode(other)].concat()));
            }
            if !line.is_empty() {
                inputs.push((format!("{what}, {line}"), [line.as_bytes(), &whole].concat()));
            }
            for (how, input) in inputs {
                let file = scratch.file("packed", &input);
                for extractor in [builder(), builder().chunk(777), builder().threads(2).chunk(5000)] {
                    let got = record::paths(&extractor, vec![file.clone(), file.clone()]);
                    let (first, second) = got.split_at(got.len() / 2);
                    same(&how, &want, &without_file(first.to_vec()));
                    same(&how, &want, &without_file(second.to_vec()));
                }
                let got = record::read(&builder(), Short(Cursor::new(input), 3), "short");
                same(&how, &want, &without_file(got));
            }
        }
    }
}

/// Found by fuzzing: for a damaged member, the library reported how far the decoder had read, which depends on the
/// sizes of reads. It must report the offset at which the data of the member begins.
#[test]
fn a_damaged_member_that_is_skipped_is_reported_where_it_begins() {
    let mut random = Random(1738);
    let picture = [b"\x89PNG\r\n\x1a\n".to_vec(), (0..400_000).map(|_| random.below(256) as u8).collect()].concat();
    let file = |name: &str| (name.to_owned(), picture.clone());
    let mut zip = store::streamed_zip(&[file("a.png"), file("b.png")], 12);
    let second = memchr::memmem::rfind(&zip, b"b.png").expect("the name") + 5;
    // Change the checksum at the end of the bzip2 stream of `b.png`.
    let end = memchr::memmem::rfind(&zip, b"PK\x07\x08").expect("a descriptor");
    zip[end - 3] ^= 0x55;
    for size in [7, 1000, zip.len()] {
        let events = record::read(&builder(), Short(&zip[..], size), "damaged");
        let damage = events.iter().find_map(|event| match event {
            Event::Diagnostic { offset, name: "bad-compression", .. } => Some(*offset),
            _ => None,
        });
        assert_eq!(damage, Some(second as u64), "reads of {size}");
    }
}

/// Problems of an archive are reported before the next member. Only the first damage in an archive is reported.
#[test]
fn members_after_damage_in_a_tar_archive_are_read() {
    let member = |name: &str, text: &[u8]| store::tar_member(b'0', name, Some(text));
    let (a, b, junk) = (member("a", b"http://a.example/\n"), member("b", b"http://b.example/\n"), [b'x'; 512]);
    let nameless = member("", b"http://a.example/\n");
    for (archive, want) in [
        (
            [&a[..], &junk, &junk, &b, &junk, &a].concat(),
            ["http://a.example/", "bad-archive at 1024", "http://b.example/", "http://a.example/"].as_slice(),
        ),
        ([&a[..], &junk].concat(), &["http://a.example/", "bad-archive at 1024"]),
        (nameless, &["no-name at 512", "http://a.example/"]),
    ] {
        for archive in [member("inner.tar", &archive), archive] {
            for size in [7, 1000, archive.len()] {
                let events = record::read(&builder(), Short(&archive[..], size), "damaged");
                let events = events.iter().filter_map(|event| match event {
                    Event::Found(found) => Some(String::from_utf8_lossy(&found.url).into_owned()),
                    Event::Diagnostic { offset, name, .. } => Some(format!("{name} at {offset}")),
                    Event::Problem(_) | Event::End(_) => None,
                });
                assert_eq!(events.collect::<Vec<_>>(), want, "reads of {size}");
            }
        }
    }
}

/// Found by fuzzing: if both an archive and some compressed data were malformed, the reported error depended on how far
/// the decompressor had read ahead.
#[test]
fn damage_in_two_layers_is_reported_alike_for_all_reads() {
    let message = [&b"Subject: x\n\n"[..], &b"http://a.example/\n".repeat(100)].concat();
    let mut random = Random(1738);
    let noise: Vec<u8> = (0..3000).map(|_| random.below(256) as u8).collect();
    // After the first member, the tar archive has no valid header. The gzip checksum at the end is wrong, too.
    let tar = store::tar_member(b'0', "a.eml", Some(&message));
    let mut tar = gzip(&[&tar[..], &b"x".repeat(512), &noise].concat());
    let checksum = tar.len() - 8;
    tar[checksum] ^= 0x55;
    // The ZIP archive stores an xz file without compressing it again. The data of the xz file is malformed, and the
    // archive is truncated after this member.
    let mut member = xz(&message);
    let middle = member.len() / 2;
    member[middle] ^= 0x55;
    let zip = [store::streamed_member("a.eml", 0, 0, &member, 4), b"PK\x03\x04 and no more".to_vec()].concat();
    for (bytes, expected) in
        [(tar, ["bad-archive", "bad-compression"]), (zip, ["bad-compression", "truncated-archive"])]
    {
        for size in [1, 7, 100, bytes.len()] {
            let events = record::read(&builder(), Short(&bytes[..], size), "damaged");
            let damage = events.iter().filter_map(|event| match event {
                Event::Diagnostic { name, .. } => Some(*name),
                _ => None,
            });
            assert_eq!(damage.collect::<Vec<_>>(), expected, "reads of {size}");
        }
    }
}

/// Found by fuzzing: a diagnostic was reported before or after the hits of an earlier segment, depending on whether the
/// file was compressed.
#[test]
fn a_diagnostic_is_after_the_hits_of_earlier_segments() {
    let text = "see http://a.example/ and more\n";
    let object = format!("{} tree 32\nhttp://b.example/\n", "0".repeat(40));
    let bytes = [text, &object].concat().into_bytes();
    let search = builder().format("git-batch");
    for packed in [bytes.clone(), gzip(&bytes), [gzip(text.as_bytes()), gzip(object.as_bytes())].concat()] {
        let events = record::read(&search, Cursor::new(packed), "objects");
        let kinds: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Found(_) => Some("hit"),
                Event::Diagnostic { name, .. } => Some(*name),
                _ => None,
            })
            .collect();
        assert_eq!(kinds[..2], ["hit", "short-article"], "{kinds:?}");
    }
}

/// Malformed compressed data is reported once. The hits before the malformed data are found.
#[test]
fn damaged_compression() {
    let bytes = mbox(&mail());
    let want = placeless(&record::read(&builder(), Cursor::new(bytes.clone()), "plain"));
    for (name, encode, _) in CODECS.iter().filter(|(name, ..)| !name.starts_with("compress")) {
        let packed = encode(&bytes);
        let mut flipped = packed.clone();
        flipped[packed.len() / 2] ^= 0x55;
        let zeros = [&packed[..], &[0; 512]].concat();
        let table = [
            ("cut", packed[..packed.len() * 3 / 4].to_vec(), Some("truncated-compression")),
            ("flipped", flipped, Some("bad-compression")),
            ("zeros after it", zeros, None),
            ("text after it", [&packed[..], b"text"].concat(), Some("trailing-garbage")),
        ];
        for (what, input, note) in table {
            let events = record::read(&builder(), Cursor::new(input), "damaged");
            let damage: Vec<_> = events
                .iter()
                .filter_map(|event| match event {
                    Event::Diagnostic { name, .. } if name.contains("compression") || name.contains("garbage") => {
                        Some(*name)
                    }
                    _ => None,
                })
                .collect();
            assert_eq!(damage, Vec::from_iter(note), "{name}, {what}");
            // The loss follows all hits, so its place does not depend on the chunk size.
            let is_loss =
                |event: &Event| matches!(event, Event::Diagnostic { name, .. } if name.contains("compression"));
            let after = events.iter().skip_while(|event| !is_loss(event));
            assert_eq!(after.filter(|event| matches!(event, Event::Found(_))).count(), 0, "{name}, {what}");
            let got = placeless(&events);
            let agreed = got.iter().zip(&want).take_while(|(a, b)| a == b).count();
            // A compressed file can contain text that is not compressed. If the changed byte is in such text, only the
            // checksum at the end shows the error.
            assert!(what == "flipped" || agreed + 2 >= got.len(), "{name}, {what}");
            assert!(agreed == want.len() || what == "flipped" || what == "cut", "{name}, {what}");
        }
    }
}

/// The hits before malformed data are the same for any chunk size, and for any sizes of reads.
#[test]
fn damage_ends_at_the_same_byte_however_bytes_arrive() {
    let mut random = Random(53);
    let mail: Vec<_> = (0..40)
        .map(|i| format!("From: a@example.org\nSubject: {i}\n\nSee http://{i}.example/{}\n", random.below(1 << 30)))
        .map(String::into_bytes)
        .collect();
    let bytes = mbox(&mail);
    for (name, encode, _) in CODECS {
        let packed = encode(&bytes);
        let (mut found, mut rounds) = (0, 0);
        for round in 0..60 {
            let mut damaged = packed.clone();
            let at = damaged.len() / 4 + random.below(damaged.len() * 3 / 4);
            if round % 2 == 0 {
                damaged.truncate(at);
            } else {
                damaged[at] ^= 1 << random.below(8);
            }
            let read = |short, chunk| {
                let stream = Short(Cursor::new(damaged.clone()), short);
                placeless(&record::read(&builder().chunk(chunk), stream, "damaged"))
            };
            let want = read(usize::MAX, 256 << 10);
            for (short, chunk) in [(1, 256 << 10), (7, 50), (usize::MAX, 1)] {
                same(&format!("{name}, round {round}"), &want, &read(short, chunk));
            }
            (found, rounds) = (found + want.len(), rounds + 1);
        }
        // If a block of bzip2 or zstd is malformed, the whole block is lost. In the other formats, at most one link
        // before the malformed data is lost.
        let is_blockwise = matches!(*name, "bzip2" | "zstd");
        assert!(is_blockwise || found > rounds * mail.len() / 3, "{name}: {found} links of {rounds} mailboxes");
    }
}

/// If only the checksum of a bzip2 block is damaged, the whole block is decoded before the damage is found.
#[test]
fn a_bzip2_block_with_a_wrong_checksum_is_read() {
    let lines: Vec<u8> = (0..2000).flat_map(|n| format!("http://h.example/{n}\n").into_bytes()).collect();
    let mut damaged = bzip2(&lines);
    // Four bytes for the file, and six that begin a block, are before the checksum.
    damaged[10] ^= 1;
    let events = record::read(&builder(), Cursor::new(damaged), "damaged");
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Found(_))).count(), 2000);
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Diagnostic { .. })).count(), 1);
}

/// The library does not read a binary file, a document or text in UTF-32 to its end. So damage near the end of the
/// compressed data is not reported, for any chunk size. Damage in the first 64 KiB of the decompressed data is reported.
#[test]
fn damage_of_a_file_that_is_not_read_to_its_end() {
    let mut random = Random(54);
    let mut some = |count, from: u8| (0..count).map(|_| from + random.below(4) as u8).collect::<Vec<u8>>();
    let wide = some(75_000, b'a').iter().flat_map(|byte| [0, 0, 0, *byte]).collect();
    let document = store::zip(&[("[Content_Types].xml".to_owned(), some(600_000, 0))], false);
    for (kind, bytes) in [("binary", some(300_000, 0)), ("UTF-32", wide), ("document", document)] {
        for (name, encode, _) in CODECS.iter().filter(|(name, ..)| !name.starts_with("compress")) {
            for (at, reported) in [(0.8, false), (0.1, true)] {
                let mut damaged = encode(&bytes);
                let at = (damaged.len() as f64 * at) as usize;
                damaged.truncate(at);
                let read = |short, chunk| {
                    let stream = Short(Cursor::new(damaged.clone()), short);
                    record::read(&builder().chunk(chunk), stream, "damaged")
                };
                let want = read(usize::MAX, 1 << 20);
                let has_note = want.iter().any(|event| matches!(event, Event::Diagnostic { .. }));
                // If the first bzip2 block is truncated, nothing is decoded, so the library sees an empty file.
                assert!(has_note == reported || *name == "bzip2", "{kind}, {name}, {at}: {want:?}");
                for (short, chunk) in [(1, 256 << 10), (39, 1 << 10), (usize::MAX, 1)] {
                    same(&format!("{kind}, {name}, {at}"), &want, &read(short, chunk));
                }
            }
        }
    }
}

/// The library reuses the memory of the decoder for the next stream. Without this reuse, the decoder would allocate
/// memory for each of the 100,000 empty bzip2 streams.
#[test]
fn many_empty_streams_take_no_time() {
    let mut bytes = bzip2(b"").repeat(100_000);
    bytes.extend(bzip2(b"http://a.example/\n"));
    let time = crate::cpu::time(|| {
        let events = record::read(&builder(), Cursor::new(&bytes), "empty");
        assert_eq!(placeless(&events).len(), 1);
    });
    assert!(time.as_secs() < 2, "{time:?}");
}

/// If compressed data needs a dictionary above the limit, the error message names the limit. The data is not reported
/// as malformed.
#[test]
fn a_large_dictionary_is_told() {
    let mut xz = xz(b"http://a.example/\n");
    // Byte 16 of the file is the size of the dictionary. This code sets the dictionary size to 256 MiB, and corrects
    // the checksum of the block header.
    assert_eq!(xz[14..16], [0x21, 1]);
    xz[16] = 32;
    let mut sum = flate2::Crc::new();
    sum.update(&xz[12..20]);
    xz[20..24].copy_from_slice(&sum.sum().to_le_bytes());
    // A zstd frame with a window of 256 MiB and without a content size.
    let zstd = b"\x28\xB5\x2F\xFD\0\x90\x01\0\0".to_vec();
    for packed in [xz, zstd] {
        let mut record = record::Record::default();
        let error = record::stream(builder().stream(Cursor::new(packed)).name("large"), &mut record);
        let text = error.unwrap().to_string();
        assert!(text.contains("80 MiB for xz, 128 MiB for zstd"), "{text}");
    }
}

/// Other programs read zip archives that have bytes between members, data descriptors without a signature, or sizes in
/// an extra field. urlspool must read these archives, too.
#[test]
fn zip_archives_that_others_read() {
    let file = |i: usize| (format!("{i}.txt"), format!("PK http://{i}.example/ PK\n").into_bytes());
    let member = |i: usize| {
        let zip = store::zip(&[file(i)], false);
        zip[..zip.len() - 22].to_vec()
    };
    let end = store::zip(&[], false);
    // Returns a member that is stored without compression. The size of the member is only in the descriptor after the
    // data. This descriptor has no signature.
    let unsigned = |i: usize, width: usize| {
        let (name, bytes) = file(i);
        let mut member = store::streamed_member(&name, 0, 0, &bytes, width);
        let descriptor = member.len() - 8 - 2 * width;
        drop(member.drain(descriptor..descriptor + 4));
        member
    };
    // Returns a member that is stored without compression. The checksum and the sizes are in the local header.
    let uncompressed = |i: usize| {
        let (name, bytes) = file(i);
        let mut member = store::streamed_member(&name, 0, 0, &bytes, 4);
        let descriptor = member.split_off(member.len() - 16);
        member[6] = 0;
        member[14..26].copy_from_slice(&descriptor[4..]);
        member
    };
    // Returns such a member whose header announces a descriptor that does not exist.
    let announced = |i: usize| {
        let mut member = uncompressed(i);
        member[6] = 8;
        member
    };
    // Returns a member with its compressed size in the extra field of zip64. If `both` is true, its original size is
    // there, too.
    let large = |i: usize, both: bool| {
        let mut member = member(i);
        let [packed, size] = [18, 22].map(|at| [&member[at..at + 4], &[0; 4]].concat());
        let sizes = if both { [size, packed].concat() } else { packed };
        member[18..if both { 26 } else { 22 }].fill(0xFF);
        member[28] = 4 + sizes.len() as u8;
        let data = 30 + file(i).0.len();
        drop(member.splice(data..data, [&[1, 0, sizes.len() as u8, 0], &*sizes].concat()));
        member
    };
    let table = [
        ("bytes between members", [member(0), b"between PK\x03 them".repeat(5000), member(1), end.clone()].concat()),
        ("bytes before the directory", [member(0), member(1), b"PK".to_vec(), end.clone()].concat()),
        ("unsigned", [unsigned(0, 4), unsigned(1, 4), end.clone()].concat()),
        ("unsigned, zip64", [unsigned(0, 8), unsigned(1, 8), end.clone()].concat()),
        ("uncompressed", [uncompressed(0), uncompressed(1), end.clone()].concat()),
        ("no descriptor", [announced(0), announced(1), end.clone()].concat()),
        ("one size in zip64", [large(0, false), large(1, false), end.clone()].concat()),
        ("both sizes in zip64", [large(0, true), large(1, true), end.clone()].concat()),
    ];
    for (what, zip) in table {
        for short in [1, 13, usize::MAX] {
            let events = record::read(&builder(), Short(Cursor::new(zip.clone()), short), "x.zip");
            let urls: Vec<_> = placeless(&events).into_iter().map(|hit| hit.url).collect();
            assert_eq!(urls, [&b"http://0.example/"[..], b"http://1.example/"], "{what}, {short}");
            let told = events.iter().filter(|event| matches!(event, Event::Diagnostic { .. })).count();
            assert_eq!(told, 0, "{what}: {events:?}");
        }
    }
}

/// The zstd decoder holds back the last blocks until the frame ends. If the frame is truncated, these blocks are still
/// searched.
#[test]
fn blocks_before_a_truncated_one_are_searched() {
    let text: String = (0..20_000).map(|number| format!("http://a.example/{number}\n")).collect();
    let packed = zstd(text.as_bytes());
    let events = record::read(&builder(), Cursor::new(packed[..packed.len() - 9].to_vec()), "x.zst");
    let hits = events.iter().filter(|event| matches!(event, Event::Found(_))).count();
    // A block has at most 128 KiB, and only the last block is lost.
    let (least, line) = (text.len() - (128 << 10), "http://a.example/12345\n".len());
    assert!((least / line..20_000).contains(&hits), "{hits} of 20,000 URLs");
}

/// In a tar archive, links, devices and directories have no content, even if their header states a size. Some programs
/// store the size of the target in the header of a link.
#[test]
fn sizes_of_links_in_tar_are_not_content() {
    for kind in b'1'..=b'6' {
        // Take only the header of a member that has a size.
        let link = &store::tar_member(kind, "link", Some(&[b'x'; 1000]))[..512];
        let tar = [link, &store::tar(&[("1".to_owned(), b"http://a.example/\n".to_vec())])].concat();
        let events = record::read(&builder(), Cursor::new(tar), "x.tar");
        let hits = events.iter().filter(|event| matches!(event, Event::Found(_))).count();
        assert_eq!(hits, 1, "kind {}: {events:?}", char::from(kind));
    }
}

/// A size in pax attributes applies to the next member, even if headers with other attributes come before that member.
/// If the next member is a link, the size does not apply to any member.
#[test]
fn a_size_in_pax_is_that_of_the_next_member() {
    let pax = |size| store::tar_member(b'x', "pax", Some(&pax_size(size)));
    let file = |name: &str| (name.to_owned(), b"http://a.example/\n".to_vec());
    let files = store::tar(&[file("1"), file("2")]);
    let name = store::tar_member(b'L', "name", Some(&[b'n'; 600]));
    let link = store::tar_member(b'1', "link", None);
    for (kinds, tar) in [("xL", [pax(18), name, files.clone()].concat()), ("x1", [pax(1000), link, files].concat())] {
        let events = record::read(&builder(), Cursor::new(tar), "x.tar");
        let hits = events.iter().filter(|event| matches!(event, Event::Found(_))).count();
        assert_eq!((hits, placeless(&events).len()), (2, 2), "{kinds}: {events:?}");
    }
}

/// Returns pax attributes with this size.
fn pax_size(size: u64) -> Vec<u8> {
    let record = format!(" size={size}\n");
    let digits = if record.len() + 1 < 10 { 1 } else { 2 };
    format!("{}{record}", record.len() + digits).into_bytes()
}

/// No overflow occurs if a tar member declares the largest possible size.
#[test]
fn the_largest_size_in_tar_is_no_overflow() {
    for size in [u64::MAX, u64::MAX - 511, 1 << 63] {
        let pax = store::tar_member(b'x', "pax", Some(&pax_size(size)));
        // Because of the declared size, the zeros at the end of the archive belong to the member, too.
        let tar = [pax, store::tar(&[("1".to_owned(), b"http://a.example/\n".to_vec())])].concat();
        let events = record::read(&builder(), Cursor::new(tar), "x.tar");
        assert_eq!(placeless(&events).len(), 1, "{size}");
    }
}

/// Returns the files for an archive: mailboxes, a Maildir, news articles, and files that must be skipped.
fn files(messages: &[Vec<u8>]) -> Vec<(String, Vec<u8>)> {
    let (one, rest) = messages.split_at(messages.len() / 4);
    let (two, rest) = rest.split_at(rest.len() / 3);
    let (three, four) = rest.split_at(rest.len() / 2);
    let mut files = vec![
        ("lists/a.mbox".to_owned(), mbox(one)),
        ("lists/.hidden".to_owned(), b"http://hidden.example/".to_vec()),
        ("lists/empty".to_owned(), Vec::new()),
        (format!("lists/{}/b.mbox.gz", "a-long-name/".repeat(12)), gzip(&mbox(two))),
    ];
    files.extend(three.iter().enumerate().map(|(i, bytes)| (format!("mail/cur/{i}.M1P1.h:2,S"), bytes.clone())));
    files.push(("mail/tmp/1078599999.M4P1.h".to_owned(), b"http://tmp.example/".to_vec()));
    files.extend(four.iter().enumerate().map(|(i, bytes)| (format!("news/alt/tapes/{i}"), store::wire(bytes))));
    files
}

/// A name that ends in a slash is that of a directory, if the member has no content.
#[test]
fn members_with_content_are_read_whatever_their_name() {
    let scratch = Scratch::new("slash");
    let files = [("a/".to_owned(), Vec::new()), ("b/".to_owned(), b"http://b.example/\n".to_vec())];
    for bytes in
        [store::tar(&files), store::zip(&files, false), store::zip(&files, true), store::streamed_zip(&files, 0)]
    {
        let events = record::paths(&builder(), vec![scratch.file("archive", &bytes)]);
        let found = events.iter().filter(|event| matches!(event, Event::Found(_)));
        assert_eq!(found.count(), 1, "{events:?}");
    }
}

#[test]
fn every_archive() {
    let scratch = Scratch::new("archives");
    let messages = mail();
    let want = alone(&messages);
    let files = files(&messages);
    let tar = store::tar(&files);
    let inner = vec![("inner.tar.gz".to_owned(), gzip(&tar))];
    let stored = vec![("inner.zip".to_owned(), store::streamed_zip(&files, 0))];
    let table = [
        ("tar", tar.clone()),
        ("tar.gz", gzip(&tar)),
        ("tar.bz2", bzip2(&tar)),
        ("tar.xz", xz(&tar)),
        ("tar.zst", zstd(&tar)),
        ("tar.Z", store::compress(&tar, 16)),
        ("zip", store::zip(&files, false)),
        ("zip, streamed", store::zip(&files, true)),
        ("zip, streamed, stored", store::streamed_zip(&files, 0)),
        ("zip, streamed, bzip2", store::streamed_zip(&files, 12)),
        ("zip, streamed, zstd", store::streamed_zip(&files, 93)),
        ("zip, streamed, xz", store::streamed_zip(&files, 95)),
        ("zip in zip, both streamed and stored", store::streamed_zip(&stored, 0)),
        ("zip after zip", [store::zip(&files[..5], false), vec![0; 600], store::zip(&files[5..], true)].concat()),
        ("tar.gz in zip", store::zip(&inner, true)),
        ("tar.gz in tar", store::tar(&inner)),
        ("zip in tar", store::tar(&[("x.zip".to_owned(), store::zip(&files, true))])),
    ];
    for (name, bytes) in table {
        let file = scratch.file("archive", &bytes);
        let events = record::paths(&builder(), vec![file.clone()]);
        same(name, &want, &placeless(&events));
        let member = |event: &Event| match event {
            Event::Found(found) => found.member.clone(),
            _ => None,
        };
        let first = events.iter().find_map(member).expect("a member");
        assert!(first.ends_with(b"lists/a.mbox"), "{name}: {}", first.escape_ascii());
        for extractor in [builder().threads(3), builder().chunk(1000), builder().threads(2).chunk(1)] {
            same(name, &events, &record::paths(&extractor, vec![file.clone()]));
        }
        let read = record::read(&builder(), Short(Cursor::new(bytes.clone()), 511), file.to_str().unwrap());
        same(name, &events, &read);
        // If an archive is truncated, one diagnostic reports this.
        for end in (600..bytes.len() - 1100).step_by(bytes.len() / 10) {
            let cut = record::read(&builder(), Cursor::new(bytes[..end].to_vec()), "cut");
            let is_damage =
                |event: &&Event| matches!(event, Event::Diagnostic { name, .. } if name.starts_with("truncated"));
            let damage: Vec<_> = cut.iter().filter(is_damage).collect();
            let count = damage.len();
            // A tar archive that ends between two members counts as complete. The format of compress(1) cannot show
            // that data is missing.
            assert!(count == 1 || count == 0 && (name == "tar" || name == "tar.Z"), "{name}, {end} bytes: {damage:?}");
        }
    }
}

/// Unreadable members do not prevent other members from being read. Each reason is reported once, with the name of the
/// first member that is unreadable for this reason.
#[test]
fn members_that_cannot_be_read() {
    // The flags and the compression method of each member. Only the last member is readable.
    let members: [(u8, u8); 9] = [(1, 8), (0, 9), (0, 98), (0, 9), (0, 77), (1, 99), (0, 9), (0, 14), (0, 8)];
    let file = |i: usize| (format!("{i}"), format!("http://{i}.example/").into_bytes());
    let mut zip = Vec::new();
    for (i, (flags, method)) in members.into_iter().enumerate() {
        let mut member = store::zip(&[file(i)], false);
        (member[6], member[8]) = (flags, method);
        zip.extend(&member[..member.len() - 22]);
    }
    let reported = |zip: &str| {
        [
            ("0: cannot be opened: it is encrypted (1 other member has the same problem)"),
            ("1: cannot be opened: it is compressed with Deflate64 (2 other members have the same problem)"),
            ("2: cannot be opened: it is compressed with PPMd"),
            ("4: cannot be opened: its compression method is unknown"),
            ("7: cannot be opened: it is compressed with LZMA"),
        ]
        .map(|text| format!("{zip}!{text}"))
        .to_vec()
    };
    let scratch = Scratch::new("unreadable");
    let path = scratch.file("x.zip", &zip).to_string_lossy().into_owned();
    let twice = [("y.zip".to_owned(), zip.clone()), ("z.zip".to_owned(), zip)];
    let tar = scratch.file("x.tar", &store::tar(&twice)).to_string_lossy().into_owned();
    let table = [
        (&path, reported(&path), 1),
        (&tar, [reported(&format!("{tar}!y.zip")), reported(&format!("{tar}!z.zip"))].concat(), 2),
    ];
    for (path, want, count) in table {
        let events = record::paths(&builder(), vec![path.into()]);
        let problems: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Problem(problem) => Some(problem.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(problems, want);
        let urls: Vec<_> = placeless(&events).into_iter().map(|hit| hit.url).collect();
        assert_eq!(urls, vec![b"http://8.example/"; count]);
    }
}

/// Nested archives and compressions are opened up to a maximum depth. Deeper ones are reported, but not opened.
#[test]
fn nested_archives_are_read_to_a_limit() {
    type Wrap = fn(Vec<u8>) -> Vec<u8>;
    let tar: Wrap = |bytes| store::tar(&[("x".to_owned(), bytes)]);
    let table: [(Wrap, usize); 3] =
        [(tar, 3), (|bytes| gzip(&store::tar(&[("x".to_owned(), bytes)])), 3), (|bytes| gzip(&bytes), 6)];
    for (i, (wrap, most)) in table.into_iter().enumerate() {
        let mut bytes = b"http://a.example/".to_vec();
        for depth in 1..8 {
            bytes = wrap(bytes);
            let mut record = record::Record::default();
            let failed = record::stream(builder().stream(Cursor::new(bytes.clone())).name("nest"), &mut record);
            let text = failed.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(text.contains("more than 6 layers"), depth > most, "{i}, {depth}: {text}");
            assert_eq!(placeless(&record.0).len(), usize::from(depth <= most), "{i}, {depth}");
        }
    }
}

#[test]
fn expanding_archives_are_read_to_a_limit() {
    let bomb = bzip2(&vec![b'a'; 100 << 20]);
    let events = record::read(&builder(), Cursor::new(bomb), "bomb");
    let notes: Vec<_> =
        events.iter().filter(|event| matches!(event, Event::Diagnostic { name: "expansion-limit", .. })).collect();
    assert!(
        matches!(notes[..], [Event::Diagnostic { offset, .. }] if (64 << 20..70 << 20).contains(offset)),
        "{notes:?}"
    );
}

/// Changed bytes in a compressed file or an archive never cause a panic. A malformed archive is reported only once.
#[test]
fn mutated_compressed_input_is_read_without_panic() {
    let mut random = Random(41);
    let messages = mail();
    let files = files(&messages[..8]);
    let tar = store::tar(&files);
    let plain = mbox(&messages[..8]);
    let mut inputs: Vec<_> = CODECS.iter().map(|(name, encode, _)| (*name, encode(&plain))).collect();
    inputs.extend([
        ("tar", tar.clone()),
        ("zip", store::zip(&files, false)),
        ("zip, streamed", store::zip(&files, true)),
        ("zip, streamed, stored", store::streamed_zip(&files, 0)),
        ("zip, streamed, bzip2", store::streamed_zip(&files, 12)),
        ("zip, streamed, zstd", store::streamed_zip(&files, 93)),
        ("zip, streamed, xz", store::streamed_zip(&files, 95)),
    ]);
    inputs.push(("tar.gz", gzip(&tar)));
    let extractor = builder();
    for (name, bytes) in inputs {
        for round in 0..300 {
            let mut other = bytes.clone();
            for _ in 0..=random.below(6) {
                // Half of the changes are in the first 600 bytes, where the headers are.
                let most = if random.below(2) == 0 { other.len().min(600) } else { other.len() };
                let at = random.below(most);
                match random.below(4) {
                    0 => other[at] ^= 1 << random.below(8),
                    1 => other[at] = random.below(256) as u8,
                    2 => drop(other.drain(at..(at + random.below(9)).min(bytes.len() / 2).max(at))),
                    _ => other.insert(at, [0, 0xFF, b'0', b'7'][random.below(4)]),
                }
            }
            let mut record = record::Record::default();
            // urlspool may reject the file, because it may no longer recognize the format.
            let _ = extractor.stream(Cursor::new(other)).name("other").each(&mut record);
            let lost =
                record.0.iter().filter(|event| matches!(event, Event::Diagnostic { name: "bad-archive", .. })).count();
            assert!(lost <= 1, "{name}, round {round}: {lost}");
        }
    }
}

/// HTML pages, calendars and JSON on disk are read as what they are, with offsets in the file.
#[test]
fn documents_are_read_like_parts_of_mail() {
    let page = "<!DOCTYPE html>\n<html><head><title>Re: A &amp; B</title></head><body>\n<!-- sent=\"Thu, 12 Jun 1997 \
                11:58:00 -0500\" -->\n<!-- id=\"1@a.example\" -->\n<a href=\"http://a.example/?b=1&amp;c=2\">x</a>";
    let card = "BEGIN:VCARD\r\nURL:http://a.example/long/\r\n path\r\nNOTE:see http://b.example/\\nnext\r\n";
    let lines = "{\"body\":\"http:\\/\\/a.example\\/?b\\u0026c\\n\\nSee\"}\n{\"body\":\"<http://b.example/>\"}\n";
    let rtf = "{\\rtf1 {\\field{\\*\\fldinst HYPERLINK \"http://a.example/?b=1&c=2\"}{\\fldrslt x}}\\par}";
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);
    let table: &[Case<'_>] = &[
        ("rtf", rtf, &[("http://a.example/?b=1&c=2", rtf)]),
        ("html", page, &[("http://a.example/?b=1&c=2", "http://a.example/?b=1&amp;c=2")]),
        (
            "calendar",
            card,
            &[
                ("http://a.example/long/path", "http://a.example/long/\r\n path"),
                ("http://b.example/", "http://b.example/"),
            ],
        ),
        (
            "json-lines",
            lines,
            &[
                ("http://a.example/?b&c", "http:\\/\\/a.example\\/?b\\u0026c"),
                ("http://b.example/", "http://b.example/"),
            ],
        ),
    ];
    for (format, text, want) in table {
        let hits: Vec<_> = Extractor::new().read(text.as_bytes()).map(|hit| hit.expect("readable")).collect();
        let found: Vec<_> = hits
            .iter()
            .map(|hit| (hit.url().to_string(), &text[hit.offset() as usize..(hit.offset() + hit.length()) as usize]))
            .collect();
        let want: Vec<_> = want.iter().map(|(url, raw)| ((*url).to_owned(), *raw)).collect();
        assert_eq!(found, want, "{format}");
        assert!(hits.iter().all(|hit| hit.input().is_some_and(|file| file.format() == *format)), "{format}");
        if *format == "html" {
            let facts = (hits[0].subject(), hits[0].date(), hits[0].message_id());
            assert_eq!(facts, (Some("Re: A & B"), Some("1997-06-12T16:58:00Z"), Some(&b"1@a.example"[..])));
        }
    }
    let text: Vec<_> = Extractor::new().set("format", "text").expect("a format").read(page.as_bytes()).collect();
    assert_eq!(text[0].as_ref().expect("readable").url().to_string(), "http://a.example/?b=1&amp;c=2");
}

/// A connection that is dropped.
struct Dropped;

impl Read for Dropped {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

/// If a file cannot be read beyond a URL, the end of the URL may be missing, so the URL is doubtful.
#[test]
fn the_last_url_before_a_read_error_is_doubtful() {
    let mut doubts = [0; 3];
    for (name, bytes) in stored() {
        let whole: BTreeSet<_> =
            Extractor::new().message(&bytes).iter().map(|hit| hit.url().as_str().to_owned()).collect();
        for end in (0..bytes.len()).step_by(37) {
            let read = &bytes[..end];
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(read).and_then(|()| gzip.flush()).expect("memory");
            let gzip = gzip.get_ref();
            let inputs: [Box<dyn Read>; 3] =
                [Box::new(read.chain(Dropped)), Box::new(gzip.chain(Dropped)), Box::new(&gzip[..])];
            for (input, doubts) in inputs.into_iter().zip(&mut doubts) {
                for hit in Extractor::new().read(input).filter_map(Result::ok) {
                    let after = &read[(hit.offset() + hit.length()) as usize..];
                    let is_cut = hit.doubt() == Some(Reason::Cut);
                    *doubts += usize::from(is_cut);
                    let is_last = hit.exact() && after.trim_ascii().is_empty() && !whole.contains(hit.url().as_str());
                    assert!(is_cut || hit.doubt().is_some() || !is_last, "{name}, {end} bytes: {}", hit.url());
                }
            }
        }
    }
    assert!(doubts[0] > 300 && doubts == [doubts[0]; 3], "{doubts:?}");
}
