//! Searches for phrases by short parts of them, and reads the table of phrases in `phrases.txt`.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, Input, Match};

/// The phrases with `kinds`.
fn phrases(of: &[&str]) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut kind = "";
    let (mut found, mut kinds) = (Vec::new(), Vec::new());
    for line in include_str!("phrases.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[') {
            Some(name) => kind = name.trim_end_matches(']'),
            None if of.contains(&kind) => {
                found.push(line);
                kinds.push(kind);
            }
            None => {}
        }
    }
    (found, kinds)
}

/// Finds the signs of phrases.
enum Signs {
    Fast(Searcher),
    /// For processors without such SIMD code.
    Slow(AhoCorasick),
}

impl Signs {
    fn slow(signs: &[&str]) -> Signs {
        Signs::Slow(AhoCorasick::new(signs).expect("the table is small"))
    }

    /// Returns the first sign in `text` at or after `from`. No sign is in another.
    fn next(&self, text: &[u8], from: usize) -> Option<Match> {
        match self {
            Signs::Fast(search) => search.find_in(text, (from..text.len()).into()),
            Signs::Slow(search) => search.find(Input::new(text).range(from..)),
        }
    }
}

/// Phrases, each with a value such as its kind. SIMD finds their signs: short parts of phrases, at least one in each.
pub(super) struct Phrases<K> {
    signs: Signs,
    /// For each sign, the phrases that have it, their values, and the offset of the sign in them.
    by_sign: Vec<Vec<(&'static str, K, usize)>>,
}

impl<K: Copy> Phrases<K> {
    /// Takes the signs as they are in the texts that are searched.
    pub(super) fn new(signs: &[&str], phrases: &[(&'static str, K)]) -> Phrases<K> {
        let of = |sign: &&str| {
            let is_sign = |part: &[u8]| part.eq_ignore_ascii_case(sign.as_bytes());
            let place = |phrase: &str| phrase.as_bytes().windows(sign.len()).position(is_sign);
            phrases.iter().filter_map(|(phrase, kind)| Some((*phrase, *kind, place(phrase)?))).collect()
        };
        let by_sign = signs.iter().map(of).collect();
        Phrases { signs: Searcher::new(signs).map_or_else(|| Signs::slow(signs), Signs::Fast), by_sign }
    }

    /// Calls `found` for each phrase in `text`, with its value and place. A sign of the phrase must be in `text` as it is;
    /// case does not matter for the rest. A phrase with two signs can be found twice, and phrases that overlap may come
    /// in any order.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(K, Range<usize>)) {
        let mut from = 0;
        while let Some(sign) = self.signs.next(text, from) {
            from = sign.start() + 1;
            for (phrase, kind, before) in &self.by_sign[sign.pattern()] {
                if let Some(at) = sign.start().checked_sub(*before)
                    && text[at..].get(..phrase.len()).is_some_and(|text| text.eq_ignore_ascii_case(phrase.as_bytes()))
                {
                    found(*kind, at..at + phrase.len());
                }
            }
        }
    }
}

/// The distance between the places of a text at which parts of phrases are looked up.
const STEP: usize = 3;

/// Returns four bytes without the bits in which capitals and small letters differ.
fn folded(bytes: [u8; 4]) -> u32 {
    u32::from_le_bytes(bytes) & 0x1F1F_1F1F
}

/// Returns the place of the `folded` bytes in [`Footers::bits`]: an index and a bit.
fn place(folded: u32) -> (usize, u32) {
    let hash = folded.wrapping_mul(0x9E37_79B1);
    ((hash >> 20) as usize, 1 << (hash >> 15 & 31))
}

/// A part of a phrase: four of its bytes.
struct Part {
    folded: u32,
    /// The offset of the part in the phrase.
    before: usize,
    phrase: &'static str,
    kind: &'static str,
}

/// The phrases of footers. Each has [`STEP`] parts one after the other, so one of them is at a place that is looked up.
/// See `benches/record/2026-11-30.md` for the time.
pub(super) struct Footers {
    /// A bit is set if a part has this [`place`]. Few other bytes have the place of a part.
    bits: [u32; 1 << 12],
    /// The indices of the first parts with these places.
    first: [u16; 1 << 12],
    /// The parts, sorted by their places.
    parts: Vec<Part>,
}

pub(super) static FOOTERS: LazyLock<Footers> = LazyLock::new(|| {
    let mut parts = Vec::new();
    let (found, kinds) = phrases(&["leave", "list", "tagline"]);
    for (phrase, kind) in found.into_iter().zip(kinds) {
        assert!(phrase.len() >= STEP + 2, "{phrase:?} is too short");
        let from = rarest(phrase.as_bytes());
        for before in from..from + STEP {
            let bytes = &phrase.as_bytes()[before..];
            match bytes.first_chunk() {
                Some(&bytes) => parts.push(Part { folded: folded(bytes), before, phrase, kind }),
                // Any byte can be after a phrase of five bytes.
                None => parts.extend((0..32).map(|next| Part {
                    folded: folded([bytes[0], bytes[1], bytes[2], next]),
                    before,
                    phrase,
                    kind,
                })),
            }
        }
    }
    parts.sort_by_key(|part| place(part.folded));
    let (mut bits, mut first) = ([0; 1 << 12], [0; 1 << 12]);
    for (index, part) in parts.iter().enumerate().rev() {
        let (slot, bit) = place(part.folded);
        bits[slot] |= bit;
        first[slot] = u16::try_from(index).expect("few parts");
    }
    Footers { bits, first, parts }
});

/// Returns the offset of the parts of `phrase` whose letters are rare, so that few other words have them.
fn rarest(phrase: &[u8]) -> usize {
    let rank = |byte: &u8| b" etaoinsrhldcumfpgwybvkxjqz".iter().position(|other| other == byte).unwrap_or(20);
    let last = phrase.len().saturating_sub(STEP + 3);
    let rarity = |from: &usize| phrase[*from..].iter().take(STEP + 3).map(rank).sum::<usize>();
    (0..=last).max_by_key(rarity).unwrap_or(0)
}

impl Footers {
    /// Calls `found` for each phrase in `text`, with its kind and place. Phrases that overlap may come in any order.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(&'static str, Range<usize>)) {
        let mut at = 0;
        while let Some(bytes) = text[at..].first_chunk() {
            self.at(at, folded(*bytes), text, &mut found);
            at += STEP;
        }
        // Any byte can be the fourth of a part whose phrase has ended.
        if let [a, b, c] = text[at..] {
            self.at(at, folded([a, b, c, 0]), text, &mut found);
        }
    }

