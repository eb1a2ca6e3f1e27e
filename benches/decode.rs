//! Measures how fast transfer encodings are decoded, compared with mailparse (which uses the crates `quoted_printable`
//! and `data-encoding`). The message is 1 MB of French prose with one URL at the end.
//!
//! urlspool's decoders are not public. So this program measures [`Extractor::message_into`] on a message for which most
//! of the work is decoding. The encoding `8bit` needs no decoding, so its figure shows the cost of all other work.
//! Every figure of urlspool includes the cost of mapping decoded text to offsets in the message. Each benchmark asserts
//! the length of the decoded text in bytes.

use std::ops::ControlFlow;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use urlspool::{Event, Extractor};

mod sample;

use sample::encode::{base64, quoted};
use sample::mail::entity;
use sample::{PROSE_FR, repeat};

/// A message, and the length of its decoded text in bytes.
struct Part {
    message: String,
    bytes: usize,
}

impl Part {
    /// Makes a message whose lines end with CRLF, because mailparse always returns text with CRLF.
    fn new(encoding: &str) -> Part {
        let (prose, _) = repeat(PROSE_FR);
        let text = format!("{prose}http://www.example.org/\n").replace('\n', "\r\n");
        let body = match encoding {
            "8bit" => text.replace('\r', ""),
            "quoted-printable" => quoted(&text),
            "base64" => base64(&text),
            _ => panic!("{encoding} is no encoding"),
        };
        let message = entity("text/plain; charset=utf-8", encoding, &body).replace('\n', "\r\n");
        Part { message, bytes: text.len() }
    }
}

const ENCODINGS: [&str; 3] = ["8bit", "quoted-printable", "base64"];

fn measure(bencher: Bencher<'_, '_>, encoding: &str, decode: impl Fn(&[u8]) -> Option<usize> + Sync) {
    let Part { message, bytes } = Part::new(encoding);
    bencher
        .counter(BytesCount::of_str(&message))
        .bench(|| assert_eq!(decode(black_box(message.as_bytes())), Some(bytes), "{encoding}"));
}

#[divan::bench(args = ENCODINGS)]
fn urlspool(bencher: Bencher<'_, '_>, encoding: &str) {
    let extractor = Extractor::new();
    measure(bencher, encoding, |message| {
        // The length in bytes of the decoded text with the URL. `None` if the offset of the hit is only the offset of
        // the message part, not of the URL itself.
        let mut length = None;
        let _ = extractor.message_into(message, &mut |event: Event<'_>| {
            if let Event::Hit(hit) = event {
                length = hit.exact().then(|| hit.context().expect("a borrowed hit").0.len());
            }
            ControlFlow::Continue(())
        });
        length
    });
}

#[divan::bench(args = ENCODINGS)]
fn mailparse(bencher: Bencher<'_, '_>, encoding: &str) {
    measure(bencher, encoding, |message| Some(mailparse::parse_mail(message).ok()?.get_body_raw().ok()?.len()));
}

fn main() {
    divan::main();
}
