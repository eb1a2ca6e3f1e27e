//! Measures how fast archives are cut into messages, against a plain search for the line that begins a message.
//!
//! The splitters of this crate are not public, so this measures [`Extractor::read`] with a range that has only the last
//! message. Everything before it is read (copied) and cut, but not searched. Its number is the count of messages.
//!
//! Every message has a paragraph that begins with `From `. The plain search wrongly cuts there. Each benchmark asserts
//! its count.

use std::ops::ControlFlow;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use memchr::memmem;
use urlspool::{Extractor, HitRef, Sink};

mod sample;

use sample::mail;

/// One message, repeated.
struct Archive {
    bytes: String,
    messages: usize,
    /// The text before each message but the first,
    before: &'static str,
    /// and how often it occurs in one message.
    within: usize,
}

impl Archive {
    fn new(format: &str) -> Archive {
        let message = mail::message("plain") + "From then on nobody asked.\n\n";
        let ((bytes, messages), before, within) = match format {
            "mbox" => (mail::mbox(&message), "\n\nFrom ", 1),
            "rnews" => (mail::rnews(&message), "\n#! rnews ", 0),
            _ => panic!("{format} is no format"),
        };
        Archive { bytes, messages, before, within }
    }

    /// The offset at which the last message begins.
    fn last(&self) -> u64 {
        (self.bytes.len() / self.messages * (self.messages - 1)) as u64
    }

    fn measure(&self, bencher: Bencher<'_, '_>, wanted: usize, count: impl Fn(&[u8]) -> usize + Sync) {
        bencher
            .counter(BytesCount::of_str(&self.bytes))
            .counter(ItemsCount::new(self.messages))
            .bench(|| assert_eq!(count(black_box(self.bytes.as_bytes())), wanted));
    }
}

/// The number of the message that has the first hit.
struct Number(Option<u64>);

impl Sink for Number {
    type Flow = ControlFlow<()>;

    fn hit(&mut self, hit: &HitRef<'_>) -> ControlFlow<()> {
        self.0 = hit.origin().message();
        ControlFlow::Break(())
    }
}

const FORMATS: [&str; 2] = ["mbox", "rnews"];

#[divan::bench(args = FORMATS)]
fn urlspool(bencher: Bencher<'_, '_>, format: &str) {
    let archive = Archive::new(format);
    let range = archive.last()..u64::MAX;
    archive.measure(bencher, archive.messages, |bytes| {
        let mut number = Number(None);
        let flow = Extractor::new().read(bytes).byte_range(Some(range.clone())).each(&mut number).expect("memory");
        assert!(flow.is_break());
        number.0.map_or(0, |number| number as usize)
    });
}

#[divan::bench(args = FORMATS)]
fn memmem(bencher: Bencher<'_, '_>, format: &str) {
    let archive = Archive::new(format);
    let wanted = archive.messages * (1 + archive.within);
    archive.measure(bencher, wanted, |bytes| 1 + memmem::find_iter(bytes, archive.before).count());
}

fn main() {
    divan::main();
}
