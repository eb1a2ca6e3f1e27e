//! `.emlx`, the message format of Apple Mail. The first line is a byte count. A message of that length follows, and
//! then a property list. The property list is not searched, because Apple Mail wrote it, not the sender.

use super::{Boundary, SegmentKind, Splitter, Step, Window, header};
use crate::diagnostic::DiagnosticKind;

/// Maximum length in bytes of the line with the byte count.
const LINE_MAX: usize = 32;

#[derive(Default)]
pub(super) struct Emlx {
    /// Offset in the file at which the message ends.
    end: Option<u64>,
}

/// Whether the first line of the file is a number and the second line begins a message.
pub(super) fn detect(head: &[u8]) -> bool {
    count(head).is_some_and(|(line, _)| header::is_message(&head[line..]))
}

/// Returns the length of the first line, including its line end, and the byte count that the line states.
fn count(head: &[u8]) -> Option<(usize, u64)> {
    // Most files do not begin with a digit, so this cheap check comes first.
    head.first().filter(|first| first.is_ascii_digit())?;
    let end = head[..head.len().min(LINE_MAX)].iter().position(|&b| b == b'\n')?;
    let digits = std::str::from_utf8(head[..end].trim_ascii_end()).ok()?;
    let count = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
    Some((end + 1, count))
}

impl Splitter for Emlx {
    fn next(&mut self, window: Window<'_>, from: usize) -> Step {
        if window.base == 0 && from == 0 {
            if window.bytes.len() < LINE_MAX && !window.eof {
                return Step::More { decided: 0, note: None };
            }
            if let Some((line, count)) = count(window.bytes) {
                self.end = Some(count.saturating_add(line as u64));
                // The cast cannot truncate: the line has at most `LINE_MAX` bytes.
                return Step::Cut(Boundary { at: 0, kind: SegmentKind::Message, envelope: line as u32, note: None });
            }
        }
        let Some(end) = self.end else { return Step::More { decided: window.bytes.len(), note: None } };
        let at = end.checked_sub(window.base).and_then(|at| usize::try_from(at).ok());
        if let Some(at) = at.filter(|&at| at >= from && at < window.bytes.len()) {
            return Step::Cut(Boundary { at, kind: SegmentKind::Meta, envelope: 0, note: None });
        }
        let short = window.eof && window.base + (window.bytes.len() as u64) < end;
        Step::More { decided: window.bytes.len(), note: short.then_some(DiagnosticKind::ShortArticle) }
    }
}
