//! URLs that were made harmless before they were passed on: `hxxp://evil[.]example/`.
//!
//! There is no standard; these are the habits of those who report abuse. The text is put right as a whole before it is
//! scanned, so that brackets, line breaks and ends are as with any other URL.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use crate::mail::{Map, Run};

/// What is written, case aside, and what for.
const MARKS: [(&str, &str); 8] = [
    ("[://]", "://"),
    ("[:]", ":"),
    ("[.]", "."),
    ("(.)", "."),
    ("{.}", "."),
    ("[dot]", "."),
    ("(dot)", "."),
    ("[/]", "/"),
];

/// Names of schemes, case aside: each x is a t.
const NAMES: [&str; 3] = ["hxxp", "hxxps", "fxp"];

/// What stands behind such a name, and tells it from a word.
const BEHIND_NAME: [char; 2] = [':', '['];

/// Finds what each of them has, in either case: the first two octets of what is in brackets, of names all from the last x on.
/// So short, they are found by SIMD.
static HINTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let brackets = MARKS.iter().map(|(written, _)| written[..2].to_string());
    let ends = NAMES.iter().map(|name| &name[last_x(name)..]);
    let names = ends.flat_map(|end| BEHIND_NAME.map(|behind| format!("{end}{behind}")));
    let hints = brackets.chain(names).flat_map(|hint| in_either_case(&hint));
    // Of the kinds of search, this one makes use of SIMD.
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(hints).expect("a few short words")
});

fn last_x(name: &str) -> usize {
    name.rfind('x').expect("each name has one")
}

/// A word with each of its letters in either case.
fn in_either_case(word: &str) -> Vec<String> {
    word.chars().fold(vec![String::new()], |words, letter| {
        let mut either = vec![letter.to_ascii_lowercase(), letter.to_ascii_uppercase()];
        either.dedup();
        either.iter().flat_map(|letter| words.iter().map(move |word| format!("{word}{letter}"))).collect()
    })
}

/// The first thing in `text` at or after `from` that stands for something else: where it is, and what for. Linear.
fn next(text: &[u8], from: usize) -> Option<(Range<usize>, Cow<'static, str>)> {
    let mut at = from;
    while let Some(hint) = HINTS.find(Input::new(text).range(at..)) {
        let found = bracketed(text, hint.start()).or_else(|| name(text, from, hint.start()));
        if found.is_some() {
            return found;
        }
        // Another may begin inside it.
        at = hint.start() + 1;
    }
    None
}

/// What is in brackets at `at`.
fn bracketed(text: &[u8], at: usize) -> Option<(Range<usize>, Cow<'static, str>)> {
    let is_at = |written: &str| {
        text.get(at..at + written.len()).is_some_and(|octets| octets.eq_ignore_ascii_case(written.as_bytes()))
    };
    let (written, meant) = MARKS.into_iter().find(|(written, _)| is_at(written))?;
    Some((at..at + written.len(), meant.into()))
}

/// The name whose last x is at `at`, and which begins at `from` at the earliest, where no other word goes on.
fn name(text: &[u8], from: usize, at: usize) -> Option<(Range<usize>, Cow<'static, str>)> {
    NAMES.iter().find_map(|name| {
        let start = at.checked_sub(last_x(name)).filter(|&start| start >= from)?;
        let (octets, behind) = text[start..].split_at_checked(name.len())?;
        let is_name = octets.eq_ignore_ascii_case(name.as_bytes())
            && behind.first().is_some_and(|&behind| BEHIND_NAME.contains(&char::from(behind)))
            && !text[..start].last().is_some_and(u8::is_ascii_alphanumeric);
        is_name.then(|| (start..start + name.len(), name.replace('x', "t").into()))
    })
}

/// Whether anything in `text` has to be put right.
pub(super) fn is_in(text: &[u8]) -> bool {
    next(text, 0).is_some()
}

/// A text with all of that put right.
pub(super) struct Refanged {
    text: Vec<u8>,
    runs: Vec<Run>,
    /// What was put right, in `text`.
    marks: Vec<Range<usize>>,
}

impl Refanged {
    /// Of `text`; `None` if nothing in it has to be. Linear.
    pub(super) fn new(text: &[u8]) -> Option<Refanged> {
        let mut refanged = Refanged { text: Vec::new(), runs: Vec::new(), marks: Vec::new() };
        let mut kept = 0;
        while let Some((mark, meant)) = next(text, kept) {
            refanged.push(&text[kept..mark.start], kept, mark.start - kept);
            let start = refanged.text.len();
            refanged.push(meant.as_bytes(), mark.start, mark.len());
            refanged.marks.push(start..refanged.text.len());
            kept = mark.end;
        }
        refanged.push(&text[kept..], kept, text.len() - kept);
        (!refanged.marks.is_empty()).then_some(refanged)
    }

    /// Adds what came from `len` octets at `raw`.
    fn push(&mut self, octets: &[u8], raw: usize, len: usize) {
        if !octets.is_empty() {
            // Messages are below 4 GiB.
            self.runs.push(Run { text: self.text.len() as u32, raw: raw as u32, len: len as u32 });
            self.text.extend_from_slice(octets);
        }
    }

    /// The text.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// From there to the text that it was.
    pub(super) fn map(&self) -> Map<'_> {
        Map::runs(&self.runs, self.text.len())
    }

    /// Where the octets from `raw` on are in the text.
    pub(super) fn offset(&self, raw: usize) -> usize {
        let index = self.runs.partition_point(|run| run.raw as usize <= raw);
        let Some(run) = index.checked_sub(1).map(|index| self.runs[index]) else { return 0 };
        let end = self.runs.get(index).map_or(self.text.len(), |next| next.text as usize);
        (run.text as usize + raw - run.raw as usize).min(end)
    }

    /// Whether any of `span` was put right.
    pub(super) fn is_within(&self, span: &Range<usize>) -> bool {
        let next = self.marks.partition_point(|mark| mark.end <= span.start);
        self.marks.get(next).is_some_and(|mark| mark.start < span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn put_right_and_led_back() {
        let table = [
            ("see hxxp://evil[.]example/a now", "see http://evil.example/a now"),
            ("HXXPS[:]//a(dot)b[DOT]example[/]x", "https://a.b.example/x"),
            ("fxp[://]ftp{.}example/", "ftp://ftp.example/"),
            ("http://evil(.)example/", "http://evil.example/"),
            ("exp[.]example", "exp.example"),
            ("fxp[.]example", "ftp.example"),
        ];
        for (text, want) in table {
            let refanged = Refanged::new(text.as_bytes()).expect("something to put right");
            assert_eq!(String::from_utf8_lossy(refanged.text()), want);
            let map = refanged.map();
            assert_eq!(map.raw(0..want.len()), 0..text.len());
            for (at, octet) in want.bytes().enumerate() {
                let raw = map.raw(at..at + 1);
                assert!(
                    raw.len() > 1 || matches!(octet, b't') || text.as_bytes()[raw.start].eq_ignore_ascii_case(&octet)
                );
                assert!(refanged.offset(raw.start) <= at);
            }
        }
        for plain in ["", "http://example.org/", "hxxp is no scheme", "xhxxp://a/", "a[b]c", "hxx", "f"] {
            assert!(Refanged::new(plain.as_bytes()).is_none(), "{plain}");
        }
        let refanged = Refanged::new(b"http://a.example/ http://b[.]example/").expect("one");
        assert!(!refanged.is_within(&(0..17)) && refanged.is_within(&(18..36)));
    }
}
