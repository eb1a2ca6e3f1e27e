//! Transfer encodings, undone in full and with a way back.
//!
//! Both decoders are total: whatever the octets, they give text, and they say where that text came from.
//! (mailparse's give an error for the whole part at one bad symbol, drop raw 8-bit octets, and turn LF
//! into CRLF, after which no offset holds.)

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};
use memchr::memchr;

use super::{needle, symbols};
use crate::block::{BLOCK, padded};

/// How much text may lie between two checkpoints, roughly.
const STEP: usize = 256;
/// Source that gives no text has checkpoints, too, fewer.
const RAW_STEP: usize = 8 * STEP;

/// What a Content-Transfer-Encoding asks for (RFC 2045, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// 7bit, 8bit, binary, or nothing: the octets are the text.
    Identity,
    Quoted,
    Base64,
    /// uuencode, yEnc: files, which no one scans.
    File,
    /// A name no one knows: read as it stands.
    Unknown,
}

impl Encoding {
    /// Reads the field's value the way senders have written it: in any case, with comments, quotes,
    /// folding, a semicolon after it, an underscore for the hyphen.
    pub(super) fn parse(value: &[u8]) -> Self {
        let mut name = [0u8; 24];
        let mut len = 0;
        let mut depth = 0usize;
        for &octet in value {
            match octet {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                b';' | b',' => break,
                b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'-' | b'_' | b'.' | b'=' => {}
                _ if len == name.len() => return Self::Unknown,
                _ => {
                    name[len] = octet.to_ascii_lowercase();
                    len += 1;
                }
            }
        }
        match &name[..len] {
            b"" | b"7bit" | b"8bit" | b"binary" | b"7bits" | b"8bits" | b"none" => Self::Identity,
            b"quotedprintable" | b"qp" | b"xquotedprintable" => Self::Quoted,
            b"base64" | b"xbase64" | b"b64" => Self::Base64,
            b"xuuencode" | b"xuue" | b"xuu" | b"uuencode" | b"uue" | b"xyenc" | b"yenc" | b"xbinhex" | b"xbinhex40"
            | b"binhex" | b"macbinhex40" => Self::File,
            _ => Self::Unknown,
        }
    }
}

/// Checkpoints: text offsets and the source offsets they came from, neither ever decreasing.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    points: Vec<(u32, u32)>,
}

impl Points {
    fn clear(&mut self) {
        self.points.clear();
    }

    /// Where to begin so as to reach octet `text`.
    pub(super) fn before(&self, text: usize) -> (usize, usize) {
        let index = self.points.partition_point(|&(at, _)| at as usize <= text);
        match index.checked_sub(1) {
            Some(i) => (self.points[i].0 as usize, self.points[i].1 as usize),
            None => (0, 0),
        }
    }

