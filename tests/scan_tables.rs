//! Runs the cases of `corpus/scan`. Each case has a text, and the candidates that the scanner must find in the text. A
//! candidate is text that may be a URL.
//!
//! The expected candidates follow from the rules or a specification, not from the scanner's results.
//! `corpus/expected_failures.txt` lists the cases in which the scanner is known to find other candidates.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use urlspool::{Candidate, MAX_BARE, Reason, Scanner};
use urlspool::{ParseErrorKind, Url};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

/// Only `name`, `source` and `text` are required. A case without `hits` expects no hits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    name: String,
    /// The rule or the section of a specification that the case tests.
    source: String,
    text: String,
    #[serde(default)]
    hits: Vec<Want>,
    /// The expected candidates that the URL parser rejects, in their order in the text.
    #[serde(default)]
    rejects: Vec<String>,
    /// Maps each name to a string and a number. In `text`, `hits` and `rejects`, `{{name}}` stands for that number of
    /// copies of the string.
    #[serde(default)]
    repeat: BTreeMap<String, (String, usize)>,
    /// Whether the strings of the case are converted to ISO 8859-1 before the scan. Otherwise, they are UTF-8.
    #[serde(default)]
    latin1: bool,
    /// Whether the scanner must find the same candidates if the lines end with CRLF.
    #[serde(default = "yes")]
    crlf: bool,
    /// Whether the scanner must find the same candidates if the text is between other paragraphs.
    #[serde(default = "yes")]
    context: bool,
    /// `never`, or the minimum confidence in percent.
    join: Option<String>,
    #[serde(default)]
    hyphen: HyphenOption,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum HyphenOption {
    #[default]
    Keep,
    Drop,
}

/// An expected hit. Absent fields are not checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Want {
    url: String,
    form: Option<String>,
    /// The expected alternatives. The order of the alternatives is not checked, because the rules do not define an
    /// order.
    alternatives: Option<Vec<WantAlternative>>,
    trimmed: Option<String>,
    /// The name of the reason why the hit is doubtful, or `no` if it is not doubtful.
    doubtful: Option<String>,
    rejoined: Option<bool>,
    quote_depth: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantAlternative {
    url: String,
    reason: String,
}

impl Case {
    fn scanner(&self) -> Scanner {
        let join = match self.join.as_deref() {
            None => Some(60),
            Some("never") => None,
            Some(percent) => Some(percent.parse().expect("a percentage")),
        };
        Scanner::new().join(join).drop_hyphens(matches!(self.hyphen, HyphenOption::Drop))
    }

    /// Returns `text` as bytes, with each `{{name}}` of `repeat` replaced.
    fn bytes(&self, text: &str) -> Vec<u8> {
        let mut text = text.to_owned();
        for (name, (unit, times)) in &self.repeat {
            text = text.replace(&format!("{{{{{name}}}}}"), &unit.repeat(*times));
        }
        match self.latin1 {
            true => text.chars().map(|c| u8::try_from(c).expect("a case in latin1 has no other characters")).collect(),
            false => text.into_bytes(),
        }
    }
}

/// A candidate that the scanner found, with all its properties.
#[derive(Clone, PartialEq)]
struct Got {
    offset: u64,
    length: usize,
    url: Vec<u8>,
    form: &'static str,
    alternatives: Vec<(Vec<u8>, &'static str)>,
    trimmed: Vec<u8>,
    doubtful: &'static str,
    rejoined: bool,
    overlong: bool,
    quote_depth: usize,
}

impl Got {
    fn new(offset: u64, candidate: &Candidate<'_>) -> Self {
        let alternatives = candidate.alternatives().iter().map(|a| (a.url.clone(), a.reason.as_str())).collect();
        Got {
            offset,
            length: candidate.span().len(),
            url: candidate.text().to_vec(),
            form: candidate.form().as_str(),
            alternatives,
            trimmed: candidate.trimmed().to_vec(),
            doubtful: candidate.doubt().map_or("no", |reason| reason.as_str()),
            rejoined: candidate.pieces().count() > 1,
            overlong: is_overlong(candidate),
            quote_depth: candidate.quote_depth(),
        }
    }

    fn is_hit(&self) -> bool {
        !self.overlong && Url::parse(&self.url).is_ok()
    }

