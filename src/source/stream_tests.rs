//! Checks that the segments of a stream depend only on the content, not on chunk sizes, short reads, or compression.

use crate::diagnostic::DiagnosticKind;
use std::cell::Cell;
use std::io::{self, Read};
use std::path::{MAIN_SEPARATOR, Path};
use std::sync::Arc;

use super::Temp;
use super::entry::FileEntry;
#[cfg(feature = "compression")]
use super::tar;
use super::{Batch, Decide, Entry, Options, Position, Resume, Stream, StreamEvent, binary};
use crate::container::{FORMATS, Format, HEAD, Limits, SegmentKind, TEXT, line_ends};
use crate::magic::{MAGIC_LEN, Magic, look};

/// Small limits, so that short test texts exceed them.
const SMALL: Limits = Limits { message: 600, least: 64, most: 256, context: 16 };

/// The bytes of a segment, and its offsets in the file.
#[derive(Debug, PartialEq, Eq)]
struct Whole {
    kind: SegmentKind,
    envelope: u32,
    range: (u64, u64),
    starts: (u64, u64),
    number: u64,
    bytes: Vec<u8>,
}

/// A reader of a slice. The second field is the maximum number of bytes that a read returns. Every second read is
/// interrupted.
struct Short<'a>(&'a [u8], usize, bool);

impl Read for Short<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.2 = !self.2;
        if self.2 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = buf.len().min(self.1);
        self.0.read(&mut buf[..n])
    }
}

fn options(format: Option<&str>, limits: Limits, chunk: usize) -> Options {
    let format = format.map(|name| FORMATS.iter().find(|format| format.name == name).expect("a format"));
    Options { format, limits, chunk, count_lines: true, ..Options::default() }
}

fn read(content: &'static [u8], short: usize, options: &Options) -> (Vec<Whole>, Vec<(DiagnosticKind, u64)>) {
    let mut stream = Stream::from_reader(Short(content, short, false), "test", options);
    let (mut batch, mut segments, mut notes) = (Batch::default(), Vec::new(), Vec::new());
    while matches!(stream.next(&mut batch), Some(StreamEvent::Batch)) {
        let bytes = batch.bytes();
        if batch.file.as_ref().is_some_and(|file| file.codec().is_none()) {
            let before = &content[..batch.base as usize];
            assert_eq!(batch.line, 1 + before.iter().filter(|&&b| b == b'\n').count() as u64);
        }
        for segment in &batch.segments {
            let at = |i: usize| batch.base + i as u64;
            assert!(segment.range.start <= segment.starts.start && segment.starts.end <= segment.range.end);
            assert!(segment.kind != SegmentKind::Message || segment.range == segment.starts);
            assert!(segment.envelope as usize <= segment.range.len());
            segments.push(Whole {
                kind: segment.kind,
                envelope: segment.envelope,
                range: (at(segment.range.start), at(segment.range.end)),
                starts: (at(segment.starts.start), at(segment.starts.end)),
                number: segment.number,
                bytes: bytes[segment.range.clone()].to_vec(),
            });
        }
        notes.extend(batch.notes.iter().map(|note| (note.kind, note.offset)));
    }
    assert!(stream.next(&mut batch).is_none());
    (segments, notes)
}

#[track_caller]
fn assert_tiles(content: &[u8], segments: &[Whole]) {
    let mut end = 0;
    for segment in segments {
        assert_eq!(segment.starts.0, end, "{segment:?}");
        assert!(segment.starts.1 > end, "{segment:?}");
        assert_eq!(segment.bytes, content[segment.range.0 as usize..segment.range.1 as usize]);
        end = segment.starts.1;
    }
    assert_eq!(end, content.len() as u64);
}

/// Leaks `content`, because the reader in a stream must not borrow from a local variable.
fn leak(content: impl Into<Vec<u8>>) -> &'static [u8] {
    content.into().leak()
}

#[track_caller]
fn assert_invariant(format: Option<&str>, content: &'static [u8], limits: Limits, chunks: impl Iterator<Item = usize>) {
    let want = read(content, usize::MAX, &options(format, limits, 1 << 20));
    assert_tiles(content, &want.0);
    for chunk in chunks {
        assert_eq!(read(content, usize::MAX, &options(format, limits, chunk)), want, "chunk {chunk}");
    }
    let (few, chunk) = if content.len() < 100_000 { (1, 64) } else { (4099, 8192) };
    assert_eq!(read(content, few, &options(format, limits, chunk)), want, "{few} bytes at a time");
    assert_eq!(read(content, few * 7, &options(format, limits, 1 << 20)), want, "{} bytes at a time", few * 7);
}

fn mbox() -> String {
    let mut text = String::from("\n\n");
    for i in 0..12 {
        let date = ["Mon Jan  1 00:00:00 2001", "Mon Jan 1 0:00 +0000 70"][i % 2];
        text += &format!("From user{i}@host.example {date}\nSubject: number {i}\n\n");
        for j in 0..i * 3 {
            text +=
                ["A line of text.\n", "From here on it is prose.\n", ">From quoted\n", "\n", "\u{0}\r\n\r\n"][j % 5];
        }
        text += "\n";
    }
    text += "From -8946248053963491671\r\nX-Language: ENGLISH\r\n\r\ntext\r\n\r\nFrom -1234\r\nPath: a!b\r\n\r\n";
    text += "From big@host.example Mon Jan  1 00:00:00 2001\nSubject: over the limit\n\n";
    text += &"word word word\n".repeat(60);
    text += "\n";
    text += &"word ".repeat(300);
    text += &"x".repeat(700);
    text += "\n\nFrom last@host.example Thu, 9 Nov 2002 12:34:56 GMT\nSubject: the last\n\nno line end";
    text
}

fn text() -> String {
    let mut text = String::from("\nprose\n\n");
    for i in 0..40 {
        text += &"a few words and a line\n".repeat(i);
        text += ["\n", "\r\n", "\n\n\n"][i % 3];
    }
    text += &"word ".repeat(300);
    text += &"x".repeat(1000);
    text += "\n";
    text
}

fn rnews() -> String {
    let article = |count: isize, size: usize| {
        let text = format!("Path: a!b\nSubject: {size}\n\n{}\n", "#! rnews quoted\nwords\n".repeat(size));
        format!("#! rnews {}\n{text}", text.len() as isize + count)
    };
    let mut text = article(0, 0) + &article(0, 7) + &article(0, 40);
    text += "#! rnews 22\n#! rnews 4\nabcd\n\nabcde";
    text += &(article(-3, 2) + &article(5, 3) + &article(400, 4) + &article(0, 5) + &article(100_000, 6));
    text += &(article(0, 1) + "#! rnews x\nnot one\n" + &article(0, 2) + &article(9, 1));
    text
}

