//! Guesses the boundary of a multipart whose declared boundary is missing or does not occur.

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use crate::header::begins_part;

/// Finds lines that may be boundary lines. The finder is static, because creating a finder takes as long as searching a
/// short message.
pub(super) static DASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\n--"));

/// Maximum length in bytes of a guessed boundary. RFC 2046 allows 70 bytes.
const LENGTH_MAX: usize = 200;

/// Returns the text after `--` of the first line in `body` that starts with `--` and precedes a field of a MIME part.
/// `body` must begin at the start of a line.
pub(super) fn boundary(body: &[u8]) -> Option<&[u8]> {
    let first = body.starts_with(b"--").then_some(0);
    first.into_iter().chain(DASHES.find_iter(body).map(|at| at + 1)).find_map(|at| opened(&body[at..]))
}

/// Whether the body of a message is a multipart, although the header does not declare one. `body` must begin with a
/// boundary line or with the usual notice for old mail programs.
#[inline]
pub(super) fn begins_multipart(body: &[u8]) -> bool {
    // This check alone rejects most bodies.
    matches!(body, [b'-' | b'T' | b'\n' | b'\r' | b' ', ..]) && begins_slowly(body.trim_ascii_start())
}

/// Does the same for a body without white space at its beginning.
#[inline(never)]
fn begins_slowly(body: &[u8]) -> bool {
    const NOTICE: &[u8] = b"This is a multi-part message in MIME format";
    match body.first() {
        Some(b'-') => opened(body).is_some(),
        Some(b'T') => body.starts_with(NOTICE) && boundary(body).is_some(),
        _ => false,
    }
}

/// Returns the text after `--` in the first line of `text`, if the next line is a field of a MIME part.
fn opened(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"--")?;
    let end = memchr(b'\n', &rest[..rest.len().min(LENGTH_MAX)])?;
    let boundary = rest[..end].trim_ascii_end();
    (!boundary.is_empty() && begins_part(&rest[end + 1..])).then_some(boundary)
}

#[cfg(test)]
mod tests {
    use super::{begins_multipart, boundary};

    #[test]
    fn boundaries_precede_fields_of_parts() {
        let table: &[(&str, Option<&str>)] = &[
            ("--a\nContent-Type: text/plain\n", Some("a")),
            ("\n--a b \r\ncontent-id : <x>\n", Some("a b")),
            ("-- \nAnn\n--b\nContent-Disposition: inline\n", Some("b")),
            ("--\nContent-Type: text/plain\n", None),
            ("--a\n\nContent-Type: text/plain\n", None),
            ("--a\nContents: x\n", None),
            (" --a\nContent-Type: text/plain\n", None),
            ("--a", None),
        ];
        for (body, want) in table {
            assert_eq!(boundary(body.as_bytes()), want.map(str::as_bytes), "{body:?}");
        }
        let long = format!("--{}\nContent-Type: text/plain\n", "a".repeat(super::LENGTH_MAX));
        assert_eq!(boundary(long.as_bytes()), None);
    }

    #[test]
    fn only_the_beginning_shows_an_undeclared_multipart() {
        for (body, want) in [
            ("\r\n\n--a\nContent-Type: text/plain\n", true),
            ("This is a multi-part message in MIME format.\n\n--a\nContent-Type: text/plain\n", true),
            ("This is a multi-part message in MIME format.\n", false),
            ("The source is:\n--a\nContent-Type: text/plain\n", false),
        ] {
            assert_eq!(begins_multipart(body.as_bytes()), want, "{body:?}");
        }
    }
}
