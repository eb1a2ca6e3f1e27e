//! Skips the HTML of each paragraph up to its first colon, because a URL has a colon after its scheme. At the first
//! colon, this module goes back and reads the skipped HTML of the paragraph, because it may contain the scheme.

use std::ops::{ControlFlow, Range};

use memchr::{memchr_iter, memchr2, memchr2_iter, memrchr};

use super::Walk;
use super::tag::{Attribute, Attributes, Break, Name, Opening};
use super::text::Seen;
use super::value::{Known, Value};
use crate::simd::html::{Course, Mark};

/// The largest number of skipped ranges that are remembered.
const STRETCHES: usize = 64;

/// The ranges of skipped HTML. Skipped HTML consists of text without a colon, and of tags that have no `<` or `>` in
/// their attributes.
#[derive(Debug, Default)]
pub(super) struct SkippedHtml {
    /// The complete ranges. Each range ends before a comment, a doctype or other markup that is not a tag.
    before: Vec<Range<usize>>,
    /// The start of the current range.
    at: Option<usize>,
}

impl SkippedHtml {
    /// Forgets all ranges.
    pub(super) fn clear(&mut self) {
        self.before.clear();
        self.at = None;
    }

    /// Ends the current range at `end`.
    #[inline]
    fn pause(&mut self, end: usize) {
        if let Some(at) = self.at.take()
            && at < end
        {
            self.before.push(at..end);
        }
    }
}

/// Whether the tag at `open` may have the name of `attribute` before it, too.
fn repeats(html: &[u8], open: usize, attribute: &Attribute) -> bool {
    let (before, name) = (&html[open + 1..attribute.name.start], html[attribute.name.clone()].trim_ascii());
    let begins = |at: usize| before[at..].get(..name.len()).is_some_and(|other| other.eq_ignore_ascii_case(name));
    let first = name.first().map_or(b' ', u8::to_ascii_lowercase);
    before.len() > name.len() && memchr2_iter(first, first.to_ascii_uppercase(), before).any(begins)
}