    /// Returns the candidate without its offset and length.
    fn placeless(&self) -> Got {
        Got { offset: 0, length: 0, ..self.clone() }
    }
}

impl fmt::Display for Got {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", if self.is_hit() { "hit" } else { "reject" }, shorten(&self.url))?;
        write!(f, " form={} offset={} length={}", self.form, self.offset, self.length)?;
        write!(f, " quote_depth={} rejoined={} doubtful={}", self.quote_depth, self.rejoined, self.doubtful)?;
        write!(f, " trimmed={:?}", shorten(&self.trimmed))?;
        for (url, reason) in &self.alternatives {
            write!(f, "\n      or {:?} ({reason})", shorten(url))?;
        }
        Ok(())
    }
}

/// Shortens long text for an error message.
fn shorten(bytes: &[u8]) -> String {
    if bytes.len() <= 300 {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let (head, tail) = (&bytes[..100], &bytes[bytes.len() - 100..]);
    format!("{}[{} more]{}", String::from_utf8_lossy(head), bytes.len() - 200, String::from_utf8_lossy(tail))
}

fn is_overlong(candidate: &Candidate<'_>) -> bool {
    candidate.parse().is_err_and(|error| error.kind() == ParseErrorKind::TooLong)
}

fn find(scanner: &Scanner, text: &[u8]) -> Vec<Got> {
    scanner.find_iter(text).map(|c| Got::new(c.span().start as u64, &c)).collect()
}

/// Returns all cases, each with its id `scan/<file>#<name>`.
pub(crate) fn cases() -> Vec<(String, Case)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/scan");
    let mut files: Vec<_> =
        fs::read_dir(directory).expect("corpus/scan").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "toml")) {
        let name = file.file_name().expect("a file").to_string_lossy();
        let table: Table = toml::from_str(&fs::read_to_string(file).expect("a table in UTF-8"))
            .unwrap_or_else(|error| panic!("corpus/scan/{name}: {error}"));
        cases.extend(table.case.into_iter().map(|case| (format!("scan/{name}#{}", case.name), case)));
    }
    let ids: BTreeSet<_> = cases.iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), cases.len(), "two cases have the same id");
    cases
}

/// Returns the ids of the cases that are known to fail.
fn expected_failures() -> BTreeSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/expected_failures.txt");
    let lines = fs::read_to_string(file).expect("corpus/expected_failures.txt");
    lines
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("scan/") && line.contains(".toml#"))
        .map(str::to_owned)
        .collect()
}

/// Compares the candidates in `got` with the expected candidates of the case. The error describes the first difference.
fn compare(case: &Case, got: &[Got]) -> Result<(), String> {
    let hits: Vec<_> = got.iter().filter(|got| got.is_hit()).collect();
    if hits.len() != case.hits.len() {
        return Err(format!("{} hits, not {}", hits.len(), case.hits.len()));
    }
    for (want, got) in case.hits.iter().zip(hits) {
        compare_hit(case, want, got)?;
    }
    let rejects: Vec<_> = got.iter().filter(|got| !got.is_hit()).map(|got| got.url.clone()).collect();
    let wanted: Vec<_> = case.rejects.iter().map(|url| case.bytes(url)).collect();
    if rejects != wanted { Err("other rejects".to_owned()) } else { Ok(()) }
}

fn compare_hit(case: &Case, want: &Want, got: &Got) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{what} of {:?}", want.url));
    if got.url != case.bytes(&want.url) {
        return wrong("the bytes");
    }
    if want.form.as_ref().is_some_and(|form| form != got.form) {
        return wrong("the form");
    }
    if let Some(alternatives) = &want.alternatives {
        let wanted: BTreeSet<_> = alternatives.iter().map(|a| (case.bytes(&a.url), a.reason.as_str())).collect();
        if alternatives.len() != got.alternatives.len() || wanted != got.alternatives.iter().cloned().collect() {
            return wrong("the alternatives");
        }
    }
    if want.trimmed.as_ref().is_some_and(|trimmed| case.bytes(trimmed) != got.trimmed) {
        return wrong("the trimmed end");
    }
    if want.doubtful.as_ref().is_some_and(|doubtful| doubtful != got.doubtful) {
        return wrong("the doubt");
    }
    if want.rejoined.is_some_and(|rejoined| rejoined != got.rejoined) {
        return wrong("being rejoined");
    }
    if want.quote_depth.is_some_and(|depth| depth != got.quote_depth) {
        return wrong("the quote depth");
    }
    Ok(())
}

