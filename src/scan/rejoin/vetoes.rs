//! Vetoes: checks that prevent a join of a URL with the next line, even if there is strong evidence for the join
//! (RULES.md 3.2). "The token" is the first token of the next line.

use super::heuristics::{
    any_extension, authority, begins_with_www, extension, has_marks, is_bare_host, is_host_of, is_open, is_word,
};
use super::view::{Prefix, View};
use crate::trigger::scheme_length;

/// A check that prevents a join if [`holds`](Self::holds) returns true. For each veto, RULES.md lists cases to which
/// the veto applies, and similar cases to which it does not apply.
pub(super) struct Veto {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the veto in corpus/joins.tsv"))]
    pub(super) name: &'static str,
    /// The number of decisions in `corpus/joins.tsv` to which the veto applies, as two counts: the decisions with the
    /// verdict `join`, and all other decisions.
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

/// Vetoes that are checked first. They prevent a join even if [`is_settled`](super::is_settled) is true. For example, a
/// line that begins with `-----` never continues a URL.
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

/// Vetoes that are checked only if [`is_settled`](super::is_settled) is false. A token to which one of these vetoes
/// applies can belong to the URL, but rarely does.
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

/// Whether the quote prefix of the next line differs from the prefix of the URL's line. If the prefixes differ only by
/// lost quote marks (see [`Prefix::Lost`]), the result is false.
fn other_prefix(view: &View<'_>) -> bool {
    view.prefix == Prefix::Other
}

/// Whether the token begins with a ruler such as `-----`, or has no letter and no digit.
fn ruler(view: &View<'_>) -> bool {
    let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric();
    let repeats = matches!(view.token, [a, b, c, d, ..] if is_sign(a) && is_sign(b) && a == c && b == d);
    repeats && !matches!(view.token[0], b'/' | b'.' | b'%') || view.token.iter().all(is_sign)
}

/// Whether the token begins with punctuation that rarely begins the rest of a broken URL, such as a bracket, the bullet
/// `*`, or the `--` of a command-line option.
fn punctuation(view: &View<'_>) -> bool {
    matches!(view.token[0], b'[' | b'(' | b'{' | b';' | b':' | b',' | b'!' | b'*' | b'|')
        || view.token.starts_with(b"--")
        || view.token.starts_with(b"..")
}

/// Whether the token consists of escapes of quoted-printable that were not decoded, such as `=20`.
fn residue(view: &View<'_>) -> bool {
    let escapes = view.word.chunks_exact(3);
    escapes.remainder().is_empty()
        && escapes.into_iter().all(|e| e[0] == b'=' && e[1].is_ascii_hexdigit() && e[2].is_ascii_hexdigit())
}

/// Whether the URL ends in two dots, in a colon with no digit after it, or in a comma that is not between digits. The
/// byte after the colon or comma is the first byte of the token.
fn end(view: &View<'_>) -> bool {
    let digit_after = view.token[0].is_ascii_digit();
    match &*view.url {
        [.., b'.', b'.'] => true,
        [.., b':'] => !digit_after,
        [.., before, b','] => !(digit_after && before.is_ascii_digit()),
        _ => false,
    }
}

/// Whether the token is a mail address, such as `local@domain.example`.
fn address(view: &View<'_>) -> bool {
    let Some(at) = memchr::memchr(b'@', view.word) else { return false };
    // A token that begins with a digit can be a Message-ID at the end of a URL. For example, an archive has the URL
    // `http://archive.example/2004@a.example`, and the line was broken after the `/`.
    let is_id = view.last == b'/' && view.word[0].is_ascii_digit();
    let slashes = view.word.iter().rev().take_while(|b| **b == b'/').count();
    let word = &view.word[..view.word.len() - slashes];
    at > 0
        && !is_id
        && memchr::memchr3(b'/', b'=', b'?', word).is_none()
        && memchr::memchr(b'.', &view.word[at..]).is_some()
}

/// Whether another URL begins in the token. In the token, text can be before this URL: for example `src=`, or the `+`
/// or `-` at the start of a line in a patch.
fn other_url(view: &View<'_>) -> bool {
    let from = if let [b'.' | b'+' | b'-' | b'#', from @ ..] = view.token { from } else { view.token };
    let nested = |colon: usize| memchr::memchr2(b'?', b'&', &view.token[..colon]).is_some();
    // Text such as `localhost:8080/` can belong to the first URL: `localhost` is a host with a port, not a scheme. But
    // `news:4711@example.org` begins another URL.
    let port = |name: usize| {
        let after = &from[name + 1..];
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && !after.get(digits).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"@%$-".contains(byte))
    };
    scheme_length(from).is_some_and(|name| !port(name)) || authority(view.token).is_some_and(|colon| !nested(colon))
}

