//! Compares the decoders with slow and simple reference implementations.

use proptest::prelude::*;

use self::oracle::{same, slow_base64, slow_quoted};
use super::super::map::Map;
use super::super::transfer::{
    Decoded, Points, base64_again, decode_base64, decode_quoted, is_unencoded, looks_quoted_printable,
};
use crate::diagnostic::DiagnosticKind;

// The reference decoders are in the directory of a fuzz target, which also uses them.
#[path = "../../../tests/fuzz/src/transfer.rs"]
mod oracle;

fn pieces(alphabet: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(alphabet), 0..most).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1738), ..ProptestConfig::default() })]

    #[test]
    fn quoted_printable(raw in pieces(&["=", "=3D", "=c3", "=\n", "= \t\r\n", "=\r", "=\r\r\n", "\r\n", "\n", " ", "a long word of text ", "é", "D", "=zz"], 900)) {
        let (mut text, mut points) = (Vec::new(), Points::default());
        decode_quoted(&raw, &mut text, &mut points);
        same(&text, Map::Quoted(&Decoded { raw: &raw, points: &points, base: 5 }), 5, &slow_quoted(&raw));
    }

    #[test]
    fn base64(before in 0..200usize, raw in pieces(&["aGVs", "bG8g", "dGhlcmUg", "d29ybGQ", "+", "/", "\n", "\r\n", " ", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo"], 400)) {
        // In real use, the buffer can contain the text of an earlier part. So the buffer already has `before` bytes.
        let (mut text, mut points) = (vec![b'?'; before], Points::default());
        let (used, made) = decode_base64(&raw, &mut text, &mut points);
        prop_assert_eq!(used, raw.len());
        same(&text[..made], Map::Base64(&Decoded { raw: &raw, points: &points, base: 9 }), 9, &slow_base64(&raw));
    }

    #[test]
    fn base64_stops_at_a_bad_byte(raw in pieces(&["AAEC", "BAUG", "=", "==", "\n", " !", "QUJDAAAAR0hJSktMTU5PUFFSU1RVVldYWVo"], 60)) {
        let (mut text, mut points) = (Vec::new(), Points::default());
        let (used, made) = decode_base64(&raw, &mut text, &mut points);
        let bad = raw.iter().position(|&byte| byte == b'!').unwrap_or(raw.len());
        prop_assert!(used <= bad);
        let data: Vec<u8> = raw[..used].iter().copied().take_while(|&byte| byte != b'=').collect();
        same(&text[..made], Map::Base64(&Decoded { raw: &raw[..used], points: &points, base: 0 }), 0, &slow_base64(&data));
    }
}

/// If a line has at least 60 bytes of data before an invalid byte, these bytes are decoded.
#[test]
fn a_short_line_before_an_invalid_byte_is_not_data() {
    for (count, used) in [(59, 0), (60, 60)] {
        let raw = ["A".repeat(count), "!".repeat(9)].concat();
        let (mut text, mut points) = (Vec::new(), Points::default());
        assert_eq!(decode_base64(raw.as_bytes(), &mut text, &mut points), (used, used / 4 * 3), "{count}");
    }
}

/// `-` and `_` are symbols if the line has whole groups of symbols only with them. A line of a footer is no data.
#[test]
fn the_alphabet_for_urls_is_decoded() {
    let table = [
        ("w7_Dv8O_Pj4-Pz8_IGE=", Some("\u{ff}\u{ff}\u{ff}>>>??? a")),
        ("w7_Dv8O_Pj4-Pz8_IGE", Some("\u{ff}\u{ff}\u{ff}>>>??? a")),
        ("QUJDREVGR0hJSktM-TU5PUFFSU1RV", Some("ABCDEFGHIJKLMNOPQRSTU")),
        ("________________________________", None),
        ("some-words-of-a-footer-", None),
    ];
    for (raw, want) in table {
        let (mut text, mut points) = (Vec::new(), Points::default());
        let (used, made) = decode_base64(raw.as_bytes(), &mut text, &mut points);
        assert_eq!((used > 0).then(|| String::from_utf8_lossy(&text[..made])).as_deref(), want, "{raw}");
        let map = Map::Base64(&Decoded { raw: raw.as_bytes(), points: &points, base: 0 });
        if want.is_some_and(|text| text.ends_with(" a")) {
            assert_eq!(map.raw(made - 1..made), 17..19, "{raw}");
        }
    }
}

/// RFC 2045, section 6.8, demands that invalid bytes are ignored.
#[test]
fn a_few_invalid_bytes_are_ignored() {
    let line = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo";
    for (line, is_data) in [
        (line.replacen('R', "!", 2), true),
        (line.replace('T', "\u{e9}"), true),
        (format!("{line}\x0c"), true),
        (line.replace('U', "!"), false),
        (line.replace('D', ":"), false),
        (line.replace('D', " !"), false),
        ("QUJD!REVGR0hJSkt".to_owned(), true),
        ("QUJD!REVGR0hJSk".to_owned(), false),
    ] {
        let raw = format!("{line}\n").repeat(9);
        let (mut text, mut points) = (Vec::new(), Points::default());
        let (used, made) = decode_base64(raw.as_bytes(), &mut text, &mut points);
        assert_eq!(used, if is_data { raw.len() } else { 0 }, "{line}");
        if is_data {
            let map = Decoded { raw: raw.as_bytes(), points: &points, base: 0 };
            same(&text[..made], Map::Base64(&map), 0, &slow_base64(raw.as_bytes()));
        }
    }
}

/// Words that only look like base64 do not decode to text.
#[test]
fn invalid_bytes_in_text_are_ignored() {
    let data = "PGEg aHJl!Zj0i\naHR0*.cDov\n L2Uu!ZXhhbXBs ZS8i*Pg";
    let (mut text, mut points) = (Vec::new(), Points::default());
    let (used, made) = decode_base64(format!("{data}==\n").as_bytes(), &mut text, &mut points);
    assert_eq!((used, &text[..made]), (data.len() + 3, &b"<a href=\"http://e.example/\">"[..]));
    for footer in
        ["______________\nlinux-list mailing list\nlinux-list@e.example", "-- \nTo unsubscribe (or not), write!"]
    {
        let (used, made) = decode_base64(footer.as_bytes(), &mut text, &mut points);
        assert_eq!((used, made), (0, 0), "{footer}");
    }
}

#[test]
fn base64_continues_at_a_long_line_without_blanks() {
    let data = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVpBQkNE";
    for (line, is_data) in [
        (data, true),
        (&data[4..], false),
        (&format!("{data}QUI=")[..], true),
        (&format!("{data}QQ=="), true),
        (&format!("{data}Q==="), false),
        (&format!("{data}QUJ"), false),
        (&format!("{data} \t\r"), true),
        (&data.replace('R', " "), false),
    ] {
        let raw = format!("-- \n{line}\n");
        assert_eq!(base64_again(raw.as_bytes()), is_data.then_some(4), "{line}");
    }
}

#[test]
fn literal_text_and_soft_breaks_have_checkpoints() {
    let raw = [vec![b'x'; 10_000], b"=\n".repeat(5_000), vec![b'y'; 10_000]].concat();
    let (mut text, mut points) = (Vec::new(), Points::default());
    decode_quoted(&raw, &mut text, &mut points);
    same(&text, Map::Quoted(&Decoded { raw: &raw, points: &points, base: 3 }), 3, &slow_quoted(&raw));
    for wanted in [5_000, 9_999, 10_000, 15_000] {
        let (_, from) = points.before(wanted);
        let found = Decoded { raw: &raw, points: &points, base: 0 }.locate_in_quoted(wanted);
        assert!(found.start - from < 4096, "the search for offset {wanted} goes from {from} to {found:?}");
    }
}

#[test]
fn soft_breaks_before_all_text_have_checkpoints() {
    let raw = [b"=\n".repeat(3_000), b"text".to_vec()].concat();
    let (mut text, mut points) = (Vec::new(), Points::default());
    decode_quoted(&raw, &mut text, &mut points);
    let map = Decoded { raw: &raw, points: &points, base: 0 };
    assert_eq!(map.locate_in_quoted(0), 6_000..6_001);
    assert!(6_000 - points.before(0).1 < 4096);
}

#[test]
fn checkpoints_of_an_earlier_text_are_not_used() {
    let (mut text, mut points) = (Vec::new(), Points::default());
    for raw in [b"=3D".repeat(2_000), vec![b'x'; 2_000]] {
        decode_quoted(&raw, &mut text, &mut points);
        same(&text, Map::Quoted(&Decoded { raw: &raw, points: &points, base: 3 }), 3, &slow_quoted(&raw));
    }
}

#[test]
fn a_soft_break_at_the_end_can_end_in_a_carriage_return() {
    for raw in ["a=\r", "a= \r"] {
        let mut text = Vec::new();
        decode_quoted(raw.as_bytes(), &mut text, &mut Points::default());
        assert_eq!(text, b"a", "{raw:?}");
    }
}

#[test]
fn offsets_after_the_text_map_to_the_end_of_the_source() {
    let points = Points::default();
    let source = |raw| Decoded { raw, points: &points, base: 9 };
    assert_eq!(source(b"a=3D").locate_in_quoted(2), 13..13);
    assert_eq!(source(b"aGVs").locate_in_base64(3), 13..13);
    // The last symbol has the first bits of a byte that is not in the text.
    let last = source(b"aGVsb").locate_in_base64(3);
    assert!((9..=14).contains(&last.start) && last.end == 14, "{last:?} is outside of the source");
}

/// Tests the conditions that the documentation of `looks_quoted_printable` lists.
#[test]
fn thresholds_of_undeclared_quoted_printable() {
    // Each row has the lengths of the lines that end in `=`, the number of escapes after these lines, the number of
    // other equals signs, and the expected result.
    let table: &[(&[usize], usize, usize, bool)] = &[
        (&[], 1, 0, false),
        (&[76], 1, 0, false),
        (&[76, 76], 1, 0, true),
        (&[76, 76], 0, 0, false),
        (&[70, 70], 1, 0, true),
        (&[69, 70], 1, 0, false),
        (&[70, 69], 1, 0, false),
        (&[77, 77], 1, 0, true),
        (&[78, 77], 1, 0, false),
        (&[77, 78], 1, 0, false),
        (&[76, 76, 20], 1, 0, false),
        (&[76, 76, 76, 20], 1, 0, true),
        (&[20, 76, 76, 76], 1, 0, true),
        (&[76, 76, 76, 20, 20], 1, 0, false),
        (&[200, 76, 76], 1, 0, false),
        (&[79, 80, 81, 76, 76, 76, 76, 76, 76], 1, 0, false),
        (&[79, 80, 81, 76, 76, 76, 76, 76, 76, 76], 1, 0, true),
        (&[76, 76], 7, 1, false),
        (&[76, 76], 8, 1, true),
        (&[76, 76], 15, 2, false),
        (&[76, 76], 16, 2, true),
    ];
    for (lengths, escapes, others, want) in table {
        for end in ["\n", "\r\n"] {
            let lines: String = lengths.iter().map(|length| "x".repeat(length - 1) + "=" + end).collect();
            let text = lines + &"=3D".repeat(*escapes) + &"=x".repeat(*others) + end;
            assert_eq!(looks_quoted_printable(text.as_bytes()), *want, "{lengths:?} {escapes} {others} {end:?}");
        }
    }
}

/// Each row has a text, whether it is quoted-printable if no encoding is declared, and whether it is not encoded if
/// quoted-printable is declared.
#[test]
fn escapes_show_whether_text_is_encoded() {
    for (text, is_undeclared, is_wrong) in [
        ("<a href=3D\"http://a.example/\">=20\n", true, false),
        ("<a href=\"x\" id=3D\"y\">\n", false, false),
        ("say =3D\"x\"\n", false, false),
        ("?a=3D1&b=3D2&c=3D3&d=3D4 =C3=A9=20\n", true, false),
        ("?a=3D1&b=3D2&c=3D3 =C3=A9=20\n", false, false),
        ("?a=3D1&b=3D2&c=3D3&d=3D4&z=20&y=30\n", false, false),
        ("?id=20&x\n", false, true),
        ("?id=12&x=20\n", false, true),
        ("<a href=\"?id=20&x\">\n", false, true),
        ("?x=20\n", false, false),
        ("?id=20&x=\ny\n", false, false),
        ("a=20b\n", false, false),
        ("?q=E9t\n", false, false),
        ("?q=e9t\n", false, true),
        ("?q=x\n", false, false),
    ] {
        assert_eq!(looks_quoted_printable(text.as_bytes()), is_undeclared, "{text}");
        assert_eq!(is_unencoded(text.as_bytes()), is_wrong, "{text}");
    }
}

#[test]
fn long_lines_have_checkpoints_too() {
    let raw = vec![b'Q'; 100_000];
    let (mut text, mut points) = (Vec::new(), Points::default());
    decode_base64(&raw, &mut text, &mut points);
    let map = Decoded { raw: &raw, points: &points, base: 0 };
    assert_eq!(map.locate_in_base64(74_001), 98_668..98_670);
}

#[test]
fn any_bytes_are_decoded_as_the_oracles_do() {
    let words = [
        "=", "=3D", "=c3", "=\n", "= \t\r\n", "\r", "\n", " ", "aGVs", "bG8g", "==", "!", "QUJD\n", "\u{e9}", "\0",
        "-- ",
    ];
    let lines = [
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM\n",
        "a line of a footer: see www\n",
    ];
    let mut state = 1738_u64;
    for _ in 0..2000 {
        let mut input = Vec::new();
        for _ in 0..1 + state % 40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let i = (state >> 33) as usize;
            input.extend_from_slice(if i.is_multiple_of(5) { lines[i / 5 % 2] } else { words[i % 16] }.as_bytes());
        }
        oracle::transfer(&input);
    }
}

