//! What stands for the layers where nothing is unpacked: the input itself.

use std::io::{self, Read};

use super::Codec;
use super::magic::Kind;
use super::unread::Unreadable;
use crate::container::NoteKind;

pub(super) struct Layer<R>(R);

/// Nothing is decoded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expansion {}

/// No archive has any.
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    pub(super) codec: Option<Codec>,
    pub(super) is_undone: bool,
    pub(super) unreadable: Option<Unreadable>,
}

#[expect(dead_code, reason = "no archive is opened")]
pub(super) enum Next {
    Member(Member),
    End,
}

impl<R: Read> Layer<R> {
    pub(super) fn new(reader: R) -> Layer<R> {
        Layer(reader)
    }

    /// [`look`](super::magic::look) finds nothing to unpack.
    pub(super) fn put(&mut self, kind: Kind, _: Vec<u8>, _: Expansion) {
        unreachable!("{kind:?} is not unpacked");
    }

    pub(super) fn take_off(&mut self, _: &mut Expansion) -> Option<()> {
        None
    }

    pub(super) fn next_member(&mut self) -> io::Result<Option<Next>> {
        Ok(None)
    }

    pub(super) fn offset(&self) -> u64 {
        0
    }

    pub(super) fn note(&mut self) -> Option<NoteKind> {
        None
    }
}

impl<R: Read> Read for Layer<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}
