//! The evidence for and against a join: questions with weights (RULES.md 3.3).

use super::looks::{
    any_extension, bare_host, extension, has_marks, is_capitalized, is_open, is_stop_word, last_segment, path,
};
use super::view::{Prefix, View, columns};

pub(super) struct Question {
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers and the tests"))]
    pub(super) name: &'static str,
    pub(super) weight: i32,
    /// How often it held in joins and in other decisions of `corpus/joins.tsv`.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers and the tests"))]
    pub(super) held: (usize, usize),
    pub(super) holds: fn(&View<'_>) -> bool,
}

macro_rules! q { ($($name:literal $w:literal $f:expr;)*) => { &[$(Question { name: $name, weight: $w, held: (0, 0), holds: $f }),*] } }

fn widest(v: &View<'_>) -> usize { v.above.width.max(v.next.width).max(v.after.width) }
fn letters(t: &[u8]) -> bool { !t.is_empty() && t.iter().all(u8::is_ascii_alphabetic) }
fn digits(t: &[u8]) -> bool { !t.is_empty() && t.iter().all(u8::is_ascii_digit) }
fn has(v: &View<'_>, b: u8) -> bool { v.word.contains(&b) }
fn whole(v: &View<'_>) -> bool { !v.rest.iter().any(u8::is_ascii_alphanumeric) && v.rest.len() <= 2 }
fn together(v: &View<'_>) -> Vec<u8> { [&v.url[v.url.len().saturating_sub(12)..], v.word].concat() }
fn marked(v: &View<'_>) -> bool { has_marks(v.word) || v.word.iter().any(|b| matches!(b, b'.' | b'_')) }
fn is_full(v: &View<'_>) -> bool { v.line.width + 1 >= widest(v) }
fn alone(v: &View<'_>) -> bool { v.before.is_empty() || v.quoted }
fn runs_on(v: &View<'_>) -> bool { v.above.text.last().is_some_and(u8::is_ascii_alphanumeric) }
fn mixed(w: &[u8]) -> bool { w.iter().any(u8::is_ascii_digit) && w.iter().any(u8::is_ascii_alphabetic) && w.iter().all(u8::is_ascii_alphanumeric) }

pub(super) const QUESTIONS: &[Question] = q! {
    "w40" 9 |v| v.line.width >= 40;
    "w50" 0 |v| v.line.width >= 50;
    "w60" 11 |v| v.line.width >= 60;
    "w66" 8 |v| v.line.width >= 66;
    "w70" 0 |v| v.line.width >= 70;
    "w74" 0 |v| v.line.width >= 74;
    "w76" 0 |v| v.line.width >= 76;
    "w80" 0 |v| v.line.width >= 80;
    "widest" 0 is_full;
    "nofit-par" 10 |v| v.line.width + 1 + columns(v.word) > widest(v);
    "fits-par" 0 |v| v.line.width + 1 + columns(v.word) + 8 < widest(v);
    "nofit72" 0 |v| v.line.width + 1 + columns(v.word) > 72;
    "nofit80" 0 |v| v.line.width + 1 + columns(v.word) > 80;
    "block" 0 |v| whole(v) && v.next.width.abs_diff(v.line.width) <= 1;
    "shorter" 0 |v| v.next.width < v.line.width;
    "alone" 6 alone;
    "words" 0 |v| v.before.windows(2).any(|w| w[0].is_ascii_alphabetic() && w[1].is_ascii_alphabetic());
    "whole" 10 whole;
    "blank" 0 |v| v.padding == 1;
    "blanks" 0 |v| v.padding > 1;
    "blank-open" 0 |v| v.padding >= 1 && !is_open(v.last);
    "in" 0 |v| v.indentation.is_gt();
    "out" 0 |v| v.indentation.is_lt();
    "lost" 0 |v| v.prefix == Prefix::Lost;
    "later" 0 |v| !v.first;
    "blank-after" 0 |v| v.after.width == 0;
    "above" 0 |v| v.above.width > 0;
    "runs-on" 0 runs_on;
    "alone-runs-on" -13 |v| alone(v) && runs_on(v);
    "t/" 0 |v| has(v, b'/');
    "t=" 12 |v| has(v, b'=');
    "t&" 0 |v| has(v, b'&');
    "t%" 0 |v| has(v, b'%');
    "t?" 0 |v| has(v, b'?');
    "t#" 0 |v| has(v, b'#');
    "t_" 6 |v| has(v, b'_');
    "t-" 0 |v| has(v, b'-');
    "t." 0 |v| has(v, b'.');
    "tdigit" 0 |v| v.word.iter().any(u8::is_ascii_digit);
    "tletters" 0 |v| letters(v.word);
    "tlower" 0 |v| !v.word.is_empty() && v.word.iter().all(u8::is_ascii_lowercase);
    "tCap" -13 |v| is_capitalized(v.word);
    "tUpper1" -10 |v| v.word.first().is_some_and(u8::is_ascii_uppercase);
    "tstop" -23 |v| is_stop_word(v.word);
    "t<=2" 0 |v| v.word.len() <= 2;
    "t>=12" 0 |v| v.word.len() >= 12;
    "t>=20" 0 |v| v.word.len() >= 20;
    "text" 12 |v| extension(v.word).is_some();
    "tanyext" 6 |v| any_extension(v.word);
    "tdigits" 0 |v| digits(v.word);
    "tmixed" 0 |v| mixed(v.word);
    "tb-" 0 |v| v.token[0] == b'-';
    "tb/" 0 |v| v.token[0] == b'/';
    "tb." 0 |v| v.token[0] == b'.';
    "tb~" 0 |v| !v.token[0].is_ascii_alphanumeric();
    "tends" 2 |v| v.token.len() > v.word.len();
    "tends/" 0 |v| v.word.ends_with(b"/");
    "numbers" 0 |v| v.token.len() > v.word.len() && v.word.len() <= 3 && digits(v.word);
    "rest" 0 |v| v.rest.iter().filter(|b| **b == b' ').count() >= 1;
    "u/" -16 |v| v.last == b'/';
    "u-" 13 |v| v.last == b'-';
    "u?" 0 |v| v.last == b'?';
    "u=" 0 |v| v.last == b'=';
    "u&" 0 |v| v.last == b'&';
    "u_" 0 |v| v.last == b'_';
    "u%" 0 |v| v.last == b'%' || v.url.len() > 2 && v.url[v.url.len() - 2] == b'%';
    "u#" 0 |v| v.last == b'#';
    "u." 0 |v| v.last == b'.';
    "u:" 0 |v| v.last == b':';
    "u," -5 |v| v.last == b',';
    "uext" -11 |v| path(&v.url).len() > 1 && extension(path(&v.url)).is_some() && !v.url.contains(&b'?');
    "uext?" 0 |v| extension(path(&v.url)).is_some() && v.url.contains(&b'?');
    "uquery" -6 |v| v.url.contains(&b'?');
    "ufrag" 0 |v| v.url.contains(&b'#');
    "uhost" 0 |v| bare_host(&v.url).is_some();
    "uhost-short" 4 |v| bare_host(&v.url).is_some_and(|h| !h.contains(&b'.'));
    "udigits" 9 |v| digits(last_segment(&v.url));
    "tog-ext" 0 |v| extension(v.word).is_none() && extension(&v.url).is_none() && extension(&together(v)).is_some();
    "tog-ext2" 12 |v| extension(v.word).is_none() && extension(&v.url).is_some() && extension(&together(v)).is_some();
    "open-marked" 5 |v| is_open(v.last) && marked(v);
    "open-word" 0 |v| is_open(v.last) && !marked(v);
    "midword" 0 |v| is_full(v) && v.last.is_ascii_alphanumeric() && v.token[0].is_ascii_alphanumeric();
    "midword-any" -8 |v| v.last.is_ascii_alphanumeric() && v.token[0].is_ascii_alphanumeric();
    "nofit-whole" 0 |v| whole(v) && v.line.width + 1 + columns(v.word) > widest(v);
    "whole-marked" 11 |v| whole(v) && has_marks(v.word);
    "whole-w70" 0 |v| whole(v) && v.line.width >= 70;
    "whole-words" 0 |v| whole(v) && !alone(v) && !marked(v);
    "slug" 6 |v| last_segment(&v.url).contains(&b'-') && v.word.contains(&b'-');
    "slug2" -5 |v| last_segment(&v.url).iter().filter(|b| **b == b'-').count() >= 2;
    "cgi-" 0 |v| v.url.ends_with(b"/cgi-") && v.word.starts_with(b"bin");
    "u/ prose" 0 |v| v.last == b'/' && !marked(v) && !v.word.iter().any(u8::is_ascii_digit);
    "u/ t-" 0 |v| v.last == b'/' && matches!(v.token[0], b'-' | b'/');
    "u. Cap" 0 |v| v.last == b'.' && v.word.first().is_some_and(u8::is_ascii_uppercase);
    "u. plain" 0 |v| v.last == b'.' && !v.url.ends_with(b"..") && !marked(v);
    "u.." 0 |v| v.url.ends_with(b"..");
    "host word" -13 |v| bare_host(&v.url).is_some() && !has_marks(v.word);
    "query tail" 0 |v| v.url.contains(&b'?') && (has(v, b'=') || has(v, b'&') || has(v, b'%'));
    "u% hex" 0 |v| (v.last == b'%' && v.word.len() >= 2 && v.word[..2].iter().all(u8::is_ascii_hexdigit)) || (v.url.len() > 2 && v.url[v.url.len()-2] == b'%' && v.word.first().is_some_and(u8::is_ascii_hexdigit));
    "uline" 0 |v| memchr::memrchr(b'#', &v.url).is_some_and(|i| matches!(&v.url[i..], [b'#', b'L', n @ ..] if digits(n)));
    "seg-hexish" 0 |v| { let s = last_segment(&v.url); s.len() >= 4 && mixed(s) && mixed(v.word) };
    "ulong" 0 |v| v.url.len() >= 60;
    "sentence" -17 |v| !whole(v) && !marked(v);
    "after-alike" 0 |v| v.after.width > 0 && v.after.text.first().is_some_and(|b| *b == b'h') && v.after.text.windows(3).any(|w| w == b"://");
};

/// The columns that questions are sums of.
pub(super) const BASE: i32 = -29;

/// A join needs this sum.
pub(super) const THRESHOLD: i32 = 4;

/// With this sum, the joined reading is an alternative.
pub(super) const BAND: i32 = -10;

pub(super) fn sum(view: &View<'_>) -> i32 {
    BASE + QUESTIONS.iter().filter(|q| (q.holds)(view)).map(|q| q.weight).sum::<i32>()
}

/// How likely a join with this sum is right: what the fit says, 0 to 1.
pub(super) fn chance(sum: i32) -> f64 {
    1.0 / (1.0 + (-f64::from(sum) / 10.0).exp())
}