/// Encodes text of any length in base64 as mail programs do, with text after it, and decodes it again. The decoder ends
/// where the text begins.
#[test]
fn base64_is_decoded_up_to_the_text_after_it() {
    let content: String =
        (0..40).map(|i| format!("{i}: see http://a.example/{i}?b=\u{fc}>>>???\u{ff}~ and more. ")).collect();
    let footers = [
        "",
        "--\nTo unsubscribe, see http://b.example/\n",
        "_______________________________________________\nThe mailing list of all-friends\nhttp://b.example/\n",
        "-----------------------------------------------\nThis-Is the Footer of the List\n",
        "Mailing-list for all our Friends\nhttp://b.example/\n",
        "Our-own list for old Friends and new_ones\nhttp://b.example/\n",
        "** \u{dc}ber die Liste: ann@b.example **\n",
        "[This mail was checked (http://b.example/)]\n",
    ];
    let encodings =
        [data_encoding::BASE64, data_encoding::BASE64URL, data_encoding::BASE64_NOPAD, data_encoding::BASE64URL_NOPAD];
    let mut decoded = 0;
    for (i, length) in
        [1, 2, 3, 17, 30, 45, 57, 58, 114, 115, 116, 300, 511, 513, 1000, content.len()].into_iter().enumerate()
    {
        let text = &content.as_bytes()[..length];
        for (j, encoding) in encodings.iter().enumerate() {
            let is_padded = j < 2;
            for (k, width) in [64, 72, 76, 60, 996].into_iter().enumerate() {
                let end = ["\n", "\r\n"][(i + k) % 2];
                let data: String = encoding
                    .encode(text)
                    .as_bytes()
                    .chunks(width)
                    .flat_map(|row| [str::from_utf8(row).expect("ASCII"), end])
                    .collect();
                for footer in footers {
                    // Without padding, the last row can continue in a footer. In the alphabet for URLs, a short text is
                    // taken for words, and only a single row can be without padding.
                    let is_clear = footer.is_empty() || is_padded && length % 3 != 0;
                    let is_url_safe = j % 2 == 1;
                    let is_short = length < 58 || !data.contains(['-', '_']);
                    let is_single = data.trim_ascii_end().len() <= width;
                    if !is_clear || is_url_safe && (is_short || !is_padded && !is_single) {
                        continue;
                    }
                    let data = if is_url_safe && !is_padded { data.trim_ascii_end() } else { &*data };
                    let raw = format!("{data}{footer}");
                    let (mut out, mut points) = (Vec::new(), Points::default());
                    let (used, made) = decode_base64(raw.as_bytes(), &mut out, &mut points);
                    assert_eq!((used, &out[..made]), (data.len(), text), "{raw}");
                    let symbols = data.replace('-', "+").replace('_', "/").replace('=', "\n");
                    let map = Map::Base64(&Decoded { raw: &raw.as_bytes()[..used], points: &points, base: 7 });
                    if k == (i + j) % 5 {
                        same(&out[..made], map, 7, &slow_base64(symbols.as_bytes()));
                    }
                    decoded += 1;
                }
            }
        }
    }
    assert!(decoded > 500, "{decoded}");
}

