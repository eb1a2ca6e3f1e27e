//! Lines that end in CR alone, as written by Macintosh programs before 2001.
//!
//! When such a file is read, each CR is replaced by LF before any other code sees the bytes. Offsets in the file stay
//! the same, because CR and LF are one byte each.

/// Whether the lines of a file that begins with `head` end in CR alone: `head` has a CR and no LF.
pub(crate) fn are_cr(head: &[u8]) -> bool {
    memchr::memchr(b'\n', head).is_none() && memchr::memchr(b'\r', head).is_some()
}

/// Replaces each CR by LF.
pub(crate) fn to_lf(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriage_return_line_ends_are_recognized_and_replaced() {
        let table: &[(&[u8], bool)] =
            &[(b"", false), (b"a", false), (b"a\n", false), (b"a\r\n", false), (b"a\rb\n", false), (b"a\rb", true)];
        for (head, want) in table {
            assert_eq!(are_cr(head), *want, "{}", head.escape_ascii());
        }
        let mut text = *b"a\r\rb\r";
        to_lf(&mut text);
        assert_eq!(text, *b"a\n\nb\n");
    }
}
