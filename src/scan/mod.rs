//! Finds where URLs start and end in running text.
//!
//! [`Scanner::find_iter`] searches decoded text, and returns the [`Candidate`]s in the order of the text. This module
//! does not depend on files or mail.
//!
//! The page [`rules`](crate::rules) lists the rules of the scanner by number, with the evidence for each. The rules
//! interpret the appendix of RFC 1738, which recommends wrappers such as `<URL:...>`.
//!
//! A candidate is text that looks like a URL. [`Candidate::parse`] checks whether the text is a URL. The scanner itself
//! calls the parser only in two cases: for a wrapper that contains white space, and for a bare URL that may continue on
//! the next line.

mod bare;
mod candidate;
mod emphasis;
#[cfg(feature = "mime")]
mod explain;
pub(crate) mod quote;
mod readings;
mod rejoin;
mod residue;
mod restore;
#[cfg(feature = "mime")]
mod schemeless;
mod trim;
mod wrapped;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::ops::Range;

use self::candidate::Extra;
pub use self::candidate::{Alternative, Candidate, Form, Reason};
use self::emphasis::EmphasisState;
#[cfg(feature = "mime")]
pub(crate) use self::explain::{Step, ignored, shown, steps, title};
pub(crate) use self::rejoin::{Elsewhere, LIKELY};
#[cfg(feature = "mime")]
pub(crate) use self::schemeless::{Addresses, dots_of};
use self::trim::trim;
#[cfg(feature = "mime")]
use crate::trigger::TriggerSlice;
use crate::trigger::{MAX_SCHEME, Trigger, Triggers, known_scheme, scheme_start};
use crate::url::Url;
use crate::url::class::is_scheme_byte;
use crate::url::scheme::{Scheme, Start, UNLISTED};

/// Finds URLs in decoded text. A scanner is immutable, cheap to clone, and can be shared between threads.
///
/// ```
/// let scanner = urlspool::Scanner::new();
/// let texts: Vec<_> = scanner.find_iter("ftp://a.example/, http://b.example/.").map(|c| c.text().to_vec()).collect();
/// assert_eq!(texts, [&b"ftp://a.example/"[..], b"http://b.example/"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Scanner {
    join: Option<u8>,
    drops_hyphens: bool,
    /// Names of further schemes, with commas between them. URLs of these schemes begin with `name://`.
    own_schemes: Option<Arc<str>>,
    /// Whether the text is `format=flowed` (RFC 3676).
    is_flowed: bool,
}

impl Default for Scanner {
    fn default() -> Self {
        Scanner { join: Some(LIKELY), drops_hyphens: false, own_schemes: None, is_flowed: false }
    }
}

impl Scanner {
    /// Returns a scanner with the default rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets when to join a bare URL (a URL without brackets) at the end of a line with the beginning of the next line:
    /// if the [confidence](Candidate::confidence) is at least `percent`. If the confidence is lower, the URL ends at the
    /// end of its line, and the joined URL is an alternative. The default is 60 (section 3 of the
    /// [rules](crate::rules)). `None` never joins.
    ///
    /// ```
    /// use urlspool::Scanner;
    /// let text = "The file is in http://www.example.org/pub/archive/\nsummary/index.html\n";
    /// let found = |percent| Scanner::new().join(percent).find(text).unwrap().text().len();
    /// assert_eq!([None, Some(60), Some(99)].map(found), [35, 53, 35]);
    /// ```
    pub fn join(self, percent: Option<u8>) -> Self {
        Scanner { join: percent, ..self }
    }

    /// Sets how to read a hyphen at a line break inside a wrapper such as `<URL:...>`: whether a typesetter inserted it,
    /// so that it is not part of the URL. The other reading is an [`Alternative`] (rule 1.6). The default is `false`.
    ///
    /// ```
    /// use urlspool::Scanner;
    /// let text = "<URL:http://www.example.org/typo-\ngraphy>";
    /// let found = Scanner::new().drop_hyphens(true).find(text).unwrap();
    /// assert_eq!(found.text(), b"http://www.example.org/typography");
    /// assert_eq!(found.alternatives()[0].url, b"http://www.example.org/typo-graphy");
    /// ```
    pub fn drop_hyphens(self, drops_hyphens: bool) -> Self {
        Scanner { drops_hyphens, ..self }
    }

    #[cfg(feature = "mime")]
    pub(crate) fn own_schemes(self, own_schemes: Option<Arc<str>>) -> Self {
        Scanner { own_schemes, ..self }
    }

    /// Sets whether the text is `format=flowed` (RFC 3676). A line end without a blank before it is then meant, so a URL
    /// that may be complete ends there.
    #[cfg(feature = "mime")]
    pub(crate) fn flowed(self, is_flowed: bool) -> Self {
        Scanner { is_flowed, ..self }
    }

