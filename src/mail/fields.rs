//! Visits those fields of a header block that can contain a URL.

use std::ops::{ControlFlow, Range};

use super::header::{self, Block};
use super::map::Map;
use super::structure::{Flow, Walk, boundary};
use super::words::{self, ENCODED_WORD, Words};
use super::{Kind, Region, Scratch, Skip, unfold};
use crate::header::{Field, Fields, around};

/// Returns the offset of the first encoded word in `range`, or the end of `range`.
#[inline(never)]
fn next_word(message: &[u8], range: Range<usize>) -> usize {
    ENCODED_WORD.find(&message[range.clone()]).map_or(range.end, |i| range.start + i)
}

impl Walk<'_, '_> {
    /// Visits the header block at `at`. Each field that can contain a URL is visited as one region. All bytes between
    /// two of these fields are visited as another region. If the caller has already parsed the block, `known` is the
    /// parsed block.
    pub(super) fn headers(&mut self, at: usize, top: bool, known: Option<Block>) -> ControlFlow<(), Block> {
        if let Some(mut block) = known {
            self.fields(at, top, &mut block, &mut |_| false)?;
            return ControlFlow::Continue(block);
        }
        self.later_headers(at, top)
    }

    /// Like [`headers`](Self::headers), for a header block that is not at the beginning of the message, or that is
    /// unusual.
    #[inline(never)]
    fn later_headers(&mut self, at: usize, top: bool) -> ControlFlow<(), Block> {
        let message = self.message;
        if !top && let Some(block) = header::indented(message, at) {
            self.emit(Kind::Raw, at..block.body, false)?;
            return ControlFlow::Continue(block);
        }
        let frames = std::mem::take(&mut self.scratch.frames);
        let mut delimiter = |line: &[u8]| boundary(&frames, line).is_some();
        let mut block = header::block(message, at, top, &mut delimiter);
        let flow = self.fields(at, top, &mut block, &mut delimiter);
        self.scratch.frames = frames;
        flow?;
        ControlFlow::Continue(block)
    }

    /// Visits the fields of `block`, which begins at `at`. For speed, searches the block only for triggers and encoded
    /// words, and parses only the fields that have a trigger or an encoded word.
    ///
    /// `block` can include text of the body, if the blank line after the header is missing. If a trigger or an encoded
    /// word is on a line that is not a field, `walk_fields` reads the rest of the block line by line, and corrects
    /// `block`.
    fn fields(&mut self, at: usize, top: bool, block: &mut Block, delimiter: &mut dyn FnMut(&[u8]) -> bool) -> Flow {
        let message = self.message;
        // `done` is the end of the last visited region. `last` is the start of the last parsed field, and `seen` is its
        // end. `first` is the offset at which an mbox line (`From `) is allowed: the start of the block, or the end of
        // such a line.
        let (mut done, mut last, mut seen, mut first) = (at, at, at, at);
        let mut place = self.seek(at..block.end);
        let mut word = match block.words {
            Words::Unknown => next_word(message, at..block.end),
            Words::None => block.end,
            Words::First(at) => at,
        };
        while place.min(word) < block.end {
            let raw = around(message, seen, place.min(word), block.end);
            let is_first = top && raw.start == first;
            let Some(field) = Field::of(message, raw, is_first) else {
                let is_first = top && (last == at || seen == first);
                return self.walk_fields(last..seen, done, is_first, block, delimiter);
            };
            (last, seen) = (field.raw.start, field.raw.end);
            if field.name.is_none() {
                first = seen;
            }
            let encoded = word < seen && self.may_hide_url(&field);
            if encoded || place < seen {
                self.emit(Kind::Skipped(Skip::Headers), done..field.raw.start, false)?;
                done = seen;
                self.field(field, encoded)?;
            }
            if place < seen {
                place = self.seek(seen..block.end);
            }
            if word < seen {
                word = next_word(message, seen..block.end);
            }
        }
        if let Some((kind, offset)) = block.damage {
            self.note(kind, offset);
        }
        self.emit(Kind::Skipped(Skip::Headers), done..block.body, false)
    }

