//! What the beginning of a message looks like.

use memchr::{memchr, memchr_iter};

use super::Unknown;

/// Names of header fields that mail and news programs write, in lower case, sorted. `X-` fields need no row.
const KNOWN: &[&str] = &[
    "also-control",
    "approved",
    "archive",
    "archived-at",
    "article-i.d.",
    "article-names",
    "article-updates",
    "authentication-results",
    "auto-submitted",
    "bcc",
    "cancel-lock",
    "cc",
    "comments",
    "content-base",
    "content-class",
    "content-description",
    "content-disposition",
    "content-id",
    "content-language",
    "content-length",
    "content-location",
    "content-md5",
    "content-transfer-encoding",
    "content-type",
    "control",
    "date",
    "date-received",
    "deferred-delivery",
    "delivered-to",
    "delivery-date",
    "disposition-notification-to",
    "distribution",
    "dkim-signature",
    "domainkey-signature",
    "envelope-to",
    "errors-to",
    "expires",
    "followup-to",
    "from",
    "importance",
    "in-reply-to",
    "injection-date",
    "injection-info",
    "keywords",
    "lines",
    "list-archive",
    "list-help",
    "list-id",
    "list-owner",
    "list-post",
    "list-subscribe",
    "list-unsubscribe",
    "mail-followup-to",
    "mailing-list",
    "message-id",
    "mime-version",
    "newsgroups",
    "nntp-posting-date",
    "nntp-posting-host",
    "nntp-posting-user",
    "old-content-length",
    "organisation",
    "organization",
    "original-recipient",
    "originator",
    "path",
    "posted",
    "posted-date",
    "posting-version",
    "precedence",
    "priority",
    "received",
    "received-spf",
    "references",
    "relay-version",
    "reply-to",
    "resent-cc",
    "resent-date",
    "resent-from",
    "resent-message-id",
    "resent-sender",
    "resent-to",
    "return-path",
    "return-receipt-to",
    "sender",
    "sensitivity",
    "status",
    "subject",
    "summary",
    "supersedes",
    "thread-index",
    "thread-topic",
    "to",
    "user-agent",
    "via",
    "xref",
];

/// Some programs write this before everything else in a file.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// No known name is longer, and no `X-` name worth believing in.
const NAME_MAX: usize = 76;

/// The name of the header field that `line` begins with, if it does. It is unknown if the line goes on after what is there,
/// as it does unless that is `all`, and still may.
fn field(line: &[u8], all: bool) -> Result<Option<&[u8]>, Unknown> {
    let head = &line[..line.len().min(NAME_MAX)];
    let unless_more = if all || line.len() >= NAME_MAX { Ok(None) } else { Err(Unknown) };
    let Some(end) = head.iter().position(|&b| !(b'!'..=b'~').contains(&b) || b == b':') else { return unless_more };
    // Old programs put blanks before the colon.
    match head[end..].iter().find(|b| !matches!(b, b' ' | b'\t')) {
        _ if end == 0 => Ok(None),
        Some(octet) => Ok((*octet == b':').then_some(&head[..end])),
        None => unless_more,
    }
}

fn is_known(name: &[u8]) -> bool {
    if let [b'X' | b'x', b'-', _, ..] = name {
        return true;
    }
    let mut lower = [0; NAME_MAX];
    let Some(lower) = lower.get_mut(..name.len()) else { return false };
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    KNOWN.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok()
}

/// Whether the text that begins here begins with a known header field, or with a `>From ` line, which relays put
/// before one. Unknown if that takes more octets than there are and `all` is not yet there.
pub(super) fn begins(text: &[u8], all: bool) -> Result<bool, Unknown> {
    const RELAYED: &[u8] = b">From ";
    if text.starts_with(RELAYED) {
        return Ok(true);
    }
    if !all && RELAYED.starts_with(text) {
        return Err(Unknown);
    }
    Ok(field(text, all)?.is_some_and(is_known))
}

/// Whether a file that begins with `head` is one message.
///
/// Its first line is a header field, one of its first three lines is a field of a known name, and the second line is
/// another field, a continuation, blank, or absent: so a note (`Note: see …`) or a log is not taken for a message.
pub(super) fn is_message(head: &[u8]) -> bool {
    let head = head.strip_prefix(BOM).unwrap_or(head);
    let mut lines = lines(head).skip_while(|line| line.starts_with(b">From "));
    let mut name = || lines.next().map(|line| (line, field(line, true).unwrap_or(None)));
    let Some((_, Some(first))) = name() else { return false };
    match name() {
        None | Some(([], _)) => is_known(first),
        Some(([b' ' | b'\t', ..], second) | (_, second @ Some(_))) => {
            [Some(first), second].into_iter().flatten().any(is_known)
                || name().and_then(|(_, third)| third).is_some_and(is_known)
        }
        Some(_) => false,
    }
}

/// Whether a file that begins with `head` is one news article: a message with a `Newsgroups` field.
pub(super) fn is_article(head: &[u8]) -> bool {
    const NEWSGROUPS: &[u8] = b"newsgroups:";
    // That first: mail is asked about its form anyway, as the next format.
    lines(head)
        .take_while(|line| !line.is_empty())
        .take(100)
        .any(|line| line.get(..NEWSGROUPS.len()).is_some_and(|name| name.eq_ignore_ascii_case(NEWSGROUPS)))
        && is_message(head)
}

/// Lines without their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text).filter(|text| !text.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let line = match memchr(b'\n', text) {
            Some(end) => {
                rest = Some(&text[end + 1..]).filter(|text| !text.is_empty());
                &text[..end]
            }
            None => {
                rest = None;
                text
            }
        };
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

/// The first place from `from` up to `to`, both included, that follows a blank line.
pub(super) fn after_blank_line(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let first = from.saturating_sub(1);
    memchr_iter(b'\n', text.get(first..to)?).map(|i| first + i).find(|&end| ends_blank(text, end)).map(|end| end + 1)
}

/// Whether the line break at `end` ends a blank line that follows another line.
pub(super) fn ends_blank(text: &[u8], end: usize) -> bool {
    matches!(text[..end], [.., b'\n'] | [.., b'\n', b'\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(KNOWN.is_sorted());
        assert!(KNOWN.iter().all(|name| name.len() < NAME_MAX && !name.starts_with("x-")));
    }

    #[test]
    fn begins_with_a_field() {
        let table: &[(&[u8], Result<bool, Unknown>)] = &[
            (b"Subject: x", Ok(true)),
            (b"SUBJECT:", Ok(true)),
            (b"X-Google-Language: ENGLISH", Ok(true)),
            (b">From a b", Ok(true)),
            (b"", Err(Unknown)),
            (b">Fro", Err(Unknown)),
            (b"Subj", Err(Unknown)),
            (b"Subject", Err(Unknown)),
            (b"Subject : x", Ok(true)),
            (b"Subject\t :", Ok(true)),
            (b"Subject  ", Err(Unknown)),
            (b"X-", Err(Unknown)),
            (b"X-:", Ok(false)),
            (b"Subject matter", Ok(false)),
            (b"Nothing: x", Ok(false)),
            (b"\nSubject: x", Ok(false)),
            (b" Subject: x", Ok(false)),
            (b": x", Ok(false)),
            (&[b'a'; 100], Ok(false)),
        ];
        for (text, want) in table {
            assert_eq!(begins(text, false), *want, "{}", text.escape_ascii());
            assert_eq!(begins(text, true), Ok(want.unwrap_or(false)), "{}", text.escape_ascii());
        }
    }
}
