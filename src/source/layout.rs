//! Decides from the name of a file whether it can be mail. For example, `dovecot.index` in a Maildir is not mail.

/// The kind of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectoryKind {
    Plain,
    /// A directory with the subdirectories `cur` and `new`.
    Maildir,
    /// The directory `cur` or `new` of a Maildir.
    Messages,
}

named! {
    /// The reason why a file, a directory or a member of an archive is skipped.
    /// [`Event::Skipped`](crate::Event::Skipped) has the reason.
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
        /// The name of the file or directory begins with a dot.
        Hidden = "hidden" => "it is hidden",
        /// The path is a symbolic link, and symbolic links are not followed.
        Link = "link" => "it is a symbolic link, which is not followed",
        /// The path is a symbolic link to a directory that contains the link.
        Loop = "loop" => "it is a symbolic link to a directory that contains it",
        /// The path is neither a file nor a directory. Examples are a socket and a device.
        Special = "special" => "it is not a file or a directory",
        /// The file is a message that MH marked as removed from its folder, such as `,12` or `#12`.
        Removed = "removed" => "MH removed it from its folder",
        /// The message is in the `tmp` directory of a Maildir, so it has not been delivered yet.
        Undelivered = "undelivered" => "it is a message that was not delivered yet",
        /// A mail server stores its own data in this file, which is not a message. Examples are the index files of
        /// Dovecot, and `maildirsize` in a Maildir.
        Index = "index" => "it is a mail server's own file, not a message",
        /// The file is a document of Word, Excel, PowerPoint, OpenOffice or a similar program, not mail.
        Document = "document" =>
            "it is a document of Word, Excel or the like; to search it, convert it to HTML or text",
        /// The path is another name of a file or directory that was already read. For example, an article in several
        /// groups of a news spool has several names.
        Again = "again" => "it is another name of a file that was read",
        /// The directory has an uncompressed copy of this compressed file. For example, it has both `1998.txt.gz` and
        /// `1998.txt`.
        Packed = "packed" => "its directory also has the uncompressed file",
        /// The [filter](crate::Hits::filter_files) excludes the file or directory.
        Excluded = "excluded" => "a file filter excludes it",
        /// The file is binary and not mail. The file has the signature of a picture, a database or a similar format, or
        /// a NUL in its first 8 KiB.
        Binary = "binary" => "it is a binary file",
        /// The path is a git repository that is not part of a public-inbox. Without the feature `git`, every git
        /// repository is skipped.
        Repository = "repository" => "it is a git repository",
        /// The file is not mail, and the caller wants only mail.
        NotMail = "not-mail" => "it is not mail",
        /// The results are written to this file: the caller passed it to [`Hits::output`](crate::Hits::output).
        Output = "output" => "it is the output of urlspool",
        /// The message was deleted after its Maildir was listed.
        Gone = "gone" => "it was deleted before urlspool could read it",
        /// An earlier run has read the file. See [`Hits::resume`](crate::Hits::resume).
        Known = "known" => "an earlier run has read it",
    }
}

impl SkipReason {
    /// Returns what the file is, for a list of inputs that were not searched.
    pub(crate) fn what(self) -> &'static str {
        match self {
            SkipReason::Document => "an office document",
            SkipReason::Binary => "a binary file",
            _ => "a skipped file",
        }
    }

    /// Returns the reason in words, such as "it is hidden".
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row()
    }
}

/// Returns the reason to skip a file if its name shows that it is not mail. `above` is the kind of the directory that
/// contains the file.
pub(super) fn skipped(name: &[u8], above: DirectoryKind) -> Option<SkipReason> {
    match (above, name) {
        (_, [b'.', ..]) => Some(SkipReason::Hidden),
        (_, [b',' | b'#', rest @ ..]) if is_number(rest) => Some(SkipReason::Removed),
        // Beside `cur` and `new`, people have other mail, for example in a mailbox.
        (DirectoryKind::Maildir | DirectoryKind::Messages, _) if is_index(name) => Some(SkipReason::Index),
        _ => None,
    }
}

/// Extensions of compressed files.
const ENDINGS: &[&[u8]] = &[b".gz", b".bz2", b".xz", b".zst", b".Z", b".lz4"];

/// Returns the name without the extension of a compressed file. Returns `None` if the name has no such extension.
pub(super) fn unpacked(name: &[u8]) -> Option<&[u8]> {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(*ending)).filter(|name| !name.is_empty())
}

/// Beginnings of the names of files that Dovecot, Courier and other servers store in a Maildir. These files are not
/// messages.
const INDICES: &[&[u8]] = &[
    b"dovecot.index",
    b"dovecot-uid",
    b"dovecot-keywords",
    b"dovecot-acl",
    b"courierimap",
    b"courierpop3",
    b"maildirsize",
    b"maildirfolder",
    b"cyrus.",
];

fn is_index(name: &[u8]) -> bool {
    INDICES.iter().any(|start| name.starts_with(start))
}

/// Whether `name` is like the name of a message in a Maildir, such as `1717000000.M1P2.host` or `1.M1P2.host:2,S`.
pub(super) fn is_maildir_name(name: &[u8]) -> bool {
    let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 8 && name.get(digits) == Some(&b'.') || memchr::memmem::find(name, b":2,").is_some()
}

/// Checks the name of a member of an archive. Returns whether the member is one message by convention.
///
/// # Errors
///
/// Returns the reason if the member is skipped.
pub(super) fn of_member(name: &[u8]) -> Result<bool, SkipReason> {
    let mut parts = name.rsplit(|&b| b == b'/');
    let leaf = parts.next().unwrap_or_default();
    let place = match parts.clone().next() {
        Some(b"cur" | b"new") => DirectoryKind::Messages,
        _ => DirectoryKind::Plain,
    };
    // A directory with the name `tmp` need not be part of a Maildir. A member in `tmp` is therefore skipped only if its
    // file name begins like the name of a Maildir message, such as `1717000000.M1P2.host`.
    if is_maildir_name(leaf) && parts.clone().next() == Some(b"tmp") {
        return Err(SkipReason::Undelivered);
    }
    if place == DirectoryKind::Messages {
        // A subfolder of a Maildir has a name such as `.Sent`, but is not a hidden directory. So the check below
        // ignores two directories: `cur` or `new`, and its parent directory.
        parts.nth(1);
    }
    // KMail stores the subfolders of `inbox` in `.inbox.directory`.
    let is_hidden =
        |part: &[u8]| part.starts_with(b".") && !matches!(part, b"." | b"..") && !part.ends_with(b".directory");
    if parts.any(is_hidden) {
        return Err(SkipReason::Hidden);
    }
    if is_index(leaf) {
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
            ("mail/.inbox.directory/sub/cur/1.M1P1.h", Ok(true)),
            ("mail/tmp/1078599999.M4P1.h", Err(Undelivered)),
            ("tmp/notes", Ok(false)),
            ("tmp/12345678.txt", Ok(false)),
            (".git/config", Err(Hidden)),
            ("a/.cache/x/y", Err(Hidden)),
            ("../box", Ok(false)),
        ];
        for (name, want) in table {
            assert_eq!(of_member(name.as_bytes()), *want, "{name}");
        }
    }
}
