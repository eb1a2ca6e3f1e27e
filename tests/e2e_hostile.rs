//! Tests malformed messages, and messages that were written to make the search slow. For any bytes, the search must not
//! panic, must take linear time, and must return valid offsets.

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::time::Duration;

use crate::cpu;
#[cfg(unix)]
use crate::support::Scratch;
use crate::support::record::{self, Event, Found, Search, hits};
#[cfg(unix)]
use crate::support::store;
use crate::support::{Random, corpus, messages};

/// The sizes of the small message and of the large message, in bytes.
const SIZES: [usize; 2] = [128 << 10, 384 << 10];

/// The largest accepted ratio of the times for the large and the small message. Linear time gives a ratio of 3. The
/// limit is higher, because the machine may be busy.
const SLACK: u32 = 8;

/// If the time for the large message is shorter than this, any ratio is accepted, because short times are imprecise.
const QUICK: Duration = Duration::from_millis(40);

/// Describes a message: `head`, then `unit` repeated up to a size, then `tail`. In each repetition, the `{}` in `unit`
/// is replaced with the number of the repetition.
struct Flood {
    name: &'static str,
    format: &'static str,
    head: &'static str,
    unit: &'static str,
    tail: &'static str,
}

const fn flood(name: &'static str, head: &'static str, unit: &'static str) -> Flood {
    Flood { name, format: "message", head, unit, tail: "" }
}

const fn archive(name: &'static str, format: &'static str, unit: &'static str) -> Flood {
    Flood { name, format, head: "", unit, tail: "" }
}

impl Flood {
    fn bytes(&self, size: usize) -> Vec<u8> {
        let mut bytes = self.head.as_bytes().to_vec();
        let mut number = 0;
        while bytes.len() < size {
            match self.unit.contains("{}") {
                true => bytes.extend(self.unit.replace("{}", &number.to_string()).as_bytes()),
                false => bytes.extend(self.unit.as_bytes()),
            }
            number += 1;
        }
        bytes.extend(self.tail.as_bytes());
        bytes
    }
}

const HTML: &str = "Content-Type: text/html\n\n";
const MIXED: &str = "Content-Type: multipart/mixed; boundary=b\n\n";
const BASE64: &str = "Content-Transfer-Encoding: base64\n\n";
const QUOTED: &str = "Content-Transfer-Encoding: quoted-printable\n\n";

