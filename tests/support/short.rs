//! A reader that returns few bytes at a time.

use std::io::{self, Read};

/// Reads from the reader in the first field. The second field is the largest number of bytes to read at a time.
pub(crate) struct Short<R>(pub(crate) R, pub(crate) usize);

impl<R: Read> Read for Short<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.1);
        self.0.read(&mut buffer[..most])
    }
}
