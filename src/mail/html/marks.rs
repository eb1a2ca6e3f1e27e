//! The few octets of HTML that mean something to the walk, found by SIMD before it comes to them.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};
use memchr::memchr2;

use super::shown;
use crate::block::{BLOCK, padded};

/// So many blocks are looked at at a time.
const WINDOW: usize = 128;
/// Of these, so many are kept when the next window is looked at, for the short way back from there: that of a word that a link
/// shows.
const KEPT: usize = shown::REACH / BLOCK;

/// A tag in which more blocks than this would have to be looked at is not stepped over as a whole.
const TAG_BLOCKS: usize = 8;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `<`, which opens a tag.
    Open,
    /// `=` and `>`, at which an attribute's name or a tag ends.
    Stop,
    /// `"`, at which a value ends.
    Double,
    /// `'`, the same.
    Single,
    /// `>`, which closes a tag.
    Close,
    /// `<` and `>`.
    Bound,
    /// `<`, `&`, blanks and control characters, at which a stretch of a word ends in the text.
    Word,
}

impl Mark {
    /// That of a quotation mark.
    #[inline]
    pub(super) fn quote(quote: u8) -> Self {
        if quote == b'"' { Mark::Double } else { Mark::Single }
    }
}

/// For every octet of a block a bit, for each kind of mark.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    open: u64,
    equals: u64,
    close: u64,
    double: u64,
    single: u64,
    /// `:` and `&`, without which there is no scheme.
    hint: u64,
    /// `&` and blanks, without which a value stands for itself.
    other: u64,
    /// Double quotation marks behind an equals sign.
    first: u64,
    /// Single ones, and double ones behind a blank.
    odd: u64,
    /// Where a leap ends whatever the tags around are (see [`Marks::leap`]).
    stop: u64,
}

impl Block {
    #[inline]
    fn of(&self, mark: Mark) -> u64 {
        match mark {
            Mark::Open => self.open,
            Mark::Stop => self.equals | self.close,
            Mark::Double => self.double,
            Mark::Single => self.single,
            Mark::Close => self.close,
            Mark::Bound => self.open | self.close,
            Mark::Word => self.open | self.other,
        }
    }
}

/// Where a leap goes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    at: usize,
    /// Where the tag at hand begins, or the text.
    pub(super) begin: usize,
    in_tag: bool,
    /// Within a tag, whether it is within a value in double quotation marks.
    pub(super) in_value: bool,
    /// Nothing before that matters, but what is odd.
    matters_from: usize,
}

impl Course {
    /// From `at`, where a tag begins or text goes on.
    pub(super) fn from(at: usize) -> Self {
        Course { at, begin: at, in_tag: false, in_value: false, matters_from: at }
    }

    /// Onward from `stop` in the same tag, the last value in which that is known ends at `value_end`.
    pub(super) fn onward(self, stop: usize, value_end: usize) -> Self {
        Course { at: stop + 1, in_tag: true, matters_from: value_end, ..self }
    }
}

