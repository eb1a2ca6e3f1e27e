//! Turns the regions of one message into hits: each region is scanned for candidates, the candidates are parsed, and the
//! hits are passed to the sink.

use std::ops::{ControlFlow, Range};
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::defanged::Refanged;
use super::legacy::{self, Again};
use super::seen::Seen;
use super::{Extractor, select};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::event::{Event, Sink};
use crate::hit::fields::Value;
use crate::hit::{Hit, Location, MessageContext, RegionContext, Reject};
use crate::mail::html;
use crate::mail::{self, Kind, Link, Map, Region, Skip, Visitor};
use crate::options::SearchIn;
use crate::scan::{Addresses, Candidate, Candidates, Form, Reason, Scanner, dots_of};
use crate::shared::cut_field;
use crate::trigger::{Dots, TriggerSlice};
use crate::url::{ParseError, Tier, Url, Warning, Warnings};
use crate::zone::{self, Zone, Zones};

/// Number of bytes after which [`Event::Check`] is reported again, so that the sink can stop the
/// search.
const CHECK_EVERY: usize = 64 << 10;

/// State that a [`Composer`] reuses for each message.
#[derive(Debug, Default)]
pub(super) struct Kept {
    seen: Seen,
    /// Number of links in the HTML of the current message that are not valid URLs.
    pub(super) refused: u32,
    /// Number of bytes that were read since the last [`Event::Check`].
    pub(super) unchecked: usize,
    html: html::Scratch,
}

impl Kept {
    /// Prepares for another message.
    pub(super) fn clear(&mut self) {
        self.seen.clear();
        self.refused = 0;
    }

    /// Returns the warnings of the hit for `url`, and whether an earlier alternative has the same URL. `warnings` has
    /// one warning for each repair of the URL.
    #[inline(always)]
    fn warnings_and_repeat(&mut self, url: &Url<'_>, mut warnings: Warnings, link: &Link<'_>) -> (Warnings, bool) {
        let repeat = self.seen.dup(url);
        let is_other = !link.word.is_empty() && url.is_shown_as_other_host(link.word);
        warnings.add(Warning::ShownAsOtherHost, is_other);
        warnings.add(Warning::NoScheme, link.no_scheme);
        (warnings, repeat)
    }
}

/// Turns the regions of one message into hits.
pub(super) struct Composer<'c> {
    pub(super) config: &'c Extractor,
    pub(super) in_message: &'c MessageContext<'c>,
    /// Whether the text is a message, or a page that shows one, and not a document such as a calendar.
    pub(super) is_message: bool,
    /// The number of regions so far.
    pub(super) regions: usize,
    /// The number of texts so far that may have URLs.
    pub(super) texts: usize,
    /// What is wrong in the message, so far.
    pub(super) notes: Vec<Diagnostic>,
    pub(super) kept: &'c mut Kept,
    pub(super) sink: &'c mut dyn Sink,
}

impl Extractor {
    /// Returns `text` with its defanged URLs restored. Returns `None` if the option `defanged` is off, or
    /// if `text` has no mark of a defanged URL, such as `[.]`.
    #[inline]
    fn refanged<'t>(&self, text: &'t [u8]) -> Option<Refanged<'t>> {
        if self.options.defanged { Refanged::new(text) } else { None }
    }
}

impl Visitor for Composer<'_> {
    fn note(&mut self, note: Diagnostic) {
        self.notes.push(note);
    }

    fn region(&mut self, region: &Region<'_>) -> ControlFlow<()> {
        self.regions += 1;
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
            Kind::Header { name } => (Some(cut_field(name)), whole || options.searches(SearchIn::Headers)),
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
        let Region { part, media, text, ref map, ref raw, recovered, .. } = *region;
        let zones = &Zones::new(text, media, zone_of(region, self.is_message), options.zones.is_some());
        let in_region = RegionContext {
            header,
            media,
            recovered,
            number: self.regions,
            ..RegionContext::new(part, map, (raw.start, raw.end), zones)
        };
        self.kept.seen.part(region);
        let scanner = self.config.scanner();
        let scanner = match region.kind {
            Kind::Html => return self.html(region, &in_region),
            // Header fields are folded at blanks, so a bare URL does not continue on the next line. Content-Type is an
            // exception: in `message/external-body`, it contains a quoted URL that can be folded anywhere (RFC 2017,
            // section 3.1).
            Kind::Header { name } if !name.eq_ignore_ascii_case(b"Content-Type") => scanner.join(None),
            _ => scanner.flowed(is_flowed(region.media)),
        };
        // If there are triggers, the colons that may belong to a URL and the dots that may belong to an address, only
        // the text around them is read.
        let Some(triggers) = region.triggers else { return self.search(&scanner, 0..text.len(), &in_region) };
        let mut addresses = Addresses::new(text, 0..text.len(), &options.forms, Some(triggers), header);
        self.verdicts(scanner.find_indexed(text, triggers), addresses.as_mut(), &in_region)
    }
}

