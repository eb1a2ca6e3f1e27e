//! Reports of malformed input. Each report has a kind and an offset.

use std::fmt;

/// A report that something in the input is malformed or was not read. All other input was read.
///
/// A [`Sink`](crate::Sink) receives diagnostics. If input was [lost](DiagnosticKind::is_loss), the sink receives the
/// diagnostic inside an [`Error`](crate::Error).
///
/// ```
/// use urlspool::{Diagnostic, DiagnosticKind, Extractor, HitRef, Input, Sink};
///
/// #[derive(Default)]
/// struct Reports(Vec<Diagnostic>);
///
/// impl Sink for Reports {
///     type Flow = ();
///     fn hit(&mut self, _: &HitRef<'_>) {}
///     fn diagnostic(&mut self, _: Option<&Input>, diagnostic: &Diagnostic) {
///         self.0.push(*diagnostic);
///     }
/// }
///
/// let mut reports = Reports::default();
/// Extractor::new().message_into("Subject: x\nContent-Transfer-Encoding: odd\n\ntext\n", &mut reports);
/// assert_eq!(reports.0[0].kind(), DiagnosticKind::UnknownEncoding);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub(crate) kind: DiagnosticKind,
    pub(crate) offset: u64,
    pub(crate) number: u64,
}

named! {
    /// The kind of a [`Diagnostic`].
    ///
    /// ```
    /// use urlspool::DiagnosticKind;
    ///
    /// // The first kind is about a file that was not read to its end, the second about one message.
    /// assert!(DiagnosticKind::TruncatedCompression.is_loss() && DiagnosticKind::TruncatedCompression.is_of_container());
    /// assert!(!DiagnosticKind::Unclosed.is_loss() && !DiagnosticKind::Unclosed.is_of_container());
    /// assert_eq!("unclosed-multipart".parse(), Ok(DiagnosticKind::Unclosed));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum DiagnosticKind: &'static str {
        /// Compressed data is truncated. All data that could be decoded was read.
        TruncatedCompression = "truncated-compression" =>
            "the compressed data is truncated; everything that could be decoded was read",
        /// Compressed data is malformed. Everything before the malformed data was read.
        BadCompression = "bad-compression" =>
            "the compressed data is damaged; everything before the damage was read, but some of it may be wrong",
        /// Compressed data expands to more than 1000 times its size. Decoding stopped at this offset.
        ExpansionLimit = "expansion-limit" =>
            "the compressed data expands more than a thousandfold; the rest was not read",
        /// Compressed data needs a dictionary of more than 80 MiB (xz) or 128 MiB (zstd). The data was not decoded.
        DictionaryLimit = "dictionary-limit" =>
            "the compressed data was not read, because it needs a dictionary above the limit, 80 MiB for xz and \
             128 MiB for zstd; decompress it first",
        /// Other data follows the compressed data. The other data was not read.
        TrailingGarbage = "trailing-garbage" => "data after the compressed data was not read",
        /// A tar or zip archive is truncated. Everything before its end was read.
        TruncatedArchive = "truncated-archive" => "the archive is truncated; everything before its end was read",
        /// A tar or zip archive is malformed. Everything before the malformed data was read.
        BadArchive = "bad-archive" => "the archive is damaged; everything before the damage was read",
        /// Other data follows a zip archive. The other data was not read.
        AfterArchive = "after-archive" => "data after the archive was not read",
        /// The file ends with the directory of a zip archive, but the members are not at the offsets that the directory
        /// lists. No member was read.
        ArchiveEnd = "archive-end" =>
            "this is only the end of a zip archive, and no member was read; unpack the archive first, or join its parts",
        /// A member of a tar or zip archive has no name. The member was read.
        NoName = "no-name" => "the member at this offset has no name, but was read",
        /// An Outlook file is malformed or too large. The file was read as far as possible.
        BadOutlook = "bad-outlook" => "the Outlook file is damaged; it was read as far as possible",
        /// A message is larger than [`max_message`](crate::Hits::max_message). The rest of the message was read as
        /// plain text.
        OversizeMessage = "oversize-message" => "the message is larger than the limit",
        /// The last message of a file is shorter than its byte count. In news batches, `.emlx` files and the output of
        /// `git cat-file --batch`, a byte count precedes each message.
        ShortArticle = "short-article" => "the last message is shorter than its byte count",
        /// The byte count of a message in a news batch or in the output of `git cat-file --batch` is wrong. The message
        /// was read up to the next message, or to the end of the file.
        WrongCount = "wrong-count" =>
            "the byte count of the message is wrong; the message was read up to the next message or the end of the \
             file",
        /// A mailbox begins in the middle of the file, after other text. The whole file was read as plain text.
        MailboxNotAtStart = "mailbox-not-at-start" =>
            "a mailbox begins here, after other text; everything was read as plain text",
        /// The file has no message in the requested format. The file was read as plain text.
        OtherFormat = "other-format" =>
            "no message has the requested format; the file was read as plain text",
        /// The last message of a mailbox was not read, because a program may still be writing it. A later run reads the
        /// message. Reported only with [`Hits::resume`](crate::Hits::resume).
        ///
        /// If no program writes the file ([`Resume::Read`](crate::Resume::Read)), the last message is read. The last
        /// message of an mbox is also read if the message has a body and ends with a blank line.
        HeldBack = "held-back" => "the last message may be incomplete; it is left for the next run",
        /// The last message of a mailbox has grown since an earlier run read it. The message was read again. Reported
        /// only with [`Hits::resume`](crate::Hits::resume).
        Grown = "grown" => "the message has grown since an earlier run read it; it was read again",
        /// There are blanks before the first header field.
        LeadingBlank = "leading-blank" => "there are blanks before the first header field",
        /// One of the lines in the header is not a header field.
        StrayLine = "stray-line" => "a line among the header fields is not a field",
        /// The body begins without a blank line.
        MissingBlank = "missing-blank-line" => "the blank line between headers and body is missing",
        /// Lines end in CR alone. Nothing was decoded.
        LoneCr = "lone-cr" => "lines end in CR alone; nothing was decoded",
        /// A multipart has no boundary, or its boundary does not occur. The multipart was read as text.
        NoBoundary = "no-boundary" => "the boundary of the multipart is missing; the multipart was read as text",
        /// A multipart is not closed by its boundary. The multipart was read to its end.
        Unclosed = "unclosed-multipart" => "the multipart is not closed; it was read to its end",
        /// The name of a transfer encoding is unknown. The part was read without decoding.
        UnknownEncoding = "unknown-encoding" => "the transfer encoding is unknown; the part was read without decoding",
        /// In a part that is encoded in base64, other data follows the base64. The other data was read as text.
        BrokenBase64 = "broken-base64" => "other data follows the base64; it was read as text",
        /// Text is in quoted-printable, but no header field declares this encoding. The text was decoded.
        UndeclaredQuoted = "undeclared-quoted-printable" =>
            "the text is in quoted-printable, but no header declares this; the text was decoded",
        /// Parts are nested more than 32 deep. The rest was read without decoding.
        Depth = "too-deep" => "parts are nested too deep; the rest was read without decoding",
        /// A message has more than 4,096 parts. The rest was read without decoding.
        Parts = "too-many-parts" => "the message has too many parts; the rest was read without decoding",
        /// A header field is longer than 64 KiB, or has too many encoded words. The field was read without decoding.
        LongField = "long-field" => "the header field is too long; it was read without decoding",
        /// A message has 4 GiB or more. The message was read without decoding.
        Huge = "huge-message" => "the message has 4 GiB or more; it was read without decoding",
        /// A part that may contain text was not read. The part is encrypted, or is in S/MIME or uuencode. Without the
        /// feature `outlook`, TNEF is not read either.
        OpaquePart = "opaque-part" => "the part is encrypted, or in S/MIME, TNEF or uuencode; it was not read",
        /// A `winmail.dat` of Outlook is malformed. The file was read as far as possible.
        BadTnef = "bad-tnef" => "the winmail.dat is damaged; it was read as far as possible",
        /// Some links in the HTML of a message are not URLs.
        RefusedLinks = "refused-links" => "some links in HTML are not URLs",
    }
}