/// Lines that are not base64, alone or after a line of base64, are not decoded.
#[test]
fn lines_of_footers_are_not_base64() {
    for line in [
        "Mailing-list for all our Friends",
        "Our-own list for old Friends and new_ones",
        "The mailing list of all-friends",
        "--------------------------------",
        "________________________________",
        "-- ",
        "To unsubscribe, see http://b.example/",
        "sent by ann@b.example",
    ] {
        for before in ["", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n"] {
            let raw = format!("{before}{line}\nhttp://b.example/\n");
            let (mut text, mut points) = (Vec::new(), Points::default());
            let (used, made) = decode_base64(raw.as_bytes(), &mut text, &mut points);
            assert_eq!((used, made), (before.len(), before.len() / 4 * 3 - usize::from(!before.is_empty())), "{raw}");
        }
    }
}

/// Quoted-printable as mailparse decodes it, and the place of each URL in the source.
#[test]
fn quoted_printable_is_decoded_as_by_mailparse() {
    let pieces = ["=3D", "=C3=BC", "=\n", "http://a.example/?b=3D1", "a word,", ".", "=20\n", "\n", "=2E", "x=09"];
    let mut state = 7_u32;
    for _ in 0..400 {
        let mut body = String::new();
        while body.len() < 3 + (state >> 20) as usize % 1500 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            body += pieces[(state >> 12) as usize % pieces.len()];
        }
        let message = format!("Content-Transfer-Encoding: quoted-printable\n\n{body}.\n");
        let parsed = mailparse::parse_mail(message.as_bytes()).expect("a message");
        let want = parsed.get_body_raw().expect("quoted-printable");
        let raw = format!("{body}.\n");
        let (mut text, mut points) = (Vec::new(), Points::default());
        decode_quoted(raw.as_bytes(), &mut text, &mut points);
        let lines = String::from_utf8_lossy(&want).replace("\r\n", "\n");
        assert_eq!(String::from_utf8_lossy(&text), lines, "{raw}");
        let map = Map::Quoted(&Decoded { raw: raw.as_bytes(), points: &points, base: 0 });
        for at in memchr::memmem::find_iter(&text, b"://") {
            let source = map.raw(at..at + 3);
            assert_eq!(&raw[source.clone()], "://", "{source:?} {raw}");
        }
    }
}

