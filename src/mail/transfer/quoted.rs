//! Decodes quoted-printable (RFC 2045, section 6.7).

use std::ops::Range;
use std::sync::LazyLock;

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch, u8x64};
use memchr::memchr;
use memchr::memmem::Finder;

use super::{Decoded, Points, RAW_STEP, STEP};
use crate::simd::{BLOCK, padded};

/// Finds soft line breaks in text whose lines end in LF. The finder is static, because creating a finder takes as long
/// as searching a short message.
static SOFT_BREAK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("=\n"));
/// Finds soft line breaks in text whose lines end in CRLF.
static SOFT_BREAK_CRLF: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("=\r\n"));

/// A token of quoted-printable text.
enum Token {
    /// A range of at most [`STEP`] unencoded bytes. The limit keeps the cost of an offset lookup constant.
    Literal(Range<usize>),
    /// The decoded byte of an escape. An escape has three bytes, such as `=3D`.
    Escape(u8),
    /// A soft line break, with its length in bytes.
    Soft(usize),
}

/// Parses the token at `at`, which must be less than the length of `raw`.
fn token(raw: &[u8], at: usize) -> Token {
    if raw[at] == b'=' {
        return marked(raw, at);
    }
    let most = raw.len().min(at + STEP);
    Token::Literal(at..memchr(b'=', &raw[at..most]).map_or(most, |i| at + i))
}

/// Parses the token that begins with the `=` at `at`.
fn marked(raw: &[u8], at: usize) -> Token {
    if raw.get(at + 1) == Some(&b'\n') {
        return Token::Soft(2);
    }
    if let Some(&[high, low]) = raw.get(at + 1..at + 3)
        && let (Some(high), Some(low)) = (hex(high), hex(low))
    {
        return Token::Escape(high << 4 | low);
    }
    let blanks = raw[at + 1..].iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let end = at + 1 + blanks;
    match raw.get(end..) {
        // At the end of a part, a soft line break is a `=` without a line end. The line end belongs to the boundary
        // line that follows.
        None | Some([]) => Token::Soft(end - at),
        // Programs that write CRLF for each LF make CRCRLF.
        Some(rest) => match rest.iter().position(|&byte| byte != b'\r') {
            None => Token::Soft(raw.len() - at),
            Some(count) if rest[count] == b'\n' => Token::Soft(end + count + 1 - at),
            Some(_) => Token::Literal(at..at + 1),
        },
    }
}

/// Returns the end of the escape or soft line break that begins with the `=` at `at`, and the decoded byte of an
/// escape. Returns `None` for a `=` that means itself.
pub(in crate::mail) fn escape(raw: &[u8], at: usize) -> Option<(usize, Option<u8>)> {
    match marked(raw, at) {
        Token::Escape(byte) => Some((at + 3, Some(byte))),
        Token::Soft(length) => Some((at + length, None)),
        Token::Literal(_) => None,
    }
}

// A fuzz target compiles this file without the module `url`, which has the same function.
fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// Decodes quoted-printable (RFC 2045, section 6.7) from `raw` to `text`. Takes linear time, and never fails.
///
/// A soft line break (`=`, optional blanks and a line end) is removed. `=` with two hexadecimal digits, in upper or
/// lower case, is decoded to a byte. All other bytes are unchanged, including 8-bit bytes and line ends.
pub(in crate::mail) fn decode_quoted(raw: &[u8], text: &mut Vec<u8>, points: &mut Points) {
    points.clear();
    text.clear();
    text.reserve(raw.len() + COPIED);
    let mut decoder = Decoder { raw, at: 0, text, points, due: (STEP, RAW_STEP) };
    dispatch!(Level::new(), simd => decode(simd, &mut decoder));
    decoder.literal(raw.len());
}

#[inline(always)]
fn decode<S: Simd>(simd: S, decoder: &mut Decoder<'_>) {
    let (blocks, rest) = decoder.raw.as_chunks::<BLOCK>();
    for i in 0..=blocks.len() {
        let bytes = match blocks.get(i) {
            Some(block) => u8x64::from_slice(simd, block),
            None => u8x64::from_slice(simd, &padded(rest)),
        };
        let mut marks = bytes.simd_eq(u8x64::splat(simd, b'=')).to_bitmask();
        while marks != 0 {
            decoder.literal(i * BLOCK + marks.trailing_zeros() as usize);
            decoder.marked();
            marks &= marks - 1;
        }
    }
}

