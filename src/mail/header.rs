//! Header blocks: where they end, what their fields are, what the fields say.
//!
//! The lines are walked here, because every octet of the message has to be accounted for; what a field
//! means (RFC 2047 words, RFC 2231 parameters) is mailparse's business, within caps that keep it linear.

use std::ops::Range;

use memchr::memchr;

use super::NoteKind;
use super::needle;

/// What one line of a header block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Nothing: the block ends.
    Blank,
    /// Starts with a blank: belongs to the field before it.
    Folded,
    /// A field: the length of its name, and where the colon is.
    Field(usize, usize),
    /// `From ` or `>From `: an mbox's own line.
    Envelope,
    /// No field at all.
    Other,
}

/// A header block's extent, and the two fields that decide what follows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Where its last field ends: the blank line, or the body if there is none.
    pub(super) end: usize,
    /// Where the body begins, after the blank line.
    pub(super) body: usize,
    /// The value of Content-Type, if there is one; the first counts.
    pub(super) content_type: Option<Range<usize>>,
    /// The value of Content-Transfer-Encoding; the first counts.
    pub(super) encoding: Option<Range<usize>>,
    /// What was wrong with it, and where.
    pub(super) damage: Option<(NoteKind, usize)>,
    /// What is known of the encoded words in it.
    pub(super) words: Words,
}

/// Where the encoded words of a header block are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Words {
    /// No one looked.
    #[default]
    Unknown,
    None,
    /// Here, and perhaps behind.
    First(usize),
}

impl Words {
    /// The same, and one at `at`, behind all that are known.
    pub(super) fn or(self, at: usize) -> Self {
        if let Words::First(_) = self { self } else { Words::First(at) }
    }
}

impl Block {
    /// Keeps the value of a field that decides.
    fn take(&mut self, message: &[u8], field: &Field) {
        let Some(name) = field.name.clone() else { return };
        let kept = match &message[name] {
            name if name.eq_ignore_ascii_case(CONTENT_TYPE) => &mut self.content_type,
            name if name.eq_ignore_ascii_case(ENCODING) => &mut self.encoding,
            _ => return,
        };
        kept.get_or_insert(field.value.clone());
    }

    /// The same for the line at `start`, if it begins such a field: nearly all others are told by one letter.
    pub(super) fn take_line(&mut self, message: &[u8], start: usize) {
        let line = &message[start..];
        let (kept, name) = match line.get(b"content-t".len()) {
            Some(b'y' | b'Y') if begins(line, CONTENT_TYPE) => (&mut self.content_type, CONTENT_TYPE.len()),
            Some(b'r' | b'R') if begins(line, ENCODING) => (&mut self.encoding, ENCODING.len()),
            _ => return,
        };
        if let Some(blanks) = colon(&line[name..]) {
            let end = end_behind(message, start, message.len());
            let value = start + name + blanks + 1;
            kept.get_or_insert(value..start + without_ending(&message[start..end]).len());
        }
    }
}

/// The names of the fields that decide, in lower case.
const CONTENT_TYPE: &[u8; 12] = b"content-type";
const ENCODING: &[u8; 25] = b"content-transfer-encoding";

/// Whether `line` begins with `name`, case aside; `name` is in lower case.
fn begins<const N: usize>(line: &[u8], name: &[u8; N]) -> bool {
    line.first_chunk().is_some_and(|start: &[u8; N]| start.map(|octet| octet.to_ascii_lowercase()) == *name)
}

/// Where the line that starts at `at` ends (its LF included) in `message`.
fn line_end(message: &[u8], at: usize) -> usize {
    memchr(b'\n', &message[at..]).map_or(message.len(), |i| at + i + 1)
}

/// `line` without its LF or CRLF.
pub(super) fn without_ending(line: &[u8]) -> &[u8] {
    match line {
        [rest @ .., b'\r', b'\n'] | [rest @ .., b'\n'] => rest,
        _ => line,
    }
}

fn classify(line: &[u8]) -> Line {
    match line {
        [] | [b'\n', ..] | [b'\r', b'\n', ..] | [b'\r'] => return Line::Blank,
        [b' ' | b'\t', ..] => return Line::Folded,
        _ => {}
    }
    if line.starts_with(b"From ") || line.starts_with(b">From ") {
        return Line::Envelope;
    }
    let name = line.iter().position(|&octet| !IN_NAME[usize::from(octet)]).unwrap_or(line.len());
    match colon(&line[name..]) {
        Some(blanks) if name > 0 => Line::Field(name, name + blanks),
        _ => Line::Other,
    }
}

