//! Babyl, the mailbox format of Emacs' Rmail.
//!
//! The file begins with `BABYL OPTIONS:` and Rmail's settings. Each message begins with the line `^_^L` and a line of
//! labels. The original headers come next, then the line `*** EOOH ***`, the headers as Rmail displayed them, and the
//! body.

use std::ops::Range;

use memchr::memmem;

use super::lines::{Form, SegmentStart, is_end, line_end};
use super::{SegmentKind, Unknown, Window, header};

const BEGIN: &[u8] = b"BABYL OPTIONS:";
/// The line between the original headers and the displayed headers.
const SHOWN: &[u8] = b"*** EOOH ***";
/// Maximum length in bytes of a line of labels.
const LINE_MAX: usize = 1024;

pub(super) const FORM: Form = Form { start: b"\n\x1F", judge, preamble };

/// Returns the kind of the text before the first message. In a Babyl file, this text is Rmail's settings, so the kind
/// is [`SegmentKind::Meta`]. For other files, the kind is [`SegmentKind::Rest`].
fn preamble(head: &[u8]) -> SegmentKind {
    if detect(head) { SegmentKind::Meta } else { SegmentKind::Rest }
}

/// Whether `head`, the beginning of a file, starts with `BABYL OPTIONS:` after optional white space.
pub(super) fn detect(head: &[u8]) -> bool {
    header::after_lead(head).get(..BEGIN.len()).is_some_and(|start| start.eq_ignore_ascii_case(BEGIN))
}

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    if is_end(window, at + 1)? {
        return Ok(Some(SegmentStart::new(SegmentKind::Meta, 0)));
    }
    // A message begins with a line of the two bytes 0x1F and 0x0C. The next line begins with a digit, which states
    // whether the message has original and displayed headers, or only one set of headers.
    let Some((end, labels)) = line_end(window, at, 4)? else { return Ok(None) };
    if &window.bytes[at..end] != b"\x1F\x0C" {
        return Ok(None);
    }
    let Some((end, mut next)) = line_end(window, labels, LINE_MAX)? else { return Ok(None) };
    if !window.bytes[labels..end].first().is_some_and(u8::is_ascii_digit) {
        return Ok(None);
    }
    // If a message has one set of headers, the line `*** EOOH ***` precedes the headers and belongs to the envelope.
    if let Some((_, after)) =
        line_end(window, next, SHOWN.len() + 2)?.filter(|&(end, _)| &window.bytes[next..end] == SHOWN)
    {
        next = after;
    }
    Ok(Some(SegmentStart::new(SegmentKind::Message, next - at)))
}

/// Adds the range of the `*** EOOH ***` line and the displayed headers to `cuts`. Adds nothing if the message has only
/// one set of headers.
pub(super) fn cuts(message: &[u8], cuts: &mut Vec<Range<usize>>) {
    let Some(mark) = memmem::find(message, b"\n*** EOOH ***").map(|at| at + 1) else { return };
    let Some(end) = memchr::memchr(b'\n', &message[mark..]).map(|at| mark + at + 1) else { return };
    // The caller removes the range from the message. Exactly one blank line must then be between the original headers
    // and the body. Therefore, the range includes the blank line after the displayed headers only if there is already a
    // blank line after the original headers.
    let after = header::after_blank_line(message, end, message.len()).unwrap_or(message.len());
    let blank = if message[..after].ends_with(b"\r\n") { 2 } else { 1 };
    let closed = header::ends_blank(message, mark - 1);
    let to = if closed || after == message.len() { after } else { after - blank };
    cuts.push(mark..to.max(end));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_displayed_headers_are_removed() {
        let table = [
            // Only one blank line remains between the original headers and the body.
            ("Path: a!b!c!d\nTo: e\n\n*** EOOH ***\nTo: e\n\nbody\n", "Path: a!b!c!d\nTo: e\n\nbody\n"),
            ("Path: a!b!c!d\nTo: e\n*** EOOH ***\nTo: e\n\nbody\n", "Path: a!b!c!d\nTo: e\n\nbody\n"),
            ("Path: a!b!c!d\r\n\r\n*** EOOH ***\r\nTo: e\r\n\r\nbody\r\n", "Path: a!b!c!d\r\n\r\nbody\r\n"),
            ("Path: a!b!c!d\r\n*** EOOH ***\r\nTo: e\r\n\r\nbody\r\n", "Path: a!b!c!d\r\n\r\nbody\r\n"),
            // There are no displayed headers, or no body.
            ("Path: a!b!c!d\nTo: e\n\n*** EOOH ***\n\nbody\n", "Path: a!b!c!d\nTo: e\n\nbody\n"),
            ("Path: a!b!c!d\nTo: e\n\n*** EOOH ***\nTo: e\n", "Path: a!b!c!d\nTo: e\n\n"),
            ("Path: a!b!c!d\nTo: e\n\nbody\n", "Path: a!b!c!d\nTo: e\n\nbody\n"),
        ];
        for (message, want) in table {
            let (mut removed, mut left) = (Vec::new(), message.to_owned());
            cuts(message.as_bytes(), &mut removed);
            removed.into_iter().for_each(|range| left.replace_range(range, ""));
            assert_eq!(left, want, "{message:?}");
        }
    }
}
