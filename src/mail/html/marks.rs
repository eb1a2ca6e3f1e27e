//! The few octets of HTML that mean something to the walk, found by SIMD before it comes to them.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

/// So much HTML is looked through at a time.
const WINDOW: usize = 16 * 1024;
/// Octets that are compared at a time.
const BLOCK: usize = 64;

/// Where the next `<`, `>`, `=`, `"`, `'`, `&` and `:` are. They are found a window at a time; going back is possible,
/// and costs a window.
#[derive(Debug)]
pub(super) struct Marks<'h> {
    html: &'h [u8],
    level: Level,
    /// The marks from `start` to `end`, as offsets from `start`.
    found: Vec<u32>,
    /// How many of them have been taken.
    taken: usize,
    start: usize,
    end: usize,
}

impl<'h> Marks<'h> {
    /// Those of `html`, from its beginning.
    pub(super) fn new(html: &'h [u8]) -> Self {
        Marks { html, level: Level::new(), found: Vec::new(), taken: 0, start: 0, end: 0 }
    }

    /// Takes the next one.
    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        loop {
            if let Some(&mark) = self.found.get(self.taken) {
                self.taken += 1;
                return Some(self.start + mark as usize);
            }
            if self.end == self.html.len() {
                return None;
            }
            self.window(self.end);
        }
    }

    /// Goes to the first one at `at` or behind it.
    #[inline]
    pub(super) fn seek(&mut self, at: usize) {
        // Those that were taken last may be at `at`: a tag's end is looked for from its beginning.
        while self.taken > 0 && self.start + self.found[self.taken - 1] as usize >= at {
            self.taken -= 1;
        }
        if at < self.start || at >= self.end {
            return self.window(at);
        }
        while self.found.get(self.taken).is_some_and(|&mark| self.start + (mark as usize) < at) {
            self.taken += 1;
        }
    }

    /// Those that are in the window, from the next one on, as offsets from the first value.
    pub(super) fn ahead(&self) -> (usize, &[u32]) {
        (self.start, &self.found[self.taken..])
    }

    /// Takes so many at once.
    pub(super) fn skip(&mut self, marks: usize) {
        self.taken += marks;
    }

    /// Whether a window that began at `at` would show more than this one does.
    pub(super) fn could_show_more(&self, at: usize) -> bool {
        self.end < self.html.len() && at >= self.start + WINDOW / 2
    }

    /// Looks at the window that begins at `start`.
    pub(super) fn window(&mut self, start: usize) {
        let end = self.html.len().min(start + WINDOW);
        (self.start, self.end, self.taken) = (start, end, 0);
        let (level, window, found) = (self.level, &self.html[start..end], &mut self.found);
        found.clear();
        dispatch!(level, simd => find(simd, window, found));
    }
}

/// For the low half of an octet, one bit for each high half with which it is a mark: 1 for 2, 2 for 3.
const LOW: [u8; 16] = [0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 2, 0, 2, 2, 2, 0];
/// That bit, for the high half.
const HIGH: [u8; 16] = [0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

// What is inlined in these two is compiled for the instructions that `simd` stands for; a call would not be.
#[inline(always)]
fn find<S: Simd>(simd: S, html: &[u8], found: &mut Vec<u32>) {
    let (blocks, rest) = html.as_chunks::<BLOCK>();
    for (i, block) in blocks.iter().enumerate() {
        add(simd, i * BLOCK, block, found);
    }
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    add(simd, blocks.len() * BLOCK, &last, found);
}

#[inline(always)]
fn add<S: Simd>(simd: S, base: usize, block: &[u8; BLOCK], found: &mut Vec<u32>) {
    let four = |table: [u8; 16]| u8x64::from_slice(simd, [table; 4].as_flattened());
    let octets = u8x64::from_slice(simd, block);
    let low = four(LOW).swizzle_dyn_within_blocks(octets & u8x64::splat(simd, 15));
    let high = four(HIGH).swizzle_dyn_within_blocks(octets >> 4);
    let mut bits = !(low & high).simd_eq(u8x64::splat(simd, 0)).to_bitmask();
    while bits != 0 {
        // Within a window.
        found.push(base as u32 + bits.trailing_zeros());
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_mark(octet: u8) -> bool {
        b"<>=\"'&:".contains(&octet)
    }

    #[test]
    fn every_octet_is_told() {
        let html: Vec<u8> = (0..=255).cycle().take(3 * WINDOW + 100).collect();
        let expected: Vec<usize> = (0..html.len()).filter(|&at| is_mark(html[at])).collect();
        let mut marks = Marks::new(&html);
        let found: Vec<usize> = std::iter::from_fn(|| marks.next()).collect();
        assert_eq!(found, expected);
        for at in [0, 60, WINDOW - 1, WINDOW, 2 * WINDOW + 3, 70, html.len() - 1, html.len()] {
            marks.seek(at);
            assert_eq!(marks.next(), expected.iter().copied().find(|&mark| mark >= at), "{at}");
        }
    }
}
