//! The structural index of HTML: the offsets of the bytes that delimit text, tags and attribute values. SIMD code finds
//! these bytes block by block, before the tokenizer needs their offsets.

mod block;
mod tags;

use core::ops::Range;

use crate::simd::{Level, dispatch};
use memchr::memchr2;

use crate::simd::BLOCK;
pub(crate) use block::BlockMask;
pub(crate) use tags::Course;

/// The number of blocks that are indexed at a time.
const WINDOW: usize = 128;
/// A search can go back at least this number of bytes without indexing the bytes again. The tokenizer reads at most
/// this far ahead for the text of a link, and then goes back.
pub(crate) const REACH: usize = 1024;
/// The number of indexed blocks that are kept when the window moves, so that a search can go back to them.
const KEPT: usize = REACH / BLOCK;

/// A kind of structural byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `<`, which can begin a tag.
    Open,
    /// `=` and `>`, which end the name of an attribute.
    Stop,
    /// `"`, which ends an attribute value in double quotes.
    Double,
    /// `'`, which ends an attribute value in single quotes.
    Single,
    /// `>`, which closes a tag.
    Close,
    /// `<` or `>`.
    Bound,
    /// `<`, `&`, blanks and control characters. The search for a word in the text of a link stops at these bytes.
    Word,
}

impl Mark {
    /// Returns the kind of `quote`, which is `"` or `'`.
    #[inline]
    pub(crate) fn quote(quote: u8) -> Self {
        if quote == b'"' { Mark::Double } else { Mark::Single }
    }
}

/// The structural index of an HTML text. At any time, only a part of the index is in memory: a window of 128 blocks, or
/// 8 KiB of HTML. If a search starts before the window, the window moves back to the block in which the search starts.
#[derive(Debug)]
pub(crate) struct StructuralIndex<'h> {
    html: &'h [u8],
    blocks: &'h mut Vec<BlockMask>,
    /// The number of the first block in `blocks`, counted from the start of `html`.
    first: usize,
    /// The range in which the last search found no hint (`:` or `&`).
    clear: Range<usize>,
}

impl<'h> StructuralIndex<'h> {
    /// Makes an index of `html`. Reuses the memory of `blocks`, and clears its content.
    pub(crate) fn new(html: &'h [u8], blocks: &'h mut Vec<BlockMask>) -> Self {
        blocks.clear();
        StructuralIndex { html, blocks, first: 0, clear: 0..0 }
    }

    /// Returns the offset of the first `mark` at or after `at`.
    #[inline]
    pub(crate) fn next(&mut self, mark: Mark, at: usize) -> Option<usize> {
        let mut block = at / BLOCK;
        let mut wanted = !0 << (at % BLOCK);
        loop {
            let found = self.block(block)?.of(mark) & wanted;
            if found != 0 {
                return Some(block * BLOCK + found.trailing_zeros() as usize);
            }
            (block, wanted) = (block + 1, !0);
        }
    }

    /// Returns the offset of the last `mark` in `range`. Returns `None` if there is no such mark, or if the search
    /// reaches a block outside the window.
    #[inline]
    pub(crate) fn last(&self, mark: Mark, range: Range<usize>) -> Option<usize> {
        let mut at = range.end;
        while at > range.start {
            let block = (at - 1) / BLOCK;
            let marks = self.blocks.get(block.wrapping_sub(self.first))?;
            let found = marks.of(mark) & !0 >> (BLOCK - 1 - (at - 1) % BLOCK);
            at = block * BLOCK;
            if found != 0 {
                let last = at + (BLOCK - 1) - found.leading_zeros() as usize;
                return (last >= range.start).then_some(last);
            }
        }
        None
    }

    /// Returns the offset of the first hint (`:` or `&`) in `range`. If each call has a range after the range of the
    /// previous call, each byte is read only once.
    #[inline]
    pub(crate) fn hint(&mut self, range: Range<usize>) -> Option<usize> {
        if self.clear.start <= range.start && range.end <= self.clear.end {
            return None;
        }
        self.look_for_hint(range)
    }

