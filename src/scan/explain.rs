//! Explains a candidate: asks the functions that decided where it begins and ends again, and puts their answers in
//! words. So the scanner itself records nothing, and an explanation costs time only for the candidates that are
//! explained.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::bare::{self, Extent};
use super::candidate::{Candidate, Form, Reason};
use super::emphasis::EmphasisState;
use super::rejoin::view::{End, View};
use super::rejoin::{self, Elsewhere, NEVER, SETTLED, UNKNOWABLE, evidence, vetoes};
use super::{Scanner, restore, schemeless, wrapped};
use crate::trigger::scheme_start;
use crate::url::scheme::{self, Start};

/// A step of an explanation: the number of a rule, and a sentence on what it did here.
pub(crate) type Step = (&'static str, String);

/// Returns the steps by which `scanner` found `candidate`. `elsewhere` is the text of the message.
pub(crate) fn steps(candidate: &Candidate<'_>, scanner: &Scanner, elsewhere: Option<Elsewhere<'_>>) -> Vec<Step> {
    let mut steps = Steps(Vec::new());
    steps.beginning(candidate);
    match candidate.form {
        Form::Bare | Form::Prefixed => steps.bare(candidate, scanner, elsewhere),
        Form::Wrapped | Form::Angle => steps.pieces(candidate),
        _ => {}
    }
    steps.alternatives(candidate);
    steps.0
}

/// Returns `text` for a sentence: in backticks, and without the middle of a long text. The end of the text is kept,
/// because explanations of line breaks are about the ends of URLs.
pub(crate) fn shown(text: &[u8]) -> String {
    const MAX: usize = 80;
    let text: Vec<char> = String::from_utf8_lossy(text).chars().collect();
    if text.len() <= MAX {
        return format!("`{}`", String::from_iter(text));
    }
    let (start, end) = (&text[..MAX / 2], &text[text.len() - MAX / 2..]);
    format!("`{}...{}`", String::from_iter(start), String::from_iter(end))
}

/// Returns the text `column 5` for the offset `at`. Columns count characters from 1. Reads at most [`MAX_LINE`] bytes, so
/// that a long line with many URLs takes linear time.
fn column(text: &[u8], at: usize) -> String {
    let before = &text[at.saturating_sub(MAX_LINE)..at];
    match memchr::memrchr(b'\n', before).map_or(at.min(MAX_LINE), |end| before.len() - end - 1) {
        MAX_LINE => format!("a column after {MAX_LINE}"),
        line => format!("column {}", String::from_utf8_lossy(&text[at - line..at]).chars().count() + 1),
    }
}

/// The maximum length of a line of mail, without its line break (RFC 5322, section 2.1.1).
const MAX_LINE: usize = 998;

/// The titles of the rules, as in RULES.md. A test compares them.
const TITLES: &[&str] = &[
    "1.1 `<URL:…>`",
    "1.2 `<scheme:…>`",
    "1.2c Blanks",
    "1.2d Labels",
    "1.3 White space",
    "1.4 Quoted replies",
    "1.5 Limits",
    "1.6 A hyphen at a line break",
    "1.8 Undeclared soft breaks",
    "2.1 Start",
    "2.1a Letters that can be directly before a URL",
    "2.2 Stop",
    "2.2a `&amp;` in plain text",
    "2.3 Trim",
    "2.3a Trim several characters",
    "2.4 Glued text",
    "2.5 Escapes",
    "2.6 ` at ` for `@`",
    "2.7 Two schemes",
    "2.8 HTML",
    "3.1 Settled",
    "3.2 Vetoes",
    "3.3 Evidence",
    "3.4 Confidence",
    "3.5 Elsewhere in the message",
    "4. The grammar decides",
    "4.1 Rewritten links",
    "4.2 Links that show another host",
    "4.3 Hosts that look Latin",
    "6. Defanged URLs",
    "7. Addresses without a scheme",
    "8. Zones",
];

/// Returns the number and the title of a rule, such as `2.3 Trim`.
pub(crate) fn title(number: &str) -> &'static str {
    let is_it = |title: &&&str| title.split(' ').next().is_some_and(|found| found.trim_end_matches('.') == number);
    TITLES.iter().find(is_it).copied().unwrap_or_default()
}

struct Steps(Vec<Step>);

