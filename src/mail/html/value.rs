//! Finds URLs in the values of HTML attributes.

use memchr::memchr;

use super::super::HtmlPlace;
use super::tag::{Name, is_blank, named_list};

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
    /// The text of a `style` element.
    Sheet,
    /// A URL if the element is in SVG or MathML.
    Linked,
    /// The values of an animated attribute, separated by semicolons. They are URLs if the attribute is `href`.
    Animated,
    /// An HTML document.
    Document,
    /// The value of `content`. This value has a URL only if the attribute `http-equiv` is `refresh`.
    Content,
}

/// An attribute that can have a URL.
#[derive(Debug)]
pub(super) struct Known {
    /// The name of the attribute, in lower case.
    pub(super) name: &'static str,
    pub(super) value: Value,
    /// The HTML elements that use the attribute. Empty if all do.
    elements: &'static [Name],
}

/// Returns `name` as a static string, if an attribute with this name can have a URL.
#[cfg(feature = "serde")]
pub(crate) fn attribute_name(name: &str) -> Option<&'static str> {
    Known::of(Name::new(name.as_bytes())).map(|known| known.name).filter(|known| *known == name)
}

impl Known {
    pub(super) const HREF: &Known =
        &Known { name: "href", value: Value::Url, elements: named_list!("a area link base") };
    pub(super) const SRC: &Known = &Known {
        name: "src",
        value: Value::Url,
        elements: named_list!("img iframe frame script input embed audio video source track bgsound image"),
    };
    const STYLE: &Known = &Known { name: "style", value: Value::Style, elements: &[] };
    /// The text of a `style` element, which is read like an attribute.
    pub(super) const SHEET: &Known = &Known { name: "", value: Value::Sheet, elements: &[] };

    /// Whether the element `name` uses the attribute. `written` is the name as written. `is_foreign` says whether the
    /// element is in SVG or MathML. Elements with a namespace or a hyphen, such as `v:fill` and `amp-img`, can use each
    /// attribute.
    pub(super) fn is_used_by(&self, name: Name, is_foreign: bool, written: &[u8]) -> bool {
        if is_foreign {
            let is_own = matches!(self.value, Value::Linked | Value::Style | Value::Sheet | Value::Animated);
            return is_own || self.name == "href";
        }
        self.elements.is_empty()
            || self.elements.contains(&name)
            || written.iter().any(|byte| matches!(byte, b':' | b'-'))
    }

    /// Whether `element` has a link, or an address of what it shows or runs.
    #[inline]
    pub(super) fn has_links(element: Name) -> bool {
        named_list!("a area link img frame iframe script").contains(&element)
    }

    /// Whether the value is such a link or address of `element`.
    pub(super) fn is_link_of(&self, element: Name) -> bool {
        matches!(self.name, "href" | "src") && Known::has_links(element)
    }

    /// Returns the description of the attribute with the name `key`, or `None` if it cannot have a URL.
    #[inline]
    pub(super) fn of(key: Name) -> Option<&'static Known> {
        // Compare with these three names first, because nearly every attribute with a colon in its value has one of
        // them.
        match key {
            Name::HREF => Some(Known::HREF),
            Name::SRC => Some(Known::SRC),
            Name::STYLE => Some(Known::STYLE),
            _ => Known::other(key),
        }
    }

    /// Does the same as [`of`](Self::of) for the attributes that are less frequent.
    ///
    /// The list in this function has all attributes that contain a URL in HTML 2, 3.2, 4 or 5, or in browsers of the
    /// 1990s. The list also has the attributes in which mail systems store the links that they replaced. `xmlns` is not
    /// listed, because its URL identifies a language and not a document.
    #[inline(never)]
    fn other(key: Name) -> Option<&'static Known> {
        // The macro compares `key` with one name after the other. The names are numbers, so the compiler can combine
        // all comparisons into one search.
        macro_rules! first {
            ($($name:literal $(in $elements:literal)?: $value:expr,)*) => {
                $(if key == const { Name::new($name.as_bytes()) } {
                    const ELEMENTS: &[&[Name]] = &[$(named_list!($elements), )? &[]];
                    return Some(const { &Known { name: $name, value: $value, elements: ELEMENTS[0] } });
                })*
            };
        }
        first! {
            "action" in "form": Value::Url,
            "cite" in "blockquote q ins del": Value::Url,
            "data" in "object": Value::Url,
            "longdesc" in "img iframe frame": Value::Url,
            "usemap" in "img input object": Value::Url,
            "codebase" in "applet object": Value::Url,
            "classid" in "object": Value::Url,
            "poster" in "video": Value::Url,
            "manifest" in "html": Value::Url,
            "lowsrc" in "img": Value::Url,
            "dynsrc" in "img input": Value::Url,
            "icon" in "button command menuitem": Value::Url,
            "urn" in "a": Value::Url,
            "archive" in "applet object": Value::List,
            "ping" in "a area": Value::List,
            "profile" in "head": Value::List,
            "srcset" in "img source": Value::Sources,
            "content" in "meta": Value::Content,
            "background" in "body table thead tbody tfoot tr td th": Value::Url,
            "formaction" in "button input": Value::Url,
            "pluginspage" in "embed": Value::Url,
            "xlink:href": Value::Linked,
            "o:href": Value::Url,
            "action-xhr" in "form": Value::Url,
            "srcdoc" in "iframe": Value::Document,
            "from": Value::Animated,
            "to": Value::Animated,
            "by": Value::Animated,
            "values": Value::Animated,
            "mask" in "svg": Value::Style,
            "cursor" in "svg": Value::Style,
            "data-saferedirecturl": Value::Kept(HtmlPlace::SafeRedirect),
            "originalsrc": Value::Kept(HtmlPlace::OriginalSource),
            "imagesrcset" in "link": Value::Sources,
        }
        None
    }
}

/// Returns the URLs in `value`, each with its offset. The URLs are separated by one of the bytes `separators`.
pub(super) fn list<'v>(value: &'v [u8], separators: &'static [u8]) -> impl Iterator<Item = (usize, &'v [u8])> {
    let mut start = 0;
    value.split(|byte| separators.contains(byte)).map(move |url| {
        let at = start;
        start += url.len() + 1;
        (at, url)
    })
}

/// Whether the element `name` animates an attribute (SVG 2, chapter 17).
pub(super) fn is_animation(name: Name) -> bool {
    named_list!("animate set animatetransform animatemotion").contains(&name)
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

/// Returns the URL in the `content` of a refresh, such as `0; url=http://…`, with its offset (HTML standard, section
/// 4.2.5.3). The `url=` is optional. A comma or a blank can replace the `;`.
pub(super) fn refresh_target(content: &[u8]) -> Option<(usize, &[u8])> {
    let text = content.trim_ascii_start();
    let (time, rest) = text.split_at(text.iter().position(|byte| is_blank(*byte) || matches!(byte, b';' | b','))?);
    // Browsers also accept numbers with an exponent.
    let is_number = |time: &str| time.parse::<f64>().is_ok_and(|time| time >= 0.0);
    let is_time = time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    if time.is_empty() || !is_time && !str::from_utf8(time).is_ok_and(is_number) {
        return None;
    }
    let rest = rest.trim_ascii_start();
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
