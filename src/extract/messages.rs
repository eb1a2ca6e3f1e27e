//! An iterator over messages, for programs that write mail archives.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::Extractor;
use super::hits::{Feed, Hits};
use super::message::page_headers;
use super::run::placed;
use crate::container::SegmentKind;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::event::{Event, Outcome, Sink};
use crate::hit::{Gaps, Hit, KeptMessage, Lines, MessageFacts};
use crate::mail::{self, Kind, Map, Region, Scratch, Section};
use crate::source::Input;
use crate::trigger::TriggerIndex;

/// An iterator over the messages of a stream, or of files and directories.
struct Messages<S: Feed> {
    hits: Hits<S>,
    /// The index of the next segment in the batch.
    next: usize,
    /// An offset in the batch and the line number at that offset. To find the line number of the next message, only the
    /// lines after this offset are counted.
    known: (usize, u64),
    errors: VecDeque<Error>,
}

#[expect(private_bounds, reason = "the trait is sealed")]
impl<S: Feed> Hits<S> {
    /// Returns an iterator over the messages instead of the hits. Each message contains its bytes, headers, parts and
    /// hits. The iterator uses one thread.
    ///
    /// The iterator skips text outside messages, and messages that the options exclude. If a message is larger than the
    /// option `max-message`, the iterator returns only the beginning of the message. An item is an error if a file
    /// cannot be opened or read to its end.
    ///
    /// ```
    /// use urlspool::Extractor;
    ///
    /// let extractor = Extractor::new().set("newsgroup", "comp.*").unwrap();
    /// for message in extractor.paths(["corpus/mbox"]).messages() {
    ///     let message = message?;
    ///     assert!(message.header("Newsgroups").is_some());
    /// }
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    pub fn messages(self) -> impl Iterator<Item = Result<Message, Error>> {
        Messages { hits: self, next: 0, known: (0, 0), errors: VecDeque::new() }
    }
}

impl<S: Feed> Iterator for Messages<S> {
    type Item = Result<Message, Error>;

    fn next(&mut self) -> Option<Result<Message, Error>> {
        loop {
            if let Some(error) = self.errors.pop_front() {
                return Some(Err(error));
            }
            if let Some(message) = self.in_batch() {
                return Some(Ok(message));
            }
            let Hits { search, from, batch, .. } = &mut self.hits;
            batch.clear();
            let event = S::next_event(from, search, batch)?;
            (self.next, self.known) = (0, (0, batch.line));
            self.errors.extend(event.errors(batch));
        }
    }
}

impl<S: Feed> Messages<S> {
    /// Returns the next message that the options do not exclude. Returns `None` at the end of the batch.
    fn in_batch(&mut self) -> Option<Message> {
        let Hits { search, batch, buffers, .. } = &mut self.hits;
        let mut worker = search.worker(buffers);
        while let Some(segment) = batch.segments.get(self.next) {
            self.next += 1;
            let (stored, input) = placed(batch, segment, None);
            if segment.kind != SegmentKind::Message || worker.outcome(segment, stored, &input) != Outcome::Read {
                continue;
            }
            let begin = batch.base + segment.starts.start as u64;
            let range = begin..begin + segment.starts.len() as u64;
            let mut cuts = Vec::new();
            batch.cuts(stored, &mut cuts);
            let (gaps, bytes) = Gaps::cut(stored, &cuts);
            let (gaps, bytes) = (gaps.unwrap_or_default(), bytes.into_owned());
            let mut found = Found::default();
            let (from, line) = self.known;
            let (before, rest) = batch.bytes().split_at(segment.range.start);
            self.known = (before.len(), line + memchr::memchr_iter(b'\n', &before[from..]).count() as u64);
            let lines = (line > 0).then(|| Lines::new(rest, batch.base + before.len() as u64, self.known.1));
            let input = super::InputContext { gaps: Some(&gaps), lines: lines.as_ref(), ..input };
            let _ = worker.message(&bytes, input, &mut found);
            found.diagnostics.extend(batch.notes.iter().filter(|note| range.contains(&note.offset())));
            let Found { hits, places, diagnostics } = found;
            let place = input.base..input.base + stored.len() as u64;
            let head = page_headers(input.file.map_or("", |file| file.media()), &bytes);
            let head = head.as_deref().unwrap_or(&bytes);
            let info = Arc::clone(
                MessageFacts::new(segment.number, head, input.envelope).kept(batch.file.as_ref(), Some(place)),
            );
            let stored = (!cuts.is_empty()).then(|| stored.to_vec());
            let (base, extractor) = (input.base, search.extractor.clone());
            return Some(Message { info, range, base, bytes, extractor, stored, gaps, hits, places, diagnostics });
        }
        None
    }
}

