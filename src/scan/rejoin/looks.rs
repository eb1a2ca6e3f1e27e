//! What the URL before a line break and the first token behind it look like, each by its own octets.

use crate::trigger::scheme_length;
use crate::url::Url;

/// Words that begin a line of prose behind a URL.
const STOP_WORDS: &[&str] = &[
    "a", "also", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "has", "have", "i", "if", "in",
    "is", "it", "no", "not", "of", "on", "or", "so", "that", "the", "then", "there", "this", "to", "was", "we",
    "which", "will", "with", "you",
];

/// Whether a URL that ends a line in `last` is closed: by punctuation or a bracket.
pub(super) fn is_closed(last: u8) -> bool {
    matches!(last, b',' | b';' | b'!' | b'\'' | b')' | b']' | b'}' | b'|' | b'*')
}

/// Whether a URL that ends in `last` looks as if something has to follow.
pub(super) fn is_open(last: u8) -> bool {
    matches!(last, b'/' | b'-' | b'.' | b':' | b'?' | b'=' | b'&' | b'#')
}

/// Whether `word` has nothing that a URL would have and prose would not.
pub(super) fn words_only(word: &[u8]) -> bool {
    !word.iter().any(|b| matches!(b, b'/' | b'=' | b'&' | b'%' | b'?' | b'#'))
}

/// Whether a URL has more than a host or an address: one that has not is complete as it is.
pub(super) fn has_path(so_far: &[u8]) -> bool {
    let rest = match memchr::memmem::find(so_far, b"://") {
        Some(i) => &so_far[i + 3..],
        None => so_far,
    };
    memchr::memchr3(b'/', b'?', b'=', rest).is_some() || rest.last().is_some_and(|last| is_open(*last))
}

/// Whether `word` is a host name in the domain of the URL `so_far`, which ends in a slash: a list of the places where
/// something can be had, not a path.
pub(super) fn is_host_of(so_far: &[u8], word: &[u8]) -> bool {
    let Ok(url) = Url::parse(so_far) else { return false };
    let Some(host) = url.host_bytes() else { return false };
    let domain = host.iter().rposition(|b| *b == b'.').and_then(|top| host[..top].iter().rposition(|b| *b == b'.'));
    let domain = &host[domain.map_or(0, |dot| dot + 1)..];
    so_far.ends_with(b"/")
        && domain.contains(&b'.')
        && word.len() >= domain.len()
        && word[word.len() - domain.len()..].eq_ignore_ascii_case(domain)
}

/// Whether the next line's first token can be part of a URL at all; `word` is it without trailing punctuation.
pub(super) fn is_plausible(token: &[u8], word: &[u8]) -> bool {
    token.iter().any(u8::is_ascii_alphanumeric)
        && !matches!(token[0], b'[' | b'(' | b'{' | b';' | b':' | b',' | b'!' | b'*')
        && !token.starts_with(b"--")
        && !token.starts_with(b"..")
        && token[token.len() - 1] != b':'
        && !is_other_start(token, word)
        && !is_roff(token)
        && !is_stop_word(word)
}

/// Whether the token begins a URL or is an address.
fn is_other_start(token: &[u8], word: &[u8]) -> bool {
    // Behind a dot too, which may have begun the line (corpus/mail/wire_article.eml), or the sign of a changed line.
    let from = if let [b'.' | b'+' | b'-' | b'#', from @ ..] = token { from } else { token };
    is_address(word) || scheme_length(from).is_some()
}

/// One of [`STOP_WORDS`].
fn is_stop_word(word: &[u8]) -> bool {
    STOP_WORDS.iter().any(|stop| word.eq_ignore_ascii_case(stop.as_bytes()))
}

/// `local@domain.top`, perhaps in brackets of some kind.
fn is_address(word: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'@', word) else { return false };
    at > 0 && memchr::memchr3(b'/', b'=', b'?', word).is_none() && memchr::memchr(b'.', &word[at..]).is_some()
}

/// A roff request or macro: `.PP`, `.br`.
fn is_roff(token: &[u8]) -> bool {
    matches!(token, [b'.', a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric())
}

/// Whether `word` looks like the rest of a URL that was cut behind `last`: it has a slash, a file's extension, or in a
/// query an equals sign.
pub(super) fn looks_like_rest(last: u8, word: &[u8]) -> bool {
    let path = &word[..memchr::memchr2(b'?', b'#', word).unwrap_or(word.len())];
    memchr::memchr(b'/', word).is_some()
        || has_extension(path, path.len() < word.len())
        || matches!(last, b'?' | b'=' | b'&') && memchr::memchr(b'=', word).is_some()
}

/// `.html`, `.gz` and the like at the end of a name; `alone` if nothing need stand before the dot. `e.g` and `2.3` are
/// none: they have one letter before the dot, or none behind it.
fn has_extension(name: &[u8], alone: bool) -> bool {
    memchr::memrchr(b'.', name).is_some_and(|dot| {
        let extension = &name[dot + 1..];
        (1..=5).contains(&extension.len())
            && extension.iter().all(u8::is_ascii_alphanumeric)
            && extension.iter().any(u8::is_ascii_alphabetic)
            && (dot > 1 || dot == 0 && alone)
    })
}

/// Whether `word` begins as the name of another host does.
pub(super) fn begins_with_www(word: &[u8]) -> bool {
    word.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"www."))
}
