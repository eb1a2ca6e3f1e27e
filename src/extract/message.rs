//! Searches one message, or one window of text: regions, candidates, the parser, and the sink.

use std::cell::{OnceCell, RefCell};
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, LazyLock};

use super::defanged::{self, Refanged};
use super::seen::Seen;
use super::twins::{HtmlUrls, Twins, text_alternative};
use super::{Extractor, HeaderScan, MessageFilter};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::hit::{
    Gaps, HitRef, Lines, Link, MessageContext, MessageFacts, Origin, RegionContext, Reject, RejectReason,
};
#[cfg(feature = "html")]
use crate::mail::html;
use crate::mail::{self, Kind, Limits, Map, Prefilter, Region, Scratch, Section, Skip};
use crate::scan::{Candidate, Candidates, Elsewhere, Form, Reason, Rejoin, Scanner};
use crate::sink::{DynSink, Stoppable};
use crate::source::Input;
use crate::trigger::{TriggerIndex, TriggerSlice};
#[cfg(feature = "html")]
use crate::url::{ParseError, Tier};
use crate::url::{Url, Warning, Warnings};

/// After this many bytes without a hit, the sink may stop the search.
const CHECK_EVERY: usize = 64 << 10;

/// Messages larger than this free the worker's buffers afterwards.
const LARGE: usize = 1 << 20;

/// Searches one message after the other.
pub(super) struct Worker<'c> {
    config: &'c Extractor,
    pub(super) filter: &'c MessageFilter,
    buffers: &'c mut Buffers,
}

/// Buffers that a [`Worker`] keeps from message to message.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    scratch: Scratch,
    triggers: TriggerIndex,
    kept: Kept,
}

/// State that a [`Composer`] keeps from message to message.
#[derive(Debug, Default)]
struct Kept {
    seen: Seen,
    /// How many links in the message's HTML are not URLs.
    refused: u32,
    /// How many bytes were read since the sink could last stop the search.
    unchecked: usize,
    #[cfg(feature = "html")]
    html: html::Scratch,
}

impl Kept {
    /// Gives `sink` a hit. `mended` are warnings about repairs of its URL.
    #[inline(always)]
    fn hit(
        &mut self,
        url: &Url<'_>,
        candidate: &Candidate<'_>,
        mended: Warnings,
        origin: &Origin<'_>,
        sink: &mut dyn DynSink,
    ) -> ControlFlow<()> {
        let dup = self.seen.dup(url);
        let mut warnings = url.warnings().and(mended);
        let is_other = !origin.link.word.is_empty() && url.is_shown_as_other_host(origin.link.word);
        warnings.add(Warning::ShownAsOtherHost, is_other);
        sink.hit(&HitRef { url, candidate, origin, warnings, dup })
    }

    /// Returns the hit for `candidate` as browsers read it, if that differs. As written, it is `url`, or it is not a
    /// URL because of `error`.
    #[cfg(feature = "html")]
    #[cold]
    fn mended(
        &mut self,
        candidate: &Candidate<'_>,
        url: &Url<'_>,
        error: Option<ParseError>,
        origin: &Origin<'_>,
        sink: &mut dyn DynSink,
    ) -> Option<ControlFlow<()>> {
        let (text, mended) = candidate.mended(error.is_none())?;
        let candidate = &Candidate::of_attribute(&text)?;
        let mut mended_url = candidate.unparsed();
        candidate.fill(&mut mended_url).ok()?;
        mended_url.widen(Tier::Relaxed, error.or(url.departure())?);
        Some(self.hit(&mended_url, candidate, mended, origin, sink))
    }
}

/// A message, or a window of text, and where it is in the input.
#[derive(Clone, Copy)]
pub(super) struct InputContext<'a> {
    /// Its file, if it has one.
    pub(super) file: Option<&'a Arc<Input>>,
    /// The offset of its first byte in the file.
    pub(super) base: u64,
    /// The number of the message that it is or belongs to. 0 if there is no message.
    pub(super) number: u64,
    /// The beginning of the message, if the text is the rest of one.
    pub(super) head: &'a [u8],
    /// Its line numbers, if they are counted.
    pub(super) lines: Option<&'a Lines<'a>>,
    /// The bytes that were removed from it.
    pub(super) gaps: Option<&'a Gaps>,
}