/// The results of the search of one message.
#[derive(Default)]
struct Found {
    hits: Vec<Hit<'static>>,
    places: Vec<InPart>,
    diagnostics: Vec<Diagnostic>,
}

/// The position of a hit. The number is the number of the region in the message, because several members of an
/// attachment have the same offset. The ranges say where the hit is in the decoded text of the part. A hit in a header
/// field or in an HTML attribute has no ranges. A defanged URL has no ranges either, because the part does not contain
/// the restored URL.
#[derive(Debug)]
struct InPart(usize, Vec<Range<usize>>);

impl Sink for Found {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) => {
                self.places.extend(hit.in_part().map(|(number, pieces)| InPart(number, pieces)));
                self.hits.push(hit.to_owned());
            }
            Event::Diagnostic { diagnostic, .. } => self.diagnostics.push(*diagnostic),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// A message with its headers, parts and hits, for a program that writes an archive.
///
/// ```
/// use urlspool::Extractor;
///
/// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: =?utf-8?q?caf=C3=A9?=\nFrom: Ann <a@b.example>\n\
///     Date: Mon, 1 Jan 2001 00:00:00 +0000\n\nSee http://www.example.org/\n";
/// for message in Extractor::new().read(&mbox[..]).messages() {
///     let message = message?;
///     assert_eq!((message.subject().as_deref(), message.timestamp()), (Some("café"), Some(978_307_200)));
///     assert_eq!((message.range(), message.hits().len()), (0..mbox.len() as u64, 1));
/// }
/// # Ok::<(), urlspool::Error>(())
/// ```
#[derive(Debug)]
pub struct Message {
    info: Arc<KeptMessage>,
    range: Range<u64>,
    /// The offset in the file at which the message begins, after the envelope line.
    base: u64,
    bytes: Vec<u8>,
    /// The options of the search. [`parts`](Self::parts) uses the same prefilter, because the prefilter can change where
    /// a malformed header block ends.
    extractor: Extractor,
    /// The bytes as stored, if they differ from `bytes`.
    stored: Option<Vec<u8>>,
    /// Converts offsets in `bytes` to offsets in the stored message.
    gaps: Gaps,
    hits: Vec<Hit<'static>>,
    places: Vec<InPart>,
    diagnostics: Vec<Diagnostic>,
}

impl Message {
    /// Returns details about the file: its format, its compression, and its name inside an archive. For a message that
    /// [`Hits::messages`] returned, the result is never `None`.
    #[must_use]
    pub fn input(&self) -> Option<&Input> {
        self.info.input()
    }

