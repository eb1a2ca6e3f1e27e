//! Finds emphasis or a quotation that was opened before a URL (rule 2.3).

use core::ops::Range;

use super::quote;

/// What is known of the last line that was searched. Every byte of a line is read once, even if several URLs end in
/// marks there.
#[derive(Clone, Debug, Default)]
pub(super) struct EmphasisState {
    /// Where the line begins, and how far it was searched. At first, both are 0.
    line: usize,
    upto: usize,
    /// Which of [`MARKS`] were opened in it up to there.
    opened: [bool; MARKS.len()],
    /// Whether a quotation was opened in the line before.
    quoted_before: bool,
}

/// The marks.
pub(super) const MARKS: [u8; 3] = *b"*_'";

/// The index of the apostrophe in [`MARKS`].
const QUOTATION: usize = 2;

impl EmphasisState {
    /// Whether the mark at this index of [`MARKS`] was opened, directly before `start` or at the start of a word on the
    /// same line; an apostrophe also on the line before. In a line that is too long to search, only the byte before
    /// counts.
    pub(super) fn opened(&mut self, text: &[u8], start: usize, mark: usize) -> bool {
        let Some(line) = quote::line_start(text, start) else { return text[start - 1] == MARKS[mark] };
        if line != self.line || self.upto == 0 || self.upto > start {
            let before = line.checked_sub(1).and_then(|end| Some(quote::line_start(text, end)?..end));
            let quoted_before = before.is_some_and(|before| look(text, before)[QUOTATION]);
            *self = EmphasisState { line, upto: line, opened: [false; 3], quoted_before };
        }
        for (known, new) in self.opened.iter_mut().zip(look(text, self.upto..start)) {
            *known |= new;
        }
        self.upto = start;
        self.opened[mark] || mark == QUOTATION && self.quoted_before
    }
}

/// Returns which marks are in `range` at the start of a word, once or repeated, with no letter or digit before them and
/// no blank after them.
fn look(text: &[u8], range: Range<usize>) -> [bool; MARKS.len()] {
    let mut opened = [false; MARKS.len()];
    let mut at = range.start;
    while let Some(i) = memchr::memchr3(MARKS[0], MARKS[1], MARKS[2], &text[at..range.end]) {
        let mark = text[at + i];
        let first = at + i;
        at = first + text[first..range.end].iter().take_while(|b| **b == mark).count();
        let word_before = first > 0 && text[first - 1].is_ascii_alphanumeric();
        let blank_after = text.get(at).is_none_or(u8::is_ascii_whitespace);
        if let Some(index) = MARKS.iter().position(|m| *m == mark) {
            opened[index] |= !word_before && !blank_after;
        }
    }
    opened
}
