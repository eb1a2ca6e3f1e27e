//! HTML as far as URLs care: the attributes that hold them, and the text a reader would see.
//!
//! Most of an HTML part is neither, so most of it is only stepped over: what ends text, tags and values is
//! found by SIMD, and the walk goes from mark to mark. Tags written oddly are walked by hand the way the HTML
//! standard's tokenizer walks them (section 13.2.5). A full tokenizer, html5gum, is an order of magnitude slower: it is
//! what the tests compare with.
//!
//! Attributes are decoded as browsers decode them; what browsers then mend in a URL is for `url` to do. `src/scan/RULES.md`,
//! section 2, has the rules.
//!
//! Where the standard loses the rest of a document to a quotation mark that is never closed, the value
//! ends at the next blank or `>` instead: damaged mail is not thrown away.

mod leap;
mod raw;
mod reference;
mod shown;
mod tag;
mod text;
mod value;

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memchr2, memchr2_iter, memchr3};

use super::map::{Map, Run};
use super::{HtmlPlace, Tag};
use crate::simd::html::{BlockMask, Mark, StructuralIndex};
use leap::Unread;
pub(crate) use shown::{Shown, text as shown_text};
use tag::{Attributes, Name, Opening};
use text::{Seen, Text};
use value::{Known, Value};

/// Something in HTML that may hold a URL.
#[derive(Clone, Debug)]
pub(crate) enum Piece<'a> {
    /// An attribute's value, or a URL inside one (`srcset`, `style`, a refresh), or inside a style sheet.
    Attribute {
        /// What it says: character references decoded, blanks and control characters around it and tabs and line ends within
        /// it removed.
        value: &'a [u8],
        /// Where it is in the HTML, as written: with its references and line ends, without quotation marks.
        span: Range<usize>,
        /// What a reader sees of the link that it is.
        shown: &'a Shown,
        /// The tag that it is in.
        tag: Tag,
        /// Where it is, if browsers do not follow it from there.
        place: Option<HtmlPlace>,
    },
    /// Text between tags: character references decoded, inline tags gone without a trace, `br` a line
    /// break, every other tag a blank line.
    Text {
        /// The text.
        text: &'a [u8],
        /// From an offset in it to bytes of the HTML.
        map: Map<'a>,
    },
}

/// Buffers for [`walk`], to be used again for the next part. One per thread.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    blocks: Vec<BlockMask>,
    text: text::Buffers,
    unread: Unread,
    shown: Shown,
    value: Vec<u8>,
    runs: Vec<Run>,
    /// For what is inside a comment.
    inner: Option<Box<Scratch>>,
    /// Whether this is for what is inside a comment.
    is_inner: bool,
}

/// Whether the last search for a double quotation mark, and for a single one, found none: there is no second search.
#[derive(Clone, Copy, Debug, Default)]
struct Exhausted([bool; 2]);

/// Visits what in `html` may hold a URL, in order, attributes before the text around them is complete.
///
/// Attributes: `href`, `src`, `action`, `cite`, `background`, `data`, `srcset` and the rest of those whose
/// value is a URL by HTML 2 to 5 or by an old browser; the URL of a refreshing `meta`; `url(…)` in style
/// attributes and `style` elements; all of these in conditional comments. Scripts and other comments are stepped over.
///
/// A value or a paragraph without a colon, be it hidden in a reference, is not visited: it names no scheme. Linear in
/// `html` whatever it holds; buffers some 64 KiB of text in `scratch`.
pub(crate) fn walk(
    html: &[u8],
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Scratch { blocks, text, unread, shown, value, runs, inner, is_inner } = scratch;
    unread.clear();
    shown.clear();
    let mut walk = Walk {
        html,
        text: Text::new(html, text),
        marks: StructuralIndex::new(html, blocks),
        visit,
        exhausted: Exhausted::default(),
        unread,
        element: 0,
        visited: 0,
        link: 0..0,
        shown,
        value,
        runs,
        inner,
        is_outer: !*is_inner,
        searched: raw::Searched::default(),
        comment: raw::NextEnd::default(),
        script: raw::NextEnd::default(),
        style: raw::NextEnd::default(),
    };
    walk.run()
}

impl Exhausted {
    /// Whether no `quote` follows.
    fn of(&mut self, quote: u8) -> &mut bool {
        &mut self.0[usize::from(quote == b'\'')]
    }
}