    /// Returns the number of the message in its file, counted from 1. Returns `None` if the messages of the file were
    /// not counted: see [`Extractor::set`](crate::Extractor::set).
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.info.facts().number()
    }

    /// Returns the byte range of the message in the file, with its envelope line. In a compressed file, offsets count
    /// decompressed bytes. The ranges of different messages do not overlap.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Returns the message: headers, a blank line, and the body.
    ///
    /// The envelope line of an mbox, the dot-stuffing of SMTP and NNTP, and the second header block of a Babyl file are
    /// removed. In an mbox, a line of the body can begin with `>From `. The `>` is kept, because the author may have
    /// typed it.
    ///
    /// If the message is larger than the option `max-message`, returns only its beginning, and
    /// [`diagnostics`](Self::diagnostics) contains an
    /// [`OversizeMessage`](crate::DiagnosticKind::OversizeMessage).
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the message as stored, without its envelope line. Unlike [`bytes`](Self::bytes), the result includes
    /// dot-stuffing, and the second header block of a Babyl file. If the lines of the file end in CR alone, each CR is
    /// replaced by LF in the result.
    #[must_use]
    pub fn stored(&self) -> &[u8] {
        self.stored.as_ref().unwrap_or(&self.bytes)
    }

    /// Returns the URLs in the message, in the order of their offsets. HTML is an exception: a URL in an attribute can
    /// come before a URL in earlier text.
    #[must_use]
    pub fn hits(&self) -> &[Hit<'static>] {
        &self.hits
    }

    /// Returns reports about malformed data in the message, with offsets in the file.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the name and value of each header field, in order. Names are unchanged. Values are unfolded, their
    /// encoded words (RFC 2047) are decoded, and bytes that are not valid UTF-8 are replaced. Each call reads the
    /// header block again.
    pub fn headers(&self) -> impl Iterator<Item = (Cow<'_, str>, String)> {
        mail::decoded_fields(&self.bytes)
    }

    /// Returns the value of the first field with this name, decoded as in [`headers`](Self::headers). The case of the
    /// name does not matter.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        self.headers().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the decoded Subject field. `None` if the field is missing or empty.
    #[must_use]
    pub fn subject(&self) -> Option<String> {
        self.info.facts().subject().map(str::to_owned)
    }

    /// Returns the decoded From field, such as `Ann <a@b.example>`. `None` if the field is missing or empty.
    #[must_use]
    pub fn from(&self) -> Option<String> {
        self.info.facts().from().map(str::to_owned)
    }

    /// Returns the Message-ID without its angle brackets.
    #[must_use]
    pub fn message_id(&self) -> Option<String> {
        self.info.facts().id().map(|id| String::from_utf8_lossy(id).into_owned())
    }

    /// Returns the text between the angle brackets of the List-Id field (RFC 2919). Returns the whole value if the
    /// value has no brackets.
    #[must_use]
    pub fn list_id(&self) -> Option<String> {
        self.info.facts().list_id().map(|id| String::from_utf8_lossy(id).into_owned())
    }

    /// Returns the date of the message in seconds since 1970-01-01 UTC; see
    /// [`Location::timestamp`](crate::Location::timestamp).
    #[must_use]
    pub fn timestamp(&self) -> Option<i64> {
        self.info.facts().seconds()
    }

    /// Returns the date of the message in UTC, formatted as in RFC 3339.
    #[must_use]
    pub fn date(&self) -> Option<&str> {
        self.info.facts().date()
    }

    /// Calls `visit` with each decoded text part, in order.
    ///
    /// A part with uuencoded files or a signature inside is visited as several [`Part`]s with the same section number.
    /// Text [outside the parts](Part::is_outside) is also visited. Each call decodes the parts again.
    pub fn parts(&self, mut visit: impl FnMut(&Part<'_>)) {
        let media = self.info.input().map_or("", |input| input.media());
        let mut number = 0;
        let by_region = |region: &Region<'_>| {
            number += 1;
            if matches!(region.kind, Kind::Text | Kind::Html | Kind::Raw) {
                let kind = region.kind;
                let (section, media_type, text, map) = (region.part, region.media, region.text, &region.map);
                let whole = (region.raw.start, region.raw.end);
                visit(&Part { message: self, number, section, media_type, kind, text, map, whole });
            }
            ControlFlow::Continue(())
        };
        let mut triggers = TriggerIndex::default();
        let prefilter = self.extractor.prefilter(&mut triggers, &self.bytes);
        // The result is always `Continue`, because `visit` never stops the walk.
        let _ = mail::regions(media, &self.bytes, &mut Scratch::default(), prefilter, &mut (by_region, |_| {}));
    }
}

