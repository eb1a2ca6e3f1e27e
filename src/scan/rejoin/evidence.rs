//! Weighs the evidence for and against joining a URL with the next line (RULES.md 3.3). The evidence is a list of
//! yes-or-no questions. If the answer to a question is yes, its weight is added to a sum. "The token" is the first
//! token of the next line.
//!
//! A tenth of the sum is the logarithm of the odds that the URL continues. The weights are fitted to the labelled
//! decisions in `corpus/joins.tsv`. A test in `fit_tests.rs` computes them and compares them with [`QUESTIONS`].

use core::iter;

use super::heuristics::{
    Kinds, any_extension, authority, extension, is_capitalized, is_open, is_stop_word, without_query,
};
use super::view::{View, columns, has_query, is_prose};
use crate::trigger::scheme_length;

/// A yes-or-no question about a line break after a URL, such as whether the next line has only one token.
#[cfg(any(feature = "mime", test))]
pub(in crate::scan) struct Question {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the question in corpus/joins.tsv"))]
    pub(super) name: &'static str,
    pub(in crate::scan) weight: i32,
    /// What a "yes" means, in the words of an explanation. "The text" is the token.
    #[cfg_attr(not(feature = "mime"), expect(dead_code, reason = "only the extractor explains"))]
    pub(in crate::scan) about: &'static str,
    pub(in crate::scan) holds: fn(&View<'_>) -> bool,
}

#[cfg(any(feature = "mime", test))]
const fn ask(name: &'static str, weight: i32, about: &'static str, holds: fn(&View<'_>) -> bool) -> Question {
    Question { name, weight, about, holds }
}

/// The intercept of the regression. Every sum begins with this number.
pub(in crate::scan) const BASE: i32 = -19;

/// Defines the table of questions, and a function that asks all of them. A loop over the table would take longer,
/// because the answers to most questions cost less than a call.
macro_rules! questions {
    ($(ask($name:literal, $weight:expr, $about:literal, $holds:expr $(,)?)),* $(,)?) => {
        /// All questions. Each of them makes the cross-validation in `fit_tests.rs` better.
        #[cfg(any(feature = "mime", test))]
        pub(in crate::scan) const QUESTIONS: &[Question] = &[$(ask($name, $weight, $about, $holds)),*];

        /// Returns the sum of the evidence.
        pub(super) fn sum(view: &View<'_>) -> i32 {
            let mut sum = BASE;
            $({
                let holds: fn(&View<'_>) -> bool = $holds;
                sum += $weight * i32::from(holds(view));
            })*
            sum
        }
    };
}

questions!(
    // Programs wrap lines at 60 to 80 columns. No program wrapped a line that is wider.
    ask("wider-than-80", -28, "the line of the URL is wider than 80 columns", |v| v.line.width > 80),
    ask("line-70", 17, "the line of the URL has at least 70 columns", |v| v.line.width >= 70),
    ask("did-not-fit", 20, "the text did not fit on the line of the URL", |v| v.line.width + 1 + columns(v.word) > 72),
    ask(
        "mid-word-full",
        8,
        "the line is at least as wide as those around it, and a letter or digit is on both sides of the break",
        |v| letters_meet(v) && v.line.width + 1 >= widest(v) && v.line.width >= 70,
    ),
    // The text around the URL and the token.
    ask("alone", 9, "the URL is alone on its line, or in quotation marks", |v| v.before.is_empty() || v.quoted),
    ask("same-beginning", -19, "the line after the next line begins in the same way as the next line", |v| {
        v.after().text.first() == v.next.text.first()
    }),
    ask("fits-paragraph", -16, "the text would have fitted on the line of the URL, as the lines around it show", |v| {
        v.line.width + 1 + columns(v.word) <= widest(v)
    }),
    ask("whole", 15, "the text is alone on its line", is_whole),
    ask("indented-less", -14, "the next line is indented less", |v| v.indentation.is_lt()),
    ask("indented-more", -18, "the next line is indented more, and the text has no mark of URLs such as `/`", |v| {
        v.indentation.is_gt() && !v.kinds.has(Kinds::MARKS)
    }),
    ask("prose", -21, "the next line begins like a sentence", |v| is_prose(v.next.text)),
    ask("words-after", -9, "words follow the text, which looks like a word itself", |v| {
        !is_whole(v) && !v.kinds.has(Kinds::MARKS.or(Kinds::DOT).or(Kinds::UNDERSCORE)) && v.last != b'-'
    }),
    ask("words-after-slash", -6, "the URL ends in a slash, and words follow the text", |v| {
        v.last == b'/'
            && !is_whole(v)
            && !v.kinds.has(Kinds::MARKS)
            && !v.kinds.is_only(Kinds::DIGITS)
            && !any_extension(v.word)
    }),
    ask("later-piece", 55, "the URL up to this break has several lines already", |v| !v.first),
    // The end of the URL.
    ask("ends-hyphen", 40, "the URL ends in a hyphen", |v| v.last == b'-'),
    ask("ends-equals", 24, "the URL ends in `=`", |v| v.last == b'='),
    ask("ends-scheme", 27, "the URL ends in `://`", is_scheme),
    ask("file", -25, "the URL ends in a file extension", |v| {
        v.extension() > 0 && !has_query(v) && extension(v.path()).is_some()
    }),
    ask("query", -15, "the URL has a `?`", has_query),
    ask("complete-id", -38, "the URL ends in a complete identifier, such as the number of a bug", |v| {
        is_complete_id(&v.url)
    }),
    ask("repository", -24, "the URL is that of a repository", is_repository),
    ask("host", -20, "the URL is only a host, and the text has no mark of URLs", is_host),
    // The token, and how it goes with the end of the URL.
    ask("argument", -42, "the text looks like an argument of a command", is_argument),
    ask("local-path", -35, "the text is a path of a local file", is_local_path),
    ask("own-name", -29, "the text repeats the last name of the URL", is_own_name),
    ask("label", -41, "the text ends in a colon", |v| v.token.ends_with(b":")),
    ask("no-letters", -47, "the text has no letters or digits", |v| !v.token.iter().any(u8::is_ascii_alphanumeric)),
    ask("after-slash", -23, "the URL ends in a slash, and the text is a word, or begins with `/` or `-`", |v| {
        v.last == b'/' && !is_scheme(v) && (matches!(v.token[0], b'/' | b'-') || v.kinds.is_only(Kinds::LETTERS))
    }),
    ask("letters-meet", -18, "a letter or digit is on both sides of the line break", letters_meet),
    ask(
        "odd-width",
        -27,
        "a letter or digit is on both sides of the break, and programs rarely cut a line at this width",
        |v| v.first && v.prefix == 0 && letters_meet(v) && !is_cut_width(v),
    ),
    ask(
        "cut-width",
        8,
        "a letter or digit is on both sides of the break, no more text follows, and programs often cut a line at this width",
        |v| v.first && v.prefix > 0 && letters_meet(v) && is_whole(v) && is_cut_width(v),
    ),
    ask("digits-meet", 16, "digits are on both sides of the line break", |v| {
        v.last.is_ascii_digit() && v.kinds.is_only(Kinds::DIGITS)
    }),
    ask("file-grows", 26, "the text completes a file extension", |v| v.extension() > 0 && is_file_together(v)),
    ask("query-goes-on", 47, "the URL has a `?`, and the text has `=`, `&` or `%`", |v| {
        v.kinds.has(Kinds::QUERY) && has_query(v)
    }),
    ask("token-file", 21, "the text ends in a file extension", |v| {
        v.kinds.has(Kinds::DOT) && extension(v.word).is_some()
    }),
    ask("token-long", 15, "the text has at least 16 bytes", |v| v.word.len() >= 16),
    ask("token-ends-slash", 19, "the text ends in a slash", |v| v.word.ends_with(b"/")),
    ask("token-mark", -5, "the text begins with a mark", |v| !v.word[0].is_ascii_alphanumeric()),
    ask("token-slash", 23, "the text begins with a slash", |v| v.word[0] == b'/'),
    ask("token-fragment", 30, "the text begins like a fragment, with `#`", |v| {
        is_whole(v) && matches!(v.word, [b'#', b'A'..=b'z', ..]) && !v.url.contains(&b'#')
    }),
    ask("token-colon", -13, "the text has a colon", |v| v.kinds.has(Kinds::COLON)),
    // A word such as `It's`.
    ask("apostrophe", -45, "the text is a word with an apostrophe", |v| {
        v.kinds.has(Kinds::APOSTROPHE) && v.kinds.is_only(Kinds::LETTERS.or(Kinds::APOSTROPHE))
    }),
    ask("lower-capital", -21, "the URL ends in a small letter, and the text begins with a capital", |v| {
        v.last.is_ascii_lowercase() && v.word[0].is_ascii_uppercase()
    }),
    ask("capitalized", -47, "the text is a word with a capital", |v| is_capitalized(v.word)),
    ask("stop-word", -51, "the text is a common word, such as `the`", |v| is_stop_word(v.word)),
    ask("last-word", -44, "the text is a word before a punctuation mark", |v| {
        v.kinds.is_only(Kinds::LETTERS) && v.token.len() > v.word.len()
    }),
    ask("short-word", 9, "the text is a word of at most three letters", |v| {
        v.kinds.is_only(Kinds::LETTERS) && v.word.len() <= 3
    }),
);

/// The tenth root of Euler's number. The weights are multiplied by ten, so the odds of a join are this number to the
/// power of the sum.
const TENTH: f64 = 1.105_170_918_075_647_6;

/// Returns the probability, from 0 to 1, that a join with this sum is right.
pub(in crate::scan) fn chance(sum: i32) -> f64 {
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
pub(super) fn is_local_path(v: &View<'_>) -> bool {
    const PLACES: &[&[u8]] =
        &[b"./", b"../", b"/builds/", b"/dev/", b"/etc/", b"/home/", b"/media/", b"/tmp/", b"/usr/", b"/var/"];
    matches!(v.word[0], b'.' | b'/') && PLACES.iter().any(|place| v.word.starts_with(place))
}

fn letters_meet(v: &View<'_>) -> bool {
    v.last.is_ascii_alphanumeric() && v.word[0].is_ascii_alphanumeric()
}

/// Whether the URL's line, without the quote marks that were added after the cut, is as wide as the lines that programs
/// cut in the middle of a word: 72 or 76 columns. Of 79 such cuts in unquoted text of the labelled archives, 76 are at
/// these widths, and of 96 complete URLs at least 60 columns wide only 10.
fn is_cut_width(v: &View<'_>) -> bool {
    (0..=v.prefix).any(|added| matches!(v.line.width.saturating_sub(added), 72 | 76)) || v.line.width == v.next.width
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

/// Whether the URL ends in an identifier that is complete: the number of a bug, the hash of a commit, the number of a
/// line, or a Message-ID in an archive.
fn is_complete_id(url: &[u8]) -> bool {
    let digits = url.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let hex = url.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
    let before = |n: usize| &url[..url.len() - n];
    let ends = |url: &[u8], ends: &[&[u8]]| ends.iter().any(|end| url.ends_with(end));
    let number = digits > 0 && ends(before(digits), &[b"cgi?id=", b"/issues/", b"/pull/", b"#L", b"#n"]);
    let action = ends(url, &[b"&action=edit", b"&action=view"]);
    let hash = matches!(hex, 20 | 40) && ends(before(hex), &[b"commit/", b"id=", b"h="]);
    let is_thread = |url: &[u8]| ends(url, &[b"/T/", b"/T"]);
    let thread = is_thread(url) || memchr::memchr(b'#', url).is_some_and(|fragment| is_thread(&url[..fragment]));
    let message = url.strip_suffix(b"/").is_some_and(|url| {
        memchr::memrchr2(b'@', b'/', url).is_some_and(|at| url[at] == b'@' && url[at..].contains(&b'.'))
    });
    number || action || hash || thread || message
}

/// Whether the line break is directly after the `://` of a URL.
fn is_scheme(view: &View<'_>) -> bool {
    view.url.ends_with(b"://")
}

/// Whether the URL has at most a slash after its host, and the token has no character that is typical of URLs, such as
/// `/` or `=`. If the URL ends in a slash and the token has a file extension, the token may be a file, so the result is
/// false.
fn is_host(view: &View<'_>) -> bool {
    let is_file = || view.last == b'/' && any_extension(view.word);
    (view.last == b'/' || view.last.is_ascii_alphanumeric())
        && !view.kinds.has(Kinds::MARKS)
        && view.is_bare_host()
        && !is_file()
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
    // In a link that was rewritten, such as `v3/__https://a.example`, a mark is directly before the other URL.
    let nested = |colon: usize| {
        let before = &view.token[..colon];
        let name = before.iter().rev().take_while(|b| b.is_ascii_alphanumeric()).count();
        memchr::memchr2(b'?', b'&', before).is_some() || matches!(before[..colon - name], [_, .., b'/' | b'_' | b'*'])
    };
    // Text such as `localhost:8080/` can belong to the first URL: `localhost` is a host with a port, not a scheme. But
    // `news:4711@example.org` begins another URL.
    let port = |name: usize| {
        let after = &from[name + 1..];
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (1..=5).contains(&digits)
            && !after.get(digits).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"@%$-".contains(byte))
    };
    scheme_length(from).is_some_and(|name| name + 1 < from.len() && !port(name))
        || authority(view.token).is_some_and(|colon| !nested(colon))
}

/// Whether the token is the name of the file that the URL names.
fn is_own_name(v: &View<'_>) -> bool {
    let url = v.url.strip_suffix(b"/").unwrap_or(&v.url);
    let name = &url[memchr::memrchr2(b'/', b'=', url).map_or(0, |i| i + 1)..];
    let word = v.word.strip_prefix(b"#").unwrap_or(v.word);
    name.len() >= 4 && word.starts_with(name) || word.len() >= 4 && (name.ends_with(word) || name.starts_with(word))
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
