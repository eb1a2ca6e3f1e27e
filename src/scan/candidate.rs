//! The results of the scanner.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

#[cfg(feature = "mime")]
use super::bare::begins_with_character;
use super::{quote, readings};
#[cfg(feature = "mime")]
use crate::trigger::is_utf8_around;
#[cfg(feature = "mime")]
use crate::trigger::scheme_length;
#[cfg(feature = "mime")]
use crate::url::scheme;
use crate::url::scheme::Scheme;
use crate::url::{MAX_BARE, ParseError, ParseErrorKind, Url, without_references};
#[cfg(feature = "mime")]
use crate::url::{Warnings, mend};

named! {
    /// What is around a URL in the text, such as brackets (section 0 of the [rules](crate::rules)).
    ///
    /// ```
    /// use urlspool::{Form, Scanner};
    /// let text = "<URL:http://a.example/> <http://b.example/> http://c.example/ URL:http://d.example/";
    /// let forms: Vec<Form> = Scanner::new().find_iter(text).map(|candidate| candidate.form()).collect();
    /// assert_eq!(forms, [Form::Wrapped, Form::Angle, Form::Bare, Form::Prefixed]);
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Form: &'static str {
        /// `<URL:...>`: the wrapper that the appendix of RFC 1738 recommends.
        Wrapped = "wrapped" => "`<URL:...>`",
        /// `<scheme:...>`: a wrapper without `URL:`.
        Angle = "angle" => "`<scheme:...>`",
        /// A URL without brackets or `URL:` around it.
        Bare = "bare" => "a URL without brackets or `URL:` around it",
        /// `URL:http://...` without brackets.
        Prefixed = "prefixed" => "`URL:...` without brackets",
        /// The value of an HTML attribute. A [`Scanner`](crate::Scanner) never returns this form.
        Href = "href" => "the value of an HTML attribute",
        /// An address without a scheme that begins with `www.`, `ftp.` or the like. A [`Scanner`](crate::Scanner) never
        /// returns this form, or the forms below.
        Www = "www" => "`www.example.org` without a scheme",
        /// Another address without a scheme that has a path.
        Path = "path" => "`example.org/path` without a scheme",
        /// Another host without a scheme to which the text sends the reader.
        Domain = "domain" => "`example.org` without a scheme",
    }
}

impl Form {
    /// For each form, whether its URLs are searched by default: those with a scheme.
    #[cfg(feature = "mime")]
    pub(crate) const DEFAULT: [bool; Form::ALL.len()] = [true, true, true, true, true, false, false, false];

    /// Returns a description of the form in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row()
    }
}

