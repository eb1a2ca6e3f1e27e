//! Other readings of a bare URL: its end without footnote marks or other text that is glued to it, and URLs with
//! blanks, such as the value of an attribute.

use alloc::vec::Vec;
use core::ops::Range;

use super::bare::{authority, is_in_host, is_parameter};
use super::has;
use super::rejoin::heuristics::{extension, is_capitalized, is_stop_word, without_query};
use super::residue::{MAX_RESIDUE, RESIDUES};
use crate::simd::ByteSet;
use crate::url::{Url, percent, suffix_labels};

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

/// The bytes before which a host ends: those before a path, a query or a fragment, and marks that no host has.
static HOST_ENDS: ByteSet = ByteSet::of(b"/?#!&'*+,;=^|}~");

/// Whether text may be glued to the host at `host` or to the end of `url`, so that [`without_text`] has to look for it.
/// This function is fast.
#[inline]
pub(super) fn may_have_text(url: &[u8], host: usize) -> bool {
    if url.get(HOST_ENDS.next(url, host)).is_some_and(|end| !matches!(end, b'/' | b'?' | b'#')) {
        return true;
    }
    if url.ends_with(b"/") {
        return false;
    }
    let word = url.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    match url.split_at(url.len() - word) {
        (_, []) => true,
        ([.., b'/' | b'_' | b'%' | b'?' | b'#'] | [.., b'/', b'~'], _) => false,
        ([.., b'&'], word) => word.len() <= MAX_RESIDUE,
        ([.., last, b'-'], _) => *last == b'-',
        ([.., last, b'.'], word) => *last == b'.' || word.len() > 4 || word[0].is_ascii_uppercase(),
        ([.., b'='], word) => word.len() == 2,
        _ => true,
    }
}

/// Returns the length of the URL at `url` without text that may be glued to it (rule 2.4). Its scheme has `colon` bytes.
/// Takes linear time.
#[cold]
pub(super) fn without_text(text: &[u8], url: Range<usize>, colon: usize) -> Option<usize> {
    let path = without_query(&text[url.clone()]);
    let host = colon + if path[colon..].starts_with(b"://") { 3 } else { 1 };
    let file = memchr::memrchr(b'/', &path[host..]).map(|slash| host + slash + 1);
    after_host(&path[host..], host == colon + 3)
        .map(|length| host + length)
        .or_else(|| file.and_then(|file| Some(file + after_file(&path[file..])?)))
        .or_else(|| before_end(text, url, path.len()))
}

/// Whether `host` ends in a colon and digits.
fn is_port(host: &[u8]) -> bool {
    let digits = host.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && host[..host.len() - digits].ends_with(b":")
}

/// Returns the length of the host at the start of `path` if text is glued to it: a mark that no host has, two hyphens, or
/// the first word of a sentence. Marks count only if the host follows `://`.
fn after_host(path: &[u8], has_slashes: bool) -> Option<usize> {
    let (host, rest) = path.split_at(HOST_ENDS.next(path, 0));
    let dot = memchr::memrchr(b'.', host);
    if has_slashes && !matches!(rest, [] | [b'/' | b'?' | b'#', ..]) {
        let rest = rest.split(|byte| *byte == b'/').next()?;
        let is_name = host.last().is_some_and(|last| last.is_ascii_alphanumeric() || *last == b']');
        let (is_list, has_dot) = (matches!(rest[0], b',' | b';'), rest.contains(&b'.'));
        let is_whole = match dot {
            // A port is the end of a host.
            _ if is_port(host) => true,
            Some(_) => is_list || !has_dot,
            None => is_list && !has_dot,
        };
        // Before an `@`, it can be the name of a user.
        return (is_name && is_whole && !rest.contains(&b'@')).then_some(host.len());
    }
    // A `mailto` URL has a host after an `@`, and a `news` URL has no host.
    let (before, label) = host.split_at(dot.filter(|dot| has_slashes || host[..*dot].contains(&b'@'))? + 1);
    let letters = label.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if let Some(top) = glued_to_top(host, label) {
        return Some(before.len() + top);
    }
    // Some hosts have capitals, as in `Example.Com`.
    let is_first = |label: &str| {
        let mut letters = label.chars();
        (label.len() > 3 || is_stop_word(label.as_bytes()))
            && letters.next().is_some_and(char::is_uppercase)
            && letters.all(char::is_lowercase)
    };
    if matches!(label, [b'A'..=b'Z' | 0x80.., _, _, ..])
        && !before.iter().any(u8::is_ascii_uppercase)
        && str::from_utf8(label).is_ok_and(is_first)
    {
        return Some(before.len());
    }
    (letters > 1 && label[letters..].starts_with(b"--") && &label[..letters] != b"xn").then_some(before.len() + letters)
}

