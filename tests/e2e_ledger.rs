//! Every attachment is searched or reported, with its size.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::ControlFlow;

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use urlspool::fields::Value;
use urlspool::{DiagnosticKind, Event, Extractor};

use crate::e2e_outlook::outlook::{Attached, Mail, msg, tnef};
use crate::support::{Random, root, store};
use crate::uuencode::uuencode;

/// What a search reported: the URLs, and the attachments that were not searched, each with what it is and its size.
type Ledger = (Vec<String>, BTreeMap<String, (String, u64)>);

/// Searches `mail`. Checks that the segments cover all bytes.
fn search(mail: &[u8]) -> Ledger {
    let (mut urls, mut unsearched, mut bytes) = (Vec::new(), BTreeMap::new(), 0);
    let flow = Extractor::new().read(mail).each(&mut |event: Event<'_>| {
        match event {
            Event::Hit(hit) => urls.push(hit.url().to_string()),
            Event::Segment { segment, .. } => bytes += segment.length(),
            Event::Unsearched { facts, .. } => {
                let fact = |name| facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
                let text = |name| {
                    let mut text = Vec::new();
                    fact(name).expect("a fact").push_text(&mut text);
                    String::from_utf8(text).expect("UTF-8")
                };
                let size = match fact("size") {
                    Some(Value::Number(size)) => size,
                    _ => 0,
                };
                unsearched.insert(text("attachment"), (text("what"), size));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    assert_eq!(bytes, mail.len() as u64, "segments");
    (urls, unsearched)
}

/// A zip archive with one member, which is not compressed.
fn zip(name: &str, content: &[u8]) -> Vec<u8> {
    store::zip_with_directory(&[(name.to_owned(), content.to_vec())], true, false)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory")
}

/// A tar archive with one member.
fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    store::tar(&[(name.to_owned(), content.to_vec())])
}

/// A zip archive with one encrypted member.
fn encrypted_zip(name: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = store::zip(&[(name.to_owned(), content.to_vec())], false);
    archive[6] |= 1;
    archive
}

/// A document of Word, with this text.
fn docx(content: &[u8]) -> Vec<u8> {
    zip("[Content_Types].xml", content)
}

/// Outlook's message with an attachment.
fn mail_of_outlook(name: &str, content: &[u8]) -> Mail {
    let attachments = vec![Attached::File(name.to_owned().leak(), content.to_vec())];
    Mail { subject: "x", text: "text".into(), attachments, ..Mail::default() }
}

/// A message in S/MIME that is signed but not encrypted. It has no certificate.
fn p7m(message: &[u8]) -> Vec<u8> {
    let element = |tag: u8, parts: &[&[u8]]| {
        let content = parts.concat();
        [&[tag, 0x84], &(content.len() as u32).to_be_bytes()[..], &content].concat()
    };
    let oid = |last: u8| [&b"\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07"[..], &[last]].concat();
    let inner = element(0x30, &[&oid(1), &element(0xA0, &[&element(4, &[message])])]);
    let body = element(0x30, &[&[2, 1, 1], &element(0x31, &[]), &inner, &element(0x31, &[])]);
    element(0x30, &[&oid(2), &element(0xA0, &[&body])])
}

#[test]
fn every_attachment_is_searched_or_reported() {
    let url = |name: &str| format!("See http://{name}.example/ there\n").into_bytes();
    let inner = |name: &str| [b"From: a@b\nSubject: x\n\n", &*url(name)].concat();
    let html = |name: &str| format!("<html><a href=http://{name}.example/>x</a></html>\n").into_bytes();
    let mbox = |name: &str| [b"From a@b Mon Jan  1 00:00:00 2001\n", &*inner(name), b"\n"].concat();
    let odd = |name: &str, start: &[u8]| [start, &*url(name)].concat();
    // Columns: the name, the type, the content, and what is reported.
    let table: Vec<(&str, &str, Vec<u8>, Option<&str>)> = vec![
        ("a.txt", "application/octet-stream", url("a.txt"), None),
        ("b.patch", "application/x-patch", url("b.patch"), None),
        ("c.json", "application/json", url("c.json"), None),
        ("d.html", "application/octet-stream", html("d.html"), None),
        ("e", "application/x-unknown", html("e"), None),
        ("f.svg", "image/svg+xml", html("f.svg"), None),
        ("g.eml", "application/octet-stream", inner("g.eml"), None),
        ("h.mbox", "application/mbox", mbox("h.mbox"), None),
        ("i.gz", "application/gzip", gzip(&url("i.gz")), None),
        ("j.tar", "application/x-tar", tar("j", &url("j.tar")), None),
        ("k.tgz", "application/octet-stream", gzip(&tar("k", &inner("k.tgz"))), None),
        ("l", "x-odd/type", url("l"), None),
        ("m.txt", "application/octet-stream", odd("m.txt", b""), None),
        ("n.pdf", "application/pdf", odd("n.pdf", b"%PDF-1.7\n"), Some("a PDF document")),
        ("o.png", "image/png", url("o.png"), Some("a picture")),
        ("p.png", "application/octet-stream", odd("p.png", b"\x89PNG\r\n\x1A\n"), Some("a PNG picture")),
        ("q.7z", "application/octet-stream", odd("q.7z", b"7z\xBC\xAF\x27\x1C"), Some("a 7z archive")),
        ("r.bin", "application/octet-stream", odd("r.bin", b"\0\x01"), Some("a binary file")),
        (
            "s.asc",
            "application/octet-stream",
            b"-----BEGIN PGP MESSAGE-----\n\naGVsbG8=\n-----END PGP MESSAGE-----\n".to_vec(),
            Some("an encrypted part"),
        ),
        ("ae.asc", "application/octet-stream", odd("ae.asc", b"-----BEGIN PGP MESSAGE-----\n"), None),
        ("t.sig", "application/pgp-signature", url("t.sig"), Some("a signature")),
        ("u.mp3", "audio/mpeg", url("u.mp3"), Some("a sound")),
        ("v.rtf", "application/rtf", odd("v.rtf", b"{\\rtf1 "), None),
        ("w.zip", "application/zip", zip("w.html", &html("w.zip")), None),
        ("x.zip", "application/octet-stream", zip("x.tgz", &gzip(&tar("x", &html("x.zip")))), None),
        ("y.ics", "application/ics", odd("y.ics", b"BEGIN:VCALENDAR\nDESCRIPTION:"), None),
        ("z.vcf", "text/x-unknown", odd("z.vcf", b"BEGIN:VCARD\nURL:"), None),
        ("ab.exe", "application/x-msdownload", odd("ab.exe", b"MZ\x90\0"), Some("a program")),
        ("ai.exe", "application/octet-stream", odd("ai.exe", &[b"MZ", &[0; 600][..]].concat()), Some("a program")),
        ("aj", "application/octet-stream", odd("aj", b"<p>"), None),
        ("ac.rar", "application/octet-stream", odd("ac.rar", b"Rar!\x1A\x07\x01\0"), Some("a rar archive")),
        ("af.docx", "application/octet-stream", docx(&url("af.docx")), Some("an office document")),
        ("ag.msg", "application/octet-stream", msg(&mail_of_outlook("a.txt", &url("ag.msg"))), None),
        ("winmail.dat", "application/ms-tnef", tnef(&mail_of_outlook("a.txt", &url("winmail.dat"))), None),
        ("ah.p7m", "application/pkcs7-mime", p7m(&inner("ah.p7m")), None),
        ("ad.asc", "application/pgp-encrypted", odd("ad.asc", b"Version: 1\n"), None),
    ];
    for is_encoded in [true, false] {
        let mut mail = b"Content-Type: multipart/mixed; boundary=\"=b\"\n\n".to_vec();
        let mut sizes = BTreeMap::new();
        for (name, media, content, _) in &table {
            let (encoding, body) = match is_encoded {
                true => ("base64", BASE64.encode(content).into_bytes()),
                false => ("binary", content.clone()),
            };
            let head = format!(
                "--=b\nContent-Type: {media}\nContent-Transfer-Encoding: {encoding}\nContent-Disposition: attachment; filename=\"{name}\"\n\n"
            );
            mail.extend([head.as_bytes(), &body, b"\n"].concat());
            // The lines around encrypted text are searched.
            let length = if *name == "s.asc" { b"aGVsbG8=\n".len() } else { content.len() };
            sizes.insert((*name).to_owned(), length as u64);
        }
        mail.extend_from_slice(b"--=b--\n");
        let (urls, unsearched) = search(&mail);
        for (name, _, _, what) in &table {
            let has_url = urls.contains(&format!("http://{name}.example/"));
            let reported = unsearched.get(*name).map(|(what, size)| (what.as_str(), *size));
            assert_eq!(
                (has_url, reported),
                (what.is_none(), what.map(|what| (what, sizes[*name]))),
                "{name} {is_encoded}"
            );
        }
    }
}

/// Attachments of all kinds, in containers of all kinds. Each is searched, or it is reported with its name.
#[test]
fn nothing_in_mail_is_silent() {
    let mut random = Random(11);
    let starts: [&[u8]; 8] = [
        b"",
        b"<html>",
        b"%PDF-1.4\n",
        b"\x89PNG\r\n\x1A\n",
        b"\0\x01",
        b"{\\rtf1 ",
        b"MZ\x90\0",
        b"7z\xBC\xAF\x27\x1C",
    ];
    let types =
        ["application/octet-stream", "application/x-odd", "image/png", "text/plain", "text/html", "text/rtf", ""];
    let names = ["txt", "html", "pdf", "png", "rtf", "exe", "eml", "odd"];
    for round in 0..200 {
        let mut mail = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"=b\"\n\n".to_vec();
        let markers: Vec<_> = (0..1 + random.below(4)).map(|number| format!("m{round}-{number}")).collect();
        for marker in &markers {
            let start = starts[random.below(starts.len())];
            let mut name = format!("{marker}.{}", names[random.below(names.len())]);
            let mut content = [start, format!("http://{marker}.example/ \n").as_bytes()].concat();
            let mut media = types[random.below(types.len())];
            for _ in 0..random.below(3) {
                let message = [
                    b"Subject: x\nContent-Transfer-Encoding: base64\nContent-Type: application/octet-stream; name=",
                    name.as_bytes(),
                    b"\n\n",
                    BASE64.encode(&content).as_bytes(),
                ]
                .concat();
                content = match random.below(9) {
                    0 => zip(&name, &content),
                    1 => tar(&name, &content),
                    2 => gzip(&content),
                    3 => encrypted_zip(&name, &content),
                    4 => docx(&content),
                    5 => msg(&mail_of_outlook(&name, &content)),
                    6 => tnef(&mail_of_outlook(&name, &content)),
                    7 => p7m(&message),
                    _ => message,
                };
                (name, media) = (marker.clone(), "application/octet-stream");
            }
            let (encoding, body) = match random.below(2) {
                0 => ("base64", BASE64.encode(&content).into_bytes()),
                _ => ("binary", content),
            };
            let head =
                format!("--=b\nContent-Type: {media}; name=\"{name}\"\nContent-Transfer-Encoding: {encoding}\n\n");
            mail.extend([head.as_bytes(), &body, b"\n"].concat());
        }
        mail.extend_from_slice(b"--=b--\n");
        let (urls, unsearched) = search(&mail);
        for marker in &markers {
            let is_found = urls.iter().any(|url| url.contains(marker));
            let is_reported = unsearched.keys().any(|name| name.contains(marker));
            assert!(is_found != is_reported, "{marker} {is_found}: {unsearched:?} {}", mail.escape_ascii());
        }
    }
}

/// The segments of each file of the corpus cover the file.
#[test]
fn the_corpus_is_covered() {
    for file in Extractor::new().paths([root().join("corpus")]).files() {
        search(&std::fs::read(file.expect("a file").path).expect("a file"));
    }
}

/// The URLs of a damaged member may be wrong. Only this member is reported.
#[test]
fn damaged_members_of_attached_archives() {
    let members = ["one", "two"].map(|name| (format!("{name}.txt"), format!("http://{name}.example/ \n").into_bytes()));
    let mut archive = store::zip_with_directory(&members, false, false);
    // The checksum of the first member.
    archive[14] ^= 1;
    let text = BASE64.encode(&archive);
    let mail = format!("Content-Type: application/zip; name=x.zip\nContent-Transfer-Encoding: base64\n\n{text}\n");
    let hits = Extractor::new().message(&mail);
    let found: Vec<_> = hits.iter().map(|hit| (hit.url().as_str(), hit.recovered())).collect();
    assert_eq!(found, [("http://one.example/", true), ("http://two.example/", false)]);
    let want = [("x.zip!one.txt".to_owned(), "a partly damaged file".to_owned())];
    let unsearched = search(mail.as_bytes()).1.into_iter().map(|(name, (what, _))| (name, what));
    assert_eq!(unsearched.collect::<Vec<_>>(), want);
}

/// The checksum at the end of a member shows that the messages before it may be wrong.
#[test]
fn damaged_mailboxes_in_attached_archives() {
    let mbox = |name: &str| {
        let message = format!("From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nhttp://{name}.example/\n\n");
        (name.to_owned(), message.repeat(3).into_bytes())
    };
    let mut archive = store::zip_with_directory(&[mbox("one"), mbox("two")], false, false);
    archive[14] ^= 1;
    let text = BASE64.encode(&archive);
    let mail = format!("Content-Type: application/zip; name=x.zip\nContent-Transfer-Encoding: base64\n\n{text}\n");
    let hits = Extractor::new().message(&mail);
    let found: Vec<_> = hits.iter().map(|hit| (hit.url().as_str(), hit.recovered())).collect();
    let want = [("http://one.example/", true), ("http://two.example/", false)].map(|hit| [hit; 3]);
    assert_eq!(found, want.concat());
}

/// A message in a string of JSON has its own encodings.
#[test]
fn encoded_messages_in_json() {
    let body = BASE64.encode(b"see http://inner.example/ there\n");
    let mail = format!("From: a@b\\nContent-Transfer-Encoding: base64\\n\\n{body}\\n");
    let line = format!("{{\"x\":\"http://x.example/\",\"rawEmail\":\"{mail}\",\"y\":\"http://y.example/\"}}\n");
    let text = line.repeat(2);
    let urls: Vec<_> = Extractor::new()
        .read(text.as_bytes())
        .map(|hit| {
            let hit = hit.expect("a hit");
            (hit.url().to_string(), hit.offset())
        })
        .collect();
    let place = |text: &str| line.find(text).expect("a text") as u64;
    let one = [
        ("http://x.example/", place("http://x")),
        ("http://inner.example/", place(&body) + 5),
        ("http://y.example/", place("http://y")),
    ];
    let want: Vec<_> =
        [0, line.len() as u64].iter().flat_map(|base| one.map(|(url, at)| (url.to_owned(), base + at))).collect();
    assert_eq!(urls, want);
}

/// Base64 in strings of JSON is decoded, in both alphabets, with and without padding. What it contains is searched or
/// reported. An array with an object in each line is read like JSON lines.
#[test]
fn base64_in_json() {
    let url_safe = |bytes: &[u8]| BASE64.encode(bytes).replace('+', "-").replace('/', "_");
    let noise: Vec<u8> = (0..2000_u32).map(|number| (number * 7919 / 31) as u8 | 1).collect();
    let odd = |start: &[u8]| [start, &noise].concat();
    let message = |more: &str| {
        let body = BASE64.encode(b"see http://a.example/ there");
        let head = "Subject: x\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\nX-Y: ";
        format!("{head}{more}\u{ff}?>~>\u{fe}\r\n\r\n{body}\r\n").into_bytes()
    };
    let wrapped =
        |text: String, end: &str| text.as_bytes().chunks(76).map(|row| String::from_utf8_lossy(row) + end).collect();
    let cut = |text: String| text[..text.len() - 9].to_owned();
    let table: Vec<(String, Result<&str, &str>)> = vec![
        (url_safe(&message("")), Ok("http://a.example/")),
        (url_safe(&message("1")).trim_end_matches('=').into(), Ok("http://a.example/")),
        (url_safe(&message("12")).trim_end_matches('=').into(), Ok("http://a.example/")),
        (BASE64.encode(&message("")).replace('/', "\\/"), Ok("http://a.example/")),
        (wrapped(BASE64.encode(&message("")), "\\n"), Ok("http://a.example/")),
        (wrapped(BASE64.encode(&message("")), "\\r\\n"), Ok("http://a.example/")),
        (cut(url_safe(&message(""))), Ok("http://a.example/")),
        (url_safe(b"see http://a.example/ there"), Ok("http://a.example/")),
        (url_safe(b"see http://a.example/ \xE9t\xE9"), Ok("http://a.example/")),
        (url_safe(b"<html><a href='http://a.example/?b&amp;c'>"), Ok("http://a.example/?b&c")),
        (BASE64.encode(&gzip(&message(""))), Ok("http://a.example/")),
        (BASE64.encode(&odd(b"\x89PNG\r\n\x1A\n")), Err("a PNG picture")),
        (BASE64.encode(&odd(b"%PDF-1.7\n")), Err("a PDF document")),
        (BASE64.encode(&noise), Err("a binary file")),
        ("0123456789abcdef".repeat(4), Ok("")),
    ];
    for (value, want) in &table {
        let record = format!("{{\"raw\":\"{value}\",\"x\":\"http://x.example/\"}}");
        for text in
            [format!("{record}\n"), record.clone(), format!("[{record},\n{record}]\n"), format!("[\n{record}\n]\n")]
        {
            let (urls, unsearched) = search(text.as_bytes());
            let found = want.ok().into_iter().filter(|url| !url.is_empty()).chain(["http://x.example/"]);
            let count = if text.contains(",\n") { 2 } else { 1 };
            assert_eq!(urls, found.collect::<Vec<_>>().repeat(count), "{text}");
            let what = unsearched.into_iter().map(|(name, (what, _))| (name, what)).collect::<Vec<_>>();
            let reported = want.err().map(|what| ("application/json".to_owned(), what.to_owned()));
            assert_eq!(what, Vec::from_iter(reported), "{text}");
        }
    }
    let damaged = format!("{{\"raw\":\"{}*{}\"}}\n", url_safe(&message("")), "a b ".repeat(30));
    let mut kinds = Vec::new();
    let _ = Extractor::new().read(damaged.as_bytes()).each(&mut |event: Event<'_>| {
        if let Event::Diagnostic { diagnostic, .. } = event {
            kinds.push(diagnostic.kind().as_str());
        }
        ControlFlow::Continue(())
    });
    assert_eq!(kinds, ["broken-base64"]);
    // A string without an end can end in an escape.
    for cut in ["aaaaaaaaaa\\u003d", "aaaaaaaaaaaaaaaa\\u003", "aaaaaaaaaaaaaaaa\\n", "aaaaaaaaaaaaaaaa\\"] {
        assert_eq!(search(format!("{{\"a\":\"{cut}").as_bytes()).0, [""; 0], "{cut}");
    }
}

/// A member that is not searched is named by its first bytes, as on disk.
#[test]
fn members_of_attached_archives_are_searched_or_reported() {
    let member = |start: &[u8]| [start, b"http://a.example/"].concat();
    let png = member(b"\x89PNG\r\n\x1A\n");
    let table = [
        ("x.tgz", gzip(&tar("a.png", &png)), "x.tgz!a.png", "a PNG picture"),
        ("x.zip", zip("a.pdf", &member(b"%PDF-1.7\n")), "x.zip!a.pdf", "a PDF document"),
        ("x.zip", zip("a.docx", &docx(b"")), "x.zip!a.docx", "an office document"),
        ("x.zip", zip("a", &member(b"\0\x01")), "x.zip!a", "a binary file"),
        ("x.zip", encrypted_zip("a.txt", &member(b"")), "x.zip!a.txt", "an encrypted file"),
    ];
    for (name, archive, member, what) in table {
        let text = BASE64.encode(&archive);
        let mail = format!("Content-Type: application/zip; name={name}\nContent-Transfer-Encoding: base64\n\n{text}\n");
        let (urls, unsearched) = search(mail.as_bytes());
        assert_eq!(urls, Vec::<String>::new());
        let reported: Vec<_> = unsearched.iter().map(|(name, (what, _))| (name.as_str(), what.as_str())).collect();
        assert_eq!(reported, [(member, what)]);
    }
}

/// Members that are documents are read as in a directory, and an attachment that has only the frame of a mailbox, but no
/// message, is not unpacked again and again.
#[test]
fn members_are_documents_or_frames() {
    let page = b"<!DOCTYPE html><a href='http://a.example/?x&amp;y'>page</a>\n";
    let table: [(&str, Vec<u8>, &[&str]); 3] = [
        ("x.tar", tar("a.html", page), &["http://a.example/?x&y"]),
        ("x.git", format!("{} commit 1\nx\n", "a".repeat(40)).into_bytes(), &[]),
        ("x.mbx", b"*mbx*\r\n5f00000000000001\r\n".to_vec(), &[]),
    ];
    for (name, content, want) in table {
        let text = BASE64.encode(&content);
        let head = "Content-Type: application/octet-stream; name=";
        let mail = format!("{head}{name}\nContent-Transfer-Encoding: base64\n\n{text}\n");
        assert_eq!(search(mail.as_bytes()).0, want, "{name}");
    }
}

/// Each part with relative links is reported, with their number, unless they have a base URL.
#[test]
fn relative_links_are_counted() {
    let part = |fields: &str, html: &str| format!("--b\nContent-Type: text/html\n{fields}\n{html}\n");
    let first = part("", "<a href=\"one.html\">x</a><img src=\"two.png\"><a href=\"#top\">x</a>");
    let based = part("Content-Base: http://a.example/\n", "<a href=\"three.html\">x</a>");
    let last = part("", "<a href=\"four.html?a=1&amp;b=2\">x</a>");
    let mail = format!("Content-Type: multipart/mixed; boundary=b\n\n{first}{based}{last}--b--\n");
    let mut found = Vec::new();
    let _ = Extractor::new().read(mail.as_bytes()).each(&mut |event: Event<'_>| {
        if let Event::Diagnostic { diagnostic, .. } = event {
            found.push(diagnostic.to_string());
        }
        ControlFlow::Continue(())
    });
    let at = |html: &str| mail.find(html).unwrap();
    let want = [
        format!("offset {}: 2 links in HTML are relative, and there is no base URL", at("<a href=\"one")),
        format!("offset {}: 1 link in HTML is relative, and there is no base URL", at("<a href=\"four")),
    ];
    assert_eq!(found, want);
}

