//! An oracle for the scanner: a slow and simple second implementation of rules 2.2 and 2.3 of `src/scan/RULES.md`. The
//! test compares the results of the oracle with the results of the scanner.
//!
//! The oracle does not implement the rules for rejoining or the rules for URLs in brackets. The cases in `corpus/scan`
//! test all rules, including those that the oracle lacks.

use urlspool::{Form, Scanner, Url};

/// Questions that the rules leave open. The oracle gives the same answers as the scanner. Each question has a case in
/// `corpus/scan`.
mod beyond {
    /// Whether only ASCII blanks count as blanks. A mark such as `*` or `'` cannot open emphasis or a quotation
    /// directly before an ASCII blank. Before a non-ASCII blank, such as U+00A0, it can.
    pub(super) const ASCII_BLANKS: bool = true;
}

/// A bare URL, and the text that was trimmed from its end. `longer` is the longer form of the URL (rule 2.2), which
/// also includes text in a script without spaces between words, such as Chinese.
#[derive(Debug, PartialEq, Eq)]
struct Bare {
    start: usize,
    url: String,
    trimmed: String,
    longer: Option<String>,
}

struct Text<'a> {
    text: &'a str,
    chars: Vec<(usize, char)>,
}

impl Text<'_> {
    fn slice(&self, from: usize, to: usize) -> String {
        self.chars[from..to].iter().map(|(_, c)| c).collect()
    }

    fn starts_with(&self, at: usize, what: &str) -> bool {
        let rest: String = self.chars[at..].iter().map(|(_, c)| c).take(what.len()).collect();
        rest.eq_ignore_ascii_case(what)
    }

    fn before(&self, at: usize) -> Option<char> {
        at.checked_sub(1).map(|at| self.chars[at].1)
    }

    /// Returns the length of the scheme name at `at`, including the colon. Returns `None` if no bare URL can begin at
    /// `at`.
    fn scheme(&self, at: usize) -> Option<usize> {
        let names = ["http", "ftp"];
        let name = names.iter().find(|name| self.starts_with(at, &format!("{name}://")))?;
        // The character directly before the scheme must not be an ASCII letter or digit. Only the letter of an escape
        // (`\n`, `\r` or `\t`) is allowed there.
        let escape = at > 1 && self.chars[at - 2].1 == '\\' && matches!(self.chars[at - 1].1, 'n' | 'r' | 't');
        let word = !escape && self.before(at).is_some_and(|c| c.is_ascii_alphanumeric());
        if word { None } else { Some(name.len() + 1) }
    }
}

fn oracle(text: &str) -> Vec<Bare> {
    let text = Text { text, chars: text.char_indices().collect() };
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.chars.len() {
        let Some(name) = text.scheme(at) else {
            at += 1;
            continue;
        };
        let (end, with_script) = stop(&text, at, at + name);
        let trimmed = trim(&text, at, at + name, end);
        let longer = with_script.map(|end| text.slice(at, trim(&text, at, at + name, end)));
        found.push(Bare {
            start: text.chars[at].0,
            url: text.slice(at, trimmed),
            trimmed: text.slice(trimmed, end),
            longer,
        });
        at = end;
    }
    found
}

