//! Searches the messages and archives of the corpus, and compares the hits with the `.hits` files.
//!
//! A `.hits` file lists the hits that the rules demand. `corpus/expected_failures.txt` lists the cases for which the
//! library is known to find other hits.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use urlspool::Extractor;

#[cfg(not(windows))]
use crate::support::Scratch;
use crate::support::hits::{parse, render};
use crate::support::record::{Event, Search, paths};
use crate::support::undo::undo;
use crate::support::{corpus, messages, with_crlf};

/// The archives. The expected hits of a directory are in the file `.hits` in this directory. The expected hits of a
/// file `name` are in the file `.name.hits` beside it. The names of these files begin with a dot, because urlspool
/// skips hidden files.
const ARCHIVES: &[&str] = &[
    "maildir",
    "mbox/quoted_from.mbox",
    "mbox/small.mbox",
    "mh",
    "rnews/batch",
    "spool",
    "text/links.txt",
    "text/transcript.txt",
];

/// A file or directory to search, and the file of its expected hits.
struct Case {
    /// The name of the case in the list of expected failures.
    id: String,
    root: PathBuf,
    input: PathBuf,
    hits: PathBuf,
    format: Option<&'static str>,
}

fn cases() -> Vec<Case> {
    let mail = messages().into_iter().map(|(name, _)| {
        let input = corpus("mail").join(&name);
        let hits = input.with_extension("hits");
        // In a mail store, urlspool detects the format of a message from the path of the file. The corpus is not a mail
        // store, so the test sets the format.
        let format = if name.starts_with("wire_") { "article" } else { "message" };
        Case { id: format!("mail/{name}"), root: corpus("mail"), input, hits, format: Some(format) }
    });
    let archives = ARCHIVES.iter().map(|name| {
        let input = corpus(name);
        let (root, hits) = match name.split_once('/') {
            None => (input.clone(), input.join(".hits")),
            Some((directory, file)) => (corpus(directory), corpus(directory).join(format!(".{file}.hits"))),
        };
        Case { id: (*name).to_owned(), root, input, hits, format: None }
    });
    mail.chain(archives).collect()
}

fn find(case: &Case) -> Vec<Event> {
    let extractor = Search::new().format(case.format.unwrap_or("auto")).threads(1);
    paths(&extractor, vec![case.input.clone()])
}

fn expected_failures() -> BTreeSet<String> {
    let lines = fs::read_to_string(corpus("expected_failures.txt")).expect("corpus/expected_failures.txt");
    let ours = |line: &&str| line.starts_with("mail/") || ARCHIVES.contains(line);
    lines.lines().map(str::trim).filter(ours).map(str::to_owned).collect()
}

/// Searches the input of a case. If the hits differ from the expected hits, the error shows the first difference and
/// all hits.
fn run(case: &Case) -> Result<(), String> {
    let text = fs::read_to_string(&case.hits).map_err(|error| format!("{}: {error}\n", case.hits.display()));
    let want = parse(&case.id, text.as_deref().unwrap_or("# nothing"));
    let events = find(case);
    let got = render(&events, &case.root);
    let mut report = text.err().unwrap_or_default();
    if let Some(i) = (0..want.len().max(got.len())).find(|&i| want.get(i) != got.get(i)) {
        let or_end = |lines: &[String]| lines.get(i).map_or("the end", String::as_str).to_owned();
        let _ = writeln!(report, "  wanted {}\n  got    {}", or_end(&want), or_end(&got));
        got.iter().for_each(|line| report += &format!("    {line}\n"));
    }
    if report.is_empty() { Ok(()) } else { Err(report) }
}

