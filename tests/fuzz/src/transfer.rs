//! Compares urlspool's decoders of base64 and quoted-printable with slow and simple decoders. Also compares the
//! positions of decoded bytes in the encoded text.

use std::ops::Range;

use crate::mail::map::Map;
use crate::mail::transfer::{Decoded, Points, decode_base64, decode_quoted};

/// Input: encoded text.
pub(crate) fn transfer(raw: &[u8]) {
    let (mut text, mut points) = (vec![b'?'; raw.len() / 3], Points::default());
    let (used, made) = decode_base64(raw, &mut text, &mut points);
    assert!(used <= raw.len() && made <= used);
    // In the alphabet for URLs, `-` and `_` replace `+` and `/`.
    let symbol = |byte| match byte {
        b'-' if points.is_url_safe => b'+',
        b'_' if points.is_url_safe => b'/',
        _ => byte,
    };
    // Base64 data ends at the first `=`, which begins the padding.
    let data: Vec<u8> = raw[..used].iter().take_while(|&&byte| byte != b'=').map(|&byte| symbol(byte)).collect();
    let decoded = Decoded { raw: &raw[..used], points: &points, base: 9 };
    same(&text[..made], Map::Base64(&decoded), 9, &slow_base64(&data));

    text.clear();
    decode_quoted(raw, &mut text, &mut points);
    let decoded = Decoded { raw, points: &points, base: 5 };
    same(&text, Map::Quoted(&decoded), 5, &slow_quoted(raw));
}

/// Decodes quoted-printable. The code follows RFC 2045, section 6.7, literally. Returns each decoded byte with its
/// range in `raw`.
pub(in crate::mail) fn slow_quoted(raw: &[u8]) -> Vec<(u8, Range<usize>)> {
    let mut text = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        let rest = &raw[at..];
        let soft = rest[0] == b'=' && {
            let tail = &rest[1..];
            let tail = &tail[tail.iter().take_while(|o| b" \t".contains(o)).count()..];
            // Some programs write several CRs before the LF.
            let tail = &tail[tail.iter().take_while(|o| **o == b'\r').count()..];
            tail.is_empty() || tail.starts_with(b"\n")
        };
        let digits = rest.get(1..3).filter(|two| two.iter().all(u8::is_ascii_hexdigit));
        if soft {
            at += rest.iter().position(|&o| o == b'\n').map_or(rest.len(), |i| i + 1);
        } else if let (b'=', Some(digits)) = (rest[0], digits) {
            let digits = std::str::from_utf8(digits).expect("hexadecimal digits");
            text.push((u8::from_str_radix(digits, 16).expect("hexadecimal digits"), at..at + 3));
            at += 3;
        } else {
            text.push((rest[0], at..at + 1));
            at += 1;
        }
    }
    text
}

/// Decodes base64. The code follows RFC 2045, section 6.8, literally. Returns each decoded byte with its range in
/// `raw`, which must contain only base64 symbols and white space.
pub(in crate::mail) fn slow_base64(raw: &[u8]) -> Vec<(u8, Range<usize>)> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let symbols: Vec<(usize, usize)> =
        raw.iter().enumerate().filter_map(|(at, o)| alphabet.iter().position(|a| a == o).map(|v| (at, v))).collect();
    let bits: Vec<(usize, bool)> =
        symbols.iter().flat_map(|&(at, value)| (0..6).rev().map(move |bit| (at, value >> bit & 1 == 1))).collect();
    bits.chunks_exact(8)
        .map(|bits| {
            let byte = bits.iter().fold(0u8, |byte, &(_, bit)| byte << 1 | u8::from(bit));
            (byte, bits[0].0..bits[7].0 + 1)
        })
        .collect()
}

#[track_caller]
pub(in crate::mail) fn same(decoded: &[u8], map: Map<'_>, base: usize, expected: &[(u8, Range<usize>)]) {
    assert_eq!(decoded, expected.iter().map(|(byte, _)| *byte).collect::<Vec<u8>>());
    // Each lookup of a position is slow, because the library decodes hundreds of bytes again. So this function looks up
    // only every `step`th position.
    let step = (expected.len() / 64).max(1);
    for (i, (_, raw)) in expected.iter().enumerate().step_by(step) {
        assert_eq!(map.raw(i..i + 1), raw.start + base..raw.end + base, "byte {i}");
        let j = (i + 7).min(expected.len());
        assert_eq!(map.raw(i..j), raw.start + base..expected[j - 1].1.end + base, "bytes {i}..{j}");
    }
}
