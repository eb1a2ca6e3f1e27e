//! Copies the mail from standard input to standard output, byte for byte.

use std::io::{self, ErrorKind, Read, Write};

/// The maximum size in bytes of a message that is held back until its URLs are known and its header fields can be
/// added. Most mail systems refuse messages larger than 10 to 50 MB. With this limit, the filter needs less than 64 MiB
/// of memory.
pub(super) const HELD: usize = 32 << 20;

/// The size in bytes of the buffer for copying mail that is not searched.
const STEP: usize = 64 << 10;

/// A reader of the mail that also passes the mail on. Before it returns bytes, it writes them to `to` or stores them in
/// `held`.
///
/// After the first error in reading or writing, the reader writes nothing more: the mail is already incomplete, and the
/// mail system must try again. [`finish`](Self::finish) still reads the input to its end, with [`drain`].
pub(crate) struct Passthrough<R, W> {
    from: R,
    to: W,
    /// The mail that is held back. `None` if each byte is passed on at once.
    held: Option<Vec<u8>>,
    failed: Option<io::Error>,
}

impl<R: Read, W: Write> Passthrough<R, W> {
    /// Creates a reader that passes each byte on at once. With `holds`, it holds the mail back until
    /// [`finish`](Self::finish) adds the fields. If the mail is larger than [`HELD`], it is passed on without fields.
    pub(crate) fn new(from: R, to: W, holds: bool) -> Self {
        Passthrough { from, to, held: holds.then(Vec::new), failed: None }
    }

    /// Passes on the rest of the mail. If the whole mail was held back, first calls `above` with the mail. `above`
    /// returns header fields to insert, and the offset at which to insert them.
    ///
    /// # Errors
    ///
    /// If the mail was not passed on completely.
    pub(crate) fn finish(mut self, above: impl FnOnce(&[u8]) -> Option<(usize, Vec<u8>)>) -> io::Result<()> {
        let mut buffer = vec![0; STEP];
        while self.failed.is_none() && matches!(self.read(&mut buffer), Ok(1..)) {}
        if let Some(failed) = self.failed.take() {
            drain(&mut self.from);
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
            return Err(io::Error::other("cannot pass the mail on"));
        }
        let count = loop {
            match self.from.read(buffer) {
                // A signal can interrupt the call.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                count => break count,
            }
        };
        let count = count.and_then(|count| self.pass(&buffer[..count]).map(|()| count));
        count.map_err(|failed| {
            let same = io::Error::from(failed.kind());
            self.failed = Some(failed);
            same
        })
    }
}

/// Reads the rest of the mail and discards it. Some mail systems report an error if a filter stops reading.
pub(super) fn drain(from: &mut impl Read) {
    let _ = io::copy(from, &mut io::sink());
}
