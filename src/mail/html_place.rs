//! Describes the position of a link in HTML: its element, its attribute, and whether browsers follow the link.

use std::borrow::Cow;

/// The values that only a hit of the form `href` has. A hit has the form `href` if the URL is in an HTML attribute or a
/// `style` element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    /// The visible text of the link, if this text is a single word. Otherwise empty.
    pub(crate) word: &'a [u8],
    /// The offset in the HTML at which the opening tag of the link ends and the visible text begins. `None` if there is
    /// no link.
    pub(crate) from: Option<usize>,
    pub(crate) tag: Option<Tag>,
    /// Whether the value has a host but no scheme, so that the scheme of the URL is a guess.
    pub(crate) no_scheme: bool,
    /// The place in the HTML that keeps browsers from following the link, such as a conditional comment.
    pub(crate) place: Option<HtmlPlace>,
}

impl Link<'_> {
    /// The value for a hit that does not have the form `href`.
    pub(crate) const NONE: &'static Link<'static> =
        &Link { word: b"", from: None, tag: None, no_scheme: false, place: None };
}

/// The tag that contains a link. For a link in a style sheet, this is the opening tag of the `style` element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    /// Offset of the element name in the HTML.
    pub(crate) element: usize,
    /// Name of the attribute in lower case. Empty for a link in a style sheet.
    pub(crate) attribute: &'static str,
}

impl Tag {
    /// Returns the name of the element in lower case. Reads at most the first 64 bytes of the name.
    pub(crate) fn element_name(self, html: &[u8]) -> Cow<'_, str> {
        /// Maximum length of a name in bytes. A tag can have many links, and each reported link has a copy of the
        /// element name. Without a limit, a long name could make the size of the output quadratic.
        const LONGEST: usize = 64;
        let rest = &html[self.element..html.len().min(self.element + LONGEST)];
        let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
        let name = &rest[..end.unwrap_or(rest.len())];
        match str::from_utf8(name) {
            Ok(name) if !name.bytes().any(|byte| byte.is_ascii_uppercase()) => Cow::Borrowed(name),
            _ => Cow::Owned(String::from_utf8_lossy(name).to_ascii_lowercase()),
        }
    }
}

named! {
    /// A position in HTML from which browsers do not follow a link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) enum HtmlPlace: &'static str {
        /// A conditional comment, such as `<!--[if mso]>`. Outlook interprets the content of the comment as HTML.
        ConditionalComment = "conditional-comment" => "a conditional comment",
        /// The attribute `data-saferedirecturl`. In this attribute, Gmail stores the redirect URL that a click opens.
        SafeRedirect = "data-saferedirecturl" => "the attribute in which Gmail stores its redirect",
        /// The attribute `originalsrc`. In this attribute, Outlook stores the original link that SafeLinks replaced.
        OriginalSource = "originalsrc" => "the attribute in which Outlook stores the original of a rewritten link",
        /// The text of an element such as `textarea` or `title`, in which browsers do not read tags.
        RawText = "raw-text" => "an element in which browsers do not read tags, such as `textarea`",
        /// A `template`, whose content browsers do not show.
        Template = "template" => "a `template`, which browsers do not show",
        /// An attribute of a tag that has an earlier attribute of the same name.
        RepeatedAttribute = "repeated-attribute" => "a second attribute of the same name in one tag",
        /// A tag that the end of the HTML cuts off, or that is after a quotation mark that is never closed.
        CutTag = "cut-tag" => "a tag that is never closed",
        /// An attribute that the element does not use, such as `href` in `<p href>`, or an element that browsers ignore,
        /// such as a `frame` outside a `frameset`.
        OtherElement = "other-element" => "an element that browsers ignore, or that does not use this attribute",
    }
}

impl HtmlPlace {
    /// Returns a description of the place in a few words.
    pub(crate) const fn about(self) -> &'static str {
        self.row()
    }
}
