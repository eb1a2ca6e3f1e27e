//! Finds triggers with SIMD. [`TriggerIndex`] finds all triggers of a text in one pass. [`ColonFinder`] finds one
//! possible trigger at a time.

use core::ops::Range;

use crate::simd::prelude::*;
use crate::simd::{Level, dispatch, u8x64};

use super::{Dots, MAX_DIGITS, is_label, trigger_at};
use crate::simd::{BLOCK, ByteSet, equals, padded};

/// Maximum length in bytes of a text that is indexed. Longer texts are searched without an index, because an index can
/// take as much memory as its text.
const MAX_TEXT: usize = 16 << 20;

/// The trigger index of one text: see the [module](super). Each thread has one `TriggerIndex`, which it fills again for
/// each text.
#[derive(Debug, Default)]
pub(crate) struct TriggerIndex(Vec<u32>);

impl TriggerIndex {
    /// Finds all triggers in `text`, and the dots in `dots`. Returns `None` if `text` is longer than 16 MiB.
    pub(crate) fn of(&mut self, text: &[u8], dots: Dots) -> Option<TriggerSlice<'_>> {
        if text.len() > MAX_TEXT {
            return None;
        }
        self.0.clear();
        if dots == Dots::None {
            dispatch!(Level::new(), simd => fill::<_, false>(simd, text, dots, &mut self.0));
        } else {
            self.with_dots(text, dots);
        }
        Some(TriggerSlice { offsets: &self.0, base: 0 })
    }

    #[inline(never)]
    fn with_dots(&mut self, text: &[u8], dots: Dots) {
        dispatch!(Level::new(), simd => fill::<_, true>(simd, text, dots, &mut self.0));
    }
}

/// The triggers of an indexed text at or after offset `base`. A region of the text, such as the body of a message,
/// begins at `base` (see the [module](super)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriggerSlice<'i> {
    /// The offsets of the triggers' colons and of the dots, in ascending order. All offsets are at least `base`.
    offsets: &'i [u32],
    /// The offset in the indexed text at which the region begins. The methods return offsets that count from `base`.
    base: usize,
}

impl TriggerSlice<'_> {
    /// Removes the first dot in the range `dots` of `text` and returns its offset. Removes the triggers before the dot,
    /// too. `text` is the region that begins at `base`.
    pub(crate) fn next_dot(&mut self, text: &[u8], dots: Range<usize>) -> Option<usize> {
        while self.first().is_some_and(|at| at < dots.end) {
            let at = self.next()?;
            if at >= dots.start && text[at] == b'.' {
                return Some(at);
            }
        }
        None
    }

    /// Skips the triggers before offset `base` of the indexed text.
    ///
    /// This linear search is faster than a binary search, which took 1 % of the run time for mail with many triggers.
    pub(crate) fn advance(&mut self, base: usize) {
        debug_assert!(base >= self.base, "{base} is before {}", self.base);
        while let Some((&offset, after)) = self.offsets.split_first()
            && (offset as usize) < base
        {
            self.offsets = after;
        }
        self.base = base;
    }

    /// Returns the offset of the first colon, counted from `base`. The slice does not store the length of the region,
    /// so the colon can be after the end of the region.
    pub(crate) fn first(&self) -> Option<usize> {
        self.offsets.first().map(|&offset| offset as usize - self.base)
    }

    /// Removes the first colon and returns its offset, counted from `base`.
    pub(super) fn next(&mut self) -> Option<usize> {
        let first = self.first()?;
        self.offsets = &self.offsets[1..];
        Some(first)
    }
}

/// Finds possible triggers in a text that is not indexed. SIMD finds all colons of a block at once, so the remaining
/// colons of the block are stored for the next calls.
#[derive(Clone, Debug, Default)]
pub(super) struct ColonFinder {
    /// A bit mask of the current block: the possible triggers that were not returned yet.
    bits: u64,
    /// The offset of the end of the current block.
    end: usize,
}

impl ColonFinder {
    /// Returns the offset of the next colon in `text` that may be a trigger. The search begins at the offset `at` or
    /// directly after the previous result, whichever is later.
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
            let (before, bits) = dispatch!(Level::new(), simd => first(simd, rest));
            (self.bits, self.end) = (bits, start + before + BLOCK);
        }
    }
}

