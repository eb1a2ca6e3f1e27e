//! SIMD code, which knows neither mail nor URLs: blocks of a text, sets of bytes, base64 symbols, and the structural
//! index of HTML.
//!
//! A function that goes over a text block by block is written once, for every set of instructions (`dispatch!`). Every
//! function that it calls is `#[inline(always)]`. Only then is it compiled for the instructions of its `simd`.
//!
//! Without the feature `perf` there is one set of instructions, that of the compiler, and [`vector`] has the operations
//! on plain arrays. It is half as fast, and builds in a third of the time.
//!
//! Most passes turn a [`BLOCK`] into masks, which are words with a bit for each byte, and do arithmetic on those.

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

/// How many bytes are compared at a time: one for each bit of a word.
#[cfg(feature = "mime")]
pub(crate) const BLOCK: usize = 64;

/// Returns the last block of a text, which has `rest` (less than a block) and then NULs.
#[cfg(feature = "mime")]
#[inline(always)]
pub(crate) fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    last
}

/// Returns the mask of the bytes that are `byte`.
#[cfg(feature = "mime")]
#[inline(always)]
pub(crate) fn equals<S: Simd>(simd: S, block: u8x64<S>, byte: u8) -> u64 {
    block.simd_eq(u8x64::splat(simd, byte)).to_bitmask()
}