/// Where the marks are. They are found a window at a time; going back is possible, and costs a window.
#[derive(Debug)]
pub(super) struct Marks<'h> {
    html: &'h [u8],
    level: Level,
    blocks: Vec<Block>,
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
            let found = self.block(block)?.of(mark) & wanted;
            if found != 0 {
                return Some(block * BLOCK + found.trailing_zeros() as usize);
            }
            (block, wanted) = (block + 1, !0);
        }
    }

    /// Where the `>` is that ends the tag that goes on at `at`, behind its name or an attribute; `None` if only a closer look
    /// can tell.
    ///
    /// It can tell if there are no quotation marks but double ones, in pairs, the first of each behind an equals sign and
    /// the second behind neither that nor a blank, and none of them around a `>`. The tokenizer may take both of a pair for
    /// part of a name or of a bare value, but never the second for one that opens, so the first `>` ends the tag.
    #[inline]
    pub(super) fn tag_end(&mut self, at: usize) -> Option<usize> {
        let (mut wanted, mut inside) = (!0 << (at % BLOCK), 0);
        for block in at / BLOCK..at / BLOCK + TAG_BLOCKS {
            let marks = self.block(block)?;
            let ends = marks.close & wanted;
            // The bits up to the first end.
            let relevant = wanted & (ends ^ ends.wrapping_sub(1));
            let first = marks.first & relevant;
            let second = marks.double & relevant & !first;
            // From the first of each pair up to the second, all bits are set, if they are pairs.
            let values = second.wrapping_sub(first).wrapping_sub(inside);
            if marks.odd & relevant | values & (second | ends & relevant) | first & !values != 0 {
                return None;
            }
            if ends != 0 {
                return Some(block * BLOCK + ends.trailing_zeros() as usize);
            }
            (wanted, inside) = (!0, values >> (BLOCK - 1));
        }
        None
    }

    /// Leaps on to the next octet that may matter for itself: to the first that is a colon, or may be one as a reference, or
    /// begins the name of an `a` element, or of one whose content is no HTML, or a comment. It is returned if it is within a
    /// tag; `course` says where that tag begins, or the stretch of text that has to be looked at, or that it is the end.
    ///
    /// On the way every `>` ends a tag, and every `<` begins one, or something else that ends with the next `>`, or is but
    /// text, as the octets behind it say. It is [`tag_end`](Self::tag_end)'s reasoning, for all tags of a block at once:
    /// where a `<` is but text, so is all up to the next one, and to the next `>`. What is written in another way has to be
    /// looked at.
    ///
    /// Cost: a few instructions for every eight octets.
    pub(super) fn leap(&mut self, course: &mut Course) -> Option<usize> {
        let shift = course.at % BLOCK;
        let (mut wanted, mut inside, mut quoted) =
            (!0 << shift, u64::from(course.in_tag) << shift, u64::from(course.in_value) << shift);
        for block in course.at / BLOCK.. {
            let Some(marks) = self.block(block) else { break };
            let (open, close) = (marks.open & wanted, marks.close & wanted);
            // From the `<` of each tag up to its `>` all bits are set, if they are pairs.
            let tags = close.wrapping_sub(open).wrapping_sub(inside);
            let first = marks.first & tags;
            let second = marks.double & tags & !first;
            let values = second.wrapping_sub(first).wrapping_sub(quoted);
            let odd = (tags & (close | marks.odd)) | (open & !tags) | (values & (second | close)) | (first & !values);
            let from = course.matters_from.saturating_sub(block * BLOCK);
            let behind = if from < BLOCK { !0 << from } else { 0 };
            let stop = (marks.stop & wanted & behind) | odd;
            let bounds = (open | close) & stop.wrapping_sub(1) & !stop;
            if bounds != 0 {
                let last = (BLOCK - 1) - bounds.leading_zeros() as usize;
                course.begin = block * BLOCK + last + (close >> last & 1) as usize;
            }
            if stop != 0 {
                let lowest = stop & stop.wrapping_neg();
                course.in_value = values & lowest != 0;
                return (tags & lowest & !odd != 0).then_some(block * BLOCK + stop.trailing_zeros() as usize);
            }
            (wanted, inside, quoted) = (!0, tags >> (BLOCK - 1), values >> (BLOCK - 1));
        }
        if inside == 0 {
            course.begin = self.html.len();
        }
        None
    }

    /// The last `mark` in `range`, if it is in the window.
    #[inline]
    pub(super) fn last(&self, mark: Mark, range: Range<usize>) -> Option<usize> {
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

    /// Whether what stands in `range` can be seen to stand for itself: there is no reference in it, and no blank.
    #[inline]
    pub(super) fn is_plain(&self, range: Range<usize>) -> bool {
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
    fn block(&mut self, block: usize) -> Option<&Block> {
        if block.wrapping_sub(self.first) >= self.blocks.len() {
            self.window(block);
        }
        self.blocks.get(block.wrapping_sub(self.first))
    }

    /// Looks at the window that begins with `block`, or a little before that if what is there has been looked at just now.
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
        self.blocks.resize(kept + html.len().div_ceil(BLOCK), Block::default());
        let (level, blocks) = (self.level, &mut self.blocks[kept..]);
        dispatch!(level, simd => find(simd, before.unwrap_or(&[0; BLOCK]), html, blocks));
    }
}

