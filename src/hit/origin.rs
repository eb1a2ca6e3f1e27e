//! The location of a hit or a reject (RULES.md, section 5).

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::owned::MessageInfo;
use super::{Gaps, Lines};
use crate::mail::{self, HtmlPlace, Map, Section, Tag};
use crate::source::Input;

/// The location of a hit or a reject: its file, message, part and bytes.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Event, Extractor};
///
/// let message = "Message-ID: <1@example.org>\nX-Home: http://www.example.org/\n\n";
/// let _ = Extractor::new().message_into(message, &mut |event: Event<'_>| {
///     if let Event::Hit(hit) = event {
///         let origin = hit.origin();
///         assert_eq!((origin.message_id(), origin.header()), (Some(&b"1@example.org"[..]), Some(&b"X-Home"[..])));
///         assert_eq!((origin.line(), origin.offset(), origin.length()), (Some(2), 36, 23));
///     }
///     ControlFlow::Continue(())
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    pub(crate) in_message: &'a MessageContext<'a>,
    pub(crate) in_region: &'a RegionContext<'a>,
    pub(crate) link: &'a Link<'a>,
    /// The range of the URL in the scanned text.
    pub(crate) span: (usize, usize),
    /// The range of the URL in the message. Computed on demand, because the position of a URL is often not printed.
    pub(crate) bytes: &'a OnceCell<Range<usize>>,
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
}

/// The values that only a hit of the form `href` has. A hit has the form `href` if the URL is in an HTML attribute or a
/// `style` element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    /// The visible text of the link, if this text is a single word. Otherwise empty.
    pub(crate) word: &'a [u8],
    /// The offset in the scanned text at which the opening tag of the link ends and the visible text begins.
    pub(crate) from: Option<usize>,
    pub(crate) tag: Option<Tag>,
    /// The place in the HTML that keeps browsers from following the link, such as a conditional comment.
    pub(crate) place: Option<HtmlPlace>,
}

impl Link<'_> {
    /// The value for a hit that does not have the form `href`.
    pub(crate) const NONE: &'static Link<'static> = &Link { word: b"", from: None, tag: None, place: None };
}

impl<'a> RegionContext<'a> {
    /// Makes the context for a text in the body of a message.
    pub(crate) fn new(part: &'a Section, text: &'a [u8], map: &'a Map<'a>, raw: (usize, usize)) -> Self {
        let (header, media, restored) = (None, &b""[..], None);
        RegionContext { part, header, media, text, map, raw, recovered: false, defanged: false, restored }
    }
}

impl<'a> Origin<'a> {
    fn bytes(&self) -> &Range<usize> {
        self.bytes.get_or_init(|| self.raw(self.span.0..self.span.1))
    }

    /// Returns the offset in the message of the part or header field that contains the URL.
    pub(crate) fn region(&self) -> usize {
        self.in_region.raw.0
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

    /// Returns the path of the file, or `-` for standard input. For a stream with a [name](crate::Hits::name), returns
    /// the name. `None` if the caller passed a message in memory.
    pub fn file(&self) -> Option<&'a Path> {
        self.in_message.file.map(|file| file.name())
    }

