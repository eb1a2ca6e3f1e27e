//! The table of output fields: [`FIELDS`]. JSON, CSV, Parquet, `--fields`, the schema, the help and the man page
//! of the command use this table and its order. A new field also needs a row in the table of `docs/output.md`. A test
//! compares the two tables.

use std::borrow::Cow;
use std::ops::Range;

use data_encoding::BASE64;

use super::context::context;
use super::{Hit, Location, Reject};
use crate::scan::{Alternative, Reason};
use crate::shared;
use crate::url::{Tier, Url};

use self::Get::{Around, At, Both, Found, Refused};

/// A fact about a hit or a reject, such as its host. [`FIELDS`] has all fields.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::fields::Field;
/// use urlspool::{Event, Extractor};
///
/// let (host, year) = (Field::find("host").unwrap(), Field::find("year").unwrap());
/// let message = "Date: Fri, 19 Nov 1982 16:14:55 -0500\n\nhttp://a.example/b\n";
/// let mut text = Vec::new();
/// let _ = Extractor::new().message_into(message, &mut |event: Event<'_>| {
///     if let Event::Hit(hit) = event {
///         host.of(hit).push_text(&mut text);
///         text.push(b' ');
///         year.of(hit).push_text(&mut text);
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(text, b"a.example 1982");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The text `,"name":null`, with the name of this field. If the field is null, JSON output copies this text. If the
    /// field has a value, JSON output copies only the part before `null`.
    pub(super) json: &'static str,
    kind: &'static str,
    about: &'static str,
    get: Get,
    is_extra: bool,
    is_of_message: bool,
    /// The number of lines before and after the URL, for the field `context`.
    lines: usize,
}

/// The function that returns the value of a field.
#[derive(Clone, Copy, Debug)]
enum Get {
    Both(for<'v> fn(&'v Hit<'v>) -> Value<'v>, for<'v> fn(&'v Reject<'v>) -> Value<'v>),
    At(for<'v> fn(&'v Location<'v>) -> Value<'v>),
    /// Also takes the number of lines.
    Around(for<'v> fn(&'v Location<'v>, usize) -> Value<'v>),
    /// For rejects, the field is null.
    Found(for<'v> fn(&'v Hit<'v>) -> Value<'v>),
    /// For hits, the field is null.
    Refused(for<'v> fn(&'v Reject<'v>) -> Value<'v>),
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'v> {
    /// Null, or an empty cell in a table.
    Absent,
    /// Bytes from the input. Parts that are not UTF-8 are replaced by U+FFFD in the output.
    Bytes(&'v [u8]),
    /// Bytes that JSON does not escape: printable ASCII without quotes and backslashes.
    Plain(&'v [u8]),
    /// Like `Plain`, but printed in lower case.
    Lower(&'v [u8]),
    /// Bytes that are printed in base64.
    Base64(&'v [u8]),
    /// A text.
    Text(Cow<'v, str>),
    /// A number.
    Number(u64),
    /// True or false.
    Boolean(bool),
    /// A time in the format of RFC 3339, and the same time as Unix time in seconds.
    Time(&'v str, i64),
    /// The number of a MIME part.
    Section(&'v [u32]),
    /// A list with at least one text.
    Texts(Vec<Cow<'v, str>>),
    /// A list with at least one alternative URL.
    Alternatives(&'v [Alternative]),
}

impl Value<'_> {
    /// Appends the value as text, without quotes or escapes: nothing for [`Absent`](Self::Absent), and one blank
    /// between the texts or URLs of a list. The text is always UTF-8.
    #[inline(always)]
    pub fn push_text(&self, out: &mut Vec<u8>) {
        match self {
            Value::Absent => {}
            Value::Bytes(bytes) => push_lossy(out, bytes),
            Value::Plain(bytes) => out.extend_from_slice(bytes),
            Value::Lower(bytes) => out.extend(bytes.iter().map(u8::to_ascii_lowercase)),
            Value::Base64(bytes) => push_base64(out, bytes),
            Value::Text(text) => out.extend_from_slice(text.as_bytes()),
            Value::Time(text, _) => out.extend_from_slice(text.as_bytes()),
            Value::Number(number) => push_number(out, *number),
            Value::Boolean(boolean) => out.extend_from_slice(if *boolean { b"true" } else { b"false" }),
            Value::Section(path) => section(out, path),
            // URLs and names of warnings contain no blanks, so a blank can separate them.
            Value::Texts(texts) => separated(out, b' ', texts, |out, text| out.extend_from_slice(text.as_bytes())),
            Value::Alternatives(others) => separated(out, b' ', *others, |out, other| push_lossy(out, &other.url)),
        }
    }
}

#[inline]
fn push_lossy(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes());
}

/// Appends `items` with a separator between them.
pub(super) fn separated<T>(
    out: &mut Vec<u8>,
    separator: u8,
    items: impl IntoIterator<Item = T>,
    mut item: impl FnMut(&mut Vec<u8>, T),
) {
    for (at, next) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(separator);
        }
        item(out, next);
    }
}

impl<'v, T: Into<Value<'v>>> From<Option<T>> for Value<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Absent, Into::into)
    }
}

impl<'v> From<&'v [u8]> for Value<'v> {
    fn from(bytes: &'v [u8]) -> Self {
        Value::Bytes(bytes)
    }
}

/// Use this conversion only for text that needs no escapes in JSON, such as a date or the name of a tier.
impl<'v> From<&'v str> for Value<'v> {
    fn from(word: &'v str) -> Self {
        Value::Plain(word.as_bytes())
    }
}

