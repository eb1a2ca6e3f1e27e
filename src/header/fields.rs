//! Splits a header block into fields.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::Line;
use crate::diagnostic::DiagnosticKind;
use crate::simd::prelude::*;
use crate::simd::{BLOCK, Level, dispatch, equals, padded, u8x64};

/// Returns the offset after the LF of the line that contains `at`.
fn line_end(message: &[u8], at: usize) -> usize {
    memchr(b'\n', &message[at..]).map_or(message.len(), |i| at + i + 1)
}

/// The end of each line of a message. For the short lines of headers, this takes fewer instructions than a search for
/// each line end.
struct LineEnds<'m, S> {
    simd: S,
    message: &'m [u8],
    /// Start of the next block.
    next: usize,
    /// The line ends that are left in the block before `next`.
    bits: u64,
}

impl<S: Simd> Iterator for LineEnds<'_, S> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            let rest = self.message.get(self.next..).filter(|rest| !rest.is_empty())?;
            self.bits = equals(self.simd, block(self.simd, rest), b'\n');
            if rest.len() <= BLOCK {
                // The last line can have no LF.
                self.bits |= 1 << (rest.len() - 1);
            }
            self.next += BLOCK;
        }
        let at = self.next - BLOCK + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(at + 1)
    }
}

/// Returns the first block of `text`. If `text` is shorter than a block, NULs follow it.
#[inline(always)]
fn block<S: Simd>(simd: S, text: &[u8]) -> u8x64<S> {
    match text.first_chunk::<BLOCK>() {
        Some(block) => u8x64::from_slice(simd, block),
        None => u8x64::from_slice(simd, &padded(text)),
    }
}

/// Returns `line` without its LF or CRLF.
pub(crate) fn without_ending(line: &[u8]) -> &[u8] {
    match line {
        [rest @ .., b'\r', b'\n'] | [rest @ .., b'\n'] => rest,
        _ => line,
    }
}

/// Whether `text` begins with a field of a MIME part, such as Content-Type.
pub(crate) fn begins_part(text: &[u8]) -> bool {
    const CONTENT: &[u8] = b"content-";
    text.get(..CONTENT.len()).is_some_and(|name| name.eq_ignore_ascii_case(CONTENT)) && Line::of(text).is_known_field()
}

/// Whether the header block continues at `next`, after a line that has only blanks. If not, that line ends the block.
fn fold_goes_on(message: &[u8], next: usize) -> bool {
    matches!(Line::of(&message[next..]), Line::Folded | Line::Field { .. })
}

/// A header field, as byte ranges in the message.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Range of the whole field, including its line end.
    pub(crate) raw: Range<usize>,
    /// Range of the name. `None` for a line that is not a field.
    pub(crate) name: Option<Range<usize>>,
    /// Range of the bytes after the colon, without the last line end.
    pub(crate) value: Range<usize>,
}

impl Field {
    /// Parses the lines `raw` as a field. Returns `None` if the lines are not a field. If `first` is set, also accepts
    /// an mbox line (`From `).
    pub(crate) fn of(message: &[u8], raw: Range<usize>, first: bool) -> Option<Field> {
        let line = &message[raw.clone()];
        match Line::of(line) {
            Line::Field { name, colon } => Some(Field::named(message, raw, name.len(), colon)),
            Line::Envelope if first && line_end(message, raw.start) == raw.end => Some(Field::stray(raw)),
            _ => None,
        }
    }

    /// Makes a field. `name` is the length of its name, and `colon` is the offset of the colon in `raw`.
    pub(crate) fn named(message: &[u8], raw: Range<usize>, name: usize, colon: usize) -> Field {
        let value = raw.start + colon + 1..raw.start + without_ending(&message[raw.clone()]).len();
        Field { name: Some(raw.start..raw.start + name), value, raw }
    }

    /// Makes a field without a name of lines that are not a field.
    fn stray(raw: Range<usize>) -> Field {
        Field { name: None, value: raw.clone(), raw }
    }
}

/// Splits a header block into fields. Each field includes its continuation lines.
pub(crate) struct Fields<'m> {
    message: &'m [u8],
    at: usize,
    /// Whether the block is the header of a message (`true`) or of a MIME part (`false`). Only the header of a message
    /// can begin with blank lines or an mbox line (`From `).
    top: bool,
    first: bool,
    /// The end of the block and the start of the body. `None` until the last field has been returned.
    pub(crate) over: Option<(usize, usize)>,
    pub(crate) damage: Option<(DiagnosticKind, usize)>,
}

impl<'m> Fields<'m> {
    pub(crate) fn new(message: &'m [u8], at: usize, top: bool) -> Self {
        Self { message, at, top, first: true, over: None, damage: None }
    }

