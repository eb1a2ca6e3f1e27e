//! Small functions that the command needs, too: a hash, sizes, and the conversion between paths and bytes. They are
//! hidden, because they are not part of the public interface and can change in any version.

#[cfg(feature = "mime")]
use std::{borrow::Cow, path::Path};

/// The value with which [`fnv1a`] begins.
pub const FNV_BASIS: u64 = 0xCBF2_9CE4_8422_2325;

/// Adds a byte to the hash FNV-1a of 64 bits. The hash is the same in every run, on every machine and in every version.
/// It does not protect against an attacker who makes two texts with the same hash.
#[inline]
pub const fn fnv1a(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01B3)
}

/// Returns the bytes of a path. On Unix, [`path`] returns the path again.
#[cfg(feature = "mime")]
pub fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Returns the path with these bytes. On systems other than Unix, bytes that are not UTF-8 become U+FFFD. A file with
/// such a name cannot be opened, and the error names it.
#[cfg(all(feature = "mime", unix))]
pub fn path(bytes: &[u8]) -> Cow<'_, Path> {
    Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)).into()
}

#[cfg(all(feature = "mime", not(unix)))]
pub fn path(bytes: &[u8]) -> Cow<'_, Path> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Path::new(text).into(),
        Cow::Owned(text) => std::path::PathBuf::from(text).into(),
    }
}

/// Returns the part of the name of a message in a Maildir that never changes: for `1234.host:2,S`, this is `1234.host`.
#[cfg(feature = "mime")]
pub fn unique_name(name: &[u8]) -> &[u8] {
    &name[..memchr::memchr(b':', name).unwrap_or(name.len())]
}

/// Maximum length in bytes of a header field or of a name from the input, wherever it is printed. Each hit of a message
/// repeats such a text, so the output could otherwise grow with the square of the input. A line of a message has at most
/// 998 characters (RFC 5322, section 2.1.1).
#[cfg(feature = "mime")]
pub(crate) const FIELD_MAX: usize = 1000;

/// Limits on the expansion of a file or git repository. Decoding stops when the number of decoded bytes is greater than
/// [`EXPANSION_FROM`], and greater than [`EXPANSION_MAX`] times the number of bytes read. The maximum compression ratio
/// of deflate is 1032, so a deflated file over the limit contains little but one repeated byte.
#[cfg(feature = "mime")]
pub(crate) const EXPANSION_FROM: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
#[cfg(feature = "mime")]
pub(crate) const EXPANSION_MAX: u64 = 1000;

/// Returns the beginning of a field: at most [`FIELD_MAX`] bytes as JSON writes them, which is `\u0001` for a control
/// character, `\t` for a tab, and three bytes for a byte that is not UTF-8. A field with such bytes is also written in
/// base64, which needs four bytes for three.
#[cfg(feature = "mime")]
pub(crate) fn cut_field(text: &[u8]) -> &[u8] {
    if text.len() <= FIELD_MAX / 6 {
        return text;
    }
    let beginning = &text[..text.len().min(FIELD_MAX)];
    let is_utf8 = if text.len() > FIELD_MAX { begins_utf8(beginning) } else { str::from_utf8(text).is_ok() };
    let length = |byte: &u8| match byte {
        b'\t' | b'\n' | b'\r' | b'"' | b'\\' => 2,
        0..b' ' => 6,
        0x80.. if !is_utf8 => 3,
        _ => 1,
    };
    let most = if is_utf8 { FIELD_MAX } else { FIELD_MAX / 4 * 3 };
    let mut written = 0;
    let fits = beginning.iter().take(most).take_while(|byte| {
        written += length(byte);
        written <= FIELD_MAX
    });
    cut(text, fits.count())
}

/// Whether `bytes` are UTF-8. Their last character can be cut.
#[cfg(feature = "mime")]
pub(crate) fn begins_utf8(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Whether `byte` is a control other than those of text, and of charsets such as ISO 2022.
#[cfg(feature = "mime")]
pub(crate) fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=7 | 0xB | 0x10..=0x1A | 0x1C..=0x1F)
}