named! {
    /// The reason why a candidate is doubtful, or why it has an alternative URL.
    ///
    /// ```
    /// use urlspool::{Reason, Scanner};
    /// let found = Scanner::new().find("http://www.example.org/?a=b&amp;c=d").unwrap();
    /// assert_eq!(found.alternatives()[0].reason, Reason::Reference);
    /// assert_eq!(found.alternatives()[0].url, b"http://www.example.org/?a=b&c=d");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Reason: &'static str {
        /// A hyphen at the end of a line in a wrapper such as `<URL:...>` may or may not be part of the URL (RFC 1738,
        /// appendix; rule 1.6).
        Hyphen = "hyphen" => "a hyphen at the end of a line may or may not be part of the URL",
        /// A bare URL may or may not continue on the next line (section 3 of the [rules](crate::rules)).
        Rejoin = "rejoin" => "a bare URL may or may not continue on the next line",
        /// A wrapper such as `<URL:...>`, or an attribute in HTML source, has blanks inside, or a blank divides a bare
        /// URL (rules 1.2c and 1.3).
        Tokens = "tokens" => "blanks may or may not be inside the URL",
        /// A line of a wrapper such as `<URL:...>` has lost its quote prefix, such as `> ` (rule 1.4).
        Quote = "quote" => "one line of a URL in brackets, as in `<URL:...>`, has no quote mark (`>`), but the other lines have one",
        /// A character outside ASCII follows the URL directly. The character is one of these: a letter of a script
        /// without spaces, such as Han; a symbol, such as a dash; or a letter in the charset of the MIME part (rule
        /// 2.2).
        Script = "script" => "a character outside ASCII follows the URL directly and may or may not be part of it",
        /// `&amp;` in plain text may be a character reference of HTML for `&` (rule 2.2a).
        Reference = "reference" => "`&amp;` in plain text may be a character reference of HTML",
        /// The URL may be defanged, that is, made harmless on purpose, or it may be meant as written (section 6 of the
        /// [rules](crate::rules)). A [`Scanner`](crate::Scanner) returns this reason only for `ttp://`.
        Defanged = "defanged" => "the URL may be defanged, or it may be meant as written",
        /// Text is directly before or after the URL, without a blank, and may or may not belong to it (rule 2.4).
        Glued = "glued" => "text directly before or after the URL may or may not belong to it",
        /// The URL has escapes such as `\_`, or invisible characters, which may or may not belong to it (rule 2.5).
        Escape = "escape" => "escapes or invisible characters in the URL may or may not belong to it",
        /// A list archive may have replaced an `@` of the URL by ` at ` (rule 2.6).
        Obscured = "obscured" => "` at ` in the text may stand for an `@` of the URL",
        /// The URL has two schemes, as in `http://http://a.example/` (rule 2.7).
        Doubled = "doubled" => "the URL has two schemes, of which one may be a mistake",
        /// The text has no scheme, so the scheme of the URL is a guess (section 7 of the [rules](crate::rules)).
        Schemeless = "schemeless" => "the text has no scheme, so the scheme of the URL is a guess",
        /// `…`, `...` or a control character directly follows the URL (rule 2.2). Or the file could not be read to its end,
        /// and the URL is the last text that was read.
        Cut = "cut" =>
            "the end of the URL may be missing: an ellipsis or a control character follows it, or the file could not be \
             read further",
    }
}

impl Reason {
    /// Returns a description of the reason in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row()
    }
}

/// An alternative URL: another URL that the text of a candidate can mean.
///
/// ```
/// use urlspool::{Reason, Scanner};
/// let found = Scanner::new().find("<URL:http://www.example.org/co-\nop>").unwrap();
/// assert_eq!(found.text(), b"http://www.example.org/co-op");
/// let other = &found.alternatives()[0];
/// assert_eq!((&other.url[..], other.reason), (&b"http://www.example.org/coop"[..], Reason::Hyphen));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Alternative {
    /// The alternative URL, with its pieces joined.
    pub url: Vec<u8>,
    /// The reason why the text can mean this URL.
    pub reason: Reason,
}

/// Text that looks like a URL. [`text`](Self::text) returns it without line breaks, quote marks and the brackets around
/// it. [`parse`](Self::parse) checks whether it is a URL.
///
/// ```
/// use urlspool::{Form, Scanner};
/// let text = "Read <http://www.example.org/a/\n  b.html>!";
/// let found = Scanner::new().find(text).unwrap();
/// assert_eq!((found.text(), found.form()), (&b"http://www.example.org/a/b.html"[..], Form::Angle));
/// assert_eq!((found.span(), found.pieces().count()), (6..40, 2));
/// assert_eq!(found.parse()?.host(), Some("www.example.org"));
/// # Ok::<(), urlspool::ParseError>(())
/// ```
#[derive(Clone)]
pub struct Candidate<'h> {
    pub(super) haystack: &'h [u8],
    pub(super) span: Range<usize>,
    /// The end of the punctuation that was trimmed from the URL. The trimmed punctuation is the range from `span.end`
    /// to `after`.
    pub(super) after: usize,
    pub(super) form: Form,
    pub(super) overlong: bool,
    /// The row of the scheme in the table of known schemes, if the scanner has already searched the table. The parser
    /// then does not search the table again.
    pub(super) known: Option<&'static Scheme>,
    /// Further values, such as several pieces or alternative URLs. They are in a box, because most candidates have no
    /// such values and therefore need no allocation.
    pub(super) extra: Option<Box<Extra>>,
}

