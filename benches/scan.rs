//! Measures the scanner on plain text, compared with linkify, a regex, and a minimal search for `://`.
//!
//! There are three generated texts. `list` repeats a post to a mailing list. `dense` repeats the texts of the cases in
//! `corpus/scan`, without the cases that need options or are known to fail. Nearly all of these cases are hard for a
//! URL finder. `sparse` has the same texts as `dense`, with prose between them.
//!
//! Each benchmark asserts the number of URLs that it finds, so a change cannot make a tool faster by finding fewer
//! URLs. `cargo bench --bench scan -- --test` runs each benchmark once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;
use serde::Deserialize;
use serde::de::IgnoredAny;
use urlspool::Scanner;

mod peers;
mod sample;

use sample::{POST_URLS, PROSE, post, repeat};

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
    /// The other fields of a case. `tests/scan_tables.rs` describes them.
    #[serde(flatten)]
    other: BTreeMap<String, toml::Value>,
}

/// A text, and the number of candidates that it contains.
struct Sample {
    text: String,
    candidates: usize,
}

impl Sample {
    /// Repeats a post that is mostly prose.
    fn list() -> Sample {
        let (text, times) = repeat(&post());
        Sample { text, candidates: POST_URLS * times }
    }

    /// Joins the texts of all cases in `corpus/scan`. Adds [`PROSE`], repeated `prose` times, after each text. Skips
    /// cases that need options and cases that are known to fail.
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
        let (text, times) = repeat(&once);
        Sample { text, candidates: candidates * times }
    }
}

/// The texts of the corpus tables, without prose between them.
static DENSE: LazyLock<Sample> = LazyLock::new(|| Sample::new(0));

/// The texts of the corpus tables, each with prose after it: about one hard case per 1,500 bytes.
static SPARSE: LazyLock<Sample> = LazyLock::new(|| Sample::new(5));

/// Ordinary mail, with three URLs in about 2,000 bytes.
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
fn linkify(bencher: Bencher<'_, '_>, name: &str) {
    let finder = peers::linkify();
    let count = |text: &str| finder.links(text).count();
    measure(bencher, name, like(name, count(&sample(name).text)), count);
}

#[divan::bench(args = SAMPLES)]
fn regex(bencher: Bencher<'_, '_>, name: &str) {
    let regex = peers::regex();
    let count = |text: &str| regex.find_iter(text).count();
    measure(bencher, name, like(name, count(&sample(name).text)), count);
}

/// Finds every `://` and the text after it up to white space, a bracket or a quotation mark.
#[divan::bench(args = SAMPLES)]
fn baseline(bencher: Bencher<'_, '_>, name: &str) {
    let count = |text: &str| {
        let bytes = text.as_bytes();
        let ends = |b: &u8| matches!(b, 0..=0x20 | b'<' | b'>' | b'"');
        let urls = memchr::memmem::find_iter(bytes, b"://");
        urls.filter(|at| bytes[at + 3..].iter().position(ends).is_some_and(|length| length > 0)).count()
    };
    measure(bencher, name, like(name, count(&sample(name).text)), count);
}

/// Returns `count`. Panics if `count` is less than 80 % or more than 125 % of the scanner's count. Smaller differences
/// from the scanner's count are normal, because other tools have other rules.
fn like(name: &str, count: usize) -> usize {
    let wanted = sample(name).candidates;
    assert!((wanted / 5 * 4..wanted / 4 * 5).contains(&count), "{name}: {count}, and {wanted} by the rules");
    count
}

fn main() {
    divan::main();
}
