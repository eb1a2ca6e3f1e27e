//! Conventions for names: which files beside the mail are not mail, in each layout.

/// The kind of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectoryKind {
    Plain,
    /// It has `cur` and `new`.
    Maildir,
    /// It is `cur` or `new`.
    Messages,
}

named! {
    /// Why something in a directory or an archive is not read. A [`Sink`](crate::Sink::skipped) receives it.
    ///
    /// ```
    /// use urlspool::SkipReason;
    ///
    /// assert_eq!(SkipReason::Hidden.as_str(), "hidden");
    /// assert_eq!(SkipReason::Hidden.about(), "it is hidden");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum SkipReason: &'static str {
        /// Its name begins with a dot.
        Hidden = "hidden" => "it is hidden",
        /// It is a symbolic link, and links are not followed.
        Link = "link" => "it is a symbolic link, which is not followed",
        /// It is a link to a directory that contains it.
        Loop = "loop" => "it is a link to a directory that contains it",
        /// It is neither a file nor a directory, but a socket or a device, for example.
        Special = "special" => "it is not a file or a directory",
        /// It is a message that MH removed from its folder: `,12` or `#12`.
        Removed = "removed" => "MH removed it from its folder",
        /// It is in the `tmp` of a Maildir: not delivered yet.
        Undelivered = "undelivered" => "it was not delivered",
        /// It is an index that a mail server keeps beside the messages of a Maildir.
        Index = "index" => "a mail server keeps it beside the messages",
        /// It is a document of Word, Excel, PowerPoint, OpenOffice or a program like them, not mail.
        Document = "document" => "it is a document of Word, Excel or the like; convert it to HTML or text to search it",
        /// It is another name of a file that was read, such as an article in several groups of a news spool. Or it
        /// leads to a directory that was read.
        Again = "again" => "it is another name of a file that was read",
        /// It is compressed, and the same name without the ending of the compression is beside it: `1998.txt.gz` beside
        /// `1998.txt`.
        Packed = "packed" => "the same file is beside it, not compressed",
        /// The [filter](crate::Hits::filter_files) excludes it.
        Excluded = "excluded" => "it was excluded",
        /// It is a binary file: it begins as pictures or databases do, or has a NUL in its first 8 KiB, and it is not
        /// mail.
        Binary = "binary" => "it is a binary file",
        /// It is a git repository, but not one of a public-inbox. Or it is one, and the feature `git` is missing.
        Repository = "repository" => "it is a git repository",
        /// It is not mail, and [only mail](crate::Hits::mail_only) was asked for.
        NotMail = "not-mail" => "it is not mail",
        /// The run writes to it: it is standard output, or was given to [`Hits::output`](crate::Hits::output).
        Output = "output" => "it is the output of urlspool",
        /// An earlier run has read it; see [`Hits::resume`](crate::Hits::resume).
        Known = "known" => "an earlier run has read it",
    }
}

impl SkipReason {
    /// Returns the reason in words, such as "it is hidden".
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row()
    }
}

/// Returns why a file in a directory is not mail, if its name shows that.
pub(super) fn skipped(name: &[u8], above: DirectoryKind) -> Option<SkipReason> {
    match (above, name) {
        (_, [b'.', ..]) => Some(SkipReason::Hidden),
        // Messages that MH and similar programs removed from the folder.
        (_, [b',' | b'#', rest @ ..]) if is_number(rest) => Some(SkipReason::Removed),
        // All other files beside `cur` and `new` are indices.
        (DirectoryKind::Maildir, _) => Some(SkipReason::Index),
        (DirectoryKind::Messages, _) if name.starts_with(b"dovecot") || name.starts_with(b"courier") => {
            Some(SkipReason::Index)
        }
        _ => None,
    }
}

/// The endings of names of compressed files.
const ENDINGS: &[&[u8]] = &[b".gz", b".bz2", b".xz", b".zst", b".Z", b".lz4"];

/// Returns the name without the ending that a compression added to it.
pub(super) fn unpacked(name: &[u8]) -> Option<&[u8]> {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(*ending)).filter(|name| !name.is_empty())
}

/// First bytes of the names that Dovecot, Courier and others use beside `cur` and `new`.
const INDICES: &[&[u8]] = &[b"dovecot.index", b"dovecot-uid", b"dovecot-keywords", b"courierimap", b"maildirsize"];

/// Does the same for a member of an archive, whose name is all that is known. Returns whether it is a message unless
/// its content says otherwise.
///
/// # Errors
///
/// If the member is skipped.
pub(super) fn of_member(name: &[u8]) -> Result<bool, SkipReason> {
    let mut parts = name.rsplit(|&b| b == b'/');
    let leaf = parts.next().unwrap_or_default();
    let place = match parts.clone().next() {
        Some(b"cur" | b"new") => DirectoryKind::Messages,
        _ => DirectoryKind::Plain,
    };
    // In a directory tree, `cur` and `new` beside it would show that this is a Maildir's.
    let digits = leaf.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits > 8 && leaf.get(digits) == Some(&b'.') && parts.clone().next() == Some(b"tmp") {
        return Err(SkipReason::Undelivered);
    }
    if place == DirectoryKind::Messages {
        // A sub-folder of a Maildir has a name like a hidden directory.
        parts.nth(1);
    }
    if parts.any(|part| part.starts_with(b".") && !matches!(part, b"." | b"..")) {
        return Err(SkipReason::Hidden);
    }
    if INDICES.iter().any(|start| leaf.starts_with(start)) {
        return Err(SkipReason::Index);
    }
    skipped(leaf, place).map_or(Ok(place == DirectoryKind::Messages || is_number(leaf)), Err)
}

pub(super) fn is_number(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::SkipReason::{Hidden, Index, Removed, Undelivered};
    use super::*;

    #[test]
    fn members_are_classified_by_name() {
        let table: &[(&str, Result<bool, SkipReason>)] = &[
            ("lists/1986-05.mbox", Ok(false)),
            ("news/alt/archive/12", Ok(true)),
            ("inbox/7", Ok(true)),
            ("inbox/,7", Err(Removed)),
            ("inbox/.mh_sequences", Err(Hidden)),
            ("./mail/cur/1078592400.M1P1.h:2,S", Ok(true)),
            ("mail/.Sent/cur/1078592400.M1P1.h:2,S", Ok(true)),
            ("mail/cur/dovecot.index", Err(Index)),
            ("mail/dovecot.index.log", Err(Index)),
            ("mail/maildirsize", Err(Index)),
            ("mail/tmp/1078599999.M4P1.h", Err(Undelivered)),
            ("tmp/notes", Ok(false)),
            (".git/config", Err(Hidden)),
            ("a/.cache/x/y", Err(Hidden)),
            ("../box", Ok(false)),
        ];
        for (name, want) in table {
            assert_eq!(of_member(name.as_bytes()), *want, "{name}");
        }
    }
}