    /// Returns the name of the archive member, if [`file`](Self::file) is a tar or zip archive. For an Outlook mailbox
    /// (`.pst`, `.ost`), returns the name of the folder. `None` for all other files.
    ///
    /// If the archive contains another archive, such as `inner.zip`, a member of the inner archive has a name such as
    /// `inner.zip!a.txt`. Offsets and lines are counted from the start of the member.
    pub fn member(&self) -> Option<&'a [u8]> {
        self.in_message.file.and_then(|file| file.member())
    }

    /// Returns the number of the message in its file, from 1. Returns `None` if the URL is not in a message, or the
    /// message was passed in memory. Also returns `None` if messages are not counted: see
    /// [`Extractor::set`](crate::Extractor::set).
    pub fn message(&self) -> Option<u64> {
        (self.in_message.message.number > 0).then_some(self.in_message.message.number)
    }

    /// Returns the Message-ID without its brackets. `None` if the Message-ID is missing or empty. The first call for a
    /// message reads the headers.
    pub fn message_id(&self) -> Option<&'a [u8]> {
        let message = self.in_message.message;
        message.id.get_or_init(|| message.header_index().message_id(message.headers).map(Cow::into_owned)).as_deref()
    }

    /// Returns the date of the message in UTC, in the format of RFC 3339. See [`timestamp`](Self::timestamp). The first
    /// call for a message reads the headers.
    pub fn date(&self) -> Option<&'a str> {
        let message = self.in_message.message;
        message.date.get_or_init(|| mail::rfc3339(message.seconds()?)).as_deref()
    }

    /// Returns the date of the message in seconds since 1970-01-01, UTC.
    ///
    /// The date is read from the first Date field, in the format of RFC 5322, RFC 850, asctime or RFC 3339. A time with
    /// a missing or unknown zone is read as UTC.
    ///
    /// Returns `None` outside messages. Also returns `None` if the Date field is missing or cannot be parsed. The date
    /// 1970-01-01 00:00:00 UTC and earlier dates also give `None`, because such dates come from clocks that were not
    /// set. The first call for a message reads the headers.
    pub fn timestamp(&self) -> Option<i64> {
        self.in_message.message.seconds()
    }

    /// Returns the value of the Newsgroups field, unfolded. `None` if the field is missing or empty.
    pub fn newsgroups(&self) -> Option<&'a [u8]> {
        let message = self.in_message.message;
        message
            .newsgroups
            .get_or_init(|| message.header_index().newsgroups(message.headers).map(Cow::into_owned))
            .as_deref()
    }

    /// Returns the text between the brackets of the List-Id field (RFC 2919). If the field has no brackets, returns the
    /// whole value. `None` if the field is missing or empty.
    pub fn list_id(&self) -> Option<&'a [u8]> {
        let message = self.in_message.message;
        message.list_id.get_or_init(|| message.header_index().list_id(message.headers).map(Cow::into_owned)).as_deref()
    }

    /// Returns the Subject field, unfolded. Encoded words (RFC 2047) are decoded, and invalid UTF-8 is replaced. `None`
    /// if the field is missing or empty.
    pub fn subject(&self) -> Option<&'a str> {
        let message = self.in_message.message;
        message.decoded(&message.subject, |index| index.subject(message.headers))
    }

    /// Returns the From field, such as `Ann <a@b.example>`. The field is decoded in the same way as
    /// [`subject`](Self::subject).
    pub fn from_field(&self) -> Option<&'a str> {
        let message = self.in_message.message;
        message.decoded(&message.from, |index| index.from(message.headers))
    }

    /// Returns the byte range of the message in the file, as stored. The range contains the headers, a blank line and
    /// the body. An envelope line before the headers is not included. In an archive, the offsets count from the start
    /// of the archive member. In a compressed file, the offsets are offsets in the decompressed data.
    ///
    /// Returns `None` outside messages. If a message is larger than the option `max-message`, only its
    /// beginning is searched as a message. For a URL in the beginning, returns the range of the beginning. For a URL in
    /// the rest of the message, returns `None`.
    pub fn message_range(&self) -> Option<Range<u64>> {
        self.in_message.message_range()
    }

    /// Returns the IMAP section number of the MIME part, such as `1.2`. For the headers of the message itself, the
    /// number is empty.
    pub fn part(&self) -> &'a Section {
        self.in_region.part
    }

    /// Returns the name of the header field that contains the URL, as written in the message. `None` if the URL is not
    /// in a header field.
    pub fn header(&self) -> Option<&'a [u8]> {
        self.in_region.header
    }

    /// Returns the name of the HTML element that contains the URL, such as `a` or `img`, in lower case. A long name is
    /// truncated to 64 bytes. `None` if the form is not [`Href`](crate::Form::Href). Allocates only for a name that has
    /// upper-case letters or is not UTF-8.
    pub fn element(&self) -> Option<Cow<'a, str>> {
        self.link.tag.map(|tag| tag.element_name(self.in_region.text))
    }

    /// Returns the name of the HTML attribute that contains the URL, such as `href` or `style`, in lower case. `None`
    /// if the form is not [`Href`](crate::Form::Href), or if the URL is in the content of a `style` element.
    pub fn attribute(&self) -> Option<&'static str> {
        self.link.tag.map(|tag| tag.attribute).filter(|name| !name.is_empty())
    }

    /// Returns the place in the HTML that keeps browsers from following the link, such as a conditional comment
    /// (`<!--[if mso]>`). `None` if the URL is not in such a place.
    pub fn html_place(&self) -> Option<HtmlPlace> {
        self.link.place
    }

    /// Returns the byte offset of the URL in the file, from 0. For a compressed file, this is the offset in the
    /// decompressed data.
    pub fn offset(&self) -> u64 {
        self.in_message.base + self.bytes().start as u64
    }

    /// Returns the length of the URL in bytes, as stored. The length includes line breaks and encodings inside the URL.
    pub fn length(&self) -> u64 {
        self.bytes().len() as u64
    }

    /// Returns whether [`offset`](Self::offset) and [`length`](Self::length) describe the URL itself. If this method
    /// returns `false`, `offset` and `length` describe the whole MIME part or header field that contains the URL.
    pub fn is_exact(&self) -> bool {
        self.in_region.map.exact()
    }

    /// Returns the text that contains the URL, and the range of the URL in that text. Use the text to show the context
    /// of the URL.
    ///
    /// The text is the value of a header field, a text part, or a section of a text part. Transfer encodings are
    /// decoded. If the URL [was defanged](Self::is_defanged), all defanged URLs in the text are restored.
    ///
    /// For a URL in the visible text of an HTML part, this method returns at most about 256 KiB of the visible text.
    /// Inline tags are removed, `br` becomes a line break, and any other tag becomes a blank line. For a URL in an
    /// attribute or a style sheet, this method returns the HTML source of the whole part.
    pub fn text(&self) -> (&'a [u8], Range<usize>) {
        (self.in_region.text, self.span.0..self.span.1)
    }

    /// Returns the line number of [`offset`](Self::offset), from 1. `None` if lines are not counted.
    pub fn line(&self) -> Option<u64> {
        self.in_message.lines.map(|lines| lines.at(self.offset()))
    }

    /// Returns whether the URL was defanged (`hxxp://evil[.]example/`) and has been restored.
    pub fn is_defanged(&self) -> bool {
        self.in_region.defanged
    }

    /// Returns whether MIME errors had to be repaired to find the URL. An example is quoted-printable text in a part
    /// without a Content-Transfer-Encoding field.
    pub fn is_recovered(&self) -> bool {
        self.in_region.recovered
    }
}

