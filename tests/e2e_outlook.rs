//! Tests Outlook files. The same messages must have the same hits in each kind of Outlook file, and malformed data must
//! not stop a run.

#[path = "../outlook/tests/files.rs"]
pub(crate) mod outlook;

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use cfb::CompoundFile;
use data_encoding::BASE64_MIME;
use urlspool::{Error, ErrorKind, Extractor, Hit, Input, Remedy, Sink, SkipReason};

use self::outlook::{Attached, Folders, Mail, msg, pst, tnef};
use crate::support::record::{self, Event, Search};
use crate::support::{Scratch, store};

const KINDS: [Folders; 3] = [Folders::Ansi, Folders::Unicode, Folders::Large];

/// Returns a message with plain text, HTML, an attached message, and attached files of several types. Also returns the
/// URLs that the library must find in the message, each with the section number of its part.
fn full() -> (Mail, Vec<(&'static str, &'static str)>) {
    let inner = Mail { subject: "inner", text: "Deep: http://inner.example/\r\n".into(), ..Mail::default() };
    let long =
        format!("{}<a href=\"http://html.example/?a=1&amp;b=2\">x</a>", "<p>filler, filler</p>\r\n".repeat(1500));
    let eml = b"From: a@b\r\nContent-Type: text/html\r\n\r\n<a href=\"http://eml.example/\">x</a>\r\n".to_vec();
    let inner_msg = msg(&Mail { subject: "file", text: "http://file.example/".into(), ..Mail::default() });
    let mail = Mail {
        subject: "full",
        text: "Text: http://text.example/\r\nRe: caf\u{e9} =http://plain.example/=3D\r\n".into(),
        html: long,
        attachments: vec![
            Attached::Mail(inner),
            Attached::File("a.txt", b"--=_mailpart_1_\r\nhttp://attached.example/\r\n".to_vec()),
            Attached::File("b.eml", eml),
            Attached::File("c.msg", inner_msg),
            Attached::File("d.pdf", b"%PDF-1.4 http://pdf.example/".to_vec()),
            Attached::File("e.txt", b"\0\x01 http://binary.example/".to_vec()),
        ],
        ..Mail::default()
    };
    let urls = vec![
        ("1.1", "http://text.example/"),
        ("1.1", "http://plain.example/=3D"),
        ("1.2", "http://html.example/?a=1&b=2"),
        ("2.1", "http://inner.example/"),
        ("3", "http://attached.example/"),
        ("4.1", "http://eml.example/"),
        ("5.1", "http://file.example/"),
    ];
    (mail, urls)
}

/// Returns two messages that have only an RTF body: one with links, and one with encapsulated HTML.
fn rtf() -> [(Mail, &'static str); 2] {
    let text = r#"{\rtf1\ansi See {\field{\*\fldinst{HYPERLINK "http://field.example/?a=1&b=2"}}{\fldrslt this}}.}"#;
    let html =
        r#"{\rtf1\ansi\fromhtml1 {\*\htmltag148 <a href="http://tag.example/?a=1&amp;b=2">}this{\*\htmltag156 </a>}}"#;
    [(text, "http://field.example/?a=1&b=2"), (html, "http://tag.example/?a=1&b=2")]
        .map(|(rtf, url)| (Mail { subject: "rtf", rtf: rtf.to_owned(), ..Mail::default() }, url))
}

/// Returns a mail with `bytes` as the attachment `winmail.dat`.
fn with_winmail(bytes: &[u8], media: &str) -> Vec<u8> {
    let head = "From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
                --b\r\n\r\nhello\r\n--b\r\n";
    let fields = format!("Content-Type: {media}; name=\"winmail.dat\"\r\nContent-Transfer-Encoding: base64\r\n\r\n");
    format!("{head}{fields}{}--b--\r\n", BASE64_MIME.encode(bytes)).into_bytes()
}

fn read(bytes: &[u8]) -> Vec<Hit<'static>> {
    Extractor::new().read(bytes).map(|hit| hit.expect("nothing is lost")).collect()
}

