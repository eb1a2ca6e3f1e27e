//! Tests the regions of example messages.

use super::*;

#[track_caller]
fn noted(message: &str, kind: DiagnosticKind) {
    let (_, notes) = walk(message.as_bytes());
    assert!(notes.contains(&kind), "{notes:?}");
}

#[test]
fn plain_text_is_one_region_borrowed() {
    check("Subject: x\n\nhello\nworld\n", &["1|text|hello\\nworld\\n"]);
    check("Subject: x\nContent-Type: text/plain; charset=\"us-ascii\"\n\nhello\n", &["1|text|hello\\n"]);
    check("Subject: x\nCONTENT-TYPE: text/html\n\n<p>\n", &["1|html|<p>\\n"]);
}

#[test]
fn a_message_may_lack_headers_or_body() {
    assert_eq!(walk(b"").0, []);
    check("Subject: x\n", &[]);
    check("Subject: x\n\n", &[]);
    check("\nbody\n", &["1|text|body\\n"]);
    assert_eq!(body("Subject: x"), [""; 0]);
    assert_eq!(body("\n"), [""; 0]);
}

const MIXED: &str = "Content-Type: multipart/mixed; boundary=\"b\"\n\npreamble\n--b\n\none\n--b  \nContent-Type: text/html\n\n\
    two\n--b\nContent-Type: image/png\n\nthree\n--b--\nepilogue\n";

#[test]
fn multipart_with_preamble_and_epilogue() {
    check(MIXED, &["|raw|preamble", "1|text|one", "2|html|two", "|raw|epilogue\\n"]);
    let (seen, notes) = walk(MIXED.as_bytes());
    assert_eq!(notes, []);
    let attachment = seen.iter().find(|seen| seen.kind == "attachment").expect("the image");
    assert_eq!((attachment.part.as_str(), &MIXED[attachment.raw.clone()]), ("3", "three"));
}

#[test]
fn boundary_that_begins_another() {
    check(
        "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=ab\n\n--ab\n\n\
         inner\n--ab--\n--a\n\nouter\n--abc\n--a--\n",
        &["1.1|text|inner", "2|text|outer\\n--abc"],
    );
}

#[test]
fn outer_boundary_closes_the_inner() {
    let message = "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n\
         inner\n--a\n\nouter\n--a--\n";
    check(message, &["1.1|text|inner", "2|text|outer"]);
    noted(message, DiagnosticKind::Unclosed);
}

#[test]
fn boundary_absent_or_not_declared() {
    for declared in ["; boundary=x", ""] {
        let message = format!("Content-Type: multipart/mixed{declared}\n\nno boundary\nhere\n");
        check(&message, &["1|text|no boundary\\nhere\\n"]);
        noted(&message, DiagnosticKind::NoBoundary);
    }
}

#[test]
fn multiparts_that_never_close_end_with_the_message() {
    let message = "Content-Type: multipart/mixed; boundary=x\n\n--x\n\none\n--x\n\ntwo\n";
    check(message, &["1|text|one", "2|text|two\\n"]);
    noted(message, DiagnosticKind::Unclosed);
}

#[test]
fn messages_within() {
    check(
        "Content-Type: message/rfc822\n\nSubject: in\nContent-Type: multipart/mixed; boundary=q\n\n--q\n\nx\n--q\n\
         Content-Type: message/rfc822\n\nTo: y\n\nz\n--q--\n",
        &["1.1|text|x", "1.2.1|text|z"],
    );
    check("Content-Type: multipart/digest; boundary=d\n\n--d\n\nTo: y\n\nz\n--d--\n", &["1.1|text|z"]);
    check("Content-Type: message/partial; number=2; total=2; id=x\n\nhttp: y\n", &["1|text|http: y\\n"]);
    check("Content-Type: message/partial; number=1; total=2; id=x\n\nTo: y\n\nz\n", &["1.1|text|z\\n"]);
    check("Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n", &["1|text|Reporting-MTA: dns; x\\n"]);
}

#[test]
fn message_within_an_encoded_part() {
    // The base64 data is `To: y`, a blank line, and `see http://example.org/`. A line break is inside the URL.
    let message = "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n\
        VG86IHkKCnNlZSBodHRwOi8v\nZXhhbXBsZS5vcmcv\n";
    let (seen, notes) = walk(message.as_bytes());
    assert_eq!(scanned(&seen)[2..], ["1|To| y", "1.1|text|see http://example.org/"]);
    assert_eq!(notes, []);
    let quoted = "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n\
        To: y\nContent-Transfer-Encoding: quoted-printable\n\na=3D3D=\nb\n";
    check(quoted, &["1.1|text|a=b\\n"]);
}

