//! Whether a bare URL that ends a line goes on in the next one (RULES.md, section 3).
//!
//! Nothing in the text says so; the conditions here are a conjunction of evidence, each one measured on real
//! mail. Where they hold, the URL cut at the line's end is given as an alternative.

mod looks;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::bare::{self, Brackets, Extent};
use super::marks::Marks;
use super::quote;
use super::trim::trim;
use super::wrapped;
use crate::url::Url;
use looks::{begins_with_www, has_path, is_closed, is_host_of, is_open, is_plausible, looks_like_rest, words_only};

/// A URL is joined from no more than this many further lines.
const MAX_LINES: usize = 8;

/// A line this long may have been broken because it was full.
const FULL_LINE: usize = 60;

/// A line this long may have been broken within a URL, if that is what the URL itself looks like.
const BROKEN_LINE: usize = 40;

/// Digits and words alone go on only behind a line this long: shorter ones are page or footnote numbers, and words of
/// a line that was filled.
const FULL_LINE_WORDS: usize = 70;

/// No more than this many columns were there for a line that was broken before a piece of a URL, which did not fit.
const FILLED_LINE: usize = 72;

/// Lines longer than this were not made by wrapping.
const MAX_NEXT_LINE: usize = 1024;

/// The most blanks that a line may have behind the URL.
const MAX_BLANKS: usize = 4;

/// A bare URL in several pieces.
pub(super) struct Joined {
    /// The pieces, the last of them trimmed.
    pub(super) pieces: Vec<Range<usize>>,
    /// What they hold, put together.
    pub(super) url: Vec<u8>,
    /// Where the last piece ended before it was trimmed.
    pub(super) behind: usize,
}

/// The bare URL that starts at `start` and whose first piece is `first`, if it goes on behind that.
///
/// Cost: the lines that are joined and the one that is not.
pub(super) fn join(text: &[u8], start: usize, first: &Extent, marks: &mut Marks) -> Option<Joined> {
    let (mut last, mut open) = (start..first.end, first.open);
    // All pieces before the last one, and what they hold.
    let (mut pieces, mut url) = (Vec::new(), Vec::new());
    let mut trimmed = last.end;
    while pieces.len() < MAX_LINES {
        let Some(here) = Break::at(text, start, last.clone(), open) else { break };
        let Some((next, next_trimmed)) = here.next_piece(&url, marks) else { break };
        let piece = last.start..last.end - usize::from(here.soft);
        url.reserve(piece.len() + next.len());
        url.extend_from_slice(&text[piece.clone()]);
        let before = url.len();
        url.extend_from_slice(&text[next.start..next_trimmed]);
        if Url::parse(&url).is_err() {
            break;
        }
        url.truncate(before);
        pieces.push(piece);
        (last, open, trimmed) = (next, here.open, next_trimmed);
    }
    if pieces.is_empty() {
        return None;
    }
    let behind = last.end;
    pieces.push(last.start..trimmed);
    let url = wrapped::join(text, &pieces);
    Some(Joined { pieces, url, behind })
}

/// A line break directly behind a URL's piece.
struct Break<'h> {
    text: &'h [u8],
    /// Where the URL's scheme starts.
    start: usize,
    /// The piece before the break.
    piece: Range<usize>,
    /// Blanks before the break: it was made at a space, not within a word.
    padding: usize,
    /// The piece ends in the `=` of a quoted-printable soft break that nothing declared.
    soft: bool,
    /// The URL stands alone on its line, behind the prefix and the indentation, or in a quotation that is still open.
    alone: bool,
    /// Where its line begins.
    line: usize,
    /// How the next line's indentation compares with that of the URL's line.
    indentation: Ordering,
    /// What the next line begins with, behind the same prefix.
    token: Range<usize>,
    /// The brackets open behind it.
    open: Brackets,
    /// The end of the next line.
    line_end: usize,
}