/// Returns the length of the top-level domain at the start of `label`, the last label of `host`, if a word with a capital
/// is glued to it, as in `www.example.comYour`, and `label` is no top-level domain.
fn glued_to_top(host: &[u8], label: &[u8]) -> Option<usize> {
    let top = label.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let is_glued = cfg!(feature = "domain") && top > 1 && label.get(top).is_some_and(u8::is_ascii_uppercase);
    let name = str::from_utf8(host).ok().filter(|_| is_glued)?;
    (suffix_labels(name) == 0 && suffix_labels(&name[..host.len() - label.len() + top]) > 0).then_some(top)
}

/// Returns the length of `file`, the name after the last slash of a path, without text that is glued to its extension or
/// to the slash.
fn after_file(file: &[u8]) -> Option<usize> {
    match file {
        [b'.' | b',' | b';', ..] if is_glued(file, b"") => return Some(0),
        [b'-', b'-', word @ ..] if word.iter().all(u8::is_ascii_alphabetic) => return Some(0),
        _ => {}
    }
    memchr::memchr_iter(b'.', file).find_map(|dot| {
        let after = &file[dot + 1..];
        let length = after.iter().take(MAX_WORD).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (name, rest) = file[dot..].split_at(1 + length);
        let glued = match rest {
            [] => (4..name.len().saturating_sub(1)).find(|&end| {
                let word = &name[end..];
                extension(&name[..end]).is_some()
                    && (is_stop_word(word) || is_capitalized(word) && !name[end - 1].is_ascii_uppercase())
            }),
            _ => {
                let is_any = length < 6 && after.first().is_some_and(u8::is_ascii_alphabetic);
                ((is_any || extension(name).is_some()) && is_glued(rest, name)).then_some(name.len())
            }
        };
        glued.map(|length| dot + length)
    })
}

/// Maximum length of a file extension and the word that is glued to it, as in `.htmland`.
const MAX_WORD: usize = 24;

/// Whether `rest` can be text that is glued to the file extension `name`, or to a slash if `name` is empty.
fn is_glued(rest: &[u8], name: &[u8]) -> bool {
    let is_known = name.is_empty() || extension(name).is_some();
    match *rest {
        [b'.', b'.', ..] | [b'-', b'-', ..] | [b'(' | b'[' | b'{' | b'|' | b',' | b':' | b'!', ..] => true,
        [b'.', first, second, ..] => {
            let is_word = first.is_ascii_uppercase() && second.is_ascii_lowercase();
            let is_last = is_capitalized(&rest[1..]) && !name.iter().any(u8::is_ascii_uppercase);
            !first.is_ascii() || is_word && (is_known || is_last)
        }
        // Parameters such as `;jsessionid=1` belong to the URL.
        [b';' | b'&', ref rest @ ..] => !is_parameter(rest),
        [b'+' | b'~' | b'=' | b'*' | b'\'' | b'^' | b'$', ..] if is_known => true,
        [mark] => matches!(mark, b'+' | b'~' | b'=' | b'*' | b'\'' | b'$' | b'@' | b'-' | b'_'),
        _ => false,
    }
}

/// Returns the length of the URL at `url` without text at its end that may not belong to it: a bracket, a `+` or `~`, a
/// mark that is also before the URL, an escape of quoted-printable, the name of a character reference, or a word. `path`
/// is the length of the URL without its query.
fn before_end(text: &[u8], url: Range<usize>, path: usize) -> Option<usize> {
    let (before, after, url) = (text[..url.start].last(), text.get(url.end), &text[url]);
    // In a query, marks can belong to the names of parameters, and in a fragment, to the names of functions.
    let is_value = |at: usize| {
        let last = url[..at].get(path..).map(|query| query.rsplit(|byte| *byte == b'&').next().unwrap_or_default());
        last.is_none_or(|parameter| parameter.contains(&b'=') && !url.contains(&b'#'))
    };
    match *url {
        [.., closer @ (b')' | b']' | b'}')] => {
            let open = memchr::memrchr(if closer == b')' { b'(' } else { closer - 2 }, url)?;
            let has_letters = url[open..].iter().any(|byte| !byte.is_ascii_punctuation());
            let is_text = has_letters && url[..open].last()?.is_ascii_alphanumeric();
            (is_text && is_value(open)).then_some(open)
        }
        [.., last, b'+' | b'~'] if last.is_ascii_alphanumeric() => Some(url.len() - 1),
        [.., b'=', high, low] if is_value(url.len() - 3) && !url.contains(&b';') => {
            let byte = percent::hex(high)? << 4 | percent::hex(low)?;
            let is_last = matches!(after, None | Some(b'\r' | b'\n'));
            let is_escape = is_last || [high, low].iter().any(u8::is_ascii_uppercase);
            (is_escape && !byte.is_ascii_alphanumeric()).then_some(url.len() - 3)
        }
        [.., last] if last.is_ascii_alphabetic() => {
            let letters = url.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let (before, word) = url.split_at(url.len() - letters);
            let is_word = match before {
                [.., b'.', b'.', b'.'] => memchr::memmem::find(before, b"/compare/").is_none(),
                [.., b'.'] => is_capitalized(word) && is_stop_word(word) && !is_in_host(before),
                [.., b',' | b';' | b':' | b'!'] | [.., b'-', b'-'] => word.len() > 1 && is_stop_word(word),
                [.., b'&'] => has(RESIDUES, word),
                [.., b'|'] => is_capitalized(word) || !before.contains(&b'?'),
                _ => false,
            };
            let mark = before.last()?;
            is_word.then_some(before.iter().rposition(|byte| byte != mark)? + 1)
        }
        [.., last] if path == url.len() && last.is_ascii_punctuation() && last != b'/' && before == Some(&last) => {
            Some(url.len() - 1)
        }
        _ => None,
    }
}

