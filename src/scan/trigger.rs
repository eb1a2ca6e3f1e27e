//! Where to look: the places at which a URL could begin, found by SIMD.
//!
//! Every URL has a colon, colons are rare in text, and the octets on both sides of one
//! tell nearly all of them apart: `://`, or the last letter of a scheme that needs no slashes.
//! The tables here are derived from [`SCHEMES`]; no scheme is named twice.

#[cfg(feature = "mime")]
use super::places::Colons;
use super::utf8::Around;
use crate::url::class::{is_alphadigit, is_scheme_octet};
use crate::url::scheme::{self, SCHEMES, Scheme, Start};

/// What stands at a colon.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trigger {
    /// `://`.
    Slashes,
    /// The colon of `<URL:`.
    Prefix,
    /// The colon behind the name of a scheme that is no `scheme://`.
    Named(&'static Scheme),
}

/// Which three octets, case aside, end the name of a scheme or `URL`: a set of their hashes, in 4 KiB. It tells nearly all
/// colons in mail apart from those behind a name, with one load.
static LAST_THREE: [u64; 512] = {
    let mut set = [0; 512];
    let mut row = 0;
    while row < SCHEMES.len() {
        add_last_three(&mut set, SCHEMES[row].name.as_bytes());
        row += 1;
    }
    add_last_three(&mut set, PREFIX);
    set
};

/// What announces a URL (RFC 1738, appendix).
const PREFIX: &[u8] = b"URL";

const fn add_last_three(set: &mut [u64; 512], name: &[u8]) {
    let len = name.len();
    if len > 2 {
        let hash = hash(name[len - 3], name[len - 2], name[len - 1]);
        set[hash / 64] |= 1 << (hash % 64);
        return;
    }
    // Whatever comes before a shorter name.
    let mut before = 0;
    while before <= 255 {
        let hash = hash(before as u8, name[len - 2], name[len - 1]);
        set[hash / 64] |= 1 << (hash % 64);
        before += 1;
    }
}

/// Whether a name, or `URL`, may end in these.
#[inline(always)]
fn ends_a_name(first: u8, second: u8, third: u8) -> bool {
    let hash = hash(first, second, third);
    LAST_THREE[hash / 64] >> (hash % 64) & 1 != 0
}

/// Fifteen bits of the three octets, the same for either case of a letter.
const fn hash(first: u8, second: u8, third: u8) -> usize {
    let octets = u32::from_le_bytes([first, second, third, 0]) | 0x20_20_20;
    (octets.wrapping_mul(0x9E37_79B1) >> 17) as usize
}

/// Finds triggers in one text.
#[derive(Clone, Debug)]
pub(super) struct Triggers<'h> {
    text: &'h [u8],
    /// Where they are, if that is known, and the offset of the text in what these offsets are in.
    known: Option<(&'h [u32], usize)>,
    /// Those at hand, of a text that is long enough for SIMD of our own.
    #[cfg(feature = "mime")]
    colons: Option<Colons>,
}

/// A shorter text is searched by memchr.
#[cfg(feature = "mime")]
const MIN_TEXT: usize = 1 << 10;

impl<'h> Triggers<'h> {
    pub(super) fn new(text: &'h [u8]) -> Self {
        Triggers {
            text,
            known: None,
            #[cfg(feature = "mime")]
            colons: (text.len() >= MIN_TEXT).then(Colons::new),
        }
    }

    /// Of a text that begins at `base` of another one, whose triggers are at `places`.
    #[cfg(feature = "mime")]
    pub(super) fn known(text: &'h [u8], places: &'h [u32], base: usize) -> Self {
        Triggers { text, known: Some((places, base)), colons: None }
    }

    /// The first trigger whose colon is at `at` or behind it, with the colon's offset. Later calls go forward.
    pub(super) fn next(&mut self, at: usize) -> Option<(usize, Trigger)> {
        let Some((mut places, base)) = self.known else {
            #[cfg(feature = "mime")]
            if self.colons.is_some() {
                while let Some(colon) = self.colons.as_mut()?.next(self.text, at) {
                    if let Some(trigger) = self.at(colon) {
                        return Some((colon, trigger));
                    }
                }
                return None;
            }
            return memchr::memchr_iter(b':', self.text.get(at..)?).find_map(|i| Some((at + i, self.at(at + i)?)));
        };
        while let Some((&place, rest)) = places.split_first() {
            places = rest;
            let Some(colon) = (place as usize).checked_sub(base).filter(|&colon| colon >= at) else { continue };
            if colon >= self.text.len() {
                break;
            }
            // There is none if a part of its name stands before the text.
            if let Some(trigger) = self.at(colon) {
                self.known = Some((places, base));
                return Some((colon, trigger));
            }
        }
        self.known = Some((&[], base));
        None
    }