impl<'c> Composer<'c> {
    /// Reports an attachment that is not searched.
    #[cold]
    fn unsearched(&mut self, region: &Region<'_>, what: &'static str, size: usize) -> ControlFlow<()> {
        let MessageContext { file, message, .. } = *self.in_message;
        let media = region.media.split(|byte| b"; \t\r\n".contains(byte)).find(|word| !word.is_empty());
        let facts = [
            ("what", what.into()),
            ("attachment", region.part.attachment().into()),
            ("type", media.into()),
            ("message", message.number().into()),
            ("part", Value::Section(region.part.path())),
            ("offset", self.offset(region).into()),
            ("length", (region.raw.len() as u64).into()),
            ("size", Some(size as u64).filter(|size| *size > 0).into()),
        ];
        self.sink.event(Event::Unsearched { file: file.map(|file| &**file), facts: &facts })
    }

    /// Scans the text of a region for candidates that begin within `starts`, including defanged URLs if requested.
    pub(super) fn search(
        &mut self,
        scanner: &Scanner,
        starts: Range<usize>,
        in_region: &RegionContext<'_>,
    ) -> ControlFlow<()> {
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
        candidates
            .set_elsewhere(self.in_message.elsewhere.map(|all| all.in_first(rest.map(|rest| (in_region.text, rest)))));
        let (mut checked, mut again) = (0, legacy::Progress::default());
        // The candidate is borrowed from the `Option`, and not moved. A move directly after the candidate was written
        // to memory would stall the processor (see `Wrapped` in the scanner).
        while let Some(candidate) = &candidates.next() {
            if candidate.span().start < again.end {
                continue;
            }
            if let Some(addresses) = &mut addresses {
                self.addresses(addresses, candidate.span(), in_region)?;
            }
            if candidate.is_before_byte() || !candidate.text().is_ascii() {
                self.legacy_verdict(candidate, &mut again, in_region)?;
            } else {
                self.verdict(candidate, candidate.span(), in_region, Link::NONE)?;
            }
            if candidate.span().start - checked >= CHECK_EVERY {
                checked = candidate.span().start;
                self.sink.event(Event::Check)?;
            }
        }
        let end = in_region.text.len();
        addresses.map_or(ControlFlow::Continue(()), |addresses| self.addresses(addresses, end..end, in_region))
    }

    /// Reports the addresses without a scheme before `url`.
    #[cold]
    fn addresses(
        &mut self,
        addresses: &mut Addresses<'_>,
        url: Range<usize>,
        in_region: &RegionContext<'_>,
    ) -> ControlFlow<()> {
        addresses.before(url, |address| self.verdict(&address, address.span(), in_region, Link::NONE))
    }

