//! Tests of charsets that are declared, unknown or wrong.

use encoding_rs::Encoding;

use super::super::content::to_str;
use super::super::words::decode_words;
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

/// Texts, each with names of charsets that have its characters.
const TEXTS: &[(&str, &str)] = &[
    ("P\u{159}\u{ed}li\u{161} \u{17e}lu\u{165}ou\u{10d}k\u{fd}", "iso-8859-2 windows-1250 utf-8"),
    (
        "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}, \u{43c}\u{438}\u{440}",
        "koi8-r koi8-u windows-1251 iso-8859-5 ibm866 x-mac-cyrillic gbk euc-jp shift_jis iso-2022-jp",
    ),
    ("\u{39a}\u{3b1}\u{3bb}\u{3b7}\u{3bc}\u{3ad}\u{3c1}\u{3b1}", "iso-8859-7 windows-1253 utf-8"),
    ("\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "iso-8859-8 iso-8859-8-i windows-1255"),
    ("\u{645}\u{631}\u{62d}\u{628}\u{627}", "iso-8859-6 windows-1256"),
    ("G\u{fc}nayd\u{131}n", "iso-8859-9 windows-1254 iso-8859-3"),
    ("Gr\u{fc}\u{df}e, No\u{eb}l", "iso-8859-1 windows-1252 macintosh iso-8859-10 iso-8859-4 utf-8"),
    ("5 \u{20ac} caf\u{e9}", "iso-8859-15 windows-1252 windows-1258 gb18030"),
    ("Lab\u{101} diena", "iso-8859-13 windows-1257"),
    ("\u{e2a}\u{e27}\u{e31}\u{e2a}\u{e14}\u{e35}", "windows-874 tis-620"),
    ("\u{4e2d}\u{6587}\u{90ae}\u{4ef6}", "gb2312 gbk gb18030"),
    ("\u{4e2d}\u{6587}\u{90f5}\u{4ef6}", "big5 gbk"),
    ("\u{65e5}\u{672c}\u{8a9e}\u{306e}\u{30e1}\u{30fc}\u{30eb}", "iso-2022-jp euc-jp shift_jis"),
    ("\u{d55c}\u{ad6d}\u{c5b4} \u{ba54}\u{c77c}", "euc-kr ks_c_5601-1987"),
];

/// Calls `check` with each text of [`TEXTS`] in each of its charsets: the name of the charset, the text, and its bytes.
fn each_charset(check: &mut dyn FnMut(&str, &str, &[u8])) {
    for (text, charsets) in TEXTS {
        for charset in charsets.split(' ') {
            let encoding = Encoding::for_label(charset.as_bytes()).expect("a charset");
            let (bytes, _, is_lossy) = encoding.encode(text);
            assert!(!is_lossy, "{charset} does not have {text}");
            check(charset, text, &bytes);
        }
    }
}

/// Returns `bytes` in quoted-printable (RFC 2045, section 6.7) or in the encoding "Q" (RFC 2047, section 4.2).
fn escaped(bytes: &[u8]) -> String {
    let escape = |&byte: &u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b"/:.,".contains(&byte) => char::from(byte).to_string(),
        byte => format!("={byte:02X}"),
    };
    bytes.iter().map(escape).collect()
}

#[test]
fn subjects_in_every_charset() {
    each_charset(&mut |charset, text, bytes| {
        let (q, b) = (escaped(bytes), data_encoding::BASE64.encode(bytes));
        for (value, want) in [
            (format!("=?{charset}?Q?{q}?="), text.to_owned()),
            (format!("Re: =?{}?q?{q}?= (1)", charset.to_uppercase()), format!("Re: {text} (1)")),
            (format!("=?{charset}?B?{b}?="), text.to_owned()),
            (format!("[x] =?{charset}?b?{}?=", b.trim_end_matches('=')), format!("[x] {text}")),
            (format!("=?{charset}*en?B?{b}?=\r\n =?us-ascii?q?_x?="), format!("{text} x")),
            (format!("=?{charset}?B?{b}?= =?{charset}?Q?{q}?="), format!("{text}{text}")),
        ] {
            assert_eq!(decode_words(value.as_bytes(), 1000, None).as_deref(), Some(&*want), "{value}");
        }
        // The same without encoded words, in the charset of the message. A word elsewhere does not matter.
        for (before, word) in [("", ""), ("", " =?us-ascii?q?x?="), ("=?us-ascii?q?x?= ", "")] {
            let value = [before.as_bytes(), bytes, word.as_bytes()].concat();
            let read = super::super::words::decode_value((&*value).into(), Some(charset.as_bytes()));
            let x = |words: &str| words.replace("=?us-ascii?q?x?=", "x");
            assert_eq!(read, x(before) + text + &x(word), "{charset}: {}", value.escape_ascii());
        }
    });
}

