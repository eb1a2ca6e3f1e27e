//! Decides whether a bare URL at the end of a line continues on the next line (RULES.md, section 3).
//!
//! A few signs prevent a join, whatever else there is (`vetoes.rs`). In all other cases, the weights of about fifty
//! questions give the probability that the URL continues (`evidence.rs`).

mod elsewhere;
pub(super) mod evidence;
#[cfg(test)]
mod fit_tests;
pub(super) mod heuristics;
pub(super) mod vetoes;
pub(super) mod view;

use alloc::vec::Vec;
use core::ops::Range;

use super::Scanner;
use super::bare::Extent;
use super::emphasis::EmphasisState;
use super::wrapped;
use crate::url::Url;
use heuristics::Kinds;
use view::{End, View};

pub(crate) use elsewhere::Elsewhere;
use elsewhere::Whole;

/// The maximum number of lines that can follow the first line of a URL.
const MAX_LINES: usize = 8;

/// This number replaces the sum of the evidence if a single sign is enough for a join (see [`is_settled`]), or if the
/// message has another copy of the joined URL. It stands for a probability of 98 %.
pub(super) const SETTLED: i32 = 40;

/// This number replaces the sum of the evidence if nobody can tell what the URL was (see [`is_cut_host`]), or if the URL
/// is probably complete (see [`is_complete`]). It stands for a probability of 12 %, so the lines are not joined, but the
/// joined URL is an alternative.
pub(super) const UNKNOWABLE: i32 = -20;

/// A reading of a URL is reported as an alternative if its probability is at least this number.
const ALTERNATIVE: f64 = 0.10;

/// By default, lines are joined if the probability of the reading is at least this number of percent.
pub(crate) const LIKELY: u8 = 60;

/// This number replaces the sum of the evidence if a veto applies. It stands for a probability of 0.
pub(super) const NEVER: i32 = -200;

/// If the sum of the evidence is in this range, the message is searched for another copy of the URL. Such a copy can
/// change the decision (RULES.md 3.5). No labelled break with a sum below -40 is inside a URL.
const ASKED: Range<i32> = -80..30;

/// This number is added to the sum if another copy shows that the URL ends at the line break: the message has a copy of
/// that URL, but no copy of the joined URL.
const CUT: i32 = -30;

/// What [`join`] has found at the end of a piece: the view and the sum of its evidence, or the end of the piece and the
/// reason why the URL ends there.
pub(super) type LineBreak<'v, 't> = Result<(&'v View<'t>, i32), (usize, End)>;

/// A bare URL that continues, or may continue, on further lines.
pub(super) struct Joined {
    /// The pieces of the URL, one on each line. Punctuation is trimmed from the last piece. The list is empty if no
    /// join is likely enough.
    pub(super) pieces: Vec<Range<usize>>,
    /// The text of `pieces`.
    pub(super) url: Vec<u8>,
    /// The end of the last piece, including the punctuation that was trimmed from it.
    pub(super) after: usize,
    /// The probability, in percent, that the URL consists of `pieces` and no more. At most 99.
    pub(super) confidence: u8,
    /// A URL of other pieces, which is less likely but possible.
    pub(super) other: Option<Vec<u8>>,
}

/// A way to read a URL over several lines. The reading at index `i` joins `i + 1` line breaks.
struct Reading {
    /// The piece before the last of these line breaks.
    piece: Range<usize>,
    /// The last piece, without the punctuation after it.
    last: Range<usize>,
    /// The end of the last piece, including the punctuation.
    after: usize,
    chance: f64,
}

