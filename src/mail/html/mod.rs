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
//! Most documents need only the tokenizer. In a document with SVG, MathML, a `template` or a `frameset`, the meaning of
//! a tag depends on the open elements. From the first such tag on, the module [`tree`] follows these elements, and
//! nothing is skipped.
//!
//! This module deviates from the standard in two cases. If a quotation mark before a value is never closed, the standard
//! treats the rest of the document as the value. This module ends the value at the next blank or `>`, so that URLs
//! after the value are found. And the text of elements such as `textarea` is also read as HTML. Links in it have the
//! place [`HtmlPlace::RawText`].

mod content;
mod css;
mod encoding;
mod linked;
mod page;
mod reference;
mod shown;
mod skip;
mod tag;
mod text;
mod tree;
mod value;

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use encoding_rs::Encoding;
use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memchr3, memmem, memrchr};

use super::content::charset_label;
use super::map::{Map, Run};
use super::{HtmlPlace, Link, Tag};
use crate::simd::html::{BlockMask, Mark, StructuralIndex};
use crate::url::relative::has_scheme;
use content::Content;
pub(crate) use content::comment;
pub(super) use encoding::escaped as escaped_charset;
use linked::Data;
pub(super) use linked::LONGEST_BASE;
pub(crate) use page::headers as page_headers;
use shown::Shown;
pub(crate) use shown::text as shown_text;
use skip::SkippedHtml;
use tag::{Attribute, Attributes, Break, Name, Opening, named_list};
use text::{Seen, Text};
use tree::{TagFacts, Tree};
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
        link: Link<'a>,
    },
    /// Text between tags, with character references decoded. Inline tags are removed, `br` becomes a line break unless
    /// one follows it, and the tags of block elements become blank lines. If a letter, a digit or a tag directly
    /// follows a link, the end tag of the link becomes a blank.
    Text {
        /// The text.
        text: &'a [u8],
        /// Maps offsets in the text to offsets in the HTML.
        map: Map<'a>,
    },
    /// The place of a relative reference in a document without a base URL.
    Unresolved(Range<usize>),
}

/// Whether the text at `start` of `html` begins a `pre` element: its start tag is directly before the text, or only tags
/// of inline elements are between them.
pub(crate) fn is_preformatted(html: &[u8], start: usize) -> bool {
    const PRE: Name = Name::new(b"pre");
    /// The maximum number of tags between them, and the maximum length of a tag in bytes.
    const MAX: (usize, usize) = (8, 512);
    let mut before = html.get(..start).unwrap_or_default();
    for _ in 0..MAX.0 {
        before = before.trim_ascii_end();
        let tag = &before[before.len().saturating_sub(MAX.1)..];
        let Some(open) = memrchr(b'<', tag).filter(|_| tag.ends_with(b">")) else { return false };
        let tag = &tag[open..];
        let is_end = tag.get(1) == Some(&b'/');
        let (name, _) = Name::at(tag, 1 + usize::from(is_end));
        if name == PRE || !matches!(name.breaks(), Break::None | Break::Link) {
            return name == PRE && !is_end;
        }
        before = &before[..before.len() - tag.len()];
    }
    false
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
    /// Buffers for HTML in HTML, such as the content of a conditional comment.
    inner: Option<Box<Scratch>>,
    scope: Scope,
    /// Whether text without a colon is visited, too.
    pub(crate) all_text: bool,
}

/// What the HTML is part of. The same kind of HTML in HTML is not read again, so that the time is linear.
#[derive(Clone, Copy, Debug, Default)]
struct Scope {
    /// Whether the HTML is in a conditional comment.
    in_comment: bool,
    /// Whether the HTML is the text of an element such as `textarea`.
    in_text: bool,
    /// The number of attributes that the HTML is nested in.
    depth: u8,
    /// The charset of the document. `None` for UTF-8 and for an unknown charset.
    charset: Option<&'static Encoding>,
    /// See [`Scratch::all_text`].
    all_text: bool,
}

/// Maximum number of documents in `data:` URLs that are read in one value.
const MOST_DATA: usize = 16;

/// The deepest nesting of documents in attributes.
const DEEPEST: u8 = 3;