    /// The trigger with its colon, which stands at `colon`.
    #[inline(always)]
    pub(super) fn at(&self, colon: usize) -> Option<Trigger> {
        // What is nearly never one is told in a few instructions, by one question: which it is cannot be foretold.
        let Some(&[first, second, third, _, next, after]) =
            self.text.get(colon.wrapping_sub(3)..).and_then(<[u8]>::first_chunk::<6>)
        else {
            return self.at_edge(colon);
        };
        let slashes = (next == b'/') & (after == b'/');
        if !(slashes | ends_a_name(first, second, third)) {
            return None;
        }
        if slashes { behind_name(third) } else { self.named(colon) }
    }

    /// The same where the text begins or ends.
    #[cold]
    fn at_edge(&self, colon: usize) -> Option<Trigger> {
        match (&self.text[..colon], &self.text[colon + 1..]) {
            ([.., last], [b'/', b'/', ..]) => behind_name(*last),
            ([_, ..], _) => self.named(colon),
            _ => None,
        }
    }

    /// The trigger whose colon, which no slashes follow, stands at `colon`.
    fn named(&self, colon: usize) -> Option<Trigger> {
        let (before, behind) = (&self.text[..colon], &self.text[colon + 1..]);
        let last = *before.last()?;
        if last | 0x20 == PREFIX[2] | 0x20 && ends_with_prefix(before) {
            return Some(Trigger::Prefix);
        }
        // A field's name or a word, and a time; `Places` passes over both.
        let next = behind.first().copied().unwrap_or_default();
        if next == b' ' || (next.is_ascii_digit() && last.is_ascii_digit()) {
            return None;
        }
        let row = known_scheme(self.text, scheme_start(self.text, colon), colon)?;
        let opened = || before[..colon - row.name.len()].ends_with(b"<");
        (row.start.is_without_slashes() || opened()).then_some(Trigger::Named(row))
    }
}

/// `://` behind this octet, if that can be the last one of a scheme's name.
#[inline]
fn behind_name(last: u8) -> Option<Trigger> {
    (is_alphadigit(last) || last == b'+').then_some(Trigger::Slashes)
}

/// Whether `text` ends with `<URL` in any mix of case.
fn ends_with_prefix(text: &[u8]) -> bool {
    let Some((before, last)) = text.split_last_chunk::<{ PREFIX.len() }>() else { return false };
    before.last() == Some(&b'<') && last.eq_ignore_ascii_case(PREFIX)
}

/// No scheme's name is longer; a known one's is much shorter.
pub(super) const MAX_SCHEME: usize = 64;

/// Where the octets of scheme names before `colon` begin, [`MAX_SCHEME`] at most: the name of a scheme, if it is one.
#[inline]
pub(super) fn scheme_start(text: &[u8], colon: usize) -> usize {
    // Nearly every name has less than eight octets, and nothing but letters: that is told without a branch for each.
    if let Some(eight) = text[..colon].last_chunk() {
        let name = last_alphadigits(*eight);
        if name < 8 && !is_scheme_octet(eight[7 - name]) {
            return colon - name;
        }
    }
    let from = colon.saturating_sub(MAX_SCHEME);
    text[from..colon].iter().rposition(|b| !is_scheme_octet(*b)).map_or(from, |i| from + i + 1)
}

/// How many of the last of these octets are letters and digits, all eight at a time in one word.
#[inline]
fn last_alphadigits(eight: [u8; 8]) -> usize {
    const fn all(octet: u8) -> u64 {
        u64::from_ne_bytes([octet; 8])
    }
    // Sets the high bit of the octets, all below 80 hexadecimal, that are in the range: no sum goes beyond its octet.
    const fn within(octets: u64, first: u8, last: u8) -> u64 {
        (octets + all(0x80 - first)) & !(octets + all(0x7F - last))
    }
    let octets = u64::from_le_bytes(eight);
    let low = octets & all(0x7F);
    let found = within(low | all(0x20), b'a', b'z') | within(low, b'0', b'9');
    let others = !(found & !octets) & all(0x80);
    others.leading_zeros() as usize / 8
}

