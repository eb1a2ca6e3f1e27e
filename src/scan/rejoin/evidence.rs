//! Weighs the evidence for and against joining a URL with the next line (RULES.md 3.3). The evidence is a list of
//! yes-or-no questions. If the answer to a question is yes, its weight is added to a sum. "The token" is the first
//! token of the next line.
//!
//! The weights are the coefficients of a logistic regression, multiplied by ten. The regression is computed from the
//! labelled decisions in `corpus/joins.tsv`. A test in `fit.rs` computes the weights and compares them with the weights
//! in [`QUESTIONS`].

use core::iter;

use super::heuristics::{any_extension, extension, has_marks, is_capitalized, is_mixed, is_open, is_stop_word, path};
use super::view::{View, columns};

/// A yes-or-no question about a line break after a URL, such as whether the next line has only one token.
pub(super) struct Question {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the question in corpus/joins.tsv"))]
    pub(super) name: &'static str,
    pub(super) weight: i32,
    /// The number of rows of `corpus/joins.tsv` for which the answer is yes, as two counts: the rows with the verdict
    /// `join`, and all other rows. Only rows with the result `weighed` are counted.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "documents how often the answer is yes; a test compares it with corpus/joins.tsv")
    )]
    pub(super) held: (usize, usize),
    pub(super) holds: fn(&View<'_>) -> bool,
}

const fn ask(name: &'static str, weight: i32, held: (usize, usize), holds: fn(&View<'_>) -> bool) -> Question {
    Question { name, weight, held, holds }
}

/// The intercept of the regression. Every sum begins with this number.
pub(super) const BASE: i32 = -32;

/// A URL is joined with the next line if the sum is at least this number.
pub(super) const THRESHOLD: i32 = 0;

/// If the sum is at least this number but below [`THRESHOLD`], the lines are not joined, but the joined URL is reported
/// as an alternative.
pub(super) const BAND: i32 = -8;

/// All questions. If any one of them is removed, the result of the cross-validation in `fit.rs` is worse.
pub(super) const QUESTIONS: &[Question] = &[
    // Programs wrap lines at 60 to 80 columns. So a program may have wrapped a line of at least 60 columns.
    ask("line-60", 11, (170, 106), |v| v.line.width >= 60),
    ask("did-not-fit", 15, (195, 85), |v| v.line.width + 1 + columns(v.word) > 72),
    ask("longest-of-all", 13, (178, 21), |v| is_whole(v) && v.line.width + 1 + columns(v.word) > widest(v)),
    // A long URL is often alone on its line. If such a URL was broken, the rest of the URL is alone on the next line.
    ask("alone", 14, (149, 50), is_alone),
    ask("whole-line", 10, (183, 30), is_whole),
    ask("last-line", 10, (93, 6), |v| is_whole(v) && is_alone(v) && v.after().width == 0 && is_full(v)),
    ask("later-piece", 10, (18, 8), |v| !v.first),
    // If there are words before the URL on its line, the rest of the line may have been too short for the URL. A
    // program may then have broken the URL.
    ask("words-before", 6, (49, 77), |v| v.before.windows(2).any(|two| two.iter().all(u8::is_ascii_alphabetic))),
    // A URL after two blanks or a tab is often in a column of its own, as in a signature. Such a URL is usually
    // complete at the end of its line.
    ask("column", -13, (3, 27), |v| v.before.ends_with(b"  ") || v.before.ends_with(b"\t")),
    // A program that writes `format=flowed` inserts a blank before each of its line breaks. If the message does not
    // declare the format, the scanner sees this blank.
    ask("flowed", 7, (32, 0), |v| v.padding == 1 && is_open(v.last) && is_marked(v)),
    // Signs that the token belongs to a URL.
    ask("token-slash", 13, (75, 12), |v| v.word.contains(&b'/')),
    ask("token-ends-slash", 9, (22, 0), |v| v.word.ends_with(b"/")),
    ask("token-equals", 16, (36, 2), |v| v.word.contains(&b'=')),
    ask("token-file", 14, (75, 0), |v| extension(v.word).is_some()),
    ask("token-extension", 13, (77, 3), |v| any_extension(v.word)),
    ask("token-hash", 8, (7, 1), is_hash),
    ask("query", 9, (28, 0), |v| v.url.contains(&b'?') && v.word.iter().any(|b| matches!(b, b'=' | b'&' | b'%'))),
    ask("hyphen", 12, (41, 0), |v| v.last == b'-' && (v.word[0].is_ascii_lowercase() || v.word[0].is_ascii_digit())),
    ask("file-in-two", 11, (8, 0), |v| extension(&v.url).is_none() && is_file_together(v)),
    ask("file-grows", 11, (11, 3), |v| extension(&v.url).is_some() && is_file_together(v)),
    ask("capitals", 7, (4, 0), |v| v.last.is_ascii_uppercase() && v.word[0].is_ascii_uppercase() && is_full(v)),
    // Signs that the token is prose.
    ask("capital", -12, (22, 74), |v| v.word[0].is_ascii_uppercase()),
    ask("capitalized", -7, (1, 33), |v| is_capitalized(v.word)),
    ask("stop-word", -16, (1, 25), |v| is_stop_word(v.word)),
    ask("stop-word-after-end", -13, (1, 9), |v| is_stop_word(v.word) && !is_open(v.last)),
    ask("words-after", -17, (2, 111), |v| !is_whole(v) && !is_marked(v) && v.last != b'-' && !is_hash(v)),
    ask("letters-meet", -15, (67, 99), |v| v.last.is_ascii_alphanumeric() && v.word[0].is_ascii_alphanumeric()),
    // Signs that the URL is complete.
    ask("url-file", -16, (7, 44), |v| !v.url.contains(&b'?') && extension(path(&v.url)).is_some()),
    ask("url-slash", -8, (51, 28), |v| v.last == b'/'),
];