/// Number of bytes to copy at a time. Lines of quoted-printable usually have at most 76 bytes (RFC 2045, section 6.7).
const COPIED: usize = 80;

struct Decoder<'d> {
    raw: &'d [u8],
    /// Offset up to which `raw` has been decoded.
    at: usize,
    text: &'d mut Vec<u8>,
    points: &'d mut Points,
    /// The next checkpoint is added when the length of `text` reaches the first number, or `at` reaches the second
    /// number.
    due: (usize, usize),
}

impl Decoder<'_> {
    /// Copies unencoded bytes up to `mark`.
    #[inline(always)]
    fn literal(&mut self, mark: usize) {
        self.point();
        // Always copy [`COPIED`] bytes, and then remove the bytes after `mark` again. Copying a fixed number of bytes
        // takes only a few instructions.
        while let Some(bytes) = self.raw[self.at..].first_chunk::<COPIED>() {
            let len = (mark - self.at).min(COPIED);
            self.text.extend_from_slice(bytes);
            self.text.truncate(self.text.len() - (COPIED - len));
            self.at += len;
            if self.at == mark {
                return;
            }
            self.point();
        }
        self.text.extend_from_slice(&self.raw[self.at..mark]);
        self.at = mark;
    }

    /// Decodes the token at the current `=`.
    #[inline(always)]
    fn marked(&mut self) {
        match marked(self.raw, self.at) {
            Token::Escape(byte) => {
                self.text.push(byte);
                self.at += 3;
            }
            Token::Literal(range) => {
                self.text.push(b'=');
                self.at = range.end;
            }
            Token::Soft(len) => self.at += len,
        }
    }

    /// Adds a checkpoint if one is due.
    #[inline(always)]
    fn point(&mut self) {
        let (text, raw) = (self.text.len(), self.at);
        if text >= self.due.0 || raw >= self.due.1 {
            self.points.push(text, raw);
            self.due = (text + STEP, raw + RAW_STEP);
        }
    }
}

impl Decoded<'_> {
    /// Returns the source range of the byte `wanted` of the decoded text.
    pub(in crate::mail) fn locate_in_quoted(&self, wanted: usize) -> Range<usize> {
        let (mut text, mut at) = self.points.before(wanted);
        while at < self.raw.len() {
            match token(self.raw, at) {
                Token::Literal(range) => {
                    if wanted - text < range.len() {
                        let raw = self.base + range.start + wanted - text;
                        return raw..raw + 1;
                    }
                    text += range.len();
                    at = range.end;
                }
                Token::Escape(_) => {
                    if wanted == text {
                        return self.base + at..self.base + at + 3;
                    }
                    text += 1;
                    at += 3;
                }
                Token::Soft(len) => at += len,
            }
        }
        let end = self.base + self.raw.len();
        end..end
    }
}

/// Whether a part without a declared encoding is quoted-printable, by its soft line breaks, or by its escapes (see
/// [`is_encoded`]). To save time, the escapes are read only if an encoder must have written the first `=`.
///
/// Encoders break lines at a length of 70 to 77 bytes, including the final `=`. The text is quoted-printable if it
/// meets these conditions:
///
/// - At least two lines of this length end in `=`.
/// - More than two thirds of all lines that end in `=` have this length.
/// - The text has escapes. It has at least eight escapes for each `=` that begins neither an escape nor a soft line
///   break.
///
/// Takes linear time. Text without soft line breaks costs one SIMD pass.
pub(in crate::mail) fn looks_quoted_printable(text: &[u8]) -> bool {
    // First search for a single `=`, which is faster than searching for `=` with a line end. Much text has no `=` at
    // all.
    let Some(first) = memchr(b'=', text) else { return false };
    let mut soft = 0;
    let mut others = 0;
    // The first line end shows whether the lines of the text end in LF or CRLF.
    let crlf = memchr(b'\n', text).is_some_and(|newline| text[..newline].ends_with(b"\r"));
    let soft_break = if crlf { &SOFT_BREAK_CRLF } else { &SOFT_BREAK };
    for end in soft_break.find_iter(&text[first..]).map(|i| first + i) {
        let window = &text[end.saturating_sub(80)..end];
        let length = memchr::memrchr(b'\n', window).map_or(window.len() + 1, |newline| window.len() - newline);
        if (70..=77).contains(&length) {
            soft += 1;
        } else {
            others += 1;
        }
    }
    soft >= 2 && soft > 2 * others && escapes_agree(text) || is_needed(text, first) && is_encoded(text)
}