    /// Calls `found` for each phrase in `text` of which the part `folded` is at `at`.
    #[inline(always)]
    fn at(&self, at: usize, folded: u32, text: &[u8], found: &mut impl FnMut(&'static str, Range<usize>)) {
        let (slot, bit) = place(folded);
        if self.bits[slot] & bit == 0 {
            return;
        }
        let parts = self.parts[usize::from(self.first[slot])..].iter().take_while(|part| place(part.folded).0 == slot);
        for part in parts.filter(|part| part.folded == folded) {
            let phrase = part.phrase.as_bytes();
            if let Some(start) = at.checked_sub(part.before)
                && text[start..].get(..phrase.len()).is_some_and(|text| text.eq_ignore_ascii_case(phrase))
            {
                found(part.kind, start..start + phrase.len());
            }
        }
    }
}

/// The first two bytes of words. For each first byte, a mask has the second bytes, without their upper bits.
#[derive(Clone)]
pub(super) struct Beginnings([u32; 256]);

impl Beginnings {
    fn of<'w>(words: impl Iterator<Item = &'w [u8]>) -> Beginnings {
        let mut seconds = [0; 256];
        for word in words {
            // Any byte can be after a word of one byte.
            let mask = word.get(1).map_or(u32::MAX, |byte| 1 << (byte & 31));
            for first in [word[0].to_ascii_lowercase(), word[0].to_ascii_uppercase()] {
                seconds[usize::from(first)] |= mask;
            }
        }
        Beginnings(seconds)
    }