const FLOODS: &[Flood] = &[
    flood("encoded words that never end", "Subject: http://a.example/", " =?x"),
    flood("encoded words", "Subject:", " =?utf-8?q?http://a.example/{}?=\n"),
    flood("encoded words, unfolded", "Subject:", " =?utf-8?b?aHR0cDovL2EuZXhhbXBsZS8=?="),
    flood("small fields", "", "a{}: http://a.example/\n"),
    flood("a field of folds", "X-URL: <http://a.example/", "\n a"),
    flood("a field of blank folds", "X-URL: http://a.example/", "\n "),
    flood("stray lines among fields", "", "stray line\nSubject: http://a.example/\n"),
    flood("parameters", "Content-Type: multipart/mixed", "; a{}=b"),
    flood("parameters in pieces", "Content-Type: text/plain", "; a*{}*=b"),
    flood("a long boundary", "Content-Type: multipart/mixed; boundary=", "b"),
    flood("empty parts", MIXED, "--b\n"),
    flood("closed over and over", MIXED, "--b\n\n--b--\n"),
    flood("lines like boundaries", MIXED, "--bb\n--\n"),
    flood("dashes", MIXED, "-"),
    flood("multiparts in multiparts", "", "Content-Type: multipart/mixed; boundary=b{}\n\n--b{}\n"),
    flood("multiparts of one boundary", "", "Content-Type: multipart/mixed; boundary=b\n\n--b\n"),
    flood("messages in messages", "", "Content-Type: message/rfc822\n\n"),
    flood("digests", "Content-Type: multipart/digest; boundary=b\n\n", "--b\n\nSubject: http://a.example/\n\n"),
    flood(
        "alternatives of one URL",
        "Content-Type: multipart/alternative; boundary=b\n\n",
        "--b\n\nhttp://a.example/\n",
    ),
    flood("base64 of nothing", BASE64, "\n"),
    flood("base64 that breaks off", BASE64, "aHR0cDovL2EuZXhhbXBsZS8=\n!\n"),
    flood("base64 of padding", BASE64, "="),
    flood("base64 between words", BASE64, "aHR0cDovL2Eu \u{e4} http://a.example/ "),
    flood("soft breaks", QUOTED, "=\n"),
    flood("soft breaks in a URL", "Content-Transfer-Encoding: quoted-printable\n\nhttp://a.example/", "a=\n"),
    flood("equals signs", QUOTED, "="),
    flood("escapes", QUOTED, "=68=74=74=70=3A=2F=2Fa.example=20"),
    flood(
        "quoted-printable that nobody declared",
        "\n",
        "http://a.example/?a=3Db&bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb=\n",
    ),
    flood("attributes that never end", HTML, "<a href=\"http://a.example/"),
    flood("quotation marks in turn", HTML, "<a href='\"http://a.example/\"'x"),
    flood("attributes of one tag", "Content-Type: text/html\n\n<a ", "href=http://a.example/ "),
    Flood {
        tail: "= y>t</a>",
        ..flood("names without values", "Content-Type: text/html\n\n<a href=http://a.example/ ", "x ")
    },
    Flood { tail: "x= ", ..flood("tags in a tag", HTML, "<a ") },
    Flood { tail: ":>", ..flood("pictures in a tag", HTML, "<img ") },
    flood("tags", HTML, "<p><b></b>http://a.example/"),
    flood("open brackets", HTML, "<"),
    flood("comments that never end", HTML, "<!-- http://a.example/ "),
    flood("scripts that never end", HTML, "<script>http://a.example/</scrip"),
    flood("style sheets", HTML, "<style>url(http://a.example/"),
    flood("style sheets in raw text", HTML, "<xmp><style>url(http://a.example/</xmp>"),
    Flood { tail: "-->", ..flood("comments in raw text", HTML, "<xmp><!-- http://a.example/</xmp>") },
    flood("conditional comments", HTML, "<!--[if mso]><a href=http://a.example/>"),
    flood("comments after a quotation", "Content-Type: text/html\n\n<a href=http://a/><p class=gmail_quote>", "<!--x"),
    flood("conditional comments, closed", HTML, "<!--[if mso]><a href=http://a.example/>-->"),
    flood("an attribute of blanks", "Content-Type: text/html\n\n<a href=\"http://a.example/", " \\"),
    flood("quoted urls of a style", "Content-Type: text/html\n\n<p style=\"", "url('http://a.example/"),
    flood("urls of a style", "Content-Type: text/html\n\n<p style=\"", "url(http://a.example/"),
    flood("a set of sources", "Content-Type: text/html\n\n<img srcset=\"", "http://a.example/ 1x, "),
    flood("references", HTML, "&amp"),
    flood("numbers of characters", HTML, "&#104;&#x74"),
    flood("a number without end", "Content-Type: text/html\n\nhttp://a.example/&#", "1"),
    flood("flowing lines", "Content-Type: text/plain; format=flowed; delsp=yes\n\nhttp://a.example/", "a \n"),
    flood("flowing quotations", "Content-Type: text/plain; format=flowed; delsp=yes\n\n", ">>> http://a.example/ \n> "),
    flood("UTF-7", "Content-Type: text/plain; charset=utf-7\n\n", "http+ADo-//a.example/ "),
    flood("UTF-7 that is never shifted back", "Content-Type: text/plain; charset=utf-7\n\n", "+"),
    flood("ISO-2022", "Content-Type: text/plain; charset=iso-2022-jp\n\n", "\u{1b}$B\u{1b}(Bhttp://a.example/ "),
    flood("wrappers in wrappers", "\n", "<URL:"),
    flood("wrappers over lines", "\n", "> <URL:http://a.example/\n"),
    flood("quote marks", "\n", "> "),
    flood("schemes", "\n", "http://"),
    flood("glued URLs", "\n", "http://a.example/\u{e9}."),
    flood("glued URLs with open brackets", "\n", "http://a.example/([{."),
    flood("glued URLs with brackets", "\n", "http://a.example/()()()."),
    flood("glued URLs with queries", "\n", "http://a.example/?=&=&."),
    flood(
        "long lines that break",
        "\n",
        "http://www.archivist.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/\n",
    ),
    flood("armour", "\n-----BEGIN PGP SIGNED MESSAGE-----\n\n", "- -----BEGIN PGP SIGNATURE-----\n"),
    flood("carriage returns", "Subject: http://a.example/\r\n\r\n", "http://a.example/\r"),
    flood("zeros", "\n", "\0"),
    archive("envelopes", "mbox", "From a Mon Mar  1 10:00:00 2004\n"),
    archive("envelopes without a date", "mbox", "\nFrom -1\nSubject: http://a.example/\n"),
    archive("prose that begins with From", "mbox", "\nFrom here http://a.example/\n"),
    archive("counts of nothing", "rnews", "#! rnews 0\n"),
    archive("counts that are wrong", "rnews", "#! rnews 999999\nSubject: http://a.example/\n\n"),
    archive("counts beyond all numbers", "rnews", "#! rnews 99999999999999999999\nSubject: http://a.example/\n\n"),
    archive("lines of four ^A", "mmdf", "\x01\x01\x01\x01\n"),
    archive("labels of Rmail", "babyl", "\x1F\x0C\n1,,\n"),
    archive("ends of headers of Rmail", "babyl", "\x1F\x0C\n1,,\nA: http://a.example/\n*** EOOH ***\n"),
    archive("rulers", "listserv", "=========================================================================\n"),
    archive("objects that are too long", "git-batch", "0123456789abcdef0123456789abcdef01234567 blob 999999\n"),
    archive("names of objects", "git-batch", "0123456789abcdef0123456789abcdef01234567 "),
    archive("hyphens", "digest", "\n------------------------------\n\n"),
    archive("doubled dots", "article", "\r\n..http://a.example/"),
    archive("text without a line", "text", "http://a.example/ "),
];

