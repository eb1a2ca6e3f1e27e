//! Decodes the encoded words in header fields (RFC 2047), with the crate mailparse. Limits on its input keep the time
//! linear.

use super::Limits;
use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::header::Fields;

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

/// Maximum total number of `=?` and `?=` in a line of more than 1 KiB. A line with more of them is not decoded. The
/// limit prevents quadratic time, because mailparse searches the whole line for each `=?` and `?=`.
const WORDS_PER_LINE: usize = 48;

/// Decodes the encoded words (RFC 2047) in the field `raw`, and returns the value of the field. `raw` includes the name
/// of the field. Returns `None` if the field has no encoded words or mailparse cannot parse it.
///
/// Also returns `None` in two cases in which decoding could be slow: if the field has more than `cap` bytes, or if a
/// line of more than 1 KiB has many encoded words.
pub(super) fn decode_words(raw: &[u8], cap: usize) -> Option<String> {
    if raw.len() > cap || ENCODED_WORD.find(raw).is_none() {
        return None;
    }
    let slow = raw.split(|&byte| byte == b'\n').any(|line| {
        line.len() > 1024 && line.windows(2).filter(|w| *w == b"=?" || *w == b"?=").count() > WORDS_PER_LINE
    });
    if slow {
        return None;
    }
    mailparse::parse_header(raw).ok().map(|(header, _)| header.get_value())
}

/// Returns whether `value` may have a colon once its encoded words (RFC 2047) have been decoded. Returns `true` if
/// `value` has a colon, `=3A`, an encoded word in base64, or an encoded word in UTF-7. Most lists of recipients have
/// none of these four, and need not be decoded.
///
/// No other check is necessary: in every charset that mailparse knows, except UTF-7, only the byte 0x3A means a colon.
pub(super) fn may_hide_colon(value: &[u8]) -> bool {
    value.contains(&b':')
        || value.windows(3).any(|three| {
            matches!(three, [b'=', b'3', b'A' | b'a'] | [b'?', b'B' | b'b', b'?'] | [b'7', b'?' | b'*', _])
        })
}

/// Decodes the encoded words (RFC 2047) in `value`, which must be unfolded. Bytes that are not valid UTF-8 are
/// replaced.
pub(crate) fn decode_value(value: Cow<'_, [u8]>) -> Cow<'_, str> {
    let decoded = ENCODED_WORD.find(&value).and_then(|_| {
        // `decode_words` requires a whole field, so a name is added before the value.
        decode_words(&[b"A: ", &*value].concat(), Limits::default().header_value)
    });
    match (decoded, value) {
        (Some(decoded), _) => decoded.into(),
        (None, Cow::Borrowed(value)) => String::from_utf8_lossy(value),
        (None, Cow::Owned(value)) => String::from_utf8_lossy(&value).into_owned().into(),
    }
}

/// Returns the name and value of each field in the header block at the beginning of `message`. Names are unchanged.
/// Values are unfolded, and their encoded words are decoded. Lines that are not a field are skipped. Bytes that are not
/// valid UTF-8 are replaced.
pub(crate) fn decoded_fields(message: &[u8]) -> impl Iterator<Item = (Cow<'_, str>, String)> {
    let mut fields = Fields::new(message, 0, true);
    std::iter::from_fn(move || {
        loop {
            let field = fields.next(&mut |_| false)?;
            let Some(name) = field.name else { continue };
            let value = decode_words(&message[field.raw], Limits::default().header_value).unwrap_or_else(|| {
                let lines = message[field.value].split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
                let lines: Vec<_> = lines.filter(|line| !line.is_empty()).map(String::from_utf8_lossy).collect();
                lines.join(" ")
            });
            return Some((String::from_utf8_lossy(&message[name]), value));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::decode_words;

    #[test]
    fn the_limit_of_encoded_words_is_the_longest_field() {
        let field = b"Subject: =?us-ascii?q?http:?= x";
        assert_eq!(decode_words(field, field.len()).as_deref(), Some("http: x"));
        assert_eq!(decode_words(field, field.len() - 1), None);
    }
}
