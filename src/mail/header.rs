//! Header blocks: where they end, their fields, and the values of the fields.
//!
//! This module walks the lines itself, because every byte of the message must be accounted for. mailparse decodes the
//! values (RFC 2047 words), within limits that keep it linear.

use super::Limits;
use crate::diagnostic::DiagnosticKind;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use crate::header::{self, Line};

/// The beginning of an encoded word (RFC 2047). Prepared once, because on short mail, preparing a search takes as long
/// as the search.
pub(super) static ENCODED_WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("=?"));

/// The extent of a header block, and the two fields that decide what follows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Where its last field ends: at the blank line, or at the body if there is none.
    pub(super) end: usize,
    /// Where the body begins, after the blank line.
    pub(super) body: usize,
    /// The value of the first Content-Type, if there is one.
    pub(super) content_type: Option<Range<usize>>,
    /// The value of the first Content-Transfer-Encoding.
    pub(super) encoding: Option<Range<usize>>,
    /// What is malformed in it, and where.
    pub(super) damage: Option<(DiagnosticKind, usize)>,
    /// Where its encoded words are.
    pub(super) words: Words,
}

/// Where the encoded words of a header block are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Words {
    /// The block was not searched.
    #[default]
    Unknown,
    None,
    /// The first one is here. More may follow.
    First(usize),
}

impl Block {
    /// Keeps the value of a field that decides what follows.
    fn take(&mut self, message: &[u8], field: &Field) {
        let Some(name) = field.name.clone() else { return };
        let kept = match &message[name] {
            name if name.eq_ignore_ascii_case(CONTENT_TYPE) => &mut self.content_type,
            name if name.eq_ignore_ascii_case(ENCODING) => &mut self.encoding,
            _ => return,
        };
        kept.get_or_insert(field.value.clone());
    }

    /// Does so for the line at `start`, if it begins such a field. One letter rules out nearly all others.
    pub(super) fn take_line(&mut self, message: &[u8], start: usize) {
        let (name, kept) = match message.get(start + b"content-t".len()) {
            Some(b'y' | b'Y') => (CONTENT_TYPE, &mut self.content_type),
            Some(b'r' | b'R') => (ENCODING, &mut self.encoding),
            _ => return,
        };
        if let (None, Some(colon)) = (&kept, header::colon(&message[start..], name)) {
            let end = end_after(message, start, message.len());
            *kept = Some(start + colon + 1..start + without_ending(&message[start..end]).len());
        }
    }
}

/// The names of these fields, in lower case.
const CONTENT_TYPE: &[u8] = b"content-type";
const ENCODING: &[u8] = b"content-transfer-encoding";

/// Returns where the line that starts at `at` ends, including its LF.
fn line_end(message: &[u8], at: usize) -> usize {
    memchr(b'\n', &message[at..]).map_or(message.len(), |i| at + i + 1)
}

/// Returns `line` without its LF or CRLF.
pub(super) fn without_ending(line: &[u8]) -> &[u8] {
    match line {
        [rest @ .., b'\r', b'\n'] | [rest @ .., b'\n'] => rest,
        _ => line,
    }
}

/// Whether a message's header block can begin like `text`.
pub(super) fn can_begin(text: &[u8]) -> bool {
    matches!(Line::of(text), Line::Field { .. } | Line::Envelope)
}

/// Whether the blank-looking line that ends at `next` is a fold, not the block's end.
fn fold_goes_on(message: &[u8], next: usize) -> bool {
    matches!(Line::of(&message[next..]), Line::Folded | Line::Field { .. })
}

/// A field of `message`: its bytes, its name and its value.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The whole field, including the line end.
    pub(super) raw: Range<usize>,
    /// `None` for lines that are not a field.
    pub(super) name: Option<Range<usize>>,
    /// What follows the colon, without the last line end.
    pub(super) value: Range<usize>,
}

/// Walks the block that starts at `at`, one field (with its folds) at a time.
pub(super) struct Fields<'m> {
    message: &'m [u8],
    at: usize,
    /// Whether this is a message's block rather than a part's. Only a message's block may have odd lines at its
    /// beginning.
    top: bool,
    first: bool,
    /// Set at the end of the walk: where the block ends and the body begins.
    pub(super) over: Option<(usize, usize)>,
    pub(super) damage: Option<(DiagnosticKind, usize)>,
}

impl<'m> Fields<'m> {
    pub(super) fn new(message: &'m [u8], at: usize, top: bool) -> Self {
        Self { message, at, top, first: true, over: None, damage: None }
    }

