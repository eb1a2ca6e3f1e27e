//! Quoted-printable (RFC 2045, section 6.7).

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};
use memchr::memchr;

use super::{Points, RAW_STEP, STEP};
use crate::block::{BLOCK, padded};
use crate::mail::needle;

/// One element of quoted-printable text.
enum Token {
    /// Octets that stand for themselves, no more than [`STEP`]: who looks for one need not look further.
    Literal(Range<usize>),
    /// Three octets that stand for one.
    Escape(u8),
    /// A soft line break of this length: nothing.
    Soft(usize),
}

/// The element at `at`, which is inside `raw`.
fn token(raw: &[u8], at: usize) -> Token {
    if raw[at] == b'=' {
        return marked(raw, at);
    }
    let most = raw.len().min(at + STEP);
    Token::Literal(at..memchr(b'=', &raw[at..most]).map_or(most, |i| at + i))
}

/// The element that the `=` at `at` begins.
#[inline]
fn marked(raw: &[u8], at: usize) -> Token {
    if raw.get(at + 1) == Some(&b'\n') {
        return Token::Soft(2);
    }
    if let Some(&[high, low]) = raw.get(at + 1..at + 3)
        && let (Some(high), Some(low)) = (hex(high), hex(low))
    {
        return Token::Escape(high << 4 | low);
    }
    let blanks = raw[at + 1..].iter().take_while(|&&octet| octet == b' ' || octet == b'\t').count();
    let end = at + 1 + blanks;
    match raw.get(end..) {
        // The last line break of a part belongs to the boundary, so a soft break may be cut short.
        None | Some([]) => Token::Soft(end - at),
        Some([b'\n', ..]) => Token::Soft(end + 1 - at),
        Some([b'\r', b'\n', ..]) => Token::Soft(end + 2 - at),
        Some([b'\r']) => Token::Soft(end + 1 - at),
        Some(_) => Token::Literal(at..at + 1),
    }
}

/// More than any octet: no hexadecimal digit.
const NO_DIGIT: i16 = 1 << 8;
/// What each octet means as a hexadecimal digit.
const DIGITS: [i16; 256] = digits(0);
/// What each octet means behind a `=`: the upper half of an octet, or a soft break, less than any octet whatever follows.
const BEHIND: [i16; 256] = {
    let mut table = digits(4);
    table[b'\n' as usize] = i16::MIN;
    table
};

const fn digits(shift: u32) -> [i16; 256] {
    let mut table = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < 16 {
        table[b"0123456789abcdef"[digit] as usize] = (digit as i16) << shift;
        table[b"0123456789ABCDEF"[digit] as usize] = (digit as i16) << shift;
        digit += 1;
    }
    table
}

fn hex(digit: u8) -> Option<u8> {
    u8::try_from(DIGITS[usize::from(digit)]).ok()
}

/// Decodes quoted-printable (RFC 2045, section 6.7) from `raw` into `text`; linear, and never fails.
///
/// `=`, blanks and a line end vanish; `=` and two hexadecimal digits of either case are an octet; anything
/// else stays as it stands, raw 8-bit octets and either kind of line end among it.
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
        let octets = match blocks.get(i) {
            Some(block) => u8x64::from_slice(simd, block),
            None => u8x64::from_slice(simd, &padded(rest)),
        };
        let mut marks = octets.simd_eq(u8x64::splat(simd, b'=')).to_bitmask();
        while marks != 0 {
            decoder.literal(i * BLOCK + marks.trailing_zeros() as usize);
            decoder.marked();
            marks &= marks - 1;
        }
    }
}

/// Octets that are copied at a time: what an encoder leaves in a line (RFC 2045, section 6.7).
const COPIED: usize = 80;

/// Quoted-printable that is being decoded.
struct Decoder<'d> {
    raw: &'d [u8],
    /// How much of it has been.
    at: usize,
    text: &'d mut Vec<u8>,
    points: &'d mut Points,
    /// How much text, or how much source, there is at the next checkpoint.
    due: (usize, usize),
}

