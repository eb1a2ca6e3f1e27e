//! Serializes a hit to the object that the command prints with `--json`.

use serde_core::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::Hit;
use super::fields::{self, FIELDS, Value};
use crate::scan::Alternative;

/// Serializes `{"url":"...","url_bytes":null,"reason":"..."}`. If the URL is not UTF-8, `url_bytes` contains the URL in
/// base64. Needs the feature `serde`.
impl Serialize for Alternative {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut to = serializer.serialize_struct("Alternative", 3)?;
        to.serialize_field("url", &Value::Bytes(&self.url))?;
        to.serialize_field("url_bytes", &fields::base64(Some(&self.url)))?;
        to.serialize_field("reason", &self.reason)?;
        to.end()
    }
}

/// Serializes the value as in the output of `--json`. Needs the feature `serde`.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Absent => serializer.serialize_none(),
            Value::Number(number) => serializer.serialize_u64(*number),
            Value::Boolean(boolean) => serializer.serialize_bool(*boolean),
            Value::Texts(texts) => texts.serialize(serializer),
            Value::Alternatives(others) => others.serialize(serializer),
            value => {
                let mut text = Vec::new();
                value.push_text(&mut text);
                serializer.serialize_str(&String::from_utf8_lossy(&text))
            }
        }
    }
}

/// Serializes the object that the command prints with `--json`. Needs the feature `serde`.
impl Serialize for Hit<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut to = serializer.serialize_map(None)?;
        for field in FIELDS.iter().filter(|field| !field.is_extra()) {
            to.serialize_entry(field.name(), &field.of(self))?;
        }
        to.end()
    }
}
