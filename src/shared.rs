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

/// Returns the beginning of `text`: at most `most` bytes, without a part of a character at its end.
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
