//! Reads zip archives member by member in the order of the file, so that it can read pipes and truncated archives.
//!
//! It also reads members that were deleted from the directory at the end, but not from the file.

mod record;

use crate::diagnostic::DiagnosticKind;
use std::io::{self, BufRead, ErrorKind, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use memchr::memmem;

use self::record::{
    DESCRIPTOR, DESCRIPTOR_BEFORE, DESCRIPTOR_MAX, ENCRYPTED, END, LOCAL, RECORDS, Record, STREAMED, codec_of,
    descriptor, large_size, number,
};
use super::{Base, decoder};
use crate::source::member::Member;

/// Reads the current member. [`Zip::next_member`] moves to the next.
pub(in crate::source) struct Zip<R: Read> {
    /// Decodes members for which a layer on top would read beyond the member.
    pub(super) base: Base<R>,
    /// Where the member's bytes begin.
    begin: u64,
    method: Method,
    /// Remaining bytes of the member as stored. `None` if only its end shows the length.
    left: Option<u64>,
    /// The checksum in the header. `None` if it is after the member.
    expected: Option<u32>,
    /// The checksum of the bytes read.
    sum: Crc,
    ended: bool,
}

enum Method {
    /// Stored unchanged, or compressed and decoded by a layer on top. In the second case, the checksum is not that of
    /// these bytes.
    Stored {
        summed: bool,
    },
    Deflated(Box<Decompress>),
    /// Compressed, and only the end of the stream shows where it ends.
    Packed,
    /// Ends at a descriptor with the number of bytes so far. `plain`: the bytes are stored unchanged. If not, they are
    /// skipped.
    Sought {
        plain: bool,
    },
    /// All of it was read.
    Done,
}

impl<R: Read> Zip<R> {
    /// Makes a reader that first reads the bytes before the first member, as if they were one. `stub` is their number.
    pub(super) fn new(base: Base<R>, stub: u64) -> Zip<R> {
        Zip {
            base,
            begin: 0,
            method: Method::Stored { summed: false },
            left: Some(stub),
            expected: Some(0),
            sum: Crc::new(),
            ended: false,
        }
    }

    fn stop(&mut self, note: DiagnosticKind) {
        (self.ended, self.method) = (true, Method::Done);
        self.base.note = Some(note);
    }

    /// Moves to the next member that is a file. Skips what is between the members and after them. Another archive may
    /// follow, if `cat` joined them.
    pub(super) fn next_member(&mut self) -> io::Result<Option<Member>> {
        let mut is_after = false;
        loop {
            io::copy(self, &mut io::sink())?;
            self.skip_rest()?;
            if self.ended || is_after && self.base.input().skip_zeros()?.is_empty() {
                return Ok(None);
            }
            let ahead = self.base.input().look(LOCAL.len())?;
            if ahead.starts_with(LOCAL) {
                let member = self.member()?;
                if !member.name.ends_with(b"/") {
                    return Ok(Some(member));
                }
                continue;
            }
            let Some(record) = RECORDS.iter().find(|(signature, ..)| ahead.starts_with(signature)) else {
                if is_after {
                    self.stop(DiagnosticKind::AfterArchive);
                    return Ok(None);
                }
                if ahead.len() < LOCAL.len() {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                self.skip_gap()?;
                continue;
            };
            match self.skip_record(record) {
                // All members were read.
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(None),
                skipped => skipped?,
            }
            is_after |= &record.0 == END;
        }
    }

    /// Reads the next local header and returns its member. Its bytes can be read then, unless the member has a reason
    /// why not.
    fn member(&mut self) -> io::Result<Member> {
        let head: [u8; 30] = self.base.input().array()?;
        let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let long = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (flags, method) = (short(6), short(8));
        let name = self.base.input().bytes(usize::from(short(26)))?;
        let extra = self.base.input().bytes(usize::from(short(28)))?;
        let streamed = flags & STREAMED != 0;
        let stored = match long(18) {
            u32::MAX => large_size(&extra, long(22) == u32::MAX).ok_or(ErrorKind::InvalidData)?,
            size => u64::from(size),
        };
        self.begin = self.base.input().offset;
        self.left = (!streamed || stored > 0).then_some(stored);
        self.expected = (!streamed).then_some(long(14));
        self.sum.reset();
        let codec = if flags & ENCRYPTED != 0 { Err("it is encrypted".to_owned()) } else { codec_of(method) };
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
        Ok(Member { name, codec, is_undone, unreadable })
    }

    /// Skips the rest of the member, and the checksum and sizes after it.
    fn skip_rest(&mut self) -> io::Result<()> {
        if let Some(left) = self.left.take() {
            match self.base.input().skip(left) {
                // The member is truncated. That was reported.
                Err(e) if self.ended && e.kind() == ErrorKind::UnexpectedEof => {}
                skipped => skipped?,
            }
        }
        if self.expected.is_none() && !self.ended {
            let input = self.base.input();
            // Some programs omit the signature. The sizes have four or eight bytes each.
            let rest = if &input.array::<4>()? == DESCRIPTOR { 12 } else { 8 };
            input.bytes(rest)?;
            if !input.fill_buf()?.starts_with(b"P") {
                input.bytes(8)?;
            }
            self.expected = Some(0);
        }
        Ok(())
    }

    /// Skips bytes that no record tells of. Programs that read the directory at the end do not see them.
    fn skip_gap(&mut self) -> io::Result<()> {
        let input = self.base.input();
        loop {
            let ahead = input.look(LOCAL.len())?;
            if ahead.len() < LOCAL.len() {
                return Err(ErrorKind::InvalidData.into());
            }
            let begins = |at: &usize| {
                let ahead = &ahead[*at..];
                ahead.starts_with(LOCAL) || RECORDS.iter().any(|(signature, ..)| ahead.starts_with(signature))
            };
            match memmem::find_iter(ahead, b"PK").find(begins) {
                Some(gap) => {
                    input.consume(gap);
                    return Ok(());
                }
                // A signature may begin in the last bytes.
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
        let length = |&(at, width): &(usize, usize)| number(&fields[at..at + width]);
        input.skip(lengths.iter().map(length).fold(0, u64::saturating_add))
    }

    /// Checks the checksum of a member that has ended.
    fn finish(&mut self, summed: bool) {
        self.method = Method::Done;
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
            // `read` is at most the length of the buffer.
            self.base.input().consume(read as usize);
            self.left = self.left.map(|left| left - read);
            self.sum.update(&buf[..written]);
            match status {
                Ok(Status::StreamEnd) => self.finish(true),
                // The member is malformed. If its length is known, the next one can be read.
                Err(_) if self.left.is_some() => {
                    self.method = Method::Done;
                    self.base.note = Some(DiagnosticKind::BadCompression);
                }
                Err(_) => self.stop(DiagnosticKind::BadCompression),
                Ok(_) if read == 0 && written == 0 && most == 0 => self.stop(DiagnosticKind::TruncatedArchive),
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

    /// Reads what the input decodes itself.
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

    /// Reads up to a descriptor, or to what may be one.
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
        // Searches only what fits, so that little is searched twice. A descriptor may begin in the last bytes.
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
