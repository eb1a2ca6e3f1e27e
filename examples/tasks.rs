//! Fifteen common tasks, with one function for each. Copy the functions that you need.
//!
//!     cargo run --features serde --example tasks -- MAILBOX
//!
//! This command runs the functions that read a mailbox.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use urlspool::{Component, Extractor, Hit, ParseError, Scanner, Url, percent_decode};

/// 1. The URLs of a string.
pub fn urls(text: &str) -> Vec<Url<'_>> {
    Scanner::new().find_iter(text).filter_map(|candidate| candidate.parse().ok()).collect()
}

/// 2. The first URL of a string.
pub fn first(text: &str) -> Option<Url<'_>> {
    Scanner::new().find_iter(text).find_map(|candidate| candidate.parse().ok())
}

/// 3. The URLs of a string, with their byte offsets.
pub fn spans(text: &str) -> Vec<(Range<usize>, Url<'_>)> {
    Scanner::new().find_iter(text).filter_map(|found| Some((found.span(), found.parse().ok()?))).collect()
}

/// 4. Converts a text to HTML with links. Each piece of a URL that was broken over lines becomes a link.
pub fn linked(text: &str) -> String {
    urlspool::linkify(&Extractor::new(), text)
}

/// 5. The URLs of a message.
pub fn of_message(message: &[u8]) -> Vec<Hit<'static>> {
    Extractor::new().message(message)
}

/// 6. The URLs of a mailbox, each with the number of its message.
pub fn of_mailbox(path: &Path) -> Result<Vec<(Option<u64>, Url<'static>)>, urlspool::Error> {
    Extractor::new().open(path)?.map(|hit| hit.map(|hit| (hit.message(), hit.url().clone().into_owned()))).collect()
}

/// 7. The hosts of the http and https links in a mailbox.
pub fn web_hosts(path: &Path) -> Result<BTreeSet<String>, urlspool::Error> {
    let mut hosts = BTreeSet::new();
    for hit in Extractor::new().open(path)? {
        let url = hit?.url().clone().into_owned();
        if url.known_scheme().is_some_and(|scheme| ["http", "https"].contains(&scheme)) {
            hosts.extend(url.host().map(str::to_lowercase));
        }
    }
    Ok(hosts)
}

/// 8. Whether a text is a valid URL.
pub fn is_valid(text: &str) -> bool {
    Url::parse(text).is_ok()
}

/// 9. The components of a URL.
pub fn components(text: &str) -> Result<Vec<(Component, String)>, ParseError> {
    Ok(Url::parse(text)?.components().map(|(name, value)| (name, value.to_owned())).collect())
}

/// 10. Removes duplicates: keeps only one of several equivalent URLs.
pub fn deduplicate(urls: &mut Vec<Url<'_>>) {
    urls.sort_by_cached_key(Url::normalized);
    urls.dedup_by(|a, b| a.is_equivalent(b));
}

/// 11. Resolves a relative reference against the URL of the page that contains the reference.
pub fn resolve(page: &str, reference: &str) -> Result<Url<'static>, ParseError> {
    Url::parse(page)?.join(reference)
}

/// 12. Whether the host of a URL is the given domain or one of its subdomains.
pub fn is_within(url: &Url<'_>, domain: &str) -> bool {
    let host = url.host().unwrap_or_default().to_lowercase();
    host.strip_suffix(domain).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
}

/// 13. The decoded path of a URL. The path is not always UTF-8.
pub fn decoded_path(url: &Url<'_>) -> Option<Vec<u8>> {
    Some(percent_decode(url.path()?.as_bytes()).into_owned())
}

/// 14. All URLs in a directory, with their locations. If the feature `parallel` is enabled, several threads do the
///     work.
pub fn of_tree(path: &Path) -> Result<Vec<Hit<'static>>, urlspool::Error> {
    Extractor::new().paths([path.to_path_buf()]).collect()
}

/// 15. Writes a line of JSON for each URL. Needs the feature `serde`.
pub fn json_lines(path: &Path, mut out: impl Write) -> Result<(), Box<dyn Error>> {
    for hit in Extractor::new().open(path)? {
        writeln!(out, "{}", serde_json::to_string(&hit?)?)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mailbox = std::env::args_os().nth(1).ok_or("usage: tasks MAILBOX")?;
    let mailbox = Path::new(&mailbox);
    for (number, url) in of_mailbox(mailbox)? {
        println!("{number:?} {url}");
    }
    println!("{:?}", web_hosts(mailbox)?);
    json_lines(mailbox, std::io::stdout())
}