#[test]
fn segments_do_not_depend_on_how_bytes_arrive() {
    for (format, content) in [("mbox", mbox()), ("text", text()), ("rnews", rnews()), ("message", text())] {
        let content = leak(content);
        assert_eq!(Format::detect(content).name, if format == "message" { "text" } else { format });
        let chunks = (1..64).step_by(3).chain((65..4096).step_by(127));
        assert_invariant(Some(format), content, SMALL, chunks.clone());
        let crlf = leak(String::from_utf8_lossy(content).replace('\n', "\r\n"));
        assert_invariant(Some(format), crlf, SMALL, chunks);
        assert_invariant(None, content, Limits::default(), [1, 100, 5000].into_iter());
    }
}

#[test]
fn a_large_text_is_cut_into_windows() {
    let content = leak(text().repeat(80).replace("\n\n", "\n").replace("\r\n", "") + &mbox().repeat(50));
    for format in [None, Some("text"), Some("mbox")] {
        assert_invariant(format, content, Limits::default(), [8192, 262_144].into_iter());
    }
}

#[test]
fn random_bytes_tile() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let words: &[&[u8]] = &[
        b"\x01\x01\x01\x01",
        b"\n\x01\x01\x01\x01\n\x01\x01\x01\x01\nFrom -1\n",
        b"\n\x1F\n",
        b"\x1F\x0C\n1,,\n",
        b"*** EOOH ***\n",
        b"0123456789abcdef0123456789abcdef01234567 blob 30\n",
        b"\n==========================================================================\n",
        b"\n\n------------------------------\n\n",
        b"\n",
        b"\n",
        b"\r\n",
        b"From ",
        b"a@b Mon Jan  1 00:00:00 2001\n",
        b"#! rnews ",
        b"12",
        b"40\n",
        b"Subject:",
        b" ",
        b"X-",
        b">From ",
        b"\0",
        b"\xEF\xBB\xBF",
        b"\x1F\x8B\x08",
        b"word",
        b"\xFF\xFE",
    ];
    for _ in 0..5000 {
        let mut content = Vec::new();
        for _ in 0..random(120) {
            match random(4) {
                0 => content.push(random(256) as u8),
                _ => content.extend_from_slice(words[random(words.len())]),
            }
        }
        let content = leak(content);
        let format = ["mbox", "rnews", "text", "mmdf", "babyl", "listserv", "git-batch", "emlx", "digest", "auto"];
        let format = Some(format[random(format.len())]).filter(|format| *format != "auto");
        // Content that looks compressed or has an unsupported format is not divided into segments. If lines end in CR,
        // the segments have other bytes than the content.
        if look(content) != Magic::Plain || line_ends::are_cr(content) {
            continue;
        }
        // A binary file is not divided into segments either, unless a format is requested.
        let is_binary = Format::detect(content) == TEXT && binary::find(content, false).is_some();
        let format = format.or(is_binary.then_some("text"));
        let limits = Limits { message: 1 + random(100), least: random(40), most: random(80), context: random(30) };
        let want = read(content, usize::MAX, &options(format, limits, 4096));
        assert_tiles(content, &want.0);
        let chunk = 1 + random(50);
        let got = read(content, 1 + random(9), &options(format, limits, chunk));
        let same = got.0.iter().zip(&want.0).take_while(|(a, b)| a == b).count();
        assert_eq!(got.0.get(same), want.0.get(same), "{format:?} {limits:?} {chunk} {}", content.escape_ascii());
        assert_eq!(got.1, want.1, "{}", content.escape_ascii());
    }
}

/// Kind, envelope, `starts`, and number of a segment.
type Row = (SegmentKind, u32, (u64, u64), u64);

fn summary(segments: &[Whole]) -> Vec<Row> {
    segments.iter().map(|p| (p.kind, p.envelope, p.starts, p.number)).collect()
}

#[test]
fn an_mbox_is_cut_into_messages() {
    use SegmentKind::{Message, Rest};
    let from = "From a@b Mon Jan  1 00:00:00 2001\n";
    let long = "x".repeat(999) + "\n";
    let content = leak(format!("\n\n{from}To: c\n\ntext\n\n{from}\n{long}\n{from}"));
    let (segments, notes) = read(content, usize::MAX, &options(Some("mbox"), SMALL, 100));
    assert_eq!(
        summary(&segments),
        [
            (Rest, 0, (0, 2), 0),
            (Message, 34, (2, 49), 1),
            (Message, 34, (49, 649), 2),
            (Rest, 0, (649, 905), 2),
            (Rest, 0, (905, 1085), 2),
            (Message, 34, (1085, 1119), 3),
        ]
    );
    assert_eq!(segments[3].range, (633, 921));
    assert_eq!(segments[4].range, (889, 1085));
    assert_eq!(notes, [(DiagnosticKind::OversizeMessage, 49)]);
}

#[test]
fn a_news_batch_is_cut_into_articles() {
    use SegmentKind::Message;
    type Row<'a> = (&'a str, &'a [(u32, u64, u64)], &'a [(DiagnosticKind, u64)]);
    let table: &[Row<'_>] = &[
        ("#! rnews 4\nabcd#! rnews 4\nefgh", &[(11, 0, 15), (11, 15, 30)], &[]),
        ("#! rnews 4\nab\n#! rnews 2\nef", &[(11, 0, 14), (11, 14, 27)], &[(DiagnosticKind::WrongCount, 0)]),
        ("#! rnews 15\n#! rnews 4\nabcd#! rnews 2\nef", &[(12, 0, 27), (11, 27, 40)], &[]),
        ("#! rnews 4\nabcdefgh\n#! rnews 2\nef", &[(11, 0, 20), (11, 20, 33)], &[(DiagnosticKind::WrongCount, 0)]),
        ("#! rnews 9\nabcd", &[(11, 0, 15)], &[(DiagnosticKind::ShortArticle, 0)]),
        ("#! rnews 3\nabcd", &[(11, 0, 15)], &[(DiagnosticKind::WrongCount, 0)]),
        ("#! rnews 99999999999999999999\nabcd\n#! rnews 1\nx", &[(30, 0, 35), (11, 35, 47)], &[]),
    ];
    for (content, want, odd) in table {
        let (segments, notes) = read(leak(*content), 3, &options(None, SMALL, 16));
        let want: Vec<_> = want.iter().zip(1..).map(|(&(env, from, to), n)| (Message, env, (from, to), n)).collect();
        assert_eq!(summary(&segments), want, "{content:?}");
        assert_eq!(notes, *odd, "{content:?}");
    }
}

