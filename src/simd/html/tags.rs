//! Finds the start and end of many tags at once, with subtractions of bit masks.

use super::StructuralIndex;
use crate::simd::BLOCK;

/// The state of [`skip_to_candidate`](StructuralIndex::skip_to_candidate).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    at: usize,
    /// The offset of the start of the current tag or text.
    pub(crate) begin: usize,
    in_tag: bool,
    /// Whether the position is inside an attribute value in double quotes.
    pub(crate) in_value: bool,
    /// Candidates before this offset are ignored, because the tokenizer has already read them. Before this offset,
    /// `skip_to_candidate` stops only at tags whose end is uncertain, for example because of a single quote.
    matters_from: usize,
}

impl Course {
    /// Returns the state for a start at offset `at`, which must be the start of a tag or in the text between tags.
    pub(crate) fn from(at: usize) -> Self {
        Course { at, begin: at, in_tag: false, in_value: false, matters_from: at }
    }

    /// Returns the state for continuing after the offset `stop` in the same tag. The last attribute value that was read
    /// ends at `value_end`.
    pub(crate) fn onward(self, stop: usize, value_end: usize) -> Self {
        Course { at: stop + 1, in_tag: true, matters_from: value_end, ..self }
    }
}

impl StructuralIndex<'_> {
    /// Skips HTML that certainly has no URL, and stops at the next candidate. Candidates are:
    ///
    /// - a colon, or a character reference that may be a colon;
    /// - two slashes, and a slash, blank or character reference at the beginning of an attribute value;
    /// - the beginning of a comment, or of an element that the tokenizer must see (see `NAMES`).
    ///
    /// If the candidate is within a tag, returns the offset of the candidate. Otherwise returns `None`. In both cases,
    /// sets `course.begin` to the start of the tag or text that has the candidate, or to the end of the HTML if there
    /// is no candidate. The tokenizer continues there.
    ///
    /// This function assumes that the first `>` after a `<` ends the tag. The assumption is wrong only for a tag with a
    /// `>` in a quoted value. The function can skip a tag only if all its quotes are in pairs such as `="value"`. In a
    /// pair, the first quote follows a `=`, and the second quote does not follow a `=` or a blank. No `>` is between
    /// the two quotes. The tokenizer never takes the second quote of a pair for an opening quote. So the skipped tags
    /// have no `>` in a quoted value. The function stops at each tag with other quotes.
    ///
    /// If a `<` does not begin a tag, this `<` and the bytes up to the next `<` or `>` are text. This text can be
    /// skipped like a tag, because the function stops at every candidate.
    ///
    /// Takes a few instructions for every eight bytes.
    pub(crate) fn skip_to_candidate(&mut self, course: &mut Course) -> Option<usize> {
        let shift = course.at % BLOCK;
        let (mut wanted, mut inside, mut quoted) =
            (!0 << shift, u64::from(course.in_tag) << shift, u64::from(course.in_value) << shift);
        for block in course.at / BLOCK.. {
            let Some(marks) = self.block(block) else { break };
            let (open, close) = (marks.open & wanted, marks.close & wanted);
            // If each `<` has a `>`, the subtraction sets all bits from each `<` to the bit before its `>`.
            let tags = close.wrapping_sub(open).wrapping_sub(inside);
            let first = marks.first & tags;
            let second = marks.double & tags & !first;
            let values = second.wrapping_sub(first).wrapping_sub(quoted);
            let odd = (tags & (close | marks.odd)) | (open & !tags) | (values & (second | close)) | (first & !values);
            let from = course.matters_from.saturating_sub(block * BLOCK);
            let after = if from < BLOCK { !0 << from } else { 0 };
            let stop = (marks.stop & wanted & after) | odd;
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
}

#[cfg(test)]
mod tests {
    use super::super::WINDOW;
    use super::*;

    #[test]
    fn skipping_ends_at_each_possible_url() {
        // Each row has the HTML that is skipped, the HTML after it, and the returned offset, counted from the start of
        // the second HTML. The offset is `None` unless the skipping stops inside a tag.
        let table: [(&str, &str, Option<usize>); 32] = [
            ("<p>a</p>b <br/>c &nbsp;", "", None),
            ("<p class=\"b\"><strong>", "", None),
            ("<p>", "a: b", None),
            ("<p>a&amp;b<br>", "c&colon;d", None),
            ("<p a=\"b\">c", "<i d=\"e:f\">", Some(7)),
            ("<p>a", "<A>", Some(1)),
            ("<p>a", "<!-- b -->", Some(1)),
            ("<p>a", "<style>", Some(1)),
            ("<p>a", "<SCRIPT>", Some(1)),
            ("<p>a", "<svg>", Some(1)),
            ("<p>a", "<img>", Some(1)),
            ("<LI>a<strong>", "<link>", Some(1)),
            ("<p>a", "<TextArea>", Some(1)),
            ("<p>a", "<i b=\"//c\">", Some(6)),
            ("<p>a", "<i b=\\/c>", Some(5)),
            ("<p>a", "<i b=\"c //d\">", Some(9)),
            ("<p>a", "<i b='c'>", None),
            ("<p>a", "<i b=\"c>d\">", None),
            ("<p>a", "<i b=\"c<d\">", None),
            ("<p>a", "<i b = \"c\">", Some(6)),
            ("<p>a", "<i b= \"c\">", Some(5)),
            ("<p>a", "<i b=\"c\"\">", None),
            ("<p>a", "<i b\"c\">", None),
            ("<p>a", "<i b=\"c=\" d>", None),
            ("<p>a", "<i b=c=\"d>e\">", None),
            ("<p>a", "<i b=\"c'd\">", None),
            ("<p b=c=\"d\" e>", "f > g", None),
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
                let stop = StructuralIndex::new(html.as_bytes(), &mut Vec::new()).skip_to_candidate(&mut course);
                let begin = before + over.len();
                assert_eq!((course.begin, stop), (begin, expected.map(|at| begin + at)), "{over}{rest} at {before}");
            }
        }
    }
}
