//! Finds the members of a tar archive, without reading their content.

use std::io::{self, BufReader, Read, Seek};

use super::unpack::{pax_size, stated_size};
use crate::magic::TAR_BLOCK as BLOCK;

/// Passes the offset of each member to `member`. A member can have several headers, and begins with the first of them.
/// Stops at the end of the archive. Also stops at the first header after which it is uncertain where the next member
/// begins.
pub(super) fn find<R: Read + Seek>(archive: &mut BufReader<R>, member: &mut dyn FnMut(u64)) -> io::Result<()> {
    let mut at = 0;
    // `begin` is the offset of the first header of the current member. `large` is the size of the member's content in
    // bytes, if a pax attribute states that size.
    let (mut begin, mut large) = (None, None);
    loop {
        let mut block = [0; BLOCK];
        match archive.read_exact(&mut block) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            read => read?,
        }
        let Some(size) = stated_size(&block) else { return Ok(()) };
        let first = *begin.get_or_insert(at);
        at += BLOCK as u64;
        let size = match block[156] {
            // After a header of one of these types, another header follows. Both headers belong to the same member.
            b'L' | b'K' | b'g' | b'N' => size,
            b'x' | b'X' => {
                let mut attributes = vec![0; size as usize];
                match archive.read_exact(&mut attributes) {
                    Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                    read => read?,
                }
                archive.seek_relative(-(size as i64))?;
                large = pax_size(&attributes);
                size
            }
            // The map of a sparse file can continue in the blocks after the header, so it is uncertain where the next
            // member begins.
            b'S' => return Ok(()),
            // A link, device or directory has no content. If an attribute nevertheless states a size, it is uncertain
            // where the next member begins.
            b'1'..=b'6' if large.is_some() => return Ok(()),
            kind => {
                member(first);
                begin = None;
                if matches!(kind, b'1'..=b'6') { 0 } else { large.take().unwrap_or(size) }
            }
        };
        let Some(next) = size.checked_next_multiple_of(BLOCK as u64).and_then(|size| i64::try_from(size).ok()) else {
            return Ok(());
        };
        at += next as u64;
        archive.seek_relative(next)?;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, ErrorKind, SeekFrom};

    use super::*;
    use crate::source::unpack::tests::tar_member;

    #[test]
    fn members_are_found_up_to_the_first_uncertain_one() {
        let a = tar_member("a", b'0', b"text");
        let pax = |size: usize| {
            let mut attributes = b"10 size=3\n".to_vec();
            attributes.resize(size, 0);
            tar_member("pax", b'x', &attributes)
        };
        let zeros = [0; 2 * BLOCK];
        let large = 1 << 20;
        let table: &[(&str, Vec<u8>, &[u64])] = &[
            ("members", [&a[..], &a, &zeros].concat(), &[0, 1024]),
            ("no end", [&a[..], &a].concat(), &[0, 1024]),
            ("a truncated header", [&a[..], &a[..100]].concat(), &[0]),
            ("attributes", [&a[..], &pax(10), &a, &a].concat(), &[0, 1024, 3072]),
            ("the largest attributes that are read", [&pax(large), &a[..], &a].concat(), &[0, (1 << 20) + 1536]),
            ("larger attributes", [&a[..], &pax(large + 1), &a].concat(), &[0]),
            ("a name that is too long", [&a[..], &tar_member("L", b'L', &vec![b'x'; large + 1]), &a].concat(), &[0]),
            ("truncated attributes", [&a[..], &pax(1000)[..600]].concat(), &[0]),
            ("a link", [&tar_member("b", b'2', b""), &a[..]].concat(), &[0, 512]),
            ("a link with a size", [&a[..], &pax(10), &tar_member("b", b'2', b""), &a].concat(), &[0]),
            ("a sparse file", [&a[..], &tar_member("b", b'S', b"text"), &a].concat(), &[0]),
        ];
        for (what, archive, want) in table {
            let mut found = Vec::new();
            find(&mut BufReader::new(Cursor::new(archive)), &mut |at| found.push(at)).unwrap();
            assert_eq!(found, *want, "{what}");
        }
    }

    #[test]
    fn a_failed_read_is_an_error() {
        struct Failing(Cursor<Vec<u8>>);
        impl Read for Failing {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                let n = self.0.read(buf)?;
                if n > 0 { Ok(n) } else { Err(ErrorKind::TimedOut.into()) }
            }
        }
        impl Seek for Failing {
            fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
                self.0.seek(to)
            }
        }
        // Reading fails in the header, or in the attributes.
        for length in [100, 600] {
            let mut archive = tar_member("pax", b'x', &[0; 1000]);
            archive.truncate(length);
            let error = find(&mut BufReader::new(Failing(Cursor::new(archive))), &mut |_| {}).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut, "{length} bytes");
        }
    }
}
