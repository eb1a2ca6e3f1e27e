//! Reads a URL again in the charset of its MIME part, if it has bytes that are not UTF-8. Charsets such as ISO 8859-1,
//! KOI8-R, GBK and Shift_JIS mean ASCII characters by ASCII bytes, so only such URLs must be decoded.

use std::ops::Range;

use encoding_rs::Encoding;

use crate::hit::RegionContext;
use crate::mail;
use crate::scan::{Candidate, Reason, Scanner};

/// Maximum number of bytes to decode, from the beginning of a URL.
const MOST: usize = 1024;

/// How far the URLs of a text were read again.
#[derive(Default)]
pub(super) struct Progress {
    /// The end of the last URL that was longer in the charset of the part. URLs in it are not reported.
    pub(super) end: usize,
    /// The number of bytes that were decoded.
    pub(super) decoded: usize,
}

impl Progress {
    /// Whether a URL at `start` may be read again. Each URL is decoded up to the next blank or mark, so only text in
    /// which each URL leads to the next one reaches this limit. It bounds the time for such text.
    pub(super) fn may_read(&self, start: usize) -> bool {
        self.decoded < 16 * (MOST + start)
    }
}

/// A URL in the text of a part, read again.
pub(super) struct Again<'r> {
    /// The bytes of the part that were decoded.
    pub(super) raw: &'r [u8],
    /// The decoded text. A URL is at its beginning, perhaps after a bracket.
    text: String,
    /// The length of the bracket.
    before: usize,
    /// The place of `text` in the part.
    start: usize,
    encoding: &'static Encoding,
    /// Whether the URL is also UTF-8, so that perhaps the declared charset is wrong.
    is_utf8: bool,
}

impl<'r> Again<'r> {
    /// Decodes the text of `candidate` and what follows it. Returns `None` if the part declares no such charset, or if
    /// the URL has no bytes that need it.
    #[cold]
    pub(super) fn read(candidate: &Candidate<'_>, in_region: &RegionContext<'r>) -> Option<Again<'r>> {
        let text = in_region.text;
        let is_cut = candidate.is_before_byte() && candidate.is_cut_by_byte();
        let is_utf8 = !is_cut && str::from_utf8(candidate.text()).is_ok();
        if is_utf8 && !is_pairs(&text[candidate.span().start..]) {
            return None;
        }
        let encoding = mail::legacy_charset(in_region.media)?;
        if is_utf8 && encoding.is_single_byte() {
            return None;
        }
        let before = &text[..candidate.span().start];
        let bracket = [b"<URL:".as_slice(), b"<"].into_iter().find(|bracket| {
            before.len().checked_sub(bracket.len()).is_some_and(|at| before[at..].eq_ignore_ascii_case(bracket))
        });
        let before = bracket.map_or(0, <[u8]>::len);
        let start = candidate.span().start - before;
        let raw = &text[start..text.len().min(start + MOST)];
        // A URL without brackets ends at a blank, a quotation mark or a bracket. No character of these charsets has such
        // a byte.
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"<>".contains(byte);
        let ends = |byte: &u8| if before > 0 { *byte == b'>' } else { is_end(byte) };
        let raw = &raw[..raw.iter().position(ends).map_or(raw.len(), |end| end + 1)];
        let (text, _) = encoding.decode_without_bom_handling(raw);
        Some(Again { raw, text: text.into_owned(), before, start, encoding, is_utf8 })
    }

    /// Returns the URL in the decoded text, and its place in the part.
    pub(super) fn candidate(&self) -> Option<(Candidate<'_>, Range<usize>)> {
        let scanner = Scanner::new().join(None);
        let found = scanner.find_iter(self.text.as_bytes()).next()?;
        if found.span().start != self.before {
            return None;
        }
        let end = self.stored(found.span().end);
        Some((found, self.start + self.before..self.start + end))
    }

    /// Returns the number of bytes that the first `decoded` bytes of the text are decoded from. The bytes are decoded
    /// again, one at a time, because some characters of Big5 cannot be encoded.
    fn stored(&self, decoded: usize) -> usize {
        let mut decoder = self.encoding.new_decoder_without_bom_handling();
        let (mut made, mut out) = (0, [0; 16]);
        let mut ends = self.raw.iter().map(|&byte| {
            made += decoder.decode_to_utf8(&[byte], &mut out, false).2;
            made
        });
        ends.position(|made| made >= decoded).map_or(self.raw.len(), |last| last + 1)
    }

    /// Whether the decoded text is what the author wrote, and not text in another charset than the declared one. In a
    /// Latin charset, text of another script has many letters outside ASCII in a row.
    pub(super) fn is_sure(&self, candidate: &Candidate<'_>) -> bool {
        const LATIN: &[&str] =
            &["windows-1250", "windows-1252", "windows-1254", "windows-1257", "ISO-8859", "macintosh"];
        let is_latin = LATIN.iter().any(|name| self.encoding.name().starts_with(name));
        let foreign = |text: &[u8]| text.iter().all(|byte| !byte.is_ascii());
        // Two letters of two bytes each.
        !self.is_utf8 && (!is_latin || self.before > 0 || !candidate.text().windows(5).any(foreign))
    }
}

