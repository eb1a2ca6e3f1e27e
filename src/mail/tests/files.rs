//! Tests of files in text, such as uuencode, yEnc and BinHex.

use super::super::Member;
use super::super::attachment::role;
use super::super::content::{Reading, Role};
use super::super::transfer::UNPACKED_MAX;
use super::prose::found;
use super::uuencode::uuencode;
use super::*;

/// A file in yEnc is read, and one in BinHex is reported, alone and between other text.
#[test]
fn files_in_yenc_and_binhex() {
    let yenc = |content: &[u8], last: &str| {
        let first = format!("=ybegin line=128 size={} name=a\r\n", content.len());
        let rows = content.chunks(128).map(|row| {
            // None of the bytes is critical.
            let row: Vec<u8> = row.iter().map(|byte| byte.wrapping_add(42)).collect();
            [&row[..], b"\r\n"].concat()
        });
        [first.into_bytes(), rows.collect::<Vec<_>>().concat(), last.into()].concat()
    };
    let binary = b"\x89PNG\0\x01\xd8\xd9 pixels ".repeat(320);
    let text = b"http://in.example/ and more of the words that are in the file,\r".repeat(80);
    let binhex = |count: usize| {
        let rows = "$f*TEQKPH#dG@CcF\"'*!!".repeat(3 * count).into_bytes();
        [b"(This file must be converted with BinHex 4.0)\n\n:", &rows[..], b":\n"].concat()
    };
    let end = |size: usize| format!("=yend size={size} crc32=00c0ffee\r\n");
    let inner = yenc(&text, &end(text.len()));
    let prose = "The archive of the list has many long and plain lines such as this.\n".repeat(20);
    for (file, is_whole) in [
        (yenc(&binary[..128], &end(128)), true),
        (yenc(&binary, &end(binary.len())), true),
        (yenc(&binary, "\r\n"), false),
        (yenc(&text, &end(text.len())), true),
        (yenc(&text, &end(9)), false),
        // A file in a file.
        (yenc(&inner, &end(inner.len())), true),
        (binhex(2), true),
        (binhex(90), true),
    ] {
        for (before, after) in [("", ""), (&*prose, ""), ("", "--\nAnn\n"), (&*prose, &*prose)] {
            let message = [b"X: y\n\n", before.as_bytes(), &file, after.as_bytes()].concat();
            let (seen, notes) = walk_with(&message, &Limits::default(), &|_| None);
            let is_short = file.len() < 500 && !after.is_empty();
            let is_read = |seen: &Seen| seen.kind == "attachment" || seen.text.starts_with(b"http://in.example/");
            let message = String::from_utf8_lossy(&message);
            let found = seen.iter().any(is_read);
            assert!(found || is_short || !is_whole && !message.contains("=yend "), "{message}");
            assert!(notes.is_empty() == (is_whole || !found), "{notes:?} {message}");
        }
    }
    // The colon belongs to the file.
    let message = [b"X: y\n\n", &binhex(90)[..], b"--\nAnn\n"].concat();
    assert_eq!(scanned(&walk(&message).0)[1..], ["1|text|\\n--\\nAnn\\n"]);
    for binhex in ["FILE://HIDDEN.EXAMPLE/", &format!("$f*TEQKPH#dG@CcF\"'*!!{}HTTP://HIDDEN.EXAMPLE/", "A".repeat(60))]
    {
        let message = format!("X: y\n\n(This file must be converted with BinHex 4.0)\n:{binhex}\n");
        assert!(walk(message.as_bytes()).0.iter().all(|seen| seen.kind != "attachment"), "{message}");
    }
}

/// A part that is declared as text can be a known kind of file.
#[test]
fn files_in_base64_that_are_declared_as_text() {
    for (media, content, want) in [
        ("text/plain", &b"\x89PNG\r\n\x1A\n"[..], "attachment"),
        ("text/html", b"%PDF-1.7\n", "attachment"),
        ("text/html", b"<html>", "html"),
        ("text/plain; charset=utf-16le", b"h\0i\0", "text"),
    ] {
        let body = data_encoding::BASE64.encode(content);
        let message = format!("Content-Type: {media}\nContent-Transfer-Encoding: base64\n\n{body}\n");
        assert_eq!(walk(message.as_bytes()).0.last().map(|seen| seen.kind.as_str()), Some(want), "{message}");
    }
}

