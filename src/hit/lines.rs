//! Converts offsets to line numbers.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch, u8x64};

use crate::simd::{BLOCK, padded};

/// Counts lines on demand. Each call of [`at`](Self::at) counts from the offset of the previous call, not from the
/// beginning.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    base: u64,
    /// The number of the first line.
    first: u64,
    /// The upper 32 bits are the index of the block that contains the offset of the previous call. The lower 32 bits
    /// are the number of line ends before this block. A block has [`BLOCK`] bytes. This is one atomic number, so that
    /// hits can be sent to other threads.
    known: AtomicU64,
}

impl<'a> Lines<'a> {
    /// Makes a counter for `bytes`, which begin at offset `base` of the file, in line number `first`.
    pub(crate) fn new(bytes: &'a [u8], base: u64, first: u64) -> Self {
        Lines { bytes, base, first, known: AtomicU64::new(0) }
    }

    /// Returns the line of the byte at `offset` of the file.
    pub(crate) fn at(&self, offset: u64) -> u64 {
        let at = usize::try_from(offset.saturating_sub(self.base)).unwrap_or(usize::MAX).min(self.bytes.len());
        let block = at / BLOCK;
        let known = self.known.load(Ordering::Relaxed);
        let (from, mut line) = ((known >> 32) as usize, known & u64::from(u32::MAX));
        // In HTML, an offset can be less than the previous offset, because URLs in attributes are reported before URLs
        // in the text.
        let between = from.min(block)..from.max(block);
        let (between, within) = dispatch!(Level::new(), simd => count(simd, self.bytes, between, at));
        if block < from {
            line -= between;
        } else {
            line += between;
        }
        // In a message of several GiB, numbers that are too large are not stored, and the next call counts again.
        if block <= u32::MAX as usize && line <= u64::from(u32::MAX) {
            self.known.store((block as u64) << 32 | line, Ordering::Relaxed);
        }
        self.first + line + within
    }
}

/// Counts line feeds. The first result is the count in the blocks `between`. The second result is the count before `at`
/// in the block that contains `at`.
#[inline(always)]
fn count<S: Simd>(simd: S, bytes: &[u8], between: Range<usize>, at: usize) -> (u64, u64) {
    let newlines = u8x64::splat(simd, b'\n');
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut ends = 0;
    for block in &blocks[between] {
        ends += u64::from(u8x64::from_slice(simd, block).simd_eq(newlines).to_bitmask().count_ones());
    }
    let own = blocks.get(at / BLOCK).copied().unwrap_or_else(|| padded(rest));
    let own = u8x64::from_slice(simd, &own).simd_eq(newlines).to_bitmask() & !(!0 << (at % BLOCK));
    (ends, u64::from(own.count_ones()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_any_order() {
        for length in [0, 1, 63, 64, 65, 128, 200, 1000] {
            let text: Vec<u8> = (0..length).map(|i| if i * i % 7 == 1 { b'\n' } else { b'x' }).collect();
            let lines = Lines::new(&text, 5, 3);
            let offsets = (0..length).step_by(13).chain((0..=length).rev()).chain([0, length, length + 70]);
            for at in offsets {
                let want = 3 + text.iter().take(at).filter(|&&byte| byte == b'\n').count() as u64;
                assert_eq!(lines.at(5 + at as u64), want, "{at} of {length}");
            }
        }
    }
}
