//! zip archives, member by member, as they lie: so that they can be read from a pipe, and when their end is missing.
//!
//! Members that were deleted from the directory at the end, but not from the file, are read too.

mod record;

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use memchr::memmem;

use self::record::{
    DESCRIPTOR, DESCRIPTOR_MAX, ENCRYPTED, END, LOCAL, RECORDS, Record, STREAMED, codec_of, descriptor, large_size,
    name_of, number,
};
use super::decoder::Decoder;
use super::{Expansion, Input, Layer, Member, Next, consumed, damage};
use crate::container::NoteKind;
use crate::source::unread::Unreadable;

/// Reads the member at hand; [`Zip::next_member`] goes on to the next.
pub(in crate::source) struct Zip<R: Read> {
    /// It decodes, too, what no layer on top can: such would read beyond the member.
    input: Decoder<Input<R>>,
    /// Where the octets of the member begin.
    begin: u64,
    method: Method,
    /// Octets of the member as stored that are still to come; `None` if only its end will tell.
    left: Option<u64>,
    /// What the header says the sum is; `None` if that comes behind the member,
    told: Option<u32>,
    /// and what it is.
    sum: Crc,
    expansion: Expansion,
    note: Option<NoteKind>,
    ended: bool,
}

enum Method {
    /// As it is; or compressed, and undone by a layer on top: then the sum is not that of these octets.
    Stored {
        summed: bool,
    },
    Deflated(Box<Decompress>),
    /// Compressed, and only its own end tells where it ends.
    Packed,
    /// It ends before a descriptor that tells of as many octets as there are. `plain`: as they are; if not they are passed
    /// over.
    Sought {
        plain: bool,
    },
    /// All of it was read.
    Done,
}

impl<R: Read> Zip<R> {
    /// The `stub` octets that stand before the first member are read first, as if they were one.
    pub(super) fn new(input: Input<R>, expansion: Expansion, stub: u64) -> Zip<R> {
        Zip {
            input: Decoder::Ended(input),
            begin: 0,
            method: Method::Stored { summed: false },
            left: Some(stub),
            told: Some(0),
            sum: Crc::new(),
            expansion,
            note: None,
            ended: false,
        }
    }

    pub(super) fn below(&self) -> &Layer<R> {
        self.input.input().get_ref().get_ref().1
    }

    pub(super) fn below_mut(&mut self) -> &mut Layer<R> {
        self.input.input_mut().get_mut().get_mut().1
    }

    pub(super) fn into_below(self) -> (Layer<R>, Expansion) {
        (self.input.into_input().into_inner().into_inner().1, self.expansion)
    }

    pub(super) fn offset(&self) -> u64 {
        self.input.input().offset()
    }

    pub(super) fn note(&mut self) -> Option<NoteKind> {
        self.note.take()
    }

    /// Passes over the rest of the member and gives the next one that is a file. Another archive may follow, as
    /// `cat` puts them.
    pub(super) fn next_member(&mut self) -> io::Result<Next> {
        match self.header() {
            Ok(Some(member)) => Ok(Next::Member(member)),
            Ok(None) => {
                self.ended = true;
                Ok(Next::End)
            }
            Err(e) if self.below().failed() => Err(e),
            Err(e) => {
                self.stop(damage(&e));
                Ok(Next::End)
            }
        }
    }

    fn stop(&mut self, note: NoteKind) {
        (self.ended, self.method) = (true, Method::Done);
        self.note = Some(note);
    }

