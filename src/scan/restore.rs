//! Restores URLs that a program or a writer has changed (rules 2.5 to 2.7): removes escapes such as `\_`, invisible
//! characters and a second scheme, and replaces ` at ` by `@`.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::bare::{self, invisible, is_dot, is_file, is_in_host};
use super::candidate::{Alternative, Extra, Reason};
#[cfg(feature = "mime")]
use super::candidate::{Candidate, Form};
use super::emphasis::EmphasisState;
use super::rejoin::heuristics::extension;
use super::trim::trim;
#[cfg(feature = "mime")]
use crate::trigger::scheme_length;
use crate::trigger::{known_scheme, missing_slashes, scheme_start};
use crate::url::{Url, percent, scheme};

/// Returns the text that is meant by `url`, and the reason why it differs. Returns `None` if `url` is meant as written,
/// or if the result is not a URL. Takes linear time.
#[cold]
fn restored(url: &[u8]) -> Option<(Vec<u8>, Reason)> {
    let colon = memchr::memchr(b':', url)?;
    let missing = missing_slashes(&url[..colon], &url[colon + 1..]);
    let is_doubled = url.get(colon + 3..).is_some_and(is_doubled);
    if url.is_ascii() && memchr::memchr(b'\\', url).is_none() && !is_doubled && missing == 0 {
        return None;
    }
    let (mut text, mut at, mut is_query) = (Vec::with_capacity(url.len()), 0, false);
    while at < url.len() {
        let (length, meant) = meant(url, at, &text, is_query);
        is_query |= matches!(meant, Some(b'?' | b'#'));
        text.extend(meant);
        at += length;
    }
    let mut reason = Reason::Escape;
    if let Some(file) = file(&text) {
        text = file;
    } else if let Some(inner) = undoubled(&text) {
        (text, reason) = (inner, Reason::Doubled);
    } else if missing > 0 {
        text.splice(colon + 1..colon + 1, b"//"[..missing].iter().copied());
        reason = Reason::Defanged;
    }
    (text != url && Url::parse(&text).is_ok()).then_some((text, reason))
}

impl Extra {
    /// Restores the text of the URL if a program or a writer has changed it (rules 2.5 and 2.7). The text as written
    /// becomes an alternative. Returns whether the text was changed.
    pub(super) fn restore(extra: &mut Option<Box<Extra>>, url: &[u8]) -> bool {
        let url = match extra {
            Some(extra) if !extra.joined.is_empty() => &extra.joined,
            _ => url,
        };
        let Some((text, reason)) = restored(url) else { return false };
        let written = (url.is_ascii() && Url::parse(url).is_ok()).then(|| url.to_vec());
        // A `file` URL can have backslashes on Windows, and the name of a host can have escapes (RFC 3986).
        let is_kept = written.as_ref().is_some_and(|url| {
            let host = url.splitn(4, |byte| *byte == b'/').nth(2).unwrap_or_default();
            is_file(url) || reason == Reason::Doubled && memchr::memchr(b'%', host).is_some()
        });
        let extra = extra.get_or_insert_default();
        if is_kept {
            extra.alternatives.push(Alternative { url: text, reason });
            return false;
        }
        extra.alternatives.extend(written.map(|url| Alternative { url, reason }));
        extra.doubt = Some(reason);
        extra.joined = text;
        true
    }
}

#[cfg(feature = "mime")]
impl<'h> Candidate<'h> {
    /// Makes a candidate from the decoded value of an HTML attribute whose scheme is not known. Returns `None` if the
    /// value has no scheme, because a relative reference is not a URL. But if only marks are before an absolute URL,
    /// the value is a candidate, and no URL: browsers read it as a relative reference (rule 2.8).
    #[cold]
    pub(crate) fn of_odd_attribute(value: &'h [u8]) -> Option<Self> {
        match scheme_length(value) {
            Some(name) => Some(Self::of_attribute(value)?.mistyped(name)),
            None => begins_with_marks(value).then(|| Candidate::new(value, Form::Href, 0..value.len())),
        }
    }

    /// Adds the URL that is meant if its scheme, of `name` bytes, is a mistake such as `hhttp`, or `URL`.
    fn mistyped(self, name: usize) -> Self {
        let value = self.haystack;
        let meant = match headless(value, 0, name) {
            Some(scheme) => [scheme.name.as_bytes(), &value[name..]].concat(),
            None if value[..name].eq_ignore_ascii_case(b"URL") => value[name + 1..].to_vec(),
            None => return self,
        };
        if Url::parse(&meant).is_ok() { self.or(&meant, Reason::Defanged).in_doubt(Reason::Defanged) } else { self }
    }
}

