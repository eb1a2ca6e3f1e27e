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

/// What goes on: everything but white space, controls, `<`, `>`, `"` and backtick.
const GOES_ON: &str = r#"[^\x00-\x20\x7F<>"`]"#;

/// The extent of a bare URL, anchored at its start. Pattern 0 ends behind the first entity residue of rule 2.2,
/// if there is one before the URL's end; pattern 1 ends where the URL's characters end.
static EXTENT: LazyLock<dense::DFA<Vec<u32>>> = LazyLock::new(|| {
    let residue = format!("{GOES_ON}*?&(?i:gt|lt|quot);");
    let run = format!("{GOES_ON}*");
    dense::Builder::new()
        .configure(dense::Config::new().start_kind(regex_automata::dfa::StartKind::Anchored))
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
        .build_many(&[residue, run])
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
}

/// How far the run of URL characters from `from` goes, brackets and quotation marks not considered.
pub(super) fn run(text: &[u8], from: usize) -> usize {
    let input = Input::new(text).range(from..text.len().min(from + MAX_BARE)).anchored(Anchored::Yes);
    // The DFA has no quit octets and the pattern matches the empty string, so neither arm below is taken.
    let Ok(Some(found)) = EXTENT.try_search_fwd(&input) else { return from };
    let end = found.offset();
    if found.pattern().as_usize() == 0 {
        return memchr::memrchr(b'&', &text[from..end]).map_or(end, |i| from + i);
    }
    end
}

/// The extent of the bare URL whose scheme starts at `start` and whose scheme-specific part starts at `from`.
///
/// Cost: its length, at most [`MAX_BARE`].
pub(super) fn extent(text: &[u8], start: usize, from: usize) -> Extent {
    let end = run(text, from);
    let stop = stop(text, start, from, end);
    let overlong = end - from >= MAX_BARE && stop.end == end;
    Extent { overlong, ..stop }
}

/// The first place within `from..end` where rule 2.2 stops a bare URL.
fn stop(text: &[u8], start: usize, from: usize, end: usize) -> Extent {
    let quoted = start > 0 && text[start - 1] == b'\'';
    let (mut round, mut square) = (0_usize, 0_usize);
    let mut before_script = None;
    let mut at = from;
    while at < end {
        let goes_on = match text[at] {
            b'(' => {
                round += 1;
                true
            }
            b'[' => {
                square += 1;
                true
            }
            b')' => closes(&mut round),
            b']' => closes(&mut square),
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
    Extent { end: before_script.unwrap_or(at), with_script: at, overlong: false }
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
    /// A letter or digit of a script that puts spaces between words; its octets.
    Spaced(usize),
    /// A letter of a script that does not.
    Unspaced(usize),
    /// No letter or digit, or no UTF-8.
    None,
}

/// The character at the beginning of `text`, which is not ASCII.
fn script(text: &[u8]) -> Script {
    let Some(c) = text[..text.len().min(4)].utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()) else {
        return Script::None;
    };
    // Thai to Myanmar, Hangul Jamo, Khmer, CJK punctuation to Yi, Hangul, compatibility forms, halfwidth and
    // fullwidth forms, the ideographic planes.
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
    // Tibetan and Georgian lie between Lao and Hangul Jamo: Tibetan has no spaces either, Georgian starts at 10A0.
    match c {
        c if !c.is_alphanumeric() => Script::None,
        c if UNSPACED.iter().any(|range| range.contains(&u32::from(c))) => Script::Unspaced(c.len_utf8()),
        c => Script::Spaced(c.len_utf8()),
    }
}

/// Where the URL that starts at `start` and has its last piece in `piece` ends when what is trimmed at the end
/// (rule 2.3) is gone: an offset in `piece`.
///
/// Cost: what is trimmed, and where emphasis or a quotation may have been opened one line before.
pub(super) fn trim(text: &[u8], start: usize, piece: Range<usize>) -> usize {
    let mut end = piece.end;
    while end > piece.start {
        let last = text[end - 1];
        let goes = match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'|' | b'\\' | b'^' | b'{' | b'(' | b'[' => true,
            b'}' => unbalanced_brace(&text[piece.start..end]),
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

fn unbalanced_brace(url: &[u8]) -> bool {
    let count = |b| memchr::memchr_iter(b, url).count();
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

/// Whether `mark` stands in `text` at the start of a word: nothing or no letter or digit before it, and none of
/// `text`'s blanks behind it.
fn opened(text: &[u8], mark: u8) -> bool {
    memchr::memchr_iter(mark, text).any(|i| {
        let before = i.checked_sub(1).map(|j| text[j]);
        let behind = text.get(i + 1);
        before.is_none_or(|b| !b.is_ascii_alphanumeric() && b != mark)
            && behind.is_none_or(|b| !b.is_ascii_whitespace() && *b != mark)
    })
}

#[cfg(test)]
mod tests {
    use super::{extent, trim};

    /// The URL in `text`, which is marked by nothing but its scheme.
    fn url(text: &str) -> &str {
        let colon = text.find("://").expect("a URL");
        let start = text[..colon].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |i| i + 1);
        let found = extent(text.as_bytes(), start, colon + 1);
        &text[start..trim(text.as_bytes(), start, start..found.end)]
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
