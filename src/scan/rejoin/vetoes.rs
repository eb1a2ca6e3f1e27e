//! Vetoes: signs that no labelled break contradicts (RULES.md 3.2). "The token" is the first token of the next line.

use super::evidence::is_other_url;
use super::heuristics::{authority, begins_with_www, extension, has_marks, is_open};
use super::view::{View, columns};
use crate::trigger::scheme_length;

/// A check that prevents a join if [`holds`](Self::holds) returns true.
pub(super) struct Veto {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the veto in corpus/joins.tsv"))]
    pub(super) name: &'static str,
    pub(super) holds: fn(&View<'_>) -> bool,
}

const fn veto(name: &'static str, holds: fn(&View<'_>) -> bool) -> Veto {
    Veto { name, holds }
}

pub(super) const VETOES: &[Veto] = &[
    veto("other-prefix", |v| v.other_prefix),
    veto("punctuation", punctuation),
    veto("residue", residue),
    veto("address", address),
    veto("slash", |view| view.last == b'/' && view.token[0] == b'/' && view.word.len() > 1),
    veto("host", |view| view.last == b'/' && !view.url.ends_with(b"://") && begins_with_www(view.word)),
    veto("list", list),
    veto("request", request),
    veto("end", end),
    veto("hash", hash),
    veto("setting", setting),
    veto("url", |view| is_other_url(view) && view.last != b'='),
    veto("short-piece", short_piece),
    veto("titles", titles),
    veto("name", name),
    veto("sentence", sentence),
    veto("number", number),
    veto("call", |view| extension(&view.url).is_some() && view.word.contains(&b'(')),
    veto("diffstat", |view| view.rest.starts_with(b"|")),
    veto("key", key),
];

/// Whether the token would have fitted on the line of a later piece, which is much shorter than the line before it. A
/// program that breaks a URL fills each line, so the URL ends with this piece.
fn short_piece(view: &View<'_>) -> bool {
    !view.first
        && !is_open(view.last)
        && !has_marks(view.word)
        && extension(view.word).is_none()
        && view.line.width + columns(view.word) < view.above().width
}

/// Whether the lines are a list of titles and URLs in turn, in which the titles are indented less than the URLs.
fn titles(view: &View<'_>) -> bool {
    let is_url = |text: &[u8]| scheme_length(text).is_some() && authority(text).is_some();
    view.indentation.is_lt() && view.after().indentation == view.line.indentation && is_url(view.after().text)
}

/// Whether the token is the name of a host in a frequent domain, after a slash. The token would have fitted on the
/// URL's line, or text follows it.
fn name(view: &View<'_>) -> bool {
    const DOMAINS: &[&[u8]] = &[b"com", b"org", b"net", b"edu", b"gov"];
    let is_name = view.word.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    let domain = memchr::memrchr(b'.', view.word).map_or(&[][..], |dot| &view.word[dot + 1..]);
    view.last == b'/'
        && !view.url.ends_with(b"://")
        && is_name
        && DOMAINS.iter().any(|known| domain.eq_ignore_ascii_case(known))
        && (view.line.width + columns(view.word) < 72 || !view.rest.is_empty())
}

/// Whether a full stop ends the sentence of the URL, and the token is the first word of the next sentence, such as
/// `There's`.
fn sentence(view: &View<'_>) -> bool {
    let [first, others @ ..] = view.word else { return false };
    view.last == b'.'
        && !view.rest.is_empty()
        && first.is_ascii_uppercase()
        && others.iter().all(|b| b.is_ascii_lowercase() || *b == b'\'')
}

/// Whether the token is the number of an item in a list, such as `1.`, and text follows.
fn number(view: &View<'_>) -> bool {
    let is_number = view.word.len() <= 2 && view.word.iter().all(u8::is_ascii_digit);
    is_number
        && matches!(&view.token[view.word.len()..], b"." | b")")
        && view.last.is_ascii_alphanumeric()
        && !view.rest.is_empty()
}

/// Whether the token is the length and the identifier of an OpenPGP key, such as `1024/39B5BADD`.
fn key(view: &View<'_>) -> bool {
    let Some(slash) = memchr::memchr(b'/', view.word) else { return false };
    let (length, id) = (&view.word[..slash], &view.word[slash + 1..]);
    matches!(length, b"768" | b"1024" | b"2048" | b"4096") && id.len() == 8 && id.iter().all(u8::is_ascii_hexdigit)
}

/// Whether the token begins with punctuation that rarely begins the rest of a broken URL, such as a bracket, the bullet
/// `*`, the `--` of a command-line option, or a ruler such as `~~~~`.
fn punctuation(view: &View<'_>) -> bool {
    let is_ruler = matches!(view.token, [a, b, c, d, ..] if !a.is_ascii_alphanumeric() && a == b && a == c && a == d);
    let is_plain = !view.token.iter().any(u8::is_ascii_alphanumeric);
    is_ruler && (is_plain || !matches!(view.token[0], b'/' | b'%'))
        || matches!(view.token[0], b'[' | b'(' | b'{' | b';' | b':' | b',' | b'!' | b'*' | b'|')
        || view.token.starts_with(b"--")
        || view.token.starts_with(b"..")
}

/// Whether the token consists of escapes of quoted-printable that were not decoded, such as `=20`.
fn residue(view: &View<'_>) -> bool {
    let escapes = view.word.chunks_exact(3);
    escapes.remainder().is_empty()
        && escapes.into_iter().all(|e| e[0] == b'=' && e[1].is_ascii_hexdigit() && e[2].is_ascii_hexdigit())
}

/// Whether the token is a mail address, such as `local.part@domain.example`. The rest of a Message-ID in the URL of an
/// archive mostly has digits before its `@`, or a slash behind it.
fn address(v: &View<'_>) -> bool {
    let slashes = v.word.iter().rev().take_while(|b| **b == b'/').count();
    let word = if slashes > 1 { &v.word[..v.word.len() - slashes] } else { v.word };
    let at = memchr::memchr(b'@', word).unwrap_or(0);
    at > 0
        && (v.last == b'/' || v.last.is_ascii_alphanumeric())
        && word[..at].iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'.' | b'_' | b'-'))
        && memchr::memchr3(b'/', b'=', b'?', word).is_none()
        && word[at..].contains(&b'.')
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

/// Whether the token is a whole hash or a number of at least 15 digits, as behind the URL of a repository, and the URL
/// does not end in a mark that such an identifier follows.
fn hash(view: &View<'_>) -> bool {
    let is_hash = matches!(view.word.len(), 40 | 64) && view.word.iter().all(u8::is_ascii_hexdigit);
    let is_number = view.word.len() >= 15 && view.word.iter().all(u8::is_ascii_digit);
    (is_hash || is_number) && !is_open(view.last)
}

/// Whether the lines are settings: the URL is the value of `name=URL`, and the token is `name=value`.
fn setting(view: &View<'_>) -> bool {
    let name = view.word.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
    view.before.ends_with(b"=") && name > 0 && view.word.get(name) == Some(&b'=')
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
