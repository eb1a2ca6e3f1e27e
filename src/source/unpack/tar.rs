//! Reads tar archives member by member, in the formats of POSIX (ustar, pax), GNU and Unix version 7.

use crate::diagnostic::DiagnosticKind;
use std::io::{self, BufRead, ErrorKind, Read};

use memchr::memchr_iter;

use super::base::Base;
use crate::magic::{TAR_BLOCK as BLOCK, is_tar_header, tar_number};
use crate::source::member::{Carrier, Member, Next};

/// Maximum size in bytes of a long name or a pax header. Longer names and headers count as damaged.
const DESCRIPTION_MAX: u64 = 1 << 20;

/// Maximum number of digits of the first number in the map of a sparse file. A number of 64 bits has at most 20 digits.
/// Without this limit, a map of zeros without a line end would take quadratic time.
const DIGITS_MAX: usize = 20;

/// What members before a file state about this file.
#[derive(Default)]
struct Description {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    /// Whether the content of the file begins with the map of a sparse file.
    has_map: bool,
}

/// What [`Tar::header`] found.
enum Header {
    /// The header of a file with this name.
    File(Vec<u8>),
    /// The header of a file with a malformed map.
    BadMap,
    Other,
}

/// Reads the current member. [`Carrier::advance`] moves to the next member.
pub(in crate::source) struct Tar<R: Read> {
    pub(super) base: Base<R>,
    /// Number of remaining bytes of the member. `padding` is the number of bytes that fill the last block of the
    /// member.
    left: u64,
    padding: u64,
    ended: bool,
    /// Whether a damaged member was found.
    is_damaged: bool,
    /// Whether the next header must be searched, because the last block was not a header.
    is_searching: bool,
}

impl<R: Read> Tar<R> {
    pub(super) fn new(base: Base<R>) -> Tar<R> {
        Tar { base, left: 0, padding: 0, ended: false, is_damaged: false, is_searching: false }
    }

    /// Moves to the next member that is a file. Two blocks of zeros end an archive. Skips these blocks, because another
    /// archive can follow if archives were joined with `cat`.
    ///
    /// Skips damaged members. After a damaged header, moves to the next header, as GNU tar does. Returns only the first
    /// damage.
    fn next_member(&mut self) -> io::Result<Option<Next>> {
        let mut described = Description::default();
        let mut zeros = 0;
        loop {
            self.skip_rest()?;
            if std::mem::take(&mut self.is_searching) {
                self.find_header()?;
                described = Description::default();
            }
            if self.base.is_at_end()? || zeros >= 2 && !self.continues()? {
                return Ok(None);
            }
            let Some(block) = self.block()? else { return Ok(None) };
            if block == [0; BLOCK] {
                zeros += 1;
                continue;
            }
            // A single block of zeros is not the end of an archive, so it is a part of the damage.
            let at = self.base.input().offset - if zeros == 1 { 2 * BLOCK } else { BLOCK } as u64;
            zeros = 0;
            let is_sound = match stated_size(&block) {
                None => {
                    self.is_searching = true;
                    false
                }
                Some(size) => match self.header(&block, size, &mut described)? {
                    Header::File(name) => return Ok(Some(Next::Member(Member { name, ..Member::default() }))),
                    Header::Other => true,
                    Header::BadMap => false,
                },
            };
            if !is_sound && !std::mem::replace(&mut self.is_damaged, true) {
                return Ok(Some(Next::Damage(at)));
            }
        }
    }

    /// Reads the header in `block`, which states `size`. Reads the content of a member that only describes the next
    /// member, and puts it into `next`.
    fn header(&mut self, block: &[u8; BLOCK], size: u64, next: &mut Description) -> io::Result<Header> {
        let kind = block[156];
        let stated = if matches!(kind, b'L' | b'x' | b'X' | b'g' | b'K' | b'N') { None } else { next.size.take() };
        // Links, directories and devices have no content, even if their size is not 0.
        let size = if matches!(kind, b'1'..=b'6') { 0 } else { stated.unwrap_or(size) };
        self.left = size;
        self.padding = size.wrapping_neg() % BLOCK as u64;
        match kind {
            // In GNU tar, a member of type `L` contains the name of the next member. In pax and older Solaris archives,
            // a member of type `x` or `X` contains attributes of the next member.
            b'L' => next.name = Some(up_to_nul(&self.content()?).to_vec()),
            b'x' | b'X' => {
                let pax = self.content()?;
                if let Some(name) = record(&pax, b"GNU.sparse.name").or(record(&pax, b"path")) {
                    next.name = Some(name.to_vec());
                }
                next.size = pax_size(&pax);
                next.has_map = record(&pax, b"GNU.sparse.major") == Some(b"1");
            }
            // Members of these types are not files. `1` to `6` are links, devices and directories. `D` is a GNU
            // directory with a list of its files. `V` is a volume label. `A` is an access control list of Solaris.
            b'1'..=b'6' | b'D' | b'V' | b'A' => *next = Description::default(),
            // A member of type `g` contains attributes of all following members, `K` contains the target of a link, and
            // `N` contains obsolete attributes. These members do not change `next`.
            b'g' | b'K' | b'N' => {}
            // POSIX treats members of unknown type as files (pax, "ustar Interchange Format"). A member of type `M`
            // continues a file that begins in the previous volume, and is also read as a file.
            _ => {
                if kind == b'S' {
                    self.sparse_map(block[482] != 0)?;
                }
                let Description { name, has_map, .. } = std::mem::take(next);
                let name = name.unwrap_or_else(|| self::name(block));
                if has_map && !self.pax_sparse_map()? {
                    return Ok(Header::BadMap);
                }
                // In archives of Unix version 7, only a slash at the end of the name shows that a member is a
                // directory, which has no content.
                if !name.ends_with(b"/") || self.left > 0 {
                    return Ok(Header::File(name));
                }
            }
        }
        Ok(Header::Other)
    }