impl Steps {
    fn add(&mut self, rule: &'static str, sentence: impl Into<String>) {
        self.0.push((rule, sentence.into()));
    }

    /// Says what the URL begins with.
    fn beginning(&mut self, candidate: &Candidate<'_>) {
        let (text, start) = (candidate.haystack, candidate.span.start);
        let at = column(text, start);
        let colon = memchr::memchr(b':', &text[candidate.span.clone()]);
        let name = shown(&text[start..start + colon.map_or(0, |colon| colon + 1)]);
        match candidate.form {
            Form::Wrapped => self.add("1.1", format!("The URL is in `<URL:` and `>`. It begins in {at}.")),
            Form::Angle => {
                self.add("1.2", format!("{name} in {at} directly follows a `<`, and a `>` closes the bracket."));
                if text.get(candidate.span.end) == Some(&b'|') {
                    self.add("1.2d", "A `|` and a label follow the URL.");
                }
            }
            // The extractor explains the element.
            Form::Href => {}
            Form::Bare | Form::Prefixed => {
                self.unwrapped(candidate);
                self.before(candidate, &name, &at);
            }
            Form::Www | Form::Path | Form::Domain => {
                let text = shown(&text[candidate.span.clone()]);
                self.add("7", format!("{text} in {at} looks like an address, but has no scheme."));
            }
        }
    }

    /// Says why a `<` before a bare URL is not the beginning of a wrapper.
    fn unwrapped(&mut self, candidate: &Candidate<'_>) {
        let (text, start) = (candidate.haystack, candidate.span.start);
        let prefix = [&b"<URL:"[..], b"<"].into_iter().find(|prefix| {
            let before = start.checked_sub(prefix.len()).map(|from| &text[from..start]);
            before.is_some_and(|before| before.eq_ignore_ascii_case(prefix))
        });
        let Some(prefix) = prefix else { return };
        let prefix = &text[start - prefix.len()..start];
        match wrapped::read(text, start - prefix.len(), start) {
            None => {
                let prefix = shown(prefix);
                self.add(
                    "1.5",
                    format!("The {prefix} before the URL is not closed before a blank line or another `<`."),
                );
            }
            Some(inside) if inside.tokens => {
                self.add(
                    "1.2",
                    "White space is inside a line between the brackets, so they do not count as a wrapper.",
                );
            }
            Some(_) => self.add("1.2", "The text between the brackets is not a URL as a whole."),
        }
    }

    /// Says what is before a bare URL, and why it begins there.
    fn before(&mut self, candidate: &Candidate<'_>, name: &str, at: &str) {
        let (text, start) = (candidate.haystack, candidate.span.start);
        let is_prefixed = candidate.form == Form::Prefixed;
        let colon = start + text[start..].iter().position(|byte| *byte == b':').unwrap_or_default();
        let needs = scheme::find(&text[start..colon]).map_or("`//`", |row| shows(row.start));
        // In `http:/host`, slashes are missing (rule 6.2).
        let needs = if text[colon + 1..].starts_with(b"//") || needs != "`//`" { needs } else { "a host" };
        let mut sentence = format!("{name} in {at} begins a URL, because it is a known scheme, and {needs} follows");
        if is_prefixed {
            sentence += ", and `URL:` is before it";
        }
        self.add("2.1", sentence + ".");
        if start > 0 && text[start - 1].is_ascii_alphanumeric() {
            let word =
                text[..start].iter().rev().take(MAX_WORD).take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let word = shown(&text[start - word..start]);
            match candidate.doubt() {
                Some(Reason::Glued) => self.add("2.4", format!("{word} is directly before it, and is not part of it.")),
                _ => self.add(
                    "2.1a",
                    format!("The end of {word} before it belongs to an escape or to a character outside ASCII."),
                ),
            }
        }
    }