/// Whether the first run of bytes outside ASCII in `url` has only characters of two bytes in UTF-8. Chinese, Japanese and
/// Korean text in their own charsets can look like this, but in UTF-8 their characters have three bytes.
fn is_pairs(url: &[u8]) -> bool {
    let start = url.iter().position(|byte| !byte.is_ascii()).unwrap_or(url.len());
    let run = url[start..].iter().take_while(|byte| !byte.is_ascii()).count();
    let (pairs, rest) = url[start..start + run].as_chunks();
    run > 0 && rest.is_empty() && pairs.iter().all(|pair| matches!(pair, [0xC2..=0xDF, 0x80..=0xBF]))
}

/// Returns `candidate` with the reading in the charset of the part as an alternative, if that is longer (rule 2.2).
pub(super) fn with_alternative<'h>(candidate: &Candidate<'h>, longer: &Candidate<'_>) -> Option<Box<Candidate<'h>>> {
    let continues = longer.text().len() > candidate.text().len();
    continues.then(|| Box::new(candidate.clone().or(longer.text(), Reason::Script).in_doubt(Reason::Script)))
}

#[cfg(test)]
mod tests {
    use crate::Extractor;

    /// Returns the URL, and its alternative, in a part with the given type and bytes.
    fn read(content_type: &str, text: &[u8]) -> Vec<String> {
        let head = format!("Content-Type: {content_type}\nContent-Transfer-Encoding: 8bit\n\n");
        let message = [head.as_bytes(), text, b"\n"].concat();
        let hits = Extractor::new().message(&message);
        let [hit] = hits.as_slice() else { return hits.iter().map(|hit| hit.url().to_string()).collect() };
        let place = hit.offset() as usize - head.len()..hit.offset() as usize - head.len() + hit.length() as usize;
        assert!(text[place.clone()].starts_with(b"http://") && !text[place].contains(&b'>'), "{}", text.escape_ascii());
        let others = hit.alternatives().iter().map(|other| String::from_utf8_lossy(&other.url).into_owned());
        std::iter::once(hit.url().to_string()).chain(others).collect()
    }

