//! The location of a hit or a reject (RULES.md, section 5).

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::kept::Kept;
use super::message::{KeptMessage, MessageFacts};
use super::{Gaps, Lines};
use crate::mail::{HtmlPlace, Link, Map, Section};
use crate::scan::{Candidate, Elsewhere, Form};
use crate::source::Input;
use crate::url::Url;
use crate::zone::{Zone, Zones};

/// The location of a hit or a reject: its file, message, part and bytes. [`Hit`](crate::Hit) and
/// [`Reject`](crate::Reject) have all methods of their location.
///
/// ```
/// use urlspool::Extractor;
///
/// let message = "Message-ID: <1@example.org>\nX-Home: http://www.example.org/\n\n";
/// let hit = &Extractor::new().message(message)[0];
/// assert_eq!((hit.message_id(), hit.header()), (Some(&b"1@example.org"[..]), Some(&b"X-Home"[..])));
/// assert_eq!((hit.line(), hit.offset(), hit.length()), (2, 36, 23));
/// ```
#[derive(Clone, Debug)]
pub struct Location<'m>(pub(super) Place<'m>);

#[derive(Clone, Debug)]
pub(super) enum Place<'m> {
    Seen(Seen<'m>),
    Kept(Arc<Kept>),
}

/// The data of a hit or a reject that borrows from the input.
#[derive(Clone, Debug)]
pub(super) struct Seen<'m> {
    in_message: &'m MessageContext<'m>,
    pub(super) in_region: &'m RegionContext<'m>,
    pub(super) link: &'m Link<'m>,
    pub(super) candidate: &'m Candidate<'m>,
    /// The URL of a hit. Without meaning in a reject.
    pub(super) url: &'m Url<'m>,
    /// The range of the URL in the scanned text.
    span: (usize, usize),
    /// The range of the URL in the message. Computed on demand, because the position of a URL is often not printed.
    bytes: OnceLock<Range<usize>>,
}

/// The values that all hits of a message share. Text outside messages is searched block by block, and the hits in one
/// block share these values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageContext<'a> {
    pub(crate) file: Option<&'a Arc<Input>>,
    pub(crate) message: &'a MessageFacts<'a>,
    /// Finds the line numbers of offsets. `None` if lines are not counted.
    pub(crate) lines: Option<&'a Lines<'a>>,
    /// The offset of the message in its file.
    pub(crate) base: u64,
    /// The bytes that were removed from the message before the search, because the mailbox format had added them.
    pub(crate) gaps: Option<&'a Gaps>,
    /// The length of the stored message in bytes. `None` for text outside messages.
    pub(crate) length: Option<u64>,
    /// If the file was not read to its end, and more of the message may follow: the number of bytes that were searched,
    /// without white space at the end.
    pub(crate) cut: Option<usize>,
    /// The text of the whole message. If a URL may continue on the next line, the scanner checks whether the URL occurs
    /// elsewhere in this text, with or without the continuation. `None` for text outside messages.
    pub(crate) elsewhere: Option<Elsewhere<'a>>,
}

impl MessageContext<'_> {
    pub(super) fn message_range(&self) -> Option<Range<u64>> {
        self.length.map(|length| self.base..self.base + length)
    }
}

/// The values that all hits in one scanned text share. The scanned text is a header field, a MIME part, or a section of
/// a MIME part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionContext<'a> {
    /// The number of the region of the message, from 1. 0 outside messages.
    pub(crate) number: usize,
    pub(crate) part: &'a Section,
    pub(crate) header: Option<&'a [u8]>,
    /// The Content-Type of the part. Empty if the part has no Content-Type.
    pub(crate) media: &'a [u8],
    /// The scanned text: the part or header field after its encodings were decoded.
    pub(crate) text: &'a [u8],
    /// Maps offsets in `text` to offsets in the message.
    pub(crate) map: &'a Map<'a>,
    /// The range of the message from which the text was decoded. If `map` is not exact, all hits in the text have this
    /// range as their location.
    pub(crate) raw: (usize, usize),
    pub(crate) recovered: bool,
    pub(crate) defanged: bool,
    /// If defanged URLs were restored in `text`, maps offsets in `text` to offsets in the text before the restoration.
    pub(crate) restored: Option<&'a Map<'a>>,
    /// The zones of the text of the part.
    pub(crate) zones: &'a Zones<'a>,
    /// If the text is a paragraph of HTML, maps its offsets to offsets in the HTML.
    pub(crate) in_html: Option<&'a Map<'a>>,
}

