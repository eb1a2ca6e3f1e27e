//! gzip, member after member, with all that can be wrong with it.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use crate::container::NoteKind;

type Inner<R> = BufReader<Counted<R>>;

/// Decompresses. Damage ends the data, as the end of the file would; [`Gzip::note`] says what it was.
pub(super) struct Gzip<R> {
    /// `None` after the end, and while a member is exchanged for the next.
    member: Option<GzDecoder<Inner<R>>>,
    /// Octets written so far.
    written: u64,
    note: Option<NoteKind>,
}

/// How many octets have to come out before expansion is judged, and the ratio that is too much: deflate itself cannot do
/// more than 1032, so this is a file of little else than one repeated octet.
const EXPANSION_FROM: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
const EXPANSION_MAX: u64 = 1000;

impl<R: Read> Gzip<R> {
    pub(super) fn new(reader: R) -> Gzip<R> {
        let inner = BufReader::with_capacity(64 << 10, Counted { reader, count: 0 });
        Gzip { member: Some(GzDecoder::new(inner)), written: 0, note: None }
    }

    /// What was wrong at the end of the data.
    pub(super) fn note(&mut self) -> Option<NoteKind> {
        self.note.take()
    }

    fn stop(&mut self, note: NoteKind) -> io::Result<usize> {
        self.member = None;
        self.note = Some(note);
        Ok(0)
    }
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.member else { return Ok(0) };
            match member.read(buf) {
                Ok(0) if !buf.is_empty() => {
                    let Some(mut inner) = self.member.take().map(GzDecoder::into_inner) else { return Ok(0) };
                    match skip_zeros(&mut inner)? {
                        After::End => return Ok(0),
                        After::Member => self.member = Some(GzDecoder::new(inner)),
                        After::Garbage => return self.stop(NoteKind::TrailingGarbage),
                    }
                }
                Ok(n) => {
                    self.written += n as u64;
                    let inner = member.get_ref();
                    let read = inner.get_ref().count - inner.buffer().len() as u64;
                    if self.written > EXPANSION_FROM && self.written / EXPANSION_MAX > read {
                        self.stop(NoteKind::ExpansionLimit)?;
                    }
                    return Ok(n);
                }
                Err(e) => {
                    return match e.kind() {
                        io::ErrorKind::UnexpectedEof => self.stop(NoteKind::TruncatedCompression),
                        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => self.stop(NoteKind::BadCompression),
                        _ => Err(e),
                    };
                }
            }
        }
    }
}

enum After {
    End,
    Member,
    Garbage,
}

/// What follows a member. Zeros, which tapes pad with, may stand before another member; before the end they are noted.
fn skip_zeros(inner: &mut Inner<impl Read>) -> io::Result<After> {
    let mut zeros = false;
    loop {
        let head = match inner.fill_buf() {
            Ok(head) => head,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        match head {
            [] if zeros => return Ok(After::Garbage),
            [] => return Ok(After::End),
            [0x1F, ..] => return Ok(After::Member),
            [0, ..] => {
                zeros = true;
                let n = head.iter().take_while(|&&b| b == 0).count();
                inner.consume(n);
            }
            _ => return Ok(After::Garbage),
        }
    }
}

/// Counts what it reads.
struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buf)?;
        self.count += n as u64;
        Ok(n)
    }
}