/// Returns `content` as text whose rows have `width` characters.
fn rows(content: &[u8], width: usize) -> String {
    let digits = BASE64.encode(content).into_bytes();
    digits.chunks(width).map(|row| format!("{}\n", str::from_utf8(row).expect("ASCII"))).collect()
}

/// Encoded files are also read in text that is no message: articles that a news reader saved with a line before the
/// header, records of a connection to a server, and lists of files. Also if other text is long, and in archives.
#[test]
fn encoded_files_in_text_files_are_read() {
    let mut random = Random(3);
    let binary: Vec<u8> = (0..900).map(|_| random.below(256) as u8).collect();
    let words = "The archive of the list has many long and plain lines such as this.\n";
    let text = format!("{}See http://in.example/ there.\n", words.repeat(3));
    let uuencoded = uuencode("a.txt", text.as_bytes(), '`');
    let pgp = format!("-----BEGIN PGP MESSAGE-----\n\n{}-----END PGP MESSAGE-----\n", rows(&binary, 64));
    let table = [
        (uuencoded, None),
        (rows(text.as_bytes(), 76), None),
        (rows(text.as_bytes(), 60), None),
        (rows(b"For more, see http://in.example/ in the archive of the list.\n", 76), None),
        (pgp, Some("an encrypted part")),
    ];
    for (file, what) in &table {
        for before in ["Article 12 of comp.misc:\nFrom: a@b.example\nSubject: x\n\n", "intro\n", &words.repeat(4000)] {
            for after in ["", "\nhttp://after.example/\n"] {
                let text = format!("{before}\n{file}{after}");
                for file in [text.clone().into_bytes(), gzip(text.as_bytes()), zip("a.txt", text.as_bytes())] {
                    let (mut urls, mut unsearched) = (Vec::new(), Vec::new());
                    let flow = Extractor::new().read(&*file).each(&mut |event: Event<'_>| {
                        match event {
                            Event::Hit(hit) => urls.push(hit.url().to_string()),
                            Event::Unsearched { facts, .. } => {
                                unsearched.extend(facts.iter().filter_map(|(name, value)| {
                                    let mut text = Vec::new();
                                    value.push_text(&mut text);
                                    (*name == "what").then(|| String::from_utf8(text).expect("UTF-8"))
                                }));
                            }
                            _ => {}
                        }
                        ControlFlow::Continue(())
                    });
                    assert!(flow.is_continue());
                    let mut want = if what.is_none() { vec!["http://in.example/"] } else { vec![] };
                    want.extend((!after.is_empty()).then_some("http://after.example/"));
                    assert_eq!(urls, want, "{text:.200}");
                    assert_eq!(unsearched, what.iter().copied().collect::<Vec<_>>(), "{text:.200}");
                }
            }
        }
    }
}