struct Walk<'w> {
    html: &'w [u8],
    text: Text<'w>,
    marks: StructuralIndex<'w>,
    visit: &'w mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    exhausted: Exhausted,
    unread: &'w mut Unread,
    /// Where the name of the element is whose attributes are visited.
    element: usize,
    /// Of the attributes that were met in a leap, where the last ends.
    visited: usize,
    /// Where the last `a` element's `href` is.
    link: Range<usize>,
    /// What a reader sees of it.
    shown: &'w mut Shown,
    /// A decoded value, and where it came from.
    value: &'w mut Vec<u8>,
    runs: &'w mut Vec<Run>,
    inner: &'w mut Option<Box<Scratch>>,
    /// Whether this is not the inside of a comment.
    is_outer: bool,
    searched: raw::Searched,
    /// Where the comment, script, or style sheet at hand ends.
    comment: raw::NextEnd,
    script: raw::NextEnd,
    style: raw::NextEnd,
}

impl Walk<'_> {
    fn run(&mut self) -> ControlFlow<()> {
        let html = self.html;
        let mut at = 0;
        while at < html.len() {
            if self.text.is_idle() {
                at = self.leap(at)?;
                if at == html.len() {
                    break;
                }
            }
            let open = match html[at] {
                b'<' => at,
                _ => self.text_at(at)?,
            };
            if open == html.len() {
                break;
            }
            at = match Opening::at(html, open) {
                Opening::Start(name) => self.start(open, name)?,
                Opening::End(name) => self.end(open, name)?,
                Opening::Declaration => self.declaration(open)?,
                Opening::Other => {
                    self.leave_out(open)?;
                    memchr(b'>', &html[open..]).map_or(html.len(), |i| open + i + 1)
                }
                Opening::Text => {
                    self.catch_up(open)?;
                    self.text.add(open..open + 1, Seen::default(), self.visit)?;
                    open + 1
                }
            };
        }
        self.text.flush(self.visit)
    }

    /// Text at `at`; returns where it ends.
    fn text_at(&mut self, at: usize) -> ControlFlow<(), usize> {
        self.catch_up(at)?;
        let html = self.html;
        let end = self.marks.next(Mark::Open, at).unwrap_or(html.len());
        let mut seen = Seen::default();
        if let Some(hint) = self.marks.hint(at..end) {
            memchr2_iter(b':', b'&', &html[hint..end]).for_each(|i| seen.add(html, hint + i));
        }
        self.text.add(at..end, seen, self.visit)?;
        ControlFlow::Continue(end)
    }

    /// A comment or a doctype at `open`; returns where it ends.
    fn declaration(&mut self, open: usize) -> ControlFlow<(), usize> {
        self.leave_out(open)?;
        let html = self.html;
        let rest = &html[open..];
        if rest.starts_with(b"<!-->") {
            return ControlFlow::Continue(open + 5);
        }
        if rest.starts_with(b"<!--->") {
            return ControlFlow::Continue(open + 6);
        }
        if !rest.starts_with(b"<!--") {
            return ControlFlow::Continue(memchr(b'>', rest).map_or(html.len(), |i| open + i + 1));
        }
        let from = open + 4;
        let close = self.comment.find(from, || tag::comment_end(html, from));
        if let Some(end) = raw::end(html, from..close, &mut self.searched) {
            return ControlFlow::Continue(end);
        }
        if html[from..close].starts_with(b"[if ") {
            self.conditional(from..close)?;
        }
        // The dashes, perhaps `!`, and `>`.
        let end = memchr(b'>', &html[close..]).map_or(html.len(), |i| close + i + 1);
        ControlFlow::Continue(end)
    }

    /// What is in a conditional comment: its attributes, which only Outlook reads, and old browsers.
    ///
    /// A comment in it is not walked once more, so that a flood of comments that do not end takes linear time.
    fn conditional(&mut self, range: Range<usize>) -> ControlFlow<()> {
        if !self.is_outer {
            return ControlFlow::Continue(());
        }
        let mut inner = self.inner.take().unwrap_or_default();
        inner.is_inner = true;
        let visit = &mut self.visit;
        let flow = walk(&self.html[range.clone()], &mut inner, &mut |piece| match piece {
            Piece::Attribute { value, span, shown, tag, .. } => {
                let span = range.start + span.start..range.start + span.end;
                let tag = Tag { element: range.start + tag.element, ..tag };
                visit(Piece::Attribute { value, span, shown, tag, place: Some(HtmlPlace::ConditionalComment) })
            }
            Piece::Text { .. } => ControlFlow::Continue(()),
        });
        *self.inner = Some(inner);
        flow
    }

    /// A closing tag at `open` with its `name` there; returns where it ends.
    fn end(&mut self, open: usize, name: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let (name, name_end) = Name::at(html, name);
        let mut end = name_end + 1;
        if html.get(name_end) != Some(&b'>') {
            let mut attributes = Attributes::new(html, name_end);
            while attributes.next(&mut self.exhausted).is_some() {}
            end = attributes.end();
        }
        if name == Name::A && self.goes_on(end) {
            self.catch_up(open)?;
            return ControlFlow::Continue(end);
        }
        self.tag(name, open..end)?;
        ControlFlow::Continue(end)
    }

    /// Whether the link that ends before `at` goes on there, as one to the same place: some editors break the text of
    /// a link over two elements.
    fn goes_on(&self, at: usize) -> bool {
        let html = self.html;
        if html.get(at) != Some(&b'<') || self.link.is_empty() {
            return false;
        }
        let (name, name_end) = Name::at(html, at + 1);
        if name != Name::A {
            return false;
        }
        let mut attributes = Attributes::new(html, name_end);
        // What its attributes do to quotation marks is said when it is read.
        let mut exhausted = self.exhausted;
        while let Some(attribute) = attributes.next(&mut exhausted) {
            if attribute.name(html).eq_ignore_ascii_case(b"href") {
                return html[attribute.value] == html[self.link.clone()];
            }
        }
        false
    }

    /// An opening tag at `open` with its name at `element`; returns where it, or the text that only it can hold, ends.
    fn start(&mut self, open: usize, element: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let (name, name_end) = Name::at(html, element);
        self.element = element;
        if html[name_end - 1] == b':'
            && let Some(end) = url_in_brackets(html, name_end)
        {
            return self.text_in_brackets(open..end);
        }
        // What a leap has come into before it had to stop, has been asked already.
        if name == Name::A && self.visited < open {
            self.join(open)?;
        }
        let end = match html.get(name_end) {
            Some(b'>') => name_end + 1,
            _ => self.attributes(name, name_end)?,
        };
        let end = end.min(html.len());
        self.tag(name, open..end)?;
        let (raw, closing): (&[u8], _) = match name {
            Name::SCRIPT => (b"script", &mut self.script),
            Name::STYLE => (b"style", &mut self.style),
            _ => return ControlFlow::Continue(end),
        };
        let close = closing.find(end, || tag::closing(html, end, raw));
        if let Some(end) = raw::end(html, end..close, &mut self.searched) {
            return ControlFlow::Continue(end);
        }
        if name == Name::STYLE {
            self.sheet(end..close)?;
        }
        ControlFlow::Continue(close)
    }

    /// What is no tag but text that somebody took for HTML, brackets and all; returns where it ends.
    fn text_in_brackets(&mut self, range: Range<usize>) -> ControlFlow<(), usize> {
        self.catch_up(range.start)?;
        self.text.flush(self.visit)?;
        (self.visit)(Piece::Text { text: &self.html[range.clone()], map: Map::Shift(range.start) })?;
        ControlFlow::Continue(range.end)
    }

    /// The attributes of the tag whose `name` ends at `at`; returns where it ends.
    fn attributes(&mut self, name: Name, at: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let mut attributes = Attributes::new(html, at);
        // What a `meta` element has said so far. Only attributes with a value count, and only a `content` that may hold a URL;
        // by the standard the first would count whatever it holds.
        let (mut refreshes, mut content) = (false, None);
        let mut linked = false;
        while let Some(attribute) = attributes.next_of_value(&mut self.marks, &mut self.exhausted) {
            // Without a colon a value names no scheme. But the next link may lead to the same place as this one, and a refresh
            // needs an attribute that has no colon.
            let ready = name != Name::META && (name != Name::A || linked);
            let value = &attribute.value;
            let hint = self.marks.hint(value.clone());
            if hint.is_none() && ready {
                continue;
            }
            let key = attribute.key(html);
            // The first is the one that counts.
            let link = name == Name::A && key == Name::HREF && !std::mem::replace(&mut linked, true);
            if link && !value.is_empty() {
                self.link = value.clone();
            }
            if value.end <= self.visited {
                continue;
            }
            let Some(known) = Known::of(&attribute, key, html) else { continue };
            match (known.value, hint) {
                (Value::Equivalent, _) => {
                    refreshes = html[attribute.value].trim_ascii().eq_ignore_ascii_case(b"refresh");
                }
                (_, None) => {}
                (Value::Content, Some(_)) => content = Some((attribute.value, known)),
                (_, Some(_)) => {
                    if link {
                        self.show(&attributes);
                    }
                    self.attribute(attribute.value, known)?;
                    self.shown.clear();
                }
            }
        }
        if name == Name::META
            && refreshes
            && let Some((content, known)) = content
        {
            self.attribute(content, known)?;
        }
        ControlFlow::Continue(attributes.end())
    }

    /// Notes what a reader sees of the link the rest of whose attributes are these.
    fn show(&mut self, attributes: &Attributes<'_>) {
        let end = attributes.clone().finish(&mut self.marks, self.exhausted);
        shown::word(self.html, end, &mut self.marks, self.shown);
    }

    /// Decodes a value with a colon or a reference in it, and visits what URLs are in it.
    fn attribute(&mut self, span: Range<usize>, known: &Known) -> ControlFlow<()> {
        let raw = &self.html[span.clone()];
        let kind = known.value;
        let tag = Tag { element: self.element, attribute: known.name };
        // Most are this; it also tells that what is in it is a colon.
        if kind == Value::Url && self.marks.is_plain(span.clone()) {
            return (self.visit)(Piece::Attribute { value: raw, span, shown: self.shown, tag, place: None });
        }
        // Most styles name no document; one that does may hide its bracket, but not both marks.
        if kind == Value::Style && memchr2(b'(', b'&', raw).is_none() {
            return ControlFlow::Continue(());
        }
        let Some(hint) = self.marks.hint(span.clone()) else { return ControlFlow::Continue(()) };
        let plain = memchr(b'&', &self.html[hint..span.end]).is_none();
        let decoded = if plain {
            raw
        } else {
            reference::decode(raw, self.value, self.runs);
            self.value.as_slice()
        };
        if self.html[hint] != b':' && memchr(b':', decoded).is_none() {
            return ControlFlow::Continue(());
        }
        let map = if plain { Map::Shift(0) } else { Map::Runs(self.runs, decoded.len()) };
        let place = if let Value::Kept(place) = kind { Some(place) } else { None };
        let mut found = Found { map, start: span.start, shown: self.shown, tag, place, visit: self.visit };
        match kind {
            Value::List => value::list(decoded).try_for_each(|url| found.url(url)),
            Value::Sources => value::source_set(decoded).try_for_each(|url| found.url(url)),
            Value::Style => value::style_urls(decoded).try_for_each(|url| found.style(url)),
            Value::Content => value::refresh_target(decoded).map_or(ControlFlow::Continue(()), |url| found.url(url)),
            _ => found.url((0, decoded)),
        }
    }

    /// A style sheet's URLs.
    fn sheet(&mut self, range: Range<usize>) -> ControlFlow<()> {
        let mut found = Found {
            map: Map::Shift(0),
            start: range.start,
            shown: &Shown::default(),
            tag: Tag { element: self.element, attribute: "" },
            place: None,
            visit: self.visit,
        };
        value::style_urls(&self.html[range]).try_for_each(|url| found.style(url))
    }
}

