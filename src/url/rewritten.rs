//! Reads the original URL from URLs that a service has rewritten. Examples of services are mail gateways that check
//! each clicked link, redirects that count clicks, and image proxies.
//!
//! The table [`SERVICES`] lists the services. Services that do not put the target into the URL (Mimecast,
//! Hornetsecurity, `t.co`) are not in the table. `corpus/url/rewritten.toml` has a test case for each row, and names
//! the source of the row.

use alloc::vec::Vec;

use memchr::memmem;

use super::class::{EQUALS, FORBIDDEN, HASH, MARK, PERCENT, QUESTION, UNDERSCORE, class};
use super::{Grammar, Url, percent};
use crate::shared::{FNV_BASIS, fnv1a};

/// The largest number of URLs that [`Url::targets`] returns. Eight is enough: even if a message passes several mail
/// gateways, its URLs are usually rewritten only two or three times.
const LONGEST: usize = 8;

/// A service: how to recognize its URLs, and how to read the target from them.
struct Service {
    /// The name of the service in the corpus.
    #[allow(
        dead_code,
        reason = "for readers, and for a test that corpus/url/rewritten.toml has a case with the name of each service"
    )]
    name: &'static str,
    /// The host of the service. Subdomains of the host also match. `google.*` matches `google` under `com` and under
    /// the domains of countries, such as `google.de` and `google.co.uk`.
    host: &'static str,
    /// The beginning of the path of the service's URLs, without the first slash. It can include the beginning of the
    /// query, as in `link?`.
    path: &'static str,
    place: TargetPlace,
    decode: fn(&[u8]) -> Option<Vec<u8>>,
}

