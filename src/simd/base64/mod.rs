//! The values of base64 symbols, and a SIMD decoder for runs of symbols.

#[cfg(feature = "perf")]
mod runs;

#[cfg(feature = "perf")]
pub(crate) use runs::{Tables, decode};

#[cfg(not(feature = "perf"))]
use super::prelude::Simd;

/// The entry of white space in [`SYMBOLS`]. White space between symbols is ignored.
pub(crate) const BLANK: u8 = 64;
/// The entry of `=` in [`SYMBOLS`].
pub(crate) const PAD: u8 = 65;
/// The entry of all other bytes in [`SYMBOLS`]. These bytes are invalid.
pub(crate) const BAD: u8 = 66;

/// The value of each base64 symbol, from 0 to 63 (RFC 2045, section 6.8). The entry of each other byte is [`BLANK`],
/// [`PAD`] or [`BAD`].
pub(crate) const SYMBOLS: [u8; 256] = {
    let mut table = [BAD; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < 64 {
        table[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    table[b' ' as usize] = BLANK;
    table[b'\t' as usize] = BLANK;
    table[b'\r' as usize] = BLANK;
    table[b'\n' as usize] = BLANK;
    table[b'=' as usize] = PAD;
    table
};

/// Appends the bytes that `values` encode. Each value is that of a symbol, from 0 to 63.
#[cfg(feature = "mime")]
pub(crate) fn push_values(values: impl Iterator<Item = u8>, bytes: &mut Vec<u8>) {
    let (mut bits, mut held) = (0_u32, 0);
    for value in values {
        (bits, held) = (bits << 6 | u32::from(value), held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
}

/// The number of symbols that one call of [`decode`] reads.
pub(crate) const RUN: usize = 32;

/// The number of bytes that one call of [`decode`] writes. The last 4 bytes have no meaning, because each SIMD store
/// writes 12 decoded bytes and 4 other bytes.
pub(crate) const ROOM: usize = RUN / 4 * 3 + 4;

/// Without `perf`, [`decode`] needs no tables.
#[cfg(not(feature = "perf"))]
pub(crate) struct Tables;

#[cfg(not(feature = "perf"))]
impl Tables {
    pub(crate) fn new<S: Simd>(_: S) -> Self {
        Tables
    }
}

/// Returns 0. Without `perf`, the caller decodes all symbols one by one.
#[cfg(not(feature = "perf"))]
pub(crate) fn decode(_: &[u8; RUN], _: &Tables, _: &mut [u8; ROOM]) -> usize {
    0
}