    /// Returns the next field, or `None` at the end of the block. `delimiter` decides whether a line that starts with
    /// `--` is a boundary, which ends the block.
    pub(super) fn next(&mut self, delimiter: &mut dyn FnMut(&[u8]) -> bool) -> Option<Field> {
        if self.over.is_some() {
            return None;
        }
        let message = self.message;
        let start = self.at;
        if start >= message.len() {
            return self.end(message.len(), message.len());
        }
        let mut next = line_end(message, start);
        let line = &message[start..next];
        if line.starts_with(b"--") && delimiter(line) {
            return self.end(start, start);
        }
        let first = std::mem::replace(&mut self.first, false);
        let continues = |at: usize| Line::of(&message[at..]).is_known_field();
        let (name, colon) = match Line::of(line) {
            Line::Blank if first && self.top => {
                // Blank lines before the headers are skipped only if headers follow.
                while next < message.len() && Line::of(&message[next..]) == Line::Blank {
                    next = line_end(message, next);
                }
                if continues(next) {
                    self.damage = Some((DiagnosticKind::LeadingBlank, start));
                    return Some(self.stray(start, next));
                }
                return self.end(start, line_end(message, start));
            }
            Line::Blank => return self.end(start, next),
            Line::Envelope if self.top && first => {
                self.first = first;
                return Some(self.stray(start, next));
            }
            Line::Field { name, colon } => (name.len(), colon),
            Line::Folded if first && self.top && without_ending(line).trim_ascii().is_empty() => {
                return Some(self.stray(start, next));
            }
            Line::Folded if first && self.top && Line::of(line.trim_ascii_start()).is_known_field() => {
                self.damage = Some((DiagnosticKind::LeadingBlank, start));
                return Some(self.stray(start, next));
            }
            Line::Folded | Line::Envelope | Line::Other => {
                if continues(next) {
                    self.damage.get_or_insert((DiagnosticKind::StrayLine, start));
                    return Some(self.stray(start, next));
                }
                self.damage.get_or_insert((DiagnosticKind::MissingBlank, start));
                return self.end(start, start);
            }
        };
        Some(self.folded(start, name, colon, next))
    }

    /// Returns the field at `start` with its folds. `next` is where its first line ends, `name` the length of its name,
    /// `colon` the offset of its colon from `start`.
    fn folded(&mut self, start: usize, name: usize, colon: usize, mut next: usize) -> Field {
        let message = self.message;
        while next < message.len() && matches!(message[next], b' ' | b'\t') {
            let end = line_end(message, next);
            if without_ending(&message[next..end]).trim_ascii().is_empty() && !fold_goes_on(message, end) {
                // A line of blanks that is not a fold is the blank line.
                self.over = Some((next, end));
                break;
            }
            next = end;
        }
        self.at = next;
        let value = start + colon + 1..start + without_ending(&message[start..next]).len();
        Field { raw: start..next, name: Some(start..start + name), value }
    }

    /// Ends the block at `end`, before the body at `body`.
    fn end(&mut self, end: usize, body: usize) -> Option<Field> {
        self.over = Some((end, body));
        None
    }

    /// Returns lines that are not a field.
    fn stray(&mut self, start: usize, next: usize) -> Field {
        self.at = next;
        Field { raw: start..next, name: None, value: start..next }
    }
}

/// Walks the block that starts at `at` to its end.
pub(super) fn block(message: &[u8], at: usize, top: bool, delimiter: &mut dyn FnMut(&[u8]) -> bool) -> Block {
    let mut block = Block::default();
    let mut fields = Fields::new(message, at, top);
    while let Some(field) = fields.next(delimiter) {
        block.take(message, &field);
    }
    (block.end, block.body) = fields.over.unwrap_or((message.len(), message.len()));
    block.damage = fields.damage;
    block
}

/// Returns the byte range of the header fields at the beginning of `message`, from the first field to the end of the
/// last one.
///
/// Lines that an mbox or a relay puts before a header (`From `, `>From `) are not part of the range. The blank line
/// after the header is not, either. One stray line before a field of a known name does not end the header. Any other
/// line that is not a field ends it: the body may begin without a blank line.
///
/// `None` if the message does not begin with a field, as plain text.
///
/// ```
/// let message = b"From ann Mon Jan  1 00:00:00 2001\nSubject: x\nTo: y\n\nSee: the body\n";
/// assert_eq!(urlspool::header_range(message), Some(34..51));
/// assert_eq!(urlspool::header_range(b"http://www.example.org/ is not a field\n"), None);
/// ```
#[must_use]
pub fn header_range(message: &[u8]) -> Option<Range<usize>> {
    let mut fields = Fields::new(message, 0, true);
    let mut next = || fields.next(&mut |_| false);
    let mut first = next()?;
    while first.name.is_none() && Line::of(&message[first.raw.clone()]) == Line::Envelope {
        first = next()?;
    }
    first.name?;
    while next().is_some() {}
    fields.over.map(|(end, _)| first.raw.start..end)
}