/// Whether only quotation marks, brackets or blanks are before an absolute URL in the value of an attribute, as in
/// `href=\"http://a.example/\"`, where a program has escaped the quotation marks.
#[cfg(feature = "mime")]
fn begins_with_marks(value: &[u8]) -> bool {
    let Some(slashes) = memchr::memmem::find(value, b"://") else { return false };
    let Some(scheme) = glued_name(value, slashes) else { return false };
    let before = &value[..slashes - scheme.len()];
    let is_mark = |byte: &u8| b"\\\"'<([ ".contains(byte);
    // A no-break space and curly quotation marks are in UTF-8.
    matches!(before, b"%20" | b"%22" | b"\xC2\xA0" | [0xE2, 0x80, 0x98..=0x9F]) || before.iter().all(is_mark)
}

/// Returns the length of the escape, or of the single byte, at `at`, and the byte that it stands for, if any. `text` is
/// the restored text of the URL up to `at`. `is_query` says whether `text` has a query or fragment.
fn meant(url: &[u8], at: usize, text: &[u8], is_query: bool) -> (usize, Option<u8>) {
    let byte = url[at];
    match byte {
        b'\\' => escape(&url[at + 1..], text, is_query).map_or((1, Some(byte)), |(length, meant)| (length + 1, meant)),
        0x80.. if is_dot(&url[at..]) && is_in_host(text) => (3, Some(b'.')),
        0x80.. if at > 0 && url[at - 1].is_ascii() => match invisible(&url[at..]) {
            length if length > 0 && url.get(at + length).is_some_and(u8::is_ascii) => (length, None),
            _ => (1, Some(byte)),
        },
        _ => (1, Some(byte)),
    }
}

/// Returns the length of the escape whose backslash is before `rest`, and the byte that it stands for, if any (rule
/// 2.5).
fn escape(rest: &[u8], text: &[u8], is_query: bool) -> Option<(usize, Option<u8>)> {
    let last = text.last().copied().unwrap_or_default();
    match *rest {
        [b'\\', ref rest @ ..] if rest.first() != Some(&b'\\') => {
            escape(rest, text, is_query).map(|(length, meant)| (length + 1, meant))
        }
        // Markdown writes `\<URL\>`.
        [] if !is_file(text) => Some((0, None)),
        // An escape of JavaScript. A path of Windows can have `\x64` and `\x86`.
        [b'x', high @ (b'2' | b'3'), low, ..] if high == b'2' || !low.is_ascii_digit() => {
            let meant = (high - b'0') * 16 + char::from(low).to_digit(16)? as u8;
            Some((3, Some(meant)))
        }
        [b'*', b':', ..] => Some((2, None)),
        [b'*'] => Some((1, None)),
        // In roff, `\:` is a place where a line may end. In Markdown, it is a colon.
        [b':', next, ..] if text.contains(&b':') && (b"/.-_?&=#+".contains(&last) || b"/.".contains(&next)) => {
            Some((1, None))
        }
        [b'~', b'{', b'}', ..] => Some((3, Some(b'~'))),
        [b'~', ..] if is_query || last != b'/' => None,
        [b'u', b'0', b'0', high, low, ..] => {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let meant = (digit(high)? * 16 + digit(low)?) as u8;
            (meant.is_ascii_graphic() && meant != b'\\').then_some((5, Some(meant)))
        }
        [byte, ..] if b"_*#~-&%![]()/:+=@$".contains(&byte) => Some((1, Some(byte))),
        _ => None,
    }
}

/// Returns the `file` URL that is meant by `url`, which has backslashes as on Windows, as in `file:\\server\share`.
fn file(url: &[u8]) -> Option<Vec<u8>> {
    let (scheme, rest) = url.split_at_checked(b"file:".len()).filter(|_| is_file(url))?;
    memchr::memchr(b'\\', rest)?;
    let slashes = rest.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    let is_drive = matches!(rest[slashes..], [drive, b':' | b'|', ..] if drive.is_ascii_alphabetic());
    let slash: &[u8] = if is_drive || rest[..slashes] == *b"///" { b"///" } else { b"//" };
    let path = rest[slashes..].iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte });
    Some(scheme.iter().chain(slash).copied().chain(path).collect())
}

