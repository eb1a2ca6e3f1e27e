//! Finds the members of a zip archive in the directory at the end of the archive, as defined in PKWARE's APPNOTE,
//! section 4.3.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use super::seek;
use super::unpack::{LISTED, LOCAL, number, zip64};
use crate::magic::sfx_prefix::{self, END_MAX};

/// Length in bytes of the zip64 locator. A large archive has this record before its end record. The locator states the
/// offset of the zip64 end record, whose fields have eight bytes instead of four.
const LOCATOR: usize = 20;

/// Calls `member` with the offset of each member except the first, which is at offset 0.
///
/// Returns `false` if the archive cannot be divided, perhaps after some calls of `member`:
///
/// - The directory is missing or malformed.
/// - Other bytes precede the first member.
/// - The order of the members in the directory is not their order in the file.
/// - The header of a member is damaged, or a record of the directory is missing. A search of the whole archive reports
///   this.
/// - A member begins in another member. A search of the whole archive reads only the outer one.
pub(super) fn find(file: &mut File, member: &mut dyn FnMut(u64)) -> io::Result<bool> {
    let Some((directory, count)) = directory(file)? else { return Ok(false) };
    file.seek(SeekFrom::Start(directory.start))?;
    let mut records = BufReader::new(&mut *file).take(directory.end - directory.start);
    let mut members = Vec::new();
    loop {
        let mut record = [0; 46];
        match records.read_exact(&mut record) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => break,
            read => read?,
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| number(&record[at..at + 2]));
        let mut rest = vec![0; (name + extra + comment) as usize];
        if !record.starts_with(LISTED) || records.read_exact(&mut rest).is_err() {
            return Ok(false);
        }
        match place(&record, &rest[name as usize..(name + extra) as usize]) {
            Some(place) if place.0 < directory.start => members.push(place),
            _ => return Ok(false),
        }
    }
    if count > members.len() as u64 {
        return Ok(false);
    }
    let mut last = 0;
    for &(offset, size) in &members {
        let mut header = [0; 30];
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut header)?;
        let is_first = offset == 0 && last == 0;
        if !header.starts_with(LOCAL) || !is_first && (last == 0 || offset < last) {
            return Ok(false);
        }
        let [name, extra] = [26, 28].map(|at| number(&header[at..at + 2]));
        last = (offset + 30 + name + extra).saturating_add(size);
        if !is_first {
            member(offset);
        }
    }
    Ok((1..=directory.start).contains(&last))
}

/// Returns the byte range of the zip file's central directory, which lists the members, and the number of members.
/// Returns `None` if the file has no end record, or if the directory does not end directly before the end record.
fn directory(file: &mut File) -> io::Result<Option<(Range<u64>, u64)>> {
    let (tail, start) = seek::tail(file, END_MAX + LOCATOR)?;
    let Some(end) = sfx_prefix::end(&tail) else { return Ok(None) };
    let [size, offset] = [12, 16].map(|at| number(&tail[end + at..end + at + 4]));
    let range = |size: u64, offset: u64, before: u64, count: &[u8]| {
        (offset.checked_add(size) == Some(before)).then(|| (offset..before, number(count)))
    };
    let locator =
        end.checked_sub(LOCATOR).map(|at| &tail[at..end]).filter(|locator| locator.starts_with(b"PK\x06\x07"));
    let Some(locator) = locator else { return Ok(range(size, offset, start + end as u64, &tail[end + 10..end + 12])) };
    let at = number(&locator[8..16]);
    let mut record = [0; 56];
    file.seek(SeekFrom::Start(at))?;
    match file.read_exact(&mut record) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let [size, offset] = [40, 48].map(|at| number(&record[at..at + 8]));
    Ok(range(size, offset, at, &record[32..40]).filter(|_| record.starts_with(b"PK\x06\x06")))
}

