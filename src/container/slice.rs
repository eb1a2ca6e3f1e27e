//! Finds the complete segments in a window of an archive.

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use std::ops::Range;
use std::sync::Arc;

use memchr::{memmem, memrchr, memrchr2};

use super::splitter::LOOKBACK;
use super::{ArchiveSegment, Boundary, SegmentKind, Splitter, Step, Window, header};

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
    /// Whether the cut at `start` is an emergency cut.
    joined: bool,
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
    finished: bool,
}

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
            joined: false,
            looked: 0,
            next: None,
            decided: 0,
            messages: 0,
            numbered: true,
            head: None,
            range: 0..u64::MAX,
            wanted: true,
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
            let end = self.next.map(|(at, _)| at).or(window.eof.then_some(window.base + window.bytes.len() as u64));
            if !self.hand_out(window, end, segments, notes) {
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

    fn open(&mut self, at: u64, mark: Boundary) {
        self.kind = mark.kind;
        self.envelope = mark.envelope;
        self.messages += u64::from(mark.kind == SegmentKind::Message);
        self.number = if mark.kind == SegmentKind::Message && self.numbered { self.messages } else { 0 };
        (self.head, self.wanted) = (None, self.range.contains(&at));
        (self.begin, self.start, self.looked, self.joined) = (at, at, at, false);
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
            let Some((cut, joined)) = self.window_end(window, end, known) else { return false };
            let context = if joined { (cut + self.limits.context as u64).min(known) } else { cut };
            self.push(window, cut, context, segments);
            (self.joined, self.looked) = (joined, cut);
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
        (self.kind, self.envelope, self.joined, self.looked) = (SegmentKind::Rest, 0, blank.is_none(), cut);
    }

    /// Returns where the window of text that begins at `start` ends, and whether that is an emergency cut.
    fn window_end(&mut self, window: Window<'_>, end: Option<u64>, known: u64) -> Option<(u64, bool)> {
        let least = self.start + self.limits.least as u64;
        let most = self.start + self.limits.most as u64;
        if let Some(end) = end.filter(|&end| end <= least) {
            return Some((end, false));
        }
        let (from, to) = (least.max(self.looked), most.min(known));
        if from <= to {
            if let Some(cut) = header::after_blank_line(window.bytes, window.index(from), window.index(to)) {
                return Some((window.base + cut as u64, false));
            }
            self.looked = to + 1;
        }
        match end {
            Some(end) if end <= most => return Some((end, false)),
            None if known < most + self.limits.context as u64 => return None,
            _ => {}
        }
        Some((least + makeshift(window.between(least..most)) as u64, true))
    }

    fn context_before(&self) -> u64 {
        let context = if self.joined { self.limits.context as u64 } else { 0 };
        self.start.saturating_sub(context).max(self.begin)
    }

    /// Hands out the bytes between `start` and `cut`, with the part of the window that the segment may use as context.
    fn push(&mut self, window: Window<'_>, cut: u64, context: u64, segments: &mut Vec<ArchiveSegment>) {
        if cut == self.start {
            return;
        }
        if self.wanted {
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