/// Prints the text of the URL, but not the scanned text, which can be a whole mailbox.
impl fmt::Debug for Candidate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate")
            .field("text", &format_args!("\"{}\"", self.text().escape_ascii()))
            .field("form", &self.form)
            .field("span", &self.span)
            .finish_non_exhaustive()
    }
}

/// Values that only some candidates have: several pieces, alternative URLs, or a reason for doubt.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra {
    /// The pieces of the URL. Empty if there is only one piece, which is the span of the candidate.
    pub(super) fragments: Vec<Range<usize>>,
    /// The text of the URL, if it differs from the text of the span: the joined text of `fragments`, or the restored URL
    /// (`restore.rs`). Empty otherwise.
    pub(super) joined: Vec<u8>,
    pub(super) alternatives: Vec<Alternative>,
    pub(super) doubt: Option<Reason>,
    /// The confidence of a rejoined bare URL, in percent.
    pub(super) confidence: Option<u8>,
}

impl Extra {
    /// Marks the URL that ends at `end` of `text`, before a byte above 127, as doubtful if it may not be complete: `…`
    /// follows it, or letters that cannot be decoded, which the path can have (rule 2.2).
    #[cold]
    pub(super) fn doubt_before(extra: &mut Option<Box<Extra>>, text: &[u8], end: usize) {
        let (before, after) = text.split_at(end);
        let reason = match after {
            [0xE2, 0x80, 0xA6, ..] => Reason::Cut,
            _ if undecoded(before, after) => Reason::Script,
            _ => return,
        };
        extra.get_or_insert_default().doubt.get_or_insert(reason);
    }

    /// Adds the reading `url`, in which the URL goes on after a blank.
    #[cold]
    pub(super) fn add_spaced(extra: &mut Option<Box<Extra>>, url: Option<Vec<u8>>) {
        if let Some(url) = url {
            let extra = extra.get_or_insert_default();
            extra.alternatives.push(Alternative { url, reason: Reason::Tokens });
            extra.doubt.get_or_insert(Reason::Tokens);
        }
    }

    /// Returns the end of the bare URL `url` without the notes at its end, such as `[1]`. If it has notes, the whole
    /// URL is an alternative.
    #[cold]
    pub(super) fn cut_note(extra: &mut Option<Box<Extra>>, text: &[u8], url: Range<usize>) -> usize {
        let end = readings::without_notes(text, url.clone());
        if end < url.end {
            let alternative = Alternative { url: text[url].to_vec(), reason: Reason::Glued };
            extra.get_or_insert_default().alternatives.push(alternative);
        }
        end
    }

    /// If the URL has an `=3D`, adds an alternative with `=` in its place, as in text whose quoted-printable was not
    /// decoded (rule 1.8). `url` is ignored if `extra` has the text of the URL.
    #[inline]
    pub(super) fn add_unescaped(extra: &mut Option<Box<Extra>>, url: &[u8]) {
        if memchr::memchr(b'=', url).is_some_and(|equals| url[equals + 1..].starts_with(b"3D")) {
            Self::unescape(extra, url);
        }
    }

    /// Does the same as [`add_unescaped`](Self::add_unescaped), wherever the first `=3D` is.
    #[cold]
    pub(super) fn unescape(extra: &mut Option<Box<Extra>>, url: &[u8]) {
        let extra = extra.get_or_insert_default();
        let url = if extra.joined.is_empty() { url } else { &extra.joined };
        if let Some(url) = quote::without_escapes(url)
            && extra.alternatives.iter().all(|other| other.url != url)
        {
            extra.alternatives.push(Alternative { url, reason: Reason::Escape });
        }
    }

