//! Finds zip archives that begin after other bytes in the same file. The other bytes can be a program or script that
//! unpacks the archive, or data added in transport.
//!
//! Programs such as unzip(1) search for the archive from the end of the file. A pipe cannot be searched from the end,
//! so this module searches from the beginning for the first member of the archive.

use memchr::memmem;

/// Returns the index in `bytes` of the first member of an archive.
pub(crate) fn archive(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"PK\x03\x04").find(|&at| is_member(&bytes[at..]))
}

/// Maximum size in bytes of the end record of an archive. The record has 22 bytes and a comment of at most 65,535
/// bytes.
pub(crate) const END_MAX: usize = 22 + 0xFFFF;

/// Returns the index in `bytes` of the end record of an archive (PKWARE's APPNOTE, section 4.3.16). `bytes` are the
/// last bytes of a file. Returns `None` if there is no end record, or if the archive has no members.
pub(crate) fn end(bytes: &[u8]) -> Option<usize> {
    let is_end = |&at: &usize| {
        let Some((record, comment)) = bytes[at..].split_first_chunk::<22>() else { return false };
        record[10..12] != [0; 2] && comment.len() == usize::from(u16::from_le_bytes([record[20], record[21]]))
    };
    memmem::rfind_iter(bytes, b"PK\x05\x06").find(is_end)
}

/// Whether `header` is the header of a member (PKWARE's APPNOTE, section 4.3.7). The signature alone is not enough,
/// because programs that read zip contain the signature as a constant.
fn is_member(header: &[u8]) -> bool {
    let Some((header, after)) = header.split_first_chunk::<30>() else { return false };
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let (version, flags, method, date, name) = (header[4], short(6), short(8), short(12), short(26));
    // The newest version of the zip format is 6.3, which a header stores as 63. Sections 4.4.4 and 4.4.5 of the APPNOTE
    // define which flags and methods are valid.
    let is_known =
        version <= 63 && flags & 0xD780 == 0 && matches!(method, 0..=20 | 93..=99) && (date >> 5 & 0xF) <= 12;
    let name = &after[..after.len().min(usize::from(name))];
    is_known && !name.is_empty() && !name.iter().any(u8::is_ascii_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row<'r> = (&'r str, &'r [&'r [u8]], Option<usize>);

    #[test]
    fn the_end_record_is_found() {
        let record =
            |members: u8, comment: u8| [&b"PK\x05\x06"[..], &[0; 6], &[members, 0], &[0; 8], &[comment, 0]].concat();
        let table: &[Row<'_>] = &[
            ("nothing", &[], None),
            ("of one", &[b"junk", &record(1, 0)], Some(4)),
            ("of none", &[&record(0, 0)], None),
            ("with a comment", &[&record(1, 4), b"PK\x05\x06"], Some(0)),
            ("with something after it", &[&record(1, 0), b"x"], None),
            ("cut short", &[&record(1, 0)[..21]], None),
        ];
        for (what, bytes, want) in table {
            assert_eq!(end(&bytes.concat()), *want, "{what}");
        }
    }

    #[test]
    fn the_first_member_is_found() {
        let member = |version: u8, flags: u8, method: u8, month: u8, name: &str| {
            let head = [b'P', b'K', 3, 4, version, 0, flags, 0, method, 0, 0, 0, month << 5, month >> 3];
            [&head[..], &[0; 12], &[name.len() as u8, 0, 0, 0], name.as_bytes()].concat()
        };
        let good = member(20, 8, 8, 12, "a/b");
        let table: &[Row<'_>] = &[
            ("nothing", &[], None),
            ("no archive", &[b"PK\x05\x06", &[0; 18]], None),
            ("after junk", &[b"junk", &good], Some(4)),
            ("after another's header", &[b"PK\x03\x04\0\0", &good], Some(6)),
            ("what a program compares with", &[b"PK\x03\x04\0PK\x05\x06\0invalid zip archive\0\0\0"], None),
            ("in two volumes", &[b"PK00", &good], Some(4)),
            ("cut short in its name", &[b"junk", &good[..31]], Some(4)),
            ("cut short before it", &[b"junk", &good[..30]], None),
            ("of a version to come", &[&member(70, 0, 8, 1, "a")], None),
            ("by no method", &[&member(20, 0, 50, 1, "a")], None),
            ("with flags that mean nothing", &[&member(20, 0x80, 8, 1, "a")], None),
            ("in no month", &[&member(20, 0, 8, 13, "a")], None),
            ("of the first zip programs, without a date", &[&member(10, 0, 6, 0, "A.TXT")], Some(0)),
            ("with a control character in its name", &[&member(20, 0, 8, 1, "a\n")], None),
            ("without a name", &[&member(20, 0, 8, 1, "")], None),
        ];
        for (what, bytes, want) in table {
            assert_eq!(archive(&bytes.concat()), *want, "{what}");
        }
    }
}