/// A file that does not have the requested format is reported, unless it is blank.
#[test]
fn a_file_in_another_format_is_reported() {
    let mailbox = "From a@b Mon Jan  1 00:00:00 2001\nTo: c\n\ntext\n";
    let odd: &[(DiagnosticKind, u64)] = &[(DiagnosticKind::OtherFormat, 0)];
    // These texts are longer than a chunk.
    let blank = "\n".repeat(3000);
    let (first, last) = (format!("x{blank}"), format!("{blank}x"));
    let table = [
        ("rnews", mailbox, odd),
        ("mmdf", mailbox, odd),
        ("mbox", "To: c\n\ntext\n", odd),
        ("mbox", mailbox, &[]),
        ("mbox", "The last lines of the part before.\n\nFrom a@b Mon Jan  1 00:00:00 2001\nTo: c\n", &[]),
        ("mbox", "", &[]),
        ("mbox", &blank, &[]),
        ("rnews", &blank, &[]),
        ("rnews", &first, odd),
        ("rnews", &last, odd),
        ("message", mailbox, &[]),
        ("text", mailbox, &[]),
        ("git-batch", "0123456789abcdef0123456789abcdef01234567 commit 4\nabcd\n", &[]),
    ];
    for (format, content, want) in table {
        let (_, notes) = read(leak(content), 7, &options(Some(format), SMALL, 16));
        assert_eq!(notes, want, "{format} {content:?}");
    }
}

/// A file that begins in the middle of a mailbox is read as text, and is reported. It is not reported if the caller
/// requested the format `text`.
#[test]
fn a_mailbox_after_text_is_reported() {
    let mailbox = "The last line of the part before.\n\nFrom a@b Mon Jan  1 00:00:00 2001\nTo: c\n";
    let reported: &[(DiagnosticKind, u64)] = &[(DiagnosticKind::MailboxNotAtStart, 35)];
    for (format, want) in [(None, reported), (Some("text"), &[]), (Some("mbox"), &[])] {
        for step in [1, 7, 1000] {
            let (_, notes) = read(leak(mailbox), step, &options(format, SMALL, 16));
            assert_eq!(notes, want, "{format:?}");
        }
    }
}

/// Edge cases of each container. A row has the expected segments: the kind, the length of the envelope, the range and
/// the number of each.
#[test]
fn other_mailboxes_are_cut_into_messages() {
    use SegmentKind::{Message, Meta, Rest, Text};
    let ruler = "=".repeat(73) + "\n";
    let name = "0123456789abcdef0123456789abcdef01234567";
    let log = format!("{ruler}Date: a\n\n{ruler}no field\n{ruler}To: b\n");
    let git = format!("{name} blob 5\nTo: a\n{name} commit 4\nabcd\n{name} blob 9\nTo: b\n");
    type Case<'a> = (&'a str, &'a str, Vec<Row>, &'a [(DiagnosticKind, u64)]);
    let table: &[Case<'_>] = &[
        // A line of ^A is before and after each message. Between the two messages, both such lines belong to the
        // envelope of the second message.
        (
            "mmdf",
            "\x01\x01\x01\x01\nTo: a\n\x01\x01\x01\x01\n\x01\x01\x01\x01\nTo: b\n\x01\x01\x01\x01\n",
            vec![(Message, 5, (0, 11), 1), (Message, 10, (11, 27), 2), (Meta, 0, (27, 32), 0)],
            &[],
        ),
        // The first message has an envelope line. There is only one separator line between the messages, and none after
        // the last message.
        (
            "mmdf",
            "\x01\x01\x01\x01\nFrom x\nTo: a\n\x01\x01\x01\x01\nTo: b\n",
            vec![(Message, 12, (0, 18), 1), (Message, 5, (18, 29), 2)],
            &[],
        ),
        // A line of five ^A is not a separator.
        ("mmdf", "\x01\x01\x01\x01\nTo: a\n\n\x01\x01\x01\x01\x01\n", vec![(Message, 5, (0, 18), 1)], &[]),
        (
            "babyl",
            "BABYL OPTIONS:\n\x1F\x0C\n0,,\n*** EOOH ***\nTo: a\n\n\x1F\n\x1F\x0Cx\n\x1F\x0C\n1,,\nTo: b\n*** EOOH ***\nTo: b\n\n\x1F",
            vec![(Meta, 0, (0, 15), 0), (Message, 20, (15, 48), 1), (Message, 7, (48, 81), 2), (Meta, 0, (81, 82), 0)],
            &[],
        ),
        ("listserv", &log, vec![(Message, 74, (0, 166), 1), (Message, 74, (166, 246), 2)], &[]),
        (
            "git-batch",
            &git,
            vec![(Message, 48, (0, 54), 1), (Meta, 50, (54, 109), 0), (Message, 48, (109, 163), 2)],
            &[(DiagnosticKind::ShortArticle, 109)],
        ),
        ("emlx", "7 \nTo: a\n\n<plist/>\n", vec![(Message, 3, (0, 10), 1), (Meta, 0, (10, 19), 0)], &[]),
        ("emlx", "70 \nTo: a\n\ntext\n", vec![(Message, 4, (0, 16), 1)], &[(DiagnosticKind::ShortArticle, 0)]),
        ("emlx", "none\nTo: a\n", vec![(Rest, 0, (0, 11), 0)], &[(DiagnosticKind::OtherFormat, 0)]),
        ("digest", "To: a\n\nno ruler\n", vec![(Message, 0, (0, 16), 1)], &[]),
        ("text", "BABYL", vec![(Text, 0, (0, 5), 0)], &[]),
    ];
    for (format, content, want, odd) in table {
        let content = leak(*content);
        for (short, chunk) in [(usize::MAX, 4096), (1, 1), (3, 40)] {
            let (segments, notes) = read(content, short, &options(Some(format), SMALL, chunk));
            assert_tiles(content, &segments);
            assert_eq!(summary(&segments), *want, "{format}: {}", content.escape_ascii());
            assert_eq!(notes, *odd, "{format}: {}", content.escape_ascii());
        }
    }
}

