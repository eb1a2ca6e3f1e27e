//! Searches text for a short string that is rare in it.

#[cfg(feature = "perf")]
use fearless_simd::{Level, dispatch, prelude::*, u8x64};
#[cfg(not(feature = "perf"))]
use memchr::memmem::Finder;

#[cfg(feature = "perf")]
use super::BLOCK;

/// A string to search for.
///
/// The search looks for the second and the last byte of the string at once, 64 places at a time. For `\nFrom ` in
/// mailboxes, this takes two fifths of the instructions of `memmem`, which takes 32 places at a time.
pub(crate) struct Needle {
    #[cfg(feature = "perf")]
    bytes: &'static [u8],
    #[cfg(not(feature = "perf"))]
    finder: Finder<'static>,
}

impl Needle {
    /// Makes the needle. `bytes` must not be empty.
    pub(crate) fn new(bytes: &'static [u8]) -> Needle {
        Needle {
            #[cfg(feature = "perf")]
            bytes,
            #[cfg(not(feature = "perf"))]
            finder: Finder::new(bytes),
        }
    }

    /// Returns the offset of the first occurrence in `text`. Takes linear time, because the string is short.
    #[cfg(not(feature = "perf"))]
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        self.finder.find(text)
    }

    /// Returns the offset of the first occurrence in `text`. Takes linear time, because the string is short.
    #[cfg(feature = "perf")]
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        if self.bytes.len() == 1 {
            return memchr::memchr(self.bytes[0], text);
        }
        let mut at = 0;
        loop {
            let (before, mut places) = dispatch!(Level::new(), simd => self.first(simd, &text[at..]));
            at += before;
            if places == 0 {
                return memchr::memmem::find(&text[at..], self.bytes).map(|found| at + found);
            }
            while places != 0 {
                let found = at + places.trailing_zeros() as usize;
                if text[found..].starts_with(self.bytes) {
                    return Some(found);
                }
                places &= places - 1;
            }
            at += BLOCK;
        }
    }

    /// Returns the offset of the first block of 64 places that has a possible match, and the mask of these matches.
    /// Returns the mask 0 if fewer than 64 places are left. The places are checked outside this function: a call in the
    /// loop would move the vectors from registers to memory, which takes more time than `memmem`.
    #[cfg(feature = "perf")]
    #[inline(always)]
    fn first<S: Simd>(&self, simd: S, text: &[u8]) -> (usize, u64) {
        let end = self.bytes.len() - 1;
        let second = u8x64::splat(simd, self.bytes[1]);
        let last = u8x64::splat(simd, self.bytes[end]);
        let places = text.get(1..).unwrap_or_default().as_chunks::<BLOCK>().0.iter();
        let ends = text.get(end..).unwrap_or_default().as_chunks::<BLOCK>().0.iter();
        let mut at = 0;
        for (place, end) in places.zip(ends) {
            let both = u8x64::from_slice(simd, place).simd_eq(second) & u8x64::from_slice(simd, end).simd_eq(last);
            if both.any_true() {
                return (at, both.to_bitmask());
            }
            at += BLOCK;
        }
        (at, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Needle;

    #[test]
    fn finds_what_memmem_finds() {
        for bytes in [&b"\n"[..], b"\n{", b"\nFrom ", b"\n#! rnews "] {
            let needle = Needle::new(bytes);
            for len in 0..200 {
                for place in 0..len {
                    let mut text = b"\nFr\n#!  m".repeat(30)[..len].to_vec();
                    let room = (len - place).min(bytes.len());
                    text[place..place + room].copy_from_slice(&bytes[..room]);
                    assert_eq!(needle.find(&text), memchr::memmem::find(&text, bytes), "{place} of {len}");
                }
            }
        }
    }
}
