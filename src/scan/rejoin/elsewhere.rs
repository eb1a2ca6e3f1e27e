//! Searches the message for another copy of a URL that a line break may have split (RULES.md 3.5).

use alloc::vec::Vec;
use core::ops::Deref;
use core::panic::RefUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::view::View;

/// The maximum number of searches in one message. Each search reads the whole message, and is made for one doubtful
/// line break. Because of this limit, the total time is linear in the length of the message.
const MOST: usize = 16;

/// The text of the whole message, which is searched for copies of URLs.
pub(crate) struct Elsewhere<'m> {
    /// The decoded text of all parts of the message. The parts are decoded when the first search needs them, because
    /// few messages need a search.
    text: &'m Lazy<'m>,
    asked: AtomicUsize,
}

/// A `LazyLock` that the caller provides. This type is a trait object, because `core` has no `LazyLock`.
type Lazy<'m> = dyn Deref<Target = Vec<u8>> + Sync + RefUnwindSafe + 'm;

/// Which URL has another copy in the message: the joined URL, or the URL that ends at the line break.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Joined,
    /// Only the URL that ends at the line break has another copy.
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
        // `joined` ends with the first token of the next line. If no text follows this token on its line, the URL may
        // continue on a third line. A copy of the whole URL may then be longer than `joined`.
        let continues = view.rest.is_empty();
        let finds = |url: &[u8], is_whole: &dyn Fn(&[u8]) -> bool| {
            memchr::memmem::find_iter(text, url).any(|at| is_whole(&text[at + url.len()..]))
        };
        let in_html = |url: &[u8], is_whole: &dyn Fn(&[u8]) -> bool| {
            memchr::memchr(b'&', url).is_some() && finds(&escaped(url), is_whole)
        };
        let found = |url: &[u8], is_whole: &dyn Fn(&[u8]) -> bool| finds(url, is_whole) || in_html(url, is_whole);
        if found(&joined, &|rest| continues || is_end(rest)) {
            Whole::Joined
        } else if found(&view.url, &|rest| is_end(rest) && !is_line_end(rest)) {
            Whole::Cut
        } else {
            Whole::Neither
        }
    }
}

/// Returns the URL as it is written in an HTML attribute: with `&amp;` in place of `&`.
fn escaped(url: &[u8]) -> Vec<u8> {
    url.iter().flat_map(|b| if *b == b'&' { &b"&amp;"[..] } else { core::slice::from_ref(b) }).copied().collect()
}

/// Whether a URL can end directly before `rest`. `rest` must be empty, or begin with white space, a bracket or a
/// quotation mark. Up to three punctuation marks can be before this character.
fn is_end(rest: &[u8]) -> bool {
    let marks =
        rest.iter().take(3).take_while(|b| matches!(b, b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b'\'')).count();
    rest.get(marks).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'"' | b'\'' | b')' | b']'))
}

/// Whether `rest` has only blanks before the end of the line. A copy of a URL at the end of a line does not show that
/// the URL is complete, because this line break may have split the copy, too.
fn is_line_end(rest: &[u8]) -> bool {
    matches!(rest.iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r')), None | Some(b'\n'))
}

#[cfg(test)]
mod tests {
    use super::is_end;

    #[test]
    fn a_copy_ends_before_blanks_brackets_and_quotation_marks() {
        let ends = ["", " and", "\n", "> b", "\">", ". And", ".", ").\n", "),\" b", "]", "...", "...\n"];
        let continues = ["b", "/b.html", ".html", "?b", "=b", "&b", ".)b", "....\n"];
        for (rest, want) in ends.map(|rest| (rest, true)).into_iter().chain(continues.map(|rest| (rest, false))) {
            assert_eq!(is_end(rest.as_bytes()), want, "{rest:?}");
        }
    }
}
