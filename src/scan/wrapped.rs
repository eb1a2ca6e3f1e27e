//! Reads the content of the wrappers `<URL:...>` and `<scheme:...>`, across line breaks and quote marks (rules 1.1 to
//! 1.6).

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::bare::authority;
use super::quote;
use super::rejoin::heuristics::extension;
use crate::simd::ByteSet;
use crate::url::Url;
use crate::url::class::{AMPERSAND, CLASSES, FORBIDDEN, HIGH, NATIONAL};

/// The maximum length of a wrapper, in bytes (rule 1.5).
const MAX_BYTES: usize = 8 << 10;

/// The maximum number of continuation lines of a wrapper (rule 1.5).
const MAX_LINES: usize = 8;

/// The maximum number of hyphens at line breaks for which a wrapper has all possible readings (rule 1.6). Each such
/// hyphen may or may not be part of the URL, so each combination of kept and dropped hyphens is a reading. A wrapper
/// with more hyphens has only two readings: one keeps all hyphens, and one drops all hyphens.
const MAX_HYPHENS: usize = 3;

/// The content of a closed wrapper.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inside {
    /// The offset directly after the closing `>`.
    pub(super) after: usize,
    /// The range of the content, without white space at its start and end.
    pub(super) span: Range<usize>,
    /// The pieces of the content, separated by white space. Empty if there is only one piece.
    pub(super) fragments: Vec<Range<usize>>,
    /// The pieces that end in a hyphen, as indices of `fragments`.
    hyphens: Vec<usize>,
    /// Whether white space separates two pieces on one line, and the first piece does not end in a hyphen (rule 1.3).
    pub(super) tokens: bool,
    /// Whether white space follows a hyphen inside a line, as in `twisted- web`. If the wrapper has several lines, an
    /// editor has refilled the text and replaced a line break after the hyphen with this white space (rule 1.2a). If
    /// the wrapper has one line, the white space separates two words.
    refilled: bool,
    /// The number of line breaks in the wrapper.
    pub(super) lines: usize,
    /// Whether a continuation line has lost its quote prefix.
    pub(super) lost_quote: bool,
}

/// Reads the wrapper whose `<` is at `open` and whose content begins at `content`.
///
/// Returns `None` if the wrapper is empty or not closed. The wrapper is not closed if one of these comes before a `>`:
/// the end of the text, another `<`, a blank line, a line with another quote prefix, or the limit of [`MAX_LINES`] or
/// [`MAX_BYTES`].
///
/// Reads the bytes from `open` to the end of the wrapper, at most [`MAX_BYTES`], and stops at another `<`. If this
/// function is called for each `<` of a text, all calls together read each byte about once.
pub(super) fn read(text: &[u8], open: usize, content: usize) -> Option<Inside> {
    let text = &text[..text.len().min(open + MAX_BYTES)];
    let mut inside = Inside::default();
    let mut at = content;
    let mut opening = None;
    for _ in 0..=MAX_LINES {
        let end = at + memchr::memchr3(b'<', b'>', b'\n', &text[at..])?;
        inside.line(text, at..end);
        match text[end] {
            b'<' => return None,
            b'>' => return inside.close(end + 1),
            _ => {}
        }
        // The quote prefix of the first line is needed only if the wrapper has a line break.
        let (line, depth) = *opening.get_or_insert_with(|| {
            quote::line_start(text, open).map_or((open, 0), |line| (line, quote::prefix(&text[line..]).depth))
        });
        inside.note_hyphen(text);
        inside.undo_soft_break(text);
        inside.lines += 1;
        at = inside.continuation(text, line, depth, end + 1)?;
    }
    None
}

/// The bytes at which [`plain`] stops: `&`, bytes above 127, and the ASCII characters that a URL should not contain.
static NOT_PLAIN: ByteSet = ByteSet::new(&CLASSES, FORBIDDEN | HIGH | AMPERSAND | NATIONAL);

