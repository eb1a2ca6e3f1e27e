//! Conversions of [`Url`] to and from what other crates have, each with the feature of the crate's name.

use super::Url;

/// Parses the text again, by the URL Standard, and changes it as browsers do: the host of `http` gets into ASCII, dot segments
/// go. With the feature `url`.
///
/// The standard may read another host than RFC 1738: a `?` ends its authority, and a user name of RFC 1738 can have one, as in
/// `telnet://u?x@host/`. The crate's own error is returned for what it refuses, such as the host `999.0.0.1`.
///
/// ```
/// let ours = urlspool::Url::parse("http://Example.org/a/../b")?;
/// let theirs = url::Url::try_from(&ours)?;
/// assert_eq!(theirs.as_str(), "http://example.org/b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "url")]
impl TryFrom<&Url<'_>> for ::url::Url {
    type Error = ::url::ParseError;

    fn try_from(url: &Url<'_>) -> Result<Self, Self::Error> {
        url.as_str().parse()
    }
}

/// The same as from a reference.
#[cfg(feature = "url")]
impl TryFrom<Url<'_>> for ::url::Url {
    type Error = ::url::ParseError;

    fn try_from(url: Url<'_>) -> Result<Self, Self::Error> {
        (&url).try_into()
    }
}

/// Parses the text again, as the target of a request. The fragment is dropped. With the feature `http`.
///
/// As in the URL Standard, a `?` ends the authority. The crate's own error is returned for a URL without `//` and a host, such as
/// `mailto:joe@example.org`, and for one with characters that the crate refuses, such as a host that is not ASCII.
///
/// ```
/// let ours = urlspool::Url::parse("http://example.org/a?b#c")?;
/// let theirs = http::Uri::try_from(&ours)?;
/// assert_eq!(theirs, "http://example.org/a?b");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "http")]
impl TryFrom<&Url<'_>> for http::Uri {
    type Error = http::uri::InvalidUri;

    fn try_from(url: &Url<'_>) -> Result<Self, Self::Error> {
        let uri: http::Uri = url.as_str().parse()?;
        // Without `//` the crate takes the whole for an authority, and `news` for the host of `news:comp.risks`. There is no
        // other way to make its error than to parse what it refuses.
        if uri.scheme().is_some() { Ok(uri) } else { "://".parse() }
    }
}

/// The same as from a reference.
#[cfg(feature = "http")]
impl TryFrom<Url<'_>> for http::Uri {
    type Error = http::uri::InvalidUri;

    fn try_from(url: Url<'_>) -> Result<Self, Self::Error> {
        (&url).try_into()
    }
}

/// As a string: the URL as written. With the feature `serde`.
#[cfg(feature = "serde")]
impl serde_core::Serialize for Url<'_> {
    fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Parses a string; the URL owns its text. With the feature `serde`.
///
/// ```
/// let urls: Vec<urlspool::Url> = serde_json::from_str(r#"["http://example.org/"]"#)?;
/// assert_eq!(urls[0].host(), Some("example.org"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[cfg(feature = "serde")]
impl<'de> serde_core::Deserialize<'de> for Url<'_> {
    fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::named::deserialize::<Url<'static>, D>(deserializer)
    }
}
