//! Hits that own their data.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::HitRef;
use crate::mail::{self, HtmlPlace, Section};
use crate::scan::{Alternative, Form, Reason};
use crate::source::Input;
use crate::url::{Tier, Url, Warnings};

/// A URL that was found, and its location. The hit owns its data.
///
/// The hits of a message share one copy of the data of that message, such as the Subject. [`clone`](Clone::clone) does
/// not copy this data.
///
/// ```
/// use urlspool::Extractor;
///
/// let message = b"Message-ID: <1@example.org>\n\nSee <http://www.example.org/a/\n  b.html>.\n";
/// let hits = Extractor::new().message(message);
/// assert_eq!(hits[0].url().host(), Some("www.example.org"));
/// assert_eq!(hits[0].message_id(), Some(&b"1@example.org"[..]));
/// assert_eq!((hits[0].line(), hits[0].pieces()), (3, vec![34..59, 62..68]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hit {
    pub(super) url: Url<'static>,
    pub(super) message: Arc<MessageInfo>,
    pub(super) part: Arc<Section>,
    pub(super) header: Option<Box<[u8]>>,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// The number of the line, or 0 if lines are not counted.
    pub(super) line: u64,
    pub(super) quote_depth: usize,
    pub(super) form: Form,
    pub(super) confidence: Option<u8>,
    pub(super) warnings: Warnings,
    pub(super) element: Option<Cow<'static, str>>,
    pub(super) attribute: Option<&'static str>,
    pub(super) html_place: Option<HtmlPlace>,
    pub(super) flags: Flags,
    pub(super) shown: Option<String>,
    pub(super) rare: Option<Box<Rare>>,
}

/// The data that all hits of a message share.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct MessageInfo {
    pub(super) file: Option<Arc<Input>>,
    /// The number of the message in its file, or 0 where [`Hit::message`] returns `None`.
    pub(super) number: u64,
    pub(super) range: Option<Range<u64>>,
    pub(super) timestamp: Option<i64>,
    /// The values of the header fields, joined in the order of [`Field`].
    pub(super) text: Box<[u8]>,
    /// For each field, the offset in `text` at which its value ends. The value of an absent field is empty.
    pub(super) ends: [u32; 5],
}

/// The header fields whose values [`MessageInfo`] stores.
#[derive(Clone, Copy)]
enum Field {
    MessageId,
    Newsgroups,
    ListId,
    Subject,
    From,
}