impl DiagnosticKind {
    /// Returns a description that says what the problem is and how it was handled. The output of [`Diagnostic`] also
    /// contains the offset and, for some kinds, a number.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row()
    }

    /// Returns true if a file was not read to its end, so that input was lost. Such a diagnostic is part of an error of
    /// the kind [`Incomplete`](crate::ErrorKind::Incomplete).
    #[must_use]
    pub const fn is_loss(self) -> bool {
        use DiagnosticKind::*;
        matches!(
            self,
            TruncatedCompression
                | BadCompression
                | ExpansionLimit
                | DictionaryLimit
                | TruncatedArchive
                | BadArchive
                | ArchiveEnd
                | BadOutlook
        )
    }

    /// Returns whether the problem is in an archive or a mailbox. All other problems are in one message. Problems in a
    /// message are common in old mail, and the message was read as far as possible.
    #[must_use]
    pub const fn is_of_container(self) -> bool {
        (self as u8) < Self::LeadingBlank as u8
    }
}

impl Diagnostic {
    pub(crate) fn new(kind: DiagnosticKind, offset: u64) -> Diagnostic {
        Diagnostic::with_number(kind, offset, 0)
    }

    /// Makes a diagnostic whose description contains a number. The number is a limit in bytes, or a count.
    pub(crate) fn with_number(kind: DiagnosticKind, offset: u64, number: u64) -> Diagnostic {
        Diagnostic { kind, offset, number }
    }

    /// Returns the kind of the diagnostic.
    #[must_use]
    pub fn kind(&self) -> DiagnosticKind {
        self.kind
    }

    /// Returns the byte offset of the problem in the file. For a compressed file, this is the offset in the
    /// decompressed data.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Prints the offset and the description, without the name of the file.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MIB: u64 = 1 << 20;
        write!(f, "offset {}: ", self.offset)?;
        match (self.kind, self.number) {
            (DiagnosticKind::OversizeMessage, limit) => {
                let (number, unit) = if limit % MIB == 0 { (limit / MIB, "MiB") } else { (limit, "bytes") };
                write!(
                    f,
                    "the message is larger than the limit of {number} {unit}; the rest of it was read as plain text"
                )
            }
            (DiagnosticKind::RefusedLinks, 1) => f.write_str("1 link in HTML is not a URL"),
            (DiagnosticKind::RefusedLinks, count) => write!(f, "{count} links in HTML are not URLs"),
            (kind, _) => f.write_str(kind.about()),
        }
    }
}
