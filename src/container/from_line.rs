//! Decides which `From ` lines begin a message.
//!
//! The decision uses only the `From ` line, the line before it and the line after it. Reading can therefore start at
//! any offset in a file. A line with a date begins a message. A line without a date begins a message if it is between a
//! blank line and a header field. The beginning of the file counts as a blank line. Lines without a date are accepted,
//! because some Usenet collections have lines such as `From -8946248053963491671`. A line that consists only of `From `
//! or `From -` needs no blank line before it if two lines of a header follow.

use std::sync::LazyLock;

use regex_automata::dfa::Automaton;
use regex_automata::dfa::sparse::DFA;
use regex_automata::{Anchored, Input};

use super::lines::{SegmentStart, line_end};
use super::{SegmentKind, Unknown, Window, header};
use crate::header::{Line, colon};

/// Maximum length in bytes of a `From ` line that begins a message. Because of this limit, a few thousand bytes are
/// enough to decide whether a line begins a message.
const LINE_MAX: usize = 1024;

/// Does the same as [`judge`], but no message begins with a line of git.
pub(super) fn judge_mail(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    if is_of_git(&window.bytes[at..]) { Ok(None) } else { judge(window, at) }
}

/// Whether `line` begins a patch: git writes the name of a commit, and always the same date.
fn is_of_git(line: &[u8]) -> bool {
    let Some((name, date)) = line[b"From ".len()..].split_first_chunk::<40>() else { return false };
    date.starts_with(b" Mon Sep 17 00:00:00 2001") && name.iter().all(u8::is_ascii_hexdigit)
}

/// Returns the message that begins with the line at `at`. Returns `None` if no message begins there. The line must
/// start with `From `.
pub(super) fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    let Some((end, next)) = line_end(window, at, LINE_MAX)? else { return Ok(None) };
    let line = &window.bytes[at..end];
    if colon(line, b"From").is_some() {
        return Ok(None);
    }
    let starts = SegmentStart::new(SegmentKind::Message, next - at);
    if has_date(line) {
        return Ok(Some(starts));
    }
    let first = window.base == 0 && header::lead(window.bytes, true) == Ok(at);
    let begins = match first || header::ends_blank(window.bytes, at - 1) {
        true => header::begins(&window.bytes[next..], window.eof)?,
        false => is_bare(line) && begins_fields(window, next)?,
    };
    Ok(begins.then_some(starts))
}

/// Whether `line` has neither a sender nor a date, as in mailboxes of Netscape, Eudora and Thunderbird. Prose has no
/// such lines, so a blank line before it is not necessary.
fn is_bare(line: &[u8]) -> bool {
    matches!(line[b"From ".len()..].trim_ascii(), b"" | b"-" | b"???@???")
}

/// Whether a known field begins at `at`, and another field or a continuation line follows.
fn begins_fields(window: Window<'_>, at: usize) -> Result<bool, Unknown> {
    if !header::begins(&window.bytes[at..], window.eof)? {
        return Ok(false);
    }
    let Some((_, next)) = line_end(window, at, LINE_MAX)? else { return Ok(true) };
    let Some((end, _)) = line_end(window, next, LINE_MAX)? else { return Ok(true) };
    Ok(matches!(Line::of(&window.bytes[next..end]), Line::Field { .. } | Line::Folded))
}

/// Whether the line at `at` has a date, a blank line before it, and a header field after it. The line must start with
/// `From `.
pub(super) fn is_whole(text: &[u8], at: usize) -> bool {
    let Ok(Some((end, next))) = line_end(Window { bytes: text, base: 0, eof: true }, at, LINE_MAX) else {
        return false;
    };
    has_date(&text[at..end]) && header::ends_blank(text, at - 1) && header::begins(&text[next..], true).unwrap_or(false)
}

/// Length in bytes of the shortest date with the space before it: ` Mon Jan 1 0:00 70`.
const DATE_MIN: usize = 18;