    /// Reports a candidate that has bytes outside ASCII, or is followed by one. They can be in the charset of the part.
    #[cold]
    fn legacy_verdict(
        &mut self,
        candidate: &Candidate<'_>,
        progress: &mut legacy::Progress,
        in_region: &RegionContext<'_>,
    ) -> ControlFlow<()> {
        if !progress.may_read(candidate.span().start) {
            let candidate = candidate.clone().in_doubt(Reason::Script);
            return self.verdict(&candidate, candidate.span(), in_region, Link::NONE);
        }
        let again = Again::read(candidate, in_region);
        progress.decoded += again.as_ref().map_or(0, |again| again.raw.len());
        let longer = again.as_ref().and_then(Again::candidate);
        match longer.zip(again.as_ref()) {
            Some(((longer, span), again)) if again.is_sure(&longer) && longer.fill(&mut longer.unparsed()).is_ok() => {
                progress.end = span.end;
                self.verdict(&longer, span, in_region, Link::NONE)
            }
            longer => {
                let doubtful = longer.and_then(|((longer, _), _)| legacy::with_alternative(candidate, &longer));
                let candidate = doubtful.as_deref().unwrap_or(candidate);
                self.verdict(candidate, candidate.span(), in_region, Link::NONE)
            }
        }
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
        let mut unresolved = 0_u64;
        let flow = walk(region.text, region.media, region.part.base(), &mut scratch, &mut |item| match item {
            HtmlItem::Unresolved(_) => {
                unresolved += 1;
                ControlFlow::Continue(())
            }
            HtmlItem::Attribute { link: Link { place: Some(_), .. }, .. } | HtmlItem::Text { .. } if !all => {
                ControlFlow::Continue(())
            }
            // `value` needs no map to offsets in the HTML source, because `span` is already a range of the source.
            HtmlItem::Attribute { value, span, ref link } => self.attribute(value, span, in_region, link),
            HtmlItem::Text { text, map } => {
                let is_preformatted = html::is_preformatted(region.text, map.raw(0..0).start);
                let scanner = if is_preformatted { &self.config.scanner() } else { &scanner };
                let (in_html, map) = (Some(&map), &Map::Composed(&map, &region.map));
                self.search(scanner, 0..text.len(), &RegionContext { text, map, in_html, ..*in_region })
            }
        });
        self.kept.html = scratch;
        flow?;
        if unresolved == 0 {
            return ControlFlow::Continue(());
        }
        let (offset, file) = (self.offset(region), self.in_message.file.map(|file| &**file));
        let diagnostic = &Diagnostic::with_number(DiagnosticKind::RelativeLinks, offset, unresolved);
        self.sink.event(Event::Diagnostic { file, diagnostic })
    }

    /// Returns the offset of `region` in the file.
    fn offset(&self, region: &Region<'_>) -> u64 {
        let MessageContext { base, gaps, .. } = *self.in_message;
        base + gaps.map_or(region.raw.start, |gaps| gaps.before(region.raw.start)) as u64
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
            Some(candidate) if candidate.has_known_scheme() => self.verdict(candidate, span, in_region, link),
            // Nearly all schemes are known.
            _ => match &Candidate::of_odd_attribute(value) {
                Some(candidate) => self.verdict(candidate, span, in_region, link),
                None => ControlFlow::Continue(()),
            },
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
        let reason = match parsed {
            Err(error) => error,
            Ok(()) => {
                let (warnings, repeat) = self.kept.warnings_and_repeat(&url, Warnings::default(), link);
                // The location is made after all calls, and as a part of the hit. If it were made before them and then
                // moved, the processor would have to wait for the writes.
                let location = Location::new(self.in_message, in_region, link, candidate, &url, span);
                let hit = Hit::new(location, warnings, repeat);
                return self.sink.event(select::event(&self.config.options, &hit));
            }
        };
        self.kept.refused += u32::from(candidate.form() == Form::Href);
        if !select::selects_reject(&self.config.options, candidate.form(), candidate.text()) {
            return ControlFlow::Continue(());
        }
        let location = Location::new(self.in_message, in_region, link, candidate, &url, span);
        self.sink.event(Event::Reject(&Reject::new(location, reason)))
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
        let (warnings, repeat) = self.kept.warnings_and_repeat(&mended_url, mended, link);
        let hit = Hit::new(location, warnings, repeat);
        Some(self.sink.event(select::event(&self.config.options, &hit)))
    }
}

/// Returns what is known about the zones of a region of a message, or of a document.
fn zone_of(region: &Region<'_>, is_message: bool) -> zone::Kind {
    match region.kind {
        Kind::Header { .. } => zone::Kind::All(Zone::Header),
        _ if region.part.attachment().is_some() => zone::Kind::All(Zone::Attachment),
        _ if !is_message => zone::Kind::Lines,
        _ if region.part.is_forwarded => zone::Kind::All(Zone::Quote),
        // The text after the last part can have the media type of that part.
        Kind::Text | Kind::Html if mail::is_document(region.media) => zone::Kind::All(Zone::Attachment),
        Kind::Html => zone::Kind::Html,
        _ => zone::Kind::Text,
    }
}

static FLOWED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("flowed"));

/// Whether a text of the type `media` is `format=flowed` (RFC 3676).
pub(super) fn is_flowed(media: &[u8]) -> bool {
    !media.is_empty() && FLOWED.find(media).is_some()
}
