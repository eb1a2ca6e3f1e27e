//! Checks that the results for a message do not depend on the message that was searched before it. Also checks that a
//! search of the message as a stream has the same results as a search of the message in memory. The offset and length
//! of each hit must be those of its URL.

use urlspool::{Extractor, Part, Reason};

use super::listener::{Listener, same};
use super::mime;
use crate::support::record::{self, Event, Found, Message};

/// Input: two messages with a zero byte between them. If the first byte is 255, both messages are in the notation of
/// [`mime`].
pub fn message(bytes: &[u8]) {
    let at = bytes.iter().position(|&byte| byte == 0).unwrap_or(0);
    let (first, second) = bytes.split_at(at);
    match first.strip_prefix(&[255]) {
        Some(first) => messages(&mime::written(first), &mime::written(&second[1..])),
        None => messages(first, second),
    }
}

fn messages(first: &[u8], second: &[u8]) {
    for defanged in [false, true] {
        let extractor =
            Extractor::new().set("defanged", &defanged.to_string()).unwrap().set("count-lines", "true").unwrap();
        let _ = extractor.message_into(first, &mut Listener::new(first.len() as u64));
        let after = events(&extractor, second);
        same("after another message", &events(&extractor.clone(), second), &after);
        if !second.is_empty() {
            parts(&extractor, second, &after);
        }
    }
}

fn events(extractor: &Extractor, message: &[u8]) -> Vec<Event> {
    let mut listener = Listener::new(message.len() as u64);
    let _ = extractor.message_into(message, &mut listener);
    listener.record.0
}

/// Tests that a search of the message as a stream has the hits in `events`. Also tests the range of each hit in the
/// message, and the ranges of its pieces in the decoded text of the part.
fn parts(extractor: &Extractor, bytes: &[u8], events: &[Event]) {
    let mut listener = Listener::new(bytes.len() as u64);
    let extractor = extractor.clone().set("format", "message").unwrap();
    let failure = record::stream(extractor.read(bytes).name("file"), &mut listener);
    if failure.is_some() || listener.packed {
        // The stream may be compressed, or in a format that is not supported, such as UTF-32. A search of a message
        // does not detect such formats.
        return;
    }
    same("as a stream", &found(events), &found(&listener.record.0));

    for message in extractor.read(bytes).messages() {
        let message = message.expect("memory can be read");
        // The range also covers the envelope line and the blank lines before the message.
        let range = message.range().start as usize..message.range().end as usize;
        // If the lines of the input end in CR alone, `Message::stored` returns LF instead of CR.
        let is_same = |stored: &[u8], text: &[u8]| {
            stored == text || stored.iter().zip(text).all(|(&a, &b)| a == b || (a, b) == (b'\r', b'\n'))
        };
        let tail = &bytes[range.end - message.stored().len()..range.end];
        assert!(range.len() >= tail.len() && is_same(tail, message.stored()));
        message.parts(|part: &Part<'_>| {
            for (hit, pieces) in part.hits() {
                if pieces.is_empty() {
                    continue;
                }
                let text: Vec<u8> = pieces.iter().flat_map(|piece| part.text()[piece.clone()].to_vec()).collect();
                // Of these URLs, the text was changed.
                let restored = [Reason::Escape, Reason::Obscured, Reason::Doubled, Reason::Script, Reason::Defanged];
                let is_restored = hit.doubt().is_some_and(|doubt| restored.contains(&doubt));
                if text != hit.url().as_bytes() && is_restored {
                    continue;
                }
                assert_eq!(text, hit.url().as_bytes(), "the text of {}", part.section());
                let whole = part.stored(pieces[0].start..pieces[pieces.len() - 1].end);
                if !hit.exact() {
                    continue;
                }
                assert_eq!(whole, hit.offset()..hit.offset() + hit.length());
                // If the stored bytes and the decoded text have the same length, they must be equal. HTML is an
                // exception: some character references become shorter when they are decoded, and others become longer,
                // so two different texts can have the same length.
                let stored = &bytes[whole.start as usize..whole.end as usize];
                let text = &part.text()[pieces[0].start..pieces[pieces.len() - 1].end];
                assert!(
                    part.is_html() || stored.len() != text.len() || is_same(stored, text),
                    "{}",
                    text.escape_ascii()
                );
            }
        });
    }
}

/// Returns the hits and rejects, without file names and message numbers.
fn found(events: &[Event]) -> Vec<Found> {
    let found = events.iter().filter_map(|event| match event {
        Event::Found(found) => Some((**found).clone()),
        _ => None,
    });
    found.map(|found| Found { file: None, message: Message { number: None, ..found.message }, ..found }).collect()
}
