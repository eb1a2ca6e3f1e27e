//! What no evidence outweighs: breaks after which the next line's first token is no part of the URL (RULES.md 3.2).

use super::looks::{begins_with_www, extension, has_marks, is_host_of, is_open};
use super::view::{Prefix, View};
use crate::trigger::scheme_length;

/// One veto. RULES.md names cases on both sides of each.
pub(super) type Veto = fn(&View<'_>) -> bool;

pub(super) const VETOES: &[Veto] = &[
    other_prefix, ruler, punctuation, residue, address, other_url, other_host, label, list, request, repository, progress,
];

/// The next line is quoted by somebody else.
fn other_prefix(view: &View<'_>) -> bool {
    view.prefix == Prefix::Other
}

/// A ruler, or no letter or digit at all.
fn ruler(view: &View<'_>) -> bool {
    let [first, second, third, fourth, ..] = view.token else { return !view.token.iter().any(u8::is_ascii_alphanumeric) };
    let ruler = !first.is_ascii_alphanumeric() && !second.is_ascii_alphanumeric() && !matches!(first, b'/' | b'.' | b'%');
    ruler && first == third && second == fourth || !view.token.iter().any(u8::is_ascii_alphanumeric)
}

/// Punctuation that no piece of a URL begins with: a bracket, a bullet, an option of a command.
fn punctuation(view: &View<'_>) -> bool {
    matches!(view.token[0], b'[' | b'(' | b'{' | b';' | b':' | b',' | b'!' | b'*' | b'|')
        || view.token.starts_with(b"--")
        || view.token.starts_with(b"..")
}

/// `=20` and the like, which a mail program failed to decode.
fn residue(view: &View<'_>) -> bool {
    let escapes = view.word.chunks_exact(3);
    escapes.remainder().is_empty()
        && escapes.into_iter().all(|e| e[0] == b'=' && e[1].is_ascii_hexdigit() && e[2].is_ascii_hexdigit())
}

/// `local@domain.top`, perhaps in brackets of some kind.
fn address(view: &View<'_>) -> bool {
    let Some(at) = memchr::memchr(b'@', view.word) else { return false };
    at > 0 && memchr::memchr3(b'/', b'=', b'?', view.word).is_none() && memchr::memchr(b'.', &view.word[at..]).is_some()
}

/// Another URL begins, perhaps after a number, an assignment or the sign of a changed line.
fn other_url(view: &View<'_>) -> bool {
    let from = if let [b'.' | b'+' | b'-' | b'#', from @ ..] = view.token { from } else { view.token };
    let nested = |colon: usize| memchr::memchr2(b'?', b'&', &view.token[..colon]).is_some();
    scheme_length(from).is_some() || memchr::memmem::find(view.token, b"://").is_some_and(|colon| !nested(colon))
}

/// The next entry of a list of hosts.
fn other_host(view: &View<'_>) -> bool {
    view.last == b'/' && (begins_with_www(view.word) || is_host_of(&view.url, view.word))
}

/// A label: it ends in a colon, or its link in brackets begins the line after it.
fn label(view: &View<'_>) -> bool {
    let is_link_next = view.rest.is_empty() && view.after.text.starts_with(b"<");
    view.token.ends_with(b":") || is_link_next && !is_open(view.last) && !has_marks(view.word)
}

/// A list of what can be found at the URL: two lines that are indented more.
fn list(view: &View<'_>) -> bool {
    view.indentation.is_gt() && view.after.width > 0 && view.after.indentation == view.next.indentation
}

/// A roff request or macro: `.PP`, `.br`.
fn request(view: &View<'_>) -> bool {
    matches!(view.token, [b'.', a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric())
}

/// A repository and the branch in it to pull, or the directory to clone it to.
fn repository(view: &View<'_>) -> bool {
    view.url.ends_with(b".git") && (view.token[0].is_ascii_alphabetic() || view.rest.is_empty() && view.token[0] == b'/')
}

/// The counter that a program prints after a file: `4/159K`.
fn progress(view: &View<'_>) -> bool {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let [before @ .., b'B' | b'K' | b'M' | b'G'] = view.word else { return false };
    let Some(slash) = memchr::memchr(b'/', before) else { return false };
    extension(&view.url).is_some() && digits(&before[..slash]) && digits(&before[slash + 1..])
}
