//! Searches one message, or one window of text (a block of a text that is not a message). A message is split into
//! regions, such as header fields and decoded MIME parts. Each region is scanned for candidates, the candidates are
//! parsed, and the hits are passed to the sink.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, LazyLock};

use super::attached;
use super::defanged::{self, Refanged};
use super::legacy::{self, Again};
use super::seen::Seen;
use super::{Extractor, MessageFilter, select};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::event::{Event, Sink};
use crate::hit::fields::Value;
use crate::hit::{Gaps, Hit, Lines, Location, MessageContext, MessageFacts, RegionContext, Reject};
use crate::mail::html;
use crate::mail::{self, Kind, Link, Map, Prefilter, Region, Scratch, Section, Skip};
use crate::options::{Options, SearchIn};
use crate::scan::{Addresses, Candidate, Candidates, Elsewhere, Form, Scanner, dots_of};
use crate::shared::{FIELD_MAX, cut};
use crate::source::Input;
use crate::trigger::{Dots, TriggerIndex, TriggerSlice};
use crate::url::{ParseError, Tier};
use crate::url::{Url, Warning, Warnings};
use crate::zone::{self, Zone, Zones};

/// Number of bytes after which [`Event::Check`] is reported again, so that the sink can stop the
/// search.
const CHECK_EVERY: usize = 64 << 10;

/// A worker frees its buffers after a message of more than this number of bytes. [`text_of`] also returns at most about
/// this number of bytes.
const LARGE: usize = 1 << 20;

/// Searches messages and windows of text, one after another, and reuses its buffers for all of them.
pub(super) struct Worker<'c> {
    config: &'c Extractor,
    pub(super) filter: &'c MessageFilter,
    buffers: &'c mut Buffers,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    scratch: Scratch,
    triggers: TriggerIndex,
    kept: Kept,
}

/// State that a [`Composer`] reuses for each message.
#[derive(Debug, Default)]
struct Kept {
    seen: Seen,
    /// Number of links in the HTML of the current message that are not valid URLs.
    refused: u32,
    /// Number of bytes that were read since the last [`Event::Check`].
    unchecked: usize,
    html: html::Scratch,
}

impl Kept {
    /// Returns the hit for `url`. `mended` has one warning for each repair of the URL.
    #[inline(always)]
    fn hit<'h>(&mut self, url: &'h Url<'h>, mended: Warnings, link: &Link<'_>, location: Location<'h>) -> Hit<'h> {
        let repeat = self.seen.dup(url);
        let mut warnings = url.lint().and(mended);
        let is_other = !link.word.is_empty() && url.is_shown_as_other_host(link.word);
        warnings.add(Warning::ShownAsOtherHost, is_other);
        warnings.add(Warning::NoScheme, link.no_scheme);
        Hit::new(location, warnings, repeat)
    }
}

/// The position of a message, or of a window of text, in the input.
#[derive(Clone, Copy)]
pub(super) struct InputContext<'a> {
    /// The file. `None` for a message in memory.
    pub(super) file: Option<&'a Arc<Input>>,
    /// The offset in the file of the first byte of the message or window.
    pub(super) base: u64,
    /// The number of the message, or of the message that contains the window of text. 0 if there is no message.
    pub(super) number: u64,
    /// If the text is in the rest of an oversized message, the beginning of this message. Otherwise empty.
    pub(super) head: &'a [u8],
    /// The line before the message in an mbox, or nothing.
    pub(super) envelope: &'a [u8],
    /// Finds the line numbers of offsets. `None` if lines are not counted.
    pub(super) lines: Option<&'a Lines<'a>>,
    /// The ranges of bytes that were removed from the stored message.
    pub(super) gaps: Option<&'a Gaps>,
    /// Whether the message or window may continue, because the file was not read to its end.
    pub(super) is_cut: bool,
}

impl<'a> InputContext<'a> {
    /// `bytes` are those of the message or window.
    fn of_message(&self, message: &'a MessageFacts<'a>, bytes: &[u8]) -> MessageContext<'a> {
        let InputContext { file, base, lines, gaps, is_cut, .. } = *self;
        let cut = is_cut.then(|| bytes.trim_ascii_end().len());
        MessageContext { file, message, lines, base, gaps, length: None, cut }
    }
}