    /// Returns the next field, or `None` at the end of the block. A boundary line also ends the block: `delimiter`
    /// returns whether a line that starts with `--` is a boundary line.
    pub(crate) fn next(&mut self, delimiter: &mut dyn FnMut(&[u8]) -> bool) -> Option<Field> {
        if self.over.is_some() {
            return None;
        }
        let message = self.message;
        let start = self.at;
        if start >= message.len() {
            return self.end(message.len(), message.len());
        }
        let text = &message[start..];
        if text.starts_with(b"--") && delimiter(&message[start..line_end(message, start)]) {
            return self.end(start, start);
        }
        let first = std::mem::replace(&mut self.first, false);
        let continues = |at: usize| Line::of(&message[at..]).is_known_field();
        let kind = Line::of(text);
        if let Line::Field { name, colon } = kind {
            self.at = self.field_end(start);
            return Some(Field::named(message, start..self.at, name.len(), colon));
        }
        let mut next = line_end(message, start);
        let line = &message[start..next];
        match kind {
            Line::Blank if first && self.top => {
                // Blank lines at the beginning of a message are skipped only if a known field follows them.
                while next < message.len() && Line::of(&message[next..]) == Line::Blank {
                    next = line_end(message, next);
                }
                if continues(next) {
                    self.damage = Some((DiagnosticKind::LeadingBlank, start));
                    return Some(self.stray(start, next));
                }
                self.end(start, line_end(message, start))
            }
            Line::Blank => self.end(start, next),
            Line::Envelope if self.top && first => {
                self.first = first;
                Some(self.stray(start, next))
            }
            Line::Folded if first && self.top && without_ending(line).trim_ascii().is_empty() => {
                Some(self.stray(start, next))
            }
            Line::Folded if first && self.top && Line::of(line.trim_ascii_start()).is_known_field() => {
                self.damage = Some((DiagnosticKind::LeadingBlank, start));
                Some(self.stray(start, next))
            }
            _ => {
                // A boundary line ends the block, even if it is not the declared boundary. The fields of a part follow.
                let opens_part = || line.starts_with(b"--") && begins_part(&message[next..]);
                if continues(next) && !opens_part() {
                    self.damage.get_or_insert((DiagnosticKind::StrayLine, start));
                    return Some(self.stray(start, next));
                }
                self.damage.get_or_insert((DiagnosticKind::MissingBlank, start));
                self.end(start, start)
            }
        }
    }

    /// Returns the end of the field at `start`, with its continuation lines.
    fn field_end(&mut self, start: usize) -> usize {
        dispatch!(Level::new(), simd => self.field_end_with(simd, start))
    }

    #[inline(always)]
    fn field_end_with<S: Simd>(&mut self, simd: S, start: usize) -> usize {
        let (message, mut line) = (self.message, start);
        for next in (LineEnds { simd, message, next: start, bits: 0 }) {
            let is_blank = line > start && message[line..next].iter().all(u8::is_ascii_whitespace);
            if is_blank && !fold_goes_on(message, next) {
                // A line of blanks ends the header block, unless a field or a continuation line follows.
                self.over = Some((line, next));
                break;
            }
            line = next;
            if !matches!(message.get(next), Some(b' ' | b'\t')) {
                break;
            }
        }
        line
    }

    /// Ends the block at `end`. The body starts at `body`.
    fn end(&mut self, end: usize, body: usize) -> Option<Field> {
        self.over = Some((end, body));
        None
    }

    /// Returns the lines from `start` to `next`, which are not a field.
    fn stray(&mut self, start: usize, next: usize) -> Field {
        self.at = next;
        Field::stray(start..next)
    }
}

/// Calls `visit` with each field in the header block at the beginning of the message `message`.
pub(crate) fn each_field(message: &[u8], mut visit: impl FnMut(Field)) {
    let rest = dispatch!(Level::new(), simd => each_regular_field(simd, message, &mut visit));
    let mut fields = Fields::new(message, rest, true);
    while let Some(field) = fields.next(&mut |_| false) {
        visit(field);
    }
}

/// Calls `visit` with the first fields of `message`, up to a line that needs [`Line::of`]. Returns the offset at which
/// [`Fields`] reads on, which is the start of a field. Takes a third of the instructions of [`Fields`].
#[inline(always)]
fn each_regular_field<S: Simd>(simd: S, message: &[u8], visit: &mut impl FnMut(Field)) -> usize {
    let (mut start, mut name) = (0, regular_name(simd, message));
    if name > 0 {
        for line in (LineEnds { simd, message, next: 0, bits: 0 }) {
            let text = &message[line..];
            if let [b' ' | b'\t', ..] = text {
                let first = text.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
                if first.is_none_or(u8::is_ascii_whitespace) {
                    break;
                }
                continue;
            }
            let next = regular_name(simd, text);
            if next == 0 {
                break;
            }
            visit(Field::named(message, start..line, name, name));
            (start, name) = (line, next);
        }
    }
    start
}

