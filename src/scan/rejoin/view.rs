//! Describes a line break after a bare URL, and the text around the break.

use alloc::borrow::Cow;
use core::cell::OnceCell;
use core::cmp::Ordering;
use core::ops::Range;

use super::FULL;
use super::heuristics::{Kinds, authority, extension, is_closed, is_open};
use crate::scan::bare::{self, Brackets};
use crate::scan::emphasis::EmphasisState;
use crate::scan::quote;
use crate::scan::trim::trim;
use crate::scan::wrapped::blanks;

/// A line with fewer bytes than this was probably not wrapped by a program. A URL on such a line continues only if the
/// URL looks incomplete (see [`is_open`]), or if an opening mark such as `(` is directly before the URL (see [`WEAK`]).
const SHORT_LINE: usize = 40;

/// A line with at least this number of bytes is full: a program that quotes it breaks it, and may put one more quote
/// mark before the rest.
const FULL_LINE: usize = 74;

/// At most this number of bytes of a line is read. Lines that a mail program has wrapped are much shorter.
const MAX_NEXT_LINE: usize = 1024;

/// The maximum number of blanks between the URL and the end of its line.
const MAX_BLANKS: usize = 4;

/// The maximum length of the mark of a comment, such as ` * `, with the blanks around it.
const MAX_MARK: usize = 12;

/// A line near the line break.
#[derive(Clone, Copy, Default)]
pub(super) struct Line<'h> {
    /// The text of the line without quote prefix, indentation and blanks at its end.
    pub(super) text: &'h [u8],
    /// The number of columns from the start of the line to the end of `text`. 0 if `text` is empty.
    pub(super) width: usize,
    /// The indentation in bytes.
    pub(super) indentation: usize,
}

/// A reason why a URL ends at the line break. These reasons are checked before the vetoes and the evidence.
#[derive(Clone, Copy, Debug)]
pub(in crate::scan) enum End {
    /// There are three cases: the URL is not at the end of its line, the line is too long, or the next line begins with
    /// text that cannot belong to a URL.
    Nothing,
    /// The last byte of the URL shows that the URL is complete: see [`is_closed`].
    Closed,
    /// The next line is blank.
    Blank,
    /// The URL's line is short, and the URL does not look incomplete.
    Short,
    /// The next line begins with prose.
    Prose,
}

/// A line break after a URL, and the text around the break: the URL's line, one line before it, and two lines after it.
pub(in crate::scan) struct View<'h> {
    /// The URL up to the line break, with its earlier pieces joined.
    pub(in crate::scan) url: Cow<'h, [u8]>,
    pub(super) last: u8,
    /// Whether this is the first line break of the URL, so that `url` has only one piece.
    pub(super) first: bool,
    /// The text before the last piece of `url`, on the same line.
    pub(super) before: &'h [u8],
    /// Whether a `"` is directly before the URL.
    pub(super) quoted: bool,
    /// Whether the `=` of a soft break follows the URL: see [`quote::is_soft_break`].
    pub(in crate::scan) soft: bool,
    /// Whether the line break is meant if the text is `format=flowed`: no blank is before it, the line is not quoted,
    /// and the URL does not look incomplete.
    pub(super) is_meant: bool,
    /// Whether the URL's line is a comment, as in a script, and the next line is not.
    pub(super) ends_comment: bool,
    /// Whether both lines begin with the same mark, such as the ` * ` of a comment or a list: see [`mark`].
    pub(super) is_marked: bool,
    /// The number of bytes of the piece that do not belong to the URL: 1 for the `=` of a soft break, or for the `\\` with
    /// which a shell continues a line.
    pub(super) cut: usize,
    /// Whether the joined URL is between two marks of [`WEAK`], such as `(` and `)`. The opening mark is directly
    /// before the URL, and the closing mark is after the token. If blanks follow the URL on its line, the URL must also
    /// look incomplete (see [`is_open`]).
    pub(in crate::scan) closes: bool,
    /// Whether the quote prefixes of the two lines differ, so that the URL ends. They may differ in marks that one of the
    /// lines has lost, or that a program has put before the rest of a full line.
    pub(super) other_prefix: bool,
    /// The indentation of the next line, compared with the indentation of the URL's line.
    pub(super) indentation: Ordering,
    /// The first token of the next line, up to the first byte that cannot belong to a URL.
    pub(in crate::scan) token: &'h [u8],
    /// The token without its trailing punctuation.
    pub(in crate::scan) word: &'h [u8],
    /// The kinds of the bytes of `word`.
    pub(super) kinds: Kinds,
    /// The text after the token on its line.
    pub(in crate::scan) rest: &'h [u8],
    /// The length of the quote prefix of the URL's line in bytes.
    pub(super) prefix: usize,
    pub(super) line: Line<'h>,
    pub(super) next: Line<'h>,
    text: &'h [u8],
    /// The range from the start of the URL's line to the end of the next line.
    lines: Range<usize>,
    above: OnceCell<Line<'h>>,
    after: OnceCell<Line<'h>>,
    parts: OnceCell<Parts>,
    extension: OnceCell<usize>,
}

