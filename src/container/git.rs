//! The output of `git cat-file --batch`. For example, this command can print all mail of a public-inbox.
//!
//! Before each object there is a line with its name, type and size. A line break follows the object. Messages are
//! blobs. Trees, commits and tags are git's own data.

use super::lines::{Form, SegmentStart};
use super::{SegmentKind, Unknown, Window};

/// Maximum length in bytes of the line before an object: a name of 64 digits, a type, and a size of 20 digits.
const LINE_MAX: usize = 96;

/// The line before an object has no fixed prefix, so every line of the file is checked.
pub(super) const FORM: Form = Form { start: b"\n", judge, preamble: |_| SegmentKind::Rest };

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let head = &window.bytes[at..];
    let name = head.iter().take(LINE_MAX).take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count();
    if name < head.len() && (!matches!(name, 40 | 64) || head[name] != b' ') {
        return Ok(None);
    }
    let Some(end) = memchr::memchr(b'\n', &head[..head.len().min(LINE_MAX)]) else {
        return if window.eof || head.len() >= LINE_MAX { Ok(None) } else { Err(Unknown) };
    };
    let mut fields = head[name + 1..end].split(|&b| b == b' ');
    let kind = match fields.next() {
        Some(b"blob") => SegmentKind::Message,
        Some(b"tree" | b"commit" | b"tag") => SegmentKind::Meta,
        _ => return Ok(None),
    };
    let count = fields.next().and_then(|size| std::str::from_utf8(size).ok()?.parse().ok());
    Ok(count.filter(|_| fields.next().is_none()).map(|count: u64| {
        // The line break after the object belongs to the unit, so the unit is one byte longer than the object.
        SegmentStart { count: Some(count.saturating_add(1)), ..SegmentStart::new(kind, end + 1) }
    }))
}