/// Whether every `=` of `text` is encoded as `=3D`. At most one `=` per eight `=3D` is not of an encoder (see
/// [`is_needed`]). One `=3D"` after the name of an attribute is enough, or [`EQUALS_MIN`] `=3D`.
fn is_encoded(text: &[u8]) -> bool {
    const EQUALS_MIN: usize = 4;
    let (mut equals, mut others, mut has_attribute) = (0, 0, false);
    for at in memchr::memchr_iter(b'=', text) {
        if text[at..].starts_with(b"=3D") {
            equals += 1;
            has_attribute |= text.get(at + 3) == Some(&b'"') && at > 0 && text[at - 1].is_ascii_alphanumeric();
        } else {
            others += usize::from(!is_needed(text, at));
        }
    }
    (equals >= EQUALS_MIN || has_attribute) && others * 8 <= equals
}

/// Whether an encoder must write the token that begins with the `=` at `at` (RFC 2045, section 6.7, rules 1 to 3): a soft
/// line break, `=3D`, a blank at the end of a line, or an 8-bit byte in capital letters. A `=20` in a query is not needed.
fn is_needed(text: &[u8], at: usize) -> bool {
    match token(text, at) {
        Token::Soft(_) | Token::Escape(b'=') => true,
        Token::Escape(0x80..) => !text[at + 1..at + 3].iter().any(u8::is_ascii_lowercase),
        Token::Escape(b' ' | b'\t') => matches!(text.get(at + 3), None | Some(b'\r' | b'\n')),
        Token::Escape(_) | Token::Literal(_) => false,
    }
}

/// Whether text that is declared as quoted-printable is not encoded: each escape is a value in a query, such as the one of
/// `?id=20`, and no escape is needed. An escape that decodes to a control character is enough.
pub(in crate::mail) fn is_unencoded(text: &[u8]) -> bool {
    let mut has_value = false;
    for at in memchr::memchr_iter(b'=', text) {
        let name = text[..at].iter().rev().take_while(|&&byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        let start = at - name.count();
        let is_query = start < at && matches!(text[..start].last(), Some(b'?' | b'&'));
        match token(text, at) {
            Token::Literal(_) => {}
            Token::Escape(0..=8 | 0xE..=0x1A) if is_query => return true,
            // In encoded text, the `=` of a query is `=3D`.
            Token::Escape(0x80..) if is_query && text[at + 1..at + 3].iter().all(u8::is_ascii_digit) => {
                has_value = true;
            }
            _ if !is_query || is_needed(text, at) => return false,
            _ => has_value = true,
        }
    }
    has_value
}

/// Whether a line of `text` ends in `=`. If no line ends in `=`, no soft line break can split the words of `text`. Costs
/// two SIMD passes.
pub(crate) fn may_be_quoted(text: &[u8]) -> bool {
    [&SOFT_BREAK, &SOFT_BREAK_CRLF].into_iter().any(|soft_break| soft_break.find(text).is_some())
}

/// Whether `text` has escapes, and at most one stray `=` per eight escapes. A stray `=` begins neither an escape nor a
/// soft line break. Text with more stray `=` than that is only partly encoded, for example an unencoded message that
/// quotes an encoded one. Decoding the text would garble the unencoded part.
fn escapes_agree(text: &[u8]) -> bool {
    let (mut escapes, mut others) = (0usize, 0usize);
    let mut at = 0;
    while let Some(i) = memchr(b'=', &text[at..]) {
        at += i;
        match token(text, at) {
            Token::Escape(_) => escapes += 1,
            Token::Literal(_) => others += 1,
            Token::Soft(_) => {}
        }
        at += 1;
    }
    escapes > 0 && others * 8 <= escapes
}