/// Checks the offset and length of each expected hit. The bytes at this offset must become the URL if they are decoded
/// with the steps in the column `undo`. This function does not call the library. So it also checks those expected hits
/// that the library does not find.
fn places(case: &Case) -> Result<(), String> {
    let text = fs::read_to_string(&case.hits).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<_> = line.split('\t').collect();
        match columns[..] {
            ["file", path] => bytes = fs::read(case.root.join(path)).map_err(|error| format!("{path}: {error}"))?,
            ["hit", line, offset, length, .., undo, _, url] => {
                let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text:?}: {error}"));
                let (line, offset, length) = (number(line)?, number(offset)?, number(length)?);
                let span = bytes.get(offset..offset + length).ok_or_else(|| format!("no bytes for {url:?}"))?;
                place(span, undo, url.as_bytes())?;
                let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
                let lines = 1 + bytes[..offset].iter().filter(|&&byte| byte == end).count();
                if lines != line {
                    return Err(format!("{url:?} is on line {lines}, not {line}"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Decodes `span` with `steps`, and checks that the result is `url`. If `steps` begins with `in`, the result can have
/// other text before and after `url`.
fn place(span: &[u8], steps: &str, url: &[u8]) -> Result<(), String> {
    let (whole, steps) = match steps.strip_prefix("in") {
        Some(steps) => (false, steps),
        None => (true, steps),
    };
    let text = steps.split(' ').filter(|step| !["", "-"].contains(step)).fold(span.to_vec(), |text, s| undo(s, &text));
    if if whole { text == url } else { text.windows(url.len()).any(|window| window == url) } {
        return Ok(());
    }
    Err(format!(
        "{:?}, undone by {steps:?}, is {:?}, not {:?}",
        span.escape_ascii(),
        text.escape_ascii(),
        url.escape_ascii()
    ))
}

#[test]
fn offsets_of_hits_point_to_their_bytes() {
    let wrong: Vec<_> =
        cases().iter().filter_map(|case| Some(format!("{}: {}", case.id, places(case).err()?))).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_message_has_its_expected_hits() {
    let cases = cases();
    let expected = expected_failures();
    let (mut report, mut failed) = (String::new(), BTreeSet::new());
    for case in &cases {
        let Err(wrong) = run(case) else { continue };
        failed.insert(case.id.clone());
        if !expected.contains(&case.id) {
            report += &format!("{}\n{wrong}", case.id);
        }
    }
    for id in expected.difference(&failed) {
        let known = cases.iter().any(|case| case.id == *id);
        report += &format!("{id}: expected to fail, {}\n", if known { "but it passes" } else { "but does not exist" });
    }
    assert!(report.is_empty(), "\n{report}{} of {} cases failed", failed.len(), cases.len());
}

/// In a Maildir, file names have flags after a colon. Windows does not allow colons in file names, so the files in the
/// repository have no flags. The test copies the files of `corpus/maildir`, adds flags to the names, and expects the
/// same hits.
#[cfg(not(windows))]
#[test]
fn a_maildir_with_flags_in_its_names() {
    let flags = [
        ("cur/1078592400.M1P1.mail.example", ":2,S"),
        ("cur/1078596000.M2P1.mail.example", ":2,RS"),
        (".Sent/cur/1078600000.M5P1.mail.example", ":2,S"),
        ("new/1078599600.M3P1.mail.example", ""),
        ("tmp/1078599999.M4P1.mail.example", ""),
        (".Sent/new/.keep", ""),
        ("dovecot.index.log", ""),
    ];
    let scratch = Scratch::new("maildir-flags");
    let mut hits = fs::read_to_string(corpus("maildir/.hits")).expect("corpus/maildir/.hits");
    for (name, flags) in flags {
        let bytes = fs::read(corpus("maildir").join(name)).expect("a file of corpus/maildir");
        scratch.file(&format!("{name}{flags}"), &bytes);
        hits = hits.replace(&format!("file\t{name}\n"), &format!("file\t{name}{flags}\n"));
    }
    assert_eq!(hits.matches(":2,").count(), 3);
    let root = scratch.path().to_owned();
    let hits = scratch.file(".hits", hits.as_bytes());
    let case = Case { id: "maildir with flags".to_owned(), input: root.clone(), root, hits, format: None };
    let wrong = [run(&case).err(), places(&case).err()];
    assert!(wrong.iter().all(Option::is_none), "\n{wrong:?}");
}

/// Checks that each message `crlf_NAME` differs from `NAME` only in its line ends. If an edit changed only one of the
/// two messages, the pair would no longer test the line ends alone.
#[test]
fn crlf_twins_differ_only_in_line_ends() {
    let messages = messages();
    let twins = messages.iter().filter_map(|(name, bytes)| Some((name.strip_prefix("crlf_")?, bytes)));
    let mut count = 0;
    for (name, bytes) in twins {
        let (_, other) = messages.iter().find(|(other, _)| other == name).expect("the other twin");
        assert!(with_crlf(other) == *bytes, "{name}");
        count += 1;
    }
    assert!(count >= 5);
}

#[test]
fn no_hits_without_a_message() {
    for entry in fs::read_dir(corpus("mail")).expect("corpus/mail") {
        let path = entry.expect("an entry").path();
        assert!(
            path.with_extension("eml").exists() || path.file_name().is_some_and(|n| n == ".gitattributes"),
            "{path:?}"
        );
    }
}

/// A copy of the joined URL is a reason for a join (rule 3.5). A `&` in the URL is not.
#[test]
fn a_query_without_a_copy_is_not_joined() {
    let mail = "Subject: x\n\nThe program is here:\n\nhttp://www.example.org/programs/archive/reader?a=1&b\nReader2\n";
    let copy = "\n<a href=\"http://www.example.org/programs/archive/reader?a=1&amp;bReader2\">\n";
    for (copy, want) in [("", false), (copy, true)] {
        let mail = [mail, copy].concat();
        let hits = Extractor::new().read(mail.as_bytes()).map(|hit| hit.expect("memory")).collect::<Vec<_>>();
        assert_eq!(hits[0].rejoined(), want, "{mail}");
    }
}

/// RFC 2557, section 5: a `base` element counts, then Content-Base, then Content-Location.
#[test]
fn the_header_of_a_part_can_have_the_base_of_its_html() {
    let table = [
        ("Content-Location: http://a.example/d/page", "<a href=one>", &["http://a.example/d/one"][..]),
        ("content-location: http://a.example/d/\n page", "<img src='/i.png'>", &["http://a.example/i.png"]),
        ("Content-Base: http://b.example/\nContent-Location: page", "<a href=one>", &["http://b.example/one"]),
        ("Content-Location: page", "<a href=one>", &[]),
        ("Content-Location: http://a.example/", "<a href=one><base href=http://c.example/>", &["http://c.example/one"]),
        ("Content-Location: http://a.example/", "<a href=//d.example/two>", &["http://d.example/two"]),
    ];
    for (header, html, want) in table {
        for message in [
            format!("Content-Type: text/html\n{header}\n\n{html}\n"),
            format!(
                "Content-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n{header}\n\n{html}\n--x\n\
                 Content-Type: text/html\n\n<a href=three>\n--x--\n"
            ),
        ] {
            let hits = Extractor::new().message(message.as_bytes());
            let links = hits.iter().filter(|hit| hit.element().is_some_and(|element| element != "base"));
            let found: Vec<_> = links.map(|hit| hit.url().to_string()).collect();
            assert_eq!(found, want, "{message}");
        }
    }
}