fn time(flood: &Flood, bytes: &[u8]) -> Duration {
    let extractor = Search::new().format(flood.format);
    let bytes = bytes.to_vec();
    let length = bytes.len();
    let mut events = Vec::new();
    let time = cpu::time(|| events = record::read(&extractor, Cursor::new(bytes), "flood"));
    for found in hits(&events) {
        assert!((found.offset + found.length) as usize <= length, "{}: {found:?}", flood.name);
    }
    time
}

/// The inputs that are known to be slow.
fn expected_failures() -> BTreeSet<String> {
    let lines = fs::read_to_string(corpus("expected_failures.txt")).expect("corpus/expected_failures.txt");
    lines.lines().filter_map(|line| line.trim().strip_prefix("hostile#")).map(str::to_owned).collect()
}

#[test]
fn time_is_linear() {
    let mut slow = BTreeSet::new();
    let mut report = String::new();
    for flood in FLOODS {
        let bytes = SIZES.map(|size| flood.bytes(size));
        // The machine may be busy, so an input counts as slow only if it is slow in all three attempts.
        let attempts = (0..3).map(|_| [time(flood, &bytes[0]), time(flood, &bytes[1])]);
        let is_slow = |[small, large]: &[Duration; 2]| *large > QUICK && *large > *small * SLACK;
        let attempts: Vec<_> =
            attempts.scan(true, |go, times| std::mem::replace(go, is_slow(&times)).then_some(times)).collect();
        if attempts.iter().all(is_slow) {
            slow.insert(flood.name.to_owned());
            report += &format!("{}: {:?} for {:?} bytes\n", flood.name, attempts.last(), SIZES);
        }
    }
    let expected = expected_failures();
    for name in expected.difference(&slow) {
        report += &format!("{name}: expected to be slow, but is fast or does not exist\n");
    }
    assert!(slow == expected, "\n{report}");
}