impl<'a> InputContext<'a> {
    fn of_message(&self, message: &'a MessageFacts<'a>) -> MessageContext<'a> {
        let InputContext { file, base, lines, gaps, .. } = *self;
        MessageContext { file, message, lines, base, gaps, length: None }
    }
}

impl<'c> Worker<'c> {
    pub(super) fn new(config: &'c Extractor, filter: &'c MessageFilter, buffers: &'c mut Buffers) -> Worker<'c> {
        Worker { config, filter, buffers }
    }

    /// Skips this many bytes. They count for [`Sink::check`](crate::Sink::check).
    pub(super) fn pass_over(&mut self, bytes: usize) {
        self.buffers.kept.unchecked += bytes;
    }

    /// Gives `sink` the hits in the message `bytes` without the ranges `cuts`, which the mailbox format added.
    pub(super) fn stored(
        &mut self,
        bytes: &[u8],
        cuts: &[Range<usize>],
        input: InputContext<'_>,
        sink: &mut dyn DynSink,
    ) -> ControlFlow<()> {
        if cuts.is_empty() {
            return self.message(bytes, input, sink);
        }
        let (mut gaps, mut rest) = (Gaps::default(), Vec::new());
        gaps.cut(bytes, cuts, &mut rest);
        self.message(&rest, InputContext { gaps: Some(&gaps), ..input }, sink)
    }

    /// Gives `sink` the hits in the message `bytes`, headers first.
    pub(super) fn message(&mut self, bytes: &[u8], input: InputContext<'_>, sink: &mut dyn DynSink) -> ControlFlow<()> {
        let message = MessageFacts::new(input.number, bytes);
        let mut notes = Vec::new();
        let config = self.config;
        let Buffers { scratch, triggers, kept } = &mut *self.buffers;
        kept.seen.clear();
        kept.refused = 0;
        let text = LazyLock::new(|| text_of(bytes));
        let elsewhere = Elsewhere::new(&text);
        let length = input.gaps.map_or(bytes.len(), |gaps| gaps.before(bytes.len())) as u64;
        let in_message = MessageContext { length: Some(length), ..input.of_message(&message) };
        let collect = |urls: &mut HtmlUrls| config.html_urls(bytes, in_message, &elsewhere, urls);
        let twins = Twins::new(&collect);
        let twins = (!config.twins && config.html).then_some(&twins);
        let mut composer =
            Composer { config, in_message, elsewhere: Some(&elsewhere), twins, container: None, kept, sink };
        mail::regions(
            bytes,
            &Limits::default(),
            scratch,
            config.prefilter(triggers, bytes),
            &mut |region| composer.region(region),
            &mut |note| notes.push(note),
        )?;
        let refused = self.buffers.kept.refused;
        if bytes.len() > LARGE {
            *self.buffers = Buffers::default();
        }
        if refused > 0 {
            sink.diagnostic(
                input.file.map(|file| &**file),
                &Diagnostic::with_number(DiagnosticKind::RefusedLinks, input.base, refused.into()),
            )?;
        }
        for note in notes {
            let at = note.offset as usize;
            let at = input.gaps.map_or(at, |gaps| gaps.before(at));
            let note = Diagnostic { offset: input.base + at as u64, ..note };
            sink.diagnostic(input.file.map(|file| &**file), &note)?;
        }
        ControlFlow::Continue(())
    }

    /// Gives `sink` the hits that begin within `starts` in `text`, which is not a message.
    pub(super) fn text(
        &mut self,
        text: &[u8],
        starts: Range<usize>,
        input: InputContext<'_>,
        sink: &mut dyn DynSink,
    ) -> ControlFlow<()> {
        let (config, kept) = (self.config, &mut self.buffers.kept);
        if config.headers == HeaderScan::Only {
            return ControlFlow::Continue(());
        }
        let message = MessageFacts::new(input.number, input.head);
        let (part, map, raw) = (&Section::default(), &Map::Shift(0), (0, text.len()));
        let in_region = RegionContext::new(part, text, map, raw);
        kept.seen.clear();
        let in_message = input.of_message(&message);
        Composer { config, in_message, elsewhere: None, twins: None, container: None, kept, sink }.search(
            config.scanner,
            starts,
            &in_region,
        )
    }
}

/// Returns the decoded text of all parts of `message`. Of a large message it returns the beginning.
#[cold]
fn text_of(message: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    // An error only means that the message is truncated: what was read is enough.
    let _ = mail::regions(
        message,
        &Limits::default(),
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

/// Takes the regions of one message and gives the sink hits.
struct Composer<'c> {
    config: &'c Extractor,
    in_message: MessageContext<'c>,
    /// The rest of the message, to look up URLs that are in doubt.
    elsewhere: Option<&'c Elsewhere<'c>>,
    /// What the HTML alternatives have, if that is not wanted from the text too.
    twins: Option<&'c Twins<'c>>,
    /// The section path of the `multipart/alternative` that the current region is a text of, if `twins` is set.
    container: Option<Vec<u32>>,
    kept: &'c mut Kept,
    sink: &'c mut dyn DynSink,
}

impl Extractor {
    /// Chooses what to look for in a message: where a URL could begin.
    fn prefilter<'w>(&self, index: &'w mut TriggerIndex, message: &[u8]) -> Prefilter<'w> {
        if self.defanged {
            return defanged::prefilter(index, message);
        }
        Prefilter::new(index.of(message), &Scanner::first_trigger)
    }

