//! Tests the kinds of hosts, and the conversions of URLs to types of other crates.

use proptest::prelude::*;
use proptest::{collection, sample::select};
use serde::Deserialize;
use std::net::IpAddr;

use urlspool::Url;

use crate::url_tables::{run, table};

/// A URL, and the expected properties of its host.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    source: String,
    url: String,
    kind: Option<String>,
    ascii: Option<String>,
    domain: Option<String>,
}

/// Returns the kind of the host in the notation of `corpus/url/hosts.toml`.
fn words(url: &Url<'_>) -> Option<String> {
    let host = url.host().filter(|host| !host.is_empty())?;
    Some(match url.host_address() {
        Some(IpAddr::V4(address)) => format!("ipv4 {address}"),
        Some(IpAddr::V6(address)) => format!("ipv6 {address}"),
        None if host.starts_with('[') => "ipvfuture".to_owned(),
        None => "name".to_owned(),
    })
}

#[test]
fn hosts() {
    run(
        "hosts.toml",
        |case: &Case| (&case.name, &case.source),
        |case| {
            let url = Url::parse(&case.url).map_err(|error| error.to_string())?;
            let same = |what, got: Option<&str>, want: &Option<String>| match got == want.as_deref() {
                true => Ok(()),
                false => Err(format!("{what}: want {want:?}, got {got:?}")),
            };
            same("kind", words(&url).as_deref(), &case.kind)?;
            #[cfg(feature = "domain")]
            same("ascii", url.host_ascii().as_deref(), &case.ascii)?;
            #[cfg(feature = "domain")]
            same("domain", url.registrable_domain().as_deref(), &case.domain)?;
            let _ = (&case.ascii, &case.domain);
            Ok(())
        },
    );
}

/// Returns all valid URLs in the tables of `corpus/url`, without duplicates.
fn urls() -> Vec<Url<'static>> {
    #[derive(Deserialize)]
    struct Any {
        url: Option<String>,
    }

    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/url")).expect("corpus/url");
    let names = files.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    let mut urls: Vec<Url<'static>> = names
        .filter(|name| name.ends_with(".toml"))
        .flat_map(|name| table::<Any>(&name))
        .filter_map(|case| case.url?.try_into().ok())
        .collect();
    urls.sort();
    urls.dedup();
    urls
}

/// Compares the host of a URL with the host that the crate `url` finds. The crate `url` follows the URL Standard.
/// Returns whether the host is an IP address.
fn compare(url: &Url<'_>) -> bool {
    // RFC 1738 allows a `?` in a user name. In the URL Standard, the `?` begins the query, so the hosts differ.
    if url.user().is_some_and(|user| user.contains('?')) {
        return false;
    }
    let Ok(theirs) = url::Url::parse(url.as_str()) else { return false };
    let want = match theirs.host() {
        Some(url::Host::Ipv4(address)) => Some(IpAddr::V4(address)),
        Some(url::Host::Ipv6(address)) => Some(IpAddr::V6(address)),
        // The URL Standard converts numbers to IP addresses only for these schemes.
        Some(url::Host::Domain(name)) if ["http", "https", "ftp", "ws", "wss"].contains(&theirs.scheme()) => {
            let _ = name;
            #[cfg(feature = "domain")]
            assert_eq!(url.host_ascii().as_deref(), Some(name), "{url}");
            None
        }
        _ => return false,
    };
    // Only ASCII hosts are compared, because UTS 46 maps digits of other scripts to ASCII digits.
    if url.host().is_some_and(str::is_ascii) {
        assert_eq!(url.host_address(), want, "{url}");
    }
    want.is_some()
}

#[test]
fn hosts_are_those_of_browsers() {
    let addresses = urls().iter().filter(|url| compare(url)).count();
    assert!(addresses > 20, "{addresses}");
}

/// Strings from which the test builds hosts: numbers, strings that are almost numbers, and dots.
const TOKENS: &[&str] = &["0", "1", "255", "256", "08", "0x", "0X", "7f", ".", ".", ".", "%31", "%2e", "a", "-"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn numbers_are_those_of_browsers(
        parts in collection::vec(select(TOKENS), 1..9)
    ) {
        if let Ok(url) = Url::parse(&format!("http://{}/", parts.concat())) {
            compare(&url);
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn urls_in_json() {
    let url = Url::parse("http://b\u{fc}cher.example/?a=\\").unwrap();
    let json = serde_json::to_string(&url).unwrap();
    assert_eq!(json, r#""http://b\u{fc}cher.example/?a=\\""#.replace(r"\u{fc}", "\u{fc}"));
    assert_eq!(serde_json::from_str::<Url>(&json).unwrap(), url);
    let error = serde_json::from_str::<Url>(r#""http:///""#).unwrap_err();
    assert_eq!(error.to_string(), "empty host at offset 7 (RFC 1738 3.1) at line 1 column 10");
    let error = serde_json::from_str::<Url>("1").unwrap_err();
    assert_eq!(error.to_string(), "invalid type: integer `1`, expected a string at line 1 column 1");
}