    /// Returns the candidates in `text`, in text order.
    ///
    /// Candidates that [are URLs](Candidate::parse) do not overlap. If the text in `<URL:...>` has no scheme, the
    /// scanner returns a candidate that is not a URL. The scanner then also searches this text for URLs, so a later
    /// candidate can be inside the first candidate.
    ///
    /// Takes time linear in the length of the text: about 0.1 ns per byte for text without colons. Allocates memory
    /// only for a URL that has several pieces or alternatives.
    ///
    /// ```
    /// use urlspool::Scanner;
    /// let text = "I found it under <URL:ftp://info.cern.ch/pub/www/doc;\ntype=d> but";
    /// let urls: Vec<_> = Scanner::new().find_iter(text).filter_map(|candidate| candidate.parse().ok()).collect();
    /// assert_eq!(urls[0].as_str(), "ftp://info.cern.ch/pub/www/doc;type=d");
    /// ```
    pub fn find_iter<'h, T>(
        &self,
        text: &'h T,
    ) -> impl Iterator<Item = Candidate<'h>> + Clone + core::fmt::Debug + use<'h, T>
    where
        T: AsRef<[u8]> + ?Sized,
    {
        let text = text.as_ref();
        self.find_within(text, 0..text.len())
    }

    /// Returns the first candidate in `text`.
    ///
    /// ```
    /// use urlspool::Scanner;
    /// let first = Scanner::new().find("See http://www.example.org/.").expect("there is one");
    /// assert_eq!((first.text(), first.span()), (&b"http://www.example.org/"[..], 4..27));
    /// ```
    #[must_use]
    pub fn find<'h, T: AsRef<[u8]> + ?Sized>(&self, text: &'h T) -> Option<Candidate<'h>> {
        self.find_iter(text).next()
    }

    /// Like [`find_iter`](Self::find_iter), but returns only the candidates that start within `starts`. To find where
    /// these candidates end, the scanner also reads the text before and after `starts`.
    pub(crate) fn find_within<'h>(&self, text: &'h [u8], starts: Range<usize>) -> Candidates<'h> {
        self.candidates(text, Triggers::new(text), starts)
    }

    fn candidates<'h>(&self, text: &'h [u8], triggers: Triggers<'h>, starts: Range<usize>) -> Candidates<'h> {
        let end = starts.end.saturating_add(MAX_SCHEME);
        Candidates {
            scanner: self.clone(),
            text,
            triggers,
            at: 0,
            end,
            starts,
            no_bare_before: [0; 6],
            marks: EmphasisState::default(),
            from: 0,
            elsewhere: None,
        }
    }

    /// Like [`find_iter`](Self::find_iter), but the caller has already found the triggers of `text`: the colons that
    /// may belong to URLs.
    #[cfg(feature = "mime")]
    pub(crate) fn find_indexed<'h>(&self, text: &'h [u8], triggers: TriggerSlice<'h>) -> Candidates<'h> {
        self.candidates(text, Triggers::indexed(text, triggers), 0..text.len())
    }

    /// Returns the offset of the first colon in `text` that may belong to a URL. This search uses SIMD.
    #[cfg(feature = "mime")]
    pub(crate) fn first_trigger(text: &[u8]) -> Option<usize> {
        Triggers::new(text).next(0).map(|(colon, _)| colon)
    }
}

/// An iterator over the candidates in a text. [`Scanner::find_iter`] returns it.
///
/// ```
/// use urlspool::Scanner;
/// let mut candidates = Scanner::new().find_iter("http://a.example/ and http:///no-host");
/// assert!(candidates.next().unwrap().parse().is_ok());
/// assert!(candidates.next().unwrap().parse().is_err());
/// assert!(candidates.next().is_none());
/// ```
#[derive(Clone)]
pub(crate) struct Candidates<'h> {
    scanner: Scanner,
    text: &'h [u8],
    triggers: Triggers<'h>,
    /// The offset at which the search continues. This offset never decreases. For each trigger (a colon that may belong
    /// to a URL), the scanner reads a bounded number of bytes. So the time for the whole search is linear in the length
    /// of the text.
    at: usize,
    /// The search ends at this offset: triggers at or after it are ignored.
    end: usize,
    /// Only candidates that start in this range are returned.
    starts: Range<usize>,
    /// One offset for each kind of scheme without slashes (see [`Start`]), such as `mailto:`. No bare URL of this kind
    /// can begin before this offset. For example, if the text after one `mailto:` has no `@`, no other `mailto:` in
    /// that text can begin a URL. Without these offsets, the scanner would search a text such as
    /// `mailto:mailto:mailto:` for an `@` after each colon, which takes quadratic time.
    no_bare_before: [usize; 6],
    /// The opening marks of emphasis and quotations in the current line, such as the first `*` of
    /// `*http://a.example/*`. A `*` at the end of a URL is trimmed only if an opening `*` is before the URL (rule 2.3).
    marks: EmphasisState,
    /// The offset at which the search for the current trigger began. Earlier text belongs to an earlier URL.
    from: usize,
    /// The whole message that contains the text. If a line break may have split a URL, the message is searched for
    /// another copy of the URL (rule 3.5).
    elsewhere: Option<Elsewhere<'h>>,
}