    /// Returns the text with its defanged URLs restored, if that was requested and there are any.
    #[inline]
    fn refanged<'t>(&self, text: &'t [u8]) -> Option<Refanged<'t>> {
        if self.defanged { Refanged::new(text) } else { None }
    }
}

impl Extractor {
    /// Collects the URLs in the HTML alternatives of `message`.
    #[cold]
    fn html_urls(
        &self,
        message: &[u8],
        in_message: MessageContext<'_>,
        elsewhere: &Elsewhere<'_>,
        urls: &mut HtmlUrls,
    ) {
        let container = RefCell::new(Vec::new());
        let mut sink = crate::sink::from_fn(|hit: &HitRef<'_>| urls.add(&container.borrow(), hit.url()));
        let mut sink = Stoppable::new(&mut sink);
        let (mut triggers, mut kept) = (TriggerIndex::default(), Kept::default());
        let (elsewhere, kept, sink) = (Some(elsewhere), &mut kept, &mut sink);
        let mut composer = Composer { config: self, in_message, elsewhere, twins: None, container: None, kept, sink };
        // The sink never stops.
        let _ = mail::regions(
            message,
            &Limits::default(),
            &mut Scratch::default(),
            self.prefilter(&mut triggers, message),
            &mut |region| match region.alternative.container(region.part) {
                Some(path) if matches!(region.kind, Kind::Html) => {
                    container.replace(path.to_vec());
                    composer.region(region)
                }
                _ => ControlFlow::Continue(()),
            },
            &mut |_| {},
        );
    }
}

impl<'c> Composer<'c> {
    fn region(&mut self, region: &Region<'_>) -> ControlFlow<()> {
        self.kept.unchecked += region.raw.len();
        if self.kept.unchecked >= CHECK_EVERY {
            self.kept.unchecked = 0;
            self.sink.check()?;
        }
        let scanner = self.config.scanner;
        if matches!(region.kind, Kind::Text | Kind::Html | Kind::Skipped(Skip::Attachment)) {
            self.sink.part(region.part)?;
        }
        let (header, scanned) = match region.kind {
            Kind::Skipped(_) => (None, false),
            // A folded field counts as one line. Only a URL in brackets continues over its folds.
            Kind::Header { name } => (Some(name), self.config.headers != HeaderScan::Exclude),
            Kind::Html => (None, self.config.headers != HeaderScan::Only && self.config.html),
            Kind::Text | Kind::Raw => (None, self.config.headers != HeaderScan::Only),
        };
        if !scanned {
            return ControlFlow::Continue(());
        }
        let Region { part, media, text, ref map, ref raw, recovered, .. } = *region;
        let in_region =
            RegionContext { header, media, recovered, ..RegionContext::new(part, text, map, (raw.start, raw.end)) };
        self.kept.seen.part(region);
        if self.twins.is_some() {
            self.container = text_alternative(region).map(<[u32]>::to_vec);
        }
        match region.kind {
            Kind::Html => self.html(region, &in_region),
            // The URL of a message/external-body is folded in its quotation marks (RFC 2017, section 3.1).
            Kind::Header { name } if !name.eq_ignore_ascii_case(b"Content-Type") => {
                self.scan(scanner.rejoin(Rejoin::Never), region.triggers, &in_region)
            }
            _ => self.scan(scanner, region.triggers, &in_region),
        }
    }

