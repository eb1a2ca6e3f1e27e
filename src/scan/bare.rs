//! Finds the end of a bare URL (rule 2.2).

use alloc::vec::Vec;
use core::ops::Range;

use super::rejoin::heuristics::extension;
use super::residue::is_residue;
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
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'\'' | b',' | b';' | b'|' | b'&' | b'=' | b'\\' | 0x80.. => {
                DEPENDS
            }
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

/// Whether the scheme of `url` is `file`.
pub(super) fn is_file(url: &[u8]) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"file:"))
}

/// The end of a bare URL before trimming, and other results of the search for this end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The offset of the first byte after the URL.
    pub(super) end: usize,
    /// Whether the URL ends before a symbol (such as a dash), a letter of a script without spaces (such as Han), or a
    /// bracket that is open at the end of the line. A longer URL that includes it becomes an alternative.
    pub(super) script: bool,
    /// Whether a byte with the flag [`DEPENDS`] is in the URL or directly after it. If this field is false, the URL has
    /// no `&amp;`, because `&` has this flag.
    pub(super) depended: bool,
    /// The offset of the last byte with the flag [`DEPENDS`] in the URL, except `&` and `=`, or [`usize::MAX`].
    pub(super) last_depends: usize,
    /// Whether the URL has a byte that `restore.rs` may remove or replace, such as a `\\`.
    pub(super) altered: bool,
    /// The offset at which a shorter reading of the URL ends (rule 2.4).
    pub(super) shorter: Option<(usize, Why)>,
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
    let end = LOOKED_AT.next(&text[..limit], from);
    let mut extent =
        Extent { end, script: false, depended: false, last_depends: usize::MAX, altered: false, shorter: None, open };
    if extent.end < limit && does(text[extent.end]) != STOPS {
        extent.depended = true;
        extent.go_on(text, start, limit);
    }
    extent
}

/// Returns the extent of the bare URL whose scheme starts at `start` and ends at `colon`, on its first line. Also checks
/// for a host in a script without spaces (rule 2.2), and for an unclosed bracket (rule 2.4).
#[inline(always)]
pub(super) fn first_line(text: &[u8], start: usize, colon: usize) -> Extent {
    let mut found = extent(text, start, colon + 1, Brackets::default());
    if found.script
        && text[colon..found.end] == *b"://"
        && let Some(host) = host_in_script(text, found.end)
    {
        found = extent_of_path(text, start, host);
    }
    if found.open != Brackets::default() && !found.is_overlong(colon) {
        found.close(text, start);
    }
    found
}

/// Returns the extent of a URL whose host ends at `host`.
#[cold]
fn extent_of_path(text: &[u8], start: usize, host: usize) -> Extent {
    extent(text, start, host, Brackets::default())
}

impl Extent {
    /// Whether the URL has more than [`MAX_BARE`] bytes after the colon of its scheme.
    #[inline]
    pub(super) fn is_overlong(&self, colon: usize) -> bool {
        self.end - (colon + 1) > MAX_BARE
    }

    /// Ends the extent before a bracket that is never closed (rule 2.4).
    #[cold]
    fn close(&mut self, text: &[u8], start: usize) {
        match unclosed(text, start..self.end) {
            Some((end, true)) => {
                // The rest of the brackets can be on the next line.
                let is_line_end = matches!(text.get(self.end), None | Some(b'\n' | b'\r'));
                self.script |= is_line_end && !is_in_host(&text[start..end]);
                (self.end, self.open) = (end, Brackets::default());
            }
            Some((end, false)) => {
                self.shorter.get_or_insert((end, Why::Glued));
            }
            None => {}
        }
    }