/// Fast path for nearly all wrappers: the content is ASCII and has no white space. Returns the end of the content, and
/// whether the content has a `&`. Returns `None` for any other content. The `<` is directly before `start`.
pub(super) fn plain(text: &[u8], start: usize) -> Option<(usize, bool)> {
    let text = &text[..text.len().min(start + MAX_BYTES - 1)];
    let (mut end, mut has_ampersand) = (NOT_PLAIN.next(text, start), false);
    while text.get(end) == Some(&b'&') {
        (end, has_ampersand) = (NOT_PLAIN.next(text, end + 1), true);
    }
    (end > start && text.get(end) == Some(&b'>')).then_some((end, has_ampersand))
}

impl Inside {
    /// Adds the pieces of one line.
    fn line(&mut self, text: &[u8], range: Range<usize>) {
        let mut at = range.start;
        let mut pieces = 0;
        while at < range.end {
            let start = at + blanks(&text[at..range.end]);
            at = start + word(&text[start..range.end]);
            if at == start {
                break;
            }
            pieces += 1;
            if self.span.is_empty() {
                self.span = start..at;
            } else {
                if pieces > 1 {
                    let hyphen = text[self.span.end - 1] == b'-';
                    self.refilled |= hyphen;
                    self.tokens |= !hyphen;
                    if hyphen {
                        self.note_hyphen(text);
                    }
                }
                if self.fragments.is_empty() {
                    self.fragments.push(self.span.clone());
                }
                self.fragments.push(start..at);
                self.span.end = at;
            }
        }
    }

    fn note_hyphen(&mut self, text: &[u8]) {
        if !self.span.is_empty() && text[self.span.end - 1] == b'-' {
            let piece = self.fragments.len().saturating_sub(1);
            if self.hyphens.last() != Some(&piece) {
                self.hyphens.push(piece);
            }
        }
    }

    /// Removes the `=` at the end of the last piece if [`quote::is_soft_break`] is true (rule 1.8). If the piece
    /// is then empty, removes the piece.
    fn undo_soft_break(&mut self, text: &[u8]) {
        if self.span.is_empty() {
            return;
        }
        let piece = self.fragments.last().unwrap_or(&self.span).clone();
        if quote::is_soft_break(text, self.span.start, piece.end) {
            self.fragments.pop();
            if piece.len() > 1 {
                self.fragments.push(piece.start..piece.end - 1);
            } else if self.fragments.is_empty() {
                self.span = Range::default();
            }
        }
    }

    /// Returns the offset after the quote prefix of the line at `at`, or `None` if the line cannot continue the
    /// wrapper. The first line of the wrapper starts at `opening` and has `depth` quote marks.
    fn continuation(&mut self, text: &[u8], opening: usize, depth: usize, at: usize) -> Option<usize> {
        let line = &text[at..quote::line_end(text, at, MAX_BYTES)];
        let prefix = quote::prefix_of(line, depth);
        let opening = &text[opening..opening + quote::prefix_of(&text[opening..], depth).len];
        // In a line such as `html> and`, `html>` looks like a quote prefix with initials, but is the end of the URL. If
        // the prefix of the first line has no initials, this function assumes that such a line has lost its prefix.
        let initials = |prefix: &[u8]| prefix.iter().any(u8::is_ascii_alphabetic);
        let content = if prefix.depth == depth && quote::same(opening, &line[..prefix.len]) {
            prefix.len
        } else if prefix.depth == 0 || initials(&line[..prefix.len]) && !initials(opening) {
            self.lost_quote = true;
            0
        } else if quote::is_less(&line[..prefix.len], opening) {
            self.lost_quote = true;
            prefix.len
        } else {
            return None;
        };
        let rest = &line[content..];
        let first = blanks(rest);
        if first == rest.len() {
            return None;
        }
        // If another quote mark follows the expected prefix, the line is quoted more deeply than the first line. Such a
        // line does not continue the wrapper.
        let mark = quote::prefix_of(rest, 1).len;
        if rest[first] != b'>' && mark > 0 && !initials(&rest[..mark]) {
            return None;
        }
        // A `>` directly after the prefix closes the wrapper or is a further quote mark. A line with a further quote
        // mark does not continue the wrapper.
        if rest[first] == b'>' && !is_closer(&rest[first + 1..]) {
            return None;
        }
        Some(at + content)
    }

