//! The zones of HTML: the rules of plain text for the text of the HTML, and elements that mail programs write around
//! quotations and signatures.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use memchr::memmem;

use super::phrases::{FOOTERS, Phrases};
use super::{Found, Span, Zone, last_before, text, zone_at};
use crate::mail::html::{HtmlItem, Scratch, comment, walk};

/// The distance, in bytes of text, between a link and a phrase of a footer before or after it.
const NEAR: (usize, usize) = (140, 40);

/// Attributes of the elements that mail programs write around a quotation or signature, and the zone of the element. If
/// the flag is true, the zone goes on to the end of the document.
const MARKS: [(&str, Zone, bool); 18] = [
    ("type=\"cite\"", Zone::Quote, false),
    ("type=cite", Zone::Quote, false),
    ("type='cite'", Zone::Quote, false),
    ("gmail_quote", Zone::Quote, false),
    ("gmail_extra", Zone::Quote, false),
    ("moz-cite-prefix", Zone::Quote, false),
    ("yahoo_quoted", Zone::Quote, false),
    ("protonmail_quote", Zone::Quote, false),
    ("zmail_extra", Zone::Quote, false),
    ("wordsection1 quote", Zone::Quote, false),
    ("divrplyfwdmsg", Zone::Quote, true),
    ("outlookmessageheader", Zone::Quote, true),
    ("appendonsend", Zone::Quote, true),
    ("gmail_signature", Zone::Signature, false),
    ("moz-signature", Zone::Signature, false),
    ("protonmail_signature", Zone::Signature, false),
    ("id=\"signature\"", Zone::Signature, false),
    ("id='signature'", Zone::Signature, false),
];

/// Finds [`MARKS`].
static ATTRIBUTES: LazyLock<Phrases<(Zone, bool)>> =
    LazyLock::new(|| Phrases::new(&SIGNS, &MARKS.map(|(text, zone, is_to_end)| (text, (zone, is_to_end)))));

/// Returns the zones of `html`. `elements` are the [`elements`] of it.
pub(super) fn zones(html: &[u8], media: &[u8], elements: &[Change]) -> Found {
    let mut scratch = Scratch::default();
    scratch.all_text = true;
    let mut read = Read::default();
    let _ = walk(html, media, None, &mut scratch, &mut |item| {
        match item {
            HtmlItem::Attribute { span, link, .. } => {
                let is_link = link.tag.is_some_and(|tag| tag.attribute == "href");
                read.waiting.push((span.start, is_link));
            }
            HtmlItem::Text { text, map } => read.text(text, |at| map.raw(at..at).start),
            HtmlItem::Unresolved(_) => {}
        }
        ControlFlow::Continue(())
    });
    read.text(b"", |_| html.len());
    read.phrases();
    let lines = text::zones(&read.text);
    let zone = |start: usize, at: usize, is_link: bool| {
        let (element, _) = element_at(elements, start);
        let zone = zone_at(&lines, at);
        let is_near = || read.is_near(at) && at > read.text.len() * 35 / 100;
        let zone = match element {
            Some(Zone::Quote) => Zone::Quote,
            _ if zone != Zone::Body => zone,
            _ if is_link && is_near() => Zone::Footer,
            element => element.unwrap_or(zone),
        };
        Span { start, zone }
    };
    let attributes = read.attributes.iter().map(|&(start, at, is_link)| zone(start, at, is_link)).collect();
    let spans = read.starts.iter().map(|&(start, at)| zone(start, at, false)).collect();
    Found { spans, attributes }
}

/// The text of HTML.
#[derive(Default)]
struct Read {
    text: Vec<u8>,
    /// For each line of the text, its place in the HTML and in the text.
    starts: Vec<(usize, usize)>,
    /// Attributes before the next text, and whether each is a link.
    waiting: Vec<(usize, bool)>,
    /// For each attribute, its place in the HTML and in the text, and whether it is a link.
    attributes: Vec<(usize, usize, bool)>,
    /// The places of phrases in the text.
    phrases: Vec<usize>,
}

impl Read {
    /// Adds a text. `raw` maps offsets in the text to offsets in the HTML.
    fn text(&mut self, text: &[u8], raw: impl Fn(usize) -> usize) {
        let base = self.text.len();
        for (start, is_link) in std::mem::take(&mut self.waiting) {
            self.attributes.push((start, base + place(text.len(), start, &raw), is_link));
        }
        let lines = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
        self.starts.extend([0].into_iter().chain(lines).filter(|at| *at < text.len()).map(|at| (raw(at), base + at)));
        self.text.extend_from_slice(text);
        self.text.extend_from_slice(b"\n\n");
    }

    fn phrases(&mut self) {
        let phrases = &mut self.phrases;
        FOOTERS.find(&self.text, |kind, phrase| phrases.extend((kind == "leave").then_some(phrase.start)));
        self.phrases.sort_unstable();
    }

    /// Whether a phrase of a footer is near the offset `at` of the text.
    fn is_near(&self, at: usize) -> bool {
        let next = self.phrases.partition_point(|phrase| phrase + NEAR.0 < at);
        let Some(&phrase) = self.phrases.get(next) else { return false };
        phrase <= at || phrase <= at + NEAR.1 && memmem::find(&self.text[at..phrase], b"\n\n\n").is_none()
    }
}

