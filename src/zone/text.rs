//! The zones of plain text. RULES.md, section 8, has the rules.

use std::ops::Range;

use super::phrases::{BEGINS, Beginnings, CLOSING, CONTACT, FIELD, FOOTERS, FROM, ORIGINAL, REPLY, Words};
use super::{Span, Zone};
use crate::scan::quote;
use crate::simd::{BLOCK, Level, dispatch, equals, padded, prelude::*, u8x64};

/// The largest number of lines that a phrase of a footer marks before and after its line.
const PARAGRAPH: usize = 9;

/// The largest number of lines of a signature after `-- `, and of one without such a line.
const SIGNATURE: (usize, usize) = (18, 12);

/// The largest number of lines of prose in a signature after a line such as `____` or `Best regards,`.
const PROSE: usize = 3;

/// The largest number of lines after a phrase of a footer in which every URL belongs to the footer.
const REST: usize = 22;

/// The number of last lines in which a list can have put its footer below an original.
const BELOW: usize = 8;

/// The smallest number of marks, such as `_`, at the beginning of a border.
const BORDER: usize = 20;

/// The line that pipermail writes before each attachment.
const NEXT_PART: &[u8] = b"-------------- next part --------------";

/// The end of the line that pipermail writes in place of an attachment.
const SCRUBBED: &[u8] = b"was scrubbed...";

/// A line of text.
#[derive(Debug)]
struct Line<'t> {
    start: usize,
    /// The text without white space at its ends.
    text: &'t [u8],
    has_marks: bool,
    zone: Zone,
}

impl Line<'_> {
    fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether the line is the author's, as far as is known.
    fn is_own(&self) -> bool {
        self.zone == Zone::Body
    }

    /// Whether the line begins a signature. In clear-signed text, PGP puts `- ` before it.
    fn is_dashes(&self) -> bool {
        matches!(self.text, b"--" | b"- --")
    }

    /// Whether the line only separates, such as `____` or `-----`.
    fn is_rule(&self) -> bool {
        let is_mark = |byte: &&u8| matches!(byte, b'_' | b'-' | b'=' | b'*' | b'~' | b'#' | b'+' | b' ');
        // Most lines have three other bytes at the beginning, and are not read further.
        let others = self.text.iter().filter(|byte| !is_mark(byte)).take(3).count();
        others < 3 && {
            let marks = self.text.len() - others;
            marks > 1 && others <= usize::from(marks > 20) * 2
        }
    }

    /// Whether the line is longer than lines of a signature without an address are.
    fn is_prose(&self) -> bool {
        self.text.len() > 60 && !self.is_rule() && !CONTACT.is_in(self.text) && !self.text.contains(&b'@')
    }
}

/// Returns the zones of `text`.
pub(super) fn zones(text: &[u8]) -> Vec<Span> {
    let lines = lines(text);
    let mut spans: Vec<Span> = Vec::new();
    for line in &lines {
        if spans.last().is_none_or(|last| last.zone != line.zone) {
            spans.push(Span { start: line.start, zone: line.zone });
        }
    }
    spans
}

/// The lines of a text, and which of the rare lines it has.
#[derive(Default)]
struct Lines<'t> {
    all: Vec<Line<'t>>,
    /// The lines that can begin an original. Most lines cannot.
    begins: Vec<usize>,
    /// Whether a line may be `-- `.
    has_dashes: bool,
    /// Whether pipermail may have written a line.
    has_notes: bool,
    /// Whether a line may begin a signature of PGP.
    has_armor: bool,
}

/// Splits `text` into lines, and finds the zone of each line.
fn lines(text: &[u8]) -> Vec<Line<'_>> {
    let mut lines = Lines { all: Vec::with_capacity(text.len() / 32), ..Lines::default() };
    dispatch!(Level::new(), simd => lines.split(simd, text));
    let Lines { all: mut lines, begins, has_dashes, has_notes, has_armor } = lines;
    forwarded(&mut lines, &begins);
    if has_notes {
        scrubbed(&mut lines);
    }
    let dashes = |lines: &[Line<'_>]| match has_dashes {
        true => lines.iter().rposition(|line| line.is_own() && line.is_dashes()),
        false => None,
    };
    let own_dashes = dashes(&lines);
    let (marks, is_bulk) = footers(text, &mut lines, own_dashes);
    if has_armor {
        armor(&mut lines);
    }
    // The line can be in a footer, or after a signature of PGP.
    let own_dashes = dashes(&lines);
    signature(&mut lines, &marks, is_bulk, own_dashes);
    lines
}

