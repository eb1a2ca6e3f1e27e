//! Checks that the transfer encoding of a body changes only the offsets and lengths of the hits, and changes them
//! correctly.

use urlspool::Extractor;

use super::listener::{Listener, same};
use super::mime;
use crate::support::record::{Event, Found};

/// Input: a byte that chooses the media type, then the text.
pub fn html(bytes: &[u8]) {
    let Some((&choice, text)) = bytes.split_first() else { return };
    let media = ["html", "html; charset=utf-8", "plain", "enriched", "calendar"][usize::from(choice) % 5];
    let (quoted, _) = found(media, "quoted-printable", text, mime::quoted, in_quoted);
    let (base64, is_file) = found(media, "base64", text, mime::base64, in_base64);
    // If the text itself is base64, the library decodes it a second time, because some senders encode twice. Text in
    // base64 that begins like a file, such as a rar archive, is an attachment. The hits in base64 and in
    // quoted-printable can then differ, so they are not compared.
    if !is_file && !base64.iter().any(|found| found.flags.contains("recovered")) {
        same("in base64", &quoted, &base64);
    }
}

/// Encodes `text`, and returns the hits and rejects in a message with this body. The offsets and lengths of the hits
/// are converted to offsets and lengths in the decoded text. Also returns whether the body may be a damaged file,
/// or a file that is not searched.
fn found(
    media: &str,
    encoding: &str,
    text: &[u8],
    encode: fn(&[u8], &mut Vec<u8>),
    place: fn(u64, u64) -> (u64, u64),
) -> (Vec<Found>, bool) {
    let mut message = format!("Content-Type: text/{media}\nContent-Transfer-Encoding: {encoding}\n\n").into_bytes();
    let start = message.len() as u64;
    encode(text, &mut message);
    let mut listener = Listener::new(message.len() as u64);
    let _ = Extractor::new().message_into(&message, &mut listener);
    let found = listener.record.0.into_iter().filter_map(|event| match event {
        Event::Found(found) => Some(*found),
        _ => None,
    });
    let decoded = |found: Found| {
        let (offset, end) = place(found.offset - start, found.offset + found.length - start);
        // If the offset and length of a hit are not exact, they are those of the whole part. The length of the part
        // depends on the encoding, so the offset and length of such a hit are not compared.
        let (offset, length) = if found.exact { (offset, end - offset) } else { (0, 0) };
        Found { offset, length, line: None, ..found }
    };
    (found.map(decoded).collect(), listener.unread)
}

/// Converts a range of the quoted-printable text to the range of the decoded text. Each encoded line has 25 escapes and
/// a soft break.
fn in_quoted(start: u64, end: u64) -> (u64, u64) {
    let count = |at: u64| at / 77 * 25 + at % 77 / 3;
    (count(start), count(end))
}

/// Converts a range of the base64 text to the range of the decoded text. Each encoded line has 76 symbols.
fn in_base64(start: u64, end: u64) -> (u64, u64) {
    let symbols = |at: u64| at / 77 * 76 + at % 77;
    // A symbol of base64 can contain bits of two decoded bytes. If such a symbol begins a range, the decoded range
    // begins with the second of the two bytes. If such a symbol ends a range, the decoded range ends with the first of
    // the two bytes.
    ((symbols(start) * 6).div_ceil(8), symbols(end) * 6 / 8)
}