#[test]
fn streams_batches_and_walks_are_send() {
    fn is_send<T: Send>() {}
    is_send::<Stream>();
    is_send::<Batch>();
    is_send::<super::Walk>();
}

#[test]
fn empty_inputs_have_no_segments() {
    for format in [None, Some("mbox"), Some("rnews"), Some("message"), Some("text")] {
        assert_eq!(read(b"", 1, &options(format, SMALL, 16)), (vec![], vec![]));
    }
}

#[test]
fn bytes_before_a_read_error_are_searched() {
    struct Failing(bool);
    impl Read for Failing {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(io::Error::other("bad disk"));
            }
            buf[..5].copy_from_slice(b"text\n");
            Ok(5)
        }
    }
    let mut stream = Stream::from_reader(Failing(false), "disk", &Options::default());
    let mut batch = Batch::default();
    assert!(matches!(stream.next(&mut batch), Some(StreamEvent::Batch)));
    assert_eq!(batch.bytes(), b"text\n");
    let Some(StreamEvent::End(Some(_), Some(error))) = stream.next(&mut batch) else { panic!("it failed") };
    assert_eq!(error.to_string(), "disk: cannot be read to its end: bad disk");
    assert!(stream.next(&mut batch).is_none());
}

/// Unreadable members are reported even if the archive cannot be read to its end.
#[test]
#[cfg(feature = "compression")]
fn unreadable_members_before_a_failure_are_reported() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("bad disk"))
        }
    }
    // A member with five encrypted bytes.
    let member = |name: u8| {
        [&b"PK\x03\x04\x14\0\x01\0\x08\0\0\0\0\0\0\0\0\0\x05\0\0\0\x05\0\0\0\x01\0\0\0"[..], &[name], b"-----"].concat()
    };
    let bytes = [member(b'a'), member(b'b'), vec![0]].concat();
    let mut stream = Stream::from_reader(io::Cursor::new(bytes).chain(Failing), "disk.zip", &Options::default());
    let mut batch = Batch::default();
    let mut reported = Vec::new();
    while let Some(event) = stream.next(&mut batch) {
        if let StreamEvent::End(_, error) = event {
            reported.extend(error.map(|error| error.to_string()));
        }
    }
    let failure = "disk.zip: cannot be read to its end: bad disk";
    let members = "disk.zip!a: cannot be opened: it is encrypted (1 other member has the same problem)";
    assert_eq!(reported, [failure, members]);
}

#[cfg(feature = "compression")]
mod gzip {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn data_before_malformed_compression_is_searched() {
        let text = mbox();
        let plain = text.as_bytes();
        let members = [gzip(&plain[..1000]), gzip(&plain[1000..])].concat();
        let cut = &members[..members.len() - 9];
        let mut bad = members.clone();
        let end = bad.len() - 6;
        bad[end] ^= 1;
        // The first deflate block is complete, and the second block has a type that does not exist.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&plain[..2000]).expect("memory");
        encoder.flush().expect("memory");
        let odd = [encoder.get_ref().as_slice(), &[7; 20]].concat();
        // A header with all optional fields: an extra field, a name, a comment and a checksum.
        let mut named = members.clone();
        named[3] = 0x1E;
        drop(named.splice(10..10, *b"\x05\0extraname\0comment\0\xAB\xCD"));
        let len = plain.len() as u64;
        let table: Vec<(Vec<u8>, Option<u64>, Option<DiagnosticKind>)> = vec![
            (members.clone(), Some(len), None),
            ([b"#! gunbatch\n".to_vec(), members.clone()].concat(), Some(len), None),
            ([members.clone(), vec![0; 1000]].concat(), Some(len), None),
            ([members.clone(), vec![0; 1000], gzip(b"")].concat(), Some(len), None),
            ([&members[..], b"text"].concat(), Some(len), Some(DiagnosticKind::TrailingGarbage)),
            ([&members[..], b"\x1F\x8B\xFF"].concat(), Some(len), Some(DiagnosticKind::TruncatedCompression)),
            (bad, Some(len), Some(DiagnosticKind::BadCompression)),
            (odd, Some(2000), Some(DiagnosticKind::BadCompression)),
            (cut.to_vec(), None, Some(DiagnosticKind::TruncatedCompression)),
            (members[..5].to_vec(), Some(0), Some(DiagnosticKind::TruncatedCompression)),
            (named[..15].to_vec(), Some(0), Some(DiagnosticKind::TruncatedCompression)),
            (named, Some(len), None),
        ];
        for (i, (content, size, note)) in table.into_iter().enumerate() {
            let content = leak(content);
            for (short, chunk) in [(usize::MAX, 1 << 20), (usize::MAX, 50), (1, 300)] {
                let (segments, notes) = read(content, short, &options(Some("mbox"), SMALL, chunk));
                let end = segments.last().map_or(0, |segment| segment.starts.1);
                assert_tiles(&plain[..end as usize], &segments);
                assert!(size.map_or(end > 1000 && end <= len, |size| size == end), "row {i}: {end} of {len}");
                let notes: Vec<_> =
                    notes.into_iter().filter(|n| !matches!(n.0, DiagnosticKind::OversizeMessage)).collect();
                assert_eq!(notes, Vec::from_iter(note.map(|kind| (kind, end))), "row {i}");
            }
        }
    }

    #[test]
    fn unsupported_compression_is_an_error_with_a_hint() {
        let options = Options::default();
        for (content, hint) in [
            (&b"#! cunbatch\nabc"[..], "PipeAfterFirstLine"),
            (b"!BDN", "readpst"),
            #[cfg(not(feature = "outlook"))]
            (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "msgconvert"),
            (b"7z\xBC\xAF\x27\x1C", "7z x"),
            (b"LZIP\x01\x0C", "Pipe(\"lzip -dc\")"),
            (b"CRMT\xB3\x7F\0\0\x01\0\0\0", "sm -q -S"),
            // A compressed file must be decompressed first.
            (&gzip(b"LZIP\x01\x0C"), "PipeUnpacked(\"lzip -dc\")"),
        ] {
            let mut stream = Stream::from_reader(content, "f", &options);
            let mut batch = Batch::default();
            let Some(StreamEvent::End(None, Some(error))) = stream.next(&mut batch) else { panic!("it is not read") };
            assert!(format!("{:?}", error.remedy()).contains(hint), "{error}");
            assert!(stream.next(&mut batch).is_none());
        }
    }