    fn close(mut self, after: usize) -> Option<Self> {
        self.after = after;
        self.tokens |= self.refilled && self.lines == 0;
        if let [piece] = self.fragments.as_slice() {
            self.span = piece.clone();
            self.fragments.clear();
        }
        if self.lines == 0 {
            self.hyphens.clear();
        }
        // The URL ends after the last piece, so a hyphen at the end of the last piece is always kept.
        self.hyphens.retain(|piece| piece + 1 < self.fragments.len());
        (!self.span.is_empty()).then_some(self)
    }

    /// Returns the content before a `|` and a label, as in `<http://a.example/|the page>` (rule 1.2d), if it is a URL.
    pub(super) fn before_label(&self, text: &[u8]) -> Option<Inside> {
        let bar = self.span.start + memchr::memchr(b'|', &text[self.span.clone()])?;
        let mut url = Inside { span: self.span.start..bar, ..self.clone() };
        url.fragments.retain(|piece| piece.start < bar);
        if let Some(last) = url.fragments.last_mut() {
            last.end = last.end.min(bar);
            url.span.end = last.end;
        }
        let is_one_line = |pair: &[Range<usize>]| memchr::memchr(b'\n', &text[pair[0].end..pair[1].start]).is_none();
        url.tokens &= url.fragments.windows(2).any(is_one_line);
        let url = url.close(bar)?;
        Url::parse(&url.joined(text)).is_ok().then_some(url)
    }

    /// Whether a later line begins with another URL, a mail address or a bracket (rule 1.2).
    pub(super) fn has_other(&self, text: &[u8]) -> bool {
        let is_address = |piece: &[u8]| {
            memchr::memchr(b'@', piece).is_some_and(|at| at > 0 && piece[at..].contains(&b'.'))
                && !piece.contains(&b'/')
        };
        let is_other = |piece: &[u8]| piece[0] == b'[' || authority(piece).is_some() || is_address(piece);
        let (first, rest) = self.fragments.split_first().unwrap_or((&self.span, &[]));
        let first = &text[first.clone()];
        // In a query, addresses and URLs are values.
        rest.iter().any(|piece| is_other(&text[piece.clone()])) && !first.contains(&b'?') && Url::parse(first).is_ok()
    }

    /// Returns the content without white space.
    pub(super) fn joined(&self, text: &[u8]) -> Vec<u8> {
        match &self.fragments[..] {
            [] => text[self.span.clone()].to_vec(),
            pieces => join(text, pieces),
        }
    }

    /// If the wrapper has several words on one line, returns them with `%20` between them, as in browsers (rule 1.2c).
    pub(super) fn escaped(&self, text: &[u8]) -> Option<Vec<u8>> {
        let words = || self.fragments.iter().map(|piece| &text[piece.clone()]).collect::<Vec<_>>();
        (self.tokens && self.lines == 0).then(|| words().join(&b"%20"[..]))
    }

    /// Returns the pieces of each reading, that is, of each possible URL (rule 1.6). The first reading keeps all
    /// hyphens at line breaks. Each other reading drops some or all of these hyphens.
    pub(super) fn readings(&self) -> Vec<Vec<Range<usize>>> {
        let breaks = self.hyphens.len();
        let mut readings = vec![self.fragments.clone()];
        let mut without = |is_dropped: &dyn Fn(usize) -> bool| {
            let mut pieces = self.fragments.clone();
            for (i, &piece) in self.hyphens.iter().enumerate() {
                pieces[piece].end -= usize::from(is_dropped(i));
            }
            pieces.retain(|piece| !piece.is_empty());
            readings.push(pieces);
        };
        if breaks > MAX_HYPHENS {
            without(&|_| true);
        } else {
            for choice in (1..1_u32 << breaks).rev() {
                without(&|i| choice >> i & 1 == 1);
            }
        }
        readings
    }
}