/// Whether a message's header block can begin with `line`.
pub(super) fn can_begin(line: &[u8]) -> bool {
    matches!(classify(line), Line::Field(..) | Line::Envelope)
}

/// What a field's name is made of (RFC 5322, section 3.6.8).
const IN_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut octet = 33;
    while octet <= 126 {
        table[octet] = octet != b':' as usize;
        octet += 1;
    }
    table
};

/// Where the colon is behind a field's name, if one is there.
fn colon(rest: &[u8]) -> Option<usize> {
    // RFC 5322, section 4.5 lets blanks stand between name and colon.
    let blanks = rest.iter().take_while(|&&octet| octet == b' ' || octet == b'\t').count();
    // A line of the body that starts with a URL is no field.
    (rest.get(blanks) == Some(&b':') && !rest[blanks + 1..].starts_with(b"//")).then_some(blanks)
}

/// Names that a stray line may stand among without ending the block; in lower case.
const KNOWN: [&str; 26] = [
    "archived-at",
    "bcc",
    "cc",
    "content-",
    "date",
    "delivered-to",
    "dkim-",
    "from",
    "in-reply-to",
    "lines",
    "list-",
    "message-id",
    "mime-version",
    "newsgroups",
    "organization",
    "path",
    "precedence",
    "received",
    "references",
    "reply-to",
    "return-path",
    "sender",
    "status",
    "subject",
    "to",
    "x-",
];

fn is_known(line: &[u8], name: usize) -> bool {
    let name = &line[..name];
    KNOWN.iter().any(|known| {
        let known = known.as_bytes();
        if known.ends_with(b"-") {
            name.len() > known.len() && name[..known.len()].eq_ignore_ascii_case(known)
        } else {
            name.eq_ignore_ascii_case(known)
        }
    })
}

fn starts_known_field(line: &[u8]) -> bool {
    matches!(classify(line), Line::Field(name, _) if is_known(line, name))
}

/// Whether the blank-looking line that ends at `next` is a fold rather than the block's end.
fn fold_goes_on(message: &[u8], next: usize) -> bool {
    let line = &message[next..line_end(message, next)];
    matches!(classify(line), Line::Folded | Line::Field(..))
}

/// The name of a field and its value's place, for the field `raw` of `message`.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// All of it, line end included.
    pub(super) raw: Range<usize>,
    /// `None`: lines that are no field.
    pub(super) name: Option<Range<usize>>,
    /// What follows the colon, without the last line end.
    pub(super) value: Range<usize>,
}

/// Walks the block that starts at `at`, one field (with its folds) at a time.
pub(super) struct Fields<'m> {
    message: &'m [u8],
    at: usize,
    /// Whether this is a message's block rather than a part's: these may start oddly.
    top: bool,
    first: bool,
    /// Set when the walk is over: where the block ends and the body begins.
    pub(super) over: Option<(usize, usize)>,
    pub(super) damage: Option<(NoteKind, usize)>,
}

impl<'m> Fields<'m> {
    pub(super) fn new(message: &'m [u8], at: usize, top: bool) -> Self {
        Self { message, at, top, first: true, over: None, damage: None }
    }

