//! Vetoes: signs that no labelled break contradicts (RULES.md 3.2). "The token" is the first token of the next line.

use super::FULL;
use super::evidence::{is_other_url, is_whole};
use super::heuristics::{self, Kinds, any_extension, authority, begins_with_www, is_closed, is_open};
use super::view::{View, columns};

// `explain` asks the vetoes, too, but they are inlined as if only `weigh` did.

/// A check that prevents a join if [`holds`](Self::holds) returns true.
pub(in crate::scan) struct Veto {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the veto in corpus/joins.tsv"))]
    pub(super) name: &'static str,
    /// What the sign is, in the words of an explanation. "The text" is the token.
    #[cfg_attr(not(feature = "mime"), expect(dead_code, reason = "only the extractor explains"))]
    pub(in crate::scan) about: &'static str,
    pub(in crate::scan) holds: fn(&View<'_>) -> bool,
    /// Whether the joined URL is an alternative if the text looks like the rest of a URL: see [`may_go_on`].
    is_weak: bool,
}

const fn veto(name: &'static str, about: &'static str, holds: fn(&View<'_>) -> bool) -> Veto {
    Veto { name, about, holds, is_weak: false }
}

const fn weak(name: &'static str, about: &'static str, holds: fn(&View<'_>) -> bool) -> Veto {
    Veto { name, about, holds, is_weak: true }
}

/// Returns the first veto that holds, and whether the joined URL is an alternative nevertheless.
#[inline(always)]
pub(in crate::scan) fn first(view: &View<'_>) -> Option<(&'static Veto, bool)> {
    let at = VETOES.iter().position(|veto| (veto.holds)(view))?;
    let veto = &VETOES[at];
    Some((veto, veto.is_weak && is_weak(view, &VETOES[at + 1..])))
}

#[cold]
fn is_weak(view: &View<'_>, rest: &[Veto]) -> bool {
    may_go_on(view) && rest.iter().all(|veto| veto.is_weak || !(veto.holds)(view))
}

/// Whether the text looks like the rest of a URL: it is alone on its line, has a mark such as `=` or `/`, and is after
/// a full line. Or it is the URL that the URL before it links to, as in archives and in links for sharing.
fn may_go_on(view: &View<'_>) -> bool {
    if is_other_url(view) {
        return links_to(&view.url);
    }
    // A command-line option, the mark of a list, and a ruler are no parts of URLs.
    let is_no_rest = matches!(view.token, [b'-', b'-', ..] | [b'.', b'.', ..] | [b'*', ..]) || is_ruler(view.token);
    let before = view.url.strip_suffix(b":").map_or(&b""[..], last_word);
    let is_page = || heuristics::is_capitalized(before) && view.word[0].is_ascii_uppercase();
    let is_file = || matches!(view.token, [b',', b'0'..=b'9', ..]) && any_extension(view.word);
    let is_rest = || view.kinds.has(Kinds::MARKS) || is_page() || is_file() || view.token.starts_with(b";!!");
    !is_no_rest && view.line.width >= FULL && is_whole(view) && is_rest()
}

/// Returns the letters at the end of `url`.
fn last_word(url: &[u8]) -> &[u8] {
    &url[url.iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |at| at + 1)..]
}

/// Whether `url` ends where the URL to which it links begins, as in `?u=`, `/web/20010203040506/` and `/*`.
fn links_to(url: &[u8]) -> bool {
    let is_time = |path: &[u8]| matches!(path.rsplit(|byte| *byte == b'/').next(), Some(time) if time.len() == 14);
    match url {
        [path @ .., b'/'] => path.iter().rev().take(14).all(u8::is_ascii_digit) && is_time(path),
        [.., b'/', b'*'] => true,
        [.., b'='] => memchr::memchr(b'?', url).is_some(),
        _ => false,
    }
}

/// Whether the URL ends in a mark that shows that it is complete. The `!` of `__;!!` is part of the links of a gateway.
fn closed(view: &View<'_>) -> bool {
    is_closed(view.last) && !(view.last == b'!' && memchr::memmem::find(&view.url, b"__;!!").is_some())
}

pub(in crate::scan) const VETOES: &[Veto] = &[
    veto("other-prefix", "the two lines have different quote marks", |v| v.other_prefix),
    weak("closed", "the last character of the URL closes it", closed),
    weak("punctuation", "the text begins with punctuation that rarely continues a URL", punctuation),
    veto("residue", "the text is an escape of quoted-printable", residue),
    veto("address", "the text is a mail address", address),
    veto("slash", "the URL ends in a slash, and the text begins with one", |view| {
        view.last == b'/' && view.token[0] == b'/' && view.word.len() > 1
    }),
    veto("host", "the text is a host name", |view| {
        view.last == b'/' && !view.url.ends_with(b"://") && (begins_with_www(view.word) || is_host_name(view))
    }),
    veto("list", "the text is the first name of an indented list", list),
    veto("request", "the text is a command of roff", request),
    weak("end", "the URL ends in punctuation, which ends a URL", end),
    veto("hash", "the text is a complete hash, number or key", hash),
    veto("setting", "the lines are settings, such as `name=value`", setting),
    weak("url", "another URL or scheme begins in the text", |view| is_other_url(view) && !view.url.ends_with(b"url=")),
    // A program that breaks a URL fills each line, so a URL ends with a piece that is much shorter than the line above.
    veto("short-piece", "the text is a word that would have fitted on the line of the URL", |v| {
        let fits = v.line.width + columns(v.word) < v.above().width;
        !v.first && fits && !is_open(v.last) && v.kinds.is_only(Kinds::LETTERS) && v.word.len() >= 3
    }),
    veto("titles", "the lines are a list of titles and URLs in turn", titles),
    veto("script", "a character outside ASCII directly follows the text", |view| {
        !view.closes && !view.next.text.get(view.token.len()).is_none_or(u8::is_ascii)
    }),
    veto("number", "the text is the number of the next item", number),
    veto("call", "the text is a call in a program", |view| {
        // Most tokens have no bracket.
        let open = memchr::memchr(b'(', view.token);
        open.is_some_and(|open| {
            view.extension() > 0 && open < view.word.len() || memchr::memmem::find(view.token, b"()").is_some()
        })
    }),
    veto("diffstat", "a `|` follows the text, as in a list of changed files", |view| {
        view.rest.starts_with(b"|") && !is_open(view.last)
    }),
    // A line that a patch adds, or a telephone number.
    weak("plus", "the text begins with `+`, as a line that a patch adds", |v| {
        matches!(v.word, [b'+', b, ..] if b.is_ascii_alphanumeric()) && !v.url.contains(&b'+')
    }),
    // The last, because it has to read another line.
    veto("copy", "the line after the text is the same URL in brackets", copy),
];

/// Whether the line after the next line is the URL that ends at the line break, between `<` and `>`. The token is then
/// the text of a link.
fn copy(view: &View<'_>) -> bool {
    let copy = view.after().text.strip_prefix(b"<").and_then(|text| text.strip_suffix(b">"));
    copy.is_some_and(|copy| *copy == *view.url)
}

/// Whether the lines are a list of titles and URLs in turn, in which the titles are indented less than the URLs.
fn titles(view: &View<'_>) -> bool {
    if !view.indentation.is_lt() || view.last == b'-' {
        return false;
    }
    let (above, after) = (view.above(), view.after());
    !(above.text.is_empty() && view.kinds.has(Kinds::MARKS))
        && above.indentation == view.next.indentation
        && after.indentation == view.line.indentation
        && authority(after.text).is_some()
}

/// Whether the token is the name of a host in a frequent domain, and would have fitted on the URL's line, or text follows.
#[inline(always)]
fn is_host_name(view: &View<'_>) -> bool {
    view.kinds.has(Kinds::DOT)
        && view.kinds.is_only(Kinds::ALPHANUMERIC.or(Kinds::DOT).or(Kinds::HYPHEN))
        && [&b".com"[..], b".org", b".net", b".edu", b".gov"].iter().any(|domain| view.word.ends_with(domain))
        && (view.line.width + columns(view.word) < 72 || !view.rest.is_empty())
}

/// Whether the token is the number of an item in a list, such as `1.`, and text follows.
fn number(view: &View<'_>) -> bool {
    view.word.len() <= 2
        && view.kinds.is_only(Kinds::DIGITS)
        && matches!(view.token.get(view.word.len()).or(view.rest.first()), Some(b'.' | b')'))
        && (view.last == b'/' || view.last.is_ascii_alphanumeric())
        && !view.rest.is_empty()
}

/// Whether the token begins with four equal marks.
fn is_ruler(token: &[u8]) -> bool {
    matches!(token, [a, b, c, d, ..] if !a.is_ascii_alphanumeric() && a == b && a == c && a == d)
}

/// Whether the token begins with punctuation that rarely begins the rest of a broken URL, such as a bracket, the bullet
/// `*`, the `-` or `--` of a command-line option, the `//` of a comment, or a ruler such as `~~~~`. Or it is a word after
/// a `?`, which stands for a character that a program could not convert.
#[inline(always)]
fn punctuation(view: &View<'_>) -> bool {
    let is_plain = !view.token.iter().any(u8::is_ascii_alphanumeric);
    let is_comment = view.token.len() > 1 && view.token.iter().all(|byte| *byte == b'/');
    is_comment
        || is_ruler(view.token) && (is_plain || !matches!(view.token[0], b'/' | b'%'))
        || matches!(view.token[0], b'[' | b'(' | b'{' | b';' | b':' | b',' | b'!' | b'*' | b'|')
        || matches!(view.token, [b'-', letter] if letter.is_ascii_alphabetic()) && !view.rest.is_empty()
        || matches!(view.token, [b'?', word @ ..] if Kinds::of(word).is_only(Kinds::LETTERS))
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
/// archive mostly has digits before its `@`, or a slash after it.
#[inline(always)]
pub(super) fn address(v: &View<'_>) -> bool {
    if !v.kinds.has(Kinds::AT) {
        return false;
    }
    let slashes = v.word.iter().rev().take_while(|b| **b == b'/').count();
    let word = if slashes > 1 { &v.word[..v.word.len() - slashes] } else { v.word };
    let at = memchr::memchr(b'@', word).unwrap_or(0);
    let name = memchr::memrchr(b'/', &v.url).map_or(0, |slash| slash + 1);
    at > 0
        && !v.url.get(name).is_some_and(u8::is_ascii_digit)
        && (v.last == b'/' || v.last.is_ascii_alphanumeric())
        && word[..at].iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'.' | b'_' | b'-'))
        && memchr::memchr3(b'/', b'=', b'?', word).is_none()
        && word[at..].contains(&b'.')
}

/// Whether the token is the first name in a list of names under the URL. The result is true only if each of the next
/// two lines has only one name, and is indented more than the URL's line.
#[inline(always)]
fn list(view: &View<'_>) -> bool {
    let is_name = |text: &[u8]| !text.is_empty() && !text.contains(&b' ');
    view.indentation.is_gt()
        && view.after().indentation == view.next.indentation
        && is_name(view.next.text)
        && is_name(view.after().text)
        && !is_open(view.word[view.word.len() - 1])
}

/// Whether the URL ends in two dots, in a ruler, in a colon with no digit after it, or in a comma before a word. The byte
/// after the colon is the first byte of the token.
#[inline(always)]
fn end(view: &View<'_>) -> bool {
    let is_plain = || !view.kinds.has(Kinds::MARKS) && !any_extension(view.word) && !view.word[0].is_ascii_digit();
    match &*view.url {
        [.., b'.', b'.'] | [.., b'_', b'_', b'_', b'_'] => true,
        // In an archive, another URL begins before the line break.
        [.., b'/', b'h', b't', b't', b'p', b':'] | [.., b'/', b'h', b't', b't', b'p', b's', b':'] => {
            !view.token.starts_with(b"//")
        }
        [.., b':'] => !view.token[0].is_ascii_digit(),
        [.., b','] => is_plain(),
        _ => false,
    }
}

/// Whether the URL ends in a comma that is not between digits. It is probably punctuation.
pub(super) fn comma(view: &View<'_>) -> bool {
    matches!(&*view.url, [.., before, b','] if !(before.is_ascii_digit() && view.token[0].is_ascii_digit()))
}

/// Whether the token is a whole hash, a UUID or a number of at least 15 digits, as after the URL of a repository, and the
/// URL does not end in a mark that such an identifier follows. Or the token is the length and the identifier of an OpenPGP
/// key, such as `1024/0A1B2C3D`.
#[inline(always)]
fn hash(view: &View<'_>) -> bool {
    let is_hash = matches!(view.word.len(), 40 | 64) && view.word.iter().all(u8::is_ascii_hexdigit);
    let is_number = view.word.len() >= 15 && view.kinds.is_only(Kinds::DIGITS);
    let key = [&b"1024/"[..], b"2048/", b"4096/"].iter().find_map(|length| view.word.strip_prefix(*length));
    let is_key = key.is_some_and(|id| id.len() == 8 && id.iter().all(u8::is_ascii_hexdigit));
    let is_uuid = view.word.len() == 36
        && memchr::memchr_iter(b'-', view.word).eq([8, 13, 18, 23])
        && view.word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    (is_hash || is_number || is_uuid) && !is_open(view.last) || is_key
}

/// Whether the lines are settings: the URL is the value of `name=URL`, and the token is `name=value`.
fn setting(view: &View<'_>) -> bool {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let name = || view.word.iter().take_while(is_name).count();
    view.before.ends_with(b"=") && view.word[0] != b'=' && view.word.get(name()) == Some(&b'=')
}

/// The names of roff requests that occur in manual pages, such as `br` for `.br`. A name that is a common file
/// extension, such as `ps`, is not listed.
const REQUESTS: &[&[u8]] =
    &[b"ad", b"br", b"de", b"el", b"fi", b"ie", b"if", b"in", b"na", b"ne", b"nf", b"so", b"sp", b"ta", b"ti"];

/// Whether the token is a roff request or macro, such as `.br` or `.PP`.
#[inline(always)]
fn request(view: &View<'_>) -> bool {
    let [b'.', name @ ..] = view.token else { return false };
    REQUESTS.contains(&name)
        || matches!(name, [a] if a.is_ascii_uppercase() && !view.rest.is_empty())
        || matches!(name, [a, b] if a.is_ascii_uppercase() && b.is_ascii_alphanumeric())
}