    #[test]
    fn expansion_is_limited() {
        let content = leak(gzip(&vec![b'x'; 3 << 20]));
        let (segments, notes) = read(content, usize::MAX, &Options::default());
        let end = segments.last().map_or(0, |segment| segment.starts.1);
        assert!(end > 1 << 20 && end < 2 << 20, "{end}");
        assert_eq!(notes, [(DiagnosticKind::ExpansionLimit, end)]);
    }
}

/// A reader of several slices. Each read returns bytes of only one slice. The last field counts the slices that were
/// begun.
struct Steps<'a>(&'a [&'a [u8]], &'a [u8], &'a Cell<usize>);

impl Read for Steps<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty()
            && let Some((step, rest)) = self.0.split_first()
        {
            (self.0, self.1) = (rest, step);
            self.2.set(self.2.get() + 1);
        }
        self.1.read(buf)
    }
}

/// A message is returned when the next one begins, even if the rest of the input is late.
#[test]
fn complete_messages_do_not_wait_for_more_input() {
    // The message is larger than the part of the input that is checked for compression.
    let message = format!("From a Mon Jan  1 00:00:00 2001\nA: b\n\n{}\n", "c\n".repeat(MAGIC_LEN));
    let (first, second) = message.as_bytes().split_at(10);
    let article = format!("#! rnews {}\n{message}", message.len());
    let many = message.repeat(HEAD.div_ceil(message.len()));
    type Row<'r> = (Option<&'r str>, &'r [&'r [u8]], &'r [(usize, usize)]);
    let table: &[Row<'_>] = &[
        // A message is complete when the next message begins. The last message is complete at the end of the input.
        (Some("mbox"), &[message.as_bytes(), first, second], &[(3, 1), (3, 1)]),
        (Some("rnews"), &[article.as_bytes(), &article.as_bytes()[..20], &article.as_bytes()[20..]], &[(2, 1), (3, 1)]),
        // `many` has at least [`HEAD`] bytes, which are enough to detect the format.
        (None, &[many.as_bytes(), message.as_bytes()], &[(1, many.len() / message.len() - 1), (2, 1), (2, 1)]),
    ];
    for &(format, steps, want) in table {
        let taken = Cell::new(0);
        let options = options(format, Limits::default(), 1 << 20);
        let mut stream = Stream::from_reader(Steps(steps, b"", &taken), "test", &options);
        let (mut batch, mut got) = (Batch::default(), Vec::new());
        while matches!(stream.next(&mut batch), Some(StreamEvent::Batch)) {
            got.push((taken.get(), batch.segments.len()));
        }
        assert_eq!(got, want, "{format:?}");
    }
}

/// If a file of any format is divided into byte ranges, the segments of all ranges together are the segments of the
/// whole file.
#[test]
fn ranges_of_a_partition_cover_the_file() {
    let limits = Limits { message: 400, least: 64, most: 128, context: 32 };
    let temp = std::env::temp_dir().join(format!("urlspool-ranges-{}", std::process::id()));
    let mut seed = 11_u64;
    let mut below = |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    // All but the last of these files are longer than `HEAD`, so that a range can begin after the bytes that are read
    // to detect the format.
    for content in [mbox().repeat(300), rnews().repeat(200), text().repeat(300), format!("x\n\n{}", mbox())] {
        std::fs::write(&temp, &content).expect("a temporary file");
        let segments = |range: Option<std::ops::Range<u64>>, count_lines: bool| {
            let options = Options { range, count_lines, ..options(None, limits, 1000) };
            let mut stream = open(file(&temp), &options);
            let (mut batch, mut found) = (Batch::default(), Vec::new());
            while matches!(stream.next(&mut batch), Some(StreamEvent::Batch)) {
                for segment in &batch.segments {
                    let at = batch.base + segment.starts.start as u64;
                    let number = if count_lines { segment.number } else { 0 };
                    found.push((
                        at,
                        segment.starts.len(),
                        segment.kind,
                        segment.envelope,
                        number,
                        segment.head.clone(),
                    ));
                }
                assert!(batch.bytes().len() < 40_000 || !batch.segments.is_empty(), "unneeded bytes accumulate");
                assert!(batch.bytes().len() < 2 * HEAD, "unneeded bytes accumulate");
            }
            found
        };
        for count_lines in [true, false] {
            let whole = segments(None, count_lines);
            for _ in 0..4 {
                let mut cuts: Vec<u64> = (0..below(6)).map(|_| below(content.len() as u64 + 100)).collect();
                // At least one range begins where a segment begins.
                cuts.push(whole[below(whole.len() as u64) as usize].0);
                cuts.extend([0, u64::MAX]);
                cuts.sort_unstable();
                let union: Vec<_> =
                    cuts.windows(2).flat_map(|cut| segments(Some(cut[0]..cut[1]), count_lines)).collect();
                assert!(union == whole, "{cuts:?}: {} segments of {}", union.len(), whole.len());
            }
        }
    }
    std::fs::remove_file(&temp).expect("the temporary file");
}

/// Describes a regular file that the user named.
fn file(path: &Path) -> FileEntry {
    let size = path.metadata().expect("a file").len();
    FileEntry { path: path.into(), size: Some(size), named: true, ..FileEntry::default() }
}

#[track_caller]
fn open(input: FileEntry, options: &Options) -> Stream {
    Stream::open(Entry::File(input), options).unwrap_or_else(|event| panic!("{event:?}"))
}

/// Returns a mailbox of messages that have 300 bytes and 5 lines each.
fn mailbox(messages: usize) -> Vec<u8> {
    let body = "x".repeat(252);
    format!("From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\n{body}\n\n").repeat(messages).into_bytes()
}

