//! Quoted-printable (RFC 2045, section 6.7).

use std::ops::Range;
use std::sync::LazyLock;

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch, u8x64};
use memchr::memchr;
use memchr::memmem::Finder;

use super::{Decoded, Points, RAW_STEP, STEP};
use crate::simd::{BLOCK, padded};

/// A soft line break of quoted-printable. Prepared once, because on short mail, preparing a search takes as long as the
/// search.
static SOFT_BREAK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("=\n"));
/// A soft line break where lines end in CRLF.
static SOFT_BREAK_CRLF: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("=\r\n"));

/// One element of quoted-printable text.
enum Token {
    /// Unencoded bytes, at most [`STEP`], so that a search for one of them stops there.
    Literal(Range<usize>),
    /// Three bytes that encode one.
    Escape(u8),
    /// A soft line break of this length, which makes no text.
    Soft(usize),
}

/// Parses the element at `at`, which is inside `raw`.
fn token(raw: &[u8], at: usize) -> Token {
    if raw[at] == b'=' {
        return marked(raw, at);
    }
    let most = raw.len().min(at + STEP);
    Token::Literal(at..memchr(b'=', &raw[at..most]).map_or(most, |i| at + i))
}

/// Parses the element that begins with the `=` at `at`.
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
        // The last line break of a part belongs to the boundary, so a soft line break may be without its line end.
        None | Some([]) => Token::Soft(end - at),
        Some([b'\n', ..]) => Token::Soft(end + 1 - at),
        Some([b'\r', b'\n', ..]) => Token::Soft(end + 2 - at),
        Some([b'\r']) => Token::Soft(end + 1 - at),
        Some(_) => Token::Literal(at..at + 1),
    }
}

fn hex(digit: u8) -> Option<u8> {
    // The digit is below 16.
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// Decodes quoted-printable (RFC 2045, section 6.7) from `raw` into `text`. Linear, and never fails.
///
/// Removes `=`, blanks and a line end. Decodes `=` and two hexadecimal digits of either case to a byte. Everything else
/// is unchanged, including raw 8-bit bytes and either kind of line end.
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

/// How many bytes are copied at a time: the longest line that an encoder writes (RFC 2045, section 6.7).
const COPIED: usize = 80;

/// The state of a decoder.
struct Decoder<'d> {
    raw: &'d [u8],
    /// How much of `raw` has been decoded.
    at: usize,
    text: &'d mut Vec<u8>,
    points: &'d mut Points,
    /// The lengths of text and of source at which the next checkpoint is due.
    due: (usize, usize),
}

impl Decoder<'_> {
    /// Copies unencoded bytes up to `mark`.
    #[inline(always)]
    fn literal(&mut self, mark: usize) {
        self.point();
        // A copy of a fixed length is a few instructions. The surplus is removed.
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

    /// Decodes the element that begins with the current `=`.
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
    /// Returns the source bytes of byte `wanted` of the text.
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

/// Whether a part without a declaration is quoted-printable (extraction rules, section 3). Several lines must end in
/// `=` at the length where an encoder breaks them, few elsewhere, and there must be escapes that an encoder needs.
///
/// One SIMD pass for text that has no `=` at a line's end. Linear in any case.
pub(in crate::mail) fn looks_quoted_printable(text: &[u8]) -> bool {
    // Much text has none at all. This check is the fastest.
    let Some(first) = memchr(b'=', text) else { return false };
    let mut soft = 0;
    let mut others = 0;
    // The first line end shows which one the text uses.
    let crlf = memchr(b'\n', text).is_some_and(|newline| text[..newline].ends_with(b"\r"));
    let soft_break = if crlf { &SOFT_BREAK_CRLF } else { &SOFT_BREAK };
    for end in soft_break.find_iter(&text[first..]).map(|i| first + i) {
        let window = &text[end.saturating_sub(80)..end];
        let length = match memchr::memrchr(b'\n', window) {
            Some(newline) => window.len() - newline,
            None if window.len() < 80 => window.len() + 1,
            None => usize::MAX,
        };
        if (70..=77).contains(&length) {
            soft += 1;
        } else {
            others += 1;
        }
    }
    soft >= 2 && soft > 2 * others && escapes_agree(text)
}

/// Whether `text` may have undeclared quoted-printable: whether a line ends in `=`. Without that, [`looks_quoted_printable`] is
/// false for all of its parts. Two SIMD passes.
pub(crate) fn may_be_quoted(text: &[u8]) -> bool {
    [&SOFT_BREAK, &SOFT_BREAK_CRLF].into_iter().any(|soft_break| soft_break.find(text).is_some())
}

/// Whether `text` has escapes, and nearly no other `=`. Otherwise one quoted-printable reply in an unencoded message
/// would garble the rest.
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
