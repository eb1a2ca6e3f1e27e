//! Where in a text a URL could have its colon, found by SIMD: all places in one pass for all who ask, header blocks, bodies and
//! the search for candidates, each of which looks at a part of it; or one after the other.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

use super::trigger::{Trigger, Triggers};

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

/// The first trigger of a text with its colon at `at` or behind it, and the colon's offset.
pub(super) fn next(level: Level, triggers: &Triggers<'_>, at: usize) -> Option<(usize, Trigger)> {
    dispatch!(level, simd => first(simd, triggers, at))
}

// What is inlined in these is compiled for the instructions that `simd` stands for; a call would not be.
#[inline(always)]
fn fill<S: Simd>(simd: S, text: &[u8], colons: &mut Vec<u32>) {
    let triggers = Triggers::known(text, &[], 0);
    let mut add = |colon, _| {
        // At most MAX_TEXT.
        colons.push(colon as u32);
        None::<()>
    };
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for (i, block) in blocks.iter().enumerate() {
        find(simd, &triggers, i * BLOCK, block, !0, &mut add);
    }
    find(simd, &triggers, blocks.len() * BLOCK, &padded(rest), !0, &mut add);
}

#[inline(always)]
fn first<S: Simd>(simd: S, triggers: &Triggers<'_>, at: usize) -> Option<(usize, Trigger)> {
    triggers.text().get(at..)?;
    let mut found = |colon, trigger| Some((colon, trigger));
    let (blocks, rest) = triggers.text().as_chunks::<BLOCK>();
    // Those of the first block that stand before `at` are known already.
    let mut wanted = !0 << (at % BLOCK);
    let mut base = at - at % BLOCK;
    for block in &blocks[(at / BLOCK).min(blocks.len())..] {
        let trigger = find(simd, triggers, base, block, wanted, &mut found);
        if trigger.is_some() {
            return trigger;
        }
        wanted = !0;
        base += BLOCK;
    }
    find(simd, triggers, blocks.len() * BLOCK, &padded(rest), wanted, &mut found)
}

/// A block that begins with `rest` and has no colon behind it.
fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    last
}

/// Gives `found` the triggers whose colons stand in `block`, which begins at `base`, where there are bits in `wanted`;
/// until it gives something back.
#[inline(always)]
fn find<S: Simd, F>(
    simd: S,
    triggers: &Triggers<'_>,
    base: usize,
    block: &[u8; BLOCK],
    wanted: u64,
    found: &mut impl FnMut(usize, Trigger) -> Option<F>,
) -> Option<F> {
    let octets = u8x64::from_slice(simd, block);
    let splat = |octet| u8x64::splat(simd, octet);
    let mut bits = octets.simd_eq(splat(b':')).to_bitmask() & wanted;
    if bits == 0 {
        return None;
    }
    // Nearly all colons stand behind a word and before a blank, or in a time. Only `URL:` may stand so (rule 2.1). What is
    // beyond the block is not known here: its first octet may stand behind an `l`.
    let blanks = octets.simd_eq(splat(b' ')).to_bitmask();
    let els = (octets | splat(b' ')).simd_eq(splat(b'l')).to_bitmask();
    bits &= !(blanks >> 1) | els << 1 | 1;
    if bits == 0 {
        return None;
    }
    let digits = (octets - splat(b'0')).simd_lt(splat(10)).to_bitmask();
    bits &= !(digits << 1 & digits >> 1);
    while bits != 0 {
        let colon = base + bits.trailing_zeros() as usize;
        let result = triggers.at(colon).and_then(|trigger| found(colon, trigger));
        if result.is_some() {
            return result;
        }
        bits &= bits - 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_are_those_that_a_search_finds() {
        let text = b"see http://a.example/ <URL: x> URL:y mailto:a@b.example std::x 12:30 <urn:a:b> ".repeat(7);
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
