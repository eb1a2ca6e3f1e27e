//! Maps offsets in scanned text back to the bytes of the message.
//!
//! Nothing is stored per byte. A region that was not decoded is a shift. A decoded one keeps a checkpoint every few
//! hundred bytes. A lookup decodes again from the nearest checkpoint. Hits are rarer than decoded text, so the cost is
//! in the lookup.

use std::ops::Range;

use super::transfer::Decoded;

/// A range of text and the source bytes it came from.
///
/// Equal lengths mean byte for byte. Otherwise every byte of the text came from the whole source range (a character
/// reference, for example).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where the range starts in the text.
    pub(crate) text: u32,
    /// Where it starts in the source.
    pub(crate) raw: u32,
    /// Its length in the source.
    pub(crate) len: u32,
}

/// A text with gaps closed or filled, and the source of each range.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) text: Vec<u8>,
    pub(crate) runs: Vec<Run>,
    /// How far the source was copied or replaced.
    pub(crate) kept: usize,
}

impl Joined {
    /// Clears it, and reserves `len` bytes.
    pub(super) fn clear(&mut self, len: usize) {
        self.text.clear();
        self.runs.clear();
        self.text.reserve(len);
        self.kept = 0;
    }

    /// Copies `source` up to `gap`, and replaces `gap` by `filler`.
    pub(crate) fn replace(&mut self, source: &[u8], gap: Range<usize>, filler: &[u8]) {
        for (bytes, raw) in [(&source[self.kept..gap.start], self.kept..gap.start), (filler, gap.clone())] {
            if !bytes.is_empty() {
                // The offsets fit, because nothing is decoded in a message of 4 GiB or more.
                self.runs.push(Run { text: self.text.len() as u32, raw: raw.start as u32, len: raw.len() as u32 });
                self.text.extend_from_slice(bytes);
            }
        }
        self.kept = gap.end;
    }

    /// Copies the rest of `source`.
    pub(crate) fn finish(&mut self, source: &[u8]) {
        self.replace(source, source.len()..source.len(), b"");
    }

    pub(crate) fn map(&self) -> Map<'_> {
        Map::Runs(&self.runs, self.text.len())
    }
}

/// Maps text offsets to message offsets, for one region.
///
/// Offsets are bytes. Composed maps (text → HTML → decoded part → enclosing part → message) have the same interface as
/// simple ones.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Map<'a> {
    /// Byte `i` of the text is byte `i + shift` of the source.
    Shift(usize),
    /// Text that was joined from these ranges, and its length.
    Runs(&'a [Run], usize),
    Quoted(&'a Decoded<'a>),
    Base64(&'a Decoded<'a>),
    /// Text decoded without offsets: all of it came from the whole source range.
    Whole {
        start: usize,
        end: usize,
    },
    /// First the inner map, then the outer one, for a text that was decoded twice, as HTML's character references are.
    Composed(&'a Map<'a>, &'a Map<'a>),
}

impl Map<'_> {
    /// Returns the source bytes of `text`: from the first byte of its first byte's source to the last byte of its last
    /// byte's. An empty range gives an empty range at its start.
    ///
    /// Offsets beyond the text give the end of the source. Costs a subtraction for text that was not decoded, and a
    /// walk over at most a few hundred bytes for decoded text.
    pub(crate) fn raw(&self, text: Range<usize>) -> Range<usize> {
        if text.len() < 2 {
            let byte = self.byte(text.start);
            return if text.is_empty() { byte.start..byte.start } else { byte };
        }
        // Each map is called only once, because it may have to walk.
        if let Map::Composed(inner, outer) = *self {
            return outer.raw(inner.raw(text));
        }
        let (first, last) = (self.byte(text.start), self.byte(text.end - 1));
        first.start..last.end.max(first.start)
    }

    /// Whether [`raw`](Self::raw) is exact. If not, it returns the whole part or field.
    pub(crate) fn exact(&self) -> bool {
        match *self {
            Map::Whole { .. } => false,
            Map::Composed(inner, outer) => inner.exact() && outer.exact(),
            _ => true,
        }
    }

    /// Returns the source bytes of byte `at` of the text.
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
