//! Finds the header block at the beginning of a message or a part, and the two fields that decide how to read the body:
//! Content-Type and Content-Transfer-Encoding. [`scan`] uses SIMD, and [`block`] reads line by line.

use std::ops::Range;

use super::guess::DASHES;
use super::words::Words;
use crate::diagnostic::DiagnosticKind;
use crate::header::{Field, Fields, Line, begins_part, colon, end_after};
use crate::simd::prelude::*;
use crate::simd::{BLOCK, Level, dispatch, padded, u8x64};

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

    /// Finds the second of the two fields if both are on one line, because the line break between them is missing.
    fn unglue(&mut self, message: &[u8]) {
        let (first, name, second) = match (&mut self.content_type, &mut self.encoding) {
            (Some(first), second @ None) => (first, &ENCODING[..], second),
            (second @ None, Some(first)) => (first, &CONTENT_TYPE[..], second),
            _ => return,
        };
        let value = &message[first.clone()];
        // Most values are too short for a second field. This check avoids a search in each message.
        if value.len() < name.len() + SHORTEST {
            return;
        }
        let start = |colon: usize| colon.checked_sub(name.len());
        let is_name = |at: &usize| value[*at..].get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
        if let Some(at) = memchr::memchr_iter(b':', value).filter_map(start).find(is_name) {
            let at = first.start + at;
            *second = Some(at + name.len() + 1..first.end);
            first.end = at;
        }
    }

    /// Does the same for the field at `start`. First checks only the tenth byte, which must be the `y` of `Content-Type`
    /// or the `r` of `Content-Transfer-Encoding`. Nearly all other fields have a different tenth byte.
    fn take_line(&mut self, message: &[u8], start: usize) {
        let line = &message[start..];
        let (length, colon, kept) = match line.get(b"content-t".len()) {
            Some(b'y' | b'Y') => (CONTENT_TYPE.len(), colon(line, CONTENT_TYPE), &mut self.content_type),
            Some(b'r' | b'R') => (ENCODING.len(), colon(line, ENCODING), &mut self.encoding),
            _ => return,
        };
        if let (None, Some(colon)) = (&kept, colon) {
            let raw = start..end_after(message, start, message.len());
            *kept = Some(Field::named(message, raw, length, colon).value);
        }
    }

    /// Whether the block has lines of an encoded body or of a multipart: its last line is not a field, or it has a
    /// boundary line. `header` is the text of the block. Text in a body that is not encoded is found without this check.
    fn has_body(&self, header: &[u8]) -> bool {
        let first = |value: &Option<Range<usize>>| {
            let first = header[value.clone()?].trim_ascii_start().first()?;
            Some(first.to_ascii_lowercase())
        };
        match &self.content_type {
            Some(value) if first(&self.content_type) == Some(b'm') => {
                is_stray_at_end(header) || DASHES.find(&header[value.end..]).is_some()
            }
            _ => matches!(first(&self.encoding), Some(b'b' | b'q')) && is_stray_at_end(header),
        }
    }
}

/// Whether the last line of `header` is neither a field nor a continuation line of a field.
fn is_stray_at_end(header: &[u8]) -> bool {
    let mut rest = header.trim_ascii_end();
    loop {
        let start = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
        match &rest[start..] {
            [b' ' | b'\t', ..] if start > 0 => rest = &rest[..start - 1],
            line => return matches!(Line::of(line), Line::Other),
        }
    }
}

/// The least number of bytes of two values on one line, besides the name of the second: `7bit`, a colon, and `a/b`.
const SHORTEST: usize = 8;

/// The names of the two fields that [`Block`] stores.
const CONTENT_TYPE: &[u8; 12] = b"Content-Type";
const ENCODING: &[u8; 25] = b"Content-Transfer-Encoding";

/// Parses the whole header block at `at`.
pub(super) fn block(message: &[u8], at: usize, top: bool, delimiter: &mut dyn FnMut(&[u8]) -> bool) -> Block {
    let mut block = Block::default();
    let mut fields = Fields::new(message, at, top);
    while let Some(field) = fields.next(delimiter) {
        block.take(message, &field);
    }
    (block.end, block.body) = fields.over.unwrap_or((message.len(), message.len()));
    block.damage = fields.damage;
    block.unglue(message);
    block
}

