//! Hits (URLs that were found) and rejects (text that looks like a URL but is invalid). See RULES.md, section 5.

pub mod columns;
mod context;
pub mod fields;
mod gaps;
pub mod json;
mod kept;
mod lines;
mod location;
mod message;
#[cfg(feature = "serde")]
mod parts;
#[cfg(feature = "serde")]
mod serialize;

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::iter;
use std::num::NonZeroU32;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::mail;
use crate::scan::{Alternative, Reason};
use crate::url::{ParseError, Url, Warning, Warnings};

use kept::Kept;
use location::Place;

pub(crate) use gaps::Gaps;
pub(crate) use lines::Lines;
pub use location::Location;
pub(crate) use location::{MessageContext, RegionContext};
pub(crate) use message::{KeptMessage, MessageFacts};
#[cfg(feature = "serde")]
pub use parts::Parts;

/// A URL that was found, and its [`Location`]. Iterators return hits that own their data: `Hit<'static>`. In
/// [`Event::Hit`](crate::Event::Hit), a hit borrows from the input, and computes most values, such as the line number,
/// only when a method asks for them. [`to_owned`](Self::to_owned) copies it.
///
/// The owned hits of a message share one copy of the data of that message, such as the Subject. [`clone`](Clone::clone)
/// of an owned hit copies no data. Two hits are equal if their fields (see [`fields`]) and [`pieces`](Self::pieces) are
/// equal.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor};
///
/// let message = "Message-ID: <1@example.org>\n\n> See <http://www.example.org/a/\n>   b.html>.\n";
/// let hits = Extractor::new().message(message);
/// assert_eq!((hits[0].url().host(), hits[0].quote_depth()), (Some("www.example.org"), 1));
/// assert_eq!(hits[0].message_id(), Some(&b"1@example.org"[..]));
/// assert_eq!((hits[0].line(), hits[0].pieces()), (3, vec![36..61, 66..72]));
///
/// let _ = Extractor::new().message_into(message, &mut |event: Event<'_>| {
///     if let Event::Hit(hit) = event {
///         assert_eq!(*hit, hits[0]);
///     }
///     ControlFlow::Continue(())
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Hit<'m> {
    location: Location<'m>,
    /// The warnings that depend on the message. Those that depend only on the URL are computed when they are asked for.
    warnings: Warnings,
    repeat: bool,
    /// The field `messages_with_url`.
    messages: Option<NonZeroU32>,
}

impl<'m> Deref for Hit<'m> {
    type Target = Location<'m>;

    #[inline(always)]
    fn deref(&self) -> &Location<'m> {
        &self.location
    }
}

impl PartialEq for Hit<'_> {
    fn eq(&self, other: &Hit<'_>) -> bool {
        let mut usual = fields::FIELDS.iter().filter(|field| !field.is_extra());
        usual.all(|field| field.of(self) == field.of(other)) && self.pieces() == other.pieces()
    }
}

impl Eq for Hit<'_> {}

impl Hash for Hit<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.url(), self.file(), self.member(), self.offset()).hash(state);
    }
}

impl<'m> Hit<'m> {
    #[inline(always)]
    pub(crate) fn new(location: Location<'m>, warnings: Warnings, repeat: bool) -> Hit<'m> {
        Hit { location, warnings, repeat, messages: None }
    }

    /// Copies the hit. For the first hit of a message, also parses the headers of the message.
    #[must_use]
    pub fn to_owned(&self) -> Hit<'static> {
        let kept = match &self.location.0 {
            Place::Seen(seen) => Arc::new(Kept::new(self, seen.kept_message(), seen.shared_part())),
            Place::Kept(kept) => Arc::clone(kept),
        };
        Hit { location: Location(Place::Kept(kept)), ..*self }
    }