    /// Says where a bare URL ends.
    fn bare(&mut self, candidate: &Candidate<'_>, scanner: &Scanner, elsewhere: Option<Elsewhere<'_>>) {
        // The text after the candidate can be long, and each candidate in it would be read to its end.
        let text = &candidate.haystack[..candidate.haystack.len().min(candidate.after + MAX_LINE)];
        let start = candidate.span.start;
        let colon = memchr::memchr(b':', &text[start..]).map(|colon| start + colon);
        let Some(colon) = colon.filter(|_| candidate.doubt() != Some(Reason::Obscured)) else { return };
        let mut extent = bare::first_line(text, start, colon);
        if (start..extent.end).contains(&candidate.after) {
            extent = bare::first_line(&text[..candidate.after], start, colon);
        }
        if candidate.overlong {
            return self.add("2.2", "The text is longer than 64 KiB, so it is probably data.");
        }
        self.lines(candidate, &extent, scanner, elsewhere);
        let end = candidate.after;
        if end > start {
            let (rule, why) = stop(text, start, end);
            self.add(rule, why);
        }
        self.trimmed(candidate);
    }

    fn trimmed(&mut self, candidate: &Candidate<'_>) {
        let trimmed = candidate.trimmed();
        let (rule, what) = match trimmed {
            [] => return,
            [b'[', ..] if trimmed.ends_with(b"]") => ("2.4", "a footnote mark"),
            [b'\'', b's'] => ("2.3a", "a genitive"),
            _ if trimmed.chunks(2).all(|two| matches!(two, [b'\\', b'n' | b'r' | b't'])) => {
                ("2.3a", "a line break as programs write it")
            }
            _ if trimmed.iter().any(u8::is_ascii_alphanumeric) => ("2.4", "glued to it"),
            [a, b, ..] if a == b && b"-=_~+*#".contains(a) => ("2.3a", "a ruler"),
            [high, ..] if !high.is_ascii() => ("2.3a", "invisible"),
            _ => ("2.3", "punctuation"),
        };
        let text = if rule == "2.3a" && trimmed[0] > 0x7F { "The end".into() } else { shown(trimmed) };
        self.add(rule, format!("{text} after the URL is {what}, and is removed from its end."));
    }

    /// Says which line breaks the URL continues over, and why.
    fn lines(
        &mut self,
        candidate: &Candidate<'_>,
        extent: &Extent,
        scanner: &Scanner,
        elsewhere: Option<Elsewhere<'_>>,
    ) {
        let (text, start) = (candidate.haystack, candidate.span.start);
        let marks = &mut EmphasisState::default();
        let joined = rejoin::join(text, start, extent, scanner, elsewhere, marks, |found| match found {
            Ok((view, sum)) => self.weighed(view, sum),
            Err((at, end)) => self.ended(text, at, end),
        });
        let Some(joined) = joined else {
            if self.0.last().is_some_and(|(rule, _)| matches!(*rule, "3.3" | "3.5")) {
                self.add(
                    "3.4",
                    "The joined URL has a probability of less than 10 %, so it is not even an alternative.",
                );
            }
            return;
        };
        let percent = joined.confidence;
        if self.0.iter().filter(|(rule, _)| *rule == "3.3").count() > 1 {
            self.add("3.4", "The probability of a URL is the product of those of its line breaks.");
        }
        match (joined.pieces.is_empty(), scanner.join) {
            (false, _) => {
                let lines = joined.pieces.len();
                let right = format!("It is right with a probability of {percent} %.");
                self.add("3.4", format!("The URL is joined from {lines} lines. {right}"));
            }
            (true, None) => self.add(
                "3.4",
                "Lines are not joined here, so the shorter URL is reported, and the joined URL is an alternative.",
            ),
            (true, Some(least)) => self.add(
                "3.4",
                format!(
                    "The joined URL has a probability of {percent} %, less than {least} %, so the shorter URL is reported, \
                     and the joined URL is an alternative."
                ),
            ),
        }
    }