    /// If the URL has an `&amp;`, adds an alternative with `&` in place of `&amp;`. If `extra` has the text of the URL,
    /// `url` is ignored. Otherwise, `url` is the text of the URL.
    #[inline]
    pub(super) fn add_decoded(extra: &mut Option<Box<Extra>>, url: &[u8]) {
        let url = match extra {
            Some(extra) if !extra.joined.is_empty() => &extra.joined,
            _ => url,
        };
        if let Some(at) = memchr::memchr(b'&', url)
            && let Some(url) = without_references(url, at)
        {
            extra.get_or_insert_default().alternatives.push(Alternative { url, reason: Reason::Reference });
        }
    }
}

/// Whether letters that could not be decoded are between `before` and the rest of a path in `after`, or one letter is at
/// the end of a word. In most 8-bit charsets, the bytes of letters are 192 or more, and those of quotation marks less.
fn undecoded(before: &[u8], after: &[u8]) -> bool {
    /// The bytes of a letter in U+FFFD, which stands for bytes that could not be decoded.
    const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
    const MAX: usize = 255;
    let after = &after[..after.len().min(MAX)];
    let replaced = after.chunks(REPLACEMENT.len()).take_while(|chunk| *chunk == REPLACEMENT).count();
    let raw = after.iter().take_while(|byte| !byte.is_ascii()).count();
    let is_raw =
        replaced == 0 && after[..raw].iter().any(|byte| *byte >= 0xC0) && str::from_utf8(&after[..raw]).is_err();
    let rest = &after[if is_raw { raw } else { replaced * REPLACEMENT.len() }..];
    // Text in GBK that is glued to a URL can have words in Latin letters.
    let is_path =
        || replaced > 0 || raw == 1 || rest.iter().take_while(|byte| **byte > b' ').any(|byte| b"/.".contains(byte));
    let goes_on = match rest {
        [b'-' | b'_' | b'.' | b'~', next, ..] => next.is_ascii_alphanumeric(),
        [next, ..] => *next == b'/' || next.is_ascii_alphanumeric() && is_path(),
        [] => false,
    };
    let is_word = before.last().is_some_and(u8::is_ascii_alphanumeric);
    (is_raw || replaced > 0) && (is_word || before.ends_with(b"/")) && (goes_on || is_raw && raw == 1 && is_word)
}

impl<'h> Candidate<'h> {
    /// Makes a candidate that has one piece: the range `span` of `haystack`.
    pub(super) fn new(haystack: &'h [u8], form: Form, span: Range<usize>) -> Self {
        Candidate { haystack, after: span.end, span, form, overlong: false, known: None, extra: None }
    }

    /// Makes a candidate from the decoded value of an HTML attribute. Returns `None` if the value has no scheme,
    /// because a relative reference is not a URL.
    #[cfg(feature = "mime")]
    pub(crate) fn of_attribute(value: &'h [u8]) -> Option<Self> {
        let known = scheme::find(&value[..scheme_length(value)?]);
        Some(Candidate { known, ..Candidate::new(value, Form::Href, 0..value.len()) })
    }

    /// Whether the scanner found the scheme in the table of known schemes.
    #[cfg(feature = "mime")]
    pub(crate) fn has_known_scheme(&self) -> bool {
        self.known.is_some()
    }

    /// Repairs the value of an HTML attribute: see [`mend`]. Returns the URL that browsers request instead of the
    /// value. A valid value (`is_url`) is repaired only if it has a backslash that browsers read as a slash.
    #[cfg(feature = "mime")]
    pub(crate) fn mended(&self, is_url: bool) -> Option<(Vec<u8>, Warnings)> {
        let (text, row) = (self.text(), self.known?);
        let is_asked = self.form == Form::Href && (!is_url || mend::has_backslash(text));
        if is_asked { mend::mend(text, row) } else { None }
    }

    /// Adds an alternative URL.
    #[cfg(feature = "mime")]
    pub(crate) fn or(mut self, url: &[u8], reason: Reason) -> Self {
        self.extra.get_or_insert_default().alternatives.push(Alternative { url: url.to_vec(), reason });
        self
    }

