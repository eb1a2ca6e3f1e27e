//! URLs that were made harmless before they were passed on: `hxxp://evil[.]example/`.
//!
//! There is no standard; these are the habits of those who report abuse: see section 6 of RULES.md. The text is put right
//! as a whole before it is scanned, so that brackets, line breaks and ends are as with any other URL; what was sound as
//! written is then taken as it was.

mod mark;
mod search;

use std::ops::Range;

use self::mark::{Fit, Mark, Text, is_closer, is_opener};
use crate::mail::{self, Joined, Prefilter};
use crate::trigger::TriggerIndex;

/// A bracket, as software writes it that makes links of what it takes for URLs.
const ENCODED: &[u8] = b"%5B";

/// What is of interest in `message`: where a URL could begin; anything, if one may be written in another way. The bytes as they
/// lie decide about that; what is encoded is looked at when it is decoded.
pub(super) fn prefilter<'w>(index: &'w mut TriggerIndex, message: &[u8]) -> Prefilter<'w> {
    // Where nothing is written in another way, and nothing can be that without saying so, a message is as any other.
    let hides = Text::is_any(message) || mail::may_be_quoted(message);
    let triggers = if hides { None } else { index.of(message) };
    Prefilter::new(triggers, &|bytes| (!bytes.is_empty()).then_some(0))
}

/// A text with all of that put right.
pub(super) struct Refanged<'t> {
    /// As it was written.
    written: &'t [u8],
    joined: Joined,
    marks: Vec<Righted>,
}

/// What was put right.
struct Righted {
    /// Where it is in the text now.
    place: Range<usize>,
    fit: Fit,
}

/// How a URL stood in the text as it was.
enum Reading<'t> {
    /// As it stands now.
    Same,
    /// Made harmless.
    Defanged,
    /// Made harmless by no more than blanks: it may as well have ended before them, as this.
    Doubtful(&'t [u8]),
    /// Made harmless, and maybe in one more way, that is not known: its host is hardly whole (rule 6.6).
    Unsure,
    /// Sound up to its path, or to blanks behind a whole host: what was put right is behind that, and may have been meant.
    Sound,
}

impl<'t> Refanged<'t> {
    /// Of `text`; `None` if nothing in it has to be. Linear.
    pub(super) fn new(text: &'t [u8]) -> Option<Self> {
        let mut refanged = Refanged { written: text, joined: Joined::default(), marks: Vec::new() };
        while let Some(Mark { place, meant, fit }) = refanged.next() {
            refanged.joined.replace(text, place, meant.as_bytes());
            let end = refanged.joined.text.len();
            refanged.marks.push(Righted { place: end - meant.len()..end, fit });
        }
        refanged.joined.finish(text);
        (!refanged.marks.is_empty()).then_some(refanged)
    }

    /// The next mark behind what was put right.
    fn next(&self) -> Option<Mark> {
        let last = self.marks.last().map(|mark| mark.fit);
        Text { text: self.written, from: self.joined.kept, before: &self.joined.text, last }.mark()
    }

    /// Where the bytes from `raw` on are in the text.
    fn offset(&self, raw: usize) -> usize {
        let index = self.joined.runs.partition_point(|run| run.raw as usize <= raw);
        let Some(run) = index.checked_sub(1).map(|index| self.joined.runs[index]) else { return 0 };
        let end = self.joined.runs.get(index).map_or(self.joined.text.len(), |next| next.text as usize);
        (run.text as usize + raw - run.raw as usize).min(end)
    }

    /// Whether anything was put right in the URL that is at `span` now or in what was trimmed off it, which ends at `behind`;
    /// and what that means.
    fn reading(&self, span: &Range<usize>, behind: usize) -> Reading<'_> {
        let first = self.marks.partition_point(|mark| mark.place.end <= span.start);
        let Some(first) = self.marks.get(first).filter(|mark| mark.place.start < behind) else { return Reading::Same };
        let before = &self.joined.text[span.start..first.place.start];
        match () {
            () if first.place.start > path(&self.joined.text, span) => Reading::Sound,
            () if first.place.start >= span.end => Reading::Same,
            () if first.fit == Fit::Close && self.is_unsure(first, span) => Reading::Unsure,
            () if first.fit == Fit::Close => Reading::Defanged,
            // A host with a dot needs no other.
            () if before.contains(&b'.') => Reading::Sound,
            () => Reading::Doubtful(before),
        }
    }

    /// Whether the URL at `span`, whose `first` mark it is, has what is hardly a host: two dots in a row; or if the mark is a
    /// name, brackets, encoded or not, or no dot and what could be one behind it.
    fn is_unsure(&self, first: &Righted, span: &Range<usize>) -> bool {
        let host = &self.joined.text[span.start..path(&self.joined.text, span)];
        let is_name = self.joined.text[first.place.start].is_ascii_alphabetic();
        let has_brackets = || {
            host.iter().any(|byte| matches!(byte, b'(' | b'{'))
                || host.windows(ENCODED.len()).any(|bytes| bytes.eq_ignore_ascii_case(ENCODED))
        };
        let is_cut = || host.len() == span.len() && !host.contains(&b'.') && is_cut(&self.joined.text[span.end..]);
        host.windows(2).any(|dots| dots == b"..") || (is_name && (has_brackets() || is_cut()))
    }
}