/// Whether the text after `://` of a URL is the name of a scheme and `:` or `//`, so that the URL has two schemes.
#[inline]
pub(super) fn is_doubled(rest: &[u8]) -> bool {
    matches!(rest.first(), Some(b'h' | b'H' | b'f' | b'F')) && inner_scheme(rest).is_some()
}

/// Returns the length of the scheme at the start of `rest`, and the length of the `:` and slashes, or of the `//`,
/// after it. The `:` and slashes can be escapes.
fn inner_scheme(rest: &[u8]) -> Option<(usize, usize)> {
    let name = [&b"https"[..], b"http", b"ftp"]
        .into_iter()
        .find(|name| rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)))?
        .len();
    match rest[name..] {
        [b':', b'/', b'/', ..] => Some((name, 3)),
        [b':', b'/', ..] | [b'/', b'/', ..] => Some((name, 2)),
        [b'%', ..] => {
            rest[name..].get(..9).filter(|escapes| escapes.eq_ignore_ascii_case(b"%3A%2F%2F")).map(|_| (name, 9))
        }
        _ => None,
    }
}

/// Returns the inner URL of a URL with two schemes, as in `http://http://host` (rule 2.7).
fn undoubled(url: &[u8]) -> Option<Vec<u8>> {
    let colon = memchr::memchr(b':', &url[..url.len().min(8)]).filter(|&colon| colon > 0)?;
    let mut rest = url[colon..].strip_prefix(b"://")?;
    let (mut inner, mut is_escaped) = (None, false);
    while let Some((name, slashes)) = inner_scheme(rest) {
        inner = Some(&rest[..name]);
        is_escaped |= slashes == 9;
        rest = &rest[name + slashes..];
    }
    let rest = if is_escaped { percent::decode(rest) } else { rest.into() };
    inner.map(|scheme| [scheme, b"://", &rest].concat())
}

/// A URL that has ` at ` in place of `@`.
pub(super) struct Obscured {
    /// The URL with `@`.
    pub(super) url: Vec<u8>,
    /// The range of the text after ` at `.
    pub(super) rest: Range<usize>,
    /// Whether the URL with `@` is more likely than the URL that ends before ` at `.
    pub(super) is_likely: bool,
}

/// Returns the URL that continues after ` at `, which list archives write in place of `@` (rule 2.6). `first` is the
/// range of the URL that ends before ` at `.
#[cold]
pub(super) fn obscured(
    text: &[u8],
    first: Range<usize>,
    colon: usize,
    open: bare::Brackets,
    marks: &mut EmphasisState,
) -> Option<Obscured> {
    const AT: &[u8] = b" at ";
    let start = first.end + AT.len();
    let host = &text[start..];
    let name = host.iter().take(255).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.')).count();
    let (name, after) = host.split_at(name);
    let name = name.strip_suffix(b".").unwrap_or(name);
    let labels = name.split(|byte| *byte == b'.');
    let is_host = name.first().is_some_and(u8::is_ascii_alphanumeric)
        && labels.clone().count() > 1
        && labels.clone().all(|label| !label.is_empty())
        && labels.clone().next_back().is_some_and(|label| label.len() > 1 && label.iter().all(u8::is_ascii_alphabetic));
    let is_setting = after.first() == Some(&b':') && !after.get(1).is_some_and(u8::is_ascii_digit);
    let first = &text[first];
    let rest = first.get(colon + 1..)?;
    let path = rest.strip_prefix(b"//").unwrap_or(rest);
    let local = path.rsplit(|byte| b"/?&=".contains(byte)).next().unwrap_or_default();
    let is_www =
        [&b"www."[..], b"ftp."].iter().any(|www| name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(www)));
    if !is_host || is_setting || local.is_empty() {
        return None;
    }
    let is_user = path.len() == rest.len() || is_in_host(first) && memchr::memchr(b'.', local).is_none();
    let continues = after.first() == Some(&b'/') && !is_in_host(first);
    let is_id = !is_in_host(first) && local.iter().any(u8::is_ascii_digit) && extension(local).is_none();
    let is_likely = is_user || !is_www && (continues || is_id);
    let rest = bare::extent(text, start, start, open);
    let end = start + name.len();
    let end = if rest.end > end { trim(text, start, b"", start..rest.end, marks).max(end) } else { end };
    let url = [first, b"@", &text[start..end]].concat();
    Url::parse(&url).is_ok().then_some(Obscured { url, rest: start..end, is_likely })
}