/// The parts of a URL.
struct Parts {
    has_host: bool,
    /// The offset at which the host ends.
    path: usize,
    has_query: bool,
}

/// Where the token is in the text.
pub(super) struct Token {
    pub(super) piece: Range<usize>,
    /// The end of the token without its trailing punctuation. If the token is the last piece of the URL, the URL ends
    /// at this offset.
    pub(super) trimmed: usize,
    /// The brackets that the URL and the token have opened and not closed.
    pub(super) open: Brackets,
}

impl<'h> View<'h> {
    /// Describes the line break after `piece`, a piece of the bare URL that starts at `start`. `joined` is the text of
    /// the earlier pieces, and `open` are the brackets that the URL has opened and not closed. Returns an error if the
    /// URL ends at the line break for one of the reasons in [`End`].
    pub(super) fn at(
        text: &'h [u8],
        start: usize,
        joined: &[u8],
        piece: Range<usize>,
        open: Brackets,
        marks: &mut EmphasisState,
    ) -> Result<(Self, Token), End> {
        let end = piece.end;
        let blanks = blanks_before_break(text, end).ok_or(End::Nothing)?;
        // The checks up to [`End::Short`] are cheap and end most URLs, so the rest of the next line is not read.
        let last = text[end - 1];
        let next_start = end + blanks + 1;
        let after = &text[next_start..text.len().min(next_start + MAX_NEXT_LINE)];
        if is_closed(last) && !may_go_on(text, end, after) {
            return Err(End::Closed);
        }
        if let [b'\n', ..] | [b'\r', b'\n', ..] = after {
            return Err(End::Blank);
        }
        let start_of_line = quote::line_start(text, end).ok_or(End::Nothing)?;
        let closer = closer(&text[..start]);
        if joined.is_empty() && end - start_of_line < SHORT_LINE && closer.is_none() && !is_open(last) && last != b'*' {
            return Err(End::Short);
        }
        let mut next_lead = lead(after);
        if after[next_lead.0..next_lead.0 + next_lead.1].contains(&b'\n') {
            return Err(End::Blank);
        }
        let ends_before_prose = (last.is_ascii_alphanumeric() || last == b',') && closer.is_none();
        if ends_before_prose && is_prose(&after[next_lead.0 + next_lead.1..]) {
            return Err(End::Prose);
        }
        let next_end = quote::line_end(text, next_start, MAX_NEXT_LINE);
        let next_line = &text[next_start..next_end];
        let here = &text[start_of_line..end];
        let mut lead = lead(here);
        let prefixes = (&here[..lead.0], &next_line[..next_lead.0]);
        let (mark, is_marked) = mark(&here[lead.0..], lead.1, &next_line[next_lead.0..]);
        if mark > 0 {
            (lead, next_lead) = (lead_after(here, lead.0 + mark), lead_after(next_line, next_lead.0 + mark));
        }
        let from = next_start + next_lead.0 + next_lead.1;
        if text[from..next_end].iter().all(|b| quote::is_blank(*b)) {
            return Err(End::Blank);
        }
        if mark > 0 && ends_before_prose && is_prose(&text[from..next_end]) {
            return Err(End::Prose);
        }
        let other_prefix = match prefixes {
            (here, next) if quote::same(here, next) || quote::is_less(next, here) => false,
            ([], next) if lead.1 == 0 && quote::same(next, prefix_before(text, start)) => false,
            (here, next) => !(quote::is_less(here, next) && end - start_of_line >= FULL_LINE),
        };
        // If the next line is longer than [`MAX_NEXT_LINE`], the token ends at `next_end` at the latest.
        let within = if text.get(next_end) == Some(&b'\n') { text } else { &text[..next_end] };
        let token = bare::extent(within, start, from, open);
        if token.end == from {
            return Err(End::Nothing);
        }
        let padding = text[end..end + blanks].iter().filter(|b| **b != b'\r').count();
        let soft = quote::is_soft_break(text, start, end);
        let cut = usize::from(soft || last == b'\\' && text[end..end + blanks].iter().all(|b| *b == b'\r'));
        let url = match joined {
            [] => Cow::Borrowed(&text[piece.start..end - cut]),
            _ => Cow::Owned([joined, &text[piece.start..end - cut]].concat()),
        };
        let last = url[url.len() - 1];
        let trimmed = trim(text, start, &url, from..token.end, marks);
        let rest = &text[token.end..next_end];
        let line = line(here, lead);
        let word = &text[from..trimmed];
        if word.is_empty() {
            return Err(End::Nothing);
        }
        let view = View {
            parts: OnceCell::new(),
            extension: OnceCell::new(),
            last,
            first: joined.is_empty(),
            before: &line.text[..(piece.start.max(start_of_line) - start_of_line).saturating_sub(lead.0 + lead.1)],
            quoted: start > 0 && text[start - 1] == b'"',
            soft,
            is_meant: padding == 0 && prefixes.0.is_empty() && !soft && !is_open(last),
            ends_comment: prefixes.0.contains(&b'#') && !prefixes.1.contains(&b'#'),
            is_marked,
            cut,
            closes: closer.is_some_and(|closer| rest.trim_ascii_start().starts_with(closer))
                && (padding == 0 || is_open(last)),
            other_prefix,
            indentation: next_lead.1.cmp(&lead.1),
            token: &text[from..token.end],
            word,
            kinds: Kinds::of(word),
            rest: rest.trim_ascii(),
            text,
            lines: start_of_line..next_end,
            prefix: prefixes.0.len(),
            above: OnceCell::new(),
            line,
            next: self::line(next_line, next_lead),
            after: OnceCell::new(),
            url,
        };
        Ok((view, Token { piece: from..token.end, trimmed, open: token.open }))
    }