/// The URL in a text is read in each charset, with each transfer encoding. The offsets are checked by [`walk`].
#[test]
fn bodies_in_every_charset() {
    each_charset(&mut |charset, text, bytes| {
        let url = "see http://example.org/a?b=c#d ";
        let is_read = charset == "iso-2022-jp";
        let body = [url.as_bytes(), bytes, b"\n", url.as_bytes(), bytes, b"\n"].concat();
        let want = format!("{url}{text}\n").repeat(2);
        let encodings = [
            ("8bit", body.clone()),
            ("quoted-printable", escaped(&body).replace("=0A", "\n").into_bytes()),
            ("base64", data_encoding::BASE64.encode(&body).into_bytes()),
        ];
        for media in ["text/plain", "text/enriched; x=y", "text/html"] {
            for (encoding, encoded) in &encodings {
                let content_type = format!("{media}; charset=\"{charset}\"");
                let header = format!("Content-Type: {content_type}\nContent-Transfer-Encoding: {encoding}\n\n");
                let (seen, notes) = walk(&[header.as_bytes(), encoded].concat());
                assert_eq!(notes, [], "{header}");
                let found = seen.last().expect("a region");
                let wanted = if is_read { want.as_bytes() } else { &body };
                assert_eq!(found.text.escape_ascii().to_string(), wanted.escape_ascii().to_string(), "{header}");
                assert_eq!((found.exact, found.recovered), (!is_read, false), "{header}");
                let shown = to_str(content_type.as_bytes(), &found.text);
                assert_eq!(shown, want, "{header}");
            }
        }
    });
}

