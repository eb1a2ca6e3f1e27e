//! Recognizes files, base64 and encrypted text that are written in the text of a message.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr_iter, memrchr};

use super::transfer::{self, Encoding, Points, QUOTE, is_full_row, is_uu_row, unquoted};
use crate::shared;

/// Finds lines that may be the first line of a file in uuencode, yEnc or BinHex.
pub(super) static BEGIN: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["\nbegin ", "\n=ybegin ", "\n(This file must be converted with BinHex"].map(Finder::new));

/// Finds the lines after encrypted text.
pub(super) static ARMOR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(END_ARMOR));
pub(super) const BEGIN_ARMOR: &[u8] = b"-----BEGIN PGP MESSAGE";
/// Number of bytes before the rows of encrypted text that is cut in which its first line is searched.
pub(super) const ARMOR_HEADER: usize = 200;
const END_ARMOR: &[u8] = b"-----END PGP MESSAGE";

/// The minimum length of binary data that is reported, if no line says that it is a file. Shorter strings are names,
/// numbers and signatures.
pub(super) const DATA: usize = 1 << 10;

/// Whether `text` begins with a line of [`BEGIN`].
pub(super) fn is_at_start(line: &Finder<'_>, text: &[u8]) -> bool {
    text.starts_with(&line.needle()[1..])
}

/// Returns the length of the file in BinHex 4.0 at the start of `text` (RFC 1741): a line of words, and the file between
/// two colons.
pub(super) fn binhex(text: &[u8]) -> Option<usize> {
    if !is_at_start(&BEGIN[2], text) {
        return None;
    }
    let start = memchr(b'\n', text)?;
    let begin = start + text[start..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    let rest = text[begin..].strip_prefix(b":")?;
    let rows = rest.iter().take_while(|byte| is_binhex(byte)).count();
    // The colon of a URL does not end the file.
    let is_end = matches!(&rest[rows..], [b':'] | [b':', b'\r' | b'\n' | b' ', ..]);
    (rows > 64 && is_end).then_some(begin + rows + 2)
}

/// Whether text may have files in uuencode, yEnc, BinHex or base64, or encrypted text. To save time, checks only the
/// first line, the last line, and a line in each KiB, or in each quarter of a shorter text. So a shorter file between
/// other text can be missed.
pub(crate) fn may_have_files(bytes: &[u8]) -> bool {
    if bytes.len() < 4 * SAMPLE {
        return has_mark(bytes);
    }
    let blanks = bytes.iter().rev().take_while(|&&byte| byte <= b' ').count();
    let begins = || bytes.starts_with(BEGIN_ARMOR) || BEGIN.iter().any(|line| is_at_start(line, bytes));
    let is_at_end = |text: &[u8]| match text.last() {
        Some(b'd') if text.ends_with(b"\nend") => true,
        Some(b'-') => text[memrchr(b'\n', text).map_or(0, |end| end + 1)..].starts_with(END_ARMOR),
        Some(b':') => BEGIN[2].find(text).is_some(),
        // The line ends in `size=1234`, or in the same way.
        Some(digit) if digit.is_ascii_hexdigit() => {
            let digits = text.iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
            text[..text.len() - digits].ends_with(b"=")
                && text[memrchr(b'\n', text).map_or(0, |end| end + 1)..].starts_with(b"=yend ")
        }
        _ => false,
    };
    if matches!(bytes[0], b'b' | b'-' | b'=' | b'(') && begins() || is_at_end(&bytes[..bytes.len() - blanks]) {
        return true;
    }
    let step = if bytes.len() < 2 << 10 { bytes.len() / 4 } else { 1 << 10 };
    let (mut is_armored, mut is_begun) = (None, None);
    let mut at = step;
    while let Some(some) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let mut begins = || *is_begun.get_or_insert_with(|| BEGIN[1..].iter().any(|line| line.find(bytes).is_some()));
        if !is_prose(some)
            && (may_be_rows(some) && is_row(bytes, at, &mut is_armored) || may_be_encoded(some) && begins())
        {
            return true;
        }
        at += step;
    }
    false
}

/// Number of bytes of text that are checked at once.
const SAMPLE: usize = 32;

/// Whether text has small letters and blanks. Uuencode has no small letters, and base64 has at most the blank of a
/// quote.
fn is_prose(text: &[u8; SAMPLE]) -> bool {
    // Without `fold`, the compiler does not make vector instructions.
    let small = text.iter().fold(false, |is, &byte| is | (byte > b'`'));
    let blanks = text.iter().fold(0_u8, |count, &byte| count + u8::from(byte == b' '));
    small & (blanks > 1)
}

