//! The table of output fields. The table consists of the macro calls in [`visit`] and [`message`], one for each field.
//! JSON, CSV, TSV, Parquet, `--fields`, the schema, the help and the man page use this table and its order. A new field
//! also needs a row in the table of `docs/output.md`. A test compares the two tables.

use std::borrow::Cow;
use std::path::Path;

use urlspool::{Alternative, HitRef, HtmlPlace, Origin, Reason, Tier, Url};

use super::found::{Found, Refused};

use self::Get::{All, OfHit, OfPlace, OfRefused};
use self::Kind::{Base64, Boolean, Integer, Readings, Text, Texts, Time};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The text `,"name":null`, with the name of this field. If the field is null, JSON output copies this text. If the
    /// field has a value, JSON output copies only the part before `null`.
    pub(crate) json: &'static str,
    pub(crate) kind: Kind,
    /// The definition of the field in `docs/output.md` and the man page.
    pub(crate) about: &'static str,
    pub(crate) get: Get,
    /// Whether the field is printed only if `--fields` names it. Such a field takes time to compute, and the
    /// reader of the output can derive it from other fields.
    pub(crate) is_extra: bool,
}

/// The type of a field. Most fields can also be null; see [`Field::is_nullable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// Bytes in base64, for values that are not UTF-8.
    Base64,
    Integer,
    Boolean,
    /// A date and time in UTC.
    Time,
    /// A list with at least one text.
    Texts,
    /// A list with at least one [`Alternative`].
    Readings,
}

/// The function that returns the value of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Get {
    All(for<'v> fn(&'v Found<'v>) -> Value<'v>),
    OfPlace(for<'v> fn(&'v Origin<'v>) -> Value<'v>),
    /// Called only for URLs. For rejects, the field is null.
    OfHit(for<'v> fn(&'v HitRef<'v>) -> Value<'v>),
    /// Called only for rejects. For URLs, the field is null.
    OfRefused(for<'v> fn(&'v Refused<'v>) -> Value<'v>),
}

