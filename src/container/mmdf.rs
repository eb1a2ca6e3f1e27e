//! MMDF mailboxes: a line of four ^A precedes each message, and another such line follows the message.
//!
//! Both lines look the same, so the position of such a line decides whether it closes or opens a message. If two such
//! lines are in a row, the first line closes a message and the second line opens the next message. At the end of the
//! file, such a line closes a message. Everywhere else, such a line opens a message. With these rules, two messages are
//! separated even if only one of the two lines between them is present.

use super::lines::{Form, SegmentStart, is_end, line_end};
use super::{SegmentKind, Unknown, Window};
use crate::header::Line;

const RULER: &[u8] = b"\x01\x01\x01\x01";
const FROM: &[u8] = b"From ";
/// Maximum length in bytes of a `From ` line after the opening line. Some programs write a `From ` line there. A longer
/// `From ` line is part of the message.
const LINE_MAX: usize = 1024;

pub(super) const FORM: Form = Form { start: b"\n\x01\x01\x01\x01", judge, preamble: |_| SegmentKind::Rest };

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let Some(mut open) = ruler(window, at)? else { return Ok(None) };
    if matches!(window.bytes[..at], [.., b'\x01', b'\n'] | [.., b'\x01', b'\r', b'\n']) {
        // This line is the second of two separator lines in a row. No unit begins at the second line, because both
        // lines belong to the envelope that begins with the first line.
        return Ok(None);
    }
    if let Some(end) = ruler(window, open)? {
        open = end;
    } else if is_end(window, open)? {
        return Ok(Some(SegmentStart::new(SegmentKind::Meta, 0)));
    }
    let first = &window.bytes[open..];
    if !window.eof && first.len() < FROM.len() && FROM.starts_with(first) {
        return Err(Unknown);
    }
    if first.starts_with(FROM) {
        let line = line_end(window, open, LINE_MAX)?.map(|(_, next)| &window.bytes[open..next]);
        open += line.filter(|line| Line::of(line) == Line::Envelope).map_or(0, <[u8]>::len);
    }
    Ok(Some(SegmentStart::new(SegmentKind::Message, open - at)))
}

/// If the line at `at` is exactly four ^A, returns the index of the line after it.
fn ruler(window: Window<'_>, at: usize) -> Result<Option<usize>, Unknown> {
    let rest = &window.bytes[at..];
    if !rest.starts_with(&RULER[..RULER.len().min(rest.len())]) {
        return Ok(None);
    }
    let line = line_end(window, at, RULER.len() + 2)?;
    Ok(line.filter(|&(end, _)| end == at + RULER.len()).map(|(_, next)| next))
}
