//! The input layer for builds without decompression, which returns the bytes of the input unchanged.

use crate::diagnostic::DiagnosticKind;
use std::io::{self, Read};
use std::ops::Range;

use super::magic::Kind;
use super::member::Member;

pub(super) struct Layer<R>(R);

impl<R: Read> Layer<R> {
    pub(super) fn new(reader: R) -> Layer<R> {
        Layer(reader)
    }

    /// Panics. The function is never called, because a build without decompression returns an error for compressed
    /// files and for archives instead.
    pub(super) fn put(&mut self, kind: Kind, _: Vec<u8>, _: u64) {
        unreachable!("{kind:?} is not unpacked");
    }

    /// Panics. The function is never called, because only tasks read a part of an archive, and the feature `tasks`
    /// requires the feature `compression`.
    pub(super) fn put_members(&mut self, kind: Kind, _: Range<u64>) {
        unreachable!("{kind:?} is not unpacked");
    }

    pub(super) fn take_off(&mut self, _: &mut u64) -> bool {
        false
    }

    pub(super) fn is_archive(&self) -> bool {
        false
    }

    pub(super) fn next_member(&mut self) -> io::Result<Option<Member>> {
        Ok(None)
    }

    pub(super) fn offset(&self) -> u64 {
        0
    }

    pub(super) fn note(&mut self) -> Option<DiagnosticKind> {
        None
    }

    pub(super) fn drop_notes(&mut self) {}
}

impl<R: Read> Read for Layer<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}
