//! The few octets of HTML that mean something to the walk, found by SIMD before it comes to them.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, mask8x64, u8x64};
use memchr::memchr2;

/// Octets that are compared at a time.
const BLOCK: usize = 64;
/// So many blocks are looked at at a time.
const WINDOW: usize = 256;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `<`, which opens a tag.
    Open,
    /// `=` and `>`, at which an attribute's name or a tag ends.
    Stop,
    /// `"` and `'`, at which a value ends.
    Quote,
    /// `:` and `&`, without which there is no scheme.
    Hint,
}

/// Where the marks are. They are found a window at a time; going back is possible, and costs a window.
#[derive(Debug)]
pub(super) struct Marks<'h> {
    html: &'h [u8],
    level: Level,
    /// For every octet of a block a bit, for each kind of mark.
    blocks: Vec<[u64; 4]>,
    /// The number of the first of these blocks.
    first: usize,
    /// Where no hint is, as the last look for one has shown.
    clear: Range<usize>,
}

impl<'h> Marks<'h> {
    /// Those of `html`.
    pub(super) fn new(html: &'h [u8]) -> Self {
        Marks { html, level: Level::new(), blocks: Vec::new(), first: 0, clear: 0..0 }
    }

    /// The first `mark` at `at` or behind it.
    #[inline]
    pub(super) fn next(&mut self, mark: Mark, at: usize) -> Option<usize> {
        let mut block = at / BLOCK;
        let mut wanted = !0 << (at % BLOCK);
        loop {
            let found = self.block(block)?[mark as usize] & wanted;
            if found != 0 {
                return Some(block * BLOCK + found.trailing_zeros() as usize);
            }
            (block, wanted) = (block + 1, !0);
        }
    }

    /// The first `quote` at `at` or behind it.
    #[inline]
    pub(super) fn close(&mut self, quote: u8, mut at: usize) -> Option<usize> {
        loop {
            let mark = self.next(Mark::Quote, at)?;
            if self.html[mark] == quote {
                return Some(mark);
            }
            at = mark + 1;
        }
    }

    /// Where the first hint in `range` is. Asked about one stretch after the other, it looks at each octet once.
    #[inline]
    pub(super) fn hint(&mut self, range: Range<usize>) -> Option<usize> {
        if self.clear.start <= range.start && range.end <= self.clear.end {
            return None;
        }
        self.look_for_hint(range)
    }

    fn look_for_hint(&mut self, range: Range<usize>) -> Option<usize> {
        let mut at = range.start;
        // What is not in the window is short or an exception: the window need not move for it.
        for marks in self.blocks.get((at / BLOCK).wrapping_sub(self.first)..).unwrap_or_default() {
            let found = marks[Mark::Hint as usize] & !0 << (at % BLOCK);
            at = at / BLOCK * BLOCK;
            if found != 0 {
                let hint = at + found.trailing_zeros() as usize;
                self.clear = range.start..hint;
                return (hint < range.end).then_some(hint);
            }
            at += BLOCK;
            self.clear = range.start..at;
        }
        let rest = self.html.get(at..range.end)?;
        memchr2(b':', b'&', rest).map(|i| at + i)
    }

    #[inline]
    fn block(&mut self, block: usize) -> Option<&[u64; 4]> {
        if block.wrapping_sub(self.first) >= self.blocks.len() {
            self.window(block);
        }
        self.blocks.get(block.wrapping_sub(self.first))
    }

    /// Looks at the window that begins with `block`.
    #[cold]
    fn window(&mut self, block: usize) {
        let Some(html) = self.html.get(block * BLOCK..).filter(|rest| !rest.is_empty()) else { return };
        let html = &html[..html.len().min(WINDOW * BLOCK)];
        self.first = block;
        self.blocks.resize(html.len().div_ceil(BLOCK), [0; 4]);
        let (level, blocks) = (self.level, self.blocks.as_mut_slice());
        dispatch!(level, simd => find(simd, html, blocks));
    }
}

// What is inlined in these is compiled for the instructions that `simd` stands for; a call would not be.
#[inline(always)]
fn find<S: Simd>(simd: S, html: &[u8], found: &mut [[u64; 4]]) {
    let (blocks, rest) = html.as_chunks::<BLOCK>();
    for (block, marks) in blocks.iter().zip(&mut *found) {
        add(simd, block, marks);
    }
    if let Some(marks) = found.get_mut(blocks.len()) {
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        add(simd, &last, marks);
    }
}

#[inline(always)]
fn add<S: Simd>(simd: S, block: &[u8; BLOCK], marks: &mut [u64; 4]) {
    let octets = u8x64::from_slice(simd, block);
    marks[0] = equals(simd, octets, b'<').to_bitmask();
    marks[1] = (equals(simd, octets, b'=') | equals(simd, octets, b'>')).to_bitmask();
    marks[2] = (equals(simd, octets, b'"') | equals(simd, octets, b'\'')).to_bitmask();
    marks[3] = (equals(simd, octets, b':') | equals(simd, octets, b'&')).to_bitmask();
}

#[inline(always)]
fn equals<S: Simd>(simd: S, octets: u8x64<S>, octet: u8) -> mask8x64<S> {
    octets.simd_eq(u8x64::splat(simd, octet))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_octet_is_told() {
        let html: Vec<u8> = (0..=255).cycle().take(3 * WINDOW * BLOCK + 100).collect();
        let kinds: [(Mark, &[u8]); 4] =
            [(Mark::Open, b"<"), (Mark::Stop, b"=>"), (Mark::Quote, b"\"'"), (Mark::Hint, b":&")];
        let mut marks = Marks::new(&html);
        for (mark, octets) in kinds {
            let expected = |from: usize| (from..html.len()).find(|&at| octets.contains(&html[at]));
            let mut at = 0;
            while let Some(found) = marks.next(mark, at) {
                assert_eq!(Some(found), expected(at), "{mark:?} from {at}");
                at = found + 1;
            }
            assert_eq!(expected(at), None, "{mark:?} from {at}");
            for at in
                [0, 60, WINDOW * BLOCK - 1, WINDOW * BLOCK, 2 * WINDOW * BLOCK + 3, 70, html.len() - 1, html.len()]
            {
                assert_eq!(marks.next(mark, at), expected(at), "{mark:?} from {at}");
            }
        }
    }

    #[test]
    fn hints_are_told_in_and_before_the_window() {
        let html: Vec<u8> = (0..=255).cycle().take(3 * WINDOW * BLOCK + 100).collect();
        let mut marks = Marks::new(&html);
        for start in [0, 37, 38, 58, 59, 64, 2 * WINDOW * BLOCK, WINDOW * BLOCK - 5, html.len() - 3, html.len()] {
            for len in [0, 1, 2, 30, 64, 200, 300] {
                let range = start..html.len().min(start + len);
                let expected = range.clone().find(|&at| matches!(html[at], b':' | b'&'));
                assert_eq!(marks.hint(range.clone()), expected, "{range:?}");
            }
        }
    }
}
