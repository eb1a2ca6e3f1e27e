//! What gets a line in the output.

use urlspool::{Form, HitRef, Origin, RejectReason};

/// A finding that gets a line in the output.
#[derive(Clone, Copy)]
pub(crate) enum Found<'e> {
    Hit(&'e HitRef<'e>),
    /// Another possible URL for the same hit, such as one without the hyphen at a line break.
    Reading(&'e HitRef<'e>, &'e [u8]),
    Refused(&'e Refused<'e>),
}

/// A text that is not a URL. With `--strict`, also a URL that RFC 1738 does not allow.
pub(crate) struct Refused<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) form: Form,
    pub(crate) why: RejectReason,
    pub(crate) origin: &'a Origin<'a>,
}

impl<'e> Found<'e> {
    pub(crate) fn text(&self) -> &'e [u8] {
        match self {
            Found::Hit(hit) => hit.url().as_bytes(),
            Found::Reading(_, url) => url,
            Found::Refused(refused) => refused.text,
        }
    }

    pub(crate) fn form(&self) -> Form {
        match self {
            Found::Hit(hit) | Found::Reading(hit, _) => hit.form(),
            Found::Refused(refused) => refused.form,
        }
    }

    pub(crate) fn origin(&self) -> &'e Origin<'e> {
        match self {
            Found::Hit(hit) | Found::Reading(hit, _) => hit.origin(),
            Found::Refused(refused) => refused.origin,
        }
    }
}
