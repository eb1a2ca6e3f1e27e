//! Reports about malformed input. Each report has a kind and the offset of the malformed bytes.

use std::fmt;

/// A report that some of the input is malformed or was not read. All other input was read.
///
/// A [`Sink`](crate::Sink) receives diagnostics. If a file was not read to its end, the sink receives the diagnostic
/// inside an [`Error`](crate::Error).
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{DiagnosticKind, Event, Extractor};
///
/// let message = "Subject: x\nContent-Transfer-Encoding: odd\n\ntext\n";
/// let mut diagnostics = Vec::new();
/// let _ = Extractor::new().message_into(message, &mut |event: Event<'_>| {
///     if let Event::Diagnostic { diagnostic, .. } = event {
///         diagnostics.push(*diagnostic);
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(diagnostics[0].kind(), DiagnosticKind::UnknownEncoding);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub(crate) kind: DiagnosticKind,
    pub(crate) offset: u64,
    pub(crate) number: u64,
    /// The name of the output field whose value was cut, or nothing.
    pub(crate) field: &'static str,
}

named! {
    /// The kind of a [`Diagnostic`].
    ///
    /// ```
    /// use urlspool::DiagnosticKind;
    ///
    /// // The first kind is about a file, the second about one message.
    /// assert!(DiagnosticKind::TruncatedCompression.is_of_container());
    /// assert!(!DiagnosticKind::Unclosed.is_of_container());
    /// assert_eq!("unclosed-multipart".parse(), Ok(DiagnosticKind::Unclosed));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum DiagnosticKind: &'static str {
        /// Compressed data is truncated. All data that could be decoded was read.
        TruncatedCompression = "truncated-compression" =>
            "the compressed data is truncated; everything that could be decoded was read",
        /// Compressed data is malformed. Everything before the malformed data was read.
        BadCompression = "bad-compression" =>
            "the compressed data is damaged; everything before the damage was read, but may be partly wrong",
        /// Compressed data expands to more than 64 MiB, and to more than 1000 times its size. Decoding stopped at the
        /// offset of the diagnostic.
        ExpansionLimit = "expansion-limit" =>
            "the compressed data expands to more than 1000 times its size; the rest of the data was not read",
        /// Compressed data needs a dictionary of more than 80 MiB (xz) or 128 MiB (zstd). The data was not decoded.
        DictionaryLimit = "dictionary-limit" =>
            "the compressed data was not read, because it needs a larger dictionary than the limit (80 MiB for xz, 128 \
             MiB for zstd); decompress the file first",
        /// Data after the end of the compressed data was not read.
        TrailingGarbage = "trailing-garbage" => "data after the end of the compressed data was not read",
        /// A tar or zip archive is truncated. Everything up to the end of the file was read.
        TruncatedArchive = "truncated-archive" =>
            "the archive is truncated; everything up to the end of the file was read",
        /// A tar or zip archive is malformed. Everything before the malformed data was read. In a tar archive, the
        /// undamaged members after the malformed data were read, too.
        BadArchive = "bad-archive" =>
            "the archive is damaged; everything before the damage and any members found after it were read",
        /// The directory at the end of a zip archive lists more members than were found, because the header of a member
        /// is damaged or the archive is a part of a split archive. The other members were read.
        MissingMembers = "missing-members" =>
            "members of the zip archive were not found, because it is damaged or incomplete; the other members were \
             read; `unzip -t` or `zip -FF` can show or find the missing members",
        /// Data after the end of a tar or zip archive was not read.
        AfterArchive = "after-archive" => "data after the end of the archive was not read",
        /// The file ends with the central directory of a zip archive, but the members are not at the offsets that the
        /// directory lists. No member was read. For example, the file can be the last part of a split archive.
        ArchiveEnd = "archive-end" =>
            "this is only the end of a zip archive, and no member was read; unpack the archive first, or join its parts",
        /// A member of a tar or zip archive has no name. The member was read.
        NoName = "no-name" => "the member at this offset has no name, but was read",
        /// The name of a member of a tar or zip archive has more than 1,000 bytes as JSON writes them. The member was
        /// read. The output has only the beginning of the name.
        LongName = "long-name" =>
            "the name of the member at this offset is too long; the output has only its beginning",
        /// An Outlook file is malformed or too large. The file was read as far as possible.
        BadOutlook = "bad-outlook" => "the Outlook file is damaged or over a limit; it was read as far as possible",
        /// A message is larger than the option `max-message`. The rest of the message was read as
        /// plain text.
        OversizeMessage = "oversize-message" => "the message is larger than the limit",
        /// The last message of a file is shorter than its byte count. A byte count precedes each message in news
        /// batches, in `.emlx` files and in the output of `git cat-file --batch`.
        ShortArticle = "short-article" => "the last message has fewer bytes than its byte count says",
        /// The byte count of a message in a news batch or in the output of `git cat-file --batch` is wrong. The message
        /// was read up to the next message, or to the end of the file.
        WrongCount = "wrong-count" =>
            "the byte count before the message is wrong; the message was read up to the next message or the end of the \
             file",
        /// A mailbox begins in the middle of the file, after other text. The whole file was read as plain text.
        MailboxNotAtStart = "mailbox-not-at-start" =>
            "a mailbox begins here, after other text; the whole file was read as plain text",
        /// Plain text may have files in uuencode or base64, or encrypted text. They were not decoded, because the text
        /// was read in pieces: it comes from a pipe, or has 1 MiB without a blank line.
        EncodedText = "encoded-text" =>
            "the text may have encoded files, which were not decoded, because the text was read in pieces",
        /// The file has no message in the requested format. The file was read as plain text.
        OtherFormat = "other-format" =>
            "the file has no message in the requested format; it was read as plain text",
        /// The last message of a mailbox was not read, because a program may still be writing it. A later run reads the
        /// message. Reported only with [`Hits::resume`](crate::Hits::resume).
        ///
        /// The last message is nevertheless read in two cases:
        ///
        /// - The caller says that no program is writing the file (`is_settled` of
        ///   [`Resume::Read`](crate::Resume::Read)).
        /// - The file is an mbox, and the message has a body and ends with a blank line.
        HeldBack = "held-back" => "the last message may be incomplete; it was not read, and the next run will read it",
        /// A message of a mailbox has grown since an earlier run read it: the last one, or one that contains the next
        /// messages, because the mailbox has another format now. It was read again. Reported only with
        /// [`Hits::resume`](crate::Hits::resume).
        Grown = "grown" => "the message has grown since an earlier run read it; it was read again",
        /// There are blanks or blank lines before the first header field.
        LeadingBlank = "leading-blank" => "there are blanks before the first header field",
        /// A line in the header is not a header field.
        StrayLine = "stray-line" => "a line among the header fields is not a header field",
        /// The body begins without a blank line.
        MissingBlank = "missing-blank-line" => "the blank line between headers and body is missing",
        /// The lines of a message end in CR alone. Each CR was read as a line end.
        LoneCr = "lone-cr" => "lines end in CR alone; each CR was read as a line end",
        /// The Content-Type field of a multipart has no boundary, or the boundary does not occur in the body. The
        /// multipart was read as text.
        NoBoundary = "no-boundary" => "the boundary of the multipart is missing; it was guessed, or the multipart was read as text",
        /// The closing boundary of a multipart is missing. The multipart was read to its end.
        Unclosed = "unclosed-multipart" => "the closing boundary of the multipart is missing; all parts were read",
        /// The name of a transfer encoding is unknown. The part was read without decoding.
        UnknownEncoding = "unknown-encoding" => "the transfer encoding is unknown; the part was read without decoding",
        /// The name of a charset is unknown. The text was read without decoding.
        UnknownCharset = "unknown-charset" => "the charset is unknown; the text was read without decoding",
        /// A base64 part contains bytes that are not base64, which were read as text, or a row from which symbols are
        /// missing. The text of such a row is damaged.
        BrokenBase64 = "broken-base64" =>
            "the base64 part has data that is not base64, which was read as text, or a damaged row",
        /// A file in uuencode or yEnc is damaged, or its last line is missing. The file was read as far as possible.
        BrokenEncodedFile = "broken-encoded-file" =>
            "the file in uuencode or yEnc is damaged or has no last line; it was read as far as possible",
        /// Text is in quoted-printable, but no header field declares this encoding. The text was decoded.
        UndeclaredQuoted = "undeclared-quoted-printable" =>
            "the text is in quoted-printable, but no header field declares this encoding; the text was decoded",
        /// Text is in base64, but no header field declares this encoding. The text was decoded.
        UndeclaredBase64 = "undeclared-base64" =>
            "the text is in base64, but no header field declares this encoding; the text was decoded",
        /// Parts are nested more than 32 levels deep. The parts below that level were not decoded.
        Depth = "too-deep" => "parts are nested more than 32 levels deep; the parts below that level were not decoded",
        /// A message has more than 4,096 parts. The rest of the message was read without decoding.
        Parts = "too-many-parts" =>
            "the message has more than 4096 parts; the rest of the message was read without decoding",
        /// A Content-Type field is longer than 64 KiB. Its parameters were not read.
        LongField = "long-field" => "the Content-Type field is too long; its parameters were not read",
        /// The value of a header field or the name of an attachment has more than 1,000 bytes as JSON writes them. The
        /// output has only its beginning.
        CutField = "cut-field" => "a field is too long; the output has only its beginning",
        /// A message has 4 GiB or more. The message was read without decoding.
        Huge = "huge-message" => "the message has 4 GiB or more; it was read without decoding",
        /// An attachment of Outlook, such as `winmail.dat`, is malformed. The attachment was read as far as possible.
        BadTnef = "bad-tnef" => "the attachment of Outlook is damaged; it was read as far as possible",
        /// Some links in the HTML of a message are not valid URLs.
        RefusedLinks = "refused-links" => "some links in HTML are not URLs",
        /// Some links, pictures, frames or scripts in HTML are relative references, and the HTML has no base URL.
        RelativeLinks = "relative-links" => "some links in HTML are relative, and there is no base URL",
    }
}