/// UTF-16 and UTF-32 are read with and without a byte order mark, and UTF-16 also if another charset is declared.
#[test]
fn wide_text_in_both_byte_orders() {
    for text in [
        "http://a.example/",
        "See http://example.org/ for more.\r\n",
        "\t* http://example.org/\n",
        "Gr\u{fc}\u{df}e: http://example.org/\u{4e2d}\n",
    ] {
        let mark = |text: &str| format!("\u{feff}{text}");
        let wide = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(order).collect() };
        let wider =
            |text: &str, order: fn(u32) -> [u8; 4]| -> Vec<u8> { text.chars().flat_map(|c| order(c.into())).collect() };
        for (label, bytes) in [
            ("utf-16", wide(text, u16::to_le_bytes)),
            ("utf-16", wide(text, u16::to_be_bytes)),
            ("utf-16le", wide(text, u16::to_le_bytes)),
            ("utf-16be", wide(text, u16::to_be_bytes)),
            ("utf-16", wide(&mark(text), u16::to_le_bytes)),
            ("utf-16", wide(&mark(text), u16::to_be_bytes)),
            ("unicode", wide(text, u16::to_le_bytes)),
            ("ucs-2", wide(text, u16::to_be_bytes)),
            ("utf-8", wide(&mark(text), u16::to_le_bytes)),
            ("us-ascii", wide(&mark(text), u16::to_be_bytes)),
            ("", wide(&mark(text), u16::to_le_bytes)),
            ("", wide(&mark(text), u16::to_be_bytes)),
            ("", wider(&mark(text), u32::to_le_bytes)),
            ("", wider(&mark(text), u32::to_be_bytes)),
            ("utf-32", wider(&mark(text), u32::to_le_bytes)),
            ("utf-32", wider(text, u32::to_be_bytes)),
            ("utf-32le", wider(text, u32::to_le_bytes)),
            ("utf-32be", wider(text, u32::to_be_bytes)),
        ] {
            let content_type = format!("text/plain; charset={label}");
            let header = if label.is_empty() { "X: y\n".to_owned() } else { format!("Content-Type: {content_type}\n") };
            let base64 = data_encoding::BASE64.encode(&bytes);
            for message in [
                [format!("{header}\n").as_bytes(), &bytes].concat(),
                format!("{header}Content-Transfer-Encoding: base64\n\n{base64}\n").into_bytes(),
            ] {
                let seen = walk(&message).0.pop().expect("a region");
                let found = String::from_utf8_lossy(&seen.text);
                assert_eq!((&*found, seen.exact), (text, false), "{}", message.escape_ascii());
            }
        }
        // The first four characters are enough, if they are ASCII.
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            for header in ["X: y", "Content-Type: text/plain; charset=utf-8", "Content-Type: text/html"] {
                let bytes = wide(text, order);
                let message = [header.as_bytes(), b"\n\n", &bytes].concat();
                let seen = walk(&message).0.pop().expect("a region");
                let wanted = if text.starts_with("Gr") { &bytes } else { text.as_bytes() };
                assert_eq!(seen.text.escape_ascii().to_string(), wanted.escape_ascii().to_string(), "{header}");
            }
        }
    }
    // Binary data and text with a few NULs are no wide text.
    for text in
        ["http://a.example/\0\0", "a\0b http://a.example/", "\0\0\0\0\0\0\0\0http://a.example/", "a\0b\0c\0d http"]
    {
        let seen = walk(format!("X: y\n\n{text}").as_bytes()).0.pop().expect("a region");
        assert_eq!((seen.text, seen.exact), (text.as_bytes().to_vec(), true));
    }
}

/// A program has cut a subject in UTF-8 after a number of bytes. A letter of another charset at the end is no cut.
#[test]
fn subjects_that_are_cut() {
    let subject = "Gr\u{fc}\u{df}e \u{4e2d}\u{6587}";
    for end in 3..subject.len() {
        let (bytes, whole) =
            (&subject.as_bytes()[..end], (0..=end).rev().find(|&at| subject.is_char_boundary(at)).unwrap_or(0));
        let want = format!("{}{}", &subject[..whole], if whole < end { "\u{fffd}" } else { "" });
        let read = super::super::words::decode_value(bytes.into(), Some(b"windows-1252"));
        // After ASCII only, one more byte can be a letter of the charset.
        let want = if end == 3 { "Gr\u{c3}".to_owned() } else { want };
        assert_eq!(read, want, "{end}");
    }
    for (bytes, want) in [(&b"Caf\xE9"[..], "Caf\u{e9}"), (b"\xE9", "\u{e9}"), (b"\xE4\xB8", "\u{e4}\u{b8}")] {
        assert_eq!(super::super::words::decode_value(bytes.into(), Some(b"iso-8859-1")), want);
    }
    assert_eq!(super::super::words::decode_value((&b"News \xE4\xB8"[..]).into(), None), "News \u{fffd}");
}

/// Returns `text` in one of the charsets of 7 bits that switch from ASCII to another charset.
fn shifted(label: &str, text: &str) -> Vec<u8> {
    let (start, on, off, encoding) = match label {
        "iso-2022-kr" => ("\x1b$)C\n", "\x0e", "\x0f", "euc-kr"),
        "iso-2022-cn" => ("\x1b$)A", "\x0e", "\x0f", "gbk"),
        _ => ("", "~{", "~}", "gbk"),
    };
    let encoding = Encoding::for_label(encoding.as_bytes()).expect("a charset");
    let (mut bytes, mut is_on) = (start.as_bytes().to_vec(), false);
    for character in text.chars() {
        if character.is_ascii() == is_on {
            bytes.extend(if is_on { off } else { on }.bytes());
            is_on = !is_on;
        }
        match character {
            '~' if on == "~{" => bytes.extend(b"~~"),
            _ => bytes.extend(encoding.encode(&character.to_string()).0.iter().map(|byte| byte & 0x7F)),
        }
    }
    bytes.extend(if is_on { off } else { "" }.bytes());
    bytes
}