/// Whether what is `behind` a host could be a dot of it: a bracket, a backslash. A bracket that closes is one of the text
/// around, unless the host goes on.
fn is_cut(behind: &[u8]) -> bool {
    match behind {
        [byte, ..] if is_opener(*byte) || *byte == b'\\' => true,
        [byte, next, ..] if is_closer(*byte) => next.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// Where the path or query begins of the URL at `span`, or its end.
fn path(text: &[u8], span: &Range<usize>) -> usize {
    let url = &text[span.clone()];
    let colon = memchr::memchr(b':', url).map_or(0, |colon| colon + 1);
    let behind = if url[colon..].starts_with(b"//") { colon + 2 } else { colon };
    let part = memchr::memchr3(b'/', b'?', b'#', &url[behind..]);
    span.start + part.map_or(url.len(), |part| behind + part)
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
            ("hxxp://a[[.]]b[(dot)]example", "http://a.b.example"),
            ("hxxp://a [.] b  {dot}  example/", "http://a.b.example/"),
            ("hxxp://a[.b(.]c[[.]example/", "http://a.b.c.example/"),
            (r"http://a\.b\.example/", "http://a.b.example/"),
            (r"http://a\[.\]b\(\.\)c\{dot\}example/", "http://a.b.c.example/"),
            (r"hxxp://1\.)1[.1.)1/", "http://1.1.1.1/"),
            ("hxxp://a.]b.)c[.d.]example/", "http://a.b.c.d.example/"),
            ("http://a[. ]b(.  )example/", "http://a.b.example/"),
            ("hxxp://a[ . ]b [ . ] c[ [.] ]example/", "http://a.b.c.example/"),
            ("http://a%5B.%5Db%5b.%5dexample/", "http://a.b.example/"),
            ("http://a[.](.)b[.](dot)[.]example/", "http://a.b.example/"),
            ("hxxp://a dot b dot example/", "http://a.b.example/"),
            ("hxxp://a[.] b[.] example/", "http://a.b.example/"),
            ("mailto:joe[@]evil[.]example", "mailto:joe@evil.example"),
            ("hxxp://joe[at]evil[.]example/", "http://joe@evil.example/"),
        ];
        for (text, want) in table {
            let refanged = Refanged::new(text.as_bytes()).expect("something to put right");
            assert_eq!(String::from_utf8_lossy(&refanged.joined.text), want);
            let map = refanged.joined.map();
            assert_eq!(map.raw(0..want.len()), 0..text.len());
            for (at, byte) in want.bytes().enumerate() {
                let raw = map.raw(at..at + 1);
                assert!(
                    raw.len() > 1 || matches!(byte, b't') || text.as_bytes()[raw.start].eq_ignore_ascii_case(&byte)
                );
                assert!(refanged.offset(raw.start) <= at);
            }
        }
        let plain = [
            "",
            "http://example.org/",
            "hxxp is no scheme",
            "xhxxp://a/",
            "a[b]c",
            "hxx",
            "f",
            "http://{{.}}.example/",
            "http://a.example/[.",
            r"http://a.example/x\.y",
            "http://a dot b",
            "[. a",
            "http://a[. b",
            "http://a dot",
            "http://a.example.]Then",
            "http://a[ . ]b",
            "http://a.example/%5B.%5Dx",
            "http://a%5B.x",
            "http://a.%5D",
            r"http://a[.\n",
            "a[. ] b",
        ];
        for plain in plain {
            assert!(Refanged::new(plain.as_bytes()).is_none(), "{plain}");
        }
    }

    #[test]
    fn what_stood_there() {
        let table = [
            ("http://a.example/", "same"),
            ("hxxp://a.example/", "defanged"),
            ("hxxp://a [.] example/", "defanged"),
            ("http://a[.]b [.] example/", "defanged"),
            ("http://a [.] example/", "or http://a"),
            ("http://a.example [.] example/", "sound"),
            ("http://a [.]b[.]example/", "or http://a"),
            ("http://a.example[/]x", "defanged"),
            ("http://a.example/x[.]y", "sound"),
            ("http://a.example?x(dot)y", "sound"),
            ("mailto:a(dot)b@a.example", "defanged"),
            ("mailto:b@a.example?x(dot)y", "sound"),
            ("http://a[.].example/", "unsure"),
            ("hxxp://a%5B,%5Dexample/", "unsure"),
        ];
        for (text, want) in table {
            let written = [text.as_bytes(), b" [.]"].concat();
            let refanged = Refanged::new(&written).expect("one at least");
            let end = refanged.joined.text.len() - 2;
            let got = match refanged.reading(&(0..end), end) {
                Reading::Same => "same".to_string(),
                Reading::Defanged => "defanged".to_string(),
                Reading::Doubtful(url) => format!("or {}", String::from_utf8_lossy(url)),
                Reading::Unsure => "unsure".to_string(),
                Reading::Sound => "sound".to_string(),
            };
            assert_eq!(got, want, "{text}");
        }
    }
}
