//! MMDF: a line of four ^A before each message and another after it.
//!
//! The neighbours of a line decide which of the two it is, so that a missing line does no harm. Two in a row close and
//! open. One at the end of the file closes. Any other opens.

use super::lines::{Form, SegmentStart, line_end};
use super::{SegmentKind, Unknown, Window};
use crate::header::Line;

const RULER: &[u8] = b"\x01\x01\x01\x01";
/// A longer `From ` line is part of the message. Some programs write such a line after the opening line.
const LINE_MAX: usize = 1024;

pub(super) const FORM: Form = Form { start: b"\n\x01\x01\x01\x01", judge, preamble: |_| SegmentKind::Rest };

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let Some(mut open) = ruler(window, at)? else { return Ok(None) };
    if matches!(window.bytes[..at], [.., b'\x01', b'\n'] | [.., b'\x01', b'\r', b'\n']) {
        // The second of two lines: it is in the envelope that the first one begins.
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

/// Returns where the next line begins, if the line at `at` is four ^A and nothing else.
fn ruler(window: Window<'_>, at: usize) -> Result<Option<usize>, Unknown> {
    let rest = &window.bytes[at..];
    if !rest.starts_with(&RULER[..RULER.len().min(rest.len())]) {
        return Ok(None);
    }
    let line = line_end(window, at, RULER.len() + 2)?;
    Ok(line.filter(|&(end, _)| end == at + RULER.len()).map(|(_, next)| next))
}
