//! Splits archives in which a special line begins each unit. Such archives are mailboxes, news batches and the output
//! of `git cat-file --batch`. A unit is a message, or other data that the format delimits.

use crate::diagnostic::DiagnosticKind;
use crate::simd::Needle;

use super::{Boundary, SegmentKind, Splitter, Step, Unknown, Window, header};

/// Byte counts up to this value are always checked, even if earlier counts in the archive were wrong. A byte count is,
/// for example, the 1234 in `#! rnews 1234`.
const TRUST_MIN: u64 = 64 * 1024;

/// What is known about a unit from its first lines, for example from `#! rnews 1234`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentStart {
    pub(super) kind: SegmentKind,
    /// Length in bytes of the envelope: the first line and all other lines before the message, including their line
    /// ends.
    pub(super) envelope: u32,
    /// Length in bytes of the unit without its envelope, if the first line states this length.
    pub(super) count: Option<u64>,
}

impl SegmentStart {
    /// Describes a unit that has no byte count. The cast cannot truncate, because an envelope is a few short lines.
    pub(super) fn new(kind: SegmentKind, envelope: usize) -> SegmentStart {
        SegmentStart { kind, envelope: envelope as u32, count: None }
    }
}

/// The form of the lines with which units begin.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// A line break, followed by the first bytes of the line, such as `\nFrom `.
    pub(super) start: &'static [u8],
    /// Returns the unit that begins with the line at the given index of the window, or `None` if the line does not
    /// begin a unit. The line must begin with the bytes of `start` after the line break. The function can read up to
    /// four bytes before the line, and about 16 KiB from the start of the line.
    pub(super) judge: fn(Window<'_>, usize) -> Result<Option<SegmentStart>, Unknown>,
    /// Returns the kind of the text before the first unit. The argument is the beginning of the file.
    pub(super) preamble: fn(&[u8]) -> SegmentKind,
}

impl Form {
    /// Whether the first line in `head` that is not blank begins a unit. `head` is the beginning of a file.
    pub(super) fn begins(&self, head: &[u8]) -> bool {
        let at = header::lead(head, true).unwrap_or_default();
        let window = Window { bytes: head, base: 0, eof: true };
        matches!(self.judge_any(window, at), Ok(Some(_)))
    }

    /// Does the same as `judge`, but accepts any line. Returns `None` if the line does not begin with the bytes of
    /// `start` after the line break.
    pub(super) fn judge_any(&self, window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
        let (line, start) = (&window.bytes[at..], &self.start[1..]);
        match line.starts_with(start) {
            true => (self.judge)(window, at),
            false if !window.eof && start.starts_with(line) => Err(Unknown),
            false => Ok(None),
        }
    }
}

struct Lines {
    form: Form,
    start: Needle,
    /// Offset in the file at which the current unit ends, if its byte count is right.
    end: Option<u64>,
    /// Whether the byte count of the current unit is wrong.
    wrong: bool,
    /// Byte counts above this limit are ignored. To check a byte count, the whole unit must be in memory. To save
    /// memory in an archive with many wrong counts, each wrong count halves this limit.
    trust: u64,
    /// Whether the file may grow.
    grows: bool,
}

/// Makes a splitter for archives in which units begin with lines of this form. To check a byte count, the splitter can
/// read at most `limit` bytes ahead.
pub(super) fn splitter(form: Form, limit: usize) -> Box<dyn Splitter> {
    Box::new(Lines { form, start: Needle::new(form.start), end: None, wrong: false, trust: limit as u64, grows: false })
}

/// Returns two indexes: the end of the line at `at`, before its line break, and the beginning of the next line. Returns
/// `None` if the line is longer than `most` bytes.
pub(super) fn line_end(window: Window<'_>, at: usize, most: usize) -> Result<Option<(usize, usize)>, Unknown> {
    let rest = window.bytes.get(at..).unwrap_or_default();
    match memchr::memchr(b'\n', &rest[..rest.len().min(most)]) {
        Some(end) => {
            let text = rest[..end].strip_suffix(b"\r").map_or(end, <[u8]>::len);
            Ok(Some((at + text, at + end + 1)))
        }
        None if rest.len() >= most => Ok(None),
        None if window.eof => Ok(Some((at + rest.len(), at + rest.len()))),
        None => Err(Unknown),
    }
}

/// Number of blank bytes that can follow the last line of a mailbox.
const BLANK_MAX: usize = 16 << 10;

