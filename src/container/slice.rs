//! Cuts an archive into segments. A segment is a message, or a piece of text. The caller passes windows: a window is a
//! part of the archive that is in memory.

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memmem, memrchr, memrchr2};

use super::splitter::LOOKBACK;
use super::{ArchiveSegment, Boundary, LineCut, SegmentKind, Splitter, Step, Window, header, line_cut};

/// Sizes in bytes that decide where an archive is cut into segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Maximum size of a message. A larger message is cut at about this size. The bytes after the cut become pieces of
    /// text.
    pub(crate) message: usize,
    /// Minimum size of a piece of text. The piece ends at the first blank line after this many bytes.
    pub(crate) least: usize,
    /// Maximum size of a piece of text. If there is no blank line between `least` and `most`, the piece ends after a
    /// line, or else after a word, or else inside a word.
    pub(crate) most: usize,
    /// Number of bytes of context before and after each piece of text. The context belongs to the previous and the next
    /// piece. If a cut is inside a URL, the scanner can find the whole URL, because the context contains the rest of
    /// the URL. A cut at a blank line needs no context, because a URL does not continue after a blank line.
    /// [`Slicer::new`] reduces a `context` above `least` to `least`.
    pub(crate) context: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { message: 4 << 20, least: 256 << 10, most: 1 << 20, context: 16 << 10 }
    }
}

/// Cuts one archive into segments, from its first byte to its last.
///
/// The caller passes one window after another to [`slice`](Self::slice). Each window begins at the offset that the last
/// call returned. The sizes of the windows do not change the segments.
///
/// A unit is a message, or other data that the container format delimits, such as a table of contents. The current unit
/// is the unit at the offset `begin`.
///
/// The splitter searches each byte once for the beginnings of units. A window never needs to be longer than the largest
/// message or piece of text, plus about 20 KiB to find the end of that message or piece.
pub(crate) struct Slicer {
    splitter: Box<dyn Splitter>,
    limits: Limits,
    /// Kind of the current unit. The kind changes from `Message` to `Rest` after the first segment of a message that is
    /// larger than `limits.message`.
    kind: SegmentKind,
    /// Offset of the first byte of the current unit. The context of a piece of text never begins before this offset.
    begin: u64,
    /// Offset of the first byte that is not in a segment yet.
    start: u64,
    envelope: u32,
    number: u64,
    /// Number of bytes before `start` that are context for the next segment.
    overlap: u64,
    /// Where plain text from a slow input can be cut at the end of a line, so that lines are searched soon after they
    /// arrive.
    line_cut: LineCut,
    /// Offset up to which the current piece of text was searched for a blank line. A piece can be cut at a blank line.
    looked: u64,
    /// The file offset of the next unit, and the result of the splitter for this unit. `None` until the splitter finds
    /// the next unit.
    next: Option<(u64, Boundary)>,
    /// Offset from which the splitter searches for the next unit.
    decided: u64,
    messages: u64,
    /// Whether messages are numbered. They are not numbered if reading starts in the middle of the file and the number
    /// of earlier messages is unknown.
    numbered: bool,
    /// Whether the first message that begins in `range` has the number 1. If `false`, the first message of the file has
    /// the number 1.
    relative: bool,
    /// Number of bytes of the current message that do not count towards the size limit, and the offset up to which they
    /// were counted.
    packed: u64,
    counted: u64,
    /// The beginning of the current message, if the message is over the size limit. Each later segment of the message
    /// gets a copy of this beginning, because it contains the headers of the message.
    head: Option<Arc<[u8]>>,
    /// Only units that begin in this range become segments.
    range: Range<u64>,
    /// Whether the current unit begins in `range`.
    wanted: bool,
    /// Number of messages before the current unit.
    before: u64,
    /// What [`reached`](Slicer::reached) returned at the end of the unit before the current one.
    previous: Option<(u64, u64, u64)>,
    /// Offset up to which an earlier run read the unit at the beginning of `range`. This unit becomes a segment only if
    /// the unit has grown since then.
    known: Option<u64>,
    has_grown: bool,
    /// Checks whether the last message of the file is complete. An incomplete message does not become a segment.
    is_complete: Option<fn(&[u8]) -> bool>,
    finished: bool,
}

/// Number of bytes of context on each side of a cut that [`LineCut`] allows. To decide whether a URL continues on the
/// next line, the scanner reads at most 1024 bytes of each neighbouring line. The context is long enough for two lines
/// of 1024 bytes.
const LINE_OVERLAP: u64 = 2 << 10;

/// Number of bytes that are kept from the beginning of a message over the size limit. The headers of most messages are
/// shorter.
const KEPT_HEAD: usize = 64 << 10;

/// Maximum number of bytes of a message in lines of base64, as a multiple of the size limit of the message.
const PACKED_SHARE: u64 = 15;

/// Maximum length in bytes of a line that is counted as a whole. Lines of base64 in mail have at most 76 bytes.
const LINE_MAX: usize = 1000;

/// Whether a line of a message is a whole line of base64.
fn is_base64(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    (57..=76).contains(&line.len()) && line.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
}