impl MessageInfo {
    /// `fields` must be in the order of [`Field`].
    pub(super) fn new(
        file: Option<Arc<Input>>,
        number: u64,
        range: Option<Range<u64>>,
        timestamp: Option<i64>,
        fields: [Option<Cow<'_, [u8]>>; 5],
    ) -> MessageInfo {
        let mut text = Vec::with_capacity(fields.iter().flatten().map(|field| field.len()).sum());
        let ends = fields.map(|field| {
            text.extend_from_slice(field.as_deref().unwrap_or_default());
            u32::try_from(text.len()).unwrap_or(u32::MAX)
        });
        MessageInfo { file, number, range, timestamp, text: text.into(), ends }
    }

    fn field(&self, field: Field) -> Option<&[u8]> {
        let start = (field as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        let text = self.text.get(start as usize..self.ends[field as usize] as usize)?;
        (!text.is_empty()).then_some(text)
    }

    pub(crate) fn input(&self) -> Option<&Input> {
        self.file.as_deref()
    }

    /// Returns the path or name of the input. Empty if there is no input.
    pub(crate) fn file(&self) -> &Path {
        self.input().map_or(Path::new(""), Input::name)
    }

    pub(crate) fn number(&self) -> Option<u64> {
        (self.number > 0).then_some(self.number)
    }

    pub(crate) fn message_id(&self) -> Option<&[u8]> {
        self.field(Field::MessageId)
    }

    pub(crate) fn list_id(&self) -> Option<&[u8]> {
        self.field(Field::ListId)
    }

    pub(crate) fn timestamp(&self) -> Option<i64> {
        self.timestamp
    }

    pub(crate) fn date(&self) -> Option<String> {
        mail::rfc3339(self.timestamp?)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "a method of `Hit` returns each flag")]
pub(super) struct Flags {
    pub(super) exact: bool,
    pub(super) recovered: bool,
    pub(super) defanged: bool,
    pub(super) rejoined: bool,
    pub(super) repeated: bool,
}

/// The values that only few hits have. They are in a separate allocation, so that a hit without these values is small.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Rare {
    pub(super) alternatives: Vec<Alternative>,
    pub(super) ambiguity: Option<Reason>,
    pub(super) trimmed: Vec<u8>,
    pub(super) pieces: Vec<Range<u64>>,
}

/// Converts the name of an HTML element to a `'static` string. For the most frequent names, this needs no allocation.
pub(super) fn static_name(name: Cow<'_, str>) -> Cow<'static, str> {
    const NAMES: [&str; 12] =
        ["a", "img", "td", "area", "link", "table", "form", "body", "iframe", "script", "meta", "style"];
    match NAMES.iter().find(|known| **known == name) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(name.into_owned()),
    }
}

impl From<&HitRef<'_>> for Hit {
    fn from(hit: &HitRef<'_>) -> Hit {
        let origin = hit.origin();
        let shown = hit.shown();
        let rejoined = hit.is_rejoined();
        let is_rare =
            rejoined || hit.ambiguity().is_some() || !hit.alternatives().is_empty() || !hit.trimmed().is_empty();
        let rare = is_rare.then(|| {
            Box::new(Rare {
                alternatives: hit.alternatives().to_vec(),
                ambiguity: hit.ambiguity(),
                trimmed: hit.trimmed().to_vec(),
                pieces: if rejoined { hit.pieces() } else { Vec::new() },
            })
        });
        Hit {
            url: hit.url().clone().into_owned(),
            message: Arc::clone(origin.in_message.message.info(origin.in_message.file, origin.message_range())),
            part: origin.in_message.message.shared_part(origin.part()),
            header: origin.header().map(Into::into),
            offset: origin.offset(),
            length: origin.length(),
            line: origin.line().unwrap_or(0),
            quote_depth: hit.quote_depth(),
            form: hit.form(),
            confidence: hit.confidence(),
            warnings: hit.warnings(),
            element: origin.element().map(static_name),
            attribute: origin.attribute(),
            html_place: origin.html_place(),
            flags: Flags {
                exact: origin.is_exact(),
                recovered: origin.is_recovered(),
                defanged: origin.is_defanged(),
                rejoined,
                repeated: hit.is_repeated_in_alternative(),
            },
            shown,
            rare,
        }
    }
}

impl Hit {
    pub(crate) fn message_info(&self) -> &Arc<MessageInfo> {
        &self.message
    }

