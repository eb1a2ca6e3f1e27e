//! Decides whether a colon is a trigger, and finds the scheme name before it.

#[cfg(feature = "mime")]
use core::ops::Range;

use super::utf8::is_utf8_around;
use crate::url::class::{is_alphadigit, is_scheme_byte};
use crate::url::scheme::{self, Grammar, REGISTERED, SCHEMES, Scheme, Start};
use crate::url::suffix_labels;

/// The kind of a trigger.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trigger {
    /// `://`.
    Slashes,
    /// The colon of `<URL:`.
    Prefix,
    /// The colon of a known scheme with no `//` after it, such as `mailto:`.
    Named(&'static Scheme),
}

/// Which dots an index has beside the triggers. A dot can belong to an address without a scheme, such as
/// `www.example.org`.
#[cfg(feature = "mime")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dots {
    None,
    /// The dots of addresses that begin like `www.`, or that have a path.
    Paths,
    /// The dots between a letter or digit and a letter.
    Hosts,
}

/// Maximum length in bytes of a top-level domain. The longest has 33 bytes in UTF-8.
#[cfg(feature = "mime")]
pub(super) const MAX_TOP: usize = 48;

/// Whether the label of a host can have `byte`.
#[cfg(feature = "mime")]
pub(super) const fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || !byte.is_ascii()
}

/// Maximum number of digits after `www` and the like.
#[cfg(feature = "mime")]
pub(super) const MAX_DIGITS: usize = 2;

/// The first labels of hosts of servers that people open. Digits can follow, as in `www2.example.org`. After the other
/// labels than `www`, they can follow if the address has a path.
#[cfg(feature = "mime")]
pub(crate) const SERVERS: [&[u8]; 5] = [b"www", b"ftp", b"gopher", b"wais", b"web"];

#[cfg(feature = "mime")]
impl Dots {
    /// Whether the dot at offset `dot` of `text` may belong to an address. At least one dot of each address is found.
    pub(crate) fn has(self, text: &[u8], dot: usize) -> bool {
        let is_edge = |byte: u8| is_label(byte) && byte != b'-';
        let (before, after) = (&text[..dot], &text[dot + 1..]);
        let (Some(last), Some(next)) = (before.last(), after.first()) else { return false };
        if self == Dots::None || !is_edge(*last) || !is_edge(*next) {
            return false;
        }
        let is_name = !next.is_ascii_digit();
        if self == Dots::Hosts {
            return is_name;
        }
        let is_path = || {
            let label = after.iter().take(MAX_TOP).take_while(|byte| is_label(**byte));
            match after[label.count()..] {
                [b':', next, ..] => next == b'/' || next.is_ascii_alphanumeric(),
                [b'/', ..] => true,
                _ => false,
            }
        };
        begins_like_www(before) || is_name && is_path()
    }

    /// Returns the offset of the first such dot in the range `dots` of `text`.
    pub(crate) fn first(self, text: &[u8], dots: Range<usize>) -> Option<usize> {
        let start = dots.start;
        memchr::memchr_iter(b'.', text.get(dots)?).map(|dot| start + dot).find(|dot| self.has(text, *dot))
    }
}