    #[test]
    fn urls_are_read_in_the_charset_of_their_part() {
        let table: &[(&str, &[u8], &[&str])] = &[
            (
                "text/plain; charset=windows-1251",
                b"\xD1 http://\xEF\xF0\xE8.\xF0\xF4/\xEF x",
                &["http://\u{43f}\u{440}\u{438}.\u{440}\u{444}/\u{43f}"],
            ),
            (
                "text/plain; charset=windows-1252",
                b"<http://a.example/caf\xE9/m.html> x",
                &["http://a.example/caf\u{e9}/m.html"],
            ),
            (
                "text/plain; charset=iso-8859-1",
                b"http://a.example/caf\xE9/m.html x",
                &["http://a.example/caf\u{e9}/m.html"],
            ),
            // Perhaps GBK, with a wrong label.
            (
                "text/plain; charset=iso-8859-1",
                b"http://a.example/\xD6\xD0\xCE\xC4 x",
                &["http://a.example/", "http://a.example/\u{d6}\u{d0}\u{ce}\u{c4}"],
            ),
            // An encoder does not write all the characters that a decoder of Big5 reads.
            ("text/plain; charset=big5", b"<http://\xA1c\x9Bl>", &["http://\u{fe37}\u{23033}"]),
            ("text/plain; charset=gb2312", b"http://a.example/\xA3\xAC\xBA\xC3", &["http://a.example/"]),
            ("text/plain", b"http://a.example/caf\xE9 x", &["http://a.example/caf"]),
            (
                "text/html; charset=gb2312",
                b"<a href='http://a.example/\xD6\xD0.htm'>",
                &["http://a.example/\u{4e2d}.htm"],
            ),
            // These bytes are also UTF-8, but for letters that are rarely mixed with Chinese.
            (
                "text/plain; charset=gb2312",
                b"http://a.example/\xD1\xA7\xD0\xA3/a.html x",
                &["http://a.example/\u{467}\u{423}/a.html", "http://a.example/\u{5b66}\u{6821}/a.html"],
            ),
            (
                "text/plain; charset=gb2312",
                b"http://a.example/\xC2\xB7/a x",
                &["http://a.example/", "http://a.example/\u{b7}/a", "http://a.example/\u{8def}/a"],
            ),
            (
                "text/plain; charset=gb2312",
                b"http://a.example/\xE5\xAD\xA6/a x",
                &["http://a.example/\u{5b66}/a", "http://a.example/"],
            ),
            // A name of Windows for EUC-KR.
            (
                "text/plain; charset=CP949",
                b"http://a.example/\xC7\xD1/x",
                &["http://a.example/\u{d55c}/x", "http://a.example/"],
            ),
            // Browsers encode the query in the charset of the document. The second byte of this character is `\\`.
            (
                "text/html; charset=shift_jis",
                b"<a href='http://a.example/\x83A?q=\x83\\'>",
                &["http://a.example/\u{30a2}?q=%83\\"],
            ),
            (
                "text/html",
                b"<meta charset=windows-1251><a href='http://a.example/\xEF'>",
                &["http://a.example/\u{43f}"],
            ),
            ("text/html", b"<a href='http://a.example/\xEF'>", &["http://a.example/%C3%AF"]),
            // At the beginning of a part, too.
            ("text/html; charset=shift_jis", b"\x81Fhttp://a.example/", &["http://a.example/"]),
        ];
        for (content_type, text, want) in table {
            assert_eq!(read(content_type, text), *want, "{content_type}: {}", text.escape_ascii());
        }
    }

    /// Each URL of a long list is decoded. Of URLs that lead to the next one, only the whole is reported.
    #[test]
    fn lists_and_runs_of_urls() {
        let (head, site) =
            ("Content-Type: text/plain; charset=windows-1251\n\n", b"http://\xF1\xE0\xE9\xF2.\xF0\xF4\n");
        let hits = Extractor::new().message(&[head.as_bytes(), &site.repeat(500)].concat());
        assert_eq!(hits.len(), 500);
        let quoted = [&b"\"http://"[..], b"\xF1\xE0\xE9\xF2.\xF0\xF4\","].concat().repeat(500);
        assert_eq!(Extractor::new().message(&[head.as_bytes(), &quoted].concat()).len(), 500);
        assert!(
            hits.iter()
                .all(|hit| hit.url().as_bytes() == "http://\u{441}\u{430}\u{439}\u{442}.\u{440}\u{444}".as_bytes())
        );
        for charset in ["iso-8859-1", "koi8-r", "gb18030"] {
            let head = head.replace("windows-1251", charset);
            let run = b"http://a.example/\xE9".repeat(2000);
            let hits = Extractor::new().message(&[head.as_bytes(), &run].concat());
            let length: usize = hits.iter().map(|hit| hit.url().as_bytes().len()).sum();
            assert!(length > run.len() / 2 && length < 3 * run.len(), "{charset}: {length} bytes");
        }
    }
}
