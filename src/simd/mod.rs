//! What looks at many bytes at a time by SIMD, and knows neither mail nor URLs: blocks of a text, sets of bytes, base64 symbols,
//! and the structural index of HTML.
//!
//! A function that goes over a text block by block is written once, for every set of instructions (`dispatch!`). Every function
//! that it calls on the way is `#[inline(always)]`: only then is it compiled for the instructions that its `simd` stands for.
//!
//! Without the feature `perf` there is one set of instructions, that of the compiler, and [`vector`] has the operations on plain
//! arrays: half as fast, and built in a third of the time.
//!
//! Most passes turn a [`BLOCK`] into masks, words with a bit for each byte, and go on with arithmetic on those.

#[cfg(feature = "mime")]
pub(crate) mod base64;
mod byte_set;
#[cfg(feature = "html")]
pub(crate) mod html;
#[cfg(feature = "mime")]
mod vector;

pub(crate) use byte_set::ByteSet;
#[cfg(feature = "mime")]
use prelude::*;
#[cfg(feature = "mime")]
pub(crate) use vector::*;

/// Bytes that are compared at a time: a bit for each is a word.
#[cfg(feature = "mime")]
pub(crate) const BLOCK: usize = 64;

/// The last block of a text, which ends with `rest` (less than a block): NULs follow.
#[cfg(feature = "mime")]
#[inline(always)]
pub(crate) fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    last
}

/// The mask of the bytes that are `byte`.
#[cfg(feature = "mime")]
#[inline(always)]
pub(crate) fn equals<S: Simd>(simd: S, block: u8x64<S>, byte: u8) -> u64 {
    block.simd_eq(u8x64::splat(simd, byte)).to_bitmask()
}
