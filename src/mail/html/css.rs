//! Finds URLs in CSS, as its tokenizer reads them (CSS Syntax, section 4.3).
//!
//! URLs are in `url(…)`, in the strings of `@import`, and in the strings of `image-set(…)`.

use std::borrow::Cow;

use memchr::memmem;

use super::tag::is_blank;
use crate::simd::ByteSet;

/// The bytes at which the tokenizer stops: the beginnings of comments, strings, escapes and at-rules, and parentheses.
static STOPS: ByteSet = ByteSet::of(b"/\"'\\@();{");

/// The at-rule whose prelude is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The next string is the URL of another style sheet.
    Import,
    /// The URLs are names, which browsers do not request.
    Namespace,
    Other,
}

/// Returns the URLs in `css`, each with its offset. Quotation marks and blanks around a URL are removed. Escapes are not
/// decoded. Takes linear time.
pub(super) fn urls(css: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    let (mut rule, mut depth, mut images) = (Rule::Other, 0usize, None);
    std::iter::from_fn(move || {
        loop {
            at = STOPS.next(css, at);
            match *css.get(at)? {
                b'/' if css[at..].starts_with(b"/*") => {
                    at = memmem::find(&css[at + 2..], b"*/").map_or(css.len(), |i| at + 2 + i + 2);
                }
                b'"' | b'\'' => {
                    let (start, end) = (at + 1, string_end(css, at));
                    at = css.len().min(end + 1);
                    if rule == Rule::Import || images == Some(depth) {
                        rule = Rule::Other;
                        return Some((start, &css[start..end]));
                    }
                }
                b'(' => {
                    let (name, url) = (name_before(css, at), at + 1);
                    depth += 1;
                    at += 1;
                    if name.eq_ignore_ascii_case(b"url") {
                        let (range, end) = url_range(css, url);
                        at = end;
                        let is_named = std::mem::replace(&mut rule, Rule::Other) == Rule::Namespace;
                        if !range.is_empty() && !is_named {
                            return Some((range.start, &css[range]));
                        }
                    } else if name.eq_ignore_ascii_case(b"image-set") || name.eq_ignore_ascii_case(b"-webkit-image-set")
                    {
                        images = Some(depth);
                    }
                }
                b')' => {
                    depth = depth.saturating_sub(1);
                    images = images.filter(|level| *level <= depth);
                    at += 1;
                }
                b'@' => {
                    let end = name_end(css, at + 1);
                    let name = unescaped(&css[at + 1..end]);
                    rule = match () {
                        () if name.eq_ignore_ascii_case(b"import") => Rule::Import,
                        () if name.eq_ignore_ascii_case(b"namespace") => Rule::Namespace,
                        () => Rule::Other,
                    };
                    at = end;
                }
                b';' | b'{' => (rule, at) = (Rule::Other, at + 1),
                // The name of a function can have escapes. The `(` after the name is found next.
                b'\\' => at = name_end(css, at).max(at + 1),
                _ => at += 1,
            }
        }
    })
}

/// Returns the end of the string whose quotation mark is at `at`. A string also ends at a line break.
fn string_end(css: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(byte) = css.get(end) {
        match byte {
            b'\\' => end += escape_length(&css[end..]),
            b'\n' | b'\r' | 0x0C => break,
            _ if *byte == css[at] => break,
            _ => end += 1,
        }
    }
    end.min(css.len())
}

/// Returns the range of the URL whose `url(` ends at `start`, and the end of the token. A URL without quotation marks
/// must not contain blanks, quotation marks or `(`.
fn url_range(css: &[u8], start: usize) -> (std::ops::Range<usize>, usize) {
    let first = start + css[start..].iter().take_while(|byte| is_blank(**byte)).count();
    if let Some(b'"' | b'\'') = css.get(first) {
        let end = string_end(css, first);
        // The `)` is read as the end of a function, so that text before it is skipped.
        return (first + 1..end.max(first + 1), (end + 1).min(css.len()));
    }
    let mut end = first;
    let mut is_escaped = false;
    while let Some(byte) = css.get(end).filter(|byte| is_escaped || **byte != b')') {
        is_escaped = !is_escaped && *byte == b'\\';
        end += 1;
    }
    let url = css[first..end].trim_ascii_end();
    let is_bad = unquoted_is_bad(url);
    (first..if is_bad { first } else { first + url.len() }, end)
}

/// Whether `url` has an unescaped byte that a URL without quotation marks cannot have (CSS Syntax, section 4.3.6).
fn unquoted_is_bad(url: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = url.get(at) {
        match byte {
            b'\\' => at += escape_length(&url[at..]),
            b'"' | b'\'' | b'(' => return true,
            byte if is_blank(byte) => return true,
            _ => at += 1,
        }
    }
    false
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || !byte.is_ascii()
}

/// Returns the end of the name at `at`. A name can have escapes.
fn name_end(css: &[u8], mut at: usize) -> usize {
    loop {
        match css.get(at..) {
            Some([b'\\', next, ..]) if !matches!(next, b'\n' | b'\r' | 0x0C) => at += escape_length(&css[at..]),
            Some([byte, ..]) if is_name(*byte) => at += 1,
            _ => return at,
        }
    }
}

/// Returns the name that ends at `open`, with its escapes decoded. Reads only a few bytes, because the names of
/// functions with URLs are short.
fn name_before(css: &[u8], open: usize) -> Cow<'_, [u8]> {
    const LONGEST: usize = 128;
    let floor = open.saturating_sub(LONGEST);
    let mut start = open;
    while start > floor {
        let byte = css[start - 1];
        // A blank can end a hexadecimal escape.
        let ends_escape = is_blank(byte) && {
            let digits = css[floor..start - 1].iter().rev().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
            digits > 0 && css[floor..start - 1 - digits].ends_with(b"\\")
        };
        if !is_name(byte) && byte != b'\\' && !ends_escape {
            break;
        }
        start -= 1;
    }
    unescaped(&css[start..open])
}

/// Returns the length of the escape at the start of `css`.
fn escape_length(css: &[u8]) -> usize {
    let digits = css[1..].iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let rest = &css[1 + digits..];
    let is_last = rest.first().is_some_and(|byte| digits == 0 || is_blank(*byte));
    1 + digits + if rest.starts_with(b"\r\n") { 2 } else { usize::from(is_last) }
}

/// Decodes the escapes of CSS (CSS Syntax, section 4.3.7). A line break after a backslash is removed.
pub(super) fn unescaped(css: &[u8]) -> Cow<'_, [u8]> {
    let Some(mut at) = memchr::memchr(b'\\', css) else { return Cow::Borrowed(css) };
    let mut decoded = css[..at].to_vec();
    while at < css.len() {
        let rest = &css[at..];
        if rest[0] != b'\\' {
            let len = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
            decoded.extend_from_slice(&rest[..len]);
            at += len;
            continue;
        }
        let len = escape_length(rest);
        let digits = rest[1..len].trim_ascii_end();
        match str::from_utf8(digits).ok().and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                let character = char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
                decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            None => decoded.extend(rest[1..len].iter().filter(|byte| !matches!(byte, b'\n' | b'\r' | 0x0C))),
        }
        at += len;
    }
    Cow::Owned(decoded)
}
