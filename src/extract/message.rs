//! One message, or one window of text: regions, candidates, the parser, and the sink.

use std::cell::OnceCell;
use std::ops::{ControlFlow, Range};

use super::defanged::{self, Reading, Refanged};
use super::seen::Seen;
use super::{Config, Headers};
use crate::hit::{Gaps, Hit, Lines, Message, Origin, Refusal, Reject, Source, Spot};
#[cfg(feature = "html")]
use crate::mail::html;
use crate::mail::{self, Kind, Limits, Map, Region, Scratch, Section, Skip, Worth};
use crate::note::{Damage, Note};
use crate::scan::{Candidate, Candidates, Places, Reason, Rejoin, Scanner};
use crate::sink::Sink;
use crate::source::File;
use crate::url::{Url, Warning};

/// Buffers that a larger message needed are given back.
const LARGE: usize = 1 << 20;

/// What one worker keeps from message to message.
#[derive(Debug, Default)]
pub(super) struct Worker {
    scratch: Scratch,
    places: Places,
    seen: Seen,
    #[cfg(feature = "html")]
    html: html::Scratch,
}

/// Where a piece of text lies.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// Its file, if it has one.
    pub(super) file: Option<&'a File>,
    /// The offset of its first octet there.
    pub(super) base: u64,
    /// The number of the message it is or belongs to; 0 for none.
    pub(super) number: u64,
    /// For text that is the rest of a message: how that begins.
    pub(super) head: &'a [u8],
    /// For its lines, if they are counted.
    pub(super) lines: Option<&'a Lines<'a>>,
    /// What was left out of it.
    pub(super) gaps: Option<&'a Gaps>,
}

impl<'a> Place<'a> {
    /// As the source of finds in `message`, which lies there.
    fn source(&self, message: &'a Message<'a>) -> Source<'a> {
        let Place { file, base, lines, gaps, .. } = *self;
        Source { file: file.map(File::name), member: file.and_then(File::member), message, lines, base, gaps }
    }
}

impl Worker {
    /// Gives `sink` what is in the message `octets` without those at `cuts`, which were added in storing it.
    pub(super) fn stored(
        &mut self,
        config: &Config,
        octets: &[u8],
        cuts: &[Range<usize>],
        place: Place<'_>,
        sink: &mut impl Sink,
    ) -> ControlFlow<()> {
        if cuts.is_empty() {
            return self.message(config, octets, place, sink);
        }
        let (mut gaps, mut rest) = (Gaps::default(), Vec::new());
        gaps.cut(octets, cuts, &mut rest);
        self.message(config, &rest, Place { gaps: Some(&gaps), ..place }, sink)
    }

    /// Gives `sink` what is in the message `octets`, headers first.
    pub(super) fn message(
        &mut self,
        config: &Config,
        octets: &[u8],
        place: Place<'_>,
        sink: &mut impl Sink,
    ) -> ControlFlow<()> {
        let message = Message::new(place.number, octets);
        let mut notes = Vec::new();
        let Worker { scratch, places, seen, .. } = self;
        seen.clear();
        let mut composer = Composer {
            config,
            source: place.source(&message),
            seen,
            #[cfg(feature = "html")]
            html: &mut self.html,
            sink,
        };
        mail::regions(
            octets,
            &Limits::default(),
            scratch,
            config.worth(places, octets),
            &mut |region| composer.region(region),
            &mut |note| notes.push(note),
        )?;
        if octets.len() > LARGE {
            *self = Worker::default();
        }
        for note in notes {
            let at = place.gaps.map_or(note.offset, |gaps| gaps.before(note.offset));
            let note = Note { damage: Damage::Mail(note.kind), offset: place.base + at as u64 };
            sink.note(place.file, &note)?;
        }
        ControlFlow::Continue(())
    }

    /// Gives `sink` what starts within `starts` in `text`, which is no message.
    pub(super) fn text(
        &mut self,
        config: &Config,
        text: &[u8],
        starts: Range<usize>,
        place: Place<'_>,
        sink: &mut impl Sink,
    ) -> ControlFlow<()> {
        if config.headers == Headers::Only {
            return ControlFlow::Continue(());
        }
        let message = Message::new(place.number, place.head);
        let whole = Section::default();
        let map = Map::shift(0);
        let spot = Spot {
            part: &whole,
            header: None,
            text,
            map: &map,
            raw: (0, text.len()),
            recovered: false,
            shown: b"",
            defanged: false,
        };
        self.seen.clear();
        let mut composer = Composer {
            config,
            source: place.source(&message),
            seen: &mut self.seen,
            #[cfg(feature = "html")]
            html: &mut self.html,
            sink,
        };
        if let Some(refanged) = config.refanged(text) {
            let put_right = refanged.offset(starts.start)..refanged.offset(starts.end);
            let now = config.scanner.find_within(refanged.text(), put_right);
            return composer.refanged(now, config.scanner.find_within(text, starts), &refanged, &spot);
        }
        composer.verdicts(config.scanner.find_within(text, starts), &spot)
    }
}