/// The position of HTML in HTML.
enum Frame {
    /// The HTML begins at this offset.
    At(usize, HtmlPlace),
    /// The HTML was decoded from the value of an attribute.
    In(Range<usize>, Tag, Option<HtmlPlace>),
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
/// If there is no base URL, counts the relative references in `href` and `src` of links, pictures, frames and scripts.
///
/// Scripts and other comments are skipped.
///
/// A value or paragraph without a colon is not visited, because a URL has a colon after its scheme. A character
/// reference that means a colon, such as `&#58;`, counts as a colon. On request ([`Scratch::all_text`]), all text is
/// visited, because addresses without a scheme have no colon. Takes linear time, and buffers up to about 256 KiB
/// of text in `scratch`.
///
/// `media` is the Content-Type of the HTML. `base` is a URL for relative references, and for the URL of a `base`
/// element.
pub(crate) fn walk(
    html: &[u8],
    media: &[u8],
    base: Option<&[u8]>,
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(HtmlItem<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let charset = encoding::of(charset_label(media), html);
    scratch.scope = Scope { charset, all_text: scratch.all_text, ..Scope::default() };
    let mut walk = Walk::new(html, scratch, visit);
    walk.given = base.and_then(linked::base).unwrap_or_default();
    let is_base = |open| html[open + 1..].get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"base"));
    if !walk.given.is_empty() && !memchr_iter(b'<', html).any(is_base) {
        walk.base = std::mem::take(&mut walk.given);
    }
    walk.document()
}

impl Exhausted {
    /// Returns the flag for `quote`. The flag is set if the rest of the HTML has no `quote`.
    fn of(&mut self, quote: u8) -> &mut bool {
        &mut self.0[usize::from(quote == b'\'')]
    }

    /// Whether a quotation mark before a value was never closed. Browsers read the rest of the HTML as this value.
    fn is_any(self) -> bool {
        self.0[0] || self.0[1]
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
    scope: Scope,
    /// Offset of the last `>`. A tag after it is cut off by the end of the HTML.
    last_close: usize,
    /// Set if browsers do not follow the links of the current tag.
    place: Option<HtmlPlace>,
    /// The open elements. `None` up to the first tag whose meaning depends on them.
    tree: Option<Tree>,
    /// Whether the current element is in SVG or MathML.
    is_foreign: bool,
    /// The end of the last style sheet in SVG or MathML.
    sheet_end: usize,
    /// A base URL that counts if no `base` element has one. Empty without one.
    given: Vec<u8>,
    /// The URL of the first `base` element. Empty if there is none.
    base: Vec<u8>,
    /// The start of the tag of the first `base` element.
    base_at: usize,
    /// Whether only relative references are visited.
    only_relative: bool,
    /// The places of relative references that were not resolved.
    unresolved: Vec<Range<usize>>,
}

impl<'w> Walk<'w> {
    fn new(
        html: &'w [u8],
        scratch: &'w mut Scratch,
        visit: &'w mut dyn FnMut(HtmlItem<'_>) -> ControlFlow<()>,
    ) -> Self {
        let Scratch { blocks, text, skipped, shown, value, runs, inner, scope, .. } = scratch;
        skipped.clear();
        shown.clear();
        Walk {
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
            scope: *scope,
            last_close: memrchr(b'>', html).unwrap_or(0),
            place: None,
            tree: None,
            is_foreign: false,
            sheet_end: 0,
            given: Vec::new(),
            base: Vec::new(),
            base_at: 0,
            only_relative: false,
            unresolved: Vec::new(),
        }
    }
}

