//! HTML as far as URLs care: the attributes that hold them, and the text a reader would see.
//!
//! Most of an HTML part is neither, so most of it is only stepped over: text runs are found by SIMD, tags
//! are walked by hand the way the HTML standard's tokenizer walks them (section 13.2.5), and html5gum is
//! asked only what a character reference means. Its full tokenizer, an order of magnitude slower, is what
//! the tests compare with.
//!
//! Where the standard loses the rest of a document to a quotation mark that is never closed, the value
//! ends at the next blank or `>` instead: damaged mail is not thrown away.

mod css;
mod reference;
mod shown;
mod tag;
mod text;

use std::ops::{ControlFlow, Range};

use memchr::{memchr, memmem};

use super::map::{Map, Run};
use tag::{Attributes, Value};
use text::Text;

/// Something in HTML that may hold a URL.
#[derive(Clone, Debug)]
pub(crate) enum Piece<'a> {
    /// An attribute's value, or a URL inside one (`srcset`, `style`, a refresh), or inside a style sheet.
    Attribute {
        /// What it says: character references decoded, blanks around it and line ends within it removed.
        value: &'a [u8],
        /// Where it stands in the HTML, as written: with its references and line ends, without quotation marks.
        span: Range<usize>,
        /// What a reader sees of the link that it is, if that is one word; else nothing.
        shown: &'a [u8],
    },
    /// Text between tags: character references decoded, inline tags gone without a trace, `br` a line
    /// break, every other tag a blank line.
    Text {
        /// The text.
        text: &'a [u8],
        /// From an offset in it to octets of the HTML.
        map: Map<'a>,
    },
}

/// How often quotation marks that are never closed may be looked for: once each.
#[derive(Clone, Copy, Debug, Default)]
struct Exhausted {
    double: bool,
    single: bool,
}

/// Visits what in `html` may hold a URL, in order, attributes before the text around them is complete.
///
/// Attributes: `href`, `src`, `action`, `cite`, `background`, `data`, `srcset` and the rest of those whose
/// value is a URL by HTML 2 to 5 or by an old browser; the URL of a refreshing `meta`; `url(…)` in style
/// attributes and `style` elements. Scripts and comments are stepped over.
///
/// If `worth` says that the octets hold nothing and no reference could hide it, nothing is visited.
/// Text of no worth is not visited either. Linear in `html` whatever it holds; buffers some 64 KiB of text.
pub(crate) fn walk(
    html: &[u8],
    worth: &dyn Fn(&[u8]) -> bool,
    visit: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let hides = |needle: &[u8]| memmem::find(html, needle).is_some();
    if !worth(html) && !hides(b"&#") && !hides(b"&colon") && !hides(b"&sol") {
        return ControlFlow::Continue(());
    }
    let mut walk = Walk {
        html,
        text: Text::new(html, worth),
        visit,
        exhausted: Exhausted::default(),
        link: 0..0,
        shown: Vec::new(),
        value: Vec::new(),
        runs: Vec::new(),
    };
    walk.run()
}

struct Walk<'w> {
    html: &'w [u8],
    text: Text<'w>,
    visit: &'w mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    exhausted: Exhausted,
    /// Where the last `a` element's `href` stands.
    link: Range<usize>,
    /// What a reader sees of it.
    shown: Vec<u8>,
    /// A decoded value, and where it came from.
    value: Vec<u8>,
    runs: Vec<Run>,
}