/// Whether `line` has a date. `line` must start with `From `.
///
/// Every date must have a day of the week, so that prose is not mistaken for a date. The search therefore begins at the
/// names of days.
fn has_date(line: &[u8]) -> bool {
    ends_with_asctime(line)
        || line.windows(DATE_MIN).enumerate().skip(4).any(|(i, date)| {
            matches!(date[0], b' ' | b'\t') && is_weekday([date[1], date[2], date[3]]) && {
                let input = Input::new(line).range(i + 4..).anchored(Anchored::Yes).earliest(true);
                // This automaton has no quit bytes, so the search cannot fail.
                DATE.try_search_fwd(&input).is_ok_and(|found| found.is_some())
            }
        })
}

/// Whether the line ends with a date like ` Mon Jan 1 00:00:00 2001`. Most `From ` lines end with such a date. The
/// automaton [`DATE`] also accepts these lines, but this check is faster.
fn ends_with_asctime(line: &[u8]) -> bool {
    let Some(date) = line.last_chunk::<25>() else { return false };
    let [b' ', a, b, c, b' ', d, e, f, b' ', day, date @ ..] = *date else { return false };
    let [g, b' ', h, i, b':', j, k, b':', l, m, b' ', year @ ..] = date else { return false };
    let digits = [g, h, i, j, k, l, m].iter().chain(&year).all(u8::is_ascii_digit);
    digits && (day == b' ' || day.is_ascii_digit()) && is_weekday([a, b, c]) && is_month([d, e, f])
}

fn is_month(name: [u8; 3]) -> bool {
    const MONTHS: &[u8; 36] = b"janfebmaraprmayjunjulaugsepoctnovdec";
    MONTHS.as_chunks::<3>().0.contains(&name.map(|b| b | 0x20))
}

fn is_weekday(name: [u8; 3]) -> bool {
    matches!(&name.map(|b| b | 0x20), b"mon" | b"tue" | b"wed" | b"thu" | b"fri" | b"sat" | b"sun")
}

/// Automaton for the part of a date after the day of the week. The tests build the automaton from a pattern, so that
/// the library does not need a regex compiler.
static DATE: LazyLock<DFA<&[u8]>> =
    LazyLock::new(|| DFA::from_bytes(DATE_BYTES).expect("the tests build this constant from a pattern").0);