    /// Returns the line before the URL's line.
    pub(super) fn above(&self) -> Line<'h> {
        *self.above.get_or_init(|| {
            let above = line_before(self.text, self.lines.start);
            line(above, lead(above))
        })
    }

    /// Returns the line after the next line.
    pub(super) fn after(&self) -> Line<'h> {
        *self.after.get_or_init(|| line_at(self.text, self.lines.end + 1))
    }

    fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| {
            let host = authority(&self.url);
            let from = host.map_or(0, |at| at + 3);
            let rest = &self.url[from..];
            let path = memchr::memchr3(b'/', b'?', b'#', rest).map_or(self.url.len(), |at| from + at);
            Parts { has_host: host.is_some(), path, has_query: memchr::memchr(b'?', &self.url).is_some() }
        })
    }

    /// Returns the part of the URL after the host. This part is empty, or begins with a `/`, `?` or `#`.
    pub(super) fn path(&self) -> &[u8] {
        &self.url[self.parts().path..]
    }

    /// Whether the URL has a host and at most a slash after the host.
    pub(super) fn is_bare_host(&self) -> bool {
        self.parts().has_host && self.path().len() <= 1
    }

    /// Returns the length of the known file extension of `url`. It is 0 without such an extension.
    pub(super) fn extension(&self) -> usize {
        *self.extension.get_or_init(|| extension(&self.url).map_or(0, <[u8]>::len))
    }

    /// Whether the line before the URL's line, or the line after the next line, begins with a copy of the joined URL. A
    /// `<`, or the mark of a comment, can be before the copy.
    pub(in crate::scan) fn is_confirmed(&self) -> bool {
        [self.above(), self.after()].iter().any(|line| {
            let marks = line.text.iter().take(MAX_MARK).take_while(|byte| b"< ".contains(byte) || is_mark(byte));
            let rest = line.text[marks.count()..].strip_prefix(&*self.url);
            rest.is_some_and(|rest| rest.starts_with(self.word))
        })
    }
}

