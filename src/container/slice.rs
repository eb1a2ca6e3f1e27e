//! Finds the complete segments in a window of an archive.

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use std::ops::Range;
use std::sync::Arc;

use memchr::{memmem, memrchr, memrchr2};

use super::splitter::LOOKBACK;
use super::{ArchiveSegment, Boundary, LineCut, SegmentKind, Splitter, Step, Window, header, line_cut};

/// Sizes, in bytes, that decide how an archive is cut. Other sizes give other segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The largest message that is one segment. What is beyond is cut like text.
    pub(crate) message: usize,
    /// A window of text ends with the first blank line after this many bytes.
    pub(crate) least: usize,
    /// Without a blank line up to here, the window ends after the last line or the last word, or inside a word.
    pub(crate) most: usize,
    /// How much context each side of such an emergency cut has of the other: at most `least`.
    pub(crate) context: usize,
}

impl Default for Limits {
    /// Messages of 4 MiB, windows from 256 KiB to 1 MiB, 16 KiB of context.
    fn default() -> Limits {
        Limits { message: 4 << 20, least: 256 << 10, most: 1 << 20, context: 16 << 10 }
    }
}

/// Cuts one archive, from its first byte to its last.
///
/// The caller passes one window after the other. Each begins at the offset that the last call returned. The segments
/// depend on the archive and the limits only. Each byte is searched once for the beginnings of messages. The window
/// never has to hold more than the largest message or window of text, and some 20 KiB after it to find its end.
pub(crate) struct Slicer {
    splitter: Box<dyn Splitter>,
    limits: Limits,
    /// The kind of the open unit. `Rest` is also the rest of a message over the limit.
    kind: SegmentKind,
    /// The first byte of the open unit. Context does not go beyond it.
    begin: u64,
    /// The first byte that is not in a segment yet.
    start: u64,
    envelope: u32,
    number: u64,
    /// How much of the text before `start` is context: some after an emergency cut, or after a line of slow text.
    overlap: u64,
    /// When plain text is cut before a whole window of it is there.
    line_cut: LineCut,
    /// How far the text was searched for a blank line to end the window with.
    looked: u64,
    /// Where the next unit begins, if that is known.
    next: Option<(u64, Boundary)>,
    /// No unit begins between `start` and here.
    decided: u64,
    messages: u64,
    /// Whether units are numbered. They are not if reading starts in the middle of the file.
    numbered: bool,
    /// The beginning of the message whose rest is being handed out.
    head: Option<Arc<[u8]>>,
    /// Only units that begin in this range are handed out.
    range: Range<u64>,
    /// Whether the open unit begins in `range`.
    wanted: bool,
    /// How many messages were opened before the open unit.
    before: u64,
    /// The unit at the beginning of `range` was read up to here by an earlier run. It is handed out only if it has grown.
    known: Option<u64>,
    /// That unit has grown, which was not reported yet.
    has_grown: bool,
    /// Whether a message that the file ends with is complete. If not, it is not handed out.
    is_complete: Option<fn(&[u8]) -> bool>,
    finished: bool,
}

/// How much text before a line of slow text is context: a line above counts if it is at most half as long.
const LINE_OVERLAP: u64 = 2 << 10;

/// How much of a message over the limit is kept for its rest. Headers are shorter.
const KEPT_HEAD: usize = 64 << 10;

impl Slicer {
    /// Makes a slicer for one archive.
    pub(crate) fn new(format: &super::Format, limits: Limits) -> Slicer {
        // Each cut must move on. The window no longer has the bytes before the last cut.
        let least = limits.least.max(8);
        let (most, context) = (limits.most.max(least), limits.context.min(least));
        let limits = Limits { message: limits.message.max(1), least, most, context };
        Slicer {
            splitter: format.splitter(limits.message),
            limits,
            kind: SegmentKind::Rest,
            begin: 0,
            start: 0,
            envelope: 0,
            number: 0,
            overlap: 0,
            line_cut: LineCut::Never,
            looked: 0,
            next: None,
            decided: 0,
            messages: 0,
            numbered: true,
            head: None,
            range: 0..u64::MAX,
            wanted: true,
            before: 0,
            known: None,
            has_grown: false,
            is_complete: None,
            finished: false,
        }
    }

    /// Hands out only the units that begin in `range`. Finishes at the first unit after it.
    pub(crate) fn within(mut self, range: Range<u64>) -> Slicer {
        self.wanted = range.contains(&0);
        self.range = range;
        self
    }

    /// Like [`within`](Slicer::within), but reads from the beginning of that range. The format must be one that can be
    /// cut from anywhere. Windows may begin there, or [`LOOKBACK`] bytes before. Messages have no numbers then.
    pub(crate) fn beginning_within(self, range: Range<u64>) -> Slicer {
        let start = range.start;
        Slicer { begin: start, start, looked: start, decided: start, numbered: false, ..self.within(range) }
    }

