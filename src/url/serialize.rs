//! Implements serde's traits for [`Url`].

use super::Url;

/// Serializes the URL as a string, with its text unchanged. Needs the feature `serde`.
impl serde_core::Serialize for Url<'_> {
    fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Deserializes a string and parses it as a URL. The URL owns its text. Needs the feature `serde`.
///
/// ```
/// let urls: Vec<urlspool::Url> = serde_json::from_str(r#"["http://example.org/"]"#)?;
/// assert_eq!(urls[0].host(), Some("example.org"));
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> serde_core::Deserialize<'de> for Url<'_> {
    fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::named::deserialize::<Url<'static>, D>(deserializer)
    }
}