/// How many `=?` and `?=` a line may have and still be decoded. mailparse searches the whole line for each.
const WORDS_PER_LINE: usize = 48;

/// Returns the value of the field `raw` (with its name) with its RFC 2047 words decoded. `None` if it has none, if
/// mailparse cannot read it, or if it is made to be slow.
///
/// mailparse gets at most `cap` bytes, and of lines over 1 KiB only those with few words.
pub(super) fn decode_words(raw: &[u8], cap: usize) -> Option<String> {
    if raw.len() > cap || ENCODED_WORD.find(raw).is_none() {
        return None;
    }
    let slow = raw.split(|&byte| byte == b'\n').any(|line| {
        line.len() > 1024 && line.windows(2).filter(|w| *w == b"=?" || *w == b"?=").count() > WORDS_PER_LINE
    });
    if slow {
        return None;
    }
    mailparse::parse_header(raw).ok().map(|(header, _)| header.get_value())
}

/// Returns the unfolded `value` of a field with its RFC 2047 words decoded. Replaces bytes that are not UTF-8.
pub(crate) fn decode_value(value: Cow<'_, [u8]>) -> Cow<'_, str> {
    let decoded = ENCODED_WORD.find(&value).and_then(|_| {
        // mailparse takes whole fields.
        decode_words(&[b"A: ", &*value].concat(), Limits::default().header_value)
    });
    match (decoded, value) {
        (Some(decoded), _) => decoded.into(),
        (None, Cow::Borrowed(value)) => String::from_utf8_lossy(value),
        (None, Cow::Owned(value)) => String::from_utf8_lossy(&value).into_owned().into(),
    }
}

/// Iterates over the fields of the block that `message` begins with: name as written, and value, unfolded, encoded
/// words decoded. Skips what is not a field. Replaces bytes that are not UTF-8.
pub(crate) fn decoded_fields(message: &[u8]) -> impl Iterator<Item = (Cow<'_, str>, String)> {
    let mut fields = Fields::new(message, 0, true);
    std::iter::from_fn(move || {
        loop {
            let field = fields.next(&mut |_| false)?;
            let Some(name) = field.name else { continue };
            let value = decode_words(&message[field.raw], Limits::default().header_value).unwrap_or_else(|| {
                let lines = message[field.value].split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
                let lines: Vec<_> = lines.filter(|line| !line.is_empty()).map(String::from_utf8_lossy).collect();
                lines.join(" ")
            });
            return Some((String::from_utf8_lossy(&message[name]), value));
        }
    })
}

/// Returns the field, including folds, that has byte `at`. It begins at `from` or later, where a field begins, and ends
/// at `end` or before.
pub(super) fn around(message: &[u8], from: usize, at: usize, end: usize) -> Range<usize> {
    let line = |before: usize| memchr::memrchr(b'\n', &message[from..before]).map_or(from, |i| from + i + 1);
    let mut start = line(at);
    while start > from && matches!(message[start], b' ' | b'\t') {
        start = line(start - 1);
    }
    start..end_after(message, at, end)
}

/// Returns where the field that has byte `at` ends, including folds: at `end` or before.
pub(super) fn end_after(message: &[u8], at: usize, end: usize) -> usize {
    let mut next = line_end(message, at);
    while next < end && matches!(message[next], b' ' | b'\t') {
        next = line_end(message, next);
    }
    next.min(end)
}

/// Parses the lines `raw`: a field, or, if they are the `first`, an mbox line. `None` if they are neither.
pub(super) fn field(message: &[u8], raw: Range<usize>, first: bool) -> Option<Field> {
    let line = &message[raw.clone()];
    match Line::of(line) {
        Line::Field { name, colon } => {
            let value = raw.start + colon + 1..raw.start + without_ending(line).len();
            Some(Field { name: Some(raw.start..raw.start + name.len()), value, raw })
        }
        Line::Envelope if first => Some(Field { name: None, value: raw.clone(), raw }),
        _ => None,
    }
}