/// Joins the bare URL that starts at `start` with the lines on which it continues or may continue. Returns `None` if
/// there are no such lines. `first` is the extent of the URL on its first line. Lines are joined only if the confidence
/// is at least the percentage of [`Scanner::join`].
///
/// All lines are weighed together: a URL over three lines is whole, or it is not joined. If `p` is the probability of a
/// join, the reading with two joins has the probability `p1 * p2 * (1 - p3)`.
///
/// Reads the joined lines, one line before them and two lines after them. Passes each line break to `record`.
pub(super) fn join(
    text: &[u8],
    start: usize,
    first: &Extent,
    scanner: &Scanner,
    elsewhere: Option<Elsewhere<'_>>,
    marks: &mut EmphasisState,
    mut record: impl FnMut(LineBreak<'_, '_>),
) -> Option<Joined> {
    let (mut last, mut open) = (start..first.end, first.open);
    // `last` is the last piece found so far, and `url` is the joined text of the pieces before it.
    let (mut url, mut readings) = (Vec::new(), Vec::<Reading>::new());
    let mut chance = 1.0;
    while readings.len() < MAX_LINES {
        let (mut view, token) = match View::at(text, start, &url, last.clone(), open, marks) {
            Ok(view) => view,
            Err(end) => {
                record(Err((last.end, end)));
                break;
            }
        };
        view.is_meant &= scanner.is_flowed;
        let sum = ask(&view, elsewhere);
        record(Ok((&view, sum)));
        let next = evidence::chance(sum);
        if let Some(reading) = readings.last_mut() {
            reading.chance *= 1.0 - next;
        }
        chance *= next;
        if chance < ALTERNATIVE {
            break;
        }
        let piece = last.start..last.end - view.cut;
        // Most joined URLs are shorter than this, so the text is not moved for each piece.
        url.reserve(256);
        url.extend_from_slice(&text[piece.clone()]);
        let before = url.len();
        url.extend_from_slice(&text[token.piece.start..token.trimmed]);
        if Url::parse(&url).is_err() {
            break;
        }
        let rest = token.piece.start..token.trimmed;
        readings.push(Reading { piece, last: rest, after: token.piece.end, chance });
        url.truncate(before);
        (last, open) = (token.piece, token.open);
    }
    // Nearly all URLs end here.
    if readings.is_empty() {
        return None;
    }
    choose(text, &readings, scanner.join.unwrap_or(u8::MAX))
}

/// Whether a URL that ends at `end` is at the end of its line. If not, [`join`] has nothing to do.
#[inline]
pub(super) fn ends_line(text: &[u8], end: usize) -> bool {
    view::blanks_before_break(text, end).is_some()
}

/// Chooses the most probable reading.
fn choose(text: &[u8], readings: &[Reading], least: u8) -> Option<Joined> {
    let likely = |without: Option<usize>| {
        let likely = |(i, reading): &(usize, &Reading)| Some(*i) != without && reading.chance >= ALTERNATIVE;
        readings.iter().enumerate().filter(likely).max_by(|(_, a), (_, b)| a.chance.total_cmp(&b.chance))
    };
    let pieces = |i: usize| -> Vec<Range<usize>> {
        readings[..=i].iter().map(|reading| &reading.piece).chain([&readings[i].last]).cloned().collect()
    };
    let (i, best) = likely(None)?;
    let confidence = (best.chance * 100.0 + 0.5).min(99.0) as u8;
    if confidence < least {
        let other = Some(wrapped::join(text, &pieces(i)));
        return Some(Joined { pieces: Vec::new(), url: Vec::new(), after: 0, confidence, other });
    }
    let other = likely(Some(i)).map(|(other, _)| wrapped::join(text, &pieces(other)));
    let pieces = pieces(i);
    Some(Joined { url: wrapped::join(text, &pieces), pieces, after: best.after, confidence, other })
}

/// Returns the sum of the evidence, after a search for copies of the URL in the message.
fn ask(view: &View<'_>, elsewhere: Option<Elsewhere<'_>>) -> i32 {
    let sum = weigh(view).unwrap_or_else(|fixed| fixed);
    let Some(elsewhere) = elsewhere.filter(|_| ASKED.contains(&sum)) else { return sum };
    match elsewhere.whole(view) {
        Whole::Joined => SETTLED,
        Whole::Cut => sum + CUT,
        Whole::Neither => sum,
    }
}

/// Returns the sum of the evidence, or a number that replaces it, as an error: [`SETTLED`], [`NEVER`] or [`UNKNOWABLE`].
#[inline(always)]
pub(super) fn weigh(view: &View<'_>) -> Result<i32, i32> {
    if view.soft {
        Err(SETTLED)
    } else if is_complete(view) {
        Err(UNKNOWABLE)
    } else if let Some((_, is_weak)) = vetoes::first(view) {
        Err(if is_weak { UNKNOWABLE } else { NEVER })
    } else if is_settled(view) {
        Err(SETTLED)
    } else if is_cut_host(view) {
        Err(UNKNOWABLE)
    } else {
        let sum = evidence::sum(view);
        if sum > UNKNOWABLE && UNLIKELY.iter().any(|(holds, _)| holds(view)) { Err(UNKNOWABLE) } else { Ok(sum) }
    }
}