/// Implements rule 2.2. Returns the end of the URL at `start`, and the end of its longer form, if it has one.
fn stop(text: &Text<'_>, start: usize, from: usize) -> (usize, Option<usize>) {
    let mut script = None;
    let mut at = from;
    while at < text.chars.len() {
        let c = text.chars[at].1;
        // White space, control characters, `<`, `>`, `"` and the backtick stop a URL.
        if c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '`') {
            break;
        }
        let inside = text.slice(from, at);
        let before = text.before(start);
        // Character references that are left over from HTML, such as `&gt;`, stop a URL.
        let named = ["&gt;", "&lt;", "&quot;", "&nbsp;", "&apos;", "&laquo;", "&raquo;", "&amp;gt;"];
        let numbered = ["&#39;", "&#xA0;"];
        if named.iter().chain(&numbered).any(|residue| text.starts_with(at, residue)) {
            break;
        }
        // If `'` or a backtick is directly before the scheme, `'` stops the URL.
        if c == '\'' && matches!(before, Some('\'' | '`')) {
            break;
        }
        // `[` stops a URL in three places: directly before `/`, before another URL, and directly after a host or a port.
        if c == '[' && (text.starts_with(at + 1, "/") || text.scheme(at + 1).is_some() || is_in_host(&inside)) {
            break;
        }
        // `{` stops a URL if a `}` is directly before the scheme.
        if c == '{' && before == Some('}') {
            break;
        }
        // A `}` stops a URL if a `{` is directly after it or before the URL, unless the `}` closes a `{` in the URL.
        let is_brace = before == Some('{') || text.starts_with(at + 1, "{");
        if c == '}' && !is_open(&inside, '{', '}') && is_brace {
            break;
        }
        // If a `|`, a `[` or a `!` is directly before the scheme, the next `|` stops the URL.
        if c == '|' && matches!(before, Some('|' | '[' | '!')) {
            break;
        }
        // `)` stops a URL unless it closes a `(` in the URL. `]` stops a URL unless it closes a `[` in the URL.
        if c == ')' && !is_open(&inside, '(', ')') || c == ']' && !is_open(&inside, '[', ']') {
            break;
        }
        // Every non-ASCII character stops a URL, unless it is a letter or a digit.
        if !c.is_ascii() && !c.is_alphanumeric() {
            break;
        }
        // A letter of a script without spaces between words, such as Chinese, stops a URL. The longer form of the URL
        // includes these letters.
        if is_unspaced(c) && script.is_none() {
            // But a host name that has a dot can begin with letters of such a script.
            if inside == "//"
                && let Some(host) = host(text, at)
            {
                at = host;
                continue;
            }
            script = Some(at);
        }
        // The longer form ends at the latest where the next URL starts.
        if script.is_some() && text.scheme(at).is_some() {
            break;
        }
        // `,`, `;` or `|` stops a URL if a known scheme and `://` follow directly. But if a `"` is directly before the
        // URL, `,` and `;` do not stop it.
        let apart = c == '|' || matches!(c, ',' | ';') && before != Some('"');
        if apart && text.scheme(at + 1).is_some() {
            break;
        }
        at += 1;
    }
    match script {
        Some(before) => (before, Some(at)),
        None => (at, None),
    }
}

fn is_unspaced(c: char) -> bool {
    "漢字ひかな한글ไทย".contains(c)
}

/// Returns the end of the host name that begins at `at`, if the name has a dot.
fn host(text: &Text<'_>, at: usize) -> Option<usize> {
    let goes_on = |&i: &usize| {
        let c = text.chars[i].1;
        c.is_alphanumeric() && !(is_unspaced(c) && text.chars[i - 1].1.is_ascii_alphanumeric())
            || matches!(c, '-' | '.')
    };
    let end = (at..text.chars.len()).take_while(goes_on).last()? + 1;
    let name = text.slice(at, end);
    let name = name.trim_end_matches('.');
    name.contains('.').then(|| at + name.chars().count())
}

/// Returns whether `inside`, the text after the scheme's colon, ends with a host or a port.
fn is_in_host(inside: &str) -> bool {
    let host = inside.strip_prefix("//").unwrap_or_default();
    !host.is_empty() && !host.ends_with('@') && !host.contains(['/', '?', '#'])
}

/// Returns whether `inside` has an `open` without a matching `close`.
fn is_open(inside: &str, open: char, close: char) -> bool {
    let mut depth = 0;
    for c in inside.chars() {
        if c == open {
            depth += 1;
        }
        if c == close && depth > 0 {
            depth -= 1;
        }
    }
    depth > 0
}

