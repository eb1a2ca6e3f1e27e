//! Where in a text a URL could have its colon, found by SIMD: all places in one pass for all who ask, header blocks, bodies and
//! the search for candidates, each of which looks at a part of it; or one after the other.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

use super::trigger::Triggers;
use crate::block::{BLOCK, padded};

/// A longer text is searched as it is asked about: its places could take as much memory as itself.
const MAX_TEXT: usize = 16 << 20;

/// The triggers of one text. Made once per thread and filled again and again.
#[derive(Debug)]
pub(crate) struct Places {
    level: Level,
    colons: Vec<u32>,
}

impl Default for Places {
    fn default() -> Self {
        Places { level: Level::new(), colons: Vec::new() }
    }
}

impl Places {
    /// The offsets of the colons of all triggers in `text`, in order; `None` if it is over 16 MiB.
    ///
    /// Cost: a SIMD pass, and a few instructions for each colon.
    pub(crate) fn of(&mut self, text: &[u8]) -> Option<&[u32]> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let Places { level, colons } = self;
        colons.clear();
        dispatch!(*level, simd => fill(simd, text, colons));
        Some(colons)
    }
}

/// Finds colons that may be a trigger's where the places of all are not kept: those that are left of a block.
#[derive(Clone, Debug)]
pub(super) struct Colons {
    level: Level,
    /// Where in the block they stand, and where it ends.
    bits: u64,
    end: usize,
}

impl Colons {
    /// Before a text's beginning.
    pub(super) fn new() -> Self {
        Colons { level: Level::new(), bits: 0, end: 0 }
    }

    /// Takes the first one of `text` at `at` or behind it. Later calls go forward.
    #[inline]
    pub(super) fn next(&mut self, text: &[u8], at: usize) -> Option<usize> {
        loop {
            while self.bits != 0 {
                let colon = self.end - BLOCK + self.bits.trailing_zeros() as usize;
                self.bits &= self.bits - 1;
                if colon >= at {
                    return Some(colon);
                }
            }
            let start = self.end.max(at);
            let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
            let (before, bits) = dispatch!(self.level, simd => first(simd, rest));
            (self.bits, self.end) = (bits, start + before + BLOCK);
        }
    }
}

/// The first block of `text` with colons that may be a trigger's: how many octets come before it, and where in it they stand.
/// The last one, if there are none.
#[inline(always)]
fn first<S: Simd>(simd: S, text: &[u8]) -> (usize, u64) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for (i, block) in blocks.iter().enumerate() {
        let bits = likely(simd, block);
        if bits != 0 {
            return (i * BLOCK, bits);
        }
    }
    (blocks.len() * BLOCK, likely(simd, &padded(rest)))
}

#[inline(always)]
fn fill<S: Simd>(simd: S, text: &[u8], colons: &mut Vec<u32>) {
    let triggers = Triggers::known(text, &[], 0);
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for (i, block) in blocks.iter().enumerate() {
        let bits = likely(simd, block);
        if bits != 0 {
            add(&triggers, i * BLOCK, bits, colons);
        }
    }
    add(&triggers, blocks.len() * BLOCK, likely(simd, &padded(rest)), colons);
}

/// Adds the triggers whose colons stand where there are `bits`, from `base` on. Not inlined: the loop over the blocks, most of
/// which have none, would have its counters in memory.
#[inline(never)]
fn add(triggers: &Triggers<'_>, base: usize, mut bits: u64, colons: &mut Vec<u32>) {
    while bits != 0 {
        let at = base + bits.trailing_zeros() as usize;
        if triggers.at(at).is_some() {
            // At most MAX_TEXT.
            colons.push(at as u32);
        }
        bits &= bits - 1;
    }
}

/// Where in a block colons stand that may be a trigger's.
#[inline(always)]
fn likely<S: Simd>(simd: S, block: &[u8; BLOCK]) -> u64 {
    let octets = u8x64::from_slice(simd, block);
    let splat = |octet| u8x64::splat(simd, octet);
    let colons = octets.simd_eq(splat(b':')).to_bitmask();
    if colons == 0 {
        return 0;
    }
    // Nearly all colons stand behind a word and before a blank, or in a time. Only `<URL:` may stand so (rule 2.1). What is
    // beyond the block is not known here: its first octet may stand behind an `l`.
    let blanks = octets.simd_eq(splat(b' ')).to_bitmask();
    let els = (octets | splat(b' ')).simd_eq(splat(b'l')).to_bitmask();
    let digits = (octets - splat(b'0')).simd_lt(splat(10)).to_bitmask();
    colons & (!(blanks >> 1) | els << 1 | 1) & !(digits << 1 & digits >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_are_those_that_a_search_finds() {
        let text = b"see http://a.example/ <URL: x> URL:y mailto:a@b.example std::x 12:30 <urn:a:b> ".repeat(40);
        for from in 0..80 {
            let text = &text[from..text.len() - from];
            let triggers = Triggers::new(text);
            let mut searched = Vec::new();
            let mut at = 0;
            while let Some((colon, _)) = triggers.clone().next(at) {
                searched.push(colon as u32);
                at = colon + 1;
            }
            assert_eq!(Places::default().of(text), Some(searched.as_slice()), "{from}");
        }
        assert_eq!(Places::default().of(b""), Some(&[][..]));
    }

    #[test]
    fn a_text_without_end_is_not_indexed() {
        assert_eq!(Places::default().of(&vec![b':'; MAX_TEXT + 1]), None);
    }
}
