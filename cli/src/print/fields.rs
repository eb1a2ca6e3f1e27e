//! The fields of the output: one row each, in [`visit`]. JSON, CSV, TSV, the help and the man page are made of the rows, in
//! this order, and a test compares the table in `docs/output.md` with them. A new field is a row here and one there.

use std::path::Path;

use urlspool::{Alternative, HitRef, HtmlPlace, Origin, Reason, Tier, Url, Warnings};

use crate::event::{Found, Refused};

use self::Get::{All, OfHit, OfPlace, OfRefused};

/// A field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// Its meaning, as in `docs/output.md` and the man page.
    pub(crate) about: &'static str,
    pub(crate) get: Get,
}

/// Where the value of a field comes from, which also says what has such a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Get {
    All(for<'v> fn(&'v Found<'v>) -> Value<'v>),
    OfPlace(for<'v> fn(&'v Origin<'v>) -> Value<'v>),
    /// URLs only.
    OfHit(for<'v> fn(&'v HitRef<'v>) -> Value<'v>),
    /// Rejects only.
    OfRefused(for<'v> fn(&'v Refused<'v>) -> Value<'v>),
}

/// The value of a field.
#[derive(Clone, Copy)]
pub(crate) enum Value<'v> {
    /// None: JSON leaves out the field, a table has an empty cell.
    Absent,
    /// Bytes from the input.
    Bytes(&'v [u8]),
    /// Bytes that JSON need not escape: printable ASCII without quotes and backslashes.
    Plain(&'v [u8]),
    /// The same, to be written in lower case.
    Lower(&'v [u8]),
    Number(u64),
    Boolean(bool),
    /// Numbers, to be written with dots between.
    Section(&'v [u32]),
    Alternatives(&'v [Alternative]),
    Warnings(Warnings),
    /// The last of a URL's targets.
    Target(&'v Url<'v>),
    /// All of them, if there are several.
    Targets(&'v Url<'v>),
    /// The HTML element that has it.
    Element(&'v Origin<'v>),
    /// What is shown for a link.
    Shown(&'v HitRef<'v>),
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

/// Words of tables, dates and the like: what JSON need not escape.
impl<'v> From<&'v str> for Value<'v> {
    fn from(word: &'v str) -> Self {
        Value::Plain(word.as_bytes())
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        Value::Number(number)
    }
}

/// A flag: `true`, or nothing.
impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        if flag { Value::Boolean(true) } else { Value::Absent }
    }
}

impl Get {
    #[inline(always)]
    pub(crate) fn value<'v>(self, found: &'v Found<'v>) -> Value<'v> {
        match (self, found) {
            (All(get), found) => get(found),
            (OfPlace(get), found) => get(found.origin()),
            (OfHit(get), Found::Hit(hit)) => get(hit),
            (OfRefused(get), Found::Refused(refused)) => get(refused),
            _ => Value::Absent,
        }
    }

    /// Whether rejects have such a field, or URLs.
    fn is_of(self, rejects: bool) -> bool {
        match self {
            All(_) | OfPlace(_) => true,
            OfHit(_) => !rejects,
            OfRefused(_) => rejects,
        }
    }
}

/// Something that goes through all fields in their order.
pub(crate) trait Visit {
    fn field(&mut self, name: &'static str, about: &'static str, get: Get);

    /// The field that lines are sorted by and told apart by.
    fn key(&mut self, name: &'static str, about: &'static str, get: Get) {
        self.field(name, about, get);
    }

    /// These fields are the same throughout a message.
    fn of_message(&mut self, fields: impl FnOnce(&mut Self)) {
        fields(self);
    }
}

/// Makes a list of them.
impl Visit for Vec<Field> {
    fn field(&mut self, name: &'static str, about: &'static str, get: Get) {
        self.push(Field { name, about, get });
    }
}

/// All fields, those of rejects among them.
pub(crate) fn all() -> Vec<Field> {
    let mut fields = Vec::new();
    visit(&mut fields);
    fields
}

/// Those that rejects have, or URLs.
pub(crate) fn of(rejects: bool) -> Vec<Field> {
    let mut fields = all();
    fields.retain(|field| field.get.is_of(rejects));
    fields
}

/// Has `to` visit all fields. It is a function and not a constant so that the compiler can make straight code of a visit,
/// without a call per field.
#[inline(always)]
pub(crate) fn visit(to: &mut impl Visit) {
    to.key("url", "as written, rejoined", All(url));
    to.field(
        "form",
        "`wrapped` `<URL:...>`, `angle` `<http:...>`, `bare`, `prefixed` `URL:...`, `href` (an HTML attribute)",
        All(|found| found.form().as_str().into()),
    );
    to.field(
        "tier",
        "which grammar allows it: `rfc1738`, `relaxed`, `rfc3986` or `iri`",
        OfHit(|hit| hit.tier().as_str().into()),
    );
    to.field("scheme", "its scheme, in lower case", OfHit(scheme));
    to.field(
        "host",
        "its host, as written",
        OfHit(|hit| hit.url().host().map(|host| of_tier(hit, host.as_bytes())).into()),
    );
    to.field("fragment", "what follows `#`", OfHit(|hit| hit.url().fragment().map(str::as_bytes).into()));
    to.field("reason", "with `--rejects`: why it is not a URL", OfRefused(|refused| refused.why.as_str().into()));
    to.field(
        "reason_offset",
        "with `--rejects`: the byte of the text that is wrong, from 0",
        OfRefused(|refused| (refused.why.offset() as u64).into()),
    );
    to.of_message(|to| {
        to.field("file", "the name of the file", OfPlace(|place| place.file().map(path).into()));
        to.field("member", "in a tar or zip archive, the member's name", OfPlace(|place| place.member().into()));
        to.field(
            "message",
            "the number of the message in the file or member, from 1",
            OfPlace(|place| place.message().into()),
        );
        to.field(
            "message_id",
            "the Message-ID of the message, without brackets",
            OfPlace(|place| place.message_id().into()),
        );
        to.field("date", "the date of the message, in UTC", OfPlace(|place| place.date().into()));
        to.field("newsgroups", "the newsgroups of the message", OfPlace(|place| place.newsgroups().into()));
        to.field("list_id", "the List-Id of the message", OfPlace(|place| place.list_id().into()));
    });
    to.field("part", "the MIME part, as IMAP numbers it", OfPlace(part));
    to.field("header", "the name of the header field that it is in", OfPlace(|place| place.header().into()));
    to.field(
        "offset",
        "where it begins: a byte of the file as stored (or decompressed), from 0",
        OfPlace(|place| place.offset().into()),
    );
    to.field("length", "how many bytes of the file it takes", OfPlace(|place| place.length().into()));
    to.field("line", "the line on which it begins, from 1", OfPlace(|place| place.line().into()));
    to.field("quote_depth", "how many quote marks its line begins with", OfHit(quote_depth));
    to.field("rejoined", "it was broken over lines", OfHit(|hit| hit.is_rejoined().into()));
    to.field(
        "confidence",
        "of a URL without brackets that was rejoined: how likely it is the one that was meant, in percent",
        OfHit(|hit| hit.confidence().map(u64::from).into()),
    );
    to.field("recovered", "MIME damage was repaired to find it", OfPlace(|place| place.is_recovered().into()));
    to.field(
        "defanged",
        "with `--defanged`: it was written as `hxxp://evil[.]example/` or the like",
        OfPlace(|place| place.is_defanged().into()),
    );
    to.field(
        "element",
        "in HTML, the element whose attribute it is, such as `a` or `img`",
        OfPlace(|place| Value::Element(place)),
    );
    to.field(
        "attribute",
        "in HTML, the attribute that it is in, such as `href` or `src`; none in the content of a `style` element",
        OfPlace(|place| place.attribute().into()),
    );
    to.field(
        "html_place",
        "where in HTML it is, if browsers do not follow it from there: `conditional-comment` (`<!--[if mso]>`), \
         `data-saferedirecturl`, `originalsrc`",
        OfPlace(|place| place.html_place().map(HtmlPlace::as_str).into()),
    );
    to.field(
        "precision",
        "`part` if the offset is that of the whole part, for no encoding's map leads back to an exact one",
        OfPlace(|place| (!place.is_exact()).then_some("part").into()),
    );
    to.field(
        "alternatives",
        "other readings, each with its reason: `hyphen`, `rejoin`, `tokens`, `quote`, `script`, `reference`, `defanged`",
        OfHit(|hit| Value::Alternatives(hit.alternatives())),
    );
    to.field(
        "doubtful",
        "`tokens`: the wrapper had several words on one line; `quote`: a line of it had lost its quote mark; `script`: a \
         letter follows directly in a charset that is not UTF-8; `defanged`: its host may be cut off, or go on, where something was put right",
        OfHit(|hit| hit.ambiguity().map(Reason::as_str).into()),
    );
    to.field("trimmed", "punctuation of the text that was taken off its end", OfHit(trimmed));
    to.field(
        "target",
        "where it leads, if a service has put it in the place of another URL: SafeLinks, urldefense, google.com/url and \
         the like",
        OfHit(|hit| Value::Target(hit.url())),
    );
    to.field(
        "targets",
        "if the target is of such a service, too: all on the way there, at most eight, `target` last",
        OfHit(|hit| Value::Targets(hit.url())),
    );
    to.field("shown", "in HTML, the text of the link", OfHit(|hit| Value::Shown(hit)));
    to.field(
        "warnings",
        "`password`, `port-not-default`, `port-reserved`, `encoded-control`, `userinfo-looks-like-host`, `bad-escape`, \
         `host-looks-latin` (its letters are of other scripts), `shown-as-other-host` (an HTML link whose text names a \
         host in another domain), `host-is-number` (an address that is not written as four decimal numbers), \
         `encoded-nul`, `bidi-control` (a character that turns the direction of writing); of HTML attributes that browsers \
         mend: `characters-encoded` (blanks and other characters that no URL holds), `slashes-mended` (backslashes, missing \
         or extra slashes), `address-trimmed` (blanks or angle brackets around the address of a `mailto`)",
        OfHit(|hit| Value::Warnings(hit.warnings())),
    );
    to.field(
        "dup",
        "it stood in another part of the same `multipart/alternative` before",
        OfHit(|hit| hit.is_repeated_in_alternative().into()),
    );
}

/// What RFC 1738 allows is printable ASCII without quotes and backslashes.
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
    // The table of schemes has them in lower case.
    url.known_scheme().map_or(Value::Lower(url.scheme().as_bytes()), |row| row.name.into())
}

fn path(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[inline(always)]
fn part<'v>(place: &'v Origin<'v>) -> Value<'v> {
    let path = place.part().path();
    if path.is_empty() { Value::Absent } else { Value::Section(path) }
}

#[inline(always)]
fn quote_depth<'v>(hit: &'v HitRef<'v>) -> Value<'v> {
    Some(hit.quote_depth() as u64).filter(|depth| *depth > 0).into()
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

    /// `docs/output.md` has a row for each field, with an example of its type.
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
        let shown: Vec<_> = rows.iter().map(|row| format!("{} | {}", row[0], row[2])).collect();
        let fields: Vec<_> = super::all().iter().map(|field| format!("`{}` | {}", field.name, field.about)).collect();
        assert_eq!(shown, fields, "the table should have these fields and meanings:\n{}", fields.join("\n"));
        for row in rows {
            let example: Value = serde_json::from_str(row[3].trim_matches('`')).expect(row[0]);
            let kind = match example {
                Value::String(_) => "string",
                Value::Number(_) => "integer",
                Value::Bool(true) => "`true`",
                Value::Array(values) if values.iter().all(Value::is_string) => "array of strings",
                Value::Array(_) => "array of objects",
                other => panic!("{}: {other}", row[0]),
            };
            assert_eq!(row[1], kind, "the type of {}", row[0]);
        }
    }
}