impl Walk<'_> {
    fn run(&mut self) -> ControlFlow<()> {
        let html = self.html;
        let mut at = 0;
        while at < html.len() {
            let open = memchr(b'<', &html[at..]).map_or(html.len(), |i| at + i);
            if at < open {
                self.text.add(at..open, self.visit)?;
            }
            if open == html.len() {
                break;
            }
            at = match html[open + 1..] {
                [b'a'..=b'z' | b'A'..=b'Z', ..] => self.start(open)?,
                [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => self.end(open)?,
                [b'!', ..] => self.declaration(open)?,
                [b'?' | b'/', _, ..] => memchr(b'>', &html[open..]).map_or(html.len(), |i| open + i + 1),
                _ => {
                    self.text.add(open..open + 1, self.visit)?;
                    open + 1
                }
            };
        }
        self.text.flush(self.visit)
    }

    /// A comment or a doctype at `open`; returns where it ends.
    fn declaration(&mut self, open: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let rest = &html[open..];
        if rest.starts_with(b"<!-->") {
            return ControlFlow::Continue(open + 5);
        }
        if rest.starts_with(b"<!--->") {
            return ControlFlow::Continue(open + 6);
        }
        let end = if rest.starts_with(b"<!--") {
            let mut dashes = memmem::find_iter(&rest[4..], b"--").filter_map(|i| match rest.get(4 + i + 2..)? {
                [b'>', ..] => Some(open + 4 + i + 3),
                [b'!', b'>', ..] => Some(open + 4 + i + 4),
                // Any number of dashes may close a comment, and matches do not overlap.
                [b'-', b'>', ..] => Some(open + 4 + i + 4),
                _ => None,
            });
            dashes.next()
        } else {
            memchr(b'>', rest).map(|i| open + i + 1)
        };
        ControlFlow::Continue(end.unwrap_or(html.len()))
    }

    /// A closing tag at `open`; returns where it ends.
    fn end(&mut self, open: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let name = tag::name(html, open + 2);
        let mut attributes = Attributes::new(html, name.end);
        while attributes.next(&mut self.exhausted).is_some() {}
        let end = attributes.end();
        if html[name.clone()].eq_ignore_ascii_case(b"a") && self.goes_on(end) {
            return ControlFlow::Continue(end);
        }
        self.text.tag(&html[name], open..end, self.visit)?;
        ControlFlow::Continue(end)
    }

    /// Whether the link that ends before `at` goes on there, as one to the same place: some editors break the text of
    /// a link over two elements.
    fn goes_on(&self, at: usize) -> bool {
        let html = self.html;
        let name = tag::name(html, at + 1);
        if html.get(at) != Some(&b'<') || !html[name.clone()].eq_ignore_ascii_case(b"a") || self.link.is_empty() {
            return false;
        }
        let mut attributes = Attributes::new(html, name.end);
        // What its attributes do to quotation marks is said when it is read.
        let mut exhausted = self.exhausted;
        while let Some(attribute) = attributes.next(&mut exhausted) {
            if html[attribute.name].eq_ignore_ascii_case(b"href") {
                return html[attribute.value] == html[self.link.clone()];
            }
        }
        false
    }

    /// An opening tag at `open`; returns where it, or the text that only it can hold, ends.
    fn start(&mut self, open: usize) -> ControlFlow<(), usize> {
        let html = self.html;
        let name = tag::name(html, open + 1);
        let element = &html[name.clone()];
        let mut end = name.end + 1;
        if html.get(name.end) != Some(&b'>') {
            let mut attributes = Attributes::new(html, name.end);
            let mut linked = false;
            let mut meta = (element.eq_ignore_ascii_case(b"meta")).then(Refresh::default);
            while let Some(attribute) = attributes.next(&mut self.exhausted) {
                let value = attribute.value;
                if value.is_empty() {
                    continue;
                }
                let written = &html[attribute.name.clone()];
                match tag::value_kind(written) {
                    Value::Nothing => {}
                    // Most styles name no document; one that does may hide its bracket, but not both marks.
                    Value::Style if memchr::memchr2(b'(', b'&', &html[value.clone()]).is_none() => {}
                    kind @ (Value::Url | Value::Urls | Value::Style) => {
                        if element.eq_ignore_ascii_case(b"a") && written.eq_ignore_ascii_case(b"href") {
                            self.link = value.clone();
                            // The first is the one that counts.
                            if !std::mem::replace(&mut linked, true) {
                                shown::word(html, attributes.clone().finish(self.exhausted), &mut self.shown);
                            }
                        }
                        self.attribute(value, kind)?;
                        self.shown.clear();
                    }
                    Value::Equivalent => {
                        if let Some(meta) = &mut meta {
                            meta.refreshes = html[value].trim_ascii().eq_ignore_ascii_case(b"refresh");
                        }
                    }
                    Value::Content => {
                        if let Some(meta) = &mut meta {
                            meta.content = Some(value);
                        }
                    }
                }
            }
            end = attributes.end();
            if let Some(Refresh { refreshes: true, content: Some(value) }) = meta {
                self.attribute(value, Value::Content)?;
            }
        }
        let end = end.min(html.len());
        self.text.tag(element, open..end, self.visit)?;
        if element.eq_ignore_ascii_case(b"script") || element.eq_ignore_ascii_case(b"style") {
            let close = tag::closing(html, end, element);
            if element.len() == b"style".len() {
                self.sheet(end..close)?;
            }
            return ControlFlow::Continue(close);
        }
        ControlFlow::Continue(end)
    }

    /// Decodes a value and visits what URLs are in it.
    fn attribute(&mut self, span: Range<usize>, kind: Value) -> ControlFlow<()> {
        let raw = &self.html[span.clone()];
        let plain = memchr(b'&', raw).is_none();
        let decoded = if plain {
            raw
        } else {
            reference::decode(raw, &mut self.value, &mut self.runs);
            &self.value
        };
        let inner = if plain { Map::shift(0) } else { Map::runs(&self.runs, decoded.len()) };
        let (visit, shown) = (&mut self.visit, &self.shown);
        let mut url = |(at, url): (usize, &[u8])| {
            let at = at + url.len() - url.trim_ascii_start().len();
            let url = url.trim_ascii();
            if url.is_empty() {
                return ControlFlow::Continue(());
            }
            let clean: Vec<u8>;
            let value = if url.iter().any(|octet| matches!(octet, b'\t' | b'\r' | b'\n')) {
                clean = url.iter().copied().filter(|octet| !matches!(octet, b'\t' | b'\r' | b'\n')).collect();
                clean.as_slice()
            } else {
                url
            };
            let place = inner.raw(at..at + url.len());
            let span = span.start + place.start..span.start + place.end;
            visit(Piece::Attribute { value, span, shown })
        };
        match kind {
            Value::Urls => tag::source_set(decoded).try_for_each(url),
            Value::Style => css::urls(decoded).try_for_each(url),
            Value::Content => tag::refresh_target(decoded).map_or(ControlFlow::Continue(()), url),
            _ => url((0, decoded)),
        }
    }

    /// A style sheet's URLs.
    fn sheet(&mut self, range: Range<usize>) -> ControlFlow<()> {
        for (at, value) in css::urls(&self.html[range.clone()]) {
            let span = range.start + at..range.start + at + value.len();
            (self.visit)(Piece::Attribute { value, span, shown: b"" })?;
        }
        ControlFlow::Continue(())
    }
}

/// What a `meta` element has said so far.
#[derive(Default)]
struct Refresh {
    refreshes: bool,
    content: Option<Range<usize>>,
}