/// Returns the scheme that is meant by `text[start..colon]`: `http` for `ttp` and `htp`, and `https` for `ttps`. On
/// some boards, people omit the `h`. A host with a dot must follow.
#[cold]
pub(super) fn headless(text: &[u8], start: usize, colon: usize) -> Option<&'static scheme::Scheme> {
    const MISTYPED: [&str; 6] = ["ttp", "htp", "htttp", "hhttp", "httpp", "hptt"];
    let name = text[start..colon].to_ascii_lowercase();
    let (name, scheme) = name.strip_suffix(b"s").map_or((&name[..], &b"http"[..]), |name| (name, b"https"));
    let is_mistyped = MISTYPED.iter().any(|mistyped| mistyped.as_bytes() == name);
    (is_mistyped && has_dotted_host(text, colon)).then(|| scheme::find(scheme))?
}

/// Whether `://` and a host with a dot follow the scheme that ends at `colon`.
fn has_dotted_host(text: &[u8], colon: usize) -> bool {
    let Some(host) = text[colon..].strip_prefix(b"://") else { return false };
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || !b.is_ascii() || b"-._:@[".contains(b);
    let end = host.iter().take(255).take_while(is_name).count();
    let name = host[..end].rsplit(|byte| *byte == b'@').next().unwrap_or_default();
    let labels = name.split(|byte| *byte == b'.').filter(|label| !label.is_empty());
    labels.count() > 1 || name.starts_with(b"[") && name.contains(&b':')
}

/// Returns the scheme at the end of `text[..end]` to which a word is glued, as in `Seehttp://host` (rule 2.4). A host
/// with a dot must follow `colon`.
#[cold]
pub(super) fn glued(text: &[u8], end: usize, colon: usize) -> Option<&'static scheme::Scheme> {
    let name = glued_name(text, end)?;
    // Several escapes, as in `%0A%20http://host`, are encoded text, which can continue after the URL.
    let before = &text[..end - name.len()];
    let is_encoded = is_escape(before) && is_escape(&before[..before.len() - 3]);
    (!is_encoded && has_dotted_host(text, colon)).then(|| scheme::find(name))?
}

/// Whether `text` ends with an escape such as the `%20` of `%20http://host`.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [.., b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
}

/// Returns the scheme at the end of `text[..colon]` that a word can be glued to.
pub(super) fn glued_name(text: &[u8], colon: usize) -> Option<&'static [u8]> {
    [&b"https"[..], b"http", b"ftp"]
        .into_iter()
        .find(|name| colon >= name.len() && text[colon - name.len()..colon].eq_ignore_ascii_case(name))
}

/// Returns the offset of the scheme at the end of `text[..next]` if this scheme is glued to the URL whose scheme ends at
/// `colon`, as in `http://a.examplehttp://b.example` (rule 2.4).
#[inline]
pub(super) fn glued_url(text: &[u8], colon: usize, next: usize) -> Option<usize> {
    if next < colon + 6 {
        return None;
    }
    let last = text[next - 1] | 0x20;
    let length = if last == b's' { 5 } else { 4 - usize::from(text[next - 3] | 0x20 == b'f') };
    let may_end = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'*'..=b'.' | b':' | b'=' | b'~');
    let is_near = next > colon + 3 + length && may_end(text[next - length - 1]);
    if is_near { is_glued_url(text, colon, next) } else { None }
}

#[cold]
fn is_glued_url(text: &[u8], colon: usize, next: usize) -> Option<usize> {
    let name = glued_name(text, next)?.len();
    let at = next - name;
    let before = &text[colon..at];
    // In `=3Dhttp`, an escape of quoted-printable was not decoded.
    let is_escaped = is_escape(before) || before.ends_with(b"=3D");
    // In a path, the URL of a redirect can begin after most marks, but not after the end of a sentence.
    let ends = |last: &u8| last.is_ascii_alphanumeric() || matches!(last, b'.' | b'!');
    let is_host = || is_in_host(before) && before.get(3).is_some_and(u8::is_ascii_alphanumeric);
    let is_glued = before.last().is_some_and(ends) || before.ends_with(b"!:") || is_host();
    let is_longer = known_scheme(text, scheme_start(text, next), next).is_some_and(|row| row.name.len() > name);
    (!is_escaped && is_glued && !is_longer && has_dotted_host(text, next)).then_some(at)
}
