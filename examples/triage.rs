//! Lists the links of a message, the most suspicious first. The list helps to decide whether the message is phishing.
//!
//!     cargo run --example triage <MESSAGE
//!
//! No URL is fetched. The output is ASCII, so that it is safe on a terminal. The exit status is 0 if no link is
//! suspicious, 1 if a link is suspicious, and 2 if the message cannot be read.

use std::cmp::Reverse;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use std::net::IpAddr;

use urlspool::{Extractor, Hit, Url, Warning};

/// The maximum length of a message, in bytes.
const MAX_MESSAGE: u64 = 64 << 20;

/// How serious a warning is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    None,
    Low,
    Medium,
    High,
}

fn main() -> ExitCode {
    match triage(io::stdin().lock(), io::stdout().lock()) {
        Ok(Severity::None | Severity::Low) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("triage: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints the links of a message. Returns the severity of the most suspicious link.
fn triage(input: impl Read, mut out: impl Write) -> io::Result<Severity> {
    let mut message = Vec::new();
    input.take(MAX_MESSAGE + 1).read_to_end(&mut message)?;
    if message.len() as u64 > MAX_MESSAGE {
        return Err(io::Error::other("the message is larger than 64 MiB"));
    }
    let mut links: Vec<(Severity, Hit)> =
        Extractor::new().message(&message).into_iter().map(|hit| (severity(&hit), hit)).collect();
    links.sort_by_key(|(severity, _)| Reverse(*severity));
    for (severity, hit) in &links {
        writeln!(out, "{severity:?} {}", plain(hit.url().as_str()))?;
        let element = hit.element().unwrap_or("text".into());
        writeln!(out, "    line {}, in {}, host: {}", hit.line(), plain(&element), host(hit.url()))?;
        if let Some(shown) = hit.link_text() {
            writeln!(out, "    shown: {}", plain(&shown))?;
        }
        for target in hit.url().targets() {
            writeln!(out, "    leads to: {}, host: {}", plain(target.as_str()), host(&target))?;
        }
        for warning in warnings(hit) {
            writeln!(out, "    warning: {warning}")?;
        }
    }
    out.flush()?;
    Ok(links.first().map_or(Severity::None, |(severity, _)| *severity))
}

/// Returns the warnings about a link, and about the URLs that a link-rewriting service encoded in the link.
fn warnings(hit: &Hit) -> Vec<Warning> {
    let mut warnings: Vec<_> = hit.warnings().collect();
    for target in hit.url().targets() {
        warnings.extend(target.warnings());
    }
    warnings
}

fn severity(hit: &Hit) -> Severity {
    let worst = warnings(hit).into_iter().map(|warning| match warning {
        // The host that the reader sees is not the host of the link.
        Warning::ShownAsOtherHost | Warning::UserinfoLooksLikeHost | Warning::HostLooksLatin => Severity::High,
        // Honest mail has no reason to contain URLs with these warnings.
        Warning::HostIsNumber | Warning::BidiControl | Warning::EncodedNul | Warning::EncodedControl => Severity::High,
        Warning::Password | Warning::PortReserved => Severity::Medium,
        _ => Severity::Low,
    });
    let targets = hit.url().targets();
    let leads_to_address = is_address(hit.url()) || targets.iter().any(is_address);
    worst.chain(leads_to_address.then_some(Severity::Medium)).max().unwrap_or(Severity::None)
}

/// Returns whether the host is an IP address.
fn is_address(url: &Url<'_>) -> bool {
    url.host_address().is_some()
}

/// Returns the host, with its kind in brackets. The kind reveals a disguised IP address, such as `http://2130706433/`.
fn host(url: &Url<'_>) -> String {
    let Some(host) = url.host().filter(|host| !host.is_empty()) else { return "none".into() };
    let kind = match url.host_address() {
        None => "name".into(),
        Some(IpAddr::V4(address)) => format!("IPv4 {address}"),
        Some(IpAddr::V6(address)) => format!("IPv6 {address}"),
    };
    format!("{} ({kind})", plain(host))
}

/// Escapes all characters of `text` outside printable ASCII, so that the text cannot control a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if matches!(c, ' '..='~') { c.to_string() } else { c.escape_unicode().to_string() }).collect()
}
