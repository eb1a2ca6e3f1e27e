//! Hits (URLs that were found) and rejects (text that looks like a URL but is invalid). See RULES.md, section 5.

pub mod fields;
mod gaps;
pub mod json;
mod lines;
mod origin;
mod owned;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(feature = "serde")]
mod state;

use std::fmt;
use std::iter;
use std::ops::Range;

use crate::mail;
use crate::scan::{Alternative, Candidate, Form, Reason};
use crate::url::{ParseError, Tier, Url, Warnings};

pub(crate) use gaps::Gaps;
pub(crate) use lines::Lines;
pub use origin::Origin;
pub(crate) use origin::{Link, MessageContext, MessageFacts, RegionContext};
pub use owned::Hit;
pub(crate) use owned::MessageInfo;
#[cfg(feature = "serde")]
pub use state::State as HitState;

/// A URL that was found, and its location, borrowed from the input. [`Event::Hit`](crate::Event::Hit) has a
/// `HitRef`; [`to_owned`](Self::to_owned) copies it to a [`Hit`].
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor};
///
/// let message = "Subject: x\n\n> See http://www.example.org/.\n";
/// let _ = Extractor::new().message_into(message, &mut |event: Event<'_>| {
///     if let Event::Hit(hit) = event {
///         assert_eq!((hit.url().as_str(), hit.trimmed()), ("http://www.example.org/", &b"."[..]));
///         assert_eq!((hit.origin().offset(), hit.origin().length(), hit.quote_depth()), (18, 23, 1));
///     }
///     ControlFlow::Continue(())
/// });
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
    /// Returns the URL with its components.
    ///
    /// The URL is as written in the decoded text, with these exceptions:
    ///
    /// - A URL that was broken over lines is rejoined.
    /// - A defanged URL, such as `hxxp://evil[.]example/`, is restored.
    /// - If necessary, a URL in an HTML attribute is repaired in the same way as in a browser. For example,
    ///   `http://a.example/b c` becomes `http://a.example/b%20c`.
    pub fn url(&self) -> &'a Url<'a> {
        self.url
    }

    /// Returns how the text marks the URL, for example with `<URL:` and `>`.
    pub fn form(&self) -> Form {
        self.candidate.form()
    }

    /// Returns the narrowest grammar that allows the URL.
    pub fn tier(&self) -> Tier {
        self.url.tier()
    }

    /// Returns the location of the URL.
    pub fn origin(&self) -> &Origin<'a> {
        self.origin
    }

    /// Returns whether the URL was broken over lines and rejoined.
    pub fn is_rejoined(&self) -> bool {
        self.candidate.is_rejoined()
    }

    /// Returns the probability, in percent, that a bare URL was rejoined correctly. `None` for a URL that is in
    /// brackets or was not rejoined.
    pub fn confidence(&self) -> Option<u8> {
        self.candidate.confidence()
    }

    /// Returns the other URLs that the author may have meant, the most likely first. For example, a hyphen before a
    /// line break is sometimes part of the URL, and sometimes it only divides a word.
    pub fn alternatives(&self) -> &'a [Alternative] {
        self.candidate.alternatives()
    }

    /// Returns the reason why it is doubtful that the author meant this URL. `None` if there is no doubt.
    pub fn ambiguity(&self) -> Option<Reason> {
        self.candidate.ambiguity()
    }

    /// Returns the punctuation that was removed from the end of the URL, such as the full stop of a sentence.
    pub fn trimmed(&self) -> &'a [u8] {
        self.candidate.trimmed()
    }

    /// Returns the visible text of the link, if the URL is the `href` of an `a` element in HTML. `None` for other URLs,
    /// and for links without text.
    ///
    /// Tags are removed, character references are decoded, and each run of white space becomes one blank. The result is
    /// converted from the charset of the part to UTF-8, and invalid bytes are replaced. Only the first 4 KiB of HTML
    /// after the opening tag are read. Each call computes the result again.
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

    /// Returns the byte ranges of the file that contain the URL as stored. If line breaks or blanks inside the URL were
    /// removed, each remaining piece of the URL has its own range.
    ///
    /// A [defanged](Origin::is_defanged) URL and a URL in an HTML attribute always have one range. This range includes
    /// everything that was removed. Line breaks that belong to an encoding, such as quoted-printable, do not divide a
    /// range.
    ///
    /// The ranges are byte offsets in the file. For a compressed file, they are byte offsets in the decompressed data.
    /// If the location is not [exact](Origin::is_exact), the result is a single range: the range of the whole MIME part
    /// or header field.
    #[must_use]
    pub fn pieces(&self) -> Vec<Range<u64>> {
        let origin = self.origin;
        if self.is_rejoined() && self.is_unchanged() && origin.is_exact() {
            return self.candidate.pieces().map(|piece| origin.stored(piece)).collect();
        }
        iter::once(origin.offset()..origin.offset() + origin.length()).collect()
    }

    /// Returns the ranges of the URL in the decoded text of its part. The result is empty for a URL in a header field,
    /// because a header field is not in a part. The result is also empty for a defanged URL and for a URL in an HTML
    /// attribute: see [`is_unchanged`](Self::is_unchanged).
    pub(crate) fn pieces_in_text(&self) -> Vec<Range<usize>> {
        let is_in_text = self.is_unchanged() && self.origin.in_region.header.is_none();
        let place = |piece| match self.origin.in_region.restored {
            Some(map) => map.raw(piece),
            None => piece,
        };
        if is_in_text { self.candidate.pieces().map(place).collect() } else { Vec::new() }
    }

    /// Returns whether the ranges of the candidate are ranges of the scanned text. Returns `false` for a defanged URL
    /// and for a URL in an HTML attribute. Such a URL was found in a changed copy of the text, for example in the
    /// decoded attribute.
    fn is_unchanged(&self) -> bool {
        let Origin { in_region, span, .. } = self.origin;
        !in_region.defanged && self.candidate.span() == (span.0..span.1)
    }

    /// Returns the hit as a reject, with the error of [`Url::departure`] as the reason. `None` if RFC 1738 allows the
    /// URL.
    #[must_use]
    pub fn to_reject(&self) -> Option<Reject<'a>> {
        let why = RejectReason::Parse(self.url.departure()?);
        Some(Reject { candidate: self.candidate, why, origin: self.origin })
    }

    /// Copies the hit. For the first hit of a message, also parses the headers of the message.
    #[must_use]
    pub fn to_owned(&self) -> Hit {
        Hit::from(self)
    }

    /// Returns the number of quote marks at the start of the URL's line, such as 2 for `> > http://a.example/`. In
    /// headers and attributes, the number is 0.
    pub fn quote_depth(&self) -> usize {
        if self.origin.in_region.header.is_some() { 0 } else { self.candidate.quote_depth() }
    }

    /// Returns the warnings about the URL: [the warnings that depend only on the URL](Url::warnings), and the warnings
    /// that depend on the message.
    pub fn warnings(&self) -> Warnings {
        self.warnings
    }

    /// Returns whether an earlier part of the same `multipart/alternative` contains the same URL.
    pub fn is_repeated_in_alternative(&self) -> bool {
        self.dup
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
pub struct Reject<'a> {
    pub(crate) candidate: &'a Candidate<'a>,
    pub(crate) why: RejectReason,
    pub(crate) origin: &'a Origin<'a>,
}

/// The reason why a text is not a URL. [`Reject::reason`] returns it.
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
    /// [`Url::parse`] returned this error for the text.
    Parse(ParseError),
    /// The text is longer than [`MAX_BARE`](crate::MAX_BARE) bytes.
    TooLong,
}

impl RejectReason {
    /// Returns the name of the reason, such as `port-range`. The command prints this name.
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
            RejectReason::TooLong => crate::MAX_BARE,
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
    /// Returns the text that looks like a URL. Text that was broken over lines is rejoined.
    pub fn text(&self) -> &'a [u8] {
        self.candidate.text()
    }

    /// Returns how the text marks the URL, for example with `<URL:` and `>`.
    pub fn form(&self) -> Form {
        self.candidate.form()
    }

    /// Returns the reason why the text is not a URL.
    pub fn reason(&self) -> &RejectReason {
        &self.why
    }

    /// Returns the location of the text.
    pub fn origin(&self) -> &Origin<'a> {
        self.origin
    }
}
