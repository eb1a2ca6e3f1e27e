//! Finds the parts of HTML that may have a URL: certain attributes, and the visible text.
//!
//! Most HTML is skipped. A SIMD pass finds the bytes that delimit text, tags and values, and the function [`walk`]
//! jumps from one of these bytes to the next. Tags in an unusual form are read byte by byte, with the rules of the
//! tokenizer in the HTML standard (section 13.2.5). The crate html5gum has a complete tokenizer, but is ten times
//! slower than this module. Only the tests use html5gum, as a reference.
//!
//! Attributes are decoded as in browsers. The module `url` then repairs malformed URLs in the decoded attributes, as
//! browsers do. The rules are in `src/scan/RULES.md`, section 2.
//!
//! This module deviates from the standard in one case. If a quotation mark before a value is never closed, the standard
//! treats the rest of the document as the value. This module ends the value at the next blank or `>`, so that URLs
//! after the value are found.

mod page;
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
pub(crate) use page::headers as page_headers;
pub(crate) use shown::{Shown, text as shown_text};
use skip::SkippedHtml;
use tag::{Attributes, Name, Opening};
use text::{Seen, Text};
#[cfg(feature = "serde")]
pub(crate) use value::attribute_name;
use value::{Known, Value};

/// A part of HTML that may have a URL.
#[derive(Clone, Debug)]
pub(crate) enum HtmlItem<'a> {
    /// The value of an attribute such as `href`, one URL in the value of `srcset` or `style`, or a URL in a style
    /// sheet.
    Attribute {
        /// The value with its character references decoded. Blanks and control characters around the value are removed.
        /// Tabs and line ends within the value are also removed.
        value: &'a [u8],
        /// The range of the value in the HTML, without quotation marks.
        span: Range<usize>,
        /// The text of the link.
        shown: &'a Shown,
        /// The tag that contains the value.
        tag: Tag,
        /// Set if browsers do not follow the link, for example because it is in a conditional comment.
        place: Option<HtmlPlace>,
    },
    /// Text between tags, with character references decoded. Inline tags are removed, `br` becomes a line break, and
    /// the tags of block elements become blank lines. If a letter, a digit or a tag directly follows a link, the end
    /// tag of the link becomes a blank.
    Text {
        /// The text.
        text: &'a [u8],
        /// Maps offsets in the text to offsets in the HTML.
        map: Map<'a>,
    },
}

/// Buffers for [`walk`]. Each thread reuses its buffers for all HTML parts.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    blocks: Vec<BlockMask>,
    text: text::Buffers,
    skipped: SkippedHtml,
    shown: Shown,
    value: Vec<u8>,
    runs: Vec<Run>,
    /// Buffers for the content of a conditional comment.
    inner: Option<Box<Scratch>>,
    /// Whether these buffers are for the content of a conditional comment.
    is_inner: bool,
}

/// Two flags, one for each kind of quotation mark, `"` and `'`. A flag is set if the rest of the HTML has no quotation
/// mark of this kind. Without these flags, each unclosed quotation mark could cause another search to the end of the
/// HTML, which would take quadratic time.
#[derive(Clone, Copy, Debug, Default)]
struct Exhausted([bool; 2]);

