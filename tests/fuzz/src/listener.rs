//! A sink that records events for comparison, and checks properties of each event.

use std::ops::ControlFlow;

use urlspool::fields::FIELDS;
use urlspool::{DiagnosticKind, Event, Hit, Input, Sink};
use urlspool::{Tier, Url, Warning};

use crate::support::record::Record;

/// Records events, and checks values that [`Record`] does not store, such as the decoded text around a hit.
pub(crate) struct Listener {
    /// The length of the input.
    end: u64,
    /// Whether the library has decompressed, unpacked, converted or skipped any data.
    pub(crate) packed: bool,
    /// Whether an attachment was not searched, or not to its end.
    pub(crate) unread: bool,
    /// The total length of all segments: the messages and texts that the search reports with [`Event::Segment`].
    pub(crate) tiled: u64,
    pub(crate) record: Record,
}

impl Listener {
    pub(crate) fn new(end: u64) -> Self {
        Listener { end, packed: false, unread: false, tiled: 0, record: Record::default() }
    }
}

impl Listener {
    fn hit(&self, hit: &Hit<'_>) {
        let (text, span) = hit.context().expect("a borrowed hit");
        assert!(span.start < span.end && span.end <= text.len(), "{span:?} of {}", text.len());
        let mends = [Warning::CharactersEncoded, Warning::SlashesMended, Warning::AddressTrimmed];
        let is_mended = hit.warnings().any(|warning| mends.contains(&warning));
        let least = if is_mended { Tier::Relaxed } else { Tier::Rfc1738 };
        assert_eq!(
            Url::parse(hit.url().as_bytes()).map(|url| (url.tier() as u8).max(least as u8)),
            Ok(hit.url().tier() as u8)
        );
        assert!(hit.offset() + hit.length() <= self.end, "up to {}", self.end);
        // The output is linear in the input: a field repeats at most 1,000 bytes, or the URL.
        let mut texts = Vec::new();
        FIELDS.iter().for_each(|field| field.of(hit).push_text(&mut texts));
        assert!(texts.len() <= 16 * 1000 + 30 * hit.url().as_bytes().len(), "{} bytes of fields", texts.len());
    }
}

impl Sink for Listener {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) => self.hit(hit),
            Event::Reject(reject) => assert!(reject.reason().offset() <= reject.text().len()),
            Event::Segment { file, segment } => {
                self.packed |= file.is_some_and(|file| is_packed(file) || file.member().is_some());
                self.tiled += segment.length();
            }
            Event::Error(error) => {
                let path = error.path();
                assert!(path.as_os_str().as_encoded_bytes().starts_with(b"file"), "{}", path.display());
            }
            Event::Skipped { .. } => self.packed = true,
            Event::Unsearched { .. } => self.unread = true,
            Event::Diagnostic { diagnostic, .. } => {
                let kind = diagnostic.kind();
                self.unread |= kind.is_of_container() || kind == DiagnosticKind::BadTnef;
            }
            Event::End(file) => self.packed |= is_packed(file),
            _ => {}
        }
        self.record.event(event)
    }
}

/// Compares the events of two runs, and panics at the first difference.
#[track_caller]
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(how: &str, want: &[T], got: &[T]) {
    let first = (0..want.len().max(got.len())).find(|&i| want.get(i) != got.get(i));
    if let Some(i) = first {
        panic!("{how}, event {i}: {:?} was {:?}", got.get(i), want.get(i));
    }
}

/// Returns whether the library decompresses, unpacks or converts the file. The segments of such a file are ranges of
/// the decoded data, not of the file.
fn is_packed(file: &Input) -> bool {
    file.codec().is_some() || ["archive", "msg", "pst"].contains(&file.format())
}