/// Whether `text` ends with `www`, perhaps with digits after it, or with the label of another server.
#[cfg(feature = "mime")]
fn begins_like_www(text: &[u8]) -> bool {
    let digits = text.iter().rev().take(MAX_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
    let ends_with = |text: &[u8], server: &[u8]| {
        let start = text.len().checked_sub(server.len()).filter(|start| text[*start..].eq_ignore_ascii_case(server))?;
        Some(text[..start].last().is_none_or(|before| !before.is_ascii_alphanumeric()))
    };
    let [www, others @ ..] = SERVERS;
    ends_with(&text[..text.len() - digits], www).is_some()
        || others.iter().any(|server| ends_with(text, server) == Some(true))
}

/// A bit set of 4 KiB, which has 15-bit hashes of the ends of names.
type Ends = [u64; 512];

/// The hashes of the last three bytes of each name in [`SCHEMES`], and the hash of `URL`. A URL of a scheme with two
/// letters has `//`, or a `<` before it, which counts as the third byte.
static LISTED: Ends = {
    let (mut set, mut row) = ([0; 512], 0);
    while row < SCHEMES.len() {
        set = with(set, hash_three(SCHEMES[row].name.as_bytes()));
        row += 1;
    }
    with(set, hash_three(PREFIX))
};

/// [`LISTED`], and the names in [`REGISTERED`] with at most three letters.
static LAST_THREE: Ends = {
    let (mut set, mut row) = (LISTED, 0);
    while row < REGISTERED.len() {
        let name = REGISTERED[row].as_bytes();
        if name.len() <= 3 {
            set = with(set, hash_three(name));
        }
        row += 1;
    }
    set
};

/// The hashes of the last five bytes of the names in [`REGISTERED`] with at least four letters. A name of four letters
/// counts with the `<` before it. Many words end in the same three letters as a name, but few in the same five.
static LAST_FIVE: Ends = {
    let (mut set, mut row) = ([0; 512], 0);
    while row < REGISTERED.len() {
        set = match REGISTERED[row].as_bytes() {
            [.., a, b, c, d, e] => with(set, hash_five([*a, *b, *c, *d, *e, 0, 0, 0])),
            [a, b, c, d] => with(set, hash_five([b'<', *a, *b, *c, *d, 0, 0, 0])),
            _ => set,
        };
        row += 1;
    }
    set
};

/// The word before the colon of `<URL:...>` (RFC 1738, appendix).
const PREFIX: &[u8] = b"URL";

/// Adds a hash to a set.
const fn with(mut set: Ends, hash: usize) -> Ends {
    set[hash / 64] |= 1 << (hash % 64);
    set
}

/// Whether `set` has `hash`.
#[inline(always)]
fn has(set: &Ends, hash: usize) -> bool {
    set[hash / 64] >> (hash % 64) & 1 != 0
}

/// Returns a hash of the last three bytes of `name`. Ignores the case of letters.
#[inline(always)]
const fn hash_three(name: &[u8]) -> usize {
    let bytes = match name {
        [.., a, b, c] => u32::from_le_bytes([*a, *b, *c, 0]) | 0x20_20_20,
        [a, b] => u32::from_le_bytes([b'<', *a, *b, 0]) | 0x20_20_20,
        _ => panic!("a name has at least two letters"),
    };
    (bytes.wrapping_mul(0x9E37_79B1) >> 17) as usize
}

/// Returns a hash of the first five of eight bytes. Ignores the case of letters.
#[inline(always)]
const fn hash_five(bytes: [u8; 8]) -> usize {
    let bytes = (u64::from_le_bytes(bytes) | 0x20_20_20_20_20) << 24;
    (bytes.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 49) as usize
}

/// Returns the trigger whose colon is at offset `colon` of `text`.
#[inline(always)]
pub(super) fn trigger_at(text: &[u8], colon: usize) -> Option<Trigger> {
    // These checks rule out nearly all colons in a few instructions. The first checks share one branch: if each check had
    // a branch, the processor would often predict the branches wrongly.
    let Some(around) = text.get(colon.wrapping_sub(5)..).and_then(<[u8]>::first_chunk::<8>) else {
        return at_edge(text, colon);
    };
    let [.., last, _, next, after] = *around;
    let slashes = (next == b'/') & (after == b'/');
    // No blank follows a registered scheme, but lines often end with a word that ends like one, as in `wrote:`.
    let is_glued = next > b' ';
    let three = if is_glued { &LAST_THREE } else { &LISTED };
    let is_likely = slashes | has(three, hash_three(&around[2..5]));
    if !is_likely && !(is_glued & has(&LAST_FIVE, hash_five(*around))) {
        return None;
    }
    if slashes { after_name(last) } else { named(text, colon) }
}

/// Returns the trigger at a colon near the start or end of `text`.
#[cold]
fn at_edge(text: &[u8], colon: usize) -> Option<Trigger> {
    match (&text[..colon], &text[colon + 1..]) {
        ([.., last], [b'/', b'/', ..]) => after_name(*last),
        ([_, ..], _) => named(text, colon),
        _ => None,
    }
}

/// Returns the trigger at a colon without `//` after it.
fn named(text: &[u8], colon: usize) -> Option<Trigger> {
    let (before, after) = (&text[..colon], &text[colon + 1..]);
    let last = *before.last()?;
    if last | 0x20 == PREFIX[2] | 0x20 && ends_with_prefix(before) {
        return Some(Trigger::Prefix);
    }
    // A colon before a blank usually follows the name of a header field or a word, as in `News: text`. A colon between
    // digits is usually part of a time. The index skips both kinds of colons, so this function must skip them, too.
    let next = after.first().copied().unwrap_or_default();
    if next == b' ' || (next.is_ascii_digit() && last.is_ascii_digit()) {
        return None;
    }
    // A scheme that is only registered has a `<` before it, and no blank after it.
    let is_listed = before.len() > 2 && has(&LISTED, hash_three(before));
    let start = scheme_start(text, colon);
    if !is_listed && (next <= b' ' || !text[..start].ends_with(b"<")) {
        return None;
    }
    let row = known_scheme(text, start, colon)?;
    let opened = || before[..colon - row.name.len()].ends_with(b"<");
    // `<content:encoded>` is a tag of XML.
    let is_name = |byte: &&u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    let is_tag = || after.iter().find(|byte| !is_name(byte)).is_none_or(|byte| b"> \n\r\t".contains(byte));
    if row.start.is_without_slashes() || opened() && !(row.start == Start::Registered && is_tag()) {
        return Some(Trigger::Named(row));
    }
    // JSON writes `http:\/\/host`, and Windows `file:\\host` (rule 2.5).
    let escaped = after.starts_with(br"\/\/") || next == b'\\' && row.grammar == Grammar::File;
    let is_web = row.name.starts_with("http");
    (escaped || is_web && missing_slashes(row.name.as_bytes(), after) > 0).then_some(Trigger::Slashes)
}

/// Returns how many slashes are missing between the colon of the scheme `name` and the host that `rest` begins with
/// (rule 6.2): one in `http:/www.example.org/`, two in `http:www.example.org/`. Returns 0 if no host follows.
#[cold]
pub(crate) fn missing_slashes(name: &[u8], rest: &[u8]) -> usize {
    let is_web = [&b"http"[..], b"https"].iter().any(|web| web.eq_ignore_ascii_case(name));
    let (host, missing) = rest.strip_prefix(b"/").map_or((rest, 2), |host| (host, 1));
    let end = host.iter().take(255).take_while(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(byte)).count();
    let Ok(name) = str::from_utf8(&host[..end]) else { return 0 };
    let name = name.trim_end_matches(['.', '-']);
    // In code, `http:server.name` is no URL, and `http:/index.html` is a path.
    let is_www = || name.len() > 6 && name.as_bytes()[..4].eq_ignore_ascii_case(b"www.") && name[4..].contains('.');
    let is_host = || missing == 1 && name.contains('.') && suffix_labels(name) > 0;
    if is_web && (is_www() || is_host()) { missing } else { 0 }
}

/// Returns [`Trigger::Slashes`] if `last`, the byte before the colon, can be the last byte of a scheme name, or a backslash
/// after it (rule 2.5).
fn after_name(last: u8) -> Option<Trigger> {
    (is_alphadigit(last) || matches!(last, b'+' | b'\\')).then_some(Trigger::Slashes)
}

/// Whether `text` ends with `<URL`, in upper or lower case.
fn ends_with_prefix(text: &[u8]) -> bool {
    let Some((before, last)) = text.split_last_chunk::<{ PREFIX.len() }>() else { return false };
    before.last() == Some(&b'<') && last.eq_ignore_ascii_case(PREFIX)
}

/// Maximum length in bytes of a scheme name. The names of all known schemes are much shorter.
pub(crate) const MAX_SCHEME: usize = 64;

/// Returns the offset at which the possible scheme name before `colon` begins. Goes back at most [`MAX_SCHEME`] bytes.
pub(crate) fn scheme_start(text: &[u8], colon: usize) -> usize {
    let from = colon.saturating_sub(MAX_SCHEME);
    text[from..colon].iter().rposition(|b| !is_scheme_byte(*b)).map_or(from, |i| from + i + 1)
}

/// Returns the known scheme whose name ends at `colon`. The byte before the name must not be a letter or digit (rule
/// 2.1). If several names end at `colon`, such as `svn+ssh` and `ssh`, returns the longest. `start` is the result of
/// [`scheme_start`].
pub(crate) fn known_scheme(text: &[u8], start: usize, colon: usize) -> Option<&'static Scheme> {
    scheme::find(&text[start..colon]).or_else(|| {
        // A dash, a dot or a plus can be before the name of a known scheme, as in `x-mailto:`.
        let ends = (start..colon - 1).filter(|at| !text[*at].is_ascii_alphanumeric());
        let after_mark = ends.filter_map(|at| scheme::find(&text[at + 1..colon])).next();
        // `host.example` does not end in the scheme `example`.
        let after_mark = after_mark.filter(|row| row.start != Start::Registered);
        after_mark.or_else(|| scheme::find(text.get(start + foreign(text, start)..colon)?))
    })
}

