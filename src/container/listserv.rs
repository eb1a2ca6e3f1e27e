//! LISTSERV's notebook logs: a line of some 73 `=` before each message.

use super::lines::{self, Form, Verdict, line_end};
use super::{Cutter, PieceKind, Unknown, Window, header};

/// Shorter rulers are drawn by people.
const RULER_MIN: usize = 70;
const LINE_MAX: usize = 120;

const FORM: Form = Form { start: b"\n=====", judge, preamble: |_| PieceKind::Rest };

pub(super) fn new(_limit: usize) -> Box<dyn Cutter> {
    lines::cutter(FORM)
}

/// Whether the first line that is not blank is such a line, with a header field behind it.
pub(super) fn detect(head: &[u8]) -> bool {
    let at = head.len() - head.trim_ascii_start().len();
    head[at..].starts_with(b"=====")
        && matches!(judge(Window { bytes: head, base: 0, eof: true }, at), Ok(Verdict::Starts(..)))
}

fn judge(window: Window<'_>, at: usize) -> Result<Verdict, Unknown> {
    let Some((end, next)) = line_end(window, at, LINE_MAX)? else { return Ok(Verdict::Text) };
    let ruler = window.bytes[at..end].trim_ascii_end();
    if ruler.len() < RULER_MIN || ruler.iter().any(|&b| b != b'=') {
        return Ok(Verdict::Text);
    }
    if header::begins(&window.bytes[next..], window.eof)? {
        // One line.
        return Ok(Verdict::Starts(PieceKind::Message, (next - at) as u32));
    }
    Ok(Verdict::Text)
}
