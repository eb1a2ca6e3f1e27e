//! Weighs the evidence for and against joining a URL with the next line (RULES.md 3.3). The evidence is a list of
//! yes-or-no questions. If the answer to a question is yes, its weight is added to a sum. "The token" is the first
//! token of the next line.
//!
//! A tenth of the sum is the logarithm of the odds that the URL continues. The weights are fitted to the labelled
//! decisions in `corpus/joins.tsv`. A test in `fit.rs` computes them and compares them with [`QUESTIONS`].

use core::iter;

use super::heuristics::{
    any_extension, authority, extension, has_marks, is_bare_host, is_capitalized, is_open, is_stop_word, is_word, path,
    without_query,
};
use super::view::{View, columns, is_prose};
use crate::trigger::scheme_length;

/// A yes-or-no question about a line break after a URL, such as whether the next line has only one token.
pub(super) struct Question {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the question in corpus/joins.tsv"))]
    pub(super) name: &'static str,
    pub(super) weight: i32,
    pub(super) holds: fn(&View<'_>) -> bool,
}

const fn ask(name: &'static str, weight: i32, holds: fn(&View<'_>) -> bool) -> Question {
    Question { name, weight, holds }
}

/// The intercept of the regression. Every sum begins with this number.
pub(super) const BASE: i32 = -23;

/// All questions. Each of them makes the cross-validation in `fit.rs` better.
pub(super) const QUESTIONS: &[Question] = &[
    // Programs wrap lines at 60 to 80 columns. No program wrapped a line that is wider.
    ask("wider-than-80", -32, |v| v.line.width > 80),
    ask("line-70", 18, |v| v.line.width >= 70),
    ask("did-not-fit", 30, |v| v.line.width + 1 + columns(v.word) > 72),
    ask("mid-word-full", 11, |v| letters_meet(v) && v.line.width + 1 >= widest(v) && v.line.width >= 70),
    // The text around the URL and the token.
    ask("alone", 15, |v| v.before.is_empty() || v.quoted),
    ask("item", 22, |v| {
        v.line.text.starts_with(b"[") || v.line.text.starts_with(b"- ") || v.line.text.starts_with(b"* ")
    }),
    ask("same-beginning", -23, |v| v.after().text.first() == v.next.text.first()),
    ask("more-follows", 11, |v| {
        is_whole(v) && v.line.width + 1 >= widest(v) && !v.after().text.contains(&b' ') && has_marks(v.after().text)
    }),
    ask("indented-less", -15, |v| v.indentation.is_lt()),
    ask("prose", -30, |v| is_prose(v.next.text)),
    ask("words-after", -28, |v| {
        !is_whole(v) && !has_marks(v.word) && !v.word.iter().any(|b| matches!(b, b'.' | b'_')) && v.last != b'-'
    }),
    ask("later-piece", 67, |v| !v.first),
    // The end of the URL.
    ask("ends-hyphen", 57, |v| v.last == b'-'),
    ask("ends-scheme", 39, is_scheme),
    ask("file", -23, |v| !v.url.contains(&b'?') && extension(path(&v.url)).is_some()),
    ask("query", -12, |v| v.url.contains(&b'?')),
    ask("complete-id", -33, |v| is_complete_id(&v.url)),
    ask("repository", -35, is_repository),
    ask("host", -25, is_host),
    // The token, and how it goes with the end of the URL.
    ask("argument", -33, is_argument),
    ask("other-url", -95, is_other_url),
    ask("local-path", -36, is_local_path),
    ask("own-name", -55, is_own_name),
    ask("label", -45, |v| v.token.ends_with(b":")),
    ask("no-letters", -40, |v| !v.token.iter().any(u8::is_ascii_alphanumeric)),
    ask("after-slash", -15, |v| {
        v.last == b'/' && !is_scheme(v) && (matches!(v.token[0], b'/' | b'-') || is_word(v.word))
    }),
    ask("letters-meet", -19, letters_meet),
    ask("file-grows", 25, |v| extension(&v.url).is_some() && is_file_together(v)),
    ask("query-goes-on", 37, |v| v.url.contains(&b'?') && v.word.iter().any(|b| matches!(b, b'=' | b'&' | b'%'))),
    ask("token-file", 15, |v| extension(v.word).is_some()),
    ask("token-long", 16, |v| v.word.len() >= 16),
    ask("token-ends-slash", 25, |v| v.word.ends_with(b"/")),
    ask("token-mark", -22, |v| !v.word[0].is_ascii_alphanumeric()),
    ask("token-dot", 25, |v| v.word[0] == b'.'),
    ask("token-slash", 32, |v| v.word[0] == b'/'),
    ask("lower-capital", -38, |v| v.last.is_ascii_lowercase() && v.word[0].is_ascii_uppercase()),
    ask("capitalized", -48, |v| is_capitalized(v.word)),
    ask("stop-word", -65, |v| is_stop_word(v.word)),
    ask("last-word", -44, |v| is_word(v.word) && v.token.len() > v.word.len()),
    ask("short-word", 14, |v| is_word(v.word) && v.word.len() <= 3),
];

