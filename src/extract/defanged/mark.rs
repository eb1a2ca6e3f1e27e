//! Finds the marks of defanged URLs: `hxxp`, `[.]`, ` [dot] `, `\.`, `%5B.%5D` (RULES.md, section 6).

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

#[cfg(feature = "perf")]
use aho_corasick::{AhoCorasick, Input, MatchKind};

/// The marks in brackets, such as `[dot]` for a dot. Each row has the text in the brackets, the meaning of this text,
/// and the opening brackets that are allowed. The text can be in upper or lower case.
const INSIDE: [(&str, &str, &[u8]); 7] = [
    ("://", "://", b"["),
    (":", ":", b"["),
    ("/", "/", b"["),
    (".", ".", b"[({"),
    ("dot", ".", b"[({"),
    ("@", "@", b"["),
    ("at", "@", b"["),
];

/// Defanged scheme names, in upper or lower case. Each `x` replaces a `t`.
const NAMES: [&str; 3] = ["hxxp", "hxxps", "fxp"];

/// The characters that can follow a name of [`NAMES`]. If another character follows, the name is an ordinary word.
const AFTER_NAME: [char; 2] = [':', '['];

/// The maximum number of nested pairs of brackets around a mark, as in `[[[.]]]`. Also the maximum number of blanks in
/// a row. People do not write more brackets or blanks around a dot. The search can read the same brackets and blanks
/// several times. With this limit, the search still takes linear time.
const MOST: usize = 3;

/// The maximum number of bytes on each side of a dot that can belong to the mark: [`MOST`] brackets, each with a
/// backslash or a blank before it.
const MAX_SIDE: usize = 2 * MOST;

/// A dot in percent-encoded brackets, as written by software that turns text into links.
const ENCODED: &str = "%5b.%5d";

/// The largest length of a host in bytes (RFC 1035, section 2.3.4).
const MAX_HOST: usize = 255;

/// Short strings, called hints. Every mark contains a hint, except the marks that [`Text::after_last`] finds. To find
/// marks quickly, the search looks for hints.
///
/// A hint is one of these:
///
/// - An opening bracket and the next byte, such as `[d`.
/// - One of the texts `\.` and `.%5`.
/// - The last `x` of a scheme name and the two bytes after this `x`, such as `xp:`.
///
/// All combinations of upper and lower case are listed. There are at most 32 hints, so that the search can use SIMD.
static HINTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let brackets = INSIDE.iter().flat_map(|(inside, _, around)| {
        around.iter().map(|&bracket| format!("{}{}", char::from(bracket), &inside[..1]))
    });
    let ends = NAMES.iter().map(|name| &name[last_x(name)..]);
    let names = ends.flat_map(|end| AFTER_NAME.map(|after| format!("{end}{after}")[..3].to_string()));
    let mut hints: Vec<_> = brackets.chain(names).flat_map(|hint| in_either_case(&hint)).collect();
    hints.extend([r"\.", &ENCODED[3..6]].map(String::from));
    hints.sort();
    hints.dedup();
    hints
});

#[cfg(feature = "perf")]
fn next_hint(text: &[u8], from: usize) -> Option<Range<usize>> {
    // For a few short patterns, the crate `aho-corasick` uses SIMD.
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&*HINTS).expect("a few short words")
    });
    SEARCH.find(Input::new(text).range(from..)).map(|hint| hint.range())
}

#[cfg(not(feature = "perf"))]
fn next_hint(text: &[u8], from: usize) -> Option<Range<usize>> {
    plain_hint(text, from)
}

#[cfg(any(test, not(feature = "perf")))]
fn plain_hint(text: &[u8], from: usize) -> Option<Range<usize>> {
    /// For each byte value, whether a hint begins with that byte.
    static BEGINS: LazyLock<[bool; 256]> =
        LazyLock::new(|| std::array::from_fn(|byte| HINTS.iter().any(|hint| usize::from(hint.as_bytes()[0]) == byte)));
    let (begins, hints) = (&*BEGINS, &*HINTS);
    let mut at = from;
    loop {
        at += text.get(at..)?.iter().position(|&byte| begins[usize::from(byte)])?;
        if let Some(hint) = hints.iter().find(|hint| text[at..].starts_with(hint.as_bytes())) {
            return Some(at..at + hint.len());
        }
        at += 1;
    }
}

fn last_x(name: &str) -> usize {
    name.rfind('x').expect("each name has one")
}

