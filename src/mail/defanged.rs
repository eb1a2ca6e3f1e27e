//! URLs that were made harmless before they were passed on: `hxxp://evil[.]example/`.
//!
//! There is no standard; these are the habits of those who report abuse. The text is put right as a whole before it is
//! scanned, so that brackets, line breaks and ends are as with any other URL.

use std::ops::Range;

use super::map::{Map, Run};

/// What is written for what, longest first where one begins with another.
const MARKS: &[(&[u8], &[u8])] = &[
    (b"[://]", b"://"),
    (b"[:]", b":"),
    (b"[.]", b"."),
    (b"(.)", b"."),
    (b"{.}", b"."),
    (b"[dot]", b"."),
    (b"(dot)", b"."),
    (b"[/]", b"/"),
];

/// A text with all of that put right.
pub(crate) struct Refanged {
    text: Vec<u8>,
    runs: Vec<Run>,
    /// What was put right, in `text`.
    marks: Vec<Range<usize>>,
}

impl Refanged {
    /// Of `text`; `None` if nothing in it has to be. Linear.
    pub(crate) fn new(text: &[u8]) -> Option<Refanged> {
        let mut refanged = Refanged { text: Vec::new(), runs: Vec::new(), marks: Vec::new() };
        let (mut at, mut kept) = (0, 0);
        while at < text.len() {
            let Some((from, to)) = mark(&text[at..], at.checked_sub(1).map(|before| text[before])) else {
                at += 1;
                continue;
            };
            refanged.push(&text[kept..at], kept, at - kept);
            let start = refanged.text.len();
            refanged.push(&to, at, from);
            refanged.marks.push(start..refanged.text.len());
            at += from;
            kept = at;
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
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// From there to the text that it was.
    pub(crate) fn map(&self) -> Map<'_> {
        Map::runs(&self.runs, self.text.len())
    }

    /// Where the octets from `raw` on are in the text.
    pub(crate) fn offset(&self, raw: usize) -> usize {
        let index = self.runs.partition_point(|run| run.raw as usize <= raw);
        let Some(run) = index.checked_sub(1).map(|index| self.runs[index]) else { return 0 };
        let end = self.runs.get(index).map_or(self.text.len(), |next| next.text as usize);
        (run.text as usize + raw - run.raw as usize).min(end)
    }

    /// Whether any of `span` was put right.
    pub(crate) fn is_within(&self, span: &Range<usize>) -> bool {
        let next = self.marks.partition_point(|mark| mark.end <= span.start);
        self.marks.get(next).is_some_and(|mark| mark.start < span.end)
    }
}

/// What `text` begins with that stands for something else: its length, and what that is. `before` is the octet before.
fn mark(text: &[u8], before: Option<u8>) -> Option<(usize, Vec<u8>)> {
    match text[0] {
        b'[' | b'(' | b'{' => {
            let is_it = |(from, _): &&(&[u8], &[u8])| {
                text.get(..from.len()).is_some_and(|head| head.eq_ignore_ascii_case(from))
            };
            MARKS.iter().find(is_it).map(|(from, to)| (from.len(), to.to_vec()))
        }
        // `hxxp`, `hxxps` and `fxp` as schemes: each x is a t.
        b'h' | b'H' | b'f' | b'F' if !before.is_some_and(|octet| octet.is_ascii_alphanumeric()) => {
            let end = text.iter().take(6).position(|octet| !octet.is_ascii_alphabetic())?;
            let name = text[..end].to_ascii_lowercase();
            let is_scheme = matches!(&name[..], b"hxxp" | b"hxxps" | b"fxp") && matches!(text[end], b':' | b'[');
            is_scheme.then(|| (end, name.iter().map(|&octet| if octet == b'x' { b't' } else { octet }).collect()))
        }
        _ => None,
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
