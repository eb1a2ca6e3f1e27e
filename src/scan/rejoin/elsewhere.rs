//! Searches the rest of the message for an unbroken copy of a URL that may be broken (RULES.md 3.5).

use alloc::vec::Vec;
use core::ops::Deref;
use core::panic::RefUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::view::View;

/// The maximum number of searches in one message. Each search is for a URL at one line break. The limit keeps the total
/// time linear.
const MOST: usize = 16;

/// The text of the whole message.
pub(crate) struct Elsewhere<'m> {
    /// The decoded text of all parts of the message. The text is decoded only before the first search, because few
    /// messages need a search.
    text: &'m Lazy<'m>,
    asked: AtomicUsize,
}

/// The type of a `LazyLock`, as a trait object, because `core` does not have the type `LazyLock`.
type Lazy<'m> = dyn Deref<Target = Vec<u8>> + Sync + RefUnwindSafe + 'm;

/// Which reading of a broken URL also occurs unbroken, elsewhere in the message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Joined,
    /// The URL that ends at the line break. The joined URL does not occur.
    Cut,
    Neither,
}

impl<'m> Elsewhere<'m> {
    #[cfg(feature = "mime")]
    pub(crate) fn new(text: &'m Lazy<'m>) -> Self {
        Elsewhere { text, asked: AtomicUsize::new(0) }
    }

    #[cold]
    pub(super) fn whole(&self, view: &View<'_>) -> Whole {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MOST {
            return Whole::Neither;
        }
        let text: &[u8] = self.text;
        let joined = [&view.url, view.word].concat();
        // If the token is a whole line, the URL may continue on the next line. So any text can follow the joined URL
        // elsewhere in the message.
        let continues = view.rest.is_empty();
        let finds = |url: &[u8], is_whole: &dyn Fn(&[u8]) -> bool| {
            memchr::memmem::find_iter(text, url).any(|at| is_whole(&text[at + url.len()..]))
        };
        let in_html = |url: &[u8], is_whole: &dyn Fn(&[u8]) -> bool| {
            memchr::memchr(b'&', url).is_some() && finds(&escaped(url), is_whole)
        };
        let found = |url: &[u8], is_whole: &dyn Fn(&[u8]) -> bool| finds(url, is_whole) || in_html(url, is_whole);
        match () {
            () if found(&joined, &|rest| continues || is_end(rest)) => Whole::Joined,
            () if found(&view.url, &|rest| is_end(rest) && !is_line_end(rest)) => Whole::Cut,
            () => Whole::Neither,
        }
    }
}

/// Returns the URL as an HTML attribute contains it: with `&amp;` in place of `&`.
fn escaped(url: &[u8]) -> Vec<u8> {
    url.iter().flat_map(|b| if *b == b'&' { &b"&amp;"[..] } else { core::slice::from_ref(b) }).copied().collect()
}

/// Whether a URL ends before `rest`. Up to three punctuation marks are skipped.
fn is_end(rest: &[u8]) -> bool {
    let marks =
        rest.iter().take(3).take_while(|b| matches!(b, b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b'\'')).count();
    rest.get(marks).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'"' | b'\'' | b')' | b']'))
}

/// Whether the line ends before `rest`. Blanks are skipped. The URL before such a line end may itself be broken, so
/// `rest` does not show whether the URL is complete.
fn is_line_end(rest: &[u8]) -> bool {
    matches!(rest.iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r')), None | Some(b'\n'))
}
