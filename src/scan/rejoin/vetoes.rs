//! Vetoes: checks that rule out joining a URL with the first token of the next line (RULES.md 3.2). No evidence
//! outweighs a veto.

use super::heuristics::{
    any_extension, authority, begins_with_www, extension, has_marks, is_bare_host, is_host_of, is_open, is_word,
};
use super::view::{Prefix, View};
use crate::trigger::scheme_length;

/// One veto. RULES.md names cases in which the veto holds, and similar cases in which it does not hold.
pub(super) struct Veto {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the veto in corpus/joins.tsv"))]
    pub(super) name: &'static str,
    /// The number of decisions in `corpus/joins.tsv` for which the veto holds. The first number counts the joins, and
    /// the second number counts the other decisions.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "documents how often the veto holds; a test compares it with corpus/joins.tsv")
    )]
    pub(super) held: (usize, usize),
    pub(super) holds: fn(&View<'_>) -> bool,
}

const fn veto(name: &'static str, held: (usize, usize), holds: fn(&View<'_>) -> bool) -> Veto {
    Veto { name, held, holds }
}

/// Vetoes that hold even if [`is_settled`](super::is_settled) is true. These vetoes are for tokens that are not part of
/// any URL.
pub(super) const NEVER: &[Veto] = &[
    veto("other-prefix", (1, 3), other_prefix),
    veto("ruler", (1, 229), ruler),
    veto("punctuation", (3, 341), punctuation),
    veto("residue", (0, 2), residue),
    veto("address", (1, 53), address),
    veto("other-url", (0, 364), other_url),
    veto("label", (0, 267), label),
    veto("request", (0, 0), request),
];

/// Vetoes that hold only if [`is_settled`](super::is_settled) is false. These vetoes are for tokens that rarely belong
/// to the URL before them.
pub(super) const NOT_HERE: &[Veto] = &[
    veto("slash", (0, 453), slash),
    veto("host", (0, 252), host),
    veto("end", (0, 42), end),
    veto("progress", (0, 11), progress),
    veto("repository", (0, 7), repository),
    veto("list", (0, 2), list),
    veto("other-host", (0, 23), other_host),
    veto("scheme", (0, 0), is_scheme),
];

/// The next line has another quote prefix.
fn other_prefix(view: &View<'_>) -> bool {
    view.prefix == Prefix::Other
}

/// The token is a ruler such as `-----`, or has no letter or digit.
fn ruler(view: &View<'_>) -> bool {
    let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric();
    let repeats = matches!(view.token, [a, b, c, d, ..] if is_sign(a) && is_sign(b) && a == c && b == d);
    repeats && !matches!(view.token[0], b'/' | b'.' | b'%') || view.token.iter().all(is_sign)
}

/// The token begins with punctuation that no piece of a URL begins with, such as a bracket, a bullet, or the `--` of a
/// command's option.
fn punctuation(view: &View<'_>) -> bool {
    matches!(view.token[0], b'[' | b'(' | b'{' | b';' | b':' | b',' | b'!' | b'*' | b'|')
        || view.token.starts_with(b"--")
        || view.token.starts_with(b"..")
}

/// The token consists of escapes of quoted-printable that were not decoded, such as `=20`.
fn residue(view: &View<'_>) -> bool {
    let escapes = view.word.chunks_exact(3);
    escapes.remainder().is_empty()
        && escapes.into_iter().all(|e| e[0] == b'=' && e[1].is_ascii_hexdigit() && e[2].is_ascii_hexdigit())
}

/// The URL ends in two dots, in a colon with no digit after it, or in a comma that is not between digits.
fn end(view: &View<'_>) -> bool {
    let digit_after = view.token[0].is_ascii_digit();
    match &*view.url {
        [.., b'.', b'.'] => true,
        [.., b':'] => !digit_after,
        [.., before, b','] => !(digit_after && before.is_ascii_digit()),
        _ => false,
    }
}

/// The token is a mail address, such as `local@domain.top`.
fn address(view: &View<'_>) -> bool {
    let Some(at) = memchr::memchr(b'@', view.word) else { return false };
    // The URL of a message in an archive can end in a Message-ID.
    let is_id = view.last == b'/' && view.word[0].is_ascii_digit();
    let slashes = view.word.iter().rev().take_while(|b| **b == b'/').count();
    let word = &view.word[..view.word.len() - slashes];
    at > 0
        && !is_id
        && memchr::memchr3(b'/', b'=', b'?', word).is_none()
        && memchr::memchr(b'.', &view.word[at..]).is_some()
}