/// Whether the token is the next entry of a list of hosts: it begins with `www.` or `ftp.`, or is a host in the domain
/// of the URL.
fn other_host(view: &View<'_>) -> bool {
    view.last == b'/' && !is_scheme(view) && is_host_of(&view.url, view.word)
        || !is_open_before_host(view) && begins_with_www(view.word)
}

/// Whether the URL may continue with a host name: the URL ends in `://`, or in a character such as the `=` of `?url=`.
fn is_open_before_host(view: &View<'_>) -> bool {
    view.last != b'/' && is_open(view.last) || is_scheme(view)
}

/// Whether the token is the label of the next link, such as `Homepage:`. Either the token ends in a colon, or the line
/// after the token's line begins with the link. In the second case, a `<` is before the link, or the link has the same
/// indentation as the URL's line.
fn label(view: &View<'_>) -> bool {
    let after = view.after().text;
    let is_of_brackets =
        view.rest.is_empty() && after.starts_with(b"<") && !is_open(view.last) && !has_marks(view.word);
    let is_url = scheme_length(after).is_some_and(|name| after[name..].starts_with(b"://"));
    let is_of_list = view.indentation.is_lt() && view.after().indentation == view.line.indentation && is_url;
    view.token.ends_with(b":") || is_of_brackets || is_of_list
}

/// Whether the URL ends in a slash, and the token either has only letters or begins with a slash or a hyphen.
fn slash(view: &View<'_>) -> bool {
    view.last == b'/' && !is_scheme(view) && (matches!(view.token[0], b'/' | b'-') || is_word(view.word))
}

/// Whether the URL has at most a slash after its host, and the token has no character that is typical of URLs, such as
/// `/` or `=`. If the URL ends in a slash and the token has a file extension, the token may be a file, so the result is
/// false.
fn host(view: &View<'_>) -> bool {
    let is_file = view.last == b'/' && any_extension(view.word);
    (view.last == b'/' || view.last.is_ascii_alphanumeric())
        && is_bare_host(&view.url)
        && !has_marks(view.word)
        && !is_file
}

/// Whether the line break is directly after the `://` of a URL.
pub(super) fn is_scheme(view: &View<'_>) -> bool {
    view.url.ends_with(b"://")
}

/// Whether the token is the first name in a list of names under the URL. The result is true only if each of the next
/// two lines has only one name, and is indented more than the URL's line.
fn list(view: &View<'_>) -> bool {
    let is_name = |text: &[u8]| !text.is_empty() && !text.contains(&b' ');
    view.indentation.is_gt()
        && view.after().indentation == view.next.indentation
        && is_name(view.next.text)
        && is_name(view.after().text)
        && !is_open(view.word[view.word.len() - 1])
}

/// The names of roff requests that occur in manual pages, such as `br` for `.br`. A name that is a common file
/// extension, such as `ps`, is not listed.
const REQUESTS: &[&[u8]] =
    &[b"ad", b"br", b"de", b"el", b"fi", b"ie", b"if", b"in", b"ne", b"nf", b"so", b"sp", b"ta", b"ti"];

/// Whether the token is a roff request or macro, such as `.br` or `.PP`.
fn request(view: &View<'_>) -> bool {
    let [b'.', name @ ..] = view.token else { return false };
    REQUESTS.contains(&name) || matches!(name, [a, b] if a.is_ascii_uppercase() && b.is_ascii_alphanumeric())
}

/// The beginnings of absolute paths in a Unix file system.
const LOCAL: &[&[u8]] = &[b"/home/", b"/Users/", b"/usr/", b"/var/", b"/tmp/", b"/opt/", b"/srv/", b"/mnt/", b"/root/"];

/// Whether the URL names a repository, and the token is the argument after the URL: a branch or a directory. An example
/// is `git clone http://a.example/b.git directory`.
fn repository(view: &View<'_>) -> bool {
    let command = if view.before.is_empty() { view.above().text } else { view.before.trim_ascii_end() };
    if command.ends_with(b" clone") || command.ends_with(b" checkout") || command.ends_with(b" co") {
        return !is_open(view.last) && !any_extension(view.word);
    }
    view.url.ends_with(b".git")
        && (view.token[0].is_ascii_alphabetic() || LOCAL.iter().any(|place| view.token.starts_with(place)))
}

/// Whether the token is output that programs print after a URL. One kind is a counter of a download, such as `4/159K`.
/// Another kind is the name of a changed file in the output of `diffstat`, such as `src/a.c | 69 ++--`.
fn progress(view: &View<'_>) -> bool {
    if view.rest.starts_with(b"| ") {
        return true;
    }
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let [before @ .., b'B' | b'K' | b'M' | b'G'] = view.word else { return false };
    let Some(slash) = memchr::memchr(b'/', before) else { return false };
    extension(&view.url).is_some() && digits(&before[..slash]) && digits(&before[slash + 1..])
}
