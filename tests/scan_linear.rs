//! Checks that the scanner takes linear time for any text.
//!
//! If a text is four times as long, the scan may take at most [`GROWTH`] times as long. The scan of a hostile text may
//! take at most [`SLOWER`] times as long as the scan of an ordinary text. The scanner looks ahead only up to fixed
//! limits, such as 8 KiB for the text in brackets. A scanner that looked ahead from every byte would take quadratic
//! time only for texts that are shorter than such a limit. So the test also measures texts of [`SMALL`] bytes, and
//! texts of four times as many bytes, which are still shorter than 8 KiB.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::cpu;
use urlspool::Scanner;

/// The largest accepted quotient: the time for `4 * n` bytes of a text, divided by the time for `n` bytes. Linear time
/// gives 4, and quadratic time gives 16.
const GROWTH: f64 = 7.0;

/// The largest accepted quotient: the time for a hostile text, divided by the time for an ordinary text of the same
/// length.
const SLOWER: f64 = 60.0;

/// The largest number of tries. Several tries are needed, because other programs can disturb a measurement.
const TRIES: usize = 12;

/// The size in bytes of the shorter text. The longer text has four times this size.
const SMALL: usize = 2_000;
const LARGE: usize = 80 << 10;

/// The shortest time by which the test divides. A shorter measured time is replaced by this time, because measurements
/// of short times are imprecise.
const SHORTEST: Duration = Duration::from_micros(100);

/// Makes a text of about `n` bytes: `head`, then `unit` repeated, then `tail`.
fn repeated(head: &str, unit: &str, tail: &str, n: usize) -> Vec<u8> {
    [head, &unit.repeat(n / unit.len()), tail].concat().into_bytes()
}

/// Repeats the string literal `$unit` a hundred times.
macro_rules! hundred {
    ($unit:literal) => {
        hundred!(@ hundred!(@ $unit))
    };
    (@ $($ten:tt)*) => {
        concat!($($ten)*, $($ten)*, $($ten)*, $($ten)*, $($ten)*, $($ten)*, $($ten)*, $($ten)*, $($ten)*, $($ten)*)
    };
}