fn read_file(scratch: &Scratch, name: &str, bytes: &[u8]) -> Vec<Result<Hit<'static>, Error>> {
    Extractor::new().paths([scratch.file(name, bytes)]).collect()
}

fn parts(hits: &[Hit]) -> Vec<(String, String)> {
    hits.iter().map(|hit| (hit.part(), hit.url().as_str().to_owned())).collect()
}

fn want(urls: &[(&str, &str)], before: &str) -> Vec<(String, String)> {
    urls.iter().map(|(part, url)| (format!("{before}{part}"), (*url).to_owned())).collect()
}

#[test]
fn the_same_from_every_kind_of_file() {
    let scratch = Scratch::new("outlook");
    let (mail, urls) = full();
    let hits = read(&msg(&mail));
    assert_eq!(parts(&hits), want(&urls, ""));
    for hit in &hits {
        assert_eq!(hit.input().map(Input::format), Some("msg"));
        assert_eq!((hit.message_id(), hit.date()), (Some(&b"full@example.org"[..]), Some("2004-03-01T10:00:00Z")));
        assert!(hit.exact());
    }
    // In the mail, the Outlook message is part 2.
    for media in ["application/ms-tnef", "application/octet-stream"] {
        let bytes = with_winmail(&tnef(&mail), media);
        let hits = read(&bytes);
        assert_eq!(parts(&hits), want(&urls, "2."));
        let part = bytes.windows(4).rposition(|text| text == b"\r\n\r\n").unwrap() + 4;
        for hit in &hits {
            assert_eq!((hit.offset(), hit.exact()), (part as u64, false));
        }
    }
    let [(rtf, _), _] = rtf();
    for kind in KINDS {
        let bytes = pst(kind, &[mail.clone(), rtf.clone(), mail.clone()]);
        let hits: Vec<_> = read_file(&scratch, "mail.pst", &bytes).into_iter().map(|hit| hit.expect("a hit")).collect();
        let expected = [want(&urls, ""), want(&[("1", "http://field.example/?a=1&b=2")], ""), want(&urls, "")].concat();
        assert_eq!(parts(&hits), expected, "{kind:?}");
        let last = hits.last().unwrap();
        assert_eq!((last.member(), last.message()), (Some(&b"Archive/Inbox"[..]), Some(3)), "{kind:?}");
        assert_eq!(last.input().unwrap().format(), "pst");
    }
}

#[test]
fn a_mailbox_ends_after_its_folders() {
    let scratch = Scratch::new("outlook-ends");
    let reports = reports(&scratch.file("mail.pst", &pst(Folders::Unicode, &[full().0])));
    assert_eq!(reports.ends, [(Some(b"Archive/Inbox".to_vec()), false), (None, true)]);
}

#[test]
fn winmail_in_quoted_printable() {
    let data = tnef(&Mail { text: "Text: http://text.example/\r\n".into(), ..Mail::default() });
    let escapes: Vec<String> = data.iter().map(|byte| format!("={byte:02X}")).collect();
    let lines: Vec<String> = escapes.chunks(25).map(<[String]>::concat).collect();
    let part = format!("quoted-printable\r\n\r\n{}\r\n", lines.join("=\r\n"));
    let mail = String::from_utf8(with_winmail(b"", "application/ms-tnef")).unwrap().replace("base64\r\n\r\n", &part);
    assert_eq!(parts(&read(mail.as_bytes())), want(&[("2.1", "http://text.example/")], ""));
}

#[test]
fn links_in_rtf() {
    for (mail, url) in rtf() {
        let hits = read(&msg(&mail));
        assert_eq!(parts(&hits), want(&[("1", url)], ""));
        assert_eq!(hits[0].attribute(), Some("href"));
        assert_eq!(parts(&read(&with_winmail(&tnef(&mail), "application/ms-tnef"))), want(&[("2.1", url)], ""));
    }
}

