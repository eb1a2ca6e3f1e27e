//! From an offset in what is scanned back to the octets of the message.
//!
//! Nothing is stored per octet. A region that was borrowed is a shift; one that was decoded keeps a
//! checkpoint every few hundred octets and decodes again from the nearest one when asked. Hits are rare,
//! decoding is not: the cost belongs to those who ask.

use std::ops::Range;

use super::transfer::{Base64, Quoted};

/// One stretch of text and the source octets it came from.
///
/// Equal lengths mean octet for octet; otherwise every octet of the text came from the whole of the source
/// stretch (a character reference, say).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where the stretch starts in the text.
    pub(crate) text: u32,
    /// Where it starts in the source.
    pub(crate) raw: u32,
    /// Its length in the source.
    pub(crate) len: u32,
}

/// Puts `range` of `text` behind what is `joined`, and says so in `runs`.
pub(super) fn copy(text: &[u8], range: Range<usize>, joined: &mut Vec<u8>, runs: &mut Vec<Run>) {
    if !range.is_empty() {
        // They fit: of a message of 4 GiB or more nothing is undone.
        runs.push(Run { text: joined.len() as u32, raw: range.start as u32, len: range.len() as u32 });
        joined.extend_from_slice(&text[range]);
    }
}

/// Text offset → message offset, for one region.
///
/// Offsets are octets. Composed maps (text → HTML → decoded part → enclosing part → message) look the
/// same from outside as simple ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Map<'a>(Shape<'a>);

#[derive(Clone, Copy, Debug)]
enum Shape<'a> {
    /// Octet `i` of the text is octet `i + shift` of the source.
    Shift(usize),
    /// Text that was pieced together; `end` is the text's length.
    Runs {
        runs: &'a [Run],
        end: usize,
    },
    Quoted(&'a Quoted<'a>),
    Base64(&'a Base64<'a>),
    /// Decoded in a way that keeps no offsets: all of it came from all of this.
    Whole {
        start: usize,
        end: usize,
    },
    /// First `inner`, then `outer`.
    Composed {
        inner: &'a Map<'a>,
        outer: &'a Map<'a>,
    },
}

impl<'a> Map<'a> {
    /// The text is the source from `offset` on.
    pub(crate) fn shift(offset: usize) -> Self {
        Self(Shape::Shift(offset))
    }

    /// The text came from `source`, no one can say which octet from which.
    pub(crate) fn whole(source: Range<usize>) -> Self {
        Self(Shape::Whole { start: source.start, end: source.end })
    }

    /// The text was pieced together of these, and has `end` octets.
    pub(crate) fn runs(runs: &'a [Run], end: usize) -> Self {
        Self(Shape::Runs { runs, end })
    }

    pub(super) fn quoted(decoded: &'a Quoted<'a>) -> Self {
        Self(Shape::Quoted(decoded))
    }

    pub(super) fn base64(decoded: &'a Base64<'a>) -> Self {
        Self(Shape::Base64(decoded))
    }

    /// A map for text that `inner` takes to a text that `outer` takes on: what a caller needs who decodes
    /// once more (HTML's character references) and wants offsets in the message.
    pub(crate) fn composed(inner: &'a Map<'a>, outer: &'a Map<'a>) -> Self {
        Self(Shape::Composed { inner, outer })
    }

    /// The source octets of `text`: from the first one that made its first octet to the last one that
    /// made its last. An empty range gives the empty range where its start is.
    ///
    /// Offsets beyond the text give the end of the source. Costs a subtraction for borrowed text, a walk
    /// over at most a few hundred octets for decoded text.
    pub(crate) fn raw(&self, text: Range<usize>) -> Range<usize> {
        if text.len() < 2 {
            let octet = self.octet(text.start);
            return if text.is_empty() { octet.start..octet.start } else { octet };
        }
        let last = text.end - 1;
        let (first, last) = match self.0 {
            Shape::Quoted(decoded) => decoded.locate_both(text.start, last),
            // Each is asked but once: it may have to walk.
            Shape::Composed { inner, outer } => return outer.raw(inner.raw(text)),
            _ => (self.octet(text.start), self.octet(last)),
        };
        first.start..last.end.max(first.start)
    }

    /// Whether [`raw`](Self::raw) is exact. If not, it names the whole part or field.
    pub(crate) fn exact(&self) -> bool {
        match self.0 {
            Shape::Whole { .. } => false,
            Shape::Composed { inner, outer } => inner.exact() && outer.exact(),
            _ => true,
        }
    }

    /// The source octets that made octet `at` of the text.
    fn octet(&self, at: usize) -> Range<usize> {
        match self.0 {
            Shape::Shift(shift) => at + shift..at + shift + 1,
            Shape::Runs { runs, end } => in_runs(runs, end, at),
            Shape::Quoted(decoded) => decoded.locate(at),
            Shape::Base64(decoded) => decoded.locate(at),
            Shape::Whole { start, end } => start..end,
            Shape::Composed { inner, outer } => outer.raw(inner.octet(at)),
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
