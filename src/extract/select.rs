//! Selects URLs by the options `form`, `scheme`, `host`, `url`, `tier` and `zone`.

use crate::event::Event;
use crate::hit::Hit;
use crate::options::{Options, Patterns};
use crate::scan::Form;
use crate::url::Url;
use crate::zone::Zone;

/// Returns `Event::Hit`, or `Event::Excluded` with the first option that excludes the hit.
#[inline]
pub(super) fn event<'e>(options: &Options, hit: &'e Hit<'e>) -> Event<'e> {
    excluded_by(options, hit).map_or(Event::Hit(hit), |option| Event::Excluded { hit, option })
}

/// Returns the first option that excludes a URL. The options are checked in the order of their rows, except that `form`
/// comes first.
#[inline]
fn excluded_by(options: &Options, hit: &Hit<'_>) -> Option<&'static str> {
    if !options.forms[hit.form() as usize] {
        return Some("form");
    }
    let Options { schemes: None, hosts: None, words: None, zones: None, .. } = options else {
        return excluded_by_text(options, hit);
    };
    (!options.tiers[hit.url().tier() as usize]).then_some("tier")
}

/// Like [`excluded_by`], without `form`, for options that compare text.
#[inline(never)]
fn excluded_by_text(options: &Options, hit: &Hit<'_>) -> Option<&'static str> {
    let is_in = |zones: &[bool; Zone::ALL.len()]| hit.in_zone().is_none_or(|zone| zones[zone as usize]);
    url_excluded_by(options, hit.url()).or_else(|| (!options.zones.as_ref().is_none_or(is_in)).then_some("zone"))
}

/// Like [`excluded_by`], but for a URL without a form.
#[inline]
pub(super) fn url_excluded_by(options: &Options, url: &Url<'_>) -> Option<&'static str> {
    let Options { schemes, hosts, words, tiers, .. } = options;
    if schemes.as_ref().is_some_and(|schemes| !schemes.matches(url.scheme().as_bytes())) {
        return Some("scheme");
    }
    if hosts.as_ref().is_some_and(|hosts| !has_host(url, hosts)) {
        return Some("host");
    }
    if words.as_ref().is_some_and(|words| !words.matches(url.as_bytes())) {
        return Some("url");
    }
    (!tiers[url.tier() as usize]).then_some("tier")
}

/// Returns whether `form`, `scheme` and `url` select a reject. A reject has no host and no tier.
pub(super) fn selects_reject(options: &Options, form: Form, text: &[u8]) -> bool {
    let scheme = text.split(|byte| *byte == b':').next().unwrap_or_default();
    options.forms[form as usize]
        && options.schemes.as_ref().is_none_or(|schemes| schemes.matches(scheme))
        && options.words.as_ref().is_none_or(|words| words.matches(text))
}

/// Returns whether the host of a URL matches. International hosts are matched in ASCII.
fn has_host(url: &Url<'_>, hosts: &Patterns) -> bool {
    #[cfg(feature = "domain")]
    let ascii = url.host_ascii();
    #[cfg(feature = "domain")]
    let name = ascii.as_deref().or(url.host());
    #[cfg(not(feature = "domain"))]
    let name = url.host();
    name.is_some_and(|name| hosts.matches(name.strip_suffix('.').unwrap_or(name).as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use crate::{Event, Extractor};

    /// A hit of each form, and rejects.
    const MESSAGE: &str = "Subject: x\n\n<URL:http://www.example.org./a> <ftp://ftp.example.org/~b> http://[::1]/ \
        mailto:a@b.example http:/// <URL:ftp://a:99999/>\n";

    #[test]
    fn each_option_excludes_urls_and_reports_them() {
        let all = "+http://www.example.org./a +ftp://ftp.example.org/~b +http://[::1]/ +mailto:a@b.example";
        let table = [
            (&[][..], all),
            (
                &[("scheme", "FTP")],
                "scheme:http://www.example.org./a +ftp://ftp.example.org/~b scheme:http://[::1]/ \
                 scheme:mailto:a@b.example",
            ),
            (
                &[("form", "angle,bare"), ("host", "www.example.org,[::1]")],
                "form:http://www.example.org./a host:ftp://ftp.example.org/~b +http://[::1]/ host:mailto:a@b.example",
            ),
            (
                &[("tier", "rfc1738,rfc3986"), ("host", "*")],
                "+http://www.example.org./a tier:ftp://ftp.example.org/~b +http://[::1]/ host:mailto:a@b.example",
            ),
            (
                &[("url", "/~B$/,EXAMPLE.org,!b.example")],
                "+http://www.example.org./a +ftp://ftp.example.org/~b url:http://[::1]/ url:mailto:a@b.example",
            ),
            (&[("tier", "rfc1738,relaxed,rfc3986,iri"), ("form", "wrapped,angle,bare,prefixed,href")], all),
        ];
        for (options, want) in table {
            let set =
                |extractor: Extractor, (name, value): &(&str, &str)| extractor.set(name, value).expect("an option");
            let extractor = options.iter().fold(Extractor::new(), set);
            let mut found = Vec::new();
            let _ = extractor.message_into(MESSAGE, &mut |event: Event<'_>| {
                match event {
                    Event::Hit(hit) => found.push(format!("+{}", hit.url())),
                    Event::Excluded { hit, option } => found.push(format!("{option}:{}", hit.url())),
                    _ => {}
                }
                ControlFlow::Continue(())
            });
            assert_eq!(found.join(" "), want, "{options:?}");
            assert_eq!(extractor.message(MESSAGE).len(), want.matches('+').count());
        }
    }

    #[test]
    fn only_form_scheme_and_url_exclude_rejects() {
        let rejects = |name, value| {
            let (mut rejects, extractor) = (0, Extractor::new().set(name, value).expect("an option"));
            let _ = extractor.message_into(MESSAGE, &mut |event: Event<'_>| {
                rejects += usize::from(matches!(event, Event::Reject(_)));
                ControlFlow::Continue(())
            });
            rejects
        };
        let all = rejects("threads", "1");
        for (name, value, want) in [
            ("scheme", "http", 1),
            ("scheme", "ftp", 1),
            ("form", "bare", 1),
            ("form", "wrapped", 1),
            ("url", ":///", 1),
            ("host", "a.example", all),
            ("tier", "iri", all),
        ] {
            assert_eq!((rejects(name, value), all), (want, 2), "{name} {value}");
        }
    }
}
