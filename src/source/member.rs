//! What carries several inputs, such as an archive, and a list of the members that cannot be read. An archive can have
//! thousands of unreadable members. All members that are unreadable for the same reason are therefore reported in one
//! error.

use std::io::{self, Read};
use std::path::PathBuf;

use crate::container::Format;
use crate::diagnostic::DiagnosticKind;
use crate::error::Error;
use crate::magic::Codec;

/// Something that carries inputs, which are read one after another: a file or its decoded bytes, which are one input;
/// an archive with its members; an Outlook mailbox with its folders; a git repository with its objects. [`Read`]
/// returns the bytes of the current input.
pub(super) trait Carrier: Read {
    /// Moves to the next input. Skips the rest of the current input, and skips directories and links. Returns `None`
    /// after the last input.
    ///
    /// # Errors
    ///
    /// Returns an error if reading fails. Malformed data is not an error: malformed data ends the archive, and
    /// [`note`](Self::note) returns the reason.
    fn advance(&mut self) -> io::Result<Option<Next>> {
        Ok(None)
    }

    /// Returns how far reading has come:
    ///
    /// - for a tar or zip archive, the number of bytes read from the archive;
    /// - for a malformed zip member of unknown length, the offset at which the data of the member begins;
    /// - for a compression, the number of decoded bytes that were returned;
    /// - for Outlook folders, the number of bytes of converted messages that were returned.
    fn offset(&mut self) -> u64 {
        0
    }

    /// Returns the problem with the data, after all inputs were read. If the data is truncated because a layer below
    /// ended too early, returns the problem of the layer below, which is the cause.
    fn note(&mut self) -> Option<DiagnosticKind> {
        None
    }
}

/// What a carrier comes to next.
#[cfg_attr(not(feature = "compression"), expect(dead_code, reason = "without decompression, there are only objects"))]
pub(super) enum Next {
    /// A member of an archive, or a folder of an Outlook mailbox.
    Member(Member),
    /// A git object, with its name in the form `REPOSITORY:ID`.
    Object(PathBuf),
    /// Damage at this offset of an archive. Other members can follow.
    Damage(u64),
    /// An error about a git object or a repository. Other objects can follow.
    Problem(Error),
}

/// A member of an archive.
#[derive(Debug, Default)]
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    /// The compression that the archive states for the member.
    pub(super) codec: Option<Codec>,
    /// Whether the reader of the archive already decompresses the member. If this is `false`, the caller must add a
    /// decoder for `codec`.
    pub(super) is_undone: bool,
    /// The format of the member, if the kind of the archive determines this format. For example, each member of an
    /// Outlook mailbox is a folder of messages.
    pub(super) format: Option<&'static Format>,
    /// The reason why the member cannot be read, in words.
    pub(super) unreadable: Option<String>,
}

/// The unreadable members of all open archives.
#[derive(Debug, Default)]
pub(super) struct Unread(Vec<Group>);

/// The members of one archive that are unreadable for the same reason.
#[derive(Debug)]
struct Group {
    /// Nesting depth of the archive, starting at 1.
    depth: usize,
    why: String,
    first: PathBuf,
    others: u64,
}

impl Unread {
    /// Adds an unreadable member of the innermost open archive. `depth` is the nesting depth of that archive.
    pub(super) fn add(&mut self, depth: usize, why: String, place: PathBuf) {
        match self.0.iter_mut().find(|group| group.depth == depth && group.why == why) {
            Some(group) => group.others += 1,
            None => self.0.push(Group { depth, why, first: place, others: 0 }),
        }
    }

    /// Returns the next error about an archive that has ended. `depth` is the number of archives that are still open.
    /// The error names the first unreadable member.
    pub(super) fn next(&mut self, depth: usize) -> Option<Error> {
        let at = self.0.iter().position(|group| group.depth > depth)?;
        let Group { why, first, others, .. } = self.0.remove(at);
        let and = match others {
            0 => String::new(),
            1 => " (1 other member has the same problem)".to_owned(),
            others => format!(" ({others} other members have the same problem)"),
        };
        let reason = io::Error::new(io::ErrorKind::Unsupported, format!("{why}{and}"));
        Some(Error::unreadable(&first, &why, reason).of(others + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_members_are_grouped_by_archive_and_reason() {
        let mut unread = Unread::default();
        for (depth, why, place) in [
            (1, "it is compressed with LZMA", "a.zip!1"),
            (2, "it is compressed with LZMA", "a.zip!b.zip!1"),
            (2, "it is encrypted", "a.zip!b.zip!2"),
            (2, "it is compressed with LZMA", "a.zip!b.zip!3"),
            (1, "its compression method is unknown", "a.zip!2"),
            (1, "it is compressed with LZMA", "a.zip!3"),
            (1, "it is compressed with LZMA", "a.zip!4"),
        ] {
            unread.add(depth, why.to_owned(), place.into());
        }
        let table = [
            (2, None),
            (
                1,
                Some((
                    "a.zip!b.zip!1: cannot be opened: it is compressed with LZMA (1 other member has the same problem)",
                    2,
                )),
            ),
            (1, Some(("a.zip!b.zip!2: cannot be opened: it is encrypted", 1))),
            (1, None),
            (
                0,
                Some((
                    "a.zip!1: cannot be opened: it is compressed with LZMA (2 other members have the same problem)",
                    3,
                )),
            ),
            (0, Some(("a.zip!2: cannot be opened: its compression method is unknown", 1))),
            (0, None),
        ];
        for (depth, want) in table {
            let reported = unread.next(depth).map(|error| (error.to_string(), error.count()));
            assert_eq!(reported, want.map(|(text, count)| (text.to_owned(), count)));
        }
    }
}
