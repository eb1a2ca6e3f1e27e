//! Trims punctuation from the end of bare URLs (rule 2.3).

use core::ops::Range;

use super::bare::{is_hz, is_in_host, may_end, symbol};
use super::emphasis::{self, EmphasisState};
use super::rejoin::heuristics::extension;

/// Returns the end of the trimmed URL as an offset in `text` (rule 2.3). The URL starts at `start`. `piece` is the last
/// piece of the URL, and `before` is the text of the earlier pieces.
///
/// Reads the whole URL at most a few times, even if many bytes are trimmed. To find emphasis, also reads the parts of
/// the URL's line and of the previous line that `marks` has not searched yet.
pub(super) fn trim(text: &[u8], start: usize, before: &[u8], piece: Range<usize>, marks: &mut EmphasisState) -> usize {
    // Fast path for nearly all URLs, which have nothing to trim. The processor often mispredicts the branches below, so
    // this single condition is faster.
    if let [.., before, last] = text[piece.clone()]
        && may_end(last)
        && !matches!(before, b'\\' | b'\'' | b'*' | b'^')
    {
        return piece.end;
    }
    let mut end = piece.end;
    let mut surplus = None;
    let mut emphasis = [None; emphasis::MARKS.len()];
    let (mut genitive, mut in_host) = (false, false);
    while end > piece.start {
        let last = text[end - 1];
        let goes = match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'|' | b'\\' | b'^' | b'{' => true,
            b'}' => {
                let surplus = surplus.get_or_insert_with(|| closing_surplus(before, &text[piece.start..end]));
                *surplus > 0
            }
            _ => match emphasis::MARKS.iter().position(|mark| *mark == last) {
                Some(mark) => *emphasis[mark].get_or_insert_with(|| marks.opened(text, start, mark)),
                None => false,
            },
        };
        if !goes {
            let mut more = surplus_end(text, start, piece.start..end);
            if more == 0 && !genitive {
                more = genitive_end(text, start, piece.start..end);
            }
            if more == 0 && matches!(last, b'*' | b'\'' | b'-' | b'_') && piece.start == start {
                // Once `is_in_host` has returned true, it would also return true for the trimmed URL, so it is not
                // called again.
                in_host = in_host || is_in_host(&text[start..end]);
                more = usize::from(in_host);
            }
            if more == 0 {
                break;
            }
            genitive |= last == b's';
            end -= more;
            continue;
        }
        match (last, &mut surplus) {
            (b'}', Some(surplus)) => *surplus -= 1,
            (b'{', Some(surplus)) => *surplus += 1,
            _ => {}
        }
        end -= 1;
    }
    end
}

/// A ruler, such as `-----`, has at least this number of equal marks (rule 2.3a).
const RULER: usize = 4;

/// Returns how many bytes to trim at once from the end of `piece`, the last piece of the URL that starts at `start`
/// (rule 2.3a). These bytes are one of the following:
///
/// - a ruler
/// - a run of marks such as `**`, if two of these marks are also directly before the URL
/// - the `--` of `-->`, and the `*/` that ends a comment in C, if `/*` is directly before the URL
/// - the `^M` of a carriage return at the end of a line
/// - the eyes of a smiley, as in `:-)`
/// - an escape such as `\n`
/// - the `~` that begins text in HZ
/// - an invisible character
fn surplus_end(text: &[u8], start: usize, piece: Range<usize>) -> usize {
    let url = &text[piece.clone()];
    match url {
        [.., b'-', b'-'] if text.get(piece.end) == Some(&b'>') => 2,
        [.., b':' | b';', b'-'] if text.get(piece.end) == Some(&b')') => 2,
        [.., b'*', b'/'] if text[..start].ends_with(b"/*") => 2,
        [.., b'^', b'M'] if matches!(text.get(piece.end), None | Some(b'\r' | b'\n')) => 2,
        [.., mark @ (b'-' | b'=' | b'_' | b'~' | b'+' | b'*' | b'#'), last] if mark == last => {
            let run = url.iter().rev().take_while(|b| *b == mark).count();
            let framed = text[..start].ends_with(&[*mark; 2]);
            if run >= RULER || framed { run } else { 0 }
        }
        [.., b'\\', b'n' | b'r' | b't'] => 2,
        [.., b'~'] if is_hz(&text[piece.end - 1..]) => 1,
        _ => joiner(url),
    }
}