#[inline(always)]
fn find<S: Simd>(simd: S, before: &[u8; BLOCK], html: &[u8], found: &mut [Block]) {
    let mut behind = Behind::default();
    behind.find(simd, before, &mut Block::default());
    let (blocks, rest) = html.as_chunks::<BLOCK>();
    for (block, marks) in blocks.iter().zip(&mut *found) {
        behind.find(simd, block, marks);
    }
    if let Some(marks) = found.get_mut(blocks.len()) {
        behind.find(simd, &padded(rest), marks);
    }
}

/// For the next block: what stands in front of it, the octet directly before it in the lowest bit.
#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    open: u64,
    equals: u64,
    other: u64,
    references: u64,
    /// What could be `<s`; the octet before that, too.
    letter: u64,
}

/// The bits of `marks`, each one octet further, behind those `before`; and what stands before the next ones.
#[inline(always)]
fn shifted(marks: u64, before: &mut u64) -> u64 {
    let shifted = marks << 1 | *before;
    *before = marks >> (BLOCK - 1);
    shifted
}

impl Behind {
    /// Finds the marks in `block`, the next one.
    #[inline(always)]
    fn find<S: Simd>(&mut self, simd: S, block: &[u8; BLOCK], marks: &mut Block) {
        let octets = u8x64::from_slice(simd, block);
        let colons = equals(simd, octets, b':');
        let references = equals(simd, octets, b'&');
        marks.open = equals(simd, octets, b'<');
        marks.equals = equals(simd, octets, b'=');
        marks.close = equals(simd, octets, b'>');
        marks.double = equals(simd, octets, b'"');
        marks.single = equals(simd, octets, b'\'');
        marks.hint = colons | references;
        // Control characters do no harm among them.
        marks.other = octets.simd_le(u8x64::splat(simd, b' ')).to_bitmask() | references;
        marks.first = marks.double & shifted(marks.equals, &mut self.equals);
        marks.odd = marks.single | marks.double & shifted(marks.other, &mut self.other);

        // Letters of either case, and what has their low bits: `!` has those of `a`, and `#` those of `c`. What else has, makes
        // a leap end for nothing, but is rare at these places.
        let low = octets & u8x64::splat(simd, 0x1F);
        let c = equals(simd, low, b'c' & 0x1F);
        let name = shifted(marks.open, &mut self.open);
        let letter = name & equals(simd, low, b's' & 0x1F);
        let script = (letter << 1 | self.letter >> 1) & c;
        let style = (letter << 2 | self.letter) & equals(simd, low, b'y' & 0x1F);
        self.letter = letter >> (BLOCK - 2);
        let anchor = name & equals(simd, low, b'a' & 0x1F);
        marks.stop = colons | shifted(references, &mut self.references) & c | anchor | script | style;
    }
}

