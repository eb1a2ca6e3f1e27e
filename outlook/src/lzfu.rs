//! Decompresses RTF ([MS-OXRTFCP]).
//!
//! This module does not use the crate `compressed-rtf`, which is not safe for hostile data. That crate panics on fewer
//! than 16 bytes, allocates as many bytes as the header states (up to 4 GiB), and returns nothing for truncated data.
//! Only the tests use that crate, to compress RTF.

use super::{Budget, u32_at};

/// Initial content of the dictionary.
const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// Size in bytes of the dictionary, which is a ring buffer.
const SIZE: usize = 4096;

/// Decompresses the RTF in `data` and subtracts the size of the result from the budget. If `data` is damaged, returns
/// the text before the damage. Returns `None` if `data` is not compressed RTF.
pub(super) fn decompress(data: &[u8], budget: &mut Budget) -> Option<Vec<u8>> {
    let size = u32_at(data, 4)? as usize;
    let rest = data.get(16..)?;
    match u32_at(data, 8)? {
        // The signature "MELA": the text is stored uncompressed.
        0x414C_454D => {
            let most = budget.take(size.min(rest.len()));
            Some(rest[..most].to_vec())
        }
        // The signature "LZFu": the text is compressed.
        0x7546_5A4C => {
            let mut text = Vec::new();
            let is_whole = expand(rest, size.min(budget.bytes), &mut text);
            budget.take(text.len());
            budget.is_damaged |= !is_whole;
            Some(text)
        }
        _ => None,
    }
}

/// Appends at most `most` decompressed bytes to `text`. Returns `false` if `data` is truncated.
fn expand(data: &[u8], most: usize, text: &mut Vec<u8>) -> bool {
    let mut ring = [0; SIZE];
    ring[..DICTIONARY.len()].copy_from_slice(DICTIONARY);
    let mut end = DICTIONARY.len();
    let mut put = |byte: u8, ring: &mut [u8; SIZE], end: &mut usize| {
        ring[*end] = byte;
        *end = (*end + 1) % SIZE;
        text.push(byte);
        text.len() < most
    };
    let mut bytes = data.iter().copied();
    while let Some(control) = bytes.next() {
        for bit in 0..8 {
            let Some(first) = bytes.next() else { return false };
            if control >> bit & 1 == 0 {
                if !put(first, &mut ring, &mut end) {
                    return true;
                }
                continue;
            }
            let Some(second) = bytes.next() else { return false };
            let (from, count) = (usize::from(first) << 4 | usize::from(second) >> 4, usize::from(second & 15) + 2);
            if from == end {
                return true;
            }
            for at in from..from + count {
                let byte = ring[at % SIZE];
                if !put(byte, &mut ring, &mut end) {
                    return true;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(data: &[u8]) -> (Option<Vec<u8>>, bool) {
        let mut budget = Budget::new();
        let text = decompress(data, &mut budget);
        (text, budget.is_damaged)
    }

    #[test]
    fn what_the_other_implementation_compressed() {
        let long = format!("{{\\rtf1 {}}}", "http://www.example.org/ \\par ".repeat(900));
        for text in ["", "{\\rtf1}", "{\\rtf1\\ansi WXYZWXYZWXYZWXYZWXYZ}\r\n", &long] {
            let packed = compressed_rtf::compress_rtf(text).unwrap();
            assert_eq!(undone(&packed), (Some(text.as_bytes().to_vec()), false), "{text}");
            let stored = compressed_rtf::encode_rtf(text).unwrap();
            assert_eq!(undone(&stored), (Some(text.as_bytes().to_vec()), false), "{text}");
        }
    }

    #[test]
    fn damaged() {
        let packed = compressed_rtf::compress_rtf(&"{\\rtf1 http://www.example.org/}".repeat(3)).unwrap();
        for end in 0..packed.len() {
            let (text, is_damaged) = undone(&packed[..end]);
            let is_whole = text.as_ref().is_some_and(|text| text.len() == 3 * 31);
            assert_eq!((text.is_none(), is_damaged), (end < 16, end >= 16 && !is_whole), "{end}");
        }
        // The header states 4 GiB of text, but the compressed data has only 8 bytes of text.
        let mut large = packed[..16].to_vec();
        large[4..8].fill(0xFF);
        large.extend([0; 9]);
        assert_eq!(undone(&large), (Some(vec![0; 8]), true));
    }
}
