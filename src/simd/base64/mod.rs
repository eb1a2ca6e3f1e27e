//! Base64 symbols: the value of each, and runs of them decoded many at a time by SIMD.

#[cfg(feature = "perf")]
mod runs;

#[cfg(feature = "perf")]
pub(crate) use runs::{Tables, decode};

#[cfg(not(feature = "perf"))]
use super::prelude::Simd;

/// A blank between symbols.
pub(crate) const BLANK: u8 = 64;
/// `=`.
pub(crate) const PAD: u8 = 65;
/// Neither symbol nor blank.
pub(crate) const BAD: u8 = 66;

/// The value of each byte in base64 (RFC 2045, section 6.8), or one of the three above.
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

/// How many symbols are decoded at a time.
pub(crate) const RUN: usize = 32;

/// How many bytes are written for them. The last four have no meaning.
pub(crate) const ROOM: usize = RUN / 4 * 3 + 4;

/// The tables of [`decode`]: none.
#[cfg(not(feature = "perf"))]
pub(crate) struct Tables;

#[cfg(not(feature = "perf"))]
impl Tables {
    pub(crate) fn new<S: Simd>(_: S) -> Self {
        Tables
    }
}

/// Decodes nothing. Without `perf`, all symbols are decoded one by one.
#[cfg(not(feature = "perf"))]
pub(crate) fn decode(_: &[u8; RUN], _: &Tables, _: &mut [u8; ROOM]) -> usize {
    0
}
