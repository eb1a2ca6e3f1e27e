//! What was found: hits, and rejects (RULES.md, section 5).

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
pub(crate) use origin::{Link, Message, Source, Spot};
pub use owned::Hit;

/// A URL that the parser accepts, with its provenance. It borrows from the input that it was found in;
/// [`to_owned`](Self::to_owned) copies it.
#[derive(Debug)]
pub struct HitRef<'a> {
    pub(crate) url: &'a Url<'a>,
    pub(crate) candidate: &'a Candidate<'a>,
    pub(crate) origin: &'a Origin<'a>,
    pub(crate) warnings: Warnings,
    pub(crate) dup: bool,
}

impl<'a> HitRef<'a> {
    /// The URL as written, put together if it was broken, with its components.
    pub fn url(&self) -> &'a Url<'a> {
        self.url
    }

    /// How it stood in the text.
    pub fn form(&self) -> Form {
        self.candidate.form()
    }

    /// Which grammar it satisfies.
    pub fn tier(&self) -> Tier {
        self.url.tier()
    }

    /// Where it was found.
    pub fn origin(&self) -> &Origin<'a> {
        self.origin
    }

    /// Whether it was put together from several pieces.
    pub fn is_rejoined(&self) -> bool {
        self.candidate.is_rejoined()
    }

    /// How likely it is that a bare URL, rejoined over lines, is the one that was meant, in percent. `None` for every other URL.
    pub fn confidence(&self) -> Option<u8> {
        self.candidate.confidence()
    }

    /// The other readings of the same place, the likelier first.
    pub fn alternatives(&self) -> &'a [Alternative] {
        self.candidate.alternatives()
    }

    /// Set if the reading reported is no more than the likelier one.
    pub fn ambiguity(&self) -> Option<Reason> {
        self.candidate.ambiguity()
    }

    /// What was taken off its end as punctuation of the text.
    pub fn trimmed(&self) -> &'a [u8] {
        self.candidate.trimmed()
    }

    /// What a reader sees of the link, if it is the `href` of an `a` element in HTML: the text of the element, character
    /// references decoded, tags gone, white space one blank; in the charset of the part, of which it need not be valid. Of
    /// a long one what is in its first 4 KiB. `None` if there is no text. Read at each call.
    #[cfg(feature = "html")]
    #[must_use]
    pub fn shown(&self) -> Option<Vec<u8>> {
        let shown = mail::html::shown_text(self.origin.spot.text, self.origin.link.from?);
        (!shown.is_empty()).then_some(shown)
    }

    /// The bytes of the file that make up the URL, as stored: one range, or one for each piece of a URL that was broken over
    /// lines, so that an archive can make a link of each. Byte offsets in the file, or in what it decompresses to; the range of
    /// the whole part if the place is not [exact](Origin::is_exact).
    #[must_use]
    pub fn pieces(&self) -> Vec<Range<u64>> {
        let origin = self.origin;
        let is_direct = !origin.spot.defanged && self.candidate.span() == (origin.span.0..origin.span.1);
        if self.is_rejoined() && is_direct && origin.is_exact() {
            return self.candidate.pieces().map(|piece| origin.stored(piece)).collect();
        }
        iter::once(origin.offset()..origin.offset() + origin.length()).collect()
    }

    /// Copies it. Looks up what identifies its message, once for each message.
    #[must_use]
    pub fn to_owned(&self) -> Hit {
        Hit::from(self)
    }

    /// How many quote marks its line begins with; 0 in headers and attributes.
    pub fn quote_depth(&self) -> usize {
        if self.origin.spot.header.is_some() { 0 } else { self.candidate.quote_depth() }
    }

    /// What to beware of: the parser's warnings (RFC 1738, section 6), and those that the message around it gives.
    pub fn warnings(&self) -> Warnings {
        self.warnings
    }

    /// Whether the same URL stood in another part of the same `multipart/alternative` before.
    pub fn is_repeated_in_alternative(&self) -> bool {
        self.dup
    }
}

/// A candidate that is no URL.
#[derive(Debug)]
pub struct Reject<'a> {
    pub(crate) candidate: &'a Candidate<'a>,
    pub(crate) why: RejectReason,
    pub(crate) origin: &'a Origin<'a>,
}

/// Why a candidate is no URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RejectReason {
    /// The parser refused it.
    Parse(ParseError),
    /// It is longer than [`MAX_BARE`](crate::scan::MAX_BARE) bytes.
    TooLong,
}

impl RejectReason {
    /// The reason's name in output.
    pub fn as_str(&self) -> &'static str {
        match self {
            RejectReason::Parse(error) => error.kind().as_str(),
            RejectReason::TooLong => "too-long",
        }
    }

    /// The offset of the first offending byte in [`Reject::text`].
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
    /// The candidate, put together if it was broken.
    pub fn text(&self) -> &'a [u8] {
        self.candidate.text()
    }

    /// How it stood in the text.
    pub fn form(&self) -> Form {
        self.candidate.form()
    }

    /// Why it is no URL.
    pub fn reason(&self) -> &RejectReason {
        &self.why
    }

    /// Where it was found.
    pub fn origin(&self) -> &Origin<'a> {
        self.origin
    }
}
