//! Decodes runs of base64 symbols with SIMD.

use fearless_simd::prelude::*;
use fearless_simd::{i16x16, u8x16, u8x32, u16x16};

use super::{BLANK, ROOM, RUN, SYMBOLS};

/// Lookup tables for [`decode`]. Each byte is split into its high half (the high four bits) and its low half. A byte is
/// a base64 symbol if the entry of its high half in `high` and the entry of its low half in `low` have no bit in
/// common.
pub(crate) struct Tables<S: Simd> {
    simd: S,
    /// For each high half, a byte with one bit set. Each high half that occurs in symbols has a bit of its own.
    high: u8x32<S>,
    /// For each low half, the bits of the high halves that do not form a symbol with it.
    low: u8x32<S>,
    /// For each high half, the number that is added to a symbol to get the value of the symbol.
    value: u8x32<S>,
    /// A byte shuffle. After decoding, each group of four bytes has three decoded bytes in reverse order, and an unused
    /// fourth byte. The shuffle puts the three bytes in order and removes the fourth.
    order: u8x32<S>,
}

/// The index of the entry for `/` in [`Tables::value`]. `+` and `/` have the same high half, 2, but need different
/// entries. No symbol has the high half 1, so `/` uses the entry of 1.
const SLASH: usize = (b'/' >> 4) as usize - 1;

/// The values of [`Tables::high`], [`Tables::low`] and [`Tables::value`].
const HALVES: [[u8; 16]; 3] = {
    // The high half of a symbol is a number from 2 to 7. Each of these six high halves gets its own bit, from bit 0 to
    // bit 5. All other high halves get bit 7, which marks them as invalid.
    let (mut high_bits, mut low_bits, mut values) = ([1 << 7; 16], [1 << 7; 16], [0; 16]);
    let mut byte = 0;
    while byte < 128 {
        let (high, low) = (byte >> 4, byte & 15);
        if SYMBOLS[byte] < BLANK {
            // All symbols with the same high half have the same entry in `values`, except for the slash.
            let high = if byte == b'/' as usize { SLASH } else { high };
            values[high] = SYMBOLS[byte].wrapping_sub(byte as u8);
        }
        if high >= 2 {
            high_bits[high] = 1 << (high - 2);
            if SYMBOLS[byte] >= BLANK {
                low_bits[low] |= 1 << (high - 2);
            }
        }
        byte += 1;
    }
    [high_bits, low_bits, values]
};

/// The value of [`Tables::order`]. The last four entries are not used.
const ORDER: [u8; 16] = [2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0, 0, 0, 0];

impl<S: Simd> Tables<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S) -> Self {
        let [high, low, value] = HALVES;
        let splat = |table: [u8; 16]| u8x32::block_splat(u8x16::from_slice(simd, &table));
        Self { simd, high: splat(high), low: splat(low), value: splat(value), order: splat(ORDER) }
    }
}

/// Decodes the symbols at the start of `run` into `text`. Stops at the first byte that is not a symbol, and decodes
/// only whole groups of four symbols. Returns the number of decoded symbols. The bytes of `text` after the decoded
/// bytes have no meaning.
#[inline(always)]
pub(crate) fn decode<S: Simd>(run: &[u8; RUN], tables: &Tables<S>, text: &mut [u8; ROOM]) -> usize {
    let simd = tables.simd;
    let bytes = u8x32::from_slice(simd, run);
    let low = bytes & u8x32::splat(simd, 15);
    let high = bytes >> 4;
    let none = tables.low.swizzle_dyn_within_blocks(low) & tables.high.swizzle_dyn_within_blocks(high);
    let symbols = none.simd_eq(u8x32::splat(simd, 0)).to_bitmask();
    let whole = symbols.trailing_ones() as usize / 4 * 4;

    let less = bytes.simd_eq(u8x32::splat(simd, b'/')).select(u8x32::splat(simd, 1), u8x32::splat(simd, 0));
    let values = bytes + tables.value.swizzle_dyn_within_blocks(high - less);
    // The vectors are little-endian. In a pair of symbols, the first symbol is in the low byte. In a group of two
    // pairs, the first pair is in the low half.
    let pairs: u16x16<S> = values.bitcast();
    let pairs = (pairs << 6 | pairs >> 8) & u16x16::splat(simd, 0xFFF);
    let pairs: i16x16<S> = pairs.bitcast();
    let weights = i16x16::block_splat([1 << 12, 1, 1 << 12, 1, 1 << 12, 1, 1 << 12, 1].simd_into(simd));
    let fours: u8x32<S> = pairs.pairwise_dot_product(weights).bitcast();
    let (first, second) = fours.swizzle_dyn_within_blocks(tables.order).split();
    // Sixteen symbols decode to twelve bytes. The second store overwrites the last four bytes of the first store.
    text[..16].copy_from_slice(first.as_slice());
    text[12..].copy_from_slice(second.as_slice());
    whole
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        for at in 0..RUN {
            for byte in 0..=255u8 {
                let mut run = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";
                run[at] = byte;
                let mut text = [0; ROOM];
                let whole = dispatch!(Level::new(), simd => decode(&run, &Tables::new(simd), &mut text));
                let known = SYMBOLS[byte as usize] < BLANK;
                assert_eq!(whole, if known { RUN } else { at / 4 * 4 }, "{byte} at {at}");
                let bits = run[..whole]
                    .iter()
                    .flat_map(|&symbol| (0..6).rev().map(move |i| SYMBOLS[symbol as usize] >> i & 1));
                let bits: Vec<u8> = bits.collect();
                let expected = bits.chunks(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | bit));
                assert_eq!(text[..whole / 4 * 3], expected.collect::<Vec<u8>>(), "{byte} at {at}");
            }
        }
    }
}