/// A file between other text is found if a row is long enough, compared with the text.
#[test]
fn files_in_the_middle_of_text() {
    let prose = "The archive of the list has many long and plain lines such as this.\n";
    let row = "M:'1T<#HO+V$N97AA;7!L92\\@:'1T<#HO+V$N97AA;7!L92\\@:'1T<#HO+V$N\n";
    // Some programs write a blank in place of a grave accent.
    let spaced = "M:'1T<#HO+V$N97AA;7!L92\\@,3(@(\" @,S0U(\" @-B @(\" @-S@@(\" @.2 @\n";
    for (before, row, rows, is_found) in
        [(1, row, 1, true), (2, row, 2, true), (30, row, 20, true), (30, spaced, 20, true), (1, row, 0, false)]
    {
        let text = prose.repeat(before);
        let message = format!("X: y\n\n{text}begin 644 x.txt\n{}`\nend\n{text}", row.repeat(rows));
        let (seen, _) = walk(message.as_bytes());
        let files = seen.iter().filter(|seen| seen.text.starts_with(b"http://a.example/ ")).count();
        assert_eq!(files > 0, is_found, "{message}");
        // Without the line `begin`, two rows show a file.
        for rest in [message.replace("begin 644 x.txt\n", ""), message.replace("\nM", "\n> M")] {
            let files = walk(rest.as_bytes()).0.into_iter().filter(|seen| seen.text.starts_with(b"http://a.example/ "));
            assert_eq!(files.count() > 0, rows > 1, "{rest}");
        }
        let (_, notes) = walk(message.replace("end\n", "").as_bytes());
        assert_eq!(notes, if is_found { &[DiagnosticKind::BrokenEncodedFile][..] } else { &[] }, "{message}");
    }
}

/// A file or a message in such text is as uncertain as the text.
#[test]
fn files_in_undeclared_quoted_printable() {
    let row = "M=3D&5L;',@86QL.B!H=3D'1P.B\\O82YE>&%M<&QE+R!T96QL<R!A;&P@=3D&AE<F4*\n";
    let line = format!("{:x<75}=\n", "see http://example.org/?a=3Db").repeat(2);
    let json = format!(
        "{{\"x\":\"http://example.org/?a=3Db\",\"rawEmail\":\"Subject: y\\nContent-Type: te=\nxt/plain\\n\
         Content-Transfer-Encoding: base64\\n\\n{}=\n{}\\n\"}}\n",
        "dGVsbHMgYWxsOiBodHRwOi8vYS5l", "eGFtcGxlLyB0aGVyZQo=3D"
    );
    for message in [
        format!("X: y\n\n{line}the end\nbegin 644 x.txt\n{}`\nend\nthe end\n", row.repeat(6)),
        format!("Content-Type: application/json\n\n{json}"),
    ] {
        let (seen, notes) = walk(message.as_bytes());
        assert_eq!(notes, [DiagnosticKind::UndeclaredQuoted], "{message}");
        let inner = seen.iter().find(|seen| seen.text.starts_with(b"tells all: http://a.example/ "));
        assert!(inner.is_some_and(|inner| inner.recovered), "{message}");
    }
}