    /// Returns the URL with its components.
    ///
    /// The URL is as written in the decoded text, with these exceptions:
    ///
    /// - A URL that was broken over lines is rejoined.
    /// - A defanged URL, such as `hxxp://evil[.]example/`, is restored.
    /// - If necessary, a URL in an HTML attribute is repaired in the same way as in a browser. For example,
    ///   `http://a.example/b c` becomes `http://a.example/b%20c`.
    #[must_use]
    pub fn url(&self) -> &Url<'static> {
        &self.url
    }

    /// Returns the URL and drops the rest of the hit.
    #[must_use]
    pub fn into_url(self) -> Url<'static> {
        self.url
    }

    /// Returns how the text marks the URL, for example with `<URL:` and `>`.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the narrowest grammar that allows the URL.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.url.tier()
    }

    /// Returns the path of the file, or `-` for standard input. For a stream with a [name](crate::Hits::name), returns
    /// the name. The path is empty for a hit of [`Extractor::message`](crate::Extractor::message).
    #[must_use]
    pub fn file(&self) -> &Path {
        self.message.file()
    }

    /// Returns the file, with its format and compression. `None` for a hit of
    /// [`Extractor::message`](crate::Extractor::message).
    #[must_use]
    pub fn input(&self) -> Option<&Input> {
        self.message.input()
    }

    /// Returns the name of the archive member, if [`file`](Self::file) is an archive. See [`Input::member`].
    #[must_use]
    pub fn member(&self) -> Option<&[u8]> {
        self.input().and_then(Input::member)
    }

    /// Returns the number of the message in its file, from 1. Returns `None` if the URL is not in a message, or if
    /// [`Extractor::message`](crate::Extractor::message) returned the hit. Also returns `None` if messages are not
    /// counted: see [`Extractor::set`](crate::Extractor::set).
    #[must_use]
    pub fn message(&self) -> Option<u64> {
        self.message.number()
    }

    /// Returns the Message-ID without its brackets. `None` if the Message-ID is missing or empty. The result is bytes,
    /// because the Message-ID may not be UTF-8.
    #[must_use]
    pub fn message_id(&self) -> Option<&[u8]> {
        self.message.message_id()
    }

    /// Returns the date of the message in UTC, in the format of RFC 3339. See
    /// [`Origin::timestamp`](crate::Origin::timestamp).
    #[must_use]
    pub fn date(&self) -> Option<String> {
        self.message.date()
    }

    /// Returns the date of the message in seconds since 1970-01-01, UTC. See
    /// [`Origin::timestamp`](crate::Origin::timestamp).
    #[must_use]
    pub fn timestamp(&self) -> Option<i64> {
        self.message.timestamp()
    }

    /// Returns the Subject field, unfolded. Each call decodes encoded words (RFC 2047). Invalid UTF-8 is replaced.
    /// `None` if the field is missing or empty.
    #[must_use]
    pub fn subject(&self) -> Option<String> {
        self.message.field(Field::Subject).map(|value| mail::decode_value(value.into()).into_owned())
    }

    /// Returns the From field, such as `Ann <a@b.example>`. The field is decoded in the same way as
    /// [`subject`](Self::subject).
    #[must_use]
    pub fn from_field(&self) -> Option<String> {
        self.message.field(Field::From).map(|value| mail::decode_value(value.into()).into_owned())
    }

    /// Returns the byte range of the message in the file, as stored. See
    /// [`Origin::message_range`](crate::Origin::message_range).
    #[must_use]
    pub fn message_range(&self) -> Option<Range<u64>> {
        self.message.range.clone()
    }

    /// Returns the value of the Newsgroups field, unfolded. `None` if the field is missing or empty.
    #[must_use]
    pub fn newsgroups(&self) -> Option<&[u8]> {
        self.message.field(Field::Newsgroups)
    }

    /// Returns the text between the brackets of the List-Id field (RFC 2919). If the field has no brackets, returns the
    /// whole value. `None` if the field is missing or empty.
    #[must_use]
    pub fn list_id(&self) -> Option<&[u8]> {
        self.message.list_id()
    }

    /// Returns the IMAP section number of the MIME part, such as `1.2`. For the headers of the message itself, the
    /// number is empty.
    #[must_use]
    pub fn part(&self) -> &Section {
        &self.part
    }

    /// Returns the name of the header field that contains the URL, as written in the message. `None` if the URL is not
    /// in a header field.
    #[must_use]
    pub fn header(&self) -> Option<&[u8]> {
        self.header.as_deref()
    }

    /// Returns the byte offset of the URL in the file, from 0. For a compressed file, this is the offset in the
    /// decompressed data.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the length of the URL in bytes, as stored. The length includes line breaks and encodings inside the URL.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns whether [`offset`](Self::offset) and [`length`](Self::length) describe the URL itself. If this method
    /// returns `false`, `offset` and `length` describe the whole MIME part or header field that contains the URL.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.flags.exact
    }

    /// Returns the byte ranges of the file that contain the URL as stored. If line breaks or blanks inside the URL were
    /// removed, each remaining piece of the URL has its own range. For exceptions, see [`HitRef::pieces`].
    #[must_use]
    pub fn pieces(&self) -> Vec<Range<u64>> {
        match &self.rare {
            Some(rare) if !rare.pieces.is_empty() => rare.pieces.clone(),
            _ => iter::once(self.offset..self.offset + self.length).collect(),
        }
    }

    /// Returns the line number of [`offset`](Self::offset), from 1. If [lines are not
    /// counted](crate::OPTIONS), the number is 0.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of quote marks at the start of the URL's line, such as 2 for `> > http://a.example/`. In
    /// headers and attributes, the number is 0.
    #[must_use]
    pub fn quote_depth(&self) -> usize {
        self.quote_depth
    }

    /// Returns whether the URL was broken over lines and rejoined.
    #[must_use]
    pub fn is_rejoined(&self) -> bool {
        self.flags.rejoined
    }

    /// Returns the probability, in percent, that a bare URL was rejoined correctly. `None` for a URL that is in
    /// brackets or was not rejoined.
    #[must_use]
    pub fn confidence(&self) -> Option<u8> {
        self.confidence
    }

    /// Returns the other URLs that the author may have meant, the most likely first. For example, a hyphen before a
    /// line break is sometimes part of the URL, and sometimes it only divides a word.
    #[must_use]
    pub fn alternatives(&self) -> &[Alternative] {
        self.rare.as_ref().map_or(&[], |rare| &rare.alternatives)
    }

    /// Returns the reason why it is doubtful that the author meant this URL. `None` if there is no doubt.
    #[must_use]
    pub fn ambiguity(&self) -> Option<Reason> {
        self.rare.as_ref()?.ambiguity
    }

    /// Returns the punctuation that was removed from the end of the URL, such as the full stop of a sentence.
    #[must_use]
    pub fn trimmed(&self) -> &[u8] {
        self.rare.as_ref().map_or(b"", |rare| &rare.trimmed)
    }

    /// Returns the visible text of the link, if the URL is the `href` of an `a` element in HTML. See [`HitRef::shown`].
    #[must_use]
    pub fn shown(&self) -> Option<&str> {
        self.shown.as_deref()
    }

    /// Returns the name of the HTML element that contains the URL, such as `a` or `img`, in lower case. `None` if the
    /// form is not [`Href`](Form::Href). See [`Origin::element`](crate::Origin::element).
    #[must_use]
    pub fn element(&self) -> Option<&str> {
        self.element.as_deref()
    }

    /// Returns the name of the HTML attribute that contains the URL, such as `href`, in lower case. `None` if the URL
    /// is not in an attribute. See [`Origin::attribute`](crate::Origin::attribute).
    #[must_use]
    pub fn attribute(&self) -> Option<&'static str> {
        self.attribute
    }

    /// Returns the place in the HTML that keeps browsers from following the link, such as a conditional comment
    /// (`<!--[if mso]>`). `None` if the URL is not in such a place.
    #[must_use]
    pub fn html_place(&self) -> Option<HtmlPlace> {
        self.html_place
    }

    /// Returns the warnings about the URL: [the warnings that depend only on the URL](Url::warnings), and the warnings
    /// that depend on the message.
    #[must_use]
    pub fn warnings(&self) -> Warnings {
        self.warnings
    }

    /// Returns whether the URL was defanged (`hxxp://evil[.]example/`) and has been restored.
    #[must_use]
    pub fn is_defanged(&self) -> bool {
        self.flags.defanged
    }

    /// Returns whether MIME errors had to be repaired to find the URL. An example is quoted-printable text in a part
    /// without a Content-Transfer-Encoding field.
    #[must_use]
    pub fn is_recovered(&self) -> bool {
        self.flags.recovered
    }

    /// Returns whether an earlier part of the same `multipart/alternative` contains the same URL.
    #[must_use]
    pub fn is_repeated_in_alternative(&self) -> bool {
        self.flags.repeated
    }
}
