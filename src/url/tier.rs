//! [`Tier`]: the grammar that a URL needs.

named! {
    /// The narrowest grammar that allows a URL (section 4 of the [rules](crate::rules)). Later versions can add
    /// tiers.
    ///
    /// A URL that departs from RFC 1738 in several ways has the widest tier of its departures. Unsafe characters can
    /// therefore occur at every tier except `Rfc1738`. [`Url::needs_encoding`](super::Url::needs_encoding) returns
    /// whether a URL has unsafe characters.
    ///
    /// ```
    /// use urlspool::{Tier, Url};
    /// let tier = |url| Url::parse(url).unwrap().tier();
    /// assert_eq!(tier("http://www.example.org/"), Tier::Rfc1738);
    /// assert_eq!(tier("http://www.example.org/~ann"), Tier::Relaxed);
    /// assert_eq!(tier("http://[::1]/"), Tier::Rfc3986);
    /// assert_eq!(tier("http://caf\u{e9}.example/"), Tier::Iri);
    /// ```
    ///
    /// | departure from RFC 1738 | tier |
    /// |---|---|
    /// | none: the URL satisfies the grammar that [`Rfc1738`](Tier::Rfc1738) describes | `rfc1738` |
    /// | one of the characters `~ { } \| \ ^ [ ]` or a backtick | `relaxed` |
    /// | a `%` that does not begin an escape | `relaxed` |
    /// | a second `#` | `relaxed` |
    /// | an `@` in a user name or password | `relaxed` |
    /// | an underscore in a host label | `relaxed` |
    /// | a user name in an `http` URL | `relaxed` |
    /// | no slash before the `?` of an `http` URL: `http://host?search` | `relaxed` |
    /// | an HTML attribute whose value becomes a URL only after the repairs that browsers make | `relaxed` |
    /// | a reserved character in a component that does not allow it: `/` or `?` in an http search, `;` in an ftp name | `rfc3986` |
    /// | an IP literal as the host: `http://[::1]/` | `rfc3986` |
    /// | a host with an escape, an empty label, a trailing dot, or a character such as `+` | `rfc3986` |
    /// | a host label that starts or ends with a hyphen, or a last label that starts with a digit | `rfc3986` |
    /// | an empty port: `http://host:/` | `rfc3986` |
    /// | a user name where RFC 1738 allows none, except in an `http` URL | `rfc3986` |
    /// | a missing part that the grammar requires (`nntp://host/`, `wais://host`), or a part that it does not allow | `rfc3986` |
    /// | a typecode other than `a`, `i` and `d` | `rfc3986` |
    /// | `file:/path`, `news://host/group` or `nntp:group/number` | `rfc3986` |
    /// | characters outside ASCII, in UTF-8 and in the set `ucschar` of RFC 3987 section 2.2 (in a search, also in the set `iprivate`) | `iri` |
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Tier: &'static str {
        /// The grammar of the scheme in RFC 1738, section 5. The RFC does not define all schemes. A scheme that
        /// resembles a scheme of the RFC has the same grammar: `https` has the grammar of `http`. All remaining schemes
        /// have the grammar `ip-schemepart` if they require a host, and `genericurl` otherwise.
        Rfc1738 = "rfc1738" =>
            "RFC 1738: the grammar of the scheme or of a similar scheme; for all other schemes, the general grammar",
        /// A URL that would match RFC 1738 if its unsafe characters (section 2.2) were encoded, or that has a common
        /// deviation, such as `_` in a host name.
        Relaxed = "relaxed" =>
            "RFC 1738 with unsafe characters, such as `~`, or with a common deviation, such as `_` in a host",
        /// A URL with a part that RFC 3986 allows but RFC 1738 does not, such as an IPv6 address.
        Rfc3986 = "rfc3986" => "RFC 3986 only",
        /// A URL with characters outside ASCII, which only RFC 3987 allows.
        Iri = "iri" => "RFC 3987 only: the URL has characters outside ASCII",
    }
}

impl Tier {
    /// Returns a description of the grammar.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row()
    }

    /// Returns the wider of two tiers.
    pub(crate) const fn or(self, other: Tier) -> Tier {
        match (self, other) {
            (Tier::Iri, _) | (_, Tier::Iri) => Tier::Iri,
            (Tier::Rfc3986, _) | (_, Tier::Rfc3986) => Tier::Rfc3986,
            (Tier::Relaxed, _) | (_, Tier::Relaxed) => Tier::Relaxed,
            (Tier::Rfc1738, Tier::Rfc1738) => Tier::Rfc1738,
        }
    }
}
