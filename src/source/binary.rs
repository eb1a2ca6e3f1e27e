//! Recognizes files that are neither mail nor text.

use memchr::memchr;

use crate::container::{HEAD, first_message};
use crate::magic;

/// Number of bytes at the beginning of a file that are searched for a NUL.
const REACH: usize = 8 << 10;

/// Returns the kind of a binary file, in words for error messages. Returns `None` if the file is mail or text. `head`
/// is the beginning of the file. Only its first 64 KiB count, because its length depends on the size of reads.
///
/// A file is binary if it begins with the signature of a binary format, or has a NUL in its first 8 KiB. `is_message`
/// is true if the file is one message by convention, such as a file in a Maildir. A NUL in such a file does not count,
/// because mail can have NULs. A NUL also does not count if `head` has a `From ` line that begins a message, because a
/// crash can leave NULs in a mailbox.
pub(super) fn find(head: &[u8], is_message: bool) -> Option<&'static str> {
    let head = &head[..head.len().min(HEAD)];
    if let Some(what) = magic::binary(head) {
        return Some(what);
    }
    memchr(0, &head[..head.len().min(REACH)]).filter(|_| !is_message)?;
    first_message(head).is_none().then_some("a binary file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_first_bytes() {
        let late = [&[b'x'; REACH][..], b"\0"].concat();
        let early = [&[b'x'; REACH - 1][..], b"\0"].concat();
        let far = [&b"MZ"[..], &[b'Z'; HEAD], b"\0"].concat();
        let crash = b"\0\0\0\n\nFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\n";
        let table: &[(&[u8], bool, Option<&str>)] = &[
            (b"", false, None),
            (b"text", false, None),
            (b"a\0b", false, Some("a binary file")),
            (b"a\0b", true, None),
            (&late, false, None),
            (&early, false, Some("a binary file")),
            (&far, false, None),
            (b"MZ\x90\0", true, Some("a program")),
            (crash, false, None),
            (b"SQLite format 3\0\x10", false, Some("a SQLite database")),
            (b"SQLite format 3 is a format", false, None),
            (b"\xFF\xD8\xFF\xE0JFIF", true, Some("a JPEG picture")),
            (b"%PDF-1.7\n", false, Some("a PDF document")),
            (b"\x7FELF\x02\x01", false, Some("a program")),
        ];
        for (head, is_message, want) in table {
            assert_eq!(find(head, *is_message), *want, "{}", head[..head.len().min(40)].escape_ascii());
        }
    }
}