    /// Says why a URL ends at a line break before any evidence is weighed.
    fn ended(&mut self, text: &[u8], at: usize, end: End) {
        let is_line_end = text[at..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n');
        let why = match end {
            End::Nothing if is_line_end => "the next line begins with text that cannot be part of a URL",
            End::Nothing => return,
            End::Closed => "its last character closes it",
            End::Short => "the line is short, and the URL looks complete",
            End::Blank if text[at..].trim_ascii().is_empty() => "no text follows",
            End::Blank => "the next line is blank",
            End::Prose => "the next line begins with words",
        };
        // After a line break that was weighed, this is about the end of the joined URL.
        let what = match self.0.last() {
            Some((rule, _)) if rule.starts_with("3.") || *rule == "1.8" => {
                let word = text[..at].iter().rev().take_while(|byte| byte.is_ascii_graphic() && **byte != b'>').count();
                format!("After {}, the URL would end", shown(&text[at - word..at]))
            }
            _ => "The URL does not continue on the next line".into(),
        };
        self.add("3.2", format!("{what}, because {why}."));
    }

    /// Says how the signs at a line break were weighed.
    fn weighed(&mut self, view: &View<'_>, sum: i32) {
        let (url, word) = (shown(&view.url), shown(view.word));
        let alone = rejoin::weigh(view);
        match alone {
            Err(SETTLED) if view.soft => {
                self.add("1.8", format!("{url} ends in a soft break of quoted-printable, so {word} continues it."));
            }
            Err(SETTLED) => {
                let why = if view.is_confirmed() {
                    "a line next to it begins with a copy of the joined URL"
                } else if view.closes {
                    "the bracket or quotation mark before the URL is closed only after this text"
                } else {
                    "the text completes the end of the URL"
                };
                self.add("3.1", format!("{word} on the next line continues {url}, because {why}."));
            }
            Err(UNKNOWABLE) => {
                let why = if rejoin::is_page_name(view) {
                    "a host and a slash are a complete URL, and the text looks like the name of a page"
                } else if rejoin::is_complete(view) {
                    "the text is alone on its line, and looks like a word, a name, a version, a price or a vote after the URL"
                } else if let Some((veto, true)) = vetoes::first(view) {
                    veto.about
                } else if rejoin::is_cut_host(view) {
                    "the text looks like the rest of a URL whose host was lost"
                } else {
                    rejoin::UNLIKELY.iter().find(|(holds, _)| holds(view)).map_or("it is unlikely", |(_, why)| why)
                };
                let what = format!("{word} on the next line may continue {url}, but probably does not, because {why}.");
                let percent = evidence::chance(UNKNOWABLE) * 100.0;
                self.add("3.2", format!("{what} In this case, the probability is always {percent:.0} %."));
            }
            Err(_) => {
                let veto = vetoes::first(view).map_or("", |(veto, _)| veto.about);
                self.add("3.2", format!("The text {word} on the next line does not continue {url}, because {veto}."));
            }
            Ok(first) => {
                let percent = (evidence::chance(first) * 100.0).min(99.0);
                let mut list = format!("Does the text {word} on the next line continue {url}? These points are added:");
                let base = core::iter::once((evidence::BASE, "every line break begins with this number"));
                let held = evidence::QUESTIONS.iter().filter(|question| (question.holds)(view));
                for (weight, about) in base.chain(held.map(|question| (question.weight, question.about))) {
                    list += &format!("\n{weight:+4}  {about}");
                }
                self.add("3.3", format!("{list}\n{first:4}  in all: a probability of {percent:.0} %"));
            }
        }
        match alone.unwrap_or_else(|fixed| fixed) {
            before if before == sum || before == NEVER => {}
            _ if sum == SETTLED => self.add("3.5", "The message has a copy of the joined URL, so the URL continues."),
            _ => self.add("3.5", format!("The message has a copy of the shorter URL, so the points are now {sum}.")),
        }
    }

    /// Says which pieces a URL in brackets has.
    fn pieces(&mut self, candidate: &Candidate<'_>) {
        let pieces: Vec<Range<usize>> = candidate.pieces().collect();
        let [first, .., last] = &pieces[..] else { return };
        let text = candidate.haystack;
        let between = &text[first.start..last.end];
        let lines = memchr::memchr_iter(b'\n', between).count() + 1;
        let number = pieces.len();
        let is_blank = candidate.doubt() == Some(Reason::Tokens) && candidate.form == Form::Angle;
        let (rule, breaks) = match (is_blank, lines) {
            (true, _) => ("1.2c", "a blank"),
            (false, 1) => ("1.3", "white space"),
            (false, _) => ("1.3", "line breaks"),
        };
        self.add(rule, format!("The URL has {number} pieces. What is between them ({breaks}) is removed."));
        if candidate.quote_depth() > 0 && lines > 1 {
            self.add("1.4", "The quote marks at the beginnings of its lines are removed.");
        }
        let breaks = pieces.windows(2).map(|pair| &text[pair[0].end..pair[1].start]);
        if breaks.clone().any(|between| between.starts_with(b"=")) {
            self.add("1.8", "An `=` at the end of a line is a soft break of quoted-printable, and is removed.");
        }
    }

    /// Says what else the text can mean, and why the URL is doubtful.
    fn alternatives(&mut self, candidate: &Candidate<'_>) {
        let written: Vec<u8> = candidate.pieces().flat_map(|piece| &candidate.haystack[piece]).copied().collect();
        if let Some(reason) = candidate.doubt() {
            let rule = rule(reason, candidate.form);
            if written != candidate.text() {
                self.add(rule, format!("{} is read as {}.", shown(&written), shown(candidate.text())));
            }
            self.add(rule, format!("The URL is doubtful ({}): {}.", reason.as_str(), reason.about()));
        }
        for other in candidate.alternatives() {
            let (url, reason) = (shown(&other.url), other.reason);
            let sentence = format!("The text can also mean {url} ({}): {}.", reason.as_str(), reason.about());
            self.add(rule(reason, candidate.form), sentence);
        }
    }
}

/// Returns the number of the rule for a reason.
fn rule(reason: Reason, form: Form) -> &'static str {
    match reason {
        Reason::Hyphen => "1.6",
        Reason::Rejoin => "3.4",
        Reason::Tokens if form == Form::Wrapped => "1.3",
        Reason::Tokens => "1.2c",
        Reason::Quote => "1.4",
        Reason::Script => "2.2",
        Reason::Reference => "2.2a",
        Reason::Defanged => "6",
        Reason::Glued if form == Form::Angle => "1.2d",
        Reason::Glued => "2.4",
        Reason::Escape => "2.5",
        Reason::Obscured => "2.6",
        Reason::Doubled => "2.7",
        Reason::Schemeless => "7",
        Reason::Cut => "2.2",
    }
}

