//! Which bytes of a block of HTML mean something, by SIMD.

use crate::simd::prelude::*;
use crate::simd::u8x64;

use super::Mark;
use crate::simd::{BLOCK, equals, padded};

/// For every byte of a block a bit, for each kind of mark.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockMask {
    pub(super) open: u64,
    pub(super) equals: u64,
    pub(super) close: u64,
    pub(super) double: u64,
    pub(super) single: u64,
    /// `:` and `&`, without which there is no scheme.
    pub(super) hint: u64,
    /// `&` and blanks, without which a value stands for itself.
    pub(super) other: u64,
    /// Double quotation marks behind an equals sign.
    pub(super) first: u64,
    /// Single ones, and double ones behind a blank.
    pub(super) odd: u64,
    /// Where a leap ends whatever the tags around are (see [`leap`](super::StructuralIndex::leap)).
    pub(super) stop: u64,
}

impl BlockMask {
    /// The bits of `mark`.
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

/// Finds what is in the blocks of `html`, which come behind the block `before`.
#[inline(always)]
pub(super) fn find<S: Simd>(simd: S, before: &[u8; BLOCK], html: &[u8], found: &mut [BlockMask]) {
    let mut behind = Behind::default();
    behind.find(simd, before, &mut BlockMask::default());
    let (blocks, rest) = html.as_chunks::<BLOCK>();
    for (block, marks) in blocks.iter().zip(&mut *found) {
        behind.find(simd, block, marks);
    }
    if let Some(marks) = found.get_mut(blocks.len()) {
        behind.find(simd, &padded(rest), marks);
    }
}

/// For the next block: what stands in front of it, the byte directly before it in the lowest bit.
#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    open: u64,
    equals: u64,
    other: u64,
    references: u64,
    /// What could be `<s`; the byte before that, too.
    letter: u64,
}

/// The bits of `marks`, each one byte further, behind those `before`; and what stands before the next ones.
#[inline(always)]
fn shifted(marks: u64, before: &mut u64) -> u64 {
    let shifted = marks << 1 | *before;
    *before = marks >> (BLOCK - 1);
    shifted
}

impl Behind {
    /// Finds the marks in `block`, the next one.
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
        // Control characters do no harm among them.
        marks.other = bytes.simd_le(u8x64::splat(simd, b' ')).to_bitmask() | references;
        marks.first = marks.double & shifted(marks.equals, &mut self.equals);
        marks.odd = marks.single | marks.double & shifted(marks.other, &mut self.other);

        // Letters of either case, and what has their low bits: `!` has those of `a`, and `#` those of `c`. What else has, makes
        // a leap end for nothing, but is rare at these places.
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