/// Where the target, which is the original URL, is in the rewritten URL.
#[derive(Clone, Copy)]
enum TargetPlace {
    /// The value of a query parameter with one of these names. The names are tried in this order, until a value is a
    /// URL.
    Parameter(&'static [&'static str]),
    /// The whole query.
    Query,
    /// The path segment with this index, counted from 0.
    Segment(usize),
    /// The rest of the path segment that begins with this prefix.
    SegmentWith(&'static str),
    /// The text in the path and query after the first occurrence of this mark.
    After(&'static str),
    /// The text in the path and query after the first occurrence of the first mark, up to the next occurrence of the
    /// second mark.
    Between(&'static str, &'static str),
    /// The whole fragment.
    Fragment,
}

use TargetPlace::{After, Between, Fragment, Parameter, Query, Segment, SegmentWith};

const fn row(
    name: &'static str,
    host: &'static str,
    path: &'static str,
    place: TargetPlace,
    decode: fn(&[u8]) -> Option<Vec<u8>>,
) -> Service {
    Service { name, host, path, place, decode }
}

const SERVICES: &[Service] = &[
    // Mail gateways.
    row("Outlook SafeLinks", "safelinks.protection.outlook.com", "", Parameter(&["url"]), escapes),
    row("Office 365 US SafeLinks", "safelinks.protection.office365.us", "", Parameter(&["url"]), escapes),
    row("Teams SafeLinks", "statics.teams.cdn.office.net", "evergreen-assets/safelinks/", Parameter(&["url"]), escapes),
    row("Proofpoint v1", "urldefense.proofpoint.com", "v1/url?", Parameter(&["u"]), html_escapes),
    row("Proofpoint v2", "urldefense.proofpoint.com", "v2/url?", Parameter(&["u"]), proofpoint_2),
    row("Proofpoint v2, urldefense.com", "urldefense.com", "v2/url?", Parameter(&["u"]), proofpoint_2),
    row("Proofpoint v3", "urldefense.com", "v3/__", After("v3/__"), proofpoint_3),
    row("Proofpoint v3, urldefense.us", "urldefense.us", "v3/__", After("v3/__"), proofpoint_3),
    row("Proofpoint v3, proofpoint.com", "urldefense.proofpoint.com", "v3/__", After("v3/__"), proofpoint_3),
    row("Barracuda", "linkprotect.cudasvc.com", "", Parameter(&["a"]), escapes),
    row("Cisco Secure Email", "secure-web.cisco.com", "1", Segment(1), escapes),
    row("FireEye", "fireeye.com", "v1/url?", Parameter(&["u"]), escapes),
    row("FireEye, before v1", "fireeye.com", "url?", Parameter(&["u"]), escapes),
    row("Check Point", "protect.checkpoint.com", "v2/___", Between("___", "___."), raw),
    row("Avanan", "url.avanan.click", "v2/___", Between("___", "___."), raw),
    row("Sophos", "protection.sophos.com", "", Parameter(&["u"]), base64),
    row("Trend Micro", "ctp.trendmicro.com", "", Parameter(&["url"]), escapes),
    row("Symantec", "clicktime.symantec.com", "", Parameter(&["u"]), escapes),
    row("Libraesva", "urlsand.esvalabs.com", "", Parameter(&["u"]), escapes),
    // Image proxies of web mail.
    row("Gmail's pictures", "googleusercontent.com", "proxy/", Fragment, raw),
    row("Gmail's pictures, later", "googleusercontent.com", "meips/", Fragment, raw),
    row("Yahoo Mail's pictures", "ecp.yusercontent.com", "mail?", Parameter(&["url"]), escapes),
    row("Outlook's pictures", "services.web.outlook.com", "proxy", Parameter(&["u"]), escapes),
    // Bulk mail services that count clicks.
    row("Amazon SES", "awstrack.me", "L0/", Segment(1), escapes),
    row("ActiveCampaign", "acemlnc.com", "Prod/link-tracker?", Parameter(&["redirectUrl"]), base64_escapes),
    row("ActiveCampaign, d", "acemlnd.com", "Prod/link-tracker?", Parameter(&["redirectUrl"]), base64_escapes),
    row("Azure", "emails.azure.microsoft.com", "redirect", Parameter(&["destination"]), escapes),
    row("Constant Contact", "rs6.net", "tn.jsp?", Parameter(&["p"]), escapes),
    row("Firebase", "page.link", "", Parameter(&["link"]), escapes),
    row("Mailchimp", "mailchimp.com", "mctx/clicks?", Parameter(&["url"]), escapes),
    row("Squarespace", "squarespace-mail.com", "r?", Parameter(&["u"]), escapes),
    // Search engines and advertisements.
    row("Google", "google.*", "url?", Parameter(&["q", "url"]), escapes),
    row("Google News", "google.*", "news/url?", Parameter(&["url", "q"]), escapes),
    row("Google Ads", "google.*", "pagead/iclk?", Parameter(&["adurl"]), escapes),
    row("Google Ads, aclk", "google.*", "aclk?", Parameter(&["adurl"]), escapes),
    row("Google Ad Services", "googleadservices.com", "pagead/aclk?", Parameter(&["adurl"]), escapes),
    row("Bing", "bing.com", "ck/a?", Parameter(&["u"]), bing),
    row("DuckDuckGo", "duckduckgo.com", "l/?", Parameter(&["uddg"]), escapes),
    row("Yahoo Search", "r.search.yahoo.com", "", SegmentWith("RU="), escapes),
    row("Yahoo", "rd.yahoo.com", "", After("*"), raw),
    row("Yahoo Japan", "rd.yahoo.co.jp", "", After("*"), raw),
    row("AOL", "aol.com", "redir.adp?", Parameter(&["_url"]), escapes),
    // Social networks and other sites that redirect external links.
    row("Facebook", "facebook.com", "l.php?", Parameter(&["u"]), escapes),
    row("Messenger", "l.messenger.com", "l.php?", Parameter(&["u"]), escapes),
    row("Instagram", "l.instagram.com", "", Parameter(&["u"]), escapes),
    row("WhatsApp", "l.wl.co", "l?", Parameter(&["u"]), escapes),
    row("YouTube", "youtube.com", "redirect?", Parameter(&["q"]), escapes),
    row("LinkedIn", "linkedin.com", "redir/redirect?", Parameter(&["url"]), escapes),
    row("LinkedIn, safety", "linkedin.com", "safety/go?", Parameter(&["url"]), escapes),
    row("Slack", "slack-redir.net", "link?", Parameter(&["url"]), escapes),
    row("Steam", "steamcommunity.com", "linkfilter", Parameter(&["url", "u"]), escapes),
    row("VK", "vk.com", "away.php?", Parameter(&["to"]), escapes),
    row("Tumblr", "t.umblr.com", "redirect?", Parameter(&["z"]), escapes),
    row("Reddit", "out.reddit.com", "", Parameter(&["url"]), escapes),
    row("Medium", "medium.com", "r/?", Parameter(&["url"]), escapes),
    row("DeviantArt", "deviantart.com", "users/outgoing?", Query, escapes),
    row("href.li", "href.li", "?", Query, raw),
    row("Firefox Add-ons", "outgoing.prod.mozaws.net", "v1/", Segment(2), escapes),
];

/// A bit set with the [`key`] of each service's host. If the key of a URL's host is not in the set, [`SERVICES`] is not
/// searched.
static KEYS: [u64; 16] = {
    let mut keys = [0; 16];
    let mut row = 0;
    while row < SERVICES.len() {
        let key = key(SERVICES[row].host.as_bytes());
        keys[key / 64] |= 1 << (key % 64);
        row += 1;
    }
    keys
};

/// Returns a hash, below 1024, of one label of the host: the label before the top-level domain, such as `google` in
/// `www.google.com`. If the host ends like `co.uk` or `com.au`, the function hashes the label before the `co` or `com`
/// instead. A host and all its subdomains have the same key.
const fn key(host: &[u8]) -> usize {
    /// Returns the start of the label that ends at `end`.
    const fn begin(host: &[u8], end: usize) -> usize {
        let mut at = end;
        while at > 0 && host[at - 1] != b'.' {
            at -= 1;
        }
        at
    }
    let top = begin(host, host.len());
    let mut end = top.saturating_sub(1);
    let mut start = begin(host, end);
    let length = end - start;
    if host.len() - top == 2 && start > 0 && (length == 2 || length == 3) && host[start] | 0x20 == b'c' {
        end = start - 1;
        start = begin(host, end);
    }
    let mut hash = FNV_BASIS;
    while start < end {
        hash = fnv1a(hash, host[start] | 0x20);
        start += 1;
    }
    (hash >> 32 ^ hash) as usize % 1024
}

impl Url<'_> {
    /// Returns the original URL, if a service has rewritten it to this URL. Mail gateways (Outlook SafeLinks,
    /// Proofpoint), search engines and social networks rewrite URLs in this way. If the original URL is a rewritten
    /// URL, too, the result has its original URL as well, and so on, at most eight URLs. The last URL is the page that
    /// a reader sees, unless that page redirects.
    ///
    /// The original URL is decoded from this URL; no network is used. The result is empty if this URL is not from a
    /// known service, or if the original URL is not parsed by the grammar of http or ftp. Characters that are not
    /// allowed in a URL are escaped: a blank becomes `%20`. For most URLs, this method only makes a few comparisons.
    ///
    /// ```
    /// use urlspool::Url;
    /// let url = Url::parse("https://www.google.com/url?q=http://www.example.org/%3Fa%3Db&sa=D")?;
    /// assert_eq!(url.targets()[0].as_str(), "http://www.example.org/?a=b");
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    #[must_use]
    pub fn targets(&self) -> Vec<Url<'static>> {
        let mut chain = Vec::new();
        let mut next = self.target();
        while let Some(target) = next {
            next = if chain.len() + 1 < LONGEST { target.target() } else { None };
            chain.push(target);
        }
        chain
    }

    fn target(&self) -> Option<Url<'static>> {
        // A rewritten URL contains its target in the query, the path or the fragment. At least one character of the
        // classes in `NEEDED` delimits or encodes the target.
        const NEEDED: u32 = EQUALS | QUESTION | PERCENT | HASH | UNDERSCORE | MARK;
        if self.parsed().seen & NEEDED == 0 || self.grammar() != Grammar::Http { None } else { self.read_target() }
    }

    #[inline(never)]
    fn read_target(&self) -> Option<Url<'static>> {
        let host = self.host_bytes()?;
        let key = key(host);
        if KEYS[key / 64] & 1 << (key % 64) == 0 {
            return None;
        }
        let path = self.url_path().unwrap_or_default().as_bytes();
        let (query, fragment) = (self.query().map(str::as_bytes), self.fragment().map(str::as_bytes));
        SERVICES
            .iter()
            .filter(|service| path.starts_with(service.path.as_bytes()) && is_at(host, service.host))
            .find_map(|service| service.read(path, query, fragment))
    }
}

