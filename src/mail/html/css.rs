//! The URLs in a style sheet.

use memchr::memchr_iter;

/// Every `url(…)` in `css` (CSS 2.1, section 4.3.4) and where its text starts, quotation marks and blanks
/// removed. Linear: what one encloses is not looked at again.
pub(super) fn urls(css: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut done = 0;
    let mut opens = memchr_iter(b'(', css);
    let mut closed = true;
    std::iter::from_fn(move || {
        loop {
            let open = opens.next()?;
            let named = open.checked_sub(3).is_some_and(|start| css[start..open].eq_ignore_ascii_case(b"url"));
            if open < done || !named || !closed {
                continue;
            }
            let Some(len) = memchr::memchr(b')', &css[open + 1..]) else {
                closed = false;
                continue;
            };
            done = open + 1 + len;
            let enclosed = css[open + 1..done].trim_ascii();
            let bare = match enclosed {
                [b'"', bare @ .., b'"'] | [b'\'', bare @ .., b'\''] => bare.trim_ascii(),
                _ => enclosed,
            };
            if !bare.is_empty() {
                // Both are slices of `css`, the one inside the other.
                let before = css[open + 1..].iter().take_while(|octet| octet.is_ascii_whitespace()).count();
                let quote = usize::from(bare.len() < enclosed.len());
                let inner = enclosed[quote..].iter().take_while(|octet| octet.is_ascii_whitespace()).count();
                return Some((open + 1 + before + quote + inner, bare));
            }
        }
    })
}
