//! Maps offsets in decoded text back to offsets in the message.
//!
//! For text that was not decoded, the map is a constant shift. For decoded text, the decoder stores a checkpoint every
//! few hundred bytes. To look up an offset, the map decodes again from the checkpoint before that offset. With so few
//! checkpoints, decoding is fast, but each lookup is slower. Most decoded text needs no lookup, because it has no URLs.

use std::ops::Range;

use super::transfer::Decoded;

/// A range of decoded text and the source bytes from which it was decoded. The range of text ends where the next run
/// begins.
///
/// If the text and its source have the same length, they correspond byte by byte. Otherwise, for example at a character
/// reference, each byte of the text maps to the whole source range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Offset of the range in the text.
    pub(crate) text: u32,
    /// Offset of the range in the source.
    pub(crate) raw: u32,
    /// Length of the range in the source.
    pub(crate) len: u32,
}

/// A copy of a source text in which some ranges were removed or replaced, with a map back to the source.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) text: Vec<u8>,
    pub(crate) runs: Vec<Run>,
    /// Offset up to which the source has been copied or replaced.
    pub(crate) kept: usize,
}

impl Joined {
    /// Removes the old text, and reserves `len` bytes for a new text.
    pub(super) fn clear(&mut self, len: usize) {
        self.text.clear();
        self.runs.clear();
        self.text.reserve(len);
        self.kept = 0;
    }

    /// Appends the bytes of `source` before the range `gap`, and then `filler` instead of the bytes in `gap`.
    pub(crate) fn replace(&mut self, source: &[u8], gap: Range<usize>, filler: &[u8]) {
        for (bytes, raw) in [(&source[self.kept..gap.start], self.kept..gap.start), (filler, gap.clone())] {
            if !bytes.is_empty() {
                // The offsets fit into 32 bits, because messages of 4 GiB or more are not decoded.
                self.runs.push(Run { text: self.text.len() as u32, raw: raw.start as u32, len: raw.len() as u32 });
                self.text.extend_from_slice(bytes);
            }
        }
        self.kept = gap.end;
    }

    /// Appends the rest of `source`.
    pub(crate) fn finish(&mut self, source: &[u8]) {
        self.replace(source, source.len()..source.len(), b"");
    }

    /// Returns the offset in the text of the byte `raw` of the source. If this byte was replaced, returns an offset in or
    /// after what replaced it.
    pub(crate) fn find(&self, raw: usize) -> usize {
        let next = self.runs.partition_point(|run| run.raw as usize <= raw);
        let limit = self.runs.get(next).map_or(self.text.len(), |run| run.text as usize);
        let run = next.checked_sub(1).map(|index| self.runs[index]);
        run.map_or(0, |run| run.text as usize + raw - run.raw as usize).min(limit)
    }

    pub(crate) fn map(&self) -> Map<'_> {
        Map::Runs(&self.runs, self.text.len())
    }
}

/// Maps offsets in the text of one region to offsets in its source, which is usually the message.
///
/// All offsets count bytes. Maps can be composed, for example text → HTML → decoded part → enclosing part → message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Map<'a> {
    /// Byte `i` of the text is byte `i + shift` of the source.
    Shift(usize),
    /// The runs that make up the text, and the length of the whole text in bytes.
    Runs(&'a [Run], usize),
    Quoted(&'a Decoded<'a>),
    Base64(&'a Decoded<'a>),
    /// The text was decoded without offsets, so each byte of the text maps to the whole source range.
    Whole {
        start: usize,
        end: usize,
    },
    /// Applies the first map and then the second map. Used for text that was decoded twice, for example first from
    /// base64 and then from HTML.
    Composed(&'a Map<'a>, &'a Map<'a>),
}

impl Map<'_> {
    /// Returns the range of the source from which the range `text` was decoded. If `text` is empty, the returned range
    /// is empty, too.
    ///
    /// An offset after the end of the text maps to the end of the source. For text that was not decoded, the cost is
    /// one addition. For decoded text, the cost is usually a pass over a few hundred bytes.
    pub(crate) fn raw(&self, text: Range<usize>) -> Range<usize> {
        if text.len() < 2 {
            let byte = self.byte(text.start);
            return if text.is_empty() { byte.start..byte.start } else { byte };
        }
        // Map the whole range at once. If its first and last bytes were mapped separately, the number of lookups would
        // double with each level of composed maps.
        if let Map::Composed(inner, outer) = *self {
            return outer.raw(inner.raw(text));
        }
        let (first, last) = (self.byte(text.start), self.byte(text.end - 1));
        first.start..last.end.max(first.start)
    }

    /// Whether [`raw`](Self::raw) returns exact ranges. If not, `raw` returns the range of the whole part or field.
    pub(crate) fn exact(&self) -> bool {
        match *self {
            Map::Whole { .. } => false,
            Map::Composed(inner, outer) => inner.exact() && outer.exact(),
            _ => true,
        }
    }

    /// Returns the source range of the byte `at` of the text.
    fn byte(&self, at: usize) -> Range<usize> {
        match *self {
            Map::Shift(shift) => at + shift..at + shift + 1,
            Map::Runs(runs, end) => in_runs(runs, end, at),
            Map::Quoted(decoded) => decoded.locate_in_quoted(at),
            Map::Base64(decoded) => decoded.locate_in_base64(at),
            Map::Whole { start, end } => start..end,
            Map::Composed(inner, outer) => outer.raw(inner.byte(at)),
        }
    }
}

fn in_runs(runs: &[Run], end: usize, at: usize) -> Range<usize> {
    let index = runs.partition_point(|run| run.text as usize <= at);
    let Some(run) = index.checked_sub(1).map(|i| runs[i]) else { return 0..0 };
    let (text, raw, len) = (run.text as usize, run.raw as usize, run.len as usize);
    let next = runs.get(index).map_or(end, |run| run.text as usize);
    if at >= end {
        return raw + len..raw + len;
    }
    if next - text == len { raw + at - text..raw + at - text + 1 } else { raw..raw + len }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_after_the_end_map_to_the_end_of_the_source() {
        let mut joined = Joined::default();
        joined.replace(b"abcdef", 2..3, b"");
        joined.finish(b"abcdef");
        assert_eq!(joined.text, b"abdef");
        for (text, raw) in [(4..5, 5..6), (5..6, 6..6), (9..10, 6..6), (4..9, 5..6)] {
            assert_eq!(joined.map().raw(text.clone()), raw, "{text:?}");
        }
        assert_eq!([0, 1, 2, 3, 5, 6].map(|raw| joined.find(raw)), [0, 1, 2, 2, 4, 5]);
    }

    #[test]
    fn replaced_bytes_are_found_at_their_replacement() {
        let mut joined = Joined::default();
        joined.replace(b"abcdef", 2..6, b"x");
        joined.finish(b"abcdef");
        assert_eq!(joined.text, b"abx");
        assert_eq!([1, 2, 3, 5, 6].map(|raw| joined.find(raw)), [1, 2, 3, 3, 3]);
    }

    #[test]
    fn composed_maps_are_exact_if_both_maps_are_exact() {
        let (exact, whole) = (Map::Shift(3), Map::Whole { start: 0, end: 9 });
        for (inner, outer, want) in [(exact, exact, true), (exact, whole, false), (whole, exact, false)] {
            assert_eq!(Map::Composed(&inner, &outer).exact(), want, "{inner:?} {outer:?}");
        }
    }
}