/// Scans the text of a case. If the candidates are wrong, the error has the first difference, and all candidates that
/// the scanner found.
fn run(case: &Case) -> Result<(), (String, Vec<Got>)> {
    let got = find(&case.scanner(), &case.bytes(&case.text));
    compare(case, &got).map_err(|wrong| (wrong, got))
}

fn print_wanted(case: &Case, report: &mut String) {
    use std::fmt::Write;
    for want in &case.hits {
        let _ = write!(report, "    hit {:?}", shorten(want.url.as_bytes()));
        let mut field = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = write!(report, " {name}={value}");
            }
        };
        field("form", want.form.clone());
        field("quote_depth", want.quote_depth.map(|depth| depth.to_string()));
        field("rejoined", want.rejoined.map(|rejoined| rejoined.to_string()));
        field("doubtful", want.doubtful.clone());
        field("trimmed", want.trimmed.as_ref().map(|trimmed| format!("{trimmed:?}")));
        for other in want.alternatives.iter().flatten() {
            let _ = write!(report, "\n      or {:?} ({})", shorten(other.url.as_bytes()), other.reason);
        }
        report.push('\n');
    }
    for url in &case.rejects {
        let _ = writeln!(report, "    reject {:?}", shorten(url.as_bytes()));
    }
}

#[test]
fn every_case_of_the_tables_passes() {
    let cases = cases();
    let expected = expected_failures();
    let mut failed = BTreeSet::new();
    let mut report = String::new();
    for (id, case) in &cases {
        let Err((wrong, got)) = run(case) else { continue };
        failed.insert(id.clone());
        if !expected.contains(id) {
            report += &format!("{id} ({})\n  {wrong}\n  wanted\n", case.source);
            print_wanted(case, &mut report);
            report += "  got\n";
            got.iter().for_each(|got| report += &format!("    {got}\n"));
        }
    }
    for id in expected.difference(&failed) {
        let known = cases.iter().any(|(other, _)| other == id);
        report += &format!("{id}: expected to fail, {}\n", if known { "but it passes" } else { "but does not exist" });
    }
    assert!(report.is_empty(), "\n{report}{} of {} cases failed", failed.len(), cases.len());
}

/// Checks that every case names the rule or specification that it tests, so that a reader can look it up.
#[test]
fn every_case_has_a_source() {
    for (id, case) in cases() {
        let known = ["RULES.md ", "RFC 1738 ", "draft-ietf-uri-url-", "draft-www-uri-00", "RFC 3986 "];
        assert!(known.iter().any(|source| case.source.starts_with(source)), "{id}: {:?}", case.source);
    }
}

#[test]
fn line_ends_do_not_matter() {
    for (id, case) in cases().iter().filter(|(_, case)| case.crlf) {
        let text = case.bytes(&case.text);
        let mut crlf = Vec::new();
        for (i, &byte) in text.iter().enumerate() {
            if byte == b'\n' && (i == 0 || text[i - 1] != b'\r') {
                crlf.push(b'\r');
            }
            crlf.push(byte);
        }
        let placeless = |got: Vec<Got>| got.iter().map(Got::placeless).collect::<Vec<_>>();
        same(id, "CRLF", &placeless(find(&case.scanner(), &text)), &placeless(find(&case.scanner(), &crlf)));
    }
}

#[test]
fn other_paragraphs_do_not_matter() {
    const BEFORE: &[&str] = &[
        "Words before, and nothing else.\n\n",
        "An *open emphasis, an 'open quotation, an (open bracket and <URL:http://open.example/\n\n",
        "> quoted\n> http://before.example/\n\n",
    ];
    const AFTER: &[&str] = &["\n\nWords after.\n", "\n\n/closing.html) them' all* >\n", "\n\n> .html>\n"];
    for (id, case) in cases().iter().filter(|(_, case)| case.context) {
        let scanner = case.scanner();
        let text = case.bytes(&case.text);
        let want = find(&scanner, &text);
        for (before, after) in BEFORE.iter().zip(AFTER) {
            let around = [before.as_bytes(), &text, after.as_bytes()].concat();
            let inside = before.len() as u64..(before.len() + text.len()) as u64;
            let mut got = find(&scanner, &around);
            got.retain(|got| inside.contains(&got.offset));
            got.iter_mut().for_each(|got| got.offset -= inside.start);
            same(id, &format!("{before:?}, {after:?}"), &want, &got);
        }
    }
}

