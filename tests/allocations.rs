//! Checks that a hit allocates memory only if its URL is broken over several lines, or if the text can also be read as
//! another URL.

use allocation_counter::measure;
use urlspool::Scanner;
use urlspool::Url;

/// Texts, each with the number of its candidates that allocate memory.
const TEXTS: &[(&str, usize)] = &[
    ("Nothing here: 12:30, std::x, see below.\n", 0),
    ("see http://www.example.org/a/b?c=d&e#f, and (ftp://a.example/b;type=i).\n", 0),
    ("write to mailto:joe@example.org or news:comp.lang.c; <URL:http://a.example/> <http://b.example/~c>\n", 0),
    ("*http://a.example/b* 'http://a.example/c' http://a.example/d/'s http://a.example/\u{fc}\n", 0),
    ("> a long line that is full, with a URL at its end: http://www.example.org/\n> and a word\n", 0),
    ("<URL:http://www.example.org/\npath/file.html>\n", 1),
    ("http://www.example.org/a/rather/long/path/that/was/broken/by/somebodys/mailer/\nat/its/end.html\n", 1),
    ("http://www.example.org/a\u{3092}\u{898b}\u{308b}\n", 1),
];

#[test]
fn only_rejoined_or_ambiguous_hits_allocate() {
    for &(text, wanted) in TEXTS {
        let text = text.repeat(100);
        let mut special = 0;
        let count = |special: &mut usize| {
            for candidate in Scanner::new().find_iter(text.as_bytes()) {
                *special += usize::from(candidate.pieces().count() > 1 || !candidate.alternatives().is_empty());
            }
        };
        let cost = measure(|| count(&mut special)).count_total;
        assert_eq!(special, 100 * wanted, "{text:.80}");
        assert_eq!(cost > 0, wanted > 0, "{cost} allocations: {text:.80}");
        // A rejoined or ambiguous candidate may make at most 16 allocations: for the list of its ranges in the text,
        // the URL without line breaks, the other possible URL, and temporary buffers.
        assert!(cost <= 16 * 100, "{cost} allocations: {text:.80}");
    }
}

#[test]
fn parsing_does_not_allocate() {
    let urls = [
        "http://joe:secret@www.example.org:8080/a%20b/~c?d=e#f",
        "mailto:joe@example.org?subject=x",
        "http://a b/",
        "x",
    ];
    for url in urls {
        let cost = measure(|| drop(Url::parse(url.as_bytes())));
        assert_eq!(cost.count_total, 0, "{url}");
    }
}