/// Returns what must follow a scheme in a bare URL (rule 2.1).
fn shows(start: Start) -> &'static str {
    match start {
        Start::Slashes | Start::Wrapped | Start::Registered => "`//`",
        Start::Address => "an address with `@`",
        Start::Newsgroup => "a name with a dot, an `@` or only a `*`",
        Start::Namespace => "a namespace with a second colon",
        Start::Query => "a query with `?` and `=`",
    }
}

/// The maximum length of a word that is printed, in bytes.
const MAX_WORD: usize = 40;

/// Returns why a bare URL that starts at `start` ends at `end`, and the number of the rule.
fn stop(text: &[u8], start: usize, end: usize) -> (&'static str, String) {
    let at = column(text, end);
    let Some(&byte) = text.get(end) else { return ("2.2", "The URL ends at the end of the text.".into()) };
    let character = String::from_utf8_lossy(&text[end..text.len().min(end + 4)]).chars().next().unwrap_or_default();
    let what = format!("The URL ends before the `{character}` in {at}");
    let before = start.checked_sub(1).map(|before| text[before]);
    let why = match byte {
        b'\r' | b'\n' => return ("2.2", "The URL ends at the end of the line.".into()),
        b if b.is_ascii_whitespace() => return ("2.2", format!("The URL ends before the white space in {at}.")),
        b if b.is_ascii_control() => return ("2.2", format!("The URL ends before a control character in {at}.")),
        b'<' | b'>' | b'"' | b'`' => "because no URL has this character",
        b')' | b']' | b'}' => "because the URL has no opening bracket for it",
        b'(' | b'{' => return ("2.4", format!("{what}, because the bracket is not closed in the URL.")),
        b'[' if text.get(end + 1) == Some(&b'/') => "because it begins a tag of a bulletin board",
        b'[' => "because it follows a host, or is not closed in the URL",
        b'\'' => "because the same mark is directly before the URL",
        b'|' if matches!(before, Some(b'|' | b'[' | b'=')) => "because a mark that belongs to it is before the URL",
        b',' | b';' | b'|' => "because another URL follows it",
        b'&' => "because it begins a character reference that is left over from HTML",
        b'\\' => return ("2.5", format!("{what}, because it begins an escape that ends URLs.")),
        0x80.. if character == char::REPLACEMENT_CHARACTER => "because the byte is not UTF-8",
        0x80.. if character.is_alphabetic() => "because it is a letter of a script without spaces, or of Korean",
        0x80.. => "because it is a symbol, not a letter or digit",
        _ => return ("2.4", format!("{what}, because another URL begins there without a blank.")),
    };
    ("2.2", format!("{what}, {why}."))
}