/// Describes the next events, at most `most`. `next` returns an event of a stream or of a part of a mailbox.
fn log(most: usize, mut next: impl FnMut(&mut Batch) -> Option<StreamEvent>) -> Vec<String> {
    let leaf = |text: String| text.rsplit(MAIN_SEPARATOR).next().unwrap_or_default().to_owned();
    let name = |path: &Path| leaf(path.display().to_string());
    let (mut batch, mut log) = (Batch::default(), Vec::new());
    for _ in 0..most {
        let Some(event) = next(&mut batch) else { break };
        match event {
            StreamEvent::Batch => {
                for segment in &batch.segments {
                    let (at, bytes) = (segment.starts.start, segment.starts.len());
                    let line = batch.line + memchr::memchr_iter(b'\n', &batch.bytes()[..at]).count() as u64;
                    let offset = batch.base + at as u64;
                    let (kind, number) = (segment.kind, segment.number);
                    log.push(format!("{kind:?} {number}: {bytes} bytes at {offset}, line {line}"));
                }
                log.extend(batch.notes.iter().map(|note| format!("{:?} at {}", note.kind, note.offset)));
                log.extend(batch.reached.map(|at| {
                    let Position { offset, end, messages, lines } = at;
                    format!("reached {offset} to {end} after {messages} messages and {lines} lines")
                }));
            }
            StreamEvent::End(file, None) => {
                log.push(format!("end of {}", file.map_or("no input".into(), |file| name(&file.place()))));
            }
            StreamEvent::End(_, Some(error)) => log.push(leaf(error.to_string())),
            StreamEvent::Skipped(path, why) => log.push(format!("{} is skipped: {why:?}", name(&path))),
            StreamEvent::Finished(path) => log.push(format!("{} is finished", name(&path))),
        }
    }
    log
}

/// A large mailbox is read in parts. The parts have the same messages as the mailbox, with the same numbers and lines.
/// Only the last part reports the end of the file.
#[test]
fn parts_are_numbered_like_the_whole_mailbox() {
    let temp = Temp::new("parts");
    // The long message contains whole parts.
    let long = format!("From a@b Mon Jan  1 00:00:00 2001\nSubject: long\n\n{}\n", "word word\n".repeat(600));
    let path = temp.write("box", &[mailbox(30), long.into_bytes(), mailbox(170)].concat());
    let whole = options(Some("mbox"), SMALL, 1600);
    let mut stream = open(file(&path), &whole);
    let mut want = log(usize::MAX, |batch| stream.next(batch));
    want.sort();
    // Columns: the number of bytes that are read at a time, and the size of the parts.
    for (chunk, size) in [(1600, 150), (1600, 1591), (1600, 1600), (300, 300), (300, 1600), (1, 299)] {
        let options = Options { chunk, ..whole.clone() };
        let mut stream = open(file(&path), &options);
        let mut got = log(1, |batch| stream.next(batch));
        let mut parts = stream.parts().expect("a large mailbox");
        while let Some(mut part) = parts.next(size) {
            got.extend(log(usize::MAX, |batch| part.next(batch)));
        }
        got.sort();
        assert_eq!(got, want, "parts of {size} bytes, read {chunk} bytes at a time");
    }
}

/// Returns the parts of a mailbox of 1500 bytes. The first part begins at the second message.
fn parts(temp: &Temp) -> super::Parts {
    let path = temp.write("box", &mailbox(5));
    let mut stream = open(file(&path), &options(Some("mbox"), SMALL, 580));
    assert_eq!(log(1, |batch| stream.next(batch)), ["Message 1: 300 bytes at 0, line 1"]);
    stream.parts().expect("a large mailbox")
}

#[test]
fn the_last_part_ends_with_the_file() {
    let temp = Temp::new("parts-number");
    for (size, want) in [(1201, 1), (1200, 1), (1199, 2), (600, 2), (599, 3)] {
        let mut parts = parts(&temp);
        assert_eq!(std::iter::from_fn(|| parts.next(size)).count(), want, "parts of {size} bytes");
    }
}

/// If a worker panics before it has counted its part, the workers of later parts stop.
#[test]
fn parts_after_a_lost_part_are_not_read() {
    let mut parts = parts(&Temp::new("parts-lost"));
    let [first, second] = [(); 2].map(|()| parts.next(300));
    drop(first);
    assert!(second.expect("a part").next(&mut Batch::default()).is_none());
}

#[test]
fn only_a_plain_mailbox_over_a_chunk_is_read_in_parts() {
    let temp = Temp::new("parts-plain");
    let plain = mailbox(5);
    let news = format!("#! rnews 287\nSubject: x\n\n{}\n", "x".repeat(274)).repeat(5);
    let mac: Vec<_> = plain.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
    let mbox = options(Some("mbox"), SMALL, 580);
    let range = Options { range: Some(0..u64::MAX), ..mbox.clone() };
    let resumed = Options { resume: resume(None), ..mbox.clone() };
    let table: &[(&str, &[u8], &Options, bool)] = &[
        ("a mailbox", &plain, &mbox, true),
        // After the first message, 581 bytes are left.
        ("more than a chunk", &plain[..881], &mbox, true),
        ("a chunk", &plain[..880], &mbox, false),
        ("a byte range", &plain, &range, false),
        ("a resumed mailbox", &plain, &resumed, false),
        ("lines that end in CR", &mac, &mbox, false),
        ("a news batch", news.as_bytes(), &options(Some("rnews"), SMALL, 580), false),
        #[cfg(feature = "compression")]
        ("a mailbox in an archive", &tar(&[("box", &plain)]), &mbox, false),
    ];
    for (what, content, options, want) in table {
        let mut stream = open(file(&temp.write("box", content)), options);
        assert!(matches!(stream.next(&mut Batch::default()), Some(StreamEvent::Batch)), "{what}");
        assert_eq!(stream.parts().is_some(), *want, "{what}");
    }
}

/// The last line of these mailboxes belongs to no message. It is recognized because only blank bytes follow it. The
/// result is the same if these bytes, or the end of the file, are read later than the line.
#[test]
fn the_last_line_is_the_same_for_all_chunk_sizes() {
    let mmdf = "\x01\x01\x01\x01\nSubject: x\n\nbody\n\x01\x01\x01\x01\n";
    let babyl = "BABYL OPTIONS:\n\x1f\x0c\n1,,\n*** EOOH ***\nSubject: x\n\nbody\n\x1f\n";
    // Columns: the format, the mailbox, and the number of blank bytes that can follow the last line.
    for (format, mailbox, most) in [("mmdf", mmdf, 16 << 10), ("babyl", babyl, (16 << 10) - 1)] {
        for blank in [0, 1, 10, most, most + 1] {
            let text = format!("{mailbox}{}", "\n".repeat(blank)).leak().as_bytes();
            let whole = read(text, usize::MAX, &options(Some(format), Limits::default(), text.len() + 1));
            let is_last = whole.0.last().is_some_and(|segment| segment.kind == SegmentKind::Meta);
            assert_eq!(is_last, blank <= most, "{format}, {blank} blank bytes");
            for chunk in [mailbox.len() - 1, mailbox.len(), mailbox.len() + 1, text.len() - 1, text.len()] {
                let got = read(text, usize::MAX, &options(Some(format), Limits::default(), chunk));
                assert_eq!(got, whole, "{format}, {blank} blank bytes, chunks of {chunk}");
            }
        }
    }
}

