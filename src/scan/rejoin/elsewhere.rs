//! Searches the message for another copy of a URL that a line break may have split (RULES.md 3.5).

use alloc::vec::Vec;
use core::ops::Deref;
use core::panic::RefUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::view::View;

/// The maximum number of searches in one message. Each search reads the whole message, and is made for one doubtful
/// line break. Because of this limit, the total time is linear in the length of the message.
const MOST: usize = 16;

/// The maximum number of bytes of a URL that is searched for. The bytes before it are compared. A longer needle takes
/// longer to prepare than to find.
const NEEDLE: usize = 20;

/// The text of the whole message, which is searched for copies of URLs.
#[derive(Clone, Copy)]
pub(crate) struct Elsewhere<'m> {
    /// The decoded text of all parts of the message. The parts are decoded when the first search needs them, because
    /// few messages need a search.
    text: &'m Lazy<'m>,
    /// The decoded text of the first part, and the bytes of the message after this part, while the part is searched.
    first: Option<(&'m [u8], &'m [u8])>,
    /// The number of searches so far.
    asked: &'m AtomicUsize,
    /// The number of searches for explanations.
    #[cfg(feature = "mime")]
    explained: &'m AtomicUsize,
}

impl core::fmt::Debug for Elsewhere<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Elsewhere").finish_non_exhaustive()
    }
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
    pub(crate) fn new(text: &'m Lazy<'m>, asked: &'m [AtomicUsize; 2]) -> Self {
        let [asked, explained] = asked;
        Elsewhere { text, first: None, asked, explained }
    }

    /// Returns the same text with a limit of its own on the number of searches, for the explanations of the URLs.
    #[cfg(feature = "mime")]
    pub(crate) fn explaining(self) -> Self {
        Elsewhere { asked: self.explained, ..self }
    }

    /// Sets the text of the first part, which is decoded already, and the bytes of the message after it.
    #[cfg(feature = "mime")]
    pub(crate) fn in_first(self, first: Option<(&'m [u8], &'m [u8])>) -> Self {
        Elsewhere { first, ..self }
    }

    #[cold]
    pub(super) fn whole(self, view: &View<'_>) -> Whole {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MOST {
            return Whole::Neither;
        }
        let text = match self.first {
            Some((text, rest)) if !may_have(rest, &view.url) => text,
            _ => self.text,
        };
        // The joined URL ends with the first token of the next line. If no text follows this token on its line, the URL
        // may continue on a third line. A copy of the whole URL may then be longer than the joined URL.
        let continues = view.rest.is_empty();
        // In HTML, the copy has `&amp;` in place of `&`. So the text is searched for the bytes before the first `&`.
        let start = memchr::memchr(b'&', &view.url).unwrap_or(view.url.len());
        let mut found = Whole::Neither;
        let (head, tail) = view.url[..start].split_at(start.saturating_sub(NEEDLE));
        for at in memchr::memmem::find_iter(text, tail).filter(|at| text[..*at].ends_with(head)) {
            let Some(rest) = after(&text[at + tail.len()..], &view.url[start..]) else { continue };
            if after(rest, view.word).is_some_and(|rest| continues || is_end(rest)) {
                return Whole::Joined;
            }
            if is_end(rest) && !is_line_end(rest) {
                found = Whole::Cut;
            }
        }
        found
    }
}

/// Whether the undecoded bytes `rest` of a message may have a copy of `url`: they have its first bytes, or anything that is
/// encoded. The signature after most texts has neither.
fn may_have(rest: &[u8], url: &[u8]) -> bool {
    let is_encoding = |at: usize| {
        let value = rest[at + 1..].trim_ascii_start();
        let is_plain = [&b"7bit"[..], b"8bit"].iter().any(|plain| value.starts_with(plain));
        let name = rest[..at].get(at.saturating_sub(8)..).unwrap_or_default();
        rest[at] == 0 || name.eq_ignore_ascii_case(b"encoding") && !is_plain
    };
    memchr::memmem::find(rest, &url[..url.len().min(8)]).is_some()
        || memchr::memmem::find(rest, b"begin ").is_some()
        || memchr::memchr2_iter(b':', 0, rest).any(is_encoding)
}

/// Returns the rest of `text` after `url` at its start. The text can have `&amp;` in place of each `&`, as in HTML.
fn after<'t>(mut text: &'t [u8], url: &[u8]) -> Option<&'t [u8]> {
    for (i, piece) in url.split(|byte| *byte == b'&').enumerate() {
        if i > 0 {
            text = text.strip_prefix(b"&")?;
            text = text.strip_prefix(b"amp;").filter(|rest| rest.starts_with(piece)).unwrap_or(text);
        }
        text = text.strip_prefix(piece)?;
    }
    Some(text)
}

/// Whether a URL can end directly before `rest`. `rest` must be empty, or begin with white space, a bracket or a
/// quotation mark. Up to three punctuation marks can be before this character.
fn is_end(rest: &[u8]) -> bool {
    let marks =
        rest.iter().take(3).take_while(|b| matches!(b, b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b'\'')).count();
    rest.get(marks).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'"' | b'\'' | b')' | b']'))
}

/// Whether `rest` has only blanks before the end of the line, or before a `br` of HTML. A copy of a URL at the end of a
/// line does not show that the URL is complete, because this line break may have split the copy, too.
fn is_line_end(rest: &[u8]) -> bool {
    let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
    match &rest[blanks..] {
        [] | [b'\n', ..] => true,
        [b'<', b, r, next, ..] => {
            b.eq_ignore_ascii_case(&b'b') && r.eq_ignore_ascii_case(&b'r') && !next.is_ascii_alphanumeric()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{after, is_end, is_line_end};

    #[test]
    fn a_copy_ends_before_blanks_brackets_and_quotation_marks() {
        let ends = ["", " and", "\n", "> b", "\">", ". And", ".", ").\n", "),\" b", "]", "...", "...\n"];
        let continues = ["b", "/b.html", ".html", "?b", "=b", "&b", ".)b", "....\n"];
        for (rest, want) in ends.map(|rest| (rest, true)).into_iter().chain(continues.map(|rest| (rest, false))) {
            assert_eq!(is_end(rest.as_bytes()), want, "{rest:?}");
        }
    }

    #[test]
    fn a_copy_at_the_end_of_a_line_may_be_split() {
        for rest in ["", "\n", " \t\r\nb", "\r", "<br>b", "<BR/>", " <br />b"] {
            assert!(is_line_end(rest.as_bytes()), "{rest:?}");
        }
        for rest in ["b", " b\n", ".\n", "<bride>", "<b>", "</p>", "<a b>", "<hr>"] {
            assert!(!is_line_end(rest.as_bytes()), "{rest:?}");
        }
    }

    #[test]
    fn a_copy_in_html_has_references() {
        let table = [
            ("&a", "&a&b", Some("&b")),
            ("&a", "&amp;a", Some("")),
            ("&", "&amp;b", Some("b")),
            ("&&b", "&amp;&amp;b/", Some("/")),
            ("&amp;b", "&amp;b", Some("")),
            ("&amp;b", "&amp;amp;b", Some("")),
            ("&a&b", "&amp;a&c", None),
        ];
        for (url, text, want) in table {
            assert_eq!(after(text.as_bytes(), url.as_bytes()), want.map(str::as_bytes), "{url} {text}");
        }
    }
}