impl<'v> From<Cow<'v, str>> for Value<'v> {
    fn from(text: Cow<'v, str>) -> Self {
        Value::Text(text)
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(text.into())
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Boolean(flag)
    }
}

/// An empty list becomes null.
impl<'v> From<Vec<Cow<'v, str>>> for Value<'v> {
    fn from(texts: Vec<Cow<'v, str>>) -> Self {
        if texts.is_empty() { Value::Absent } else { Value::Texts(texts) }
    }
}

impl Field {
    /// Returns the field with this name. `context:3` is the field `context` with three lines before and after the URL.
    pub fn find(name: &str) -> Option<Field> {
        let (name, lines) = name.split_once(':').map_or((name, None), |(name, lines)| (name, Some(lines)));
        let field = *FIELDS.iter().find(|field| field.name() == name)?;
        match lines {
            None => Some(field),
            Some(lines) if matches!(field.get, Around(_)) && lines.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(Field { lines: lines.parse().ok()?, ..field })
            }
            Some(_) => None,
        }
    }

    /// Returns the name of the field, which is the same in JSON, CSV, Parquet and `--fields`.
    #[inline(always)]
    pub const fn name(&self) -> &'static str {
        self.json.split_at(self.json.len() - 6).0.split_at(2).1
    }

    /// Returns the type of the field in JSON, as in `docs/output.md`. Most fields can also be null; see
    /// [`is_nullable`](Self::is_nullable). The types are:
    ///
    /// - `string`.
    /// - `string, base64`: bytes in base64, for values that are not UTF-8.
    /// - `string, date-time`: a date and time in UTC.
    /// - `integer`: a number that is not negative.
    /// - `boolean`.
    /// - `array of strings`: a list with at least one text.
    /// - `array of objects`: a list with at least one [`Alternative`].
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the definition of the field in `docs/output.md` and the man page.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Returns whether the field is printed only if `--fields` names it. Such a field takes time to compute, and most
    /// such fields can be derived from other fields.
    pub fn is_extra(&self) -> bool {
        self.is_extra
    }

    /// Returns whether only a program that has read the whole input can tell the value.
    #[doc(hidden)]
    pub fn needs_count(&self) -> bool {
        self.name() == "messages_with_url"
    }

    /// Returns whether all URLs of a message have the same value, as with `date`.
    pub fn is_of_message(&self) -> bool {
        self.is_of_message
    }

    /// Returns whether the field can be null.
    pub fn is_nullable(&self) -> bool {
        !matches!(self.name(), "url" | "form" | "offset" | "length" | "exact" | "recovered" | "defanged")
    }

    /// Returns the value for a hit.
    #[inline(always)]
    pub fn of<'v>(&self, hit: &'v Hit<'v>) -> Value<'v> {
        match self.get {
            Both(get, _) | Found(get) => get(hit),
            At(get) => get(hit),
            Around(get) => get(hit, self.lines),
            Refused(_) => Value::Absent,
        }
    }

    /// Returns the value for a reject.
    #[inline(always)]
    pub fn of_reject<'v>(&self, reject: &'v Reject<'v>) -> Value<'v> {
        match self.get {
            Both(_, get) | Refused(get) => get(reject),
            At(get) => get(reject),
            Around(get) => get(reject, self.lines),
            Found(_) => Value::Absent,
        }
    }
}

