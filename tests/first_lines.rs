//! Tests the code that a Rust programmer would try first. Each task takes one line, and its result has the type that
//! the programmer would expect.

use std::error::Error;
use std::fs::File;
use std::io::Write;

use urlspool::{Candidate, Extractor, Hit, Scanner, Url};

const TEXT: &str = "See <http://www.example.org/a/\n  b.html> and HTTP://WWW.example.org:80/a/b.html.";

#[test]
fn a_url_in_five_lines() -> Result<(), Box<dyn Error>> {
    let url = Url::parse("http://www.example.org:8080/")?;
    assert_eq!(format!("{} {:?}", url.host().unwrap(), url.port()), "www.example.org Some(8080)");

    // A URL can be parsed from strings and from bytes, borrowed or owned.
    let (string, bytes) = (url.to_string(), url.as_bytes().to_vec());
    assert_eq!(Url::parse(&string)?, url);
    assert_eq!(Url::parse(&bytes)?, url);
    assert_eq!(Url::parse(&bytes[..])?, url);
    assert_eq!(Url::parse(b"http://www.example.org:8080/")?, url);
    assert_eq!("http://www.example.org:8080/".parse::<Url>()?, url);
    assert_eq!(Url::try_from(bytes)?, url);
    assert_eq!(Url::try_from(string)?, url);

    let page = Url::parse("http://www.example.org/a/b.html")?.join("../x.html")?;
    assert_eq!(page.as_str(), "http://www.example.org/x.html");
    Ok(())
}

#[test]
fn urls_of_a_string_in_five_lines() {
    let urls: Vec<Url> = Scanner::new().find_iter(TEXT).filter_map(|c| c.parse().ok()).collect();
    assert_eq!(urls[0].as_str(), "http://www.example.org/a/b.html");

    let first: Option<Candidate> = Scanner::new().find(TEXT);
    assert_eq!(first.unwrap().span(), 5..39);

    let mut urls = urls;
    urls.sort();
    urls.dedup_by_key(|u| u.normalized());
    assert_eq!(urls.len(), 1, "{urls:?}");
}

#[test]
fn urls_of_a_message_in_five_lines() {
    let bytes = format!("Subject: x\n\n{TEXT}\n");
    let found: Vec<Hit> = Extractor::new().message(&bytes);
    assert_eq!((found.len(), found[0].url().host()), (2, Some("www.example.org")));
}

#[test]
fn urls_of_mailboxes_in_five_lines() -> Result<(), Box<dyn Error>> {
    let mut lines = Vec::new();
    for hit in Extractor::new().open("corpus/mbox/small.mbox")? {
        let hit = hit?;
        lines.push(format!("{}:{} {}", hit.file().display(), hit.line(), hit.url()));
    }
    assert_eq!(lines[0], "corpus/mbox/small.mbox:8 http://lists.example.org/pipermail/oldnews/");

    let mut messages = 0;
    for message in Extractor::new().messages(File::open("corpus/mbox/small.mbox")?) {
        let message = message?;
        let (subject, from, date) = (message.subject(), message.from(), message.date());
        if messages == 0 {
            assert_eq!(subject.as_deref(), Some("The tapes are here"));
            assert_eq!(from.as_deref(), Some("Marta Lind <marta@archivist.example>"));
            assert_eq!(date.as_deref(), Some("2004-03-01T09:01:00Z"));
            assert!(message.bytes().starts_with(b"From: Marta") && message.hits().len() == 3);
            message.parts(|part| assert!(part.to_str().starts_with("Dear all,\n")));
        }
        messages += 1;
    }
    assert_eq!(messages, 6);

    let all: Vec<Hit> = Extractor::new().paths(["corpus/mbox/", "corpus/mh/"]).collect::<Result<_, _>>()?;
    assert!(all[0].file().starts_with("corpus/mbox") && all[all.len() - 1].file().starts_with("corpus/mh"));

    let mut out = Vec::new();
    Extractor::new().paths(["corpus/mbox/"]).try_for_each(|hit| writeln!(out, "{}", hit?.url()))?;
    assert!(String::from_utf8(out)?.contains("\nhttp://lists.example.org/pipermail/oldnews/\n"));

    // A hit serializes to the object that `--json` prints.
    #[cfg(feature = "serde")]
    assert!(serde_json::to_string(&all[0])?.starts_with("{\"url\":\"http://"));
    Ok(())
}

/// Hits and errors are returned in the order of the files, for any number of threads.
#[test]
fn a_missing_file_is_an_error_in_its_place() {
    let paths = ["corpus/mbox/small.mbox", "corpus/missing.mbox", "corpus/text/links.txt"];
    let found: Vec<_> = Extractor::new().paths(paths).map(|hit| hit.map(Hit::into_url)).collect();
    let errors: Vec<_> = (0..found.len()).filter(|&at| found[at].is_err()).collect();
    assert!(matches!(errors[..], [at] if at > 0 && at + 1 < found.len()), "{found:?}");
    assert_eq!(Extractor::new().open("corpus/missing.mbox").unwrap_err().path().to_str(), Some("corpus/missing.mbox"));
}
