//! Describes the position of a link in HTML: its element, its attribute, and whether browsers follow the link.

use std::borrow::Cow;

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
    pub(crate) enum HtmlPlace {
        /// A conditional comment, such as `<!--[if mso]>`. Outlook interprets the content of the comment as HTML.
        ConditionalComment = "conditional-comment",
        /// The attribute `data-saferedirecturl`. In this attribute, Gmail stores the redirect URL that a click opens.
        SafeRedirect = "data-saferedirecturl",
        /// The attribute `originalsrc`. In this attribute, Outlook stores the original link that SafeLinks replaced.
        OriginalSource = "originalsrc",
        /// The text of an element such as `textarea` or `title`, in which browsers do not read tags.
        RawText = "raw-text",
        /// A `template`, whose content browsers do not show.
        Template = "template",
        /// An attribute of a tag that has an earlier attribute of the same name.
        RepeatedAttribute = "repeated-attribute",
        /// A tag that the end of the HTML cuts off, or that is after a quotation mark that is never closed.
        CutTag = "cut-tag",
        /// An attribute that the element does not use, such as `href` in `<p href>`.
        OtherElement = "other-element",
    }
}