    /// The next member that is a file. What is between the members, and behind them, is passed over.
    fn header(&mut self) -> io::Result<Option<Member>> {
        let mut is_behind = false;
        loop {
            io::copy(self, &mut io::sink())?;
            self.skip_rest()?;
            if self.ended || is_behind && self.input.input_mut().skip_zeros()?.is_empty() {
                return Ok(None);
            }
            let ahead = self.input.input_mut().look(LOCAL.len())?;
            if ahead.starts_with(LOCAL) {
                let member = self.member()?;
                if !member.name.ends_with(b"/") {
                    return Ok(Some(member));
                }
                continue;
            }
            let Some(record) = RECORDS.iter().find(|(signature, ..)| ahead.starts_with(signature)) else {
                if is_behind {
                    self.stop(NoteKind::BehindArchive);
                    return Ok(None);
                }
                let is_cut = ahead.len() < LOCAL.len();
                return Err(if is_cut { ErrorKind::UnexpectedEof } else { ErrorKind::InvalidData }.into());
            };
            match self.skip_record(record) {
                // All members were read.
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(None),
                skipped => skipped?,
            }
            is_behind |= &record.0 == END;
        }
    }

    /// The member whose local header comes next: its octets can be read then, unless it says why not.
    fn member(&mut self) -> io::Result<Member> {
        let head: [u8; 30] = self.fixed()?;
        let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let long = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (flags, method) = (short(6), short(8));
        let name = self.octets(usize::from(short(26)))?;
        let extra = self.octets(usize::from(short(28)))?;
        let streamed = flags & STREAMED != 0;
        let stored = match long(18) {
            u32::MAX => large_size(&extra, long(22) == u32::MAX).ok_or(ErrorKind::InvalidData)?,
            size => u64::from(size),
        };
        self.begin = self.offset();
        self.left = (!streamed || stored > 0).then_some(stored);
        self.told = (!streamed).then_some(long(14));
        self.sum.reset();
        let codec = codec_of(method);
        let unreadable = match method {
            _ if flags & ENCRYPTED != 0 => Some(Unreadable::Encrypted),
            0 | 8 => None,
            _ if codec.is_some() => None,
            _ => Some(name_of(method).map_or(Unreadable::Unknown, Unreadable::Compressed)),
        };
        self.method = match (self.left, codec) {
            (Some(_), _) if unreadable.is_some() => Method::Done,
            (None, _) if unreadable.is_some() => Method::Sought { plain: false },
            _ if method == 8 => Method::Deflated(Box::new(Decompress::new(false))),
            (Some(_), _) => Method::Stored { summed: codec.is_none() },
            (None, Some(codec)) => {
                self.input.begin(codec);
                Method::Packed
            }
            (None, None) => Method::Sought { plain: true },
        };
        let is_undone = matches!(self.method, Method::Packed);
        Ok(Member { name, codec, is_undone, unreadable })
    }

    /// Passes over what is left of the member, and over the sum and the sizes behind it.
    fn skip_rest(&mut self) -> io::Result<()> {
        if let Some(left) = self.left.take() {
            self.skip(left)?;
        }
        if self.told.is_none() && !self.ended {
            let first: [u8; 4] = self.fixed()?;
            // The signature is left out by some; the sizes have four octets each, or eight.
            let rest = if &first == DESCRIPTOR { 12 } else { 8 };
            self.octets(rest)?;
            if !self.input.input_mut().fill_buf()?.starts_with(b"P") {
                self.octets(8)?;
            }
            self.told = Some(0);
        }
        Ok(())
    }

    fn skip_record(&mut self, &(signature, count, lengths): &Record) -> io::Result<()> {
        self.skip(signature.len() as u64)?;
        let fields = self.octets(count)?;
        let length = |&(at, width): &(usize, usize)| number(&fields[at..at + width]);
        self.skip(lengths.iter().map(length).fold(0, u64::saturating_add))
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.input.input_mut().take(count), &mut io::sink())?;
        if skipped < count && !self.ended { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn fixed<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let input = self.input.input_mut();
        let octets = *input.look(N)?.first_chunk().ok_or(ErrorKind::UnexpectedEof)?;
        input.consume(N);
        Ok(octets)
    }

