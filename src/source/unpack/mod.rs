//! Layers between a file and what is read: compressions, and the members of archives, one on top of the other.
//!
//! Nothing is unpacked to disk, nothing is held but what the format itself wants (a dictionary, a window). A layer
//! never reads beyond the member that it lies on, so it can be taken off again, and the archive below asked for the next.

mod ahead;
mod decoder;
mod lzw;
mod packed;
mod tar;
mod zip;
mod zstd;

use std::io::{self, Chain, Cursor, Read};

use self::ahead::Ahead;
use self::packed::Packed;
use self::tar::Tar;
use self::zip::Zip;
use super::Codec;
use super::magic::Kind;
use super::unread::Unreadable;
use crate::container::NoteKind;

/// What a layer reads: what was looked at to know it, then the rest of the layer below.
type Input<R> = Ahead<Chain<Cursor<Vec<u8>>, Layer<R>>>;

const BUFFER: usize = 64 << 10;

/// How many octets of the file itself a layer with this input has made use of.
fn consumed<R: Read>(input: &Input<R>) -> u64 {
    let (head, below) = input.get_ref().get_ref();
    let unread = input.buffer().len() as u64 + (head.get_ref().len() as u64).saturating_sub(head.position());
    below.bottom().map_or(0, |bottom| bottom.count).saturating_sub(unread)
}

/// What is wrong with an archive whose next member cannot be had for this reason.
fn damage(error: &io::Error) -> NoteKind {
    if error.kind() == io::ErrorKind::UnexpectedEof { NoteKind::TruncatedArchive } else { NoteKind::BadArchive }
}

/// Where octets come from.
pub(super) enum Layer<R: Read> {
    /// The input itself.
    Bottom(Bottom<R>),
    Packed(Box<Packed<R>>),
    Tar(Box<Tar<R>>),
    Zip(Box<Zip<R>>),
    /// Nothing, while one is exchanged for another.
    Gone,
}

/// An input.
pub(super) struct Bottom<R> {
    reader: R,
    /// Octets read.
    count: u64,
    /// Reading failed.
    failed: bool,
}

/// What an archive has next.
pub(super) enum Next {
    Member(Member),
    /// There is no more, or nothing that could be read: that was noted.
    End,
}

/// A member of an archive, whose octets can be read now.
pub(super) struct Member {
    /// Its name, as the archive has it.
    pub(super) name: Vec<u8>,
    /// The compression that the archive says they are in,
    pub(super) codec: Option<Codec>,
    /// and whether the archive undoes it itself: if not, it is to be undone.
    pub(super) is_undone: bool,
    /// Why its octets cannot be had, if so.
    pub(super) unreadable: Option<Unreadable>,
}

impl<R: Read> Layer<R> {
    pub(super) fn new(reader: R) -> Layer<R> {
        Layer::Bottom(Bottom { reader, count: 0, failed: false })
    }

    /// Puts a layer on top that undoes `kind`; `head` was read already. `expansion` goes on from the layers before.
    pub(super) fn put(&mut self, kind: Kind, head: Vec<u8>, expansion: Expansion) {
        let below = std::mem::replace(self, Layer::Gone);
        let input = Ahead::new(Cursor::new(head).chain(below));
        *self = match kind {
            Kind::Packed(codec) => Layer::Packed(Box::new(Packed::new(codec, input, expansion))),
            Kind::Tar => Layer::Tar(Box::new(Tar::new(input))),
            Kind::Zip(stub) => Layer::Zip(Box::new(Zip::new(input, expansion, stub as u64))),
        };
    }

    /// Takes the top layer off; `None` if it is the input itself. What was decoded is counted on.
    pub(super) fn take_off(&mut self, expansion: &mut Expansion) -> Option<()> {
        let below = match std::mem::replace(self, Layer::Gone) {
            Layer::Packed(packed) => {
                let (below, counted) = packed.into_below();
                *expansion = counted;
                below
            }
            Layer::Tar(tar) => tar.into_below(),
            Layer::Zip(zip) => {
                let (below, counted) = zip.into_below();
                *expansion = counted;
                below
            }
            bottom => {
                *self = bottom;
                return None;
            }
        };
        *self = below;
        Some(())
    }

    /// The next member, if the top layer is an archive.
    ///
    /// # Errors
    ///
    /// If reading fails. Damage is no error: see [`note`](Self::note).
    pub(super) fn next_member(&mut self) -> io::Result<Option<Next>> {
        match self {
            Layer::Tar(tar) => tar.next_member().map(Some),
            Layer::Zip(zip) => zip.next_member().map(Some),
            _ => Ok(None),
        }
    }

    /// How many octets the top layer has taken of an archive, or given.
    pub(super) fn offset(&self) -> u64 {
        match self {
            Layer::Packed(packed) => packed.given(),
            Layer::Tar(tar) => tar.offset(),
            Layer::Zip(zip) => zip.offset(),
            Layer::Bottom(_) | Layer::Gone => 0,
        }
    }

    /// What was wrong with what the top layer gave, once that has ended. If a layer below ended too early it is that one's
    /// word, for the others only follow it.
    pub(super) fn note(&mut self) -> Option<NoteKind> {
        let (own, below) = match self {
            Layer::Packed(packed) => (packed.note()?, packed.below_mut()),
            Layer::Tar(tar) => (tar.note()?, tar.below_mut()),
            Layer::Zip(zip) => (zip.note()?, zip.below_mut()),
            Layer::Bottom(_) | Layer::Gone => return None,
        };
        Some(below.note().unwrap_or(own))
    }

    /// Whether reading the input itself failed.
    fn failed(&self) -> bool {
        self.bottom().is_some_and(|bottom| bottom.failed)
    }

    fn bottom(&self) -> Option<&Bottom<R>> {
        let mut layer = self;
        loop {
            layer = match layer {
                Layer::Bottom(bottom) => return Some(bottom),
                Layer::Packed(packed) => packed.below(),
                Layer::Tar(tar) => tar.below(),
                Layer::Zip(zip) => zip.below(),
                Layer::Gone => return None,
            }
        }
    }
}

impl<R: Read> Read for Layer<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Layer::Bottom(bottom) => bottom.read(buf),
            Layer::Packed(packed) => packed.read(buf),
            Layer::Tar(tar) => tar.read(buf),
            Layer::Zip(zip) => zip.read(buf),
            Layer::Gone => Ok(0),
        }
    }
}

impl<R: Read> Read for Bottom<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buf) {
                Ok(n) => {
                    self.count += n as u64;
                    return Ok(n);
                }
                // Not every decoder goes on.
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = true;
                    return Err(e);
                }
            }
        }
    }
}

/// How many octets have to come out before expansion is judged, and the ratio that is too much: deflate itself cannot do
/// more than 1032, so this is a file of little else than one repeated octet.
const EXPANSION_FROM: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
const EXPANSION_MAX: u64 = 1000;

/// What was decoded, held against what was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expansion(u64);

impl Expansion {
    /// Counts `n` octets more, and says whether that is too much for `consumed` octets of the input itself.
    fn is_too_much(&mut self, n: usize, consumed: u64) -> bool {
        self.0 += n as u64;
        self.0 > EXPANSION_FROM && self.0 / EXPANSION_MAX > consumed
    }
}