/// Returns the number of bytes at `start` that look like the beginning of a scheme name, but belong to the text before
/// `start` (rule 2.1a): the bytes end an escape sequence, a colour of IRC, a character in an East Asian charset, or an
/// escape such as `\n`. For example, the `n` of `\nhttp://host` does not belong to the scheme name.
fn foreign(text: &[u8], start: usize) -> usize {
    let (before, letter) = (&text[..start], text.get(start).copied().unwrap_or_default());
    match before.last() {
        // In ISO 2022, the sequences `ESC ( B` and `ESC ( J` switch to ASCII or JIS-Roman. Their last letter does not
        // belong to a scheme name.
        Some(b'(') if before.ends_with(b"\x1B(") => 1,
        Some(b'[' | b';') => control_sequence(text, start),
        Some(b'\\') if matches!(letter, b'n' | b'r' | b't') => 1,
        // The fonts of roff, as in `\fBhttp://host\fP`.
        Some(b'\\') if matches!(text[start..], [b'f', b'B' | b'I' | b'R' | b'P', ..]) => 2,
        Some(0x03 | b',') => colour(text, start),
        Some(0x80..) if letter.is_ascii_alphabetic() && !is_utf8_around(text, start, start) => 1,
        _ => 0,
    }
}

/// Returns the number of digits at `start` that belong to a colour of IRC: a byte 3, then one or two digits, and possibly
/// a comma and one or two digits more, as in `^C04,12`.
fn colour(text: &[u8], start: usize) -> usize {
    let before = &text[start.saturating_sub(4)..start];
    let first = before.iter().rev().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    let is_second = matches!(before, [.., b','] if before[..before.len() - 1 - first].ends_with(&[3]) && first > 0);
    let digits = text[start..].iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
    if is_second || before.ends_with(&[3]) { digits } else { 0 }
}

