//! Finds URLs in HTML: the attributes that hold them, and the text that a reader sees.
//!
//! Most of an HTML part is neither, and is skipped. SIMD finds the ends of text, tags and values, and the walk goes
//! from mark to mark. Oddly written tags are walked byte by byte, like the HTML standard's tokenizer does (section
//! 13.2.5). A full tokenizer, html5gum, is ten times slower. The tests compare with it.
//!
//! Attributes are decoded as browsers decode them. What browsers then repair in a URL is done in `url`.
//! `src/scan/RULES.md`, section 2, has the rules.
//!
//! By the standard, a quotation mark that is never closed swallows the rest of a document. Here, the value ends at the
//! next blank or `>` instead, so that URLs in malformed mail are found.

mod raw;
mod reference;
mod shown;
mod skip;
mod tag;
mod text;
mod value;

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memchr2, memchr2_iter, memchr3};

use super::map::{Map, Run};
use super::{HtmlPlace, Tag};
use crate::simd::html::{BlockMask, Mark, StructuralIndex};
pub(crate) use shown::{Shown, text as shown_text};
use skip::SkippedHtml;
use tag::{Attributes, Name, Opening};
use text::{Seen, Text};
use value::{Known, Value};

/// Something in HTML that may have a URL.
#[derive(Clone, Debug)]
pub(crate) enum HtmlItem<'a> {
    /// An attribute's value, or a URL inside one (`srcset`, `style`, a refresh), or inside a style sheet.
    Attribute {
        /// The value with its character references decoded. Blanks and control characters around it are removed, and
        /// tabs and line ends within it.
        value: &'a [u8],
        /// Where it is in the HTML, as written: with its references and line ends, without quotation marks.
        span: Range<usize>,
        /// The text of the link.
        shown: &'a Shown,
        /// The tag that has it.
        tag: Tag,
        /// Its place, if browsers do not follow links there.
        place: Option<HtmlPlace>,
    },
    /// Text between tags. Character references are decoded. Inline tags are removed, `br` is a line break, every other
    /// tag a blank line.
    Text {
        /// The text.
        text: &'a [u8],
        /// Maps an offset in the text to bytes of the HTML.
        map: Map<'a>,
    },
}

/// Buffers for [`walk`], reused for the next part. One per thread.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    blocks: Vec<BlockMask>,
    text: text::Buffers,
    skipped: SkippedHtml,
    shown: Shown,
    value: Vec<u8>,
    runs: Vec<Run>,
    /// Buffers for the inside of a comment.
    inner: Option<Box<Scratch>>,
    /// Whether this is for what is inside a comment.
    is_inner: bool,
}

/// Whether the last search for a double quotation mark, and for a single one, found none. Then there is no second
/// search.
#[derive(Clone, Copy, Debug, Default)]
struct Exhausted([bool; 2]);