impl<'h> Break<'h> {
    /// `None` if no line break follows the piece, or if the next line's quote prefix differs.
    fn at(text: &'h [u8], start: usize, piece: Range<usize>, open: Brackets) -> Option<Self> {
        let end = piece.end;
        // No more blanks than a flowed line or a sloppy one has.
        let blanks = text[end..].iter().take(MAX_BLANKS).take_while(|b| quote::is_blank(**b)).count();
        if text.get(end + blanks) != Some(&b'\n') {
            return None;
        }
        // What decides most lines without a look at the next one: the URL is closed, or its line is short and nothing is
        // open.
        if is_closed(text[end - 1]) {
            return None;
        }
        let line = quote::line_start(text, end)?;
        let opened = || closer(&text[..start]).is_some() || text[piece.clone()].ends_with(b"://");
        if end - line < BROKEN_LINE && !opened() {
            return None;
        }
        let padding = text[end..end + blanks].iter().filter(|b| **b != b'\r').count();
        let next = end + blanks + 1;
        let next_line = &text[next..quote::line_end(text, next, MAX_NEXT_LINE)];
        if next_line.iter().all(|b| quote::is_blank(*b)) {
            return None;
        }
        let (prefix, next_prefix) = (lead(&text[line..end]), lead(next_line));
        if !quote::same(&text[line..line + prefix.0], &next_line[..next_prefix.0]) {
            return None;
        }
        let from = next + next_prefix.0 + next_prefix.1;
        // The next line's own end bounds the token, even if the line is too long to be looked at as a whole.
        let line_end = next + next_line.len();
        let within = if text.get(line_end) == Some(&b'\n') { text } else { &text[..line_end] };
        let token = bare::extent(within, start, from, open);
        let soft = padding == 0 && quote::is_soft_break(&text[line..end], piece.start.max(line) - line);
        let quoted = start > 0 && text[start - 1] == b'"';
        Some(Break {
            text,
            start,
            alone: quoted || piece.start == line + prefix.0 + prefix.1,
            piece,
            line,
            padding,
            soft,
            indentation: next_prefix.1.cmp(&prefix.1),
            token: from..token.end,
            open: token.open,
            line_end,
        })
    }

    /// The piece that continues the URL, and where it ends if it is the last one; `before` is what was joined so far, if
    /// anything.
    fn next_piece(&self, before: &[u8], marks: &mut Marks) -> Option<(Range<usize>, usize)> {
        let piece = &self.text[self.piece.clone()];
        if self.token.is_empty() {
            return None;
        }
        let certain = self.soft || self.closes_mark();
        if !certain && self.width() < BROKEN_LINE && !piece.ends_with(b"://") {
            return None;
        }
        let so_far = if before.is_empty() { Cow::Borrowed(piece) } else { Cow::Owned([before, piece].concat()) };
        let token = &self.text[self.token.clone()];
        let trimmed = trim(self.text, self.start, &so_far, self.token.clone(), marks);
        let word = &self.text[self.token.start..trimmed];
        let goes_on = !word.is_empty() && is_plausible(token, word) && (certain || self.evidence(&so_far, token, word));
        goes_on.then(|| (self.token.clone(), trimmed))
    }

    /// A bracket or a quotation mark directly before the scheme is a weak wrapper: its closer stands behind the next
    /// line's first token. A break at a blank was one between words, unless the URL is open at its end.
    fn closes_mark(&self) -> bool {
        let Some(closer) = closer(&self.text[..self.start]) else { return false };
        let behind = &self.text[self.token.end..self.line_end];
        let blanks = behind.iter().take_while(|b| quote::is_blank(**b)).count();
        behind[blanks..].starts_with(closer) && (self.padding == 0 || is_open(self.text[self.piece.end - 1]))
    }

    /// The prefix and the indentation of the line behind the next one, and that line.
    fn line_after(&self) -> ((usize, usize), &'h [u8]) {
        let next = (self.line_end + 1).min(self.text.len());
        let line = &self.text[next..quote::line_end(self.text, next, MAX_NEXT_LINE)];
        (lead(line), line)
    }

    /// The next line's first token is a label, for the line behind it begins with its link in brackets.
    fn is_label(&self) -> bool {
        let ((prefix, indentation), line) = self.line_after();
        line.get(prefix + indentation) == Some(&b'<')
    }

    /// The line behind the next one is indented as that is: both are entries of a list.
    fn is_entry(&self) -> bool {
        let ((prefix, indentation), line) = self.line_after();
        let next = self.text[..self.token.start].iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
        indentation == next && line.len() > prefix + indentation
    }

    /// The columns of the URL's line up to the break.
    fn width(&self) -> usize {
        columns(&self.text[self.line..self.piece.end])
    }

