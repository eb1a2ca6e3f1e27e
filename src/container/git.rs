//! What `git cat-file --batch` writes, such as of all mail in a public-inbox: a line with an object's name, its type and
//! its size, so many octets, and a line break. Messages are blobs; trees and commits are git's own.

use memchr::memchr_iter;

use super::counted::{self, Form, Unit};
use super::{Cutter, PieceKind, Unknown};

/// The shortest line: a name of 40 digits, `tag`, a digit.
const LINE_MIN: usize = 47;
/// A name of 64 digits, `commit`, 20 digits.
const LINE_MAX: usize = 96;

pub(super) fn new(limit: usize) -> Box<dyn Cutter> {
    counted::cutter(Form { line, find, least: LINE_MIN }, limit)
}

pub(super) fn detect(head: &[u8]) -> bool {
    matches!(line(head, false), Ok(Some(_)))
}

/// The object whose line `text` begins with, if it does.
fn line(text: &[u8], all: bool) -> Result<Option<Unit>, Unknown> {
    let head = &text[..text.len().min(LINE_MAX)];
    let name = head.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).count();
    if name < head.len() && (!matches!(name, 40 | 64) || head[name] != b' ') {
        return Ok(None);
    }
    let Some(end) = memchr::memchr(b'\n', head) else {
        return if all || text.len() >= LINE_MAX { Ok(None) } else { Err(Unknown) };
    };
    let mut fields = head[name + 1..end].split(|&b| b == b' ');
    let kind = match fields.next() {
        Some(b"blob") => PieceKind::Message,
        Some(b"tree" | b"commit" | b"tag") => PieceKind::Meta,
        _ => return Ok(None),
    };
    let count = fields.next().and_then(|size| std::str::from_utf8(size).ok()?.parse().ok());
    Ok(count.filter(|_| fields.next().is_none()).map(|count: u64| {
        // `end` is below LINE_MAX; the line break behind the object counts.
        Unit { kind, envelope: end as u32 + 1, count: count.saturating_add(1) }
    }))
}

/// The next line that may be one.
fn find(text: &[u8], from: usize) -> Option<usize> {
    let mut lines = memchr_iter(b'\n', &text[from..]).map(|at| from + at + 1);
    lines.find(|&at| !matches!(line(&text[at..], false), Ok(None)))
}
