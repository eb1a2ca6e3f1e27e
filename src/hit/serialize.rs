//! Serializes a hit as the command prints it with `--json`: the same fields in the same order. Fields without a value
//! are absent. A test of the command compares the two.

use data_encoding::BASE64;
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::Hit;
use crate::scan::Alternative;

/// Bytes of the input: a string, or `{"base64":"..."}` if they are not UTF-8.
struct Bytes<'b>(&'b [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(self.0) {
            return serializer.serialize_str(text);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("base64", &BASE64.encode(self.0))?;
        map.end()
    }
}

/// Serializes `{"url":"...","reason":"..."}`. Needs the feature `serde`.
impl Serialize for Alternative {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("url", &Bytes(&self.url))?;
        map.serialize_entry("reason", &self.reason)?;
        map.end()
    }
}

/// A map that skips fields without a value.
struct Fields<M>(M);

impl<M: SerializeMap> Fields<M> {
    fn field(&mut self, name: &'static str, value: Option<impl Serialize>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.0.serialize_entry(name, &value))
    }

    fn bytes(&mut self, name: &'static str, value: Option<&[u8]>) -> Result<(), M::Error> {
        self.field(name, value.map(Bytes))
    }

    fn flag(&mut self, name: &'static str, flag: bool) -> Result<(), M::Error> {
        self.field(name, flag.then_some(true))
    }
}

/// Serializes the object that the command prints with `--json`. Needs the feature `serde`.
impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let url = self.url();
        let mut to = Fields(serializer.serialize_map(None)?);
        to.field("url", Some(url))?;
        to.field("form", Some(self.form()))?;
        to.field("tier", Some(self.tier()))?;
        to.field("scheme", Some(url.scheme().to_ascii_lowercase()))?;
        to.field("host", url.host())?;
        to.field("fragment", url.fragment())?;
        to.bytes("file", self.input().map(|file| file.name().as_os_str().as_encoded_bytes()))?;
        to.bytes("member", self.member())?;
        to.field("message", self.message())?;
        to.bytes("message_id", self.message_id())?;
        to.field("date", self.date())?;
        to.bytes("newsgroups", self.newsgroups())?;
        to.bytes("list_id", self.list_id())?;
        to.field("part", (!self.part().is_empty()).then(|| self.part().to_string()))?;
        to.bytes("header", self.header())?;
        to.field("offset", Some(self.offset()))?;
        to.field("length", Some(self.length()))?;
        to.field("line", Some(self.line()).filter(|line| *line > 0))?;
        to.field("quote_depth", Some(self.quote_depth()).filter(|depth| *depth > 0))?;
        to.flag("rejoined", self.is_rejoined())?;
        to.field("confidence", self.confidence())?;
        to.flag("recovered", self.is_recovered())?;
        to.flag("defanged", self.is_defanged())?;
        to.field("element", self.element())?;
        to.field("attribute", self.attribute())?;
        to.field("html_place", self.html_place())?;
        to.field("precision", (!self.is_exact()).then_some("part"))?;
        to.field("alternatives", Some(self.alternatives()).filter(|all| !all.is_empty()))?;
        to.field("doubtful", self.ambiguity())?;
        to.bytes("trimmed", Some(self.trimmed()).filter(|trimmed| !trimmed.is_empty()))?;
        let targets = url.targets();
        to.field("target", targets.last())?;
        to.field("targets", Some(&targets).filter(|targets| targets.len() > 1))?;
        to.bytes("shown", self.shown())?;
        let warnings = Some(self.warnings()).filter(|warnings| !warnings.is_empty());
        to.field("warnings", warnings.map(|warnings| warnings.iter().collect::<Vec<_>>()))?;
        to.flag("dup", self.is_repeated_in_alternative())?;
        to.0.end()
    }
}
