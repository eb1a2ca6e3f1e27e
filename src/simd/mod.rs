//! SIMD primitives that are independent of mail and URLs: the search for bytes of a set, the search for a string, base64
//! decoding, and the structural index of HTML.
//!
//! Each function is written once and compiled for several instruction sets. `dispatch!` selects an instruction set at
//! run time. Functions that take a `simd` parameter must be `#[inline(always)]`, because only inlined code is compiled
//! for the selected instruction set.
//!
//! Without the feature `perf`, [`vector`] implements the operations in plain Rust. The plain code is half as fast as
//! the SIMD code, but compiles in a third of the time.
//!
//! Most functions read a block of [`BLOCK`] bytes and compute bit masks, such as the mask of all colons in the block. A
//! mask is a `u64` with one bit for each byte of the block.

#[cfg(feature = "mime")]
pub(crate) mod base64;
mod byte_set;
#[cfg(feature = "mime")]
pub(crate) mod html;
#[cfg(feature = "mime")]
mod needle;
#[cfg(feature = "mime")]
mod vector;

pub(crate) use byte_set::ByteSet;
#[cfg(feature = "mime")]
pub(crate) use needle::Needle;
#[cfg(feature = "mime")]
use prelude::*;
#[cfg(feature = "mime")]
pub(crate) use vector::*;

/// The number of bytes in a block, and of bits in a mask.
#[cfg(feature = "mime")]
pub(crate) const BLOCK: usize = 64;

/// Returns a block that begins with `rest` and ends with NULs. `rest` must be shorter than a block.
#[cfg(feature = "mime")]
#[inline(always)]
pub(crate) fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    last
}

/// Returns the mask of the bytes in `block` that equal `byte`.
#[cfg(feature = "mime")]
#[inline(always)]
pub(crate) fn equals<S: Simd>(simd: S, block: u8x64<S>, byte: u8) -> u64 {
    block.simd_eq(u8x64::splat(simd, byte)).to_bitmask()
}