/// Implements rule 2.3. Returns the end of the URL after trimming. `end` is the end of the URL before trimming.
fn trim(text: &Text<'_>, start: usize, from: usize, end: usize) -> usize {
    let mut end = end;
    let mut genitive = false;
    while end > from {
        let c = text.chars[end - 1].1;
        let url = text.slice(start, end);
        let goes = match c {
            '.' | ',' | ';' | ':' | '!' | '?' | '|' | '\\' | '^' | '{' => true,
            // `}` is trimmed if the URL has more `}` than `{`.
            '}' => url.matches('}').count() > url.matches('{').count(),
            // `*` and `_` are trimmed if the same character opens emphasis before the URL, on the same line.
            '*' | '_' => is_opened(lines_before(text, start, 1), c),
            // `'` is trimmed if another `'` opens a quotation before the URL, on the same line or the line above.
            '\'' => is_opened(lines_before(text, start, 2), c),
            _ => false,
        };
        if goes {
            end -= 1;
            continue;
        }
        let run = url.chars().rev().take_while(|other| *other == c).count();
        let ruler = "-=_~+*#".contains(c);
        let framed = lines_before(text, start, 1).ends_with(&format!("{c}{c}"));
        let name = url.strip_suffix("'s").unwrap_or_default();
        let more = match () {
            // `--` is trimmed if `>` follows, as at the end of an HTML comment.
            () if url.ends_with("--") && text.starts_with(end, ">") => 2,
            // The end of a comment and the eyes of a smiley are trimmed.
            () if url.ends_with("*/") && lines_before(text, start, 1).ends_with("/*") => 2,
            () if (url.ends_with(":-") || url.ends_with(";-")) && text.starts_with(end, ")") => 2,
            // A ruler of four or more equal characters, such as `====`, is trimmed. Two or three equal characters are
            // trimmed if the same character occurs twice directly before the scheme.
            () if ruler && (run >= 4 || run >= 2 && framed) => run,
            // The escapes `\n`, `\r` and `\t` are trimmed.
            () if ["\\n", "\\r", "\\t"].iter().any(|escape| url.ends_with(escape)) => 2,
            // One genitive `'s` is trimmed after a host, a port or a slash.
            () if !genitive && (name.ends_with('/') || is_in_host(&name[name.find("//").unwrap_or(0)..])) => {
                genitive = true;
                2
            }
            // `*`, `'`, `-` and `_` are trimmed after a host or a port.
            () if "*'-_".contains(c) && is_in_host(&url[url.find("//").unwrap_or(0)..]) => 1,
            () => break,
        };
        end -= more;
    }
    end
}

/// Returns the text before `start` on its line, and the `count - 1` lines above.
fn lines_before<'a>(text: &Text<'a>, start: usize, count: usize) -> &'a str {
    let before = &text.text[..text.chars[start].0];
    let skip = before.split('\n').count().saturating_sub(count);
    before.splitn(skip + 1, '\n').last().expect("at least one line")
}

/// Returns whether a run of `mark` in `text` can open emphasis or a quotation: no letter or digit is directly before
/// the run, and no blank is directly after it.
fn is_opened(text: &str, mark: char) -> bool {
    let chars: Vec<char> = text.chars().collect();
    (0..chars.len()).filter(|&i| chars[i] == mark).any(|i| {
        let run = chars[i..].iter().take_while(|c| **c == mark).count();
        let before = i.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(i + run);
        before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != mark)
            && after.is_none_or(|c| !c.is_whitespace() || beyond::ASCII_BLANKS && !c.is_ascii())
    })
}