/// Receives the fields of a hit or a reject. A JSON object is a row, and so is a line of a table.
#[doc(hidden)]
pub trait Row {
    /// Adds a field. Returns the range of its value in the buffer.
    fn output_field(&mut self, field: &Field, value: Value<'_>) -> Range<usize>;

    /// Returns the buffer, in which the encoded fields of a message are copied.
    fn out(&mut self) -> &mut Vec<u8>;
}

/// Defines [`FIELDS`] and [`push`]. A row is `field` or, for an extra field, `extra`; the name; the type; the function
/// that returns the value; and the definition.
macro_rules! fields {
    (@kind Text) => { "string" };
    (@kind Base64) => { "string, base64" };
    (@kind Integer) => { "integer" };
    (@kind Boolean) => { "boolean" };
    (@kind Time) => { "string, date-time" };
    (@kind Texts) => { "array of strings" };
    (@kind Alternatives) => { "array of objects" };
    (@is_extra field) => { false };
    (@is_extra extra) => { true };
    (@push $object:ident $url:ident $found:ident field $field:expr) => {
        let field = $field;
        let place = match $found {
            Ok(hit) => $object.output_field(&field, field.of(hit)),
            Err(reject) => $object.output_field(&field, field.of_reject(reject)),
        };
        if field.name() == "url" {
            $url = place;
        }
    };
    (@push $object:ident $url:ident $found:ident extra $field:expr) => {};
    (@is_of_message hit) => { false };
    (@is_of_message message) => { true };
    (@new $scope:ident $how:ident $name:literal $kind:ident $get:expr, $about:expr) => {
        Field {
            json: concat!(",\"", $name, "\":null"),
            kind: fields!(@kind $kind),
            about: $about,
            get: $get,
            is_extra: fields!(@is_extra $how),
            is_of_message: fields!(@is_of_message $scope),
            lines: 1,
        }
    };
    ($({ $($(#[$when:meta])? $how:ident $name:literal $kind:ident $get:expr; $about:expr;)* } in $scope:ident)*) => {
        /// All fields, in the order of the output.
        pub static FIELDS: &[Field] = &[$($($(#[$when])? fields!(@new $scope $how $name $kind $get, $about),)*)*];

        /// Adds each field that is not extra to `object`, in the order of the output. This is faster than a loop over
        /// [`FIELDS`], because the compiler can inline the code of each field.
        #[doc(hidden)]
        #[inline(always)]
        pub fn push<'v>(
            object: &mut impl Row,
            message: &mut Vec<u8>,
            found: Result<&'v Hit<'v>, &'v Reject<'v>>,
        ) -> Range<usize> {
            let mut url = 0..0;
            $(fields!(@scope $scope object message { $($(#[$when])? {
                fields!(@push object url found $how fields!(@new $scope $how $name $kind $get, $about));
            })* });)*
            url
        }
    };
    (@scope hit $object:ident $encoded:ident { $($body:tt)* }) => { $($body)* };
    (@scope message $object:ident $encoded:ident { $($body:tt)* }) => {
        if $encoded.is_empty() {
            let start = $object.out().len();
            $($body)*
            $encoded.extend_from_slice(&$object.out()[start..]);
        } else {
            $object.out().extend_from_slice($encoded);
        }
    };
}

fields! {
    {
        field "url" Text Both(|hit| of_tier(hit, hit.url().as_bytes()), |reject| reject.text().into());
            "the URL as written, with line breaks removed";
        field "url_bytes" Base64 Refused(|reject| base64(Some(reject.text())));
            "the bytes of `url`, if they are not UTF-8; used only with `--rejects`";
        field "form" Text Both(|hit| hit.form().as_str().into(), |reject| reject.form().as_str().into());
            "how the text marks the URL: `wrapped` `<URL:...>`, `angle` `<http:...>`, `bare`, `prefixed` `URL:...`, \
             `href` (an HTML attribute); `www`, `path` and `domain` have no scheme in the text";
        field "tier" Text Found(|hit| hit.url().tier().as_str().into());
            "the grammar that allows the URL: `rfc1738`, `relaxed`, `rfc3986` or `iri`";
        field "scheme" Text Found(scheme);
            "the scheme, in lower case";
        field "host" Text Found(|hit| hit.url().host_bytes().map(|host| of_tier(hit, host)).into());
            "the host, as written";
        #[cfg(feature = "domain")]
        extra "host_ascii" Text Found(|hit| hit.url().host_ascii().into());
            "the host in lower case, with international names in Punycode, as in the DNS";
        #[cfg(feature = "domain")]
        extra "domain" Text Found(|hit| hit.url().registrable_domain().into());
            "the registrable domain of the host, by the public suffix list";
        field "fragment" Text Found(|hit| hit.url().fragment().map(str::as_bytes).into());
            "the text after `#`";
        extra "normalized" Text Found(|hit| hit.url().normalized().into());
            "the URL in normal form; URLs with the same normal form are equivalent by their syntax";
        extra "wayback" Text Found(|hit| wayback(hit).into());
            "a link to a copy in the Wayback Machine from about the date of the message; if the message has no date, a \
             link to the list of all copies; used only for `http`, `https` and `ftp` URLs";
        field "target" Text Found(|hit| hit.url().targets().pop().map(String::from).into());
            "the original URL, if a service such as SafeLinks, urldefense or google.com/url has rewritten it";
        field "targets" Texts Found(targets);
            "all decoded targets (at most eight), if several services have rewritten the URL; the last one is `target`";
        extra "messages_with_url" Integer Found(|hit| hit.messages.map(|count| u64::from(count.get())).into());
            "the number of selected messages with the same List-Id (or with none) that have this URL; `find` and `count` \
             read the input twice for it; null outside messages, for rejects, and in the library";
        field "reason" Text Refused(|reject| reject.reason().kind().as_str().into());
            "the reason why the text is not a URL; used only with `--rejects`";
        field "reason_offset" Integer Refused(|reject| (reject.reason().offset() as u64).into());
            "the offset of the error in the text, in bytes from 0; used only with `--rejects`";
    } in hit
    {
        field "file" Text At(|at| file(at).into());
            "the name of the file";
        field "file_bytes" Base64 At(|at| base64(file(at)));
            "the bytes of `file`, if they are not UTF-8";
        field "member" Text At(|at| at.member().into());
            "the name of the member, if the file is an archive such as tar, zip or `.pst`";
        field "member_bytes" Base64 At(|at| base64(at.member()));
            "the bytes of `member`, if they are not UTF-8";
        field "message" Integer At(|at| at.message().into());
            "the number of the message in the file or member, from 1";
        field "message_offset" Integer At(|at| at.message_range().map(|range| range.start).into());
            "the offset of the message in the file (after decompression), in bytes from 0";
        field "message_length" Integer At(|at| at.message_range().map(|range| range.end - range.start).into());
            "the number of bytes that the message takes in the file";
        field "message_id" Text At(|at| at.message_id().into());
            "the Message-ID of the message, without brackets";
        field "message_id_bytes" Base64 At(|at| base64(at.message_id()));
            "the bytes of `message_id`, if they are not UTF-8";
        field "date" Time At(date);
            "the date of the message, in UTC";
        extra "year" Text At(|at| at.date().and_then(|date| date.get(..4)).into());
            "the year of `date`";
        extra "month" Text At(|at| at.date().and_then(|date| date.get(..7)).into());
            "the year and the month of `date`";
        field "from" Text At(|at| text(at.from()));
            "the From field of the message, decoded";
        field "subject" Text At(|at| text(at.subject()));
            "the Subject field of the message, decoded";
        field "newsgroups" Text At(|at| at.newsgroups().into());
            "the newsgroups of the message";
        field "newsgroups_bytes" Base64 At(|at| base64(at.newsgroups()));
            "the bytes of `newsgroups`, if they are not UTF-8";
        field "list_id" Text At(|at| at.list_id().into());
            "the List-Id of the message";
        field "list_id_bytes" Base64 At(|at| base64(at.list_id()));
            "the bytes of `list_id`, if they are not UTF-8";
    } in message
    {
        field "part" Text At(part);
            "the IMAP section number of the MIME part, in brackets";
        field "attachment" Text At(|at| at.attachment().map(String::from_utf8_lossy).into());
            "the name of the attachment, or its type if it has no name; in an attached archive, also the name of the member";
        field "header" Text At(|at| at.header().into());
            "the name of the header field that contains the URL";
        field "offset" Integer At(|at| at.offset().into());
            "the offset of the URL in the file (after decompression), in bytes from 0";
        field "length" Integer At(|at| at.length().into());
            "the number of bytes that the URL takes in the file";
        field "exact" Boolean At(|at| at.exact().into());
            "whether `offset` and `length` are those of the URL; if not, they are those of the MIME part or the header \
             field that contains the URL";
        field "line" Integer At(|at| Some(at.line()).filter(|line| *line > 0).into());
            "the line on which the URL begins, from 1";
        extra "zone" Text At(|at| at.zone().into());
            "the zone of the message: `header`, `body`, `quote`, `signature` (a guess), `footer` or `attachment`";
        extra "context" Text Around(|at, lines| context(at, lines).into());
            "the lines of text that contain the URL, with one line before and after them; `context:3` has three lines \
             before and after; at most 400 bytes before and after the URL; for a URL of a document in an attribute, \
             such as `srcdoc`, the beginning of that attribute";
        field "quote_depth" Integer Found(|hit| (hit.quote_depth() as u64).into());
            "the number of quotations that contain the URL: quote marks, such as `>`, or elements of HTML";
        field "rejoined" Boolean Found(|hit| hit.rejoined().into());
            "whether the URL was broken over lines";
        field "confidence" Integer Found(|hit| hit.confidence().map(u64::from).into());
            "the probability, in percent, that the URL was rejoined correctly; used only for URLs without brackets";
        field "recovered" Boolean At(|at| at.recovered().into());
            "whether the URL was found in malformed MIME, or in a damaged file that was attached";
        field "defanged" Boolean At(|at| at.defanged().into());
            "whether the URL was defanged, as in `hxxp://evil[.]example/`; used only with `--defanged`";
        field "element" Text At(|at| at.element().into());
            "the HTML element whose attribute contains the URL, such as `a` or `img`";
        field "attribute" Text At(|at| at.attribute().into());
            "the HTML attribute that contains the URL, such as `href` or `src`; null if the URL is in the content of a \
             `style` element";
        field "html_place" Text At(|at| at.html_place().into());
            "the place of an HTML link that browsers do not follow: `conditional-comment` (`<!--[if mso]>`), \
             `data-saferedirecturl`, `originalsrc`, `raw-text` (in a `textarea`, for example), `template`, \
             `repeated-attribute`, `cut-tag` (at the end of the HTML) or `other-element` (such as `<p href>`, or \
             a tag that browsers ignore)";
        field "link_text" Text Found(|hit| hit.link_text().into());
            "the text of the HTML link";
        field "alternatives" Alternatives Found(alternatives);
            "other URLs that the text can mean, each with its reason: `hyphen`, `rejoin`, `tokens`, `quote`, `script`, \
             `reference`, `defanged`, `glued`, `escape`, `obscured`, `doubled`";
        field "doubt" Text Found(|hit| hit.doubt().map(Reason::as_str).into());
            "why the URL may be wrong: `tokens` (several words are on one line between the brackets), `quote` (a line \
             between the brackets has no quote mark), `script` (a letter in a charset other than UTF-8 follows the URL \
             directly), `defanged` (the restored host may be incomplete or too long), `glued`, `escape`, `obscured` or \
             `doubled` (the text was changed, see the rules), `schemeless` (the scheme is a guess), `cut` (an \
             ellipsis or a control character follows the URL, or the file could not be read further)";
        field "trimmed" Text Found(trimmed);
            "punctuation or glued text that was removed from the end of the URL";
        field "warnings" Texts Found(warnings);
            "`password`, `port-not-default`, `port-reserved`, `encoded-control`, `userinfo-looks-like-host`, \
             `bad-escape`, `host-looks-latin` (the host has letters of other scripts that look Latin), \
             `shown-as-other-host` (the text of an HTML link names a host in another domain than the URL), \
             `host-is-number` (an address that is not written as four decimal numbers), `host-unknown` (a host without a \
             public suffix, or with characters that no host has), `encoded-nul`, `bidi-control` (a character that \
             changes the direction of writing), `no-scheme` (an HTML attribute such as `//host/path`, to which urlspool \
             added `https:`); for HTML attributes that browsers repair: `characters-encoded` (blanks \
             and other characters that are not allowed in URLs), `slashes-mended` (backslashes, missing or extra \
             slashes), `address-trimmed` (blanks or angle brackets around the address of a `mailto`); `envelope-date` \
             (`date` is that of the envelope line or of `Received`, because `Date` has no valid date)";
        field "repeat" Boolean Found(|hit| hit.repeat().into());
            "whether an earlier part of the same `multipart/alternative` has the same URL";
    } in hit
}

/// Returns `bytes`, a part of the URL of `hit`, as a value. A URL of the tier `rfc1738` needs no escapes in JSON, so
/// its parts are printed faster, as `Value::Plain`.
#[inline(always)]
fn of_tier<'v>(hit: &Hit<'_>, bytes: &'v [u8]) -> Value<'v> {
    if hit.url().tier() == Tier::Rfc1738 { Value::Plain(bytes) } else { Value::Bytes(bytes) }
}

#[inline(always)]
fn scheme<'v>(hit: &'v Hit<'v>) -> Value<'v> {
    let url = hit.url();
    // The table of known schemes has their names in lower case. The name of any other scheme must be converted to lower
    // case.
    url.known_scheme().map_or_else(|| Value::Lower(url.scheme().as_bytes()), Value::from)
}

/// Returns all targets of a URL, or null if there are fewer than two.
pub fn several_targets(url: &Url<'_>) -> Value<'static> {
    let targets = url.targets();
    if targets.len() < 2 {
        return Value::Absent;
    }
    targets.into_iter().map(|target| String::from(target).into()).collect::<Vec<_>>().into()
}

fn wayback(hit: &Hit<'_>) -> Option<String> {
    let url = hit.url();
    url.known_scheme().filter(|scheme| ["http", "https", "ftp"].contains(scheme))?;
    let digits = |date: &str| date.chars().filter(char::is_ascii_digit).collect();
    let time = hit.date().map_or("*".to_owned(), digits);
    Some(format!("https://web.archive.org/web/{time}/{url}"))
}

fn targets<'v>(hit: &'v Hit<'v>) -> Value<'v> {
    several_targets(hit.url())
}

#[inline(always)]
fn warnings<'v>(hit: &'v Hit<'v>) -> Value<'v> {
    hit.warnings().map(|warning| warning.as_str().into()).collect::<Vec<_>>().into()
}

/// Returns the value of a field such as `url_bytes`. Returns null if the bytes are valid UTF-8, because a text field
/// such as `url` already contains all of them.
pub fn base64(bytes: Option<&[u8]>) -> Value<'_> {
    bytes.filter(|bytes| std::str::from_utf8(bytes).is_err()).map_or(Value::Absent, Value::Base64)
}

fn text(text: Option<&str>) -> Value<'_> {
    text.map(Cow::from).into()
}

fn file<'v>(at: &'v Location<'v>) -> Option<&'v [u8]> {
    at.input().map(|input| shared::bytes(input.name()))
}

fn date<'v>(at: &'v Location<'v>) -> Value<'v> {
    at.date().zip(at.timestamp()).map_or(Value::Absent, |(text, seconds)| Value::Time(text, seconds))
}

#[inline(always)]
fn part<'v>(at: &'v Location<'v>) -> Value<'v> {
    let path = at.section().path();
    if path.is_empty() { Value::Absent } else { Value::Section(path) }
}

#[inline(always)]
fn alternatives<'v>(hit: &'v Hit<'v>) -> Value<'v> {
    let others = hit.alternatives();
    if others.is_empty() { Value::Absent } else { Value::Alternatives(others) }
}

#[inline(always)]
fn trimmed<'v>(hit: &'v Hit<'v>) -> Value<'v> {
    Some(hit.trimmed()).filter(|trimmed| !trimmed.is_empty()).into()
}

/// Appends a number.
#[inline]
pub fn push_number(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends the number of a MIME part in brackets, as in IMAP's `BODY[1.10]`. Without the brackets, programs would read
/// 1.10 as the decimal number 1.1.
#[inline]
pub(super) fn section(out: &mut Vec<u8>, path: &[u32]) {
    out.push(b'[');
    separated(out, b'.', path, |out, part| push_number(out, u64::from(*part)));
    out.push(b']');
}

/// Appends bytes in base64.
pub(super) fn push_base64(out: &mut Vec<u8>, value: &[u8]) {
    let start = out.len();
    out.resize(start + BASE64.encode_len(value.len()), 0);
    BASE64.encode_mut(value, &mut out[start..]);
}

#[cfg(all(test, feature = "domain"))]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::{FIELDS, Field, push_number};

    /// `docs/output.md` must have a row for each field, with the type, the definition and an example.
    #[test]
    fn the_reference_has_all_fields() {
        let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/output.md")).unwrap();
        let head = "| field | type | meaning | example |\n|---|---|---|---|\n";
        let (_, table) = page.split_once(head).expect("the table of fields");
        let (table, _) = table.split_once("\n\n").expect("its end");
        let rows: Vec<Vec<_>> = table
            .lines()
            .map(|row| row.trim_start_matches("| ").trim_end_matches(" |").split(" | ").collect())
            .collect();
        let shown: Vec<_> = rows.iter().map(|row| row[..3].join(" | ")).collect();
        let row = |field: &Field| format!("`{}` | {} | {}", field.name(), field.kind, field.about);
        let fields: Vec<_> = FIELDS.iter().map(row).collect();
        assert_eq!(shown, fields, "the table should have these fields and meanings:\n{}", fields.join("\n"));
        for row in rows {
            let example: Value = serde_json::from_str(row[3].trim_matches('`')).expect(row[0]);
            let is_right = match row[1] {
                "string" | "string, base64" => example.is_string(),
                "string, date-time" => example.as_str().is_some_and(|text| text.parse::<jiff::Timestamp>().is_ok()),
                "integer" => example.is_u64(),
                "boolean" => example.is_boolean(),
                "array of strings" => example.as_array().is_some_and(|values| values.iter().all(Value::is_string)),
                _ => example.as_array().is_some_and(|values| values.iter().all(Value::is_object)),
            };
            assert!(is_right, "the example of {}", row[0]);
        }
    }

    /// The stub of the Python package must have a property for each field, with the type of the field.
    #[test]
    fn the_stub_of_python_has_all_fields() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/urlspool/_native.pyi");
        let stub = fs::read_to_string(path).unwrap();
        let (_, class) = stub.split_once("class Hit:").expect("the class");
        // An owned hit has no context, and the library does not count messages.
        for field in FIELDS.iter().filter(|field| field.name() != "context" && !field.needs_count()) {
            let kind = match field.kind {
                "string" => "str",
                "string, base64" => "bytes",
                "string, date-time" => "datetime.datetime",
                "integer" => "int",
                "boolean" => "bool",
                "array of strings" => "list[str]",
                _ => "list[tuple[str, str]]",
            };
            let name = if field.name() == "from" { "from_" } else { field.name() };
            let has = |kind: &str| class.contains(&format!("    def {name}(self) -> {kind}: ...\n"));
            assert!(has(kind) || has(&format!("Optional[{kind}]")), "{name}: {kind}");
        }
    }

    #[test]
    fn numbers() {
        let around = |n: u64| [n.saturating_sub(1), n, n.saturating_add(1), n / 2 + n / 7];
        let powers = (0..20).map(|power| 10_u64.pow(power));
        for n in powers.chain([u64::MAX, u64::from(u32::MAX)]).flat_map(around).chain(0..20_000) {
            let mut out = Vec::new();
            push_number(&mut out, n);
            assert_eq!(String::from_utf8(out).unwrap(), n.to_string());
        }
    }
}
