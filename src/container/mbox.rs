//! mbox in all its dialects: each message begins with a `From ` line. `Content-Length` fields are often wrong, so they
//! count only in mboxcl2, in which nothing else shows where a message ends.

use std::ops::Range;

use memchr::memmem;

use super::lines::{Form, SegmentStart};
use super::{SegmentKind, Unknown, Window, from_line, header};

pub(super) const NAME: &str = "mbox";

pub(super) const FORM: Form = Form { start: b"\nFrom ", judge: from_line::judge_mail, preamble: |_| SegmentKind::Rest };

/// The mailboxes of `git format-patch`. In any other mailbox, a `From ` line of git is part of a patch in a message.
pub(super) const PATCHES: Form = Form { judge: from_line::judge, ..FORM };

/// The mailboxes whose `From ` lines in bodies have no `>` (mboxcl2). A right `Content-Length` field states where a body
/// ends.
pub(super) const COUNTED: Form = Form { judge: judge_counted, ..FORM };

/// Maximum length in bytes of a header that has a `Content-Length` field.
const HEADER_MAX: usize = 15 << 10;

fn judge_counted(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let Some(unit) = from_line::judge_mail(window, at)? else { return Ok(None) };
    let rest = &window.bytes[at + unit.envelope as usize..];
    let header = &rest[..rest.len().min(HEADER_MAX)];
    let Some(body) = header::after_blank_line(header, 0, header.len()) else {
        return if header.len() < HEADER_MAX && !window.eof { Err(Unknown) } else { Ok(Some(unit)) };
    };
    let length = |line: &[u8]| {
        let (name, value) = line.split_at(memchr::memchr(b':', line)?);
        let is_length = name.trim_ascii_end().eq_ignore_ascii_case(b"content-length");
        str::from_utf8(value[1..].trim_ascii()).ok().filter(|_| is_length)?.parse::<u64>().ok()
    };
    let length = header[..body].split(|&byte| byte == b'\n').find_map(length);
    Ok(Some(SegmentStart { count: length.and_then(|length| length.checked_add(body as u64)), ..unit }))
}

/// Returns the range of each body in `head`, the beginning of a file, if each message ends where its `Content-Length`
/// says, and the offset at which the next message begins. Ends at the first message that has no length or does not fit.
fn counted(head: &[u8]) -> impl Iterator<Item = (Range<usize>, usize)> {
    let mut at = header::lead(head, true).unwrap_or_default();
    std::iter::from_fn(move || {
        let SegmentStart { envelope, count, .. } = counted_unit(head, at)?;
        let first = at + envelope as usize;
        let end = first.checked_add(usize::try_from(count?).ok()?)?;
        let blank = head.get(end..)?.iter().take(2).take_while(|&&byte| matches!(byte, b'\r' | b'\n')).count();
        at = end + blank;
        Some((first..end, at))
    })
}

/// Returns the message that begins at `at` in an mboxcl2 mailbox.
fn counted_unit(head: &[u8], at: usize) -> Option<SegmentStart> {
    COUNTED.judge_any(Window { bytes: head, base: 0, eof: true }, at).ok().flatten()
}

/// Whether a body in `head`, the beginning of a file, has a `From ` line that would begin a message, although the
/// `Content-Length` field of its message leads to the next message.
pub(super) fn is_counted(head: &[u8]) -> bool {
    for (body, next) in counted(head) {
        if counted_unit(head, next).is_none() && next < head.len() {
            return false;
        }
        let mut lines = memmem::find_iter(&head[body.clone()], FORM.start);
        if lines.any(|line| counted_unit(head, body.start + line + 1).is_some()) {
            return true;
        }
    }
    false
}

/// Whether a message begins at `offset` in a file that begins with `head`, if each message ends where its
/// `Content-Length` says.
pub(crate) fn counted_begins_at(head: &[u8], offset: u64) -> bool {
    let first = header::lead(head, true).unwrap_or_default();
    std::iter::once(first).chain(counted(head).map(|(_, next)| next)).any(|at| at as u64 == offset)
}

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

    /// In mboxcl2, a right `Content-Length` field hides the `From ` lines of a body.
    #[test]
    fn a_right_content_length_hides_from_lines() {
        const FROM: &str = "From a@b Mon Jan  1 00:00:00 2001\n";
        let mail = |length: usize, body: &str| format!("{FROM}Subject: x\nContent-Length: {length}\n\n{body}");
        let quoting = format!("x\n\n{FROM}To: y\n\nz\n");
        let right = mail(quoting.len(), &quoting);
        // Columns: the mailbox, its format, and the number of messages.
        let table = [
            (format!("{right}{}", mail(2, "x\n")), "mboxcl2", 2),
            (format!("{right}\n{}\n", mail(2, "x\n")), "mboxcl2", 2),
            (format!("{}{right}{}", mail(2, "x\n"), mail(7, "x\n")), "mboxcl2", 3),
            (right.replace('\n', "\r\n").replace(": 46", ": 51"), "mboxcl2", 1),
            (mail(quoting.len() - 2, &quoting), "mbox", 2),
            (mail(quoting.len() + 1, &quoting), "mbox", 2),
            (format!("{}{}", mail(2, "x\n"), mail(2, "x\n")), "mbox", 2),
        ];
        for (text, format, want) in table {
            assert_eq!(crate::container::Format::detect(text.as_bytes()).name, format, "{text}");
            for chunk in [1, 7, 1 << 16] {
                let mut messages = 0;
                let _ =
                    crate::Extractor::new().read(text.as_bytes()).chunk(chunk).each(&mut |event: crate::Event<'_>| {
                        if let crate::Event::Segment { segment, .. } = event {
                            messages += usize::from(segment.is_message());
                        }
                        std::ops::ControlFlow::Continue(())
                    });
                assert_eq!(messages, want, "{text}");
            }
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