    /// Sets when plain text is cut before a whole window of it is there.
    pub(crate) fn set_line_cut(&mut self, cut: LineCut) {
        self.line_cut = cut;
    }

    /// Continues where an earlier run ended: in the unit that begins at `offset` and was read up to `end`. That unit is
    /// handed out only if it has grown by more than blanks. If `messages` is given, windows may begin [`LOOKBACK`] bytes
    /// before `offset`, and so many messages are before them.
    pub(crate) fn after(self, offset: u64, end: u64, messages: Option<u64>) -> Slicer {
        let range = offset..u64::MAX;
        let slicer = match messages {
            Some(messages) => Slicer { numbered: true, messages, before: messages, ..self.beginning_within(range) },
            None => self.within(range),
        };
        Slicer { known: Some(end), ..slicer }
    }

    /// Hands out a message that the file ends with only if `is_complete` returns true for it.
    pub(crate) fn hold(&mut self, is_complete: fn(&[u8]) -> bool) {
        self.is_complete = Some(is_complete);
    }

    /// Returns where the open unit begins, how far it was handed out, and how many messages are before it. `None` before
    /// the wanted part.
    pub(crate) fn reached(&self) -> Option<(u64, u64, u64)> {
        // What ends a message at the end of a file begins one, once another follows.
        let end = if self.kind == SegmentKind::Meta { self.begin } else { self.start };
        self.wanted.then_some((self.begin, end, self.before))
    }

    /// Adds the complete segments, with ranges in the window, and diagnostics.
    ///
    /// Returns the offset in the file at which the next window must begin. If there is no segment, the next window must
    /// reach further.
    pub(crate) fn slice(
        &mut self,
        window: Window<'_>,
        segments: &mut Vec<ArchiveSegment>,
        notes: &mut Vec<Diagnostic>,
    ) -> u64 {
        while !self.finished {
            let mut odd = None;
            if self.next.is_none() {
                match self.splitter.next(window, window.index(self.decided)) {
                    Step::Cut(mark) => {
                        let at = window.base + mark.at as u64;
                        self.next = Some((at, mark));
                        self.decided = at + 1;
                    }
                    Step::More { decided, note } => {
                        self.decided = window.base + decided as u64;
                        odd = note;
                    }
                }
            }
            let last = window.base + window.bytes.len() as u64;
            if self.next.is_none() && window.eof && self.holds(window.between(self.start..last)) {
                notes.push(Diagnostic::new(DiagnosticKind::HeldBack, self.start));
                self.finished = true;
                break;
            }
            let end = self.next.map(|(at, _)| at).or(window.eof.then_some(last));
            let is_all = self.hand_out(window, end, segments, notes);
            if std::mem::take(&mut self.has_grown) {
                notes.push(Diagnostic::new(DiagnosticKind::Grown, self.begin));
            }
            if !is_all {
                break;
            }
            let next = self.next.take();
            let odd = odd.or(next.and_then(|(_, mark)| mark.note));
            notes.extend(odd.filter(|_| self.wanted).map(|kind| Diagnostic::new(kind, self.begin)));
            match next {
                Some((at, mark)) if at < self.range.end => self.open(at, mark),
                _ => self.finished = true,
            }
        }
        match self.kind {
            SegmentKind::Message => self.start,
            _ => self.context_before().saturating_sub(LOOKBACK).max(window.base),
        }
    }

    /// Whether the file, or the wanted part of it, has ended and is all in segments.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether it found anything of the format, not only text.
    pub(crate) fn has_met_any(&self) -> bool {
        self.messages > 0 || self.kind == SegmentKind::Meta
    }

    /// Whether the file ends with this `rest` of the open unit, and that is a message that is not complete.
    fn holds(&self, rest: &[u8]) -> bool {
        self.wanted
            && self.kind == SegmentKind::Message
            && self.is_complete.is_some_and(|is_complete| !is_complete(rest))
            && !self.is_known(rest, self.start + rest.len() as u64)
    }

    /// Whether an earlier run has read the open unit up to `cut`, but for blanks. `rest` is what of it is before `cut`
    /// and was not handed out.
    fn is_known(&self, rest: &[u8], cut: u64) -> bool {
        self.begin == self.range.start
            && self.known.is_some_and(|end| {
                let new = (cut - end.clamp(self.start, cut)) as usize;
                end > self.begin && rest[rest.len() - new..].trim_ascii().is_empty()
            })
    }

    fn open(&mut self, at: u64, mark: Boundary) {
        self.before = self.messages;
        self.kind = mark.kind;
        self.envelope = mark.envelope;
        self.messages += u64::from(mark.kind == SegmentKind::Message);
        self.number = if mark.kind == SegmentKind::Message && self.numbered { self.messages } else { 0 };
        (self.head, self.wanted) = (None, self.range.contains(&at));
        (self.begin, self.start, self.looked, self.overlap) = (at, at, at, 0);
    }

