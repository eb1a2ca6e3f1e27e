//! What `git cat-file --batch` writes, such as of all mail in a public-inbox: a line with an object's name, its type and
//! its size, so many octets, and a line break. Messages are blobs; trees and commits are git's own.

use memchr::memmem;

use super::counted::{self, Form, Line};
use super::{Cutter, PieceKind};

/// The shortest line: a name of 40 digits, `tag`, a digit.
const LINE_MIN: usize = 47;
/// A name of 64 digits, `commit`, 20 digits.
const LINE_MAX: usize = 96;

pub(super) fn new(limit: usize) -> Box<dyn Cutter> {
    counted::cutter(Form { line, find, least: LINE_MIN }, limit)
}

pub(super) fn detect(head: &[u8]) -> bool {
    matches!(line(head, false), Line::Unit { .. })
}

/// What the line that `text` begins with is.
fn line(text: &[u8], all: bool) -> Line {
    let head = &text[..text.len().min(LINE_MAX)];
    let name = head.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count();
    if name < head.len() && (!matches!(name, 40 | 64) || head[name] != b' ') {
        return Line::Other;
    }
    let Some(end) = memchr::memchr(b'\n', head) else {
        return if all || text.len() >= LINE_MAX { Line::Other } else { Line::Unknown };
    };
    let mut fields = head[name + 1..end].split(|&b| b == b' ');
    let kind = match fields.next() {
        Some(b"blob") => PieceKind::Message,
        Some(b"tree" | b"commit" | b"tag") => PieceKind::Meta,
        _ => return Line::Other,
    };
    let count = fields.next().and_then(|size| std::str::from_utf8(size).ok()?.parse().ok());
    match (count, fields.next()) {
        // `end` is below LINE_MAX; the line break behind the object counts.
        (Some(count), None) => Line::Unit { kind, envelope: end as u32 + 1, count: u64::saturating_add(count, 1) },
        _ => Line::Other,
    }
}

/// The next line that may be one: behind a line break, a type 40 or 64 octets later.
fn find(text: &[u8], from: usize) -> Option<usize> {
    let breaks = memmem::find_iter(&text[from..], b"\n").map(|at| from + at + 1);
    breaks.into_iter().find(|&at| !matches!(line(&text[at..], false), Line::Other))
}