/// A decoded text part of a [`Message`], or a fragment of a text part.
///
/// ```
/// # use urlspool::Extractor;
/// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nContent-Type: text/plain; charset=iso-8859-1\n\
///     Content-Transfer-Encoding: quoted-printable\n\ncaf=E9 http://a.example/=\nb\n";
/// let message = Extractor::new().read(&mbox[..]).messages().next().unwrap()?;
/// message.parts(|part| {
///     assert_eq!(part.to_str(), "café http://a.example/b\n");
///     assert_eq!(part.stored(5..23), message.hits()[0].offset()..message.hits()[0].offset() + 20);
/// });
/// # Ok::<(), urlspool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Part<'m> {
    message: &'m Message,
    /// The number of the region of the message, from 1.
    number: usize,
    section: &'m Section,
    media_type: &'m [u8],
    kind: Kind<'m>,
    text: &'m [u8],
    map: &'m Map<'m>,
    whole: (usize, usize),
}

impl<'m> Part<'m> {
    /// Returns the IMAP section number of the part, such as `1.2`. [`Location::part`](crate::Location::part) returns the same number for the hits
    /// in the part.
    #[must_use]
    pub fn section(&self) -> String {
        self.section.to_string()
    }

    /// Returns whether the part is HTML.
    #[must_use]
    pub fn is_html(&self) -> bool {
        self.kind == Kind::Html
    }

    /// Returns whether the text is outside all parts of the message. Such text is not decoded, and mail programs do not
    /// show it. Examples of text outside parts are the preamble of a multipart, text after base64 data, and a line with
    /// a URL in a malformed header.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        self.kind == Kind::Raw
    }

    /// Returns the hits in the part, each with its ranges in [`text`](Self::text). For example, a web archive can turn
    /// these ranges into links. A URL that was broken over lines has one range for each piece.
    ///
    /// Defanged URLs are not returned. No hits are returned for an HTML part, because the text of such a part is the
    /// HTML source.
    pub fn hits(&self) -> impl Iterator<Item = (&'m Hit<'static>, &'m [Range<usize>])> {
        let (message, number, is_html) = (self.message, self.number, self.is_html());
        let all = message.hits.iter().zip(&message.places);
        let is_here = move |place: &InPart| !is_html && place.0 == number && !place.1.is_empty();
        all.filter(move |(_, place)| is_here(place)).map(|(hit, place)| (hit, &place.1[..]))
    }

    /// Returns the text of the part, with its transfer encoding decoded. If the part is `format=flowed` with
    /// `DelSp=yes`, its lines are rejoined.
    ///
    /// The text is in the charset of the part, except that charsets such as UTF-16 and ISO-2022-JP are converted to
    /// UTF-8. Use [`to_str`](Self::to_str) to convert any charset.
    #[must_use]
    pub fn text(&self) -> &'m [u8] {
        self.text
    }

    /// Returns the text converted to UTF-8. Bytes that are invalid in the charset of the part are replaced.
    #[must_use]
    pub fn to_str(&self) -> Cow<'m, str> {
        self.slice_to_str(0..self.text.len())
    }

    /// Returns a range of [`text`](Self::text), converted to UTF-8 as by [`to_str`](Self::to_str).
    ///
    /// # Panics
    ///
    /// Panics if the range is not within the text.
    #[must_use]
    pub fn slice_to_str(&self, range: Range<usize>) -> Cow<'m, str> {
        mail::to_str(self.media_type, &self.text[range])
    }

    /// Converts a range of [`text`](Self::text) to a range of the file: the bytes in which this text is stored. For
    /// some encodings, this range is not known, and the range of the whole part is returned.
    #[must_use]
    pub fn stored(&self, text: Range<usize>) -> Range<u64> {
        let bytes = if self.map.exact() { self.map.raw(text) } else { self.whole.0..self.whole.1 };
        let bytes = self.message.gaps.around(bytes);
        self.message.base + bytes.start as u64..self.message.base + bytes.end as u64
    }
}

#[cfg(test)]
mod tests {
    use crate::{Diagnostic, DiagnosticKind, Error, Extractor, Message};