/// Returns `word` in all combinations of upper and lower case.
fn in_either_case(word: &str) -> Vec<String> {
    word.chars().fold(vec![String::new()], |words, letter| {
        let mut either = vec![letter.to_ascii_lowercase(), letter.to_ascii_uppercase()];
        either.dedup();
        either.iter().flat_map(|letter| words.iter().map(move |word| format!("{word}{letter}"))).collect()
    })
}

/// A mark: text such as `[.]` that was written instead of other text, such as `.`. The field `meant` has that other
/// text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The range of the mark in the text. If blanks belong to the mark, the range contains them.
    pub(super) place: Range<usize>,
    pub(super) meant: Cow<'static, str>,
    pub(super) fit: Fit,
}

/// How certain it is that a mark belongs to a URL, judged by the blanks next to the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// There is no blank next to the mark.
    Close,
    /// There is a blank before the mark, as in `a [.] example`. The mark is not the full stop of a sentence, because a
    /// full stop has no blank before it.
    Apart,
    /// Either there is a blank only after the mark, as in `a[.] example`, or the mark is the word `dot` without
    /// brackets. The mark may belong to a sentence instead of a URL (rule 6.4).
    Loose,
}

/// A text that is searched for marks. All marks before the offset `from` were already found and restored.
#[derive(Clone, Copy)]
pub(super) struct Text<'t> {
    pub(super) text: &'t [u8],
    /// The offset in `text` where the search for the next mark begins.
    pub(super) from: usize,
    /// The restored form of the text before `from`.
    pub(super) before: &'t [u8],
    /// The fit of the last mark before `from`.
    pub(super) last: Option<Fit>,
}

/// The beginning of a host: the text from `://` to a mark.
struct Host {
    len: usize,
    dotted: bool,
}

