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
        /// It is another name of a file that was read, such as an article in several groups of a news spool. Or it
        /// leads to a directory that was read.
        Again = "again" => "it is another name of a file that was read",
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