/// A sign that the URL ends at a line break although the evidence may be for a join, and its description.
type Sign = (fn(&View<'_>) -> bool, &'static str);

/// The signs for which the joined URL is only an alternative (RULES.md 3.2).
pub(super) const UNLIKELY: [Sign; 6] = [
    (|view| view.ends_comment, "the line of the URL is a comment after `#`, and the next line is not"),
    (|view| view.is_marked, "both lines begin with the same mark, as in a list"),
    (vetoes::comma, "the URL ends in a comma, which is mostly punctuation"),
    (is_path, "the text is a path of a file"),
    (is_next_file, "the URL ends in the name of a file, and the text is another, as in a list of files"),
    (|view| view.is_meant, "in `format=flowed` text, a line break without a blank before it is meant"),
];

/// Whether a single sign near the line break is enough for a join, without further evidence (RULES.md 3.1).
fn is_settled(view: &View<'_>) -> bool {
    let open = view.closes && (view.quoted || heuristics::is_open(view.last));
    let whole = evidence::is_whole(view)
        && view.first
        && (is_file(view) || view.last == b'=' && view.kinds.is_only(Kinds::DIGITS));
    let is_nested = view.last == b':' && view.token.starts_with(b"//");
    view.is_confirmed() || open || whole || is_nested || is_labelled(view) || is_hash(view)
}

/// The minimum width of a line that is so full that the next token may belong to its URL, in columns.
const FULL: usize = 60;

/// Whether the token is alone after a full line, but the URL is probably complete: the token is a name, a version, a
/// price, a vote such as `+1`, or a word after a file extension or a fragment, or a word of several capitals after a
/// host.
pub(super) fn is_complete(view: &View<'_>) -> bool {
    let word = view.word;
    if is_page_name(view) {
        return !is_labelled(view) && !view.is_confirmed();
    }
    let is_alone = view.first && view.line.width >= FULL && evidence::is_whole(view);
    if !is_alone || view.kinds.has(Kinds::MARKS) || heuristics::is_stop_word(word) || view.is_confirmed() {
        return false;
    }
    if evidence::is_other_url(view) || vetoes::address(view) {
        return false;
    }
    let ends = view.last == b'/' || view.last.is_ascii_alphanumeric();
    let is_name = word.split(|byte| *byte == b'-').all(heuristics::is_capitalized);
    let is_vote = matches!(word, [b'+', b'0'..=b'9']);
    let is_of_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b',');
    let is_price = matches!(word, [b'$', b'0'..=b'9', rest @ ..] if rest.iter().all(is_of_number));
    let mut numbers = word.split(|byte| *byte == b'.');
    let is_version =
        view.kinds.has(Kinds::DOT) && numbers.all(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit));
    let after_file = view.extension() > 2
        && memchr::memchr2(b'?', b'#', &view.url).is_none()
        && word[0].is_ascii_alphanumeric()
        && !view.kinds.is_only(Kinds::DIGITS)
        && !evidence::is_file_together(view);
    let is_signature = match word {
        [b'@' | b'~', name @ ..] => Kinds::of(name).is_only(Kinds::LETTERS),
        [b'-', first, rest @ ..] => first.is_ascii_uppercase() && rest.iter().all(u8::is_ascii_lowercase),
        _ => false,
    };
    let after_fragment = word[0].is_ascii_alphabetic() && has_fragment_of_words(&view.url);
    is_vote
        || is_price
        || ends && is_name
        || view.last.is_ascii_alphanumeric() && (is_version || is_signature || after_file || after_fragment)
}

/// Whether the fragment of `url` consists of words, and the last of them is so long that it is probably whole, as in
/// `#command-line-interface` (report K17). A program that cuts a line rarely cuts it after the seventh letter of a word.
fn has_fragment_of_words(url: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'#', url) else { return false };
    let is_word = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.');
    let last = url.iter().rev().take_while(|byte| byte.is_ascii_lowercase()).count();
    last >= 7 && url[at + 1..].iter().all(is_word)
}

/// Whether the URL is a host and a slash, and the token is the name of a page of a wiki, such as `FrontPage` or
/// `Front_Page`.
pub(super) fn is_page_name(view: &View<'_>) -> bool {
    view.last == b'/'
        && evidence::is_whole(view)
        && view.word.windows(2).any(|two| matches!(two, [b'a'..=b'z' | b'_', b'A'..=b'Z']))
        && heuristics::authority(view.word).is_none()
        && view.is_bare_host()
}

/// Whether `URL:` is before the URL, and the token is the name of a page of a wiki.
fn is_labelled(view: &View<'_>) -> bool {
    let before = view.before.trim_ascii_end();
    let label = before.get(before.len().saturating_sub(4)..).unwrap_or_default();
    label.eq_ignore_ascii_case(b"URL:") && is_page_name(view)
}

/// Whether the token is a path of a local file, or of a file in a source tree after a URL that ends in a letter or digit.
fn is_path(view: &View<'_>) -> bool {
    const TREES: &[&[u8]] = &[b"Documentation/", b"arch/", b"drivers/", b"fs/", b"include/", b"src/"];
    let is_source = || TREES.iter().any(|tree| view.word.starts_with(tree));
    evidence::is_local_path(view) || view.last.is_ascii_alphanumeric() && is_source()
}

