//! Conversions of [`Url`] to the types of other crates, and the traits of serde. Each needs the feature of the crate's
//! name.

use super::Url;

/// Parses the text by the URL Standard. That changes it as browsers do: the host of `http` is converted to ASCII, dot
/// segments are removed. Needs the feature `url`.
///
/// The standard reads a few URLs differently from RFC 1738: in `telnet://u?x@host/` the `?` ends the authority, so that
/// the host is `u`. A URL that the standard refuses, such as one with the host `999.0.0.1`, is an error.
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

/// Parses the text as the target of a request. The fragment is removed. Needs the feature `http`.
///
/// As in the URL Standard, a `?` ends the authority. A URL without a host, such as `mailto:joe@example.org`, is an
/// error, and so is one with characters that the crate refuses, such as a host that is not ASCII.
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
        // Without `//`, the crate reads the whole text as an authority: `news` is the host of `news:comp.risks`. Its
        // error has no constructor. So this parses a text that it rejects.
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

/// Serializes to a string: the URL as written. Needs the feature `serde`.
#[cfg(feature = "serde")]
impl serde_core::Serialize for Url<'_> {
    fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Parses a string. The URL owns its text. Needs the feature `serde`.
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
