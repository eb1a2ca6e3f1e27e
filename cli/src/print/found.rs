//! What gets a line in the output.

use urlspool::fields::{Field, Value};
use urlspool::{Hit, Location, Reject};

/// A finding that gets a line in the output.
#[derive(Clone, Copy)]
pub(crate) enum Found<'e> {
    Hit(&'e Hit<'e>),
    /// Another possible URL for the same hit, such as one without the hyphen at a line break. It has a line only in
    /// plain text. In the other formats, the hit lists it in the field `alternatives`.
    Reading(&'e Hit<'e>, &'e [u8]),
    /// A text that is not a URL. With `--rejects` and `--tier`, also a URL of another tier.
    Reject(&'e Reject<'e>),
}

impl<'e> Found<'e> {
    pub(crate) fn text(&self) -> &'e [u8] {
        match self {
            Found::Hit(hit) => hit.url().as_bytes(),
            Found::Reading(_, url) => url,
            Found::Reject(reject) => reject.text(),
        }
    }

    pub(crate) fn location(&self) -> &'e Location<'e> {
        match self {
            Found::Hit(hit) | Found::Reading(hit, _) => hit,
            Found::Reject(reject) => reject,
        }
    }

    #[inline(always)]
    pub(crate) fn value(&self, field: &Field) -> Value<'e> {
        match self.hit_or_reject() {
            Ok(hit) => field.of(hit),
            Err(reject) => field.of_reject(reject),
        }
    }

    #[inline(always)]
    pub(super) fn hit_or_reject(&self) -> Result<&'e Hit<'e>, &'e Reject<'e>> {
        match self {
            Found::Hit(hit) | Found::Reading(hit, _) => Ok(hit),
            Found::Reject(reject) => Err(reject),
        }
    }
}
