//! Bare URLs: where one stops and what is trimmed from its end (rules 2.2 and 2.3).

use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::dfa::{Automaton, dense};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use super::quote;
use super::trigger::known_scheme;

/// The most octets that a bare URL can have. A longer run of URL characters is no URL: encoded data mostly.
/// The bound is what lets a URL be found in a window of a text.
pub const MAX_BARE: usize = 64 << 10;

/// What stops it at once: white space, controls, `<`, `>`, `"` and backtick.
const STOP: &str = r#"[\x00-\x20\x7F<>"`]"#;

/// From the start of a bare URL to behind what stops it by rule 2.2, brackets and quotation marks not considered:
/// an entity residue (pattern 0, for it comes first where it comes at all), or one octet (pattern 1). Anchored, and no state before the end is a match state,
/// which is what makes a dense DFA run at full speed.
static EXTENT: LazyLock<dense::DFA<Vec<u32>>> = LazyLock::new(|| {
    let goes_on = STOP.replacen('[', "[^", 1);
    dense::Builder::new()
        .configure(dense::Config::new().start_kind(regex_automata::dfa::StartKind::Anchored))
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
        .build_many(&[format!("{goes_on}*?&(?i:gt|lt|quot);"), format!("{goes_on}*?{STOP}")])
        .expect("two constant patterns")
});

/// Where a bare URL ends, before trimming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The first octet that does not belong to it.
    pub(super) end: usize,
    /// Where it would end if text in a script without spaces belonged to it; `end` if there is none.
    pub(super) with_script: usize,
    /// Longer than [`MAX_BARE`].
    pub(super) overlong: bool,
    /// The brackets that are open at its end.
    pub(super) open: Brackets,
}

/// How many brackets a URL has opened and not closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Brackets {
    round: usize,
    square: usize,
}

/// How far the run of URL characters from `from` goes, brackets and quotation marks not considered; no further than
/// [`MAX_BARE`].
pub(super) fn run(text: &[u8], from: usize) -> usize {
    let limit = text.len().min(from + MAX_BARE);
    let input = Input::new(text).range(from..limit).anchored(Anchored::Yes);
    // The DFA has no quit octets, so there is no error.
    match EXTENT.try_search_fwd(&input) {
        Ok(Some(found)) if found.pattern().as_usize() == 1 => found.offset() - 1,
        Ok(Some(found)) => memchr::memrchr(b'&', &text[from..found.offset()]).map_or(limit, |i| from + i),
        _ => limit,
    }
}

/// How far the bare URL whose scheme starts at `start` goes on from `from`, when `open` brackets are open there.
///
/// Cost: its length, at most [`MAX_BARE`].
pub(super) fn extent(text: &[u8], start: usize, from: usize, open: Brackets) -> Extent {
    let end = run(text, from);
    let stop = stop(text, start, from..end, open);
    let overlong = end - from >= MAX_BARE && stop.end == end;
    Extent { overlong, ..stop }
}

/// The first place within `range` where rule 2.2 stops a bare URL.
fn stop(text: &[u8], start: usize, range: Range<usize>, mut open: Brackets) -> Extent {
    let quoted = start > 0 && text[start - 1] == b'\'';
    let mut before_script = None;
    let (mut at, end) = (range.start, range.end);
    while at < end {
        let goes_on = match text[at] {
            b'(' => {
                open.round += 1;
                true
            }
            b'[' => {
                open.square += 1;
                true
            }
            b')' => closes(&mut open.round),
            b']' => closes(&mut open.square),
            b'\'' => !quoted,
            b',' | b';' => !starts_scheme(text, at + 1, end),
            0x80.. => match script(&text[at..end]) {
                Script::Spaced(len) => {
                    at += len;
                    continue;
                }
                Script::Unspaced(len) => {
                    before_script.get_or_insert(at);
                    at += len;
                    continue;
                }
                Script::None => false,
            },
            _ => true,
        };
        if !goes_on {
            break;
        }
        at += 1;
    }
    Extent { end: before_script.unwrap_or(at), with_script: at, overlong: false, open }
}

/// Whether a closing bracket closes one of the `open` ones.
fn closes(open: &mut usize) -> bool {
    let closes = *open > 0;
    *open -= usize::from(closes);
    closes
}

/// Whether a known `scheme://` starts at `at`: URLs set side by side with commas.
fn starts_scheme(text: &[u8], at: usize, end: usize) -> bool {
    let name = text[at..end].iter().take(16).take_while(|b| super::trigger::is_scheme_octet(**b)).count();
    let colon = at + name;
    name > 0 && text[colon..end].starts_with(b"://") && known_scheme(text, colon).is_some_and(|s| s.name.len() == name)
}

enum Script {
    /// A character of a word in a script that puts spaces between words; its octets.
    Spaced(usize),
    /// One in a script that does not.
    Unspaced(usize),
    /// No character of a word, or no UTF-8.
    None,
}