impl Service {
    /// Returns the target in a URL of this service. `path` includes the query.
    fn read(&self, path: &[u8], query: Option<&[u8]>, fragment: Option<&[u8]>) -> Option<Url<'static>> {
        let found = |text: &[u8]| mended((self.decode)(text)?);
        let mut segments = path.split(|byte| *byte == b'/');
        match self.place {
            Parameter(names) => names.iter().find_map(|name| parameters(query?, name).find_map(found)),
            Query => found(query?),
            Segment(number) => found(segments.nth(number)?),
            SegmentWith(begin) => found(segments.find_map(|segment| segment.strip_prefix(begin.as_bytes()))?),
            After(mark) => found(&path[memmem::find(path, mark.as_bytes())? + mark.len()..]),
            Between(open, close) => {
                let rest = &path[memmem::find(path, open.as_bytes())? + open.len()..];
                found(&rest[..memmem::find(rest, close.as_bytes())?])
            }
            Fragment => found(fragment?),
        }
    }
}

/// Whether `host` is `name` or a subdomain of `name`.
fn is_at(host: &[u8], name: &str) -> bool {
    let (host, name) = match name.strip_suffix('*') {
        Some(name) => (without_top(host), &name[..name.len() - 1]),
        None => (host, name),
    };
    let Some(below) = host.len().checked_sub(name.len()) else { return false };
    host[below..].eq_ignore_ascii_case(name.as_bytes()) && (below == 0 || host[below - 1] == b'.')
}