/// Returns the first offset in a text of `length` bytes whose place in the HTML is not before `start`.
fn place(length: usize, start: usize, raw: &impl Fn(usize) -> usize) -> usize {
    let (mut from, mut to) = (0, length);
    while from < to {
        let middle = (from + to) / 2;
        if raw(middle) < start {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

/// An offset of HTML, and what holds from there on: the zone that the elements show, and the number of those that quote.
pub(super) type Change = (usize, Option<Zone>, u16);

/// Returns the zone that the elements around the byte `at` show, and how many of them quote.
pub(super) fn element_at(elements: &[Change], at: usize) -> (Option<Zone>, u16) {
    last_before(elements, at, |change| change.0).map_or((None, 0), |(_, zone, depth)| (zone, depth))
}

/// Parts of [`MARKS`], as mail programs write them. Each mark has at least one. Most HTML does not contain them.
/// Capitals count here, but not in the rest of a mark.
const SIGNS: [&str; 19] = [
    "=cite",
    "=\"cite",
    "='cite",
    "=CITE",
    "=\"CITE",
    "='CITE",
    "-cite",
    "_quote",
    "_extra",
    "ection1 quote",
    "RplyFwdMsg",
    "MessageHeader",
    "ppendonsend",
    "_signature",
    "-signature",
    "=\"Signature",
    "=\"signature",
    "='Signature",
    "='signature",
];

/// The longest tag whose attributes count, in bytes.
const TAG: usize = 4 << 10;

/// The largest number of open elements that are searched for the one that an end tag closes.
const OPEN: usize = 64;

/// Returns the end of the comment that begins at `open`. Without an end, `<!--` is probably in an attribute.
fn end_of_comment(html: &[u8], open: usize) -> usize {
    let (_, end) = comment(html, open);
    if html[..end].ends_with(b">") { end } else { open + 1 }
}

/// Returns the places at which an element that mail programs write around quotations and signatures begins or ends.
pub(super) fn elements(html: &[u8]) -> Vec<Change> {
    // No two marks overlap, so they are in ascending order. They take at most three times the memory of the HTML.
    let mut marks = Vec::new();
    ATTRIBUTES.find(html, |of, place| marks.push((place.start, of)));
    let mut marks = marks.into_iter().peekable();
    let Some(&(first, _)) = marks.peek() else { return Vec::new() };
    let mut changes = Vec::new();
    // The open elements. Each has the zone of its content, and the number of elements that quote it.
    let mut open: Vec<(&[u8], Option<Zone>, u16)> = Vec::new();
    let state = |open: &[(&[u8], Option<Zone>, u16)]| open.last().map_or((None, 0), |(_, zone, depth)| (*zone, *depth));
    // The first mark is in a comment or in a tag. A comment has no elements.
    let mut from = memmem::rfind(&html[..first], b"<!--").filter(|&open| end_of_comment(html, open) > first);
    from = from.or_else(|| memchr::memrchr(b'<', &html[..first]));
    let (mut next, mut has_end) = (from.unwrap_or(first), true);
    while let Some(at) = memchr::memchr(b'<', &html[next..]).map(|length| next + length) {
        next = at + 1;
        if html[at..].starts_with(b"<!--") {
            // After a comment without an end, no comment has one.
            next = if has_end { end_of_comment(html, at) } else { next };
            has_end = next > at + 1;
            continue;
        }
        let is_end = html.get(at + 1) == Some(&b'/');
        let name = &html[(at + 1 + usize::from(is_end)).min(html.len())..];
        let name = &name[..name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()];
        let near = open.len().saturating_sub(OPEN);
        let same = open[near..].iter().rposition(|(open, ..)| open.eq_ignore_ascii_case(name));
        if is_end {
            let Some(last) = same else { continue };
            let before = state(&open);
            open.truncate(near + last);
            let (zone, depth) = state(&open);
            if (zone, depth) != before {
                changes.push((at, zone, depth));
            }
            continue;
        }
        let limit = html.len().min(at + TAG);
        let end = memchr::memchr(b'>', &html[at..limit]).map_or(limit, |length| at + length);
        let mut zone = None;
        while let Some((mark, (of, is_to_end))) = marks.next_if(|(mark, _)| *mark < end) {
            if mark > at && zone.is_none() {
                zone = Some(of);
                if is_to_end {
                    changes.push((at, zone, 1));
                    return changes;
                }
            }
        }
        if zone.is_some() || same.is_some() {
            let (outer, depth) = state(&open);
            let depth = depth.saturating_add((zone == Some(Zone::Quote)).into());
            let inner = if outer == Some(Zone::Quote) { outer } else { zone.or(outer) };
            open.push((name, inner, depth));
            if zone.is_some() {
                changes.push((at, inner, depth));
            }
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mark without a sign would never be found.
    #[test]
    fn each_mark_has_a_sign() {
        for (mark, zone, _) in MARKS {
            let mark = mark.replace("rplyfwdmsg", "RplyFwdMsg").replace("messageheader", "MessageHeader");
            let html = format!("<div {mark}>");
            let places: Vec<_> = elements(html.as_bytes()).into_iter().map(|(at, zone, _)| (at, zone)).collect();
            assert_eq!(places, [(0, Some(zone))], "{html}");
        }
    }
}
