//! A buffered reader that can look ahead any number of bytes and knows its offset.

use std::io::{self, BufRead, ErrorKind, Read};

use super::BUFFER;

pub(super) struct PeekReader<R> {
    pub(super) reader: R,
    buffer: Vec<u8>,
    /// Index in the buffer of the next byte to return.
    start: usize,
    end: usize,
    /// Number of bytes that callers have read from this reader.
    pub(super) offset: u64,
}

impl<R: Read> PeekReader<R> {
    /// Makes a reader that returns `head` and then the bytes of `reader`.
    pub(super) fn new(head: Vec<u8>, reader: R) -> PeekReader<R> {
        let end = head.len();
        let mut buffer = head;
        buffer.resize(end.max(BUFFER), 0);
        PeekReader { reader, buffer, start: 0, end, offset: 0 }
    }

    /// Returns the bytes in the buffer that callers have not read yet.
    pub(super) fn buffer(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the next bytes without consuming them. Returns at least `count` bytes. If fewer bytes are left, returns
    /// all of these bytes.
    pub(super) fn look(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.start + count > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            self.buffer.resize(self.buffer.len().max(count), 0);
        }
        while self.end - self.start < count {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(self.buffer())
    }

    /// Reads the next `count` bytes. If fewer bytes are left, returns an error and consumes nothing.
    pub(super) fn bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let bytes = self.look(count)?.get(..count).ok_or(ErrorKind::UnexpectedEof)?.to_vec();
        self.consume(count);
        Ok(bytes)
    }

    /// Reads the next `N` bytes. If fewer bytes are left, returns an error and consumes nothing.
    pub(super) fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let bytes = *self.look(N)?.first_chunk().ok_or(ErrorKind::UnexpectedEof)?;
        self.consume(N);
        Ok(bytes)
    }

    pub(super) fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.take(count), &mut io::sink())?;
        if skipped < count { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Skips zeros, which can fill the last block of a tape or a disk. Returns the buffered bytes after the zeros, or
    /// an empty slice at the end of the input.
    pub(super) fn skip_zeros(&mut self) -> io::Result<&[u8]> {
        loop {
            let ahead = self.fill_buf()?;
            let zeros = ahead.iter().take_while(|&&b| b == 0).count();
            let is_all = zeros > 0 && zeros == ahead.len();
            self.consume(zeros);
            if !is_all {
                return Ok(self.buffer());
            }
        }
    }
}

impl<R: Read> BufRead for PeekReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        self.look(1)
    }

    fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }
}

impl<R: Read> Read for PeekReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        // A large read bypasses the buffer.
        if self.start == self.end && buf.len() >= self.buffer.len() {
            let n = self.reader.read(buf)?;
            self.offset += n as u64;
            return Ok(n);
        }
        let n = self.fill_buf()?.read(buf)?;
        self.consume(n);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_ahead_refills_the_buffer() {
        let bytes: Vec<u8> = (0..BUFFER + 10).map(|i| i as u8).collect();
        let (one, other) = bytes.split_at(BUFFER - 2);
        // Each row has three numbers of bytes: the number to skip, the number to look ahead, and the smallest number
        // that must be returned.
        for (taken, count, want) in [
            (0, 28, 28),
            (0, BUFFER + 5, BUFFER + 5),
            (BUFFER - 3, 4, 4),
            (BUFFER - 3, BUFFER, 13),
            (BUFFER + 10, 1, 0),
        ] {
            let mut ahead = PeekReader::new(Vec::new(), one.chain(other));
            ahead.skip(taken as u64).unwrap();
            let seen = ahead.look(count).unwrap().to_vec();
            assert!(seen.len() >= want && bytes[taken..].starts_with(&seen), "{taken}, {count}");
            assert_eq!(ahead.offset, taken as u64);
            let mut rest = Vec::new();
            ahead.read_to_end(&mut rest).unwrap();
            assert_eq!((&rest[..], ahead.offset), (&bytes[taken..], bytes.len() as u64));
        }
    }

    /// A reader of `abcd` whose first read is interrupted. After the four bytes, reads fail.
    struct Failing(u8);

    impl Read for Failing {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => Err(ErrorKind::Interrupted.into()),
                2 => b"abcd".as_slice().read(buf),
                _ => Err(ErrorKind::TimedOut.into()),
            }
        }
    }

    #[test]
    fn nothing_is_read_after_the_bytes_that_are_needed() {
        let mut ahead = PeekReader::new(Vec::new(), Failing(0));
        assert_eq!(ahead.look(4).unwrap(), b"abcd");
        assert_eq!(ahead.look(5).unwrap_err().kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn skipping_more_bytes_than_are_left_is_an_error() {
        let ahead = || PeekReader::new(b"ab".to_vec(), &b"cd"[..]);
        ahead().skip(4).unwrap();
        assert_eq!(ahead().skip(5).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