/// Returns the length, in bytes, of the invisible character at the end of `url`, such as a joiner or a variation
/// selector, or 0. Newsletters pad lines with these characters.
fn joiner(url: &[u8]) -> usize {
    match url {
        [before @ .., 0xEF, 0xB8, 0x80..=0x8F] if symbol(&before[before.len().saturating_sub(3)..]) => 0,
        [.., 0xE2, 0x80, 0x8B..=0x8D] | [.., 0xE2, 0x81, 0xA0] | [.., 0xEF, 0xB8, 0x80..=0x8F] => 3,
        [.., 0xEF, 0xBB, 0xBF] => 3,
        [.., 0xCD, 0x8F] | [.., 0xC2, 0xAD] => 2,
        _ => 0,
    }
}

/// Returns the length of a genitive `'s` at the end of `piece`, or 0. The `'s` must follow a slash, a host or a file. The
/// URL starts at `start`.
fn genitive_end(text: &[u8], start: usize, piece: Range<usize>) -> usize {
    match &text[piece.clone()] {
        [.., b'/', b'\'', b's'] => 2,
        [name @ .., b'\'', b's'] if piece.start == start && (is_in_host(name) || extension(name).is_some()) => 2,
        _ => 0,
    }
}

/// Returns the number of `}` minus the number of `{` in the URL, which consists of `before` and `piece`.
fn closing_surplus(before: &[u8], piece: &[u8]) -> isize {
    let count = |b| (memchr::memchr_iter(b, before).count() + memchr::memchr_iter(b, piece).count()) as isize;
    count(b'}') - count(b'{')
}

#[cfg(test)]
mod tests {
    use super::{EmphasisState, trim};
    use crate::scan::bare::{Brackets, extent};

    fn url(text: &str) -> &str {
        let colon = text.find("://").expect("a URL");
        let start = text[..colon].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |i| i + 1);
        let found = extent(text.as_bytes(), start, colon + 1, Brackets::default());
        &text[start..trim(text.as_bytes(), start, b"", start..found.end, &mut EmphasisState::default())]
    }

    #[test]
    fn punctuation_is_trimmed() {
        let table = [
            ("http://a.example/b", "http://a.example/b"),
            ("x http://a.example/b. Y", "http://a.example/b"),
            ("http://a.example/b...!?", "http://a.example/b"),
            ("(http://a.example/b)", "http://a.example/b"),
            ("http://a.example/(b)", "http://a.example/(b)"),
            ("(http://a.example/(b))", "http://a.example/(b)"),
            ("[http://a.example/b]c", "http://a.example/b"),
            ("'http://a.example/b'c", "http://a.example/b"),
            ("http://a.example/b'c", "http://a.example/b'c"),
            ("*http://a.example/b*", "http://a.example/b"),
            ("http://a.example/b*", "http://a.example/b*"),
            ("_see http://a.example/b_", "http://a.example/b"),
            ("http://a.example/b&gt; c", "http://a.example/b"),
            ("http://a.example/?b&gt=c", "http://a.example/?b&gt=c"),
            ("http://a.example/?a&b&lt;c&gt;", "http://a.example/?a&b"),
            ("http://a.example/{b}", "http://a.example/{b}"),
            ("{http://a.example/b}", "http://a.example/b"),
            ("http://a.example/b|", "http://a.example/b"),
            ("http://a.example/b~", "http://a.example/b~"),
            ("http://a.example/b,http://c.example/", "http://a.example/b"),
            ("http://a.example/b,c", "http://a.example/b,c"),
            ("http://a.example/caf\u{e9}", "http://a.example/caf\u{e9}"),
            ("http://a.example/b\u{3092}", "http://a.example/b"),
            ("http://a.example/b\u{201d}", "http://a.example/b"),
            ("'see http://a.example/b'", "http://a.example/b"),
            ("http://a.example*", "http://a.example"),
            ("http://a.example-_'", "http://a.example"),
            ("http://a.example:80-.-", "http://a.example:80"),
            ("http://a.example-?-", "http://a.example-?-"),
        ];
        for (text, want) in table {
            assert_eq!(url(text), want, "{text:?}");
        }
    }
}
