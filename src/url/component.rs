//! The parts of a URL by name, and the walk over them.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

use super::Url;

/// A part of the scheme-specific part, by the names of RFC 1738 section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Component {
    /// The user name (3.1).
    User,
    /// The password (3.1).
    Password,
    /// The host name, address or IP literal (3.1); a literal with its brackets.
    Host,
    /// The port, in digits (3.1).
    Port,
    /// One `CWD` argument of ftp (3.2.2); as many as the path has slashes.
    Cwd,
    /// The file name of ftp (3.2.2).
    Name,
    /// The typecode of ftp (3.2.2), without `;type=`.
    TypeCode,
    /// The path, without the slash before it (3.1); the whole if there is no host.
    Path,
    /// What follows the `?`: a search (3.3), or the headers of a mailto URL (RFC 6068).
    Search,
    /// The gopher type (3.4.1), one character.
    GopherType,
    /// The gopher selector (3.4.1).
    Selector,
    /// The gopher search string (3.4.2).
    GopherSearch,
    /// The Gopher+ string (3.4.3).
    GopherPlus,
    /// The mail address (3.5).
    AddrSpec,
    /// The newsgroup, or `*` (3.6).
    Newsgroup,
    /// The message-id of news (3.6) or mid; the content-id of cid.
    MessageId,
    /// The article number of nntp (3.7).
    Article,
    /// The WAIS database (3.9).
    Database,
    /// The WAIS type (3.9).
    Wtype,
    /// The WAIS document-id (3.9).
    Wpath,
    /// The Prospero host-specific object name (3.11).
    Hsoname,
    /// The Prospero version after `%00` (draft-www-uri-00).
    Version,
    /// The name of a Prospero field (3.11).
    FieldName,
    /// The value of a Prospero field (3.11); always after its [`FieldName`](Self::FieldName).
    FieldValue,
    /// The fragment identifier. No part of the URL (RFC 1738 2.2), so
    /// [`Url::components`] never gives it; it has a name for the functions of
    /// [`percent`](super::percent).
    Fragment,
}

impl Component {
    /// The stable name, as in the command's JSON. Field names and values are both `fields`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Password => "password",
            Self::Host => "host",
            Self::Port => "port",
            Self::Cwd => "cwd",
            Self::Name => "name",
            Self::TypeCode => "typecode",
            Self::Path => "path",
            Self::Search => "search",
            Self::GopherType => "gophertype",
            Self::Selector => "selector",
            Self::GopherSearch => "gopher_search",
            Self::GopherPlus => "gopher_plus",
            Self::AddrSpec => "addr_spec",
            Self::Newsgroup => "newsgroup",
            Self::MessageId => "message_id",
            Self::Article => "article",
            Self::Database => "database",
            Self::Wtype => "wtype",
            Self::Wpath => "wpath",
            Self::Hsoname => "hsoname",
            Self::Version => "version",
            Self::FieldName | Self::FieldValue => "fields",
            Self::Fragment => "fragment",
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One stored span. The `CWD`s of ftp and the fields of prospero are one span each, cut up when
/// they are walked over: a URL may have any number of them, and parsing allocates nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) component: Component,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Part {
    /// Nothing but zeros, which are quickly written.
    pub(super) const NONE: Self = Self { component: Component::User, start: 0, end: 0 };

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The components of a URL with their spans, in the order of the text: see [`Url::spans`].
#[derive(Clone, Debug)]
pub struct Spans<'u, 'a> {
    url: &'u Url<'a>,
    next: usize,
    /// What is left of a list, and what its next item is; `None` between lists.
    list: Option<(Component, Range<usize>)>,
}

impl<'u, 'a> Spans<'u, 'a> {
    pub(super) fn new(url: &'u Url<'a>) -> Self {
        Self { url, next: 0, list: None }
    }

    /// The list's next item, which ends before the first octet of `ends`.
    fn item(&mut self, component: Component, list: Range<usize>) -> (Component, Range<usize>) {
        let ends: &[u8] = match component {
            Component::Cwd => b"/",
            Component::FieldName => b"=;",
            _ => b";",
        };
        let text = self.url.as_bytes();
        let Some(length) = text[list.clone()].iter().position(|octet| ends.contains(octet)) else {
            return (component, list);
        };
        let end = list.start + length;
        let following = match (component, text[end]) {
            (Component::FieldName, b'=') => Component::FieldValue,
            (Component::FieldName | Component::FieldValue, _) => Component::FieldName,
            _ => component,
        };
        self.list = Some((following, end + 1..list.end));
        (component, list.start..end)
    }
}

impl Iterator for Spans<'_, '_> {
    type Item = (Component, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((component, list)) = self.list.take() {
            return Some(self.item(component, list));
        }
        let part = *self.url.parts().get(self.next)?;
        self.next += 1;
        Some(match part.component {
            Component::Cwd | Component::FieldName => self.item(part.component, part.range()),
            component => (component, part.range()),
        })
    }
}

impl FusedIterator for Spans<'_, '_> {}
