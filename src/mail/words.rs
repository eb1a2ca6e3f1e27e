//! Decodes the encoded words in header fields (RFC 2047). Accepts what mail programs accept: words within other text,
//! words without a blank between them, characters that are split over two words, a language (RFC 2231, section 5), base64
//! without padding, and 8-bit text that is not encoded. Takes linear time.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::charset;
use crate::simd::base64::{BLANK, SYMBOLS, push_values};
use crate::url::percent::hex;

/// Finds the beginning of an encoded word (RFC 2047). The finder is static, because creating a finder takes as long as
/// searching a short message.
pub(super) static ENCODED_WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("=?"));

/// The offsets of encoded words in a header block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Words {
    /// The block was not searched for encoded words.
    #[default]
    Unknown,
    None,
    /// The offset of the first encoded word. More may follow.
    First(usize),
}

/// Maximum length in bytes of the name of a charset, with its language.
const LABEL_MAX: usize = 64;

/// An encoded word.
struct Word<'v> {
    /// The place of the word in the value.
    range: Range<usize>,
    /// The name of the charset, without the language.
    label: &'v [u8],
    is_base64: bool,
    text: &'v [u8],
}

impl<'v> Word<'v> {
    /// Returns the first word at or after `from`.
    fn find(value: &'v [u8], mut from: usize) -> Option<Word<'v>> {
        loop {
            let start = from + ENCODED_WORD.find(&value[from..])?;
            from = start + 2;
            let label = &value[from..value.len().min(from + LABEL_MAX)];
            let Some(length) = label.iter().position(|byte| !byte.is_ascii_graphic() || *byte == b'?') else {
                continue;
            };
            let text = from + length + 3;
            let is_base64 = match value.get(from + length..text) {
                Some(b"?B?" | b"?b?") => true,
                Some(b"?Q?" | b"?q?") => false,
                _ => continue,
            };
            // Without a `?=`, no later word is complete.
            let end = text + memmem::find(&value[text..], b"?=")?;
            let is_base64 = is_base64 && !is_quoted(&value[text..end]);
            let language = label[..length].iter().position(|&byte| byte == b'*');
            let label = &label[..language.unwrap_or(length)];
            return Some(Word { range: start..end + 2, label, is_base64, text: &value[text..end] });
        }
    }

    /// Appends the bytes that the word means.
    fn decode(&self, bytes: &mut Vec<u8>) {
        if self.is_base64 {
            // Blanks, padding and invalid bytes are ignored, also in the middle.
            let values = self.text.iter().map(|&byte| SYMBOLS[usize::from(byte)]);
            return push_values(values.filter(|&value| value < BLANK), bytes);
        }
        let mut rest = self.text;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            let digits = tail.first_chunk().filter(|_| byte == b'=');
            let escaped = digits.and_then(|[high, low]| Some(hex(*high)? << 4 | hex(*low)?));
            match (byte, escaped) {
                (_, Some(escaped)) => {
                    bytes.push(escaped);
                    rest = &tail[2..];
                }
                (b'_', _) => bytes.push(b' '),
                // A word that was folded against the rules.
                (b'\r' | b'\n', _) => {}
                _ => bytes.push(byte),
            }
        }
    }

    /// Whether the decoded word may have `byte`, a colon or a dot. Every charset has these characters at their places in
    /// ASCII, except UTF-7.
    fn may_hide(&self, byte: u8) -> bool {
        let mut bytes = Vec::new();
        self.decode(&mut bytes);
        bytes.contains(&byte) || self.label.ends_with(b"7")
    }
}

/// Whether the text of a word that claims to be base64 is quoted-printable. In base64, `=` is only padding.
fn is_quoted(text: &[u8]) -> bool {
    let is_escape = |rest: &[u8]| rest.len() > 1 && rest[..2].iter().all(u8::is_ascii_hexdigit);
    memchr::memchr(b'=', text).is_some_and(|at| text[at + 1..].split(|&byte| byte == b'=').all(is_escape))
}

