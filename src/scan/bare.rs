//! Finds the end of a bare URL (rule 2.2).

use core::ops::Range;

use crate::simd::ByteSet;
use crate::trigger::{MAX_SCHEME, is_utf8_around, starts_bare};
use crate::url::class::is_scheme_byte;
use crate::url::{MAX_BARE, scheme};

/// How a byte affects where a bare URL ends: a set of the flags below. A byte without flags, such as `?`, belongs to
/// the URL, but can be trimmed from the end of the URL.
type Effect = u32;

/// A bare URL ends before this byte: white space, a control character, `<`, `>`, `"` or a backtick.
const STOPS: Effect = 1;
/// The URL may end before this byte, depending on the text around the byte: see [`depends`].
const DEPENDS: Effect = 1 << 1;
/// A URL can end in this byte, which is a letter, a digit or a slash. The byte is trimmed only as part of an escape
/// such as `\n`, or of a genitive `'s`.
const ENDS: Effect = 1 << 2;

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

/// The search for the end of a URL stops only at these bytes.
static LOOKED_AT: ByteSet = ByteSet::new(&EFFECTS, STOPS | DEPENDS);

fn does(byte: u8) -> Effect {
    EFFECTS[usize::from(byte)]
}

/// Whether a URL can end in `byte`: see [`ENDS`] (rule 2.3a).
pub(super) fn may_end(byte: u8) -> bool {
    does(byte) & ENDS != 0
}

/// The end of a bare URL before trimming, and other results of the search for this end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The offset of the first byte after the URL.
    pub(super) end: usize,
    /// Whether the URL ends before a symbol (such as a dash), or before a letter of a script without spaces (such as
    /// Han). A longer URL that includes this symbol or letter becomes an alternative.
    pub(super) script: bool,
    /// Whether a byte with the flag [`DEPENDS`] is in the URL or directly after it. If this field is false, the URL has
    /// no `&amp;`, because `&` has this flag.
    pub(super) depended: bool,
    pub(super) overlong: bool,
    pub(super) open: Brackets,
}

/// For each kind of bracket, the number of brackets that a URL has opened and not closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Brackets {
    round: u32,
    square: u32,
    curly: u32,
}

/// Returns the extent of the bare URL whose scheme starts at `start` (rule 2.2). The search for the end begins at
/// `from`. `open` counts the brackets that the URL has opened before `from` and not closed.
///
/// Reads the URL once, at most [`MAX_BARE`] bytes. A DFA for URL characters would be slower in a list such as
/// `http://a/,http://b/`. The DFA could not stop at a comma, so for each URL of the list, it would also read all URLs
/// after it.
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
    /// Extends the URL as long as the next byte belongs to it (see [`depends`]).
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