    /// Puts as much of the open unit into segments as it can. Returns whether that was all of it.
    fn hand_out(
        &mut self,
        window: Window<'_>,
        end: Option<u64>,
        segments: &mut Vec<ArchiveSegment>,
        notes: &mut Vec<Diagnostic>,
    ) -> bool {
        let known = end.unwrap_or(self.decided);
        if self.kind == SegmentKind::Message {
            let limit = self.start + (self.limits.message as u64).max(u64::from(self.envelope));
            match end {
                Some(end) if end <= limit => {
                    self.push(window, end, end, segments);
                    return true;
                }
                _ if known <= limit => return false,
                _ => self.truncate(window, limit, segments, notes),
            }
        }
        loop {
            if end == Some(self.start) {
                return true;
            }
            let Some((cut, overlap)) = self.window_end(window, end, known) else { return false };
            self.push(window, cut, (cut + overlap).min(known), segments);
            (self.overlap, self.looked) = (overlap, cut);
        }
    }

    /// Hands out the beginning of a message that is over the limit. The rest becomes plain text.
    fn truncate(
        &mut self,
        window: Window<'_>,
        limit: u64,
        segments: &mut Vec<ArchiveSegment>,
        notes: &mut Vec<Diagnostic>,
    ) {
        let body = self.start + u64::from(self.envelope);
        let from = body.max(limit.saturating_sub(self.limits.context as u64));
        let text = window.between(from..limit);
        let blank = memmem::rfind(text, b"\n\n").map(|i| i + 2).max(memmem::rfind(text, b"\n\r\n").map(|i| i + 3));
        let cut = from + blank.unwrap_or_else(|| makeshift(text)) as u64;
        if self.wanted {
            let (kind, limit) = (DiagnosticKind::OversizeMessage, self.limits.message as u64);
            notes.push(Diagnostic::with_number(kind, self.start, limit));
        }
        self.push(window, cut, cut, segments);
        if self.wanted {
            let body = window.between(body..limit);
            self.head = Some(body[..body.len().min(KEPT_HEAD)].into());
        }
        let overlap = if blank.is_none() { self.limits.context as u64 } else { 0 };
        (self.kind, self.envelope, self.overlap, self.looked) = (SegmentKind::Rest, 0, overlap, cut);
    }

    /// Returns where the window of text that begins at `start` ends, and how much its two sides see of each other.
    fn window_end(&mut self, window: Window<'_>, end: Option<u64>, known: u64) -> Option<(u64, u64)> {
        let least = self.start + self.limits.least as u64;
        let most = self.start + self.limits.most as u64;
        if let Some(end) = end.filter(|&end| end <= least) {
            return Some((end, 0));
        }
        let (from, to) = (least.max(self.looked), most.min(known));
        if from <= to {
            if let Some(cut) = header::after_blank_line(window.bytes, window.index(from), window.index(to)) {
                return Some((window.base + cut as u64, 0));
            }
            self.looked = to + 1;
        }
        match end {
            Some(end) if end <= most => return Some((end, 0)),
            None if known < most + self.limits.context as u64 => return self.line_end(window, known),
            _ => {}
        }
        Some((least + makeshift(window.between(least..most)) as u64, self.limits.context as u64))
    }

    /// Returns where plain text can be cut that has come so far, with its overlap.
    fn line_end(&self, window: Window<'_>, known: u64) -> Option<(u64, u64)> {
        if self.kind != SegmentKind::Text {
            return None;
        }
        let cut = line_cut::find(window.between(self.start..known), self.line_cut)?;
        Some((self.start + cut as u64, LINE_OVERLAP.min(self.limits.context as u64)))
    }

    fn context_before(&self) -> u64 {
        self.start.saturating_sub(self.overlap).max(self.begin)
    }

    /// Hands out the bytes between `start` and `cut`, with the part of the window that the segment may use as context.
    fn push(&mut self, window: Window<'_>, cut: u64, context: u64, segments: &mut Vec<ArchiveSegment>) {
        if cut == self.start {
            return;
        }
        if self.wanted && !self.is_known(window.between(self.start..cut), cut) {
            self.has_grown |= self.known.take().is_some_and(|end| end > self.begin && self.begin == self.range.start);
            segments.push(ArchiveSegment {
                kind: self.kind,
                envelope: self.envelope,
                range: window.index(self.context_before())..window.index(context),
                starts: window.index(self.start)..window.index(cut),
                number: self.number,
                head: self.head.clone(),
            });
        }
        self.start = cut;
    }
}

/// Returns where to cut a text without blank lines: after its last line break, else its last space, else at its end.
fn makeshift(text: &[u8]) -> usize {
    memrchr(b'\n', text).or_else(|| memrchr2(b' ', b'\t', text)).map_or(text.len(), |i| i + 1)
}
