//! Puts files in uuencode, yEnc, BinHex, base64 and encrypted text between prose of many shapes, and prose without
//! files.

use super::super::encoded_text::may_have_files;
use super::uuencode::uuencode;
use super::*;

/// A region: the name of the attachment, the kind, and the text, or the size if it is skipped.
pub(super) type Found = (Option<String>, &'static str, String);

/// Returns the regions of the body of `message`.
pub(super) fn found(message: &[u8], limits: Limits) -> (Vec<Found>, Vec<DiagnosticKind>) {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    let visit = |region: &Region<'_>| {
        let name = region.part.attachment().map(|name| String::from_utf8_lossy(name).into_owned());
        let text = latin(region.text);
        match region.kind {
            Kind::Skipped(Skip::Attachment(what, size)) => all.push((name, what, size.to_string())),
            Kind::Skipped(_) | Kind::Header { .. } => {}
            Kind::Text => all.push((name, "text", text)),
            Kind::Html => all.push((name, "html", text)),
            Kind::Raw => all.push((name, "raw", text)),
        }
        ControlFlow::Continue(())
    };
    let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"://");
    let mut scratch = Scratch { limits, ..Scratch::default() };
    let flow = regions(
        "",
        message,
        &mut scratch,
        Prefilter::new(None, &find),
        &mut (visit, |note: Diagnostic| {
            notes.push(note.kind);
        }),
    );
    assert!(flow.is_continue());
    (all, notes)
}

/// Returns `bytes` as ISO-8859-1.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// Checks that the regions are equal. Long texts are shortened in the message of the panic.
#[track_caller]
fn same(got: &[Found], want: &[Found], message: &[u8]) {
    let short = |all: &[Found]| -> Vec<String> {
        let cut = |text: &str| {
            let count = text.chars().count();
            let end: String = text.chars().skip(count.saturating_sub(40)).collect();
            format!("{count} bytes: {text:.40?} ... {end:?}")
        };
        all.iter().map(|(name, kind, text)| format!("{name:?}, {kind}, {}", cut(text))).collect()
    };
    assert!(got == want, "{:#?} is not {:#?}: {}", short(got), short(want), shortened(message));
}

/// Returns the beginning of `message`.
fn shortened(message: &[u8]) -> String {
    message[..message.len().min(200)].escape_ascii().to_string()
}

fn text(text: &[u8]) -> Found {
    (None, "text", latin(text))
}

/// Prose of several shapes. No line is a row of a file.
fn prose() -> Vec<Vec<u8>> {
    let code = "static int\nmain(int argc, char **argv)\n{\n\tint i = 0x1F;\n\treturn (i << 3) & ~0x7;\n}\n\n";
    let table = "+----------+-------+------+\n| NAME     | COUNT | SIZE |\n+----------+-------+------+\n\
        | MAKE.EXE |    12 | 4096 |\n| LINK.EXE |     7 |  512 |\n";
    let dump = "0000000 2023 6854 7365 2065 7261 2065 6874 2065\n0000010 6f77 6472 2073 666f 7420 6568 6620 6c69\n";
    let key = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n\
        4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0/IzW7yWR7QkrmBL7jTKEn5u\n";
    let proteins = ">sp|P01308|INS_HUMAN\nMALWMRLLPLLALLALWGPDPAAAFVNQHLCGSHLVEALYLVCGERGFFYTPKTRREAED\n";
    let mut all: Vec<Vec<u8>> = [
        "The archive of the list has many long and plain lines such as this one.\n",
        "Die Stra\u{df}e f\u{fc}hrt \u{fc}ber die Br\u{fc}cke zu den sch\u{f6}nen H\u{e4}usern am gr\u{fc}nen Flu\u{df}.\n",
        "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442} \u{432}\u{441}\u{435}\u{43c}, \u{44d}\u{442}\u{43e} \u{43d}\u{43e}\u{432}\u{43e}\u{441}\u{442}\u{438}.\n",
        "\u{1b}$B$3$l$OF|K\\8l$N%F%9%H$G$9!#\u{1b}(B See also the page of the list.\n",
        "> > The reply has a quotation of another text, which is as plain as the other.\n> Yes.\n",
        "HEADLINES IN CAPITALS, AS ON A TELEX: STOP THE PRESS AND READ THE NEWS FROM LONDON NOW\n",
        "one\ntwo\n\nthree\n  - four\n  - five\n",
        "apple\nbanana\ncherry\ngrapes\nlemon\norange\npeach\n",
        "========================================================================\n\n    A RULER\n\n",
        "------------------------------------------------------------------------\nSection\n",
        "a    1    2    3\nb    4    5    6\n                                                     7\n",
        code,
        table,
        dump,
        proteins,
        key,
        "\n",
        "\r\n",
    ]
    .map(|text| text.repeat(3000 / text.len() + 1).into_bytes())
    .into();
    let to_latin = |text: &str| -> Vec<u8> { text.chars().map(|c| u32::from(c) as u8).collect() };
    all.push(
        to_latin(
            "Une r\u{e9}ponse tr\u{e8}s brève \u{e0} la le\u{e7}on, d\u{e9}j\u{e0} donn\u{e9}e aux \u{e9}l\u{e8}ves.\n",
        )
        .repeat(50),
    );
    all
}