impl<'t> Lines<'t> {
    /// Adds the lines of `text`.
    #[inline(always)]
    fn split<S: Simd>(&mut self, simd: S, text: &'t [u8]) {
        let (mut start, begins) = (0, &*BEGINS);
        let (blocks, rest) = text.as_chunks();
        for (index, block) in blocks.iter().chain([&padded(rest)]).enumerate() {
            let mut ends = equals(simd, u8x64::from_slice(simd, block), b'\n');
            while ends != 0 {
                let end = index * BLOCK + ends.trailing_zeros() as usize;
                self.add(text, start..end, begins);
                start = end + 1;
                ends &= ends - 1;
            }
        }
        self.add(text, start..text.len(), begins);
    }

    /// Adds the line `range` of `text`. If it begins with quote marks, marks it and the lines before it that say who
    /// wrote them.
    #[inline(always)]
    fn add(&mut self, text: &'t [u8], range: Range<usize>, begins: &Beginnings) {
        let start = range.start;
        let line = &text[range];
        // Most quoted lines begin with `> `.
        let has_marks = line.starts_with(b"> ") || quote::may_have_prefix(line) && quote::depth(text, start, true) > 0;
        let line = line.trim_ascii();
        let zone = if has_marks { Zone::Quote } else { Zone::Body };
        if has_marks && self.all.last().is_some_and(|before| before.zone != Zone::Quote) {
            attribution(&mut self.all);
        }
        if let [first, .., last] = line
            && !has_marks
        {
            if begins.may_begin(line) {
                self.begins.push(self.all.len());
            }
            if *first == b'-' {
                self.has_dashes |= line.len() <= 4;
                self.has_notes |= line == NEXT_PART;
                self.has_armor |= line.starts_with(b"-----BEGIN");
            }
            self.has_notes |= *last == b'.' && line.ends_with(SCRUBBED);
        }
        self.all.push(Line { start, text: line, has_marks, zone });
    }
}

