//! Checks that the transfer encoding of a body changes only the offsets and lengths of the hits, and changes them
//! correctly.

use urlspool::Extractor;

use super::listener::{Listener, same};
use super::mime;
use crate::support::record::{Event, Found};

/// Input: a byte that chooses the type, then the text.
pub fn html(bytes: &[u8]) {
    let Some((&choice, text)) = bytes.split_first() else { return };
    let media = ["html", "html; charset=utf-8", "plain", "enriched", "calendar"][usize::from(choice) % 5];
    let quoted = found(media, "quoted-printable", text, mime::quoted, in_quoted);
    let base64 = found(media, "base64", text, mime::base64, in_base64);
    // If the text itself is base64, it is decoded twice, because some senders encode twice.
    if !base64.iter().any(|found| found.flags.contains("recovered")) {
        same("in base64", &quoted, &base64);
    }
}

/// Returns the hits and rejects in a message with this encoded text. The offsets and lengths are converted to those in
/// the text.
fn found(
    media: &str,
    encoding: &str,
    text: &[u8],
    encode: fn(&[u8], &mut Vec<u8>),
    place: fn(u64, u64) -> (u64, u64),
) -> Vec<Found> {
    let mut message = format!("Content-Type: text/{media}\nContent-Transfer-Encoding: {encoding}\n\n").into_bytes();
    let start = message.len() as u64;
    encode(text, &mut message);
    let mut listener = Listener::new(message.len() as u64);
    Extractor::new().message_into(&message, &mut listener);
    let found = listener.record.0.into_iter().filter_map(|event| match event {
        Event::Found(found) => Some(*found),
        _ => None,
    });
    let decoded = |found: Found| {
        let (offset, end) = place(found.offset - start, found.offset + found.length - start);
        // An inexact place is that of the whole part, and differs between the two encodings.
        let (offset, length) = if found.exact { (offset, end - offset) } else { (0, 0) };
        Found { offset, length, line: None, ..found }
    };
    found.map(decoded).collect()
}

/// Converts a range of quoted-printable to the range of the decoded text. Each line has 25 escapes and a soft break.
fn in_quoted(start: u64, end: u64) -> (u64, u64) {
    let count = |at: u64| at / 77 * 25 + at % 77 / 3;
    (count(start), count(end))
}

/// Converts a range of base64 to the range of the decoded text. Each line has 76 symbols.
fn in_base64(start: u64, end: u64) -> (u64, u64) {
    let symbols = |at: u64| at / 77 * 76 + at % 77;
    // A symbol can have bits of two bytes. A range that begins there begins with the second byte, and a range that ends
    // there ends with the first byte.
    ((symbols(start) * 6).div_ceil(8), symbols(end) * 6 / 8)
}