/// Where a value is whose URLs are visited.
struct Found<'f> {
    /// From the decoded value to the value as written.
    map: Map<'f>,
    /// Where that starts.
    start: usize,
    shown: &'f Shown,
    tag: Tag,
    place: Option<HtmlPlace>,
    visit: &'f mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
}

impl Found<'_> {
    /// Visits a URL at `at` of the decoded value, without what browsers take away (WHATWG URL standard, section 4.4): blanks
    /// and control characters around it, tabs and line ends within it.
    fn url(&mut self, (at, url): (usize, &[u8])) -> ControlFlow<()> {
        let is_kept = |byte: &u8| *byte > b' ';
        let Some(first) = url.iter().position(is_kept) else { return ControlFlow::Continue(()) };
        let last = url.iter().rposition(is_kept).unwrap_or(first);
        let text = self.map.raw(at + first..at + last + 1);
        self.visit(&url[first..=last], self.start + text.start..self.start + text.end)
    }

    /// Visits a URL of CSS, which may have escapes.
    fn style(&mut self, (at, css): (usize, &[u8])) -> ControlFlow<()> {
        match value::unescaped(css) {
            None => self.url((at, css)),
            Some(url) => {
                let text = self.map.raw(at..at + css.len());
                self.visit(url.trim_ascii(), self.start + text.start..self.start + text.end)
            }
        }
    }

    fn visit(&mut self, url: &[u8], span: Range<usize>) -> ControlFlow<()> {
        let clean: Vec<u8>;
        let value = if memchr3(b'\t', b'\r', b'\n', url).is_some() {
            clean = url.iter().copied().filter(|byte| !matches!(byte, b'\t' | b'\r' | b'\n')).collect();
            clean.as_slice()
        } else {
            url
        };
        (self.visit)(Piece::Attribute { value, span, shown: self.shown, tag: self.tag, place: self.place })
    }
}

/// Where the `<scheme://...>` ends whose name and colon end at `at`; `None` if it is not one. No element has a name like
/// that with slashes after it. It holds neither attributes nor tags.
fn url_in_brackets(html: &[u8], at: usize) -> Option<usize> {
    let rest = html[at..].strip_prefix(b"//")?;
    let end = rest.iter().position(|byte| matches!(byte, b'<' | b'>' | b'"' | b'\'' | b' ' | b'\t'))?;
    (rest[end] == b'>').then_some(html.len() - rest.len() + end + 1)
}
