//! Serializes a hit to the object that the command prints with `--json`. The object has the same fields in the same
//! order. A field without a value is `null`. A test of the command compares the serialized hits with the output of
//! `--json`.

use std::borrow::Cow;

use data_encoding::BASE64;
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::Hit;
use crate::scan::Alternative;

/// Returns the bytes as text. Invalid UTF-8 is replaced.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Returns the bytes in base64 if they are not UTF-8.
fn base64(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).is_err().then(|| BASE64.encode(bytes))
}

/// Serializes `{"url":"...","url_bytes":null,"reason":"..."}`. If the URL is not UTF-8, `url_bytes` contains it in
/// base64. Needs the feature `serde`.
impl Serialize for Alternative {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("url", &text(&self.url))?;
        map.serialize_entry("url_bytes", &base64(&self.url))?;
        map.serialize_entry("reason", &self.reason)?;
        map.end()
    }
}

/// Serializes the object that the command prints with `--json`. Needs the feature `serde`.
impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let url = self.url();
        let targets = url.targets();
        let file = self.input().map(|file| file.name().as_os_str().as_encoded_bytes());
        let range = self.message_range();
        let warnings: Vec<_> = self.warnings().iter().collect();
        let mut to = serializer.serialize_map(None)?;
        to.serialize_entry("url", url)?;
        to.serialize_entry("url_bytes", &())?;
        to.serialize_entry("form", &self.form())?;
        to.serialize_entry("tier", &self.tier())?;
        to.serialize_entry("scheme", &url.scheme().to_ascii_lowercase())?;
        to.serialize_entry("host", &url.host())?;
        to.serialize_entry("fragment", &url.fragment())?;
        to.serialize_entry("target", &targets.last())?;
        to.serialize_entry("targets", &Some(&targets).filter(|targets| targets.len() > 1))?;
        to.serialize_entry("reason", &())?;
        to.serialize_entry("reason_offset", &())?;
        to.serialize_entry("file", &file.map(text))?;
        to.serialize_entry("file_bytes", &file.and_then(base64))?;
        to.serialize_entry("member", &self.member().map(text))?;
        to.serialize_entry("member_bytes", &self.member().and_then(base64))?;
        to.serialize_entry("message", &self.message())?;
        to.serialize_entry("message_offset", &range.as_ref().map(|range| range.start))?;
        to.serialize_entry("message_length", &range.map(|range| range.end - range.start))?;
        to.serialize_entry("message_id", &self.message_id().map(text))?;
        to.serialize_entry("message_id_bytes", &self.message_id().and_then(base64))?;
        to.serialize_entry("date", &self.date())?;
        to.serialize_entry("from", &self.from_field())?;
        to.serialize_entry("subject", &self.subject())?;
        to.serialize_entry("newsgroups", &self.newsgroups().map(text))?;
        to.serialize_entry("newsgroups_bytes", &self.newsgroups().and_then(base64))?;
        to.serialize_entry("list_id", &self.list_id().map(text))?;
        to.serialize_entry("list_id_bytes", &self.list_id().and_then(base64))?;
        to.serialize_entry("part", &Some(self.part()).filter(|part| !part.is_empty()).map(|part| format!("[{part}]")))?;
        to.serialize_entry("header", &self.header().map(text))?;
        to.serialize_entry("offset", &self.offset())?;
        to.serialize_entry("length", &self.length())?;
        to.serialize_entry("precision", &(!self.is_exact()).then_some("part"))?;
        to.serialize_entry("line", &Some(self.line()).filter(|line| *line > 0))?;
        to.serialize_entry("quote_depth", &self.quote_depth())?;
        to.serialize_entry("rejoined", &self.is_rejoined())?;
        to.serialize_entry("confidence", &self.confidence())?;
        to.serialize_entry("recovered", &self.is_recovered())?;
        to.serialize_entry("defanged", &self.is_defanged())?;
        to.serialize_entry("element", &self.element())?;
        to.serialize_entry("attribute", &self.attribute())?;
        to.serialize_entry("html_place", &self.html_place())?;
        to.serialize_entry("shown_text", &self.shown())?;
        to.serialize_entry("alternatives", &Some(self.alternatives()).filter(|all| !all.is_empty()))?;
        to.serialize_entry("doubtful", &self.ambiguity())?;
        to.serialize_entry("trimmed", &Some(self.trimmed()).filter(|trimmed| !trimmed.is_empty()).map(text))?;
        to.serialize_entry("warnings", &Some(warnings).filter(|warnings| !warnings.is_empty()))?;
        to.serialize_entry("dup", &self.is_repeated_in_alternative())?;
        to.end()
    }
}
