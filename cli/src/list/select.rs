//! Which of the findings are asked for.

use urlspool::{Alternative, Diagnostic, Form, HitRef, Reason, Reject, RejectReason, Tier, Url, Wildmat};

use crate::event::Refused;

/// What is asked for.
pub(crate) struct Select {
    /// These schemes, in lower case; any if there is none.
    pub(crate) schemes: Vec<String>,
    /// These forms; any if there is none.
    pub(crate) forms: Vec<Form>,
    /// Of these hosts; any, or none at all, if `None`.
    pub(crate) hosts: Option<Wildmat>,
    /// Of these tiers; any if there is none.
    pub(crate) tiers: Vec<Tier>,
    /// URLs of RFC 1738 alone.
    pub(crate) strict: bool,
    /// What is no URL, instead of what is one.
    pub(crate) rejects: bool,
    /// The options that say which messages.
    pub(crate) messages: Vec<&'static str>,
    /// Damage inside messages, not of archives alone.
    pub(crate) damage: bool,
    /// Which other readings of a place.
    pub(crate) readings: Readings,
}

/// Which readings of a place are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readings {
    Best,
    Hyphen,
    All,
}

/// What a hit is to this selection.
pub(crate) enum Verdict<'a> {
    /// It is asked for.
    Hit,
    /// It is asked for as something that is refused.
    Refused(Refused<'a>),
    /// It is not asked for: this option says so, if it is one that chooses URLs.
    Other(Option<Filter>),
}

/// The options that choose URLs, in the order in which they do.
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

    /// The option as it is given.
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
    /// Whether every hit is asked for: so it is nearly always, and then [`hit`](Self::hit) need not be asked of each.
    pub(crate) fn is_all(&self) -> bool {
        let Select { schemes, forms, hosts, tiers, strict, rejects, messages: _, damage: _, readings: _ } = self;
        schemes.is_empty() && forms.is_empty() && hosts.is_none() && tiers.is_empty() && !strict && !rejects
    }

    pub(crate) fn hit<'a>(&self, hit: &'a HitRef<'_>) -> Verdict<'a> {
        let url = hit.url();
        let is_refused = self.strict && hit.tier() > Tier::Rfc1738;
        let other = match () {
            // URLs are not what is listed.
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
        let refused = |why| Refused { text: url.as_bytes(), form: hit.form(), why, origin: hit.origin() };
        match url.departure().filter(|_| is_refused) {
            Some(error) => Verdict::Refused(refused(RejectReason::Parse(error))),
            None => Verdict::Hit,
        }
    }

    pub(crate) fn reject<'a>(&self, reject: &'a Reject<'_>) -> Option<Refused<'a>> {
        // Of a host or a tier is what RFC 1738 alone refuses.
        let is_of_any = self.hosts.is_none() && self.tiers.is_empty();
        (self.rejects && is_of_any && self.is_meant(reject)).then(|| Refused {
            text: reject.text(),
            form: reject.form(),
            why: *reject.reason(),
            origin: reject.origin(),
        })
    }

    /// Whether a reject is one of those that are asked for when rejects are. It has neither host nor tier.
    pub(crate) fn is_meant(&self, reject: &Reject<'_>) -> bool {
        self.form(reject.form()) && self.scheme(scheme(reject.text()))
    }

    /// Whether another reading of a hit is asked for: if so, if it is a URL, and of the same selection.
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

    /// Whether a user is to be told of this damage.
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

/// What stands where a URL has its scheme: before the first colon.
pub(super) fn scheme(text: &[u8]) -> &[u8] {
    text.split(|b| *b == b':').next().unwrap_or_default()
}