    /// Returns the hit with a value of the field `messages_with_url`, which only a program that has counted can know.
    #[doc(hidden)]
    #[must_use]
    pub fn with_messages(&self, messages: u32) -> Hit<'m> {
        Hit { messages: NonZeroU32::new(messages), ..self.clone() }
    }

    /// Returns the URL with its components.
    ///
    /// The URL is as written in the decoded text, with these exceptions:
    ///
    /// - A URL that was broken over lines is rejoined.
    /// - A defanged URL, such as `hxxp://evil[.]example/`, is restored.
    /// - If necessary, a URL in an HTML attribute is repaired in the same way as in a browser. For example,
    ///   `http://a.example/b c` becomes `http://a.example/b%20c`.
    #[inline(always)]
    #[must_use]
    pub fn url(&self) -> &Url<'_> {
        self.location.pick(|seen| seen.url, |kept| &kept.url)
    }

    /// Returns whether the URL was broken over lines and rejoined.
    #[inline]
    #[must_use]
    pub fn rejoined(&self) -> bool {
        self.location.pick(|seen| seen.candidate.rejoined(), |kept| kept.rejoined)
    }

    /// Returns the probability, in percent, that a bare URL was rejoined correctly. `None` for a URL that is in
    /// brackets or was not rejoined.
    #[inline]
    #[must_use]
    pub fn confidence(&self) -> Option<u8> {
        self.location.pick(|seen| seen.candidate.confidence(), |kept| kept.confidence)
    }

    /// Returns the other URLs that the author may have meant, the most likely first. For example, a hyphen before a
    /// line break is sometimes part of the URL, and sometimes it only divides a word.
    #[inline]
    #[must_use]
    pub fn alternatives(&self) -> &[Alternative] {
        self.location.pick(
            |seen| seen.candidate.alternatives(),
            |kept| kept.rare.as_ref().map_or(&[], |rare| &rare.alternatives),
        )
    }

    /// Returns the reason why it is doubtful that the author meant this URL. `None` if there is no doubt.
    #[inline]
    #[must_use]
    pub fn doubt(&self) -> Option<Reason> {
        self.location.pick(
            |seen| seen.candidate.doubt().or_else(|| seen.is_cut().then_some(Reason::Cut)),
            |kept| kept.rare.as_ref()?.doubt,
        )
    }

    /// Returns the punctuation or glued text that was removed from the end of the URL, such as the full stop of a sentence.
    #[inline]
    #[must_use]
    pub fn trimmed(&self) -> &[u8] {
        self.location.pick(|seen| seen.candidate.trimmed(), |kept| kept.rare.as_ref().map_or(b"", |rare| &rare.trimmed))
    }

    /// Returns the visible text of the link, if the URL is the `href` of an `a` element in HTML. `None` for other URLs,
    /// and for links without text.
    ///
    /// Tags are removed, character references are decoded, and each run of white space becomes one blank. The result is
    /// converted from the charset of the part to UTF-8, and invalid bytes are replaced. Only the first 4 KiB of HTML
    /// after the opening tag are read. For a borrowed hit, each call computes the result again.
    #[must_use]
    pub fn link_text(&self) -> Option<Cow<'_, str>> {
        let seen = match &self.location.0 {
            Place::Seen(seen) => seen,
            Place::Kept(kept) => return kept.link_text.as_deref().map(Cow::Borrowed),
        };
        let text = mail::html::shown_text(seen.in_region.text, seen.link.from?);
        if text.is_empty() {
            return None;
        }
        let in_charset = |text: &[u8]| mail::to_str(seen.in_region.media, text).into_owned();
        Some(String::from_utf8(text).unwrap_or_else(|other| in_charset(other.as_bytes())).into())
    }

    /// Returns the byte ranges of the file that contain the URL as stored. If line breaks or blanks inside the URL were
    /// removed, each remaining piece of the URL has its own range.
    ///
    /// A [defanged](Location::defanged) URL and a URL in an HTML attribute always have one range. This range includes
    /// everything that was removed. Line breaks that belong to an encoding, such as quoted-printable, do not divide a
    /// range.
    ///
    /// The ranges are byte offsets in the file. For a compressed file, they are byte offsets in the decompressed data.
    /// If the location is not [exact](Location::exact), the result is a single range: the range of the whole MIME part
    /// or header field.
    #[must_use]
    pub fn pieces(&self) -> Vec<Range<u64>> {
        match &self.location.0 {
            Place::Seen(seen) if self.rejoined() && seen.is_unchanged() && self.exact() => {
                return seen.candidate.pieces().map(|piece| seen.stored(piece)).collect();
            }
            Place::Kept(kept) if kept.rare.as_ref().is_some_and(|rare| !rare.pieces.is_empty()) => {
                return kept.rare.as_ref().map_or_else(Vec::new, |rare| rare.pieces.clone());
            }
            _ => {}
        }
        iter::once(self.offset()..self.offset() + self.length()).collect()
    }

    /// Returns the offset in the message of the part or header field that contains the URL, and the ranges of the URL
    /// in the decoded text of the part. There are no ranges for a URL in a header field, because a header field is not
    /// in a part. There are no ranges for a defanged URL and for a URL in an HTML attribute, either. `None` for an
    /// owned hit.
    pub(crate) fn in_part(&self) -> Option<(usize, Vec<Range<usize>>)> {
        let Place::Seen(seen) = &self.location.0 else { return None };
        let region = seen.in_region;
        let place = |piece: Range<usize>| match region.restored {
            Some(map) => map.raw(piece),
            None => piece,
        };
        let is_in_text = seen.is_unchanged() && region.header.is_none();
        let pieces = if is_in_text { seen.candidate.pieces().map(place).collect() } else { Vec::new() };
        Some((region.number, pieces))
    }

    /// Returns the hit as a reject, with the error of [`Url::departure`] as the reason. `None` if RFC 1738 allows the
    /// URL.
    #[must_use]
    pub fn to_reject(&self) -> Option<Reject<'m>> {
        Some(Reject { location: self.location.clone(), reason: self.url().departure()? })
    }

    /// Returns the number of quotations that contain the URL. In text, this is the number of quote marks at the start of
    /// its line, such as 2 for `> > http://a.example/`. In HTML, it is the number of elements that quote. In headers, it
    /// is 0.
    #[inline]
    #[must_use]
    pub fn quote_depth(&self) -> usize {
        match &self.location.0 {
            Place::Seen(seen) if seen.in_region.header.is_some() => 0,
            Place::Seen(seen) => seen.quote_depth(),
            Place::Kept(kept) => kept.quote_depth,
        }
    }

    /// Returns the warnings about the URL: [the warnings that depend only on the URL](Url::warnings), and the warnings
    /// that depend on the message.
    #[inline]
    pub fn warnings(&self) -> impl Iterator<Item = Warning> + Clone + use<> {
        let mut warnings = self.url().lint().and(self.warnings);
        warnings.add(Warning::EnvelopeDate, self.location.facts().is_dated_by_envelope());
        warnings.iter()
    }

    /// Returns whether an earlier part of the same `multipart/alternative` contains the same URL.
    #[inline]
    #[must_use]
    pub fn repeat(&self) -> bool {
        self.repeat
    }
}

