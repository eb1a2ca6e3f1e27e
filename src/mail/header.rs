//! Finds the end of a header block, splits the block into fields, and decodes the values of the fields.
//!
//! This module finds the byte range of each field itself, because every byte of the message must belong to a region.
//! The crate mailparse only decodes encoded words (RFC 2047). Limits on the input of mailparse keep the time linear.

use super::Limits;
use crate::diagnostic::DiagnosticKind;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use crate::header::{self, Line};

/// Finds the beginning of an encoded word (RFC 2047). The finder is static, because creating a finder takes as long as
/// searching a short message.
pub(super) static ENCODED_WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("=?"));

/// The extent of a header block, and the two fields that decide how to read the body.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Offset after the last field. Equal to the offset of the blank line, or of the body if there is no blank line.
    pub(super) end: usize,
    /// Offset of the body, after the blank line.
    pub(super) body: usize,
    /// The value of the first Content-Type field.
    pub(super) content_type: Option<Range<usize>>,
    /// The value of the first Content-Transfer-Encoding field.
    pub(super) encoding: Option<Range<usize>>,
    /// The kind and the offset of the first error in the block.
    pub(super) damage: Option<(DiagnosticKind, usize)>,
    /// The encoded words in the block.
    pub(super) words: Words,
}

/// The offsets of encoded words in a header block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Words {
    /// The block was not searched for encoded words.
    #[default]
    Unknown,
    None,
    /// The offset of the first encoded word. More may follow.
    First(usize),
}

impl Block {
    /// Stores the value of `field` if it is Content-Type or Content-Transfer-Encoding.
    fn take(&mut self, message: &[u8], field: &Field) {
        let Some(name) = field.name.clone() else { return };
        let kept = match &message[name] {
            name if name.eq_ignore_ascii_case(CONTENT_TYPE) => &mut self.content_type,
            name if name.eq_ignore_ascii_case(ENCODING) => &mut self.encoding,
            _ => return,
        };
        kept.get_or_insert(field.value.clone());
    }

    /// Stores the value of the field at `start` if it is Content-Type or Content-Transfer-Encoding. First checks only
    /// the tenth byte, which must be the `y` of `Content-Type` or the `r` of `Content-Transfer-Encoding`. Nearly all
    /// other fields have a different tenth byte.
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

/// The lower-case names of the two fields that [`Block`] stores.
const CONTENT_TYPE: &[u8] = b"content-type";
const ENCODING: &[u8] = b"content-transfer-encoding";

/// Returns the offset after the LF of the line that contains `at`.
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

/// Whether the header block of a message can begin with the first line of `text`.
pub(super) fn can_begin(text: &[u8]) -> bool {
    matches!(Line::of(text), Line::Field { .. } | Line::Envelope)
}

/// Whether the header block continues at `next`, after a line that has only blanks. If not, that line ends the block.
fn fold_goes_on(message: &[u8], next: usize) -> bool {
    matches!(Line::of(&message[next..]), Line::Folded | Line::Field { .. })
}

/// A header field, as byte ranges in the message.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Range of the whole field, including its line end.
    pub(super) raw: Range<usize>,
    /// Range of the name. `None` for a line that is not a field.
    pub(super) name: Option<Range<usize>>,
    /// Range of the bytes after the colon, without the last line end.
    pub(super) value: Range<usize>,
}

/// Splits a header block into fields. Each field includes its continuation lines.
pub(super) struct Fields<'m> {
    message: &'m [u8],
    at: usize,
    /// Whether the block is the header of a message (`true`) or of a MIME part (`false`). Only the header of a message
    /// can begin with blank lines or an mbox line (`From `).
    top: bool,
    first: bool,
    /// The end of the block and the start of the body. `None` until the last field has been returned.
    pub(super) over: Option<(usize, usize)>,
    pub(super) damage: Option<(DiagnosticKind, usize)>,
}

impl<'m> Fields<'m> {
    pub(super) fn new(message: &'m [u8], at: usize, top: bool) -> Self {
        Self { message, at, top, first: true, over: None, damage: None }
    }

    /// Returns the next field, or `None` at the end of the block. A boundary line also ends the block: `delimiter`
    /// returns whether a line that starts with `--` is a boundary line.
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
                // Blank lines at the beginning of a message are skipped only if a known field follows them.
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

    /// Returns the field at `start` with its continuation lines. `name` is the length of the field's name. `colon` is
    /// the offset of the colon from `start`. `next` is the end of the field's first line.
    fn folded(&mut self, start: usize, name: usize, colon: usize, mut next: usize) -> Field {
        let message = self.message;
        while next < message.len() && matches!(message[next], b' ' | b'\t') {
            let end = line_end(message, next);
            if without_ending(&message[next..end]).trim_ascii().is_empty() && !fold_goes_on(message, end) {
                // A line of blanks ends the header block, unless a field or a continuation line follows.
                self.over = Some((next, end));
                break;
            }
            next = end;
        }
        self.at = next;
        let value = start + colon + 1..start + without_ending(&message[start..next]).len();
        Field { raw: start..next, name: Some(start..start + name), value }
    }

    /// Ends the block at `end`. The body starts at `body`.
    fn end(&mut self, end: usize, body: usize) -> Option<Field> {
        self.over = Some((end, body));
        None
    }

    /// Returns the lines from `start` to `next`, which are not a field, as a [`Field`] without a name.
    fn stray(&mut self, start: usize, next: usize) -> Field {
        self.at = next;
        Field { raw: start..next, name: None, value: start..next }
    }
}

