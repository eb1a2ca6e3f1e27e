//! Tells in which zone of its message a URL is: a header field, the author's own words, a quotation, a signature, a
//! footer or an attachment (RULES.md, section 8).

mod html;
mod phrases;
mod text;

use std::sync::OnceLock;

named! {
    /// The zone of a message that contains a URL.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum Zone: &'static str {
        /// A header field of the message or of a MIME part.
        Header = "header" => "a header field of the message or of a part",
        /// The words of the author.
        Body = "body" => "the words of the author",
        /// Earlier text that is quoted or forwarded, with everything in it.
        Quote = "quote" => "quoted or forwarded text",
        /// The signature of the author. This is a guess if no line `-- ` is before it.
        Signature = "signature" => "the signature of the author (a guess, if no line `-- ` is before it)",
        /// Text that was added by a mailing list, an archive or a provider, and the part of bulk mail that says how to
        /// unsubscribe.
        Footer = "footer" => "text that a list, an archive or a provider added, or how to unsubscribe",
        /// An attachment, such as a patch or a calendar.
        Attachment = "attachment" => "an attachment, such as a patch",
    }
}

impl Zone {
    /// Returns the definition of the zone.
    pub(crate) fn about(self) -> &'static str {
        self.row()
    }
}

/// A zone. It ends where the next span begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: usize,
    zone: Zone,
}

/// The zones of the text of a part. They are computed when they are first asked for.
#[derive(Debug)]
pub(crate) struct Zones<'a> {
    text: &'a [u8],
    media: &'a [u8],
    kind: Kind,
    /// Whether owned hits keep their zone.
    pub(crate) is_kept: bool,
    found: OnceLock<Found>,
    elements: OnceLock<Vec<html::Change>>,
}

/// What the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All of the text is in one zone.
    All(Zone),
    /// Text outside messages: only the line of a URL counts. If such a text comes from a pipe, the lines around may not
    /// have arrived.
    Lines,
    Text,
    Html,
}

#[derive(Debug, Default)]
struct Found {
    spans: Vec<Span>,
    /// In HTML, the places of attributes.
    attributes: Vec<Span>,
}

impl<'a> Zones<'a> {
    pub(crate) fn new(text: &'a [u8], media: &'a [u8], kind: Kind, is_kept: bool) -> Zones<'a> {
        Zones { text, media, kind, is_kept, found: OnceLock::new(), elements: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }

    fn elements(&self) -> &[html::Change] {
        self.elements.get_or_init(|| html::elements(self.text))
    }

    /// Whether the lines around a line count.
    pub(crate) fn has_lines(&self) -> bool {
        self.kind != Kind::Lines
    }

    /// Returns how many elements of HTML that contain the byte `at` of the text are quotations.
    pub(crate) fn quoting_elements(&self, at: usize) -> usize {
        if self.kind == Kind::Html { html::element_at(self.elements(), at).1.into() } else { 0 }
    }

    /// Returns the zone of the byte `at` of the text. `is_attribute` says whether it is in an attribute of HTML, and
    /// `is_quoted` whether its line has quote marks.
    pub(crate) fn at(&self, at: usize, is_attribute: bool, is_quoted: impl Fn() -> bool) -> Zone {
        let found = match self.kind {
            Kind::All(zone) => return zone,
            // No rule changes the zone of such a line.
            Kind::Lines | Kind::Text if is_quoted() => return Zone::Quote,
            Kind::Lines => return Zone::Body,
            Kind::Html => self.found.get_or_init(|| html::zones(self.text, self.media, self.elements())),
            Kind::Text => self.found.get_or_init(|| Found { spans: text::zones(self.text), attributes: Vec::new() }),
        };
        zone_at(if is_attribute { &found.attributes } else { &found.spans }, at)
    }
}

/// Returns the last of `items`, sorted by `start`, that starts at or before `at`.
fn last_before<T: Copy>(items: &[T], at: usize, start: impl Fn(&T) -> usize) -> Option<T> {
    items.partition_point(|item| start(item) <= at).checked_sub(1).map(|index| items[index])
}

fn zone_at(spans: &[Span], at: usize) -> Zone {
    last_before(spans, at, |span| span.start).map_or(Zone::Body, |span| span.zone)
}