/// An ordinary text in the first row, and hostile texts in the other rows. Each row has a name, `head`, `unit` (which
/// is repeated) and `tail`.
const HOSTILE: &[(&str, &str, &str, &str)] = &[
    (
        "ordinary text",
        "",
        "See http://example.org/a/b.html, or <URL:ftp://example.org/pub/x>\nfor what was said.\n",
        "",
    ),
    ("wrappers in wrappers", "", "<URL:", ""),
    ("wrappers in wrappers, closed", "", "<URL:", ">"),
    ("opening brackets", "", "<", ""),
    ("closing brackets", "<URL:http://example.org/", ">", ""),
    ("empty wrappers", "", "<URL:>", ""),
    ("unclosed older wrappers", "", "<http://a", ""),
    ("unclosed wrappers, one a line", "", "<URL:\n", ""),
    ("unclosed wrappers with URLs, one a line", "", "<URL:http://a/\n", ""),
    ("quoted unclosed wrappers", "", "> <URL:http://a/\n", ""),
    ("wrappers of several words", "", "<URL:a b c>", ""),
    ("a wrapper, then blanks", "<URL:http://a/", " ", ""),
    ("a wrapper, then line feeds", "<URL:http://a/", "\n", ""),
    ("a wrapper, then hyphens at line ends", "<URL:http://a/", "-\n", ">"),
    ("a wrapper, then hyphens before blanks", "<URL:http://a/\n", "b- ", ">"),
    ("wrappers with hyphens at line ends", "", "<URL:http://a/-\n-\n-\n-\n-\n-\n-\n>", ""),
    ("schemes", "", "http://", ""),
    ("schemes with hosts", "", "http://a", ""),
    ("URLs without blanks", "", "http://a.b", ""),
    ("URLs without blanks in a query", "http://a.b/?c", "http://a.b", ""),
    ("URLs without blanks after a bracket", "", "http://a.b)c", ""),
    ("URLs set apart by a bracket", "", "http://a)", ""),
    ("URLs set apart by a square bracket", "", "http://a]", ""),
    ("URLs set apart by a comma", "", "http://a,", ""),
    ("URLs set apart by an apostrophe", "", "'http://a'", ""),
    ("URLs set apart by a full stop of Chinese", "", "http://a。", ""),
    ("URLs set apart by a byte that is no ASCII", "", "http://a漢", ""),
    ("URLs set apart by an entity", "", "http://a&gt;", ""),
    ("URLs set apart by an ampersand", "", "http://a&", ""),
    ("addresses without an at sign", "", "mailto:", ""),
    ("addresses with an at sign", "", "mailto:@", ""),
    ("newsgroups without a dot", "", "news:", ""),
    ("message-ids without an at sign, bracketed", "", "(mid:", ""),
    ("names without a namespace", "", "urn::", ""),
    ("namespaces", "", "urn:", ""),
    ("letters that are not ASCII", "http://", "a\u{e9}", ""),
    ("names of hosts in Han", "", "http://\u{6f22}.", ""),
    ("colours", "", "\u{1b}[1;1;1mhttp://", ""),
    ("line breaks of programs", "", "\\nhttp://", ""),
    ("at signs", "mailto:", "@", ""),
    ("slashes of an unknown scheme", "", "x://", ""),
    ("slashes of an unknown scheme in brackets", "", "<x://", ""),
    ("slashes", "", "://", ""),
    ("colons", "", ":", ""),
    ("letters and colons", "", "a:", ""),
    ("a long scheme", "", "a", "://x"),
    ("prefixes", "", "URL:", ""),
    ("prefixes before a scheme", "", "URL:http://a ", ""),
    ("opening parentheses", "http://a/", "(", ""),
    ("closing parentheses", "http://a/", ")", ""),
    ("pairs of parentheses", "http://a/", "()", ""),
    ("square brackets", "http://a/", "[", ""),
    ("opening braces", "http://a/", "{", ""),
    ("closing braces", "http://a/", "}", ""),
    ("closing braces, opened as often", "http://a/{", "}", ""),
    ("full stops", "http://a/", ".", ""),
    ("full stops after many URLs", "", "http://a/x........ ", ""),
    ("apostrophes, a quotation open", "'so http://a/", "'", ""),
    ("apostrophes before and after", "", "'http://a/'' ", ""),
    ("asterisks, emphasis open", "*so http://a/", "*", ""),
    ("asterisks, emphasis not open", "http://a/", "*", ""),
    ("asterisks after a URL, and many before it", concat!(hundred!("a*a*a*a*a*"), " *http://a/"), "*", ""),
    ("runs of asterisks before and after URLs", "", concat!(hundred!("*****"), hundred!(@ " http://a/b****")), ""),
    ("low lines after many URLs on a line", "", "http://a/b_ ", ""),
    ("low lines among words and after URLs", "", "a_b_c_d http://a/b____ ", ""),
    ("apostrophes after many URLs on a line", "", "don't http://a/b' ", ""),
    ("apostrophes after many URLs on lines", "", "don't http://a/b'\n", ""),
    ("URLs on one line", "", "x http://a.example/y ", ""),
    ("one long URL", "http://a/", "x", ""),
    ("one long URL of ampersands", "http://a/", "&", ""),
    ("one long URL of half entities", "http://a/", "&gt", ""),
    ("one long URL of escapes", "http://a/", "%", ""),
    ("one long URL of file extensions", "http://a/", ".c%", ""),
    ("one long URL of sentences", "http://a.b", ".Aa", "/.Aa"),
    ("URLs with a backslash in their scheme", "", "http\\://a.b", ""),
    ("one long URL of Cyrillic", "http://a/", "я", ""),
    ("one long URL of Chinese", "http://a/", "漢", ""),
    ("quote marks", "", "> ", ""),
    ("quote marks before a URL", "", ">", " http://a/"),
    ("quoted URLs", "", "> > > > > > > > http://a/\n", ""),
    (
        "lines that a URL could go on in",
        "",
        "http://example.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/\nb.html\n",
        "",
    ),
    (
        "a URL that goes on in every line",
        "http://example.org/",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
        "",
    ),
    (
        "soft breaks",
        "http://example.org/",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=\n",
        "",
    ),
    ("URLs before a long line", "", "http://example.org/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/\n", ""),
    ("carriage returns", "", "http://a/x\r", ""),
    ("NULs", "", "\0", ""),
    ("URLs set apart by NULs", "", "http://a\0", ""),
];

