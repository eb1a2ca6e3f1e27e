//! The kinds of damage in words.

use std::fmt;

use super::NoteKind;

impl NoteKind {
    /// A stable name, for output that programs read.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            NoteKind::LeadingBlank => "leading-blank",
            NoteKind::StrayLine => "stray-line",
            NoteKind::MissingBlank => "missing-blank-line",
            NoteKind::LoneCr => "lone-cr",
            NoteKind::NoBoundary => "no-boundary",
            NoteKind::Unclosed => "unclosed-multipart",
            NoteKind::UnknownEncoding => "unknown-encoding",
            NoteKind::BrokenBase64 => "broken-base64",
            NoteKind::UndeclaredQuoted => "undeclared-quoted-printable",
            NoteKind::Depth => "too-deep",
            NoteKind::Parts => "too-many-parts",
            NoteKind::LongField => "long-field",
            NoteKind::Huge => "huge-message",
            NoteKind::Sealed => "sealed-part",
        }
    }
}

/// A clause for people.
impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoteKind::LeadingBlank => "blanks before the first header field",
            NoteKind::StrayLine => "a line among the header fields that is none",
            NoteKind::MissingBlank => "no blank line between headers and body",
            NoteKind::LoneCr => "lines end in CR alone; read as it lies",
            NoteKind::NoBoundary => "the multipart's boundary is missing; read as text",
            NoteKind::Unclosed => "the multipart is not closed; read to the end",
            NoteKind::UnknownEncoding => "unknown transfer encoding; read as it lies",
            NoteKind::BrokenBase64 => "something follows the base64; read as text",
            NoteKind::UndeclaredQuoted => "quoted-printable that was not declared was undone",
            NoteKind::Depth => "parts are nested too deep; the rest was read as it lies",
            NoteKind::Parts => "too many parts; the rest was read as it lies",
            NoteKind::LongField => "the header field is too long to decode; read as it lies",
            NoteKind::Huge => "the message is 4 GiB or more; read as it lies",
            NoteKind::Sealed => "the part is encrypted, or in S/MIME, TNEF or uuencode; it was not read",
        })
    }
}
