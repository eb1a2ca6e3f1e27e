//! The byte classes of RFC 1738 section 5, in one lookup table. Names such as `safe` and `uchar` are rules of the
//! grammar in that section.
//!
//! Each class is one bit, and each byte has exactly one class. One pass over a URL collects the union of the classes of
//! all its bytes. If a component allows every class in that union, the parser does not check the component byte by
//! byte.

/// A set of byte classes, one bit for each class.
pub(crate) type Class = u32;

/// The letters: the rule `alpha`.
pub(super) const ALPHA: Class = 1;
/// The digits: the rule `digit`.
pub(super) const DIGIT: Class = 1 << 1;
/// `-`, which is in `safe`. A host label can contain a hyphen, but cannot begin or end with a hyphen.
pub(super) const HYPHEN: Class = 1 << 2;
/// `.`, which is in `safe`. Dots separate host labels.
pub(super) const DOT: Class = 1 << 3;
/// `+`, which is in `safe`. Scheme names and newsgroup names can contain a `+`.
pub(super) const PLUS: Class = 1 << 4;
/// `_`, which is in `safe`. Newsgroup names can contain underscores, and some real host names also contain underscores.
pub(super) const UNDERSCORE: Class = 1 << 5;
/// The other characters of `safe` and `extra`: `$ ! * ' ( ) ,`.
pub(super) const MARK: Class = 1 << 6;
/// `;`, which is in `reserved`.
pub(super) const SEMICOLON: Class = 1 << 7;
/// `/`, which is in `reserved`.
pub(super) const SLASH: Class = 1 << 8;
/// `?`, which is in `reserved`.
pub(super) const QUESTION: Class = 1 << 9;
/// `:`, which is in `reserved`.
pub(super) const COLON: Class = 1 << 10;
/// `@`, which is in `reserved`.
pub(super) const AT: Class = 1 << 11;
/// `&`, which is in `reserved`.
pub(crate) const AMPERSAND: Class = 1 << 12;
/// `=`, which is in `reserved`.
pub(super) const EQUALS: Class = 1 << 13;
/// `%`, which begins an escape if two hexadecimal digits follow.
pub(super) const PERCENT: Class = 1 << 14;
/// `~`: `national` in RFC 1738, unreserved in RFC 3986.
pub(super) const TILDE: Class = 1 << 15;
/// The characters of `national` except `~`: `{ } | \ ^ [ ]` and the backtick. RFC 1738 section 2.2 calls them unsafe.
/// Of these characters, RFC 3986 allows only brackets, and only around an IP literal.
pub(crate) const NATIONAL: Class = 1 << 16;
/// `#`: the beginning of the fragment.
pub(super) const HASH: Class = 1 << 17;
/// Bytes from 0x80 to 0xFF: part of a UTF-8 character, or invalid.
pub(crate) const HIGH: Class = 1 << 18;
/// White space, control characters, `<`, `>`, `"`. No tier allows these bytes.
pub(crate) const FORBIDDEN: Class = 1 << 19;

/// The rule `alphadigit`.
pub(super) const ALPHADIGIT: Class = ALPHA | DIGIT;
/// The rule `uchar`. It includes escapes such as `%20`, so the class includes `%`.
pub(super) const UCHAR: Class = ALPHADIGIT | HYPHEN | DOT | PLUS | UNDERSCORE | MARK | PERCENT;
/// The rule `reserved`.
pub(super) const RESERVED: Class = SEMICOLON | SLASH | QUESTION | COLON | AT | AMPERSAND | EQUALS;
/// The rule `xchar`.
pub(super) const XCHAR: Class = UCHAR | RESERVED;
/// The rules `user` and `password`.
pub(super) const USER: Class = UCHAR | SEMICOLON | QUESTION | AMPERSAND | EQUALS;
/// The rule `hsegment`, and the slashes between segments.
pub(super) const HPATH: Class = UCHAR | SEMICOLON | COLON | AT | AMPERSAND | EQUALS | SLASH;
/// The rule `search`.
pub(super) const SEARCH: Class = UCHAR | SEMICOLON | COLON | AT | AMPERSAND | EQUALS;
/// The rules `fsegment` and `psegment`, and the slashes between segments.
pub(super) const FPATH: Class = UCHAR | QUESTION | COLON | AT | AMPERSAND | EQUALS | SLASH;
/// The rules `fieldname` and `fieldvalue`.
pub(super) const FIELD: Class = UCHAR | QUESTION | COLON | AT | AMPERSAND;
/// The characters of the rule `group`. The first character of a group must also be a letter, which this class does not
/// check.
pub(super) const GROUP: Class = ALPHADIGIT | HYPHEN | DOT | PLUS | UNDERSCORE;
/// The part of the rule `article` before the `@`.
pub(super) const ARTICLE: Class = UCHAR | SEMICOLON | SLASH | QUESTION | COLON | AMPERSAND | EQUALS;
/// The rule `scheme`, with letters in upper or lower case (section 2.1).
pub(super) const SCHEME: Class = ALPHADIGIT | PLUS | HYPHEN | DOT;

const fn classify(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => ALPHA,
        b'0'..=b'9' => DIGIT,
        b'-' => HYPHEN,
        b'.' => DOT,
        b'+' => PLUS,
        b'_' => UNDERSCORE,
        b'$' | b'!' | b'*' | b'\'' | b'(' | b')' | b',' => MARK,
        b';' => SEMICOLON,
        b'/' => SLASH,
        b'?' => QUESTION,
        b':' => COLON,
        b'@' => AT,
        b'&' => AMPERSAND,
        b'=' => EQUALS,
        b'%' => PERCENT,
        b'~' => TILDE,
        b'{' | b'}' | b'|' | b'\\' | b'^' | b'[' | b']' | b'`' => NATIONAL,
        b'#' => HASH,
        0x80..=0xFF => HIGH,
        _ => FORBIDDEN,
    }
}

pub(crate) static CLASSES: [Class; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = classify(byte as u8);
        byte += 1;
    }
    table
};

/// Returns the class of `byte`: exactly one bit.
#[inline(always)]
pub(crate) const fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Returns the union of the classes of all `bytes`.
pub(crate) fn classes(bytes: &[u8]) -> Class {
    let all = |bytes: &[u8]| bytes.iter().fold(0, |seen, byte| seen | class(*byte));
    let Some(last) = bytes.last_chunk::<8>() else { return all(bytes) };
    // `last` can overlap the last whole chunk. Reading some bytes twice is faster than a loop over the bytes after that
    // chunk.
    bytes.as_chunks::<8>().0.iter().fold(all(last), |seen, eight| seen | all(eight))
}

pub(crate) fn is_alphadigit(byte: u8) -> bool {
    class(byte) & ALPHADIGIT != 0
}

/// Whether `byte` can be in the name of a scheme, in upper or lower case (the class [`SCHEME`]).
pub(crate) fn is_scheme_byte(byte: u8) -> bool {
    class(byte) & SCHEME != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_one_class() {
        for byte in 0..=255_u8 {
            assert_eq!(class(byte).count_ones(), 1, "{byte:02x}");
        }
    }

    #[test]
    fn xchar_has_the_characters_of_the_grammar() {
        let xchars = (0..=255_u8).filter(|&byte| class(byte) & XCHAR != 0).count();
        // 52 letters, 10 digits, 5 safe, 6 extra, 7 reserved, and `%`.
        assert_eq!(xchars, 52 + 10 + 5 + 6 + 7 + 1);
    }
}
