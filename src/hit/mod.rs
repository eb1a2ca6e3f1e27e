//! Results: hits, and rejects (RULES.md, section 5).

mod gaps;
mod lines;
mod origin;
mod owned;
#[cfg(feature = "serde")]
mod serialize;

use std::fmt;
use std::iter;
use std::ops::Range;

#[cfg(feature = "html")]
use crate::mail;
use crate::scan::{Alternative, Candidate, Form, Reason};
use crate::url::{ParseError, Tier, Url, Warnings};

pub(crate) use gaps::Gaps;
pub(crate) use lines::Lines;
pub use origin::Origin;
pub(crate) use origin::{Link, MessageContext, MessageFacts, RegionContext};
pub use owned::Hit;
pub(crate) use owned::MessageInfo;

/// A URL that was found, with its provenance. It borrows from the input; [`to_owned`](Self::to_owned) copies it. A
/// [`Sink`](crate::Sink) receives it.
///
/// ```
/// use urlspool::{Extractor, sink};
///
/// let message = "Subject: x\n\n> See http://www.example.org/.\n";
/// Extractor::new().message_into(message, &mut sink::from_fn(|hit| {
///     assert_eq!((hit.url().as_str(), hit.trimmed()), ("http://www.example.org/", &b"."[..]));
///     assert_eq!((hit.origin().offset(), hit.origin().length(), hit.quote_depth()), (18, 23, 1));
/// }));
/// ```
#[derive(Debug)]
pub struct HitRef<'a> {
    pub(crate) url: &'a Url<'a>,
    pub(crate) candidate: &'a Candidate<'a>,
    pub(crate) origin: &'a Origin<'a>,
    pub(crate) warnings: Warnings,
    pub(crate) dup: bool,
}

impl<'a> HitRef<'a> {
    /// Returns the URL as written, rejoined if it was broken, with its components.
    pub fn url(&self) -> &'a Url<'a> {
        self.url
    }

    /// Returns how the text marks it as a URL.
    pub fn form(&self) -> Form {
        self.candidate.form()
    }

    /// Returns the narrowest grammar that it satisfies.
    pub fn tier(&self) -> Tier {
        self.url.tier()
    }

    /// Returns where it was found.
    pub fn origin(&self) -> &Origin<'a> {
        self.origin
    }

    /// Returns whether it was broken over lines and rejoined.
    pub fn is_rejoined(&self) -> bool {
        self.candidate.is_rejoined()
    }

    /// Returns how likely it is, in percent, that a rejoined bare URL is the one that was meant. `None` for every other
    /// URL.
    pub fn confidence(&self) -> Option<u8> {
        self.candidate.confidence()
    }

    /// Returns the other readings of the same text, the likeliest first.
    pub fn alternatives(&self) -> &'a [Alternative] {
        self.candidate.alternatives()
    }

    /// Returns why the URL is in doubt: it is only the likeliest of several readings. `None` if it is not in doubt.
    pub fn ambiguity(&self) -> Option<Reason> {
        self.candidate.ambiguity()
    }

    /// Returns the punctuation of the text that was removed from its end.
    pub fn trimmed(&self) -> &'a [u8] {
        self.candidate.trimmed()
    }

    /// Returns the text that a reader sees for the link, if the hit is the `href` of an `a` element in HTML. `None` if
    /// there is no such text.
    ///
    /// Character references are decoded, tags are removed, and white space becomes one blank. The text is decoded from
    /// the charset of the part, and bytes that are invalid in it are replaced. Only the first 4 KiB of a long text are
    /// read. Each call reads it again.
    #[cfg(feature = "html")]
    #[must_use]
    pub fn shown(&self) -> Option<String> {
        let region = self.origin.in_region;
        let shown = mail::html::shown_text(region.text, self.origin.link.from?);
        if shown.is_empty() {
            return None;
        }
        Some(String::from_utf8(shown).unwrap_or_else(|error| {
            let shown = error.as_bytes();
            mail::decode_eight_bit(region.media, shown).unwrap_or_else(|| String::from_utf8_lossy(shown).into_owned())
        }))
    }

    /// Returns the bytes of the file that make up the URL, as stored: one range, or one for each piece of a URL that
    /// was broken over lines. An archive makes a link of each.
    ///
    /// The ranges are byte offsets in the file, or in the data that it decompresses to. If the place is not
    /// [exact](Origin::is_exact), the range is that of the whole part.
    #[must_use]
    pub fn pieces(&self) -> Vec<Range<u64>> {
        let origin = self.origin;
        if self.is_rejoined() && self.is_unchanged() && origin.is_exact() {
            return self.candidate.pieces().map(|piece| origin.stored(piece)).collect();
        }
        iter::once(origin.offset()..origin.offset() + origin.length()).collect()
    }

    /// Returns the pieces of its region's text that form the hit. A hit in a header field or a defanged one has none,
    /// because the text does not have it unchanged.
    pub(crate) fn pieces_in_text(&self) -> Vec<Range<usize>> {
        let is_in_text = self.is_unchanged() && self.origin.in_region.header.is_none();
        if is_in_text { self.candidate.pieces().collect() } else { Vec::new() }
    }

    /// Whether the offsets of the candidate are offsets in the text of its region.
    fn is_unchanged(&self) -> bool {
        let Origin { in_region, span, .. } = self.origin;
        !in_region.defanged && self.candidate.span() == (span.0..span.1)
    }

    /// Copies the hit. The headers that identify a message are looked up once for each message.
    #[must_use]
    pub fn to_owned(&self) -> Hit {
        Hit::from(self)
    }

    /// Returns the number of quote marks at the beginning of its line. It is 0 in headers and attributes.
    pub fn quote_depth(&self) -> usize {
        if self.origin.in_region.header.is_some() { 0 } else { self.candidate.quote_depth() }
    }

    /// Returns what is suspicious: the [warnings of the URL](Url::warnings), and those that depend on the message.
    pub fn warnings(&self) -> Warnings {
        self.warnings
    }

    /// Returns whether the same URL is in an earlier part of the same `multipart/alternative`.
    pub fn is_repeated_in_alternative(&self) -> bool {
        self.dup
    }
}

