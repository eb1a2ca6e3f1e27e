//! What the values of attributes are, and where in them the URLs stand.

use memchr::{memchr, memchr_iter};

use super::tag::{Attribute, Name, is_blank};

/// What an attribute's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing of interest.
    Nothing,
    Url,
    /// Several, with descriptors (`srcset`).
    Urls,
    /// CSS.
    Style,
    /// `http-equiv`.
    Equivalent,
    /// `content`, of interest if the element refreshes.
    Content,
}

impl Value {
    /// What the value of `attribute` is, whose name in `html` is that of `key`.
    #[inline]
    pub(super) fn of(attribute: &Attribute, key: Name, html: &[u8]) -> Value {
        // Nearly every value with a colon in it has one of these names.
        match key {
            Name::HREF | Name::SRC => Value::Url,
            Name::STYLE => Value::Style,
            _ => Value::named(attribute.name(html)),
        }
    }

    /// What the attribute of this name holds, if it is none of the usual ones.
    ///
    /// Everything that is a URL in HTML 2, 3.2, 4, 5, in the frames and applets between them, or to a browser of
    /// the nineties. `xmlns` names a language, not a document, and is none.
    fn named(name: &[u8]) -> Value {
        let mut lower = [0; 12];
        let Some(lower) = lower.get_mut(..name.len()) else { return Value::Nothing };
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        match &*lower {
            b"action" | b"cite" | b"background" | b"data" | b"longdesc" | b"usemap" | b"codebase" | b"classid"
            | b"poster" | b"formaction" | b"manifest" | b"profile" | b"lowsrc" | b"dynsrc" | b"archive" | b"icon"
            | b"ping" | b"urn" | b"pluginspage" | b"xlink:href" => Value::Url,
            b"srcset" | b"imagesrcset" => Value::Urls,
            b"http-equiv" => Value::Equivalent,
            b"content" => Value::Content,
            _ => Value::Nothing,
        }
    }
}

/// The URLs of a `srcset` (HTML, section 4.8.4.2.1), each up to a blank, then descriptors up to a comma; and where
/// they start.
pub(super) fn source_set(value: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + value[at..].iter().position(|&octet| !is_blank(octet) && octet != b',')?;
        let rest = &value[start..];
        let end = rest.iter().position(|&octet| is_blank(octet)).unwrap_or(rest.len());
        let (url, tail) = rest.split_at(end);
        let trimmed = url.len() - url.iter().rev().take_while(|&&octet| octet == b',').count();
        // Without a comma of its own the URL is followed by descriptors.
        let skip = if trimmed < url.len() { 0 } else { memchr(b',', tail).unwrap_or(tail.len()) };
        at = start + end + skip;
        Some((start, &url[..trimmed]))
    })
}

/// Every `url(…)` in `css` (CSS 2.1, section 4.3.4) and where its text starts, quotation marks and blanks
/// removed. Linear: what one encloses is not looked at again.
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
            let Some(len) = memchr(b')', &css[open + 1..]) else {
                closed = false;
                continue;
            };
            done = open + 1 + len;
            let enclosed = css[open + 1..done].trim_ascii();
            let bare = match enclosed {
                [b'"', bare @ .., b'"'] | [b'\'', bare @ .., b'\''] => bare.trim_ascii(),
                _ => enclosed,
            };
            if !bare.is_empty() {
                // Both are slices of `css`, the one inside the other.
                let before = css[open + 1..].iter().take_while(|octet| octet.is_ascii_whitespace()).count();
                let quote = usize::from(bare.len() < enclosed.len());
                let inner = enclosed[quote..].iter().take_while(|octet| octet.is_ascii_whitespace()).count();
                return Some((open + 1 + before + quote + inner, bare));
            }
        }
    })
}

/// The URL in a refresh's `content`, and where it starts: `0; url=http://…`, the marks around it optional.
pub(super) fn refresh_target(content: &[u8]) -> Option<(usize, &[u8])> {
    let digits = content.iter().position(|octet| !octet.is_ascii_digit() && *octet != b'.' && !is_blank(*octet))?;
    let rest = content[digits..].trim_ascii_start();
    let rest = rest.strip_prefix(b";").or_else(|| rest.strip_prefix(b",")).unwrap_or(rest).trim_ascii_start();
    let named = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case(b"url"));
    let rest = match rest.get(3..).map(<[u8]>::trim_ascii_start) {
        Some([b'=', rest @ ..]) if named => rest.trim_ascii_start(),
        _ => rest,
    };
    // So far only what stands before the URL has gone.
    let start = content.len() - rest.len();
    match rest {
        [quote @ (b'"' | b'\''), rest @ ..] => {
            Some((start + 1, rest.split(|octet| octet == quote).next().unwrap_or(rest)))
        }
        _ => Some((start, rest.trim_ascii_end())),
    }
}
