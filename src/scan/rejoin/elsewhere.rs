//! Evidence from the rest of the message for a URL that may be broken: the same URL unbroken (RULES.md 3.5).

use alloc::vec::Vec;
use core::ops::Deref;
use core::panic::RefUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::view::View;

/// How many line breaks of one message are looked up, so that the whole stays linear.
const MOST: usize = 16;

/// The rest of the message.
pub(crate) struct Elsewhere<'m> {
    /// The text of all parts of the message, decoded. It is decoded at the first lookup, because few messages need one.
    text: &'m Lazy<'m>,
    asked: AtomicUsize,
}

/// A `LazyLock`, which `core` does not have.
type Lazy<'m> = dyn Deref<Target = Vec<u8>> + Sync + RefUnwindSafe + 'm;

/// Which reading of a broken URL occurs unbroken elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Joined,
    /// The URL as cut, and not the joined one.
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
        // If the token is a whole line, the URL may continue on the line after it.
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

/// Returns the URL as it is in an HTML attribute.
fn escaped(url: &[u8]) -> Vec<u8> {
    url.iter().flat_map(|b| if *b == b'&' { &b"&amp;"[..] } else { core::slice::from_ref(b) }).copied().collect()
}

/// Whether a URL ends before `rest`, punctuation aside.
fn is_end(rest: &[u8]) -> bool {
    let marks =
        rest.iter().take(3).take_while(|b| matches!(b, b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b'\'')).count();
    rest.get(marks).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'"' | b'\'' | b')' | b']'))
}

/// Whether the line ends before `rest`, blanks aside: the URL may be broken there as well.
fn is_line_end(rest: &[u8]) -> bool {
    matches!(rest.iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r')), None | Some(b'\n'))
}