/// Visits all parts of `html` that may have a URL, in order. Attributes are visited before the text around them is
/// complete.
///
/// Attributes: `href`, `src`, `action`, `cite`, `background`, `data`, `srcset` and all others whose value is a URL by
/// HTML 2 to 5 or in an old browser. The URL of a refreshing `meta`, and `url(…)` in style attributes and `style`
/// elements are visited, too. So are all of these in conditional comments. Scripts and other comments are skipped.
///
/// A value or a paragraph without a colon, even one in a reference, is not visited, because it has no scheme. Linear in
/// `html`, and buffers some 64 KiB of text in `scratch`.
pub(crate) fn walk(
    html: &[u8],
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(HtmlItem<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Scratch { blocks, text, skipped, shown, value, runs, inner, is_inner } = scratch;
    skipped.clear();
    shown.clear();
    let mut walk = Walk {
        html,
        text: Text::new(html, text),
        marks: StructuralIndex::new(html, blocks),
        visit,
        exhausted: Exhausted::default(),
        skipped,
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
    /// Whether `quote` does not occur again.
    fn of(&mut self, quote: u8) -> &mut bool {
        &mut self.0[usize::from(quote == b'\'')]
    }
}

struct Walk<'w> {
    html: &'w [u8],
    text: Text<'w>,
    marks: StructuralIndex<'w>,
    visit: &'w mut dyn FnMut(HtmlItem<'_>) -> ControlFlow<()>,
    exhausted: Exhausted,
    skipped: &'w mut SkippedHtml,
    /// The offset of the name of the element whose attributes are visited.
    element: usize,
    /// Where the last attribute ends that was visited while skipping.
    visited: usize,
    /// Where the last `a` element's `href` is.
    link: Range<usize>,
    /// The text of that link.
    shown: &'w mut Shown,
    /// A decoded value, and its source.
    value: &'w mut Vec<u8>,
    runs: &'w mut Vec<Run>,
    inner: &'w mut Option<Box<Scratch>>,
    /// False inside a comment.
    is_outer: bool,
    searched: raw::Searched,
    /// Where the current comment, script, or style sheet ends.
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
                at = self.skip_to_candidate(at)?;
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
                    self.skip_markup(open)?;
                    memchr(b'>', &html[open..]).map_or(html.len(), |i| open + i + 1)
                }
                Opening::Text => {
                    self.replay_skipped(open)?;
                    self.text.add(open..open + 1, Seen::default(), self.visit)?;
                    open + 1
                }
            };
        }
        self.text.flush(self.visit)
    }

    /// Reads text at `at` and returns where it ends.
    fn text_at(&mut self, at: usize) -> ControlFlow<(), usize> {
        self.replay_skipped(at)?;
        let html = self.html;
        let end = self.marks.next(Mark::Open, at).unwrap_or(html.len());
        let mut seen = Seen::default();
        if let Some(hint) = self.marks.hint(at..end) {
            memchr2_iter(b':', b'&', &html[hint..end]).for_each(|i| seen.add(html, hint + i));
        }
        self.text.add(at..end, seen, self.visit)?;
        ControlFlow::Continue(end)
    }

    /// Reads a comment or a doctype at `open` and returns where it ends.
    fn declaration(&mut self, open: usize) -> ControlFlow<(), usize> {
        self.skip_markup(open)?;
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
        // The dashes, an optional `!`, and `>`.
        let end = memchr(b'>', &html[close..]).map_or(html.len(), |i| close + i + 1);
        ControlFlow::Continue(end)
    }

    /// Visits what is in a conditional comment: its attributes, which only Outlook and old browsers read.
    ///
    /// A comment in it is not walked again, so that a flood of unclosed comments takes linear time.
    fn conditional(&mut self, range: Range<usize>) -> ControlFlow<()> {
        if !self.is_outer {
            return ControlFlow::Continue(());
        }
        let mut inner = self.inner.take().unwrap_or_default();
        inner.is_inner = true;
        let visit = &mut self.visit;
        let flow = walk(&self.html[range.clone()], &mut inner, &mut |item| match item {
            HtmlItem::Attribute { value, span, shown, tag, .. } => {
                let span = range.start + span.start..range.start + span.end;
                let tag = Tag { element: range.start + tag.element, ..tag };
                visit(HtmlItem::Attribute { value, span, shown, tag, place: Some(HtmlPlace::ConditionalComment) })
            }
            HtmlItem::Text { .. } => ControlFlow::Continue(()),
        });
        *self.inner = Some(inner);
        flow
    }

    /// Reads a closing tag at `open`, whose name is at `name`, and returns where it ends.
    fn end(&mut self, open: usize, name: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let (name, name_end) = Name::at(html, name);
        let mut end = name_end + 1;
        if html.get(name_end) != Some(&b'>') {
            let mut attributes = Attributes::new(html, name_end);
            while attributes.next(&mut self.exhausted).is_some() {}
            end = attributes.end();
        }
        if name == Name::A && self.continues(end) {
            self.replay_skipped(open)?;
            return ControlFlow::Continue(end);
        }
        self.tag(name, open..end)?;
        ControlFlow::Continue(end)
    }

    /// Whether the link that ends before `at` continues there as a link to the same place. Some editors split the text
    /// of a link into two elements.
    fn continues(&self, at: usize) -> bool {
        let html = self.html;
        if html.get(at) != Some(&b'<') || self.link.is_empty() {
            return false;
        }
        let (name, name_end) = Name::at(html, at + 1);
        if name != Name::A {
            return false;
        }
        let mut attributes = Attributes::new(html, name_end);
        // A copy, because the search for quotation marks is recorded when the tag itself is read.
        let mut exhausted = self.exhausted;
        while let Some(attribute) = attributes.next(&mut exhausted) {
            if attribute.name(html).eq_ignore_ascii_case(b"href") {
                return html[attribute.value] == html[self.link.clone()];
            }
        }
        false
    }

    /// Reads an opening tag at `open`, whose name is at `element`. Returns where it ends, or where the text ends that
    /// only it can hold.
    fn start(&mut self, open: usize, element: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let (name, name_end) = Name::at(html, element);
        self.element = element;
        if html[name_end - 1] == b':'
            && let Some(end) = url_in_brackets(html, name_end)
        {
            return self.text_in_brackets(open..end);
        }
        // If this tag was visited while skipping, this is done already.
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

    /// Reads text in angle brackets that somebody took for HTML. Returns where it ends.
    fn text_in_brackets(&mut self, range: Range<usize>) -> ControlFlow<(), usize> {
        self.replay_skipped(range.start)?;
        self.text.flush(self.visit)?;
        (self.visit)(HtmlItem::Text { text: &self.html[range.clone()], map: Map::Shift(range.start) })?;
        ControlFlow::Continue(range.end)
    }

    /// Visits the attributes of the tag whose `name` ends at `at`, and returns where the tag ends.
    fn attributes(&mut self, name: Name, at: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let mut attributes = Attributes::new(html, at);
        // What is known of a `meta` element so far. Only attributes with a value count, and only a `content` that may
        // have a URL. By the standard, the first one counts.
        let (mut refreshes, mut content) = (false, None);
        let mut linked = false;
        while let Some(attribute) = attributes.next_of_value(&mut self.marks, &mut self.exhausted) {
            // Without a colon a value has no scheme. But the next link may lead to the same place as this one. And a
            // refresh needs an attribute that has no colon.
            let ready = name != Name::META && (name != Name::A || linked);
            let value = &attribute.value;
            let hint = self.marks.hint(value.clone());
            if hint.is_none() && ready {
                continue;
            }
            let key = attribute.key(html);
            // Only the first one counts.
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

    /// Records the text of the link. `attributes` are the rest of its tag's.
    fn show(&mut self, attributes: &Attributes<'_>) {
        let end = attributes.clone().finish(&mut self.marks, self.exhausted);
        shown::word(self.html, end, &mut self.marks, self.shown);
    }

    /// Decodes a value that has a colon or a reference, and visits the URLs in it.
    fn attribute(&mut self, span: Range<usize>, known: &Known) -> ControlFlow<()> {
        let raw = &self.html[span.clone()];
        let kind = known.value;
        let tag = Tag { element: self.element, attribute: known.name };
        // Most values are plain URLs. A plain value has a colon, not a reference.
        if kind == Value::Url && self.marks.is_plain(span.clone()) {
            return (self.visit)(HtmlItem::Attribute { value: raw, span, shown: self.shown, tag, place: None });
        }
        // Most styles have no URL. One that does can hide its bracket as a reference, but then it has an ampersand.
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

    /// Visits a style sheet's URLs.
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

/// A value whose URLs are visited.
struct Found<'f> {
    /// Maps the decoded value to the value as written.
    map: Map<'f>,
    /// Where that starts.
    start: usize,
    shown: &'f Shown,
    tag: Tag,
    place: Option<HtmlPlace>,
    visit: &'f mut dyn FnMut(HtmlItem<'_>) -> ControlFlow<()>,
}

impl Found<'_> {
    /// Visits a URL at `at` of the decoded value, without what browsers remove (WHATWG URL standard, section 4.4):
    /// blanks and control characters around it, tabs and line ends within it.
    fn url(&mut self, (at, url): (usize, &[u8])) -> ControlFlow<()> {
        let is_kept = |byte: &u8| *byte > b' ';
        let Some(first) = url.iter().position(is_kept) else { return ControlFlow::Continue(()) };
        let last = url.iter().rposition(is_kept).unwrap_or(first);
        let text = self.map.raw(at + first..at + last + 1);
        self.visit(&url[first..=last], self.start + text.start..self.start + text.end)
    }

    /// Visits a URL in CSS, which may have escapes.
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
        (self.visit)(HtmlItem::Attribute { value, span, shown: self.shown, tag: self.tag, place: self.place })
    }
}

/// Returns where the `<scheme://...>` ends whose name and colon end at `at`; `None` if it is not one. No element has a
/// name like that with slashes after it. It has neither attributes nor tags inside.
fn url_in_brackets(html: &[u8], at: usize) -> Option<usize> {
    let rest = html[at..].strip_prefix(b"//")?;
    let end = rest.iter().position(|byte| matches!(byte, b'<' | b'>' | b'"' | b'\'' | b' ' | b'\t'))?;
    (rest[end] == b'>').then_some(html.len() - rest.len() + end + 1)
}
