//! News batches: `#! rnews <octets>`, then an article of so many octets, and so on (RFC 1036, C News, INN).

use memchr::memchr;
use memchr::memmem::Finder;

use super::{Cutter, Mark, NoteKind, PieceKind, Step, Window};

const RNEWS: &[u8] = b"#! rnews ";
const NEXT_RNEWS: &[u8] = b"\n#! rnews ";
/// A longer `#! rnews` line is not one.
const LINE_MAX: usize = 128;
/// Counts up to this are believed even in a batch whose counts have been wrong before.
const TRUST_MIN: u64 = 64 * 1024;

struct Rnews {
    finder: Finder<'static>,
    /// Where the article that is open ends if its count is right, from the beginning of the file.
    end: Option<u64>,
    /// The article that is open does not end where its count says.
    wrong: bool,
    /// A larger count is not believed. Halved by each wrong one: to check a count takes that many octets in memory.
    trust: u64,
}

pub(super) fn new(limit: usize) -> Box<dyn Cutter> {
    Box::new(Rnews { finder: Finder::new(NEXT_RNEWS), end: None, wrong: false, trust: limit as u64 })
}

pub(super) fn detect(head: &[u8]) -> bool {
    matches!(line(head, true), Line::Article { .. })
}

enum Line {
    /// A `#! rnews` line of so many octets with its line end, and the count on it.
    Article {
        envelope: u32,
        count: u64,
    },
    Other,
    Unknown,
}

/// What the line that `text` begins with is.
fn line(text: &[u8], all: bool) -> Line {
    let head = &text[..text.len().min(LINE_MAX)];
    if !head.starts_with(RNEWS) {
        return if !all && RNEWS.starts_with(head) { Line::Unknown } else { Line::Other };
    }
    let end = match memchr(b'\n', head) {
        Some(end) => end + 1,
        None if text.len() >= LINE_MAX => return Line::Other,
        None if all => head.len(),
        None => return Line::Unknown,
    };
    let digits = &head[RNEWS.len()..end];
    let digits = &digits[..digits.iter().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len())];
    if digits.is_empty() {
        return Line::Other;
    }
    let count = digits.iter().fold(0u64, |n, d| n.saturating_mul(10).saturating_add(u64::from(d - b'0')));
    // `end` is at most LINE_MAX.
    Line::Article { envelope: end as u32, count }
}

impl Rnews {
    fn cut(&mut self, window: Window<'_>, at: usize, envelope: u32, count: u64) -> Step {
        let size = count.saturating_add(u64::from(envelope));
        self.end = (size <= self.trust).then_some(window.base + at as u64 + size);
        let note = std::mem::take(&mut self.wrong).then_some(NoteKind::WrongCount);
        Step::Cut(Mark { at, kind: PieceKind::Message, envelope, note })
    }

    fn distrust(&mut self) {
        self.end = None;
        self.wrong = true;
        self.trust = (self.trust / 2).max(TRUST_MIN.min(self.trust));
    }
}

impl Cutter for Rnews {
    fn next(&mut self, window: Window<'_>, from: usize) -> Step {
        let bytes = window.bytes;
        let mut short = None;
        if window.base == 0 && from == 0 {
            match line(bytes, window.eof) {
                Line::Article { envelope, count } => return self.cut(window, 0, envelope, count),
                Line::Unknown => return Step::More { decided: 0, note: None },
                Line::Other => {}
            }
        }
        if let Some(end) = self.end {
            // The count is right if an article begins, or the file ends, where it says.
            let at = usize::try_from(end - window.base).unwrap_or(usize::MAX);
            match bytes.get(at..).map(|rest| (rest.is_empty(), line(rest, window.eof))) {
                Some((_, Line::Article { envelope, count })) => return self.cut(window, at, envelope, count),
                Some((true, _)) if window.eof => return Step::More { decided: bytes.len(), note: None },
                Some((_, Line::Unknown)) => return Step::More { decided: from, note: None },
                None if !window.eof => return Step::More { decided: from, note: None },
                // Cut short, unless another article begins before the end of the file.
                None => short = Some(NoteKind::ShortArticle),
                Some(_) => {}
            }
            self.distrust();
        }
        let mut at = from.saturating_sub(1);
        while let Some(found) = self.finder.find(&bytes[at..]) {
            let start = at + found + 1;
            match line(&bytes[start..], window.eof) {
                Line::Article { envelope, count } => return self.cut(window, start, envelope, count),
                Line::Unknown => return Step::More { decided: start, note: None },
                Line::Other => at = start,
            }
        }
        if window.eof {
            let note = short.or(self.wrong.then_some(NoteKind::WrongCount));
            return Step::More { decided: bytes.len(), note };
        }
        Step::More { decided: (bytes.len() + 1).saturating_sub(RNEWS.len()).max(from), note: None }
    }
}
