//! HTML and text as the body of a message: the transfer encoding changes nothing but the places, and these as it must.

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
    // Text that is base64 itself is decoded twice, because some senders encode twice.
    if !base64.iter().any(|found| found.flags.contains("recovered")) {
        same("in base64", &quoted, &base64);
    }
}

/// Returns what is found in a message with this encoded text. Offsets and lengths are those in the text.
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
        // The end of the source of a part may have a line end, and is not the same in both.
        let (offset, length) = if found.exact { (offset, end - offset) } else { (0, 0) };
        Found { offset, length, line: None, ..found }
    };
    found.map(decoded).collect()
}

/// The range of the text that is encoded in this range of quoted-printable with 25 escapes and a soft break a line.
fn in_quoted(start: u64, end: u64) -> (u64, u64) {
    let count = |at: u64| at / 77 * 25 + at % 77 / 3;
    (count(start), count(end))
}

/// The range of the text that is encoded in this range of base64 with 76 symbols a line.
fn in_base64(start: u64, end: u64) -> (u64, u64) {
    let symbols = |at: u64| at / 77 * 76 + at % 77;
    // Where a symbol has bits of two bytes, a range begins with the second and ends with the first.
    ((symbols(start) * 6).div_ceil(8), symbols(end) * 6 / 8)
}
