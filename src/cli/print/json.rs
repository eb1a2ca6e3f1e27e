//! JSON: an object per line, and nothing else, so that `jq`, DuckDB and Spark read it as it is.

use std::ops::Range;

use urlspool::url::Scheme;
use urlspool::{Alternative, Form, Hit, Origin, Tier};

use super::lines::Layout;
use super::object::{self, Object};
use crate::cli::select::Refused;

/// The layout; there is nothing to choose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Json {
    /// The fields of the message at hand, once something was found in it: most messages with one find have several.
    message: Vec<u8>,
    /// What was said of the kinds of URLs that were found: there are few.
    kinds: [Kind; KINDS],
}

/// So many kinds are kept, and so many of one tier. The usual ones have slots of their own; two that meet in one are right, too,
/// but written anew whenever they alternate.
const KINDS: usize = Tier::ALL.len() * KINDS_OF_TIER;
const KINDS_OF_TIER: usize = 8;

/// Where what is said of a kind is kept.
fn slot(form: Form, tier: Tier, scheme: &str) -> usize {
    tier as usize * KINDS_OF_TIER + (5 * form as usize + scheme.len()) % KINDS_OF_TIER
}

/// The fields that say what kind of URL one is.
#[derive(Clone, Debug, Default)]
struct Kind {
    of: Option<(Form, Tier, &'static Scheme)>,
    fields: Vec<u8>,
}

impl Layout for Json {
    fn hit(&mut self, out: &mut Vec<u8>, hit: &Hit<'_>) -> Range<usize> {
        let (url, origin) = (hit.url(), hit.origin());
        let mut object = Object::open(out);
        // Of RFC 1738 are printable octets only, without quotes and backslashes.
        let is_plain = hit.tier() == Tier::Rfc1738;
        let key = match is_plain {
            true => object.plain("url", url.as_bytes()),
            false => object.octets("url", url.as_bytes()),
        };
        self.kind(&mut object, hit);
        match url.host() {
            Some(host) if is_plain => _ = object.plain("host", host),
            host => object.octets_if("host", host),
        }
        object.octets_if("fragment", url.fragment());
        self.message(&mut object, origin);
        place(&mut object, origin);
        if let depth @ 1.. = hit.quote_depth() {
            object.number("quote_depth", depth as u64);
        }
        object.flag("rejoined", hit.is_rejoined());
        object.flag("recovered", origin.is_recovered());
        object.flag("defanged", origin.is_defanged());
        precision(&mut object, origin);
        object.list("alternatives", hit.alternatives(), alternative);
        if let Some(reason) = hit.doubtful() {
            object.word("doubtful", reason.as_str());
        }
        object.octets_if("trimmed", Some(hit.trimmed()).filter(|trimmed| !trimmed.is_empty()));
        if !hit.warnings().is_empty() {
            object.list("warnings", hit.warnings().iter(), |out, warning| object::quoted(out, warning.as_str()));
        }
        object.flag("dup", hit.is_dup());
        object.close();
        out.push(b'\n');
        key
    }

    /// A reading has no line of its own here: it stands in its hit's `alternatives`.
    fn reading(&mut self, out: &mut Vec<u8>, _: &Hit<'_>, _: &[u8]) -> Range<usize> {
        out.len()..out.len()
    }

    fn refused(&mut self, out: &mut Vec<u8>, refused: &Refused<'_>) -> Range<usize> {
        let mut object = Object::open(out);
        let key = object.octets("url", refused.text);
        object.word("form", refused.form.as_str());
        object.word("reason", refused.why.as_str());
        object.number("reason_offset", refused.why.offset() as u64);
        self.message(&mut object, refused.origin);
        place(&mut object, refused.origin);
        object.flag("recovered", refused.origin.is_recovered());
        object.flag("defanged", refused.origin.is_defanged());
        precision(&mut object, refused.origin);
        object.close();
        out.push(b'\n');
        key
    }

    fn unit(&mut self) {
        self.message.clear();
    }
}

/// The scheme's name in lower case, so that it can be grouped by.
pub(crate) fn scheme(object: &mut Object<'_>, scheme: &[u8]) {
    object.value("scheme", |out| {
        let start = out.len();
        object::in_quotes(out, scheme);
        out[start..].make_ascii_lowercase();
    });
}

impl Json {
    /// Writes form, tier and scheme.
    fn kind(&mut self, object: &mut Object<'_>, hit: &Hit<'_>) {
        let (form, tier, row) = (hit.form(), hit.tier(), hit.url().row());
        let name = row.map_or("", |row| row.name);
        let Kind { of, fields } = &mut self.kinds[slot(form, tier, name)];
        let is_same = |(old_form, old_tier, old): (Form, Tier, &Scheme)| {
            form == old_form && tier == old_tier && row.is_some_and(|row| std::ptr::eq(row, old))
        };
        if !of.is_some_and(is_same) {
            *of = row.map(|row| (form, tier, row));
            fields.clear();
            let mut object = object.part(fields);
            object.word("form", form.as_str());
            object.word("tier", tier.as_str());
            scheme(&mut object, hit.url().scheme());
        }
        object.parts(fields);
    }

    /// Writes the fields of the message in which something was found.
    fn message(&mut self, object: &mut Object<'_>, origin: &Origin<'_>) {
        if self.message.is_empty() {
            message(&mut object.part(&mut self.message), origin);
        }
        object.parts(&self.message);
    }
}

/// The message it was found in.
fn message(object: &mut Object<'_>, origin: &Origin<'_>) {
    object.octets_if("file", origin.file().map(|file| file.as_os_str().as_encoded_bytes()));
    object.octets_if("member", origin.member());
    if let Some(message) = origin.message() {
        object.number("message", message);
    }
    object.octets_if("message_id", origin.message_id());
    if let Some(date) = origin.date() {
        object.word("date", date);
    }
    object.octets_if("newsgroups", origin.newsgroups());
    object.octets_if("list_id", origin.list_id());
}

/// Where in the message it was found.
fn place(object: &mut Object<'_>, origin: &Origin<'_>) {
    section(object, origin.part().path());
    object.octets_if("header", origin.header());
    object.number("offset", origin.offset());
    object.number("length", origin.length());
    if let Some(line) = origin.line() {
        object.number("line", line);
    }
}

/// The number of the MIME part, with dots.
fn section(object: &mut Object<'_>, path: &[u32]) {
    let Some((first, rest)) = path.split_first() else { return };
    object.value("part", |out| {
        out.push(b'"');
        object::number(out, u64::from(*first));
        for number in rest {
            out.push(b'.');
            object::number(out, u64::from(*number));
        }
        out.push(b'"');
    });
}

fn precision(object: &mut Object<'_>, origin: &Origin<'_>) {
    if !origin.is_exact() {
        object.word("precision", "part");
    }
}

fn alternative(out: &mut Vec<u8>, alternative: &Alternative) {
    let mut object = Object::open(out);
    object.octets("url", &alternative.url);
    object.word("reason", alternative.reason.as_str());
    object.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_of_most_mail_have_slots_of_their_own() {
        let kinds = [(Form::Bare, "http"), (Form::Bare, "https"), (Form::Href, "http"), (Form::Href, "https")];
        let mut slots: Vec<_> = [Tier::Rfc1738, Tier::Rfc3986]
            .iter()
            .flat_map(|tier| kinds.map(|(form, scheme)| slot(form, *tier, scheme)))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), 2 * kinds.len());
        assert!(slots.iter().all(|slot| *slot < KINDS));
    }
}