    /// Marks the candidate as doubtful for `reason`, unless it is already doubtful.
    #[cfg(feature = "mime")]
    pub(crate) fn in_doubt(mut self, reason: Reason) -> Self {
        self.extra.get_or_insert_default().doubt.get_or_insert(reason);
        self
    }

    /// Returns what is around the URL in the text, such as brackets.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the text of the URL, with its pieces joined. If the scanned text can mean several URLs, this is the
    /// preferred URL. The other URLs are the [`alternatives`](Self::alternatives).
    pub fn text(&self) -> &[u8] {
        self.joined().unwrap_or(&self.haystack[self.span.clone()])
    }

    /// Returns the joined or restored text, or `None` if the text is the text of the span.
    fn joined(&self) -> Option<&[u8]> {
        self.extra.as_ref().filter(|extra| !extra.joined.is_empty()).map(|extra| &extra.joined[..])
    }

    /// Parses the [`text`](Self::text). This method is faster than [`Url::parse`], because the scanner has usually
    /// already found the scheme in the table of known schemes.
    ///
    /// The returned URL borrows from the scanned text, not from the candidate. A URL that has several pieces owns its
    /// text.
    ///
    /// ```
    /// use urlspool::Scanner;
    /// let text = "see http://a.example:99999/ and http://b.example/";
    /// let mut found = Scanner::new().find_iter(text);
    /// assert_eq!(found.next().unwrap().parse().unwrap_err().to_string(), "port above 65535 at offset 17 (RFC 793 3.1)");
    /// assert_eq!(found.next().unwrap().parse()?.host(), Some("b.example"));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Url::parse`]. If the candidate has more than [`MAX_BARE`] bytes after its scheme, the kind of
    /// the error is [`TooLong`](ParseErrorKind::TooLong), and [`text`](Self::text) is only the beginning of the URL.
    pub fn parse(&self) -> Result<Url<'h>, ParseError> {
        let mut url = match self.joined() {
            Some(joined) => Url::unparsed(joined.to_vec()),
            None => Url::unparsed(&self.haystack[self.span.clone()]),
        };
        self.fill(&mut url)?;
        Ok(url)
    }

    /// Returns the text as an unparsed URL. [`fill`](Self::fill) can then parse it.
    #[cfg(feature = "mime")]
    pub(crate) fn unparsed(&self) -> Url<'_> {
        Url::unparsed(self.text())
    }

    /// Parses `url` in place. `url` must have the text of this candidate.
    pub(crate) fn fill(&self, url: &mut Url<'_>) -> Result<(), ParseError> {
        if self.overlong {
            return Err(ParseError::new(ParseErrorKind::TooLong, MAX_BARE));
        }
        url.fill(self.known)
    }

    /// Returns the byte range of the URL in the scanned text. The range includes line breaks between the pieces.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the byte ranges of the scanned text that make up [`text`](Self::text), in order. Each range is a piece
    /// of the URL. A URL has several pieces if line breaks or blanks are inside it. If the scanner has restored the URL
    /// (rules 2.5 to 2.7), the pieces are the text as written.
    pub fn pieces(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let fragments = self.extra.as_ref().map_or(&[][..], |extra| &extra.fragments);
        let whole = fragments.is_empty().then(|| self.span.clone());
        whole.into_iter().chain(fragments.iter().cloned())
    }

    /// Whether a byte above 127 directly follows the candidate.
    #[cfg(feature = "mime")]
    #[inline]
    pub(crate) fn is_before_byte(&self) -> bool {
        self.haystack.get(self.after).is_some_and(|byte| !byte.is_ascii())
    }

    /// Whether a bare URL ended because the byte after it is not UTF-8 (rule 2.2). In an 8-bit charset such as ISO
    /// 8859-1, that byte can be a letter of the URL. Call this method only if [`is_before_byte`](Self::is_before_byte)
    /// is true.
    #[cfg(feature = "mime")]
    pub(crate) fn is_cut_by_byte(&self) -> bool {
        let text = self.haystack;
        matches!(self.form, Form::Bare | Form::Prefixed)
            && (!is_utf8_around(text, self.span.start, self.after) || !begins_with_character(&text[self.after..]))
    }

    /// Returns whether the URL was rejoined from several pieces.
    #[cfg(feature = "mime")]
    pub(crate) fn rejoined(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| !extra.fragments.is_empty())
    }

    /// Returns the probability, in percent, that a bare URL was rejoined correctly. The result is the
    /// probability that the URL has all of its pieces and no more (rule 3.4). It is at most 99. `None` if the candidate
    /// is not a bare URL that was rejoined.
    pub fn confidence(&self) -> Option<u8> {
        self.extra.as_ref()?.confidence
    }

    /// Returns the punctuation or glued text that was removed from the end of a bare URL (rules 2.3 and 2.4). Empty if
    /// nothing was removed.
    pub fn trimmed(&self) -> &'h [u8] {
        &self.haystack[self.span.end..self.after]
    }

    /// Returns the other URLs that the scanned text can mean, the most likely first.
    pub fn alternatives(&self) -> &[Alternative] {
        self.extra.as_ref().map_or(&[], |extra| &extra.alternatives)
    }

    /// Returns the reason why it is doubtful that [`text`](Self::text) is the URL that the author meant. `None` if
    /// there is no doubt.
    pub fn doubt(&self) -> Option<Reason> {
        self.extra.as_ref()?.doubt
    }

    /// Returns the number of quote marks at the start of the candidate's line, such as 2 for `> > `. Each call searches
    /// back to the start of the line.
    pub fn quote_depth(&self) -> usize {
        self.quote_marks(true)
    }

    /// Does the same as [`quote_depth`](Self::quote_depth). If `has_lines` is `false`, the lines around that of the
    /// candidate are not known, and only the mark `>` counts.
    pub(crate) fn quote_marks(&self, has_lines: bool) -> usize {
        quote::line_start(self.haystack, self.span.start).map_or(0, |line| quote::depth(self.haystack, line, has_lines))
    }
}

