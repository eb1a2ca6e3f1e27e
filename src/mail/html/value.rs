//! Finds URLs in the values of HTML attributes.

use memchr::{memchr, memchr_iter, memchr2};

use super::super::HtmlPlace;
use super::tag::{Attribute, Name, is_blank};
#[cfg(feature = "serde")]
use super::{Exhausted, tag::Attributes};

/// The kind of value that an attribute has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Url,
    /// A URL that browsers do not follow.
    Kept(HtmlPlace),
    /// Several URLs, separated by blanks or commas. The attributes `ping`, `archive` and `profile` have such values.
    List,
    /// Several URLs with descriptors, as in `srcset="a.jpg 1x, b.jpg 2x"`.
    Sources,
    /// CSS.
    Style,
    /// The value of `http-equiv`. If this value is `refresh`, the attribute `content` has a URL.
    Equivalent,
    /// The value of `content`. This value has a URL only if the attribute `http-equiv` is `refresh`.
    Content,
}

/// An attribute that can have a URL.
#[derive(Debug)]
pub(super) struct Known {
    /// The name of the attribute, in lower case.
    pub(super) name: &'static str,
    pub(super) value: Value,
}

/// Returns `name` as a static string, if an attribute with this name can have a URL.
#[cfg(feature = "serde")]
pub(crate) fn attribute_name(name: &str) -> Option<&'static str> {
    let html = format!("{name}=x>").into_bytes();
    let attribute = Attributes::new(&html, 0).next(&mut Exhausted::default())?;
    Known::of(&attribute, attribute.key(&html), &html).map(|known| known.name).filter(|known| *known == name)
}

impl Known {
    pub(super) const HREF: &Known = &Known { name: "href", value: Value::Url };
    const SRC: &Known = &Known { name: "src", value: Value::Url };
    const STYLE: &Known = &Known { name: "style", value: Value::Style };

    /// Returns the description of `attribute`, or `None` if an attribute with this name cannot have a URL. `key` is the
    /// name as a number.
    #[inline]
    pub(super) fn of(attribute: &Attribute, key: Name, html: &[u8]) -> Option<&'static Known> {
        // Compare with these three names first, because nearly every attribute with a colon in its value has one of
        // them.
        match key {
            Name::HREF => Some(Known::HREF),
            Name::SRC => Some(Known::SRC),
            Name::STYLE => Some(Known::STYLE),
            _ => Known::other(attribute, key, html),
        }
    }

    /// Does the same as [`of`](Self::of) for the attributes that are less frequent.
    ///
    /// The list in this function has all attributes that contain a URL in HTML 2, 3.2, 4 or 5, or in browsers of the
    /// 1990s. The list also has the attributes in which mail systems store the links that they replaced. `xmlns` is not
    /// listed, because its URL identifies a language and not a document.
    #[inline(never)]
    fn other(attribute: &Attribute, key: Name, html: &[u8]) -> Option<&'static Known> {
        // The macro compares `key` with one name after the other. The names are numbers, so the compiler can combine
        // all comparisons into one search.
        macro_rules! first {
            ($($name:literal: $value:expr,)*) => {
                $(if key == const { Name::new($name.as_bytes()) }
                    && (key != Name::LONG || attribute.name(html).eq_ignore_ascii_case($name.as_bytes()))
                {
                    return Some(const { &Known { name: $name, value: $value } });
                })*
            };
        }
        first! {
            "action": Value::Url,
            "cite": Value::Url,
            "data": Value::Url,
            "longdesc": Value::Url,
            "usemap": Value::Url,
            "codebase": Value::Url,
            "classid": Value::Url,
            "poster": Value::Url,
            "manifest": Value::Url,
            "lowsrc": Value::Url,
            "dynsrc": Value::Url,
            "icon": Value::Url,
            "urn": Value::Url,
            "archive": Value::List,
            "ping": Value::List,
            "profile": Value::List,
            "srcset": Value::Sources,
            "content": Value::Content,
            "background": Value::Url,
            "formaction": Value::Url,
            "pluginspage": Value::Url,
            "xlink:href": Value::Url,
            "data-saferedirecturl": Value::Kept(HtmlPlace::SafeRedirect),
            "originalsrc": Value::Kept(HtmlPlace::OriginalSource),
            "imagesrcset": Value::Sources,
            "http-equiv": Value::Equivalent,
        }
        None
    }
}

/// Returns the URLs in `value`, each with its offset. The URLs are separated by blanks or commas.
pub(super) fn list(value: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    value.split(|&byte| is_blank(byte) || byte == b',').map(move |url| {
        let at = start;
        start += url.len() + 1;
        (at, url)
    })
}