    /// Scans the text of a region. Its `triggers` may be known.
    fn scan(
        &mut self,
        scanner: Scanner,
        triggers: Option<TriggerSlice<'_>>,
        in_region: &RegionContext<'_>,
    ) -> ControlFlow<()> {
        match triggers {
            // This is the case for most text. Where triggers are known, nothing is defanged: see `prefilter`.
            Some(triggers) if triggers.first().is_none_or(|at| at >= in_region.text.len()) => ControlFlow::Continue(()),
            Some(triggers) => self.verdicts(scanner.find_indexed(in_region.text, triggers), in_region),
            None => self.search(scanner, 0..in_region.text.len(), in_region),
        }
    }

    /// Searches the text of a region for candidates that begin within `starts`.
    fn search(&mut self, scanner: Scanner, starts: Range<usize>, in_region: &RegionContext<'_>) -> ControlFlow<()> {
        match self.config.refanged(in_region.text) {
            Some(refanged) => refanged.search(scanner, starts, in_region, |candidate, span, in_region| {
                self.verdict(candidate, span, in_region, Link::NONE)
            }),
            None => self.verdicts(scanner.find_within(in_region.text, starts), in_region),
        }
    }

    fn verdicts<'t>(&mut self, mut candidates: Candidates<'t>, in_region: &RegionContext<'_>) -> ControlFlow<()>
    where
        'c: 't,
    {
        candidates.set_elsewhere(self.elsewhere);
        let mut checked = 0;
        // Passed by reference, not moved: see `Wrapped` in the scanner.
        while let Some(candidate) = &candidates.next() {
            let doubtful = if candidate.is_before_byte() { self.decoded(candidate, in_region) } else { None };
            let candidate = doubtful.as_deref().unwrap_or(candidate);
            self.verdict(candidate, candidate.span(), in_region, Link::NONE)?;
            if candidate.span().start - checked >= CHECK_EVERY {
                checked = candidate.span().start;
                self.sink.check()?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the candidate in doubt with its longer reading, if the byte that stopped it is a letter in the charset
    /// of its part (rule 2.2).
    #[cold]
    fn decoded<'h>(&self, candidate: &Candidate<'h>, in_region: &RegionContext<'_>) -> Option<Box<Candidate<'h>>> {
        /// At most this many bytes of the text are decoded, from the beginning of the URL.
        const MOST: usize = 1024;
        if !candidate.is_cut_by_byte() {
            return None;
        }
        let text = &in_region.text[candidate.span().start..];
        let decoded = mail::decode_eight_bit(in_region.media, &text[..text.len().min(MOST)])?;
        let scanner = Scanner::new().rejoin(Rejoin::Never);
        let longer = scanner.find_iter(decoded.as_bytes()).next().filter(|longer| longer.span().start == 0)?;
        let continues = longer.text().len() > candidate.text().len();
        continues.then(|| Box::new(candidate.clone().or(longer.text(), Reason::Script).in_doubt(Reason::Script)))
    }

    /// Attributes are candidates of their own. The text between the tags follows the bare rules (rule 2.4).
    #[cfg(feature = "html")]
    fn html(&mut self, region: &Region<'_>, in_region: &RegionContext<'_>) -> ControlFlow<()> {
        use html::{HtmlItem, walk};
        let scanner = self.config.scanner.rejoin(Rejoin::Never);
        let mut scratch = std::mem::take(&mut self.kept.html);
        let flow = walk(region.text, &mut scratch, &mut |item| match item {
            // The value's bytes include its character references, because `span` is in the HTML already.
            HtmlItem::Attribute { value, span, shown, tag, place } => self.attribute(
                value,
                span,
                in_region,
                &Link { word: &shown.word, from: shown.from, tag: Some(tag), place },
            ),
            HtmlItem::Text { text, map } => {
                self.scan(scanner, None, &RegionContext { text, map: &Map::Composed(&map, &region.map), ..*in_region })
            }
        });
        self.kept.html = scratch;
        flow
    }

    /// Searches an attribute's `value`, which came from `span`.
    #[cfg(feature = "html")]
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

    #[cfg(not(feature = "html"))]
    fn html(&mut self, _: &Region<'_>, in_region: &RegionContext<'_>) -> ControlFlow<()> {
        self.scan(self.config.scanner, None, in_region)
    }

    /// Whether the URL is in a text whose HTML alternative has it too, and is not wanted twice.
    fn is_twin(&self, url: &Url<'_>) -> bool {
        let Some((twins, container)) = self.twins.zip(self.container.as_deref()) else { return false };
        twins.has(container, url)
    }

    /// Parses a candidate and gives the result to the sink. `span` is its range in the text of the region's map. An
    /// attribute that is not a URL as written can be one as browsers read it.
    fn verdict(
        &mut self,
        candidate: &Candidate<'_>,
        span: Range<usize>,
        in_region: &RegionContext<'_>,
        link: &Link<'_>,
    ) -> ControlFlow<()> {
        let bytes = OnceCell::new();
        let origin =
            Origin { in_message: &self.in_message, in_region, link, span: (span.start, span.end), bytes: &bytes };
        let mut url = candidate.unparsed();
        let parsed = candidate.fill(&mut url);
        #[cfg(feature = "html")]
        if (parsed.is_err() || url.needs_encoding())
            && let Some(flow) = self.kept.mended(candidate, &url, parsed.err(), &origin, self.sink)
        {
            return flow;
        }
        let why = match parsed {
            _ if candidate.is_overlong() => RejectReason::TooLong,
            Err(error) => RejectReason::Parse(error),
            Ok(()) if self.is_twin(&url) => return ControlFlow::Continue(()),
            Ok(()) => return self.kept.hit(&url, candidate, Warnings::default(), &origin, self.sink),
        };
        self.kept.refused += u32::from(candidate.form() == Form::Href);
        self.sink.reject(&Reject { candidate, why, origin: &origin })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hit::HitRef;
    use crate::sink::{Sink, Stoppable};

    struct Ignored;

    impl Sink for Ignored {
        type Flow = ();

        fn hit(&mut self, _: &HitRef<'_>) {}
    }

    /// What is left in the buffers. Fresh ones have nothing.
    fn content(buffers: &Buffers) -> String {
        format!("{:?} {:?}", buffers.scratch, buffers.triggers)
    }

    /// The worker would otherwise keep the memory of the largest message to the end.
    #[test]
    fn a_large_message_frees_the_buffers() {
        for (size, is_freed) in [(1000, false), (LARGE, false), (LARGE + 1, true)] {
            let mut message = b"Content-Transfer-Encoding: base64\n\n".to_vec();
            message.extend_from_slice(&b"aHR0cDovL2EvICAg\n".repeat(60));
            message.resize(size.max(message.len()), b'\n');
            let (config, mut buffers) = (Extractor::new(), Buffers::default());
            let mut worker = Worker::new(&config, &MessageFilter::EVERYTHING, &mut buffers);
            let input = InputContext { file: None, base: 0, number: 1, head: b"", lines: None, gaps: None };
            let _ = worker.stored(&message, &[], input, &mut Stoppable::new(&mut Ignored));
            assert_eq!(content(&buffers) == content(&Buffers::default()), is_freed, "{size} bytes");
        }
    }
}
