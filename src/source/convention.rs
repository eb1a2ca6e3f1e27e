//! What names say: which files beside the mail are none, by the conventions of each layout.

/// What a directory is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Plain,
    /// It has `cur` and `new`.
    Maildir,
    /// It is `cur` or `new`.
    Messages,
}

/// Whether a file in a directory is mail, as far as its name tells.
pub(super) fn is_wanted(name: &[u8], above: Place) -> bool {
    match (above, name) {
        (_, [b'.', ..]) => false,
        // Messages that MH and its like took out of the folder.
        (_, [b',' | b'#', rest @ ..]) if !rest.is_empty() && rest.iter().all(u8::is_ascii_digit) => false,
        // Beside `cur` and `new` there are only indices.
        (Place::Maildir, _) => false,
        (Place::Messages, _) => !name.starts_with(b"dovecot") && !name.starts_with(b"courier"),
        (Place::Plain, _) => true,
    }
}

/// What Dovecot, Courier and others keep beside `cur` and `new`, by its first octets.
const INDICES: &[&[u8]] = &[b"dovecot.index", b"dovecot-uid", b"dovecot-keywords", b"courierimap", b"maildirsize"];

/// The same for a member of an archive, of which no more is known than its name: whether it is a message if its content
/// does not say otherwise; `None` if it is left out.
pub(super) fn of_member(name: &[u8]) -> Option<bool> {
    let mut parts = name.rsplit(|&b| b == b'/');
    let leaf = parts.next().unwrap_or_default();
    let place = match parts.clone().next() {
        Some(b"cur" | b"new") => Place::Messages,
        _ => Place::Plain,
    };
    if place == Place::Messages {
        // A sub-folder of a Maildir has a name like a hidden one.
        parts.nth(1);
    }
    // A Maildir's message that was not delivered: in a tree the directories beside it would tell.
    let digits = leaf.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits > 8 && leaf.get(digits) == Some(&b'.') && parts.clone().next() == Some(b"tmp") {
        return None;
    }
    let hidden = parts.any(|part| part.starts_with(b".") && !matches!(part, b"." | b".."));
    let index = INDICES.iter().any(|start| leaf.starts_with(start));
    (!hidden && !index && is_wanted(leaf, place)).then(|| place == Place::Messages || is_number(leaf))
}

pub(super) fn is_number(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::of_member;

    #[test]
    fn members_of_archives() {
        let table: &[(&str, Option<bool>)] = &[
            ("lists/1986-05.mbox", Some(false)),
            ("news/alt/archive/12", Some(true)),
            ("inbox/7", Some(true)),
            ("inbox/,7", None),
            ("inbox/.mh_sequences", None),
            ("./mail/cur/1078592400.M1P1.h:2,S", Some(true)),
            ("mail/.Sent/cur/1078592400.M1P1.h:2,S", Some(true)),
            ("mail/cur/dovecot.index", None),
            ("mail/dovecot.index.log", None),
            ("mail/maildirsize", None),
            ("mail/tmp/1078599999.M4P1.h", None),
            ("tmp/notes", Some(false)),
            (".git/config", None),
            ("a/.cache/x/y", None),
            ("../box", Some(false)),
        ];
        for (name, want) in table {
            assert_eq!(of_member(name.as_bytes()), *want, "{name}");
        }
    }
}
