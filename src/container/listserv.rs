//! Notebook logs of LISTSERV. Before each message there is a line of about 73 `=`.

use super::lines::{Form, SegmentStart, line_end};
use super::{SegmentKind, Unknown, Window, header};

/// Minimum number of `=` in a separator line. People draw shorter lines in their messages.
const RULER_MIN: usize = 70;
const LINE_MAX: usize = 120;

pub(super) const FORM: Form = Form { start: b"\n=====", judge, preamble: |_| SegmentKind::Rest };

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let Some((end, next)) = line_end(window, at, LINE_MAX)? else { return Ok(None) };
    let ruler = window.bytes[at..end].trim_ascii_end();
    if ruler.len() < RULER_MIN || ruler.iter().any(|&b| b != b'=') {
        return Ok(None);
    }
    let is_message = header::begins(&window.bytes[next..], window.eof)?;
    Ok(is_message.then(|| SegmentStart::new(SegmentKind::Message, next - at)))
}
