//! Decodes base64 (RFC 2045, section 6.8).

use std::ops::Range;

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch};
use memchr::memchr;

use super::{Decoded, Points, STEP};
use crate::shared::{begins_utf8, is_control};
use crate::simd::base64::{self, BAD, BLANK, PAD, SYMBOLS};

/// If a line has at least this number of bytes before an invalid byte, these bytes are decoded. Fewer bytes can be a
/// word that only looks like base64, for example in the footer of a mailing list.
const SURELY_DATA: usize = 60;

/// Decodes the base64 at the beginning of `raw`, and writes the result to the beginning of `text`. Returns the number
/// of bytes read from `raw`, and the number of bytes written to `text`.
///
/// A few invalid bytes in a line are ignored. Decoding stops early at a line with more invalid bytes, and at text after
/// the padding, such as the footer of a mailing list. On return, `text` can be longer than the decoded bytes, because it is not truncated. A part can have many
/// pieces of base64. If `text` were truncated after each piece, filling it with zeros again for the next piece would
/// take quadratic time.
///
/// If a line has an invalid byte after fewer than [`SURELY_DATA`] bytes, decoding stops at the start of the line. White
/// space is allowed anywhere. Takes linear time, and never fails.
pub(in crate::mail) fn decode_base64(raw: &[u8], text: &mut Vec<u8>, points: &mut Points) -> (usize, usize) {
    points.clear();
    // Four symbols decode to three bytes. The SIMD decoder also writes some extra bytes after its output.
    let room = raw.len() / 4 * 3 + base64::ROOM;
    if text.len() < room {
        text.resize(room, 0);
    }
    dispatch!(Level::new(), simd => decode_symbols(simd, raw, text, points))
}

/// Decodes `raw` to `text`. Returns the number of bytes read from `raw`, and the number of bytes written to `text`.
/// `text` must have space for all of `raw`, plus [`base64::ROOM`] bytes.
#[inline(always)]
fn decode_symbols<S: Simd>(simd: S, raw: &[u8], text: &mut [u8], points: &mut Points) -> (usize, usize) {
    let tables = base64::Tables::new(simd);
    let (mut at, mut made) = (0, 0);
    let mut bits = 0u32;
    let mut held = 0u32;
    // The length of the decoded text at which the next checkpoint is added.
    let mut due = STEP;
    // The start of the current line in `raw`, and the values of `made`, `bits` and `held` at that point.
    let mut line = (0usize, 0usize, 0u32, 0u32);
    // The end of a line with invalid bytes that is decoded nevertheless.
    let mut accepted = 0;
    // Whether `-` or `_` was found and is invalid.
    let mut is_decided = false;
    let end = loop {
        if held == 0 {
            if made >= due {
                points.push(made, at);
                due = made + STEP;
            }
            if let (Some(run), Some(room)) = (raw[at..].first_chunk(), text[made..].first_chunk_mut()) {
                let whole = base64::decode(run, &tables, room);
                if whole == base64::RUN {
                    // Add the constant `base64::RUN` instead of `whole`. They are equal here, but the constant is
                    // faster: the CPU predicts that they are equal, and begins the next iteration before it has
                    // computed `whole`.
                    (at, made) = (at + base64::RUN, made + base64::RUN / 4 * 3);
                    continue;
                }
                (at, made) = (at + whole, made + whole / 4 * 3);
            }
        }
        let Some(&byte) = raw.get(at) else { break raw.len() };
        if !is_decided && matches!(byte, b'-' | b'_') {
            is_decided = true;
            points.is_url_safe = is_url_safe(raw, line.0);
        }
        match symbol(byte, points.is_url_safe) {
            BLANK => {
                // Skip all white space at once, because a line end often has two bytes, CR and LF.
                while let Some(&byte) = raw.get(at)
                    && SYMBOLS[byte as usize] == BLANK
                {
                    at += 1;
                    if byte == b'\n' {
                        line = (at, made, bits, held);
                    }
                }
            }
            PAD => {
                // Padding of any length ends the data. The padding and the line ends after it belong to the base64
                // data.
                let rest = raw[at..].iter().position(|&byte| !matches!(SYMBOLS[byte as usize], BLANK | PAD));
                let Some(rest) = rest.map(|i| at + i) else { break raw.len() };
                let newline = memchr::memrchr(b'\n', &raw[at..rest]).map(|i| at + i + 1);
                break newline.unwrap_or(rest);
            }
            BAD if at < accepted => at += 1,
            BAD => {
                let end = stray_bytes(raw, line.0).or_else(|| text_with_strays(raw, line.0, (line.2, line.3)));
                // The text that was checked can end before this byte, if the line is long.
                if let Some(end) = end.filter(|end| *end > at) {
                    accepted = end;
                    continue;
                }
                if at - line.0 < SURELY_DATA {
                    (at, made, bits, held) = line;
                }
                break at;
            }
            value => {
                bits = bits << 6 | u32::from(value);
                held += 1;
                at += 1;
                if held == 4 {
                    text[made..made + 3].copy_from_slice(&bits.to_be_bytes()[1..]);
                    (made, bits, held) = (made + 3, 0, 0);
                }
            }
        }
    };
    // Decode an incomplete group of two or three symbols. A single symbol has too few bits for a byte.
    let rest: &[u8] = match held {
        2 => &[(bits >> 4) as u8],
        3 => &[(bits >> 10) as u8, (bits >> 2) as u8],
        _ => &[],
    };
    text[made..made + rest.len()].copy_from_slice(rest);
    (end, made + rest.len())
}

