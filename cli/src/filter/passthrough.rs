//! The way of the mail: what is read of standard input goes to standard output, byte for byte.

use std::io::{self, ErrorKind, Read, Write};

/// A message larger than this is not held back. Mail systems take 10 to 50 MB at most, and the sum of this and of what
/// the work on a message needs is to stay below 64 MiB.
const HELD: usize = 32 << 20;

/// How much is read at once of what nobody looks at.
const STEP: usize = 64 << 10;

/// Passes on what is read through it, before the reader sees it.
///
/// The first failure of either side is its end: the mail cannot be whole then. What is left of the input is read all
/// the same, for some mail systems take it ill if a filter does not.
pub(crate) struct Passthrough<R, W> {
    from: R,
    to: W,
    /// What is held back; `None` if it goes out as it comes.
    held: Option<Vec<u8>>,
    failed: Option<io::Error>,
}

impl<R: Read, W: Write> Passthrough<R, W> {
    /// From `from` to `to`, at once.
    pub(crate) fn new(from: R, to: W) -> Self {
        Passthrough { from, to, held: None, failed: None }
    }

    /// The same, but nothing goes out before [`finish`](Self::finish) says what stands above it, unless it is too large
    /// to wait.
    pub(crate) fn holding(from: R, to: W) -> Self {
        Passthrough { held: Some(Vec::new()), ..Passthrough::new(from, to) }
    }

    /// Passes on what is left, with what `above` gives put in at its place, if all of the mail was held back for that.
    ///
    /// # Errors
    ///
    /// Whatever kept the mail from being passed on as a whole.
    pub(crate) fn finish(mut self, above: impl FnOnce(&[u8]) -> Option<(usize, Vec<u8>)>) -> io::Result<()> {
        let mut buffer = vec![0; STEP];
        while self.failed.is_none() && matches!(self.read(&mut buffer), Ok(1..)) {}
        if let Some(failed) = self.failed.take() {
            while matches!(read(&mut self.from, &mut buffer), Ok(1..)) {}
            return Err(failed);
        }
        if let Some(held) = self.held.take() {
            let (at, fields) = above(&held).unwrap_or_default();
            self.to.write_all(&held[..at])?;
            self.to.write_all(&fields)?;
            self.to.write_all(&held[at..])?;
            self.to.flush()?;
        }
        Ok(())
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(held) = &mut self.held {
            if held.len() + bytes.len() <= HELD && held.try_reserve(bytes.len()).is_ok() {
                held.extend_from_slice(bytes);
                return Ok(());
            }
            self.to.write_all(held)?;
            self.held = None;
        }
        self.to.write_all(bytes)?;
        self.to.flush()
    }
}

impl<R: Read, W: Write> Read for Passthrough<R, W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failed.is_some() {
            return Err(io::Error::other("the mail cannot be passed on"));
        }
        let count = read(&mut self.from, buffer).and_then(|count| self.pass(&buffer[..count]).map(|()| count));
        count.map_err(|failed| {
            let same = io::Error::from(failed.kind());
            self.failed = Some(failed);
            same
        })
    }
}

/// Reads as `from` does, whatever signal comes.
fn read(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