pub(super) fn sum(view: &View<'_>) -> i32 {
    BASE + QUESTIONS.iter().filter(|question| (question.holds)(view)).map(|question| question.weight).sum::<i32>()
}

/// The tenth root of Euler's number. The weights are multiplied by ten, so the odds of a join are this number to the
/// power of the sum.
const TENTH: f64 = 1.105_170_918_075_647_6;

/// Returns the probability, from 0 to 1, that a join with this sum is right.
pub(super) fn chance(sum: i32) -> f64 {
    // Most sums are far below 0, and the exact probability does not matter.
    if sum < -60 {
        return 0.0;
    }
    // Computes the power by multiplication, because `scan` is `no_std` and `core` has no `exp`.
    let odds: f64 = iter::repeat_n(TENTH, sum.unsigned_abs() as usize).product();
    if sum < 0 { 1.0 / (1.0 + odds) } else { odds / (1.0 + odds) }
}

/// Whether the token fills nearly all of its line: at most two bytes, such as `).`, follow the token. These bytes are
/// not letters or digits.
pub(super) fn is_whole(v: &View<'_>) -> bool {
    v.rest.len() <= 2 && !v.rest.iter().any(u8::is_ascii_alphanumeric)
}

/// Returns the width, in columns, of the widest of three lines: the line before the URL's line and the two lines after
/// it.
fn widest(v: &View<'_>) -> usize {
    v.above().width.max(v.next.width).max(v.after().width)
}

/// Whether the token is a path in a local file system.
fn is_local_path(v: &View<'_>) -> bool {
    [&b"./"[..], b"../", b"/home/", b"/usr/"].iter().any(|place| v.word.starts_with(place))
}

fn letters_meet(v: &View<'_>) -> bool {
    v.last.is_ascii_alphanumeric() && v.word[0].is_ascii_alphanumeric()
}

/// Whether the line break is inside a file extension: the URL ends in `.ht`, for example, and the token is `ml`.
pub(super) fn is_file_together(v: &View<'_>) -> bool {
    let rest = without_query(v.word);
    if rest.len() > 5 || extension(v.word).is_some() {
        return false;
    }
    let (end, mut both) = (&v.url[v.url.len().saturating_sub(12)..], [0; 17]);
    both[..end.len()].copy_from_slice(end);
    both[end.len()..end.len() + rest.len()].copy_from_slice(rest);
    extension(&both[..end.len() + rest.len()]).is_some()
}

/// Whether the URL ends in an identifier that is complete: the number of a bug, the hash of a commit, or a Message-ID in
/// an archive.
fn is_complete_id(url: &[u8]) -> bool {
    let digits = url.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let hex = url.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
    let before = |n: usize| &url[..url.len() - n];
    let number =
        digits > 0 && [&b"cgi?id="[..], b"/issues/", b"/pull/"].iter().any(|end| before(digits).ends_with(end));
    let hash = matches!(hex, 20 | 40) && [&b"commit/"[..], b"id=", b"h="].iter().any(|end| before(hex).ends_with(end));
    let is_thread = |url: &[u8]| url.ends_with(b"/T/") || url.ends_with(b"/T");
    let thread = is_thread(url) || memchr::memchr(b'#', url).is_some_and(|fragment| is_thread(&url[..fragment]));
    let message = url.strip_suffix(b"/").is_some_and(|url| {
        memchr::memrchr2(b'@', b'/', url).is_some_and(|at| url[at] == b'@' && url[at..].contains(&b'.'))
    });
    number || hash || thread || message
}