/// Whether the end of the bare URL `url` may be missing (rule 2.2). `after` is the text after it, of which the first
/// `trimmed` bytes were removed from the URL. It begins with three dots, with a control character that neither IRC nor
/// DOS uses, or with a `>` and the rest of a host.
#[inline]
pub(super) fn is_cut(url: &[u8], after: &[u8], trimmed: usize) -> bool {
    match after {
        [b'.', b'.', b'.', rest @ ..] => trimmed > 2 && rest.first() != Some(&b'.') && !url.ends_with(b"/"),
        [0x10 | 0x12..=0x15 | 0x17..=0x19, ..] => true,
        [b'>', b'.', next, ..] => next.is_ascii_lowercase() && is_in_host(url),
        [b'>', rest @ ..] => rest.starts_with(b"%2E") && is_in_host(url),
        _ => false,
    }
}

/// Maximum number of bytes of an attribute after its first blank.
const MAX_WORDS: usize = 300;

/// Returns the URL that goes on after a blank and ends at the closing mark of `before`, the two bytes before it (rule
/// 1.2c): the value of an attribute in the source of HTML, as in `href="http://a.example/my page"`. Or a path that is
/// quoted or in the parentheses of Markdown, and ends in a file extension. `url` is the URL before its first blank.
/// Blanks are written as `%20`, as browsers do.
#[cold]
pub(super) fn quoted(text: &[u8], url: Range<usize>, before: [u8; 2]) -> Option<Vec<u8>> {
    let closer = match before {
        [b']', b'('] => b')',
        [_, b'('] => return None,
        [_, quote] => quote,
    };
    let window = &text[url.end..text.len().min(url.end + MAX_WORDS)];
    let end = window.iter().position(|byte| *byte == closer || matches!(byte, b'"' | b'<' | b'>' | ..b' '))?;
    let words = window[..end].split(|byte| *byte == b' ').collect::<Vec<_>>().join(&b"%20"[..]);
    let whole = [&text[url], &words].concat();
    let has_other = memchr::memmem::find(&words, b"://").is_some();
    let is_value = before[0] == b'=' || extension(&whole).is_some();
    (window[end] == closer && is_value && !has_other && Url::parse(&whole).is_ok()).then_some(whole)
}

/// Returns the URL that goes on after the blank at `blank`: its host is cut at a dot, or it has only a host, or a path
/// without an extension, and the next word begins with a slash (rule 1.2c). Returns `None` if nothing speaks for that.
#[cold]
pub(super) fn after_blank(text: &[u8], url: Range<usize>, blank: usize) -> Option<Vec<u8>> {
    let after = &text[blank + 1..text.len().min(blank + 1 + MAX_WORDS)];
    let written = &text[url.start..blank];
    let length = after.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"/.-_~%?&=#+".contains(byte)).count();
    let mut word = &after[..length];
    while let [rest @ .., b'.' | b'?' | b'-' | b'#'] = word {
        word = rest;
    }
    let label = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let is_rest = match word {
        [b'/', next, ..] => {
            next.is_ascii_alphanumeric()
                && !written.ends_with(b"/")
                && extension(written).is_none_or(|_| is_in_host(written))
        }
        [b'.', rest @ ..] => label(rest) > 1 && is_in_host(written) && !written.ends_with(b"."),
        // `www` alone is no host.
        _ => {
            let name = label(word);
            is_in_host(written)
                && authority(written).is_some_and(|host| host.eq_ignore_ascii_case(b"www."))
                && word.get(name) == Some(&b'.')
                && label(&word[name + 1..]) > 1
        }
    };
    let whole = [written, word].concat();
    (is_rest && Url::parse(&whole).is_ok()).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::without_text;

    /// Not in the corpus, because a test writes the hosts of its URLs in small ASCII letters.
    #[test]
    fn words_after_a_host_begin_with_a_capital() {
        let table = [
            ("http://a.example.", "Écrivez", true),
            ("http://a.example.", "écrivez", false),
            ("http://www.foo.com", "Your", true),
            ("http://foo.org", "ECHO", true),
            ("http://foo.net", "Viagra10", true),
            ("http://foo.", "coM", false),
            ("http://foo.doc", "Your", false),
        ];
        for (host, word, is_glued) in table {
            let url = format!("{host}{word}");
            // A word after a top-level domain needs the list of public suffixes.
            let is_found = is_glued && (host.ends_with('.') || cfg!(feature = "domain"));
            let want = is_found.then_some(host.len());
            assert_eq!(without_text(url.as_bytes(), 0..url.len(), 4), want, "{url}");
        }
    }
}