/// Writes what was found as the rows of `corpus/readings.toml` do.
fn shown(found: &[Got]) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let line = |got: &Got| {
        let mut line = if got.form == "bare" { text(&got.url) } else { format!("{} {}", got.form, text(&got.url)) };
        if !got.is_hit() {
            line += " (reject)";
        }
        if got.doubtful != "no" {
            line += &format!(" ~{}", got.doubtful);
        }
        got.alternatives.iter().for_each(|(url, reason)| line += &format!(" |{reason} {}", text(url)));
        line
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Each text of `corpus/readings.toml` has the URLs and the alternatives of its row, also with other line ends and
/// between other paragraphs.
#[test]
fn readings_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/readings.toml");
    let table: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let mut wrong = String::new();
    for row in table["case"].as_array().unwrap().iter().flat_map(|case| case["rows"].as_array().unwrap()) {
        let (text, want) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        let between = format!("Words before.\n\n{text}\n\nWords after.\n");
        for text in [text, &text.replace('\n', "\r\n"), &between, &between.replace('\n', "\r\n")] {
            let got = shown(&find(&Scanner::new(), text.as_bytes()));
            if got != want {
                wrong += &format!("{text:?}\n  wanted {want:?}\n  got    {got:?}\n");
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Checks that a run of more than [`MAX_BARE`] URL characters is not a URL, even if the first [`MAX_BARE`] characters
/// are a valid URL.
#[test]
fn an_overlong_candidate_is_not_a_url() {
    // All of the run is skipped, even the text in it that looks like a URL.
    let text = [b"see http://a/".as_slice(), &b"x".repeat(MAX_BARE), b"/http://c/ http://b/"].concat();
    let mut found = Scanner::new().find_iter(&text);
    let long = found.next().unwrap();
    assert!(is_overlong(&long) && Url::parse(long.text()).is_ok());
    let error = long.parse().unwrap_err();
    assert_eq!(error.to_string(), "longer than 64 KiB");
    assert_eq!(error.kind(), ParseErrorKind::TooLong);
    assert_eq!(found.next().unwrap().parse().unwrap().as_bytes(), b"http://b/");
    assert!(found.next().is_none() && found.next().is_none());
}

#[test]
fn fragments_make_up_the_url() {
    let expected = expected_failures();
    for (id, case) in cases().into_iter().filter(|(id, _)| !expected.contains(id)) {
        let text = case.bytes(&case.text);
        let both = [false, true].map(|drops| case.scanner().drop_hyphens(drops));
        let mut last = 0;
        for (i, candidate) in both.iter().flat_map(|scanner| scanner.find_iter(&text).enumerate()) {
            let span = candidate.span();
            last = if i == 0 { 0 } else { last };
            assert!(last <= span.start && span.end <= text.len(), "{id}: {span:?} after {last}");
            last = span.start;
            let fragments: Vec<_> = candidate.pieces().collect();
            let mut at = span.start;
            for fragment in &fragments {
                assert!(at <= fragment.start && fragment.start < fragment.end, "{id}: {fragments:?}");
                at = fragment.end;
            }
            assert_eq!((fragments[0].start, at), (span.start, span.end), "{id}");
            assert!(candidate.trimmed().is_empty() || text[at..].starts_with(candidate.trimmed()), "{id}");
            let joined: Vec<u8> = fragments.iter().flat_map(|f| &text[f.clone()]).copied().collect();
            let restored = [Reason::Escape, Reason::Obscured, Reason::Doubled, Reason::Defanged];
            let is_restored = candidate.doubt().is_some_and(|doubt| restored.contains(&doubt));
            assert!(candidate.text() == joined || is_restored, "{id}");
        }
    }
}

#[track_caller]
fn same(id: &str, what: &str, want: &[Got], got: &[Got]) {
    if let Some(i) = (0..want.len().max(got.len())).find(|&i| want.get(i) != got.get(i)) {
        let print = |found: Option<&Got>| found.map_or("nothing".to_owned(), Got::to_string);
        panic!(
            "{id}: {what}\n  candidate {i}\n  as a whole {}\n  now        {}",
            print(want.get(i)),
            print(got.get(i))
        );
    }
}
