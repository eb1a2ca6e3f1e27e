//! Finds the colons of a text that may be triggers, by SIMD: all in one pass, or one after the other.

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch, u8x64};

use super::trigger_at;
use crate::simd::{BLOCK, equals, padded};

/// The longest text to index, because an index can take as much memory as its text. A longer text is searched on
/// demand.
const MAX_TEXT: usize = 16 << 20;

/// The triggers of one text: see the [module](super). Made once per thread and reused.
#[derive(Debug, Default)]
pub(crate) struct TriggerIndex(Vec<u32>);

impl TriggerIndex {
    /// Finds all triggers in `text`; `None` if it is over 16 MiB.
    ///
    /// Costs a SIMD pass, and a few instructions for each colon.
    pub(crate) fn of(&mut self, text: &[u8]) -> Option<TriggerSlice<'_>> {
        if text.len() > MAX_TEXT {
            return None;
        }
        self.0.clear();
        dispatch!(Level::new(), simd => fill(simd, text, &mut self.0));
        Some(TriggerSlice { offsets: &self.0, base: 0 })
    }
}

/// The triggers of an indexed text from one offset on: those of a part that begins there, and of what follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriggerSlice<'i> {
    /// The offsets of their colons in the indexed text, in order, all at least `base`.
    offsets: &'i [u32],
    /// Where in the indexed text the part begins.
    base: usize,
}

impl TriggerSlice<'_> {
    /// Moves on to the part that begins at `base` of the indexed text.
    ///
    /// Goes through the offsets one by one. A binary search took 1 % of the time for mail with many triggers.
    pub(crate) fn advance(&mut self, base: usize) {
        debug_assert!(base >= self.base, "{base} is before {}", self.base);
        while let Some((&offset, after)) = self.offsets.split_first()
            && (offset as usize) < base
        {
            self.offsets = after;
        }
        self.base = base;
    }

    /// Returns the offset of the first colon, relative to the part. It may be after the part's end.
    pub(crate) fn first(&self) -> Option<usize> {
        self.offsets.first().map(|&offset| offset as usize - self.base)
    }

    /// Removes and returns the first one.
    pub(super) fn next(&mut self) -> Option<usize> {
        let first = self.first()?;
        self.offsets = &self.offsets[1..];
        Some(first)
    }
}

/// Finds colons that may be triggers in a text that is not indexed. It holds those that are left of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct ColonFinder {
    /// Their bits in the block, and where it ends.
    bits: u64,
    end: usize,
}

impl ColonFinder {
    /// Returns the first one of `text` at or after `at`. Later calls go forward.
    pub(super) fn next(&mut self, text: &[u8], at: usize) -> Option<usize> {
        loop {
            while self.bits != 0 {
                let colon = self.end - BLOCK + self.bits.trailing_zeros() as usize;
                self.bits &= self.bits - 1;
                if colon >= at {
                    return Some(colon);
                }
            }
            let start = self.end.max(at);
            let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
            let (before, bits) = dispatch!(Level::new(), simd => first(simd, rest));
            (self.bits, self.end) = (bits, start + before + BLOCK);
        }
    }
}

/// Returns the first block of `text` with colons that may be triggers: its offset, and their bits. The last block, if
/// there are none.
#[inline(always)]
fn first<S: Simd>(simd: S, text: &[u8]) -> (usize, u64) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for (i, block) in blocks.iter().enumerate() {
        let bits = likely(simd, block);
        if bits != 0 {
            return (i * BLOCK, bits);
        }
    }
    (blocks.len() * BLOCK, likely(simd, &padded(rest)))
}

#[inline(always)]
fn fill<S: Simd>(simd: S, text: &[u8], colons: &mut Vec<u32>) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for (i, block) in blocks.iter().enumerate() {
        let bits = likely(simd, block);
        if bits != 0 {
            add(text, i * BLOCK, bits, colons);
        }
    }
    add(text, blocks.len() * BLOCK, likely(simd, &padded(rest)), colons);
}

/// Adds the triggers among the colons at `bits`, from `base` on. Not inlined, because the loop over the blocks, most of
/// which have none, would keep its counters in memory.
#[inline(never)]
fn add(text: &[u8], base: usize, mut bits: u64, colons: &mut Vec<u32>) {
    while bits != 0 {
        let at = base + bits.trailing_zeros() as usize;
        if trigger_at(text, at).is_some() {
            // `at` is at most MAX_TEXT.
            colons.push(at as u32);
        }
        bits &= bits - 1;
    }
}

/// Returns a bit for each colon of a block that may be a trigger.
#[inline(always)]
fn likely<S: Simd>(simd: S, block: &[u8; BLOCK]) -> u64 {
    let bytes = u8x64::from_slice(simd, block);
    let splat = |byte| u8x64::splat(simd, byte);
    let colons = equals(simd, bytes, b':');
    if colons == 0 {
        return 0;
    }
    // Nearly all colons are after a word and before a blank, or in a time. Of triggers, only `<URL:` can be there (rule
    // 2.1). The bytes beyond the block are not known here: its first byte may follow an `l`.
    let blanks = equals(simd, bytes, b' ');
    let els = equals(simd, bytes | splat(b' '), b'l');
    let digits = (bytes - splat(b'0')).simd_le(splat(9)).to_bitmask();
    colons & (!(blanks >> 1) | els << 1 | 1) & !(digits << 1 & digits >> 1)
}

#[cfg(test)]
mod tests {
    use super::super::Triggers;
    use super::*;

    fn offsets(text: &[u8]) -> Option<Vec<u32>> {
        TriggerIndex::default().of(text).map(|slice| slice.offsets.to_vec())
    }

    #[test]
    fn the_index_has_what_a_search_finds() {
        let text = b"see http://a.example/ <URL: x> URL:y mailto:a@b.example std::x 12:30 <urn:a:b> ".repeat(40);
        for from in 0..80 {
            let text = &text[from..text.len() - from];
            let triggers = Triggers::new(text);
            let mut searched = Vec::new();
            let mut at = 0;
            while let Some((colon, _)) = triggers.clone().next(at) {
                searched.push(colon as u32);
                at = colon + 1;
            }
            assert_eq!(offsets(text), Some(searched), "{from}");
        }
        assert_eq!(offsets(b""), Some(vec![]));
    }

    #[test]
    fn a_text_over_the_limit_is_not_indexed() {
        assert_eq!(offsets(&vec![b':'; MAX_TEXT + 1]), None);
    }
}