pub(crate) enum Value<'v> {
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
    Text(Cow<'v, str>),
    Number(u64),
    Boolean(bool),
    /// A time in the format of RFC 3339, and the same time as Unix time in seconds.
    Time(&'v str, #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet uses it"))] i64),
    /// The number of a MIME part.
    Section(&'v [u32]),
    /// A list with at least one text.
    Texts(Vec<Cow<'v, str>>),
    /// A list with at least one alternative URL.
    Readings(&'v [Alternative]),
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
    #[inline(always)]
    pub(crate) fn name(&self) -> &'static str {
        &self.json[2..self.json.len() - 6]
    }

    #[inline(always)]
    pub(crate) fn value<'v>(&self, found: &'v Found<'v>) -> Value<'v> {
        match (self.get, found) {
            (All(get), found) => get(found),
            (OfPlace(get), found) => get(found.origin()),
            (OfHit(get), Found::Hit(hit)) => get(hit),
            (OfRefused(get), Found::Refused(refused)) => get(refused),
            _ => Value::Absent,
        }
    }

    pub(crate) fn is_nullable(&self) -> bool {
        !matches!(self.name(), URL | "form" | "offset" | "length" | "recovered" | "defanged")
    }
}

/// The name of the field that `--sort` and `-u` compare.
pub(crate) const URL: &str = "url";

/// A visitor of the fields. It visits all fields in the order of the output.
pub(crate) trait Visit {
    fn field(&mut self, field: Field);

    /// Visits a field that is printed only if `--fields` names it.
    fn extra(&mut self, field: Field) {
        self.field(field);
    }

    /// Visits the fields whose value is the same for all URLs of a message, by calling `fields`. A visitor can override
    /// this method, and call `fields` only once per message.
    fn of_message(&mut self, fields: impl FnOnce(&mut Self)) {
        fields(self);
    }
}

impl Visit for Vec<Field> {
    fn field(&mut self, field: Field) {
        self.push(field);
    }
}

pub(crate) fn all() -> Vec<Field> {
    let mut fields = Vec::new();
    visit(&mut fields);
    fields
}

/// Returns the fields that are printed without `--fields`.
pub(crate) fn usual() -> Vec<Field> {
    let mut fields = all();
    fields.retain(|field| !field.is_extra);
    fields
}

macro_rules! new {
    ($name:literal, $kind:expr, $about:expr, $get:expr, $is_extra:literal) => {
        Field { json: concat!(",\"", $name, "\":null"), kind: $kind, about: $about, get: $get, is_extra: $is_extra }
    };
}

macro_rules! row {
    ($to:ident, $name:literal, $kind:expr, $about:expr, $get:expr $(,)?) => {
        $to.field(new!($name, $kind, $about, $get, false))
    };
}

/// Like `row`, for a field that is printed only if `--fields` names it.
macro_rules! extra {
    ($to:ident, $name:literal, $kind:expr, $about:expr, $get:expr $(,)?) => {
        $to.extra(new!($name, $kind, $about, $get, true))
    };
}

/// Passes all fields to `to`. Each field is a macro call, and not a row of an array, so that the compiler can inline
/// the code for the field.
#[inline(always)]
pub(crate) fn visit(to: &mut impl Visit) {
    row!(to, "url", Text, "the URL as written, with line breaks removed", All(url));
    row!(
        to,
        "url_bytes",
        Base64,
        "the bytes of `url`, if they are not UTF-8; used only with `--rejects`",
        OfRefused(|refused| base64(Some(refused.text))),
    );
    row!(
        to,
        "form",
        Text,
        "how the text marks the URL: `wrapped` `<URL:...>`, `angle` `<http:...>`, `bare`, `prefixed` `URL:...`, \
         `href` (an HTML attribute)",
        All(|found| found.form().as_str().into()),
    );
    row!(
        to,
        "tier",
        Text,
        "the grammar that allows the URL: `rfc1738`, `relaxed`, `rfc3986` or `iri`",
        OfHit(|hit| hit.tier().as_str().into()),
    );
    row!(to, "scheme", Text, "the scheme, in lower case", OfHit(scheme));
    row!(
        to,
        "host",
        Text,
        "the host, as written",
        OfHit(|hit| hit.url().host().map(|host| of_tier(hit, host.as_bytes())).into()),
    );
    extra!(
        to,
        "host_ascii",
        Text,
        "the host in lower case, with international names in Punycode, as in the DNS",
        OfHit(|hit| hit.url().host_ascii().into()),
    );
    extra!(
        to,
        "domain",
        Text,
        "the registrable domain of the host, by the public suffix list",
        OfHit(|hit| hit.url().registrable_domain().into()),
    );
    row!(to, "fragment", Text, "the text after `#`", OfHit(|hit| hit.url().fragment().map(str::as_bytes).into()));
    extra!(
        to,
        "normalized",
        Text,
        "the URL in normal form; URLs with the same normal form are equivalent by their syntax",
        OfHit(|hit| hit.url().normalized().into()),
    );
    extra!(
        to,
        "wayback",
        Text,
        "a link to a copy in the Wayback Machine from about the date of the message; if the message has no date, a \
         link to the list of all copies; used only for `http`, `https` and `ftp` URLs",
        OfHit(|hit| wayback(hit).into()),
    );
    row!(
        to,
        "target",
        Text,
        "the original URL, if a service such as SafeLinks, urldefense or google.com/url has rewritten it",
        OfHit(|hit| hit.url().targets().pop().map(String::from).into()),
    );
    row!(
        to,
        "targets",
        Texts,
        "all decoded targets (at most eight), if several services have rewritten the URL; the last one is `target`",
        OfHit(targets),
    );
    row!(
        to,
        "reason",
        Text,
        "the reason why the text is not a URL; used only with `--rejects`",
        OfRefused(|refused| refused.why.as_str().into())
    );
    row!(
        to,
        "reason_offset",
        Integer,
        "the offset of the error in the text, in bytes from 0; used only with `--rejects`",
        OfRefused(|refused| (refused.why.offset() as u64).into()),
    );
    to.of_message(message);
    row!(to, "part", Text, "the IMAP section number of the MIME part, in brackets", OfPlace(part));
    row!(
        to,
        "header",
        Text,
        "the name of the header field that contains the URL",
        OfPlace(|place| place.header().into())
    );
    row!(
        to,
        "offset",
        Integer,
        "the offset of the URL in the file (after decompression), in bytes from 0",
        OfPlace(|place| place.offset().into()),
    );
    row!(
        to,
        "length",
        Integer,
        "the number of bytes that the URL takes in the file",
        OfPlace(|place| place.length().into())
    );
    row!(
        to,
        "precision",
        Text,
        "`part` if `offset` is the offset of the MIME part, because the exact offset is unknown",
        OfPlace(|place| (!place.is_exact()).then_some("part").into()),
    );
    row!(to, "line", Integer, "the line on which the URL begins, from 1", OfPlace(|place| place.line().into()));
    row!(
        to,
        "quote_depth",
        Integer,
        "the number of quote marks, such as `>`, at the beginning of the line",
        OfHit(|hit| (hit.quote_depth() as u64).into()),
    );
    row!(to, "rejoined", Boolean, "whether the URL was broken over lines", OfHit(|hit| hit.is_rejoined().into()));
    row!(
        to,
        "confidence",
        Integer,
        "the probability, in percent, that the URL was rejoined correctly; used only for URLs without brackets",
        OfHit(|hit| hit.confidence().map(u64::from).into()),
    );
    row!(
        to,
        "recovered",
        Boolean,
        "whether malformed MIME was repaired to find the URL",
        OfPlace(|place| place.is_recovered().into()),
    );
    row!(
        to,
        "defanged",
        Boolean,
        "whether the URL was defanged, as in `hxxp://evil[.]example/`; used only with `--defanged`",
        OfPlace(|place| place.is_defanged().into()),
    );
    row!(
        to,
        "element",
        Text,
        "the HTML element whose attribute contains the URL, such as `a` or `img`",
        OfPlace(|place| place.element().into()),
    );
    row!(
        to,
        "attribute",
        Text,
        "the HTML attribute that contains the URL, such as `href` or `src`; null if the URL is in the content of a \
         `style` element",
        OfPlace(|place| place.attribute().into()),
    );
    row!(
        to,
        "html_place",
        Text,
        "the place of an HTML link that browsers do not follow: `conditional-comment` (`<!--[if mso]>`), \
         `data-saferedirecturl` or `originalsrc`",
        OfPlace(|place| place.html_place().map(HtmlPlace::as_str).into()),
    );
    row!(to, "shown_text", Text, "the text of the HTML link", OfHit(|hit| hit.shown().into()));
    row!(
        to,
        "alternatives",
        Readings,
        "other URLs that the text can mean, each with its reason: `hyphen`, `rejoin`, `tokens`, `quote`, `script`, \
         `reference`, `defanged`",
        OfHit(alternatives),
    );
    row!(
        to,
        "doubtful",
        Text,
        "why the URL may be wrong: `tokens` (several words are on one line between the brackets), `quote` (a line \
         between the brackets has no quote mark), `script` (a letter in a charset other than UTF-8 follows the URL \
         directly), `defanged` (the restored host may be incomplete or too long)",
        OfHit(|hit| hit.ambiguity().map(Reason::as_str).into()),
    );
    row!(to, "trimmed", Text, "punctuation that was removed from the end of the URL", OfHit(trimmed));
    row!(
        to,
        "warnings",
        Texts,
        "`password`, `port-not-default`, `port-reserved`, `encoded-control`, `userinfo-looks-like-host`, `bad-escape`, \
         `host-looks-latin` (the host has letters of other scripts that look Latin), `shown-as-other-host` (the text \
         of an HTML link names a host in another domain than the URL), `host-is-number` (an address that is not \
         written as four decimal numbers), `encoded-nul`, `bidi-control` (a character that changes the direction of \
         writing); for HTML attributes that browsers repair: `characters-encoded` (blanks and other characters that \
         are not allowed in URLs), `slashes-mended` (backslashes, missing or extra slashes), `address-trimmed` (blanks \
         or angle brackets around the address of a `mailto`)",
        OfHit(warnings),
    );
    row!(
        to,
        "dup",
        Boolean,
        "whether an earlier part of the same `multipart/alternative` has the same URL",
        OfHit(|hit| hit.is_repeated_in_alternative().into()),
    );
}

/// Calls `to` with each field whose value is the same for all URLs of a message.
#[inline(always)]
fn message(to: &mut impl Visit) {
    row!(to, "file", Text, "the name of the file", OfPlace(|place| file(place).into()));
    row!(to, "file_bytes", Base64, "the bytes of `file`, if they are not UTF-8", OfPlace(|place| base64(file(place))));
    row!(
        to,
        "member",
        Text,
        "the name of the member, if the file is an archive such as tar, zip or `.pst`",
        OfPlace(|place| place.member().into())
    );
    row!(
        to,
        "member_bytes",
        Base64,
        "the bytes of `member`, if they are not UTF-8",
        OfPlace(|place| base64(place.member())),
    );
    row!(
        to,
        "message",
        Integer,
        "the number of the message in the file or member, from 1",
        OfPlace(|place| place.message().into()),
    );
    row!(
        to,
        "message_offset",
        Integer,
        "the offset of the message in the file (after decompression), in bytes from 0",
        OfPlace(|place| place.message_range().map(|range| range.start).into()),
    );
    row!(
        to,
        "message_length",
        Integer,
        "the number of bytes that the message takes in the file",
        OfPlace(|place| place.message_range().map(|range| range.end - range.start).into()),
    );
    row!(
        to,
        "message_id",
        Text,
        "the Message-ID of the message, without brackets",
        OfPlace(|place| place.message_id().into()),
    );
    row!(
        to,
        "message_id_bytes",
        Base64,
        "the bytes of `message_id`, if they are not UTF-8",
        OfPlace(|place| base64(place.message_id())),
    );
    row!(to, "date", Time, "the date of the message, in UTC", OfPlace(date));
    row!(to, "from", Text, "the From field of the message, decoded", OfPlace(|place| text(place.from_field())));
    row!(to, "subject", Text, "the Subject field of the message, decoded", OfPlace(|place| text(place.subject())));
    row!(to, "newsgroups", Text, "the newsgroups of the message", OfPlace(|place| place.newsgroups().into()));
    row!(
        to,
        "newsgroups_bytes",
        Base64,
        "the bytes of `newsgroups`, if they are not UTF-8",
        OfPlace(|place| base64(place.newsgroups())),
    );
    row!(to, "list_id", Text, "the List-Id of the message", OfPlace(|place| place.list_id().into()));
    row!(
        to,
        "list_id_bytes",
        Base64,
        "the bytes of `list_id`, if they are not UTF-8",
        OfPlace(|place| base64(place.list_id())),
    );
}

/// Returns `bytes`, a part of the URL of `hit`, as a value. A URL of the tier `rfc1738` needs no escapes in JSON, so
/// its parts are printed faster, as `Value::Plain`.
#[inline(always)]
fn of_tier<'v>(hit: &HitRef<'_>, bytes: &'v [u8]) -> Value<'v> {
    if hit.tier() == Tier::Rfc1738 { Value::Plain(bytes) } else { Value::Bytes(bytes) }
}

#[inline(always)]
fn url<'v>(found: &'v Found<'v>) -> Value<'v> {
    match found {
        Found::Hit(hit) => of_tier(hit, found.text()),
        _ => found.text().into(),
    }
}

#[inline(always)]
fn scheme<'v>(hit: &'v HitRef<'v>) -> Value<'v> {
    let url = hit.url();
    // The table of known schemes has their names in lower case. The name of any other scheme must be converted to lower
    // case.
    url.known_scheme().map_or(Value::Lower(url.scheme().as_bytes()), |row| row.name.into())
}

/// Returns all targets of a URL, or null if there are fewer than two.
pub(crate) fn several_targets(url: &Url<'_>) -> Value<'static> {
    let targets = url.targets();
    if targets.len() < 2 {
        return Value::Absent;
    }
    targets.into_iter().map(|target| String::from(target).into()).collect::<Vec<_>>().into()
}

fn wayback(hit: &HitRef<'_>) -> Option<String> {
    let url = hit.url();
    url.known_scheme().filter(|scheme| ["http", "https", "ftp"].contains(&scheme.name))?;
    let digits = |date: &str| date.chars().filter(char::is_ascii_digit).collect();
    let time = hit.origin().date().map_or("*".to_owned(), digits);
    Some(format!("https://web.archive.org/web/{time}/{url}"))
}

fn targets<'v>(hit: &'v HitRef<'v>) -> Value<'v> {
    several_targets(hit.url())
}

#[inline(always)]
fn warnings<'v>(hit: &'v HitRef<'v>) -> Value<'v> {
    hit.warnings().iter().map(|warning| warning.as_str().into()).collect::<Vec<_>>().into()
}

/// Returns the value of a field such as `url_bytes`. Returns null if the bytes are valid UTF-8, because a text field
/// such as `url` already contains all of them.
pub(crate) fn base64(bytes: Option<&[u8]>) -> Value<'_> {
    bytes.filter(|bytes| std::str::from_utf8(bytes).is_err()).map_or(Value::Absent, Value::Base64)
}

fn text(text: Option<&str>) -> Value<'_> {
    text.map(Cow::from).into()
}

fn file<'v>(place: &Origin<'v>) -> Option<&'v [u8]> {
    place.file().map(|path: &Path| path.as_os_str().as_encoded_bytes())
}

