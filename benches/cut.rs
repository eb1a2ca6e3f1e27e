//! Measures how fast archives are split into messages, compared with a simple search for the first line of a message.
//!
//! The functions that split archives are not public. So this program measures [`Extractor::read`] with a byte range
//! that contains only the last message. `read` splits the text before that message to count the messages, but does not
//! search this text for URLs. The number of the last message shows how many messages `read` has counted.
//!
//! Every message has a paragraph that begins with `From `. In an mbox, the simple search wrongly splits the message
//! there. So the two counts of messages differ, and each benchmark asserts its own count.

use std::ops::ControlFlow;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use memchr::memmem;
use urlspool::{Event, Extractor};

mod sample;

use sample::mail;

/// An archive that repeats one message.
struct Archive {
    bytes: String,
    messages: usize,
    /// The text before each message except the first.
    before: &'static str,
    /// The number of times that `before` occurs in one message.
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

    /// Returns the offset of the last message.
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

const FORMATS: [&str; 2] = ["mbox", "rnews"];

#[divan::bench(args = FORMATS)]
fn urlspool(bencher: Bencher<'_, '_>, format: &str) {
    let archive = Archive::new(format);
    let range = archive.last()..u64::MAX;
    archive.measure(bencher, archive.messages, |bytes| {
        // The search stops at the first hit.
        let mut number = None;
        let flow =
            Extractor::new().set("byte-range", &format!("{}-{}", range.start, range.end)).unwrap().read(bytes).each(
                &mut |event: Event<'_>| {
                    let Event::Hit(hit) = event else { return ControlFlow::Continue(()) };
                    number = hit.message();
                    ControlFlow::Break(())
                },
            );
        assert!(flow.is_break());
        number.map_or(0, |number| number as usize)
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
