//! Uses SIMD to find the header block at the beginning of a message. Parses only two of the fields: Content-Type and
//! Content-Transfer-Encoding.

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch, u8x64};

use super::header::{self, Block, Words};
use crate::simd::{BLOCK, padded};

/// Maximum size in bytes of a header block that is searched with SIMD. Longer header blocks are read line by line.
const WINDOW: usize = 64 * 1024;

/// Returns the header block at the start of `message`. The block ends at the first blank line. Returns `None` in three
/// cases: if the first line cannot begin a header block, if there is no blank line within [`WINDOW`] bytes, or if a
/// line before the blank line has only spaces and tabs. Such a line can also end the block, depending on the next line.
///
/// If there is no blank line between headers and body, the block ends too late and includes text of the body. If the
/// included text has a trigger or an encoded word, `Walk::fields` finds the correct end of the block. If not, the
/// included text has no URL, and the wrong end is harmless.
pub(super) fn block(message: &[u8]) -> Option<Block> {
    let window = &message[..message.len().min(WINDOW)];
    if !header::can_begin(window) {
        return None;
    }
    dispatch!(Level::new(), simd => walk(simd, window))
}

#[inline(always)]
fn walk<S: Simd>(simd: S, window: &[u8]) -> Option<Block> {
    let mut block = Block { words: Words::None, ..Block::default() };
    let (blocks, rest) = window.as_chunks::<BLOCK>();
    let mut before = Before { line_end: true, blank: false };
    for (i, bytes) in blocks.iter().enumerate() {
        if take(&mut block, window, i * BLOCK, of_interest(simd, bytes, &mut before))? {
            return Some(block);
        }
    }
    // Process the bytes after the last complete SIMD block of 64 bytes. The headers of most messages end before these
    // bytes, so this code rarely runs.
    take(&mut block, window, blocks.len() * BLOCK, of_interest(simd, &padded(rest), &mut before))?.then_some(block)
}

/// Processes each byte of `window` whose bit is set in `bits`. Bit 0 is the byte at the offset `base`. Returns `true`
/// if a blank line begins at a processed byte, and `None` if a line has only spaces and tabs.
#[inline(always)]
fn take(block: &mut Block, window: &[u8], base: usize, mut bits: u64) -> Option<bool> {
    while bits != 0 {
        if meet(block, window, base + bits.trailing_zeros() as usize)? {
            return Some(true);
        }
        bits &= bits - 1;
    }
    Some(false)
}

/// Describes the byte before a SIMD block.
struct Before {
    line_end: bool,
    /// Whether the byte is a space or a tab.
    blank: bool,
}

/// Returns a mask with one bit for each byte. The bit is set for these bytes:
///
/// - the first byte of a blank line, and of a field whose name begins with `c`
/// - a `?`, which may belong to the beginning `=?` of an encoded word (RFC 2047)
/// - a line end after a space or tab, because the line may have only spaces and tabs
///
/// `before` describes the byte before `bytes`. On return, it describes the last byte of `bytes`.
#[inline(always)]
fn of_interest<S: Simd>(simd: S, bytes: &[u8; BLOCK], before: &mut Before) -> u64 {
    let bytes = u8x64::from_slice(simd, bytes);
    let splat = |byte| u8x64::splat(simd, byte);
    let line_ends = bytes.simd_eq(splat(b'\n'));
    let endings = line_ends | bytes.simd_eq(splat(b'\r'));
    // The names of the two relevant fields, Content-Type and Content-Transfer-Encoding, begin with `c` or `C`.
    let firsts = (endings | (bytes | splat(0x20)).simd_eq(splat(b'c'))).to_bitmask();
    let marks = bytes.simd_eq(splat(b'?')).to_bitmask();
    let blanks = (bytes.simd_eq(splat(b' ')) | bytes.simd_eq(splat(b'\t'))).to_bitmask();
    let line_ends = line_ends.to_bitmask();
    let starts = line_ends << 1 | u64::from(before.line_end);
    let after_blank = blanks << 1 | u64::from(before.blank);
    *before = Before { line_end: line_ends >> 63 != 0, blank: blanks >> 63 != 0 };
    starts & firsts | marks | after_blank & endings.to_bitmask()
}

/// Processes a byte that [`of_interest`] has found. Returns `true` if a blank line begins at `at`, and `None` if a line
/// that has only spaces and tabs ends there.
#[inline(always)]
fn meet(block: &mut Block, window: &[u8], at: usize) -> Option<bool> {
    let length = match window[at..] {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        [b'?', ..] => {
            if block.words == Words::None && window[..at].ends_with(b"=") {
                block.words = Words::First(at - 1);
            }
            return Some(false);
        }
        _ => {
            block.take_line(window, at);
            return Some(false);
        }
    };
    if matches!(window[..at], [.., b' ' | b'\t']) {
        let line = memchr::memrchr(b'\n', &window[..at]).map_or(0, |i| i + 1);
        return if header::is_only_blanks(&window[line..at]) { None } else { Some(false) };
    }
    (block.end, block.body) = (at, at + length);
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reference implementation that reads line by line. Returns the end of the block, the start of the body, the
    /// first encoded word, and the value of Content-Type.
    fn plainly(message: &str) -> Option<(usize, usize, Words, Option<&str>)> {
        let (mut at, mut kind) = (0, None);
        for line in message.split_inclusive('\n') {
            if header::is_only_blanks(line.as_bytes()) {
                if line.starts_with([' ', '\t']) {
                    return None;
                }
                let words = message[..at].find("=?").map_or(Words::None, Words::First);
                return Some((at, at + line.len(), words, kind));
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("Content-Type")
            {
                kind = kind.or(Some(value.trim_end_matches(['\r', '\n'])));
            }
            at += line.len();
        }
        None
    }

    #[test]
    fn simd_block_borders_do_not_matter() {
        let lines = [
            "Content-Type: a/b",
            "content-type:c",
            "X: =?a?=",
            "Content: x",
            "?",
            "=?",
            "c",
            "\r",
            "d",
            "",
            "=",
            "C?: =?",
            " ",
            "\t ",
            "d y \t",
            "z\r \r",
        ];
        for one in lines {
            for other in lines {
                for end in ["\n", "\r\n"] {
                    for length in 0..130 {
                        let filler = "y".repeat(length);
                        let message =
                            format!("X: {filler}{end}{one}{end}{other}{end}Z:{end}{end}content-type: body =?{end}");
                        let got = block(message.as_bytes()).map(|block| {
                            let kind = block.content_type.map(|value| &message[value]);
                            (block.end, block.body, block.words, kind)
                        });
                        assert_eq!(got, plainly(&message), "{message:?}");
                    }
                }
            }
        }
        for message in ["", "\n", "X: y", "X: y\n", "X: y\n\r", "no field\n\n", " X: y\n\n"] {
            assert!(block(message.as_bytes()).is_none(), "{message:?}");
        }
        assert!(block(b"From a\nX: y\n\n").is_some(), "an mbox's own line may come first");
    }
}
