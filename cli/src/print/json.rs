//! `--json`: prints one object per line, which `jq`, DuckDB and Spark can read.

use std::ops::Range;

use urlspool::fields::{Field, Value};
use urlspool::json::Object;

use super::URL;
use super::found::Found;

#[derive(Clone, Debug)]
pub(crate) struct Json {
    /// The fields of `--fields`, in their order. Those without a value are omitted. `None` means the default fields,
    /// also those without a value.
    fields: Option<Vec<Field>>,
    /// The fields of the current message, such as its date, already encoded as JSON. They are encoded once per message,
    /// because most messages with URLs have several URLs.
    message: Vec<u8>,
}

impl Json {
    pub(crate) fn new(fields: Option<Vec<Field>>) -> Json {
        Json { fields, message: Vec::new() }
    }

    /// Appends the object and a newline. Returns the range in `out` that `--sort` and `-u` compare: the URL, or the
    /// whole object if it has no field `url`.
    #[inline(never)]
    pub(super) fn line(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        // Each arm has its own call of `object`. In each call, the compiler knows the variant of `found`, and removes
        // the code for the fields that are always null in this variant.
        match found.hit_or_reject() {
            Ok(hit) => self.object(out, Found::Hit(hit)),
            Err(reject) => self.object(out, Found::Reject(reject)),
        }
    }

    #[inline(always)]
    fn object(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        let key = match &self.fields {
            // A column that is null in every row has no type for the programs of docs/data.md, so it is not written.
            Some(fields) => row(out, fields, |value| !matches!(value, Value::Absent), |field| found.value(field)),
            None => {
                let mut object = Object::open(out);
                // `fields` is inlined. Without inlining, the function calls, one for each field, would take most of the
                // time.
                let key = object.fields(&mut self.message, found.hit_or_reject());
                object.close();
                key
            }
        };
        out.push(b'\n');
        key
    }

    /// Forgets the encoded fields of the message, because the following hits are in another message.
    pub(super) fn segment(&mut self) {
        self.message.clear();
    }
}

/// Appends an object with those of the fields whose value is `wanted`, without a newline. Returns the range of the URL,
/// or of the whole object if it has no field `url`.
pub(super) fn row<'v>(
    out: &mut Vec<u8>,
    fields: &[Field],
    wanted: impl Fn(&Value<'v>) -> bool,
    value: impl Fn(&Field) -> Value<'v>,
) -> Range<usize> {
    let start = out.len();
    let mut object = Object::open(out);
    let mut key = None;
    for field in fields {
        let value = value(field);
        if wanted(&value) {
            let place = object.output_field(field, value);
            key = if field.name() == URL { Some(place) } else { key };
        }
    }
    object.close();
    key.unwrap_or(start..out.len())
}