/// Attachments are read by their first bytes, their names and their types.
#[test]
fn kinds_of_attachments() {
    let text = || Role::Text(Reading::default());
    let folded = || Role::Text(Reading { folded: true, ..Reading::default() });
    let html = || Role::Html(Reading::default());
    let mail = "Received: from a\nFrom: ann@a.example\nSubject: x\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\nHi\n";
    let news = format!("Path: a!b\nNewsgroups: misc.test\n{mail}");
    let mbox = format!("From ann@a.example Mon Jan  1 00:00:00 2001\n{mail}");
    for (media, name, head, want) in [
        ("application/octet-stream", "a.txt", "See http://a.example/\n", text()),
        ("application/octet-stream", "a", "", text()),
        ("application/octet-stream", "a.log", "\tCaf\u{e9} \u{1b}[31m\u{8}\u{c}\u{f}\r\n\0\0\0", text()),
        ("application/octet-stream", "a.bin", "abc\u{1}def", Role::Skipped("a binary file")),
        ("application/octet-stream", "a.bin", "abc\0def", Role::Skipped("a binary file")),
        ("application/octet-stream", "a.bin", "abc\u{b}def", Role::Skipped("a binary file")),
        ("application/octet-stream", "a.bin", "abc\u{10}def", Role::Skipped("a binary file")),
        ("application/octet-stream", "a.bin", "abc\u{1a}def", Role::Skipped("a binary file")),
        ("application/octet-stream", "a.bin", "abc\u{1f}def", Role::Skipped("a binary file")),
        ("application/pdf", "a.txt", "%PDF-1.4\n", Role::Skipped("a PDF document")),
        ("application/octet-stream", "a.HTM", "See http://a.example/\n", html()),
        ("application/octet-stream", "a.html.txt", "See http://a.example/\n", text()),
        ("application/octet-stream", "a", "<!DOCTYPE html>\n<p>x\n", html()),
        ("image/svg+xml", "a", "<svg xmlns=\"http://www.w3.org/2000/svg\">", html()),
        ("application/octet-stream", "a.ICS", "BEGIN:VCALENDAR\r\n", folded()),
        ("application/octet-stream", "ann.vcf", "BEGIN:VCARD\r\n", folded()),
        ("application/octet-stream", "a", "BEGIN:VCARD\r\nFN:Ann\r\n", folded()),
        (
            "application/json",
            "a",
            "{\"a\": \"http://a.example/\"}\n",
            Role::Text(Reading { json: true, ..Reading::default() }),
        ),
        ("application/octet-stream", "a.eml", mail, Role::Message),
        ("application/octet-stream", "a", &news, Role::Message),
        ("application/octet-stream", "a.mbox", &mbox, Role::Packed),
        ("application/octet-stream", "a.asc", "\n-----BEGIN PGP SIGNATURE-----\n", Role::Skipped("a signature")),
        ("application/octet-stream", "a.asc", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n", Role::Skipped("a key")),
        (
            "application/octet-stream",
            "a.hqx",
            "(This file must be converted with BinHex 4.0)\n",
            Role::Skipped("a file in BinHex"),
        ),
    ] {
        if cfg!(not(feature = "compression")) && want == Role::Packed {
            continue;
        }
        assert_eq!(role(media.as_bytes(), name.as_bytes(), head.as_bytes()), want, "{media}, {name}: {head}");
    }
    #[cfg(feature = "outlook")]
    for (media, name) in [("application/ms-tnef", "a"), ("application/octet-stream", "WinMail.dat")] {
        assert_eq!(role(media.as_bytes(), name.as_bytes(), b"x"), Role::Tnef, "{media}, {name}");
    }
    for head in [b"\xFF\xFEh\0i\0".as_slice(), b"\xFE\xFF\0h\0i", b"\xFF\xFE\0\0h\0\0\0"] {
        assert!(matches!(role(b"", b"a.txt", head), Role::Text(_)), "{}", head.escape_ascii());
    }
}

/// The sizes of all attachments in a message count, and the limit is exact.
#[cfg(feature = "compression")]
#[test]
fn many_files_of_medium_size_are_over_the_limit() {
    for (sizes, is_over) in [
        (&[UNPACKED_MAX][..], &[false][..]),
        (&[UNPACKED_MAX + 1], &[true]),
        (&[UNPACKED_MAX / 2, UNPACKED_MAX / 2], &[false, false]),
        (&[UNPACKED_MAX / 2, UNPACKED_MAX / 2 + 1], &[false, true]),
        (&[9, UNPACKED_MAX - 20, 10, 9], &[false, false, false, true]),
    ] {
        let mut message = b"Content-Type: multipart/mixed; boundary=b\n".to_vec();
        for size in sizes {
            message.extend(b"\n--b\nContent-Type: application/zip\n\nPK\x03\x04");
            message.resize(message.len() + size - 4, b'x');
        }
        message.extend(b"\n--b--\n");
        let (all, _) = found(&message, Limits::default());
        let what = "data over the limit of 64 MiB for the attachments of a message";
        let size = |(size, is_over): (&usize, &bool)| {
            is_over.then(|| (Some("application/zip".to_owned()), what, size.to_string()))
        };
        let want: Vec<_> = sizes.iter().zip(is_over).filter_map(size).collect();
        assert_eq!(all, want, "{sizes:?}");
    }
}

/// Each member of an archive counts as a part. After the last one, the rest of the archive is one region.
#[cfg(feature = "compression")]
#[test]
fn archives_with_too_many_members() {
    let zip = b"PK\x03\x04 members";
    let base64 = data_encoding::BASE64.encode(zip);
    let message = format!(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/zip; name=a.zip\n\
         Content-Transfer-Encoding: base64\n\n{base64}\n--b\n\nSee http://after.example/\n--b--\n"
    );
    let unpack = |_: &[u8], visit: &mut dyn FnMut(&[u8], Member<'_>) -> ControlFlow<()>| {
        for name in ["a", "b", "c", "d", "e"] {
            visit(name.as_bytes(), Member::File(format!("See http://{name}.example/").as_bytes(), false))?;
        }
        visit(b"f", Member::Skipped("a picture", 12))?;
        visit(b"", Member::Message(b"Subject: x\n\nSee http://g.example/\n", true))
    };
    for parts in 1..12 {
        let (mut all, mut notes) = (Vec::new(), Vec::new());
        let mut visit = |region: &Region<'_>| {
            if region.part.attachment().is_some() {
                let name = String::from_utf8_lossy(region.part.attachment().unwrap_or_default()).into_owned();
                let what = match region.kind {
                    Kind::Skipped(Skip::Attachment(what, size)) => format!("{what} {size}"),
                    _ => format!("{} {}", name_of(region), String::from_utf8_lossy(region.text)),
                };
                all.push(format!("{name}: {what}"));
            } else if region.text.starts_with(b"See") {
                all.push("after".to_owned());
            }
            ControlFlow::Continue(())
        };
        let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"://");
        let prefilter = Prefilter::new(None, &find).unpacking(unpack);
        let limits = Limits { parts, ..Limits::default() };
        let scratch = &mut Scratch { limits, ..Scratch::default() };
        let flow = regions(
            "",
            message.as_bytes(),
            scratch,
            prefilter,
            &mut (&mut visit, |note: Diagnostic| notes.push(note.kind)),
        );
        assert!(flow.is_continue());
        let mut want: Vec<_> =
            ["a", "b", "c", "d", "e"].map(|name| format!("a.zip!{name}: text See http://{name}.example/")).into();
        want.extend(["a.zip!f: a picture 12".to_owned(), "a.zip: headers ".to_owned()]);
        // The part with the archive is a part, too. So is the part after it.
        let members = parts - 1;
        if members < 7 {
            let name = ["a.zip!a", "a.zip!b", "a.zip!c", "a.zip!d", "a.zip!e", "a.zip!f", "a.zip"][members];
            want.truncate(members);
            want.push(format!("{name}: the rest of an archive with too many members {}", zip.len()));
        } else {
            want[6] = "a.zip: headers 0".to_owned();
            want.push("a.zip: text See http://g.example/\n".to_owned());
        }
        all.retain(|one| one != "after");
        all.iter_mut().filter(|one| **one == "a.zip: headers ").for_each(|one| one.push('0'));
        assert_eq!(all, want, "{parts}");
        assert_eq!(notes.first(), (parts < 9).then_some(&DiagnosticKind::Parts), "{parts}");
    }
}