/// Data of which a line is damaged, and text in which all of it is damaged.
#[test]
fn damaged_base64_loses_only_its_line() {
    let content: Vec<String> = (10..40).map(|i| format!("{i}: http://a.example/{i} and a few more words\n")).collect();
    let rows: Vec<String> = content.iter().map(|line| data_encoding::BASE64.encode(line.as_bytes())).collect();
    assert!(rows.iter().all(|row| row.len() == 60 && !row.ends_with('=')), "{rows:?}");
    for damage in ["(this line was removed by a gateway)", "", "&#61;&#61;", "*** ERROR: 0x1F ***"] {
        for at in [0, 1, 7, 29] {
            let mut rows = rows.clone();
            rows[at] = damage.to_owned();
            let body = rows.join("\n") + "\n";
            let message = format!("Content-Transfer-Encoding: base64\n\n{body}");
            let (seen, notes) = super::walk(message.as_bytes());
            let text: Vec<u8> =
                seen.iter().filter(|seen| seen.kind == "text").flat_map(|seen| seen.text.clone()).collect();
            let text = String::from_utf8_lossy(&text);
            for (i, line) in content.iter().enumerate().filter(|(i, _)| *i != at) {
                assert!(text.contains(&**line), "line {i} is missing: {text} {message}");
            }
            let is_damaged = !damage.is_empty();
            assert_eq!(notes, if is_damaged { vec![DiagnosticKind::BrokenBase64] } else { vec![] }, "{damage} {at}");
            let raw: Vec<u8> =
                seen.iter().filter(|seen| seen.kind == "raw").flat_map(|seen| seen.text.clone()).collect();
            assert_eq!(String::from_utf8_lossy(&raw).trim_end(), damage.trim_end(), "{message}");
            let after = seen.iter().rev().take_while(|seen| seen.kind == "text").filter(|_| at > 0 && at < 29);
            assert!(after.map(|seen| seen.recovered).all(|recovered| recovered == is_damaged), "{message}");
        }
    }
}