/// Whether text without small letters can be uuencode, or other text can be base64. Sixteen bytes with a pattern, such as
/// a line of hyphens, do not count.
fn may_be_rows(text: &[u8; SAMPLE]) -> bool {
    let is_end = |byte: u8| matches!(byte, b'\n' | b'\r');
    match text.iter().any(|&byte| byte > b'`') {
        true => text.iter().all(|&byte| is_digit(byte) || is_end(byte) || QUOTE.contains(&byte)),
        false => text[..8] != text[8..16] && text.iter().all(|&byte| byte >= b' ' || is_end(byte)),
    }
}

/// Whether text has several bytes other than printable ASCII, as yEnc has, or only digits of BinHex without a pattern.
fn may_be_encoded(text: &[u8; SAMPLE]) -> bool {
    let is_odd = |byte: u8| !(b'\t'..=b'~').contains(&byte);
    let odd = text.iter().fold(0_u8, |count, &byte| count + u8::from(is_odd(byte)));
    odd > 3 || text[..8] != text[8..16] && text.iter().all(is_binhex)
}

/// Whether `byte` is a digit of BinHex, or ends a row of digits.
fn is_binhex(byte: &u8) -> bool {
    matches!(byte, b'!'..=b'9' | b';'..=b'r' | b'\r' | b'\n')
}

/// The number of digits in a row of base64. Encoders write 60, 64, 72 or 76, but some mail has other rows.
const ROW: RangeInclusive<usize> = 40..=100;

/// Whether `byte` is a digit of base64.
fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Whether a line of a short text can be base64, the first line of a file, or the last line of encrypted text.
#[cold]
fn has_mark(text: &[u8]) -> bool {
    BEGIN.iter().any(|line| is_at_start(line, text) || line.find(text).is_some())
        || ARMOR.find(text).is_some()
        || base64_rows(text).is_some()
}

/// Whether the line at the offset `at` can be a row of a file in uuencode, or of base64. `is_armored` stores
/// whether encrypted text ends after the first row of base64.
#[cold]
fn is_row(bytes: &[u8], at: usize, is_armored: &mut Option<bool>) -> bool {
    const MAX: usize = *ROW.end() + 2;
    let from = at.saturating_sub(MAX);
    let start = memrchr(b'\n', &bytes[from..at]).map_or(from, |end| from + end + 1);
    let rest = &bytes[start..];
    let window = &rest[..rest.len().min(2 * MAX)];
    let end = memchr(b'\n', window).unwrap_or(window.len());
    let row = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
    let armor = unquoted(row);
    let mut is_armor = || {
        let find = || ARMOR.find(rest).is_some() || memmem::find(&bytes[..start], BEGIN_ARMOR).is_some();
        *is_armored.get_or_insert_with(find)
    };
    let is_base64 = ROW.contains(&armor.len()) && armor.iter().copied().all(is_digit);
    let has_next = || window[end..].trim_ascii_start().iter().take_while(|byte| is_digit(**byte)).count() >= row.len();
    is_uu_row(row)
        || is_uu_row(armor)
        || is_base64 && (is_words_in_base64(row) || is_text_in_base64(row) && has_next() || is_armor())
}

/// Whether `bytes` are text in ASCII or UTF-8. Their last character can be cut.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !has_controls(bytes) && shared::begins_utf8(bytes)
}

/// Whether a row of base64 has text in ASCII or UTF-8, whose last character can be cut. One row is enough to show this.
fn is_words_in_base64(row: &[u8]) -> bool {
    let mut decoded = Vec::new();
    let data = transfer::decoded(row, Encoding::Base64, &mut decoded, &mut Points::default());
    !data.is_empty() && is_text(data)
}

/// Whether a row of base64 has no bytes that only binary files have. Signatures and keys have such bytes.
fn is_text_in_base64(row: &[u8]) -> bool {
    let mut decoded = Vec::new();
    !has_controls(transfer::decoded(row, Encoding::Base64, &mut decoded, &mut Points::default()))
}

/// Whether `bytes` have controls other than those of text, and of charsets such as ISO 2022.
pub(super) fn has_controls(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| shared::is_control(*byte))
}

