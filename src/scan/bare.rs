//! Bare URLs: where one ends (rule 2.2).

use core::ops::Range;

use crate::simd::ByteSet;
use crate::trigger::{MAX_SCHEME, is_utf8_around, starts_bare};
use crate::url::class::is_scheme_byte;
use crate::url::scheme;

/// The largest number of bytes after the scheme of a bare URL: 64 KiB. A longer run of URL characters is not a URL, but
/// mostly encoded data. Because of this limit, a URL can be found in a window of a text.
pub const MAX_BARE: usize = 64 << 10;

/// What a byte does to a bare URL. 0 means that it continues.
type Effect = u32;

/// The byte stops a bare URL: white space, controls, `<`, `>`, `"` and backtick.
const STOPS: Effect = 1;
/// The bytes around it decide what it does.
const DEPENDS: Effect = 1 << 1;
/// The byte can end a bare URL, if it is not the end of an escape or a genitive.
const ENDS: Effect = 1 << 2;

/// What each byte does to a bare URL.
static EFFECTS: [Effect; 256] = {
    let mut effects = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        effects[byte] = match byte as u8 {
            0..=b' ' | 0x7F | b'<' | b'>' | b'"' | b'`' => STOPS,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'\'' | b',' | b';' | b'|' | b'&' | 0x80.. => DEPENDS,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' => ENDS,
            _ => 0,
        };
        byte += 1;
    }
    effects
};

/// The bytes that do not simply continue a URL.
static LOOKED_AT: ByteSet = ByteSet::new(&EFFECTS, STOPS | DEPENDS);

/// Returns what `byte` does to a bare URL.
fn does(byte: u8) -> Effect {
    EFFECTS[usize::from(byte)]
}

/// Whether nothing is trimmed after `byte`, unless an escape or a genitive ends with it.
pub(super) fn may_end(byte: u8) -> bool {
    does(byte) & ENDS != 0
}

/// Where a bare URL ends, before trimming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The offset of the first byte after it.
    pub(super) end: usize,
    /// Whether text in a script without spaces follows, or a symbol that may belong to the URL.
    pub(super) script: bool,
    /// Whether the bytes around one of its bytes mattered, as they do for `&`.
    pub(super) depended: bool,
    /// Whether it is longer than [`MAX_BARE`].
    pub(super) overlong: bool,
    /// The brackets that are open at its end.
    pub(super) open: Brackets,
}

/// How many brackets a URL has opened and not closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Brackets {
    round: u32,
    square: u32,
    curly: u32,
}

/// Returns how far the bare URL whose scheme starts at `start` continues after `from`, if `open` brackets are open
/// there (rule 2.2).
///
/// Costs its length, at most [`MAX_BARE`]: one pass for the bytes that matter, which ends where the URL does. A DFA for
/// the run of URL characters would read on to the run's end, and again for the next URL in it.
#[inline(always)]
pub(super) fn extent(text: &[u8], start: usize, from: usize, open: Brackets) -> Extent {
    let limit = text.len().min(from + MAX_BARE + 1);
    let mut extent =
        Extent { end: LOOKED_AT.next(&text[..limit], from), script: false, depended: false, overlong: false, open };
    if extent.end < limit && does(text[extent.end]) != STOPS {
        extent.depended = true;
        extent.go_on(text, start, limit);
    }
    extent.overlong = extent.end - from > MAX_BARE;
    extent
}

impl Extent {
    /// Continues after a byte whose surroundings matter.
    fn go_on(&mut self, text: &[u8], start: usize, limit: usize) {
        while self.end < limit && does(text[self.end]) != STOPS {
            match depends(text, start..self.end, limit, &mut self.open) {
                Next::On(bytes) => self.end = LOOKED_AT.next(&text[..limit], self.end + bytes),
                Next::Script(_) => {
                    self.script = true;
                    break;
                }
                Next::Stop => break,
            }
        }
    }
}

/// Returns where the URL of `extent` would end if the symbol or the text in a script without spaces after it belonged
/// to it. That is at the next URL or before.
pub(super) fn with_script(text: &[u8], start: usize, extent: &Extent) -> usize {
    let limit = text.len().min(start + MAX_BARE);
    let mut open = extent.open;
    let mut at = extent.end;
    // The last symbols, which do not belong to the URL if another one follows directly.
    let mut symbols = at..at;
    while at < limit {
        match does(text[at]) {
            STOPS => break,
            DEPENDS => match depends(text, start..at, limit, &mut open) {
                Next::On(bytes) => at += bytes,
                Next::Script(bytes) => {
                    symbols = at..at + bytes;
                    at += bytes;
                }
                Next::Stop => break,
            },
            _ => {
                if text[at] == b':'
                    && let Some(name) = starts_bare(text, at)
                {
                    let start = at - name;
                    return if start == symbols.end && symbol(&text[symbols.clone()]) { symbols.start } else { start };
                }
                at += 1;
            }
        }
    }
    at
}

