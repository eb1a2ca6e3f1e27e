//! Base64 (RFC 2045, section 6.8).

use std::ops::Range;

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch};
use memchr::memchr;

use super::{Decoded, Points, STEP};
use crate::simd::base64::{self, BAD, BLANK, PAD, SYMBOLS};

/// A line with at least this many symbols is data even if something else follows on it.
const SURELY_DATA: usize = 60;

/// Decodes base64 from `raw` to the beginning of `text`. Returns how much of `raw` is base64, and how much text that
/// makes.
///
/// The first is less than the length of `raw` if something follows that is not base64: a list's footer, a stray byte,
/// text after the padding. The rest of `text` has no meaning. It is not cleared, because refilling it after each
/// interruption would take quadratic time.
///
/// Symbols before a bad byte on the same line do not count, unless the line is long, because the words of a footer are
/// base64 symbols up to the first punctuation. Blanks may be anywhere. Linear, and never fails.
pub(in crate::mail) fn decode_base64(raw: &[u8], text: &mut Vec<u8>, points: &mut Points) -> (usize, usize) {
    points.clear();
    // Four symbols are three bytes. The output of a run is written with some more bytes after it.
    let room = raw.len() / 4 * 3 + base64::ROOM;
    if text.len() < room {
        text.resize(room, 0);
    }
    let (used, made) = dispatch!(Level::new(), simd => decode_symbols(simd, raw, text, points));
    while points.points.last().is_some_and(|&(t, r)| t as usize > made || r as usize > used) {
        points.points.pop();
    }
    (used, made)
}

/// Returns how much of `raw` is base64, and how much of `text` it has made. `text` must have space for all that `raw`
/// could be, and for a run after that.
#[inline(always)]
fn decode_symbols<S: Simd>(simd: S, raw: &[u8], text: &mut [u8], points: &mut Points) -> (usize, usize) {
    let tables = base64::Tables::new(simd);
    let (mut at, mut made) = (0, 0);
    let mut bits = 0u32;
    let mut held = 0u32;
    // The length of the text at the next checkpoint.
    let mut due = STEP;
    // Where the current line starts, and the state of the decoder there.
    let mut line = (0usize, 0usize, 0u32, 0u32);
    let end = loop {
        if held == 0 {
            if made >= due {
                points.push(made, at);
                due = made + STEP;
            }
            if let (Some(run), Some(room)) = (raw[at..].first_chunk(), text[made..].first_chunk_mut()) {
                let whole = base64::decode(run, &tables, room);
                if whole == base64::RUN {
                    // Computed in advance, so that the next run need not wait for this one.
                    (at, made) = (at + base64::RUN, made + base64::RUN / 4 * 3);
                    continue;
                }
                (at, made) = (at + whole, made + whole / 4 * 3);
            }
        }
        let Some(&byte) = raw.get(at) else { break raw.len() };
        match SYMBOLS[byte as usize] {
            BLANK => {
                // A line end often has two of them.
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
                // Any number of pads ends the data. Blanks after them belong to it.
                let rest = raw[at..].iter().position(|&byte| !matches!(SYMBOLS[byte as usize], BLANK | PAD));
                let Some(rest) = rest.map(|i| at + i) else { break raw.len() };
                let newline = memchr::memrchr(b'\n', &raw[at..rest]).map(|i| at + i + 1);
                break newline.unwrap_or(rest);
            }
            BAD => {
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
    // The remaining symbols of the last four. One symbol makes no byte.
    let rest: &[u8] = match held {
        2 => &[(bits >> 4) as u8],
        3 => &[(bits >> 10) as u8, (bits >> 2) as u8],
        _ => &[],
    };
    text[made..made + rest.len()].copy_from_slice(rest);
    (end, made + rest.len())
}

/// After an interruption, a line with this many symbols and nothing else is base64 again.
const DATA_AGAIN: usize = 40;

/// Returns where base64 continues in `raw`, after an interruption: at a whole line of symbols that begins a group of
/// four, padded or not. So a mangled line costs only that line. Base64 that was appended to another loses nothing. A
/// footer has blanks and punctuation.
pub(in crate::mail) fn base64_again(raw: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < raw.len() {
        let next = memchr(b'\n', &raw[at..]).map_or(raw.len(), |i| at + i + 1);
        let line = &raw[at..next];
        // A form feed is not a blank in base64. It would interrupt again at the same place.
        let end = line.iter().rposition(|&byte| SYMBOLS[byte as usize] != BLANK).map_or(0, |last| last + 1);
        let line = &line[..end];
        let symbols = line.strip_suffix(b"=").map_or(line, |line| line.strip_suffix(b"=").unwrap_or(line));
        if line.len() >= DATA_AGAIN
            && line.len().is_multiple_of(4)
            && symbols.iter().all(|&byte| SYMBOLS[byte as usize] < BLANK)
        {
            return Some(at);
        }
        at = next;
    }
    None
}

impl Decoded<'_> {
    /// Returns the source bytes of byte `wanted` of the text: the symbols with its bits.
    pub(in crate::mail) fn locate_in_base64(&self, wanted: usize) -> Range<usize> {
        // Checkpoints are where groups of four symbols begin, so the text before them is a multiple of three.
        let (text, mut at) = self.points.before(wanted);
        let symbol = (wanted - text) * 8 / 6;
        let mut seen = 0;
        let mut first = None;
        while let Some(&byte) = self.raw.get(at) {
            if SYMBOLS[byte as usize] < BLANK {
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