impl Slicer {
    pub(crate) fn new(format: &super::Format, limits: Limits) -> Slicer {
        // Each piece gets at least 8 bytes, for two reasons. First, each cut must be after the previous cut. Second,
        // the search for a blank line reads up to three bytes before a possible cut. These bytes must be in the piece,
        // because the window may begin at the start of the piece.
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
            relative: false,
            packed: 0,
            counted: 0,
            head: None,
            range: 0..u64::MAX,
            wanted: true,
            before: 0,
            previous: None,
            known: None,
            has_grown: false,
            is_complete: None,
            finished: false,
        }
    }

    /// Makes the slicer return only the segments of units that begin in `range`. The slicer stops at the first unit
    /// after the range.
    pub(crate) fn within(mut self, range: Range<u64>) -> Slicer {
        self.wanted = range.contains(&0);
        self.range = range;
        self
    }

    /// Does the same as [`within`](Slicer::within), but does not read the file from its beginning. The first window
    /// begins [`LOOKBACK`] bytes before `range`, or at the beginning of the file if that is nearer. The format must be
    /// [local](super::Format::is_local). Messages are numbered from the start of `range`.
    pub(crate) fn beginning_within(self, range: Range<u64>) -> Slicer {
        let start = range.start;
        Slicer { begin: start, start, looked: start, decided: start, ..self.within(range) }
    }

    pub(crate) fn unnumbered(self) -> Slicer {
        Slicer { numbered: false, ..self }
    }

    /// Gives the number 1 to the first message that begins in the range.
    pub(crate) fn relative(self) -> Slicer {
        Slicer { relative: true, ..self }
    }

    pub(crate) fn set_line_cut(&mut self, cut: LineCut) {
        self.line_cut = cut;
    }

    /// Continues after an earlier run, which read the unit at `offset` up to the offset `end`. This unit becomes a
    /// segment only if a program has since added more than white space to the unit.
    ///
    /// `messages` is the number of messages before `offset`. If `messages` is `Some`, the first window can begin
    /// [`LOOKBACK`] bytes before `offset`. If `messages` is `None`, the first window begins at the beginning of the
    /// file.
    pub(crate) fn after(self, offset: u64, end: u64, messages: Option<u64>) -> Slicer {
        let range = offset..u64::MAX;
        let slicer = match messages {
            Some(messages) => Slicer { messages, before: messages, ..self.beginning_within(range) },
            None => self.within(range),
        };
        Slicer { known: Some(end), ..slicer }
    }

    /// Makes the slicer hold back the last message of the file if `is_complete` returns `false` for that message.
    pub(crate) fn hold(&mut self, is_complete: fn(&[u8]) -> bool) {
        self.is_complete = Some(is_complete);
        self.splitter.expect_growth();
    }

    /// Returns three numbers that a later run needs to continue: the offset of the current unit, the offset up to which
    /// segments cover this unit, and the number of messages before the unit. Returns `None` if the unit does not begin
    /// in `range`.
    pub(crate) fn reached(&self) -> Option<(u64, u64, u64)> {
        // The last unit of a file can have the kind `Meta`. An example is the last line of an MMDF mailbox. If a
        // program appends text to the file, this line may become the beginning of a message, or a part of the message
        // before it. So a later run reads on from that message.
        if self.kind == SegmentKind::Meta { self.previous } else { self.position(self.start) }
    }

    /// Returns the three numbers of [`reached`](Slicer::reached) for the current unit, which segments cover up to `end`.
    fn position(&self, end: u64) -> Option<(u64, u64, u64)> {
        self.wanted.then_some((self.begin, end, self.before))
    }

    /// Returns the offset of the current message and the number of messages before it. Returns `None` if the current
    /// unit is not a message, or if a part of the message is already in a segment.
    pub(crate) fn at_message(&self) -> Option<(u64, u64)> {
        let is_new = self.kind == SegmentKind::Message && self.start == self.begin && !self.finished;
        is_new.then_some((self.begin, self.before))
    }

    pub(crate) fn messages(&self) -> u64 {
        self.messages
    }

    /// Increases the number of the current message, and the numbers of all following messages, by `messages`.
    pub(crate) fn add(&mut self, messages: u64) {
        self.messages += messages;
        self.before += messages;
        self.number += if self.number > 0 { messages } else { 0 };
    }

    /// Appends the segments that end in this window to `segments`, and diagnostics to `notes`. The ranges of the
    /// segments are ranges in the window.
    ///
    /// Returns the offset in the file at which the next window must begin. If no segment was added, the next window
    /// must be longer.
    pub(crate) fn slice(
        &mut self,
        window: Window<'_>,
        segments: &mut Vec<ArchiveSegment>,
        notes: &mut Vec<Diagnostic>,
    ) -> u64 {
        // If the window ends before `decided`, all of its bytes are before the range. If the file ends there, it was
        // truncated after the caller chose the range.
        if window.base + (window.bytes.len() as u64) < self.decided {
            self.finished = window.eof;
            return window.base;
        }
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
        // If the whole range is inside one huge message, no message begins in the range. Without this check, the caller
        // would read the file to the end of the huge message.
        if !self.wanted && self.decided >= self.range.end {
            self.finished = true;
        }
        match self.kind {
            SegmentKind::Message => self.start,
            _ => self.context_before().saturating_sub(LOOKBACK).max(window.base),
        }
    }

    /// Whether all units that begin before `offset` were found.
    pub(crate) fn has_decided(&self, offset: u64) -> bool {
        self.decided >= offset
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether a message, or other data of the format such as Babyl's settings, was found in the file.
    pub(crate) fn has_met_any(&self) -> bool {
        self.messages > 0 || self.kind == SegmentKind::Meta
    }

    /// Maximum number of bytes of a message that is not truncated.
    fn message_max(&self) -> u64 {
        (self.limits.message as u64).max(u64::from(self.envelope))
    }

    /// Whether the current unit is an incomplete message that must be [held back](Slicer::hold). `rest` is the part of
    /// the unit that is not in a segment yet, up to the end of the file. A message over the size limit is not held
    /// back, because its beginning can be in a segment before the end of the file is reached.
    fn holds(&self, rest: &[u8]) -> bool {
        self.wanted
            && self.kind == SegmentKind::Message
            && rest.len() as u64 <= self.message_max()
            && self.is_complete.is_some_and(|is_complete| !is_complete(rest))
            && !self.is_known(rest, self.start + rest.len() as u64)
    }

    /// Whether an earlier run has already read the current unit up to the offset `cut`, or up to white space directly
    /// before `cut`. `rest` is the part of the unit before `cut` that is not in a segment yet.
    fn is_known(&self, rest: &[u8], cut: u64) -> bool {
        self.begin == self.range.start
            && self.known.is_some_and(|end| {
                let new = (cut - end.clamp(self.start, cut)) as usize;
                end > self.begin && rest[rest.len() - new..].trim_ascii().is_empty()
            })
    }

    fn open(&mut self, at: u64, mark: Boundary) {
        self.previous = self.position(at);
        self.before = self.messages;
        self.kind = mark.kind;
        self.envelope = mark.envelope;
        (self.head, self.wanted) = (None, self.range.contains(&at));
        self.messages += u64::from(mark.kind == SegmentKind::Message && (self.wanted || !self.relative));
        self.number = if mark.kind == SegmentKind::Message && self.numbered { self.messages } else { 0 };
        (self.begin, self.start, self.looked, self.overlap) = (at, at, at, 0);
        (self.packed, self.counted) = (0, at);
    }

    /// Adds segments for the current unit, as far as the window allows. Returns whether segments now cover the whole
    /// unit.
    fn hand_out(
        &mut self,
        window: Window<'_>,
        end: Option<u64>,
        segments: &mut Vec<ArchiveSegment>,
        notes: &mut Vec<Diagnostic>,
    ) -> bool {
        let known = end.unwrap_or(self.decided);
        if self.kind == SegmentKind::Message {
            match (self.limit(window, end, known), end) {
                (Some(limit), _) => self.truncate(window, limit, segments, notes),
                (None, Some(end)) => {
                    self.push(window, end, end, segments);
                    return true;
                }
                (None, None) => return false,
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

    /// Returns the offset at which the current message is larger than the limit, if it is. Lines of base64 do not count,
    /// so that a large picture does not hide the part after it. Only whole lines are counted, so the result does not
    /// depend on the size of the window.
    fn limit(&mut self, window: Window<'_>, end: Option<u64>, known: u64) -> Option<u64> {
        let max = self.message_max();
        if known - self.start <= max {
            return None;
        }
        while self.counted < known {
            let rest = window.between(self.counted..known);
            let line = &rest[..rest.len().min(LINE_MAX)];
            let length = match memchr(b'\n', line) {
                Some(at) => at + 1,
                None if line.len() < LINE_MAX && end.is_none() => return None,
                None => line.len(),
            };
            let is_packed = is_base64(&line[..length]);
            let (counted, packed) = (self.counted + length as u64, self.packed + u64::from(is_packed) * length as u64);
            if counted - self.start > max.saturating_add(packed.min(PACKED_SHARE * max)) {
                let text = self.counted - self.start - self.packed;
                return Some(self.counted + max.saturating_sub(text).min(length as u64));
            }
            (self.counted, self.packed) = (counted, packed);
        }
        None
    }

    /// Adds a segment for the beginning of a message that is larger than the limit. The rest of the message becomes
    /// plain text.
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

    /// Returns the offset at which to cut the piece of text that begins at `start`, and the number of bytes of context
    /// on each side of the cut. Returns `None` if the window is too short to decide.
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

    /// Returns the end of a line at which `line_cut` allows a cut, and the number of bytes of context on each side of
    /// the cut.
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

    /// Adds a segment with the bytes from `start` to `cut`. The bytes from `cut` to the offset `context` are context.
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

/// Returns the index at which to cut text that has no blank line. The cut is after the last line break. In text without
/// a line break, the cut is after the last space or tab. In text without spaces and tabs, the cut is at the end.
fn makeshift(text: &[u8]) -> usize {
    memrchr(b'\n', text).or_else(|| memrchr2(b' ', b'\t', text)).map_or(text.len(), |i| i + 1)
}
