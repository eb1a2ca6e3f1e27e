//! Resolves relative references by RFC 3986, section 5.2.

use alloc::vec::Vec;

use super::class::is_scheme_byte;
use super::{ParseError, Url};

/// The parts of a URL or a reference, split as in RFC 3986, appendix B. All parts except the path include their
/// delimiters, such as the `?` of the query.
struct Cut<'t> {
    scheme: &'t [u8],
    authority: &'t [u8],
    path: &'t [u8],
    query: &'t [u8],
    fragment: &'t [u8],
}

impl<'t> Cut<'t> {
    fn of(text: &'t [u8]) -> Self {
        let (rest, fragment) = split(text, b"#");
        let (rest, query) = split(rest, b"?");
        let scheme =
            if has_scheme(rest) { rest.iter().position(|byte| *byte == b':').map_or(0, |at| at + 1) } else { 0 };
        let (scheme, rest) = rest.split_at(scheme);
        let authority = match rest.strip_prefix(b"//") {
            Some(after) => 2 + split(after, b"/").0.len(),
            None => 0,
        };
        let (authority, path) = rest.split_at(authority);
        Cut { scheme, authority, path, query, fragment }
    }
}

/// Splits `text` before the first of `delimiters`.
fn split<'t>(text: &'t [u8], delimiters: &[u8]) -> (&'t [u8], &'t [u8]) {
    text.split_at(text.iter().position(|byte| delimiters.contains(byte)).unwrap_or(text.len()))
}

impl Url<'_> {
    /// Resolves `reference` relative to this URL, as browsers do (RFC 3986, section 5.2).
    ///
    /// A reference that has a scheme is already a URL, and the base is ignored. Takes time linear in the lengths of the
    /// base and the reference.
    ///
    /// ```
    /// use urlspool::Url;
    /// let base = Url::parse("http://a.example/b/c/d;p?q")?;
    /// assert_eq!(base.join("../g?y#s")?.as_str(), "http://a.example/b/g?y#s");
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Url::parse`] for the text that [`resolve`](Self::resolve) returns. Offsets are offsets
    /// in that text.
    pub fn join<T: AsRef<[u8]> + ?Sized>(&self, reference: &T) -> Result<Url<'static>, ParseError> {
        Url::parse(&self.resolve(reference)).map(Url::into_owned)
    }

    /// Resolves `reference` as [`join`](Self::join) does, but does not parse the result.
    #[must_use]
    pub fn resolve<T: AsRef<[u8]> + ?Sized>(&self, reference: &T) -> Vec<u8> {
        let (base, new) = (Cut::of(self.as_bytes()), Cut::of(reference.as_ref()));
        let mut answer = if new.scheme.is_empty() { base.scheme } else { new.scheme }.to_vec();
        let scheme = answer.len();
        if !new.scheme.is_empty() || !new.authority.is_empty() {
            answer.extend([new.authority, new.path, new.query].concat());
            remove_dots(&mut answer, scheme);
        } else {
            answer.extend_from_slice(base.authority);
            if new.path.is_empty() {
                answer.extend([base.path, if new.query.is_empty() { base.query } else { new.query }].concat());
            } else {
                if !new.path.starts_with(b"/") {
                    let kept = base.path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
                    answer.extend_from_slice(&base.path[..kept]);
                    if kept == 0 && !base.authority.is_empty() {
                        answer.push(b'/');
                    }
                }
                answer.extend([new.path, new.query].concat());
                remove_dots(&mut answer, scheme);
            }
        }
        answer.extend_from_slice(new.fragment);
        answer
    }
}

/// Whether `reference` begins with a scheme and a colon (RFC 1738, section 5).
pub(crate) fn has_scheme(reference: &[u8]) -> bool {
    reference.iter().position(|byte| !is_scheme_byte(*byte)).is_some_and(|end| end > 0 && reference[end] == b':')
}

/// Removes dot segments: `a/../b` becomes `b`, and `a/./b` becomes `a/b`. The segment `..a` is kept, because only whole
/// segments are removed.
pub(super) fn remove_dots(url: &mut Vec<u8>, scheme: usize) {
    let path = path_start(url, scheme);
    let end = url[path..].iter().position(|byte| b"?#".contains(byte)).map_or(url.len(), |length| path + length);
    let tail = url.split_off(end);
    // `url[..kept]` is the result so far. The offset `kept` is always directly after a slash, or at the start of the
    // path.
    let (mut from, mut kept) = (path, path);
    while from < end {
        let length = url[from..end].iter().position(|&byte| byte == b'/').map_or(end - from, |slash| slash + 1);
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

/// Returns the offset of the first path segment, which is after the leading slash of the path.
fn path_start(url: &[u8], scheme: usize) -> usize {
    let rest = &url[scheme..];
    let host = match rest.strip_prefix(b"//") {
        Some(host) => 2 + host.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(host.len()),
        None => 0,
    };
    scheme + host + usize::from(rest.get(host) == Some(&b'/'))
}

/// Returns the offset of the last segment of `kept`, such as the offset of `b/` in `/a/b/`. `path` is the offset of the
/// first segment.
fn parent(kept: &[u8], path: usize) -> usize {
    let Some(without_slash) = kept.len().checked_sub(1).filter(|&end| end >= path) else { return path };
    kept[path..without_slash].iter().rposition(|&byte| byte == b'/').map_or(path, |slash| path + slash + 1)
}
