//! Functions that classify the URL before a line break, and the first token after the line break.

/// Words that often begin a line of prose.
const STOP_WORDS: [&str; 50] = [
    "a", "also", "an", "and", "and/or", "are", "as", "at", "be", "best", "but", "by", "can", "cheers", "dear", "for",
    "from", "has", "have", "hello", "hi", "i", "if", "in", "is", "it", "my", "no", "not", "of", "on", "or", "please",
    "regards", "see", "so", "thanks", "that", "the", "then", "there", "this", "to", "was", "we", "which", "will",
    "with", "you", "your",
];

/// File extensions that are frequent in URLs.
const EXTENSIONS: [&str; 54] = [
    "html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "cfm", "pl", "py", "txt", "pdf", "ps", "gz",
    "bz2", "xz", "zip", "tar", "tgz", "c", "cc", "h", "cpp", "hpp", "java", "rb", "js", "css", "xml", "gif", "jpg",
    "jpeg", "png", "doc", "md", "rst", "yaml", "yml", "json", "exe", "jar", "pom", "rpm", "deb", "diff", "patch",
    "mp3", "rss", "svg", "ics", "dsc", "iso",
];

/// Maximum length of a word that [`key`] takes, in bytes. Its first bit needs one of the eight bytes of a key.
const MAX_KEY: usize = 7;

/// Returns the number that stands for `word` and for the same word in capitals. A comparison of numbers is faster than
/// one of texts.
const fn key(word: &[u8]) -> u64 {
    // The first bit tells words apart that begin with NUL bytes.
    let (mut key, mut i) = (1, 0);
    while i < word.len() {
        key = key << 8 | word[i].to_ascii_lowercase() as u64;
        i += 1;
    }
    key
}

const fn keys<const N: usize>(words: &[&str; N]) -> [u64; N] {
    let (mut keys, mut i) = ([0; N], 0);
    while i < N {
        assert!(words[i].len() <= MAX_KEY);
        keys[i] = key(words[i].as_bytes());
        i += 1;
    }
    keys
}

/// Whether `keys` has the key of `word`.
fn is_one_of(word: &[u8], keys: &[u64]) -> bool {
    word.len() <= MAX_KEY && keys.contains(&key(word))
}

/// Whether `last`, the last byte of a URL, shows that the URL is complete: `last` is a closing bracket, or a mark such
/// as `;` or `!`.
pub(super) fn is_closed(last: u8) -> bool {
    matches!(last, b';' | b'!' | b'\'' | b')' | b']' | b'}' | b'|' | b'*')
}

/// Whether `last`, the last byte of a URL, shows that the URL is probably incomplete.
pub(super) fn is_open(last: u8) -> bool {
    matches!(last, b'/' | b'-' | b'.' | b':' | b'?' | b'=' | b'&' | b'#' | b'%' | b'_')
}

/// A set of kinds of bytes. Most questions about a word ask which kinds its bytes have, so the word is read once.
#[derive(Clone, Copy)]
pub(super) struct Kinds(u16);

impl Kinds {
    pub(super) const SMALL: Kinds = Kinds(1 << 0);
    const CAPITALS: Kinds = Kinds(1 << 1);
    pub(super) const DIGITS: Kinds = Kinds(1 << 2);
    pub(super) const COLON: Kinds = Kinds(1 << 3);
    pub(super) const APOSTROPHE: Kinds = Kinds(1 << 4);
    pub(super) const DOT: Kinds = Kinds(1 << 5);
    pub(super) const UNDERSCORE: Kinds = Kinds(1 << 6);
    pub(super) const HYPHEN: Kinds = Kinds(1 << 7);
    pub(super) const AT: Kinds = Kinds(1 << 8);
    /// `=`, `&` and `%`.
    pub(super) const QUERY: Kinds = Kinds(1 << 9);
    /// `/`, `?` and `#`.
    const DELIMITERS: Kinds = Kinds(1 << 10);
    const OTHER: Kinds = Kinds(1 << 11);

    pub(super) const LETTERS: Kinds = Self::SMALL.or(Self::CAPITALS);
    pub(super) const ALPHANUMERIC: Kinds = Self::LETTERS.or(Self::DIGITS);
    /// The bytes that are frequent in URLs but not in prose.
    pub(super) const MARKS: Kinds = Self::QUERY.or(Self::DELIMITERS);