impl Decoder<'_> {
    /// Takes what stands for itself, up to `mark`.
    #[inline(always)]
    fn literal(&mut self, mark: usize) {
        self.point();
        // A copy of a fixed length is a few instructions, and what is too much goes again.
        while let Some(octets) = self.raw[self.at..].first_chunk::<COPIED>() {
            let len = (mark - self.at).min(COPIED);
            self.text.extend_from_slice(octets);
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

    /// Takes what the `=` at hand begins.
    #[inline(always)]
    fn marked(&mut self) {
        // An escape or a soft break: which of them, is hard to foresee, and so not asked.
        if let Some(&[_, high, low]) = self.raw.get(self.at..).and_then(<[u8]>::first_chunk) {
            let octet = BEHIND[usize::from(high)] | DIGITS[usize::from(low)];
            if octet < NO_DIGIT {
                let soft = usize::from(octet < 0);
                self.text.push(octet as u8);
                self.text.truncate(self.text.len() - soft);
                self.at += 3 - soft;
                return;
            }
        }
        match marked(self.raw, self.at) {
            Token::Escape(octet) => {
                self.text.push(octet);
                self.at += 3;
            }
            Token::Literal(range) => {
                self.text.push(b'=');
                self.at = range.end;
            }
            Token::Soft(len) => self.at += len,
        }
    }

    /// Sets a checkpoint if it is time for one.
    #[inline(always)]
    fn point(&mut self) {
        let (text, raw) = (self.text.len(), self.at);
        if text >= self.due.0 || raw >= self.due.1 {
            self.points.push(text, raw);
            self.due = (text + STEP, raw + RAW_STEP);
        }
    }
}

/// Quoted-printable that was decoded: the way back.
#[derive(Clone, Copy, Debug)]
pub(in crate::mail) struct Quoted<'a> {
    pub(in crate::mail) raw: &'a [u8],
    pub(in crate::mail) points: &'a Points,
    /// Where `raw` starts in the source.
    pub(in crate::mail) base: usize,
}

impl Quoted<'_> {
    /// The source octets of octet `wanted` of the text.
    pub(in crate::mail) fn locate(&self, wanted: usize) -> Range<usize> {
        self.on(&mut self.points.before(wanted), wanted)
    }

    /// Those of the octets from `first` to `last`. They are seldom far apart: it is one walk.
    pub(in crate::mail) fn locate_both(&self, first: usize, last: usize) -> (Range<usize>, Range<usize>) {
        let mut place = self.points.before(first);
        let begin = self.on(&mut place, first);
        place = place.max(self.points.before(last));
        (begin, self.on(&mut place, last))
    }

    /// Goes on from `place`, a place in the text and the same in the source, to where octet `wanted` comes from.
    #[inline]
    fn on(&self, (text, at): &mut (usize, usize), wanted: usize) -> Range<usize> {
        while *at < self.raw.len() {
            match token(self.raw, *at) {
                Token::Literal(range) => {
                    if wanted - *text < range.len() {
                        let raw = self.base + range.start + wanted - *text;
                        return raw..raw + 1;
                    }
                    *text += range.len();
                    *at = range.end;
                }
                Token::Escape(_) => {
                    if wanted == *text {
                        return self.base + *at..self.base + *at + 3;
                    }
                    *text += 1;
                    *at += 3;
                }
                Token::Soft(len) => *at += len,
            }
        }
        let end = self.base + self.raw.len();
        end..end
    }
}

/// Whether a part that does not say so is quoted-printable (extraction rules, section 3): several lines end
/// in `=` where an encoder breaks them, hardly any elsewhere, and there are escapes that an encoder needs.
///
/// One SIMD pass for text that has no `=` at a line's end; linear in any case.
pub(in crate::mail) fn shows_quoted(text: &[u8]) -> bool {
    // Much text has none at all, which is told soonest.
    let Some(first) = memchr(b'=', text) else { return false };
    let mut soft = 0;
    let mut others = 0;
    // As the first line ends, so will the others.
    let crlf = memchr(b'\n', text).is_some_and(|newline| text[..newline].ends_with(b"\r"));
    let soft_break = if crlf { &needle::SOFT_BREAK_CRLF } else { &needle::SOFT_BREAK };
    // For nearly all text that is the answer, and to begin an iteration costs as much as to search a short one.
    if soft_break.find(&text[first..]).is_none() {
        return false;
    }
    for end in soft_break.find_iter(text) {
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

/// Whether a line of `text` ends in `=`: without, [`shows_quoted`] says no of all that is in it. Two SIMD passes.
pub(in crate::mail) fn has_soft_break(text: &[u8]) -> bool {
    [&needle::SOFT_BREAK, &needle::SOFT_BREAK_CRLF].into_iter().any(|soft_break| soft_break.find(text).is_some())
}

/// Whether there are escapes in `text`, and next to no `=` that is none: one reply in quoted-printable
/// inside a message that is not would have the rest of it spoilt.
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
