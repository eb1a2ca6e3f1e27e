//! News batches: `#! rnews <octets>`, then an article of so many octets, and so on (RFC 1036, C News, INN).

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use super::counted::{self, Form, Unit};
use super::{Cutter, PieceKind, Unknown};

const RNEWS: &[u8] = b"#! rnews ";
static NEXT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n#! rnews "));
/// A longer `#! rnews` line is not one.
const LINE_MAX: usize = 128;

pub(super) fn new(limit: usize) -> Box<dyn Cutter> {
    let find = |text: &[u8], from: usize| NEXT.find(&text[from..]).map(|at| from + at + 1);
    counted::cutter(Form { line, find, least: RNEWS.len() }, limit)
}

pub(super) fn detect(head: &[u8]) -> bool {
    matches!(line(head, true), Ok(Some(_)))
}

/// The article whose line `text` begins with, if it does.
fn line(text: &[u8], all: bool) -> Result<Option<Unit>, Unknown> {
    let head = &text[..text.len().min(LINE_MAX)];
    if !head.starts_with(RNEWS) {
        return if !all && RNEWS.starts_with(head) { Err(Unknown) } else { Ok(None) };
    }
    let end = match memchr(b'\n', head) {
        Some(end) => end + 1,
        None if text.len() >= LINE_MAX => return Ok(None),
        None if all => head.len(),
        None => return Err(Unknown),
    };
    let digits = &head[RNEWS.len()..end];
    let digits = &digits[..digits.iter().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len())];
    if digits.is_empty() {
        return Ok(None);
    }
    let count = digits.iter().fold(0u64, |n, d| n.saturating_mul(10).saturating_add(u64::from(d - b'0')));
    // `end` is at most LINE_MAX.
    Ok(Some(Unit { kind: PieceKind::Message, envelope: end as u32, count }))
}