    /// `messages` and `read` report offsets in the stored message, which still has the dots that dot-stuffing added.
    #[test]
    fn offsets_are_those_of_the_stored_message() -> Result<(), Error> {
        let article = b"Path: a!b\r\nNewsgroups: a.b\r\nFrom: c\r\n\r\n..dots\r\n..\r\nhttp://a.example/\r\n.\r\n";
        let at = article.windows(7).position(|bytes| bytes == b"http://").expect("a URL") as u64;
        let hits = Extractor::new().read(&article[..]).collect::<Result<Vec<_>, _>>()?;
        let messages = Extractor::new().read(&article[..]).messages().collect::<Result<Vec<_>, _>>()?;
        let [message] = messages.as_slice() else { panic!("{} messages", messages.len()) };
        let offsets = |hits: &[crate::Hit<'_>]| hits.iter().map(|hit| hit.offset()).collect::<Vec<_>>();
        assert_eq!((offsets(&hits), offsets(message.hits())), (vec![at], vec![at]));
        assert_eq!(message.stored(), article);
        assert!(message.input().is_some_and(|input| input.format() != "archive"));
        assert_eq!(hits[0].message_range(), Some(0..article.len() as u64));
        Ok(())
    }

    /// All members of an archive have the place of the attachment. Each part has only its own hits.
    #[cfg(feature = "compression")]
    #[test]
    fn members_of_an_attachment_are_parts() -> Result<(), Error> {
        let files = [("a.txt", &b"http://a.example/ and more\n"[..]), ("b.txt", b"\nhttp://b.example/\n")];
        let tar = crate::source::tar(&files);
        let head = b"Content-Type: application/x-tar; name=a.tar\n\n";
        let message = Extractor::new().read(&[&head[..], &tar].concat()[..]).messages().next().expect("a message")?;
        let mut found = Vec::new();
        message.parts(|part| {
            found.extend(part.hits().map(|(_, pieces)| part.slice_to_str(pieces[0].clone()).into_owned()));
        });
        assert_eq!(found, ["http://a.example/", "http://b.example/"]);
        Ok(())
    }

    /// The header block is malformed, and the URL in its third line decides where the block ends. Fuzzing found that
    /// `parts` and the search saw different bodies.
    #[test]
    fn the_pieces_of_a_hit_are_in_its_part() -> Result<(), Error> {
        let mail = b"From: a@b\n \t\n- From: xirc://b.example/\nContent-Type: text/html\n\nhttp://c.example/ d\n";
        let message = Extractor::new().read(&mail[..]).messages().next().expect("a message")?;
        let mut urls = Vec::new();
        message.parts(|part| {
            for (hit, pieces) in part.hits() {
                let text: Vec<_> = pieces.iter().flat_map(|piece| &part.text()[piece.clone()]).copied().collect();
                assert_eq!(text, hit.url().as_bytes());
                urls.push(hit.url().to_string());
            }
        });
        assert_eq!(urls, message.hits().iter().map(|hit| hit.url().to_string()).collect::<Vec<_>>());
        assert_eq!(urls.len(), 1);
        Ok(())
    }

    #[test]
    fn an_empty_field_is_none() -> Result<(), Error> {
        for (value, want) in [("", None), ("\n ", None), ("a", Some("a")), ("=?utf-8?q?=C3=A9?=", Some("\u{e9}"))] {
            let message = format!("Subject: {value}\nFrom: {value}\nDate: x\n\nhttp://a.example/\n");
            let message = Extractor::new().read(message.as_bytes()).messages().next().expect("a message")?;
            let [hit] = message.hits() else { panic!("{} hits", message.hits().len()) };
            for got in
                [message.subject(), message.from(), hit.subject().map(String::from), hit.from().map(String::from)]
            {
                assert_eq!(got.as_deref(), want, "{value:?}");
            }
        }
        Ok(())
    }

    const FIRST: &str = "From a@b Mon Jan  1 00:00:00 2001\nNewsgroups: alt.test\n\nhttp://a.example/\n\n";
    const SECOND: &str = "From a@b Mon Jan  1 00:00:00 2001\nMessage-ID: <2@b.example>\nList-Id: Us <us.b.example>\n\
        Date: Mon, 1 Jan 2001 00:00:00 +0000\nContent-Transfer-Encoding: odd\n\nhttp://b.example/\n";

    #[test]
    fn messages_have_the_fields_of_their_headers() -> Result<(), Error> {
        let (mbox, first, last) = ([FIRST, SECOND].concat(), FIRST.len() as u64, SECOND.len() as u64);
        let messages = Extractor::new().read(mbox.as_bytes()).messages().collect::<Result<Vec<_>, _>>()?;
        let fields = |message: &Message| (message.message_id(), message.list_id(), message.timestamp());
        let want = (Some("2@b.example".to_owned()), Some("us.b.example".to_owned()), Some(978_307_200));
        assert_eq!(messages.iter().map(fields).collect::<Vec<_>>(), [(None, None, Some(978_307_200)), want]);
        let places = messages.iter().map(|message| (message.number(), message.range()));
        assert_eq!(places.collect::<Vec<_>>(), [(Some(1), 0..first), (Some(2), first..first + last)]);
        let kinds = |message: &Message| message.diagnostics().iter().map(Diagnostic::kind).collect::<Vec<_>>();
        let want = [vec![], vec![DiagnosticKind::UnknownEncoding]];
        assert_eq!(messages.iter().map(kinds).collect::<Vec<_>>(), want);
        Ok(())
    }

    #[test]
    fn lines_of_messages_are_counted_on_request() -> Result<(), Error> {
        let mbox = [FIRST, SECOND].concat();
        for (count, want) in [(true, [4, 12]), (false, [0, 0])] {
            let messages = Extractor::new()
                .set("count-lines", &count.to_string())
                .expect("a flag")
                .read(mbox.as_bytes())
                .messages();
            let messages = messages.collect::<Result<Vec<_>, _>>()?;
            let lines: Vec<u64> = messages.iter().flat_map(Message::hits).map(|hit| hit.line()).collect();
            assert_eq!(lines, want);
        }
        Ok(())
    }

    #[test]
    fn only_chosen_messages_are_returned_and_no_other_text() -> Result<(), Error> {
        let temp = crate::source::Temp::new("messages");
        let of_group = |group| Extractor::new().set("newsgroup", group).expect("a pattern");
        for (text, extractor, want) in [
            ([FIRST, SECOND].concat(), Extractor::new(), vec![Some(1), Some(2)]),
            ([FIRST, SECOND].concat(), of_group("alt.*"), vec![Some(1)]),
            ([FIRST, SECOND].concat(), of_group("sci.*"), vec![]),
            ("See http://a.example/\n".to_owned(), Extractor::new(), vec![]),
        ] {
            let path = temp.write("file", text.as_bytes());
            let messages = extractor.paths([&path]).messages();
            let numbers = messages.map(|message| Ok(message?.number())).collect::<Result<Vec<_>, Error>>()?;
            assert_eq!(numbers, want, "{extractor:?}");
        }
        Ok(())
    }

    #[test]
    fn parts_have_their_number_and_type() -> Result<(), Error> {
        let mbox = "From a@b Mon Jan  1 00:00:00 2001\nContent-Type: multipart/mixed; boundary=b\n\npreamble\n\
            --b\n\nplain\n--b\nContent-Type: text/html\n\n<p>html</p>\n--b--\n";
        let message = Extractor::new().read(mbox.as_bytes()).messages().next().expect("a message")?;
        let mut parts = Vec::new();
        message.parts(|part| {
            let stored = part.stored(0..part.text().len());
            assert_eq!(&mbox[stored.start as usize..stored.end as usize], part.to_str());
            let media_type = String::from_utf8_lossy(part.media_type).trim().to_owned();
            let text = part.to_str().trim().to_owned();
            parts.push((part.section(), media_type, text, part.is_html(), part.is_outside()));
        });
        let want = [
            ("", "multipart/mixed; boundary=b", "preamble", false, true),
            ("1", "", "plain", false, false),
            ("2", "text/html", "<p>html</p>", true, false),
        ];
        let want = want.map(|(section, media_type, text, is_html, is_outside)| {
            (section.to_owned(), media_type.to_owned(), text.to_owned(), is_html, is_outside)
        });
        assert_eq!(parts, want);
        Ok(())
    }
}
