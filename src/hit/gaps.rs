//! Removes the bytes that a mailbox format has added to a message, and converts offsets in the remaining bytes to
//! offsets in the stored message.

use std::borrow::Cow;
use std::ops::Range;

/// The bytes that were removed from a message before the search, because the mailbox format had added them. An example
/// is the dot that NNTP adds to a line that begins with a dot.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    /// One pair of numbers for each removed range. The first number is the offset in the remaining bytes at which the
    /// range was removed. The second number is the total length of this range and of all ranges before it.
    all: Vec<(usize, usize)>,
}

impl Gaps {
    /// Returns where bytes are removed, and `message` without the ranges `cuts`, which must be in order. Copies nothing if
    /// there are none.
    pub(crate) fn cut<'m>(message: &'m [u8], cuts: &[Range<usize>]) -> (Option<Gaps>, Cow<'m, [u8]>) {
        if cuts.is_empty() {
            return (None, message.into());
        }
        let (mut all, mut rest) = (Vec::with_capacity(cuts.len()), Vec::with_capacity(message.len()));
        let (mut from, mut out) = (0, 0);
        for cut in cuts {
            rest.extend_from_slice(&message[from..cut.start]);
            from = cut.end;
            out += cut.len();
            all.push((rest.len(), out));
        }
        rest.extend_from_slice(&message[from..]);
        (Some(Gaps { all }), rest.into())
    }

    /// Converts the offset `at` in the remaining bytes to an offset in the stored message.
    pub(crate) fn before(&self, at: usize) -> usize {
        let index = self.all.partition_point(|&(gap, _)| gap <= at);
        at + index.checked_sub(1).map_or(0, |i| self.all[i].1)
    }

    /// Converts the range `bytes` of the remaining bytes to a range of the stored message.
    pub(crate) fn around(&self, bytes: Range<usize>) -> Range<usize> {
        let start = self.before(bytes.start);
        let end = if bytes.is_empty() { start } else { self.before(bytes.end - 1) + 1 };
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::Gaps;

    #[test]
    fn offsets_around_gaps_are_mapped() {
        let (gaps, rest) = Gaps::cut(b"ab..cd..ef.", &[2..3, 6..7, 10..11]);
        let gaps = gaps.expect("three cuts");
        assert_eq!(*rest, *b"ab.cd.ef");
        let table =
            [(0..2, 0..2), (1..3, 1..4), (2..3, 3..4), (3..5, 4..6), (4..6, 5..8), (6..8, 8..10), (8..8, 11..11)];
        for (bytes, want) in table {
            assert_eq!(gaps.around(bytes.clone()), want, "{bytes:?}");
        }
    }
}
