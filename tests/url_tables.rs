//! Runs the cases of `corpus/url` against the URL parser.
//!
//! The expected results in the tables come from the specifications, not from this parser. Cases that are listed in
//! `corpus/expected_failures.txt` must fail.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use urlspool::{Url, Warning};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table<T> {
    case: Vec<T>,
}

/// A string and the expected result: components, or an error with an offset.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parse {
    name: String,
    source: String,
    /// The string. If the string is not UTF-8, this field is absent, and `hex` is present.
    url: Option<String>,
    hex: Option<String>,
    tier: Option<String>,
    #[serde(default)]
    parts: Vec<(String, String)>,
    fragment: Option<String>,
    /// The expected port of the URL, or the default port of its scheme if the URL has no port. `None` if the case does
    /// not test the port.
    port: Option<u16>,
    #[serde(default)]
    warnings: Vec<String>,
    needs_encoding: Option<bool>,
    /// The expected error of a strict parse, and its offset.
    strict: Option<(String, usize)>,
    reason: Option<String>,
    offset: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Compare {
    name: String,
    source: String,
    urls: [String; 2],
    same: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Relative {
    name: String,
    source: String,
    base: String,
    reference: String,
    result: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rewritten {
    name: String,
    source: String,
    /// The name of the service that rewrote the URL, such as a mail gateway.
    service: Option<String>,
    url: String,
    targets: Vec<String>,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// Returns the cases that are known to fail, as `url/<file>#<name>`.
fn expected_failures() -> BTreeSet<String> {
    let text = std::fs::read_to_string(corpus().join("expected_failures.txt")).expect("corpus/expected_failures.txt");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.filter(|line| line.starts_with("url/")).map(str::to_owned).collect()
}

#[track_caller]
pub(crate) fn table<T: for<'de> Deserialize<'de>>(file: &str) -> Vec<T> {
    let path = corpus().join("url").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let table: Table<T> = toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    table.case
}

/// Runs the cases of a table. `fields` returns a case's name and source.
#[track_caller]
pub(crate) fn run<T: for<'de> Deserialize<'de>>(
    file: &str,
    fields: impl Fn(&T) -> (&str, &str),
    check: impl Fn(&T) -> Result<(), String>,
) {
    let cases = table::<T>(file);
    let expected = expected_failures();
    let mut names = BTreeSet::new();
    let mut report = String::new();
    for case in &cases {
        let (name, source) = fields(case);
        let id = format!("url/{file}#{name}");
        if source.is_empty() || !names.insert(id.clone()) {
            writeln!(report, "{id}: no source, or another case has the same name").unwrap();
        }
        match (check(case), expected.contains(&id)) {
            (Err(why), false) => writeln!(report, "{id} ({source}): {why}").unwrap(),
            (Ok(()), true) => writeln!(report, "{id}: passes, but is listed in expected_failures.txt").unwrap(),
            _ => {}
        }
    }
    for id in expected.iter().filter(|id| id.starts_with(&format!("url/{file}#"))) {
        if !names.contains(id) {
            writeln!(report, "{id}: listed in expected_failures.txt, but not in the table").unwrap();
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

fn bytes(case: &Parse) -> Vec<u8> {
    match (&case.url, &case.hex) {
        (Some(url), None) => url.clone().into_bytes(),
        (None, Some(hex)) => {
            let digits: Vec<u8> = hex.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            digits.chunks(2).map(pair).collect()
        }
        _ => panic!("{}: needs either url or hex", case.name),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the result of the parser for `text` as one line, which [`check_parse`] compares with the result in a table.
fn describe(text: &[u8]) -> String {
    match Url::parse(text) {
        Err(error) => format!("reason {:?} offset {}", error.kind().as_str(), error.offset()),
        Ok(url) => {
            let mut answer = format!("tier {:?} parts [", url.tier().as_str());
            for (component, value) in url.components() {
                write!(answer, "{component}={value} ").unwrap();
            }
            let warnings: Vec<_> = url.warnings().map(Warning::as_str).collect();
            write!(answer, "] fragment {:?} warnings {warnings:?}", url.fragment()).unwrap();
            assert_eq!(String::from(url.clone()), url.as_str());
            answer
        }
    }
}

fn check_parse(case: &Parse) -> Result<(), String> {
    let text = bytes(case);
    let got = describe(&text);
    let want = match (&case.reason, case.offset, &case.tier) {
        (Some(reason), Some(offset), None) => format!("reason {reason:?} offset {offset}"),
        (None, None, Some(tier)) => {
            let mut want = format!("tier {tier:?} parts [");
            for (name, value) in &case.parts {
                write!(want, "{name}={value} ").unwrap();
            }
            // This warning needs the list of public suffixes.
            let is_known = |warning: &&String| cfg!(feature = "domain") || *warning != "host-unknown";
            let warnings: Vec<_> = case.warnings.iter().filter(is_known).collect();
            write!(want, "] fragment {:?} warnings {warnings:?}", case.fragment).unwrap();
            want
        }
        _ => return Err("either a tier, or a reason and an offset".to_owned()),
    };
    if got != want {
        return Err(format!("{}\n   want {want}\n    got {got}", lossy(&text)));
    }
    let Ok(url) = Url::parse(&text) else { return Ok(()) };
    if case.port.is_some() && url.port_or_default() != case.port {
        return Err(format!("want port {:?}, got {:?}", case.port, url.port_or_default()));
    }
    if case.needs_encoding.is_some_and(|needs| needs != url.needs_encoding()) {
        return Err(format!("needs_encoding is {}", url.needs_encoding()));
    }
    let strict = url.departure().map(|error| (error.kind().as_str().to_owned(), error.offset()));
    if strict.is_none() != (url.tier().as_str() == "rfc1738") {
        return Err(format!("tier {}, strict parse {strict:?}", url.tier()));
    }
    if case.strict.is_some() && case.strict != strict {
        return Err(format!("want strict {:?}, got {strict:?}", case.strict));
    }
    Ok(())
}

#[track_caller]
fn parse_table(file: &str) {
    run(file, |case: &Parse| (&case.name, &case.source), check_parse);
}

#[test]
fn examples() {
    parse_table("examples.toml");
}

#[test]
fn general() {
    parse_table("general.toml");
}

#[test]
fn login() {
    parse_table("login.toml");
}

#[test]
fn schemes() {
    parse_table("schemes.toml");
}

#[test]
fn later_schemes() {
    parse_table("later_schemes.toml");
}

#[test]
fn every_scheme_has_a_case() {
    let files =
        std::fs::read_dir(corpus().join("url")).expect("corpus/url").map(|entry| entry.expect("an entry").path());
    let tables: String = files.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let urls =
        tables.lines().filter_map(|line| line.strip_prefix("url = ")?.trim_start_matches(['"', '\'']).split_once(':'));
    let cases: BTreeSet<_> = urls.map(|(scheme, _)| scheme.to_ascii_lowercase()).collect();
    // Names that are only in the registry have no cases: they all have the same grammar.
    let schemes = urlspool::schemes().filter(|(_, _, follows)| !follows.starts_with(": and more than a word"));
    let missing: Vec<_> = schemes.map(|(name, ..)| name).filter(|name| !cases.contains(*name)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn characters() {
    parse_table("characters.toml");
}

#[test]
fn warnings() {
    parse_table("warnings.toml");
}

/// Checks that every URL that the parser accepts is UTF-8, and so can be displayed. The test inserts non-ASCII bytes at
/// each offset of each string in the tables. Most of these bytes are not UTF-8.
#[test]
fn every_url_is_utf8() {
    let odd: [&[u8]; 6] = [b"\xE9", b"\xC3", b"\x80", b"\xC0\xAF", b"\xED\xA0\x80", "\u{e9}".as_bytes()];
    let mut displayed = 0;
    for file in ["examples", "general", "login", "schemes", "later_schemes", "characters"] {
        for text in table::<Parse>(&format!("{file}.toml")).iter().map(bytes) {
            for (at, bytes) in (0..=text.len()).flat_map(|at| odd.map(|bytes| (at, bytes))) {
                let text = [&text[..at], bytes, &text[at..]].concat();
                if let Ok(url) = Url::parse(&text) {
                    assert_eq!(url.to_string().as_bytes(), text);
                    displayed += 1;
                }
            }
        }
    }
    assert!(displayed > 1_000, "{displayed}");
}

#[test]
fn compare() {
    run(
        "compare.toml",
        |case: &Compare| (&case.name, &case.source),
        |case| {
            let parse = |url: &'static str| Url::parse(url.as_bytes()).map_err(|error| format!("{url}: {error}"));
            let [left, right] = case.urls.each_ref().map(|url| parse(url.clone().leak()));
            let (left, right) = (left?, right?);
            if left.is_equivalent(&right) != right.is_equivalent(&left) || !left.is_equivalent(&left) {
                return Err("not an equivalence".to_owned());
            }
            if left.is_equivalent(&right) == case.same { Ok(()) } else { Err(format!("{:?}", case.urls)) }
        },
    );
}

/// Tests the examples of RFC 3986, section 5.4, and cases that the RFC leaves open.
#[test]
fn join() {
    run(
        "join.toml",
        |case: &Relative| (&case.name, &case.source),
        |case| {
            let base = Url::parse(&case.base).map_err(|error| format!("{}: {error}", case.base))?;
            let got = lossy(&base.resolve(&case.reference));
            if got == case.result { Ok(()) } else { Err(format!("want {:?}, got {got:?}", case.result)) }
        },
    );
}

#[test]
fn rewritten_links() {
    run(
        "rewritten.toml",
        |case: &Rewritten| (&case.name, &case.source),
        |case| {
            let url = Url::parse(case.url.as_bytes()).map_err(|error| error.to_string())?;
            let got: Vec<_> = url.targets().iter().map(Url::to_string).collect();
            if got == case.targets { Ok(()) } else { Err(format!("want {:?}, got {got:?}", case.targets)) }
        },
    );
}

#[test]
fn every_service_has_a_case() {
    let source = std::fs::read_to_string(corpus().join("../src/url/rewritten.rs")).expect("the table of services");
    let rows = source.lines().filter_map(|line| line.trim().strip_prefix("row(\"")?.split('"').next());
    let rows: BTreeSet<_> = rows.map(str::to_owned).collect();
    assert!(rows.len() > 40, "{rows:?}");
    let cases = table::<Rewritten>("rewritten.toml");
    let served = cases.into_iter().filter(|case| !case.targets.is_empty()).filter_map(|case| case.service).collect();
    assert_eq!(rows, served);
}