fn date<'v>(place: &'v Origin<'v>) -> Value<'v> {
    place.date().zip(place.timestamp()).map_or(Value::Absent, |(text, seconds)| Value::Time(text, seconds))
}

#[inline(always)]
fn part<'v>(place: &'v Origin<'v>) -> Value<'v> {
    let path = place.part().path();
    if path.is_empty() { Value::Absent } else { Value::Section(path) }
}

#[inline(always)]
fn alternatives<'v>(hit: &'v HitRef<'v>) -> Value<'v> {
    let others = hit.alternatives();
    if others.is_empty() { Value::Absent } else { Value::Readings(others) }
}

#[inline(always)]
fn trimmed<'v>(hit: &'v HitRef<'v>) -> Value<'v> {
    Some(hit.trimmed()).filter(|trimmed| !trimmed.is_empty()).into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::{Field, Kind};

    /// `docs/output.md` must have a row for each field, with the type, the definition and an example.
    #[test]
    fn the_reference_has_all_fields() {
        let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/output.md")).unwrap();
        let head = "| field | type | meaning | example |\n|---|---|---|---|\n";
        let (_, table) = page.split_once(head).expect("the table of fields");
        let (table, _) = table.split_once("\n\n").expect("its end");
        let rows: Vec<Vec<_>> = table
            .lines()
            .map(|row| row.trim_start_matches("| ").trim_end_matches(" |").split(" | ").collect())
            .collect();
        let shown: Vec<_> = rows.iter().map(|row| row[..3].join(" | ")).collect();
        let row = |field: &Field| format!("`{}` | {} | {}", field.name(), kind(field.kind), field.about);
        let fields: Vec<_> = super::all().iter().map(row).collect();
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

    fn kind(kind: Kind) -> &'static str {
        match kind {
            Kind::Text => "string",
            Kind::Base64 => "string, base64",
            Kind::Time => "string, date-time",
            Kind::Integer => "integer",
            Kind::Boolean => "boolean",
            Kind::Texts => "array of strings",
            Kind::Readings => "array of objects",
        }
    }
}