/// Whether the pieces of a wrapper on one line are a URL with blanks in it, and whether the blanks are more likely a
/// mistake than the end of the URL (rule 1.2c).
#[cold]
pub(super) fn has_blanks(text: &[u8], inside: &Inside) -> (bool, bool) {
    let pieces = &inside.fragments;
    let content = &text[inside.span.clone()];
    let is_attribute = |piece: &Range<usize>| {
        let name = text[piece.clone()].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        text.get(piece.start + name) == Some(&b'=')
    };
    let can = inside.lines == 0
        && (pieces.len() <= 3 || extension(content).is_some())
        && memchr::memchr2(b'"', b'\'', content).is_none()
        && !pieces[1..].iter().any(is_attribute)
        && Url::parse(&join(text, pieces)).is_ok();
    let is_mark = |byte: &u8| b"/.-_".contains(byte);
    let continues = |pair: &[Range<usize>]| {
        matches!(text[pair[0].end - 1], b'/' | b'-') || text[pair[1].clone()].iter().any(is_mark)
    };
    (can, can && pieces.windows(2).all(continues))
}

/// If the lines of a wrapper have line numbers, as in a listing, returns the URL without the line numbers (rule 1.2b).
/// Returns `None` if the lines are not numbered, or if the result is not a URL. The `<` is directly before `content`.
///
/// Reads the bytes that [`read`] reads, and the bytes from the start of the line to the `<`.
pub(super) fn numbered(text: &[u8], content: usize) -> Option<Vec<u8>> {
    let line = quote::line_start(text, content)?;
    let before = &text[line + quote::prefix(&text[line..]).len..content - 1];
    let first = number(before.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?)?;
    let mut pieces = read(text, content - 1, content)?.fragments;
    let mut rest = pieces.split_off(pieces.len().min(1));
    for (n, pair) in (first.checked_add(1)?..).zip(rest.chunks_exact_mut(2)) {
        if number(&text[pair[0].clone()]) != Some(n)
            || !text[pair[0].end..pair[1].start].iter().all(|b| quote::is_blank(*b))
        {
            return None;
        }
        pieces.push(pair[1].clone());
    }
    let whole = join(text, &pieces);
    (pieces.len() > 1 && rest.len() == 2 * (pieces.len() - 1) && Url::parse(&whole).is_ok()).then_some(whole)
}

/// Parses a line number of a listing, such as `98` or `98:`. A colon or a full stop can follow the digits.
fn number(word: &[u8]) -> Option<u32> {
    let digits = word.strip_suffix(b":").or_else(|| word.strip_suffix(b".")).unwrap_or(word);
    // `parse` would also accept `+98`.
    if digits.first()?.is_ascii_digit() { str::from_utf8(digits).ok()?.parse().ok() } else { None }
}

pub(super) fn join(text: &[u8], pieces: &[Range<usize>]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(pieces.iter().map(Range::len).sum());
    for piece in pieces {
        joined.extend_from_slice(&text[piece.clone()]);
    }
    joined
}

/// Returns the number of bytes before the first white space in `text`. [`blanks`] says which bytes are white space.
fn word(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(i) = text[at..].iter().position(|&b| b <= b' ' || b == 0xC2) {
        at += i;
        if blanks(&text[at..]) > 0 {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// Returns the number of bytes of white space at the start of `text`: ASCII white space and no-break spaces. Some
/// editors indent lines with no-break spaces.
pub(super) fn blanks(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match text[at..] {
            [b, ..] if b.is_ascii_whitespace() => 1,
            [0xC2, 0xA0, ..] => 2,
            _ => return at,
        };
    }
}

/// Whether a `>` at the start of a line closes a wrapper instead of quoting the line. `rest` is the text after the `>`
/// on that line. The `>` closes the wrapper if `rest` is empty, begins with punctuation, or consists of blanks.
fn is_closer(rest: &[u8]) -> bool {
    match rest.first() {
        None | Some(b'\r' | b'.' | b',' | b';' | b':' | b')' | b']' | b'!' | b'?' | b'"' | b'\'') => true,
        Some(b' ' | b'\t') => rest.iter().all(|b| quote::is_blank(*b)),
        Some(_) => false,
    }
}
