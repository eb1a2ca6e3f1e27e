//! Blocks of a text: what SIMD looks at together.
//!
//! Who goes over a text block by block writes that once, for every set of instructions (`dispatch!`). All that is called on the
//! way is inlined: only so is it compiled for the instructions that its `simd` stands for; a call would not be.

/// Octets that are compared at a time: a bit for each is a word.
pub(crate) const BLOCK: usize = 64;

/// The last block of a text, which ends with `rest` (less than a block): NULs follow.
#[inline(always)]
pub(crate) fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    last
}
