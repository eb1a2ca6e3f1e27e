//! The scanner over plain text, against linkify and against the least that finds a URL, on the same text.
//!
//! The text is made of the corpus tables, so that it is the same everywhere: every text once, prose between them.
//! Each benchmark asserts its count, so that none gets fast by finding less; `-- --test` runs each once.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;
use linkify::{LinkFinder, LinkKind};
use serde::Deserialize;
use urlspool::scan::{Rejoin, Scanner};

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
}

/// Octets of a text, about.
const SIZE: usize = 1 << 20;

/// What mail holds between its URLs.
const PROSE: &str = "\n\nOn Tuesday the list talked about it again: nobody had kept a copy of the old archive, and those\n\
    who said (at 12:30, or was it later?) that they had one did not say where. I asked; the answer was\n\
    \"in a box, Jim, somewhere\". That is how it is. What we have is what the spool kept.\n\n";

/// The texts of all tables, `prose` times the prose behind each, to [`SIZE`].
fn text(prose: usize) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/scan");
    let mut files: Vec<_> =
        fs::read_dir(directory).expect("corpus/scan").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut once = String::new();
    for file in files {
        let table: Table = toml::from_str(&fs::read_to_string(&file).expect("a table in UTF-8")).expect("a table");
        for case in table.case {
            once += &case.text;
            once += &PROSE.repeat(prose);
        }
    }
    once.repeat(SIZE.div_ceil(once.len()))
}

/// A text, and how many candidates are in it.
struct Sample {
    text: String,
    /// The scanner's, counted once by an iteration that is not measured.
    candidates: usize,
}

impl Sample {
    fn new(prose: usize) -> Sample {
        let text = text(prose);
        let candidates = Scanner::new().find_iter(text.as_bytes()).count();
        // Not a constant: the tables grow. But there is about one per text.
        assert!(candidates > SIZE / (PROSE.len() * (prose + 1)) / 2, "{candidates} candidates");
        Sample { text, candidates }
    }
}

/// Little but URLs.
static DENSE: LazyLock<Sample> = LazyLock::new(|| Sample::new(0));

/// A URL in some 1,500 octets, as in mail.
static MAIL: LazyLock<Sample> = LazyLock::new(|| Sample::new(5));

fn sample(name: &str) -> &'static Sample {
    if name == "dense" { &DENSE } else { &MAIL }
}

const SAMPLES: [&str; 2] = ["dense", "mail"];

fn measure(bencher: Bencher<'_, '_>, name: &str, count: impl Fn(&'static str) -> usize + Sync) {
    let text = sample(name).text.as_str();
    let expected = count(text);
    assert!(expected > 0);
    bencher.counter(BytesCount::of_str(text)).bench(|| {
        let found = count(divan::black_box(text));
        assert_eq!(found, expected);
        found
    });
}

#[divan::bench(args = SAMPLES)]
fn urlspool(bencher: Bencher<'_, '_>, name: &str) {
    let scanner = Scanner::new();
    assert_eq!(scanner.find_iter(sample(name).text.as_bytes()).count(), sample(name).candidates);
    measure(bencher, name, |text| scanner.find_iter(text.as_bytes()).count());
}

#[divan::bench(args = SAMPLES)]
fn urlspool_without_rejoining(bencher: Bencher<'_, '_>, name: &str) {
    let scanner = Scanner::new().rejoin(Rejoin::Never);
    measure(bencher, name, |text| scanner.find_iter(text.as_bytes()).count());
}

#[divan::bench(args = SAMPLES)]
fn urlspool_in_chunks(bencher: Bencher<'_, '_>, name: &str) {
    let wanted = sample(name).candidates;
    measure(bencher, name, |text| {
        let mut found = 0;
        let mut stream = Scanner::new().stream();
        text.as_bytes().chunks(64 << 10).for_each(|chunk| stream.push(chunk, |_, _| found += 1));
        stream.finish(|_, _| found += 1);
        assert_eq!(found, wanted);
        found
    });
}

#[divan::bench(args = SAMPLES)]
fn linkify(bencher: Bencher<'_, '_>, name: &str) {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    measure(bencher, name, |text| finder.links(text).count());
}

/// Every `://`, and the octets behind it that no white space, bracket or quotation mark ends.
#[divan::bench(args = SAMPLES)]
fn baseline(bencher: Bencher<'_, '_>, name: &str) {
    measure(bencher, name, |text| {
        let octets = text.as_bytes();
        let ends = |b: &u8| matches!(b, 0..=0x20 | b'<' | b'>' | b'"');
        memchr::memmem::find_iter(octets, b"://")
            .filter(|at| octets[at + 3..].iter().position(ends).is_some_and(|length| length > 0))
            .count()
    });
}

fn main() {
    divan::main();
}
