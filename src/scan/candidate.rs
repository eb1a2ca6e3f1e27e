//! What the scanner hands out.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

#[cfg(feature = "mime")]
use super::bare::begins_with_character;
use super::{MAX_BARE, quote};
#[cfg(feature = "mime")]
use crate::trigger::is_utf8_around;
#[cfg(feature = "html")]
use crate::trigger::scheme_length;
#[cfg(feature = "html")]
use crate::url::scheme;
use crate::url::scheme::Scheme;
use crate::url::{ParseError, ParseErrorKind, Url, without_references};
#[cfg(feature = "html")]
use crate::url::{Warnings, mend};

named! {
    /// How a URL stood in the text (RULES.md, section 0).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Form {
        /// `<URL:...>`, the wrapper of RFC 1738's appendix.
        Wrapped = "wrapped",
        /// `<scheme:...>`, the older wrapper.
        Angle = "angle",
        /// Plain in the text.
        Bare = "bare",
        /// `URL:http://...` without brackets.
        Prefixed = "prefixed",
        /// The value of an HTML attribute. The scanner itself never says so.
        Href = "href",
    }
}

named! {
    /// Why there is a second reading of a candidate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Reason {
        /// A hyphen at a line's end may or may not belong to the URL (RFC 1738, appendix; rule 1.6).
        Hyphen = "hyphen",
        /// A bare URL may or may not go on in the next line (RULES.md, section 3).
        Rejoin = "rejoin",
        /// A wrapper held several tokens on one line (rule 1.3).
        Tokens = "tokens",
        /// A continuation line had lost its quote prefix (rule 1.4).
        Quote = "quote",
        /// What is not ASCII follows directly: text in a script that is written without spaces or a symbol, or a
        /// letter in the charset of its part.
        Script = "script",
        /// `&amp;` in plain text may be a reference of HTML that nobody decoded (rule 2.2a).
        Reference = "reference",
        /// What may be there to make a URL harmless, or as part of it: RULES.md, section 6. The scanner itself never says so.
        Defanged = "defanged",
    }
}

/// Another reading of the same place in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Alternative {
    /// The URL in this reading, joined.
    pub url: Vec<u8>,
    /// Why it is one.
    pub reason: Reason,
}

/// A span of text that may be a URL: what is left when line breaks, quote
/// marks and the wrapper are taken away. Whether it *is* one, [`parse`](Self::parse) says.
#[derive(Clone)]
pub struct Candidate<'h> {
    pub(super) haystack: &'h [u8],
    pub(super) span: Range<usize>,
    /// Where what was taken off its end ends.
    pub(super) behind: usize,
    pub(super) form: Form,
    pub(super) overlong: bool,
    /// The row of its scheme, if that is known: the parser need not find it again.
    pub(super) known: Option<&'static Scheme>,
    /// What nearly none has: without it, no candidate costs an allocation.
    pub(super) more: Option<Box<More>>,
}

/// Without the haystack, which may be a whole mailbox.
impl fmt::Debug for Candidate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate")
            .field("text", &format_args!("\"{}\"", self.text().escape_ascii()))
            .field("form", &self.form)
            .field("span", &self.span)
            .finish_non_exhaustive()
    }
}

/// What a candidate in several pieces has, or one with several readings.
#[derive(Clone, Debug, Default)]
pub(super) struct More {
    /// Empty where the URL stands in one piece: the span is the fragment then.
    pub(super) fragments: Vec<Range<usize>>,
    /// The fragments put together.
    pub(super) joined: Vec<u8>,
    pub(super) alternatives: Vec<Alternative>,
    pub(super) doubtful: Option<Reason>,
    /// Of a rejoined bare URL.
    pub(super) confidence: Option<u8>,
}

impl More {
    /// One other reading.
    pub(super) fn alternative(url: Vec<u8>, reason: Reason) -> Box<More> {
        Box::new(More { alternatives: vec![Alternative { url, reason }], ..More::default() })
    }

    /// Adds the reading in which `&amp;` is `&` to those of a URL, which is `url` if it is in one piece.
    #[inline]
    pub(super) fn add_decoded(more: &mut Option<Box<More>>, url: &[u8]) {
        let url = match more {
            Some(more) if !more.fragments.is_empty() => &more.joined,
            _ => url,
        };
        if let Some(at) = memchr::memchr(b'&', url)
            && let Some(url) = without_references(url, at)
        {
            more.get_or_insert_default().alternatives.push(Alternative { url, reason: Reason::Reference });
        }
    }
}

impl<'h> Candidate<'h> {
    /// One piece of `haystack`, nothing around it.
    pub(super) fn new(haystack: &'h [u8], form: Form, span: Range<usize>) -> Self {
        Candidate { haystack, behind: span.end, span, form, overlong: false, known: None, more: None }
    }

    /// The value of an HTML attribute, as browsers read it. `None` if it names no scheme: a relative reference is none
    /// of a text's URLs.
    #[cfg(feature = "html")]
    pub(crate) fn of_attribute(value: &'h [u8]) -> Option<Self> {
        let known = scheme::find(&value[..scheme_length(value)?]);
        Some(Candidate { known, ..Candidate::new(value, Form::Href, 0..value.len()) })
    }

    /// The URL that browsers request for an attribute, if that is not what is written: see [`mend`]. Of an attribute that is
    /// a URL as written, only backslashes matter.
    #[cfg(feature = "html")]
    pub(crate) fn mended(&self, is_url: bool) -> Option<(Vec<u8>, Warnings)> {
        let (text, row) = (self.text(), self.known?);
        let is_asked = self.form == Form::Href && (!is_url || mend::has_backslash(text));
        if is_asked { mend::mend(text, row) } else { None }
    }

