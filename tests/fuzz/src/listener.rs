//! A sink that records events for comparison, and checks properties of each event.

use std::path::Path;

use urlspool::url::{Tier, Url, Warning};
use urlspool::{Diagnostic, Error, HitRef, Input, Reject, Segment, Sink, SkipReason};

use crate::support::record::Record;

/// Records events, and checks values that [`Record`] does not store, such as the decoded text around a hit.
pub(crate) struct Listener {
    /// The length of the input.
    end: u64,
    /// Whether the library has decompressed, unpacked, converted or skipped any data.
    pub(crate) packed: bool,
    /// The total length of all segments: the messages and texts that the search reports to [`Sink::segment`].
    pub(crate) tiled: u64,
    pub(crate) record: Record,
}

impl Listener {
    pub(crate) fn new(end: u64) -> Self {
        Listener { end, packed: false, tiled: 0, record: Record::default() }
    }
}

impl Sink for Listener {
    type Flow = ();

    fn hit(&mut self, hit: &HitRef<'_>) {
        let origin = hit.origin();
        let (text, span) = origin.text();
        assert!(span.start < span.end && span.end <= text.len(), "{span:?} of {}", text.len());
        let mends = [Warning::CharactersEncoded, Warning::SlashesMended, Warning::AddressTrimmed];
        let is_mended = mends.iter().any(|mend| hit.warnings().contains(*mend));
        let least = if is_mended { Tier::Relaxed } else { Tier::Rfc1738 };
        assert_eq!(Url::parse(hit.url().as_bytes()).map(|url| url.tier().max(least)), Ok(hit.tier()));
        assert!(origin.offset() + origin.length() <= self.end, "up to {}", self.end);
        self.record.hit(hit);
    }

    fn reject(&mut self, reject: &Reject<'_>) {
        assert!(reject.reason().offset() <= reject.text().len());
        self.record.reject(reject);
    }

    fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) {
        self.record.diagnostic(file, diagnostic);
    }

    fn segment(&mut self, file: Option<&Input>, segment: &Segment<'_>) {
        self.packed |= file.is_some_and(|file| is_packed(file) || file.member().is_some());
        self.tiled += segment.length();
    }

    fn problem(&mut self, error: &Error) {
        assert!(error.path().as_os_str().as_encoded_bytes().starts_with(b"file"), "{}", error.path().display());
        self.record.problem(error);
    }

    fn skipped(&mut self, _: &Path, _: SkipReason) {
        self.packed = true;
    }

    fn end(&mut self, file: &Input) {
        self.packed |= is_packed(file);
        self.record.end(file);
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
    file.codec().is_some() || file.is_archive() || file.is_converted()
}