    fn skip_rest(&mut self) -> io::Result<()> {
        // A hostile header can state a size near the maximum of `u64`, so a plain sum could overflow.
        let rest = std::mem::take(&mut self.left).saturating_add(std::mem::take(&mut self.padding));
        self.base.input().skip(rest)
    }

    /// Moves to the next header, or to the end of the input.
    fn find_header(&mut self) -> io::Result<()> {
        loop {
            let ahead = self.base.input().look(BLOCK)?;
            let block = ahead.first_chunk();
            if block.is_some_and(|block| stated_size(block).is_some()) || ahead.is_empty() {
                return Ok(());
            }
            self.base.input().consume(BLOCK);
        }
    }

    /// Whether a header or a block of zeros follows the end of an archive. Reports other data. Does not report zeros at
    /// the end of the input that fill less than one block.
    fn continues(&mut self) -> io::Result<bool> {
        let ahead = self.base.input().look(BLOCK)?;
        let ahead = &ahead[..ahead.len().min(BLOCK)];
        if ahead.iter().all(|&b| b == 0) {
            return Ok(ahead.len() == BLOCK);
        }
        let is_header = is_tar_header(ahead);
        if !is_header {
            self.base.note = Some(DiagnosticKind::AfterArchive);
        }
        Ok(is_header)
    }

    /// Reads the next block. Returns `None` at the end of the input.
    fn block(&mut self) -> io::Result<Option<[u8; BLOCK]>> {
        self.ended = self.ended || self.base.input().fill_buf()?.is_empty();
        if self.ended { Ok(None) } else { self.base.input().array().map(Some) }
    }

    /// Reads the whole content of a member that only describes the next member.
    fn content(&mut self) -> io::Result<Vec<u8>> {
        self.base.input().bytes(std::mem::take(&mut self.left) as usize)
    }

    /// Skips the blocks with the map of a sparse file. The map lists the holes of the file, which are not stored in the
    /// archive.
    fn sparse_map(&mut self, mut more: bool) -> io::Result<()> {
        while more {
            let block = self.block()?.ok_or(ErrorKind::UnexpectedEof)?;
            more = block[504] != 0;
        }
        Ok(())
    }

    /// Skips the map of a sparse file in pax format. The map is at the beginning of the member. Each line of the map
    /// has one number. The first number says how many pairs of numbers follow. Returns `false` if the map is malformed.
    fn pax_sparse_map(&mut self) -> io::Result<bool> {
        let (mut lines, mut first) = (0_u64, Vec::new());
        while self.left >= BLOCK as u64 {
            let block = self.block()?.ok_or(ErrorKind::UnexpectedEof)?;
            self.left -= BLOCK as u64;
            if lines == 0 {
                first.extend(block.iter().take_while(|b| b.is_ascii_digit()));
                if first.len() > DIGITS_MAX {
                    break;
                }
            }
            lines += memchr_iter(b'\n', &block).count() as u64;
            let pairs: Option<u64> = std::str::from_utf8(&first).ok().and_then(|digits| digits.parse().ok());
            match pairs.and_then(|pairs| pairs.checked_mul(2)) {
                Some(numbers) if lines > numbers => return Ok(true),
                Some(_) => {}
                None => break,
            }
        }
        Ok(false)
    }
}

impl<R: Read> Carrier for Tar<R> {
    fn advance(&mut self) -> io::Result<Option<Next>> {
        let next = self.next_member();
        self.base.end_if_malformed(next)
    }

    fn offset(&mut self) -> u64 {
        self.base.input().offset
    }

    fn note(&mut self) -> Option<DiagnosticKind> {
        self.base.take_note()
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

/// Returns the size in bytes that the header `block` states. Returns `None` if `block` is not a header, or if the
/// header is damaged.
pub(in crate::source) fn stated_size(block: &[u8; BLOCK]) -> Option<u64> {
    if !is_tar_header(block) {
        return None;
    }
    let size = match &block[124..136] {
        // The size field is empty in GNU volume labels.
        none if none.iter().all(|b| matches!(b, 0 | b' ')) => 0,
        size => tar_number(size)?,
    };
    let is_description = matches!(block[156], b'L' | b'x' | b'X');
    (!is_description || size <= DESCRIPTION_MAX).then_some(size)
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

/// Returns the size of the next member in bytes, if the pax header `pax` states this size.
pub(in crate::source) fn pax_size(pax: &[u8]) -> Option<u64> {
    record(pax, b"size").and_then(|size| std::str::from_utf8(size).ok()?.parse().ok())
}

/// Returns the value of `key` in a pax header. The header consists of lines `LENGTH KEY=VALUE`. `LENGTH` is the length
/// of the whole line. If several lines have the key, the last one counts.
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