/// If text without a blank line is longer than the pieces in which it is read, its files are not decoded. This is
/// reported.
#[test]
fn encoded_files_in_long_text_are_reported() {
    let words = "The archive of the list has many long and plain lines such as this.\n".repeat(18_000);
    let text = format!(
        "{words}{}{words}http://after.example/\n",
        uuencode("a.txt", &b"See http://in.example/ there.\n".repeat(90), '`')
    );
    let (mut urls, mut notes) = (Vec::new(), Vec::new());
    let flow = Extractor::new().read(text.as_bytes()).each(&mut |event: Event<'_>| {
        match event {
            Event::Hit(hit) => urls.push(hit.url().to_string()),
            Event::Diagnostic { diagnostic, .. } => notes.push(diagnostic.kind()),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    assert_eq!((urls, notes), (vec!["http://after.example/".to_owned()], vec![DiagnosticKind::EncodedText]));
}

/// A part can declare text, or nothing, and have another kind of file. The text around the parts of a multipart can have
/// encoded files.
#[test]
fn files_in_text_parts_and_around_parts() {
    let text = b"See http://in.example/ there.\n".repeat(12);
    let long = rows(&text, 76);
    let pdf = [b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", &*text].concat();
    for kind in ["Content-Type: text/plain; name=a\n", ""] {
        for (content, is_read) in [(gzip(&text), true), (zip("a.txt", &text), true), (pdf.clone(), false)] {
            for encoding in ["base64", "8bit", "quoted-printable"] {
                let body = match encoding {
                    "base64" => BASE64.encode(&content).into_bytes(),
                    "8bit" => content.clone(),
                    _ => content.iter().map(|byte| format!("={byte:02X}")).collect::<String>().into_bytes(),
                };
                let head = format!(
                    "Content-Type: multipart/mixed; boundary==b\n\n--=b\n{kind}Content-Transfer-Encoding: {encoding}\n\n"
                );
                let (urls, unsearched) = search(&[head.as_bytes(), &body, b"\n--=b--\n"].concat());
                assert_eq!((urls.len(), unsearched.len()), if is_read { (12, 0) } else { (0, 1) }, "{kind} {encoding}");
            }
        }
    }
    // Text can begin like a file. The beginning of a file can be far behind soft line breaks or blank lines.
    for start in ["GIF89a is the format of ", "%PDF-1.4 is the format of ", "PK is a company, see "] {
        let (urls, unsearched) = search(format!("Content-Type: text/plain\n\n{start}http://in.example/\n").as_bytes());
        assert_eq!((urls.len(), unsearched.len()), (1, 0), "{start}");
    }
    let packed = gzip(&text);
    let quoted: String = packed.iter().map(|byte| format!("={byte:02X}")).collect();
    for (encoding, body) in
        [("quoted-printable", "=\n".repeat(1100) + &quoted), ("base64", "\n".repeat(2100) + &BASE64.encode(&packed))]
    {
        let mail = format!("Content-Type: text/plain\nContent-Transfer-Encoding: {encoding}\n\n{body}\n");
        assert_eq!(search(mail.as_bytes()).0.len(), 12, "{encoding}");
    }
    // The value of a parameter can be base64.
    let link =
        format!("<http://a.example/?url=\n{}\n&x=1>\n", BASE64.encode(b"http://b.example/page/of/the/shop?id=1234567"));
    let (urls, _) = search(format!("Content-Type: text/plain\n\n{link}").as_bytes());
    assert_eq!(urls.len(), 1, "{urls:?}");
    let parts = "--=b\n\nx\n--=b--\n";
    for body in [format!("{long}\n{parts}"), format!("{parts}\n{long}"), format!("{parts}\nhttp://in.example/\n{long}")]
    {
        let (urls, _) = search(format!("Content-Type: multipart/mixed; boundary==b\n\n{body}").as_bytes());
        assert!(urls.len() >= 12 && urls.iter().all(|url| url == "http://in.example/"), "{body}");
    }
}
