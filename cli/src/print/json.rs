//! JSON: an object per line, and nothing else, so that `jq`, DuckDB and Spark read it as it is.

use std::ops::Range;

use super::fields::{self, Get, Visit};
use super::object::Object;
use crate::event::Found;

/// The layout; there is nothing to choose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Json {
    /// The fields of the message at hand, once something was found in it: most messages with one find have several.
    message: Vec<u8>,
}

impl Json {
    /// Appends the object and a newline; gives the place of the URL in it. A reading has no object of its own: it is among
    /// the `alternatives` of its hit.
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
        let mut line = Line { json: self, found: &found, object: Object::open(out), key: 0..0 };
        fields::visit(&mut line);
        let Line { object, key, .. } = line;
        object.close();
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
    json: &'l mut Json,
    found: &'l Found<'l>,
    object: Object<'l>,
    key: Range<usize>,
}

impl Visit for Line<'_> {
    #[inline(always)]
    fn field(&mut self, name: &'static str, _: &'static str, get: Get) {
        self.object.field(name, get.value(self.found));
    }

    #[inline(always)]
    fn key(&mut self, name: &'static str, _: &'static str, get: Get) {
        self.key = self.object.field(name, get.value(self.found));
    }

    #[inline(always)]
    fn of_message(&mut self, fields: impl FnOnce(&mut Self)) {
        if !self.json.message.is_empty() {
            return self.object.again(&self.json.message);
        }
        let start = self.object.len();
        fields(self);
        self.json.message.extend_from_slice(self.object.since(start));
    }
}