impl core::fmt::Debug for Candidates<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Candidates").field("at", &self.at).field("starts", &self.starts).finish_non_exhaustive()
    }
}

impl<'h> Iterator for Candidates<'h> {
    type Item = Candidate<'h>;

    fn next(&mut self) -> Option<Candidate<'h>> {
        loop {
            let found = self.find_next();
            if found.as_ref().is_none_or(|found| self.starts.contains(&found.span.start)) {
                return found;
            }
        }
    }
}

impl FusedIterator for Candidates<'_> {}

/// The span of a wrapped URL, with its pieces and alternatives, if there are any. The functions below return this small
/// type instead of a [`Candidate`]. A returned [`Candidate`] would be copied directly after it is written, and the
/// processor would have to wait for the write.
type Wrapped = (Range<usize>, Option<Box<Extra>>);

/// The methods that find a candidate also set `at`, the offset at which the search continues.
impl<'h> Candidates<'h> {
    /// Sets the message that contains the text. The method changes `self` in place, because a method that takes and
    /// returns `self` would copy `self`. In a short text, the copy would take longer than the search.
    #[cfg(feature = "mime")]
    #[inline]
    pub(crate) fn set_elsewhere(&mut self, elsewhere: Option<Elsewhere<'h>>) {
        self.elsewhere = elsewhere;
    }