/// Returns the names of the hostile texts that are known to take too long. `corpus/expected_failures.txt` lists them as
/// `scan/linear#<name>`.
fn expected_failures() -> BTreeSet<&'static str> {
    let lines = include_str!("../corpus/expected_failures.txt").lines();
    lines.filter_map(|line| line.trim().strip_prefix("scan/linear#")).collect()
}

/// Searches `text` `runs` times, and returns the shortest time.
fn time(scanner: &Scanner, text: &[u8], runs: usize) -> Duration {
    let once = || cpu::time(|| scanner.find_iter(text).count());
    (0..runs).map(|_| once()).min().expect("at least one run")
}

/// Divides the time for `4 * n` bytes by the time for `n` bytes. Measures the times repeatedly, and returns the
/// smallest quotient.
fn growth(scanner: &Scanner, make: impl Fn(usize) -> Vec<u8>, n: usize) -> f64 {
    let (small, large) = (make(n), make(4 * n));
    let mut least = f64::INFINITY;
    for attempt in 0..TRIES {
        let growth = time(scanner, &large, 1).as_secs_f64() / time(scanner, &small, 2).max(SHORTEST).as_secs_f64();
        least = least.min(growth);
        // Stop if the smallest quotient is accepted. Also stop after seven tries if the smallest quotient is above `2.0
        // * GROWTH`. Other programs cannot disturb all seven measurements that much, and further tries would take long.
        if least <= GROWTH || attempt > 5 && least > 2.0 * GROWTH {
            break;
        }
    }
    least
}

/// Divides the time for `text` by the time for `ordinary`, an ordinary text of the same length. Measures the times
/// repeatedly, and returns the smallest quotient.
fn slowness(text: &[u8], ordinary: &[u8]) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        // Each try measures both texts, because the speed of the machine may change between two tries.
        let ordinary = time(&Scanner::new(), ordinary, 3).max(SHORTEST).as_secs_f64();
        least = least.min(time(&Scanner::new(), text, 3).as_secs_f64() / ordinary);
        if least <= SLOWER {
            break;
        }
    }
    least
}

#[test]
fn time_is_linear_in_the_text() {
    let expected = expected_failures();
    let mut report = String::new();
    let (_, _, ordinary, _) = HOSTILE[0];
    let ordinary = repeated("", ordinary, "", 4 * SMALL);
    for &(name, head, unit, tail) in HOSTILE {
        let make = |n| repeated(head, unit, tail, n);
        let mut worst = growth(&Scanner::new(), make, SMALL);
        let slower = slowness(&make(4 * SMALL), &ordinary);
        if worst <= GROWTH && slower <= SLOWER {
            worst = worst.max(growth(&Scanner::new().join(None), make, LARGE));
        }
        match (worst > GROWTH || slower > SLOWER, expected.contains(name)) {
            (true, false) => {
                report += &format!("{name}: {worst:.1} for 4 times the text, {slower:.1} times ordinary text\n");
            }
            (false, true) => report += &format!("{name}: expected to fail, but linear\n"),
            _ => {}
        }
    }
    for name in expected.iter().filter(|name| !HOSTILE.iter().any(|(other, ..)| other == *name)) {
        report += &format!("{name}: expected to fail, but is not in the table\n");
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn one_line_with_many_urls() {
    let make = |n| repeated("", "http://example.org/a ", "", n);
    let (small, large) = (make(2 << 20), make(8 << 20));
    assert!(!large.contains(&b'\n'));
    assert_eq!(Scanner::new().find_iter(&large).count(), 399_457);
    let growth = (0..TRIES)
        .map(|_| time(&Scanner::new(), &large, 1).as_secs_f64() / time(&Scanner::new(), &small, 1).as_secs_f64())
        .find(|growth| *growth <= GROWTH);
    assert!(growth.is_some());
}
