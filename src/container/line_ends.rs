//! Lines that end in CR alone, as written by Macintosh programs before 2001.
//!
//! When a file with such lines is read, each CR is replaced by LF before the bytes are processed further. Offsets in
//! the file stay the same, because CR and LF are one byte each.

/// Number of bytes at the beginning of a file or message that are searched for line ends. The number is the same for a
/// stream and for a message in memory, so that both give the same result.
const HEAD: usize = 512;

/// Whether the lines of a file that begins with `head` end in CR alone: the first [`HEAD`] bytes have a CR and no LF.
pub(crate) fn are_cr(head: &[u8]) -> bool {
    let head = &head[..head.len().min(HEAD)];
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
        // The LF is after the first `HEAD` bytes, so `are_cr` must ignore the LF. An older version of urlspool ignored
        // such an LF when it read a stream, but not when it read a message in memory. Fuzzing found this difference.
        assert!(are_cr(&[&b"a\r".repeat(HEAD)[..], b"\n"].concat()));
        let mut text = *b"a\r\rb\r";
        to_lf(&mut text);
        assert_eq!(text, *b"a\n\nb\n");
    }
}
