//! Splits mail digests (RFC 1153) into their messages. This format is never detected, because a digest is also a single
//! message. The user must request the format.
//!
//! A line of 70 hyphens follows the table of contents. A line of 30 hyphens follows each message. Each such line is
//! between two blank lines, and the headers of the next message follow the second blank line.

use super::lines::{Form, SegmentStart, line_end};
use super::{SegmentKind, Unknown, Window, header};

const LINE_MAX: usize = 80;

pub(super) const FORM: Form = Form { start: b"\n-----", judge, preamble: |_| SegmentKind::Message };

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let Some((end, blank)) = line_end(window, at, LINE_MAX)? else { return Ok(None) };
    let ruler = window.bytes[at..end].trim_ascii_end();
    let is_ruler = matches!(ruler.len(), 30 | 70) && ruler.iter().all(|&b| b == b'-');
    if !is_ruler || at == 0 || !header::ends_blank(window.bytes, at - 1) {
        return Ok(None);
    }
    match line_end(window, blank, 2)? {
        Some((end, first)) if end == blank && header::begins(&window.bytes[first..], window.eof)? => {
            Ok(Some(SegmentStart::new(SegmentKind::Message, first - at)))
        }
        _ => Ok(None),
    }
}
