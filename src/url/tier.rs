//! How far a URL goes beyond RFC 1738.

named! {
    /// The widest grammar that a URL needed, from the narrowest to the widest (RULES.md 4).
    ///
    /// Tiers are ordered: `tier <= Tier::Relaxed` is "RFC 1738, give or take the unsafe characters". A
    /// URL that departs in several ways has the greatest tier among them, so unsafe characters may
    /// occur at every tier but the first; [`Url::needs_encoding`](super::Url::needs_encoding) tells.
    ///
    /// | departure | tier |
    /// |---|---|
    /// | none: the scheme's own production in RFC 1738 section 5, `ip-schemepart` for the other schemes that name a host, `genericurl` for the rest | `rfc1738` |
    /// | a character of `~ { } \| \ ^ [ ]` or a backtick; a `%` that begins no escape; a second `#`; an `@` in a user name or password; an underscore in a host label; userinfo in `http`; `http://host?search`; an attribute of HTML that is a URL only as browsers mend it | `relaxed` |
    /// | a reserved character where the component has no room for it (`/` or `?` in an http search, `;` in an ftp name); a host that is a `reg-name` or an IP literal only (a label that starts or ends with a hyphen, an empty label, a trailing dot, a rightmost label that starts with a digit, an escape); an empty port; userinfo where RFC 1738 has none, http aside; a part that the production demands and the URL leaves out (`nntp://host/`, `wais://host`), or one too many; an odd typecode; `file:/path`; `news://host/group`; `nntp:group/number` | `rfc3986` |
    /// | characters outside ASCII: UTF-8, of `ucschar` (RFC 3987 section 2.2; in a search also `iprivate`) | `iri` |
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Tier {
        /// The scheme's own production in RFC 1738 section 5.
        Rfc1738 = "rfc1738",
        /// RFC 1738, were the unsafe characters of section 2.2 encoded; or a relaxation that real hosts need.
        Relaxed = "relaxed",
        /// A URI by RFC 3986 only.
        Rfc3986 = "rfc3986",
        /// An IRI, RFC 3987.
        Iri = "iri",
    }
}
