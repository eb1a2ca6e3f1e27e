//! Units that begin with a line of a certain form: mbox and most of what came before it.

use memchr::memmem::Finder;

use super::header::BOM;
use super::{Cutter, Mark, PieceKind, Step, Unknown, Window};

/// What a line that starts as the form has it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The beginning of a unit of this kind, of which so many octets are envelope.
    Starts(PieceKind, u32),
    /// Text.
    Text,
}

/// The form of a line, and what to make of it.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// A line break and the line's first octets.
    pub(super) start: &'static [u8],
    /// Judges the line at an index, which starts so. It may look four octets back and a few thousand ahead.
    pub(super) judge: fn(Window<'_>, usize) -> Result<Verdict, Unknown>,
    /// What comes before the first of these lines, in a file that begins so.
    pub(super) preamble: fn(&[u8]) -> PieceKind,
}

struct Lines {
    form: Form,
    finder: Finder<'static>,
}

/// A cutter at lines of that form.
pub(super) fn cutter(form: Form) -> Box<dyn Cutter> {
    Box::new(Lines { form, finder: Finder::new(form.start) })
}

/// A line's end from `at` on: where its break begins, and where the next line does. `None` if it is longer than `most`.
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

impl Cutter for Lines {
    fn next(&mut self, window: Window<'_>, from: usize) -> Step {
        let Form { start, judge, preamble } = self.form;
        let bytes = window.bytes;
        let line_start = &start[1..];
        // Where the line break before the next candidate may be.
        let mut at = from.saturating_sub(1);
        if window.base == 0 && from == 0 {
            let first = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
            if bytes.len() < BOM.len() + line_start.len() && !window.eof {
                return Step::More { decided: 0, note: None };
            }
            let verdict = match bytes[first..].starts_with(line_start) {
                true => judge(window, first),
                false => Ok(Verdict::Text),
            };
            match verdict {
                Ok(Verdict::Starts(kind, envelope)) => {
                    let envelope = envelope + first as u32;
                    return Step::Cut(Mark { at: 0, kind, envelope, note: None });
                }
                Err(Unknown) => return Step::More { decided: 0, note: None },
                Ok(Verdict::Text) => {
                    let kind = preamble(&bytes[first..]);
                    if kind != PieceKind::Rest && !bytes.is_empty() {
                        return Step::Cut(Mark { at: 0, kind, envelope: first as u32, note: None });
                    }
                }
            }
        }
        while let Some(found) = self.finder.find(&bytes[at..]) {
            let line = at + found + 1;
            match judge(window, line) {
                Ok(Verdict::Starts(kind, envelope)) => return Step::Cut(Mark { at: line, kind, envelope, note: None }),
                Ok(Verdict::Text) => at = line,
                Err(Unknown) => return Step::More { decided: line, note: None },
            }
        }
        // The last few octets may be the beginning of such a line.
        let decided = if window.eof { bytes.len() } else { (bytes.len() + 1).saturating_sub(line_start.len()) };
        Step::More { decided: decided.max(from), note: None }
    }
}
