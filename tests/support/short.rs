//! A reader that returns few bytes at a time.

use std::io::{self, Read};

/// A reader that reads from field 0, at most as many bytes at a time as field 1 says.
pub(crate) struct Short<R>(pub(crate) R, pub(crate) usize);

impl<R: Read> Read for Short<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}
