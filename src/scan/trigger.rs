//! Where to look: the places at which a URL could begin, found by SIMD.
//!
//! Every URL has a colon, colons are rare in text, and the octets on both sides of one
//! tell nearly all of them apart: `://`, or the last letter of a scheme that needs no slashes.
//! The tables here are derived from [`SCHEMES`]; no scheme is named twice.

use std::sync::LazyLock;

use crate::url::scheme::{SCHEMES, Scheme, Start};

/// What stands at a colon.
#[derive(Clone, Copy, Debug)]
pub(super) enum Trigger {
    /// `://`.
    Slashes,
    /// The colon of `URL:`.
    Prefix,
    /// The colon behind the name of a scheme that is no `scheme://`.
    Named(&'static Scheme),
}

/// The rows whose name ends in an octet, by that octet in either case; the longest name first.
struct ByLastOctet([Vec<&'static Scheme>; 256]);

static ROWS: LazyLock<ByLastOctet> = LazyLock::new(|| {
    let mut rows = ByLastOctet(std::array::from_fn(|_| Vec::new()));
    for row in SCHEMES {
        let last = row.name.as_bytes()[row.name.len() - 1];
        rows.0[usize::from(last.to_ascii_lowercase())].push(row);
        if last.is_ascii_lowercase() {
            rows.0[usize::from(last.to_ascii_uppercase())].push(row);
        }
    }
    for rows in &mut rows.0 {
        rows.sort_by_key(|row| std::cmp::Reverse(row.name.len()));
    }
    rows
});

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
    rows: &'static [Vec<&'static Scheme>; 256],
    /// Where they are, if that is known, and the offset of the text in what these offsets are in.
    known: Option<(&'h [u32], usize)>,
}

impl<'h> Triggers<'h> {
    pub(super) fn new(text: &'h [u8]) -> Self {
        Triggers { text, rows: &ROWS.0, known: None }
    }

    /// Of a text that begins at `base` of another one, whose triggers are at `places`.
    #[cfg(feature = "mime")]
    pub(super) fn known(text: &'h [u8], places: &'h [u32], base: usize) -> Self {
        Triggers { known: Some((places, base)), ..Triggers::new(text) }
    }

    /// The first trigger whose colon is at `at` or behind it, with the colon's offset. Later calls go forward.
    pub(super) fn next(&mut self, at: usize) -> Option<(usize, Trigger)> {
        let Some((mut places, base)) = self.known else {
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
    #[inline]
    pub(super) fn at(&self, colon: usize) -> Option<Trigger> {
        let before = *self.text.get(colon.checked_sub(1)?)?;
        if self.text[colon + 1..].starts_with(b"//") {
            return (before.is_ascii_alphanumeric() || before == b'+').then_some(Trigger::Slashes);
        }
        let second = self.text[colon.checked_sub(2)?];
        let first = colon.checked_sub(3).map_or(b' ', |i| self.text[i]);
        if !ends_a_name(first, second, before) {
            return None;
        }
        self.named(colon)
    }

    /// Whether [`at`](Self::at) is worth asking: what is nearly never so is told in a few instructions.
    #[cfg(feature = "mime")]
    #[inline(always)]
    pub(super) fn may_be_at(&self, colon: usize) -> bool {
        match self.text.get(colon.wrapping_sub(3)..).and_then(<[u8]>::first_chunk::<6>) {
            Some([.., b'/', b'/']) => true,
            Some(&[first, second, before, ..]) => ends_a_name(first, second, before),
            None => true,
        }
    }

    /// The trigger at a colon behind something that ends like a name.
    #[cold]
    fn named(&self, colon: usize) -> Option<Trigger> {
        let name = &self.text[..colon];
        if ends_with_name(name, PREFIX) {
            return Some(Trigger::Prefix);
        }
        // A field's name or a word, and a time; `Places` passes over both.
        let next = self.text.get(colon + 1).copied().unwrap_or_default();
        if next == b' ' || (next.is_ascii_digit() && name[colon - 1].is_ascii_digit()) {
            return None;
        }
        let rows = &self.rows[usize::from(name[colon - 1])];
        let row = rows.iter().find(|row| ends_with_name(name, row.name.as_bytes()))?;
        let wrapped_only = matches!(row.start, Start::Slashes | Start::Wrapped);
        let opened = || name[..colon - row.name.len()].ends_with(b"<");
        (!wrapped_only || opened()).then_some(Trigger::Named(row))
    }
}

/// Whether `text` ends with `name` in any mix of case, and with no letter or digit before it (rule 2.1).
#[inline]
fn ends_with_name(text: &[u8], name: &[u8]) -> bool {
    let Some(from) = text.len().checked_sub(name.len()) else { return false };
    // Nearly all that are none differ in the first octet.
    text[from] | 0x20 == name[0] | 0x20
        && text[from..].eq_ignore_ascii_case(name)
        && (from == 0 || !text[from - 1].is_ascii_alphanumeric())
}

/// No scheme's name is longer; a known one's is much shorter.
pub(super) const MAX_SCHEME: usize = 64;

/// The known scheme whose name ends at `colon`: the longest that no letter or digit precedes.
pub(super) fn known_scheme(text: &[u8], colon: usize) -> Option<&'static Scheme> {
    let rows = &ROWS.0[usize::from(*text.get(colon.checked_sub(1)?)?)];
    // A shorter name than the run of letters and digits before the colon has one of them before it.
    let run = text[..colon].iter().rev().take(MAX_SCHEME).take_while(|b| b.is_ascii_alphanumeric()).count();
    let mut fitting = rows.iter().filter(|row| row.name.len() >= run);
    fitting.find(|row| ends_with_name(&text[..colon], row.name.as_bytes())).copied()
}

/// The length of the name that ends at `colon`, if a bare URL may start with it.
pub(super) fn starts_bare(text: &[u8], colon: usize) -> Option<usize> {
    let row = known_scheme(text, colon)?;
    let starts = match row.start {
        Start::Slashes => text[colon..].starts_with(b"://"),
        Start::Wrapped => false,
        _ => true,
    };
    starts.then_some(row.name.len())
}

/// Where the name of a scheme, known or not, that ends at `colon` begins, if it is a name at all
/// (`scheme`, RFC 1738 section 5). For what stands in brackets.
pub(super) fn any_scheme(text: &[u8], colon: usize) -> Option<usize> {
    let from = colon.saturating_sub(MAX_SCHEME);
    let name = text[from..colon].iter().rev().take_while(|b| is_scheme_octet(**b)).count();
    let start = colon - name;
    (name > 0 && text[start].is_ascii_alphabetic()).then_some(start)
}

/// Whether `text` begins with a scheme's name, known or not, and its colon; one letter is a drive's.
pub(super) fn begins_with_scheme(text: &[u8]) -> bool {
    let name = text.iter().take_while(|b| is_scheme_octet(**b)).count();
    name > 1 && text[0].is_ascii_alphabetic() && text.get(name) == Some(&b':')
}

/// An octet of a scheme's name (RFC 1738 section 5, `scheme`, in either case).
pub(super) fn is_scheme_octet(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::{Trigger, Triggers};

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
