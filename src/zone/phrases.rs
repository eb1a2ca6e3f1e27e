//! The table of phrases in `phrases.txt`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A kind of phrases: the automaton that finds all phrases of these kinds, and the kind of each.
pub(super) struct Phrases {
    automaton: AhoCorasick,
    kinds: Vec<&'static str>,
}

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

/// The phrases of footers: `leave`, `list` and `tagline`.
pub(super) static FOOTERS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&["leave", "list", "tagline"]));

impl Phrases {
    fn new(of: &[&str]) -> Phrases {
        let (found, kinds) = phrases(of);
        let automaton =
            AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(found);
        Phrases { automaton: automaton.expect("the table is small"), kinds }
    }

    /// Calls `found` for each phrase in `text`, with its kind and place.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(&'static str, usize)) {
        for phrase in self.automaton.find_iter(text) {
            found(self.kinds[phrase.pattern()], phrase.start());
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
pub(super) struct First(LazyLock<[bool; 256]>);

pub(super) static BEGINS: First = First(LazyLock::new(|| {
    let mut bytes = [false; 256];
    let words = ORIGINAL.0.iter().chain(FROM.0.iter()).flatten().map(|word| word.as_bytes()[0]);
    for byte in words.chain(*b"-_=*>") {
        bytes[usize::from(byte)] = true;
        bytes[usize::from(byte.to_ascii_uppercase())] = true;
    }
    bytes
}));

impl First {
    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

impl Words {
    /// Whether `text` begins with one of the words, in any case. Returns its length.
    pub(super) fn begins(&self, text: &[u8]) -> Option<usize> {
        let is = |word: &&String| text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word.as_bytes()));
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
