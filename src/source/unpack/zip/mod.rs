//! Reads zip archives member by member, in the order in which the members are stored. This module does not need the
//! directory at the end of the archive, so it can also read pipes and truncated archives. If the archive has a
//! directory, the members are counted and compared with it, because the header of a member can be damaged.
//!
//! Some programs delete only the directory entry of a member, and leave its bytes in the file. This module also reads
//! such a deleted member.

pub(super) mod record;

use crate::diagnostic::DiagnosticKind;
use std::io::{self, BufRead, ErrorKind, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use memchr::memmem;

use self::record::{
    DESCRIPTOR, DESCRIPTOR_BEFORE, DESCRIPTOR_MAX, ENCRYPTED, END, END64, LISTED, LOCAL, RECORDS, Record, STREAMED,
    begins_record, codec_of, descriptor, number, zip64,
};
use super::base::Base;
use super::decoder;
use crate::source::member::{Carrier, Member, Next};

/// Reads the current member. [`Carrier::advance`] moves to the next member.
pub(in crate::source) struct Zip<R: Read> {
    /// The layer below, with a decoder for compressed members whose length is unknown until they are decoded. A
    /// separate layer on top cannot decode such a member, because that layer would read beyond the end of the member.
    pub(super) base: Base<R>,
    /// Offset at which the data of the current member begins.
    begin: u64,
    method: Method,
    /// Number of remaining stored bytes of the member. `None` if the header does not state the length.
    left: Option<u64>,
    /// The number of bytes that the larger of two different sizes of the member has more.
    more: u64,
    /// The checksum in the header. `None` if the checksum follows the member.
    expected: Option<u32>,
    /// Checksum of the bytes of the member that were returned.
    sum: Crc,
    ended: bool,
    /// Number of members in the current archive that were found.
    found: u64,
    /// Number of members in the directory of the current archive, and in the end record. The record of a member in the
    /// directory can be damaged, too.
    listed: u64,
    counted: u64,
    /// Offset of the data of a member that is malformed and has an unknown length. No further member can be found after
    /// such a member.
    damaged: Option<u64>,
}

enum Method {
    /// The stored bytes are returned unchanged. If `summed` is `true`, the checksum in the header is the checksum of
    /// these bytes. If `summed` is `false`, a layer on top decodes the bytes, and the header has the checksum of the
    /// decoded bytes.
    Stored {
        summed: bool,
    },
    Deflated(Box<Decompress>),
    /// The member is compressed, and only the decoder can find its end.
    Packed,
    /// The member has an unknown length, and ends where a data descriptor is found. The descriptor states the length.
    /// If `plain` is `false`, the member cannot be decoded, and its bytes are skipped.
    Sought {
        plain: bool,
    },
    /// No bytes of the member are left to return: the whole member was read, or the member cannot be decoded.
    Done,
}

impl<R: Read> Zip<R> {
    /// Makes a reader for an archive that begins after `stub` bytes of other data. Until
    /// [`advance`](Carrier::advance) is called, reads return these bytes as if they were the content of a member.
    pub(super) fn new(base: Base<R>, stub: u64) -> Zip<R> {
        Zip {
            base,
            begin: 0,
            method: Method::Stored { summed: false },
            left: Some(stub),
            more: 0,
            expected: Some(0),
            sum: Crc::new(),
            ended: false,
            found: 0,
            listed: 0,
            counted: 0,
            damaged: None,
        }
    }

    fn stop(&mut self, note: DiagnosticKind) {
        (self.ended, self.method) = (true, Method::Done);
        self.base.note = Some(note);
        self.damaged = (note == DiagnosticKind::BadCompression).then_some(self.begin);
    }

    /// Moves to the next member that is a file. Skips the records between and after the members. Another archive can
    /// follow the end record if archives were joined with `cat`.
    fn next_member(&mut self) -> io::Result<Option<Next>> {
        let mut is_after = false;
        loop {
            io::copy(self, &mut io::sink())?;
            self.skip_rest()?;
            if self.ended || self.base.is_at_end()? || is_after && self.base.input().skip_zeros()?.is_empty() {
                return Ok(None);
            }
            let ahead = self.base.input().look(LOCAL.len())?;
            if ahead.starts_with(LOCAL) {
                let member = self.member()?;
                if !member.name.ends_with(b"/") || !self.is_empty()? {
                    return Ok(Some(Next::Member(member)));
                }
                continue;
            }
            let Some(record) = RECORDS.iter().find(|(signature, ..)| ahead.starts_with(signature)) else {
                if is_after {
                    self.stop(self.base.note.unwrap_or(DiagnosticKind::AfterArchive));
                    return Ok(None);
                }
                if ahead.len() < LOCAL.len() {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                self.skip_gap()?;
                continue;
            };
            let skipped = self.skip_record(record);
            let is_cut = skipped.as_ref().is_err_and(|e| e.kind() == ErrorKind::UnexpectedEof);
            self.listed += u64::from(&record.0 == LISTED && !is_cut);
            if &record.0 == END || is_cut {
                // The task of a part of the archive reads only some of the members.
                if self.listed.max(self.counted) > self.found && self.base.end.is_none() {
                    self.base.note = Some(DiagnosticKind::MissingMembers);
                }
                (self.listed, self.counted, self.found, is_after) = (0, 0, 0, true);
            }
            // Truncated records after the last member are not an error if all members were read.
            if is_cut {
                return Ok(None);
            }
            skipped?;
        }
    }

    /// Reads the next local header and returns its member. If the member is readable, the next reads return the bytes
    /// of the member.
    fn member(&mut self) -> io::Result<Member> {
        let head: [u8; 30] = self.base.input().array()?;
        let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let long = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (flags, method) = (short(6), short(8));
        let name = self.base.input().bytes(usize::from(short(26)))?;
        let extra = self.base.input().bytes(usize::from(short(28)))?;
        let streamed = flags & STREAMED != 0;
        let stored = match long(18) {
            u32::MAX => zip64(&extra, usize::from(long(22) == u32::MAX)).ok_or(ErrorKind::InvalidData)?,
            size => u64::from(size),
        };
        // The two sizes of a stored member are the same. If they differ, it ends at the smaller one if another follows.
        let other = u64::from(long(22));
        let differ = method == 0 && flags & ENCRYPTED == 0 && stored > 0 && other > 0 && long(22) != u32::MAX;
        let (stored, more) = if differ { (stored.min(other), stored.abs_diff(other)) } else { (stored, 0) };
        self.more = more;
        self.found += 1;
        self.begin = self.base.input().offset;
        self.left = (!streamed || stored > 0).then_some(stored);
        self.expected = (!streamed).then_some(long(14));
        self.sum.reset();
        let codec = if flags & ENCRYPTED != 0 { Err(crate::error::ENCRYPTED.to_owned()) } else { codec_of(method) };
        let (codec, unreadable) = codec.map_or_else(|why| (None, Some(why)), |codec| (codec, None));
        self.method = match (self.left, codec) {
            (Some(_), _) if unreadable.is_some() => Method::Done,
            (None, _) if unreadable.is_some() => Method::Sought { plain: false },
            _ if method == 8 => Method::Deflated(Box::new(Decompress::new(false))),
            (Some(_), _) => Method::Stored { summed: codec.is_none() },
            (None, Some(codec)) => {
                self.base.input.begin(codec);
                Method::Packed
            }
            (None, None) => Method::Sought { plain: true },
        };
        let is_undone = matches!(self.method, Method::Packed);
        Ok(Member { name, codec, is_undone, unreadable, ..Member::default() })
    }

    /// Whether the member that was just begun has no content, as directories have none.
    fn is_empty(&mut self) -> io::Result<bool> {
        let ahead = self.base.input().look(DESCRIPTOR.len())?;
        Ok(match self.method {
            _ if self.left == Some(0) => true,
            // An empty last block.
            Method::Deflated(_) => ahead.starts_with(&[3, 0]),
            _ => self.left.is_none() && ahead.starts_with(DESCRIPTOR),
        })
    }

    /// Skips the rest of the member, and the data descriptor after it.
    fn skip_rest(&mut self) -> io::Result<()> {
        if let Some(left) = self.left.take() {
            match self.base.input().skip(left) {
                // The truncation was already reported.
                Err(e) if self.ended && e.kind() == ErrorKind::UnexpectedEof => {}
                skipped => skipped?,
            }
        }
        if self.expected.is_none() && !self.ended {
            let input = self.base.input();
            self.expected = Some(0);
            // A damaged header can announce a descriptor that does not exist.
            let ahead = input.look(LOCAL.len())?;
            if begins_record(ahead) {
                return Ok(());
            }
            // Some programs omit the signature of the descriptor. Each of the two sizes in the descriptor has four or
            // eight bytes.
            let rest = if &input.array::<4>()? == DESCRIPTOR { 12 } else { 8 };
            input.bytes(rest)?;
            if !input.fill_buf()?.starts_with(b"P") {
                input.bytes(8)?;
            }
        }
        Ok(())
    }

    /// Skips bytes between records. Other programs also ignore these bytes, because they find the members in the
    /// directory at the end of the archive.
    fn skip_gap(&mut self) -> io::Result<()> {
        let input = self.base.input();
        loop {
            let ahead = input.look(LOCAL.len())?;
            if ahead.len() < LOCAL.len() {
                return Err(ErrorKind::InvalidData.into());
            }
            match memmem::find_iter(ahead, b"PK").find(|&at| begins_record(&ahead[at..])) {
                Some(gap) => {
                    input.consume(gap);
                    return Ok(());
                }
                // A signature can begin in the last three bytes, so these bytes are not skipped.
                None => {
                    let gap = ahead.len() - (LOCAL.len() - 1);
                    input.consume(gap);
                }
            }
        }
    }

    fn skip_record(&mut self, &(signature, count, lengths): &Record) -> io::Result<()> {
        let input = self.base.input();
        input.skip(signature.len() as u64)?;
        let fields = input.bytes(count)?;
        match &signature {
            // The number in the record of zip64 is used instead of the largest number.
            END if fields[6..8] != [0xFF; 2] => self.counted = number(&fields[6..8]),
            END64 => self.counted = input.look(28)?.get(20..28).map_or(0, number),
            _ => {}
        }
        let length = |&(at, width): &(usize, usize)| number(&fields[at..at + width]);
        input.skip(lengths.iter().map(length).fold(0, u64::saturating_add))
    }

    /// Ends the member, and verifies its checksum if `summed` is true. The stated length can be wrong.
    fn finish(&mut self, summed: bool) {
        (self.method, self.left) = (Method::Done, None);
        if summed && self.expected.is_some_and(|expected| expected != self.sum.sum()) {
            self.base.note = Some(DiagnosticKind::BadCompression);
        }
    }

    fn read_stored(&mut self, buf: &mut [u8], summed: bool) -> io::Result<usize> {
        let left = self.left.unwrap_or(0);
        let most = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let n = self.base.input().read(&mut buf[..most])?;
        self.left = Some(left - n as u64);
        self.sum.update(&buf[..n]);
        if left == 0 && self.more > 0 && !self.base.input().look(2)?.starts_with(b"PK") {
            self.left = Some(std::mem::take(&mut self.more));
            return self.read_stored(buf, summed);
        }
        if left == 0 {
            self.finish(summed);
        } else if n == 0 && most > 0 {
            self.stop(DiagnosticKind::TruncatedArchive);
        }
        Ok(n)
    }

    fn inflate(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let Method::Deflated(inflate) = &mut self.method else { return Ok(0) };
            let input = self.base.input().fill_buf()?;
            let most =
                self.left.map_or(input.len(), |left| input.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
            let (read, written) = (inflate.total_in(), inflate.total_out());
            let status = inflate.decompress(&input[..most], buf, FlushDecompress::None);
            let (read, written) = (inflate.total_in() - read, (inflate.total_out() - written) as usize);
            // The cast cannot truncate: `read` is at most the length of the buffer.
            self.base.input().consume(read as usize);
            self.left = self.left.map(|left| left - read);
            self.sum.update(&buf[..written]);
            match status {
                Ok(Status::StreamEnd) => self.finish(true),
                Err(_) => self.damaged(),
                Ok(_) if read == 0 && written == 0 && most == 0 => {
                    let ahead = self.base.input().look(2)?;
                    if ahead.is_empty() {
                        self.stop(DiagnosticKind::TruncatedArchive);
                    } else if ahead.starts_with(b"PK") {
                        self.damaged();
                    } else {
                        // The member is longer than its header says.
                        self.left = None;
                    }
                }
                Ok(_) => {}
            }
            if self.base.expands_too_much(written) {
                self.stop(DiagnosticKind::ExpansionLimit);
            }
            if written > 0 || !matches!(self.method, Method::Deflated(_)) {
                return Ok(written);
            }
        }
    }

    /// Ends a malformed member. If its length is known, the next member can be read.
    fn damaged(&mut self) {
        if self.left.is_none() {
            return self.stop(DiagnosticKind::BadCompression);
        }
        self.method = Method::Done;
        self.base.note = Some(DiagnosticKind::BadCompression);
    }

    /// Reads the next bytes of the member with the decoder in `self.base`.
    fn unpack(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.base.input.read(buf) {
            Ok(0) => {
                self.base.input.end();
                self.finish(false);
                Ok(0)
            }
            Ok(n) => {
                if self.base.expands_too_much(n) {
                    self.stop(DiagnosticKind::ExpansionLimit);
                }
                Ok(n)
            }
            Err(e) if self.base.failed() => Err(e),
            Err(e) => {
                let is_cut = self.base.input.is_cut(&e)?;
                self.stop(if is_cut { DiagnosticKind::TruncatedArchive } else { decoder::damage(&e) });
                Ok(0)
            }
        }
    }

    /// Reads bytes up to the data descriptor that ends the member.
    fn seek_end(&mut self, buf: &mut [u8], plain: bool) -> io::Result<usize> {
        let input = self.base.input();
        let count = input.offset - self.begin;
        let ahead = input.look(DESCRIPTOR_MAX)?;
        if let Some((length, sum)) = descriptor(ahead, count, plain, self.sum.sum()) {
            input.consume(length);
            self.expected = Some(sum);
            self.finish(plain);
            return Ok(0);
        }
        if ahead.is_empty() {
            self.stop(DiagnosticKind::TruncatedArchive);
            return Ok(0);
        }
        // This call returns at most `buf.len()` bytes, so a descriptor that begins after these bytes need not be found
        // now. A descriptor that begins in these bytes extends at most [`DESCRIPTOR_MAX`] bytes beyond them.
        let ahead = &ahead[..ahead.len().min(buf.len().saturating_add(DESCRIPTOR_MAX))];
        let begins = |signature: usize| {
            DESCRIPTOR_BEFORE.iter().find_map(|before| signature.checked_sub(*before).filter(|at| *at > 0))
        };
        let next = memmem::find(&ahead[1..], b"PK").and_then(|at| begins(at + 1));
        let n = next.unwrap_or(ahead.len().saturating_sub(DESCRIPTOR_MAX).max(1)).min(buf.len());
        buf[..n].copy_from_slice(&ahead[..n]);
        input.consume(n);
        self.sum.update(&buf[..n]);
        Ok(n)
    }
}

impl<R: Read> Carrier for Zip<R> {
    fn advance(&mut self) -> io::Result<Option<Next>> {
        let next = self.next_member();
        self.base.end_if_malformed(next)
    }

    fn offset(&mut self) -> u64 {
        // For a malformed member of unknown length, the number of bytes read depends on how large the reads are.
        let read = self.base.input().offset;
        self.damaged.unwrap_or(read)
    }

    fn note(&mut self) -> Option<DiagnosticKind> {
        self.base.take_note()
    }
}

impl<R: Read> Read for Zip<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        match self.method {
            Method::Stored { summed } => self.read_stored(buf, summed),
            Method::Deflated(_) => self.inflate(buf),
            Method::Packed => self.unpack(buf),
            Method::Sought { plain } => self.seek_end(buf, plain),
            Method::Done => Ok(0),
        }
    }
}