/// Marks the lines that say who wrote the quotation after `lines`, such as `On Friday, Ann wrote:`.
fn attribution(lines: &mut [Line<'_>]) {
    let Some(last) = lines.iter().rposition(|line| !line.is_blank()) else { return };
    let is_end = lines[last].text.ends_with(b":") || lines[last].text.ends_with(b"...");
    if lines.len() - last > 2 || !is_end {
        return;
    }
    let first = lines[..last].iter().rposition(|line| !line.is_own() || line.is_blank()).map_or(0, |at| at + 1);
    if last - first < 3 && lines[first..=last].iter().any(|line| REPLY.is_in(line.text) || line.text.contains(&b'@')) {
        lines[first..=last].iter_mut().filter(|line| line.is_own()).for_each(|line| line.zone = Zone::Quote);
    }
}

/// Marks forwarded messages, and the original below a reply. `begins` are the lines that can begin one.
fn forwarded(lines: &mut [Line<'_>], begins: &[usize]) {
    let mut end = 0;
    for &at in begins {
        if at < end || !lines[at].is_own() || !begins_original(&lines[at..]) {
            continue;
        }
        end = (at + 1..lines.len()).find(|&end| ends_original(lines[end].text)).map_or(lines.len(), |end| end + 1);
        lines[at..end].iter_mut().for_each(|line| line.zone = Zone::Quote);
    }
}

/// Whether the first line begins a forwarded message or an original: `-----Original Message-----`, or a block of header
/// fields.
fn begins_original(lines: &[Line<'_>]) -> bool {
    let text = lines[0].text;
    let is_mark = |byte: &u8| matches!(byte, b'-' | b'_' | b'=' | b'*' | b' ' | b'>');
    let inner = &text[text.iter().take_while(|byte| is_mark(byte)).count()..];
    if ORIGINAL.begins(inner).is_some_and(|length| inner.len() < text.len() || inner[length..].len() < 4) {
        return true;
    }
    if !is_field(text, &FROM) {
        return false;
    }
    let fields = lines[1..].iter().take_while(|line| !line.is_blank()).take(6);
    fields.filter(|line| is_field(line.text, &FIELD)).count() >= 2
}

/// Whether `text` is a header field with one of these names, such as `From:` or `*From:*`.
fn is_field(text: &[u8], names: &Words) -> bool {
    let text = text.strip_prefix(b"*").unwrap_or(text);
    names.begins(text).is_some_and(|name| {
        let rest = text[name..].trim_ascii_start();
        // Outlook writes `De&nbsp;:` in French.
        let rest = rest.strip_prefix("\u{a0}".as_bytes()).unwrap_or(rest);
        let rest = rest.strip_prefix(b"*").unwrap_or(rest);
        rest.starts_with(b":") || rest.starts_with("：".as_bytes())
    })
}

/// Whether the line is `--- end forwarded text` or similar.
fn ends_original(text: &[u8]) -> bool {
    let inner = &text[text.iter().take_while(|byte| matches!(byte, b'-' | b' ')).count()..];
    text.starts_with(b"--") && inner.len() > 3 && inner[..3].eq_ignore_ascii_case(b"end")
}

/// Marks what an archive wrote in place of attachments, and the text of attachments that it pasted in.
fn scrubbed(lines: &mut [Line<'_>]) {
    let is_removed = |line: &Line<'_>| line.is_own() && line.text.ends_with(SCRUBBED);
    let is_end = |line: &Line<'_>| line.text == NEXT_PART || line.is_rule() && line.text.starts_with(b"____");
    let (mut at, mut end) = (0, 0);
    while let Some(next) = lines[at..].iter().position(|line| line.text == NEXT_PART || is_removed(line)) {
        let from = at + next;
        // Several notes can be before the same end, which is searched once.
        if end <= from {
            end = lines[from + 1..].iter().position(is_end).map_or(lines.len(), |end| from + 1 + end);
        }
        let (zone, until) = match lines[from..end].iter().take(6).position(is_removed) {
            // The note ends at a blank line; more text of the message can follow.
            Some(note) => {
                let blank = lines[from + note..end].iter().position(Line::is_blank);
                (Zone::Footer, blank.map_or(end, |blank| from + note + blank))
            }
            None => (Zone::Attachment, end),
        };
        lines[from..until].iter_mut().filter(|line| line.is_own()).for_each(|line| line.zone = zone);
        at = until;
    }
}

/// Marks footers. Returns whether each line has a phrase about a list or how to unsubscribe, and whether the text is
/// bulk mail: it says at the end how to unsubscribe, and is not a reply.
fn footers(text: &[u8], lines: &mut [Line<'_>], dashes: Option<usize>) -> (Vec<bool>, bool) {
    let mut marks = vec![false; lines.len()];
    let (late, half) = (text.len() * 35 / 100, text.len() / 2);
    let (near_end, below) = (last_lines(lines, REST), last_lines(lines, BELOW));
    // In short mail, an advertisement can begin early, at a border.
    let border = lines[near_end..].iter().find(|line| line.is_own() && is_border(line.text));
    let late = border.map_or(late, |line| late.min(line.start));
    // What a list or a provider adds is at the end, and not before the signature.
    let added = near_end.max(dashes.unwrap_or(0));
    // A list can have put its footer below an original, but never into a line with quote marks.
    let may_be = |line: &Line<'_>, at: usize| {
        !line.has_marks && (at >= below || !matches!(line.zone, Zone::Quote | Zone::Attachment))
    };
    let from = lines.partition_point(|line| line.start <= late) - 1;
    let start_of = |at: usize| lines.get(at).map_or(text.len(), |line| line.start);
    let added_at = start_of(added.max(from));
    // The phrases, sorted by their ends.
    let mut found = Vec::new();
    let mut next = from;
    while let Some(first) = (next..lines.len()).find(|&at| may_be(&lines[at], at)) {
        next = (first..lines.len()).find(|&at| !may_be(&lines[at], at)).unwrap_or(lines.len());
        let base = start_of(first);
        FOOTERS.find(&text[base..start_of(next)], |kind, phrase| {
            let (start, end) = (base + phrase.start, base + phrase.end);
            if kind == "leave" || start >= added_at {
                found.push(((end, start), kind));
            }
        });
    }
    found.sort_unstable();
    let (mut first, mut last) = (None, 0);
    for ((end, at), kind) in found {
        // Of phrases that overlap, the first counts.
        if at < last {
            continue;
        }
        last = end;
        let line = lines.partition_point(|line| line.start <= at) - 1;
        if at < late || !may_be(&lines[line], line) {
            continue;
        }
        // An advertisement in a signature does not make it a footer.
        marks[line] |= kind != "tagline";
        if kind == "leave" && first.is_none() && at >= half && line >= near_end {
            first = Some(line);
        }
        if lines[line].zone != Zone::Footer {
            let range = paragraph(lines, line);
            let range = advertisement(lines, range.start)..range.end;
            for at in range {
                if may_be(&lines[at], at) {
                    lines[at].zone = Zone::Footer;
                }
            }
        }
    }
    let first = first.filter(|_| !lines.iter().any(|line| !line.has_marks && line.zone == Zone::Quote));
    if let Some(first) = first {
        lines[first..].iter_mut().filter(|line| line.is_own()).for_each(|line| line.zone = Zone::Footer);
    }
    (marks, first.is_some())
}

/// Returns the index of the first of the last lines, of which at most `count` are not blank.
fn last_lines(lines: &[Line<'_>], count: usize) -> usize {
    let mut last = (0..lines.len()).rev().filter(|&at| !lines[at].is_blank());
    last.nth(count).map_or(0, |before| before + 1)
}

/// Returns the range of the lines of the paragraph around the line `at`: back to a blank line or a line such as `____`,
/// and on to the next blank line. A URL alone after the blank line belongs to it.
fn paragraph(lines: &[Line<'_>], at: usize) -> Range<usize> {
    let limit = at.saturating_sub(PARAGRAPH);
    let start =
        (limit..at).rev().find(|&at| lines[at].is_blank() || lines[at].zone == Zone::Quote || lines[at].is_rule());
    let start = start.map_or(limit, |start| start + usize::from(!lines[start].is_rule()));
    let limit = lines.len().min(at + PARAGRAPH);
    let end = (at..limit).find(|&at| lines[at].is_blank()).unwrap_or(limit);
    let is_lone =
        lines.get(end + 1).is_some_and(|line| is_url(line.text)) && lines.get(end + 2).is_none_or(Line::is_blank);
    start..if is_lone { end + 2 } else { end }
}

/// Returns the first line of an advertisement that a provider put between two long lines such as `____` before the
/// footer of a list. `start` is the first line of that footer, and is returned if there is no advertisement.
fn advertisement(lines: &[Line<'_>], start: usize) -> usize {
    let is_long = |line: &Line<'_>| is_border(line.text) && line.is_rule();
    if !is_long(&lines[start]) {
        return start;
    }
    let above = lines[start.saturating_sub(PARAGRAPH)..start].iter().rposition(is_long);
    above.map_or(start, |above| start.saturating_sub(PARAGRAPH) + above)
}

/// Whether the line is the border of an advertisement, such as `----------------- Yahoo! Groups Sponsor -----~-->`.
fn is_border(text: &[u8]) -> bool {
    text.iter().take_while(|byte| matches!(byte, b'-' | b'_')).count() >= BORDER
}

fn is_url(text: &[u8]) -> bool {
    !text.contains(&b' ') && has_url(text)
}

/// Marks the signature. `dashes` is the last line `-- `.
fn signature(lines: &mut [Line<'_>], marks: &[bool], is_bulk: bool, dashes: Option<usize>) {
    if let Some(at) = dashes {
        let is_footer = (at + 1..lines.len().min(at + 4)).any(|at| marks[at]);
        let zone = if is_footer { Zone::Footer } else { Zone::Signature };
        if is_footer || lines.len() - at <= SIGNATURE.0 + 12 {
            let end = lines.len().min(at + 1 + SIGNATURE.0);
            lines[at..end].iter_mut().take_while(|line| line.is_own()).for_each(|line| line.zone = zone);
            return;
        }
    }
    let last = lines.iter().rposition(|line| line.is_own() && !line.is_blank());
    let Some(last) = last.filter(|_| !is_bulk) else { return };
    let from = lines[..last]
        .iter()
        .rposition(|line| !line.is_own())
        .map_or(0, |at| at + 1)
        .max(last.saturating_sub(SIGNATURE.1));
    let closes = (from.max(1)..=last).find(|&at| {
        let next = (at + 1..=last).find(|&next| !lines[next].is_blank());
        let is_rule = lines[at].is_rule();
        (is_rule || is_closing(lines[at].text) || is_name(lines[at].text))
            && next.is_none_or(|next| next == at + 1 || !is_rule && !has_url(lines[next].text))
    });
    let start = match closes {
        Some(start) => start,
        None => match lines[from..last].iter().rposition(Line::is_blank) {
            Some(blank) if last - (from + blank) > 2 => from + blank + 1,
            _ => return,
        },
    };
    // A postscript below the name is the author's own text.
    let end = (start + 1..=last).find(|&at| is_postscript(lines[at].text)).unwrap_or(last + 1);
    let block = &lines[start..end];
    let is_contact = |line: &Line<'_>| closes.is_some() && has_url(line.text) || CONTACT.is_in(line.text);
    // Without a closing, a name comes first.
    let is_list =
        closes.is_none() && is_url(block[0].text) || block.iter().filter(|line| is_item(line.text)).count() > 1;
    let prose = || block.iter().filter(|line| line.is_prose()).count();
    if !is_list && block.iter().any(is_contact) && prose() <= usize::from(closes.is_some()) * PROSE {
        lines[start..end].iter_mut().for_each(|line| line.zone = Zone::Signature);
    }
}

/// Whether the line begins with `PS:`, `P.S.`, `PPS` or similar.
fn is_postscript(text: &[u8]) -> bool {
    let rest = [&b"P.P.S"[..], b"PPS", b"P.S", b"PS"].iter().find_map(|mark| text.strip_prefix(*mark));
    rest.is_some_and(|rest| matches!(rest.strip_prefix(b".").unwrap_or(rest), [] | [b' ' | b':' | b',', ..]))
}

/// Whether the line begins an item of a list, such as `[1]` or `2.`.
fn is_item(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"[").unwrap_or(text);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && matches!(text.get(digits), Some(b']' | b'.' | b')' | b':'))
}

/// Marks signatures of PGP, which can have a comment with a URL, and what follows them, if it is not prose.
fn armor(lines: &mut [Line<'_>]) {
    let is = |line: &Line<'_>, begin: &[u8]| line.text.starts_with(begin);
    let mut at = 0;
    while let Some(next) = lines[at..].iter().position(|line| is(line, b"-----BEGIN PGP SIGNATURE")) {
        let start = at + next;
        let Some(length) = lines[start..].iter().position(|line| is(line, b"-----END PGP SIGNATURE")) else { return };
        at = start + length + 1;
        let below = &lines[at..lines.len().min(at + SIGNATURE.1)];
        let count = below.iter().position(|line| is(line, b"-----BEGIN")).unwrap_or(below.len());
        let is_prose = below[..count].iter().filter(|line| line.is_prose()).count() > PROSE;
        let end = if is_prose { at } else { at + count };
        lines[start..end].iter_mut().filter(|line| line.is_own()).for_each(|line| line.zone = Zone::Signature);
    }
}

/// Whether the line is `Best regards,` or similar.
fn is_closing(text: &[u8]) -> bool {
    text.len() < 30 && CLOSING.begins(text).is_some()
}

/// Whether the line is a name after two hyphens, as in `--Ann Lee (http://www.example.org/)`.
fn is_name(text: &[u8]) -> bool {
    text.strip_prefix(b"--").is_some_and(|name| name.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic))
}

fn has_url(text: &[u8]) -> bool {
    text.windows(3).any(|bytes| bytes == b"://")
}