/// Returns the offset of a member, and the length of its stored content. `record` is the record of the member in the
/// directory, and `extra` has its extra fields. Numbers that do not fit into 32 bits are in the zip64 extra field.
/// Returns `None` if that field is missing or too short.
fn place(record: &[u8; 46], extra: &[u8]) -> Option<(u64, u64)> {
    let mut large = 0;
    let [_, stored, offset] = [24, 20, 42].map(|at| {
        let small = number(&record[at..at + 4]);
        let is_large = small == u64::from(u32::MAX);
        large += usize::from(is_large);
        if is_large { zip64(extra, large - 1) } else { Some(small) }
    });
    offset.zip(stored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Temp;

    /// Length in bytes of the members in each archive.
    const MEMBERS: usize = 400;

    /// Returns zeros with the signatures of members without names. Only the headers and the directory are read.
    fn members(signatures: &[usize]) -> Vec<u8> {
        let mut members = vec![0; MEMBERS];
        signatures.iter().for_each(|&at| members[at..at + LOCAL.len()].copy_from_slice(LOCAL));
        members
    }

    /// Returns the record of a member in the directory. `sizes` are the stored and the original size.
    fn record(offset: u32, sizes: [u32; 2], extra: &[u8]) -> Vec<u8> {
        let mut record = [0; 46];
        record[..4].copy_from_slice(b"PK\x01\x02");
        record[20..24].copy_from_slice(&sizes[0].to_le_bytes());
        record[24..28].copy_from_slice(&sizes[1].to_le_bytes());
        (record[28], record[30], record[32]) = (1, extra.len() as u8, 4);
        record[42..].copy_from_slice(&offset.to_le_bytes());
        [&record[..], b"a", extra, b"note"].concat()
    }

    fn end(size: usize) -> Vec<u8> {
        end_of(1, size)
    }

    /// Returns the end record for a directory of `size` bytes and `count` members that begins after the members.
    fn end_of(count: u8, size: usize) -> Vec<u8> {
        let mut end = vec![0; 22];
        end[..4].copy_from_slice(b"PK\x05\x06");
        end[10] = count;
        end[12..16].copy_from_slice(&(size as u32).to_le_bytes());
        end[16..20].copy_from_slice(&(MEMBERS as u32).to_le_bytes());
        end
    }

    /// Finds the members of an archive in a temporary file. Returns `None` if the archive cannot be divided.
    fn cuts(archive: &[u8]) -> Option<Vec<u64>> {
        let id = std::thread::current().id();
        let temp = Temp::new(&format!("zip-cuts-{id:?}"));
        let (mut file, mut found) = (File::open(temp.write("zip", archive)).expect("the file"), Vec::new());
        let is_whole = find(&mut file, &mut |at| found.push(at)).unwrap();
        is_whole.then_some(found)
    }

    #[test]
    fn members_are_found_in_the_directory() {
        let at = |offset| record(offset, [50, 60], b"");
        let all = u32::MAX;
        // The extra field of zip64 has only the numbers that do not fit into 32 bits: the original size, the stored
        // size and the offset.
        let zip64 = |sizes, field: &[u8]| record(all, sizes, &[&[1, 0, field.len() as u8, 0], field].concat());
        let (long, other) = (258_u64.to_le_bytes(), 7_u64.to_le_bytes());
        let time = b"UT\x05\0\x01\0\0\0\0";
        let mut odd = at(100);
        odd[2] = 9;
        let mut cut = at(100);
        cut.truncate(48);
        type Row<'r> = (&'r str, [Vec<u8>; 3], Option<&'r [u64]>);
        let table: [Row<'_>; 15] = [
            ("three members", [at(0), at(100), at(258)], Some(&[100, 258])),
            ("an extra field", [at(0), record(100, [50, 60], time), at(200)], Some(&[100, 200])),
            ("zip64", [at(0), at(100), zip64([50, 60], &long)], Some(&[100, 258])),
            ("zip64, large file", [at(0), at(100), zip64([50, all], &[other, long].concat())], Some(&[100, 258])),
            ("zip64, both sizes", [at(0), at(100), zip64([all; 2], &[other, other, long].concat())], Some(&[100, 258])),
            (
                "zip64 after another field",
                [at(0), at(100), record(all, [50, 60], &[&time[..], &[1, 0, 8, 0], &long].concat())],
                Some(&[100, 258]),
            ),
            ("zip64 without the offset", [at(0), at(100), zip64([all; 2], &[other, other].concat())], None),
            ("a damaged header", [at(0), at(100), at(150)], None),
            ("bytes before the first member", [at(10), at(100), at(200)], None),
            ("a member in another", [at(0), at(50), at(200)], None),
            ("another order", [at(0), at(200), at(100)], None),
            ("the same offset", [at(0), at(100), at(100)], None),
            ("an offset after the members", [at(0), at(100), at(MEMBERS as u32)], None),
            ("a wrong signature", [at(0), odd, at(200)], None),
            ("a truncated name", [at(0), at(50), cut], None),
        ];
        for (what, records, want) in table {
            let directory = records.concat();
            let archive = [&members(&[0, 10, 50, 100, 200, 258])[..], &directory, &end(directory.len())].concat();
            assert_eq!(cuts(&archive).as_deref(), want, "{what}");
        }
    }

    #[test]
    fn the_directory_ends_directly_before_the_end_record() {
        let directory = [record(0, [50, 60], b""), record(100, [50, 60], b"")].concat();
        let size = directory.len();
        let mut noted = end(size);
        noted[20] = 4;
        let with_locator = |signature: &[u8], at: u64| {
            let [size, start] = [size, MEMBERS].map(|number| (number as u64).to_le_bytes());
            let zip64 = [&b"PK\x06\x06"[..], &[0; 36], &size, &start].concat();
            let at = at.to_le_bytes();
            [&zip64[..], signature, &[0; 4], &at, &[0; 4], &end(0)].concat()
        };
        let after = (MEMBERS + size) as u64;
        type Row<'r> = (&'r str, Vec<u8>, Option<&'r [u64]>);
        let table: &[Row<'_>] = &[
            ("an end record", end(size), Some(&[100])),
            ("a comment", [&noted[..], b"note"].concat(), Some(&[100])),
            ("the longest comment", [&noted[..20], &[0xFF; 2], &[b'x'; 0xFFFF]].concat(), Some(&[100])),
            ("a comment of another length", [&noted[..], b"notes"].concat(), None),
            ("no end record", b"note".to_vec(), None),
            ("more members than the directory has", end_of(3, size), None),
            ("a wrong size", end(size - 1), None),
            ("a gap", [&b"gap"[..], &end(size)].concat(), None),
            ("zip64", with_locator(b"PK\x06\x07", after), Some(&[100])),
            ("a wrong offset in the locator", with_locator(b"PK\x06\x07", after + 1), None),
            ("an offset in the locator after the file", with_locator(b"PK\x06\x07", 1 << 40), None),
        ];
        for (what, rest, want) in table {
            let archive = [&members(&[0, 100])[..], &directory, rest].concat();
            assert_eq!(cuts(&archive).as_deref(), *want, "{what}");
        }
        // The members are longer than the part of the file that is searched for the end record.
        let mut far = end(size);
        far[16..20].copy_from_slice(&100_000_u32.to_le_bytes());
        assert_eq!(
            cuts(&[&members(&[0, 100])[..], &[0; 99_600], &directory, &far].concat()).as_deref(),
            Some(&[100][..])
        );
    }
}