    /// The line above ends in a word: the URL's line was filled with what came behind it.
    fn runs_on(&self) -> bool {
        let above = self.line.checked_sub(1).and_then(|end| Some(&self.text[quote::line_start(self.text, end)?..end]));
        above.is_some_and(|above| above.trim_ascii_end().last().is_some_and(u8::is_ascii_alphanumeric))
    }

    fn evidence(&self, so_far: &[u8], token: &[u8], word: &[u8]) -> bool {
        let last = so_far[so_far.len() - 1];
        if so_far.ends_with(b"://") {
            return self.padding <= 1 && self.indentation == Ordering::Equal && memchr::memchr(b'.', word).is_some();
        }
        let behind = &self.text[self.token.end..self.line_end];
        let whole = behind.iter().all(|b| quote::is_blank(*b));
        let looks_on = (is_open(last) || matches!(token[0], b'.' | b'/')) && looks_like_rest(last, word);
        let beyond_slash = last != b'/'
            || token[0] != b'/'
                && !begins_with_www(word)
                && (word.ends_with(b"/")
                    || word.iter().any(|b| matches!(b, b'.' | b'=' | b'%' | b'&' | b'_') || b.is_ascii_digit()));
        // Text before the URL means that its line was filled word by word: a word in the next line is one more.
        let filled = !self.alone || self.width() < FULL_LINE_WORDS && token[0].is_ascii_alphabetic() && self.runs_on();
        let words = filled && !is_open(last) && words_only(word);
        let digits = word.iter().all(u8::is_ascii_digit);
        (whole && !words && !self.is_label() || looks_on)
            && self.is_full(last, word, looks_on)
            && self.is_aligned(last, whole, looks_on)
            && beyond_slash
            && !is_host_of(so_far, word)
            && (has_path(so_far) || !words_only(word))
            && (!digits || last == b'=' || self.width() >= FULL_LINE_WORDS)
            && !(so_far.ends_with(b".git") && word.starts_with(b"tags/"))
    }

    /// The line is so long that it may have been broken: by itself, or with what did not fit, or because the URL ends in
    /// the hyphen that it was broken behind.
    fn is_full(&self, last: u8, word: &[u8], looks_on: bool) -> bool {
        self.width() >= FULL_LINE
            || looks_on && is_open(last) && (last == b'-' || self.width() + columns(word) >= FILLED_LINE)
    }

    /// The next line is set as a continuation is: indented as the URL's line; or more than that, as a paragraph that
    /// hangs. A blank at the line's end is one of a flowed text, whose lines need not be indented alike.
    fn is_aligned(&self, last: u8, whole: bool, looks_on: bool) -> bool {
        let breaks_here = matches!(last, b'/' | b'-' | b'?' | b'=' | b'&' | b'#');
        match (self.padding, self.indentation) {
            (0, Ordering::Equal) => true,
            (0, Ordering::Greater) => breaks_here && looks_on && whole && !self.is_entry(),
            (1, Ordering::Equal | Ordering::Less) => breaks_here && (looks_on || last == b'-' && whole),
            _ => false,
        }
    }
}

/// What may stand directly before and behind a URL, and hold it together over one line break.
const WEAK: &[(&[u8], &[u8])] = &[
    (b"(", b")"),
    (b"[", b"]"),
    (b"\"", b"\""),
    (b"'", b"'"),
    ("\u{201C}".as_bytes(), "\u{201D}".as_bytes()),
    ("\u{AB}".as_bytes(), "\u{BB}".as_bytes()),
    ("\u{27E8}".as_bytes(), "\u{27E9}".as_bytes()),
];

/// What closes the mark or the bracket at the end of `text`, if there is one.
fn closer(text: &[u8]) -> Option<&'static [u8]> {
    WEAK.iter().find(|(opener, _)| text.ends_with(opener)).map(|(_, closer)| *closer)
}

/// The columns of `text`: its characters.
fn columns(text: &[u8]) -> usize {
    if text.is_ascii() { text.len() } else { text.iter().filter(|b| **b & 0xC0 != 0x80).count() }
}

/// The lengths of a line's quote prefix and of the indentation behind it.
fn lead(line: &[u8]) -> (usize, usize) {
    let prefix = quote::prefix(line).len;
    (prefix, line[prefix..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count())
}