    fn push(&mut self, text: usize, raw: usize) {
        if let (Ok(text), Ok(raw)) = (u32::try_from(text), u32::try_from(raw)) {
            self.points.push((text, raw));
        }
    }
}

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
pub(super) fn decode_quoted(raw: &[u8], text: &mut Vec<u8>, points: &mut Points) {
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
    let last = padded(rest);
    for (i, block) in blocks.iter().chain([&last]).enumerate() {
        let octets = u8x64::from_slice(simd, block);
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
pub(super) struct Quoted<'a> {
    pub(super) raw: &'a [u8],
    pub(super) points: &'a Points,
    /// Where `raw` starts in the source.
    pub(super) base: usize,
}

impl Quoted<'_> {
    /// The source octets of octet `wanted` of the text.
    pub(super) fn locate(&self, wanted: usize) -> Range<usize> {
        self.on(&mut self.points.before(wanted), wanted)
    }

    /// Those of the octets from `first` to `last`. They are seldom far apart: it is one walk.
    pub(super) fn locate_both(&self, first: usize, last: usize) -> (Range<usize>, Range<usize>) {
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

/// A blank between symbols.
pub(super) const BLANK: u8 = 64;
/// `=`.
const PAD: u8 = 65;
/// Neither symbol nor blank.
const BAD: u8 = 66;

/// What each octet means in base64 (RFC 2045, section 6.8): a value, or one of the three above.
pub(super) const SYMBOLS: [u8; 256] = {
    let mut table = [BAD; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        table[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    table[b' ' as usize] = BLANK;
    table[b'\t' as usize] = BLANK;
    table[b'\r' as usize] = BLANK;
    table[b'\n' as usize] = BLANK;
    table[b'=' as usize] = PAD;
    table
};

/// A line of symbols at least this long is data even if something else follows on it.
const SURELY_DATA: usize = 60;

/// Decodes base64 from `raw` into `text`; returns how much of `raw` is base64, less than its length if
/// something follows that is not: a list's footer, a stray octet, text after the padding.
///
/// What precedes a bad octet on its own line is given back too, unless it is long: the words of a footer
/// are base64 symbols up to the first punctuation. Blanks may stand anywhere. Linear, and never fails.
pub(super) fn decode_base64(raw: &[u8], text: &mut Vec<u8>, points: &mut Points) -> usize {
    text.clear();
    points.clear();
    text.reserve(raw.len() / 4 * 3 + symbols::RUN);
    dispatch!(Level::new(), simd => decode_symbols(simd, raw, text, points))
}

#[inline(always)]
fn decode_symbols<S: Simd>(simd: S, raw: &[u8], text: &mut Vec<u8>, points: &mut Points) -> usize {
    let tables = symbols::Tables::new(simd);
    let mut at = 0;
    let mut bits = 0u32;
    let mut held = 0u32;
    // How much text there is at the next checkpoint.
    let mut due = STEP;
    // Where the line at hand starts, and what had been decoded by then.
    let mut line = (0usize, 0usize, 0u32, 0u32);
    let end = loop {
        if held == 0 {
            if text.len() >= due {
                points.push(text.len(), at);
                due = text.len() + STEP;
            }
            if let Some(run) = raw[at..].first_chunk() {
                let whole = symbols::decode(run, &tables, text);
                at += whole;
                if whole == symbols::RUN {
                    continue;
                }
            }
        }
        let Some(&octet) = raw.get(at) else { break raw.len() };
        match SYMBOLS[octet as usize] {
            BLANK => {
                // A line's end is two of them, often.
                while let Some(&octet) = raw.get(at)
                    && SYMBOLS[octet as usize] == BLANK
                {
                    at += 1;
                    if octet == b'\n' {
                        line = (at, text.len(), bits, held);
                    }
                }
            }
            PAD => {
                // Any number of them ends the data; blanks after them belong to it.
                let rest = raw[at..].iter().position(|&octet| !matches!(SYMBOLS[octet as usize], BLANK | PAD));
                let Some(rest) = rest.map(|i| at + i) else { break raw.len() };
                let newline = memchr::memrchr(b'\n', &raw[at..rest]).map(|i| at + i + 1);
                break newline.unwrap_or(rest);
            }
            BAD => {
                if at - line.0 < SURELY_DATA {
                    (at, bits, held) = (line.0, line.2, line.3);
                    text.truncate(line.1);
                }
                break at;
            }
            value => {
                bits = bits << 6 | u32::from(value);
                held += 1;
                at += 1;
                if held == 4 {
                    text.extend_from_slice(&bits.to_be_bytes()[1..]);
                    (bits, held) = (0, 0);
                }
            }
        }
    };
    match held {
        2 => text.push((bits >> 4) as u8),
        3 => text.extend_from_slice(&[(bits >> 10) as u8, (bits >> 2) as u8]),
        _ => {}
    }
    while points.points.last().is_some_and(|&(t, r)| t as usize > text.len() || r as usize > end) {
        points.points.pop();
    }
    end
}

/// A line this long with nothing but symbols is base64 again after something that was not.
const DATA_AGAIN: usize = 40;

/// Where in `raw`, in which base64 broke off, it goes on: at a whole line of symbols, one that starts four.
/// A mangled line costs that line, not the part; a footer has blanks and punctuation.
pub(super) fn base64_again(raw: &[u8]) -> Option<usize> {
    let mut at = memchr(b'\n', raw)? + 1;
    while at < raw.len() {
        let next = memchr(b'\n', &raw[at..]).map_or(raw.len(), |i| at + i + 1);
        let line = raw[at..next].trim_ascii_end();
        if line.len() >= DATA_AGAIN
            && line.len().is_multiple_of(4)
            && line.iter().all(|&octet| SYMBOLS[octet as usize] < BLANK)
        {
            return Some(at);
        }
        at = next;
    }
    None
}

/// Base64 that was decoded: the way back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base64<'a> {
    /// What was decoded, without what followed.
    pub(super) raw: &'a [u8],
    pub(super) points: &'a Points,
    /// Where `raw` starts in the source.
    pub(super) base: usize,
}

impl Base64<'_> {
    /// The source octets of octet `wanted` of the text: the symbols that hold its bits.
    pub(super) fn locate(&self, wanted: usize) -> Range<usize> {
        // Checkpoints stand where four symbols begin, so the text before them is a multiple of three.
        let (text, mut at) = self.points.before(wanted);
        let symbol = (wanted - text) * 8 / 6;
        let mut seen = 0;
        let mut first = None;
        while let Some(&octet) = self.raw.get(at) {
            if SYMBOLS[octet as usize] < BLANK {
                if seen == symbol {
                    first = Some(at);
                } else if seen == symbol + 1 {
                    return self.base + first.unwrap_or(at)..self.base + at + 1;
                }
                seen += 1;
            }
            at += 1;
        }
        let end = self.base + self.raw.len();
        first.map_or(end, |first| self.base + first)..end
    }
}

/// Whether a part that does not say so is quoted-printable (extraction rules, section 3): several lines end
/// in `=` where an encoder breaks them, hardly any elsewhere, and there are escapes that an encoder needs.
///
/// One SIMD pass for text that has no `=` at a line's end; linear in any case.
pub(super) fn shows_quoted(text: &[u8]) -> bool {
    let mut soft = 0;
    let mut others = 0;
    // As the first line ends, so will the others.
    let crlf = memchr(b'\n', text).is_some_and(|newline| text[..newline].ends_with(b"\r"));
    let soft_break = if crlf { &needle::SOFT_BREAK_CRLF } else { &needle::SOFT_BREAK };
    // For nearly all text that is the answer, and to begin an iteration costs as much as to search a short one.
    if soft_break.find(text).is_none() {
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
