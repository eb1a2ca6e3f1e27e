//! Finds triggers with SIMD. [`TriggerIndex`] finds all triggers of a text in one pass. [`ColonFinder`] finds one
//! possible trigger at a time.

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch, u8x64};

use super::trigger_at;
use crate::simd::{BLOCK, equals, padded};

/// Maximum length in bytes of a text that is indexed. Longer texts are searched without an index, because an index can
/// take as much memory as its text.
const MAX_TEXT: usize = 16 << 20;

/// The trigger index of one text: see the [module](super). Each thread has one `TriggerIndex`, which it fills again for
/// each text.
#[derive(Debug, Default)]
pub(crate) struct TriggerIndex(Vec<u32>);

impl TriggerIndex {
    /// Finds all triggers in `text`. Returns `None` if `text` is longer than 16 MiB.
    pub(crate) fn of(&mut self, text: &[u8]) -> Option<TriggerSlice<'_>> {
        if text.len() > MAX_TEXT {
            return None;
        }
        self.0.clear();
        dispatch!(Level::new(), simd => fill(simd, text, &mut self.0));
        Some(TriggerSlice { offsets: &self.0, base: 0 })
    }
}

/// The triggers of an indexed text at or after offset `base`. A region of the text, such as the body of a message,
/// begins at `base` (see the [module](super)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriggerSlice<'i> {
    /// The offsets of the triggers' colons in the indexed text, in ascending order. All offsets are at least `base`.
    offsets: &'i [u32],
    /// The offset in the indexed text at which the region begins. The methods return offsets that count from `base`.
    base: usize,
}

impl TriggerSlice<'_> {
    /// Skips the triggers before offset `base` of the indexed text.
    ///
    /// This linear search is faster than a binary search, which took 1 % of the run time for mail with many triggers.
    pub(crate) fn advance(&mut self, base: usize) {
        debug_assert!(base >= self.base, "{base} is before {}", self.base);
        while let Some((&offset, after)) = self.offsets.split_first()
            && (offset as usize) < base
        {
            self.offsets = after;
        }
        self.base = base;
    }

    /// Returns the offset of the first colon, counted from `base`. The slice does not store the length of the region,
    /// so the colon can be after the end of the region.
    pub(crate) fn first(&self) -> Option<usize> {
        self.offsets.first().map(|&offset| offset as usize - self.base)
    }

    /// Removes the first colon and returns its offset, counted from `base`.
    pub(super) fn next(&mut self) -> Option<usize> {
        let first = self.first()?;
        self.offsets = &self.offsets[1..];
        Some(first)
    }
}

/// Finds possible triggers in a text that is not indexed. SIMD finds all colons of a block at once, so the remaining
/// colons of the block are stored for the next calls.
#[derive(Clone, Debug, Default)]
pub(super) struct ColonFinder {
    /// A bit mask of the current block: the possible triggers that were not returned yet.
    bits: u64,
    /// The offset of the end of the current block.
    end: usize,
}

impl ColonFinder {
    /// Returns the offset of the next colon in `text` that may be a trigger. The search begins at the offset `at` or
    /// directly after the previous result, whichever is later.
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

/// Returns the offset of the first block of `text` that has possible triggers, and the mask of the possible triggers in
/// that block. If no block has possible triggers, returns the offset of the last block and the mask 0.
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

/// Adds the offsets of the triggers in the block at `base` to `colons`. `bits` is the mask of the colons that may be
/// triggers. This function is not inlined. If it were inlined, the compiler would keep the caller's loop counters in
/// memory instead of registers, and the caller would be slower. The calls cost little, because most blocks have no
/// colon and need no call.
#[inline(never)]
fn add(text: &[u8], base: usize, mut bits: u64, colons: &mut Vec<u32>) {
    while bits != 0 {
        let at = base + bits.trailing_zeros() as usize;
        if trigger_at(text, at).is_some() {
            // The cast is lossless, because `at` is at most `MAX_TEXT`.
            colons.push(at as u32);
        }
        bits &= bits - 1;
    }
}

/// Returns the mask of the colons in `block` that may be triggers.
#[inline(always)]
fn likely<S: Simd>(simd: S, block: &[u8; BLOCK]) -> u64 {
    let bytes = u8x64::from_slice(simd, block);
    let splat = |byte| u8x64::splat(simd, byte);
    let colons = equals(simd, bytes, b':');
    if colons == 0 {
        return 0;
    }
    // This function rules out colons before a blank, and colons between two digits as in `12:30`. Nearly all colons are
    // of these two kinds. The only trigger that can have a blank after it is `<URL:` (rule 1.3), so a colon between an
    // `l` and a blank is kept. A colon before a blank is also kept if it is the first byte of the block, because the
    // byte before the block is unknown.
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
