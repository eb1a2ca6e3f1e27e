//! A buffered reader that can look ahead over the end of what is in its buffer, and knows its place.

use std::io::{self, BufRead, Read};

use super::BUFFER;

pub(super) struct Ahead<R> {
    reader: R,
    buffer: Box<[u8]>,
    /// What of the buffer was read and not taken yet.
    start: usize,
    end: usize,
    /// Octets taken.
    offset: u64,
}

impl<R: Read> Ahead<R> {
    pub(super) fn new(reader: R) -> Ahead<R> {
        Ahead { reader, buffer: vec![0; BUFFER].into(), start: 0, end: 0, offset: 0 }
    }

    pub(super) fn get_ref(&self) -> &R {
        &self.reader
    }

    pub(super) fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    pub(super) fn into_inner(self) -> R {
        self.reader
    }

    /// What is in the buffer.
    pub(super) fn buffer(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// How many octets were taken.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// What comes next: at least `count` octets, which are at most [`BUFFER`], or all there are.
    pub(super) fn look(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.start + count > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < count {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(self.buffer())
    }

    /// Passes over zeros, such as fill the last block of a tape or a disk, and looks at what follows: nothing, at the end.
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

impl<R: Read> BufRead for Ahead<R> {
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

impl<R: Read> Read for Ahead<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        // What is large enough need not go through the buffer.
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
    fn over_the_end_of_the_buffer() {
        let octets: Vec<u8> = (0..BUFFER + 10).map(|i| i as u8).collect();
        let (one, other) = octets.split_at(BUFFER - 2);
        // What is looked for, and what there is of it at least.
        for (taken, count, want) in [(0, 28, 28), (BUFFER - 3, 4, 4), (BUFFER - 3, BUFFER, 13), (BUFFER + 10, 1, 0)] {
            let mut ahead = Ahead::new(one.chain(other));
            io::copy(&mut (&mut ahead).take(taken as u64), &mut io::sink()).unwrap();
            let seen = ahead.look(count).unwrap().to_vec();
            assert!(seen.len() >= want && octets[taken..].starts_with(&seen), "{taken}, {count}");
            assert_eq!(ahead.offset(), taken as u64);
            let mut rest = Vec::new();
            ahead.read_to_end(&mut rest).unwrap();
            assert_eq!((&rest[..], ahead.offset()), (&octets[taken..], octets.len() as u64));
        }
    }
}