/// Whether a line that may belong to the URL ends in the name of a file, and the token is such a name, too. Of the labelled
/// breaks with both, no URL continues.
fn is_next_file(view: &View<'_>) -> bool {
    !view.first && view.extension() > 0 && !view::has_query(view) && heuristics::extension(view.word).is_some()
}

/// Whether the line break is inside a hash: the digits on both sides are a whole one, of 32, 40 or 64 digits.
fn is_hash(view: &View<'_>) -> bool {
    let before = view.url.iter().rev().take(64).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let after = view.word.iter().take(64).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let around = [view.url[..view.url.len() - before].last(), view.word.get(after)];
    matches!(before + after, 32 | 40 | 64)
        && !matches!(before, 0 | 32 | 40)
        && after > 0
        && !around.iter().flatten().any(|byte| byte.is_ascii_alphanumeric())
}

/// Whether the line break is inside or directly before a file extension, as in `a.ht` before `ml`.
fn is_file(view: &View<'_>) -> bool {
    let grows = view.extension() == 0 || view.url.ends_with(b".htm") && view.word == b"l";
    evidence::is_file_together(view) && grows && view.kinds.is_only(Kinds::SMALL)
}

/// Whether a gateway has cut the host of a rewritten link, such as `https://stat/` before `example.org%2Fa&data=b`. The
/// `%2F` shows that the token is from the query of another URL.
pub(super) fn is_cut_host(view: &View<'_>) -> bool {
    // `%` is one of these, and few words have them.
    view.kinds.has(Kinds::QUERY)
        && memchr::memchr2(b'/', b'?', view.word).is_none()
        && matches!(view.path(), b"" | b"/" | b"/.")
        && memchr::memmem::find(view.word, b"%2F").is_some()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::scan::bare;
    use evidence::QUESTIONS;
    use vetoes::VETOES;

    /// Whether the sign `name` holds at a line break.
    fn holds(name: &str, view: &View<'_>) -> bool {
        let veto = VETOES.iter().find(|veto| veto.name == name).map(|veto| veto.holds);
        let question = QUESTIONS.iter().find(|question| question.name == name.trim_end_matches(" (question)"));
        let sign: fn(&View<'_>) -> bool = match name {
            "settled" => is_settled,
            "complete" => is_complete,
            "cut-host" => is_cut_host,
            "comment" => |view| view.ends_comment,
            "marked" => |view| view.is_marked,
            "comma" => vetoes::comma,
            "path" => is_path,
            "next-file" => is_next_file,
            "flowed" => |view| view.is_meant,
            _ => veto.or_else(|| Some(question?.holds)).unwrap_or_else(|| panic!("no sign {name}")),
        };
        sign(view)
    }

    /// Returns whether the sign `name` holds at one of the line breaks of `text` that are weighed, or whether `name` is
    /// the reason why no further line break is weighed. At least one line break must be weighed.
    fn asked(name: &str, text: &str) -> bool {
        let bytes = text.as_bytes();
        let colon = text.find("://").unwrap();
        let start =
            bytes[..colon].iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |before| before + 1);
        let extent = bare::first_line(bytes, start, colon);
        let scanner = Scanner { is_flowed: true, ..Scanner::new() };
        let (mut held, mut reason) = (Vec::new(), String::new());
        let is_reason = name.starts_with(char::is_uppercase);
        join(bytes, start, &extent, &scanner, None, &mut EmphasisState::default(), |found| match found {
            Ok((view, _)) => held.push(!is_reason && holds(name, view)),
            Err((_, end)) => reason = format!("{end:?}"),
        });
        assert!(is_reason || !held.is_empty(), "{text:?}: {reason}");
        if is_reason { reason == name } else { held.contains(&true) }
    }

    /// Each sign holds for the texts with it in `corpus/line_breaks.toml`, and for none of the texts without it, also
    /// if the lines end with CRLF.
    #[test]
    fn signs_hold_for_the_texts_of_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/line_breaks.toml");
        let table: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
        let mut wrong = String::new();
        for sign in table["sign"].as_array().unwrap() {
            let name = sign["name"].as_str().unwrap();
            for (list, want) in [("yes", true), ("no", false)] {
                for text in sign[list].as_array().unwrap() {
                    let text = text.as_str().unwrap();
                    let url = "http://www.example.org/archive/of/the/list/about/old/computers";
                    let whole = text.replace("{}", url) + "\n";
                    for whole in [whole.replace('\n', "\r\n"), whole] {
                        if std::panic::catch_unwind(|| asked(name, &whole)).ok() != Some(want) {
                            wrong += &format!("{name}: {text:?} is not {list}\n");
                        }
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "\n{wrong}");
    }
}
