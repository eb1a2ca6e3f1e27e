//! The table `corpus/zones.toml`: the zones of URLs.

use std::fmt::Write as _;
use std::time::Duration;

use crate::cpu;
use urlspool::{Extractor, Hit};

/// With this option, owned hits have a zone.
fn extractor() -> Extractor {
    Extractor::new().set("zone", "header,body,quote,signature,footer,attachment").unwrap()
}

#[test]
fn urls_have_zones() {
    let table: toml::Table = include_str!("../corpus/zones.toml").parse().unwrap();
    let rows = table["case"].as_array().unwrap();
    assert!(rows.len() >= 20, "{} rows", rows.len());
    for row in rows {
        let text = |name: &str| row.get(name).and_then(toml::Value::as_str);
        let (name, media) = (text("name").unwrap(), text("media").unwrap_or("text/plain"));
        let message = format!("Content-Type: {media}\n\n{}", text("text").unwrap());
        let hits = extractor().message(&message);
        let zone =
            |hit: &Hit<'_>| format!("{} {}", hit.zone().unwrap(), hit.url().as_str().rsplit('/').next().unwrap());
        let want: Vec<_> = row["zones"].as_array().unwrap().iter().map(|zone| zone.as_str().unwrap()).collect();
        assert_eq!(hits.iter().map(zone).collect::<Vec<_>>(), want, "{name}");
    }
}

/// Text outside messages is read in blocks, so only the line of a URL counts.
#[test]
fn zones_outside_messages_and_in_headers() {
    let zones = |text: &str| {
        let hits = extractor().read(text.as_bytes()).map(|hit| hit.unwrap().zone().unwrap());
        hits.collect::<Vec<_>>().join(" ")
    };
    let card = "BEGIN:VCARD\nURL:http://a.example/\nEND:VCARD\n";
    let cite = "<blockquote type=cite><a href=http://a.example/>x</a></blockquote>";
    for (text, want) in [
        ("A text.\n\n> http://a.example/\n\n-- \nhttp://b.example/\n", "quote body"),
        ("X-Home: http://a.example/\nSubject: x\n\n-- \nhttp://b.example/\n", "header signature"),
        // A document that is a file of its own is not an attachment.
        (card, "body"),
        (&format!("Subject: x\nContent-Type: text/vcard\n\n{card}"), "attachment"),
        ("{\"text\": \"http://a.example/\"}", "body"),
        (&format!("<html><title>x</title>{cite}</html>"), "body"),
        // The page of an archive shows a message.
        (&format!("<html><!--X-Message-Id: a@b -->{cite}</html>"), "quote"),
    ] {
        assert_eq!(zones(text), want, "{text}");
    }
}

#[test]
fn only_urls_in_the_chosen_zones_are_hits() {
    let message = "X-Home: http://a.example/1\nSubject: x\n\nhttp://a.example/2\n> http://a.example/3\n";
    assert_eq!(Extractor::new().message(message)[0].zone(), None);
    for (zones, want) in [("body", "2"), ("!body", "13"), ("header,quote", "13"), ("!header,!quote", "2")] {
        let hits = Extractor::new().set("zone", zones).unwrap().message(message);
        assert_eq!(hits.iter().map(|hit| &hit.url().as_str()[17..]).collect::<String>(), want, "{zones}");
    }
}

/// The depth of a quotation is the number of marks or of elements around it.
#[test]
fn quotations_have_a_depth() {
    let html = "<blockquote type=cite><blockquote type=cite>http://a.example/</blockquote></blockquote>";
    for (text, want) in
        [("Content-Type: text/html\n\n", 2), ("Content-Type: text/plain\n\n> ", 1), ("Content-Type: text/plain\n\n", 0)]
    {
        let hits = Extractor::new().message(&format!("{text}{html}\n"));
        assert_eq!(hits[0].quote_depth(), want, "{text}");
    }
}

/// Twice the text takes at most about twice the time.
#[test]
fn zones_take_linear_time() {
    // Many phrases on one line, many blank lines, and a few other lines.
    let phrases = |before: &str, count: usize, lines: usize| {
        format!("{before}{}\n{}{}", "unsubscribe ".repeat(count), "\n".repeat(count * 3), "a\n".repeat(lines))
    };
    for (before, lines) in [("", 23), ("-----Original Message-----\n", 12)] {
        let time = |count: usize| {
            let start = format!("http://a.example/\n{before}{}", "z".repeat(count * 9));
            let message = format!("Content-Type: text/plain\n\n{}", phrases(&start, count, lines));
            let read = || assert_eq!(extractor().message(&message).len(), 1);
            (0..3).map(|_| cpu::time(read)).min().unwrap()
        };
        let (half, whole) = (time(8000), time(16000));
        assert!(whole < half * 3 + Duration::from_millis(20), "{before}: {half:?} and {whole:?}");
    }
    for (media, piece) in [
        ("text/plain", "> http://a.example/\n"),
        ("text/plain", "unsubscribe http://a.example/\n"),
        ("text/plain", "From: a\nTo: b\nhttp://a.example/\n"),
        ("text/plain", "-------------- next part --------------\nhttp://a.example/\n"),
        ("text/plain", "-----BEGIN PGP SIGNATURE-----\nhttp://a.example/\n"),
        ("text/html", "<blockquote type=cite><a href=http://a.example/>"),
        ("text/html", "<div class=gmail_quote><b><i></div><a href=http://a.example/>unsubscribe</a>"),
        ("text/html", "</div><div><a href=http://a.example/ type=cite class=gmail_quote>"),
    ] {
        let time = |length: usize| {
            let mut message = format!("Content-Type: {media}\n\n");
            while message.len() < length {
                let _ = write!(message, "{piece}");
            }
            let read = || assert!(extractor().message(&message).len() > 10);
            (0..3).map(|_| cpu::time(read)).min().unwrap()
        };
        let (half, whole) = (time(64 << 10), time(128 << 10));
        assert!(whole < half * 3 + Duration::from_millis(20), "{media} {piece}: {half:?} and {whole:?}");
    }
}