/// Takes the regions of one message and gives the sink hits.
struct Composer<'c, S> {
    config: &'c Config,
    source: Source<'c>,
    seen: &'c mut Seen,
    #[cfg(feature = "html")]
    html: &'c mut html::Scratch,
    sink: &'c mut S,
}

impl Config {
    /// What is of interest in a message: where a URL could begin; anything, if one may be written in another way. That is
    /// told by the octets as they lie; what is encoded is looked at when it is decoded.
    fn worth<'w>(&self, places: &'w mut Places, message: &[u8]) -> Worth<'w> {
        // Where nothing is written in another way, and nothing can be that without saying so, a message is as any other.
        let hides = self.defanged && (defanged::is_in(message) || mail::may_be_quoted(message));
        let places = if hides { None } else { places.of(message) };
        let find: &dyn Fn(&[u8]) -> Option<usize> = match self.defanged {
            false => &Scanner::first_trigger,
            true => &|octets| (!octets.is_empty()).then_some(0),
        };
        Worth::new(places, find)
    }

    /// The text put right, if that is asked for, and if there is anything to put right.
    fn refanged(&self, text: &[u8]) -> Option<Refanged> {
        if self.defanged { Refanged::new(text) } else { None }
    }
}

impl<S: Sink> Composer<'_, S> {
    fn region(&mut self, region: &Region<'_>) -> ControlFlow<()> {
        let scanner = self.config.scanner;
        if matches!(region.kind, Kind::Text | Kind::Html | Kind::Skipped(Skip::Attachment)) {
            self.sink.part(region.part)?;
        }
        let (header, scanned) = match region.kind {
            Kind::Skipped(_) => (None, false),
            // A folded field is one line; only inside brackets does a URL go over its folds.
            Kind::Header { name } => (Some(name), self.config.headers != Headers::No),
            Kind::Html => (None, self.config.headers != Headers::Only && self.config.html),
            Kind::Text | Kind::Raw => (None, self.config.headers != Headers::Only),
        };
        if !scanned {
            return ControlFlow::Continue(());
        }
        let raw = (region.raw.start, region.raw.end);
        let (text, map) = (region.text, &region.map);
        let recovered = region.recovered;
        let spot = Spot { part: region.part, header, text, map, raw, recovered, shown: b"", defanged: false };
        self.seen.part(region);
        match region.kind {
            // The URL of a message/external-body is folded in its quotation marks (RFC 2017, section 3.1).
            Kind::Header { name } if name.eq_ignore_ascii_case(b"Content-Type") => {
                self.scan(scanner, region.text, region.places, &spot)
            }
            Kind::Header { .. } => self.scan(scanner.rejoin(Rejoin::Never), region.text, region.places, &spot),
            Kind::Html => self.html(region, &spot),
            _ => self.scan(scanner, region.text, region.places, &spot),
        }
    }

    /// Scans a text; where its triggers are may be known, as [`Region::places`] says it.
    fn scan(
        &mut self,
        scanner: Scanner,
        text: &[u8],
        places: Option<(&[u32], usize)>,
        spot: &Spot<'_>,
    ) -> ControlFlow<()> {
        match places {
            // Most text. Where places are known, nothing is written in another way: see `worth`.
            Some((places, base)) if places.first().is_none_or(|&place| place as usize - base >= text.len()) => {
                ControlFlow::Continue(())
            }
            Some((places, base)) => self.verdicts(scanner.find_at(text, places, base), spot),
            None => match self.config.refanged(text) {
                Some(refanged) => {
                    self.refanged(scanner.find_iter(refanged.text()), scanner.find_iter(text), &refanged, spot)
                }
                None => self.verdicts(scanner.find_iter(text), spot),
            },
        }
    }

    fn verdicts(&mut self, mut candidates: Candidates<'_>, spot: &Spot<'_>) -> ControlFlow<()> {
        // Looked at where it was returned: see `Wrapped` in the scanner.
        while let Some(candidate) = &candidates.next() {
            self.verdict(candidate, candidate.span(), spot)?;
        }
        ControlFlow::Continue(())
    }

    /// The candidates `now` of a text that was put right. `before` are those that it had; they are asked for only where a
    /// URL was sound as written (rule 6.5).
    fn refanged(
        &mut self,
        now: Candidates<'_>,
        before: Candidates<'_>,
        refanged: &Refanged,
        spot: &Spot<'_>,
    ) -> ControlFlow<()> {
        let (map, text) = (refanged.map(), refanged.text());
        let map_of_both = Map::composed(&map, spot.map);
        let mut before = before.peekable();
        now.into_iter().try_for_each(|candidate| {
            let span = candidate.span();
            let behind = span.end + candidate.trimmed().len();
            let reading = refanged.reading(&span, behind);
            // A reading that is no URL is never the preferred one.
            let is_none = !matches!(reading, Reading::Same) && candidate.parse().is_err();
            if is_none || matches!(reading, Reading::Sound) {
                let place = map.raw(span.start..behind);
                while before.next_if(|other| other.span().start < place.start).is_some() {}
                if let Some(written) = before.next_if(|other| is_sound(other, &place)) {
                    let span = written.span();
                    self.verdict(&or_put_right(written, candidate.text()), span, spot)?;
                    // What follows if it ended sooner than what was put right.
                    while let Some(other) = before.next_if(|other| other.span().start < place.end) {
                        self.verdict(&other, other.span(), spot)?;
                    }
                    return ControlFlow::Continue(());
                }
            }
            let defanged = !matches!(reading, Reading::Same);
            self.verdict(&or_cut(candidate, &reading), span, &Spot { text, map: &map_of_both, defanged, ..*spot })
        })
    }

    /// Attributes are candidates of their own; the text between the tags follows the bare rules (rule 2.4).
    #[cfg(feature = "html")]
    fn html(&mut self, region: &Region<'_>, spot: &Spot<'_>) -> ControlFlow<()> {
        use html::{Piece, walk};
        let scanner = self.config.scanner.rejoin(Rejoin::Never);
        let mut scratch = std::mem::take(self.html);
        let flow = walk(region.text, &mut scratch, &mut |piece| match piece {
            // The octets of the whole value, references and all: `span` is one of the HTML already.
            Piece::Attribute { value, span, shown } => match self.config.refanged(value) {
                Some(refanged) => self.attribute(value, &refanged, span, &Spot { shown, ..*spot }),
                None => match &Candidate::of_attribute(value) {
                    Some(candidate) => self.verdict(candidate, span, &Spot { shown, ..*spot }),
                    None => ControlFlow::Continue(()),
                },
            },
            Piece::Text { text, map } => {
                self.scan(scanner, text, None, &Spot { text, map: &Map::composed(&map, &region.map), ..*spot })
            }
        });
        *self.html = scratch;
        flow
    }

    /// An attribute's `value` in which something was put right.
    #[cfg(feature = "html")]
    fn attribute(&mut self, value: &[u8], refanged: &Refanged, span: Range<usize>, spot: &Spot<'_>) -> ControlFlow<()> {
        let text = refanged.text();
        let Some(candidate) = Candidate::of_attribute(text) else { return ControlFlow::Continue(()) };
        let reading = refanged.reading(&(0..text.len()), text.len());
        if let (Reading::Sound, Some(written)) = (&reading, Candidate::of_attribute(value))
            && is_sound(&written, &(0..value.len()))
        {
            return self.verdict(&or_put_right(written, text), span, spot);
        }
        self.verdict(&or_cut(candidate, &reading), span, &Spot { defanged: true, ..*spot })
    }

    #[cfg(not(feature = "html"))]
    fn html(&mut self, region: &Region<'_>, spot: &Spot<'_>) -> ControlFlow<()> {
        self.scan(self.config.scanner, region.text, None, spot)
    }

    /// Asks the parser about a candidate that came from `span` of what the spot's map leads back from, and tells the
    /// sink what it said.
    fn verdict(&mut self, candidate: &Candidate<'_>, span: Range<usize>, spot: &Spot<'_>) -> ControlFlow<()> {
        let octets = OnceCell::new();
        let origin = Origin { source: &self.source, spot, span: (span.start, span.end), octets: &octets };
        let mut url = candidate.unparsed();
        let why = match candidate.fill(&mut url) {
            _ if candidate.is_overlong() => Refusal::TooLong,
            Err(error) => Refusal::Parse(error),
            Ok(()) => {
                let dup = self.seen.dup(&url);
                let mut warnings = url.warnings();
                let is_other = !spot.shown.is_empty() && url.is_shown_as_other_host(spot.shown);
                warnings.add(Warning::ShownAsOtherHost, is_other);
                return self.sink.hit(&Hit { url: &url, candidate, origin: &origin, warnings, dup });
            }
        };
        self.sink.reject(&Reject { candidate, why, origin: &origin })
    }
}

/// Whether a candidate as written is a URL at `place`.
fn is_sound(written: &Candidate<'_>, place: &Range<usize>) -> bool {
    let span = written.span();
    span.start == place.start && span.end <= place.end && written.parse().is_ok()
}

/// A URL that was sound as written, or else `put_right`.
fn or_put_right<'t>(written: Candidate<'t>, put_right: &[u8]) -> Candidate<'t> {
    let is_other = written.text() != put_right && Url::parse(put_right).is_ok();
    if is_other { written.or(put_right, Reason::Defanged) } else { written }
}

/// A URL that was put right, or else what it is if its blanks end it; in doubt if not all of it may be.
fn or_cut<'t>(candidate: Candidate<'t>, reading: &Reading<'_>) -> Candidate<'t> {
    match reading {
        Reading::Doubtful(cut) => candidate.or(cut, Reason::Defanged).in_doubt(Reason::Defanged),
        Reading::Unsure => candidate.in_doubt(Reason::Defanged),
        _ => candidate,
    }
}