/// Returns `host` without `com`, without the domain of a country such as `de`, or without a domain such as `co.uk`. If
/// `host` ends in another top-level domain, such as `org`, returns an empty slice, because the same name may belong to
/// another company there.
fn without_top(host: &[u8]) -> &[u8] {
    let cut = |host: &[u8]| host.iter().rposition(|byte| *byte == b'.').unwrap_or(0);
    let dot = cut(host);
    let (rest, top) = host.split_at(dot);
    match top.len() {
        // The top-level domain of a country has two letters. `top` also includes the dot.
        3 => {
            let dot = cut(rest);
            let second = &rest[dot..];
            let is_general = second.eq_ignore_ascii_case(b".co") || second.eq_ignore_ascii_case(b".com");
            if is_general { &rest[..dot] } else { rest }
        }
        _ if top.eq_ignore_ascii_case(b".com") => rest,
        _ => b"",
    }
}

/// Returns the values of the query parameters with this name. If a name begins with `amp;`, the `amp;` is left over
/// from HTML and is skipped.
fn parameters<'q>(query: &'q [u8], name: &str) -> impl Iterator<Item = &'q [u8]> {
    query.split(|byte| *byte == b'&').filter_map(move |parameter| {
        let parameter = parameter.strip_prefix(b"amp;").unwrap_or(parameter);
        parameter.strip_prefix(name.as_bytes())?.strip_prefix(b"=")
    })
}

