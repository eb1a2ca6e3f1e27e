//! Bare URLs: what is trimmed from the end (rule 2.3).

use core::ops::Range;

use super::bare::{is_in_host, may_end};
use super::emphasis::{self, EmphasisState};

/// Returns where the URL that starts at `start` ends after trimming (rule 2.3), as an offset in `piece`. `piece` is its
/// last piece, `before` has the others.
///
/// Costs the trimmed bytes, the whole URL once if that has braces, and the part of the line that `marks` has not seen
/// yet.
pub(super) fn trim(text: &[u8], start: usize, before: &[u8], piece: Range<usize>, marks: &mut EmphasisState) -> usize {
    // Nearly every URL ends in bytes that are not trimmed. One branch checks for that, because which condition holds is
    // not predictable.
    if let [.., before, last] = text[piece.clone()]
        && may_end(last)
        && !matches!(before, b'\\' | b'\'')
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
                // If the end of a host is trimmed, the rest still ends in the host. So the URL is checked once only.
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

/// A run of this many equal marks is a ruler.
const RULER: usize = 4;

/// Returns how many bytes to trim at the end of `piece`, the last piece of the URL that starts at `start`, if several
/// are trimmed at once. They are a ruler, marks that are also before the URL, the end of a comment, a line break as
/// programs write it, or invisible characters.
fn surplus_end(text: &[u8], start: usize, piece: Range<usize>) -> usize {
    let url = &text[piece.clone()];
    match url {
        [.., b'-', b'-'] if text.get(piece.end) == Some(&b'>') => 2,
        [.., mark @ (b'-' | b'=' | b'_' | b'~' | b'+' | b'*' | b'#'), last] if mark == last => {
            let run = url.iter().rev().take_while(|b| *b == mark).count();
            let framed = text[..start].ends_with(&[*mark; 2]);
            if run >= RULER || framed { run } else { 0 }
        }
        [.., b'\\', b'n' | b'r' | b't'] => 2,
        _ => joiner(url),
    }
}

/// Returns the length of the joiner or variation selector at the end of `url`. It is invisible there, and newsletters
/// fill lines with it.
fn joiner(url: &[u8]) -> usize {
    match url {
        [.., 0xE2, 0x80, 0x8C | 0x8D] | [.., 0xEF, 0xB8, 0x80..=0x8F] => 3,
        [.., 0xCD, 0x8F] => 2,
        _ => 0,
    }
}

/// Returns the length of the genitive at the end of `piece`, after the host or a slash of the URL that starts at
/// `start`. It reads the host, and so at most once for each URL.
fn genitive_end(text: &[u8], start: usize, piece: Range<usize>) -> usize {
    match &text[piece.clone()] {
        [.., b'/', b'\'', b's'] => 2,
        [name @ .., b'\'', b's'] if piece.start == start && is_in_host(name) => 2,
        _ => 0,
    }
}

/// Returns how many more braces close than open.
fn closing_surplus(before: &[u8], piece: &[u8]) -> isize {
    let count = |b| (memchr::memchr_iter(b, before).count() + memchr::memchr_iter(b, piece).count()) as isize;
    count(b'}') - count(b'{')
}

#[cfg(test)]
mod tests {
    use super::{EmphasisState, trim};
    use crate::scan::bare::{Brackets, extent};

    /// Returns the URL in `text`, which only its scheme marks.
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