impl<'a> RegionContext<'a> {
    /// Makes the context for a text in the body of a message.
    pub(crate) fn new(part: &'a Section, map: &'a Map<'a>, raw: (usize, usize), zones: &'a Zones<'a>) -> Self {
        let (header, media, text, restored, in_html) = (None, &b""[..], zones.text(), None, None);
        let (recovered, defanged) = (false, false);
        let number = 0;
        RegionContext { number, part, header, media, text, map, raw, recovered, defanged, restored, zones, in_html }
    }
}

impl Seen<'_> {
    #[inline]
    fn bytes(&self) -> Range<usize> {
        self.bytes.get_or_init(|| self.raw(self.span.0..self.span.1)).clone()
    }

    /// Converts the range `text` of the scanned text to a range of the stored message.
    fn raw(&self, text: Range<usize>) -> Range<usize> {
        let RegionContext { map, raw, .. } = self.in_region;
        let bytes = if map.exact() { map.raw(text) } else { raw.0..raw.1 };
        match self.in_message.gaps {
            None => bytes,
            Some(gaps) => gaps.around(bytes),
        }
    }

    /// Converts the range `text` of the scanned text to a range of the file.
    pub(super) fn stored(&self, text: Range<usize>) -> Range<u64> {
        let bytes = self.raw(text);
        self.in_message.base + bytes.start as u64..self.in_message.base + bytes.end as u64
    }

    /// Returns the offset of the URL in the text of the part.
    fn at(&self) -> usize {
        let RegionContext { restored, in_html, .. } = self.in_region;
        match self.is_attribute() {
            true => self.span.0,
            false => [restored, in_html].into_iter().flatten().fold(self.span.0, |at, map| map.raw(at..at).start),
        }
    }

    /// Whether the file could not be read beyond the URL, so that the end of the URL may be missing. A URL at the end
    /// of a line may continue on the next line.
    pub(super) fn is_cut(&self) -> bool {
        /// The maximum number of bytes after the URL. A limit keeps the time linear.
        const NEAR: usize = 1 << 10;
        let RegionContext { text, raw, .. } = self.in_region;
        let rest = &text[self.span.1..];
        if rest.len() > NEAR || self.in_message.cut.is_none_or(|end| raw.1 < end) {
            return false;
        }
        let (ends, lines): (&[u8], _) = if self.is_attribute() { (b"'\">", usize::MAX) } else { (b" \t<>\"", 1) };
        let mut rest = rest.split(|&byte| byte == b'\n');
        let is_open = |line: &[u8]| !line.trim_ascii_end().iter().any(|byte| ends.contains(byte));
        rest.next().is_none_or(is_open) && rest.nth(lines).is_none()
    }

    fn is_attribute(&self) -> bool {
        self.candidate.form() == Form::Href
    }

    fn zone(&self) -> Zone {
        self.in_region.zones.at(self.at(), self.is_attribute(), || self.quote_depth() > 0)
    }

    pub(super) fn quote_depth(&self) -> usize {
        let zones = self.in_region.zones;
        let marks = if self.is_attribute() { 0 } else { self.candidate.quote_marks(zones.has_lines()) };
        marks + zones.quoting_elements(self.at())
    }

    /// Returns whether the ranges of the candidate are ranges of the scanned text. Returns `false` for a defanged URL
    /// and for a URL in an HTML attribute. Such a URL was found in a changed copy of the text, for example in the
    /// decoded attribute.
    pub(super) fn is_unchanged(&self) -> bool {
        !self.in_region.defanged && self.candidate.span() == (self.span.0..self.span.1)
    }

    /// Returns the data of the message, for an owned hit.
    pub(super) fn kept_message(&self) -> Arc<KeptMessage> {
        Arc::clone(self.in_message.message.kept(self.in_message.file, self.in_message.message_range()))
    }

    pub(super) fn shared_part(&self) -> Arc<Section> {
        self.in_message.message.shared_part(self.in_region.part)
    }
}

