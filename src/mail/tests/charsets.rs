//! Tests of charsets that are declared, unknown or wrong.

use super::*;

#[test]
fn unknown_charsets_are_reported() {
    for (label, is_unknown) in [
        ("utf-8", false),
        ("\"windows-1258\"", false),
        ("big5", false),
        ("cp500", false),
        ("x-odd", true),
        ("ISO-8859-15", false),
        ("windows-9999", true),
        ("iso-8x", true),
        ("utf-8-odd", true),
        ("us-ascii", false),
        ("iso-8859-8-i", false),
    ] {
        for media in ["text/plain", "text/html", "text/plain; format=flowed"] {
            let message = format!("Content-Type: {media}; charset={label}\n\nx\n");
            let want = if is_unknown { &[DiagnosticKind::UnknownCharset][..] } else { &[] };
            assert_eq!(walk(message.as_bytes()).1, want, "{message}");
        }
    }
}

#[test]
fn charsets_in_which_ascii_is_not_ascii() {
    let wide: Vec<u8> = "http://example.org/".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut message = b"Content-Type: text/plain; charset=utf-16\n\n".to_vec();
    message.extend_from_slice(&wide);
    let (seen, _) = walk_with(&message, &Limits::default(), &|_| None);
    assert_eq!(scanned(&seen), ["1|text|http://example.org/"]);
    assert!(!seen[1].exact);
    // The bytes show UTF-16 although another charset is declared.
    for declared in ["utf-8", "x; charset=utf-16"] {
        let message = [format!("Content-Type: text/plain; charset={declared}\n\n").as_bytes(), &wide].concat();
        assert_eq!(scanned(&walk_with(&message, &Limits::default(), &|_| None).0), ["1|text|http://example.org/"]);
    }
    // HTML can declare a charset itself.
    let html = "<meta charset=iso-2022-jp>ht\u{1b}(Btp://x/";
    check(&format!("Content-Type: text/html\n\n{html}"), &["1|html|<meta charset=iso-2022-jp>http://x/"]);
    let declared = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
    check(&declared, &[&format!("1|html|{}", html.as_bytes().escape_ascii())]);
    check("Content-Type: text/plain; charset=utf-7\n\nhttp://x/+AH4-y\n", &["1|text|http://x/~y\\n"]);
    check("Content-Type: text/plain2; charset=utf-7\n\nhttp://x/+AH4-y\n", &["1|text|http://x/~y\\n"]);
    check(
        "Content-Type: text/plain; charset=iso-2022-kr\n\n\u{1b}$)C\u{e}abc\u{f} http://x/\n",
        &["1|text|\\xe9\\xa3\\xa1\\xef\\xbf\\xbd http://x/\\n"],
    );
    for charset in ["iso-2022-jp", "csISO2022JP", "iso-2022-jp-2", "csISO2022JP2"] {
        check(
            &format!("Content-Type: text/plain; charset={charset}\n\n\u{1b}$B$\"\u{1b}(Bhttp://x/\n"),
            &["1|text|\\xe3\\x81\\x82http://x/\\n"],
        );
    }
    check(
        "Content-Type: text/plain; charset=hz-gb-2312\n\n~{ab~}http://x/~~y\n",
        &["1|text|\\xe5\\xbe\\x95http://x/~y\\n"],
    );
    // In GB2312 text, two tildes are a character.
    check(
        "Content-Type: text/plain; charset=hz-gb-2312\n\n~{~~ab~}http://x/\n",
        &["1|text|\\xee\\x93\\x85\\xe5\\xbe\\x95http://x/\\n"],
    );
    // HZ removes a line end after a tilde.
    assert_eq!(
        body("Content-Type: text/plain; charset=hz-gb-2312\n\n~{ab~}http://x/~\ny\n"),
        ["1|text|\\xe5\\xbe\\x95http://x/y\\n"],
    );
    assert_eq!(
        body("Content-Type: text/plain; charset=hz-gb-2312\n\n~{ab~}http://x/~\r\ny~\rz\n~"),
        ["1|text|\\xe5\\xbe\\x95http://x/y~\\rz\\n"],
    );
    // A line end ends GB2312 text, even after a tilde.
    for (line_end, shown) in [("\n", "\\n"), ("\r\n", "\\r\\n")] {
        assert_eq!(
            body(&format!("Content-Type: text/plain; charset=hz-gb-2312\n\n~{{ab~{line_end}http://x/\n")),
            [format!("1|text|\\xe5\\xbe\\x95\\xef\\xbf\\xbd{shown}http://x/\\n")],
        );
    }
    check("Content-Type: text/plain; charset=iso-8859-15\n\nhttp://x/\n", &["1|text|http://x/\\n"]);
    // Every line of ISO-2022-KR begins in ASCII.
    assert_eq!(
        body("Content-Type: text/plain; charset=iso-2022-kr\n\n\u{1b}$)C\u{e}ab\nhttp://x/\n"),
        ["1|text|\\xe9\\xa3\\xa1\\nhttp://x/\\n"],
    );
    // ISO-2022-JP-2 also has Chinese (`ESC $ A`) and Korean (`ESC $ ( C`).
    for (charset, escape) in [("iso-2022-jp-2", "$A"), ("csISO2022JP2", "$A"), ("csISO2022JP2", "$(C")] {
        check(
            &format!("Content-Type: text/plain; charset={charset}\n\n\u{1b}{escape}AVPND\u{1b}(Bhttp://x/\n"),
            &[&format!("1|text|{}http://x/\\n", "\\xef\\xbf\\xbd".repeat(5))],
        );
    }
    // `ESC $ B` switches to two bytes per character, and `ESC ( B` switches back.
    check(
        "Content-Type: text/plain; charset=iso-2022-cn-ext\n\n\u{1b}$B$\"\u{1b}(Bhttp://x/\n",
        &["1|text|\\xef\\xbf\\xbd\\xef\\xbf\\xbdhttp://x/\\n"],
    );
}