/// Whether a URL that ends in a mark such as `;` at `end` may continue on the next line, which begins `after`: its line
/// is full, or it is a link of a gateway or of an archive.
#[cold]
fn may_go_on(text: &[u8], end: usize, after: &[u8]) -> bool {
    let line = &text[end.saturating_sub(FULL)..end];
    let is_full = line.len() == FULL && memchr::memchr(b'\n', line).is_none();
    let is_marked = line.ends_with(b"/*") || line.ends_with(b"!") && memchr::memmem::find(line, b"__;!!").is_some();
    let word = after.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    is_marked || is_full && Kinds::of(&after[..word]).has(Kinds::MARKS)
}

pub(super) fn has_query(view: &View<'_>) -> bool {
    view.parts().has_query
}

/// Pairs of marks that people put around a URL. If the opening mark is before the URL and the closing mark is after the
/// token, the URL continues on the next line.
const WEAK: &[(&[u8], &[u8])] = &[
    (b"(", b")"),
    (b"[", b"]"),
    (b"\"", b"\""),
    (b"'", b"'"),
    ("\u{201C}".as_bytes(), "\u{201D}".as_bytes()),
    ("\u{AB}".as_bytes(), "\u{BB}".as_bytes()),
    ("\u{27E8}".as_bytes(), "\u{27E9}".as_bytes()),
];

/// Whether `text` begins like prose: first a word of letters, then a blank, then a letter or digit. One punctuation
/// mark can be between the word and the blank.
pub(super) fn is_prose(text: &[u8]) -> bool {
    let letters = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let rest = &text[letters..];
    let rest = if let [b'.' | b',' | b':' | b'!' | b'?', rest @ ..] = rest { rest } else { rest };
    letters > 0 && matches!(rest, [b' ', next, ..] if next.is_ascii_alphanumeric())
}

/// If `text` ends in an opening mark of [`WEAK`], returns the matching closing mark.
fn closer(text: &[u8]) -> Option<&'static [u8]> {
    // Most URLs begin a line or follow a blank.
    if text.last().is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    WEAK.iter().find(|(opener, _)| text.ends_with(opener)).map(|(_, closer)| *closer)
}

/// Returns the number of blanks between `end` and the end of its line. Returns `None` if anything else follows, or too
/// many blanks.
#[inline]
pub(super) fn blanks_before_break(text: &[u8], end: usize) -> Option<usize> {
    let blanks = text[end..].iter().take(MAX_BLANKS).take_while(|b| quote::is_blank(**b)).count();
    (text.get(end + blanks) == Some(&b'\n')).then_some(blanks)
}

