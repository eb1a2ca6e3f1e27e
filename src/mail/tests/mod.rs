//! Tests of the whole module, including comparisons with slow and simple reference implementations.

mod charsets;
#[path = "../../../tests/cpu.rs"]
mod cpu;
mod fields;
mod files;
mod floods;
mod html;
mod parameters;
mod prose;
mod skipping;
mod structure;
mod tiling;
mod transfer;
#[path = "../../../tests/uuencode.rs"]
mod uuencode;

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use std::ops::{ControlFlow, Range};

use super::{Kind, Limits, Prefilter, Region, Scratch, Skip, regions};
use crate::trigger::{Dots, TriggerIndex};

/// An owned copy of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    kind: String,
    part: String,
    raw: Range<usize>,
    text: Vec<u8>,
    exact: bool,
    recovered: bool,
    alternative: bool,
}

fn name(kind: &Kind<'_>) -> String {
    match kind {
        Kind::Header { name } => String::from_utf8_lossy(name).into_owned(),
        Kind::Skipped(Skip::Attachment(..)) => "attachment".to_owned(),
        Kind::Skipped(skip) => format!("{skip:?}").to_lowercase(),
        kind => format!("{kind:?}").to_lowercase(),
    }
}

/// Visits the regions of `message` with `find` as the prefilter. Checks the invariants that hold for any message, and
/// returns the regions and diagnostics.
#[track_caller]
fn walk_with(
    message: &[u8],
    limits: &Limits,
    find: &dyn Fn(&[u8]) -> Option<usize>,
) -> (Vec<Seen>, Vec<DiagnosticKind>) {
    let (mut seen, mut notes, mut at) = (Vec::new(), Vec::new(), 0);
    let mut visit = |region: &Region<'_>| {
        assert_eq!(region.raw.start, at, "a gap or an overlap is before {region:?}");
        assert!(
            region.raw.end > at && region.raw.end <= message.len(),
            "the region is empty or ends after the message: {region:?}"
        );
        at = region.raw.end;
        check_map(message, region);
        seen.push(Seen {
            kind: name(&region.kind),
            part: region.part.to_string(),
            raw: region.raw.clone(),
            text: region.text.to_vec(),
            exact: region.map.exact(),
            recovered: region.recovered,
            alternative: region.alternative.is_later(),
        });
        ControlFlow::Continue(())
    };
    let mut note = |note: Diagnostic| {
        assert!(note.offset <= message.len() as u64);
        notes.push(note.kind);
    };
    let flow = regions(
        "",
        message,
        &mut Scratch { limits: *limits, ..Scratch::default() },
        Prefilter::new(None, find),
        &mut (&mut visit, &mut note),
    );
    assert!(flow.is_continue());
    assert_eq!(at, message.len(), "regions end early");
    // Walk again with a trigger index. In debug builds, the index fails if the walk does not read the offsets in
    // ascending order.
    let mut index = TriggerIndex::default();
    let prefilter = Prefilter::new(index.of(message, Dots::None), find);
    let mut visit = |_: &Region<'_>| ControlFlow::Continue(());
    let flow = regions(
        "",
        message,
        &mut Scratch { limits: *limits, ..Scratch::default() },
        prefilter,
        &mut (&mut visit, |_| {}),
    );
    assert!(flow.is_continue());
    (seen, notes)
}

#[track_caller]
fn walk(message: &[u8]) -> (Vec<Seen>, Vec<DiagnosticKind>) {
    walk_with(message, &Limits::default(), &|_| Some(0))
}

/// Checks that the bytes of a region's text map into the region, and that the offsets never decrease. Of a long text,
/// checks 500 to 1000 bytes. A byte that was not encoded must map to the same byte of the message.
#[track_caller]
fn check_map(message: &[u8], region: &Region<'_>) {
    if matches!(region.kind, Kind::Skipped(_)) {
        assert!(region.text.is_empty());
        return;
    }
    let mut last = region.raw.start;
    let step = (region.text.len() / 500).max(1);
    for i in (0..region.text.len()).step_by(step) {
        let raw = region.map.raw(i..i + 1);
        assert!(raw.start >= region.raw.start && raw.end <= region.raw.end, "{raw:?} is outside of {region:?}");
        assert!(raw.start < raw.end, "byte {i} of {region:?} has no source bytes");
        assert!(raw.start >= last || !region.map.exact(), "byte {i} of {region:?} is before the previous byte");
        last = raw.start;
        if raw.len() == 1 && region.map.exact() {
            let (byte, read) = (message[raw.start], region.text[i]);
            assert!(byte == read || (byte, read) == (b'\r', b'\n'), "byte {i} of {region:?}");
        }
    }
    let whole = region.map.raw(0..region.text.len());
    assert!(whole.start >= region.raw.start && whole.end <= region.raw.end);
}

/// Returns the visited regions that are not skipped, each as `part|kind|text`.
fn scanned(seen: &[Seen]) -> Vec<String> {
    let skips = [Skip::Headers, Skip::Boundary, Skip::Attachment("", 0)];
    let skips = skips.map(|skip| name(&Kind::Skipped(skip)));
    seen.iter()
        .filter(|seen| !skips.contains(&seen.kind))
        .map(|seen| format!("{}|{}|{}", seen.part, seen.kind, seen.text.escape_ascii()))
        .collect()
}

/// Returns the scanned regions of `message`. The prefilter finds nothing, so header fields without encoded words are
/// skipped.
#[track_caller]
fn body(message: &str) -> Vec<String> {
    let (seen, _) = walk_with(message.as_bytes(), &Limits::default(), &|_| None);
    scanned(&seen)
}

#[track_caller]
fn check(message: &str, expected: &[&str]) {
    assert_eq!(body(message), expected);
    let crlf = message.replace('\n', "\r\n");
    let expected: Vec<String> = expected.iter().map(|line| line.replace("\\n", "\\r\\n")).collect();
    assert_eq!(body(&crlf), expected, "with CRLF");
}
