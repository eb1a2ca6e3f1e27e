//! mbox in all its dialects: messages after `From ` lines. `Content-Length` is never trusted.

use super::lines::{self, Form, Verdict};
use super::{Cutter, PieceKind, Window, from_line, header};

/// What the format is called.
pub(super) const NAME: &str = "mbox";

const FORM: Form = Form { start: b"\nFrom ", judge: from_line::judge, preamble: |_| PieceKind::Rest };

pub(super) fn new(_limit: usize) -> Box<dyn Cutter> {
    lines::cutter(FORM)
}

/// Whether the first line that is not blank starts a message.
pub(super) fn detect(head: &[u8]) -> bool {
    let text = head.strip_prefix(header::BOM).unwrap_or(head);
    let Some(blank) = text.iter().position(|b| !b"\r\n".contains(b)) else { return false };
    let at = head.len() - text.len() + blank;
    head[at..].starts_with(&FORM.start[1..])
        && matches!(from_line::judge(Window { bytes: head, base: 0, eof: true }, at), Ok(Verdict::Starts(..)))
}