/// Parses the decoded target `read`. Returns `None` if the target has no host, or if its grammar is neither that of
/// http nor that of ftp. Escapes characters that are not allowed in a URL. If only one slash follows the scheme, adds
/// the second: software that normalizes paths turns `/http://host` into `/http:/host`.
fn mended(read: Vec<u8>) -> Option<Url<'static>> {
    let colon = memchr::memchr(b':', &read)?;
    let (scheme, rest) = read.split_at(colon + 1);
    let (slashes, rest) = (rest.strip_prefix(b"/")?, rest);
    let mut url = scheme.to_vec();
    if !slashes.starts_with(b"/") {
        url.push(b'/');
    }
    for chunk in rest.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut utf8 = [0; 4];
            let bytes = character.encode_utf8(&mut utf8).as_bytes();
            if class(bytes[0]) == FORBIDDEN || character.is_control() {
                url.extend(bytes.iter().flat_map(|byte| percent::encode(*byte)));
            } else {
                url.extend(bytes);
            }
        }
        url.extend(chunk.invalid().iter().flat_map(|byte| percent::encode(*byte)));
    }
    let url = Url::try_from(url).ok()?;
    (matches!(url.grammar(), Grammar::Http | Grammar::Ftp) && !url.host()?.is_empty()).then_some(url)
}

fn raw(text: &[u8]) -> Option<Vec<u8>> {
    Some(text.to_vec())
}

/// Decodes escapes, but keeps each `+`. Some services write a blank in the target as `+`. Other services copy a `+` of
/// the target unchanged. Keeping the `+` is correct in both cases, because a `+` in the target's query means a blank.
fn escapes(text: &[u8]) -> Option<Vec<u8>> {
    Some(percent::decode(text).into_owned())
}

/// Decodes escapes and then each `&amp;`, because Proofpoint v1 copied the URL from HTML without decoding it.
fn html_escapes(text: &[u8]) -> Option<Vec<u8>> {
    let url = percent::decode(text);
    Some(without_references(&url, 0).unwrap_or_else(|| url.into_owned()))
}

/// Replaces each reference to an ampersand, such as `&amp;`, at or after offset `from` of `url` with `&`. `None` if there
/// is no such reference.
#[cold]
pub(crate) fn without_references(url: &[u8], from: usize) -> Option<Vec<u8>> {
    let (mut decoded, mut done) = (Vec::new(), 0);
    for at in memchr::memchr_iter(b'&', &url[from..]).map(|at| from + at) {
        let Some(mut end) = ampersand(&url[at + 1..]).map(|length| at + 1 + length) else { continue };
        decoded.extend_from_slice(&url[done..=at]);
        // The reference was encoded twice.
        while url[end..].starts_with(b"amp;") {
            end += 4;
        }
        done = end;
    }
    if done == 0 {
        return None;
    }
    decoded.extend_from_slice(&url[done..]);
    Some(decoded)
}

/// Returns the length of the reference to an ampersand whose `&` is before `text`: `amp;`, `#38;`, `#x26;`.
fn ampersand(text: &[u8]) -> Option<usize> {
    match text.get(..4) {
        Some(name) if name.eq_ignore_ascii_case(b"amp;") => Some(4),
        _ => numeric_reference(text).filter(|(_, number)| *number == u32::from(b'&')).map(|(length, _)| length),
    }
}

/// Parses the numeric reference whose `&` is before `text`, such as `#38;`, `#038;` (WordPress) or `#x26;`. Returns its
/// length and its number. It has up to 7 digits, as the last code point, 1114111, has.
pub(crate) fn numeric_reference(text: &[u8]) -> Option<(usize, u32)> {
    let (digits, radix) = match text.strip_prefix(b"#")? {
        [b'x' | b'X', digits @ ..] => (digits, 16),
        digits => (digits, 10),
    };
    let values = digits.iter().take(7).map_while(|byte| char::from(*byte).to_digit(radix));
    let (count, number) = values.fold((0, 0), |(count, number), value| (count + 1, number * radix + value));
    let length = text.len() - digits.len() + count + 1;
    (count > 0 && digits.get(count) == Some(&b';')).then_some((length, number))
}

/// Decodes a target of Proofpoint v2, which writes `-` instead of `%`, and `_` instead of `/`.
fn proofpoint_2(text: &[u8]) -> Option<Vec<u8>> {
    let plain = |byte: &u8| match byte {
        b'-' => b'%',
        b'_' => b'/',
        other => *other,
    };
    html_escapes(&text.iter().map(plain).collect::<Vec<_>>())
}