/// Whether the file ends at `at`, or after at most [`BLANK_MAX`] blank bytes.
pub(super) fn is_end(window: Window<'_>, at: usize) -> Result<bool, Unknown> {
    let rest = window.bytes.get(at..).unwrap_or_default();
    match rest[..rest.len().min(BLANK_MAX + 1)].trim_ascii_start() {
        [_, ..] => Ok(false),
        [] if rest.len() > BLANK_MAX => Ok(false),
        [] if window.eof => Ok(true),
        [] => Err(Unknown),
    }
}

impl Lines {
    /// Whether the line at `at` could begin a unit if the file were longer.
    fn may_begin(&self, window: Window<'_>, at: usize) -> bool {
        self.form.judge_any(Window { eof: false, ..window }, at).is_err()
    }

    fn cut(&mut self, window: Window<'_>, at: usize, SegmentStart { kind, envelope, count }: SegmentStart) -> Step {
        let size = count.map(|count| count.saturating_add(u64::from(envelope)));
        self.end = size.filter(|&size| size <= self.trust).map(|size| window.base + at as u64 + size);
        let note = std::mem::take(&mut self.wrong).then_some(DiagnosticKind::WrongCount);
        Step::Cut(Boundary { at, kind, envelope, note })
    }
}

impl Splitter for Lines {
    fn expect_growth(&mut self) {
        self.grows = true;
    }

    fn next(&mut self, window: Window<'_>, from: usize) -> Step {
        let Form { start, judge, preamble } = self.form;
        let bytes = window.bytes;
        let mut short = None;
        if window.base == 0 && from == 0 {
            let Ok(first) = header::lead(bytes, window.eof) else { return Step::More { decided: 0, note: None } };
            let kind = preamble(&bytes[first..]);
            match self.form.judge_any(window, first) {
                Ok(Some(unit)) => return self.cut(window, first, unit),
                Err(Unknown) => return Step::More { decided: 0, note: None },
                Ok(None) if kind == SegmentKind::Rest || bytes.is_empty() => {}
                Ok(None) => return self.cut(window, 0, SegmentStart::new(kind, first)),
            }
        }
        if let Some(end) = self.end {
            // The byte count of the current unit is right if another unit begins at `end`, or if the file ends at
            // `end`.
            // A blank line can follow the unit, as in mboxcl2.
            let mut at = usize::try_from(end - window.base).unwrap_or(usize::MAX);
            if let Some(blank) = bytes.get(at..).filter(|rest| matches!(rest, [b'\n', ..] | [b'\r', b'\n', ..])) {
                at += 1 + usize::from(blank[0] == b'\r');
            }
            if bytes.get(at..) == Some(b"\r") && (!window.eof || self.grows) {
                let decided = if window.eof { bytes.len() } else { from };
                return Step::More { decided, note: None };
            }
            match bytes.get(at..).map(|rest| (rest.is_empty(), self.form.judge_any(window, at))) {
                Some((_, Ok(Some(unit)))) => return self.cut(window, at, unit),
                Some((true, _)) if window.eof => return Step::More { decided: bytes.len(), note: None },
                Some((_, Err(Unknown))) => return Step::More { decided: from, note: None },
                None if !window.eof => return Step::More { decided: from, note: None },
                None if self.grows => return Step::More { decided: bytes.len(), note: None },
                // The first line of the next unit is not complete yet.
                Some((false, _)) if self.grows && self.may_begin(window, at) => {
                    return Step::More { decided: bytes.len(), note: None };
                }
                // According to its byte count, the current unit ends after the end of the file. If the search below
                // finds another unit, the count is wrong. Otherwise, the current unit is the last unit of the file, and
                // has fewer bytes than its byte count states.
                None => short = Some(DiagnosticKind::ShortArticle),
                Some(_) => {}
            }
            (self.end, self.wrong) = (None, true);
            self.trust = (self.trust / 2).max(TRUST_MIN.min(self.trust));
        }
        // The pattern `start` begins with a line break. If a unit begins at `from`, this line break is one byte before
        // `from`. So the search begins there.
        let mut at = from.saturating_sub(1);
        while let Some(found) = self.start.find(&bytes[at..]) {
            let line = at + found + 1;
            match judge(window, line) {
                Ok(Some(unit)) => return self.cut(window, line, unit),
                Ok(None) => at = line,
                Err(Unknown) => return Step::More { decided: line, note: None },
            }
        }
        if window.eof {
            let note = short.or(self.wrong.then_some(DiagnosticKind::WrongCount));
            return Step::More { decided: bytes.len(), note };
        }
        // The window can end in the middle of the pattern `start`. So the last few bytes of the window are searched
        // again with the next window.
        let decided = (bytes.len() + 2).saturating_sub(start.len()).min(bytes.len());
        Step::More { decided: decided.max(from), note: None }
    }
}
