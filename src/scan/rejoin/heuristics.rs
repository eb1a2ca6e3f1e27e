//! Checks of the URL before a line break, and of the first token after it, each by its own bytes.

use crate::url::Url;

/// Words that begin a line of prose after a URL.
const STOP_WORDS: &[&str] = &[
    "a", "also", "an", "and", "and/or", "are", "as", "at", "be", "best", "but", "by", "can", "cheers", "dear", "for",
    "from", "has", "have", "hello", "hi", "i", "if", "in", "is", "it", "my", "no", "not", "of", "on", "or", "please",
    "regards", "see", "so", "thanks", "that", "the", "then", "there", "this", "to", "was", "we", "which", "will",
    "with", "you", "your",
];

/// The file extensions that URLs mostly end in.
const EXTENSIONS: &[&str] = &[
    "html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "cfm", "pl", "py", "txt", "pdf", "ps", "gz",
    "bz2", "xz", "zip", "tar", "tgz", "c", "cc", "h", "cpp", "hpp", "java", "rb", "js", "css", "xml", "gif", "jpg",
    "jpeg", "png", "doc", "md", "rst", "yaml", "yml", "json", "exe", "jar", "pom", "rpm", "deb", "diff", "patch",
    "mp3", "rss", "svg", "ics",
];

/// Whether a URL that ends a line in `last` is closed: by punctuation or a bracket.
pub(super) fn is_closed(last: u8) -> bool {
    matches!(last, b';' | b'!' | b'\'' | b')' | b']' | b'}' | b'|' | b'*')
}

/// Whether a URL that ends in `last` looks unfinished.
pub(super) fn is_open(last: u8) -> bool {
    matches!(last, b'/' | b'-' | b'.' | b':' | b'?' | b'=' | b'&' | b'#' | b'%' | b'_')
}

/// Whether `word` has something that a URL would have and prose would not.
pub(super) fn has_marks(word: &[u8]) -> bool {
    word.iter().any(|b| matches!(b, b'/' | b'=' | b'&' | b'%' | b'?' | b'#'))
}

/// Whether `word` is a host name in the domain of `url`. Then the lines are a list of download sites, and the word is
/// not a path.
pub(super) fn is_host_of(url: &[u8], word: &[u8]) -> bool {
    if memchr::memchr(b'.', word).is_none() {
        return false;
    }
    let Ok(url) = Url::parse(url) else { return false };
    let Some(host) = url.host_bytes() else { return false };
    let domain = host.iter().rposition(|b| *b == b'.').and_then(|top| host[..top].iter().rposition(|b| *b == b'.'));
    let domain = &host[domain.map_or(0, |dot| dot + 1)..];
    domain.contains(&b'.')
        && word.len() >= domain.len()
        && word[word.len() - domain.len()..].eq_ignore_ascii_case(domain)
}

/// Whether `word` begins like the name of another host.
pub(super) fn begins_with_www(word: &[u8]) -> bool {
    word.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"www.") || begin.eq_ignore_ascii_case(b"ftp."))
}

/// Whether `word` is one of [`STOP_WORDS`].
pub(super) fn is_stop_word(word: &[u8]) -> bool {
    STOP_WORDS.iter().any(|stop| word.eq_ignore_ascii_case(stop.as_bytes()))
}

/// Whether `word` is a word with a capital and small letters, such as the first one of a sentence, or a name.
pub(super) fn is_capitalized(word: &[u8]) -> bool {
    matches!(word, [first, rest @ ..] if first.is_ascii_uppercase() && !rest.is_empty() && rest.iter().all(u8::is_ascii_lowercase))
}

/// Whether `word` has only letters.
pub(super) fn is_word(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_alphabetic)
}

/// Whether `word` has only letters and digits, and both of them.
pub(super) fn is_mixed(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_alphanumeric)
        && word.iter().any(u8::is_ascii_digit)
        && !word.iter().all(u8::is_ascii_digit)
}

/// Returns `text` up to a query or a fragment.
fn without_query(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr2(b'?', b'#', text).unwrap_or(text.len())]
}

/// Returns the known extension at the end of the path that `text` is or ends with.
pub(super) fn extension(text: &[u8]) -> Option<&[u8]> {
    let path = without_query(text);
    let extension = &path[memchr::memrchr(b'.', path)? + 1..];
    // The longest one. Most of what follows a dot is longer: a host's last label with a path.
    if extension.len() > 5 {
        return None;
    }
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known.as_bytes())).then_some(extension)
}

/// Whether `text` ends in a dot and a possible extension, known or not, with at least two letters before. `e.g` and
/// `2.3` have none.
pub(super) fn any_extension(text: &[u8]) -> bool {
    let path = without_query(text);
    memchr::memrchr(b'.', path).is_some_and(|dot| {
        let extension = &path[dot + 1..];
        (1..=5).contains(&extension.len())
            && extension.iter().all(u8::is_ascii_alphanumeric)
            && extension.iter().any(u8::is_ascii_alphabetic)
            && (dot > 1 || dot == 0 && path.len() < text.len())
    })
}

/// Returns where the first `://` of `text` begins. Preparing a search for it would cost more than the search.
pub(super) fn authority(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b':', text).find(|&colon| text[colon..].starts_with(b"://"))
}

/// Returns what follows the host of `url`, including the first slash.
pub(super) fn path(url: &[u8]) -> &[u8] {
    let host = authority(url).map_or(0, |i| i + 3);
    let path = memchr::memchr3(b'/', b'?', b'#', &url[host..]).map_or(url.len(), |i| host + i);
    &url[path..]
}

/// Whether `url` has a host, and nothing but a slash after it.
pub(super) fn is_bare_host(url: &[u8]) -> bool {
    authority(url).is_some() && path(url).len() <= 1
}