#[inline(always)]
fn equals<S: Simd>(simd: S, octets: u8x64<S>, octet: u8) -> u64 {
    octets.simd_eq(u8x64::splat(simd, octet)).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_octet_is_told() {
        let html: Vec<u8> = (0..=255).cycle().take(3 * WINDOW * BLOCK + 100).collect();
        let kinds: [(Mark, &[u8]); 4] =
            [(Mark::Open, b"<"), (Mark::Stop, b"=>"), (Mark::Double, b"\""), (Mark::Single, b"'")];
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

    #[test]
    fn what_stands_for_itself_is_seen_to() {
        let html: Vec<u8> = (0..=255).cycle().take(3 * WINDOW * BLOCK + 100).collect();
        let mut marks = Marks::new(&html);
        assert!(!marks.is_plain(40..50), "nothing has been looked at");
        marks.next(Mark::Open, 0);
        for start in 0..300 {
            for end in start..start + 200 {
                let expected = html[start..end].iter().all(|&octet| octet > b' ' && octet != b'&');
                assert_eq!(marks.is_plain(start..end), expected, "{start}..{end}");
            }
        }
        assert!(!marks.is_plain(WINDOW * BLOCK - 20..WINDOW * BLOCK + 40), "the window ends before");
    }

    #[test]
    fn tags_end_where_they_are_seen_to() {
        let long = format!(" title=\"{}\">", "x".repeat(BLOCK * TAG_BLOCKS));
        let table: [(&str, bool); 20] = [
            (">", true),
            (" a>", true),
            (" a=b c=d>", true),
            (" a=\"b\" c=\"\" d=\"e f\"/>", true),
            (" a=\"b:c\">", true),
            (" a=\"b\">:", true),
            (" a=b=\"c\" d>", true),
            (" a=\"b", false),
            (" a=\"b>c\">", false),
            (" a=b=\"c>d\">", false),
            (" a=\"b=\" c>", false),
            (" a=b=\"c d=\" x>\">", false),
            (" a=b=\"c d= \" x>\">", false),
            (" a= \"b\">", false),
            (" a=\"b\"\">", false),
            (" a\"b\">", false),
            (" a='b'>", false),
            (" a=\"b'c\">", false),
            (" a=b", false),
            (&long, false),
        ];
        for (tag, expected) in table {
            for before in (1..BLOCK).chain(WINDOW * BLOCK - BLOCK..WINDOW * BLOCK) {
                let html = format!("{}{tag}<p title=\"", "=".repeat(before));
                let end = before + tag.find('>').unwrap_or_default();
                let found = Marks::new(html.as_bytes()).tag_end(before);
                assert_eq!(found, expected.then_some(end), "{tag} at {before}");
            }
        }
    }

    #[test]
    fn leaps_end_where_something_may_matter() {
        // What is leapt over, what is not, and how far into that the reason stands, if that is in a tag.
        let table: [(&str, &str, Option<usize>); 18] = [
            ("<p>a</p>b <br/>c &nbsp;", "", None),
            ("<p class=\"b\"><strong>", "", None),
            ("<p>", "a: b", None),
            ("<p>a&amp;b<br>", "c&colon;d", None),
            ("<p a=\"b\">c", "<i d=\"e:f\">", Some(7)),
            ("<p>a", "<A>", Some(1)),
            ("<p>a", "<!-- b -->", Some(1)),
            ("<p>a", "<style>", Some(3)),
            ("<p>a", "<SCRIPT>", Some(2)),
            ("<p>a", "<i b='c'>", None),
            ("<p>a", "<i b=\"c>d\">", None),
            ("<p>a", "<i b=\"c<d\">", None),
            ("<p>a", "<i b = \"c\">", None),
            ("<p>a", "<i b<p>", None),
            ("<p>a <_b>", " > c", None),
            ("<p>a", "< b <p>", None),
            ("<p>a", "<p", None),
            ("<p>", "a > b", None),
        ];
        for (over, rest, expected) in table {
            for before in (1..BLOCK).chain(WINDOW * BLOCK - BLOCK..WINDOW * BLOCK) {
                let html = format!("{}{over}{rest}", "=".repeat(before));
                let mut course = Course::from(before);
                let stop = Marks::new(html.as_bytes()).leap(&mut course);
                let begin = before + over.len();
                assert_eq!((course.begin, stop), (begin, expected.map(|at| begin + at)), "{over}{rest} at {before}");
            }
        }
    }
}