/// Parses the whole header block at `at`.
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
/// last field.
///
/// The range excludes `From ` and `>From ` lines before the header, and the blank line after the header. A single line
/// that is not a field is included if a field with a known name follows. Any other line that is not a field ends the
/// header, because the body may begin without a blank line.
///
/// Returns `None` if `message` does not begin with a field, as is the case for plain text.
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

/// Maximum total number of `=?` and `?=` in a line of more than 1 KiB. A line with more of them is not decoded. The
/// limit prevents quadratic time, because mailparse searches the whole line for each `=?` and `?=`.
const WORDS_PER_LINE: usize = 48;

/// Decodes the encoded words (RFC 2047) in the field `raw`, and returns the value of the field. `raw` includes the name
/// of the field. Returns `None` if the field has no encoded words or mailparse cannot parse it.
///
/// Also returns `None` in two cases in which decoding could be slow: if the field has more than `cap` bytes, or if a
/// line of more than 1 KiB has many encoded words.
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

/// Returns whether `value` may have a colon once its encoded words (RFC 2047) have been decoded. Returns `true` if
/// `value` has a colon, `=3A`, an encoded word in base64, or an encoded word in UTF-7. Most lists of recipients have
/// none of these four, and need not be decoded.
///
/// No other check is necessary: in every charset that mailparse knows, except UTF-7, only the byte 0x3A means a colon.
pub(super) fn may_hide_colon(value: &[u8]) -> bool {
    value.contains(&b':')
        || value.windows(3).any(|three| {
            matches!(three, [b'=', b'3', b'A' | b'a'] | [b'?', b'B' | b'b', b'?'] | [b'7', b'?' | b'*', _])
        })
}

/// Decodes the encoded words (RFC 2047) in `value`, which must be unfolded. Bytes that are not valid UTF-8 are
/// replaced.
pub(crate) fn decode_value(value: Cow<'_, [u8]>) -> Cow<'_, str> {
    let decoded = ENCODED_WORD.find(&value).and_then(|_| {
        // `decode_words` requires a whole field, so a name is added before the value.
        decode_words(&[b"A: ", &*value].concat(), Limits::default().header_value)
    });
    match (decoded, value) {
        (Some(decoded), _) => decoded.into(),
        (None, Cow::Borrowed(value)) => String::from_utf8_lossy(value),
        (None, Cow::Owned(value)) => String::from_utf8_lossy(&value).into_owned().into(),
    }
}

/// Returns the name and value of each field in the header block at the beginning of `message`. Names are unchanged.
/// Values are unfolded, and their encoded words are decoded. Lines that are not a field are skipped. Bytes that are not
/// valid UTF-8 are replaced.
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

/// Returns the range of the field that contains the offset `at`, including its continuation lines. `from` must be the
/// start of a field at or before `at`. The range does not extend beyond `end`.
pub(super) fn around(message: &[u8], from: usize, at: usize, end: usize) -> Range<usize> {
    let line = |before: usize| memchr::memrchr(b'\n', &message[from..before]).map_or(from, |i| from + i + 1);
    let mut start = line(at);
    while start > from && matches!(message[start], b' ' | b'\t') {
        start = line(start - 1);
    }
    start..end_after(message, at, end)
}

/// Returns the end of the field that contains the offset `at`, including its continuation lines. The result is at most
/// `end`.
pub(super) fn end_after(message: &[u8], at: usize, end: usize) -> usize {
    let mut next = line_end(message, at);
    while next < end && matches!(message[next], b' ' | b'\t') {
        next = line_end(message, next);
    }
    next.min(end)
}

/// Parses the lines `raw` as a field. Returns `None` if the lines are not a field. If `first` is set, also accepts an
/// mbox line (`From `).
pub(super) fn field(message: &[u8], raw: Range<usize>, first: bool) -> Option<Field> {
    let line = &message[raw.clone()];
    match Line::of(line) {
        Line::Field { name, colon } => {
            let value = raw.start + colon + 1..raw.start + without_ending(line).len();
            Some(Field { name: Some(raw.start..raw.start + name.len()), value, raw })
        }
        Line::Envelope if first && line_end(message, raw.start) == raw.end => {
            Some(Field { name: None, value: raw.clone(), raw })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{decode_words, header_range};

    #[test]
    fn the_header_range_begins_with_a_field_and_ends_before_the_body() {
        let table = [
            ("Subject: x\nTo: y\n\nbody\n", Some("Subject: x\nTo: y\n")),
            ("From a\n>From b\nSubject: x\n\nbody\n", Some("Subject: x\n")),
            // A line that begins with `From ` is part of the body, unless it is before all fields.
            ("Subject: x\nFrom here on, text\nmore text\n", Some("Subject: x\n")),
            ("From a\nSubject: x\nFrom here on, text\nmore text\n", Some("Subject: x\n")),
            // These messages do not begin with a field.
            ("\nSubject: x\n\nbody\n", None),
            (" Subject: x\nTo: y\n\nbody\n", None),
            ("From a\nhttp://a.example/\n", None),
        ];
        for (message, want) in table {
            assert_eq!(header_range(message.as_bytes()).map(|range| &message[range]), want, "{message:?}");
        }
    }

    #[test]
    fn the_limit_of_encoded_words_is_the_longest_field() {
        let field = b"Subject: =?us-ascii?q?http:?= x";
        assert_eq!(decode_words(field, field.len()).as_deref(), Some("http: x"));
        assert_eq!(decode_words(field, field.len() - 1), None);
    }
}
