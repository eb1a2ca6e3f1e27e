//! mbox in all its dialects: each message begins with a `From ` line. `Content-Length` fields are ignored, because they
//! are often wrong.

use memchr::memmem;

use super::lines::Form;
use super::{SegmentKind, from_line};

pub(super) const NAME: &str = "mbox";

pub(super) const FORM: Form = Form { start: b"\nFrom ", judge: from_line::judge_mail, preamble: |_| SegmentKind::Rest };

/// The mailboxes of `git format-patch`. In any other mailbox, a `From ` line of git is part of a patch in a message.
pub(super) const PATCHES: Form = Form { judge: from_line::judge, ..FORM };

/// Returns the index of the first message in `text`. `text` is the beginning of a file whose first bytes may be lost or
/// overwritten. The message must begin with a `From ` line that has a date, follows a blank line, and precedes a header
/// field. Other `From ` lines may belong to the body of the message whose beginning was lost.
pub(crate) fn first_message(text: &[u8]) -> Option<usize> {
    memmem::find_iter(text, FORM.start).map(|at| at + 1).find(|&at| from_line::is_whole(text, at))
}

/// Whether the last message of a file is complete: it has a body and ends with a blank line. The blank line after the
/// headers does not count. A mail delivery program writes the blank line after the body as the last line of a message.
/// `message` includes the envelope.
pub(super) fn is_complete(message: &[u8]) -> bool {
    let after = |blank: &[u8]| memmem::find(message, blank).map(|at| at + blank.len());
    let body = [after(b"\n\n"), after(b"\n\r\n")].into_iter().flatten().min();
    let is_ended = message.ends_with(b"\n\n") || message.ends_with(b"\n\r\n");
    is_ended && body.is_some_and(|at| !message[at..].trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::{first_message, is_complete};

    /// A line of git begins a message only in a mailbox that begins with such a line.
    #[test]
    fn patches_in_messages_are_not_messages() {
        let patch = "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nSubject: x\n\nx\n\n";
        let mail = "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nx\n\n";
        for (texts, want) in [([mail, patch, mail], 2), ([patch, mail, patch], 3), ([patch, patch, patch], 3)] {
            let mut numbers = Vec::new();
            let _ = crate::Extractor::new().read(texts.concat().as_bytes()).each(&mut |event: crate::Event<'_>| {
                if let crate::Event::Segment { segment, .. } = event {
                    numbers.push(segment.is_message());
                }
                std::ops::ControlFlow::Continue(())
            });
            assert_eq!(numbers, vec![true; want], "{texts:?}");
        }
    }

    #[test]
    fn messages_that_are_complete() {
        let table = [
            ("From a\nSubject: x\n\nbody\n\n", true),
            ("From a\r\nSubject: x\r\n\r\nbody\r\n\r\n", true),
            ("From a\nSubject: x\n\nbody\n", false),
            ("From a\nSubject: x\n\nbody", false),
            ("From a\nSubject: x\n\n", false),
            ("From a\nSubject: x\n\n\n\n", false),
            ("From a\nSubject: x\n", false),
            ("From a", false),
        ];
        for (message, want) in table {
            assert_eq!(is_complete(message.as_bytes()), want, "{message:?}");
        }
    }

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