/// Returns where the host at `at` ends, if it has a letter of a script without spaces. It is directly after its
/// scheme's `://`. It must be a name with a dot, because without one it is prose (`http://で始まる`). Text directly after
/// such a name belongs to it, but not after ASCII (`.com`).
pub(super) fn host_in_script(text: &[u8], at: usize) -> Option<usize> {
    /// DNS names are at most 255 bytes (RFC 1035, section 2.3.4). A letter of three bytes takes at least one of them.
    const MAX_HOST: usize = 3 * 255;
    let name = &text[at..text.len().min(at + MAX_HOST)];
    let (mut end, mut ascii) = (0, false);
    while let Some(&byte) = name.get(end) {
        end += match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' => 1,
            0x80.. => match script(&name[end..]) {
                Next::On(bytes) => bytes,
                Next::Script(bytes) if !ascii => bytes,
                _ => break,
            },
            _ => break,
        };
        ascii = byte.is_ascii_alphanumeric();
    }
    end = name[..end].iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    memchr::memchr(b'.', &name[..end]).map(|_| at + end)
}

/// What a byte does if its surroundings matter.
enum Next {
    /// The URL continues after this many bytes.
    On(usize),
    /// This many bytes are a character of a script without spaces, or symbols that may belong to the URL.
    Script(usize),
    Stop,
}

/// Returns what the byte after `url` does. It can close what was opened directly before the scheme.
fn depends(text: &[u8], url: Range<usize>, limit: usize, open: &mut Brackets) -> Next {
    let at = url.end;
    let before = text[..url.start].last();
    let continues = match text[at] {
        b'(' => {
            open.round += 1;
            true
        }
        b'[' => {
            open.square += 1;
            text.get(at + 1) != Some(&b'/')
                && (!is_in_host(&text[url.clone()]) || url.len() < MAX_NAME && is_mark(&text[at + 1..]))
        }
        b'{' => {
            open.curly += 1;
            true
        }
        b')' => closes(&mut open.round),
        b']' => closes(&mut open.square),
        b'}' => closes(&mut open.curly) || text.get(at + 1) != Some(&b'{'),
        b'\'' => !matches!(before, Some(b'\'' | b'`')),
        b',' | b';' => before == Some(&b'"') || !starts_scheme(text, at + 1, limit),
        b'|' => before != Some(&b'|') && !starts_scheme(text, at + 1, limit),
        b'&' => !is_residue(&text[at..]),
        // The first byte of several that are not ASCII.
        _ if text[at - 1].is_ascii() && !is_utf8_around(text, url.start, at) => false,
        _ => {
            return match script(&text[at..limit]) {
                Next::Stop if !is_in_host(&text[url]) => symbols(&text[..limit], at),
                next => next,
            };
        }
    };
    if continues { Next::On(1) } else { Next::Stop }
}

/// Whether `url` ends within the name of a host or a port, which have no brackets. At the beginning of a host, a
/// bracket can open an IPv6 address.
pub(super) fn is_in_host(url: &[u8]) -> bool {
    let scheme = &url[..url.len().min(MAX_SCHEME + 3)];
    let Some(slashes) = memchr::memmem::find(scheme, b"://") else { return false };
    let host = &url[slashes + 3..];
    !host.is_empty() && !host.ends_with(b"@") && memchr::memchr3(b'/', b'?', b'#', host).is_none()
}

/// How much of a host is searched for defanged parts: this many bytes from its beginning, at each `[`.
const MAX_NAME: usize = 300;

/// Whether the text after a `[` in a host shows that it is defanged (6.1, 6.3). It must be a mark before a letter or
/// digit. Blanks may be around the mark, and the closing bracket may be missing.
#[cold]
fn is_mark(text: &[u8]) -> bool {
    const MARKS: [&[u8]; 5] = [b".", b"dot", b":", b"@", b"at"];
    /// The most blanks on each side.
    const BLANKS: usize = 3;
    let after_blanks = |text: &'_ [u8]| text.iter().take(BLANKS).take_while(|byte| **byte == b' ').count();
    let blanks = after_blanks(text);
    let text = &text[blanks..];
    let begins = |mark: &&&[u8]| text.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark));
    let Some(mark) = MARKS.iter().find(begins) else { return false };
    let rest = &text[mark.len()..];
    let close = after_blanks(rest);
    let closed = rest.get(close) == Some(&b']');
    let next = if closed { rest.get(close + 1) } else { rest.first() };
    // Without the closing bracket, a word can be any word, and a sign after a blank any sign.
    (closed || blanks == 0 && !mark[0].is_ascii_alphabetic()) && next.is_some_and(u8::is_ascii_alphanumeric)
}

/// Returns where the run of URL characters at `at` ends. Used to skip what is too long for a URL.
pub(super) fn run(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && does(text[at]) != STOPS && !is_residue(&text[at..]) {
        at += 1;
    }
    at
}

/// The length of the longest residue.
pub(super) const MAX_RESIDUE: usize = b"&#x200b;".len();

/// Encoded marks and blanks from HTML. `&amp;` belongs to the URL.
const RESIDUES: &[&[u8]] = &[b"&gt;", b"&lt;", b"&quot;", b"&nbsp;", b"&apos;", b"&laquo;", b"&raquo;"];

