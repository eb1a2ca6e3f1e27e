//! What was found: hits, and rejects (RULES.md, section 5).

mod gaps;
mod lines;
mod origin;

use std::fmt;

use crate::scan::{Alternative, Candidate, Form, Reason};
use crate::url::{ParseError, Tier, Url, Warnings};

pub(crate) use gaps::Gaps;
pub(crate) use lines::Lines;
pub use origin::Origin;
pub(crate) use origin::{Message, Source, Spot};

/// A URL that the parser accepts, with its provenance. Borrows from the batch it was found in: copy what is to
/// outlive the call.
#[derive(Debug)]
pub struct Hit<'a> {
    pub(crate) url: &'a Url<'a>,
    pub(crate) candidate: &'a Candidate<'a>,
    pub(crate) origin: &'a Origin<'a>,
    pub(crate) warnings: Warnings,
    pub(crate) dup: bool,
}

impl<'a> Hit<'a> {
    /// The URL as written, put together if it was broken, with its components.
    #[must_use]
    pub fn url(&self) -> &Url<'a> {
        self.url
    }

    /// How it stood in the text.
    #[must_use]
    pub fn form(&self) -> Form {
        self.candidate.form()
    }

    /// Which grammar it satisfies.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.url.tier()
    }

    /// Where it was found.
    #[must_use]
    pub fn origin(&self) -> &Origin<'a> {
        self.origin
    }

    /// Whether it was put together from several pieces.
    #[must_use]
    pub fn is_rejoined(&self) -> bool {
        self.candidate.is_rejoined()
    }

    /// How likely it is that a bare URL, rejoined over lines, is the one that was meant, in percent. `None` for every other URL.
    #[must_use]
    pub fn confidence(&self) -> Option<u8> {
        self.candidate.confidence()
    }

    /// The other readings of the same place, the likelier first.
    #[must_use]
    pub fn alternatives(&self) -> &'a [Alternative] {
        self.candidate.alternatives()
    }

    /// Set if the reading reported is no more than the likelier one.
    #[must_use]
    pub fn doubtful(&self) -> Option<Reason> {
        self.candidate.doubtful()
    }

    /// What was taken off its end as punctuation of the text.
    #[must_use]
    pub fn trimmed(&self) -> &'a [u8] {
        self.candidate.trimmed()
    }

    /// How many quote marks its line begins with; 0 in headers and attributes.
    #[must_use]
    pub fn quote_depth(&self) -> usize {
        if self.origin.spot.header.is_some() { 0 } else { self.candidate.quote_depth() }
    }

    /// What to beware of: the parser's warnings (RFC 1738, section 6), and those that the message around it gives.
    #[must_use]
    pub fn warnings(&self) -> Warnings {
        self.warnings
    }

    /// Whether the same URL stood in another part of the same `multipart/alternative` before.
    #[must_use]
    pub fn is_dup(&self) -> bool {
        self.dup
    }
}

/// A candidate that is no URL.
#[derive(Debug)]
pub struct Reject<'a> {
    pub(crate) candidate: &'a Candidate<'a>,
    pub(crate) why: Refusal,
    pub(crate) origin: &'a Origin<'a>,
}

/// Why a candidate is no URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The parser refused it.
    Parse(ParseError),
    /// It is longer than [`MAX_BARE`](crate::scan::MAX_BARE) octets.
    TooLong,
}

impl Refusal {
    /// The reason's name in output.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Refusal::Parse(error) => error.kind().as_str(),
            Refusal::TooLong => "too-long",
        }
    }

    /// The offset of the first offending octet in [`Reject::text`].
    #[must_use]
    pub fn offset(&self) -> usize {
        match self {
            Refusal::Parse(error) => error.offset(),
            Refusal::TooLong => crate::scan::MAX_BARE,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Parse(error) => error.fmt(f),
            Refusal::TooLong => f.write_str("longer than 64 KiB"),
        }
    }
}

impl<'a> Reject<'a> {
    /// The candidate, put together if it was broken.
    #[must_use]
    pub fn text(&self) -> &'a [u8] {
        self.candidate.text()
    }

    /// How it stood in the text.
    #[must_use]
    pub fn form(&self) -> Form {
        self.candidate.form()
    }

    /// Why it is no URL.
    #[must_use]
    pub fn why(&self) -> &Refusal {
        &self.why
    }

    /// Where it was found.
    #[must_use]
    pub fn origin(&self) -> &Origin<'a> {
        self.origin
    }
}