/// Returns each text outside `taken` that looks like the beginning of a URL, but is not one, with its offset, and why.
/// `header` is the name of the header field, if the text is its value.
pub(crate) fn ignored(text: &[u8], taken: &[Range<usize>], header: Option<&[u8]>) -> Vec<(usize, Step)> {
    let known = schemeless::outside(text, taken, header);
    let addresses: Vec<_> = known.iter().map(Candidate::span).collect();
    let is_in = |spans: &[Range<usize>], at: usize| {
        spans.get(spans.partition_point(|span| span.end < at)).is_some_and(|span| span.start <= at)
    };
    let colons = memchr::memchr_iter(b':', text).map(|colon| (scheme_start(text, colon), colon));
    let colons = colons.filter(|(_, colon)| !is_in(taken, *colon));
    let mut found: Vec<_> = colons.filter_map(|(start, colon)| Some((start, no_scheme(text, start, colon)?))).collect();
    let www = memchr::memmem::find_iter(text, b"www.").filter(|at| {
        let before = at.checked_sub(1).map_or(b' ', |before| text[before]);
        !is_in(taken, *at)
            && !is_in(&addresses, *at)
            && !before.is_ascii_alphanumeric()
            && text.get(at + 4).is_some_and(u8::is_ascii_alphanumeric)
    });
    let no_scheme = |at: usize, end: usize| format!("{} in {} has no scheme", shown(&text[at..end]), column(text, at));
    found.extend(www.map(|at| {
        let what = no_scheme(at, at + word(&text[at..]).len());
        (at, ("7", format!("{what}, and does not look like an address that `--form +www` would find.")))
    }));
    found.extend(known.iter().map(|address| {
        let (span, form) = (address.span(), address.form().as_str());
        let what = no_scheme(span.start, span.end);
        (span.start, ("7", format!("{what}. With `--form +{form}`, such addresses are found, too.")))
    }));
    found.sort_by_key(|(at, _)| *at);
    found
}

fn word(text: &[u8]) -> &[u8] {
    &text[..text.iter().take(MAX_WORD).take_while(|byte| byte.is_ascii_graphic()).count()]
}

/// Returns why the text before `colon` does not begin a URL. Returns `None` if it does not look like a scheme.
fn no_scheme(text: &[u8], start: usize, colon: usize) -> Option<Step> {
    let (name, has_slashes) = (&text[start..colon], text[colon + 1..].starts_with(b"//"));
    let what = format!("{} in {} does not begin a URL, because", shown(word(&text[start..])), column(text, start));
    let (rule, why) = match (scheme::find(name), restore::glued_name(text, colon)) {
        (Some(row), _) if row.start.is_without_slashes() => {
            ("2.1", format!("its scheme needs {} after the colon", shows(row.start)))
        }
        (Some(row), _) if has_slashes || row.start == Start::Registered => return None,
        (Some(row), _) if row.start == Start::Wrapped => {
            ("2.1", "without `//`, its scheme begins a URL only in angle brackets or in HTML".into())
        }
        (Some(_), _) => ("2.1", "two slashes must follow the colon".into()),
        (None, _) if !has_slashes || name.is_empty() => return None,
        (None, _) if matches!(name.to_ascii_lowercase().as_slice(), b"hxxp" | b"hxxps" | b"fxp") => {
            ("6", "its scheme was changed. With `--defanged`, such URLs are found, too".into())
        }
        (None, Some(scheme)) => {
            let before = shown(&text[start..colon - scheme.len()]);
            let scheme = shown(scheme);
            ("2.4", format!("{before} is directly before {scheme}, and no host with a dot follows"))
        }
        (None, None) => {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            ("2.1", format!("its scheme is not known. With `--scheme +{name}`, URLs of this scheme are found, too"))
        }
    };
    Some((rule, format!("{what} {why}.")))
}

#[cfg(test)]
mod tests {
    use super::TITLES;

    #[test]
    fn titles_are_those_of_the_rules() {
        let rules = include_str!("RULES.md");
        for title in TITLES {
            let is_section = title.split(' ').next().is_some_and(|number| number.ends_with('.'));
            let line = if is_section { format!("\n## {title}\n") } else { format!("\n**{title}") };
            assert!(rules.contains(&line), "{title}");
        }
    }
}
