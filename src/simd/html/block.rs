//! Finds the bytes of a block of HTML that have a meaning, by SIMD.

use crate::simd::prelude::*;
use crate::simd::u8x64;

use super::Mark;
use crate::simd::{BLOCK, equals, padded};

/// For each kind of mark, a bit for every byte of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockMask {
    pub(super) open: u64,
    pub(super) equals: u64,
    pub(super) close: u64,
    pub(super) double: u64,
    pub(super) single: u64,
    /// `:` and `&`. Text without them has no scheme.
    pub(super) hint: u64,
    /// `&` and blanks. A value without them needs no decoding.
    pub(super) other: u64,
    /// Double quotation marks after an equals sign.
    pub(super) first: u64,
    /// Single quotation marks, and double ones after a blank.
    pub(super) odd: u64,
    /// Where skipping always ends (see [`skip_to_candidate`](super::StructuralIndex::skip_to_candidate)).
    pub(super) stop: u64,
}

impl BlockMask {
    /// Returns the bits of `mark`.
    #[inline]
    pub(super) fn of(&self, mark: Mark) -> u64 {
        match mark {
            Mark::Open => self.open,
            Mark::Stop => self.equals | self.close,
            Mark::Double => self.double,
            Mark::Single => self.single,
            Mark::Close => self.close,
            Mark::Bound => self.open | self.close,
            Mark::Word => self.open | self.other,
        }
    }
}

/// Fills `found` with the marks in the blocks of `html`, which follow the block `before`.
#[inline(always)]
pub(super) fn find<S: Simd>(simd: S, before: &[u8; BLOCK], html: &[u8], found: &mut [BlockMask]) {
    let mut state = Before::default();
    state.find(simd, before, &mut BlockMask::default());
    let (blocks, rest) = html.as_chunks::<BLOCK>();
    for (block, marks) in blocks.iter().zip(&mut *found) {
        state.find(simd, block, marks);
    }
    if let Some(marks) = found.get_mut(blocks.len()) {
        state.find(simd, &padded(rest), marks);
    }
}

/// What is before the next block, with the byte directly before it in the lowest bit.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    open: u64,
    equals: u64,
    other: u64,
    references: u64,
    /// What could be the `s` of `<s`, for the last two bytes.
    letter: u64,
}

/// Shifts `marks` by one byte, with the carry `before` from the previous block. Updates `before` for the next one.
#[inline(always)]
fn shifted(marks: u64, before: &mut u64) -> u64 {
    let shifted = marks << 1 | *before;
    *before = marks >> (BLOCK - 1);
    shifted
}

impl Before {
    /// Finds the marks in the next block.
    #[inline(always)]
    fn find<S: Simd>(&mut self, simd: S, block: &[u8; BLOCK], marks: &mut BlockMask) {
        let bytes = u8x64::from_slice(simd, block);
        let colons = equals(simd, bytes, b':');
        let references = equals(simd, bytes, b'&');
        marks.open = equals(simd, bytes, b'<');
        marks.equals = equals(simd, bytes, b'=');
        marks.close = equals(simd, bytes, b'>');
        marks.double = equals(simd, bytes, b'"');
        marks.single = equals(simd, bytes, b'\'');
        marks.hint = colons | references;
        // Control characters are included. That does no harm.
        marks.other = bytes.simd_le(u8x64::splat(simd, b' ')).to_bitmask() | references;
        marks.first = marks.double & shifted(marks.equals, &mut self.equals);
        marks.odd = marks.single | marks.double & shifted(marks.other, &mut self.other);

        // Finds letters of either case, `!`, which has the low bits of `a`, and `#`, which has those of `c`. Other
        // bytes with these bits end the skipping needlessly, but are rare at these places.
        let low = bytes & u8x64::splat(simd, 0x1F);
        let c = equals(simd, low, b'c' & 0x1F);
        let name = shifted(marks.open, &mut self.open);
        let letter = name & equals(simd, low, b's' & 0x1F);
        let script = (letter << 1 | self.letter >> 1) & c;
        let style = (letter << 2 | self.letter) & equals(simd, low, b'y' & 0x1F);
        self.letter = letter >> (BLOCK - 2);
        let anchor = name & equals(simd, low, b'a' & 0x1F);
        marks.stop = colons | shifted(references, &mut self.references) & c | anchor | script | style;
    }
}
