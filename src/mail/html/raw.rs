//! Handles elements whose content is text even if it looks like tags (HTML standard, section 13.2.6).
//!
//! Unlike a browser, the module `html` reads the content of these elements as HTML, and so finds more URLs. But a
//! comment, script or style sheet that begins inside such an element must not hide the HTML after the element. For
//! example, some spam begins with `<noframes><style></noframes>`.

use std::ops::Range;

use memchr::memchr_iter;

use super::tag::{CLOSING, Name};

const ELEMENTS: [Name; 6] = [
    Name::new(b"iframe"),
    Name::new(b"noembed"),
    Name::new(b"noframes"),
    Name::new(b"textarea"),
    Name::new(b"title"),
    Name::new(b"xmp"),
];

/// For each element of [`ELEMENTS`], the offset up to which the HTML was searched for tags of this element. The element
/// is not open at this offset.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Searched([usize; ELEMENTS.len()]);

/// Caches the offset of the next end of a comment, script or style sheet. Many comments, for example, can begin before
/// the same `-->`, and searching for the end of each would take quadratic time.
#[derive(Clone, Debug, Default)]
pub(super) struct NextEnd(Range<usize>);

impl NextEnd {
    /// Returns the result of `search`, which must be the first end at or after `from`. Does not call `search` again if
    /// an earlier result is still valid. `from` must not decrease from call to call.
    pub(super) fn find(&mut self, from: usize, search: impl FnOnce() -> usize) -> usize {
        if !(self.0.start..=self.0.end).contains(&from) || self.0.is_empty() {
            self.0 = from..search();
        }
        self.0.end
    }
}

/// Finds the closing tag of an element of [`ELEMENTS`] that is open before `range`. Returns the offset of the closing
/// tag, if the tag is in `range`. `range` looks like a comment, script or style sheet. If `range` has such a closing
/// tag, the bytes before the tag are text inside the open element.
///
/// All calls together take linear time, because the HTML before `range` is searched at most once for each element.
pub(super) fn end(html: &[u8], range: Range<usize>, searched: &mut Searched) -> Option<usize> {
    let mut closings = CLOSING.find_iter(&html[range.clone()]).map(|at| range.start + at);
    closings.find(|&closing| {
        let name = Name::at(html, closing + 2).0;
        let Some(index) = ELEMENTS.iter().position(|element| *element == name) else { return false };
        let from = std::mem::replace(&mut searched.0[index], range.start);
        let is_open = is_open(html, from..range.start, ELEMENTS[index]);
        if is_open {
            searched.0[index] = closing;
        }
        is_open
    })
}

/// Whether the element `name` is open at the end of `range`. The element must not be open at the start of `range`.
fn is_open(html: &[u8], range: Range<usize>, name: Name) -> bool {
    let mut is_open = false;
    for at in memchr_iter(b'<', html.get(range.clone()).unwrap_or_default()).map(|at| range.start + at) {
        if html[at + 1] == b'/' {
            is_open &= Name::at(html, at + 2).0 != name;
        } else {
            is_open |= Name::at(html, at + 1).0 == name;
        }
    }
    is_open
}
