//! Tests of files in text, such as uuencode, yEnc and BinHex.

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