#[derive(Default)]
struct Reports {
    hits: usize,
    skipped: Vec<(String, SkipReason)>,
    problems: Vec<Error>,
    notes: Vec<String>,
    /// The folder or member of each input that ended, and whether the input is an archive.
    ends: Vec<(Option<Vec<u8>>, bool)>,
}

impl Sink for Reports {
    fn event(&mut self, event: urlspool::Event<'_>) -> ControlFlow<()> {
        match event {
            urlspool::Event::Hit(_) => self.hits += 1,
            urlspool::Event::Skipped { path, why } => {
                self.skipped.push((path.file_name().unwrap().to_string_lossy().into_owned(), why));
            }
            urlspool::Event::Error(error) => self.problems.push(error.clone()),
            urlspool::Event::Diagnostic { diagnostic, .. } => self.notes.push(diagnostic.kind().as_str().to_owned()),
            urlspool::Event::End(file) => {
                self.ends.push((file.member().map(<[u8]>::to_vec), file.format() == "archive"));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn reports(path: &Path) -> Reports {
    let mut reports = Reports::default();
    let _ = Extractor::new().paths([path]).each(&mut reports);
    reports
}

/// Returns an OLE compound file with one stream, whose name is `stream`.
fn ole(stream: &str) -> Vec<u8> {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream(stream).unwrap();
    file.into_inner().into_inner()
}

#[test]
fn documents_are_skipped() {
    let scratch = Scratch::new("documents");
    let (content, part) =
        (("[Content_Types].xml".to_owned(), b"http://x.example/".to_vec()), b"http://y.example/".to_vec());
    let files = [
        ("a.doc", ole("WordDocument")),
        ("b.xls", ole("Workbook")),
        ("c.ppt", ole("PowerPoint Document")),
        ("c2.db", ole("Catalog")),
        ("d.docx", store::zip(&[content.clone(), ("word/document.xml".to_owned(), part.clone())], false)),
        ("e.xlsx", store::zip(&[content, ("xl/workbook.xml".to_owned(), part.clone())], false)),
        ("f.odt", store::zip_member("mimetype", 0, b"application/vnd.oasis.opendocument.text")),
        ("g.zip", store::zip(&[("x.doc".to_owned(), ole("WordDocument")), ("y.txt".to_owned(), part)], false)),
    ];
    for (name, bytes) in &files {
        scratch.file(name, bytes);
    }
    let reports = reports(scratch.path());
    let names: Vec<_> = reports.skipped.iter().map(|(name, why)| (name.as_str(), *why)).collect();
    let names_of = ["a.doc", "b.xls", "c.ppt", "c2.db", "d.docx", "e.xlsx", "f.odt", "g.zip!x.doc"];
    assert_eq!(names, names_of.map(|name| (name, SkipReason::Document)));
    assert_eq!((reports.hits, reports.problems.len()), (1, 0));
}

#[test]
fn what_is_not_read() {
    let scratch = Scratch::new("outlook-unread");
    let folders = pst(Folders::Unicode, &[full().0]);
    let zip = store::zip(&[("mail.pst".to_owned(), folders.clone())], false);
    let table = [
        ("damaged.msg", ole("1")[..600].to_vec(), ErrorKind::Incomplete),
        ("mail.zip", zip, ErrorKind::Unsupported),
        ("other.pst", b"!BDN and something else".to_vec(), ErrorKind::Incomplete),
    ];
    for (name, bytes, kind) in table {
        let reports = reports(&scratch.file(name, &bytes));
        let kinds: Vec<_> = reports.problems.iter().map(Error::kind).collect();
        assert_eq!((reports.hits, kinds), (0, vec![kind]), "{name}");
    }
    // A `.pst` file needs random access, so the library cannot read it from a pipe.
    let error = Extractor::new().read(&folders[..]).next().unwrap().unwrap_err();
    assert!(matches!(error.remedy(), Some(Remedy::Convert("readpst"))), "{error}");
}

/// An archive is listed as an archive, even if its first member is an Outlook message. The folders in an Outlook mailbox
/// are its members, but the mailbox is not an archive.
#[cfg(feature = "tasks")]
#[test]
fn the_formats_of_listed_files() {
    let scratch = Scratch::new("outlook-listed");
    let mail = full().0;
    let members = [("a.msg".to_owned(), msg(&mail))];
    let table = [
        ("a.msg", msg(&mail), "msg"),
        ("a.pst", pst(Folders::Unicode, &[mail]), "pst"),
        ("a.tar", store::tar(&members), "archive"),
        ("a.zip", store::zip(&members, false), "archive"),
    ];
    for (name, bytes, format) in table {
        let files: Vec<_> = Extractor::new().paths([scratch.file(name, &bytes)]).files().map(Result::unwrap).collect();
        let formats: Vec<_> = files.iter().map(|file| file.format).collect();
        assert_eq!(formats, [Some(format)], "{name}");
    }
}

/// In a malformed file, only the hits in the malformed data are lost. The malformed data is reported once.
#[test]
fn what_is_left_of_a_damaged_file() {
    let scratch = Scratch::new("outlook-damage");
    let mail = Mail {
        subject: "x",
        text: format!("http://first.example/ {}", "filler ".repeat(2000)),
        html: format!("{} http://last.example/", "filler ".repeat(20_000)),
        ..Mail::default()
    };
    let whole = msg(&mail);
    let cut = reports(&scratch.file("cut.msg", &whole[..whole.len() - 40_000]));
    assert_eq!((cut.hits, cut.problems.len()), (1, 1));
    assert!(
        cut.problems[0]
            .to_string()
            .ends_with("the Outlook file is damaged or over a limit; it was read as far as possible")
    );
    for kind in KINDS {
        let mails = vec![mail.clone(); 12];
        let mut bytes = pst(kind, &mails);
        // The test damages the second page of the node tree. This page lists five messages and no folder.
        let (length, trailer) = if kind == Folders::Large { (4096, 4072) } else { (512, 500) };
        let trailer = if kind == Folders::Unicode { 496 } else { trailer };
        let pages = |at: &usize| bytes[at + trailer..].starts_with(&[0x81, 0x81]);
        let page = (0..bytes.len() / length).map(|i| i * length).filter(pages).nth(1).unwrap();
        bytes[page + trailer] = 0;
        let path = scratch.file("damaged.pst", &bytes);
        let damaged = reports(&path);
        assert_eq!((damaged.hits, damaged.problems.len()), (14, 1), "{kind:?}");
        // A folder has no members. The damage is reported at the same offset as if the folder is searched.
        let unknown = reports(Path::new(&format!("{}!Archive/Inbox!x", path.display())));
        assert_eq!(unknown.problems[0].diagnostic(), damaged.problems[0].diagnostic(), "{kind:?}");
    }
    let winmail = with_winmail(&tnef(&mail)[..20_000], "application/ms-tnef");
    let cut = reports(&scratch.file("winmail.eml", &winmail));
    assert_eq!((cut.hits, cut.problems.len(), cut.notes), (1, 0, vec!["bad-tnef".to_owned()]));
}

/// Tests that the report of a damaged message in `winmail.dat` states where the encoded `winmail.dat` begins.
#[test]
fn damage_in_winmail() {
    let damaged = b"From: a@b\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA*AAA\r\n".to_vec();
    let mail = Mail { subject: "x", attachments: vec![Attached::File("b.eml", damaged)], ..Mail::default() };
    let bytes = with_winmail(&tnef(&mail), "application/ms-tnef");
    let part = bytes.windows(4).rposition(|text| text == b"\r\n\r\n").unwrap() + 4;
    let events = record::read(&Search::new(), Cursor::new(bytes), "mail");
    let notes: Vec<_> = events.into_iter().filter(|event| matches!(event, Event::Diagnostic { .. })).collect();
    let want = Event::Diagnostic { file: Some("mail".into()), offset: part as u64, name: "broken-base64" };
    assert_eq!(notes, [want]);
}