/// The number and the headers of a message, which all hits of the message share. Most values that are read from the
/// headers are stored for the next hit.
#[derive(Debug, Default)]
pub(crate) struct MessageFacts<'a> {
    headers: &'a [u8],
    number: u64,
    index: OnceCell<mail::HeaderIndex>,
    id: OnceCell<Option<Vec<u8>>>,
    seconds: OnceCell<Option<i64>>,
    date: OnceCell<Option<String>>,
    newsgroups: OnceCell<Option<Vec<u8>>>,
    list_id: OnceCell<Option<Vec<u8>>>,
    /// The decoded Subject and From fields. A decoded field is stored here only if it differs from the undecoded field.
    /// Otherwise, each call reads the field from `headers`.
    subject: OnceCell<String>,
    from: OnceCell<String>,
    info: OnceCell<Arc<MessageInfo>>,
    /// The section number of the MIME part that contains the previous owned hit.
    part: RefCell<Option<Arc<Section>>>,
}

impl<'a> MessageFacts<'a> {
    /// Makes the [`MessageFacts`] of the message with the number `number`. `bytes` must begin with the headers of the
    /// message.
    pub(crate) fn new(number: u64, bytes: &'a [u8]) -> Self {
        MessageFacts { headers: bytes, number, ..MessageFacts::default() }
    }

    fn header_index(&self) -> &mail::HeaderIndex {
        self.index.get_or_init(|| mail::HeaderIndex::of(self.headers))
    }

    /// Returns the decoded value of the field that `find` returns. If decoding has changed the value, stores the
    /// decoded value in `kept`.
    fn decoded<'m>(
        &'m self,
        kept: &'m OnceCell<String>,
        find: impl FnOnce(&mail::HeaderIndex) -> Option<Cow<'m, [u8]>>,
    ) -> Option<&'m str> {
        if let Some(kept) = kept.get() {
            return Some(kept);
        }
        match mail::decode_value(find(self.header_index())?) {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(text) => Some(kept.get_or_init(|| text)),
        }
    }

    /// Returns the data that all owned hits of the message share. `range` is the range of the message in `file`.
    pub(crate) fn info(&self, file: Option<&Arc<Input>>, range: Option<Range<u64>>) -> &Arc<MessageInfo> {
        self.info.get_or_init(|| {
            let (index, headers) = (self.header_index(), self.headers);
            let fields = [
                index.message_id(headers),
                index.newsgroups(headers),
                index.list_id(headers),
                index.subject(headers),
                index.from(headers),
            ];
            Arc::new(MessageInfo::new(file.cloned(), self.number, range, self.seconds(), fields))
        })
    }

    /// Returns a reference-counted copy of `part`. To save memory, successive owned hits in the same part get the same
    /// copy.
    pub(super) fn shared_part(&self, part: &Section) -> Arc<Section> {
        let mut last = self.part.borrow_mut();
        match &*last {
            Some(last) if **last == *part => Arc::clone(last),
            _ => Arc::clone(last.insert(Arc::new(part.clone()))),
        }
    }

    fn seconds(&self) -> Option<i64> {
        *self.seconds.get_or_init(|| mail::seconds(&self.header_index().date(self.headers)?))
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
            ("http://b/", Some("a"), Some("href")),
            ("http://d.e/", Some("img"), Some("src")),
            ("http://c/", None, None),
            ("http://h/%20i", Some("a"), Some("href")),
            ("http://f.g/", None, None),
            ("http://j/", Some("style"), None),
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
                    let (text, range) = hit.origin().text();
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
            ("Received: from a; Fri, 19 Nov 1982 16:14:55 -0500\n", None),
        ];
        for (field, want) in table {
            let message = format!("Subject: x\n{field}\nhttp://a/\n");
            let hits = Extractor::new().message(&message);
            let got: Vec<_> = hits.iter().map(|hit| hit.timestamp().zip(hit.date())).collect();
            assert_eq!(got, [want.map(|(seconds, text)| (seconds, text.to_owned()))], "{field}");
        }
    }
}
