//! Finds where tags begin and end, many at once, by arithmetic on the bits of their marks.

use super::StructuralIndex;
use crate::simd::BLOCK;

/// The state of [`skip_to_candidate`](StructuralIndex::skip_to_candidate).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    at: usize,
    /// Where the current tag begins, or the text.
    pub(crate) begin: usize,
    in_tag: bool,
    /// Within a tag, whether the position is in a value in double quotation marks.
    pub(crate) in_value: bool,
    /// Before this offset, only odd bytes matter.
    matters_from: usize,
}

impl Course {
    /// Starts at `at`, where a tag begins or text continues.
    pub(crate) fn from(at: usize) -> Self {
        Course { at, begin: at, in_tag: false, in_value: false, matters_from: at }
    }

    /// Continues from `stop` in the same tag. Its last known value ends at `value_end`.
    pub(crate) fn onward(self, stop: usize, value_end: usize) -> Self {
        Course { at: stop + 1, in_tag: true, matters_from: value_end, ..self }
    }
}

impl StructuralIndex<'_> {
    /// Skips to the next byte that may matter: a colon, a reference that may be one, or the beginning of an `a`
    /// element's name, of an element whose content is not HTML, or of a comment. Returns it if it is within a tag.
    /// `course` has the beginning of that tag, or of the text that must be read, or the end.
    ///
    /// On the way, every `>` ends a tag. The bytes after a `<` show whether it begins a tag, or something else that
    /// ends with the next `>`, or is only text. This is right if a tag has only double quotation marks, in pairs: the
    /// first of each pair follows an equals sign, the second follows neither that nor a blank, and no `>` is between
    /// the two. The tokenizer may take both of a pair for part of a name or of a bare value, but never the second for
    /// an opening one, so the first `>` ends the tag. If a `<` is only text, so is all up to the next one, and to the
    /// next `>`. It stops at tags that are written in another way.
    ///
    /// Costs a few instructions for every eight bytes.
    pub(crate) fn skip_to_candidate(&mut self, course: &mut Course) -> Option<usize> {
        let shift = course.at % BLOCK;
        let (mut wanted, mut inside, mut quoted) =
            (!0 << shift, u64::from(course.in_tag) << shift, u64::from(course.in_value) << shift);
        for block in course.at / BLOCK.. {
            let Some(marks) = self.block(block) else { break };
            let (open, close) = (marks.open & wanted, marks.close & wanted);
            // If `<` and `>` are in pairs, all bits from each `<` up to its `>` are set.
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
        // Each row: the HTML that is skipped; the rest; and, if skipping stops inside a tag, the offset in the rest
        // where it stops.
        let table: [(&str, &str, Option<usize>); 25] = [
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
            ("<p>a", "<i b= \"c\">", None),
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
