//! Measures how fast the whole library searches a mailbox in memory, with one worker. Compares the library with two
//! other tools: the crates mailparse and linkify together, and a regex over the raw bytes.
//!
//! The tools do different work. mailparse and linkify search text parts and HTML parts, but not headers. The regex does
//! not decode anything. So the tools find different numbers of URLs, and each benchmark asserts its own number.

use std::mem;
use std::ops::ControlFlow;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use linkify::LinkFinder;
use mailparse::parse_mail;
use memchr::memmem;
use urlspool::{Event, Extractor};

mod peers;
mod sample;

use sample::mail::{self, KINDS};

/// Runs `count` on a mailbox that repeats a message of this kind. `wanted` has four numbers: the expected number of
/// URLs in one message, for each of the [`KINDS`].
fn measure(bencher: Bencher<'_, '_>, kind: &str, wanted: [usize; 4], count: impl Fn(&[u8]) -> usize + Sync) {
    let (mbox, messages) = mail::mbox(&mail::message(kind));
    let wanted = KINDS.iter().zip(wanted).find(|(of, _)| **of == kind).expect("a kind").1 * messages;
    bencher
        .counter(BytesCount::of_str(&mbox))
        .bench(|| assert_eq!(count(black_box(mbox.as_bytes())), wanted, "{kind}"));
}

/// Each message has one URL in the header and three in the text. A message of the kind `html` has three more URLs in
/// its HTML.
#[divan::bench(args = KINDS)]
fn urlspool(bencher: Bencher<'_, '_>, kind: &str) {
    let extractor = Extractor::new().set("count-lines", "false").unwrap();
    measure(bencher, kind, [4, 4, 4, 7], |bytes| {
        let mut count = 0;
        let _ = extractor.read(bytes).each(&mut |event: Event<'_>| {
            count += usize::from(matches!(event, Event::Hit(_)));
            ControlFlow::Continue(())
        });
        count
    });
}

/// Measures the same search as the benchmark `urlspool`, but also makes an owned `Hit` for each URL, and counts lines.
#[divan::bench(args = KINDS)]
fn urlspool_owned(bencher: Bencher<'_, '_>, kind: &str) {
    measure(bencher, kind, [4, 4, 4, 7], |bytes| Extractor::new().read(bytes).filter(Result::is_ok).count());
}

/// mailparse and linkify do not find the URL in the header.
#[divan::bench(args = KINDS)]
fn mailparse_and_linkify(bencher: Bencher<'_, '_>, kind: &str) {
    let finder = peers::linkify();
    measure(bencher, kind, [3, 3, 3, 6], |bytes| {
        let mut start = 0;
        let ends = memmem::find_iter(bytes, "\n\nFrom ").map(|end| end + 2).chain([bytes.len()]);
        ends.map(|end| in_text_parts(&finder, &bytes[mem::replace(&mut start, end)..end])).sum()
    });
}

/// Skips the envelope line of a message, and counts the URLs in its text parts.
fn in_text_parts(finder: &LinkFinder, message: &[u8]) -> usize {
    let envelope = memchr::memchr(b'\n', message).expect("a line");
    let mail = parse_mail(&message[envelope + 1..]).expect("a message");
    let texts = mail.parts().filter(|part| part.ctype.mimetype.starts_with("text/"));
    texts.map(|text| finder.links(&text.get_body().expect("text")).count()).sum()
}

/// In a base64 message, the regex finds only the URL in the header. In a message of the kind `html`, the regex misses
/// one URL, because a soft line break splits the URL before its `://`.
#[divan::bench(args = KINDS)]
fn regex(bencher: Bencher<'_, '_>, kind: &str) {
    let regex = peers::regex();
    measure(bencher, kind, [4, 4, 1, 6], |bytes| regex.find_iter(bytes).count());
}

fn main() {
    divan::main();
}
