//! Decides which URLs and which rejects are printed.

use urlspool::{Alternative, Diagnostic, Form, HitRef, Reason, Reject, Tier, Url, Wildmat};

/// The options that select which URLs are printed.
pub(crate) struct Select {
    /// The schemes of `--scheme`, in lower case. If empty, all schemes are selected.
    pub(crate) schemes: Vec<String>,
    /// The forms of `--form`. If empty, all forms are selected.
    pub(crate) forms: Vec<Form>,
    /// The hosts of `--host`. If `None`, all URLs are selected, with or without a host.
    pub(crate) hosts: Option<Wildmat>,
    /// The tiers of `--tier`. If empty, all tiers are selected.
    pub(crate) tiers: Vec<Tier>,
    /// Whether only URLs of the tier `rfc1738` are selected (`--strict`).
    pub(crate) strict: bool,
    /// Whether invalid URLs are listed instead of valid URLs (`--rejects`).
    pub(crate) rejects: bool,
    /// The options on the command line that select messages, such as `--since`. Warnings name them.
    pub(crate) messages: Vec<&'static str>,
    /// Whether malformed messages are reported (`--verbose`). Damaged archives are always reported.
    pub(crate) damage: bool,
    /// Which of the possible URLs are printed if a hit is ambiguous.
    pub(crate) readings: Readings,
}

/// Which readings (possible URLs) of an ambiguous hit are printed. For example, a hyphen at the end of a line can be a
/// part of the URL or not, so there are two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readings {
    /// Only the best reading.
    Best,
    /// The best reading, and the readings that differ from it by a hyphen at the end of a line.
    Hyphen,
    /// The best reading and all others.
    All,
}

/// Whether the options select a hit.
pub(crate) enum Verdict<'a> {
    Hit,
    /// The hit is printed as a reject, because `--rejects` and `--strict` are given, and RFC 1738 does not allow the
    /// URL.
    Reject(Reject<'a>),
    /// The hit is not selected. The value is the option that excludes it. `None` if `--rejects` excludes it.
    Other(Option<Filter>),
}

/// The options that exclude URLs, in the order in which they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    Form,
    Scheme,
    Host,
    Tier,
    Strict,
}

impl Filter {
    pub(crate) const ALL: [Filter; 5] = [Filter::Form, Filter::Scheme, Filter::Host, Filter::Tier, Filter::Strict];

    pub(crate) fn option(self) -> &'static str {
        match self {
            Filter::Form => "--form",
            Filter::Scheme => "--scheme",
            Filter::Host => "--host",
            Filter::Tier => "--tier",
            Filter::Strict => "--strict",
        }
    }
}

impl Select {
    /// Returns whether the options select every hit. If so, the caller need not call [`hit`](Self::hit).
    pub(crate) fn is_all(&self) -> bool {
        let Select { schemes, forms, hosts, tiers, strict, rejects, messages: _, damage: _, readings: _ } = self;
        schemes.is_empty() && forms.is_empty() && hosts.is_none() && tiers.is_empty() && !strict && !rejects
    }

    pub(crate) fn hit<'a>(&self, hit: &'a HitRef<'_>) -> Verdict<'a> {
        let url = hit.url();
        let is_refused = self.strict && hit.tier() != Tier::Rfc1738;
        let other = match () {
            // `--rejects` itself excludes every valid URL. So this URL does not count as removed by another option.
            () if self.rejects && !is_refused => None,
            () if !self.form(hit.form()) => Some(Filter::Form),
            () if !self.scheme(url.scheme().as_bytes()) => Some(Filter::Scheme),
            () if !self.host(url) => Some(Filter::Host),
            () if !self.tier(url) => Some(Filter::Tier),
            () if is_refused && !self.rejects => Some(Filter::Strict),
            () => None,
        };
        if other.is_some() || is_refused != self.rejects {
            return Verdict::Other(other);
        }
        match hit.to_reject().filter(|_| is_refused) {
            Some(reject) => Verdict::Reject(reject),
            None => Verdict::Hit,
        }
    }

    pub(crate) fn reject(&self, reject: &Reject<'_>) -> bool {
        // Text that is not a URL has no host and no tier, so `--host` and `--tier` exclude it.
        let is_of_any = self.hosts.is_none() && self.tiers.is_empty();
        self.rejects && is_of_any && self.is_meant(reject)
    }

    /// Returns whether `--form` and `--scheme` select a reject.
    pub(crate) fn is_meant(&self, reject: &Reject<'_>) -> bool {
        self.form(reject.form()) && self.scheme(scheme(reject.text()))
    }

    /// Returns whether `alternative`, another possible URL for a hit, is printed. Options such as `--host` must select
    /// this URL, too.
    pub(crate) fn reading(&self, alternative: &Alternative) -> bool {
        let wanted = match self.readings {
            Readings::Best => false,
            Readings::Hyphen => alternative.reason == Reason::Hyphen,
            Readings::All => true,
        };
        wanted
            && Url::parse(&alternative.url).is_ok_and(|url| {
                self.scheme(url.scheme().as_bytes())
                    && self.host(&url)
                    && self.tier(&url)
                    && (!self.strict || url.tier() == Tier::Rfc1738)
            })
    }

    /// Returns whether a diagnostic is reported on standard error.
    pub(crate) fn diagnostic(&self, diagnostic: &Diagnostic) -> bool {
        self.damage || diagnostic.kind().is_of_container()
    }

    fn form(&self, form: Form) -> bool {
        self.forms.is_empty() || self.forms.contains(&form)
    }

    fn host(&self, url: &Url<'_>) -> bool {
        let Some((hosts, host)) = self.hosts.as_ref().map(|hosts| (hosts, url.host())) else { return true };
        let ascii = url.host_ascii();
        let name = ascii.as_deref().or(host);
        name.is_some_and(|name| hosts.matches(name.strip_suffix('.').unwrap_or(name).as_bytes()))
    }

    fn tier(&self, url: &Url<'_>) -> bool {
        self.tiers.is_empty() || self.tiers.contains(&url.tier())
    }

    fn scheme(&self, scheme: &[u8]) -> bool {
        self.schemes.is_empty() || self.schemes.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(scheme))
    }
}

/// Returns the text before the first colon, which is the scheme if the text is a URL.
pub(super) fn scheme(text: &[u8]) -> &[u8] {
    text.split(|b| *b == b':').next().unwrap_or_default()
}
