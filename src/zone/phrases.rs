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

/// The phrases of the kind `leave`.
pub(super) static LEAVE: LazyLock<Phrases<&'static str>> = LazyLock::new(|| of_kinds("signs of leave", &["leave"]));

/// The phrases of the kinds `list` and `tagline`.
pub(super) static OTHERS: LazyLock<Phrases<&'static str>> =
    LazyLock::new(|| of_kinds("signs of list and tagline", &["list", "tagline"]));

/// Returns the phrases of the `kinds` in the table. `signs` is the kind of their signs.
fn of_kinds(signs: &str, kinds: &[&str]) -> Phrases<&'static str> {
    let (found, kinds) = phrases(kinds);
    let all: Vec<_> = found.into_iter().zip(kinds).collect();
    Phrases::new(&phrases(&[signs]).0, &all)
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

/// Words of one kind, in lower case, by their first byte. Words with letters outside ASCII are also listed with
/// a capital and in capitals.
pub(super) struct Words(LazyLock<Vec<Vec<String>>>);

pub(super) static ORIGINAL: Words = Words(LazyLock::new(|| by_first_byte("original")));
pub(super) static REPLY: Words = Words(LazyLock::new(|| by_first_byte("reply")));
pub(super) static FROM: Words = Words(LazyLock::new(|| by_first_byte("from")));
pub(super) static FIELD: Words = Words(LazyLock::new(|| by_first_byte("field")));
pub(super) static CONTACT: Words = Words(LazyLock::new(|| by_first_byte("contact")));
pub(super) static CLOSING: Words = Words(LazyLock::new(|| by_first_byte("closing")));

fn by_first_byte(kind: &str) -> Vec<Vec<String>> {
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
    words
}

/// The first bytes of lines that can begin an original.
pub(super) struct FirstBytes([bool; 256]);

pub(super) static BEGINS: LazyLock<FirstBytes> = LazyLock::new(|| {
    let mut bytes = [false; 256];
    let words = ORIGINAL.0.iter().chain(FROM.0.iter()).flatten().map(|word| word.as_bytes()[0]);
    for byte in words.chain(*b"-_=*>") {
        bytes[usize::from(byte)] = true;
        bytes[usize::from(byte.to_ascii_uppercase())] = true;
    }
    FirstBytes(bytes)
});

impl FirstBytes {
    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

impl Words {
    /// Whether `text` begins with one of the words, in any case. Returns its length.
    pub(super) fn begins(&self, text: &[u8]) -> Option<usize> {
        let is = |word: &&String| {
            let word = word.as_bytes();
            // Most words differ in the second byte.
            text.get(1).zip(word.get(1)).is_none_or(|(a, b)| a.eq_ignore_ascii_case(b))
                && text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word))
        };
        self.0[usize::from(text.first()?.to_ascii_lowercase())].iter().filter(is).map(String::len).max()
    }

    /// Whether one of the words is in `text`, with no letter directly before and after it.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let is_letter = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        (0..text.len()).any(|at| {
            !is_letter(at.checked_sub(1))
                && self.begins(&text[at..]).is_some_and(|length| !is_letter(Some(at + length)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A phrase without a sign would never be found. SIMD takes at most 64 signs.
    #[test]
    fn each_phrase_has_a_sign() {
        let table = [("signs of leave", &["leave"][..]), ("signs of list and tagline", &["list", "tagline"])];
        for (signs, kinds) in table {
            let fast = of_kinds(signs, kinds);
            let slow = Phrases { signs: Signs::slow(&phrases(&[signs]).0), by_sign: fast.by_sign.clone() };
            assert!(fast.by_sign.len() <= 64 && fast.by_sign.iter().all(|phrases| !phrases.is_empty()));
            for table in [fast, slow] {
                for phrase in phrases(kinds).0 {
                    let mut found = Vec::new();
                    table.find(format!("x{phrase}").as_bytes(), |_, range| found.push(range));
                    assert!(found.contains(&(1..1 + phrase.len())), "{phrase}");
                }
            }
            let signs = phrases(&[signs]).0;
            let is_in_other = |sign: &&str| signs.iter().any(|other| other != sign && other.contains(sign));
            assert_eq!(signs.iter().find(|sign| is_in_other(sign)), None);
        }
    }
}