impl Walk<'_> {
    /// Walks the whole HTML. If a `base` element comes after relative references, walks the HTML before it again.
    fn document(mut self) -> ControlFlow<()> {
        self.run()?;
        if self.base.is_empty() && !self.given.is_empty() {
            (self.base, self.base_at) = (self.given, self.html.len());
        }
        if self.base.is_empty() {
            return self.unresolved.into_iter().try_for_each(|span| (self.visit)(HtmlItem::Unresolved(span)));
        }
        let mut scratch = Scratch { scope: self.scope, ..Scratch::default() };
        let mut again = Walk::new(&self.html[..self.base_at], &mut scratch, self.visit);
        (again.base, again.only_relative) = (self.base, true);
        again.run()
    }

    fn run(&mut self) -> ControlFlow<()> {
        let html = self.html;
        let mut at = 0;
        while at < html.len() {
            if self.text.is_idle() && self.tree.is_none() && self.base.is_empty() && !self.scope.all_text {
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
                    content::bogus_end(html, open)
                }
                Opening::Text => {
                    self.replay_skipped(open)?;
                    self.add_text(open..open + 1, Seen::default())?;
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
        self.add_text(at..end, seen)?;
        ControlFlow::Continue(end)
    }

    fn add_text(&mut self, range: Range<usize>, seen: Seen) -> ControlFlow<()> {
        let is_shown = self.tree.as_mut().is_none_or(|tree| tree.text(&self.html[range.clone()]) || tree.is_overfull);
        let seen = Seen { colon: seen.colon || self.scope.all_text, ..seen };
        if self.only_relative || !is_shown { ControlFlow::Continue(()) } else { self.text.add(range, seen, self.visit) }
    }

    /// Reads the comment or doctype at `open`, and returns its end.
    fn declaration(&mut self, open: usize) -> ControlFlow<(), usize> {
        self.skip_markup(open)?;
        let html = self.html;
        let rest = &html[open..];
        if let Some(tree) = &mut self.tree {
            if tree.is_foreign()
                && !tree.is_overfull
                && let Some(text) = rest.strip_prefix(b"<![CDATA[")
            {
                let end = memmem::find(text, b"]]>").map_or(html.len(), |i| open + 9 + i);
                let colon = memchr(b':', &html[open + 9..end]).is_some();
                self.add_text(open + 9..end, Seen { colon, reference: false })?;
                return ControlFlow::Continue(html.len().min(end + 3));
            }
            let is_doctype = rest.get(2..9).is_some_and(|name| name.eq_ignore_ascii_case(b"doctype"));
            tree.quirks &= !is_doctype;
        }
        if !rest.starts_with(b"<!--") {
            return ControlFlow::Continue(content::bogus_end(html, open));
        }
        let (close, end) = comment(html, open);
        if close > open + 4
            && html[open + 4..close].starts_with(b"[if ")
            && !self.scope.in_comment
            && !self.only_relative
        {
            // Only Outlook and old browsers read the attributes in a conditional comment.
            let scope = Scope { in_comment: true, ..self.scope };
            self.nested(&html[open + 4..close], scope, &Frame::At(open + 4, HtmlPlace::ConditionalComment))?;
        }
        ControlFlow::Continue(end)
    }

    /// Visits the parts of `inner`, which is HTML in this HTML. The text of a conditional comment is not visited.
    fn nested(&mut self, inner: &[u8], scope: Scope, frame: &Frame) -> ControlFlow<()> {
        let mut scratch = self.inner.take().unwrap_or_default();
        scratch.scope = scope;
        let visit = &mut self.visit;
        let mut visit = |item: HtmlItem<'_>| match (item, frame) {
            (HtmlItem::Attribute { value, span, mut link }, Frame::At(start, around)) => {
                link.from = link.from.map(|from| start + from);
                link.place = link.place.or(Some(*around));
                link.tag = link.tag.map(|tag| Tag { element: start + tag.element, ..tag });
                visit(HtmlItem::Attribute { value, span: start + span.start..start + span.end, link })
            }
            (HtmlItem::Attribute { value, link, .. }, Frame::In(span, tag, around)) => {
                let link = Link { word: b"", from: None, tag: Some(*tag), place: link.place.or(*around), ..link };
                visit(HtmlItem::Attribute { value, span: span.clone(), link })
            }
            (HtmlItem::Text { .. }, Frame::At(_, HtmlPlace::ConditionalComment)) => ControlFlow::Continue(()),
            (HtmlItem::Text { text, map }, Frame::At(start, _)) => {
                visit(HtmlItem::Text { text, map: Map::Composed(&map, &Map::Shift(*start)) })
            }
            (HtmlItem::Text { text, .. }, Frame::In(span, ..)) => {
                visit(HtmlItem::Text { text, map: Map::Whole { start: span.start, end: span.end } })
            }
            (HtmlItem::Unresolved(span), Frame::At(start, _)) => {
                visit(HtmlItem::Unresolved(start + span.start..start + span.end))
            }
            (HtmlItem::Unresolved(_), Frame::In(span, ..)) => visit(HtmlItem::Unresolved(span.clone())),
        };
        let flow = Walk::new(inner, &mut scratch, &mut visit).document();
        *self.inner = Some(scratch);
        flow
    }

    /// Reads the closing tag at `open`, whose name is at `name`. Returns the end of the tag.
    fn end(&mut self, open: usize, name: usize) -> ControlFlow<(), usize> {
        if let Some(tree) = &mut self.tree {
            tree.end(Name::at(self.html, name).0);
        }
        self.closing(open, name)
    }

    /// Does the work of [`end`](Self::end), except for the open elements.
    fn closing(&mut self, open: usize, name: usize) -> ControlFlow<(), usize> {
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

    /// Reads the opening tag at `open`, whose name is at `element`. Returns the end of the tag. If the content of the
    /// element is not markup, returns the end of the element.
    fn start(&mut self, open: usize, element: usize) -> ControlFlow<(), usize> {
        const ODD: &[Name] = named_list!("svg math template frameset frame");
        let html = self.html;
        let (name, name_end) = Name::at(html, element);
        if html[name_end - 1] == b':'
            && let Some(end) = url_in_brackets(html, name_end)
        {
            return self.text_in_brackets(open..end);
        }
        if self.tree.is_none() && ODD.contains(&name) && !self.scope.in_text {
            self.follow_elements(open)?;
        }
        let mut content = Content::of(name);
        self.set_element(element);
        if self.tree.is_some() {
            content = self.opened(name, name_end);
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
        if name == Name::STYLE && content == Content::Markup && end > self.sheet_end {
            // In SVG, a style sheet is text between tags, and has character references.
            self.sheet_end = Content::Style.end(html, end, b"style");
            self.attribute(end..self.sheet_end, Known::SHEET, self.place_of(Known::SHEET))?;
        }
        self.content(content, end, &html[element..name_end])
    }

    /// Visits the content of the element whose opening tag ends at `start`, unless the content is markup. Returns the
    /// end of the content or of the element.
    fn content(&mut self, content: Content, start: usize, element: &[u8]) -> ControlFlow<(), usize> {
        let html = self.html;
        let is_text = matches!(content, Content::Raw | Content::Plain);
        // Text in text is read only once.
        if matches!(content, Content::Markup | Content::Ignored) || is_text && self.scope.in_text {
            return ControlFlow::Continue(start);
        }
        let end = content.end(html, start, element);
        let range = start..end;
        match content {
            Content::Raw | Content::Plain => {
                // Text without a tag can be read as markup.
                if self.tree.is_none() && memchr(b'<', &html[range.clone()]).is_none() {
                    return ControlFlow::Continue(start);
                }
                let scope = Scope { in_text: true, ..self.scope };
                if !self.only_relative {
                    self.nested(&html[range], scope, &Frame::At(start, HtmlPlace::RawText))?;
                }
            }
            Content::Style => self.attribute(range, Known::SHEET, self.place_of(Known::SHEET))?,
            _ => {}
        }
        if end == html.len() { ControlFlow::Continue(end) } else { self.closing(end, end + 2) }
    }

    /// Begins to follow the open elements, with the tag at `open`. Reads all HTML before this tag again.
    #[cold]
    fn follow_elements(&mut self, open: usize) -> ControlFlow<()> {
        self.replay_skipped(open)?;
        let scope = Scope { in_comment: true, depth: DEEPEST, ..self.scope };
        let (mut scratch, mut visit) =
            (Scratch { scope, ..Scratch::default() }, |_: HtmlItem<'_>| ControlFlow::Continue(()));
        let mut before = Walk::new(&self.html[..open], &mut scratch, &mut visit);
        before.tree = Some(Tree::new());
        let flow = before.run();
        self.tree = before.tree;
        flow
    }

    /// Adds the element to the open elements, and returns the kind of its content.
    fn opened(&mut self, name: Name, name_end: usize) -> Content {
        const STYLES: &[Name] = named_list!("color face size");
        // Browsers request the other URLs of elements that they do not show.
        const CLICKED: &[Name] = named_list!("a area button form");
        let (html, mut exhausted) = (self.html, self.exhausted);
        let mut attributes = Attributes::new(html, name_end);
        let (mut is_styled, mut value_end) = (false, 0);
        while let Some(attribute) = attributes.next(&mut exhausted) {
            is_styled |= STYLES.contains(&attribute.key(html));
            value_end = attribute.value.end;
        }
        let end = attributes.end();
        let has = |key: &[u8], values: &[&[u8]]| has_value(html, name_end, self.exhausted, Name::new(key), values);
        let facts = TagFacts {
            self_closing: end >= 2 && html[..end].ends_with(b"/>") && value_end + 2 <= end,
            is_styled,
            annotates: has(b"encoding", &[b"text/html", b"application/xhtml+xml"]),
            is_hidden: has(b"type", &[b"hidden"]),
            attributes: Name::new(&html[name_end..end]),
        };
        let Some(tree) = &mut self.tree else { return Content::Markup };
        let content = tree.start(name, facts);
        self.is_foreign = tree.tag_is_foreign;
        if tree.is_overfull {
            return Content::Markup;
        }
        self.place = match () {
            () if tree.is_in_template() => Some(HtmlPlace::Template),
            () if CLICKED.contains(&name) && tree.is_hidden() => Some(HtmlPlace::RawText),
            () if content == Content::Ignored => Some(HtmlPlace::OtherElement),
            () => self.place,
        };
        content
    }

    /// Sets the current element, whose name is at `element`.
    #[inline]
    fn set_element(&mut self, element: usize) {
        self.element = element;
        self.is_foreign = false;
        self.place = (element > self.last_close || self.exhausted.is_any()).then_some(HtmlPlace::CutTag);
    }

    /// Visits the URL in angle brackets at `range`, which is plain text and not a tag. Returns the end of `range`.
    fn text_in_brackets(&mut self, range: Range<usize>) -> ControlFlow<(), usize> {
        self.replay_skipped(range.start)?;
        self.text.flush(self.visit)?;
        if !self.only_relative {
            (self.visit)(HtmlItem::Text { text: &self.html[range.clone()], map: Map::Shift(range.start) })?;
        }
        ControlFlow::Continue(range.end)
    }

    /// Visits the attributes of the tag whose `name` ends at `at`. Returns the end of the tag.
    ///
    /// Of several attributes with the same name, only the first counts (HTML standard, section 13.2.5.33). The others
    /// are visited with the place [`HtmlPlace::RepeatedAttribute`].
    fn attributes(&mut self, name: Name, at: usize) -> ControlFlow<(), usize> {
        const EQUIVALENT: Name = Name::new(b"http-equiv");
        let html = self.html;
        let mut attributes = Attributes::new(html, at);
        let (mut linked, mut refresh) = (false, None);
        // Whether a tag needs all its attributes: values without a colon count, too.
        let is_whole = name == Name::META || !self.base.is_empty() || name == Name::BASE;
        let has_links = Known::has_links(name);
        let place = self.place;
        while let Some(attribute) = attributes.next_of_value(&mut self.marks, &mut self.exhausted) {
            // A value without a colon has no URL and is skipped, unless it begins with two slashes. The first `href` of
            // an `a` element is recorded for comparison with the `href` of the next link.
            let value = &attribute.value;
            let hint = self.marks.hint(value.clone());
            let is_skipped = hint.is_none() && !is_whole && !self.may_be_reference(value.clone());
            if is_skipped && has_links && attribute.may_be_link(html) && value.end > self.visited {
                self.add_relative(value.clone(), Known::of(attribute.key(html)));
            }
            if is_skipped && (name != Name::A || linked) {
                continue;
            }
            let key = attribute.key(html);
            // If a tag has several `href` attributes, only the first is the link.
            let link = name == Name::A && key == Name::HREF && !std::mem::replace(&mut linked, true);
            if link && !value.is_empty() {
                self.link = value.clone();
            }
            if value.end <= self.visited || is_skipped {
                continue;
            }
            let Some(known) = Known::of(key) else { continue };
            let exhausted = self.exhausted;
            let refreshes = || has_value(html, at, exhausted, EQUIVALENT, &[b"refresh"]);
            if known.value == Value::Content && !*refresh.get_or_insert_with(refreshes) {
                continue;
            }
            // If a `href` has more than a blank before it, this may be another `href`, without a value.
            let is_repeated = (!link || attribute.name.len() > b" href".len()) && self.is_repeated(at, &attribute, key);
            if is_repeated && known.value == Value::Content {
                continue;
            }
            if link {
                self.show(&attributes);
            }
            let cut = self.exhausted.is_any().then_some(HtmlPlace::CutTag);
            self.place = place.or(cut).or(is_repeated.then_some(HtmlPlace::RepeatedAttribute));
            self.attribute(attribute.value.clone(), known, self.place_of(known))?;
            self.shown.clear();
            if name == Name::BASE
                && key == Name::HREF
                && self.base.is_empty()
                && self.place.is_none()
                && !self.is_foreign
            {
                self.set_base(attribute.value)?;
            }
        }
        ControlFlow::Continue(attributes.end())
    }

    /// Whether the value at `range` may be a reference with a host but without a scheme, such as `//host/path`.
    #[inline]
    fn may_be_reference(&self, range: Range<usize>) -> bool {
        let value = &self.html[range];
        let may_begin = |byte: &u8| matches!(byte, 0..=b' ' | b'/' | b'\\');
        value.first().is_some_and(may_begin) || memchr_iter(b'/', value).any(|at| value.get(at + 1) == Some(&b'/'))
    }

    /// Whether an earlier attribute of the tag has the same name as `attribute`. The name of the tag ends at `from`.
    fn is_repeated(&self, from: usize, attribute: &Attribute, key: Name) -> bool {
        /// Maximum number of attributes to compare.
        const MOST: usize = 32;
        /// Maximum number of bytes to read for one comparison. Without a limit, a long value would be read many times.
        const REACH: usize = 16 << 10;
        let html = &self.html[..self.html.len().min(from + REACH)];
        let (mut attributes, mut exhausted) = (Attributes::new(html, from), self.exhausted);
        let earlier = std::iter::from_fn(|| attributes.next(&mut exhausted));
        earlier
            .take(MOST)
            .take_while(|other| other.value.start < attribute.value.start)
            .any(|other| other.key(self.html) == key)
    }

    /// Records the URL of the first `base` element. From here on, references without a scheme are visited, too.
    fn set_base(&mut self, span: Range<usize>) -> ControlFlow<()> {
        reference::decode(&self.html[span], self.value, self.runs);
        self.value.retain(|byte| !matches!(byte, b'\t' | b'\r' | b'\n'));
        let value = self.value.trim_ascii();
        let absolute = || linked::base(&linked::absolute(value, &self.given)?.url);
        let base = if self.given.is_empty() { linked::base(value) } else { linked::base(value).or_else(absolute) };
        let Some(base) = base.filter(|base| base.len() <= LONGEST_BASE) else { return ControlFlow::Continue(()) };
        self.base = base;
        self.base_at = self.element - 1;
        self.replay_skipped(self.base_at)
    }

    /// Records the text of the current link. `attributes` are the remaining attributes of the link's tag.
    fn show(&mut self, attributes: &Attributes<'_>) {
        let end = attributes.clone().finish(&mut self.marks, self.exhausted);
        shown::word(self.html, end, &mut self.marks, self.shown);
    }

    /// Visits the URLs in the value at `span`. `place` is the [place](Self::place_of) of the attribute.
    fn attribute(&mut self, span: Range<usize>, known: &Known, place: Option<HtmlPlace>) -> ControlFlow<()> {
        let written = &self.html[span.clone()];
        let tag = Tag { element: self.element, attribute: known.name };
        let is_absolute = self.base.is_empty() && !matches!(written.first(), Some(b'/' | b'\\'));
        // Most URLs are plain: they have no character reference to decode, and no white space to remove.
        if known.value == Value::Url
            && is_absolute
            && (self.scope.charset.is_none() || written.is_ascii())
            && self.marks.is_plain(span.clone())
            && !linked::is_data(written)
        {
            // Without a colon, the value is a relative reference.
            if self.marks.hint(span.clone()).is_none() {
                self.add_relative(span, Some(known));
                return ControlFlow::Continue(());
            }
            let link = self.shown.link(tag, false, place);
            (self.visit)(HtmlItem::Attribute { value: written, span: span.clone(), link })?;
            // The colon of `index.php?title=Special:Search` ends no scheme.
            if !written.starts_with(b"http") && is_reference(written.trim_ascii_start()) {
                self.add_relative(span, Some(known));
            }
            return ControlFlow::Continue(());
        }
        let is_link = match known.value {
            // Most `style` attributes have no URL. A URL in such an attribute is in `url(…)`. The opening parenthesis
            // can be written as a character reference, which begins with `&`.
            Value::Style => memchr2(b'(', b'&', written).is_some(),
            Value::Linked => self.may_be_foreign(),
            Value::Animated => self.may_be_foreign() && value::is_animation(Name::at(self.html, self.element).0),
            _ => true,
        };
        if is_link { self.decoded(span, known, tag, place) } else { ControlFlow::Continue(()) }
    }

    /// Records the value at `span` of the attribute `known` of the current tag, if it is a relative reference that would
    /// need a base URL. A reference to a place in the same document is not recorded.
    #[cold]
    fn add_relative(&mut self, span: Range<usize>, known: Option<&Known>) {
        let is_link = || known.is_some_and(|known| known.is_link_of(Name::at(self.html, self.element).0));
        if !matches!(self.html.get(span.start), Some(b'#') | None) && !span.is_empty() && is_link() {
            self.unresolved.push(span);
        }
    }

    /// Whether there are too many open elements, so that nobody knows whether the current one is in SVG or MathML.
    fn is_overfull(&self) -> bool {
        self.tree.as_ref().is_some_and(|tree| tree.is_overfull)
    }

    fn may_be_foreign(&self) -> bool {
        self.is_foreign || self.is_overfull()
    }

    /// Returns the place of the attribute `known` of the current tag.
    fn place_of(&self, known: &Known) -> Option<HtmlPlace> {
        if let Value::Kept(place) = known.value {
            return Some(place);
        }
        let (name, end) = Name::at(self.html, self.element);
        let is_used_by = |is_foreign| known.is_used_by(name, is_foreign, &self.html[self.element..end]);
        let is_used = is_used_by(self.is_foreign) || self.is_overfull() && is_used_by(!self.is_foreign);
        if is_used { self.place } else { self.place.or(Some(HtmlPlace::OtherElement)) }
    }

    /// Decodes the value at `span`, and visits the URLs in it.
    #[inline(never)]
    fn decoded(&mut self, span: Range<usize>, known: &Known, tag: Tag, place: Option<HtmlPlace>) -> ControlFlow<()> {
        let (written, kind) = (&self.html[span.clone()], known.value);
        let charset = self.scope.charset.filter(|_| !written.is_ascii() && kind != Value::Sheet);
        let recoded = if kind == Value::Sheet && self.is_foreign && memchr(b'<', written).is_some() {
            Some(content::text_of_markup(written))
        } else {
            encoding::recoded(charset, written)
        };
        let raw = recoded.as_deref().unwrap_or(written);
        let plain = match self.marks.hint(span.clone()) {
            // The text of a `style` element has character references only in SVG.
            _ if kind == Value::Sheet && !self.is_foreign => true,
            Some(hint) if recoded.is_none() => memchr(b'&', &self.html[hint..span.end]).is_none(),
            hint => hint.is_none() || memchr(b'&', raw).is_none(),
        };
        let decoded = if plain {
            raw
        } else {
            reference::decode(raw, self.value, self.runs);
            self.value.as_slice()
        };
        let map = match recoded {
            Some(_) => Map::Whole { start: 0, end: span.len() },
            None if plain => Map::Shift(0),
            None => Map::Runs(self.runs, decoded.len()),
        };
        if kind == Value::Document {
            let document = Data::Markup(decoded.to_vec());
            return self.document_in(&[document], &Frame::In(span, tag, place));
        }
        let (start, shown, data) = (span.start, &*self.shown, Vec::new());
        // An animated value can also be a number, which is not a reference.
        let base = if kind == Value::Animated { &[] } else { &self.base[..] };
        let only_relative = self.only_relative;
        let mut found =
            Found { map, start, shown, tag, place, base, only_relative, data, is_unresolved: false, visit: self.visit };
        found.all(kind, decoded)?;
        let (data, is_unresolved) = (found.data, found.is_unresolved);
        if is_unresolved {
            self.add_relative(span.clone(), Some(known));
        }
        // Browsers request nothing for a document that is used as a picture.
        if Name::at(self.html, self.element).0 == Name::IMG {
            ControlFlow::Continue(())
        } else {
            self.document_in(&data, &Frame::In(span, tag, place))
        }
    }

    /// Visits the URLs in documents that are in an attribute or in a style sheet.
    fn document_in(&mut self, documents: &[Data], frame: &Frame) -> ControlFlow<()> {
        if self.scope.depth == DEEPEST || self.only_relative {
            return ControlFlow::Continue(());
        }
        let scope = Scope { depth: self.scope.depth + 1, in_text: false, charset: None, ..self.scope };
        documents.iter().try_for_each(|document| match document {
            Data::Markup(html) => self.nested(html, scope, frame),
            // A style sheet is read like that of a document.
            Data::Css(css) => self.nested(&[b"<style>", &css[..]].concat(), scope, frame),
        })
    }
}

/// Whether the first attribute `key` of an element has one of `values`. The name of the element ends at `from`.
fn has_value(html: &[u8], from: usize, mut exhausted: Exhausted, key: Name, values: &[&[u8]]) -> bool {
    let mut attributes = Attributes::new(html, from);
    let mut all = std::iter::from_fn(|| attributes.next(&mut exhausted));
    let Some(first) = all.find(|attribute| attribute.key(html) == key) else { return false };
    let (mut value, mut runs) = (Vec::new(), Vec::new());
    reference::decode(&html[first.value], &mut value, &mut runs);
    values.iter().any(|wanted| value.eq_ignore_ascii_case(wanted))
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
    base: &'f [u8],
    only_relative: bool,
    /// The documents in the `data:` URLs of the value.
    data: Vec<Data>,
    /// Whether the value has a relative reference, which was not resolved.
    is_unresolved: bool,
    visit: &'f mut dyn FnMut(HtmlItem<'_>) -> ControlFlow<()>,
}

impl Found<'_> {
    /// Visits the URLs in the decoded `value` of an attribute.
    fn all(&mut self, kind: Value, value: &[u8]) -> ControlFlow<()> {
        match kind {
            Value::List => value::list(value, b", \t\n\r\x0C").try_for_each(|url| self.url(url)),
            Value::Sources => value::source_set(value).try_for_each(|url| self.url(url)),
            Value::Style | Value::Sheet => css::urls(value).try_for_each(|url| self.style(url)),
            Value::Content => value::refresh_target(value).map_or(ControlFlow::Continue(()), |url| self.url(url)),
            Value::Animated => value::list(value, b";").try_for_each(|url| self.url(url)),
            _ => self.url((0, value)),
        }
    }

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
        match css::unescaped(css) {
            Cow::Borrowed(_) => self.url((at, css)),
            Cow::Owned(url) => {
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
        let absolute = linked::absolute(value, self.base);
        // A reference without a host and without a base is not a URL.
        if absolute.is_none() && memchr(b':', value).is_none() {
            self.is_unresolved |= !value.starts_with(b"#");
            return ControlFlow::Continue(());
        }
        self.is_unresolved |= absolute.is_none() && is_reference(value);
        // References with a host were already visited before the base was known.
        if self.only_relative && (absolute.is_none() || linked::begins_with_host(value)) {
            return ControlFlow::Continue(());
        }
        if linked::is_data(value) && self.data.len() < MOST_DATA {
            self.data.extend(linked::data(value));
        }
        let no_scheme = absolute.as_ref().is_some_and(|absolute| absolute.is_guess);
        let value = absolute.as_ref().map_or(value, |absolute| &absolute.url);
        let link = self.shown.link(self.tag, no_scheme, self.place);
        (self.visit)(HtmlItem::Attribute { value, span, link })
    }
}

/// Whether `value`, which has a colon, is a relative reference. A URL after a quotation mark or other marks is a reject.
fn is_reference(value: &[u8]) -> bool {
    value.first().is_some_and(|first| first.is_ascii_alphanumeric() || b"/.?=_~-".contains(first)) && !has_scheme(value)
}

/// Returns the end of a URL in angle brackets, such as `<http://example.org/>`. `at` is the offset after the colon of
/// the URL's scheme. Returns `None` if `//` does not follow the colon, or if the brackets contain blanks, quotation
/// marks or another `<`.
fn url_in_brackets(html: &[u8], at: usize) -> Option<usize> {
    let rest = html[at..].strip_prefix(b"//")?;
    let end = rest.iter().position(|byte| matches!(byte, b'<' | b'>' | b'"' | b'\'' | b' ' | b'\t'))?;
    (rest[end] == b'>').then_some(html.len() - rest.len() + end + 1)
}
