//! Reads tar archives member by member, as written by POSIX (ustar, pax), GNU and Unix version 7.

use crate::diagnostic::DiagnosticKind;
use std::io::{self, BufRead, ErrorKind, Read};

use memchr::memchr_iter;

use super::Base;
use crate::source::magic::{TAR_BLOCK as BLOCK, is_tar_header, tar_number};
use crate::source::member::Member;

/// The longest name or pax header. A longer one is malformed.
const NAME_MAX: u64 = 1 << 20;

/// Reads the current member. [`Tar::next_member`] moves to the next.
pub(in crate::source) struct Tar<R: Read> {
    pub(super) base: Base<R>,
    /// Remaining bytes of the member, with the padding of its last block.
    left: u64,
    padding: u64,
    ended: bool,
}

impl<R: Read> Tar<R> {
    pub(super) fn new(base: Base<R>) -> Tar<R> {
        Tar { base, left: 0, padding: 0, ended: false }
    }

    /// Moves to the next member that is a file. Two blocks of zeros end an archive. Another may follow, if `cat` joined
    /// them.
    pub(super) fn next_member(&mut self) -> io::Result<Option<Member>> {
        let (mut long_name, mut long_size, mut has_map) = (None, None, false);
        loop {
            self.skip_rest()?;
            let Some(block) = self.block()? else { return Ok(None) };
            if block == [0; BLOCK] {
                continue;
            }
            if !is_tar_header(&block) {
                return Err(ErrorKind::InvalidData.into());
            }
            let kind = block[156];
            let size = match &block[124..136] {
                // GNU's labels have no number here.
                none if none.iter().all(|b| matches!(b, 0 | b' ')) => 0,
                size => tar_number(size).ok_or(ErrorKind::InvalidData)?,
            };
            // Links, directories and devices have no content, even if they have a size.
            let size = if matches!(kind, b'1'..=b'6') { 0 } else { long_size.take().unwrap_or(size) };
            self.left = size;
            self.padding = size.wrapping_neg() % BLOCK as u64;
            match kind {
                // In GNU tar, the name of the next member. In pax, and Solaris before it, its other attributes.
                b'L' => long_name = Some(self.content()?).map(|name| up_to_nul(&name).to_vec()),
                b'x' | b'X' => {
                    let pax = self.content()?;
                    let name = record(&pax, b"GNU.sparse.name").or(record(&pax, b"path"));
                    long_name = name.map(<[u8]>::to_vec).or(long_name);
                    long_size = record(&pax, b"size").and_then(|n| std::str::from_utf8(n).ok()?.parse().ok());
                    has_map = record(&pax, b"GNU.sparse.major") == Some(b"1");
                }
                // Links, directories, also with their names (D), and devices; labels; attributes of all members, of
                // links, or obsolete ones (N); and Solaris's access control lists (A).
                b'1'..=b'6' | b'D' | b'V' | b'A' => (long_name, has_map) = (None, false),
                b'g' | b'K' | b'N' => {}
                // Unknown kinds are files (POSIX, pax, "ustar Interchange Format"). M is the rest of a file from the
                // volume before.
                _ => {
                    if kind == b'S' {
                        self.sparse_map(block[482] != 0)?;
                    }
                    if std::mem::take(&mut has_map) {
                        self.pax_sparse_map()?;
                    }
                    let name = long_name.take().unwrap_or_else(|| name(&block));
                    // Unix version 7 writes directories like this.
                    if !name.ends_with(b"/") {
                        return Ok(Some(Member { name, ..Member::default() }));
                    }
                }
            }
        }
    }

    fn skip_rest(&mut self) -> io::Result<()> {
        // A crafted size can be the largest number there is.
        let rest = std::mem::take(&mut self.left).saturating_add(std::mem::take(&mut self.padding));
        self.base.input().skip(rest)
    }

    /// Reads the next block. `None` at the end.
    fn block(&mut self) -> io::Result<Option<[u8; BLOCK]>> {
        self.ended = self.ended || self.base.input().fill_buf()?.is_empty();
        if self.ended { Ok(None) } else { self.base.input().array().map(Some) }
    }

    /// Reads all of a member that has attributes of the next one.
    fn content(&mut self) -> io::Result<Vec<u8>> {
        if self.left > NAME_MAX {
            return Err(ErrorKind::InvalidData.into());
        }
        self.base.input().bytes(std::mem::take(&mut self.left) as usize)
    }

    /// Skips the blocks that list the holes of a sparse file. Its bytes are stored without them.
    fn sparse_map(&mut self, mut more: bool) -> io::Result<()> {
        while more {
            let block = self.block()?.ok_or(ErrorKind::UnexpectedEof)?;
            more = block[504] != 0;
        }
        Ok(())
    }

    /// Does the same if the list is at the beginning of the member: lines with a number each. The first number is how
    /// many pairs follow.
    fn pax_sparse_map(&mut self) -> io::Result<()> {
        let (mut lines, mut first) = (0_u64, Vec::new());
        loop {
            let block = self.block()?.ok_or(ErrorKind::UnexpectedEof)?;
            self.left = self.left.checked_sub(BLOCK as u64).ok_or(ErrorKind::InvalidData)?;
            if lines == 0 {
                first.extend(block.iter().take_while(|b| b.is_ascii_digit()));
            }
            lines += memchr_iter(b'\n', &block).count() as u64;
            let pairs: Option<u64> = std::str::from_utf8(&first).ok().and_then(|digits| digits.parse().ok());
            if lines > pairs.and_then(|pairs| pairs.checked_mul(2)).ok_or(ErrorKind::InvalidData)? {
                return Ok(());
            }
        }
    }
}

impl<R: Read> Read for Tar<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = buf.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if most == 0 {
            return Ok(0);
        }
        let n = self.base.input().read(&mut buf[..most])?;
        self.left -= n as u64;
        if n == 0 {
            (self.ended, self.left, self.padding) = (true, 0, 0);
            self.base.note = Some(DiagnosticKind::TruncatedArchive);
        }
        Ok(n)
    }
}

fn name(block: &[u8; BLOCK]) -> Vec<u8> {
    let (name, prefix) = (up_to_nul(&block[..100]), up_to_nul(&block[345..500]));
    if &block[257..263] == b"ustar\0" && !prefix.is_empty() {
        return [prefix, b"/", name].concat();
    }
    name.to_vec()
}

fn up_to_nul(field: &[u8]) -> &[u8] {
    &field[..field.iter().position(|&b| b == 0).unwrap_or(field.len())]
}

/// Returns the value of `key` in a pax header: lines of `LENGTH KEY=VALUE`, where the length is that of the whole line.
/// The last line with the key counts.
fn record<'p>(mut pax: &'p [u8], key: &[u8]) -> Option<&'p [u8]> {
    let mut value = None;
    while let Some(blank) = pax.iter().position(|&b| b == b' ') {
        let length: usize = std::str::from_utf8(&pax[..blank]).ok()?.parse().ok()?;
        let line = pax.get(blank + 1..length)?;
        if let Some(rest) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(b"=")) {
            value = Some(rest.strip_suffix(b"\n").unwrap_or(rest));
        }
        pax = &pax[length..];
    }
    value
}