impl DiagnosticKind {
    /// Returns a description of the problem and of how urlspool handled it. The `Display` of a [`Diagnostic`] adds the
    /// offset and, for some kinds, a number such as the limit that was exceeded.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row()
    }

    /// Returns `true` if the problem prevented urlspool from reading a file to its end. The sink receives such a
    /// diagnostic inside an error of the kind [`Incomplete`](crate::ErrorKind::Incomplete).
    #[must_use]
    pub(crate) const fn is_loss(self) -> bool {
        use DiagnosticKind::*;
        matches!(
            self,
            TruncatedCompression
                | BadCompression
                | ExpansionLimit
                | DictionaryLimit
                | TruncatedArchive
                | BadArchive
                | MissingMembers
                | ArchiveEnd
                | BadOutlook
        )
    }

    /// Returns whether the problem is in an archive or a mailbox. All other problems are in a single message. Problems
    /// in messages are common in old mail, and urlspool reads these messages as far as possible.
    #[must_use]
    pub const fn is_of_container(self) -> bool {
        use DiagnosticKind::*;
        self.is_loss()
            || matches!(
                self,
                TrailingGarbage
                    | AfterArchive
                    | NoName
                    | LongName
                    | OversizeMessage
                    | ShortArticle
                    | WrongCount
                    | MailboxNotAtStart
                    | EncodedText
                    | OtherFormat
                    | HeldBack
                    | Grown
            )
    }
}

