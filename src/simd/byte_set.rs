//! Searches text for the first byte of a set.

#[cfg(feature = "perf")]
use fearless_simd::prelude::*;
#[cfg(feature = "perf")]
use fearless_simd::{Level, dispatch, u8x16, u8x64};

#[cfg(feature = "mime")]
use super::BLOCK;
#[cfg(feature = "perf")]
use super::padded;
#[cfg(all(feature = "mime", not(feature = "perf")))]
use super::prelude::*;

/// A set of bytes. [`ByteSet::next`] searches a text for the first byte that is in the set.
pub(crate) struct ByteSet {
    #[cfg(any(test, not(feature = "perf")))]
    has: [bool; 256],
    /// Two lookup tables for the SIMD search. The first table is indexed by the low half (the low four bits) of a byte,
    /// the second by the high half. A byte is in the set if its two entries have a bit in common.
    ///
    /// One bit is enough for all high halves that occur with the same low halves. For example, the set of `!` (0x21)
    /// and `1` (0x31) needs only one bit, because the high halves 2 and 3 both occur only with the low half 1.
    #[cfg(feature = "perf")]
    halves: [[u8; 16]; 2],
}

impl ByteSet {
    /// Makes the set of all bytes whose entry in `table` has at least one of the `bits`.
    pub(crate) const fn new(table: &[u32; 256], bits: u32) -> Self {
        let mut has = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            has[byte] = table[byte] & bits != 0;
            byte += 1;
        }
        ByteSet {
            #[cfg(feature = "perf")]
            halves: halves(&has),
            #[cfg(any(test, not(feature = "perf")))]
            has,
        }
    }

    /// Makes the set of the `bytes`.
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        let (mut table, mut i) = ([0; 256], 0);
        while i < bytes.len() {
            table[bytes[i] as usize] = 1;
            i += 1;
        }
        ByteSet::new(&table, 1)
    }

    /// Returns the offset in `text` of the first byte at or after `from` that is in the set. Returns the length of
    /// `text` if there is no such byte.
    #[cfg(feature = "perf")]
    pub(crate) fn next(&self, text: &[u8], from: usize) -> usize {
        dispatch!(Level::new(), simd => self.next_by_blocks(simd, text, from))
    }

    #[cfg(not(feature = "perf"))]
    pub(crate) fn next(&self, text: &[u8], from: usize) -> usize {
        let bytes = text[from..].iter();
        from + bytes.take_while(|byte| !self.has[usize::from(**byte)]).count()
    }

    #[cfg(feature = "perf")]
    #[inline(always)]
    fn next_by_blocks<S: Simd>(&self, simd: S, text: &[u8], mut from: usize) -> usize {
        while let Some(block) = text[from..].first_chunk() {
            let found = self.places(simd, block);
            if found != 0 {
                return from + found.trailing_zeros() as usize;
            }
            from += BLOCK;
        }
        let rest = text.len() - from;
        let found = match text.last_chunk() {
            _ if rest == 0 => 0,
            // Check the last 64 bytes of the text again, although some of them were already checked. It would be much
            // slower to copy the unchecked bytes to a padded block.
            Some(block) => self.places(simd, block) >> (BLOCK - rest),
            None => self.places(simd, &padded(&text[from..])),
        };
        from + rest.min(found.trailing_zeros() as usize)
    }

    /// Returns the mask of the bytes in `block` that are in the set.
    #[cfg(all(feature = "mime", not(feature = "perf")))]
    pub(crate) fn places<S: Simd>(&self, _simd: S, block: &[u8; BLOCK]) -> u64 {
        block.iter().rfold(0, |bits, byte| bits << 1 | u64::from(self.has[usize::from(*byte)]))
    }

    /// Returns the mask of the bytes in `block` that are in the set.
    #[cfg(feature = "perf")]
    #[inline(always)]
    pub(crate) fn places<S: Simd>(&self, simd: S, block: &[u8; BLOCK]) -> u64 {
        let [low, high] = &self.halves;
        let low = u8x64::block_splat(u8x16::from_slice(simd, low));
        let high = u8x64::block_splat(u8x16::from_slice(simd, high));
        let bytes = u8x64::from_slice(simd, block);
        let bits = low.swizzle_dyn_within_blocks(bytes & 0x0F) & high.swizzle_dyn_within_blocks(bytes >> 4);
        !bits.simd_eq(0).to_bitmask()
    }
}

/// Computes [`ByteSet::halves`]. Fails at compile time if the set needs more than eight bits.
#[cfg(feature = "perf")]
const fn halves(has: &[bool; 256]) -> [[u8; 16]; 2] {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    // For each high half, compute the set of low halves that occur with this high half. `lows` contains each distinct
    // set once. High halves with equal sets share one bit, whose number is the index of their set in `lows`.
    let mut lows = [0_u16; 8];
    let mut above = 0;
    while above < 16 {
        let mut set = 0;
        let mut below = 0;
        while below < 16 {
            set |= (has[above << 4 | below] as u16) << below;
            below += 1;
        }
        let mut bit = 0;
        while lows[bit] != set && lows[bit] != 0 {
            bit += 1;
        }
        if set != 0 {
            lows[bit] = set;
            high[above] = 1 << bit;
        }
        above += 1;
    }
    let mut below = 0;
    while below < 16 {
        let mut bit = 0;
        while bit < 8 {
            low[below] |= ((lows[bit] >> below & 1) as u8) << bit;
            bit += 1;
        }
        below += 1;
    }
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::ByteSet;

    #[test]
    fn every_byte_at_every_place() {
        static SET: ByteSet = {
            let mut table = [1; 256];
            let mut byte = 0;
            while byte < 256 {
                let has = matches!(byte as u8, 0..=b' ' | b'"' | b'<' | b'>' | b'[' | b']' | b'`' | 0x7F..);
                table[byte] |= (has as u32) << 1;
                byte += 1;
            }
            ByteSet::new(&table, 2)
        };
        for byte in 0..=255_u8 {
            for (place, len) in (0..200).flat_map(|place| [(place, place + 1), (place, 200)]) {
                let mut text = vec![b'a'; len];
                text[place] = byte;
                let want = if SET.has[usize::from(byte)] { place } else { len };
                assert_eq!(SET.next(&text, place / 2), want, "{byte:02x} at {place} of {len}");
            }
        }
    }
}