    /// Whether `text` may begin with one of the words.
    #[inline]
    pub(super) fn may_begin(&self, text: &[u8]) -> bool {
        let [first, rest @ ..] = text else { return false };
        self.0[usize::from(*first)] >> (rest.first().unwrap_or(&0) & 31) & 1 != 0
    }
}

/// Words of one kind, in lower case, by their first byte. Words with letters outside ASCII are also listed with
/// a capital and in capitals.
pub(super) struct Words(LazyLock<(Beginnings, Vec<Vec<String>>)>);

pub(super) static ORIGINAL: Words = Words(LazyLock::new(|| by_first_byte("original")));
pub(super) static REPLY: Words = Words(LazyLock::new(|| by_first_byte("reply")));
pub(super) static FROM: Words = Words(LazyLock::new(|| by_first_byte("from")));
pub(super) static FIELD: Words = Words(LazyLock::new(|| by_first_byte("field")));
pub(super) static CONTACT: Words = Words(LazyLock::new(|| by_first_byte("contact")));
pub(super) static CLOSING: Words = Words(LazyLock::new(|| by_first_byte("closing")));

fn by_first_byte(kind: &str) -> (Beginnings, Vec<Vec<String>>) {
    let mut words = vec![Vec::new(); 256];
    let mut add = |word: String| words[usize::from(word.as_bytes()[0])].push(word);
    for word in phrases(&[kind]).0 {
        add(word.to_owned());
        let mut letters = word.chars();
        let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        for other in [capital, word.to_uppercase()] {
            if !word.is_ascii() && other != word {
                add(other);
            }
        }
    }
    (Beginnings::of(words.iter().flatten().map(String::as_bytes)), words)
}

/// The beginnings of lines that can begin an original.
pub(super) static BEGINS: LazyLock<Beginnings> = LazyLock::new(|| {
    let words = ORIGINAL.0.1.iter().chain(&FROM.0.1).flatten().map(String::as_bytes);
    Beginnings::of(words.chain([&b"-"[..], b"_", b"=", b"*", b">"]))
});

impl Words {
    /// Whether `text` begins with one of the words, in any case. Returns its length.
    pub(super) fn begins(&self, text: &[u8]) -> Option<usize> {
        let (beginnings, words) = &*self.0;
        if !beginnings.may_begin(text) {
            return None;
        }
        let is = |word: &&String| text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word.as_bytes()));
        words[usize::from(text[0].to_ascii_lowercase())].iter().filter(is).map(String::len).max()
    }

    /// Whether one of the words is in `text`, with no letter directly before and after it.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let (beginnings, _) = &*self.0;
        let mut is_inside = false;
        text.iter().enumerate().any(|(at, byte)| {
            let is_start = !is_inside;
            is_inside = byte.is_ascii_alphanumeric();
            is_start && beginnings.may_begin(&text[at..]) && {
                let is_end = |length: usize| text.get(at + length).is_none_or(|byte| !byte.is_ascii_alphanumeric());
                self.begins(&text[at..]).is_some_and(is_end)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phrase_is_found_at_each_place() {
        for phrase in phrases(&["leave", "list", "tagline"]).0 {
            for before in 0..STEP {
                for after in ["", "x"] {
                    let mut places = Vec::new();
                    let text = format!("{}{}{after}", "x".repeat(before), phrase.to_ascii_uppercase());
                    FOOTERS.find(text.as_bytes(), |_, range| places.push(range));
                    assert!(places.contains(&(before..before + phrase.len())), "{text}");
                }
            }
        }
    }
}
