//! Where a link in HTML is: its element and attribute, and whether browsers follow it from there.

use std::borrow::Cow;

/// The tag with a link, or the tag of the style sheet that has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    /// The offset of the element's name in the HTML.
    pub(crate) element: usize,
    /// The name of the attribute, in lower case. Empty for a style sheet.
    pub(crate) attribute: &'static str,
}

impl Tag {
    /// Returns the name of the element in lower case, as browsers read it.
    pub(crate) fn element_name(self, html: &[u8]) -> Cow<'_, str> {
        /// Each link in a tag repeats its name. So a long name must not make the output quadratic.
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
    /// A place in HTML that holds a link and that browsers do not follow.
    ///
    /// ```
    /// # #[cfg(feature = "html")] {
    /// use urlspool::{Extractor, HtmlPlace};
    ///
    /// let message = "Content-Type: text/html\n\n<!--[if mso]><a href='http://www.example.org/'>x</a><![endif]-->\n";
    /// let hits = Extractor::new().message(message);
    /// assert_eq!(hits[0].html_place(), Some(HtmlPlace::ConditionalComment));
    /// # }
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum HtmlPlace {
        /// A conditional comment, `<!--[if mso]>`. Outlook reads it.
        ConditionalComment = "conditional-comment",
        /// The attribute `data-saferedirecturl`, in which Gmail keeps where a click leads.
        SafeRedirect = "data-saferedirecturl",
        /// The attribute `originalsrc`, in which Outlook keeps the link that SafeLinks replaced.
        OriginalSource = "originalsrc",
    }
}
