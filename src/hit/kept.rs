//! Owned hits: the data of a hit, copied from the input.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Hit;
use super::message::KeptMessage;
use crate::mail::{HtmlPlace, Section};
use crate::scan::{Alternative, Form, Reason};
use crate::url::Url;
use crate::zone::Zone;

/// The data of an owned hit.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) url: Url<'static>,
    pub(super) message: Arc<KeptMessage>,
    pub(super) part: Arc<Section>,
    pub(super) header: Option<Box<[u8]>>,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) line: u64,
    pub(super) zone: Option<Zone>,
    pub(super) quote_depth: usize,
    pub(super) form: Form,
    pub(super) confidence: Option<u8>,
    pub(super) element: Option<Cow<'static, str>>,
    pub(super) attribute: Option<&'static str>,
    pub(super) html_place: Option<HtmlPlace>,
    pub(super) exact: bool,
    pub(super) recovered: bool,
    pub(super) defanged: bool,
    pub(super) rejoined: bool,
    pub(super) link_text: Option<Box<str>>,
    pub(super) rare: Option<Box<Rare>>,
}

/// The values that only few hits have. They are in a separate allocation, so that a hit without these values is small.
#[derive(Debug, Default)]
pub(super) struct Rare {
    pub(super) alternatives: Vec<Alternative>,
    pub(super) doubt: Option<Reason>,
    pub(super) trimmed: Vec<u8>,
    pub(super) pieces: Vec<Range<u64>>,
}

impl Rare {
    /// Returns the values in a box. Returns `None` if the hit has none of them.
    pub(super) fn boxed(self, rejoined: bool) -> Option<Box<Rare>> {
        let is_rare = rejoined || self.doubt.is_some() || !self.alternatives.is_empty() || !self.trimmed.is_empty();
        is_rare.then(|| self.into())
    }
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

impl Kept {
    pub(super) fn new(hit: &Hit<'_>, message: Arc<KeptMessage>, part: Arc<Section>) -> Kept {
        let (rejoined, zone) = (hit.rejoined(), hit.kept_zone());
        let rare = Rare {
            alternatives: hit.alternatives().to_vec(),
            doubt: hit.doubt(),
            trimmed: hit.trimmed().to_vec(),
            pieces: if rejoined { hit.pieces() } else { Vec::new() },
        };
        let rare = rare.boxed(rejoined);
        Kept {
            url: hit.url().clone().into_owned(),
            message,
            part,
            header: hit.header().map(Into::into),
            offset: hit.offset(),
            length: hit.length(),
            line: hit.line(),
            zone,
            quote_depth: hit.quote_depth(),
            form: hit.form(),
            confidence: hit.confidence(),
            element: hit.element().map(static_name),
            attribute: hit.attribute(),
            html_place: hit.place(),
            exact: hit.exact(),
            recovered: hit.recovered(),
            defanged: hit.defanged(),
            rejoined,
            link_text: hit.link_text().map(|text| text.into_owned().into()),
            rare,
        }
    }
}