/// Returns the URLs in a `srcset`, each with its offset (HTML standard, section 4.8.4.2.1). Each URL ends at a blank.
/// Descriptors such as `2x` can follow, up to the next comma.
pub(super) fn source_set(value: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + value[at..].iter().position(|&byte| !is_blank(byte) && byte != b',')?;
        let rest = &value[start..];
        let end = rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len());
        let (url, tail) = rest.split_at(end);
        let trimmed = url.len() - url.iter().rev().take_while(|&&byte| byte == b',').count();
        // A URL that ends with a comma has no descriptors.
        let skip = if trimmed < url.len() { 0 } else { memchr(b',', tail).unwrap_or(tail.len()) };
        at = start + end + skip;
        Some((start, &url[..trimmed]))
    })
}

/// Returns the URL in every `url(…)` in `css`, each with its offset (CSS Syntax, sections 4.3.4 to 4.3.6). Quotation
/// marks and blanks around the URL are removed. Escapes are not decoded. Takes linear time.
pub(super) fn style_urls(css: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut done = 0;
    let mut opens = memchr_iter(b'(', css);
    let mut closed = true;
    std::iter::from_fn(move || {
        loop {
            let open = opens.next()?;
            let named = open.checked_sub(3).is_some_and(|start| css[start..open].eq_ignore_ascii_case(b"url"));
            if open < done || !named || !closed {
                continue;
            }
            let blanks = css[open + 1..].iter().take_while(|byte| is_blank(**byte)).count();
            let start = open + 1 + blanks;
            // An unclosed quotation mark is treated as part of the URL. If the search for the closing quotation mark
            // fails, the rest of `css` has no further unescaped quotation mark of this kind. So at most one search
            // fails for `"`, and one for `'`, and the total time is linear.
            let quote = css.get(start).filter(|byte| matches!(byte, b'"' | b'\''));
            let len = quote.and_then(|quote| unescaped_end(&css[start + 1..], *quote));
            let quoted = len.map(|len| start + 1..start + 1 + len);
            let end = quoted.as_ref().map_or(start, |range| range.end);
            let Some(len) = unescaped_end(&css[end..], b')') else {
                closed = false;
                continue;
            };
            done = end + len;
            let range = quoted.unwrap_or(start..done);
            let url = css[range.clone()].trim_ascii_end();
            if !url.is_empty() {
                return Some((range.start, url));
            }
        }
    })
}

/// Returns the offset of the first `quote` in `css` that is not escaped.
fn unescaped_end(css: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(quote, b'\\', css.get(at..)?)?;
        if css[at] == quote {
            return Some(at);
        }
        at += 2;
    }
}

/// Decodes the escapes of a URL in CSS (CSS Syntax, section 4.3.7). Returns `None` if there are no escapes.
pub(super) fn unescaped(css: &[u8]) -> Option<Vec<u8>> {
    let mut rest = css;
    let mut decoded = Vec::new();
    while let Some(at) = memchr(b'\\', rest) {
        decoded.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let code = str::from_utf8(&rest[..digits]).ok().and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let Some(code) = code {
            let character = char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
            decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &rest[digits..];
            let blank =
                if rest.starts_with(b"\r\n") { 2 } else { usize::from(rest.first().is_some_and(|b| is_blank(*b))) };
            rest = &rest[blank..];
        } else if let [first, after @ ..] = rest {
            decoded.push(*first);
            rest = after;
        }
    }
    if rest.len() == css.len() {
        return None;
    }
    decoded.extend_from_slice(rest);
    Some(decoded)
}

/// Returns the URL in the `content` of a refresh, such as `0; url=http://…`, with its offset. The `;` and the `url=`
/// are optional. A comma can replace the `;`.
pub(super) fn refresh_target(content: &[u8]) -> Option<(usize, &[u8])> {
    let digits = content.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.' && !is_blank(*byte))?;
    let rest = content[digits..].trim_ascii_start();
    let rest = rest.strip_prefix(b";").or_else(|| rest.strip_prefix(b",")).unwrap_or(rest).trim_ascii_start();
    let named = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case(b"url"));
    let rest = match rest.get(3..).map(<[u8]>::trim_ascii_start) {
        Some([b'=', rest @ ..]) if named => rest.trim_ascii_start(),
        _ => rest,
    };
    // `rest` is a suffix of `content`, so the offset of `rest` is the difference of their lengths.
    let start = content.len() - rest.len();
    match rest {
        [quote @ (b'"' | b'\''), rest @ ..] => {
            Some((start + 1, rest.split(|byte| byte == quote).next().unwrap_or(rest)))
        }
        _ => Some((start, rest.trim_ascii_end())),
    }
}