    /// Extends the URL as long as the next byte belongs to it (see [`depends`]).
    fn go_on(&mut self, text: &[u8], start: usize, limit: usize) {
        while self.end < limit && does(text[self.end]) != STOPS {
            let bytes = match depends(text, start..self.end, limit, &mut self.open) {
                Next::On(bytes) => bytes,
                Next::Altered(bytes) => {
                    self.altered = true;
                    bytes
                }
                Next::Or(bytes, reason) => {
                    self.altered |= reason == Why::Escape;
                    self.shorter.get_or_insert((self.end, reason));
                    bytes
                }
                Next::Script(_) => {
                    self.script = true;
                    break;
                }
                Next::Stop => break,
            };
            if !matches!(text[self.end], b'&' | b'=') {
                self.last_depends = self.end;
            }
            self.end = LOOKED_AT.next(&text[..limit], self.end + bytes);
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
                Next::On(bytes) | Next::Altered(bytes) | Next::Or(bytes, _) => at += bytes,
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
fn host_in_script(text: &[u8], at: usize) -> Option<usize> {
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

/// Why a URL may end earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Escape,
    Glued,
    Script,
}

/// Whether a URL continues at a byte with the flag [`DEPENDS`].
enum Next {
    /// The next bytes belong to the URL. The value is their number.
    On(usize),
    /// Like [`On`](Self::On), but the bytes may have to be removed from the URL or replaced.
    Altered(usize),
    /// Like [`On`](Self::On), but the URL may also end before the bytes, for this reason.
    Or(usize, Why),
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
        // A byte whose quoted-printable may not have been decoded (rule 1.8).
        b'=' if text[at + 1..].starts_with(b"3D") => return Next::Altered(1),
        b'=' => true,
        b'(' => {
            open.round += 1;
            true
        }
        b'[' => {
            open.square += 1;
            text.get(at + 1) != Some(&b'/')
                && !starts_scheme(text, at + 1, limit)
                && (!is_in_host(&text[url.clone()]) || url.len() < MAX_NAME && is_mark(&text[at + 1..]))
        }
        b'{' if is_hz(&text[at - 1..]) || before == Some(&b'}') => false,
        b'{' => {
            open.curly += 1;
            true
        }
        b')' => closes(&mut open.round),
        b']' => closes(&mut open.square),
        b'}' => closes(&mut open.curly) || (before != Some(&b'{') && text.get(at + 1) != Some(&b'{')),
        b'\'' => !matches!(before, Some(b'\'' | b'`')),
        b',' | b';' if before == Some(&b'"') => true,
        b',' | b';' if starts_scheme(text, at + 1, limit) => false,
        b',' | b';' => true,
        b'|' | b'&' if !matches!(before, Some(b'|' | b'[' | b'!' | b'=')) && ends_command(text, &url, limit) => {
            return Next::Or(1, Why::Glued);
        }
        b'|' => match before {
            Some(b'|' | b'[' | b'!') => false,
            Some(b'=') if is_parameter(&text[at + 1..]) => false,
            _ => !starts_scheme(text, at + 1, limit),
        },
        b'\\' => return backslash(&text[..limit], at, is_file(&text[url.start..])),
        b'&' => !is_residue(&text[at..]),
        // In a text that is not UTF-8, the first byte above 127 ends the URL.
        _ if text[at - 1].is_ascii() && !is_utf8_around(text, url.start, at) => false,
        _ => return character_after(&text[..limit], url),
    };
    if continues { Next::On(1) } else { Next::Stop }
}

/// Returns whether a bare URL continues at the backslash at `at`. It ends at an escape of roff that changes the font
/// (`\fP`), at a line break that a program has printed as `\n`, and at an escape of JSON for `<`, `>` or `"`.
/// A `file` URL (`is_file`) can have backslashes.
fn backslash(text: &[u8], at: usize, is_file: bool) -> Next {
    let breaks =
        text[at..].as_chunks::<2>().0.iter().take_while(|two| matches!(two, [b'\\', b'n' | b'r' | b't'])).count();
    let after = at + 2 * breaks;
    let next = text.get(after).copied().unwrap_or(b' ');
    match &text[at..] {
        [b'\\', b'f', b'B' | b'I' | b'R' | b'P', ..] => Next::Stop,
        [b'\\', command @ ..] if begins_command(command) => Next::Stop,
        [b'\\', b'u', b'0', b'0', high @ b'0'..=b'3', low, ..] if is_end(*high, *low) => Next::Stop,
        _ if breaks > 0 && (next.is_ascii_uppercase() || starts_scheme(text, after, text.len())) => Next::Stop,
        // The rest of the escapes of JSON and JavaScript stand for characters of URLs.
        [b'\\', b'u' | b'x', digit, ..] if digit.is_ascii_digit() => Next::Altered(1),
        [b'\\', byte, ..] if (byte.is_ascii_alphanumeric() || *byte == b'\'') && !is_file => Next::Or(1, Why::Escape),
        _ => Next::Altered(1),
    }
}

/// Whether `&&` or `||` follows the URL, as after a command of a shell. They can be part of a query or a fragment.
fn ends_command(text: &[u8], url: &Range<usize>, limit: usize) -> bool {
    let mark = text[url.end];
    text.get(url.end + 1) == Some(&mark)
        && url.len() < MAX_NAME
        && !starts_scheme(text, url.end + 2, limit)
        && memchr::memchr2(b'?', b'#', &text[url.clone()]).is_none()
}

/// Whether `text` begins with a command of TeX and an argument, without the backslash, such as `cite{a}`.
fn begins_command(text: &[u8]) -> bool {
    let name = text.iter().take(20).take_while(|byte| byte.is_ascii_lowercase()).count();
    name > 2 && text.get(name) == Some(&b'{')
}

/// Whether `text` begins with Chinese text in the charset HZ (RFC 1843): pairs of ASCII characters between `~{` and `~}`.
pub(super) fn is_hz(text: &[u8]) -> bool {
    const MOST: usize = 200;
    let Some(rest) = text.strip_prefix(b"~{") else { return false };
    let end = rest[..rest.len().min(MOST)].windows(2).position(|two| two == b"~}");
    end.is_some_and(|end| end > 0 && end.is_multiple_of(2) && rest[..end].iter().all(u8::is_ascii_graphic))
}

/// Whether the digits are the last two of an escape of JSON for a character that ends a URL.
fn is_end(high: u8, low: u8) -> bool {
    matches!((high, low.to_ascii_lowercase()), (b'0' | b'1', _) | (b'2', b'0' | b'2') | (b'3', b'c' | b'e'))
}

/// Returns the length, in bytes, of the invisible characters at the start of `text`, or 0. They are zero width spaces,
/// zero width non-joiners, word joiners, soft hyphens and byte order marks.
pub(super) fn invisible(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match text[at..] {
            [0xE2, 0x80, 0x8B | 0x8C, ..] | [0xE2, 0x81, 0xA0, ..] | [0xEF, 0xBB, 0xBF, ..] => 3,
            [0xC2, 0xAD, ..] => 2,
            _ => return at,
        };
    }
}

/// Whether `text` begins with a full stop of Chinese or Japanese, which separates labels of hosts, too (RFC 3490,
/// section 3.1).
pub(super) fn is_dot(text: &[u8]) -> bool {
    matches!(text, [0xEF, 0xBC, 0x8E, ..] | [0xE3, 0x80, 0x82, ..] | [0xEF, 0xBD, 0xA1, ..])
}

/// Whether `text` begins with a quotation mark, a dash or another mark in UTF-8 that was read as windows-1252 and encoded
/// again: `â€`, `ã€`, `ï¿`, `ï»`, or `Â` and a mark of Latin-1.
fn is_garbled(text: &[u8]) -> bool {
    matches!(
        text,
        [0xC3, 0xA2 | 0xA3, 0xE2, 0x82, 0xAC, ..] | [0xC3, 0xAF, 0xC2, 0xBF | 0xBB, ..] | [0xC3, 0x82, 0xC2, ..]
    )
}

/// Returns whether the URL at `url` continues with the character after it, which is not ASCII.
fn character_after(text: &[u8], url: Range<usize>) -> Next {
    let at = url.end;
    let (invisible, url) = (invisible(&text[at..]), &text[url]);
    let next = |bytes: usize| text.get(at + bytes).copied().unwrap_or_default();
    let last = text[at - 1];
    if invisible > 0 && last.is_ascii() && (may_end(next(invisible)) || b"-._?&=#%~".contains(&next(invisible))) {
        return if is_in_host(url) { Next::Altered(invisible) } else { Next::Or(invisible, Why::Escape) };
    }
    let host = authority(url);
    let is_in_host =
        host.is_some_and(|host| host.len() < MAX_NAME && memchr::memchr3(b'/', b'?', b'#', host).is_none());
    if let Some(host) = host.filter(|_| is_in_host) {
        let is_label = host.is_empty() || host.ends_with(b".") || memchr::memchr(b'.', host).is_none();
        if is_dot(&text[at..]) && is_label && !host.is_empty() && next(3).is_ascii_alphanumeric() {
            return Next::Altered(3);
        }
        if is_label && is_emoji_label(&text[at..]) {
            return Next::On(character(&text[at..]).map_or(1, char::len_utf8));
        }
    }
    if is_garbled(&text[at..]) {
        return Next::Stop;
    }
    match script(&text[at..]) {
        Next::Script(bytes) if !is_in_host && is_name_in_path(text, at, host) => Next::Or(bytes, Why::Script),
        Next::Stop if !is_in_host => match symbols(text, at) {
            Next::Stop if host.is_some_and(is_in_script) && symbol(&text[at..]) => {
                Next::On(character(&text[at..]).map_or(1, char::len_utf8))
            }
            next => next,
        },
        Next::On(bytes) if last.is_ascii_alphanumeric() && !is_in_host && is_other_script(&text[at..]) => {
            Next::Or(bytes, Why::Script)
        }
        next => next,
    }
}

/// Returns the text of `url` after `://`.
pub(super) fn authority(url: &[u8]) -> Option<&[u8]> {
    let scheme = &url[..url.len().min(MAX_SCHEME + 3)];
    memchr::memmem::find(scheme, b"://").map(|slashes| &url[slashes + 3..])
}

/// Whether the host at the start of `rest` has a character outside ASCII.
fn is_in_script(rest: &[u8]) -> bool {
    rest.iter().take(100).take_while(|byte| !matches!(byte, b'/' | b'?' | b'#')).any(|byte| !byte.is_ascii())
}

/// Whether the letters of a script without spaces at `at` are a name in a path: the host, the text after `://`, also has
/// such letters, or the letters are between marks such as two slashes, or between a slash and a file extension.
fn is_name_in_path(text: &[u8], at: usize, host: Option<&[u8]>) -> bool {
    /// The maximum length of the name, in bytes.
    const MAX: usize = 96;
    if host.is_some_and(is_in_script) {
        return true;
    }
    let around = &text[at.saturating_sub(MAX)..text.len().min(at + MAX)];
    let (before, after) = around.split_at(at.min(MAX));
    let letters = |byte: &&u8| !byte.is_ascii();
    let start = &before[..before.iter().rposition(u8::is_ascii).map_or(0, |last| last + 1)];
    let end = after.iter().take_while(letters).count();
    // Punctuation such as a full-width full stop is no letter.
    let is_name =
        str::from_utf8(&after[..end]).is_ok_and(|name| name.chars().all(|c| c.is_alphanumeric() || within(c, MARKS)));
    let follows = match &after[end..] {
        // A URL with an empty value in its query is rare, and so is a `_` in prose.
        [] | [b'&' | b' ' | b'\t' | b'\r' | b'\n', ..] if start.ends_with(b"=") => {
            return is_name && memchr::memchr2(b'?', b'&', start).is_some();
        }
        [b'_', ..] => true,
        [b')', ..] if start.ends_with(b"_(") => return is_name,
        [b'/'] => true,
        // A full stop or the like ends the sentence.
        [b'/', mark, rest @ ..] if b".,;:!?)".contains(mark) => rest.first().is_none_or(u8::is_ascii_whitespace),
        [b'/', next, ..] => next.is_ascii_alphanumeric() || next.is_ascii_whitespace() || !next.is_ascii(),
        [b'?' | b'#', next, ..] => next.is_ascii_alphanumeric(),
        [b'.', rest @ ..] => {
            let extension = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            (2..=5).contains(&extension) && rest[0].is_ascii_lowercase()
        }
        _ => false,
    };
    start.ends_with(b"/") && is_name && follows
}

/// Whether `text` begins with a letter of a script other than Latin.
fn is_other_script(text: &[u8]) -> bool {
    character(text).is_some_and(|c| c.is_alphabetic() && c >= '\u{370}' && !('\u{1E00}'..'\u{1F00}').contains(&c))
}

/// Whether `text` begins with symbols of a host such as an emoji. A dot and a letter or digit must follow them, directly
/// or after letters, digits and hyphens.
fn is_emoji_label(text: &[u8]) -> bool {
    if !character(text).is_some_and(|c| c >= '\u{2190}' && within(c, SYMBOLS)) {
        return false;
    }
    let mut rest = text;
    while let Some(c) = character(rest) {
        if !(c == '-' || c.is_alphanumeric() || c >= '\u{2190}' && within(c, SYMBOLS) || within(c, MARKS))
            || text.len() - rest.len() > 63
        {
            break;
        }
        rest = &rest[c.len_utf8()..];
    }
    matches!(rest, [b'.', next, ..] if next.is_ascii_alphanumeric())
}

/// Whether `text` begins with a name and `=`, as the next parameter of a template of MediaWiki.
pub(super) fn is_parameter(text: &[u8]) -> bool {
    let name =
        text.iter().take(24).take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
    name > 0 && text.get(name) == Some(&b'=')
}

/// If a bracket that the URL at `url` has opened is not closed in it, returns the end of the URL before this bracket,
/// and whether the URL certainly ends there (rule 2.4).
#[cold]
fn unclosed(text: &[u8], url: Range<usize>) -> Option<(usize, bool)> {
    /// The maximum number of bytes to the closing bracket.
    const MAX: usize = 200;
    let after = &text[url.end..];
    let line = &after[..after.iter().take(MAX).take_while(|byte| **byte != b'\n').count()];
    if !line.first().is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let mut open = Vec::new();
    for at in url.clone() {
        match text[at] {
            b'(' | b'[' | b'{' => open.push(at),
            b')' | b']' | b'}' => drop(open.pop()),
            _ => {}
        }
    }
    let at = *open.first()?;
    let (name, bracket) = (&text[url.start..at], text[at]);
    let has_letters = text[at..url.end].iter().any(u8::is_ascii_alphanumeric);
    // After a host, a `[` is in a URL only if it begins a mark of a defanged URL. `{` is trimmed like punctuation.
    if name.ends_with(b"//")
        || bracket == b'[' && is_in_host(name)
        || bracket == b'{' && !has_letters
        || matches!(name.last(), None | Some(b'_' | b'=' | b':')) && bracket == b'('
    {
        return None;
    }
    let closer = if bracket == b'(' { b')' } else { bracket + 2 };
    let is_closed = memchr::memchr(closer, line).is_some();
    let is_text = is_closed || bracket != b'(' || !has_letters;
    let is_end = is_text && !line.trim_ascii().is_empty() || is_in_host(name) || extension(name).is_some();
    Some((at, is_end))
}

/// Whether `url` ends inside a host name or a port. If `url` ends directly before the host, returns false, because a
/// `[` there can open an IPv6 address.
pub(super) fn is_in_host(url: &[u8]) -> bool {
    let Some(host) = authority(url) else { return false };
    !host.is_empty() && !host.ends_with(b"@") && memchr::memchr3(b'/', b'?', b'#', host).is_none()
}

/// Defanged dots, such as `[.]`, `&&` and `||` are recognized only in the first 300 bytes of a URL. The check of each of
/// them reads the URL from its start, so without this limit, a URL with many of them would take quadratic time.
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
/// are currency and similar signs, superscripts, fractions, dashes, daggers and bullets, arrows, mathematics, technical
/// signs, shapes, dingbats, emoji. Quotation marks, brackets and characters for box drawing are not included, because
/// they surround URLs. The ellipsis is not included, because people write it in place of the end of a URL.
const SYMBOLS: &[Range<u32>] = &[
    0x00A2..0x00AA,
    0x00AC..0x00BA,
    0x00BC..0x00BF,
    0x00D7..0x00D8,
    0x00F7..0x00F8,
    0x02DC..0x02DD,
    0x2010..0x2016,
    0x2020..0x2024,
    0x2030..0x2039,
    0x2070..0x20D0,
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

/// Returns the length of the letter at the start of `text`, which is not ASCII, if a host can have it after the byte
/// `beside`. A letter of a script without spaces must not be beside an ASCII letter.
#[cfg(feature = "mime")]
pub(super) fn host_letter(text: &[u8], beside: u8) -> Option<usize> {
    match script(text) {
        Next::On(bytes) => Some(bytes),
        Next::Script(bytes) if !beside.is_ascii_alphanumeric() => Some(bytes),
        _ => None,
    }
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
    let beside = |byte: u8| {
        matches!(byte, b'/' | b'_' | b'-' | b'(' | b')' | b'%' | b'+' | b'&' | b'=' | 0x80..)
            || byte.is_ascii_alphanumeric()
    };
    if !(beside(text[at - 1]) || matches!(text[at - 1], b'.' | b',')) {
        return Next::Stop;
    }
    let mut end = at;
    while let Some(c) = character(&text[end..]) {
        match c {
            c if within(c, SYMBOLS) || end > at && within(c, MARKS) => end += c.len_utf8(),
            // An apostrophe, as in `L’Est`, but not in a genitive.
            '\u{2019}' if end == at && text[at - 1].is_ascii_alphanumeric() => match text[at + 3..] {
                [b's'] => break,
                [b's', next, ..] if !next.is_ascii_alphanumeric() => break,
                _ => end += c.len_utf8(),
            },
            // A capital and a small letter begin the next sentence.
            '.' if end > at && text.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) => {
                let is_sentence = matches!(text[end + 1..], [b'A'..=b'Z', b'a'..=b'z', ..]);
                return if is_sentence { Next::Stop } else { Next::Script(end - at) };
            }
            '_' if text[at - 1] == b'_' => return Next::Or(end - at, Why::Script),
            c if end > at && (c.is_alphanumeric() || c.is_ascii() && beside(c as u8)) => return Next::Script(end - at),
            _ => break,
        }
    }
    Next::Stop
}

pub(super) fn symbol(text: &[u8]) -> bool {
    character(text).is_some_and(|c| within(c, SYMBOLS))
}