/// Returns the beginning of `text`: at most `most` bytes, without a part of a character at its end. `most` is at least
/// 3.
#[cfg(feature = "mime")]
pub(crate) fn cut(text: &[u8], most: usize) -> &[u8] {
    let is_end = |&end: &usize| text.get(end).is_none_or(|byte| byte & 0xC0 != 0x80);
    let end = (most - 3..=most).rev().find(is_end).unwrap_or(most);
    &text[..end.min(text.len())]
}

/// Parses a number of bytes, such as `64M`.
#[cfg(feature = "mime")]
pub fn size(text: &str) -> Option<u64> {
    let factor: u64 = match text.as_bytes().last() {
        Some(b'k' | b'K') => 1 << 10,
        Some(b'm' | b'M') => 1 << 20,
        Some(b'g' | b'G') => 1 << 30,
        _ => 1,
    };
    let digits = if factor > 1 { &text[..text.len() - 1] } else { text };
    let number = digits.parse::<u64>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
    number.and_then(|number| number.checked_mul(factor))
}

/// Returns whether a value consists of printable ASCII without the bytes `A` and `B`, which are those that need an
/// escape in the format. The function is fastest for such values, because nearly all values are.
#[inline]
pub fn is_plain<const A: u8, const B: u8>(value: &[u8]) -> bool {
    is_plain_by::<16, A, B>(value).or_else(|| is_plain_by::<4, A, B>(value)).unwrap_or_else(|| are_plain::<A, B>(value))
}

/// Implements [`is_plain`] for values of at least `BLOCK` bytes, in blocks of this size. The last block can overlap the
/// block before it. Returns `None` if the value is shorter than a block.
#[inline(always)]
fn is_plain_by<const BLOCK: usize, const A: u8, const B: u8>(value: &[u8]) -> Option<bool> {
    let last = value.last_chunk::<BLOCK>()?;
    Some(value.as_chunks::<BLOCK>().0.iter().all(|block| are_plain::<A, B>(block)) && are_plain::<A, B>(last))
}

/// Implements [`is_plain`]. The loop always checks all bytes, so that the compiler can use SIMD instructions if the
/// length is a constant.
#[inline(always)]
fn are_plain<const A: u8, const B: u8>(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |plain, &b| plain & (b' '..0x7F).contains(&b) & (b != A) & (b != B))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound counts the bytes that JSON writes. A field that is not UTF-8 is also written in base64.
    #[cfg(feature = "mime")]
    #[test]
    fn a_field_is_cut_by_its_length_in_json() {
        for unit in ["a", "\u{e4}", "\"", "\\", "\t", "\u{1}", "\u{FFFD}"] {
            let text = unit.repeat(1200);
            let cut = str::from_utf8(cut_field(text.as_bytes())).expect("whole characters");
            let escaped = match unit {
                "\u{1}" => 6,
                "\"" | "\\" | "\t" => 2,
                other => other.len(),
            };
            let written = cut.chars().count() * escaped;
            assert!((FIELD_MAX - 6..=FIELD_MAX).contains(&written), "{unit:?} {written}");
        }
        let cut = cut_field(&[0xE4; 1200]);
        assert!(cut.len() * 3 <= FIELD_MAX && cut.len() * 3 > FIELD_MAX / 4 * 3 - 9, "{}", cut.len());
        assert_eq!(cut_field(&[&[b'a'; 900][..], b"\xE4"].concat()).len(), FIELD_MAX / 4 * 3);
    }

    #[test]
    fn what_needs_no_escape() {
        for byte in 0..=255_u8 {
            for length in [1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 70] {
                for at in [0, length / 2, length - 1] {
                    let mut value = vec![b'x'; length];
                    value[at] = byte;
                    let plain = matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
                    assert_eq!(is_plain::<b'"', b'\\'>(&value), plain, "{byte} at {at} of {length}");
                }
            }
        }
        assert!(is_plain::<b'"', b'\\'>(b""));
    }
}
