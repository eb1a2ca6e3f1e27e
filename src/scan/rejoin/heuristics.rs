//! Functions that classify the URL before a line break, and the first token after the line break.

/// Words that often begin a line of prose.
const STOP_WORDS: &[&str] = &[
    "a", "also", "an", "and", "and/or", "are", "as", "at", "be", "best", "but", "by", "can", "cheers", "dear", "for",
    "from", "has", "have", "hello", "hi", "i", "if", "in", "is", "it", "my", "no", "not", "of", "on", "or", "please",
    "regards", "see", "so", "thanks", "that", "the", "then", "there", "this", "to", "was", "we", "which", "will",
    "with", "you", "your",
];

/// File extensions that are frequent in URLs.
const EXTENSIONS: &[&str] = &[
    "html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "cfm", "pl", "py", "txt", "pdf", "ps", "gz",
    "bz2", "xz", "zip", "tar", "tgz", "c", "cc", "h", "cpp", "hpp", "java", "rb", "js", "css", "xml", "gif", "jpg",
    "jpeg", "png", "doc", "md", "rst", "yaml", "yml", "json", "exe", "jar", "pom", "rpm", "deb", "diff", "patch",
    "mp3", "rss", "svg", "ics", "dsc", "iso",
];

/// Whether `last`, the last byte of a URL, shows that the URL is complete: `last` is a closing bracket, or a mark such
/// as `;` or `!`.
pub(super) fn is_closed(last: u8) -> bool {
    matches!(last, b';' | b'!' | b'\'' | b')' | b']' | b'}' | b'|' | b'*')
}

/// Whether `last`, the last byte of a URL, shows that the URL is probably incomplete.
pub(super) fn is_open(last: u8) -> bool {
    matches!(last, b'/' | b'-' | b'.' | b':' | b'?' | b'=' | b'&' | b'#' | b'%' | b'_')
}

/// Whether `word` has a character that is frequent in URLs but not in prose.
pub(super) fn has_marks(word: &[u8]) -> bool {
    word.iter().any(|b| matches!(b, b'/' | b'=' | b'&' | b'%' | b'?' | b'#'))
}

/// Whether `word` begins with `www.` or `ftp.`.
pub(super) fn begins_with_www(word: &[u8]) -> bool {
    word.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"www.") || begin.eq_ignore_ascii_case(b"ftp."))
}

pub(in crate::scan) fn is_stop_word(word: &[u8]) -> bool {
    STOP_WORDS.iter().any(|stop| word.eq_ignore_ascii_case(stop.as_bytes()))
}

/// Whether `word` is a capital letter followed by small letters, like the first word of a sentence.
pub(in crate::scan) fn is_capitalized(word: &[u8]) -> bool {
    matches!(word, [first, rest @ ..] if first.is_ascii_uppercase() && !rest.is_empty() && rest.iter().all(u8::is_ascii_lowercase))
}

pub(super) fn is_word(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_alphabetic)
}

/// Returns `text` without its query and fragment.
pub(in crate::scan) fn without_query(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr2(b'?', b'#', text).unwrap_or(text.len())]
}

/// Returns the file extension of `text`, if the extension is one of [`EXTENSIONS`]. The query and the fragment of
/// `text` are ignored.
pub(in crate::scan) fn extension(text: &[u8]) -> Option<&[u8]> {
    let path = without_query(text);
    let extension = &path[memchr::memrchr(b'.', path)? + 1..];
    // Fast path: the text after the last dot is often longer than the longest known extension. For example, it is
    // `org/path` in `example.org/path`.
    if extension.len() > 5 {
        return None;
    }
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known.as_bytes())).then_some(extension)
}

/// Whether `text` ends in a dot and a possible file extension: one to five letters and digits, of which at least one is
/// a letter. The query and the fragment of `text` are ignored. At least two bytes must be before the dot, so `e.g` has
/// no extension. If a query or fragment follows the extension, the dot can also be the first byte, as in `.php?x`.
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

/// Returns the offset of the first `://` in `text`. URLs are so short that the setup of a `memmem` search would take
/// longer than this search.
pub(super) fn authority(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b':', text).find(|&colon| text[colon..].starts_with(b"://"))
}

#[cfg(test)]
mod tests {
    use super::{any_extension, extension, is_capitalized};

    #[test]
    fn file_extensions() {
        // The second column says whether the extension is known, and the third whether any extension is possible.
        let table = [
            ("manuals.html", true, true),
            ("index.SHTML", true, true),
            ("fix.patch", true, true),
            ("old/main.c", true, true),
            ("manuals.html?old#top", true, true),
            (".php?old", true, true),
            ("manuals.djvu", false, true),
            ("manuals.mp4", false, true),
            ("manuals.manual", false, false),
            ("manuals.5", false, false),
            ("manuals.", false, false),
            ("manuals", false, false),
            ("manuals.b_c", false, false),
            ("?old.html", false, false),
            ("e.g", false, false),
            (".br", false, false),
        ];
        for (text, known, any) in table {
            assert_eq!(extension(text.as_bytes()).is_some(), known, "{text}");
            assert_eq!(any_extension(text.as_bytes()), any, "{text}");
        }
    }

    #[test]
    fn capitals() {
        for (word, want) in
            [("Regards", true), ("regards", false), ("REGARDS", false), ("ReGards", false), ("R", false)]
        {
            assert_eq!(is_capitalized(word.as_bytes()), want, "{word}");
        }
    }
}