/// A message over the size limit is truncated. It is not held back, even if the whole message is read at once.
#[test]
fn a_message_over_the_limit_is_not_held_back() {
    let temp = Temp::new("held");
    let message = |size: usize| format!("{}{}", "From a@b Mon Jan  1 00:00:00 2001\nX: y\n\n", "x".repeat(size - 40));
    for (size, is_held) in [(600, true), (601, false)] {
        let path = temp.write("box", message(size).as_bytes());
        for chunk in [580, 601, 1000] {
            let resume = Some(Decide(Arc::new(|_| Resume::Read { from: None, is_settled: false })));
            let mut stream = open(file(&path), &Options { resume, ..options(Some("mbox"), SMALL, chunk) });
            let log = log(usize::MAX, |batch| stream.next(batch)).join("; ");
            assert_eq!(log.contains("HeldBack"), is_held, "{size} bytes, chunks of {chunk}: {log}");
            assert_eq!(log.contains("OversizeMessage"), !is_held, "{size} bytes, chunks of {chunk}: {log}");
        }
    }
}

/// Returns a function that resumes every file at the same position.
fn resume(from: Option<Position>) -> Option<Decide> {
    Some(Decide(Arc::new(move |_| Resume::Read { from, is_settled: true })))
}

/// Only a plain mailbox is resumed. Other files are read as a whole.
#[test]
fn a_mailbox_is_resumed_at_its_last_message() {
    let temp = Temp::new("resume");
    let mac: Vec<_> = mailbox(1).iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
    let first = "Message 1: 300 bytes at 0, line 1";
    let (whole, end) = (resume(None), resume(Some(Position { offset: 600, end: 900, messages: 2, lines: 10 })));
    let far = resume(Some(Position { offset: 89_700, end: 90_000, messages: 299, lines: 1495 }));
    type Row<'r> = (&'r str, Vec<u8>, Option<Decide>, &'r [&'r str]);
    let table: &[Row<'_>] = &[
        (
            "box",
            mailbox(3),
            whole.clone(),
            &[
                first,
                "reached 300 to 300 after 1 messages and 5 lines",
                "Message 2: 300 bytes at 300, line 6",
                "reached 600 to 600 after 2 messages and 10 lines",
                "Message 3: 300 bytes at 600, line 11",
                "reached 600 to 900 after 2 messages and 10 lines",
                "end of box",
                "box is finished",
            ],
        ),
        (
            "more",
            mailbox(4),
            end,
            &[
                "Message 4: 300 bytes at 900, line 16",
                "reached 900 to 1200 after 3 messages and 15 lines",
                "end of more",
                "more is finished",
            ],
        ),
        // The file is read from a position beyond its first 64 KiB.
        (
            "far",
            mailbox(301),
            far,
            &[
                "Message 301: 300 bytes at 90000, line 1501",
                "reached 90000 to 90300 after 300 messages and 1500 lines",
                "end of far",
                "far is finished",
            ],
        ),
        ("once", mailbox(1), None, &[first, "end of once"]),
        ("mac", mac, whole.clone(), &[first, "end of mac", "mac is finished"]),
        #[cfg(feature = "compression")]
        ("tar", tar(&[("a", &mailbox(1))]), whole, &[first, "end of tar!a", "end of tar", "tar is finished"]),
    ];
    for (name, content, resume, want) in table {
        let options = Options { resume: resume.clone(), ..options(Some("mbox"), SMALL, 580) };
        let mut stream = open(file(&temp.write(name, content)), &options);
        assert_eq!(log(usize::MAX, |batch| stream.next(batch)), *want, "{name}");
    }
}

/// A news batch is read from its beginning, because a message is found only by the byte counts of all earlier messages.
/// The messages that an earlier run has read do not stay in memory.
#[test]
fn the_beginning_of_a_resumed_news_batch_is_dropped() {
    let temp = Temp::new("resume-news");
    let news = format!("#! rnews 287\nSubject: x\n\n{}\n", "x".repeat(274)).repeat(301);
    let resume = resume(Some(Position { offset: 89_700, end: 90_000, messages: 299, lines: 1196 }));
    let mut stream = open(file(&temp.write("news", news.as_bytes())), &Options { resume, ..options(None, SMALL, 580) });
    let mut batch = Batch::default();
    assert!(matches!(stream.next(&mut batch), Some(StreamEvent::Batch)));
    let numbers: Vec<_> = batch.segments.iter().map(|segment| segment.number).collect();
    assert_eq!((numbers, batch.bytes().len()), (vec![301], 300));
}

#[test]
#[cfg(feature = "compression")]
fn only_the_wanted_member_is_read() {
    let temp = Temp::new("member");
    let text: &[u8] = b"See http://a.example/\n";
    let inner = tar(&[("c", text), ("d", text)]);
    let members = [("a", text), ("b", text), ("b.old", text), ("in", &inner), ("e", text), ("e", &inner)];
    let archive = temp.write("tar", &tar(&members));
    let plain = temp.write("plain", text);
    let read = "Text 0: 22 bytes at 0, line 1";
    let table: &[(&Path, &str, &[&str])] = &[
        (&archive, "b", &[read, "end of tar!b", "end of tar"]),
        (&archive, "in!d", &[read, "end of tar!in!d", "end of tar!in", "end of tar"]),
        (&archive, "in", &[read, "end of tar!in!c", read, "end of tar!in!d", "end of tar!in", "end of tar"]),
        // The archive has two members `e`. The first is not an archive, so it is skipped.
        (&archive, "e!d", &["end of no input", read, "end of tar!e!d", "end of tar!e", "end of tar"]),
        (&archive, "c", &["end of tar", "tar!c: cannot be opened: the archive has no member of that name"]),
        (&plain, "b", &["plain!b: cannot be opened: the file before the `!` is not an archive"]),
    ];
    for (path, member, want) in table {
        let input = FileEntry { member: Some(member.as_bytes().into()), ..file(path) };
        let mut stream = open(input, &options(None, Limits::default(), 1000));
        assert_eq!(log(usize::MAX, |batch| stream.next(batch)), *want, "{member}");
    }
}

