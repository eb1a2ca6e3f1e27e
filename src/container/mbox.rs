//! mbox in all its dialects: messages after `From ` lines. `Content-Length` is never trusted.

use memchr::memmem;

use super::lines::Form;
use super::{SegmentKind, from_line};

/// The name of the format.
pub(super) const NAME: &str = "mbox";

pub(super) const FORM: Form = Form { start: b"\nFrom ", judge: from_line::judge, preamble: |_| SegmentKind::Rest };

/// Returns where messages begin in `text`, the beginning of a file that was truncated or overwritten. That is the first
/// `From ` line with a date, a blank line before it and a field after it, because prose quotes other `From ` lines.
pub(crate) fn first_message(text: &[u8]) -> Option<usize> {
    memmem::find_iter(text, FORM.start).map(|at| at + 1).find(|&at| from_line::is_whole(text, at))
}

#[cfg(test)]
mod tests {
    use super::first_message;

    #[test]
    fn the_first_message_after_text_is_found() {
        let table: &[(&str, Option<usize>)] = &[
            ("", None),
            ("end of one\n\nFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n", Some(12)),
            ("end of one\r\n\r\nFrom a@b Mon Jan  1 00:00:00 2001\r\nSubject: x\r\n", Some(14)),
            ("\0\0\0\n\nFrom a@b Mon Jan  1 00:00:00 2001\nX-Mozilla-Status: 0001\n", Some(5)),
            ("a\n\nFrom here on\n\nFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n", Some(17)),
            ("a\nFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n", None),
            ("a\n\n  From a@b Mon Jan  1 00:00:00 2001\n  Subject: x\n", None),
            ("a\n\nFrom a@b Mon Jan  1 00:00:00 2001\nis such a line.\n", None),
            ("a\n\nFrom a@b Mon Jan  1 00:00:00 2001\n", None),
            ("a\n\nFrom a@b Mon Jan  1 00:00:00 2001", None),
            ("a\n\nFrom a@b\nSubject: x\n", None),
        ];
        for (text, want) in table {
            assert_eq!(first_message(text.as_bytes()), *want, "{text:?}");
        }
    }
}
