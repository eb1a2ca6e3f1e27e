//! Mailboxes of c-client and Pine: mbx, MTX and Tenex. Before each message, a line states its date and its length in
//! bytes: ` 3-Jun-2002 10:00:00 +0000,219;000000000001-00000007`. A mailbox in the format mbx begins with 2,048 bytes
//! about the mailbox.

use super::lines::{Form, SegmentStart, line_end};
use super::{SegmentKind, Unknown, Window};

/// The first bytes of a mailbox in the format mbx.
const MBX: &[u8] = b"*mbx*\r\n";
/// Maximum length in bytes of the line before a message.
const LINE_MAX: usize = 80;

pub(super) const FORM: Form = Form { start: b"\n", judge, preamble };

pub(super) fn detect(head: &[u8]) -> bool {
    head.starts_with(MBX) || FORM.begins(head)
}

fn preamble(head: &[u8]) -> SegmentKind {
    if head.starts_with(MBX) { SegmentKind::Meta } else { SegmentKind::Rest }
}

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    // Checks the hyphens of the date first, because each line outside messages is judged. At the start of a file, a blank
    // before the day was skipped.
    let may_be = |(i, byte): (usize, &u8)| match i {
        0 => matches!(byte, b' ' | b'0'..=b'9'),
        1 => byte.is_ascii_digit() || *byte == b'-',
        2 | 6 => *byte == b'-' || window.bytes[at + 1] == b'-',
        _ => true,
    };
    if !window.bytes[at..].iter().take(7).enumerate().all(may_be) {
        return Ok(None);
    }
    let Some((end, next)) = line_end(window, at, LINE_MAX)? else { return Ok(None) };
    let line = &window.bytes[at..end];
    let length = || {
        let comma = memchr::memchr(b',', line)?;
        let (digits, flags) = line[comma + 1..].split_at(memchr::memchr(b';', &line[comma + 1..])?);
        let is_hex = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
        let is_line = line[..comma].contains(&b':') && flags[1..].len() >= 12 && flags[1..].iter().all(is_hex);
        str::from_utf8(digits).ok()?.parse().ok().filter(|_| is_line)
    };
    Ok(length().map(|count| SegmentStart { count: Some(count), ..SegmentStart::new(SegmentKind::Message, next - at) }))
}