/// Returns the entry of a byte in [`SYMBOLS`]. In the alphabet for URLs (RFC 4648, section 5), `-` and `_` replace `+`
/// and `/`.
fn symbol(byte: u8, is_url_safe: bool) -> u8 {
    match byte {
        b'-' if is_url_safe => 62,
        b'_' if is_url_safe => 63,
        _ => SYMBOLS[usize::from(byte)],
    }
}

/// Whether the line at `start` is base64 in the alphabet for URLs, and no line of underscores or dashes. If the line
/// has whole groups of four symbols only without these bytes, the bytes are invalid, unless there is no other line.
fn is_url_safe(raw: &[u8], start: usize) -> bool {
    let end = memchr(b'\n', &raw[start..]).map_or(raw.len(), |i| start + i);
    let line = raw[start..end].trim_ascii_end();
    let own = line.iter().filter(|byte| matches!(byte, b'-' | b'_')).count();
    let is_whole = |length: usize| length.is_multiple_of(4);
    // Without padding, the last group has two or three symbols.
    let is_all = line.len() == raw.trim_ascii_end().len() && line.len() % 4 > 1;
    let has = |is: fn(&u8) -> bool| line.iter().any(is);
    line.iter().all(|&byte| symbol(byte, true) < BLANK || byte == b'=')
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && own <= line.len() / 4
        && (is_whole(line.len()) || !is_whole(line.len() - own) || is_all)
}

/// Returns the end of the line at `start` if the line is base64 with a few invalid bytes, which RFC 2045 (section 6.8)
/// ignores. The lines of a footer do not match, because they have spaces, or URLs and addresses.
fn stray_bytes(raw: &[u8], start: usize) -> Option<usize> {
    let end = memchr(b'\n', &raw[start..]).map_or(raw.len(), |i| start + i);
    let line = raw[start..end].trim_ascii_end();
    let bad = line.iter().filter(|&&byte| SYMBOLS[usize::from(byte)] == BAD).count();
    let is_prose = line.iter().any(|byte| b" \t@:_".contains(byte));
    let is_data = line.len() >= STRAY_MIN && bad <= line.len() / STRAY_MIN;
    (is_data && !is_prose).then_some(end)
}

/// Returns an offset up to which `raw` can be decoded from `start` although it has invalid bytes, because the result is
/// text. Words that only look like base64 decode to control characters. `bits` are the last bits before `start` and the
/// number of symbols that they come from.
fn text_with_strays(raw: &[u8], start: usize, (mut bits, mut held): (u32, u32)) -> Option<usize> {
    /// Number of bytes that are decoded at most, and the minimum length of the text.
    const MOST: usize = 256;
    const ENOUGH: usize = 12;
    let mut text = Vec::with_capacity(MOST);
    let piece = &raw[start..raw.len().min(start + MOST)];
    let length = piece.iter().position(|byte| SYMBOLS[usize::from(*byte)] == PAD).unwrap_or(piece.len());
    for value in piece[..length].iter().map(|byte| SYMBOLS[usize::from(*byte)]).filter(|value| *value < BLANK) {
        (bits, held) = (bits << 6 | u32::from(value), (held + 1) % 4);
        if held != 1 {
            text.push((bits >> (6 - 2 * ((held + 3) % 4))) as u8);
        }
    }
    let is_text = text.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..));
    (text.len() >= ENOUGH && is_text && begins_utf8(&text)).then_some(start + length)
}

/// A line of base64 has at most one invalid byte for this number of bytes.
const STRAY_MIN: usize = 16;

