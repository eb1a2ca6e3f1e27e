//! Encodes text in transfer encodings (RFC 2045, sections 6.7 and 6.8) as mailers do. Lines end with LF.

use std::fmt::Write;

/// The maximum line length.
const LINE: usize = 76;

/// Encodes text as quoted-printable.
pub(crate) fn quoted(text: &str) -> String {
    let mut encoded = String::new();
    for line in text.lines() {
        let mut column = 0;
        for byte in line.bytes() {
            let stands = matches!(byte, b' '..=b'~') && byte != b'=';
            let width = if stands { 1 } else { 3 };
            // The last column of a line must stay free for the `=` of a soft line break.
            if column + width >= LINE {
                encoded += "=\n";
                column = 0;
            }
            column += width;
            match stands {
                true => encoded.push(char::from(byte)),
                false => write!(encoded, "={byte:02X}").expect("memory"),
            }
        }
        encoded.push('\n');
    }
    encoded
}

/// Encodes text as base64.
pub(crate) fn base64(text: &str) -> String {
    const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for line in text.as_bytes().chunks(LINE / 4 * 3) {
        for three in line.chunks(3) {
            let bits = three.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
            let symbols = [18, 12, 6, 0].map(|shift| char::from(SYMBOLS[(bits >> shift & 63) as usize]));
            encoded.extend(&symbols[..=three.len()]);
            encoded += &"=="[..3 - three.len()];
        }
        encoded.push('\n');
    }
    encoded
}