/// Returns the offset of the first block of `text` that has possible triggers, and the mask of the possible triggers in
/// that block. If no block has possible triggers, returns the offset of the last block and the mask 0.
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
fn fill<S: Simd, const DOTS: bool>(simd: S, text: &[u8], dots: Dots, found: &mut Vec<u32>) {
    let mut in_label = 0;
    let mut bits = |block| {
        let marks = if DOTS { marks(simd, block, dots, &mut in_label) } else { 0 };
        (likely(simd, block), marks)
    };
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let mut at = 0;
    for block in blocks {
        let (colons, marks) = bits(block);
        if colons | marks != 0 {
            add::<DOTS>(text, at, colons, marks, dots, found);
        }
        at += BLOCK;
    }
    let (colons, marks) = match text.last_chunk() {
        // Reads the end of the last block again, which takes less time than a copy of the rest. A shift by 64 would
        // overflow if nothing is left, so the mask is shifted twice.
        Some(block) if !DOTS => (likely(simd, block) >> (BLOCK - 1 - rest.len()) >> 1, 0),
        _ => bits(&padded(rest)),
    };
    if colons | marks != 0 {
        add::<DOTS>(text, at, colons, marks, dots, found);
    }
}

/// Adds the offsets of the triggers in the block at `base`, and of the dots in `dots`, to `found`. `colons` is the mask of
/// the colons that may be triggers, and, with `DOTS`, `marks` is that of [`marks`]. This function is not inlined. If it
/// were inlined, the compiler would keep the caller's loop counters in memory instead of registers, and the caller would
/// be slower. The calls cost little, because most blocks have neither, and need no call.
#[inline(never)]
fn add<const DOTS: bool>(text: &[u8], base: usize, colons: u64, marks: u64, dots: Dots, found: &mut Vec<u32>) {
    // The casts are lossless, because the offsets are at most `MAX_TEXT`.
    let mut bits = if DOTS { colons | marks } else { colons };
    while bits != 0 {
        let bit = bits & bits.wrapping_neg();
        let at = base + bits.trailing_zeros() as usize;
        // Without dots, the usual search does not pay for these checks.
        if DOTS && marks & bit != 0 {
            let is_new = |dot: &usize| found.last() != Some(&(*dot as u32)) && dots.has(text, *dot);
            found.extend(dot_of(text, at).filter(is_new).map(|dot| dot as u32));
        }
        if (!DOTS || colons & bit != 0) && trigger_at(text, at).is_some() {
            found.push(at as u32);
        }
        bits ^= bit;
    }
}

/// Returns the dot that a byte of [`marks`] shows: a dot itself, the dot after `www2`, or that before `org/`.
fn dot_of(text: &[u8], at: usize) -> Option<usize> {
    let dot = match text[at] {
        b'.' => return Some(at),
        b'/' | b':' => text[..at].iter().rposition(|byte| !is_label(*byte))?,
        _ => at + 1 + text[at + 1..].iter().take(MAX_DIGITS).take_while(|byte| byte.is_ascii_digit()).count(),
    };
    (text.get(dot) == Some(&b'.')).then_some(dot)
}

/// Returns the mask of the colons in `block` that may be triggers.
#[inline(always)]
fn likely<S: Simd>(simd: S, block: &[u8; BLOCK]) -> u64 {
    let bytes = u8x64::from_slice(simd, block);
    let splat = |byte| u8x64::splat(simd, byte);
    let colons = equals(simd, bytes, b':');
    if colons == 0 {
        return 0;
    }
    // This function rules out colons before a blank, and colons between two digits as in `12:30`. Nearly all colons are
    // of these two kinds. The only trigger that can have a blank after it is `<URL:` (rule 1.3), so a colon between an
    // `l` and a blank is kept. A colon before a blank is also kept if it is the first byte of the block, because the
    // byte before the block is unknown.
    let blanks = equals(simd, bytes, b' ');
    let els = equals(simd, bytes | splat(b' '), b'l');
    let places = colons & (!(blanks >> 1) | els << 1 | 1);
    if places == 0 {
        return 0;
    }
    let digits = (bytes - splat(b'0')).simd_le(splat(9)).to_bitmask();
    places & !(digits << 1 & digits >> 1)
}