/// Minimum length in bytes of the line at which base64 can continue after an interruption, without and with padding.
const DATA_AGAIN: (usize, usize) = (40, 16);

/// Returns the offset in `raw` at which base64 continues after an interruption.
///
/// Base64 continues at the first long line (see [`DATA_AGAIN`]) that consists of complete groups of four
/// symbols, with or without padding. So a damaged line loses only its own data. Base64 data can also follow the padding
/// of earlier base64 data. The lines of a footer do not match, because footers have spaces and punctuation.
pub(in crate::mail) fn base64_again(raw: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < raw.len() {
        let next = memchr(b'\n', &raw[at..]).map_or(raw.len(), |i| at + i + 1);
        let line = &raw[at..next];
        // Do not use `trim_ascii_end` here, because it also trims form feeds, which are not base64.
        let end = line.iter().rposition(|&byte| SYMBOLS[byte as usize] != BLANK).map_or(0, |last| last + 1);
        let line = &line[..end];
        let symbols = line.strip_suffix(b"=").map_or(line, |line| line.strip_suffix(b"=").unwrap_or(line));
        let least = if symbols.len() < line.len() { DATA_AGAIN.1 } else { DATA_AGAIN.0 };
        if line.len() >= least
            && line.len().is_multiple_of(4)
            && symbols.iter().all(|&byte| SYMBOLS[byte as usize] < BLANK)
        {
            return Some(at);
        }
        at = next;
    }
    None
}

/// The distance of the places in decoded text that show whether base64 is out of step, and the number of bytes that are
/// checked at each place. Base64 stays out of step, so a few places are enough.
const CHECKED: (usize, usize) = (512, 48);

/// Returns where base64 is out of step because symbols are missing, or because words before it count as symbols: the
/// length of the source up to the row at which the decoding has to begin again, and the length of its text. `text` was
/// decoded from `decoded`. Returns `None` if `text` is text, or if it is not better from another row on. Takes linear
/// time.
pub(in crate::mail) fn base64_shift(text: &[u8], decoded: &Decoded<'_>) -> Option<(usize, usize)> {
    let mut places = (0..text.len()).step_by(CHECKED.0).chain(text.len().checked_sub(CHECKED.1));
    if !places.any(|at| is_wrong(&text[at..])) {
        return None;
    }
    let raw = decoded.raw;
    let rows = |at: usize| raw[at..].split_inclusive(|&byte| byte == b'\n');
    let symbols = |row: &[u8]| row.iter().filter(|byte| SYMBOLS[usize::from(**byte)] < BLANK).count();
    let is_whole = |row: &[u8]| symbols(row) > 0 && symbols(row).is_multiple_of(4);
    let (mut at, mut before) = (0, 0);
    // The first row that does not begin with a group of four symbols, although the next rows consist of such groups.
    for row in rows(0) {
        if before % 4 != 0 && rows(at).take(2).filter(|row| is_whole(row)).count() == 2 {
            let (mut again, mut points) = (Vec::new(), Points::default());
            let (_, made) = decode_base64(row, &mut again, &mut points);
            return (!is_wrong(&again[..made])).then_some((at, before / 4 * 3));
        }
        before += symbols(row);
        at += row.len();
    }
    None
}

/// Whether the first bytes of `text` are no text in any charset. Text that is shifted by two bits has few controls, and
/// hardly a byte of ASCII.
fn is_wrong(text: &[u8]) -> bool {
    let window = &text[..text.len().min(CHECKED.1)];
    if window.is_ascii() {
        return false;
    }
    let high = window.iter().filter(|byte| !byte.is_ascii()).count();
    let controls = window.iter().filter(|byte| is_control(**byte)).count();
    // The window can begin and end within a character.
    let begin = window.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    !begins_utf8(&window[begin..])
        && (controls > 1 && controls + high > window.len() / 4 || high > window.len() / 4 * 3)
}

impl Decoded<'_> {
    /// Returns the source range of the byte `wanted` of the decoded text. The range consists of the two symbols that
    /// contain the bits of that byte.
    pub(in crate::mail) fn locate_in_base64(&self, wanted: usize) -> Range<usize> {
        // Each checkpoint is at the beginning of a group of four symbols, so the offset `text` is a multiple of three.
        let (text, mut at) = self.points.before(wanted);
        let wanted = (wanted - text) * 8 / 6;
        let mut seen = 0;
        let mut first = None;
        while let Some(&byte) = self.raw.get(at) {
            if symbol(byte, self.points.is_url_safe) < BLANK {
                if seen == wanted {
                    first = Some(at);
                } else if seen == wanted + 1 {
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
