//! What was odd about an archive: values beside the pieces, never errors.

use std::fmt;

/// Something about an archive that a user may want to know; reading went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// What it is.
    pub(crate) kind: NoteKind,
    /// Where, in bytes from the beginning of the (decompressed) file.
    pub(crate) offset: u64,
}

/// The kinds of [`Note`].
#[cfg_attr(not(feature = "compression"), expect(dead_code, reason = "some are of what is decompressed"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NoteKind {
    /// Compressed data ends early; what was decoded counts.
    TruncatedCompression,
    /// Compressed data is damaged; what was decoded before counts.
    BadCompression,
    /// Compressed data grows out of all proportion; it was decoded up to here.
    ExpansionLimit,
    /// Something that is not compressed data follows the compressed data; it was not read.
    TrailingGarbage,
    /// A tar or zip archive ends early; what was read of it counts.
    TruncatedArchive,
    /// A tar or zip archive is damaged; what comes before the damage counts.
    BadArchive,
    /// Something that is no archive follows a zip archive; it was not read.
    BehindArchive,
    /// A zip archive whose first member is not in the file, or not where it was looked for, ends the file; its members were
    /// not read.
    ArchiveEnd,
    /// A member of a tar or zip archive has no name; it was read all the same.
    NoName,
    /// A message is larger than the limit, which is so many bytes; what is over the limit counts as plain text.
    OversizeMessage(usize),
    /// The last article of a news batch is shorter than its `#! rnews` line says.
    ShortArticle,
    /// The byte count of a `#! rnews` line is wrong; the article ends at the next such line.
    WrongCount,
    /// Messages of a mailbox begin here, in a file that begins as text and was read as that.
    MailboxBehind,
    /// The file is not in the format that was asked for: there is no message of that format in it.
    OtherFormat,
}

impl NoteKind {
    /// A stable name, and a sentence for people where it is the same for all notes of the kind.
    fn row(self) -> (&'static str, &'static str) {
        use NoteKind::*;
        match self {
            TruncatedCompression => {
                ("truncated-compression", "the compressed data is cut short; what could be decoded was read")
            }
            BadCompression => (
                "bad-compression",
                "the compressed data is damaged; what was decoded up to here was read, and some of it may be wrong",
            ),
            ExpansionLimit => {
                ("expansion-limit", "the compressed data expands more than a thousandfold; the rest was not read")
            }
            TrailingGarbage => ("trailing-garbage", "what follows the compressed data was not read"),
            TruncatedArchive => ("truncated-archive", "the archive is cut short; what there is of it was read"),
            BadArchive => ("bad-archive", "the archive is damaged; what comes before the damage was read"),
            BehindArchive => ("behind-archive", "what follows the archive was not read"),
            ArchiveEnd => (
                "archive-end",
                "this is the end of a zip archive, of which no member was read: unpack it first, or `cat` its parts together \
                 if it has several",
            ),
            NoName => ("no-name", "the member that begins here has no name; it was read all the same"),
            OversizeMessage(_) => ("oversize-message", ""),
            ShortArticle => ("short-article", "the last article is shorter than its `#! rnews` line says"),
            WrongCount => {
                ("wrong-count", "the count on the `#! rnews` line is wrong; the article was taken up to the next one")
            }
            MailboxBehind => {
                ("mailbox-behind", "a mailbox begins here, behind something else; all was read as plain text")
            }
            OtherFormat => {
                ("other-format", "it holds no message in the format that was asked for, and was read as plain text")
            }
        }
    }

    /// A stable name, for output that programs read.
    pub(crate) fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Whether part of the input was lost, so that a run that met it has not read everything.
    pub(crate) fn is_loss(self) -> bool {
        use NoteKind::*;
        matches!(
            self,
            TruncatedCompression | BadCompression | ExpansionLimit | TruncatedArchive | BadArchive | ArchiveEnd
        )
    }
}

const MIB: usize = 1 << 20;

/// A sentence for people.
impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoteKind::OversizeMessage(limit) = *self else { return f.write_str(self.row().1) };
        let (number, unit) = if limit % MIB == 0 { (limit / MIB, "MiB") } else { (limit, "bytes") };
        write!(f, "the message is larger than the limit of {number} {unit}; the rest of it was read as plain text")
    }
}
