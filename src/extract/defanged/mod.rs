//! Restores defanged URLs, such as `hxxp://evil[.]example/`. A defanged URL was made harmless on purpose.
//!
//! There is no standard for defanging. The rules (RULES.md, section 6) follow the habits of people who report abuse.
//! The whole text is restored before it is scanned, so that brackets, line breaks and URL ends are treated as in any
//! other text. A URL that was already valid before the restoration is reported as written.

mod mark;
mod search;

use std::ops::Range;

use self::mark::{Fit, Mark, Text, is_closer, is_opener};
use crate::mail::{self, Joined, Prefilter};
use crate::trigger::TriggerIndex;

/// An opening bracket, percent-encoded by software that turns text into links.
const ENCODED: &[u8] = b"%5B";

/// Returns the prefilter for `message`. If `message` has no mark, unencoded text passes only if it has a trigger.
/// Decoded text always passes, because a mark in it may be visible only after decoding.
pub(super) fn prefilter<'w>(index: &'w mut TriggerIndex, message: &[u8]) -> Prefilter<'w> {
    // A soft line break of undeclared quoted-printable can split a mark.
    let hides = Text::is_any(message) || mail::may_be_quoted(message);
    let triggers = if hides { None } else { index.of(message) };
    Prefilter::new(triggers, &|bytes| (!bytes.is_empty()).then_some(0))
}

/// A text in which the defanged URLs have been restored.
pub(super) struct Refanged<'t> {
    /// The text before the restoration.
    written: &'t [u8],
    joined: Joined,
    marks: Vec<Restored>,
}

/// A mark that has been restored.
struct Restored {
    /// The range of the replacement in the restored text.
    place: Range<usize>,
    fit: Fit,
}

/// How a URL of the restored text was written originally.
enum Reading<'t> {
    /// The URL was not defanged.
    Same,
    /// The URL was defanged.
    Defanged,
    /// Only the blanks around a dot indicate that the URL was defanged. The variant contains the shorter URL, which
    /// ends at the blanks.
    Doubtful(&'t [u8]),
    /// The URL was defanged, but its host is probably incomplete, because the host may have a mark that no rule covers
    /// (rule 6.6).
    Unsure,
    /// As written, the URL is valid up to its path, or up to the blanks after a complete host. The marks are after the
    /// valid part, and the sender may have meant them literally.
    Sound,
}

impl<'t> Refanged<'t> {
    /// Restores `text`. Returns `None` if `text` has no marks. Takes linear time.
    pub(super) fn new(text: &'t [u8]) -> Option<Self> {
        let mut refanged = Refanged { written: text, joined: Joined::default(), marks: Vec::new() };
        while let Some(Mark { place, meant, fit }) = refanged.next() {
            refanged.joined.replace(text, place, meant.as_bytes());
            let end = refanged.joined.text.len();
            refanged.marks.push(Restored { place: end - meant.len()..end, fit });
        }
        refanged.joined.finish(text);
        (!refanged.marks.is_empty()).then_some(refanged)
    }

    /// Returns the first mark in the part of the text that is not restored yet.
    fn next(&self) -> Option<Mark> {
        let last = self.marks.last().map(|mark| mark.fit);
        Text { text: self.written, from: self.joined.kept, before: &self.joined.text, last }.mark()
    }

    /// Returns the offset in the restored text for the offset `raw` in the original text.
    fn offset(&self, raw: usize) -> usize {
        let index = self.joined.runs.partition_point(|run| run.raw as usize <= raw);
        let Some(run) = index.checked_sub(1).map(|index| self.joined.runs[index]) else { return 0 };
        let end = self.joined.runs.get(index).map_or(self.joined.text.len(), |next| next.text as usize);
        (run.text as usize + raw - run.raw as usize).min(end)
    }

    /// Decides how the URL at `span` of the restored text was written. The marks between the end of `span` and `after`
    /// also count, although they were trimmed off the URL.
    fn reading(&self, span: &Range<usize>, after: usize) -> Reading<'_> {
        let first = self.marks.partition_point(|mark| mark.place.end <= span.start);
        let Some(first) = self.marks.get(first).filter(|mark| mark.place.start < after) else { return Reading::Same };
        let before = &self.joined.text[span.start..first.place.start];
        match () {
            () if first.place.start > path(&self.joined.text, span) => Reading::Sound,
            () if first.place.start >= span.end => Reading::Same,
            () if first.fit == Fit::Close && self.is_unsure(first, span) => Reading::Unsure,
            () if first.fit == Fit::Close => Reading::Defanged,
            // The host has a dot before the blanks, so it can be complete.
            () if before.contains(&b'.') => Reading::Sound,
            () => Reading::Doubtful(before),
        }
    }

    /// Whether the host of the URL at `span` is probably incomplete. `first` is the first mark of the URL.
    ///
    /// A host is probably incomplete if it has two dots in a row. After a defanged scheme name, a host with brackets
    /// (plain or percent-encoded) is also probably incomplete. The same is true for a host without a dot, if the text
    /// after the host could be an unknown mark.
    fn is_unsure(&self, first: &Restored, span: &Range<usize>) -> bool {
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

/// Whether the text `after` a host begins with a bracket or backslash that could be part of a mark. A closing bracket
/// counts only before a letter or digit.
fn is_cut(after: &[u8]) -> bool {
    match after {
        [byte, ..] if is_opener(*byte) || *byte == b'\\' => true,
        [byte, next, ..] if is_closer(*byte) => next.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// Returns the offset of the path, query or fragment of the URL at `span`. Returns the end of the URL if it has no
/// path, query or fragment.
fn path(text: &[u8], span: &Range<usize>) -> usize {
    let url = &text[span.clone()];
    let colon = memchr::memchr(b':', url).map_or(0, |colon| colon + 1);
    let after = if url[colon..].starts_with(b"//") { colon + 2 } else { colon };
    let part = memchr::memchr3(b'/', b'?', b'#', &url[after..]);
    span.start + part.map_or(url.len(), |part| after + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defanged_urls_are_restored_and_mapped_back() {
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
            let refanged = Refanged::new(text.as_bytes()).expect("something to restore");
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
    fn texts_are_read_as_defanged_or_sound() {
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
