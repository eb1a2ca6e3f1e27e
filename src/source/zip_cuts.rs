//! Finds the members of a zip archive in the directory at the end of the archive, as defined in PKWARE's APPNOTE,
//! section 4.3.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use memchr::memmem;

use super::sfx_prefix::END_MAX;

/// Length in bytes of the zip64 locator. A large archive has this record before its end record. The locator states the
/// offset of the zip64 end record, whose fields have eight bytes instead of four.
const LOCATOR: usize = 20;

/// Calls `member` with the offset of each member except the first, which is at offset 0. `length` is the length of the
/// file in bytes.
///
/// Returns `false` if the archive cannot be divided:
///
/// - The directory is missing or malformed.
/// - Other bytes precede the first member.
/// - The order of the members in the directory is not their order in the file.
pub(super) fn find(file: &mut File, length: u64, member: &mut dyn FnMut(u64)) -> io::Result<bool> {
    let Some(directory) = directory(file, length)? else { return Ok(false) };
    file.seek(SeekFrom::Start(directory.start))?;
    let mut records = BufReader::new(file).take(directory.end - directory.start);
    let mut last = None;
    loop {
        let mut record = [0; 46];
        match records.read_exact(&mut record) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(true),
            read => read?,
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| number(&record[at..at + 2]));
        let mut rest = vec![0; (name + extra + comment) as usize];
        if !record.starts_with(b"PK\x01\x02") || records.read_exact(&mut rest).is_err() {
            return Ok(false);
        }
        let offset = offset(&record, &rest[name as usize..(name + extra) as usize]);
        match (offset, last) {
            (Some(0), None) => {}
            (Some(offset), Some(last)) if offset > last && offset < directory.start => member(offset),
            _ => return Ok(false),
        }
        last = offset;
    }
}

/// Returns the byte range of the zip file's central directory, which lists the members. Returns `None` if the file has
/// no end record, or if the directory does not end directly before the end record.
fn directory(file: &mut File, length: u64) -> io::Result<Option<std::ops::Range<u64>>> {
    let start = length.saturating_sub((END_MAX + LOCATOR) as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.by_ref().take(length - start).read_to_end(&mut tail)?;
    let is_end = |at: &usize| {
        let comment = tail.get(at + 20..at + 22).map(number);
        comment.is_some_and(|comment| *at as u64 + 22 + comment == tail.len() as u64)
    };
    let Some(end) = memmem::rfind_iter(&tail, b"PK\x05\x06").find(is_end) else { return Ok(None) };
    let [size, offset] = [12, 16].map(|at| number(&tail[end + at..end + at + 4]));
    let range =
        |size: u64, offset: u64, before: u64| (offset.checked_add(size) == Some(before)).then_some(offset..before);
    let locator =
        end.checked_sub(LOCATOR).map(|at| &tail[at..end]).filter(|locator| locator.starts_with(b"PK\x06\x07"));
    let Some(locator) = locator else { return Ok(range(size, offset, start + end as u64)) };
    let at = number(&locator[8..16]);
    let mut record = [0; 56];
    file.seek(SeekFrom::Start(at))?;
    match file.read_exact(&mut record) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let is_record = record.starts_with(b"PK\x06\x06");
    Ok(range(number(&record[40..48]), number(&record[48..56]), at).filter(|_| is_record))
}

/// Returns the offset of a member. `record` is the record of the member in the directory, and `extra` has its extra
/// fields. If the offset does not fit into 32 bits, it is in the zip64 extra field. Returns `None` if that field is
/// missing or too short.
fn offset(record: &[u8; 46], mut extra: &[u8]) -> Option<u64> {
    let [stored, size, offset] = [20, 24, 42].map(|at| number(&record[at..at + 4]));
    let is_large = |number: u64| number == u64::from(u32::MAX);
    if !is_large(offset) {
        return Some(offset);
    }
    while let Some((head, rest)) = extra.split_first_chunk::<4>() {
        let (field, next) = rest.split_at_checked(number(&head[2..]) as usize)?;
        if head[..2] == [1, 0] {
            let at = 8 * (usize::from(is_large(size)) + usize::from(is_large(stored)));
            return field.get(at..at + 8).map(number);
        }
        extra = next;
    }
    None
}

/// Parses a little-endian number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}