    fn look_for_hint(&mut self, range: Range<usize>) -> Option<usize> {
        let mut at = range.start;
        // This function does not move the window. If a part of `range` is outside the window, memchr searches that
        // part. Such parts are short or rare.
        for marks in self.blocks.get((at / BLOCK).wrapping_sub(self.first)..).unwrap_or_default() {
            let found = marks.hint & !0 << (at % BLOCK);
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

    /// Whether `range` certainly needs no decoding, because it has no `&`, blank or control character.
    #[inline]
    pub(crate) fn is_plain(&self, range: Range<usize>) -> bool {
        let mut at = range.start;
        while at < range.end {
            let Some(marks) = self.blocks.get((at / BLOCK).wrapping_sub(self.first)) else { return false };
            let len = (range.end - at).min(BLOCK - at % BLOCK);
            if marks.other >> (at % BLOCK) << (BLOCK - len) != 0 {
                return false;
            }
            at += len;
        }
        true
    }

    #[inline]
    fn block(&mut self, block: usize) -> Option<&BlockMask> {
        if block.wrapping_sub(self.first) >= self.blocks.len() {
            self.window(block);
        }
        self.blocks.get(block.wrapping_sub(self.first))
    }

    /// Moves the window so that it contains `block`. If `block` directly follows the old window, the last blocks of the
    /// old window are kept.
    #[cold]
    fn window(&mut self, block: usize) {
        let Some(html) = self.html.get(block * BLOCK..).filter(|rest| !rest.is_empty()) else { return };
        let kept = match self.blocks.len().checked_sub(KEPT) {
            Some(past) if self.first + self.blocks.len() == block => {
                self.blocks.copy_within(past.., 0);
                KEPT
            }
            _ => 0,
        };
        let before = (block * BLOCK).checked_sub(BLOCK).and_then(|before| self.html[before..].first_chunk());
        let html = &html[..html.len().min((WINDOW - kept) * BLOCK)];
        self.first = block - kept;
        self.blocks.resize(kept + html.len().div_ceil(BLOCK), BlockMask::default());
        let blocks = &mut self.blocks[kept..];
        dispatch!(Level::new(), simd => block::find(simd, before.unwrap_or(&[0; BLOCK]), html, blocks));
        self.stop_at_names(block);
    }

    /// Adds the names of elements at which [`skip_to_candidate`](Self::skip_to_candidate) stops to the index, from
    /// `block` on.
    fn stop_at_names(&mut self, block: usize) {
        let kept = block - self.first;
        if block > 0 && self.html[block * BLOCK - 1] == b'<' && is_stop(&self.html[block * BLOCK..]) {
            self.blocks[kept].stop |= 1;
        }
        for i in kept..self.blocks.len() {
            let mut begins = self.blocks[i].begin;
            while begins != 0 {
                let name = (self.first + i) * BLOCK + begins.trailing_zeros() as usize + 1;
                begins &= begins - 1;
                if is_stop(&self.html[name.min(self.html.len())..])
                    && let Some(marks) = self.blocks.get_mut(name / BLOCK - self.first)
                {
                    marks.stop |= 1 << (name % BLOCK);
                }
            }
        }
    }
}

/// The first two letters of the elements whose tags the tokenizer must see: links, pictures, elements whose content is
/// not markup, and elements that change the meaning of other tags. Other names can have the same two letters.
const NAMES: [&[u8; 2]; 14] =
    [b"ba", b"fr", b"if", b"im", b"li", b"ma", b"no", b"pl", b"sc", b"st", b"sv", b"te", b"ti", b"xm"];

/// For the low five bits of the first byte of a name, the low five bits of its second bytes in [`NAMES`].
const STOPS: [u32; 32] = {
    let mut stops = [0; 32];
    // All names that begin with `a` count, because the name of a link is only `a`. `!` has the same low bits as `a`.
    stops[(b'a' & 31) as usize] = !0;
    let mut i = 0;
    while i < NAMES.len() {
        stops[(NAMES[i][0] & 31) as usize] |= 1 << (NAMES[i][1] & 31);
        i += 1;
    }
    stops
};

/// Whether the tokenizer must see a tag whose name is at the start of `html`.
#[inline]
fn is_stop(html: &[u8]) -> bool {
    match html {
        [first, second, rest @ ..] => {
            let is_listed = STOPS[usize::from(first & 31)] >> (second & 31) & 1 != 0;
            // `strong` and `li` are frequent, and begin like `style` and `link`.
            is_listed
                && match (first | 0x20, second | 0x20, rest) {
                    (b's', b't', [third, ..]) => third | 0x20 != b'r',
                    (b'l', _, [third, ..]) => third | 0x20 == b'n',
                    _ => true,
                }
        }
        [first] => first & 31 == b'a' & 31,
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_of_interest_is_found() {
        let html: Vec<u8> = (0..=255).cycle().take(3 * WINDOW * BLOCK + 100).collect();
        let kinds: [(Mark, &[u8]); 4] =
            [(Mark::Open, b"<"), (Mark::Stop, b"=>"), (Mark::Double, b"\""), (Mark::Single, b"'")];
        let blocks = &mut Vec::new();
        let mut marks = StructuralIndex::new(&html, blocks);
        for (mark, bytes) in kinds {
            let expected = |from: usize| (from..html.len()).find(|&at| bytes.contains(&html[at]));
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
    fn hints_are_found_in_and_before_the_window() {
        let html: Vec<u8> = (0..=255).cycle().take(3 * WINDOW * BLOCK + 100).collect();
        let blocks = &mut Vec::new();
        let mut marks = StructuralIndex::new(&html, blocks);
        for start in [0, 37, 38, 58, 59, 64, 2 * WINDOW * BLOCK, WINDOW * BLOCK - 5, html.len() - 3, html.len()] {
            for len in [0, 1, 2, 30, 64, 200, 300] {
                let range = start..html.len().min(start + len);
                let expected = range.clone().find(|&at| matches!(html[at], b':' | b'&'));
                assert_eq!(marks.hint(range.clone()), expected, "{range:?}");
            }
        }
    }

    #[test]
    fn text_without_blanks_or_references_is_plain() {
        let html: Vec<u8> = (0..=255).cycle().take(3 * WINDOW * BLOCK + 100).collect();
        let blocks = &mut Vec::new();
        let mut marks = StructuralIndex::new(&html, blocks);
        assert!(!marks.is_plain(40..50), "nothing has been looked at");
        marks.next(Mark::Open, 0);
        for start in 0..300 {
            for end in start..start + 200 {
                let expected = html[start..end].iter().all(|&byte| byte > b' ' && byte != b'&');
                assert_eq!(marks.is_plain(start..end), expected, "{start}..{end}");
            }
        }
        assert!(!marks.is_plain(WINDOW * BLOCK - 20..WINDOW * BLOCK + 40), "the window ends before");
    }
}
