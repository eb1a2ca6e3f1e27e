//! Other readings of a bare URL: its end without footnote marks or a place in a file, and the value of an attribute
//! that has blanks.

use alloc::vec::Vec;
use core::ops::Range;

use super::bare::{authority, is_in_host};
use super::rejoin::heuristics::extension;
use crate::url::Url;

/// Returns the end of the URL at `url` without footnote marks such as `[5]` (rule 2.4).
#[cold]
pub(super) fn without_notes(text: &[u8], url: Range<usize>) -> usize {
    let mut end = url.end;
    if memchr::memchr2(b'?', b'#', &text[url.clone()]).is_some() {
        return end;
    }
    while let Some(inner) = text[url.start..end].strip_suffix(b"]") {
        let Some(open) = memchr::memrchr(b'[', inner) else { break };
        let (before, note) = (&inner[..open], &inner[open + 1..]);
        let is_word = note.len() <= 16 && note.iter().all(u8::is_ascii_alphanumeric) && !before.ends_with(b"/");
        let number = note.strip_prefix(b"^").unwrap_or(note);
        let is_number = number.first().is_some_and(u8::is_ascii_digit)
            && number.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b';'));
        // After a full stop, the brackets can be a set, as in `0.[123]` and `a.[ext]`.
        let is_note = match before {
            [.., last, b'.'] => is_number && note.len() < 3 && last.is_ascii_alphabetic(),
            _ => !note.is_empty() && (note.iter().all(|byte| *byte == b'*') || is_number || is_word),
        };
        if !is_note || is_in_host(before) || authority(before).is_none_or(<[u8]>::is_empty) {
            break;
        }
        end = url.start + before.trim_ascii_end().len();
        while matches!(text[end - 1], b',' | b';' | b'.' | b':') {
            end -= 1;
        }
    }
    end
}

/// Returns the end of the URL at `url` without a place in the file, as in `a.js:30:7` (rule 2.4).
pub(super) fn without_place(text: &[u8], url: Range<usize>) -> Option<usize> {
    let digits =
        |end: usize| text[url.start..end].iter().rev().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = url.end;
    for _ in 0..2 {
        let colon = end.checked_sub(digits(end) + 1).filter(|colon| colon + 1 < end && text[*colon] == b':');
        end = colon.unwrap_or(end);
    }
    (end < url.end && extension(&text[url.start..end]).is_some() && !is_in_host(&text[url.start..end])).then_some(end)
}

/// Returns the end of the URL at `url` without the blank at the end of a line of quoted-printable that was not decoded
/// (rule 1.8).
pub(super) fn without_blank(text: &[u8], url: Range<usize>) -> Option<usize> {
    let end = url.end - text[url.clone()].strip_suffix(b"=20").map_or(0, |_| 3);
    let is_last = matches!(text.get(url.end), None | Some(b'\r' | b'\n'));
    (end < url.end && is_last && memchr::memchr3(b'?', b'#', b';', &text[url]).is_none()).then_some(end)
}

/// Maximum number of bytes of an attribute after its first blank.
const MAX_WORDS: usize = 300;

/// Returns the value of an attribute in the source of HTML that begins after `quote`, as in
/// `href="http://a.example/my page"`. `url` is the URL before its first blank. Blanks are written as `%20`, as browsers do (rule 1.2c).
#[cold]
pub(super) fn attribute(text: &[u8], url: Range<usize>, quote: u8) -> Option<Vec<u8>> {
    let window = &text[url.end..text.len().min(url.end + MAX_WORDS)];
    let end = window.iter().position(|byte| *byte == quote || matches!(byte, b'"' | b'<' | b'>' | ..b' '))?;
    let words = window[..end].split(|byte| *byte == b' ').collect::<Vec<_>>().join(&b"%20"[..]);
    let whole = [&text[url], &words].concat();
    let has_other = memchr::memmem::find(&words, b"://").is_some();
    (window[end] == quote && !has_other && Url::parse(&whole).is_ok()).then_some(whole)
}