/// Text that looks like a URL but is not a URL. [`Event::Reject`](crate::Event::Reject) has a reject.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor};
///
/// let mut rejects = Vec::new();
/// let _ = Extractor::new().message_into("Subject: x\n\nhttp://a:99999/\n", &mut |event: Event<'_>| {
///     if let Event::Reject(reject) = event {
///         rejects.push(format!("{}: {}", reject.text().escape_ascii(), reject.reason()));
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(rejects, ["http://a:99999/: port above 65535 at offset 9 (RFC 793 3.1)"]);
/// ```
#[derive(Debug)]
pub struct Reject<'m> {
    location: Location<'m>,
    reason: ParseError,
}

impl<'m> Deref for Reject<'m> {
    type Target = Location<'m>;

    #[inline(always)]
    fn deref(&self) -> &Location<'m> {
        &self.location
    }
}

impl<'m> Reject<'m> {
    #[inline]
    pub(crate) fn new(location: Location<'m>, reason: ParseError) -> Reject<'m> {
        Reject { location, reason }
    }

    /// Returns the text that looks like a URL. Text that was broken over lines is rejoined.
    #[inline]
    #[must_use]
    pub fn text(&self) -> &[u8] {
        self.location.pick(|seen| seen.candidate.text(), |kept| kept.url.as_bytes())
    }

    /// Returns the error of [`Candidate::parse`](crate::Candidate::parse) for the text. Its offset is an offset in
    /// [`text`](Self::text).
    #[inline]
    #[must_use]
    pub fn reason(&self) -> ParseError {
        self.reason
    }
}