/// Parses the header block of a part at `at`, if there are blanks before its fields. Blanks before a line otherwise mean
/// that the line continues a field.
pub(super) fn indented(message: &[u8], at: usize) -> Option<Block> {
    let next = |at: usize| memchr::memchr(b'\n', &message[at..]).map_or(message.len(), |i| at + i + 1);
    let text = |at: usize| at + message[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let begins = |at: usize| begins_part(&message[text(at)..]);
    let continues =
        |at: usize| text(at) > at && !matches!(message[text(at)..], [] | [b'\r' | b'\n', ..] | [b'-', b'-', ..]);
    if text(at) == at || !begins(at) {
        return None;
    }
    let (mut block, mut start) = (Block::default(), at);
    while begins(start) {
        let mut end = next(start);
        while continues(end) && !begins(end) {
            end = next(end);
        }
        if let Some(field) = Field::of(message, text(start)..end, false) {
            block.take(message, &field);
        }
        start = end;
    }
    let is_blank = matches!(Line::of(&message[text(start)..]), Line::Blank);
    (block.end, block.body) = (start, if is_blank { next(start) } else { start });
    Some(block)
}

/// Maximum size in bytes of a header block that is searched with SIMD. Longer header blocks are read line by line.
const WINDOW: usize = 64 * 1024;

/// Returns the header block at the start of `message`. The block ends at the first blank line. Returns `None` if the
/// first line cannot begin a header block, if there is no blank line within [`WINDOW`] bytes, or if the block obviously
/// includes text of the body.
///
/// If there is no blank line between headers and body, the block can still end too late. If the included text has a
/// trigger or an encoded word, `Walk::fields` finds the correct end of the block.
pub(super) fn scan(message: &[u8]) -> Option<Block> {
    let window = &message[..message.len().min(WINDOW)];
    if !matches!(Line::of(window), Line::Field { .. } | Line::Envelope) {
        return None;
    }
    let mut block = Block { words: Words::None, ..Block::default() };
    if !dispatch!(Level::new(), simd => walk(simd, window, &mut block)) {
        return None;
    }
    if block.content_type.is_some() || block.encoding.is_some() {
        if block.has_body(&window[..block.end]) {
            return None;
        }
        block.unglue(window);
    }
    Some(block)
}

/// Reads the header block at the start of `window` into `block`. Returns `false` if `window` has no blank line.
#[inline(always)]
fn walk<S: Simd>(simd: S, window: &[u8], block: &mut Block) -> bool {
    let (blocks, rest) = window.as_chunks::<BLOCK>();
    let mut line_end = true;
    for (i, bytes) in blocks.iter().enumerate() {
        if take(block, window, i * BLOCK, of_interest(simd, bytes, &mut line_end)) {
            return true;
        }
    }
    // Process the bytes after the last complete SIMD block of 64 bytes. The headers of most messages end before these
    // bytes, so this code rarely runs.
    take(block, window, blocks.len() * BLOCK, of_interest(simd, &padded(rest), &mut line_end))
}

/// Processes each byte of `window` whose bit is set in `bits`. Bit 0 is the byte at the offset `base`. Returns `true`
/// if a blank line begins at a processed byte.
#[inline(always)]
fn take(block: &mut Block, window: &[u8], base: usize, mut bits: u64) -> bool {
    while bits != 0 {
        if meet(block, window, base + bits.trailing_zeros() as usize) {
            return true;
        }
        bits &= bits - 1;
    }
    false
}

/// Returns a mask with one bit for each byte. The bit is set if the byte is a `?`, or is the first byte of a relevant
/// line. A relevant line is a blank line, or a field whose name begins with `c`. A `?` may belong to the beginning `=?`
/// of an encoded word (RFC 2047).
///
/// `line_end` says whether the byte before `bytes` is a line end. On return, `line_end` says whether the last byte of
/// `bytes` is a line end.
#[inline(always)]
fn of_interest<S: Simd>(simd: S, bytes: &[u8; BLOCK], line_end: &mut bool) -> u64 {
    let bytes = u8x64::from_slice(simd, bytes);
    let splat = |byte| u8x64::splat(simd, byte);
    let line_ends = bytes.simd_eq(splat(b'\n'));
    // The names of the two relevant fields, Content-Type and Content-Transfer-Encoding, begin with `c` or `C`.
    let letters = (bytes | splat(0x20)).simd_eq(splat(b'c'));
    let firsts = (line_ends | letters | bytes.simd_eq(splat(b'\r'))).to_bitmask();
    let marks = bytes.simd_eq(splat(b'?')).to_bitmask();
    let line_ends = line_ends.to_bitmask();
    let starts = line_ends << 1 | u64::from(*line_end);
    *line_end = line_ends >> 63 != 0;
    starts & firsts | marks
}

/// Processes the line start or the `?` at `at`. Returns `true` if a blank line begins at `at`.
#[inline(always)]
fn meet(block: &mut Block, window: &[u8], at: usize) -> bool {
    match window[at..] {
        [b'\n', ..] => (block.end, block.body) = (at, at + 1),
        [b'\r', b'\n', ..] => (block.end, block.body) = (at, at + 2),
        [b'?', ..] => {
            if block.words == Words::None && window[..at].ends_with(b"=") {
                block.words = Words::First(at - 1);
            }
            return false;
        }
        _ => {
            block.take_line(window, at);
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reference implementation that reads line by line. Returns the end of the block, the start of the body, the
    /// first encoded word, and the value of Content-Type.
    fn plainly(message: &str) -> Option<(usize, usize, Words, Option<&str>)> {
        let (mut at, mut kind) = (0, None);
        for line in message.split_inclusive('\n') {
            if matches!(line, "\n" | "\r\n") {
                let words = message[..at].find("=?").map_or(Words::None, Words::First);
                return Some((at, at + line.len(), words, kind));
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("Content-Type")
            {
                kind = kind.or(Some(value.trim_end_matches(['\r', '\n'])));
            }
            at += line.len();
        }
        None
    }

    #[test]
    fn simd_block_borders_do_not_matter() {
        let lines = [
            "Content-Type: a/b",
            "content-type:c",
            "X: =?a?=",
            "Content: x",
            "?",
            "=?",
            "c",
            "\r",
            "d",
            "",
            "=",
            "C?: =?",
        ];
        for one in lines {
            for other in lines {
                for end in ["\n", "\r\n"] {
                    for length in 0..130 {
                        let filler = "y".repeat(length);
                        let message =
                            format!("X: {filler}{end}{one}{end}{other}{end}Z:{end}{end}content-type: body =?{end}");
                        let got = scan(message.as_bytes()).map(|block| {
                            let kind = block.content_type.map(|value| &message[value]);
                            (block.end, block.body, block.words, kind)
                        });
                        assert_eq!(got, plainly(&message), "{message:?}");
                    }
                }
            }
        }
        for message in ["", "\n", "X: y", "X: y\n", "X: y\n\r", "no field\n\n", " X: y\n\n"] {
            assert!(scan(message.as_bytes()).is_none(), "{message:?}");
        }
        assert!(scan(b"From a\nX: y\n\n").is_some(), "an mbox's own line may come first");
    }

    /// Ordinary header blocks are read by the fast path, as by the slow one.
    #[test]
    fn the_fast_path_reads_what_the_slow_path_reads() {
        let types = [
            "",
            "Content-Type: text/plain\n",
            "content-type : text/html;\n\tcharset=utf-8\n",
            "CONTENT-TYPE: multipart/mixed;\n boundary=\"--b\"\n",
            "Content-Type: multipart/mixed;\n\tboundary=\"b\";\n   type=\"text/html\"\n",
            "Content-Type: message/rfc822\nContent-Type: text/html\n",
            "Content-Type: text/plain; charset=us-asciiContent-Transfer-Encoding: 7bit\n",
        ];
        let encodings = [
            "",
            "Content-Transfer-Encoding: base64\n",
            "content-transfer-encoding:quoted-printable\n",
            "Content-Transfer-Encoding:\n 8bit\n",
            "Content-Transfer-Encoding: 7bitContent-Type: text/html; charset=utf-8\n",
        ];
        let others = [
            "Subject: x\n",
            "Subject: a long\n line\n\tof words\n",
            "X-Content-Type: a\nContent-ID: <b>\n",
            "From me Mon\nTo: y\n",
        ];
        for (i, first) in types.iter().enumerate() {
            for (j, second) in encodings.iter().enumerate() {
                for (k, other) in others.iter().enumerate() {
                    for parts in [
                        [*other, first, second],
                        [*other, second, first],
                        [others[0], second, &*format!("{first}{}", others[k % 3])],
                    ] {
                        let end = ["\n", "\r\n"][(i + j + k) % 2];
                        let message = (parts.concat() + "\nbody\n").replace('\n', end);
                        let Some(fast) = scan(message.as_bytes()) else { panic!("no header: {message}") };
                        let slow = block(message.as_bytes(), 0, true, &mut |_| false);
                        let fields =
                            |block: &Block| (block.end, block.body, block.content_type.clone(), block.encoding.clone());
                        assert_eq!(fields(&fast), fields(&slow), "{message}");
                        assert_eq!(&message[fast.body..], format!("body{end}"), "{message}");
                        assert!(slow.damage.is_none(), "{message}");
                    }
                }
            }
        }
    }

    /// If the blank line after the header is missing, the slow path finds the body.
    #[test]
    fn blocks_with_a_body_are_left_to_the_slow_path() {
        let (multipart, base64) =
            ("Content-Type: multipart/mixed; boundary=b\n", "Content-Transfer-Encoding: base64\n");
        for (message, is_fast) in [
            (format!("{multipart}--b\nContent-Type: text/plain\n\nx\n"), false),
            (format!("{multipart}This is a message in MIME format.\n\nx\n"), false),
            (format!("{multipart}X: y\n\n--b\n"), true),
            (format!("{base64}aHR0cDovL2EuZXhhbXBsZS8K\n\nx\n"), false),
            (format!("{base64}aHR0cDovL2EuZXhhbXBsZS8K\n  \n\nx\n"), false),
            ("Content-Transfer-Encoding: quoted-printable\nSee=20this\n\nx\n".to_owned(), false),
            ("Content-Transfer-Encoding: 8bit\nSee this\n\nx\n".to_owned(), true),
            ("Content-Type: text/plain\n--b\n\nx\n".to_owned(), true),
            (format!("{base64}X: y\n z\n\nx\n"), true),
        ] {
            assert_eq!(scan(message.as_bytes()).is_some(), is_fast, "{message}");
        }
    }
}