/// Returns the header block of a document: that of the message if an HTML page shows one, and otherwise an empty one.
/// Returns `None` for messages.
#[inline]
pub(super) fn page_headers(media: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    match media {
        "" => None,
        "text/html" => Some(html::page_headers(bytes)),
        _ => Some(Vec::new()),
    }
}

impl<'c> Worker<'c> {
    pub(super) fn new(config: &'c Extractor, filter: &'c MessageFilter, buffers: &'c mut Buffers) -> Worker<'c> {
        Worker { config, filter, buffers }
    }

    /// Must be called after `bytes` bytes were skipped. Skipped bytes count like bytes that were read, so that
    /// [`Event::Check`] is reported often enough.
    pub(super) fn pass_over(&mut self, bytes: usize) {
        self.buffers.kept.unchecked += bytes;
    }

    /// Removes `cuts` from the stored message `bytes`, and passes the hits in the resulting message to `sink`. `cuts`
    /// are the ranges of the bytes that the mailbox format added to the message.
    pub(super) fn stored(
        &mut self,
        bytes: &[u8],
        cuts: &[Range<usize>],
        input: InputContext<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        if cuts.is_empty() {
            return self.message(bytes, input, sink);
        }
        let (mut gaps, mut rest) = (Gaps::default(), Vec::new());
        gaps.cut(bytes, cuts, &mut rest);
        self.message(&rest, InputContext { gaps: Some(&gaps), ..input }, sink)
    }

    /// Passes the hits in the message `bytes` to `sink`, headers first.
    pub(super) fn message(&mut self, bytes: &[u8], input: InputContext<'_>, sink: &mut dyn Sink) -> ControlFlow<()> {
        let format = self.config.options.format;
        let media = input.file.map_or(format.map_or("", |format| format.media), |file| file.media());
        let head = page_headers(media, bytes);
        let message = MessageFacts::new(input.number, head.as_deref().unwrap_or(bytes), input.envelope);
        let mut notes = Vec::new();
        let config = self.config;
        let Buffers { scratch, triggers, kept } = &mut *self.buffers;
        kept.seen.clear();
        kept.refused = 0;
        let text = LazyLock::new(|| text_of(media, bytes));
        let asked = AtomicUsize::new(0);
        let length = input.gaps.map_or(bytes.len(), |gaps| gaps.before(bytes.len())) as u64;
        let in_message = MessageContext { length: Some(length), ..input.of_message(&message, bytes) };
        let elsewhere = Some(Elsewhere::new(&text, &asked));
        let in_message = &in_message;
        // A page shows a message if it has any field but Subject, which is the title of the page.
        let has_fields = |head: &[u8]| {
            head.split(|&byte| byte == b'\n').any(|line| line.contains(&b':') && !line.starts_with(b"Subject"))
        };
        let is_message = head.as_ref().is_none_or(|head| has_fields(head));
        let mut composer = Composer { config, in_message, is_message, elsewhere, texts: 0, kept, sink };
        mail::regions(
            media,
            bytes,
            scratch,
            config.prefilter(triggers, bytes),
            &mut |region| composer.region(region),
            &mut |note| notes.push(note),
        )?;
        let refused = self.buffers.kept.refused;
        if bytes.len() > LARGE {
            *self.buffers = Buffers::default();
        }
        let file = input.file.map(|file| &**file);
        if refused > 0 {
            let diagnostic = &Diagnostic::with_number(DiagnosticKind::RefusedLinks, input.base, refused.into());
            sink.event(Event::Diagnostic { file, diagnostic })?;
        }
        for note in notes.into_iter().chain(message.cut().into_iter().map(|name| Diagnostic::of_cut_field(name, 0))) {
            if note.kind() == DiagnosticKind::BadTnef && !config.options.searches(SearchIn::Attachments) {
                continue;
            }
            let at = note.offset as usize;
            let at = input.gaps.map_or(at, |gaps| gaps.before(at));
            let diagnostic = &Diagnostic { offset: input.base + at as u64, ..note };
            sink.event(Event::Diagnostic { file, diagnostic })?;
        }
        ControlFlow::Continue(())
    }

    /// Scans `text`, without parsing it as a message. `sink` receives only the hits that begin within the range
    /// `starts`.
    pub(super) fn text(
        &mut self,
        text: &[u8],
        starts: Range<usize>,
        input: InputContext<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let (config, kept) = (self.config, &mut self.buffers.kept);
        if !config.options.searches(SearchIn::Text) {
            return ControlFlow::Continue(());
        }
        let message = MessageFacts::new(input.number, input.head, b"");
        let (part, map, raw) = (&Section::default(), &Map::Shift(0), (0, text.len()));
        let zones = &Zones::new(text, b"", zone::Kind::Lines, config.options.zones.is_some());
        let in_region = RegionContext::new(part, map, raw, zones);
        kept.seen.clear();
        let in_message = &input.of_message(&message, text);
        let mut composer = Composer { config, in_message, is_message: false, elsewhere: None, texts: 0, kept, sink };
        composer.search(&config.scanner(), starts, &in_region)
    }
}

/// Returns the offset of the first trigger in `text`, or of the first dot in `dots`, whichever is first.
fn first_trigger_or_dot(text: &[u8], dots: Dots) -> Option<usize> {
    let trigger = Scanner::first_trigger(text);
    dots.first(text, 0..trigger.unwrap_or(text.len())).or(trigger)
}

/// Returns what is known about the zones of a region of a message, or of a document.
fn zone_of(region: &Region<'_>, is_message: bool) -> zone::Kind {
    match region.kind {
        Kind::Header { .. } => zone::Kind::All(Zone::Header),
        _ if region.part.attachment().is_some() => zone::Kind::All(Zone::Attachment),
        _ if !is_message => zone::Kind::Lines,
        // The text after the last part can have the media type of that part.
        Kind::Text | Kind::Html if mail::is_document(region.media) => zone::Kind::All(Zone::Attachment),
        Kind::Html => zone::Kind::Html,
        _ => zone::Kind::Text,
    }
}

/// Whether a text of the type `media` is `format=flowed` (RFC 3676).
pub(super) fn is_flowed(media: &[u8]) -> bool {
    memchr::memmem::find(media, b"flowed").is_some()
}

/// Returns the decoded text of all parts of `message`, but at most about [`LARGE`] bytes.
#[cold]
pub(super) fn text_of(media: &str, message: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    // The result can be ignored: `Break` only means that the text reached `LARGE` bytes.
    let _ = mail::regions(
        media,
        message,
        &mut Scratch::default(),
        Prefilter::new(None, &Scanner::first_trigger),
        &mut |region| {
            if matches!(region.kind, Kind::Text | Kind::Html | Kind::Raw) {
                text.extend_from_slice(&region.text[..region.text.len().min(LARGE - text.len())]);
                text.push(b'\n');
            }
            if text.len() < LARGE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
        &mut |_| {},
    );
    text
}

/// Turns the regions of one message into hits.
struct Composer<'c> {
    config: &'c Extractor,
    in_message: &'c MessageContext<'c>,
    /// Whether the text is a message, or a page that shows one, and not a document such as a calendar.
    is_message: bool,
    /// The text of the whole message. If a URL may continue on the next line, the scanner checks whether the URL occurs
    /// elsewhere in this text, with or without the continuation.
    elsewhere: Option<Elsewhere<'c>>,
    /// The number of texts so far that may have URLs.
    texts: usize,
    kept: &'c mut Kept,
    sink: &'c mut dyn Sink,
}

impl Extractor {
    /// Returns a scanner for decoded text. Of the options, only `join`, `hyphen` and `scheme` have an effect on it.
    pub fn scanner(&self) -> Scanner {
        let Options { join, drops_hyphens, ref own_schemes, .. } = self.options;
        Scanner::new().join(join).drop_hyphens(drops_hyphens).own_schemes(own_schemes.clone())
    }

