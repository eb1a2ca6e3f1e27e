//! Compares the decoders with slow and simple reference implementations.

use proptest::prelude::*;

use self::oracle::{same, slow_base64, slow_quoted};
use super::super::map::Map;
use super::super::transfer::{
    Decoded, Points, base64_again, decode_base64, decode_quoted, is_unencoded, looks_quoted_printable,
};

// The reference decoders are in the directory of a fuzz target, which also uses them.
#[path = "../../../tests/fuzz/src/transfer.rs"]
mod oracle;

fn pieces(alphabet: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(alphabet), 0..most).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1738), ..ProptestConfig::default() })]

    #[test]
    fn quoted_printable(raw in pieces(&["=", "=3D", "=c3", "=\n", "= \t\r\n", "=\r", "\r\n", "\n", " ", "a long word of text ", "é", "D", "=zz"], 900)) {
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
