//! The names of a URL's components, and an iterator over the components.

use core::ops::Range;
use core::slice;

named! {
    /// A part of a URL after the scheme, named as in RFC 1738, section 3. The numbers below are sections of that RFC.
    ///
    /// ```
    /// use urlspool::{Component, Url};
    /// let url = Url::parse("ftp://ftp.example.org/pub/file;type=i")?;
    /// let parts: Vec<_> = url.components().collect();
    /// assert_eq!(parts[1..], [(Component::Cwd, "pub"), (Component::Name, "file"), (Component::TypeCode, "i")]);
    /// assert_eq!(url.get(Component::Name), Some("file"));
    /// # Ok::<(), urlspool::ParseError>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Component {
        /// The user name (3.1).
        User = "user",
        /// The password (3.1).
        Password = "password",
        /// The host name, address or IP literal (3.1). An IP literal includes its brackets.
        Host = "host",
        /// The digits of the port (3.1).
        Port = "port",
        /// A directory in an ftp path (3.2.2). An ftp client sends the directory as the argument of the command `CWD`.
        /// In the path `a/b/c`, the directories are `a` and `b`.
        Cwd = "cwd",
        /// The file name in an ftp path (3.2.2).
        Name = "name",
        /// The typecode of an ftp URL (3.2.2), without `;type=`.
        TypeCode = "typecode",
        /// The path without the slash before it (3.1). In a URL such as `urn:isbn:1`, this is the text after the first
        /// colon.
        Path = "path",
        /// The text after the `?`: a search (3.3), or the headers of a mailto URL (RFC 6068).
        Search = "search",
        /// The gopher type (3.4.1), one character.
        GopherType = "gophertype",
        /// The gopher selector (3.4.1).
        Selector = "selector",
        /// The gopher search string (3.4.2).
        GopherSearch = "gopher_search",
        /// The Gopher+ string (3.4.3).
        GopherPlus = "gopher_plus",
        /// The mail address (3.5).
        AddrSpec = "addr_spec",
        /// The newsgroup, or `*` (3.6).
        Newsgroup = "newsgroup",
        /// The message-id of a news (3.6) or mid URL, or the content-id of a cid URL.
        MessageId = "message_id",
        /// The article number of an nntp URL (3.7).
        Article = "article",
        /// The WAIS database (3.9).
        Database = "database",
        /// The WAIS type (3.9).
        Wtype = "wtype",
        /// The WAIS document-id (3.9).
        Wpath = "wpath",
        /// The Prospero host-specific object name (3.11).
        Hsoname = "hsoname",
        /// The Prospero version after `%00` (draft-www-uri-00).
        Version = "version",
        /// The name of a Prospero field (3.11).
        FieldName = "field",
        /// The value of a Prospero field (3.11), which always follows its [`FieldName`](Self::FieldName).
        FieldValue = "field_value",
        /// The fragment identifier, which is not part of the URL (RFC 1738, section 2.2).
        /// [`Url::components`](super::Url::components) never returns it.
        Fragment = "fragment",
    }
}

/// The name and span of a stored component. Parsing does not allocate memory, so all directories of an ftp URL are
/// stored in one `Part`. All fields of a Prospero URL are also stored in one `Part`. [`Spans`] later splits such a
/// `Part` into single directories or fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) component: Component,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Part {
    /// A placeholder for an unused entry of the array `Parsed::parts`. All fields are zero, because zeros are fast to
    /// write.
    pub(super) const NONE: Self = Self { component: Component::User, start: 0, end: 0 };

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// An iterator over the components of a URL and their spans: see [`Url::spans`](super::Url::spans).
#[derive(Clone, Debug)]
pub(super) struct Spans<'u> {
    text: &'u [u8],
    parts: slice::Iter<'u, Part>,
    /// The directories or fields that the iterator has not returned yet: the kind of the first one, and the span of the
    /// whole list. After the iterator has returned the directory `a` of `a/b/c`, `list` has the span of `b/c`.
    list: Option<(Component, Range<usize>)>,
}

impl<'u> Spans<'u> {
    pub(super) fn new(text: &'u [u8], parts: &'u [Part]) -> Self {
        Self { text, parts: parts.iter(), list: None }
    }

    /// Returns `component` and the span of the first directory or field in `list`. Stores the rest of the list in
    /// `self.list`.
    fn item(&mut self, component: Component, list: Range<usize>) -> (Component, Range<usize>) {
        let ends: &[u8] = match component {
            Component::Cwd => b"/",
            Component::FieldName => b"=;",
            _ => b";",
        };
        let Some(length) = self.text[list.clone()].iter().position(|byte| ends.contains(byte)) else {
            return (component, list);
        };
        let end = list.start + length;
        let following = match (component, self.text[end]) {
            (Component::FieldName, b'=') => Component::FieldValue,
            (Component::FieldName | Component::FieldValue, _) => Component::FieldName,
            _ => component,
        };
        self.list = Some((following, end + 1..list.end));
        (component, list.start..end)
    }
}

impl Iterator for Spans<'_> {
    type Item = (Component, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((component, list)) = self.list.take() {
            return Some(self.item(component, list));
        }
        let part = *self.parts.next()?;
        Some(match part.component {
            Component::Cwd | Component::FieldName => self.item(part.component, part.range()),
            component => (component, part.range()),
        })
    }
}