    /// The next field; `delimiter` says whether a line that starts with `--` is a boundary, which ends the
    /// block. `None` at its end.
    pub(super) fn next(&mut self, delimiter: &mut dyn FnMut(&[u8]) -> bool) -> Option<Field> {
        if self.over.is_some() {
            return None;
        }
        let message = self.message;
        let start = self.at;
        if start >= message.len() {
            self.over = Some((message.len(), message.len()));
            return None;
        }
        let mut next = line_end(message, start);
        let line = &message[start..next];
        if line.starts_with(b"--") && delimiter(line) {
            self.over = Some((start, start));
            return None;
        }
        let first = std::mem::replace(&mut self.first, false);
        let (name, colon) = match classify(line) {
            Line::Blank if first && self.top => {
                // Blank lines before the headers: only if headers follow.
                while next < message.len() && classify(&message[next..line_end(message, next)]) == Line::Blank {
                    next = line_end(message, next);
                }
                if next < message.len() && starts_known_field(&message[next..line_end(message, next)]) {
                    self.damage = Some((NoteKind::LeadingBlank, start));
                    return Some(self.stray(start, next));
                }
                self.over = Some((start, line_end(message, start)));
                return None;
            }
            Line::Blank => {
                self.over = Some((start, next));
                return None;
            }
            Line::Envelope if self.top && first => {
                self.first = first;
                return Some(self.stray(start, next));
            }
            Line::Field(name, colon) => (name, colon),
            Line::Folded if first && self.top && without_ending(line).trim_ascii().is_empty() => {
                return Some(self.stray(start, next));
            }
            Line::Folded if first && self.top && starts_known_field(line.trim_ascii_start()) => {
                self.damage = Some((NoteKind::LeadingBlank, start));
                return Some(self.stray(start, next));
            }
            Line::Folded | Line::Envelope | Line::Other => {
                if next < message.len() && starts_known_field(&message[next..line_end(message, next)]) {
                    self.damage.get_or_insert((NoteKind::StrayLine, start));
                    return Some(self.stray(start, next));
                }
                self.damage.get_or_insert((NoteKind::MissingBlank, start));
                self.over = Some((start, start));
                return None;
            }
        };
        Some(self.folded(start, name, colon, next))
    }

    /// The field at `start` whose first line ends at `next`, with its folds; the colon behind its `name` stands at `colon`, both
    /// counted from there.
    fn folded(&mut self, start: usize, name: usize, colon: usize, mut next: usize) -> Field {
        let message = self.message;
        while next < message.len() && matches!(message[next], b' ' | b'\t') {
            let end = line_end(message, next);
            if without_ending(&message[next..end]).trim_ascii().is_empty() && !fold_goes_on(message, end) {
                // A line of nothing but blanks that is no fold is the blank line.
                self.over = Some((next, end));
                break;
            }
            next = end;
        }
        self.at = next;
        let value = start + colon + 1..start + without_ending(&message[start..next]).len();
        Field { raw: start..next, name: Some(start..start + name), value }
    }

    /// Lines that are no field.
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

/// How many `=?` and `?=` a line may hold and still be decoded: mailparse looks at the whole line for each.
const WORDS_PER_LINE: usize = 48;

/// The value of the field `raw` (name and all) with its RFC 2047 words decoded; `None` if it has none, if mailparse
/// cannot read it, or if it is built to be slow.
///
/// At most `cap` octets are given to mailparse, and of lines over 1 KiB only those with few words.
pub(super) fn decode_words(raw: &[u8], cap: usize) -> Option<String> {
    if raw.len() > cap || needle::ENCODED_WORD.find(raw).is_none() {
        return None;
    }
    let slow = raw.split(|&octet| octet == b'\n').any(|line| {
        line.len() > 1024 && line.windows(2).filter(|w| *w == b"=?" || *w == b"?=").count() > WORDS_PER_LINE
    });
    if slow {
        return None;
    }
    mailparse::parse_header(raw).ok().map(|(header, _)| header.get_value())
}

/// The field, folds and all, that octet `at` lies in; it begins at `from` at the earliest, which is where
/// some field does, and ends at `end` at the latest.
pub(super) fn around(message: &[u8], from: usize, at: usize, end: usize) -> Range<usize> {
    let line = |before: usize| memchr::memrchr(b'\n', &message[from..before]).map_or(from, |i| from + i + 1);
    let mut start = line(at);
    while start > from && matches!(message[start], b' ' | b'\t') {
        start = line(start - 1);
    }
    start..end_behind(message, at, end)
}

/// Where the field ends, folds and all, that octet `at` lies in: at `end` at the latest.
pub(super) fn end_behind(message: &[u8], at: usize, end: usize) -> usize {
    let mut next = line_end(message, at);
    while next < end && matches!(message[next], b' ' | b'\t') {
        next = line_end(message, next);
    }
    next.min(end)
}

/// What the lines `raw` are: a field, or, if they are the `first`, an mbox's own. `None` if neither.
pub(super) fn field(message: &[u8], raw: Range<usize>, first: bool) -> Option<Field> {
    let line = &message[raw.clone()];
    match classify(line) {
        Line::Field(name, colon) => {
            let value = raw.start + colon + 1..raw.start + without_ending(line).len();
            Some(Field { name: Some(raw.start..raw.start + name), value, raw })
        }
        Line::Envelope if first => Some(Field { name: None, value: raw.clone(), raw }),
        _ => None,
    }
}