    /// Returns the next candidate, wherever it starts.
    fn find_next(&mut self) -> Option<Candidate<'h>> {
        while let Some((colon, trigger)) = self.triggers.next(self.at) {
            if colon >= self.end {
                break;
            }
            self.from = self.at;
            self.at = colon + 1;
            let (start, row, bare) = match trigger {
                Trigger::Prefix => match self.wrapper(colon) {
                    Some((span, extra)) => {
                        return Some(Candidate { extra, ..Candidate::new(self.text, Form::Wrapped, span) });
                    }
                    None => continue,
                },
                Trigger::Slashes => {
                    let start = scheme_start(self.text, colon);
                    (start, known_scheme(self.text, start, colon), true)
                }
                Trigger::Named(row) => {
                    // `file:\\host` can be in brackets that are no wrapper.
                    let is_bare = row.start.is_without_slashes() || self.text[colon + 1..].starts_with(b"\\");
                    (colon - row.name.len(), Some(row), is_bare)
                }
            };
            if let Some(candidate) = self.scheme(start, colon, row, bare) {
                return Some(candidate);
            }
        }
        None
    }

    /// Returns the URL in the wrapper `<URL:...>` whose first colon is at `colon`.
    #[inline(never)]
    fn wrapper(&mut self, colon: usize) -> Option<Wrapped> {
        let (span, mut extra) = self.in_wrapper(colon)?;
        Extra::add_decoded(&mut extra, &self.text[span.clone()]);
        Extra::add_unescaped(&mut extra, &self.text[span.clone()]);
        Some((span, extra))
    }

    fn in_wrapper(&mut self, colon: usize) -> Option<Wrapped> {
        let inside = wrapped::read(self.text, colon - b"<URL".len(), colon + 1)?;
        let first = &self.text[inside.fragments.first().unwrap_or(&inside.span).clone()];
        let broken_scheme = !inside.tokens && first.iter().all(|b| is_scheme_byte(*b));
        let has_scheme = broken_scheme || memchr::memchr(b':', first).is_some_and(|colon| colon > 0);
        if inside.tokens && !has_scheme {
            // The content is prose, as in `<URL: see below>`. The first word is returned as a candidate, although it is
            // not a URL. The search continues directly after `<URL:`.
            let span = inside.fragments.first().unwrap_or(&inside.span).clone();
            return Some((span, None));
        }
        let after = inside.after;
        let (span, mut extra) = self.wrapped(inside);
        // If the first piece is a URL but the joined text is not, return `None`. The first piece is then read as a bare
        // URL.
        if extra.as_ref().is_some_and(|extra| Url::parse(&extra.joined).is_err()) && Url::parse(first).is_ok() {
            return None;
        }
        // Continue the search after the wrapper only if its content has a scheme. Otherwise a URL may be in the middle
        // of the content, and must still be found.
        if has_scheme {
            self.at = after;
            Extra::restore(&mut extra, &self.text[span.clone()]);
        }
        Some((span, extra))
    }

    /// Returns the candidate whose scheme ends at `colon`, if there is one. The text from `start` to `colon` looks like
    /// a scheme name. `row` describes the known scheme at the end of this text: for `x-http:`, `row` describes `http`.
    /// `bare` says whether a bare URL can begin with the known scheme. The function is inlined, because otherwise the
    /// returned candidate would be copied.
    #[inline(always)]
    fn scheme(
        &mut self,
        start: usize,
        colon: usize,
        row: Option<&'static Scheme>,
        bare: bool,
    ) -> Option<Candidate<'h>> {
        let mut numbered = None;
        if start > 0 && self.text[start - 1] == b'<' && self.text[start].is_ascii_alphabetic() {
            if let Some((end, has_ampersand)) = wrapped::plain(self.text, start)
                && !is_doubled(self.text, colon)
            {
                self.at = end + 1;
                let known = row.filter(|row| row.name.len() == colon - start);
                let mut extra = None;
                if has_ampersand {
                    Extra::add_decoded(&mut extra, &self.text[start..end]);
                }
                return Some(Candidate { known, extra, ..Candidate::new(self.text, Form::Angle, start..end) });
            }
            if let Some((span, extra)) = self.angle(start) {
                return Some(Candidate { extra, ..Candidate::new(self.text, Form::Angle, span) });
            }
            numbered = self.tokens(start);
        }
        match row {
            _ if !bare => None,
            Some(row) => self.bare(colon - row.name.len(), colon, row, numbered),
            None => self.unknown_scheme(start, colon, numbered).map(|found| *found),
        }
    }

    /// Returns the bare URL whose scheme is not in the table, or is glued to other text. It is in a box, so that the
    /// caller can make all other candidates in registers.
    #[cold]
    fn unknown_scheme(
        &mut self,
        start: usize,
        colon: usize,
        numbered: Option<Box<Extra>>,
    ) -> Option<Box<Candidate<'h>>> {
        if self.is_own_scheme(&self.text[start..colon]) {
            let candidate = self.bare(start, colon, &UNLISTED, numbered)?;
            return Some(Box::new(Candidate { known: None, ..candidate }));
        }
        // In `prospero://hhttp://host`, the first URL ends before the name `http`.
        if start >= self.from
            && let Some(scheme) = restore::headless(self.text, start, colon)
        {
            return self.headless(start, colon, scheme).map(Box::new);
        }
        // A backslash before the colon is an escape (rule 2.5).
        let end = colon - usize::from(self.text[..colon].ends_with(b"\\"));
        let row = restore::glued(self.text, end, colon)?;
        let mut candidate = self.bare(end - row.name.len(), colon, row, numbered)?;
        candidate.extra.get_or_insert_default().doubt.get_or_insert(Reason::Glued);
        Some(Box::new(candidate))
    }

    /// Returns the URL that begins with `ttp`, `htp` or the like in place of `http` (rule 6.2).
    fn headless(&mut self, start: usize, colon: usize, scheme: &'static Scheme) -> Option<Candidate<'h>> {
        let candidate = self.bare(start, colon, scheme, None)?;
        let written = colon - start;
        let mend = |url: &[u8]| [scheme.name.as_bytes(), &url[written..]].concat();
        let joined = mend(candidate.text());
        let mut extra = candidate.extra.unwrap_or_default();
        (extra.joined, extra.doubt) = (joined, Some(Reason::Defanged));
        extra.alternatives.iter_mut().for_each(|other| other.url = mend(&other.url));
        Some(Candidate { known: None, extra: Some(extra), ..candidate })
    }

    fn is_own_scheme(&self, name: &[u8]) -> bool {
        let own = self.scanner.own_schemes.as_deref().unwrap_or_default();
        !name.is_empty() && own.split(',').any(|own| own.as_bytes().eq_ignore_ascii_case(name))
    }

    /// If the lines of a wrapper have line numbers, as in a listing, returns an alternative: the URL without the line
    /// numbers (rule 1.2b). If the wrapper may have blanks inside a URL, the alternative is this URL (rule 1.2c). The
    /// preferred URL is the bare URL on the first line. The `<` of the wrapper is directly before `start`.
    #[cold]
    fn tokens(&self, start: usize) -> Option<Box<Extra>> {
        let (text, reason) = (self.text, Reason::Tokens);
        let blanks = || {
            let inside = wrapped::read(text, start - 1, start)?;
            let urls = vec![wrapped::join(text, &inside.fragments), inside.escaped(text)?];
            wrapped::has_blanks(text, &inside).0.then_some(urls)
        };
        let urls = wrapped::numbered(text, start).map(|url| vec![url]).or_else(blanks)?;
        let alternatives = urls.into_iter().map(|url| Alternative { url, reason }).collect();
        Some(Box::new(Extra { alternatives, doubt: Some(reason), ..Extra::default() }))
    }

    /// Returns the URL in a `<scheme:...>` whose content is too complex for [`wrapped::plain`]. The scheme starts at
    /// `start`.
    #[inline(never)]
    fn angle(&mut self, start: usize) -> Option<Wrapped> {
        let (span, mut extra) = self.in_angle(start)?;
        Extra::restore(&mut extra, &self.text[span.clone()]);
        Extra::add_decoded(&mut extra, &self.text[span.clone()]);
        Extra::add_unescaped(&mut extra, &self.text[span.clone()]);
        Some((span, extra))
    }

    fn in_angle(&mut self, start: usize) -> Option<Wrapped> {
        let inside = wrapped::read(self.text, start - 1, start)?;
        if let Some(url) = inside.before_label(self.text) {
            // The label can be a URL, too.
            self.at = url.after;
            let long = inside.joined(self.text);
            let (span, mut extra) = self.wrapped(url);
            if !inside.tokens && Url::parse(&long).is_ok() {
                let alternative = Alternative { url: long, reason: Reason::Glued };
                extra.get_or_insert_default().alternatives.push(alternative);
            }
            return Some((span, extra));
        }
        // In a `<scheme:...>`, the URL ends at white space inside a line (rule 1.2). If the content has several lines,
        // the joined text must be a URL.
        if (inside.tokens && !wrapped::has_blanks(self.text, &inside).1)
            || (!inside.fragments.is_empty() && Url::parse(&wrapped::join(self.text, &inside.fragments)).is_err())
        {
            return None;
        }
        self.at = inside.after;
        Some(self.wrapped(inside))
    }

    /// Joins the pieces of a URL in a wrapper. Returns the preferred URL, and the other possible URLs as alternatives.
    fn wrapped(&self, inside: wrapped::Inside) -> Wrapped {
        if inside.fragments.is_empty() {
            return (inside.span, None);
        }
        let text = self.text;
        let join = |pieces: &Vec<Range<usize>>| wrapped::join(text, pieces);
        let mut readings = inside.readings();
        let mut urls: Vec<_> = readings.iter().map(join).collect();
        // `urls[0]` keeps all hyphens at line breaks, and `urls[1]` drops all of them. If any text in `urls` is a valid
        // URL, the preferred text must be a valid URL.
        let valid = |url: &Vec<u8>| Url::parse(url).is_ok();
        let preferred = match urls.get(1) {
            Some(dropped) if self.scanner.drops_hyphens && valid(dropped) => 1,
            Some(_) => urls.iter().position(valid).unwrap_or(0),
            None => 0,
        };
        urls.swap(0, preferred);
        let mut fragments = readings.swap_remove(preferred);
        let span = fragments[0].start..inside.span.end;
        if fragments.len() == 1 {
            fragments.clear();
        }
        let first = urls.remove(0);
        let joined = if fragments.is_empty() { Vec::new() } else { first };
        let mut alternatives: Vec<_> =
            urls.into_iter().map(|url| Alternative { url, reason: Reason::Hyphen }).collect();
        let is_doubtful = inside.tokens || inside.has_other(text);
        let doubt = if inside.lost_quote { Some(Reason::Quote) } else { is_doubtful.then_some(Reason::Tokens) };
        if let Some(reason) = doubt {
            let first = text[inside.fragments[0].clone()].to_vec();
            alternatives.push(Alternative { url: first, reason });
            alternatives.extend(inside.escaped(text).map(|url| Alternative { url, reason }));
        }
        let extra = Extra { fragments, joined, alternatives, doubt, confidence: None };
        (span, Some(Box::new(extra)))
    }

    /// Returns the bare URL whose scheme starts at `start` and ends at `colon`. Returns `None` if there is no bare URL.
    /// `extra` contains the alternatives that are already known.
    #[inline(always)]
    fn bare(
        &mut self,
        start: usize,
        colon: usize,
        row: &'static Scheme,
        mut extra: Option<Box<Extra>>,
    ) -> Option<Candidate<'h>> {
        let text = self.text;
        let has_to_show = row.start.is_without_slashes();
        if has_to_show
            && (colon < self.no_bare_before[row.start as usize] || !may_begin(row.start, text.get(colon + 1)))
        {
            return None;
        }
        let glued = self.triggers.peek(colon).and_then(|next| restore::glued_url(text, colon, next));
        let cut = glued.filter(|end| is_before_url(text, start, colon, *end));
        if cut.is_some() {
            extra.get_or_insert_default().doubt = Some(Reason::Glued);
        }
        let mut extent = bare::first_line(&text[..cut.unwrap_or(text.len())], start, colon);
        if let Some(end) = glued.filter(|end| *end < extent.end) {
            extent.shorter.get_or_insert((end, bare::Why::Glued));
        }
        let form = if is_prefixed(text, start) { Form::Prefixed } else { Form::Bare };
        if extent.is_overlong(colon) {
            self.at = bare::run(text, extent.end);
            return Some(Candidate { overlong: true, ..Candidate::new(text, form, start..extent.end) });
        }
        let mut end = trim(text, start, b"", start..extent.end, &mut self.marks).max(colon + 1);
        if text[extent.end..].starts_with(b" at ")
            && end == extent.end
            && let Some(obscured) = restore::obscured(text, start..end, colon - start, extent.open, &mut self.marks)
            && let Some(candidate) = self.obscured(start..end, form, obscured)
        {
            return Some(*candidate);
        }
        if let [.., before, opener @ (b'"' | b'\'' | b'(')] = text[..start]
            && text.get(extent.end) == Some(&b' ')
        {
            Extra::add_spaced(&mut extra, readings::quoted(text, start..end, [before, opener]));
        }
        if has_to_show && !is_shown(row.start, &text[colon + 1..end]) {
            self.no_bare_before[row.start as usize] = extent.end;
            return None;
        }
        if text[end - 1] == b']' {
            end = Extra::cut_note(&mut extra, text, start..end);
        }
        if (extent.last_depends < end || readings::may_have_text(&text[start..end], (colon + 3).min(end) - start))
            && let Some(length) = readings::without_text(text, start..end, colon - start)
        {
            extent.shorter.get_or_insert((start + length, bare::Why::Glued));
        }
        if extent.script {
            self.with_script(start..end, &extent, &mut extra);
        }
        if readings::is_cut(&text[start..end], &text[end..], extent.end - end) {
            extra.get_or_insert_default().doubt.get_or_insert(Reason::Cut);
        }
        match text.get(extent.end) {
            Some(0x80..) => Extra::doubt_before(&mut extra, text, extent.end),
            Some(b' ') if matches!(text.get(extent.end + 1), Some(b'/' | b'.')) || text[end - 1] | 0x20 == b'w' => {
                Extra::add_spaced(&mut extra, readings::after_blank(text, start..end, extent.end));
            }
            Some(b'>') if matches!(text[end - 1], b'-' | b'=') => {
                extent.shorter.get_or_insert((end - 1, bare::Why::Glued));
            }
            _ => {}
        }
        self.at = extent.end;
        // A backslash can be before the colon (rule 2.5).
        let known = (text[colon - 1] != b'\\').then_some(row);
        let mut whole = Pieces { end, after: extent.end, known, extra };
        if rejoin::ends_line(text, extent.end)
            && let Some(joined) =
                rejoin::join(text, start, &extent, &self.scanner, self.elsewhere, &mut self.marks, |_| {})
        {
            whole = self.rejoined(&text[start..end], whole, joined);
        }
        let Pieces { mut end, after, mut known, mut extra } = whole;
        let mut shorter = None;
        if let Some((short, why)) = extent.shorter {
            shorter = self.shorter(start..end, short, why, &mut extra);
        }
        let is_written = has_to_show || text[colon + 1..].starts_with(b"//");
        if (extent.altered || !is_written || text[colon - 1] == b'\\' || is_doubled(text, colon))
            && Extra::restore(&mut extra, &text[start..end])
        {
            known = None;
        } else if let Some(short) = shorter
            && Url::parse(&text[start..end]).is_err()
            && let Some(extra) = &mut extra
        {
            extra.alternatives.pop();
            end = short;
        }
        if extent.depended || extra.is_some() {
            Extra::add_decoded(&mut extra, &text[start..end]);
        }
        if extent.altered {
            Extra::add_unescaped(&mut extra, &text[start..end]);
        }
        Some(Candidate { after, known, extra, ..Candidate::new(text, form, start..end) })
    }

    /// Adds the reading of the bare URL `url` with letters of a script that may not belong to it (rule 2.2).
    #[cold]
    fn with_script(&mut self, url: Range<usize>, extent: &bare::Extent, extra: &mut Option<Box<Extra>>) {
        let longer = bare::with_script(self.text, url.start, extent);
        let longer = trim(self.text, url.start, b"", url.start..longer, &mut self.marks);
        // `longer` equals the end of `url` if only a symbol separates this URL from the next URL, because such a symbol
        // belongs to neither URL.
        if longer > url.end {
            let reason = if self.text[extent.end].is_ascii() { Reason::Glued } else { Reason::Script };
            let alternative = Alternative { url: self.text[url.start..longer].to_vec(), reason };
            extra.get_or_insert_default().alternatives.push(alternative);
        }
    }

    /// Adds the reading of the bare URL `url` that ends at `short`. Returns its end if `url` is not joined.
    #[cold]
    fn shorter(
        &mut self,
        url: Range<usize>,
        short: usize,
        why: bare::Why,
        extra: &mut Option<Box<Extra>>,
    ) -> Option<usize> {
        let reason = match why {
            bare::Why::Escape => Reason::Escape,
            bare::Why::Glued => Reason::Glued,
            bare::Why::Script => Reason::Script,
        };
        let short = trim(self.text, url.start, b"", url.start..short, &mut self.marks);
        // In a joined URL, a bracket can be closed on a further line.
        let is_joined = extra.as_ref().is_some_and(|extra| !extra.fragments.is_empty());
        let shorter = &self.text[url.start..short];
        if short >= url.end || is_joined && reason == Reason::Glued || Url::parse(shorter).is_err() {
            return None;
        }
        let extra = extra.get_or_insert_default();
        extra.alternatives.push(Alternative { url: shorter.to_vec(), reason });
        extra.doubt.get_or_insert(reason);
        Some(short).filter(|_| !is_joined)
    }

    /// Returns the candidate for a URL that has ` at ` in place of `@` (rule 2.6). `first` is the URL before ` at `.
    /// Returns `None` if `first` is more likely.
    #[cold]
    fn obscured(&mut self, first: Range<usize>, form: Form, obscured: restore::Obscured) -> Option<Box<Candidate<'h>>> {
        let restore::Obscured { url, rest, is_likely } = obscured;
        if !is_likely {
            return None;
        }
        let text = self.text;
        let short = &text[first.clone()];
        let mut extra = Box::new(Extra { joined: url, doubt: Some(Reason::Obscured), ..Extra::default() });
        if memchr::memchr(b'/', short).is_some() && Url::parse(short).is_ok() {
            extra.alternatives.push(Alternative { url: short.to_vec(), reason: Reason::Obscured });
        }
        self.at = rest.end;
        let is_angle = text[..first.start].ends_with(b"<") && text.get(rest.end) == Some(&b'>');
        let form = if is_angle { Form::Angle } else { form };
        Some(Box::new(Candidate { extra: Some(extra), ..Candidate::new(text, form, first.start..rest.end) }))
    }

    /// Applies the result of [`rejoin::join`] to `whole`. `first` is the URL that ends on the first line. If a joined
    /// URL is likely enough, it becomes the preferred URL, and `first` becomes an alternative. A longer, less likely
    /// URL also becomes an alternative.
    fn rejoined(&mut self, first: &[u8], mut whole: Pieces, joined: rejoin::Joined) -> Pieces {
        let rejoin::Joined { pieces, url, after, confidence, other } = joined;
        let extra = whole.extra.get_or_insert_default();
        let longer = if pieces.is_empty() { other.as_ref() } else { Some(&url) };
        // The `=` at the end of the line can be a soft break (rule 1.8).
        let rest = longer.and_then(|url| url.strip_prefix(first)).filter(|_| quote::may_be_soft_break(first));
        let soft = rest.map(|rest| [&first[..first.len() - 1], rest].concat());
        let or = |url| Alternative { url, reason: Reason::Rejoin };
        if pieces.is_empty() {
            extra.alternatives.extend([other, soft].into_iter().flatten().map(or));
            return whole;
        }
        extra.alternatives.extend([Some(first.to_vec()), other, soft].into_iter().flatten().map(or));
        let encoded =
            quote::without_soft_breaks(self.text, &pieces).map(|url| Alternative { url, reason: Reason::Escape });
        extra.alternatives.extend(encoded);
        self.at = after;
        let (end, is_soft) = (pieces[pieces.len() - 1].end, !url.starts_with(first));
        (extra.fragments, extra.joined, extra.confidence) = (pieces, url, Some(confidence));
        if is_soft {
            Extra::unescape(&mut whole.extra, first);
        }
        Pieces { end, after, known: None, ..whole }
    }
}