/// Scripts without spaces: Thai and Lao, Tibetan, Myanmar, Hangul Jamo, Khmer, CJK radicals to Yi, Hangul, CJK
/// compatibility forms, halfwidth and fullwidth forms, the ideographic planes.
const UNSPACED: &[Range<u32>] = &[
    0x0E00..0x10A0,
    0x1100..0x1200,
    0x1780..0x1800,
    0x2E80..0xA4D0,
    0xAC00..0xD7B0,
    0xF900..0xFB00,
    0xFE30..0xFE50,
    0xFF00..0xFFF0,
    0x1_F000..0x1_F200,
    0x2_0000..0x4_0000,
];

/// Where the marks are that belong to the letter before them and are no letters to the standard library:
/// diacritics, points, vowel and tone signs, joiners, variation selectors. Without the dandas, which end sentences.
const MARKS: &[Range<u32>] = &[
    0x0300..0x0370,
    0x0483..0x048A,
    0x0591..0x05BE,
    0x05BF..0x05C0,
    0x05C1..0x05C3,
    0x0610..0x061B,
    0x064B..0x0660,
    0x06D6..0x06ED,
    0x0900..0x0964,
    0x0981..0x0DF4,
    0x0E31..0x0E3B,
    0x0E47..0x0E4F,
    0x0EB1..0x0ECE,
    0x0F71..0x0F85,
    0x102B..0x103F,
    0x17B4..0x17D4,
    0x1AB0..0x1B00,
    0x1DC0..0x1E00,
    0x200C..0x200E,
    0x20D0..0x20F1,
    0x3099..0x309B,
    0xFE00..0xFE10,
    0xFE20..0xFE30,
];

/// The character at the beginning of `text`, which is not ASCII.
fn script(text: &[u8]) -> Script {
    let Some(c) = text[..text.len().min(4)].utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()) else {
        return Script::None;
    };
    let within = |ranges: &[Range<u32>]| ranges.iter().any(|range| range.contains(&u32::from(c)));
    match c {
        c if !c.is_alphanumeric() && !within(MARKS) => Script::None,
        c if within(UNSPACED) => Script::Unspaced(c.len_utf8()),
        c => Script::Spaced(c.len_utf8()),
    }
}

/// Where the URL that starts at `start` and has its last piece in `piece`, the others being `before`, ends when what
/// is trimmed at the end (rule 2.3) is gone: an offset in `piece`.
///
/// Cost: what is trimmed, and where emphasis or a quotation may have been opened one line before.
pub(super) fn trim(text: &[u8], start: usize, before: &[u8], piece: Range<usize>) -> usize {
    let mut end = piece.end;
    while end > piece.start {
        let last = text[end - 1];
        let goes = match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'|' | b'\\' | b'^' | b'{' => true,
            b'}' => unbalanced_brace(before, &text[piece.start..end]),
            b'*' | b'_' => emphasis(text, start, last),
            b'\'' => quotation(text, start),
            _ => false,
        };
        if !goes {
            break;
        }
        end -= 1;
    }
    end
}

fn unbalanced_brace(before: &[u8], piece: &[u8]) -> bool {
    let count = |b| memchr::memchr_iter(b, before).count() + memchr::memchr_iter(b, piece).count();
    count(b'}') > count(b'{')
}

/// Whether emphasis by `mark` was opened directly before `start`, or earlier on its line at the start of a word.
fn emphasis(text: &[u8], start: usize, mark: u8) -> bool {
    let line = quote::line_start(text, start);
    opened(&text[line..start], mark)
}

/// Whether a quotation by `'` was opened on the line of `start` or the one before.
fn quotation(text: &[u8], start: usize) -> bool {
    let line = quote::line_start(text, start);
    let before = quote::line_start(text, line.saturating_sub(1));
    opened(&text[before..start], b'\'')
}

/// Whether `mark`, once or several times over, stands in `text` at the start of a word: no letter or digit before it,
/// and no blank behind it.
fn opened(text: &[u8], mark: u8) -> bool {
    memchr::memchr_iter(mark, text).any(|i| {
        let before = i.checked_sub(1).map(|j| text[j]);
        let behind = text[i..].iter().find(|b| **b != mark);
        before.is_none_or(|b| !b.is_ascii_alphanumeric() && b != mark)
            && behind.is_none_or(|b| !b.is_ascii_whitespace())
    })
}

#[cfg(test)]
mod tests {
    use super::{Brackets, extent, trim};

    /// The URL in `text`, which is marked by nothing but its scheme.
    fn url(text: &str) -> &str {
        let colon = text.find("://").expect("a URL");
        let start = text[..colon].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |i| i + 1);
        let found = extent(text.as_bytes(), start, colon + 1, Brackets::default());
        &text[start..trim(text.as_bytes(), start, b"", start..found.end)]
    }

    #[test]
    fn stops_and_trims() {
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
        ];
        for (text, want) in table {
            assert_eq!(url(text), want, "{text:?}");
        }
    }
}
