//! JSON: an object per line, and nothing else, so that `jq`, DuckDB and Spark read it as it is.

use std::ops::Range;

use super::fields::{self, Field, Visit};
use super::object::Object;
use crate::event::Found;

/// The layout.
#[derive(Clone, Debug)]
pub(crate) struct Json {
    /// The fields to print, in this order; `None` is the usual ones.
    fields: Option<Vec<Field>>,
    /// The fields of the message at hand, once something was found in it: most messages with one find have several.
    message: Vec<u8>,
}

impl Json {
    pub(crate) fn new(fields: Option<Vec<Field>>) -> Json {
        Json { fields, message: Vec::new() }
    }

    /// Appends the object and a newline; gives the place of its key: the URL, or all of it if the URL is not printed. A
    /// reading has no object of its own: it is among the `alternatives` of its hit.
    #[inline(never)]
    pub(super) fn line(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Option<Range<usize>> {
        // Where it is known which of them it is, the compiler leaves out the fields of the other.
        match found {
            Found::Hit(hit) => Some(self.object(out, Found::Hit(hit))),
            Found::Refused(refused) => Some(self.object(out, Found::Refused(refused))),
            Found::Reading(..) => None,
        }
    }

    #[inline(always)]
    fn object(&mut self, out: &mut Vec<u8>, found: Found<'_>) -> Range<usize> {
        let start = out.len();
        let mut line = Line { message: &mut self.message, found: &found, object: Object::open(out), key: None };
        match &self.fields {
            // A call for each field would take longer than all else.
            None => fields::visit(&mut line),
            Some(fields) => fields.iter().for_each(|field| line.field(*field)),
        }
        let Line { object, key, .. } = line;
        object.close();
        let key = key.unwrap_or(start..out.len());
        out.push(b'\n');
        key
    }

    /// What comes now is of another message.
    pub(super) fn segment(&mut self) {
        self.message.clear();
    }
}

/// A line in the making.
struct Line<'l> {
    message: &'l mut Vec<u8>,
    found: &'l Found<'l>,
    object: Object<'l>,
    key: Option<Range<usize>>,
}

impl Visit for Line<'_> {
    #[inline(always)]
    fn field(&mut self, field: Field) {
        let place = self.object.output_field(&field, field.value(self.found));
        if field.name() == fields::URL {
            self.key = Some(place);
        }
    }

    // Only where no field is named does a visit give it one.
    #[inline(always)]
    fn extra(&mut self, _: Field) {}

    #[inline(always)]
    fn of_message(&mut self, fields: impl FnOnce(&mut Self)) {
        if !self.message.is_empty() {
            return self.object.again(self.message);
        }
        let start = self.object.len();
        fields(self);
        self.message.extend_from_slice(self.object.since(start));
    }
}