pub(super) fn sum(view: &View<'_>) -> i32 {
    BASE + QUESTIONS.iter().filter(|question| (question.holds)(view)).map(|question| question.weight).sum::<i32>()
}

/// The tenth root of Euler's number. The weights are multiplied by ten, so the odds of a join are this number to the
/// power of the sum.
const TENTH: f64 = 1.105_170_918_075_647_6;

/// Returns the probability, from 0 to 1, that a join with this sum is right.
pub(super) fn chance(sum: i32) -> f64 {
    // Computes the power by multiplication, because `scan` is `no_std` and `core` has no `exp`.
    let odds: f64 = iter::repeat_n(TENTH, sum.unsigned_abs() as usize).product();
    if sum < 0 { 1.0 / (1.0 + odds) } else { odds / (1.0 + odds) }
}

/// Whether the URL has no text before it on its line, or has a `"` directly before it.
fn is_alone(v: &View<'_>) -> bool {
    v.before.is_empty() || v.quoted
}

/// Whether the token fills nearly all of its line: at most two bytes, such as `).`, follow the token. These bytes are
/// not letters or digits.
fn is_whole(v: &View<'_>) -> bool {
    v.rest.len() <= 2 && !v.rest.iter().any(u8::is_ascii_alphanumeric)
}

/// Returns the width, in columns, of the widest of three lines: the line before the URL's line and the two lines after
/// it.
fn widest(v: &View<'_>) -> usize {
    v.above().width.max(v.next.width).max(v.after().width)
}

fn is_full(v: &View<'_>) -> bool {
    v.line.width + 1 >= widest(v)
}

/// Whether the token looks like a hash: it has six or more bytes, all letters or digits, with at least one letter and
/// one digit.
fn is_hash(v: &View<'_>) -> bool {
    v.word.len() >= 6 && is_mixed(v.word)
}

fn is_marked(v: &View<'_>) -> bool {
    has_marks(v.word) || v.word.iter().any(|b| matches!(b, b'.' | b'_'))
}

/// Whether the line break is inside a file extension: the URL ends in `.ht`, for example, and the token is `ml`.
fn is_file_together(v: &View<'_>) -> bool {
    let end = &v.url[v.url.len().saturating_sub(12)..];
    extension(v.word).is_none() && extension(&[end, v.word].concat()).is_some()
}

#[cfg(test)]
mod tests {
    use super::chance;

    #[test]
    fn the_chance_is_the_logistic_function_of_a_tenth_of_the_sum() {
        assert!((chance(0) - 0.5).abs() < 1e-12);
        for sum in -60..60 {
            let want = 1.0 / (1.0 + (-f64::from(sum) / 10.0).exp());
            assert!((chance(sum) - want).abs() < 1e-12, "{sum}: {} and {want}", chance(sum));
        }
    }
}