impl Text<'_> {
    /// Returns the first mark at or after `from`. The search for all marks of a text takes linear time in total.
    pub(super) fn mark(&self) -> Option<Mark> {
        if let Some(mark) = self.after_last() {
            return Some(mark);
        }
        let mut at = self.from;
        while let Some(hint) = next_hint(self.text, at) {
            let at_hint = match self.text[hint.start] {
                b'[' | b'(' | b'{' => self.bracketed(hint.start),
                b'\\' => self.dot(hint.start + 1..hint.end),
                b'.' => self.encoded(hint.start),
                _ => self.name(hint.start),
            };
            if at_hint.is_some() {
                return at_hint;
            }
            // The search continues inside this hint, because the next hint can overlap it.
            at = hint.start + 1;
        }
        None
    }

    /// Whether `text` has a mark.
    pub(super) fn is_any(text: &[u8]) -> bool {
        let text = Text { text, from: 0, before: b"", last: None };
        text.mark().is_some()
    }

    /// Returns the mark whose innermost opening bracket is at `at`.
    fn bracketed(&self, at: usize) -> Option<Mark> {
        let (text, from) = (self.text, self.from);
        let (inside, meant, _) = INSIDE
            .into_iter()
            .find(|(inside, _, around)| around.contains(&text[at]) && starts_with(&text[at + 1..], inside))?;
        let end = at + 1 + inside.len();
        // Double braces, as in `{{.}}`, are a placeholder in a template, not a mark.
        let is_double = |at: usize| text[at] == b'{' && at.checked_sub(1).is_some_and(|at| text[at] == b'{');
        if is_double(at) {
            return None;
        }
        let opened = count_back(&text[from..=at], is_opener).min(MOST);
        let closed = count(&text[end..], is_closer).min(MOST);
        let pairs = (0..opened.min(closed)).take_while(|&i| text[end + i] == closer(text[at - i])).count();
        let place = at + 1 - pairs..end + pairs;
        // In a host, a dot needs no closing bracket: `[.` is a mark, like `[.]` (rule 6.3). Other text, such as `dot`,
        // needs both brackets.
        let is_closed = text[end..].iter().take(MAX_SIDE).find(|&&byte| !is_filler(byte)) == Some(&closer(text[at]));
        let all = if inside == "." || is_closed { self.with_sides(at + 1..end) } else { place.clone() };
        let close = |place| Some(Mark { place, meant: meant.into(), fit: Fit::Close });
        if self.host(all.start).is_some() {
            let last = if meant == "." { self.last_of_several(all.end) } else { all.end };
            if self.is_letter(last) {
                return close(all.start..last);
            }
        }
        let apart =
            (meant == "." && is_closed).then(|| self.apart(if pairs > 0 { place.clone() } else { all })).flatten();
        apart.or_else(|| close(place).filter(|_| pairs > 0))
    }

    /// Extends `inside` by the brackets and backslashes on both sides, and by the blanks between these characters.
    fn with_sides(&self, inside: Range<usize>) -> Range<usize> {
        let before = count_back(&self.text[self.from..inside.start], |b| is_opener(b) || is_filler(b)).min(MAX_SIDE);
        let before = self.text[inside.start - before..inside.start].trim_ascii_start().len();
        let after = count(&self.text[inside.end..], |b| is_closer(b) || is_filler(b)).min(MAX_SIDE);
        let last = self.text[inside.end..inside.end + after].iter().rposition(|&byte| is_closer(byte));
        inside.start - before..inside.end + last.map_or(0, |last| last + 1)
    }

    /// Returns the end of a sequence of dots in brackets, such as `[.][dot]`, that begins at `at`. Returns `at` if no
    /// such sequence begins there. The whole sequence means a single dot, because a host never has an empty label.
    fn last_of_several(&self, at: usize) -> usize {
        let next = |at: &usize| {
            let (&bracket, after) = self.text[*at..].split_first().filter(|(bracket, _)| is_opener(**bracket))?;
            let inside = [".", "dot"].into_iter().find(|inside| starts_with(after, inside))?;
            (after.get(inside.len()) == Some(&closer(bracket))).then_some(at + inside.len() + 2)
        };
        std::iter::successors(Some(at), next).take(1 + MOST).last().unwrap_or(at)
    }

    /// Returns a mark that consists of the mark at `place` and the blanks around it, as in `a [.] example`. Returns
    /// `None` if there are no blanks, or if the text before and after the mark does not belong to one host (rule 6.4).
    fn apart(&self, place: Range<usize>) -> Option<Mark> {
        let before = count_back(&self.text[self.from..place.start], |b| b == b' ').min(MOST);
        let after = count(&self.text[place.end..], |b| b == b' ').min(MOST);
        let whole = place.start - before..place.end + after;
        if whole == place || !self.is_letter(whole.end) {
            return None;
        }
        let host = self.host(whole.start)?;
        let fit = if before > 0 { Fit::Apart } else { Fit::Loose };
        let fits = before > 0 || !host.dotted || self.is_loose(&host, whole.start);
        fits.then(|| Mark { place: whole, meant: ".".into(), fit })
    }

    /// Returns the mark that contains the dot at `dot`, if the dot is in a host and has brackets or a backslash.
    fn dot(&self, dot: Range<usize>) -> Option<Mark> {
        let place = self.with_sides(dot.clone());
        let fits = place != dot && self.is_letter(place.end) && self.host(place.start).is_some();
        fits.then(|| Mark { place, meant: ".".into(), fit: Fit::Close })
    }

    /// Returns the mark whose dot is at `at`, if the dot is in a host and has percent-encoded brackets.
    fn encoded(&self, at: usize) -> Option<Mark> {
        let start = at.checked_sub("%5b".len()).filter(|&start| start >= self.from)?;
        let place = start..start + ENCODED.len();
        let fits = starts_with(&self.text[start..], ENCODED) && self.is_letter(place.end) && self.host(start).is_some();
        fits.then(|| Mark { place, meant: ".".into(), fit: Fit::Close })
    }

    /// Returns a mark that has no hint, such as ` dot ` or `.]`. Such text is a mark only after an earlier mark in the
    /// same URL. The earlier mark ends at `from`. Between the two marks, only `://` and characters of a host are
    /// allowed.
    fn after_last(&self) -> Option<Mark> {
        self.last?;
        let slashes = count(&self.text[self.from..], |b| matches!(b, b':' | b'/')).min("://".len());
        let begin = self.from + slashes;
        let end = begin + count(&self.text[begin..], is_host).min(MAX_HOST);
        self.word(end).or_else(|| self.unhinted(begin, end))
    }

    /// Returns the mark ` dot ` at `start`.
    fn word(&self, start: usize) -> Option<Mark> {
        let before = count(&self.text[start..], |b| b == b' ').min(MOST);
        let end = start + before + "dot".len();
        if before == 0 || !starts_with(&self.text[start + before..], "dot") {
            return None;
        }
        let after = count(&self.text[end..], |b| b == b' ').min(MOST);
        let place = start..end + after;
        if after == 0 || !self.is_letter(place.end) {
            return None;
        }
        let host = self.host(start)?;
        (!host.dotted || self.is_loose(&host, start)).then(|| Mark { place, meant: ".".into(), fit: Fit::Loose })
    }

    /// Returns a mark, such as `.]` or `[ . ]`, at the end of the range `begin..end`. The text in this range is part of
    /// a host.
    fn unhinted(&self, begin: usize, end: usize) -> Option<Mark> {
        if self.text[begin..end].ends_with(b".") {
            return self.dot(end - 1..end);
        }
        let at = end + count(&self.text[end..], |b| is_opener(b) || is_filler(b)).min(MAX_SIDE);
        let dot = (self.text.get(at) == Some(&b'.')).then_some(at..at + 1)?;
        let place = self.with_sides(dot.clone());
        let is_closed = dot.start > place.start && dot.end < place.end;
        is_closed.then(|| self.dot(dot).or_else(|| self.apart(place))).flatten()
    }

    /// Whether the previous mark is [`Fit::Loose`], and only one host label is between the previous mark and `end`.
    fn is_loose(&self, host: &Host, end: usize) -> bool {
        let written = &self.text[self.from..end];
        self.last == Some(Fit::Loose) && host.len > written.len() && !written.contains(&b'.')
    }

    /// Returns the defanged scheme name, such as `hxxp`, whose last `x` is at `at`. Returns `None` if the name is part
    /// of a longer word.
    fn name(&self, at: usize) -> Option<Mark> {
        let text = self.text;
        NAMES.iter().find_map(|name| {
            let start = at.checked_sub(last_x(name)).filter(|&start| start >= self.from)?;
            let (bytes, after) = text[start..].split_at_checked(name.len())?;
            let is_name = bytes.eq_ignore_ascii_case(name.as_bytes())
                && after.first().is_some_and(|&after| AFTER_NAME.contains(&char::from(after)))
                && !text[..start].last().is_some_and(u8::is_ascii_alphanumeric);
            let place = start..start + name.len();
            is_name.then(|| Mark { place, meant: name.replace('x', "t").into(), fit: Fit::Close })
        })
    }

    /// Returns the beginning of a host: the text between `://` and `end`. Returns `None` if the text before `end` is
    /// not the beginning of a host, or does not end with a letter or digit. Reads at most about [`MAX_HOST`] bytes.
    fn host(&self, end: usize) -> Option<Host> {
        let mut back = self.text[self.from..end].iter().rev().chain(self.before.iter().rev()).copied();
        let mut host = Host { len: 0, dotted: false };
        loop {
            match back.next()? {
                b'/' if host.len > 0 => break,
                b'.' if host.len > 0 => host.dotted = true,
                byte if !is_host(byte) || byte == b'.' || host.len > MAX_HOST => return None,
                byte if host.len == 0 && !is_letter(byte) => return None,
                _ => {}
            }
            host.len += 1;
        }
        (back.next() == Some(b'/') && back.next() == Some(b':')).then_some(host)
    }

    fn is_letter(&self, at: usize) -> bool {
        self.text.get(at).is_some_and(|&byte| is_letter(byte))
    }
}

