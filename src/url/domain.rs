//! Methods for the host of a URL: its kind (name or address), its ASCII form, and its registrable domain.

#[cfg(feature = "domain")]
use alloc::borrow::Cow;
use core::net::IpAddr;

use super::Url;
use super::host;
#[cfg(feature = "domain")]
use super::percent;
use super::scheme::Grammar;

impl Url<'_> {
    /// Returns the address, if the host is an IPv4 or IPv6 address. `None` for a name, an address of a later IP version
    /// such as `[v7.x]`, and an absent or empty host.
    ///
    /// The host is interpreted as browsers and other clients do:
    ///
    /// - Escapes are decoded first, and a trailing dot is ignored: `%31.2.3.4.` is `1.2.3.4`.
    /// - Four decimal numbers from 0 to 255 are an IPv4 address.
    /// - Other numbers are an address if browsers read them as an address (URL Standard, section 3.5): `0x7f.1`,
    ///   `2130706433` and `0177.0.0.1` are `127.0.0.1`. Browsers read `010.0.0.1` as `8.0.0.1`. RFC 3986 has no
    ///   addresses in these notations, so the URL has the warning [`HostIsNumber`](super::Warning::HostIsNumber). In
    ///   URLs of unknown schemes, and of schemes without a grammar of their own, such numbers are names.
    /// - If browsers reject the numbers as an address, the host is a name: `999.0.0.1`.
    /// - A host with characters outside ASCII is a name, even if UTS 46 maps it to an address. For example, UTS 46 maps
    ///   U+FF11 to `1`.
    ///
    /// Takes time linear in the length of the host. Allocates only if the host has escapes.
    ///
    /// ```
    /// use urlspool::Url;
    /// let address = |url| Url::parse(url).unwrap().host_address();
    /// assert_eq!(address("http://www.example.org/"), None);
    /// assert_eq!(address("http://0x7f.1/"), Some([127, 0, 0, 1].into()));
    /// assert_eq!(address("http://[::1]/"), Some([0, 0, 0, 0, 0, 0, 0, 1].into()));
    /// ```
    #[must_use]
    pub fn host_address(&self) -> Option<IpAddr> {
        let host = self.host_bytes().filter(|host| !host.is_empty())?;
        if let [b'[', inside @ .., b']'] = host {
            return host::literal(inside)?.map(IpAddr::V6);
        }
        let is_read = |is_usual| is_usual || self.grammar() != Grammar::Generic;
        host::address(host).filter(|(_, is_usual)| is_read(*is_usual)).map(|(address, _)| IpAddr::V4(address))
    }

    /// Returns the host in the form that is looked up in the DNS: in lower case, with Punycode for labels that have
    /// characters outside ASCII. Decodes escapes, then applies UTS 46 ToASCII as the URL Standard does (section 3.3,
    /// "domain to ASCII").
    ///
    /// `None` if the host is absent or empty, or if UTS 46 rejects the host. UTS 46 rejects labels such as `xn--a`,
    /// which is not Punycode, and characters that cannot be in a domain. The positions of hyphens and the lengths of
    /// labels are not checked. A number such as `0x7f.1` is returned unchanged; use
    /// [`host_address`](Self::host_address) to get the address. An IP literal keeps its brackets.
    ///
    /// The result borrows from the URL if the host is already in this form. Needs the feature `domain`.
    ///
    /// ```
    /// use urlspool::Url;
    /// let ascii = |url| Url::parse(url).unwrap().host_ascii().map(String::from);
    /// assert_eq!(ascii("http://B\u{fc}cher.example/").as_deref(), Some("xn--bcher-kva.example"));
    /// assert_eq!(ascii("http://b%C3%BCcher.example/").as_deref(), Some("xn--bcher-kva.example"));
    /// assert_eq!(ascii("http://xn--a/"), None);
    /// ```
    #[cfg(feature = "domain")]
    #[must_use]
    pub fn host_ascii(&self) -> Option<Cow<'_, str>> {
        let host = self.host()?;
        if host.starts_with('[') {
            let has_upper = host.bytes().any(|byte| byte.is_ascii_uppercase());
            return Some(if has_upper { host.to_ascii_lowercase().into() } else { host.into() });
        }
        let ascii = match percent::decode(host.as_bytes()) {
            Cow::Borrowed(host) => to_ascii(host)?,
            Cow::Owned(host) => to_ascii(&host)?.into_owned().into(),
        };
        // UTS 46 removes soft hyphens, so a host that consists only of soft hyphens becomes empty.
        (!ascii.is_empty()).then_some(ascii)
    }

    /// Returns the registrable domain of the host, such as `example.co.uk`: the public suffix `co.uk` and the label
    /// before the suffix. The result is the end of [`host_ascii`](Self::host_ascii), without a trailing dot.
    ///
    /// `None` if the host is an address or a public suffix, has an empty label, or has no ASCII form. Also `None` if
    /// the last label begins with a digit, because no top-level domain begins with a digit.
    ///
    /// The suffixes come from the list at <https://publicsuffix.org/>. Some suffixes belong to a registry (`co.uk`),
    /// others to a company (`github.io`). The list is part of the crate `psl`, and is as recent as that crate. A
    /// top-level domain that is not on the list, such as `lan`, counts as a suffix.
    ///
    /// The result borrows from the URL if the host is already in the form of [`host_ascii`](Self::host_ascii). Needs
    /// the feature `domain`.
    ///
    /// ```
    /// use urlspool::Url;
    /// let domain = |url| Url::parse(url).unwrap().registrable_domain().map(String::from);
    /// assert_eq!(domain("http://WWW.Example.co.uk/").as_deref(), Some("example.co.uk"));
    /// assert_eq!(domain("http://co.uk/"), None);
    /// assert_eq!(domain("http://192.0.2.1/"), None);
    /// ```
    #[cfg(feature = "domain")]
    #[must_use]
    pub fn registrable_domain(&self) -> Option<Cow<'_, str>> {
        if self.host()?.starts_with('[') || self.host_address().is_some() {
            return None;
        }
        let mut host = self.host_ascii()?;
        let end = host.strip_suffix('.').unwrap_or(&host).len();
        let name = &host[..end];
        let top = name.rsplit('.').next()?;
        if top.starts_with(|first: char| first.is_ascii_digit()) || name.split('.').any(str::is_empty) {
            return None;
        }
        let start = end - psl::domain(name.as_bytes())?.as_bytes().len();
        match &mut host {
            Cow::Borrowed(host) => *host = &host[start..end],
            Cow::Owned(host) => {
                host.truncate(end);
                host.drain(..start);
            }
        }
        Some(host)
    }
}

/// Returns the number of labels of `name` that are a known public suffix: 2 for `example.co.uk`, and 0 for `setup.txt`.
/// Suffixes of companies do not count. Without the feature `domain`, only a few suffixes are known.
pub(crate) fn suffix_labels(name: &str) -> usize {
    let name = name.to_ascii_lowercase();
    if name.ends_with(".example") && name.starts_with("www.") {
        return 1;
    }
    #[cfg(feature = "domain")]
    return psl::suffix(name.as_bytes()).filter(psl::Suffix::is_known).map_or(0, |suffix| match suffix.typ() {
        Some(psl::Type::Icann) => suffix.as_bytes().split(|byte| *byte == b'.').count(),
        _ => 1,
    });
    #[cfg(not(feature = "domain"))]
    name.rsplit('.')
        .next()
        .map_or(0, |top| usize::from(["com", "net", "org", "edu", "gov"].contains(&top) || top.len() == 2))
}

#[cfg(feature = "domain")]
fn to_ascii(host: &[u8]) -> Option<Cow<'_, str>> {
    idna::domain_to_ascii_cow(host, idna::AsciiDenyList::URL).ok()
}