/// Returns the width of `text` in columns: one column for each character.
pub(super) fn columns(text: &[u8]) -> usize {
    if text.is_ascii() { text.len() } else { text.iter().filter(|b| **b & 0xC0 != 0x80).count() }
}

/// Whether the mark of a comment can have `byte`.
fn is_mark(byte: &u8) -> bool {
    b"/*;-+!%#".contains(byte)
}

/// Returns the length of the mark at the start of `line`, such as the ` * ` or `// ` of a comment, and whether `next`
/// begins with the same mark. If `next` does not, it must be indented as far as the text after the mark, as in a list.
/// Otherwise, the length is 0.
fn mark(line: &[u8], indentation: usize, next: &[u8]) -> (usize, bool) {
    if next.first().is_none_or(u8::is_ascii_alphanumeric) || !line.get(indentation).is_some_and(is_mark) {
        return (0, false);
    }
    let marks = line.iter().take(MAX_MARK).take_while(|byte| quote::is_blank(**byte) || is_mark(byte)).count();
    let mark = &line[..line[..marks].iter().rposition(|byte| quote::is_blank(*byte)).map_or(0, |blank| blank + 1)];
    match next.get(..mark.len()) {
        _ if mark.len() <= indentation => (0, false),
        Some(begin) if begin == mark => (mark.len(), true),
        // After a line that a patch adds, a line with blanks is not part of the patch.
        Some(begin) if blanks(begin) == mark.len() && !mark.contains(&b'+') => (mark.len(), false),
        _ => (0, false),
    }
}

/// Returns the length of a line's quote prefix, and the length of the indentation after the prefix.
fn lead(line: &[u8]) -> (usize, usize) {
    lead_after(line, quote::prefix(line).len)
}

/// Returns `prefix`, the length of the prefix of `line`, and the length of the indentation after it.
fn lead_after(line: &[u8], prefix: usize) -> (usize, usize) {
    (prefix, blanks(&line[prefix..]))
}

/// Describes a line. The second argument is the result of [`lead`].
fn line(line: &[u8], (prefix, indentation): (usize, usize)) -> Line<'_> {
    let text = line[prefix + indentation..].trim_ascii_end();
    if text.is_empty() {
        // The `\r` at the end is no indentation.
        let indentation = indentation - usize::from(indentation > 0 && line.ends_with(b"\r"));
        return Line { text, width: 0, indentation };
    }
    Line { text, width: columns(&line[..prefix + indentation + text.len()]), indentation }
}

/// Returns the line that starts at `from`, or an empty line at the end of the text.
fn line_at(text: &[u8], from: usize) -> Line<'_> {
    let from = from.min(text.len());
    let next = &text[from..quote::line_end(text, from, MAX_NEXT_LINE)];
    line(next, lead(next))
}

/// Returns the quote prefix of the line before the line that contains `at`.
fn prefix_before(text: &[u8], at: usize) -> &[u8] {
    let above = quote::line_start(text, at).map_or(&[][..], |from| line_before(text, from));
    &above[..quote::prefix(above).len]
}

/// Returns the line before the line that starts at `from`. Returns an empty line if there is no such line, or if that
/// line is too long.
fn line_before(text: &[u8], from: usize) -> &[u8] {
    from.checked_sub(1).and_then(|end| Some(&text[quote::line_start(text, end)?..end])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{columns, is_prose};

    #[test]
    fn prose_is_a_word_and_another_word() {
        for text in ["and more", "See, for", "done. Then", "so: 4", "a b"] {
            assert!(is_prose(text.as_bytes()), "{text}");
        }
        for text in ["manuals.html and", "manuals", "and ", "and  more", "4 of", " and", "and (more", "and.. so", ""] {
            assert!(!is_prose(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_column_is_a_character() {
        for (text, want) in [("", 0), ("ete", 3), ("\u{e9}t\u{e9}", 3), ("\u{6f22}\u{5b57}", 2)] {
            assert_eq!(columns(text.as_bytes()), want, "{text}");
        }
    }
}