/// Text without a URL, and calendars that decode their values themselves, are not reported as quoted-printable.
#[test]
fn undeclared_quoted_printable_is_reported_if_it_can_have_a_url() {
    let lines = format!("{:x<75}=\n", "a line of text =C3=BC ").repeat(3);
    let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"://");
    for (text, is_noted) in [(lines.clone(), false), (format!("{lines}http://a.example/?b=3Dc\n"), true)] {
        let message = format!("X: y\n\n{text}");
        let (seen, notes) = super::walk_with(message.as_bytes(), &super::Limits::default(), &find);
        assert_eq!(notes, if is_noted { vec![DiagnosticKind::UndeclaredQuoted] } else { vec![] }, "{message}");
        let last = seen.last().expect("a region");
        assert_eq!(last.recovered, is_noted);
        assert_eq!(last.text.contains(&0xC3), is_noted, "{message}");
    }
    // In a vCard, only the declared values are encoded.
    let note = format!("{:x<75}=\n", "a=C3=BC").repeat(5);
    for (parameter, is_quoted) in [(";ENCODING=QUOTED-PRINTABLE", true), (";QUOTED-PRINTABLE;CHARSET=UTF-8", true)] {
        let card =
            format!("BEGIN:VCARD\nVERSION:2.1\nURL:http://a.example/?b=20\nNOTE{parameter}:{note}end\nEND:VCARD\n");
        for media in ["text/x-vcard", "text/vcard; charset=utf-8", "text/plain"] {
            let message = format!("Content-Type: {media}\n\n{card}");
            let (seen, notes) = super::walk_with(message.as_bytes(), &super::Limits::default(), &find);
            let text = String::from_utf8_lossy(&seen.last().expect("a region").text).into_owned();
            assert!(text.contains("http://a.example/?b=20\n"), "{text}");
            assert_eq!(text.contains("a\u{fc}xx"), is_quoted, "{text}");
            assert_eq!(notes, [], "{text}");
        }
    }
}