/// A text that looks like a URL but is not one. A [`Sink`](crate::Sink) receives it.
///
/// ```
/// use urlspool::{Extractor, HitRef, Reject, Sink};
///
/// struct Rejects(Vec<String>);
///
/// impl Sink for Rejects {
///     type Flow = ();
///     fn hit(&mut self, _: &HitRef<'_>) {}
///     fn reject(&mut self, reject: &Reject<'_>) {
///         self.0.push(format!("{}: {}", reject.text().escape_ascii(), reject.reason()));
///     }
/// }
///
/// let mut rejects = Rejects(Vec::new());
/// Extractor::new().message_into("Subject: x\n\nhttp://a:99999/\n", &mut rejects);
/// assert_eq!(rejects.0, ["http://a:99999/: port above 65535 at offset 9 (RFC 793 3.1)"]);
/// ```
#[derive(Debug)]
pub struct Reject<'a> {
    pub(crate) candidate: &'a Candidate<'a>,
    pub(crate) why: RejectReason,
    pub(crate) origin: &'a Origin<'a>,
}

/// Why a text is not a URL. [`Reject::reason`] returns it.
///
/// ```
/// use urlspool::{RejectReason, Url};
///
/// let reason = RejectReason::Parse(Url::parse("http://a:99999/").unwrap_err());
/// assert_eq!((reason.as_str(), reason.offset()), ("port-range", 9));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RejectReason {
    /// The parser refused it.
    Parse(ParseError),
    /// It is longer than [`MAX_BARE`](crate::scan::MAX_BARE) bytes.
    TooLong,
}

impl RejectReason {
    /// Returns the name of the reason in output.
    pub fn as_str(&self) -> &'static str {
        match self {
            RejectReason::Parse(error) => error.kind().as_str(),
            RejectReason::TooLong => "too-long",
        }
    }

    /// Returns the offset of the first wrong byte in [`Reject::text`].
    pub fn offset(&self) -> usize {
        match self {
            RejectReason::Parse(error) => error.offset(),
            RejectReason::TooLong => crate::scan::MAX_BARE,
        }
    }
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RejectReason::Parse(error) => error.fmt(f),
            RejectReason::TooLong => f.write_str("longer than 64 KiB"),
        }
    }
}

impl<'a> Reject<'a> {
    /// Returns the text, rejoined if it was broken.
    pub fn text(&self) -> &'a [u8] {
        self.candidate.text()
    }

    /// Returns how the text marks it as a URL.
    pub fn form(&self) -> Form {
        self.candidate.form()
    }

    /// Returns why it is not a URL.
    pub fn reason(&self) -> &RejectReason {
        &self.why
    }

    /// Returns where it was found.
    pub fn origin(&self) -> &Origin<'a> {
        self.origin
    }
}