impl<'m> Location<'m> {
    #[inline(always)]
    pub(crate) fn new(
        in_message: &'m MessageContext<'m>,
        in_region: &'m RegionContext<'m>,
        link: &'m Link<'m>,
        candidate: &'m Candidate<'m>,
        url: &'m Url<'m>,
        span: Range<usize>,
    ) -> Location<'m> {
        let span = (span.start, span.end);
        Location(Place::Seen(Seen { in_message, in_region, link, candidate, url, span, bytes: OnceLock::new() }))
    }

    /// Returns a value of the search, or the same value of an owned hit.
    #[inline(always)]
    pub(super) fn pick<'s, T>(&'s self, seen: impl FnOnce(&'s Seen<'m>) -> T, kept: impl FnOnce(&'s Kept) -> T) -> T {
        match &self.0 {
            Place::Seen(place) => seen(place),
            Place::Kept(place) => kept(place),
        }
    }

    /// Returns the candidate, the scanned text and the message that contain it, and its HTML element. `None` for an
    /// owned hit.
    pub(crate) fn scanned(&self) -> Option<(&Candidate<'_>, &RegionContext<'_>, &MessageContext<'_>, &Link<'_>)> {
        let Place::Seen(seen) = &self.0 else { return None };
        Some((seen.candidate, seen.in_region, seen.in_message, seen.link))
    }

    #[inline]
    pub(super) fn facts(&self) -> &MessageFacts<'_> {
        self.pick(|seen| seen.in_message.message, |kept| &kept.message.facts)
    }

    /// Returns how the text marks the URL, for example with `<URL:` and `>`.
    #[inline]
    #[must_use]
    pub fn form(&self) -> Form {
        self.pick(|seen| seen.candidate.form(), |kept| kept.form)
    }

    /// Returns the file, with its format and compression. `None` if the caller passed a message in memory.
    #[inline]
    #[must_use]
    pub fn input(&self) -> Option<&Input> {
        self.pick(|seen| seen.in_message.file.map(|file| &**file), |kept| kept.message.input())
    }

    /// Returns the path of the file, or `-` for standard input. For a stream with a [name](crate::Hits::name), returns
    /// the name. The path is empty if the caller passed a message in memory.
    #[inline]
    #[must_use]
    pub fn file(&self) -> &Path {
        self.input().map_or(Path::new(""), Input::name)
    }

    /// Returns the name of the archive member, if [`file`](Self::file) is a tar or zip archive. For an Outlook mailbox
    /// (`.pst`, `.ost`), returns the name of the folder. `None` for all other files.
    ///
    /// If the archive contains another archive, such as `inner.zip`, a member of the inner archive has a name such as
    /// `inner.zip!a.txt`. Offsets and lines are counted from the start of the member.
    #[inline]
    #[must_use]
    pub fn member(&self) -> Option<&[u8]> {
        self.input().and_then(Input::member)
    }

    /// Returns the number of the message in its file, from 1. Returns `None` if the URL is not in a message, or the
    /// message was passed in memory. Also returns `None` if messages are not counted: see
    /// [`Extractor::set`](crate::Extractor::set).
    #[inline]
    #[must_use]
    pub fn message(&self) -> Option<u64> {
        self.facts().number()
    }

    /// Returns the Message-ID without its brackets. `None` if the Message-ID is missing or empty. The first call for a
    /// message reads the headers.
    #[inline]
    #[must_use]
    pub fn message_id(&self) -> Option<&[u8]> {
        self.facts().id()
    }

    /// Returns the date of the message in UTC, in the format of RFC 3339. See [`timestamp`](Self::timestamp). The first
    /// call for a message reads the headers.
    #[inline]
    #[must_use]
    pub fn date(&self) -> Option<&str> {
        self.facts().date()
    }

    /// Returns the date of the message in seconds since 1970-01-01, UTC.
    ///
    /// The date is read from the first Date field, in the format of RFC 5322, RFC 850, asctime or RFC 3339. A time with
    /// a missing or unknown zone is read as UTC.
    ///
    /// Returns `None` outside messages. Also returns `None` if the Date field is missing or cannot be parsed. The date
    /// 1970-01-01 00:00:00 UTC and earlier dates also give `None`, because such dates come from clocks that were not
    /// set. The first call for a message reads the headers.
    #[inline]
    #[must_use]
    pub fn timestamp(&self) -> Option<i64> {
        self.facts().seconds()
    }

    /// Returns the value of the Newsgroups field, unfolded. `None` if the field is missing or empty.
    #[inline]
    #[must_use]
    pub fn newsgroups(&self) -> Option<&[u8]> {
        self.facts().newsgroups()
    }

    /// Returns the text between the brackets of the List-Id field (RFC 2919). If the field has no brackets, returns the
    /// whole value. `None` if the field is missing or empty.
    #[inline]
    #[must_use]
    pub fn list_id(&self) -> Option<&[u8]> {
        self.facts().list_id()
    }

    /// Returns the Subject field, unfolded. Encoded words (RFC 2047) are decoded, and invalid UTF-8 is replaced. `None`
    /// if the field is missing or empty.
    #[inline]
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.facts().subject()
    }

    /// Returns the From field, such as `Ann <a@b.example>`. The field is decoded in the same way as
    /// [`subject`](Self::subject).
    #[inline]
    #[must_use]
    pub fn from(&self) -> Option<&str> {
        self.facts().from()
    }

    /// Returns the byte range of the message in the file, as stored. The range contains the headers, a blank line and
    /// the body. An envelope line before the headers is not included. In an archive, the offsets count from the start
    /// of the archive member. In a compressed file, the offsets are offsets in the decompressed data.
    ///
    /// Returns `None` outside messages. If a message is larger than the option `max-message`, only its
    /// beginning is searched as a message. For a URL in the beginning, returns the range of the beginning. For a URL in
    /// the rest of the message, returns `None`.
    #[inline]
    #[must_use]
    pub fn message_range(&self) -> Option<Range<u64>> {
        self.pick(|seen| seen.in_message.message_range(), |kept| kept.message.range.clone())
    }

    /// Returns the section number of the MIME part as in IMAP (RFC 3501, section 6.4.5), such as `1.2`.
    ///
    /// The section number is empty for the headers of the message itself, and for the preamble and epilogue of a
    /// top-level multipart. If part `2` is an attached message, the headers of the attached message have the number
    /// `2`. The body of the attached message has the number `2.1`. If this body is a multipart, its parts have the
    /// numbers `2.1`, `2.2` and so on.
    #[must_use]
    pub fn part(&self) -> String {
        self.section().to_string()
    }

    #[inline]
    pub(super) fn section(&self) -> &Section {
        self.pick(|seen| seen.in_region.part, |kept| &kept.part)
    }

    pub(super) fn attachment(&self) -> Option<&[u8]> {
        self.section().attachment()
    }

    /// Returns the name of the header field that contains the URL, as written in the message. `None` if the URL is not
    /// in a header field.
    #[inline]
    #[must_use]
    pub fn header(&self) -> Option<&[u8]> {
        self.pick(|seen| seen.in_region.header, |kept| kept.header.as_deref())
    }

    /// Returns the name of the HTML element that contains the URL, such as `a` or `img`, in lower case. A long name is
    /// truncated to 64 bytes. `None` if the form is not [`Href`](crate::Form::Href). Allocates only for a name that has
    /// upper-case letters or is not UTF-8.
    #[inline]
    #[must_use]
    pub fn element(&self) -> Option<Cow<'_, str>> {
        self.pick(
            |seen| seen.link.tag.map(|tag| tag.element_name(seen.in_region.text)),
            |kept| kept.element.as_deref().map(Cow::Borrowed),
        )
    }

    /// Returns the name of the HTML attribute that contains the URL, such as `href` or `style`, in lower case. `None`
    /// if the form is not [`Href`](crate::Form::Href), or if the URL is in the content of a `style` element.
    #[inline]
    #[must_use]
    pub fn attribute(&self) -> Option<&'static str> {
        self.pick(|seen| seen.link.tag.map(|tag| tag.attribute).filter(|name| !name.is_empty()), |kept| kept.attribute)
    }

    /// Returns the place in the HTML that keeps browsers from following the link, such as `conditional-comment` for
    /// `<!--[if mso]>`. The row `html_place` of [`FIELDS`](crate::fields::FIELDS) lists the places. `None` if the URL is
    /// not in such a place.
    #[inline]
    #[must_use]
    pub fn html_place(&self) -> Option<&'static str> {
        self.place().map(HtmlPlace::as_str)
    }

    /// Returns the zone of the message that contains the URL, such as `quote`. The row `zone` of
    /// [`FIELDS`](crate::fields::FIELDS) lists the zones. `None` for an owned hit, if the option `zone` was not set. The
    /// first call for a part reads all text of the part.
    #[inline]
    #[must_use]
    pub fn zone(&self) -> Option<&'static str> {
        self.in_zone().map(Zone::as_str)
    }

    pub(crate) fn in_zone(&self) -> Option<Zone> {
        self.pick(|seen| Some(seen.zone()), |kept| kept.zone)
    }

    /// Returns the zone if an owned hit has it.
    pub(super) fn kept_zone(&self) -> Option<Zone> {
        self.pick(|seen| seen.in_region.zones.is_kept.then(|| seen.zone()), |kept| kept.zone)
    }

    #[inline]
    pub(crate) fn place(&self) -> Option<HtmlPlace> {
        self.pick(|seen| seen.link.place, |kept| kept.html_place)
    }

    /// Returns the byte offset of the URL in the file, from 0. For a compressed file, this is the offset in the
    /// decompressed data.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.pick(|seen| seen.in_message.base + seen.bytes().start as u64, |kept| kept.offset)
    }

    /// Returns the length of the URL in bytes, as stored. The length includes line breaks and encodings inside the URL.
    #[inline]
    #[must_use]
    pub fn length(&self) -> u64 {
        self.pick(|seen| seen.bytes().len() as u64, |kept| kept.length)
    }

    /// Returns whether [`offset`](Self::offset) and [`length`](Self::length) describe the URL itself. If this method
    /// returns `false`, `offset` and `length` describe the whole MIME part or header field that contains the URL.
    #[inline]
    #[must_use]
    pub fn exact(&self) -> bool {
        self.pick(|seen| seen.in_region.map.exact(), |kept| kept.exact)
    }

    /// Returns the line number of [`offset`](Self::offset), from 1. If [lines are not
    /// counted](crate::OPTIONS), the number is 0.
    #[inline]
    #[must_use]
    pub fn line(&self) -> u64 {
        self.pick(|seen| seen.in_message.lines.map_or(0, |lines| lines.at(self.offset())), |kept| kept.line)
    }

    /// Returns whether the URL was defanged (`hxxp://evil[.]example/`) and has been restored.
    #[inline]
    #[must_use]
    pub fn defanged(&self) -> bool {
        self.pick(|seen| seen.in_region.defanged, |kept| kept.defanged)
    }

    /// Returns whether MIME errors had to be repaired to find the URL. An example is quoted-printable text in a part
    /// without a Content-Transfer-Encoding field.
    #[inline]
    #[must_use]
    pub fn recovered(&self) -> bool {
        self.pick(|seen| seen.in_region.recovered, |kept| kept.recovered)
    }

    /// Returns the length of the URL, which can be much shorter than its range in the text. 0 for an owned hit.
    pub(super) fn url_length(&self) -> usize {
        self.pick(|seen| seen.candidate.text().len(), |_| 0)
    }

    /// Returns the text that contains the URL, and the range of the URL in that text. Use the text to show the context
    /// of the URL. `None` for an owned hit.
    ///
    /// The text is the value of a header field, a text part, or a section of a text part. Transfer encodings are
    /// decoded. If the URL [was defanged](Self::defanged), all defanged URLs in the text are restored.
    ///
    /// For a URL in the visible text of an HTML part, this method returns at most about 256 KiB of the visible text.
    /// Inline tags are removed, `br` becomes a line break, and any other tag becomes a blank line. For a URL in an
    /// attribute or a style sheet, this method returns the HTML source of the whole part. The field `context` has a few
    /// lines of this text.
    #[inline]
    #[must_use]
    pub fn context(&self) -> Option<(&[u8], Range<usize>)> {
        self.pick(|seen| Some((seen.in_region.text, seen.span.0..seen.span.1)), |_| None)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use crate::event::Event;
    use crate::extract::Extractor;

    #[test]
    fn elements_and_attributes_of_hits() {
        let message = "Subject: http://a/\nContent-Type: text/html\n\n<A HREF='http://b/'>http://c/</A>\n\
            <img src='hxxp://d[.]e/'> http://f[.]g/ <a href='http:\\\\h/ i'> <style>url(http://j/)</style>";
        let hits = Extractor::new().set("defanged", "true").expect("a flag").message(message);
        let seen: Vec<_> = hits.iter().map(|hit| (hit.url().as_str(), hit.element(), hit.attribute())).collect();
        let want = [
            ("http://a/", None, None),
            ("http://b/", Some("a".into()), Some("href")),
            ("http://d.e/", Some("img".into()), Some("src")),
            ("http://c/", None, None),
            ("http://h/%20i", Some("a".into()), Some("href")),
            ("http://f.g/", None, None),
            ("http://j/", Some("style".into()), None),
        ];
        assert_eq!(seen, want);
    }

    #[test]
    fn all_defanged_urls_in_the_text_are_restored() {
        let message = b"Subject: x\n\nhxxp://a[.]example/ http://b.example/ hxxp://c[.]example/\n";
        let mut texts = Vec::new();
        let _ =
            Extractor::new().set("defanged", "true").expect("a flag").message_into(message, &mut |event: Event<'_>| {
                if let Event::Hit(hit) = event {
                    let (text, range) = hit.context().expect("a borrowed hit");
                    assert_eq!(&text[range], hit.url().as_str().as_bytes());
                    texts.push(text.to_vec());
                }
                ControlFlow::Continue(())
            });
        assert_eq!(texts, [&b"http://a.example/ http://b.example/ http://c.example/\n"[..]; 3]);
    }

    #[test]
    fn dates_are_converted_to_seconds() {
        let old = Some((406_588_495, "1982-11-19T21:14:55Z"));
        let table = [
            ("Date: Fri, 19 Nov 1982 16:14:55 -0500\n", old),
            ("date: Friday, 19-Nov-82\n 16:14:55 EST\nDate: Thu, 1 Jan 1998 00:00:00 +0000\n", old),
            ("Date: 1982-11-19T22:14:55+01:00\n", old),
            ("Date: Fri, 19 Nov 1982 21:14:55 Q\n", old),
            ("Date: Thu, 1 Jan 1970 00:00:01 +0000\n", Some((1, "1970-01-01T00:00:01Z"))),
            ("Date: Thu, 1 Jan 1970 00:00:00 +0000\n", None),
            ("Date: Fri, 1 Jan 2100 00:00:00 +0000\n", Some((4_102_444_800, "2100-01-01T00:00:00Z"))),
            ("Date: some day\n", None),
            ("Received: from a; Fri, 19 Nov 1982 16:14:55 -0500\n", old),
        ];
        for (field, want) in table {
            let message = format!("Subject: x\n{field}\nhttp://a/\n");
            let hits = Extractor::new().message(&message);
            let got: Vec<_> = hits.iter().map(|hit| hit.timestamp().zip(hit.date())).collect();
            assert_eq!(got, [want], "{field}");
        }
    }
}