/// A file, as it is in the text, and how it is reported.
struct File {
    raw: Vec<u8>,
    found: Vec<Found>,
    /// Whether the file has only ASCII.
    is_ascii: bool,
}

fn yenc(name: &str, content: &[u8]) -> Vec<u8> {
    let mut raw = format!("=ybegin line=128 size={} name={name}\r\n", content.len()).into_bytes();
    for row in content.chunks(128) {
        for byte in row.iter().map(|byte| byte.wrapping_add(42)) {
            match byte {
                b'\0' | b'\n' | b'\r' | b'=' => raw.extend([b'=', byte.wrapping_add(64)]),
                byte => raw.push(byte),
            }
        }
        raw.extend(b"\r\n");
    }
    raw.extend(format!("=yend size={}\r\n", content.len()).into_bytes());
    raw
}

/// Encodes `content` in base64, in lines of `width` bytes.
fn base64(content: &[u8], width: usize) -> String {
    let text = data_encoding::BASE64.encode(content);
    let lines = text.as_bytes().chunks(width).map(|line| str::from_utf8(line).expect("ASCII"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Files of each kind, of at least `size` bytes.
fn files(size: usize) -> Vec<File> {
    let words = b"See http://in.example/ for more of the words in the file, 100 % of them.\r\n";
    let plain = words.repeat(size / words.len() + 1);
    let picture =
        [b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".to_vec(), b"\x07\xC8\xFE \x81pixels=\n".repeat(size / 11 + 1)].concat();
    let shown = |name: &str, content: &[u8]| (Some(name.to_owned()), "text", latin(content));
    let skipped = |name: &str, what, size: usize| (Some(name.to_owned()), what, size.to_string());
    // A document in PDF can be ASCII.
    let document = [b"%PDF-1.4\n", &*plain].concat();
    let rows = "$f*TEQKPH#dG@CcF\"'*!!#3!!!2rN6BZ`pq[\n".repeat(size / 36 + 3);
    let hqx = format!("(This file must be converted with BinHex 4.0)\n\n:{}:\n", rows.trim_ascii());
    let head = "-----BEGIN PGP MESSAGE-----\nVersion: GnuPG v1.4\n\n";
    let armored = base64(&(0..size + 99).map(|i| (i * i / 7 + i) as u8).collect::<Vec<_>>(), 64) + "=aB3d\n";
    let end = "-----END PGP MESSAGE-----\n";
    let file = |raw: Vec<u8>, found: Vec<Found>| File { is_ascii: raw.is_ascii(), raw, found };
    let mut all = vec![
        file(uuencode("a.txt", &plain, '`').into(), vec![shown("a.txt", &plain)]),
        file(uuencode("b c.txt", &plain, ' ').into(), vec![shown("b c.txt", &plain)]),
        file(uuencode("a.png", &picture, '`').into(), vec![skipped("a.png", "a PNG picture", picture.len())]),
        file(yenc("a.txt", &plain), vec![shown("a.txt", &plain)]),
        file(yenc("a b.png", &picture), vec![skipped("a b.png", "a PNG picture", picture.len())]),
        file(
            hqx.clone().into(),
            vec![skipped("application/mac-binhex40", "a file in BinHex", hqx.len() - 1), text(b"\n")],
        ),
        file(
            [head, &armored, end].concat().into(),
            vec![
                text(head.as_bytes()),
                skipped("text/plain", "an encrypted part", armored.len()),
                text(end.as_bytes()),
            ],
        ),
    ];
    for width in [60, 64, 72, 76] {
        let found = (None, "text", latin(&plain));
        all.push(file(base64(&plain, width).into(), vec![found]));
        all.push(file(base64(&document, width).into(), vec![skipped("text/plain", "a PDF document", document.len())]));
    }
    all
}

/// Joins neighbours that are both text.
fn joined(all: Vec<Found>) -> Vec<Found> {
    let mut joined: Vec<Found> = Vec::new();
    for one in all.into_iter().filter(|(_, _, text)| !text.is_empty()) {
        match joined.last_mut() {
            Some(last) if last.0.is_none() && one.0.is_none() => last.2 += &one.2,
            _ => joined.push(one),
        }
    }
    joined
}

#[test]
fn files_between_prose() {
    let (files, prose) = (files(2500), prose());
    for (i, before) in prose.iter().enumerate() {
        let before = [before, &b"\n"[..]].concat();
        for (j, file) in files.iter().enumerate().skip(i % 3).step_by(3) {
            let after = &prose[(i * 5 + j * 3) % prose.len()];
            // The prose is before, after or around the file.
            let one: [(&[u8], &[u8]); 2] = [(&before, b""), (b"", after)];
            for (before, after) in [(&before[..], &after[..]), one[(i / 3 + j / 3) % 2]] {
                let body = [before, &file.raw, after].concat();
                assert!(may_have_files(&body), "{}", shortened(&body));
                let message = [b"X: y\n\n", &*body].concat();
                let (all, _) = found(&message, Limits::default());
                let want = [&[text(before)][..], &file.found, &[text(after)]].concat();
                same(&joined(all), &joined(want), &message);
            }
        }
    }
}

/// In a short text, each line is checked.
#[test]
fn small_files_are_found_in_short_text() {
    let content = b"http://a.example/";
    for file in [
        File { raw: uuencode("a", content, '`').into(), found: vec![], is_ascii: true },
        File { raw: yenc("a", b"http://a.example/ \xfc"), found: vec![], is_ascii: false },
    ] {
        for before in ["", "\n", "Hi,\n", "See below.\n"] {
            let message = [format!("X: y\n\n{before}").as_bytes(), &file.raw, b"Ann\n"].concat();
            let (all, notes) = found(&message, Limits::default());
            let inner = all.iter().find(|(name, ..)| name.is_some()).expect("a file");
            assert!(inner.0.as_deref() == Some("a") && inner.2.starts_with("http://a.example/"), "{all:?}");
            assert_eq!((all.last(), notes), (Some(&text(b"Ann\n")), vec![]));
        }
    }
}

/// The same with CRLF, and in a quotation or indented.
#[test]
fn files_in_quotations() {
    let files = files(4000);
    let prose = "They wrote about the file that is below, and more.\n".repeat(30);
    for file in files.iter().filter(|file| file.is_ascii) {
        let whole = String::from_utf8(file.raw.clone()).expect("ASCII");
        // BinHex and base64 with marks before each line are not read.
        let is_quotable = whole.starts_with("begin") || whole.starts_with("-----BEGIN");
        for mark in ["", "> ", ">> ", "    "].into_iter().take(if is_quotable { 4 } else { 1 }) {
            for end in ["\n", "\r\n"] {
                let quote: String = whole.lines().map(|line| format!("{mark}{line}{end}")).collect();
                let prose = prose.replace('\n', end);
                let message = format!("X: y{end}{end}{prose}{quote}{prose}");
                let (all, _) = found(message.as_bytes(), Limits::default());
                let inner = all.iter().find(|(name, ..)| name.is_some()).or(all.get(1));
                let want = file.found.iter().find(|(name, ..)| name.is_some()).unwrap_or(&file.found[0]);
                let mut inner = inner.unwrap_or_else(|| panic!("{mark}: no file: {whole:.200}")).clone();
                // The size of data that is not decoded depends on the marks.
                if ["an encrypted part", "a file in BinHex"].contains(&inner.1) {
                    inner.2.clone_from(&want.2);
                }
                // The line `begin` is read only without marks.
                if inner.0.as_deref() == Some("application/x-uuencode") && !mark.is_empty() {
                    inner.0.clone_from(&want.0);
                }
                same(&[inner], std::slice::from_ref(want), message.as_bytes());
                let outer: Vec<_> =
                    all.into_iter().filter(|(name, ..)| name.is_none()).map(|(.., text)| text).collect();
                let prose = latin(prose.as_bytes());
                assert!(
                    outer[0].starts_with(&prose) && outer[outer.len() - 1].ends_with(&prose),
                    "{mark}, {whole:.200}"
                );
            }
        }
    }
}

/// Text without files is one region.
#[test]
fn prose_without_files() {
    for prose in prose() {
        for url in ["", "http://a.example/\n", "See <http://a.example/b> and http://c.example/.\n"] {
            for size in [90, 200, 1000, prose.len()] {
                let body = [&prose[..size], b"\n", url.as_bytes(), &prose].concat();
                let (all, notes) = found(&[b"X: y\n\n", &*body].concat(), Limits::default());
                same(&all, &[text(&body)], &body);
                assert_eq!(notes, []);
            }
        }
    }
}

/// To save time, most text is not searched for files.
#[test]
fn prose_is_not_searched_for_files() {
    for prose in prose() {
        for size in [100, 128, 129, 500, 1024, 2100, prose.len()] {
            let text = &prose[..size];
            assert!(!may_have_files(text), "{}, {size}", shortened(text));
        }
    }
    let rest = "The archive of the list has many long and plain lines such as this one.\n".repeat(30);
    for line in [
        "begin 644 the day with tea\n",
        "=ybegin line=128 size=123456 name=mybinary.dat\n",
        "(This file must be converted with BinHex 4.0)\n",
        "-----END PGP MESSAGE-----\n",
    ] {
        assert!(!may_have_files(format!("{rest}{line}{rest}").as_bytes()), "{line}");
        assert!(may_have_files(format!("Hi,\n{line}").as_bytes()), "{line}");
        assert_eq!(may_have_files(format!("{line}{rest}").as_bytes()), !line.starts_with("-----END"), "{line}");
    }
}

/// Text about yEnc and uuencode has their lines, but no files.
#[test]
fn text_about_encodings_is_text() {
    // Bytes of other alphabets look like yEnc.
    let is_latin = |text: &Vec<u8>| text.iter().filter(|byte| byte.is_ascii()).count() > text.len() / 4 * 3;
    for prose in prose().into_iter().filter(is_latin) {
        for line in [
            "=ybegin line=128 size=123456 name=mybinary.dat\n",
            "=ybegin part=1 line=128 size=500000 name=mybinary.dat\n=ypart begin=1 end=100000\n",
            "begin the day with http://a.example/\n",
            "begin 644 readme.txt\n",
            "(This file must be converted with BinHex 4.0)\n",
            "-----BEGIN PGP MESSAGE-----\n",
        ] {
            for (from, to) in [(0, prose.len()), (prose.len() / 2, prose.len()), (0, 1500)] {
                let body = [&prose[..to], b"\n", line.as_bytes(), b"See http://a.example/b\n", &prose[from..]].concat();
                let (all, notes) = found(&[b"X: y\n\n", &*body].concat(), Limits::default());
                same(&all, &[text(&body)], &body);
                assert_eq!(notes, []);
            }
        }
    }
}

/// A line after base64 belongs to it only if it is base64.
#[test]
fn lines_after_base64_are_text() {
    let content = b"See http://in.example/ for more of the words in the file. ".repeat(9);
    for width in [60, 76] {
        for cut in [0, 1] {
            let data = base64(&content[..content.len() - cut], width);
            for length in 20..34 {
                let line = &"see http://after.example/abcdefgh.html"[..length];
                for (before, after) in [("", line), ("Hi\n", line), (line, "--"), ("They wrote:\n\n", "")] {
                    let before = before.trim_end().to_owned() + if before.is_empty() { "" } else { "\n" };
                    let after = format!("{after}\n");
                    let message = format!("X: y\n\n{before}{data}{after}{before}");
                    let (all, notes) = found(message.as_bytes(), Limits::default());
                    let inner = text(&content[..content.len() - cut]);
                    let rest = after + &before;
                    let want: Vec<_> = [text(before.as_bytes()), inner, text(rest.as_bytes())].into();
                    let want: Vec<_> = want.into_iter().filter(|(.., text)| !text.is_empty()).collect();
                    assert_eq!((all, notes), (want, vec![DiagnosticKind::UndeclaredBase64]), "{message}");
                }
            }
        }
    }
}

/// A file of more than one KiB is noticed wherever its rows begin.
#[test]
fn files_at_any_offset_are_noticed() {
    let line = "The archive of the list has many long and plain lines such as this one.\n";
    let prose = line.repeat(40);
    for file in files(1300) {
        let whole = file.raw.escape_ascii().to_string();
        for shift in 0..80 {
            for (end, count) in [("\n", 1), ("\r\n", 15), ("\n", 27)] {
                if end == "\r\n" && !file.is_ascii {
                    continue;
                }
                let before = format!("{}{}\n", &prose[..72 * count], "x".repeat(shift)).replace('\n', end);
                let raw = match end {
                    "\n" => file.raw.clone(),
                    _ => String::from_utf8_lossy(&file.raw).replace('\n', end).into_bytes(),
                };
                let text = [before.as_bytes(), &raw, prose.as_bytes()].concat();
                assert!(may_have_files(&text), "{shift}, {count} lines: {whole:.100}");
            }
        }
    }
}

/// A small file is noticed in the first line of long text, and at its end.
#[test]
fn small_files_at_the_ends_of_text_are_noticed() {
    let prose = "The archive of the list has many long and plain lines such as this one.\n".repeat(30);
    let hqx = format!("(This file must be converted with BinHex 4.0)\n:{}:", "$f*TEQKPH#dG@CcF\"'*!!".repeat(4));
    let armored = "-----BEGIN PGP MESSAGE-----\n\nhQEMA+4a\n=aB3d\n-----END PGP MESSAGE-----";
    let yenc = "=ybegin line=128 size=3 name=a\n\u{fc}\u{fc}\n=yend size=3";
    for (file, is_noticed) in [
        ("begin 644 a.txt\n#0V%T\n`\nend", true),
        (&*hqx, true),
        (armored, true),
        (yenc, true),
        (&format!("{yenc} crc32=0"), true),
        (&format!("{yenc} part=1 pcrc32=AbCdEf09"), true),
        ("that is the end", false),
        ("the colon:", false),
        ("x=12", false),
        ("=yend", false),
        ("-----END PGP SIGNATURE-----", false),
        ("send", false),
    ] {
        for blanks in ["", "\n", "\r\n", "\n\n \n\t\n"] {
            assert_eq!(may_have_files(format!("{prose}{file}{blanks}").as_bytes()), is_noticed, "{file}");
            let begins = is_noticed && !file.starts_with("the");
            assert_eq!(may_have_files(format!("{file}\n{prose}").as_bytes()), begins, "{file}");
            assert!(!may_have_files(format!("{prose}{file}\nAnn{blanks}\n{prose}x").as_bytes()), "{file}");
        }
    }
}

/// Encrypted text of several programs, alone, in a quotation, and twice.
#[test]
fn encrypted_text_between_prose() {
    let data = base64(&(0..999_u32).map(|i| (i * i / 7 + i) as u8).collect::<Vec<_>>(), 64) + "=aB3d\n";
    let short = "hQEMA+4aYbH0z0nYAQf/\n=aB3d\n";
    // After a file, all lines are checked.
    let first = uuencode("a", b"Cat", '`');
    let file = || (Some("a".to_owned()), "text", "Cat".to_owned());
    let (begin, end) = ("-----BEGIN PGP MESSAGE-----\n", "-----END PGP MESSAGE-----\n");
    for header in
        ["\n", "Version: GnuPG v1.4.9 (GNU/Linux)\nComment: http://a.example/\n\n", "Version: 2.6.3i\n", " \n"]
    {
        for data in [&*data, short] {
            for mark in ["", "> ", ">> ", " "] {
                for (before, between) in [("", ""), ("Hi,\n", "\nand the other\n"), ("", "See http://b.example/\n")] {
                    let quoted =
                        |text: &str| -> String { text.lines().map(|line| format!("{mark}{line}\n")).collect() };
                    let (head, data, end) = (quoted(&(begin.to_owned() + header)), quoted(data), quoted(end));
                    let body = format!("{before}{head}{data}{end}{between}{head}{data}{end}Ann\n");
                    let (all, notes) = found(format!("X: y\n\n{first}{body}").as_bytes(), Limits::default());
                    let skipped =
                        || (Some("text/plain".to_owned()), "an encrypted part", (data.len() + mark.len()).to_string());
                    // The marks before the last line are in the range, too.
                    let end = &end[mark.len()..];
                    let want = [
                        file(),
                        text(format!("{before}{head}").as_bytes()),
                        skipped(),
                        text(format!("{end}{between}{head}").as_bytes()),
                        skipped(),
                        text(format!("{end}Ann\n").as_bytes()),
                    ];
                    same(&all, &want, body.as_bytes());
                    assert_eq!(notes, []);
                }
            }
        }
    }
    // A program has cut the text, or its beginning.
    for (body, is_encrypted) in [
        (format!("Hi,\n{begin}Version: 2.6.3i\n\n{data}"), true),
        (format!("{begin}\n{data}\n\nThe message was cut.\n"), true),
        (format!("Hi,\n{data}{end}"), false),
        (format!("Hi,\n\n{data}"), false),
    ] {
        let (all, _) = found(format!("X: y\n\n{body}").as_bytes(), Limits::default());
        let is_skipped = all.iter().any(|(_, kind, _)| *kind == "an encrypted part");
        assert_eq!(is_skipped, is_encrypted, "{body}");
        assert_eq!(may_have_files(body.as_bytes()), body.contains("-----"), "{body}");
    }
    // Other text between such lines is no encrypted text.
    for body in [
        format!("{begin}\nSee http://a.example/\n{end}"),
        format!("{begin}\n{short}See http://a.example/\n{end}"),
        format!("{short}{end}"),
        format!("> {begin}\n{short}{end}"),
        format!("Use {begin}\n{short}{end}"),
        format!("{begin}\n{short}Use {end}"),
        format!("{begin}{end}"),
    ] {
        let (all, notes) = found(format!("X: y\n\n{first}{body}").as_bytes(), Limits::default());
        same(&all, &[file(), text(body.as_bytes())], body.as_bytes());
        assert_eq!(notes, []);
    }
}

/// The file ends at its colon. A colon elsewhere is no end.
#[test]
fn files_in_binhex_of_several_lengths() {
    let first = "(This file must be converted with BinHex 4.0)";
    for end in ["\n", "\r\n"] {
        for blank in ["", end, &*format!("{end}  {end}")] {
            for (rows, is_file) in [(64, false), (65, true), (66, true), (900, true)] {
                let rows: Vec<String> = "$f*TEQKPH#dG@CcF\"'*!!"
                    .chars()
                    .cycle()
                    .take(rows)
                    .collect::<Vec<_>>()
                    .chunks(64)
                    .map(|row| row.iter().collect())
                    .collect();
                let file = format!("{first}{end}{blank}:{}", rows.join(""));
                for (after, closes) in [
                    (format!(":{end}Ann{end}"), true),
                    (":".to_owned(), true),
                    (": Ann".to_owned(), true),
                    ("://a.example/".to_owned(), false),
                    (String::new(), false),
                ] {
                    let (all, _) = found(format!("X: y{end}{end}Hi,{end}{file}{after}").as_bytes(), Limits::default());
                    let count =
                        all.iter().filter(|(name, ..)| name.as_deref() == Some("application/mac-binhex40")).count();
                    assert_eq!(count, usize::from(is_file && closes), "{file}{after}");
                    if count == 1 {
                        let size = file.len() + 1 + usize::from(after.len() > 1);
                        assert_eq!(all[1].2, size.min(file.len() + 1).to_string(), "{file}{after}");
                    }
                }
            }
        }
    }
}

/// Lines that look like base64 are read only if they have several rows of one length.
#[test]
fn lines_that_look_like_base64() {
    let content = b"See http://in.example/ and more of the words in the file, and of the others. ".repeat(20);
    let data = data_encoding::BASE64.encode(&content);
    // This line is as long as a row.
    let line = "Here it is, as a file in base64, because the other program did not accept it\n";
    assert_eq!(line.len(), 77);
    // After a file, all lines are checked.
    let first = uuencode("a", b"Cat", '`');
    let file = || (Some("a".to_owned()), "text", "Cat".to_owned());
    // The width of each row, and the number of bytes that are base64.
    for (widths, read) in [
        (&[76, 76][..], 2),
        (&[76, 76, 20], 3),
        (&[76, 76, 76, 76, 4], 5),
        (&[57, 57], 2),
        (&[60, 60, 60], 3),
        (&[76], 1),
        (&[76, 20], 2),
        (&[76, 72, 68], 2),
        (&[56, 56, 56], 3),
        (&[36, 36, 36], 0),
        (&[104, 104], 0),
        (&[80, 80], 2),
        (&[76, 76, 21], 2),
        (&[60, 60, 64], 2),
    ] {
        for (before, after) in [("Hi,\n", "Ann\n"), ("Hi,\n\n", "--\nAnn\n"), (line, "Ann\n"), ("", "")] {
            let (mut rows, mut at) = (Vec::new(), 0);
            for width in widths {
                rows.push(format!("{}\n", &data[at..at + width]));
                at += width;
            }
            let body = format!("{first}{before}{}{after}", rows.concat());
            let (all, _) = found(format!("X: y\n\n{body}").as_bytes(), Limits::default());
            if read == 0 {
                same(&all, &[file(), text(&body.as_bytes()[first.len()..])], body.as_bytes());
                continue;
            }
            let symbols: usize = widths[..read].iter().sum();
            let rest = rows[read..].concat() + after;
            let inner = text(&content[..symbols / 4 * 3 + [0, 0, 1, 2][symbols % 4]]);
            let want = joined([file(), text(before.as_bytes()), inner, text(rest.as_bytes())].into());
            same(&joined(all), &want, body.as_bytes());
        }
    }
}