#[test]
fn charsets_that_switch_from_ascii() {
    for (label, words) in [
        ("iso-2022-kr", "\u{d55c}\u{ad6d}\u{c5b4}"),
        ("csISO2022KR", "\u{d55c}\u{ad6d}\u{c5b4}"),
        ("iso-2022-cn", "\u{4e2d}\u{6587}\u{4ef6}"),
        ("ISO-2022-CN-EXT", "\u{4e2d}\u{6587}"),
        ("hz-gb-2312", "\u{4e2d}\u{6587}\u{4ef6}"),
        ("HZ", "\u{4e2d}\u{6587}"),
    ] {
        let kind = label.to_lowercase().replace("csiso2022", "iso-2022-").replace("-ext", "");
        for text in [
            format!("{words} http://a.example/~b?c=d {words}\n"),
            format!("See http://a.example/{words}/~b\n\n{words}\n{words}: ~~{{x}}~~ [{words}] ~\n"),
            words.to_owned(),
            format!("~{words}~"),
        ] {
            for end in ["\n", "\r\n"] {
                let text = text.replace('\n', end);
                let bytes = shifted(&kind, &text);
                let header = format!("Content-Type: text/plain; charset={label}\n\n");
                let (seen, notes) = walk(&[header.as_bytes(), &bytes].concat());
                let read = String::from_utf8_lossy(&seen.last().expect("a region").text).into_owned();
                let read = if kind == "iso-2022-kr" { read.replacen('\n', "", 1) } else { read };
                assert_eq!((read, notes), (text, vec![]), "{label}: {}", bytes.escape_ascii());
            }
        }
    }
}

/// Returns `text` in UTF-7 (RFC 2152). Each character outside ASCII is encoded with its neighbours.
fn utf7(text: &str) -> String {
    let mut encoded = String::new();
    let mut wide: Vec<u8> = Vec::new();
    for character in text.chars().chain(['\n']) {
        if !character.is_ascii() {
            let mut units = [0; 2];
            wide.extend(character.encode_utf16(&mut units).iter().flat_map(|unit| unit.to_be_bytes()));
            continue;
        }
        if !wide.is_empty() {
            encoded += &format!("+{}-", data_encoding::BASE64_NOPAD.encode(&wide));
            wide.clear();
        }
        encoded += &if character == '+' { "+-".to_owned() } else { character.to_string() };
    }
    encoded
}

#[test]
fn text_in_utf7() {
    for text in ["Gr\u{fc}\u{df}e: http://a.example/?b+c", "\u{65e5}\u{672c}\u{8a9e}\u{1f600}", "1 + 1 = 2", "no more"]
    {
        for count in [1, 9, 40] {
            let text = format!("{text}, ").repeat(count);
            let message = format!("Content-Type: text/plain; charset=utf-7\n\n{}", utf7(&text));
            let seen = walk(message.as_bytes()).0.pop().expect("a region");
            assert_eq!(String::from_utf8_lossy(&seen.text), text.clone() + "\n");
            assert_eq!(seen.exact, !message.contains('+'), "{message}");
            let word = format!(
                "=?UTF-7?Q?{}?=",
                utf7(&text).trim_ascii().replace('=', "=3D").replace('?', "=3F").replace(' ', "_")
            );
            let read = decode_words(word.as_bytes(), 9999, None);
            assert_eq!(read.as_deref(), Some(text.trim_ascii_end()), "{word}");
        }
    }
}

#[test]
fn each_dos_code_page_has_a_character_for_each_byte() {
    for line in include_str!("../oem.txt").lines() {
        let (page, characters) = line.split_once(' ').unwrap();
        assert_eq!(characters.chars().count(), 128, "{page}");
    }
}
