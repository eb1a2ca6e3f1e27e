//! Elements whose content is text, even if it looks like tags (HTML, section 13.2.6).
//!
//! The walk reads their content as HTML, and finds more than a browser would. But a comment or a style sheet that seems
//! to begin in one must not hide what follows the element: some spam has `<noframes><style></noframes>` at its top.

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

/// For each of these elements, how far the HTML was searched. The element is not open there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Searched([usize; ELEMENTS.len()]);

/// The end of something that may seem to begin several times before it ends. It is searched for once.
#[derive(Clone, Debug, Default)]
pub(super) struct NextEnd(Range<usize>);

impl NextEnd {
    /// Returns what `search` finds at or after `from`: the first byte of the end. Later calls go forward.
    pub(super) fn find(&mut self, from: usize, search: impl FnOnce() -> usize) -> usize {
        if !(self.0.start..=self.0.end).contains(&from) || self.0.is_empty() {
            self.0 = from..search();
        }
        self.0.end
    }
}

/// `range` looks like a comment or a style sheet. Returns where an element ends in it that was open before it.
///
/// All calls together take linear time, because the HTML before `range` is searched at most once, and only if the
/// element ends in `range`.
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

/// Whether the element is open at the end of `range`. It is not open at its start.
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
