//! MMDF mailboxes: a line of four ^A precedes each message, and another such line follows the message.
//!
//! The opening line and the closing line look the same, so the position of a line decides which of the two it is. If
//! two such lines are in a row, the first line closes a message and the second line opens the next message. A line at
//! the end of the file closes a message. Any other such line opens a message. If one line of a pair is missing, the two
//! messages are therefore still separated.

use super::lines::{Form, SegmentStart, line_end};
use super::{SegmentKind, Unknown, Window};
use crate::header::Line;

const RULER: &[u8] = b"\x01\x01\x01\x01";
/// Maximum length in bytes of a `From ` line after the opening line. Some programs write such a line. A longer `From `
/// line is part of the message.
const LINE_MAX: usize = 1024;

pub(super) const FORM: Form = Form { start: b"\n\x01\x01\x01\x01", judge, preamble: |_| SegmentKind::Rest };

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let Some(mut open) = ruler(window, at)? else { return Ok(None) };
    if matches!(window.bytes[..at], [.., b'\x01', b'\n'] | [.., b'\x01', b'\r', b'\n']) {
        // This line is the second of two such lines in a row. Both lines belong to one envelope, which begins with the
        // first line.
        return Ok(None);
    }
    if let Some(end) = ruler(window, open)? {
        open = end;
    } else if window.eof && window.bytes[open..].trim_ascii().is_empty() {
        return Ok(Some(SegmentStart::new(SegmentKind::Meta, 0)));
    } else if !window.eof && window.bytes.len() < open + RULER.len() + 2 {
        return Err(Unknown);
    }
    let first = &window.bytes[open..];
    if first.starts_with(b"From ") && Line::of(first) == Line::Envelope {
        open = line_end(window, open, LINE_MAX)?.map_or(open, |(_, next)| next);
    }
    Ok(Some(SegmentStart::new(SegmentKind::Message, open - at)))
}

/// Returns the index of the next line, if the line at `at` is exactly four ^A.
fn ruler(window: Window<'_>, at: usize) -> Result<Option<usize>, Unknown> {
    let rest = &window.bytes[at..];
    if !rest.starts_with(&RULER[..RULER.len().min(rest.len())]) {
        return Ok(None);
    }
    let line = line_end(window, at, RULER.len() + 2)?;
    Ok(line.filter(|&(end, _)| end == at + RULER.len()).map(|(_, next)| next))
}