/// Checks properties that all hits must have, even if `bytes` is malformed.
#[track_caller]
fn check(what: &str, bytes: &[u8], events: &[Event]) {
    let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    let newlines: Vec<_> = memchr::memchr_iter(end, bytes).collect();
    let mut region: Option<(&Found, u64)> = None;
    for event in events {
        match event {
            Event::Found(found) => {
                let end = found.offset + found.length;
                assert!(found.length > 0 && end <= bytes.len() as u64, "{what}: {found:?}");
                assert!(!found.is_hit || urlspool::Url::parse(&found.url).is_ok(), "{what}: {found:?}");
                if let Some(line) = found.line {
                    let before = newlines.partition_point(|&at| (at as u64) < found.offset);
                    assert_eq!(line, 1 + before as u64, "{what}: {found:?}");
                }
                // The first hit of a region (a part or a header of a message) must not be before any hit of the
                // previous region. Within a region, the order can differ: in HTML, the hits in the attributes of a
                // paragraph are reported before the hits in its text.
                let last = match region {
                    Some((other, last)) if is_same_region(other, found) => last.max(found.offset),
                    Some((other, last)) => {
                        assert!(last <= found.offset, "{what}: {other:?} comes before {found:?}");
                        found.offset
                    }
                    None => found.offset,
                };
                region = Some((found, last));
            }
            Event::Diagnostic { offset, name, .. } => {
                assert!(*offset <= bytes.len() as u64, "{what}: {name} at {offset}");
            }
            Event::Problem(problem) => panic!("{what}: {problem}"),
            Event::End(_) => {}
        }
    }
}

fn is_same_region(one: &Found, other: &Found) -> bool {
    (&one.message.number, &one.part, &one.header) == (&other.message.number, &other.part, &other.header)
}

fn extractor(format: &str) -> Search {
    Search::new().format(format)
}

#[test]
fn messages_cut_anywhere() {
    let extractor = extractor("message");
    for (name, bytes) in messages() {
        for end in (0..bytes.len()).step_by(7) {
            let what = format!("{name}, its first {end} bytes");
            let cut = &bytes[..end];
            check(&what, cut, &record::message(&extractor, cut));
            check(&what, cut, &record::read(&extractor, Cursor::new(cut.to_vec()), "cut"));
        }
    }
}

#[test]
fn messages_that_begin_anywhere() {
    let extractor = extractor("message");
    for (name, bytes) in messages() {
        for start in (0..bytes.len()).step_by(7) {
            let rest = &bytes[start..];
            check(&format!("{name} from byte {start} on"), rest, &record::message(&extractor, rest));
        }
    }
}

#[test]
fn archives_cut_anywhere() {
    let any = Search::new();
    for name in ["mbox/small.mbox", "rnews/batch", "text/transcript.txt"] {
        let bytes = fs::read(corpus(name)).expect("an archive");
        for end in (0..bytes.len()).step_by(7) {
            let cut = &bytes[..end];
            let events = record::read(&any, Cursor::new(cut.to_vec()), "cut");
            check(&format!("{name}, its first {end} bytes"), cut, &events);
        }
    }
}

/// Also the notes about a truncated archive in a truncated archive do not depend on how it is read.
#[cfg(unix)]
#[test]
fn nested_archives_cut_anywhere() {
    let scratch = Scratch::new("nested");
    let mail = |number: u8| format!("Subject: {number}\n\nhttp://{number}.example/ {}\n", "x".repeat(700)).into_bytes();
    let inner = store::tar(&[("1".into(), mail(1)), ("2".into(), mail(2))]);
    let nested =
        store::tar(&[("a".into(), inner[..1457].to_vec()), ("b".into(), inner.clone()), ("c".into(), mail(3))]);
    let mut ends: Vec<_> = (512..nested.len()).step_by(97).map(|end| &nested[..end]).collect();
    let mail = [b"X: y\nContent-Type: multipart/mixed\n", &mail(4)[..]].concat();
    let deep = ["1", "2", "3"].into_iter().fold(mail, |file, name| store::tar(&[(name.into(), file)]));
    ends.extend((512..deep.len()).step_by(29).map(|end| &deep[..end]));
    for cut in ends {
        let path = scratch.file("cut", cut);
        let whole = record::paths(&Search::new().threads(1), vec![path.clone()]);
        for (threads, chunk) in [(1, 54), (3, 54), (2, 1 << 10)] {
            let pieces = record::paths(&Search::new().threads(threads).chunk(chunk), vec![path.clone()]);
            assert_eq!(pieces, whole, "{} bytes, {threads} threads, chunks of {chunk}", cut.len());
        }
    }
}