    /// Returns the prefilter that skips text of `message` in which no URL can begin.
    #[inline]
    pub(super) fn prefilter<'w>(&self, index: &'w mut TriggerIndex, message: &[u8]) -> Prefilter<'w> {
        let dots = dots_of(&self.options.forms);
        let prefilter = match dots {
            _ if self.options.defanged => defanged::prefilter(index, message, dots),
            Dots::None => Prefilter::new(index.of(message, dots), &Scanner::first_trigger),
            Dots::Paths => Prefilter::new(index.of(message, dots), &|text| first_trigger_or_dot(text, Dots::Paths)),
            Dots::Hosts => Prefilter::new(index.of(message, dots), &|text| first_trigger_or_dot(text, Dots::Hosts)),
        };
        prefilter.unpacking(attached::unpack).reading_dots(dots != Dots::None)
    }

    /// Returns `text` with its defanged URLs restored. Returns `None` if the option `defanged` is off, or
    /// if `text` has no mark of a defanged URL, such as `[.]`.
    #[inline]
    fn refanged<'t>(&self, text: &'t [u8]) -> Option<Refanged<'t>> {
        if self.options.defanged { Refanged::new(text) } else { None }
    }
}

impl<'c> Composer<'c> {
    fn region(&mut self, region: &Region<'_>) -> ControlFlow<()> {
        self.kept.unchecked += region.raw.len();
        if self.kept.unchecked >= CHECK_EVERY {
            self.kept.unchecked = 0;
            self.sink.event(Event::Check)?;
        }
        let options = &self.config.options;
        if matches!(region.kind, Kind::Text | Kind::Html | Kind::Skipped(Skip::Attachment(..))) {
            self.sink.event(Event::Part(region.part.path()))?;
        }
        let is_attached = region.part.attachment().is_some();
        if is_attached && !options.searches(SearchIn::Attachments) {
            return ControlFlow::Continue(());
        }
        let whole = is_attached && options.searches_only_attachments();
        let (header, scanned) = match region.kind {
            Kind::Skipped(Skip::Attachment(why, size)) => return self.unsearched(region, why, size),
            Kind::Skipped(_) => return ControlFlow::Continue(()),
            Kind::Header { name } => (Some(cut(name, FIELD_MAX)), whole || options.searches(SearchIn::Headers)),
            Kind::Html => (None, whole || options.searches(SearchIn::Html) || options.searches(SearchIn::Links)),
            Kind::Text | Kind::Raw => (None, whole || options.searches(SearchIn::Text)),
        };
        // Most text has no trigger. Such text has no URL, and is not scanned. HTML can have references without a scheme.
        let has_none = |triggers: TriggerSlice<'_>| triggers.first().is_none_or(|at| at >= region.text.len());
        let is_empty = region.kind != Kind::Html && region.triggers.is_some_and(has_none);
        // The words before the first part of a multipart rarely have a colon.
        let has_colon = || region.kind == Kind::Html || memchr::memchr(b':', region.text).is_some();
        self.texts += usize::from(header.is_none() && !is_empty && has_colon());
        if !scanned || is_empty {
            return ControlFlow::Continue(());
        }
        let scanner = self.config.scanner();
        let Region { part, media, text, ref map, ref raw, recovered, .. } = *region;
        let zones = &Zones::new(text, media, zone_of(region, self.is_message), options.zones.is_some());
        let in_region =
            RegionContext { header, media, recovered, ..RegionContext::new(part, map, (raw.start, raw.end), zones) };
        self.kept.seen.part(region);
        match region.kind {
            Kind::Html => self.html(region, &in_region),
            // Header fields are folded at blanks, so a bare URL does not continue on the next line. Content-Type is an
            // exception: in `message/external-body`, it contains a quoted URL that can be folded anywhere (RFC 2017,
            // section 3.1).
            Kind::Header { name } if !name.eq_ignore_ascii_case(b"Content-Type") => {
                self.scan(&scanner.join(None), region.triggers, &in_region)
            }
            _ => self.scan(&scanner.flowed(is_flowed(region.media)), region.triggers, &in_region),
        }
    }