/// A binary file is an error only if the user named it. If the file ends like a zip archive, it is always an error.
#[test]
fn a_binary_file_is_skipped_or_reported() {
    let temp = Temp::new("binary");
    let picture = b"\xFF\xD8\xFF\xE0\0\x10JFIF";
    // The end record of an archive that has one member in another file.
    let end: &[u8] = b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x10\0\0\0\0\0\0\0\0\0";
    let program = [b"\x90\0\x03".repeat(20), end.to_vec()].concat();
    let appended = [&mailbox(1), end].concat();
    let unsupported = "program: a binary file is not supported";
    let incomplete = "program: offset 60: this is only the end of a zip archive, and no member was read; unpack the \
                      archive first, or join its parts";
    let range = Some(0..u64::MAX);
    // Columns: the name and content of the file, whether the user named it, whether it is a regular file, the byte
    // range, and what is reported.
    type Row<'r> = (&'r str, &'r [u8], bool, bool, Option<std::ops::Range<u64>>, &'r [&'r str]);
    let table: &[Row<'_>] = &[
        ("picture", picture, true, true, None, &["picture: a JPEG picture is not supported"]),
        ("picture", picture, false, true, None, &["picture is skipped: Binary"]),
        #[cfg(feature = "compression")]
        ("tar", &tar(&[("picture", picture)]), true, true, None, &["tar!picture is skipped: Binary", "end of tar"]),
        ("program", &program, true, true, None, &[incomplete]),
        ("program", &program, false, true, None, &[incomplete]),
        // The end of a pipe or of a range is not searched for the end record.
        ("program", &program, true, false, None, &[unsupported]),
        ("program", &program, true, true, range, &[unsupported]),
        // The end record is an attachment that is not encoded.
        ("mail", &appended, true, true, None, &["Message 1: 322 bytes at 0, line 1", "end of mail"]),
    ];
    for (name, content, named, is_regular, range, want) in table {
        let input = file(&temp.write(name, content));
        let input = FileEntry { named: *named, size: input.size.filter(|_| *is_regular), ..input };
        let mut stream = open(input, &Options { range: range.clone(), count_lines: true, ..Options::default() });
        assert_eq!(log(usize::MAX, |batch| stream.next(batch)), *want, "{name}, {named}, {is_regular}");
    }
}

/// The file to which the results are written is skipped in a directory, and an error if the user named it.
#[cfg(unix)]
#[test]
fn the_output_is_not_read() {
    let temp = Temp::new("output");
    let [output, other] = ["output", "other"].map(|name| temp.write(name, b"See http://a.example/\n"));
    let outputs = super::id(&output.metadata().expect("a file")).into_iter().collect();
    let options = Options { outputs, ..Options::default() };
    for (path, named, want) in [
        (&output, true, "output: cannot be opened: it is the output of urlspool"),
        (&output, false, "output is skipped: Output"),
        (&other, true, "Text 0: 22 bytes at 0, line 0"),
        (&other, false, "Text 0: 22 bytes at 0, line 0"),
    ] {
        let mut stream = Stream::open(Entry::File(FileEntry { named, ..file(path) }), &options).map_err(Some);
        let events = log(1, |batch| match &mut stream {
            Ok(stream) => stream.next(batch),
            Err(event) => event.take(),
        });
        assert_eq!(events, [want], "{named}");
    }
}

/// A message that was deleted from a Maildir in use is skipped. Another missing file is an error.
#[test]
fn a_deleted_message_of_a_maildir() {
    let temp = Temp::new("deleted");
    temp.write("box/cur/2", b"x");
    for (name, message, named, is_skipped) in [
        ("box/cur/1", true, false, true),
        ("box/new/1:2,S", true, false, true),
        ("box/cur/1", true, true, false),
        ("box/1", true, false, false),
        ("box/cur/1", false, false, false),
    ] {
        let entry = FileEntry { path: temp.0.join(name), message, named, ..FileEntry::default() };
        let event = Stream::open(Entry::File(entry), &Options::default()).map(|_| ()).expect_err(name);
        let is_gone = matches!(event, StreamEvent::Skipped(_, crate::source::SkipReason::Gone));
        assert_eq!(is_gone, is_skipped, "{name} {message} {named}");
    }
}

/// A compressed message or an archive in a git repository does not affect the next message.
#[cfg(all(feature = "git", feature = "compression"))]
#[test]
fn messages_of_an_inbox_are_read_one_after_another() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    let message = b"Subject: x\n\nhttp://a.example/\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(message).expect("memory");
    let temp = Temp::new("inbox");
    let repository = temp.0.join("list.git");
    temp.write("list.git/HEAD", b"ref: refs/heads/master\n");
    for directory in ["objects", "refs"] {
        std::fs::create_dir(repository.join(directory)).expect("a directory");
    }
    let commits = [gzip.finish().expect("memory"), tar(&[("a", message)]), message.to_vec()].map(|blob| {
        let head = "commit refs/heads/master\ncommitter a <a@b> 0 +0000\ndata 0\nM 100644 inline m\n";
        [head.as_bytes(), format!("data {}\n", blob.len()).as_bytes(), &blob, b"\n"].concat()
    });
    let mut git = Command::new("git");
    git.arg("--git-dir").arg(&repository).args(["fast-import", "--quiet"]).stdin(Stdio::piped());
    let mut git = git.spawn().expect("git is installed");
    git.stdin.take().expect("a pipe").write_all(&commits.concat()).expect("git reads it");
    assert!(git.wait().expect("git runs").success());

    let opened = Stream::open(Entry::Inbox(vec![repository]), &options(None, SMALL, 1000));
    let mut stream = opened.unwrap_or_else(|event| panic!("{event:?}"));
    let mut log = log(usize::MAX, |batch| stream.next(batch));
    let ends: Vec<_> = log.extract_if(.., |line| line.starts_with("end of list.git:")).collect();
    assert_eq!(log, ["Message 1: 30 bytes at 0, line 1"; 3]);
    assert_eq!(ends.iter().map(|line| line.ends_with("!a")).collect::<Vec<_>>(), [false, true, false, false]);
}

#[cfg(feature = "git")]
#[test]
fn an_inbox_without_repositories_has_no_events() {
    let opened = Stream::open(Entry::Inbox(Vec::new()), &Options::default());
    let mut stream = opened.unwrap_or_else(|event| panic!("{event:?}"));
    assert!(stream.next(&mut Batch::default()).is_none());
}