impl Walk<'_> {
    /// Skips HTML from `at` to the next place that must be read. Returns the offset of this place. Visits an attribute
    /// of a skipped tag if the attribute has the common form `name="value"`.
    #[inline]
    pub(super) fn skip_to_candidate(&mut self, at: usize) -> ControlFlow<(), usize> {
        self.skipped.at.get_or_insert(at);
        let mut course = Course::from(at);
        let mut anchor = None;
        while let Some(stop) = self.marks.skip_to_candidate(&mut course) {
            let open = course.begin;
            let value_end = if stop == open + 1 {
                anchor = Some(open);
                if self.is_picture(open) { self.picture(open)? } else { self.anchor(open)? }
            } else if course.in_value && (self.is_common(open) || anchor == Some(open)) {
                self.value(open, stop)?
            } else {
                None
            };
            let Some(end) = value_end else { break };
            self.visited = end;
            course = course.onward(stop, end);
        }
        ControlFlow::Continue(course.begin)
    }

    /// Whether each attribute of the tag at `open` can be visited without reading the other attributes of the tag. This
    /// is not possible for `a` and `meta`. For speed, only the first letter of the name is compared, so the result is
    /// `false` for all names that begin with `a` or `m`.
    #[inline]
    fn is_common(&self, open: usize) -> bool {
        self.html
            .get(open + 1)
            .is_some_and(|letter| letter.is_ascii_alphabetic() && !matches!(letter | 0x20, b'a' | b'm'))
    }

    /// Visits the `href` of the tag at `open` if the tag begins with `<a href="`, and returns the end of the `href`
    /// value. Returns `None` for any other tag, and for a value that is not closed.
    #[inline]
    fn anchor(&mut self, open: usize) -> ControlFlow<(), Option<usize>> {
        const BEGIN: [u8; 8] = *b"a href=\"";
        let html = self.html;
        let start = open + 1 + BEGIN.len();
        if html.get(open + 1..start).is_none_or(|begin| !begin.eq_ignore_ascii_case(&BEGIN)) {
            return ControlFlow::Continue(None);
        }
        let Some(end) = self.marks.next(Mark::Double, start) else { return ControlFlow::Continue(None) };
        self.join(open)?;
        self.skipped.at.get_or_insert(open);
        if end > start {
            self.link = start..end;
        }
        self.set_element(open + 1);
        if self.marks.hint(start..end).is_some() || self.may_be_reference(start..end) {
            self.show(&Attributes::new(html, end + 1));
            self.attribute(start..end, Known::HREF, self.place)?;
            self.shown.clear();
        } else {
            self.add_relative(start..end, Some(Known::HREF));
        }
        ControlFlow::Continue(Some(end))
    }

    /// Whether the tag at `open` begins like `<img`.
    #[inline]
    fn is_picture(&self, open: usize) -> bool {
        matches!(self.html.get(open + 1..open + 3), Some([b'i' | b'I', b'm' | b'M']))
    }

    /// Visits the `src` of the tag at `open` if the tag begins with `<img src="`, and returns the end of the value.
    /// Returns `open` for another tag with a colon, at which [`value`](Self::value) visits the only `src`. Otherwise
    /// returns `None`, because the `src` can be relative.
    #[inline]
    fn picture(&mut self, open: usize) -> ControlFlow<(), Option<usize>> {
        const BEGIN: [u8; 9] = *b"img src=\"";
        /// The number of bytes that are searched for a colon. Without a limit, tags in a tag would take quadratic time.
        const REACH: usize = 1 << 10;
        let html = self.html;
        let start = open + 1 + BEGIN.len();
        if html.get(open + 1..start).is_none_or(|begin| !begin.eq_ignore_ascii_case(&BEGIN)) {
            let tag = &html[open..html.len().min(open + REACH)];
            let is_src = |equals: &usize| {
                let name = tag[..*equals].trim_ascii_end().last_chunk::<3>();
                name.is_some_and(|name| name.eq_ignore_ascii_case(b"src"))
            };
            let is_visited = |&at: &usize| tag[at] == b':' && memchr_iter(b'=', &tag[..at]).filter(is_src).count() < 2;
            return ControlFlow::Continue(memchr2(b':', b'>', tag).filter(is_visited).map(|_| open));
        }
        let Some(end) = self.marks.next(Mark::Double, start) else { return ControlFlow::Continue(None) };
        self.set_element(open + 1);
        self.attribute(start..end, Known::SRC, self.place)?;
        ControlFlow::Continue(Some(end))
    }

    /// Visits the attribute value that contains the offset `stop`. The attribute belongs to the tag at `open`. Returns
    /// the end of the value, or `None` if the attribute does not have the common form `name="value"`.
    #[inline]
    fn value(&mut self, open: usize, stop: usize) -> ControlFlow<(), Option<usize>> {
        let html = self.html;
        let bounds = (self.marks.last(Mark::Double, open..stop), self.marks.next(Mark::Double, stop));
        let (Some(quote), Some(end)) = bounds else { return ControlFlow::Continue(None) };
        let Some((attribute, name)) = Attribute::quoted(html, open, quote + 1..end) else {
            return ControlFlow::Continue(None);
        };
        // The `src` of a picture can be relative.
        if name != Name::SRC && self.visited <= open && self.is_picture(open) {
            return ControlFlow::Continue(None);
        }
        if let Some(known) = Known::of(name)
            && known.value != Value::Content
        {
            // An attribute before it can have the same name.
            if self.visited > open || repeats(html, open, &attribute) {
                return ControlFlow::Continue(None);
            }
            self.set_element(open + 1);
            self.attribute(attribute.value, known, self.place_of(known))?;
        }
        ControlFlow::Continue(Some(end))
    }

    /// Adds the tag at `range` to the text, unless the HTML before the tag was skipped. In that case, the tag of a
    /// block element begins a new paragraph, and the skipped HTML is forgotten. Any other tag is skipped, too, unless
    /// its attributes contain `<` or `>`.
    #[inline]
    pub(super) fn tag(&mut self, name: Name, range: Range<usize>) -> ControlFlow<()> {
        if self.skipped.at.is_some() {
            if name.breaks() == Break::Block {
                self.skipped.clear();
                self.text.clear();
                return ControlFlow::Continue(());
            }
            if self.marks.next(Mark::Bound, range.start + 1) == Some(range.end - 1) {
                return ControlFlow::Continue(());
            }
            self.replay_skipped(range.start)?;
        }
        self.text.tag(name, range, self.visit)
    }

    /// Reads the skipped HTML if the tag at `open` continues the link that ends directly before the tag: see
    /// [`continues`](Self::continues).
    pub(super) fn join(&mut self, open: usize) -> ControlFlow<()> {
        let html = self.html;
        if let Some(begin) = self.skipped.at
            && html[..open].ends_with(b">")
            && let Some(before) = self.last_open(begin..open)
            && html[before + 1] == b'/'
            && Name::at(html, before + 2).0 == Name::A
            && self.continues(open)
        {
            return self.replay_skipped(before);
        }
        ControlFlow::Continue(())
    }

    /// Reads the skipped HTML up to `end`. If this HTML has tags of block elements such as `<p>`, reads only the HTML
    /// after the last of these tags. A URL does not continue across the tag of a block element.
    #[inline]
    pub(super) fn replay_skipped(&mut self, end: usize) -> ControlFlow<()> {
        self.skipped.pause(end);
        if self.skipped.before.is_empty() {
            return ControlFlow::Continue(());
        }
        self.read()
    }

    /// Ends the current range of skipped HTML before the markup at `open`, which is a comment or other markup that is
    /// not a tag. The text before the markup continues after the markup.
    pub(super) fn skip_markup(&mut self, open: usize) -> ControlFlow<()> {
        if self.skipped.before.len() == STRETCHES {
            return self.replay_skipped(open);
        }
        self.skipped.pause(open);
        ControlFlow::Continue(())
    }

    fn read(&mut self) -> ControlFlow<()> {
        let mut stretches = std::mem::take(&mut self.skipped.before);
        let last_block =
            stretches.iter().enumerate().rev().find_map(|(i, stretch)| Some((i, self.last_block(stretch)?)));
        if let Some((i, end)) = last_block {
            self.text.clear();
            stretches[i].start = end;
        }
        for stretch in stretches.drain(..).skip(last_block.map_or(0, |(i, _)| i)) {
            self.hold(stretch)?;
        }
        self.skipped.before = stretches;
        ControlFlow::Continue(())
    }

    /// Returns the end of the last tag in `range` that belongs to a block element.
    fn last_block(&mut self, range: &Range<usize>) -> Option<usize> {
        let html = self.html;
        let mut upto = range.end;
        while let Some(open) = self.last_open(range.start..upto) {
            if let Opening::Start(name) | Opening::End(name) = Opening::at(html, open)
                && Name::at(html, name).0.breaks() == Break::Block
            {
                return Some(self.after(open, range.end));
            }
            upto = open;
        }
        None
    }

    /// Adds the HTML in `range` to the text.
    fn hold(&mut self, range: Range<usize>) -> ControlFlow<()> {
        let (html, end) = (self.html, range.end);
        let mut at = range.start;
        while at < end {
            let open = self.marks.next(Mark::Open, at).map_or(end, |open| open.min(end));
            if open > at {
                let reference = self.marks.hint(at..open).is_some();
                self.text.add(at..open, Seen { colon: false, reference }, self.visit)?;
            }
            if open == end {
                break;
            }
            at = self.after(open, end);
            match Opening::at(html, open) {
                Opening::Start(name) | Opening::End(name) => {
                    self.text.tag(Name::at(html, name).0, open..at, self.visit)?;
                }
                Opening::Text => {
                    at = open + 1;
                    self.text.add(open..at, Seen::default(), self.visit)?;
                }
                // A skipped range contains no comment or similar markup, because `skip_markup` ends the range before
                // the markup.
                Opening::Declaration | Opening::Other => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the offset of the last `<` in `range`.
    #[inline]
    fn last_open(&self, range: Range<usize>) -> Option<usize> {
        let (html, start) = (self.html, range.start);
        self.marks.last(Mark::Open, range.clone()).or_else(|| memrchr(b'<', &html[range]).map(|i| start + i))
    }

    /// Returns the end of the tag at `open`. The tag ends with the first `>` after `open`.
    fn after(&mut self, open: usize, end: usize) -> usize {
        self.marks.next(Mark::Close, open).map_or(end, |close| close + 1)
    }
}
