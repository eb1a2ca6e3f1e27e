//! The kind of a host (an address or a name), its form in ASCII, and the registrable domain.

#[cfg(feature = "idna")]
use alloc::borrow::Cow;

use super::Url;
use super::host::{self, HostKind};
#[cfg(feature = "idna")]
use super::percent;
use super::scheme::Grammar;

impl Url<'_> {
    /// Returns whether the host is a name or an address, and which address. `None` if the host is absent or empty:
    /// `file:///path`.
    ///
    /// The kind is what a client makes of the host:
    ///
    /// - Escapes are decoded first, and a dot at the end is ignored: `%31.2.3.4.` is `1.2.3.4`.
    /// - Four decimal numbers up to 255 are an IPv4 address.
    /// - Other numbers are an address if browsers read them as one (URL Standard, section 3.5): `0x7f.1`, `2130706433`
    ///   and `0177.0.0.1` are `127.0.0.1`. Neither RFC 1738 nor RFC 3986 has such addresses, so the URL has the warning
    ///   [`HostIsNumber`](super::Warning::HostIsNumber). `010.0.0.1` is a `hostnumber` of RFC 1738, but browsers read
    ///   `010` as 8. This rule does not hold for schemes of [`Grammar::Generic`].
    /// - Numbers that are not an address, such as `999.0.0.1`, are a name.
    /// - A host that is not ASCII is a name. UTS 46 may map it to an address: U+FF11 is mapped to `1`.
    ///
    /// Costs a look at the host. Allocates only if it has escapes.
    ///
    /// ```
    /// use urlspool::url::{HostKind, Url};
    /// let kind = |url| Url::parse(url).unwrap().host_kind();
    /// assert_eq!(kind("http://www.example.org/"), Some(HostKind::Name));
    /// assert_eq!(kind("http://0x7f.1/"), Some(HostKind::Ipv4([127, 0, 0, 1].into())));
    /// assert_eq!(kind("http://[::1]/"), Some(HostKind::Ipv6([0, 0, 0, 0, 0, 0, 0, 1].into())));
    /// assert_eq!(kind("mailto:joe@example.org"), None);
    /// ```
    #[must_use]
    pub fn host_kind(&self) -> Option<HostKind> {
        let host = self.host_bytes().filter(|host| !host.is_empty())?;
        if let [b'[', inside @ .., b']'] = host {
            return host::literal(inside);
        }
        let is_read = |is_usual| is_usual || self.grammar() != Grammar::Generic;
        let address = host::address(host).filter(|(_, is_usual)| is_read(*is_usual));
        Some(address.map_or(HostKind::Name, |(address, _)| HostKind::Ipv4(address)))
    }

    /// Returns the host in the form that the DNS has: escapes decoded, then UTS 46 ToASCII as the URL Standard applies
    /// it (section 3.3, "domain to ASCII"). It is in lower case. Labels that are not ASCII are in Punycode.
    ///
    /// `None` if the host is absent or empty, or if UTS 46 refuses it: a label `xn--...` that is not Punycode, or a
    /// character that cannot be in a domain. Hyphens and lengths are not checked. Numbers are unchanged;
    /// [`host_kind`](Self::host_kind) has the address. An IP literal keeps its brackets.
    ///
    /// Borrows from the URL unless something changes. Needs the feature `idna`.
    ///
    /// ```
    /// use urlspool::Url;
    /// let ascii = |url| Url::parse(url).unwrap().host_ascii().map(String::from);
    /// assert_eq!(ascii("http://B\u{fc}cher.example/").as_deref(), Some("xn--bcher-kva.example"));
    /// assert_eq!(ascii("http://b%C3%BCcher.example/").as_deref(), Some("xn--bcher-kva.example"));
    /// assert_eq!(ascii("http://xn--a/"), None);
    /// ```
    #[cfg(feature = "idna")]
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
        // A soft hyphen, for example, maps to nothing.
        (!ascii.is_empty()).then_some(ascii)
    }

    /// Returns the registrable domain: the public suffix of the host, such as `com`, `co.uk` or `github.io`, and the
    /// label before it. It is a part of [`host_ascii`](Self::host_ascii), without a dot at the end.
    ///
    /// `None` if the host is an address or itself a public suffix, has an empty label or no form in ASCII, or if its
    /// last label begins with a digit, because no top-level domain does.
    ///
    /// The list of suffixes is that of <https://publicsuffix.org/>, with the suffixes of registries and those of
    /// companies (`github.io`). It is part of the crate `psl`, and as old as that crate. A top-level domain that is not
    /// on the list, such as that of a local network, counts as a suffix.
    ///
    /// Borrows from the URL unless something changes. Needs the feature `psl`.
    ///
    /// ```
    /// use urlspool::Url;
    /// let domain = |url| Url::parse(url).unwrap().registrable_domain().map(String::from);
    /// assert_eq!(domain("http://WWW.Example.co.uk/").as_deref(), Some("example.co.uk"));
    /// assert_eq!(domain("http://co.uk/"), None);
    /// assert_eq!(domain("http://192.0.2.1/"), None);
    /// ```
    #[cfg(feature = "psl")]
    #[must_use]
    pub fn registrable_domain(&self) -> Option<Cow<'_, str>> {
        if self.host_kind()? != HostKind::Name {
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

#[cfg(feature = "idna")]
fn to_ascii(host: &[u8]) -> Option<Cow<'_, str>> {
    idna::domain_to_ascii_cow(host, idna::AsciiDenyList::URL).ok()
}
