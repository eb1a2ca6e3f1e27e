//! Serializes a hit to the object that the command prints with `--json`, with the same fields in the same order. A
//! field without a value is `null`. A test of the command checks that the two objects are equal.

use std::borrow::Cow;

use data_encoding::BASE64;
use serde_core::ser::{Serialize, SerializeStruct, Serializer};

use super::Hit;
use crate::scan::Alternative;

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn base64(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).is_err().then(|| BASE64.encode(bytes))
}

/// Serializes `{"url":"...","url_bytes":null,"reason":"..."}`. If the URL is not UTF-8, `url_bytes` contains the URL in
/// base64. Needs the feature `serde`.
impl Serialize for Alternative {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut to = serializer.serialize_struct("Alternative", 3)?;
        to.serialize_field("url", &text(&self.url))?;
        to.serialize_field("url_bytes", &base64(&self.url))?;
        to.serialize_field("reason", &self.reason)?;
        to.end()
    }
}

/// The number of fields that `Hit::serialize` writes.
const FIELDS: usize = 47;

/// Serializes the object that the command prints with `--json`. Needs the feature `serde`.
impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let url = self.url();
        let targets = url.targets();
        let file = self.input().map(|file| file.name().as_os_str().as_encoded_bytes());
        let range = self.message_range();
        let warnings: Vec<_> = self.warnings().iter().collect();
        let mut to = serializer.serialize_struct("Hit", FIELDS)?;
        to.serialize_field("url", url)?;
        to.serialize_field("url_bytes", &())?;
        to.serialize_field("form", &self.form())?;
        to.serialize_field("tier", &self.tier())?;
        to.serialize_field("scheme", &url.scheme().to_ascii_lowercase())?;
        to.serialize_field("host", &url.host())?;
        to.serialize_field("fragment", &url.fragment())?;
        to.serialize_field("target", &targets.last())?;
        to.serialize_field("targets", &Some(&targets).filter(|targets| targets.len() > 1))?;
        to.serialize_field("reason", &())?;
        to.serialize_field("reason_offset", &())?;
        to.serialize_field("file", &file.map(text))?;
        to.serialize_field("file_bytes", &file.and_then(base64))?;
        to.serialize_field("member", &self.member().map(text))?;
        to.serialize_field("member_bytes", &self.member().and_then(base64))?;
        to.serialize_field("message", &self.message())?;
        to.serialize_field("message_offset", &range.as_ref().map(|range| range.start))?;
        to.serialize_field("message_length", &range.map(|range| range.end - range.start))?;
        to.serialize_field("message_id", &self.message_id().map(text))?;
        to.serialize_field("message_id_bytes", &self.message_id().and_then(base64))?;
        to.serialize_field("date", &self.date())?;
        to.serialize_field("from", &self.from_field())?;
        to.serialize_field("subject", &self.subject())?;
        to.serialize_field("newsgroups", &self.newsgroups().map(text))?;
        to.serialize_field("newsgroups_bytes", &self.newsgroups().and_then(base64))?;
        to.serialize_field("list_id", &self.list_id().map(text))?;
        to.serialize_field("list_id_bytes", &self.list_id().and_then(base64))?;
        to.serialize_field("part", &Some(self.part()).filter(|part| !part.is_empty()).map(|part| format!("[{part}]")))?;
        to.serialize_field("header", &self.header().map(text))?;
        to.serialize_field("offset", &self.offset())?;
        to.serialize_field("length", &self.length())?;
        to.serialize_field("exact", &self.is_exact())?;
        to.serialize_field("line", &Some(self.line()).filter(|line| *line > 0))?;
        to.serialize_field("quote_depth", &self.quote_depth())?;
        to.serialize_field("rejoined", &self.is_rejoined())?;
        to.serialize_field("confidence", &self.confidence())?;
        to.serialize_field("recovered", &self.is_recovered())?;
        to.serialize_field("defanged", &self.is_defanged())?;
        to.serialize_field("element", &self.element())?;
        to.serialize_field("attribute", &self.attribute())?;
        to.serialize_field("html_place", &self.html_place())?;
        to.serialize_field("link_text", &self.shown())?;
        to.serialize_field("alternatives", &Some(self.alternatives()).filter(|all| !all.is_empty()))?;
        to.serialize_field("doubt", &self.ambiguity())?;
        to.serialize_field("trimmed", &Some(self.trimmed()).filter(|trimmed| !trimmed.is_empty()).map(text))?;
        to.serialize_field("warnings", &Some(warnings).filter(|warnings| !warnings.is_empty()))?;
        to.serialize_field("repeat", &self.is_repeated_in_alternative())?;
        to.end()
    }
}
