//! Finds the `*`, `_` or `'` that opens emphasis or a quotation before a URL. The closing mark after the URL is then
//! trimmed (rule 2.3).

use core::ops::Range;

use super::quote;

/// The opening marks that were found so far in the current line. For the next URL in the line, the search continues at
/// `upto`, so that each byte of the line is read only once.
#[derive(Clone, Debug, Default)]
pub(super) struct EmphasisState {
    /// The offset at which the current line starts. 0 before the first search.
    line: usize,
    /// The offset up to which the current line was searched. 0 before the first search.
    upto: usize,
    /// For each of the [`MARKS`], whether an opening mark of this kind is on the line before `upto`.
    opened: [bool; MARKS.len()],
    /// Whether the previous line has an opening `'`.
    quoted_before: bool,
}

/// The marks that can open emphasis or a quotation.
pub(super) const MARKS: [u8; 3] = *b"*_'";

/// The index of the apostrophe in [`MARKS`].
const QUOTATION: usize = 2;

impl EmphasisState {
    /// Whether `MARKS[mark]` occurs as an opening mark before `start`, on the same line. For `'`, the opening mark can
    /// also be on the previous line. If the line is too long to search, only the byte before `start` is checked.
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

/// Returns which of [`MARKS`] occur in `range` as opening marks. A mark such as `*`, or a run such as `**`, opens
/// emphasis if no letter or digit is before it and no white space is after it.
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