    /// With another reading of who knows more than the scanner.
    #[cfg(feature = "mime")]
    pub(crate) fn or(mut self, url: &[u8], reason: Reason) -> Self {
        self.more.get_or_insert_default().alternatives.push(Alternative { url: url.to_vec(), reason });
        self
    }

    /// In doubt for this reason, unless it has another.
    #[cfg(feature = "mime")]
    pub(crate) fn in_doubt(mut self, reason: Reason) -> Self {
        self.more.get_or_insert_default().doubtful.get_or_insert(reason);
        self
    }

    /// How it stood in the text.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The URL in its preferred reading, joined. Borrowed unless it stood in several pieces.
    pub fn text(&self) -> &[u8] {
        self.joined().unwrap_or(&self.haystack[self.span.clone()])
    }

    /// The pieces put together, if there are several.
    fn joined(&self) -> Option<&[u8]> {
        self.more.as_ref().filter(|more| !more.fragments.is_empty()).map(|more| &more.joined[..])
    }

    /// Parses its [`text`](Self::text), faster than [`Url::parse`]: the scheme is known mostly.
    ///
    /// The URL borrows the text that was scanned, not the candidate; one that was put together from pieces owns its text.
    ///
    /// ```
    /// use urlspool::scan::Scanner;
    /// let text = "see http://a.example:99999/ and http://b.example/";
    /// let mut found = Scanner::new().find_iter(text);
    /// assert_eq!(found.next().unwrap().parse().unwrap_err().to_string(), "port above 65535 at offset 17 (RFC 793 3.1)");
    /// assert_eq!(found.next().unwrap().parse()?.host(), Some("b.example"));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Url::parse`]; and what is [overlong](Self::is_overlong) is [too long](ParseErrorKind::TooLong).
    pub fn parse(&self) -> Result<Url<'h>, ParseError> {
        if self.overlong {
            return Err(ParseError::new(ParseErrorKind::TooLong, MAX_BARE));
        }
        let mut url = match self.joined() {
            Some(joined) => Url::unparsed(joined.to_vec()),
            None => Url::unparsed(&self.haystack[self.span.clone()]),
        };
        self.fill(&mut url)?;
        Ok(url)
    }

    /// Its text, to be [parsed](Self::fill).
    #[cfg(feature = "mime")]
    pub(crate) fn unparsed(&self) -> Url<'_> {
        Url::unparsed(self.text())
    }

    /// Parses `url`, which is its own [`unparsed`](Self::unparsed), in place.
    pub(crate) fn fill(&self, url: &mut Url<'_>) -> Result<(), ParseError> {
        url.fill(self.known)
    }

    /// The bytes of the text from the URL's first to its last, line breaks between them included.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The pieces that make up [`text`](Self::text), in order; one if the URL was not broken.
    pub fn pieces(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let fragments = self.more.as_ref().map_or(&[][..], |more| &more.fragments);
        let whole = fragments.is_empty().then(|| self.span.clone());
        whole.into_iter().chain(fragments.iter().cloned())
    }

    /// Whether a byte that is not ASCII follows.
    #[cfg(feature = "mime")]
    #[inline]
    pub(crate) fn is_before_byte(&self) -> bool {
        self.haystack.get(self.behind).is_some_and(|byte| !byte.is_ascii())
    }

    /// Whether the byte that [follows](Self::is_before_byte) is not a character of UTF-8, and stopped it for that (rule 2.2):
    /// in an 8-bit charset it may be a letter.
    #[cfg(feature = "mime")]
    pub(crate) fn is_cut_by_byte(&self) -> bool {
        let text = self.haystack;
        matches!(self.form, Form::Bare | Form::Prefixed)
            && (!is_utf8_around(text, self.span.start, self.behind) || !begins_with_character(&text[self.behind..]))
    }

    /// Whether the URL was put together from several pieces.
    pub fn is_rejoined(&self) -> bool {
        self.joined().is_some()
    }

    /// How likely it is, in percent, that a bare URL put together over lines is the one that was meant; `None` for all others.
    /// The evidence of all its line breaks together, by the fit of RULES.md, section 3.
    pub fn confidence(&self) -> Option<u8> {
        self.more.as_ref()?.confidence
    }

    /// What stood directly behind a bare URL and was taken off its end (rule 2.3); empty if nothing was.
    pub fn trimmed(&self) -> &'h [u8] {
        &self.haystack[self.span.end..self.behind]
    }

    /// The other readings, the likelier first.
    pub fn alternatives(&self) -> &[Alternative] {
        self.more.as_ref().map_or(&[], |more| &more.alternatives)
    }

    /// Set if the preferred reading is no more than the likelier one.
    pub fn ambiguity(&self) -> Option<Reason> {
        self.more.as_ref()?.doubtful
    }

    /// Whether it was cut at [`MAX_BARE`] bytes: no URL then, whatever [`Url::parse`] says of the piece.
    pub fn is_overlong(&self) -> bool {
        self.overlong
    }

    /// How many quote marks its line begins with. Looks back to the line's start.
    pub fn quote_depth(&self) -> usize {
        quote::line_start(self.haystack, self.span.start).map_or(0, |line| quote::prefix(&self.haystack[line..]).depth)
    }
}