#[cfg(test)]
#[cfg(feature = "mime")]
mod tests {
    use crate::Scanner;

    #[test]
    fn a_byte_that_is_not_utf8_cuts_a_url() {
        // The second and the third column say whether a byte above 127 follows the URL, and whether it has cut the URL.
        let table: &[(&[u8], bool, bool)] = &[
            (b"http://a.example/b c", false, false),
            (b"http://a.example/b", false, false),
            (b"http://a.example/caf\xE9", true, true),
            ("http://a.example/b\u{2014}".as_bytes(), true, false),
            // `\xD5\xBE` would be a letter in UTF-8, but the text after it is in GB 2312.
            (b"http://a.example/b\xD5\xBE\xB5\xE3\xA1\xA3", true, true),
            // One byte of Latin-1 in a text in UTF-8.
            (b"\xC3\xA9 \xC3\xA9 \xC3\xA9 http://a.example/caf\xE9 \xC3\xA9", true, true),
            (b"<http://a.example/b>\xE9", false, false),
        ];
        for &(text, follows, cuts) in table {
            let found = Scanner::new().find(text).unwrap();
            assert_eq!(found.is_before_byte(), follows, "{}", text.escape_ascii());
            assert_eq!(follows && found.is_cut_by_byte(), cuts, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn the_confidence_is_the_probability_of_the_reading() {
        let table = [
            ("http://a.example/b\n", None),
            ("<http://a.example/\nb.html>", None),
            ("The list of http://www.example.org/archive/of/the/list/about/old\n/computers and manuals\n", Some(87)),
            // One sign is enough.
            ("(http://a.example/b/\nc.html)", Some(98)),
            // The probability is above 99.5 %.
            ("http://www.example.org/archive/of/the/list/about/old/computers-\nand/manuals.html\n", Some(99)),
        ];
        for (text, want) in table {
            assert_eq!(Scanner::new().find(text).unwrap().confidence(), want, "{text:?}");
        }
    }
}
