//! Finds the members of a tar archive, without reading their content.

use std::io::{self, BufReader, Read, Seek};

use super::magic::{TAR_BLOCK as BLOCK, is_tar_header, tar_number};
use super::unpack::pax_size;

/// Maximum size in bytes of the attributes of a member. Larger attributes are not read.
const ATTRIBUTES_MAX: u64 = 1 << 20;

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
        let size = match &block[124..136] {
            none if none.iter().all(|b| matches!(b, 0 | b' ')) => Some(0),
            size => tar_number(size),
        };
        let (true, Some(size)) = (is_tar_header(&block), size) else { return Ok(()) };
        let first = *begin.get_or_insert(at);
        at += BLOCK as u64;
        let size = match block[156] {
            // After a header of one of these types, another header follows. Both headers belong to the same member.
            b'L' | b'K' | b'g' | b'N' => size,
            b'x' | b'X' if size <= ATTRIBUTES_MAX => {
                let mut attributes = vec![0; size as usize];
                match archive.read_exact(&mut attributes) {
                    Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                    read => read?,
                }
                archive.seek_relative(-(size as i64))?;
                large = pax_size(&attributes);
                size
            }
            // Attributes larger than [`ATTRIBUTES_MAX`] are not read, although they can state the size of the content.
            // The map of a sparse file (`S`) can continue in the blocks after the header. In both cases, it is
            // uncertain where the next member begins.
            b'x' | b'X' | b'S' => return Ok(()),
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