fn name_of(region: &Region<'_>) -> String {
    name(&region.kind)
}

/// Messages in files in messages. Each message is a level.
#[test]
fn attachments_are_nested_to_a_limit() {
    let mail = "Received: from a\nFrom: ann@a.example\nSubject: x\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\n";
    let url = "See http://a.example/\n";
    let mut message = format!("{mail}{url}");
    for depth in 1..5 {
        message = format!("{mail}{}", uuencode("a.eml", message.as_bytes(), '`'));
        let (all, notes) = found(message.as_bytes(), Limits { depth, ..Limits::default() });
        assert_eq!(notes, [], "{depth}");
        assert!(all.iter().any(|(_, kind, text)| (*kind, &**text) == ("text", url)), "{all:?}");
        let (all, notes) = found(message.as_bytes(), Limits { depth: depth - 1, ..Limits::default() });
        assert_eq!(notes, [DiagnosticKind::Depth], "{depth}");
        let size = mail.len() + url.len();
        let last = (Some("a.eml".to_owned()), "a part that is nested too deeply", size.to_string());
        assert_eq!(all.last(), Some(&last), "{depth}");
    }
}

/// A signature without the signed text is no message.
#[test]
fn signed_data_with_and_without_content() {
    fn element(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = content.len();
        assert!(length < 128);
        [&[tag, length as u8], content].concat()
    }
    for (content, want) in [("", "a signature"), ("Subject: x\n\nhttp://a.example/\n", "text")] {
        let oid = |last: u8| element(6, &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, last]);
        let string = element(0xA0, &element(4, content.as_bytes()));
        let inner = element(0x30, &[oid(1), if content.is_empty() { vec![] } else { string }].concat());
        let body = element(0x30, &[vec![2, 1, 1, 0x31, 0], inner, vec![0x31, 0]].concat());
        let data = element(0x30, &[oid(2), element(0xA0, &body)].concat());
        let message = format!(
            "Content-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n\n{}\n",
            data_encoding::BASE64.encode(&data)
        );
        let (all, _) = found(message.as_bytes(), Limits::default());
        let kinds: Vec<_> = all.iter().map(|(_, kind, _)| *kind).collect();
        assert_eq!(kinds, [want], "{message}");
    }
}

