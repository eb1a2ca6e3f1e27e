//! Finds the structural bytes in a block of HTML with SIMD.

use crate::simd::prelude::*;
use crate::simd::u8x64;

use super::Mark;
use crate::simd::{BLOCK, equals, padded};

/// The masks of one block of HTML, one for each kind of byte.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockMask {
    pub(super) open: u64,
    pub(super) equals: u64,
    pub(super) close: u64,
    pub(super) double: u64,
    pub(super) single: u64,
    /// `:` and `&`. Text without these bytes has no URL.
    pub(super) hint: u64,
    /// `&`, blanks and control characters. An attribute value without these bytes needs no decoding.
    pub(super) other: u64,
    /// `"` directly after `=`. Inside a tag, such a quote begins an attribute value.
    pub(super) first: u64,
    /// Every `'`, and every `"` that directly follows a byte of `other`. Inside a tag,
    /// [`skip_to_candidate`](super::StructuralIndex::skip_to_candidate) stops at these quotes.
    pub(super) odd: u64,
    /// `<`, but not that of a closing tag. At the end of the block, the next byte is unknown.
    pub(super) begin: u64,
    /// The bytes at which [`skip_to_candidate`](super::StructuralIndex::skip_to_candidate) always stops.
    pub(super) stop: u64,
}

impl BlockMask {
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

/// Computes the masks of all blocks of `html` and writes them to `found`. `before` is the block before `html`.
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

/// Masks of the last byte of the previous block. The masks of the next block depend on this byte.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    equals: u64,
    other: u64,
    references: u64,
    slashes: u64,
    /// The bytes directly before an attribute value.
    starts: u64,
}

/// Returns the mask of the bytes that directly follow the bytes of `marks`. `before` is the bit for the last byte of
/// the previous block. The function replaces it with the bit for the last byte of this block.
#[inline(always)]
fn shifted(marks: u64, before: &mut u64) -> u64 {
    let shifted = marks << 1 | *before;
    *before = marks >> (BLOCK - 1);
    shifted
}

impl Before {
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
        // Find blanks and control characters, because browsers remove them at the beginning and at the end of a URL.
        marks.other = bytes.simd_le(u8x64::splat(simd, b' ')).to_bitmask() | references;
        marks.first = marks.double & shifted(marks.equals, &mut self.equals);
        marks.odd = marks.single | marks.double & shifted(marks.other, &mut self.other);

        // Find the beginnings of `&colon;` and `&#58;`. `#` has the same low five bits as `c`. This comparison also
        // matches a few other bytes, which are rare after `&`. A wrong match does no harm: `skip_to_candidate` stops
        // one more time.
        let low = bytes & u8x64::splat(simd, 0x1F);
        let c = equals(simd, low, b'c' & 0x1F);
        // A reference without a scheme begins with two slashes, as in `//host/`, after blanks or a character reference.
        let slashes = equals(simd, bytes, b'/') | equals(simd, bytes, b'\\');
        marks.begin = marks.open & !(slashes >> 1);
        let starts = shifted(marks.first | marks.equals, &mut self.starts);
        marks.stop = colons
            | shifted(references, &mut self.references) & c
            | shifted(slashes, &mut self.slashes) & slashes
            | starts & (slashes | marks.other);
    }
}