impl Diagnostic {
    pub(crate) fn new(kind: DiagnosticKind, offset: u64) -> Diagnostic {
        Diagnostic::with_number(kind, offset, 0)
    }

    /// Makes the diagnostic for the output field `name`, whose value was cut.
    pub(crate) fn of_cut_field(field: &'static str, offset: u64) -> Diagnostic {
        Diagnostic { field, ..Diagnostic::new(DiagnosticKind::CutField, offset) }
    }

    /// Makes a diagnostic whose description contains a number. The number is a limit in bytes, or a count.
    pub(crate) fn with_number(kind: DiagnosticKind, offset: u64, number: u64) -> Diagnostic {
        Diagnostic { kind, offset, number, field: "" }
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
            (DiagnosticKind::CutField, _) => {
                let name = self.field;
                write!(f, "the field {name} is too long; the output has only its beginning")
            }
            (DiagnosticKind::RefusedLinks, 1) => f.write_str("1 link in HTML is not a URL"),
            (DiagnosticKind::RefusedLinks, count) => write!(f, "{count} links in HTML are not URLs"),
            (DiagnosticKind::RelativeLinks, 1) => f.write_str("1 link in HTML is relative, and there is no base URL"),
            (DiagnosticKind::RelativeLinks, count) => {
                write!(f, "{count} links in HTML are relative, and there is no base URL")
            }
            (kind, _) => f.write_str(kind.about()),
        }
    }
}