/// Returns the end of the longer alternative to a URL for which [`Extent::script`] is true. The alternative also
/// includes symbols, and letters of scripts that are written without spaces, such as Han. It ends at the start of the
/// next URL or earlier.
pub(super) fn with_script(text: &[u8], start: usize, extent: &Extent) -> usize {
    let limit = text.len().min(start + MAX_BARE);
    let mut open = extent.open;
    let mut at = extent.end;
    // `symbols` is the range of the last symbols that were read. If another URL directly follows these symbols, as in
    // `http://a/—http://b/`, they belong to neither URL.
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

/// Returns the end of a host that may have letters of a script without spaces. The host begins at `at`, directly after
/// `://`. The host must have a dot, because text without a dot is probably prose, as in `http://で始まる`. If a letter
/// of such a script directly follows an ASCII letter or digit, as in `.comで`, the host ends before this letter.
pub(super) fn host_in_script(text: &[u8], at: usize) -> Option<usize> {
    /// DNS names are at most 255 bytes long (RFC 1035, section 2.3.4). In UTF-8, each letter of the name can take three
    /// bytes.
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

/// Whether a URL continues at a byte with the flag [`DEPENDS`].
enum Next {
    /// The next bytes belong to the URL. The value is their number.
    On(usize),
    /// The URL ends before a letter of a script without spaces, or before symbols such as a dash. A longer alternative
    /// may contain this letter or these symbols. The value is the length, in bytes, of the letter or the symbols.
    Script(usize),
    Stop,
}

/// Returns whether the URL continues at the byte `text[url.end]`. This byte has the flag [`DEPENDS`]. For some values
/// of this byte, the result depends on the byte before the scheme. For example, a URL that has a `'` before its scheme
/// ends at the next `'`.
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
        // In a text that is not UTF-8, the first byte above 127 ends the URL.
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

/// Whether `url` ends inside a host name or a port. If `url` ends directly before the host, returns false, because a
/// `[` there can open an IPv6 address.
pub(super) fn is_in_host(url: &[u8]) -> bool {
    let scheme = &url[..url.len().min(MAX_SCHEME + 3)];
    let Some(slashes) = memchr::memmem::find(scheme, b"://") else { return false };
    let host = &url[slashes + 3..];
    !host.is_empty() && !host.ends_with(b"@") && memchr::memchr3(b'/', b'?', b'#', host).is_none()
}

/// Defanged dots, such as `[.]`, are recognized only in the first 300 bytes of a URL. The check of each `[` reads the
/// host from its start, so without this limit, a host with many `[` would take quadratic time.
const MAX_NAME: usize = 300;

/// Whether the `[` before `text` begins a mark such as `[.]` or `[dot]` (rules 6.1 and 6.3). Such a mark replaces a
/// character of a defanged URL. A letter or digit must follow the mark. Blanks can be inside the brackets (`[ . ]`),
/// and the closing bracket can be missing (`[.`).
#[cold]
fn is_mark(text: &[u8]) -> bool {
    const MARKS: [&[u8]; 5] = [b".", b"dot", b":", b"@", b"at"];
    /// The maximum number of blanks after the `[`, and before the `]`.
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
    // Without the closing bracket, `[dot` and `[at` are not marks, because they may begin an ordinary word, as in
    // `[dotted]`. `[ .` is not a mark either, because its dot may be a full stop.
    (closed || blanks == 0 && !mark[0].is_ascii_alphabetic()) && next.is_some_and(u8::is_ascii_alphanumeric)
}

/// Returns the end of the run of URL characters that begins at `at`. Callers use this offset to skip the rest of a URL
/// that is longer than [`MAX_BARE`].
pub(super) fn run(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && does(text[at]) != STOPS && !is_residue(&text[at..]) {
        at += 1;
    }
    at
}

/// The maximum number of digits of a numeric residue. The last code point has seven digits: 1114111.
const MAX_DIGITS: usize = 7;

/// Character references that end a URL. `&amp;` does not end a URL, so it is not listed.
const RESIDUES: &[&[u8]] = &[b"&gt;", b"&lt;", b"&quot;", b"&nbsp;", b"&apos;", b"&laquo;", b"&raquo;"];

/// Whether `text` begins with a residue: a character reference such as `&gt;` that remained when HTML was converted to
/// text. A residue ends a URL. The residue is one of [`RESIDUES`], or a numeric reference of up to [`MAX_DIGITS`] digits
/// to any character except `&`.
fn is_residue(text: &[u8]) -> bool {
    if text[0] != b'&' {
        return false;
    }
    let is = |name: &[u8]| text.len() >= name.len() && text[..name.len()].eq_ignore_ascii_case(name);
    let first = text.get(1).copied().unwrap_or_default();
    if first != b'#' {
        return RESIDUES.iter().any(|name| name[1] == first | 0x20 && is(name));
    }
    let (digits, radix) = match text.get(2) {
        Some(b'x' | b'X') => (&text[3..], 16),
        _ => (&text[2..], 10),
    };
    let values = digits.iter().take(MAX_DIGITS).map_while(|b| char::from(*b).to_digit(radix));
    let (count, number) = values.fold((0, 0), |(count, number), value| (count + 1, number * radix + value));
    // The number is compared, not the digits, because WordPress writes `&#038;` for an ampersand.
    count > 0 && digits.get(count) == Some(&b';') && number != u32::from(b'&')
}

/// Closes a bracket: decrements `open`, the number of open brackets. Returns false if no bracket is open.
fn closes(open: &mut u32) -> bool {
    let closes = *open > 0;
    *open -= u32::from(closes);
    closes
}

/// Whether a known scheme and `://` start at `at`. If so, another URL starts there, as in `http://a/,http://b/`.
fn starts_scheme(text: &[u8], at: usize, end: usize) -> bool {
    let name = text[at..end].iter().take(16).take_while(|b| is_scheme_byte(**b)).count();
    let colon = at + name;
    name > 0 && text[colon..end].starts_with(b"://") && scheme::find(&text[at..colon]).is_some()
}

/// Code points of scripts without spaces between words. Korean has spaces, but Hangul is included, because Korean
/// particles directly follow a word or a URL. The ranges are Thai to Myanmar, Hangul Jamo, Khmer, CJK radicals to Yi,
/// Hangul syllables, CJK compatibility ideographs and forms, halfwidth and fullwidth forms, enclosed letters, and the
/// ideographic planes.
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

/// Code points of combining marks that [`char::is_alphanumeric`] does not include: diacritics, points, vowel and tone
/// signs, joiners, variation selectors. The dandas, which end sentences in Indic scripts, are not included.
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

/// Code points that are not digits, although [`char::is_numeric`] includes them: superscripts (as in footnotes),
/// fractions, numbers in circles.
const SIGNS: &[Range<u32>] = &[0x00B2..0x00C0, 0x2070..0x20A0, 0x2150..0x2160, 0x2460..0x2500, 0x2776..0x2794];

/// Code points of symbols that may belong to the path of a URL, because many paths contain the title of a page. They
/// are currency and similar signs, dashes, daggers and bullets, arrows, mathematics, technical signs, shapes, dingbats,
/// emoji. Quotation marks, brackets and characters for box drawing are not included, because they surround URLs. The
/// ellipsis is not included, because people write it in place of the end of a URL.
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

/// Returns the first character of `text`, or `None` if `text` does not begin with valid UTF-8.
fn character(text: &[u8]) -> Option<char> {
    text[..text.len().min(4)].utf8_chunks().next()?.valid().chars().next()
}

#[cfg(feature = "mime")]
pub(super) fn begins_with_character(text: &[u8]) -> bool {
    character(text).is_some()
}

fn within(c: char, ranges: &[Range<u32>]) -> bool {
    ranges.iter().any(|range| range.contains(&u32::from(c)))
}

/// Returns whether a URL continues with the first character of `text`, which is not ASCII. The URL continues if this
/// character is a letter, digit or combining mark.
fn script(text: &[u8]) -> Next {
    match character(text) {
        None => Next::Stop,
        Some(c) if !c.is_alphanumeric() && !within(c, MARKS) || c.is_numeric() && within(c, SIGNS) => Next::Stop,
        Some(c) if within(c, UNSPACED) => Next::Script(c.len_utf8()),
        Some(c) => Next::On(c.len_utf8()),
    }
}

/// Returns whether the symbols that begin at `at` may belong to the path of the URL. A letter, a digit or a slash must
/// be before the symbols and after them. Joiners can be between the symbols, as in some emoji.
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

fn symbol(text: &[u8]) -> bool {
    character(text).is_some_and(|c| within(c, SYMBOLS))
}
