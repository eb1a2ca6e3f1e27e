//! Units that begin with a line that says how many octets follow: batches of news, what git writes.

use super::{Cutter, Mark, NoteKind, PieceKind, Step, Unknown, Window};

/// Counts up to this are believed even in an archive whose counts have been wrong before.
const TRUST_MIN: u64 = 64 * 1024;

/// What begins with a line that says so.
pub(super) struct Unit {
    pub(super) kind: PieceKind,
    /// The octets of the line with its end.
    pub(super) envelope: u32,
    /// How many octets follow.
    pub(super) count: u64,
}

/// The form of the lines.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// The unit that begins with the line that a text begins with, if one does; the text ends there if so it is said.
    pub(super) line: fn(&[u8], bool) -> Result<Option<Unit>, Unknown>,
    /// The next place where such a line may begin, behind a line break that is not before an index: the first, or one
    /// from which on more octets are needed to tell.
    pub(super) find: fn(&[u8], usize) -> Option<usize>,
    /// A line is not shorter.
    pub(super) least: usize,
}

struct Counted {
    form: Form,
    /// Where the unit that is open ends if its count is right, from the beginning of the file.
    end: Option<u64>,
    /// The unit that is open does not end where its count says.
    wrong: bool,
    /// A larger count is not believed. Halved by each wrong one: to check a count takes that many octets in memory.
    trust: u64,
}

/// A cutter for lines of that form, which may look `limit` octets ahead to check a count.
pub(super) fn cutter(form: Form, limit: usize) -> Box<dyn Cutter> {
    Box::new(Counted { form, end: None, wrong: false, trust: limit as u64 })
}

impl Counted {
    fn cut(&mut self, window: Window<'_>, at: usize, Unit { kind, envelope, count }: Unit) -> Step {
        let size = count.saturating_add(u64::from(envelope));
        self.end = (size <= self.trust).then(|| window.base + at as u64 + size);
        let note = std::mem::take(&mut self.wrong).then_some(NoteKind::WrongCount);
        Step::Cut(Mark { at, kind, envelope, note })
    }

    fn distrust(&mut self) {
        self.end = None;
        self.wrong = true;
        self.trust = (self.trust / 2).max(TRUST_MIN.min(self.trust));
    }
}

impl Cutter for Counted {
    fn next(&mut self, window: Window<'_>, from: usize) -> Step {
        let (bytes, Form { line, find, least }) = (window.bytes, self.form);
        let mut short = None;
        if window.base == 0 && from == 0 {
            match line(bytes, window.eof) {
                Ok(Some(unit)) => return self.cut(window, 0, unit),
                Ok(None) => {}
                Err(Unknown) => return Step::More { decided: 0, note: None },
            }
        }
        if let Some(end) = self.end {
            // The count is right if an article begins, or the file ends, where it says.
            let at = usize::try_from(end - window.base).unwrap_or(usize::MAX);
            match bytes.get(at..).map(|rest| (rest.is_empty(), line(rest, window.eof))) {
                Some((_, Ok(Some(unit)))) => return self.cut(window, at, unit),
                Some((true, _)) if window.eof => return Step::More { decided: bytes.len(), note: None },
                Some((_, Err(Unknown))) => return Step::More { decided: from, note: None },
                None if !window.eof => return Step::More { decided: from, note: None },
                // Cut short, unless another article begins before the end of the file.
                None => short = Some(NoteKind::ShortArticle),
                Some(_) => {}
            }
            self.distrust();
        }
        let mut at = from.saturating_sub(1);
        while let Some(start) = find(bytes, at) {
            match line(&bytes[start..], window.eof) {
                Ok(Some(unit)) => return self.cut(window, start, unit),
                Ok(None) => at = start,
                Err(Unknown) => return Step::More { decided: start, note: None },
            }
        }
        if window.eof {
            let note = short.or(self.wrong.then_some(NoteKind::WrongCount));
            return Step::More { decided: bytes.len(), note };
        }
        Step::More { decided: (bytes.len() + 1).saturating_sub(least).max(from), note: None }
    }
}
