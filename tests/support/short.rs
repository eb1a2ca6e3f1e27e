//! A reader that gives little at a time.

use std::io::{self, Read};

/// Reads from the first, at most so many bytes at once.
pub(crate) struct Short<R>(pub(crate) R, pub(crate) usize);

impl<R: Read> Read for Short<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}
