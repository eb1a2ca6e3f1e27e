//! Conversions of [`Url`] to the types of other crates, and implementations of serde's traits. Each conversion needs
//! the feature that has the name of the other crate.

use super::Url;

/// Parses the text of the URL by the URL Standard, which changes the text as browsers do. For example, the host of an
/// `http` URL is converted to ASCII, and dot segments are removed. Needs the feature `url`.
///
/// The standard reads a few URLs differently from RFC 1738. In `telnet://u?x@host/`, for example, the `?` ends the
/// authority, so the host is `u`. The conversion fails if the standard rejects the URL, such as `http://999.0.0.1/`.
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

/// Does the same as the conversion from `&Url`.
#[cfg(feature = "url")]
impl TryFrom<Url<'_>> for ::url::Url {
    type Error = ::url::ParseError;

    fn try_from(url: Url<'_>) -> Result<Self, Self::Error> {
        (&url).try_into()
    }
}

/// Converts the URL, without its fragment, to the target of an HTTP request. Needs the feature `http`.
///
/// As in the URL Standard, a `?` ends the authority, even if an `@` follows. The conversion fails if the URL has no
/// host, such as `mailto:joe@example.org`. The conversion also fails if the URL has characters that the crate `http`
/// rejects, such as a host outside ASCII.
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
        // The crate `http` parses a URL without `//` as an authority: in `news:comp.risks`, it finds the host `news`.
        // For such a URL, this function returns an error instead. `InvalidUri` has no constructor, so the function
        // parses the invalid text `://` to get the error.
        if uri.scheme().is_some() { Ok(uri) } else { "://".parse() }
    }
}

/// Does the same as the conversion from `&Url`.
#[cfg(feature = "http")]
impl TryFrom<Url<'_>> for http::Uri {
    type Error = http::uri::InvalidUri;

    fn try_from(url: Url<'_>) -> Result<Self, Self::Error> {
        (&url).try_into()
    }
}

/// Serializes the URL as a string, with its text unchanged. Needs the feature `serde`.
#[cfg(feature = "serde")]
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
#[cfg(feature = "serde")]
impl<'de> serde_core::Deserialize<'de> for Url<'_> {
    fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::named::deserialize::<Url<'static>, D>(deserializer)
    }
}