const ALPHABET: &[&str] = &[
    "http://",
    "HTTP://",
    "ftp://",
    "http:/",
    "://",
    "xhttp://",
    "a",
    "b.example",
    "/",
    "7",
    ".",
    ",",
    ";",
    ":",
    "!",
    "?",
    "|",
    "\\",
    "^",
    "{",
    "}",
    "*",
    "**",
    "_",
    "'",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "`",
    " ",
    "\n",
    "\n\n",
    "\t",
    "-",
    "~",
    "$",
    "=",
    "&",
    "%",
    "#",
    "&gt;",
    "&lt;",
    "&quot;",
    "&GT;",
    "&gt",
    "gt;",
    "é",
    "漢",
    "ไ",
    "\u{201d}",
    "\u{3000}",
    "\u{0}",
    "\u{7f}",
    "&amp;",
    ", http://",
    ",http://",
    "'http://",
    "(http://",
    "*http://",
    "_http://",
    "{http://",
    "|http://",
    "`http://",
    "\"http://",
    "--http://",
    "&nbsp;",
    "&#39;",
    "&#xA0;",
    "&#38;",
    "[/",
    "}{",
    "--",
    "-->",
    "____",
    "====",
    "\\n",
    "'s ",
    "'s.",
    "/'s,",
    "@[",
];

/// Whether rules 2.4 to 2.7 may apply to the text, or the parts of rule 2.2 about hosts and paths in Han.
fn has_other_rules(text: &str, urls: &[Bare]) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_glued = |(at, _): (usize, &str)| {
        let before = &lower[..at];
        let host = before.rsplit("://").next().unwrap_or_default();
        let is_host = host.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !host.contains(|c: char| c.is_whitespace() || "/?#".contains(c));
        before.ends_with(|c: char| c.is_ascii_alphanumeric() || ".!:+-".contains(c))
            || before.ends_with(['*', '=', '~']) && is_host
    };
    let is_open = |url: &Bare| {
        let end = url.start + url.url.len() + url.trimmed.len();
        url.url.ends_with(']')
            || !text[end..].starts_with(|c: char| !c.is_ascii_whitespace())
                && text[url.start..end].contains(['(', '[', '{'])
    };
    // Text is glued to the URL, which ends earlier.
    let is_longer = |Bare { url, .. }: &Bare| {
        let mut marks = url.match_indices(|c| "!&'*+,;=^|~}".contains(c));
        Url::parse(url).is_err() && marks.any(|(end, _)| Url::parse(&url[..end]).is_ok())
    };
    lower.contains('\\')
        || ["://http", "://ftp", "://é"].iter().any(|start| lower.contains(start))
        || lower.match_indices("http://").chain(lower.match_indices("ftp://")).any(is_glued)
        || ["/漢", "/ไ", "=漢", "=ไ", "(漢", "(ไ"].iter().any(|letter| lower.contains(letter))
        || urls.iter().any(|url| is_open(url) || is_longer(url))
}

#[test]
fn the_scanner_stops_and_trims_as_the_rules_say() {
    let mut state = 3_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let scanner = Scanner::new().join(None);
    let mut compared = 0;
    let mut differences = Vec::new();
    for _ in 0..20_000 {
        let text: String = (0..3 + below(25)).map(|_| ALPHABET[below(ALPHABET.len())]).collect();
        let got: Vec<Bare> = scanner
            .find_iter(text.as_bytes())
            .map(|candidate| {
                assert_eq!(candidate.form(), Form::Bare, "{text:?}");
                let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("cut between characters");
                let longer = candidate.alternatives().iter().find(|other| other.reason.as_str() == "script");
                Bare {
                    start: candidate.span().start,
                    url: string(candidate.text()),
                    trimmed: string(candidate.trimmed()),
                    longer: longer.map(|other| string(&other.url)),
                }
            })
            .collect();
        let want = oracle(&text);
        if has_other_rules(&text, &want) {
            continue;
        }
        compared += want.len();
        if got != want {
            differences.push((text, want, got));
        }
    }
    assert!(compared > 10_000, "only {compared} URLs");
    differences.sort_by_key(|(text, ..)| text.len());
    let shortest: String = differences
        .iter()
        .take(12)
        .map(|(text, want, got)| format!("{text:?}\n  rules   {want:?}\n  scanner {got:?}\n"))
        .collect();
    assert!(differences.is_empty(), "{} texts differ, the shortest of them\n{shortest}", differences.len());
}