/// Decodes a target of Proofpoint v3: `URL__;REPLACED!…`. The gateway replaces some characters of the URL. One
/// character becomes `*`. A run of 2 to 65 characters becomes `**` and a base64 digit for the length of the run.
/// `REPLACED` is the base64 encoding of the replaced characters.
fn proofpoint_3(text: &[u8]) -> Option<Vec<u8>> {
    let end = memmem::find(text, b"__;")?;
    let (url, rest) = (percent::decode(&text[..end]), &text[end + 3..]);
    let replaced = base64(&rest[..memchr::memchr(b'!', rest)?])?;
    let mut replaced = str::from_utf8(&replaced).ok()?.chars();
    let mut answer = Vec::with_capacity(text.len());
    let mut bytes = url.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'*' {
            answer.push(*byte);
            continue;
        }
        let run = match bytes.as_slice() {
            [b'*', length, ..] => {
                bytes.nth(1);
                usize::from(sextet(*length)?) + 2
            }
            _ => 1,
        };
        for _ in 0..run {
            answer.extend_from_slice(replaced.next()?.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Some(answer)
}

/// Decodes a target of Bing: `a1` followed by base64.
fn bing(text: &[u8]) -> Option<Vec<u8>> {
    base64(text.strip_prefix(b"a1")?)
}

fn base64_escapes(text: &[u8]) -> Option<Vec<u8>> {
    escapes(&base64(text)?)
}

/// Decodes base64 in either alphabet (RFC 4648, sections 4 and 5). The padding is optional, and can be percent-encoded.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = percent::decode(text);
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let mut answer = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in &text[..text.len() - padding] {
        bits = bits << 6 | u32::from(sextet(*byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            // The cast drops the higher bits, which are already in `answer`.
            answer.push((bits >> count) as u8);
        }
    }
    Some(answer)
}

fn sextet(symbol: u8) -> Option<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
    let value = memchr::memchr(symbol, alphabet)?;
    // The indexes 64 and 65 are those of `-` and `_`. In the URL alphabet, these symbols have the values 62 and 63.
    Some(if value < 64 { value as u8 } else { value as u8 - 2 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        let table = [
            ("google.com", true),
            ("www.google.co.uk", true),
            ("news.google.TW", true),
            ("www.google.com.au", true),
            ("google.de", true),
            ("google.evil", false),
            ("google.com.evil.example", false),
            ("notgoogle.com", false),
            ("google.example.com", false),
            ("com", false),
            ("", false),
        ];
        for (host, want) in table {
            assert_eq!(is_at(host.as_bytes(), "google.*"), want, "{host}");
        }
        assert!(is_at(b"L.Facebook.com", "facebook.com"));
        assert!(!is_at(b"facebook.com.evil.example", "facebook.com") && !is_at(b"xfacebook.com", "facebook.com"));
    }

    /// A chain stops after eight targets, so deep nesting takes little time.
    #[test]
    fn a_chain_of_rewritten_links_ends() {
        let nested = |times: usize| "https://href.li/?".repeat(times) + "http://a.example/";
        for times in [0, 1, 7, 8, 9, 4_000] {
            let text = nested(times);
            let url = Url::parse(text.as_bytes()).unwrap();
            let chain = url.targets();
            assert_eq!(chain.len(), times.min(LONGEST));
            if let Some(last) = chain.last() {
                assert_eq!(last.as_str(), nested(times.saturating_sub(LONGEST)));
            }
        }
    }

    #[test]
    fn base64_of_any_length() {
        for (text, want) in [("", ""), ("QQ", "A"), ("QUI", "AB"), ("QUJD", "ABC"), ("QQ==", "A"), ("QUI%3D", "AB")] {
            assert_eq!(base64(text.as_bytes()).as_deref(), Some(want.as_bytes()), "{text}");
        }
        assert_eq!(base64(b"Pz8-Pz8_"), base64(b"Pz8+Pz8/"));
        assert_eq!(base64(b"Q=Q"), None);
    }
}