/// Returns the length of the field name at the start of `text`, before its colon. Returns 0 if the line is not a field,
/// or if its colon is not in the first [`BLOCK`] bytes or not directly after the name.
#[inline(always)]
fn regular_name<S: Simd>(simd: S, text: &[u8]) -> usize {
    let bytes = block(simd, text);
    let colons = bytes.simd_eq(u8x64::splat(simd, b':'));
    let is_end = colons | bytes.simd_le(u8x64::splat(simd, b' ')) | u8x64::splat(simd, 0x7f).simd_le(bytes);
    let length = is_end.to_bitmask().trailing_zeros() as usize;
    match text.get(length..) {
        Some([b':', b'/', b'/', ..]) => 0,
        Some([b':', ..]) => length,
        _ => 0,
    }
}

/// Returns the name of each field in the header at the beginning of `message`, and the byte range of the field with its
/// continuation lines.
///
/// Skips `From ` and `>From ` lines before the header. A single line that is not a field is skipped if a field with a
/// known name follows. Any other line that is not a field ends the header, because the body may begin without a blank
/// line. Returns nothing if `message` does not begin with a field, as is the case for plain text.
///
/// ```
/// let message = b"From ann Mon Jan  1 00:00:00 2001\nSubject: x\n y\nTo: z\n\nSee: the body\n";
/// let fields: Vec<_> = urlspool::header_fields(message).collect();
/// assert_eq!(fields, [(&b"Subject"[..], 34..48), (b"To", 48..54)]);
/// assert_eq!(urlspool::header_fields(b"http://www.example.org/ is not a field\n").count(), 0);
/// ```
pub fn header_fields(message: &[u8]) -> impl Iterator<Item = (&[u8], Range<usize>)> {
    let mut fields = Fields::new(message, 0, true);
    let mut all = std::iter::from_fn(move || fields.next(&mut |_| false))
        .skip_while(|field| field.name.is_none() && Line::of(&message[field.raw.clone()]) == Line::Envelope)
        .peekable();
    let has_header = all.peek().is_some_and(|field| field.name.is_some());
    all.filter(move |_| has_header).filter_map(|field| Some((&message[field.name?], field.raw)))
}

/// Returns the values of the fields called `name` in a header block. If `top` is set, it is that of a message.
pub(crate) fn values<'m>(header: &'m [u8], top: bool, name: &'static [u8]) -> impl Iterator<Item = &'m [u8]> {
    let mut fields = Fields::new(header, 0, top);
    let is_named = move |field: &Field| field.name.clone().is_some_and(|at| header[at].eq_ignore_ascii_case(name));
    std::iter::from_fn(move || fields.next(&mut |_| false)).filter(is_named).map(|field| &header[field.value])
}

/// Returns the range of the field that contains the offset `at`, including its continuation lines. `from` must be the
/// start of a field at or before `at`. The range does not extend beyond `end`.
pub(crate) fn around(message: &[u8], from: usize, at: usize, end: usize) -> Range<usize> {
    let line = |before: usize| memrchr(b'\n', &message[from..before]).map_or(from, |i| from + i + 1);
    let mut start = line(at);
    while start > from && matches!(message[start], b' ' | b'\t') {
        start = line(start - 1);
    }
    start..end_after(message, at, end)
}

/// Returns the end of the field that contains the offset `at`, including its continuation lines. The result is at most
/// `end`.
pub(crate) fn end_after(message: &[u8], at: usize, end: usize) -> usize {
    let mut next = line_end(message, at);
    while next < end && matches!(message[next], b' ' | b'\t') {
        next = line_end(message, next);
    }
    next.min(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_borders_of_blocks_do_not_matter() {
        let lines = [
            "Subject: a",
            " b",
            "\t: c",
            "",
            " ",
            "\r",
            "\t\r",
            " \x0c",
            "x",
            "To : d",
            ":",
            "http://e",
            "From f",
            ">From g",
            "--h",
            "Date:",
            "M\u{fc}: i",
            " http://j",
            "Cc",
        ];
        let plainly = |message: &[u8]| {
            let mut fields = Fields::new(message, 0, true);
            std::iter::from_fn(|| fields.next(&mut |_| false))
                .map(|field| (field.raw, field.name, field.value))
                .collect::<Vec<_>>()
        };
        for (one, other) in lines.iter().flat_map(|one| lines.map(|other| (one, other))) {
            for length in 0..70 {
                for before in ["", "X: "] {
                    for end in ["\n", "\r\n"] {
                        let filler = "y".repeat(length);
                        let message =
                            format!("{before}{filler}{end}{one}{end}{other}{end}Z: k{end} l{end}{end}To: m{end}");
                        let mut found = Vec::new();
                        each_field(message.as_bytes(), |field| found.push((field.raw, field.name, field.value)));
                        assert_eq!(found, plainly(message.as_bytes()), "{message:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_fields_begin_after_mbox_lines_and_end_before_the_body() {
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
            let fields: String = header_fields(message.as_bytes()).map(|(_, range)| &message[range]).collect();
            assert_eq!(fields, want.unwrap_or_default(), "{message:?}");
        }
    }
}