/// A banner before base64, a cut row, or a row of words costs at most one row.
#[test]
fn base64_that_is_out_of_step_is_decoded_again() {
    let text: String = (0..40).map(|i| format!("Row {i} is at http://h{i}.example/ and ends here.\n")).collect();
    let base64 = data_encoding::BASE64.encode(text.as_bytes());
    let rows: Vec<_> = base64.as_bytes().chunks(76).map(|row| std::str::from_utf8(row).unwrap().to_owned()).collect();
    let changed = |change: &dyn Fn(&mut Vec<String>)| {
        let mut rows = rows.clone();
        change(&mut rows);
        rows.join("\n")
    };
    let mut table = vec![(40, rows.join("\n")), (40, changed(&|rows| rows.insert(6, "Sent from my phone".into())))];
    for banner in ["a", "Hello", "EXTERNAL EMAIL", "Notice to all members"] {
        table.push((40, format!("{banner}\n\n{}", rows.join("\n"))));
    }
    for count in 1..4 {
        table.push((39, changed(&|rows| rows[5].truncate(76 - count))));
        table.push((39, changed(&|rows| rows[5].replace_range(30..30 + count, ""))));
    }
    for (least, rows) in table {
        for media in ["plain", "html", "plain; charset=iso-8859-1"] {
            let message = format!("Content-Type: text/{media}\nContent-Transfer-Encoding: base64\n\n{rows}\n");
            let found = crate::Extractor::new().message(&message).len();
            assert!(found >= least, "{found} of {least}: {message:.200}");
        }
    }
    // Many damaged rows.
    for count in [9, 20] {
        let damaged = changed(&|rows| (1..=count).for_each(|row| rows[row].truncate(75)));
        let message = format!("Content-Transfer-Encoding: base64\n\n{damaged}\n");
        let found = crate::Extractor::new().message(&message).len();
        assert!(found >= 40 - 2 * count, "{found}: {count} rows");
    }
}

