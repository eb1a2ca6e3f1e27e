//! Recognizes an input by its first bytes, and by those of what is packed in it.

use std::io::{self, Read};

use super::Stream;
use crate::container::{Format, HEAD, MESSAGE, TEXT};
use crate::error::{Error, Remedy};
use crate::source::magic::{self, Kind, MAGIC_LEN, Magic};
use crate::source::{Batch, DetectedBy, SkipReason, binary, seek, sfx_prefix};

/// How many layers are unpacked at most: archives in archives, compressed files in them, and so on.
const LAYERS_MAX: usize = 6;

impl<R: Read> Stream<R> {
    /// Reads enough to detect the format, and the reason for it. Decodes the input's compression. `None` if it is an
    /// archive, or skipped.
    pub(super) fn begin(
        &mut self,
        batch: &mut Batch,
        target: usize,
    ) -> Result<Option<(&'static Format, DetectedBy)>, Error> {
        batch.set_lines_end_in_cr(false);
        if let Some(format) = self.known.take() {
            return Ok(Some((format, DetectedBy::Content)));
        }
        // The archive may have named the compression of a member.
        let mut layers = usize::from(self.codec.is_some());
        loop {
            // Do not wait for more of a live input than is needed. Only unpacked inputs need more.
            let least = if self.live && !self.is_unpacked() { MAGIC_LEN } else { target };
            match self.look(batch, least) {
                Magic::Plain => break,
                #[cfg(feature = "outlook")]
                Magic::Ole => return Ok(self.ole(batch)?.map(|format| (format, DetectedBy::Content))),
                #[cfg(feature = "pst")]
                Magic::Pst => {
                    self.folders()?;
                    return Ok(None);
                }
                Magic::Document => return Ok(self.skip(SkipReason::Document)),
                Magic::Unsupported(what, hint) => {
                    self.eof = true;
                    let is_packed = layers > 0 || !self.names.is_empty();
                    let hint = if is_packed { hint.on_packed() } else { hint };
                    return Err(Error::unsupported(&self.place(), what, hint));
                }
                Magic::Packed(kind, line) if cfg!(not(feature = "compression")) => {
                    self.eof = true;
                    return Err(Error::unsupported(&self.place(), kind.what(line), Remedy::Feature("compression")));
                }
                Magic::Packed(..) if layers + 2 * self.names.len() >= LAYERS_MAX => {
                    let why = io::Error::other("it is in too many nested archives");
                    return Err(Error::open(&self.place(), why));
                }
                Magic::Packed(kind, line) => {
                    layers += 1;
                    self.layer.put(kind, batch.take().split_off(line), self.decoded);
                    self.eof = false;
                    match kind {
                        Kind::Packed(codec) => self.codec = Some(codec),
                        // The program before the archive is read first.
                        Kind::Zip(1..) => self.has_sfx_prefix = true,
                        Kind::Tar | Kind::Zip(0) => {
                            self.enter();
                            return Ok(None);
                        }
                    }
                }
            }
        }
        self.lines_end_in_cr = magic::lines_end_in_cr(batch.bytes());
        batch.set_lines_end_in_cr(self.lines_end_in_cr);
        if let Some(format) = self.options.format {
            return Ok(Some((format, DetectedBy::Explicit)));
        }
        self.head(batch, HEAD);
        let settled = self.prompt.and_then(|_| self.settled(batch.bytes()));
        let format = settled.unwrap_or_else(|| Format::detect(batch.bytes()));
        if format != TEXT || self.has_sfx_prefix {
            return Ok(Some((format, DetectedBy::Content)));
        }
        match binary::find(batch.bytes(), self.message) {
            // It is reported as the end of an archive.
            Some(_) if self.archive_end().is_some() => Ok(Some((TEXT, DetectedBy::Content))),
            // A user who names it wants it to be read.
            Some(what) if self.named && self.names.is_empty() => {
                self.eof = true;
                Err(Error::unsupported(&self.place(), what, Remedy::Format("text")))
            }
            Some(_) => Ok(self.skip(SkipReason::Binary)),
            None if self.message => Ok(Some((MESSAGE, DetectedBy::Location))),
            None if self.options.mail_only => Ok(self.skip(SkipReason::NotMail)),
            None => Ok(Some((TEXT, DetectedBy::Content))),
        }
    }

    /// Skips the current file or member.
    pub(super) fn skip<T>(&mut self, why: SkipReason) -> Option<T> {
        self.skipped = Some(why);
        self.eof = true;
        None
    }

    /// Reads enough to recognize compression and archives, and returns what it is.
    fn look(&mut self, batch: &mut Batch, target: usize) -> Magic {
        self.head(batch, MAGIC_LEN.max(target));
        let magic = magic::look(batch.bytes());
        if magic != Magic::Plain || self.has_sfx_prefix {
            return magic;
        }
        let reach = magic::reach(batch.bytes());
        if reach == 0 {
            return magic;
        }
        self.head(batch, HEAD);
        // A message can have an unencoded archive as an attachment.
        if Format::detect(batch.bytes()) != TEXT {
            return magic;
        }
        self.head(batch, reach);
        let magic = magic::look_after(&batch.bytes()[..batch.bytes().len().min(reach)]);
        self.is_searched = magic == Magic::Plain;
        magic
    }

    /// Returns where a zip archive ends whose members were not found, because it begins after the bytes that are
    /// searched for one, or in another file. Only regular files that are read as a whole, and are not in an archive,
    /// are checked.
    pub(super) fn archive_end(&self) -> Option<u64> {
        if !self.is_searched || self.live || self.is_unpacked() || self.options.range.is_some() {
            return None;
        }
        // The file's bytes were read before. An error here, because it was removed since, does no harm.
        let (bytes, start) = seek::tail(&self.path, sfx_prefix::END_MAX).ok()?;
        sfx_prefix::end(&bytes).map(|at| start + at as u64)
    }

    /// Reads until there are `target` bytes, or the input ends or fails. If complete pieces should not wait, reads only until
    /// it is settled what the input is.
    fn head(&mut self, batch: &mut Batch, target: usize) {
        let is_prompt = self.prompt.is_some() && !self.is_unpacked();
        while !self.eof && batch.bytes().len() < target && !(is_prompt && self.settled(batch.bytes()).is_some()) {
            let (least, most) = if is_prompt { (batch.bytes().len() + 1, target.max(HEAD)) } else { (target, target) };
            match batch.fill(&mut self.layer, least, most) {
                Ok(more) => self.eof = !more,
                Err(e) => (self.eof, self.failed) = (true, Some(e)),
            }
        }
    }

    /// Returns the format of an input that begins with `head`, if it is neither compressed nor an archive, and all that
    /// is the same whatever follows. A block of tar has a NUL in or after its first line.
    fn settled(&self, head: &[u8]) -> Option<&'static Format> {
        let is_text = memchr::memchr(0, head).is_none() && magic::look(head) == Magic::Plain && magic::reach(head) == 0;
        let format = is_text.then(|| Format::settled(head))??;
        Some(self.options.format.unwrap_or(format))
    }
}
