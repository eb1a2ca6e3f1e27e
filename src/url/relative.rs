//! Partial (relative) forms: draft-www-uri-00, "Partial (relative) form".
//!
//! RFC 1738 section 2.3 leaves them to others. The draft's rules are kept where it has any, which
//! makes `//g` and `/g` depend on the *runs* of slashes in the base. Where it has none, RFC 3986
//! section 5.2 decides:
//!
//! - an empty reference, or one that starts with `#`, is the base itself with the new fragment;
//! - one that starts with `?` replaces the search;
//! - `/g` in a base that has a host and no path (`http://host`) goes behind the host;
//! - `.` and `..` at the very end leave the slash before them, so that `..` names a directory;
//! - `..` above the first segment is dropped, and never eats the host;
//! - dot segments are removed after the slash rule too.

use std::fmt;

use super::{Component, Url};

/// A reference that starts with a run of slashes that is nowhere in its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResolveError {
    slashes: usize,
}

impl ResolveError {
    /// How many slashes the reference starts with.
    #[must_use]
    pub fn slashes(&self) -> usize {
        self.slashes
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the base has no run of exactly {} slashes (draft-www-uri-00, partial form)", self.slashes)
    }
}

impl std::error::Error for ResolveError {}

/// The absolute form of `reference` in the context of `base`.
///
/// A reference with a colon before any slash is absolute already and is given back unchanged. The
/// answer is not parsed: give it to [`Url::parse`]. Linear in the lengths.
///
/// # Errors
///
/// [`ResolveError`], if the reference starts with a run of slashes that the base does not have.
///
/// ```
/// use urlspool::url::{Url, relative};
/// let base = Url::parse(b"magic://a/b/c//d/e/f")?;
/// assert_eq!(relative::resolve(&base, b"../g").unwrap(), b"magic://a/b/c//d/g");
/// # Ok::<(), urlspool::url::ParseError>(())
/// ```
pub fn resolve(base: &Url<'_>, reference: &[u8]) -> Result<Vec<u8>, ResolveError> {
    if is_absolute(reference) {
        return Ok(reference.to_vec());
    }
    let whole = base.without_fragment();
    // Neither the slashes nor the last part of the path are looked for in a search.
    let path_end =
        base.spans().find(|(name, _)| *name == Component::Search).map_or(whole.len(), |(_, span)| span.start - 1);
    let context = &whole[..path_end];
    match reference.first() {
        None | Some(b'#') => return Ok([whole, reference].concat()),
        Some(b'?') => return Ok([context, reference].concat()),
        Some(_) => {}
    }
    let scheme = base.scheme().len() + 1;
    let slashes = reference.iter().take_while(|&&octet| octet == b'/').count();
    let kept = if slashes > 0 {
        match run(&context[scheme..], slashes) {
            Some(offset) => scheme + offset,
            None if slashes == 1 && context[scheme..].starts_with(b"//") => context.len(),
            None => return Err(ResolveError { slashes }),
        }
    } else {
        last_part(context, scheme)
    };
    let mut answer = context[..kept].to_vec();
    if kept == context.len() && slashes == 0 && has_host_alone(context, scheme) {
        answer.push(b'/');
    }
    answer.extend_from_slice(reference);
    remove_dots(&mut answer, scheme);
    Ok(answer)
}

/// "The latter must have a colon and that colon must occur before any slash characters."
fn is_absolute(reference: &[u8]) -> bool {
    reference.iter().find(|octet| b":/?#".contains(octet)) == Some(&b':')
}

/// "The first occurrence of exactly the same number of consecutive slashes."
fn run(text: &[u8], slashes: usize) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|&&octet| octet == b'/').count();
        if length == slashes {
            return Some(at);
        }
        at += length.max(1);
    }
    None
}

/// Is the context `scheme://host` and nothing more?
fn has_host_alone(context: &[u8], scheme: usize) -> bool {
    context[scheme..].strip_prefix(b"//").is_some_and(|rest| !rest.contains(&b'/'))
}

/// Where "the last part of the path (anything following the rightmost slash)" begins. The slashes
/// before a host are not of the path.
fn last_part(context: &[u8], scheme: usize) -> usize {
    if has_host_alone(context, scheme) {
        return context.len();
    }
    context[scheme..].iter().rposition(|&octet| octet == b'/').map_or(scheme, |slash| scheme + slash + 1)
}

/// "All occurrences of `xxx/../` or `/.` are recursively removed", as complete path elements.
fn remove_dots(url: &mut Vec<u8>, scheme: usize) {
    let path = path_start(url, scheme);
    let end = url[path..].iter().position(|octet| b"?#".contains(octet)).map_or(url.len(), |length| path + length);
    let tail = url.split_off(end);
    // What is kept so far ends at `kept`, always behind a slash or at the path's start.
    let (mut from, mut kept) = (path, path);
    while from < end {
        let length = url[from..end].iter().position(|&octet| octet == b'/').map_or(end - from, |slash| slash + 1);
        let segment = from..from + length;
        match &url[segment.clone()] {
            b"." | b"./" => {}
            b".." | b"../" => kept = parent(&url[..kept], path),
            _ => {
                url.copy_within(segment, kept);
                kept += length;
            }
        }
        from += length;
    }
    url.truncate(kept);
    url.extend_from_slice(&tail);
}

/// Where the path's segments begin: behind the host and its slash, or behind the scheme and a slash.
fn path_start(url: &[u8], scheme: usize) -> usize {
    let rest = &url[scheme..];
    let host = match rest.strip_prefix(b"//") {
        Some(host) => 2 + host.iter().position(|octet| b"/?#".contains(octet)).unwrap_or(host.len()),
        None => 0,
    };
    scheme + host + usize::from(rest.get(host) == Some(&b'/'))
}

/// Where the last complete segment of `kept` begins.
fn parent(kept: &[u8], path: usize) -> usize {
    let Some(without_slash) = kept.len().checked_sub(1).filter(|&end| end >= path) else { return path };
    kept[path..without_slash].iter().rposition(|&octet| octet == b'/').map_or(path, |slash| path + slash + 1)
}
