//! A mailbox in memory, one worker: everything that this crate does, against mailparse and linkify, and against a regex over
//! the bytes as they lie.
//!
//! The tools do different work: behind mailparse linkify searches the text parts, HTML too, and not the header; the regex
//! undoes nothing. Each benchmark asserts its own count.

use std::mem;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use linkify::LinkFinder;
use mailparse::parse_mail;
use memchr::memmem;
use urlspool::{Extractor, HitRef, Sink};

mod peers;
mod sample;

use sample::mail::{self, KINDS};

/// `wanted`: how many URLs of one message are found, for each of the kinds.
fn measure(bencher: Bencher<'_, '_>, kind: &str, wanted: [usize; 4], count: impl Fn(&[u8]) -> usize + Sync) {
    let (mbox, messages) = mail::mbox(&mail::message(kind));
    let wanted = KINDS.iter().zip(wanted).find(|(of, _)| **of == kind).expect("a kind").1 * messages;
    bencher
        .counter(BytesCount::of_str(&mbox))
        .bench(|| assert_eq!(count(black_box(mbox.as_bytes())), wanted, "{kind}"));
}

struct Count(usize);

impl Sink for Count {
    type Flow = ();

    fn hit(&mut self, _: &HitRef<'_>) {
        self.0 += 1;
    }
}

/// One in the header, three in the text, three in the HTML.
#[divan::bench(args = KINDS)]
fn urlspool(bencher: Bencher<'_, '_>, kind: &str) {
    let extractor = Extractor::new().count_lines(false);
    measure(bencher, kind, [4, 4, 4, 7], |bytes| {
        let mut count = Count(0);
        extractor.read(bytes).each(&mut count).expect("memory");
        count.0
    });
}

/// The same with an owned hit for each, and lines counted.
#[divan::bench(args = KINDS)]
fn urlspool_owned(bencher: Bencher<'_, '_>, kind: &str) {
    measure(bencher, kind, [4, 4, 4, 7], |bytes| Extractor::new().read(bytes).filter(Result::is_ok).count());
}

/// Not the one in the header.
#[divan::bench(args = KINDS)]
fn mailparse_and_linkify(bencher: Bencher<'_, '_>, kind: &str) {
    let finder = peers::linkify();
    measure(bencher, kind, [3, 3, 3, 6], |bytes| {
        let mut start = 0;
        let ends = memmem::find_iter(bytes, "\n\nFrom ").map(|end| end + 2).chain([bytes.len()]);
        ends.map(|end| in_text_parts(&finder, &bytes[mem::replace(&mut start, end)..end])).sum()
    });
}

/// How many URLs there are in a message behind its envelope line.
fn in_text_parts(finder: &LinkFinder, message: &[u8]) -> usize {
    let envelope = memchr::memchr(b'\n', message).expect("a line");
    let mail = parse_mail(&message[envelope + 1..]).expect("a message");
    let texts = mail.parts().filter(|part| part.ctype.mimetype.starts_with("text/"));
    texts.map(|text| finder.links(&text.get_body().expect("text")).count()).sum()
}

/// Of base64 the one in the header alone; in the HTML one has a soft line break before its `://`.
#[divan::bench(args = KINDS)]
fn regex(bencher: Bencher<'_, '_>, kind: &str) {
    let regex = peers::regex();
    measure(bencher, kind, [4, 4, 1, 6], |bytes| regex.find_iter(bytes).count());
}

fn main() {
    divan::main();
}