/// Whether `byte` is an ASCII letter or digit, or part of a non-ASCII character.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Whether `byte` can be in a host or in a user name before the host.
fn is_host(byte: u8) -> bool {
    is_letter(byte) || matches!(byte, b'-' | b'.' | b'_' | b'@')
}

pub(super) fn is_opener(byte: u8) -> bool {
    matches!(byte, b'[' | b'(' | b'{')
}

pub(super) fn is_closer(byte: u8) -> bool {
    matches!(byte, b']' | b')' | b'}')
}

/// Whether `byte` can be between a dot and its brackets.
fn is_filler(byte: u8) -> bool {
    matches!(byte, b'\\' | b' ')
}

fn closer(opener: u8) -> u8 {
    match opener {
        b'[' => b']',
        b'(' => b')',
        _ => b'}',
    }
}

fn starts_with(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes()))
}

/// Counts the bytes at the start of `text` that satisfy `of`. Stops after `MAX_HOST + 1` bytes.
fn count(text: &[u8], of: impl Fn(u8) -> bool) -> usize {
    text.iter().take(MAX_HOST + 1).take_while(|&&byte| of(byte)).count()
}

/// Counts the bytes at the end of `text` that satisfy `of`. Stops after [`MAX_SIDE`] bytes.
fn count_back(text: &[u8], of: impl Fn(u8) -> bool) -> usize {
    text.iter().rev().take(MAX_SIDE).take_while(|&&byte| of(byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hints_are_few_enough_for_simd() {
        assert!(HINTS.len() <= 32, "{}", HINTS.len());
    }

    proptest! {
        #[test]
        fn both_searches_find_the_same(text in r"[\[({\\.%5xXpPsS:/aAdD@ e-]{0,40}") {
            for from in 0..=text.len() {
                prop_assert_eq!(next_hint(text.as_bytes(), from), plain_hint(text.as_bytes(), from));
            }
        }
    }
}
