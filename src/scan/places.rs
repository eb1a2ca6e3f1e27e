//! Where in a text a URL could have its colon, found by SIMD: all places in one pass for all who ask, header blocks, bodies and
//! the search for candidates, each of which looks at a part of it; or one after the other.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

use super::trigger::Triggers;

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

/// Octets that are compared at a time.
const BLOCK: usize = 64;

/// Blocks that are searched at a time where the places are not kept.
const BLOCKS: usize = 16;

/// What a look at them also needs: so many octets before them, and one behind. The text's first octets are looked at one by one.
const BEFORE: usize = b"<URL".len();
const AROUND: usize = BEFORE + BLOCKS * BLOCK + 1;

/// The colons of a part of a text that may be a trigger's.
#[derive(Clone, Debug)]
pub(super) struct Window {
    level: Level,
    /// Where it begins, and ends.
    part: Range<usize>,
    /// Where in each of its blocks they stand.
    colons: [u64; BLOCKS],
    /// The blocks in which some are left.
    blocks: u32,
}

impl Window {
    /// The beginning of `text`.
    pub(super) fn new(text: &[u8]) -> Self {
        let mut window = Window { level: Level::new(), part: 0..BEFORE, colons: [0; BLOCKS], blocks: 0 };
        for (i, octet) in text.iter().take(BEFORE).enumerate() {
            window.colons[0] |= u64::from(*octet == b':') << i;
        }
        window.blocks = u32::from(window.colons[0] != 0);
        window
    }

    /// Takes the next one at `at` or behind it, in this window of `text` or the next that has one.
    #[inline]
    pub(super) fn next(&mut self, text: &[u8], at: usize) -> Option<usize> {
        loop {
            while self.blocks != 0 {
                let block = self.blocks.trailing_zeros() as usize;
                let colons = &mut self.colons[block % BLOCKS];
                let colon = self.part.start + block * BLOCK + colons.trailing_zeros() as usize;
                *colons &= *colons - 1;
                self.blocks &= !(u32::from(*colons == 0) << block);
                if colon >= at {
                    return Some(colon);
                }
            }
            let start = self.part.end.max(at);
            if start >= text.len() {
                return None;
            }
            self.part = start..start + BLOCKS * BLOCK;
            let rest = &text[start - BEFORE..];
            match rest.first_chunk() {
                Some(around) => dispatch!(self.level, simd => self.search(simd, around)),
                None => {
                    let mut around = [0; AROUND];
                    around[..rest.len()].copy_from_slice(rest);
                    dispatch!(self.level, simd => self.search(simd, &around));
                }
            }
        }
    }

    #[inline(always)]
    fn search<S: Simd>(&mut self, simd: S, around: &[u8; AROUND]) {
        let mut blocks = 0;
        for (block, colons) in self.colons.iter_mut().enumerate() {
            *colons = before_no_blank(simd, around, block * BLOCK);
            blocks |= u32::from(*colons != 0) << block;
        }
        self.blocks = blocks;
    }
}

/// Where in the block of `around` at `from` colons stand but those before a blank. They are a word's, for `<URL:` alone
/// may stand so (rule 2.1). Which blocks have a colon cannot be foretold, and so none is asked.
#[inline(always)]
fn before_no_blank<S: Simd>(simd: S, around: &[u8; AROUND], from: usize) -> u64 {
    let octets = |from: usize| u8x64::from_slice(simd, &around[from..from + BLOCK]);
    let words = octets(from + BEFORE + 1).simd_eq(b' ') & !octets(from).simd_eq(b'<');
    (octets(from + BEFORE).simd_eq(b':') & !words).to_bitmask()
}

// What is inlined in these is compiled for the instructions that `simd` stands for; a call would not be.
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
fn add(triggers: &Triggers<'_>, base: usize, bits: u64, colons: &mut Vec<u32>) {
    // At most MAX_TEXT.
    colons.extend(ones(bits).map(|bit| base + bit).filter(|&at| triggers.at(at).is_some()).map(|at| at as u32));
}

/// The places of the bits that are set.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros();
        bits &= bits.checked_sub(1)?;
        Some(bit as usize)
    })
}

/// A block that begins with `rest` and has no colon behind it.
fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    last
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
    // Nearly all colons stand behind a word and before a blank, or in a time. Only `URL:` may stand so (rule 2.1). What is
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