/// Decodes the encoded words in `value`, the value of a field, and unfolds it. Returns `None` if it has no encoded words,
/// or more than `cap` bytes.
///
/// `charset` names the charset of bytes outside encoded words that are not UTF-8. A word in an unknown charset stays
/// encoded, unless it is UTF-8.
pub(super) fn decode_words(value: &[u8], cap: usize, charset: Option<&[u8]>) -> Option<String> {
    if value.len() > cap {
        return None;
    }
    let mut next = Word::find(value, 0);
    next.as_ref()?;
    let (mut decoded, mut bytes, mut at) = (String::with_capacity(value.len()), Vec::new(), 0);
    while let Some(word) = next {
        decoded.push_str(&charset::text(&unfolded(&value[at..word.range.start]), charset));
        // White space between two words means nothing. A character can begin in one word and end in the next, so the
        // bytes of neighbours in one charset are decoded together.
        let (start, mut end) = (word.range.start, word.range.end);
        bytes.clear();
        word.decode(&mut bytes);
        next = Word::find(value, end);
        while let Some(other) = &next
            && value[end..other.range.start].trim_ascii().is_empty()
            && other.label.eq_ignore_ascii_case(word.label)
        {
            other.decode(&mut bytes);
            end = other.range.end;
            next = Word::find(value, end);
        }
        match charset::read(word.label, &bytes) {
            Some(text) => decoded.push_str(&text),
            None => decoded.push_str(&String::from_utf8_lossy(&unfolded(&value[start..end]))),
        }
        let is_next = next.as_ref().is_some_and(|next| value[end..next.range.start].trim_ascii().is_empty());
        at = next.as_ref().filter(|_| is_next).map_or(end, |next| next.range.start);
    }
    decoded.push_str(&charset::text(&unfolded(&value[at..]), charset));
    Some(decoded)
}

/// Replaces each line end, and the white space around it, with one blank.
pub(super) fn unfolded(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\n', text).is_none() {
        return text.into();
    }
    let mut lines = text.split(|&byte| byte == b'\n');
    let mut unfolded = lines.next().unwrap_or_default().trim_ascii_end().to_vec();
    for line in lines {
        unfolded.push(b' ');
        unfolded.extend_from_slice(line.trim_ascii());
    }
    // The blanks at the end of the last line may be followed by a word.
    unfolded.into()
}

/// Returns whether `value` may have a colon once its encoded words (RFC 2047) have been decoded. Returns `true` if
/// `value` has a colon, `=3A`, or an encoded word that can mean one. Most lists of recipients have none of these, and
/// need not be decoded.
pub(super) fn may_hide_colon(value: &[u8]) -> bool {
    // In a word that is not base64, a colon is visible, except in UTF-7.
    value.contains(&b':')
        || value.windows(3).any(|three| matches!(three, b"=3A" | b"=3a"))
        || words(value).any(|word| (word.is_base64 || word.label.ends_with(b"7")) && word.may_hide(b':'))
}

/// Returns whether an encoded word in `value` may have a dot.
pub(super) fn may_hide_dot(value: &[u8]) -> bool {
    words(value).any(|word| word.may_hide(b'.'))
}

/// Returns the encoded words in `value`.
fn words(value: &[u8]) -> impl Iterator<Item = Word<'_>> {
    std::iter::successors(Word::find(value, 0), |word| Word::find(value, word.range.end))
}