/// Intact text is not taken for base64 that is out of step, whatever its charset, its controls and its rows.
#[test]
fn base64_of_text_with_odd_bytes_is_in_step() {
    let koi8: Vec<u8> = (0xC0..=0xFF).collect();
    let dos: Vec<u8> = (0x80..=0xAF).collect();
    let lines: [(&[u8], &[u8], &str); 5] = [
        ("日本語テキスト\x0b\x0b詳細は ".as_bytes(), " をご覧ください\r\n".as_bytes(), "utf-8"),
        (" текст с адресом\x02\x02 ".as_bytes(), " \x02\r\n".as_bytes(), "utf-8"),
        (b"\x02\x02", b" \xc4\xe9\xe8\xe0\xe7\xe9\xe8\xe0\xe7\xe9\xe8\xe7\xe9\xe8\xe0\xe7 end\r\n", "iso-8859-1"),
        (&koi8, b"\r\n", "koi8-r"),
        (&dos, b" \x01\x02\x03\r\n", "ibm866"),
    ];
    for (before, after, charset) in lines {
        let url: &[u8] = b" http://a.example/ ";
        let base64 = data_encoding::BASE64.encode(&[before, url, after].concat().repeat(20));
        for length in [60, 70, 74, 75, 76, 77, 78, 998] {
            let rows: Vec<_> = base64.as_bytes().chunks(length).map(|row| std::str::from_utf8(row).unwrap()).collect();
            let media = format!("Content-Type: text/plain; charset={charset}");
            let message = format!("{media}\nContent-Transfer-Encoding: base64\n\n{}\n", rows.join("\n"));
            assert_eq!(crate::Extractor::new().message(&message).len(), 20, "{charset}, {length}");
        }
    }
}