    /// At most as many octets as two can tell.
    fn octets(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let input = self.input.input_mut();
        let octets = input.look(count)?.get(..count).ok_or(ErrorKind::UnexpectedEof)?.to_vec();
        input.consume(count);
        Ok(octets)
    }

    /// The member ended where it should; is it what its sum says?
    fn finish(&mut self, summed: bool) {
        self.method = Method::Done;
        if summed && self.told.is_some_and(|told| told != self.sum.sum()) {
            self.note = Some(NoteKind::BadCompression);
        }
    }

    fn read_stored(&mut self, buf: &mut [u8], summed: bool) -> io::Result<usize> {
        let left = self.left.unwrap_or(0);
        let most = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let n = self.input.input_mut().read(&mut buf[..most])?;
        self.left = Some(left - n as u64);
        self.sum.update(&buf[..n]);
        if left == 0 {
            self.finish(summed);
        } else if n == 0 && most > 0 {
            self.stop(NoteKind::TruncatedArchive);
        }
        Ok(n)
    }

    fn inflate(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let Method::Deflated(inflate) = &mut self.method else { return Ok(0) };
            let input = self.input.input_mut().fill_buf()?;
            let most =
                self.left.map_or(input.len(), |left| input.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
            let (read, written) = (inflate.total_in(), inflate.total_out());
            let status = inflate.decompress(&input[..most], buf, FlushDecompress::None);
            let (read, written) = (inflate.total_in() - read, (inflate.total_out() - written) as usize);
            // Not more than there is.
            self.input.input_mut().consume(read as usize);
            self.left = self.left.map(|left| left - read);
            self.sum.update(&buf[..written]);
            match status {
                Ok(Status::StreamEnd) => self.finish(true),
                // Damaged: if it is known where the next one begins, that is read.
                Err(_) if self.left.is_some() => {
                    self.method = Method::Done;
                    self.note = Some(NoteKind::BadCompression);
                }
                Err(_) => self.stop(NoteKind::BadCompression),
                Ok(_) if read == 0 && written == 0 && most == 0 => self.stop(NoteKind::TruncatedArchive),
                Ok(_) => {}
            }
            if self.expansion.is_too_much(written, consumed(self.input.input())) {
                self.stop(NoteKind::ExpansionLimit);
            }
            if written > 0 || !matches!(self.method, Method::Deflated(_)) {
                return Ok(written);
            }
        }
    }

    /// Reads what the input decodes itself.
    fn unpack(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.input.read(buf) {
            Ok(0) => {
                self.input.end();
                self.finish(false);
                Ok(0)
            }
            Ok(n) => {
                if self.expansion.is_too_much(n, consumed(self.input.input())) {
                    self.stop(NoteKind::ExpansionLimit);
                }
                Ok(n)
            }
            Err(e) if self.below().failed() => Err(e),
            Err(e) => {
                let is_cut = self.input.is_cut(&e)?;
                self.stop(if is_cut { NoteKind::TruncatedArchive } else { NoteKind::BadCompression });
                Ok(0)
            }
        }
    }

    /// Reads up to a descriptor, or to what may be one.
    fn seek_end(&mut self, buf: &mut [u8], plain: bool) -> io::Result<usize> {
        let input = self.input.input_mut();
        let count = input.offset() - self.begin;
        let ahead = input.look(DESCRIPTOR_MAX)?;
        if let Some((length, sum)) = descriptor(ahead, count, plain) {
            input.consume(length);
            self.told = Some(sum);
            self.finish(plain);
            return Ok(0);
        }
        if ahead.is_empty() {
            self.stop(NoteKind::TruncatedArchive);
            return Ok(0);
        }
        // Not more than fits is searched, or it would be searched again; a descriptor may begin in the last three.
        let ahead = &ahead[..ahead.len().min(buf.len().saturating_add(3))];
        let next = memmem::find(&ahead[1..], DESCRIPTOR).map(|at| at + 1);
        let n = next.unwrap_or(ahead.len().saturating_sub(3).max(1));
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