/// Decodes the encoded words (RFC 2047) in `value`, which must be unfolded. `charset` names the charset of bytes that
/// are not UTF-8.
pub(crate) fn decode_value<'v>(value: Cow<'v, [u8]>, charset: Option<&[u8]>) -> Cow<'v, str> {
    match (decode_words(&value, super::Limits::default().header_value, charset), value) {
        (Some(decoded), _) => decoded.into(),
        (None, Cow::Borrowed(value)) => charset::text(value, charset),
        (None, Cow::Owned(value)) => charset::text(&value, charset).into_owned().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::header_index::decoded_fields;
    use super::decode_words;

    #[test]
    fn the_limit_of_encoded_words_is_the_longest_field() {
        let field = b"=?us-ascii?q?http:?= x";
        assert_eq!(decode_words(field, field.len(), None).as_deref(), Some("http: x"));
        assert_eq!(decode_words(field, field.len() - 1, None), None);
    }

    #[test]
    fn words_are_read_as_mail_programs_read_them() {
        const LONG: &str = "=?utf-8*x-the-language-of-a-list-in-which-only-old-news-are-discussed-again?q?a?=";
        let table: &[(&[u8], &str)] = &[
            (b"a =?utf-8?q?b=2E_c?= d", "a b. c d"),
            // White space between two words means nothing, also if it is folded, and their bytes are joined.
            (b"=?utf-8?B?w4?=\r\n =?UTF-8?Q?=BC?=", "\u{fc}"),
            (b"=?utf-8?q?a?= =?iso-8859-1?q?=E9?= b", "a\u{e9} b"),
            (b"=?utf-8?q?a?==?utf-8?q?b?=c=?utf-8?q?d?=", "abcd"),
            (b"=?utf-8*de-CH?q?=C3=BC?=", "\u{fc}"),
            (b"=?utf-8?B?Y Q==?= =?utf-8?b?Yg?= =?utf-8?b?Yw===?=", "abc"),
            // The text is quoted-printable.
            (b"=?utf-8?b?=C3=BC_=c3=bc?= =?utf-8?b?YQ==?=", "\u{fc} \u{fc}a"),
            (b"=?ISO-2022-JP?B?GyRCRnwbKEI=?= =?ISO-2022-JP?B?GyRCS1w=?=", "\u{65e5}\u{672c}"),
            (b"=?iso-2022-kr?B?GyQpQw5HUTE5Dw==?=", "\u{d55c}\u{ad6d}"),
            (b"=?hz-gb-2312?Q?=7E{VPND=7E}?=", "\u{4e2d}\u{6587}"),
            (b"=?ibm850?q?=81?= =?cp437?q?=84?= =?cp932?B?g0E=?=", "\u{fc}\u{e4}\u{30a2}"),
            (b"=?us-ascii?q?=C3=BC?= =?unknown-8bit?q?=FC?=", "\u{fc}\u{fc}"),
            // The name of the charset is wrong, and the text is UTF-8.
            (b"=?euc-kr?q?=E2=82=AC_1?=", "\u{20ac} 1"),
            (b"=?no-such?q?=FF?=", "=?no-such?q?=FF?="),
            (b"=?no-such?q?=C3=BC?=", "\u{fc}"),
            (b"=?utf-8?x?a?= =?utf-8?q?b", "=?utf-8?x?a?= =?utf-8?q?b"),
            (b"=?utf-8?q?=?=", "="),
            // No charset has such a long name.
            (LONG.as_bytes(), LONG),
        ];
        for (value, want) in table {
            let field = [b"Subject: ", *value, b"\n\n"].concat();
            let (_, read) = decoded_fields(&field).next().expect("a field");
            assert_eq!(read, *want, "{}", value.escape_ascii());
        }
    }

    #[test]
    fn bytes_that_are_not_encoded_are_in_the_charset_of_the_message() {
        let table: &[(&str, &[u8], &str)] = &[
            ("euc-kr", b"\xB1\xA4\xB0\xED", "\u{ad11}\u{ace0}"),
            ("utf-8", b"Gr\xFC\xDFe", "Gr\u{fc}\u{df}e"),
            ("big5", "\u{fc}".as_bytes(), "\u{fc}"),
            ("big5", b"\x1B$BF|\x1B(B", "\u{65e5}"),
            ("utf-8", b"\xC3\xBC\xC3", "\u{fc}\u{fffd}"),
            ("x", b"=?utf-8?q?a?= \x80", "a \u{20ac}"),
        ];
        for (charset, value, want) in table {
            let part = format!(
                "\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset={charset}\n"
            );
            let message = [b"Subject: ", *value, part.as_bytes()].concat();
            let (_, read) = decoded_fields(&message).next().expect("a field");
            assert_eq!(read, *want, "{charset}: {}", value.escape_ascii());
        }
    }
}