/// Whether `text` begins with a residue: one of [`RESIDUES`], or the number of any character except `&`.
fn is_residue(text: &[u8]) -> bool {
    if text[0] != b'&' {
        return false;
    }
    let is = |name: &[u8]| text.len() >= name.len() && text[..name.len()].eq_ignore_ascii_case(name);
    let first = text.get(1).copied().unwrap_or_default();
    if first != b'#' {
        return RESIDUES.iter().any(|name| name[1] == first | 0x20 && is(name));
    }
    let hexadecimal = usize::from(matches!(text.get(2), Some(b'x' | b'X')));
    let digits = &text[2 + hexadecimal..];
    let count = digits.iter().take(MAX_RESIDUE - 3).take_while(|b| b.is_ascii_hexdigit()).count();
    let decimal = digits[..count].iter().all(u8::is_ascii_digit);
    let ampersand: &[u8] = if hexadecimal > 0 { b"26" } else { b"38" };
    count > 0
        && (hexadecimal > 0 || decimal)
        && count + hexadecimal < MAX_RESIDUE - 2
        && digits.get(count) == Some(&b';')
        && digits[..count] != *ampersand
}

/// Closes one of the `open` brackets. Returns false if there is none.
fn closes(open: &mut u32) -> bool {
    let closes = *open > 0;
    *open -= u32::from(closes);
    closes
}

/// Whether a known `scheme://` starts at `at`, as in a list of URLs with commas.
fn starts_scheme(text: &[u8], at: usize, end: usize) -> bool {
    let name = text[at..end].iter().take(16).take_while(|b| is_scheme_byte(**b)).count();
    let colon = at + name;
    name > 0 && text[colon..end].starts_with(b"://") && scheme::find(&text[at..colon]).is_some()
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

/// Ranges of marks that belong to the letter before them and are not letters to the standard library: diacritics,
/// points, vowel and tone signs, joiners, variation selectors. Without the dandas, which end sentences.
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

/// Ranges of numbers that are not digits: superscripts, as of footnotes, fractions, numbers in circles.
const SIGNS: &[Range<u32>] = &[0x00B2..0x00C0, 0x2070..0x20A0, 0x2150..0x2160, 0x2460..0x2500, 0x2776..0x2794];

/// Symbols that people put into the names of pages: signs of currency and the like, dashes, daggers and bullets,
/// arrows, mathematics, technical signs, shapes, dingbats, emoji. Without quotation marks, brackets, the ellipsis and
/// the characters for tables, because these are around a URL or shorten it.
const SYMBOLS: &[Range<u32>] = &[
    0x00A2..0x00AA,
    0x00AC..0x00B2,
    0x00B4..0x00B9,
    0x00D7..0x00D8,
    0x00F7..0x00F8,
    0x2010..0x2016,
    0x2020..0x2024,
    0x2030..0x2039,
    0x20A0..0x20D0,
    0x2100..0x2150,
    0x2190..0x2329,
    0x232B..0x2460,
    0x25A0..0x2768,
    0x2794..0x27E6,
    0x27F0..0x2983,
    0x2999..0x29D8,
    0x2A00..0x2C00,
    0x1_F000..0x1_FB00,
];

/// Returns the character at the beginning of `text`, if that is valid UTF-8.
fn character(text: &[u8]) -> Option<char> {
    text[..text.len().min(4)].utf8_chunks().next()?.valid().chars().next()
}

/// Whether `text` begins with a character in UTF-8.
#[cfg(feature = "mime")]
pub(super) fn begins_with_character(text: &[u8]) -> bool {
    character(text).is_some()
}

fn within(c: char, ranges: &[Range<u32>]) -> bool {
    ranges.iter().any(|range| range.contains(&u32::from(c)))
}

/// Returns what the character at the beginning of `text`, which is not ASCII, does. The URL continues after letters,
/// digits and marks of valid UTF-8.
fn script(text: &[u8]) -> Next {
    match character(text) {
        None => Next::Stop,
        Some(c) if !c.is_alphanumeric() && !within(c, MARKS) || c.is_numeric() && within(c, SIGNS) => Next::Stop,
        Some(c) if within(c, UNSPACED) => Next::Script(c.len_utf8()),
        Some(c) => Next::On(c.len_utf8()),
    }
}

/// Returns what the symbols at `at`, in a path, do. Between letters, digits or slashes they may belong to the URL. An
/// emoji can consist of several, with joiners between.
fn symbols(text: &[u8], at: usize) -> Next {
    if !matches!(text[at - 1], b'/' | 0x80..) && !text[at - 1].is_ascii_alphanumeric() {
        return Next::Stop;
    }
    let mut end = at;
    while let Some(c) = character(&text[end..]) {
        match c {
            c if within(c, SYMBOLS) || end > at && within(c, MARKS) => end += c.len_utf8(),
            c if end > at && (c == '/' || c.is_alphanumeric()) => return Next::Script(end - at),
            _ => break,
        }
    }
    Next::Stop
}

/// Whether `text` begins with a symbol.
fn symbol(text: &[u8]) -> bool {
    character(text).is_some_and(|c| within(c, SYMBOLS))
}