    /// Reports an attachment that is not searched.
    #[cold]
    fn unsearched(&mut self, region: &Region<'_>, what: &'static str, size: usize) -> ControlFlow<()> {
        let MessageContext { file, message, base, gaps, .. } = *self.in_message;
        let offset = gaps.map_or(region.raw.start, |gaps| gaps.before(region.raw.start)) as u64;
        let media = region.media.split(|byte| b"; \t\r\n".contains(byte)).find(|word| !word.is_empty());
        let facts = [
            ("what", what.into()),
            ("attachment", region.part.attachment().into()),
            ("type", media.into()),
            ("message", message.number().into()),
            ("part", Value::Section(region.part.path())),
            ("offset", (base + offset).into()),
            ("length", (region.raw.len() as u64).into()),
            ("size", Some(size as u64).filter(|size| *size > 0).into()),
        ];
        self.sink.event(Event::Unsearched { file: file.map(|file| &**file), facts: &facts })
    }

    /// Scans the text of a region. `triggers` are the offsets of the colons that may belong to a URL, and of the dots that
    /// may belong to an address. If `triggers` is not `None`, only the text around these bytes is read.
    fn scan(
        &mut self,
        scanner: &Scanner,
        triggers: Option<TriggerSlice<'_>>,
        in_region: &RegionContext<'_>,
    ) -> ControlFlow<()> {
        let text = in_region.text;
        match triggers {
            Some(triggers) => {
                let forms = &self.config.options.forms;
                let mut addresses = Addresses::new(text, 0..text.len(), forms, Some(triggers), in_region.header);
                self.verdicts(scanner.find_indexed(text, triggers), addresses.as_mut(), in_region)
            }
            None => self.search(scanner, 0..in_region.text.len(), in_region),
        }
    }