#[test]
fn text_after_an_encoded_message_is_visited() {
    // The base64 data is `To: y`, a blank line, and `see http://example.org/`.
    let message = "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n\
        VG86IHkKCnNlZSBodHRwOi8vZXhhbXBsZS5vcmcv\n-- \nhttp://footer.example/\n";
    check(message, &["1.1|text|see http://example.org/", "1|raw|-- \\nhttp://footer.example/\\n"]);
    assert_eq!(walk(message.as_bytes()).1, [DiagnosticKind::BrokenBase64]);
    let file = "Content-Type: message/rfc822\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 x\n";
    assert_eq!(walk(file.as_bytes()).0.last().map(|seen| seen.kind.as_str()), Some("attachment"));
}

#[test]
fn an_empty_encoded_message_is_not_damaged() {
    for (encoding, body) in [("quoted-printable", "=\n"), ("base64", "\n"), ("base64", " \n")] {
        let message = format!("Content-Type: message/rfc822\nContent-Transfer-Encoding: {encoding}\n\n{body}");
        assert_eq!(walk(message.as_bytes()).1, [], "{message}");
    }
}

#[test]
fn errors_in_an_encoded_message_have_the_offset_of_its_part() {
    let head = "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n";
    let message = format!("{head}To: y\nContent-Transfer-Encoding: sideways\n\nx\n");
    let mut notes = Vec::new();
    let flow = regions(
        "",
        message.as_bytes(),
        &mut Scratch::default(),
        Prefilter::new(None, &|_| None),
        &mut (|_: &Region<'_>| ControlFlow::Continue(()), |note| notes.push(note)),
    );
    assert!(flow.is_continue());
    assert_eq!(notes, [Diagnostic::new(DiagnosticKind::UnknownEncoding, head.len() as u64)]);
}

#[test]
fn alternatives_after_the_first() {
    let message = "Content-Type: multipart/alternative; boundary=x\n\n--x\n\none\n--x\nContent-Type: multipart/related; \
        boundary=y\n\n--y\nContent-Type: text/html\n\ntwo\n--y--\n--x--\nafter\n";
    let (seen, _) = walk(message.as_bytes());
    let flags: Vec<_> =
        seen.iter().filter(|seen| !seen.text.is_empty()).map(|s| (s.kind.as_str(), s.alternative)).collect();
    let expected = [
        ("Content-Type", false),
        ("text", false),
        ("Content-Type", true),
        ("Content-Type", true),
        ("html", true),
        ("raw", false),
    ];
    assert_eq!(flags, expected);
}

#[test]
fn alternatives_within_the_first() {
    let encoded = "message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n\
        Content-Type: multipart/alternative; boundary=3Dy";
    for kind in ["multipart/alternative; boundary=y", encoded] {
        let message = format!(
            "Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: {kind}\n\n\
             --y\n\none\n--y\n\ntwo\n--y--\n--x\n\nthree\n--x--\n"
        );
        let (seen, _) = walk(message.as_bytes());
        let text = seen.iter().filter(|seen| seen.kind == "text");
        let flags: Vec<_> = text.map(|seen| (seen.text.as_slice(), seen.alternative)).collect();
        assert_eq!(flags, [(&b"one"[..], false), (b"two", true), (b"three", true)], "{kind}");
    }
}

#[test]
fn transfer_encoding_named_badly() {
    for name in [
        "quoted-printable ",
        "\"quoted-printable\"",
        "quoted-printable (why)",
        "(why) quoted-printable",
        "\n quoted-printable",
        "QUOTED_Printable;",
    ] {
        check(&format!("Content-Transfer-Encoding: {name}\n\na=3Db=\nc\n"), &["1|text|a=bc\\n"]);
    }
    let unknown = "Content-Transfer-Encoding: sideways\n\na=3Db\n";
    check(unknown, &["1|text|a=3Db\\n"]);
    noted(unknown, DiagnosticKind::UnknownEncoding);
    check("Content-Transfer-Encoding: x-uuencode\n\nbegin 644 x\n", &[]);
}

/// Programs that broke the line ends wrote fields of a part as continuation lines, or two fields on one line.
#[test]
fn fields_of_parts_in_odd_places() {
    let base64 = "aGVsbG8gdGhlcmUh".repeat(3);
    let hello = "hello there!".repeat(3);
    let kind = "Content-Type: text/plain";
    let encoding = "Content-Transfer-Encoding: base64";
    let multipart = "Content-Type: multipart/mixed; boundary=b";
    for message in [
        format!("{multipart}\n\n--b\n {kind}\n\t{encoding}\n\n{base64}\n--b--\n"),
        format!("{multipart}\n\n--b\n  Content-Type:\n    text/plain\n{encoding}\n\n{base64}\n--b--\n"),
    ] {
        let (seen, _) = walk(message.as_bytes());
        let found = seen.iter().any(|seen| seen.kind == "text" && seen.text == hello.as_bytes());
        assert!(found, "{message}");
    }
    check(&format!("Subject: {kind} {encoding}\n\n{base64}\n"), &[&format!("1|text|{base64}\\n")]);
    check(&format!("{encoding} Content-Type: text/html\n\n{base64}\n"), &[&format!("1|html|{hello}")]);
}

/// The first usable of several fields counts.
#[test]
fn several_transfer_encodings() {
    let field = |name: &str| format!("Content-Transfer-Encoding:{name}\n");
    for (first, second, want) in [
        (" base64", " 7bit", "hello there"),
        (" 7bit", " base64", "aGVsbG8gdGhlcmU=\\n"),
        (" odd", " base64", "hello there"),
        ("", " base64", "hello there"),
    ] {
        let message = format!("{}{}\naGVsbG8gdGhlcmU=\n", field(first), field(second));
        check(&message, &[&format!("1|text|{want}")]);
        assert_eq!(walk(message.as_bytes()).1, [], "{message}");
    }
}

#[test]
fn encrypted_text_is_skipped() {
    let prose = "The archive of the list has many long and plain lines such as this.\n".repeat(5);
    let row = format!("{}\n", "4zxW".repeat(16));
    let (begin, end) = ("-----BEGIN PGP MESSAGE-----\nVersion: 2.6\n\n", "-----END PGP MESSAGE-----\n");
    for message in [
        format!("X: y\n\n{begin}{row}{end}"),
        format!("X: y\n\n{begin}{}{end}after\n", row.repeat(4)),
        format!("X: y\n\nbefore\n{begin}{}{end}", row.repeat(4)),
        format!("X: y\n\nbefore\n{begin}{}{end}after\n", row.repeat(40)),
        format!("X: y\n\n{prose}{begin}{}{end}{prose}", row.repeat(4)),
        format!("X: y\n\n{}{begin}{}{end}{prose}", prose.repeat(20), row.repeat(20)),
    ] {
        let (seen, _) = walk(message.as_bytes());
        let sealed: Vec<_> = (0..seen.len()).filter(|&at| seen[at].kind == "attachment").collect();
        let [at] = sealed[..] else { panic!("{message}") };
        assert_eq!(message[seen[at].raw.clone()].replace(&row, ""), "");
        assert!(seen[at - 1].text.ends_with(begin.as_bytes()), "{message}");
    }
    for quote in ["> ", "\t", ">>> ", "| "] {
        let quoted = |text: &str| text.lines().map(|line| format!("{quote}{line}\n")).collect::<String>();
        for blocks in 1..3 {
            let text = quoted(&format!("{begin}{}{end}", row.repeat(40)).repeat(blocks));
            let (seen, _) = walk(format!("X: y\n\nbefore\n{text}after\n").as_bytes());
            let sealed = seen.iter().filter(|seen| seen.kind == "attachment");
            assert_eq!(
                sealed.map(|seen| seen.raw.len()).collect::<Vec<_>>(),
                vec![quoted(&row).len() * 40 + quote.len(); blocks],
                "{text}"
            );
        }
    }
    for message in [
        format!("X: y\n\n{begin}{row}"),
        format!("X: y\n\n> {begin}{row}{end}"),
        format!("X: y\n\n{begin}{row}http://a.example/\n{row}{end}"),
    ] {
        assert!(walk(message.as_bytes()).0.iter().all(|seen| seen.kind != "attachment"), "{message}");
    }
    // Each block counts, also one without a header, and one after a line that begins no block.
    let begin_only = "-----BEGIN PGP MESSAGE-----\n";
    // Each piece has a multiple of three bytes, so that it has its own digits of base64.
    let rows = row.repeat(3);
    let blocks = format!("{begin_only}x: http://abc.example/\n{begin}{rows}{end}texts\n{begin_only}{rows}{end}");
    let table = [
        ("7bit", blocks.clone()),
        ("base64", data_encoding::BASE64.encode(blocks.as_bytes())),
        ("quoted-printable", blocks.replace('=', "=3D")),
    ];
    for (encoding, body) in table {
        let (seen, _) = walk(format!("Content-Transfer-Encoding: {encoding}\n\n{body}\n").as_bytes());
        let sealed = seen.iter().filter(|seen| seen.kind == "attachment").count();
        let text: Vec<u8> = seen.iter().filter(|seen| seen.kind == "text").flat_map(|seen| seen.text.clone()).collect();
        assert_eq!(sealed, 2, "{encoding}");
        assert_eq!(String::from_utf8_lossy(&text).trim_end(), blocks.replace(&row, "").trim_end(), "{encoding}");
    }
}

/// Bounces quote messages whose fields no program reads.
#[test]
fn base64_that_no_field_declares_is_decoded() {
    let rows = |bytes: &[u8]| {
        let text = data_encoding::BASE64.encode(bytes);
        text.as_bytes().chunks(76).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>()
    };
    let body = "See http://www.archive.example/one/two/three for the article.\n".repeat(4);
    let text = rows(body.as_bytes());
    let inner = rows(format!("Subject: x\n\n{body}").as_bytes());
    let noise: Vec<u8> = (0..1200_u32).map(|number| (number * 7919 / 31) as u8 | 0x81).collect();
    let bounce = "--- Below this line is a copy of the message.\n\nSubject: x\nContent-Transfer-Encoding: base64\n\n";
    for (before, rows, after, want) in [
        ("", &text, "", "text"),
        (bounce, &text, "", "text"),
        (bounce, &text, "-- \nthe end\n", "text"),
        ("begin-base64 644 a.txt\n", &text, "====\n", "text"),
        ("", &inner, "", "text"),
        ("-----BEGIN PGP MESSAGE-----\n\n", &rows(&noise), "", "attachment"),
        ("-----BEGIN PGP SIGNATURE-----\n\n", &rows(&noise), "", ""),
    ] {
        let message = format!("X: y\n\n{before}{rows}{after}");
        let (seen, notes) = walk(message.as_bytes());
        let decoded = seen.iter().filter(|seen| seen.text == body.as_bytes() || seen.kind == "attachment");
        assert_eq!(decoded.map(|seen| seen.kind.as_str()).collect::<String>(), want, "{message}");
        let is_noted = notes.contains(&DiagnosticKind::UndeclaredBase64);
        assert_eq!(is_noted, !want.is_empty() && !before.contains("PGP"), "{message}");
    }
}

#[test]
fn base64_with_a_footer() {
    let message = "Content-Transfer-Encoding: base64\n\naGVsbG8gdGhlcmU=\n___\nfooter http://example.org/\n";
    check(message, &["1|text|hello there", "1|raw|___\\nfooter http://example.org/\\n"]);
    noted(message, DiagnosticKind::BrokenBase64);
    // Without padding, the first word of the footer looks like base64.
    let unpadded = "Content-Transfer-Encoding: base64\n\naGVsbG8gdGhlcmUh\nVisit: http://example.org/\n";
    check(unpadded, &["1|text|hello there!", "1|raw|Visit: http://example.org/\\n"]);
    check("Content-Transfer-Encoding: base64\n\nIn truth, plain text\n", &["1|text|In truth, plain text\\n"]);
}

#[test]
fn base64_with_a_mangled_line() {
    let line = "aHR0cDovL2V4YW1wbGUub3JnLyBodHRwOi8vZXhhbXBsZS5vcmcv";
    let url = "http://example.org/ http://example.org/";
    check(
        &format!("Content-Transfer-Encoding: base64\n\n{line}\naHR0cD!vL2V4\n{line}\n"),
        &[&format!("1|text|{url}"), "1|raw|aHR0cD!vL2V4\\n", &format!("1|text|{url}")],
    );
    // A long line with few invalid bytes is decoded.
    check(&format!("Content-Transfer-Encoding: base64\n\n{line}\x0C\n{line} \t\r\n"), &[&format!("1|text|{url}{url}")]);
    // In a longer line, only the first 256 bytes are checked for text.
    let long = line.repeat(5);
    check(
        &format!("Content-Transfer-Encoding: base64\n\n{long}!@#\n"),
        &[&format!("1|text|{}", url.repeat(5)), "1|raw|!@#\\n"],
    );
}

/// HTML in base64 is decoded whatever encoding is declared.
#[test]
fn undeclared_base64_in_html() {
    let html = "<p>One <a href=http://a.example/>two</a></p>\n".repeat(4);
    let rows = data_encoding::BASE64.encode(html.as_bytes());
    let rows = format!("{}\n{}\n{}\n", &rows[..76], &rows[76..152], &rows[152..]);
    let hashes = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n".repeat(2);
    for encoding in ["7bit", "quoted-printable", "x-other"] {
        for (text, want) in [(&rows, &html), (&hashes, &hashes)] {
            let message = format!("Content-Type: text/html\nContent-Transfer-Encoding: {encoding}\n\n{text}");
            assert_eq!(body(&message), [format!("1|html|{}", want.replace('\n', "\\n"))]);
            let is_noted = walk(message.as_bytes()).1.contains(&DiagnosticKind::UndeclaredBase64);
            assert_eq!(is_noted, text != want, "{message}");
        }
    }
    // A short page can be a single row.
    for length in 40..60 {
        walk(format!("Content-Type: text/html\n\n{}\n", &rows.replace('\n', "")[..length]).as_bytes());
    }
}

/// Parts before the first boundary line, after the last, and in a body without a header.
#[test]
fn parts_outside_of_the_boundary_lines() {
    let html = "Content-Type: text/html\n\ntwo\n";
    for (body, want) in [
        (format!("--a\n\none\n--a--\n--a\n{html}--a--\n"), ["1|text|one", "2|html|two"]),
        (format!("--a\n\none\n--a--\n--b\n{html}--b--\n"), ["1|text|one", "2|html|two"]),
        (format!("--a--\n{html}--a\n\none\n--a--\n"), ["1|html|two", "2|text|one"]),
        (format!("{html}--a\n\none\n--a--\n"), ["1|html|two", "2|text|one"]),
    ] {
        let message = format!("Content-Type: multipart/mixed; boundary=a\n\n{body}");
        check(&message, &want);
        noted(&message, DiagnosticKind::NoBoundary);
    }
    check(&format!("--a\n{html}--a\n\none\n--a--\n"), &["1|html|two", "2|text|one"]);
}

#[test]
fn undeclared_quoted_printable() {
    let line = |end: &str| format!("{:x<75}{end}\n", "see http://example.org/?a=3Db");
    let message = format!("Subject: x\n\n{}{}{}", line("="), line("="), "end\n");
    let (seen, notes) = walk(message.as_bytes());
    assert_eq!(notes, [DiagnosticKind::UndeclaredQuoted]);
    let text = seen.last().expect("a body");
    assert!(text.recovered && text.text.starts_with(b"see http://example.org/?a=bxxx"));
    // HTML can have a URL although it has no colon.
    let html = format!("Content-Type: text/html\n\n<a href=3D\"http&#58;//x/\">\n{}{}", line("="), line("="));
    let html = html.replace("http:", "http");
    let (seen, _) = walk_with(html.as_bytes(), &Limits::default(), &|_| None);
    assert!(seen[1].recovered && seen[1].text.starts_with(b"<a href=\"http&#58;//x/\">"));
    // Source code is not quoted-printable, even if some lines end in `=`. The `=` inside the lines do not begin
    // escapes.
    let code = format!("Subject: x\n\n{}{}{}", line("="), line("="), "let url =\n  a == b && c=d;\n");
    assert!(!walk(code.as_bytes()).0.last().expect("a body").recovered);
}

#[test]
fn malformed_beginnings_are_reported() {
    noted("\n\nSubject: x\n\nbody\n", DiagnosticKind::LeadingBlank);
    check("\n\nSubject: x\n\nbody\n", &["1|text|body\\n"]);
    noted(" Subject: x\nTo: y\n\nbody\n", DiagnosticKind::LeadingBlank);
    check(" Subject: x\nTo: y\n\nbody\n", &["1|text|body\\n"]);
    assert_eq!(walk(b" \nSubject: x\n\nbody\n").1, []);
    noted(" see: x\n\nbody\n", DiagnosticKind::MissingBlank);
    check(" see: x\n\nbody\n", &["1|text| see: x\\n\\nbody\\n"]);
    check("From me@example.org Mon Jan  1 00:00:00 2001\n>From you\nTo: y\n\nbody\n", &["1|text|body\\n"]);
}

#[test]
fn no_blank_line_before_the_body() {
    let message = "Subject: x\nTo: y\nDear all,\nsee http://example.org/\n";
    let (seen, notes) = walk(message.as_bytes());
    assert_eq!(notes, [DiagnosticKind::MissingBlank]);
    assert_eq!(scanned(&seen), ["|Subject| x", "|To| y", "1|text|Dear all,\\nsee http://example.org/\\n"]);
    let url = walk(b"Subject: x\nhttp://example.org/\nmore\n").0;
    assert_eq!(scanned(&url), ["|Subject| x", "1|text|http://example.org/\\nmore\\n"]);
    let stray = "Subject: x\nwhat is this\nContent-Type: text/html\n\n<p>\n";
    noted(stray, DiagnosticKind::StrayLine);
    check(stray, &["1|html|<p>\\n"]);
}

/// The stray line has a URL, so the header is read line by line.
#[test]
fn a_header_without_a_last_line_end_is_read_to_its_end() {
    let (_, notes) = walk(b"Subject: x\nsee http://x/\nContent-Transfer-Encoding: y");
    assert_eq!(notes, [DiagnosticKind::StrayLine, DiagnosticKind::UnknownEncoding]);
}

/// A line that begins with a blank does not continue an mbox line.
#[test]
fn an_mbox_line_is_a_single_line() {
    let (seen, notes) = walk(b"From http://x/\n http://y/\nTo: z\n\nbody\n");
    assert_eq!(notes, [DiagnosticKind::StrayLine]);
    assert_eq!(scanned(&seen)[..2], ["|raw|From http://x/\\n", "|raw| http://y/\\n"]);
}

/// Boundary lines with blanks before them are found if there are no others.
#[test]
fn indented_boundary_lines() {
    let part = "Content-Transfer-Encoding: base64\n\naGVsbG8gdGhlcmU=\n";
    let head = "Content-Type: multipart/mixed; boundary=b\n\n";
    check(&format!("{head}  --b\n{part}\t--b\n{part} --b--\n"), &["1|text|hello there", "2|text|hello there"]);
    check(&format!("{head}--b\n\n  --b\n--b--\n"), &["1|text|  --b"]);
    let inner = "--b\nContent-Type: multipart/mixed; boundary=c\n\n";
    check(&format!("{head}{inner} --c\n\n  --b\n --c--\n--b--\n"), &["1.1|text|  --b"]);
}

/// A multipart that is declared as text has a boundary that occurs before a part.
#[test]
fn a_multipart_with_another_label() {
    let part = "--b\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\naGVsbG8gdGhlcmU=\n--b--\n";
    for label in ["text/plain; boundary=b", "text/html; charset=utf-8; boundary=\"b\""] {
        check(&format!("Content-Type: {label}\n\nbefore\n\n{part}"), &["|raw|before\\n", "1|text|hello there"]);
    }
    for label in ["text/plain", "text/plain; boundary=c"] {
        let message = format!("Content-Type: {label}\n\nbefore\n\n{part}");
        assert!(walk(message.as_bytes()).0.last().is_some_and(|seen| seen.text.ends_with(b"--b--\n")), "{message}");
    }
}

/// Some archives remove the bodies of messages.
#[test]
fn only_a_multipart_with_a_body_must_have_a_boundary_line() {
    for (body, want) in [("", &[][..]), ("x\n", &[DiagnosticKind::NoBoundary])] {
        let message = format!("Content-Type: multipart/mixed; boundary=b\n\n{body}");
        let (_, notes) = walk_with(message.as_bytes(), &Limits::default(), &|_| None);
        assert_eq!(notes, want, "{message}");
    }
}

#[test]
fn a_long_content_type_is_reported() {
    let limits = Limits { header_value: 100, ..Limits::default() };
    for (length, want) in [(100, &[][..]), (101, &[DiagnosticKind::LongField])] {
        let message = format!("Content-Type:{:y<length$}\n\nx\n", " text/plain; x=");
        let (_, notes) = walk_with(message.as_bytes(), &limits, &|_| None);
        assert_eq!(notes, want, "{length} bytes");
    }
}

#[test]
fn lone_carriage_returns() {
    let (seen, notes) = walk(b"Subject: x\r\rsee http://example.org/\r");
    assert_eq!(notes, [DiagnosticKind::LoneCr]);
    assert_eq!(scanned(&seen), ["|Subject| x", "1|text|see http://example.org/\\n"]);
    // In a mailbox, a blank line with LF is after the message.
    let (seen, notes) =
        walk(b"Subject: x\rContent-Transfer-Encoding: base64\r\rc2VlIGh0dHA6Ly9leGFtcGxlLm9yZw==\r\n\n");
    assert_eq!(notes, [DiagnosticKind::LoneCr]);
    assert_eq!(scanned(&seen), ["|Subject| x", "|Content-Transfer-Encoding| base64", "1|text|see http://example.org"]);
    // A message that is nested too deeply is searched without decoding.
    let limits = Limits { depth: 0, ..Limits::default() };
    let (seen, notes) = walk_with(b"Subject: x\r\rsee http://example.org/\r", &limits, &|_| None);
    assert_eq!(notes, [DiagnosticKind::LoneCr]);
    assert_eq!(scanned(&seen), ["|raw|Subject: x\\r\\rsee http://example.org/\\r"]);
    // A CR at the end can be the first half of a CRLF.
    let (seen, notes) = walk(b"see http://example.org/\r");
    assert_eq!(notes, [DiagnosticKind::MissingBlank]);
    assert_eq!(scanned(&seen), ["1|text|see http://example.org/\\r"]);
}

/// RFC 2045, section 6.4, forbids this encoding.
#[test]
fn a_multipart_can_be_encoded() {
    let body = "LS1iCkNvbnRlbnQtVHlwZTogdGV4dC9wbGFpbgoKaHR0cDovL3gvCi0tYgpDb250ZW50LVRyYW5zZmVyLUVuY29kaW5nOiBxdW90ZWQtcHJpbnRhYmxlCgpodHRwOi8veC89M0R5Ci0tYi0tCg==";
    let message = format!("Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: base64\n\n{body}\n");
    let found = scanned(&walk(message.as_bytes()).0);
    assert!(found.iter().any(|part| part.ends_with("http://x/")), "{found:?}");
    assert!(found.iter().any(|part| part.ends_with("http://x/=y")), "{found:?}");
}

#[test]
fn field_names_in_any_case() {
    for before in ["", "To: y\n", "Cc: y\n"] {
        for name in ["Content-Type", "content-type", "CONTENT-TYPE", "ConTent-Type", "cONTENT-tYPE"] {
            check(&format!("{before}{name}: text/html\n\n<p>\n"), &["1|html|<p>\\n"]);
        }
    }
}

#[test]
fn comments_in_a_content_type() {
    for value in [
        "multipart/mixed; boundary=abc (made by hand)",
        "multipart/mixed (a \\) (nested) one); boundary=abc(x); x=y",
        "(first) multipart/mixed; (;boundary=no;) boundary (is) = \"abc\"",
        "multipart/mixed; boundary=abc; comment=\"(\"; x=\")\"",
        "multipart/mixed; boundary=abc; x=(never closed",
    ] {
        check(&format!("Content-Type: {value}\n\n--abc\n\nx\n--abc--\n"), &["1|text|x"]);
    }
    check("Content-Type: multipart/mixed; boundary=\"a(b)c\"\n\n--a(b)c\n\nx\n--a(b)c--\n", &["1|text|x"]);
    check("Content-Type: multipart/mixed; boundary=\"a\\\"b\"\n\n--a\"b\n\nx\n--a\"b--\n", &["1|text|x"]);
}

#[test]
fn blanks_around_an_equals_sign() {
    let wide: Vec<u8> = "http://x/".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for parameter in ["charset =utf-16le", "charset= utf-16le", "x=charset; CHARSET\t= \"utf-16le\""] {
        let head = format!("Content-Type: text/plain; {parameter}\n\n");
        let (seen, _) = walk_with(&[head.as_bytes(), &wide].concat(), &Limits::default(), &|_| None);
        assert_eq!(scanned(&seen), ["1|text|http://x/"], "{parameter}");
    }
    check("Content-Type: text/plain; format = flowed; delsp =yes\n\na \nb\n", &["1|text|ab\\n"]);
}

#[test]
fn flowed_text_joins_only_with_delsp() {
    let text = "http://example.org/long- \nname and \n> quoted http://x/ \n> y\n-- \nme\n";
    check(
        &format!("Content-Type: text/plain; format=flowed\n\n{text}"),
        &[&format!("1|text|{}", text.replace('\n', "\\n"))],
    );
    check(
        &format!("Content-Type: text/plain; format=flowed; delsp=no\n\n{text}"),
        &[&format!("1|text|{}", text.replace('\n', "\\n"))],
    );
    check(
        &format!("Content-Type: text/plain; format=flowed; DelSp=\"Yes\"\n\n{text}"),
        &["1|text|http://example.org/long-name and \\n> quoted http://x/y\\n-- \\nme\\n"],
    );
}

#[test]
fn limits_leave_the_rest_raw() {
    let limits = Limits { parts: 1, ..Limits::default() };
    let (seen, notes) = walk_with(MIXED.as_bytes(), &limits, &|_| None);
    assert_eq!(notes, [DiagnosticKind::Parts]);
    assert_eq!(scanned(&seen)[..2], ["|raw|preamble", "1|text|one"]);
    assert!(seen.last().is_some_and(|seen| seen.kind == "raw" && seen.text.ends_with(b"epilogue\n")));
    // A single file in the text of a message is not over the limit.
    let file = "X: y\n\nbegin 644 x.txt\n+:'1T<#HO+V$N8B\\\n`\nend\n";
    let (_, notes) = walk_with(file.as_bytes(), &Limits { parts: 1, ..Limits::default() }, &|_| None);
    assert!(!notes.contains(&DiagnosticKind::Parts));
    let limits = Limits { depth: 1, ..Limits::default() };
    let encoded = "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n";
    let table = [
        ("Content-Type: message/rfc822\n\n".repeat(2) + "To: y\n\nz\n", "1.1|raw|To: y\\n\\nz\\n"),
        (encoded.repeat(2) + "To: y\n\nz\n", "1.1|raw|To: y\\n\\nz\\n"),
        (
            "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=b\n\n\
             --b\n\nx\n--b--\n--a--\n"
                .to_owned(),
            "1|raw|--b\\n\\nx\\n--b--",
        ),
    ];
    for (message, expected) in table {
        let (seen, notes) = walk_with(message.as_bytes(), &limits, &|_| None);
        assert_eq!(notes, [DiagnosticKind::Depth], "{message}");
        assert_eq!(scanned(&seen), [expected], "{message}");
    }
}

/// Messages in quoted-printable, each inside the other. Each level counts.
#[test]
fn encoded_messages_are_nested_to_a_limit() {
    let encoded = "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n";
    for depth in 1..6 {
        let message = encoded.repeat(depth + 1) + "To: y\n\nz\n";
        let (_, notes) = walk_with(message.as_bytes(), &Limits { depth, ..Limits::default() }, &|_| None);
        assert_eq!(notes, [DiagnosticKind::Depth], "{depth}");
        let (_, notes) = walk_with(message.as_bytes(), &Limits { depth: depth + 1, ..Limits::default() }, &|_| None);
        assert_eq!(notes, [], "{depth}");
    }
}

/// The multipart that is made from the TNEF part is on the third level.
#[cfg(feature = "outlook")]
#[test]
fn messages_in_tnef_are_nested_to_a_limit() {
    let attribute = |name: u32, value: &[u8]| {
        [&[2][..], &name.to_le_bytes(), &(value.len() as u32).to_le_bytes(), value, &[0; 2]].concat()
    };
    let attachment = [attribute(0x0006_9002, b""), attribute(0x0006_800F, b"x")].concat();
    let tnef = [b"x\x9f>\"\x01\0", &attachment[..], &attachment].concat();
    let head = b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/ms-tnef\n\n";
    let message = [&head[..], &tnef, b"\n--b--\n"].concat();
    for (depth, want) in [(2, &[DiagnosticKind::Depth][..]), (3, &[])] {
        let (limits, prefilter) = (Limits { depth, ..Limits::default() }, Prefilter::new(None, &|_| None));
        let (mut notes, mut visit) = (Vec::new(), |_: &Region<'_>| ControlFlow::Continue(()));
        let mut note = |note: Diagnostic| notes.push(note.kind);
        let flow = regions(
            "",
            &message,
            &mut Scratch { limits, ..Scratch::default() },
            prefilter,
            &mut (&mut visit, &mut note),
        );
        assert!(flow.is_continue());
        assert_eq!(notes, want, "{depth}");
    }
}

#[test]
fn extended_boundary_in_a_charset_of_another_name() {
    check("Content-Type: multipart/mixed; boundary*=ansi-x3.4-1968''a%62c\n\n--abc\n\nx\n--abc--\n", &["1|text|x"]);
    // `%+2` is not an escape, because `+` is not a hexadecimal digit.
    check("Content-Type: multipart/mixed; boundary*=ansi-x3.4-1968''a%+2\n\n--a%+2\n\nx\n--a%+2--\n", &["1|text|x"]);
    check(
        "Content-Type: multipart/mixed;\n boundary*0*=us-ascii''a;\n boundary*1*=b'c'd\n\n--ab'c'd\n\nx\n--ab'c'd--\n",
        &["1|text|x"],
    );
    check("Content-Type: multipart/mixed;\n boundary*0=ab;\n boundary*1=c\n\n--abc\n\nx\n--abc--\n", &["1|text|x"]);
}

#[test]
fn escapes_of_clear_signed_text() {
    let signed =
        |body: &str| format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: x\n\n{body}-----BEGIN PGP SIGNATURE-----\nx\n");
    let shown = |text: &str| format!("1|text|{}", text.as_bytes().escape_ascii());
    let escaped = signed("- -a\n- - b\n -c\n-d - e\n- \n");
    let text = format!("- x\n{escaped}- y\n{escaped}- z\n");
    let plain = signed("-a\n- b\n -c\n-d - e\n\n");
    let undone = format!("- x\n{plain}- y\n{plain}- z\n");
    // The text `open` has no signature. In the text `quoted`, the signed message does not begin at the start of a line.
    let open = "-----BEGIN PGP SIGNED MESSAGE-----\n- -a\n";
    let quoted = format!("> {escaped}");
    let table = [(&*text, &*undone), (open, open), (&quoted, &quoted)];
    let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"-----");
    // Text in UTF-7 is decoded in another function. This text has no `+`, so decoding changes nothing.
    for head in ["To: x", "Content-Type: text/plain; charset=utf-7"] {
        for ending in ["\n", "\r\n"] {
            for (text, expected) in table {
                let message = format!("{head}\n\n{text}").replace('\n', ending);
                let (seen, _) = walk_with(message.as_bytes(), &Limits::default(), &find);
                assert_eq!(scanned(&seen), [shown(&expected.replace('\n', ending))]);
            }
        }
        // If the prefilter finds no trigger in the text, the text is visited undecoded.
        let (seen, _) = walk_with(format!("{head}\n\n{text}").as_bytes(), &Limits::default(), &|_| None);
        assert_eq!(scanned(&seen), [shown(&text)]);
    }
}

/// Parts whose fields have blanks before them are read as without the blanks.
#[test]
fn indented_fields_of_parts() {
    let html = "<a href=3D\"http://a.example/\">b</a>\n";
    for fields in [
        &["Content-Type: text/html", "Content-Transfer-Encoding: quoted-printable"][..],
        &["Content-Transfer-Encoding: quoted-printable", "Content-Type: text/html;\n charset=us-ascii"],
        &[
            "content-type : text/html",
            "Content-Disposition: inline;\n\tfilename=a.html",
            "Content-Transfer-Encoding:\n  quoted-printable",
        ],
        &["Content-ID: <x>", "Content-Type: text/html; charset=utf-8", "Content-Transfer-Encoding: quoted-printable"],
        &["Content-Type: text/plain"],
        &["Content-Type: image/png"],
    ] {
        for blanks in [" ", "\t", "    ", "  \t"] {
            for separator in ["\n", " \n", "\t\n"] {
                let message = |blanks: &str, separator: &str| {
                    let header: String = fields.iter().map(|field| format!("{blanks}{field}\n")).collect();
                    let head = "Content-Type: multipart/mixed; boundary=b\n\n--b\n";
                    format!("{head}{header}{separator}{html}--b\n\nlast\n--b--\n")
                };
                let bodies = |message: &str| -> Vec<String> {
                    let is_header = |region: &String| region.contains("|raw|");
                    body(message).into_iter().filter(|region| !is_header(region)).collect()
                };
                let (want, got) = (bodies(&message("", "\n")), bodies(&message(blanks, separator)));
                assert_eq!(got, want, "{}", message(blanks, separator));
                assert_eq!(want.last().map(String::as_str), Some("2|text|last"));
                let crlf = message(blanks, separator).replace('\n', "\r\n");
                assert_eq!(bodies(&crlf).len(), want.len(), "{crlf}");
            }
        }
    }
}