/// The last letters of the [`SERVERS`](super::SERVERS) other than `www`, and the letters two before them.
static LASTS: ByteSet = ByteSet::of(b"prsbPRSB");
static FIRSTS: ByteSet = ByteSet::of(b"fhawFHAW");

/// Returns the mask of the bytes in `block` that may show an address without a scheme: the last letter of `www`, the dot
/// after the name of another server, and the slashes and colons that end the label after a dot, as in `example.org/`.
/// `in_label` is 1 if the label after a dot may go on in the block. Nothing else is known of the block before, so the
/// first three bytes of the block can be in the mask without reason.
///
/// This function has no branches. Half of the blocks have a dot, so a branch would often be predicted wrongly.
#[inline(always)]
fn marks<S: Simd>(simd: S, block: &[u8; BLOCK], dots: Dots, in_label: &mut u64) -> u64 {
    let bytes = u8x64::from_slice(simd, block);
    let points = equals(simd, bytes, b'.');
    let labels = u8x64::splat(simd, b'-').simd_le(bytes).to_bitmask();
    if dots == Dots::Hosts {
        return points & (labels >> 1 | 1 << (BLOCK - 1));
    }
    let ends = equals(simd, bytes, b'/') | equals(simd, bytes, b':');
    let labels = labels & !(ends | points);
    // The sum carries the beginning of each label after a dot to the first byte after the label.
    let (after, goes_on) = labels.overflowing_add(labels & points << 1 | *in_label);
    let paths = after & ends;
    *in_label = points >> (BLOCK - 1) | u64::from(goes_on);
    let w = equals(simd, bytes | u8x64::splat(simd, b' '), b'w');
    let www = w & (w << 1 | 1) & (w << 2 | 0b11);
    let (firsts, lasts) = (FIRSTS.places(simd, block), LASTS.places(simd, block));
    let servers = points & (lasts << 1 | 1) & (firsts << 3 | 0b111);
    paths | www | servers
}

#[cfg(test)]
mod tests {
    use super::super::{Triggers, recognize::MAX_TOP};
    use super::*;

    fn offsets(text: &[u8]) -> Option<Vec<u32>> {
        TriggerIndex::default().of(text, Dots::None).map(|slice| slice.offsets.to_vec())
    }

    #[test]
    fn the_index_has_what_a_search_finds() {
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
            assert_eq!(offsets(text), Some(searched), "{from}");
        }
        assert_eq!(offsets(b""), Some(vec![]));
    }

    /// The blocks have the dots that a search finds, wherever the text begins.
    #[test]
    fn the_index_has_the_dots_of_addresses() {
        let (longest, longer) = ("x".repeat(MAX_TOP), "x".repeat(MAX_TOP + 1));
        let table = [
            ("see www.a.example, www3.b.org x.org: 1.2/3 e.g. www.\n", &[7, 23][..], &[7, 9, 23, 25, 31, 44][..]),
            ("a.example-x.org:80/ b.org/x www24.163.com \u{e4}.\u{e4}/", &[11, 21, 33, 44], &[1, 11, 21, 37, 44]),
            (&format!("a.{longest}/ b.{longer}/"), &[1], &[1, 53]),
        ];
        for (line, paths, hosts) in table {
            for (dots, want) in [(Dots::Paths, paths), (Dots::Hosts, hosts)] {
                let first: Vec<_> = (0..line.len()).filter(|at| line.as_bytes()[*at] == b'.').collect();
                let first: Vec<_> = first.into_iter().filter(|at| dots.has(line.as_bytes(), *at)).collect();
                assert_eq!(first, want, "{dots:?} {line}");
                for from in 0..line.len() {
                    let text = &line.repeat(4).into_bytes()[from..];
                    let searched: Vec<_> =
                        (0..text.len()).filter(|at| text[*at] == b'.' && dots.has(text, *at)).collect();
                    let mut index = TriggerIndex::default();
                    let mut slice = index.of(text, dots).expect("a short text");
                    let indexed: Vec<_> = std::iter::from_fn(|| slice.next_dot(text, 0..text.len())).collect();
                    assert_eq!(indexed, searched, "{dots:?} {from} {line}");
                }
            }
        }
    }

    #[test]
    fn a_text_over_the_limit_is_not_indexed() {
        assert_eq!(offsets(&vec![b':'; MAX_TEXT + 1]), None);
    }
}
