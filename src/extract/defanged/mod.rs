//! Restores defanged URLs, such as `hxxp://evil[.]example/`. People defang a URL so that nobody follows it by mistake.
//!
//! There is no standard for defanging. The rules (RULES.md, section 6) follow the habits of people who report abuse.
//! urlspool first restores the whole text, and then scans the restored text. So the scanner finds the ends of defanged
//! URLs by the same rules as the ends of other URLs. A URL that was already valid before the restoration is reported as
//! written.

mod mark;
mod search;

use std::ops::Range;

use self::mark::{Fit, Mark, Text, is_closer, is_opener};
use crate::mail::{self, Joined, Prefilter};
use crate::trigger::{Dots, TriggerIndex};

/// An opening bracket, percent-encoded by software that turns text into links.
const ENCODED: &[u8] = b"%5B";

/// Returns the prefilter for `message`. The prefilter selects the texts of the message that are searched. Decoded text
/// is always searched, because decoded text can have marks, such as `[.]`, that are not visible in `message`. Text that
/// needs no decoding is searched in two cases: if `message` has a mark, or if the text has a trigger (a colon that may
/// belong to a URL).
pub(super) fn prefilter<'w>(index: &'w mut TriggerIndex, message: &[u8], dots: Dots) -> Prefilter<'w> {
    // A message may be in quoted-printable although no header field declares this encoding. In such a message, a soft
    // line break can split a mark, and `is_any` does not find a split mark. So a message that may be in
    // quoted-printable is handled like a message with marks.
    let hides = Text::is_any(message) || mail::may_be_quoted(message);
    let triggers = if hides { None } else { index.of(message, dots) };
    Prefilter::new(triggers, &|bytes| (!bytes.is_empty()).then_some(0))
}

/// A text in which the marks of defanged URLs have been replaced by the text that they stand for.
pub(super) struct Refanged<'t> {
    /// The original text.
    written: &'t [u8],
    joined: Joined,
    marks: Vec<Restored>,
}

/// A mark, such as `[.]`, that has been replaced in the restored text.
struct Restored {
    /// The range of the replacement in the restored text.
    place: Range<usize>,
    fit: Fit,
}

/// How a URL in the restored text was written before the restoration.
enum Reading<'t> {
    /// The URL has no mark.
    Same,
    /// The URL was certainly defanged.
    Defanged,
    /// The first mark has a blank before or after it, as in `http://a [.] example/`. The URL may end before this mark.
    /// The field has the URL that ends there, here `http://a`.
    Doubtful(&'t [u8]),
    /// The URL was defanged, but its host is probably incomplete (rule 6.6). The host may contain a mark that no rule
    /// covers, or may end too early at such a mark.
    Unsure,
    /// The host is complete without the marks. One case is a mark in the path, query or fragment, as in
    /// `http://a.example/x[.]y`. The other case is a mark after a complete host and a blank, as in
    /// `http://a.example [.] b`. The sender may have meant the marks literally.
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

    fn next(&self) -> Option<Mark> {
        let last = self.marks.last().map(|mark| mark.fit);
        Text { text: self.written, from: self.joined.kept, before: &self.joined.text, last }.mark()
    }

    /// Converts the offset `raw` in the original text to an offset in the restored text.
    fn offset(&self, raw: usize) -> usize {
        let index = self.joined.runs.partition_point(|run| run.raw as usize <= raw);
        let Some(run) = index.checked_sub(1).map(|index| self.joined.runs[index]) else { return 0 };
        let end = self.joined.runs.get(index).map_or(self.joined.text.len(), |next| next.text as usize);
        (run.text as usize + raw - run.raw as usize).min(end)
    }

    /// Returns how the URL at `span` of the restored text was written. The text from the end of `span` to `after` is
    /// punctuation that the scanner trimmed from the URL. Marks in that punctuation also count.
    fn reading(&self, span: &Range<usize>, after: usize) -> Reading<'_> {
        let first = self.marks.partition_point(|mark| mark.place.end <= span.start);
        let Some(first) = self.marks.get(first).filter(|mark| mark.place.start < after) else { return Reading::Same };
        let before = &self.joined.text[span.start..first.place.start];
        match () {
            () if first.place.start > path(&self.joined.text, span) => Reading::Sound,
            () if first.place.start >= span.end => Reading::Same,
            () if first.fit == Fit::Close && self.is_unsure(first, span) => Reading::Unsure,
            () if first.fit == Fit::Close => Reading::Defanged,
            // There is a blank next to the mark, so the mark may belong to the sentence around the URL. The host before
            // the mark has a dot, so the host can be complete without the mark.
            () if before.contains(&b'.') => Reading::Sound,
            () => Reading::Doubtful(before),
        }
    }

    /// Whether the host of the URL at `span` is probably incomplete (rule 6.6). `first` is the first mark of the URL.
    ///
    /// A host with two dots in a row is probably incomplete. If the scheme name was defanged, the host is also probably
    /// incomplete in two other cases:
    ///
    /// - The host has an opening parenthesis, an opening brace or `%5B`.
    /// - The host has no dot, and the text after the host could be an unknown mark.
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

/// Whether `after`, the text after a host, begins with a bracket or backslash that could belong to a mark. A closing
/// bracket counts only if a letter or digit follows it.
fn is_cut(after: &[u8]) -> bool {
    match after {
        [byte, ..] if is_opener(*byte) || *byte == b'\\' => true,
        [byte, next, ..] if is_closer(*byte) => next.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// Returns the offset in `text` at which the host of the URL at `span` ends. There, the path, query or fragment begins,
/// or the URL ends.
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
            ("mailto:joe[[at]]evil[[.]]example", "mailto:joe@evil.example"),
            ("hxxp://a [[.]] example/", "http://a.example/"),
            // The full stop of a sentence, after a dot that has a blank before it.
            ("hxxp://a [.] example[.] Then", "http://a.example. Then"),
            ("[hxxp://intranet .] Then", "[http://intranet .] Then"),
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
            "http://[.example/",
            r"http://a.example?x\.y",
            // A host has at most 255 bytes.
            &format!(r"http://{}a\.example/", "a.".repeat(200)),
        ];
        for plain in plain {
            assert!(Refanged::new(plain.as_bytes()).is_none() && !Text::is_any(plain.as_bytes()), "{plain}");
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
