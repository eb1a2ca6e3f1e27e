//! zip archives, member by member, as they lie: so that they can be read from a pipe, and when their end is missing.
//!
//! After PKWARE's APPNOTE, sections 4.3.7 (local file header) and 4.3.9 (data descriptor). Members that were deleted from
//! the directory at the end, but not from the file, are read too.

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::{Expansion, Input, Layer, Member, Next, consumed, damage};
use crate::container::NoteKind;
use crate::source::Codec;
use crate::source::unread::Unreadable;

const LOCAL: &[u8; 4] = b"PK\x03\x04";
const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";

const ENCRYPTED: u16 = 1;
/// The sum and the sizes come behind the member.
const STREAMED: u16 = 8;

/// Reads the member at hand; [`Zip::next_member`] goes on to the next.
pub(in crate::source) struct Zip<R: Read> {
    input: Input<R>,
    /// Octets read.
    at: u64,
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
    /// All of it was read.
    Done,
}

impl<R: Read> Zip<R> {
    /// The `stub` octets that stand before the first member are read first, as if they were one.
    pub(super) fn new(input: Input<R>, expansion: Expansion, stub: u64) -> Zip<R> {
        Zip {
            input,
            at: 0,
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
        self.input.get_ref().get_ref().1
    }

    pub(super) fn below_mut(&mut self) -> &mut Layer<R> {
        self.input.get_mut().get_mut().1
    }

    pub(super) fn into_below(self) -> (Layer<R>, Expansion) {
        (self.input.into_inner().into_inner().1, self.expansion)
    }

    pub(super) fn offset(&self) -> u64 {
        self.at
    }

    pub(super) fn note(&mut self) -> Option<NoteKind> {
        self.note.take()
    }

    /// Passes over the rest of the member and gives the next one that is a file. What follows the members is not read.
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

    fn header(&mut self) -> io::Result<Option<Member>> {
        loop {
            io::copy(self, &mut io::sink())?;
            self.skip_rest()?;
            if self.ended {
                return Ok(None);
            }
            let signature: [u8; 4] = self.fixed()?;
            if &signature != LOCAL {
                // The directory; else this is no archive any more.
                return if signature.starts_with(b"PK") { Ok(None) } else { Err(ErrorKind::InvalidData.into()) };
            }
            let head: [u8; 26] = self.fixed()?;
            let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
            let long = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
            let (flags, method) = (short(2), short(4));
            let name = self.octets(usize::from(short(22)))?;
            let extra = self.octets(usize::from(short(24)))?;
            let streamed = flags & STREAMED != 0;
            let stored = match long(14) {
                u32::MAX => large_size(&extra, long(18) == u32::MAX).ok_or(ErrorKind::InvalidData)?,
                size => u64::from(size),
            };
            self.left = (!streamed || stored > 0).then_some(stored);
            self.told = (!streamed).then_some(long(10));
            self.sum.reset();
            let codec = codec_of(method);
            let is_stored = method == 0 || codec.is_some();
            let unreadable = match method {
                _ if flags & ENCRYPTED != 0 => Some(Unreadable::Encrypted),
                _ if is_stored && self.left.is_some() => {
                    self.method = Method::Stored { summed: codec.is_none() };
                    None
                }
                8 => {
                    self.method = Method::Deflated(Box::new(Decompress::new(false)));
                    None
                }
                _ if is_stored => Some(Unreadable::Endless),
                _ => Some(name_of(method).map_or(Unreadable::Unknown, Unreadable::Compressed)),
            };
            if unreadable.is_some() {
                self.method = Method::Done;
                if self.left.is_none() {
                    // Nobody can say where the next one begins.
                    self.stop(NoteKind::BadArchive);
                }
            }
            if !name.ends_with(b"/") {
                return Ok(Some(Member { name, codec, unreadable }));
            }
        }
    }

    /// Passes over what is left of the member, and over the sum and the sizes behind it.
    fn skip_rest(&mut self) -> io::Result<()> {
        if let Some(left) = self.left.take() {
            let skipped = io::copy(&mut (&mut self.input).take(left), &mut io::sink())?;
            self.at += skipped;
            if skipped < left && !self.ended {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        if self.told.is_none() && self.at > 0 && !self.ended {
            let first: [u8; 4] = self.fixed()?;
            // The signature is left out by some; the sizes have four octets each, or eight.
            let rest = if &first == DESCRIPTOR { 12 } else { 8 };
            self.octets(rest)?;
            if !self.input.fill_buf()?.starts_with(b"P") {
                self.octets(8)?;
            }
            self.told = Some(0);
        }
        Ok(())
    }

    fn fixed<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut octets = [0; N];
        self.input.read_exact(&mut octets)?;
        self.at += N as u64;
        Ok(octets)
    }

    fn octets(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut octets = vec![0; count];
        self.input.read_exact(&mut octets)?;
        self.at += count as u64;
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
        let n = self.input.read(&mut buf[..most])?;
        self.at += n as u64;
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
            let input = self.input.fill_buf()?;
            let most =
                self.left.map_or(input.len(), |left| input.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
            let (read, written) = (inflate.total_in(), inflate.total_out());
            let status = inflate.decompress(&input[..most], buf, FlushDecompress::None);
            let (read, written) = (inflate.total_in() - read, (inflate.total_out() - written) as usize);
            // Not more than there is.
            self.input.consume(read as usize);
            self.at += read;
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
            if self.expansion.is_too_much(written, consumed(&self.input)) {
                self.stop(NoteKind::ExpansionLimit);
            }
            if written > 0 || !matches!(self.method, Method::Deflated(_)) {
                return Ok(written);
            }
        }
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
            Method::Done => Ok(0),
        }
    }
}

/// The compression that a method is, where a layer of its own undoes it (section 4.4.5).
fn codec_of(method: u16) -> Option<Codec> {
    Some(match method {
        12 => Codec::Bzip2,
        93 => Codec::Zstd,
        95 => Codec::Xz,
        _ => return None,
    })
}

/// What a method is called that is not undone here.
fn name_of(method: u16) -> Option<&'static str> {
    Some(match method {
        1 => "Shrink",
        2..=5 => "Reduce",
        6 => "Implode",
        9 => "Deflate64",
        10 => "PKWARE DCL Implode",
        14 => "LZMA",
        16 => "IBM CMPSC",
        18 => "IBM TERSE",
        19 => "IBM LZ77",
        20 => "Zstandard under its old number",
        94 => "MP3",
        96 => "JPEG",
        97 => "WavPack",
        98 => "PPMd",
        _ => return None,
    })
}

/// The size as stored, from the extra field of zip64 (section 4.5.3); before it stands the size as it was, if that too
/// is too large for its place.
fn large_size(mut extra: &[u8], both: bool) -> Option<u64> {
    loop {
        let (head, rest) = extra.split_first_chunk::<4>()?;
        let field = rest.get(..usize::from(u16::from_le_bytes([head[2], head[3]])))?;
        if head[..2] == [1, 0] {
            let at = if both { 8 } else { 0 };
            return field.get(at..)?.first_chunk().map(|size| u64::from_le_bytes(*size));
        }
        extra = &rest[field.len()..];
    }
}