/// Bytes that have a special meaning in mail, HTML or URLs. Random changes often insert these bytes.
const TELLING: &[u8] = b"\n\r\t \0=-<>\"'&;:/%#?+.@[](){}\\|*_~,!\x1b\xff\xc3";

#[test]
fn messages_with_other_bytes() {
    let mut random = Random(17);
    for (name, bytes) in messages() {
        let extractor = extractor(if random.below(8) == 0 { "mbox" } else { "message" });
        for round in 0..60 {
            let mut flipped = bytes.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(flipped.len());
                match random.below(5) {
                    0 => flipped[at] ^= 1 << random.below(8),
                    1 => flipped[at] = TELLING[random.below(TELLING.len())],
                    2 => flipped.insert(at, TELLING[random.below(TELLING.len())]),
                    3 => drop(flipped.drain(at..(at + random.below(20)).min(bytes.len() / 2).max(at))),
                    _ => flipped[at] = random.below(256) as u8,
                }
            }
            let events = record::read(&extractor, Cursor::new(flipped.clone()), "flipped");
            check(&format!("{name}, round {round}"), &flipped, &events);
        }
    }
}

/// Inserts the end of one message into another message, at random offsets.
#[test]
fn messages_in_messages() {
    let mut random = Random(23);
    let messages = messages();
    let extractor = extractor("message");
    for round in 0..1500 {
        let ((one, outer), (other, inner)) =
            (&messages[random.below(messages.len())], &messages[random.below(messages.len())]);
        let (at, from) = (random.below(outer.len()), random.below(inner.len()));
        let spliced = [&outer[..at], &inner[from..], &outer[at..]].concat();
        let events = record::message(&extractor, &spliced);
        check(&format!("round {round}: {other} from {from} in {one} at {at}"), &spliced, &events);
    }
}

/// While urlspool reads a directory, another thread repeatedly replaces each of its files: by a link to a file outside
/// the directory, then by a pipe, then by a regular file. The search must end, and must not read files outside the
/// directory.
#[test]
#[cfg(unix)]
fn names_that_change_between_listing_and_opening() {
    use std::os::unix::fs::symlink;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    let scratch = Scratch::new("changing");
    let outside = scratch.file("outside", b"http://outside.example/\n");
    let file = scratch.file("file", b"http://inside.example/\n");
    let pipe = scratch.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo(1)").success());
    let tree = scratch.path().join("tree");
    let names: Vec<_> = (0..20).map(|i| tree.join(i.to_string())).collect();
    fs::create_dir(&tree).expect("a directory");
    let is_over = AtomicBool::new(false);
    let mut inside = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let next = scratch.path().join("next");
            while !is_over.load(Ordering::Relaxed) {
                for name in &names {
                    symlink(&outside, &next).and_then(|()| fs::rename(&next, name)).expect("a link");
                    fs::hard_link(&pipe, &next).and_then(|()| fs::rename(&next, name)).expect("a pipe");
                    fs::copy(&file, &next).and_then(|_| fs::rename(&next, name)).expect("a file");
                }
            }
        });
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(3) {
            for event in record::paths(&Search::new().threads(2), vec![tree.clone()]) {
                if let Event::Found(found) = event {
                    assert_eq!(found.url, b"http://inside.example/");
                    inside += 1;
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(inside > 0);
}

/// A pipe is opened only once. If the library first opened and closed the pipe to check that it exists, the program
/// that writes to the pipe would get SIGPIPE.
#[test]
#[cfg(unix)]
fn a_pipe_is_opened_once() {
    let scratch = Scratch::new("pipe");
    let pipe = scratch.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo(1)").success());
    let mail = format!("Subject: x\n\nhttp://a.example/\n{}", "nothing\n".repeat(100_000));
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, mail)
    });
    let found: Vec<_> = urlspool::Extractor::new().open(&pipe).expect("a pipe").collect();
    assert_eq!(found.len(), 1);
    writer.join().expect("a writer").expect("everything is read");
}
