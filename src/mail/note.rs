//! What was found wrong with a message, and in which words it is reported.

use std::fmt;

rows! {
    /// Kinds of damage.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum NoteKind: (&'static str, &'static str) {
        /// Blanks before the first field.
        LeadingBlank = ("leading-blank", "blanks before the first header field"),
        /// A line among the fields that is none.
        StrayLine = ("stray-line", "a line among the header fields that is none"),
        /// The body begins without a blank line.
        MissingBlank = ("missing-blank-line", "no blank line between headers and body"),
        /// Lines end in CR alone: nothing was decoded.
        LoneCr = ("lone-cr", "lines end in CR alone; read as it lies"),
        /// A multipart without a boundary, or whose boundary does not occur.
        NoBoundary = ("no-boundary", "the multipart's boundary is missing; read as text"),
        /// A multipart that is not closed.
        Unclosed = ("unclosed-multipart", "the multipart is not closed; read to the end"),
        /// A transfer encoding of unknown name.
        UnknownEncoding = ("unknown-encoding", "unknown transfer encoding; read as it lies"),
        /// Base64 with something after it.
        BrokenBase64 = ("broken-base64", "something follows the base64; read as text"),
        /// Quoted-printable that was not declared.
        UndeclaredQuoted = ("undeclared-quoted-printable", "quoted-printable that was not declared was undone"),
        /// Deeper than [`Limits::depth`].
        Depth = ("too-deep", "parts are nested too deep; the rest was read as it lies"),
        /// More parts than [`Limits::parts`].
        Parts = ("too-many-parts", "too many parts; the rest was read as it lies"),
        /// A field that was not decoded: longer than [`Limits::header_value`], or a flood of encoded words.
        LongField = ("long-field", "the header field is too long to decode; read as it lies"),
        /// 4 GiB or more: scanned as it lies.
        Huge = ("huge-message", "the message is 4 GiB or more; read as it lies"),
        /// A part that was not read, though there is text in it.
        Sealed = ("sealed-part", "the part is encrypted, or in S/MIME, TNEF or uuencode; it was not read"),
    }
}

impl NoteKind {
    /// A stable name, for output that programs read.
    pub(crate) fn as_str(self) -> &'static str {
        self.row().0
    }
}

/// A clause for people.
impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().1)
    }
}