/// Eudora writes HTML between these tags.
#[test]
fn html_of_eudora() {
    let html = "<x-html>\n<a href=\"http://a.example/?b&amp;c\">d</a>\n</x-html>\n";
    for (media, body, kind) in [
        ("text/plain", html.to_owned(), "html"),
        ("text/html", html.to_owned(), "html"),
        ("text/html", "<p>x</p>\n".to_owned(), "html"),
        ("text/plain", format!("See\n{html}"), "text"),
    ] {
        let (seen, _) = walk(format!("Content-Type: {media}\n\n{body}").as_bytes());
        assert_eq!(seen.last().map(|seen| (&*seen.kind, &*seen.text)), Some((kind, body.as_bytes())));
    }
}

/// Short data in JSON is a name, a number or a signature, and stays text.
#[test]
fn short_data_in_json_is_text() {
    let picture =
        |size: usize| data_encoding::BASE64.encode(&[&b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"[..], &vec![7; size]].concat());
    let text = data_encoding::BASE64.encode(b"See http://in.example/ for more.");
    for (data, kinds) in [
        (picture(100), vec!["text"]),
        (picture(1007), vec!["text"]),
        (picture(1008), vec!["text", "attachment", "text"]),
        (picture(5000), vec!["text", "attachment", "text"]),
        (text, vec!["text", "text", "text"]),
        (data_encoding::BASE64.encode(b"a text without a URL"), vec!["text"]),
    ] {
        let message =
            format!("Content-Type: application/json\n\n{{\"data\":\"{data}\",\"url\":\"http://a.example/\"}}\n");
        let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"://");
        let (seen, _) = walk_with(message.as_bytes(), &Limits::default(), &find);
        let found: Vec<_> = seen.iter().map(|seen| &*seen.kind).filter(|kind| *kind != "headers").collect();
        assert_eq!(found, kinds, "{}", data.len());
    }
    // A long identifier decodes to bytes that are no text.
    let identifier = data_encoding::BASE64.encode(&(0x61..=0xFC).collect::<Vec<u8>>());
    let (seen, _) = walk(format!("Content-Type: application/json\n\n{{\"id\":\"{identifier}\"}}\n").as_bytes());
    assert_eq!(seen.iter().filter(|seen| seen.kind == "text").count(), 1, "{identifier}");
}

/// The attachments and pictures in calendars and vCards (RFC 5545, section 3.8.1.1; RFC 6350, section 6.2.4).
#[test]
fn files_in_calendars_and_cards_are_read_or_reported() {
    let html = data_encoding::BASE64.encode("<p>a text</p>\n<a href='http://in.example/'>".repeat(3).as_bytes());
    let picture = data_encoding::BASE64.encode(&[&b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"[..], &[7; 2000]].concat());
    for (property, data, kind) in [
        ("ATTACH;FMTTYPE=text/html;ENCODING=BASE64;VALUE=BINARY", &html, "html"),
        ("ATTACH;FMTTYPE=image/png;encoding=base64;VALUE=BINARY", &picture, "attachment"),
        ("PHOTO;ENCODING=b;TYPE=PNG", &picture, "attachment"),
        ("PHOTO;PNG;BASE64", &picture, "attachment"),
        ("ATTACH;X-NAME=\"a;b:c\";ENCODING=\"BASE64\"", &html, "html"),
        ("X-NAME;ENCODING=8BIT", &picture, "text"),
    ] {
        for media in ["calendar", "plain"] {
            let card =
                format!("BEGIN:VCALENDAR\r\nURL:http://a.example/\r\n{property}:{data}\r\nURL:http://b.example/\r\n");
            let folded: Vec<_> = card.split_inclusive('\n').flat_map(|line| line.as_bytes().chunks(70)).collect();
            let folded = folded.iter().map(|row| String::from_utf8_lossy(row)).collect::<Vec<_>>().join("\r\n ");
            let folded = folded.replace("\n\r\n ", "\n");
            let message = format!("Content-Type: text/{media}\n\n{folded}");
            let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"://");
            let (seen, _) = walk_with(message.as_bytes(), &Limits::default(), &find);
            let found: Vec<_> = seen.iter().filter(|seen| seen.kind != "headers").collect();
            let kinds: Vec<_> = found.iter().map(|seen| &*seen.kind).collect();
            assert_eq!(kinds, if kind == "text" { vec![kind] } else { vec!["text", kind, "text"] }, "{message:.300}");
            let text: Vec<u8> = found.iter().flat_map(|seen| seen.text.clone()).collect();
            let has = |url: &str| memchr::memmem::find(&text, url.as_bytes()).is_some();
            assert!(has("http://a.example/") && has("http://b.example/"), "{property}");
            assert_eq!(has("http://in.example/"), kind == "html", "{property}");
        }
    }
}
