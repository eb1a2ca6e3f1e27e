//! A reader that returns few bytes at a time.

use std::io::{self, Read};

/// A reader that reads from field 0. Field 1 is the maximum number of bytes that it reads at a time.
pub(crate) struct Short<R>(pub(crate) R, pub(crate) usize);

impl<R: Read> Read for Short<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}