/// Returns the place of the first encrypted text in `text`: the lines after the header of its armor (RFC 4880, section
/// 6.2). The lines can be quoted or indented. Other text between the same lines can have URLs, and is not encrypted.
pub(super) fn encrypted(text: &[u8]) -> Option<Range<usize>> {
    let is_armor = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/= \t\r\n".contains(byte);
    // Returns the marks of quotes between the beginning of a line and `at`.
    let quote = |at: usize| {
        let start = text[..at].iter().rposition(|byte| !QUOTE.contains(byte)).map_or(0, |last| last + 1);
        (start == 0 || text[start - 1] == b'\n').then(|| text[start..at].trim_ascii())
    };
    let mut done = 0;
    ARMOR.find_iter(text).find_map(|end| {
        let marks = quote(end)?;
        let from = std::mem::replace(&mut done, end);
        let mut begins = memmem::rfind_iter(&text[from..end], BEGIN_ARMOR).map(|at| from + at);
        let begin = begins.find(|&at| quote(at) == Some(marks))?;
        let mut start = begin;
        for line in text[begin..end].split_inclusive(|&byte| byte == b'\n') {
            let is_blank = unquoted(line).trim_ascii().is_empty();
            // Each field of the header has a colon. Some programs omit the blank line after the header.
            if start > begin && !is_blank && !line.contains(&b':') {
                break;
            }
            start += line.len();
            if is_blank {
                break;
            }
        }
        let mut lines = text[start..end].split_inclusive(|&byte| byte == b'\n');
        (start < end && lines.all(|line| unquoted(line).iter().all(is_armor))).then_some(start..end)
    })
}

/// Returns the place of the first lines of base64 in `text`: long lines of one length, and a shorter line after them. A
/// single long line must have text. Blank lines can be between the long lines.
pub(super) fn base64_rows(text: &[u8]) -> Option<Range<usize>> {
    let (mut start, mut length, mut rows, mut at, mut is_spaced) = (0, 0, 0, 0, false);
    let has_words = |start: usize, length: usize, rows: usize| {
        // The value of a parameter can be base64, in a URL over several lines.
        let above = start.checked_sub(1).map_or(0, |end| memrchr(b'\n', &text[..end]).map_or(0, |end| end + 1));
        rows > 0
            && is_words_in_base64(&text[start..start + length])
            && memmem::find(&text[above..start], b"://").is_none()
    };
    while at < text.len() {
        let next = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
        let row = text[at..next].trim_ascii_end();
        let digits = row.strip_suffix(b"=").map_or(row, |row| row.strip_suffix(b"=").unwrap_or(row));
        let is_row = || digits.iter().copied().all(is_digit);
        if rows > 0 && row.len() == length && digits.len() == length && is_row() {
            rows += 1;
        } else if row.is_empty()
            && (is_spaced || rows > 0 && has_row(&text[next..], length) && has_words(start, length, rows))
        {
            is_spaced = true;
        } else if rows > 1 || has_words(start, length, rows) {
            let is_last = row.len().is_multiple_of(4) && row.len() <= length && is_row();
            return Some(start..if is_last { next } else { at });
        } else {
            let is_first = digits.len() == row.len() && ROW.contains(&row.len()) && is_row();
            (start, length, rows) = (at, row.len(), usize::from(is_first));
        }
        at = next;
    }
    (rows > 1 || has_words(start, length, rows)).then_some(start..at)
}

/// Whether `text` begins with a row of base64 of this length.
fn has_row(text: &[u8], length: usize) -> bool {
    text.iter().take_while(|byte| is_digit(**byte)).count() == length
}

/// Returns the offset of each line of uuencode that is full, if the next line is full, too, and the line before is not.
pub(super) fn uu_rows(text: &[u8]) -> impl Iterator<Item = usize> {
    let (mut at, mut last, mut count) = (0, 0, 0);
    memchr_iter(b'\n', text).filter_map(move |end| {
        count = if is_full_row(unquoted(&text[at..end]).trim_ascii_end()) { count + 1 } else { 0 };
        let before = std::mem::replace(&mut last, at);
        at = end + 1;
        (count == 2).then_some(before)
    })
}

/// Whether `html` is base64: its first line is a row, and HTML begins with a tag or with words.
pub(super) fn begins_base64(html: &[u8]) -> bool {
    let html = html.trim_ascii_start();
    let begins = || base64_rows(&html[..html.len().min(256)]).is_some_and(|rows| rows.start == 0);
    html.first().copied().is_some_and(is_digit) && begins() && is_text_in_base64(&html[..html.len().min(56)])
}