/// Visits all parts of `html` that may have a URL. Attributes are visited in document order, and texts are also visited
/// in document order. But an attribute can be visited before a text that comes earlier in the document.
///
/// Visits these parts:
///
/// - attributes that have a URL in HTML 2 to 5 or in old browsers, such as `href`, `src` and `srcset`;
/// - the URL of a `meta` element with `http-equiv="refresh"`;
/// - `url(…)` in `style` attributes and `style` elements;
/// - attributes and style sheets inside conditional comments;
/// - text between tags.
///
/// Scripts and other comments are skipped.
///
/// A value or paragraph without a colon is not visited, because a URL has a colon after its scheme. A character
/// reference that means a colon, such as `&#58;`, counts as a colon. Takes linear time, and buffers up to about 256 KiB
/// of text in `scratch`.
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
    /// Returns the flag for `quote`. The flag is set if the rest of the HTML has no `quote`.
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
    /// Offset of the name of the current element.
    element: usize,
    /// End of the last attribute that [`skip_to_candidate`](Self::skip_to_candidate) visited.
    visited: usize,
    /// Range of the `href` value of the last `a` element.
    link: Range<usize>,
    /// The text of the current link.
    shown: &'w mut Shown,
    /// Buffers for a decoded value and its map to the source.
    value: &'w mut Vec<u8>,
    runs: &'w mut Vec<Run>,
    inner: &'w mut Option<Box<Scratch>>,
    /// Whether this walk reads the whole HTML (`true`) or the content of a conditional comment (`false`).
    is_outer: bool,
    searched: raw::Searched,
    /// The ends of the current comment, the current script and the current style sheet.
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

    /// Reads the text from `at` to the next `<`. Returns the end of the text.
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

    /// Reads the comment or doctype at `open`, and returns its end.
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
        // Skip the dashes, an optional `!`, and `>`.
        let end = memchr(b'>', &html[close..]).map_or(html.len(), |i| close + i + 1);
        ControlFlow::Continue(end)
    }

    /// Visits the attributes inside the conditional comment at `range`. Only Outlook and old browsers read these
    /// attributes.
    ///
    /// Skips conditional comments inside a conditional comment, so that HTML with many unclosed comments takes linear
    /// time.
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

    /// Reads the closing tag at `open`, whose name is at `name`. Returns the end of the tag.
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

    /// Whether the tag at `at` begins a link with the same `href` as the previous link, which ends at `at`. Some
    /// editors split a link into two elements with the same `href`.
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
        // Use a copy of the flags, because the tag is read again later. Reading the tag here can set a flag although
        // the tag itself has quotation marks of that kind.
        let mut exhausted = self.exhausted;
        while let Some(attribute) = attributes.next(&mut exhausted) {
            if attribute.name(html).eq_ignore_ascii_case(b"href") {
                return html[attribute.value] == html[self.link.clone()];
            }
        }
        false
    }

    /// Reads the opening tag at `open`, whose name is at `element`. Returns the end of the tag. For a script or style
    /// sheet, returns the end of the element's content.
    fn start(&mut self, open: usize, element: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let (name, name_end) = Name::at(html, element);
        self.element = element;
        if html[name_end - 1] == b':'
            && let Some(end) = url_in_brackets(html, name_end)
        {
            return self.text_in_brackets(open..end);
        }
        // If `visited` is not less than `open`, `skip_to_candidate` has already visited an attribute of this tag. It
        // called `join` before that visit.
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

    /// Visits the URL in angle brackets at `range`, which is plain text and not a tag. Returns the end of `range`.
    fn text_in_brackets(&mut self, range: Range<usize>) -> ControlFlow<(), usize> {
        self.replay_skipped(range.start)?;
        self.text.flush(self.visit)?;
        (self.visit)(HtmlItem::Text { text: &self.html[range.clone()], map: Map::Shift(range.start) })?;
        ControlFlow::Continue(range.end)
    }

    /// Visits the attributes of the tag whose `name` ends at `at`. Returns the end of the tag.
    fn attributes(&mut self, name: Name, at: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let mut attributes = Attributes::new(html, at);
        // These two variables are used only for a `meta` element. `refreshes` records whether the element has
        // `http-equiv="refresh"`. `content` is the last `content` attribute whose value has a colon.
        let (mut refreshes, mut content) = (false, None);
        let mut linked = false;
        while let Some(attribute) = attributes.next_of_value(&mut self.marks, &mut self.exhausted) {
            // A value without a colon has no URL and is skipped, with two exceptions. The first `href` of an `a`
            // element is recorded for comparison with the `href` of the next link. The value of `http-equiv` is
            // compared with `refresh`, because `refresh` means that `content` has a URL.
            let ready = name != Name::META && (name != Name::A || linked);
            let value = &attribute.value;
            let hint = self.marks.hint(value.clone());
            if hint.is_none() && ready {
                continue;
            }
            let key = attribute.key(html);
            // If a tag has several `href` attributes, only the first is the link.
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

    /// Records the text of the current link. `attributes` are the remaining attributes of the link's tag.
    fn show(&mut self, attributes: &Attributes<'_>) {
        let end = attributes.clone().finish(&mut self.marks, self.exhausted);
        shown::word(self.html, end, &mut self.marks, self.shown);
    }

    /// Decodes the value at `span`, and visits the URLs in it.
    fn attribute(&mut self, span: Range<usize>, known: &Known) -> ControlFlow<()> {
        let raw = &self.html[span.clone()];
        let kind = known.value;
        let tag = Tag { element: self.element, attribute: known.name };
        // Most URLs are plain: they have no character reference to decode, and no white space to remove.
        if kind == Value::Url && self.marks.is_plain(span.clone()) {
            return (self.visit)(HtmlItem::Attribute { value: raw, span, shown: self.shown, tag, place: None });
        }
        // Most `style` attributes have no URL. A URL in such an attribute is in `url(…)`. The opening parenthesis can
        // be written as a character reference, which begins with `&`.
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

    /// Visits the URLs in the style sheet `range`.
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

/// The context for visiting the URLs in one value.
struct Found<'f> {
    /// Maps offsets in the decoded value to offsets in the value as written.
    map: Map<'f>,
    /// Offset of the value in the HTML.
    start: usize,
    shown: &'f Shown,
    tag: Tag,
    place: Option<HtmlPlace>,
    visit: &'f mut dyn FnMut(HtmlItem<'_>) -> ControlFlow<()>,
}

impl Found<'_> {
    /// Visits the URL at the offset `at` of the decoded value. Removes blanks and control characters around the URL,
    /// and tabs and line ends within the URL, as browsers do (WHATWG URL standard, section 4.4).
    fn url(&mut self, (at, url): (usize, &[u8])) -> ControlFlow<()> {
        let is_kept = |byte: &u8| *byte > b' ';
        let Some(first) = url.iter().position(is_kept) else { return ControlFlow::Continue(()) };
        let last = url.iter().rposition(is_kept).unwrap_or(first);
        let text = self.map.raw(at + first..at + last + 1);
        self.visit(&url[first..=last], self.start + text.start..self.start + text.end)
    }

    /// Visits the URL `css` at the offset `at` of the decoded value. Decodes CSS escapes.
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

/// Returns the end of a URL in angle brackets, such as `<http://example.org/>`. `at` is the offset after the colon of
/// the URL's scheme. Returns `None` if `//` does not follow the colon, or if the brackets contain blanks, quotation
/// marks or another `<`.
fn url_in_brackets(html: &[u8], at: usize) -> Option<usize> {
    let rest = html[at..].strip_prefix(b"//")?;
    let end = rest.iter().position(|byte| matches!(byte, b'<' | b'>' | b'"' | b'\'' | b' ' | b'\t'))?;
    (rest[end] == b'>').then_some(html.len() - rest.len() + end + 1)
}