    /// Returns the kinds of all bytes of `text`.
    pub(super) fn of(text: &[u8]) -> Kinds {
        text.iter().fold(Kinds(0), |kinds, byte| kinds.or(KINDS[usize::from(*byte)]))
    }

    pub(super) const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether a byte is of one of `kinds`.
    pub(super) fn has(self, kinds: Kinds) -> bool {
        self.0 & kinds.0 != 0
    }

    /// Whether all bytes are of one of `kinds`.
    pub(super) fn is_only(self, kinds: Kinds) -> bool {
        self.0 & !kinds.0 == 0
    }
}

/// The kind of each byte.
static KINDS: [Kinds; 256] = {
    let (mut kinds, mut byte) = ([Kinds::OTHER; 256], 0);
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => Kinds::SMALL,
            b'A'..=b'Z' => Kinds::CAPITALS,
            b'0'..=b'9' => Kinds::DIGITS,
            b'/' | b'?' | b'#' => Kinds::DELIMITERS,
            b'=' | b'&' | b'%' => Kinds::QUERY,
            b':' => Kinds::COLON,
            b'\'' => Kinds::APOSTROPHE,
            b'.' => Kinds::DOT,
            b'_' => Kinds::UNDERSCORE,
            b'-' => Kinds::HYPHEN,
            b'@' => Kinds::AT,
            _ => Kinds::OTHER,
        };
        byte += 1;
    }
    kinds
};

/// Whether `word` begins with `www.` or `ftp.`.
pub(super) fn begins_with_www(word: &[u8]) -> bool {
    word.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"www.") || begin.eq_ignore_ascii_case(b"ftp."))
}

pub(in crate::scan) fn is_stop_word(word: &[u8]) -> bool {
    static KEYS: [u64; STOP_WORDS.len()] = keys(&STOP_WORDS);
    is_one_of(word, &KEYS)
}

/// Whether `word` is a capital letter followed by small letters, like the first word of a sentence.
pub(in crate::scan) fn is_capitalized(word: &[u8]) -> bool {
    matches!(word, [first, rest @ ..] if first.is_ascii_uppercase() && !rest.is_empty() && rest.iter().all(u8::is_ascii_lowercase))
}

/// Returns `text` without its query and fragment.
pub(in crate::scan) fn without_query(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr2(b'?', b'#', text).unwrap_or(text.len())]
}

/// Returns the file extension of `text`, if the extension is one of [`EXTENSIONS`]. The query and the fragment of
/// `text` are ignored.
pub(in crate::scan) fn extension(text: &[u8]) -> Option<&[u8]> {
    static KEYS: [u64; EXTENSIONS.len()] = keys(&EXTENSIONS);
    let path = without_query(text);
    let extension = &path[memchr::memrchr(b'.', path)? + 1..];
    is_one_of(extension, &KEYS).then_some(extension)
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
    use super::{Kinds, any_extension, extension, is_capitalized, is_stop_word};

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
    fn words_are_found_by_their_keys() {
        let table = [("the", true), ("The", true), ("AND/OR", true), ("theory", false), ("\0a", false), ("", false)];
        for (word, want) in table {
            assert_eq!(is_stop_word(word.as_bytes()), want, "{word:?}");
        }
    }

    #[test]
    fn each_byte_has_one_kind() {
        for byte in 0..=255_u8 {
            assert_eq!(Kinds::of(&[byte]).0.count_ones(), 1, "{byte}");
            let table = [
                (Kinds::SMALL, byte.is_ascii_lowercase()),
                (Kinds::LETTERS, byte.is_ascii_alphabetic()),
                (Kinds::DIGITS, byte.is_ascii_digit()),
                (Kinds::ALPHANUMERIC, byte.is_ascii_alphanumeric()),
                (Kinds::QUERY, b"=&%".contains(&byte)),
                (Kinds::MARKS, b"/=&%?#".contains(&byte)),
                (Kinds::COLON, byte == b':'),
                (Kinds::APOSTROPHE, byte == b'\''),
                (Kinds::DOT, byte == b'.'),
                (Kinds::UNDERSCORE, byte == b'_'),
                (Kinds::HYPHEN, byte == b'-'),
                (Kinds::AT, byte == b'@'),
            ];
            assert!(table.iter().all(|(kinds, want)| Kinds::of(&[byte]).has(*kinds) == *want), "{byte}");
        }
        let kinds = Kinds::of(b"It's");
        assert!(kinds.has(Kinds::APOSTROPHE) && !kinds.is_only(Kinds::LETTERS) && !kinds.has(Kinds::MARKS));
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
