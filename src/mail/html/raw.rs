//! Handles elements such as `textarea`, in which browsers treat tags as text (HTML standard, section 13.2.6).
//!
//! Unlike a browser, the module `html` reads the content of these elements as HTML, and thus finds more URLs. But a
//! comment, script or style sheet that begins inside such an element ends no later than the element. For example, some
//! spam begins with `<noframes><style></noframes>`, and the unclosed style sheet would otherwise hide all HTML after
//! it.

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

/// For each element of [`ELEMENTS`], the offset up to which the HTML was searched for tags of this element. At this
/// offset, the element is not open, or its closing tag begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Searched([usize; ELEMENTS.len()]);

/// Caches the offset at which the next comment, script or style sheet ends, so that the search for this end is not
/// repeated. For example, `<!--` can occur many times before a single `-->`, and a search for the `-->` from each
/// `<!--` would take quadratic time.
#[derive(Clone, Debug, Default)]
pub(super) struct NextEnd(Range<usize>);

impl NextEnd {
    /// Returns the first offset at or after `from` at which a comment, script or style sheet ends. Calls `search` to
    /// find this offset, unless an earlier call has already found it. `from` must not decrease from call to call.
    pub(super) fn find(&mut self, from: usize, search: impl FnOnce() -> usize) -> usize {
        if !(self.0.start..=self.0.end).contains(&from) || self.0.is_empty() {
            self.0 = from..search();
        }
        self.0.end
    }
}

/// Returns the offset in `range` at which an element of [`ELEMENTS`] ends.
///
/// `range` looks like a comment, script or style sheet. But if an element of [`ELEMENTS`] is open at the start of
/// `range`, browsers treat the HTML up to the closing tag of this element as text. If this closing tag is in `range`,
/// returns the offset of the tag. Otherwise, returns `None`.
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