    /// Scans the text of a region for candidates that begin within `starts`, including defanged URLs if requested.
    fn search(&mut self, scanner: &Scanner, starts: Range<usize>, in_region: &RegionContext<'_>) -> ControlFlow<()> {
        let (text, forms) = (in_region.text, &self.config.options.forms);
        match self.config.refanged(text) {
            Some(refanged) => refanged.search(scanner, starts, forms, in_region, |candidate, span, in_region| {
                self.verdict(candidate, span, in_region, Link::NONE)
            }),
            None => {
                let mut addresses = Addresses::new(text, starts.clone(), forms, None, in_region.header);
                self.verdicts(scanner.find_within(text, starts), addresses.as_mut(), in_region)
            }
        }
    }

    fn verdicts<'t>(
        &mut self,
        mut candidates: Candidates<'t>,
        mut addresses: Option<&mut Addresses<'_>>,
        in_region: &RegionContext<'t>,
    ) -> ControlFlow<()>
    where
        'c: 't,
    {
        let RegionContext { part, raw, header, restored, in_html, .. } = *in_region;
        let is_first = header.is_none()
            && restored.is_none()
            && in_html.is_none()
            && part.attachment().is_none()
            && self.texts == 1;
        let rest = self.in_message.message.bytes().get(raw.1..).filter(|_| is_first);
        candidates.set_elsewhere(self.elsewhere.map(|all| all.in_first(rest.map(|rest| (in_region.text, rest)))));
        let mut checked = 0;
        // The candidate is borrowed from the `Option`, and not moved. A move directly after the candidate was written
        // to memory would stall the processor (see `Wrapped` in the scanner).
        while let Some(candidate) = &candidates.next() {
            let has_bytes = candidate.is_before_byte() || !candidate.text().is_ascii();
            let again = if has_bytes { Again::read(candidate, in_region) } else { None };
            let longer = again.as_ref().and_then(Again::candidate);
            if let Some(addresses) = &mut addresses {
                addresses.before(candidate.span(), |address| self.address(&address, in_region))?;
            }
            match longer.zip(again.as_ref()) {
                Some(((longer, span), again)) if again.is_sure(&longer) => {
                    self.verdict(&longer, span, in_region, Link::NONE)?;
                }
                longer => {
                    let doubtful = longer.and_then(|((longer, _), _)| legacy::with_alternative(candidate, &longer));
                    let candidate = doubtful.as_deref().unwrap_or(candidate);
                    self.verdict(candidate, candidate.span(), in_region, Link::NONE)?;
                }
            }
            if candidate.span().start - checked >= CHECK_EVERY {
                checked = candidate.span().start;
                self.sink.event(Event::Check)?;
            }
        }
        let end = in_region.text.len();
        addresses.map_or(ControlFlow::Continue(()), |addresses| {
            addresses.before(end..end, |address| self.address(&address, in_region))
        })
    }

    /// Reports an address without a scheme.
    #[cold]
    fn address(&mut self, address: &Candidate<'_>, in_region: &RegionContext<'_>) -> ControlFlow<()> {
        self.verdict(address, address.span(), in_region, Link::NONE)
    }

    /// Scans an HTML part. The value of each attribute that can have a URL, such as `href`, is a candidate. The text
    /// between tags is scanned like plain text, but a bare URL continues on the next line only in a `pre` element.
    fn html(&mut self, region: &Region<'_>, in_region: &RegionContext<'_>) -> ControlFlow<()> {
        use html::{HtmlItem, walk};
        let scanner = self.config.scanner().join(None);
        let mut scratch = std::mem::take(&mut self.kept.html);
        let options = &self.config.options;
        scratch.all_text = dots_of(&options.forms) != Dots::None;
        let all = options.searches(SearchIn::Html) || options.searches_only_attachments();
        let flow = walk(region.text, region.media, region.part.base(), &mut scratch, &mut |item| match item {
            HtmlItem::Attribute { link: Link { place: Some(_), .. }, .. } | HtmlItem::Text { .. } if !all => {
                ControlFlow::Continue(())
            }
            // `value` needs no map to offsets in the HTML source, because `span` is already a range of the source.
            HtmlItem::Attribute { value, span, link } => self.attribute(value, span, in_region, &link),
            HtmlItem::Text { text, map } => {
                let is_preformatted = html::is_preformatted(region.text, map.raw(0..0).start);
                let scanner = if is_preformatted { &self.config.scanner() } else { &scanner };
                let (in_html, map) = (Some(&map), &Map::Composed(&map, &region.map));
                self.scan(scanner, None, &RegionContext { text, map, in_html, ..*in_region })
            }
        });
        self.kept.html = scratch;
        flow
    }

    /// Parses the `value` of an attribute as a URL. `span` is the range of the value in the HTML source.
    fn attribute(
        &mut self,
        value: &[u8],
        span: Range<usize>,
        in_region: &RegionContext<'_>,
        link: &Link<'_>,
    ) -> ControlFlow<()> {
        if let Some(refanged) = self.config.refanged(value) {
            return refanged
                .attribute(in_region, |candidate, in_region| self.verdict(candidate, span.clone(), in_region, link));
        }
        match &Candidate::of_attribute(value) {
            Some(candidate) => self.verdict(candidate, span, in_region, link),
            None => ControlFlow::Continue(()),
        }
    }

    /// Parses a candidate, and passes a hit or a reject to the sink. `span` is the range of the candidate in the text
    /// of the region.
    ///
    /// If the candidate is the value of an HTML attribute, this function first tries to repair it as browsers do. A
    /// valid URL is repaired only if browsers read a backslash in it as a slash.
    fn verdict(
        &mut self,
        candidate: &Candidate<'_>,
        span: Range<usize>,
        in_region: &RegionContext<'_>,
        link: &Link<'_>,
    ) -> ControlFlow<()> {
        let mut url = candidate.unparsed();
        let parsed = candidate.fill(&mut url);
        if (parsed.is_err() || url.needs_encoding())
            && let Some(flow) = self.mended(candidate, &url, parsed.err(), &span, in_region, link)
        {
            return flow;
        }
        let location = Location::new(self.in_message, in_region, link, candidate, &url, span);
        let reason = match parsed {
            Err(error) => error,
            Ok(()) => {
                let hit = self.kept.hit(&url, Warnings::default(), link, location);
                return self.report(&hit);
            }
        };
        self.kept.refused += u32::from(candidate.form() == Form::Href);
        if !select::selects_reject(&self.config.options, candidate.form(), candidate.text()) {
            return ControlFlow::Continue(());
        }
        self.sink.event(Event::Reject(&Reject::new(location, reason)))
    }

    /// Passes a hit to the sink, with the option that excludes it, if there is one.
    #[inline(always)]
    fn report(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
        match select::excluded_by(&self.config.options, hit) {
            None => self.sink.event(Event::Hit(hit)),
            Some(option) => self.sink.event(Event::Excluded { hit, option }),
        }
    }

    /// Repairs `candidate` as browsers do, and passes the repaired URL to the sink. Returns `None` if there is nothing
    /// to repair or the result is not a URL.
    ///
    /// `url` is the result of parsing `candidate` without a repair. `error` is the error if parsing failed.
    #[cold]
    fn mended(
        &mut self,
        candidate: &Candidate<'_>,
        url: &Url<'_>,
        error: Option<ParseError>,
        span: &Range<usize>,
        in_region: &RegionContext<'_>,
        link: &Link<'_>,
    ) -> Option<ControlFlow<()>> {
        let (text, mended) = candidate.mended(error.is_none())?;
        let candidate = &Candidate::of_attribute(&text)?;
        let mut mended_url = candidate.unparsed();
        candidate.fill(&mut mended_url).ok()?;
        mended_url.widen(Tier::Relaxed, error.or(url.departure())?);
        let location = Location::new(self.in_message, in_region, link, candidate, &mended_url, span.clone());
        let hit = self.kept.hit(&mended_url, mended, link, location);
        Some(self.report(&hit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of a URL anywhere else in the message decides whether a broken URL is joined.
    #[test]
    fn copies_are_found_in_all_parts() {
        let url = "http://www.example.org/archive/of/the/list-o/about/old/computers/and/the";
        let broken = format!("See {url}\n12345 and so on\n");
        let copy = format!("The first is at <{url}12345> here, which is whole.\n");
        let wide: String = copy.chars().flat_map(|c| [c, '\0']).collect();
        let head = "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n";
        let uu = format!("begin 644 a\n{}`\nend\n", format!("M{}\n", "0V%T".repeat(15)).repeat(40));
        let part = |fields: &str, text: &str| format!("{head}--b\n\n{broken}\n--b\n{fields}\n{text}\n--b--\n");
        let nested = format!("Content-Type: multipart/mixed; boundary=c\n\n--c\n\n{copy}\n--c--\n");
        for (message, want) in [
            (format!("Subject: x\n\n{broken}"), false),
            (format!("Subject: x\n\n{copy}{broken}"), true),
            (format!("Subject: x\n\n{copy}{uu}{broken}"), true),
            (part("", "no copy"), false),
            (part("", &copy), true),
            (part("Content-Transfer-Encoding: quoted-printable\n", &copy.replace("http", "ht=\ntp")), true),
            (part("Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: binary\n", &wide), true),
            (format!("{head}--b\n\n{copy}\n--b--\n{broken}"), true),
            (format!("{head}--b\n{nested}{broken}\n--b--\n"), true),
        ] {
            let hits = Extractor::new().message(&message);
            let is_joined = hits.iter().any(|hit| hit.rejoined() && hit.url().as_bytes().ends_with(b"the12345"));
            assert_eq!(is_joined, want, "{message}");
        }
    }

    #[test]
    fn a_long_text_of_a_link_is_not_compared_with_its_url() {
        for (length, want) in [(0, true), (900, true), (1100, false)] {
            let text = "x".repeat(length);
            let html = format!("<a href=\"http://a.example/\">http://b.example/{text}</a>");
            let message = format!("Content-Type: text/html\n\n{html}\n");
            let hits = Extractor::new().message(message.as_bytes());
            let hit = hits.first().expect("a hit");
            assert_eq!(hit.warnings().any(|warning| warning == Warning::ShownAsOtherHost), want, "{length} bytes");
        }
    }

    fn content(buffers: &Buffers) -> String {
        format!("{:?} {:?}", buffers.scratch, buffers.triggers)
    }

    /// If the worker kept its buffers, it would hold the memory for the largest message until the end of the search.
    #[test]
    fn a_large_message_frees_the_buffers() {
        for (size, is_freed) in [(1000, false), (LARGE, false), (LARGE + 1, true)] {
            let mut message = b"Content-Transfer-Encoding: base64\n\n".to_vec();
            message.extend_from_slice(&b"aHR0cDovL2EvICAg\n".repeat(60));
            message.resize(size.max(message.len()), b'\n');
            let (config, mut buffers) = (Extractor::new(), Buffers::default());
            let mut worker = Worker::new(&config, &MessageFilter::EVERYTHING, &mut buffers);
            let (head, envelope, lines, gaps) = (&b""[..], &b""[..], None, None);
            let input = InputContext { file: None, base: 0, number: 1, head, envelope, lines, gaps, is_cut: false };
            let _ = worker.stored(&message, &[], input, &mut |_: Event<'_>| ControlFlow::Continue(()));
            assert_eq!(content(&buffers) == content(&Buffers::default()), is_freed, "{size} bytes");
        }
    }

    /// Texts of the parts are joined up to the limit. Each text is followed by a line break.
    #[test]
    fn the_joined_text_of_a_message_has_a_limit() {
        for (sizes, want) in [([10, 20], 10 + 1 + 20 + 1), ([LARGE - 1, 20], LARGE), ([LARGE / 2, LARGE], LARGE + 1)] {
            let part = |size: usize| format!("--b\n\n{}\n", "x".repeat(size));
            let parts = sizes.map(part).concat();
            let message = format!("Content-Type: multipart/mixed; boundary=b\n\n{parts}--b--\n");
            assert_eq!(text_of("", message.as_bytes()).len(), want, "{sizes:?}");
        }
    }

    /// Counts checks and hits, and keeps the reasons of rejects and the offsets of diagnostics.
    #[derive(Default)]
    struct Calls {
        checks: usize,
        hits: usize,
        rejects: Vec<&'static str>,
        diagnostics: Vec<(DiagnosticKind, u64)>,
    }

    impl Sink for Calls {
        fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
            match event {
                Event::Hit(_) => self.hits += 1,
                Event::Reject(reject) => self.rejects.push(reject.reason().kind().as_str()),
                Event::Diagnostic { diagnostic, .. } => {
                    self.diagnostics.push((diagnostic.kind(), diagnostic.offset()));
                }
                Event::Check => self.checks += 1,
                _ => {}
            }
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn urls_after_a_character_reference() {
        for before in ["&amp;", "a&amp;", "ab&amp;", "abc&amp;"] {
            let message = format!("Content-Type: text/html\n\n{before}http://a.example/ b");
            let hit = Extractor::new().read(message.as_bytes()).next().expect("a hit").expect("a message");
            assert_eq!((hit.offset(), hit.length()), (25 + before.len() as u64, 17), "{before}");
        }
    }

    /// A field is folded at blanks, so a URL does not continue on the next line. In Content-Type, it can.
    #[test]
    fn urls_in_folded_fields() {
        let (first, second) = ("http://www.example.org/archive/of/the/list/about/old/computers-", "and/manuals.html");
        for (name, want) in [("Subject", first.to_owned()), ("Content-Type", [first, second].concat())] {
            let message = format!("{name}: {first}\n {second}\n\n");
            let hit = Extractor::new().read(message.as_bytes()).next().expect("a hit").expect("a message");
            assert_eq!(hit.url().as_str(), want, "{name}");
        }
    }

    /// In `format=flowed`, a line break without a blank before it is meant. In HTML, a line break is part of the text only
    /// in a `pre` element.
    #[test]
    fn line_breaks_that_are_meant() {
        let first = "http://www.example.org/archive/of/the/list/about/old";
        let joined = &format!("{first}/computers");
        let pre = format!("<pre wrap=\"\"><b>The list of {first}\n/computers</b> and manuals</pre>");
        for (media, text, want) in [
            ("text/plain", format!("The list of {first}\n/computers and manuals\n"), joined),
            ("text/plain; format=flowed", format!("The list of {first}\n/computers and manuals\n"), &first.to_owned()),
            ("text/plain; format=flowed", format!("The list of {first} \n/computers and manuals\n"), joined),
            ("text/html", pre.clone(), joined),
            ("text/html", pre.replace("pre", "div"), &first.to_owned()),
            ("text/html", format!("<pre>x</pre>The list of {first}\n/computers and manuals"), &first.to_owned()),
        ] {
            let hits = Extractor::new().message(&format!("Content-Type: {media}\n\n{text}"));
            assert_eq!(hits[0].url().as_str(), want, "{media}: {text}");
        }
    }

    /// One call is for the whole part. The part has 250 KiB, so there are three more calls.
    #[test]
    fn the_sink_is_checked_again_after_64_kib() {
        let line = format!("http://a.example/ {}\n", "x".repeat(1005));
        let mut calls = Calls::default();
        let _ = Extractor::new().message_into(&format!("Subject: x\n\n{}", line.repeat(250)), &mut calls);
        assert_eq!((calls.hits, calls.checks), (250, 4));
        let mut calls = Calls::default();
        let _ = Extractor::new().message_into("Subject: x\n\nhttp://a.example/\n", &mut calls);
        assert_eq!((calls.hits, calls.checks), (1, 0));
    }

    #[test]
    fn a_url_of_more_than_64_kib_is_rejected() {
        for (length, want) in [(1000, &[][..]), (70 << 10, &["too-long"])] {
            let mut calls = Calls::default();
            let _ =
                Extractor::new().message_into(&format!("\n\nhttp://a.example/{}\n", "x".repeat(length)), &mut calls);
            assert_eq!((calls.hits, &calls.rejects[..]), (1 - want.len(), want), "{length} bytes");
        }
    }

    #[test]
    fn diagnostics_have_offsets_in_the_file() {
        let message = "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\nContent-Transfer-Encoding: odd\n\ntext\n\n";
        let value = message.find(" odd").expect("a value") as u64;
        let mut calls = Calls::default();
        let _ = Extractor::new().read(message.repeat(2).as_bytes()).each(&mut calls);
        let want = [value, message.len() as u64 + value].map(|offset| (DiagnosticKind::UnknownEncoding, offset));
        assert_eq!(calls.diagnostics, want);
    }
}