/// Whether the URL whose scheme ends at `colon` has a second scheme (rule 2.7).
#[inline]
fn is_doubled(text: &[u8], colon: usize) -> bool {
    text.get(colon + 3..).is_some_and(restore::is_doubled)
}

/// Whether `list`, which has blanks between its words, has `word`, ignoring case.
fn has(list: &[u8], word: &[u8]) -> bool {
    !word.is_empty() && list.split(|byte| *byte == b' ').any(|known| known.eq_ignore_ascii_case(word))
}

/// The parts of a bare [`Candidate`] that change if the URL is rejoined.
struct Pieces {
    end: usize,
    after: usize,
    known: Option<&'static Scheme>,
    extra: Option<Box<Extra>>,
}

/// Whether the URL ends at `end`, where another URL is glued to it (rule 2.4). Returns `false` if its path or query may
/// contain the other URL.
#[cold]
fn is_before_url(text: &[u8], start: usize, colon: usize, end: usize) -> bool {
    let extent = bare::first_line(&text[..end], start, colon);
    let url = &text[start..end];
    let is_path = text[colon..].starts_with(b"://") && !bare::is_in_host(url);
    let is_certain = !is_path || matches!(text[..end], [.., b'.' | b'!'] | [.., b'!', b':']);
    extent.end == end && is_certain && memchr::memchr2(b'?', b'#', url).is_none()
}