#[cfg(target_endian = "little")]
const DATE_BYTES: &[u8] = include_bytes!("from_date.little.dfa");
#[cfg(target_endian = "big")]
const DATE_BYTES: &[u8] = include_bytes!("from_date.big.dfa");

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use regex_automata::dfa::{StartKind, dense};
    use regex_automata::nfa::thompson;
    use regex_automata::util::syntax;

    use super::*;

    /// Matches the part of a date after the day of the week. The first alternative is the format of `asctime`, in which
    /// the seconds are optional and any number of time zones can precede the year. The second alternative is the format
    /// of mail headers. The year has two or four digits, and text after the date is ignored.
    const PATTERN: &str = "(?x-u) ,? [\\ \\t]+ (?:
        (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) [\\ \\t]+ [0-9][0-9]?,? [\\ \\t]+
        [0-9][0-9]?:[0-9][0-9](?::[0-9][0-9])? (?:[\\ \\t]+[(+a-z-][()+0-9:a-z-]*)* [\\ \\t]+ [0-9][0-9]
        |
        [0-9][0-9]? [\\ \\t-]+ (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) [\\ \\t-]+ [0-9][0-9](?:[0-9][0-9])?
        [\\ \\t]+ [0-9][0-9]?:[0-9][0-9])";

    #[test]
    fn the_automaton_equals_the_compiled_pattern() {
        let dense = dense::Builder::new()
            .syntax(syntax::Config::new().unicode(false).utf8(false).case_insensitive(true))
            .thompson(thompson::Config::new().utf8(false).which_captures(thompson::WhichCaptures::None))
            .configure(dense::Config::new().start_kind(StartKind::Anchored).minimize(true))
            .build(PATTERN)
            .unwrap();
        let sparse = dense.to_sparse().unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/container");
        for (name, bytes) in [
            ("from_date.little.dfa", sparse.to_bytes_little_endian()),
            ("from_date.big.dfa", sparse.to_bytes_big_endian()),
        ] {
            let path = folder.join(name);
            if std::env::var_os("URLSPOOL_WRITE").is_some() {
                fs::write(&path, &bytes).unwrap();
            }
            assert!(
                fs::read(path).unwrap() == bytes,
                "{name} is not what the pattern gives: if that is meant, run `URLSPOOL_WRITE=1 cargo test from_line`"
            );
        }
    }

    fn dated(line: &str) -> bool {
        has_date(line.as_bytes())
    }

    #[test]
    fn from_lines_with_a_date_begin_messages() {
        for line in [
            "From a@b Mon Jan  1 00:00:00 2001",
            "From a@b  Mon Jan  1 00:00:00 2001",
            "From a@b Mon Jan 1 0:00:00 2001",
            "From a@b Mon Jan  1 00:00 2001",
            "From a@b Mon Jan  1 00:00 70",
            "From Mon Jan 1 0:00 70",
            "From a@b mon jan  1 00:00:00 2001",
            "From a@b MON JAN  1 00:00:00 2001",
            "From a@b Mon Jan  1 00:00:00 PST 2001",
            "From a@b Mon Jan  1 00:00:00 MET DST 2001",
            "From a@b Mon Jan  1 00:00:00 EST5EDT 2001",
            "From a@b Mon Jan  1 00:00:00 GMT+0100 2001",
            "From a@b Mon Jan  1 00:00:00 +0000 2001",
            "From 1234567890@xxx Mon Jan 01 00:00:00 +0000 2001",
            "From a@b Mon Jan  1 00:00:00 -0800 (PST) 2001",
            "From a@b Mon Jan  1 00:00:00 2001 PST",
            "From a@b Mon Jan  1 00:00:00 2001 +0100",
            "From a@b Mon Jan  1 00:00 2001-0700",
            "From a@b Mon Jan  1 00:00:00 2001 remote from c",
            "From a!b!c Mon Jan  1 00:00:00 2001 remote from d",
            "From \"a b\"@c Mon Jan  1 00:00:00 2001",
            "From a at b.example  Mon Jan  1 00:00:00 2001",
            "From a b c d Mon Jan  1 00:00:00 2001",
            "From a@b Thu, 9 Nov 2002 12:34:56 +0100",
            "From a@b Thu, 09 Nov 2002 12:34",
            "From a@b Thu, 09-Nov-02 12:34:56 GMT",
            "From a@b Thu 9 Nov 02 12:34:56",
            "From a@b\tThu\tNov\t9\t12:34:56\t2002",
            "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001",
            "From - Mon Jan  1 00:00:00 2001",
            "From MAILER-DAEMON Mon Jan  1 00:00:00 2001\r",
            "From a@b Mon Jan  1 00:00:00 2001 and some junk \u{1}",
        ] {
            assert!(dated(line), "{line}");
        }
    }

    #[test]
    fn from_lines_without_a_date_are_text() {
        for line in [
            "From ",
            "From",
            "From a@b",
            "From -8946248053963491671",
            "From here on everything is prose.",
            "From Monday Jan 1 on we are closed",
            "From Mon Jan 1 to Tue Jan 2 2001 we are closed",
            "From Mon to Fri, 9:00 to 17:00, call 555 1234",
            "From mon jan 1 2001 until fri jan 5 2001",
            "From 12:00 on Mon Jan 1 2001",
            "From Thu, 9 Nov 2002 on",
            "From the 9th of November 2002, 12:34:56",
            "From a@b Mxn Jan  1 00:00:00 2001",
            "From a@b Mon Jxn  1 00:00:00 2001",
            "From a@b Mon Jan x1 00:00:00 2001",
            "From a@b Mon Jan  1 00:00:00",
            "From a@b Mon Jan  1 00.00.00 2001",
            "From a@bMon Jan  1 00:00:00 2001",
            "From a@b 2001-01-01 00:00:00",
        ] {
            assert!(!dated(line), "{line}");
        }
    }

    #[test]
    fn lines_of_git_have_the_name_of_a_commit() {
        let name = "0123456789abcdef0123456789abcdef01234567";
        let date = "Mon Sep 17 00:00:00 2001";
        for (line, want) in [
            (format!("From {name} {date}\n"), true),
            (format!("From {name} {date}\r\n"), true),
            (format!("From {} {date}\n", &name[1..]), false),
            (format!("From {name}0 {date}\n"), false),
            (format!("From {} {date}\n", name.replace('f', "g")), false),
            (format!("From {name} Tue Sep 18 00:00:00 2001\n"), false),
            ("From a@b Mon Sep 17 00:00:00 2001\n".into(), false),
            ("From \n".into(), false),
        ] {
            assert_eq!(is_of_git(line.as_bytes()), want, "{line}");
        }
    }

    fn starts(envelope: usize) -> Option<SegmentStart> {
        Some(SegmentStart::new(SegmentKind::Message, envelope))
    }

    fn verdict(text: &str, eof: bool) -> Result<Option<SegmentStart>, Unknown> {
        let at = text.find("From ").expect("a line to judge");
        judge(Window { bytes: text.as_bytes(), base: 0, eof }, at)
    }

    #[test]
    fn the_lines_around_a_from_line_decide() {
        let dated = "From a@b Mon Jan  1 00:00:00 2001";
        let table = [
            (format!("text\n{dated}\ntext\n"), starts(34)),
            (format!("text\n{dated}\r\ntext\n"), starts(35)),
            (format!("text\n{dated}\n"), starts(34)),
            (format!("{dated}\n"), starts(34)),
            ("text\n\nFrom x\nSubject: y\n".into(), starts(7)),
            ("text\r\n\r\nFrom x\r\nSubject: y\n".into(), starts(8)),
            ("text\n\nFrom x\n>From a b\n".into(), starts(7)),
            ("text\n\nFrom x\nX-Y: y\n".into(), starts(7)),
            ("text\n\nFrom x\nList-Unsubscribe-Post: y\n".into(), starts(7)),
            ("From x\nSubject: y\n".into(), starts(7)),
            ("\n\r\nFrom x\nSubject: y\n".into(), starts(7)),
            ("\u{feff}From x\nSubject: y\n".into(), starts(7)),
            ("\u{feff}\n From x\nSubject: y\n".into(), starts(7)),
            ("x\u{feff}From x\nSubject: y\n".into(), None),
            ("text\nFrom x\nSubject: y\n".into(), None),
            ("text\nFrom \nSubject: y\nTo: z\n".into(), starts(6)),
            ("text\nFrom -\r\nSubject: y\r\n z\r\n".into(), starts(8)),
            ("text\nFrom - \nSubject: y\nNothing: z\n".into(), starts(8)),
            ("text\nFrom ???@???\nSubject: y\nTo: z\n".into(), starts(13)),
            ("text\nFrom \nSubject: y\n\n".into(), None),
            ("text\nFrom -\nSubject: y\ntext\n".into(), None),
            ("text\nFrom -\nNothing: y\nTo: z\n".into(), None),
            ("text\nFrom - to\nSubject: y\nTo: z\n".into(), None),
            ("text\nFrom \ntext\n".into(), None),
            ("text\n \nFrom x\nSubject: y\n".into(), None),
            ("text\n\nFrom x\nNothing: y\n".into(), None),
            ("text\n\nFrom  : x\nTo    : y\n".into(), None),
            ("text\n\nFrom x\n\nSubject: y\n".into(), None),
            ("text\n\nFrom x\n Subject: y\n".into(), None),
            (format!("text\n\nFrom {}\nSubject: y\n", "x".repeat(LINE_MAX)), None),
            (format!("text\n\n{dated}{}\nSubject: y\n", "x".repeat(LINE_MAX)), None),
        ];
        for (text, want) in table {
            assert_eq!(verdict(&text, true), Ok(want), "{text:?}");
            assert_eq!(verdict(&text, false), Ok(want), "{text:?}");
        }
        for text in [dated, "text\n\nFrom x", "text\n\nFrom x\n", "text\n\nFrom x\nSubj"] {
            assert_eq!(verdict(text, false), Err(Unknown), "{text:?}");
        }
        assert_eq!(verdict(dated, true), Ok(starts(33)));
        assert_eq!(verdict("text\n\nFrom x\nSubj", true), Ok(None));
    }
}
