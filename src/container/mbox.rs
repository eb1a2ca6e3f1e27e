//! mbox in all its dialects: messages after `From ` lines. `Content-Length` is never trusted.

use memchr::memmem::Finder;

use super::from_line::{self, Verdict};
use super::{Cutter, Mark, PieceKind, Step, Window, header};

/// What the format is called.
pub(super) const NAME: &str = "mbox";

const FROM: &[u8] = b"From ";
const NEXT_FROM: &[u8] = b"\nFrom ";

struct Mbox {
    finder: Finder<'static>,
}

pub(super) fn new(_limit: usize) -> Box<dyn Cutter> {
    Box::new(Mbox { finder: Finder::new(NEXT_FROM) })
}

/// Whether the first line that is not blank starts a message.
pub(super) fn detect(head: &[u8]) -> bool {
    let text = head.strip_prefix(header::BOM).unwrap_or(head);
    let Some(blank) = text.iter().position(|b| !b"\r\n".contains(b)) else { return false };
    let at = head.len() - text.len() + blank;
    head[at..].starts_with(FROM)
        && matches!(from_line::judge(Window { bytes: head, base: 0, eof: true }, at), Verdict::Starts(_))
}

impl Cutter for Mbox {
    fn next(&mut self, window: Window<'_>, from: usize) -> Step {
        let bytes = window.bytes;
        // Where the line break before the next candidate may be.
        let mut at = from.saturating_sub(1);
        if window.base == 0 && from == 0 {
            let first = if bytes.starts_with(header::BOM) { header::BOM.len() } else { 0 };
            if bytes.len() < header::BOM.len() + FROM.len() && !window.eof {
                return Step::More { decided: 0, note: None };
            }
            if bytes[first..].starts_with(FROM) {
                match from_line::judge(window, first) {
                    Verdict::Starts(envelope) => {
                        let envelope = envelope + first as u32;
                        return Step::Cut(Mark { at: 0, kind: PieceKind::Message, envelope, note: None });
                    }
                    Verdict::Unknown => return Step::More { decided: 0, note: None },
                    Verdict::Text => {}
                }
            }
        }
        while let Some(found) = self.finder.find(&bytes[at..]) {
            let line = at + found + 1;
            match from_line::judge(window, line) {
                Verdict::Starts(envelope) => {
                    return Step::Cut(Mark { at: line, kind: PieceKind::Message, envelope, note: None });
                }
                Verdict::Unknown => return Step::More { decided: line, note: None },
                Verdict::Text => at = line,
            }
        }
        // The last few octets may be the beginning of a `From `.
        let decided = if window.eof { bytes.len() } else { (bytes.len() + 1).saturating_sub(FROM.len()) };
        Step::More { decided: decided.max(from), note: None }
    }
}