/// If `start` is inside a control sequence of a terminal (ECMA-48, section 5.4), returns the number of bytes from
/// `start` to the end of the sequence. For example, returns 2 before the `1m` of `ESC [ 1m`. Returns 0 outside a
/// control sequence.
fn control_sequence(text: &[u8], start: usize) -> usize {
    let before = &text[start.saturating_sub(MAX_SCHEME)..start];
    let numbers = before.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if before[..before.len() - numbers].ends_with(b"\x1B[") { digits + 1 } else { 0 }
}

/// Returns the length of the scheme name that ends at `colon`, if a bare URL can begin with this name. A bare URL has
/// no brackets around it.
pub(crate) fn starts_bare(text: &[u8], colon: usize) -> Option<usize> {
    let row = known_scheme(text, scheme_start(text, colon), colon)?;
    let has_slashes = || row.start == Start::Slashes && text[colon..].starts_with(b"://");
    (row.start.is_without_slashes() || has_slashes()).then_some(row.name.len())
}

/// Returns the length of the scheme name at the start of `text`, if a colon follows. The scheme may be unknown. A
/// single letter before the colon does not count as a scheme, because it is usually a drive, as in `C:`.
pub(crate) fn scheme_length(text: &[u8]) -> Option<usize> {
    let name = text.iter().position(|b| !is_scheme_byte(*b))?;
    (name > 1 && text[0].is_ascii_alphabetic() && text[name] == b':').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{REGISTERED, Trigger, is_scheme_byte, scheme_start, trigger_at};

    /// A registered scheme without `//` is a trigger after `<`, and before text.
    #[test]
    fn registered_schemes() {
        for name in REGISTERED.iter().flat_map(|name| [(*name).to_owned(), name.to_ascii_uppercase()]) {
            for before in ["", "xxxxxxxx "] {
                let text = format!("{before}<{name}:a/b>");
                let colon = text.len() - 5;
                let found = trigger_at(text.as_bytes(), colon);
                assert!(
                    matches!(found, Some(Trigger::Named(row)) if row.name.eq_ignore_ascii_case(&name)),
                    "{text}: {found:?}"
                );
                let without = text.replace('<', "");
                assert!(trigger_at(without.as_bytes(), colon - 1).is_none(), "{without}");
            }
            // At the start of a text, other code decides.
            let [near, far] = ["", "xxxxxxxx "].map(|before| format!("{before}<{name}:\u{1}>"));
            let [near, far] = [near, far].map(|text| trigger_at(text.as_bytes(), text.len() - 3).is_some());
            assert_eq!(near, far, "{name}");
        }
    }

    #[test]
    fn scheme_bytes_before_a_colon() {
        for byte in 0..=255_u8 {
            for name in 0..12 {
                for before in 0..3 {
                    let text = [&b"a-b "[..before], &[byte], &b"z39aZ+bq0xYw"[..name], b":"].concat();
                    let colon = text.len() - 1;
                    let want = (0..colon).rev().take_while(|at| is_scheme_byte(text[*at])).last().unwrap_or(colon);
                    assert_eq!(scheme_start(&text, colon), want, "{}", text.escape_ascii());
                }
            }
        }
    }
}
