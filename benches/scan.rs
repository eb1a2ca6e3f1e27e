//! The scanner over plain text, against linkify and against the least that finds a URL, on the same text.
//!
//! The text is made here, so that it is the same everywhere: a post to a list, again and again; and every text of the corpus
//! tables, nearly all of which are hard cases, with prose between them and without.
//! Each benchmark asserts its count, which the tables give, so that none gets fast by finding less; `-- --test` runs each once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;
use linkify::{LinkFinder, LinkKind};
use serde::Deserialize;
use serde::de::IgnoredAny;
use urlspool::scan::Scanner;

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    text: String,
    #[serde(default)]
    hits: Vec<IgnoredAny>,
    #[serde(default)]
    rejects: Vec<IgnoredAny>,
    /// What else a case can say: see `tests/scan_tables.rs`.
    #[serde(flatten)]
    other: BTreeMap<String, toml::Value>,
}

/// Octets of a text, about.
const SIZE: usize = 1 << 20;

/// What mail holds between its URLs.
const PROSE: &str = "On Tuesday the list talked about it again: nobody had kept a copy of the old archive, and those\n\
    who said (at 12:30, or was it later?) that they had one did not say where. I asked; the answer was\n\
    \"in a box, Jim, somewhere\". That is how it is. What we have is what the spool kept.\n\n";

/// What most posts with URLs look like.
const POST: &str = "Jim wrote that the draft is at http://www.example.org/drafts/url-07.txt, and that the list has\n\
    its own copy (see <URL:ftp://ftp.example.org/pub/lists/url/archive/1996-04.gz> for that month).\n\
    > I could not find it, or any other of that year.\n\n-- \n\
    Jane Doe, The Example Society        http://www.example.org/~jane/\n\n";

/// How many candidates there are in [`POST`].
const POST_CANDIDATES: usize = 3;

/// A text, and how many candidates are in it.
struct Sample {
    text: String,
    candidates: usize,
}

impl Sample {
    /// Posts with prose in them, to [`SIZE`].
    fn list() -> Sample {
        let once = PROSE.repeat(5) + POST;
        let times = SIZE.div_ceil(once.len());
        Sample { text: once.repeat(times), candidates: POST_CANDIDATES * times }
    }

    /// The texts of all tables, `prose` times the prose behind each, to [`SIZE`]. A case that says more than its text
    /// and what is in it, or that is known to fail, is left out.
    fn new(prose: usize) -> Sample {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        let failures = fs::read_to_string(corpus.join("expected_failures.txt")).expect("corpus/expected_failures.txt");
        let mut files: Vec<_> = fs::read_dir(corpus.join("scan"))
            .expect("corpus/scan")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        let (mut once, mut candidates) = (String::new(), 0);
        for file in files {
            let name = file.file_name().expect("a file").to_string_lossy();
            let table: Table = toml::from_str(&fs::read_to_string(&file).expect("a table in UTF-8")).expect("a table");
            for case in table.case {
                let id = format!("scan/{name}#{}", case.name);
                if case.other.keys().all(|key| key == "source") && !failures.lines().any(|line| line == id) {
                    once += &format!("{}\n\n{}", case.text, PROSE.repeat(prose));
                    candidates += case.hits.len() + case.rejects.len();
                }
            }
        }
        let times = SIZE.div_ceil(once.len());
        Sample { text: once.repeat(times), candidates: candidates * times }
    }
}

/// Little but URLs.
static DENSE: LazyLock<Sample> = LazyLock::new(|| Sample::new(0));

/// A hard case in some 1,500 octets.
static SPARSE: LazyLock<Sample> = LazyLock::new(|| Sample::new(5));

/// Ordinary mail: three URLs in some 2,000 octets.
static LIST: LazyLock<Sample> = LazyLock::new(Sample::list);

fn sample(name: &str) -> &'static Sample {
    match name {
        "dense" => &DENSE,
        "sparse" => &SPARSE,
        "list" => &LIST,
        _ => panic!("{name} is no sample"),
    }
}

const SAMPLES: [&str; 3] = ["list", "sparse", "dense"];

fn measure(bencher: Bencher<'_, '_>, name: &str, wanted: usize, count: impl Fn(&str) -> usize + Sync) {
    let text = sample(name).text.as_str();
    bencher.counter(BytesCount::of_str(text)).bench(|| {
        let found = count(divan::black_box(text));
        assert_eq!(found, wanted, "{name}");
        found
    });
}

#[divan::bench(args = SAMPLES)]
fn urlspool(bencher: Bencher<'_, '_>, name: &str) {
    let scanner = Scanner::new();
    measure(bencher, name, sample(name).candidates, |text| scanner.find_iter(text.as_bytes()).count());
}

#[divan::bench(args = SAMPLES)]
fn urlspool_in_chunks(bencher: Bencher<'_, '_>, name: &str) {
    measure(bencher, name, sample(name).candidates, |text| {
        let mut found = 0;
        let mut stream = Scanner::new().stream();
        text.as_bytes().chunks(64 << 10).for_each(|chunk| stream.push(chunk, |_, _| found += 1));
        stream.finish(|_, _| found += 1);
        found
    });
}

#[divan::bench(args = SAMPLES)]
fn linkify(bencher: Bencher<'_, '_>, name: &str) {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let count = |text: &str| finder.links(text).count();
    measure(bencher, name, like(name, count(&sample(name).text)), count);
}

/// Every `://`, and the octets behind it that no white space, bracket or quotation mark ends.
#[divan::bench(args = SAMPLES)]
fn baseline(bencher: Bencher<'_, '_>, name: &str) {
    let count = |text: &str| {
        let octets = text.as_bytes();
        let ends = |b: &u8| matches!(b, 0..=0x20 | b'<' | b'>' | b'"');
        let urls = memchr::memmem::find_iter(octets, b"://");
        urls.filter(|at| octets[at + 3..].iter().position(ends).is_some_and(|length| length > 0)).count()
    };
    measure(bencher, name, like(name, count(&sample(name).text)), count);
}

/// `count`, which is by other rules, if it is not far from the scanner's.
fn like(name: &str, count: usize) -> usize {
    let wanted = sample(name).candidates;
    assert!((wanted / 5 * 4..wanted / 4 * 5).contains(&count), "{name}: {count}, and {wanted} by the rules");
    count
}

fn main() {
    divan::main();
}