    /// Returns the offset of the first trigger in `range`, or the end of `range` if there is no trigger.
    fn seek(&mut self, range: Range<usize>) -> usize {
        self.caller.prefilter.first(self.message, range.clone()).unwrap_or(range.end)
    }

    /// Reads the header block line by line, from the field `last` to the end of the block, and visits each field after
    /// `last` that can contain a URL. Reads `last` again, because the block ends in `last` if its last line has only
    /// blanks and is not followed by a field. `is_first` is whether all lines before `last` are mbox lines (`From `).
    fn walk_fields(
        &mut self,
        last: Range<usize>,
        mut done: usize,
        is_first: bool,
        block: &mut Block,
        delimiter: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Flow {
        let message = self.message;
        let mut fields = Fields::new(message, last.start, is_first);
        while let Some(field) = fields.next(delimiter) {
            if field.raw.start < last.end {
                continue;
            }
            let bytes = &message[field.raw.clone()];
            let encoded = ENCODED_WORD.find(bytes).is_some() && self.may_hide_url(&field);
            if encoded || self.caller.prefilter.first(message, field.raw.clone()).is_some() {
                self.emit(Kind::Skipped(Skip::Headers), done..field.raw.start, false)?;
                done = field.raw.end;
                self.field(field, encoded)?;
            }
        }
        (block.end, block.body) = fields.over.unwrap_or((message.len(), message.len()));
        for field in [&mut block.content_type, &mut block.encoding] {
            field.take_if(|value| value.end > block.end);
        }
        if let Some((kind, offset)) = block.damage.or(fields.damage) {
            self.note(kind, offset);
        }
        self.emit(Kind::Skipped(Skip::Headers), done..block.body, false)
    }

    /// Returns whether the encoded words of `field` must be decoded, because they may contain a URL. Decoded text
    /// without a colon has no URL, and without a dot no address, so most fields need not be decoded.
    ///
    /// Returns `true` if the triggers are unknown, as in a search for defanged URLs: a defanged URL such as
    /// `www[.]example[.]org` has no colon.
    fn may_hide_url(&self, field: &Field) -> bool {
        let (prefilter, value) = (&self.caller.prefilter, &self.message[field.value.clone()]);
        field.name.is_none()
            || !prefilter.has_triggers()
            || words::may_hide_colon(value)
            || prefilter.needs_dots && words::may_hide_dot(value)
    }

    /// Visits one field. `encoded` says whether the field has encoded words that must be decoded.
    fn field(&mut self, field: Field, encoded: bool) -> Flow {
        let message = self.message;
        let Some(name) = field.name else { return self.emit(Kind::Raw, field.raw, false) };
        let kind = Kind::Header { name: &message[name] };
        let value = message[field.value.clone()].trim_ascii();
        let decoded = if encoded { words::decode_words(value, value.len(), None) } else { None };
        let Field { value, raw, .. } = field;
        let is = |other: &[u8]| matches!(kind, Kind::Header { name } if name.eq_ignore_ascii_case(other));
        let Scratch { joined, section: part, .. } = &mut *self.scratch;
        // The value of each of these two fields is a single URI, which can be folded anywhere (RFC 2557, section
        // 4.4.2).
        let unfolds = (is(b"Content-Location") || is(b"Content-Base")) && decoded.is_none();
        if unfolds {
            unfold::unfold_field(&message[value.clone()], joined);
        }
        let (inner, outer) = (joined.map(), Map::Shift(value.start));
        let (text, map, triggers) = match &decoded {
            Some(text) => (text.as_bytes(), Map::Whole { start: value.start, end: value.end }, None),
            None if unfolds => (joined.text.as_slice(), Map::Composed(&inner, &outer), None),
            None => {
                (&message[value.clone()], Map::Shift(value.start), self.caller.prefilter.triggers_from(value.start))
            }
        };
        let alternative = self.alternative;
        let region = &Region { kind, raw, part, media: b"", text, triggers, map, recovered: false, alternative };
        self.caller.visitor.region(region)
    }
}