fn is_prefixed(text: &[u8], start: usize) -> bool {
    let Some((before, prefix)) = text[..start].split_last_chunk::<4>() else { return false };
    prefix[3] == b':'
        && prefix.eq_ignore_ascii_case(b"URL:")
        && before.last().is_none_or(|before| !before.is_ascii_alphanumeric())
}

/// Whether `first` can be the byte after the colon of a bare URL (rule 2.1).
fn may_begin(start: Start, first: Option<&u8>) -> bool {
    first.is_some_and(|first| match start {
        Start::Address => !matches!(first, b'@' | b':'),
        Start::Newsgroup => !matches!(first, b'@' | b':' | b'.'),
        Start::Namespace => first.is_ascii_alphanumeric(),
        Start::Query => *first == b'?',
        Start::Slashes | Start::Wrapped | Start::Registered => true,
    })
}

/// Whether `part`, the text after the scheme's colon, can be the rest of a bare URL. For example, a `mailto:` needs an
/// `@` (rule 2.1).
///
/// If the result is `false` for `part`, it is also `false` for every suffix of `part`. So the scanner need not check
/// the later colons in `part` (see [`Candidates::no_bare_before`]). The only exception is the suffix `*` after `news:`,
/// for which the result is `true`.
fn is_shown(start: Start, part: &[u8]) -> bool {
    let inner = part.get(1..part.len().saturating_sub(1)).unwrap_or_default();
    match start {
        Start::Address => memchr::memchr(b'@', inner).is_some(),
        Start::Newsgroup => part == b"*" || memchr::memchr2(b'.', b'@', part).is_some(),
        Start::Namespace => memchr::memchr(b':', inner).is_some(),
        Start::Query => memchr::memchr(b'=', inner).is_some(),
        Start::Slashes | Start::Wrapped | Start::Registered => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text has a URL of each form that the scanner returns.
    #[test]
    fn only_urls_that_begin_in_a_window_are_found() {
        let text =
            b"http://a.example/ <URL:http://b.example/> <http://c.example/> <URL:http://d.example/\ne> URL:ftp://f/";
        let spans = |starts: Range<usize>| -> Vec<_> {
            Scanner::new().find_within(text, starts).map(|candidate| candidate.span()).collect()
        };
        let all = spans(0..text.len());
        assert_eq!(all.len(), 5);
        for start in 0..text.len() {
            for end in start..text.len() {
                let inside: Vec<_> = all.iter().filter(|span| (start..end).contains(&span.start)).cloned().collect();
                assert_eq!(spans(start..end), inside, "{start}..{end}");
            }
        }
    }

    #[cfg(feature = "mime")]
    #[test]
    fn the_first_trigger_is_the_colon_of_the_first_url() {
        assert_eq!(Scanner::first_trigger(b"No: see http://a.example/ and http://b.example/"), Some(12));
        assert_eq!(Scanner::first_trigger(b"12:30: no URL"), None);
    }

    /// The scanner tells the parser which known scheme it has found. `x-http` is not the known scheme `http`.
    #[test]
    fn a_known_name_at_the_end_of_a_scheme_is_not_the_scheme() {
        for (text, scheme) in [("(<x-http://a.example/>)", "x-http"), ("(<http://a.example/>)", "http")] {
            assert_eq!(Scanner::new().find(text).unwrap().parse().unwrap().scheme(), scheme);
        }
    }

    /// The parser must not take an own scheme for one that it knows.
    #[cfg(feature = "mime")]
    #[test]
    fn an_own_scheme_is_not_a_known_scheme() {
        let scanner = Scanner::new().own_schemes(Some("zoommtg,slack".into()));
        for (text, scheme) in [("see zoommtg://a.example/b", "zoommtg"), ("SLACK://a.example/b", "slack")] {
            assert!(scanner.find(text).unwrap().parse().unwrap().scheme().eq_ignore_ascii_case(scheme), "{text}");
            assert!(Scanner::new().find(text).is_none(), "{text}");
        }
    }

    #[test]
    fn an_empty_url_in_brackets_is_found_once() {
        assert_eq!(Scanner::new().find_iter("<mailto:> text").take(2).count(), 1);
    }
}