/// The known scheme whose name ends at `colon`, the longest that no letter or digit precedes (rule 2.1); `start` is
/// [`scheme_start`].
#[inline]
pub(super) fn known_scheme(text: &[u8], start: usize, colon: usize) -> Option<&'static Scheme> {
    scheme::find(&text[start..colon]).or_else(|| {
        // What stands before a name may be a dash or a dot, or the plus of another one.
        let ends = (start..colon - 1).filter(|at| !text[*at].is_ascii_alphanumeric());
        let behind_mark = ends.filter_map(|at| scheme::find(&text[at + 1..colon])).next();
        behind_mark.or_else(|| scheme::find(text.get(start + foreign(text, start)..colon)?))
    })
}

/// How many of the letters and digits at `start` belong to what stands before them, and are none of a word's (rule 2.1): the
/// end of an escape sequence, the second octet of a character in a charset of East Asia, or a line break as programs write it.
#[cold]
fn foreign(text: &[u8], start: usize) -> usize {
    let (before, letter) = (&text[..start], text.get(start).copied().unwrap_or_default());
    match before.last() {
        // ISO 2022 goes back to ASCII, or JIS-Roman, by `ESC ( B` and `ESC ( J`.
        Some(b'(') if before.ends_with(b"\x1B(") => 1,
        Some(b'[' | b';') => control_sequence(text, start),
        Some(b'\\') if matches!(letter, b'n' | b'r' | b't') => 1,
        Some(0x80..) if letter.is_ascii_alphabetic() && !Around::new(text, start).is_utf8(start) => 1,
        _ => 0,
    }
}

/// How long the end of a control sequence (ECMA-48, section 5.4) is of which numbers and the last letter stand at `start`: a
/// terminal's colours.
fn control_sequence(text: &[u8], start: usize) -> usize {
    let before = &text[start.saturating_sub(MAX_SCHEME)..start];
    let numbers = before.iter().rev().take_while(|octet| octet.is_ascii_digit() || **octet == b';').count();
    let digits = text[start..].iter().take_while(|octet| octet.is_ascii_digit()).count();
    if before[..before.len() - numbers].ends_with(b"\x1B[") { digits + 1 } else { 0 }
}

/// The length of the name that ends at `colon`, if a bare URL may start with it.
pub(super) fn starts_bare(text: &[u8], colon: usize) -> Option<usize> {
    let row = known_scheme(text, scheme_start(text, colon), colon)?;
    let has_slashes = || row.start == Start::Slashes && text[colon..].starts_with(b"://");
    (row.start.is_without_slashes() || has_slashes()).then_some(row.name.len())
}

/// The length of the scheme's name, known or not, that `text` begins with before a colon; one letter is a drive's.
pub(super) fn scheme_length(text: &[u8]) -> Option<usize> {
    let name = text.iter().position(|b| !is_scheme_octet(*b))?;
    (name > 1 && text[0].is_ascii_alphabetic() && text[name] == b':').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{Trigger, Triggers, is_scheme_octet, scheme_start};

    #[test]
    fn scheme_octets_before_a_colon() {
        for octet in 0..=255_u8 {
            for name in 0..12 {
                for before in 0..3 {
                    let text = [&b"a-b "[..before], &[octet], &b"z39aZ+bq0xYw"[..name], b":"].concat();
                    let colon = text.len() - 1;
                    let want = (0..colon).rev().take_while(|at| is_scheme_octet(text[*at])).last().unwrap_or(colon);
                    assert_eq!(scheme_start(&text, colon), want, "{}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn places() {
        type Place = Option<(usize, &'static str)>;
        let table: &[(&[u8], Place)] = &[
            (b"see http://x", Some((8, "slashes"))),
            (b"a svn+http://x", Some((10, "slashes"))),
            (b"://x", None),
            (b" ://x", None),
            (b"<URL:x", Some((4, "prefix"))),
            (b"<uRl:x", Some((4, "prefix"))),
            (b"curl:x", None),
            (b"MailTo:x", Some((6, "mailto"))),
            (b"xmailto:x", None),
            (b"news:", Some((4, "news"))),
            (b"<file:/x>", Some((5, "file"))),
            (b"file:/x", None),
            (b"Subject: x", None),
            (b"12:30", None),
            (b"std::x", None),
            (b":", None),
            (b"", None),
        ];
        for (text, want) in table {
            let got = Triggers::new(text).next(0).map(|(colon, trigger)| match trigger {
                Trigger::Slashes => (colon, "slashes"),
                Trigger::Prefix => (colon, "prefix"),
                Trigger::Named(row) => (colon, row.name),
            });
            assert_eq!(got, *want, "{:?}", String::from_utf8_lossy(text));
        }
    }
}