#[test]
fn byte_order_marks_of_text_without_a_charset() {
    let text = "\u{FEFF}http://x/";
    let table: [Vec<u8>; 3] = [
        text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
    ];
    for bytes in table {
        let message = [b"Subject: x\n\n", &*bytes].concat();
        let (seen, _) = walk_with(&message, &Limits::default(), &|_| None);
        assert_eq!(scanned(&seen), ["1|text|http://x/"], "{}", bytes.escape_ascii());
    }
}

/// The label states the byte order. Without the label, the little-endian text would count as big-endian, because 8 of
/// its 25 bytes at even offsets are NUL. The big-endian text would count as little-endian, because only 9 of its 49
/// bytes at even offsets are NUL.
#[test]
fn a_label_states_the_byte_order() {
    let little = "\u{100} \u{200} \u{300} http://x/ \u{400} \u{500} \u{600} \u{700} \u{800}".to_owned();
    let big = "http://x/".to_owned() + &"\u{4E01}".repeat(40);
    let table = [("utf-16le", u16::to_le_bytes as fn(u16) -> [u8; 2], little), ("utf-16be", u16::to_be_bytes, big)];
    for (charset, order, text) in table {
        let wide = text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
        let message = [format!("Content-Type: text/plain; charset={charset}\n\n").as_bytes(), &wide].concat();
        let (seen, _) = walk_with(&message, &Limits::default(), &|_| None);
        assert_eq!(scanned(&seen), [format!("1|text|{}", text.as_bytes().escape_ascii())], "{charset}");
    }
}

#[test]
fn ascii_that_is_labelled_wide_stays_readable() {
    for charset in
        ["utf-16", "utf-16le", "UTF-16BE", "utf-32", "utf-32le", "ucs-2", "ucs-4", "iso-10646-ucs-2", "unicode"]
    {
        let message = format!("Content-Type: text/plain; charset={charset}\n\nsee http://x/\n");
        check(&message, &["1|text|see http://x/\\n"]);
        assert!(walk(message.as_bytes()).0[1].exact);
    }
    let unworthy = |message: &[u8]| scanned(&walk_with(message, &Limits::default(), &|_| None).0);
    let marked = b"Content-Type: text/plain; charset=utf-16\n\n\xFF\xFEsee http://x/\n";
    assert_eq!(unworthy(marked), ["1|text|\\xff\\xfesee http://x/\\n"]);
    let mut wide = b"Content-Type: text/plain; charset=ucs-4\n\n".to_vec();
    wide.extend("http://x/".chars().flat_map(|c| u32::from(c).to_be_bytes()));
    assert_eq!(unworthy(&wide), ["1|text|http://x/"]);
}