/// Another URL begins in the token. Before the other URL, the token can have a number, an assignment, or the `+` or `-`
/// of a patch.
fn other_url(view: &View<'_>) -> bool {
    let from = if let [b'.' | b'+' | b'-' | b'#', from @ ..] = view.token { from } else { view.token };
    let nested = |colon: usize| memchr::memchr2(b'?', b'&', &view.token[..colon]).is_some();
    let port = |name: usize| from.get(name + 1).is_some_and(u8::is_ascii_digit);
    scheme_length(from).is_some_and(|name| !port(name)) || authority(view.token).is_some_and(|colon| !nested(colon))
}

/// The token is the next entry of a list of hosts.
fn other_host(view: &View<'_>) -> bool {
    view.last == b'/' && !is_scheme(view) && is_host_of(&view.url, view.word)
        || !is_open_before_host(view) && begins_with_www(view.word)
}

/// Whether the URL may continue with a host: it ends in `://`, or in a character such as the `=` of a query.
fn is_open_before_host(view: &View<'_>) -> bool {
    view.last != b'/' && is_open(view.last) || is_scheme(view)
}

/// The token is a label. The label ends in a colon, or the line after the label begins with a link that is in brackets
/// or indented like the URL.
fn label(view: &View<'_>) -> bool {
    let after = view.after().text;
    let is_of_brackets =
        view.rest.is_empty() && after.starts_with(b"<") && !is_open(view.last) && !has_marks(view.word);
    let is_url = scheme_length(after).is_some_and(|name| after[name..].starts_with(b"://"));
    let is_of_list = view.indentation.is_lt() && view.after().indentation == view.line.indentation && is_url;
    view.token.ends_with(b":") || is_of_brackets || is_of_list
}

/// The URL ends in a slash, and the token is a word, or begins with a slash or a hyphen.
fn slash(view: &View<'_>) -> bool {
    view.last == b'/' && !is_scheme(view) && (matches!(view.token[0], b'/' | b'-') || is_word(view.word))
}

/// The URL is a host and nothing else, and the token has no sign of a path. The veto does not hold if the token has a
/// file extension and the URL ends in a slash.
fn host(view: &View<'_>) -> bool {
    let is_file = view.last == b'/' && any_extension(view.word);
    (view.last == b'/' || view.last.is_ascii_alphanumeric())
        && is_bare_host(&view.url)
        && !has_marks(view.word)
        && !is_file
}

/// The URL before the break is only a scheme and `://`.
pub(super) fn is_scheme(view: &View<'_>) -> bool {
    view.url.ends_with(b"://")
}

/// The token begins a list of names under the URL. The next two lines have one name each, and are indented more than
/// the URL.
fn list(view: &View<'_>) -> bool {
    let is_name = |text: &[u8]| !text.is_empty() && !text.contains(&b' ');
    view.indentation.is_gt()
        && view.after().indentation == view.next.indentation
        && is_name(view.next.text)
        && is_name(view.after().text)
        && !is_open(view.word[view.word.len() - 1])
}

/// The roff requests that occur in manual pages. Other pairs of letters are not listed, because they can be file
/// extensions.
const REQUESTS: &[&[u8]] =
    &[b"ad", b"br", b"de", b"el", b"fi", b"ie", b"if", b"in", b"ne", b"nf", b"so", b"sp", b"ta", b"ti"];

/// The token is a roff request or macro, such as `.br` or `.PP`.
fn request(view: &View<'_>) -> bool {
    let [b'.', name @ ..] = view.token else { return false };
    REQUESTS.contains(&name) || matches!(name, [a, b] if a.is_ascii_uppercase() && b.is_ascii_alphanumeric())
}

/// The beginnings of absolute paths in a Unix file system.
const LOCAL: &[&[u8]] = &[b"/home/", b"/Users/", b"/usr/", b"/var/", b"/tmp/", b"/opt/", b"/srv/", b"/mnt/", b"/root/"];

/// The URL is a repository, and the token is a branch to pull or the directory to clone into.
fn repository(view: &View<'_>) -> bool {
    let command = if view.before.is_empty() { view.above().text } else { view.before.trim_ascii_end() };
    if command.ends_with(b" clone") || command.ends_with(b" checkout") || command.ends_with(b" co") {
        return !is_open(view.last) && !any_extension(view.word);
    }
    view.url.ends_with(b".git")
        && (view.token[0].is_ascii_alphabetic() || LOCAL.iter().any(|place| view.token.starts_with(place)))
}

/// The token is output that programs print after a URL: a counter such as `4/159K`, or the name of a changed file
/// before `| 69 ++--`.
fn progress(view: &View<'_>) -> bool {
    if view.rest.starts_with(b"| ") {
        return true;
    }
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let [before @ .., b'B' | b'K' | b'M' | b'G'] = view.word else { return false };
    let Some(slash) = memchr::memchr(b'/', before) else { return false };
    extension(&view.url).is_some() && digits(&before[..slash]) && digits(&before[slash + 1..])
}