/// Whether the line break is directly after the `://` of a URL.
fn is_scheme(view: &View<'_>) -> bool {
    view.url.ends_with(b"://")
}

/// Whether the URL has at most a slash after its host, and the token has no character that is typical of URLs, such as
/// `/` or `=`. If the URL ends in a slash and the token has a file extension, the token may be a file, so the result is
/// false.
fn is_host(view: &View<'_>) -> bool {
    let is_file = view.last == b'/' && any_extension(view.word);
    (view.last == b'/' || view.last.is_ascii_alphanumeric())
        && is_bare_host(&view.url)
        && !has_marks(view.word)
        && !is_file
}

/// Whether the URL is that of a repository: it begins with `git://`, or ends in `.git`.
fn is_repository(v: &View<'_>) -> bool {
    v.url.starts_with(b"git:") || v.url.strip_suffix(b"/").unwrap_or(&v.url).ends_with(b".git")
}

/// Whether the token is an argument after the URL of a repository, such as a branch, a tag, a directory or the suite of
/// an apt source. An example is `git clone http://a.example/b.git directory`.
fn is_argument(v: &View<'_>) -> bool {
    const REFS: &[&[u8]] = &[b"tags/", b"heads/", b"refs/", b"for-", b"master", b"main"];
    let command = if v.before.is_empty() { v.above().text } else { v.before.trim_ascii_end() };
    let is_command = [&b" clone"[..], b" checkout", b" co"].iter().any(|name| command.ends_with(name));
    let is_apt = v.before.starts_with(b"deb") || v.url.ends_with(b"/ubuntu") || v.url.ends_with(b"/debian");
    let is_directory = v.last == b'/' && !v.word.contains(&b'/');
    is_command && (is_directory || !is_open(v.last)) && !any_extension(v.word)
        || is_apt && !is_open(v.last) && v.word[0].is_ascii_lowercase()
        || !matches!(v.last, b'=' | b'-' | b'_') && REFS.iter().any(|name| v.word.starts_with(name))
        || v.url.ends_with(b".git") && (v.word[0].is_ascii_alphabetic() || v.word[0] == b'/')
}

/// Whether another URL begins in the token. In the token, text can be before this URL: for example `src=`, or the `+`
/// or `-` at the start of a line in a patch.
pub(super) fn is_other_url(view: &View<'_>) -> bool {
    let from = if let [b'.' | b'+' | b'-' | b'#', from @ ..] = view.token { from } else { view.token };
    let nested = |colon: usize| memchr::memchr2(b'?', b'&', &view.token[..colon]).is_some();
    // Text such as `localhost:8080/` can belong to the first URL: `localhost` is a host with a port, not a scheme. But
    // `news:4711@example.org` begins another URL.
    let port = |name: usize| {
        let after = &from[name + 1..];
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (1..=5).contains(&digits)
            && !after.get(digits).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"@%$-".contains(byte))
    };
    scheme_length(from).is_some_and(|name| !port(name)) || authority(view.token).is_some_and(|colon| !nested(colon))
}

/// Whether the token is the name of the file that the URL names.
fn is_own_name(v: &View<'_>) -> bool {
    let url = v.url.strip_suffix(b"/").unwrap_or(&v.url);
    let name = &url[memchr::memrchr2(b'/', b'=', url).map_or(0, |i| i + 1)..];
    let word = v.word.strip_prefix(b"#").unwrap_or(v.word);
    name.len() >= 4 && word.starts_with(name) || word.len() >= 4 && name.ends_with(word)
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
